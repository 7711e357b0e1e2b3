#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Entries of a large procedure linkage table have the names that objdump gives them, in whatever order the program calls the functions.
Prints TAP; needs a compiler and objdump."""
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


def main():
    cc = next((name for name in (os.environ.get("CC", "cc").split()[0], "gcc", "clang") if shutil.which(name)), None)
    if not cc or not shutil.which("objdump"):
        print("1..0 # SKIP no compiler or no objdump")
        return 0
    with tempfile.TemporaryDirectory() as folder:
        program, why = build(cc, folder)
        listing = call("objdump", "-d", program).stdout.decode() if program else ""
        wanted = {int(at, 16): name for at, name in re.findall(r"^([0-9a-f]+) <(function_\d+@plt)>:", listing, re.M)}
        if len(wanted) != COUNT:
            print("1..0 # SKIP %s" % (why or "objdump names %d entries" % len(wanted)))
            return 0
        recording = Recording()
        event = recording.event("cycles", ids=[1], type=0, sample_type=IP | TID | TIME, sample_id_all=1)
        recording.comm(100, 100, "program", time=1)
        recording.mmap2(100, 100, START, (os.path.getsize(program) + 4095) & ~4095, 0, program, time=2)
        for i, at in enumerate(sorted(wanted)):
            recording.sample(event, ip=at, pid=100, tid=100, time=3 + i)
        path = os.path.join(folder, "perf.data")
        recording.save(path)
        named = {int(at, 16): name for at, name in re.findall(r"([0-9a-f]+) (\S+)", run("script", "-F", "ip,sym", "--symfs", "/", path).out.decode())}
    wrong = [(hex(at), name, named.get(at)) for at, name in sorted(wanted.items()) if named.get(at) != name]
    print("%s 1 - %d entries have objdump's names" % ("not ok" if wrong else "ok", COUNT))
    if wrong:
        print("# %d of %d differ: %r" % (len(wrong), COUNT, wrong[:5]))
    print("1..1")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
