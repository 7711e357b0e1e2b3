#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Of a program of which only a part has debug information, `script -F srcline` tells what addr2line tells, whose answers perf prints: a
line, the source of a function alone ("file:0"), or that there is a function ("??:0"); else the file and the address. Of inlined functions, `script` and
`pprof` have what `addr2line -i` tells of each address: names and lines, from the first address of each to its last.
Prints TAP; needs a compiler, addr2line and objdump."""
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import views
from builder import CALLCHAIN, CONTEXT_USER, IP, TID, TIME, Recording
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


# Inlined functions in inlined functions, in one piece and, since one of them is unlikely, in several.
INLINED = """
static volatile unsigned sum;
static inline __attribute__((always_inline)) void innermost(unsigned i)
{
	sum += i * i;
	if (__builtin_expect(i == 77, 0))
		__builtin_abort();
}
static inline __attribute__((always_inline)) void middle(unsigned i)
{
	sum ^= i;
	innermost(i + 1);
	innermost(i + 2);
}
__attribute__((noinline)) void outermost(unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		middle(i);
}
int main(int argc, char **argv)
{
	(void)argv;
	outermost((unsigned)argc);
	return 0;
}
"""


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
        answer = call("addr2line", "-f", "-e", program, text="".join("%#x\n" % (address + at) for at in places)).split("\n")
        for i, at in enumerate(places):
            function, line = answer[2 * i], re.sub(r" \(discriminator \d+\)$", "", os.path.basename(answer[2 * i + 1]))
            if function.startswith(DEBUGGED) and line.endswith("?"):
                continue   # padding, which belongs to the unit or to none
            if (function, line) in NOTHING:
                wanted[offset + at] = "program[%x]" % (offset + at + shift) if line == "??:0" else "??:0"
            else:
                wanted[offset + at] = re.sub(r":\?$", ":0", line)
    return wanted


def answer(program, wanted, folder):
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


def whole(name):
    """The function to which a part belongs: addr2line does not distinguish parts."""
    return re.sub(r"\.(cold|part\.\d+)$", "", name)


def check_inlined(cc, folder):
    """What is wrong, and how many addresses were looked up."""
    source, program, path = (os.path.join(folder, name) for name in ("inlined.c", "inlined", "inlined.data"))
    with open(source, "w", encoding="ascii") as f:
        f.write(INLINED)
    if call(cc, "-O2", "-g", "-o", program, source) is None:
        return None, 0
    text = next(section for section in code(program) if section[0] == ".text")
    found = re.findall(r"^ +([0-9a-f]+):\t", call("objdump", "-d", "--no-show-raw-insn", "-j", ".text", program), re.M)
    wanted = {}
    for address in (int(word, 16) for word in found):
        lines = call("addr2line", "-f", "-i", "-e", program, "%#x" % address).split("\n")[:-1]
        answer = [(name, int(place)) for name, place in zip(lines[::2], (re.sub(r" \(disc.*", "", line).split(":")[-1] for line in lines[1::2])) if place.isdigit()]
        if answer and answer[0][0] in ("innermost", "middle", "outermost", "main"):
            wanted[address - text[1] + text[3]] = answer
    recording = Recording()
    event = recording.event("cycles", ids=[1], type=0, sample_type=IP | TID | TIME | CALLCHAIN, sample_id_all=1)
    recording.mmap2(100, 100, START, (os.path.getsize(program) + 4095) & ~4095, 0, program, time=2)
    for number, at in enumerate(sorted(wanted)):
        recording.sample(event, ip=START + at, pid=100, tid=100 + number, time=3 + number, callchain=[CONTEXT_USER, START + at])
    recording.save(path)
    out = run("script", "-q", "-F", "tid,ip,sym", "--symfs", "/", path).out.decode()
    names = [[whole(name) for name in re.findall(r"^\s+[0-9a-f]+ (\S+)", part, re.M)] for part in out.split("\n\n") if part.strip()]
    profile = views.Pprof(run("pprof", "-q", "--symfs", "/", path).out)
    lines = {}
    for places, _values, labels in profile.samples:
        lines[labels["tid"]] = [(whole(profile.strings[views.one(profile.functions[views.one(line, 1)], 2)]), views.one(line, 2))
                                for line in map(views.message, profile.locations[places[0]][4])]
    wrong = []
    for number, at in enumerate(sorted(wanted)):
        if [name for name, _line in wanted[at]] != names[number] or wanted[at] != lines.get(100 + number):
            wrong.append((hex(at), wanted[at], names[number], lines.get(100 + number)))
    if not any(len(answer) > 2 for answer in wanted.values()):
        wrong.append("nothing is inlined twice")
    return wrong, len(wanted)


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
            named = answer(program, wanted, folder)
        wrong = [(hex(at), place, named.get(at)) for at, place in sorted(wanted.items()) if named.get(at) != place]
        kinds = {re.sub(r"[^:]*[a-z]:", "x:", place).split("[")[0] for place in wanted.values()}
        if not {"x:0", "??:0", "program"} <= kinds:
            wrong.append("not all kinds of answers: %r" % kinds)
        failed += bool(wrong)
        print("%s %d - %s: %d places are addr2line's" % ("not ok" if wrong else "ok", number, title, len(wanted)))
        if wrong:
            print("# %d differ: %r" % (len(wrong), wrong[:6]))
    number += 1
    with tempfile.TemporaryDirectory() as folder:
        wrong, nr = check_inlined(cc, folder)
    failed += bool(wrong)
    print("%s %d - inlined functions and lines of %d addresses are addr2line's%s" % ("not ok" if wrong else "ok", number, nr, " # SKIP it cannot be built" if wrong is None else ""))
    if wrong:
        print("# %d differ: %r" % (len(wrong), wrong[:4]))
    print("1..%d" % number)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
