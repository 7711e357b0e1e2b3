#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Several recordings merged into one: it has the samples of each, under distinct ids, in the order of time, and to perf, where PERF names one of
version 7, its text is that of all of them. What cannot be one recording is refused with the reason. TAP. (Parts of one recording: rewritten.py.)"""
import itertools
import json
import os
import re
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import rewritten  # noqa: E402
from builder import IDENTIFIER, IP, Recording, TID, TIME  # noqa: E402
from rewritten import program  # noqa: E402

OF_ONE_HOST = ["callgraph-73.data", "group-73.data", "trace-73.data", "stream-trace-73.pipe", "trace-61.data", "threads-73.dir", "zstd-73.data",
               "dwarf-73.data", "registers-61.data", "stream-61.pipe"]
IDS = ("identifier", "id", "stream_id")


def path_of(name):
    return os.path.join(program.TESTDATA, name)


def documents(path, *options):
    done = program.run("ndjson", "-q", "--symbols", "no", *options, path)
    return [json.loads(line) for line in done.out.decode("utf-8").splitlines()]


def without_ids(record):
    """Facts of the sample alone, since a build-id in one recording names the file in the other one, too."""
    for place in [record.get("ip_at") or {}, *(record.get("stack") or [])]:
        place.pop("build_id", None)
    for value in record.get("read", {}).get("values", []):
        value.pop("id", None)
        value.pop("event", None)
    return json.dumps({key: value for key, value in record.items() if key not in IDS + rewritten.PLACES + ("size", "rest")}, sort_keys=True)


def samples(path, *options):
    """Of files that are known before anything is read, samples name their events alike in streams and files. Counters that samples read count by how much
    they grew since the sample before, whether the options let it through or not: a cut counts only what its own samples count."""
    every = [record for record in documents(path, "--names", "--order", "time") if record["type"] == "sample"]
    if any("read" in record for record in every):
        last = {}
        for record in every:
            for value in record.get("read", {}).get("values", []):
                key = (value.get("id"), record.get("tid"))
                last[key], value["value"] = value["value"], value["value"] - last.get(key, 0)
        kept = {record["offset"] for record in documents(path, "--order", "time", *options) if record["type"] == "sample"}
        return [without_ids(record) for record in every if record["offset"] in kept]
    return [without_ids(record) for record in documents(path, "--names", "--order", "time", *options) if record["type"] == "sample"]


def merged(folder, *words):
    return rewritten.rewritten(folder, "--force", *words)


def faults_of_samples(folder, paths, *options, filters=()):
    out, code, said = merged(folder, *options, *filters, *paths)
    if code != 0 or not out:
        return ["exit code %d: %s" % (code, said[-300:])]
    wanted = sorted(sample for path in paths for sample in samples(path, *filters))
    found = samples(out)
    faults = []
    if sorted(found) != wanted:
        faults.append("%d samples instead of %d: %s" % (len(found), len(wanted), sorted(set(found) ^ set(wanted))[:2]))
    times = [json.loads(sample)["time"] for sample in found]
    if times != sorted(times):
        faults.append("the samples are not in the order of time")
    done = program.run("check", "-q", out)
    if done.code != 0:
        faults.append("check: exit code %d: %s" % (done.code, done.out[:300]))
    ids = [number for event in documents(out)[0]["events"] for number in event["ids"]]
    if len(ids) != len(set(ids)):
        faults.append("an id belongs to two events")
    return faults


def faults_of_equal_ids(folder):
    """Two events of two recordings that have the same id."""
    paths = []
    for number, name in enumerate(("cycles", "instructions")):
        r = Recording()
        event = r.event(name, [11], type=0, config=number, sample_type=IP | TID | TIME | IDENTIFIER, sample_id_all=1, period=5)
        r.comm(100, 100, "work", time=1)
        r.sample(event, ip=0x1000, pid=100, tid=100, time=10 + number)
        r.feature(3, r.string("host"))
        r.feature(12, r.event_desc())
        paths.append(os.path.join(folder, name + ".data"))
        r.save(paths[-1])
    return faults_of_samples(folder, paths)


def faults_of_perf(folder, paths):
    out, code, said = merged(folder, *paths)
    if code != 0 or not out:
        return ["exit code %d: %s" % (code, said[-300:])]
    faults = []
    done = rewritten.perf(("script",), out)
    wanted = sorted(line for path in paths for line in rewritten.perf(("script",), path).stdout.split(b"\n"))
    # columns are as wide as the widest name of all events; a build-id in one recording gives names to addresses of the other one, too
    narrow, found = [[re.sub(rb" +", b" ", re.sub(rb"\S+ (\(\[vdso\]\))", rb"\1", line)).strip() for line in lines]
                     for lines in (wanted, done.stdout.split(b"\n"))]
    if done.returncode != 0 or sorted(filter(None, narrow)) != sorted(filter(None, found)):
        faults.append("script: exit code %d: %s" % (done.returncode, sorted(set(narrow) ^ set(found))[:2]))
    if b"out of order" in done.stderr:
        faults.append("script: %s" % done.stderr[-300:])
    counts = [sum(map(int, re.findall(rb"SAMPLE events: +(\d+)\n", rewritten.perf(("report", "--stats"), path).stdout))) for path in (*paths, out)]
    if sum(counts[:-1]) != counts[-1] and 0 not in counts:   # perf counts none of a stream
        faults.append("report --stats counts %s samples" % counts)
    for command in ("evlist", "-v"), ("buildid-list",):
        if rewritten.perf(command, out).returncode != 0:
            faults.append("%s fails" % command[0])
    return faults


def other_bytes(folder, name, old, new):
    with open(path_of(name), "rb") as f:
        data = f.read()
    path = os.path.join(folder, "other-" + name)
    with open(path, "wb") as f:
        f.write(data.replace(old, new))
    return path if old in data else None


def other_kernel(folder, name):
    """As after another boot: the kernel's text lies elsewhere."""
    start = next(record["addr"] for record in documents(path_of(name)) if record.get("filename", "").startswith("[kernel.kallsyms]"))
    return other_bytes(folder, name, int(start, 16).to_bytes(8, "little"), (int(start, 16) + 0x200000).to_bytes(8, "little"))


