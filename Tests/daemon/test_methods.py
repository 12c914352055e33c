"""Every method's result: its members, their types, and what they say."""

import os
import re
import unittest

from base import APP, DaemonTest, easy
from ratingd_client import to_ms

LIMITS = {
    "line_bytes", "batch", "connections", "connections_per_uid", "connections_per_app",
    "output_bytes", "rate_per_sec", "rate_burst", "apps_per_uid", "event_names_per_app",
    "pending_per_uid", "subscriptions_per_uid",
}


def all_keys(value):
    """The names of all members, at any depth."""
    if isinstance(value, dict):
        return set(value) | {key for inner in value.values() for key in all_keys(inner)}
    if isinstance(value, list):
        return {key for inner in value for key in all_keys(inner)}
    return set()


class Results(DaemonTest):
    config = easy(DebounceMs=600_000)

    def setUp(self):
        super().setUp()
        self.client = self.connect()

    def ask(self, method, members, **params):
        """The result, which must have exactly these members."""
        result = self.client.ask(method, **params)
        self.assertEqual(set(result), set(members.split()), result)
        return result

    def hello(self):
        return self.client.ask("hello", app=APP, version="1.4")

    def test_hello(self):
        result = self.ask(
            "hello", "server protocol capabilities app identity limits clamped ignored",
            app=APP, version="1.4")
        self.assertRegex(result["server"], r"^ratingd/\d+\.\d+\.\d+$")
        self.assertEqual(result["protocol"], 1)
        self.assertLessEqual({"agent", "confirm"}, set(result["capabilities"]))
        self.assertEqual(result["app"], APP)
        self.assertEqual(set(result["identity"]), {"source", "verified"})
        self.assertFalse(result["identity"]["verified"])
        self.assertEqual(set(result["limits"]), LIMITS)
        self.assertEqual((result["clamped"], result["ignored"]), ([], []))

    def test_the_limits_that_hello_tells(self):
        limits = self.hello()["limits"]
        for name, value in {
                "line_bytes": 65_536, "batch": 100, "connections_per_app": 64,
                "output_bytes": 1 << 20, "rate_per_sec": 1000, "rate_burst": 10_000,
                "apps_per_uid": 10_000, "event_names_per_app": 100, "pending_per_uid": 100,
                "subscriptions_per_uid": 32}.items():
            self.assertEqual(limits[name], value, name)
        self.assertLessEqual(limits["connections"], 16_384)
        self.assertEqual(limits["connections_per_uid"], limits["connections"] // 2)

    def test_session(self):
        self.hello()
        before = to_ms(self.client.ask("ping")["time"])
        first = self.ask("session", "sessions counted first_seen")
        self.assertEqual((first["sessions"], first["counted"]), (1, True))
        self.assertGreaterEqual(to_ms(first["first_seen"]), before)
        second = self.ask("session", "sessions counted first_seen")
        self.assertEqual(second, first | {"counted": False})

    def test_event(self):
        self.hello()
        self.assertEqual(self.ask("event", "events name_total"), {"events": 1, "name_total": 1})
        self.assertEqual(
            self.client.ask("event", name="saved", count=10_000),
            {"events": 10_001, "name_total": 10_000})
        self.assertEqual(
            self.client.ask("event", name="significant"), {"events": 10_002, "name_total": 2})
        self.assertEqual(
            self.client.ask("status")["events_by_name"], {"significant": 2, "saved": 10_000})

    def test_activity(self):
        self.hello()
        self.assertEqual(
            self.ask("activity", "cancelled restarted"), {"cancelled": False, "restarted": False})
        self.client.ask("request")
        self.assertEqual(self.client.ask("activity"), {"cancelled": True, "restarted": False})
        self.client.ask("request", on_activity="restart")
        self.assertEqual(self.client.ask("activity"), {"cancelled": False, "restarted": True})

    def test_request_pending(self):
        self.hello()
        result = self.ask("request", "decision token fires_in_ms", debounce_ms=5000)
        self.assertEqual((result["decision"], result["fires_in_ms"]), ("pending", 5000))
        self.assertTrue(0 < len(result["token"]) <= 64)

    def test_request_refused(self):
        self.hello()
        self.client.ask("opt_out")
        result = self.ask("request", "decision reasons next_eligible")
        self.assertEqual(
            result, {"decision": "refused", "reasons": ["opted_out"], "next_eligible": None})

    def test_cancel(self):
        self.hello()
        self.assertEqual(self.ask("cancel", "cancelled"), {"cancelled": False})
        self.assertEqual(self.client.ask("cancel", token="none"), {"cancelled": False})
        token = self.client.ask("request")["token"]
        self.assertEqual(self.client.ask("cancel", token=token), {"cancelled": True})
        self.client.ask("request")
        self.assertEqual(self.client.ask("cancel"), {"cancelled": True})

    def test_outcome(self):
        self.hello()
        prompt = self.prompt(self.client, debounce_ms=0)
        self.assertEqual(
            self.ask("outcome", "result", token=prompt["token"], result="rated"),
            {"result": "rated"})

    def test_prompt(self):
        self.hello()
        prompt = self.prompt(self.client, debounce_ms=0)
        self.assertEqual(
            prompt, prompt | {
                "app": APP, "version": "1.4", "prompts_in_window": 1, "cap": 12,
                "review_url": f"appstream://{APP}", "debug": False})
        self.assertEqual(len(prompt), 8, prompt)
        now = to_ms(self.client.ask("ping")["time"])
        self.assertTrue(now - 60_000 <= to_ms(prompt["granted_at"]) <= now)

    def test_cancelled(self):
        self.hello()
        token = self.pending(self.client)
        self.client.ask("cancel")
        self.assertEqual(
            self.client.wait("cancelled"), {"token": token, "app": APP, "reason": "cancelled"})

    def test_status(self):
        members = (
            "app sessions events events_by_name first_seen last_seen version prompts_in_window cap "
            "last_prompt prompted_versions outcome outstanding opted_out pending eligible reasons "
            "next_eligible clock")
        never = self.ask("status", members, app=APP, version="3")
        self.assertEqual(never, never | {
            "app": APP, "sessions": 0, "events": 0, "events_by_name": {}, "first_seen": None,
            "last_seen": None, "prompts_in_window": 0, "cap": 12, "last_prompt": None,
            "prompted_versions": [], "outcome": None, "outstanding": None, "opted_out": False,
            "pending": None, "eligible": True, "reasons": [], "clock": "ok"})
        self.hello()
        self.client.ask("session")
        self.client.ask("event")
        prompt = self.prompt(self.client, debounce_ms=0)
        status = self.ask("status", members)
        self.assertEqual(status, status | {
            "sessions": 1, "events": 1, "version": "1.4", "prompts_in_window": 1,
            "last_prompt": prompt["granted_at"], "prompted_versions": ["1.4"],
            "outstanding": prompt["token"], "eligible": False, "reasons": ["outstanding"]})
        self.client.ask("outcome", token=prompt["token"], result="dismissed")
        token = self.pending(self.client, version="2")
        status = self.client.ask("status")
        self.assertEqual(status["outcome"], "dismissed")
        self.assertEqual(set(status["pending"]), {"token", "version", "fires_in_ms"})
        self.assertEqual((status["pending"]["token"], status["pending"]["version"]), (token, "2"))
        self.assertTrue(0 < status["pending"]["fires_in_ms"] <= 600_000)

    def test_status_explained(self):
        self.hello()
        status = self.client.ask("status", explain=True)
        self.assertLessEqual({"policy", "rules"}, set(status))
        for key, entry in status["policy"].items():
            self.assertEqual(set(entry), {"value", "source"}, key)
        for rule in status["rules"]:
            self.assertEqual(set(rule) - {"at"}, {"rule", "ok", "have", "need"})

    def test_history(self):
        self.hello()
        self.assertEqual(self.ask("history", "grants"), {"grants": []})
        prompt = self.prompt_and(self.client, "later", debounce_ms=0)
        grants = self.client.ask("history")["grants"]
        self.assertEqual(len(grants), 1)
        self.assertEqual(set(grants[0]), {"token", "version", "granted_at", "outcome", "outcome_at"})
        self.assertEqual(
            grants[0], grants[0] | {
                "token": prompt["token"], "version": "1.4", "granted_at": prompt["granted_at"],
                "outcome": "later"})
        self.assertGreaterEqual(to_ms(grants[0]["outcome_at"]), to_ms(prompt["granted_at"]))

    def test_report(self):
        self.hello()
        members = "requests refused_total refused pending cancelled granted outcomes manual_reviews"
        self.assertEqual(self.ask("report", members), {
            "requests": 0, "refused_total": 0, "refused": {}, "pending": 0, "cancelled": {},
            "granted": 0, "outcomes": {}, "manual_reviews": 0})

    def test_review_url(self):
        self.hello()
        self.assertEqual(self.ask("review_url", "url"), {"url": f"appstream://{APP}"})

    def test_subscribe_and_unsubscribe(self):
        self.assertEqual(self.ask("subscribe", "seq", topics=["decisions"]), {"seq": 0})
        self.assertIs(type(self.ask("unsubscribe", "unsubscribed")["unsubscribed"]), bool)

    def test_whoami(self):
        result = self.ask("whoami", "uid pid app identity")
        self.assertEqual(
            (result["uid"], result["pid"], result["app"]), (os.geteuid(), os.getpid(), None))
        self.hello()
        self.assertEqual(self.client.ask("whoami")["app"], APP)
        self.assertEqual(set(result["identity"]), {"source", "verified"})

    def test_apps(self):
        self.assertEqual(self.ask("apps", "apps"), {"apps": []})
        self.hello()
        self.client.ask("session")
        listed = self.ask("apps", "apps")["apps"]
        self.assertEqual(len(listed), 1)
        self.assertEqual(set(listed[0]), {"app", "sessions", "events", "last_seen", "prompts_in_window"})
        self.assertEqual((listed[0]["app"], listed[0]["sessions"]), (APP, 1))

    def test_opt_out_and_opt_in(self):
        self.hello()
        self.assertEqual(self.ask("opt_out", "opted_out"), {"opted_out": True})
        self.assertEqual(self.ask("opt_in", "opted_out"), {"opted_out": False})

    def test_forget(self):
        result = self.ask("forget", "forgotten", app=APP)
        self.assertIs(type(result["forgotten"]), bool)

    def test_repair_clock(self):
        self.assertEqual(self.ask("repair_clock", "repaired"), {"repaired": 0})

    def test_reload(self):
        self.assertEqual(self.ask("reload", "reloaded warnings"), {"reloaded": True, "warnings": []})

    def test_stats_tell_every_limit(self):
        stats = self.client.ask("stats")
        self.assertLessEqual(LIMITS, all_keys(stats))

    def test_ping(self):
        result = self.ask("ping", "pong time")
        self.assertIs(result["pong"], True)
        to_ms(result["time"])

    def test_answers_are_one_line_each_without_control_characters(self):
        self.hello()
        self.client.ask("event", name="é\u2028 \\ \"quoted\"")
        self.client.send_line(self.client.message("status"))
        line = self.client.read_line()
        self.assertIsNone(re.search(rb"[\x00-\x1f]", line))


if __name__ == "__main__":
    unittest.main()
