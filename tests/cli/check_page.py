#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Drives the page of `flamegraph` in Chromium: who ran as roots and in the list, filters on stacks, callers and callees of a name, lanes and
ranges of time, the tip, links, pictures, keys and labels. tests/setup --validators installs puppeteer-core; without it or Chromium this is skipped.
Prints TAP."""
import itertools
import json
import os
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import builder
import program

VALIDATORS = os.path.abspath(os.environ.get("PERFDATA_VALIDATORS") or os.path.join(program.TOP, "build", "validators"))
MODULES = os.path.join(VALIDATORS, "node_modules")
CHROMIUM = shutil.which("chromium")
KERNEL, META_INFO = 1, 129
BASE = 0xffffffff81000000
tap = program.Tap()
report = tap.report


NAMES = ("main", "parse", "read", "write", "<img/src=x/onerror=alert(1)>", "</script><script>alert(2)</script>")
# callee first; each is sampled by each of the processes
STACKS = ((2, 1, 0), (3, 1, 0), (3, 0), (2, 0), (4, 0), (5, 0), (2, 2, 1, 0))


def save_recording(path, folder):
    """Nine processes of three commands on two CPUs, functions of the kernel, a sample each millisecond. Returns options that name them."""
    r = builder.Recording()
    event = r.event("cpu-clock", [11], type=1, config=0, sample_type=builder.IP | builder.TID | builder.TIME | builder.CALLCHAIN | builder.CPU | builder.PERIOD,
                    sample_id_all=1)
    time = 1000000
    r.mmap(-1, 0, BASE, 0x1000000, BASE, "[kernel.kallsyms]_text", misc=KERNEL, time=1)
    with open(os.path.join(folder, "kallsyms"), "w") as f:
        f.writelines("%x t %s\n" % (BASE + at * 0x100, name) for at, name in enumerate(("_text",) + NAMES + ("_etext",)))
    for pid in range(200, 209):
        r.comm(pid, pid, ("cook", "waiter", "</script><b>")[pid % 3], time=time)
    for at, pid in itertools.product(range(20), range(200, 209)):
        stack = [BASE + (function + 1) * 0x100 + 8 for function in STACKS[(at + pid) % len(STACKS)]]
        time += 1000000
        r.sample(event, misc=KERNEL, ip=stack[0], pid=pid, tid=pid, time=time, cpu=pid % 2, period=1000000, callchain=[builder.CONTEXT_KERNEL] + stack)
    r.save(path)
    return "--kallsyms", os.path.join(folder, "kallsyms")


def save_waits(path):
    """simpleperf's --trace-offcpu: a thread is on the CPU for a sample, then off it until the next."""
    r = builder.Recording()
    bits = builder.IP | builder.TID | builder.TIME | builder.CALLCHAIN | builder.CPU | builder.PERIOD | builder.ID
    clock = r.event("cpu-clock", [11], type=1, config=0, sample_type=bits, sample_id_all=1)
    switch = r.event("sched:sched_switch", [12], type=2, config=7, sample_type=bits, sample_id_all=1)
    r.comm(20, 20, "waits")
    for at in range(20):
        event, period = ((clock, 1000000), (switch, 1))[at % 2]
        r.sample(event, misc=KERNEL, ip=BASE + 8, pid=20, tid=20, time=10000 + at * 3000, id=event.ids[0], cpu=0, period=period,
                 callchain=[builder.CONTEXT_KERNEL, BASE + 8])
    r.feature(META_INFO, b"trace_offcpu\0true\0")
    r.save(path)
    return path


