"""ratingctl: its verbs, its exit codes, where it writes."""

import json
import os
import select
import signal
import socket
import subprocess
import unittest

from base import APP, IS_ROOT, NOBODY, DaemonTest
from ratingd_client import HANG
from ratingd_daemon import RATINGCTL, eventually


class Ctl(DaemonTest):
    def run_ctl(self, code, *arguments, **options):
        """Runs it; the exit code must be this one; the finished process."""
        done = self.ctl(*arguments, **options)
        self.assertEqual(done.returncode, code, (arguments, done.stdout, done.stderr))
        return done

    def json(self, code, *arguments):
        """What `--json` writes to stdout."""
        return json.loads(self.run_ctl(code, "--json", *arguments).stdout)

    def assert_message(self, done, pattern=""):
        """Messages go to stderr."""
        self.assertEqual(done.stdout, "")
        self.assertRegex(done.stderr, pattern or r"\S")


class Verbs(Ctl):
    def test_ping(self):
        self.run_ctl(0, "ping")
        self.assertTrue(self.json(0, "ping")["pong"])

    def test_version(self):
        done = self.run_ctl(0, "version")
        self.assertRegex(done.stdout, r"\d+\.\d+\.\d+")

    def test_socket_path(self):
        self.assertEqual(self.run_ctl(0, "socket-path").stdout, self.daemon.socket_path + "\n")

    def test_whoami(self):
        self.assertEqual(self.json(0, "whoami")["uid"], os.geteuid())

    def test_session_event_and_activity(self):
        self.assertEqual(self.json(0, "session", APP)["sessions"], 1)
        self.assertEqual(self.json(0, "event", APP)["events"], 1)
        self.assertEqual(self.json(0, "event", APP, "saved"), {"events": 2, "name_total": 1})
        self.assertEqual(self.connect().ask("status", app=APP)["sessions"], 1)
        self.run_ctl(1, "activity", APP)

    def test_activity_that_cancels_something_is_yes(self):
        client = self.connect(APP)
        self.pending(client, debounce_ms=600_000)
        self.run_ctl(0, "activity", APP)
        self.assertEqual(client.wait("cancelled")["reason"], "activity")

    def test_status(self):
        self.run_ctl(0, "status")
        self.assertEqual(self.json(0, "status", APP)["app"], APP)
        self.connect().ask("opt_out", app=APP)
        self.assertEqual(self.json(1, "status", APP)["reasons"], ["opted_out"])
        self.assertIn("opted_out", self.run_ctl(1, "status", APP).stdout)

    def test_status_says_whether_an_app_was_ever_seen(self):
        self.assertIn("Seen: never", self.run_ctl(0, "status", APP).stdout)
        self.connect().ask("event", app=APP)
        self.assertNotIn("Seen: never", self.run_ctl(0, "status", APP).stdout)

    def test_verify_of_a_directory_names_what_checks_all_of_it(self):
        directory = self.daemon.config_dir
        os.makedirs(directory + "/apps.d", exist_ok=True)
        for path in (directory, directory + "/apps.d"):
            said = self.run_ctl(65, "verify", path).stdout
            self.assertIn(f"'ratingd --check-config --config {directory}'", said)

    def test_explain(self):
        self.assertIn("rules", self.json(0, "explain", APP))
        self.connect().ask("opt_out", app=APP)
        done = self.run_ctl(1, "explain", APP)
        for word in ("opted_out", "annual_cap", "sessions"):
            self.assertIn(word, done.stdout)

    def test_apps_and_history(self):
        client = self.connect(APP)
        client.ask("event")
        prompt = self.prompt_and(client, "rated")
        self.assertIn(APP, self.run_ctl(0, "apps").stdout)
        self.assertIn(APP, json.dumps(self.json(0, "apps")))
        self.assertIn(prompt["token"], json.dumps(self.json(0, "history", APP)))
        self.assertIn("rated", self.run_ctl(0, "history", APP).stdout)

    def test_apps_tells_all_pages(self):
        client = self.connect()
        for number in range(230):
            client.notify("event", app=f"org.app{number}")
        client.ask("ping")
        out = self.run_ctl(0, "apps").stdout
        for number in range(230):
            self.assertIn(f"org.app{number}", out)

    def test_request_and_outcome(self):
        result = self.json(0, "request", APP, "1.0")
        token = result["token"]
        self.assertEqual(self.connect().ask("history", app=APP)["grants"][0]["token"], token)
        self.run_ctl(1, "request", APP, "1.0")
        self.assertEqual(self.json(0, "outcome", token, "rated"), {"result": "rated"})
        self.assertNotEqual(self.ctl("outcome", token, "later").returncode, 0)

    def test_a_request_that_is_refused_says_why(self):
        self.connect().ask("opt_out", app=APP)
        done = self.run_ctl(1, "request", APP, "1.0")
        self.assertIn("opted_out", done.stdout + done.stderr)

    def test_call(self):
        done = self.run_ctl(0, "call", "event", json.dumps({"app": APP, "count": 5}))
        self.assertEqual(json.loads(done.stdout)["events"], 5)
        self.assertTrue(json.loads(self.run_ctl(0, "call", "ping").stdout)["pong"])
        self.assertNotEqual(self.ctl("call", "nope").returncode, 0)
        self.run_ctl(65, "call", "event", "{not json")

    def test_stats_and_reload(self):
        self.assertIn("rate_per_sec", self.run_ctl(0, "--json", "stats").stdout)
        self.run_ctl(0, "stats")
        self.assertEqual(self.json(0, "reload"), {"reloaded": True, "warnings": []})

    def test_reload_that_fails(self):
        os.rename(self.daemon.config_dir, self.daemon.config_dir + ".away")
        done = self.ctl("reload")
        self.assertNotEqual(done.returncode, 0)
        self.assertTrue(done.stderr.strip())

    def test_reload_prints_warnings(self):
        self.daemon.write_config("ratingd.conf", "[Policy]\nNoSuchKey=1\n")
        done = self.run_ctl(0, "reload")
        self.assertIn("NoSuchKey", done.stdout + done.stderr)

    def test_json_short_and_pretty(self):
        short = self.run_ctl(0, "--json=short", "status", APP).stdout
        pretty = self.run_ctl(0, "--json=pretty", "status", APP).stdout
        self.assertEqual(short.count("\n"), 1)
        self.assertGreater(pretty.count("\n"), 5)
        self.assertEqual(json.loads(short)["app"], json.loads(pretty)["app"])

    def test_watch_writes_each_event_as_it_happens(self):
        command = [RATINGCTL, "--socket", self.daemon.socket_path, "--json=short", "watch", APP]
        with subprocess.Popen(
                command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=self.daemon.env) as watch:
            client = self.connect()

            def told():
                """One more event of either app, until the first line comes out of the pipe."""
                client.ask("event", app="org.other")
                client.ask("event", app=APP)
                return select.select([watch.stdout], [], [], 0.02)[0]

            eventually(told, "a line of watch")
            line = watch.stdout.readline().decode()
            self.assertIn(APP, line)
            json.loads(line)
            watch.send_signal(signal.SIGTERM)
            watch.wait(HANG)


