#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The program under the name perf, without perf: what it takes for a command line, what that becomes, exit codes, error texts, silence. TAP."""
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import builder  # noqa: E402
import program  # noqa: E402
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cli"))
import simpleperf_names  # noqa: E402
import trace_packets  # noqa: E402

CALLGRAPH = os.path.join(program.TESTDATA, "callgraph-73.data")
GROUP = os.path.join(program.TESTDATA, "group-73.data")
TRACE = os.path.join(program.TESTDATA, "trace-73.data")
STREAM = os.path.join(program.TESTDATA, "stream-73.pipe")
DAMAGED = os.path.join(program.TESTDATA, "bad-record-size.data")
ADDR = "Samples for 'cpu-clock' event do not have ADDR attribute set. Cannot print 'addr' field.\n"
SHOWS = ("--show-mmap-events", "--show-task-events")
FAILED = 255
tap = program.Tap()


def perf(*words, **more):
    more.setdefault("stdin", subprocess.DEVNULL)
    done = subprocess.run([program.PERFDATA, "perf", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=300, **more)
    return program.Done(done.returncode, done.stdout, done.stderr)


def faults(done, code=0, out=None, err=None, begins=None):
    """err: all of stderr, begins: its beginning."""
    found = []
    if done.code != code:
        found.append("exit code %d, not %d: %r" % (done.code, code, done.err[:300]))
    if out is not None and done.out != out:
        found.append("%r, not %r" % (done.out[:300], out[:300]))
    if err is not None and done.err.decode() != err:
        found.append("stderr %r" % done.err[:300])
    if begins is not None and not done.err.decode().startswith(begins):
        found.append("stderr %r" % done.err[:300])
    return found


def check_names(folder):
    # also to the script that libtool makes in the build folder
    for number, path in enumerate((program.PERFDATA, os.path.join(program.BUILD, "perfdata"))):
        os.makedirs(os.path.join(folder, str(number)))
        link = os.path.join(folder, str(number), "perf")
        os.symlink(os.path.abspath(path), link)
        done = subprocess.run([link, "--version"], stdout=subprocess.PIPE, timeout=60)
        tap.report("a link named perf", [] if re.fullmatch(rb"perf version \d+\.\d+\.\d+-perfdata-\S+\n", done.stdout) else [done.stdout])
    other = os.path.join(folder, "perf_to_profile")
    os.symlink(program.PERFDATA, other)
    profile = os.path.join(folder, "profile")
    done = subprocess.run([other, "-i", CALLGRAPH, "-o", profile, "-f"], stderr=subprocess.PIPE, timeout=60)
    tap.report("a link named perf_to_profile", [done.stderr] if done.returncode or not os.path.getsize(profile) else [])
    versions = {perf(word).out for word in ("version", "--version", "-v")}
    tap.report("version", [] if len(versions) == 1 else [versions])
    tap.report("build options", [] if b"zstd: [ " in perf("version", "--build-options").out else ["no zstd"])


def check_commands():
    tap.report("no command", faults(perf(), 1, err=""))
    for words in (["help"], ["-h"], ["--help"], ["--list-cmds"], ["--list-opts"], ["-vv"], ["script", "--help"], ["help", "evlist"]):
        done = perf(*words)
        tap.report(" ".join(words), faults(done, 0, err="") + ([] if done.out else ["nothing is said"]))
    tap.report("-h of a command", faults(perf("script", "-h"), 129, b"", begins="\n Usage: perf script"))
    tap.report("an unknown command", faults(perf("nosuch"), 1, b"", "perf: 'nosuch' is not a perf-command. See 'perf --help'.\n"))
    tap.report("an unknown option of perf", faults(perf("--foo"), 129, b"", begins="Unknown option: --foo\n"))
    for name, instead in (("record", "perf itself"), ("top", "perf itself"), ("annotate", "perfdata annotate"), ("archive", "perfdata bundle"),
                          ("diff", "perfdata diff"), ("inject", "perfdata rewrite"), ("stat", "perf itself"), ("report", "perfdata report"),
                          ("sched", "report --spans off"), ("lock", "report --spans lock"), ("kwork", "report --spans irq"),
                          ("kvm", "report --spans guest"), ("trace", "report --spans syscall")):
        done = perf(name, "-x" if name != "report" else "--stdio")
        wrong = faults(done, FAILED, b"")
        if done.err.count(b"\n") != 1 or instead.encode() not in done.err:
            wrong.append(done.err)
        tap.report("%s names what to use" % name, wrong)


def check_options():
    wanted = program.run("script", "-q", "-F", "pid", CALLGRAPH).out
    for words in (["-Fpid", "-fi" + CALLGRAPH], ["-fFpid", "-i", CALLGRAPH], ["--fie", "pid", "--inp=" + CALLGRAPH], ["--fields=pid", "--force", "-vvv", "-i", CALLGRAPH],
                  ["-F", "comm", "-F", "pid", "--no-inline", "--no-itrace", "--input", CALLGRAPH], ["-F", "pid", "-i", "/nosuch", "-i", CALLGRAPH],
                  ["-F", "pid", "--itrace=bl", "-i", CALLGRAPH], ["-Fpid", "--no-i=" + "x"], ["-F", "pid", "--no-ns", "--ns", "--no-ns", "-i", CALLGRAPH]):
        done = perf("script", *words)
        if "--no-i=x" in words:
            tap.report("an ambiguous option", faults(done, 129, b"", begins=" Error: Ambiguous option: no-i (could be --no-"))
        else:
            tap.report("options: " + " ".join(words).replace(CALLGRAPH, "FILE"), faults(done, 0, wanted, ""))
    for words, begins in ((["--foo"], "  Error: unknown option `foo'\n"), (["-Z"], "  Error: unknown switch `Z'\n"), (["-i"], " Error: switch `i' requires a value\n"),
                          (["--input"], " Error: option `input' requires a value\n"), (["--ns=3"], " Error: option `ns' takes no value\n"),
                          (["--max-stack", "x"], " Error: option `max-stack' expects a numerical value\n"), (["word"], "  Error: Couldn't find script `word'\n"),
                          (["-F", "foo", "-i", CALLGRAPH], "Invalid field requested.\n"), (["-F", "foo:ip", "-i", CALLGRAPH], "Invalid event type in field string.\n"),
                          (["-F", "", "-i", CALLGRAPH], "Cannot set fields to 'none' for all event types.\n"),
                          (["-F", "sw:trace", "-i", CALLGRAPH], "'trace' not valid for software events.\n"),
                          (["-F", "pid,+comm", "-i", CALLGRAPH], "Cannot mix +-field with overridden fields\n"), (["-f", "comm,pid", "-i", CALLGRAPH], "  Error: Couldn't find script `comm,pid'\n")):
        tap.report("wrong: " + " ".join(words[:2]), faults(perf("script", *words), 129, b"", begins=begins))
    for words, err in ((["--comms="], ""), (["--dsos=,"], ""), (["--pid="], ""), (["--tid=,"], ""), (["--pid=abc"], "problems parsing pid list\n"),
                       (["--tid=3,x"], "problems parsing tid list\n")):
        tap.report("nothing is chosen: " + words[0], faults(perf("script", *words, "-i", CALLGRAPH), 0, b"", err))
    trace = os.path.join(program.TESTDATA, "trace-73.data")   # of two processors
    for cpus, first in (("2", 2), ("0-3", 2), ("0,9999", 9999)):
        tap.report("-C " + cpus, faults(perf("script", "-C", cpus, "-i", trace), FAILED, b"", "Requested CPU %d too large. Consider raising MAX_NR_CPUS\n" % first))
    tap.report("-C 0-1", faults(perf("script", "-C", "0-1", "-i", trace), 0, perf("script", "-i", trace).out, ""))
    tap.report("a number below zero", faults(perf("script", "--max-stack=-1", "-i", CALLGRAPH), 129, b"", begins=" Error: option `max-stack' expects an unsigned numerical value\n"))
    for command in ("script", "evlist", "buildid-list", "report", "version"):
        done = perf(command, "--list-opts")
        tap.report("%s --list-opts" % command, faults(done, 130, err="") + ([] if re.fullmatch(rb"(--[\w-]+ )+\n", done.out) else [done.out]))
        tap.report("%s --list-cmds" % command, faults(perf(command, "--list-cmds"), 130, b"record report \n" if command == "script" else b"\n", ""))
    rounds = perf("script", "--dump-unsorted-raw-trace", "-i", CALLGRAPH).out, perf("script", "-D", "-i", CALLGRAPH).out
    tap.report("rounds of an unsorted dump", [] if b"FINISHED_ROUND: unhandled!\n" in rounds[0] and b"FINISHED_ROUND\n" in rounds[1] else ["not as perf's"])
    tap.report("evlist with a word", faults(perf("evlist", "-i", CALLGRAPH, "word"), 129, b""))


def check_refusals(folder):
    listed = re.findall(r"^ {4}(?:-., |    )--([a-z0-9A-Z-]+)[^\n]*\n {26}refused", perf("script", "--help").out.decode(), re.M)
    wrong = [] if len(listed) > 20 else [listed]
    for name in listed:
        done = perf("script", "--" + name + ("=1" if name not in ("debug-mode", "list", "guest-code", "list-dlfilters", "per-event-dump", "stitch-lbr") else ""), "-i", CALLGRAPH)
        wrong += faults(done, FAILED, b"", begins="perf script: --%s is refused: " % name)
        wrong += faults(perf("script", "--no-" + name, "-F", "pid", "-i", CALLGRAPH), 0, err="")
    tap.report("refused options say why", wrong)
    for words, err in ((["-F", "pid,event,addr,ip"], ADDR), (["-C", "0"], "File does not contain CPU events. Remove -C option to proceed.\n"),
                       (["--reltime", "--deltatime"], "reltime and deltatime - the two don't get along well. Please limit to --reltime or --deltatime.\n")):
        tap.report("not recorded: " + " ".join(words), faults(perf("script", *words, "-f", "-i", CALLGRAPH), FAILED, b"", err))
    for time in "foo", "30%-", "10%/", "10%/0", "%5":
        tap.report("--time %s, which is none" % time, faults(perf("script", "--time", time, "-i", CALLGRAPH), 234, b"", "Invalid time string\n"))
    tap.report("--max-stack above perf's own limit", faults(perf("script", "--max-stack", "128", "-i", CALLGRAPH), 0, perf("script", "-i", CALLGRAPH).out, ""))
    for words in (["--time", "10%/1,10%/3"], ["--no-merge-callchains"], ["--full-source-path", "-F", "+srcline"]):
        tap.report("refused: " + " ".join(words), faults(perf("script", *words, "-i", CALLGRAPH), FAILED, b"", begins="perf script: "))
    for tracer in (trace_packets.PT, trace_packets.BTS):
        path = os.path.join(folder, tracer)
        with open(path, "wb") as file:
            file.write(trace_packets.recording(tracer, [b"".join(trace_packets.every_packet(tracer))]).file())
        tap.report("traces of %s are not decoded" % tracer, faults(perf("script", "-i", path), FAILED, b"", begins="perf script: the recording has traces (Intel "))
        tap.report("--no-itrace passes over those of %s" % tracer, faults(perf("script", "--no-itrace", "-i", path), 0, err=""))
        dump = perf("script", "-D", "-i", path)
        tap.report("-D shows those of %s" % tracer, faults(dump, 0, program.run("dump", "-q", "--aux", path).out, ""))


def check_inputs(folder):
    with open(os.path.join(folder, "zero"), "wb"):
        pass
    shutil.copy(CALLGRAPH, os.path.join(folder, "other"))
    commands = (["script"], ["evlist"], ["buildid-list"], ["report", "--stats"])
    for command in commands:
        name = " ".join(command)
        tap.report(name + ": no perf.data", faults(perf(*command, cwd=folder), FAILED, b"", "failed to open perf.data: No such file or directory  (try 'perf record' first)\n"))
        tap.report(name + ": no file", faults(perf(*command, "-i", "/nosuch"), FAILED, b"", "failed to open /nosuch: No such file or directory\n"))
        tap.report(name + ": no recording", faults(perf(*command, "-i", os.path.abspath(__file__)), FAILED, b"", "incompatible file format (rerun with -v to learn more)\n"))
        tap.report(name + ": an empty file", faults(perf(*command, "-i", "zero", cwd=folder), FAILED, b"", "zero-sized data (zero), nothing to do!\n"))
    tap.report("a folder", faults(perf("script", "-i", folder), FAILED, b"", "failed to open %s/data: No such file or directory\n" % folder))
    if os.geteuid() == 0:
        os.chown(os.path.join(folder, "other"), 12345, -1)
        tap.report("a file of another user", faults(perf("script", "-i", "other", cwd=folder), FAILED, b"", "File other not owned by current user or root (use -f to override)\n"))
        tap.report("-f reads it", faults(perf("script", "-f", "-i", "other", cwd=folder), 0, err=""))
    shutil.copy(CALLGRAPH, os.path.join(folder, "perf.data"))
    wanted = perf("script", "-i", CALLGRAPH).out
    tap.report("perf.data is the default", faults(perf("script", cwd=folder), 0, wanted, ""))
    with open(STREAM, "rb") as stream:
        wanted = perf("script", "-i", STREAM).out
        tap.report("-i - reads a stream", faults(perf("script", "-i", "-", stdin=stream), 0, wanted, ""))
    with subprocess.Popen(["cat", STREAM], stdout=subprocess.PIPE) as cat:
        tap.report("a pipe on stdin is the default", faults(perf("script", stdin=cat.stdout, cwd=folder), 0, wanted, ""))


def check_answers(folder):
    ours = (("script", ["script"], ["script"]), ("script -D", ["script", "-D"], ["dump"]), ("buildid-list", ["buildid-list"], ["buildids", "--perf"]),
            ("buildid-list -H", ["buildid-list", "-H"], ["buildids", "--perf", "--with-hits"]), ("evlist -v", ["evlist", "-v"], ["events", "--perf"]),
            ("report --stats", ["report", "--stats"], ["info", "--perf-stats"]), ("header-only -I", ["script", "--header-only", "-I"], ["info", "--perf"]))
    for path in (CALLGRAPH, TRACE, GROUP):
        for name, words, own in ours:
            tap.report("%s of %s" % (name, os.path.basename(path)), faults(perf(*words, "-i", path), 0, program.run(*own, "-q", path).out, ""))
    short = perf("report", "--header-only", "-i", CALLGRAPH)
    tap.report("report --header-only", faults(short, 0, perf("script", "--header-only", "-i", CALLGRAPH).out, "") + ([] if b"# captured on" in short.out else [short.out]))
    dump = perf("report", "-D", "-i", CALLGRAPH)
    head = b"# To display the perf.data header info, please use --header/--header-only options.\n#\n"
    tap.report("report -D", faults(dump, 0, head + program.run("dump", "-q", "--no-samples-line", CALLGRAPH).out, ""))
    for words, out in ((["-i", GROUP], b"cpu-clock\npage-faults\n# Tip: use 'perf evlist -g' to show group information\n"), (["-g", "-i", GROUP], b"{cpu-clock,page-faults}\n"),
                       (["-F", "-i", CALLGRAPH], b"cpu-clock: sample_freq=2000\n"), (["--trace-fields", "-i", CALLGRAPH], b"cpu-clock: (not a tracepoint)\n")):
        tap.report("evlist " + " ".join(words[:-2]), faults(perf("evlist", *words), 0, out, ""))
    fields = perf("evlist", "--trace-fields", "-i", TRACE).out
    tap.report("evlist --trace-fields", [] if b"sched:sched_process_fork: trace_fields: parent_comm,parent_pid,child_comm,child_pid\n" in fields else [fields])
    tap.report("evlist -g -v", faults(perf("evlist", "-gv", "-i", GROUP), 129, b"", begins="  Error: --group option is not compatible with other options\n"))
    named = builder.Recording()
    leader = named.event("cycles", ids=[1], type=0, sample_type=builder.IP | builder.TID | builder.TIME)
    named.event("cache,misses", ids=[2], type=0, config=3, sample_type=builder.IP | builder.TID | builder.TIME)
    named.sample(leader, ip=1, pid=1, tid=1, time=1)
    named.feature(12, named.event_desc())
    named.feature(17, named.pack("I", 1) + named.string("mine") + named.pack("II", 0, 2))
    path = os.path.join(folder, "named")
    with open(path, "wb") as file:
        file.write(named.file())
    tap.report("evlist -g of a group with a name", faults(perf("evlist", "-g", "-i", path), 0, b"mine{cycles,cache,misses}\n", ""))
    json = os.path.join(folder, "out.json.gz")
    done = perf("data", "convert", "--to-json", json, "-i", CALLGRAPH)
    size = os.path.getsize(json)
    wrong = faults(done, 0, b"", "[ perf data convert: Converted '%s' into JSON data '%s' ]\n[ perf data convert: Converted and wrote %.3f MB (37 samples) ]\n" % (CALLGRAPH, json, size / 1048576))
    with open(json, "rb") as file:
        wrong += [] if file.read() == program.run("perf-json", "-q", CALLGRAPH).out else ["other content"]
    tap.report("data convert --to-json", wrong)
    tap.report("data convert over a file", faults(perf("data", "convert", "--to-json", json, "-i", CALLGRAPH), FAILED, b"", "Output file exists. Use --force to overwrite it.\n"))
    tap.report("data convert --force", faults(perf("data", "convert", "--force", "--to-json", json, "-i", CALLGRAPH), 0, b""))
    for words, err in (([], "You must specify one of --to-ctf or --to-json.\n"), (["--to-json", "x", "--all"], "--all is currently unsupported for JSON output.\n"),
                       (["--to-json", "x", "--to-ctf", "y"], "You cannot specify both --to-ctf and --to-json.\n")):
        tap.report("data convert " + " ".join(words), faults(perf("data", "convert", *words, "-i", CALLGRAPH), FAILED, b"", err))


def check_filters(folder):
    """Filters choose among samples; lines of other records stay."""
    for words in (["-c", "nosuch,other"], ["--pid", "1"], ["--tid", "1"], ["--time", ",0.000001"], ["--dsos", "nosuch"], ["-S", "nosuch"]):
        records = [line for line in perf("script", *SHOWS, "-i", CALLGRAPH).out.splitlines() if b"PERF_RECORD" in line]
        found = perf("script", *SHOWS, *words, "-i", CALLGRAPH)
        tap.report("records pass " + " ".join(words), faults(found, 0, err="") + ([] if found.out.splitlines() == records else [found.out[:400]]))
    timeless = builder.Recording()
    timeless.sample(timeless.event("cycles", ids=[1], type=0, sample_type=builder.IP | builder.TID), ip=1, pid=1, tid=1)
    path = os.path.join(folder, "timeless")
    timeless.save(path)
    for time, nr in (("0,", 1), (",100", 0), ("10%/1", 1), ("0%-50%", 1)):
        found = perf("script", "--time", time, "-i", path)
        tap.report("samples without a time: --time " + time, faults(found, 0, err="") + ([] if found.out.count(b"\n") == nr else [found.out]))
    both = perf("script", "-c", "nosuch,work", "-i", CALLGRAPH)
    tap.report("names between commas", faults(both, 0, perf("script", "-i", CALLGRAPH).out, ""))


def check_recorded_names(folder):
    """What simpleperf records of names perf does not know."""
    path, empty = os.path.join(folder, "names"), os.path.join(folder, "empty")
    os.mkdir(empty)
    simpleperf_names.recording({simpleperf_names.FILE: simpleperf_names.file_section()}, path)
    done = perf("script", "--symfs", empty, "-i", path)
    tap.report("names that simpleperf recorded", faults(done, 0, program.run("script", "-q", "--symbols", "no", path).out, "") or
               ([] if b"[unknown]" in done.out else [done.out[:300]]))


def check_damage():
    done = perf("script", "-i", DAMAGED)
    wrong = faults(done, FAILED, program.run("script", "-q", DAMAGED).out)
    tap.report("script of damage", wrong if done.err.count(b"\n") == 1 else wrong + [done.err])
    tap.report("report --stats of damage", faults(perf("report", "--stats", "-i", DAMAGED), FAILED, program.run("info", "-q", "--perf-stats", DAMAGED).out,
                                                  begins=DAMAGED + ": the recording is damaged: "))
    for words in (["evlist"], ["buildid-list"], ["script", "--header-only"]):
        tap.report(" ".join(words) + " of damage", faults(perf(*words, "-i", DAMAGED), 0, err=""))


def check_document():
    """doc/perf-callers.md lists each option in the class that the program says."""
    with open(os.path.join(program.TOP, "doc", "perf-callers.md")) as file:
        parts = re.split(r"^\*\*(script|evlist|buildid-list|report|data convert)\*\*.*$", file.read(), flags=re.M)
    for name, part in zip(parts[1::2], parts[2::2]):
        said = {}
        for kind, text in re.findall(r"^- (Done|Accepted|Refused)(.*?)(?=^- |^\S|\Z)", re.sub(r"\n(?=  )", "", part), re.M | re.S):
            said.update((option, kind) for option in re.findall(r"--([A-Za-z0-9-]+)`", text.split("):")[-1]))
        usage = perf(*name.split(), "-h").err.decode()
        found = {option: {"accepted": "Accepted", "refused": "Refused"}.get(kind, "Done")
                 for option, kind in re.findall(r"^ {4}(?:-., |    )--([A-Za-z0-9-]+)[^\n]*(?:\n {26}(accepted|refused):)?", usage, re.M)}
        tap.report("the document lists the options of %s" % name, sorted(set(said.items()) ^ set(found.items())) if found else ["no usage"])


def main():
    with tempfile.TemporaryDirectory() as folder:
        check_names(folder)
        check_commands()
        check_options()
        check_refusals(folder)
        check_inputs(folder)
        check_answers(folder)
        check_recorded_names(folder)
        check_filters(folder)
    check_damage()
    check_document()
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
