"""opt_out, opt_in and forget: what goes, what stays, what no one can free."""

import unittest

from base import APP, DaemonTest, easy
from controls import DAY
from ratingd_client import to_ms

OTHER = "org.example.Other"


class OptOut(DaemonTest):
    def setUp(self):
        super().setUp()
        self.client = self.connect(APP)

    def test_of_one_app(self):
        self.client.ask("opt_out")
        self.assert_refused(self.client.ask("request"), "opted_out")
        self.assertTrue(self.client.ask("status")["opted_out"])
        self.assertFalse(self.client.ask("status", app=OTHER)["opted_out"])
        self.prompt(self.client, app=OTHER, version="1")
        self.client.ask("opt_in")
        self.prompt(self.client)

    def test_of_all_apps(self):
        self.assertEqual(self.client.ask("opt_out", all=True), {"opted_out": True})
        for app in (APP, OTHER, "org.never.seen"):
            self.assert_refused(self.client.ask("request", app=app, version="1"), "opted_out")
        self.assertEqual(self.client.ask("opt_in", all=True), {"opted_out": False})
        self.prompt(self.client)

    def test_all_is_a_switch_of_its_own(self):
        self.client.ask("opt_out")
        self.client.ask("opt_out", all=True)
        self.client.ask("opt_in", all=True)
        self.assertTrue(self.client.ask("status")["opted_out"])
        self.assertFalse(self.client.ask("status", app=OTHER)["opted_out"])
        self.client.ask("opt_out", all=True)
        self.assertEqual(self.client.ask("opt_in"), {"opted_out": True})
        self.assert_refused(self.client.ask("request"), "opted_out")
        self.client.ask("opt_in", all=True)
        self.assertFalse(self.client.ask("status")["opted_out"])

    def test_twice_is_fine(self):
        for _ in range(2):
            self.assertTrue(self.client.ask("opt_out")["opted_out"])
        for _ in range(2):
            self.assertFalse(self.client.ask("opt_in")["opted_out"])

    def test_counters_go_on(self):
        self.client.ask("opt_out")
        self.assertEqual(self.client.ask("event")["events"], 1)
        self.assertEqual(self.client.ask("session")["sessions"], 1)

    def test_it_survives_a_kill(self):
        self.client.ask("opt_out")
        self.client.ask("opt_out", app=OTHER)
        self.client.ask("opt_in", app=OTHER)
        self.daemon.kill()
        self.daemon.start()
        client = self.connect()
        self.assertTrue(client.ask("status", app=APP)["opted_out"])
        self.assertFalse(client.ask("status", app=OTHER)["opted_out"])
        client.ask("opt_out", all=True)
        self.daemon.kill()
        self.daemon.start()
        self.assertTrue(self.connect().ask("status", app=OTHER)["opted_out"])

    def test_hello_does_not_opt_in(self):
        self.client.ask("opt_out")
        client = self.connect(APP, "2.0", policy={"enabled": True})
        self.assert_refused(client.ask("request"), "opted_out")


class Forget(DaemonTest):
    controls = True
    config = easy(OncePerVersion="yes", PromptsPerYear=3, SessionGapSec=0)

    def setUp(self):
        super().setUp()
        self.clock.freeze()
        self.client = self.connect(APP)

    def count_up(self):
        for _ in range(3):
            self.client.ask("session")
        self.client.ask("event", name="a", count=5)

    def assert_counters_gone(self):
        status = self.client.ask("status")
        self.assertEqual(
            (status["sessions"], status["events"], status["events_by_name"], status["first_seen"]),
            (0, 0, {}, None))

    def test_counters_go(self):
        self.count_up()
        self.assertTrue(self.client.ask("forget", app=APP)["forgotten"])
        self.assert_counters_gone()
        self.assertEqual(self.client.ask("event", name="a"), {"events": 1, "name_total": 1})

    def test_other_apps_stay(self):
        self.client.ask("event", app=OTHER, count=7)
        self.count_up()
        self.client.ask("forget", app=APP)
        self.assertEqual(self.client.ask("status", app=OTHER)["events"], 7)

    def test_an_opt_out_and_a_never_stay(self):
        self.client.ask("opt_out")
        self.prompt_and(self.client, "never", app=OTHER, version="1")
        for params in ({}, {"ledger": True}):
            for app in (APP, OTHER):
                self.client.ask("forget", app=app, **params)
                self.assertTrue(self.client.ask("status", app=app)["opted_out"])

    def test_without_ledger_the_ledger_stays(self):
        self.count_up()
        self.prompt_and(self.client, "later")
        before = self.client.ask("history")
        self.client.ask("forget", app=APP)
        self.assertEqual(self.client.ask("history"), before)
        self.assert_refused(self.client.ask("request"), "version")
        self.assertEqual(self.client.ask("status")["prompted_versions"], ["1.0"])

    def test_with_ledger_the_versions_and_outcomes_go_and_the_times_stay(self):
        times = []
        for version in ("1", "2", "3"):
            times.append(self.prompt_and(self.client, "rated", version=version)["granted_at"])
            self.clock.advance(days=1)
            self.client.ask("forget", app=APP, ledger=True)
        status = self.client.ask("status", version="1")
        self.assertEqual(status["prompted_versions"], [])
        self.assertEqual((status["prompts_in_window"], status["last_prompt"]), (3, times[-1]))
        refused = self.client.ask("request", version="1")
        self.assert_refused(refused, "annual_cap")
        self.assertEqual(to_ms(refused["next_eligible"]), to_ms(times[0]) + 365 * DAY)

    def test_the_cap_survives_forget_and_a_restart(self):
        for version in ("1", "2", "3"):
            self.prompt_and(self.client, "dismissed", version=version)
        self.client.ask("forget", app=APP, ledger=True)
        self.daemon.kill()
        self.daemon.start()
        client = self.connect(APP, "4")
        for _ in range(2):
            self.assert_refused(client.ask("request"), "annual_cap")
            client.ask("forget", app=APP, ledger=True)

    def test_an_outstanding_grant_keeps_its_token(self):
        token = self.prompt(self.client)["token"]
        self.client.ask("forget", app=APP, ledger=True)
        self.assertEqual(self.client.ask("status")["outstanding"], token)
        self.assert_refused(self.client.ask("request", version="2"), "outstanding")
        self.assertEqual(
            self.client.ask("outcome", token=token, result="never"), {"result": "never"})
        self.assertTrue(self.client.ask("status")["opted_out"])

    def test_tokens_of_finished_grants_go(self):
        token = self.prompt_and(self.client, "later")["token"]
        self.client.ask("forget", app=APP, ledger=True)
        self.assert_error(
            self.client.error("outcome", token=token, result="later"), "not_found")

    def test_an_app_never_seen(self):
        self.client.ask("forget", app="org.never.seen")
        self.client.ask("forget", app="org.never.seen", ledger=True)
        self.assertEqual(self.client.ask("apps")["apps"], [])

    def test_the_interval_of_the_user_survives(self):
        self.daemon.write_config("ratingd.conf", easy(user={"MinIntervalDays": 1}))
        self.client.ask("reload")
        self.prompt_and(self.client, "dismissed")
        self.client.ask("forget", app=APP, ledger=True)
        self.assert_refused(self.client.ask("request", app=OTHER, version="1"), "user_interval")

    def test_it_survives_a_kill(self):
        self.count_up()
        self.client.ask("forget", app=APP)
        self.daemon.kill()
        self.daemon.start()
        self.client = self.connect(APP)
        self.assert_counters_gone()


if __name__ == "__main__":
    unittest.main()
