"""A socket for each sandboxed app, in the directory that Flatpak or snapd makes for it (SPEC 6)."""

import os
import stat
import time
import unittest

from app_sockets import OTHER, AppSocketTest
from base import APP, easy
from ratingd_daemon import eventually
from sandbox import BWRAP, boxed


class ThereAndGone(AppSocketTest):
    def prepare(self):
        self.early = [self.flatpak(), self.snap("firefox")]

    def test_directories_that_are_there_have_a_socket_when_the_daemon_answers(self):
        for path in self.early:
            self.assertTrue(stat.S_ISSOCK(os.lstat(path).st_mode))
            self.assertEqual(stat.S_IMODE(os.lstat(path).st_mode), 0o600)
            self.assertTrue(self.answers(path))

    def test_directories_that_appear_get_one(self):
        self.await_socket(self.flatpak(OTHER))
        self.await_socket(self.snap("0ad_two"))
        self.assertEqual(self.whoami(self.flatpak(OTHER)), (OTHER, "socket", False))
        self.assertEqual(self.whoami(self.snap("0ad_two")), ("_0ad_two", "socket", False))

    def test_the_parent_of_all_flatpaks_may_come_late_go_and_come_again(self):
        for _ in range(3):
            self.take_away(f"{self.runtime}/app")
            self.await_socket(self.flatpak())

    def test_a_stop_takes_away_what_was_made_and_nothing_else(self):
        path = self.flatpak()
        with open(os.path.dirname(path) + "/own", "w", encoding="ascii"):
            pass
        self.assertEqual(self.daemon.stop(), 0)
        self.assertEqual(os.listdir(os.path.dirname(path)), ["own"])
        self.assertEqual(os.listdir(f"{self.runtime}/snap.firefox"), [])

    def test_what_a_killed_daemon_left_is_replaced(self):
        self.daemon.kill()
        self.assertTrue(os.path.exists(self.early[0]))
        self.daemon.start()
        for path in self.early:
            self.await_socket(path)

    def test_a_reload_switches_them_off_and_on(self):
        client = self.client(self.early[0])
        for text, there in (("no", False), ("yes", True), ("no", False)):
            self.daemon.write_config("ratingd.conf", easy(daemon={"AppSockets": text}))
            self.connect().ask("reload")
            eventually(lambda: all(os.path.exists(p) == there for p in self.early), text)
            self.assertTrue(client.ask("ping")["pong"], "who is connected stays so")
        self.flatpak(OTHER)
        time.sleep(0.1)
        self.assertFalse(os.path.exists(self.flatpak(OTHER)))

    def test_names_that_are_no_apps_are_left_alone(self):
        names = ["app/1bad", "app/a..b", "app/end.", "snap.", "snap.UPPER", "snap.a.b", "other"]
        for name in names:
            os.makedirs(f"{self.runtime}/{name}")
        self.await_socket(self.flatpak(OTHER))
        for name in names:
            self.assertEqual(os.listdir(f"{self.runtime}/{name}"), [], name)

    def test_an_id_of_255_bytes_has_one_though_its_path_is_no_address(self):
        path = self.flatpak("o" + "x" * 254)
        eventually(lambda: os.path.exists(path), "a socket")
        directory = os.open(os.path.dirname(path), os.O_PATH)
        self.assertTrue(self.answers(f"/proc/self/fd/{directory}/ratingd.sock"))
        os.close(directory)

    def test_a_second_daemon_of_the_user_leaves_the_first_ones_alone(self):
        inode = os.lstat(self.early[0]).st_ino
        second = self.make_daemon(self.config, env={"XDG_RUNTIME_DIR": self.runtime})
        second.start()
        second.await_log("another daemon")
        second.stop()
        self.assertEqual(os.lstat(self.early[0]).st_ino, inode)
        self.assertTrue(self.answers(self.early[0]))


class NoneAtAll(AppSocketTest):
    def test_a_system_daemon_has_none(self):
        path = self.flatpak()
        self.await_socket(path)
        self.daemon.stop()
        self.daemon.args.append("--system")
        self.daemon.start()
        self.assertFalse(os.path.exists(path))

    def test_without_a_runtime_directory_there_are_none(self):
        path = self.flatpak()
        self.await_socket(path)
        self.daemon.stop()
        for value in (None, "xdg"):
            if value is None:
                del self.daemon.env["XDG_RUNTIME_DIR"]
            else:
                self.daemon.env["XDG_RUNTIME_DIR"] = value
            self.daemon.start()
            self.assertFalse(os.path.exists(path))
            self.daemon.stop()
        self.daemon.start()


class Who(AppSocketTest):
    def prepare(self):
        self.path = self.flatpak()
        self.flatpak(OTHER)

    def test_an_unsandboxed_peer_is_that_app_by_default_and_may_be_another(self):
        self.assertEqual(self.whoami(self.path), (APP, "socket", False))
        client = self.client(self.path)
        self.assertEqual(client.ask("session", version="1")["sessions"], 1)
        self.assertEqual(client.ask("status")["app"], APP)
        self.assertEqual(client.ask("status", app=OTHER)["app"], OTHER)
        self.assertEqual(client.ask("hello", app=OTHER, version="2")["app"], OTHER)

    @unittest.skipUnless(BWRAP, "needs bubblewrap")
    def test_the_app_itself_is_prompted_there(self):
        result = boxed(self, APP, self.path, "request", {"version": "1"}, until="prompt")
        self.assertEqual(result[0]["result"]["decision"], "pending")
        self.assertEqual(result[-1]["params"]["app"], APP)

    @unittest.skipUnless(BWRAP, "needs bubblewrap")
    def test_the_app_itself_is_verified_and_no_other(self):
        (answer,) = boxed(self, APP, self.path, "whoami")
        self.assertEqual(answer["result"]["app"], APP)
        self.assertEqual(answer["result"]["identity"], {"source": "flatpak", "verified": True})
        (answer,) = boxed(self, APP, self.path, "session", {"app": OTHER, "version": "1"})
        self.assert_error(answer["error"], "not_permitted")

    @unittest.skipUnless(BWRAP, "needs bubblewrap")
    def test_another_sandboxed_app_gets_one_line_and_is_closed(self):
        for path in (self.path, self.daemon.socket_path):
            answers = boxed(self, OTHER, path, "session", {"app": APP, "version": "1"}, until=None)
            self.assert_error(answers[0]["error"], "not_permitted")
            if path == self.path:
                self.assertEqual((len(answers), answers[0]["id"]), (1, None))
                self.assertEqual(
                    answers[0]["error"]["data"]["identity"],
                    {"source": "flatpak", "verified": True})

    @unittest.skipUnless(BWRAP, "needs bubblewrap")
    def test_a_peer_that_cannot_be_read_is_that_app_and_no_other(self):
        # A directory where the name of the app should be: neither an app nor no sandbox.
        (answer,) = boxed(self, None, self.path, "whoami")
        self.assertEqual(answer["result"]["app"], APP)
        self.assertEqual(answer["result"]["identity"], {"source": "socket", "verified": False})
        (answer,) = boxed(self, None, self.path, "session", {"app": OTHER, "version": "1"})
        self.assert_error(answer["error"], "not_permitted")
        (answer,) = boxed(self, None, self.daemon.socket_path, "session",
                          {"app": APP, "version": "1"})
        self.assert_error(answer["error"], "not_permitted")


if __name__ == "__main__":
    unittest.main()
