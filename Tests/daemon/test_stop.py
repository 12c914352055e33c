"""SIGTERM while others are connected: cancelled, bye, the end."""

import signal
import unittest

from base import APP, DaemonTest, easy


class Stop(DaemonTest):
    config = easy(DebounceMs=600_000)

    def test_pending_requests_are_cancelled_then_bye_then_the_end(self):
        clients = [self.connect(f"org.app{n}") for n in range(10)]
        tokens = [self.pending(client) for client in clients]
        self.assertEqual(self.daemon.stop(), 0)
        for client, token in zip(clients, tokens):
            cancelled, bye = client.rest()
            self.assertEqual(cancelled["method"], "cancelled")
            self.assertEqual(
                (cancelled["params"]["token"], cancelled["params"]["reason"]), (token, "shutting_down"))
            self.assertEqual((bye["method"], bye["params"]), ("bye", {"reason": "shutting_down"}))

    def test_none_of_them_consumed_anything(self):
        client = self.connect(APP)
        self.pending(client)
        self.daemon.restart()
        client = self.connect(APP)
        self.assertEqual(client.ask("history")["grants"], [])
        self.prompt(client, debounce_ms=0)

    def test_with_fifty_stalled_subscribers_it_ends_all_the_same(self):
        self.daemon.write_config(
            "ratingd.conf", easy(daemon={"SubscriptionsPerUidMax": 200, "RateLimitPerSec": 0}))
        self.connect().ask("reload")
        stalled = [self.connect() for _ in range(50)]
        for watcher in stalled:
            watcher.ask("subscribe", topics=["counters"])
        client = self.connect(APP)
        for _ in range(80):
            client.send(b'{"method":"event"}\n' * 100)
            client.ask("ping")
        self.daemon.signal(signal.SIGTERM)
        self.assertEqual(self.daemon.process.wait(10), 0)
        self.daemon.process = None

    def test_with_lines_half_sent_and_answers_unread(self):
        for _ in range(5):
            client = self.connect()
            client.send(b'{"method":"ping","id":1}\n' * 500 + b'{"method":')
        self.assertEqual(self.daemon.stop(), 0)

    def test_two_sigterms(self):
        self.connect(APP)
        self.daemon.signal(signal.SIGTERM)
        self.daemon.signal(signal.SIGTERM)
        self.daemon.signal(signal.SIGINT)
        self.assertEqual(self.daemon.wait(), 0)

    def test_everything_answered_is_there_after_it(self):
        client = self.connect(APP)
        for _ in range(100):
            client.ask("event")
        self.daemon.restart()
        self.assertEqual(self.connect().ask("status", app=APP)["events"], 100)


if __name__ == "__main__":
    unittest.main()
