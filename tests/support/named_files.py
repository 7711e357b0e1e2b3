# SPDX-License-Identifier: MIT
"""A recording made up, and a folder with every kind of file that names its addresses: programs with and without separate debug information,
a supplementary file of dwz, a library of mangled names, a kernel, its modules, a perf map, a jitdump file."""
import os
import struct
import zlib

from builder import IP, KERNEL, TID, TIME, Recording, pad

RELEASE = "6.1.0-test"
MODULES, MAPS, JIT, KERNEL_TEXT = 0xffffffffc0400000, 0x700000000000, 0x7f0000100000, 0xffffffff81000000
SYMTAB, STRTAB, NOTE, NOBITS, DYNSYM, PROGBITS = 2, 3, 7, 8, 11, 1
TEXT = 0x1000
HOSTNAME, OSRELEASE = 3, 4


def note(build_id):
    return struct.pack("<III", 4, len(build_id), 3) + b"GNU\0" + pad(build_id, 4)


def elf(functions=(), table=SYMTAB, build_id=None, more=(), type=3):
    """An ELF file of x86-64 with the functions (name, offset in .text, size); more: (name of a section, its bytes)."""
    strings = b"\0" + b"".join(name.encode() + b"\0" for name, _, _ in functions)
    symbols, at = bytes(24), 1
    for name, offset, size in functions:
        symbols += struct.pack("<IBBHQQ", at, 1 << 4 | 2, 0, 1, TEXT + offset, size)
        at += len(name) + 1
    sections = [("", 0, 0, b"", 0), (".text", PROGBITS, 6, bytes(0x1000), 0)]
    if build_id:
        sections.append((".note.gnu.build-id", NOTE, 2, note(build_id), 0))
    if functions:
        name = ".symtab" if table == SYMTAB else ".dynsym"
        sections += [(name, table, 2 * (table != SYMTAB), symbols, len(sections) + 1), (".strtab", STRTAB, 0, strings, 0)]
    sections += [(name, PROGBITS, 0, data, 0) for name, data in more]
    names = b"\0"
    for index, section in enumerate(sections[1:] + [(".shstrtab", STRTAB, 0, b"", 0)], 1):
        where = len(names)
        names += section[0].encode() + b"\0"
        if index < len(sections):
            sections[index] = (where, *section[1:])
    sections.append((where, STRTAB, 0, names, 0))
    sections[0] = (0, *sections[0][1:])
    body, headers = b"", b""
    for where, kind, flags, data, link in sections:
        body += bytes(TEXT - 64 - 56) if kind == PROGBITS and flags == 6 else bytes(-len(body) % 8)
        offset = 64 + 56 + len(body) if kind else 0
        headers += struct.pack("<IIQQQQIIQQ", where, kind, flags, offset if flags else 0, offset, len(data), link, 0, 4 if kind == NOTE else 8,
                               24 if kind in (SYMTAB, DYNSYM) else 0)
        body += data
    body += bytes(-len(body) % 8)
    head = b"\x7fELF" + bytes([2, 1, 1]) + bytes(9)
    head += struct.pack("<HHIQQQIHHHHHH", type, 62, 1, 0, 64, 64 + 56 + len(body), 0, 64, 56, 1, 64, len(sections), len(sections) - 1)
    load = struct.pack("<IIQQQQQQ", 1, 5, 0, 0, 0, 64 + 56 + len(body), 64 + 56 + len(body), 0x1000)
    return head + load + body + headers


def debug_link(name, data):
    return (".gnu_debuglink", pad(name.encode() + b"\0", 4) + struct.pack("<I", zlib.crc32(data)))


def jitdump(name, address):
    record = struct.pack("<IIQQQQ", 1, 300, address, address, 0x100, 1) + name.encode() + b"\0" + bytes(0x100)
    return struct.pack("<IIIIIIQQ", 0x4a695444, 1, 40, 62, 0, 300, 0, 0) + struct.pack("<IIQ", 0, 16 + len(record), 1) + record


