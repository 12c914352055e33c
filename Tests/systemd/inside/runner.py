"""Runs the tests of one module inside the lab, or on the host: `runner.py MODULE [PATTERN]`."""

import os
import pwd
import socket
import subprocess
import sys
import time
import unittest

from commands import ROOT_CHANNEL, environment_of, serve_root


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
    sys.exit(main(*sys.argv[1:]))
