"""The Debian package: install, first use, upgrade, remove and purge on a booted system."""

import glob
import json
import os
import pwd
import subprocess
import unittest

from support import LAB, OTHER, run, run_as, until

APP = "org.example.Notes"
PACKAGE = "/lab/ratingd.deb"
PREVIOUS = "/lab/previous.deb"
MANAGERS = [LAB, OTHER]


def user(name, *argv, check=True):
    return run_as(name, *argv, check=check)


def status(name):
    return json.loads(user(name, "ratingctl", "--json=short", "status", APP, check=False).out)


class Package(unittest.TestCase):
    """One story, told in the order of the names."""

    @classmethod
    def setUpClass(cls):
        # The same package under an older version: what an upgrade starts from.
        run("dpkg-deb", "-R", PACKAGE, "/lab/tree")
        with open("/lab/tree/DEBIAN/control") as file:
            control = file.read()
        cls.version = [l.split()[1] for l in control.splitlines() if l.startswith("Version:")][0]
        with open("/lab/tree/DEBIAN/control", "w") as file:
            file.write(control.replace(f"Version: {cls.version}", "Version: 0.0.1"))
        run("dpkg-deb", "--root-owner-group", "-b", "/lab/tree", PREVIOUS)

    def installed(self):
        return run("dpkg-query", "-W", "-f", "${Status} ${Version}", "ratingd", check=False).out

    def test_1_it_installs_and_users_who_are_logged_in_have_the_socket_at_once(self):
        done = run("dpkg", "--force-unsafe-io", "-i", PREVIOUS)
        self.assertEqual(self.installed(), "install ok installed 0.0.1")
        self.assertNotIn("restart", done.out)
        uid = pwd.getpwnam(LAB).pw_uid
        until(lambda: os.path.exists(f"/run/user/{uid}/ratingd/ratingd.sock"), "the socket", 10)
        user(LAB, "ratingctl", "event", APP)
        self.assertEqual(status(LAB)["events"], 1)
        self.assertEqual(user(LAB, "systemctl", "--user", "is-active", "ratingd").out, "active\n")

    def test_2_a_fresh_user_needs_no_further_step(self):
        run("useradd", "--create-home", "--shell", "/bin/sh", "fresh")
        run("loginctl", "enable-linger", "fresh")
        uid = pwd.getpwnam("fresh").pw_uid
        until(lambda: os.path.exists(f"/run/user/{uid}/ratingd/ratingd.sock"), "the socket", 15)
        user("fresh", "ratingctl", "event", APP)
        self.assertEqual(status("fresh")["events"], 1)
        self.assertEqual(
            user("fresh", "systemctl", "--user", "is-enabled", "ratingd.socket").out, "enabled\n")

    def test_3_the_system_service_is_there_and_off(self):
        self.assertEqual(run("systemctl", "is-enabled", "ratingd.socket", check=False).out,
                         "disabled\n")
        self.assertEqual(run("systemctl", "is-active", "ratingd.socket", check=False).out,
                         "inactive\n")
        self.assertEqual(pwd.getpwnam("ratingd").pw_shell, "/usr/sbin/nologin")
        run("systemctl", "start", "ratingd.socket")
        run("ratingctl", "--system", "event", APP)
        self.assertTrue(os.path.exists("/var/lib/ratingd/ratingd.db"))

    def test_4_pages_catalog_and_completions_are_found(self):
        for page in ("8 ratingd", "1 ratingctl", "1 ratingd-bench", "5 ratingd.conf",
                     "7 ratingd-protocol", "7 ratingd-policy"):
            self.assertTrue(run("man", "-w", *page.split()).out.strip(), page)
        catalog = run("journalctl", "--list-catalog").out
        self.assertIn("A rating prompt was granted", catalog)
        for path in ("/usr/share/bash-completion/completions/ratingctl",
                     "/usr/share/bash-completion/completions/ratingd-bench",
                     "/usr/share/bash-completion/completions/ratingd",
                     "/usr/share/zsh/vendor-completions/_ratingctl",
                     "/usr/share/fish/vendor_completions.d/ratingctl.fish"):
            self.assertTrue(os.path.exists(path), path)
        self.assertTrue(glob.glob("/usr/share/doc/ratingd/examples/*.conf"))

    def test_5_an_upgrade_keeps_the_state_and_says_how_to_restart(self):
        pid = user(LAB, "systemctl", "--user", "show", "--value", "-p", "MainPID", "ratingd").out
        done = run("dpkg", "--force-unsafe-io", "-i", PACKAGE)
        self.assertEqual(self.installed(), f"install ok installed {self.version}")
        how = "systemctl --user daemon-reload && systemctl --user try-restart ratingd"
        self.assertIn(how, done.out)
        # Nobody's daemon was touched, and it still answers the new ratingctl.
        now = user(LAB, "systemctl", "--user", "show", "--value", "-p", "MainPID", "ratingd").out
        self.assertEqual(now, pid)
        self.assertEqual(status(LAB)["events"], 1)
        user(LAB, "sh", "-c", how)
        new = user(LAB, "systemctl", "--user", "show", "--value", "-p", "MainPID", "ratingd").out
        self.assertNotEqual(new, pid)
        self.assertEqual(status(LAB)["events"], 1)
        done = run("ratingctl", "--system", "--json=short", "status", APP, check=False)
        self.assertEqual(json.loads(done.out)["events"], 1)

    def test_6_what_the_administrator_disabled_stays_disabled_after_an_upgrade(self):
        run("systemctl", "--global", "disable", "ratingd.socket")
        run("dpkg", "--force-unsafe-io", "-i", PACKAGE)
        self.assertFalse(os.path.lexists("/etc/systemd/user/sockets.target.wants/ratingd.socket"))
        run("systemctl", "--global", "enable", "ratingd.socket")

    def test_7_remove_keeps_the_state(self):
        run("dpkg", "--force-unsafe-io", "-r", "ratingd")
        self.assertFalse(os.path.exists("/usr/bin/ratingd"))
        self.assertTrue(os.path.exists("/var/lib/ratingd/ratingd.db"))
        home = pwd.getpwnam(LAB).pw_dir
        self.assertTrue(os.path.exists(f"{home}/.local/state/ratingd/ratingd.db"))
        # Neither a user's daemon nor that of the machine goes on without its program.
        self.assertEqual(subprocess.run(["pgrep", "-x", "ratingd"], capture_output=True).stdout, b"")
        run("dpkg", "--force-unsafe-io", "-i", PACKAGE)
        user(LAB, "systemctl", "--user", "daemon-reload")
        user(LAB, "systemctl", "--user", "start", "ratingd.socket")
        self.assertEqual(status(LAB)["events"], 1)

    def test_8_purge_removes_what_the_package_owns_and_only_that(self):
        run("dpkg", "--force-unsafe-io", "-P", "ratingd")
        self.assertEqual(self.installed().split()[:1], [])
        left = run("find", "/boot", "/etc", "/home", "/run", "/srv", "/usr", "/var", "-xdev", "-name",
                   "*ratingd*", "-not", "-path", "/var/tmp/*").out.split()
        homes = [p for p in left if p.startswith("/home/") and ".local/state/ratingd" in p]
        self.assertTrue(homes, "the users' state is theirs and stays")
        others = [p for p in left if p not in homes and not p.startswith("/run/user/")]
        self.assertEqual(others, [])
