#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""User stacks in samples of 64 KiB. From a file the program reads only parts of them, from a pipe all bytes. With return addresses anywhere in the
copies, both give the same outputs, for any number of threads. A part that cannot be read is an error, never a shorter stack. Prints TAP; a part needs a
compiler and a file system that says which bytes are cached."""
import os
import random
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
sys.dont_write_bytecode = True
from program import BUILD, PERFDATA, SANITIZED, TOP, Tap  # noqa: E402
import unwound_program  # noqa: E402
from unwound_program import FRAME_NUMBER, IP_NUMBER, SP_NUMBER, STACK  # noqa: E402
from builder import Recording  # noqa: E402

STACK_BYTES = 65000
SAMPLES = 90
WHOLE = b"_start;outer;middle;leaf "
VIEWS = (["script"], ["folded", "--truncated"], ["report"], ["pprof", "-o", "-", "--force"])


def sample_of(elf, chance):
    """A sample whose outermost return address is anywhere in the copy."""
    words = chance.choice((100, 1000, 2000, STACK_BYTES // 8))
    frame = 9 + chance.randrange(words - 11)
    memory = [chance.getrandbits(40) for _ in range(words)]
    memory[0], memory[8] = elf.returns[0], elf.returns[1]
    memory[frame], memory[frame + 1] = 0, elf.returns[2]
    registers = {IP_NUMBER: elf.symbols["leaf"], SP_NUMBER: STACK, FRAME_NUMBER: STACK + 8 * frame}
    return unwound_program.fields_of_sample(registers, dyn_size=8 * words, stack=struct.pack(f"<{words}Q", *memory).ljust(STACK_BYTES, b"\0"))


def make_recording(elf, path):
    chance = random.Random(7)
    r = Recording()
    event = unwound_program.add_event(r, STACK_BYTES)
    for pid in (100, 200):
        r.comm(pid, pid, f"process-{pid}", time=1)
        unwound_program.map_program(r, elf, pid, 2)
    for i in range(SAMPLES):
        pid = chance.choice((100, 200))
        if chance.randrange(4) == 0:
            r.comm(pid, pid, f"process-{i}", time=10 * i + 9)
        r.sample(event, pid=pid, tid=pid, time=10 * i + 10, **sample_of(elf, chance))
    r.feature(6, r.string("x86_64"))
    r.save(path)


def view(words, symfs, recording, jobs, piped=False, env=None):
    with open(recording, "rb") as file:
        done = subprocess.run([PERFDATA, *words, "--symfs", symfs, "--jobs", str(jobs), "-" if piped else recording], input=file.read() if piped else b"",
                              capture_output=True, env=dict(os.environ, HOME="/nonexistent", LC_ALL="C", **(env or {})), check=False)
    return done.returncode, done.stdout, done.stderr


def make_library(folder):
    """The library that makes calls fail; None without a compiler."""
    library = os.path.join(folder, "failing.so")
    made = subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", library, os.path.join(TOP, "tests/support/failing_syscalls.c"), "-ldl"],
                          capture_output=True, check=False)
    return None if SANITIZED or made.returncode else library


def check_failures(tap, folder, recording, library):
    counts = os.path.join(folder, "counts")
    words = ["script"]
    env = {"LD_PRELOAD": library, "FAIL_BELOW": recording, "FAIL_COUNTS": counts, "FAIL_PROGRAM": "perfdata"}
    whole = view(words, folder, recording, 1, env=env)
    with open(counts, encoding="ascii") as lines:
        reads = next(int(line.split()[1]) for line in lines if line.startswith("read "))
    if reads < SAMPLES // 4:
        tap.skip("a part that cannot be read is an error", "all bytes were read in order")
        return
    wrong = []
    for number in range(5, reads, 3):
        for jobs in (1, 2):
            code, out, err = view(words, folder, recording, jobs, env=dict(env, FAIL_CALL="read", FAIL_NUMBER=str(number), FAIL_ERRNO="5"))
            is_reported = code == 3 and b"cannot be read: Input/output error" in err or code == 4 and b"reading failed here [E114]" in err
            # the session's thread reads again what another thread could not
            if not (is_reported and whole[1].startswith(out)) and not (jobs > 1 and (code, out) == whole[:2]):
                wrong.append((number, jobs, code, err[-200:]))
    tap.report("a part that cannot be read is an error", wrong)


def main():
    if not unwound_program.has_elfutils():
        print("1..0 # SKIP built without elfutils")
        return 0
    tap = Tap()
    with tempfile.TemporaryDirectory(dir=BUILD) as folder:
        elf = unwound_program.put_program(folder)
        recording = os.path.join(folder, "perf.data")
        make_recording(elf, recording)
        for words in VIEWS:
            want = view(words, folder, recording, 1, piped=True)
            same = [jobs for jobs in (1, 2, 8) if view(words, folder, recording, jobs)[:2] == want[:2]]
            tap.report(f"{' '.join(words)}: from a file as from a pipe", [] if len(same) == 3 and want[0] == 0 else [want[0], same])
        whole = view(["folded"], folder, recording, 2)[1]
        found = sum(int(line.rsplit(b" ", 1)[1]) for line in whole.splitlines() if WHOLE in line)
        tap.report("every stack is whole", [] if found == SAMPLES * 1000 or found == SAMPLES else [found])
        library = make_library(folder)
        if library:
            check_failures(tap, folder, recording, library)
        else:
            tap.skip("a part that cannot be read is an error", "no compiler, or sanitizers")
    return tap.end()


sys.exit(main())
