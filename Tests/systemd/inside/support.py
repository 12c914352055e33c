"""What the tests inside the lab share: the service under test, clients, the journal.

A test module says in RUN_AS who it runs as: "root" (the default) or "lab", an ordinary user with a
service manager of its own. A module of "lab" still gets at root, through `root()`.
"""

import contextlib
import json
import os
import pwd
import socket
import subprocess
import sys
import time
import unittest

LAB = "lab"
OTHER = "other"
# The socket on which a test that runs as an ordinary user asks for commands to be run as root.
ROOT_CHANNEL = "LAB_ROOT_CHANNEL"


class CommandFailed(AssertionError):
    """A command that a test needs did not do its work."""


def run(*argv, check=True, timeout=60, **options):
    """Runs a command; its result has `code`, `out` and `err`."""
    done = subprocess.run(
        argv, capture_output=True, text=True, errors="replace", timeout=timeout, **options)
    done.code, done.out, done.err = done.returncode, done.stdout, done.stderr
    if check and done.code != 0:
        raise CommandFailed(f"{argv} ended with {done.code}:\n{done.out}{done.err}")
    return done


def root(*argv, check=True, timeout=60):
    """Runs a command as root, also where the test is not."""
    if os.getuid() == 0:
        return run(*argv, check=check, timeout=timeout)
    channel = socket.socket(fileno=os.dup(int(os.environ[ROOT_CHANNEL])))
    with channel, channel.makefile("rw") as stream:
        stream.write(json.dumps({"argv": argv, "timeout": timeout}) + "\n")
        stream.flush()
        answer = json.loads(stream.readline())
    done = subprocess.CompletedProcess(argv, answer["code"], answer["out"], answer["err"])
    done.code, done.out, done.err = answer["code"], answer["out"], answer["err"]
    if check and done.code != 0:
        raise CommandFailed(f"{argv} as root ended with {done.code}:\n{done.out}{done.err}")
    return done


def environment_of(user):
    """What a login of that user would find in its environment."""
    entry = pwd.getpwnam(user)
    return {
        "HOME": entry.pw_dir, "USER": user, "LOGNAME": user, "LC_ALL": "C.UTF-8",
        "PATH": "/usr/local/bin:/usr/bin:/bin", "XDG_RUNTIME_DIR": f"/run/user/{entry.pw_uid}",
        "PYTHONDONTWRITEBYTECODE": "1",
    }


def run_as(user, *argv, check=True, timeout=60, **options):
    """Runs a command as that user (from a module that runs as root)."""
    entry = pwd.getpwnam(user)
    return run(
        *argv, check=check, timeout=timeout, env=environment_of(user), cwd=entry.pw_dir,
        user=entry.pw_uid, group=entry.pw_gid, extra_groups=[], **options)


def until(condition, what, seconds=10.0):
    """Waits for a condition to hold and returns what it gave."""
    end = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > end:
            raise AssertionError(f"not within {seconds} s: {what}")
        time.sleep(0.02)


def boxed(app, directory, *argv):
    """The command line that runs `argv` as Flatpak would run it for that app.

    A user namespace and a root of its own, in which /.flatpak-info stands, readable for its user
    only. `directory` (that of the socket) is visible inside.
    """
    info = f"[Application]\nname={app}\nruntime=runtime/org.example.Platform/x86_64/1\n"
    return (
        "sh", "-c", 'umask 077; rm -f /tmp/.info-of-the-box; printf %s "$1" > /tmp/.info-of-the-box; shift; exec "$@"', "sh", info, "bwrap",
        "--unshare-user", "--unshare-pid", "--ro-bind", "/usr", "/usr", "--symlink", "usr/lib",
        "/lib", "--symlink", "usr/lib64", "/lib64", "--symlink", "usr/bin", "/bin", "--ro-bind",
        directory, directory, "--proc", "/proc", "--dev", "/dev", "--ro-bind",
        "/tmp/.info-of-the-box", "/.flatpak-info", *argv)


