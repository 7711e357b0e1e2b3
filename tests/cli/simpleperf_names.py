#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Names and stacks that recordings of Android's simpleperf hold, and what samples weigh there that were taken where a thread left the CPU: made
recordings with files of each type, with sections of both forms, seen through script, folded and others; sections that are cut or damaged.
Prints TAP."""
import os
import random
import re
import struct
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from builder import ALL_ONES, CALLCHAIN, CONTEXT_KERNEL, CONTEXT_USER, CPU, ID, IP, KERNEL, PERIOD, TID, TIME, USER, Recording
from program import ALL, TESTDATA, Tap, run

KERNEL_TYPE, MODULE, ELF, DEX, SYMBOL_MAP = range(5)
FILE, META_INFO, FILE2 = 128, 129, 132
JIT_MAP = 0x4000

# path, type, min_vaddr, offset (None: not recorded), symbols by address, offsets of dex files
FILES = [
    ("[kernel.kallsyms]", KERNEL_TYPE, 0, None,
     [(0xffffffff81000100, 0x40, "do_work"), (0xffffffff81000200, 0x100, "do_more"), (0xffffffff81000240, 0x10, "do_inner"),
      (0xffffffffa0000110, 0x10, "of_a_module")], []),
    ("/vendor/wifi.ko", MODULE, 0x1000, 0x2000, [(0x1100, 0x10, "wifi_send")], []),
    ("/system/lib64/libz.so", ELF, 0x5000, 0x3000, [(0x5100, 0x20, "_Z4workv"), (0x5200, 0x20, "__dl__Z4openi"), (0x5300, 8, "plain")], []),
    ("/system/lib64/libold.so", ELF, 0x7000, None, [(0x7100, 0x20, "old_one")], []),
    ("/apex/lib64/libart.so", ELF, 0, 0, [(0x100, 0x10, "MterpInvoke"), (0x200, 0x10, "ExecuteSwitch"), (0x300, 0x10, "art_quick_invoke")], []),
    ("/system/lib64/boot.oat", ELF, 0, 0, [(0x100, 0x10, "art_jni_trampoline")], []),
    ("/apex/lib64/bionic/libc.so", ELF, 0, 0, [(0x100, 0x10, "__start_thread"), (0x200, 0x10, "__libc_init")], []),
    ("/data/app/base.apk!/classes.dex", DEX, 0, None,
     [(0x88, 12, "pkg.Main.run"), (0x98, 12, "pkg.Main.step"), (0xa8, 12, "pkg.Main.other")], [0x20]),
    ("perf.data_jit_app_cache:0-16", ELF, 0, 0, [(0x70000010, 16, "pkg.Main.run")], []),
    ("perf.data_jit_app_cache:16-32", ELF, 0, 0, [(0x70001010, 16, "void pkg.Main.step(int)")], []),
    ("perf-9.map", SYMBOL_MAP, 0, None, [(0x90000010, 16, "jitted")], []),
]


def file_section():
    out = b""
    for path, kind, min_vaddr, offset, symbols, dex in FILES:
        entry = path.encode() + b"\0" + struct.pack("<IQI", kind, min_vaddr, len(symbols))
        for address, length, name in symbols:
            entry += struct.pack("<QI", address, length) + name.encode() + b"\0"
        if kind in (ELF, MODULE) and offset is not None:
            entry += struct.pack("<Q", offset)
        if kind == DEX:
            entry += struct.pack("<I", len(dex)) + b"".join(struct.pack("<Q", at) for at in dex)
        out += struct.pack("<I", len(entry)) + entry
    return out


def varint(value):
    out = b""
    while value >= 0x80:
        out += bytes([value & 0x7f | 0x80])
        value >>= 7
    return out + bytes([value])


def number(field, value):
    return varint(field << 3) + varint(value) if value else b""


def part(field, data):
    return varint(field << 3 | 2) + varint(len(data)) + data


def file2_section():
    out = b""
    for path, kind, min_vaddr, offset, symbols, dex in FILES:
        entry = part(1, path.encode()) + number(2, kind) + number(3, min_vaddr)
        for address, length, name in symbols:
            entry += part(4, number(1, address) + number(2, length) + part(3, name.encode()))
        if kind == DEX:
            entry += part(5, part(1, b"".join(varint(at) for at in dex)))
        if kind == ELF:
            entry += part(6, number(1, ALL_ONES if offset is None else offset))
        if kind == MODULE:
            entry += part(7, number(1, offset))
        out += struct.pack("<I", len(entry)) + entry
    return out


LIBZ, LIBOLD, ART, OAT, LIBC, APK, SEND = 0x10000000, 0x20000000, 0x30000000, 0x38000000, 0x40000000, 0x50000000, 0xffffffffa0000000
RUN, STEP, OTHER = APK + 0x8a, APK + 0x9a, APK + 0xa9
JIT_RUN, JIT_STEP = 0x70000014, 0x70001014
INVOKE, SWITCH, QUICK, TRAMPOLINE = ART + 0x104, ART + 0x204, ART + 0x304, OAT + 0x104
START = LIBC + 0x104
# what a sample's addresses are, leaf first, and the names that its stack has with and without frames of the interpreter
STACKS = [
    # ranges, never the nearest; a symbol is hidden by a later, shorter one; the last of the kernel ends where its length says
    ([0xffffffff81000110], ["do_work"], None),
    ([0xffffffff81000140], ["[unknown]"], None),
    ([0xffffffff81000248], ["do_inner"], None),
    ([0xffffffff81000250], ["[unknown]"], None),
    # a module by its offset, and by the kernel's symbols where it has none
    ([SEND + 0x2104], ["wifi_send"], None),
    ([SEND + 0x114], ["of_a_module"], None),
    # an ELF file by its offset, without one as if the mapping began with min_vaddr; demangled, the linker's too
    ([LIBZ + 0x2110, LIBZ + 0x2200], ["work()", "[linker]open(int)"], None),
    ([LIBOLD + 0x110], ["old_one"], None),
    # callers lie in the call already: the first byte of a function is in that function
    ([LIBZ + 0x2110, LIBZ + 0x2300, LIBZ + 0x2100], ["work()", "plain", "work()"], None),
    # interpreted code lies in mappings of dex files, which are not executable; the interpreter beside it is hidden
    ([RUN, INVOKE, SWITCH, STEP, QUICK, START], ["pkg.Main.run", "pkg.Main.step", "__start_thread"],
     ["pkg.Main.run", "MterpInvoke", "ExecuteSwitch", "pkg.Main.step", "art_quick_invoke", "__start_thread"]),
    # without Java code beside it, it is code as any other
    ([INVOKE, LIBZ + 0x2110, RUN], ["MterpInvoke", "work()", "pkg.Main.run"], None),
    # what a trampoline calls is the native method
    ([SWITCH, TRAMPOLINE, RUN], ["ExecuteSwitch", "pkg.Main.run"], ["ExecuteSwitch", "art_jni_trampoline", "pkg.Main.run"]),
    # compiled methods are those of the dex file, each once
    ([JIT_RUN, STEP], ["pkg.Main.run", "pkg.Main.step"], None),
    ([JIT_STEP, STEP, OTHER], ["pkg.Main.step", "pkg.Main.other"], None),
    # a stack ends where the thread began, and in front of what lies nowhere
    ([RUN, START, LIBZ + 0x2110], ["pkg.Main.run", "__start_thread"], None),
    ([RUN, 0x666, STEP], ["pkg.Main.run"], None),
    ([0x666], ["[unknown]"], None),
]


def recording(sections, path, trace_offcpu=False):
    r = Recording()
    clock = r.event("cpu-clock", ids=[11], type=1, config=0, period=1000000, sample_type=IP | TID | TIME | CALLCHAIN | ID | CPU | PERIOD,
                    sample_id_all=1, mmap2=1, comm=1)
    r.mmap(-1 % 2**32, 0, 0xffffffff81000000, 0x1000000, 0, "[kernel.kallsyms]", misc=KERNEL)
    r.mmap(-1 % 2**32, 0, SEND, 0x10000, 0, "/vendor/wifi.ko", misc=KERNEL)
    r.comm(7, 7, "com.example.application")
    for start, pgoff, name, prot in (
            (LIBZ, 0x1000, "/system/lib64/libz.so", 5), (LIBOLD, 0x9000, "/system/lib64/libold.so", 5), (ART, 0, "/apex/lib64/libart.so", 5),
            (OAT, 0, "/system/lib64/boot.oat", 5), (LIBC, 0, "/apex/lib64/bionic/libc.so", 5), (APK, 0, "/data/app/base.apk!/classes.dex", 1),
            (0x70000010, 0, "perf.data_jit_app_cache:0-16", JIT_MAP), (0x70001010, 16, "perf.data_jit_app_cache:16-32", JIT_MAP)):
        r.mmap2(7, 7, start, 16 if prot == JIT_MAP else 0x100000, pgoff, name, device=(0, 0), inode=0, prot=prot)
    time = 1000
    for stack, _, _ in STACKS:
        kernel = stack[0] >> 63
        time += 1000
        r.sample(clock, misc=KERNEL if kernel else USER, ip=stack[0], pid=7, tid=7, time=time, id=11, cpu=0, period=1000000,
                 callchain=[CONTEXT_KERNEL if kernel else CONTEXT_USER] + stack)
    r.comm(9, 9, "other")
    r.sample(clock, ip=0x90000014, pid=9, tid=9, time=time + 1000, id=11, cpu=0, period=1000000, callchain=[CONTEXT_USER, 0x90000014])
    for id, data in sections.items():
        r.feature(id, data)
    r.feature(META_INFO, b"simpleperf_version\x001\x00")
    r.save(path)


def stacks_of(path, *options):
    """For each sample, the names and files of its frames."""
    done = run("script", "-q", "-F", "tid,time,ip,sym,dso", *options, path)
    if done.code not in (0, 4):
        return done.err.decode()
    found = []
    for line in done.out.decode().split("\n"):
        frame = re.match(r"\s*([0-9a-f]+) (.*) \((.*)\)$", line)
        if frame and found:
            found[-1].append((frame[2], frame[3]))
        elif line.strip():
            found.append([])
    return found


def names(stacks):
    return stacks if isinstance(stacks, str) else [[name for name, _ in stack] for stack in stacks]


def check_names(tap, folder):
    wanted = [shown for _, shown, _ in STACKS] + [["jitted"]]
    whole = [art or shown for _, shown, art in STACKS] + [["jitted"]]
    for form, id, section in (("FILE", FILE, file_section()), ("FILE2", FILE2, file2_section())):
        path = f"{folder}/{form}.data"
        recording({id: section}, path)
        found = stacks_of(path)
        check(tap, names(found) == wanted, f"{form}: names of stacks", first_difference(wanted, names(found)))
        found = stacks_of(path, "--show-art-frames")
        check(tap, names(found) == whole, f"{form}: with frames of the interpreter", first_difference(whole, names(found)))
        found = stacks_of(path, "--jobs", "4")
        check(tap, names(found) == wanted, f"{form}: in several threads", first_difference(wanted, names(found)))
    found = stacks_of(path)
    jit = [file for stack, _ in zip(found, STACKS) for name, file in stack if "jit" in file]
    check(tap, found[4] == [("wifi_send", "/vendor/wifi.ko")] and found[5] == [("of_a_module", "[kernel.kallsyms]")], "files of the kernel", repr(found[4:6]))
    check(tap, not jit and found[12][0] == ("pkg.Main.run", "/data/app/base.apk!/classes.dex"), "compiled methods lie in the dex file", repr(jit))
    raw = stacks_of(path, "--symbols", "no")
    check(tap, all(name == "[unknown]" for stack in names(raw) for name in stack) and raw == stacks_of(path, "--recorded-names", "no"),
              "--symbols no and --recorded-names no are as perf has it", repr(raw)[:300])
    document = run("ndjson", "-q", "--names", "--symbols", "yes", path).out.decode()
    folded = run("folded", "-q", path).out.decode()
    speedscope = run("speedscope", "-q", path).out.decode()
    firefox = run("firefox", "-q", path).out.decode()
    for text, what in ((document, "ndjson"), (folded, "folded"), (speedscope, "speedscope"), (firefox, "firefox")):
        check(tap, "pkg.Main.run" in text and "wifi_send" in text and "com.example.application" in text, f"names in {what}")
    check(tap, "com.example.application;__start_thread;pkg.Main.step;pkg.Main.run 1\n" in folded, "folded stacks of Java", folded)


def check(tap, passes, title, detail=""):
    tap.report(title, [] if passes else [detail])


def first_difference(wanted, found):
    if isinstance(found, str):
        return found
    return next((f"sample {i}: {b} instead of {a}" for i, (a, b) in enumerate(zip(wanted, found)) if a != b), f"{len(found)} of {len(wanted)}")


def check_damage(tap, folder):
    """Sections that are cut, and such with a wrong byte: what is whole names as before, and nothing else happens."""
    chance = random.Random(29)
    for form, id, section in (("FILE", FILE, file_section()), ("FILE2", FILE2, file2_section())):
        bad = []
        path = f"{folder}/bad.data"
        rounds = range(0, len(section), 1 if ALL else 37)
        for at in rounds:
            recording({id: section[:at]}, path)
            done = run("folded", "-q", path)
            if done.code not in (0, 4):
                bad.append(f"cut at {at}: {done.code} {done.err[:200]}")
            changed = bytearray(section)
            changed[at] = chance.choice((0, 1, 0x7f, 0x80, 0xff))
            recording({id: bytes(changed)}, path)
            for words in (("folded",), ("ndjson", "--symbols", "yes", "--names"), ("check",)):
                done = run(*words, "-q", path)
                if done.code not in ((0, 1) if words == ("check",) else (0, 4)):
                    bad.append(f"changed at {at}: {words[0]} {done.code} {done.err[:200]}")
        check(tap, not bad, f"{form}: cut and changed everywhere", "; ".join(bad[:3]))
        recording({id: section[:-40]}, path)
        found = names(stacks_of(path))
        check(tap, not isinstance(found, str) and found[0] == ["do_work"] and found[6] == ["work()", "[linker]open(int)"], f"{form}: names in front of a cut", repr(found[:7]))
    # counts beyond the section
    recording({FILE: struct.pack("<I", 30) + b"/x\0" + struct.pack("<IQI", ELF, 0, 0xffffffff) + bytes(11)}, path)
    done = run("folded", "-q", "--max-memory", "32M", path)
    check(tap, done.code in (0, 4), "a count that the section does not hold", repr(done))


def check_kernel_symbols(tap, folder):
    """A record with the text of kallsyms: names where no section has them."""
    text = b"".join(b"%016x %s\n" % line for line in (
        (0xffffffff81000100, b"T first"), (0xffffffff81000200, b"d data"), (0xffffffff81000300, b"t second"), (0xffffffff81000400, b"T third"),
        (0xffffffffa0000100, b"t of_module\t[wifi]"), (0xffffffffa0000200, b"T last"), (0, b"T hidden")))
    r = Recording()
    clock = r.event("cpu-clock", ids=[11], type=1, config=0, period=1, sample_type=IP | TID | TIME | CALLCHAIN | ID | CPU | PERIOD, sample_id_all=1)
    r.mmap(-1 % 2**32, 0, 0xffffffff81000000, 0x40000000, 0, "[kernel.kallsyms]", misc=KERNEL)
    body = struct.pack("<I", len(text)) + text + bytes(-(12 + len(text)) % 8)
    body += bytes(-(8 + len(body)) % 8)
    r.raw(struct.pack("<IHH", 32769, 0, 8 + len(body)) + body)
    wanted = {0x81000104: "first", 0x81000204: "[unknown]", 0x810003ff: "second", 0xa0000104: "of_module [wifi]", 0xa0000204: "last"}
    for at, low in enumerate(wanted):
        ip = 0xffffffff00000000 | low
        r.sample(clock, misc=KERNEL, ip=ip, pid=7, tid=7, time=1000 * (at + 1), id=11, cpu=0, period=1, callchain=[CONTEXT_KERNEL, ip])
    r.feature(11, struct.pack("<I", 1) + r.string("/system/bin/simpleperf"))
    path = f"{folder}/kernel.data"
    r.save(path)
    found = names(stacks_of(path))
    check(tap, found == [[name] for name in wanted.values()], "symbols of the kernel in a record", repr(found))


# --- time off the CPU ---

SWITCH, OUT = 14, 0x2000


def off_cpu_recording(path, offcpu=b"true", switches=True):
    """Two threads; returns the records of each as (time, kind)."""
    r = Recording()
    common = dict(sample_type=IP | TID | TIME | CALLCHAIN | ID | CPU | PERIOD, sample_id_all=1, comm=1, context_switch=1)
    clock = r.event("cpu-clock", ids=[11], type=1, config=0, period=1000000, **common)
    switch = r.event("sched:sched_switch", ids=[12], type=2, config=300, period=1, **common)
    r.mmap(-1 % 2**32, 0, 0xffffffff81000000, 0x1000000, 0, "[kernel.kallsyms]", misc=KERNEL)
    for tid in (20, 21):
        r.comm(20, tid, f"thread-{tid}")
    events, time = [], 10000
    chance = random.Random(7)
    for _ in range(200):
        tid, kind = chance.choice((20, 21)), chance.choice(("on", "off", "in", "out"))
        time += chance.randrange(0, 900)
        if kind in ("on", "off"):
            event, ip = (clock, 0xffffffff81000110) if kind == "on" else (switch, 0xffffffff81000210)
            period = 1000000 if kind == "on" else 1
            r.sample(event, misc=KERNEL, ip=ip, pid=20, tid=tid, time=time, id=event.ids[0], cpu=0, period=period, callchain=[CONTEXT_KERNEL, ip])
        elif switches:
            r.record(SWITCH, misc=OUT if kind == "out" else 0, event=clock, pid=20, tid=tid, time=time, id=11)
        else:
            continue
        events.append((time, tid, kind))
    r.feature(FILE, file_section())
    r.feature(META_INFO, b"trace_offcpu\0" + offcpu + b"\0")
    r.save(path)
    return events


def off_cpu_sums(events):
    """What each thread spent on and off the CPU: a sample weighs what is left until its thread's next sample, or until it is switched in."""
    sums, waiting = {}, {}
    for time, tid, kind in events:
        if kind in ("on", "off", "in") and tid in waiting:
            sums[tid, "off"] = sums.get((tid, "off"), 0) + (max(time - waiting.pop(tid), 1))
        if kind == "off":
            waiting[tid] = time
        if kind == "on":
            sums[tid, "on"] = sums.get((tid, "on"), 0) + 1000000
    return sums


