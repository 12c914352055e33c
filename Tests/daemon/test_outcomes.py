"""Outcomes: what may be reported, by whom, when, and what each leads to."""

import unittest

from base import APP, DaemonTest, easy, ini
from controls import DAY
from ratingd_client import to_ms

FINAL = ("rated", "later", "declined", "never", "dismissed", "failed")


class Outcomes(DaemonTest):
    controls = True
    config = easy(
        DaysAfterLater=14, DaysAfterDeclined=90, DaysAfterRated=365, OutcomeTimeoutSec=600)

    def setUp(self):
        super().setUp()
        self.clock.freeze()
        self.client = self.connect(APP)

    def report(self, token, result, client=None):
        self.assertEqual(
            (client or self.client).ask("outcome", token=token, result=result), {"result": result})

    def assert_conflict(self, token, result, stands):
        self.assert_error(
            self.client.error("outcome", token=token, result=result), "conflict", outcome=stands)

    def test_every_final_outcome_stands_and_the_same_again_is_fine(self):
        for number, result in enumerate(FINAL):
            with self.subTest(result=result):
                app = f"org.outcome{number}"
                token = self.prompt(self.client, app=app, version="1")["token"]
                for _ in range(3):
                    self.report(token, result)
                for other in FINAL:
                    if other != result:
                        self.assert_conflict(token, other, result)
                self.assertEqual(self.client.ask("status", app=app)["outcome"], result)
                grants = self.client.ask("history", app=app)["grants"]
                self.assertEqual([g["outcome"] for g in grants], [result])

    def test_no_outcome_gives_a_grant_back(self):
        for number, result in enumerate(FINAL):
            app = f"org.outcome{number}"
            self.prompt_and(self.client, result, app=app, version="1")
            status = self.client.ask("status", app=app)
            self.assertEqual(status["prompts_in_window"], 1)
            self.assertEqual(status["prompted_versions"], ["1"])

    def test_shown_and_then_one_more(self):
        token = self.prompt(self.client)["token"]
        self.report(token, "shown")
        self.report(token, "shown")
        self.assertEqual(self.client.ask("status")["outstanding"], token)
        self.report(token, "later")
        self.assertIsNone(self.client.ask("status")["outstanding"])
        self.assert_conflict(token, "rated", "later")

    def test_shown_starts_the_time_out_anew(self):
        token = self.prompt(self.client)["token"]
        self.clock.advance(seconds=599)
        self.report(token, "shown")
        self.clock.advance(seconds=599)
        self.assertEqual(self.client.ask("status")["outstanding"], token)
        self.clock.advance(seconds=1)
        self.assertIsNone(self.client.ask("status")["outstanding"])
        self.assertEqual(self.client.ask("status")["outcome"], "unknown")

    def test_late_outcomes_are_accepted(self):
        for result in ("rated", "never"):
            app = f"org.late.{result}"
            token = self.prompt(self.client, app=app, version="1")["token"]
            self.clock.advance(days=3)
            self.assertEqual(self.client.ask("status", app=app)["outcome"], "unknown")
            self.report(token, result)
            self.assertEqual(self.client.ask("status", app=app)["outcome"], result)
            self.assert_conflict(token, "dismissed", result)

    def test_a_late_shown_changes_nothing(self):
        token = self.prompt(self.client)["token"]
        self.clock.advance(seconds=600)
        self.report(token, "shown")
        status = self.client.ask("status")
        self.assertEqual((status["outcome"], status["outstanding"]), ("unknown", None))
        self.report(token, "rated")
        self.assertEqual(self.client.ask("status")["outcome"], "rated")

    def test_later_declined_and_rated_count_from_when_they_were_reported(self):
        for result, days, more in (("later", 14, 0), ("declined", 90, 0), ("rated", 365, 1)):
            with self.subTest(result=result):
                app = f"org.{result}"
                token = self.prompt(self.client, app=app, version="1")["token"]
                self.clock.advance(seconds=120)
                self.report(token, result)
                reported = self.clock.now()
                refused = self.client.ask("request", app=app, version="2")
                self.assert_refused(refused, result)
                self.assertEqual(to_ms(refused["next_eligible"]), reported + days * DAY + more)
                self.clock.advance(days * DAY + more - 1)
                self.assert_refused(self.client.ask("request", app=app, version="2"), result)
                self.clock.advance(1)
                self.prompt(self.client, app=app, version="2")

    def test_dismissed_counts_like_later(self):
        self.prompt_and(self.client, "dismissed")
        self.assert_refused(self.client.ask("request", version="2"), "later")

    def test_each_kind_is_remembered_beside_the_others(self):
        tokens = []
        for version in ("1", "2", "3"):
            tokens.append(self.prompt(self.client, version=version)["token"])
            self.clock.advance(seconds=600)
        for token, result in zip(tokens, ("declined", "rated", "later")):
            self.report(token, result)
        reported = self.clock.now()
        refused = self.client.ask("request", version="4")
        self.assert_refused(refused, "later", "declined", "rated")
        self.assertEqual(to_ms(refused["next_eligible"]), reported + 365 * DAY + 1)
        self.clock.advance(days=14)
        self.assert_refused(self.client.ask("request", version="4"), "declined", "rated")
        self.clock.advance(days=76)
        self.assert_refused(self.client.ask("request", version="4"), "rated")

    def test_rated_needs_another_version_than_the_one_rated(self):
        self.prompt_and(self.client, "rated", version="1")
        self.clock.advance(days=3650)
        refused = self.client.ask("request", version="1")
        self.assert_refused(refused, "rated")
        self.assertIsNone(refused["next_eligible"])
        self.prompt(self.client, version="2")

    def test_never_opts_the_app_out_until_opt_in(self):
        self.prompt_and(self.client, "never")
        self.assertTrue(self.client.ask("status")["opted_out"])
        self.clock.advance(days=3650)
        refused = self.client.ask("request", version="2")
        self.assert_refused(refused, "opted_out")
        self.assertIsNone(refused["next_eligible"])
        self.daemon.restart()
        client = self.connect(APP, "2")
        self.assert_refused(client.ask("request"), "opted_out")
        self.assertEqual(client.ask("opt_in"), {"opted_out": False})
        self.prompt(client)

    def test_failed_blocks_nothing_but_is_a_grant(self):
        self.prompt_and(self.client, "failed")
        self.assertEqual(self.client.ask("status")["prompts_in_window"], 1)
        self.prompt(self.client, version="2")

    def test_another_connection_of_the_user_may_report(self):
        token = self.prompt(self.client)["token"]
        self.report(token, "rated", self.connect())
        self.report(token, "rated", self.connect("org.other"))

    def test_an_outcome_survives_a_kill(self):
        prompts = {result: self.prompt_and(self.client, result, app=f"org.{result}", version="1")
                   for result in FINAL}
        self.daemon.kill()
        self.daemon.start()
        client = self.connect()
        for result, prompt in prompts.items():
            grants = client.ask("history", app=f"org.{result}")["grants"]
            self.assertEqual([(g["token"], g["outcome"]) for g in grants], [(prompt["token"], result)])
        self.assertTrue(client.ask("status", app="org.never")["opted_out"])

    def test_an_outcome_and_a_request_in_one_write(self):
        for result, reason in (("rated", "rated"), ("later", "later"), ("never", "opted_out")):
            with self.subTest(result=result):
                app = f"org.pair.{result}"
                client = self.connect(app)
                token = self.prompt(client)["token"]
                client.send(
                    b'{"method":"outcome","id":"o","params":{"token":"%s","result":"%s"}}\n'
                    b'{"method":"request","id":"r","params":{"version":"2"}}\n'
                    % (token.encode(), result.encode()))
                self.assertEqual(client.answer("o")["result"], {"result": result})
                self.assert_refused(client.answer("r")["result"], reason)

    def test_unknown_tokens(self):
        for token in ("", "x" * 1000, "é", "' OR 1=1 --", "a\u0000b"):
            with self.subTest(token=token[:20]):
                error = self.client.error("outcome", token=token, result="rated")
                self.assertIn(error["data"]["reason"], ("not_found", "invalid_params"))


class RatedNeverAgain(DaemonTest):
    controls = True
    config = ini(
        Policy={"SessionsUntilPrompt": 0, "EventsUntilPrompt": 0, "DaysUntilPrompt": 0,
                "DebounceMs": 0, "DaysAfterRated": -1})

    def test_minus_one_is_never_again(self):
        self.clock.freeze()
        client = self.connect(APP)
        self.prompt_and(client, "rated")
        self.clock.advance(days=36_500)
        refused = client.ask("request", version="2")
        self.assert_refused(refused, "rated")
        self.assertIsNone(refused["next_eligible"])


if __name__ == "__main__":
    unittest.main()
