"""`make install` puts everything in its place, and `make uninstall` takes all of it away."""

import glob
import os
import shutil
import subprocess
import tempfile
import unittest

TOP = os.environ["RATINGD_TOP"]
PROGRAMS = ("ratingd", "ratingctl", "ratingd-bench")
PREFIX = "/opt/rating"


def packaged():
    """The names of the files that the Debian package has, but for those of debhelper, in order."""
    names = []
    for list_name in ("install", "docs", "examples", "manpages"):
        with open(f"{TOP}/debian/ratingd.{list_name}") as file:
            for pattern in (line.split()[0] for line in file if line.strip()):
                found = glob.glob(f"{TOP}/{pattern}") if "*" in pattern else [pattern]
                names += [os.path.basename(path) for path in found]
    return sorted(names)


class Install(unittest.TestCase):
    def setUp(self):
        base = tempfile.TemporaryDirectory(prefix="ratingd-install.")
        self.addCleanup(base.cleanup)
        self.root, self.programs = f"{base.name}/the root", f"{base.name}/bin"
        os.mkdir(self.root)
        os.mkdir(self.programs)
        for name in PROGRAMS:
            with open(f"{self.programs}/{name}", "w") as file:
                file.write("#!/bin/sh\n")

    def make(self, *arguments, **options):
        return subprocess.run(
            ["/usr/bin/make", "-C", TOP, *arguments], capture_output=True, text=True, timeout=120,
            **options)

    def place(self, target):
        """Installs or uninstalls stand-ins for the programs, and says what is there then."""
        done = self.make(
            target, f"DESTDIR={self.root}", f"PREFIX={PREFIX}", f"RELEASE={self.programs}")
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        return {
            os.path.relpath(os.path.join(folder, name), self.root)
            for folder, _, names in os.walk(self.root) for name in names}

    def test_what_install_brings_uninstall_takes_away(self):
        if not shutil.which("scdoc"):
            self.skipTest("no scdoc: apt-get install scdoc")
        strangers = {"opt/rating/bin/other", "opt/rating/share/doc/ratingd/examples/mine.conf"}
        for path in strangers:
            os.makedirs(os.path.dirname(f"{self.root}/{path}"), exist_ok=True)
            with open(f"{self.root}/{path}", "w"):
                pass
        installed = self.place("install") - strangers
        self.assertEqual(sorted(os.path.basename(path) for path in installed), packaged())
        for scope in ("user", "system"):
            with open(f"{self.root}{PREFIX}/lib/systemd/{scope}/ratingd.service") as file:
                unit = file.read()
            self.assertIn(f"ExecStart={PREFIX}/bin/ratingd --{scope}\n", unit)
            self.assertNotIn("/usr/bin/", unit)
        for path in installed:
            mode = 0o755 if "/bin/" in path else 0o644
            self.assertEqual(os.stat(f"{self.root}/{path}").st_mode & 0o777, mode, path)
        self.assertEqual(self.place("uninstall"), strangers)
        os.unlink(f"{self.root}/opt/rating/share/doc/ratingd/examples/mine.conf")
        self.place("uninstall")
        self.assertFalse(os.path.exists(f"{self.root}{PREFIX}/share/doc/ratingd"))

    def test_without_scdoc_it_says_what_is_missing(self):
        # A machine that is no Debian and has nothing but what the Makefile needs.
        tools = f"{self.root}/tools"
        os.mkdir(tools)
        for tool in ("id", "mkdir", "sed", "env"):
            os.symlink(shutil.which(tool), f"{tools}/{tool}")
        done = self.make("-B", "pages", env={"PATH": tools})
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("make: there is no scdoc", done.stderr)
        self.assertNotIn("Swift", done.stderr)
