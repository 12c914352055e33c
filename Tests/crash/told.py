"""What the daemon has told its clients, read from what it sent (see disk_log.py)."""

import copy
import json

import disk_log
import oracle
from ratingd_client import Client


class NamingClient(Client):
    """Its ids say what was asked, so that an answer tells the whole story."""

    def message(self, method, /, **params):
        message = super().message(method, **params)
        about = [method, params.get("app", "-"), params.get("token", "-"), params.get("result", "-")]
        return message | {"id": " ".join(about + [str(message["id"])])}


class Told:
    """All that was told until now, of each app; takes records one by one."""

    def __init__(self, apps, sync_seconds):
        """`apps`: oracle.App for each, with what was there before."""
        self.apps = copy.deepcopy(apps)
        self.nanoseconds = int(sync_seconds * 1e9)
        self.counters = []  # (time, app, counter, value), oldest first
        self.halves = {}

    def take(self, record):
        if record.kind == disk_log.STARTED:
            self.halves = {}
        if record.kind != disk_log.SENT:
            return
        *lines, half = (self.halves.pop(record.file, b"") + record.data).split(b"\n")
        self.halves[record.file] = half
        for line in lines:
            self.hear(json.loads(line), record.nanoseconds)

    def hear(self, message, now):
        if isinstance(message, list):
            return
        if message.get("method") == "prompt":
            prompt = message["params"]
            self.apps[prompt["app"]].prompted(prompt["token"], prompt["version"])
        elif "result" in message and isinstance(message["id"], str):
            method, name, token, result, _ = message["id"].split(" ")
            if method in ("event", "session"):
                key = method + "s"
                self.counters.append((now, name, key, message["result"][key]))
            elif method == "outcome":
                owner = next(app for app in self.apps.values() if token in app.prompts)
                owner.finished(token, result)
            elif method == "opt_out":
                self.apps[name].is_opted_out = True

    def at(self, now, sent):
        """What must still be known after a power cut now; `sent`: the most clients caused."""
        done = 0
        for time, name, key, value in self.counters:
            if time > now - self.nanoseconds:
                break
            setattr(self.apps[name], key, value)
            done += 1
        del self.counters[:done]
        apps = copy.deepcopy(self.apps)
        for name, app in apps.items():
            app.sent_events, app.sent_sessions = sent[name].sent_events, sent[name].sent_sessions
        return apps
