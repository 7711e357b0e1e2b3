#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A batch that is killed, interrupted or run again: no half file has a name, what was done is not done again, its exit code counts, and the outputs are
those of one run. What --summary says about it. Prints TAP."""
import fcntl
import json
import os
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import program
from builder import IP, Recording, TID, TIME
from check_batch import tree

GOOD = os.path.join(program.TESTDATA, "callgraph-73.data")
OTHER = os.path.join(program.TESTDATA, "group-73.data")
CUT = os.path.join(program.TESTDATA, "bad-record-size.data")
FOLDERS, EACH = 5, 8
LOST_SAMPLES = 13

tap = program.Tap()
report = tap.report


def save_with_losses(path):
    r = Recording()
    event = r.event("cycles", ids=[1], type=0, sample_type=IP | TID | TIME, sample_id_all=1, period=5)
    r.sample(event, ip=0x1000, pid=100, tid=100, time=1)
    r.record(LOST_SAMPLES, struct.pack("<Q", 7), pid=100, tid=100, time=2)
    r.save(path)


def make(where):
    """FOLDERS folders with EACH recordings; the second of all is damaged, the third has losses."""
    for folder in range(FOLDERS):
        os.makedirs("%s/in/host%d" % (where, folder))
        for number in range(EACH):
            shutil.copy(CUT if (folder, number) == (0, 1) else OTHER if number % 3 else GOOD, "%s/in/host%d/%d.data" % (where, folder, number))
    save_with_losses(where + "/in/host0/2.data")


def command(*words, out="out"):
    return [program.PERFDATA, "ndjson", "-q", "--recursive", "in", "-o", out + "/", *words]


def run(where, *words, out="out", **more):
    return subprocess.run(command(*words, out=out), cwd=where, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120, **more)


def content(folder):
    return {name: open(os.path.join(folder, name), "rb").read() for name in tree(folder)}


def lines(path):
    with open(path, "rb") as f:
        return [program.strict_json(line) for line in f.read().splitlines()]


def stopped_in_the_middle(where, how, *words):
    """Runs until a recording that is a pipe is read, half of it there; `how` ends that run. Its exit code, and what it left."""
    middle = "%s/in/host2/3.data" % where
    shutil.rmtree(where + "/out", ignore_errors=True)
    shutil.move(middle, where + "/kept")
    os.mkfifo(middle)
    # pipes below a folder are passed over: this one is named
    process = subprocess.Popen([program.PERFDATA, "ndjson", "-q", "-j1", "--relative-to", "in", "-o", "out/", *words,
                                *("in/host%d/%d.data" % (folder, number) for folder in range(FOLDERS) for number in range(EACH))],
                               cwd=where, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    with open(middle, "wb") as writer:
        with open(os.path.join(program.TESTDATA, "stream-trace-73.pipe"), "rb") as stream:
            writer.write(stream.read(3000))
        writer.flush()
        deadline = time.monotonic() + 60
        while not os.path.exists(where + "/out/host2/2.data.ndjson") and time.monotonic() < deadline:
            time.sleep(0.01)
        time.sleep(0.1)
        process.send_signal(how)
        process.communicate(timeout=60)
    os.unlink(middle)
    shutil.move(where + "/kept", middle)
    return process.returncode, content(where + "/out")


def check_killed(where, whole, code):
    summary = where + "/summary"
    for how in (signal.SIGKILL, signal.SIGTERM, signal.SIGINT):
        ended, left = stopped_in_the_middle(where, how, "--summary", summary, "--force")
        faults = [] if ended == (-how if how == signal.SIGKILL else 130) else ["exit %d" % ended]
        faults += ["%s is not whole" % name for name in left if left[name] != whole[name]]
        faults += [] if 0 < len(left) == 2 * EACH + 3 else ["%d outputs" % len(left)]
        entries = lines(summary)
        if how != signal.SIGKILL:
            last = entries.pop()
            faults += [] if (last["type"], last["done"], last["damaged"], last["interrupted"], last["not_begun"], last["exit_code"]) == \
                ("totals", 2 * EACH + 2, 1, 1, FOLDERS * EACH - 2 * EACH - 4, 130) else [last]
            faults += [] if (entries[-1]["status"], entries[-1]["outputs"], entries.pop()["exit_code"]) == ("interrupted", [], 130) else ["no line of the interrupted one"]
        faults += [] if len(entries) == len(left) and all(line["type"] == "input" for line in entries) else ["%d lines, %d outputs" % (len(entries), len(left))]
        report("%s in the middle: what has a name is whole" % how.name, faults)

        again = run(where, "--resume", "--summary", summary)
        totals = lines(summary)[-1]
        faults = [] if again.returncode == code else ["exit %d, not %d: %s" % (again.returncode, code, again.stderr.decode())]
        faults += [] if content(where + "/out") == whole else ["other outputs"]
        faults += [] if totals["skipped"] == len(left) and totals["done"] == FOLDERS * EACH - len(left) else [totals]
        report("… resumed: the same as in one go, and the exit code of what was done before counts", faults)


def check_what_is_made_again(where, whole):
    def again(*words):
        done = run(where, "--resume", "--force", "--summary", "summary", *words)
        made = [line["recording"] for line in lines(where + "/summary")[:-1] if line["status"] != "skipped"]
        return made, done

    made, _done = again()
    report("nothing changed: nothing is made again", made)
    os.utime(where + "/in/host1/1.data")
    made, _done = again()
    report("an input that was written since", [] if made == ["host1/1.data"] else [made])
    with open(where + "/out/host3/2.data.ndjson", "ab") as f:
        f.write(b"x")
    os.unlink(where + "/out/host4/0.data.ndjson")
    made, _done = again()
    report("outputs that are not whole, or not there", [] if sorted(made) == ["host3/2.data", "host4/0.data"] and content(where + "/out") == whole else [made])
    os.utime(where + "/out/host0/0.data.ndjson", (1, 1))
    made, _done = again()
    report("an output that is older than its input", [] if made == ["host0/0.data"] else [made])
    made, _done = again("-n", "3")
    report("other options", [] if len(made) == FOLDERS * EACH else [len(made)])
    made, _done = again("-j", "1", "--max-memory", "64M", "-n", "3")
    report("options that change no output", made)
    made, _done = again()
    report("the options of before", [] if len(made) == FOLDERS * EACH and content(where + "/out") == whole else [len(made)])
    with open(where + "/out/.perfdata-index", "ab") as f:
        f.write(b'{"schema":"perfdata-index/1","key":"host0/')
    os.utime(where + "/in/host1/1.data")
    first, _done = again()
    second, _done = again()
    report("a line of the index that was cut", [] if (first, second) == (["host1/1.data"], []) else [first, second])
    with open(where + "/out/.perfdata-index", "wb") as f:
        f.write(b"\xff\x00[1,2\n[]\n{}\n{\"key\":3,\"outputs\":[7]}\n" + b"{" * 5000 + b"\n")
    made, done = again()
    report("an index of nonsense", [] if len(made) == FOLDERS * EACH and done.returncode == 4 else [len(made), done])


def check_shards(where, whole, code):
    """Two runs at once, into one folder."""
    shutil.rmtree(where + "/out")
    both = [subprocess.Popen(command("--shard", "%d/2" % k, "--summary", "summary%d" % k), cwd=where, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE)
            for k in range(2)]
    codes = sorted(process.wait(timeout=120) for process in both)
    for process in both:
        process.stderr.close()
    entries = [line["recording"] for k in range(2) for line in lines(where + "/summary%d" % k)[:-1]]
    again = run(where, "--resume", "--summary", "summary", "--force")
    totals = lines(where + "/summary")[-1]
    report("shards side by side", [] if codes == [0, code] and content(where + "/out") == whole and len(set(entries)) == len(entries) == FOLDERS * EACH
           else [codes, len(entries)])
    first = {line["recording"]: line for k in range(2) for line in lines(where + "/summary%d" % k)[:-1]}
    keys = ("recording", "outputs", "exit_code", "records", "samples", "lost_samples", "records_out", "bytes_in", "bytes_out", "errors", "warnings",
            "findings_total", "first_error")
    other = [(key, line[key], first[line["recording"]][key]) for line in lines(where + "/summary")[:-1] for key in keys if line[key] != first[line["recording"]][key]]
    report("… what is skipped has the numbers of its conversion", other if any(line["lost_samples"] for line in first.values()) else ["no recording has losses"])
    report("… and one index of both", [] if totals["skipped"] == FOLDERS * EACH and again.returncode == code else [totals])


def check_temporary_files(where, whole):
    """What a dead program left goes, what a living one writes stays."""
    for name in (".perfdata-1-0.tmp", ".perfdata-2-7.tmp", ".perfdata-x.tmp", "other.tmp"):
        with open(where + "/out/host0/" + name, "w"):
            pass
    with open(where + "/out/host0/.perfdata-2-7.tmp", "r+") as living:
        fcntl.flock(living, fcntl.LOCK_EX)
        run(where, "--resume", "--force", "-n", "1")
        left = [name for name in tree(where + "/out/host0", hidden=True) if name.endswith(".tmp")]
    report("temporary files go with their lock", [] if left == [".perfdata-2-7.tmp", ".perfdata-x.tmp", "other.tmp"] else [left])


def check_summary(where):
    shutil.rmtree(where + "/out", ignore_errors=True)
    shutil.copy(os.path.join(program.TESTDATA, "README"), where + "/in/host1/readme")
    words = ("in/host0/0.data", "in/host0/1.data", "in/host1/readme", "in/absent")
    done = subprocess.run([program.PERFDATA, "ndjson", "--log-format", "json", *words, "-o", "out/", "--summary", "s", "--force"], cwd=where,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    entries = lines(where + "/s")
    totals, by_name = entries[-1], {line["input"]: line for line in entries[:-1]}
    faults = [] if sorted(by_name) == sorted(words) and done.returncode == totals["exit_code"] == 3 else [done]
    for name, status, code in zip(words, ("done", "damaged", "failed", "failed"), (0, 4, 3, 3)):
        line = by_name[name]
        faults += [] if (line["status"], line["exit_code"], bool(line["outputs"]), bool(line["first_error"])) == (status, code, code < 3 or code == 4, code > 0) else [line]
        for path in line["outputs"]:
            with open(os.path.join(where, path), "rb") as f:
                last = f.read().splitlines()[-1]
            summary = json.loads(last)
            faults += [] if line["bytes_out"] == os.path.getsize(os.path.join(where, path)) and line["bytes_in"] == os.path.getsize(os.path.join(where, name)) and \
                (line["records"], line["records_out"], line["samples"]) == (summary["records"], summary["records_out"], summary["types"]["sample"]) and \
                line["findings"] == summary["findings"] and line["findings_total"] == summary["findings_total"] else [line, summary]
    faults += [] if (totals["done"], totals["damaged"], totals["failed"], totals["inputs"]) == (1, 1, 2, 4) else [totals]
    faults += [] if totals["records"] == sum(line["records"] for line in entries[:-1]) and totals["bytes_out"] == sum(line["bytes_out"] for line in entries[:-1]) else [totals]
    report("--summary", faults)
    log = [program.strict_json(line) for line in done.stderr.splitlines()]
    same = [line for line in log if line["level"] == "summary"]
    finding = next(line for line in log if line.get("name"))
    shown = by_name["in/host0/1.data"]["findings"][0]
    report("the same lines on stderr, and the same shape of a finding", ([] if same == entries else [same]) +
           ([] if all(finding[key] == value for key, value in shown.items()) else [finding, shown]))

    exists = run(where, "--summary", "s")
    report("a summary that exists is not replaced", [] if exists.returncode == 2 and b"--force" in exists.stderr else [exists])
    ok = run(where, "--damaged-ok", "--force", "--summary", "s")
    last = lines(where + "/s")[-1]
    report("--damaged-ok: exit 0, and the summary says it", [] if ok.returncode == 0 and last["damaged"] == 1 and last["exit_code"] == 0 else [ok, last])
    hidden = run(where, "in/absent")
    report("outputs that exist do not hide an input that cannot be read", [] if hidden.returncode == 3 and hidden.stderr.count(b"the file exists") == FOLDERS * EACH
           else [hidden.returncode, hidden.stderr.count(b"the file exists")])
    exists = run(where)
    report("… and are exit 2 themselves", [] if exists.returncode == 2 else [exists.returncode])
    fast = run(where, "--fail-fast", "-j1", "--force", "--summary", "s")
    last = lines(where + "/s")[-1]
    report("--fail-fast", [] if (fast.returncode, last["done"], last["damaged"], last["not_begun"]) == (4, 1, 1, FOLDERS * EACH - 2) else [last])
    empty = subprocess.run([program.PERFDATA, "ndjson", "--files-from", "-", "-o", "out/", "--summary", "-"], cwd=where, input=b"", stdout=subprocess.PIPE)
    entries = [json.loads(line) for line in empty.stdout.splitlines()]
    report("an empty list: totals of nothing", [] if empty.returncode == 0 and len(entries) == 1 and entries[0]["inputs"] == 0 else [empty])


def main():
    with tempfile.TemporaryDirectory() as where:
        make(where)
        done = run(where, out="once")
        whole = content(where + "/once")
        report("%d recordings in one go" % (FOLDERS * EACH), [] if len(whole) == FOLDERS * EACH and done.returncode == 4 else [done])
        check_killed(where, whole, done.returncode)
        check_what_is_made_again(where, whole)
        check_shards(where, whole, done.returncode)
        check_temporary_files(where, whole)
        check_summary(where)
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
