#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Strings of a recording reach a terminal escaped, and files and pipes as they are, whatever command writes them: recordings with hostile bytes in
every string go through every command and form, to a pipe and to a terminal. Prints TAP."""
import os
import pty
import re
import subprocess
import sys
import tempfile
import threading
import tty
import unicodedata

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import hostile_strings
from program import PERFDATA, Tap, formats, run

FIELDS = "comm,tid,pid,time,event,ip,sym,dso,period,trace"
# Words after the name of the recording `{}` are the same for all; those with "-o" write to a file, and words to stderr.
FORMS = [
    ["ndjson", "{}"], ["ndjson", "--symbols", "yes", "-o", "/dev/tty", "{}"], ["json", "{}"], ["csv", "-e", "comm", "{}"], ["csv", "--names", "{}"],
    *(["csv", "--table", table, "{}"] for table in ("mmap2", "comm", "ksymbol", "cgroup", "event:demo:hostile")),
    ["dump", "{}"], ["script", "{}"], ["script", "-F", FIELDS, "{}"], ["script", "--header", "-I", "{}"],
    ["script", "--show-task-events", "--show-mmap-events", "--show-cgroup-events", "--show-bpf-events", "--show-namespace-events", "{}"],
    ["perf-json", "{}"], ["folded", "{}"], ["folded", "--addresses", "{}"], ["baseline", "{}"], ["pprof", "{}"], ["callgrind", "{}"], ["counts", "{}"], ["annotate", "{}"], ["otlp", "{}"], ["speedscope", "{}"], ["firefox", "{}"],
    ["flamegraph", "{}"], ["flamegraph", "--svg", "{}"], ["perfetto", "{}"], ["convert", "--to", "ndjson", "{}"], ["parquet", "-o", "OUT/p/", "{}"],
    *(["report", "--by", by, "{}"] for by in ("symbol", "dso", "comm", "thread", "process", "event", "build-id")),
    ["report", "--csv", "{}"], ["report", "--csv", "--by", "comm", "{}"], ["report", "--json", "{}"], ["report", "--tree", "{}"],
    ["report", "--callers", "*", "{}"], ["report", "--callees", "*", "{}"], ["report", "--color", "never", "{}"], ["report", "-o", "/dev/tty", "{}"],
    ["", "{}"], ["info", "{}"], ["info", "--perf", "{}"], ["info", "--json", "{}"], ["info", "--symbols", "yes", "{}"], ["events", "{}"],
    ["events", "--perf", "{}"], ["events", "--json", "{}"], ["events", "-v", "{}"],
    ["buildids", "{}"], ["buildids", "--perf", "{}"], ["buildids", "--json", "{}"], ["buildids", "--tsv", "{}"],
    ["check", "-v", "{}"], ["check", "--json", "{}"], ["check", "--annotate", "github", "{}"], ["check", "--sarif", "{}"], ["check", "--junit", "{}"],
    ["match", "-v", "{}"], ["match", "--json", "{}"], ["match", "--junit", "{}"], ["match", "--tsv", "{}"], ["bundle", "-o", "OUT/b.tar", "{}"],
    ["diff", "{}", "{}"], ["diff", "--tsv", "{}", "{}"], ["diff", "--json", "{}", "{}"], ["diff", "--junit", "{}", "{}"],
    ["diff", "--markdown", "{}", "{}"],
    ["rewrite", "-o", "OUT/r.data", "{}"], ["repair", "-o", "OUT/s.data", "{}"], ["anonymize", "-o", "OUT/a.data", "{}"],
    ["anonymize", "--mapping", "/dev/tty", "--force", "-o", "OUT/m.data", "{}"],
    ["ndjson", "--log-format", "json", "-v", "-o", "OUT/x.ndjson", "{}"], ["csv", "--summary", "-", "-o", "OUT/d/", "{}"],
    ["ndjson", "--summary", "/dev/tty", "-o", "OUT/e/", "{}"], ["script", "--progress", "always", "-o", "OUT/p.txt", "{}"],
    ["symbolize"],
    ["perf", "script", "-i", "{}"],
    ["perf", "buildid-list", "-i", "{}"],
    ["perf", "evlist", "--trace-fields", "-i", "{}"],
]
# Wrong use, which is echoed.
WRONG = [["ndjson", "missing\x1b]0;t\x07", "{}"], ["ndjson", "-e", "comm\u202e", "{}"], ["perf\x9b"], ["folded", "--symfs", "\x1b[2Jx", "{}"], ["bolt", "{}"], ["profgen", "{}"],
         ["autofdo", "{}"], ["sampleprof", "{}"], ["gcov", "{}"]]
# Commands that read no recording.
ABOUT_ITSELF = {"fields", "schema", "explain", "completion", "help", "version"}
IN_TMUX = {"browse"}    # check_browse.py
NO_SYMBOLS = {"symbolize", "fields", "schema", "rewrite", "repair", "anonymize"}
COLORS = re.compile(rb"\x1b\[[0-9;]*m")


NAMELESS = ("ndjson", "json", "csv", "counts")


def is_hidden(character):
    """By Unicode's own categories: controls, formats, separators of lines and paragraphs; and what has a width of none by its name."""
    if character in "\n\t":
        return False
    return unicodedata.category(character) in ("Cc", "Cf", "Zl", "Zp") or 0xe0000 <= ord(character) < 0xe1000 or 0xfe00 <= ord(character) < 0xfe10


