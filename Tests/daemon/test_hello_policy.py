"""hello.policy: what an app may ask for itself, and what it cannot."""

import unittest

from base import APP, DaemonTest, easy, ini

THRESHOLDS = {
    "sessions_until_prompt": 5, "events_until_prompt": 5, "days_until_prompt": 5,
    "session_gap_sec": 5, "debounce_ms": 5, "on_activity": "restart", "pending_max_sec": 5,
    "confirm_timeout_ms": 500, "outcome_timeout_sec": 5, "review_url": "https://example.org/%a",
}


def key(member):
    """The key in files of a member of hello.policy."""
    special = {"review_url": "ReviewURL"}
    return special.get(member) or "".join(word.capitalize() for word in member.split("_"))


class HelloPolicy(DaemonTest):
    config = ""

    def hello(self, policy, app=APP):
        self.client = self.connect(app, policy=policy)
        return self.client.hello

    def assert_clamped(self, policy, *names):
        hello = self.hello(policy)
        self.assertEqual(sorted(hello["clamped"]), sorted(names))
        self.assertEqual(hello["ignored"], [])

    def policy(self):
        return self.connect().ask("status", app=APP, explain=True)["policy"]

    def assert_in_force(self, name, value, source):
        entry = self.policy()[name]
        self.assertEqual((entry["value"], entry["source"]), (value, source), name)


class AgainstDefaults(HelloPolicy):
    def test_thresholds_and_times_are_in_force(self):
        self.assert_clamped(THRESHOLDS)
        for member, value in THRESHOLDS.items():
            self.assert_in_force(key(member), value, "hello")

    def test_and_feed_the_rules(self):
        self.hello({"sessions_until_prompt": 1, "events_until_prompt": 2, "days_until_prompt": 0,
                    "event": {"saved": 1}, "debounce_ms": 0})
        self.assert_refused(
            self.client.ask("request"), "sessions", "events", "event:saved")
        self.client.ask("session")
        self.client.ask("event", name="saved", count=2)
        self.prompt(self.client)

    def test_caps_and_intervals_only_stricter(self):
        for member, stricter, equal, weaker in (
                ("prompts_per_year", 2, 3, 4), ("min_interval_days", 8, 7, 6),
                ("days_after_later", 15, 14, 13), ("days_after_declined", 91, 90, 89),
                ("days_after_rated", 366, 365, 364)):
            with self.subTest(member=member):
                self.assert_clamped({member: stricter})
                self.assert_in_force(key(member), stricter, "hello")
                self.assert_clamped({member: equal})
                self.assertEqual(self.policy()[key(member)]["value"], equal)
                self.assert_clamped({member: weaker}, member)
                self.assert_in_force(key(member), equal, "default")

    def test_minus_one_is_the_longest(self):
        self.assert_clamped({"days_after_rated": -1})
        self.assert_in_force("DaysAfterRated", -1, "hello")

    def test_a_cap_of_zero_is_the_strictest(self):
        self.assert_clamped({"prompts_per_year": 0})
        self.assert_in_force("PromptsPerYear", 0, "hello")

    def test_once_per_version_can_only_be_turned_on(self):
        self.assert_clamped({"once_per_version": True})
        self.assert_clamped({"once_per_version": False}, "once_per_version")
        self.assert_in_force("OncePerVersion", True, "default")

    def test_what_an_app_cannot_set(self):
        self.assert_clamped({"enabled": False}, "enabled")
        self.assert_clamped({"allow_debug": True}, "allow_debug")
        self.assert_clamped({"review_url": "javascript:alert(1)"}, "review_url")
        self.assert_clamped({"review_url": "http://example.org"}, "review_url")
        self.assert_clamped(
            {"user": {"prompts_per_year": 365, "enabled": False}},
            "user.prompts_per_year", "user.enabled")
        self.assertEqual(self.client.error("request", debug=True)["data"]["reason"], "not_permitted")

    def test_bad_values_are_clamped(self):
        for member, values in {
                "sessions_until_prompt": [-1, 10**9 + 1, "3", None, True, 1.0, [], {}],
                "prompts_per_year": [-1, 13, "1", None], "min_interval_days": [-1, 36_501],
                "days_after_rated": [-2, 36_501], "debounce_ms": [-1, 600_001],
                "session_gap_sec": [-1, 86_401], "pending_max_sec": [0, 86_401],
                "confirm_timeout_ms": [99, 60_001], "outcome_timeout_sec": [0, 86_401],
                "on_activity": ["stop", 1, None, ""], "once_per_version": ["yes", 1, None],
                "review_url": ["", 1, None, "appstream:", "https://\u0000"]}.items():
            for value in values:
                with self.subTest(member=member, value=value):
                    self.assert_clamped({member: value}, member)

    def test_bad_event_needs_are_clamped_by_name(self):
        self.assert_clamped(
            {"event": {"good": 1, "bad": -1, "text": "1", "big": 10**9 + 1}},
            "event.bad", "event.text", "event.big")
        reasons = self.client.ask("status")["reasons"]
        self.assertIn("event:good", reasons)
        self.assertNotIn("event:bad", reasons)

    def test_unknown_members_are_ignored_by_name(self):
        hello = self.hello({"new_in_2031": {"a": [1]}, "sessions_until_prompt": 1, "Enabled": 1})
        self.assertEqual(sorted(hello["ignored"]), ["Enabled", "new_in_2031"])
        self.assertEqual(hello["clamped"], [])
        self.assert_in_force("SessionsUntilPrompt", 1, "hello")

    def test_the_last_hello_replaces_or_clears_it(self):
        self.hello({"sessions_until_prompt": 9, "events_until_prompt": 9})
        self.hello({"sessions_until_prompt": 8})
        self.assert_in_force("SessionsUntilPrompt", 8, "hello")
        self.assert_in_force("EventsUntilPrompt", 10, "default")
        self.hello(None)
        self.assert_in_force("SessionsUntilPrompt", 3, "default")
        self.hello({"sessions_until_prompt": 8})
        self.hello({})
        self.assert_in_force("SessionsUntilPrompt", 3, "default")

    def test_it_is_kept_over_a_restart_and_a_forget(self):
        self.hello({"sessions_until_prompt": 8})
        self.client.ask("session")
        self.daemon.restart()
        self.assert_in_force("SessionsUntilPrompt", 8, "hello")
        self.connect().ask("forget", app=APP)
        self.assert_in_force("SessionsUntilPrompt", 8, "hello")

    def test_it_is_the_apps_own(self):
        self.hello({"sessions_until_prompt": 8}, app="org.other")
        self.assert_in_force("SessionsUntilPrompt", 3, "default")

    def test_debounce_of_the_request_wins(self):
        self.hello({"debounce_ms": 1234, "sessions_until_prompt": 0, "events_until_prompt": 0,
                    "days_until_prompt": 0})
        self.assertEqual(self.client.ask("request")["fires_in_ms"], 1234)
        self.assertEqual(self.client.ask("request", debounce_ms=77_777)["fires_in_ms"], 77_777)

    def test_activity_of_the_request_wins(self):
        self.hello({"on_activity": "restart", "debounce_ms": 60_000, "sessions_until_prompt": 0,
                    "events_until_prompt": 0, "days_until_prompt": 0})
        self.client.ask("request")
        self.assertTrue(self.client.ask("activity")["restarted"])
        self.client.ask("request", on_activity="cancel")
        self.assertTrue(self.client.ask("activity")["cancelled"])


