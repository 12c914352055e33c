"""A wall clock that is set back and forth: nothing frees the cap, nothing crashes, nothing sticks."""

import unittest

from base import APP, DaemonTest, easy
from controls import DAY
from ratingd_client import from_ms, to_ms


class Clock(DaemonTest):
    controls = True
    config = easy(PromptsPerYear=3)

    def setUp(self):
        super().setUp()
        self.clock.freeze(1_790_000_000_000)
        self.client = self.connect(APP)

    def fill(self):
        """Three grants at the daemon's present time."""
        return [to_ms(self.prompt_and(self.client, "failed")["granted_at"]) for _ in range(3)]

    def assert_capped(self):
        self.assert_refused(self.client.ask("request"), "annual_cap")

    def restart(self):
        self.daemon.restart()
        self.client = self.connect(APP)


class SetBack(Clock):
    def test_it_frees_nothing(self):
        self.fill()
        for days in (-1, -364, -366, -3650):
            self.clock.advance(days=days)
            self.assert_capped()
            self.assertEqual(self.client.ask("status")["prompts_in_window"], 3)
            self.restart()
            self.assert_capped()

    def test_to_the_beginning_of_time_and_before(self):
        self.client.ask("session")
        self.fill()
        for at in (1, 1000, 86_400_000):
            self.clock.freeze(at)
            self.assert_capped()
            status = self.client.ask("status", explain=True)
            self.assertEqual(status["clock"], "behind")
            for rule in status["rules"]:
                if type(rule["have"]) is int:
                    self.assertGreaterEqual(rule["have"], 0, rule)
            self.restart()

    def test_it_is_said_by_status_and_the_journal(self):
        self.assertEqual(self.client.ask("status")["clock"], "ok")
        self.client.ask("session")
        self.clock.advance(days=-30)
        self.assertEqual(self.client.ask("status")["clock"], "behind")
        self.client.ask("session")
        self.daemon.await_log("(?i)clock")

    def test_ages_are_zero_and_not_negative(self):
        self.daemon.write_config("ratingd.conf", easy(DaysUntilPrompt=1))
        self.client.ask("reload")
        first = self.client.ask("session")["first_seen"]
        self.clock.advance(days=-100)
        self.assert_refused(self.client.ask("request"), "days")
        self.assertEqual(self.client.ask("session")["first_seen"], first)
        days = [r for r in self.client.ask("status", explain=True)["rules"] if r["rule"] == "days"][0]
        self.assertEqual((days["have"], days["at"]), (0, from_ms(to_ms(first) + DAY)))

    def test_forward_again_it_is_as_if_nothing_had_been(self):
        times = self.fill()
        before = self.client.ask("status")
        self.clock.advance(days=-730)
        self.assert_capped()
        self.restart()
        self.clock.advance(days=730)
        self.assertEqual(self.client.ask("status"), before)
        self.clock.set("realtime_frozen_ms", times[0] + 365 * DAY)
        self.prompt(self.client)

    def test_an_outstanding_prompt_stays_outstanding(self):
        token = self.prompt(self.client)["token"]
        self.clock.advance(days=-30)
        self.assert_refused(self.client.ask("request"), "outstanding")
        self.restart()
        self.assertEqual(self.client.ask("status")["outstanding"], token)
        self.client.ask("outcome", token=token, result="rated")

    def test_a_session_in_the_past_is_no_new_one_and_no_trap(self):
        self.client.ask("session")
        self.clock.advance(days=-1)
        self.assertEqual(self.client.ask("session")["counted"], False)
        self.clock.advance(days=2)
        self.assertEqual(self.client.ask("session")["counted"], True)

    def test_grants_are_counted_over_a_step_back_between_them(self):
        self.prompt_and(self.client, "failed")
        for _ in range(2):
            self.clock.advance(days=-400)
            self.prompt_and(self.client, "failed")
        self.assert_capped()
        self.clock.advance(days=1000)
        self.assertEqual(self.client.ask("status")["prompts_in_window"], 1)


class FarAhead(Clock):
    def test_a_prompt_two_years_ahead_still_counts_back_home(self):
        home = self.clock.now()
        self.clock.advance(days=730)
        self.fill()
        self.clock.freeze(home)
        self.restart()
        self.assert_capped()
        refused = self.client.ask("request")
        self.assertEqual(
            to_ms(refused["next_eligible"]), home + 730 * DAY + 365 * DAY)

    def test_as_far_as_a_date_can_be_written(self):
        self.clock.freeze(253_402_300_799_000)
        self.client.ask("session")
        self.fill()
        self.assert_capped()
        self.client.ask("status", explain=True)
        self.restart()
        self.assert_capped()


class Repair(Clock):
    def ahead_and_home(self):
        """Three grants two years ahead, then back: (home, the time of the grants)."""
        home = self.clock.now()
        self.clock.advance(days=730)
        ahead = self.fill()[0]
        self.clock.freeze(home)
        return home, ahead

    def test_nothing_to_repair(self):
        self.fill()
        before = self.client.ask("status")
        self.assertEqual(self.client.ask("repair_clock"), {"repaired": 0})
        self.assertEqual(self.client.ask("status"), before)

    def test_stamps_of_the_future_count_as_now(self):
        home, _ = self.ahead_and_home()
        self.assertEqual(self.client.ask("status")["clock"], "behind")
        self.clock.advance(5000)
        self.assertGreaterEqual(self.client.ask("repair_clock")["repaired"], 3)
        self.assertEqual(self.client.ask("status")["clock"], "ok")
        refused = self.client.ask("request")
        self.assert_refused(refused, "annual_cap")
        self.assertEqual(to_ms(refused["next_eligible"]), home + 5000 + 365 * DAY)
        self.restart()
        self.clock.advance(365 * DAY - 1)
        self.assert_capped()
        self.clock.advance(1)
        self.prompt(self.client)

    def test_the_first_stamp_counts_again_once_it_is_past(self):
        _, ahead = self.ahead_and_home()
        self.client.ask("repair_clock")
        self.clock.freeze(ahead + 1)
        self.assert_capped()
        self.clock.freeze(ahead + 365 * DAY - 1)
        self.assert_capped()
        self.clock.advance(1)
        self.prompt(self.client)

    def test_a_repair_under_a_wrong_clock_frees_nothing(self):
        right = self.fill()[0]
        self.clock.freeze(right - 3000 * DAY)
        self.client.ask("repair_clock")
        self.assert_capped()
        self.clock.freeze(right + DAY)
        self.assert_capped()
        self.clock.freeze(right + 365 * DAY - 1)
        self.assert_capped()

    def test_twice_is_fine(self):
        self.ahead_and_home()
        self.client.ask("repair_clock")
        self.assertEqual(self.client.ask("repair_clock"), {"repaired": 0})
        self.assert_capped()


if __name__ == "__main__":
    unittest.main()
