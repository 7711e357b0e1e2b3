#!/usr/bin/env python3
"""Every option of every command, as the program's own help lists them: no option takes an empty text, a word that is no number or none of its
choices, or a number out of its range; none is accepted where it changes nothing. Wrong use ends with 2 and one line, before any work. Where the
filters let nothing through, a note says so. Prints TAP.

An option that several commands have is tried with one in three of them; with PERFDATA_ALL=1 with all."""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zlib

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from program import ALL, FOR_COMPILERS, PERFDATA, TESTDATA, Tap, run

ONE = os.path.join(TESTDATA, "callgraph-73.data")
OTHER = os.path.join(TESTDATA, "callgraph-61.data")
NO_FILE = {"schema", "fields", "version", "symbolize"}
WORDS = {"completion": ["bash"], "explain": [], "help": []}
OUTPUT = {"parquet": "folder/", "bundle": "out.tar", "rewrite": "out.data", "repair": "out.data", "anonymize": "out.data"}

# Numbers for which 0 means something, as their help says.
ZERO_IS_FINE = {("report", "top"), ("report", "width"), ("annotate", "top"), ("annotate", "width"), ("diff", "top"), ("dump", "max-stack"), ("script", "max-stack"), "max-ratio"}

# What changes nothing, or contradicts itself: (command, words). {} is a recording, {2} another one.
USELESS = [
    ("report", "--tree --sort name {}"), ("report", "--callers x --sort name {}"),
    ("report", "--callers x --callees y {}"), ("report", "--tree --callers x {}"), ("report", "--tree --callees x {}"),
    ("report", "--json --csv {}"), ("report", "--json --tree {}"), ("report", "--csv --callers x {}"), ("report", "--json --width 30 {}"),
    ("report", "--csv --width 30 {}"), ("report", "--json --color always {}"),
    *(("report", f"--by {by} {flag} {{}}") for by in ("dso", "comm", "thread", "process", "cpu", "event", "build-id")
      for flag in ("--inline", "--no-inline")),
    *(("diff", f"--by {by} --inlines {value} {{}} {{2}}") for by in ("dso", "comm", "thread", "event") for value in ("yes", "no")),
    ("flamegraph", "--map-dso a=b {}"), ("flamegraph", "--map-symbol a=b {}"), ("flamegraph", "--map-dso x --base {2} {}"),
    ("flamegraph", "--map-symbol =x --base {2} {}"), ("flamegraph", "--width 300 {}"), ("flamegraph", "--weight samples {}"),
    ("flamegraph", "--svg --width 99 {}"), ("flamegraph", "--svg --width 100001 {}"),
    ("csv", "--columns time -e time {}"), ("ndjson", "--lines {}"), ("ndjson", "--lines --symbols no {}"), ("folded", "--symfs / --symbols no {}"),
    ("folded", "--symbol x --symbols no {}"),
    ("info", "--json --perf {}"), ("info", "--json --perf-stats {}"), ("info", "--perf --perf-stats {}"), ("events", "--json --perf {}"),
    ("buildids", "--json --tsv {}"), ("buildids", "--json --perf {}"), ("buildids", "--tsv --perf {}"), ("buildids", "--sort samples --perf {}"),
    ("check", "--json --junit {}"), ("check", "--json --sarif {}"), ("check", "--junit --sarif {}"), ("check", "--sarif --annotate github {}"),
    ("check", "--json --annotate github {}"), ("check", "--junit --annotate github {}"),
    ("match", "--json --tsv {}"), ("match", "--json --junit {}"), ("match", "--tsv --junit {}"), ("match", "--require-same {}"),
    ("schema", "--manual --columns"), ("schema", "--manual --table samples"),
    ("diff", "--json --tsv {} {2}"), ("diff", "--json --markdown {} {2}"), ("diff", "--junit --tsv {} {2}"), ("diff", "--tsv --markdown {} {2}"),
    ("diff", "--despite NOSUCH {} {2}"), ("diff", "--despite few {} {2}"), ("diff", "--units A=1,B=2 --normalize share {} {2}"),
    ("diff", "--units A=1 {} {2}"), ("diff", "--normalize unit {} {2}"), ("diff", "--max-total 5 {} {2}"), ("diff", "--map-comm a=b --by symbol {} {2}"),
    ("diff", "--map-symbol a=b --by dso {} {2}"), ("diff", "--map-dso a=b --by comm {} {2}"), ("diff", "--exact-symbols --by thread {} {2}"),
    ("diff", "--map-symbol x {} {2}"), ("diff", "--max-ratio 0.9 {} {2}"), ("diff", "--max-ratio 0 {} {2}"), ("diff", "--alpha 0 {} {2}"),
    ("diff", "--alpha 1 {} {2}"), ("diff", "--alpha nan {} {2}"), ("diff", "--dispersion 0 {} {2}"), ("diff", "--min-share 101 {} {2}"),
    ("diff", "--max-increase inf {} {2}"), ("diff", "--top 3 --json {} {2}"), ("diff", "- -"),
    ("diff", "--json --save {save} {}"),
    ("rewrite", "--symfs / -o {out} {}"), ("rewrite", "--rename x -o {out} {}"),
    ("anonymize", "--keep x -o {out} {}"), ("match", "--symbols-from x --debuginfod {}"),
    ("parquet", "--columns nosuch -o {out} {}"), ("csv", "--columns nosuch {}"), ("report", "--time , {}"),
    ("explain", "NOSUCH"), ("help", "nosuch"), ("completion", "tcsh"), ("version", "x"), ("fields", "x"), ("schema", "x"), ("symbolize", "x"),
    ("repair", "-o {out} {} {2}"),
] + [(command, f"--{option} {value} {{}}") for command in ("ndjson", "csv", "json", "info") for option, value in (
    ("symfs", "/"), ("sysroot", "/"), ("kallsyms", "/proc/kallsyms"), ("vmlinux", PERFDATA), ("symbols-from", "/"), ("debuginfod", ""))] + [
    # of options about comparing, none where one side is saved
    ("diff", f"--save {{save}} {words} {{}}") for words in (
        "--quantity self", "--normalize share", "--max-increase 2", "--max-ratio 2", "--min-share 2", "--alpha 0.1", "--adjust bh", "--dispersion 2",
        "--map-symbol a=b", "--map-dso a=b", "--map-comm a=b", "--despite all", "--top 3", "--no-gate", "--markdown", "--tsv", "--junit")]


