"""The built daemon under test: its folders, its process, and what it writes to stderr."""

import os
import re
import resource
import shutil
import signal
import socket
import subprocess
import tempfile
import time

from controls import Controls
from ratingd_client import HANG, Client

PACKAGE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BIN_DIR = os.path.abspath(
    os.environ.get("RATINGD_BIN_DIR") or os.path.join(PACKAGE, ".build", "debug"))
RATINGD = os.path.join(BIN_DIR, "ratingd")
RATINGCTL = os.path.join(BIN_DIR, "ratingctl")
CRASH = re.compile(r"Fatal error|Assertion failed|Crash|runtime error|\*\*\* ")


def eventually(check, what="it"):
    """The first true value of `check()`, asked again and again; fails after the hang limit."""
    end = time.monotonic() + HANG
    pause = 0.001
    while time.monotonic() < end:
        value = check()
        if value:
            return value
        time.sleep(pause)
        pause = min(2 * pause, 0.01)
    raise AssertionError(f"{what} did not happen within {HANG:.0f} s")


def proc_status(pid, key):
    """One number of /proc/PID/status."""
    with open(f"/proc/{pid}/status", encoding="ascii", errors="replace") as file:
        for line in file:
            if line.startswith(key + ":"):
                return int(line.split()[1])
    raise KeyError(key)


class Daemon:
    """Folders of its own and at most one running process.

    `config` is the text of ratingd.conf, `files` further ones by their path in the configuration
    folder. `args` replaces the usual arguments. `user` is a uid to run as (needs root).
    """

    def __init__(self, config="", *, files=None, args=None, env=None, controls=False, user=None,
                 rlimits=None, extra_args=()):
        self.root = tempfile.mkdtemp(prefix="ratingd-test.")
        self.user = user
        self.rlimits = rlimits or {}
        self.runtime = self.path("run")
        self.socket_path = self.path("run", "ratingd.sock")
        self.state_dir = self.path("state")
        self.database = self.path("state", "ratingd.db")
        self.config_dir = self.path("config")
        self.log_path = self.path("stderr")
        self.args = args if args is not None else [
            "--socket", self.socket_path, "--state", self.state_dir, "--config", self.config_dir]
        self.args = list(self.args) + list(extra_args)
        self.env = {"PATH": os.environ["PATH"], "HOME": self.root, "TZ": "UTC"} | (env or {})
        self.controls = None
        if controls:
            self.controls = Controls(self.path("controls"))
            self.env |= self.controls.environment
        self.process = None
        self.clients = []
        for folder in (self.runtime, self.state_dir, self.config_dir):
            os.makedirs(folder, 0o700)
        self.write_config("ratingd.conf", config)
        for name, text in (files or {}).items():
            self.write_config(name, text)
        if user is not None:
            for folder, folders, names in os.walk(self.root):
                for name in ["."] + folders + names:
                    os.chown(os.path.join(folder, name), user, user)

    def path(self, *parts):
        return os.path.join(self.root, *parts)

    def write_config(self, name, text):
        path = os.path.join(self.config_dir, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    # The process

    @property
    def pid(self):
        return self.process.pid

    def spawn(self, *, pass_fds=(), stderr=None, command=None):
        """Starts the process and does not wait for anything."""
        def limit():
            for kind, value in self.rlimits.items():
                resource.setrlimit(kind, (value, value))

        with open(self.log_path, "ab") as log:
            self.process = subprocess.Popen(
                command or [RATINGD, *self.args], env=self.env, cwd=self.root,
                stdin=subprocess.DEVNULL, stdout=log, stderr=stderr or log,
                pass_fds=pass_fds, user=self.user, group=self.user,
                preexec_fn=limit if self.rlimits else None)
        return self

    def start(self, **options):
        """Starts the process and returns when its socket takes a connection."""
        self.spawn(**options)
        eventually(self.answers, "the daemon's socket")
        return self

    def answers(self):
        """Whether the socket takes a connection; fails if the daemon has ended."""
        if self.process.poll() is not None:
            raise AssertionError(
                f"the daemon ended with {self.process.returncode}: {self.log()[-2000:]}")
        probe = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            probe.connect(self.socket_path)
            return True
        except (FileNotFoundError, ConnectionRefusedError):
            return False
        finally:
            probe.close()

    def run_to_end(self):
        """For a start that must end by itself: (exit code, what it wrote)."""
        before = len(self.log())
        self.spawn()
        code = self.process.wait(HANG)
        self.process = None
        return code, self.log()[before:]

    def signal(self, number):
        self.process.send_signal(number)

    def wait(self):
        code = self.process.wait(HANG)
        self.process = None
        return code

    def stop(self):
        """SIGTERM; the exit code."""
        self.signal(signal.SIGTERM)
        return self.wait()

    def kill(self):
        """SIGKILL, as a crash or a power cut of the process would end it."""
        self.process.kill()
        self.wait()

    def restart(self):
        code = self.stop()
        if code != 0:
            raise AssertionError(f"exit code {code} after SIGTERM: {self.log()[-2000:]}")
        return self.start()

    # What it says

    def connect(self, app=None, version="1.0", confirm=None, policy=None):
        """A new connection; with an app it says hello."""
        client = Client(self.socket_path, confirm)
        self.clients.append(client)
        if app is not None:
            params = {"app": app, "version": version}
            client.hello = client.ask(
                "hello", **(params if policy is None else params | {"policy": policy}))
        return client

    def log(self):
        try:
            with open(self.log_path, encoding="utf-8", errors="replace") as file:
                return file.read()
        except FileNotFoundError:
            return ""

    def await_log(self, pattern):
        """The first match of the pattern in stderr, waited for."""
        return eventually(lambda: re.search(pattern, self.log()), f"a log line {pattern!r}")

    def replace_state(self, files):
        """The state directory holds these files and nothing else, while no daemon runs."""
        shutil.rmtree(self.state_dir)
        os.mkdir(self.state_dir, 0o700)
        for name, content in files.items():
            path = os.path.join(self.state_dir, name)
            with open(path, "wb") as file:
                file.write(content)
            os.chmod(path, 0o600)

    def dispose(self):
        """Ends what runs, checks that it ended well, removes the folders."""
        for client in self.clients:
            client.close()
        code = 0
        if self.process is not None:
            if self.process.poll() is None:
                self.process.send_signal(signal.SIGCONT)
            try:
                code = self.stop()
            except subprocess.TimeoutExpired:
                self.kill()
                code = "none within the hang limit"
        log = self.log()
        if self.controls:
            self.controls.close()
        for folder, folders, _ in os.walk(self.root):
            for name in folders:
                os.chmod(os.path.join(folder, name), 0o700)
        shutil.rmtree(self.root, ignore_errors=True)
        if code != 0 or CRASH.search(log):
            raise AssertionError(f"the daemon ended with {code}; it wrote: {log[-3000:]}")
