"""The examples of the JSON-RPC 2.0 specification (its section 7), with ratingd's methods."""

import json
import unittest

from base import APP, DaemonTest


class JsonRpcExamples(DaemonTest):
    def setUp(self):
        super().setUp()
        self.client = self.connect()

    def exchange(self, line):
        """Sends a line as it is; the next message."""
        self.client.send_line(line)
        return self.client.next()

    def assert_silent(self, line):
        """The line is answered by nothing: the next message is the answer to a later ping."""
        self.client.send_line(line)
        marker = self.client.begin("ping")
        self.assertEqual(self.client.next()["id"], marker)

    def test_named_parameters(self):
        answer = self.exchange(
            '{"jsonrpc": "2.0", "method": "event", "params": {"app": "%s", "count": 2}, "id": 3}' % APP)
        self.assertEqual(
            answer, {"jsonrpc": "2.0", "result": {"events": 2, "name_total": 2}, "id": 3})
        answer = self.exchange(
            '{"jsonrpc": "2.0", "method": "event", "params": {"count": 1, "app": "%s"}, "id": 4}' % APP)
        self.assertEqual(answer["result"], {"events": 3, "name_total": 3})

    def test_positional_parameters_are_an_invalid_request(self):
        answer = self.exchange('{"jsonrpc": "2.0", "method": "event", "params": [42, 23], "id": 1}')
        self.assertEqual(answer["id"], 1)
        self.assert_error(answer["error"], "invalid_request")

    def test_a_notification_is_not_answered(self):
        self.assert_silent(
            '{"jsonrpc": "2.0", "method": "event", "params": {"app": "%s"}}' % APP)
        self.assertEqual(self.client.ask("status", app=APP)["events"], 1)

    def test_a_notification_of_an_unknown_method_is_not_answered(self):
        self.assert_silent('{"jsonrpc": "2.0", "method": "foobar"}')

    def test_a_notification_with_bad_params_is_not_answered(self):
        self.assert_silent('{"method": "event", "params": {"app": "%s", "count": 0}}' % APP)

    def test_a_call_of_a_method_that_is_not_there(self):
        answer = self.exchange('{"jsonrpc": "2.0", "method": "foobar", "id": "1"}')
        self.assertEqual(answer["id"], "1")
        self.assertEqual(answer["jsonrpc"], "2.0")
        self.assert_error(answer["error"], "method_not_found")

    def test_a_call_with_invalid_json(self):
        answer = self.exchange('{"jsonrpc": "2.0", "method": "foobar, "params": "bar", "baz]')
        self.assertIsNone(answer["id"])
        self.assert_error(answer["error"], "parse_error")

    def test_a_call_with_an_invalid_request_object(self):
        answer = self.exchange('{"jsonrpc": "2.0", "method": 1, "params": "bar"}')
        self.assertIsNone(answer["id"])
        self.assert_error(answer["error"], "invalid_request")

    def test_a_batch_with_invalid_json(self):
        answer = self.exchange(
            '[{"jsonrpc": "2.0", "method": "ping", "id": "1"}, {"jsonrpc": "2.0", "method"]')
        self.assertIsNone(answer["id"])
        self.assert_error(answer["error"], "parse_error")

    def test_an_empty_array(self):
        answer = self.exchange("[]")
        self.assertIsInstance(answer, dict)
        self.assertIsNone(answer["id"])
        self.assert_error(answer["error"], "invalid_request")

    def test_an_invalid_batch_that_is_not_empty(self):
        answers = self.exchange("[1]")
        self.assertEqual(len(answers), 1)
        self.assertIsNone(answers[0]["id"])
        self.assert_error(answers[0]["error"], "invalid_request")

    def test_a_batch_of_invalid_requests(self):
        answers = self.exchange("[1,2,3]")
        self.assertEqual([answer["id"] for answer in answers], [None] * 3)
        for answer in answers:
            self.assert_error(answer["error"], "invalid_request")

    def test_a_mixed_batch(self):
        answers = self.exchange(json.dumps([
            {"jsonrpc": "2.0", "method": "event", "params": {"app": APP, "count": 7}, "id": "1"},
            {"jsonrpc": "2.0", "method": "event", "params": {"app": APP}},
            {"jsonrpc": "2.0", "method": "status", "params": {"app": APP}, "id": "2"},
            {"foo": "boo"},
            {"jsonrpc": "2.0", "method": "foo.get", "params": {"name": "myself"}, "id": "5"},
            {"jsonrpc": "2.0", "method": "ping", "id": "9"},
        ]))
        self.assertEqual([answer["id"] for answer in answers], ["1", "2", None, "5", "9"])
        self.assertEqual(answers[0]["result"]["events"], 7)
        self.assertEqual(answers[1]["result"]["events"], 8)
        self.assert_error(answers[2]["error"], "invalid_request")
        self.assert_error(answers[3]["error"], "method_not_found")
        self.assertTrue(answers[4]["result"]["pong"])

    def test_a_batch_of_notifications_is_not_answered(self):
        self.assert_silent(json.dumps([
            {"jsonrpc": "2.0", "method": "event", "params": {"app": APP}},
            {"jsonrpc": "2.0", "method": "event", "params": {"app": APP, "name": "x"}},
        ]))
        self.assertEqual(self.client.ask("status", app=APP)["events"], 2)


