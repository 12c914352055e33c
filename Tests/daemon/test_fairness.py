"""One peer floods, another works: what the second one notices (SPEC 5, P4). Measured and printed.

The flood comes from a process of its own. The time of an answer is bounded only by the hang limit:
a busy machine is no fault. RATINGD_TEST_ROUNDS sets how many answers are timed; the default only
looks that all are answered, 2000 are enough to measure, with a release build on a quiet machine.
"""

import os
import signal
import sqlite3
import subprocess
import sys
import time
import unittest

from base import APP, IS_ROOT, DaemonTest, easy
from ratingd_client import HANG

ROUNDS = int(os.environ.get("RATINGD_TEST_ROUNDS", "25"))
# The flood and what it is compared with take turns so often.
PARTS = 5
FLOOD = """
import os, select, socket, sys
path, count, kind = sys.argv[1], int(sys.argv[2]), sys.argv[3]
if len(sys.argv) > 4:
    os.setgroups([])
    os.setgid(int(sys.argv[4]))
    os.setuid(int(sys.argv[4]))
lines = {
    "pings": b'{"method":"ping","id":1}\\n', "events": b'{"method":"event","params":{"app":"org.flood"}}\\n',
    "stats": b'{"method":"stats","id":1}\\n', "rubbish": b"[[[[[[\\n",
}
if kind == "spread":
    # As many processes, with one connection each.
    kind = "turns"
    while count > 1 and os.fork() != 0:
        count -= 1
    count = 1
if kind == "connects":
    print("flooding", flush=True)
    while True:
        peer = socket.socket(socket.AF_UNIX)
        peer.connect(path)
        peer.close()
peers = []
for _ in range(count):
    peer = socket.socket(socket.AF_UNIX)
    peer.connect(path)
    peer.setblocking(False)
    peers.append(peer)
lines |= {
    "lists": b'{"method":"apps","id":1,"params":{"limit":1000}}\\n', "turns": lines["pings"] * 32,
    "reports": b'{"method":"report","id":1}\\n', "singles": lines["pings"],
}
if kind in ("turns", "lists", "reports", "singles"):
    # Each sends as much as is carried out at once, or what takes long, and waits for the answers.
    line = lines[kind]
    watch = select.epoll()
    for peer in peers:
        peer.send(line)
        watch.register(peer.fileno(), select.EPOLLIN)
    by_number = {peer.fileno(): peer for peer in peers}
    left = {number: line.count(b"\\n") for number in by_number}
    print("flooding", flush=True)
    while True:
        for number, _ in watch.poll():
            left[number] -= by_number[number].recv(1 << 20).count(b"\\n")
            if left[number] == 0:
                left[number] = line.count(b"\\n")
                by_number[number].send(line)
data = lines[kind] * (65536 // len(lines[kind]))
left = {peer: b"" for peer in peers}
print("flooding", flush=True)
watch = select.epoll()
by_number = {peer.fileno(): peer for peer in peers}
for number in by_number:
    watch.register(number, select.EPOLLIN | select.EPOLLOUT)
while True:
    for number, _ in watch.poll():
        peer = by_number[number]
        try:
            peer.recv(1 << 20)
        except BlockingIOError:
            pass
        rest = left[peer] or data
        try:
            left[peer] = rest[peer.send(rest):]
        except BlockingIOError:
            pass
"""


