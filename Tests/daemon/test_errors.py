"""Every row of the error table, and which error is reported when several things are wrong."""

import errno
import os
import shutil
import signal
import unittest

from base import APP, DaemonTest, easy
from ratingd_daemon import eventually


class ErrorTable(DaemonTest):
    controls = True
    config = easy(daemon={"EventNamesPerAppMax": 2})

    def setUp(self):
        super().setUp()
        self.client = self.connect()

    def assert_line(self, line, reason, **data):
        self.client.send_line(line)
        answer = self.client.next()
        self.assertIsNone(answer["id"])
        self.assert_error(answer["error"], reason, **data)

    def test_parse_error(self):
        self.assert_line("{", "parse_error")

    def test_invalid_request(self):
        self.assert_line("1", "invalid_request")
        self.assert_line("[" + ",".join("1" * 101) + "]", "invalid_request", max=100)
        self.client.send_line('{"method":"ping","id":1,"ID":2}')
        self.assert_error(self.client.next()["error"], "invalid_request", field="ID")

    def test_method_not_found(self):
        self.assert_error(self.client.error("pign"), "method_not_found")

    def test_invalid_params(self):
        self.assert_error(self.client.error("event", app=APP, count=0), "invalid_params", field="count")

    def test_storage_unavailable(self):
        self.client.ask("hello", app=APP, version="1")
        self.clock.set("sync_errno", errno.EIO)
        for method, params in (
                ("opt_out", {}), ("opt_in", {}), ("forget", {"app": APP})):
            with self.subTest(method=method):
                error = self.client.error(method, **params)
                self.assert_error(error, "storage_unavailable")
                self.assertTrue(error["data"]["detail"])
        self.clock.set("sync_errno", 0)

    def test_not_permitted(self):
        self.client.ask("hello", app=APP, version="1")
        error = self.client.error("request", debug=True)
        self.assert_error(error, "not_permitted")
        self.assertIn("identity", error["data"])

    def test_quota_exceeded(self):
        for name in ("a", "b"):
            self.client.ask("event", app=APP, name=name)
        self.assert_error(
            self.client.error("event", app=APP, name="c"), "quota_exceeded",
            limit="event_names_per_app", max=2)
        self.assertEqual(self.client.ask("event", app=APP, name="a")["events"], 3)

    def test_not_found(self):
        self.assert_error(
            self.client.error("outcome", token="nobody-gave-this", result="rated"), "not_found")

    def test_line_too_long(self):
        self.assert_line("x" * 65_536, "line_too_long", max=65_536)

    def test_conflict(self):
        self.client.ask("hello", app=APP, version="1")
        prompt = self.prompt_and(self.client, "rated")
        self.assert_error(
            self.client.error("outcome", token=prompt["token"], result="later"), "conflict",
            outcome="rated")

    def test_messages_name_the_value_and_what_is_allowed(self):
        error = self.client.error("event", app=APP, count=10_001)
        self.assertRegex(error["message"], "10[_ ,.]?000")
        error = self.client.error("request", app=APP, version="1", on_activity="nope")
        self.assertIn("restart", error["message"])


class RateLimited(DaemonTest):
    config = easy(daemon={"RateLimitPerSec": 1, "RateLimitBurst": 20})

    def exhaust(self, client):
        """Uses the burst up; the first refusal."""
        for _ in range(40):
            answer = client.call("ping")
            if "error" in answer:
                return answer["error"]
        raise AssertionError("40 requests at once are within a burst of 20")

    def test_over_the_burst(self):
        client = self.connect()
        error = self.exhaust(client)
        self.assert_error(error, "rate_limited")
        wait = error["data"]["retry_after_ms"]
        self.assertIs(type(wait), int)
        self.assertTrue(0 < wait <= 1000, wait)

    def test_another_connection_is_not_punished(self):
        self.exhaust(self.connect())
        self.assertTrue(self.connect().ask("ping")["pong"])

    def test_notifications_count_and_are_counted_by_stats(self):
        client = self.connect()
        for _ in range(60):
            client.notify("event", app=APP)
        self.assert_error(client.error("ping"), "rate_limited")
        events = self.connect().ask("status", app=APP)["events"]
        self.assertTrue(15 <= events <= 30, events)

    def test_it_goes_on_after_the_wait(self):
        client = self.connect()
        self.exhaust(client)
        eventually(lambda: "result" in client.call("ping"), "a refilled rate")

    def test_an_unknown_method_is_reported_first(self):
        client = self.connect()
        self.exhaust(client)
        self.assert_error(client.error("nope"), "method_not_found")
        self.assert_error(client.error("event", app=APP, nam=1), "rate_limited")
        self.assert_error(client.error("event", app=APP, count=0), "rate_limited")


