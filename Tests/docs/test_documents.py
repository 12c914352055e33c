"""What the documents show is what happens."""

import json
import os
import re
import shutil
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time
import unittest

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BIN = os.environ.get("RATINGD_BIN_DIR", os.path.join(TOP, ".build", "debug"))
TIME = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"
README_SOCKET = "/tmp/ratingd-try.sock"


def blocks(path, language=""):
    """The fenced blocks of a document in that language."""
    with open(os.path.join(TOP, path), encoding="utf-8") as file:
        return re.findall(rf"^```{language}\n(.*?)^```$", file.read(), re.M | re.S)


class Daemon:
    def __enter__(self):
        self.folder = tempfile.mkdtemp(prefix="ratingd-docs.")
        self.socket = os.path.join(self.folder, "s")
        self.state = os.path.join(self.folder, "state")
        os.mkdir(self.folder + "/conf")
        return self.start()

    def start(self):
        self.process = subprocess.Popen(
            [BIN + "/ratingd", "--socket", self.socket, "--state", self.state,
             "--config", self.folder + "/conf"], stderr=subprocess.DEVNULL)
        for _ in range(500):
            with socket.socket(socket.AF_UNIX) as probe:
                if probe.connect_ex(self.socket) == 0:
                    return self
            time.sleep(0.01)
        raise AssertionError("the daemon does not answer")

    def stop(self):
        self.process.terminate()
        self.process.wait()

    def ctl(self, *arguments):
        """What ratingctl prints, however it exits."""
        return subprocess.run(
            [BIN + "/ratingctl", "--socket", self.socket, *arguments], capture_output=True, text=True,
            timeout=15, check=False).stdout

    def __exit__(self, *_):
        self.stop()
        shutil.rmtree(self.folder)


class ReadmeTests(unittest.TestCase):
    def test_the_first_prompt_comes_as_described(self):
        socat = [block for block in blocks("README.md") if block.startswith("socat")]
        shown = [block for block in blocks("README.md") if block.startswith('{"jsonrpc"')]
        python = blocks("README.md", "python")
        self.assertEqual((len(socat), len(shown), len(python)), (1, 1, 1))
        with Daemon() as daemon:
            command = socat[0].replace(README_SOCKET, daemon.socket)
            self.assertIn(daemon.socket, command)
            if shutil.which("socat"):
                said = self.run_it(["bash", "-c", command])
            else:
                said = self.speak(daemon.socket, command)
            for real, line in zip(said, shown[0].splitlines(), strict=True):
                Comparison(self).lines(line, real)
            program = python[0].replace(README_SOCKET, daemon.socket)
            said = [json.loads(line) for line in self.run_it([sys.executable, "-c", program])]
            self.assertEqual(said[1]["result"]["decision"], "pending")
            self.assertEqual(said[-2]["method"], "prompt")
            self.assertEqual(said[-1]["result"], {"result": "later"})
            said = [json.loads(line) for line in self.run_it([sys.executable, "-c", program])]
            self.assertEqual(said[-1]["result"]["decision"], "refused")
            self.assertIn("version", said[-1]["result"]["reasons"])
            newer = program.replace('"1.4"', '"1.5"')
            said = [json.loads(line) for line in self.run_it([sys.executable, "-c", newer])]
            self.assertEqual(said[-1]["result"]["decision"], "refused")
            self.assertRegex(said[-1]["result"]["next_eligible"], TIME)

    def run_it(self, command):
        done = subprocess.run(command, capture_output=True, text=True, timeout=15, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout.splitlines()

    def speak(self, path, command):
        """What socat does with the text of the command, where there is no socat."""
        text = command.split("<<'END'\n")[1].removesuffix("END\n")
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(path)
            connection.sendall(text.encode())
            connection.shutdown(socket.SHUT_WR)
            with connection.makefile(encoding="utf-8") as lines:
                return [line.rstrip("\n") for line in lines]


class MendingTests(unittest.TestCase):
    @unittest.skipUnless(shutil.which("sqlite3"), "no sqlite3: apt-get install sqlite3")
    def test_a_damaged_database_is_mended_as_the_page_says(self):
        recipe, = [b for b in blocks("docs/man/ratingd.8.scd") if "mended.db" in b]
        with Daemon() as daemon:
            daemon.ctl("event", "org.a", "--count=5")
            daemon.ctl("opt-out", "org.b")
            daemon.stop()
            self.damage(daemon.state + "/ratingd.db", "app_opted_out")
            daemon.start()
            self.assertIn("cannot be used", daemon.ctl("status", "org.a"))
            daemon.stop()
            aside, = [n for n in os.listdir(daemon.state) if ".corrupt-" in n]
            for old, new in ((r"^systemctl.*\n", ""), (r"(?<=^cd ).*", f"'{daemon.state}'"),
                             (r"ratingd\.db\.corrupt-TIME", aside), ("/somewhere/else", daemon.folder)):
                recipe, count = re.subn(old, new, recipe, flags=re.M)
                self.assertTrue(count, old)
            done = subprocess.run(
                ["sh", "-ec", recipe], capture_output=True, text=True, timeout=15, check=False)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "0\n", ""))
            daemon.start()
            self.assertRegex(daemon.ctl("status", "org.a"), "refused now: sessions, events, days\n")
            self.assertIn("Events: 5", daemon.ctl("status", "org.a"))
            self.assertIn("Opted out: yes", daemon.ctl("status", "org.b"))

    def damage(self, path, index):
        """Overwrites the first page of an index."""
        with sqlite3.connect(path) as database:
            size, = database.execute("PRAGMA page_size").fetchone()
            page, = database.execute(
                "SELECT rootpage FROM sqlite_master WHERE name = ?", (index,)).fetchone()
        database.close()
        with open(path, "r+b") as file:
            file.seek((page - 1) * size)
            file.write(b"\xff" * size)


