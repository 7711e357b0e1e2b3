#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The program reads each case of testdata/conformance/ as the case says. Prints TAP."""
import json
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import program

CONFORMANCE = os.path.join(program.TESTDATA, "conformance")
sys.dont_write_bytecode = True
sys.path[:0] = [CONFORMANCE, os.path.join(CONFORMANCE, "adapters")]
import cases
import perfdata
import run

os.environ["PERFDATA"] = program.PERFDATA
# what a reader may refuse, this one does not, but for what looks as if its recorder had been killed
REFUSED = {"unfinished-le", "unfinished-be", "empty-le", "empty-be", "attr-size-152-le", "attr-size-152-be"}
with tempfile.TemporaryDirectory() as folder:
    for number, case in enumerate(cases.CASES, 1):
        path = os.path.join(folder, case["name"] + (".pipe" if case["pipe"] else ".data"))
        with open(path, "wb") as f:
            f.write(case["data"])
        about = {"valid": "valid" if case["valid"] else "damaged"}
        found, code = perfdata.read(path)
        wrong = run.verdict(about, json.loads(json.dumps(case["lines"])), found, code, set())
        if case["name"] in REFUSED:
            wrong = "" if code in (0, 4) else "exit code %d" % code
        print("%s %d - %s: %s" % ("not ok" if wrong else "ok", number, case["name"], case["what"].replace("#", "")))
        if wrong:
            print("# " + wrong[:1000])
print("1..%d" % len(cases.CASES))
