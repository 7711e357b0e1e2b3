#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""An unwound address lies inside its call, and so may be the first of a function: of one that was interrupted before it ran, as a signal shows it. All
views call such callers by the same names as `script`. Prints TAP."""
import json
import os
import re
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
sys.dont_write_bytecode = True
from program import PERFDATA, Tap  # noqa: E402
import unwound_program  # noqa: E402
from unwound_program import IP_NUMBER, SP_NUMBER, STACK  # noqa: E402
from builder import Recording  # noqa: E402

NAMES = ["leaf", "middle", "outer", "_start"]
STACK_BYTES = 64
SAMPLES = 3


def make_recording(elf, path, words, cut):
    """words: what the copy of the stack begins with."""
    r = Recording()
    event = unwound_program.add_event(r, STACK_BYTES)
    r.comm(1, 1, "program", time=1)
    unwound_program.map_program(r, elf, 1, 2)
    memory = struct.pack(f"<{len(words)}Q", *words)
    for i in range(SAMPLES):
        registers = {IP_NUMBER: elf.symbols["leaf"], SP_NUMBER: STACK}
        size = len(memory) if cut else STACK_BYTES
        r.sample(event, pid=1, tid=1, time=10 + i,
                 **unwound_program.fields_of_sample(registers, dyn_size=size, stack=memory.ljust(STACK_BYTES, b"\0")))
    r.feature(6, r.string("x86_64"))
    r.save(path)


def view(*words):
    return subprocess.run([PERFDATA, *words], capture_output=True, env=dict(os.environ, HOME="/nonexistent", LC_ALL="C"), check=False).stdout


def faults_of(symfs, recording, names):
    """names: callee first."""
    more, faults = ["--symfs", symfs, recording], []

    def compare(what, got, wanted):
        if got != wanted:
            faults.append(f"{what}: {got}, not {wanted}")

    lines = view("script", "-F", "ip,sym", *more).decode().split()
    compare("script", lines[1::2], SAMPLES * names)
    stack = ";".join(reversed(names))
    compare("folded", view("folded", *more).split(b"program;")[-1].strip(), f"{stack} {SAMPLES}".encode())
    rows = json.loads(view("report", "--json", "--top", "0", *more))["events"][0]["rows"]
    compare("report", sorted((row["symbol"], row["total_samples"]) for row in rows), sorted((name, SAMPLES) for name in names))
    frames = json.loads(view("speedscope", "-o", "-", *more))["shared"]["frames"]
    compare("speedscope", sorted(frame["name"] for frame in frames if frame["name"] in NAMES), sorted(names))
    functions = re.findall(r"(?m)^c?fn=\(\d+\) (\w+)$", view("callgrind", "-o", "-", *more).decode())
    compare("callgrind", sorted(functions), sorted(names))
    return faults


def main():
    tap = Tap()
    if not unwound_program.has_elfutils():
        tap.skip("views of unwound stacks", "built without elfutils")
        return tap.end()
    with tempfile.TemporaryDirectory() as folder:
        elf = unwound_program.put_program(folder)
        recording = os.path.join(folder, "recording.data")
        first = [elf.symbols["middle"] + 1, elf.symbols["outer"] + 1, elf.returns[2]]
        make_recording(elf, recording, first, False)
        tap.report("callers at their first instruction", faults_of(folder, recording, NAMES))
        make_recording(elf, recording, first[:2], True)
        tap.report("the same, cut after two callers", faults_of(folder, recording, NAMES[:3]))
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
