"""Batches: order, size, what they count as."""

import unittest

from base import APP, DaemonTest, easy


def event(identifier=None, **params):
    message = {"method": "event", "params": {"app": APP} | params}
    return message if identifier is None else message | {"id": identifier}


class Batches(DaemonTest):
    def setUp(self):
        super().setUp()
        self.client = self.connect()

    def exchange(self, batch):
        self.client.send_line(batch)
        return self.client.next()

    def test_a_hundred_elements_are_answered_in_their_order(self):
        answers = self.exchange([event(n) for n in range(100)])
        self.assertEqual([answer["id"] for answer in answers], list(range(100)))
        self.assertEqual([a["result"]["events"] for a in answers], list(range(1, 101)))

    def test_a_hundred_and_one_are_one_error_and_nothing_is_done(self):
        answer = self.exchange([event(n) for n in range(101)])
        self.assertIsInstance(answer, dict)
        self.assertIsNone(answer["id"])
        self.assert_error(answer["error"], "invalid_request", max=100)
        self.assertEqual(self.client.ask("status", app=APP)["events"], 0)

    def test_the_limit_counts_notifications_and_rubbish_too(self):
        for element in (event(), 1):
            with self.subTest(element=element):
                answer = self.exchange([element] * 101)
                self.assert_error(answer["error"], "invalid_request", max=100)
        self.assertEqual(self.client.ask("status", app=APP)["events"], 0)

    def test_a_hundred_notifications_are_silent_and_done(self):
        self.client.send_line([event()] * 100)
        self.assertEqual(self.client.ask("status", app=APP)["events"], 100)
        self.assertFalse(self.client.inbox)

    def test_a_batch_in_a_batch_is_an_invalid_request(self):
        answers = self.exchange([[event(1)], event(2)])
        self.assertEqual([answer["id"] for answer in answers], [None, 2])
        self.assert_error(answers[0]["error"], "invalid_request")
        self.assertEqual(answers[1]["result"]["events"], 1)

    def test_a_bad_element_does_not_hold_up_its_neighbours(self):
        answers = self.exchange([event(1), event(2, count=0), event(3, nam="x"), event(4)])
        self.assertEqual([answer["id"] for answer in answers], [1, 2, 3, 4])
        self.assert_error(answers[1]["error"], "invalid_params", field="count")
        self.assert_error(answers[2]["error"], "invalid_params", field="nam")
        self.assertEqual(answers[3]["result"]["events"], 2)

    def test_a_batch_of_one_is_answered_by_a_batch_of_one(self):
        answers = self.exchange([{"method": "ping", "id": 1}])
        self.assertIsInstance(answers, list)
        self.assertEqual(len(answers), 1)

    def test_an_invalid_request_without_id_among_notifications_is_answered(self):
        answers = self.exchange([event(), {"method": 1}, event()])
        self.assertEqual([answer["id"] for answer in answers], [None])

    def test_hello_and_what_follows_it_in_one_batch(self):
        answers = self.exchange([
            {"method": "hello", "id": 1, "params": {"app": APP, "version": "1"}},
            {"method": "session", "id": 2}, {"method": "event", "id": 3}])
        self.assertEqual(answers[1]["result"]["sessions"], 1)
        self.assertEqual(answers[2]["result"]["events"], 1)

    def test_a_prompt_started_in_a_batch_comes_after_its_answer(self):
        self.client.send_line([
            {"method": "request", "id": 1, "params": {"app": APP, "version": "1"}},
            {"method": "ping", "id": 2}])
        answers = self.client.next()
        self.assertEqual(answers[0]["result"]["decision"], "pending")
        self.assertEqual(self.client.next()["method"], "prompt")

    def test_a_cancellation_in_a_batch_comes_before_the_answer(self):
        self.client.ask("request", app=APP, version="1", debounce_ms=600_000)
        self.client.send_line([{"method": "activity", "id": "b", "params": {"app": APP}}])
        self.assertEqual(self.client.next()["method"], "cancelled")
        self.assertTrue(self.client.next()[0]["result"]["cancelled"])


class BatchRates(DaemonTest):
    config = easy(daemon={"RateLimitPerSec": 1, "RateLimitBurst": 50})

    def test_each_element_counts_for_the_rate(self):
        client = self.connect()
        client.send_line([event(n) for n in range(100)])
        answers = client.next()
        done = [answer for answer in answers if "result" in answer]
        self.assertLess(len(done), 60)
        self.assertGreaterEqual(len(done), 50)
        for answer in answers:
            if "error" in answer:
                self.assert_error(answer["error"], "rate_limited")


if __name__ == "__main__":
    unittest.main()
