"""A release build of ratingd under callgrind, and a client for it."""

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
RATINGD = os.path.join(ROOT, ".build", "release", "ratingd")
# For a daemon under callgrind on a busy machine; only a hang comes near it.
PATIENCE = 120
# Limits in force but out of reach, and no sync in between: what is counted is the event's own.
CONFIG = """[Daemon]
RateLimitPerSec=1000000
RateLimitBurst=100000000
SyncSec=60
"""


def stripped(binary, directory):
    """A copy that valgrind can load: it does not know the debugging sections of Swift's compiler."""
    copy = os.path.join(directory, "ratingd")
    subprocess.run(["objcopy", "--strip-debug", binary, copy], check=True)
    return copy


class Daemon:
    """A daemon under callgrind, with a directory of its own."""

    def __init__(self, binary, counts, *options):
        self.directory = tempfile.mkdtemp(prefix="ratingd-bench.")
        os.mkdir(self.path("config"))
        with open(self.path("config/ratingd.conf"), "w", encoding="utf-8") as file:
            file.write(CONFIG)
        self.counts = counts
        # Hashing is seeded anew in each process otherwise, and costs now more and now less.
        environment = dict(os.environ, SWIFT_DETERMINISTIC_HASHING="1")
        environment.pop("NOTIFY_SOCKET", None)
        with open(self.path("log"), "w", encoding="utf-8") as log:
            self.process = subprocess.Popen(
                ["valgrind", "--tool=callgrind", f"--callgrind-out-file={counts}",
                 *options, binary,
                 "--socket", self.path("socket"), "--state", self.path("state"),
                 "--config", self.path("config")],
                env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def path(self, name):
        return os.path.join(self.directory, name)

    def connect(self):
        deadline = time.monotonic() + PATIENCE
        while True:
            client = socket.socket(socket.AF_UNIX)
            client.settimeout(PATIENCE)
            try:
                client.connect(self.path("socket"))
                return client
            except OSError:
                client.close()
                if self.process.poll() is not None or time.monotonic() > deadline:
                    with open(self.path("log"), encoding="utf-8", errors="replace") as log:
                        sys.exit(f"the daemon did not start:\n{log.read()}")
                time.sleep(0.05)

    def pause(self):
        """Stops it where it waits, so that what is sent now is there all at once."""
        os.kill(self.process.pid, signal.SIGSTOP)
        while self.state() != "T":
            time.sleep(0.001)

    def go_on(self):
        os.kill(self.process.pid, signal.SIGCONT)

    def state(self):
        with open(f"/proc/{self.process.pid}/stat", encoding="ascii", errors="replace") as file:
            return file.read().rpartition(") ")[2][0]

    def end(self):
        """Ends it; returns how many instructions it has executed."""
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(PATIENCE)
        shutil.rmtree(self.directory)
        with open(self.counts, encoding="utf-8", errors="replace") as file:
            return int(re.search(r"^(?:totals|summary):\s*(\d+)", file.read(), re.MULTILINE)[1])


def lines(client, count):
    """Reads so many answers, none of which may be an error."""
    text = b""
    while text.count(b"\n") < count:
        piece = client.recv(1 << 20)
        if not piece:
            sys.exit(f"the daemon closed the connection after {text!r}")
        text += piece
    if b'"error"' in text:
        sys.exit(f"the daemon refused something: {text[:400]!r}")


def greet(client, app=b"org.example.Notes"):
    client.sendall(
        b'{"id":0,"method":"hello","params":{"app":"%s","version":"1"}}\n' % app)
    lines(client, 1)
