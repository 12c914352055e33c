"""The system service: everybody connects, each sees only their own, and the hardening holds."""

import json
import os
import pwd
import re

from support import LAB, OTHER, Client, ServiceTest, boxed, run, run_as, until

APP = "org.example.Notes"


class System(ServiceTest):
    SYSTEM = True

    @classmethod
    def setUpClass(cls):
        run("systemd-sysusers", "/usr/lib/sysusers.d/ratingd.conf")

    def as_user(self, user, *argv, check=True):
        return run_as(user, "ratingctl", "--system", "--json=short", *argv, check=check)

    def json(self, user, *argv):
        return json.loads(self.as_user(user, *argv, check=False).out)

    def test_the_socket_is_open_to_all_and_the_state_to_nobody(self):
        self.start()
        self.assertEqual(os.stat(self.socket_path).st_mode & 0o777, 0o666)
        state, account = os.stat(self.state), pwd.getpwnam("ratingd")
        self.assertEqual((state.st_mode & 0o777, state.st_uid), (0o700, account.pw_uid))
        self.assertEqual(os.stat(f"{self.state}/ratingd.db").st_mode & 0o777, 0o600)
        self.assertEqual(os.stat(f"/proc/{self.pid()}").st_uid, account.pw_uid)

    def test_the_first_connect_of_a_user_starts_it_and_the_kernel_says_who_it_is(self):
        self.assertEqual(self.show("ActiveState"), "inactive")
        self.assertEqual(self.json(LAB, "whoami")["uid"], pwd.getpwnam(LAB).pw_uid)
        self.assertEqual(self.json(OTHER, "whoami")["uid"], pwd.getpwnam(OTHER).pw_uid)

    def test_each_user_sees_only_their_own_and_root_names_whose(self):
        for user, count in ((LAB, 3), (OTHER, 1)):
            for _ in range(count):
                self.as_user(user, "event", APP)
        self.assertEqual(self.json(LAB, "status", APP)["events"], 3)
        self.assertEqual(self.json(OTHER, "status", APP)["events"], 1)
        client = self.client()
        uid = pwd.getpwnam(LAB).pw_uid
        self.assertEqual(client.call("status", app=APP, uid=uid)["events"], 3)
        self.assertEqual(client.call("status", app=APP)["events"], 0)
        denied = self.as_user(OTHER, "call", "status", json.dumps({"app": APP, "uid": uid}),
                              check=False)
        self.assertNotEqual(denied.code, 0)

    def test_only_root_reloads(self):
        self.start()
        self.assertEqual(self.as_user(LAB, "reload", check=False).code, 77)
        self.configure("[Policy]\nEventsUntilPrompt=23\n")
        self.systemctl("reload", "ratingd.service")
        explained = self.json(LAB, "explain", APP)
        self.assertEqual(explained["policy"]["EventsUntilPrompt"]["value"], 23)

    def test_a_bad_configuration_fails_the_reload_and_the_old_one_stays(self):
        self.configure("[Policy]\nEventsUntilPrompt=5\n")
        self.start()
        os.chmod(self.configure("[Policy]\nEventsUntilPrompt=9\n"), 0)
        # CAP_DAC_READ_SEARCH, which the daemon has for its peers' sake, reads that file all the
        # same; a file in place of the directory stops it too.
        os.makedirs(f"{self.config}/old")
        run("sh", "-c", f"rm {self.config}/ratingd.conf && mkdir {self.config}/ratingd.conf")
        self.assertNotEqual(self.systemctl("reload", "ratingd.service", check=False).code, 0)
        explained = self.json(LAB, "explain", APP)
        self.assertEqual(explained["policy"]["EventsUntilPrompt"]["value"], 5)

    def test_a_restart_keeps_the_sockets_inode_and_the_counters(self):
        self.as_user(LAB, "event", APP)
        before = os.stat(self.socket_path).st_ino
        self.systemctl("restart", "ratingd.service")
        self.assertEqual(self.json(LAB, "status", APP)["events"], 1)
        self.assertEqual(os.stat(self.socket_path).st_ino, before)

    def test_kill_9_restarts_it_and_nothing_is_lost(self):
        self.as_user(LAB, "event", APP)
        os.kill(self.pid(), 9)
        until(lambda: self.show("NRestarts") == "1", "a restart")
        self.assertEqual(self.json(LAB, "status", APP)["events"], 1)

    def test_systemd_says_the_exposure_is_at_most_1_0(self):
        self.start()
        out = run("systemd-analyze", "security", "ratingd.service", "--no-pager").out
        exposure = float(re.search(r"exposure level for ratingd.service: ([\d.]+)", out)[1])
        self.assertLessEqual(exposure, 1.0)

    def test_the_hardening_is_in_force_in_the_process(self):
        pid = self.start()
        with open(f"/proc/{pid}/status") as file:
            status = dict(line.split(":\t", 1) for line in file if ":\t" in line)
        self.assertEqual(status["NoNewPrivs"].strip(), "1")
        self.assertEqual(status["Seccomp"].strip(), "2")
        # CAP_DAC_READ_SEARCH and CAP_SYS_PTRACE, nothing else.
        self.assertEqual(int(status["CapBnd"], 16), 1 << 2 | 1 << 19)
        self.assertEqual(int(status["CapEff"], 16), 1 << 2 | 1 << 19)
        done = run("nsenter", "-t", str(pid), "-m", "sh", "-c",
                   "ls /home; touch /usr/x || touch /var/lib/x || touch /etc/x", check=False)
        self.assertNotEqual(done.code, 0)
        self.assertNotIn(LAB, done.out)

    def test_a_sandboxed_peer_of_another_user_is_recognised(self):
        self.start()
        done = run_as(LAB, *boxed("org.example.Boxed", "/run/ratingd", "ratingctl", "--system",
                                  "--json=short", "whoami"), check=False)
        self.assertEqual(done.code, 0, done.err)
        who = json.loads(done.out)
        self.assertEqual(who["app"], "org.example.Boxed")
        self.assertEqual(who["identity"], {"source": "flatpak", "verified": True})

    def test_what_each_user_does_is_in_the_journal_with_their_uid(self):
        self.as_user(LAB, "request", APP, "1.0", "--no-wait", check=False)
        entry = self.wait_entry("request-refused")
        self.assertEqual(entry["RATINGD_UID"], str(pwd.getpwnam(LAB).pw_uid))
        self.assertEqual(entry["_SYSTEMD_UNIT"], "ratingd.service")

    def test_the_daemon_of_a_user_and_that_of_the_machine_are_two(self):
        self.as_user(LAB, "event", APP)
        done = run_as(LAB, "ratingctl", "--user", "--json=short", "status", APP, check=False)
        self.assertEqual(json.loads(done.out)["events"], 0)
        with Client(f"/run/user/{pwd.getpwnam(LAB).pw_uid}/ratingd/ratingd.sock"):
            pass
