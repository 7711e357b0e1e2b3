#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Opens what the program writes for viewers with readers that others wrote, and compares totals with `perfdata report`: `go tool pprof`, the schema and
the importer of speedscope, the command line of the Firefox Profiler, Chromium. tests/setup --validators installs them; what is missing is skipped.
PERFDATA_VALIDATORS names the folder with their node_modules. Prints TAP.

usage: check_viewers.py [--reader NAME]… [RECORDING…]   only these readers; these recordings instead of those of testdata/"""
import argparse
import base64
import collections
import itertools
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import program

VALIDATORS = os.path.abspath(os.environ.get("PERFDATA_VALIDATORS") or os.path.join(program.TOP, "build", "validators"))
MODULES = os.path.join(VALIDATORS, "node_modules")
CHROMIUM = shutil.which("chromium")
FILES = ("callgraph-73.data", "group-73.data", "dwarf-73.data", "bad-cut.data", "trace-73.data")
GIVEN = argparse.ArgumentParser()
GIVEN.add_argument("--reader", action="append", default=[])
GIVEN.add_argument("recordings", nargs="*")
GIVEN = GIVEN.parse_args()
RECORDINGS = GIVEN.recordings or [os.path.join(program.TESTDATA, file) for file in FILES]
tap = program.Tap()


def report_of(path):
    return json.loads(program.run("report", "--json", path).out)


def run(*words, timeout=600, **more):
    return subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=timeout, **more)


def module(name):
    return os.path.isdir(os.path.join(MODULES, name))


def script(folder, name, text, *arguments):
    path = os.path.join(folder, name)
    with open(path, "w") as f:
        f.write(text)
    return run("node", path, *arguments, timeout=1800, env=dict(os.environ, NODE_PATH=MODULES, CHROMIUM=CHROMIUM or ""))


def check_pprof(folder, path, reported):
    out = os.path.join(folder, "pprof.pb.gz")
    with open(out, "wb") as f:
        f.write(program.run("pprof", path).out)
    done = run("go", "tool", "pprof", "-symbolize=none", "-raw", out, env=dict(os.environ, HOME=folder, PPROF_TMPDIR=folder))
    if done.returncode:
        return done.stderr.decode()
    text = done.stdout.decode()
    head = re.search(r"^Samples:\n(.*)\n", text, re.M)[1].split()
    sums = [0] * len(head)
    for line in text.split("Samples:\n")[1].split("Locations")[0].splitlines()[1:]:
        match = re.match(r"^ *((?:-?\d+ +)*-?\d+): ", line + " ")
        if match:
            sums = [a + int(b) for a, b in zip(sums, match[1].split())]
    wanted = [value for event in reported["events"] for value in (event["samples"], event["weight"])]
    return sums != wanted and "columns %s add up to %s, report has %s" % (head, sums, wanted)


def check_firefox(folder, path, reported):
    out = os.path.join(folder, "firefox.json")
    with open(out, "wb") as f:
        f.write(program.run("firefox", path).out)
    profile = json.load(open(out))
    samples = sum(thread["samples"]["length"] for thread in profile["threads"])
    tracepoints = [event for event in reported["events"] if ":" in event["event"]]
    wanted = sum(event["samples"] for event in reported["events"] if event not in tracepoints) or (tracepoints[0]["samples"] if tracepoints else 0)
    if samples != wanted:
        return "%d samples, report has %d" % (samples, wanted)
    for thread in profile["threads"]:
        if thread["samples"]["time"] != sorted(thread["samples"]["time"]):
            return "times of %s are not sorted" % thread["name"]
    shared = profile["shared"]
    if any(prefix is not None and prefix >= at for at, prefix in enumerate(shared["stackTable"]["prefix"])):
        return "a stack comes before its prefix"
    if any(frame >= shared["frameTable"]["length"] for frame in shared["stackTable"]["frame"]):
        return "a stack of a frame that there is not"
    if not module("@firefox-devtools/profiler-cli"):
        return ""
    tool = os.path.join(MODULES, ".bin", "profiler-cli")
    env = dict(os.environ, PROFILER_CLI_SESSION_DIR=os.path.join(folder, "session"))
    os.makedirs(env["PROFILER_CLI_SESSION_DIR"], exist_ok=True)
    run(tool, "load", out, env=env)   # it takes minutes for thousands of threads
    info = run(tool, "profile", "info", env=env)
    tries = 0
    while info.returncode and tries < 5:
        tries += 1
        info = run(tool, "profile", "info", env=env)
    run(tool, "stop", env=env)
    if info.returncode:
        return "profiler-cli: " + (info.stderr or info.stdout).decode()
    return "threads" not in info.stdout.decode() and info.stdout.decode()


SCHEMA = r"""
const Ajv = require("ajv"), fs = require("fs"), path = require("path");
const schema = JSON.parse(fs.readFileSync(path.join(path.dirname(require.resolve("speedscope/package.json")), "dist/release/file-format-schema.json")));
delete schema.$schema;
const validate = new Ajv({ strict: false }).compile(schema);
if (!validate(JSON.parse(fs.readFileSync(process.argv[2])))) { console.log(JSON.stringify(validate.errors.slice(0, 3))); process.exit(1); }
"""

# Speedscope draws by WebGL, which needs no graphics card here.
BROWSER = r"""
const puppeteer = require("puppeteer-core"), wrong = [];
async function open() {
  const browser = await puppeteer.launch({ executablePath: process.env.CHROMIUM, headless: true, protocolTimeout: 1200000,
    args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--no-first-run",
      "--disable-background-networking", "--disable-component-update", "--disable-sync"] });
  const page = await browser.newPage();
  page.setDefaultTimeout(600000);
  page.on("pageerror", e => wrong.push("error: " + e.message));
  page.on("dialog", d => { wrong.push("dialog: " + d.message()); d.dismiss(); });
  page.on("request", r => { if (!/^(file:|data:|blob:)/.test(r.url())) wrong.push("request: " + r.url()); });
  return [browser, page];
}
"""

# What the site itself makes of a file: the name of each profile, and the table in its third view. Without a graphics card a large recording
# takes minutes to draw, so "nothing" gives the site a WebGL that draws nothing: it imports and adds up as ever.
SPEEDSCOPE = BROWSER + r"""
const path = require("path");
function drawNothing() {
  const real = HTMLCanvasElement.prototype.getContext;
  const answers = { getShaderInfoLog: () => "", getProgramInfoLog: () => "", getExtension: () => null, getError: () => 0, isContextLost: () => false,
    getContextAttributes: () => ({}), drawingBufferWidth: 300, drawingBufferHeight: 150 };
  HTMLCanvasElement.prototype.getContext = function (kind, ...more) {
    if (!/webgl/.test(kind))
      return real.call(this, kind, ...more);
    return this.emptyContext ||= new Proxy({ canvas: this, ...answers }, { set: () => true,
      get: (target, name) => name in target ? target[name] : /^[A-Z]/.test(String(name)) ? 1 : () => 1 });
  };
}
(async () => {
  const [browser, page] = await open(), profiles = [];
  if (process.argv[2] === "nothing")
    await page.evaluateOnNewDocument(drawNothing);
  const site = path.join(path.dirname(require.resolve("speedscope/package.json")), "dist/release/index.html");
  for (const [file, visited] of JSON.parse(process.argv[3])) {
    await page.goto("about:blank");
    await page.goto("file://" + site + "#localProfilePath=" + file);
    await page.waitForFunction(() => /Import/.test(document.body.innerText) && !/Loading|Drag/.test(document.body.innerText));
    await page.keyboard.press("3");
    for (let at = 0; at < visited.length; at++) {
      await page.waitForFunction((at, nr) => document.body.innerText.includes(`(${at + 1}/`) || nr === 1, {}, at, visited.length);
      // The site draws the heading first and the rows once it has measured their room.
      await page.waitForFunction(() => /Symbol Name\s+\S[^]*%/.test(document.body.innerText));
      profiles.push([visited[at], await page.evaluate(() => document.body.innerText.split("\n").map(line => line.trim()))]);
      await page.keyboard.press("n");
    }
  }
  console.log(JSON.stringify({ wrong, profiles }));
  await browser.close();
})().catch(e => { console.log(JSON.stringify({ wrong: [String(e)], profiles: [] })); process.exit(1); });
"""

PAGE = BROWSER + r"""
(async () => {
  const [browser, page] = await open();
  page.on("console", m => wrong.push("console: " + m.text()));
  await page.goto("file://" + process.argv[2]);
  await page.waitForFunction("window.perfdata && window.perfdata.ready");
  const answers = [];
  const events = await page.evaluate(() => document.querySelectorAll("#event option").length);
  for (let i = 0; i < events; i++) {
    await page.evaluate(i => { const box = document.getElementById("event"); box.value = String(i); box.dispatchEvent(new Event("change")); }, i);
    answers.push(await page.evaluate(() => ({ event: perfdata.event, total: perfdata.total, functions: perfdata.functions() })));
  }
  let zoom = null, search = null, gap = 0;
  if (events) {
    const name = answers[answers.length - 1].functions[0][0], box = await page.evaluate(name => perfdata.boxOf(name), name);
    const seen = await page.evaluate(() => document.getElementById("scroller").getBoundingClientRect().toJSON());
    gap = seen.bottom - await page.evaluate(names => Math.max(...names.map(name => perfdata.boxOf(name)).filter(box => box).map(box => box.y + box.height)),
      answers[answers.length - 1].functions.slice(0, 200).map(row => row[0]));
    if (box && box.width > 2 && box.y >= seen.top && box.y + box.height <= seen.bottom) {
      await page.mouse.click(box.x + box.width / 2, box.y + 5);
      zoom = { width: (await page.evaluate(name => perfdata.boxOf(name), name)).width, whole: seen.width };
    }
    await page.keyboard.press("Escape");
    await page.keyboard.press("/");
    await page.keyboard.type(name.slice(0, 40));
    search = await page.evaluate(() => ({ matched: perfdata.matched, text: document.getElementById("matched").textContent }));
    await page.keyboard.press("Escape");
  }
  console.log(JSON.stringify({ wrong, answers, zoom, search, gap, warnings: await page.evaluate(() => document.getElementById("warnings").textContent) }));
  await browser.close();
})().catch(e => { console.log(JSON.stringify({ wrong: [String(e)], answers: [] })); process.exit(1); });
"""


def check_page(folder, path, reported):
    """A page that leaves out the smallest boxes has the same totals; all else is compared in one that leaves out nothing."""
    wrong, left_out = check_page_of(folder, path, reported)
    return check_page_of(folder, path, reported, "--max-boxes", "100000000")[0] if left_out and not wrong else wrong


def check_page_of(folder, path, reported, *options):
    """(what is wrong, whether boxes are left out)"""
    out = os.path.join(folder, "page.html")
    with open(out, "wb") as f:
        f.write(program.run("flamegraph", *options, path).out)
    done = script(folder, "page.js", PAGE, out)
    if not done.stdout:
        return done.stderr.decode(), False
    found = json.loads(done.stdout.decode().splitlines()[-1])
    if found["wrong"]:
        return found["wrong"], False
    left_out = "[smaller ones]" in found["warnings"]
    wants_warning = left_out or not reported["complete"] or not reported["events"] or reported["lost_samples"] or reported["lost_records"]
    if bool(found["warnings"].strip()) != bool(wants_warning):
        return "warnings: %r" % found["warnings"], left_out
    for event, answer in zip(reported["events"], found["answers"]):
        if event["weight"] != answer["total"]:
            return "%s: the page shows %s, report has %s" % (event["event"], answer["total"], event["weight"]), left_out
        kinds = {0: "user", 1: "kernel", 2: "inlined", 3: "inlined kernel", 4: "jit", 5: "no name", 6: "guest"}
        ours = {(row["symbol"], row.get("dso", ""), row["kind"]): (row["self_weight"], row["total_weight"]) for row in event["rows"]}
        theirs = {(name, file, kinds.get(kind)): (own, total) for name, file, own, total, kind in answer["functions"]}
        if ours != theirs and not left_out:
            return "%s: functions differ: %s" % (event["event"], sorted(set(ours.items()) ^ set(theirs.items()))[:4]), left_out
    if abs(found.get("gap", 0)) > 3:
        return "between the roots of the flame and the floor there are %s pixels" % found["gap"], left_out
    if found.get("zoom") and abs(found["zoom"]["width"] - found["zoom"]["whole"]) > 20:
        return "a click zooms to %(width)s of %(whole)s pixels" % found["zoom"], left_out
    if found.get("search"):
        answer = found["answers"][-1]
        least = answer["functions"][0][3]
        if found["search"]["matched"] is None or not least <= found["search"]["matched"] <= answer["total"]:
            return "search found %s of %s, the function has %s" % (found["search"]["matched"], answer["total"], least), left_out
    return "", left_out


def check_speedscope(folder, path, _told):
    out = os.path.join(folder, "speedscope.json")
    with open(out, "wb") as f:
        f.write(program.run("speedscope", path).out)
    done = script(folder, "schema.js", SCHEMA, out)
    return done.returncode and (done.stdout + done.stderr).decode()


UNITS = {"ns": 1, "µs": 1e3, "ms": 1e6, "s": 1e9, "m": 6e10, "": 1}


def shown_as(text, weight):
    """Whether a cell of speedscope's, such as 18.00ms (97%) or 1,234 (97%), shows a weight."""
    number, unit = re.match(r"([\d.,:]+)(\D*) \(", text).groups()
    if ":" in number:
        minutes, seconds = number.split(":")
        return abs(int(minutes) * 60 + float(seconds) - weight / 1e9) <= 1
    digits = number.replace(",", "")
    return abs(float(digits) * UNITS[unit] - weight) <= UNITS[unit] * (0.0051 if "." in digits else 0.51)