class FilesTests(unittest.TestCase):
    def test_the_page_names_every_file_that_a_daemon_makes(self):
        with open(os.path.join(TOP, "docs/man/ratingd.8.scd"), encoding="utf-8") as file:
            files = file.read().split("# FILES")[1].split("# SYSTEMD")[0]
        with Daemon() as daemon:
            running = set(os.listdir(daemon.state))
            daemon.stop()
            self.assertEqual(set(os.listdir(daemon.folder)), {"state", "conf", "s.lock"})
            self.assertIn("_SOCKET.lock_ beside it stays", files)
            for name in running | set(os.listdir(daemon.state)):
                self.assertRegex(files, rf"(?<![a-z.-]){re.escape(name)}(?![a-z.-])")


class ProtocolTests(unittest.TestCase):
    def test_the_session_goes_as_shown_line_by_line(self):
        sessions = [b for b in blocks("docs/protocol.md") if b.startswith("→")]
        self.assertEqual(len(sessions), 1)
        comparison = Comparison(self)
        with Daemon() as daemon, socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(5)
            connection.connect(daemon.socket)
            with connection.makefile("rw", encoding="utf-8") as lines:
                for line in sessions[0].splitlines():
                    if line.startswith("→ "):
                        print(comparison.real(line[2:]), file=lines, flush=True)
                    elif line.startswith("← "):
                        comparison.lines(line[2:], lines.readline())


class Comparison:
    """Compares what a document shows with what was said; tokens and times are different ones."""

    def __init__(self, test):
        self.test = test
        self.tokens = {}

    def real(self, text):
        """A line to send, with the tokens of this run."""
        for shown, token in self.tokens.items():
            text = text.replace(shown, token)
        return text

    def lines(self, shown, real):
        """`…` in what is shown stands for members that are left out."""
        self.values(json.loads(shown.replace(",…", "")), json.loads(real), "…" in shown, shown)

    def values(self, shown, real, is_short, place):
        if isinstance(shown, dict):
            names = set(shown) & set(real) if is_short else set(real)
            self.test.assertEqual(set(shown), names, place)
            for name in shown:
                if name == "token":
                    self.token(shown[name], real[name], place)
                else:
                    self.values(shown[name], real[name], is_short, place)
        elif isinstance(shown, str) and re.fullmatch(TIME, shown):
            self.test.assertRegex(real, f"^{TIME}$", place)
        elif isinstance(shown, str) and shown.startswith("ratingd/"):
            self.test.assertRegex(real, r"^ratingd/\d+\.\d+\.\d+$", place)
        else:
            self.test.assertEqual(shown, real, place)

    def token(self, shown, real, place):
        self.test.assertEqual(len(shown), len(real), place)
        self.test.assertEqual(self.tokens.setdefault(shown, real), real, place)


if __name__ == "__main__":
    unittest.main()
