#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Entries of a large procedure linkage table have the names that objdump gives them, in whatever order the program calls the functions; so have
entries of .plt.got, for functions whose address a library also takes, on x86-64 and i386. Prints TAP; needs a compiler and objdump."""
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from builder import Recording, IP, TID, TIME
from program import run

# more functions than fit into what is read of the symbol table at once, called in another order than they are declared
COUNT = 1500
NAMES = ["function_%04d" % (i * 701 % COUNT) for i in range(COUNT)]
START = 0x400000


def call(*words):
    return subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120)


def write(path, lines):
    with open(path, "w", encoding="ascii") as f:
        f.write("\n".join(lines) + "\n")


def build(cc, folder):
    library, program = os.path.join(folder, "library"), os.path.join(folder, "program")
    write(library + ".c", ["void %s(void) {}" % name for name in sorted(NAMES)])
    write(program + ".c", ["void %s(void);" % name for name in sorted(NAMES)] +
          ["int main(void) { %s return 0; }" % " ".join(name + "();" for name in NAMES)])
    for words in (("-shared", "-fPIC", "-o", library + ".so", library + ".c"), ("-no-pie", "-o", program, program + ".c", library + ".so")):
        done = call(cc, *words)
        if done.returncode:
            return None, done.stderr.decode(errors="replace").split("\n")[0]
    return program, ""


def build_library(cc, folder, *options):
    """A library that calls functions and takes their addresses."""
    library = os.path.join(folder, "taking")
    names = ["outside_%d" % i for i in range(9)]
    write(library + ".c", ["void other(void), %s;" % ", ".join(name + "(void)" for name in names), "void (*volatile kept)(void);",
                           "void take(void) { other(); %s }" % " ".join("kept = %s; %s();" % (name, name) for name in names)])
    done = call(cc, *options, "-shared", "-nostdlib", "-fPIC", "-O1", "-o", library, library + ".c")
    return (library, "") if not done.returncode else (None, done.stderr.decode(errors="replace").split("\n")[0])


def names_of(folder, program, wanted):
    recording = Recording()
    event = recording.event("cycles", ids=[1], type=0, sample_type=IP | TID | TIME, sample_id_all=1)
    recording.comm(100, 100, "program", time=1)
    recording.mmap2(100, 100, START, (os.path.getsize(program) + 4095) & ~4095, 0, program, time=2)
    for i, at in enumerate(sorted(wanted)):
        recording.sample(event, ip=at, pid=100, tid=100, time=3 + i)
    path = os.path.join(folder, "perf.data")
    recording.save(path)
    return {int(at, 16): name for at, name in re.findall(r"([0-9a-f]+) (\S+)", run("script", "-F", "ip,sym", "--symfs", "/", path).out.decode())}


def check(number, title, folder, program, why, base, pattern, least):
    listing = call("objdump", "-d", program).stdout.decode() if program else ""
    wanted = {base + int(at, 16): name for at, name in re.findall(r"^([0-9a-f]+) <(%s@plt)>:" % pattern, listing, re.M)}
    if len(wanted) < least:
        print("ok %d - %s # SKIP %s" % (number, title, why or "objdump names %d entries" % len(wanted)))
        return True
    named = names_of(folder, program, wanted)
    wrong = [(hex(at), name, named.get(at)) for at, name in sorted(wanted.items()) if named.get(at) != name]
    print("%s %d - %s: %d entries have objdump's names" % ("not ok" if wrong else "ok", number, title, len(wanted)))
    if wrong:
        print("# %d of %d differ: %r" % (len(wrong), len(wanted), wrong[:5]))
    return not wrong


def main():
    cc = next((name for name in (os.environ.get("CC", "cc").split()[0], "gcc", "clang") if shutil.which(name)), None)
    if not cc or not shutil.which("objdump"):
        print("1..0 # SKIP no compiler or no objdump")
        return 0
    with tempfile.TemporaryDirectory() as folder:
        good = check(1, "a large table", folder, *build(cc, folder), 0, r"function_\d+", COUNT)
        for number, option in ((2, "-m64"), (3, "-m32")):
            good &= check(number, ".plt.got, " + option, folder, *build_library(cc, folder, option), START, r"outside_\d+", 9)
    print("1..3")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
