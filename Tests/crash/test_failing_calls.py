"""The first, second, third … write, sync and open of the state fails, until a run passes untouched.

Nothing is acknowledged that is not stored, no prompt goes without its grant, nobody trusts what a
failed sync was to write, and it is well again within a second after the disk is.
"""

import concurrent.futures
import copy
import errno
import os
import time
import unittest

import counts
import oracle
from base import DaemonTest
from disk_interposer import FOR_EVER
from ratingd_client import RpcError
from ratingd_daemon import eventually
from recording import Judge, Recording
from told import NamingClient

RUNS_AT_ONCE = 4
RECOVERY = 1.0  # seconds
DISKS = 8  # as a power cut may leave them, of each run in which a sync failed
# (error, how many calls fail from the first on, SyncSec)
WAYS = ((errno.ENOSPC, 1, 0), (errno.EIO, 1, 0), (errno.EROFS, 1, 60), (errno.ENOSPC, 1, 60),
        (errno.EIO, FOR_EVER, 0), (errno.EROFS, FOR_EVER, 60))


class Script:
    """Some of everything that is stored, with the one or other refused."""

    def __init__(self, recording):
        self.recording = recording
        self.apps = recording.apps
        self.client = None
        self.refused = 0

    def ask(self, method, **params):
        """The result, or None if the state cannot be used."""
        try:
            return self.client.ask(method, **params)
        except RpcError as error:
            if error.reason != "storage_unavailable" or not error.error["data"]["detail"]:
                raise
            self.refused += 1
            return None

    def count(self, name, method, **params):
        app, key = self.apps[name], method + "s"
        setattr(app, "sent_" + key, getattr(app, "sent_" + key) + 1)
        result = self.ask(method, app=name, **params)
        if result:
            setattr(app, key, result[key])

    def prompt(self, name, version, outcome):
        result = self.ask("request", app=name, version=version)
        if not result or result["decision"] != "pending":
            return
        end = self.client.take(lambda m: m.get("method") in ("prompt", "cancelled"))
        if end["method"] == "cancelled":
            assert end["params"]["reason"] == "storage_unavailable", end
            self.refused += 1
            return
        self.apps[name].prompted(end["params"]["token"], version)
        if self.ask("outcome", token=end["params"]["token"], result=outcome):
            self.apps[name].finished(end["params"]["token"], outcome)

    def play(self):
        names = list(self.apps)[:4]
        self.client = NamingClient(self.recording.daemon.socket_path)
        for number, name in enumerate(names):
            self.count(name, "session", version="1")
            self.count(name, "event")
            self.prompt(name, "1", ("later", "rated", "never", "failed")[number])
            self.count(name, "event")
        if self.ask("opt_out", app=names[0]):
            self.apps[names[0]].is_opted_out = True

    def recover(self):
        """Heals the disk; how long it took until the state could be used."""
        self.recording.controls.heal()
        begin = time.monotonic()
        name = list(self.apps)[-1]
        eventually(lambda: self.ask("opt_out", app=name), "a disk that is well again")
        self.apps[name].is_opted_out = True
        return time.monotonic() - begin


class FailingCalls(DaemonTest):
    def setUp(self):
        self.draw = counts.seed()

    def one_run(self, name, number, error, length, sync_seconds):
        """Answers (whether a call failed, how long it took to recover, faults)."""
        recording = Recording(self, self.draw, sync_seconds)
        recording.controls.fail(name, error, number, min(number + length - 1, FOR_EVER))
        recording.daemon.start()
        script = Script(recording)
        script.play()
        has_failed = recording.controls.get("failed") > 0
        seconds = script.recover()
        sent = copy.deepcopy(recording.apps)
        for app in recording.apps.values():
            app.rest()
        found = oracle.faults(script.client, recording.apps)
        script.client.close()
        recording.daemon.kill()
        recording.daemon.start()
        client = recording.daemon.connect()
        found += oracle.faults(client, recording.apps)
        found += [f for f in os.listdir(recording.daemon.state_dir) if "corrupt" in f]
        client.close()
        recording.daemon.kill()
        if has_failed and name == "sync":
            recording.apps = sent
            judge = Judge(sync_seconds)
            self.addCleanup(judge.daemon.dispose)
            for label, image, apps in recording.images(DISKS):
                found += [f"{label}: {fault}" for fault in judge.faults(image, apps)]
        recording.daemon.dispose()
        return has_failed, seconds, found

    def sweep(self, name):
        """All ways for the first call, the second, …; the number of runs."""
        slowest, runs, number = 0, 0, 1
        is_touched = True
        with concurrent.futures.ThreadPoolExecutor(RUNS_AT_ONCE) as pool:
            while is_touched:
                waiting = {way: pool.submit(self.one_run, name, number, *way) for way in WAYS}
                is_touched = False
                for way, future in waiting.items():
                    has_failed, seconds, found = future.result()
                    self.assertFalse(found[:3], f"{name} {number} {way}")
                    is_touched = is_touched or has_failed
                    slowest = max(slowest, seconds)
                    runs += 1
                number += counts.count("CALLS")
        last = number - 2 * counts.count("CALLS")
        print(f"{name}: call 1 to {last} failed, {runs} runs, "
              f"well again after {slowest:.2f} s at most")
        self.assertGreater(runs, len(WAYS), "nothing was tried")
        self.assertLess(slowest, RECOVERY)

    def test_writes(self):
        self.sweep("write")

    def test_syncs(self):
        self.sweep("sync")

    def test_opens(self):
        self.sweep("open")


if __name__ == "__main__":
    unittest.main()
