"""A disk that cannot sync: what was answered as not done is not done, also once it is well again."""

import errno
import unittest

from base import APP, DaemonTest, easy
from ratingd_daemon import eventually


class FailingDisk(DaemonTest):
    controls = True
    config = easy(SessionGapSec=0)

    def setUp(self):
        super().setUp()
        self.client = self.connect(APP)
        self.client.ask("event")

    def break_disk(self, number=errno.EIO):
        self.clock.set("sync_errno", number)

    def heal(self):
        """The disk syncs again, and the daemon has noticed."""
        self.clock.set("sync_errno", 0)
        eventually(lambda: "result" in self.client.call("event"), "a disk that is well again")

    def assert_not_done(self, method, **params):
        """The method is refused, and the daemon says afterwards what it said before."""
        def told():
            return [self.client.ask("history"),
                    {k: v for k, v in self.client.ask("status").items()
                     if k not in ("events", "events_by_name", "last_seen", "next_eligible")}]

        before = told()
        self.break_disk()
        error = self.client.error(method, **params)
        self.assert_error(error, "storage_unavailable")
        self.assertTrue(error["data"]["detail"])
        self.heal()
        self.assertEqual(told(), before)
        self.client.ask(method, **params)

    def test_no_prompt_and_nothing_consumed(self):
        for number in (errno.ENOSPC, errno.EIO):
            token = self.pending(self.client, debounce_ms=300)
            self.break_disk(number)
            self.assertEqual(
                self.client.wait("cancelled"),
                {"token": token, "app": APP, "reason": "storage_unavailable"})
            self.heal()
            self.assertEqual(self.client.ask("history")["grants"], [])
            self.assertEqual(self.client.ask("status")["prompted_versions"], [])
        self.assertEqual(self.prompt(self.client)["prompts_in_window"], 1)
        self.assertEqual(self.client.notifications(), [])

    def test_opt_out_and_opt_in(self):
        self.assert_not_done("opt_out")
        self.assert_not_done("opt_in")
        self.assert_not_done("opt_out", all=True)
        self.assert_not_done("opt_in", all=True)
        self.prompt(self.client)

    def test_forget(self):
        self.client.ask("session")
        self.prompt_and(self.client, "later")
        self.assert_not_done("forget", app=APP)
        self.client.ask("session")
        self.assert_not_done("forget", app=APP, ledger=True)

    def test_an_outcome(self):
        for outcome in ("shown", "never"):
            token = self.prompt(self.client, app=f"org.{outcome}", version="1")["token"]
            self.assert_not_done("outcome", token=token, result=outcome)

    def test_what_cannot_be_stored_wakes_nobody_without_clients(self):
        self.assert_refused(self.client.ask("request", deliver="agent"), "no_agent")
        self.break_disk()
        self.assert_error(self.client.error("opt_out"), "storage_unavailable")
        self.client.close()
        self.assert_sleeps(6)  # longer than figures of the funnel wait

    def test_a_sync_that_was_due_does_not_make_it_spin(self):
        self.break_disk()
        self.assert_error(self.client.error("opt_out"), "storage_unavailable")
        self.assert_sleeps(6)  # SyncSec has passed by then

    def test_it_stays_so_over_a_restart(self):
        self.prompt_and(self.client, "failed")
        self.assert_not_done("opt_out")
        self.client.ask("opt_in")
        events = self.client.ask("status")["events"]
        self.daemon.kill()
        self.daemon.start()
        self.client = self.connect(APP)
        status = self.client.ask("status")
        self.assertEqual((status["opted_out"], status["events"]), (False, events))

    def test_a_kill_before_it_is_well_never_frees_the_cap(self):
        self.daemon.write_config("ratingd.conf", easy(PromptsPerYear=1))
        self.client.ask("reload")
        self.prompt_and(self.client, "failed")
        self.break_disk()
        self.client.error("opt_out")
        self.daemon.kill()
        self.clock.set("sync_errno", 0)
        self.daemon.start()
        self.client = self.connect(APP)
        self.client.ask("opt_in")
        self.assert_refused(self.client.ask("request"), "annual_cap")

    def test_sigterm_with_a_disk_that_fails(self):
        self.client.ask("event")
        self.break_disk()
        self.client.error("opt_out")
        self.assertEqual(self.daemon.stop(), 0)
        self.clock.set("sync_errno", 0)


if __name__ == "__main__":
    unittest.main()
