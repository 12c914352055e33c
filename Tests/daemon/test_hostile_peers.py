"""Peers that try to make the daemon block, spin, leak, crash or grow (SPEC 5, P4)."""

import array
import os
import socket
import subprocess
import sys
import time
import unittest

from base import easy
from hostile import WIDE, HostileTest
from ratingd_client import HANG, Client
from ratingd_daemon import eventually, proc_status

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
        self.assert_memory(grown, 20_000)
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
        self.assert_memory(grown, 20 * (2 * 1024 + 64) + 10_000)
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


if __name__ == "__main__":
    unittest.main()
