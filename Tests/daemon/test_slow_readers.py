"""Clients that do not read: not read from, and no burden to others."""

import select
import unittest

from base import APP, DaemonTest, easy
from ratingd_client import kinds
from ratingd_daemon import proc_status


class SlowReaders(DaemonTest):
    config = easy(daemon={"RateLimitPerSec": 0})

    def stuff(self, client, line, most=64 << 20):
        """Writes until the daemon takes no more (or `most`): how many lines were taken."""
        block = line * 500
        client.socket.setblocking(False)
        sent = 0
        while sent < most and select.select([], [client.socket], [], 1)[1]:
            try:
                sent += client.socket.send(block[sent % len(line):])
            except BlockingIOError:
                pass
        client.socket.setblocking(True)
        client.socket.settimeout(30)
        rest = -sent % len(line)
        self.assertLess(sent, most, "the daemon reads on from a client that does not read")
        return sent // len(line), line[len(line) - rest:] if rest else b""

    def test_a_client_that_does_not_read_is_not_read_from(self):
        client, other = self.connect(), self.connect(APP)
        before = proc_status(self.daemon.pid, "VmRSS")
        whole, rest = self.stuff(client, b'{"method":"whoami","id":"w"}\n')
        self.assertTrue(other.ask("ping")["pong"])
        self.assert_memory(proc_status(self.daemon.pid, "VmRSS") - before, 8 * 1024)
        for _ in range(whole):
            self.assertEqual(client.next()["id"], "w")
        if rest:
            client.send(rest)
            self.assertEqual(client.next()["id"], "w")
        self.assertTrue(client.ask("ping")["pong"])

    def test_many_of_them_hurt_no_one(self):
        stuck = [self.connect() for _ in range(20)]
        for client in stuck:
            client.socket.setblocking(False)
            try:
                for _ in range(200):
                    client.socket.send(b'{"method":"whoami","id":1}\n' * 100)
            except BlockingIOError:
                pass
        other = self.connect(APP)
        for _ in range(100):
            self.assertTrue(other.ask("ping")["pong"])
        self.prompt(other)
        self.assert_memory(proc_status(self.daemon.pid, "VmRSS"), 120 * 1024)

    def test_a_prompt_that_is_never_read_stalls_no_one(self):
        silent = self.connect(APP)
        silent.begin("request")
        other = self.connect("org.other")
        self.prompt(other)
        self.assertTrue(other.ask("ping")["pong"])

    def test_a_client_that_leaves_before_it_reads_hurts_no_one(self):
        for _ in range(30):
            client = self.connect()
            client.send(b'{"method":"stats","id":1}\n' * 50)
            client.close()
        self.assertTrue(self.connect().ask("ping")["pong"])

    def test_large_answers_are_whole(self):
        client = self.connect(APP)
        for number in range(90):
            client.ask("event", name=f"{number:02d}" + "n" * 60)
        sent = [client.begin("status", explain=True) for _ in range(100)]
        self.assertEqual(kinds([client.next() for _ in sent]), sent)


class SmallOutput(DaemonTest):
    config = easy(daemon={"RateLimitPerSec": 0, "OutputBytesMax": 4096})

    def test_answers_larger_than_the_output_limit_still_arrive(self):
        client = self.connect(APP)
        for number in range(90):
            client.ask("event", name=f"{number:02d}" + "n" * 60)
        for _ in range(20):
            self.assertEqual(len(client.ask("status")["events_by_name"]), 90)
        sent = [client.begin("status") for _ in range(50)]
        self.assertEqual(kinds([client.next() for _ in sent]), sent)


if __name__ == "__main__":
    unittest.main()
