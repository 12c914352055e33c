"""What the daemon writes without a journal: one line an entry, nothing that a client can forge."""

import os
import re
import unittest

from base import APP, DaemonTest, easy
from ratingd_client import Client
from ratingd_daemon import RATINGD, eventually

CONTROLS = re.compile("[\x00-\x08\x0a-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
NASTY = "x\nratingd: forged\r\x1b[31mred\u202e\u009b" + "y" * 3000


class Log(DaemonTest):
    config = easy(DebounceMs=600_000)

    def assert_clean(self):
        """Every entry is one printable line of bounded length."""
        with open(self.daemon.log_path, "rb") as file:
            data = file.read()
        for line in data.split(b"\n"):
            self.assertLessEqual(len(line), 1100, line[:200])
            text = line.decode("utf-8")
            self.assertIsNone(CONTROLS.search(text), line)
            self.assertFalse(text.startswith("ratingd: forged"))

    def test_start_and_stop_are_told(self):
        self.daemon.await_log("(?i)start|listen")
        self.daemon.stop()
        self.assertRegex(self.daemon.log(), "(?i)stop")
        self.assert_clean()

    def test_a_prompt_is_told_with_its_app(self):
        client = self.connect(APP)
        self.prompt(client, debounce_ms=0)
        self.daemon.await_log(re.escape(APP))
        self.assert_clean()

    def test_client_text_is_escaped_and_cut(self):
        client = self.connect()
        for method, params in (
                (NASTY, {}), ("event", {"app": NASTY}), ("event", {"app": APP, "name": NASTY}),
                ("event", {NASTY: 1}), ("hello", {"app": APP, "version": NASTY}),
                ("outcome", {"token": NASTY, "result": "rated"}), ("cancel", {"token": NASTY}),
                ("outcome", {"token": "x", "result": NASTY}),
                ("hello", {"app": APP, "version": "1", "policy": {NASTY: 1, "review_url": NASTY}})):
            client.call(method, **params)
        client.send(b"\x1b[2J garbage\x00\xff\n" + NASTY.encode() + b"\n")
        client.ask("ping")
        weird = self.connect(APP, "1\x1b[31m\u202e")
        weird.ask("event", name="evil \u202e name")
        weird.ask("request")
        weird.ask("activity")
        self.prompt(weird, debounce_ms=0)
        client.ask("ping")
        self.daemon.stop()
        self.assert_clean()

    def test_what_was_left_out_is_told_when_the_daemon_stops(self):
        client = self.connect()
        client.send(b"rubbish\n" * 10)
        self.daemon.await_log("bad input")
        client.ask("ping")
        self.assertEqual(self.daemon.log().count("bad input"), 1)
        self.daemon.stop()
        self.assertEqual(self.daemon.log().count("bad input"), 2)

    def test_one_bad_client_does_not_fill_the_log(self):
        client = self.connect()
        for _ in range(50):
            client.send(b"rubbish\n" * 200)
            for _ in range(200):
                client.next()
        self.assertLess(len(self.daemon.log().splitlines()), 30)

    def test_the_debug_level_says_more_and_is_as_clean(self):
        self.daemon.write_config("ratingd.conf", easy(daemon={"LogLevel": "debug"}))
        self.connect().ask("reload")
        client = self.connect(APP)
        client.error(NASTY)
        client.ask("event", name="evil \u202e name")
        self.prompt(client)
        self.daemon.stop()
        self.assert_clean()


class LogLevels(DaemonTest):
    config = easy(daemon={"LogLevel": "error"})

    def test_quiet_when_all_is_well(self):
        self.prompt(self.connect(APP))
        self.daemon.stop()
        self.assertEqual(self.daemon.log(), "")


class ClosedStderr(DaemonTest):
    def setUp(self):
        self.daemon = self.make_daemon(self.config)

    def test_a_pipe_whose_reader_is_gone(self):
        reader, writer = os.pipe()
        self.daemon.start(stderr=writer)
        os.close(writer)
        os.close(reader)
        client = self.daemon.connect(APP)
        self.prompt(client)
        for _ in range(50):
            client.send(b"rubbish\n")
            client.next()
        client.ask("reload")
        client = self.daemon.restart().connect()
        self.assertEqual(len(client.ask("history", app=APP)["grants"]), 1)

    def test_a_pipe_that_no_one_reads(self):
        reader, writer = os.pipe()
        os.set_blocking(writer, False)
        try:
            while True:
                os.write(writer, bytes(4096))
        except BlockingIOError:
            pass
        os.set_blocking(writer, True)
        self.daemon.spawn(stderr=writer)
        try:
            def answers():
                try:
                    client = Client(self.daemon.socket_path)
                except OSError:
                    return False
                client.send_line('{"method":"ping","id":1}')
                pong = client.next()["result"]["pong"]
                client.close()
                return pong

            eventually(answers, "an answer although stderr is full")
            self.prompt(self.daemon.connect(APP))
        finally:
            os.close(writer)
            os.close(reader)

    def test_no_stderr_at_all(self):
        self.daemon.start(command=["/bin/sh", "-c", 'exec "$0" "$@" 2>&-', *self.command()])
        self.prompt(self.daemon.connect(APP))

    def command(self):
        return [RATINGD, *self.daemon.args]


if __name__ == "__main__":
    unittest.main()
