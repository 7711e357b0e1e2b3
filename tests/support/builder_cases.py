#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Recordings of things that are rare: hardware, kernels and tools that few machines have. testdata/README says what is in each.

usage: builder_cases.py FOLDER [NAME…]      writes them there (all, or those named), and the columns of MANIFEST.tsv to standard output
"""
import hashlib
import os
import struct
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from builder import *   # noqa: E402,F403: the names of sample bits
import coresight_packets
import trace_packets   # noqa: E402

CASES = {}


def case(name, note, **options):
    """options: of Recording; a big-endian twin is made too unless twin=False."""
    def add(build):
        twin = options.pop("twin", True)
        CASES[name] = (build, dict(options), note)
        if twin:
            CASES["be-" + name] = (build, dict(options, big=True), f"big-endian twin of {name}")
        return build
    return add


def machine(r, arch="x86_64", cpus=4):
    r.feature(3, r.string("demo"))     # perf takes a foreign header without it for one of 32-bit words
    r.feature(6, r.string(arch))
    r.feature(7, r.pack("II", cpus, cpus))


def kernel(r):
    r.mmap(-1, 0, 0xffffffff81000000, 0x1000000, 0xffffffff81000000, "[kernel.kallsyms]_text", misc=KERNEL)


def program(r, pid=100):
    """A thread with a mapped program and a library."""
    r.comm(pid, pid, "prog", time=1)
    r.mmap2(pid, pid, 0x400000, 0x10000, 0, "/usr/bin/prog")
    r.mmap2(pid, pid, 0x7f0000000000, 0x10000, 0x1000, "/usr/lib/libdemo.so.1", build_id=bytes(range(1, 21)))


# --- records of the kernel ---

def kernel_records(r, **ids):
    """One of each, and its variants."""
    kernel(r)
    program(r)
    time = iter(range(2_000_000_000, 3_000_000_000, 1_000_003))

    def at(**more):
        return {"pid": 100, "tid": 101, "cpu": 1, "time": next(time), "id": 11, "stream_id": 77, **more}

    r.mmap(100, 101, 0x500000, 0x1000, 0x2000, "/tmp/with space", **at())
    r.mmap(100, 101, 0x600000, 0x1000, 0, "/tmp/data", misc=USER | 1 << 13, **at())
    r.mmap2(100, 101, 0x700000, 0x2000, 0x1000, "//anon", prot=7, flags=0x22, device=(0, 0), inode=0, **at())
    r.mmap2(100, 101, 0x800000, 0x2000, 0x1000, "/dev/shm/x", prot=3, flags=1, device=(0xfd, 0x10), inode=2**40, generation=7, **at())
    r.mmap2(100, 101, 0x900000, 0x2000, 0, "/opt/short-id", build_id=bytes(range(16)), **at())
    r.mmap2(100, 101, 0xa00000, 0x2000, 0, "/opt/no-id", build_id=b"", **at())
    r.record(2, r.words([11, 5]), **at())
    r.comm(100, 101, "a comm of 15 by", **at())
    r.comm(100, 101, b"caf\xc3\xa9", misc=1 << 13, **at())
    r.record(5, r.words([2_100_000_000, 11, 77]), **at())
    r.record(6, r.words([2_110_000_000, 11, 77]), **at())
    for type in (7, 4):
        stamp = at()
        r.task(type, 200, 100, 201, 101, stamp.pop("time"), cpu=1, id=11, stream_id=77)
    r.record(11, r.words([0x1000, 0x200, 0]), **at())
    r.record(11, r.words([0, 0x200, 1 | 2 | 4 | 8]), **at())
    r.record(11, r.words([0, 0, 0x104]), **at())
    r.record(12, r.pack("II", 100, 101), **at())
    r.record(13, r.words([9]), **at())
    r.record(13, r.words([3]), misc=1 << 15, **at())
    for misc in (0, 1 << 13, 1 << 13 | 1 << 14):
        r.record(14, b"", misc, **at())
        r.record(15, r.pack("II", 1234567, 7), misc, **at())
    for count in (0, 1, 4, 7, 9):
        r.record(16, r.pack("IIQ", 100, 101, count) + r.words([x for i in range(count) for x in (4, 0xf0000000 + i)]), **at())
    r.record(17, r.pack("QIHH", 0xffffffffc0000000, 0x100, 1, 0) + r.text("bpf_prog_0123456789abcdef_demo"), **at())
    r.record(17, r.pack("QIHH", 0xffffffffc0001000, 0x40, 2, 0) + r.text("ftrace_trampoline"), **at())
    r.record(17, r.pack("QIHH", 0xffffffffc0000000, 0x100, 1, 1) + r.text("bpf_prog_0123456789abcdef_demo"), **at())
    r.record(18, r.pack("HHI", 1, 0, 42) + bytes(range(8)), **at())
    r.record(18, r.pack("HHI", 2, 0, 42) + bytes(range(8)), **at())
    r.record(19, r.pack("Q", 1) + r.text("/"), **at())
    r.record(19, r.pack("Q", 4242) + r.text("/system.slice/demo.service"), **at())
    for old, new in ((b"\x0f\x1f\x44\0\0", b"\xe8\x01\x02\x03\x04"), (b"", bytes(range(37))), (b"\x90", b"")):
        r.record(20, pad(r.pack("QHH", 0xffffffff81234560, len(old), len(new)) + old + new), **at())
    r.record(21, r.words([0xabcdef0123]), **at())
    r.record(21, r.words([0]), **at())


@case("kernel-records.data", "every record of the kernel but SAMPLE, with a full trailer")
def _(r):
    r.event("cycles", [11], sample_type=IP | TID | TIME | ID | STREAM_ID | CPU | IDENTIFIER, sample_id_all=1)
    kernel_records(r)
    machine(r)


@case("kernel-records-bare.data", "the same without trailers", twin=False)
def _(r):
    r.event("cycles", [11], sample_type=IP | TID | TIME)
    kernel_records(r)
    machine(r)


@case("kernel-records.pipe", "the same in a stream", pipe=True, twin=False)
def _(r):
    r.event("cycles", [11], sample_type=IP | TID | TIME | CPU | IDENTIFIER, sample_id_all=1)
    machine(r)
    kernel_records(r)


@case("read-records.data", "READ records of all shapes", twin=False)
def _(r):
    formats = [0, ENABLED, RUNNING, READ_ID, ENABLED | RUNNING | READ_ID | LOST, LOST | READ_ID]
    for i, read_format in enumerate(formats):
        r.event(f"event-{i}", [20 + i], type=1, config=i, sample_type=IP | TID | TIME | IDENTIFIER, sample_id_all=1,
                read_format=read_format, inherit_stat=1)
    for i, event in enumerate(r.events):
        values = r.read_values(event.attr["read_format"], [(1000 + i, 20 + i, 3)], enabled=500, running=400)
        r.record(8, r.pack("II", 100, 101) + values, event=event, pid=100, tid=101, time=5000 + i, id=20 + i)
    r.record(8, r.pack("II", 100, 101) + r.read_values(READ_ID, [(7, 999, 0)]), event=r.events[3], pid=100, tid=101, time=6000, id=23)
    machine(r)


# --- samples ---

def branch_flags(r, type=0, spec=0, new=0, priv=0, low=2, cycles=0, rest=0):
    """A bit-field: a compiler of the other byte order begins at the other end. low: mispredicted, predicted, in_tx, abort."""
    if r.big:
        bits = sum((low >> i & 1) << (63 - i) for i in range(4))
        return bits | cycles << 44 | type << 40 | spec << 38 | new << 34 | priv << 31 | rest
    return low | cycles << 4 | type << 20 | spec << 24 | new << 26 | priv << 30 | rest << 33


EVERYTHING = sum(1 << bit for bit in range(25)) & ~(WEIGHT | AUX)


@case("every-field.data", "samples with every field at once")
def _(r):
    common = dict(type=4, config=0x1cd, period=1000, read_format=ENABLED | RUNNING | READ_ID | GROUP | LOST, sample_id_all=1,
                  regs_user=0x1ff, regs_intr=0x10003, stack_user=64, precise_ip=3)
    full = r.event("mem-loads", [11, 12], sample_type=EVERYTHING, branch_sample_type=1 << 17 | 1 << 16 | 1 << 3, **common)
    r.event("mem-stores", [13], **dict(common, sample_type=EVERYTHING, branch_sample_type=1 << 17 | 1 << 16 | 1 << 3))
    kernel(r)
    program(r)
    for i in range(4):
        r.sample(full, misc=(USER, KERNEL, USER | 1 << 14, HYPERVISOR)[i], ip=(0x401000, 0xffffffff81000100, 0x7f0000000123, 0)[i], pid=100,
                 tid=100, time=10_000 + i, addr=0x7f0000000000 + i, stream_id=11, cpu=i, period=1000 * i,
                 read=[(100 * (i + 1), 11, i), (7 * i, 13, 0)], enabled=50, running=40,
                 callchain=[CONTEXT_KERNEL, 0xffffffff81000100, CONTEXT_USER, 0x401000, 0x402000], raw=bytes(range(20)),
                 branches=[(0x401010, 0x401000, branch_flags(r, low=1, cycles=5)), (0x401030, 0x401020, branch_flags(r, low=6))], user_abi=(2, 1, 0, 3)[i],
                 stack=b"stack of sixteen" if i % 2 else b"", dyn_size=9, weights=(100, 20, 3), data_src=0x229100142 + (i << 5),
                 transaction=(0, 3, 1 << 32, 0xff)[i], intr_abi=(1, 2, 2, 0)[i], phys_addr=0x1234000, cgroup=(4242, 1, 0, 5)[i],
                 data_page_size=(4096, 2 << 20, 1 << 30, 0)[i], code_page_size=(1024, 65536, 1 << 20, 1 << 40)[i])
    machine(r)


@case("plain-fields.data", "WEIGHT instead of its parts; AUX data of a sample; fields without identifiers", twin=False)
def _(r):
    event = r.event("cycles", [11], period=4000, sample_type=IP | TID | ADDR | PERIOD | WEIGHT | DATA_SRC | TRANSACTION)
    program(r)
    for i, weight in enumerate((0, 1, 2**40)):
        r.sample(event, ip=0x400100, pid=100, tid=100, addr=i, period=5 + i, weight=weight, data_src=0, transaction=0xdeadbeef0000000f)
    machine(r)


@case("cpumodes.data", "samples of all CPU modes, of threads with and without a name", twin=False)
def _(r):
    event = r.event("cycles", [11], period=4000, sample_type=IP | TID | TIME | CPU, sample_id_all=1)
    kernel(r)
    program(r)
    for mode in range(8):
        r.sample(event, misc=mode, ip=0x400100, pid=100, tid=100, time=100 + mode, cpu=mode)
        r.sample(event, misc=mode, ip=0xffffffff81000010, pid=0, tid=0, time=200 + mode, cpu=mode)
        r.sample(event, misc=mode, ip=0, pid=-1, tid=-1, time=300 + mode, cpu=2**32 - 1)
    machine(r)


@case("guests.data", "two virtual machines beside their host: kernels, modules, programs; one that the index names, one that it does not", twin=False)
def _(r):
    event = r.event("cycles", [11, 12], period=4000, sample_type=IP | TID | TIME | CPU | IDENTIFIER | CALLCHAIN, sample_id_all=1)
    r.record(69, r.words([2, 11, 0, 0, 100, 12, 1, 1, 200]) + r.words([0, 0, 77, 3]))
    kernel(r)
    program(r)
    for pid, name in ((77, "[guest.kernel.kallsyms.77]_text"), (78, "[guest.kernel.kallsyms]_text")):
        r.mmap(pid, 0, 0xffffffff81000000, 0x2000000, 0xffffffff81000000, name, misc=GUEST_KERNEL, id=12 if pid == 77 else 11)
        r.mmap(pid, 0, 0xffffffffc0000000, 0x10000, 0, "/lib/modules/6.1/kernel/fs/ext4/ext4.ko", misc=GUEST_KERNEL, id=12 if pid == 77 else 11)
    # the same numbers of threads as the host has
    r.comm(100, 100, "inside", misc=GUEST_USER, id=12, time=3)
    r.comm(100, 100, "another", misc=GUEST_USER, id=11, time=4)
    r.mmap2(100, 100, 0x400000, 0x10000, 0x1000, "/usr/bin/inside", misc=GUEST_USER, id=12, time=5)
    r.mmap2(100, 100, 0x400000, 0x10000, 0x1000, "/usr/bin/another", misc=GUEST_USER, id=11, time=6)
    r.task(7, 101, 100, 101, 100, 7, misc=GUEST_USER, id=12)
    places = ((USER, 0x400100), (KERNEL, 0xffffffff81000010), (GUEST_KERNEL, 0xffffffff81000010), (GUEST_KERNEL, 0xffffffffc0000100),
              (GUEST_KERNEL, 0x400100), (GUEST_USER, 0x400100), (GUEST_USER, 0x900100), (GUEST_USER, 0xffffffff81000010))
    time = 100
    for pid in (100, 101, 77, 0):
        for mode, ip in places:
            for id in (11, 12):
                time += 1
                chain = [CONTEXT_USER if mode in (USER, GUEST_USER) else CONTEXT_KERNEL, ip, CONTEXT_USER, 0x400200]
                r.sample(event, misc=mode, ip=ip, pid=pid, tid=pid, time=time, cpu=1, id=id, callchain=chain)
    r.sample(event, misc=GUEST_KERNEL, ip=0xffffffff81000010, pid=77, tid=77, time=500, id=12, callchain=[2**64 - 2176, 0xffffffff81000010])
    r.task(4, 100, 1, 100, 1, 600, misc=GUEST_USER, id=12)
    r.sample(event, misc=GUEST_USER, ip=0x400100, pid=100, tid=100, time=601, id=12, callchain=[CONTEXT_USER, 0x400100])
    r.sample(event, misc=USER, ip=0x400100, pid=100, tid=100, time=602, id=11, callchain=[CONTEXT_USER, 0x400100])
    machine(r)


def module(number):
    return f"/lib/modules/3.13.0/kernel/net/m{number}.ko"


def samples_around(r, ranges, *modes):
    """In each mode, one at all borders of the ranges and inside them."""
    event, time = r.events[0], 100
    for ip in sorted({at + side for start, size in ranges for at in (start, start + size // 2, start + size) for side in (-8, 0, 8)}):
        for mode in modes:
            time += 1
            r.sample(event, misc=mode, ip=ip, pid=100, tid=100, time=time)


@case("guest-kernel.data", "perf kvm --host --guest record: a guest's kernel and module, and build-ids of theirs, but no index of ids", twin=False)
def _(r):
    r.event("cycles", [11], sample_type=IP | TID | TIME, sample_id_all=1)
    kernel(r)
    program(r)
    ranges = [(0xffffffff81000000, 0x1000000), (0xffffffffa1000000, 0x1000000), (0xffffffffc8000000, 0x10000)]
    r.mmap(0, 0, *ranges[1], 0xffffffffa1000000, "[guest.kernel.kallsyms]_text", misc=GUEST_KERNEL)
    r.mmap(0, 0, *ranges[2], 0, module(1), misc=GUEST_KERNEL)
    samples_around(r, ranges, KERNEL, GUEST_KERNEL)
    machine(r)
    table = b""
    for name, misc, pid, fill in (("[kernel.kallsyms]", KERNEL, -1, 1), ("[guest.kernel.kallsyms]", GUEST_KERNEL, 0, 2), (module(1), GUEST_KERNEL, 0, 3),
                                  ("/usr/bin/prog", USER, -1, 4)):
        name = pad(name.encode() + b"\0", 64)
        table += r.pack("IHHi", 0, misc | 1 << 15, 36 + len(name), pid) + bytes([fill] * 20) + bytes([20, 0, 0, 0]) + name
    r.feature(2, table)


@case("guest-user.data", "a guest's kernel and programs where no index of ids tells guests: one has the pid of a process of the host", twin=False)
def _(r):
    event = r.event("cycles", [11], sample_type=IP | TID | TIME | CALLCHAIN, sample_id_all=1)
    kernel(r)
    program(r)
    r.mmap(0, 0, 0xffffffffa1000000, 0x1000000, 0xffffffffa1000000, "[guest.kernel.kallsyms]_text", misc=GUEST_KERNEL)
    for pid in (100, 300):
        r.mmap2(pid, pid, 0x500000, 0x10000, 0x1000, "/usr/bin/inside", misc=GUEST_USER, time=2)
    time = 100
    for pid in (100, 300):
        for mode, ip in ((USER, 0x400100), (USER, 0x500100), (GUEST_USER, 0x400100), (GUEST_USER, 0x500100), (GUEST_KERNEL, 0xffffffffa1000100),
                         (KERNEL, 0xffffffffa1000100)):
            time += 1
            context = {GUEST_USER: 2**64 - 2560, GUEST_KERNEL: 2**64 - 2176, KERNEL: CONTEXT_KERNEL, USER: CONTEXT_USER}[mode]
            r.sample(event, misc=mode, ip=ip, pid=pid, tid=pid, time=time, callchain=[context, ip, ip + 0x10])
    machine(r)


def kernel_maps(name, note, *ranges):
    def build(r):
        r.event("cycles", [11], sample_type=IP | TID | TIME, sample_id_all=1)
        r.comm(100, 100, "prog", time=1)
        for start, size, name in ranges:
            r.mmap(-1, 0, start, size, start if name[0] == "[" else 0, name, misc=KERNEL)
        samples_around(r, [(start, size) for start, size, _ in ranges], KERNEL)
        machine(r)
    case(f"kernel-maps-{name}.data", note, twin=False)(build)


TEXT, MODULES = 0xffffffff81000000, 0xffffffffa0000000
kernel_maps("overlap", "modules of Linux 3.13 that overlap, as each ends where a later one does",
            (TEXT, 0x1effffff, "[kernel.kallsyms]_text"), *((MODULES + 0x10000 * i, 0x18000 + 0x8000 * (i % 3), module(i)) for i in range(9)))
kernel_maps("inside", "modules inside the range of the kernel", (TEXT, 2**64 - 2**16 - TEXT, "[kernel.kallsyms]_text"),
            *((MODULES + 0x10000 * i, 0x10000, module(i)) for i in range(3)), (TEXT + 0x100000, 0x10000, module(3)))
kernel_maps("twice", "two ranges of a kernel with modules between them", (TEXT, 0x1000000, "[kernel.kallsyms]_text"),
            *((MODULES + 0x20000 * i, 0x10000, module(i)) for i in range(3)), (MODULES + 0x1000000, 0x1000000, "[kernel.kallsyms]_stext"))


@case("branches.data", "branch entries: every type, new type, speculation and privilege")
def _(r):
    event = r.event("branches", [11], period=4000, sample_type=IP | TID | TIME | BRANCH_STACK, branch_sample_type=1 << 16 | 1 << 3)
    program(r)

    stacks = [[(0x400100 + 16 * i, 0x400200 + i, branch_flags(r, type=i, spec=i % 4, low=i, cycles=i * 4000)) for i in range(16)],
              [(0x400100, 0x400200, branch_flags(r, type=15, new=i)) for i in range(16)],
              [(0x400100, 0x400200, branch_flags(r, priv=i, low=1)) for i in range(4)], [], [(2**64 - 1, 0, branch_flags(r, rest=6))]]
    for i, stack in enumerate(stacks):
        r.sample(event, ip=0x400100, pid=100, tid=100, time=100 + i, branches=stack)
    machine(r)
    r.feature(15, b"")


@case("branch-counters.data", "counters of branch entries, whose width the PMU's capabilities say", twin=False)
def _(r):
    event = r.event("branches", [11], type=4, config=0xffff, period=4000, sample_type=IP | TID | TIME | BRANCH_STACK | READ | ID, read_format=READ_ID | GROUP,
                    branch_sample_type=1 << 19 | 1 << 17 | 1 << 3, sample_id_all=1)
    program(r)
    for i in range(3):
        r.sample(event, ip=0x400100, pid=100, tid=100, time=100 + i, read=[(i + 1, 11, 0)], hw_idx=i - 1,
                 branches=[(0x400110, 0x400100, 2)] * i, counters=[0x1b] * i)
    machine(r)
    caps = [("branches", "32"), ("branch_counter_nr", "4"), ("branch_counter_width", "2")]
    r.feature(28, r.pack("I", 3) + b"".join(r.string(a) + r.string(b) for a, b in caps))


@case("lbr-callstack.data", "call stacks of last branch records", twin=False)
def _(r):
    event = r.event("cycles", [11], period=4000, sample_type=IP | TID | TIME | CALLCHAIN | BRANCH_STACK, branch_sample_type=1 | 1 << 11)
    program(r)
    branches = [(0x400110 + i, 0x400100 + i, 2) for i in range(3)]
    chains = [[CONTEXT_KERNEL, 0xffffffff81000100, CONTEXT_USER, 0x400100], [CONTEXT_USER, 0x400100], [CONTEXT_KERNEL, 0xffffffff81000100],
              []]
    for i, chain in enumerate(chains):
        r.sample(event, ip=0x400100, pid=100, tid=100, time=100 + i, callchain=chain, branches=branches)
    r.sample(event, ip=0x400100, pid=100, tid=100, time=200, callchain=chains[0], branches=[])
    machine(r)


@case("context-markers.data", "every marker of a call chain", twin=False)
def _(r):
    event = r.event("cycles", [11], period=4000, sample_type=IP | TID | TIME | CALLCHAIN)
    kernel(r)
    program(r)
    for i, marker in enumerate((32, 128, 512)):
        r.sample(event, ip=0x400100, pid=100, tid=100, time=100 + i, callchain=[2**64 - marker, 0x400100, 0xffffffff81000010])
    machine(r)


@case("first-byte.data", "callers at the first byte of a map, and at addresses that no map has: 0, 3 and the last one", twin=False)
def _(r):
    event = r.event("cycles", [11], period=4000, sample_type=IP | TID | TIME | CALLCHAIN)
    program(r)
    for i, caller in enumerate((0x400000, 0, 3, 2**64 - 4096, 0x7f0000000000)):
        r.sample(event, ip=0x400100, pid=100, tid=100, time=100 + i, callchain=[CONTEXT_USER, 0x400100, caller, 0x400200])
    machine(r)


@case("deferred.data", "call chains that come later: joined, shared, replaced, never", twin=False)
def _(r):
    event = r.event("cycles", [11], period=4000, sample_type=IP | TID | TIME | CALLCHAIN, sample_id_all=1, defer_callchain=1, defer_output=1)
    kernel(r)
    program(r)

    def sample(time, cookie, tid=100):
        r.sample(event, misc=KERNEL, ip=0xffffffff81000100, pid=100, tid=tid, time=time,
                 callchain=[CONTEXT_KERNEL, 0xffffffff81000100, CONTEXT_USER_DEFERRED, cookie])

    def later(time, cookie, chain, tid=100):
        r.record(22, r.words([cookie, len(chain), *chain]), misc=USER, pid=100, tid=tid, time=time)

    sample(100, 1)
    later(110, 1, [CONTEXT_USER, 0x400100, 0x400200])
    sample(120, 2)
    sample(121, 2)
    sample(122, 9, tid=101)
    later(130, 2, [CONTEXT_USER, 0x400300])
    sample(140, 3)
    sample(141, 4)
    later(150, 4, [CONTEXT_USER])
    later(160, 77, [CONTEXT_USER, 0x400400])
    sample(170, 5)
    machine(r)


@case("read-samples.data", "READ values of groups and of single events, with losses")
def _(r):
    group = r.event("leader", [11, 12], type=1, config=0, sample_type=IP | TID | TIME | READ | IDENTIFIER, sample_id_all=1, period=5,
                    read_format=READ_ID | GROUP | LOST | ENABLED | RUNNING)
    r.event("member", [13, 14], type=1, config=2, sample_type=IP | TID | TIME | READ | IDENTIFIER, sample_id_all=1,
            read_format=READ_ID | GROUP | LOST | ENABLED | RUNNING)
    program(r)
    for i in range(4):
        r.sample(group, ip=0x400100, pid=100, tid=100, time=100 + i, id=11 + i % 2, enabled=9, running=8,
                 read=[(50 * i + 7, 11 + i % 2, i), (3 * (i // 2), 13 + i % 2, 0), (1, 99, 0)][:3 if i == 3 else 2])
    machine(r)


@case("read-inherit.data", "READ values of inherited events: each thread counts for itself", twin=False)
def _(r):
    common = dict(type=1, period=500000, inherit=1, sample_type=IP | TID | TIME | READ | ID, sample_id_all=1, read_format=READ_ID | GROUP | LOST)
    leader = r.event("leader", [0x2ea8, 0x2ea9], config=0, **common)
    r.event("member", [0x2eaa, 0x2eab], config=2, **common)
    for i, tid in enumerate((12127, 12128, 12129, 12127, 12128)):
        r.sample(leader, ip=0x400100, pid=tid, tid=tid, time=100 + i, id=0x2ea8 + i % 2,
                 read=[(500000 + 1000 * i, 0x2ea8 + i % 2, 0), (10 + i // 3, 0x2eaa + i % 2, 0)])
    machine(r)


def data_sources():
    """Each part alone, then mixtures."""
    none = 1 | 1 << 5 | 1 << 19 | 1 << 24 | 1 << 26
    yield 0
    yield none
    for at, width in ((0, 5), (5, 14), (19, 5), (24, 2), (26, 7), (38, 2), (40, 3)):
        for bit in range(width):
            yield 1 << (at + bit)
    for number in range(16):
        for hit in (0, 2, 4, 6):
            yield 2 | hit << 5 | number << 33
    for hops in range(5):
        yield 2 | 2 << 5 | 1 << 33 | 1 << 37 | hops << 43
        yield 2 | 2 << 5 | 1 << 33 | hops << 43
    yield 2 | 0x1ff8 << 5 | 2 << 5
    yield 2 | (2 | 8 | 0x20) << 5 | 20 << 19 | 2 << 24 | (2 | 8 | 16) << 26 | 3 << 38 | 6 << 40
    yield 0x1f << 46


@case("data-sources.data", "every value of every part of data_src", twin=False)
def _(r):
    event = r.event("mem-loads", [11], type=4, config=0x1cd, period=4000,
                    sample_type=IP | TID | TIME | ADDR | DATA_SRC | PHYS_ADDR | WEIGHT_STRUCT | DATA_PAGE_SIZE | CODE_PAGE_SIZE)
    program(r)
    for i, value in enumerate(data_sources()):
        r.sample(event, ip=0x400100, pid=100, tid=100, time=100 + i, addr=0x1000 * i, data_src=value, phys_addr=i, weights=(i, 2 * i, 3 * i),
                 data_page_size=1 << i % 64, code_page_size=0)
    machine(r)


@case("bpf-output.data", "raw data of BPF programs: text, bytes, nothing; off-CPU samples", twin=False)
def _(r):
    common = dict(type=1, config=10, period=1, sample_type=IP | TID | TIME | CPU | PERIOD | RAW | IDENTIFIER, sample_id_all=1)
    output = r.event("bpf-output", [11], **common)
    offcpu = r.event("offcpu-time", [12], **common)
    program(r)
    for i, raw in enumerate((b"hello, world", bytes(range(40)), b"\xa0caf\xc3\xa9\xff", b"tab\tbell\a", bytes(4))):
        r.sample(output, ip=0x400100, pid=100, tid=100, time=100 + i, period=1, raw=raw)
    for i, chain in enumerate(([CONTEXT_USER, 0x400100, 0x7f0000000010], [CONTEXT_USER, 0x400200], [])):
        raw = r.pack("IIQQ", 100, 101, 5_000_000 + i, len(chain)) + r.words(chain) + r.words([4242])
        r.sample(offcpu, ip=0, pid=0, tid=0, time=200 + i, period=1, raw=raw + bytes(4))
    machine(r)


@case("page-faults.data", "addresses that are named: page faults; from and to of branch traces", twin=False)
def _(r):
    common = dict(period=1, sample_type=IP | TID | TIME | ADDR | IDENTIFIER, sample_id_all=1)
    faults = r.event("page-faults", [11], type=1, config=2, **common)
    branch = r.event("branches:u", [12], type=0, config=4, **common)
    kernel(r)
    program(r)
    for i, addr in enumerate((0x401000, 0x7f0000000080, 0xffffffff81000200, 0)):
        r.sample(faults, ip=0x400100, pid=100, tid=100, time=100 + i, addr=addr)
        r.sample(branch, ip=0x400100, pid=100, tid=100, time=200 + i, addr=addr, id=12)
    machine(r)


ARCHES = {"x86_64": 62, "armv7l": 40, "aarch64": 183, "ppc64le": 21, "s390x": 22, "riscv64": 243, "mips64": 8, "loongarch64": 258, "csky": 252}
for _arch, _elf in ARCHES.items():
    def _registers(r, arch=_arch, elf=_elf):
        event = r.event("cycles", [11], period=4000, sample_id_all=1, sample_type=IP | TID | TIME | REGS_USER | REGS_INTR, regs_user=2**64 - 1, regs_intr=0x3)
        r.sample(event, ip=0x400100, pid=100, tid=100, time=100)
        r.feature(3, r.string("demo"))
        r.feature(6, r.string(arch))
        r.feature(33, r.pack("II", elf, 0))
    case(f"registers-{_arch}.data", f"registers of {_arch}", twin=False)(_registers)


@case("registers-unnamed.data", "registers of x86-64 where no section tells the architecture", twin=False)
def _(r):
    event = r.event("cycles", [11], period=4000, sample_id_all=1, sample_type=IP | TID | TIME | REGS_USER, regs_user=0xff0fff)
    r.sample(event, ip=0x400100, pid=100, tid=100, time=100)
    r.feature(3, r.string("demo"))


# --- records of perf ---

@case("user-records.data", "records that perf itself writes")
def _(r):
    r.event("cycles", [11, 12], sample_type=IP | TID | TIME | CPU | IDENTIFIER, sample_id_all=1)
    r.record(69, r.words([2, 11, 0, 0, -1, 12, 1, -1, 100]))
    r.record(69, r.words([1, 11, 0, 1, 100, 5000, 2]))
    r.record(73, r.words([1, 100]) + b"prog".ljust(16, b"\0"))
    r.record(73, r.words([2, 100]) + b"prog".ljust(16, b"\0") + r.words([-1]) + bytes(16))
    r.record(74, pad(r.pack("HHHHHH", 0, 4, 0, 1, 2, 5)))
    r.record(74, pad(r.pack("HHHI", 1, 1, 4, 0x10f)))
    r.record(74, pad(r.pack("HHHIQQ", 1, 2, 8, 0, 1, 3)))
    r.record(74, pad(r.pack("HBBHH", 2, 1, 0, 2, 7)))
    r.record(78, r.words([0, 11]) + r.text("MiB"))
    r.record(78, r.words([1, 11]) + r.pack("d", 6.103515625e-05))
    r.record(78, r.words([2, 11]) + r.text("renamed"))
    r.record(78, r.words([3, 11]) + pad(r.pack("HHHH", 0, 2, 1, 3)))
    r.record(79, r.words([10, 20, 30]))
    r.record(79, r.words([10, 20, 30, 40, 0xffffffff]) + bytes([1, 0, 0, 0, 0, 0, 0, 0]))
    r.record(82)
    r.record(68)
    metadata = [("perf_version", "7.3"), ("author", "somebody else")]
    r.record(84, b"demo_prog".ljust(512, b"\0") + r.words([2]) + b"".join(k.encode().ljust(64, b"\0") + v.encode().ljust(256, b"\0")
                                                                         for k, v in metadata))
    error = r.pack("IIIIIIQQ", 1, 5, 2, 100, 101, 1, 0x400100, 1_000_000_007) + b"Lost trace data".ljust(64, b"\0")
    r.record(72, error)
    r.record(72, r.pack("IIIIIIQQ", 1, 5, 2, 100, 101, 2, 0x400100, 1_000_000_007) + b"Overflow packet".ljust(64, b"\0") +
             r.pack("II", 5000, 1))
    r.record(72, r.pack("IIIIIIQ", 3, 5, 2, 100, 101, 0, 0x400100) + b"odd".ljust(64, b"\0"))
    program(r)
    r.sample(r.events[0], ip=0x400100, pid=100, tid=100, time=100)
    machine(r)


@case("stat.pipe", "counters of perf stat record: intervals and the end", pipe=True)
def _(r):
    r.event("cpu-clock", [11, 12], type=1, config=0, read_format=ENABLED | RUNNING | READ_ID)
    r.event("page-faults", [13, 14], type=1, config=2, read_format=ENABLED | RUNNING | READ_ID)
    machine(r)
    r.record(73, r.words([1, 100]) + b"prog".ljust(16, b"\0"))
    r.record(74, pad(r.pack("HHHH", 0, 2, 0, 1)))
    r.record(75, r.words([3, 0, 3, 1, 100, 2, 1]))
    for round in range(2):
        for i in range(4):
            r.record(76, r.pack("QIIQQQ", 11 + i, i % 2, 0, 1000 * (i + 1) + 500 * round, 900 * (round + 1), 800 * (round + 1) - i))
        r.record(77, r.words([round, 100_000_000 * (round + 1)]))


def schedstat(version):
    def build(r):
        r.event("dummy:u", [11], type=1, config=9, sample_type=IP | TID | TIME | IDENTIFIER, sample_id_all=1)
        cpu = list(range(1, 10))
        r.record(85, r.pack("QIHH", 12345, 0, version, 0) + r.pack("6I", *cpu[:6]) + r.pack("3Q", *cpu[6:]))
        counts = 45 if version > 15 else 40
        r.record(86, r.pack("QIHH", 12345, 0, version, 0) + r.pack(f"{counts}I", *range(counts)) if counts % 2 == 0 else
                 pad(r.pack("QIHH", 12345, 0, version, 0) + r.pack(f"{counts}I", *range(counts))))
        machine(r)
    return build


@case("groups.pipe", "a group in a stream: its section comes before the records that name events", pipe=True)
def _(r):
    flags = {"sample_type": IP | TID | TIME | ID | PERIOD, "read_format": READ_ID, "exclude_kernel": 1, "exclude_hv": 1, "exclude_guest": 1, "sample_id_all": 1}
    events = [r.event(f"{name}:u", [11 + config], config=config, **flags) for config, name in enumerate(("cycles", "instructions"))]
    machine(r)
    r.feature(12, r.event_desc())
    r.feature(17, r.pack("I", 1) + r.string("") + r.pack("II", 0, 2))
    for event in events:
        r.record(78, r.words([2, event.ids[0]]) + r.text(event.name))
    r.comm(100, 100, "prog", time=5)
    for event in events:
        r.sample(event, ip=0x400010, pid=100, tid=100, time=7)


@case("false-build-ids.data", "device and inode marked as a build-id, as the kernel does while another recorder asks for build-ids", twin=False)
def _(r):
    plain = r.event("cycles", [11], sample_type=IP | TID | TIME | IDENTIFIER, sample_id_all=1)
    asking = r.event("instructions", [12], config=1, sample_type=IP | TID | TIME | IDENTIFIER, sample_id_all=1, build_id=1)
    r.comm(100, 100, "prog", time=1)
    marked = USER | 1 << 14
    # a virtio disk, tmpfs, a SCSI disk with a generation and without, a loop device
    for i, (device, generation) in enumerate((((254, 1), 7), ((0, 23), 0), ((8, 1), 5), ((8, 1), 0), ((7, 0), 0))):
        r.mmap2(100, 100, 0x400000 + 0x10000 * i, 0x10000, 0, f"/usr/bin/false{i}", misc=marked, device=device, generation=generation,
                inode=0x123456, id=11)
    for i, (event, size) in enumerate(((plain, 20), (plain, 16), (asking, 8), (plain, 8), (asking, 0))):
        r.mmap2(100, 100, 0x600000 + 0x10000 * i, 0x10000, 0, f"/usr/bin/true{i}", build_id=bytes(range(1, size + 1)), id=event.ids[0])
    for i in range(5):
        for base in (0x400000, 0x600000):
            r.sample(plain, ip=base + 0x10000 * i, pid=100, tid=100, time=100 + i)
    machine(r)


@case("schedstat-only.data", "what perf sched stats record writes: no event", twin=False)
def _(r):
    for number in range(4):
        r.record(85, r.pack("QIHH", 12345, number % 2, 17, 0) + r.pack("6I", *range(6)) + r.pack("3Q", *range(3)))
        r.record(86, pad(r.pack("QIHH", 12345, number % 2, 17, 0) + r.pack("45I", *range(45))))
    machine(r)


@case("event-types.pipe", "names of events as old recorders wrote them: padded to 8 bytes, without a NUL where they fill them", pipe=True)
def _(r):
    event = r.event("cycles", [11], size=80, sample_type=IP | TID | TIME | ID | PERIOD, sample_id_all=1)
    for config, name in ((0, b"cycles\0\0"), (1, b"instruct"), (2, b"cache-references"), (3, b"cache-misses".ljust(64, b"\0")), (4, b"x" * 64)):
        r.record(65, r.pack("Q", config) + name)
    r.comm(100, 100, "prog", time=5)
    r.mmap(100, 100, 0x400000, 0x1000, 0, "/usr/bin/prog", time=6)
    for time in (7, 8):
        r.sample(event, ip=0x400010, pid=100, tid=100, time=time)
        r.record(68)


@case("text-cases.data", "names and comms that are not what one expects", twin=False)
def _(r):
    event = r.event("cycles", [11], sample_type=IP | TID | TIME, sample_id_all=1)
    names = [b"/tmp/caf\xc3\xa9.so", b"/tmp/\xff\xfe.so", b"/tmp/a\nb", b"/memfd:x (deleted)", b"[heap]", b"[stack]", b"//anon", b"/SYSV00000000",
             b"/anon_hugepage (deleted)", b"anon_inode:[perf_event]", b"/dev/zero (deleted)"]
    r.comm(100, 100, b"tab\there", time=1)
    for i, name in enumerate(names):
        r.mmap2(100, 100, 0x10000 * (i + 1), 0x1000, 0, name, prot=7)
    for i in range(len(names)):
        r.sample(event, ip=0x10000 * (i + 1) + 8, pid=100, tid=100, time=100 + i)
    machine(r)


@case("unknown-records.data", "records of the future, which perf steps over", twin=False)
def _(r):
    event = r.event("cycles", [11], sample_type=IP | TID | TIME, sample_id_all=1)
    program(r)
    r.record(87, bytes(range(16)))
    r.record(4000, b"")
    r.sample(event, ip=0x400100, pid=100, tid=100, time=100)
    machine(r)


# --- AUX area tracing ---

def tracer(name, type, words, note=None):
    def build(r):
        event = r.event(f"{name}//", [11], type=8, sample_type=IP | TID | TIME | CPU | IDENTIFIER, sample_id_all=1)
        r.record(70, r.pack("II", type, 0) + r.words(words))
        program(r)
        r.sample(event, ip=0x400100, pid=100, tid=100, time=100)
        machine(r)
        r.feature(18, r.words([0]))
    case(f"auxtrace-{name}.data", note or f"AUXTRACE_INFO of {name}", twin=False)(build)


tracer("intel-bts", 2, [8, 1, 2, 3, 1, 0])
def words_of(text):
    return list(struct.unpack(f"<{len(pad(text)) // 8}Q", pad(text)))


FILTER = b"filter 0x100/0x20@/usr/bin/prog"
tracer("intel-pt", 1, [8, 21, 3, 5, 1, 0x400, 0x800, 1, 0, 1, 0x200, 0x3c000, 2, 1, 0, 35, len(FILTER), *words_of(FILTER + b"\0"), 1])
tracer("arm-spe", 4, [2, 4, 9, 2, 0x1010101010101010, 0, 4, 0x410fd0c0, 9, 1024, 0, 0x1010101010101010, 1, 4, 0x410fd0c0, 9, 1024, 2])
tracer("arm-spe-v1", 4, [9, 1])
tracer("coresight", 3, [1, 9 << 32 | 4, 0,
                        0x4040404040404040, 0, 7, 1, 0x10, 0x28000ea1, 0x4100f424, 0x488, 0, 0xcc,
                        0x3030303030303030, 1, 4, 1, 0x12, 3, 4,
                        0x4040404040404040, 3, 8, 1, 0x16, 2, 3, 4, 5, 6, 7,
                        0x5050505050505050, 2, 9, 1, 0x14, 2, 3, 4, 5, 6, 7, 8])
tracer("hisi-ptt", 6, [9])
tracer("vpa-dtl", 7, [9])


def traced(name, tracer, payloads, note, **how):
    def build(r):
        trace_packets.fill(r, tracer, payloads, **how)
    case(name, note, twin=False, pipe=name.endswith(".pipe"))(build)


for _tracer in trace_packets.EVERY:
    _all = b"".join(trace_packets.every_packet(_tracer))
    traced(f"trace-{_tracer}.data", _tracer, [_all], f"every packet of {_tracer}")
_pt, _spe = (trace_packets.every_packet(tracer) for tracer in (trace_packets.PT, trace_packets.SPE))
traced("trace-pt-cut.data", trace_packets.PT, [b"\x19\1\2\3", trace_packets.PSB[:9], b"", b"\x02", trace_packets.tnt([1] * 20)[:5]],
       "packets of Intel PT that the end of their buffer cuts")
traced("trace-pt.pipe", trace_packets.PT, [b"".join(_pt[:200]), b"".join(_pt[200:300])], "Intel PT in a stream")
traced("trace-spe.pipe", trace_packets.SPE, [b"".join(_spe[:40]), b"".join(trace_packets.some_packets(trace_packets.SPE, 1, 100))], "Arm SPE in a stream")
traced("trace-spe-cut.data", trace_packets.SPE, [b"\xb0\1\2", b"\x20\xb0", b"\x23", b"\x23\0\0", b"", b"\x48\x10", b"\x71"],
       "packets of Arm SPE that the end of their buffer cuts")
traced("trace-spe-v1.data", trace_packets.SPE, [b"".join(trace_packets.some_packets(trace_packets.SPE, 2, 60))],
       "Arm SPE as older recorders describe it, without times", words=[9, 1], time=False)
for _name, _processors in (("trace-spe-operations.data", trace_packets.SPE_PROCESSORS[0]),
                           ("trace-spe-operations-others.data", (trace_packets.SPE_PROCESSORS[2][0], trace_packets.SPE_PROCESSORS[3][1]))):
    traced(_name, trace_packets.SPE, trace_packets.spe_operations(1, 4, 8), "operations of Arm SPE in the order of their times",
           words=trace_packets.info_words(trace_packets.SPE, _processors), start=trace_packets.SPE_START)
for _name, _time in (("trace-spe-operations-odd.data", True), ("trace-spe-operations-timeless.data", False)):
    traced(_name, trace_packets.SPE, trace_packets.spe_odd_operations(2), "operations of Arm SPE without times, and bytes that are no packet among them",
           time=_time, start=trace_packets.SPE_START)
traced("trace-bts-cut.data", trace_packets.BTS, [trace_packets.branch(1, 2) + bytes(7), bytes(23), b""], "branches of BTS that the end of their buffer cuts")
traced("trace-ptt-long.data", trace_packets.PTT, [b"".join(trace_packets.ptt_long()) + bytes(5)], "packets of HiSilicon PTT with 32 bytes, and a rest")


def coresight(name, note, *how):
    case(name, note, twin=False)(lambda r: coresight_packets.fill(r, *how))


for _name, _note, *_how in coresight_packets.every_recording():
    if _name in ("packets-v4.2", "packets-ete", "cuts", "sync", "ids"):
        coresight(f"trace-coresight-{_name}.data", "CoreSight: " + _note, *_how)


@case("trace-sample.data", "Intel PT recorded with samples; errors of decoding in all their forms", twin=False)
def _(r):
    kind = IDENTIFIER | IP | TID | TIME | CPU | AUX
    event = r.event("cycles", [11], type=0, config=0, period=1, sample_type=kind, sample_id_all=1)
    trace_packets.add_info(r, trace_packets.PT)
    program(r)
    for time, aux in ((100, pad(b"".join(_pt[:10]))), (101, b""), (102, trace_packets.tnt([1, 0, 1]) + b"\0" * 7)):
        r.sample(event, ip=0x400100, pid=100, tid=100, time=time, aux=aux)
    for fmt, time in ((0, 0), (1, 1234567890), (2, 7)):
        body = r.pack("IIIiiIQ", 1, 5, 2, 100, 101, fmt, 0x400123)
        body += (r.pack("Q", time) if fmt else b"") + b"no instruction bytes".ljust(64, b"\0") + (r.pack("II", 9, 3) if fmt == 2 else b"")
        r.record(72, body)
    machine(r)
    r.feature(18, r.words([0]))


# --- attrs and sections ---

@case("attrs.data", "attrs with every member and every flag")
def _(r):
    everything = {name: 1 for name in FLAGS if name not in ("_", "precise_ip")}
    r.event("all", [11], type=4, config=0x1234, period=99, sample_type=EVERYTHING | WEIGHT, read_format=31, precise_ip=2, wakeup=7, bp_type=3,
            config1=0x11, config2=0x22, branch_sample_type=2**20 - 1, regs_user=0xff, stack_user=8192, clockid=1,
            regs_intr=0xf0, aux_watermark=4096, max_stack=127, aux_sample_size=4096, aux_action=7 if not r.big else 7 << 29, sig_data=9,
            config3=33, config4=44, **everything)
    for name, type, config in [("cycles", 0, 0), ("hybrid", 0, 4 << 32 | 1), ("branch-misses", 0, 5), ("far", 0, 10), ("dummy", 1, 9),
                               ("cgroup-switches", 1, 11), ("L1-dcache-load-misses", 3, 0x10000), ("bad-cache", 3, 0x70707),
                               ("raw", 4, 0x1b7), ("bp", 5, 0), ("pmu", 10, 0x300e601)]:
        r.event(name, [len(r.events) + 100], type=type, config=config, sample_type=EVERYTHING | WEIGHT, read_format=31, sample_id_all=1)
    program(r)
    machine(r)
    r.feature(12, r.event_desc())


def topology(r):
    return (r.pack("I", 1) + r.string("0-3") + r.pack("I", 2) + r.string("0-1") + r.string("2-3") +
            r.pack("8I", 0, 0, 0, 0, 1, 0, 1, 0) + r.pack("I", 1) + r.string("0-3") + r.pack("4I", 0, 0, 0, 0))


@case("sections.data", "every section of the header", twin=False)
def _(r):
    event = r.event("cycles", [11, 12], sample_type=IP | TID | TIME | CPU | IDENTIFIER, sample_id_all=1)
    r.event("instructions", [13, 14], config=1, sample_type=IP | TID | TIME | CPU | IDENTIFIER, sample_id_all=1)
    program(r)
    r.sample(event, ip=0x400100, pid=100, tid=100, time=100)
    name = pad(b"/usr/bin/prog\0", 64)
    r.feature(2, r.pack("IHHi", 0, USER | 1 << 15, 36 + len(name), -1) + bytes(range(20)) + bytes([20, 0, 0, 0]) + name)
    for id, text in ((3, "demo"), (4, "6.18.0"), (5, "7.3.4"), (6, "x86_64"), (8, "A CPU"), (9, "GenuineIntel,6,85,4")):
        r.feature(id, r.string(text))
    r.feature(7, r.pack("II", 4, 3))
    r.feature(10, r.words([16384000]))
    r.feature(11, r.pack("I", 4) + b"".join(r.string(x) for x in ("/usr/bin/perf", "record", "it's", "a b")))
    r.feature(12, r.event_desc())
    r.feature(13, topology(r))
    r.feature(14, r.pack("I", 2) + b"".join(r.pack("IQQ", n, 8192000, 4096000) + r.string(f"{2 * n}-{2 * n + 1}") for n in range(2)))
    r.feature(16, r.pack("I", 3) + b"".join(r.pack("I", t) + r.string(n) for t, n in ((1, "software"), (4, "cpu"), (10, "intel_pt"))))
    r.feature(17, r.pack("I", 1) + r.string("both") + r.pack("II", 0, 2))
    r.feature(20, r.pack("II", 1, 2) + b"".join(r.pack("4I", l, 64, 64, 8) + r.string(t) + r.string(s) + r.string(m)
                                                for l, t, s, m in ((1, "Data", "32K", "0-1"), (3, "Unified", "8192K", "0-3"))))
    r.feature(21, r.words([1_500_000_000, 3_250_000_000]))
    r.feature(22, r.words([1, 0x8000000, 1, 0, 70, 70, 2**64 - 2, 0x3f]))
    r.feature(23, r.words([1]))
    r.feature(25, r.pack("I", 0))
    r.feature(26, r.pack("I", 2) + r.pack("II", 7, 4) + b"btf1" + r.pack("II", 9, 0))
    r.feature(28, r.pack("I", 2) + r.string("branches") + r.string("32") + r.string("max_precise") + r.string("3"))
    r.feature(29, r.pack("IIQQ", 1, 1, 1_700_000_000_123_456_000, 1_234_567_890))
    r.feature(30, r.pack("I", 2) + b"".join(r.string(x) for x in ("cpu_core", "0-1", "cpu_atom", "2-3")))
    r.feature(31, r.pack("I", 2) + r.pack("I", 1) + r.string("branches") + r.string("32") + r.string("cpu_core") + r.pack("I", 0) + r.string("ibs"))
    domain = r.string("MC") + r.string("f") + r.string("0-3")
    r.feature(32, r.pack("II", 17, 1) + b"".join(r.pack("III", cpu, 1, 0) + domain for cpu in range(3)))
    r.feature(33, r.pack("II", 62, 0))
    r.feature(34, r.pack("I", 64))


for _version in (15, 16, 17, 18):
    case(f"schedstat-{_version}.data", f"schedstat records of version {_version}", twin=False)(schedstat(_version))


def main():
    folder, wanted = sys.argv[1], sys.argv[2:] or list(CASES)
    for name in wanted:
        build, options, note = CASES[name]
        r = Recording(**options)
        build(r)
        data = r.file()
        with open(f"{folder}/{name}", "wb") as out:
            out.write(data)
        print("\t".join([name, hashlib.sha256(data).hexdigest(), str(len(data)), note]))


if __name__ == "__main__":
    main()
