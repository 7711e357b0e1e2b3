#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Of a program of which only a part has debug information, `script -F srcline` tells what addr2line tells, whose answers perf prints: a
line, the source of a function alone ("file:0"), or that there is a function ("??:0"); else the file and the address.
Prints TAP; needs a compiler, addr2line and objdump."""
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from builder import Recording, IP, TID, TIME
from program import run

START = 0x7f0000000000
STEP = 5
DEBUGGED = ("second_", "main")
NOTHING = ("??", "??:0"), ("??", "??:?")

PLAIN = """
static __attribute__((noinline, used)) int %(name)s_local(int n) { int s = 0; for (int i = 0; i < n; i++) s += i * n ^ s; return s; }
__attribute__((noinline)) int %(name)s_global(int n) { int s = 1; for (int i = 0; i < n; i++) s -= i * n ^ s; return s + %(name)s_local(n); }
"""
# symbols at one address, without a type or a size, and in a section of their own
ODD = """
	.file "odd.c"
	.text
	.type odd_large, @function
	.type odd_small, @function
odd_large:
odd_small:
	.skip 16, 0x90
	.size odd_small, 4
	.size odd_large, 16
	.globl odd_global
	.type odd_global, @function
odd_global:
odd_label:
	.skip 16, 0x90
	.size odd_global, 16
odd_alone:
	.skip 16, 0x90
	.type odd_table, @object
odd_table:
	.skip 16, 0x90
	.size odd_table, 16
	.section apart, "ax", @progbits
	.skip 16, 0x90
	.globl odd_apart
	.type odd_apart, @function
odd_apart:
	.skip 16, 0x90
	.size odd_apart, 16
	.section .note.GNU-stack, "", @progbits
"""
MAIN = "int first_global(int), second_global(int); int main(int argc, char **argv) { (void)argv; return first_global(argc) + second_global(argc); }\n"


def call(*words, text=""):
    done = subprocess.run(words, input=text, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120, universal_newlines=True)
    return done.stdout if done.returncode == 0 else None


def build(cc, folder, flags):
    """first.c and odd.s have no debug information; second.c and main.c have."""
    objects = []
    for name, text, debug in (("first.c", PLAIN % {"name": "first"}, False), ("odd.s", ODD, False), ("second.c", PLAIN % {"name": "second"}, True),
                              ("main.c", MAIN, True)):
        source = os.path.join(folder, name)
        with open(source, "w", encoding="ascii") as f:
            f.write(text)
        objects.append(source + ".o")
        if call(cc, "-O1", *(["-g"] if debug else ["-g0"]), *flags, "-c", "-o", objects[-1], source) is None:
            return None
    program = os.path.join(folder, "program")
    return program if call(cc, *flags, "-o", program, *objects) is not None else None


def code(program):
    """The sections with code: address, size and offset."""
    found = []
    for line in call("objdump", "-h", "-w", program).split("\n"):
        words = line.split()
        if len(words) > 7 and words[0].isdigit() and "CODE" in line:
            found.append((words[1], int(words[3], 16), int(words[2], 16), int(words[5], 16)))
    return found


def expected(program, sections):
    """By file offset: what addr2line says in perf's words."""
    shift = next(address - offset for name, address, _, offset in sections if name == ".text")
    wanted = {}
    for _, address, size, offset in sections:
        places = list(range(0, size, STEP))
        told = call("addr2line", "-f", "-e", program, text="".join("%#x\n" % (address + at) for at in places)).split("\n")
        for i, at in enumerate(places):
            function, line = told[2 * i], re.sub(r" \(discriminator \d+\)$", "", os.path.basename(told[2 * i + 1]))
            if function.startswith(DEBUGGED) and line.endswith("?"):
                continue   # padding, which belongs to the unit or to none
            if (function, line) in NOTHING:
                wanted[offset + at] = "program[%x]" % (offset + at + shift) if line == "??:0" else "??:0"
            else:
                wanted[offset + at] = re.sub(r":\?$", ":0", line)
    return wanted


def told(program, wanted, folder):
    recording = Recording()
    event = recording.event("cycles", ids=[1], type=0, sample_type=IP | TID | TIME, sample_id_all=1)
    recording.comm(100, 100, "program", time=1)
    recording.mmap2(100, 100, START, (os.path.getsize(program) + 4095) & ~4095, 0, program, time=2)
    for i, at in enumerate(sorted(wanted)):
        recording.sample(event, ip=START + at, pid=100, tid=100, time=3 + i)
    path = os.path.join(folder, "perf.data")
    recording.save(path)
    out = run("script", "-q", "-F", "ip,srcline", "--symfs", "/", path).out.decode()
    return {int(ip, 16) - START: place for ip, place in re.findall(r"([0-9a-f]+) *\n +(\S+)", out)}


def main():
    cc = next((name for name in (os.environ.get("CC", "cc").split()[0], "gcc", "clang") if shutil.which(name)), None)
    if not cc or not shutil.which("objdump") or not shutil.which("addr2line"):
        print("1..0 # SKIP no compiler, addr2line or objdump")
        return 0
    failed = number = 0
    for title, flags in (("a program that is not moved", ["-no-pie", "-fno-pie"]), ("a program that is moved", ["-pie", "-fpie"])):
        number += 1
        with tempfile.TemporaryDirectory() as folder:
            program = build(cc, folder, flags)
            if not program:
                print("ok %d - %s # SKIP it cannot be built" % (number, title))
                continue
            wanted = expected(program, code(program))
            named = told(program, wanted, folder)
        wrong = [(hex(at), place, named.get(at)) for at, place in sorted(wanted.items()) if named.get(at) != place]
        kinds = {re.sub(r"[^:]*[a-z]:", "x:", place).split("[")[0] for place in wanted.values()}
        if not {"x:0", "??:0", "program"} <= kinds:
            wrong.append("not all kinds of answers: %r" % kinds)
        failed += bool(wrong)
        print("%s %d - %s: %d places are addr2line's" % ("not ok" if wrong else "ok", number, title, len(wanted)))
        if wrong:
            print("# %d differ: %r" % (len(wrong), wrong[:6]))
    print("1..%d" % number)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
