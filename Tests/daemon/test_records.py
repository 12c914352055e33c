"""history, report, apps and review_url: what is told of what happened."""

import unittest

from base import APP, DaemonTest, easy
from ratingd_client import from_ms


class History(DaemonTest):
    controls = True

    def test_newest_first_and_limited(self):
        self.clock.freeze()
        client = self.connect(APP)
        tokens = []
        for number in range(6):
            tokens.insert(0, self.prompt_and(client, "dismissed", version=str(number))["token"])
            self.clock.advance(seconds=1)
        grants = client.ask("history")["grants"]
        self.assertEqual([g["token"] for g in grants], tokens)
        self.assertEqual([g["version"] for g in grants], list("543210"))
        for limit in (1, 5, 6, 7, 1000):
            self.assertEqual(client.ask("history", limit=limit)["grants"], grants[:limit])

    def test_of_another_app(self):
        client = self.connect(APP)
        self.prompt(client)
        self.assertEqual(client.ask("history", app="org.other")["grants"], [])

    def test_an_open_outcome_is_null(self):
        client = self.connect(APP)
        self.prompt(client)
        grant = client.ask("history")["grants"][0]
        self.assertEqual((grant["outcome"], grant["outcome_at"]), (None, None))

    def test_the_outcome_has_its_time(self):
        self.clock.freeze()
        client = self.connect(APP)
        token = self.prompt(client)["token"]
        self.clock.advance(5_000)
        client.ask("outcome", token=token, result="rated")
        grant = client.ask("history")["grants"][0]
        self.assertEqual(grant["outcome_at"], from_ms(self.clock.now()))
        self.assertEqual(grant["granted_at"], from_ms(self.clock.now() - 5_000))

    def test_more_than_a_hundred(self):
        self.clock.freeze()
        client = self.connect(APP)
        for _ in range(9):
            for _ in range(12):
                self.prompt_and(client, "failed")
            self.clock.advance(days=365)
        self.assertEqual(len(client.ask("history")["grants"]), 100)
        self.assertEqual(len(client.ask("history", limit=1000)["grants"]), 108)


class Report(DaemonTest):
    controls = True
    config = easy(DebounceMs=600_000)

    def setUp(self):
        super().setUp()
        self.clock.freeze(1_800_000_000_000)
        self.client = self.connect(APP)

    def live(self):
        """Two grants, three refusals, two cancellations, one manual review."""
        self.prompt_and(self.client, "rated", debounce_ms=0, version="1")
        self.clock.advance(1)
        self.client.ask("opt_out")
        for _ in range(3):
            self.client.ask("request", version="2")
        self.client.ask("opt_in")
        self.pending(self.client, version="2")
        self.pending(self.client, version="2")
        self.client.ask("activity")
        self.prompt_and(self.client, "later", debounce_ms=0, version="3")
        self.client.ask("review_url")

    expected = {
        "requests": 7, "refused_total": 3, "refused": {"opted_out": 3}, "pending": 4,
        "cancelled": {"superseded": 1, "activity": 1}, "granted": 2,
        "outcomes": {"rated": 1, "later": 1}, "manual_reviews": 1,
    }

    def test_the_funnel(self):
        self.live()
        self.assertEqual(self.client.ask("report"), self.expected)
        self.assertEqual(self.connect().ask("report", app=APP), self.expected)

    def test_a_refusal_counts_under_each_of_its_reasons(self):
        self.daemon.write_config("ratingd.conf", easy(SessionsUntilPrompt=1, EventsUntilPrompt=1))
        self.client.ask("reload")
        self.client.ask("request")
        report = self.client.ask("report")
        self.assertEqual(report["refused_total"], 1)
        self.assertEqual(report["refused"], {"sessions": 1, "events": 1})

    def test_of_one_app_and_of_all(self):
        self.live()
        self.client.ask("event", app="org.other")
        self.prompt_and(self.client, "dismissed", app="org.other", version="1", debounce_ms=0)
        self.assertEqual(self.client.ask("report", app=APP), self.expected)
        self.assertEqual(self.client.ask("report", app="org.other")["granted"], 1)
        total = self.connect().ask("report")
        self.assertEqual((total["granted"], total["requests"]), (3, 8))

    def test_since_a_day(self):
        self.live()
        self.clock.advance(days=2)
        since = from_ms(self.clock.now())
        self.assertEqual(self.client.ask("report", app=APP, since=since)["requests"], 0)
        self.prompt_and(self.client, "failed", debounce_ms=0, version="9")
        later = self.client.ask("report", app=APP, since=since)
        self.assertEqual((later["requests"], later["granted"]), (1, 1))
        self.assertEqual(self.client.ask("report", app=APP)["granted"], 3)

    def test_the_funnel_survives_a_restart(self):
        self.live()
        self.daemon.restart()
        self.assertEqual(self.connect(APP).ask("report"), self.expected)

    def test_debug_and_status_are_not_in_it(self):
        for _ in range(20):
            self.client.ask("status", explain=True)
        self.client.error("request", debug=True)
        self.assertEqual(self.client.ask("report")["requests"], 0)


