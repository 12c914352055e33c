"""Rows about memory, wake-ups and the disk."""

import contextlib
import os
import socket
import sqlite3
import sys
import time

import stored
from client import Client
from servers import ROOT, Ratingd
from table import Goal

sys.path.insert(0, os.path.join(ROOT, "Tests", "daemon"))
from controls import Controls  # noqa: E402

MIB = 1 << 20
WATCHDOG_SECONDS = 20
EVENTS = 1000


def memory_of(pid):
    """Resident bytes of a process, those of them that no other process shares, and those that no
    file gives back."""
    found = {}
    with open(f"/proc/{pid}/smaps_rollup", encoding="ascii") as file:
        for line in file:
            fields = line.split()
            if fields[-1] == "kB":
                found[fields[0].rstrip(":")] = int(fields[1]) * 1024
    return {"resident": found["Rss"], "anonymous": found["Anonymous"],
            "private": found["Private_Clean"] + found["Private_Dirty"]}


def megabytes(count):
    return f"{count / MIB:.2f} MB"


def used_by(server):
    """After an app has said hello and reported an event."""
    with Client(server.connect()) as client:
        client.ask("hello", app=stored.name(0), version="1")
        client.ask("event")
        return memory_of(server.process.pid)


def crowded(server, count):
    """With so many clients that have said hello and are silent."""
    before = memory_of(server.process.pid)
    with contextlib.ExitStack() as stack:
        for number in range(count):
            client = stack.enter_context(Client(server.connect()))
            client.ask("hello", app=f"org.example.App{number}", version="1")
        return before, memory_of(server.process.pid)


def memory(settings):
    """memory at start, with very many apps stored, with very many idle clients"""
    # As on a machine with two users: what both map of the program's file is no private memory.
    with Ratingd(), Ratingd() as server:
        fresh = memory_of(server.process.pid)
        plain = used_by(server)
        before, after = crowded(server, settings.clients)
    with Ratingd(stored.folder(settings.apps)) as server:
        many = used_by(server)
    rise = many["resident"] - plain["resident"]
    crowd = after["resident"] - before["resident"]

    def goal(text, found, most):
        return Goal(text, megabytes(found), beside=f"{most:g} MB", ratio=found / MIB / most,
                    wanted=1)

    return {"fresh": fresh, "plain": plain, "many": many, "before": before, "crowded": after}, [
        goal("resident after start", fresh["resident"], 8),
        goal("private after start, beside a second daemon", fresh["private"], 2.5),
        Goal("resident after the first event", megabytes(plain["resident"])),
        Goal("private after the first event", megabytes(plain["private"])),
        goal(f"resident, more with {settings.apps:,} apps", rise, 1),
        goal(f"resident, more with {settings.clients:,} idle clients", crowd, 40)]


def wake_ups(pid):
    """How often any thread of a process has begun to wait or was made to."""
    total = 0
    for thread in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{thread}/status", encoding="ascii", errors="replace") as file:
            total += sum(int(line.split()[1]) for line in file if "ctxt_switches" in line)
    return total


