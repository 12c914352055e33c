"""App ids, versions and event names; what they default to."""

import unittest

from base import APP, DaemonTest


class Names(DaemonTest):
    """What an app id, a version and an event name may be; the values just inside the limits."""

    def setUp(self):
        super().setUp()
        self.client = self.connect()

    def test_app_ids(self):
        for app in ("a", "_", "Z9", "org.gnome.Maps", "a-b_c.d", "a" * 255, "_.x", "a-", "a_", "a.-"):
            with self.subTest(app=app):
                self.assertEqual(self.client.ask("event", app=app)["events"], 1)
                self.assertEqual(self.client.ask("status", app=app)["app"], app)

    def test_app_ids_are_case_sensitive(self):
        self.client.ask("event", app="org.Case")
        self.assertEqual(self.client.ask("status", app="org.case")["events"], 0)

    def test_versions(self):
        for number, version in enumerate(("1", "x" * 64, "é" * 32, "😀" * 16, " ", "0", "v1 (β)")):
            with self.subTest(version=version):
                app = f"org.v{number}"
                self.assertEqual(
                    self.client.ask("hello", app=app, version=version)["app"], app)
                self.assertEqual(self.prompt(self.client, app=app, version=version)["version"], version)

    def test_event_names(self):
        for name in ("x", "x" * 64, "é" * 32, "note saved", "a=b;#", '"', "\\", "😀"):
            with self.subTest(name=name):
                self.assertEqual(self.client.ask("event", app=APP, name=name)["name_total"], 1)

    def test_event_names_are_bytes(self):
        self.client.ask("event", app=APP, name="é")
        self.assertEqual(self.client.ask("event", app=APP, name="e\u0301")["name_total"], 1)
        self.assertEqual(self.client.ask("event", app=APP, name="É")["name_total"], 1)
        self.assertEqual(self.client.ask("event", app=APP, name="é")["name_total"], 2)

    def test_app_and_version_default_to_those_of_hello(self):
        self.client.ask("hello", app=APP, version="7")
        self.client.ask("session")
        self.assertEqual(self.client.ask("status")["version"], "7")
        self.assertEqual(self.prompt(self.client)["version"], "7")

    def test_a_later_hello_replaces_an_earlier_one(self):
        self.client.ask("hello", app=APP, version="7")
        self.client.ask("hello", app="org.example.Other", version="8")
        self.client.ask("event")
        self.assertEqual(self.client.ask("whoami")["app"], "org.example.Other")
        self.assertEqual(self.client.ask("status", app=APP)["events"], 0)
        self.assertEqual(self.client.ask("status")["events"], 1)

    def test_another_app_takes_no_version_from_hello(self):
        self.client.ask("hello", app=APP, version="7")
        self.assert_error(
            self.client.error("request", app="org.example.Other"), "invalid_params", field="version")

    def test_the_version_known_last_is_told(self):
        self.client.ask("hello", app=APP, version="7")
        self.client.ask("session")
        self.assertEqual(self.connect().ask("status", app=APP)["version"], "7")


if __name__ == "__main__":
    unittest.main()
