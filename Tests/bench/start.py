"""Rows about starting, and about state that has grown large."""

import contextlib
import fcntl
import os
import shutil
import signal
import socket
import tempfile
import time

import stored
from client import Client
from servers import LOAD_CORE, PATIENCE, RELEASE, SERVER_CORE, Ratingd, processor_seconds, state_folder
from table import Goal, median, microseconds

HELLO = b'{"id":1,"method":"hello","params":{"app":"%s","version":"1"}}\n' % (
    stored.name(5).encode())
STARTS_A_ROUND = 4
# Of these apps ten are hot; the others are touched once each.
EVENTS_A_ROUND = stored.APPS_A_USER - 10


def first_answer(state):
    """Seconds from exec to the first answer, with a socket that was made before."""
    with contextlib.ExitStack() as stack:
        directory = tempfile.mkdtemp(prefix="ratingd-bench.")
        stack.callback(shutil.rmtree, directory)
        listener = stack.enter_context(socket.socket(socket.AF_UNIX))
        listener.bind(os.path.join(directory, "socket"))
        listener.listen()
        client = stack.enter_context(socket.socket(socket.AF_UNIX))
        client.connect(os.path.join(directory, "socket"))
        client.sendall(HELLO)
        os.mkdir(os.path.join(directory, "config"))
        if not state:
            state = state_folder()
            stack.callback(shutil.rmtree, state)
        command = [os.path.join(RELEASE, "ratingd"), "--state", state,
                   "--config", os.path.join(directory, "config")]
        clock, clock_end = os.pipe()
        child = os.fork()
        if child == 0:
            become(command, listener.fileno(), clock_end)
        stack.callback(end_child, child)
        os.close(clock_end)
        client.settimeout(PATIENCE)
        answer = client.recv(65536)
        end = time.monotonic_ns()
        with os.fdopen(clock, "rb") as pipe:
            start = int(pipe.read())
        if b'"result"' not in answer:
            raise SystemExit(f"the daemon refused to greet: {answer!r}")
        return (end - start) / 1e9


def end_child(child):
    os.kill(child, signal.SIGTERM)
    os.waitpid(child, 0)


def become(command, listener, clock):
    """The child's way into the daemon; says on the pipe when it left."""
    try:
        os.sched_setaffinity(0, {SERVER_CORE})
        # Away from 3, which may be one of them.
        clock = fcntl.fcntl(clock, fcntl.F_DUPFD_CLOEXEC, 10)
        listener = fcntl.fcntl(listener, fcntl.F_DUPFD_CLOEXEC, 10)
        os.dup2(listener, 3, inheritable=True)
        quiet = os.open("/dev/null", os.O_RDWR)
        for descriptor in (0, 1, 2):
            os.dup2(quiet, descriptor)
        environment = {"PATH": os.environ["PATH"], "LISTEN_FDS": "1",
                       "LISTEN_PID": str(os.getpid())}
        os.write(clock, str(time.monotonic_ns()).encode())
        os.execve(command[0], command, environment)
    finally:
        os._exit(127)


def start(settings):
    """the first answer after exec, with a socket that is there already"""
    many = stored.folder(settings.apps)
    samples = {"empty": [], "many": []}
    for _ in range(settings.rounds * STARTS_A_ROUND):
        samples["empty"].append(first_answer(None) * 1e6)
        samples["many"].append(first_answer(many) * 1e6)
    empty, full = median(samples["empty"]), median(samples["many"])
    return samples, [
        Goal("first answer after exec, no state yet", microseconds(empty), beside="10 ms",
             ratio=empty / 10_000, wanted=1),
        Goal(f"the same, {settings.apps:,} apps", microseconds(full),
             beside=f"no state {microseconds(empty)}", ratio=full / empty, wanted=1.2)]


def events(server, client, numbers):
    """Median time (µs) of events for these apps, and processor time (µs) of the daemon each."""
    times = []
    used = processor_seconds(server.process.pid)
    for number in numbers:
        before = time.perf_counter_ns()
        client.ask("event", app=stored.name(number), name="note-saved")
        times.append((time.perf_counter_ns() - before) / 1e3)
    used = processor_seconds(server.process.pid) - used
    return {"median": median(times), "cpu": used * 1e6 / len(times)}


def hot_and_cold(state, apps):
    """Events for ten apps again and again, and for apps that were never seen before."""
    hot = [number % 10 for number in range(EVENTS_A_ROUND)]
    with Ratingd(state) as server, Client(server.connect()) as client:
        client.ask("hello", app=stored.name(0), version="1")
        events(server, client, hot)
        found = {"hot": events(server, client, hot)}
        if apps > 10:
            found["cold"] = events(server, client, range(10, stored.APPS_A_USER))
        return found


def large(settings):
    """an event with very many apps stored, hot and cold"""
    few, many = stored.folder(10), stored.folder(settings.apps)
    os.sched_setaffinity(0, {LOAD_CORE})
    samples = {"few": [], "hot": [], "cold": []}
    for _ in range(settings.rounds):
        samples["few"].append(hot_and_cold(few, 10)["hot"])
        found = hot_and_cold(many, settings.apps)
        samples["hot"].append(found["hot"])
        samples["cold"].append(found["cold"])
    goals = []
    for kind, wanted in (("hot", 1.2), ("cold", 3)):
        for figure, text in (("median", "median answer"), ("cpu", "CPU time")):
            with_many = median([sample[figure] for sample in samples[kind]])
            with_few = median([sample[figure] for sample in samples["few"]])
            goals.append(Goal(
                f"event with {settings.apps:,} apps, {kind}: {text}", microseconds(with_many),
                beside=f"10 apps {microseconds(with_few)}", ratio=with_many / with_few,
                wanted=wanted))
    return samples, goals


ROWS = {"start": start, "large": large}
