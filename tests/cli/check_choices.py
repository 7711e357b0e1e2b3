#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""--through, --not-through and --root: what they leave and its complement add up to the whole, by every key of `report` and in folded stacks, and are
what an independent fold over the text of `script` says; lists of keys add up to the rows of each key. Prints TAP."""
import collections
import json
import os
import re
import subprocess
import sys
import tempfile
import gzip

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import perfetto
import program

RECORDINGS = ["callgraph-73.data", "dwarf-73.data", "kinds-73.data", "trace-73.data"]
MORE = ["callgraph-61.data", "group-73.data", "threads-73.dir", "stream-73.pipe", "zstd-73.data", "registers-73.data"]
KEYS = ["symbol", "dso", "comm", "thread", "process", "cpu", "line", "build-id", "comm,dso", "thread,function", "function,line", "process,cpu,symbol",
        "comm,thread,build-id", "cpu,line"]
FIELDS = ("symbol", "dso", "comm", "thread", "process", "cpu", "build_id", "source", "line", "kind", "pid", "tid")
SUMS = ("self_samples", "self_weight", "total_samples", "total_weight")

tap = program.Tap()
report = tap.report


def output(*words):
    done = subprocess.run([program.PERFDATA, *words], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=300)
    return done.stdout.decode("utf-8", "surrogateescape"), done.returncode


def rows_of(path, by, *more):
    """{event: ({row: sums}, totals)}"""
    text, _code = output("report", "-q", "--json", "--by", by, path, *more)
    found = {}
    for event in json.loads(text)["events"]:
        rows = {}
        for row in event["rows"]:
            # a process is called as its heaviest thread among the samples at hand
            key = tuple(row.get(field) for field in FIELDS if field != "process")
            assert key not in rows, (path, by, key)
            rows[key] = [row.get(name, 0) for name in SUMS]
        found[event["event"]] = (rows, (event["samples"], event["weight"]))
    return found


def add_up(parts):
    events = {}
    for part in parts:
        for name, (rows, totals) in part.items():
            sums, all_of = events.setdefault(name, (collections.defaultdict(lambda: [0] * len(SUMS)), [0, 0]))
            for key, numbers in rows.items():
                sums[key] = [a + b for a, b in zip(sums[key], numbers)]
            all_of[0] += totals[0]
            all_of[1] += totals[1]
    return {name: (dict(sums), tuple(all_of)) for name, (sums, all_of) in events.items()}


def is_plain(name):
    return not re.search(r"[*?;]", name)


def middle_name(whole):
    """A function that some samples are through and others are not: the one nearest to half of them."""
    best = None
    for rows, totals in whole.values():
        weights = collections.Counter()
        for key, numbers in rows.items():
            weights[key[0]] += numbers[2]
        for name, samples in weights.items():
            if name and is_plain(name) and totals[0]:
                distance = abs(samples / totals[0] - 0.5)
                best = min(best or (distance, name), (distance, name))
    return best and best[1]


def check_parts(path, label):
    whole = {by: rows_of(path, by) for by in KEYS}
    name = middle_name(whole["symbol"])
    if name is None:
        report("%s: has no samples" % label, [])
        return None
    wrong = []
    for by in KEYS:
        parts = [rows_of(path, by, option, name) for option in ("--through", "--not-through")]
        if add_up(parts) != whole[by]:
            wrong.append(by)
        for event, (rows, totals) in whole[by].items():
            if [sum(numbers[i] for numbers in rows.values()) for i in (0, 1)] != list(totals):
                wrong.append((by, event, "rows are not all"))
    # the total of a function is what goes through it, and with --root its samples are the same ones
    of_name = {event: sum(numbers[2] for key, numbers in rows.items() if key[0] == name) for event, (rows, _totals) in whole["symbol"].items()}
    for option in ("--through", "--root"):
        left = rows_of(path, "symbol", option, name)
        kinds = {event: sum(1 for key in rows if key[0] == name) for event, (rows, _totals) in whole["symbol"].items()}
        for event, samples in of_name.items():
            if kinds[event] == 1 and left.get(event, ({}, (0, 0)))[1][0] != samples:
                wrong.append((option, event))
    report("%s: through %.40s and not through it is all, by every key" % (label, name), wrong)
    return name


def folded_of(path, *more):
    text, _code = output("folded", "-q", "--weight", "samples", path, *more)
    return collections.Counter({line.rsplit(" ", 1)[0]: int(line.rsplit(" ", 1)[1]) for line in text.splitlines()})


def check_folded(path, label):
    whole = folded_of(path)
    if not whole:
        return None
    several = len({line.split(";")[0] for line in whole}) > 1 and len(rows_of(path, "comm")) > 1
    front = 2 if several else 1
    seen = collections.Counter()
    for line, count in whole.items():
        for name in set(line.split(";")[front:]):
            seen[name] += count
    names = [name for name in seen if is_plain(name) and "(" not in name]
    if not names:
        return None
    name = min(names, key=lambda name: (abs(seen[name] / sum(whole.values()) - 0.5), name))
    has = {line: count for line, count in whole.items() if name in line.split(";")[front:]}
    cut = collections.Counter()
    for line, count in has.items():
        parts = line.split(";")
        cut[";".join(parts[:front] + parts[parts.index(name, front):])] += count
    wrong = [option for option, wanted in (("--through", has), ("--not-through", {k: v for k, v in whole.items() if k not in has}), ("--root", dict(cut)))
             if dict(folded_of(path, option, name)) != dict(wanted)]
    report("%s: folded stacks through %.40s" % (label, name), wrong)
    # frames without a name are called by their file here, which script prints otherwise
    named = [name for name in names if not name.startswith("[")]
    return min(named, key=lambda name: (abs(seen[name] / sum(whole.values()) - 0.5), name)) if named else None


def check_script(path, label, name):
    """An independent fold over the text that people fold: samples whose stack has a line with the name."""
    text, _code = output("script", "-q", "-F", "comm,ip,sym", path)
    samples = []
    for line in text.splitlines():
        if line and not line.startswith("\t"):
            samples.append(set())
        match = re.match(r"(?:\t\s*|.{16,}?\s)([0-9a-f]{4,16}) (.*)", line)
        if match and samples:
            samples[-1].add(re.sub(r" \(inlined\)$", "", match.group(2)))
    through = sum(name in names for names in samples)
    left = sum(folded_of(path, "--through", name).values())
    report("%s: as many stacks through %.40s as script shows" % (label, name), [] if left == through else [(left, through, len(samples))])


def profile_of(path, *more):
    """{stack root first: samples} of pprof's file, without labels of samples; a reader of protobuf in a few lines."""
    with tempfile.NamedTemporaryFile(suffix=".pb.gz") as out:
        subprocess.run([program.PERFDATA, "pprof", "-q", "--force", "-o", out.name, "--no-labels", path, *more], stderr=subprocess.DEVNULL, check=False)
        data = gzip.decompress(open(out.name, "rb").read())

    def varint(data, at):
        value = shift = 0
        while True:
            value |= (data[at] & 127) << shift
            shift += 7
            at += 1
            if data[at - 1] < 128:
                return value, at

    def fields(data):
        at = 0
        while at < len(data):
            tag, at = varint(data, at)
            if tag & 7 == 0:
                value, at = varint(data, at)
            else:
                size, at = varint(data, at)
                value, at = data[at:at + size], at + size
            yield tag >> 3, value

    def packed(data):
        at, values = 0, []
        while at < len(data):
            value, at = varint(data, at)
            values.append(value)
        return values

    strings, functions, locations, samples = [], {}, {}, []
    for number, value in fields(data):
        if number == 6:
            strings.append(value.decode("utf-8", "replace"))
        elif number == 5:
            of = dict(fields(value))
            functions[of.get(1, 0)] = of.get(2, 0)
        elif number == 4:
            lines = [dict(fields(line)).get(1, 0) for tag, line in fields(value) if tag == 4]
            locations[dict(fields(value))[1]] = lines
        elif number == 2:
            of = dict(fields(value))
            samples.append((packed(of.get(1, b"")), packed(of[2])))
    stacks = collections.Counter()
    for places, values in samples:
        names = [strings[functions[line]] for place in reversed(places) for line in reversed(locations[place])]
        stacks[";".join(names)] += sum(values[0::2])
    return stacks


