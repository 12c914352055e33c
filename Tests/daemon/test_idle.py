"""Idle costs nothing: no wake-ups, little memory."""

import os
import unittest

from base import APP, SANITIZER, DaemonTest, easy
from ratingd_daemon import BIN_DIR, proc_status

IS_RELEASE = bool(os.environ.get("RATINGD_TEST_RELEASE")) or BIN_DIR.rstrip("/").endswith("release")


class Idle(DaemonTest):
    config = easy(DebounceMs=600_000)

    def test_without_clients_it_never_wakes_up(self):
        self.assert_sleeps(3)

    def test_with_clients_that_are_silent_too(self):
        clients = [self.connect(f"org.app{n}") for n in range(5)]
        clients[0].ask("subscribe", topics=["decisions", "counters"], agent=True)
        for client in clients:
            client.ask("event")
        self.assert_sleeps(3)

    def test_a_waiting_request_is_no_polling(self):
        client = self.connect(APP)
        self.pending(client)
        self.assert_sleeps(2)

    def test_half_closed_subscribers_and_waiters_are_no_spinning(self):
        watcher = self.connect()
        watcher.ask("subscribe", topics=["counters"])
        watcher.half_close()
        client = self.connect(APP)
        self.pending(client)
        client.half_close()
        self.assert_sleeps(2)

    def test_a_client_that_reads_late_is_no_spinning(self):
        watcher, client = self.connect(), self.connect(APP)
        watcher.ask("subscribe", topics=["counters"])
        while not client.ask("stats")["output_bytes_queued"]:
            client.send_line([{"method": "event"}] * 100)
            client.ask("ping")
        total = client.ask("status")["events"]
        while watcher.next()["params"]["seq"] < total:
            pass
        self.assert_sleeps(1)
        self.assertTrue(watcher.ask("ping")["pong"])

    def test_there_is_one_thread_while_nothing_waits_for_the_disk(self):
        self.connect(APP).ask("event")
        self.assert_sleeps(2)
        # The thread sanitizer has one of its own.
        self.assertEqual(
            proc_status(self.daemon.pid, "Threads"), 2 if SANITIZER == "thread" else 1)

    @unittest.skipUnless(IS_RELEASE, "memory is measured on release builds (RATINGD_TEST_RELEASE)")
    def test_resident_memory_below_8_megabytes(self):
        client = self.connect(APP)
        client.ask("event")
        self.assertLess(proc_status(self.daemon.pid, "VmRSS"), 8 * 1024)
        # What no other process can share, and no file gives back.
        self.assertLess(proc_status(self.daemon.pid, "RssAnon"), 1_300)


if __name__ == "__main__":
    unittest.main()
