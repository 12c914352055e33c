"""Subscriptions: decisions and counters as they happen, and what a slow reader misses."""

import signal
import unittest

from base import APP, DaemonTest, easy
from ratingd_client import to_ms

OTHER = "org.example.Other"


class Subscriptions(DaemonTest):
    config = easy(DebounceMs=600_000)

    def setUp(self):
        super().setUp()
        self.client = self.connect(APP)
        self.watcher = self.connect()

    def news(self):
        """What came to the watcher until now, without its times."""
        news = self.watcher.notifications()
        for _, params in news:
            to_ms(params.pop("time"))
        return news

    def test_decisions(self):
        self.assertEqual(self.watcher.ask("subscribe", topics=["decisions"]), {"seq": 0})
        first = self.pending(self.client)
        self.client.ask("activity")
        second = self.prompt(self.client, debounce_ms=0)["token"]
        self.client.ask("request")
        news = self.news()
        self.assertEqual({method for method, _ in news}, {"decision"})
        self.assertEqual([p["seq"] for _, p in news], [1, 2, 3, 4, 5])
        self.assertEqual({p["app"] for _, p in news}, {APP})
        self.assertEqual(
            [(p["decision"], p.get("token")) for _, p in news],
            [("pending", first), ("cancelled", first), ("pending", second), ("granted", second),
             ("refused", None)])
        self.assertEqual(news[1][1]["reason"], "activity")
        self.assertEqual(news[4][1]["reasons"], ["outstanding"])
        self.assertEqual(news[3][1]["version"], "1.0")
        for _, params in news:
            self.assertLessEqual(
                set(params), {"seq", "app", "decision", "token", "version", "reason", "reasons"})

    def test_counters(self):
        self.watcher.ask("subscribe", topics=["counters"])
        self.client.ask("session")
        self.client.ask("event")
        self.client.ask("event", name="saved", count=4)
        self.client.ask("request")
        self.assertEqual(self.news(), [
            ("counter", {"seq": 1, "app": APP, "counter": "sessions", "value": 1}),
            ("counter", {"seq": 2, "app": APP, "counter": "events", "name": "significant", "value": 1}),
            ("counter", {"seq": 3, "app": APP, "counter": "events", "name": "saved", "value": 4}),
        ])

    def test_a_session_that_is_not_counted_is_no_news(self):
        self.watcher.ask("subscribe", topics=["counters"])
        for _ in range(5):
            self.client.ask("session")
        self.assertEqual(len(self.news()), 1)

    def test_both_topics(self):
        self.watcher.ask("subscribe", topics=["decisions", "counters"])
        self.client.ask("event")
        self.client.ask("request")
        self.assertEqual([(m, p["seq"]) for m, p in self.news()], [("counter", 1), ("decision", 2)])

    def test_only_the_apps_asked_for(self):
        self.watcher.ask("subscribe", topics=["decisions", "counters"], apps=[APP, "org.third"])
        for app in (OTHER, APP, "org.third", "org.fourth"):
            self.client.ask("event", app=app)
            self.client.ask("request", app=app, version="1")
        self.assertEqual(
            [(p["seq"], p["app"]) for _, p in self.news()],
            [(1, APP), (2, APP), (3, "org.third"), (4, "org.third")])

    def test_a_subscriber_sees_its_own_doings_after_their_answers(self):
        self.watcher.ask("subscribe", topics=["counters"])
        identifier = self.watcher.begin("event", app=APP)
        first, second = self.watcher.next(), self.watcher.next()
        self.assertEqual((first["id"], second["method"]), (identifier, "counter"))

    def test_a_second_subscribe_replaces_the_first(self):
        self.watcher.ask("subscribe", topics=["counters"], apps=[APP])
        self.client.ask("event")
        self.assertEqual(len(self.news()), 1)
        self.assertEqual(self.watcher.ask("subscribe", topics=["decisions"], apps=[OTHER]), {"seq": 0})
        self.client.ask("event")
        self.client.ask("request")
        self.client.ask("request", app=OTHER, version="1")
        self.assertEqual(
            [(m, p["seq"], p["app"]) for m, p in self.news()], [("decision", 1, OTHER)])

    def test_unsubscribe(self):
        self.watcher.ask("subscribe", topics=["counters"])
        self.assertEqual(self.watcher.ask("unsubscribe"), {"unsubscribed": True})
        self.client.ask("event")
        self.assertEqual(self.news(), [])
        self.assertIs(type(self.watcher.ask("unsubscribe")["unsubscribed"]), bool)
        self.assertEqual(self.watcher.ask("subscribe", topics=["counters"]), {"seq": 0})
        self.client.ask("event")
        self.assertEqual(self.news()[0][1]["seq"], 1)

    def test_requests_and_answers_on_a_subscribed_connection_under_load(self):
        self.watcher.ask("subscribe", topics=["counters"])
        for number in range(200):
            self.client.notify("event")
            if number % 10 == 0:
                self.assertTrue(self.watcher.ask("ping")["pong"])
                self.watcher.ask("unsubscribe")
                self.watcher.ask("subscribe", topics=["counters"])
        self.client.ask("ping")
        self.assertTrue(self.watcher.ask("ping")["pong"])

    def test_two_subscribers_see_the_same(self):
        second = self.connect()
        for watcher in (self.watcher, second):
            watcher.ask("subscribe", topics=["counters"])
        for _ in range(5):
            self.client.ask("event")
        self.assertEqual(self.watcher.notifications(), second.notifications())

    def test_debug_prompts_are_not_decisions(self):
        self.daemon.write_config("ratingd.conf", easy(AllowDebug="yes"))
        self.client.ask("reload")
        self.watcher.ask("subscribe", topics=["decisions"])
        self.client.ask("request", debug=True)
        self.client.wait("prompt")
        self.assertNotIn("granted", [p["decision"] for _, p in self.news()])

    def test_bye_is_the_last_line(self):
        self.watcher.ask("subscribe", topics=["decisions"])
        token = self.pending(self.client)
        self.assertEqual(self.daemon.stop(), 0)
        messages = self.client.rest()
        self.assertEqual(
            [(m["method"], m["params"]) for m in messages],
            [("cancelled", {"token": token, "app": APP, "reason": "shutting_down"}),
             ("bye", {"reason": "shutting_down"})])
        watched = self.watcher.rest()
        self.assertEqual([m["method"] for m in watched], ["decision", "decision", "bye"])
        self.assertEqual(watched[1]["params"]["reason"], "shutting_down")


