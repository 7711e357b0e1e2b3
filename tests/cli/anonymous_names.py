#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What `perfdata anonymize` keeps: names of events, comms, PMUs, units and versions that the kernel and perf spell exactly so, and no others; addresses by
their shape, also those of thousands of mappings. Secrets in unknown records and sections, in gaps between sections, after the end, in both byte orders, as a file and as a stream. TAP."""
import json
import os
import re
import struct
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import program  # noqa: E402
from builder import CALLCHAIN, CONTEXT_KERNEL, CONTEXT_USER, IDENTIFIER, IP, KERNEL, TID, TIME, Recording  # noqa: E402

SECRET = b"SeCrEt"
TYPES = IP | TID | TIME | IDENTIFIER | CALLCHAIN
TRACEPOINT, SOFTWARE, HARDWARE, CACHE, RAW = 2, 1, 0, 3, 4
# name, (type, config): of the kernel and of perf
KEPT = [("cycles", (HARDWARE, 0)), ("cycles:u", (HARDWARE, 0)), ("instructions:ppk", (HARDWARE, 1)), ("cpu-clock", (SOFTWARE, 0)),
        ("L1-dcache-loads", (CACHE, 0)), ("sched:sched_switch", (TRACEPOINT, 1)), ("sched:sched_waking:u", (TRACEPOINT, 2)),
        ("syscalls:sys_enter_openat", (TRACEPOINT, 3)), ("raw_syscalls:sys_exit", (TRACEPOINT, 4)), ("block:block_rq_issue", (TRACEPOINT, 5)),
        ("kvm:kvm_exit", (TRACEPOINT, 6)), ("ext4:ext4_da_write_begin", (TRACEPOINT, 7))]
# probes of the user in any group, SDT, user_events, modules of others, BPF, and names that begin as those of the kernel do
HIDDEN = [("SeCrEt", (HARDWARE, 0)), ("cycles:SeCrEt", (HARDWARE, 0)), ("sched:SeCrEt", (TRACEPOINT, 10)), ("sched:sched_switch_SeCrEt", (TRACEPOINT, 11)),
          ("sched:sched_switch:SeCrEt", (TRACEPOINT, 12)), ("probe_SeCrEt:main", (TRACEPOINT, 13)), ("probe:SeCrEt", (TRACEPOINT, 14)),
          ("SeCrEt:sched_switch", (TRACEPOINT, 15)), ("sdt_SeCrEt:event", (TRACEPOINT, 16)), ("user_events:SeCrEt", (TRACEPOINT, 17)),
          ("synthetic:SeCrEt", (TRACEPOINT, 18)), ("syscalls:sys_enter_SeCrEt", (TRACEPOINT, 19)), ("/home/SeCrEt.bpf.o", (SOFTWARE, 10)),
          ("cpu/event=1,name=SeCrEt/", (RAW, 0x1234)), ("sched: sched_switch SeCrEt", (TRACEPOINT, 20)), ("L1-dcache-loadsSeCrEt", (CACHE, 0))]
KEPT_COMMS = ["swapper", "swapper/0", "swapper/12", "swapper/4095"]
HIDDEN_COMMS = ["swapper/SeCrEt", "swapper/", "swapper/01", "swapper/-1", "swapperSeCrEt", "swapper/48321", "swapper 1", "Swapper/1", "swapper/1SeCrEt"]
KEPT_RELEASES = {"6.1.0-13-SeCrEt": "6.1.0", "6.12": "6.12", "5.15.167.4-SeCrEt": "5.15.167", "192.168.17.5": "", "SeCrEt": "", "4194304.1": "",
                 "6.1234567": "6"}


def recording(big, pipe):
    r = Recording(big=big, pipe=pipe)
    for number, (name, (type, config)) in enumerate(KEPT + HIDDEN):
        r.event(name, ids=[100 + number], type=type, config=config, sample_type=TYPES, sample_id_all=1)
    if pipe:
        for number, (name, _) in enumerate(KEPT + HIDDEN):
            r.record(78, r.words([2, 100 + number]) + r.text(name))
    first = r.events[0]
    for number, comm in enumerate(KEPT_COMMS + HIDDEN_COMMS):
        r.comm(0 if comm in KEPT_COMMS else 50 + number, 0 if comm in KEPT_COMMS else 50 + number, comm, time=5, id=100)
    r.mmap(-1, 0, 0xffffffff9b200000, 2**64 - 1 - 0xffffffff9b200000, 0xffffffff9b200000, "[kernel.kallsyms]_text", misc=KERNEL, time=5, id=100)
    r.mmap(60, 60, 0x4b1f2000, 0x3000, 0x1000, "/opt/SeCrEt/prog", time=6, id=100)
    r.mmap(60, 60, 0x7a5b4c1f2000, 0x3000, 0x1000, "/opt/SeCrEt/libSeCrEt.so.4923191", time=6, id=100)
    r.mmap(60, 60, 0x7a5b5c1f2000, 0x3000, 0x7a5b5c1f2000, "//anon", time=6, id=100)
    r.mmap(60, 60, 0x7a5b6c1f2000, 0x3000, 0x3b9f7000, "/dev/mem", time=6, id=100)
    chain = [CONTEXT_KERNEL, 0xffffffff9b3fd5d4, 0x4b1f37e8, CONTEXT_USER, 0x4b1f37e8, 0x7a5b4c1f35d4]
    for event in r.events:
        r.sample(event, pid=60, tid=60, time=7, ip=0x4b1f37e8, misc=KERNEL, callchain=chain)
        r.sample(event, pid=61, tid=61, time=8, ip=0x4b7f37e8, misc=KERNEL, callchain=chain)
    for type in (28, 63, 99, 500):
        r.record(type, SECRET * 8, event=first, trailer=b"" if type >= 64 else None)
    r.feature(3, r.string("SeCrEt-host"))
    r.feature(4, r.string("6.1.0-13-SeCrEt"))
    r.feature(5, r.string("7.3.SeCrEt"))
    r.feature(6, r.string("x86_64"))
    r.feature(15, r.pack("I", 3) + b"".join(r.pack("I", n) + r.string(name) for n, name in enumerate(("cpu", "SeCrEt_pmu", "uncore_imc_7"))))
    if not pipe:
        r.feature(12, r.event_desc())
        r.feature(120, SECRET * 9)
    return r.file()


def with_gaps(data, order):
    """Secrets after the last section, and between the table of sections and the first section."""
    data = bytearray(data)
    at, size = struct.unpack_from(order + "QQ", data, 40)
    table = at + size
    count = sum(bin(word).count("1") for word in struct.unpack_from(order + "4Q", data, 72))
    gap = SECRET * 16
    body = table + 16 * count
    for n in range(count):
        place, length = struct.unpack_from(order + "QQ", data, table + 16 * n)
        struct.pack_into(order + "QQ", data, table + 16 * n, place + len(gap), length)
    return bytes(data[:body]) + gap + bytes(data[body:]) + gap


def is_there(number, made):
    """Whether bytes contain a number, as 4 bytes or as text. Digits within others are chance: new names are digits, too."""
    half = number & 0xffffffff
    texts = (rb"(?<![0-9a-f])%x(?![0-9a-f])" % number, rb"(?<![0-9a-f])%d(?![0-9a-f])" % number)
    return any(struct.pack(order + "I", half) in made for order in "<>") or any(re.search(text, made) for text in texts)


ADDRESSES = [0xffffffff9b200000, 0x4b1f2000, 0x7a5b4c1f2000, 0x7a5b5c1f2000, 0x7a5b6c1f2000, 0x3b9f7000, 0xffffffff9b3fd5d4, 0x4b1f37e8, 0x7a5b4c1f35d4,
             0x4b7f37e8, 2**64 - 1 - 0xffffffff9b200000, 4923191, 48321]


def lines(path):
    return [json.loads(line) for line in program.run("ndjson", "-q", "--symbols", "no", path).out.splitlines()]


def check(folder, big, pipe):
    path, out = os.path.join(folder, "in.data"), os.path.join(folder, "out.data")
    data = recording(big, pipe)
    with open(path, "wb") as f:
        f.write(data if pipe else with_gaps(data, ">" if big else "<"))
    done = program.run("anonymize", "-q", "--force", "--compress", "none", path, "-o", out)
    if not os.path.exists(out):
        return "exit code %d: %s" % (done.code, done.err.decode()[-300:])
    with open(out, "rb") as f:
        made = f.read()
    if SECRET in made or SECRET.decode().encode("utf-16-le") in made:
        at = made.index(SECRET)
        return "a name is still there: %r" % made[max(0, at - 30):at + 30]
    for number in ADDRESSES:
        if is_there(number, made):
            return "an address is still there: %#x" % number
    records = lines(out)
    names = [event["name"] for event in records[0]["events"]]
    wrong = [name for name, _ in KEPT if name not in names]
    if wrong:
        return "names of the kernel's events are gone: %s (%s)" % (wrong, names)
    comms = [record["comm"] for record in records if record["type"] == "comm"]
    if [comm for comm in comms if not re.fullmatch(r"c[0-9a-f]{10}", comm)] != KEPT_COMMS:
        return "comms: %s" % comms
    samples = [record for record in records if record["type"] == "sample"]
    if len(samples) != 2 * len(KEPT + HIDDEN):
        return "%d samples" % len(samples)
    # still useful: the address of the program is where its mapping is, in samples of the kernel and of the program
    maps = [(int(record["addr"], 16), record["len"], record["filename"]) for record in records if record["type"] == "mmap"]
    start, length, _ = next(m for m in maps if m[2].startswith("/opt/") and m[1] == 0x3000 and not m[2].endswith(".so"))
    for address in (samples[0]["ip"], samples[0]["callchain"][2], samples[0]["callchain"][4]):
        if not start <= int(address, 16) < start + length or int(address, 16) - start != 0x17e8:
            return "an address of the program is at %s, its mapping at %#x" % (address, start)
    kernel = next(m for m in maps if m[2].startswith("[kernel"))
    if not kernel[0] <= int(samples[0]["callchain"][1], 16) < kernel[0] + kernel[1]:
        return "an address of the kernel is at %s, the kernel at %#x+%#x" % (samples[0]["callchain"][1], *kernel[:2])
    return None


def check_releases(folder):
    for release, kept in KEPT_RELEASES.items():
        r = Recording()
        r.event("cycles", type=0, sample_type=IP)
        r.sample(r.events[0], ip=1)
        r.feature(4, r.string(release))
        path, out = os.path.join(folder, "r.data"), os.path.join(folder, "r2.data")
        r.save(path)
        program.run("anonymize", "-q", "--force", path, "-o", out)
        found = lines(out)[0]["features"].get("osrelease")
        if (found or "") != kept:
            return "%r became %r" % (release, found)
    return None


def check_low_kernel(folder):
    """A kernel of a machine of 32 bits: its addresses move together, and a program's beside them."""
    r = Recording()
    r.event("cycles", ids=[1], type=0, sample_type=TYPES, sample_id_all=1)
    r.mmap(-1, 0, 0xc0101000, 0x700000, 0xc0101000, "[kernel.kallsyms]_text", misc=KERNEL, time=5, id=1)
    r.mmap(-1, 0, 0xbf1f2000, 0x5000, 0, "[SeCrEt]", misc=KERNEL, time=5, id=1)
    r.mmap(60, 60, 0x4b1f2000, 0x3000, 0x1000, "/opt/SeCrEt", time=5, id=1)
    for start, size in ((0xc07ff000, 0x5000), (0xbf1f6000, 0x1000), (0xbf1f0000, 0x1000), (0xbf1ef000, 0x20000)):    # some overlap, one has all others
        r.mmap(-1, 0, start, size, 0, "[more]", misc=KERNEL, time=5, id=1)
    for ip in (0xc0155e4c, 0xbf1f35d4, 0x4b1f37e8, 0xc0803d54, 0xbf1f6d54, 0xbf1f0d54, 0xbf20ed54):
        r.sample(r.events[0], pid=60, tid=60, time=7, ip=ip, misc=KERNEL)
    r.feature(6, r.string("armv7l"))
    path, out = os.path.join(folder, "low.data"), os.path.join(folder, "low2.data")
    r.save(path)
    program.run("anonymize", "-q", "--force", "--compress", "none", path, "-o", out)
    with open(out, "rb") as f:
        made = f.read()
    for number in (0xc0101000, 0xbf1f2000, 0x4b1f2000, 0xc0155e4c, 0xbf1f35d4, 0x4b1f37e8, 0xc0803d54, 0xbf1f6d54, 0xbf20ed54):
        if is_there(number, made):
            return "an address is still there: %#x" % number
    records = lines(out)
    maps = [int(record["addr"], 16) for record in records if record["type"] == "mmap"]
    ips = [int(record["ip"], 16) for record in records if record["type"] == "sample"]
    if [ip - start for ip, start in zip(ips, maps)] != [0x54e4c, 0x15d4, 0x17e8, 0x4d54, 0xd54, 0xd54, 0x1fd54]:
        return "addresses are not in their mappings: %s, %s" % (["%#x" % ip for ip in ips], ["%#x" % start for start in maps])
    if records[0]["features"].get("arch") != "armv7l":
        return "the machine is gone"
    return None


