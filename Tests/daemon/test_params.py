"""Bad params of every method: unknown members, null, wrong types, values out of range."""

import unittest

from base import APP, DaemonTest

# method: (params that are fine, {member: values that are not})
NOT_STRINGS = [1, True, 1.5, [], ["a"], {}]
NOT_BOOLEANS = [0, 1, "true", "yes", [], {}]
BAD_APPS = NOT_STRINGS + [
    "", ".a", "1a", "-a", "a..b", "a.", "a b", "a/b", "../a", "é", "a\n", "a\u0000", "a" * 256, "a:b",
    "a@b", "a\\b", "%a", "a.b.", "..",
]
BAD_VERSIONS = NOT_STRINGS + ["", "x" * 65, "é" * 33]
BAD_NAMES = NOT_STRINGS + [
    "", "x" * 65, "é" * 33, "a\u0000", "a\nb", "\u001b[31m", "\u007f", "a[b", "a]b", "[x]", "\t",
    "\u0085",
]
BAD_TIMES = NOT_STRINGS + ["", "yesterday", "2026-13-01T00:00:00Z", "2026-02-30T00:00:00.000Z", "2026"]


def not_integers(low, high):
    return [low - 1, high + 1, "1", True, None, [], {}, 1.5, 1.0, -(2**53 - 1), 2**53 - 1]


CASES = {
    "hello": ({"app": APP, "version": "1"}, {
        "app": BAD_APPS, "version": BAD_VERSIONS, "policy": [1, "x", [], True]}),
    "session": ({"app": APP, "version": "1"}, {"app": BAD_APPS, "version": BAD_VERSIONS}),
    "event": ({"app": APP}, {
        "app": BAD_APPS, "name": BAD_NAMES, "count": not_integers(1, 10_000)}),
    "activity": ({"app": APP}, {"app": BAD_APPS}),
    "request": ({"app": APP, "version": "1"}, {
        "app": BAD_APPS, "version": BAD_VERSIONS, "debounce_ms": not_integers(0, 600_000),
        "on_activity": NOT_STRINGS + ["", "Cancel", "stop"], "confirm": NOT_BOOLEANS,
        "deliver": NOT_STRINGS + ["", "Self", "all"], "debug": NOT_BOOLEANS}),
    "cancel": ({"app": APP}, {"app": BAD_APPS}),
    "outcome": ({"token": "x", "result": "rated"}, {
        "token": NOT_STRINGS, "result": NOT_STRINGS + ["", "Rated", "unknown", "ok", "stars"]}),
    "status": ({"app": APP}, {
        "app": BAD_APPS, "version": BAD_VERSIONS, "explain": NOT_BOOLEANS}),
    "history": ({"app": APP}, {"app": BAD_APPS, "limit": not_integers(1, 1000)}),
    "report": ({"app": APP}, {"app": BAD_APPS, "since": BAD_TIMES}),
    "review_url": ({"app": APP}, {"app": BAD_APPS}),
    "subscribe": ({"topics": ["decisions"]}, {
        "topics": [1, "decisions", {}, True, ["nope"], [1], [None], ["decisions", "Counters"]],
        "apps": [1, APP, {}, True, [1], [None], ["a..b"], [""]], "agent": NOT_BOOLEANS}),
    "unsubscribe": ({}, {}),
    "whoami": ({}, {}),
    "apps": ({}, {"cursor": NOT_STRINGS, "limit": not_integers(1, 1000)}),
    "opt_out": ({"app": APP}, {"app": BAD_APPS}),
    "opt_in": ({"app": APP}, {"app": BAD_APPS}),
    "forget": ({"app": APP}, {"app": BAD_APPS, "ledger": NOT_BOOLEANS}),
    "repair_clock": ({}, {}),
    "reload": ({}, {}),
    "stats": ({}, {}),
    "ping": ({}, {}),
}


