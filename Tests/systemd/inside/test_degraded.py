"""Bad configuration and bad state: the daemon stays up, says so everywhere, and never loops."""

import glob
import os
import sqlite3

from support import Client, ServiceTest, root, until

RUN_AS = "lab"


class Degraded(ServiceTest):
    def setUp(self):
        super().setUp()
        self.database = f"{self.state}/ratingd.db"

    def a_database(self, damage):
        """A database as the daemon makes it, then `damage` done to it while nobody has it open."""
        with Client(self.socket_path, "org.example.Notes") as client:
            client.call("event", count=3)
        self.systemctl("stop", "ratingd.service")
        for name in glob.glob(f"{self.database}-*"):
            os.unlink(name)
        damage()

    def assert_degraded(self, kind):
        """Up, refusing with the reason, saying so in STATUS= and in one journal entry."""
        client = self.client()
        error = client.answer("request", app="org.example.Notes", version="1.0")["error"]
        self.assertEqual(error["data"]["reason"], "storage_unavailable")
        detail = error["data"]["detail"]
        self.assertNotEqual(detail, "")
        for _ in range(50):
            with Client(self.socket_path) as other:
                self.assertTrue(other.call("ping")["pong"])
        self.assertEqual(self.show("ActiveState"), "active")
        self.assertEqual(self.show("NRestarts"), "0")
        self.assertEqual(self.show("ActiveState", "ratingd.socket"), "active")
        entries = self.own_entries(kind)
        self.assertEqual(len(entries), 1, entries)
        status = self.show("StatusText")
        self.assertRegex(status.lower(), "state|database|storage")
        return client, detail

    def test_a_state_directory_that_cannot_be_written(self):
        os.makedirs(self.state)
        os.chmod(self.state, 0o500)
        _, detail = self.assert_degraded("state-unavailable")
        self.assertIn("ermission denied", detail)

    def test_a_state_directory_that_cannot_be_made(self):
        parent = os.path.dirname(self.state)
        os.makedirs(parent, exist_ok=True)
        os.chmod(parent, 0o500)
        self.addCleanup(os.chmod, parent, 0o700)
        self.assert_degraded("state-unavailable")

    def test_a_state_directory_of_someone_else(self):
        root("install", "-d", "-m", "0700", self.state)
        self.assert_degraded("state-unavailable")

    def test_a_damaged_database_is_set_aside_and_kept(self):
        def damage():
            with open(self.database, "r+b") as file:
                file.write(b"\x00\xffnonsense" * 500)
        self.a_database(damage)
        with open(self.database, "rb") as file:
            before = file.read()
        self.assert_degraded("state-set-aside")
        aside = glob.glob(f"{self.database}.corrupt-*")
        self.assertEqual(len(aside), 1)
        with open(aside[0], "rb") as file:
            self.assertEqual(file.read(), before)

    def test_after_the_damaged_one_is_taken_away_requests_are_answered_again(self):
        self.a_database(lambda: open(self.database, "w").close())
        self.assert_degraded("state-set-aside")
        self.systemctl("stop", "ratingd.service")
        for name in glob.glob(f"{self.database}.corrupt-*"):
            os.unlink(name)
        answer = self.client("org.example.Notes").answer("request")
        self.assertEqual(answer["result"]["decision"], "refused")

    def test_a_database_of_a_newer_version_is_left_untouched(self):
        def damage():
            connection = sqlite3.connect(self.database)
            connection.execute("PRAGMA user_version = 9999")
            connection.commit()
            connection.close()
            for name in glob.glob(f"{self.database}-*"):
                os.unlink(name)
        self.a_database(damage)
        with open(self.database, "rb") as file:
            before = file.read()
        self.assert_degraded("state-unavailable")
        with open(self.database, "rb") as file:
            self.assertEqual(file.read(), before)
        self.assertEqual(glob.glob(f"{self.database}.corrupt-*"), [])

    def test_configuration_and_state_both_bad_never_make_a_start_loop(self):
        self.configure("[Daemon]\nSyncSec=never\n[[[\nx\n" + "\x00\xff" * 100)
        root("install", "-d", "-m", "0700", self.state)
        self.assert_degraded("state-unavailable")

    def test_a_configuration_that_cannot_be_read_never_makes_a_start_loop(self):
        path = self.configure("[Policy]\nEventsUntilPrompt=9\n")
        os.chmod(path, 0)
        self.assertTrue(self.client().call("ping")["pong"])
        self.assertEqual((self.show("ActiveState"), self.show("NRestarts")), ("active", "0"))
        told = self.own_entries("configuration-warning") + self.own_entries("reload-failed")
        self.assertTrue(told, "the journal names the file that cannot be read")

    def test_state_that_becomes_writable_again_is_used_without_a_restart(self):
        os.makedirs(self.state)
        os.chmod(self.state, 0o500)
        client, _ = self.assert_degraded("state-unavailable")
        os.chmod(self.state, 0o700)
        until(lambda: "result" in client.answer("request", app="org.example.Notes", version="1"),
              "requests are answered again", 35)
        self.assertTrue(self.own_entries("state-available"))
