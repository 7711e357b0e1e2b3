#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Names of code that is mapped from an archive, as Android maps the libraries of an app from its APK: the names, lines and files are those of the
library before it was packed. Recordings are made here, with the archive's own path and with ARCHIVE!/ENTRY, as simpleperf has it; and where perf can
record, of a program that maps two libraries of an archive and calls them. Then archives that are cut, false or without a library.
Prints TAP; needs a compiler and nm."""
import difflib
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import tarfile
import tempfile
import zipfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from builder import Recording, IP, TID, TIME
from program import Tap, run

PERF = os.environ.get("PERF") or shutil.which("perf")
PAGE = 0x10000                  # of any machine
START = 0x7f0000000000
LIBRARY = """
static volatile unsigned long %(name)s_sum = 1;
static __attribute__((noinline, used)) void %(name)s_inner(unsigned long n) { for (unsigned long i = 0; i < n; i++) %(name)s_sum += i * i; }
__attribute__((noinline)) void %(name)s_outer(unsigned long n) { %(name)s_inner(n); %(name)s_sum++; }
"""
# Maps the segments of a library at an offset of the file as a dynamic linker does, says where, and calls the function at an address of the library.
# There is nothing to relocate.
RUNNER = """
#define _GNU_SOURCE
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
static char *map_library(int fd, long offset)
{
	ElfW(Ehdr) h;
	ElfW(Phdr) p[32];
	const long page = sysconf(_SC_PAGESIZE);
	if (pread(fd, &h, sizeof h, offset) != sizeof h || h.e_phnum > 32 || pread(fd, p, sizeof *p * h.e_phnum, offset + (long)h.e_phoff) < 0)
		exit(1);
	char *at = mmap(NULL, 1 << 20, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	for (int i = 0; i < h.e_phnum; i++) {
		const long lead = (long)p[i].p_vaddr & (page - 1);
		if (p[i].p_type == PT_LOAD && mmap(at + p[i].p_vaddr - lead, p[i].p_filesz + lead, (p[i].p_flags & PF_X ? PROT_EXEC : 0) | PROT_READ |
			 (p[i].p_flags & PF_W ? PROT_WRITE : 0), MAP_PRIVATE | MAP_FIXED, fd, offset + (long)p[i].p_offset - lead) == MAP_FAILED)
			exit(1);
	}
	return at;
}
int main(int argc, char **argv)
{
	const int fd = open(argv[1], O_RDONLY);
	for (int i = 2; i + 1 < argc; i += 2) {
		char *library = map_library(fd, atol(argv[i]));
		void (*volatile call)(unsigned long) = (void (*)(unsigned long))(library + strtoul(argv[i + 1], NULL, 16));
		printf("%lx\\n", (unsigned long)library);
		const clock_t end = clock() + CLOCKS_PER_SEC / 5;
		while (clock() < end)
			call(100000);
	}
	return 0;
}
"""
NAMES = ("first", "second")


def call(*words, **more):
    return subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120, universal_newlines=True, **more)


def compile_with(cc, out, text, *flags):
    with open(out + ".c", "w", encoding="ascii") as f:
        f.write(text)
    return call(cc, "-O1", "-g", "-fno-omit-frame-pointer", *flags, "-o", out, out + ".c").returncode == 0


def make_archive(path, libraries, method=zipfile.ZIP_STORED):
    """{entry: offset of its bytes}; libraries are aligned, as zipalign does it, by extra bytes in their headers."""
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in [("AndroidManifest.xml", b"<manifest/>"), *libraries]:
            entry = zipfile.ZipInfo(name)
            entry.compress_type = method
            if name.endswith(".so"):
                padding = -(archive.fp.tell() + 30 + len(name) + 4) % PAGE
                entry.extra = struct.pack("<HH", 0xd935, padding) + bytes(padding)
            archive.writestr(entry, content)
        archive.writestr("classes.dex", b"dex " * 1000, zipfile.ZIP_DEFLATED)
        archive.comment = b"a comment after the directory"
    with zipfile.ZipFile(path) as archive:
        return {entry.filename: entry.header_offset + 30 + len(entry.filename) + len(entry.extra) for entry in archive.infolist()}


class Library:
    def __init__(self, path):
        self.path = path
        with open(path, "rb") as f:
            self.content = f.read()
        self.symbols = {}                  # name → (address, size)
        for line in call("nm", "-S", path).stdout.splitlines():
            words = line.split()
            if len(words) == 4 and words[2] in "tT":
                self.symbols[words[3]] = int(words[0], 16), int(words[1], 16)
        self.segments = []                 # (address, offset, size) of what is loaded
        for words in (line.split() for line in call("readelf", "-lW", path).stdout.splitlines()):
            if words[:1] == ["LOAD"]:
                self.segments.append((int(words[2], 16), int(words[1], 16), int(words[4], 16)))

    def offset(self, address):
        return next(address - at + offset for at, offset, size in self.segments if at <= address < at + size)

    def name(self, address):
        return next((name for name, (start, size) in self.symbols.items() if start <= address < start + size), None)


def recording(path, files):
    """files: (name, pgoff, size, [offset in the file])"""
    r = Recording()
    event = r.event("cycles", ids=[1], type=0, sample_type=IP | TID | TIME, sample_id_all=1)
    r.comm(100, 100, "app", time=1)
    time = 2
    for at, (name, pgoff, size, offsets) in enumerate(files):
        base = START + at * 0x10000000
        r.mmap2(100, 100, base, size, pgoff, name, time=time)
        for offset in offsets:
            time += 1
            r.sample(event, ip=base + offset - pgoff, pid=100, tid=100, time=time)
    r.save(path)
    return path


def named(path, *words):
    """[(name, offset in the function, dso, line)] of the samples, and what was said."""
    done = run("script", "-F", "ip,sym,symoff,dso,srcline", *words, path)
    found = re.findall(r"^ *[0-9a-f]+ (.+?)(?:\+0x([0-9a-f]+))? \((.*)\)\n +(.*)$", done.out.decode(), re.M)
    return [(name, int(offset or "0", 16), dso, line) for name, offset, dso, line in found], done


def check_bundles(tap, title, folder, path, *words):
    """Bundles name as the files do; one of answers has nothing of an archive but its libraries, and of these not the code."""
    wanted, wrong = run("script", "-F", "ip,sym,symoff,dso,srcline", *words, path).out, []
    for level in ("full", "answers"):
        bundle = os.path.join(folder, level + ".tar")
        done = run("bundle", "--force", "--level", level, "-o", bundle, *words, path)
        found = run("script", "-F", "ip,sym,symoff,dso,srcline", "--symbols-from", bundle, path)
        if done.code or found.code or found.out != wanted or b"missing:" in done.err:
            wrong.append((level, done, found.err, [line for line in difflib.ndiff(wanted.decode().splitlines(), found.out.decode().splitlines()) if line[0] != " "][:20]))
    with tarfile.open(bundle) as members:
        sizes = {member.name: member.size for member in members if member.isfile()}
        listed = json.load(members.extractfile("perfdata-bundle.json"))["files"]
    sizes.pop("perfdata-bundle.json")
    code = [(name, size) for name, size in sizes.items() if size > 8192 or name.endswith(".apk")]
    if code or {row["name"]: row["size"] for row in listed} != sizes:
        wrong.append((code, sizes, listed))
    tap.report("bundles of files and of answers: " + title, wrong)


def check_made(tap, folder, libraries):
    archive = os.path.join(folder, "data", "base.apk")
    entries = make_archive(archive, [("lib/x86_64/lib%s.so" % name, libraries[name].content) for name in NAMES])
    path, places, inside, wanted = os.path.join(folder, "made.data"), [], [], []
    for name in NAMES:
        library, entry = libraries[name], "lib/x86_64/lib%s.so" % name
        addresses = [(symbol, start + more) for symbol, (start, size) in sorted(library.symbols.items()) if symbol.startswith(name) for more in (0, size - 1)]
        wanted += [(symbol, address - library.symbols[symbol][0], "lib%s.so.c:%d" % (name, 3 if symbol.endswith("inner") else 4)) for symbol, address in addresses]
        places += [entries[entry] + library.offset(address) for _symbol, address in addresses]
        inside.append(("/data/base.apk!/" + entry, 0, len(library.content), [library.offset(address) for _symbol, address in addresses]))
    recording(path, [("/data/base.apk", 0, os.path.getsize(archive), places)])
    found, done = named(path, "--symfs", folder)
    tap.report("code of an archive has the names and lines of the libraries in it",
               [] if found == [(*one[:2], "/data/base.apk", one[2]) for one in wanted] and done.code == 0 and not done.err else [wanted, found, done.err])
    answer = run("match", "--symfs", folder, path).out.decode()
    tap.report("match counts the names, and finds a file that may be the recorded one",
               [] if re.search("^unverified +%d " % len(wanted), answer, re.M) and "100.0 % of the samples have a name" in answer else [answer])
    check_bundles(tap, "an archive", folder, path, "--symfs", folder)
    recording(path, inside)
    done = run("match", "--symfs", folder, path)
    rows = re.findall(r"(?m)^unverified .*/data/base.apk!/\S+ +[0-9a-f]{40} +text,symtab", done.out.decode())
    tap.report("match finds ARCHIVE!/ENTRY", [] if len(rows) == len(NAMES) and done.code == 0 else [done])
    recording(path, [(inside[0][0] + "x", *inside[0][1:])])
    done = run("match", "--symfs", folder, path)
    tap.report("match finds nothing where the archive has no such library", [] if re.search(rb"(?m)^unknown ", done.out) and done.code == 1 else [done])
    recording(path, inside)
    check_bundles(tap, "ARCHIVE!/ENTRY", folder, path, "--symfs", folder)
    found, done = named(path, "--symfs", folder)
    tap.report("ARCHIVE!/ENTRY is that library",
               [] if [(*one[:2], one[3]) for one in found] == wanted and done.code == 0 and not done.err else [wanted, found, done.err])
    flat = os.path.join(folder, "flat")
    os.mkdir(flat)
    for name in NAMES:
        shutil.copy(libraries[name].path, os.path.join(flat, "lib%s.so" % name))
    found, done = named(path, "--symfs", flat + ",flat")
    tap.report("… and a copy beside it serves, too", [] if [(*one[:2], one[3]) for one in found] == wanted else [wanted, found, done.err])
    between = entries["lib/x86_64/libsecond.so"] - 100
    recording(path, [("/data/base.apk", 0, os.path.getsize(archive), [between, places[0]])])
    found, done = named(path, "--symfs", folder)
    tap.report("between the libraries there are no names", [] if [one[0] for one in found] == ["[unknown]", wanted[0][0]] and done.code == 0 else [found, done.err])
    check_bundles(tap, "an address between the libraries", folder, path, "--symfs", folder)
    bundle = os.path.join(folder, "answers.tar")
    recording(path, [("/data/base.apk", 0, os.path.getsize(archive), [between + 1, places[0] + 1, places[0]])])
    found, done = named(path, "--symbols-from", bundle)
    tap.report("addresses that the answers for an archive lack are counted",
               [] if [one[0] for one in found][2] == wanted[0][0] and len(re.findall(b"1 of the addresses is not in this bundle", done.err)) == 2 else [found, done])


def check_false(tap, folder, libraries):
    """Archives that say what is not so: no names, a finding, no crash, and the exit code of files that cannot be used."""
    archive, path = os.path.join(folder, "data", "base.apk"), os.path.join(folder, "false.data")
    content = libraries["first"].content
    entries = make_archive(archive, [("lib/x86_64/libfirst.so", content)])
    with open(archive, "rb") as f:
        whole = f.read()
    at = entries["lib/x86_64/libfirst.so"]
    address, _size = libraries["first"].symbols["first_inner"]
    directory, end = whole.index(b"PK\1\2"), whole.index(b"PK\5\6")
    of_library = whole.index(b"PK\1\2", directory + 1)

    def changed(offset, new):
        return whole[:offset] + new + whole[offset + len(new):]

    false = {
        "no directory": whole[:directory], "half of a directory": whole[:directory + 20] + whole[end:], "only the first bytes": whole[:4],
        "a directory beyond the end": changed(end + 16, b"\xf0\xff\xff\x7f"), "a directory of 4 GiB": changed(end + 12, b"\xff\xff\xff\xff"),
        "an entry beyond the end": changed(of_library + 42, b"\xf0\xff\xff\x7f"), "an entry of no bytes": changed(of_library + 20, bytes(4)),
        "a name beyond the directory": changed(of_library + 28, b"\xff\xff"), "no magic of an entry": changed(of_library, b"PKPK"),
        "no magic of the entry's own header": whole.replace(b"PK\3\4", b"PK\3\5").replace(b"PK\3\5", b"PK\3\4", 1),
        "no ELF file": whole.replace(b"\x7fELF", b"\x7fFLE"), "an ELF file that is cut": changed(of_library + 20, struct.pack("<I", 70)),
    }
    wrong = []
    for title, data in false.items():
        for name, pgoff, offset in (("/data/base.apk", at, at + libraries["first"].offset(address)),
                                    ("/data/base.apk!/lib/x86_64/libfirst.so", 0, libraries["first"].offset(address))):
            with open(archive, "wb") as f:
                f.write(data)
            recording(path, [(name, pgoff, len(content), [offset])])
            found, done = named(path, "--symfs", folder)
            # of a cut library the rest is no part of the archive, and has no reason to be in it
            if done.code != 0 or [one[0] for one in found] != ["[unknown]"] or (b"W802" in done.err) != (title != "an ELF file that is cut"):
                wrong.append((title, name, found, done))
    tap.report("%d kinds of false archives: no name, and a finding" % len(false), wrong)
    make_archive(archive, [("lib/x86_64/libfirst.so", content)], zipfile.ZIP_DEFLATED)
    recording(path, [("/data/base.apk!/lib/x86_64/libfirst.so", 0, len(content), [libraries["first"].offset(address)]),
                     ("/data/base.apk!/lib/x86_64/libnone.so", 0, len(content), [0])])
    found, done = named(path, "-v", "--symfs", folder)
    tap.report("a library that is compressed, or not there, has no names, and the log says why",
               [] if done.code == 0 and done.err.count(b"no such library is stored uncompressed in it") >= 2 and {one[0] for one in found} == {"[unknown]"} else [found, done])


def check_recorded(tap, folder, libraries, runner):
    archive = os.path.join(folder, "base.apk")
    entries = make_archive(archive, [("lib/x86_64/lib%s.so" % name, libraries[name].content) for name in NAMES])
    path, words = os.path.join(folder, "perf.data"), []
    for name in NAMES:
        words += [str(entries["lib/x86_64/lib%s.so" % name]), "%x" % libraries[name].symbols[name + "_outer"][0]]
    for title, options in (("frame pointers", ["-g"]), ("stacks to unwind", ["--call-graph", "dwarf,4096"])):
        done = PERF and call(PERF, "record", "-q", "-e", "cpu-clock", "-F", "999", *options, "-o", path, runner, archive, *words)
        if not done or done.returncode or not os.path.getsize(path):
            tap.skip("recorded, " + title, "perf cannot record here")
            continue
        bases = [int(line, 16) for line in done.stdout.split()]
        wrong, seen = [], set()
        text = run("script", "-F", "ip,sym,dso", path).out.decode()
        for ip, symbol, dso in re.findall(r"^\s+([0-9a-f]+) (.*) \((.*)\)$", text, re.M):
            if dso != archive:
                continue
            base = max(base for base in bases if base <= int(ip, 16))
            library = libraries[NAMES[bases.index(base)]]
            address = int(ip, 16) - base
            truth = library.name(address)
            seen.add(truth)
            if symbol != truth:
                wrong.append((ip, symbol, truth))
        if {name + "_inner" for name in NAMES} - seen:
            wrong.append("functions seen: %s" % seen)
        if options[0] != "-g" and "first_outer" not in seen:
            wrong.append("no caller was unwound: %s" % seen)
        tap.report("recorded by perf, %s: each name is that of nm" % title, wrong)
        check_bundles(tap, "recorded by perf, " + title, folder, path)


def main():
    cc = next((name for name in (os.environ.get("CC", "cc").split()[0], "gcc", "clang") if shutil.which(name)), None)
    if not cc or not shutil.which("nm") or not shutil.which("readelf"):
        print("1..0 # SKIP no compiler or binutils")
        return 0
    tap = Tap()
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(os.path.join(folder, "data"))
        built, runner = [], os.path.join(folder, "runner")
        for name in NAMES:
            built.append(compile_with(cc, os.path.join(folder, "lib%s.so" % name), LIBRARY % {"name": name}, "-shared", "-fPIC", "-nostdlib"))
        if not all(built) or not compile_with(cc, runner, RUNNER):
            print("1..0 # SKIP the libraries cannot be built")
            return 0
        libraries = {name: Library(os.path.join(folder, "lib%s.so" % name)) for name in NAMES}
        check_made(tap, folder, libraries)
        check_false(tap, folder, libraries)
        check_recorded(tap, folder, libraries, runner)
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
