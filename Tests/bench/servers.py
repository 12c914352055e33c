"""The servers that are measured: each on a core of its own, with state of its own."""

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
BUILD = os.path.join(ROOT, ".build")
RELEASE = os.path.join(BUILD, "release")
PEERS = os.path.join(BUILD, "bench-peers")
# Debian's redis-tools has the server as well, under this name, and unlike redis-server it does
# not start a service when it is installed.
REDIS = "/usr/bin/redis-check-rdb"
# What differs from the daemon as it is shipped. 10,000 clients of one process fit.
CONFIG = """[Daemon]
RateLimitPerSec=0
SyncSec=1
ConnectionsMax=25000
ConnectionsPerUidMax=25000
AppsPerUidMax=25000
"""
# Only a hang comes near it.
PATIENCE = 60

CORES = sorted(os.sched_getaffinity(0))
SERVER_CORE, LOAD_CORE = CORES[0], CORES[-1]


def pinned(core):
    """For `preexec_fn`: keeps a child on one core."""
    return lambda: os.sched_setaffinity(0, {core})


def processor_seconds(pid):
    """Processor time that a process has used. See clock_getcpuclockid(3)."""
    return time.clock_gettime(~pid << 3 | 2)


def state_folder():
    """A new folder for state. Not where temporary files are: that may be memory and no disk."""
    return tempfile.mkdtemp(prefix="bench-state.", dir=BUILD)


class Server:
    """A running server with folders of its own; a context manager that ends it."""

    name = ""
    peer = "ratingd"

    def __init__(self, state=None, environment=None):
        """`state` is a folder that outlives the server, instead of one of its own."""
        self.directory = tempfile.mkdtemp(prefix="ratingd-bench.")
        self.is_state_kept = state is not None
        self.state = state or state_folder()
        self.socket_path = self.path("socket")
        self.environment = environment
        self.process = None

    def path(self, name):
        return os.path.join(self.directory, name)

    def command(self):
        raise NotImplementedError

    def prepare(self):
        """Makes what the server reads when it starts."""

    def spawn(self, command, **options):
        with open(self.path("log"), "ab") as log:
            return subprocess.Popen(
                command, env=self.environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                preexec_fn=pinned(SERVER_CORE), **options)

    def start(self):
        """Starts it, and returns once its socket answers."""
        self.prepare()
        self.process = self.spawn(self.command())
        self.await_socket()
        return self

    def await_socket(self):
        deadline = time.monotonic() + PATIENCE
        while True:
            try:
                self.connect().close()
                return
            except OSError:
                if self.process.poll() is not None or time.monotonic() > deadline:
                    raise SystemExit(f"{self.name} did not start:\n{self.log()}")
                time.sleep(0.002)

    def connect(self):
        client = socket.socket(socket.AF_UNIX)
        client.settimeout(PATIENCE)
        try:
            client.connect(self.socket_path)
        except OSError:
            client.close()
            raise
        return client

    def log(self):
        with open(self.path("log"), encoding="utf-8", errors="replace") as file:
            return file.read()[-4000:]

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            self.process.wait(PATIENCE)

    def __enter__(self):
        return self.start()

    def __exit__(self, kind, *_):
        if kind:
            self.process.kill()
        self.stop()
        self.process.wait()
        shutil.rmtree(self.directory)
        if not self.is_state_kept:
            shutil.rmtree(self.state)

    def load(self, connections=1, pipeline=1, seconds=1.0, mix="event", warm_up=0.3):
        """What ratingd-bench measures, as its JSON."""
        command = [
            os.path.join(RELEASE, "ratingd-bench"), "--json", f"--connections={connections}",
            f"--pipeline={pipeline}", f"--seconds={seconds}", f"--warm-up={warm_up}",
            f"--mix={mix}", f"--socket={self.socket_path}", f"--peer={self.peer}"]
        done = subprocess.run(
            command, preexec_fn=pinned(LOAD_CORE), capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise SystemExit(f"{self.name}: {done.stderr or done.stdout}\n{self.log()}")
        return json.loads(done.stdout)


class Ratingd(Server):
    name = "ratingd"

    def prepare(self):
        os.makedirs(self.path("config"), exist_ok=True)
        with open(self.path("config/ratingd.conf"), "w", encoding="utf-8") as file:
            file.write(CONFIG)

    def command(self):
        return [os.path.join(RELEASE, "ratingd"), "--socket", self.socket_path,
                "--state", self.state, "--config", self.path("config")]

    @staticmethod
    def version():
        done = subprocess.run(
            [os.path.join(RELEASE, "ratingd"), "--version"], capture_output=True, text=True,
            check=True)
        return done.stdout.split()[-1]


class Redis(Server):
    name = "redis"
    peer = "redis"

    def command(self):
        return ["redis-server", "--port", "0", "--unixsocket", self.socket_path, "--dir",
                self.state, "--appendonly", "yes", "--appendfsync", "everysec", "--save", ""]

    def spawn(self, command, **options):
        return super().spawn(command, executable=REDIS, **options)

    @staticmethod
    def version():
        done = subprocess.run(
            ["redis-server", "--version"], executable=REDIS, capture_output=True, text=True,
            check=True)
        return re.search(r"v=(\S+)", done.stdout)[1]


class Floor(Server):
    name = "floor"

    def command(self):
        return [os.path.join(PEERS, "floor"), self.socket_path, os.path.join(self.state, "db")]


class Echo(Server):
    name = "echo"
    peer = "echo"

    def command(self):
        return [os.path.join(PEERS, "echo"), self.socket_path]
