"""The two documents the daemon grew out of, played as scenarios with their own numbers.

One asks only people who have had the app for 7 days, with enough sessions and significant events,
once per version, after two quiet seconds. The other counts ten completed processes, waits three
quiet seconds, and asks the app once more whether the moment still fits.
"""

import time
import unittest

from base import APP, DaemonTest, ini
from controls import DAY
from ratingd_client import to_ms


class RatingRequester(DaemonTest):
    """daysUntilPrompt 7, sessionsUntilPrompt 5, eventsUntilPrompt 3, once per version, 2 s of quiet."""

    controls = True
    config = ini(Policy={
        "DaysUntilPrompt": 7, "SessionsUntilPrompt": 5, "EventsUntilPrompt": 3, "AllowDebug": "no"})

    def setUp(self):
        super().setUp()
        self.clock.freeze(1_790_000_000_000)
        self.client = self.connect(APP, "1.0")

    def become_eligible(self):
        """Five sessions over seven days and three significant events."""
        for _ in range(5):
            self.client.ask("session")
            self.clock.advance(seconds=1800)
        self.client.ask("event", count=3)
        self.clock.advance(days=7)

    def test_the_first_launch_is_recorded_once(self):
        first = self.client.ask("session")["first_seen"]
        self.clock.advance(days=3)
        self.assertEqual(self.client.ask("session")["first_seen"], first)
        self.assertEqual(to_ms(first), 1_790_000_000_000)

    def test_without_a_first_launch_no_one_is_asked(self):
        self.assert_refused(self.client.ask("request"), "sessions", "events", "days")

    def test_thresholds_are_at_least(self):
        for number in range(5):
            self.client.ask("session")
            self.clock.advance(seconds=1800)
            self.assertEqual(
                "sessions" in self.client.ask("status")["reasons"], number + 1 < 5)
        for number in range(3):
            self.client.ask("event")
            self.assertEqual("events" in self.client.ask("status")["reasons"], number + 1 < 3)
        first = to_ms(self.client.ask("status")["first_seen"])
        self.clock.freeze(first + 7 * DAY - 1)
        self.assert_refused(self.client.ask("request"), "days")
        self.clock.advance(1)
        self.pending(self.client)

    def test_two_quiet_seconds_then_the_prompt(self):
        self.become_eligible()
        begin = time.monotonic()
        result = self.client.ask("request")
        self.assertEqual((result["decision"], result["fires_in_ms"]), ("pending", 2000))
        self.assertEqual(self.client.wait("prompt")["token"], result["token"])
        self.assertGreaterEqual(time.monotonic() - begin, 1.99)

    def test_any_interaction_within_them_cancels_and_consumes_nothing(self):
        self.become_eligible()
        token = self.pending(self.client)
        self.client.ask("activity")
        self.assertEqual(
            self.client.wait("cancelled"), {"token": token, "app": APP, "reason": "activity"})
        self.assertTrue(self.client.ask("status")["eligible"])
        self.prompt(self.client)

    def test_once_per_version(self):
        self.become_eligible()
        self.prompt_and(self.client, "dismissed")
        self.clock.advance(days=100)
        self.assert_refused(self.client.ask("request"), "version")
        self.pending(self.client, version="1.1")

    def test_three_prompts_in_365_days(self):
        self.become_eligible()
        times = []
        for number in range(3):
            prompt = self.prompt_and(self.client, "dismissed", version=f"1.{number}", debounce_ms=0)
            self.assertEqual((prompt["prompts_in_window"], prompt["cap"]), (number + 1, 3))
            times.append(to_ms(prompt["granted_at"]))
            self.clock.advance(days=30)
        refused = self.client.ask("request", version="2.0")
        self.assert_refused(refused, "annual_cap")
        self.assertEqual(to_ms(refused["next_eligible"]), times[0] + 365 * DAY)
        self.clock.freeze(times[0] + 365 * DAY - 1)
        self.assert_refused(self.client.ask("request", version="2.0"), "annual_cap")
        self.clock.advance(1)
        prompt = self.prompt_and(self.client, "dismissed", version="2.0", debounce_ms=0)
        self.assertEqual(prompt["prompts_in_window"], 3)

    def test_whether_it_was_rated_is_what_the_app_says_and_nothing_more(self):
        self.become_eligible()
        self.prompt(self.client, debounce_ms=0)
        self.assertIsNone(self.client.ask("status")["outcome"])
        self.clock.advance(seconds=600)
        self.assertEqual(self.client.ask("status")["outcome"], "unknown")

    def test_debugging_shows_the_prompt_whenever_asked(self):
        self.assert_error(self.client.error("request", debug=True), "not_permitted")
        self.daemon.write_config("ratingd.conf", ini(Policy={"AllowDebug": "yes"}))
        self.client.ask("reload")
        for _ in range(5):
            self.client.ask("request", debug=True)
            self.assertTrue(self.client.wait("prompt")["debug"])
        self.assertEqual(self.client.ask("history")["grants"], [])
        self.assertEqual(self.client.ask("status")["sessions"], 0)

    def test_the_link_for_a_review_by_hand_is_always_there(self):
        self.assertEqual(self.client.ask("review_url")["url"], f"appstream://{APP}")
        self.become_eligible()
        self.prompt_and(self.client, "rated", debounce_ms=0)
        self.assertEqual(self.client.ask("review_url")["url"], f"appstream://{APP}")
        self.assertEqual(self.client.ask("report")["manual_reviews"], 2)


