"""Configuration files: sections, keys, drop-ins, files of apps, nonsense."""

import os
import re
import unittest

from base import APP, DaemonTest, ini, unprivileged

KEYS = {  # key: (a value, what policy tells, values out of range or bad)
    "Enabled": ("no", False, ["maybe", "2"]),
    "SessionsUntilPrompt": ("0", 0, ["-1", "1000000001", "x", "1.0", "1e2"]),
    "EventsUntilPrompt": ("1000000000", 10**9, ["-1", "1000000001"]),
    "DaysUntilPrompt": ("36500", 36_500, ["-1", "36501"]),
    "SessionGapSec": ("86400", 86_400, ["-1", "86401"]),
    "DebounceMs": ("600000", 600_000, ["-1", "600001", "2s"]),
    "OnActivity": ("restart", "restart", ["stop", "Restarts"]),
    "PendingMaxSec": ("1", 1, ["0", "86401"]),
    "ConfirmTimeoutMs": ("100", 100, ["99", "60001"]),
    "OncePerVersion": ("no", False, ["maybe"]),
    "MinIntervalDays": ("36500", 36_500, ["-1", "36501"]),
    "PromptsPerYear": ("12", 12, ["-1", "13"]),
    "DaysAfterLater": ("0", 0, ["-1", "36501"]),
    "DaysAfterDeclined": ("1", 1, ["-1", "36501"]),
    "DaysAfterRated": ("-1", -1, ["-2", "36501"]),
    "OutcomeTimeoutSec": ("86400", 86_400, ["0", "86401"]),
    "ReviewURL": ("snap://%a", "snap://%a", ["http://x", "x", "javascript:1"]),
    "AllowDebug": ("yes", True, ["maybe"]),
}


class Config(DaemonTest):
    config = ""

    def setUp(self):
        super().setUp()
        self.client = self.connect(APP)

    def reload(self):
        result = self.client.ask("reload")
        self.assertTrue(result["reloaded"], result)
        return result["warnings"]

    def policy(self, app=APP):
        return self.client.ask("status", app=app, explain=True)["policy"]

    def value(self, key, app=APP):
        return self.policy(app)[key]["value"]

    def assert_warned(self, warnings, *places):
        """One warning for each (file, line), with both in it."""
        self.assertEqual(len(warnings), len(places), warnings)
        for file, line in places:
            found = [w for w in warnings if re.search(rf"{re.escape(file)}\D{{1,9}}{line}\b", w)]
            self.assertEqual(len(found), 1, (file, line, warnings))