class Apps(DaemonTest):
    def test_paging_finds_each_app_once(self):
        client = self.connect()
        names = sorted(f"org.app{number}" for number in range(250))
        for name in names:
            client.notify("event", app=name)
        for limit in (1, 7, 100, 249, 250, 251, 1000, None):
            with self.subTest(limit=limit):
                seen, cursor = [], None
                while True:
                    params = {} if limit is None else {"limit": limit}
                    page = client.ask("apps", **params, **({"cursor": cursor} if cursor else {}))
                    self.assertLessEqual(len(page["apps"]), limit or 100)
                    seen += [entry["app"] for entry in page["apps"]]
                    cursor = page.get("next")
                    if cursor is None:
                        break
                self.assertEqual(sorted(seen), names)

    def test_rows_say_what_status_says(self):
        client = self.connect(APP)
        client.ask("session")
        client.ask("event", count=4)
        self.prompt(client)
        status = client.ask("status")
        self.assertEqual(client.ask("apps")["apps"], [{
            "app": APP, "sessions": 1, "events": 4, "last_seen": status["last_seen"],
            "prompts_in_window": 1}])

    def test_hello_and_questions_make_no_app(self):
        client = self.connect(APP, policy={"events_until_prompt": 1})
        for method in ("status", "history", "report", "activity", "cancel", "whoami"):
            client.ask(method)
        self.daemon.restart()
        self.assertEqual(self.connect().ask("apps"), {"apps": []})


class ReviewUrl(DaemonTest):
    config = easy(ReviewURL="https://example.org/%a?v=%v&p=100%%")

    def test_placeholders(self):
        client = self.connect(APP, "1.4")
        client.ask("session")
        url = client.ask("review_url")["url"]
        self.assertEqual(url, f"https://example.org/{APP}?v=1.4&p=100%")
        self.assertEqual(self.prompt(client)["review_url"], url)

    def test_a_version_cannot_break_out_of_the_url(self):
        client = self.connect(APP, "1 &x=\"<é>\n"[:-1])
        client.ask("session")
        url = client.ask("review_url")["url"]
        self.assertTrue(url.startswith(f"https://example.org/{APP}?v=1"))
        self.assertNotRegex(url, "[\\s\"<>]")

    def test_manual_reviews_are_counted_and_never_against_the_cap(self):
        client = self.connect(APP)
        for _ in range(30):
            client.ask("review_url")
        self.assertEqual(client.ask("report", app=APP)["manual_reviews"], 30)
        status = client.ask("status")
        self.assertEqual((status["prompts_in_window"], status["eligible"]), (0, True))

    def test_without_a_hello_and_opted_out_too(self):
        client = self.connect()
        client.ask("opt_out", app=APP)
        self.assertIn(APP, client.ask("review_url", app=APP)["url"])


class Counters(DaemonTest):
    """Sums, gaps between sessions, saturation."""

    controls = True
    config = easy(daemon={"RateLimitPerSec": 0}, SessionGapSec=21_600)

    def setUp(self):
        super().setUp()
        self.clock.freeze()
        self.client = self.connect(APP)

    def test_messages_closer_than_the_gap_are_one_session(self):
        for minutes, counted in ((0, True), (359, False), (361, True), (360, True), (0, False)):
            self.clock.advance(seconds=60 * minutes)
            self.assertEqual(self.client.ask("session")["counted"], counted, minutes)
        self.assertEqual(self.client.ask("status")["sessions"], 3)

    def test_forty_messages_in_five_minutes_are_one_session(self):
        for _ in range(40):
            self.client.ask("session")
            self.clock.advance(seconds=7)
        self.assertEqual(self.client.ask("status")["sessions"], 1)

    def test_the_first_launch_is_recorded_once(self):
        first = self.client.ask("session")["first_seen"]
        for _ in range(5):
            self.clock.advance(days=1)
            self.assertEqual(self.client.ask("session")["first_seen"], first)
        self.daemon.restart()
        client = self.connect(APP, "2.0")
        self.assertEqual(client.ask("session")["first_seen"], first)
        self.assertEqual(client.ask("status")["first_seen"], first)

    def test_an_event_makes_the_app_seen_as_well(self):
        self.client.ask("event")
        status = self.client.ask("status")
        self.assertEqual(status["first_seen"], from_ms(self.clock.now()))
        self.assertEqual(status["last_seen"], from_ms(self.clock.now()))

    def test_totals_beyond_16_and_32_bits(self):
        for _ in range(10):
            self.client.ask("event", name="big", count=10_000)
        self.assertEqual(self.client.ask("status")["events"], 100_000)
        # 2^31 takes more events than a test should send: 215 batches of 100 are 215 million.
        batch = [{"method": "event", "params": {"app": APP, "name": "big", "count": 10_000}}] * 100
        for _ in range(215):
            self.client.send_line(batch)
        self.assertEqual(
            self.client.ask("event", name="big"), {"events": 215_100_001, "name_total": 215_100_001})
        self.daemon.restart()
        self.assertEqual(self.connect().ask("status", app=APP)["events"], 215_100_001)

    def test_three_events_in_one_write(self):
        self.client.send(b'{"method":"event"}\n' * 3)
        self.assertEqual(self.client.ask("status")["events"], 3)

    def test_names_add_up_to_the_total(self):
        for number in range(100):
            self.client.notify("event", name=f"n{number % 9}", count=number + 1)
        status = self.client.ask("status")
        self.assertEqual(status["events"], 5050)
        self.assertEqual(sum(status["events_by_name"].values()), 5050)


if __name__ == "__main__":
    unittest.main()
