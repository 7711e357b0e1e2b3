#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The table of doc/TRUST.md: for each damaged recording of the corpus that PERFDATA_CORPUS names, how many samples we deliver and how many
perf 7.3 does. With --update it is written there, else printed.

What perf delivers is what its dump says (`perf script -D`), or its statistics where there is no dump; where it prints neither, nothing."""
import json
import os
import re
import sys

import program

PAGE = os.path.join(program.TOP, "doc", "TRUST.md")
BEGIN, END = "<!-- begin: tests/support/damage_table.py --update -->\n", "<!-- end -->\n"
STAT = re.compile(rb"^ +SAMPLE events: +(\d+)", re.M)
SAMPLE = re.compile(rb": PERF_RECORD_SAMPLE\(", re.M)


def of_perf(row):
    """(samples, exit code) of `perf script -D`, or where it has none of `perf report --stats`."""
    codes = dict(part.split("=") for part in row["perf73_exit"].split(",")) if "=" in row["perf73_exit"] else {}
    dump = program.expected(row["file"], "dump")
    if dump:
        return len(SAMPLE.findall(dump)), codes.get("dump", row["perf73_exit"])
    found = STAT.search(program.expected(row["file"], "stats"))
    return int(found[1]) if found else 0, codes.get("dump", row["perf73_exit"])


def of_ours(row):
    done = program.run("info", "-q", "--json", os.path.join(program.CORPUS, row["file"]))
    if not done.out:
        return 0, done.code
    return sum(event["deliveries"] for event in json.loads(done.out)["summary"]["events"]), done.code


def table():
    lines = ["| recording | damage | samples | exit | perf 7.3 | its exit |", "| --- | --- | ---: | ---: | ---: | ---: |"]
    ours_sum = theirs_sum = more = fewer = 0
    for row in sorted(program.corpus_rows(), key=lambda row: (row["kind"], row["file"])):
        if row["kind"] not in ("damaged", "fuzz"):
            continue
        ours, code = of_ours(row)
        theirs, their_code = of_perf(row)
        ours_sum, theirs_sum = ours_sum + ours, theirs_sum + theirs
        more, fewer = more + (ours > theirs), fewer + (ours < theirs)
        note = row["note"] or "found by fuzzing another reader"
        lines.append("| %s | %s | %d | %d | %d | %s |" % (row["file"], note, ours, code, theirs, their_code))
    lines.append("| **%d recordings** | | **%d** | | **%d** | |" % (len(lines) - 2, ours_sum, theirs_sum))
    return "\n".join(lines) + "\n\nMore than perf: %d recordings; as many: %d; fewer: %d.\n" % (more, len(lines) - 3 - more - fewer, fewer)


def write_table(begin, text):
    """Puts the text between two marks of the page."""
    with open(PAGE, encoding="utf-8") as f:
        before, rest = f.read().split(begin)
    with open(PAGE, "w", encoding="utf-8") as f:
        f.write(before + begin + text + END + rest.split(END, 1)[1])


def main():
    if not program.CORPUS:
        sys.exit("PERFDATA_CORPUS names no corpus")
    if "--update" in sys.argv:
        write_table(BEGIN, table())
    else:
        sys.stdout.write(table())


if __name__ == "__main__":
    main()