class Client:
    """A connection to ratingd that speaks lines of JSON."""

    def __init__(self, path, app=None, timeout=10.0):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.socket.settimeout(timeout)
        self.socket.connect(path)
        self.buffer = b""
        self.number = 0
        self.notes = []
        if app:
            self.call("hello", app=app, version="1.0")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.socket.close()

    def send(self, *messages):
        self.socket.sendall(b"".join(json.dumps(m).encode() + b"\n" for m in messages))

    def line(self):
        """The next message of the daemon, None at the end of the connection."""
        while b"\n" not in self.buffer:
            data = self.socket.recv(65536)
            if not data:
                return None
            self.buffer += data
        text, self.buffer = self.buffer.split(b"\n", 1)
        return json.loads(text)

    def answer(self, method, **params):
        """The whole answer to one request; notifications on the way go to `notes`."""
        self.number += 1
        self.send({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params})
        while True:
            message = self.line()
            if message is None:
                raise ConnectionError(f"the daemon closed instead of answering {method}")
            if message.get("id") == self.number and "method" not in message:
                return message
            self.notes.append(message)

    def call(self, method, **params):
        """The result of one request, which must not fail."""
        message = self.answer(method, **params)
        if "result" not in message:
            raise AssertionError(f"{method} was answered with {message}")
        return message["result"]

    def wait_for(self, method):
        """The next notification of that name."""
        for index, note in enumerate(self.notes):
            if note.get("method") == method:
                return self.notes.pop(index)
        while True:
            message = self.line()
            if message is None:
                raise ConnectionError(f"the daemon closed before it sent {method}")
            if message.get("method") == method:
                return message
            self.notes.append(message)


class ServiceTest(unittest.TestCase):
    """A test of ratingd.service, of the user or (SYSTEM) of the machine.

    Every test begins with the service stopped, no state, no configuration, no drop-ins and the
    socket listening.
    """

    SYSTEM = False
    maxDiff = None

    @classmethod
    def paths(cls):
        home, runtime = os.path.expanduser("~"), os.environ.get("XDG_RUNTIME_DIR", "")
        if cls.SYSTEM:
            return {
                "socket": "/run/ratingd/ratingd.sock", "state": "/var/lib/ratingd",
                "config": "/etc/ratingd", "units": "/run/systemd/system"}
        return {
            "socket": f"{runtime}/ratingd/ratingd.sock", "state": f"{home}/.local/state/ratingd",
            "config": f"{home}/.config/ratingd", "units": f"{runtime}/systemd/user"}

    def setUp(self):
        at = self.paths()
        self.socket_path, self.state, self.config = at["socket"], at["state"], at["config"]
        self.units = at["units"]
        self.reset()
        self.started_at = time.time()
        self.cursor = self.current_cursor()
        self.addCleanup(self.reset)

    def reset(self):
        self.systemctl("unmask", "--runtime", "ratingd.service", "ratingd.socket", check=False)
        self.systemctl("stop", "ratingd.socket", "ratingd.service", check=False)
        root("chattr", "-i", self.state, check=False)
        run("rm", "-rf", self.config, f"{self.units}/ratingd.service.d",
            f"{self.units}/ratingd.socket.d")
        root("rm", "-rf", self.state)
        self.systemctl("daemon-reload")
        self.systemctl("reset-failed", "ratingd.socket", "ratingd.service", check=False)
        self.systemctl("start", "ratingd.socket")

    def systemctl(self, *argv, check=True, timeout=60):
        scope = [] if self.SYSTEM else ["--user"]
        return run("systemctl", *scope, *argv, check=check, timeout=timeout)

    def ctl(self, *argv, check=True, timeout=30):
        scope = "--system" if self.SYSTEM else "--user"
        return run("ratingctl", scope, *argv, check=check, timeout=timeout)

    def show(self, name, unit="ratingd.service"):
        return self.systemctl("show", "--value", "-p", name, unit).out.strip()

    def pid(self):
        return int(self.show("MainPID"))

    def client(self, app=None, timeout=10.0):
        client = Client(self.socket_path, app, timeout)
        self.addCleanup(client.close)
        return client

    def start(self):
        """Starts the service and returns its pid."""
        self.systemctl("start", "ratingd.service")
        return self.pid()

    def dropin(self, text, unit="ratingd.service"):
        """Adds lines to a unit, until the end of the test."""
        os.makedirs(f"{self.units}/{unit}.d", exist_ok=True)
        with open(f"{self.units}/{unit}.d/test.conf", "w") as file:
            file.write(text)
        self.systemctl("daemon-reload")

    def configure(self, text, name="ratingd.conf"):
        """Writes one of the daemon's configuration files."""
        path = f"{self.config}/{name}"
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as file:
            file.write(text)
        return path

    def wait_state(self, state, seconds=10.0, unit="ratingd.service"):
        return until(
            lambda: self.show("ActiveState", unit) == state, f"{unit} is {state}", seconds)

    def current_cursor(self):
        out = root("journalctl", "-n", "0", "--show-cursor", "-q").out
        return out.split("-- cursor: ")[-1].strip()

    def entries(self, *matches):
        """The journal's entries of this test with these fields, oldest first."""
        root("journalctl", "--sync")
        # Chosen here: journalctl 252 loses the first match after a cursor that does not match.
        out = root("journalctl", "--after-cursor", self.cursor, "-o", "json", "--all", "-q").out
        entries = [json.loads(line) for line in out.splitlines() if line.startswith("{")]
        wanted = [match.split("=", 1) for match in matches]
        return [e for e in entries if all(has(e, name, value) for name, value in wanted)]

    def own_entries(self, kind=None):
        """Those that ratingd wrote itself in this test, of one kind."""
        matches = ["SYSLOG_IDENTIFIER=ratingd"]
        if kind:
            matches.append(f"MESSAGE_ID={KINDS[kind]}")
        return [e for e in self.entries(*matches) if "MESSAGE_ID" in e]

    def wait_entry(self, kind, seconds=10.0):
        return until(lambda: self.own_entries(kind), f"a journal entry of kind {kind}", seconds)[0]


