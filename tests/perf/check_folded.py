#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares `perfdata folded` with the text of `perf script`, folded here: every stack and its weight, for samples and for periods.

The text is perf's own where tests/perf_text has it, else that of `perfdata script`, which check_script.py compares with perf's. Prints TAP.
"""
import collections
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import program  # noqa: E402
from program import PERFDATA, TESTDATA, TOP  # noqa: E402

# "comm  123 [000]  12.345678:  1000 event:  rest"
HEAD = re.compile(rb"^ *(.*?) +-?\d+ (?:\[-?\d+\] )?+ *\d+\.\d{6}: +(?:(\d+) +)?(\S+): (.*)$")
FRAME = re.compile(rb"^\s*([0-9a-f]+) (.*?)(?: \(((?:[^()]|\([^()]*\))*)\))?$")

tap = program.Tap()


def frame_name(text):
    match = FRAME.match(text)
    symbol, dso = match[2], match[3] or b""
    if dso == b"inlined":
        return re.sub(rb"\+0x[0-9a-f]+$", b"", symbol).replace(b";", b":")
    if symbol != b"[unknown]":
        return re.sub(rb"\+0x[0-9a-f]+$", b"", symbol).replace(b";", b":")
    name = dso.rsplit(b"/", 1)[-1]
    return name if name.startswith(b"[") else b"[" + name + b"]"


def fold(text, by_period):
    """Lines of perf script → {(event, stack): weight}."""
    stacks = collections.Counter()
    lines = iter(text.split(b"\n"))
    for line in lines:
        if not line:
            continue
        match = HEAD.match(line)
        comm, period, event, rest = match[1], int(match[2] or 1), match[3], match[4].strip()
        frames = []
        if rest:
            frames.append(frame_name(rest))
        else:
            for line in lines:
                if not line:
                    break
                frames.append(frame_name(line))
        stacks[event, b";".join([comm] + frames[::-1])] += period if by_period else 1
    return stacks


def run(*args):
    return subprocess.run([PERFDATA, *args], cwd=TESTDATA, capture_output=True, timeout=300, check=True).stdout


def check(recording, text):
    for weight in ("samples", "period"):
        want = fold(text, weight == "period")
        several = len({event for event, _ in want}) > 1
        want = {(event + b";" if several else b"") + stack: number for (event, stack), number in want.items()}
        lines = run("folded", "--symbols", "no", "-q", "--weight", weight, recording).splitlines()
        got = {line.rsplit(b" ", 1)[0]: int(line.rsplit(b" ", 1)[1]) for line in lines}
        unique = len(got) == len(lines)
        # perf prints nothing where it has no stack; ours has the sample's own address there
        for stack in [stack for stack in got if stack not in want]:
            bare = stack.rsplit(b";", 1)[0]
            if bare in want:
                got[bare] = got.get(bare, 0) + got.pop(stack)
        wrong = ""
        if not unique:
            wrong = "a stack has two lines"
        elif got != want:
            odd = next(iter(set(got.items()) ^ set(want.items())))
            wrong = f"{len(got)} stacks, wanted {len(want)}; one that differs: {odd!r}"
        tap.report(f"{recording}, {weight}: {len(want)} stacks, {sum(want.values())} in all", wrong)
        tap.report(f"{recording}, {weight}: lines are sorted", "" if lines == sorted(lines, key=lambda line: line.rsplit(b" ", 1)[0]) else "they are not")


def main():
    texts = {"callgraph-61.data": "callgraph-61", "callgraph-73.data": "callgraph", "stream-73.pipe": "stream", "group-73.data": "group",
             "threads-73.dir": "threads", "dwarf-73.data": "dwarf"}
    for recording, name in texts.items():
        with open(os.path.join(TOP, "tests/perf/perf_text", name + ".txt"), "rb") as text:
            check(recording, text.read())
    for recording in ("zstd-61.data", "zstd-73.data", "registers-61.data", "group-61.data"):
        check(recording, run("script", "--symbols", "no", "-q", recording))
    only = run("folded", "--symbols", "no", "-q", "--event", "page-faults", "group-73.data").splitlines()
    tap.report("one event chosen: no event in front", "" if only and not any(line.startswith(b"page-faults") for line in only) else repr(only[:2]))
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