def escaped(data):
    """What a terminal may get of the bytes; the lines of CSV end with CR and LF."""
    out, at = [], 0
    while at < len(data):
        if data[at:at + 2] == b"\r\n":
            out.append(b"\r\n")
            at += 2
            continue
        for size in range(1, 5):
            try:
                text = data[at:at + size].decode()
            except UnicodeDecodeError:
                continue
            break
        else:
            size, text = 1, None
        part = data[at:at + size]
        out.append(part if text and not is_hidden(text) else b"".join(b"\\x%02x" % byte for byte in part))
        at += size
    return b"".join(out)


def raw_of(data):
    """The first bytes that a terminal should not have got, or None."""
    same = escaped(data)
    if same == data:
        return None
    at = next(i for i, (a, b) in enumerate(zip(same, data)) if a != b)
    return data[max(0, at - 40):at + 20]


def on_terminal(words, stdin, environment):
    """(code, stdout, stderr) of the program, whose streams are two terminals; /dev/tty is the first of them."""
    pairs = [pty.openpty() for _ in range(2)]
    for _, child in pairs:
        tty.setraw(child)      # the bytes as they are, without a CR in front of each LF
    heard = [bytearray(), bytearray()]

    def listen(fd, to):
        try:
            while True:
                part = os.read(fd, 1 << 16)
                if not part:
                    break
                to.extend(part)
        except OSError:      # the other end is closed
            pass

    def own_terminal():
        import fcntl
        import termios
        os.setsid()
        fcntl.ioctl(pairs[0][1], termios.TIOCSCTTY, 0)

    listeners = [threading.Thread(target=listen, args=(pair[0], to)) for pair, to in zip(pairs, heard)]
    for listener in listeners:
        listener.start()
    with open(stdin, "rb") as source:
        done = subprocess.Popen([PERFDATA, *words], stdin=source, stdout=pairs[0][1], stderr=pairs[1][1], preexec_fn=own_terminal, env=environment)
    code = done.wait(timeout=120)
    for _, child in pairs:
        os.close(child)
    for listener in listeners:
        listener.join()
    for parent, _ in pairs:
        os.close(parent)
    return code, bytes(heard[0]), bytes(heard[1])


