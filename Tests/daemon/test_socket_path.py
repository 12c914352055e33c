"""What may stand at the path of the socket, and two daemons that want the same."""

import os
import shutil
import signal
import socket
import stat
import subprocess
import unittest

from base import APP, IS_ROOT, NOBODY, unprivileged
from ratingd_daemon import RATINGD, eventually
from test_command_line import CommandLineTest


class SocketPath(CommandLineTest):
    def assert_refused(self, path=None):
        """It cannot be made: exit 73, a message that names the place."""
        path = path or self.daemon.socket_path
        self.daemon.args[1] = path
        code, log = self.daemon.run_to_end()
        self.assertEqual(code, 73, log)
        self.assertIn(os.path.dirname(path), log)

    def test_its_mode(self):
        self.daemon.start()
        self.assertEqual(stat.S_IMODE(os.stat(self.daemon.socket_path).st_mode), 0o600)

    def test_a_file(self):
        with open(self.daemon.socket_path, "w", encoding="ascii") as file:
            file.write("precious")
        self.assert_refused()
        with open(self.daemon.socket_path, encoding="ascii") as file:
            self.assertEqual(file.read(), "precious")

    def test_a_directory(self):
        os.mkdir(self.daemon.socket_path)
        self.assert_refused()
        self.assertTrue(os.path.isdir(self.daemon.socket_path))

    def test_a_fifo(self):
        os.mkfifo(self.daemon.socket_path)
        self.assert_refused()

    def test_symbolic_links(self):
        target = self.daemon.path("target")
        for kind in ("nothing", "a file", "a stale socket"):
            with self.subTest(kind=kind):
                if kind == "a file":
                    open(target, "w", encoding="ascii").close()
                elif kind == "a stale socket":
                    os.unlink(target)
                    self.stale(target)
                os.symlink(target, self.daemon.socket_path)
                self.assert_refused()
                self.assertTrue(os.path.islink(self.daemon.socket_path))
                os.unlink(self.daemon.socket_path)

    def stale(self, path):
        sock = socket.socket(socket.AF_UNIX)
        sock.bind(path)
        sock.close()

    def test_a_path_too_long(self):
        self.assert_refused(self.daemon.path("run", "x" * 120))
        self.assert_refused(self.daemon.path("run", "x" * 300))

    def test_the_longest_path_that_fits(self):
        folder = self.daemon.path("run")
        self.daemon.socket_path = os.path.join(folder, "s" * (107 - len(folder) - 1))
        self.daemon.args[1] = self.daemon.socket_path
        self.daemon.start()
        self.assertTrue(self.daemon.connect().ask("ping")["pong"])

    def test_a_parent_that_is_a_file(self):
        shutil.rmtree(self.daemon.runtime)
        open(self.daemon.runtime, "w", encoding="ascii").close()
        self.assert_refused()
        os.unlink(self.daemon.runtime)
        os.mkdir(self.daemon.runtime)

    @unprivileged
    def test_a_directory_without_permission(self):
        daemon = self.make_daemon()
        os.chmod(daemon.runtime, 0o500)
        code, log = daemon.run_to_end()
        self.assertEqual(code, 73, log)

    @unittest.skipUnless(IS_ROOT, "needs root: a runtime directory of another user")
    def test_a_runtime_directory_of_someone_else(self):
        daemon = self.make_daemon(user=NOBODY)
        runtime = daemon.path("foreign")
        os.mkdir(runtime, 0o777)
        os.chmod(runtime, 0o777)
        daemon.args = ["--user", "--state", daemon.state_dir]
        daemon.env["XDG_RUNTIME_DIR"] = runtime
        code, log = daemon.run_to_end()
        self.assertEqual(code, 73, log)
        self.assertIn(runtime, log)

    def test_a_stale_socket_is_replaced(self):
        self.stale(self.daemon.socket_path)
        self.daemon.start()
        self.assertTrue(self.daemon.connect().ask("ping")["pong"])

    def test_after_a_kill_it_starts_again(self):
        self.daemon.start()
        for _ in range(3):
            self.daemon.kill()
            self.assertTrue(os.path.exists(self.daemon.socket_path))
            self.daemon.start()
            self.assertTrue(self.daemon.connect().ask("ping")["pong"])

    def test_the_path_removed_while_it_runs_is_told(self):
        self.daemon.start()
        client = self.daemon.connect()
        before = len(self.daemon.log())
        os.unlink(self.daemon.socket_path)
        eventually(lambda: "socket" in self.daemon.log()[before:].lower(), "a word about the path")
        self.assertTrue(client.ask("ping")["pong"])

    def test_start_and_stop_leave_nothing_behind(self):
        for _ in range(10):
            self.daemon.start()
            self.daemon.stop()
        left = os.listdir(self.daemon.runtime)
        self.assertNotIn("ratingd.sock", left)
        self.assertLessEqual(len(left), 1, left)


