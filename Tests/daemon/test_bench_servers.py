"""ratingd-bench at servers that lose what they are sent: it neither hangs nor praises them."""

import json
import os
import socket
import subprocess
import tempfile
import threading
import unittest

from ratingd_client import HANG
from ratingd_daemon import BIN_DIR

BENCH = os.path.join(BIN_DIR, "ratingd-bench")


class FakeServer:
    """Speaks as ratingd does, but for what a test has it do otherwise."""

    def __init__(self, path, answer):
        """`answer(server, app, message)` gives a result or an error, bytes to be sent as they are, or
        None for the usual result."""
        self.answer = answer
        self.events = 0
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(path)
        self.listener.listen(100)
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def serve(self, connection):
        with connection, connection.makefile("rwb", buffering=0) as file:
            app = None
            for line in file:
                message = json.loads(line)
                app = message.get("params", {}).get("app", app)
                result = self.answer(self, app, message)
                if result is None:
                    result = self.usual(message)
                try:
                    if isinstance(result, bytes):
                        file.write(result)
                    elif "id" in message:
                        key = "error" if "code" in result else "result"
                        said = {"jsonrpc": "2.0", "id": message["id"], key: result}
                        file.write(json.dumps(said, separators=(",", ":")).encode() + b"\n")
                except OSError:
                    return

    def usual(self, message):
        if message["method"] == "event":
            self.events += 1
        return {"server": "fake/1", "events": self.events}


SILENCE = b""


class Servers(unittest.TestCase):
    def bench(self, answer, *arguments, code):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "socket")
            server = FakeServer(path, answer)
            self.addCleanup(server.listener.close)
            done = subprocess.run(
                [BENCH, f"--socket={path}", "--warm-up=0", "--patience=0.5", *arguments],
                capture_output=True, text=True, timeout=HANG, check=False)
        self.assertEqual(done.returncode, code, (done.stdout, done.stderr))
        return done

    def assert_gives_up(self, answer, *arguments, app="org.ratingd.Bench.1"):
        done = self.bench(answer, "--seconds=3600", *arguments, code=124)
        self.assertIn(f"for 0.5 s the server has answered nothing to {app}", done.stderr)
        self.assertIn("--patience", done.stderr)

    def test_one_that_never_answers(self):
        self.assert_gives_up(lambda *_: SILENCE)

    def test_one_that_answers_no_events(self):
        self.assert_gives_up(
            lambda _s, _a, message: SILENCE if message["method"] == "event" else None,
            "--pipeline=8")

    def test_one_that_answers_all_but_some(self):
        def answer(server, _, message):
            drops = message["method"] == "event" and server.events >= 20
            return SILENCE if drops else None

        self.assert_gives_up(answer)
        self.assert_gives_up(answer, "--pipeline=8")

    def test_one_that_forgets_one_client_of_several(self):
        last = "org.ratingd.Bench.3"
        self.assert_gives_up(
            lambda _, app, message: SILENCE if (app, message["method"]) == (last, "event") else None,
            "--connections=3", app=last)

    def test_one_that_takes_notifications_and_settles_nothing(self):
        done = self.bench(
            lambda _s, _a, message: SILENCE if message["method"] == "ping" else None,
            "--mix=notify", "--seconds=0.1", code=124)
        self.assertIn("answered nothing", done.stderr)

    def test_one_that_does_not_read(self):
        stop = threading.Event()
        self.addCleanup(stop.set)

        is_warm = threading.Event()

        def answer(_server, _app, message):
            if message["method"] == "ping":
                is_warm.set()
            elif is_warm.is_set():
                stop.wait()
            return None

        self.assert_gives_up(answer, "--mix=notify")

    def test_one_that_never_ends_its_line(self):
        self.assert_gives_up(
            lambda _s, _a, message: b"{" if message["method"] == "event" else None, "--pipeline=8")
        done = self.bench(
            lambda _s, _a, message: b"{" * (2 << 20) if message["method"] == "event" else None,
            code=69)
        self.assertIn("does not speak as ratingd does", done.stderr)

    def test_one_that_wants_to_be_asked_later_for_ever(self):
        error = {"code": -32002, "message": "too many requests",
                 "data": {"reason": "rate_limited", "retry_after_ms": 20}}
        done = self.bench(
            lambda _s, _a, message: error if message["method"] == "status" else None, code=75)
        self.assertIn("too many requests", done.stderr)

    def test_one_that_answers_more_than_it_counts(self):
        lost = []

        def answer(server, _, message):
            if message["method"] == "event" and server.events >= 5:
                lost.append(message)
                return {"events": 5}
            return None

        done = self.bench(answer, "--json", "--seconds=0.1", code=1)
        self.assertGreater(len(lost), 0)
        self.assertEqual(json.loads(done.stdout)["uncounted"], len(lost))
        self.assertIn(f"{len(lost):,} events were not counted", done.stderr)
        self.assertNotIn("RateLimitPerSec", done.stderr)

    def test_one_that_is_something_else(self):
        done = self.bench(lambda *_: b"-ERR unknown command\r\n", code=69)
        self.assertRegex(done.stderr, "does not speak as ratingd does")



if __name__ == "__main__":
    unittest.main()
