#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Large programs and libraries that compilers made stay below all bounds of work and memory: names and lines of addresses all over their code give no
finding W806. Prints TAP; those that are not installed are skipped."""
import glob
import os
import shutil
import struct
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from hostile_recordings import comm, join, mmap2, sample
from program import BUILD, PERFDATA, Tap, run

START = 0x7f0000000000
SAMPLES = 500
PLACES = ("/usr/lib/gcc/*/*/cc1plus", "/usr/lib/*/libLLVM*.so*", "/usr/lib/jvm/*/lib/server/libjvm.so", os.path.expanduser("~/.rustup/toolchains/*/lib/librustc_driver*.so"))


def code_of(path):
    """Offset and size of the segment with code; None: it is no ELF file of 64 bits."""
    with open(path, "rb") as f:
        head = f.read(64)
        if len(head) < 64 or head[:6] != b"\x7fELF\x02\x01":
            return None
        f.seek(struct.unpack_from("<Q", head, 32)[0])
        for _k in range(struct.unpack_from("<H", head, 56)[0]):
            kind, flags, offset, _vaddr, _paddr, size, _memsz, _align = struct.unpack("<IIQQQQQQ", f.read(56))
            if kind == 1 and flags & 1:
                return offset, size
    return None


def faults_of(path, folder):
    offset, size = code_of(path)
    places = [START + offset + size * k // SAMPLES for k in range(SAMPLES)]
    data = os.path.join(folder, "perf.data")
    with open(data, "wb") as f:
        f.write(join([comm(7, "program"), mmap2(7, START, (offset + size + 4095) & ~4095, path)] +
                     [sample(10 + k, ip=at, chain=[(1 << 64) - 512, at]) for k, at in enumerate(places)]))
    done = run("script", "-F", "ip,sym,srcline", "--symbols", "yes", "--symfs", "/", data)
    return [done.err[-300:]] if done.code or b"[W806]" in done.err else []


def main():
    tap = Tap()
    own = glob.glob(os.path.join(BUILD, ".libs", "libperfdata.so"))
    found = [shutil.which("node")] + own + [path for pattern in PLACES for path in sorted(glob.glob(pattern))[:1]]
    with tempfile.TemporaryDirectory() as folder:
        for path in found:
            if path and code_of(os.path.realpath(path)):
                tap.report(os.path.basename(path), faults_of(os.path.realpath(path), folder))
    if not tap.count:
        print("1..0 # SKIP no such files")
        return 0
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