class AgainstFiles(HelloPolicy):
    config = ini(
        Policy={"SessionsUntilPrompt": 4, "DebounceMs": 100, "PromptsPerYear": 6,
                "MinIntervalDays": 3, "OncePerVersion": "no", "ReviewURL": "https://admin.example/%a",
                "DaysAfterRated": 10},
        Event_saved={"Need": 2})

    def test_a_threshold_in_a_file_wins(self):
        self.assert_clamped(
            {"sessions_until_prompt": 1, "debounce_ms": 0, "review_url": "https://app.example/",
             "event": {"saved": 1, "other": 1}},
            "sessions_until_prompt", "debounce_ms", "review_url", "event.saved")
        entry = self.policy()["SessionsUntilPrompt"]
        self.assertEqual(entry["value"], 4)
        self.assertIn("ratingd.conf", entry["source"])
        self.assertEqual(self.client.ask("review_url")["url"], f"https://admin.example/{APP}")

    def test_a_higher_threshold_does_not_win_either(self):
        self.assert_clamped({"sessions_until_prompt": 100}, "sessions_until_prompt")

    def test_the_same_as_the_file_is_in_force_as_given(self):
        self.assert_clamped({"sessions_until_prompt": 4, "prompts_per_year": 6})

    def test_the_stricter_of_a_cap_in_a_file_and_hellos(self):
        self.assert_clamped({"prompts_per_year": 5, "min_interval_days": 4, "days_after_rated": -1})
        for name, value in (("PromptsPerYear", 5), ("MinIntervalDays", 4), ("DaysAfterRated", -1)):
            self.assert_in_force(name, value, "hello")
        self.assert_clamped(
            {"prompts_per_year": 7, "min_interval_days": 2}, "prompts_per_year", "min_interval_days")
        self.assertEqual(self.policy()["PromptsPerYear"]["value"], 6)

    def test_once_per_version_can_be_turned_on_by_the_app(self):
        self.assert_clamped({"once_per_version": True})
        self.assert_in_force("OncePerVersion", True, "hello")

    def test_enabled_no_in_a_file_stays(self):
        self.daemon.write_config("ratingd.conf", easy(Enabled="no"))
        self.connect().ask("reload")
        self.hello({"enabled": True})
        self.assert_refused(self.client.ask("request"), "disabled")


if __name__ == "__main__":
    unittest.main()
