#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`flamegraph --base` and `diff` match the same functions: of each row of `diff`, samples and weight before and after, by itself and with what it
calls, are those that the page of the flame graph adds up to. Recordings against others, against themselves under another name or in another
folder, the same program by its build-id, repeat runs, functions that the user says to be the same. Prints TAP."""
import collections
import json
import os
import re
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import program
import views

tap = program.Tap()
report = tap.report
CLONES = re.compile(r"(\.(part|isra|constprop|cold|lto_priv|localalias)(\.\d+)?)+$")


def key_of(name, file):
    return CLONES.sub("", name), "[kernel]" if file.startswith("[kernel") else re.sub(r"(\.so\.\d+)[.\d]*$", r"\1", file.split("/")[-1])


def changes_of(page):
    """{event: {key: what the page has of diff}}"""
    return {event: {key_of(*page.functions[label]): [own, both, own_delta, both_delta] for label, own, own_delta, both, both_delta, _p in rows}
            for event, rows in page.changes.items()}


def sums_of(page, side, renamed):
    """{event: (weight of all, {key: [self, inclusive]})}; keys are those of the recording."""
    events = {}
    for event, sums in page.sums(side).items():
        keys = collections.defaultdict(lambda: [0, 0])
        for quantity, weights in enumerate((sums.self_weight, sums.total_weight)):
            for (name, file), weight in weights.items():
                keys[renamed.get(key_of(name, file), key_of(name, file))][quantity] += weight
        events[event] = sums.weight, keys
    return events


def compare(name, before, after, rules=()):
    """before, after: recordings of each side."""
    diff = program.run("diff", "-q", "--json", "--despite", "all", "--inlines", "no", *rules, "--before", *before, "--after", *after)
    others = [word for path in after[1:] for word in ("--repeat", path)] + [word for path in before for word in ("--base", path)]
    page = program.run("flamegraph", "-q", "--no-inline", *rules, *others, after[0])
    if diff.code not in (0, 1, 4) or page.code not in (0, 4):
        report(name, "%s%s" % (diff.err, page.err))
        return
    page = views.Page(page.out)
    found = changes_of(page)
    sides, wrong, compared, judged = [sums_of(page, 1, {}), sums_of(page, 0, {})], [], 0, 0
    for event in json.loads(diff.out)["events"]:
        if not event["before"]["recordings"] or not event["after"]["recordings"]:
            continue
        for side, shown in enumerate(("before", "after")):
            if event[shown]["weight"] != sides[side][event["event"]][0]:
                wrong.append("%s %s: %d, in the page %d" % (event["event"], shown, event[shown]["weight"], sides[side][event["event"]][0]))
        for row in event["rows"]:
            if not row["file"] or row["symbol"].startswith(("(", "[", "0x")):
                continue
            compared += 1
            ours = found.get(event["event"], {}).get((row["symbol"], row["file"]))
            shown = [row[quantity][value] for value in ("state", "delta") for quantity in ("self", "inclusive")]
            if ours and (ours[:2] != shown[:2] or any(abs(a - b) > 1e-5 * abs(b) for a, b in zip(ours[2:], shown[2:]))):
                wrong.append("%s (%s): %s, in the page %s" % (row["symbol"], row["file"], shown, ours))
            judged += bool(ours)
            for side in (0, 1):
                here = [row["self"]["weight"][side], row["inclusive"]["weight"][side]]
                # diff leaves out what is less than 1/10000 of a recording
                there = sides[side][event["event"]][1].get((row["symbol"], row["file"]), [0, 0])
                least = sides[side][event["event"]][0] / 10000
                if here != there and (any(here) or max(there) > least):
                    wrong.append("%s (%s) %s: %s, in the page %s" % (row["symbol"], row["file"], ("before", "after")[side], here, there))
    if compared and judged < compared / 2:
        wrong.append("the page has the changes of %d of %d rows" % (judged, compared))
    report("%s: %d rows" % (name, compared), wrong or not compared and "no row was compared")


def check_pair(name, before, after, is_paired, rules=()):
    """What both say of a program whose name changed."""
    diff = program.run("diff", *rules, before, after)
    page = program.run("flamegraph", *rules, "--base", before, after)
    warnings = "\n".join(views.Page(page.out).meta["warnings"])
    wrong = []
    if (b"[same-build-id]" in diff.out) != is_paired or (b"[N812]" in page.err) != is_paired or ("same build-id (" in warnings) != is_paired:
        wrong.append("notes: %r, %r" % (diff.out[:600], page.err))
    if is_paired == (b"[matched]" in diff.out) or is_paired == (b"[W807]" in page.err):
        wrong.append("little matches: %r, %r" % (diff.out[:600], page.err))
    report("%s of play and work" % name, "\n".join(wrong))


def main():
    path = os.path.join(program.TESTDATA, "callgraph-73.data")
    first = views.Page(program.run("flamegraph", "-q", path).out)
    file = next(file for _name, file in first.sums(0)["cpu-clock"].self_weight if file.endswith("/work"))
    functions = [name for (name, of), _ in first.sums(0)["cpu-clock"].self_weight.most_common() if of == file]
    with open(path, "rb") as f:
        data = f.read()
    with tempfile.TemporaryDirectory() as folder:
        def copy(name, old, new):
            assert len(old) == len(new)
            with open(os.path.join(folder, name), "wb") as f:
                f.write(data.replace(old.encode(), new.encode()))
            return os.path.join(folder, name)
        renamed = copy("renamed.data", file, file[:-4] + "play")
        moved = copy("moved.data", file, "/else" + file[5:])
        files = json.loads(program.run("buildids", "--json", path).out)["files"]
        build_id = bytes.fromhex(next(row for row in files if row["filename"] == file)["build_id"])
        # the same program built anew, under another name
        built = os.path.join(folder, "built.data")
        with open(built, "wb") as out, open(renamed, "rb") as copied:
            out.write(copied.read().replace(build_id, build_id[::-1]))
        compare("a recording against itself", [path], [path])
        compare("two versions of perf", [os.path.join(program.TESTDATA, "callgraph-61.data")], [path])
        compare("other work", [os.path.join(program.TESTDATA, "zstd-73.data")], [path])
        compare("another folder", [moved], [path])
        compare("a program under another name", [renamed], [path])
        compare("a program under another name after", [path], [renamed])
        compare("two names before, one after", [path, renamed], [path])
        check_pair("the same build-id", renamed, path, True)
        check_pair("another build-id", built, path, False)
        check_pair("the same build-id, but the user says otherwise", renamed, path, False, ["--map-dso", "play=other"])
        compare("built anew under another name, unmatched", [built], [path])
        compare("built anew under another name, --map-dso", [built], [path], ["--map-dso", "play=work"])
        compare("built anew under another name after, --map-dso", [path], [built], ["--map-dso", "work=play"])
        compare("three runs before, two after", [path, renamed, moved], [path, moved], ["--map-dso", "play=work"])
        if len(functions) > 1:
            compare("a renamed function, --map-symbol", [path], [path, moved], ["--map-symbol", "%s=%s" % tuple(functions[:2])])
        for name in ("group-73.data", "kinds-73.data", "zstd-73.data"):
            other = os.path.join(program.TESTDATA, name)
            compare("%s twice against once" % name, [other, other], [other])
        parts = []
        for number, limits in enumerate(("0%-50%", "50%-100%")):
            parts.append(os.path.join(folder, "part%d.data" % number))
            done = program.run("rewrite", "-q", "--time", limits, path, "-o", parts[-1])
            if done.code:
                parts = []
                report("cut in two", done.err)
                break
        if parts:
            compare("a half against the other", parts[:1], parts[1:])
            compare("both halves against the whole", parts, [path])
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
