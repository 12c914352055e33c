"""Peers that try to make the daemon block, spin, leak, crash or grow (SPEC 5, P4)."""

import array
import ctypes
import os
import resource
import socket
import subprocess
import sys
import threading
import time
import unittest

from base import APP, IS_ROOT, NOBODY, DaemonTest, easy
from ratingd_client import HANG, Client
from ratingd_daemon import RATINGD, eventually, proc_status
from test_system import as_user

WIDE = {"ConnectionsMax": 100_000, "ConnectionsPerUidMax": 100_000, "RateLimitPerSec": 0}
CYCLES = int(os.environ.get("RATINGD_TEST_CYCLES", "100000"))

# In a process of its own: threads that connect and go in every way there is.
CHURN = """
import os, socket, struct, sys, threading
path, threads, cycles = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
def churn(number):
    for n in range(cycles):
        peer = socket.socket(socket.AF_UNIX)
        while True:
            try:
                peer.connect(path)
                break
            except BlockingIOError:
                pass
        try:
            if n % 4 == 1:
                peer.send(b'{"method":"ping","id":1}\\n')
            elif n % 4 == 2:
                peer.send(b'{"method":"pi')
            elif n % 4 == 3:
                peer.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        peer.close()
threads = [threading.Thread(target=churn, args=(n,)) for n in range(threads)]
[t.start() for t in threads]
[t.join() for t in threads]
"""


class HostileTest(DaemonTest):
    def descriptors(self):
        return len(os.listdir(f"/proc/{self.daemon.pid}/fd"))

    def cpu(self):
        with open(f"/proc/{self.daemon.pid}/stat", encoding="ascii") as file:
            fields = file.read().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def assert_quiet(self, seconds=1.0, most=0.05):
        """The daemon uses less than this part of a CPU."""
        def measured():
            before = self.cpu()
            time.sleep(seconds)
            used = (self.cpu() - before) / seconds
            return used < most and [used]

        # What was sent before may still be carried out.
        return eventually(measured, "rest")[0]

    def assert_well(self, daemon=None):
        def works():
            try:
                client = Client((daemon or self.daemon).socket_path)
                pong = client.ask("ping")["pong"]
                client.close()
                return pong
            except (OSError, AssertionError):
                return False

        eventually(works, "an answer")

    def report(self, text):
        print("\n  " + text, flush=True)


class Descriptors(HostileTest):
    config = easy(daemon=WIDE)

    def setUp(self):
        pass

    def test_at_every_number_of_descriptors_it_ends_with_a_sentence_or_goes_on(self):
        started = []
        for limit in range(12, 44):
            with self.subTest(descriptors=limit):
                self.one(limit, started)
        self.assertTrue(started)
        self.report(f"starts with {min(started)} descriptors and more; 200 connects at each number to 43")

    def one(self, limit, started):
        daemon = self.make_daemon(self.config, rlimits={resource.RLIMIT_NOFILE: limit})
        daemon.spawn()
        while not os.path.exists(daemon.socket_path) and daemon.process.poll() is None:
            time.sleep(0.005)
        if daemon.process.poll() is None:
            # The socket is there before the rest is.
            eventually(
                lambda: daemon.process.poll() is not None or "started" in daemon.log(),
                "a start or an end")
        if daemon.process.poll() is not None:
            self.assertIn(daemon.process.returncode, (71, 73), daemon.log())
            self.assertIn("Too many open files", daemon.log())
            daemon.process = None
            return
        started.append(limit)
        self.daemon = daemon
        # One for a client and three to find out who it is; with fewer everybody is refused.
        self.crowd(seconds=0.2, is_enough=limit >= started[0] + 4)

    def crowd(self, seconds, is_enough=True):
        peers = []
        for _ in range(200):
            peer = socket.socket(socket.AF_UNIX)
            peer.setblocking(False)
            peer.connect(self.daemon.socket_path)
            peers.append(peer)
        time.sleep(0.1)
        used = self.assert_quiet(seconds)
        entries = self.daemon.log().count("new clients wait")
        self.assertLessEqual(entries, 1)
        for peer in peers:
            peer.close()
        if is_enough:
            self.assert_well()
        return used, entries

    def test_two_hundred_connects_held_for_three_seconds(self):
        self.daemon = self.make_daemon(self.config, rlimits={resource.RLIMIT_NOFILE: 64})
        self.daemon.start()
        client = self.connect()
        client.ask("ping")
        base = self.descriptors()
        used, entries = self.crowd(seconds=3.0)
        eventually(lambda: self.descriptors() == base, "no descriptor left over")
        self.report(f"200 connects, 64 descriptors: {100 * used:.1f} % CPU, {entries} log entry")
        self.assertEqual(entries, 1)


