"""Years of drawn app lives, the wall clock in our hands: the daemon and the model must agree."""

import os
import random
import unittest

from base import DaemonTest, ini
from controls import DAY
from policy_model import User
from ratingd_client import from_ms

OUTCOMES = ("rated", "later", "declined", "dismissed", "failed", "shown", "never")
WHAT = ("wait", "wait", "session", "event", "request", "request", "outcome", "opt_in", "restart")
STEPS = (0, 1, 999, 1000, 59_999, 600_000, 1_799_999, 1_800_000, 3_600_000, DAY - 1, DAY, 2 * DAY,
         7 * DAY, 14 * DAY, 30 * DAY, 90 * DAY, 365 * DAY, 365 * DAY + 1)


class Timelines(DaemonTest):
    controls = True

    def live(self, seed, policy=None, user=None, events=None, steps=250):
        print(f"seed {seed}")
        draw = random.Random(seed)
        model = User(policy, user, events)
        sections = {f"Event_{name}": {"Need": need} for name, need in (events or {}).items()}
        daemon = self.make_daemon(
            ini(Policy=(policy or {}) | {"DebounceMs": 0}, User=user or {}, **sections),
            controls=True)
        daemon.controls.freeze(1_700_000_000_000 + draw.randrange(10**10))
        client = daemon.start().connect()
        apps = ["org.a", "org.b", "org.c"]
        for step in range(steps):
            now = daemon.controls.now()
            app, version = draw.choice(apps), draw.choice(("1", "2", "3", "4", str(step)))
            match draw.choice(WHAT):
                case "wait":
                    daemon.controls.advance(draw.choice(STEPS))
                case "session":
                    result = client.ask("session", app=app, version=version)
                    self.assertEqual(result["counted"], model.session(app, now))
                    self.assertEqual(result["sessions"], model.app(app).sessions)
                case "event":
                    name, count = draw.choice(("significant", "saved")), draw.choice((1, 2, 5))
                    client.ask("event", app=app, name=name, count=count)
                    model.event(app, name, count, now)
                case "request":
                    self.request(client, model, app, version, now)
                case "outcome":
                    self.outcome(client, model, app, draw.choice(OUTCOMES), now)
                case "opt_in" if draw.random() < 0.3:
                    client.ask("opt_in", app=app)
                    model.app(app).opted_out = False
                case "restart" if draw.random() < 0.1:
                    draw.choice((daemon.stop, daemon.kill))()
                    client = daemon.start().connect()
            self.compare(client, model, app, version, daemon.controls.now())
        self.check_ledger(client, model, apps)

    def request(self, client, model, app, version, now):
        reasons = model.reasons(app, version, now)
        result = client.ask("request", app=app, version=version)
        if reasons:
            self.assert_refused(result, *reasons)
        else:
            self.assertEqual(result["decision"], "pending", result)
            prompt = client.wait("prompt")
            self.assertEqual(prompt["granted_at"], from_ms(now))
            model.granted(app, version, now)

    def outcome(self, client, model, app, result, now):
        grants = client.ask("history", app=app, limit=1)["grants"]
        if not grants or model.app(app).grants[-1].outcome is not None:
            return
        client.ask("outcome", token=grants[0]["token"], result=result)
        model.reported(app, result, now)

    def compare(self, client, model, app, version, now):
        status = client.ask("status", app=app, version=version)
        self.assertEqual(status["reasons"], model.reasons(app, version, now), (app, version, now))
        expected = model.next_eligible(app, version, now)
        self.assertEqual(
            status["next_eligible"], None if expected is None else from_ms(expected),
            (app, version, status["reasons"]))
        self.assertEqual(status["eligible"], not status["reasons"])

    def check_ledger(self, client, model, apps):
        for app in apps:
            rows = client.ask("history", app=app, limit=1000)["grants"]
            self.assertEqual(
                [(row["version"], row["granted_at"]) for row in reversed(rows)],
                [(grant.version, from_ms(grant.at)) for grant in model.app(app).grants])

    def seed(self):
        return int(os.environ.get("RATINGD_TEST_SEED", random.randrange(10**9)))

    def test_under_the_defaults(self):
        self.live(self.seed())

    def test_under_light_thresholds(self):
        self.live(self.seed(), {
            "SessionsUntilPrompt": 1, "EventsUntilPrompt": 2, "DaysUntilPrompt": 1}, {},
            {"saved": 2})

    def test_where_only_the_caps_hold_back(self):
        self.live(self.seed(), {
            "SessionsUntilPrompt": 0, "EventsUntilPrompt": 0, "DaysUntilPrompt": 0,
            "MinIntervalDays": 0, "OncePerVersion": "no", "PromptsPerYear": 2, "DaysAfterLater": 0,
            "DaysAfterDeclined": 0, "DaysAfterRated": 0, "OutcomeTimeoutSec": 1},
            {"MinIntervalDays": 0, "PromptsPerYear": 4})

    def test_with_long_intervals(self):
        self.live(self.seed(), {
            "SessionsUntilPrompt": 0, "EventsUntilPrompt": 1, "DaysUntilPrompt": 0,
            "MinIntervalDays": 25, "PromptsPerYear": 12, "DaysAfterLater": 50,
            "DaysAfterDeclined": 36_500, "DaysAfterRated": -1}, {"MinIntervalDays": 0})


if __name__ == "__main__":
    unittest.main()
