#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Recordings made up, and one made in a pid namespace, as perf prints them: numbers beyond 2^31 and 2^63 in every field of every record of the
kernel and of samples; tasks that a pid namespace calls 0; modules that overlap. Prints TAP. PERF names a perf of version 7 to compare with."""
import os
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from builder import *   # noqa: F403: the names of sample bits
from program import PERFDATA

PERF = os.environ.get("PERF", "perf")
FORK, EXIT, READ = 7, 4, 8
results = []


def run(*words):
    return subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=300)


def compare(title, path, perf, ours):
    theirs, mine = run(PERF, *perf, "-f", "-i", path), run(PERFDATA, *ours, "-q", path)
    one, other = theirs.stdout.split(b"\n"), mine.stdout.split(b"\n")
    odd = [(a, b) for a, b in zip(one, other) if a != b]
    good = one == other and len(one) > 2
    results.append(good)
    print(f"{'ok' if good else 'not ok'} {len(results)} - {title}: {len(one)} lines")
    if not good:
        print(f"# {len(one)} and {len(other)} lines, {len(odd)} differ; {theirs.stderr[-200:]!r} {mine.stderr[-200:]!r}")
    for a, b in odd[:3]:
        print(f"# perf {a[:300]!r}\n# ours {b[:300]!r}")


def compare_script(title, recording, folder):
    path = os.path.join(folder, "made.data")
    recording.save(path)
    fields = ["-F", "comm,pid,tid,time,ip,sym,dso"]
    compare(title, path, ["script", "--no-itrace", *fields], ["script", "--symbols", "no", *fields])


# --- numbers ----------------------------------------------------------------------------------------------------------

def kernel_bodies(wide, narrow):
    """Bodies of every record of the kernel by its type; `wide` in words of 64 bits, `narrow` in those of 32 and, cut, of 16."""
    def words(*values):
        return struct.pack(f"={len(values)}Q", *values)

    def halves(*values):
        return struct.pack(f"={len(values)}I", *values)

    def quarters(*values):
        return struct.pack(f"={len(values)}H", *(value & 0xffff for value in values))
    text = pad(b"text\0")
    return {1: halves(narrow, narrow) + words(wide, wide, wide) + text, 2: words(wide, wide), 3: halves(narrow, narrow) + text,
            4: halves(narrow, narrow, narrow, narrow) + words(wide), 5: words(wide, wide, wide), 6: words(wide, wide, wide),
            7: halves(narrow, narrow, narrow, narrow) + words(wide),
            10: halves(narrow, narrow) + words(wide, wide, wide) + halves(narrow, narrow) + words(wide, wide) + halves(narrow, narrow) + text,
            11: words(wide, wide, wide), 12: halves(narrow, narrow), 13: words(wide), 14: b"", 15: halves(narrow, narrow),
            16: halves(narrow, narrow) + words(2, wide, wide, wide, wide), 17: words(wide) + halves(narrow) + quarters(narrow, narrow) + text,
            18: quarters(narrow, narrow) + halves(narrow) + b"12345678", 19: words(wide) + text,
            20: words(wide) + quarters(4, 4) + b"abcdefgh" + bytes(4), 21: words(wide)}


def numbers_of_records(wide, narrow):
    r = Recording()
    event = r.event("cycles", [11], period=1, read_format=ENABLED | RUNNING | READ_ID, sample_type=IP | TID | TIME | CPU | IDENTIFIER, sample_id_all=1)
    for type, body in kernel_bodies(wide, narrow).items():
        r.record(type, body, misc=USER, id=11, pid=narrow, tid=narrow, time=wide, cpu=3)
        r.record(type, body, misc=USER | 1 << 13, id=11, pid=narrow, tid=narrow, time=7, cpu=3)
    r.record(READ, r.pack("II", narrow, narrow) + r.words([wide, wide, wide, 11]), id=11, pid=narrow, tid=narrow, time=8)
    r.sample(event, ip=0x1000, pid=1, tid=1, time=9)
    r.feature(7, r.pack("II", 4, 4))
    return r


def numbers_of_samples(wide, narrow):
    r = Recording()
    bits = IP | TID | TIME | ADDR | CPU | PERIOD | STREAM_ID | WEIGHT | DATA_SRC | TRANSACTION | PHYS_ADDR | CGROUP | \
        DATA_PAGE_SIZE | CODE_PAGE_SIZE | CALLCHAIN | BRANCH_STACK | READ_BIT | IDENTIFIER
    event = r.event("cycles", [11], period=1, sample_type=bits, read_format=ENABLED | RUNNING | READ_ID | LOST, sample_id_all=1,
                    branch_sample_type=1 << 3)
    for time in (9, wide):
        r.sample(event, ip=wide, pid=narrow, tid=narrow, time=time, addr=wide, stream_id=wide, cpu=3, period=wide, weight=wide, data_src=wide,
                 transaction=wide, phys_addr=wide, cgroup=wide, data_page_size=wide, code_page_size=wide, callchain=[CONTEXT_USER, wide, 2**31 + 5],
                 branches=[(wide, wide, 1)], read=[(wide, 11, wide)], enabled=wide, running=wide)
    r.feature(7, r.pack("II", 4, 4))
    return r


READ_BIT = 1 << 4   # "READ" is the record here


# --- threads, modules -------------------------------------------------------------------------------------------------

def threads(seed):
    """Tasks at random, many of them 0."""
    chance = random.Random(seed)
    r = Recording()
    event = r.event("cycles", [11], period=1, sample_type=IP | TID | TIME, sample_id_all=1)
    numbers = [0, 0, 0, 0, 5, 6, 7]
    for time in range(1, 400):
        pid, other = chance.choice(numbers), chance.choice(numbers)
        tid = pid * 10 + 1 if pid and not chance.randrange(4) else pid
        what = chance.randrange(10)
        if what == 0:
            r.comm(pid, tid, f"comm{time}", time=time)
        elif what in (1, 2):
            r.mmap2(pid, tid, 0x400000, 0x100000, 0, f"/bin/file{time}", time=time)
        elif what == 3:
            # a process of another one, or a thread
            r.task(FORK, pid, other if tid == pid else pid, tid, other if tid == pid else pid, time)
        elif what == 4:
            r.task(FORK, pid, pid, tid, tid, time)
        elif what == 5:
            r.task(EXIT, pid, pid, tid, tid, time)
        r.sample(event, ip=0x401000, pid=pid, tid=tid, time=time)
    r.feature(7, r.pack("II", 4, 4))
    return r


def modules(seed, ranges=None):
    chance = random.Random(seed)
    base = 0xffffffffc0000000
    ranges = ranges or [(base + 0x1000 * chance.randrange(64), 0x1000 * chance.randrange(1, 40)) for _ in range(chance.choice([2, 3, 5, 10, 60]))]
    r = Recording()
    event = r.event("cycles", [11], period=1, sample_type=IP | TID | TIME, sample_id_all=1)
    if seed % 2:
        r.mmap(-1, 0, 0xffffffff81000000, 0x1000000, 0xffffffff81000000, "[kernel.kallsyms]_text", misc=KERNEL)
    r.comm(1, 1, "prog", time=1)
    for number, (start, size) in enumerate(ranges):
        r.mmap(-1, 0, start, size, 0, f"[module{number}]", misc=KERNEL)
    addresses = [start + more for start, size in ranges for more in (0, 16, size - 1, size, size // 2)]
    for number, address in enumerate(addresses):
        r.sample(event, misc=KERNEL, ip=address, pid=1, tid=1, time=2 + number)
    r.feature(7, r.pack("II", 4, 4))
    return r


def check_namespace(folder):
    path = os.path.join(folder, "namespace.data")
    made = None
    if not os.geteuid() and shutil.which("unshare"):
        outside = subprocess.Popen(["sh", "-c", "while :; do true | true; ls -lR /etc >/dev/null; done"], stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        made = run("unshare", "-p", "-f", "--mount-proc", PERF, "record", "-q", "-a", "-g", "-e", "cpu-clock", "-F", "199", "-o", path, "sleep", "1")
        outside.kill()
        outside.wait()
    if not made or made.returncode:
        results.append(True)
        print(f"ok {len(results)} - recorded in a pid namespace # SKIP not as root, or perf cannot record")
        return
    # names of the kernel and of files do not depend on threads, and are compared elsewhere
    fields = ["-F", "comm,pid,tid,cpu,time,event,ip,dso"]
    compare("recorded in a pid namespace", path, ["script", "--no-itrace", "--no-inline", *fields], ["script", "--no-inline", *fields])


def main():
    version = run(PERF, "--version").stdout.decode("utf-8", "replace") if shutil.which(PERF) else ""
    if not re.match(r"perf version 7\.", version):
        print(f"1..0 # SKIP no perf 7 here ({version.strip() or 'no perf'}); PERF names one")
        return 0
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "numbers.data")
        for wide, narrow in ((2**63 + 5, 2**31 + 7), (2**64 - 1, 2**32 - 1), (2**64 - 2, 2**32 - 2), (2**63 - 1, 2**31 - 1), (2**32 + 3, 2**16 + 1)):
            for what, build in (("records", numbers_of_records), ("samples", numbers_of_samples)):
                build(wide, narrow).save(path)
                compare(f"numbers of {what}: {wide:#x}, {narrow:#x}", path, ["script", "-D", "--no-itrace"], ["dump"])
        for seed in range(8):
            compare_script(f"threads {seed}", threads(seed), folder)
        for seed in range(8):
            compare_script(f"modules {seed}", modules(seed), folder)
        pair = [(0xffffffffc134a000, 0x88000), (0xffffffffc13af000, 0x9000)]
        for seed in range(2):
            compare_script(f"modules, one inside the other {seed}", modules(seed, pair), folder)
            compare_script(f"modules, the inner one first {seed}", modules(seed, pair[::-1]), folder)
        check_namespace(folder)
    print(f"1..{len(results)}")
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
