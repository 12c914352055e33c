"""Limits, and what one process may have of what is counted per user (SPEC 5)."""

import os
import unittest

from base import APP, IS_ROOT, DaemonTest, easy, ini
from children import as_user
from hostile import HostileTest
from ratingd_client import Client
from ratingd_daemon import eventually


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
        for number in range(6):
            answer = client.call("request", app=f"org.p{number}", version="1")
            if "error" in answer:
                break
            pending += 1
        self.assert_error(answer["error"], "quota_exceeded", limit="pending_per_uid")
        self.assertEqual(pending, 3)
        client.ask("cancel", app="org.p0")
        self.pending(client, app="org.p7", version="1")

    def test_apps(self):
        """Half of them for one process, however often it connects, and all of them for two."""
        def make(name):
            made = 0
            for number in range(14):
                client = Client(self.daemon.socket_path)
                answer = client.call("event", app=f"org.{name}{number}")
                client.close()
                made += "result" in answer
            return made, answer["error"]

        made, error = make("a")
        self.assert_quota(error, "apps_per_uid", 12)
        self.assertIn("of one process at most 6", error["message"])
        self.assertEqual((made, as_user(None, lambda: make("b"))[0]), (6, 6))
        self.assertEqual(as_user(None, lambda: make("c"))[0], 0)
        self.assertEqual(self.connect().ask("event", app="org.a0")["events"], 2)

    def test_subscriptions(self):
        taken = 0
        for _ in range(8):
            answer = self.connect().call("subscribe", topics=["counters"])
            if "error" in answer:
                break
            taken += 1
        self.assert_error(answer["error"], "quota_exceeded", limit="subscriptions_per_uid")
        self.assertEqual(taken, 3)

    def test_what_is_pending_for_an_agent_is_the_process_s_after_it_has_closed(self):
        agent = self.connect()
        agent.ask("subscribe", agent=True)

        def request(name):
            client = Client(self.daemon.socket_path)
            answer = client.call("request", app=name, version="1", deliver="agent")
            client.close()
            return answer.get("error", {}).get("data", {}).get("limit", "pending")

        names = [f"org.p{n}" for n in range(4)]
        self.assertEqual([request(n) for n in names], ["pending"] * 3 + ["pending_per_uid"])
        self.assertEqual(as_user(None, lambda: request("org.q")), "pending")

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


@unittest.skipUnless(IS_ROOT, "needs root: a system daemon with several users")
class Users(HostileTest):
    config = easy(daemon={"ConnectionsMax": 40, "ConnectionsPerUidMax": 20, "PendingPerUidMax": 4,
                          "SubscriptionsPerUidMax": 4, "AppsPerUidMax": 6}, DebounceMs=600_000)
    options = {"extra_args": ["--system"]}

    def reach_limits(self):
        """The names of the limits that this process meets."""
        limits, clients = set(), []

        def note(answer):
            if "error" in answer:
                limits.add(answer["error"]["data"]["limit"])
            return "error" not in answer

        for _ in range(30):
            client = Client(self.daemon.socket_path)
            try:
                client.begin("ping")
            except BrokenPipeError:
                pass  # refused already; the line is still to be read
            if note(client.next()):
                clients.append(client)
        for n in range(10):
            note(clients[0].call("request", app=f"org.a{n}", version="1"))
            note(clients[n % len(clients)].call("subscribe", topics=["counters"]))
            note(clients[0].call("event", app=f"org.b{n}"))
        return limits

    def test_a_user_at_every_limit_harms_no_other(self):
        os.chmod(self.daemon.root, 0o755)
        os.chmod(self.daemon.runtime, 0o755)
        reader, writer = os.pipe()
        done_reader, done_writer = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                os.setgroups([])
                os.setgid(12_345)
                os.setuid(12_345)
                os.write(writer, ",".join(sorted(self.reach_limits())).encode())
                os.read(done_reader, 1)
            except BaseException as trouble:
                os.write(writer, repr(trouble).encode())
            finally:
                os._exit(0)
        reached = os.read(reader, 1000).decode()

        def neighbour():
            client = Client(self.daemon.socket_path)
            client.ask("subscribe", topics=["counters"])
            return client.ask("request", app=APP, version="1")["decision"]

        try:
            self.assertEqual(
                reached, "apps_per_uid,connections_per_uid,pending_per_uid,subscriptions_per_uid")
            self.assertEqual(as_user(12_346, neighbour), "pending")
            self.assertEqual(neighbour(), "pending")
        finally:
            os.write(done_writer, b"x")
            os.waitpid(child, 0)


if __name__ == "__main__":
    unittest.main()
