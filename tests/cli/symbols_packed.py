#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Names, inlined functions and lines are the same whether debug information is compressed or not, how large its sections are, and how little
memory there is; and dump takes what script takes to leave them out. Prints TAP; needs a compiler and objcopy."""
import os
import re
import shutil
import subprocess
import sys
import tempfile
from errno import EIO, EMFILE, ENFILE, ENOMEM, ENOSPC

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from builder import Recording, IP, TID, TIME, CALLCHAIN, CONTEXT_USER
from program import PERFDATA, SANITIZED, TOP, run

PROGRAM = """
static volatile unsigned long sink;
static inline __attribute__((always_inline)) void inner(unsigned long n) { sink += n * n; sink ^= n; }
static inline __attribute__((always_inline)) void outer(unsigned long n) { inner(n + 1); sink += 3; inner(n + 2); }
__attribute__((noinline)) void leaf(unsigned long n) { for (unsigned long i = 0; i < n; i++) outer(i); }
int main(int argc, char **argv) { (void)argv; leaf((unsigned long)argc); outer((unsigned long)argc); return (int)sink; }
"""
# more text than is decompressed into memory where there is little of it
FILLER = '.section .debug_str,"",@progbits\n' + "".join('.asciz "text number %d of many that nobody asks for"\n' % i for i in range(40000)) + \
         '.section .note.GNU-stack,"",@progbits\n'
START = 0x400000


def call(*words):
    return subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120)


def record(path, binary):
    recording = Recording()
    event = recording.event("cycles", ids=[1], type=0, sample_type=IP | TID | TIME | CALLCHAIN, sample_id_all=1)
    recording.comm(100, 100, "program", time=1)
    size = os.path.getsize(binary)
    recording.mmap2(100, 100, START, (size + 4095) & ~4095, 0, binary, time=2)
    for at in range(0x1000, min(size, 0x1800)):
        recording.sample(event, ip=START + at, pid=100, tid=100, time=3 + at, callchain=[CONTEXT_USER, START + at])
    recording.save(path)


def calls_that_fail(cc, folder, words):
    """Compressed sections share a temporary file. What is wrong where each call on it fails in turn: the exit code is 6 without descriptors,
    memory or space, 3 after an error of the disk, and W802 says it."""
    library, counts, spool = (os.path.join(folder, name) for name in ("failing.so", "counts", "spool"))
    done = call(cc, "-shared", "-fPIC", "-O1", "-o", library, os.path.join(TOP, "tests", "support", "failing_syscalls.c"), "-ldl")
    if done.returncode or SANITIZED:
        return None
    os.mkdir(spool)
    words = (PERFDATA, *words, "--max-memory", "1M", "--tmpdir", spool)

    def go(**more):
        environment = dict(os.environ, LC_ALL="C", LD_PRELOAD=library, FAIL_BELOW=spool, FAIL_COUNTS=counts, **more)
        done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60, env=environment)
        with open(counts, encoding="ascii") as lines:
            return done, dict(line.split() for line in lines)

    good, faults = go(), []
    for kind in ("open", "write", "read"):
        count = int(good[1][kind])
        faults += [] if count else ["no %s" % kind]
        for number in sorted({0, count // 2, count - 1} if count else ()):
            for error in (EMFILE, ENFILE, ENOMEM, ENOSPC, EIO):
                done = go(FAIL_CALL=kind, FAIL_NUMBER=str(number), FAIL_ERRNO=str(error))[0]
                if (done.returncode, done.stdout) != (good[0].returncode, good[0].stdout) and \
                        (done.returncode != (3 if error == EIO else 6) or b"W802" not in done.stderr):
                    faults.append("%s %d, %s: exit code %d\n%s" % (kind, number, os.strerror(error), done.returncode, done.stderr.decode()[-300:]))
    return faults + ([] if not good[0].returncode else [good[0].stderr.decode()])


def names(text):
    """The lines without positions, for which line tables are read."""
    return re.sub(rb"\n  \S+", b"", text).split()


def main():
    cc = next((name for name in (os.environ.get("CC", "cc").split()[0], "gcc", "clang") if shutil.which(name)), None)
    if not cc or not shutil.which("objcopy"):
        print("1..0 # SKIP no compiler or no objcopy")
        return 0
    number, failed = 0, 0
    with tempfile.TemporaryDirectory() as folder:
        path = {name: os.path.join(folder, name) for name in ("program.c", "filler.s", "small", "large", "perf.data")}
        for name, text in (("program.c", PROGRAM), ("filler.s", FILLER)):
            with open(path[name], "w", encoding="ascii") as f:
                f.write(text)
        flags = (cc, "-O2", "-g", "-no-pie", "-Wl,--build-id=none")
        for name, more in (("small", ()), ("large", (path["filler.s"],))):
            done = call(*flags, "-o", path[name], path["program.c"], *more)
            if done.returncode:
                print("1..0 # SKIP the compiler fails: " + done.stderr.decode(errors="replace").split("\n")[0])
                return 0
        for name in ("small", "large"):
            binary = path[name]
            record(path["perf.data"], binary)
            whole, answers = os.path.join(folder, "whole"), {}
            shutil.move(binary, whole)
            for how in ("none", "zlib", "zstd"):
                root = os.path.join(folder, name + "-" + how)
                os.makedirs(os.path.dirname(root + binary))
                done = call("objcopy", "--compress-debug-sections=" + how, whole, root + binary)
                if done.returncode:
                    answers[how] = None
                    continue
                common = ("--symfs", root, path["perf.data"])
                answers[how] = [run("script", "-F", "ip,sym,srcline", *common).out, run("folded", *common).out,
                                run("script", "-F", "ip,sym,srcline", "--max-memory", "1M", *common).out,
                                run("script", "-F", "ip,sym", *common).out]
            for how in ("zlib", "zstd"):
                number += 1
                if answers[how] is None:
                    print("ok %d - %s, %s # SKIP objcopy does not know it" % (number, name, how))
                    continue
                fine = answers[how] == answers["none"] and b"program.c:4" in answers[how][0] and b"leaf;outer;inner" in answers[how][1] \
                    and names(answers[how][0]) == answers[how][3].split()
                failed += not fine
                print("%s %d - %s, %s: as not compressed" % ("ok" if fine else "not ok", number, name, how))
                if not fine:
                    print("# " + repr([answer[:300] for answer in answers[how]]) + repr([answer[:300] for answer in answers["none"]]))
        common = ("--symfs", os.path.join(folder, "large-none"), path["perf.data"])
        number += 1
        with_inlines, without, chainless = (run("dump", *options, *common).out for options in ((), ("--no-inline",), ("-G",)))
        script = run("script", "--no-inline", *common).out.split(b"\n\n")[0]
        fine = b"(inlined)" in with_inlines and b"(inlined)" not in without and script and script in without \
            and b"cycles:  " in chainless and b"cycles: \n" not in chainless
        failed += not fine
        print("%s %d - dump has the lines of script, by the same options" % ("ok" if fine else "not ok", number))
        if not fine:
            print("# %r %r %d %d" % (script[:300], without[without.find(b"program  "):][:600], len(chainless), len(without)))
        number += 1
        faults = calls_that_fail(cc, folder, ("script", "-F", "ip,sym,srcline", "--symfs", os.path.join(folder, "large-zlib"), path["perf.data"]))
        failed += bool(faults)
        print("%s %d - calls on the temporary file fail%s" % ("not ok" if faults else "ok", number,
                                                            " # SKIP no library to preload" if faults is None else ""))
        for fault in faults or ():
            print("# " + fault.replace("\n", "\n# "))
    print("1..%d" % number)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
