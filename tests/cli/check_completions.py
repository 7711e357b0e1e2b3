#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""perfdata completion: bash completes commands, options, values and files; fish does where it is installed; each script knows every option.
Prints TAP."""
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import program
from program import run

SHELLS = ("bash", "zsh", "fish")
# a command line up to the cursor; what must be offered, and what must not
CASES = (
    ("nd", {"ndjson"}, {"json", "info"}),
    ("", set(program.formats()) | {"info", "help", "completion"}, {"--raw"}),
    ("csv --st", {"--stacks", "--strict"}, {"--table"}),
    ("ndjson -", {"--fields", "-e", "--order", "--pid"}, {"--table", "--junit"}),
    ("report --by ", {"symbol", "dso", "build-id"}, {"|"}),
    ("info --log-format ", {"text", "json"}, set()),
    ("ndjson --order=f", {"file"}, {"time"}),
    ("ndjson --type mm", {"mmap", "mmap2"}, {"sample"}),
    ("convert --to fo", {"folded"}, {"info"}),
    ("convert --to folded --add", {"--addresses"}, set()),
    ("convert --to csv,folded --add", {"--addresses"}, set()),
    ("convert --to=csv --ta", {"--table"}, {"--addresses"}),
    ("convert --to folded --weight ", {"samples", "period"}, set()),
    ("completion ", set(SHELLS), {"ndjson"}),
    ("help buil", {"buildids"}, {"bundle"}),
    ("explain E10", {"E101", "E103"}, {"E201"}),
    ("ndjson some", {"some file.data"}, {"ndjson"}),
    ("ndjson -o some", {"some file.data"}, set()),
    ("some", {"some file.data"}, set()),
    ("match --symfs fold", {"folder"}, {"folded"}),
    ("ndjson --limit ", set(), {"some file.data", "--raw"}),
)
IN_BASH = r"""
source "$1"; shift
complete -p perfdata >/dev/null || exit 1
COMP_WORDS=(perfdata "$@")
COMP_CWORD=$#
_perfdata perfdata "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD-1]}"
printf '%s\n' "${COMPREPLY[@]}"
"""


def in_bash(script, line, folder):
    words = [word for part in line.split(" ") for word in (re.split("(=)", part) if part.startswith("--") else [part])]
    done = subprocess.run(["bash", "--norc", "-c", IN_BASH, "bash", script, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=folder)
    return done.stdout.decode().splitlines(), done.stderr.decode()


def in_fish(script, line, folder):
    command = "source %s; complete -C %s" % (shlex.quote(script), shlex.quote("perfdata " + line))
    done = subprocess.run(["fish", "--no-config", "-c", command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=folder,
                          env=dict(os.environ, HOME=folder))
    offered = [found.split("\t")[0].rstrip("/").replace("\\ ", " ") for found in done.stdout.decode().splitlines()]
    return [found.split("=")[-1] for found in offered], done.stderr.decode()


def faults(complete, script, folder):
    for line, wanted, unwanted in CASES:
        offered, words = complete(script, line, folder)
        found = {word.rstrip("/") for word in offered}
        if words or not wanted <= found or unwanted & found:
            yield "perfdata %s: %s%s" % (line, " ".join(offered), words)


def missing_options(text):
    """What help lists and the script has not."""
    names = [line.split()[0] for line in run("help", "commands").out.decode().splitlines() if line.startswith("  ") and not line.split()[0].isdigit()
             and not line.startswith("       ")]
    for name in names:
        if not re.search(r"\b%s\b" % re.escape(name), text):
            yield name
        for option in re.findall(r"^  (?:-\w, |    )--([\w-]+)", run("help", "-v", name).out.decode(), re.M):
            if not re.search(r"(--|-l )%s\b" % re.escape(option), text):
                yield "%s --%s" % (name, option)


def unexplained_options(text):
    """Words that the script of bash completes after a command, but that the help of the command lacks."""
    for name, options in re.findall(r"^\t([\w-]+)\)\n(?:\t\toperands=\w*\n)?\t\toptions\+='([^']*)'", text, re.M):
        shown = set(re.findall(r"--[\w-]+", run("help", "-v", name).out.decode()))
        for option in options.split():
            if option.startswith("--") and option not in shown:
                yield "%s %s" % (name, option)


def syntax(shell, path):
    """What the shell says about the script; where there is no such shell, whether quotes come in pairs."""
    if shutil.which(shell):
        done = subprocess.run([shell, "--no-execute" if shell == "fish" else "-n", path], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        return [done.stdout.decode()] if done.returncode else []
    with open(path, encoding="utf-8") as script:
        text = re.sub(r"^\s*#.*", "", script.read(), flags=re.M)
    try:
        shlex.split(re.sub(r"\\'", "", text) if shell == "fish" else text)
    except ValueError as error:
        return [str(error)]
    return []


def main():
    tap = program.Tap()
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(os.path.join(folder, "folder"))
        open(os.path.join(folder, "some file.data"), "w").close()
        scripts = {}
        for shell in SHELLS:
            done = run("completion", shell)
            scripts[shell] = os.path.join(folder, "." + shell)
            with open(scripts[shell], "wb") as out:
                out.write(done.out)
            tap.report("%s: every command and option is there" % shell, [done.err] if done.code else list(missing_options(done.out.decode())))
            tap.report("%s: syntax" % shell, syntax(shell, scripts[shell]))
        with open(scripts["bash"], encoding="utf-8") as script:
            text = script.read()
        tap.report("help of each command shows all that is completed", list(unexplained_options(text)) or ([] if "\trewrite)" in text else ["no commands"]))
        for shell, complete in (("bash", in_bash), ("fish", in_fish)):
            skip = "" if shutil.which(shell) else " # SKIP it is not installed"
            tap.report("%s completes%s" % (shell, skip), [] if skip else list(faults(complete, scripts[shell], folder)))
    tap.report("a shell that there is not", [] if run("completion", "csh").code == 2 and run("completion").code == 2 else ["no usage error"])
    return tap.end()


sys.exit(main())
