"""What was acknowledged, and whether a daemon that was started again still knows it."""

import dataclasses

CAP = 3  # `PromptsPerYear` of every app under attack


@dataclasses.dataclass
class App:
    """What clients were told of one app, and the most they may have caused."""

    events: int = 0
    sessions: int = 0
    sent_events: int = 0
    sent_sessions: int = 0
    prompts: dict = dataclasses.field(default_factory=dict)  # token: version
    outcomes: dict = dataclasses.field(default_factory=dict)  # token: result
    is_opted_out: bool = False
    is_forgotten: bool = False
    grants_before: int = 0  # that an older version left
    is_at_rest: bool = False  # nothing is on its way: what was not acknowledged was not done

    def prompted(self, token, version):
        """A prompt arrived; a second one for the same grant is what must never be."""
        if token in self.prompts:
            raise AssertionError(f"{token} was prompted twice")
        self.prompts[token] = version

    def finished(self, token, result):
        if result != "shown":
            self.outcomes[token] = result
        if result == "never":
            self.is_opted_out = True

    def rest(self):
        self.sent_events, self.sent_sessions = self.events, self.sessions
        self.is_at_rest = True

    def faults(self, status, grants):
        """What the daemon says and must not say, in words."""
        tokens = [grant["token"] for grant in grants]
        for key, least, most in (("events", self.events, self.sent_events),
                                 ("sessions", self.sessions, self.sent_sessions)):
            if not least <= status[key] <= most:
                yield f"{status[key]} {key}, {least} were acknowledged and {most} sent"
        if self.is_opted_out and not status["opted_out"]:
            yield "an opt-out is lost"
        if self.is_forgotten and status["events"]:
            yield "what was forgotten is back"
        if len(tokens) != len(set(tokens)):
            yield "a grant is there twice"
        if status["prompts_in_window"] != len(tokens):
            yield f"{status['prompts_in_window']} prompts count, but the ledger has {len(tokens)}"
        if len(tokens) > CAP:
            yield f"{len(tokens)} grants, the cap is {CAP}"
        if self.is_at_rest and len(tokens) > len(self.prompts) + self.grants_before:
            yield f"{len(tokens)} grants, {len(self.prompts)} were prompted"
        if len(tokens) < self.grants_before:
            yield f"{len(tokens)} grants, an older version had made {self.grants_before}"
        for token, version in self.prompts.items():
            row = next((grant for grant in grants if grant["token"] == token), None)
            if row is None:
                yield f"the prompt {token} is not in the ledger"
            elif row["version"] != version:
                yield f"the prompt {token} has version {row['version']}, not {version}"
        for grant in grants:
            result = self.outcomes.get(grant["token"])
            if result and grant["outcome"] != result:
                yield f"the outcome {result} of {grant['token']} is {grant['outcome']}"


def ask_about(client, apps):
    """(status, grants) of every app, asked in as few lines as there may be."""
    answers = {}
    names = list(apps)
    for first in range(0, len(names), 40):
        batch = []
        for name in names[first:first + 40]:
            batch.append(client.message("status", app=name))
            batch.append(client.message("history", app=name, limit=100))
        client.send_line(batch)
        part = client.take(lambda message: isinstance(message, list))
        by_id = {answer["id"]: answer for answer in part}
        for name, status, history in zip(names[first:], batch[::2], batch[1::2]):
            answers[name] = by_id[status["id"]], by_id[history["id"]]
    return answers


def faults(client, apps):
    """All faults of all apps, each with the app's name."""
    found = []
    for name, (status, history) in ask_about(client, apps).items():
        if "error" in status or "error" in history:
            found.append(f"{name}: {status.get('error') or history.get('error')}")
        elif "unavailable" in status["result"]:
            found.append(f"{name}: {status['result']['unavailable']}")
        else:
            grants = history["result"]["grants"]
            found += [f"{name}: {fault}" for fault in apps[name].faults(status["result"], grants)]
    return found
