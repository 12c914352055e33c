"""The state directory: kept, missing, unreadable, full, from the future."""

import os
import sqlite3
import subprocess
import unittest

from base import APP, IS_ROOT, DaemonTest, easy, unprivileged
from ratingd_daemon import eventually


class State(DaemonTest):
    def setUp(self):
        self.daemon = self.make_daemon(self.config)

    def start(self):
        """Starts; says hello where the state lets it (what is asked names its app anyway)."""
        self.client = self.daemon.start().connect()
        self.client.call("hello", app=APP, version="1.0")

    def live(self):
        """Some counters, an opt-out and a grant, and a clean stop."""
        self.start()
        self.client.ask("session")
        self.client.ask("event", count=7)
        self.client.ask("opt_out", app="org.out")
        self.prompt_and(self.client, "later")
        self.daemon.stop()

    def write(self, data):
        for suffix in ("-wal", "-shm"):
            if os.path.exists(self.daemon.database + suffix):
                os.unlink(self.daemon.database + suffix)
        with open(self.daemon.database, "wb") as file:
            file.write(data)

    def read(self):
        with open(self.daemon.database, "rb") as file:
            return file.read()

    def aside(self):
        """The files that were set aside."""
        return sorted(
            name for name in os.listdir(self.daemon.state_dir)
            if name.startswith("ratingd.db.corrupt-") and not name.endswith(("-wal", "-shm")))

    def assert_unavailable(self, method="request"):
        params = {"version": "1.0"} if method in ("request", "session") else {}
        error = self.client.error(method, app=APP, **params)
        self.assert_error(error, "storage_unavailable")
        self.assertTrue(error["data"]["detail"])

    def assert_degraded(self):
        """It is up and says so wherever the state is needed; nothing is granted."""
        self.assertTrue(self.client.ask("ping")["pong"])
        for method in ("session", "event", "request", "opt_out"):
            self.assert_unavailable(method)

    def assert_set_aside(self, evidence):
        """The evidence is kept byte for byte; counters start anew; requests are unavailable."""
        self.start()
        self.assertEqual(len(self.aside()), 1, os.listdir(self.daemon.state_dir))
        path = os.path.join(self.daemon.state_dir, self.aside()[0])
        with open(path, "rb") as file:
            self.assertEqual(file.read(), evidence)
        self.assertEqual(self.client.ask("event")["events"], 1)
        self.assertEqual(self.client.ask("session")["sessions"], 1)
        self.assert_unavailable()
        self.daemon.restart()
        self.client = self.daemon.connect(APP)
        self.assertEqual(len(self.aside()), 1)
        self.assertEqual(self.client.ask("event")["events"], 2)
        self.assert_unavailable()
        self.daemon.stop()
        os.unlink(path)
        self.start()
        self.prompt(self.client)


class Kept(State):
    def test_over_a_clean_restart(self):
        self.live()
        self.start()
        status = self.client.ask("status")
        self.assertEqual((status["sessions"], status["events"]), (1, 7))
        self.assertEqual((status["outcome"], status["prompts_in_window"]), ("later", 1))
        self.assertTrue(self.client.ask("status", app="org.out")["opted_out"])

    def test_modes(self):
        self.live()
        self.assertEqual(os.stat(self.daemon.database).st_mode & 0o777, 0o600)

    def test_it_is_sqlite_that_others_can_check(self):
        self.live()
        connection = sqlite3.connect(self.daemon.database)
        self.assertEqual(connection.execute("PRAGMA integrity_check").fetchone()[0], "ok")
        self.assertGreater(connection.execute("PRAGMA user_version").fetchone()[0], 0)
        connection.close()

    def test_a_missing_state_directory_is_made(self):
        os.rmdir(self.daemon.state_dir)
        self.live()
        self.assertEqual(os.stat(self.daemon.state_dir).st_mode & 0o777, 0o700)

    def test_a_first_start_that_dies_leaves_no_half_a_database(self):
        for number in range(8):
            process = self.daemon.spawn().process
            try:
                process.wait(0.004 * number)
            except subprocess.TimeoutExpired:
                pass
            self.daemon.kill()
        self.start()
        self.assertEqual(self.aside(), [])
        self.prompt(self.client)


class Newer(State):
    def test_a_newer_schema_is_left_untouched(self):
        self.live()
        connection = sqlite3.connect(self.daemon.database)
        connection.execute("PRAGMA user_version=9999")
        connection.close()
        before = self.read()
        self.start()
        self.assert_degraded()
        self.daemon.stop()
        self.assertEqual(self.read(), before)
        self.assertEqual(self.aside(), [])


