"""What the journal gets: fields, explanations, one app's story, and never too much."""

import json
import os
import threading
import time
import unicodedata

from support import KINDS, Client, ServiceTest, root, run, until

RUN_AS = "lab"
APP = "org.gnome.Maps"
EASY = ("[Policy]\nSessionsUntilPrompt=0\nEventsUntilPrompt=0\nDaysUntilPrompt=0\nDebounceMs=50\n"
        "MinIntervalDays=0\nOncePerVersion=no\n[User]\nMinIntervalDays=0\n")


class Journal(ServiceTest):
    @classmethod
    def setUpClass(cls):
        root("journalctl", "--update-catalog")

    def prompted(self, client, **params):
        client.call("request", **params)
        return client.wait_for("prompt")["params"]

    def test_starting_and_stopping_are_told_with_their_fields(self):
        self.start()
        entry = self.wait_entry("started")
        self.assertEqual(entry["PRIORITY"], "5")
        self.assertEqual(entry["RATINGD_SOCKET"], self.socket_path)
        self.assertEqual(entry["RATINGD_STATE"], self.state)
        self.assertEqual(entry["_SYSTEMD_USER_UNIT"], "ratingd.service")
        self.systemctl("stop", "ratingd.service")
        self.assertEqual(self.wait_entry("stopped")["PRIORITY"], "5")

    def test_every_own_entry_has_an_id_of_the_table_and_nothing_is_said_twice(self):
        self.configure(EASY)
        client = self.client(APP)
        client.call("outcome", token=self.prompted(client)["token"], result="later")
        client.call("request")
        self.systemctl("reload", "ratingd.service")
        self.systemctl("stop", "ratingd.service")
        entries = self.entries("_SYSTEMD_USER_UNIT=ratingd.service", "_COMM=ratingd")
        self.assertGreater(len(entries), 4)
        for entry in entries:
            self.assertIn(entry.get("MESSAGE_ID"), KINDS.values(), entry)
            self.assertEqual(entry["_TRANSPORT"], "journal")

    def test_an_apps_whole_story_is_one_selector_for_its_user(self):
        self.configure(EASY)
        client = self.client(APP)
        other = self.client("org.example.Other")
        token = self.prompted(client)["token"]
        client.call("outcome", token=token, result="later")
        client.call("request")
        self.prompted(other)
        client.call("opt_out")
        client.call("opt_in")
        client.call("forget", app=APP)
        root("journalctl", "--sync")
        story = [json.loads(line) for line in run(
            "journalctl", "--user", "-u", "ratingd", f"RATINGD_APP={APP}", "-o", "json", "-q",
            f"--since=@{self.started_at:.6f}").out.splitlines()]
        kinds = {identifier: kind for kind, identifier in KINDS.items()}
        self.assertEqual(
            [kinds[e["MESSAGE_ID"]] for e in story],
            ["prompt-granted", "outcome-reported", "request-refused", "opted-out", "opted-in",
             "forgot"])
        granted, outcome, refused = story[:3]
        self.assertEqual(granted["RATINGD_TOKEN"], token)
        self.assertEqual(granted["RATINGD_DECISION"], "granted")
        self.assertEqual(granted["RATINGD_VERSION"], "1.0")
        self.assertEqual(granted["RATINGD_PEER_PID"], str(os.getpid()))
        self.assertEqual(granted["RATINGD_UID"], str(os.getuid()))
        self.assertEqual(outcome["RATINGD_OUTCOME"], "later")
        self.assertEqual(refused["RATINGD_DECISION"], "refused")
        self.assertEqual(refused["RATINGD_REASON"], "later")
        self.assertEqual((granted["PRIORITY"], refused["PRIORITY"]), ("5", "6"))

    def test_each_reason_of_a_refusal_can_be_selected(self):
        self.client(APP).call("request")
        entry = self.wait_entry("request-refused")
        self.assertEqual(entry["RATINGD_REASON"], ["sessions", "events", "days"])
        self.assertEqual(len(self.entries("RATINGD_REASON=events")), 1)

    def test_a_cancelled_request_says_why(self):
        self.configure(EASY.replace("DebounceMs=50", "DebounceMs=60000"))
        client = self.client(APP)
        token = client.call("request")["token"]
        client.call("activity")
        entry = self.wait_entry("request-cancelled")
        self.assertEqual((entry["RATINGD_TOKEN"], entry["RATINGD_REASON"],
                          entry["RATINGD_DECISION"]), (token, "activity", "cancelled"))

    def test_journalctl_x_explains_every_kind_that_was_logged(self):
        self.configure(EASY)
        client = self.client(APP)
        self.prompted(client)
        client.call("request")
        root("journalctl", "--sync")
        text = run("journalctl", "--user", "-u", "ratingd", "-x", "-q", "--no-pager",
                   f"--since=@{self.started_at:.6f}").out
        for subject in ("ratingd is ready", "A rating prompt was granted",
                        "A request for a rating prompt was refused"):
            self.assertIn(f"Subject: {subject}", text)
        self.assertIn("ratingctl explain org.gnome.Maps", text)

    def test_a_quiet_day_logs_nothing(self):
        client = self.client(APP)
        self.wait_entry("started")
        before = len(self.entries("_SYSTEMD_USER_UNIT=ratingd.service"))
        for _ in range(20):
            client.call("session")
            client.call("event", name="note-saved")
            client.call("activity")
            client.call("status")
            self.ctl("status", APP, check=False)
        time.sleep(1)
        after = self.entries("_SYSTEMD_USER_UNIT=ratingd.service")
        self.assertEqual(len(after), before, after[before:])

    def test_ten_thousand_bad_lines_a_second_are_a_few_entries_with_a_count(self):
        self.start()
        self.wait_entry("started")
        ended = time.monotonic() + 15
        sent = 0
        with Client(self.socket_path, APP, timeout=30) as client:
            reader = threading.Thread(target=self.drain, args=(client.socket,))
            reader.start()
            while time.monotonic() < ended:
                client.socket.sendall(b"{nonsense\n" * 1000)
                sent += 1000
                time.sleep(0.1)
            client.socket.shutdown(1)
            reader.join()
        self.assertGreaterEqual(sent, 100_000)
        # The last ones are counted with the next one that is logged.
        time.sleep(11)
        with Client(self.socket_path) as client:
            client.send("nonsense")
            client.line()
        entries = self.own_entries("bad-input")
        # Ten a minute are allowed, and this was less than half of one.
        self.assertLessEqual(len(self.own_entries()), 1 + 5)
        self.assertTrue(entries)
        told = sum(int(e.get("RATINGD_SUPPRESSED", 0)) for e in entries) + len(entries)
        self.assertGreaterEqual(told, sent)
        self.assertEqual(entries[0]["PRIORITY"], "4")
        self.assertEqual(entries[0]["RATINGD_PEER_PID"], str(os.getpid()))

    @staticmethod
    def drain(connection):
        try:
            while connection.recv(1 << 20):
                pass
        except OSError:
            pass

    def test_a_flood_of_refusals_does_not_flood_the_journal(self):
        client = self.client(APP)
        for _ in range(3000):
            client.call("request")
        self.assertLessEqual(len(self.own_entries("request-refused")), 40)
        self.assertEqual(client.call("report")["refused_total"], 3000)

    def test_text_of_clients_forges_neither_entries_nor_fields_nor_terminal_escapes(self):
        self.configure(EASY)
        evil = "1\nRATINGD_DECISION=granted\nPRIORITY=0\x1b[31m\u202e\x07"
        self.assertLessEqual(len(evil.encode()), 64)
        client = self.client()
        answer = client.answer("hello", app=APP, version=evil)
        if "result" in answer:
            self.prompted(client)
            client.call("request")
        for line in (b'{"method":"\x1b[2J\\n<0>forged"}', b'\x1b]0;title\x07\n',
                     b'{"method":"event","id":1,"params":{"app":"a\\nMESSAGE=forged"}}',
                     b'{"id":2,"method":"hello","params":{"app":"' + b"A" * 60000 + b'","version":"1"}}'):
            client.socket.sendall(line + b"\n")
        client.call("ping")
        entries = self.own_entries()
        self.assertTrue([e for e in entries if e["MESSAGE_ID"] == KINDS["bad-input"]])
        for entry in entries:
            self.assertNotEqual(entry["PRIORITY"], "0")
            size = 0
            for name, value in entry.items():
                for text in value if isinstance(value, list) and name.isupper() else [value]:
                    if name.startswith("_"):
                        continue
                    self.assertIsInstance(text, str, f"{name} holds bytes that are no text")
                    odd = [c for c in text if unicodedata.category(c) in ("Cc", "Cf")]
                    self.assertEqual(odd, [], f"{name}={text!r}")
                    size += len(text)
            self.assertLess(size, 2048)
        self.assertEqual([e for e in self.entries() if e.get("MESSAGE") == "forged"], [])

    def test_a_stopped_journald_never_blocks_and_what_was_lost_is_counted(self):
        client = self.client(APP)
        units = ("systemd-journald.service", "systemd-journald.socket",
                 "systemd-journald-dev-log.socket", "systemd-journald-audit.socket")
        pid = self.pid()
        root("systemctl", "stop", *units)
        try:
            slowest = 0.0
            for number in range(500):
                began = time.monotonic()
                client.call("opt_out", app=f"org.example.App{number}")
                slowest = max(slowest, time.monotonic() - began)
            self.assertLess(slowest, 0.5)
        finally:
            root("systemctl", "start", *units)
        self.assertTrue(client.call("ping")["pong"])
        client.call("opt_out")
        entry = self.wait_entry("entries-dropped", 15)
        self.assertGreaterEqual(int(entry["RATINGD_SUPPRESSED"]), 500)
        self.assertEqual(self.pid(), pid)

    def test_a_journald_that_hangs_never_blocks(self):
        client = self.client(APP)
        journald = root("systemctl", "show", "--value", "-p", "MainPID",
                        "systemd-journald.service").out.strip()
        root("kill", "-STOP", journald)
        try:
            slowest = 0.0
            for number in range(2000):
                began = time.monotonic()
                client.call("opt_out", app=f"org.example.App{number}")
                slowest = max(slowest, time.monotonic() - began)
            self.assertLess(slowest, 0.5)
        finally:
            root("kill", "-CONT", journald)
        self.assertTrue(client.call("ping")["pong"])

    def test_a_restarted_journald_is_found_again(self):
        client = self.client(APP)
        pid = self.pid()
        root("systemctl", "restart", "systemd-journald.service")
        client.call("opt_out")
        self.wait_entry("opted-out")
        self.assertEqual(self.pid(), pid)

    def test_ratingctl_logs_finds_the_right_selector(self):
        client = self.client(APP)
        client.call("request")
        self.wait_entry("request-refused")
        done = self.ctl("--no-pager", "logs", check=False)
        if done.code == 64:
            self.skipTest("this ratingctl has no logs verb")
        self.assertEqual(done.code, 0, done.err)
        self.assertIn(APP, done.out)

    def test_the_log_level_is_respected(self):
        self.configure("[Daemon]\nLogLevel=warning\n")
        self.client(APP).call("request")
        self.assertEqual(self.own_entries("request-refused"), [])
        self.configure("[Daemon]\nLogLevel=debug\n" + EASY)
        self.systemctl("restart", "ratingd.service")
        self.client(APP).call("request")
        self.wait_entry("request-pending")

    def test_a_limit_that_is_hit_is_told_once(self):
        self.configure("[Daemon]\nEventNamesPerAppMax=2\n")
        client = self.client(APP)
        for number in range(50):
            client.answer("event", name=f"name-{number}")
        entries = self.own_entries("limit-hit")
        self.assertEqual(len(entries), 1)
        self.assertEqual((entries[0]["RATINGD_LIMIT"], entries[0]["RATINGD_MAX"]),
                         ("event_names_per_app", "2"))
