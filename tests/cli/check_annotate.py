#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`annotate`: sums of each address are those of the samples, starts of instructions are objdump's, lines are addr2line's; no code of another file, no source text from
outside of --source. Prints TAP; needs a compiler and objdump."""
import base64
import collections
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import zlib

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import program
from builder import BRANCH_STACK, CALLCHAIN, CONTEXT_USER, IDENTIFIER, IP, Recording, TID, TIME

SOURCE = """#include <cstdio>
struct Sum { unsigned long of; void add(unsigned long more) { while (more > 99) more /= 3; of = of * 31 + more; } };
unsigned long work(int n)
{
	Sum sum = { 1 };
#if defined __i386__ || defined __x86_64__ || defined __aarch64__
	if (n == 7)
		asm volatile ("ret; nop");
#endif
	for (int i = 0; i < n; i++) {
		if (i % 3)
			sum.add(i);
		else
			sum.add(i / 7);
	}
	return sum.of;
}
int main(int argc, char **) { printf("%lu", work(argc)); return 0; }
"""
START = 0x400000

tap = program.Tap()
report = tap.report


def output(*words):
    done = subprocess.run([program.PERFDATA, "annotate", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120)
    return done.stdout.decode(), done.stderr.decode(), done.returncode


def call(*words):
    return subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120).stdout.decode()


def make(folder):
    path, binary = os.path.join(folder, "src", "work.cc"), os.path.join(folder, "program")
    os.mkdir(os.path.dirname(path))
    with open(path, "w", encoding="ascii") as f:
        f.write(SOURCE)
    subprocess.run(["c++", "-O1", "-g", "-no-pie", "-Wl,--build-id", "-o", binary, path], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    notes = call("readelf", "-n", binary)
    build_id = re.search(r"Build ID: ([0-9a-f]+)", notes)
    return binary, bytes.fromhex(build_id.group(1)) if build_id else None


def record(path, binary, build_id, addresses, names=("cycles", "instructions")):
    recording = Recording()
    events = [recording.event(name, ids=[1 + i], type=0, config=i, sample_type=IDENTIFIER | IP | TID | TIME, sample_id_all=1, period=10 + i)
              for i, name in enumerate(names)]
    recording.comm(100, 100, "program", time=1)
    recording.mmap2(100, 100, START, (os.path.getsize(binary) + 4095) & ~4095, 0, binary, build_id=build_id, time=2)
    for i, (event, at) in enumerate(addresses):
        recording.sample(events[event], ip=at, pid=100, tid=100, time=3 + i)
    recording.save(path)


def check_branches(folder, binary, build_id, function):
    """Counts of instructions are those of branch stacks, added up from ndjson without annotate's rules."""
    chance = random.Random(7)
    starts = [int(row["address"], 16) for row in function["rows"]]   # the program is not moved
    recording = Recording()
    event = recording.event("cycles", ids=[1], type=0, config=0, sample_type=IDENTIFIER | IP | TID | TIME | BRANCH_STACK, branch_sample_type=9, sample_id_all=1, period=10)
    recording.comm(100, 100, "program", time=1)
    recording.mmap2(100, 100, START, (os.path.getsize(binary) + 4095) & ~4095, 0, binary, build_id=build_id, time=2)
    places = starts + [0x10, 0x7f0000001000]
    for number in range(300):
        entries = [[chance.choice(places), chance.choice(places), 2 | chance.randrange(100) << 4] for _ in range(chance.randrange(9))]
        recording.sample(event, ip=starts[0], pid=100, tid=100, time=3 + number, branches=entries)
    path = os.path.join(folder, "branches.data")
    recording.save(path)
    runs, ended, taken, cycles, back = (collections.Counter() for _ in range(5))
    flows = dict(zip(starts, (row.get("flow") for row in function["rows"])))
    for line in call(program.PERFDATA, "ndjson", "-q", path).splitlines():
        found = json.loads(line)
        entries = found.get("branch_stack", {}).get("entries", []) if found["type"] == "sample" else []
        for i, entry in enumerate(entries):
            at, to = int(entry["from"], 16), int(entry["to"], 16)
            taken[at] += 1
            if flows.get(at) in ("jump", "condition") and to in flows and to <= at:
                back[to] += 1
            end = int(entries[i - 1]["from"], 16) if i else 0
            if to in flows and to <= end and end < START + os.path.getsize(binary):
                runs.update(start for start in starts if to <= start <= end)
                ended[end] += 1
                cycles[end] += entries[i - 1]["branch_flags"].get("cycles", 0)
    wanted = []
    for start, row in zip(starts, function["rows"]):
        counts = {"runs": runs[start]}
        if row["flow"] != "next" or taken[start]:
            counts.update(taken=taken[start], not_taken=runs[start] - ended[start])
        if cycles[start]:
            counts.update(cycles=cycles[start], cycles_runs=ended[start])
        wanted.append(dict(counts, **({"loop": back[start]} if back[start] else {})))
    answers = [output("-q", "--json", "--symbol", "work*", "-j", jobs, path)[0] for jobs in ("1", "4")]
    rows = json.loads(answers[0])["functions"][0]["rows"]
    seen = [{key: row[key] for key in ("runs", "taken", "not_taken", "cycles", "cycles_runs", "loop") if key in row} for row in rows]
    report("branch stacks count instructions", [pair for pair in zip(seen, wanted) if pair[0] != pair[1]] or ([] if len(seen) == len(wanted) and back else [len(seen), len(wanted)]))
    report("the same for any --jobs", [] if answers[0] == answers[1] else ["not"])
    page = os.path.join(folder, "branches.html")
    subprocess.run([program.PERFDATA, "flamegraph", "-q", "-o", page, "--annotate", "1", path], check=True, timeout=120)
    with open(page, encoding="utf-8") as f:
        found = annotations(f.read())
    report("a page has the same counts", [] if found == json.loads(output("-q", "--json", "--top", "1", path)[0]) and "loop" in json.dumps(found) else [found])
    text = output("-q", "--symbol", "work*", "--width", "0", path)[0]
    lacks = ["loop, %d times back" % back[start] for start in starts if back[start]]
    lacks += ["taken %d, not %d" % (taken[start], runs[start] - ended[start]) for start in starts if flows[start] == "condition"]
    report("text has the same counts", [words for words in lacks if words not in text])


