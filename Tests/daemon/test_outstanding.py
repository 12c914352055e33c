"""Prompts without an outcome yet, and prompts for trying things out."""

import unittest

from base import APP, DaemonTest, easy
from ratingd_client import kinds, to_ms


class Outstanding(DaemonTest):
    controls = True
    config = easy(OutcomeTimeoutSec=600)

    def test_no_second_prompt_until_an_outcome_or_its_time_out(self):
        self.clock.freeze()
        client = self.connect(APP)
        prompt = self.prompt(client)
        refused = client.ask("request")
        self.assert_refused(refused, "outstanding")
        self.assertEqual(to_ms(refused["next_eligible"]), to_ms(prompt["granted_at"]) + 600_000)
        self.clock.advance(599_999)
        self.assert_refused(client.ask("request"), "outstanding")
        self.assertIsNone(client.ask("status")["outcome"])
        self.clock.advance(1)
        self.assertEqual(client.ask("status")["outcome"], "unknown")
        self.assertEqual(client.ask("history")["grants"][0]["outcome"], "unknown")
        self.prompt(client)

    def test_twenty_requests_without_an_outcome_are_one_prompt(self):
        client = self.connect(APP)
        for _ in range(20):
            client.notify("event")
            client.begin("request")
        client.wait("prompt")
        self.assertNotIn("prompt", [method for method, _ in client.notifications()])
        self.assertEqual(len(client.ask("history")["grants"]), 1)

    def test_a_reconnect_without_an_outcome_gets_no_second_prompt(self):
        client = self.connect(APP)
        token = self.prompt(client)["token"]
        client.close()
        client = self.connect(APP)
        self.assert_refused(client.ask("request"), "outstanding")
        self.assertEqual(client.ask("status")["outstanding"], token)
        self.daemon.restart()
        client = self.connect(APP)
        self.assert_refused(client.ask("request"), "outstanding")
        self.assertEqual(client.ask("outcome", token=token, result="rated"), {"result": "rated"})
        self.assertEqual(kinds(client.inbox), [])


class Debug(DaemonTest):
    controls = True
    config = easy(AllowDebug="yes", SessionsUntilPrompt=5, DebounceMs=600_000)

    def setUp(self):
        super().setUp()
        self.clock.freeze()
        self.client = self.connect(APP)

    def snapshot(self):
        return [self.client.ask("status", explain=True), self.client.ask("history"),
                self.client.ask("report"), self.client.ask("apps")]

    def debug_prompt(self):
        identifier = self.client.begin("request", debug=True)
        answer, prompt = self.client.next(), self.client.next()
        self.assertEqual(answer["id"], identifier)
        result = answer["result"]
        self.assertEqual(
            result, {"decision": "pending", "token": result["token"], "fires_in_ms": 0, "debug": True})
        self.assertEqual((prompt["method"], prompt["params"]["token"]), ("prompt", result["token"]))
        self.assertIs(prompt["params"]["debug"], True)
        return result["token"]

    def test_the_prompt_follows_at_once_and_nothing_changes(self):
        self.client.ask("event", count=3)
        before = self.snapshot()
        tokens = [self.debug_prompt() for _ in range(5)]
        for token, outcome in zip(tokens, ("rated", "never", "later", "declined", "shown")):
            self.client.ask("outcome", token=token, result=outcome)
        self.assertEqual(self.snapshot(), before)

    def test_a_real_pending_request_is_left_alone(self):
        self.client.ask("session")
        self.daemon.write_config("ratingd.conf", easy(AllowDebug="yes", DebounceMs=600_000))
        self.client.ask("reload")
        token = self.pending(self.client)
        self.debug_prompt()
        self.assertEqual(self.client.ask("status")["pending"]["token"], token)
        self.assertEqual(self.client.notifications(), [])

    def test_opted_out_and_disabled_still_refuse(self):
        self.client.ask("opt_out")
        self.assert_refused(self.client.ask("request", debug=True), "opted_out")
        self.client.ask("opt_in")
        self.daemon.write_config("ratingd.conf", easy(AllowDebug="yes", Enabled="no"))
        self.client.ask("reload")
        self.assert_refused(self.client.ask("request", debug=True), "disabled")

    def test_debug_false_is_an_ordinary_request(self):
        self.assert_refused(self.client.ask("request", debug=False), "sessions")


if __name__ == "__main__":
    unittest.main()