class Files(Config):
    def test_every_key(self):
        for key, (value, told, _) in KEYS.items():
            with self.subTest(key=key):
                self.daemon.write_config("ratingd.conf", ini(Policy={key: value}))
                self.assertEqual(self.reload(), [])
                entry = self.policy()[key]
                self.assertEqual(entry["value"], told)
                self.assertIn("ratingd.conf", entry["source"])

    def test_defaults(self):
        policy = self.policy()
        for key, value in {
                "Enabled": True, "SessionsUntilPrompt": 3, "EventsUntilPrompt": 10,
                "DaysUntilPrompt": 7, "SessionGapSec": 1800, "DebounceMs": 2000,
                "OnActivity": "cancel", "PendingMaxSec": 600, "ConfirmTimeoutMs": 2000,
                "OncePerVersion": True, "MinIntervalDays": 7, "PromptsPerYear": 3,
                "DaysAfterLater": 14, "DaysAfterDeclined": 90, "DaysAfterRated": 365,
                "OutcomeTimeoutSec": 600, "ReviewURL": "appstream://%a", "AllowDebug": False}.items():
            self.assertEqual(policy[key], {"value": value, "source": "default"}, key)

    def test_bad_values_are_warnings_and_the_value_in_force_stays(self):
        defaults = self.policy()
        for key, (_, _, values) in KEYS.items():
            for value in values:
                with self.subTest(key=key, value=value):
                    self.daemon.write_config("ratingd.conf", f"[Policy]\n\n{key}={value}\n")
                    self.assert_warned(self.reload(), ("ratingd.conf", 3))
                    self.assertEqual(self.policy()[key], defaults[key])

    def test_a_bad_value_leaves_a_weaker_files_value_in_force(self):
        self.daemon.write_config("ratingd.conf", ini(Policy={"SessionsUntilPrompt": 6}))
        self.daemon.write_config("ratingd.conf.d/50.conf", ini(Policy={"SessionsUntilPrompt": "x"}))
        self.assert_warned(self.reload(), ("50.conf", 2))
        self.assertEqual(self.value("SessionsUntilPrompt"), 6)

    def test_comments_spaces_and_booleans(self):
        self.daemon.write_config(
            "ratingd.conf", "# comment\n; comment\n\n[Policy]\n  # indented\n"
            "SessionsUntilPrompt = 5 \nOncePerVersion=off\nAllowDebug=1\nEventsUntilPrompt\t=\t6\n"
            "[User]\nEnabled=true\n")
        self.assertEqual(self.reload(), [])
        self.assertEqual(self.value("SessionsUntilPrompt"), 5)
        self.assertEqual(self.value("EventsUntilPrompt"), 6)
        self.assertIs(self.value("OncePerVersion"), False)
        self.assertIs(self.value("AllowDebug"), True)

    def test_nonsense_is_warned_of_line_by_line(self):
        self.daemon.write_config(
            "ratingd.conf", "Enabled=no\n[Policy]\nNoSuchKey=1\n[Nope]\nX=1\n[Policy]\n"
            "SessionsUntilPrompt=4\nthis is no line\n[Daemon]\nSyncSec=61\n[User]\nDebounceMs=1\n"
            "[Event a]\nNeed=-1\nHave=1\n")
        warnings = self.reload()
        for line in (1, 3, 4, 8, 10, 12, 14, 15):
            self.assertTrue(
                [w for w in warnings if re.search(rf"ratingd\.conf\D{{1,9}}{line}\b", w)],
                (line, warnings))
        self.assertEqual(self.value("SessionsUntilPrompt"), 4)
        self.assertIs(self.value("Enabled"), True)

    def test_binary_nonsense_ends_nothing(self):
        for data in (b"\x00" * 5000, bytes(range(256)) * 40, b"[" * 100_000, b"[Policy]\n" + b"a=" * 50_000,
                     b"\xff\xfe[\x00P\x00", b"[Policy]\nSessionsUntilPrompt=" + b"9" * 10_000,
                     b"=\n==\n[]\n[Event ]\n[Event \x1b[31m]\nNeed=1\n"):
            with self.subTest(data=data[:20]):
                with open(self.daemon.path("config", "ratingd.conf"), "wb") as file:
                    file.write(data)
                self.client.ask("reload")
                self.assertEqual(self.value("SessionsUntilPrompt"), 3)
                self.daemon.restart()
                self.client = self.connect(APP)

    def test_crlf_and_a_missing_last_line_feed(self):
        with open(self.daemon.path("config", "ratingd.conf"), "wb") as file:
            file.write(b"[Policy]\r\nSessionsUntilPrompt=5\r\nEventsUntilPrompt=6")
        self.assertEqual(self.reload(), [])
        self.assertEqual((self.value("SessionsUntilPrompt"), self.value("EventsUntilPrompt")), (5, 6))

    def test_the_last_of_two_lines_for_a_key_counts(self):
        self.daemon.write_config(
            "ratingd.conf", "[Policy]\nSessionsUntilPrompt=5\n[Policy]\nSessionsUntilPrompt=6\n")
        self.reload()
        self.assertEqual(self.value("SessionsUntilPrompt"), 6)


