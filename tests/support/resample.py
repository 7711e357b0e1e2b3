#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How often the gate is right, through the program: sides are drawn with replacement from the samples of a real recording, whose other
records stay. The table in doc/diff.md is made by this.

    resample.py RECORDING --truth null|grown|halved [--runs 3] [--samples 4000] [--trials 100] [-- options of diff]

null: both sides are alike. grown: the function whose own share is nearest to 5 % is weighted to have 5.0 % before, and costs half more
after. halved: one nearest to 40 %, which costs half. What calls the function that grew costs more as well; any other function that is
told to have regressed is a false alarm. Prints one line."""
import argparse
import collections
import concurrent.futures
import json
import os
import random
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from program import PERFDATA

SAMPLE, FINISHED_ROUND, HEADER_SIZE = 9, 68, 104
MOST = 40000                                   # samples of a pool
SHARES = {"null": None, "grown": (0.05, 1.5), "halved": (0.4, 0.5)}


class Pool:
    """A recording whose samples are drawn. Its records must not be compressed."""

    def __init__(self, path):
        with open(path, "rb") as f:
            self.bytes = f.read()
        self.start, size = struct.unpack_from("<QQ", self.bytes, 40)
        self.end = self.start + size
        self.before, self.samples, self.after = [], [], []
        at = self.start
        while at < self.end:
            kind, _, size = struct.unpack_from("<IHH", self.bytes, at)
            record = self.bytes[at:at + size]
            if kind == SAMPLE:
                self.samples.append(record)
            elif kind != FINISHED_ROUND:
                (self.after if self.samples and kind not in (1, 3, 10) else self.before).append(record)
            at += size

    def write(self, path, numbers):
        """Maps and names first, then these samples in order, as one round."""
        data = b"".join(self.before) + b"".join(self.samples[i] for i in numbers) + b"".join(self.after) + struct.pack("<IHH", FINISHED_ROUND, 0, 8)
        head, tail = bytearray(self.bytes[:self.start]), bytearray(self.bytes[self.end:])
        struct.pack_into("<QQ", head, 40, self.start, len(data))
        features = sum(bin(word).count("1") for word in struct.unpack_from("<4Q", head, 72))
        for i in range(features):
            offset, size = struct.unpack_from("<QQ", tail, 16 * i)
            struct.pack_into("<QQ", tail, 16 * i, offset + len(data) - (self.end - self.start), size)
        with open(path, "wb") as f:
            f.write(bytes(head) + data + bytes(tail))


def functions_of(path):
    """For each sample, in the order of the file: its function, and what is in its stack."""
    names = []
    words = ["ndjson", "-q", "--order", "file", "--symbols", "yes", "-e", "type,ip_at.symbol,stack", path]
    with subprocess.Popen([PERFDATA, *words], stdout=subprocess.PIPE) as process:
        for line in process.stdout:
            if line.startswith(b'{"type":"sample"'):
                record = json.loads(line)
                stack = {step.get("symbol", "[unknown]") for step in record.get("stack") or ()}
                names.append((record.get("ip_at.symbol") or "[unknown]", stack))
    return names


class Experiment:
    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        whole = Pool(options.recording)
        small = folder + "/pool.data"
        count = len(whole.samples)
        whole.write(small, range(count) if count <= MOST else sorted(random.Random(1).sample(range(count), MOST)))
        self.pool = Pool(small)
        self.function, self.callers = None, set()
        self.weights = [None, None]            # of the samples, before and after
        if SHARES[options.truth]:
            self.choose(*SHARES[options.truth], functions_of(small))

    def choose(self, share, change, names):
        counts = collections.Counter(name for name, _ in names if name != "[unknown]")
        self.function, own = min(counts.items(), key=lambda item: abs(item[1] / len(names) - share))
        before = share * (len(names) - own) / (own * (1 - share))
        for side, weight in enumerate((before, before * change)):
            self.weights[side] = [weight if name == self.function else 1 for name, _ in names]
        self.callers = set().union(*(stack for name, stack in names if name == self.function))

    def trial(self, number):
        o = self.options
        rng = random.Random("%s %s %d %d %d" % (os.path.basename(o.recording), o.truth, o.runs, o.samples, number))
        with tempfile.TemporaryDirectory(dir=self.folder) as folder:
            sides = [["%s/%s%d" % (folder, side, run) for run in range(o.runs)] for side in "ab"]
            for side, weights in zip(sides, self.weights):
                for path in side:
                    self.pool.write(path, sorted(rng.choices(range(len(self.pool.samples)), weights, k=o.samples)))
            done = subprocess.run([PERFDATA, "diff", "-q", "--tsv", "-j1", "--inlines", "no", *o.diff, "--before", *sides[0], "--after", *sides[1]],
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        lines = [line.split("\t") for line in done.stdout.decode().splitlines()]
        rows = [dict(zip(lines[0], line)) for line in lines[1:]] if lines else []
        told = {row["symbol"] for row in rows if row["state"] == "regressed"}
        if o.truth == "halved":
            return done, self.function in {row["symbol"] for row in rows if row["state"] == "improved"}, told
        return done, self.function in told, told - self.callers - {self.function}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("recording")
    parser.add_argument("--truth", choices=SHARES, default="null")
    for name, value in (("runs", 3), ("samples", 4000), ("trials", 100), ("jobs", os.cpu_count())):
        parser.add_argument("--" + name, type=int, default=value)
    parser.add_argument("diff", nargs="*", help="options of diff, behind --")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="resample-", dir="/dev/shm" if os.path.isdir("/dev/shm") else None) as folder:
        experiment = Experiment(options, folder)
        codes, false, found, others = collections.Counter(), 0, 0, collections.Counter()
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as threads:
            for done, is_found, wrong in threads.map(experiment.trial, range(options.trials)):
                codes[done.returncode] += 1
                found += is_found
                false += bool(wrong)
                others.update(wrong)
                if done.returncode not in (0, 1):
                    sys.exit(done.stderr.decode())
    print("%s %s %d x %d, %d trials: false %d (%.1f %%), found %d (%.1f %%), exit %s, function %s, others %s" % (
        os.path.basename(options.recording), options.truth, options.runs, options.samples, options.trials, false, 100 * false / options.trials,
        found, 100 * found / options.trials, dict(codes), experiment.function, others.most_common(3)), flush=True)


if __name__ == "__main__":
    main()