def check_form(form, path, folder, kallsyms):
    """The faults of one form and recording."""
    words = [word.replace("{}", path).replace("OUT", folder) for word in form if word]
    stdin = os.devnull
    if form[0] == "symbolize":
        stdin = os.path.join(folder, "stacks")
    # a format that looks up no names takes none of their options
    if form[0] in formats() and (form[0] not in NAMELESS or "yes" in form):
        words += ["--kallsyms", kallsyms]
    environment = dict(os.environ, TERM="xterm", PAGER="cat", COLUMNS="200")
    environment.pop("NO_COLOR", None)
    if "-o" in words and "/dev/tty" not in words:
        words += ["--force"]
    code, out, err = on_terminal(words, stdin, environment)
    faults = [] if code >= 0 and (code != 2 or form in WRONG) else [f"exit code {code}: {err!r}"]
    shown = COLORS.sub(b"", out) if form[0] in ("report", "annotate") else out
    # a line of progress returns to its beginning, to be written over
    err = err.replace(b"\r", b"") if "--progress" in form else err
    for name, text in (("stdout", shown), ("stderr", err)):
        raw = raw_of(text)
        if raw is not None:
            faults.append(f"{name} got {raw!r}")
    # reports fit the width of a terminal; summaries have times
    if "/dev/tty" in words or "--summary" in words or form[0] in ("report", "annotate", "diff"):
        return faults
    piped = run(*words, stdin=stdin)
    # what is on two terminals is what goes into pipes, escaped
    if escaped(piped.out) != out:
        faults.append("stdout is another one than in a pipe")
    if code != piped.code:
        faults.append(f"exit code {code}, with pipes {piped.code}")
    return faults


def check_rows(paths):
    """Every row of text, by the list of fields, has hostile bytes in one of the recordings: so a new row needs a new place here."""
    rows = [line.split("\t") for line in run("fields").out.decode().splitlines()]
    wanted = {row[0] for row in rows if row[0].endswith("_hex")}
    seen = set()
    for path in paths:
        seen |= set(re.findall(r'"([a-z_.]+_hex)":', run("ndjson", path).out.decode()))
    return [f"{name}: no recording has hostile bytes there" for name in sorted(wanted - seen)]


def check_commands():
    helped = set(re.findall(r"^  ([a-z-]+) ", run("help", "commands").out.decode(), re.M)) - ABOUT_ITSELF - IN_TMUX
    return [f"{name} is not tried" for name in sorted(helped - {form[0] for form in FORMS + WRONG})]


def check_pager(path):
    """A pager gets what a terminal gets."""
    environment = dict(os.environ, TERM="xterm", PERFDATA_PAGER="cat -", COLUMNS="200")
    _, out, _ = on_terminal(["report", "--by", "comm", path], os.devnull, environment)
    raw = raw_of(COLORS.sub(b"", out))
    return ([] if b"prog" in out else ["nothing was shown"]) + ([] if raw is None else [f"the pager got {raw!r}"])


def main():
    tap = Tap()
    with tempfile.TemporaryDirectory() as folder:
        paths = []
        for name, data in hostile_strings.recordings():
            paths.append(os.path.join(folder, name))
            with open(paths[-1], "wb") as file:
                file.write(data)
        kallsyms = os.path.join(folder, "kallsyms")
        with open(kallsyms, "wb") as file:
            file.write(hostile_strings.kallsyms())
        with open(os.path.join(folder, "stacks"), "wb") as file:
            file.write(hostile_strings.HOSTILE + b";/usr/bin/prog+0x100 3\n")
        tap.report("every string of a record is hostile in a recording", check_rows(paths))
        tap.report("every command is tried", check_commands())
        for form in FORMS + WRONG:
            tap.report(" ".join(form), check_form(form, os.path.join(folder, "tracepoints.data"), folder, kallsyms))
        tap.report("a pager", check_pager(os.path.join(folder, "tracepoints.data")))
        everything = []
        for path in paths:
            for form in (["dump", "{}"], ["info", "--perf", "{}"]):
                everything += [f"{os.path.basename(path)}: {form[0]}: {fault}" for fault in check_form(form, path, folder, kallsyms)]
        tap.report("all recordings", everything)
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