class Queues(HostileTest):
    config = easy(daemon=WIDE)

    def test_a_full_backlog_is_worked_off(self):
        self.daemon.signal(19)  # SIGSTOP
        peers = []
        try:
            while len(peers) < 20_000:
                peer = socket.socket(socket.AF_UNIX)
                peer.setblocking(False)
                try:
                    peer.connect(self.daemon.socket_path)
                except BlockingIOError:
                    peer.close()
                    break
                peer.send(b'{"method":"ping","id":1}\n')
                peers.append(peer)
        finally:
            self.daemon.signal(18)  # SIGCONT
        answered = 0
        for peer in peers:
            peer.settimeout(HANG)
            if b'"pong":true' in peer.recv(1000):
                answered += 1
            peer.close()
        self.report(f"{len(peers)} in a full backlog, {answered} answered")
        self.assertGreater(len(peers), 100)
        self.assertEqual(answered, len(peers))
        self.assert_well()

    def test_a_hang_up_with_full_buffers_leaves_nothing(self):
        client = self.connect()
        client.ask("ping")
        base = self.descriptors()
        # What they sent is carried out all the same, some thousand lines each.
        for _ in range(10):
            peer = socket.socket(socket.AF_UNIX)
            peer.connect(self.daemon.socket_path)
            peer.setblocking(False)
            line = b'{"method":"status","id":1,"params":{"app":"org.a"}}\n' * 100
            try:
                while True:
                    peer.send(line)
            except BlockingIOError:
                pass
            peer.close()
        eventually(lambda: self.descriptors() == base, "no descriptor left over")
        self.assert_quiet(0.5)
        self.assert_well()

    def test_half_open_peers_cost_nothing_and_go(self):
        client = self.connect()
        client.ask("ping")
        base = self.descriptors()
        write_ended, read_ended = [], []
        for _ in range(300):
            for peers, how in ((write_ended, socket.SHUT_WR), (read_ended, socket.SHUT_RD)):
                peer = socket.socket(socket.AF_UNIX)
                peer.connect(self.daemon.socket_path)
                peer.shutdown(how)
                peers.append(peer)
        for peer in write_ended:  # Nothing is left to be done for them.
            peer.settimeout(HANG)
            self.assertEqual(peer.recv(100), b"")
            peer.close()
        for peer in read_ended:
            try:
                peer.send(b'{"method":"ping","id":1}\n')
            except BrokenPipeError:
                pass
        self.assert_quiet(0.5)
        for peer in read_ended:
            peer.close()
        eventually(lambda: self.descriptors() == base, "no descriptor left over")


class Passed(HostileTest):
    def test_descriptors_passed_along_are_closed(self):
        client = self.connect()
        client.ask("ping")
        base = self.descriptors()
        reader, writer = os.pipe()
        sent = 0
        for _ in range(100):
            rights = array.array("i", [writer] * 250)
            client.socket.sendmsg(
                [b'{"method":"ping","id":1}\n'], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, rights)])
            sent += 250
            client.answer(1)
        self.assertEqual(self.descriptors(), base)
        os.close(writer)
        self.assertEqual(os.read(reader, 1), b"", "somebody has the writing end")
        os.close(reader)
        self.report(f"{sent} descriptors passed along, {self.descriptors() - base} kept")

    def test_those_that_wait_unread_go_with_the_connection(self):
        client = self.connect()
        reader, writer = os.pipe()
        self.daemon.signal(19)
        client.socket.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [writer]))])
        client.close()
        os.close(writer)
        self.daemon.signal(18)
        self.assertEqual(os.read(reader, 1), b"")
        os.close(reader)


