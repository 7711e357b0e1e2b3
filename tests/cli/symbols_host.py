#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Records a program here, then moves its binary away, puts another one in its place, or makes believe that another kernel was
recorded: names come from the files that were recorded, or there are none. Prints TAP; needs a compiler and a perf that can record."""
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from builder import Recording, IP, TID, TIME, USER, pad
from program import PERFDATA
from views import Pprof, one

PERF = os.environ.get("PERF", "perf")

PROGRAM = """
#include <unistd.h>
#include <sys/syscall.h>
static volatile unsigned long sink;
static inline __attribute__((always_inline)) void %(name)s_inner(unsigned long i) { sink += i * i; }
static inline __attribute__((always_inline)) void %(name)s_inlined(unsigned long i) { %(name)s_inner(i); sink ^= i; }
__attribute__((noinline)) void %(name)s_leaf(unsigned long n) { for (unsigned long i = 0; i < n; i++) %(name)s_inlined(i); }
__attribute__((noinline)) void %(name)s_middle(unsigned long n) { %(name)s_leaf(n); syscall(SYS_getppid); sink++; }
int main(void) { for (int i = 0; i < 3000; i++) { %(name)s_middle(20000); for (int k = 0; k < 200; k++) syscall(SYS_getppid); } return 0; }
"""
# Makes code, names it in a perf map as a JIT compiler does, runs it, and stays alive.
JIT_PROGRAM = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	static const unsigned char code[] = { %s };
	char *at = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char name[64];
	memcpy(at, code, sizeof code);
	__builtin___clear_cache(at, at + sizeof code);
	snprintf(name, sizeof name, "/tmp/perf-%%d.map", (int)getpid());
	FILE *map = fopen(name, "w");
	fprintf(map, "%%lx %%zx made_%%s\n", (unsigned long)at, sizeof code, argv[1]);
	fclose(map);
	for (int i = 0; i < 200; i++)
		((void (*)(void))at)();
	puts("done");
	fflush(stdout);
	sleep(argc > 2 ? 60 : 0);
	return 0;
}
"""
# counts down from a million and returns
JIT_CODE = {
    "x86_64": "0x48, 0xc7, 0xc1, 0x40, 0x42, 0x0f, 0x00, 0x48, 0xff, 0xc9, 0x75, 0xfb, 0xc3",
    "aarch64": "0x00, 0x48, 0xa8, 0xd2, 0xe0, 0x01, 0xa0, 0xf2, 0x00, 0x04, 0x00, 0xf1, 0xe1, 0xff, 0xff, 0x54, 0xc0, 0x03, 0x5f, 0xd6",
}
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

    def record_container(self, jit):
        """Records the program in a mount and pid namespace of its own, where it calls itself 1; it still runs then. Or None."""
        inside = f"exec 3<{jit}; mount -t tmpfs none /tmp && cat <&3 >/tmp/inner && chmod 755 /tmp/inner && exec /tmp/inner inside stay"
        control, order = os.pipe()
        answer, acknowledge = os.pipe()
        recorder = subprocess.Popen([PERF, "record", "-q", "-a", "-g", "-N", "--namespaces", "-e", "cpu-clock", "-F", "1000", "-D", "-1",
                                     "--control", f"fd:{control},{acknowledge}", "-o", self.recording, "sleep", "60"],
                                    pass_fds=(control, acknowledge), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                    stderr=subprocess.DEVNULL)
        os.close(acknowledge)
        os.write(order, b"enable\n")
        os.read(answer, 16)      # until it has taken effect
        container = subprocess.Popen(["unshare", "-m", "-p", "-f", "--kill-child", "--mount-proc", "sh", "-c", inside], stdin=subprocess.DEVNULL,
                                     stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        done = container.stdout.readline()
        recorder.send_signal(signal.SIGINT)
        recorder.wait(60)
        for fd in (control, order, answer):
            os.close(fd)
        if done != b"done\n":
            container.kill()
            container.wait()
            return None
        return container

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
# symbols of this binary; a sample may be in the code with which every program begins and ends
OURS = {"ours_inner", "ours_inlined", "ours_leaf", "ours_middle", "main", "syscall@plt", "_start", "_init", "_fini", "frame_dummy",
        "register_tm_clones", "deregister_tm_clones", "__do_global_dtors_aux", "[unknown]"}


def json_calls(case):
    """[symbol] of each step of each sample, inlined functions too, as JSON with lines has them."""
    done = run(PERFDATA, "ndjson", "-q", "--symbols", "yes", "--lines", "--type", "sample", case.recording, env=case.environment)
    for line in done.stdout.decode("utf-8").splitlines():
        value = json.loads(line)
        for step in value.get("stack", []) if value["type"] == "sample" else []:
            for call in step.get("inlined", [])[:-1]:
                yield call["symbol"]
            yield step.get("symbol", "[unknown]")


def places(case, *options):
    """(symbol, file) of each sample's address."""
    done = run(PERFDATA, "ndjson", "-q", "--symbols", "yes", "--names", "--type", "sample", *options, case.recording, env=case.environment)
    values = (json.loads(line) for line in done.stdout.decode("utf-8").splitlines())
    found = (value.get("ip_at") or {} for value in values if value["type"] == "sample")
    return [(place.get("symbol"), place.get("dso")) for place in found]


def count_case(case, title):
    """info counts the samples that have names as JSON lines have them."""
    done = run(PERFDATA, "info", "-q", "--json", "--symbols", "yes", case.recording, env=case.environment)
    counted = json.loads(done.stdout)["names"]
    everywhere = places(case)
    nameless = {}
    for symbol, dso in everywhere:
        if symbol is None:
            nameless[dso] = nameless.get(dso, 0) + 1
    case.check(title + ": info counts the names", counted["samples"] == len(everywhere) and counted["named"] == len(everywhere) - sum(nameless.values()) and
               sum(entry["samples"] for entry in counted["unnamed"]) == sum(nameless.values()) and len(counted["unnamed"]) == len(nameless) and
               nameless.get(case.binary) == next((entry["samples"] for entry in counted["unnamed"] if entry["dso"] == case.binary), None), counted, nameless)


def filter_cases(case):
    everywhere = places(case)
    leaf = [place for place in everywhere if place[0] == "ours_leaf"]
    ours = [place for place in everywhere if place[1] == case.binary]
    case.check("filter: --symbol", leaf and places(case, "--symbol", "ours_le?f") == leaf, len(leaf), len(everywhere))
    case.check("filter: --dso, the whole path and its last part", ours and ours == places(case, "--dso", case.binary) ==
               places(case, "--dso", os.path.basename(case.binary)), len(ours), len(everywhere))
    case.check("filter: --dso and --symbol", places(case, "--dso", "[kernel*", "--symbol", "ours_leaf") == [])


def line_cases(case, title):
    calls = list(json_calls(case))
    frames = [symbol.rsplit("+", 1)[0] for symbol, _ in case.frames()[0]]
    case.check(title + ": JSON has the functions that script has, inlined ones too", calls == frames, calls[:40], frames[:40])
    case.check(title + ": some are inlined into others that are inlined", {"ours_inner", "ours_inlined"} <= set(calls), set(calls))


def first_line_case(case):
    """Go's -pgo takes a profile whose columns it knows, and functions whose first line is there."""
    profile = Pprof(run(PERFDATA, "pprof", "-q", case.recording, env=case.environment).stdout)
    found = {profile.strings[one(function, 2)]: one(function, 5) for function in profile.functions.values()}
    lines = [line.split("(unsigned long")[0] for line in (PROGRAM % {"name": "ours"}).splitlines()]
    wanted = {line.split()[-1]: number for number, line in enumerate(lines, 1) if line.split()[-1:] and "ours_" in line.split()[-1]}
    counted = {name: line for name, line in found.items() if name in wanted}
    case.check("pprof: functions have their first line", counted and counted.items() <= wanted.items(), counted, wanted)
    case.check("pprof: columns that Go knows", profile.types[:2] == [("samples", "count"), ("cpu", "nanoseconds")], profile.types)


def user_cases(case, title):
    frames = case.names()
    case.check(title + ": the binary is there", NEEDED <= frames, frames)
    count_case(case, title + ": the binary is there")
    case.place(None)
    frames = case.names()
    case.check(title + ": the binary is gone", not frames - {"[unknown]"}, frames)
    count_case(case, title + ": the binary is gone")
    case.place(case.other)
    frames, said = case.names(), case.frames()[1]
    case.check(title + ": another binary is in its place", not frames - {"[unknown]"}, frames)
    why = [line for line in said.splitlines() if "its build-id differs from the recorded one" in line]
    case.check(title + ": it is said why it is not used, and the path once", why and all(" for /" not in line for line in why), said[:2000])
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
    here = {symbol for symbol, dso in case.frames("--symfs", "/")[0] if dso == "[kernel.kallsyms]"} - {"[unknown]"}
    case.check("kernel: --symfs / is this host", here == kernel_names(case), sorted(here)[:10])
    with open(case.recording, "rb") as f:
        content = f.read()
    changed = os.path.join(case.folder, "other-kernel.data")
    with open(changed, "wb") as f:
        f.write(content.replace(bytes.fromhex(build_id), bytes.fromhex(build_id[2:] + "5a")))
    names = kernel_names(case, recording=changed)
    case.check("kernel: another kernel was recorded", not names, sorted(names)[:10])


def late_cases(case):
    """A stream that gives the build-id of a file when names were taken from it already."""
    def stream(build_id, path):
        r = Recording(pipe=True)
        event = r.event("cycles", [11], period=1, sample_type=IP | TID | TIME, sample_id_all=1)
        now, kept = time.clock_gettime_ns(time.CLOCK_MONOTONIC), os.stat(case.kept)
        r.comm(100, 100, "ours", time=now + 1)
        r.mmap2(100, 100, 0x400000, 0x100000, 0, case.kept, time=now + 2, inode=kept.st_ino,
                device=(os.major(kept.st_dev), os.minor(kept.st_dev)))
        for after in (3, 4, 5):
            r.sample(event, ip=0x401000, pid=100, tid=100, time=now + after)
            r.record(68)
        r.record(68)
        r.record(67, r.pack("i", -1) + build_id.ljust(24, b"\0") + pad(case.kept.encode() + b"\0"), misc=USER)
        r.sample(event, ip=0x401000, pid=100, tid=100, time=now + 6)
        r.save(path)
        return run(PERFDATA, "script", path, env=case.environment).stderr.decode()

    path, right = os.path.join(case.folder, "late.pipe"), case.build_id(case.binary)
    case.check("stream: another build-id that comes late is reported", "W803" in stream(bytes(range(1, 21)), path))
    case.check("stream: a build-id that comes late and is right", "W803" not in stream(bytes.fromhex(right), path))


def jit_cases(case, cc):
    """Names of perf maps: of this host's processes, of those in containers, and of none that only has the pid of a recorded one."""
    code = JIT_CODE.get(os.uname().machine)
    jit, source = os.path.join(case.folder, "jit"), os.path.join(case.folder, "jit.c")
    if not code or os.geteuid() or not shutil.which("unshare"):
        case.check("perf maps: not as root, or no code for this machine # SKIP", True)
        return
    with open(source, "w", encoding="ascii") as f:
        f.write(JIT_PROGRAM % code)
    done = run(cc, "-O1", "-o", jit, source)
    if done.returncode:
        raise OSError("the compiler fails: " + done.stderr.decode()[:200])
    container = case.record_container(jit)
    if not container:
        case.check("perf map of a container: no namespaces here # SKIP", True)
        return
    try:
        frames = case.frames()[0]
        made = {symbol for symbol, dso in frames if dso.endswith(".map")}
        case.check("perf map of a container, by the pid that the process has for itself", "made_inside" in {s.split("+")[0] for s in made}, made)
        made = {symbol for symbol, dso in case.frames("--symbols", "no")[0] if dso.endswith(".map")}
        case.check("perf map of a container: no symbols wanted", made == {"[unknown]"}, made)
    finally:
        container.kill()
        container.wait()
    pid = next((re.search(r"/tmp/perf-(\d+)\.map", dso)[1] for _, dso in frames if dso.endswith(".map")), None)
    made = {symbol for symbol, dso in case.frames()[0] if dso.endswith(".map")}
    case.check("perf map of a container that has ended", made == {"[unknown]"}, made)
    files = {symbol for symbol, dso in case.frames()[0] if dso == "/tmp/inner"}
    case.check("files of a container that has ended", files <= {"[unknown]"}, files)
    with open(case.recording, "rb") as f:
        content = f.read()
    build_id = case.build_id("[kernel.kallsyms]")
    if not pid or not build_id:
        return
    stale, changed = f"/tmp/perf-{pid}.map", os.path.join(case.folder, "other-host.data")
    with open(changed, "wb") as f:
        f.write(content.replace(bytes.fromhex(build_id), bytes.fromhex(build_id[2:] + "5a")))
    with open(stale, "w", encoding="ascii") as f:
        f.write("0 ffffffffffff wrong\n")
    try:
        made = {symbol for symbol, dso in case.frames(recording=changed)[0] if dso.endswith(".map")}
        case.check("perf map of this host, with a recording of another kernel", made == {"[unknown]"}, made)
    finally:
        os.unlink(stale)


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
        line_cases(case, "recorded chains")
        filter_cases(case)
        if b" zlib" in run(PERFDATA, "--version").stdout:
            first_line_case(case)
        user_cases(case, "recorded chains")
        kernel_cases(case)
        case.record("--call-graph", "dwarf")
        line_cases(case, "unwound stacks")
        user_cases(case, "unwound stacks")
        late_cases(case)
        jit_cases(case, cc)
        print("1..%d" % case.number)


if __name__ == "__main__":
    main()