class BadParams(DaemonTest):
    def setUp(self):
        super().setUp()
        self.client = self.connect()

    def assert_invalid(self, method, params, field):
        self.assert_error(self.client.error(method, **params), "invalid_params", field=field)

    def test_bad_values(self):
        for method, (good, members) in CASES.items():
            for member, values in members.items():
                for value in values + [None]:
                    with self.subTest(method=method, member=member, value=str(value)[:40]):
                        self.assert_invalid(method, good | {member: value}, member)

    def test_unknown_members(self):
        for method, (good, _) in CASES.items():
            for name in ("x", "App", "", "\u0000", "uids", "params"):
                for value in (1, None, {"deep": []}):
                    with self.subTest(method=method, name=name, value=value):
                        self.assert_invalid(method, good | {name: value}, name)

    def test_members_of_other_methods(self):
        for method, member in (
                ("ping", "app"), ("event", "version"), ("activity", "version"), ("stats", "app"),
                ("session", "count"), ("session", "policy"), ("reload", "app"), ("whoami", "app"),
                ("history", "cursor"), ("cancel", "version"), ("outcome", "app"),
                ("review_url", "version"), ("unsubscribe", "topics"), ("apps", "app")):
            with self.subTest(method=method, member=member):
                self.assert_invalid(method, CASES[method][0] | {member: "x"}, member)

    def test_uid_is_for_system_daemons(self):
        for method in ("status", "history", "report", "apps", "opt_out", "opt_in", "forget"):
            with self.subTest(method=method):
                error = self.client.error(method, **CASES[method][0], uid=0)
                self.assertIn(error["data"]["reason"], ("invalid_params", "not_permitted"))

    def test_missing_members(self):
        for method, params, field in (
                ("hello", {}, "app"), ("hello", {"app": APP}, "version"),
                ("hello", {"version": "1"}, "app"), ("outcome", {}, "token"),
                ("outcome", {"token": "x"}, "result"), ("forget", {}, "app"),
                ("session", {}, "app"), ("event", {}, "app"), ("activity", {}, "app"),
                ("request", {}, "app"), ("request", {"app": APP}, "version"),
                ("status", {}, "app"), ("history", {}, "app"), ("review_url", {}, "app"),
                ("opt_out", {}, "app"), ("opt_in", {}, "app")):
            with self.subTest(method=method, params=params):
                self.assert_invalid(method, params, field)

    def test_forget_takes_no_app_from_hello(self):
        client = self.connect(APP)
        self.assert_error(client.error("forget"), "invalid_params", field="app")
        self.assert_error(client.error("forget", ledger=True), "invalid_params", field="app")

    def test_cancel_takes_an_app_or_a_token(self):
        error = self.client.error("cancel", app=APP, token="x")
        self.assert_error(error, "invalid_params")
        self.assertIn(error["data"]["field"], ("app", "token"))

    def test_opt_out_takes_an_app_or_all(self):
        for method in ("opt_out", "opt_in"):
            error = self.client.error(method, app=APP, all=True)
            self.assert_error(error, "invalid_params")
            for value in (False, 1, "true", None):
                with self.subTest(method=method, all=value):
                    self.assert_error(
                        self.client.error(method, all=value), "invalid_params", field="all")

    def test_subscribe_needs_topics_or_agent(self):
        for params in ({}, {"apps": [APP]}):
            with self.subTest(params=params):
                self.assert_error(self.client.error("subscribe", **params), "invalid_params")

    def test_values_at_the_limits_are_fine(self):
        self.client.ask("hello", app=APP, version="1")
        for method, params in (
                ("event", {"count": 1}), ("event", {"count": 10_000}), ("history", {"limit": 1}),
                ("history", {"limit": 1000}), ("apps", {"limit": 1}), ("apps", {"limit": 1000}),
                ("request", {"debounce_ms": 600_000}), ("request", {"debounce_ms": 0}),
                ("report", {"since": "2026-01-01T00:00:00.000Z"}),
                ("report", {"since": "2026-01-01T00:00:00Z"}), ("forget", {"app": APP, "ledger": False}),
                ("subscribe", {"agent": True}), ("subscribe", {"topics": ["counters"], "apps": [APP]})):
            with self.subTest(method=method, params=params):
                self.client.ask(method, **params)

    def test_nothing_bad_has_left_a_trace(self):
        self.test_bad_values()
        self.test_missing_members()
        self.assertEqual(self.client.ask("apps"), {"apps": []})
        self.assertEqual(self.client.ask("status", app=APP)["events"], 0)


if __name__ == "__main__":
    unittest.main()
