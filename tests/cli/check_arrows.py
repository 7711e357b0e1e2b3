#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks the shape of the source tree: which folder includes and calls which (by the symbols of the object files), that
neither folders nor files go in circles, where each foreign package is met, what the library may not call, how wide
lines and how long files are, that file names are unique and those that comments name exist, and that the library
exports what its public headers declare. Prints TAP.

The table of folders, and the circles of files that have a reason, are read from doc/ARCHITECTURE.md."""
import collections
import functools
import os
import re
import subprocess
import sys

TOP = os.environ.get("top_srcdir") or os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.environ.get("top_builddir") or os.path.join(TOP, "build")
NM = os.environ.get("NM", "nm")

# A function of another library, which is the same for the whole process, and why there is none; where a thread leaves another library.
SET_ONCE = {"runtime_demangle", "runtime_is_missing", "runtime_failure", "elfutils_failure",
            "way_out", "pd_elfutils", "libdw", "libz", "gzip_library", "libzstd", "zstd_library",
            "liblzma", "xz_library", "ssse3_answer"}

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(?:"([^"]+)"|<([^>]+)>)', re.M)
# Comments, and strings and characters with what they hold: first come, first served.
NO_CODE = re.compile(r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'", re.S)
# A call, and no member of a struct of that name.
FORBIDDEN = re.compile(r"(?<![\w.>])(v?f?printf|v?dprintf|puts|fputs|putchar|putc|fputc|fwrite|perror|exit|_exit|_Exit|quick_exit|abort|"
                       r"assert|raise|getenv|secure_getenv|setenv|putenv|setlocale|system|popen)\s*\(|\b(stdout|stderr|environ)\b")
# Where descriptors come from: all other files of the library open through regular.h, so that a path out of a recording is never opened as
# anything but a regular file, and through fdio.h.
OPENING = re.compile(r"(?<![\w.>])(open|open64|openat|openat2|fopen|freopen|creat|mkostemp|mkstemp|tmpfile|opendir|scandir|memfd_create|shm_open|"
                     r"socket|pipe2?|eventfd|dlopen|pd_load_library|elf_open|dwfl_standard_find_\w+|dwfl_linux_\w+|dwfl_build_id_find_\w+)\s*\(")
OPENERS = {"lib/base/regular.c": {"open", "openat"}, "lib/base/fdio.c": {"open", "mkostemp"},
           "lib/run/output_file.c": {"open"}, "lib/run/output_folder.c": {"openat", "opendir"}, "lib/reader/directory.c": {"opendir"},
           "lib/symbols/code/kernel_core.c": {"opendir"},
           "lib/base/port.c": {"eventfd", "pipe", "dlopen"}, "lib/emit/registry.c": {"pd_load_library"},
           "lib/base/library.c": {"pd_load_library"}}
# What some system lacks or spells otherwise: lib/base/port.h has it for all.
NOT_EVERYWHERE = re.compile(r"(?<![\w\"])(__EMSCRIPTEN__|__APPLE__|__linux__|getauxval|eventfd|sched_getaffinity|posix_fadvise|fallocate|F_SETPIPE_SZ|"
                            r"st_[mc]tim|renameat2|getrandom|getentropy|dlopen|dlerror|O_PATH|CLOCK_BOOTTIME|CLOCK_TAI|fstatfs|statfs|sysmacros)\b")


# Where the program writes itself: print.c, which knows terminals, the line of progress, and texts that are the program's own.
PRINTING = re.compile(r"(?<![\w.>])(f?printf|dprintf|puts|fputs|putchar|putc|fputc|fwrite)\s*\(")
PRINTERS = {"src/print.c", "src/progress.c", "src/help.c", "src/completion.c", "src/explain.c"}
ONE_FILE_EACH = {"zlib.h": "lib/codec/", "zstd.h": "lib/codec/", "lzma.h": "lib/codec/", "elfutils/debuginfod.h": "lib/symbols/", "pthread.h": "lib/base/"}
ELFUTILS = re.compile(r"^(elfutils/.*|libelf\.h|gelf\.h|dwarf\.h|libdw\.h|libdwfl\.h|libelf/.*)$")
WIDEST_LINE, LONGEST_FILE = 120, 820
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.S)
FILE_NAME = re.compile(r"(?<![\w./<*-])((?:[\w-]+/)*[\w-]+\.(?:[ch]|py|sh|def|md))\b(?![\w/>])")
# Files of Linux, made by the build, or of the reader of a manual.
OTHERS_FILES = re.compile(r"(include|tools|fs|arch|kernel|sys)/.*|flame_page_bytes\.c|prog\.c|NAME\.h")
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
    """The text without comments and without quoted strings; line numbers stay the same."""
    return NO_CODE.sub(lambda match: "\n" * match[0].count("\n") or " ", text)


def line_of(text, position):
    return text.count("\n", 0, position) + 1


def allowed_includes():
    """{folder of lib: folders it may include and call} from the table in the architecture document."""
    table = {}
    for line in text_of("doc/ARCHITECTURE.md").splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        match = re.fullmatch(r"`lib/(\w+)/`", cells[1]) if len(cells) == 4 else None
        if match:
            table[match[1]] = set() if cells[3].startswith("nothing") else {word.strip() for word in cells[3].split(",")}
    return table


def folder_words(table):
    """Each folder of lib/ with code has a README that says what it is for; the table lists all folders that it includes."""
    for folder, folders, names in os.walk(os.path.join(TOP, "lib")):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        path = os.path.relpath(folder, TOP)
        inner = path.split("/")[1:]
        if not inner or inner[0] == "perfdata" or inner[0] == "session" and len(inner) > 1 or not any(name.endswith((".c", ".h")) for name in names):
            continue
        if "README" not in names:
            yield path + " has no README"
            continue
        text = text_of(os.path.join(path, "README"))
        if not text.startswith(path + ": "):
            yield path + "/README does not begin with \"%s: \"" % path
        if len(inner) > 1:
            continue
        match = re.search(r"^Includes: (.*)\.$", text, re.M)
        said = match and (set() if match[1].startswith("nothing") else set(match[1].split(", ")))
        if said != table.get(inner[0]):
            yield path + "/README says that it includes %s; the table says %s" % (match and match[1], ", ".join(sorted(table.get(inner[0], ()))))


@functools.lru_cache(None)
def object_paths():
    """{path of a C file in lib/: its object file}"""
    paths = {}
    for folder, _folders, names in os.walk(os.path.join(BUILD, "lib")):
        for name in names:
            match = re.fullmatch(r"libperfdata_internal_la-(\w+)\.o", name)
            if match:
                source = os.path.relpath(folder, BUILD).replace("/.libs", "") + "/" + match[1] + ".c"
                if os.path.exists(os.path.join(TOP, source)) and (source not in paths or folder.endswith(".libs")):
                    paths[source] = os.path.join(folder, name)
    return paths


@functools.lru_cache(None)
def symbols():
    """{path of a C file in lib/: [(symbol, its class as nm says it, its section)]}, by one nm for all."""
    sources = {path: source for source, path in object_paths().items()}
    found = {source: [] for source in sources.values()}
    source = None
    for line in nm("--format=sysv", *sorted(sources)) if sources else ():
        cells = [cell.strip() for cell in line.split("|")]
        heading = re.match(r"(?:Undefined s|S)ymbols from (.*):$", line)
        if heading:
            source = sources[heading[1]]
        elif len(cells) > 6 and cells[0] != "Name":
            found[source].append((cells[0], cells[2], cells[-1]))
    return found


@functools.lru_cache(None)
def objects():
    """{path of a C file in lib/: (symbols that it defines, symbols that it uses)}"""
    found = {}
    for source, entries in symbols().items():
        found[source] = {name for name, kind, _section in entries if kind.isupper() and kind != "U"}, {name for name, kind, _section in entries if kind == "U"}
    return found


def calls():
    """(caller's file, file called, symbol) between files of lib/."""
    home = {symbol: path for path, (defined, _used) in objects().items() for symbol in defined}
    for path, (_defined, used) in sorted(objects().items()):
        for symbol in sorted(used):
            if home.get(symbol, path) != path:
                yield path, home[symbol], symbol


def room(path):
    return path.split("/")[1]


def wrong_calls(files, table):
    """Calls between folders that the table does not allow, and arrows of the table that no call or include needs."""
    needed, wrong = collections.defaultdict(set), {}
    for path, other, symbol in calls():
        needed[room(path)].add(room(other))
        if room(other) != room(path) and room(other) not in table.get(room(path), ()):
            wrong.setdefault((path, other), symbol)
    for path in files:
        if path.startswith("lib/") and path.endswith((".c", ".h")):
            for match in INCLUDE.finditer(text_of(path)):
                if match[1] and "/" in match[1]:
                    needed[room(path)].add(match[1].split("/")[0])
    yield from ("%s calls %s of %s" % (path, symbol, other) for (path, other), symbol in wrong.items())
    for folder, others in table.items():
        yield from ("the table lets %s use %s, which it does not" % (folder, other) for other in sorted(others - needed[folder]))


def family(path):
    """The folder inside a folder of lib/ that a file or an include belongs to, as "symbols/elf"; None: it is in none."""
    match = re.match(r"(\w+/\w+)/", path[len("lib/"):] if path.startswith("lib/") else path)
    return match and match[1]


def allowed_families():
    """{folder: {its folders: those that each may use}} for the folders of lib/ whose rooms the document lists, in its order."""
    rows = re.findall(r"^\| `lib/(\w+)/(\w+)/` \| [^|]+ \| ([^|]+) \|$", text_of("doc/ARCHITECTURE.md"), re.M)
    tables = {}
    for folder, inner, others in rows:
        used = set() if others.startswith("nothing") else {"%s/%s" % (folder, other) for other in others.split(", ")}
        tables.setdefault(folder, {})["%s/%s" % (folder, inner)] = used
    return tables


def wrong_families(files):
    """Rooms of a folder that use others than the document allows, by includes and calls; its rows use only rows above."""
    tables, needed = allowed_families(), collections.defaultdict(set)
    arrows = [(path, other, "calls %s of" % symbol) for path, other, symbol in calls()]
    for path in files:
        if path.endswith((".c", ".h")):
            arrows += [(path, match[1], "includes") for match in INCLUDE.finditer(text_of(path)) if match[1]]
    for path, other, how in arrows:
        user, used = family(path), family(other)
        if not user or not used or user == used or user.split("/")[0] != used.split("/")[0]:
            continue
        needed[user].add(used)
        if used not in tables.get(user.split("/")[0], {}).get(user, ()):
            yield "%s %s %s" % (path, how, other)
    for table in tables.values():
        above = set()
        for folder, others in table.items():
            yield from ("the table lets lib/%s use %s, which it does not" % (folder, other) for other in sorted(others - needed[folder]))
            yield from ("lib/%s is above %s, which it uses" % (folder, other) for other in sorted(others - above))
            above.add(folder)
    there = {family(path) for path in files if path.startswith("lib/") and path.count("/") > 2}
    listed = {folder for table in tables.values() for folder in table}
    yield from ("lib/%s is not in the table" % folder for folder in sorted(there - listed))


def room_circles(table):
    return ("the table: " + " -> ".join(circle) for circle in circles(table))


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


def opening_calls(files):
    for path in files:
        if path.startswith("lib/"):
            code = code_of(text_of(path))
            for match in OPENING.finditer(code):
                line = code[code.rfind("\n", 0, match.start()) + 1:match.start()]
                if match[1] not in OPENERS.get(path, ()) and not re.search(r"\b(static|int|void) [\w *]*$", line):
                    yield "%s:%d: %s" % (path, line_of(code, match.start()), match[1])


def not_everywhere(files):
    for path in files:
        if path.startswith("lib/") and not path.startswith("lib/base/port."):
            code = code_of(text_of(path))
            for match in NOT_EVERYWHERE.finditer(code):
                yield "%s:%d: %s" % (path, line_of(code, match.start()), match[1])


def prefetches_without_effect(files):
    """gcc drops calls of functions that do nothing but __builtin_prefetch."""
    for path in files:
        if path != "lib/base/prefetch.h":
            code = code_of(text_of(path))
            for match in re.finditer(r"\b__builtin_prefetch\b", code):
                yield "%s:%d: use pd_prefetch of lib/base/prefetch.h" % (path, line_of(code, match.start()))


def printing_elsewhere(files):
    for path in files:
        if path.startswith("src/") and path not in PRINTERS:
            code = code_of(text_of(path))
            for match in PRINTING.finditer(code):
                yield "%s:%d: %s" % (path, line_of(code, match.start()), match[1])


def unraised_codes(files):
    """Codes of findings that are documented, and that no code reports."""
    used = set()
    for path in files:
        if path.startswith(("lib/", "src/")) and path.endswith((".c", ".h")):
            used.update(re.findall(r"\bPERFDATA_FINDING_(\w+)", code_of(text_of(path))))
    rows = re.findall(r"^PERFDATA_FINDING_ROW\((\d+), \w+, (\w+),", text_of("lib/perfdata/findings.def"), re.M)
    yield from [] if rows else ["no codes were found"]
    yield from ("%s %s" % row for row in rows if row[1] not in used)


def same_names(files):
    seen = {}
    for path in files:
        if path.startswith("lib/perfdata/"):     # parts of the public API are named for the rooms they belong to
            continue
        other = seen.setdefault(os.path.basename(path), path)
        if other != path:
            yield "%s and %s" % (other, path)


def too_wide(files):
    """Lines of C beyond 120 columns, where a tab takes eight."""
    for path in files:
        if path.endswith((".c", ".h", ".def")):
            for number, line in enumerate(text_of(path).split("\n"), 1):
                if len(line.expandtabs(8)) > WIDEST_LINE:
                    yield "%s:%d has %d columns" % (path, number, len(line.expandtabs(8)))


def too_long(files):
    for path in files:
        lines = text_of(path).count("\n")
        if path.endswith((".c", ".h")) and lines > LONGEST_FILE:
            yield "%s has %d lines" % (path, lines)


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


def uncalled_exports(files):
    """Exported functions that neither the program, an example, the browser nor an inline function or macro of a header calls."""
    called = set()
    for top in ("src", "doc/examples"):
        for folder, _folders, names in os.walk(os.path.join(TOP, top)):
            for name in names:
                if name.endswith((".c", ".cc", ".h", ".py", ".js", ".mjs")):
                    called.update(re.findall(r"\bperfdata_\w+", COMMENT.sub("", text_of(os.path.join(folder, name)))))
    for path in files:
        if re.fullmatch(r"lib/perfdata(/\w+)?\.h", path):
            code = re.sub(r"PERFDATA_API[^;]*;", "", code_of(text_of(path)))
            called.update(re.findall(r"\b(perfdata_\w+)\(", code))
    yield from (name for name in sorted(declared(files)) if name not in called)


def mutable_data():
    """Objects that can change: the library keeps no state of its own."""
    for source, entries in sorted(symbols().items()):
        for name, _kind, section in entries:
            if re.match(r"\.(data|bss|tdata|tbss)\b", section) and not section.startswith(".data.rel.ro") and name not in SET_ONCE:
                yield "%s: %s is in %s" % (source, name, section)


def circles(graph):
    """Lists of nodes that reach each other: strongly connected components of more than one node."""
    number, low, stack, found = {}, {}, [], []

    def visit(node):
        number[node] = low[node] = len(number)
        stack.append(node)
        for other in sorted(graph.get(node, ())):
            if other not in number:
                visit(other)
                low[node] = min(low[node], low[other])
            elif other in stack:
                low[node] = min(low[node], number[other])
        if low[node] == number[node]:
            at = stack.index(node)
            if len(stack) - at > 1:
                found.append(sorted(stack[at:]))
            del stack[at:]

    sys.setrecursionlimit(10000)
    for node in sorted(graph):
        if node not in number:
            visit(node)
    return found


def include_circles(files):
    graph = {}
    for path in files:
        if path.startswith("lib/") and path.endswith((".c", ".h")):
            names = {match[1] for match in INCLUDE.finditer(text_of(path)) if match[1]}
            graph[path] = {"lib/" + name for name in names if os.path.exists(os.path.join(TOP, "lib", name))}
    return (" -> ".join(circle) for circle in circles(graph))


def allowed_circles():
    """{files of a circle} for each row of the table of circles in the architecture document."""
    rows = re.findall(r"^\| `lib/([\w/]*\w)` \| ([^|]+) \| [^|]{20,} \|$", text_of("doc/ARCHITECTURE.md"), re.M)
    return {frozenset("lib/%s/%s.c" % (folder, name) for name in names.split()) for folder, names in rows}


def call_circles():
    """Between files of one folder of lib/: which one calls which other. The document explains those that may be."""
    allowed = allowed_circles()
    graph = collections.defaultdict(set)
    for path, other, _symbol in calls():
        if room(path) == room(other):
            graph[path].add(other)
    found = [frozenset(circle) for circle in circles(graph)]
    for circle in sorted((circle for circle in found if not any(circle <= row for row in allowed)), key=sorted):
        one = {(path, other): symbol for path, other, symbol in reversed(list(calls())) if path in circle and other in circle}
        yield "; ".join("%s -> %s (%s)" % (path, other, symbol) for (path, other), symbol in sorted(one.items()))
    for row in sorted((row for row in allowed if not any(circle <= row for circle in found)), key=sorted):
        yield "the document explains a circle that there is not: " + " ".join(sorted(row))


def missing_files():
    """Files that comments and documents name and that there are not."""
    there, texts = set(), []
    for folder, folders, names in os.walk(TOP):
        folders[:] = [name for name in folders if not name.startswith((".", "build", "autom4te")) and name not in ("goldens", "validators")]
        for name in names:
            path = os.path.relpath(os.path.join(folder, name), TOP)
            there.add(path)
            if name.endswith((".c", ".h", ".def", ".md")) or (name == "README" and not path.startswith("testdata/")):
                texts.append(path)
    ends = {"/".join(path.split("/")[at:]) for path in there for at in range(path.count("/") + 1)}
    for path in sorted(texts):
        text = text_of(path)
        for place in COMMENT.finditer(text) if path.endswith((".c", ".h", ".def")) else [re.match(r".*", text, re.S)]:
            for match in FILE_NAME.finditer(place[0]):
                if match[1] not in ends and not OTHERS_FILES.fullmatch(match[1]):
                    yield "%s:%d: %s" % (path, line_of(text, place.start() + match.start()), match[1])


def sanitized():
    return any(word in line for line in nm("-D", "--undefined-only", LIBRARY) for word in ("__asan_init", "__tsan_init"))


def tiers():
    """Each test belongs to one tier, and each script of the folders of tests to some."""
    text = "".join(text_of(path) for path in ("tests/Makefile.inc", "tests/fuzz/Makefile.inc")).replace("\\\n", " ")
    listed = collections.Counter()
    for tier, names in re.findall(r"^TESTS(\w*) \+= (.*)", text, re.M):
        listed.update(names.split())
        if tier not in ("_FAST", "_MORE", "_SLOW"):
            yield "%s: TESTS_FAST, TESTS_MORE or TESTS_SLOW" % names
    yield from ("%s is in %d tiers" % (name, times) for name, times in sorted(listed.items()) if times > 1)
    for folder in "cli", "perf":
        for name in sorted(os.listdir(os.path.join(TOP, "tests", folder))):
            if name.endswith((".py", ".sh")) and "tests/%s/%s" % (folder, name) not in listed:
                yield "tests/%s/%s is in no tier" % (folder, name)


LIBRARY = os.path.join(BUILD, ".libs", "libperfdata.so")
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
    report("folders say what they are for", folder_words(table))
    report("arrows between folders", wrong_arrows(files, table))
    report("no circle of includes", include_circles(files))
    missing = None if objects() else "nothing was built"
    report("calls between folders are those of the table", wrong_calls(files, table) if not missing else (), missing)
    report("no circle between folders", room_circles(table))
    report("rooms of a folder use those of their table", wrong_families(files) if not missing else (), missing)
    report("no circle of calls between files but those that are explained", call_circles() if not missing else (), missing)
    report("files that comments name are there", missing_files())
    report("each foreign package is met in one place", foreign_headers(files))
    report("the library does not print, end the process or read the environment", forbidden_calls(files))
    report("files are opened in one place, by what they are", opening_calls(files))
    report("what some systems lack is used in one place", not_everywhere(files))
    report("prefetches have an effect", prefetches_without_effect(files))
    report("the program prints in one place", printing_elsewhere(files))
    report("each code of a finding is reported somewhere", unraised_codes(files))
    report("each test belongs to one tier", tiers())
    report("file names are unique", same_names(files))
    report("lines of C have at most %d columns" % WIDEST_LINE, too_wide(files))
    report("files of C have at most %d lines" % LONGEST_FILE, too_long(files))
    missing = None if os.path.exists(LIBRARY) else "no shared library was built"
    report("exported symbols are those of the public headers", exports(files) if not missing else (), missing)
    report("each exported function is called by the program, an example or the browser", uncalled_exports(files))
    missing = "nothing was built" if not objects() else "sanitizers add data" if sanitized() else None
    report("no mutable data in the library", mutable_data() if not missing else (), missing)
    print("1..%d" % count)


if __name__ == "__main__":
    main()