class DropIns(Config):
    def test_byte_order_over_the_main_file(self):
        for name, value in (("ratingd.conf", 1), ("ratingd.conf.d/b.conf", 3),
                            ("ratingd.conf.d/a.conf", 2), ("ratingd.conf.d/B.conf", 9)):
            self.daemon.write_config(name, ini(Policy={"SessionsUntilPrompt": value}))
        self.reload()
        entry = self.policy()["SessionsUntilPrompt"]
        self.assertEqual(entry["value"], 3)
        self.assertIn("b.conf", entry["source"])

    def test_only_names_that_end_in_conf(self):
        for name in ("a.conf.bak", "a.CONF", "a", "aconf"):
            self.daemon.write_config("ratingd.conf.d/" + name, ini(Policy={"SessionsUntilPrompt": 9}))
        self.reload()
        self.assertEqual(self.value("SessionsUntilPrompt"), 3)

    def test_files_of_apps_are_strongest_and_only_for_their_app(self):
        self.daemon.write_config("ratingd.conf.d/z.conf", ini(Policy={"SessionsUntilPrompt": 9}))
        self.daemon.write_config(
            f"apps.d/{APP}.conf", ini(Policy={"SessionsUntilPrompt": 2}, Event_saved={"Need": 1}))
        self.assertEqual(self.reload(), [])
        entry = self.policy()["SessionsUntilPrompt"]
        self.assertEqual(entry["value"], 2)
        self.assertIn(f"{APP}.conf", entry["source"])
        self.assertEqual(self.value("SessionsUntilPrompt", "org.other"), 9)
        self.assertIn("event:saved", self.client.ask("status")["reasons"])
        self.assertNotIn("event:saved", self.client.ask("status", app="org.other")["reasons"])

    def test_files_of_apps_have_two_kinds_of_sections(self):
        self.daemon.write_config(
            f"apps.d/{APP}.conf", "[User]\nEnabled=no\n[Daemon]\nSyncSec=1\n[Policy]\nDebounceMs=7\n")
        self.assertGreaterEqual(len(self.reload()), 2)
        self.assertNotIn("disabled", self.client.ask("status")["reasons"])
        self.assertEqual(self.value("DebounceMs"), 7)

    def test_an_event_of_an_app_beside_those_of_all(self):
        self.daemon.write_config("ratingd.conf", ini(Event_a={"Need": 5}, Event_b={"Need": 5}))
        self.daemon.write_config(f"apps.d/{APP}.conf", ini(Event_a={"Need": 1}))
        self.reload()
        rules = {r["rule"]: r for r in self.client.ask("status", explain=True)["rules"]}
        self.assertEqual((rules["event:a"]["need"], rules["event:b"]["need"]), (1, 5))

    def test_a_folder_in_place_of_a_drop_in_leaves_the_old_configuration_in_force(self):
        self.daemon.write_config("ratingd.conf", ini(Policy={"SessionsUntilPrompt": 1}))
        os.makedirs(self.daemon.path("config", "ratingd.conf.d", "dir.conf"))
        result = self.client.ask("reload")
        self.assertIs(result["reloaded"], False)
        self.assertIn("dir.conf", result["reason"])
        self.assertEqual(self.value("SessionsUntilPrompt"), 3)

    @unprivileged
    def test_a_file_without_permission_leaves_the_old_configuration_in_force(self):
        daemon = self.make_daemon(ini(Policy={"SessionsUntilPrompt": 2}))
        client = daemon.start().connect(APP)
        path = daemon.path("config", "ratingd.conf")
        os.chmod(path, 0)
        result = client.ask("reload")
        self.assertIs(result["reloaded"], False)
        self.assertIn(path, result["reason"])
        policy = client.ask("status", explain=True)["policy"]
        self.assertEqual(policy["SessionsUntilPrompt"]["value"], 2)
        daemon.stop()
        self.assertEqual(daemon.run_to_end()[0], 78)


if __name__ == "__main__":
    unittest.main()
