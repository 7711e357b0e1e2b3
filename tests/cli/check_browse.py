#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`browse` in tmux: its rows are report's, its callers and instructions what report and annotate print; sizes, kinds of terminals, hostile names. Prints TAP."""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import program
from builder import CALLCHAIN, IDENTIFIER, IP, Recording, TID, TIME

FILE = os.path.join(program.TESTDATA, "simpleperf", "stacks.data")
tap = program.Tap()
report = tap.report


class Terminal:
    """The program in a terminal of its own."""

    nr = 0

    def __init__(self, folder, words, columns=80, lines=24, term="screen"):
        Terminal.nr += 1   # a server that ends may still hold its socket
        self.socket = os.path.join(folder, "tmux%d" % Terminal.nr)
        command = "TERM=%s LC_ALL=C.UTF-8 '%s' browse %s; echo ended $?; exec sleep 100" % (term, program.PERFDATA, " ".join("'%s'" % word for word in words))
        self.tmux("-f", "/dev/null", "new-session", "-d", "-x", str(columns), "-y", str(lines), command)

    def tmux(self, *words):
        return subprocess.run(["tmux", "-S", self.socket, *words], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=30).stdout.decode()

    def keys(self, *keys):
        self.tmux("send-keys", *keys)

    def until(self, has):
        """The lines of the screen, once `has` says that they are there."""
        end = time.monotonic() + 30
        while True:
            lines = self.tmux("capture-pane", "-p").split("\n")
            if has(lines) or time.monotonic() > end:
                return lines
            time.sleep(0.05)

    def close(self):
        self.tmux("kill-server")


def answer(*words):
    return subprocess.run([program.PERFDATA, *words], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=120).stdout.decode()


def has(text):
    return lambda lines: any(text in line for line in lines)


def check_rows(folder):
    event = json.loads(answer("report", "--json", "--top", "0", "--sort", "self", FILE))["events"][0]
    wanted = [("%.2f" % (100 * row.get("total_weight", row["self_weight"]) / event["weight"]), "%.2f" % (100 * row["self_weight"] / event["weight"]),
               str(row["self_samples"])) for row in event["rows"]]
    terminal = Terminal(folder, [FILE], 200, 50)
    lines = terminal.until(has("h help"))
    found = [tuple(line.split()[:3]) for line in lines[1:1 + len(wanted)] if line.strip()][:48]
    report("rows are report's", [] if found == wanted[:48] and found else [found, wanted[:48]])
    names = [row["symbol"] for row in event["rows"]]
    report("with their names", [name for name, line in zip(names, lines[1:49]) if name[:20] not in line])
    terminal.keys("Enter")
    text = answer("report", "--color", "never", "--width", "0", "--top", "0", "--callers", names[0], FILE).split("\n")

    def lacks(lines):
        shown = "\n".join(without_signs(lines))
        return [line for line in without_signs(text[:40]) if line[:150] not in shown]
    # a screen may be seen half drawn: wait for all of it
    report("callers are report's", lacks(terminal.until(lambda lines: has("callers of")(lines) and not lacks(lines))))
    terminal.keys("Left")
    terminal.until(has("sorted by self"))
    terminal.keys("a")
    text = answer("annotate", "--color", "never", "--width", "0", "--symbol", names[0], FILE)

    def others(lines):
        return [line for line in lines[1:] if line.strip() and line[:150].rstrip() not in text and "h help" not in line]
    report("instructions are annotate's", others(terminal.until(lambda lines: "instructions of" in lines[0] and not others(lines))))
    terminal.keys("Escape")
    terminal.until(has("sorted by self"))
    terminal.keys("s")
    report("s sorts by total", [] if has("sorted by total")(terminal.until(has("sorted by total"))) else ["not"])
    terminal.keys("t")
    threads = json.loads(answer("report", "--json", "--by", "thread", "--top", "0", FILE))["events"][0]["rows"]

    def absent(lines):
        return [row for row in threads[:40] if not any(line.rstrip().endswith(" %d" % row["tid"]) for line in lines)]
    report("t lists the threads", absent(terminal.until(lambda lines: not absent(lines))))
    terminal.keys("Enter")
    lines = terminal.until(has(", thread "))
    report("Enter keeps one of them", [] if has("%d samples, thread %d" % (threads[0]["self_samples"], threads[0]["tid"]))(lines[:1]) else lines[:1])
    terminal.tmux("resize-window", "-x", "40", "-y", "10")
    terminal.keys("h")
    report("it goes on when the size changes", [] if has("keys")(terminal.until(lambda lines: lines[0].startswith("keys"))[:1]) else ["nothing"])
    terminal.keys("q")
    report("q leaves", [] if has("ended 0")(terminal.until(has("ended"))) else ["not"])
    terminal.close()