def check_callees(folder, binary, build_id):
    """Calls name the functions that objdump names."""
    body = call("objdump", "-d", "-C", "--no-show-raw-insn", binary).split("<main>:\n", 1)[1].split("\n\n", 1)[0]
    wanted = {int(at, 16): name for at, name in re.findall(r"^\s*([0-9a-f]+):\tcall\s+[0-9a-f]+ <(.*)>", body, re.M)}
    path = os.path.join(folder, "callees.data")
    record(path, binary, build_id, [(0, at) for at in wanted])
    rows = json.loads(output("-q", "--json", "--symbol", "main", path)[0])["functions"][0]["rows"]
    found = {int(row["address"], 16): row.get("callee") for row in rows if row.get("flow") == "call"}
    report("calls name what objdump names", [] if found == wanted and len(wanted) > 1 else [found, wanted])
    text = output("-q", "--symbol", "main", path)[0]
    report("so does the text", [name for name in wanted.values() if "<%s>" % name not in text])


def annotations(page):
    """The document in a page; None: it has none."""
    found = re.search(r'<script id="annotations" type="text/plain">([^<]*)</script>', page)
    return json.loads(zlib.decompress(base64.b64decode(found.group(1)), 47)) if found else None


def wrong_blocks(rows):
    """Rows whose block is not what flows and targets of all rows say."""
    rows = [row for row in rows if "text" in row]
    targets = {row.get("target") for row in rows}
    blocks = [row["address"] in targets or before["flow"] in ("jump", "condition", "return") for before, row in zip(rows, rows[1:])]
    return [row for n, row in enumerate(rows) if row["block"] != sum(blocks[:n])]


def check_return_address(folder, binary, build_id, code, rows):
    """An address where an inlined function begins executes in that function; as the address that a call returns to, it is still outside."""
    at = next(at for (before, _text), (at, _more) in zip(code, code[1:]) if rows[at].get("inlined") and not rows[before].get("inlined"))
    recording = Recording()
    event = recording.event("cycles", ids=[1], type=0, config=0, sample_type=IDENTIFIER | IP | TID | TIME | CALLCHAIN, sample_id_all=1, period=10)
    recording.comm(100, 100, "program", time=1)
    recording.mmap2(100, 100, START, (os.path.getsize(binary) + 4095) & ~4095, 0, binary, build_id=build_id, time=2)
    for time, chain in enumerate(([at], [code[0][0], at])):
        recording.sample(event, ip=chain[0], pid=100, tid=100, time=3 + time, callchain=[CONTEXT_USER, *chain])
    path = os.path.join(folder, "returns.data")
    recording.save(path)
    document = json.loads(call(program.PERFDATA, "speedscope", "-q", path))
    names = [frame["name"] for frame in document["shared"]["frames"]]
    stacks = sorted([names[frame] for frame in stack] for stack in document["profiles"][0]["samples"])
    return [] if stacks == [["work(int)", "Sum::add(unsigned long)"], ["work(int)", "work(int)"]] else stacks


