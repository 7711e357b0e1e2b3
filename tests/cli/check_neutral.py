#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The recordings of testdata/ hold nothing of the machine they were made on: no environment in recorded stacks, no folder of a user. What is
packed, joined or inside a record is looked at as the program reads it. Prints TAP."""
import json
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from program import TESTDATA, Tap, run

# What record.sh gives the recorded programs, and shells add.
VARIABLES = {"HOME", "PATH", "LC_ALL", "PWD", "OLDPWD", "SHLVL", "LANG", "TERM", "_"}
VARIABLE = re.compile(rb"(?:^|(?<=\0))([A-Z_][A-Z0-9_]*)=[ -~]*\0")
PLACES = re.compile(r"/(?:root|home)/[ -~]*")
# Names that programs hold without any relation to a machine.
HARMLESS = re.compile(r"/home/(?:user|demo)\b.*")


def bytes_of(value):
    """The bytes that are spelled as hex anywhere in a line, and its texts."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for part in value:
            yield from bytes_of(part)
    elif isinstance(value, str):
        yield bytes.fromhex(value) if len(value) > 15 and len(value) % 2 == 0 and re.fullmatch("[0-9a-f]+", value) else value.encode() + b"\0"


def faults_of(path):
    found = set()
    for line in run("ndjson", "-q", path).out.splitlines():
        try:
            parts = bytes_of(json.loads(line))
        except ValueError:      # check_json.py is about these
            continue
        for part in parts:
            found |= {match[1].decode() for match in VARIABLE.finditer(part) if match[1].decode() not in VARIABLES}
            found |= {place for place in PLACES.findall(part.decode("latin-1")) if not HARMLESS.match(place)}
    return sorted(found)


def main():
    tap = Tap()
    for folder in (TESTDATA, os.path.join(TESTDATA, "simpleperf"), os.path.join(TESTDATA, "spans")):
        for name in sorted(os.listdir(folder)):
            if name.endswith((".data", ".pipe", ".dir")):
                tap.report("%s holds nothing of a machine" % os.path.relpath(os.path.join(folder, name), TESTDATA), faults_of(os.path.join(folder, name)))
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
