#!/usr/bin/env python3
"""Plays an app against a real daemon on throw-away state and shows every line with its time.

usage: demo.py [--bin DIR]          (the folder of the built ratingd; default: .build/debug)

Exit 0 only if everything that is announced also happened, and in less than 20 seconds.
"""

import argparse
import datetime
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SECONDS_MAX = 20
QUIET_MS = 1000
APP = "org.example.Notes"
# The thresholds are low, for a demo of seconds: some by a file, as an administrator would set them,
# the others by the app's own wish in `hello`. Caps and intervals are the real ones.
CONFIGURATION = "[Policy]\nDaysUntilPrompt=0\nSessionGapSec=0\n"
POLICY = {"sessions_until_prompt": 2, "events_until_prompt": 3, "debounce_ms": QUIET_MS}


class Failed(Exception):
    """What this says does not hold."""


def expect(condition, text):
    if not condition:
        raise Failed(text)


class Stage:
    """What is shown: every line with the seconds since the start."""

    def __init__(self):
        self.begin = time.monotonic()
        self.lock = threading.Lock()

    def seconds(self):
        return time.monotonic() - self.begin

    def show(self, mark, text):
        with self.lock:
            print(f"[{self.seconds():6.3f}] {mark} {text}", flush=True)

    def headline(self, text):
        with self.lock:
            print(f"\n         {text}", flush=True)


class Daemon:
    """The real program on a folder of its own."""

    def __init__(self, stage, program, folder):
        self.stage = stage
        self.program = program
        self.folder = folder
        self.socket = os.path.join(folder, "ratingd.sock")
        self.process = None

    def start(self):
        command = [self.program, "--socket", self.socket, "--config", self.folder + "/conf",
                   "--state", self.folder + "/state"]
        self.stage.show("$", " ".join(os.path.relpath(command[0], TOP).split() + command[1:]))
        self.process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        threading.Thread(target=self._show_log, args=(self.process.stderr,), daemon=True).start()
        while True:
            with socket.socket(socket.AF_UNIX) as probe:
                if probe.connect_ex(self.socket) == 0:
                    return
            expect(self.process.poll() is None, f"the daemon runs (it ended with {self.process.returncode})")
            time.sleep(0.01)

    def _show_log(self, lines):
        for line in lines:
            self.stage.show("log:", line.rstrip())

    def end(self, number):
        self.process.send_signal(number)
        return self.process.wait()


class App:
    """One connection of the app."""

    def __init__(self, stage, path):
        self.stage = stage
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(5)
        self.socket.connect(path)
        self.lines = self.socket.makefile("r", encoding="utf-8", newline="\n")
        self.last_id = 0

    def send(self, method, **params):
        message = {"method": method, **({"params": params} if params else {})}
        self._write(message)

    def _write(self, message):
        text = json.dumps(message)
        self.stage.show("app ->", text)
        self.socket.sendall(text.encode() + b"\n")

    def read(self):
        """The next line; None at the end of the connection."""
        try:
            line = self.lines.readline()
        except TimeoutError as error:
            raise Failed("the daemon says something within 5 s") from error
        if not line:
            return None
        self.stage.show("app <-", line.rstrip("\n"))
        return json.loads(line)

    def notification(self, method):
        message = self.read()
        expect(message and message.get("method") == method, f"'{method}' comes next")
        return message["params"]

    def call(self, method, first=None, **params):
        """The result of a request; `first` is a notification that must come before it."""
        self.last_id += 1
        self._write({"id": self.last_id, "method": method, **({"params": params} if params else {})})
        if first:
            self.notification(first)
        answer = self.read()
        expect(answer and answer.get("id") == self.last_id, f"'{method}' is answered")
        expect("result" in answer, f"'{method}' succeeds")
        return answer["result"]


def reach_thresholds(stage, app):
    stage.headline("An app says who it is and asks at once: it is too early.")
    hello = app.call("hello", app=APP, version="1.4", policy=POLICY)
    expect(hello["clamped"] == [] and hello["ignored"] == [], "every wish of the app is in force")
    expect(app.call("session")["sessions"] == 1, "one session is counted")
    refusal = app.call("request")
    expect(refusal["decision"] == "refused", "a request below the thresholds is refused")
    expect(refusal["reasons"] == ["sessions", "events"], "the reasons are sessions and events")
    expect(refusal["next_eligible"] is None, "waiting alone cannot help")

    stage.headline("One more session and three notes saved: the thresholds are reached.")
    expect(app.call("session")["sessions"] == 2, "two sessions are counted")
    app.send("event", name="note-saved")
    app.send("event", name="note-saved")
    expect(app.call("event", name="note-saved")["events"] == 3, "three events are counted")
    status = app.call("status")
    expect(status["eligible"] and status["reasons"] == [], "the app is eligible")


