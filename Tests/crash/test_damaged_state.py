"""Damaged state: cut short, bytes turned over, emptied, of another program, older, newer.

Never a crash, never defaults over data, never a grant while the ledger is not to be trusted; what
is damaged is kept aside, and the reason is in `status`, in `STATUS=` and in the log.
"""

import collections
import concurrent.futures
import copy
import os
import queue
import re
import socket
import sqlite3
import unittest

import counts
import old_schema
import oracle
from base import DaemonTest, easy
from player import Player
from ratingd_client import HANG
from ratingd_daemon import CRASH, Daemon, eventually

APPS = 12
JUDGES = 2
CONFIG = easy(
    daemon={"RateLimitPerSec": 0}, SessionGapSec=0, OutcomeTimeoutSec=1, PromptsPerYear=oracle.CAP)


def ledger(client, apps):
    """Every grant as the daemon tells it, of all apps."""
    answers = oracle.ask_about(client, apps)
    return {name: [grant | {"outcome": grant["outcome"] or "unknown"}
                   for grant in history["result"]["grants"]]
            for name, (_, history) in answers.items()}


def tally(daemon, apps):
    """Further events of each app, all in one commit, so that they do not stand in their rows."""
    client = daemon.connect()
    # What waits for the funnel goes along with the first commit, which then is not tallied.
    for _ in range(2):
        client.send_line([client.message("event", app=name) for name in apps])
        answers = client.take(lambda message: isinstance(message, list))
    for app, answer in zip(apps.values(), answers):
        app.events = app.sent_events = answer["result"]["events"]
    client.close()
    daemon.clients.clear()
    with sqlite3.connect(daemon.database) as connection:
        assert connection.execute("SELECT count(*) FROM tally").fetchone() == (1,)
    connection.close()


class State:
    """The files of a state directory, and what is in them."""

    def __init__(self, folder, apps, grants):
        self.apps, self.grants = apps, grants
        self.files = {}
        for name in os.listdir(folder):
            if not name.endswith("-shm"):
                with open(os.path.join(folder, name), "rb") as file:
                    self.files[name] = file.read()

    def with_(self, name, content):
        """A copy of the files in which one is another."""
        return self.files | {name: content}


class Examiner:
    """Starts the daemon on files that may be damaged, and says what it makes of them."""

    def __init__(self):
        self.daemon = Daemon(CONFIG)
        self.notices = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.notices.settimeout(HANG)
        self.notices.bind(self.daemon.path("notify"))
        self.daemon.env["NOTIFY_SOCKET"] = self.daemon.path("notify")

    def close(self):
        self.notices.close()
        self.daemon.dispose()

    def aside(self):
        return sorted(n for n in os.listdir(self.daemon.state_dir) if ".corrupt-" in n)

    def content(self, name):
        with open(os.path.join(self.daemon.state_dir, name), "rb") as file:
            return file.read()

    def examine(self, files, state):
        """One word for what became of it; AssertionError if it must not be."""
        folder = self.daemon.state_dir
        self.daemon.replace_state(files)
        if os.path.exists(self.daemon.log_path):
            os.truncate(self.daemon.log_path, 0)
        self.daemon.spawn()
        eventually(self.daemon.answers, "the daemon's socket")
        client = self.daemon.connect()
        try:
            if self.aside():
                return self.set_aside(client, files)
            return self.whole(client, files, state)
        finally:
            client.close()
            self.daemon.clients.clear()
            assert self.daemon.process.poll() is None, "the daemon is gone"
            self.daemon.kill()
            assert not CRASH.search(self.daemon.log()), self.daemon.log()
            self.notices.setblocking(False)
            try:
                while self.notices.recv(8192):
                    pass
            except BlockingIOError:
                self.notices.settimeout(HANG)

    def set_aside(self, client, files):
        """It says so everywhere, grants nothing, and has kept every byte."""
        names = self.aside()
        kept = [self.content(name) for name in names]
        for name in ("ratingd.db", "ratingd.db-wal"):
            content = files.get(name)
            assert not content or content in kept, f"{name} is not kept in {names}"
        error = client.error("request", app="org.player0", version="another")
        assert error["data"]["reason"] == "storage_unavailable" and error["data"]["detail"], error
        assert client.ask("status", app="org.player0")["unavailable"]
        assert client.ask("event", app="org.player0")["events"] == 1
        self.await_status()
        log = self.daemon.log()
        assert "is damaged (" in log and "was set aside as" in log, log
        return "set aside"

    def await_status(self):
        """The service manager is told that something is wrong."""
        lines = []
        while not any(line.startswith("STATUS=Degraded: ") for line in lines):
            lines += self.notices.recv(8192).decode().splitlines()

    def whole(self, client, files, state):
        """What a cap or an opt-out rests on is all there, or nobody is asked."""
        counters = True
        for name, (status, history) in oracle.ask_about(client, state.apps).items():
            if "error" in status or "error" in history or "unavailable" in status["result"]:
                return self.unavailable(client, name, files)
            status, app = status["result"], state.apps[name]
            assert status["opted_out"] == app.is_opted_out, status
            assert status["prompts_in_window"] == len(state.grants[name]), status
            if len(state.grants[name]) >= oracle.CAP:
                result = client.ask("request", app=name, version="another")
                assert "annual_cap" in result["reasons"], result
            counters = counters and (app.events, app.sessions) == (
                status["events"], status["sessions"])
        found = ledger(client, state.apps)
        assert found == state.grants, [
            (row, known) for name, rows in found.items()
            for row, known in zip(rows, state.grants[name]) if row != known]
        return "nothing lost" if counters else "counters only"

    def unavailable(self, client, name, files):
        """Damage that is met late, or a newer database: refused, and no file is touched."""
        error = client.error("request", app=name, version="another")
        assert error["data"]["reason"] == "storage_unavailable" and error["data"]["detail"], error
        self.await_status()
        assert error["data"]["detail"] in self.daemon.log(), self.daemon.log()
        if "newer" in error["data"]["detail"]:
            for file, content in files.items():
                assert self.content(file) == content, f"{file} is not as it was"
            return "newer"
        assert "damaged" in error["data"]["detail"], error
        client.close()
        self.daemon.kill()
        self.daemon.start()
        assert self.aside(), "what was met while running is set aside at the next start"
        return "noticed when read"