class RequestObjects(DaemonTest):
    def setUp(self):
        super().setUp()
        self.client = self.connect()

    def exchange(self, **members):
        self.client.send_line(members)
        return self.client.next()

    def test_the_member_jsonrpc_may_be_left_out(self):
        self.assertTrue(self.exchange(method="ping", id=1)["result"]["pong"])

    def test_every_answer_says_jsonrpc_2_0_even_so(self):
        self.assertEqual(self.exchange(method="ping", id=1)["jsonrpc"], "2.0")
        self.assertEqual(self.exchange(method="nope", id=1)["jsonrpc"], "2.0")

    def test_another_version_is_an_invalid_request(self):
        for version in ("1.0", "2", 2.0, 2, None, True):
            with self.subTest(version=version):
                answer = self.exchange(jsonrpc=version, method="ping", id=8)
                self.assertEqual(answer["id"], 8)
                self.assert_error(answer["error"], "invalid_request")

    def test_ids_come_back_as_they_came(self):
        for value in (0, 1, -1, 2**53 - 1, -(2**53 - 1), "", "1", "é\u0000\n\"\\😀", "x" * 1000, None):
            with self.subTest(id=value):
                answer = self.exchange(method="ping", id=value)
                self.assertIn("id", answer)
                self.assertEqual(answer["id"], value)
                self.assertIs(type(answer["id"]), type(value))
                self.assertTrue(answer["result"]["pong"])

    def test_minus_zero_is_zero(self):
        self.client.send_line('{"method":"ping","id":-0}')
        self.assertEqual(self.client.read_line().count(b'"id":0'), 1)

    def test_other_ids_are_an_invalid_request_with_id_null(self):
        for value in ("1.5", "1.0", "1e2", "true", "false", "[]", "[1]", "{}"):
            with self.subTest(id=value):
                self.client.send_line('{"method":"ping","id":%s}' % value)
                answer = self.client.next()
                self.assertIsNone(answer["id"])
                self.assert_error(answer["error"], "invalid_request")

    def test_params_must_be_an_object(self):
        for value in (None, [], [1], "x", 1, True):
            with self.subTest(params=value):
                answer = self.exchange(method="ping", id=7, params=value)
                self.assertEqual(answer["id"], 7)
                self.assert_error(answer["error"], "invalid_request")

    def test_empty_params_are_fine(self):
        self.assertTrue(self.exchange(method="ping", id=7, params={})["result"]["pong"])

    def test_the_method_must_be_a_string_and_there(self):
        for members in ({}, {"method": None}, {"method": 1}, {"method": ["ping"]}, {"params": {}}):
            with self.subTest(members=members):
                answer = self.exchange(id=6, **members)
                self.assertEqual(answer["id"], 6)
                self.assert_error(answer["error"], "invalid_request")

    def test_unknown_members_are_named(self):
        answer = self.exchange(method="ping", id=1, extra=1)
        self.assertEqual(answer["id"], 1)
        self.assert_error(answer["error"], "invalid_request", field="extra")

    def test_unknown_members_after_the_id_or_before_it_make_no_difference(self):
        self.client.send_line('{"extra":{"deep":[1]},"id":"a","method":"ping"}')
        answer = self.client.next()
        self.assertEqual(answer["id"], "a")
        self.assert_error(answer["error"], "invalid_request", field="extra")

    def test_methods_are_case_sensitive_and_whole_words(self):
        for method in ("Ping", "PING", "ping ", "", "pin", "pingg", "rpc.ping", "prompt"):
            with self.subTest(method=method):
                self.assert_error(self.exchange(method=method, id=1)["error"], "method_not_found")

    def test_texts_that_are_no_object_are_invalid_requests(self):
        for text in ("1", '"ping"', "null", "true", "-0", "1.5"):
            with self.subTest(text=text):
                self.client.send_line(text)
                answer = self.client.next()
                self.assertIsNone(answer["id"])
                self.assert_error(answer["error"], "invalid_request")

    def test_white_space_and_escapes_are_json(self):
        self.client.send_line(' \t{ "m\\u0065thod" :\t"p\\u0069ng" , "id" : "\\ud83d\\ude00" } \t')
        answer = self.client.next()
        self.assertEqual(answer["id"], "😀")
        self.assertTrue(answer["result"]["pong"])


if __name__ == "__main__":
    unittest.main()
