"""Rows about how fast ratingd answers, in alternating rounds beside its peers."""

import contextlib
import os
import threading

from buses import DBusBroker, DBusDaemon
from servers import Echo, Floor, Ratingd, Redis
from table import Goal, compare, microseconds

# From here on the log must begin anew (docs/architecture.md), and one turn more goes into it.
LOG_MOST = 65 << 20


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
    buses = [DBusBroker, DBusDaemon] if DBusBroker.is_possible() else [DBusDaemon]
    answers = alternate(settings, [Ratingd, Redis, Floor, Echo, *buses])
    medians = figures(answers, "latency_us", "median")
    cpu = figures({name: answers[name] for name in ("ratingd", "floor")},
                  "server_cpu_us_per_request")
    goal = "median answer, 1 × 1"
    return {"median": medians, "cpu": cpu}, [
        compare(goal, medians, "redis", 1.0, text=microseconds),
        compare(goal, medians, "echo", 1.35, text=microseconds),
        *(compare(goal, medians, bus.name, 0.65, text=microseconds) for bus in buses),
        compare(goal, medians, "floor", None, text=microseconds),
        compare("CPU time an event, 1 × 1", cpu, "floor", 1.25, text=microseconds)]


def notifications(settings):
    """1 client that reports events and wants no answer"""
    samples = figures(alternate(settings, [Ratingd, Floor], mix="notify"), "per_second")
    redis = alternate(settings, [Redis], connections=50, pipeline=16)
    samples |= figures(redis, "per_second")
    return samples, [
        # 2 M on a core that does 1.1 M INCR.
        compare("notifications/s, 1 client", samples, "redis", 2 / 1.1, at_least=True),
        compare("notifications/s, 1 client", samples, "floor", None)]


def sustained(settings):
    """50 clients for a minute: the worst answers, and how long the write-ahead log gets"""
    answers, longest = {}, {}
    for kind in (Ratingd, Redis):
        with kind() as server, LogWatch(server.state) as watch:
            answers[kind.name] = server.load(connections=50, seconds=settings.long)
            longest[kind.name] = watch.longest
    load = f"in {settings.long:g} s of 50 × 1"

    def goal(name, figure):
        samples = figures({kind: [answer] for kind, answer in answers.items()},
                          "latency_us", figure)
        return compare(f"{name} {load}", samples, "redis", 1, text=microseconds)

    return {"answers": answers, "log": longest}, [
        goal("99.9th percentile", "p99.9"), goal("worst answer", "worst"),
        Goal(f"longest write-ahead log {load}", f"{longest['ratingd'] / 2**20:.1f} MB",
             beside=f"{LOG_MOST >> 20} MB", ratio=longest["ratingd"] / LOG_MOST, wanted=1)]


class LogWatch:
    """Looks now and then how long the write-ahead log is."""

    def __init__(self, state):
        self.path = os.path.join(state, "ratingd.db-wal")
        self.longest = 0
        self.is_over = threading.Event()
        self.thread = threading.Thread(target=self.watch)

    def watch(self):
        while not self.is_over.wait(0.05):
            with contextlib.suppress(FileNotFoundError):
                self.longest = max(self.longest, os.path.getsize(self.path))

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.is_over.set()
        self.thread.join()


ROWS = {"pipelined": pipelined, "crowd": crowd, "many": many, "alone": alone,
        "notifications": notifications, "sustained": sustained}