DRIVER = r"""
const puppeteer = require("puppeteer-core"), fs = require("fs"), wrong = [], said = {};
const [file, folder] = process.argv.slice(2);
(async () => {
  const browser = await puppeteer.launch({ executablePath: process.env.CHROMIUM, headless: true,
    args: ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"] });
  const open = async (hash, width, other) => {
    const page = await browser.newPage();
    page.on("pageerror", e => wrong.push("error: " + e.message));
    page.on("console", m => wrong.push("console: " + m.text()));
    page.on("dialog", d => { wrong.push("dialog: " + d.message()); d.dismiss(); });
    page.on("request", r => { if (!/^(file:|data:|blob:)/.test(r.url())) wrong.push("request: " + r.url()); });
    await page.setViewport({ width: width || 1200, height: 900 });
    await page.goto("file://" + (other || file) + (hash || ""));
    await page.waitForFunction("window.perfdata && window.perfdata.ready && window.perfdata.frames > 0");
    return page;
  };
  const total = page => page.evaluate(() => perfdata.total);
  const settled = async page => { await page.evaluate(() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))); };
  const search = async (page, text) => {
    await page.focus("#scroller");
    await page.keyboard.press("/");
    await page.keyboard.type(text);
    await page.evaluate(() => document.activeElement.blur());
    await settled(page);
  };

  let page = await open();
  said.roots = await page.evaluate(() => [document.getElementById("roots").value, perfdata.rootNames()]);
  said.all = await total(page);
  said.kinds = {};
  for (const kind of ["", "c", "p", "t", "u"]) {
    await page.select("#roots", kind);
    said.kinds[kind] = [await total(page), (await page.evaluate(() => perfdata.rootNames())).reduce((sum, row) => sum + row[1], 0)];
  }
  await page.select("#roots", "");

  /* the list of who ran, by keys alone */
  await page.keyboard.press("w");
  await page.select("#who-kind", "p");
  said.listed = await page.evaluate(() => [document.getElementById("who-count").textContent, document.getElementById("who-list").children.length]);
  await page.type("#who-search", "207");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  said.only = [await total(page), await page.evaluate(() => document.getElementById("only").textContent)];
  await page.keyboard.press("Escape");

  /* parts add up to the whole */
  await search(page, "parse");
  await page.keyboard.press("o");
  said.through = await total(page);
  await page.evaluate(() => document.querySelector("#filters button").click());
  said.withoutFilter = await total(page);
  await page.keyboard.press("x");
  said.notThrough = await total(page);
  said.lacking = await page.evaluate(() => perfdata.find("parse")[0].total);
  await page.keyboard.press("Escape");

  /* callers and callees of a name, of what is searched for, and the tip */
  await search(page, "read");
  await page.keyboard.press("s");
  await settled(page);
  said.sandwich = await page.evaluate(() => [document.getElementById("scope").textContent, perfdata.boxOf("parse") !== null, perfdata.boxOf("write") === null]);
  await page.keyboard.press("Escape");
  await search(page, "a");
  said.covered = said.tips = 0;
  for (let x = 20; x < 1180; x += 110)
    for (let y = 690; y < 860; y += 30) {
      await page.mouse.move(x, y);
      const [shown, over] = await page.evaluate(() => {
        const tip = document.getElementById("tip"), box = tip.getBoundingClientRect();
        if (tip.hidden || tip.style.visibility === "hidden")
          return [0, 0];
        return [1, perfdata.matchedBoxes().filter(b => box.left < b[2] && box.right > b[0] && box.top < b[3] && box.bottom > b[1]).length];
      });
      said.tips += shown;
      said.covered += over;
    }
  await page.keyboard.press("Escape");

  /* lanes, a range, zooming into it: by keys */
  await page.select("#lanes", "u");
  said.lanes = await page.evaluate(() => perfdata.lanes());
  await page.select("#lanes", "p");
  said.processLanes = await page.evaluate(() => perfdata.lanes().length);
  await page.focus("#strip");
  for (const key of ["Home", "ArrowRight", "ArrowRight"])
    await page.keyboard.press(key);
  await page.keyboard.down("Shift");
  for (let i = 0; i < 20; i++)
    await page.keyboard.press("ArrowRight");
  await page.keyboard.up("Shift");
  said.range = await total(page);
  await page.keyboard.press("+");
  said.zoomedTime = await page.evaluate(() => document.getElementById("range-text").textContent);

  /* a link shows the same */
  await search(page, "main");
  await page.keyboard.press("o");
  await page.keyboard.press("i");
  const stateOf = page => page.evaluate(() => ({ total: perfdata.total, matched: perfdata.matched, lanes: perfdata.lanes(), range: document.getElementById("range-text").textContent,
    filters: document.getElementById("filters").textContent, view: document.getElementById("v-icicle").getAttribute("aria-pressed") }));
  await page.evaluate(() => document.getElementById("search").dispatchEvent(new Event("change")));
  const hash = await page.evaluate(() => location.hash), again = await open(hash, 400);
  said.linked = [JSON.stringify(await stateOf(page)), JSON.stringify(await stateOf(again))];
  said.wide = await again.evaluate(() => document.documentElement.scrollWidth);
  await again.close();
  const odd = await open("#roots=x&only=t99999999999&filters=%2B%2F(&func=%00&first=-5&last=x&event=77&zoom=1e9&lanes=q&from=NaN&search=%5B&regex=true");
  said.odd = await total(odd);
  await odd.close();

  /* pictures */
  const session = await page.createCDPSession();
  await session.send("Browser.setDownloadBehavior", { behavior: "allow", downloadPath: folder, eventsEnabled: true });
  const done = new Promise(resolve => session.on("Browser.downloadProgress", e => { if (e.state === "completed") resolve(); }));
  await page.keyboard.press("Escape");
  await page.keyboard.press("S");
  await done;
  said.svg = fs.readFileSync(folder + "/flamegraph.svg", "utf8");
  said.pdf = (await page.pdf({ format: "A4" })).length;
  await page.evaluate(() => window.dispatchEvent(new Event("beforeprint")));
  said.printed = await page.evaluate(() => document.querySelectorAll("#print svg rect").length);

  /* instructions of a function */
  const annotated = await open("", 1200, process.argv[6]), at = await annotated.evaluate(name => perfdata.boxOf(name), process.argv[7]);
  await annotated.mouse.click(at.x + at.width / 2, at.y + 8, { count: 2 });
  await annotated.waitForFunction(() => document.getElementById("annotate").open);
  said.annotated = await annotated.evaluate(() => [document.getElementById("annotate-name").textContent, document.querySelectorAll("#annotate-rows tbody tr").length]);
  await annotated.close();

  /* an event beside another */
  const pair = await open("", 1200, process.argv[4]);
  said.beside = [];
  await pair.select("#beside", "1");
  said.beside.push(await pair.evaluate(() => [perfdata.beside, document.getElementById("colour").value]));
  await pair.select("#roots", "t");
  said.beside.push(await pair.evaluate(() => perfdata.beside));
  await pair.select("#event", "1");
  said.beside.push(await total(pair));
  const chosen = await pair.evaluate(() => document.getElementById("event").value);
  await pair.select("#beside", chosen);
  said.same = await pair.evaluate(() => [document.getElementById("beside").value, document.getElementById("colour").value]);
  await pair.close();

  /* time on and off the CPU */
  const wall = await open("", 1200, process.argv[5]), events = await wall.evaluate(() => Array.from(document.getElementById("event").options, o => o.textContent));
  said.wall = { events, totals: [] };
  for (let i = 0; i < events.length; i++) {
    await wall.select("#event", String(i));
    said.wall.totals.push(await total(wall), await wall.evaluate(() => perfdata.beside));
  }
  await wall.close();

  /* the same without an option, of simpleperf's recording */
  const phone = await open("", 1200, process.argv[10]);
  said.phone = {};
  for (const [name, value] of await phone.evaluate(() => Array.from(document.getElementById("event").options, o => [o.textContent, o.value]))) {
    await phone.select("#event", value);
    said.phone[name.split(" (")[0]] = await total(phone);
  }
  await phone.close();

  /* … and of switches, and what a thread did over time */
  const waits = await open("", 1200, process.argv[8]);
  said.waits = { events: await waits.evaluate(() => Array.from(document.getElementById("event").options, o => [o.textContent, o.value])),
    start: await waits.evaluate(() => [document.getElementById("event").value, perfdata.total, document.getElementById("states-box").hidden]) };
  await waits.select("#roots", "t");
  said.waits.sums = {};
  for (const [name, value] of said.waits.events) {
    await waits.select("#event", value);
    said.waits.sums[name] = await total(waits);
  }
  await waits.select("#roots", "");
  await waits.keyboard.press("w");
  await waits.type("#who-search", process.argv[9]);
  await waits.keyboard.press("Enter");
  await settled(waits);
  said.waits.states = await waits.evaluate(() => perfdata.states());
  said.waits.box = await waits.evaluate(() => {
    const canvas = document.getElementById("states"), box = canvas.getBoundingClientRect(), pixels = new Set();
    const bytes = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
    for (let i = 0; i < bytes.length; i += 4)
      pixels.add(bytes.slice(i, i + 3).join());
    return [box.width > 400, pixels.size > 2, document.getElementById("states-text").textContent, canvas.getAttribute("aria-label")];
  });
  const strip = await waits.evaluate(() => { const box = document.getElementById("states").getBoundingClientRect(); return [box.left + box.width / 2, box.top + 10]; });
  await waits.mouse.move(...strip);
  said.waits.tip = await waits.evaluate(() => document.getElementById("states").title);
  await waits.close();

  /* every control has a name */
  const unnamed = [];
  const walk = node => {
    if (/button|combobox|searchbox|slider|listbox|image|dialog/i.test(node.role) && !node.name)
      unnamed.push(node.role);
    (node.children || []).forEach(walk);
  };
  walk(await page.accessibility.snapshot({ interestingOnly: true }));
  said.unnamed = unnamed;
  await browser.close();
  console.log(JSON.stringify({ wrong, said }));
})().catch(e => { console.log(JSON.stringify({ wrong: wrong.concat(String(e.stack)), said })); process.exit(1); });
"""