def refusals(folder):
    first = path_of("group-73.data")
    yield "of other hosts", [first, other_bytes(folder, "callgraph-73.data", b"testhost", b"pesthost")], "pesthost"
    yield "of other kernels", [first, other_bytes(folder, "callgraph-73.data", b"6.18.0-demo", b"6.19.0-demo")], "6.19.0"
    yield "of other boots", [first, other_kernel(folder, "zstd-73.data"), path_of("zstd-73.data")], "different boots"
    yield "counts of perf stat", [first, path_of("stat-73.data")], "perf stat"


def faults_of_unknown_host(folder):
    """The writer's word for a recording that does not say of which host it is."""
    other = other_bytes(folder, "callgraph-73.data", b"testhost", b"unknown\0")
    for paths in (path_of("group-73.data"), other), (other, path_of("group-73.data")):
        out, code, said = merged(folder, *paths)
        name = documents(out)[0]["features"].get("hostname") if code == 0 else said
        if name != "testhost":
            return ["%s: exit code %d: %s" % (paths, code, name)]
    return []


def faults_of_refusal(folder, paths, reason):
    if None in paths:
        return ["the recording could not be changed"]
    out = os.path.join(folder, "refused.data")
    done = program.run("rewrite", "-q", *paths, "-o", out)
    said = done.err.decode("utf-8")
    return [] if done.code == 2 and reason in said and not os.path.exists(out) else ["exit code %d: %s" % (done.code, said)]


def faults_of_sections(folder):
    """Formats, build-ids and groups of all; a note of what was merged."""
    names = ["callgraph-73.data", "group-73.data", "trace-73.data", "trace-61.data"]
    out, code, said = merged(folder, *map(path_of, names))
    if code != 0:
        return ["exit code %d: %s" % (code, said)]
    meta, faults = documents(out)[0], []
    metas = [documents(path_of(name))[0] for name in names]
    if [event["name"] for event in meta["events"]] != [event["name"] for other in metas for event in other["events"]]:
        faults.append("events: %s" % [event["name"] for event in meta["events"]])
    if not all("tracepoint" in event for event in meta["events"] if ":" in event["name"]):
        faults.append("a tracepoint has no format")
    wanted = {json.dumps(entry, sort_keys=True) for other in metas for entry in other["features"].get("build_id", [])}
    if {json.dumps(entry, sort_keys=True) for entry in meta["features"].get("build_id", [])} != wanted:
        faults.append("build-ids: %s" % meta["features"].get("build_id"))
    groups = [dict(group, leader=group["leader"] + sum(len(other["events"]) for other in metas[:i]))
              for i, other in enumerate(metas) for group in other["features"].get("group_desc", [])]
    if meta["features"].get("group_desc", []) != groups or not groups:
        faults.append("groups: %s instead of %s" % (meta["features"].get("group_desc"), groups))
    if "group-73.data" not in meta["features"].get("note", ""):
        faults.append("note: %s" % meta["features"].get("note"))
    return faults


def main():
    tap = program.Tap()
    with tempfile.TemporaryDirectory() as folder:
        pairs = list(itertools.combinations(map(path_of, OF_ONE_HOST), 2))
        tap.report("two recordings have the samples of both", [fault for pair in pairs for fault in faults_of_samples(folder, pair)])
        some = list(map(path_of, OF_ONE_HOST))
        tap.report("ten have those of ten", faults_of_samples(folder, some))
        for options in (["--compress", "zstd"], ["--form", "stream"], ["--for", "perf-6.1"]):
            tap.report("so they have, with %s" % " ".join(options), faults_of_samples(folder, some[:5], *options))
        plain = [path_of(name) for name in ("callgraph-73.data", "group-73.data", "zstd-73.data")]
        tap.report("so they have, with the other byte order", faults_of_samples(folder, plain, "--byte-order", "big"))
        for filters in (["--cpu", "0"], ["--pid", "9003,8820,8813"], ["--type", "sample"], ["--time", "50%-100%"]):
            tap.report("those that %s lets through" % " ".join(filters), faults_of_samples(folder, some[:5], filters=filters))
        tap.report("events with one id stay apart", faults_of_equal_ids(folder))
        tap.report("sections are joined", faults_of_sections(folder))
        tap.report("a host that is not known", faults_of_unknown_host(folder))
        for title, paths, reason in refusals(folder):
            tap.report("refused: %s" % title, faults_of_refusal(folder, paths, reason))
        if rewritten.perf_is_seven():
            tap.report("to perf two recordings are both", [fault for pair in pairs for fault in faults_of_perf(folder, pair)])
            tap.report("to perf ten are ten", faults_of_perf(folder, some))
        else:
            tap.skip("perf says the same", "PERF names no perf of version 7")
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
