# SPDX-License-Identifier: CC0-1.0
"""The cases: each is one recording about one thing. See README."""
import itertools

from format import BIT, FEATURE, KERNEL, READ, Recording, hexadecimal, pad

CASES = []
ALL_IDS = ("TID", "TIME", "ID", "STREAM_ID", "CPU", "IDENTIFIER")
IDS = {"pid": 100, "tid": 101, "time": 5_000_000_123, "stream_id": 77, "cpu": 3}
BUILD_ID = bytes(range(1, 21))


def add(name, what, recording, since="2.6.31", valid=True, must=True, data=None, lines=None):
    """data: the file, where it is not recording.bytes(). lines: what has to be said, where that is not all of the recording. must: what a reader has to
    do; otherwise it may refuse the recording."""
    CASES.append({"name": name, "what": what, "since": since, "valid": valid, "must": must,
                  "data": recording.bytes() if data is None else data, "lines": recording.expected() if lines is None else lines,
                  "pipe": recording.pipe})


def both(name, what, build, pipe=False, **more):
    """The case in both byte orders. build(recording) fills it; it may return other keywords of add."""
    for big in (False, True):
        recording = Recording(big=big, pipe=pipe)
        returned = build(recording) or {}
        add(name + ("-be" if big else "-le"), what + (", big-endian" if big else ""), recording, **{**more, **returned})


def mask(*bits):
    return sum(BIT[bit] for bit in bits)


def plain_event(r, name="cycles", ids=(11,), bits=("IP", "TID", "TIME"), **attr):
    return r.event(name, ids, type=1, sample_type=mask(*bits), sample_period=1000, **attr)


def named(r):
    """Event names are known by this section only."""
    if not r.pipe:
        r.event_desc()


# --- records of the kernel ---

VALUES = {
    "mmap": dict(pid=100, tid=101, addr=0x7f0011112000, len=0x3000, pgoff=0x5000, filename="/usr/lib/libdemo.so.1"),
    "lost": dict(id=11, lost=12345),
    "comm": dict(pid=100, tid=101, comm="a name"),
    "exit": dict(pid=100, ppid=1, tid=101, ptid=1, time=5_000_000_123),
    "fork": dict(pid=200, ppid=100, tid=201, ptid=101, time=5_000_000_123),
    "throttle": dict(time=5_000_000_123, id=11, stream_id=77),
    "unthrottle": dict(time=5_000_000_123, id=11, stream_id=77),
    "mmap2": dict(pid=100, tid=101, addr=0x400000, len=0x1000, pgoff=0, maj=8, min=1, ino=2**63 + 5, ino_generation=7, prot=5, flags=2,
                  filename="/usr/bin/demo"),
    "aux": dict(aux_offset=0x10000, aux_size=4096, flags=1),
    "itrace_start": dict(pid=100, tid=101),
    "lost_samples": dict(lost=9),
    "switch": {},
    "switch_cpu_wide": dict(next_prev_pid=300, next_prev_tid=301),
    "ksymbol": dict(addr=0xffffffffc0001000, len=256, ksym_type=1, flags=0, name="bpf_prog_0123456789abcdef_demo"),
    "bpf_event": dict(bpf_type=1, flags=0, prog_id=42, prog_tag=bytes(range(8))),
    "cgroup": dict(cgroup=4242, path="/system.slice/demo.service"),
    "aux_output_hw_id": dict(hw_id=0xabcdef0123),
}
SINCE = {"mmap2": "3.12", "aux": "4.1", "itrace_start": "4.1", "lost_samples": "4.2", "switch": "4.3", "switch_cpu_wide": "4.3", "ksymbol": "5.1",
         "bpf_event": "5.1", "cgroup": "5.7", "aux_output_hw_id": "5.16"}