def commands():
    text = run("help", "commands").out.decode().split("Exit codes")[0]
    return [match.group(1) for match in re.finditer(r"^  ([a-z][a-z-]*) +\S", text, re.M)]


def options_of(command):
    """(name, argument) of what the help of a command lists; the argument is "" of a flag."""
    listed = []
    for line in run("help", "-v", command).out.decode().splitlines():
        match = re.match(r"^  (?:-., |    )--([a-z0-9-]+)(?: (\S+))?", line)
        if match:
            listed.append((match.group(1), match.group(2) or ""))
    return listed


def takes_argument(command, name, argument):
    """A flag refuses a value as such."""
    return argument or "takes no argument" not in run(command, f"--{name}=x").err.decode()


def chosen_options():
    """{command: the options to try}: each option with one in three of the commands that have it."""
    having = {}
    for command in commands():
        for name, argument in options_of(command):
            if name != "help":
                having.setdefault(name, []).append((command, argument))
    chosen = {command: [] for command in commands()}
    for name, places in having.items():
        first = 0 if ALL else zlib.crc32(name.encode()) % min(3, len(places))
        for command, argument in places[first::1 if ALL else 3]:
            chosen[command].append((name, argument))
    return chosen


def words_of(command, folder):
    """The words with which a command does its work."""
    words = ["-o", os.path.join(folder, OUTPUT[command]), "--force"] if command in OUTPUT else []
    words += ["--to", "ndjson"] if command == "convert" else []
    return words + WORDS.get(command, [] if command in NO_FILE else [ONE, OTHER] if command == "diff" else [ONE])


def is_refused(done):
    lines = done.err.decode().splitlines()
    errors = [line for line in lines if ": note: " not in line]
    return done.code == 2 and not done.out and len(errors) == 1 and "error: " in errors[0]


def check_values(command, options, folder):
    """Options of a command with values that make no sense."""
    faults = []
    base = words_of(command, folder)
    for name, argument in options:
        if not takes_argument(command, name, argument):
            continue
        wrong = [""]
        if re.match(r"^[a-z0-9.-]+\|", argument) or argument in ("github", "perf-6.1"):
            wrong.append("nosuch")
        elif argument in ("N", "SIZE"):
            wrong += ["x", "-1"] + (["1e3", "0x", "99999999999999999999", "1 ", "+1"] if command == "report" else [])
            zero_is_fine = ZERO_IS_FINE & {name, (command, name)}
            wrong += [] if zero_is_fine else ["0"]
        elif argument in ("X", "P", "POINTS", "PERCENT", "RATIO"):
            wrong += ["x", "-1", "nan", "inf", "1e99"]
        elif argument == "K/N":
            wrong += ["x", "0", "1/1", "0/0", "-1/2", "0/2x"]
        elif argument == "OLD=NEW":
            wrong += ["x", "=x", "x="]
        for value in wrong:
            done = run(command, f"--{name}={value}", *base, cwd=folder)
            if not is_refused(done):
                faults.append(f"{command} --{name}={value!r}: {done.code} {done.err[:120]!r}")
    return faults


