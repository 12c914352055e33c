"""A disk that is watched, and fails when it is told to (see interposer/disk.c)."""

import mmap
import os
import struct

from controls import compiled

HERE = os.path.dirname(os.path.abspath(__file__))
CLASSES = ("write", "sync", "open")
FIELDS = tuple(f"{what}_{name}" for what in ("fail_first", "fail_last", "fail_every")
               for name in CLASSES)
FIELDS += ("fail_errno",) + tuple(f"calls_{name}" for name in CLASSES) + (
    "failed", "swallow_log", "swallow_directory", "swallow_other")
FOR_EVER = 2**62


class DiskControls:
    """The mapped file, and the environment of a daemon whose `state` is watched."""

    def __init__(self, path, state, log=None):
        with open(path, "wb") as file:
            file.write(bytes(8 * len(FIELDS)))
        with open(path, "r+b") as file:
            self._map = mmap.mmap(file.fileno(), 8 * len(FIELDS))
        self.environment = {
            "LD_PRELOAD": compiled(os.path.join(HERE, "interposer", "disk.c")),
            "RATINGD_DISK_ROOT": state, "RATINGD_DISK_CONTROLS": path}
        if log:
            self.environment["RATINGD_DISK_LOG"] = log

    def get(self, field):
        return struct.unpack_from("=q", self._map, 8 * FIELDS.index(field))[0]

    def set(self, field, value):
        struct.pack_into("=q", self._map, 8 * FIELDS.index(field), value)

    def fail(self, name, number, first, last=None):
        """Calls of a class from the `first` to the `last` fail; counted from 1."""
        self.set("fail_errno", number)
        self.set("fail_last_" + name, first if last is None else last)
        self.set("fail_first_" + name, first)

    def heal(self):
        for name in CLASSES:
            for what in ("fail_first_", "fail_last_", "fail_every_"):
                self.set(what + name, 0)