def one_spaced(text):
    return " ".join(text.split())


def check_speedscope_site(folder, path, reported):
    text = program.run("speedscope", path).out
    profile = json.loads(text)
    names = [each["name"] for each in profile["profiles"]]
    # The site takes half a second for each step where there are thousands of threads: it opens the whole file and shows its first profiles, then a
    # file with the events that follow them.
    near = min(len(names), 30)
    far = [at for at, name in enumerate(names) if at >= near and name.startswith("all threads")]
    files = []
    for visited, wanted in ((list(range(near)), profile), (far, dict(profile, profiles=[profile["profiles"][at] for at in far]))):
        files.append((os.path.join(folder, "speedscope%d.js" % len(files)), visited))
        with open(files[-1][0], "w", encoding="ascii") as f:
            f.write('speedscope.loadFileFromBase64("it.speedscope.json", "%s")' % base64.b64encode(json.dumps(wanted).encode()).decode())
    files = [(file, visited) for file, visited in files if visited]
    done = script(folder, "site.js", SPEEDSCOPE, "nothing" if GIVEN.recordings else "all", json.dumps(files))
    if not done.stdout:
        return done.stderr.decode()
    found = json.loads(done.stdout.decode().splitlines()[-1])
    if found["wrong"]:
        return found["wrong"]
    events = {"all threads · " + event["event"]: event for event in reported["events"]}
    for at, lines in found["profiles"]:
        name = names[at]
        if not any(one_spaced(line).startswith(one_spaced(name)) for line in lines):
            return "%s is shown as %s" % (name, lines[:4])
        if name not in events:
            continue
        cells = lines[lines.index("Total\tSelf\tSymbol Name") + 1:]
        rows = list(zip(cells[0::3], cells[1::3], cells[2::3]))
        for total, own, symbol in rows:
            ours = [row for row in events[name]["rows"] if one_spaced(row["symbol"]) == one_spaced(symbol)]
            if not any(shown_as(total, row["total_weight"]) and shown_as(own, row["self_weight"]) for row in ours):
                return "%s: %s: total %s, self %s; report: %s" % (name, symbol, total, own, ours)
        if not rows or len(rows) < min(10, len(events[name]["rows"])):
            return "%s: %d rows, report has %d" % (name, len(rows), len(events[name]["rows"]))
    return "" if events.keys() <= set(names) else "%s, not %s" % (names, sorted(events))


