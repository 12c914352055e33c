"""The rules of the protocol page once more, in Python: what `status` must say of an app.

All times are milliseconds. `Policy` holds the keys of the files; a `User` the apps of one uid.
"""

import dataclasses

from controls import DAY

WINDOW = 365 * DAY
DEFAULTS = {
    "SessionsUntilPrompt": 3, "EventsUntilPrompt": 10, "DaysUntilPrompt": 7, "SessionGapSec": 1800,
    "OncePerVersion": "yes", "MinIntervalDays": 7, "PromptsPerYear": 3, "DaysAfterLater": 14,
    "DaysAfterDeclined": 90, "DaysAfterRated": 365, "OutcomeTimeoutSec": 600, "Enabled": "yes",
}
USER_DEFAULTS = {"Enabled": "yes", "MinIntervalDays": 1, "PromptsPerYear": 12}
NEVER = None


@dataclasses.dataclass
class Grant:
    version: str
    at: int
    open_since: int
    outcome: str | None = None
    shown: bool = False


@dataclasses.dataclass
class App:
    sessions: int = 0
    events: dict = dataclasses.field(default_factory=dict)
    first_seen: int | None = None
    last_session: int | None = None
    grants: list = dataclasses.field(default_factory=list)
    opted_out: bool = False
    later: int | None = None
    declined: int | None = None
    rated: int | None = None
    rated_versions: set = dataclasses.field(default_factory=set)


class User:
    def __init__(self, policy=None, user=None, events=None):
        self.policy = DEFAULTS | (policy or {})
        self.user = USER_DEFAULTS | (user or {})
        self.needs = events or {}
        self.apps = {}

    def app(self, name):
        return self.apps.setdefault(name, App())

    # What happened

    def session(self, name, now):
        app = self.app(name)
        gap = self.policy["SessionGapSec"] * 1000
        counted = app.last_session is None or now - app.last_session >= gap
        app.last_session = now
        app.sessions += counted
        app.first_seen = now if app.first_seen is None else app.first_seen
        return counted

    def event(self, name, event, count, now):
        app = self.app(name)
        app.events[event] = app.events.get(event, 0) + count
        app.first_seen = now if app.first_seen is None else app.first_seen

    def granted(self, name, version, now):
        self.app(name).grants.append(Grant(version, now, now))

    def reported(self, name, result, now):
        """The outcome of the app's last grant."""
        app = self.app(name)
        grant = app.grants[-1]
        if result == "shown":
            if not grant.shown and now - grant.open_since < self.timeout:
                grant.open_since, grant.shown = now, True
            return
        grant.outcome = result
        if result in ("later", "dismissed"):
            app.later = now
        elif result == "declined":
            app.declined = now
        elif result == "rated":
            app.rated = now
            app.rated_versions.add(grant.version)
        elif result == "never":
            app.opted_out = True

    @property
    def timeout(self):
        return self.policy["OutcomeTimeoutSec"] * 1000

    # What follows

    def rules(self, name, version, now):
        """[(rule, from when on it holds)] in the order of the page; NEVER if waiting does not help."""
        policy, app = self.policy, self.apps.get(name, App())
        always, grants = now, app.grants
        every = [grant for other in self.apps.values() for grant in other.grants]

        def when(holds):
            return always if holds else NEVER

        def after(last, days, extra=0):
            """A stamp of the future has age 0, which is enough where 0 days are wanted."""
            if last is None or days + extra == 0:
                return always
            return last + days * DAY + extra

        def cap(rows, limit):
            if limit == 0:
                return NEVER
            times = sorted(grant.at for grant in rows)
            return always if len(times) < limit else times[-limit] + WINDOW

        yield "disabled", when(policy["Enabled"] == "yes" and self.user["Enabled"] == "yes")
        yield "opted_out", when(not app.opted_out)
        is_open = grants and grants[-1].outcome is None
        yield "outstanding", grants[-1].open_since + self.timeout if is_open else always
        yield "sessions", when(app.sessions >= policy["SessionsUntilPrompt"])
        yield "events", when(sum(app.events.values()) >= policy["EventsUntilPrompt"])
        for event, need in sorted(self.needs.items()):
            yield f"event:{event}", when(app.events.get(event, 0) >= need)
        days = policy["DaysUntilPrompt"]
        if app.first_seen is None:
            yield "days", when(days == 0)
        else:
            yield "days", after(app.first_seen, days)
        seen = version in [grant.version for grant in grants]
        yield "version", when(policy["OncePerVersion"] == "no" or not seen)
        last = max((grant.at for grant in grants), default=None)
        yield "interval", after(last, policy["MinIntervalDays"])
        yield "annual_cap", cap(grants, policy["PromptsPerYear"])
        last = max((grant.at for grant in every), default=None)
        yield "user_interval", after(last, self.user["MinIntervalDays"])
        yield "user_cap", cap(every, self.user["PromptsPerYear"])
        yield "later", after(app.later, policy["DaysAfterLater"])
        yield "declined", after(app.declined, policy["DaysAfterDeclined"])
        if app.rated is None:
            yield "rated", always
        elif version in app.rated_versions or policy["DaysAfterRated"] == -1:
            yield "rated", NEVER
        else:
            yield "rated", after(app.rated, policy["DaysAfterRated"], 1)

    def reasons(self, name, version, now):
        return [rule for rule, at in self.rules(name, version, now) if at is NEVER or at > now]

    def next_eligible(self, name, version, now):
        times = [at for _, at in self.rules(name, version, now)]
        return None if NEVER in times else max(times + [now])