class DamagedState(DaemonTest):
    @classmethod
    def setUpClass(cls):
        """Two states with prompts in them: one ended well, one was killed with a full log."""
        daemon = Daemon(CONFIG)
        cls.addClassCleanup(daemon.dispose)
        draw = counts.seed()
        apps = {f"org.player{number}": oracle.App() for number in range(APPS)}
        for rounds in (60, 12):
            daemon.start()
            player = Player(daemon.socket_path, apps, draw, rounds=rounds)
            player.run()
            if player.trouble:
                raise player.trouble
            client = daemon.connect()
            client.ask("opt_out", app="org.player1")
            client.ask("opt_out", app="org.player2")
            apps["org.player1"].is_opted_out = apps["org.player2"].is_opted_out = True
            grants = ledger(client, apps)
            client.close()
            daemon.clients.clear()
            if not hasattr(cls, "ended"):
                daemon.stop()
                cls.ended = State(daemon.state_dir, apps, grants)
                apps = copy.deepcopy(apps)
        tally(daemon, apps)
        daemon.kill()
        cls.killed = State(daemon.state_dir, apps, grants)
        cls.draw = draw

    def setUp(self):
        pass

    def examine_all(self, what, state, variants):
        """Examines (label, files) of all variants; prints how often each thing became of it."""
        examiners = queue.SimpleQueue()
        for _ in range(JUDGES):
            examiner = Examiner()
            self.addCleanup(examiner.close)
            examiners.put(examiner)
        became, bad = collections.Counter(), []

        def decide(label, files):
            examiner = examiners.get()
            try:
                became[examiner.examine(files, state)] += 1
            except AssertionError as fault:
                bad.append(f"{label}: {fault}")
            finally:
                examiners.put(examiner)

        with concurrent.futures.ThreadPoolExecutor(JUDGES) as pool:
            for future in [pool.submit(decide, *variant) for variant in variants]:
                future.result()
        figures = ", ".join(f"{number} {word}" for word, number in sorted(became.items()))
        print(f"{what}: {sum(became.values())} states ({figures}), {len(bad)} bad")
        self.assertFalse(bad[:5])
        return became

    def cuts(self, state, name):
        content = state.files[name]
        return [(f"{name} cut at {size}", state.with_(name, content[:size]))
                for size in range(0, len(content), counts.count("STEP"))]

    def flips(self, state, name, count):
        names = [b"org.player", *(grant["token"].encode() for rows in state.grants.values()
                                  for grant in rows)]
        rows = [match.start() for word in names
                for match in re.finditer(re.escape(word), state.files[name])]
        for _ in range(count):
            content = bytearray(state.files[name])
            places = [self.draw.randrange(len(content))
                      for _ in range(self.draw.choice((1, 1, 1, 4)))]
            if self.draw.random() < 0.5:  # in what is written in a row
                places = [min(self.draw.choice(rows) + self.draw.randint(-40, 80),
                              len(content) - 1)]
            for place in places:
                content[place] ^= self.draw.choice((1 << self.draw.randrange(8), 0xFF))
            yield f"{name} turned over at {places}", state.with_(name, bytes(content))

    def test_as_they_are(self):
        for state in (self.ended, self.killed):
            self.assertGreater(sum(len(app.prompts) for app in state.apps.values()), 10)
            became = self.examine_all("as they are", state, [("undamaged", state.files)])
            self.assertEqual(became, {"nothing lost": 1})

    def test_database_cut_short(self):
        became = self.examine_all(
            "database cut short", self.ended, self.cuts(self.ended, "ratingd.db"))
        self.assertEqual(set(became), {"set aside"})

    def test_log_cut_short(self):
        self.assertGreater(len(self.killed.files["ratingd.db-wal"]), 10_000)
        self.examine_all("log cut short", self.killed, self.cuts(self.killed, "ratingd.db-wal"))

    def test_bytes_turned_over(self):
        flips = counts.count("FLIPS")
        for state, name in ((self.ended, "ratingd.db"), (self.killed, "ratingd.db"),
                            (self.killed, "ratingd.db-wal")):
            became = self.examine_all(
                f"{name} turned over", state, self.flips(state, name, flips // 3 + 1))
            self.assertGreater(became["set aside"], flips // 30)

    def test_whole_files(self):
        other = self.ended.files["ratingd.db"][:68] + b"\0\0\x12\x34" + (
            self.ended.files["ratingd.db"][72:])
        size = len(self.ended.files["ratingd.db"])
        contents = {"no bytes": b"", "one byte": b"x", "only NUL": bytes(size),
                    "a text": b"[ratings]\n" * 500, "another program's database": other}
        became = self.examine_all("whole files", self.ended, [
            (label, self.ended.with_("ratingd.db", content))
            for label, content in contents.items()])
        self.assertEqual(became, {"set aside": len(contents)})

    def test_newer_and_older(self):
        daemon = self.make_daemon(CONFIG)
        for name, content in self.ended.files.items():
            with open(os.path.join(daemon.state_dir, name), "wb") as file:
                file.write(content)
        connection = sqlite3.connect(daemon.database)
        connection.execute("PRAGMA user_version = 9999")
        connection.close()
        newer = State(daemon.state_dir, self.ended.apps, self.ended.grants)
        self.assertEqual(
            self.examine_all("newer", newer, [("newer", newer.files)]), {"newer": 1})
        os.unlink(daemon.database)
        apps = {f"org.player{number}": oracle.App(events=5, sessions=2) for number in range(APPS)}
        old_schema.make(daemon.database, apps, granted=oracle.CAP)
        older = State(daemon.state_dir, apps, old_schema.ledger(daemon.database, apps))
        self.assertEqual(
            self.examine_all("older", older, [("older", older.files)]), {"nothing lost": 1})

    def test_control_what_is_missing_is_found(self):
        """A ledger that lacks a grant, or has another time in it, is not taken for whole."""
        for sql in ("DELETE FROM ledger WHERE id = (SELECT max(id) FROM ledger)",
                    "UPDATE ledger SET granted_at = 0",
                    "UPDATE app SET opted_out = 0"):
            daemon = self.make_daemon(CONFIG)
            for name, content in self.ended.files.items():
                with open(os.path.join(daemon.state_dir, name), "wb") as file:
                    file.write(content)
            connection = sqlite3.connect(daemon.database)
            connection.execute(sql)
            connection.commit()
            connection.close()
            changed = State(daemon.state_dir, self.ended.apps, self.ended.grants)
            with self.assertRaises(AssertionError):
                self.examine_all("control", changed, [(sql, changed.files)])


if __name__ == "__main__":
    unittest.main()
