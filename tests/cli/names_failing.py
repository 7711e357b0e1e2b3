#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A name that is there and cannot be had is an error, never "no name": each call that opens, reads or asks for a file with names fails in
turn, and each that allocates memory. Where memory or descriptors ran out the exit code is 6, where the disk failed 3, where the file is gone
or forbidden the names are missing and -v says why; or the output is the same. The same where the kernel maps no more memory, for any library.
And many files with few descriptors. Prints TAP; a part needs a compiler, another one strace.

usage: names_failing.py [--all]     --all: every call, not one in 17 for each error"""
import errno
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from named_files import Tree
from program import BUILD, PERFDATA, SANITIZED, TOP, Tap

EXHAUSTED, BROKEN, ABSENT = ("EMFILE", "ENFILE", "ENOMEM", "ENOSPC"), ("EIO",), ("ENOENT", "EACCES", "ELOOP", "ENOTDIR")
CODES = {**dict.fromkeys(EXHAUSTED, 6), **dict.fromkeys(BROKEN, 3)}
FILES, DESCRIPTORS, STEP = 300, 64, 17
LEAST_SPACE, MOST_SPACE, SPACE_STEP = 8 << 20, 20 << 20, 256 << 10   # of address space, for which names of a few files are looked up
NOT_STARTED = 127                                                     # of the loader: main() was not reached


class Program:
    """perfdata with calls that fail below the folder of the tree."""

    def __init__(self, folder, library, **more):
        self.folder, self.library, self.counts, self.more = folder, library, os.path.join(folder, "counts"), more

    def run(self, words, home, stdin=b"", call=None, number=0, name=None):
        environment = dict(os.environ, **self.more, HOME=home, LC_ALL="C", LD_PRELOAD=self.library, FAIL_BELOW=self.folder + "/", FAIL_COUNTS=self.counts,
                           FAIL_PROGRAM="perfdata")
        if call:
            environment.update(FAIL_CALL=call, FAIL_NUMBER=str(number), FAIL_ERRNO=str(getattr(errno, name)))
        done = subprocess.run([PERFDATA, *words], input=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60, env=environment)
        with open(self.counts, encoding="ascii") as lines:
            counts = {line.split()[0]: int(line.split()[1]) for line in lines}
        return done.returncode, done.stdout, done.stderr.decode("utf-8", "replace"), counts


def compile_library(out, source, *options):
    """Whether there is a compiler that makes a shared library of the source."""
    cc = next(filter(shutil.which, (os.environ.get("CC", "cc").split()[-1], "gcc", "clang")), None)
    return cc and subprocess.run([cc, "-shared", "-fPIC", "-O1", *options, "-o", out, source, "-ldl"], stderr=subprocess.PIPE).returncode == 0


def build(folder):
    """The library that makes calls fail; None without a compiler."""
    library, source = os.path.join(folder, "failing.so"), os.path.join(TOP, "tests", "support", "failing_syscalls.c")
    return library if not SANITIZED and compile_library(library, source) else None


INLINED = """static inline __attribute__((always_inline)) int inner(int x) { return x * 3 + 1; }
int around(int x) { volatile int y = x; return inner(y) + inner(y + 1); }
"""


INLINED_ID = "2c7a" * 10


def add_inlined(tree, folder):
    """A library whose debug information is compressed in the old way, which libdw reads; its build-id is recorded, so its instructions are shown."""
    source, out = os.path.join(folder, "inlined.c"), os.path.join(folder, "inlined.so")
    with open(source, "w", encoding="ascii") as text:
        text.write(INLINED)
    if not shutil.which("nm") or not compile_library(out, source, "-g", "-gz=zlib-gnu", "-Wl,--build-id=0x" + INLINED_ID):
        return
    found = re.search(r"(?m)^([0-9a-f]+) T around$", subprocess.run(["nm", out], stdout=subprocess.PIPE, check=True).stdout.decode())
    with open(out, "rb") as data:
        tree.put("/lib/inlined.so", data.read())
    tree.map("/lib/inlined.so", bytes.fromhex(INLINED_ID))
    tree.sample(tree.last_start + int(found.group(1), 16) + 12, "around")


def fault_of(good, got, name, call, verbose, vanished, named):
    """What is wrong with an outcome; None: nothing."""
    code, out, said, _ = got
    if code == good[0] and out == good[1]:
        return None
    if name in CODES:
        # the last message is the program's own: where descriptors ran out it does not blame memory
        last = said.strip().splitlines()[-1:]
        if call == "open" and name in ("EMFILE", "ENFILE") and "names are missing" in str(last) and \
                not any(word in last[0] for word in (os.strerror(getattr(errno, name)), "descriptors")):
            return "the last message is %s" % last
        return None if code == CODES[name] else "exit code %s" % code
    # a place that an option names has to be there
    if code == 3 and "error: %s: " % named in said:
        return None
    if code not in (good[0], vanished):
        return "exit code %s" % code
    return None if not verbose or call in ("dlopen", "dlsym") or any(word in said for word in ("not there", "not used")) else "no reason is said"


def fail_in_turn(tap, program, title, words, home, stdin=b"", verbose=False, vanished=1, all_memory=False, calls=None):
    """vanished: also the exit code where a file is gone; all_memory: each call that allocates memory, in any case; calls: only these."""
    good = program.run(words, home, stdin)
    faults, nr, step = [], 0, 1 if "--all" in sys.argv else STEP
    for call, count in sorted(good[3].items()):
        if calls and call not in calls:
            continue
        for index, name in enumerate((*CODES, *ABSENT) if call == "open" else ABSENT[:1] if call == "dlsym" else CODES):
            # each error takes other calls
            if call == "malloc" and name != "ENOMEM":
                continue
            stride = 1 if call == "dlopen" or (call == "dlsym" and count < 2 * STEP) or (call == "malloc" and all_memory) else step
            for number in range(index % stride, count, stride):
                got = program.run(words, home, stdin, call, number, name)
                nr += 1
                fault = fault_of(good, got, name, call, verbose, vanished, os.path.join(program.folder, "root"))
                if fault:
                    faults.append("%s %d of %d, %s: %s\n%s" % (call, number, count, name, fault, got[2][-300:]))
    tap.report("%s: each of %d calls fails" % (title, nr), faults + ([] if good[0] in (0, 1) and nr > (2 if calls else 5) else ["good run: %s" % (good,)]))


def annotate(tap, program, tree, symfs):
    """Lines of sources are names, too."""
    folder = os.path.join(program.folder, "sources")
    os.mkdir(folder)
    with open(os.path.join(folder, "inlined.c"), "w", encoding="ascii") as text:
        text.write(INLINED)
    words = ["annotate", "-q", "--symbol", "around", "--source", folder, *symfs, tree.recording]
    tap.report("annotate has instructions", [] if b"instructions by" in program.run(words, tree.home)[1] else ["none"])
    tap.report("annotate has the source", [] if b"x * 3 + 1" in program.run(words, tree.home)[1] else ["no line"])
    fail_in_turn(tap, program, "annotate --source", words, tree.home, vanished=3)
    other = Program(program.folder, program.library, FAIL_HIDDEN="LLVM")
    if b"capstone" in other.run(words, tree.home)[1]:
        fail_in_turn(tap, other, "annotate by capstone", words, tree.home, vanished=3, calls=("dlopen", "dlsym", "malloc"))
    else:
        tap.skip("annotate by capstone", "it is not installed")


def failing_calls(tap, folder):
    library = build(folder)
    if not library:
        tap.skip("each call fails", "no compiler, or sanitizers")
        return
    inner = os.path.join(folder, "tree")
    os.mkdir(inner)
    tree = Tree(inner)
    tree.add_all_kinds()
    add_inlined(tree, folder)
    recording = tree.recording = os.path.join(folder, "recording")
    tree.save()
    program = Program(inner, library)
    symfs = ["--symfs", tree.root]
    fail_in_turn(tap, program, "folded", ["folded", "-v", *symfs, recording], tree.home, verbose=True)
    fail_in_turn(tap, program, "script", ["script", "-q", "-F", "ip,sym,srcline", *symfs, recording], tree.home)
    fail_in_turn(tap, program, "info", ["info", "-q", "--symbols", "yes", *symfs, recording], tree.home)
    fail_in_turn(tap, program, "match", ["match", "-q", *symfs, recording], tree.home, all_memory=True)
    fail_in_turn(tap, program, "match --json", ["match", "-q", "--json", *symfs, recording], tree.home)
    for command in ("info", "buildids", "check", "events"):
        fail_in_turn(tap, program, command + " --json", [command, "-q", "--json", recording], tree.home)
    fail_in_turn(tap, program, "match --search", ["match", "-q", "--search", "--jobs", "1", *symfs, recording], tree.home)
    fail_in_turn(tap, program, "symbolize", ["symbolize", "-q", *symfs], tree.home, b"/lib/mangled.so+0x1008;/bin/linked+0x1008\n",
                 all_memory=True)
    annotate(tap, program, tree, symfs)
    bundle, whole = os.path.join(inner, "bundle.tar"), program.run(["folded", "-q", *symfs, recording], tree.home)[1]
    # an archive whose table of contents has a file cannot be written without it
    fail_in_turn(tap, program, "bundle", ["bundle", "-q", "--force", "-o", "-", *symfs, recording], tree.home, vanished=3, all_memory=True)
    subprocess.run([PERFDATA, "bundle", "-q", "-o", bundle, *symfs, recording], env=dict(os.environ, HOME=tree.home), check=True)
    recorded = os.path.join(inner, "recorded")
    shutil.copy(recording, recorded)
    for command in (["bundle", "-q", "-o", "-"], ["info", "-q"], ["rewrite", "-q", "-o", "-"]):
        fail_in_turn(tap, program, "%s of a recording that fails" % command[0], [*command, recorded], tree.home, vanished=3, calls=("open", "stat"))
    named = program.run(["folded", "-q", "--symbols-from", bundle, recording], tree.home)[1]
    tap.report("a bundle has the names of its files", [] if named == whole else ["%s for %s" % (named, whole)])
    # the option names it, so it has to be there
    fail_in_turn(tap, program, "a bundle as source", ["folded", "-q", "--symbols-from", bundle, "--tmpdir", inner, recording], tree.home, vanished=3)


NAMING = (("folded", "-v"), ("script", "-q", "-F", "ip,sym,srcline"), ("info", "-q", "--symbols", "yes"), ("match", "-q"), ("report", "-q", "--jobs", "2"))


def run_plainly(words, home, before=(), **more):
    """Exit code and output of perfdata itself, where libtool made a script of that name."""
    folder = os.path.join(BUILD, ".libs")
    program = os.path.join(folder, "perfdata") if os.path.exists(os.path.join(folder, "perfdata")) else PERFDATA
    return subprocess.run([*before, program, *words], env=dict(os.environ, HOME=home, LC_ALL="C", LD_LIBRARY_PATH=folder), stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120, **more)


def is_right(done, good):
    return done.returncode in (6, NOT_STARTED) or (done.returncode, done.stdout) == (good.returncode, good.stdout)


def mapping_fails(tap, folder):
    """The kernel maps nothing more: for any library, the loader among them. From some point on (a limit of address space), and once."""
    inner = os.path.join(folder, "mapped")
    os.mkdir(inner)
    tree = Tree(inner)
    tree.add_all_kinds()
    add_inlined(tree, folder)
    tree.save()
    strace, fine = shutil.which("strace"), "--all" in sys.argv
    for words in NAMING:
        words = [*words, "--symfs", tree.root, tree.recording]
        if SANITIZED:
            tap.skip("%s: memory is not mapped" % words[0], "sanitizers need address space")
            continue
        good, faults, nr = run_plainly(words, tree.home), [], {0: 0, 6: 0}
        for space in range(LEAST_SPACE, MOST_SPACE, SPACE_STEP // 4 if fine else SPACE_STEP):
            done = run_plainly(words, tree.home, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (space, space)))
            nr[done.returncode] = nr.get(done.returncode, 0) + 1
            if not is_right(done, good):
                faults.append("%d bytes of address space: exit code %d\n%s" % (space, done.returncode, done.stderr[-300:].decode()))
        tap.report("%s: with little address space" % words[0], faults + ([] if nr[0] and nr[6] else ["exit codes: %s" % nr]))
        if not strace:
            tap.skip("%s: each mapping fails" % words[0], "no strace")
            continue
        faults = []
        inject = [strace, "-f", "-qq", "-o", os.path.join(folder, "calls"), "-e", "trace=mmap,mremap,mprotect", "-e"]
        run_plainly(words, tree.home, [*inject, "inject=mmap:delay_enter=0"])
        with open(os.path.join(folder, "calls"), encoding="utf-8", errors="replace") as calls:
            count = sum(1 for _ in calls)
        # without its first mapping the loader cannot say anything
        for number in range(2, count + 1, 1 if fine else 3):
            done = run_plainly(words, tree.home, [*inject, "inject=mmap,mremap,mprotect:error=ENOMEM:when=%d" % number])
            if not is_right(done, good):
                faults.append("mapping %d of %d: exit code %d\n%s" % (number, count, done.returncode, done.stderr[-300:].decode()))
        tap.report("%s: each of %d mappings fails" % (words[0], count), faults + ([] if count > 30 else ["too few mappings"]))


def loader_fails(tap, folder):
    """The loader, which makes its calls by itself, cannot open a file: libraries that names need are not taken for missing ones."""
    inner = os.path.join(folder, "loaded")
    os.mkdir(inner)
    tree = Tree(inner)
    tree.add_all_kinds()
    add_inlined(tree, folder)
    tree.save()
    strace, calls = shutil.which("strace"), os.path.join(folder, "opened")
    for words in (["folded", "-q"], ["annotate", "-q", "--symbol", "around"]):
        words = [*words, "--symfs", tree.root, tree.recording]
        if not strace or SANITIZED:
            tap.skip("%s: each library cannot be opened" % words[0], "no strace, or sanitizers")
            continue
        inject = [strace, "-f", "-qq", "-o", calls, "-e", "trace=openat", "-e"]
        good, faults, nr = run_plainly(words, tree.home, [*inject, "inject=openat:delay_enter=0"]), [], 0
        with open(calls, encoding="utf-8", errors="replace") as lines:
            opened = [number for number, line in enumerate(lines, 1) if ".so" in line and "libperfdata" not in line]
        # the first ones are those of the program itself, without which it does not start: a sample needs later ones
        step = 1 if "--all" in sys.argv else max(1, min(STEP, len(opened) // 3))
        for index, name in enumerate(("EMFILE", "EIO")):
            for number in opened[index::step]:
                done = run_plainly(words, tree.home, [*inject, "inject=openat:error=%s:when=%d" % (name, number)])
                nr += done.returncode == CODES[name]
                last = done.stderr.decode().strip().splitlines()[-1:]
                reason = os.strerror(getattr(errno, name))
                if done.returncode in (0, NOT_STARTED) and (done.returncode or done.stdout == good.stdout):
                    continue
                if done.returncode != CODES[name] or reason not in last[0]:
                    faults.append("open %d of %d, %s: exit code %d, %s" % (number, len(opened), name, done.returncode, last))
        tap.report("%s: each of %d opened libraries fails" % (words[0], len(opened)), faults + ([] if good.returncode == 0 and nr else ["none failed"]))


def many_files(tap, folder):
    os.mkdir(os.path.join(folder, "many"))
    tree = Tree(os.path.join(folder, "many"))
    for number in range(FILES):
        tree.add_program(number)
    tree.save()

    def few():
        resource.setrlimit(resource.RLIMIT_NOFILE, (DESCRIPTORS, DESCRIPTORS))

    bundle = os.path.join(folder, "many.tar")
    subprocess.run([PERFDATA, "bundle", "-q", "-o", bundle, "--symfs", tree.root, tree.recording], check=True)
    for words in (["folded"], ["folded", "--jobs", "3"], ["script", "-F", "ip,sym,srcline"], ["report", "--csv"], ["match", "-v"],
                  ["folded", "--max-memory", "1M"]):
        for source in (["--symfs", tree.root], ["--symbols-from", bundle]):
            done = subprocess.run([PERFDATA, *words, *source, tree.recording], stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=few,
                                  stdin=subprocess.DEVNULL, timeout=120)
            lines = done.stdout.decode().replace(";", " ").replace(",", " ").replace('"', " ").split()
            missing = {"program-%d" % number for number in range(FILES)} - {os.path.basename(word) for word in lines} \
                if words[0] == "match" else set(tree.names) - set(lines)
            tap.report("%d files and %d descriptors: %s %s" % (FILES, DESCRIPTORS, " ".join(words), source[0]),
                       ["exit %d, %d of %d are missing: %s" % (done.returncode, len(missing), FILES, done.stderr[-400:].decode())]
                       if done.returncode or missing else [])


def few_descriptors(tap, folder):
    """Each number of descriptors, until all is written: what lacks one ends with 6, and a message says why."""
    os.mkdir(os.path.join(folder, "few"))
    tree = Tree(os.path.join(folder, "few"))
    for number in range(3):
        tree.add_program(number)
    tree.save()
    symfs, out = ["--symfs", tree.root], os.path.join(folder, "few", "out")
    for words in (["csv", "--names", "--symbols", "yes", *symfs, "-o", out + "/"], ["csv", "--table", "all", "-o", out + "/"],
                  ["parquet", *symfs, "-o", out + "/"], ["bundle", *symfs, "-o", out], ["rewrite", "-o", out], ["diff", "--save", out, *symfs],
                  ["match", *symfs, "--debug-dir", tree.root]):
        faults = []
        for number in range(4, 100):
            shutil.rmtree(out, ignore_errors=True)
            if os.path.exists(out):
                os.unlink(out)
            done = run_plainly([*words, tree.recording], tree.home, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (number, number)))
            reason = any(word in done.stderr for word in (b"Too many open files", b"descriptors"))
            if done.returncode == 0:
                break
            untrue = b"error: out of memory\n" in done.stderr
            if done.returncode not in (6, 127) or (done.returncode == 6 and (untrue or not reason)):
                faults.append("%d descriptors: exit code %d\n%s" % (number, done.returncode, done.stderr[-300:].decode()))
        tap.report("%s: few descriptors" % " ".join(words[:2]), faults + ([] if number > 4 and done.returncode == 0 else ["never, or always"]))


def main():
    tap = Tap()
    with tempfile.TemporaryDirectory() as folder:
        folder = os.path.realpath(folder)
        many_files(tap, folder)
        few_descriptors(tap, folder)
        mapping_fails(tap, folder)
        loader_fails(tap, folder)
        failing_calls(tap, folder)
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