class TwoDaemons(CommandLineTest):
    def second(self, socket_path=None, state=None):
        other = self.make_daemon()
        other.args = [
            "--socket", socket_path or other.socket_path, "--state", state or other.state_dir,
            "--config", other.config_dir]
        return other

    def assert_first_unharmed(self, inode):
        self.assertEqual(os.stat(self.daemon.socket_path).st_ino, inode)
        self.assertEqual(self.daemon.connect().ask("event", app=APP)["events"], 2)

    def test_on_the_same_socket(self):
        self.daemon.start().connect().ask("event", app=APP)
        inode = os.stat(self.daemon.socket_path).st_ino
        code, log = self.second(socket_path=self.daemon.socket_path).run_to_end()
        self.assertEqual(code, 69, log)
        self.assert_first_unharmed(inode)

    def test_on_the_same_state(self):
        self.daemon.start().connect().ask("event", app=APP)
        inode = os.stat(self.daemon.socket_path).st_ino
        code, log = self.second(state=self.daemon.state_dir).run_to_end()
        self.assertEqual(code, 69, log)
        self.assert_first_unharmed(inode)

    def test_on_a_socket_whose_queue_is_full(self):
        self.daemon.start()
        inode = os.stat(self.daemon.socket_path).st_ino
        self.daemon.signal(signal.SIGSTOP)
        sockets = []
        try:
            for _ in range(5000):
                sock = socket.socket(socket.AF_UNIX)
                sock.setblocking(False)
                sockets.append(sock)
                if sock.connect_ex(self.daemon.socket_path):
                    break
            code, log = self.second(socket_path=self.daemon.socket_path).run_to_end()
        finally:
            self.daemon.signal(signal.SIGCONT)
            for sock in sockets:
                sock.close()
        self.assertEqual(code, 69, log)
        self.assertEqual(os.stat(self.daemon.socket_path).st_ino, inode)

    def test_twenty_at_once_over_a_stale_socket(self):
        sock = socket.socket(socket.AF_UNIX)
        sock.bind(self.daemon.socket_path)
        sock.close()
        processes = []
        with open(self.daemon.log_path, "ab") as log:
            for _ in range(20):
                processes.append(subprocess.Popen(
                    [RATINGD, *self.daemon.args], env=self.daemon.env, stdin=subprocess.DEVNULL,
                    stdout=log, stderr=log))
        try:
            codes = []
            running = list(processes)
            while len(running) > 1:
                for process in running:
                    if process.poll() is not None:
                        codes.append(process.returncode)
                        running.remove(process)
                        break
            self.assertEqual(codes, [69] * 19)
            self.daemon.process = running[0]
            eventually(self.daemon.answers, "the socket of the one that is left")
            client = self.daemon.connect()
            self.assertEqual(client.ask("whoami")["uid"], os.geteuid())
        finally:
            for process in processes:
                if process.poll() is None and process is not self.daemon.process:
                    process.kill()
                    process.wait()


if __name__ == "__main__":
    unittest.main()