def check_page(folder, path):
    out = os.path.join(folder, "page.html")

    def page(*words):
        subprocess.run([program.PERFDATA, "flamegraph", "-q", "--force", "-o", out, *words, path], check=True, timeout=120)
        with open(out, encoding="utf-8") as f:
            return f.read()

    report("a page has no annotated functions unless asked", [] if annotations(page()) is None else ["some"])
    for words in ([], ["--source", folder], ["--through", "work"], ["--not-through", "work"]):
        wanted = json.loads(output("-q", "--json", "--top", "2", *words, path)[0])
        found = annotations(page("--annotate", "2", *words))
        report("functions in the page are those of annotate --json %s" % " ".join(words[:1]), [] if found == wanted else [found, wanted])


def check_many_events(folder, binary, build_id, addresses):
    """A table has columns for the events with samples in the function, wherever they are among the events."""
    path = os.path.join(folder, "many.data")
    elsewhere = [(event, START + 1) for event in range(8)]
    record(path, binary, build_id, elsewhere + [(5 + event, at) for event, at in addresses], ["event-%d" % event for event in range(8)])
    text = output("-q", "--symbol", "work", path)[0]
    title = next((line for line in text.split("\n") if " % of " in line), "")
    named = re.findall(r"% of [^,]+, (\d+) sample", title)
    rows = [re.match(r"(.{7}) (.{7}) (.{7}) (.{7})[ *]", line) for line in text.split("\n") if re.match(r"[ \d.]{31}[ *]+[0-9a-f]+  +[0-9a-f]+  ", line)]
    sums = [str(sum(int(row.group(column) or 0) if row.group(column).strip() else 0 for row in rows)) for column in (2, 4)]
    report("only events with samples in the function have columns", [] if named == sums else [named, sums, text[:600]])
    report("a blank is between columns", [] if "percent samples percent samples   offset" in text else [text[:600]])


