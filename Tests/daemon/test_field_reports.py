"""Public reports about rating prompts elsewhere, each with what must hold here."""

import unittest

from base import APP, DaemonTest, easy, ini
from controls import DAY
from ratingd_client import to_ms


class FieldReports(DaemonTest):
    controls = True

    def setUp(self):
        super().setUp()
        self.clock.freeze(1_790_000_000_000)
        self.client = self.connect(APP)

    def configure(self, text):
        self.daemon.write_config("ratingd.conf", text)
        self.client.ask("reload")

    def test_a_prompt_its_outcome_and_a_request_in_one_write(self):
        self.configure(easy(OncePerVersion="yes"))
        token = self.prompt(self.client)["token"]
        self.client.send(
            b'{"method":"outcome","id":"o","params":{"token":"%s","result":"rated"}}\n'
            b'{"method":"request","id":"r"}\n' % token.encode())
        self.assert_refused(self.client.answer("r")["result"], "version", "rated")

    def test_an_update_resets_no_counter(self):
        self.configure(easy(DaysUntilPrompt=10))
        self.client.ask("session")
        self.clock.advance(days=9)
        updated = self.connect(APP, "2.0")
        updated.ask("session")
        self.assert_refused(updated.ask("request"), "days")
        self.clock.advance(days=1)
        self.prompt(updated)

    def test_later_and_ten_starts_within_the_interval(self):
        self.configure(easy(DaysAfterLater=14, SessionGapSec=0, OncePerVersion="yes"))
        self.prompt_and(self.client, "later", version="2.0")
        for _ in range(10):
            self.clock.advance(days=1)
            client = self.connect(APP, "2.0")
            client.ask("session")
            self.assert_refused(client.ask("request"), "version", "later")
            self.assert_refused(client.ask("request", version="2.1"), "later")
            client.close()

    def test_intervals_whose_milliseconds_do_not_fit_32_bits(self):
        for days in (24, 25, 30, 50, 365):
            self.configure(easy(MinIntervalDays=days))
            app = f"org.days{days}"
            self.prompt_and(self.client, "failed", app=app, version="1")
            self.clock.advance(seconds=3600)
            self.assert_refused(self.client.ask("request", app=app, version="2"), "interval")
        self.assertEqual(self.client.notifications(), [])

    def test_an_interval_of_36501_days_is_no_value(self):
        self.daemon.write_config("ratingd.conf", ini(Policy={"MinIntervalDays": 36_501}))
        self.assertEqual(len(self.client.ask("reload")["warnings"]), 1)
        clamped = self.connect("org.x", policy={"min_interval_days": 36_501}).hello["clamped"]
        self.assertEqual(clamped, ["min_interval_days"])

    def test_a_refusal_says_when(self):
        self.configure(easy(PromptsPerYear=1))
        granted = to_ms(self.prompt_and(self.client, "failed")["granted_at"])
        refused = self.client.ask("request")
        self.assert_refused(refused, "annual_cap")
        self.assertEqual(to_ms(refused["next_eligible"]), granted + 365 * DAY)

    def test_closing_the_window_is_remembered(self):
        self.configure(easy(OncePerVersion="yes", MinIntervalDays=7))
        self.prompt(self.client)
        self.client.close()
        self.clock.advance(seconds=600)
        client = self.connect(APP)
        self.assertEqual(client.ask("status")["outcome"], "unknown")
        self.assert_refused(client.ask("request"), "version", "interval")
        self.assert_refused(client.ask("request", version="2"), "interval")

    def test_a_veto_costs_nothing(self):
        client = self.connect(APP, confirm=lambda params: False)
        before = client.ask("status", explain=True)
        self.pending(client, confirm=True)
        self.assertEqual(client.wait("cancelled")["reason"], "declined_by_app")
        self.assertEqual(client.ask("status", explain=True), before)

    def test_nothing_a_client_can_send_skips_the_cap(self):
        self.configure(easy(PromptsPerYear=1))
        self.prompt_and(self.client, "failed")
        for params in (
                {"force": True}, {"immediately": True}, {"debug": True}, {"debug": None},
                {"debounce_ms": 0, "version": "new"}, {"deliver": "agent"}, {"confirm": False},
                {"policy": {"prompts_per_year": 12}}, {"uid": 0}):
            self.client.call("request", **params)
        other = self.connect(APP, "3", policy={"prompts_per_year": 12, "enabled": True})
        self.assert_refused(other.ask("request"), "annual_cap")
        self.assertEqual(len(other.ask("history")["grants"]), 1)

    def test_a_window_that_closes_during_the_wait_consumes_nothing(self):
        client = self.connect(APP)
        client.ask("request", debounce_ms=200)
        client.close()
        again = self.connect(APP)
        self.assertEqual(again.ask("history")["grants"], [])
        self.prompt(again)

    def test_disabled_for_everyone_stops_every_prompt_and_counters_go_on(self):
        for text in (easy(Enabled="no"), easy(user={"Enabled": "no"})):
            self.configure(text)
            before = self.client.ask("status")["events"]
            self.client.ask("event")
            self.assert_refused(self.client.ask("request"), "disabled")
            self.assertEqual(self.client.ask("status")["events"], before + 1)

    def test_disabled_while_one_waits(self):
        token = self.pending(self.client, debounce_ms=300)
        self.configure(easy(Enabled="no"))
        self.assertEqual(self.client.wait("cancelled"), {
            "token": token, "app": APP, "reason": "ineligible", "reasons": ["disabled"]})

    def test_a_clock_two_years_ahead_and_back_again(self):
        self.configure(easy(PromptsPerYear=1))
        self.clock.advance(days=730)
        self.prompt_and(self.client, "failed")
        self.clock.advance(days=-730)
        self.daemon.restart()
        client = self.connect(APP)
        self.assert_refused(client.ask("request"), "annual_cap")
        client.ask("session")
        client.ask("status", explain=True)


if __name__ == "__main__":
    unittest.main()
