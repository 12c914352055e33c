"""What a service manager can get wrong: sockets, watchdog, notification, runtime directory."""

import contextlib
import os
import shutil
import socket
import subprocess
import tempfile
import time

from support import Client, ServiceTest, root, run, until

RUN_AS = "lab"
RATINGD = "/usr/bin/ratingd"


class Environment(ServiceTest):
    def setUp(self):
        super().setUp()
        self.systemctl("stop", "ratingd.socket", "ratingd.service")
        self.base = tempfile.mkdtemp(dir=os.path.expanduser("~"))
        self.addCleanup(shutil.rmtree, self.base, True)
        self.own_socket = f"{self.base}/run/ratingd.sock"

    def notify_socket(self, address):
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        listener.bind(address)
        listener.settimeout(5)
        self.addCleanup(listener.close)
        return listener

    def spawn(self, *argv, before=None, passed=(), stdin=None, unset=(), **variables):
        """Starts ratingd by hand; stderr goes to a file. `before` runs in the child."""
        environment = {k: v for k, v in os.environ.items() if k not in unset}
        environment.update(variables)
        log = open(f"{self.base}/log", "w+")
        process = subprocess.Popen(
            [RATINGD, *(argv or ("--user", "--socket", self.own_socket, "--state",
                                 f"{self.base}/state"))],
            env=environment, stdout=log, stderr=log, preexec_fn=before, pass_fds=passed)
        self.addCleanup(log.close)
        self.addCleanup(process.wait)
        self.addCleanup(lambda: process.poll() is None and process.kill())
        return process

    def log(self):
        with open(f"{self.base}/log") as file:
            return file.read()

    def answers(self, path=None):
        def ask():
            with contextlib.suppress(OSError), Client(path or self.own_socket) as client:
                return client.call("ping")["pong"]
        return until(ask, f"an answer, log: {self.log()}", 5)

    def ends_with(self, process, code):
        try:
            self.assertEqual(process.wait(5), code, self.log())
        except subprocess.TimeoutExpired:
            self.fail(f"it did not end; log: {self.log()}")

    # Notification.

    def received(self, listener, wanted):
        text = ""
        while wanted not in text:
            text += listener.recv(4096).decode() + "\n"
        return text

    def test_ready_arrives_at_a_notify_socket_with_a_path(self):
        listener = self.notify_socket(f"{self.base}/notify")
        process = self.spawn(NOTIFY_SOCKET=f"{self.base}/notify")
        self.received(listener, "READY=1")
        # READY is not said before the socket answers.
        with Client(self.own_socket) as client:
            self.assertTrue(client.call("ping")["pong"])
        process.terminate()
        self.received(listener, "STOPPING=1")
        self.ends_with(process, 0)

    def test_ready_arrives_at_an_abstract_notify_socket(self):
        name = f"ratingd-test-{os.getpid()}"
        listener = self.notify_socket(f"\0{name}")
        self.spawn(NOTIFY_SOCKET=f"@{name}")
        self.received(listener, "READY=1")

    def test_a_status_line_is_sent_and_is_one_plain_line(self):
        listener = self.notify_socket(f"{self.base}/notify")
        self.spawn(NOTIFY_SOCKET=f"{self.base}/notify")
        text = self.received(listener, "STATUS=")
        line = [l for l in text.splitlines() if l.startswith("STATUS=")][0]
        self.assertRegex(line, r"^STATUS=[ -~]+$")

    def test_reloading_is_announced_with_its_time_and_ended(self):
        listener = self.notify_socket(f"{self.base}/notify")
        process = self.spawn(NOTIFY_SOCKET=f"{self.base}/notify")
        self.received(listener, "READY=1")
        process.send_signal(1)
        text = self.received(listener, "RELOADING=1")
        self.assertRegex(text, r"MONOTONIC_USEC=\d+")
        self.received(listener, "READY=1")

    def test_without_a_notify_socket_it_just_works(self):
        self.spawn(unset=("NOTIFY_SOCKET",))
        self.answers()

    def test_a_notify_socket_that_is_wrong_is_told_once_and_never_ends_it(self):
        for wrong in (f"{self.base}/nowhere", "/" + "x" * 200, "no-path", "@", ""):
            with self.subTest(wrong[:20]):
                process = self.spawn(NOTIFY_SOCKET=wrong, WATCHDOG_USEC="200000")
                self.answers()
                time.sleep(0.5)
                self.assertIsNone(process.poll())
                told = self.log().count("NOTIFY") + self.log().lower().count("notify")
                self.assertLessEqual(told, 2, self.log())
                if wrong.startswith("/"):
                    self.assertGreaterEqual(told, 1, self.log())
                process.terminate()
                self.ends_with(process, 0)

    # Watchdog.

    def pings(self, seconds, **variables):
        """The gaps between the watchdog's pings in that time, in seconds."""
        path = f"{self.base}/notify"
        with contextlib.suppress(FileNotFoundError):
            os.unlink(path)
        listener = self.notify_socket(path)
        process = self.spawn(NOTIFY_SOCKET=path, **variables)
        self.received(listener, "READY=1")
        times, end = [time.monotonic()], time.monotonic() + seconds
        while time.monotonic() < end:
            listener.settimeout(max(0.01, end - time.monotonic()))
            with contextlib.suppress(TimeoutError):
                if "WATCHDOG=1" in listener.recv(4096).decode():
                    times.append(time.monotonic())
        process.terminate()
        self.ends_with(process, 0)
        return [b - a for a, b in zip(times, times[1:])]

    def test_half_a_second_of_watchdog_means_a_ping_every_quarter(self):
        gaps = self.pings(2.5, WATCHDOG_USEC="500000")
        self.assertGreaterEqual(len(gaps), 8)
        self.assertLess(max(gaps), 0.3)
        self.assertLessEqual(len(gaps), 16)

    def test_no_ping_without_a_period_that_is_meant_for_it(self):
        for variables in ({}, {"WATCHDOG_USEC": "0"}, {"WATCHDOG_USEC": ""},
                          {"WATCHDOG_USEC": "soon"}, {"WATCHDOG_USEC": "-5"},
                          {"WATCHDOG_USEC": "18446744073709551615"},
                          {"WATCHDOG_USEC": "200000", "WATCHDOG_PID": "1"}):
            with self.subTest(str(variables)):
                self.assertEqual(self.pings(0.7, **variables), [])

    # Passed sockets.

    def listening(self, name="passed.sock"):
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        listener.bind(f"{self.base}/{name}")
        listener.listen(10)
        self.addCleanup(listener.close)
        return listener

    def pass_descriptors(self, *descriptors, count=None, pid=None):
        """Starts it as systemd would: descriptors from 3 on, LISTEN_PID its own (or another)."""
        script = (
            "import os,sys\n"
            f"fds={[d.fileno() if hasattr(d, 'fileno') else d for d in descriptors]}\n"
            "fds=[os.dup2(f,200+i) for i,f in enumerate(fds)]\n"
            "for i,f in enumerate(fds): os.dup2(f,3+i); os.set_inheritable(3+i,True); os.close(f)\n"
            f"os.environ['LISTEN_FDS']={str(len(descriptors) if count is None else count)!r}\n"
            f"os.environ['LISTEN_PID']={pid!r} or str(os.getpid())\n"
            f"os.execv({RATINGD!r},[{RATINGD!r},'--user','--socket',{self.own_socket!r},'--state',"
            f"{self.base + '/state'!r}])\n")
        log = open(f"{self.base}/log", "w+")
        numbers = [d.fileno() if hasattr(d, "fileno") else d for d in descriptors]
        process = subprocess.Popen(
            ["/usr/bin/python3", "-c", script], stdout=log, stderr=log, pass_fds=numbers)
        self.addCleanup(log.close)
        self.addCleanup(process.wait)
        self.addCleanup(lambda: process.poll() is None and process.kill())
        return process

    def test_a_passed_socket_without_a_name_is_used_and_outlives_the_daemon(self):
        listener = self.listening()
        inode = os.stat(f"{self.base}/passed.sock").st_ino
        process = self.pass_descriptors(listener)
        self.answers(f"{self.base}/passed.sock")
        self.assertFalse(os.path.exists(self.own_socket))
        process.terminate()
        self.ends_with(process, 0)
        self.assertEqual(os.stat(f"{self.base}/passed.sock").st_ino, inode)

    def test_sockets_meant_for_another_process_are_left_alone(self):
        self.pass_descriptors(self.listening(), pid="1")
        self.answers()

    def test_a_pipe_in_place_of_the_socket_ends_it_with_a_sentence(self):
        reader, writer = os.pipe()
        self.addCleanup(os.close, reader)
        self.addCleanup(os.close, writer)
        self.ends_with(self.pass_descriptors(reader), 73)
        self.assertIn("descriptor 3", self.log())

    def test_a_datagram_socket_in_place_of_the_socket_ends_it_with_a_sentence(self):
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        listener.bind(f"{self.base}/datagram")
        self.addCleanup(listener.close)
        self.ends_with(self.pass_descriptors(listener), 73)
        self.assertIn("descriptor 3", self.log())

    def test_two_sockets_end_it_with_a_sentence(self):
        self.ends_with(self.pass_descriptors(self.listening("a"), self.listening("b")), 73)
        self.assertRegex(self.log(), "2 descriptors")

    def test_a_count_that_makes_no_sense_has_a_clear_outcome(self):
        for count in ("-1", "many", "99999999999"):
            with self.subTest(count):
                self.ends_with(self.pass_descriptors(self.listening(f"s{count}"), count=count), 73)
                self.assertIn("LISTEN_FDS", self.log())

    # The runtime directory.

    def test_without_a_runtime_directory_daemon_and_client_meet_at_the_fallback(self):
        process = self.spawn("--user", "--state", f"{self.base}/state", unset=("XDG_RUNTIME_DIR",))
        path = until(lambda: self.fallback(), "a path from ratingctl", 5)
        self.answers(path)
        self.assertIn("XDG_RUNTIME_DIR", self.log())
        environment = {k: v for k, v in os.environ.items() if k != "XDG_RUNTIME_DIR"}
        done = run("ratingctl", "--user", "ping", env=environment, check=False)
        self.assertEqual(done.code, 0, done.err)
        self.assertIn("XDG_RUNTIME_DIR", done.err)
        process.terminate()
        self.ends_with(process, 0)

    def fallback(self):
        environment = {k: v for k, v in os.environ.items() if k != "XDG_RUNTIME_DIR"}
        return run("ratingctl", "--user", "socket-path", env=environment).out.strip()

    def test_a_hundred_starts_at_the_fallback_leave_at_most_a_socket_and_a_lock(self):
        directory = os.path.dirname(self.fallback())
        for _ in range(20):
            process = self.spawn("--user", "--state", f"{self.base}/state",
                                 unset=("XDG_RUNTIME_DIR",))
            self.answers(self.fallback())
            process.terminate()
            self.ends_with(process, 0)
        self.assertLessEqual(len(os.listdir(directory)), 2)

    def test_a_runtime_directory_of_someone_else_is_refused_on_both_sides(self):
        foreign = f"{self.base}/foreign"
        root("install", "-d", "-m", "0777", "-o", "other", "-g", "other", foreign)
        self.addCleanup(root, "rm", "-rf", foreign)
        process = self.spawn("--user", "--state", f"{self.base}/state", XDG_RUNTIME_DIR=foreign)
        self.ends_with(process, 73)
        self.assertIn(foreign, self.log())
        done = run("ratingctl", "--user", "ping", check=False,
                   env=dict(os.environ, XDG_RUNTIME_DIR=foreign))
        self.assertIn(done.code, (69, 77))
        self.assertIn(foreign, done.err)

    # Other ends of the outside world.

    def test_a_closed_standard_error_does_not_end_it(self):
        process = subprocess.Popen(
            ["sh", "-c", f"exec {RATINGD} --user --socket {self.own_socket} --state "
             f"{self.base}/state 2>&- >&- <&-"])
        self.addCleanup(process.wait)
        self.addCleanup(lambda: process.poll() is None and process.kill())
        open(f"{self.base}/log", "w").close()
        self.answers()
        with Client(self.own_socket, "org.example.Notes") as client:
            client.call("request")
        self.answers()
        self.assertIsNone(process.poll())

    def test_a_standard_error_that_nobody_reads_does_not_end_or_block_it(self):
        reader, writer = os.pipe()
        process = subprocess.Popen(
            [RATINGD, "--user", "--socket", self.own_socket, "--state", f"{self.base}/state"],
            stderr=writer, stdout=writer)
        os.close(writer)
        self.addCleanup(process.wait)
        self.addCleanup(lambda: process.poll() is None and process.kill())
        open(f"{self.base}/log", "w").close()
        self.answers()
        with Client(self.own_socket, "org.example.Notes") as client:
            for _ in range(3000):
                client.call("opt_out")
                client.call("opt_in")
            os.close(reader)
            client.call("opt_out")
            self.assertTrue(client.call("ping")["pong"])
        self.assertIsNone(process.poll())

    def test_a_second_daemon_leaves_the_first_alone(self):
        self.spawn()
        self.answers()
        inode = os.stat(self.own_socket).st_ino
        second = self.spawn()
        self.ends_with(second, 69)
        self.answers()
        self.assertEqual(os.stat(self.own_socket).st_ino, inode)

    def test_a_wrong_command_line_is_64(self):
        self.ends_with(self.spawn("--no-such-option"), 64)

    def test_a_missing_configuration_directory_is_78(self):
        self.ends_with(self.spawn("--user", "--config", f"{self.base}/none"), 78)
