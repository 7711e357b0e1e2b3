#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Many recordings at once: which ones are read, what their outputs are called, and that nothing is created where the call is wrong. Prints TAP."""
import csv
import filecmp
import gzip
import io
import os
import random
import shutil
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import builder
import program
from program import run

GOOD = os.path.join(program.TESTDATA, "callgraph-73.data")
OTHER = os.path.join(program.TESTDATA, "group-73.data")
DIRECTORY = os.path.join(program.TESTDATA, "threads-73.dir")
CUT = os.path.join(program.TESTDATA, "bad-cut.data")

tap = program.Tap()
report = tap.report


def tree(folder, hidden=False):
    """Paths of the files below a folder, sorted."""
    found = []
    for top, _folders, names in os.walk(folder):
        found += [os.path.relpath(os.path.join(top, name), folder) for name in names if hidden or not name.startswith(".")]
    return sorted(found)


def place(*paths):
    """Copies recordings: (path, source) pairs."""
    for path, source in paths:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        (shutil.copytree if os.path.isdir(source) else shutil.copy)(source, path)


def folders(where):
    place((where + "/in/a/perf.data", GOOD), (where + "/in/b/perf.data", OTHER), (where + "/in/b/deep/perf.data", CUT),
          (where + "/in/c/threads", DIRECTORY))


def convert(where, *words, out="out", stdin=None):
    """What is below the output folder, and how it ended."""
    shutil.rmtree(os.path.join(where, out), ignore_errors=True)
    done = subprocess.run([program.PERFDATA, "ndjson", "-q", "-n", "1", *words, "-o", out + "/"], cwd=where, input=stdin or b"",
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120)
    return tree(os.path.join(where, out)), done


def named(title, where, wanted, *words, code=0, **more):
    found, done = convert(where, *words, **more)
    faults = [] if found == sorted(wanted) else ["%s, not %s: %s" % (found, sorted(wanted), done.stderr.decode())]
    report(title, faults + ([] if done.returncode == code else ["exit %d: %s" % (done.returncode, done.stderr.decode())]))


def names(where):
    a, b = "in/a/perf.data", "in/b/perf.data"
    named("the folders that differ are kept", where, ["a/perf.data.ndjson", "b/perf.data.ndjson"], a, b)
    named("a lone input has its own name", where, ["perf.data.ndjson"], a)
    named("absolute and relative paths, and ..", where, ["a/perf.data.ndjson", "b/perf.data.ndjson"], where + "/" + a, "in/a/../b/./perf.data")
    named("the same file twice is read once", where, ["perf.data.ndjson"], a, "./in//a/perf.data", a)
    named("a folder inside of another", where, ["perf.data.ndjson", "deep/perf.data.ndjson"], b, "in/b/deep/perf.data", code=4)
    named("a directory is one recording", where, ["a/perf.data.ndjson", "c/threads.ndjson"], a, "in/c/threads/")
    named("--relative-to", where, ["in/a/perf.data.ndjson"], "--relative-to", ".", a)
    named("--relative-to above", where, ["%s/in/a/perf.data.ndjson" % os.path.realpath(where).lstrip("/")], "--relative-to", "/", a)
    named("--name", where, ["perf-ndjson/a.x", "perf-ndjson/b.x"], "--name", "{stem}-{format}//{dir}.x", a, b)
    named("--name {recording}", where, ["a/perf.data", "b/perf.data"], "--name", "/{recording}", a, b)
    named("stdin", where, ["stdin.ndjson"], "-", stdin=open(GOOD, "rb").read())
    os.symlink("in/a", where + "/link")
    named("a folder that is a link is named as it is called", where, ["in/b/perf.data.ndjson", "link/perf.data.ndjson"], "link/perf.data", b)
    named("…, and .. after it follows the link", where, ["a/perf.data.ndjson", "b/perf.data.ndjson"], "link/../a/perf.data", b)
    named("--relative-to follows links", where, ["perf.data.ndjson"], "--relative-to", "in/a", "link/perf.data")
    os.unlink(where + "/link")
    found, _done = convert(where, "--pack", "gz", a, b)
    whole = run("ndjson", "-n", "1", os.path.join(where, a)).out
    with gzip.open(where + "/out/a/perf.data.ndjson.gz") as f:
        packed = f.read()
    report("--pack", [] if found == ["a/perf.data.ndjson.gz", "b/perf.data.ndjson.gz"] and packed.count(b"\n") == whole.count(b"\n") else [found])
    done = run("convert", "--to", "ndjson,folded", "-q", "-o", where + "/out2/", os.path.join(where, a), os.path.join(where, b))
    wanted = ["%s/perf.data.%s" % (d, f) for d in "ab" for f in ("folded", "ndjson")]
    report("several formats", [] if tree(where + "/out2") == wanted and done.code == 0 else [tree(where + "/out2"), done])