class Unusable(State):
    def test_a_file_where_the_directory_should_be(self):
        os.rmdir(self.daemon.state_dir)
        open(self.daemon.state_dir, "w", encoding="ascii").close()
        self.start()
        self.assert_degraded()

    def test_a_directory_where_the_database_should_be(self):
        os.mkdir(self.daemon.database)
        self.start()
        self.assertTrue(self.client.ask("ping")["pong"])
        self.assert_unavailable()

    def test_what_needs_no_state_works(self):
        os.rmdir(self.daemon.state_dir)
        open(self.daemon.state_dir, "w", encoding="ascii").close()
        self.start()
        for method in ("ping", "whoami", "stats", "reload"):
            self.client.ask(method)
        self.client.ask("subscribe", topics=["decisions"])
        self.assert_error(self.client.error("event", app=APP, count=0), "invalid_params", field="count")

    def test_a_locked_database_is_busy_and_not_damaged(self):
        self.live()
        connection = sqlite3.connect(self.daemon.database, isolation_level=None)
        connection.execute("BEGIN EXCLUSIVE")
        self.daemon.start()
        client = self.daemon.connect()
        self.assertTrue(client.ask("ping")["pong"])
        connection.close()
        self.assertEqual(self.aside(), [])

    @unprivileged
    def test_a_directory_or_file_without_permission(self):
        for what in ("directory", "read-only directory", "file"):
            with self.subTest(what=what):
                self.daemon = self.make_daemon(self.config)
                self.live()
                path = self.daemon.database if what == "file" else self.daemon.state_dir
                os.chmod(path, 0o500 if what == "read-only directory" else 0)
                self.start()
                self.assertTrue(self.client.ask("ping")["pong"])
                self.assert_unavailable()
                self.daemon.stop()
                os.chmod(path, 0o600 if what == "file" else 0o700)
                self.assertEqual(self.aside(), [])
                self.start()
                self.assertEqual(self.client.ask("status")["events"], 7)

    @unittest.skipUnless(IS_ROOT, "needs root to mount a small tmpfs: a full disk")
    def test_a_full_disk(self):
        state = self.daemon.state_dir
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m,mode=700", "tmpfs", state], check=True)
        self.addCleanup(subprocess.run, ["umount", "-l", state], check=False)
        self.start()
        self.client.ask("event", count=3)
        filler = os.path.join(state, "filler")
        with open(filler, "wb", buffering=0) as file:
            try:
                while True:
                    file.write(bytes(4096))
            except OSError:
                pass
        refused, accepted = 0, 3
        for number in range(3000):
            answer = self.client.call("event", name=f"n{number % 90}")
            if "error" in answer:
                self.assert_error(answer["error"], "storage_unavailable")
                refused += 1
                if refused > 3:
                    break
            else:
                accepted += 1
        self.assertGreater(refused, 0)
        result = self.client.call("request")
        if "error" in result:
            self.assert_error(result["error"], "storage_unavailable")
        elif result["result"]["decision"] == "pending":
            self.assertEqual(self.client.wait("cancelled")["reason"], "storage_unavailable")
        os.unlink(filler)
        eventually(lambda: "result" in self.client.call("event", name="n0"), "space again")
        status = self.client.ask("status")
        self.assertGreaterEqual(status["events"], accepted + 1)
        self.assertEqual(status["prompts_in_window"], 0)
        self.daemon.restart()
        self.client = self.daemon.connect(APP)
        self.assertEqual(self.client.ask("status")["events"], status["events"])
        self.assertEqual(self.aside(), [])
        self.prompt(self.client)
        self.daemon.stop()
        subprocess.run(["umount", state], check=True)


class TakenAway(State):
    def test_the_database_removed_while_running(self):
        self.live()
        self.start()
        for name in os.listdir(self.daemon.state_dir):
            os.unlink(os.path.join(self.daemon.state_dir, name))
        for _ in range(5):
            self.client.call("event")
            self.client.call("request", version="2")
        self.assertTrue(self.client.ask("ping")["pong"])

    def test_the_database_damaged_while_running_frees_nothing(self):
        self.config = easy(PromptsPerYear=1)
        self.daemon.write_config("ratingd.conf", self.config)
        self.live()
        self.start()
        with open(self.daemon.database, "r+b") as file:
            file.write(os.urandom(4096) * (os.path.getsize(self.daemon.database) // 4096))
        for app in ("org.fresh1", "org.fresh2"):
            self.client.call("event", app=app)
        answer = self.client.call("request", version="2")
        if "result" in answer:
            self.assertEqual(answer["result"]["decision"], "refused")
        self.daemon.stop()
        self.start()
        answer = self.client.call("request", version="2")
        if "result" in answer:
            self.assertEqual(answer["result"]["decision"], "refused")


if __name__ == "__main__":
    unittest.main()
