#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A record type is described in one place: a made-up one is added there, and every output knows it.

usage: check_new_record.py        in the build folder. Prints TAP; skips where the build has no objects or no compiler.

The rows go to the end of a copy of lib/schema/layout_user.c; the program is linked anew with that object instead of its own.
"""
import json
import os
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
TOP = os.path.abspath(os.environ.get("top_srcdir", os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")))
BUILD = os.path.abspath(os.environ.get("top_builddir", "."))
sys.path.insert(0, os.path.join(TOP, "tests", "support"))
from builder import IP, TID, TIME, Recording  # noqa: E402

# what a developer writes: the view, its rows, and the line of the table
VIEW = """
struct perfdata_weather { uint64_t present; uint32_t station; int32_t degrees; struct perfdata_bytes place; };
enum { PERFDATA_RECORD_WEATHER = 90 };
static const struct perfdata_field weather_fields[] = {
	PD_ROW(weather, station, U32, DEC, "Who measured."),
	PD_ROW(weather, degrees, S32, DEC, "How warm it was."),
	PD_ROW(weather, place, TEXT, TEXT, "Where."),
};
static const struct perfdata_layout weather_layout = {
	.name = "weather", .perf_name = "WEATHER", .doc = "Made up.", PD_MISC(PD_MISC_BIT(11, "ESTIMATED")),
	.id = PERFDATA_RECORD_WEATHER, .min_size = 17, .view_size = sizeof(struct perfdata_weather), PD_FIELDS(weather_fields),
};

"""
TABLE = "static const struct perfdata_layout *const layouts[] = {\n"
LINE = "\tUSER(WEATHER) = &weather_layout,\n"


def variables():
    with open(f"{BUILD}/Makefile", encoding="utf-8") as makefile:
        return dict(re.findall(r"^(\w+) = *(.*)$", makefile.read().replace("\\\n", " "), re.M))


def make(command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise OSError(done.stderr[-1500:])


def build(folder):
    """The program with the new type, or None."""
    with open(f"{TOP}/lib/schema/layout_user.c", encoding="utf-8") as source:
        text = source.read()
    head, table, rest = text.partition(TABLE)
    if not table:
        sys.exit("lib/schema/layout_user.c has no table of layouts")
    with open(f"{folder}/layout_user.c", "w", encoding="utf-8") as out:
        out.write(head + VIEW + table + LINE + rest)
    values = variables()
    compiler = values["CC"].split()
    library = f"{BUILD}/.libs/libperfdata-internal.a"
    program = [f"{BUILD}/" + name.replace("$(OBJEXT)", "o") for name in values.get("am_perfdata_OBJECTS", "").split()]
    if not program or not all(os.path.exists(name) for name in [library, *program]):
        return None
    built_with = values.get("CFLAGS", "").split() + values.get("SAN_CFLAGS", "").split()
    flags = [f"-I{BUILD}", f"-I{TOP}/lib", "-D_GNU_SOURCE", "-std=gnu11", "-fPIC", "-g", *built_with]
    make([*compiler, *flags, "-c", f"{folder}/layout_user.c", "-o", f"{folder}/layout_user.o"])
    libraries = " ".join(value for name, value in values.items() if name.endswith("_LIBS") or name == "LIBS").split()
    libraries = [name for name in dict.fromkeys(libraries) if name.startswith("-l") or name.startswith("-L")]
    # The object precedes the archive, so that the linker does not need the archive's own one. A program for another machine finds its loader by LDFLAGS.
    make([*compiler, *built_with, *values.get("LDFLAGS", "").split(), "-o", f"{folder}/perfdata", *program, f"{folder}/layout_user.o", library, *libraries,
          "-lpthread", "-ldl", "-lm"])
    return f"{folder}/perfdata"


def recording(path, big):
    r = Recording(big=big)
    r.event("cycles", [11], sample_type=IP | TID | TIME, sample_id_all=1)
    r.comm(100, 100, "prog", time=1)
    r.record(90, r.pack("Ii", 7, -3) + r.text("on the roof"), misc=1 << 11)
    r.feature(3, r.string("demo"))
    r.save(path)


def main():
    with tempfile.TemporaryDirectory() as folder:
        try:
            program = build(folder)
        except OSError as error:
            print(f"1..1\nnot ok 1 - the program is built with a new type of records")
            print("# " + str(error).replace("\n", "\n# "))
            return 1
        if not program:
            print("1..0 # SKIP the build has no objects to link")
            return 0
        tests = []

        def run(*args):
            done = subprocess.run([program, *args], capture_output=True, text=True)
            return done.stdout if done.returncode == 0 else f"exit {done.returncode}: {done.stderr}"

        for name, big in (("little", False), ("big", True)):
            path = f"{folder}/{name}.data"
            recording(path, big)
            records = [json.loads(line) for line in run("ndjson", "--type", "weather", path).splitlines() if line.startswith('{"type":"weather"')]
            wanted = {"station": 7, "degrees": -3, "place": "on the roof", "misc": ["ESTIMATED"]}
            tests.append((f"ndjson, {name}-endian", [{key: record.get(key) for key in wanted} for record in records] == [wanted]))
            dump = run("dump", "--symbols", "no", path)
            tests.append((f"dump, {name}-endian", "PERF_RECORD_WEATHER" in dump and "event: 90\n" in dump))
            tests.append((f"csv, {name}-endian", "on the roof" in run("csv", "--table", "weather", path)))
            tests.append((f"check, {name}-endian", "0 errors, 0 warnings" in run("check", path)))
            tests.append((f"info, {name}-endian", "weather" in run("info", path)))
        tests.append(("fields", "degrees" in run("fields") and "How warm it was." in run("fields")))
        schema = json.loads(run("schema"))
        tests.append(("schema", "weather" in json.dumps(schema)))
    print(f"1..{len(tests)}")
    for number, (name, good) in enumerate(tests, 1):
        print(f"{'ok' if good else 'not ok'} {number} - {name}")
    return 0 if all(good for _, good in tests) else 1


if __name__ == "__main__":
    sys.exit(main())