def kernel_cases():
    for name in KERNEL:
        def with_ids(r, name=name):
            plain_event(r, bits=("IP",) + ALL_IDS, flags=("sample_id_all",))
            r.kernel(name, ids=IDS, **VALUES[name])

        def without_ids(r, name=name):
            plain_event(r)
            r.kernel(name, **VALUES[name])
        since = SINCE.get(name, "2.6.31")
        both("record-%s" % name, "%s with all words of sample_id_all" % name.upper(), with_ids, since=since)
        both("record-%s-without-ids" % name, "%s of an event without sample_id_all" % name.upper(), without_ids, since=since)
        both("record-%s-stream" % name, "%s in a stream" % name.upper(), with_ids, pipe=True, since=since)
    for bits in itertools.chain(((bit,) for bit in ALL_IDS), itertools.combinations(ALL_IDS, 5)):
        def some_ids(r, bits=bits):
            plain_event(r, bits=("IP",) + bits, flags=("sample_id_all",))
            r.kernel("comm", ids=IDS, **VALUES["comm"])
        both("sample-id-" + "-".join(bits).lower().replace("_", "-"), "sample_id_all with %s" % ", ".join(bits), some_ids, since="2.6.38")


def kernel_variants():
    def case(name, what, since="2.6.31", flags=()):
        def take(build):
            both(name, what, lambda r: (plain_event(r, bits=("IP", "TID", "TIME"), flags=("sample_id_all",) + flags), build(r))[1], since=since)
            return build
        return take

    @case("mmap2-build-id", "MMAP2 with a build-id in place of device and inode (misc bit 14)", "5.12", flags=("build_id",))
    def _(r):
        for size in (20, 16, 8):
            head = r.pack("iiQQQ", 100, 101, 0x400000, 0x1000, 0x2000)
            body = head + bytes([size, 0, 0, 0]) + BUILD_ID[:size].ljust(20, b"\0") + r.pack("II", 5, 2) + pad(b"/usr/bin/demo\0")
            r.other(10, "mmap2", body, {"pid": 100, "tid": 101, "addr": "0x400000", "len": 0x1000, "pgoff": "0x2000", "build_id_size": size,
                                        "build_id": BUILD_ID[:size].hex(), "prot_raw": 5, "flags_raw": 2, "filename": "/usr/bin/demo"},
                    misc=1 << 14 | 2, ids=IDS)

    @case("mmap-data", "MMAP of memory that is not executable (misc bit 13)", "3.12")
    def _(r):
        r.kernel("mmap", misc=1 << 13 | 2, ids=IDS, **VALUES["mmap"])

    @case("mmap-kernel", "MMAP of the kernel: pid -1")
    def _(r):
        r.kernel("mmap", misc=1, ids=IDS, **{**VALUES["mmap"], "pid": -1, "tid": 0, "addr": 0xffffffff81000000, "pgoff": 0xffffffff81000000,
                                             "filename": "[kernel.kallsyms]_text"})

    @case("mmap-long-name", "MMAP whose name has 4095 bytes")
    def _(r):
        r.kernel("mmap", ids=IDS, **{**VALUES["mmap"], "filename": "/" + "x" * 4094})

    @case("comm-exec", "COMM of an exec (misc bit 13)", "3.16")
    def _(r):
        r.kernel("comm", misc=1 << 13, ids=IDS, **VALUES["comm"])

    @case("comm-sizes", "COMM with names of 0 to 15 bytes: padding is 1 to 8 zeros")
    def _(r):
        for size in range(16):
            r.kernel("comm", ids=IDS, pid=100, tid=100 + size, comm="abcdefghijklmno"[:size])

    @case("switch-out", "SWITCH out of a CPU, and out by preemption (misc bits 13 and 14)", "4.17")
    def _(r):
        for misc in (0, 1 << 13, 1 << 13 | 1 << 14):
            r.kernel("switch", misc=misc, ids=IDS)

    @case("namespaces", "NAMESPACES with 7 namespaces", "4.12")
    def _(r):
        body = r.pack("iiQ", 100, 101, 7) + b"".join(r.words(4, 4026531840 + number) for number in range(7))
        r.other(16, "namespaces", body, {"pid": 100, "tid": 101, "namespaces": [{"dev": "0x4", "ino": 4026531840 + number} for number in range(7)]}, ids=IDS)

    @case("namespaces-none", "NAMESPACES with none", "4.12")
    def _(r):
        r.other(16, "namespaces", r.pack("iiQ", 100, 101, 0), {"pid": 100, "tid": 101, "namespaces": []}, ids=IDS)

    @case("text-poke", "TEXT_POKE: code that was added, changed, removed", "5.9")
    def _(r):
        for old, new in ((b"", bytes.fromhex("cc90")), (bytes.fromhex("0f1f440000"), bytes.fromhex("e801020304")), (bytes(range(16)), b"")):
            body = r.pack("QHH", 0xffffffff81234560, len(old), len(new)) + old + new
            r.other(20, "text_poke", pad(body), {"addr": "0xffffffff81234560", "old_len": len(old), "new_len": len(new), "old_bytes": old.hex(),
                                                 "new_bytes": new.hex()}, ids=IDS)

    @case("ksymbol-unregistered", "KSYMBOL of a symbol that goes (flag bit 0)", "5.1")
    def _(r):
        r.kernel("ksymbol", ids=IDS, **{**VALUES["ksymbol"], "flags": 1})

    @case("bpf-unloaded", "BPF_EVENT of a program that goes", "5.1")
    def _(r):
        r.kernel("bpf_event", ids=IDS, **{**VALUES["bpf_event"], "bpf_type": 2})

    @case("aux-flags", "AUX with each of its flags", "4.1")
    def _(r):
        for flag in (1, 2, 4, 8, 0x100):
            r.kernel("aux", ids=IDS, **{**VALUES["aux"], "flags": flag})

    @case("misc-bits", "COMM with bits of misc that have no meaning there")
    def _(r):
        r.kernel("comm", misc=0x8ff8, ids=IDS, **VALUES["comm"])

    @case("unknown-type", "a record type that no kernel has: the size says where the next record is")
    def _(r):
        r.kernel("comm", ids=IDS, **VALUES["comm"])
        at = r.here()
        r.record(60, bytes(range(24)))
        r.lines.append({"type": "unknown", "type_raw": 60, "offset": at, "size": 32, "misc_raw": 0})
        r.kernel("comm", ids=IDS, **VALUES["comm"])

    @case("longer-than-known", "a record with bytes between its known fields and the words of sample_id_all: a later kernel's")
    def _(r):
        r.kernel("lost_samples", more=bytes(range(16)), ids=IDS, **VALUES["lost_samples"])


