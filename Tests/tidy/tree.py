"""The files that belong to the project."""

import os
import subprocess


class Tree:
    """A folder with the project in it; paths are relative to it and use slashes."""

    def __init__(self, root):
        self.root = os.path.abspath(root)
        self.paths = sorted(self._tracked() or self._walked())

    def _tracked(self):
        """What git knows or would add; nothing if this is no repository of its own."""
        if not os.path.exists(os.path.join(self.root, ".git")):
            return []
        try:
            listing = subprocess.run(
                ["git", "-c", "safe.directory=*", "-C", self.root, "ls-files", "-z", "--cached",
                 "--others", "--exclude-standard"],
                capture_output=True, check=True, text=True).stdout
        except (OSError, subprocess.CalledProcessError):
            return []
        return [path for path in listing.split("\0") if path and self.exists(path)]

    def _walked(self):
        for folder, folders, names in os.walk(self.root):
            folders[:] = [name for name in folders if name not in (".git", ".build", "__pycache__")]
            for name in names:
                yield os.path.relpath(os.path.join(folder, name), self.root).replace(os.sep, "/")

    def exists(self, path):
        return os.path.lexists(os.path.join(self.root, path))

    def read(self, path):
        """The text of a file; empty if it is none (a link to nowhere, binary data)."""
        try:
            with open(os.path.join(self.root, path), encoding="utf-8") as file:
                return file.read()
        except (UnicodeDecodeError, OSError):
            return ""

    def find(self, prefix="", suffix=""):
        return [p for p in self.paths if p.startswith(prefix) and p.endswith(suffix)]

    def text(self, prefix="", suffix=""):
        """All these files as one text."""
        return "\n".join(self.read(path) for path in self.find(prefix, suffix))
