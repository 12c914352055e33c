"""What inotify could not give at the start is had as soon as there is some, though no client comes."""

import os
import subprocess
import unittest

from app_sockets import AppSocketTest
from base import easy
from ratingd_daemon import RATINGD, eventually

LIMIT = "/proc/sys/user/max_inotify_"
IN_A_NAMESPACE = ["unshare", "--user", "--map-root-user"]


class Shortage(AppSocketTest):
    config = easy()

    def setUp(self):
        if subprocess.run([*IN_A_NAMESPACE, "true"], check=False, capture_output=True).returncode:
            self.skipTest("no user namespaces here")
        self.make_user_daemon()

    def start(self, limit, number):
        """With so many of something for all that the daemon's user has of inotify."""
        script = f'echo {number} > {LIMIT}{limit}; exec "$@"'
        self.daemon.start(
            command=[*IN_A_NAMESPACE, "sh", "-c", script, "-", RATINGD, *self.daemon.args])

    def raise_limit(self, limit):
        subprocess.run(
            ["nsenter", "--user", "--target", str(self.daemon.pid), "sh", "-c",
             f"echo 100 > {LIMIT}{limit}"], check=True)

    def test_sockets_of_apps_are_made_later(self):
        path = self.flatpak()
        # One is for the file of the daemon's own socket.
        self.start("instances", 1)
        self.daemon.await_log("inotify_init1")
        self.assertFalse(os.path.exists(path))
        self.raise_limit("instances")
        eventually(lambda: os.path.exists(path), "the socket of the app")
        self.assertTrue(self.answers(path))

    def test_the_file_of_the_socket_is_watched_later(self):
        self.start("watches", 0)
        self.daemon.await_log("inotify_add_watch")
        os.unlink(self.daemon.socket_path)
        self.raise_limit("watches")
        self.daemon.await_log("the socket's file .* is gone")


if __name__ == "__main__":
    unittest.main()
