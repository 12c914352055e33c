"""status: the rules in their order, what each has and needs, and when the app may be prompted next."""

import unittest

from base import APP, DaemonTest, easy, ini
from controls import DAY
from ratingd_client import from_ms, to_ms

ORDER = ("disabled opted_out outstanding sessions events event days version interval annual_cap "
         "user_interval user_cap later declined rated no_agent").split()


class Status(DaemonTest):
    controls = True

    def setUp(self):
        super().setUp()
        self.clock.freeze(1_790_000_000_000)
        self.client = self.connect(APP)

    def configure(self, text):
        self.daemon.write_config("ratingd.conf", text)
        self.assertEqual(self.client.ask("reload"), {"reloaded": True, "warnings": []})

    def rules(self, **params):
        return {rule["rule"]: rule for rule in self.client.ask("status", explain=True, **params)["rules"]}

    def assert_next(self, expected, *reasons, **params):
        """status, explain and request agree on the reasons and the time."""
        text = None if expected is None else from_ms(expected)
        status = self.client.ask("status", **params)
        self.assertEqual(status["reasons"], list(reasons))
        self.assertEqual(status["next_eligible"], text)
        self.assertEqual(status["eligible"], not reasons)
        explained = self.client.ask("status", explain=True, **params)
        self.assertEqual([r["rule"] for r in explained["rules"] if not r["ok"]], list(reasons))
        if reasons:
            result = self.client.ask("request", **params)
            self.assert_refused(result, *reasons)
            self.assertEqual(result["next_eligible"], text)


class Rules(Status):
    config = ini(Policy={}, Event_b={"Need": 2}, Event_a={"Need": 1})

    def test_they_come_in_one_order(self):
        names = [rule["rule"] for rule in self.client.ask("status", explain=True)["rules"]]
        self.assertEqual(names[:9], [
            "disabled", "opted_out", "outstanding", "sessions", "events", "event:a", "event:b",
            "days", "version"])
        places = [ORDER.index(name.split(":")[0]) for name in names]
        self.assertEqual(places, sorted(places))
        self.assertLessEqual(set(ORDER) - {"event", "no_agent"}, set(names))

    def test_a_new_app_needs_everything(self):
        self.assert_next(None, "sessions", "events", "event:a", "event:b", "days")

    def test_names_of_events_are_ordered_by_their_bytes(self):
        names = ["z", "B", "a", "é", "aa", "a b"]
        self.configure(ini(**{"Event_" + name: {"Need": 1} for name in names}))
        reasons = self.client.ask("status")["reasons"]
        self.assertEqual(
            [r for r in reasons if r.startswith("event:")],
            ["event:" + name for name in sorted(names, key=lambda n: n.encode())])

    def test_what_a_rule_has_and_needs(self):
        self.client.ask("session")
        self.client.ask("event", count=4)
        self.client.ask("event", name="a")
        self.clock.advance(days=2, seconds=86_399)
        rules = self.rules()
        for name, ok, have, need in (
                ("sessions", False, 1, 3), ("events", False, 5, 10), ("event:a", True, 1, 1),
                ("event:b", False, 0, 2), ("days", False, 2, 7)):
            rule = rules[name]
            self.assertEqual((rule["ok"], rule["have"], rule["need"]), (ok, have, need), name)
        self.assertEqual((rules["annual_cap"]["have"], rules["user_cap"]["have"]), (0, 0))
        self.assertEqual((rules["annual_cap"]["need"], rules["user_cap"]["need"]), (3, 12))
        for name in ("disabled", "opted_out"):
            self.assertIs(type(rules[name]["have"]), bool, name)

    def test_a_time_rule_says_when_it_will_hold(self):
        first = self.client.ask("session")["first_seen"]
        self.assertEqual(self.rules()["days"]["at"], from_ms(to_ms(first) + 7 * DAY))

    def test_rules_without_a_time_have_none(self):
        rules = self.rules()
        for name in ("disabled", "opted_out", "sessions", "events", "event:a", "version"):
            self.assertNotIn("at", rules[name], name)

    def test_counters_at_one_below_the_need(self):
        self.configure(ini(Policy={"SessionsUntilPrompt": 3, "EventsUntilPrompt": 5,
                                   "SessionGapSec": 0, "DaysUntilPrompt": 0}))
        for _ in range(2):
            self.client.ask("session")
        self.client.ask("event", count=4)
        self.assert_next(None, "sessions", "events")
        self.client.ask("session")
        self.assert_next(None, "events")
        self.client.ask("event")
        self.assert_next(self.clock.now())

    def test_one_of_them_zero_does_not_switch_the_other_off(self):
        self.configure(easy(SessionsUntilPrompt=0, EventsUntilPrompt=5))
        self.client.ask("event", count=4)
        self.assert_next(None, "events")
        self.client.ask("event")
        self.assert_next(self.clock.now())


