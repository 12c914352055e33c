"""ratingd's options, exit codes and signals."""

import os
import signal
import stat
import subprocess
import unittest

from base import APP, DaemonTest, unprivileged
from ratingd_client import HANG
from ratingd_daemon import RATINGCTL, RATINGD


class CommandLineTest(DaemonTest):
    config = ""

    def setUp(self):
        self.daemon = self.make_daemon(self.config)

    def ratingd(self, *arguments, **options):
        """Runs it to its end: (exit code, stdout, stderr)."""
        done = subprocess.run(
            [RATINGD, *arguments], env=self.daemon.env, stdin=subprocess.DEVNULL, timeout=HANG,
            capture_output=True, text=True, check=False, **options)
        return done.returncode, done.stdout, done.stderr

    def assert_exit(self, code, *arguments):
        """It ends with this code and says why on stderr."""
        actual, out, err = self.ratingd(*arguments)
        self.assertEqual(actual, code, (arguments, out, err))
        self.assertTrue(err.strip(), arguments)
        return err


class Options(CommandLineTest):
    def test_version(self):
        code, out, err = self.ratingd("--version")
        self.assertEqual((code, err), (0, ""))
        self.assertRegex(out, r"^ratingd \d+\.\d+\.\d+\n$")
        version = out.split()[1]
        self.assertEqual(self.daemon.start().connect(APP).hello["server"], f"ratingd/{version}")

    def test_help(self):
        code, out, err = self.ratingd("--help")
        self.assertEqual((code, err), (0, ""))
        self.assertEqual(self.ratingd("-h"), (code, out, err))
        for option in ("--user", "--system", "--socket", "--state", "--config", "--check-config",
                       "--version", "--help"):
            self.assertIn(option, out)

    def test_usage_errors(self):
        for arguments in (
                ["--nope"], ["extra"], ["--socket"], ["--state"], ["--config"], ["-x"],
                ["--user", "--system"], ["--socket", ""], ["--state", ""], ["--version=1"]):
            with self.subTest(arguments=arguments):
                self.assert_exit(64, *self.daemon.args, *arguments)

    def test_check_config(self):
        code, out, err = self.ratingd("--check-config", "--config", self.daemon.config_dir)
        self.assertEqual(code, 0, (out, err))
        self.assertFalse(os.path.exists(self.daemon.socket_path))

    def test_check_config_tells_every_warning(self):
        self.daemon.write_config("ratingd.conf", "[Policy]\nNoSuchKey=1\n\nSessionsUntilPrompt=x\n")
        self.daemon.write_config(f"apps.d/{APP}.conf", "[Daemon]\nSyncSec=1\n")
        code, out, err = self.ratingd("--check-config", "--config", self.daemon.config_dir)
        self.assertEqual((code, out), (0, ""))
        for pattern in (r"ratingd\.conf\D{1,9}2\b", r"ratingd\.conf\D{1,9}4\b", r"Notes\.conf\D{1,9}[12]\b"):
            self.assertRegex(err, pattern)

    def test_a_configuration_directory_that_is_not_there_or_is_a_file(self):
        for path in (self.daemon.path("nowhere"), self.daemon.path("config", "ratingd.conf")):
            with self.subTest(path=path):
                self.assertIn(path, self.assert_exit(78, "--check-config", "--config", path))
                self.daemon.args[-1] = path
                code, log = self.daemon.run_to_end()
                self.assertEqual(code, 78, log)
                self.assertIn(path, log)

    @unprivileged
    def test_a_configuration_directory_that_is_unreadable(self):
        daemon = self.make_daemon()
        os.chmod(daemon.config_dir, 0)
        code, log = daemon.run_to_end()
        self.assertEqual(code, 78, log)

    def test_directories_of_socket_and_state_are_made(self):
        deep = self.daemon.path("a", "b", "run"), self.daemon.path("c", "d", "state")
        self.daemon.socket_path = os.path.join(deep[0], "ratingd.sock")
        self.daemon.args[1], self.daemon.args[3] = self.daemon.socket_path, deep[1]
        self.daemon.start().connect().ask("event", app=APP)
        for path in deep:
            self.assertEqual(stat.S_IMODE(os.stat(path).st_mode), 0o700, path)
        self.assertEqual(
            stat.S_IMODE(os.stat(os.path.join(deep[1], "ratingd.db")).st_mode), 0o600)

    def test_signals_that_end_it(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            self.daemon.start()
            self.daemon.signal(number)
            self.assertEqual(self.daemon.wait(), 0)
            self.assertFalse(os.path.exists(self.daemon.socket_path))

    def test_signals_that_do_not(self):
        self.daemon.start()
        for number in (signal.SIGPIPE, signal.SIGCHLD, signal.SIGWINCH, signal.SIGCONT):
            self.daemon.signal(number)
        self.assertTrue(self.daemon.connect().ask("ping")["pong"])


class NoRuntimeDirectory(CommandLineTest):
    def test_without_xdg_runtime_dir_there_is_a_fallback_both_sides_know(self):
        self.daemon.args = ["--user", "--state", self.daemon.state_dir]
        self.daemon.env["TMPDIR"] = self.daemon.path("tmp")
        os.mkdir(self.daemon.path("tmp"), 0o700)
        done = subprocess.run(
            [RATINGCTL, "--user", "socket-path"], env=self.daemon.env, capture_output=True, text=True,
            timeout=HANG, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.daemon.socket_path = done.stdout.strip()
        if os.path.exists(self.daemon.socket_path):
            self.skipTest("the fallback socket of this user is in use")
        self.daemon.start()
        self.assertTrue(self.daemon.connect().ask("ping")["pong"])
        self.assertRegex(self.daemon.log(), "XDG_RUNTIME_DIR")


if __name__ == "__main__":
    unittest.main()