def idle(settings):
    """wake-ups of a daemon that has nothing to do"""
    with contextlib.ExitStack() as stack:
        notices = stack.enter_context(socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM))
        notices.bind(f"\0ratingd-bench-{os.getpid()}")
        notices.setblocking(False)
        watched = dict(os.environ, NOTIFY_SOCKET=f"@ratingd-bench-{os.getpid()}",
                       WATCHDOG_USEC=str(WATCHDOG_SECONDS * 1_000_000))
        servers = {"alone": Ratingd(), "clients": Ratingd(), "watchdog": Ratingd(
            environment=watched)}
        for server in servers.values():
            stack.enter_context(server)
        for number in range(10):
            client = stack.enter_context(Client(servers["clients"].connect()))
            client.ask("hello", app=f"org.example.App{number}", version="1")
            client.ask("event")
        # Until the last event is synced.
        time.sleep(3)
        pings(notices)
        before = {name: wake_ups(server.process.pid) for name, server in servers.items()}
        time.sleep(settings.long)
        samples = {name: wake_ups(server.process.pid) - before[name]
                   for name, server in servers.items()}
        samples["pings"] = pings(notices)
    span = f"in {settings.long:g} s"
    # A wake-up more may fall into one second or the next.
    most = int(settings.long / (WATCHDOG_SECONDS / 2)) + 1
    return samples, [
        Goal(f"wake-ups {span}, no clients", str(samples["alone"]), beside="0",
             ratio=samples["alone"], wanted=0),
        Goal(f"wake-ups {span}, 10 silent clients", str(samples["clients"]), beside="0",
             ratio=samples["clients"], wanted=0),
        Goal(f"wake-ups {span}, watchdog of {WATCHDOG_SECONDS} s", str(samples["watchdog"]),
             beside=f"{samples['pings']} pings, {most} may be",
             ratio=samples["watchdog"] / max(1, samples["pings"]), wanted=1)]


def pings(notices):
    """How many signs of life have come since the last call."""
    count = 0
    with contextlib.suppress(BlockingIOError):
        while True:
            count += b"WATCHDOG=1" in notices.recv(8192)
    return count


def written(pid):
    """Bytes that a process has had written to disk."""
    with open(f"/proc/{pid}/io", encoding="ascii") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("write_bytes"))


class Synced(Ratingd):
    """Syncs each event by itself, as it happens when minutes lie between them."""

    def prepare(self):
        super().prepare()
        self.controls = Controls(self.path("controls"))
        self.environment = dict(os.environ, **self.controls.environment)
        with open(self.path("config/ratingd.conf"), "a", encoding="utf-8") as file:
            file.write("SyncSec=0\n")


def spread_over_a_day():
    """Bytes that the daemon writes for the events of an app over a day."""
    with Synced() as server, Client(server.connect()) as client:
        server.controls.freeze()
        client.ask("hello", app="org.example.Notes", version="1")
        client.ask("event", name="note-saved")
        before = written(server.process.pid)
        for _ in range(EVENTS):
            server.controls.advance(86_400_000 // EVENTS)
            client.ask("event", name="note-saved")
        return written(server.process.pid) - before


def plain_sqlite(directory, page_bytes):
    """The same with SQLite alone: one row, changed and synced as often."""
    path = os.path.join(directory, f"plain-{page_bytes}.db")
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute(f"PRAGMA page_size = {page_bytes}")
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("CREATE TABLE app (id INTEGER PRIMARY KEY, uid, name, events, last_seen,"
                       " UNIQUE (uid, name))")
    connection.execute("INSERT INTO app VALUES (1, 0, 'org.example.Notes', 0, 0)")
    before = written("self")
    for number in range(EVENTS):
        connection.execute("UPDATE app SET events = events + 1, last_seen = ?", [number])
    after = written("self")
    connection.close()
    return after - before


def disk(settings):
    """bytes on disk: written for the events of a day, and kept for each app"""
    ours = spread_over_a_day()
    with Ratingd() as server:
        plain = {size: plain_sqlite(server.state, size) for size in (4096, 1024)}
    path = os.path.join(stored.folder(settings.apps), "ratingd.db")
    size = os.path.getsize(path) / settings.apps
    samples = {"written": ours, "plain": plain, "bytes_an_app": size}
    return samples, [
        Goal(f"written for {EVENTS:,} events over a day", megabytes(ours),
             beside=f"sqlite3 {megabytes(plain[4096])}", ratio=ours / plain[4096], wanted=1),
        Goal(f"written for {EVENTS:,} events over a day", megabytes(ours),
             beside=f"sqlite3, pages of 1024: {megabytes(plain[1024])}",
             ratio=ours / plain[1024]),
        Goal("database, bytes an app", f"{size:.0f}")]


ROWS = {"memory": memory, "idle": idle, "disk": disk}
