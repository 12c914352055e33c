"""Several processes of one app, floods, and what one client can do to another."""

import os
import resource
import socket
import threading
import unittest

from base import APP, DaemonTest, easy, ini
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

    def test_connections_that_come_and_go_leak_nothing(self):
        client = self.connect()
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


class FewDescriptors(DaemonTest):
    options = {"rlimits": {resource.RLIMIT_NOFILE: 40}}

    def test_two_hundred_connects_with_forty_descriptors(self):
        sockets = []
        for _ in range(200):
            sock = socket.socket(socket.AF_UNIX)
            sock.settimeout(0.05)
            try:
                sock.connect(self.daemon.socket_path)
            except OSError:
                sock.close()
                continue
            sockets.append(sock)
        for sock in sockets:
            sock.close()

        def works():
            try:
                client = Client(self.daemon.socket_path)
                answer = client.call("ping")
                client.close()
                return "result" in answer
            except (AssertionError, OSError):
                return False

        eventually(works, "a working connection after the crowd has gone")
        self.assertLess(len(self.daemon.log().splitlines()), 30)


class Limits(DaemonTest):
    config = easy(daemon={
        "ConnectionsMax": 40, "ConnectionsPerUidMax": 30, "ConnectionsPerAppMax": 4, "AppsPerUidMax": 12,
        "PendingPerUidMax": 6, "SubscriptionsPerUidMax": 6}, DebounceMs=600_000)

    def assert_quota(self, error, limit, maximum):
        self.assert_error(error, "quota_exceeded", limit=limit)
        self.assertEqual(error["data"]["max"], maximum)

    def test_connections_over_the_limit_get_one_line_and_are_closed(self):
        refused = None
        for _ in range(45):
            client = self.connect()
            try:
                client.begin("ping")
            except BrokenPipeError:
                pass  # closed already; its line is still to be read
            message = client.next()
            if "error" in message:
                refused = client
                break
        self.assertIsNotNone(refused)
        self.assert_error(message["error"], "quota_exceeded")
        self.assertIn(message["error"]["data"]["limit"], ("connections", "connections_per_uid"))
        self.assertIsNone(message["id"])
        self.assertEqual(refused.rest(), [])

    def test_connections_of_one_app(self):
        clients = [self.connect(APP) for _ in range(4)]
        fifth = self.connect()
        self.assert_quota(fifth.error("hello", app=APP, version="1"), "connections_per_app", 4)
        self.assertLessEqual(len(fifth.rest()), 1)
        clients[0].close()
        eventually(lambda: "result" in self.connect().call("hello", app=APP, version="1"), "room")

    def test_pending_requests_of_one_process_and_over(self):
        client, pending = self.connect(), 0
        for number in range(8):
            answer = client.call("request", app=f"org.p{number}", version="1")
            if "error" in answer:
                break
            pending += 1
        self.assert_error(answer["error"], "quota_exceeded", limit="pending_per_uid")
        self.assertIn(pending, (3, 6))
        client.ask("cancel", app="org.p0")
        self.pending(client, app="org.p7", version="1")

    def test_apps(self):
        client, apps = self.connect(), 0
        for number in range(14):
            answer = client.call("event", app=f"org.a{number}")
            if "error" in answer:
                break
            apps += 1
        self.assert_error(answer["error"], "quota_exceeded", limit="apps_per_uid")
        self.assertIn(apps, (6, 12))
        self.assertEqual(client.ask("event", app="org.a0")["events"], 2)

    def test_subscriptions(self):
        taken = 0
        for _ in range(8):
            answer = self.connect().call("subscribe", topics=["counters"])
            if "error" in answer:
                break
            taken += 1
        self.assert_error(answer["error"], "quota_exceeded", limit="subscriptions_per_uid")
        self.assertIn(taken, (3, 6))

    def test_stats_tell_the_limits_in_force(self):
        text = str(self.connect().ask("stats"))
        for name, value in (("connections_per_app", 4), ("apps_per_uid", 12), ("pending_per_uid", 6)):
            self.assertIn(f"'{name}': {value}", text)


class EventNames(DaemonTest):
    config = ini(Daemon={"EventNamesPerAppMax": 100})

    def test_a_hundred_names_and_not_one_more(self):
        client = self.connect(APP)
        for number in range(100):
            client.ask("event", name=f"n{number}")
        self.assert_error(
            client.error("event", name="one more"), "quota_exceeded",
            limit="event_names_per_app", max=100)
        self.assertEqual(client.ask("event", name="n0")["events"], 101)
        self.assertEqual(client.ask("event", app="org.other", name="one more")["events"], 1)


if __name__ == "__main__":
    unittest.main()