# --- samples ---

SAMPLE = dict(ip=0x401234, pid=100, tid=101, time=6_000_000_000, addr=0xffff888012345678, stream_id=77, cpu=3, period=1000, weight=44, phys_addr=0x123456000,
              cgroup=4242, data_page_size=4096, code_page_size=2 << 20, callchain=[2**64 - 512, 0x401234, 0x400100], raw=bytes(range(20)),
              branches=[(0x401010, 0x401000, 0x51), (0x401030, 0x401020, 0x6)], hw_idx=2**64 - 1, stack=bytes(range(64)), weights=(100, 20, 3),
              data_src=0x229100142, transaction=0x3, aux=bytes(range(24)),
              read={"time_enabled": 50, "time_running": 40, "values": [{"value": 100, "id": 11, "lost": 1}]})
EXTRA = {"REGS_USER": dict(sample_regs_user=0x1ff), "REGS_INTR": dict(sample_regs_intr=0x10003), "STACK_USER": dict(sample_stack_user=64),
         "BRANCH_STACK": dict(branch_sample_type=8), "READ": dict(read_format=READ["id"])}
SAMPLE_SINCE = {"BRANCH_STACK": "3.4", "REGS_USER": "3.7", "STACK_USER": "3.7", "WEIGHT": "3.10", "DATA_SRC": "3.10", "IDENTIFIER": "3.12",
                "TRANSACTION": "3.13", "REGS_INTR": "3.19", "PHYS_ADDR": "4.14", "AUX": "5.5", "CGROUP": "5.7", "DATA_PAGE_SIZE": "5.11",
                "CODE_PAGE_SIZE": "5.11", "WEIGHT_STRUCT": "5.12"}