def check_perfetto(folder, path, reported):
    """Names and types of all fields, and proper UTF-8; check_views.py looks at what they say."""
    support = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support")
    done = run("protoc", "--proto_path", support, "--decode=perfdata.test.Trace", "perfetto.proto", input=program.run("perfetto", path).out)
    if done.returncode:
        return done.stderr.decode()
    text = done.stdout.decode()
    unnamed = re.findall(r"^ *\d+(?:: .*| \{)$", text, re.M)
    if unnamed:
        return "fields without a name: %s" % unnamed[:4]
    samples = text.count("  perf_sample {\n"), sum(event["samples"] for event in reported["events"] if ":" not in event["event"])
    return samples[0] < samples[1] and "%d samples, report has %d" % samples or b"invalid UTF-8" in done.stderr and done.stderr.decode()


def check_callgrind(folder, path, reported):
    """Its own sums of functions and of what they call are those of the report."""
    out = os.path.join(folder, "callgrind.out")
    with open(out, "wb") as f:
        f.write(program.run("callgrind", path).out)
    names = re.search(r"^events: (.*)$", open(out).read(), re.M)[1].split()
    for (name, event), (inclusive, key) in itertools.product(zip(names, reported["events"]), (("no", "self_weight"), ("yes", "total_weight"))):
        # it lists functions until their costs of the first event that it sorts by are the share of --threshold
        done = run("callgrind_annotate", "--auto=no", "--threshold=100", "--inclusive=" + inclusive, "--show=" + name, "--sort=" + name, out)
        if done.returncode or done.stderr:
            return (done.stderr or done.stdout).decode()
        wanted, found = collections.Counter(), collections.Counter()
        for row in event["rows"]:
            wanted[row["symbol"], row.get("dso", "")] += row[key]
        for line in done.stdout.decode().split("file:function")[1].splitlines()[2:]:
            match = re.fullmatch(r" *([\d,]+) \( *[\d.]+%\)  .*?:(.*?)(?: \(inlined\))?(?: \[(.*)\])?", line.rstrip())
            if match:
                found[match[2], "" if match[3] == "???" else match[3]] += int(match[1].replace(",", ""))
        several = collections.Counter((row["symbol"], row.get("dso", "")) for row in event["rows"])
        for row in sorted(wanted):
            if several[row] == 1 and wanted[row] != found[row]:
                return "%s, inclusive=%s: %s: report has %d, callgrind_annotate %d" % (name, inclusive, row, wanted[row], found[row])
    return ""


