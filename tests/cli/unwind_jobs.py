#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""User stacks are unwound by any thread, ahead of their turn; the outputs are the same for any number of threads.

Stacks of several processes whose maps change between the samples: memory is added, mapped again, replaced and unmapped, processes fork, execute
programs and end. Some stacks are cut or have nonsense in them, so that they need libdwfl or end early. Prints TAP.
"""
import os
import random
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
sys.dont_write_bytecode = True
from program import PERFDATA  # noqa: E402
import unwound_program  # noqa: E402
from unwound_program import FRAME_NUMBER, IP_NUMBER, SP_NUMBER, STACK  # noqa: E402
from builder import Recording  # noqa: E402

STACK_WORDS = 512
# The words of a stack when leaf begins; the frame pointer points to the word that keeps that of the caller.
RETURNS, FRAME_AT = {0: 0, 8: 1, 10: 2}, 9
SAMPLES, SAMPLES_OF_MAP = 900, 90
VIEWS = (["script"], ["folded", "--truncated"], ["ndjson", "--names", "--symbols", "yes", "--stacks", "ref"], ["csv", "--table", "stacks", "--symbols", "yes"])


def sample_of(elf, chance):
    memory = [chance.choice((0, STACK + 8 * chance.randrange(STACK_WORDS), chance.getrandbits(40))) for _ in range(STACK_WORDS)]
    for at, which in RETURNS.items():
        memory[at] = elf.returns[which]
    registers = {IP_NUMBER: elf.symbols["leaf"], SP_NUMBER: STACK, FRAME_NUMBER: STACK + 8 * FRAME_AT}
    how = chance.randrange(8)
    if how == 0:
        memory[chance.choice(list(RETURNS))] = chance.choice((0, elf.returns[0] + 1, elf.symbols["leaf"], 0x1234, chance.getrandbits(47)))
    elif how == 1:
        registers[chance.choice(list(registers))] = chance.choice((0, STACK + 64, elf.returns[1], chance.getrandbits(47)))
    elif how == 2:
        registers[FRAME_NUMBER] += 8
    copied = chance.choice((48, 80)) if how == 3 else 8 * STACK_WORDS
    stack = struct.pack(f"<{STACK_WORDS}Q", *memory)[:copied].ljust(8 * STACK_WORDS, b"\0")
    return unwound_program.fields_of_sample(registers, stack=stack)


def change_something(r, elf, chance, live, time):
    """A record between two samples, as it is in recordings of programs that allocate memory and start others."""
    pid = chance.choice(live)
    kind = chance.randrange(8)
    if kind < 3:
        r.mmap2(pid, pid, 0x10000000 + 0x1000 * chance.randrange(64), 0x2000, 0, "//anon", prot=3, time=time)
    elif kind == 3:
        unwound_program.map_program(r, elf, pid, time)
    elif kind == 4:
        r.mmap2(pid, pid, STACK, 8 * STACK_WORDS * chance.choice((1, 4)), 0, "[stack]", prot=3, time=time)
    elif kind == 5:
        r.comm(pid, pid, f"again-{pid}", misc=chance.choice((0, 1 << 13)), time=time)
    elif kind == 6 and len(live) < 5:
        live.append(100 * (live[-1] // 100 + 1))
        r.task(7, live[-1], pid, live[-1], pid, time)
    elif kind == 7 and len(live) > 3:
        r.task(4, live[-1], 1, live[-1], 1, time)
        live.pop()
    if kind == 5:
        unwound_program.map_program(r, elf, pid, time)


def make_recording(elf, path):
    chance = random.Random(33)
    r = Recording()
    event = unwound_program.add_event(r, 8 * STACK_WORDS)
    time = 0
    live = [100, 200, 300]
    for pid in live:
        r.comm(pid, pid, f"process-{pid}", time=1)
        unwound_program.map_program(r, elf, pid, 2)
    for i in range(SAMPLES):
        time = 10 * i + 10
        if i % SAMPLES_OF_MAP == SAMPLES_OF_MAP - 1:
            # what is mapped changes: no file, then the program again
            name = "/unwind/none" if i // SAMPLES_OF_MAP % 2 else unwound_program.PATH
            r.mmap2(200, 200, elf.start, 0x1000, elf.pgoff, name, time=time - 1)
        if i > SAMPLES // 4 and not chance.randrange(4):
            change_something(r, elf, chance, live, time - 1)
        pid = chance.choice([100, *live])
        r.sample(event, pid=pid, tid=pid + chance.randrange(2), time=time, **sample_of(elf, chance))
    r.feature(6, r.string("x86_64"))
    r.save(path)


def view(words, symfs, recording, jobs):
    done = subprocess.run([PERFDATA, *words, "--symfs", symfs, "--jobs", str(jobs), recording], capture_output=True,
                          env=dict(os.environ, HOME="/nonexistent"))
    return done.returncode, done.stdout, done.stderr


def main():
    if not unwound_program.has_elfutils():
        print("1..0 # SKIP built without elfutils")
        return 0
    print(f"1..{len(VIEWS) + 1}")
    good = True
    with tempfile.TemporaryDirectory() as folder:
        elf = unwound_program.put_program(folder)
        recording = os.path.join(folder, "perf.data")
        make_recording(elf, recording)
        for number, words in enumerate(VIEWS, 1):
            want = view(words, folder, recording, 1)
            differ = [jobs for jobs in (2, 3, 8) if view(words, folder, recording, jobs) != want]
            good &= not differ and want[0] == 0
            print(f"{'ok' if not differ and want[0] == 0 else 'not ok'} {number} - {' '.join(words)}: any number of threads")
            if differ or want[0]:
                print(f"# differ: --jobs {differ}; status {want[0]}, {want[2][:200]!r}")
        whole = view(["folded"], folder, recording, 8)[1].count(b"_start;outer;middle;leaf ")
        good &= whole >= 3
        print(f"{'ok' if whole >= 3 else 'not ok'} {len(VIEWS) + 1} - whole stacks in each process")
    return 0 if good else 1


sys.exit(main())
