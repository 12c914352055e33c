"""What suites of hostile peers share: how to see that the daemon leaks, spins and ends nowhere."""

import os
import time

from base import DaemonTest
from ratingd_client import Client
from ratingd_daemon import eventually

# Nothing stands in the way of many connections.
WIDE = {"ConnectionsMax": 100_000, "ConnectionsPerUidMax": 100_000, "RateLimitPerSec": 0}


class HostileTest(DaemonTest):
    def descriptors(self):
        return len(os.listdir(f"/proc/{self.daemon.pid}/fd"))

    def cpu(self):
        with open(f"/proc/{self.daemon.pid}/stat", encoding="ascii") as file:
            fields = file.read().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def assert_quiet(self, seconds=1.0, most=0.05):
        """The daemon uses less than this part of a CPU."""
        def measured():
            before = self.cpu()
            time.sleep(seconds)
            used = (self.cpu() - before) / seconds
            return used < most and [used]

        # What was sent before may still be carried out.
        return eventually(measured, "rest")[0]

    def assert_well(self, daemon=None):
        def works():
            try:
                client = Client((daemon or self.daemon).socket_path)
                pong = client.ask("ping")["pong"]
                client.close()
                return pong
            except (OSError, AssertionError):
                return False

        eventually(works, "an answer")

    def report(self, text):
        print("\n  " + text, flush=True)


__all__ = ["HostileTest", "WIDE"]
