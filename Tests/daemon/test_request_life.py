"""A request's life: quiet time, what cancels it and what does not, what a cancellation leaves."""

import unittest

from base import APP, DaemonTest, easy

LONG = 600_000


class Life(DaemonTest):
    controls = True
    config = easy(DebounceMs=LONG)

    def setUp(self):
        super().setUp()
        self.client = self.connect(APP)

    def assert_cancelled(self, token, reason, client=None, **more):
        self.assertEqual(
            (client or self.client).wait("cancelled"),
            {"token": token, "app": APP, "reason": reason} | more)

    def assert_nothing_consumed(self):
        """No ledger row, no mark of the version; the next request works."""
        self.assertEqual(self.client.ask("history")["grants"], [])
        status = self.client.ask("status")
        self.assertEqual((status["prompted_versions"], status["last_prompt"]), ([], None))
        self.assertIsNone(status["outstanding"])
        self.assertEqual(self.prompt(self.client, debounce_ms=0)["prompts_in_window"], 1)

    def test_activity(self):
        token = self.pending(self.client)
        self.client.ask("activity")
        self.assert_cancelled(token, "activity")
        self.assert_nothing_consumed()

    def test_activity_of_another_connection_of_the_app(self):
        token = self.pending(self.client)
        self.assertEqual(
            self.connect().ask("activity", app=APP), {"cancelled": True, "restarted": False})
        self.assert_cancelled(token, "activity")

    def test_activity_of_another_app_does_not_disturb(self):
        self.pending(self.client)
        self.assertEqual(
            self.connect().ask("activity", app="org.other"),
            {"cancelled": False, "restarted": False})
        self.assertTrue(self.client.ask("cancel")["cancelled"])

    def test_activity_as_a_notification(self):
        token = self.pending(self.client)
        self.client.notify("activity")
        self.assert_cancelled(token, "activity")

    def test_cancel(self):
        token = self.pending(self.client)
        self.assertEqual(self.client.ask("cancel"), {"cancelled": True})
        self.assert_cancelled(token, "cancelled")
        self.assertEqual(self.client.ask("cancel"), {"cancelled": False})
        self.assert_nothing_consumed()

    def test_cancel_by_token_from_another_connection(self):
        token = self.pending(self.client)
        other = self.connect()
        self.assertEqual(other.ask("cancel", token=token + "x"), {"cancelled": False})
        self.assertEqual(other.ask("cancel", token=token), {"cancelled": True})
        self.assert_cancelled(token, "cancelled")

    def test_a_newer_request_supersedes(self):
        first = self.pending(self.client)
        second = self.pending(self.client)
        self.assertNotEqual(first, second)
        self.assert_cancelled(first, "superseded")
        self.assertEqual(self.client.ask("status")["pending"]["token"], second)

    def test_a_newer_request_of_another_connection_supersedes(self):
        first = self.pending(self.client)
        other = self.connect(APP, "2.0")
        second = self.pending(other)
        self.assert_cancelled(first, "superseded")
        self.assertEqual(self.client.ask("status")["pending"]["version"], "2.0")
        self.assertEqual(other.ask("cancel", token=second), {"cancelled": True})

    def test_a_refused_request_leaves_the_older_one_alone(self):
        self.daemon.write_config("ratingd.conf", easy(DebounceMs=LONG, OncePerVersion="yes"))
        self.client.ask("reload")
        self.prompt_and(self.client, "dismissed", debounce_ms=0, version="old")
        token = self.pending(self.client)
        self.assert_refused(self.client.ask("request", version="old"), "version")
        self.assertEqual(self.client.notifications(), [])
        self.assertEqual(self.client.ask("status")["pending"]["token"], token)

    def test_requests_of_two_apps_do_not_meet(self):
        first = self.pending(self.client)
        second = self.pending(self.client, app="org.other", version="1")
        self.assertEqual(self.client.notifications(), [])
        self.assertEqual(self.client.ask("status")["pending"]["token"], first)
        self.assertEqual(self.client.ask("status", app="org.other")["pending"]["token"], second)

    def test_opt_out_ends_it(self):
        token = self.pending(self.client)
        self.client.ask("opt_out")
        self.assert_cancelled(token, "ineligible", reasons=["opted_out"])
        self.client.ask("opt_in")
        self.assert_nothing_consumed()

    def test_opt_out_of_all_ends_it(self):
        token = self.pending(self.client)
        self.connect().ask("opt_out", all=True)
        self.assert_cancelled(token, "ineligible", reasons=["opted_out"])

    def test_forget_ends_it(self):
        token = self.pending(self.client)
        self.client.ask("forget", app=APP)
        self.assert_cancelled(token, "cancelled")

    def test_session_and_event_do_not_disturb(self):
        token = self.pending(self.client, debounce_ms=400)
        for _ in range(5):
            self.client.ask("session")
            self.client.ask("event")
            self.client.ask("status")
        self.assertEqual(self.client.wait("prompt")["token"], token)

    def test_the_end_of_the_connection_of_another_app_does_not_disturb(self):
        self.connect("org.other").close()
        token = self.pending(self.client, debounce_ms=100)
        self.assertEqual(self.client.wait("prompt")["token"], token)

    def test_what_stopped_holding_meanwhile_makes_it_ineligible(self):
        token = self.pending(self.client, debounce_ms=500)
        self.daemon.write_config("ratingd.conf", easy(EventsUntilPrompt=1))
        self.client.ask("reload")
        self.assert_cancelled(token, "ineligible", reasons=["events"])
        self.client.ask("event")
        self.assertEqual(self.client.ask("history")["grants"], [])
        self.prompt(self.client)

    def test_a_suspend_over_the_deadline_makes_it_stale(self):
        token = self.pending(self.client, debounce_ms=700)
        self.clock.suspend(seconds=30)
        self.assert_cancelled(token, "stale")
        self.assert_nothing_consumed()

    def test_a_deadline_missed_by_less_than_5_seconds_is_not_stale(self):
        token = self.pending(self.client, debounce_ms=700)
        self.clock.suspend(seconds=3)
        self.assertEqual(self.client.wait("prompt")["token"], token)

    def test_steps_of_the_wall_clock_neither_stretch_nor_cut_it(self):
        waiting = self.connect("org.waiting")
        waiting.ask("request", debounce_ms=LONG)
        token = self.pending(self.client, debounce_ms=400)
        self.clock.advance(days=-30)
        self.assertEqual(self.client.wait("prompt")["token"], token)
        self.clock.advance(days=60)
        fires_in = waiting.ask("status")["pending"]["fires_in_ms"]
        self.assertTrue(LONG - 60_000 < fires_in < LONG, fires_in)
        self.assertEqual(waiting.notifications(), [])

    def test_restart_on_activity(self):
        token = self.pending(self.client, on_activity="restart", debounce_ms=300)
        for _ in range(3):
            self.assertEqual(
                self.client.ask("activity"), {"cancelled": False, "restarted": True})
        self.assertEqual(self.client.wait("prompt")["token"], token)
        self.assertEqual(len(self.client.ask("history")["grants"]), 1)

    def test_a_slow_disk_delays_the_prompt_and_adds_none(self):
        self.clock.set("sync_sleep_ms", 150)
        token = self.pending(self.client, debounce_ms=0)
        prompt = self.client.wait("prompt")
        self.assertEqual(prompt["token"], token)
        self.clock.set("sync_sleep_ms", 0)
        self.assertEqual([g["token"] for g in self.client.ask("history")["grants"]], [token])

    def test_a_grant_is_synced_before_the_prompt(self):
        before = self.clock.get("sync_calls")
        self.prompt(self.client, debounce_ms=0)
        self.assertGreater(self.clock.get("sync_calls"), before)

    def test_every_pending_request_ends_exactly_once(self):
        tokens = []
        for number in range(60):
            result = self.client.ask("request", debounce_ms=(0, LONG)[number % 2])
            if result["decision"] == "pending":
                tokens.append(result["token"])
            if number % 3 == 0:
                self.client.ask("activity")
            for grant in self.client.ask("history")["grants"]:
                if grant["outcome"] in (None, "shown"):
                    self.client.ask("outcome", token=grant["token"], result="dismissed")
        self.client.ask("cancel")
        ends = [p["token"] for m, p in self.client.notifications() if m in ("prompt", "cancelled")]
        self.assertEqual(sorted(ends), sorted(tokens))


class RestartsLapse(DaemonTest):
    config = easy(
        daemon={"RateLimitPerSec": 0}, DebounceMs=600_000, OnActivity="restart", PendingMaxSec=1)

    def test_kept_waiting_too_long_by_restarts(self):
        client = self.connect(APP)
        token = self.pending(client)
        while client.ask("activity")["restarted"]:
            pass
        self.assertEqual(
            client.wait("cancelled"), {"token": token, "app": APP, "reason": "stale"})
        self.assertEqual(client.ask("history")["grants"], [])

    def test_it_lapses_without_another_activity_too(self):
        client = self.connect(APP)
        token = self.pending(client)
        client.ask("activity")
        self.assertEqual(client.wait("cancelled")["reason"], "stale")
        self.assertIsNone(client.ask("status")["pending"])
        self.assertFalse(client.ask("cancel", token=token)["cancelled"])

    def test_a_request_may_choose_to_be_cancelled(self):
        client = self.connect(APP)
        self.pending(client, on_activity="cancel")
        self.assertEqual(client.ask("activity"), {"cancelled": True, "restarted": False})


if __name__ == "__main__":
    unittest.main()
