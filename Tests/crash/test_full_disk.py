"""A small file system that is full again and again, under load; and one that is read-only at first.

No acknowledgement without the row, no prompt without the grant, and it is well again within a
second after there is space.
"""

import ctypes
import os
import subprocess
import time
import unittest

import counts
import oracle
from base import IS_ROOT, DaemonTest, easy
from player import players
from ratingd_client import Client
from ratingd_daemon import eventually

CLONE_NEWNS = 0x20000
CLIENTS = 6
APPS = 12
MEGABYTES = 24
RECOVERY = 1.0  # seconds


def may_mount():
    """Whether this process has mounts of its own now, which end with it."""
    if not IS_ROOT:
        return False
    if ctypes.CDLL(None, use_errno=True).unshare(CLONE_NEWNS) != 0:
        return False
    private = ["mount", "--make-rprivate", "/"]
    return subprocess.run(private, check=False, capture_output=True).returncode == 0


class SmallDisk(DaemonTest):
    @classmethod
    def setUpClass(cls):
        cls.is_able = may_mount()

    def setUp(self):
        if not self.is_able:
            self.skipTest("only root may mount a file system")
        self.draw = counts.seed()
        self.daemon = self.make_daemon(self.configuration(0))
        self.mount(f"size={MEGABYTES}m,mode=700")
        self.addCleanup(subprocess.run, ["umount", "-l", self.daemon.state_dir], check=False)
        self.apps = {f"org.player{number}": oracle.App() for number in range(APPS)}

    @staticmethod
    def configuration(sync_seconds):
        return easy(
            daemon={"RateLimitPerSec": 0, "SyncSec": sync_seconds}, SessionGapSec=0,
            OutcomeTimeoutSec=1, PromptsPerYear=oracle.CAP)

    def mount(self, options):
        subprocess.run(
            ["mount", "-t", "tmpfs", "-o", options, "tmpfs", self.daemon.state_dir], check=True)

    def remount(self, options):
        subprocess.run(["mount", "-o", "remount," + options, self.daemon.state_dir], check=True)

    def fill(self):
        """Takes all the space there is, to the last byte."""
        with open(os.path.join(self.daemon.state_dir, "filler"), "ab", buffering=0) as file:
            for size in (1 << 20, 1 << 12, 1):
                try:
                    while file.write(bytes(size)):
                        pass
                except OSError:
                    pass

    def seconds_until_well(self):
        """How long it takes until an opt-out is stored again."""
        begin = time.monotonic()
        client = Client(self.daemon.socket_path)
        eventually(lambda: "result" in client.call("opt_out", app="org.healed"), "space")
        client.close()
        return time.monotonic() - begin

    def refuses(self):
        """Whether what must be stored is refused at this moment."""
        client = Client(self.daemon.socket_path)
        answer = client.call("event", app="org.healed", name="x" * self.draw.randint(1, 60))
        client.close()
        if "error" in answer:
            self.assert_error(answer["error"], "storage_unavailable")
        return "error" in answer

    def check(self):
        client = self.daemon.connect()
        self.assertEqual(oracle.faults(client, self.apps), [])
        client.close()
        names = os.listdir(self.daemon.state_dir)
        self.assertEqual([name for name in names if "corrupt" in name], [])

    def test_filled_and_freed_under_load(self):
        self.fill_and_free(counts.count("FILLS") // 2)

    def test_filled_and_freed_while_counters_wait_for_their_sync(self):
        self.daemon.write_config("ratingd.conf", self.configuration(1))
        self.fill_and_free(counts.count("FILLS") // 2)

    def fill_and_free(self, fills):
        self.daemon.start()
        crowd = players(self.daemon.socket_path, self.apps, self.draw, CLIENTS, patient=True)
        for player in crowd:
            player.start()
        slowest = 0
        for _ in range(fills):
            self.fill()
            eventually(self.refuses, "a disk that is full")
            time.sleep(self.draw.uniform(0, 0.2))
            os.unlink(os.path.join(self.daemon.state_dir, "filler"))
            slowest = max(slowest, self.seconds_until_well())
            time.sleep(self.draw.uniform(0, 0.2))
        for player in crowd:
            player.is_stopped = True
        for player in crowd:
            player.join()
            if player.trouble:
                raise player.trouble
        self.check()
        self.daemon.kill()
        self.daemon.start()
        self.check()
        refused = sum(player.unavailable for player in crowd)
        prompts = sum(len(app.prompts) for app in self.apps.values())
        print(f"full {fills} times, {refused} refusals, {prompts} prompts, well again after "
              f"{slowest:.2f} s at most")
        self.assertGreater(refused, 0)
        self.assertLess(slowest, RECOVERY)

    def test_control_what_was_written_to_a_full_disk_counts(self):
        """Had the refusals been acknowledgements, they would be missed."""
        self.daemon.start()
        app = self.apps["org.player0"]
        client = self.daemon.connect()
        self.fill()
        eventually(self.refuses, "a disk that is full")
        client.call("event", app="org.player0", count=7)
        app.events = app.sent_events = 7
        os.unlink(os.path.join(self.daemon.state_dir, "filler"))
        self.seconds_until_well()
        with self.assertRaisesRegex(AssertionError, "0 events, 7 were acknowledged"):
            self.check()

    def test_read_only_until_it_is_mounted_anew(self):
        self.daemon.start()
        client = self.daemon.connect()
        client.ask("event", app="org.player0", count=7)
        self.apps["org.player0"].events = self.apps["org.player0"].sent_events = 7
        for end in (self.daemon.stop, self.daemon.kill):
            end()
            self.remount("ro")
            self.daemon.start()
            client = self.daemon.connect()
            for method in ("event", "request", "opt_out", "status"):
                error = client.error(method, app="org.player0", **(
                    {"version": "1"} if method == "request" else {}))
                self.assert_error(error, "storage_unavailable")
                self.assertRegex(error["data"]["detail"], "(?i)read-?only")
            self.remount("rw")
            self.assertLess(self.seconds_until_well(), RECOVERY)
            self.check()


if __name__ == "__main__":
    unittest.main()