def sample_cases():
    for bit in BIT:
        def alone(r, bit=bit):
            event = r.event("cycles", [11], type=1, sample_type=BIT[bit], sample_period=1, **EXTRA.get(bit, {}))
            r.sample(event, **SAMPLE)
            named(r)

        def between(r, bit=bit):
            event = r.event("cycles", [11], type=1, sample_type=mask("IP", "TID", "TIME", "PERIOD") | BIT[bit], sample_period=1, **EXTRA.get(bit, {}))
            r.sample(event, **SAMPLE)
            r.sample(event, **{**SAMPLE, "ip": 0x405678})
            named(r)
        since = SAMPLE_SINCE.get(bit, "2.6.31")
        both("sample-%s" % bit.lower().replace("_", "-"), "a sample of nothing but %s" % bit, alone, since=since)
        both("sample-with-%s" % bit.lower().replace("_", "-"), "samples of IP, TID, TIME, PERIOD and %s" % bit, between, since=since)

    def everything(r):
        bits = [bit for bit in BIT if bit != "WEIGHT"]
        event = r.event("cycles", [11], type=1, sample_type=mask(*bits), sample_period=1, read_format=31 - READ["group"], branch_sample_type=1 << 17 | 8,
                        sample_regs_user=0x1ff, sample_regs_intr=0x10003, sample_stack_user=64)
        r.sample(event, **SAMPLE)
        named(r)
    both("sample-everything", "a sample with every part there is", everything, since="5.12")
    for number in range(32):
        def reading(r, number=number):
            attr = dict(type=1, sample_type=mask("IDENTIFIER", "IP", "READ"), sample_period=1, read_format=number)
            event = r.event("cycles", [11], **attr)
            group = number & READ["group"]
            if group:
                r.event("instructions", [12], **attr)
            values = [{"value": 100 + i, "id": 11 + i, "lost": i} for i in range(2 if group else 1)]
            r.sample(event, read={"time_enabled": 50, "time_running": 40, "values": values})
            named(r)
        names = [name for name, bit in READ.items() if number & bit] or ["nothing"]
        both("read-%s" % "-".join(names).replace("_", "-"), "PERF_SAMPLE_READ with %s in read_format" % ", ".join(names), reading,
             since="6.0" if number & READ["lost"] else "2.6.32", must=bool(number & READ["id"]))

    def chains(r):
        event = plain_event(r, bits=("IP", "CALLCHAIN"))
        for chain in ([], [2**64 - 128, 0xffffffff81000100, 2**64 - 512, 0x401234], [0x401234] * 127, [2**64 - 32, 1, 2**64 - 2048, 2, 2**64 - 2176, 3,
                                                                                                       2**64 - 2560, 4]):
            r.sample(event, ip=0x401234, callchain=chain)
        named(r)
    both("callchain", "call chains: empty, of kernel and user, of 127 addresses, of hypervisor and guest", chains)

    def modes(r):
        event = plain_event(r)
        for misc in range(8):
            r.sample(event, misc=misc, ip=0x401234)
        r.sample(event, misc=1 << 14 | 2, ip=0x401234)
        named(r)
    both("cpumodes", "samples of each cpumode, and one with an exact ip (misc bit 14)", modes)

    def stacks(r):
        event = r.event("cycles", [11], type=1, sample_type=mask("IP", "STACK_USER"), sample_period=1, sample_stack_user=64)
        r.sample(event, ip=1, stack=b"")
        r.sample(event, ip=2, stack=bytes(range(64)), dyn_size=0)
        r.sample(event, ip=3, stack=bytes(range(64)), dyn_size=24)
        named(r)
    both("stack-user-sizes", "user stacks: none (a size of 0 has no dyn_size after it), one of 64 bytes of which 0 and 24 are stack", stacks, since="3.7")

    def no_registers(r):
        event = r.event("cycles", [11], type=1, sample_type=mask("IP", "REGS_USER"), sample_period=1, sample_regs_user=0x1ff)
        for abi in (0, 1, 2):
            r.sample(event, ip=abi, user_abi=abi)
        named(r)
    both("regs-user-abi", "user registers of a kernel thread (abi 0: no registers follow), a 32-bit and a 64-bit program", no_registers, since="3.7")

    def branches(r):
        event = r.event("cycles", [11], type=1, sample_type=mask("IP", "BRANCH_STACK"), sample_period=1, branch_sample_type=8)
        for nr in (0, 1, 32):
            r.sample(event, ip=nr, branches=[(0x401000 + 16 * i, 0x402000 + 16 * i, i << 4 | 1) for i in range(nr)])
        named(r)
    both("branch-stack-sizes", "branch stacks of 0, 1 and 32 branches", branches, since="3.4")


# --- events ---

