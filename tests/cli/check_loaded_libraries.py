#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Libraries that libperfdata loads when it needs them: each is in a note of the shared library (.note.dlopen), where packaging tools
find it, and each is asked for somewhere in the sources. Prints TAP."""
import json
import os
import re
import struct
import sys

TOP = os.environ.get("top_srcdir", os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
LIBRARY = os.path.join(os.environ.get("top_builddir", os.path.join(TOP, "build")), ".libs/libperfdata.so")
TYPE = 0x407c0c0a


def section_of(elf, wanted):
    """The bytes of a section, and the byte order of the file."""
    order = "<" if elf[5] == 1 else ">"
    if elf[4] == 2:
        table, = struct.unpack_from(order + "Q", elf, 40)
        header, each, at_offset, names_at = order + "IIQQQQ", 64, 58, 4
    else:
        table, = struct.unpack_from(order + "I", elf, 32)
        header, each, at_offset, names_at = order + "IIIIII", 40, 46, 4
    size, count, names = struct.unpack_from(order + "HHH", elf, at_offset)
    assert size == each
    rows = [struct.unpack_from(header, elf, table + i * each) for i in range(count)]
    texts = rows[names][names_at]
    for name, _, _, _, offset, length in rows:
        start = texts + name
        if elf[start:elf.index(b"\0", start)] == wanted:
            return elf[offset:offset + length], order
    return b"", order


def notes_of(bytes_, order):
    at = 0
    while at < len(bytes_):
        name_size, size, kind = struct.unpack_from(order + "III", bytes_, at)
        at += 12
        name = bytes_[at:at + name_size]
        at += (name_size + 3) & ~3
        yield kind, name, bytes_[at:at + size]
        at += (size + 3) & ~3


def names_asked_for():
    """The names in the files that load libraries, outside of the notes; a number that is filled in is %."""
    for folder, _, files in os.walk(os.path.join(TOP, "lib")):
        for file in files:
            text = open(os.path.join(folder, file), encoding="utf-8").read() if file.endswith(".c") else ""
            if "pd_library_open(" in text and "PD_NOTE_LIBRARY(" in text:
                text = re.sub(r"PD_NOTE_LIBRARY\(.*?\);", "", text, flags=re.S)
                text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
                yield from (name.replace("%d", "%") for name in re.findall(r'"(lib[^"/ ]*(?:\.so[^"/ ]*|-))"', text))


def main():
    if not os.path.exists(LIBRARY):
        print("1..0 # SKIP no shared library was built")
        return 0
    wrong, listed = [], []
    section, order = section_of(open(LIBRARY, "rb").read(), b".note.dlopen")
    for kind, name, text in notes_of(section, order):
        if (kind, name) != (TYPE, b"FDO\0") or not text.endswith(b"\0"):
            wrong.append("a note of type %#x, name %r" % (kind, name))
            continue
        for one in json.loads(text[:-1]):
            listed += one["soname"]
            if set(one) != {"feature", "description", "priority", "soname"} or one["priority"] not in ("recommended", "suggested"):
                wrong.append("note %r" % one)
    without_numbers = [re.sub(r"^(lib(?:LLVM|capstone)[.a-z-]*)\d+", r"\1%", name) for name in listed]
    asked = set(names_asked_for())
    # LLVM's names are made of two parts.
    parts = {name for name in asked if name.startswith("libLLVM")}
    for name in sorted(asked - parts):
        if name in ("libdw.so.1", "libdebuginfod.so.1") and name not in listed and not has_package(name):
            continue
        if name not in without_numbers:
            wrong.append("%s is loaded and has no note" % name)
    for name, plain in zip(listed, without_numbers):
        if plain not in asked and not any(plain.startswith(part) for part in parts):
            wrong.append("%s has a note and is never loaded" % name)
    print("%sok 1 - libraries that are loaded when they are needed have notes" % ("not " if wrong else ""))
    for line in wrong:
        print("# " + line)
    print("1..1")
    return bool(wrong)


def has_package(name):
    """Whether this build may load it: config.h says what configure found."""
    macro = {"libdw.so.1": "HAVE_ELFUTILS", "libdebuginfod.so.1": "HAVE_DEBUGINFOD"}[name]
    config = open(os.path.join(os.path.dirname(LIBRARY), "../config.h"), encoding="utf-8").read()
    return re.search(r"^#define %s 1" % macro, config, re.M) is not None


if __name__ == "__main__":
    sys.exit(main())