def follow(records):
    """The mappings and samples of recordings with mappings of whole pages: (pid, first page, number of pages), (pid, page, offset in it, None), forks."""
    for record in records:
        if record["type"] == "mmap":
            yield "map", record["pid"], int(record["addr"], 16) >> 12, record["len"] >> 12
        elif record["type"] == "sample":
            yield "sample", record["pid"], int(record["ip"], 16) >> 12, int(record["ip"], 16) & 4095
        elif record["type"] == "fork":
            yield "fork", record["pid"], record["ppid"], None


def moved_wrongly(before, after):
    """Follows the pages of each process and where they are now. No page of a new mapping may be where another page is, and samples must move with theirs."""
    places, old, new = {}, list(follow(before)), list(follow(after))
    if [(kind, pid) for kind, pid, *_ in old] != [(kind, pid) for kind, pid, *_ in new]:
        return "records are gone: %d of %d are left" % (len(new), len(old))
    for number, ((kind, pid, at, size), (_, _, moved, moved_size)) in enumerate(zip(old, new)):
        pages, taken = places.setdefault(pid, ({}, set()))
        if kind == "fork":
            places[pid] = tuple(kind(part) for kind, part in zip((dict, set), places[at]))
            continue
        if size != moved_size:
            return "record %d: a size or an offset in a page has changed" % number
        if kind == "sample":
            if pages.get(at) != moved:
                return "sample %d is at %#x, its page at %s" % (number, moved << 12, pages.get(at))
            continue
        taken -= {pages.pop(page) for page in range(at, at + size) if page in pages}
        for n in range(size):
            if moved + n in taken:
                return "mapping %d is at %#x, where another one is" % (number, moved + n << 12)
            pages[at + n] = moved + n
            taken.add(moved + n)
    return None


