"""How often each attack is made: in CI, by `run --quick` and by `run --soak`."""

import os
import random

CI = {
    "KILLS": 1_000,  # kills of the daemon under load
    "IMAGES": 5_000,  # disks as a power cut may leave them
    "CONTROLS": 300,  # the same of a daemon that does not sync, most of which must be found
    "FILLS": 20,  # times a real file system is full
    "FLIPS": 1_000,  # places at which bytes of the state are turned over
    "STEP": 100,  # bytes between two places at which a file is cut short
    "CALLS": 1,  # from one failing call to the next
}
QUICK = CI | {
    "KILLS": 50, "IMAGES": 100, "CONTROLS": 120, "FILLS": 2, "FLIPS": 60, "STEP": 2_000,
    "CALLS": 25}
SOAK = CI | {
    "KILLS": 10_000, "IMAGES": 100_000, "CONTROLS": 3_000, "FILLS": 200, "FLIPS": 20_000,
    "STEP": 10}


def count(name):
    return int(os.environ["RATINGD_CRASH_" + name])


def take(arguments):
    """Sets the counts for this process and its children; the other arguments, or None."""
    rest = []
    chosen = {}
    for argument in arguments:
        name, _, value = argument.partition("=")
        if argument in ("--quick", "--soak"):
            chosen = (QUICK if argument == "--quick" else SOAK) | chosen
        elif name in CI and value.isdigit():
            chosen[name] = value
        elif argument in ("-h", "--help"):
            return None
        else:
            rest.append(argument)
    for name, value in (CI | chosen).items():
        if name in chosen or "RATINGD_CRASH_" + name not in os.environ:
            os.environ["RATINGD_CRASH_" + name] = str(value)
    return rest


def seed():
    """The seed of this run, printed, as random numbers."""
    number = int(os.environ.get("RATINGD_TEST_SEED") or random.randrange(10**9))
    print(f"seed {number}", flush=True)
    return random.Random(number)