def check_useless(command, words, folder):
    places = {"{}": ONE, "{2}": OTHER, "{out}": os.path.join(folder, "useless.out"), "{save}": os.path.join(folder, "useless.save")}
    done = run(command, *(places.get(word, word) for word in words.split()), cwd=folder)
    made = [path for path in (places["{out}"], places["{save}"]) if os.path.exists(path)]
    if is_refused(done) and not made:
        return []
    return [f"{command} {words}: {done.code} {done.out[:60]!r} {done.err[:160]!r}"]


FILTERS = [("comm", "nosuch"), ("dso", "nosuch"), ("symbol", "nosuch"), ("pid", "2147483647"), ("tid", "2147483647"), ("cpu", "4000"),
           ("time", "1,2"), ("type", "99")]


def check_filters(folder):
    """What lets nothing through is said, once, and names the filter."""
    for command in commands():
        names = dict(options_of(command))
        for name, value in FILTERS:
            if name not in names or command in ("script", "dump", *FOR_COMPILERS) or (command, name) == ("annotate", "symbol"):
                continue    # these have perf's own, and one that is no filter
            done = run(command, f"--{name}", value, *words_of(command, folder), cwd=folder)
            notes = [line for line in done.err.decode().splitlines() if f"passes --{name} {value}" in line]
            if len(notes) != (2 if command == "diff" else 1) or (command != "diff" and done.code != 0):
                yield f"{command} --{name} {value}: {done.code} {done.err[:200]!r}"


def check_answers_no(folder):
    """What was asked for by a name that nothing has: exit code 1. Of several recordings one that has it is enough. Names of another table are wrong."""
    several = [OTHER, os.path.join(TESTDATA, "trace-73.data")]
    wanted = [(1, "report", "--callers", "nosuch", ONE), (1, "report", "--callees", "no*such", ONE), (0, "report", "--callers", "*", ONE),
              (1, "report", "-q", "--callers", "nosuch", *several), (0, "report", "--callers", "*", *several),
              (0, "csv", "--type", "mmap2", ONE), (0, "csv", "--type", "sample", ONE), (0, "csv", "--table", "mmap2", "--type", "mmap2", ONE),
              (0, "folded", "--comm", "work", *several), (0, "folded", "--comm", "nosuch", *several), (0, "folded", "-q", "--tid", "2147483647", ONE),
              (0, "perf", "script", "--comm", "nosuch", "-i", ONE),
              (2, "csv", "-e", "time,filename", ONE), (2, "csv", "-e", "mmap2.addr", ONE), (2, "csv", "--table", "comm", "-e", "ip", ONE),
              (2, "csv", "--columns", "time,filename", ONE), (0, "csv", "--table", "mmap2", "-e", "filename,mmap2.addr,sample_id.tid,type", ONE),
              (0, "csv", "-e", "time,weight,fields.prev_comm,sample_id.tid", ONE)]
    for code, *words in wanted:
        done = run(*words, cwd=folder)
        if done.code != code or (code and not done.err and "-q" not in words):
            yield f"{words}: {done.code} {done.err[-300:]!r}"


def check_rules(folder):
    """Names that are mapped and that nothing has: a note of diff."""
    for option, more in (("map-symbol", []), ("map-dso", []), ("map-comm", []), ("map-comm", ["--by", "comm"])):
        done = run("diff", f"--{option}", "nosuch=x", *more, ONE, OTHER)
        if b"nosuch=x" not in done.out or b"unused-rule" not in done.out:
            yield f"--{option}: {done.out[-300:]!r}"
    for option in ("map-symbol", "map-dso"):
        done = run("flamegraph", f"--{option}", "nosuch=x", "--base", OTHER, ONE)
        if done.code or b"nosuch=x" not in done.err:
            yield f"flamegraph --{option}: {done.code} {done.err[-300:]!r}"
    # paths say files, as recordings show them
    for command, words in (("diff", [OTHER, ONE]), ("flamegraph", ["--base", OTHER, ONE])):
        by_name, by_path = (run(command, "--map-dso", f"{old}={new}", *words) for old, new in (("work", "other"), ("/srv/demo/work", "/srv/demo/other")))
        if b"nothing" in by_path.err or b"unused-rule" in by_path.out or by_name.out != by_path.out:
            yield f"{command} --map-dso with paths: {by_path.err!r}"
    done = run("rewrite", "--rename", "nosuch=x", "--force", "-o", os.path.join(folder, "renamed"), ONE)
    if done.code or b"'nosuch'" not in done.err:
        yield f"rewrite --rename: {done.code} {done.err!r}"
    done = run("diff", "--map-comm", "work=x", "--by", "comm", ONE, OTHER)
    if b"unused-rule" in done.out:
        yield f"a rule that is used: {done.out!r}"


