"""A system daemon: every user its own data, and what uid 0 may do for others. Needs root."""

import os
import stat
import unittest

from base import APP, IS_ROOT, NOBODY, DaemonTest, easy
from children import as_user
from ratingd_client import Client, RpcError

OTHER = 12_345


@unittest.skipUnless(IS_ROOT, "needs root: a system daemon with several users")
class SystemDaemon(DaemonTest):
    config = easy(user={"MinIntervalDays": 1})
    options = {"extra_args": ["--system"]}

    def setUp(self):
        super().setUp()
        os.chmod(self.daemon.root, 0o755)
        os.chmod(self.daemon.runtime, 0o755)

    def ask(self, uid, method, /, **params):
        def work():
            client = Client(self.daemon.socket_path)
            result = client.ask(method, **params)
            client.close()
            return result

        return as_user(uid, work)

    def error(self, uid, method, /, **params):
        with self.assertRaises(RpcError) as raised:
            self.ask(uid, method, **params)
        return raised.exception.error

    def prompt_of(self, uid, app=APP, version="1"):
        def work():
            client = Client(self.daemon.socket_path)
            client.ask("request", app=app, version=version)
            return client.wait("prompt")

        return as_user(uid, work)

    def test_everyone_may_connect(self):
        self.assertEqual(stat.S_IMODE(os.stat(self.daemon.socket_path).st_mode), 0o666)
        for uid in (0, NOBODY, OTHER):
            self.assertEqual(self.ask(uid, "whoami")["uid"], uid)

    def test_every_user_sees_its_own_data_only(self):
        for number, uid in enumerate((0, NOBODY, OTHER)):
            self.ask(uid, "event", app=APP, count=number + 1)
            self.prompt_of(uid)
        for number, uid in enumerate((0, NOBODY, OTHER)):
            self.assertEqual(self.ask(uid, "status", app=APP)["events"], number + 1)
            self.assertEqual(len(self.ask(uid, "history", app=APP)["grants"]), 1)
            self.assertEqual(len(self.ask(uid, "apps")["apps"]), 1)
            self.assertEqual(self.ask(uid, "report")["granted"], 1)

    def test_opt_outs_are_per_user(self):
        self.ask(NOBODY, "opt_out", all=True)
        self.assertTrue(self.ask(NOBODY, "status", app=APP)["opted_out"])
        self.assertFalse(self.ask(OTHER, "status", app=APP)["opted_out"])

    def test_pending_requests_are_per_user(self):
        client = self.connect(APP)
        token = self.pending(client, debounce_ms=600_000)
        self.assertFalse(self.ask(NOBODY, "activity", app=APP)["cancelled"])
        self.assertFalse(self.ask(NOBODY, "cancel", token=token)["cancelled"])
        self.prompt_of(NOBODY)
        self.assertEqual(client.notifications(), [])

    def test_tokens_of_others_are_not_found(self):
        token = self.prompt_of(NOBODY)["token"]
        error = self.error(OTHER, "outcome", token=token, result="never")
        self.assertIn(error["data"]["reason"], ("not_found", "not_permitted"))
        self.assertFalse(self.ask(NOBODY, "status", app=APP)["opted_out"])
        self.ask(NOBODY, "outcome", token=token, result="rated")

    def test_subscribers_hear_of_their_own_user_only(self):
        watcher = self.connect()
        watcher.ask("subscribe", topics=["decisions", "counters"], agent=True)
        self.ask(NOBODY, "event", app=APP)
        self.prompt_of(NOBODY)
        refused = self.ask(NOBODY, "request", app="org.b", version="1", deliver="agent")
        self.assertIn("no_agent", refused["reasons"])
        self.assertEqual(watcher.notifications(), [])

    def test_uid_0_may_name_another_user(self):
        self.ask(NOBODY, "event", app=APP, count=5)
        self.prompt_of(NOBODY)
        for method, check in (
                ("status", lambda r: r["events"] == 5), ("history", lambda r: len(r["grants"]) == 1),
                ("report", lambda r: r["granted"] == 1), ("opt_out", lambda r: r["opted_out"]),
                ("opt_in", lambda r: not r["opted_out"]), ("forget", lambda r: "forgotten" in r)):
            with self.subTest(method=method):
                self.assertTrue(check(self.ask(0, method, app=APP, uid=NOBODY)))
        self.assertEqual(self.ask(NOBODY, "status", app=APP)["events"], 0)
        self.ask(NOBODY, "event", app=APP)
        self.assertEqual(len(self.ask(0, "apps", uid=NOBODY)["apps"]), 1)
        self.assertEqual(self.ask(0, "apps")["apps"], [])

    def test_no_one_else_may(self):
        for method in ("status", "history", "report", "opt_out", "opt_in", "forget"):
            with self.subTest(method=method):
                self.assert_error(
                    self.error(NOBODY, method, app=APP, uid=OTHER), "not_permitted")
        self.assert_error(self.error(NOBODY, "apps", uid=0), "not_permitted")

    def test_bad_uids(self):
        for uid in (-1, 2**32, 2**40, "0", None, 1.0, True):
            with self.subTest(uid=uid):
                self.assert_error(
                    self.error(0, "status", app=APP, uid=uid), "invalid_params", field="uid")

    def test_reload_and_repair_are_for_the_daemons_user(self):
        for method in ("reload", "repair_clock"):
            error = self.error(NOBODY, method)
            self.assert_error(error, "not_permitted")
            self.assertIn("identity", error["data"])
            self.ask(0, method)

    def test_caps_of_the_user_are_per_user(self):
        self.prompt_of(NOBODY)
        self.assert_refused(self.ask(NOBODY, "request", app="org.b", version="1"), "user_interval")
        self.prompt_of(OTHER, "org.b")


if __name__ == "__main__":
    unittest.main()