class ReviewRequestManager(DaemonTest):
    """Ten completed processes, three quiet seconds, a condition after the wait."""

    config = ini(
        Policy={"SessionsUntilPrompt": 0, "DaysUntilPrompt": 0, "EventsUntilPrompt": 0,
                "DebounceMs": 3000, "MinIntervalDays": 0},
        User={"MinIntervalDays": 0}, **{"Event_process-completed": {"Need": 10}})

    def setUp(self):
        super().setUp()
        self.answer = True
        self.client = self.connect(APP, "1.0", confirm=lambda params: self.answer)

    def complete(self, count):
        for _ in range(count):
            self.client.ask("event", name="process-completed")

    def test_ten_completed_processes(self):
        self.complete(9)
        self.assert_refused(self.client.ask("request"), "event:process-completed")
        self.complete(1)
        self.pending(self.client)

    def test_other_events_do_not_count(self):
        self.client.ask("event", name="process-started", count=50)
        self.assert_refused(self.client.ask("request"), "event:process-completed")

    def test_three_quiet_seconds_and_yes(self):
        self.complete(10)
        begin = time.monotonic()
        result = self.client.ask("request", confirm=True)
        self.assertEqual(result["fires_in_ms"], 3000)
        self.client.wait("prompt")
        self.assertGreaterEqual(time.monotonic() - begin, 2.99)
        self.client.ask("outcome", token=result["token"], result="dismissed")
        self.assert_refused(self.client.ask("request"), "version", "later")

    def test_a_new_request_replaces_the_one_that_waits(self):
        self.complete(10)
        first = self.pending(self.client, confirm=True)
        second = self.pending(self.client, confirm=True, debounce_ms=300)
        self.assertEqual(
            self.client.wait("cancelled"), {"token": first, "app": APP, "reason": "superseded"})
        self.assertEqual(self.client.wait("prompt")["token"], second)
        self.assertEqual(len(self.client.ask("history")["grants"]), 1)

    def test_the_condition_after_the_wait_says_no_and_the_version_is_not_used_up(self):
        self.complete(10)
        self.answer = False
        token = self.pending(self.client, confirm=True, debounce_ms=100)
        self.assertEqual(
            self.client.wait("cancelled"), {"token": token, "app": APP, "reason": "declined_by_app"})
        self.answer = True
        self.prompt(self.client, confirm=True, debounce_ms=0)

    def test_not_again_for_the_version_last_prompted(self):
        self.complete(10)
        self.prompt_and(self.client, "failed", debounce_ms=0)
        self.assert_refused(self.client.ask("request"), "version")
        self.prompt(self.client, debounce_ms=0, version="1.1")


if __name__ == "__main__":
    unittest.main()
