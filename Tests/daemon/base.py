"""What all suites share: the test case, configurations, the error table."""

import functools
import glob
import os
import subprocess
import time
import unittest

from ratingd_client import HANG, Client, RpcError
from ratingd_daemon import BIN_DIR, RATINGCTL, RATINGD, Daemon, eventually

APP = "org.example.Notes"
CODES = {
    "parse_error": -32700, "invalid_request": -32600, "method_not_found": -32601,
    "invalid_params": -32602, "internal_error": -32603, "storage_unavailable": -32000,
    "not_permitted": -32001, "rate_limited": -32002, "quota_exceeded": -32003,
    "not_found": -32004, "line_too_long": -32005, "shutting_down": -32006, "conflict": -32007,
}
# Every rule holds at once, nothing waits, nothing blocks the next prompt but an open outcome.
EASY = {
    "SessionsUntilPrompt": 0, "EventsUntilPrompt": 0, "DaysUntilPrompt": 0, "DebounceMs": 0,
    "MinIntervalDays": 0, "OncePerVersion": "no", "PromptsPerYear": 12, "DaysAfterLater": 0,
    "DaysAfterDeclined": 0, "DaysAfterRated": 0,
}
EASY_USER = {"MinIntervalDays": 0, "PromptsPerYear": 365}
HERE = os.path.dirname(os.path.abspath(__file__))
IS_ROOT = os.geteuid() == 0
NOBODY = 65534
# `address` or `thread` if the daemon is built with that sanitizer.
SANITIZER = os.environ.get("RATINGD_SANITIZED")


def unprivileged(test):
    """Permissions mean nothing to root: as root the test runs in a process of an ordinary user."""
    @functools.wraps(test)
    def run(self):
        if not IS_ROOT:
            return test(self)
        options = {
            "user": NOBODY, "group": NOBODY, "extra_groups": [], "cwd": "/", "timeout": 10 * HANG,
            "env": {"PATH": "/usr/local/bin:/usr/bin:/bin", "RATINGD_BIN_DIR": BIN_DIR, "PYTHONPATH": HERE},
            "capture_output": True, "text": True, "check": False}
        for path in (__file__, RATINGD):
            if subprocess.run(["test", "-r", path], **options).returncode:
                self.skipTest(f"other users cannot read {path}")
        name = ".".join(self.id().split(".")[-3:])
        done = subprocess.run(["python3", "-B", "-m", "unittest", name], **options)
        self.assertEqual(done.returncode, 0, done.stderr)
        return None

    return run


def ini(**sections):
    """`ini(Policy={...}, Daemon={...})` as text; `Event_note` stands for `[Event note]`."""
    lines = []
    for name, keys in sections.items():
        lines.append(f"[{name.replace('_', ' ', 1)}]")
        lines += [f"{key}={value}" for key, value in keys.items()]
    return "\n".join(lines) + "\n"


def easy(daemon=None, user=None, events=None, **policy):
    """A configuration in which nothing stands in the way, except what is given."""
    sections = {"Policy": EASY | policy, "User": EASY_USER | (user or {}), "Daemon": daemon or {}}
    sections |= {f"Event_{name}": {"Need": need} for name, need in (events or {}).items()}
    return ini(**sections)


class DaemonTest(unittest.TestCase):
    """One daemon a test, started with `config`; `controls` puts its clock into our hands."""

    config = easy()
    files = {}
    controls = False
    options = {}

    def assert_memory(self, kilobytes, below):
        """The daemon has less than this; a sanitizer keeps what is freed and much beside it."""
        if not SANITIZER:
            self.assertLess(kilobytes, below, "kB")

    def setUp(self):
        self.daemon = self.make_daemon(
            self.config, files=self.files, controls=self.controls, **self.options)
        self.daemon.start()

    def make_daemon(self, config="", **options):
        daemon = Daemon(config, **options)
        self.addCleanup(daemon.dispose)
        return daemon

    @property
    def clock(self):
        return self.daemon.controls

    def connect(self, app=None, version="1.0", **options):
        return self.daemon.connect(app, version, **options)

    def assert_error(self, error, reason, **data):
        """The error has this reason, the code that belongs to it, a sentence, and these data."""
        self.assertEqual(error.get("data", {}).get("reason"), reason, error)
        self.assertEqual(error["code"], CODES[reason], error)
        self.assertTrue(error["message"].strip(), error)
        self.assertLessEqual(data.items(), error["data"].items(), error)

    def assert_refused(self, result, *reasons):
        self.assertEqual(result["decision"], "refused", result)
        self.assertEqual(result["reasons"], list(reasons), result)

    def prompt(self, client, **params):
        """Asks and gets the prompt; fails if it is refused."""
        result = client.ask("request", **params)
        self.assertEqual(result["decision"], "pending", result)
        prompt = client.wait("prompt")
        self.assertEqual(prompt["token"], result["token"])
        return prompt

    def prompt_and(self, client, outcome, **params):
        """A prompt that ends with this outcome; its params."""
        prompt = self.prompt(client, **params)
        self.assertEqual(
            client.ask("outcome", token=prompt["token"], result=outcome), {"result": outcome})
        return prompt

    def pending(self, client, **params):
        """Asks and gets the token of a request that waits."""
        result = client.ask("request", **params)
        self.assertEqual(result["decision"], "pending", result)
        return result["token"]

    def doings(self):
        """Voluntary and other context switches of all threads, and the time they ran.

        One that spins may be switched to no other for a long time.
        """
        with open(f"/proc/{self.daemon.pid}/stat", encoding="ascii", errors="replace") as file:
            total = sum(map(int, file.read().rpartition(")")[2].split()[11:13]))
        for path in glob.glob(f"/proc/{self.daemon.pid}/task/*/status"):
            with open(path, encoding="ascii", errors="replace") as file:
                for line in file:
                    if "ctxt_switches" in line:
                        total += int(line.split()[1])
        return total

    def assert_sleeps(self, seconds):
        """After it has come to rest, it does not wake up at all for so long.

        The thread sanitizer has a thread of its own that does.
        """
        if SANITIZER == "thread":
            return

        def rested():
            before = self.doings()
            time.sleep(seconds)
            return self.doings() == before

        eventually(rested, "rest")

    def ctl(self, *arguments, daemon=None, env=None, stdin=None):
        """Runs ratingctl against the daemon: the finished process, with text in and out."""
        daemon = daemon or self.daemon
        return subprocess.run(
            [RATINGCTL, "--socket", daemon.socket_path, *arguments], input=stdin,
            stdin=None if stdin is not None else subprocess.DEVNULL, capture_output=True,
            text=True, timeout=HANG, env=daemon.env | (env or {}), check=False)


__all__ = [
    "APP", "CODES", "Client", "DaemonTest", "EASY", "EASY_USER", "IS_ROOT", "NOBODY", "RpcError",
    "easy", "ini", "unprivileged",
]