def firefox_samples(path, *more):
    """How many samples there are, and the first functions of their stacks."""
    text, _code = output("firefox", "-q", "--no-markers", path, *more)
    document = json.loads(text)
    shared = document["shared"]
    count, begin = 0, set()
    for thread in document["threads"]:
        count += thread["samples"]["length"]
        for stack in thread["samples"]["stack"]:
            if stack is None:
                continue
            while shared["stackTable"]["prefix"][stack] is not None:
                stack = shared["stackTable"]["prefix"][stack]
            begin.add(shared["stringArray"][shared["funcTable"]["name"][shared["frameTable"]["func"][shared["stackTable"]["frame"][stack]]]])
    return count, begin


def check_other_formats(path, label, name):
    """pprof, speedscope and firefox have as many samples as the report, and with --root the same first function."""
    wanted = sum(totals[0] for _rows, totals in rows_of(path, "dso", "--root", name).values())
    stacks = profile_of(path, "--root", name)
    # a location without a name has none in pprof's file
    begin = name.startswith("[") or all(stack.split(";")[0] == name for stack in stacks)
    wrong = [] if sum(stacks.values()) == wanted and begin else [("pprof", sum(stacks.values()), wanted, sorted({stack.split(";")[0] for stack in stacks})[:5])]
    text, _code = output("speedscope", "-q", "--weight", "samples", "--root", name, path)
    document = json.loads(text)
    first = document["profiles"][0]
    names = [frame["name"] for frame in document["shared"]["frames"]]
    if first["samples"] and not all(names[stack[0]] == name for stack in first["samples"]):
        wrong.append("speedscope")
    counts = {option: firefox_samples(path, *((option, name) if option else ())) for option in (None, "--through", "--not-through", "--root")}
    if counts[None][0] != counts["--through"][0] + counts["--not-through"][0] or counts["--root"][0] != counts["--through"][0]:
        wrong.append(("firefox", counts))
    if counts["--root"][1] - {name}:
        wrong.append(("firefox begins elsewhere", counts["--root"][1]))
    report("%s: pprof, speedscope, firefox begin at %.40s" % (label, name), wrong)