class Tree:
    """The files below `root`, the root of the recorded host, and a recording of one sample in each function."""

    def __init__(self, folder):
        self.root, self.home, self.recording = (os.path.join(folder, name) for name in ("root", "home", "recording"))
        self.names, self.programs, self.last_start = [], 0, 0
        os.makedirs(self.home)
        self.r = Recording()
        self.event = self.r.event("cpu-clock", [11], type=1, period=1, sample_type=IP | TID | TIME, sample_id_all=1)
        self.r.feature(HOSTNAME, self.r.string("recorded"))
        self.r.feature(OSRELEASE, self.r.string(RELEASE))
        self.r.comm(100, 100, "program", time=1)
        self.time = 1

    def put(self, path, data):
        path = self.root + path
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as out:
            out.write(data)

    def sample(self, ip, name, pid=100, **more):
        self.time += 1
        self.names.append(name)
        self.r.sample(self.event, ip=ip, pid=pid, tid=pid, time=self.time, **more)

    def map(self, path, build_id=None, function=None):
        """Maps a file from its beginning on, and samples its first function."""
        start = self.last_start = MAPS + 0x100000 * self.programs
        self.programs += 1
        self.r.mmap2(100, 100, start, 0x2000, 0, path, time=self.time, build_id=build_id, inode=1000 + self.programs)
        if function:
            self.sample(start + TEXT + 8, function)

    def add_program(self, number):
        """A program with its symbols, and nothing else."""
        name, build_id = "function_%d" % number, struct.pack("<IQQ", number, number, 7)
        self.put("/lib/program-%d" % number, elf([(name, 0, 64)], build_id=build_id))
        self.map("/lib/program-%d" % number, build_id, name)

    def add_all_kinds(self):
        ids = {name: (name.encode() * 20)[:20] for name in ("linked", "stripped", "cached", "dwz", "mangled")}
        debug = elf([("linked_function", 0, 64)], build_id=None, more=[(".debug_info", bytes(16)),
                                                                        (".gnu_debugaltlink", b"../usr/lib/debug/.dwz/common\0" + ids["dwz"])])
        self.put("/bin/linked.debug", debug)
        self.put("/bin/linked", elf([("exported", 0x800, 4)], DYNSYM, None, [debug_link("linked.debug", debug)]))
        self.put("/usr/lib/debug/.dwz/common", elf(build_id=ids["dwz"]))
        self.map("/bin/linked", None, "linked_function")
        self.put("/bin/stripped", elf([("exported", 0x800, 4)], DYNSYM, ids["stripped"]))
        digits = ids["stripped"].hex()
        self.put("/usr/lib/debug/.build-id/%s/%s.debug" % (digits[:2], digits[2:]), elf([("stripped_function", 0, 64)], build_id=ids["stripped"]))
        self.map("/bin/stripped", ids["stripped"], "stripped_function")
        digits = ids["cached"].hex()
        self.put("/../home/.debug/.build-id/%s/%s/elf" % (digits[:2], digits[2:]), elf([("cached_function", 0, 64)], build_id=ids["cached"]))
        self.map("/bin/cached", ids["cached"], "cached_function")
        self.put("/lib/mangled.so", elf([("_ZN1K1fEl", 0, 64)], build_id=ids["mangled"]))
        self.map("/lib/mangled.so", ids["mangled"], "K::f(long)")
        self.add_kernel()
        self.add_generated_code()

    def add_kernel(self):
        self.put("/proc/kallsyms", b"%x T _text\n%x T kernel_function\n%x T _etext\n" % (KERNEL_TEXT, KERNEL_TEXT + 0x1000, KERNEL_TEXT + 0x2000))
        self.r.mmap(-1, 0, KERNEL_TEXT, 0x1000000, KERNEL_TEXT, "[kernel.kallsyms]_text", misc=KERNEL, time=1)
        self.sample(KERNEL_TEXT + 0x1008, "kernel_function", misc=KERNEL)
        self.put("/lib/modules/%s/modules.dep" % RELEASE, b"kernel/fs/listed.ko:\n")
        self.put("/lib/modules/%s/kernel/fs/listed.ko" % RELEASE, elf([("module_function", -TEXT, 64)], build_id=b"m" * 20, type=1))
        self.r.mmap2(-1, 0, MODULES, 0x2000, 0, "[listed]", misc=KERNEL, time=1, build_id=b"m" * 20)
        self.sample(MODULES + 8, "module_function", misc=KERNEL)

    def add_generated_code(self):
        self.put("/tmp/perf-200.map", b"%x 100 map_function\n" % JIT)
        self.r.comm(200, 200, "interpreter", time=1)
        self.r.mmap2(200, 200, JIT, 0x1000, 0, "//anon", time=1, inode=0)
        self.sample(JIT + 8, "map_function", 200)
        self.put("/tmp/jit-300.dump", jitdump("jit_function", JIT + 0x100000))
        self.r.comm(300, 300, "compiler", time=1)
        self.r.mmap2(300, 300, JIT + 0x200000, 0x1000, 0, "/tmp/jit-300.dump", time=1, inode=77)
        self.r.mmap2(300, 300, JIT + 0x100000, 0x1000, 0, "//anon", time=1, inode=0)
        self.sample(JIT + 0x100008, "jit_function", 300)

    def save(self):
        self.r.save(self.recording)

    def files(self):
        """The paths of all files in the tree and in the home."""
        return sorted(os.path.join(folder, name) for top in (self.root, self.home) for folder, _, names in os.walk(top) for name in names)
