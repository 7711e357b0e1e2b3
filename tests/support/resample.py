#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How often the gate is right, through the program: sides are drawn with replacement from the samples of a real recording, whose other
records stay. The table in doc/diff.md is made by this.

    resample.py RECORDING --truth null|grown|halved [--runs 3] [--samples 4000] [--trials 100] [--recordings] [-- options of diff]

null: both sides are alike. grown: the function whose own share is nearest to 5 % is weighted to have 5.0 % before, and costs half more
after. halved: one nearest to 40 %, which is weighted to have 40 %, costs half. What calls the function that grew costs more as well; any
other function reported as regressed is a false alarm. Prints one line.

What the program reads are baselines, as it would have saved them itself: that all it says is the same of the recordings is seen in the
first trials (--checked). With --recordings it reads recordings in all of them, which takes ten times as long."""
import argparse
import collections
import concurrent.futures
import itertools
import json
import os
import random
import re
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


def samples_of(path):
    """The samples, in the order of the file; what is mapped where is followed in the order of time."""
    words = ["ndjson", "-q", "--symbols", "yes", "-e", "type,offset,event,period,ip_at,stack", path]
    with subprocess.Popen([PERFDATA, *words], stdout=subprocess.PIPE) as process:
        lines = [json.loads(line) for line in process.stdout if line.startswith(b'{"type":"sample"')]
    return sorted(lines, key=lambda sample: sample["offset"])


class Sums:
    """Baselines of samples that were drawn. What a sample adds to is its way; samples of one way are added up together."""

    def __init__(self, baseline, samples):
        """`baseline` is that of all of the pool, which knows what functions are called."""
        self.head, self.keys, self.edges, self.files, known, self.ids = [], {}, {}, {}, {}, {}
        for line in baseline.splitlines():
            fields = line.split("\t")
            if fields[0] in ("perfdata-baseline/1", "by", "file", "recording", "event"):
                self.head.append(fields)
            if fields[0] == "file":
                self.files[fields[4]] = fields[1], fields[3]
            elif fields[0] == "key":
                for name in {fields[3], fields[4] or fields[3]}:
                    known[fields[2], name] = fields[3]
        self.known, self.ways, self.number_of_way, self.way_of = known, [], {}, []
        self.periods = set()
        for sample in samples:
            self.periods.add(sample["period"])
            self.way_of.append(self.way(tuple(self.step(place) for place in reversed(sample.get("stack") or [sample.get("ip_at")]))))
        assert len(self.periods) == 1 and sum(fields[0] == "event" for fields in self.head) == 1, "one event, one period"

    def number(self, *key):
        """Of a line with a key."""
        return self.ids.setdefault("\t".join(key), len(self.ids))

    def step(self, place):
        """The key of a function; that of its address, where it has no name but a build-id; and whether it has a name and is of the kernel."""
        path = (place or {}).get("dso")
        if not path:
            return self.number("key", "", "[unknown]", "", "", "1"), None, False, False
        file, build_id = self.files.setdefault(path, (str(len(self.files)), ""))
        is_kernel = path.startswith("[kernel") or path.endswith(".ko")
        if "symbol" not in place:
            at = self.number("address", file, place["address"][2:]) if build_id and not is_kernel else None
            return self.number("key", file, "(unnamed)", "", "", "1"), at, False, is_kernel
        shown = place["symbol"]
        name = self.known.get((file, shown), re.sub(r" \[clone [^]]*\]|\.(part|isra|constprop|cold|localalias)(\.\d+)?", "", shown))
        return self.number("key", file, name, "", "", "1"), None, True, is_kernel

    def way(self, steps):
        known = self.number_of_way.get(steps)
        if known is None:
            keys = [step[0] for step in steps]
            edges = {pair for pair in zip(keys, keys[1:]) if pair[0] != pair[1]}
            known = self.number_of_way[steps] = len(self.ways)
            self.ways.append((set(keys) | {step[1] for step in steps if step[1] is not None},
                              [self.edges.setdefault(edge, len(self.edges)) for edge in edges],
                              [key for key in steps[-1][:2] if key is not None], *steps[-1][2:]))
        return known

    def write(self, path, numbers):
        period, all_ = min(self.periods), len(numbers)
        own, inclusive, calls, named, kernel = [0] * len(self.ids), [0] * len(self.ids), [0] * len(self.edges), 0, 0
        for way, n in collections.Counter(map(self.way_of.__getitem__, numbers)).items():
            keys, edges, leaf, is_named, is_kernel = self.ways[way]
            for key in keys:
                inclusive[key] += n
            for edge in edges:
                calls[edge] += n
            for key in leaf:
                own[key] += n
            named += n * is_named
            kernel += n * is_kernel

        def sums(n):
            return "%d\t%d\t%x" % (n, n * period, n * period * period)
        lines = ["\t".join(fields) for fields in self.head if fields[0] not in ("recording", "event")]
        lines += ["file\t%s\t0\t\t%s" % (number, name) for name, (number, _) in list(self.files.items())
                  if not any(fields[0] == "file" and fields[1] == number for fields in self.head)]
        written = {}
        for line, key in self.ids.items():
            if inclusive[key] and inclusive[key] * 10000 >= all_:
                kind, rest = line.split("\t", 1)
                lines.append("%s\t%d\t%s" % (kind, len(written), rest))
                written[key] = len(written)
        recording, event = self.head[-2:]
        lines += ["\t".join(recording), "\t".join([*event[:9], sums(all_), str(named * period), str(kernel), "0"])]
        lines += ["sum\t%d\t%s\t%s" % (number, sums(own[key]), sums(inclusive[key])) for key, number in written.items()]
        lines += ["edge\t%d\t%d\t%d\t%d" % (written[caller], written[callee], calls[i], calls[i] * period)
                  for (caller, callee), i in self.edges.items() if calls[i] and calls[i] * 1000 >= all_]
        with open(path, "w", encoding="utf-8") as f:
            f.write("\n".join(lines) + "\n")


def name_of(place):
    return (place or {}).get("symbol") or "[unknown]"


def rows_of_verdict(rows):
    """What is said of each key that is judged. Numbers may differ a little: which of the names of one address is shown, and whose pid it is, is
    sometimes decided by samples that a side did not draw."""
    return {(row["state"], row["file"], row["symbol"], row["quantity"]) for row in rows if row["state"] not in ("small", "same", "noise")}


class Experiment:
    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        whole = Pool(options.recording)
        small = folder + "/pool.data"
        count = len(whole.samples)
        whole.write(small, range(count) if count <= MOST else sorted(random.Random(1).sample(range(count), MOST)))
        self.pool = Pool(small)
        samples = samples_of(small)
        self.sums = None
        if not options.recordings:
            subprocess.run([PERFDATA, "diff", "-q", "--inlines", "no", "--save", folder + "/pool.baseline", small], check=True)
            with open(folder + "/pool.baseline", encoding="utf-8") as f:
                self.sums = Sums(f.read(), samples)
        self.function, self.callers = None, set()
        self.weights = [None, None]            # of the samples, before and after
        if SHARES[options.truth]:
            self.choose(*SHARES[options.truth], [(name_of(s.get("ip_at")), {name_of(step) for step in s.get("stack") or ()}) for s in samples])

    def choose(self, share, change, names):
        counts = collections.Counter(name for name, _ in names if name != "[unknown]")
        self.function, own = min(counts.items(), key=lambda item: abs(item[1] / len(names) - share))
        before = share * (len(names) - own) / (own * (1 - share))
        for side, weight in enumerate((before, before * change)):
            self.weights[side] = list(itertools.accumulate(weight if name == self.function else 1 for name, _ in names))
        self.callers = set().union(*(stack for name, stack in names if name == self.function))

    def diff(self, folder, rng, write):
        """What the program says of files that `write` makes."""
        sides = [["%s/%s%d" % (folder, side, run) for run in range(self.options.runs)] for side in "ab"]
        for side, weights in zip(sides, self.weights):
            for path in side:
                write(path, sorted(rng.choices(range(len(self.pool.samples)), cum_weights=weights, k=self.options.samples)))
        done = subprocess.run([PERFDATA, "diff", "-q", "--tsv", "-j1", "--inlines", "no", *self.options.diff,
                               "--before", *sides[0], "--after", *sides[1]], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        lines = [line.split("\t") for line in done.stdout.decode().splitlines()]
        return done, [dict(zip(lines[0], line)) for line in lines[1:]] if lines else []

    def trial(self, number):
        o = self.options
        seed = "%s %s %d %d %d" % (os.path.basename(o.recording), o.truth, o.runs, o.samples, number)
        with tempfile.TemporaryDirectory(dir=self.folder) as folder:
            done, rows = self.diff(folder, random.Random(seed), (self.sums or self.pool).write)
            if self.sums and number < o.checked:
                same = self.diff(folder, random.Random(seed), self.pool.write)[1]
                assert rows_of_verdict(same) == rows_of_verdict(rows), "baselines and recordings differ"
        regressions = {row["symbol"] for row in rows if row["state"] == "regressed"}
        if o.truth == "halved":
            return done, self.function in {row["symbol"] for row in rows if row["state"] == "improved"}, regressions
        return done, self.function in regressions, regressions - self.callers - {self.function}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("recording")
    parser.add_argument("--truth", choices=SHARES, default="null")
    for name, value in (("runs", 3), ("samples", 4000), ("trials", 100), ("jobs", os.cpu_count()), ("checked", 2)):
        parser.add_argument("--" + name, type=int, default=value)
    parser.add_argument("--recordings", action="store_true", help="no baselines")
    parser.add_argument("diff", nargs="*", help="options of diff, after --")
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
