#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How often the gate fails where nothing changed, on recordings that are made now: the sides of a pair are recordings of one command, in turn.

    recorded_pairs.py [--perf perf] [--pairs 10] [--runs 3] [--frequency 4000] -- COMMAND…

Prints a line for pairs of so many recordings a side, and one for pairs of their first recordings."""
import argparse
import collections
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from program import run


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--perf", default="perf")
    for name, value in (("pairs", 10), ("runs", 3), ("frequency", 4000)):
        parser.add_argument("--" + name, type=int, default=value)
    parser.add_argument("command", nargs="+")
    options = parser.parse_args()
    verdicts_of = {options.runs: collections.Counter(), 1: collections.Counter()}
    samples = []
    with tempfile.TemporaryDirectory(prefix="recorded-pairs-") as folder:
        for _ in range(options.pairs):
            sides = [["%s/%s%d" % (folder, side, i) for i in range(options.runs)] for side in "ab"]
            for path in (side[i] for i in range(options.runs) for side in sides):
                subprocess.run([options.perf, "record", "-q", "-e", "cpu-clock", "-g", "-F", str(options.frequency), "-o", path, "--",
                                *options.command], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            for runs, verdicts in verdicts_of.items():
                done = run("diff", "-q", "--json", "--before", *sides[0][:runs], "--after", *sides[1][:runs])
                if done.code not in (0, 1):
                    sys.exit(done.err.decode())
                answer = json.loads(done.out)
                verdicts[answer["verdict"]] += 1
                for event in answer["events"]:
                    samples += [event[side]["samples"] // runs for side in ("before", "after")]
                    for row in event["rows"]:
                        if row["state"] == "regressed":
                            print("regressed:", json.dumps(row), flush=True)
    for runs, verdicts in verdicts_of.items():
        print("%s: %d x %d samples: %s" % (" ".join(options.command)[:60], runs, sum(samples) / len(samples), dict(verdicts)), flush=True)


if __name__ == "__main__":
    main()