class RateLimitOff(DaemonTest):
    config = easy(daemon={"RateLimitPerSec": 0})

    def test_zero_is_off(self):
        client = self.connect()
        for _ in range(20):
            client.send(b'{"method":"event","params":{"app":"org.example.Notes"}}\n' * 1000)
            client.ask("ping")
        self.assertEqual(client.ask("status", app=APP)["events"], 20_000)


class Precedence(DaemonTest):
    def setUp(self):
        super().setUp()
        self.client = self.connect()

    def assert_first(self, method, params, reason, **data):
        self.assert_error(self.client.error(method, **params), reason, **data)

    def test_an_unknown_method_before_its_params(self):
        self.assert_first("nope", {"x": None}, "method_not_found")

    def test_an_unknown_member_before_a_bad_value(self):
        for params in ({"count": 0, "cuont": 1}, {"aaa": 1, "count": 0}, {"count": None, "zzz": 1}):
            with self.subTest(params=params):
                unknown = next(name for name in params if name != "count")
                self.assert_first("event", params, "invalid_params", field=unknown)

    def test_a_bad_value_before_a_missing_app(self):
        self.assert_first("event", {"count": 0}, "invalid_params", field="count")
        self.assert_first("request", {"on_activity": 1}, "invalid_params", field="on_activity")

    def test_a_missing_app_or_version_before_not_permitted(self):
        self.assert_first("request", {"debug": True}, "invalid_params", field="app")
        self.assert_first("request", {"debug": True, "app": APP}, "invalid_params", field="version")

    def test_a_bad_value_before_an_unknown_token(self):
        self.assert_first(
            "outcome", {"token": "no", "result": "nope"}, "invalid_params", field="result")

    def test_not_permitted_before_the_state(self):
        daemon = self.make_daemon(easy())
        shutil.rmtree(daemon.state_dir)
        with open(daemon.state_dir, "wb") as file:
            file.write(b"a file where the state directory should be")
        client = daemon.start().connect()
        params = {"app": APP, "version": "1"}
        self.assert_error(client.error("request", debug=True, **params), "not_permitted")
        self.assert_error(client.error("request", **params), "storage_unavailable")
        os.unlink(daemon.state_dir)

    def test_an_invalid_request_before_an_unknown_method(self):
        self.client.send_line('{"method":"nope","id":1,"extra":1}')
        self.assert_error(self.client.next()["error"], "invalid_request", field="extra")


class ShuttingDown(DaemonTest):
    """SIGTERM with a slow disk: what arrives in between is told so, or the line is already closed."""

    controls = True

    def test_a_request_after_sigterm_is_refused_or_finds_the_end(self):
        client = self.connect(APP)
        self.clock.set("sync_sleep_ms", 300)
        first = client.begin("opt_out")
        self.daemon.signal(signal.SIGTERM)
        eventually(lambda: not os.path.exists(self.daemon.socket_path) or self.ended(), "the end")
        try:
            late = [client.begin("event", count=0), client.begin("nope"), client.begin("event")]
        except BrokenPipeError:
            late = []
        messages = client.rest()
        answers = {m["id"]: m for m in messages if "method" not in m}
        self.assertTrue("result" in answers[first] or self.is_shutting_down(answers[first]))
        self.assertEqual(messages[-1]["params"], {"reason": "shutting_down"})
        for identifier, reason in zip(
                late, ("shutting_down", "method_not_found", "shutting_down")):
            if identifier in answers:
                self.assert_error(answers[identifier]["error"], reason)
        self.assertEqual(self.daemon.wait(), 0)

    def is_shutting_down(self, answer):
        return answer["error"]["data"]["reason"] == "shutting_down"

    def ended(self):
        return self.daemon.process.poll() is not None


if __name__ == "__main__":
    unittest.main()
