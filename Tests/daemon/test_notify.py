"""sd_notify: what the service manager is told, and the watchdog."""

import os
import re
import signal
import socket
import time
import unittest

from base import APP, DaemonTest
from ratingd_client import HANG


class Listener:
    """The other end of NOTIFY_SOCKET: datagrams as lists of lines."""

    def __init__(self, address):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.settimeout(HANG)
        self.socket.bind(address)

    def next(self):
        return self.socket.recv(8192).decode().splitlines()

    def until(self, line):
        """All lines up to and with the datagram that holds this line."""
        lines = []
        while line not in lines:
            lines += self.next()
        return lines


class Notify(DaemonTest):
    def setUp(self):
        self.daemon = self.make_daemon(self.config, controls=True)
        self.daemon.env["NOTIFY_SOCKET"] = self.daemon.path("notify")
        self.listener = Listener(self.daemon.path("notify"))
        self.addCleanup(self.listener.socket.close)

    def listen_abstract(self):
        name = f"ratingd-test-{os.getpid()}-{time.monotonic_ns()}"
        self.daemon.env["NOTIFY_SOCKET"] = "@" + name
        self.listener = Listener("\0" + name)
        self.addCleanup(self.listener.socket.close)


class States(Notify):
    def test_ready_once_the_socket_answers(self):
        self.daemon.spawn()
        lines = self.listener.until("READY=1")
        self.assertTrue(self.daemon.connect().ask("ping")["pong"])
        self.assertEqual(lines.count("READY=1"), 1)

    def test_an_abstract_address(self):
        self.listen_abstract()
        self.daemon.spawn()
        self.listener.until("READY=1")

    def test_status_is_one_plain_line(self):
        self.daemon.spawn()
        lines = self.listener.until("READY=1")
        while not any(line.startswith("STATUS=") for line in lines):
            lines += self.listener.next()
        status = next(line for line in lines if line.startswith("STATUS="))
        self.assertRegex(status, r"^STATUS=[^\x00-\x1f]+$")

    def test_a_reload_is_announced_with_the_time_and_ends_in_ready(self):
        self.daemon.spawn()
        self.listener.until("READY=1")
        for broken in (False, True):
            with self.subTest(broken=broken):
                if broken:
                    os.rename(self.daemon.config_dir, self.daemon.config_dir + ".away")
                before = time.monotonic_ns() // 1000
                self.daemon.signal(signal.SIGHUP)
                lines = self.listener.until("READY=1")
                self.assertIn("RELOADING=1", lines)
                stamp = next(line for line in lines if line.startswith("MONOTONIC_USEC="))
                self.assertTrue(
                    before <= int(stamp.split("=")[1]) <= time.monotonic_ns() // 1000, stamp)
                self.assertLess(lines.index("RELOADING=1"), lines.index("READY=1"))

    def test_reloading_and_its_time_are_one_datagram(self):
        self.daemon.spawn()
        self.listener.until("READY=1")
        self.daemon.connect().ask("reload")
        while "RELOADING=1" not in (datagram := self.listener.next()):
            pass
        self.assertTrue(any(re.fullmatch(r"MONOTONIC_USEC=\d+", line) for line in datagram))

    def test_stopping(self):
        self.daemon.spawn()
        self.listener.until("READY=1")
        self.daemon.signal(signal.SIGTERM)
        self.listener.until("STOPPING=1")
        self.assertEqual(self.daemon.wait(), 0)

    def test_a_bad_address_never_fails_the_start(self):
        for address in ("/nowhere/notify", "", "relative", "@" + "x" * 200, "/" + "x" * 300):
            with self.subTest(address=address[:20]):
                self.daemon.env["NOTIFY_SOCKET"] = address
                self.daemon.start()
                self.assertTrue(self.daemon.connect().ask("ping")["pong"])
                self.assertEqual(self.daemon.stop(), 0)

    def test_a_listener_without_room_is_told_when_it_has_some(self):
        filler = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.addCleanup(filler.close)
        filler.setblocking(False)

        def fill():
            try:
                while filler.sendto(b"FILLER=1", self.daemon.path("notify")):
                    pass
            except BlockingIOError:
                pass

        fill()
        self.daemon.start()
        # By then no client wakes the daemon any more.
        time.sleep(0.2)
        self.assertEqual(self.listener.until("READY=1").count("READY=1"), 1)
        client = self.daemon.connect()
        fill()
        client.ask("reload")
        client.close()
        time.sleep(0.2)
        lines = self.listener.until("READY=1")
        self.assertLess(lines.index("RELOADING=1"), lines.index("READY=1"))
        self.assert_sleeps(1)

    def test_a_listener_that_does_not_read_blocks_nothing(self):
        self.daemon.spawn()
        self.listener.until("READY=1")
        client = self.daemon.connect()
        for _ in range(300):
            client.ask("reload")
        self.assertTrue(client.ask("ping")["pong"])


class Watchdog(Notify):
    def watch(self, usec, pid=None):
        """Starts with a watchdog period; reads up to READY."""
        self.daemon.env["WATCHDOG_USEC"] = usec
        if pid is not None:
            self.daemon.env["WATCHDOG_PID"] = pid
        self.daemon.spawn()
        self.listener.until("READY=1")

    def test_pings_come_within_the_period(self):
        self.watch("500000")
        last = time.monotonic()
        for _ in range(8):
            while "WATCHDOG=1" not in self.listener.next():
                pass
            now = time.monotonic()
            self.assertLess(now - last, 0.5, "systemd would have killed it")
            last = now

    def test_about_two_pings_a_period_and_no_more(self):
        self.watch("400000")
        begin, pings = time.monotonic(), 0
        while pings < 10:
            pings += self.listener.next().count("WATCHDOG=1")
        self.assertGreater(time.monotonic() - begin, 1.2, "10 pings take 2 s at half the period")

    def test_pings_go_on_under_load(self):
        self.watch("1000000")
        client = self.daemon.connect()
        last = time.monotonic()
        for _ in range(5):
            client.send(b'{"method":"event","params":{"app":"org.example.Notes"}}\n' * 2000)
            while "WATCHDOG=1" not in self.listener.next():
                pass
            self.assertLess(time.monotonic() - last, 1)
            last = time.monotonic()

    def test_pings_go_on_while_the_disk_is_slow(self):
        self.watch("500000")
        client = self.daemon.connect(APP)
        self.daemon.controls.set("sync_sleep_ms", 1500)
        identifier = client.begin("opt_out")
        last = time.monotonic()
        for _ in range(5):
            while "WATCHDOG=1" not in self.listener.next():
                pass
            self.assertLess(time.monotonic() - last, 0.5, "systemd would have killed it")
            last = time.monotonic()
        self.daemon.controls.set("sync_sleep_ms", 0)
        self.assertTrue(client.answer(identifier)["result"]["opted_out"])

    def test_none_without_a_valid_period_of_its_own(self):
        for usec, pid in (("0", None), ("", None), ("garbage", None), ("-1", None), ("200000", "1")):
            with self.subTest(usec=usec, pid=pid):
                self.watch(usec, pid)
                self.listener.socket.settimeout(0.5)
                try:
                    while True:
                        self.assertNotIn("WATCHDOG=1", self.listener.next())
                except TimeoutError:
                    pass
                self.listener.socket.settimeout(HANG)
                self.daemon.signal(signal.SIGTERM)
                self.listener.until("STOPPING=1")
                self.daemon.wait()


if __name__ == "__main__":
    unittest.main()
