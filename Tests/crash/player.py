"""A client that does all that must be kept, and writes down what it was told of it."""

import json
import random
import threading

from ratingd_client import Client

OUTCOMES = ("later", "declined", "dismissed", "failed", "rated", "never")


class Player(threading.Thread):
    """Plays some apps on one connection until that breaks, or for so many `rounds`.

    `apps` is a dict of oracle.App that no other player has. `counts`: it does little but report
    events. `patient`: answers that the state cannot be used are counted, and it goes on; else they
    are trouble.
    """

    def __init__(self, path, apps, draw, rounds=None, counts=False, patient=False, client=Client):
        super().__init__(daemon=True)
        self.path, self.apps, self.draw = path, apps, draw
        self.client_type = client
        self.requests, self.sessions = (0.03, 0.01) if counts else (0.5, 0.2)
        self.rounds, self.patient = rounds, patient
        self.client = None
        self.read = 0
        self.unavailable = 0
        self.is_stopped = False
        self.trouble = None

    def run(self):
        try:
            self.client = self.client_type(self.path)
        except OSError:
            return  # killed before it listened
        try:
            self.play()
        except (OSError, EOFError):
            pass  # the daemon is gone
        except Exception as trouble:  # a wrong answer, to be shown by the test
            self.trouble = trouble
        try:
            self.client.half_close()
        except OSError:
            pass  # the same
        try:
            self.client.rest()  # what it had sent before it was killed
            self.notice_prompts()
        except (OSError, AssertionError) as trouble:
            if "half a line" not in str(trouble):
                self.trouble = self.trouble or trouble
        self.client.close()

    def play(self):
        for name in self.apps:
            self.catch_up(name)
        while not self.is_stopped and self.rounds != 0:
            if self.rounds is not None:
                self.rounds -= 1
            name = self.draw.choice(list(self.apps))
            self.burst(name)
            if self.draw.random() < self.requests:
                self.request(name)

    # What it does

    def catch_up(self, name):
        """Reports the outcome of a prompt that an earlier life left open."""
        status = self.ask("status", app=name)
        if status and status["outstanding"]:
            self.report(name, status["outstanding"])

    def burst(self, name):
        """Counters, several messages in one write."""
        app = self.apps[name]
        messages = []
        for _ in range(self.draw.randint(1, 16)):
            if self.draw.random() < self.sessions:
                app.sent_sessions += 1
                messages.append(self.client.message("session", app=name, version="1"))
            else:
                app.sent_events += 1
                messages.append(self.client.message("event", app=name))
        self.client.send(b"".join(json.dumps(m).encode() + b"\n" for m in messages))
        for message in messages:
            result = self.result(message["id"])
            if result is None:
                continue
            if message["method"] == "session":
                app.sessions = result["sessions"]
            else:
                app.events = result["events"]

    def request(self, name):
        version = f"{self.draw.randrange(10**9)}"
        result = self.ask("request", app=name, version=version)
        if result is None or result["decision"] != "pending":
            return
        token = result["token"]
        while token not in self.apps[name].prompts:
            message = self.take(lambda m: m.get("method") in ("prompt", "cancelled"))
            if message["method"] == "cancelled":
                if message["params"]["reason"] != "storage_unavailable" or not self.patient:
                    raise ValueError(f"nothing cancels: {message}")
                self.unavailable += 1
                return
        self.report(name, token)

    def report(self, name, token):
        result = self.draw.choices(OUTCOMES, (4, 4, 4, 4, 4, 1))[0]
        if self.ask("outcome", token=token, result=result):
            self.apps[name].finished(token, result)

    # What it is told

    def ask(self, method, **params):
        return self.result(self.client.begin(method, **params))

    def result(self, identifier):
        """The result, or None if the state could not be used."""
        answer = self.take(lambda m: "method" not in m and m.get("id") == identifier)
        if "result" in answer:
            return answer["result"]
        if self.patient and answer["error"]["data"]["reason"] == "storage_unavailable":
            self.unavailable += 1
            return None
        raise ValueError(f"an error: {answer['error']}")

    def take(self, wanted):
        inbox = self.client.inbox
        while True:
            for message in inbox:
                if wanted(message):
                    inbox.remove(message)
                    return message
            message = self.client.read()
            if message is None:
                raise EOFError
            self.notice_prompts()
            inbox.append(message)

    def notice_prompts(self):
        for message in self.client.trace[self.read:]:
            self.read += 1
            if message.get("method") == "prompt":
                prompt = message["params"]
                self.apps[prompt["app"]].prompted(prompt["token"], prompt["version"])


def players(path, apps, draw, count, **options):
    """Players for `count` connections, the apps dealt out among them; none, half or all do little
    but count, which the daemon tallies where several do it at once."""
    names = list(apps)
    counting = draw.choice((0, 0.5, 1))
    return [Player(path, {name: apps[name] for name in names[number::count]},
                   random.Random(draw.random()), counts=draw.random() < counting, **options)
            for number in range(count)]
