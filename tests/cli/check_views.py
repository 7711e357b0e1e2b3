#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What the program writes for viewers says the same as `perfdata report`: for every recording, event by event, samples, weight, each function by
itself and with what it called, each thread. Read by readers of our own (tests/support/views.py); check_viewers.py has those of others. Prints TAP."""
import base64
import collections
import hashlib
import json
import os
import re
import struct
import sys
import tempfile
import xml.etree.ElementTree

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import perfetto
import builder
import program
import views

tap = program.Tap()
report = tap.report


def outcome(check, *arguments):
    """What the check finds wrong; a view that cannot be read is wrong too."""
    try:
        return check(*arguments)
    except (ArithmeticError, AttributeError, LookupError, ValueError) as error:
        return "cannot be read: %r" % error


def rows_of(event):
    """{(function, file): (weight by itself, weight with what it called)}; functions of a name in one file are one, inlined or not."""
    rows = collections.defaultdict(lambda: [0, 0])
    for row in event["rows"]:
        key = row["symbol"], row.get("dso", "")
        rows[key][0] += row["self_weight"]
        rows[key][1] += row["total_weight"]
    return rows


def differs(what, ours, theirs):
    for key in sorted(set(ours) | set(theirs), key=str):
        if ours.get(key, 0) != theirs.get(key, 0):
            return "%s of %s: report has %s, the view %s" % (what, key, ours.get(key, 0), theirs.get(key, 0))
    return ""


def compare_sums(event, sums, kinds_apart):
    """kinds_apart: a function that is inlined and called too is two in the report; its totals add up only where no stack has both."""
    if (event["samples"], event["weight"]) != (sums.samples, sums.weight):
        return "report: %d samples, weight %d; the view: %d, %d" % (event["samples"], event["weight"], sums.samples, sums.weight)
    rows = rows_of(event)
    wrong = differs("self", {key: row[0] for key, row in rows.items() if row[0]}, {key: value for key, value in sums.self_weight.items() if value})
    several = collections.Counter((row["symbol"], row.get("dso", "")) for row in event["rows"])
    single = {key for key in rows if several[key] == 1} if kinds_apart else set()
    return wrong or differs("total", {key: rows[key][1] for key in single if rows[key][1]},
                            {key: value for key, value in sums.total_weight.items() if key in single and value})


def check_page(html, reported):
    page = views.Page(html)
    digest = base64.b64encode(hashlib.sha256(page.script.encode("utf-8")).digest()).decode()
    if "script-src 'sha256-%s'" % digest not in page.policy or "default-src 'none'" not in page.policy:
        return "the policy does not fit the script: %s" % page.policy
    # chains that end too early, or were cut, are warnings of their own, about complete recordings too
    cut = [text for text in page.meta["warnings"] if " were cut: " in text]
    if bool(cut) != any(event.get("cut_stacks") for event in reported["events"]):
        return "warnings of cut stacks: %s" % cut
    warnings = [text for text in page.meta["warnings"] if " of stacks of " not in text and text not in cut]
    if bool(warnings) != (not reported["complete"] or reported["lost_records"] > 0 or reported["lost_samples"] > 0):
        return "complete: %s, warnings: %s" % (reported["complete"], warnings)
    sums = page.sums()
    if len(sums) != len(set(event["event"] for event in reported["events"])):
        return "report has %s, the page %s" % ([event["event"] for event in reported["events"]], sorted(sums))
    return next(filter(None, (compare_sums(event, sums[event["event"]], True) for event in reported["events"])), "")


def pprof_event(profile, at):
    return profile.types[2 * at + 1][0]


def check_pprof(data, reported):
    profile = views.Pprof(data)
    sums = profile.sums()
    if len(profile.types) != 2 * len(reported["events"]):
        return "columns %s for events %s" % (profile.types, [event["event"] for event in reported["events"]])
    if reported["events"] and profile.types[0] != ("samples", "count"):
        return "the first column is %s" % (profile.types[0],)
    if not reported["complete"] and not any("incomplete" in line for line in profile.comments):
        return "no comment says that the recording is incomplete"
    for at, event in enumerate(reported["events"]):
        found = sums[pprof_event(profile, at)]
        if (found.samples, found.weight) != (event["samples"], event["weight"]):
            return "%s: %d samples, weight %d, not %d, %d" % (event["event"], found.samples, found.weight, event["samples"], event["weight"])
        named = {row["symbol"]: 0 for row in event["rows"] if row.get("kind") != "no name"}
        for row in event["rows"]:
            if row.get("kind") != "no name":
                named[row["symbol"]] += row["self_weight"]
        own = collections.Counter()
        for (name, _file), weight in found.self_weight.items():
            own[name] += weight
        del own["[no stack]"]
        wrong = differs("self", {name: weight for name, weight in named.items() if weight},
                        {name: weight for name, weight in own.items() if name and weight})
        if wrong:
            return wrong
    return ""


def check_speedscope(text, reported):
    document = json.loads(text.decode("utf-8"), object_pairs_hook=program.no_key_twice)
    if not reported["complete"] and "incomplete" not in document["name"]:
        return "its name does not say that the recording is incomplete"
    if not reported["events"]:
        return "" if len(document["profiles"]) == 1 else "a file without samples has one empty profile"
    profiles = views.speedscope_profiles(document)
    for event in reported["events"]:
        first, *threads = profiles[event["event"]]
        if first[1] != event["weight"] or first[0] != "all threads":
            return "%s: weight %d in '%s', report has %d" % (event["event"], first[1], first[0], event["weight"])
        if threads and sum(weight for _who, weight, _own in threads) != event["weight"]:
            return "%s: the threads' profiles do not add up" % event["event"]
    return ""


def check_callgrind(text, reported):
    costs = views.Callgrind(text)
    sums = costs.sums()
    if not reported["events"]:
        return "" if (costs.events, costs.totals) == (["samples"], [0]) else "nothing was sampled: %s, %s" % (costs.events, costs.totals)
    if len(costs.events) != len(reported["events"]):
        return "events %s for %s" % (costs.events, [event["event"] for event in reported["events"]])
    if not reported["complete"] and not any("incomplete" in line for line in costs.head["desc"]):
        return "nothing says that the recording is incomplete"
    for name, event in zip(costs.events, reported["events"]):
        sums[name].samples = event["samples"]
        del sums[name].total_weight["(root)", ""]
        wrong = compare_sums(event, sums[name], True)
        if wrong:
            return wrong
    return ""


def check_otlp(data, reported):
    profiles = views.Otlp(data)
    if len(profiles.found) != len(reported["events"]):
        return "%d profiles for events %s" % (len(profiles.found), [event["event"] for event in reported["events"]])
    if not reported["complete"] and not any("incomplete" in line for line in profiles.warnings):
        return "nothing says that the recording is incomplete"
    for event, (_name, _unit, sums) in zip(reported["events"], profiles.found):
        if sums.weight != event["weight"]:
            return "%s: weight %d, not %d" % (event["event"], sums.weight, event["weight"])
        rows, own = collections.Counter(), collections.Counter()
        for row in event["rows"]:
            if row.get("kind") != "no name":
                rows[row["symbol"]] += row["self_weight"]
        for (name, _file), weight in sums.self_weight.items():
            own[name] += weight
        wrong = differs("self", {name: weight for name, weight in rows.items() if weight and name != "[no stack]"},
                        {name: weight for name, weight in own.items() if name and weight})
        if wrong:
            return wrong
    return ""


def check_threads(path, html, reported):
    by_thread = program.run("report", "--by", "thread", "--json", path).out
    sums = views.Page(html).sums()
    for event in json.loads(by_thread)["events"]:
        ours = collections.Counter()
        for row in event["rows"]:
            ours[row.get("pid", -1), row.get("tid", -1)] += row["self_samples"]
        wrong = differs("samples of thread", ours, sums[event["event"]].threads)
        if wrong:
            return wrong
    return ""


def check_markers():
    """Each event of a thread is on the track of this thread."""
    path = os.path.join(program.TESTDATA, "trace-73.data")
    profile = json.loads(program.run("firefox", path).out)
    names = profile["shared"]["stringArray"]
    exits = sorted(thread["tid"] for thread in profile["threads"] for name in thread["markers"]["name"] if names[name] == "exit")
    records = [json.loads(line) for line in program.run("ndjson", path).out.decode().splitlines()]
    wanted = sorted(str(record["tid"]) for record in records if record["type"] == "exit" and record.get("time"))
    report("firefox: the end of a thread is a marker on it", exits != wanted and "%s, not %s" % (exits, wanted))


def check_memory():
    """Rows of samples go to a temporary file where memory is short."""
    r = builder.Recording()
    r.event("cycles", [11], sample_type=builder.TID | builder.TIME, type=1)
    r.raw(b"".join(struct.pack("<IHHIIQ", 9, builder.USER, 24, 100, 100 + i % 7, 1000 + i) for i in range(300000)))
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "many.data")
        r.save(path)
        wide, narrow = (program.run("firefox", "-v", "--symbols", "no", "--max-memory", limit, path) for limit in ("256M", "16M"))
    held = re.search(rb"recording: up to (\d+) of 16 MiB", narrow.err)
    report("firefox: 300,000 samples do not fit into 16 MiB, and are written", narrow.code or not held or int(held[1]) > 16 and narrow.err)
    report("… the same bytes", wide.out != narrow.out and "they differ")


def check_svg(text):
    xml.etree.ElementTree.fromstring(text.decode("utf-8"))
    return "a script in the picture" if re.search(rb"<script|href=|on\w+=", text) else ""


def distinct_names(reported):
    names = [event["event"] for event in reported["events"]]
    return len(set(names)) == len(names)


def check(path, name, by_threads):
    """by_threads: also that the number of threads changes nothing, which takes most of the time."""
    done = program.run("report", "--json", path)
    if done.code not in (0, 4):
        report("%s: nothing to show" % name, "exit %d" % done.code if done.code not in (3, 6) else "")
        return
    reported = json.loads(done.out, object_pairs_hook=program.no_key_twice)
    outputs = {}
    for command in ("flamegraph", "pprof", "speedscope", "perfetto", "callgrind", "otlp"):
        other = program.run(command, path)
        report("%s: %s ends as report does" % (name, command), other.code != done.code and "exit %d, report's was %d" % (other.code, done.code))
        outputs[command] = other.out
    if distinct_names(reported):
        report("%s: page" % name, outcome(check_page, outputs["flamegraph"], reported))
        report("%s: threads" % name, outcome(check_threads, path, outputs["flamegraph"], reported))
        report("%s: speedscope" % name, outcome(check_speedscope, outputs["speedscope"], reported))
        report("%s: perfetto" % name, outcome(check_perfetto, outputs["perfetto"], reported))
    report("%s: pprof" % name, outcome(check_pprof, outputs["pprof"], reported))
    report("%s: callgrind" % name, outcome(check_callgrind, outputs["callgrind"], reported))
    report("%s: otlp" % name, outcome(check_otlp, outputs["otlp"], reported))
    report("%s: picture" % name, outcome(check_svg, program.run("flamegraph", "--svg", path).out))
    if not by_threads:
        return
    same = all(program.run(command, "--jobs", "4", path).out == program.run(command, "--jobs", "1", path).out
               for command in ("report", "flamegraph", "pprof", "speedscope", "perfetto", "callgrind", "otlp"))
    report("%s: the same bytes for any --jobs" % name, not same and "they differ")


def check_perfetto(data, reported):
    """Tracepoints are samples there only where they have a stack."""
    trace = perfetto.Trace(data)
    for event in reported["events"]:
        if ":" in event["event"]:
            continue
        found = trace.sums[event["event"]]
        if (found.samples, found.weight) != (event["samples"], event["weight"]):
            return "%s: %d samples, weight %d, not %d, %d" % (event["event"], found.samples, found.weight, event["samples"], event["weight"])
        rows = collections.Counter()
        for row in event["rows"]:
            rows[row["symbol"]] += row["self_weight"]
        own = collections.Counter()
        for (name, _path), weight in found.self_weight.items():
            own[name] += weight
        wrong = differs("self", {name: weight for name, weight in rows.items() if weight and name != "[no stack]"},
                        {name: weight for name, weight in own.items() if weight})
        if wrong:
            return wrong
    if not reported["complete"] and not any("incomplete" in name for name in trace.instants):
        return "nothing says that the recording is incomplete"
    return ""


def check_base():
    path = os.path.join(program.TESTDATA, "callgraph-73.data")
    page = views.Page(program.run("flamegraph", "--base", path, path).out)
    report("a recording against itself: both sides are the same", page.rows[0][0] and [row[2:] for row in page.rows[0][0]] == []
           or sorted(page.sums(0)["cpu-clock"].self_weight.items()) != sorted(page.sums(1)["cpu-clock"].self_weight.items()))
    with open(path, "rb") as f:
        data = f.read()
    with tempfile.TemporaryDirectory() as folder:
        def base(old, new):
            assert len(old) == len(new) and old in data
            with open(folder + "/base.data", "wb") as f:
                f.write(data.replace(old, new))
            return folder + "/base.data"
        program_path = next(path for _name, path in page.sums(0)["cpu-clock"].self_weight if path.endswith("/work")).encode()
        moved = views.Page(program.run("flamegraph", "--base", base(program_path, b"/else" + program_path[5:]), path).out)
        report("a base whose files lie in another folder is the same program",
               page.sums(0)["cpu-clock"].self_weight != moved.sums(1)["cpu-clock"].self_weight or moved.meta["warnings"])
        # built anew: by its build-id it would be known under another name
        files = json.loads(program.run("buildids", "--json", path).out)["files"]
        build_id = bytes.fromhex(next(row["build_id"] for row in files if row["filename"].encode() == program_path))
        data = data.replace(build_id, build_id[::-1])
        renamed = base(program_path, program_path[:-4] + b"play")
        done = program.run("flamegraph", "--base", renamed, path)
        warnings = views.Page(done.out).meta["warnings"]
        report("where little matches, the page and a warning say so and propose the pair",
               ["--map-dso 'play=work'" in text for text in warnings] != [True] or b"W807" not in done.err)
        done = program.run("flamegraph", "--base", renamed, "--base", renamed, "--map-dso", "play=work", path)
        twice = views.Page(done.out)
        report("bases that the user says to be the same are; several are added up",
               twice.meta["warnings"] or b"W807" in done.err or {key: 2 * weight for key, weight in page.sums(0)["cpu-clock"].self_weight.items()}
               != dict(twice.sums(1)["cpu-clock"].self_weight))
        done = program.run("flamegraph", "--repeat", path, "--repeat", renamed, "--base", path, "--base", path, "--base", path, path)
        runs = views.Page(done.out)
        own, base = runs.sums(0)["cpu-clock"], runs.sums(1)["cpu-clock"]
        alone = page.sums(0)["cpu-clock"]
        report("repeat runs a side are added up", not done.code and [(own.samples, base.samples), (own.weight, base.weight)] !=
               [(3 * alone.samples,) * 2, (3 * alone.weight,) * 2] or runs.meta["events"][0]["samples"] != 3 * alone.samples)
        report("… by the functions of diff: a file of another name has functions of its own",
               sum(weight for (_name, file), weight in own.self_weight.items() if file.endswith("/play")) !=
               sum(weight for (_name, file), weight in alone.self_weight.items() if file.endswith("/work")))
        report("… thread by thread: the nth of a name is the nth in each run", runs.threads != page.threads)
        report("… and named in the title", runs.meta["title"] != "callgraph-73.data, callgraph-73.data, base.data" and runs.meta["title"])
        mapped = views.Page(program.run("flamegraph", "--repeat", renamed, "--map-dso", "play=work", path).out).sums(0)["cpu-clock"]
        report("names of the base are none of repeat runs", not any(file.endswith("/play") for _name, file in mapped.self_weight))
        small = folder + "/small.data"
        program.run("rewrite", "-q", "--tid", str(page.threads[0]["tid"]), path, "-o", small)
        more = views.Page(program.run("flamegraph", "--base", path, small).out)
        threads = {row[0] for row in more.rows[0][1]}
        report("a base may have more threads than the recording", len(more.threads) != len(page.threads) or
               max(threads) >= len(more.threads))
        kinds = os.path.join(program.TESTDATA, "kinds-73.data")
        done = program.run("flamegraph", "--repeat", kinds, path)
        report("events that only a repeat run has are left out, and said to be", [text for text in views.Page(done.out).meta["warnings"]
               if "page-faults" in text and "kinds-73.data" in text] == [] or b"W807" not in done.err)
        picture = program.run("flamegraph", "--svg", "--repeat", path, path).out.decode()
        report("the picture has the sums of all runs", "%d samples" % (2 * alone.samples) not in picture)
    for option in ("--base", "--repeat"):
        done = program.run("flamegraph", option, os.path.join(program.TESTDATA, "there-is-none.data"), path)
        report("%s: a recording that cannot be read is an error" % option, done.code not in (2, 3) and "exit %d" % done.code)


def check_interval():
    """Firefox states the time between samples: of a frequency its inverse, of a clock its period; of other periods nothing is known."""
    found = []
    for name, words in (("cpu-clock", {"type": 1, "freq": 1, "period": 250}), ("cpu-clock", {"type": 1, "period": 500000}), ("cycles", {"type": 0, "period": 500000})):
        r = builder.Recording()
        event = r.event(name, [11], sample_type=builder.IP | builder.TID | builder.TIME, **words)
        r.sample(event, ip=0x400000, pid=100, tid=100, time=2)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "interval.data")
            r.save(path)
            found.append(json.loads(program.run("firefox", "--symbols", "no", path).out)["meta"]["interval"])
    report("firefox: the time between samples, in milliseconds", found != [4, 0.5, 1] and found)


def check_tiers():
    """With a base, the tiers of a function that a JIT compiler makes are one function, whose name is that of none of them."""
    pid = 2**22 + 1
    r = builder.Recording()
    event = r.event("cycles", [11], sample_type=builder.IP | builder.TID | builder.TIME, sample_id_all=1)
    r.mmap2(pid, pid, 0x10000000, 0x10000, 0, "//anon", device=(0, 0), inode=0, time=1)
    for at, place in enumerate((0x0, 0x100, 0x100, 0x200)):
        r.sample(event, ip=0x10000000 + place, pid=pid, tid=pid, time=2 + at)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "tiers.data")
        r.save(path)
        os.mkdir(os.path.join(folder, "tmp"))
        with open(os.path.join(folder, "tmp", "perf-%d.map" % pid), "w", encoding="ascii") as out:
            out.write("10000000 100 JS:~add /a.js:1:2\n10000100 100 JS:*add /a.js:1:2\n10000200 100 JS:*only /a.js:3:4\n")
        names = []
        for words in ([], ["--base", path]):
            page = views.Page(program.run("flamegraph", "--symfs", folder, *words, path).out)
            names += [{name: weight for (name, _file), weight in page.sums(side)["cycles"].self_weight.items() if weight} for side in range(1 + bool(words))]
        joined = {"add /a.js:1:2": 3, "JS:*only /a.js:3:4": 1}
        report("a base joins the tiers of a function, and calls it by the name of none", names !=
               [{"JS:~add /a.js:1:2": 1, "JS:*add /a.js:1:2": 2, "JS:*only /a.js:3:4": 1}, joined, joined] and names)


def check_weightless():
    """An event without a period counts samples; nothing would have a share otherwise."""
    r = builder.Recording()
    event = r.event("cycles", [11], sample_type=builder.IP | builder.TID | builder.TIME, sample_id_all=1)
    r.comm(100, 100, "program", time=1)
    for i in range(8):
        r.sample(event, ip=0x400000, pid=100, tid=100, time=2 + i)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "weightless.data")
        r.save(path)
        reported = json.loads(program.run("report", "--json", path).out)["events"][0]
        report("an event without a period: each sample weighs 1", (reported["samples"], reported["weight"]) != (8, 8) and reported)
        page = views.Page(program.run("flamegraph", path).out)
        report("… in the page too", sum(found.weight for found in page.sums(0).values()) != 8 and page.sums(0))


def check_report():
    path = os.path.join(program.TESTDATA, "callgraph-73.data")
    whole = program.run("report", "--width", "60", path).out.decode()
    report("no line is longer than asked for", [line for line in whole.split("\n") if len(line) > 60])
    top = program.run("report", "--top", "1", path).out.decode()
    report("what is left out is said", "more" not in top)
    table = program.run("report", "--csv", path).out.decode()
    report("CSV has a row for each row of JSON",
           len(table.splitlines()) - 1 != len(json.loads(program.run("report", "--json", path).out)["events"][0]["rows"]))
    report("no escape without --color", "\x1b" in whole)
    report("--color always", "\x1b[" not in program.run("report", "--color", "always", path).out.decode())


for number, recording in enumerate(program.some_recordings(largest=4 << 20)):
    check(recording, os.path.basename(recording), program.ALL or number % (16 if program.CORPUS or program.SANITIZED else 3) == 0)
check_base()
check_tiers()
check_interval()
check_weightless()
check_markers()
check_memory()
check_report()
sys.exit(tap.end())