def check(folder):
    path, page, driver = (os.path.join(folder, name) for name in ("made.data", "page.html", "driver.js"))
    made = program.run("flamegraph", "-q", *save_recording(path, folder), path)
    with open(page, "wb") as f:
        f.write(made.out)
    others = []
    for name, options in (("group-73.data", ()), (save_waits(os.path.join(folder, "waits.data")), ("--weight", "both")), ("callgraph-73.data", ("--annotate", "1"))):
        others.append(os.path.join(folder, os.path.basename(name) + ".html"))
        with open(others[-1], "wb") as f:
            f.write(program.run("flamegraph", "-q", *options, os.path.join(program.TESTDATA, name)).out)
    heaviest = json.loads(program.run("annotate", "-q", "--json", "--top", "1", os.path.join(program.TESTDATA, "callgraph-73.data")).out)["functions"][0]
    others.append(heaviest["symbol"])
    wide = os.path.join(program.TESTDATA, "spans", "wide.data")
    others.append(os.path.join(folder, "wide.html"))
    with open(others[-1], "wb") as f:
        f.write(program.run("flamegraph", "-q", wide).out)
    waited = {kind: json.loads(program.run("report", "-q", "--spans", kind, "--by", "thread", "--top", "0", "--json", wide).out) for kind in ("off", "run")}
    thread = max((row for row in waited["off"]["rows"] if row["name"] == "sleeping"), key=lambda row: (row["count"], row["tid"]))
    others.append("/%d)" % thread["tid"])
    others.append(os.path.join(folder, "phone.html"))
    phone = os.path.join(program.TESTDATA, "simpleperf", "offcpu.data")
    with open(others[-1], "wb") as f:
        f.write(program.run("flamegraph", "-q", phone).out)
    with open(driver, "w") as f:
        f.write(DRIVER)
    done = subprocess.run(["node", driver, page, folder, *others], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=300,
                          env=dict(os.environ, NODE_PATH=MODULES, CHROMIUM=CHROMIUM))
    if not done.stdout:
        report("the page can be driven", done.stderr.decode())
        return
    answer = json.loads(done.stdout.decode().splitlines()[-1])
    said = answer["said"]
    report("no error, dialog or request", answer["wrong"])
    if answer["wrong"]:
        return
    ms, whole = 1000000, 180 * 1000000
    by_command = sorted(said["roots"][1])
    report("more than eight processes: a root for each command", said["roots"][0] != "c" or by_command !=
           [["</script><b>", whole // 3], ["cook", whole // 3], ["waiter", whole // 3]] and said["roots"])
    report("all roots have the same sum", {kind: sums for kind, sums in said["kinds"].items() if sums[0] != whole or sums[1] != (whole if kind else 0)})
    report("the list is whole", said["listed"] != ["9 of 9 processes, heaviest first", 9] and said["listed"])
    report("a process chosen from it by keys", (said["only"][0] != 20 * ms or "207" not in said["only"][1]) and said["only"])
    with_parse = sum("parse" in [NAMES[function] for function in STACKS[(at + pid) % len(STACKS)]] for at in range(20) for pid in range(200, 209))
    report("only these", said["through"] != with_parse * ms and said["through"])
    report("without these is the rest", said["through"] + said["notThrough"] != whole or said["withoutFilter"] != whole or said["lacking"])
    report("callers and callees of what is searched for", said["sandwich"][1:] != [True, True] or "callers above" not in said["sandwich"][0])
    report("the tip covers nothing that is searched for", said["covered"] or said["tips"] < 10 and "%d tips" % said["tips"])
    report("a lane for each CPU", said["lanes"] != [["CPU 0", 100 * ms], ["CPU 1", 80 * ms]] and said["lanes"])
    report("a lane for each process", said["processLanes"] != 9 and said["processLanes"])
    report("a range of time by keys", not 0 < said["range"] < whole // 2 and said["range"])
    report("zoomed into it", "shown" not in said["zoomedTime"] and said["zoomedTime"])
    report("a link shows the same, in a narrow window too", said["linked"][0] != said["linked"][1] and said["linked"])
    report("400 pixels are enough", said["wide"] > 400 and said["wide"])
    report("an address with anything in it", said["odd"] != whole and said["odd"])
    report("the picture has names as text", "&lt;/script&gt;" not in said["svg"] or "<img" in said["svg"] or "<script" in said["svg"])
    report("it can be printed", said["pdf"] < 1000 or said["printed"] < 5)
    report("a double click shows instructions", said["annotated"] != [heaviest["symbol"], len(heaviest["rows"])] and said["annotated"])
    (beside, colour), with_roots, shown = said["beside"]
    report("no event is beside itself", [] if said["same"] == ["-1", "k"] else said["same"])
    report("an event beside another has the sum that it has by itself", (not beside or beside != with_roots or beside != shown or colour != "r") and said["beside"])
    totals = said["wall"]["totals"]
    report("wall is the time on the CPU and that off it", (len(totals) != 6 or totals[0] + totals[2] != totals[4] or totals[5] != totals[2] or not totals[2]) and said["wall"])
    weights = {weight: sum(event["weight"] for event in json.loads(program.run("report", "-q", "--weight", weight, "--json", phone).out)["events"])
               for weight in ("period", "off-cpu", "wall")}
    report("… of simpleperf's recording, too", (said["phone"].get("off the CPU") != weights["off-cpu"] or not weights["off-cpu"] or
                                                said["phone"].get("wall: on and off the CPU") != weights["wall"] or
                                                said["phone"].get("cpu-clock") != weights["period"]) and [said["phone"], weights])
    check_waits(said["waits"], waited, thread["tid"])
    report("each control has a name", said["unnamed"])


def check_waits(said, waited, tid):
    off, run = waited["off"]["total"], waited["run"]["total"]
    names = {name.split(" (")[0]: total for name, total in said["sums"].items()}
    report("time off the CPU and wall are events of the page", (names.get("off the CPU") != off or names.get("wall: on and off the CPU") != off + run) and said)
    report("a recording of switches begins with time off the CPU", (said["start"][1] != off or not said["start"][2]) and said["start"])
    times = {kind: sum(row["total"] for row in waited[kind]["rows"] if row.get("tid") == tid) for kind in waited}
    states = said["states"] or {}
    report("the strip has what one thread did", (states.get("running") != times["run"] or sum(states.values()) != times["off"] + times["run"]) and [states, times])
    wide, coloured, text, label = said["box"]
    report("… in colours, with a legend and in words", not (wide and coloured and "sleeping" in text and "a cell is " in text and "sleeping" in label) and said["box"])
    report("… and says what is in a cell", " s: " not in said["tip"] and said["tip"])


if program.SANITIZED:
    print("1..0 # SKIP Chromium is not ours, and the page is the same")
    sys.exit(0)
if not CHROMIUM or not os.path.isdir(os.path.join(MODULES, "puppeteer-core")) or not shutil.which("node"):
    print("1..0 # SKIP no chromium, node or npm package puppeteer-core")
    sys.exit(0)
with tempfile.TemporaryDirectory() as place:
    check(place)
sys.exit(tap.end())
