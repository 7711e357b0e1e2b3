#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks the shape of the source tree: which folder includes which, where each foreign package is met, what the library may not
call, that file names are unique, and that the library exports what its public headers declare. Prints TAP.

The table of folders is read from doc/ARCHITECTURE.md."""
import os
import re
import subprocess

TOP = os.environ.get("top_srcdir") or os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.environ.get("top_builddir") or os.path.join(TOP, "build")
NM = os.environ.get("NM", "nm")

# A function of another library, looked up once under call_once and never changed again.
SET_ONCE = {"runtime_demangle", "runtime_once"}

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(?:"([^"]+)"|<([^>]+)>)', re.M)
# Comments, and strings and characters with what they hold: first come, first served.
NO_CODE = re.compile(r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'", re.S)
# A call, and no member of a struct of that name.
FORBIDDEN = re.compile(r"(?<![\w.>])(v?f?printf|v?dprintf|puts|fputs|putchar|putc|fputc|fwrite|perror|exit|_exit|_Exit|quick_exit|abort|"
                       r"assert|raise|getenv|secure_getenv|setenv|putenv|setlocale|system|popen)\s*\(|\b(stdout|stderr|environ)\b")
ONE_FILE_EACH = {"zlib.h": "lib/codec/", "zstd.h": "lib/codec/", "lzma.h": "lib/codec/", "elfutils/debuginfod.h": "lib/symbols/", "pthread.h": "lib/base/"}
ELFUTILS = re.compile(r"^(elfutils/.*|libelf\.h|gelf\.h|dwarf\.h|libdw\.h|libdwfl\.h|libelf/.*)$")
SYMBOL = re.compile(r"\b(perfdata_\w+)\s*(?=[(;\[])")


def source_files():
    for top in ("lib", "src", "tests"):
        for folder, folders, names in os.walk(os.path.join(TOP, top)):
            folders[:] = sorted(name for name in folders if not name.startswith(".") and name != "goldens")
            for name in sorted(names):
                if name.endswith((".c", ".h", ".def", ".py")):
                    yield os.path.relpath(os.path.join(folder, name), TOP)


def text_of(path):
    with open(os.path.join(TOP, path), encoding="utf-8") as f:
        return f.read()


def code_of(text):
    """The text without comments and without what stands in quotes; lines stay where they are."""
    return NO_CODE.sub(lambda match: "\n" * match[0].count("\n") or " ", text)


def line_of(text, position):
    return text.count("\n", 0, position) + 1


def allowed_includes():
    """{folder of lib: folders it may include} from the table in the architecture document."""
    table = {}
    for line in text_of("doc/ARCHITECTURE.md").splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        match = re.fullmatch(r"`lib/(\w+)/`", cells[1]) if len(cells) == 4 else None
        if match:
            table[match[1]] = set() if cells[3].startswith("nothing") else {word.strip() for word in cells[3].split(",")}
    return table


def wrong_arrows(files, table):
    public = {path[len("lib/"):] for path in files if re.fullmatch(r"lib/perfdata(/\w+)?\.(h|def)", path)}
    for path in files:
        parts = path.split("/")
        if parts[0] == "tests" or path.endswith(".py"):
            continue
        text = text_of(path)
        for match in INCLUDE.finditer(text):
            name, where = match[1], "%s:%d" % (path, line_of(text, match.start()))
            if name is None or name in public or name == "config.h":
                continue
            if parts[0] == "src":
                if not os.path.exists(os.path.join(TOP, "src", name)):
                    yield "%s: %s is neither a public header nor one of src/" % (where, name)
                continue
            folder = name.split("/")[0]
            if len(parts) == 2 or parts[1] == "perfdata":
                yield "%s: a public header includes %s" % (where, name)
            elif "/" not in name or not os.path.exists(os.path.join(TOP, "lib", name)):
                yield "%s: %s is not spelled as a path inside lib/" % (where, name)
            elif parts[1] not in table:
                yield "%s: the folder is not in the table" % where
            elif folder != parts[1] and folder not in table[parts[1]]:
                yield "%s: %s may not include %s" % (where, parts[1], name)


def foreign_headers(files):
    homes = {name: [] for name in ONE_FILE_EACH}
    for path in files:
        if path.startswith("tests/") or path.endswith(".py"):
            continue
        for match in INCLUDE.finditer(text_of(path)):
            name = match[2]
            if name in homes:
                homes[name].append(path)
            elif name and ELFUTILS.match(name) and not path.startswith("lib/symbols/"):
                yield "%s includes <%s>" % (path, name)
            elif name and name.startswith(("json-c/", "json.h", "json_")) and not path.startswith("src/"):
                yield "%s includes <%s>" % (path, name)
    for name, paths in homes.items():
        if len(paths) != 1 or not paths[0].startswith(ONE_FILE_EACH[name]):
            yield "<%s> is to be included by one file of %s: %s" % (name, ONE_FILE_EACH[name], ", ".join(paths) or "none")


def forbidden_calls(files):
    for path in files:
        if path.startswith("lib/"):
            code = code_of(text_of(path))
            for match in FORBIDDEN.finditer(code):
                yield "%s:%d: %s" % (path, line_of(code, match.start()), match[1] or match[2])


def same_names(files):
    seen = {}
    for path in files:
        if path.startswith("lib/perfdata/"):     # parts of the public API are named for the rooms they belong to
            continue
        other = seen.setdefault(os.path.basename(path), path)
        if other != path:
            yield "%s and %s" % (other, path)


def declared(files):
    names = set()
    for path in files:
        if re.fullmatch(r"lib/perfdata(/\w+)?\.h", path):
            code = re.sub(r"^[ \t]*#.*(?:\\\n.*)*", "", code_of(text_of(path)), flags=re.M)
            for piece in code.split("PERFDATA_API")[1:]:
                match = SYMBOL.search(piece)
                names.add(match[1] if match else "unreadable: " + piece[:60])
    return names


def nm(*words):
    done = subprocess.run([NM, *words], stdout=subprocess.PIPE, check=True)
    return [line for line in done.stdout.decode().splitlines() if line]


def exports(files):
    exported = {words[-1].split("@")[0] for words in map(str.split, nm("-D", "--defined-only", LIBRARY)) if words[-2] != "A"}
    public = declared(files)
    listed = {match[1] for match in re.finditer(r"^\t(perfdata_\w+);$", text_of("lib/libperfdata.map"), re.M)}
    yield from ("%s is declared and not in lib/libperfdata.map" % name for name in sorted(public - listed))
    yield from ("%s is in lib/libperfdata.map and in no public header" % name for name in sorted(listed - public))
    yield from ("%s is declared and not exported" % name for name in sorted(public - exported))
    yield from ("%s is exported and in no public header" % name for name in sorted(exported - public))


def mutable_data():
    """Objects that can change: the library keeps no state of its own."""
    for line in nm("-A", "--defined-only", "--format=sysv", ARCHIVE):
        cells = [cell.strip() for cell in line.split("|")]
        section = cells[-1]
        if re.match(r"\.(data|bss|tdata|tbss)\b", section) and not section.startswith(".data.rel.ro"):
            member, _colon, name = cells[0].rpartition(":")
            if name not in SET_ONCE:
                yield "%s: %s is in %s" % (member.split(":")[-1], name, section)


def sanitized():
    return any(word in line for line in nm("-D", "--undefined-only", LIBRARY) for word in ("__asan_init", "__tsan_init"))


LIBRARY = os.path.join(BUILD, ".libs", "libperfdata.so")
ARCHIVE = os.path.join(BUILD, ".libs", "libperfdata.a")
count = 0


def report(title, found, skip=None):
    global count
    count += 1
    found = list(found) if not skip else []
    print("%s %d - %s%s" % ("not ok" if found else "ok", count, title, " # SKIP " + skip if skip else ""))
    for line in found:
        print("# " + line)


def main():
    files = list(source_files())
    table = allowed_includes()
    report("the table names every folder of lib/", (name for name in sorted(os.listdir(os.path.join(TOP, "lib")))
                                                   if os.path.isdir(os.path.join(TOP, "lib", name))
                                                   and not name.startswith(".") and name not in table and name != "perfdata"))
    report("arrows between folders", wrong_arrows(files, table))
    report("each foreign package is met in one place", foreign_headers(files))
    report("the library does not print, end the process or read the environment", forbidden_calls(files))
    report("file names are unique", same_names(files))
    missing = None if os.path.exists(LIBRARY) else "no shared library was built"
    report("exported symbols are those of the public headers", exports(files) if not missing else (), missing)
    missing = "no static library was built" if not os.path.exists(ARCHIVE) else "sanitizers add data" if sanitized() else None
    report("no mutable data in the library", mutable_data() if not missing else (), missing)
    print("1..%d" % count)


if __name__ == "__main__":
    main()
