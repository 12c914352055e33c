"""What the tests inside the lab share: the service under test and its journal.

A test module says in RUN_AS who it runs as: "root" (the default) or "lab", an ordinary user with a
service manager of its own. A module of "lab" still gets at root, through `root()`.
"""

import contextlib
import json
import os
import time
import unittest

from commands import LAB, OTHER, CommandFailed, boxed, root, run, run_as, until
from connection import Client


class ServiceTest(unittest.TestCase):
    """A test of ratingd.service, of the user or (SYSTEM) of the machine.

    Every test begins with the service stopped, no state, no configuration, no drop-ins and the
    socket listening.
    """

    SYSTEM = False
    maxDiff = None

    @classmethod
    def paths(cls):
        home, runtime = os.path.expanduser("~"), os.environ.get("XDG_RUNTIME_DIR", "")
        if cls.SYSTEM:
            return {
                "socket": "/run/ratingd/ratingd.sock", "state": "/var/lib/ratingd",
                "config": "/etc/ratingd", "units": "/run/systemd/system"}
        return {
            "socket": f"{runtime}/ratingd/ratingd.sock", "state": f"{home}/.local/state/ratingd",
            "config": f"{home}/.config/ratingd", "units": f"{runtime}/systemd/user"}

    def setUp(self):
        at = self.paths()
        self.socket_path, self.state, self.config = at["socket"], at["state"], at["config"]
        self.units = at["units"]
        self.reset()
        self.started_at = time.time()
        self.cursor = self.current_cursor()
        self.addCleanup(self.reset)

    def reset(self):
        self.systemctl("unmask", "--runtime", "ratingd.service", "ratingd.socket", check=False)
        self.systemctl("stop", "ratingd.socket", "ratingd.service", check=False)
        root("chattr", "-i", self.state, check=False)
        run("rm", "-rf", self.config, f"{self.units}/ratingd.service.d",
            f"{self.units}/ratingd.socket.d")
        root("rm", "-rf", self.state)
        self.systemctl("daemon-reload")
        self.systemctl("reset-failed", "ratingd.socket", "ratingd.service", check=False)
        self.systemctl("start", "ratingd.socket")

    def systemctl(self, *argv, check=True, timeout=60):
        scope = [] if self.SYSTEM else ["--user"]
        return run("systemctl", *scope, *argv, check=check, timeout=timeout)

    def ctl(self, *argv, check=True, timeout=30):
        scope = "--system" if self.SYSTEM else "--user"
        return run("ratingctl", scope, *argv, check=check, timeout=timeout)

    def show(self, name, unit="ratingd.service"):
        return self.systemctl("show", "--value", "-p", name, unit).out.strip()

    def pid(self):
        return int(self.show("MainPID"))

    def client(self, app=None, timeout=10.0):
        client = Client(self.socket_path, app, timeout)
        self.addCleanup(client.close)
        return client

    def start(self):
        """Starts the service and returns its pid."""
        self.systemctl("start", "ratingd.service")
        return self.pid()

    def dropin(self, text, unit="ratingd.service"):
        """Adds lines to a unit, until the end of the test."""
        os.makedirs(f"{self.units}/{unit}.d", exist_ok=True)
        with open(f"{self.units}/{unit}.d/test.conf", "w") as file:
            file.write(text)
        self.systemctl("daemon-reload")

    def configure(self, text, name="ratingd.conf"):
        """Writes one of the daemon's configuration files."""
        path = f"{self.config}/{name}"
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as file:
            file.write(text)
        return path

    def wait_state(self, state, seconds=10.0, unit="ratingd.service"):
        return until(
            lambda: self.show("ActiveState", unit) == state, f"{unit} is {state}", seconds)

    def current_cursor(self):
        out = root("journalctl", "-n", "0", "--show-cursor", "-q").out
        return out.split("-- cursor: ")[-1].strip()

    def entries(self, *matches):
        """The journal's entries of this test with these fields, oldest first."""
        root("journalctl", "--sync")
        # Chosen here: journalctl 252 loses the first match after a cursor that does not match.
        out = root("journalctl", "--after-cursor", self.cursor, "-o", "json", "--all", "-q").out
        entries = [json.loads(line) for line in out.splitlines() if line.startswith("{")]
        wanted = [match.split("=", 1) for match in matches]
        return [e for e in entries if all(has(e, name, value) for name, value in wanted)]

    def own_entries(self, kind=None):
        """Those that ratingd wrote itself in this test, of one kind."""
        matches = ["SYSLOG_IDENTIFIER=ratingd"]
        if kind:
            matches.append(f"MESSAGE_ID={KINDS[kind]}")
        return [e for e in self.entries(*matches) if "MESSAGE_ID" in e]

    def wait_entry(self, kind, seconds=10.0):
        return until(lambda: self.own_entries(kind), f"a journal entry of kind {kind}", seconds)[0]


def has(entry, name, value):
    """Whether a journal entry has that value of a field that it may have several times."""
    found = entry.get(name)
    return value in found if isinstance(found, list) else value == found


def kinds(table="/lab/journal.md"):
    """Kind -> MESSAGE_ID, of docs/journal.md."""
    with contextlib.suppress(FileNotFoundError), open(table) as file:
        rows = [line.split("|") for line in file if line.startswith("| `")]
        return {row[1].strip(" `"): row[2].strip(" `") for row in rows}
    return {}


KINDS = kinds()

__all__ = [
    "KINDS", "LAB", "OTHER", "Client", "CommandFailed", "ServiceTest", "boxed", "root", "run", "run_as",
    "until",
]
