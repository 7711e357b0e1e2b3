#!/usr/bin/env python3
"""Records a program here, then moves its binary away, puts another one in its place, or makes believe that another kernel was
recorded: names come from the files that were recorded, or there are none. Prints TAP; needs a compiler and a perf that can record."""
import json
import os
import re
import shutil
import subprocess
import tempfile

TOP = os.environ.get("top_srcdir") or os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PERFDATA = os.path.abspath(os.environ.get("PERFDATA") or os.path.join(TOP, "build", "perfdata"))
PERF = os.environ.get("PERF", "perf")

PROGRAM = """
#include <unistd.h>
#include <sys/syscall.h>
static volatile unsigned long sink;
__attribute__((noinline)) void %(name)s_leaf(unsigned long n) { for (unsigned long i = 0; i < n; i++) sink += i * i; }
__attribute__((noinline)) void %(name)s_middle(unsigned long n) { %(name)s_leaf(n); syscall(SYS_getppid); sink++; }
int main(void) { for (int i = 0; i < 3000; i++) { %(name)s_middle(20000); for (int k = 0; k < 200; k++) syscall(SYS_getppid); } return 0; }
"""
FRAME = re.compile(r"^\s*([0-9a-f]+) (.*) \((.*)\)$")


def run(*words, **more):
    return subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, timeout=120, **more)


def compiler():
    for name in (os.environ.get("CC", "cc").split()[0], "gcc", "clang"):
        if shutil.which(name):
            return name
    return None


class Case:
    """A recording and its binary in a folder of their own."""

    def __init__(self, folder, cc):
        self.folder, self.number = folder, 0
        self.binary, self.recording = os.path.join(folder, "program"), os.path.join(folder, "perf.data")
        self.home = os.path.join(folder, "home")
        self.environment = dict(os.environ, HOME=self.home, LC_ALL="C")
        os.mkdir(self.home)
        self.other = self.build(cc, "other")
        shutil.copy(self.build(cc, "ours"), self.binary)
        self.kept = os.path.join(folder, "ours")

    def build(self, cc, name):
        source, binary = os.path.join(self.folder, name + ".c"), os.path.join(self.folder, name)
        with open(source, "w", encoding="ascii") as f:
            f.write(PROGRAM % {"name": name})
        done = run(cc, "-O1", "-g", "-fno-omit-frame-pointer", "-Wl,--build-id", "-o", binary, source)
        if done.returncode:
            raise OSError("the compiler fails: " + done.stderr.decode()[:200])
        return binary

    def record(self, *options):
        done = run(PERF, "record", "-q", "-N", "-e", "cpu-clock", "-F", "2000", *options, "-o", self.recording, self.binary,
                   env=self.environment)
        if done.returncode or not os.path.exists(self.recording):
            raise OSError("perf record fails: " + done.stderr.decode()[:200])

    def frames(self, *options, recording=None):
        """[(symbol, dso)] of every frame, and what was said."""
        done = run(PERFDATA, "script", "-v", *options, recording or self.recording, env=self.environment)
        found = [FRAME.match(line) for line in done.stdout.decode("utf-8", "replace").splitlines()]
        return [(m[2], m[3]) for m in found if m], done.stderr.decode("utf-8", "replace")

    def names(self, *options, **more):
        """The symbols of the program's own frames, offsets left away."""
        frames, _ = self.frames(*options, **more)
        return {symbol.split("+")[0] for symbol, dso in frames if dso.startswith(self.binary)}

    def place(self, source):
        """Puts another file in the binary's place, or none."""
        if os.path.exists(self.binary):
            os.unlink(self.binary)
        if source:
            shutil.copy(source, self.binary)

    def check(self, title, good, *details):
        self.number += 1
        print("%s %d - %s" % ("ok" if good else "not ok", self.number, title))
        if not good:
            print("\n".join("# %s" % (detail,) for detail in details))

    def build_id(self, file):
        found = json.loads(run(PERFDATA, "buildids", "--json", self.recording, env=self.environment).stdout)
        text = json.dumps(found)
        for match in re.finditer(r"\{[^{}]*\}", text):
            entry = json.loads(match[0])
            if file in entry.values():
                return next((v for v in entry.values() if isinstance(v, str) and re.fullmatch("[0-9a-f]{40}", v)), None)
        return None