def check_off_cpu(tap, folder):
    path = f"{folder}/off.data"
    for switches in (True, False):
        sums = off_cpu_sums(off_cpu_recording(path, switches=switches))
        frames = {"on": "do_work", "off": "do_more;[off-CPU]"}
        wanted = {kind: {f"thread-{tid};{frames[part]} {sums[tid, part]}" for tid, part in sums if part in kinds}
                  for kind, kinds in (("wall", ("on", "off")), ("period", ("on",)), ("off-cpu", ("off",)), ("both", ("on", "off")))}
        for weight, lines in wanted.items():
            found = set(run("folded", "-q", "--weight", weight, path).out.decode().split("\n")) - {""}
            if weight == "both":      # of several events, a line begins with the event
                found = {line.partition(";")[2] for line in found}
            check(tap, found == lines, f"--weight {weight}{'' if switches else ' without records of switches'}", f"{found} instead of {lines}")
        done = run("folded", path)
        check(tap, set(done.out.decode().split("\n")) - {""} == wanted["wall"] and b"[N808]" in done.err, "wall is what is usual, and said",
                  done.err.decode())
    text = run("report", "-q", "--color", "never", path).out.decode()
    check(tap, "of time on and off the CPU" in text, "a report says what samples weigh", text)
    text = run("report", "-q", "--color", "never", "--weight", "both", path).out.decode()
    check(tap, "of time on the CPU\n" in text and "of time off the CPU\n" in text and "do_more" in text, "both are two events", text)
    for words in (("pprof",), ("speedscope",), ("firefox",), ("flamegraph",), ("flamegraph", "--svg")):
        outs = {run(*words, "-q", "--weight", weight, path).out for weight in ("wall", "period", "off-cpu", "both")}
        check(tap, len(outs) == 4 and b"" not in outs, f"{' '.join(words)} has each weight")
    check(tap, run("diff", "-q", "--weight", "off-cpu", path, path).code == 0, "diff of time off the CPU")
    off_cpu_recording(path, b"false")
    done = run("folded", "-q", "--weight", "wall", path)
    check(tap, done.code == 0 and b";[off-CPU] 24928\n" in done.out and b"do_work" in done.out, "SWITCH records show waits, too", repr(done))
    done = run("folded", "-q", "--weight", "wall", os.path.join(TESTDATA, "callgraph-73.data"))
    check(tap, done.code == 2 and b"trace-offcpu" in done.err, "nothing off the CPU was recorded", repr(done))
    done = run("folded", "-q", "--weight", "period", path)
    check(tap, done.code == 0, "the period is there anyway", repr(done))


def main():
    tap = Tap()
    with tempfile.TemporaryDirectory() as folder:
        check_names(tap, folder)
        check_damage(tap, folder)
        check_kernel_symbols(tap, folder)
        check_off_cpu(tap, folder)
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