class Lagging(DaemonTest):
    config = easy(daemon={"RateLimitPerSec": 0, "OutputBytesMax": 20_000})

    def test_a_subscriber_that_does_not_read_is_told_what_it_missed(self):
        watcher, client = self.connect(), self.connect(APP)
        watcher.ask("subscribe", topics=["counters"])
        total = 20_000
        for _ in range(total // 100):
            client.send(b'{"method":"event"}\n' * 100)
            client.ask("ping")
        received, dropped, last = 0, 0, 0
        while last < total:
            message = watcher.next()
            if message["method"] == "lagged":
                self.assertEqual(set(message["params"]), {"dropped"})
                dropped += message["params"]["dropped"]
                if received + dropped >= total:
                    break
            else:
                received += 1
                last = message["params"]["seq"]
                self.assertEqual(last, received + dropped)
                self.assertEqual(message["params"]["value"], last)
        self.assertGreater(dropped, 0)
        self.assertEqual(received + dropped, total)
        client.ask("event")
        self.assertEqual(watcher.wait("counter")["seq"], total + 1)

    def test_what_one_turn_was_too_much_for_is_told_without_more_news(self):
        watcher, clients = self.connect(), [self.connect(APP) for _ in range(4)]
        watcher.ask("subscribe", topics=["counters"])
        event = {"method": "event", "params": {"name": "n" * 60}}
        # A turn takes few messages of a client, so that it has to find those of several.
        self.daemon.signal(signal.SIGSTOP)
        for client in clients:
            client.send_line([event] * 50)
        self.daemon.signal(signal.SIGCONT)
        received = 0
        while (message := watcher.next())["method"] == "counter":
            received += 1
        self.assertEqual(message["method"], "lagged")
        self.assertEqual(received + message["params"]["dropped"], 200)


if __name__ == "__main__":
    unittest.main()