def through_pipes(command):
    return subprocess.run(["bash", "-c", command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120,
                          env=dict(os.environ, P=PERFDATA, A=ONE, B=OTHER))


def check_pipes(folder):
    """Recordings from pipes are read whole, also where a command looks at its input first, or reads it more than once."""
    packed, base = os.path.join(folder, "piped.gz"), os.path.join(folder, "piped.baseline")
    run("diff", "--save", base, ONE)
    subprocess.run(["sh", "-c", f"gzip -c {ONE} > {packed}"], check=True)
    want = run("diff", "-q", "--json", ONE, OTHER)

    def plain(text):
        return re.sub(rb'"[^"]*(/dev/fd/\d+|callgraph-\d+.data|piped[.a-z]*)"|"-"', b'""', text)

    for command in ("$P diff -q --json <(cat $A) <(cat $B)", "cat $A | $P diff -q --json - $B", "$P diff -q --json $A - < $B",
                    "cat $B | $P diff -q --json $A -", f"$P diff -q --json <(cat {base}) $B", f"cat {base} | $P diff -q --json - <(cat $B)",
                    f"$P diff -q --json <(cat {packed}) $B", "$P diff -q --json --before <(cat $A) --after <(cat $B)"):
        done = through_pipes(command)
        if done.returncode != want.code or plain(done.stdout) != plain(want.out):
            yield f"{command}: {done.returncode} {done.stderr[:200]!r}"
    base_want = run("flamegraph", "-q", "--base", OTHER, ONE)
    for command in ("$P flamegraph -q --base <(cat $B) $A", "cat $B | $P flamegraph -q --base - $A"):
        done = through_pipes(command)
        if done.returncode != base_want.code or abs(len(done.stdout) - len(base_want.out)) > 200:
            yield f"{command}: {done.returncode} {done.stderr[:200]!r} {len(done.stdout)} bytes, not {len(base_want.out)}"
    out = os.path.join(folder, "piped.data")
    for command in ("rewrite --limit 9", "rewrite --comm work", "anonymize --keep times", "repair", "rewrite --build-ids"):
        of_file = run(*command.split(), "--force", "-o", out, ONE)
        size = os.path.getsize(out)
        done = through_pipes(f"$P {command} --force -o {out} <(cat $A)")
        if done.returncode != of_file.code or os.path.getsize(out) != size:
            yield f"{command}: {done.returncode} {done.stderr[:200]!r} {os.path.getsize(out)} bytes, not {size}"
    for command in ("$P report --time 10%-20% <(cat $A)", f"$P csv --table all -o {folder}/several/ <(cat $A)"):
        done = through_pipes(command)
        if done.returncode != 2:
            yield f"{command}: {done.returncode} {done.stderr[:200]!r}"
    done = through_pipes("$P diff --max-spool 1K <(cat $A) $B")
    if done.returncode != 6 or b"--max-spool" not in done.stderr:
        yield f"beyond --max-spool: {done.returncode} {done.stderr!r}"


def main():
    tap = Tap()
    folder = tempfile.mkdtemp()
    try:
        names = commands()
        tap.report("the help lists commands", [] if len(names) > 25 else [str(names)])
        for name, options in chosen_options().items():
            tap.report(f"values that make no sense: {name}", check_values(name, options, folder))
        tap.report("options that change nothing", [fault for command, words in USELESS for fault in check_useless(command, words, folder)])
        tap.report("filters that let nothing through", list(check_filters(folder)))
        tap.report("names that nothing has", list(check_answers_no(folder)))
        tap.report("names to map that nothing has", list(check_rules(folder)))
        tap.report("recordings from pipes", list(check_pipes(folder)) if shutil.which("bash") else [])
    finally:
        shutil.rmtree(folder)
    return tap.end()


sys.exit(main())
