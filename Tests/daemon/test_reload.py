"""Reloading the configuration, and which directories it is read from."""

import os
import signal
import unittest

from base import APP, DaemonTest, easy, ini
from test_config import Config


class Reload(Config):
    def test_by_method(self):
        self.assertEqual(self.value("SessionsUntilPrompt"), 3)
        self.daemon.write_config("ratingd.conf", ini(Policy={"SessionsUntilPrompt": 1}))
        self.assertEqual(self.value("SessionsUntilPrompt"), 3)
        self.assertEqual(self.reload(), [])
        self.assertEqual(self.value("SessionsUntilPrompt"), 1)

    def test_by_sighup(self):
        self.daemon.write_config("ratingd.conf", ini(Policy={"SessionsUntilPrompt": 1}))
        self.daemon.signal(signal.SIGHUP)
        while self.value("SessionsUntilPrompt") != 1:
            pass

    def test_a_burst_of_sighup(self):
        for number in range(200):
            self.daemon.write_config("ratingd.conf", ini(Policy={"SessionsUntilPrompt": number}))
            self.daemon.signal(signal.SIGHUP)
        while self.value("SessionsUntilPrompt") != 199:
            pass

    def test_what_is_no_longer_set_falls_back(self):
        self.daemon.write_config("ratingd.conf", ini(Policy={"SessionsUntilPrompt": 1}))
        self.reload()
        self.daemon.write_config("ratingd.conf", "")
        self.reload()
        self.assertEqual(self.policy()["SessionsUntilPrompt"], {"value": 3, "source": "default"})

    def test_it_is_all_or_nothing(self):
        self.daemon.write_config("ratingd.conf", ini(Policy={"SessionsUntilPrompt": 1}))
        self.reload()
        os.rename(self.daemon.config_dir, self.daemon.config_dir + ".away")
        result = self.client.ask("reload")
        self.assertIs(result["reloaded"], False)
        self.assertTrue(result["reason"])
        self.assertEqual(self.value("SessionsUntilPrompt"), 1)
        self.daemon.signal(signal.SIGHUP)
        self.assertEqual(self.value("SessionsUntilPrompt"), 1)
        os.rename(self.daemon.config_dir + ".away", self.daemon.config_dir)
        self.reload()

    def test_ten_reloads_while_a_request_is_pending(self):
        self.daemon.write_config("ratingd.conf", easy())
        self.reload()
        token = self.pending(self.client, debounce_ms=400)
        for _ in range(10):
            self.reload()
        self.assertEqual(self.client.wait("prompt")["token"], token)
        self.assertEqual(self.client.notifications(), [])

    def test_warnings_are_logged_with_file_and_line(self):
        self.daemon.write_config("ratingd.conf", "[Policy]\nNoSuchKey=1\n")
        self.reload()
        self.daemon.await_log(r"ratingd\.conf\D{1,9}2\b")

    def test_limits_of_the_daemon(self):
        self.daemon.write_config("ratingd.conf", ini(Daemon={"EventNamesPerAppMax": 5}))
        self.assertEqual(self.reload(), [])
        limits = self.connect("org.other").hello["limits"]
        self.assertEqual(limits["event_names_per_app"], 5)


class Directories(DaemonTest):
    """Which directories a user daemon reads, and which of them is stronger."""

    def setUp(self):
        self.daemon = self.make_daemon(args=[])
        self.daemon.args = [
            "--user", "--socket", self.daemon.socket_path, "--state", self.daemon.state_dir]
        self.first, self.second = self.daemon.path("xdg1"), self.daemon.path("xdg2")
        self.home = self.daemon.path("xdg-home")
        self.daemon.env |= {
            "XDG_CONFIG_HOME": self.home, "XDG_CONFIG_DIRS": f"{self.first}:{self.second}"}

    def write(self, folder, name, **policy):
        path = os.path.join(folder, "ratingd", name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="ascii") as file:
            file.write(ini(Policy=policy))

    def value(self, key):
        self.client = getattr(self, "client", None) or self.daemon.start().connect(APP)
        return self.client.ask("status", explain=True)["policy"][key]

    def test_none_of_them_there(self):
        self.assertEqual(self.value("DebounceMs")["source"], "default")

    def test_the_users_own_is_strongest_then_the_first_of_the_dirs(self):
        self.write(self.second, "ratingd.conf", DebounceMs=2, SessionsUntilPrompt=2)
        self.write(self.second, "ratingd.conf.d/10.conf", EventsUntilPrompt=2)
        self.write(self.first, "ratingd.conf", DebounceMs=1)
        self.assertEqual(self.value("DebounceMs")["value"], 1)
        self.assertTrue(self.value("DebounceMs")["source"].startswith(self.first))
        # The stronger file of the same name replaced the weaker: its other keys are gone.
        self.assertEqual(self.value("SessionsUntilPrompt")["value"], 3)
        self.assertEqual(self.value("EventsUntilPrompt")["value"], 2)
        self.write(self.home, "ratingd.conf", DebounceMs=5)
        self.client.ask("reload")
        self.assertEqual(self.value("DebounceMs")["value"], 5)

    def test_drop_ins_of_all_directories_in_one_order(self):
        self.write(self.home, "ratingd.conf.d/10.conf", DebounceMs=10)
        self.write(self.second, "ratingd.conf.d/20.conf", DebounceMs=20)
        self.write(self.first, "ratingd.conf.d/15.conf", DebounceMs=15)
        self.assertEqual(self.value("DebounceMs")["value"], 20)
        self.write(self.home, "ratingd.conf.d/20.conf", SessionsUntilPrompt=0)
        self.client.ask("reload")
        self.assertEqual(self.value("DebounceMs")["value"], 15)

    def test_files_of_apps_by_name_too(self):
        self.write(self.second, f"apps.d/{APP}.conf", DebounceMs=2, SessionsUntilPrompt=2)
        self.write(self.home, f"apps.d/{APP}.conf", DebounceMs=5)
        self.assertEqual(self.value("DebounceMs")["value"], 5)
        self.assertEqual(self.value("SessionsUntilPrompt")["value"], 3)

    def test_home_config_is_the_fallback(self):
        del self.daemon.env["XDG_CONFIG_HOME"]
        self.write(self.daemon.path(".config"), "ratingd.conf", DebounceMs=8)
        self.assertEqual(self.value("DebounceMs")["value"], 8)

    def test_the_state_directory_follows_xdg(self):
        self.daemon.args = ["--user", "--socket", self.daemon.socket_path]
        self.daemon.env["XDG_STATE_HOME"] = self.daemon.path("xdg-state")
        self.daemon.start().connect().ask("event", app=APP)
        database = self.daemon.path("xdg-state", "ratingd", "ratingd.db")
        self.assertEqual(os.stat(database).st_mode & 0o777, 0o600)
        self.assertEqual(os.stat(os.path.dirname(database)).st_mode & 0o777, 0o700)

    def test_the_socket_follows_xdg(self):
        runtime = self.daemon.path("xdg-run")
        os.mkdir(runtime, 0o700)
        self.daemon.env["XDG_RUNTIME_DIR"] = runtime
        self.daemon.args = ["--user", "--state", self.daemon.state_dir]
        self.daemon.socket_path = os.path.join(runtime, "ratingd", "ratingd.sock")
        self.assertTrue(self.daemon.start().connect().ask("ping")["pong"])
        self.assertEqual(os.stat(self.daemon.socket_path).st_mode & 0o777, 0o600)


if __name__ == "__main__":
    unittest.main()
