#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`perfdata check --junit` is well-formed XML with one case for each file, whatever the files are called and hold; the cases agree with the exit
code and with --json, and one bad file harms no other. `diff --junit` and `match --junit` agree with their exit codes, too. Prints TAP."""
import json
import os
import signal
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import program
from program import run

LETTERS = {"note": "N", "warning": "W", "error": "E"}


def code_of(finding):
    """"E103", as texts have it."""
    return "%s%03d" % (LETTERS[finding["severity"]], finding["code"])


# What a case becomes, by the exit code of the file checked alone.
RESULTS = {0: None, 1: "failure", 3: "error"}

HOSTILE = ("<tag attribute=\"1\">&amp;]]>.data", "control\x01\x1b[2J\n\t.data", "no utf-8 \udcff\udc80.data", "no character \ufffe\uffff.data", "--\u2028 ' é 😀.data")

tap = program.Tap()
report = tap.report


def suite_of(out):
    """The one suite; ValueError where it is not what build servers expect."""
    try:
        root = xml.etree.ElementTree.fromstring(out)
    except xml.etree.ElementTree.ParseError as problem:
        raise ValueError("not well-formed: %s" % problem) from problem
    if root.tag != "testsuites" or [child.tag for child in root] != ["testsuite"]:
        raise ValueError("not one suite in testsuites")
    suite = root[0]
    for case in suite:
        if case.tag != "testcase" or not case.get("name") or not case.get("classname") or len(case) > 1:
            raise ValueError("a case of another form: %r" % xml.etree.ElementTree.tostring(case))
    for name, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        if int(suite.get(name)) != len(suite.findall("testcase/" + tag)):
            raise ValueError("%s is %s" % (name, suite.get(name)))
    if int(suite.get("tests")) != len(suite):
        raise ValueError("tests is %s, there are %d" % (suite.get("tests"), len(suite)))
    return suite


def result_of(case):
    found = case[0].tag if len(case) else None
    return None if found == "system-out" else found


def faults_of(paths):
    """All of them in one document, against each alone."""
    done = run("check", "--junit", *paths)
    faults = []
    codes = []
    try:
        suite = suite_of(done.out)
    except ValueError as problem:
        return [problem]
    if len(suite) != len(paths):
        return ["%d cases for %d files" % (len(suite), len(paths))]
    for path, case in zip(paths, suite):
        alone = run("check", "--json", path)
        codes.append(alone.code)
        if alone.code not in RESULTS or result_of(case) != RESULTS[alone.code]:
            faults.append("%r is %s, its exit code alone %d" % (path, result_of(case), alone.code))
        document = json.loads(alone.out) if alone.out else {"findings": []}
        text = case[0].text or "" if len(case) else ""
        for finding in document["findings"]:
            if "[%s]" % code_of(finding) not in text:
                faults.append("%r does not report %s" % (path, code_of(finding)))
        if alone.code == 1 and case[0].get("type") not in [code_of(finding) for finding in document["findings"]]:
            faults.append("%r has type %s" % (path, case[0].get("type")))
        if alone.code and not case[0].get("message"):
            faults.append("%r has no message" % path)
    wanted = next(code for code in (3, 1, 0) if code in codes)
    if done.code != wanted:
        faults.append("exit code %d, not %d" % (done.code, wanted))
    return faults


def interrupted(path):
    """SIGINT while the second of three files, a pipe that nobody writes to, is read."""
    with tempfile.TemporaryDirectory() as folder:
        pipe = os.path.join(folder, "pipe")
        os.mkfifo(pipe)
        process = subprocess.Popen([program.PERFDATA, "check", "--junit", path, pipe, path], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        with open(pipe, "wb") as writer:       # returns when the program has opened it
            process.send_signal(signal.SIGINT)
            out, _err = process.communicate(timeout=60)
            writer.close()
    try:
        results = [result_of(case) for case in suite_of(out)]
    except ValueError as problem:
        return [problem]
    faults = [] if results == [None, "error", "skipped"] else ["results: %s" % results]
    return faults + ([] if process.returncode == 130 else ["exit code %d" % process.returncode])


def answers():
    """Commands with recordings, and their exit codes."""
    def path(name):
        return os.path.join(program.TESTDATA, name)

    good, same, cut, other = path("callgraph-73.data"), path("callgraph-73.data"), path("bad-garbage.data"), path("trace-73.data")
    symbols = ["--symbols", "no"]
    return ((0, ["diff", *symbols, good, same]),               # inconclusive
            (1, ["diff", *symbols, "--strict", good, same]),
            (0, ["diff", *symbols, good, other]),              # incomparable
            (1, ["diff", *symbols, "--strict", good, other]),
            (0, ["diff", path("stat-73.data"), path("stat-61.data")]),   # no samples
            (1, ["diff", "--strict", path("stat-73.data"), path("stat-61.data")]),
            (1, ["diff", path("diff/clang-inline.txt"), path("diff/gcc-inline.txt")]),
            (4, ["diff", *symbols, good, cut]),
            (4, ["diff", *symbols, "--despite", "all", cut, good]),
            (3, ["diff", good, "/nonexistent"]), (3, ["diff", os.devnull, good]),
            (4, ["match", "--other", cut, cut]), (3, ["match", os.devnull]), (3, ["match", "/nonexistent"]))


def disagreements(wanted, words):
    """What build servers show of a document is red exactly where the exit code is not 0."""
    done = run(words[0], "-q", "--junit", *words[1:])
    if done.code != wanted:
        yield "%s: exit code %d: %r" % (" ".join(words), done.code, done.err)
    root = xml.etree.ElementTree.fromstring(done.out)
    bad = [case for case in root.iter("testcase") if result_of(case) in ("failure", "error")]
    if sum(int(suite.get("failures")) + int(suite.get("errors")) for suite in root) != len(bad) or bool(bad) != bool(done.code):
        yield "%s: exit code %d, and %d cases failed" % (" ".join(words), done.code, len(bad))
    if not list(root.iter("testcase")):
        yield "%s: no cases" % " ".join(words)
    if done.code > 1 and not any(case.get("name") == "inputs" and case[0].get("message") for case in bad):
        yield "%s: exit code %d, and nothing says why" % (" ".join(words), done.code)
    yield from ("%s: a case of %s" % (words[0], case.get("classname")) for case in root.iter("testcase") if case.get("classname") != "perfdata." + words[0])


def main():
    paths = [path for path, _kind in program.recordings(1 << 20)]
    good = os.path.join(program.TESTDATA, "callgraph-73.data")
    report("%d recordings in one document" % len(paths), faults_of(paths))
    report("each format of the answer says the same of one file", faults_of([os.path.join(program.TESTDATA, "bad-record-size.data")]))
    report("bad files between good ones", faults_of([good, os.path.join(program.TESTDATA, "README"), good, "/nonexistent", program.TESTDATA, good]))
    with tempfile.TemporaryDirectory() as folder:
        hostile = [os.path.join(folder, name) for name in HOSTILE]
        for path in hostile:
            with open(path, "wb") as f, open(os.path.join(program.TESTDATA, "bad-cut.data"), "rb") as source:
                f.write(source.read())
        report("hostile names", faults_of(hostile + [os.path.join(folder, "<absent>")]))
    report("strict: a warning fails", [] if run("check", "--junit", "--strict", os.path.join(program.TESTDATA, "stat-73.data")).out.count(b"<failure") == 1
           else ["it does not"])
    both = run("check", "--junit", "--json", good)
    report("two forms at once are wrong use", [] if both.code == 2 and not both.out else [both])
    report("interrupted", interrupted(good))
    report("answers of diff and match are red where their exit codes are not 0",
           [fault for code, words in answers() for fault in disagreements(code, words)])
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