def trace_of(path, *options):
    """{event: (samples, weight, {function: total weight})} of a Perfetto trace."""
    done = subprocess.run([program.PERFDATA, "perfetto", "-q", *options, path], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=300)
    sums = perfetto.Trace(done.stdout).sums
    return {name: (of.samples, of.weight, of.total_weight) for name, of in sums.items() if of.samples}


def check_perfetto(path, label, name):
    whole, through, without, root = (trace_of(path, *((option, name) if option else ())) for option in (None, "--through", "--not-through", "--root"))
    empty = (0, 0, collections.Counter())
    wrong = []
    for event, (samples, weight, total) in whole.items():
        one, other, cut = (part.get(event, empty) for part in (through, without, root))
        if (samples, weight) != (one[0] + other[0], one[1] + other[1]) or total != one[2] + other[2]:
            wrong.append((event, "parts", samples, one[0], other[0]))
        # each stack that is left has the function, and nothing has more weight than it
        has = [sum(weight for (function, _file), weight in part[2].items() if function == name) for part in (one, other, cut)]
        # what has no name is called by its file elsewhere
        if cut[:2] != one[:2] or (name[0] != "[" and has != [one[1], 0, one[1]]):
            wrong.append((event, name, one[:2], cut[:2], has))
        if sum(cut[2].values()) > sum(one[2].values()):
            wrong.append((event, "nothing was cut"))
    report("%s: the parts of perfetto through %.40s add up" % (label, name), wrong)


def check_refused():
    path = os.path.join(program.TESTDATA, "callgraph-73.data")
    for words, wanted in ((["--sort", "comm,dso"], "--by comm,dso,symbol"), (["-g"], "--tree"), (["--parent", "main"], "--through NAME"), (["-n"], "--sort samples"),
                          (["--by", "event,comm"], "cannot be combined"), (["--by", "com"], "comm"), (["--by", "build-id,symbol"], "contradict each other")):
        done = subprocess.run([program.PERFDATA, "report", path, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        report("report %s ends with 2 and names ours" % " ".join(words), [] if done.returncode == 2 and wanted in done.stderr.decode() and not done.stdout else [done.stderr])
    for command in ("script", "dump"):
        done = subprocess.run([program.PERFDATA, command, path, "--through", "main"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        report("%s --through ends with 2 and says why" % command, [] if done.returncode == 2 and "choose stacks" in done.stderr.decode() else [done.stderr])
    same = (("--children", "--sort=total"), ("--no-children", "--sort=self"), ("--percent-limit=3", "--min-percent=3"), ("--stdio", "--top=0"))
    for perf, ours in same:
        report("report %s is %s" % (perf, ours), [] if output("report", path, perf) == output("report", path, ours) else ["differs"])


def check_absent_names():
    """A name that no function has is said, whatever is written; a name that one has is not, and what is not there may be left out."""
    path = os.path.join(program.TESTDATA, "callgraph-73.data")
    with tempfile.TemporaryDirectory() as folder:
        for name in ("report", "annotate", "folded", "flamegraph", "pprof", "speedscope", "firefox", "otlp", "callgrind", "baseline", "perfetto"):
            wrong = []
            for words, absent in ((["--through", "nosuch"], ["--through nosuch"]), (["--root", "nosuch", "--root", "_dl_*"], ["--root nosuch"]),
                                  (["--through", "_dl_fixup"], []), (["--not-through", "nosuch"], [])):
                done = program.run(name, "--force", "-o", os.path.join(folder, "out"), *words, path)
                said = re.findall(r"note: (--[a-z-]+ \S+): no function in the stacks has this name \[N815\]", done.err.decode())
                if said != absent or done.code:
                    wrong.append((words, done.code, done.err))
            report("%s: names that no function has" % name, wrong)


def main():
    files = [(os.path.join(program.TESTDATA, name), name) for name in RECORDINGS + (MORE if os.environ.get("PERFDATA_ALL") else [])]
    corpus = os.environ.get("PERFDATA_CORPUS")
    if corpus:
        others = sorted(name for name in os.listdir(corpus) if re.match(r"rec-(g-|sched|tp-|mixed|bpf-p|jit|allcpu|comms|defer|trace)|perfparser|hotspot|quipper-perf", name)
                        and not name.endswith((".dump", ".zstd", ".v1", ".v2")))
        others = [name for name in others if os.path.isdir(os.path.join(corpus, name)) or os.path.getsize(os.path.join(corpus, name)) < 2 << 20]
        every = others if os.environ.get("PERFDATA_ALL") else others[::max(1, len(others) // 20)]
        files += [(os.path.join(corpus, name), name) for name in every]
    for path, label in files:
        name = check_parts(path, label)
        if name:
            check_other_formats(path, label, name)
            check_perfetto(path, label, name)
        name = check_folded(path, label)
        if name:
            check_script(path, label, name)
    check_refused()
    check_absent_names()
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