class Journal(Ctl):
    def logs(self, *arguments, **env):
        """What journalctl would be called with, by a stand-in, and the messages."""
        with open(self.daemon.path("journalctl"), "w", encoding="utf-8") as file:
            file.write('#!/bin/sh\nprintf "%s\\n" "$*"\n')
        os.chmod(self.daemon.path("journalctl"), 0o755)
        path = f"{self.daemon.root}:{self.daemon.env['PATH']}"
        done = subprocess.run(
            [RATINGCTL, *arguments], env=self.daemon.env | {"PATH": path} | env, timeout=HANG,
            capture_output=True, text=True, check=True)
        return done.stdout.split(), done.stderr

    def test_logs_of_a_daemon_that_listens_anywhere_are_those_of_all(self):
        where = self.daemon.socket_path
        for selected, said in (
                self.logs("--socket", where, "logs", APP), self.logs("logs", APP, RATINGD_SOCKET=where)):
            self.assertEqual(selected, ["--identifier=ratingd", f"RATINGD_APP={APP}"])
            self.assertIn("every ratingd", said)

    def test_logs_of_a_socket_of_a_service_are_those_of_the_service(self):
        system = "/run/ratingd/ratingd.sock"
        runtime = self.daemon.path("runtime")
        own = runtime + "/ratingd/ratingd.sock"
        for expected, arguments, env in (
                ("--unit=ratingd.service", ["--socket", system], {}),
                ("--unit=ratingd.service", [], {"RATINGD_SOCKET": system}),
                ("--user-unit=ratingd.service", ["--socket", own], {"XDG_RUNTIME_DIR": runtime})):
            selected, said = self.logs(*arguments, "logs", **env)
            # Where users have a journal of their own, theirs is asked.
            self.assertIn(" ".join(selected), (expected, "--user --unit=ratingd.service"))
            self.assertEqual(said, "")