def has(entry, name, value):
    """Whether a journal entry has that value of a field that it may have several times."""
    found = entry.get(name)
    return value in found if isinstance(found, list) else value == found


def kinds(table="/lab/journal.md"):
    """Kind -> MESSAGE_ID, of docs/journal.md."""
    with contextlib.suppress(FileNotFoundError), open(table) as file:
        rows = [line.split("|") for line in file if line.startswith("| `")]
        return {row[1].strip(" `"): row[2].strip(" `") for row in rows}
    return {}


KINDS = kinds()


class _Result(unittest.TextTestResult):
    """Prints a line per test and counts what the closing line needs."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.passed = 0
        self.showAll = self.dots = False

    def _say(self, word, test, more=""):
        seconds = time.monotonic() - self._began
        print(f"{word:4} {test.id().split('.', 1)[-1]} ({seconds:.2f} s){more}", flush=True)

    def startTest(self, test):
        self._began = time.monotonic()
        super().startTest(test)

    def addSuccess(self, test):
        self.passed += 1
        self._say("ok", test)

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self._say("skip", test, f": {reason}")

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self._say("FAIL", test, "\n" + self.failures[-1][1])

    def addError(self, test, err):
        super().addError(test, err)
        self._began = getattr(self, "_began", time.monotonic())
        self._say("FAIL", test, "\n" + self.errors[-1][1])

    def addSubTest(self, test, subtest, err):
        if err is not None:
            super().addSubTest(test, subtest, err)
            self._say("FAIL", subtest, "\n" + (self.failures + self.errors)[-1][1])


def run_module(module, pattern=None):
    """Runs the tests of one module and prints the counts; 0 if none failed."""
    loader = unittest.TestLoader()
    if pattern:
        loader.testNamePatterns = [f"*{pattern}*"]
    suite = loader.loadTestsFromModule(module)
    result = unittest.TextTestRunner(
        stream=open(os.devnull, "w"), resultclass=_Result, verbosity=0).run(suite)
    failed = len(result.failures) + len(result.errors)
    print(f"results: {result.passed} {failed} {len(result.skipped)}", flush=True)
    return 1 if failed else 0


def serve_root(channel):
    """Runs what an ordinary user's test asks root to run, until it is gone."""
    with channel.makefile("rw") as stream:
        for line in stream:
            order = json.loads(line)
            try:
                done = run(*order["argv"], check=False, timeout=order["timeout"])
                answer = {"code": done.code, "out": done.out, "err": done.err}
            except (OSError, subprocess.TimeoutExpired) as error:
                answer = {"code": 127, "out": "", "err": str(error)}
            stream.write(json.dumps(answer) + "\n")
            stream.flush()


def main(name, pattern=None):
    module = __import__(name)
    user = getattr(module, "RUN_AS", "root")
    if user == "root" or os.getuid() != 0:
        return run_module(module, pattern)
    ours, theirs = socket.socketpair()
    entry = pwd.getpwnam(user)
    # A new program, not just a new uid: a process that was root is closed to its own user, and the
    # daemon could not find out who it is.
    child = subprocess.Popen(
        [sys.executable, os.path.abspath(__file__), name] + ([pattern] if pattern else []),
        env=dict(environment_of(user), **{ROOT_CHANNEL: str(theirs.fileno())}), cwd=entry.pw_dir,
        user=entry.pw_uid, group=entry.pw_gid, extra_groups=[], pass_fds=[theirs.fileno()])
    theirs.close()
    serve_root(ours)
    return child.wait()


if __name__ == "__main__":
    sys.modules["support"] = sys.modules["__main__"]
    sys.exit(main(*sys.argv[1:]))