def main():
    if not all(shutil.which(name) for name in ("c++", "objdump", "readelf", "addr2line")):
        print("1..0 # SKIP no C++ compiler, or no binutils")
        return 0
    with tempfile.TemporaryDirectory() as folder:
        binary, build_id = make(folder)
        if not build_id:
            print("1..0 # SKIP the linker makes no build-ids")
            return 0
        listing = call("objdump", "-d", "--no-show-raw-insn", binary)
        body = listing.split("<_Z4worki>:\n", 1)[1].split("\n\n", 1)[0]
        code = [(int(at, 16), text) for at, text in re.findall(r"^\s*([0-9a-f]+):\t(.*)", body, re.M)]
        addresses = [(i % 2, code[(i * i) % len(code)][0]) for i in range(97)]
        wanted = collections.Counter(addresses)
        path = os.path.join(folder, "perf.data")
        record(path, binary, build_id, addresses)

        document = json.loads(output("-q", "--json", "--symbol", "work", path)[0])
        function = document["functions"][0]
        rows = {int(row["address"], 16): row for row in function["rows"]}
        sums = {(event, at): row["sums"][event][0] for at, row in rows.items() for event in (0, 1) if row["sums"][event][0]}
        report("samples of each address and event", [] if sums == dict(wanted) else [sums, dict(wanted)])
        weights = [sum(row["sums"][event][1] for row in function["rows"]) for event in (0, 1)]
        report("weights add up", [] if weights == [function["sums"][event][1] for event in (0, 1)] else [weights, function["sums"]])
        lines = call("addr2line", "-e", binary, *[hex(at) for at, _text in code]).split("\n")
        wrong = [(hex(at), rows[at].get("line"), line) for (at, _text), line in zip(code, lines)
                 if at in rows and str(rows[at].get("line")) != re.sub(r" .*", "", line.rsplit(":", 1)[-1])]
        report("lines are addr2line's", wrong)
        if "decoder" in function:
            starts = sorted(at for at, row in rows.items() if "text" in row)
            report("starts of instructions are objdump's", [] if starts == [at for at, _text in code] else [[hex(at) for at in starts], code])
            jumps = {at: int(text.split()[1], 16) for at, text in code if re.match(r"j\w+\s+[0-9a-f]+ <_Z4worki", text)}
            found = {at: int(row["target"], 16) for at, row in rows.items() if "target" in row}
            report("jumps go where objdump's go", [] if found == jumps else [found, jumps])
            check_callees(folder, binary, build_id)
            report("a block begins at a target, and after what leaves it", wrong_blocks(function["rows"]))
        else:
            print("# no library decodes instructions here: %s" % function["no_code"])
        inlined = [row for row in function["rows"] if any("Sum::add" in name for name in row.get("inlined", []))]
        report("inlined functions are named", [] if inlined else ["none"])
        report("a call's return address is of the caller", check_return_address(folder, binary, build_id, code, rows))
        alone = json.loads(output("-q", "--json", "--symbol", "Sum::add", path)[0])["functions"]
        seen = [(f["symbol"], f["inlined_function"], [row["address"] for row in f["rows"]], f["sums"]) for f in alone]
        expected = [(function["symbol"], "Sum::add(unsigned long)", [row["address"] for row in inlined],
                     [[sum(row["sums"][event][k] for row in inlined) for k in (0, 1)] for event in (0, 1)])]
        report("an inlined function is the rows that it is inlined to", [] if seen == expected else [seen, expected])
        whole, part = ({row["address"]: row.get("target") for row in rows} for rows in (function["rows"], alone[0]["rows"]))
        report("its jumps lead to its own rows", [] if any(part.values()) and part == {at: whole[at] if whole[at] in part else None for at in part} else [part, whole])
        text = output("-q", "--symbol", "Sum::add", path)[0]
        report("its title names the function around it", [] if "Sum::add(unsigned long)  inlined in work(int)  in " in text else [text[:400]])

        text = output("-q", "--symbol", "work", "--source", folder, path)[0]
        report("text has the source below the folder", [] if "sum.add(i / 7);" in text or "of = of * 31 + more" in text else [text[:800]])
        mapped = os.path.join(folder, "mapped")
        os.makedirs(os.path.join(mapped, "new", "place"))
        shutil.copy(os.path.join(folder, "src", "work.cc"), os.path.join(mapped, "new", "place", "work.cc"))
        where = ["-q", "--symbol", "work", "--source", mapped]
        texts = [output(*where, *rule, path)[0] for rule in ([], ["--map-path", os.path.join(folder, "src") + "/=new/place"],
                                                             ["--map-path", os.path.join(folder, "sr") + "=new/place"])]
        report("--map-path changes whole parts of paths", [] if ["sum.add(i" in text for text in texts] == [False, True, False] else texts)
        _text, errors, code_of = output(*where, "--map-path", "nothing", path)
        report("--map-path without = is wrong use", [] if code_of == 2 and "OLD=NEW" in errors else [code_of, errors])
        check_page(folder, path)
        secret = os.path.join(folder, "elsewhere", "src")
        os.makedirs(secret)
        os.symlink(os.path.join(folder, "src", "work.cc"), os.path.join(secret, "work.cc"))
        text = output("-q", "--symbol", "work", "--source", os.path.dirname(secret), path)[0]
        report("no text through a link that leaves the folder", [] if "of = of * 31" not in text and "work.cc:" in text else [text[:400]])
        os.mkfifo(os.path.join(folder, "elsewhere", "work.cc"))
        text, _errors, code_of = output("-q", "--symbol", "work", "--source", os.path.dirname(secret), path)
        report("nor of what is no regular file", [] if code_of == 0 and "of = of * 31" not in text else [text[:400]])
        _text, errors, code_of = output("--source", os.path.join(folder, "absent"), path)
        report("a folder that is not there cannot be opened", [] if code_of == 3 and "--source" in errors else [code_of, errors])

        check_many_events(folder, binary, build_id, addresses)
        other = os.path.join(folder, "other.data")
        record(other, binary, bytes(20), addresses)
        document = json.loads(output("-q", "--json", "--top", "0", other)[0])
        report("no code of a file with another build-id", [f for f in document["functions"] if "decoder" in f or any("text" in row for row in f["rows"])])
        if "decoder" in function:
            check_branches(folder, binary, build_id, function)
        text = output("-q", "--symbol", "nothing", path)[0]
        report("a function without samples is said to have none", [] if "no sample is in a function with this name" in text else [text])
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
