"""Order of answers and notifications; half-closed and closed connections."""

import json
import os
import unittest

from base import APP, DaemonTest, easy
from ratingd_client import kinds
from ratingd_daemon import eventually


class Order(DaemonTest):
    def setUp(self):
        super().setUp()
        self.client = self.connect(APP)

    def test_answers_come_in_the_order_of_the_requests(self):
        methods = ["ping", "status", "event", "nope", "whoami", "session", "history", "stats"]
        sent = [self.client.message(methods[n % 8]) for n in range(400)]
        self.client.send(b"".join(self.line(message) for message in sent))
        self.assertEqual(
            [self.client.next()["id"] for _ in sent], [message["id"] for message in sent])

    @staticmethod
    def line(message):
        return json.dumps(message).encode() + b"\n"

    def test_errors_keep_their_place_among_answers(self):
        self.client.send(
            b'{"method":"ping","id":"a"}\nrubbish\n{"method":"ping","id":"b"}\n' + b"x" * 70_000
            + b'\n{"method":"ping","id":"c"}\n[]\n{"method":"ping","id":"d"}\n')
        self.assertEqual(
            [self.client.next()["id"] for _ in range(7)], ["a", None, "b", None, "c", None, "d"])

    def test_synced_answers_keep_their_place(self):
        sent = [self.client.begin(method) for method in ("opt_out", "ping", "opt_in", "ping") * 10]
        self.assertEqual([self.client.next()["id"] for _ in sent], sent)

    def test_cancelled_comes_before_the_answer_that_caused_it(self):
        self.client.ask("request", debounce_ms=600_000)
        for method, params in (
                ("activity", {}), ("cancel", {}), ("forget", {"app": APP}), ("opt_out", {})):
            with self.subTest(method=method):
                identifier = self.client.begin(method, **params)
                self.assertEqual(
                    kinds([self.client.next(), self.client.next()]), ["cancelled", identifier])
                self.client.ask("opt_in")
                self.client.ask("request", debounce_ms=600_000)

    def test_superseded_comes_before_the_answer_of_the_newer_request(self):
        first = self.client.ask("request", debounce_ms=600_000)
        identifier = self.client.begin("request", debounce_ms=600_000)
        messages = [self.client.next(), self.client.next()]
        self.assertEqual(kinds(messages), ["cancelled", identifier])
        self.assertEqual(messages[0]["params"]["token"], first["token"])
        self.assertNotEqual(messages[1]["result"]["token"], first["token"])

    def test_the_prompt_comes_after_the_answer(self):
        for _ in range(10):
            identifier = self.client.begin("request", debounce_ms=0)
            messages = [self.client.next(), self.client.next()]
            self.assertEqual(kinds(messages), [identifier, "prompt"])
            self.client.ask("outcome", token=messages[0]["result"]["token"], result="dismissed")

    def test_a_request_and_its_activity_in_one_write(self):
        lines = [self.client.message("request", debounce_ms=0), self.client.message("activity")]
        self.client.send(b"".join(map(self.line, lines)))
        first = self.client.next()
        self.assertEqual(first["id"], lines[0]["id"])
        rest = kinds([self.client.next(), self.client.next()])
        # Either it was still waiting when the activity came, or it had been prompted.
        self.assertIn(rest, (["cancelled", lines[1]["id"]], ["prompt", lines[1]["id"]],
                             [lines[1]["id"], "prompt"]))
        if rest[0] == "cancelled":
            self.assertEqual(self.client.ask("history")["grants"], [])

    def test_two_requests_in_one_write(self):
        lines = [self.client.message("request", debounce_ms=300) for _ in range(2)]
        self.client.send(b"".join(map(self.line, lines)))
        messages = [self.client.next() for _ in range(4)]
        self.assertEqual(
            kinds(messages), [lines[0]["id"], "cancelled", lines[1]["id"], "prompt"])
        self.assertEqual(messages[3]["params"]["token"], messages[2]["result"]["token"])


class HalfClosed(DaemonTest):
    config = easy(DebounceMs=300)

    def test_all_answers_come_before_the_end(self):
        client = self.connect(APP)
        sent = [client.begin("event") for _ in range(100)]
        client.half_close()
        self.assertEqual(kinds(client.rest()), sent)

    def test_without_anything_to_answer_the_connection_ends(self):
        client = self.connect()
        client.half_close()
        self.assertEqual(client.rest(), [])

    def test_a_pending_request_is_waited_for(self):
        client = self.connect(APP)
        identifier = client.begin("request")
        client.half_close()
        self.assertEqual(kinds(client.rest()), [identifier, "prompt"])

    def test_a_pending_request_that_is_cancelled_ends_it_too(self):
        client = self.connect(APP)
        client.ask("request", debounce_ms=600_000)
        client.half_close()
        self.connect().ask("activity", app=APP)
        messages = client.rest()
        self.assertEqual(kinds(messages), ["cancelled"])
        self.assertEqual(messages[0]["params"]["reason"], "activity")

    def test_with_a_subscription_it_lives_until_it_closes(self):
        client = self.connect()
        client.ask("subscribe", topics=["counters"])
        client.half_close()
        other = self.connect()
        for number in range(3):
            other.ask("event", app=APP)
            self.assertEqual(client.wait("counter")["value"], number + 1)


class Closed(DaemonTest):
    config = easy(DebounceMs=300)

    def events(self):
        return self.connect().ask("status", app=APP)["events"]

    def test_what_was_sent_before_the_close_is_carried_out(self):
        client = self.connect()
        for _ in range(500):
            client.notify("event", app=APP)
        client.close()
        eventually(lambda: self.events() == 500, "500 events of a closed connection")

    def test_requests_whose_answers_no_one_reads_are_carried_out_too(self):
        client = self.connect()
        for _ in range(500):
            client.begin("event", app=APP)
        client.close()
        eventually(lambda: self.events() == 500, "500 events of a closed connection")

    def test_a_request_whose_sender_is_gone_is_cancelled_and_consumes_nothing(self):
        watcher = self.connect()
        watcher.ask("subscribe", topics=["decisions"])
        client = self.connect(APP)
        token = client.ask("request", debounce_ms=600_000)["token"]
        client.close()
        self.assertEqual(watcher.wait("decision")["decision"], "pending")
        decision = watcher.wait("decision")
        self.assertEqual(
            (decision["decision"], decision["reason"], decision["token"]),
            ("cancelled", "disconnected", token))
        self.assertEqual(watcher.ask("history", app=APP)["grants"], [])
        self.assertIsNone(watcher.ask("status", app=APP)["pending"])

    def test_a_process_that_ends_without_closing_is_gone_as_well(self):
        watcher = self.connect()
        watcher.ask("subscribe", topics=["decisions"])
        child = os.fork()
        if child == 0:
            client = self.connect(APP)
            client.ask("request", debounce_ms=600_000)
            os._exit(0)
        os.waitpid(child, 0)
        self.assertEqual(watcher.wait("decision")["decision"], "pending")
        self.assertEqual(watcher.wait("decision")["reason"], "disconnected")


if __name__ == "__main__":
    unittest.main()