def nothing_made(where):
    a, b = "in/a/perf.data", "in/b/perf.data"
    for title, words in (("outputs of one name", ("--name", "x.{format}", a, b)), ("a part that there is not", ("--name", "{host}", a)),
                         ("a name that leads up", ("--name", "../{base}", a)), ("a name of nothing", ("--name", "{base}/", a)),
                         ("an input elsewhere", ("--relative-to", "in/b", a)), ("a shard that there is not", ("--shard", "4/4", a)),
                         ("a shard of nothing", ("--shard", "a/b", a)), ("a packing that there is not", ("--pack", "xz", a)),
                         ("-0 without a list", ("-0", a)),
                         ("stdin twice", ("--files-from", "-", "-")), ("an option that there is not", ("--nothing", a)),
                         ("a filter that cannot be", ("--time", "x", a))):
        found, done = convert(where, *words, out="new/out")
        faults = [] if done.returncode == 2 and done.stderr.startswith(b"perfdata: error: ") else ["exit %d: %s" % (done.returncode, done.stderr.decode())]
        report("%s: wrong use, and nothing is made" % title, faults + (["it is there"] if os.path.exists(where + "/new") else []))
    for name in ("absent", "in"):
        found, done = convert(where, "--files-from", name, a, out="new/out")
        report("a list that cannot be read: nothing is made", [] if done.returncode == 3 and not os.path.exists(where + "/new") else [done])
    with open(where + "/file", "w"):
        pass
    done = run("ndjson", "-o", where + "/file/out/", os.path.join(where, a))
    report("a folder that cannot be made is wrong use", [] if done.code == 2 and b"it cannot be made" in done.err else [done])
    os.makedirs(where + "/empty/below")
    for words, wanted in (((), b"empty: note: no recording in this folder and below it\n"), (("-q",), b"")):
        done = run("check", "--recursive", *words, where + "/empty")
        report("a folder without a recording is no error, but a note says so " + " ".join(words),
               [] if done.code == 0 and done.err.endswith(wanted) and bool(done.err) == bool(wanted) else [done])
    os.symlink("loop", where + "/loop")
    os.makedirs(where + "/locked")
    os.chmod(where + "/locked", 0o555)
    failing = [("a loop of links", "/loop/out/", b"Too many levels of symbolic links"), ("a name that is too long", "/" + "x" * 300 + "/", b"File name too long")]
    if os.getuid():   # root has all rights
        failing += [("a folder without rights", "/locked/", b"cannot create files in"), ("a parent without rights", "/locked/a/b/", b"Permission denied")]
    for title, folder, wanted in failing:
        done = run("ndjson", "-o", where + folder, os.path.join(where, a))
        report("the output folder is %s: cannot write, and the message says why" % title,
               [] if done.code == 5 and wanted in done.err and b"no such folder" not in done.err else [done])
    found, done = convert(where, "in/absent", out="new/out")
    report("no folder without an output in it", [] if done.returncode == 3 and not os.path.exists(where + "/new") else [found, done])


def no_lists(where):
    """What is no list of paths is wrong input, and takes no memory."""
    for title, words, name in (("zeros", [], "/dev/zero"), ("zeros, which end paths", ["-0"], "/dev/zero"), ("a line without end", [], "long"),
                               ("a path with a zero byte", [], "zero"), ("a recording", [], "in/a/perf.data")):
        with open(where + "/long", "w") as f:
            f.write("x" * 5000)
        with open(where + "/zero", "wb") as f:
            f.write(b"in/a/perf.data\0in/b/perf.data\n")
        done = subprocess.run(["bash", "-c", 'ulimit -v 400000; exec "$@"', "-", program.PERFDATA, "ndjson", *words, "--files-from", name, "in/a/perf.data", "-o", "none/"],
                              cwd=where, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)
        report("no list of paths: " + title, [] if done.returncode == 3 and b"--files-from %s: line " % name.encode() in done.stderr
               and not os.path.exists(where + "/none") else [done])
    with open("/dev/zero", "rb") as f:
        done = subprocess.run(["bash", "-c", 'ulimit -v 400000; exec "$@"', "-", program.PERFDATA, "symbolize"], stdin=f, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=60)
        report("symbolize: a line without end", [] if done.returncode == 3 and b"line 1 of stdin" in done.stderr else [done.returncode, done.stderr])
    os.makedirs(where + "/index", exist_ok=True)
    os.symlink("/dev/zero", where + "/index/.perfdata-index")
    done = subprocess.run(["bash", "-c", 'ulimit -v 400000; exec "$@"', "-", program.PERFDATA, "ndjson", "--resume", "in/a/perf.data", "-o", "index/"],
                          cwd=where, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)
    report("--resume: an index without lines", [] if done.returncode == 3 and b"--resume: " in done.stderr else [done])


