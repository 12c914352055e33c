"""sd_notify, the watchdog, socket activation, and a stop while others are connected."""

import os
import re
import signal
import socket
import time
import unittest

from base import APP, DaemonTest, easy
from ratingd_client import HANG
from ratingd_daemon import RATINGD, eventually


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


class Activation(DaemonTest):
    """A socket that someone else made, inherited as descriptor 3."""

    def setUp(self):
        self.daemon = self.make_daemon(self.config)
        self.listening = socket.socket(socket.AF_UNIX)
        self.addCleanup(self.listening.close)
        self.listening.bind(self.daemon.socket_path)
        self.listening.listen(64)

    def spawn(self, environment='LISTEN_PID=$$ LISTEN_FDS=1 LISTEN_FDNAMES=ratingd.socket'):
        descriptor = self.listening.fileno()
        script = f'{environment} exec "$0" "$@" 3<&{descriptor}'
        return self.daemon.spawn(
            pass_fds=[descriptor], command=["/bin/bash", "-c", script, RATINGD, *self.daemon.args])

    def test_clients_that_came_before_it_are_served(self):
        early = [self.daemon.connect() for _ in range(5)]
        for client in early:
            client.begin("ping")
        self.spawn()
        for client in early:
            self.assertTrue(client.next()["result"]["pong"])

    def test_the_socket_is_not_unlinked_when_it_stops(self):
        inode = os.stat(self.daemon.socket_path).st_ino
        for _ in range(3):
            client = self.daemon.connect()
            self.spawn()
            self.assertTrue(client.ask("ping")["pong"])
            self.assertEqual(self.daemon.stop(), 0)
            self.assertEqual(os.stat(self.daemon.socket_path).st_ino, inode)

    def test_without_names(self):
        client = self.daemon.connect()
        self.spawn("LISTEN_PID=$$ LISTEN_FDS=1")
        self.assertTrue(client.ask("ping")["pong"])

    def test_the_descriptor_is_closed_on_exec(self):
        client = self.daemon.connect()
        self.spawn()
        client.ask("ping")
        with open(f"/proc/{self.daemon.pid}/fdinfo/3", encoding="ascii") as file:
            flags = int(re.search(r"flags:\s*(\d+)", file.read()).group(1), 8)
        self.assertTrue(flags & 0o2000000, oct(flags))

    def test_variables_for_another_process_are_not_ours(self):
        self.daemon.socket_path = self.daemon.path("run", "own.sock")
        self.daemon.args[1] = self.daemon.socket_path
        self.spawn("LISTEN_PID=1 LISTEN_FDS=1")
        eventually(lambda: os.path.exists(self.daemon.socket_path), "a socket of its own")

    def test_connections_that_are_gone_before_the_start(self):
        for _ in range(60):
            self.daemon.connect().close()
        self.spawn()
        self.assertTrue(self.daemon.connect().ask("ping")["pong"])

    def test_everything_else_broken_it_still_answers(self):
        os.rmdir(self.daemon.state_dir)
        open(self.daemon.state_dir, "w", encoding="ascii").close()
        self.daemon.write_config("ratingd.conf", "\x00nonsense\n[[[\n")
        self.spawn()
        for _ in range(50):
            client = self.daemon.connect()
            self.assert_error(
                client.error("request", app=APP, version="1"), "storage_unavailable")
            client.close()


class IdleExit(Activation):
    config = easy(daemon={"IdleExitSec": 1})

    def test_an_idle_daemon_ends_and_comes_back(self):
        client = self.daemon.connect()
        self.spawn()
        client.ask("event", app=APP)
        client.close()
        self.assertEqual(self.daemon.wait(), 0)
        client = self.daemon.connect()
        self.spawn()
        self.assertEqual(client.ask("status", app=APP)["events"], 1)

    def test_a_connection_a_pending_or_a_subscriber_keeps_it(self):
        watcher = self.daemon.connect()
        self.spawn()
        watcher.ask("subscribe", topics=["counters"])
        with self.assertRaises(Exception):
            self.daemon.process.wait(2.5)
        self.assertTrue(watcher.ask("ping")["pong"])


class Stop(DaemonTest):
    config = easy(DebounceMs=600_000)

    def test_pending_requests_are_cancelled_then_bye_then_the_end(self):
        clients = [self.connect(f"org.app{n}") for n in range(10)]
        tokens = [self.pending(client) for client in clients]
        self.assertEqual(self.daemon.stop(), 0)
        for client, token in zip(clients, tokens):
            cancelled, bye = client.rest()
            self.assertEqual(cancelled["method"], "cancelled")
            self.assertEqual(
                (cancelled["params"]["token"], cancelled["params"]["reason"]), (token, "shutting_down"))
            self.assertEqual((bye["method"], bye["params"]), ("bye", {"reason": "shutting_down"}))

    def test_none_of_them_consumed_anything(self):
        client = self.connect(APP)
        self.pending(client)
        self.daemon.restart()
        client = self.connect(APP)
        self.assertEqual(client.ask("history")["grants"], [])
        self.prompt(client, debounce_ms=0)

    def test_with_fifty_stalled_subscribers_it_ends_all_the_same(self):
        self.daemon.write_config(
            "ratingd.conf", easy(daemon={"SubscriptionsPerUidMax": 200, "RateLimitPerSec": 0}))
        self.connect().ask("reload")
        stalled = [self.connect() for _ in range(50)]
        for watcher in stalled:
            watcher.ask("subscribe", topics=["counters"])
        client = self.connect(APP)
        for _ in range(80):
            client.send(b'{"method":"event"}\n' * 100)
            client.ask("ping")
        self.daemon.signal(signal.SIGTERM)
        self.assertEqual(self.daemon.process.wait(10), 0)
        self.daemon.process = None

    def test_with_lines_half_sent_and_answers_unread(self):
        for _ in range(5):
            client = self.connect()
            client.send(b'{"method":"ping","id":1}\n' * 500 + b'{"method":')
        self.assertEqual(self.daemon.stop(), 0)

    def test_two_sigterms(self):
        self.connect(APP)
        self.daemon.signal(signal.SIGTERM)
        self.daemon.signal(signal.SIGTERM)
        self.daemon.signal(signal.SIGINT)
        self.assertEqual(self.daemon.wait(), 0)

    def test_everything_answered_is_there_after_it(self):
        client = self.connect(APP)
        for _ in range(100):
            client.ask("event")
        self.daemon.restart()
        self.assertEqual(self.connect().ask("status", app=APP)["events"], 100)


if __name__ == "__main__":
    unittest.main()
