"""ratingd-bench: what it measures, how it ends, what it leaves behind."""

import json
import os
import signal
import subprocess
import unittest

from base import DaemonTest
from ratingd_client import HANG
from ratingd_daemon import BIN_DIR, eventually, proc_status

BENCH = os.path.join(BIN_DIR, "ratingd-bench")
FREE = "[Daemon]\nRateLimitPerSec=0\n"


class BenchTest(DaemonTest):
    config = FREE

    def bench(self, *arguments, code=0, seconds="0.2", warm_up="0"):
        """Runs it against the daemon; the finished process."""
        done = subprocess.run(
            [BENCH, f"--socket={self.daemon.socket_path}", f"--seconds={seconds}",
             f"--warm-up={warm_up}", *arguments],
            capture_output=True, text=True, timeout=10 * HANG, check=False)
        self.assertEqual(done.returncode, code, (arguments, done.stdout, done.stderr))
        return done

    def measure(self, *arguments, **options):
        """What it says in JSON."""
        return json.loads(self.bench("--json", *arguments, **options).stdout)


class Measures(BenchTest):
    def test_every_event_is_answered_and_counted(self):
        found = self.measure("--connections=5", "--pipeline=7", warm_up="0.1")
        self.assertEqual((found["connections"], found["pipeline"], found["mix"]), (5, 7, "event"))
        self.assertGreater(found["answers"], 35)
        self.assertEqual(found["errors"], {})
        self.assertEqual(found["uncounted"], 0)
        self.assertRegex(found["server"], r"^ratingd/\d")
        times = found["latency_us"]
        self.assertLessEqual(times["median"], times["p99"])
        self.assertLessEqual(times["p99.9"], times["worst"])
        self.assertGreater(found["server_cpu_us_per_request"], 0)

    def test_notifications_are_counted_by_the_daemon_before_it_ends(self):
        found = self.measure("--mix=notify", "--connections=2")
        self.assertEqual(found["answers"], 0)
        self.assertGreater(found["notifications"], 1000)
        self.assertEqual(found["uncounted"], 0)
        self.assertEqual(found["latency_us"], {})

    def test_a_mix_is_sent_in_its_proportions(self):
        found = self.measure("--mix=event=3,notify=1,session,activity,status,ping", "--pipeline=8")
        self.assertEqual(found["errors"], {})
        self.assertEqual(found["uncounted"], 0)
        # Seven of eight are answered; the last round may be a part of one.
        self.assertLess(abs(found["answers"] - 7 * found["notifications"]), 20)

    def test_text_is_for_people(self):
        text = self.bench().stdout
        self.assertRegex(text, r"per second: [\d,]+\n")
        self.assertRegex(text, r"median: [\d.]+ µs\n")

    def test_nothing_is_left_behind(self):
        self.bench("--connections=3")
        self.assertEqual(self.connect("org.example.Notes").ask("apps")["apps"], [])

    def test_what_was_counted_before_is_no_loss(self):
        self.connect("org.ratingd.Bench.1").ask("event", count=100)
        self.assertEqual(self.measure()["uncounted"], 0)

    def test_ctrl_c_ends_it_early_with_its_figures(self):
        process = subprocess.Popen(
            [BENCH, "--json", f"--socket={self.daemon.socket_path}", "--seconds=3600"],
            stdout=subprocess.PIPE, text=True)
        self.addCleanup(process.stdout.close)
        client = self.connect()
        eventually(lambda: client.ask("stats")["connections"] > 1, "its connection")
        self.assertEqual(proc_status(process.pid, "Threads"), 1)
        # Once in the warm-up, once in what is measured.
        while process.poll() is None:
            process.send_signal(signal.SIGINT)
            try:
                process.wait(0.3)
            except subprocess.TimeoutExpired:
                continue
        self.assertEqual(process.returncode, 0)
        self.assertLess(json.loads(process.stdout.read())["seconds"], 3600)


class Limits(BenchTest):
    config = "[Daemon]\nRateLimitPerSec=100\nRateLimitBurst=50\n"

    def test_a_rate_limit_is_named_with_the_way_around_it(self):
        done = self.bench("--json", code=1)
        found = json.loads(done.stdout)
        self.assertEqual(list(found["errors"]), ["rate_limited"])
        self.assertRegex(done.stderr, "RateLimitPerSec=0")

    def test_notifications_that_were_refused_in_silence_are_no_success(self):
        done = self.bench("--json", "--mix=notify", code=1)
        self.assertGreater(json.loads(done.stdout)["uncounted"], 0)
        self.assertRegex(done.stderr, "not counted(.|\n)*RateLimitPerSec=0")


class Crowd(BenchTest):
    config = FREE + "ConnectionsMax=8\nConnectionsPerUidMax=8\n"

    def test_too_many_connections_are_told_with_what_to_raise(self):
        done = self.bench("--connections=20", code=75)
        self.assertEqual(done.stdout, "")
        self.assertRegex(done.stderr, "connections_per_uid(.|\n)*raise ConnectionsMax, ConnectionsPerUidMax")


class Ends(BenchTest):
    def test_no_daemon(self):
        self.daemon.stop()
        done = self.bench(code=69)
        self.assertRegex(done.stderr, r"^ratingd-bench: no daemon: .*\n.*ratingd --socket")
        self.daemon.start()

    def test_wrong_usage(self):
        self.assertRegex(self.bench("--mix=evnt", code=64).stderr, "did you mean 'event'")
        self.assertRegex(self.bench("--pipeline=0", code=64).stderr, "1 to 10000")

    def test_help_and_version(self):
        self.assertRegex(self.bench("--help").stdout, "Usage: ratingd-bench")
        self.assertRegex(self.bench("--version").stdout, r"^ratingd-bench \d+\.\d+\.\d+\n$")

    def test_a_daemon_that_stops_meanwhile(self):
        process = subprocess.Popen(
            [BENCH, f"--socket={self.daemon.socket_path}", "--seconds=3600"],
            stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.stderr.close)
        client = self.connect()
        eventually(lambda: client.ask("stats")["connections"] > 1, "its connection")
        self.daemon.stop()
        self.assertEqual(process.wait(HANG), 75)
        self.assertRegex(process.stderr.read(), "shutting_down")
        self.daemon.start()


if __name__ == "__main__":
    unittest.main()
