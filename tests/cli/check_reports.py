#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What `perfdata check` writes for pipelines: SARIF by the rules of 2.1.0, annotations, JSON of inputs that cannot be read, and -q. Prints TAP."""
import os
import re
import sys
import tempfile
import urllib.parse

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import program
from program import run, strict_json

GOOD, BAD, WARNED, NONE = (os.path.join(program.TESTDATA, name) for name in ("callgraph-73.data", "bad-record-size.data", "stat-73.data", "README"))
ABSENT = os.path.join(program.TESTDATA, "absent, 100 %: é.data")

tap = program.Tap()
report = tap.report


# --- SARIF ---
# Of the published schema: (property, type, required); what is not named may not be there.
TEXT = {"text": (str, True)}
SHAPES = {
    "log": {"$schema": (str, False), "version": (str, True), "runs": (["run"], True)},
    "run": {"tool": ("tool", True), "columnKind": (str, False), "invocations": (["invocation"], False), "results": (["result"], False)},
    "tool": {"driver": ("driver", True)},
    "driver": {"name": (str, True), "version": (str, False), "rules": (["rule"], False)},
    "rule": {"id": (str, True), "name": (str, False), "shortDescription": ("text", False), "help": ("text", False),
             "defaultConfiguration": ("configuration", False)},
    "configuration": {"level": (str, False)},
    "text": TEXT,
    "invocation": {"executionSuccessful": (bool, True), "exitCode": (int, False)},
    "result": {"ruleId": (str, False), "ruleIndex": (int, False), "level": (str, False), "message": ("text", True), "locations": (["location"], False),
               "partialFingerprints": (dict, False)},
    "location": {"physicalLocation": ("place", False)},
    "place": {"artifactLocation": ("artifact", False), "region": ("region", False)},
    "artifact": {"uri": (str, False)},
    "region": {"startLine": (int, False), "byteOffset": (int, False), "byteLength": (int, False)},
}


def shape_faults(value, shape, where):
    if isinstance(shape, list):
        if not isinstance(value, list):
            return ["%s is no list" % where]
        return [fault for i, item in enumerate(value) for fault in shape_faults(item, shape[0], "%s[%d]" % (where, i))]
    if isinstance(shape, type):
        return [] if isinstance(value, shape) and not (shape is int and isinstance(value, bool)) else ["%s is no %s" % (where, shape.__name__)]
    if not isinstance(value, dict):
        return ["%s is no object" % where]
    members = SHAPES[shape]
    faults = ["%s has no %s" % (where, name) for name, (_type, required) in members.items() if required and name not in value]
    faults += ["%s has a %s" % (where, name) for name in value if name not in members]
    return faults + [fault for name in value if name in members for fault in shape_faults(value[name], members[name][0], "%s.%s" % (where, name))]


def sarif_faults(log):
    faults = shape_faults(log, "log", "log")
    if faults:
        return faults
    run_of = log["runs"][0]
    rules = run_of["tool"]["driver"]["rules"]
    ids = [rule["id"] for rule in rules]
    faults += [] if log["version"] == "2.1.0" and len(log["runs"]) == 1 else ["version, runs"]
    faults += [] if len(set(ids)) == len(ids) else ["rules of one id"]
    for rule in rules:
        faults += [] if rule["defaultConfiguration"]["level"] in ("none", "note", "warning", "error") else [rule]
        faults += [] if rule["shortDescription"]["text"] and rule["help"]["text"] else [rule]
    for result in run_of["results"]:
        faults += [] if result["level"] in ("none", "note", "warning", "error") else [result]
        faults += [] if 0 <= result["ruleIndex"] < len(ids) and ids[result["ruleIndex"]] == result["ruleId"] else [result]
        region = result["locations"][0]["physicalLocation"]["region"]
        faults += [] if region["startLine"] >= 1 and region.get("byteOffset", 0) >= 0 and ("byteOffset" in region) == ("byteLength" in region) else [region]
        uri = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
        faults += [] if re.fullmatch(r"(file:///)?([A-Za-z0-9._~/-]|%[0-9A-F]{2})*", uri) else [uri]
        faults += [] if result["message"]["text"] and all(isinstance(text, str) for text in result["partialFingerprints"].values()) else [result]
    prints = {result["partialFingerprints"]["place/v1"] for result in run_of["results"]}
    places = {(result["ruleId"], str(result["locations"])) for result in run_of["results"]}
    return faults + ([] if len(prints) == len(places) else ["%d fingerprints of %d places" % (len(prints), len(places))])


