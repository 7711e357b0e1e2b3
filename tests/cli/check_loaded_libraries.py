#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Libraries that libperfdata loads when it needs them: each is in a note of the shared library (.note.dlopen), where packaging tools
find it, and each is asked for somewhere in the sources. A codec that is not installed, or cannot be loaded, is an error that names the library:
never damage of the recording, and never output without its records. Prints TAP."""
import json
import lzma
import os
import re
import resource
import struct
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from program import BUILD, SANITIZED, TESTDATA, TOP, run

LIBRARY = os.path.join(BUILD, ".libs/libperfdata.so")
GZIP, ZSTD, XZ = "libz.so.1", "libzstd.so.1", "liblzma.so.5"
NOT_STARTED = 127   # of the loader: main() was not reached
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
            if "PD_NOTE_LIBRARY(" in text:
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
        if name in PACKAGES and name not in listed and not loads(name):
            continue
        if name not in without_numbers:
            wrong.append("%s is loaded and has no note" % name)
    for name, plain in zip(listed, without_numbers):
        if plain not in asked and not any(plain.startswith(part) for part in parts):
            wrong.append("%s has a note and is never loaded" % name)
    results = [("libraries that are loaded when they are needed have notes", wrong)] + failing_codecs()
    for number, (name, wrong) in enumerate(results, 1):
        print("%sok %d - %s" % ("not " if wrong else "", number, name))
        for line in wrong:
            print("# " + line)
    print("1..%d" % len(results))
    return any(wrong for _, wrong in results)


PACKAGES = {"libdw.so.1": ["HAVE_ELFUTILS"], "libdebuginfod.so.1": ["HAVE_DEBUGINFOD"], GZIP: ["HAVE_ZLIB", "PD_LOADS_CODECS"], ZSTD: ["HAVE_ZSTD", "PD_LOADS_CODECS"],
            XZ: ["HAVE_LZMA", "PD_LOADS_CODECS"]}


def loads(name):
    """Whether this build may load it: config.h says what configure found."""
    config = open(os.path.join(BUILD, "config.h"), encoding="utf-8").read()
    return all(re.search(r"^#define %s 1" % macro, config, re.M) for macro in PACKAGES[name])


def failing_codecs():
    results = []
    with tempfile.TemporaryDirectory() as folder:
        packed, plain = os.path.join(folder, "packed.xz"), os.path.join(TESTDATA, "stat-73.data")
        with lzma.open(packed, "wb") as out:
            out.write(open(plain, "rb").read())
        simpleperf = os.path.join(TESTDATA, "simpleperf", "zstd.data")
        commands = [(ZSTD, "compressed records", 3, ["script", os.path.join(TESTDATA, "zstd-73.data")]),
                    (ZSTD, "compressed records of simpleperf", 3, ["ndjson", simpleperf]),
                    (XZ, "a compressed recording", 3, ["ndjson", packed]),
                    (GZIP, "a profile for pprof", 2, ["pprof", plain]), (GZIP, "a page", 2, ["flamegraph", plain]),
                    (ZSTD, "a compressed output", 2, ["ndjson", "-o", os.path.join(folder, "out.zst"), plain])]
        for name in (GZIP, ZSTD, XZ):
            with open(os.path.join(folder, name), "wb") as unusable:
                unusable.write(b"no library")
        hidden = dict(os.environ, LD_LIBRARY_PATH=folder + ":" + os.environ.get("LD_LIBRARY_PATH", ""))
        for name, title, code, words in commands:
            if SANITIZED or not loads(name):
                results.append(("%s # SKIP this build does not load %s" % (title, name), []))
                continue
            done = run(*words, env=hidden)
            right = done.code == code and name + " is not installed" in done.err.decode() and not re.search(rb"\[E[0-9]+\]", done.err)
            results.append(("%s, and no %s" % (title, name), [] if right else [repr(done)]))
            if code == 2:
                continue   # reported before any other file is open
            good, wrong, failed = run(*words), [], 0
            for most in range(4, 12):
                done = run(*words, preexec_fn=lambda most=most: resource.setrlimit(resource.RLIMIT_NOFILE, (most, most)))
                text = done.err.decode()
                failed += name in text
                same = (done.code, done.out) == (good.code, good.out)
                if not same and done.code not in (6, NOT_STARTED) or name in text and "Too many open files" not in text:
                    wrong.append("%d descriptors: %r" % (most, done))
            results.append(("%s, and few descriptors" % title, wrong + ([] if failed else ["no limit hit the library"])))
    return results


if __name__ == "__main__":
    sys.exit(main())
