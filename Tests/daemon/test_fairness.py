"""One peer floods, another works: what the second one notices (SPEC 5, P4). Measured and printed.

The flood comes from a process of its own. The time of an answer is bounded only by the hang limit:
a busy machine is no fault. RATINGD_TEST_ROUNDS sets how many answers are timed (2,000).
"""

import os
import subprocess
import sys
import time
import unittest

from base import APP, DaemonTest, easy
from ratingd_client import HANG

ROUNDS = int(os.environ.get("RATINGD_TEST_ROUNDS", "2000"))
FLOOD = """
import select, socket, sys
path, count, kind = sys.argv[1], int(sys.argv[2]), sys.argv[3]
lines = {
    "pings": b'{"method":"ping","id":1}\\n', "events": b'{"method":"event","params":{"app":"org.flood"}}\\n',
    "stats": b'{"method":"stats","id":1}\\n', "rubbish": b"[[[[[[\\n",
}
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

    def setUp(self):
        super().setUp()
        every = os.sched_getaffinity(0)
        self.addCleanup(os.sched_setaffinity, 0, every)
        self.cpus = sorted(every)[-2:]
        # Only the thread that decides: the other one writes to the disk.
        os.sched_setaffinity(self.daemon.pid, self.cpus[:1])
        os.sched_setaffinity(0, self.cpus[-1:])
        self.is_first = self.go_first()

    def go_first(self):
        """Whether this process, and none that it starts, comes before all others of its CPU."""
        try:
            os.sched_setscheduler(
                0, os.SCHED_FIFO | os.SCHED_RESET_ON_FORK, os.sched_param(1))
        except PermissionError:
            return False
        self.addCleanup(os.sched_setscheduler, 0, os.SCHED_OTHER, os.sched_param(0))
        return True

    def times(self, client):
        """The times of answers to a client that reports one event after another, in ms, sorted."""
        found = []
        for _ in range(ROUNDS):
            begin = time.perf_counter()
            client.ask("event")
            found.append(1000 * (time.perf_counter() - begin))
        return sorted(found)

    def beside(self, *program):
        """What stands beside this process on its CPU, ended at the end of the test."""
        process = subprocess.Popen([sys.executable, "-c", *program], stdout=subprocess.PIPE)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        process.stdout.readline()
        return process

    def measure(self, kind, count=1):
        client = self.connect(APP)
        self.times(client)
        spinning = self.beside("print(flush=True)\nwhile True: pass")
        quiet = self.times(client)
        spinning.kill()
        spinning.wait()
        flood = self.beside(FLOOD, self.daemon.socket_path, str(count), kind)
        before = client.ask("stats")
        begin = time.monotonic()
        busy = self.times(client)
        seconds = time.monotonic() - begin
        after = client.ask("stats")
        self.assertIsNone(flood.poll(), "the flood went on")
        middle, late = ROUNDS // 2, ROUNDS * 99 // 100
        rate = (after["messages"] - before["messages"]) / seconds
        first = "" if self.is_first else ", without priority"
        print(f"\n  {kind} of {count}: median {quiet[middle]:.3f} -> {busy[middle]:.3f} ms, 99th "
              f"percentile {quiet[late]:.3f} -> {busy[late]:.3f} ms, ratio "
              f"{busy[late] / quiet[late]:.1f}; {rate:,.0f} messages/s{first}", flush=True)
        self.assertLess(busy[-1], 1000 * HANG / 2)

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

    def test_connections_that_come_and_go(self):
        self.measure("connects")


class FairnessWithinTheRate(Fairness):
    """The same with the rate limit as it is by default."""

    config = easy(SessionGapSec=0)


if __name__ == "__main__":
    unittest.main()
