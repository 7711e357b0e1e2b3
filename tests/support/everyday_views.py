#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Recordings of this host through every view, beside perf: samples, weight, the function of each sample and its whole stack are counted here in the text
of `perf script`, and compared with what readers of our own (tests/support) find in each view. PERF names the perf to compare with, of version 7; it has
to name the same files, so recordings are compared soon after they are made. Prints a row of a table in Markdown for each recording (doc/TRUST.md has
one), with the number of functions whose weight differs and, in parentheses, how many samples these are; -v lists them.

usage: PERF=… everyday_views.py [-v] TITLE=RECORDING… | TITLE=BEFORE,AFTER…     pairs: what diff and flamegraph --base have of both"""
import collections
import itertools
import json
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import perfetto
import program
import views

PERF = os.environ.get("PERF", "perf")
FIELDS = "comm,pid,tid,time,period,event,ip,sym,dso"
HEAD = re.compile(r"^ *(.*?) +(-?\d+)/(-?\d+) +(?:\d+\.\d+: +)?(\d+) +(\S+): *(.*)$")
FRAME = re.compile(r"^\s*([0-9a-f]+) (.*?)(?: \(((?:[^()]|\([^()]*\))*)\))?$")
TASK = re.compile(r"PERF_RECORD_(?:COMM(?: exec)?: (.*):\d+/(\d+)|FORK\(\d+:(\d+)\):\(\d+:(\d+)\))$")
NAMELESS = "no name in "


class Counts:
    """Of an event: samples, weight, weight and samples of each function by itself, and samples of each stack."""

    def __init__(self):
        self.samples = self.weight = self.named = 0
        self.own, self.of_function, self.stacks = collections.Counter(), collections.Counter(), collections.Counter()

    def add(self, functions, weight, comm=""):
        """functions: callee first."""
        function = functions[0] if functions else NAMELESS
        self.samples += 1
        self.weight += weight
        self.named += not function.startswith(NAMELESS)
        self.own[function] += weight
        self.of_function[function] += 1
        self.stacks[";".join([comm.replace(";", ":")] + [folded_name(each) for each in reversed(functions)])] += 1


def folded_name(function):
    if function.startswith(NAMELESS):
        file = function[len(NAMELESS):]
        return file if file.startswith("[") else "[" + file + "]" if file else "[unknown]"
    return function.replace(";", ":")


def function_of(name, file):
    """What a function is called here, whichever way a view says that it has no name. perf shows memory without a file so."""
    match = re.fullmatch(r"\[unknown\](?: \((.*)\))?|", name)
    if not match:
        return name
    base = os.path.basename(match[1] or file or "")
    return NAMELESS + ("" if base in ("[unknown]", "anon") else base)


def samples_of_perf(path, *words):
    """(event, weight, thread's name, functions) of each sample in perf's text. perf prints ":TID" after the EXIT of a thread; here, as in perf report,
    the thread keeps its name while it ends."""
    names = {}
    done = subprocess.run([PERF, "script", "-f", "--no-itrace", "--no-inline", "--show-task-events", "-F", FIELDS, *words, "-i", path], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    lines = iter(done.stdout.decode("utf-8", "replace").split("\n"))
    for line in lines:
        task = TASK.search(line)
        if task:
            names[task[2] or task[3]] = task[1] or names.get(task[4], ":" + task[3])
        head = HEAD.match(line)
        if not head or task:
            continue
        frames = [head[6]] if head[6].strip() else []
        for line in lines if not frames else ():
            if not line:
                break
            frames.append(line)
        found = [FRAME.match(frame) for frame in frames]
        yield head[5].rstrip(":"), int(head[4]), names.get(head[3], head[1]) if head[1] == ":" + head[3] else head[1], [function_of(frame[2], frame[3]) for frame in found]


def counts_of_perf(path):
    """perf prints no frame where the chain is empty; the sample has an address all the same, which it prints without chains."""
    events = collections.defaultdict(Counts)
    for (event, weight, comm, functions), (*_, own) in itertools.zip_longest(samples_of_perf(path), samples_of_perf(path, "-G")):
        events[event].add(functions or own, weight, comm)
    return events


def output_of(path, *words):
    return program.run(*words, "--no-inline", path).out


def of_report(path):
    events = {}
    for event in json.loads(output_of(path, "report", "--json"))["events"]:
        own = collections.Counter()
        for row in event["rows"]:
            own[function_of(row["symbol"], row.get("dso", ""))] += row["self_weight"]
        events[event["event"]] = (event["samples"], event["weight"], own)
    return events


def of_sums(sums):
    events = {}
    for name, found in sums.items():
        own = collections.Counter()
        for (function, file), weight in found.self_weight.items():
            own[function_of(function, file)] += weight
        events[name] = (found.samples, found.weight, own)
    return events


def of_speedscope(path):
    document = json.loads(output_of(path, "speedscope"))
    for frame in document["shared"]["frames"]:
        frame["name"] = function_of(frame["name"], frame.get("file", ""))
    return {event: (None, profiles[0][1], profiles[0][2]) for event, profiles in views.speedscope_profiles(document).items()}


def in_order(path, sums):
    """Of formats that call events otherwise: in the order of report's."""
    names = [event["event"] for event in json.loads(output_of(path, "report", "--json"))["events"]]
    return of_sums(dict(zip(names, sums)))


def without_samples(events):
    return {event: (None, *found[1:]) for event, found in events.items()}


def of_pprof(path):
    return in_order(path, views.Pprof(output_of(path, "pprof")).sums().values())


def of_otlp(path):
    return without_samples(in_order(path, [sums for _name, _unit, sums in views.Otlp(output_of(path, "otlp")).found]))


def of_callgrind(path):
    return without_samples(in_order(path, views.Callgrind(output_of(path, "callgrind")).sums().values()))


def of_firefox(path):
    """Of one event; functions have samples."""
    profile = json.loads(output_of(path, "firefox"))
    shared, own, samples = profile["shared"], collections.Counter(), 0
    for thread in profile["threads"]:
        samples += thread["samples"]["length"]
        for stack in thread["samples"]["stack"]:
            if stack is None:
                own[NAMELESS] += 1
                continue
            function = shared["frameTable"]["func"][shared["stackTable"]["frame"][stack]]
            resource = shared["funcTable"]["resource"][function] if "resource" in shared["funcTable"] else -1
            file = shared["stringArray"][shared["resourceTable"]["name"][resource]] if resource not in (None, -1) else ""
            own[function_of(shared["stringArray"][shared["funcTable"]["name"][function]], file)] += 1
    return samples, own


VIEWS = (("report", of_report), ("pprof", of_pprof),
         ("flamegraph", lambda path: of_sums(views.Page(output_of(path, "flamegraph")).sums())), ("callgrind", of_callgrind), ("otlp", of_otlp),
         ("speedscope", of_speedscope), ("perfetto", lambda path: of_sums(perfetto.Trace(output_of(path, "perfetto")).sums)))


def differing(title, theirs, ours, weights):
    """How many functions differ, and how many samples these are."""
    names = [name for name in set(theirs) | set(ours) if theirs.get(name, 0) != ours.get(name, 0)]
    if "-v" in sys.argv:
        for name in sorted(names):
            print("%s: %s: perf %d, here %d" % (title, name, theirs.get(name, 0), ours.get(name, 0)), file=sys.stderr)
    nr = sum(weights.get(name, 0) for name in names)
    return "%d (%d)" % (len(names), nr) if names else "0"


def compare_event(title, name, theirs, found):
    """found: (samples, weight, {function: weight}); "[no stack]" is the sample whose address is nowhere."""
    samples, weight, own = found
    own = collections.Counter({function: value for function, value in own.items() if value})
    own[NAMELESS] += own.pop("[no stack]", 0)
    own += collections.Counter()
    wrong = []
    if (theirs.samples if samples is None else samples, weight) != (theirs.samples, theirs.weight):
        wrong.append("**%s samples, weight %s, perf %d, %d**" % (samples, weight, theirs.samples, theirs.weight))
    return " ".join(wrong + [differing(title + ": " + name, theirs.own, own, theirs.of_function)])


def compare_folded(path, events):
    wanted = collections.Counter()
    for name, event in events.items():
        for stack, nr in event.stacks.items():
            wanted[(name + ";" if len(events) > 1 else "") + stack] += nr
    found = collections.Counter()
    for line in output_of(path, "folded", "--weight", "samples").decode("utf-8", "replace").splitlines():
        stack, nr = line.rsplit(" ", 1)
        found[stack] += int(nr)
    if "-v" in sys.argv:
        for stack in sorted((wanted - found) | (found - wanted)):
            print("folded: %s: perf %d, here %d" % (stack, wanted[stack], found[stack]), file=sys.stderr)
    return str(sum((wanted - found).values()))


def row_of(title, path):
    events = {name: counts for name, counts in counts_of_perf(path).items()}
    cells = [title, str(sum(event.samples for event in events.values())), str(sum(len(event.own) for event in events.values())), compare_folded(path, events)]
    named = None
    for view, read in VIEWS:
        found = read(path)
        if view == "report":
            named = sum(event["samples"] - event["nameless_samples"] for event in json.loads(output_of(path, "report", "--json"))["events"])
        # tracepoints are samples in a trace only where they have a stack
        results = {compare_event("%s: %s" % (title, view), name, event, found.get(name, (0, 0, {}))) for name, event in events.items()
                   if view != "perfetto" or ":" not in name or name in found}
        cells.append("; ".join(sorted(results - {"0"})) or "0")
    samples, own = of_firefox(path)
    own[NAMELESS] += own.pop("[no stack]", 0)
    own += collections.Counter()
    shown = next((event for event in events.values() if event.samples == samples), None)
    cells.append(differing(title + ": firefox", shown.of_function, own, shown.of_function) if shown else "**%d samples**" % samples)
    return cells + [str(named), str(sum(event.named for event in events.values()))]


def nr_differing(title, theirs, ours):
    return differing(title, theirs.own, collections.Counter({name: weight for name, weight in ours.items() if weight}), theirs.of_function)


def pair_row(title, base, path):
    """What diff and a flame graph with a base have of both sides. diff joins clones of a function (NAME.part.0): it is the row of all of them."""
    cells = [title]
    both = [counts_of_perf(name) for name in (base, path)]
    event = next(iter(both[1]))
    cells += [str(counts[event].samples) for counts in both] + [str(len(set(both[0][event].own) | set(both[1][event].own)))]
    page = views.Page(program.run("flamegraph", "--no-inline", "--base", base, path).out)
    answer = json.loads(program.run("diff", "--json", "--inlines", "no", "--exact-symbols", "--min-share", "0", base, path).out)
    rows = next(found for found in answer["events"] if found["event"] == event)["rows"]
    for side in (0, 1):
        theirs = both[side][event]
        shown = page.sums(1 - side)[event]
        own = of_sums({event: shown})[event][2]
        own[NAMELESS] += own.pop("[no stack]", 0)
        cells.append(nr_differing(title + ": flamegraph --base", theirs, own))
        own = collections.Counter()
        for row in rows:
            own[function_of(row["names"][side] or row["symbol"], row.get("file") or "")] += row["self"]["weight"][side]
        cells.append(nr_differing(title + ": diff", theirs, own))
    return cells


def main():
    given = [word.rpartition("=") for word in sys.argv[1:] if word != "-v"]
    pairs = [(title, *files.split(",")) for title, _, files in given if "," in files]
    if pairs:
        print("| pair of | samples before | after | functions | flamegraph --base, before | diff, before | flamegraph --base, after | diff, after |")
        print("| --- |" + " ---: |" * 7)
        for pair in pairs:
            print("| %s |" % " | ".join(pair_row(*pair)))
        return 0
    print("| recording of | samples | functions | stacks of folded | %s | firefox | with a name | perf |" % " | ".join(view for view, _read in VIEWS))
    print("| --- |" + " ---: |" * (len(VIEWS) + 6))
    for title, _, path in given:
        print("| %s |" % " | ".join(row_of(title or os.path.basename(path), path)))
        sys.stdout.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())
