#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Split debug information (-gsplit-dwarf): inlined functions and lines are those of the same program with whole debug information, from files .dwo
beside the program or where the compiler wrote them, and from a .dwp. Without these files, or with those of another build, the lines stay, and -v names
the file. Prints TAP; needs a compiler and nm."""
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from hostile_recordings import comm, join, mmap2, sample
from program import Tap, run

START = 0x7f0000000000
SOURCES = {
    "calls.h": """
extern volatile unsigned long total;
void other(unsigned long n);
static inline __attribute__((always_inline)) void from_header(unsigned long n) { for (unsigned long i = 0; i < n; i++)
	total ^= i; }
""",
    "first.c": """
#include "calls.h"
volatile unsigned long total;
static inline __attribute__((always_inline)) void inner(unsigned long n) { for (unsigned long i = 0; i < n; i++)
	total += i * 3; }
static inline __attribute__((always_inline)) void middle(unsigned long n) { inner(n);
	total++; }
__attribute__((noinline)) void work(unsigned long n) { middle(n);
	from_header(n); }
__attribute__((cold, noinline)) void rare(unsigned long n) { middle(n + 1); }
int main(int argc, char **argv) { (void)argv; work((unsigned long)argc);
	other((unsigned long)argc); rare(3); return 0; }
""",
    "second.c": """
#include "calls.h"
static inline __attribute__((always_inline)) void warm(unsigned long n) { from_header(n); }
__attribute__((noinline)) void other(unsigned long n) { warm(n);
	total--; }
""",
}


def call(*words, folder=None):
    try:
        done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60, cwd=folder, universal_newlines=True)
    except subprocess.TimeoutExpired:
        return None
    return done.stdout if done.returncode == 0 else None


def build(cc, folder, flags, where="bin"):
    """The program in folder/bin; the compiler runs in folder/WHERE. Its path, or None."""
    place = os.path.join(folder, where)
    os.makedirs(place, exist_ok=True)
    os.makedirs(os.path.join(folder, "bin"), exist_ok=True)
    for name, text in SOURCES.items():
        with open(os.path.join(place, name), "w", encoding="ascii") as f:
            f.write(text)
        if name.endswith(".c") and call(cc, "-O2", *flags, "-c", name, folder=place) is None:
            return None
    program = os.path.join(folder, "bin", "program")
    objects = [os.path.join(place, name[:-1] + "o") for name in SOURCES if name.endswith(".c")]
    return program if call(cc, "-pie", "-Wl,--build-id=none", "-o", program, *objects) is not None else None


def functions(program):
    return sorted((int(words[0], 16), int(words[1], 16), words[3]) for words in map(str.split, call("nm", "-S", program).split("\n"))
                  if len(words) == 4 and words[3] in ("work", "other", "rare", "main"))


def save(folder, path, program):
    """A recording with a sample at every second byte of the functions, for a file system in which the program is at `path`."""
    places = [START + at for low, size, _name in functions(program) for at in range(low, low + size, 2)]
    name = os.path.join(folder, "perf.data")
    with open(name, "wb") as f:
        f.write(join([comm(7, "program"), mmap2(7, START, 0x100000, path)] +
                     [sample(10 + k, ip=at, chain=[(1 << 64) - 512, at]) for k, at in enumerate(places)]))
    return name


def shown(folder, program, *words, symfs=None):
    data = save(folder, program if symfs == "/" else "/bin/program", program)
    return run("script", "-F", "ip,sym,srcline", "--symbols", "yes", "--symfs", symfs or folder, *words, data, timeout=60)


def without_inlined(text):
    """The text without what was inlined: of several calls at an address, the last has the name, and the first the line."""
    kept, lines = [], []
    for line in text.split("\n"):
        if re.match(r"\s+[0-9a-f]+ ", line):
            lines.append((line, []))
        elif lines and line.strip():
            lines[-1][1].append(line)
        else:
            if lines:
                kept += [lines[-1][0], *[place.replace(" (inlined)", "") for place in lines[0][1]]]
            lines = []
            kept.append(line)
    return "\n".join(kept)


def faults_of(want, got, mark=None):
    faults = ["exit %d: %s" % (got.code, got.err[-300:])] if got.code else []
    if got.out.decode() != want:
        differ = [pair for pair in zip(want.split("\n"), got.out.decode().split("\n")) if pair[0] != pair[1]]
        faults.append("%d of %d lines differ: %r" % (len(differ), want.count("\n"), differ[:4]))
    if mark and mark.encode() not in got.err:
        faults.append("-v does not say '%s': %s" % (mark, got.err[-300:]))
    return faults


def cases(tap, cc, flags, title):
    with tempfile.TemporaryDirectory() as whole_folder, tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as apart:
        whole = build(cc, whole_folder, flags)
        program = build(cc, folder, [*flags, "-gsplit-dwarf"])
        elsewhere = build(cc, apart, [*flags, "-gsplit-dwarf"], "obj")
        if not whole or not program or functions(whole) != functions(program):
            print("# %s: it cannot be built" % title)
            return
        want = shown(whole_folder, whole).out.decode()
        enough = want.count("(inlined)") > 20 and len(set(re.findall(r"\S+:\d+", want))) > 8
        tap.report("%s: calls are inlined" % title, [] if enough else [want[:500]])
        tap.report("%s: beside the program" % title, faults_of(want, shown(folder, program)))
        tap.report("%s: several threads" % title, faults_of(want, shown(folder, program, "-j", "4")))
        tap.report("%s: where the compiler wrote it" % title, faults_of(want, shown(apart, elsewhere, symfs="/")))
        bin_folder = os.path.join(folder, "bin")
        split = [os.path.join(bin_folder, name) for name in ("first.dwo", "second.dwo")]
        # dwp knows DWARF 4; llvm-dwp knows what clang writes
        tool = "llvm-dwp" if cc == "clang" else "dwp" if "4" in title else ""
        packed = program + ".dwp"
        if shutil.which(tool) and call(tool, *split, "-o", packed) is not None and os.path.exists(packed):
            for name in split:
                os.rename(name, name + ".kept")
            tap.report("%s: joined in a .dwp" % title, faults_of(want, shown(folder, program)))
            os.remove(packed)
            for name in split:
                os.rename(name + ".kept", name)
        lines = without_inlined(want)
        shutil.copy(split[1], split[0])
        got = shown(folder, program, "-v")
        kept = got.out.decode() not in (want, lines) and without_inlined(got.out.decode()) == lines
        tap.report("%s: the file of another unit" % title, [] if b"its DWO id differs" in got.err and kept and not got.code else [got.err[-300:]])
        for name in split:
            os.remove(name)
            os.mkfifo(name)
        tap.report("%s: pipes" % title, faults_of(lines, shown(folder, program, "-v"), "first.dwo"))
        for name in split:
            os.remove(name)
        tap.report("%s: no such files" % title, faults_of(lines, shown(folder, program, "-v"), "second.dwo"))
        for name in split:
            with open(name, "wb") as f:
                f.write(b"\x7fELF" + bytes(200))
        tap.report("%s: files of another kind" % title, faults_of(lines, shown(folder, program, "-v"), "first.dwo"))


def main():
    tap = Tap()
    compilers = [name for name in ("gcc", "clang") if shutil.which(name)]
    if not compilers or not shutil.which("nm"):
        print("1..0 # SKIP no compiler or nm")
        return 0
    for cc in compilers:
        for version in (4, 5):
            cases(tap, cc, ["-g", "-gdwarf-%d" % version], "%s, DWARF %d" % (cc, version))
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
