"""The check after the wait: the daemon asks the app once more."""

import unittest

from base import APP, DaemonTest, easy
from ratingd_client import NO_ANSWER
from ratingd_daemon import eventually


class Confirm(DaemonTest):
    config = easy(ConfirmTimeoutMs=60_000)

    def client(self, answer=NO_ANSWER):
        asked = []

        def confirm(params):
            asked.append(params)
            return answer

        client = self.connect(APP, confirm=confirm)
        client.asked = asked
        return client

    def assert_cancelled(self, client, token, reason):
        self.assertEqual(
            client.wait("cancelled"), {"token": token, "app": APP, "reason": reason})
        self.assertEqual(client.ask("history")["grants"], [])
        self.assertEqual(client.ask("status")["prompted_versions"], [])

    def test_yes(self):
        client = self.client(True)
        token = self.pending(client, confirm=True)
        self.assertEqual(client.wait("prompt")["token"], token)
        self.assertEqual(client.asked, [{"token": token, "app": APP}])

    def test_the_request_is_a_json_rpc_request_with_a_string_id(self):
        client = self.connect(APP)
        token = self.pending(client, confirm=True)
        message = client.next()
        self.assertEqual(set(message), {"jsonrpc", "id", "method", "params"})
        self.assertEqual((message["jsonrpc"], message["method"]), ("2.0", "confirm"))
        self.assertIs(type(message["id"]), str)
        self.assertEqual(message["params"], {"token": token, "app": APP})
        client.send_line({"id": message["id"], "result": True})
        self.assertEqual(client.wait("prompt")["token"], token)

    def test_without_confirm_no_one_is_asked(self):
        client = self.client(False)
        self.prompt(client, confirm=False)
        self.assertEqual(client.asked, [])

    def test_no(self):
        client = self.client(False)
        token = self.pending(client, confirm=True)
        self.assert_cancelled(client, token, "declined_by_app")
        client.confirm = lambda params: True
        self.prompt(client, confirm=True)

    def test_anything_but_true_is_no(self):
        for answer in (None, 1, "true", "yes", [], [True], {}, {"result": True}, 0, "", 1.0):
            with self.subTest(answer=answer):
                client = self.client(answer)
                token = self.pending(client, confirm=True)
                self.assert_cancelled(client, token, "declined_by_app")

    def test_an_error_is_no(self):
        client = self.client(Exception("the window is closed"))
        token = self.pending(client, confirm=True)
        self.assert_cancelled(client, token, "declined_by_app")

    def test_garbage_is_a_malformed_line_and_no_yes(self):
        client = self.client(b"true\n")
        token = self.pending(client, confirm=True)
        error = client.take(lambda message: "error" in message)
        self.assert_error(error["error"], "invalid_request")
        client.ask("cancel")
        self.assert_cancelled(client, token, "cancelled")

    def test_an_answer_with_another_id_is_no_yes(self):
        client = self.connect(APP)
        token = self.pending(client, confirm=True)
        client.wait("confirm")
        for identifier in ("other", 1, None):
            client.send_line({"jsonrpc": "2.0", "id": identifier, "result": True})
        client.ask("activity")
        self.assert_cancelled(client, token, "activity")

    def test_another_connection_cannot_answer(self):
        client, other = self.connect(APP), self.connect(APP)
        token = self.pending(client, confirm=True)
        client.wait("confirm")
        message = client.trace[-1]
        other.send_line({"jsonrpc": "2.0", "id": message["id"], "result": True})
        self.assertTrue(other.ask("ping")["pong"])
        self.assertEqual(client.ask("history")["grants"], [])
        client.ask("cancel")
        self.assert_cancelled(client, token, "cancelled")

    def test_activity_while_it_is_asked(self):
        client = self.client()
        token = self.pending(client, confirm=True)
        eventually(lambda: client.ask("ping") and client.asked, "the question")
        self.assertTrue(client.ask("activity")["cancelled"])
        self.assert_cancelled(client, token, "activity")

    def test_a_newer_request_while_it_is_asked(self):
        client = self.client()
        first = self.pending(client, confirm=True)
        eventually(lambda: client.ask("ping") and client.asked, "the question")
        second = self.pending(client)
        self.assertEqual(
            client.wait("cancelled"), {"token": first, "app": APP, "reason": "superseded"})
        self.assertEqual(client.wait("prompt")["token"], second)

    def test_a_late_yes_to_a_cancelled_request_changes_nothing(self):
        client = self.connect(APP)
        token = self.pending(client, confirm=True)
        client.wait("confirm")
        message = client.trace[-1]
        client.ask("cancel")
        client.send_line({"jsonrpc": "2.0", "id": message["id"], "result": True})
        self.assert_cancelled(client, token, "cancelled")
        self.assertEqual(client.notifications(), [])

    def test_two_answers_are_one_prompt(self):
        client = self.connect(APP)
        self.pending(client, confirm=True)
        client.wait("confirm")
        message = client.trace[-1]
        for answer in (True, True, False):
            client.send_line({"jsonrpc": "2.0", "id": message["id"], "result": answer})
        client.wait("prompt")
        self.assertEqual(client.notifications(), [])
        self.assertEqual(len(client.ask("history")["grants"]), 1)

    def test_the_rules_are_checked_again_after_the_yes(self):
        client = self.connect(APP)
        token = self.pending(client, confirm=True)
        client.wait("confirm")
        message = client.trace[-1]
        self.daemon.write_config("ratingd.conf", easy(EventsUntilPrompt=1))
        self.connect().ask("reload")
        client.send_line({"jsonrpc": "2.0", "id": message["id"], "result": True})
        self.assertEqual(client.wait("cancelled"), {
            "token": token, "app": APP, "reason": "ineligible", "reasons": ["events"]})

    def test_the_rules_are_checked_before_it_is_asked(self):
        client = self.client(True)
        self.pending(client, confirm=True, debounce_ms=400)
        self.daemon.write_config("ratingd.conf", easy(EventsUntilPrompt=1))
        client.ask("reload")
        self.assertEqual(client.wait("cancelled")["reason"], "ineligible")
        self.assertEqual(client.asked, [])

    def test_the_requester_gone_while_it_is_asked(self):
        watcher = self.connect()
        watcher.ask("subscribe", topics=["decisions"])
        client = self.connect(APP)
        self.pending(client, confirm=True)
        client.wait("confirm")
        client.close()
        watcher.wait("decision")
        self.assertEqual(watcher.wait("decision")["reason"], "disconnected")

    def test_an_answer_by_a_half_closed_connection_still_counts(self):
        client = self.connect(APP)
        client.begin("request", confirm=True)
        client.wait("confirm")
        client.send_line({"jsonrpc": "2.0", "id": client.trace[-1]["id"], "result": True})
        client.half_close()
        self.assertEqual([m["method"] for m in client.rest() if "method" in m], ["prompt"])


class ConfirmTimeout(DaemonTest):
    config = easy(ConfirmTimeoutMs=200)

    def test_no_answer_in_time_is_no(self):
        client = self.connect(APP, confirm=lambda params: NO_ANSWER)
        token = self.pending(client, confirm=True)
        self.assertEqual(
            client.wait("cancelled"), {"token": token, "app": APP, "reason": "confirm_timeout"})
        self.assertEqual(client.ask("history")["grants"], [])
        client.confirm = lambda params: True
        self.prompt(client, confirm=True)


if __name__ == "__main__":
    unittest.main()
