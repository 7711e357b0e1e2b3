#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The rules of lib/branches on recordings made for them: where entries of branch stacks lie in a program, which follow each other, and what is added up.
perf_profiles.py compares the outputs with those of the tools that read them; here each rule is checked alone.

TAP."""
import os
import struct
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import program
import trace_packets
from builder import BRANCH_STACK, IP, PERIOD, TID, TIME, Recording

# In the file, headers and code share a page: code begins in the middle of the first one, and is mapped with the whole page.
CODE, CODE_SIZE, PLT, PLT_SIZE = 0x200, 0x100, 0x300, 0x20
SEGMENT_GAP = 0x1000    # code's addresses are those of the file, and a page
KERNEL_ADDRESS = 0xffffffff81000123
LIBRARY = 0x7fff00001000
MISPREDICTED, PREDICTED = 1, 2

tap = program.Tap()


def elf(base, is_fixed):
    """A program of two functions: nothing but NOPs, but for a direct jump at CODE + 0x90."""
    code = bytearray(b"\x90" * CODE_SIZE)
    code[0x90:0x92] = b"\xeb\x0e"
    names = b"\0.text\0.plt\0.symtab\0.strtab\0.shstrtab\0"
    strings = b"\0alpha\0beta\0"
    address = base + SEGMENT_GAP
    symbols = bytes(24) + b"".join(struct.pack("<IBBHQQ", name, 0x12, 0, 1, address + at, 0x80) for name, at in ((1, CODE), (7, CODE + 0x80)))
    tables = PLT + PLT_SIZE
    at_strings, at_names = tables + len(symbols), tables + len(symbols) + len(strings)
    sections = [bytes(64),
                struct.pack("<IIQQQQIIQQ", 1, 1, 6, address + CODE, CODE, CODE_SIZE, 0, 0, 16, 0),
                struct.pack("<IIQQQQIIQQ", 7, 1, 6, address + PLT, PLT, PLT_SIZE, 0, 0, 16, 0),
                struct.pack("<IIQQQQIIQQ", 12, 2, 0, 0, tables, len(symbols), 4, 1, 8, 24),
                struct.pack("<IIQQQQIIQQ", 20, 3, 0, 0, at_strings, len(strings), 0, 0, 1, 0),
                struct.pack("<IIQQQQIIQQ", 28, 3, 0, 0, at_names, len(names), 0, 0, 1, 0)]
    at_sections = (at_names + len(names) + 15) & ~15
    head = b"\x7fELF\2\1\1" + bytes(9) + struct.pack("<HHIQQQIHHHHHH", 2 if is_fixed else 3, 62, 1, address + CODE, 64, at_sections, 0, 64, 56, 2, 64, 6, 5)
    head += struct.pack("<IIQQQQQQ", 1, 4, 0, base, base, CODE, CODE, 4096)
    head += struct.pack("<IIQQQQQQ", 1, 5, CODE, address + CODE, address + CODE, CODE_SIZE + PLT_SIZE, CODE_SIZE + PLT_SIZE, 4096)
    body = head.ljust(CODE, b"\0") + bytes(code) + b"\x90" * PLT_SIZE + symbols + strings + names
    return body.ljust(at_sections, b"\0") + b"".join(sections)


def record(folder, samples, maps=((100, 0x7f0000000000),), period=1):
    """`samples`: (pid, entries from the newest on, as (from, to, flags)). An address below 4096 is an offset in the program, where the pid has it."""
    r = Recording()
    cycles = r.event("cycles:u", ids=[1], type=0, sample_id_all=1, period=period, sample_type=IP | TID | TIME | PERIOD | BRANCH_STACK, branch_sample_type=9)
    bases = {}
    for pid, base in maps:
        bases.setdefault(pid, base)
        r.comm(pid, pid, "prog", time=1)
        r.mmap2(pid, pid, base, 0x1000, 0, "/work/prog", time=2)
        r.mmap2(pid, pid, LIBRARY, 0x1000, 0, "/lib/other.so", time=2)
    for number, (pid, entries) in enumerate(samples):
        placed = [[bases[pid] + place if place < 4096 else place for place in entry[:2]] + [entry[2] if len(entry) > 2 else PREDICTED] for entry in entries]
        r.sample(cycles, ip=placed[0][1] if placed else bases[pid] + CODE, pid=pid, tid=pid, time=3 + number, period=period, branches=placed)
    path = os.path.join(folder, "branches.data")
    r.save(path)
    return path


def convert(folder, name, path, *options):
    return program.run(name, "-q", "--symfs", folder, "--program", "prog", *options, path)


def place_program(folder, base, is_fixed):
    os.makedirs(os.path.join(folder, "work"), exist_ok=True)
    with open(os.path.join(folder, "work", "prog"), "wb") as f:
        f.write(elf(base, is_fixed))


def check(folder, title, path, wanted, *options):
    """`wanted`: {format: lines}; a format that needs a disassembler is passed over where none is installed."""
    faults = []
    for name, lines in wanted.items():
        done = convert(folder, name, path, *options)
        if name == "profgen" and b"needs a library that decodes" in done.err:
            continue
        if done.code or done.out.decode().splitlines() != lines:
            faults.append("%s: exit code %d: %r instead of %r: %s" % (name, done.code, done.out.decode().splitlines(), lines, done.err.decode()))
    tap.report(title, faults)


def profgen(ranges, branches):
    return [str(len(ranges)), *ranges, str(len(branches)), *branches]


def check_addresses(folder):
    pairs = [(100, [(CODE + 0x40, CODE + 0x10), (CODE + 0x20, CODE + 0x30)])]
    place_program(folder, 0, False)
    # BOLT and llvm-profgen count from the first segment and from the page of the code, AutoFDO in the file
    check(folder, "a program that can be moved; segments share a page", record(folder, pairs),
          {"bolt": ["B 1220 1230 1 0", "B 1240 1210 1 0", "F 1230 1240 1"], "profgen": profgen(["230-240:1"], ["220->230:1", "240->210:1"]),
           "autofdo": ["1", "230-240:1", "1", "210:1", "2", "220->230:1", "240->210:1"]})
    two = [(100, pairs[0][1]), (200, pairs[0][1])]
    check(folder, "processes with the program at two places", record(folder, two, maps=((100, 0x7f0000000000), (200, 0x560000001000))),
          {"bolt": ["B 1220 1230 2 0", "B 1240 1210 2 0", "F 1230 1240 2"]})
    place_program(folder, 0x200000, True)
    check(folder, "a program at fixed addresses", record(folder, pairs, maps=((100, 0x201000),)),
          {"bolt": ["B 201220 201230 1 0", "B 201240 201210 1 0", "F 201230 201240 1"], "profgen": profgen(["230-240:1"], ["220->230:1", "240->210:1"])})


def check_outside(folder):
    place_program(folder, 0, False)
    kernel = [(100, [(CODE + 0x40, CODE + 0x10), (KERNEL_ADDRESS, CODE + 0x38), (CODE + 0x30, KERNEL_ADDRESS), (CODE + 0x20, CODE + 0x24)])]
    check(folder, "entries of the kernel: BOLT passes over them, and their neighbours follow each other", record(folder, kernel),
          {"bolt": ["B 1220 1224 1 0", "B 1240 1210 1 0", "F 1224 1240 1"],
           "autofdo": ["2", "224-230:1", "238-240:1", "1", "210:1", "2", "220->224:1", "240->210:1"]})
    both = [(100, [(CODE + 0x40, CODE + 0x10), (LIBRARY + 8, LIBRARY + 16), (CODE + 0x20, CODE + 0x24)])]
    check(folder, "entries of another file: nothing ran between them in the program", record(folder, both),
          {"bolt": ["B 1220 1224 1 0", "B 1240 1210 1 0"], "profgen": profgen(["224-240:1"], ["220->224:1", "240->210:1"]),
           "autofdo": ["0", "1", "210:1", "2", "220->224:1", "240->210:1"]})
    into = [(100, [(CODE + 0x40, LIBRARY + 8), (LIBRARY + 4, CODE + 0x30)])]
    check(folder, "entries across mappings have an address of 0, or 1", record(folder, into),
          {"bolt": ["B 0 1230 1 0", "B 1240 0 1 0", "f 1230 1240 1"], "profgen": profgen(["230-240:1"], ["fffffffffffff001->230:1"])})
    plt = [(100, [(CODE + 0x40, PLT + 8), (PLT + 4, CODE + 0x30)])]
    check(folder, "the linkage table is inside for BOLT alone", record(folder, plt),
          {"bolt": ["B 1240 1308 1 0", "B 1304 1230 1 0", "f 1230 1240 1"], "profgen": profgen(["230-240:1"], ["fffffffffffff001->230:1"])})


def check_ranges(folder):
    place_program(folder, 0, False)
    check(folder, "code does not run backwards", record(folder, [(100, [(CODE + 0x10, CODE + 0x40), (CODE + 0x20, CODE + 0x30)])]),
          {"bolt": ["B 1210 1240 1 0", "B 1220 1230 1 0"], "autofdo": ["0", "1", "240:1", "2", "210->240:1", "220->230:1"]})
    check(folder, "code does not run over a direct jump", record(folder, [(100, [(CODE + 0xb0, CODE + 0x10), (CODE + 0x20, CODE + 0x84)])]),
          {"bolt": ["B 1220 1284 1 0", "B 12b0 1210 1 0", "f 1284 12b0 1"], "profgen": profgen([], ["220->284:1", "2b0->210:1"])})
    check(folder, "the jump may be the end", record(folder, [(100, [(CODE + 0x90, CODE + 0xa0), (CODE + 0x20, CODE + 0x84)])]),
          {"profgen": profgen(["284-290:1"], ["220->284:1", "290->2a0:1"])})


def operation(time, pc, kind, events=2, target=None, previous=None):
    """The packets of one operation of Arm SPE, in user mode. kind: 2: of memory, 3: a branch."""
    def address(packet, value):
        return trace_packets.spe_packet(packet, value | 1 << 63)
    out = address(0xb0, pc) + trace_packets.spe_packet(0x64, 100) + trace_packets.spe_packet({2: 0x49, 3: 0x4a}[kind], kind == 3)
    out += trace_packets.spe_packet(0x52, events)
    out += (address(0xb1, target) if target else b"") + (address(0xb4, previous) if previous else b"")
    return out + trace_packets.spe_packet(0x71, 1000 + time)


def check_operations(folder):
    """Branches that Arm SPE sampled: each is one, and code ran from the target of the one before, where the processor records it."""
    start, retired, not_taken, mispredicted = 0x400000, 2, 1 << 6, 1 << 7
    os.makedirs(os.path.join(folder, "usr", "bin"))
    with open(os.path.join(folder, "usr", "bin", "worker"), "wb") as f:
        f.write(elf(start - SEGMENT_GAP, True))
    payload = operation(1, start + CODE + 0x40, 3, retired | mispredicted, target=start + CODE + 0x10, previous=start + CODE + 0x30)
    payload += operation(2, start + CODE + 0x20, 2) + operation(3, start + CODE + 0x20, 3, retired | not_taken, target=start + CODE + 0x24)
    path = os.path.join(folder, "spe.data")
    trace_packets.recording("spe", [payload], start=trace_packets.SPE_START).save(path)
    wanted = {"bolt": ["B 0 400230 1 0", "B 400220 400224 1 0", "B 400240 400210 1 1", "f 400230 400240 1"],
              "profgen": profgen(["230-240:1"], ["ffffffffffc00001->230:1", "220->224:1", "240->210:1"]),
              "autofdo": ["1", "230-240:1", "2", "220:2", "240:1", "2", "220->224:1", "240->210:1"],
              "counts": ["- /usr/bin/worker 220 2 2", "- /usr/bin/worker 240 1 1"]}
    faults = []
    for name, lines in wanted.items():
        done = program.run(name, "-q", *([] if name == "counts" else ["--symfs", folder, "--program", "worker"]), path)
        if name == "profgen" and b"needs a library that decodes" in done.err:
            continue
        if done.code or done.out.decode().splitlines() != lines:
            faults.append("%s: exit code %d: %r instead of %r: %s" % (name, done.code, done.out.decode().splitlines(), lines, done.err.decode()))
    fields = ["--itrace", "bl", "-F", "pid,brstack"]
    texts = [program.run("script", "-q", *fields, *more, path) for more in ([], ["--pid", "100"], ["--pid", "1"])]
    lines = [line.split() for line in texts[0].out.decode().splitlines()]
    if [line[0] for line in lines] != ["100", "100"] or lines[0][2:] != ["0x0/0x400230/-/-/-/0//-"]:
        faults.append("script: %r" % lines)
    if texts[0].out != texts[1].out or texts[2].out:
        faults.append("--pid: %r %r" % (texts[1].out, texts[2].out))
    tap.report("operations of Arm SPE", faults)


def check_android(folder):
    """simpleperf -b: branch stacks of a library inside an APK, asked for by its name, its path or its build-id; a file with that build-id need not be in one."""
    library, build_id, base = "/data/app/base.apk!/lib/arm64-v8a/libnative.so", bytes(range(20)), 0x7a0000000000
    r = Recording()
    cycles = r.event("cpu-cycles:u", ids=[1], type=0, sample_id_all=1, sample_type=IP | TID | TIME | PERIOD | BRANCH_STACK, branch_sample_type=9)
    r.comm(100, 100, "app", time=1)
    r.mmap2(100, 100, base, 0x1000, 0, library, time=2)
    r.sample(cycles, ip=base + CODE + 0x10, pid=100, tid=100, time=3, period=1,
             branches=[(base + CODE + 0x40, base + CODE + 0x10, PREDICTED), (base + CODE + 0x20, base + CODE + 0x30, PREDICTED)])
    name = library.encode().ljust((len(library) + 8) & ~7, b"\0")
    r.feature(2, r.pack("IHHi", 67, 2 | 1 << 15, 36 + len(name), -1) + build_id + bytes([20, 0, 0, 0]) + name)
    r.feature(129, b"simpleperf_version\x001\x00")
    path = os.path.join(folder, "android.data")
    r.save(path)
    faults = []
    for asked in "libnative.so", library, build_id.hex():
        done = program.run("autofdo", "-q", "--program", asked, path)
        if done.code or done.out.decode().splitlines() != ["1", "230-240:1", "1", "210:1", "2", "220->230:1", "240->210:1"]:
            faults.append("%s: exit code %d: %r %s" % (asked, done.code, done.out.decode().splitlines(), done.err.decode()))
    tap.report("branch stacks of simpleperf in a library inside an APK", faults)


def check_sums(folder):
    place_program(folder, 0, False)
    entries = [(CODE + 0x40, CODE + 0x10, MISPREDICTED), (CODE + 0x20, CODE + 0x30, PREDICTED)]
    check(folder, "mispredictions are counted beside branches", record(folder, [(100, entries)] * 3 + [(100, [(CODE + 0x40, CODE + 0x10)])]),
          {"bolt": ["B 1220 1230 3 0", "B 1240 1210 4 3", "F 1230 1240 3"]})
    many = [(100, [(CODE + (n * 7 + k * 3) % CODE_SIZE, CODE + (n * 11 + k * 5) % CODE_SIZE, n & 1) for k in range(32)]) for n in range(6000)]
    path = record(folder, many)
    faults = []
    for name in "bolt", "autofdo", "profgen":
        whole = convert(folder, name, path, "-j", "1")
        for options in (["-j", "4"], ["--max-memory", "1M"], ["--max-memory", "1M", "-j", "3"]):
            other = convert(folder, name, path, *options)
            if (other.code, other.out) != (whole.code, whole.out):
                faults.append("%s %s: %d, %d bytes; %d, %d bytes" % (name, options, other.code, len(other.out), whole.code, len(whole.out)))
        if name == "bolt":
            total = sum(int(line.split()[3]) for line in whole.out.decode().splitlines() if line[0] == "B")
            if total != 6000 * 32:
                faults.append("%d branches of %d" % (total, 6000 * 32))
    tap.report("the same sums with other threads, and in little memory", faults)


def check_refused(folder):
    place_program(folder, 0, False)
    path = record(folder, [(100, [(CODE + 0x40, CODE + 0x10)])])
    faults = []
    for options, words in ((["--program", "nosuch"], b"These did: /work/prog"), (["--program", "00112233445566778899"], b"no file of that name or build-id"),
                           ([], b"choose a program with --program")):
        done = program.run("bolt", "-q", "--symfs", folder, *options, path)
        if done.code != 2 or words not in done.err or done.out:
            faults.append("%s: %d %r" % (options, done.code, done.err))
    os.unlink(os.path.join(folder, "work", "prog"))
    done = convert(folder, "bolt", path)
    if done.code != 2 or b"not at hand" not in done.err:
        faults.append("the file is missing: %d %r" % (done.code, done.err))
    tap.report("what cannot be done is said", faults)


def main():
    for work in check_addresses, check_outside, check_ranges, check_operations, check_android, check_sums, check_refused:
        with tempfile.TemporaryDirectory() as folder:
            work(folder)
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
