"""A daemon that runs out of descriptors (SPEC 5, P4)."""

import os
import resource
import socket
import time
import unittest

from base import DaemonTest, easy
from hostile import WIDE, HostileTest
from ratingd_client import Client
from ratingd_daemon import eventually


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


class FewDescriptors(DaemonTest):
    options = {"rlimits": {resource.RLIMIT_NOFILE: 40}}

    def test_two_hundred_connects_with_forty_descriptors(self):
        sockets = []
        for _ in range(200):
            sock = socket.socket(socket.AF_UNIX)
            sock.settimeout(0.05)
            try:
                sock.connect(self.daemon.socket_path)
            except OSError:
                sock.close()
                continue
            sockets.append(sock)
        for sock in sockets:
            sock.close()

        def works():
            try:
                client = Client(self.daemon.socket_path)
                answer = client.call("ping")
                client.close()
                return "result" in answer
            except (AssertionError, OSError):
                return False

        eventually(works, "a working connection after the crowd has gone")
        self.assertLess(len(self.daemon.log().splitlines()), 30)


if __name__ == "__main__":
    unittest.main()
