"""Lines: where they end, how long they may be, what comes after a bad one."""

import json
import os
import socket
import unittest

from base import APP, DaemonTest, easy
from ratingd_daemon import proc_status

LIMIT = 65_536
PING = b'{"method":"ping","id":"p"}'


def padded(size, identifier=1):
    """A ping of exactly `size` bytes, filled with white space."""
    head = b'{"method":"ping","id":%d' % identifier
    return head + b" " * (size - len(head) - 1) + b"}"


class Lines(DaemonTest):
    config = easy(daemon={"RateLimitPerSec": 0})

    def setUp(self):
        super().setUp()
        self.client = self.connect()

    def assert_pong(self, identifier="p", client=None):
        answer = (client or self.client).next()
        self.assertEqual(answer.get("id"), identifier, answer)
        self.assertTrue(answer["result"]["pong"])

    def assert_too_long(self, client=None):
        answer = (client or self.client).next()
        self.assertIsNone(answer["id"])
        self.assert_error(answer["error"], "line_too_long", max=LIMIT)

    def test_a_line_of_65536_bytes_with_its_line_feed(self):
        self.client.send(padded(LIMIT - 1) + b"\n")
        self.assert_pong(1)

    def test_a_line_of_65537_bytes_with_its_line_feed(self):
        self.client.send(padded(LIMIT) + b"\n" + PING + b"\n")
        self.assert_too_long()
        self.assert_pong()

    def test_65536_bytes_of_text_in_one_string(self):
        for size, fits in ((LIMIT - 1, True), (LIMIT, False)):
            text = json.dumps({"method": "ping", "id": ""})
            line = json.dumps({"method": "ping", "id": "x" * (size - len(text))})
            self.assertEqual(len(line), size)
            self.client.send_line(line)
            answer = self.client.next()
            if fits:
                self.assertEqual(len(answer["id"]), size - len(text))
            else:
                self.assert_error(answer["error"], "line_too_long", max=LIMIT)

    def test_the_error_comes_as_soon_as_the_line_is_too_long(self):
        self.client.send(b"x" * (LIMIT + 1))
        self.assert_too_long()
        self.client.send(b"still the same line\n" + PING + b"\n")
        self.assert_pong()
        self.assertFalse(self.client.inbox)

    def test_one_error_for_one_line_however_long(self):
        self.client.send(b"[" * (10 * LIMIT) + b"\n" + PING + b"\n")
        self.assert_too_long()
        self.assert_pong()

    def test_several_long_lines_each_get_their_error_in_order(self):
        self.client.send(
            b"x" * LIMIT + b"\n" + padded(40, 1) + b"\n" + b"y" * 3 * LIMIT
            + b"\n" + padded(LIMIT - 1, 2) + b"\n" + b"z" * LIMIT + b"\n")
        self.assert_too_long()
        self.assert_pong(1)
        self.assert_too_long()
        self.assert_pong(2)
        self.assert_too_long()

    def test_a_line_in_single_bytes(self):
        for byte in PING + b"\r\n":
            self.client.send(bytes([byte]))
        self.assert_pong()

    def test_a_cut_at_every_place(self):
        text = '{"method":"ping","id":"é😀"}\n'.encode()
        for cut in range(1, len(text)):
            self.client.send(text[:cut])
            self.client.send(text[cut:])
            self.assert_pong("é😀")

    def test_crlf_ends_one_line(self):
        self.client.send(PING + b"\r\n" + PING + b"\n" + PING + b"\r\n")
        for _ in range(3):
            self.assert_pong()
        self.assertFalse(self.client.notifications())

    def test_only_one_cr_is_dropped(self):
        # What is left is white space between JSON and the end: still JSON.
        self.client.send(PING + b"\r\r\n")
        self.assert_pong()

    def test_empty_lines_are_ignored(self):
        self.client.send(b"\n\r\n\n\n\r\n" + PING + b"\n\n")
        self.assert_pong()
        self.assertFalse(self.client.notifications())
        self.assertEqual(len(self.client.trace), 2)

    def test_a_malformed_line_gets_one_error_and_the_connection_goes_on(self):
        self.client.send(b"{\n" + PING + b"\n}\n" + PING + b"\n")
        for _ in range(2):
            self.assert_error(self.client.next()["error"], "parse_error")
            self.assert_pong()

    def test_other_line_separators_end_nothing(self):
        for separator in (b"\x0b", b"\x0c", b"\xc2\x85", b"\xe2\x80\xa8", b"\r"):
            with self.subTest(separator=separator):
                self.client.send(PING + separator + PING + b"\n")
                self.assert_error(self.client.next()["error"], "parse_error")
        self.assertTrue(self.client.ask("ping")["pong"])

    def test_the_last_line_without_a_line_feed_counts_at_the_end(self):
        self.client.send(PING)
        self.client.half_close()
        self.assert_pong()
        self.assertEqual(self.client.rest(), [])

    def test_the_longest_last_line_without_a_line_feed(self):
        self.client.send(padded(LIMIT - 1))
        self.client.half_close()
        self.assert_pong(1)

    def test_half_a_text_at_the_end_is_a_parse_error(self):
        self.client.send(PING[:-1])
        self.client.half_close()
        self.assert_error(self.client.next()["error"], "parse_error")
        self.assertEqual(self.client.rest(), [])

    def test_a_notification_as_the_last_line_without_a_line_feed(self):
        self.client.send(b'{"method":"event","params":{"app":"%s"}}' % APP.encode())
        self.client.half_close()
        self.assertEqual(self.client.rest(), [])
        self.assertEqual(self.connect().ask("status", app=APP)["events"], 1)

    def test_a_long_line_that_ends_with_the_connection(self):
        self.client.send(b"x" * (2 * LIMIT))
        self.client.half_close()
        self.assert_too_long()
        self.assertEqual(self.client.rest(), [])

    def test_a_thousand_lines_in_one_write(self):
        self.client.send(b"".join(padded(30 + n % 50, n) + b"\n" for n in range(1000)))
        for n in range(1000):
            self.assert_pong(n)

    def test_connections_that_send_nothing_or_rubbish_and_go(self):
        for data in (b"", b"\n", b"{", PING, PING + b"\n", b"\x00", b"x" * LIMIT):
            for _ in range(20):
                client = self.connect()
                client.send(data)
                client.close()
        self.client.send(PING + b"\n")
        self.assert_pong()

    def test_a_reset_in_the_middle_of_a_line_hurts_no_one(self):
        for _ in range(50):
            client = self.connect()
            client.send(PING + b"\n" + PING[:7])
            client.socket.setsockopt(
                socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
            client.close()
        self.assertTrue(self.client.ask("ping")["pong"])

    def test_a_quarter_of_a_gigabyte_without_a_line_feed_in_bounded_memory(self):
        size = 1 << 30 if os.environ.get("RATINGD_TEST_GIGABYTE") else 1 << 28
        block = b"[" * (1 << 20)
        self.client.send(block)
        self.assert_too_long()
        before = proc_status(self.daemon.pid, "VmRSS")
        other = self.connect()
        for number in range(size // len(block)):
            self.client.send(block)
            if number % 32 == 0:
                self.assertTrue(other.ask("ping")["pong"])
                grown = proc_status(self.daemon.pid, "VmRSS") - before
                self.assert_memory(grown, 1024)
        self.client.send(b"\n" + PING + b"\n")
        self.assert_pong()

    def test_lines_of_as_many_values_as_may_be_in_bounded_memory(self):
        numbers = [b'"%d":0' % number for number in range(6_000)]
        lines = [b"[" + b",".join([value] * ((LIMIT - 2) // (len(value) + 1))) + b"]"
                 for value in (b"[]", b"{}", b"1", b'""', b"null")]
        lines.append(b"{" + b",".join(numbers) + b"}")
        before = proc_status(self.daemon.pid, "RssAnon")
        for line in lines * 5:
            self.assertLess(len(line), LIMIT)
            self.client.send_line(line)
            self.assert_error(self.client.next()["error"], "invalid_request")
        self.assert_memory(proc_status(self.daemon.pid, "RssAnon") - before, 1024)


if __name__ == "__main__":
    unittest.main()