class NextEligible(Status):
    config = easy()

    def test_now_if_eligible(self):
        self.assert_next(self.clock.now())

    def test_days_since_the_first_message(self):
        self.configure(easy(DaysUntilPrompt=10))
        self.assert_next(None, "days")
        first = to_ms(self.client.ask("session")["first_seen"])
        self.assert_next(first + 10 * DAY, "days")
        self.clock.advance(days=9)
        self.client.ask("session", version="2.0")
        self.assert_next(first + 10 * DAY, "days", version="2.0")
        self.clock.advance(DAY - 1)
        self.assert_next(first + 10 * DAY, "days")
        self.clock.advance(1)
        self.assert_next(self.clock.now())

    def test_the_interval_and_its_boundary(self):
        for days in (1, 24, 25, 50, 365, 36_500):
            with self.subTest(days=days):
                self.configure(easy(MinIntervalDays=days))
                app = f"org.interval{days}"
                granted = to_ms(self.prompt_and(self.client, "failed", app=app, version="1")["granted_at"])
                self.assert_next(granted + days * DAY, "interval", app=app, version="2")
                self.clock.advance(days * DAY - 1)
                self.assert_next(granted + days * DAY, "interval", app=app, version="2")
                self.clock.advance(1)
                self.assert_next(self.clock.now(), app=app, version="2")

    def test_the_cap_and_exactly_365_days(self):
        self.configure(easy(PromptsPerYear=3))
        times = []
        for _ in range(3):
            times.append(to_ms(self.prompt_and(self.client, "failed")["granted_at"]))
            self.clock.advance(days=50, ms=7)
        self.assert_next(times[0] + 365 * DAY, "annual_cap")
        self.clock.set("realtime_frozen_ms", times[0] + 365 * DAY - 1)
        self.assert_next(times[0] + 365 * DAY, "annual_cap")
        self.clock.advance(1)
        self.assertEqual(self.client.ask("status")["prompts_in_window"], 2)
        self.assertEqual(self.prompt_and(self.client, "failed")["prompts_in_window"], 3)
        self.assert_next(times[1] + 365 * DAY, "annual_cap")

    def test_a_cap_of_zero_is_never(self):
        self.configure(easy(PromptsPerYear=0))
        self.assert_next(None, "annual_cap")
        self.configure(easy(user={"PromptsPerYear": 0}))
        self.assert_next(None, "user_cap")

    def test_a_lowered_cap_counts_old_grants(self):
        times = [to_ms(self.prompt_and(self.client, "failed")["granted_at"]) for _ in range(5)]
        self.configure(easy(PromptsPerYear=2))
        self.assert_next(times[3] + 365 * DAY, "annual_cap")

    def test_caps_and_intervals_of_the_user(self):
        self.configure(easy(user={"MinIntervalDays": 3, "PromptsPerYear": 2}))
        first = to_ms(self.prompt_and(self.client, "failed", app="org.a", version="1")["granted_at"])
        self.assert_next(first + 3 * DAY, "user_interval")
        self.clock.advance(days=3)
        second = to_ms(self.prompt_and(self.client, "failed", app="org.b", version="1")["granted_at"])
        self.assert_next(first + 365 * DAY, "user_interval", "user_cap")
        self.clock.advance(days=3)
        self.assertEqual(second + 3 * DAY, self.clock.now())
        self.assert_next(first + 365 * DAY, "user_cap")

    def test_the_latest_of_several_times(self):
        self.configure(easy(MinIntervalDays=30, DaysAfterLater=20, OutcomeTimeoutSec=86_400))
        granted = to_ms(self.prompt(self.client, version="1")["granted_at"])
        self.assert_next(granted + 30 * DAY, "outstanding", "interval", version="2")
        self.clock.advance(DAY)
        token = self.client.ask("history")["grants"][0]["token"]
        self.client.ask("outcome", token=token, result="later")
        self.assert_next(granted + 30 * DAY, "interval", "later", version="2")

    def test_version_disabled_and_opted_out_are_never(self):
        self.configure(easy(OncePerVersion="yes"))
        self.prompt_and(self.client, "failed")
        self.assert_next(None, "version")
        self.assert_next(self.clock.now(), version="1.1")
        self.configure(easy(Enabled="no"))
        self.assert_next(None, "disabled")
        self.configure(easy(user={"Enabled": "no"}))
        self.assert_next(None, "disabled")
        self.configure(easy())
        self.client.ask("opt_out")
        self.assert_next(None, "opted_out")

    def test_once_per_version_whatever_came_between(self):
        self.configure(easy(OncePerVersion="yes"))
        for version in ("1", "2", "3"):
            self.prompt_and(self.client, "failed", version=version)
        for version in ("1", "2", "3"):
            self.assert_next(None, "version", version=version)
        self.clock.advance(days=4000)
        self.assert_next(None, "version", version="1")

    def test_seven_steps_of_a_day(self):
        self.configure(ini(Policy={"SessionsUntilPrompt": 8, "EventsUntilPrompt": 0}))
        first = to_ms(self.client.ask("session")["first_seen"])
        for _ in range(7):
            self.assertIn("days", self.client.ask("status")["reasons"])
            self.clock.advance(days=1)
            self.client.ask("session")
        self.assertEqual(self.clock.now(), first + 7 * DAY)
        self.assert_next(self.clock.now())


