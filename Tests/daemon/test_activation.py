"""Socket activation: a socket that someone else made, and a daemon that ends when idle."""

import os
import re
import socket
import unittest

from base import APP, DaemonTest, easy
from ratingd_daemon import RATINGD, eventually


class ActivatedTest(DaemonTest):
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


class Activation(ActivatedTest):
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


class IdleExit(ActivatedTest):
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


if __name__ == "__main__":
    unittest.main()
