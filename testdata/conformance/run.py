#!/usr/bin/env python3
# SPDX-License-Identifier: CC0-1.0
"""Runs a reader over the cases and compares. README says what an adapter is.

usage: run.py [--cases FOLDER] [--only GLOB]… [--tap] ADAPTER [ARGUMENT…]"""
import argparse
import fnmatch
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


def differs(wanted, found, at="line"):
    """Of what is wanted, what is not there. A reader may say more."""
    if isinstance(wanted, dict) and isinstance(found, dict):
        for key, value in wanted.items():
            if key not in found:
                return "%s: no %s" % (at, key)
            wrong = differs(value, found[key], "%s.%s" % (at, key))
            if wrong:
                return wrong
        return ""
    if isinstance(wanted, list) and isinstance(found, list):
        if len(wanted) != len(found):
            return "%s: %d elements, not %d" % (at, len(found), len(wanted))
        return next(filter(None, (differs(a, b, "%s[%d]" % (at, i)) for i, (a, b) in enumerate(zip(wanted, found)))), "")
    return "" if wanted == found and isinstance(wanted, bool) == isinstance(found, bool) else "%s: %s, not %s" % (at, json.dumps(found), json.dumps(wanted))


def narrowed(line, keys):
    """The compared part of a line: a key is compared in every record, "TYPE.KEY" in records of that type."""
    return {key: value for key, value in line.items() if key in keys or "%s.%s" % (line["type"], key) in keys} if keys else line


def verdict(case, wanted, found, code, keys):
    """"": as it should be."""
    if code < 0:
        return "the reader ended by signal %d" % -code
    records = [line for line in found if line.get("type") != "meta"]
    asked = [line for line in wanted if line["type"] != "meta"]
    if case["valid"] == "valid" and code:
        return "exit code %d for a valid recording" % code
    if case["valid"] == "damaged" and not code:
        return "nothing says that something is wrong"
    if case["valid"] == "damaged":
        records = records[:len(asked)]
    if len(records) != len(asked):
        return "%d records, not %d" % (len(records), len(asked))
    pairs = list(zip(asked, records))
    if not keys and wanted and wanted[0]["type"] == "meta":
        metas = [line for line in found if line.get("type") == "meta"]
        pairs.insert(0, (wanted[0], metas[0] if metas else {}))
    return next(filter(None, (differs(narrowed(a, keys), b, "line %d" % i) for i, (a, b) in enumerate(pairs))), "")


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--cases", default=os.path.join(HERE, "cases"))
    options.add_argument("--only", action="append", default=[])
    options.add_argument("--tap", action="store_true")
    options.add_argument("adapter", nargs=argparse.REMAINDER)
    options = options.parse_args()
    manifest = os.path.join(options.cases, "MANIFEST.tsv")
    if not os.path.exists(manifest):
        sys.exit("%s: there are no cases; make.py writes them (make.py FOLDER, then run.py --cases FOLDER)" % options.cases)
    keys = set()
    about = subprocess.run(options.adapter + ["--about"], stdout=subprocess.PIPE, check=True).stdout
    keys.update(json.loads(about).get("keys", []))
    with open(manifest) as f:
        rows = [line.rstrip("\n").split("\t") for line in f]
    cases = [dict(zip(rows[0], row)) for row in rows[1:]]
    cases = [case for case in cases if not options.only or any(fnmatch.fnmatch(case["case"], glob) for glob in options.only)]
    passed = failed = refused = 0
    for number, case in enumerate(cases, 1):
        path = os.path.join(options.cases, case["case"])
        with open(path.rsplit(".", 1)[0] + ".ndjson") as f:
            wanted = [json.loads(line) for line in f]
        try:
            done = subprocess.run(options.adapter + [path], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=60)
            found = [json.loads(line) for line in done.stdout.decode("utf-8").splitlines()]
            wrong = verdict(case, wanted, found, done.returncode, keys)
        except (subprocess.TimeoutExpired, ValueError) as error:
            wrong = str(error)
        may = wrong and case["level"] == "may" and not str(wrong).startswith("the reader ended")
        passed, failed, refused = passed + (not wrong), failed + bool(wrong and not may), refused + bool(may)
        if options.tap:
            print("%s %d - %s%s" % ("ok" if not wrong or may else "not ok", number, case["case"], " # SKIP may: " + wrong if may else ""))
            if wrong and not may:
                print("# " + wrong[:1000])
        elif wrong:
            print("%s\t%s\t%s" % (case["case"], "may" if may else "FAILED", wrong[:300]))
    if options.tap:
        print("1..%d" % len(cases))
    else:
        print("%d as they should be, %d not, %d that a reader may refuse" % (passed, failed, refused))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
