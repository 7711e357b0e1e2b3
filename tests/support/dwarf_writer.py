# SPDX-License-Identifier: MIT
"""Writes ELF files with debug information of any kind, also of kinds that no compiler writes."""
import struct
import subprocess
import zlib

TEXT = 0x400000           # where the code of the files begins; an address less this is an offset in the file
CODE = 0x10000000         # how much code they say that they have

# tags, attributes and forms of DWARF
UNIT, PARTIAL, SUBPROGRAM, BLOCK, INLINED, NAMESPACE, SKELETON = 0x11, 0x3c, 0x2e, 0x0b, 0x1d, 0x39, 0x4a
SIBLING, NAME, STMT_LIST, LOW_PC, HIGH_PC, COMP_DIR, ORIGIN, SPECIFICATION, RANGES, CALL_FILE, CALL_LINE, LINKAGE_NAME, ADDR_BASE, DWO_NAME = \
    0x01, 0x03, 0x10, 0x11, 0x12, 0x1b, 0x31, 0x47, 0x55, 0x58, 0x59, 0x6e, 0x73, 0x76
ADDR, DATA2, DATA4, DATA8, STRING, DATA1, STRP, UDATA, REF4, SEC_OFFSET, FLAG_PRESENT = 0x01, 0x05, 0x06, 0x07, 0x08, 0x0b, 0x0e, 0x0f, 0x13, 0x17, 0x19
ZLIB, ZSTD = 1, 2


def uleb(value):
    out = bytearray()
    while True:
        out.append(value & 0x7f | (0x80 if value > 0x7f else 0))
        value >>= 7
        if not value:
            return bytes(out)


def abbrev(code, tag, children, *attributes):
    """`attributes`: (name, form) pairs."""
    return uleb(code) + uleb(tag) + bytes([children]) + b"".join(uleb(name) + uleb(form) for name, form in attributes) + b"\0\0"


def unit(entries, abbrevs_at=0):
    """A unit of DWARF 4; offsets in it count from its beginning, and its first entry is at 11."""
    return struct.pack("<IHIB", len(entries) + 7, 4, abbrevs_at, 8) + entries


def unit_with_id(kind, number, entries, abbrevs_at=0):
    """A skeleton unit (4) or split unit (5) of DWARF 5; its first entry is at 20."""
    return struct.pack("<IHBBIQ", len(entries) + 16, 5, kind, 8, abbrevs_at, number) + entries


def ranges(pairs):
    """A list of .debug_ranges."""
    return b"".join(struct.pack("<QQ", low, high) for low, high in pairs) + bytes(16)


def line_table(program, files=1, folders=(), names=None):
    """A table of DWARF 4 with that program: opcodes from 10 on are special. `names`: of the files, which lie in the last of the folders."""
    names = names or (b"%d.c" % k for k in range(files))
    names = b"".join(b"%s\0" % folder for folder in folders) + b"\0" + b"".join(name + b"\0" + uleb(len(folders)) + b"\0\0" for name in names) + b"\0"
    head = struct.pack("<BBBbBB", 1, 1, 1, -3, 12, 10) + bytes([0, 1, 1, 1, 1, 0, 0, 0, 1]) + names
    body = struct.pack("<HI", 4, len(head)) + head + program
    return struct.pack("<I", len(body)) + body


def set_address(address):
    return b"\0\x09\x02" + struct.pack("<Q", address)


END_SEQUENCE = b"\0\x01\x01"


def zstd(data, level=19):
    return subprocess.run(["zstd", "-q", "-c", "-%d" % level], input=data, stdout=subprocess.PIPE, check=True).stdout


def compressed(data, kind, stated=None):
    """The bytes of a compressed section; `stated`: the size that its header says."""
    packed = zlib.compress(data, 9) if kind == ZLIB else zstd(data)
    return struct.pack("<IIQQ", kind, 0, len(data) if stated is None else stated, 1) + packed


def compressed_in_the_old_way(data):
    """The bytes of a section .zdebug_*."""
    return b"ZLIB" + struct.pack(">Q", len(data)) + zlib.compress(data, 9)


class Elf:
    """An ELF file of sections."""

    def __init__(self, kind=2, machine=62):
        self.sections = [("", 0, 0, 0, b"", 0, 0, 0)]
        self.segments = []
        self.kind, self.machine = kind, machine

    def add(self, name, data, kind=1, flags=0, address=0, link=0, entry=0, size=None):
        """`size`: what the header says where that is not the size of the data; data may be (offset, size) of another section's bytes."""
        self.sections.append((name, kind, flags, address, data, link, entry, size))
        return len(self.sections) - 1

    def symbols(self, symbols=((b"program", TEXT, CODE),), strings=None):
        """A .text and a symbol table of functions in it: (name or offset of the name in `strings`, address, size)."""
        text = self.add(".text", b"", kind=8, flags=6, address=TEXT, size=CODE)
        parts, table, at = [b"\0"], [bytes(24)], 1
        for name, address, size in symbols:
            offset = name
            if isinstance(name, bytes):
                offset = at
                parts.append(name + b"\0")
                at += len(name) + 1
            table.append(struct.pack("<IBBHQQ", offset, 0x12, 0, text, address, size))
        link = self.add(".strtab", b"".join(parts) if strings is None else strings, kind=3)
        self.add(".symtab", b"".join(table), kind=2, link=link, entry=24)
        return self

    def bytes(self):
        names, offsets = b"\0", []
        for name, *_rest in self.sections + [(".shstrtab",)]:
            offsets.append(len(names) if name else 0)
            names += name.encode() + b"\0" if name else b""
        self.add(".shstrtab", names, kind=3)
        segments = self.segments or [(1, 5, 0, TEXT, CODE, CODE, 0x1000)]
        body = bytearray(64 + 56 * len(segments))
        headers = []
        for (_name, kind, flags, address, data, link, entry, size), offset in zip(self.sections, offsets):
            body += bytes(-len(body) % 8)
            place = len(body)
            if isinstance(data, tuple):
                place, size = headers[data[0]][0] + data[1], data[2]
            elif kind == 8:
                place = 0
            else:
                body += data
                size = len(data) if size is None else size
            headers.append((place, struct.pack("<IIQQQQIIQQ", offset, kind, flags, address, place if kind else 0, size or 0, link, 0, 1, entry)))
        body += bytes(-len(body) % 8)
        many = len(headers) >= 0xff00
        first = struct.pack("<IIQQQQIIQQ", 0, 0, 0, 0, 0, len(headers) if many else 0, len(headers) - 1 if many else 0, 0, 0, 0)
        struct.pack_into("<4sBBBB8xHHIQQQIHHHHHH", body, 0, b"\x7fELF", 2, 1, 1, 0, self.kind, self.machine, 1, TEXT, 64, len(body), 0, 64, 56,
                         len(segments), 64, 0 if many else len(headers), 0xffff if many else len(headers) - 1)
        for k, (kind, flags, offset, address, filesz, memsz, align) in enumerate(segments):
            struct.pack_into("<IIQQQQQQ", body, 64 + 56 * k, kind, flags, offset, address, address, filesz, memsz, align)
        return bytes(body) + first + b"".join(header for _place, header in headers[1:])


def program(sections, **symbols):
    """An ELF file with these sections of debug information: {name: data, or (kind of compression, data)}."""
    elf = Elf().symbols(**symbols)
    for name, data in sections.items():
        if isinstance(data, tuple):
            elf.add(name, compressed(data[1], data[0]), flags=0x800)
        else:
            elf.add(name, data)
    return elf.bytes()
