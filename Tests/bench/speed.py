"""Rows about how fast ratingd answers, in alternating rounds beside its peers."""

from buses import DBusBroker, DBusDaemon
from servers import Echo, Floor, Ratingd, Redis
from table import compare, microseconds


def alternate(settings, servers, **load):
    """The answers of ratingd-bench by server, each started anew in each round."""
    answers = {kind.name: [] for kind in servers}
    for _ in range(settings.rounds):
        for kind in servers:
            with kind() as server:
                answers[kind.name].append(server.load(seconds=settings.seconds, **load))
    return answers


def figures(answers, *keys):
    """One figure of each answer, by server."""
    def find(answer):
        for key in keys:
            answer = answer[key]
        return answer
    return {name: [find(answer) for answer in all_of_one] for name, all_of_one in answers.items()}


def throughput(settings, connections, pipeline, beside_redis, beside_floor=None):
    answers = alternate(settings, [Ratingd, Redis, Floor, Echo],
                        connections=connections, pipeline=pipeline)
    rates, cpu = figures(answers, "per_second"), figures(answers, "server_cpu_us_per_request")
    load = f"{connections} × {pipeline}"
    return {"per_second": rates, "cpu": cpu}, [
        compare(f"events/s, {load}", rates, "redis", beside_redis, at_least=True),
        compare(f"events/s, {load}", rates, "floor", beside_floor, at_least=True),
        compare(f"events/s, {load}", rates, "echo", None),
        compare(f"CPU time an event, {load}", cpu, "floor", 1.25, text=microseconds)]


def pipelined(settings):
    """1 client with 64 events under way"""
    return throughput(settings, 1, 64, 1.2, 1.0)


def crowd(settings):
    """50 clients with 16 events under way each"""
    return throughput(settings, 50, 16, 2.0, 1.0)


def many(settings):
    """50 clients with 1 event under way each"""
    return throughput(settings, 50, 1, 1.1)


def alone(settings):
    """1 client with 1 event under way: how soon it is answered"""
    answers = alternate(settings, [Ratingd, Redis, Floor, Echo, DBusBroker, DBusDaemon])
    medians = figures(answers, "latency_us", "median")
    cpu = figures({name: answers[name] for name in ("ratingd", "floor")},
                  "server_cpu_us_per_request")
    goal = "median answer, 1 × 1"
    return {"median": medians, "cpu": cpu}, [
        compare(goal, medians, "redis", 1.0, text=microseconds),
        compare(goal, medians, "echo", 1.35, text=microseconds),
        compare(goal, medians, "dbus-broker", 0.65, text=microseconds),
        compare(goal, medians, "dbus-daemon", 0.65, text=microseconds),
        compare(goal, medians, "floor", None, text=microseconds),
        compare("CPU time an event, 1 × 1", cpu, "floor", 1.25, text=microseconds)]


ROWS = {"pipelined": pipelined, "crowd": crowd, "many": many, "alone": alone}