class Churn(HostileTest):
    config = easy(daemon={"RateLimitPerSec": 0})

    def test_a_hundred_thousand_that_connect_and_go(self):
        client = self.connect()
        client.ask("ping")
        base, memory = self.descriptors(), proc_status(self.daemon.pid, "VmRSS")
        begin = time.monotonic()
        children = [
            subprocess.Popen([sys.executable, "-c", CHURN, self.daemon.socket_path, "4",
                              str(CYCLES // 16)]) for _ in range(4)]
        for child in children:
            self.assertEqual(child.wait(20 * HANG), 0)
        seconds = time.monotonic() - begin
        stats = eventually(
            lambda: (s := client.ask("stats"))["connections"] == 1 and s, "only one connection")
        self.assertEqual(self.descriptors(), base)
        self.assertGreaterEqual(stats["connections_total"], CYCLES // 16 * 16)
        grown = proc_status(self.daemon.pid, "VmRSS") - memory
        self.report(f"{stats['connections_total']} connections in {seconds:.1f} s, "
                    f"{stats['connections_refused']} refused, {base} descriptors before and after, "
                    f"memory {memory} kB and {grown} kB more")
        self.assertLess(grown, 20_000)
        self.assertLess(len(self.daemon.log().splitlines()), 10)


class Memory(HostileTest):
    def test_readers_that_never_read_and_writers_that_never_end_their_line(self):
        self.assert_well()
        before = proc_status(self.daemon.pid, "VmRSS")
        readers, writers = [], []
        for _ in range(20):
            client = self.connect()
            client.socket.setblocking(False)
            # More than one MiB of answers.
            line = b'{"method":"stats","id":1}\n' * 50
            readers.append(client)
            end = time.monotonic() + 2
            while time.monotonic() < end:
                try:
                    client.socket.send(line)
                except BlockingIOError:
                    if self.is_full(client):
                        break
        for _ in range(20):
            client = self.connect()
            client.send(b"x" * 65_000)
            writers.append(client)
        other = self.connect()
        self.assert_quiet(0.5)
        stats = other.ask("stats")
        self.assertGreater(stats["output_bytes_queued"], 20 << 20)
        grown = proc_status(self.daemon.pid, "VmRSS") - before
        self.report(f"{stats['output_bytes_queued']} bytes queued for 20 readers, 20 lines of "
                    f"65,000 bytes begun: {grown} kB more memory")
        # 1 MiB each and the answers of one turn on top; the lines as they are.
        self.assertLess(grown, 20 * (2 * 1024 + 64) + 10_000)
        self.assertTrue(other.ask("ping")["pong"])

    @staticmethod
    def is_full(client):
        time.sleep(0.05)
        try:
            client.socket.send(b"\n")
            return False
        except BlockingIOError:
            return True


class Names(HostileTest):
    def test_paths_that_clients_bind_themselves_to_say_nothing(self):
        directory = self.daemon.path("x;uid=0;\nRATINGD_UID=0\nratingd: forged")
        os.mkdir(directory)
        os.chdir(directory)
        self.addCleanup(os.chdir, "/")
        for number, name in enumerate((";uid=0;pid=1;", "\nRATINGD_UID=0\n", "\0;uid=0;\nforged", "%s%n")):
            peer = socket.socket(socket.AF_UNIX)
            peer.bind(name)
            peer.settimeout(HANG)
            peer.connect(self.daemon.socket_path)
            client = Client.__new__(Client)
            client.__init__(self.daemon.socket_path)
            client.socket.close()
            client.socket = peer
            result = client.ask("whoami")
            self.assertEqual((result["uid"], result["pid"]), (os.geteuid(), os.getpid()), number)
            client.send(b"bad\n")
            client.next()
            peer.close()
        for word in ("forged", "uid=0;", "RATINGD_UID=0"):
            self.assertNotIn(word, self.daemon.log().replace(self.daemon.root, ""))


class Unreadable(HostileTest):
    """Peers of which the daemon cannot say what they are: never taken for unsandboxed (P5)."""

    def assert_unknown(self, answers):
        whoami, session = answers
        self.assertEqual(whoami["identity"], {"source": "unknown", "verified": False})
        self.assertIsNone(whoami["app"])
        self.assert_error(session, "not_permitted")

    def ask(self, is_closed):
        """As one who may (or may not) be looked at."""
        if is_closed:
            ctypes.CDLL(None).prctl(4, 0, 0, 0, 0)  # PR_SET_DUMPABLE
        client = Client(self.daemon.socket_path)
        answers = [client.ask("whoami"), client.call("session", app=APP, version="1")]
        return answers[0], answers[1].get("error")

    @unittest.skipUnless(IS_ROOT, "needs root: to be another user")
    def test_a_process_that_closed_itself_is_unknown(self):
        if subprocess.run(["test", "-x", RATINGD], user=NOBODY, check=False).returncode:
            self.skipTest(f"other users cannot run {RATINGD}")
        self.daemon = self.make_daemon(self.config, user=NOBODY)
        self.daemon.start()
        os.chmod(self.daemon.root, 0o755)
        self.assert_unknown(as_user(NOBODY, lambda: self.ask(True)))

    @unittest.skipUnless(IS_ROOT, "needs root: to make a user namespace")
    def test_to_a_daemon_in_a_user_namespace_everybody_is_unknown(self):
        done = subprocess.run(["unshare", "--user", "--map-root-user", "true"], check=False)
        if done.returncode:
            self.skipTest("no user namespaces here")
        self.daemon.stop()
        self.daemon.spawn(command=["unshare", "--user", "--map-root-user", RATINGD, *self.daemon.args])
        eventually(self.daemon.answers, "the socket")
        self.assert_unknown(self.ask(False))


@unittest.skipUnless(IS_ROOT, "needs root: a system daemon with several users")
class Users(HostileTest):
    config = easy(daemon={"ConnectionsMax": 40, "ConnectionsPerUidMax": 20, "PendingPerUidMax": 4,
                          "SubscriptionsPerUidMax": 4, "AppsPerUidMax": 6}, DebounceMs=600_000)
    options = {"extra_args": ["--system"]}

    def reach_limits(self):
        """The names of the limits that this process meets."""
        limits, clients = set(), []

        def note(answer):
            if "error" in answer:
                limits.add(answer["error"]["data"]["limit"])
            return "error" not in answer

        for _ in range(30):
            client = Client(self.daemon.socket_path)
            try:
                client.begin("ping")
            except BrokenPipeError:
                pass  # refused already; the line is still to be read
            if note(client.next()):
                clients.append(client)
        for n in range(10):
            note(clients[0].call("request", app=f"org.a{n}", version="1"))
            note(clients[n % len(clients)].call("subscribe", topics=["counters"]))
            note(clients[0].call("event", app=f"org.b{n}"))
        return limits

    def test_a_user_at_every_limit_harms_no_other(self):
        os.chmod(self.daemon.root, 0o755)
        os.chmod(self.daemon.runtime, 0o755)
        reader, writer = os.pipe()
        done_reader, done_writer = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                os.setgroups([])
                os.setgid(12_345)
                os.setuid(12_345)
                os.write(writer, ",".join(sorted(self.reach_limits())).encode())
                os.read(done_reader, 1)
            except BaseException as trouble:
                os.write(writer, repr(trouble).encode())
            finally:
                os._exit(0)
        reached = os.read(reader, 1000).decode()

        def neighbour():
            client = Client(self.daemon.socket_path)
            client.ask("subscribe", topics=["counters"])
            return client.ask("request", app=APP, version="1")["decision"]

        try:
            self.assertEqual(
                reached, "apps_per_uid,connections_per_uid,pending_per_uid,subscriptions_per_uid")
            self.assertEqual(as_user(12_346, neighbour), "pending")
            self.assertEqual(neighbour(), "pending")
        finally:
            os.write(done_writer, b"x")
            os.waitpid(child, 0)


if __name__ == "__main__":
    unittest.main()
