"""Whoever is refused, or told `bye`, reads that and then the end, however much of theirs is unread.

A socket that is closed with unread bytes in it gives its peer ECONNRESET, which a client may meet
before its last line, or in place of the end.
"""

import json
import signal
import unittest

from base import APP, DaemonTest, easy
from ratingd_client import HANG

# More than the daemon reads at once, less than a socket takes without a reader.
UNREAD = b'{"method":"ping"}\n' * 7_000


class LastWords(DaemonTest):
    config = easy(daemon={"ConnectionsPerUidMax": 8, "ConnectionsPerAppMax": 1, "RateLimitPerSec": 0})

    def unread(self, first=b""):
        """A client that has sent all of this before the daemon has looked at any of it."""
        client = self.connect()
        client.socket.setblocking(False)
        self.assertEqual(client.socket.send(first + UNREAD), len(first + UNREAD))
        client.socket.settimeout(HANG)
        return client

    def lines(self, client):
        """All that it is told; an error in place of the end is an error here."""
        data = b""
        while more := client.socket.recv(1 << 16):
            data += more
        return [json.loads(line) for line in data.splitlines()]

    def test_a_connection_too_many(self):
        kept = [self.connect() for _ in range(2)]
        for client in kept:
            client.ask("ping")
        self.daemon.signal(signal.SIGSTOP)
        clients = [self.unread() for _ in range(5)]
        self.daemon.signal(signal.SIGCONT)
        for client in clients[2:]:
            line, = self.lines(client)
            self.assert_error(line["error"], "quota_exceeded", limit="connections_per_uid")

    def test_one_of_an_app_too_many(self):
        self.connect(APP)
        self.daemon.signal(signal.SIGSTOP)
        hello = {"id": 1, "method": "hello", "params": {"app": APP, "version": "1"}}
        client = self.unread(json.dumps(hello).encode() + b"\n")
        self.daemon.signal(signal.SIGCONT)
        answer, bye = self.lines(client)
        self.assert_error(answer["error"], "quota_exceeded", limit="connections_per_app")
        self.assertEqual((bye["method"], bye["params"]), ("bye", {"reason": "quota_exceeded"}))

    def test_the_daemon_s_end(self):
        clients = [self.connect() for _ in range(2)]
        for client in clients:
            client.ask("ping")
        self.daemon.signal(signal.SIGSTOP)
        for client in clients:
            client.send(UNREAD)
        self.daemon.signal(signal.SIGTERM)
        self.daemon.signal(signal.SIGCONT)
        for client in clients:
            line = self.lines(client)[-1]
            self.assertEqual((line["method"], line["params"]), ("bye", {"reason": "shutting_down"}))
        self.assertEqual(self.daemon.wait(), 0)


if __name__ == "__main__":
    unittest.main()