def event_cases():
    for size in (64, 72, 80, 96, 104, 112, 120, 128, 136, 144, 152):
        def sized(r, size=size):
            event = r.event("cycles", [11], size=size, type=1, sample_type=mask("IP", "TID"), sample_period=7, rest=bytes(8))
            r.sample(event, ip=0x401234, pid=1, tid=2)
            if size >= 64:
                named(r)
        both("attr-size-%d" % size, "an attr of %d bytes" % size, sized, must=size <= 144)
        both("attr-size-%d-stream" % size, "an attr of %d bytes, in a stream" % size, lambda r, size=size: stream_attr(r, size), pipe=True, must=size <= 144)

    def two(r):
        one = r.event("cycles", [11, 12], type=1, sample_type=mask("IDENTIFIER", "IP", "TID"), sample_period=1)
        other = r.event("instructions", [21, 22], type=1, sample_type=mask("IDENTIFIER", "IP", "ADDR", "PERIOD"), sample_period=1)
        for event, id in ((one, 12), (other, 21), (other, 22), (one, 11)):
            r.sample(event, id=id, ip=0x401000 + id, pid=1, tid=2, addr=5, period=6)
        named(r)
    both("two-layouts", "two events whose samples have other parts: IDENTIFIER says which is which", two, since="3.12")

    def by_id(r):
        one = r.event("cycles", [11], type=1, sample_type=mask("IP", "TID", "ID"), sample_period=1)
        other = r.event("instructions", [12], type=1, sample_type=mask("IP", "TID", "ID"), sample_period=1)
        for event in (one, other, one):
            r.sample(event, ip=0x401000, pid=1, tid=2)
        named(r)
    both("two-events-by-id", "two events without IDENTIFIER: ID is at one place in both", by_id)

    def no_ids(r):
        event = r.event("cycles", [], type=1, sample_type=mask("IP", "TID"), sample_period=1)
        r.sample(event, ip=0x401000, pid=1, tid=2)
        named(r)
    both("no-ids", "one event without ids: samples are its", no_ids)


def stream_attr(r, size):
    event = r.event("", [11], size=size, type=1, sample_type=mask("IP", "TID"), sample_period=7, rest=bytes(8))
    at = r.here()
    r.sample(event, ip=0x401234, pid=1, tid=2)
    del r.lines[-1]["event"]
    assert at == r.lines[-1]["offset"]


# --- records of perf ---