def cancel_by_activity(stage, app):
    stage.headline("A request waits for a quiet second. The user types: it is cancelled.")
    expect(app.call("request")["decision"] == "pending", "the request is pending")
    time.sleep(0.3)
    result = app.call("activity", first="cancelled")
    expect(result["cancelled"], "activity cancels the request")


def prompt_now(stage, app):
    stage.headline("The next request finds its quiet second: prompt now.")
    begin = time.monotonic()
    pending = app.call("request")
    expect(pending["decision"] == "pending", "the request is pending")
    prompt = app.notification("prompt")
    waited = time.monotonic() - begin
    expect(prompt["token"] == pending["token"], "the prompt is the request's")
    expect(prompt["prompts_in_window"] == 1, "it is the first one of the year")
    expect(QUIET_MS / 1000 - 0.01 <= waited < QUIET_MS / 1000 + 1, f"it comes after a second (it came after {waited:.3f} s)")
    app.call("outcome", token=prompt["token"], result="later")
    return prompt["token"]


def refuse(stage, app):
    stage.headline("Asked again, the daemon says why not, and when it will be possible.")
    refusal = app.call("request")
    expect(refusal["reasons"] == ["version", "interval", "user_interval", "later"],
           "the same version is refused for four reasons")
    expect(refusal["next_eligible"] is None, "this version is never asked about again")
    refusal = app.call("request", version="1.5")
    expect(refusal["reasons"] == ["interval", "user_interval", "later"],
           "the next version is refused for three reasons")
    ripe = datetime.datetime.fromisoformat(refusal["next_eligible"].replace("Z", "+00:00"))
    days = (ripe - datetime.datetime.now(datetime.timezone.utc)) / datetime.timedelta(days=1)
    expect(13.99 < days <= 14, "the next version may ask 14 days after 'later'")
    return refusal


def survive_kill(stage, daemon, token, refusal):
    stage.headline("The daemon is killed with -9 and started again. It still knows.")
    stage.show("$", f"kill -9 {daemon.process.pid}")
    daemon.end(signal.SIGKILL)
    daemon.start()
    app = App(stage, daemon.socket)
    status = app.call("status", app=APP)
    expect((status["sessions"], status["events"]) == (2, 3), "the counters are as they were")
    expect((status["prompts_in_window"], status["outcome"]) == (1, "later"), "the grant is there")
    grants = app.call("history", app=APP)["grants"]
    expect([grant["token"] for grant in grants] == [token], "the ledger has this grant alone")
    again = app.call("request", app=APP, version="1.5")
    expect(again == refusal, "the answer is the same as before, to the millisecond")

    stage.headline("And asked to stop, it says good-bye.")
    stage.show("$", f"kill {daemon.process.pid}")
    daemon.process.terminate()
    expect(app.notification("bye")["reason"] == "shutting_down", "the last line is bye")
    expect(app.read() is None, "nothing comes after bye")
    expect(daemon.process.wait() == 0, "the daemon ended with 0")


def play(stage, daemon):
    daemon.start()
    app = App(stage, daemon.socket)
    reach_thresholds(stage, app)
    cancel_by_activity(stage, app)
    token = prompt_now(stage, app)
    refusal = refuse(stage, app)
    survive_kill(stage, daemon, token, refusal)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", default=os.path.join(TOP, ".build", "debug"), metavar="DIR")
    program = os.path.join(os.path.abspath(parser.parse_args().bin), "ratingd")
    if not os.access(program, os.X_OK):
        print(f"demo: there is no {program}; `make demo` builds it first", file=sys.stderr)
        return 1

    def too_slow(*_):
        raise Failed(f"all of it takes less than {SECONDS_MAX} s")

    signal.signal(signal.SIGALRM, too_slow)
    signal.alarm(SECONDS_MAX)
    folder = tempfile.mkdtemp(prefix="ratingd-demo.")
    os.mkdir(folder + "/conf")
    with open(folder + "/conf/ratingd.conf", "w", encoding="utf-8") as file:
        file.write(CONFIGURATION)
    stage = Stage()
    daemon = Daemon(stage, program, folder)
    try:
        play(stage, daemon)
    except (Failed, OSError, KeyError, TypeError, ValueError) as error:
        print(f"\ndemo: failed after {stage.seconds():.1f} s; not so: {error or repr(error)}")
        return 1
    finally:
        if daemon.process and daemon.process.poll() is None:
            daemon.end(signal.SIGKILL)
        shutil.rmtree(folder, ignore_errors=True)
    print(f"\ndemo: all of it happened, in {stage.seconds():.1f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