def check_sarif():
    paths = [path for path, _kind in program.recordings(1 << 20)] + [NONE, ABSENT]
    done = run("check", "--sarif", *paths)
    log = strict_json(done.out)
    report("SARIF of %d inputs" % len(paths), sarif_faults(log))
    results = log["runs"][0]["results"]
    lines = [strict_json(line) for line in run("check", "--json", *paths).out.splitlines()]
    findings = sum(len(line["findings"]) for line in lines) + sum(line["error"] is not None for line in lines)
    report("a result for each finding, and for each input that cannot be read", [] if findings == len(results) else [findings, len(results)])
    last = results[-1]
    report("paths are URIs", [] if urllib.parse.unquote(last["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]) == "file://" + ABSENT
           and last["ruleId"] == "UNREADABLE" else [last])
    relative = strict_json(run("check", "--sarif", os.path.basename(BAD), cwd=program.TESTDATA).out)["runs"][0]
    region = relative["results"][0]["locations"][0]["physicalLocation"]
    report("relative ones stay relative", [] if region == {"artifactLocation": {"uri": "bad-record-size.data"},
                                                          "region": {"startLine": 1, "byteOffset": 2384, "byteLength": 0}} else [region])
    report("the exit code", [] if log["runs"][0]["invocations"] == [{"executionSuccessful": False, "exitCode": 3}] and done.code == 3
           and relative["invocations"] == [{"executionSuccessful": True, "exitCode": 1}] else [log["runs"][0]["invocations"]])
    again = run("check", "--sarif", *paths)
    nothing = strict_json(run("check", "--sarif", GOOD).out)
    report("the same bytes again; no result of a good one", [] if again == done and nothing["runs"][0]["results"] == [] and not sarif_faults(nothing) else ["they differ"])


# --- annotations ---

def unescaped(text):
    return text.replace("%0D", "\r").replace("%0A", "\n").replace("%3A", ":").replace("%2C", ",").replace("%25", "%")


def annotations(out):
    found = []
    for line in out.decode().splitlines():
        parts = re.fullmatch(r"::(error|warning|notice) (?:file=([^,:]*),)?title=([^,:]*)::(.*)", line)
        if parts:
            found.append((parts[1], unescaped(parts[2] or ""), unescaped(parts[3]), unescaped(parts[4])))
    return found


def check_annotations():
    done = run("check", "--annotate", "github", BAD, WARNED, ABSENT, NONE, GOOD)
    found = annotations(done.out)
    wanted = [("error", BAD, "E103 RECORD_SIZE"), ("warning", WARNED, "W304 FEATURE_EMPTY"), ("error", ABSENT, "cannot be read"), ("error", NONE, "cannot be read")]
    report("annotations", [] if [each[:3] for each in found] == wanted and "0x950" in found[0][3] and done.code == 3 else [found])
    plain = run("check", BAD, WARNED, ABSENT, NONE, GOOD).out
    kept = b"".join(line for line in done.out.splitlines(True) if not line.startswith(b"::"))
    report("the text is written beside them", [] if kept == plain else [done.out])
    done = run("check", "--annotate", "github", *[BAD] * 14)
    found = annotations(done.out)
    report("ten of each kind, and how many more", [] if len(found) == 11 and found[-1][0] == "notice" and found[-1][3].startswith("4 more") else [found])
    done = run("check", "-q", "--annotate", "github", BAD, WARNED)
    report("-q: errors only", [] if [each[0] for each in annotations(done.out)] == ["error"] else [done])


# --- JSON, -q, forms ---

def check_json():
    done = run("check", "--json", GOOD, ABSENT, NONE, BAD)
    lines = [strict_json(line) for line in done.out.splitlines()]
    faults = [] if [line["file"] for line in lines] == [GOOD, ABSENT, NONE, BAD] and [line["exit_code"] for line in lines] == [0, 3, 3, 1] else [lines]
    faults += [] if [line["records"] for line in lines] == [57, None, None, 56] else [lines]
    faults += [] if lines[0]["error"] is None and lines[3]["error"] is None and lines[1]["error"]["severity"] == lines[2]["error"]["severity"] == "error" else [lines]
    faults += [] if "No such file" in lines[1]["error"]["message"] else [lines[1]]
    report("--json lists what cannot be read", faults)
    finding = lines[3]["findings"][0]
    summary = strict_json(run("ndjson", "-q", BAD).out.splitlines()[-1])["findings"][0]
    log = next(strict_json(line) for line in run("ndjson", "--log-format", "json", BAD).err.splitlines())
    report("a finding has one shape everywhere", [] if finding == summary == {key: value for key, value in log.items() if key != "level"} else [finding, summary, log])


def check_quiet():
    done = run("check", "-q", GOOD, WARNED)
    report("-q: nothing of good ones and warnings", [] if done == (0, b"", b"") else [done])
    done = run("check", "-q", GOOD, BAD, NONE)
    report("-q: errors", [] if done.code == 3 and done.out.count(b"\n") == 1 and b"[E103]" in done.out and done.err.count(b"\n") == 1 else [done])


def check_forms():
    for words in (("--json", "--sarif"), ("--junit", "--sarif"), ("--json", "--annotate", "github"), ("--annotate", "gitlub")):
        done = run("check", *words, GOOD)
        report("%s is wrong use" % " ".join(words), [] if done.code == 2 and not done.out else [done])
    done = run("check", "--fail-fast", "--junit", GOOD, BAD, GOOD)
    report("--fail-fast: the rest is skipped", [] if done.code == 1 and done.out.count(b"<skipped") == 1 and done.out.count(b"<failure") == 1 else [done])
    with tempfile.TemporaryDirectory() as folder:
        done = run("check", "-q", "--summary", folder + "/s", GOOD, BAD, ABSENT)
        with open(folder + "/s", "rb") as f:
            lines = [strict_json(line) for line in f.read().splitlines()]
    shown = [(line["status"], line["exit_code"], line["outputs"]) for line in lines[:-1]]
    report("--summary", [] if shown == [("done", 0, []), ("damaged", 1, []), ("failed", 3, [])] and lines[-1]["exit_code"] == done.code == 3 else [lines])


def main():
    check_sarif()
    check_annotations()
    check_json()
    check_quiet()
    check_forms()
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
