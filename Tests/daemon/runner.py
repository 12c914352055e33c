"""Runs folders of unittest modules, each module in a process of its own."""

import concurrent.futures
import glob
import json
import os
import subprocess
import sys
import tempfile
import time
import unittest

from ratingd_daemon import RATINGCTL, RATINGD


def run_one(names, result_path):
    """In a process of its own: one module's tests; counts go to the file."""
    suite = unittest.defaultTestLoader.loadTestsFromNames(names)
    result = unittest.TextTestRunner(stream=sys.stdout, verbosity=2).run(suite)
    failed = len(result.failures) + len(result.errors) + len(result.unexpectedSuccesses)
    counts = {
        "run": result.testsRun, "failed": failed, "skipped": len(result.skipped),
        "names": [str(test) for test, _ in result.failures + result.errors],
        "skips": [f"{test}: {why}" for test, why in result.skipped],
    }
    with open(result_path, "w", encoding="utf-8") as file:
        json.dump(counts, file)


def run_module(name):
    with tempfile.NamedTemporaryFile(prefix="ratingd-result.") as result:
        begin = time.monotonic()
        process = subprocess.run(
            [sys.executable, "-B", sys.argv[0], "--one", result.name, name],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            errors="backslashreplace", check=False)
        text = result.read() or b'{"run": 1, "failed": 1, "skipped": 0, "names": [], "skips": []}'
        counts = json.loads(text)
    return name, process.stdout, counts, time.monotonic() - begin


def run_all(names, first):
    for binary in (RATINGD, RATINGCTL):
        if not os.access(binary, os.X_OK):
            print(f"{binary} is not there: build it, or set RATINGD_BIN_DIR", file=sys.stderr)
            return 1
    names.sort(key=lambda name: (first.index(name) if name in first else len(first), name))
    totals = {"run": 0, "failed": 0, "skipped": 0}
    failures, skips = [], []
    jobs = int(os.environ.get("RATINGD_TEST_JOBS", "2"))
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for future in concurrent.futures.as_completed([pool.submit(run_module, n) for n in names]):
            name, output, counts, seconds = future.result()
            print(f"==== {name} ({seconds:.1f} s)\n{output}", flush=True)
            for key in totals:
                totals[key] += counts[key]
            failures += counts["names"] or ([name] if counts["failed"] else [])
            skips += counts["skips"]
    for skip in skips:
        print("skipped:", skip)
    for failure in failures:
        print("failed:", failure)
    passed = totals["run"] - totals["failed"] - totals["skipped"]
    closing = f"{passed} passed, {totals['failed']} failed"
    print(closing + (f", {totals['skipped']} skipped" if totals["skipped"] else ""))
    return 1 if totals["failed"] or passed == 0 else 0


def main(folder, usage, first, arguments):
    """A `run` script: the modules of its folder, or those named; those in `first` begin first."""
    if arguments[:1] == ["--one"]:
        return run_one(arguments[2:], arguments[1])
    if arguments and arguments[0].startswith("-"):
        print(usage)
        return None
    modules = glob.glob(os.path.join(folder, "test_*.py"))
    return run_all(arguments or [os.path.basename(path)[:-3] for path in modules], first)
