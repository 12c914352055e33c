"""Several processes of one app, floods, and what one client can do to another."""

import os
import resource
import signal
import subprocess
import sys
import threading
import unittest

from base import APP, DaemonTest, easy
from ratingd_client import Client
from ratingd_daemon import eventually


def in_threads(count, work):
    """Runs `work(number)` in so many threads at once; raises what one of them raised."""
    troubles = []
    barrier = threading.Barrier(count)

    def run(number):
        barrier.wait()
        try:
            work(number)
        except BaseException as trouble:
            troubles.append(trouble)

    threads = [threading.Thread(target=run, args=(n,)) for n in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if troubles:
        raise troubles[0]


class OneApp(DaemonTest):
    config = easy(daemon={"RateLimitPerSec": 0}, DebounceMs=300, SessionGapSec=0)

    def test_eight_windows_that_start_together_are_one_prompt(self):
        clients = [self.connect(APP) for _ in range(8)]
        in_threads(8, lambda n: (clients[n].ask("session"), clients[n].begin("request")))
        ends = []
        for client in clients:
            end = client.take(lambda m: m.get("method") in ("prompt", "cancelled"))
            ends.append((end["method"], end["params"].get("reason")))
        self.assertEqual(ends.count(("prompt", None)), 1, ends)
        self.assertEqual(ends.count(("cancelled", "superseded")), 7, ends)
        self.assertEqual(len(clients[0].ask("history")["grants"]), 1)

    def test_two_requests_shortly_after_another_are_one_prompt(self):
        first, second = self.connect(APP), self.connect(APP)
        first.ask("request")
        second.ask("request")
        self.assertEqual(first.wait("cancelled")["reason"], "superseded")
        second.wait("prompt")
        self.assertEqual(first.notifications() + second.notifications(), [])

    def test_fifty_sessions_each_of_two_connections(self):
        clients = [self.connect(APP) for _ in range(2)]
        in_threads(2, lambda n: [clients[n].ask("session") for _ in range(50)])
        self.assertEqual(clients[0].ask("status")["sessions"], 100)

    def test_ten_thousand_events_from_ten_connections(self):
        clients = [self.connect(APP) for _ in range(10)]

        def flood(number):
            for n in range(1000):
                clients[number].notify("event", name=f"n{n % 3}")
            clients[number].ask("ping")

        in_threads(10, flood)
        status = clients[0].ask("status")
        self.assertEqual(status["events"], 10_000)
        self.assertEqual(status["events_by_name"], {"n0": 3340, "n1": 3330, "n2": 3330})

    def test_the_sum_of_acknowledged_events_is_what_is_stored(self):
        acknowledged = [0] * 6

        def play(number):
            client = Client(self.daemon.socket_path)
            for n in range(100 + 37 * number):
                client.ask("event", app=f"org.sum{n % 2}", count=n % 5 + 1)
                acknowledged[number] += n % 5 + 1
            client.close()

        in_threads(6, play)
        self.daemon.restart()
        client = self.connect()
        self.assertEqual(
            sum(client.ask("status", app=f"org.sum{n}")["events"] for n in range(2)),
            sum(acknowledged))


class Churn(DaemonTest):
    config = easy(daemon={"RateLimitPerSec": 0})

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.daemon.pid}/fd"))

    def test_a_hundred_clients_with_more_than_a_turn_takes_are_answered_again_and_again(self):
        """Beside so many that are ready, those who wait are not watched for a while."""
        clients = [self.connect() for _ in range(100)]
        for _ in range(5):
            for client in clients:
                client.send(b'{"method":"ping","id":1}\n' * 40)
            for client in clients:
                for _ in range(40):
                    self.assertIn("result", client.read())

    def test_connections_that_come_and_go_leak_nothing(self):
        client = self.connect()
        client.ask("ping")
        # Who went before is let go at the end of that turn, after its answers are sent.
        client.ask("ping")
        before = self.descriptors()

        def churn(number):
            for n in range(300):
                other = Client(self.daemon.socket_path)
                if n % 3 == 0:
                    other.send(b'{"method":"ping","id":1}\n' * (n % 5))
                if n % 4 == 0:
                    other.half_close()
                other.close()

        in_threads(8, churn)
        eventually(lambda: client.ask("ping") and self.descriptors() == before, "no descriptor left over")


if __name__ == "__main__":
    unittest.main()


class ComingAndGoing(DaemonTest):
    config = easy(daemon={"ConnectionsMax": 1_500, "ConnectionsPerUidMax": 1_500})
    options = {"rlimits": {resource.RLIMIT_NOFILE: 2_000}}
    # A connection of a process of its own, until its input ends.
    elsewhere = """
import socket, sys
peer = socket.socket(socket.AF_UNIX)
peer.connect(sys.argv[1])
print(flush=True)
sys.stdin.read()
"""

    def setUp(self):
        super().setUp()
        other = subprocess.Popen(
            [sys.executable, "-c", self.elsewhere, self.daemon.socket_path],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.addCleanup(other.communicate)
        other.stdout.readline()
        self.client = self.connect(APP)

    def is_stopped(self):
        with open(f"/proc/{self.daemon.pid}/stat", encoding="ascii") as file:
            return file.read().rpartition(")")[2].split()[0] == "T"

    def commits_for(self, at_once):
        """How many turns have stored something of what these calls, which `at_once` begins, do."""
        before = self.client.ask("stats")["commits"]
        self.daemon.signal(signal.SIGSTOP)
        eventually(self.is_stopped, "the stop")
        calls = at_once()
        self.daemon.signal(signal.SIGCONT)
        for caller, call in calls:
            self.assertIn("result", caller.answer(call))
        return self.client.ask("stats")["commits"] - before

    def test_those_who_come_at_once_do_not_have_a_turn_wait_for_all_of_them(self):
        """Finding out who one is takes as long as hundreds of lines: one in a turn."""
        def come():
            comers = [self.connect() for _ in range(20)]
            return [(comer, comer.begin("event", app=f"org.example.new{n}"))
                    for n, comer in enumerate([*comers, self.client])]

        self.assertGreaterEqual(self.commits_for(come), 20)

    def test_those_who_go_at_once_do_not_have_a_turn_wait_for_all_of_them(self):
        """Whatever few lines come between them: one look at who is ready brings 256."""
        goers = [[self.connect() for _ in range(50)] for _ in range(8)]
        callers = [self.connect() for _ in goers]
        for peer in [*sum(goers, []), *callers]:
            peer.ask("ping")

        def go():
            calls = []
            for caller, before in zip(callers, goers):
                for goer in before:
                    goer.close()
                calls.append((caller, caller.begin("event", app=APP)))
            return calls

        self.assertGreaterEqual(self.commits_for(go), 2)
