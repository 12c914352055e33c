"""kill -9 at random moments: under load, in the first start, while an old database is brought up
to date. What was answered is there, what was prompted is in the ledger and comes no second time,
and the cap holds."""

import collections
import os
import random
import shutil
import sqlite3
import time
import unittest

import counts
import old_schema
import oracle
from base import DaemonTest, easy
from player import players
from ratingd_daemon import eventually

CLIENTS = 8
APPS = 16
KILLS_A_LIFE = 20
SYNC_SLEEP = 10  # milliseconds that a sync takes in a start that is to be killed


class Life:
    """One state directory and what clients know of it."""

    def __init__(self, test, draw, is_old):
        self.test, self.draw = test, draw
        self.daemon = test.make_daemon(easy(
            daemon={"RateLimitPerSec": 0}, SessionGapSec=0, OutcomeTimeoutSec=1,
            PromptsPerYear=oracle.CAP), controls=True)
        self.apps = {f"org.player{number}": oracle.App() for number in range(APPS)}
        if is_old:
            old_schema.make(self.daemon.database, self.apps, granted=1)
            for app in self.apps.values():
                app.grants_before = 1
                app.events = app.sent_events = 5
                app.sessions = app.sent_sessions = 2

    def seconds_of_start(self):
        """How long a start takes, here and now, on a disk that takes its time over each sync."""
        self.daemon.controls.set("sync_sleep_ms", SYNC_SLEEP)
        begin = time.monotonic()
        self.daemon.start()
        seconds = time.monotonic() - begin
        self.daemon.stop()
        return seconds

    def kill_while_starting(self, tally, seconds):
        """A start that does not come far, on such a disk."""
        self.daemon.controls.set("sync_sleep_ms", SYNC_SLEEP)
        self.daemon.spawn()
        if self.draw.random() < 0.3:
            # Only for a short time there is a database without its name.
            eventually(lambda: self.is_half_made() or self.daemon.answers(), "a start")
        else:
            time.sleep(self.draw.uniform(0, seconds))
        self.daemon.kill()
        self.daemon.controls.set("sync_sleep_ms", 0)
        names = os.listdir(self.daemon.state_dir)
        tally["starts"] += 1
        tally["first starts half done"] += self.is_half_made()
        tally["migrations half done"] += (
            old_schema.version(self.daemon.database) == 1 and "ratingd.db-wal" in names)

    def is_half_made(self):
        return "ratingd.db.new" in os.listdir(self.daemon.state_dir)

    def start(self):
        self.daemon.spawn()
        eventually(self.daemon.answers, "the daemon's socket")
        self.check()

    def check(self):
        client = self.daemon.connect()
        found = oracle.faults(client, self.apps)
        self.test.assertEqual(client.notifications(), [], "nobody asked for a prompt")
        client.close()
        self.daemon.clients.clear()
        self.test.assertFalse(found[:5])
        names = os.listdir(self.daemon.state_dir)
        self.test.assertEqual([name for name in names if "corrupt" in name], [])

    def has_tally(self):
        """Whether the state that was killed has counts that do not stand in their rows yet."""
        copy = self.daemon.path("copy")
        shutil.copytree(self.daemon.state_dir, copy)
        connection = sqlite3.connect(os.path.join(copy, "ratingd.db"))
        sheets, = connection.execute("SELECT count(*) FROM tally").fetchone()
        connection.close()
        shutil.rmtree(copy)
        return sheets > 0

    def load_and_kill(self):
        crowd = players(self.daemon.socket_path, self.apps, self.draw, CLIENTS)
        for player in crowd:
            player.start()
        time.sleep(self.draw.choice((0.01, 0.04, 0.08)) * self.draw.random())
        self.daemon.kill()
        for player in crowd:
            player.join()
            if player.trouble:
                raise player.trouble


class Kills(DaemonTest):
    def setUp(self):
        self.draw = counts.seed()
        self.tally = collections.Counter()
        measured = Life(self, self.draw, is_old=False)
        self.start_seconds = measured.seconds_of_start()
        measured.daemon.dispose()

    def life(self, number, kills):
        """Some kills on one state; the daemon ends well after them."""
        life = Life(self, random.Random(self.draw.random()), is_old=number % 2 == 1)
        while self.tally["starts"] < kills and self.draw.random() < 0.75:
            life.kill_while_starting(self.tally, self.start_seconds)
        life.start()
        for _ in range(KILLS_A_LIFE):
            if self.tally["starts"] + self.tally["under load"] >= kills:
                break
            life.load_and_kill()
            self.tally["under load"] += 1
            self.tally["with counts in the daemon's tally"] += life.has_tally()
            life.start()
        self.assertEqual(life.daemon.stop(), 0)
        life.start()
        self.count(life)
        life.daemon.dispose()

    def count(self, life):
        for app in life.apps.values():
            self.tally["events"] += app.events
            self.tally["sessions"] += app.sessions
            self.tally["prompts"] += len(app.prompts)
            self.tally["outcomes"] += len(app.outcomes)
            self.tally["apps at the cap"] += (
                len(app.prompts) + app.grants_before >= oracle.CAP)

    def test_nothing_acknowledged_is_lost(self):
        kills = counts.count("KILLS")
        number = 0
        while self.tally["starts"] + self.tally["under load"] < kills:
            self.life(number, kills)
            number += 1
        for name, figure in sorted(self.tally.items()):
            print(f"kills: {figure} {name}")
        print(f"kills: {self.tally['starts'] + self.tally['under load']} kills, 0 lost")
        tried = ["prompts", "outcomes", "events", "sessions", "apps at the cap"]
        if kills >= counts.CI["KILLS"]:
            tried += ["first starts half done", "migrations half done",
                      "with counts in the daemon's tally"]
        for name in tried:
            self.assertGreater(self.tally[name], 0, f"no {name}: nothing was tried")


class Control(DaemonTest):
    """The same eyes see what is lost."""

    def setUp(self):
        self.draw = counts.seed()

    def test_a_state_that_forgot_the_last_moments_is_found(self):
        life = Life(self, self.draw, is_old=False)
        life.start()
        life.load_and_kill()
        life.start()
        life.daemon.kill()
        earlier = life.daemon.path("earlier")
        shutil.copytree(life.daemon.state_dir, earlier)
        life.daemon.start()
        crowd = players(life.daemon.socket_path, life.apps, self.draw, CLIENTS, rounds=5)
        for player in crowd:
            player.start()
        for player in crowd:
            player.join()
        life.daemon.kill()
        shutil.rmtree(life.daemon.state_dir)
        shutil.move(earlier, life.daemon.state_dir)
        with self.assertRaisesRegex(AssertionError, "acknowledged|outcome|ledger|opt-out"):
            life.start()


if __name__ == "__main__":
    unittest.main()
