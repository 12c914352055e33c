"""The units as systemd itself reads them, and the few decisions about them that must not change."""

import os
import re
import shutil
import subprocess
import tempfile
import unittest

TOP = os.environ["RATINGD_TOP"]


def directives(scope, unit):
    """(section, key, value) of every line of a unit."""
    section, rows = None, []
    with open(f"{TOP}/systemd/{scope}/{unit}") as file:
        for line in file:
            line = line.strip()
            if line.startswith("["):
                section = line.strip("[]")
            elif line and not line.startswith("#"):
                key, value = line.split("=", 1)
                rows.append((section, key, value))
    return rows


def keys(scope, unit):
    return {key for _, key, _ in directives(scope, unit)}


class Units(unittest.TestCase):
    def setUp(self):
        for tool in ("systemd-analyze", "systemd"):
            if not shutil.which(tool) and not os.path.exists(f"/lib/systemd/{tool}"):
                self.skipTest("no systemd-analyze: apt-get install systemd")

    def verify(self, scope):
        with tempfile.TemporaryDirectory() as base:
            for unit in ("ratingd.socket", "ratingd.service"):
                with open(f"{TOP}/systemd/{scope}/{unit}") as file:
                    text = file.read()
                # The programs need not be installed for the units to be right.
                text = re.sub(r"/usr/bin/rating(d|ctl)", "/bin/true", text)
                with open(f"{base}/{unit}", "w") as file:
                    file.write(text)
            os.mkdir(f"{base}/runtime")
            return subprocess.run(
                ["systemd-analyze", *(["--user"] if scope == "user" else []), "verify",
                 "--man=no", "--recursive-errors=one", f"{base}/ratingd.socket",
                 f"{base}/ratingd.service"],
                capture_output=True, text=True,
                env=dict(os.environ, XDG_RUNTIME_DIR=f"{base}/runtime"))

    def test_the_user_units_are_read_without_a_word(self):
        done = self.verify("user")
        self.assertEqual((done.returncode, done.stdout + done.stderr), (0, ""))

    def test_the_system_units_are_read_without_a_word(self):
        done = self.verify("system")
        self.assertEqual((done.returncode, done.stdout + done.stderr), (0, ""))

    def test_the_system_unit_is_exposed_by_at_most_1_0(self):
        done = subprocess.run(
            ["systemd-analyze", "security", "--offline=true", "--threshold=10",
             f"{TOP}/systemd/system/ratingd.service"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout[-500:] + done.stderr)

    def test_no_unit_owns_the_directory_of_the_socket(self):
        for scope in ("user", "system"):
            self.assertNotIn("RuntimeDirectory", keys(scope, "ratingd.service"))

    def test_the_user_unit_leaves_the_place_of_the_state_to_the_daemon(self):
        self.assertNotIn("StateDirectory", keys("user", "ratingd.service"))

    def test_the_user_unit_asks_for_no_namespace(self):
        namespaces = {
            "BindPaths", "BindReadOnlyPaths", "InaccessiblePaths", "PrivateDevices", "PrivateIPC",
            "PrivateMounts", "PrivateNetwork", "PrivateTmp", "PrivateUsers", "ProcSubset",
            "ProtectClock", "ProtectControlGroups", "ProtectHome", "ProtectHostname",
            "ProtectKernelLogs", "ProtectKernelModules", "ProtectKernelTunables", "ProtectProc",
            "ProtectSystem", "ReadOnlyPaths", "ReadWritePaths", "RootDirectory", "TemporaryFileSystem",
        }
        self.assertEqual(keys("user", "ratingd.service") & namespaces, set())

    def test_the_system_unit_has_no_user_namespace(self):
        rows = {key: value for _, key, value in directives("system", "ratingd.service")}
        self.assertEqual(rows.get("PrivateUsers", "no"), "no")
        self.assertIn("CAP_SYS_PTRACE", rows["AmbientCapabilities"])

    def test_what_both_promise(self):
        for scope in ("user", "system"):
            rows = {key: value for _, key, value in directives(scope, "ratingd.service")}
            self.assertEqual(rows["Type"], "notify")
            self.assertEqual(rows["Restart"], "on-failure")
            self.assertEqual(rows["ExecReload"], f"/usr/bin/ratingctl --{scope} reload")
            self.assertEqual(rows["ExecStart"], f"/usr/bin/ratingd --{scope}")
            self.assertIn("WatchdogSec", rows)
            self.assertIn("Documentation", rows)

    def test_the_system_user_can_be_made(self):
        with tempfile.TemporaryDirectory() as base:
            os.makedirs(f"{base}/etc")
            done = subprocess.run(
                ["systemd-sysusers", f"--root={base}",
                 f"{TOP}/systemd/sysusers.d/ratingd.conf"], capture_output=True, text=True)
            if done.returncode and os.getuid() != 0:
                self.skipTest("needs root")
            self.assertEqual(done.returncode, 0, done.stderr)
            with open(f"{base}/etc/passwd") as file:
                self.assertRegex(file.read(), r"ratingd:x:\d+:\d+:.*:/var/lib/ratingd:/usr/sbin/nologin")
