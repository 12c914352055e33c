"""Reload: it returns when the new configuration is in force, or says why the old one stays."""

import os
import signal

from support import ServiceTest, root, until

RUN_AS = "lab"


class Reload(ServiceTest):
    def setUp(self):
        super().setUp()
        self.configure("[Policy]\nEventsUntilPrompt=5\n")
        self.reader = self.client("org.example.Notes")
        self.assertEqual(self.threshold(), 5)

    def threshold(self):
        policy = self.reader.call("status", explain=True)["policy"]
        return policy["EventsUntilPrompt"]["value"]

    def test_it_returns_after_the_new_configuration_is_in_force(self):
        for value in range(10, 20):
            self.configure(f"[Policy]\nEventsUntilPrompt={value}\n")
            self.systemctl("reload", "ratingd.service")
            self.assertEqual(self.threshold(), value)
        self.assertEqual(len(self.own_entries("reloaded")), 10)

    def assert_the_reload_fails(self):
        pid = self.pid()
        done = self.systemctl("reload", "ratingd.service", check=False)
        self.assertNotEqual(done.code, 0)
        self.assertEqual(self.threshold(), 5)
        self.assertEqual((self.show("ActiveState"), self.pid()), ("active", pid))
        entry = self.wait_entry("reload-failed")
        # What systemctl's user looks at next: the service's own entries, with the reason.
        texts = [str(e.get("MESSAGE")) for e in self.entries("_SYSTEMD_USER_UNIT=ratingd.service")]
        self.assertTrue([t for t in texts if entry["RATINGD_ERROR"] in t], texts)
        return entry["RATINGD_ERROR"]

    def test_a_file_that_cannot_be_read_fails_the_reload_and_the_old_one_stays(self):
        path = self.configure("[Policy]\nEventsUntilPrompt=9\n")
        os.chmod(path, 0)
        self.assertIn(path, self.assert_the_reload_fails())
        os.chmod(path, 0o600)
        self.systemctl("reload", "ratingd.service")
        self.assertEqual(self.threshold(), 9)

    def test_a_directory_that_cannot_be_read_fails_the_reload_and_the_old_one_stays(self):
        self.configure("[Policy]\nEventsUntilPrompt=9\n", "ratingd.conf.d/50-more.conf")
        os.chmod(f"{self.config}/ratingd.conf.d", 0)
        self.addCleanup(os.chmod, f"{self.config}/ratingd.conf.d", 0o700)
        self.assert_the_reload_fails()

    def test_nonsense_in_a_file_is_a_warning_with_its_place_and_the_rest_counts(self):
        path = self.configure("Stray=1\n[Policy]\nEventsUntilPrompt=many\nNoSuchKey=1\n"
                              "SessionsUntilPrompt=8\n[Nowhere]\n")
        self.systemctl("reload", "ratingd.service")
        self.assertEqual(self.threshold(), 10)
        policy = self.reader.call("status", explain=True)["policy"]
        self.assertEqual(policy["SessionsUntilPrompt"]["value"], 8)
        warnings = self.own_entries("configuration-warning")
        self.assertEqual({(w["RATINGD_FILE"], int(w["RATINGD_LINE"])) for w in warnings},
                         {(path, 1), (path, 3), (path, 4), (path, 6)})

    def test_sighup_reloads_too(self):
        self.configure("[Policy]\nEventsUntilPrompt=33\n")
        os.kill(self.pid(), signal.SIGHUP)
        until(lambda: self.threshold() == 33, "the new threshold", 3)

    def test_a_burst_of_sighup_neither_ends_it_nor_leaves_it_reloading(self):
        pid = self.pid()
        for _ in range(200):
            os.kill(pid, signal.SIGHUP)
        self.assertTrue(self.client().call("ping")["pong"])
        until(lambda: self.show("ActiveState") == "active" and self.show("SubState") == "running",
              "running again", 5)
        self.assertEqual(self.pid(), pid)

    def test_root_may_reload_a_users_daemon_and_another_user_may_not_even_connect(self):
        self.configure("[Policy]\nEventsUntilPrompt=44\n")
        root("ratingctl", "--socket", self.socket_path, "reload")
        self.assertEqual(self.threshold(), 44)
        done = root("runuser", "-u", "other", "--", "ratingctl", "--socket", self.socket_path,
                    "reload", check=False)
        self.assertEqual(done.code, 69)
        self.assertIn("ermission denied", done.err)