READERS = (
    ("callgrind_annotate", check_callgrind, lambda: shutil.which("callgrind_annotate"), "no valgrind"),
    ("go tool pprof", check_pprof, lambda: shutil.which("go"), "no golang-go"),
    ("Firefox Profiler", check_firefox, lambda: True, ""),
    ("protoc, Perfetto", check_perfetto, lambda: shutil.which("protoc"), "no protobuf-compiler"),
    ("speedscope's schema", check_speedscope, lambda: module("ajv") and module("speedscope"), "no npm packages ajv and speedscope"),
    ("speedscope", check_speedscope_site, lambda: CHROMIUM and module("speedscope") and module("puppeteer-core"),
     "no chromium, or no npm packages speedscope and puppeteer-core"),
    ("Chromium", check_page, lambda: CHROMIUM and module("puppeteer-core"), "no chromium, or no npm package puppeteer-core"),
)

if program.SANITIZED:
    print("1..0 # SKIP the readers are not ours, and what they read is made by other tests too")
    sys.exit(0)
with tempfile.TemporaryDirectory() as place:
    for reader, check, present, missing in READERS:
        if GIVEN.reader and reader not in GIVEN.reader:
            continue
        for recording in RECORDINGS:
            name = "%s: %s" % (reader, os.path.basename(recording))
            reported = report_of(recording)
            if not present():
                tap.skip(name, missing)
            elif not reported["events"] and reader in ("go tool pprof", "Firefox Profiler"):
                tap.skip(name, "they open nothing that has no samples")
            else:
                try:
                    tap.report(name, check(place, recording, reported))
                except subprocess.TimeoutExpired as slow:
                    tap.report(name, "%s took more than %d s" % (slow.cmd[0], slow.timeout))
sys.exit(tap.end())