class Pure(Status):
    config = easy(SessionsUntilPrompt=1)

    def test_a_thousand_questions_change_nothing(self):
        self.client.ask("session")
        before = [self.client.ask("status", explain=True), self.client.ask("apps"),
                  self.client.ask("report"), self.client.ask("history")]
        for number in range(1000):
            self.client.ask("status", explain=number % 2 == 0, version=str(number % 3 + 1))
        self.assertEqual(before, [
            self.client.ask("status", explain=True), self.client.ask("apps"),
            self.client.ask("report"), self.client.ask("history")])

    def test_the_version_asked_for_is_not_remembered(self):
        self.client.ask("session")
        self.assertEqual(self.client.ask("status", version="99")["version"], "99")
        self.assertEqual(self.connect().ask("status", app=APP)["version"], "1.0")


class Berlin(Status):
    """A day is 86,400 s whatever the local time does."""

    config = easy(DaysUntilPrompt=7)
    options = {"env": {"TZ": "Europe/Berlin"}}

    def test_over_both_changes_of_daylight_saving(self):
        # 2026-03-28 and 2026-10-24, 12:00 UTC: the day before each change.
        for app, start in (("org.spring", 1_774_699_200_000), ("org.autumn", 1_792_843_200_000)):
            self.clock.freeze(start)
            self.client.ask("session", app=app, version="1")
            self.assert_next(start + 7 * DAY, "days", app=app, version="1")
            self.clock.advance(7 * DAY - 1)
            self.assert_next(start + 7 * DAY, "days", app=app, version="1")
            self.clock.advance(1)
            self.prompt(self.client, app=app, version="1")


if __name__ == "__main__":
    unittest.main()
