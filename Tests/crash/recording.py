"""A daemon whose disk is recorded, the disks that a power cut may leave, and who judges them."""

import collections
import os
import re
import time
import uuid

import disk_log
import old_schema
import oracle
from base import easy
from disk_interposer import DiskControls
from player import players
from ratingd_daemon import Daemon, eventually
from told import NamingClient, Told

CLIENTS = 6
APPS = 12
SLACK = 0.5  # seconds that a sync may take to be begun and done, on a busy machine


def configuration(sync_seconds):
    return easy(
        daemon={"RateLimitPerSec": 0, "SyncSec": sync_seconds}, SessionGapSec=0,
        OutcomeTimeoutSec=1, PromptsPerYear=oracle.CAP)


class Judge:
    """Starts the real daemon on a disk and compares."""

    def __init__(self, sync_seconds):
        self.daemon = Daemon(configuration(sync_seconds))

    def faults(self, image, apps):
        self.daemon.replace_state(image)
        self.daemon.spawn()
        eventually(self.daemon.answers, "the daemon's socket")
        client = self.daemon.connect()
        found = oracle.faults(client, apps)
        for name, app in apps.items():
            if len(app.prompts) + app.grants_before >= oracle.CAP and not found:
                result = client.ask("request", app=name, version="another")
                if result["decision"] != "refused" or not (
                        {"annual_cap", "opted_out"} & set(result["reasons"])):
                    found.append(f"{name} is at the cap, but {result}")
        if any("corrupt" in name for name in os.listdir(self.daemon.state_dir)):
            found = re.findall(r"is damaged \(.*", self.daemon.log())[-1:] or ["set aside"]
        client.close()
        self.daemon.clients.clear()
        self.daemon.kill()
        return found


class Recording:
    """A daemon with its disk recorded, and the clients it talks to."""

    def __init__(self, test, draw, sync_seconds, grants_before=None, slack=SLACK):
        self.draw, self.sync_seconds, self.slack = draw, sync_seconds, slack
        self.daemon = test.make_daemon(configuration(sync_seconds))
        self.log = self.daemon.path("disk.log")
        self.controls = DiskControls(
            self.daemon.path("disk.controls"), self.daemon.state_dir, self.log)
        self.daemon.env |= self.controls.environment
        # The power comes back with another boot than that of the recording.
        self.daemon.env["RATINGD_DISK_BOOT"] = self.daemon.path("boot")
        with open(self.daemon.path("boot"), "w", encoding="ascii") as file:
            file.write(f"{uuid.uuid4()}\n")
        self.apps = {f"org.player{number}": oracle.App() for number in range(APPS)}
        if grants_before is not None:
            old_schema.make(self.daemon.database, self.apps, grants_before)
            for app in self.apps.values():
                app.grants_before = grants_before
                app.events = app.sent_events = 5
                app.sessions = app.sent_sessions = 2
        self.files = {}
        for name in os.listdir(self.daemon.state_dir):
            path = os.path.join(self.daemon.state_dir, name)
            with open(path, "rb") as file:
                self.files[name] = os.stat(path).st_ino, file.read()
        self.before = Told(self.apps, 0).apps

    def play(self, seconds, patient=False):
        """A start, and some load."""
        self.daemon.start()
        crowd = players(self.daemon.socket_path, self.apps, self.draw, CLIENTS, patient=patient,
                        client=NamingClient)
        for player in crowd:
            player.start()
        time.sleep(seconds)
        for player in crowd:
            player.is_stopped = True
        for player in crowd:
            player.join()
            if player.trouble:
                raise player.trouble

    @staticmethod
    def places(records):
        """The records beside which most can go wrong: what was told, and what is rare."""
        telling = [number for number, record in enumerate(records) if record.kind == disk_log.SENT
                   and (b'"prompt"' in record.data or b'"outcome' in record.data)]
        rare = [number for number, record in enumerate(records) if record.kind in (
            disk_log.CUT, disk_log.RENAMED, disk_log.REMOVED, disk_log.SYNC_FAILED)]
        return [places for places in (telling, rare) if places]

    def moment(self, records, places):
        """The number of a record after which the power fails."""
        if not places or self.draw.random() < 0.4:
            return self.draw.randrange(len(records))
        place = self.draw.choice(self.draw.choice(places))
        near = place + self.draw.choice((0, self.draw.randint(-10, 40)))
        return min(max(near, 0), len(records) - 1)

    def images(self, count):
        """Disks of `count` moments: (how it was made, files, what must be known)."""
        records = disk_log.read(self.log)
        disk = disk_log.Disk(self.files)
        told = Told(self.before, self.sync_seconds + self.slack if self.sync_seconds else 0)
        places = self.places(records)
        moments = collections.Counter(self.moment(records, places) for _ in range(count))
        for number, record in enumerate(records):
            disk.take(record)
            told.take(record)
            for _ in range(moments[number]):
                way, files = disk.image(self.draw)
                yield (f"record {number} of {len(records)}, {way}", files,
                       told.at(record.nanoseconds, self.apps))
