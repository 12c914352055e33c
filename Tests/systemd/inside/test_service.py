"""Activation, stop, restart, idle exit: ratingd.service of a user behaves as any service."""

import json
import os
import socket
import time

from support import Client, ServiceTest, boxed, run, until

RUN_AS = "lab"


class Service(ServiceTest):
    def test_this_systemd_reads_the_units_without_a_word(self):
        for scope, folder in (("--user", "/usr/lib/systemd/user"),
                              ("--system", "/usr/lib/systemd/system")):
            done = run("systemd-analyze", scope, "verify", "--man=no", "--recursive-errors=one",
                       f"{folder}/ratingd.socket", f"{folder}/ratingd.service", check=False)
            self.assertEqual((done.code, done.out + done.err), (0, ""))

    def test_a_fresh_user_has_the_socket_without_any_step(self):
        self.assertEqual(self.systemctl("is-enabled", "ratingd.socket").out.strip(), "enabled")
        self.assertEqual(self.show("ActiveState", "ratingd.socket"), "active")
        mode = os.stat(self.socket_path).st_mode & 0o777
        directory = os.stat(os.path.dirname(self.socket_path)).st_mode & 0o777
        self.assertEqual((mode, directory), (0o600, 0o700))

    def test_the_first_connect_starts_the_service_and_is_answered(self):
        self.assertEqual(self.show("ActiveState"), "inactive")
        self.assertTrue(self.client().call("ping")["pong"])
        self.assertEqual(self.show("ActiveState"), "active")
        self.assertEqual(self.show("Slice"), "app.slice")
        self.assertNotEqual(self.show("StatusText"), "")

    def test_the_passed_socket_is_closed_on_exec_and_kept_open(self):
        self.client().call("ping")
        with open(f"/proc/{self.pid()}/fdinfo/3") as file:
            flags = [line.split()[1] for line in file if line.startswith("flags:")][0]
        self.assertTrue(int(flags, 8) & os.O_CLOEXEC, flags)

    def test_a_restart_keeps_the_sockets_inode_and_clients_reconnect(self):
        before = os.stat(self.socket_path).st_ino
        client = self.client("org.example.Notes")
        sessions = client.call("session")["sessions"]
        pid = self.pid()
        self.systemctl("restart", "ratingd.service")
        self.assertEqual(client.wait_for("bye")["params"]["reason"], "shutting_down")
        self.assertIsNone(client.line())
        again = self.client("org.example.Notes")
        self.assertEqual(again.call("status")["sessions"], sessions)
        self.assertNotEqual(self.pid(), pid)
        self.assertEqual(os.stat(self.socket_path).st_ino, before)

    def test_connects_during_twenty_restarts_are_all_answered(self):
        # Under the start limit of the unit, which is a rate.
        import threading
        failures, answered, ended = [], [], threading.Event()

        def connect():
            while not ended.is_set():
                try:
                    with Client(self.socket_path) as client:
                        try:
                            client.call("ping")
                            answered.append(1)
                        except (ConnectionError, BrokenPipeError, ConnectionResetError):
                            pass  # met the end of one daemon
                        except AssertionError as error:
                            if "shutting_down" not in str(error):
                                failures.append(str(error))
                except OSError as error:
                    failures.append(repr(error))

        thread = threading.Thread(target=connect)
        thread.start()
        for _ in range(20):
            self.systemctl("restart", "ratingd.service")
        ended.set()
        thread.join()
        self.assertEqual(failures, [])
        self.assertGreater(len(answered), 20)

    def test_stop_leaves_the_socket_and_the_next_connect_starts_it(self):
        self.start()
        self.systemctl("stop", "ratingd.service")
        self.assertEqual(self.show("Result"), "success")
        self.assertEqual(self.show("ExecMainStatus"), "0")
        self.assertTrue(self.client().call("ping")["pong"])

    def test_stopping_the_socket_too_leaves_no_file(self):
        self.start()
        self.systemctl("stop", "ratingd.socket", "ratingd.service")
        self.assertFalse(os.path.exists(self.socket_path))
        self.assertEqual(self.ctl("ping", check=False).code, 69)
        self.systemctl("start", "ratingd.socket")
        self.assertEqual(self.ctl("ping").code, 0)

    def test_masking_keeps_it_off_and_unmasking_brings_it_back(self):
        self.systemctl("mask", "--runtime", "--now", "ratingd.socket", "ratingd.service")
        with self.assertRaises(OSError):
            Client(self.socket_path)
        self.assertNotEqual(self.systemctl("start", "ratingd.service", check=False).code, 0)
        self.systemctl("unmask", "--runtime", "ratingd.socket", "ratingd.service")
        self.systemctl("start", "ratingd.socket")
        self.assertTrue(self.client().call("ping")["pong"])

    def test_disabling_and_enabling_work_for_one_user(self):
        links = os.path.expanduser("~/.config/systemd/user/sockets.target.wants/ratingd.socket")
        self.systemctl("enable", "ratingd.socket")
        self.assertTrue(os.path.islink(links))
        self.systemctl("disable", "--now", "ratingd.socket", "ratingd.service")
        self.assertFalse(os.path.islink(links))
        with self.assertRaises(OSError):
            Client(self.socket_path)

    def test_an_idle_daemon_ends_and_comes_back_with_the_same_counters(self):
        self.configure("[Daemon]\nIdleExitSec=1\n[Policy]\nSessionGapSec=0\n")
        with Client(self.socket_path, "org.example.Notes") as client:
            for _ in range(5):
                sessions = client.call("session")["sessions"]
            events = client.call("event", count=7)["events"]
        self.assertEqual((sessions, events), (5, 7))
        self.wait_state("inactive", 5)
        self.assertEqual(self.show("Result"), "success")
        status = self.client("org.example.Notes").call("status")
        self.assertEqual((status["sessions"], status["events"]), (5, 7))
        self.assertTrue(self.own_entries("idle-exit"))

    def test_a_silent_subscriber_keeps_an_idle_daemon_up(self):
        self.configure("[Daemon]\nIdleExitSec=1\n")
        client = self.client()
        client.call("subscribe", topics=["decisions"])
        pid = self.pid()
        time.sleep(2.5)
        self.assertTrue(client.call("ping")["pong"])
        self.assertEqual(self.pid(), pid)

    def test_idle_exits_at_the_shortest_setting_never_reach_the_start_limit(self):
        self.configure("[Daemon]\nIdleExitSec=1\n")
        for _ in range(12):
            with Client(self.socket_path) as client:
                client.call("ping")
            self.wait_state("inactive", 5)
        self.assertEqual(self.show("ActiveState", "ratingd.socket"), "active")

    def test_200_connects_in_2_s_do_not_trip_the_trigger_limit(self):
        for _ in range(3):
            self.systemctl("stop", "ratingd.service")
            began = time.monotonic()
            clients = [self.client() for _ in range(200)]
            for client in clients:
                self.assertTrue(client.call("ping")["pong"])
            self.assertLess(time.monotonic() - began, 2)
            for client in clients:
                client.close()
        self.assertEqual(self.show("ActiveState", "ratingd.socket"), "active")

    def test_1000_clients_that_were_gone_before_the_start_leave_no_trace(self):
        self.start()
        quiet = until(lambda: len(os.listdir(f"/proc/{self.pid()}/fd")), "descriptors")
        self.systemctl("stop", "ratingd.service")
        for _ in range(1000):
            Client(self.socket_path).close()
        self.assertTrue(self.client().call("ping")["pong"])
        self.assertEqual(self.show("ActiveState"), "active")
        self.assertEqual(self.show("NRestarts"), "0")
        until(lambda: len(os.listdir(f"/proc/{self.pid()}/fd")) <= quiet + 1,
              "the clients' descriptors are closed")

    def test_sigterm_with_50_stalled_subscribers_ends_within_2_s(self):
        self.configure("[Daemon]\nSubscriptionsPerUidMax=1000\nOutputBytesMax=65536\n"
                       "RateLimitPerSec=0\n[Policy]\nSessionGapSec=0\n")
        self.start()
        stalled = []
        for _ in range(50):
            client = Client.__new__(Client)
            client.__dict__.update(buffer=b"", number=0, notes=[])
            client.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            client.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
            client.socket.settimeout(10)
            client.socket.connect(self.socket_path)
            self.addCleanup(client.close)
            client.call("subscribe", topics=["counters"])
            stalled.append(client)
        busy = self.client("org.example.Notes")
        for _ in range(4000):
            busy.send({"method": "event", "params": {}})
        self.assertEqual(busy.call("status")["events"], 4000)
        began = time.monotonic()
        self.systemctl("stop", "ratingd.service")
        self.assertLess(time.monotonic() - began, 2.2)
        self.assertEqual(self.show("Result"), "success")
        self.assertEqual(busy.wait_for("bye")["params"]["reason"], "shutting_down")

    def test_every_subscriber_that_reads_gets_bye_and_then_the_end(self):
        clients = [self.client() for _ in range(8)]
        for client in clients:
            client.call("subscribe", topics=["decisions"])
        self.systemctl("stop", "ratingd.service")
        for client in clients:
            self.assertEqual(client.wait_for("bye")["params"]["reason"], "shutting_down")
            self.assertIsNone(client.line())

    def test_a_sandboxed_peer_is_recognised_through_its_root(self):
        # The reason why the unit has no option that brings a namespace.
        self.start()
        done = run(*boxed("org.example.Boxed", os.path.dirname(self.socket_path), "ratingctl",
                          "--socket", self.socket_path, "--json=short", "whoami"), check=False)
        self.assertEqual(done.code, 0, done.err)
        who = json.loads(done.out)
        self.assertEqual(who["app"], "org.example.Boxed")
        self.assertEqual(who["identity"], {"source": "flatpak", "verified": True})

    def test_a_removed_socket_file_is_noticed_and_a_restart_mends_it(self):
        client = self.client()
        client.call("ping")
        os.unlink(self.socket_path)
        entry = self.wait_entry("socket-gone", 2.5)
        self.assertEqual(entry["RATINGD_PATH"], self.socket_path)
        self.assertTrue(client.call("ping")["pong"])
        told = self.ctl("status", check=False)
        self.assertEqual(told.code, 69)
        self.systemctl("restart", "ratingd.socket")
        self.assertTrue(self.client().call("ping")["pong"])

    def test_a_program_that_is_missing_is_an_end_and_not_a_loop(self):
        self.dropin("[Service]\nExecStart=\nExecStart=/nonexistent/ratingd --user\n")
        began = time.monotonic()
        with self.assertRaises((ConnectionError, OSError, TimeoutError)):
            client = Client(self.socket_path, timeout=10)
            self.addCleanup(client.close)
            client.call("ping")
        self.wait_state("failed", 10, unit="ratingd.socket")
        self.assertLess(time.monotonic() - began, 10)
        with self.assertRaises(OSError):
            Client(self.socket_path)
        self.assertIn("ratingd", self.ctl("ping", check=False).err)
        os.unlink(f"{self.units}/ratingd.service.d/test.conf")
        self.systemctl("daemon-reload")
        self.systemctl("reset-failed", "ratingd.service", "ratingd.socket")
        self.systemctl("start", "ratingd.socket")
        self.assertTrue(self.client().call("ping")["pong"])