class Fairness(DaemonTest):
    """The daemon has a CPU of its own; the flood and who works share another, and there the one who
    works goes first. What is compared is the same with a process that spins in place of the flood:
    so the time is the daemon's, and not the scheduler's.
    """

    config = easy(daemon={"RateLimitPerSec": 0}, SessionGapSec=0)

    # Who the flood runs as; None: like this process.
    other_user = None

    def setUp(self):
        super().setUp()
        every = os.sched_getaffinity(0)
        self.addCleanup(os.sched_setaffinity, 0, every)
        self.cpus = sorted(every)[-2:]
        self.place_daemon()
        os.sched_setaffinity(0, self.cpus[-1:])
        self.is_first = self.go_first()

    def place_daemon(self):
        # Only the thread that decides: the other one writes to the disk.
        os.sched_setaffinity(self.daemon.pid, self.cpus[:1])

    def go_first(self):
        """Whether this process, and none that it starts, comes before all others of its CPU."""
        try:
            os.sched_setscheduler(
                0, os.SCHED_FIFO | os.SCHED_RESET_ON_FORK, os.sched_param(1))
        except PermissionError:
            return False
        self.addCleanup(os.sched_setscheduler, 0, os.SCHED_OTHER, os.sched_param(0))
        return True

    def beside(self, *program):
        """A process that stands beside this one on its CPU, and does nothing yet."""
        process = subprocess.Popen(
            [sys.executable, "-c", *program], stdout=subprocess.PIPE, start_new_session=True)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(os.killpg, process.pid, signal.SIGKILL)
        process.stdout.readline()
        os.killpg(process.pid, signal.SIGSTOP)
        return process

    def times(self, client, process):
        """The times of answers to a client that reports one event after another while the process
        runs, in ms, sorted."""
        os.killpg(process.pid, signal.SIGCONT)
        found = []
        for _ in range(ROUNDS // PARTS):
            begin = time.perf_counter()
            client.ask("event")
            found.append(1000 * (time.perf_counter() - begin))
        os.killpg(process.pid, signal.SIGSTOP)
        time.sleep(0.2)  # What it has sent is still worked off.
        return sorted(found)

    def measure(self, kind, count=1):
        client = self.connect(APP)
        spinning = self.beside("print(flush=True)\nwhile True: pass")
        other = [] if self.other_user is None else [str(self.other_user)]
        flood = self.beside(FLOOD, self.daemon.socket_path, str(count), kind, *other)
        self.times(client, spinning)
        before = client.ask("stats")["messages"]
        quiet, busy = [], []
        for _ in range(PARTS):
            quiet.append(self.times(client, spinning))
            busy.append(self.times(client, flood))
        self.assertIsNone(flood.poll(), "the flood went on")
        messages = client.ask("stats")["messages"] - before

        def middle(parts, share):
            """Of all parts the one in the middle: what happens once is the machine's."""
            return sorted(part[len(part) * share // 100] for part in parts)[PARTS // 2]

        first = "" if self.is_first else ", without priority"
        print(f"\n  {kind} of {count}: median {middle(quiet, 50):.3f} -> {middle(busy, 50):.3f} ms, "
              f"99th percentile {middle(quiet, 99):.3f} -> {middle(busy, 99):.3f} ms, ratio "
              f"{middle(busy, 99) / middle(quiet, 99):.1f}; {messages:,} messages{first}", flush=True)
        self.assertLess(max(part[-1] for part in busy), 1000 * HANG / 2)

    def test_one_connection_of_pings(self):
        self.measure("pings")

    def test_one_connection_of_events(self):
        self.measure("events")

    def test_one_connection_of_stats(self):
        self.measure("stats")

    def test_one_connection_of_rubbish(self):
        self.measure("rubbish")

    def test_fifty_connections_of_pings(self):
        self.measure("pings", 50)

    def test_two_hundred_connections_that_wait_for_answers(self):
        self.measure("turns", 200)

    def test_fifty_connections_that_ask_for_what_takes_long(self):
        client = self.connect()
        for part in range(10):
            client.send_line([
                {"method": "event", "params": {"app": f"org.a{part}.b{n}"}} for n in range(100)])
        client.ask("ping")
        self.measure("lists", 50)

    def test_fifty_connections_that_ask_for_reports(self):
        """Of a funnel with a few steps on each of 400 days, as the years bring it."""
        client = self.connect()
        client.ask("event", app="org.old")
        client.close()
        self.daemon.stop()
        today = int(time.time()) // 86_400
        with sqlite3.connect(self.daemon.database) as connection:
            connection.executemany(
                "INSERT INTO funnel SELECT id, ?, 'refused:s' || ?, 1 FROM app",
                [(today - day, step) for day in range(1, 400) for step in range(6)])
        connection.close()
        self.daemon.start()
        self.place_daemon()
        self.measure("reports", 50)

    def test_many_connections_that_say_one_thing_after_another(self):
        self.measure("singles", 300)

    def test_a_hundred_processes(self):
        self.measure("spread", 100)

    def test_connections_that_come_and_go(self):
        self.measure("connects")


class FairnessWithinTheRate(Fairness):
    """The same with the rate limit as it is by default."""

    config = easy(SessionGapSec=0)


@unittest.skipUnless(IS_ROOT, "needs root: a system daemon with several users")
class FairnessBetweenUsers(FairnessWithinTheRate):
    """The same where the flood is another user's, of a system daemon."""

    options = {"extra_args": ["--system"]}
    other_user = 12_345

    def setUp(self):
        super().setUp()
        os.chmod(self.daemon.root, 0o755)
        os.chmod(self.daemon.runtime, 0o755)


if __name__ == "__main__":
    unittest.main()
