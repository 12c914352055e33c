"""Damaged state: set aside, never overwritten, and what it takes to go on."""

import os
import sqlite3
import unittest

from base import APP, easy
from test_state import State


class Damaged(State):
    def test_a_file_that_is_not_sqlite(self):
        self.write(b"this is not a database\n" * 500)
        self.assert_set_aside(b"this is not a database\n" * 500)

    def test_a_short_file(self):
        for data in (b"x", b"SQLite format 3", b"SQLite format 3\0" + bytes(50)):
            with self.subTest(data=data):
                self.daemon = self.make_daemon(self.config)
                self.write(data)
                self.assert_set_aside(data)

    def test_a_file_of_no_bytes(self):
        self.live()
        self.write(b"")
        self.assert_set_aside(b"")

    def test_a_file_full_of_nul(self):
        self.live()
        size = len(self.read())
        self.write(bytes(size))
        self.assert_set_aside(bytes(size))

    def test_cut_in_the_middle_or_after_a_page(self):
        self.live()
        good = self.read()
        for size in (len(good) // 2, 4096, 100, len(good) - 4096):
            with self.subTest(size=size):
                self.daemon = self.make_daemon(self.config)
                self.write(good[:size])
                self.assert_set_aside(good[:size])

    def test_bytes_turned_over_in_the_header_and_in_pages(self):
        self.live()
        good = self.read()
        for place in (0, 16, 28, 44, 100, 4096, len(good) // 2):
            with self.subTest(place=place):
                self.daemon = self.make_daemon(self.config)
                data = bytearray(good)
                for at in range(place, min(place + 24, len(data))):
                    data[at] ^= 0xFF
                self.write(bytes(data))
                self.start()
                # Whatever it makes of it: it is up, and frees neither cap nor opt-out silently.
                if self.aside():
                    self.assert_unavailable()
                    self.daemon.stop()
                else:
                    status = self.client.call("status")
                    if "result" in status:
                        self.assertEqual(status["result"]["prompts_in_window"], 1)

    def test_the_database_of_another_program(self):
        connection = sqlite3.connect(self.daemon.database)
        connection.executescript(
            "PRAGMA application_id=1234567; CREATE TABLE songs(title); INSERT INTO songs VALUES('x');")
        connection.close()
        self.assert_set_aside(self.read())

    def test_a_damaged_log_never_frees_the_cap(self):
        def flip(place):
            def damage(data):
                data = bytearray(data)
                for at in range(place, min(place + 16, len(data))):
                    data[at] ^= 0xFF
                return bytes(data)
            return damage

        for name, damage in (
                ("cut in half", lambda data: data[: len(data) // 2]), ("header", flip(0)),
                ("salt", flip(16)), ("first frame", flip(32)),
                ("last page", lambda data: flip(len(data) - 600)(data))):
            with self.subTest(damage=name):
                self.daemon = self.make_daemon(easy(PromptsPerYear=1))
                self.start()
                self.prompt_and(self.client, "failed")
                self.daemon.kill()
                log = self.daemon.database + "-wal"
                with open(log, "rb") as file:
                    data = file.read()
                self.assertTrue(data, "the grant is in the log")
                with open(log, "wb") as file:
                    file.write(damage(data))
                self.start()
                answer = self.client.call("request", app=APP, version="2")
                if "result" in answer:
                    self.assert_refused(answer["result"], "annual_cap")
                else:
                    self.assert_error(answer["error"], "storage_unavailable")

    def test_the_evidence_put_back(self):
        self.live()
        good = self.read()
        self.write(good[: len(good) // 2])
        self.start()
        self.assert_unavailable()
        self.daemon.stop()
        os.unlink(os.path.join(self.daemon.state_dir, self.aside()[0]))
        self.write(good)
        self.start()
        status = self.client.ask("status")
        self.assertEqual((status["events"], status["prompts_in_window"]), (7, 1))

    def test_damage_is_logged_once(self):
        self.write(b"rubbish" * 1000)
        self.start()
        for _ in range(20):
            self.client.error("request")
        self.assertEqual(self.daemon.log().count("corrupt-"), 1, self.daemon.log())


if __name__ == "__main__":
    unittest.main()