def lists(where):
    lines = ["in/a/perf.data", "", "in/b/perf.data"]
    wanted = ["a/perf.data.ndjson", "b/perf.data.ndjson"]
    named("--files-from -", where, wanted, "--files-from", "-", stdin="\n".join(lines).encode())
    with open(where + "/list", "w") as f:
        f.write("\0".join(lines))
    named("--files-from FILE -0", where, wanted, "-0", "--files-from", "list")
    place((where + "/-n", GOOD), (where + "/-", OTHER), (where + "/in/new\nline", GOOD))
    named("lines are no options", where, ["-.ndjson", "-n.ndjson"], "--files-from", "-", stdin=b"-n\n-\n")
    named("a newline in a name", where, ["new\nline.ndjson"], "-0", "--files-from", "-", stdin=b"in/new\nline\0")
    named("an empty list", where, [], "--files-from", "-")
    named("a list and names", where, wanted, "--files-from", "-", "in/b/perf.data", stdin=b"in/a/perf.data\n")
    os.unlink(where + "/in/new\nline")


def recursion(where):
    whole = ["a/perf.data", "b/deep/perf.data", "b/perf.data", "c/threads"]
    outputs = [name + ".ndjson" for name in whole]
    place((where + "/in/.hidden/perf.data", GOOD), (where + "/in/a/notes.txt", os.path.join(program.TESTDATA, "README")),
          (where + "/in/z/data", GOOD), (where + "/in/z/other.data", GOOD))
    with open(where + "/in/a/empty", "w"), gzip.open(where + "/in/p.gz", "wb") as packed, gzip.open(where + "/in/notes.gz", "wb") as notes:
        packed.write(open(GOOD, "rb").read())
        notes.write(b"nothing")
    os.symlink("..", where + "/in/circle")
    os.symlink("a/perf.data", where + "/in/link.data")
    os.mkfifo(where + "/in/fifo")
    more = ["link.data.ndjson", "p.gz.ndjson", "z/data.ndjson", "z/other.data.ndjson"]
    named("--recursive", where, outputs + more, "--recursive", "in", code=4)
    place((where + "/in/kept/perf.data", GOOD))
    again = subprocess.run([program.PERFDATA, "ndjson", "-q", "--recursive", ".", "-o", "kept/"], cwd=where + "/in", stdin=subprocess.DEVNULL,
                           stderr=subprocess.PIPE)
    report("the folder of the outputs is not read", [] if again.returncode == 4 and "kept/perf.data.ndjson" not in tree(where + "/in/kept") else [again])
    shutil.rmtree(where + "/in/kept")
    for name in ("a/empty", "p.gz", "notes.gz", "circle", "link.data", "fifo", "z/data", "z/other.data"):
        os.unlink(where + "/in/" + name)

    every = []
    for k in range(3):
        found, done = convert(where, "--recursive", "--shard", "%d/3" % k, "in")
        every += found
    report("shards take each recording once, under the same name", [] if sorted(every) == sorted(outputs) else [every])
    named("a shard sorts its inputs first", where, ["b/deep/perf.data.ndjson"], "--shard", "1/4", *("in/" + name for name in reversed(whole)), code=4)
    for command in ("check", "info", "events", "buildids"):
        done = run(command, "--recursive", "in", cwd=where)
        faults = [name for name in whole if ("in/" + name).encode() not in done.out]
        report("%s --recursive" % command, faults)


def without_file(rows):
    """Where several recordings share an output, `file` is there for each."""
    at = [i for i, name in enumerate(rows[0]) if name != "file"]
    return [[row[i] for i in at] for row in rows]


