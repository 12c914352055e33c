"""Peers of which it cannot be told who they are (SPEC 5, P5)."""

import ctypes
import os
import subprocess
import unittest

from base import APP, IS_ROOT, NOBODY
from children import as_user
from hostile import HostileTest
from ratingd_client import Client
from ratingd_daemon import RATINGD, eventually


class Unreadable(HostileTest):
    """Peers of which the daemon cannot say what they are: never taken for unsandboxed (P5)."""

    def assert_unknown(self, answers):
        whoami, session = answers
        self.assertEqual(whoami["identity"], {"source": "unknown", "verified": False})
        self.assertIsNone(whoami["app"])
        self.assert_error(session, "not_permitted")
        # Why, to whoever can do something about it.
        self.assertIn("/proc/", whoami["doubt"])
        self.assertIn(whoami["doubt"], session["message"])
        self.daemon.await_log(r"was refused: who it is is unknown: .*/proc/")
        self.report(whoami["doubt"])

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


if __name__ == "__main__":
    unittest.main()
