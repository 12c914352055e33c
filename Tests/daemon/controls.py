"""The daemon's wall clock, suspends and disk, as a test moves them (see interposer/)."""

import atexit
import functools
import mmap
import os
import shutil
import struct
import subprocess
import tempfile
import time

DAY = 86_400_000
FIELDS = (
    "realtime_offset_ms", "realtime_frozen_ms", "boottime_offset_ms",
    "sync_sleep_ms", "sync_errno", "sync_calls",
)


@functools.cache
def compiled(source):
    """The path of an interposer, compiled once a process."""
    folder = tempfile.mkdtemp(prefix="ratingd-interposer.")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    os.chmod(folder, 0o755)
    library = os.path.join(folder, "interposer.so")
    command = ["cc", "-shared", "-fPIC", "-O2", "-Wall", "-Wextra", "-Werror"]
    subprocess.run(command + ["-o", library, source, "-ldl"], check=True)
    return library


def interposer():
    return compiled(os.path.join(os.path.dirname(__file__), "interposer", "interposer.c"))


class Controls:
    """The mapped file; survives the daemon's restarts, so the clock goes on where it was."""

    def __init__(self, path):
        with open(path, "wb") as file:
            file.write(bytes(8 * len(FIELDS)))
        os.chmod(path, 0o666)
        with open(path, "r+b") as file:
            self._map = mmap.mmap(file.fileno(), 8 * len(FIELDS))
        self.environment = {"LD_PRELOAD": interposer(), "RATINGD_TEST_CONTROLS": path}

    def get(self, field):
        return struct.unpack_from("=q", self._map, 8 * FIELDS.index(field))[0]

    def set(self, field, value):
        struct.pack_into("=q", self._map, 8 * FIELDS.index(field), value)

    def now(self):
        """The daemon's wall clock in milliseconds."""
        frozen = self.get("realtime_frozen_ms")
        return frozen or time.time_ns() // 1_000_000 + self.get("realtime_offset_ms")

    def freeze(self, at=None):
        """The wall clock stands still, now or at `at`, and moves by `advance` only."""
        self.set("realtime_frozen_ms", self.now() if at is None else at)

    def advance(self, ms=0, *, seconds=0, days=0):
        """Moves the wall clock, also backwards; exact while it is frozen."""
        step = ms + seconds * 1000 + days * DAY
        frozen = self.get("realtime_frozen_ms")
        if frozen:
            self.set("realtime_frozen_ms", frozen + step)
        else:
            self.set("realtime_offset_ms", self.get("realtime_offset_ms") + step)

    def suspend(self, seconds):
        """As if the machine had slept: CLOCK_BOOTTIME jumps, CLOCK_MONOTONIC does not."""
        self.set("boottime_offset_ms", self.get("boottime_offset_ms") + seconds * 1000)

    def close(self):
        self._map.close()