def together(folder, path):
    """Tables that are read together have the bytes of tables that are read alone; what is wrong is said once; --resume makes those that are not there."""
    faults, name = [], os.path.basename(path)
    os.makedirs(folder, exist_ok=True)
    summary = os.path.join(folder, "summary")
    done = run("csv", "--symbols", "no", "--table", "all", "--summary", summary, "-o", folder + "/", path)
    with open(summary, "rb") as file:
        lines = [program.strict_json(line) for line in file]
    for line in (line for line in lines if line["type"] == "input"):
        with open(line["outputs"][0], "rb") as file:
            content = file.read()
        alone = run("csv", "-q", "--symbols", "no", "--table", line["table"], path)
        rows = len(list(csv.reader(io.StringIO(content.decode(), newline="")))) - 1
        if (alone.out, alone.code, rows) != (content, line["exit_code"], line["records_out"]):
            faults.append("%s: %d rows, the summary has %s; alone %d bytes, exit %d" % (line["table"], rows, line, len(alone.out), alone.code))
    said = [line for line in done.err.splitlines() if b"note:" not in line]
    if len(said) != len(set(said)) or len(said) != lines[0]["findings_total"]:
        faults.append("said are %s" % said)
    os.unlink(os.path.join(folder, name + ".threads.csv"))
    again = run("csv", "--symbols", "no", "--table", "all", "--resume", "-o", folder + "/", path)
    if not os.path.exists(os.path.join(folder, name + ".threads.csv")) or again.err.count(b" rows written to ") != 1:
        faults.append("--resume: %s" % again.err)
    refused = run("csv", "--symbols", "no", "--table", "stacks,threads", "-o", folder + "/", path)
    if refused.code != 2 or (name + ".stacks.csv: error: the file exists").encode() not in refused.err:
        faults.append("without --force: exit %d, %s" % (refused.code, refused.err))
    limited = run("csv", "--symbols", "no", "--table", "mmap2,comm", "--limit", "2", "--force", "-o", folder + "/", path)
    if limited.err.count(b"note: 2 rows") != 2 and name == "trace-73.data":
        faults.append("--limit: %s" % limited.err)
    return faults


def one_output(where):
    """Several recordings in one NDJSON or CSV: every line says which one it is of."""
    paths = [os.path.join(where, name) for name in ("in/a/perf.data", "in/b/perf.data", "in/c/threads")]
    wanted = ["a/perf.data", "b/perf.data", "c/threads"]
    for words in ((), ("-e", "time,comm"), ("--stacks", "ref"), ("-e", "recording,type")):
        done = run("ndjson", "-q", *words, *paths)
        lines = [program.strict_json(line) for line in done.out.splitlines()]
        alone = [len(run("ndjson", "-q", *words, path).out.splitlines()) for path in paths]
        shown = [line["recording"] for line in lines]
        report("ndjson %s" % " ".join(words), [] if shown == [name for name, nr in zip(wanted, alone) for _ in range(nr)] else [shown[:5], alone])
    one = program.strict_json(run("ndjson", "-q", paths[0]).out.splitlines()[1])
    report("… not where there is one", [] if "recording" not in one else [one])
    for words in ((), ("-e", "time,comm"), ("--table", "callchain"), ("--table", "stacks"), ("--table", "samples"), ("--table", "mmap2")):
        done = run("csv", "-q", *words, *paths)
        rows = list(csv.reader(io.StringIO(done.out.decode(), newline="")))
        alone = [list(csv.reader(io.StringIO(run("csv", "-q", *words, path).out.decode(), newline=""))) for path in paths]
        said = alone[0][0][0] == "recording"    # of tables with keys also where it is the only one
        expected = [["recording", *alone[0][0][said:]]] + [[name, *row[said:]] for name, table in zip(wanted, alone) for row in table[1:]]
        report("csv %s" % " ".join(words), [] if without_file(rows) == without_file(expected) and done.code == 0 else [rows[:3], expected[:3]])
    odd = where + '/in/a/comma, "quote"'
    place((odd, GOOD))
    rows = list(csv.reader(io.StringIO(run("csv", "-q", odd, paths[0]).out.decode(), newline="")))
    report("csv: names with commas and quotes", [] if {row[0] for row in rows[1:]} == {'comma, "quote"', "perf.data"} else [rows[:2]])
    os.unlink(odd)
    absent = run("csv", "-q", where + "/absent", *paths[:2])
    report("csv: the first that can be read has the header", [] if absent.out.startswith(b"recording,offset") and absent.code == 3 else [absent.out[:60]])
    several = os.path.join(where, "several")
    done = run("csv", "-q", "--table", "event:sched:sched_stat_runtime,stacks,event:sched:sched_process_fork", "-o", several + "/", os.path.join(program.TESTDATA, "trace-73.data"))
    names = sorted(name for name in os.listdir(several) if name.endswith(".csv"))
    wanted = ["trace-73.data.%s.csv" % table for table in ("event:sched:sched_process_fork", "event:sched:sched_stat_runtime", "stacks")]
    report("csv: several tables", [] if (done.code, names) == (0, wanted) else [done.err, names])
    for name in ("trace-73.data", "bad-garbage.data", "stat-73.data"):
        report("csv: --table all of %s, in one pass" % name, together(os.path.join(where, "together", name), os.path.join(program.TESTDATA, name)))
    refused = run("csv", "-q", "--table", "event:cpu-clock", *paths[:2])
    report("csv: a table of one event is of one recording", [] if refused.code == 2 and b"use -o DIR/" in refused.err else [refused])
    done = run("ndjson", "-q", "-o", where + "/all.ndjson", *paths, "--summary", where + "/all.summary")
    with open(where + "/all.summary", "rb") as f:
        shown = [program.strict_json(line) for line in f.read().splitlines()]
    report("--summary of one output", [] if [line["type"] for line in shown] == ["input"] * 3 + ["totals"] and shown[-1]["done"] == 3 else [shown])