def user_cases():
    def case(name, what, since, pipe=False):
        def take(build):
            both("user-" + name, what, lambda r: (plain_event(r), build(r), None)[2], since=since, pipe=pipe)
            return build
        return take

    def said(r, number, name, body, fields):
        r.record(number, body, 0, (name, fields))

    @case("finished-round", "FINISHED_ROUND", "2.6.34")
    def _(r):
        r.user("finished_round")

    @case("finished-init", "FINISHED_INIT", "5.19")
    def _(r):
        r.user("finished_init")

    @case("stat", "STAT of one counter", "4.5")
    def _(r):
        r.user("stat", id=11, cpu=3, thread=0, val=1000, ena=50, run=40)

    @case("stat-round", "STAT_ROUND of an interval and the last one", "4.5")
    def _(r):
        r.user("stat_round", round_type=0, time=1000)
        r.user("stat_round", round_type=1, time=2000)

    @case("time-conv", "TIME_CONV as it was first: three words", "4.3")
    def _(r):
        r.user("time_conv", time_shift=10, time_mult=20, time_zero=30)

    @case("id-index", "ID_INDEX with two entries", "3.19")
    def _(r):
        said(r, 69, "id_index", r.words(2, 11, 0, 0, -1, 12, 1, -1, 100),
             {"entries": [{"id": 11, "idx": 0, "cpu": 0, "tid": -1}, {"id": 12, "idx": 1, "cpu": -1, "tid": 100}]})

    @case("thread-map", "THREAD_MAP with two threads", "4.5")
    def _(r):
        said(r, 73, "thread_map", r.words(2, 100) + b"prog".ljust(16, b"\0") + r.words(-1) + b"all".ljust(16, b"\0"),
             {"threads": [{"pid": 100, "comm": "prog"}, {"pid": 2**64 - 1, "comm": "all"}]})

    @case("cpu-map-list", "CPU_MAP as a list", "4.5")
    def _(r):
        said(r, 74, "cpu_map", pad(r.pack("HHHHH", 0, 3, 0, 2, 5)), {"cpus": {"type_raw": 0, "list": [0, 2, 5]}})

    @case("update-unit", "EVENT_UPDATE of the unit", "4.5")
    def _(r):
        said(r, 78, "event_update", r.words(0, 11) + pad(b"MiB\0"), {"update_type_raw": 0, "id": 11, "unit": "MiB"})

    @case("update-scale", "EVENT_UPDATE of the scale", "4.5")
    def _(r):
        said(r, 78, "event_update", r.words(1, 11) + r.pack("d", 0.25), {"update_type_raw": 1, "id": 11, "scale": 0.25})

    @case("update-name", "EVENT_UPDATE of the name", "4.5")
    def _(r):
        said(r, 78, "event_update", r.words(2, 11) + pad(b"renamed\0"), {"update_type_raw": 2, "id": 11, "name": "renamed"})

    @case("auxtrace-info", "AUXTRACE_INFO of a tracer that no reader knows: its words", "4.1")
    def _(r):
        said(r, 70, "auxtrace_info", r.pack("II", 99, 0) + r.words(1, 2, 3), {"auxtrace_type_raw": 99, "priv": ["0x1", "0x2", "0x3"]})

    @case("auxtrace-error", "AUXTRACE_ERROR as it was first", "4.1")
    def _(r):
        said(r, 72, "auxtrace_error", r.pack("IIiiiIQ", 1, 5, 2, 100, 101, 0, 0x400100) + b"Lost trace data".ljust(64, b"\0"),
             {"error_type_raw": 1, "code": 5, "cpu": 2, "pid": 100, "tid": 101, "fmt": 0, "ip": "0x400100", "msg": "Lost trace data"})

    @case("auxtrace", "AUXTRACE: its payload follows the record, and is not in its size", "4.1")
    def _(r):
        said(r, 71, "auxtrace", r.words(16, 0x100, 0x1234) + r.pack("IiII", 1, 101, 3, 0),
             {"payload_size": 16, "aux_offset": "0x100", "reference": "0x1234", "idx": 1, "tid": 101, "cpu": 3})
        r.data += bytes(range(16))
        r.user("finished_round")

    @case("unknown", "a record type that no perf has", "2.6.31")
    def _(r):
        at = r.here()
        r.record(200, bytes(range(8)))
        r.lines.append({"type": "unknown", "type_raw": 200, "offset": at, "size": 16, "misc_raw": 0})
        r.user("finished_round")


# --- feature sections ---

def feature_cases():
    def case(name, since="2.6.34", **more):
        def take(build):
            def whole(r):
                plain_event(r)
                payload, said = build(r)
                r.feature(name, payload, said)
            both("feature-%s" % name.replace("_", "-"), "the section %s" % name.upper(), whole, since=since, **more)
            return build
        return take

    for name in ("hostname", "osrelease", "version", "arch", "cpudesc", "cpuid"):
        case(name, "2.6.39")(lambda r, name=name: (r.string("text of " + name), "text of " + name))

    @case("nrcpus", "2.6.39")
    def _(r):
        return r.pack("II", 8, 6), {"available": 8, "online": 6}

    @case("total_mem", "2.6.39")
    def _(r):
        return r.words(16_000_000), 16_000_000

    @case("cmdline", "2.6.39")
    def _(r):
        return r.pack("I", 3) + r.string("perf") + r.string("record") + r.string("an argument"), ["perf", "record", "an argument"]

    @case("pmu_mappings", "3.4")
    def _(r):
        return r.pack("I", 2) + r.pack("I", 4) + r.string("cpu") + r.pack("I", 1) + r.string("software"), \
            [{"type": 4, "name": "cpu"}, {"type": 1, "name": "software"}]

    @case("sample_time", "4.16")
    def _(r):
        return r.words(1000, 2000), {"first": 1000, "last": 2000}

    @case("clockid", "4.20")
    def _(r):
        return r.words(4_000_000), 4_000_000

    @case("clock_data", "5.9")
    def _(r):
        return r.pack("IIQQ", 1, 1, 1_700_000_000_000_000_000, 5_000_000_000), \
            {"version": 1, "clockid_raw": 1, "wall_clock": 1_700_000_000_000_000_000, "clockid_time": 5_000_000_000}

    @case("dir_format", "5.2")
    def _(r):
        return r.words(1), 1

    def several(r):
        plain_event(r)
        r.feature("hostname", r.string("host"), "host")
        r.feature("arch", r.string("x86_64"), "x86_64")
        r.feature("nrcpus", r.pack("II", 8, 6), {"available": 8, "online": 6})
    both("features-several", "three sections: the table has one entry for each bit, lowest first", several, since="2.6.39")

    def unknown(r):
        plain_event(r)
        r.feature("hostname", r.string("host"), "host")
        r.feature(200, bytes(range(32)))
    both("feature-unknown", "a section that no perf has: others are found all the same", unknown)


