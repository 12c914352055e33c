"""Power cuts: all that a daemon does to its disk is recorded, disks are built as a power cut at
any moment may leave them, and the daemon is started on each.

What no sync has covered may be missing, be there in any part and order, or be torn at sectors.
The store must open, every prompt that was sent must be in the ledger, the cap must hold, and at
most `SyncSec` of counters may be gone.
"""

import collections
import concurrent.futures
import errno
import queue
import unittest

import counts
from base import DaemonTest
from recording import Judge, Recording

JUDGES = 2


class PowerCut(DaemonTest):
    def setUp(self):
        self.draw = counts.seed()

    def judge(self, recording, count):
        """How many disks are bad, and the first faults."""
        judges = queue.SimpleQueue()
        for _ in range(JUDGES):
            judge = Judge(recording.sync_seconds)
            self.addCleanup(judge.daemon.dispose)
            judges.put(judge)
        ways = collections.Counter()
        bad = []

        def decide(label, image, apps):
            judge = judges.get()
            try:
                return label, judge.faults(image, apps)
            finally:
                judges.put(judge)

        with concurrent.futures.ThreadPoolExecutor(JUDGES) as pool:
            waiting = collections.deque()
            for image in recording.images(count):
                ways[image[0].rpartition(" ")[2]] += 1
                waiting.append(pool.submit(decide, *image))
                while len(waiting) > 4 * JUDGES:
                    bad.append(waiting.popleft().result())
            bad += [future.result() for future in waiting]
        bad = [(label, faults) for label, faults in bad if faults]
        ways = ", ".join(f"{number} {way}" for way, number in sorted(ways.items()))
        prompts = sum(len(app.prompts) for app in recording.apps.values())
        print(f"{self.id().rpartition('.')[2]}: {count} images ({ways}), {prompts} prompts, "
              f"{len(bad)} bad")
        for label, faults in bad[:5]:
            print("   ", label, faults[0], "…" if faults[1:] else "")
        return bad

    def share(self, part):
        return counts.count("IMAGES") * part // 10

    def test_first_start_load_stop_kill_and_start_again(self):
        recording = Recording(self, self.draw, sync_seconds=0)
        recording.play(0.7)
        recording.daemon.stop()
        recording.play(0.5)
        recording.daemon.kill()
        recording.play(0.5)
        recording.daemon.kill()
        self.assertFalse(self.judge(recording, self.share(3)))

    def test_counters_that_are_synced_now_and_then(self):
        recording = Recording(self, self.draw, sync_seconds=1)
        recording.play(4)
        recording.daemon.kill()
        self.assertFalse(self.judge(recording, self.share(3)))

    def test_a_database_brought_up_to_date(self):
        recording = Recording(self, self.draw, sync_seconds=0, grants_before=1)
        recording.play(0.2)
        recording.daemon.stop()
        self.assertFalse(self.judge(recording, self.share(2)))

    def fail_now_and_then(self, sync_seconds):
        # Where something is refused, a second passes until the counters before it are on disk.
        recording = Recording(self, self.draw, sync_seconds, slack=1.5)
        recording.controls.set("fail_errno", errno.EIO)
        recording.controls.set("fail_every_sync", 23)
        recording.play(3, patient=True)
        recording.daemon.kill()
        print(f"{recording.controls.get('failed')} syncs failed")
        self.assertGreater(recording.controls.get("failed"), 0)
        self.assertFalse(self.judge(recording, self.share(1)))

    def test_a_disk_whose_syncs_fail_now_and_then(self):
        self.fail_now_and_then(sync_seconds=0)

    def test_counters_on_a_disk_whose_syncs_fail_now_and_then(self):
        self.fail_now_and_then(sync_seconds=1)

    def control(self, place, fault):
        """Of a daemon that does not sync something, disks with such a fault are found."""
        recording = Recording(self, self.draw, sync_seconds=0)
        recording.controls.set("swallow_" + place, 1)
        recording.play(0.3)
        recording.daemon.stop()
        recording.play(0.3)
        recording.daemon.kill()
        bad = self.judge(recording, counts.count("CONTROLS") // 3)
        self.assertTrue(
            any(fault in text for _, faults in bad for text in faults))

    def test_control_a_log_that_is_not_synced(self):
        self.control("log", "is not in the ledger")

    def test_control_a_database_that_is_not_synced(self):
        self.control("other", "")

    def test_control_a_directory_that_is_not_synced(self):
        self.control("directory", "")


if __name__ == "__main__":
    unittest.main()