def write_stacks(path):
    """A recording of 18 MB whose stacks are all different."""
    rng = random.Random(15)
    places = [rng.getrandbits(44) for _ in range(2000)]
    recording = builder.Recording()
    recording.event("cpu-clock", (1,), type=1, sample_type=builder.IP | builder.CALLCHAIN)
    recording.raw(b"".join(struct.pack("<IHH22Q", 9, builder.USER, 184, 0, 20, *rng.choices(places, k=20)) for _ in range(100000)))
    recording.save(path)


def memory(where):
    """Large inputs share the limit, with what each takes beyond its share."""
    child = os.fork()    # what this process takes would count as memory of those that it starts
    if not child:
        write_stacks(where + "/large.data")
        os._exit(0)
    os.waitpid(child, 0)
    paths = ["%s/large%d.data" % (where, i) for i in range(6)]
    for path in paths:
        os.link(where + "/large.data", path)
    words = [program.PERFDATA, "folded", "-q", "--symbols", "no", "--max-memory", "64M", "-j8"]
    with subprocess.Popen([*words, "-o", where + "/large/", *paths]) as process:
        _pid, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    alone = subprocess.run([*words, "-o", where + "/large.folded", paths[0]], check=False).returncode
    outputs = tree(where + "/large")
    same = [filecmp.cmp("%s/large/%s" % (where, name), where + "/large.folded", False) for name in outputs]
    faults = [] if (process.returncode, alone, same) == (0, 0, [True] * 6) else [process.returncode, alone, same]
    if usage.ru_maxrss > 68 << 10 and not program.SANITIZED and not program.VALGRIND:
        faults.append("%d MiB" % (usage.ru_maxrss >> 10))
    report("--max-memory holds for six large inputs", faults)


def peak_memory(words):
    """Exit code, and MiB."""
    with subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        _pid, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode, usage.ru_maxrss >> 10


def memory_of_formats(where):
    """What grows with a recording stays within --max-memory in each format. otlp keeps its tables, up to twice the limit; parquet encodes columns."""
    most = {"otlp": 32 + 12, "parquet": 16 + 44}
    for name in ("script", "folded", "report", "pprof", "flamegraph", "speedscope", "firefox", "perfetto", "callgrind", "otlp", "parquet"):
        output = ["-o", where + "/large.tables"] if name == "parquet" else []
        code, taken = peak_memory([program.PERFDATA, name, "-q", "--symbols", "no", "--max-memory", "16M", "-j2", *output, where + "/large.data"])
        fine = code == 0 and (taken <= most.get(name, 16 + 12) or program.SANITIZED or program.VALGRIND)
        report("%s within 16 MiB" % name, [] if fine else ["%d: %d MiB" % (code, taken)])


def main():
    with tempfile.TemporaryDirectory() as where:
        folders(where)
        names(where)
        nothing_made(where)
        lists(where)
        no_lists(where)
        recursion(where)
        one_output(where)
        memory(where)
        memory_of_formats(where)
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