# --- containers ---

def container_cases():
    both("empty", "a recording without a record: it looks like one whose recorder was killed at once", lambda r: (plain_event(r), None)[1], must=False)
    both("empty-stream", "a stream without a record", lambda r: None, pipe=True)

    def fill(r):
        event = plain_event(r)
        r.kernel("comm", **VALUES["comm"])
        for i in range(3):
            r.sample(event, ip=0x401000 + i, pid=1, tid=2, time=3 + i)
        named(r)
        return r

    for big in (False, True):
        suffix = "-be" if big else "-le"
        r = fill(Recording(big=big))
        add("order" + suffix, "records in the byte order that the magic says", r)
        r = Recording(big=big)
        event = plain_event(r)
        r.kernel("comm", **VALUES["comm"])
        for i in range(3):
            r.sample(event, ip=0x401000 + i, pid=1, tid=2, time=3 + i)
        for line in r.lines:
            line.pop("event", None)
        add("unfinished" + suffix, "a recording whose writer was killed: the header says that there are 0 bytes of data, and records go on to the end of the "
            "file", r, must=False, data=r.bytes(data_size=0, sections=False))
        r = fill(Recording(big=big))
        add("trailing-bytes" + suffix, "bytes after the last section: nobody asks for them", r, data=r.bytes() + b"anything")


# --- damage: what a reader says of the rest, and that something is wrong ---

def damage_cases():
    def records(r, nr=4):
        event = plain_event(r, bits=("IP", "TID", "TIME"))
        for i in range(nr):
            r.sample(event, ip=0x401000 + i, pid=1, tid=2, time=3 + i)
            del r.lines[-1]["event"]
        return r

    for big in (False, True):
        suffix = "-be" if big else "-le"
        r = records(Recording(big=big))
        whole = r.bytes()
        for cut, what in ((4, "in the header of a record"), (20, "in a record"), (32, "between two records")):
            end = r.lines[2]["offset"] + cut
            add("cut-%d%s" % (cut, suffix), "a file that ends early, %s: what is whole is delivered" % what, r, valid=False, data=whole[:end],
                lines=[r.expected()[0]] + r.lines[:2 + (cut == 32)])
        for size, what in ((0, "size 0"), (4, "a size smaller than its own header"), (7, "a size that is no multiple of 8, below 8")):
            r = Recording(big=big)
            records(r, 2)
            before = list(r.lines)
            r.record(9, bytes(24), size=size)
            add("record-size-%d%s" % (size, suffix), "a record with %s: what comes before it is delivered" % what, r, valid=False,
                lines=[r.expected()[0]] + before)
        r = Recording(big=big)
        event = r.event("cycles", [11], type=1, sample_type=mask("IP", "CALLCHAIN"), sample_period=1)
        r.record(9, r.words(0x401000, 2**60, 1, 2))
        add("callchain-count" + suffix, "a call chain that says it has more addresses than its record: none is read beyond the record", r, valid=False,
            lines=[r.expected()[0]])
        for magic in (b"PERFILE1", b"ELF\x7f----", bytes(8)):
            r = records(Recording(big=big))
            add("magic-%s%s" % (magic.hex(), suffix), "a file that is no recording", r, valid=False, data=r.bytes(magic=magic), lines=[])
        r = records(Recording(big=big))
        for size in (1, 8, 15, 64, 103):
            add("header-cut-%d%s" % (size, suffix), "a file of %d bytes, which is less than a header" % size, r, valid=False,
                data=r.bytes()[:size], lines=[])


for family in (kernel_cases, kernel_variants, sample_cases, event_cases, user_cases, feature_cases, container_cases, damage_cases):
    family()
assert len({case["name"] for case in CASES}) == len(CASES)
assert FEATURE and hexadecimal