NEEDED = {"ours_leaf", "main"}
OURS = {"ours_leaf", "ours_middle", "main", "syscall@plt", "_start", "[unknown]"}


def user_cases(case, title):
    frames = case.names()
    case.check(title + ": the binary is there", NEEDED <= frames, frames)
    case.place(None)
    frames = case.names()
    case.check(title + ": the binary is gone", not frames - {"[unknown]"}, frames)
    case.place(case.other)
    frames, said = case.names(), case.frames()[1]
    case.check(title + ": another binary is in its place", not frames - {"[unknown]"}, frames)
    case.check(title + ": it is said why it is not used", "build-id differs" in said, said[:2000])
    frames = case.names("--symbols", "no")
    case.check(title + ": no symbols wanted", frames <= {"[unknown]"}, frames)

    build_id = case.build_id(case.binary)
    cache = os.path.join(case.home, ".debug", ".build-id", build_id[:2], build_id[2:])
    os.makedirs(cache)
    shutil.copy(case.kept, os.path.join(cache, "elf"))
    frames = case.names()
    case.check(title + ": perf's cache has the recorded one", NEEDED <= frames <= OURS, frames)
    shutil.rmtree(os.path.join(case.home, ".debug"))

    elsewhere = os.path.join(case.folder, "symfs")
    os.makedirs(elsewhere + case.folder)
    frames = {symbol for symbol, _ in case.frames("--symfs", elsewhere)[0]}
    case.check(title + ": an empty --symfs, so nothing of this host", frames == {"[unknown]"}, frames)
    shutil.copy(case.kept, elsewhere + case.binary)
    frames = case.names("--symfs", elsewhere)
    case.check(title + ": --symfs has the recorded one", NEEDED <= frames, frames)
    shutil.copy(case.other, elsewhere + case.binary)
    frames = case.names("--symfs", elsewhere)
    case.check(title + ": --symfs has another one", not frames - {"[unknown]"}, frames)
    shutil.rmtree(elsewhere)
    case.place(case.kept)


def kernel_names(case, **more):
    return {symbol for symbol, dso in case.frames(**more)[0] if dso == "[kernel.kallsyms]"} - {"[unknown]"}


def kernel_cases(case):
    build_id = case.build_id("[kernel.kallsyms]")
    if build_id is None:
        case.check("kernel: no build-id was recorded # SKIP", True)
        return
    if not kernel_names(case):
        case.check("kernel: its symbols are hidden here # SKIP", True)
        return
    case.check("kernel: the one that runs here is the recorded one", True)
    with open(case.recording, "rb") as f:
        content = f.read()
    changed = os.path.join(case.folder, "other-kernel.data")
    with open(changed, "wb") as f:
        f.write(content.replace(bytes.fromhex(build_id), bytes.fromhex(build_id[2:] + "5a")))
    names = kernel_names(case, recording=changed)
    case.check("kernel: another kernel was recorded", not names, sorted(names)[:10])


def main():
    cc = compiler()
    why = "no compiler" if not cc else "no perf" if not shutil.which(PERF) else None
    with tempfile.TemporaryDirectory() as folder:
        try:
            case = None if why else Case(os.path.realpath(folder), cc)
            if case:
                case.record("-g")
        except (OSError, subprocess.TimeoutExpired) as error:
            why = str(error).replace("\n", " ")
        if why:
            print("1..0 # SKIP " + why)
            return
        user_cases(case, "recorded chains")
        kernel_cases(case)
        case.record("--call-graph", "dwarf")
        user_cases(case, "unwound stacks")
        print("1..%d" % case.number)


if __name__ == "__main__":
    main()
