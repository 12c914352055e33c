"""kill -9 at random moments under load: what was answered is there, what was prompted is recorded."""

import os
import random
import threading
import unittest

from base import APP, DaemonTest, easy
from ratingd_client import Client, from_ms


class Player(threading.Thread):
    """One app that counts what was acknowledged, until its connection breaks."""

    def __init__(self, path, name, versions):
        super().__init__(daemon=True)
        self.path, self.name, self.versions = path, name, versions
        self.acknowledged = {"events": 0, "sessions": 0}
        self.sent = {"events": 0, "sessions": 0}
        self.prompts, self.outcomes = [], {}
        self.trouble = None

    def run(self):
        try:
            client = Client(self.path)
        except OSError:
            return
        try:
            self.play(client)
        except (OSError, AssertionError):
            pass  # the daemon was killed: the connection broke
        except Exception as trouble:  # a wrong answer
            self.trouble = trouble
        finally:
            self.prompts += [
                m["params"] for m in client.trace if isinstance(m, dict) and m.get("method") == "prompt"]
            client.close()

    def count(self, client, method, key):
        self.sent[key] += 1
        result = client.ask(method, app=self.name, version="1") if method == "session" else (
            client.ask(method, app=self.name))
        self.acknowledged[key] += 1
        if result[key] < self.acknowledged[key]:
            raise ValueError(f"{result} although {self.acknowledged} were acknowledged")

    def play(self, client):
        while True:
            for _ in range(20):
                self.count(client, "event", "events")
            self.count(client, "session", "sessions")
            result = client.ask("request", app=self.name, version=next(self.versions))
            if result["decision"] == "pending":
                token = client.wait("prompt")["token"]
                client.ask("outcome", token=token, result="dismissed")
                self.outcomes[token] = "dismissed"


class KillNine(DaemonTest):
    config = easy(
        daemon={"RateLimitPerSec": 0}, SessionGapSec=0, OutcomeTimeoutSec=1, PromptsPerYear=12)

    def test_ten_kills_under_load(self):
        seed = int(os.environ.get("RATINGD_TEST_SEED", random.randrange(10**9)))
        print(f"seed {seed}")
        draw = random.Random(seed)
        names = [f"org.player{n}" for n in range(6)]
        versions = (f"v{n}" for n in range(10**9))
        lock = threading.Lock()

        def next_version():
            while True:
                with lock:
                    version = next(versions)
                yield version

        totals = {name: {"acknowledged": {"events": 0, "sessions": 0},
                         "sent": {"events": 0, "sessions": 0}} for name in names}
        prompts, outcomes = {name: [] for name in names}, {}
        for _ in range(10):
            players = [Player(self.daemon.socket_path, name, next_version()) for name in names]
            for player in players:
                player.start()
            players[0].join(draw.uniform(0.01, 0.5))
            self.daemon.kill()
            for player in players:
                player.join()
                self.assertIsNone(player.trouble)
                for kind in ("acknowledged", "sent"):
                    for key, value in getattr(player, kind).items():
                        totals[player.name][kind][key] += value
                prompts[player.name] += player.prompts
                outcomes |= player.outcomes
            self.daemon.start()
            self.check(names, totals, prompts, outcomes)
        tokens = [p["token"] for name in names for p in prompts[name]]
        print(f"{sum(t['acknowledged']['events'] for t in totals.values())} events, "
              f"{len(tokens)} prompts")
        self.assertEqual(len(tokens), len(set(tokens)))
        self.assertTrue(tokens)

    def check(self, names, totals, prompts, outcomes):
        client = self.connect()
        for name in names:
            status = client.ask("status", app=name)
            for key in ("events", "sessions"):
                self.assertGreaterEqual(status[key], totals[name]["acknowledged"][key])
                self.assertLessEqual(status[key], totals[name]["sent"][key])
            rows = client.ask("history", app=name, limit=1000)["grants"]
            tokens = [row["token"] for row in rows]
            self.assertEqual(len(tokens), len(set(tokens)))
            self.assertLessEqual(len(tokens), 12, "more grants than the cap")
            self.assertEqual(status["prompts_in_window"], len(tokens))
            for prompt in prompts[name]:
                self.assertEqual(tokens.count(prompt["token"]), 1, "a prompt without its row")
            for row in rows:
                if row["token"] in outcomes:
                    self.assertEqual(row["outcome"], outcomes[row["token"]])
        client.close()