def without_signs(lines):
    """Lines of trees as report prints them; both without the blanks before names."""
    return [" ".join(line.replace(" + ", " ", 1).replace(" - ", " ", 1).split()) for line in lines]


def tree_of(text):
    """The lines of a tree, and the level of each."""
    lines = text.split("\n")
    first = next(i for i, line in enumerate(lines) if "function, then its" in line) + 1
    tree = [line for line in lines[first:] if len(line) > 19 and not line.startswith("(")]
    return tree, [(len(line[19:]) - len(line[19:].lstrip())) // 2 for line in tree]


def check_folds(folder, columns, lines):
    """Folded trees have the rows that report's tree has there; signs say what can be folded."""
    name = json.loads(answer("report", "--json", "--top", "0", "--sort", "self", FILE))["events"][0]["rows"][0]["symbol"]
    tree, levels = tree_of(answer("report", "--color", "never", "--width", "0", "--top", "0", "--callers", name, FILE))
    parents = [i for i in range(len(tree) - 1) if levels[i + 1] > levels[i]]
    roots = [i for i in range(len(tree)) if not levels[i]]
    terminal = Terminal(folder, [FILE], columns, lines)
    what = "%dx%d: " % (columns, lines)

    def wrong(screen, wanted, signs):
        """What a screen lacks of rows of the tree: from the first one, as many as it has room for."""
        shown = [line for line in screen if line[:8].strip().replace(".", "").isdigit() and line[8:17].strip()][:len(wanted)]
        room = min(len(wanted), lines - 5)
        expected = without_signs(tree[i] for i in wanted)[:room]
        found = without_signs(shown)[:room]
        # names are cut at the edge of the screen
        bad = [(a, b) for a, b in zip(expected, found) if not a.startswith(b)] or ([] if len(found) == room else [expected, found])
        return bad + [line for i, line in zip(wanted[:room], shown) if (line[17:].lstrip()[:2]) != signs(i) and signs(i)]

    def shows(wanted, signs=lambda i: None, keys=()):
        terminal.keys(*keys)
        screen = terminal.until(lambda screen: has("callers of")(screen[:1]) and not wrong(screen, wanted, signs))
        return wrong(screen, wanted, signs)
    terminal.until(has("h help"))
    report(what + "the tree has levels", [] if parents and max(levels) > 2 else levels)
    all_rows = list(range(len(tree)))
    report(what + "Enter shows the whole tree", shows(all_rows, lambda i: "- " if i in parents else None, ["Enter"]))
    report(what + "C folds all", shows(roots, lambda i: "+ " if i in parents else None, ["C"]))
    one_level = [i for i in all_rows if levels[i] <= 1 and (not levels[i] or i < (roots + [len(tree)])[1])]
    at_root = lambda i: ("- " if i == roots[0] else "+ ") if i in parents else None
    report(what + "+ unfolds one level of the first", shows(one_level, at_root, ["Home", *["Down"] * 3, "+"]))
    report(what + "Enter folds it again", shows(roots, lambda i: "+ " if i in parents else None, ["Enter"]))
    report(what + "E unfolds all", shows(all_rows, lambda i: "- " if i in parents else None, ["E"]))
    # a search finds what is folded, and unfolds it
    deepest = max(all_rows, key=lambda i: levels[i])
    name = tree[deepest].split(None, 2)[2].split("  ")[0]
    terminal.keys("C")
    shows(roots)
    terminal.keys("/", *name, "Enter")
    found = terminal.until(lambda screen: any(name[:20] in line for line in screen[1:-2]))
    report(what + "a search unfolds", [] if any(name[:20] in line for line in found[1:-2]) else [name, *found])
    terminal.keys("q")
    terminal.until(has("ended"))
    terminal.close()


def check_read_once(folder):
    """The recording is read once: every further view comes from what was added up, and is still report's or annotate's."""
    path = os.path.join(folder, "gone.data")
    shutil.copy(FILE, path)
    threads = json.loads(answer("report", "--json", "--by", "thread", "--top", "0", FILE))["events"][0]["rows"]
    busiest = threads[0]["tid"]
    name = json.loads(answer("report", "--json", "--tid", str(busiest), "--top", "0", FILE))["events"][0]["rows"][0]["symbol"]
    terminal = Terminal(folder, [path], 200, 50)
    terminal.until(has("h help"))
    os.unlink(path)

    def wrong(words, title):
        """Waits for the answer's lines; what the screen has beside them, or lacks of the first ones."""
        text = without_signs(answer(*words, "--color", "never", "--width", "0", FILE).split("\n"))

        def lacks(lines):
            shown = "\n".join(without_signs(lines))
            return [line for line in text[:4] if line[:150] not in shown]
        lines = terminal.until(lambda lines: title in lines[0] and not lacks(lines))
        return lacks(lines) + ([] if title in lines[0] else lines[:1])
    terminal.keys("s")
    report("without the file, s sorts", [] if has("sorted by total")(terminal.until(has("sorted by total"))) else ["not"])
    terminal.keys("s")
    terminal.until(has("sorted by self"))
    terminal.keys("t")
    lines = terminal.until(has(" %d" % busiest))
    report("t lists threads", [] if has(" %d" % busiest)(lines) else lines)
    terminal.keys("Enter")
    terminal.until(has(", thread %d" % busiest))
    terminal.keys("Enter")
    words = ["--tid", str(busiest), "--top", "0"]
    report("callers of one thread are report's", wrong(["report", *words, "--callers", name], "callers of"))
    terminal.keys("Left")
    terminal.until(has("sorted by self"))
    terminal.keys("c")
    report("and callees", wrong(["report", *words, "--callees", name], "callees of"))
    terminal.keys("q")
    terminal.until(has("ended"))
    terminal.close()


def check_terminals(folder):
    for term, columns, lines, fine in (("xterm-256color", 20, 5, True), ("screen", 300, 60, True), ("linux", 80, 24, True), ("dumb", 80, 24, False), ("no-such", 80, 24, False)):
        terminal = Terminal(folder, [FILE], columns, lines, term)
        screen = terminal.until(lambda lines: has("ended")(lines) or sum(bool(line.strip()) for line in lines) >= 5)
        if fine:
            terminal.keys("q")
            screen = terminal.until(has("ended"))
        report("TERM=%s, %d columns" % (term, columns), [] if has("ended 0" if fine else "ended 2")(screen) else screen)
        terminal.close()
    done = subprocess.run([program.PERFDATA, "browse", FILE], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)
    report("no terminal is wrong use", [] if done.returncode == 2 and not done.stdout else [done.returncode, done.stdout])


def check_hostile(folder):
    path = os.path.join(folder, "perf.data")
    recording = Recording()
    event = recording.event("cyc\x1b[31mles", ids=[1], type=0, config=0, sample_type=IDENTIFIER | IP | TID | TIME | CALLCHAIN, sample_id_all=1, period=10)
    recording.comm(100, 100, "a\x1b[2Jb", time=1)
    recording.mmap2(100, 100, 0x400000, 0x4000, 0, "/srv/\x1b]0;x\x07\xe2\x80\xae", time=2)
    recording.sample(event, ip=0x400010, pid=100, tid=100, time=3, callchain=[0xfffffffffffffe00, 0x400010])
    recording.save(path)
    terminal = Terminal(folder, [path])
    lines = terminal.until(has("h help"))
    raw = terminal.tmux("capture-pane", "-p", "-e")
    report("control characters are escaped", [] if "\\u001b" in "".join(lines) and "\x1b[31m" not in raw else lines)
    terminal.keys("t")
    report("of threads too", [] if has("\\u001b[2J")(terminal.until(has("\\u001b[2J"))) else ["not"])
    terminal.keys("C-c")
    report("Ctrl-C ends with 130", [] if has("ended 130")(terminal.until(has("ended"))) else ["not"])
    terminal.close()


def main():
    if not shutil.which("tmux"):
        print("1..0 # SKIP no tmux (tests/setup --validators installs it)")
        return 0
    if "none is installed (libncursesw" in answer("version", "-v"):
        print("1..0 # SKIP no curses library")
        return 0
    with tempfile.TemporaryDirectory() as folder:
        check_rows(folder)
        check_folds(folder, 80, 24)
        check_folds(folder, 200, 50)
        check_read_once(folder)
        check_terminals(folder)
        check_hostile(folder)
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
