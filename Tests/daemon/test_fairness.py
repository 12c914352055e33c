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
    config = easy(daemon={"RateLimitPerSec": 0}, SessionGapSec=0)

    def times(self, client):
        """The times of answers to a client that reports one event after another, in ms, sorted."""
        found = []
        for _ in range(ROUNDS):
            begin = time.perf_counter()
            client.ask("event")
            found.append(1000 * (time.perf_counter() - begin))
        return sorted(found)

    def measure(self, kind, count=1):
        client = self.connect(APP)
        quiet = self.times(client)
        # The machine as busy, but not with the daemon.
        other = subprocess.Popen([sys.executable, "-c", "while True: pass"])
        beside = self.times(client)
        other.kill()
        other.wait()
        flood = subprocess.Popen(
            [sys.executable, "-c", FLOOD, self.daemon.socket_path, str(count), kind],
            stdout=subprocess.PIPE)
        try:
            if kind != "connects":
                flood.stdout.readline()
            before = client.ask("stats")
            begin = time.monotonic()
            busy = self.times(client)
            seconds = time.monotonic() - begin
            after = client.ask("stats")
            self.assertIsNone(flood.poll(), "the flood went on")
        finally:
            flood.kill()
            flood.wait()
            flood.stdout.close()
        middle, late = ROUNDS // 2, ROUNDS * 99 // 100
        rate = (after["messages"] - before["messages"]) / seconds
        print(f"\n  {kind} of {count}: median {quiet[middle]:.3f} -> {busy[middle]:.3f} ms, 99th "
              f"percentile {quiet[late]:.3f} -> {busy[late]:.3f} ms, ratio "
              f"{busy[late] / quiet[late]:.1f} ({busy[late] / beside[late]:.1f} to a quiet daemon "
              f"beside a busy process); {rate:,.0f} messages/s", flush=True)
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