class KilledWhileGranting(DaemonTest):
    """The disk takes its time over the sync of a grant: the kill falls into it."""

    controls = True

    def test_no_prompt_was_sent_and_the_cap_counts_what_was_written(self):
        client = self.connect("org.a")
        self.clock.set("sync_sleep_ms", 300)
        calls = self.clock.get("sync_calls")
        client.begin("request")
        while self.clock.get("sync_calls") == calls:
            pass
        self.daemon.kill()
        sent = [m for m in client.rest() if m.get("method") == "prompt"]
        self.assertEqual(sent, [])
        self.clock.set("sync_sleep_ms", 0)
        self.daemon.start()
        client = self.connect("org.a")
        rows = client.ask("history")["grants"]
        self.assertLessEqual(len(rows), 1)
        self.assertEqual(client.ask("status")["prompts_in_window"], len(rows))
        self.assertEqual(client.notifications(), [], "a grant is prompted at most once")

    def test_killed_after_the_prompt_it_is_recorded(self):
        self.clock.freeze()
        for number in range(5):
            client = self.connect(f"org.app{number}")
            prompt = self.prompt(client)
            self.daemon.kill()
            self.daemon.start()
            rows = self.connect().ask("history", app=f"org.app{number}")["grants"]
            self.assertEqual([row["token"] for row in rows], [prompt["token"]])
            self.assertEqual(rows[0]["granted_at"], from_ms(self.clock.now()))

    def test_a_pending_request_does_not_survive(self):
        client = self.connect("org.a")
        client.ask("request", debounce_ms=300)
        self.daemon.kill()
        self.daemon.start()
        client = self.connect("org.a")
        self.assertIsNone(client.ask("status")["pending"])
        self.assertEqual(client.ask("history")["grants"], [])


class KilledWhileDoingMore(DaemonTest):
    def test_answered_switches_survive_each_kill(self):
        for number in range(10):
            client = self.connect()
            client.ask("opt_out", app=f"org.out{number}")
            token = self.prompt(client, app=f"org.never{number}", version="1")["token"]
            client.ask("outcome", token=token, result="never")
            client.ask("event", app=f"org.gone{number}", count=5)
            client.ask("forget", app=f"org.gone{number}")
            self.daemon.kill()
            self.daemon.start()
        client = self.connect()
        for number in range(10):
            self.assertTrue(client.ask("status", app=f"org.out{number}")["opted_out"])
            self.assertTrue(client.ask("status", app=f"org.never{number}")["opted_out"])
            self.assertEqual(client.ask("status", app=f"org.gone{number}")["events"], 0)


class BegunAnew(DaemonTest):
    config = easy(daemon={"RateLimitPerSec": 0})
    # It begins anew at 16 MiB, some commits later.
    LOG_BYTES_MAX = 24 << 20

    def test_a_log_that_has_begun_anew_has_lost_nothing(self):
        client = self.connect(APP)
        # An app with much to be written for each event.
        for number in range(100):
            client.ask("event", name=f"{number:060}")
        event = {"name": f"{7:060}"}
        begun = set()
        while len(begun) < 3:
            for _ in range(100):
                total = client.ask("event", **event)["events"]
            begun.add(self.salts())
            self.assertLess(os.path.getsize(self.log), self.LOG_BYTES_MAX)
        self.daemon.kill()
        self.daemon.start()
        self.assertEqual(self.connect(APP).ask("event", **event)["events"], total + 1)

    @property
    def log(self):
        return os.path.join(self.daemon.state_dir, "ratingd.db-wal")

    def salts(self):
        """What tells one write-ahead log from the next in the same file."""
        with open(self.log, "rb") as file:
            return file.read(24)[16:]


if __name__ == "__main__":
    unittest.main()