class Usage(Ctl):
    def test_bad_command_lines(self):
        for arguments in (
                [], ["nope"], ["--nope"], ["explain"], ["history"], ["event"], ["session"], ["activity"],
                ["request"], ["request", APP], ["outcome"], ["outcome", "t"], ["call"],
                ["ping", "extra"], ["--json=xml", "ping"]):
            with self.subTest(arguments=arguments):
                self.assert_message(self.run_ctl(64, *arguments))

    def test_user_and_system_at_once(self):
        done = subprocess.run(
            [RATINGCTL, "--user", "--system", "ping"], capture_output=True, text=True,
            env=self.daemon.env, timeout=HANG, check=False)
        self.assertEqual(done.returncode, 64)

    def test_bad_values_are_bad_data_or_usage(self):
        for arguments in (
                ["event", "not an app"], ["session", "..bad"], ["outcome", "t", "stars"],
                ["event", APP, "a\nb"]):
            with self.subTest(arguments=arguments):
                done = self.ctl(*arguments)
                self.assertIn(done.returncode, (64, 65))
                self.assert_message(done)

    def test_help_is_no_error(self):
        done = self.ctl("--help")
        self.assertEqual(done.returncode, 0)
        for verb in ("status", "explain", "watch", "reload"):
            self.assertIn(verb, done.stdout)

    def test_output_has_no_control_characters_of_clients(self):
        self.connect(APP, "1\x1b[31m\u202e").ask("event", name="n \u202e")
        client = self.connect(APP, "1\x1b[31m\u202e")
        client.ask("session")
        self.prompt(client)
        for arguments in (["status", APP], ["history", APP], ["explain", APP]):
            done = self.ctl(*arguments)
            self.assertNotIn("\x1b", done.stdout)
            self.assertNotIn("\u202e", done.stdout)


class NoDaemon(Ctl):
    def setUp(self):
        self.daemon = self.make_daemon()

    def ended(self, daemon=None):
        return self.run_ctl(69, "ping", daemon=daemon)

    def test_no_socket(self):
        done = self.ended()
        self.assert_message(done, "(?i)no daemon")
        self.assertIn(self.daemon.socket_path, done.stderr)

    def test_a_stale_socket(self):
        sock = socket.socket(socket.AF_UNIX)
        sock.bind(self.daemon.socket_path)
        sock.close()
        missing = self.make_daemon()
        refused = self.ended()
        self.assert_message(refused)
        self.assertNotEqual(
            refused.stderr.replace(self.daemon.root, ""),
            self.ended(missing).stderr.replace(missing.root, ""))

    @unittest.skipUnless(IS_ROOT, "needs root to run as another user: no permission on the socket")
    def test_no_permission(self):
        self.daemon.start()
        os.chmod(self.daemon.root, 0o755)
        os.chmod(self.daemon.runtime, 0o755)
        done = subprocess.run(
            [RATINGCTL, "--socket", self.daemon.socket_path, "ping"], capture_output=True, text=True,
            user=NOBODY, group=NOBODY, timeout=HANG, check=False, env=self.daemon.env)
        self.assertIn(done.returncode, (69, 77))
        self.assertRegex(done.stderr, "(?i)permi")

    def test_a_daemon_that_does_not_answer(self):
        self.daemon.start()
        self.daemon.signal(signal.SIGSTOP)
        try:
            done = self.ctl("ping")
        finally:
            self.daemon.signal(signal.SIGCONT)
        self.assertEqual(done.returncode, 124, done.stderr)


class Codes(Ctl):
    def test_not_permitted(self):
        done = self.ctl("call", "request", json.dumps({"app": APP, "version": "1", "debug": True}))
        self.assertEqual(done.returncode, 77, done.stderr)

    def test_storage_unavailable_is_try_later(self):
        self.daemon.stop()
        with open(self.daemon.database, "wb") as file:
            file.write(b"rubbish" * 1000)
        for suffix in ("-wal", "-shm"):
            if os.path.exists(self.daemon.database + suffix):
                os.unlink(self.daemon.database + suffix)
        self.daemon.start()
        self.run_ctl(75, "request", APP, "1")
        # Who looks has to find the reason.
        for command in (["status"], ["status", APP], ["explain", APP]):
            said = self.ctl(*command).stdout
            self.assertIn("cannot be used, nothing is granted: damaged state", said, command)


if __name__ == "__main__":
    unittest.main()
