"""A sync fails while nobody is there: once the disk is well again what was counted gets there all
the same, though no client comes (P3), and a power cut then loses nothing.
"""

import errno
import unittest

import counts
import disk_log
from base import DaemonTest
from disk_interposer import FOR_EVER
from ratingd_daemon import eventually
from recording import Judge, Recording

APP = "org.player0"
EVENTS = 7
DISKS = 16
WELL_AGAIN = "the state can be used again"


class Unattended(DaemonTest):
    def setUp(self):
        self.draw = counts.seed()
        self.recording = Recording(self, self.draw, sync_seconds=1)
        self.daemon, self.controls = self.recording.daemon, self.recording.controls
        self.daemon.start()
        client = self.daemon.connect()
        client.ask("event", app=APP, count=EVENTS)
        self.break_disk()
        client.close()

    def break_disk(self):
        self.controls.fail("sync", errno.EIO, self.controls.get("calls_sync") + 1, FOR_EVER)

    def wait_for_failures(self, number):
        eventually(lambda: self.controls.get("failed") >= number, "a sync that fails")

    def bad_disks(self):
        """How many of the disks that a power cut may leave at this moment have lost something."""
        disk = disk_log.Disk(self.recording.files)
        for record in disk_log.read(self.recording.log):
            disk.take(record)
        app = self.recording.apps[APP]
        app.events = app.sent_events = EVENTS
        judge = Judge(sync_seconds=1)
        self.addCleanup(judge.daemon.dispose)
        return sum(
            bool(judge.faults(disk.image(self.draw)[1], self.recording.apps)) for _ in range(DISKS))

    def test_it_is_tried_again_until_it_succeeds(self):
        self.wait_for_failures(3)
        self.controls.heal()
        self.daemon.await_log(WELL_AGAIN)
        self.assertEqual(self.bad_disks(), 0)

    def test_a_daemon_that_is_stopped_tries_once_more(self):
        self.wait_for_failures(1)
        self.controls.heal()
        self.assertEqual(self.daemon.stop(), 0)
        self.assertEqual(self.bad_disks(), 0)

    def test_a_daemon_that_is_started_on_a_disk_that_fails_tries_again_too(self):
        self.daemon.kill()
        self.daemon.start()
        self.daemon.await_log("cannot be used")
        self.controls.heal()
        self.daemon.await_log(WELL_AGAIN)
        self.assertEqual(self.bad_disks(), 0)

    def test_control_before_the_disk_is_well_again_a_power_cut_loses_it(self):
        self.wait_for_failures(3)
        self.daemon.kill()
        self.assertGreater(self.bad_disks(), 0)
        self.controls.heal()


if __name__ == "__main__":
    unittest.main()
