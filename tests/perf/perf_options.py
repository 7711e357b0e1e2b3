#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every option of perf 7.3 for what reads recordings, under the name perf: done, accepted or refused by name; by its letter, in full, by its shortest
beginning, unset by --no-, with the value in the same word or in the next one. TAP."""
import concurrent.futures
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import program  # noqa: E402

RECORDING = os.path.join(program.TESTDATA, "callgraph-73.data")
# As `perf COMMAND -h` names them: LETTER,NAME; = takes a value, ? takes one as --NAME=VALUE only.
OPTIONS = {
    "script":
        "a,all-cpus c,comms= C,cpu= d,debug-mode D,dump-raw-trace F,fields= f,force g,gen-script= G,hide-call-graph i,input= I,show-info k,vmlinux= "
        "L,Latency l,list s,script= S,symbols= v,verbose addr-range= addr2line= call-ret-trace? call-trace? deltatime demangle demangle-kernel dlarg= "
        "dlfilter= dsos= dump-unsorted-raw-trace full-source-path graph-function= guest-code guestkallsyms= guestmodules= guestmount= guestvmlinux= "
        "header header-only inline insn-trace? itrace? kallsyms= list-dlfilters max-blocks= max-stack= merge-callchains ns per-event-dump pid= "
        "reltime show-bpf-events show-cgroup-events show-kernel-path show-lost-events show-mmap-events show-namespace-events show-on-off-events "
        "show-round-events show-switch-events show-task-events show-text-poke-events stitch-lbr stop-bt= switch-off= switch-on= symfs= tid= time= "
        "unwind-style= xed? ",
    "evlist":
        "f,force F,freq g,group i,input= v,verbose trace-fields ",
    "buildid-list":
        "f,force H,with-hits i,input= k,kernel m,kernel-maps v,verbose ",
    "report":
        "b,branch-stack c,comms= C,cpu= d,dsos= D,dump-raw-trace F,fields= f,force g,call-graph= G,inverted H,hierarchy i,input= I,show-info "
        "k,vmlinux= M,disassembler-style= m,modules n,show-nr-samples p,parent= q,quiet s,sort= S,symbols= t,field-separator= T,threads "
        "U,hide-unresolved v,verbose w,column-widths= x,exclude-other addr2line= addr2line-style= asm-raw branch-history children demangle "
        "demangle-kernel disable-order full-source-path group group-sort-idx= header header-only ignore-callees= ignore-vmlinux inline itrace? "
        "kallsyms= latency max-stack= mem-mode mmaps ns objdump= parallelism= percent-limit= percent-type= percentage= pid= prefix= prefix-strip= "
        "pretty= raw-trace samples= show-cpu-utilization show-on-off-events show-ref-call-graph show-total-period skip-empty socket-filter= source "
        "stats stdio stdio-color= stitch-lbr switch-off= switch-on= symbol-filter= symfs= tasks tid= time= time-quantum= total-cycles tui "
        "unwind-style= ",
    "data convert":
        "f,force i,input= v,verbose all time= to-ctf to-json tod ",
}
# `perf report -h` shows a value here, but the option takes one with = only.
OPTIONAL_ALL_THE_SAME = {("report", "call-graph")}
# `perf data convert -h` leaves out that these take a value.
WITH_VALUE = {("data convert", "to-ctf"), ("data convert", "to-json")}
# Values that are taken; others are words.
VALUES = {"cpu": "0", "time": "0,", "fields": "pid", "pid": "1", "tid": "1", "itrace": "i", "demangle": None, "input": RECORDING, "symfs": "FOLDER", "kallsyms": "FOLDER/kallsyms",
          "vmlinux": "FOLDER/vmlinux", "max-stack": "9", "max-blocks": "9", "addr-range": "9", "group-sort-idx": "1", "samples": "9", "socket-filter": "1", "to-json": "FOLDER/out"}
MODES = {"report": ("stats", "header-only", "dump-raw-trace")}
# What these say of a recording without CPU numbers, without header, or of two forms of output at once is no matter of the option's name.
OWN_WORDS = {("script", "cpu"), ("data convert", "all"), ("data convert", "tod"), ("data convert", "to-ctf")}
USAGE, FAILED = 129, 255
tap = program.Tap()


class Option:
    def __init__(self, command, word):
        self.command = command
        letter, _, name = word.rpartition(",")
        self.letter = letter or None
        self.name = name.rstrip("=?")
        self.takes = "?" if (command, self.name) in OPTIONAL_ALL_THE_SAME else "=" if (command, self.name) in WITH_VALUE else name[len(self.name):]


def perf(*words, cwd=None):
    return subprocess.run([program.PERFDATA, "perf", *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=300, cwd=cwd)


def fates(command):
    """What `-h` says of each option: name to (letter, takes, accepted or refused or None)."""
    usage = perf(*command.split(), "-h").stderr.decode()
    row = r"^ {4}(?:-(.), |    )--([A-Za-z0-9-]+)( <[a-z]+>|\[=<value>\]|)\n(?: {26}(accepted|refused): \S)?"
    return {name: (letter or None, value[:1].replace(" ", "=").replace("[", "?"), fate) for letter, name, value, fate in re.findall(row, usage, re.M)}


def beginnings(names):
    """For each name its shortest beginning that no other name, and no --no-NAME, has."""
    forms = {form: name for name in names for form in (name, "no-" + name)}
    forms.update({name[3:]: name for name in names if name.startswith("no-")})
    found = {}
    for name in names:
        for size in range(1, len(name)):
            # a beginning of `no-` alone begins every --no-NAME
            if {forms[form] for form in forms if form.startswith(name[:size])} == {name} and not "no-".startswith(name[:size]):
                found[name] = name[:size]
                break
    return found


def check_option(option, fate, beginning, folder):
    """Each way to spell it must end in the same way; an accepted option changes nothing, a refused one is refused by its name."""
    value = VALUES.get(option.name, "word") or "word"
    value = value.replace("FOLDER", folder)
    rest = ["--force", *(["--to-json", "/dev/null"] if option.command == "data convert" and option.name != "to-json" else []),
            *(["--" + mode for mode in MODES.get(option.command, ())[:1] if option.name not in MODES[option.command]]), *([] if option.name == "input" else ["-i", RECORDING])]
    ways = [["--" + option.name]] if option.takes != "=" else [["--%s=%s" % (option.name, value)], ["--" + option.name, value]]
    if option.takes == "?":
        ways.append(["--%s=%s" % (option.name, value)])
    for name in [beginning] if beginning else []:
        ways.append(["--" + name] if option.takes != "=" else ["--%s=%s" % (name, value)])
    if option.letter:
        ways += [["-" + option.letter]] if option.takes != "=" else [["-" + option.letter, value], ["-" + option.letter + value]]
        ways.append(["-f" + ways[-1][0][1:], *ways[-1][1:]])
    if not program.ALL:
        ways = [ways[0], ways[-1]] if len(ways) > 1 else ways
    plain = perf(*option.command.split(), *rest)
    wrong, seen = [], None
    for way in ways:
        done = perf(*option.command.split(), *way, *rest)
        err = done.stderr.decode()
        if fate == "refused":
            if done.returncode != FAILED or done.stdout or not err.startswith("perf %s: --%s is refused: " % (option.command, option.name)):
                wrong.append("%s: %d %r" % (" ".join(way), done.returncode, err[:200]))
        elif (option.command, option.name) not in OWN_WORDS and (done.returncode or (err and option.command != "data convert")):
            wrong.append("%s: %d %r" % (" ".join(way), done.returncode, err[:200]))
        if fate == "accepted" and done.stdout != plain.stdout:
            wrong.append("%s changes the output" % " ".join(way))
        # with and without an optional value the output may differ
        if option.takes != "?" and seen is not None and (done.returncode, done.stdout) != seen:
            wrong.append("%s: another answer than by its other spellings" % " ".join(way))
        seen = done.returncode, done.stdout
    unset = perf(*option.command.split(), "--no-" + option.name, *rest)
    if unset.returncode == USAGE or (fate and unset.stdout != plain.stdout):
        wrong.append("--no-%s: %d %r" % (option.name, unset.returncode, unset.stderr[:200]))
    return wrong


def main():
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(2) as pool:
        shutil.copy(program.PERFDATA, os.path.join(folder, "vmlinux"))
        with open(os.path.join(folder, "kallsyms"), "w") as file:
            file.write("ffffffff81000000 T _text\n")
        for command, words in OPTIONS.items():
            options = [Option(command, word) for word in words.split()]
            said = fates(command)
            known = {option.name: (option.letter, option.takes) for option in options}
            tap.report("perf %s has perf's options, letters and values" % command,
                       sorted(map(str, set((name, *row[:2]) for name, row in said.items()) ^ set((name, *row) for name, row in known.items()))))
            shortest = beginnings(list(known))
            jobs = [(option, pool.submit(check_option, option, said.get(option.name, (None, None, None))[2] or None, shortest.get(option.name), folder)) for option in options]
            for option, job in jobs:
                tap.report("perf %s --%s" % (command, option.name), job.result())
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
