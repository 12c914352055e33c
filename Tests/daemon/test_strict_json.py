"""Strict JSON: what RFC 8259 forbids, and the narrower rules of the protocol."""

import json
import unittest

from base import APP, DaemonTest


class StrictJson(DaemonTest):
    def setUp(self):
        super().setUp()
        self.client = self.connect()

    def exchange(self, line):
        self.client.send_line(line)
        return self.client.next()

    def assert_parse_error(self, line):
        answer = self.exchange(line)
        self.assertIsNone(answer["id"], line)
        self.assert_error(answer["error"], "parse_error")
        self.assertTrue(self.client.ask("ping")["pong"])

    def assert_all_parse_errors(self, lines):
        for line in lines:
            with self.subTest(line=line[:80]):
                self.assert_parse_error(line)

    def hello_with(self, value):
        """A hello whose policy has a member that is ignored, with this JSON text as its value."""
        return ('{"method":"hello","id":1,"params":{"app":"%s","version":"1","policy":{"x":%s}}}'
                % (APP, value))

    def assert_ignored_member(self, value):
        self.assertEqual(self.exchange(self.hello_with(value))["result"]["ignored"], ["x"])

    def test_grammar(self):
        self.assert_all_parse_errors([
            b'{"method":"ping","id":1,}', b'[{"method":"ping","id":1},]', b"[1,2,]", b"[,]",
            b'{"method":"ping" "id":1}', b"{'method':'ping','id':1}", b'{method:"ping","id":1}',
            b'{"method":"ping","id":1', b'{"method":"ping","id":1}}', b'{"method":"ping","id":1} x',
            b'{"method":"ping","id":1}{"method":"ping","id":2}', b'{"method":"ping","id":}',
            b'// c\t{"method":"ping","id":1}', b'/* c */{"method":"ping","id":1}', b" ", b"\t",
            b'{"method":"ping","id":"unfinished', b'"', b"nul", b"True", b"NaN", b"Infinity",
            b"-Infinity", b"undefined", b"-", b"+1", b"01", b"-01", b"1.", b".5", b"1e", b"1e+",
            b"0x10", b"1_000", b"--1", b'{"id":01,"method":"ping"}', b'{"id":1.,"method":"ping"}',
            b'{"id":NaN,"method":"ping"}', b"\x0b{}", b"\xc2\xa0{}", b"ping", b"GET / HTTP/1.1",
        ])

    def test_strings(self):
        self.assert_all_parse_errors([
            b'{"method":"ping","id":"a\tb"}', b'{"method":"ping","id":"a\x01b"}',
            b'{"method":"ping","id":"a\x1fb"}', rb'{"method":"ping","id":"\x41"}',
            rb'{"method":"ping","id":"\u12"}', rb'{"method":"ping","id":"\u12G4"}',
            rb'{"method":"ping","id":"\q"}', rb'{"method":"ping","id":"\"}', rb'"\u"',
        ])

    def test_lone_surrogates(self):
        self.assert_all_parse_errors([
            rb'{"method":"ping","id":"\ud800"}', rb'{"method":"ping","id":"\udc00"}',
            rb'{"method":"ping","id":"\udc00\ud800"}', rb'{"method":"ping","id":"\ud83dx\ude00"}',
            rb'{"method":"ping","id":"\ud83d\ud83d\ude00"}', rb'{"method":"ping","\udead":1}',
            self.hello_with(r'"\ud800"').encode(), self.hello_with(r'{"\ud800":1}').encode(),
        ])

    def test_utf_8_only(self):
        ping = '{"method":"ping","id":1}'
        self.assert_all_parse_errors([
            b"\xef\xbb\xbf" + ping.encode(), b'{"method":"ping","id":"\xff"}',
            b'{"method":"ping","id":"\xc3"}', b'{"method":"ping","id":"\xc0\xaf"}',
            b'{"method":"ping","id":"\xed\xa0\x80"}', b'{"method":"ping","id":"\xf4\x90\x80\x80"}',
            b'{"method":"ping","id":"\xe2\x82"}', b'{"method":"ping","id":"\xf8\x88\x80\x80\x80"}',
            '{"method":"ping","id":"é"}'.encode("latin-1"), b'{"m\xffethod":"ping","id":1}',
        ])

    def test_utf_16_and_32_in_either_order(self):
        # Their line feeds are units of their own: each text ends in the middle of a line.
        for encoding in ("utf-16", "utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"):
            with self.subTest(encoding=encoding):
                client = self.connect()
                client.send_line('{"method":"ping","id":1}'.encode(encoding))
                answer = client.next()
                self.assertIsNone(answer["id"])
                self.assert_error(answer["error"], "parse_error")

    def test_text_of_all_lengths_comes_back(self):
        for text in ("é", "€", "😀", "\x7f", "e\u0301", "\u2028", "\ufeff", "\ud7ff", "\U0010ffff"):
            with self.subTest(text=text):
                line = json.dumps({"method": "ping", "id": text}, ensure_ascii=False)
                self.assertEqual(self.exchange(line)["id"], text)

    def test_duplicate_names(self):
        self.assert_all_parse_errors([
            b'{"method":"ping","id":1,"id":2}', b'{"method":"ping","id":1,"id":1}',
            b'{"method":"ping","method":"ping","id":1}', rb'{"method":"ping","id":1,"\u0069d":1}',
            rb'{"method":"ping","id":1,"\u0069\u0064":1}', b'[{"method":"ping","id":1,"id":2}]',
            b'{"method":"ping","id":1,"x":1,"x":2}', b'{"method":"ping","id":1,"":1,"":2}',
            self.hello_with('{"a":1,"b":{"c":1,"c":1}}').encode(),
            self.hello_with('[[{"a":1,"\\u0061":1}]]').encode(),
            self.hello_with('{"\\/":1,"/":1}').encode(),
            self.hello_with('{"\\ud83d\\ude00":1,"😀":1}').encode(),
        ])

    def test_a_duplicate_far_from_its_twin(self):
        members = ",".join(f'"k{n}":{n}' for n in range(3000))
        self.assert_ignored_member("{" + members + "}")
        self.assert_parse_error(self.hello_with("{" + members + ',"k\\u0030":0}').encode())

    def test_names_are_compared_as_bytes(self):
        self.assert_ignored_member('{"é":1,"e\\u0301":2}')
        self.assert_ignored_member('{"a":1,"A":2," a":3,"a\\u0000":4}')

    def test_the_same_name_in_two_objects_is_no_duplicate(self):
        self.assert_ignored_member('[{"a":1},{"a":1,"b":{"a":1}}]')

    def test_nesting_of_32_is_read_and_33_is_not(self):
        # Request object, params and policy are three levels; what follows are the others.
        self.assert_ignored_member("[" * 29 + "]" * 29)
        self.assert_ignored_member('{"a":' * 29 + "1" + "}" * 29)
        self.assert_parse_error(self.hello_with("[" * 30 + "]" * 30))
        self.assert_parse_error(self.hello_with('{"a":' * 30 + "1" + "}" * 30))
        self.assert_parse_error("[" * 33 + "]" * 33)
        self.assert_error(self.exchange("[" * 32 + "]" * 32)[0]["error"], "invalid_request")

    def test_nesting_as_deep_as_a_line_can_hold(self):
        for depth in (34, 100, 512, 1024, 5000, 32_000):
            with self.subTest(depth=depth):
                self.assert_parse_error("[" * depth + "]" * depth)
                self.assert_parse_error("[" * depth)
        self.assert_parse_error('{"a":' * 13_000)

    def test_nesting_of_200_000_is_too_long_a_line_and_nothing_worse(self):
        self.client.send_line("[" * 200_000 + "]" * 200_000)
        self.assert_error(self.client.next()["error"], "line_too_long")
        self.assertTrue(self.client.ask("ping")["pong"])

    def test_brackets_in_strings_are_no_nesting(self):
        self.assert_ignored_member(json.dumps("[" * 1000))
        self.assert_ignored_member(json.dumps('\\"[{' * 500))

    def test_integers_up_to_2_to_the_53(self):
        limit = 2**53 - 1
        self.assert_ignored_member(f"[{limit},{-limit}]")
        self.assert_all_parse_errors([
            self.hello_with(text) for text in (
                f"{limit + 1}", f"{-limit - 1}", "9223372036854775807", "9223372036854775808",
                "-9223372036854775808", "18446744073709551615", "18446744073709551616",
                "1" + "0" * 30, "-1" + "0" * 30, "1" + "0" * 400)])
        self.assert_parse_error('{"method":"ping","id":9007199254740992}')

    def test_numbers_that_overflow_a_double(self):
        self.assert_all_parse_errors([
            self.hello_with(text) for text in ("1e999", "-1e999", "1e309", "1.8e308", "1E+400")])
        for text in ("1e308", "1.7976931348623157e308", "1e-999", "0.1", "-0.0", "1E2", "0e0"):
            with self.subTest(text=text):
                self.assert_ignored_member(text)

    def test_minus_zero_is_zero_where_an_integer_is_wanted(self):
        self.client.ask("hello", app=APP, version="1")
        self.assertEqual(
            self.exchange('{"method":"request","id":1,"params":{"debounce_ms":-0}}')["result"]
            ["fires_in_ms"], 0)

    def test_fractions_and_exponents_where_an_integer_is_wanted(self):
        for text in ("1.0", "1e2", "1E0", "1.5", "1e0", "100e-2", "1e308"):
            with self.subTest(text=text):
                answer = self.exchange(
                    '{"method":"event","id":1,"params":{"app":"%s","count":%s}}' % (APP, text))
                self.assertEqual(answer["id"], 1)
                self.assert_error(answer["error"], "invalid_params", field="count")
        self.assertEqual(self.client.ask("status", app=APP)["events"], 0)

    def test_nul_bytes_in_and_between_lines(self):
        self.assert_all_parse_errors([
            b"\x00", b'\x00{"method":"ping","id":1}', b'{"method":"ping","id":1}\x00',
            b'{"method":"ping"\x00,"id":1}', b'{"method":"pi\x00ng","id":1}', b"\x00" * 1000,
        ])

    def test_escaped_nul_in_names_of_apps_and_events(self):
        for params, field in (({"app": "org.a\0b"}, "app"), ({"app": "org.a\0"}, "app"),
                              ({"app": APP, "name": "a\0b"}, "name")):
            with self.subTest(params=params):
                self.assert_error(
                    self.client.error("event", **params), "invalid_params", field=field)

    def test_versions_that_differ_after_a_nul_or_in_their_form_are_different(self):
        self.client.ask("hello", app=APP, version="1")
        versions = ["é", "e\u0301", "1.0", "1.0.0", "4.9.9", "4.9.10"]
        for version in versions:
            self.prompt_and(self.client, "dismissed", version=version)
        self.assertEqual(
            sorted(self.client.ask("status")["prompted_versions"]), sorted(versions))


if __name__ == "__main__":
    unittest.main()