def check_many_maps(folder):
    """Thousands of mappings of one name: more than a file has places of its own. Some are replaced, a child has those of its parent, and more."""
    r = Recording()
    event = r.event("cycles", ids=[1], type=0, sample_type=TYPES, sample_id_all=1)
    most, time = 6000, 5

    def add(pid, start, pages, number):
        nonlocal time
        time += 1
        r.mmap(pid, pid, start, pages << 12, number << 12, "/opt/SeCrEt", time=time, id=1)

    def sample(pid, address):
        nonlocal time
        time += 1
        r.sample(event, pid=pid, tid=pid, time=time, ip=address, callchain=[CONTEXT_USER, address])

    top = 0x7a5b4c1f2000
    for number in range(most):
        add(60, top - 0x1000 * number, 1, number % 7)
        sample(60, top - 0x1000 * (number // 2) + 0x123)
    for number in range(0, most, 3):
        sample(60, top - 0x1000 * number + 0x456)
    for number in range(0, most, 100):
        add(60, top - 0x1000 * number - 0x3000, 3, 9)   # in place of three, and then a hole in its middle
        add(60, top - 0x1000 * number - 0x2000, 1, 8)
        for page in range(-4, 2):
            sample(60, top - 0x1000 * max(0, number + page) + 0x789)
    r.task(7, 61, 60, 61, 60, time + 1, id=1)
    time += 1
    for number in range(200):
        add(61, top + 0x10000 * (number + 1), 2, number)
        add(60, top + 0x20000 * (number + 1), 5, number)
        sample(61, top + 0x10000 * (number + 1) + 0x1abc)
        sample(60, top + 0x20000 * (number + 1) + 0x4abc)
        sample(61, top - 0x1000 * number + 0xdef)
    path, out, again, key = (os.path.join(folder, name) for name in ("many.data", "many2.data", "many3.data", "key"))
    r.save(path)
    with open(key, "w", encoding="utf-8") as file:
        file.write("a key of many bytes")
    for name in (out, again):
        done = program.run("anonymize", "-q", "--force", "--keep", "pids", "--key", key, path, "-o", name)
        if done.code:
            return "exit code %d: %s" % (done.code, done.err)
    with open(out, "rb") as one, open(again, "rb") as other:
        if one.read() != other.read():
            return "one key, but two results"
    return moved_wrongly(lines(path), lines(out))


def check_no_room(folder):
    """Mappings that no address space holds at one time: an error, no output that looks complete."""
    r = Recording()
    event = r.event("cycles", ids=[1], type=0, sample_type=TYPES, sample_id_all=1)
    path, out = os.path.join(folder, "large.data"), os.path.join(folder, "large2.data")
    for number in range(16):
        r.mmap(60, 60, (number + 1) << 44, 1 << 44, 0, "/opt/SeCrEt", time=5, id=1)
        r.sample(event, pid=60, tid=60, time=6, ip=(number + 1) << 44, callchain=[])
    r.save(path)
    done = program.run("anonymize", "-q", "--force", path, "-o", out)
    said = b"error: a process has more mappings at one time than fit into an address space"
    return None if done.code == 6 and said in done.err and not os.path.exists(out) else "exit code %d: %s" % (done.code, done.err)


def main():
    cases = [("%s, %s-endian" % ("stream" if pipe else "file", "big" if big else "little"), lambda folder, big=big, pipe=pipe: check(folder, big, pipe))
             for pipe in (False, True) for big in (False, True)]
    cases += [("versions", check_releases), ("a kernel below 4 GiB", check_low_kernel), ("thousands of mappings", check_many_maps),
              ("more mappings than an address space holds", check_no_room)]
    bad = 0
    for name, run in cases:
        # each run has a new key: what stays is there with any, but a new pid has the bytes of a secret number once in some hundred runs
        for _key in range(3):
            with tempfile.TemporaryDirectory() as folder:
                problem = run(folder)
            if not problem:
                break
        bad += problem is not None
        print("%s - nothing but what is on the lists stays: %s" % ("not ok" if problem else "ok", name))
        if problem:
            print("# %s" % problem)
    print("1..%d" % len(cases))
    return bad != 0


if __name__ == "__main__":
    sys.exit(main())
