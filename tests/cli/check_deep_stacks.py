#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Thousands of deep stacks that hardly repeat: lines and profiles are those of the recording, with any number of threads and little memory. Prints TAP."""
import collections
import gzip
import json
import os
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import program
import views
from builder import CALLCHAIN, IDENTIFIER, IP, KERNEL as KERNEL_MODE, Recording, TID, TIME

KERNEL, USER = 0xffffffffffffff80, 0xfffffffffffffe00   # PERF_CONTEXT_KERNEL, PERF_CONTEXT_USER
START, KERNEL_TEXT = 0x400000, 0xffffffff81000000
LEVELS, SAMPLES = 80, 4000     # more nodes than the session looks up without looking ahead

tap = program.Tap()


def output(*words):
    return subprocess.run([program.PERFDATA, *words], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=120).stdout


def functions_of(level):
    """Places of the functions that a stack may have at a level. Names have the digits of these places: the first name begins the others, which go on with
    a byte before ';' or with one after it."""
    first = 16 + level
    return [first, 16 * first, 16 * first + 0xa, 16 * first + 0xf]


def make_stacks():
    """User stacks, callee first. Each function calls one of four others; some stacks come back at once, some much later."""
    numbers = random.Random(20)
    stacks = []
    while len(stacks) < SAMPLES:
        if stacks and numbers.random() < 0.2:
            stacks.append(stacks[-1 if numbers.random() < 0.5 else numbers.randrange(len(stacks))])
            continue
        depth = numbers.randrange(1, LEVELS)
        stacks.append([START + numbers.choice(functions_of(level)[:4 if level > 4 else 3]) for level in range(depth)][::-1])
    return stacks


def record(path, stacks, kernel=False):
    """kernel: the recording says where the kernel's text is."""
    recording = Recording()
    event = recording.event("cycles", ids=[1], type=0, config=0, sample_type=IDENTIFIER | IP | TID | TIME | CALLCHAIN, sample_id_all=1, period=10)
    recording.comm(100, 100, "program", time=1)
    if kernel:
        recording.mmap(-1, 0, KERNEL_TEXT, 0x1000000, KERNEL_TEXT, "[kernel.kallsyms]_text", misc=KERNEL_MODE, time=1)
    recording.mmap2(100, 100, START, 0x10000, 0, "/srv/work/program", time=2)
    for i, stack in enumerate(stacks):
        chain = [USER, *stack] if i % 3 else [KERNEL, KERNEL_TEXT + i % 7, USER, *stack]
        recording.sample(event, ip=chain[1], pid=100, tid=100, time=3 + i, callchain=chain)
    recording.save(path)
    return [([] if i % 3 else [KERNEL_TEXT + i % 7]) + stack for i, stack in enumerate(stacks)]


def name_of(address):
    return "[unknown]" if address >> 63 else "/srv/work/program+0x%x" % (address - START)


def profile_stacks(data):
    """How many samples a profile.proto has for each stack of addresses, callee first."""
    profile = views.message(data)
    locations = map(views.message, profile[4])
    addresses = {location[1][0]: location[3][0] for location in locations}
    counts = collections.Counter()
    for sample in map(views.message, profile[2]):
        counts[tuple(addresses[location] for location in views.packed(sample[1]))] += views.packed(sample[2])[0]
    return counts


def check_profile(path, stacks):
    """The stacks of pprof: a caller is at the address before the one to which its callee returns, but not before its file."""
    wanted = collections.Counter(tuple(address if not i or stack[0] >> 63 and i == 1 else max(address - 1, START) for i, address in enumerate(stack))
                                 for stack in stacks)
    kept = {}
    for words in (["-j", "1"], ["-j", "2"], ["-j", "7"], ["-j", "1", "--max-memory", "1M"], ["-j", "2", "--max-memory", "1M"]):
        packed = output("pprof", "-q", "--symbols", "no", *words, path)
        faults = []
        data = gzip.decompress(packed)
        if profile_stacks(data) != wanted:
            faults.append("stacks differ")
        if kept.setdefault("bytes", packed) != packed:
            faults.append("the bytes depend on %s" % " ".join(words))
        if len(data) < 256 << 10:
            faults.append("fewer bytes than two pieces: %d" % len(data))
        tap.report("pprof " + " ".join(words), faults)


def main():
    with tempfile.TemporaryDirectory(prefix="perfdata-") as folder:
        path = os.path.join(folder, "deep.data")
        stacks = record(path, make_stacks())
        sums = collections.Counter(";".join(["program"] + [name_of(address) for address in reversed(stack)]) for stack in stacks)
        wanted = "".join("%s %d\n" % (line, sums[line]) for line in sorted(sums))
        for words in (["-j", "1"], ["-j", "2"], ["-j", "3"], ["-j", "16"], ["-j", "1", "--max-memory", "1M"], ["-j", "2", "--max-memory", "1M"],
                      ["-j", "2", "--max-memory", "4M"]):
            lines = output("folded", "-q", "--symbols", "no", "--addresses", *words, path).decode()
            tap.report("folded " + " ".join(words), [] if lines == wanted else ["lines differ", len(lines), len(wanted)])
        for words in (["-j", "1"], ["-j", "2"], ["-j", "1", "--max-memory", "1M"]):
            by_id, found = [], []
            for row in map(json.loads, output("ndjson", "-q", "--symbols", "no", "--stacks", "ref", *words, path).splitlines()):
                if row["type"] == "stack" and row["stack_id"] == len(by_id):
                    by_id.append([int(frame["ip"], 16) for frame in row["frames"]])
                elif row["type"] == "sample":
                    found.append(row["stack_id"])
            fine = [by_id[number] for number in found] == stacks and len(by_id) == len(set(map(tuple, stacks)))
            tap.report("ids of stacks " + " ".join(words), [] if fine else ["stacks differ", len(found), len(by_id)])
        check_profile(path, record(path, make_stacks(), kernel=True))
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
