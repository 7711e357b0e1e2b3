#!/usr/bin/env python3
# SPDX-License-Identifier: CC0-1.0
"""Writes the recordings, what a reader has to give for each, and MANIFEST.tsv.

usage: make.py [FOLDER]        default: cases/ beside this file"""
import json
import os
import sys

sys.dont_write_bytecode = True
import cases   # noqa: E402

COLUMNS = ("case", "valid", "level", "since", "what")


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(os.path.abspath(__file__)), "cases")
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "MANIFEST.tsv"), "w") as manifest:
        manifest.write("\t".join(COLUMNS) + "\n")
        for case in cases.CASES:
            name = case["name"] + (".pipe" if case["pipe"] else ".data")
            with open(os.path.join(folder, name), "wb") as out:
                out.write(case["data"])
            with open(os.path.join(folder, case["name"] + ".ndjson"), "w") as out:
                out.writelines(json.dumps(line) + "\n" for line in case["lines"])
            manifest.write("\t".join((name, "valid" if case["valid"] else "damaged", "must" if case["must"] else "may", case["since"], case["what"])) + "\n")


if __name__ == "__main__":
    main()
