#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Functions of the vdso have their names where this host was recorded, also by recordings of user code alone, which have no map of the
kernel; and they have none where nothing says that it was this host, or another one was recorded. The kernel gives the vdso of 32-bit processes
the same name; its image is in perf's cache as "[vdso32]". Prints TAP; needs readelf."""
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from builder import Recording, IP, TID, TIME
from elf_program import Elf
from program import TOP, run

HOSTNAME, OSRELEASE = 3, 4
START = 0x7fff00000000


def functions(folder):
    """Names by offset, of the image that the kernel gave this process."""
    with open("/proc/self/maps", encoding="ascii", errors="replace") as maps:
        spans = [re.match(r"([0-9a-f]+)-([0-9a-f]+)", line) for line in maps if line.rstrip().endswith("[vdso]")]
    if not spans:
        return {}, 0
    start, end = (int(text, 16) for text in spans[0].groups())
    image = os.path.join(folder, "vdso.so")
    with open("/proc/self/mem", "rb", 0) as memory, open(image, "wb") as out:
        memory.seek(start)
        out.write(memory.read(end - start))
    table = subprocess.run(["readelf", "-W", "--dyn-syms", image], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, universal_newlines=True).stdout
    rows = re.findall(r"([0-9a-f]{8,16}) +(\d+) +FUNC +GLOBAL +DEFAULT +\d+ (__\w+)", table)
    return {int(value, 16): name for value, size, name in rows if int(size)}, end - start


def named(folder, wanted, size, features):
    recording = Recording()
    for number, text in features.items():
        recording.feature(number, recording.string(text))
    event = recording.event("cycles:u", ids=[1], type=0, sample_type=IP | TID | TIME, sample_id_all=1)
    recording.comm(100, 100, "program", time=1)
    recording.mmap2(100, 100, START, size, 0, "[vdso]", time=2)
    for i, at in enumerate(sorted(wanted)):
        recording.sample(event, ip=START + at, pid=100, tid=100, time=3 + i)
    path = os.path.join(folder, "perf.data")
    recording.save(path)
    out = run("script", "-q", "-F", "ip,sym", path).out.decode()
    return {int(ip, 16) - START: name for ip, name in re.findall(r"([0-9a-f]+) (\S+)", out)}


def is_compat_found(folder):
    """Two processes, of 32 and of 64 bits; perf's cache has the image of the first one's vdso."""
    elf = Elf(os.path.join(TOP, "testdata", "unwind", "i386"))
    note = b"\4\0\0\0\x14\0\0\0\3\0\0\0GNU\0"
    at = elf.bytes.index(note) + len(note)
    build_id = elf.bytes[at:at + 20]
    cached = os.path.join(folder, ".debug", ".build-id", build_id.hex()[:2], build_id.hex()[2:])
    os.makedirs(cached)
    with open(os.path.join(cached, "vdso"), "wb") as out:
        out.write(elf.bytes)
    recording = Recording()
    recording.feature(2, struct.pack("<IHHi24s64s", 0, 2, 100, -1, build_id, b"[vdso32]"))
    event = recording.event("cycles:u", ids=[1], type=0, sample_type=IP | TID | TIME, sample_id_all=1)
    leaf = elf.symbols["leaf"] - elf.start + elf.pgoff
    for pid, start in ((100, 0xf7f49000), (200, START)):
        recording.comm(pid, pid, "program", time=1)
        recording.mmap2(pid, pid, start, 0x3000, 0, "[vdso]", time=2)
        recording.sample(event, ip=start + leaf, pid=pid, tid=pid, time=3)
    path = os.path.join(folder, "compat.data")
    recording.save(path)
    shown = run("script", "-q", "-F", "ip,sym,dso", path, env=dict(os.environ, HOME=folder)).out.decode().split("\n")
    return "leaf ([vdso32])" in shown[0] and "[unknown] ([vdso])" in shown[1], shown


def main():
    with tempfile.TemporaryDirectory() as folder:
        wanted, size = functions(folder) if shutil.which("readelf") else ({}, 0)
        if not wanted:
            print("1..0 # SKIP no readelf, or no vdso")
            return 0
        host = os.uname()
        nameless = {at: "[unknown]" for at in wanted}
        cases = (("this host", {HOSTNAME: host.nodename, OSRELEASE: host.release}, wanted),
                 ("another host", {HOSTNAME: host.nodename + "-2", OSRELEASE: host.release}, nameless),
                 ("another kernel", {HOSTNAME: host.nodename, OSRELEASE: host.release + "-2"}, nameless),
                 ("nothing is known", {}, nameless))
        failed = 0
        for number, (title, features, expected) in enumerate(cases, 1):
            found = named(folder, wanted, size, features)
            # two functions may share an address
            wrong = [(hex(at), name, found.get(at)) for at, name in expected.items() if (found.get(at) or "")[-6:] != name[-6:]]
            failed += bool(wrong)
            print("%s %d - %s: %d functions" % ("not ok" if wrong else "ok", number, title, len(expected)))
            if wrong:
                print("# %r" % wrong[:4])
        good, shown = is_compat_found(folder)
        failed += not good
        print("%s %d - a process of 32 bits%s" % ("ok" if good else "not ok", len(cases) + 1, "" if good else "\n# %r" % shown))
        print("1..%d" % (len(cases) + 1))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
