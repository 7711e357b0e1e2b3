#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The program reads each case of testdata/conformance/ as the case says, and each sentence of perf-data(5) with "must" names cases that exist.
Prints TAP."""
import fnmatch
import json
import os
import re
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

PAGE = os.path.join(os.path.dirname(program.TESTDATA), "doc", "perf-data.5")


def rules_without_case():
    """The sentences of the page that say "must" without a case, and the names in them that are no case of level "must"."""
    with open(PAGE, encoding="utf-8") as f:
        page = f.read()
    lines = [line for line in page.splitlines() if not line.startswith((".SH", ".SS"))]
    text = "\n".join("\0" if line.startswith(".") else line for line in lines).replace("\\-", "-")
    names = {re.sub("-(le|be)$", "", case["name"]) for case in cases.CASES if case["must"]}
    wrong, rules = [], 0
    for sentence in re.split(r"\0|(?<=[.)])\s+(?=[A-Z])", text):
        if not re.search(r"\bmust\b", sentence):
            continue
        rules += 1
        named = [name for group in re.findall(r"\(([^()]*)\)", sentence) for name in re.split(r",\s+", group)]
        if not named:
            wrong.append("no case: " + " ".join(sentence.split()))
        wrong += ["no case of level must: " + name for name in named if not fnmatch.filter(names, name)]
    return wrong if rules else ["the page has no rules"]


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
missing = rules_without_case()
print("%s %d - each \"must\" of perf-data(5) names its cases" % ("not ok" if missing else "ok", len(cases.CASES) + 1))
for line in missing:
    print("# " + line)
print("1..%d" % (len(cases.CASES) + 1))
