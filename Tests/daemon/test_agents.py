"""Agents: who shows a prompt that is to be delivered elsewhere."""

import signal
import unittest

from base import APP, DaemonTest, easy
from ratingd_client import NO_ANSWER

LONG = 600_000


class Agents(DaemonTest):
    def setUp(self):
        super().setUp()
        self.client = self.connect(APP)

    def agent(self, **params):
        agent = self.connect()
        agent.ask("subscribe", agent=True, **params)
        return agent

    def ask(self, **params):
        """Asks for delivery by an agent; the token."""
        return self.pending(self.client, deliver="agent", **params)

    def test_the_agent_is_prompted_and_the_requester_told(self):
        agent = self.agent()
        token = self.ask()
        prompt = agent.wait("prompt")
        self.assertEqual((prompt["token"], prompt["app"], prompt["version"]), (token, APP, "1.0"))
        granted = self.client.wait("granted")
        self.assertEqual(granted, {
            "token": token, "app": APP, "version": "1.0", "granted_at": prompt["granted_at"]})
        self.assertEqual(agent.ask("outcome", token=token, result="rated"), {"result": "rated"})
        self.assertEqual(self.client.ask("history")["grants"][0]["outcome"], "rated")
        self.assertEqual(self.client.notifications() + agent.notifications(), [])

    def test_self_goes_to_the_requester_even_with_an_agent(self):
        agent = self.agent()
        self.prompt(self.client, deliver="self")
        self.prompt_and(self.connect("org.other"), "dismissed")
        self.assertEqual(agent.notifications(), [])

    def test_exactly_one_agent_the_newest_subscription(self):
        agents = [self.agent() for _ in range(3)]
        self.ask()
        agents[2].wait("prompt")
        self.assertEqual(agents[0].notifications() + agents[1].notifications(), [])

    def test_a_second_subscribe_makes_it_the_newest(self):
        first, second = self.agent(), self.agent()
        first.ask("subscribe", agent=True)
        self.ask()
        first.wait("prompt")
        self.assertEqual(second.notifications(), [])

    def test_a_second_subscribe_without_agent_ends_it(self):
        first, second = self.agent(), self.agent()
        second.ask("subscribe", topics=["decisions"])
        self.ask()
        first.wait("prompt")
        self.assertNotIn("prompt", [method for method, _ in second.notifications()])

    def test_the_newest_whose_apps_fit(self):
        everyone, fitting = self.agent(), self.agent(apps=["org.a", APP])
        other = self.agent(apps=["org.other"])
        self.ask()
        fitting.wait("prompt")
        self.assertEqual(everyone.notifications() + other.notifications(), [])

    def test_no_agent_at_the_request(self):
        self.assert_refused(self.client.ask("request", deliver="agent"), "no_agent")
        agent = self.agent(apps=["org.other"])
        self.assert_refused(self.client.ask("request", deliver="agent"), "no_agent")
        agent.ask("subscribe", topics=["decisions"])
        self.assert_refused(self.client.ask("request", deliver="agent"), "no_agent")

    def test_no_agent_stands_last_among_the_reasons(self):
        self.client.ask("opt_out")
        self.assert_refused(self.client.ask("request", deliver="agent"), "opted_out", "no_agent")

    def test_no_agent_when_it_fires(self):
        agent = self.agent()
        token = self.ask(debounce_ms=300)
        agent.ask("unsubscribe")
        self.assertEqual(
            self.client.wait("cancelled"), {"token": token, "app": APP, "reason": "no_agent"})
        self.assertEqual(self.client.ask("history")["grants"], [])

    def test_the_agent_gone_when_it_fires(self):
        agent = self.agent()
        token = self.ask(debounce_ms=300)
        agent.close()
        self.assertEqual(self.client.wait("cancelled")["reason"], "no_agent")
        self.assertFalse(self.client.ask("cancel", token=token)["cancelled"])

    def test_another_agent_takes_over(self):
        second, first = self.agent(), self.agent()
        token = self.ask(debounce_ms=300)
        first.close()
        self.assertEqual(second.wait("prompt")["token"], token)

    def test_it_outlives_the_requester(self):
        agent = self.agent()
        token = self.ask(debounce_ms=300)
        self.client.close()
        self.assertEqual(agent.wait("prompt")["token"], token)
        self.assertEqual(agent.ask("outcome", token=token, result="later"), {"result": "later"})

    def test_except_when_it_must_be_confirmed(self):
        agent = self.agent(topics=["decisions"])
        self.ask(debounce_ms=300, confirm=True)
        self.client.close()
        decisions = [agent.wait("decision"), agent.wait("decision")]
        self.assertEqual([d["decision"] for d in decisions], ["pending", "cancelled"])
        self.assertEqual(decisions[1]["reason"], "disconnected")
        self.assertEqual(agent.ask("history", app=APP)["grants"], [])

    def test_confirm_asks_the_requester_not_the_agent(self):
        agent = self.agent()
        self.client.confirm = lambda params: True
        token = self.ask(confirm=True)
        self.assertEqual(self.client.wait("granted")["token"], token)
        self.assertEqual([m["method"] for m in agent.trace if "method" in m], [])
        agent.wait("prompt")

    def test_confirmed_no_prompts_no_agent(self):
        agent = self.agent()
        self.client.confirm = lambda params: False
        self.ask(confirm=True)
        self.assertEqual(self.client.wait("cancelled")["reason"], "declined_by_app")
        self.assertEqual(agent.notifications(), [])

    def test_an_app_that_is_its_own_agent_gets_the_prompt(self):
        self.client.ask("subscribe", agent=True)
        self.client.confirm = lambda params: NO_ANSWER
        token = self.ask()
        self.assertEqual(self.client.wait("prompt")["token"], token)
        self.assertEqual(self.client.notifications(), [])

    def test_a_newer_request_supersedes_across_ways_of_delivery(self):
        agent = self.agent()
        first = self.ask(debounce_ms=LONG)
        self.prompt(self.client)
        self.assertEqual(self.client.wait("cancelled")["token"], first)
        self.assertEqual(agent.notifications(), [])

    def test_activity_reaches_a_request_whose_requester_is_gone(self):
        agent = self.agent()
        self.ask(debounce_ms=LONG)
        self.client.close()
        self.assertTrue(self.connect().ask("activity", app=APP)["cancelled"])
        self.assertEqual(agent.notifications(), [])


class Gone(DaemonTest):
    config = easy(daemon={"RateLimitPerSec": 0})

    def test_an_agent_that_is_gone_shows_nothing_though_it_has_lines_left(self):
        agent, client = self.connect(), self.connect(APP)
        agent.ask("subscribe", agent=True)
        self.daemon.signal(signal.SIGSTOP)
        agent.send(b'{"method":"status","params":{"app":"org.a"}}\n' * 1_500)
        agent.close()
        client.begin("request", deliver="agent")
        self.daemon.signal(signal.SIGCONT)
        answer = client.next()["result"]
        if answer["decision"] == "pending":
            # It was looked at before the agent's end.
            self.assertEqual(client.wait("cancelled")["reason"], "no_agent")
        else:
            self.assert_refused(answer, "no_agent")
        self.assertEqual(client.ask("history")["grants"], [])


if __name__ == "__main__":
    unittest.main()
