#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Uses perfdata.html from the disk in Chromium as a person does: drops a recording and its bundle, looks at each view, searches, converts, saves,
cancels, drops damaged files and files that are no recordings. Needs what `make page` builds, node, Chromium and puppeteer-core (tests/setup --with-wasm
--validators), and is skipped without. Prints TAP.
    tests/cli/web_page.py [RECORDING...]     also drops these, and says how each ended"""
import base64
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import program

MODULES = os.path.join(os.path.abspath(os.environ.get("PERFDATA_VALIDATORS") or os.path.join(program.TOP, "build", "validators")), "node_modules")
PAGE = os.path.join(program.TOP, "build-wasm", "perfdata.html")
CHROMIUM = shutil.which("chromium")

DRIVER = r"""
const puppeteer = require("puppeteer-core"), fs = require("fs"), path = require("path"), said = {}, wrong = [];
const given = JSON.parse(process.argv[2]);
(async () => {
  const browser = await puppeteer.launch({ executablePath: process.env.CHROMIUM, headless: true, protocolTimeout: 280000,
    args: ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"] });
  const page = await browser.newPage();
  page.on("pageerror", e => wrong.push("error: " + e.message));
  page.on("console", m => wrong.push("console: " + m.text()));
  page.on("dialog", d => { wrong.push("dialog: " + d.message()); d.dismiss(); });
  page.on("request", r => { if (!/^(file:|data:|blob:)/.test(r.url())) wrong.push("request: " + r.url()); });
  await page.setViewport({ width: 1200, height: 900 });
  await page.goto("file://" + given.page, { waitUntil: "domcontentloaded" });
  const session = await page.createCDPSession();
  await session.send("Browser.setDownloadBehavior", { behavior: "allow", downloadPath: given.folder, eventsEnabled: true });

  /* a page of a disk reads no files: they come through an input, and are dropped from there */
  await page.evaluate(() => {
    const input = document.createElement("input");
    input.type = "file";
    input.multiple = true;
    input.id = "test-files";
    document.body.append(input);
  });
  const drop = async (files, times) => {
    await (await page.$("#test-files")).uploadFile(...files);
    await page.evaluate((times) => {
      const carried = new DataTransfer();
      for (let file of document.getElementById("test-files").files) {
        if (times)
          file = new File([file.slice(0, 16), ...Array(times).fill(file.slice(16))], "long.pipe");
        carried.items.add(file);
      }
      document.body.dispatchEvent(new DragEvent("drop", { dataTransfer: carried, bubbles: true, cancelable: true }));
    }, times || 0);
  };
  const idle = () => page.waitForFunction(() => document.getElementById("work").hidden && perfdata.state().recording, { timeout: 250000 });
  const look = (id) => page.evaluate(id => { const e = document.getElementById(id); return e.hidden ? null : e.textContent; }, id);
  const framed = async (within) => {
    const frame = await (await page.waitForSelector(within + " iframe")).contentFrame();
    await frame.waitForFunction("window.perfdata && window.perfdata.ready");
    return frame;
  };

  /* before the module has started */
  await drop([given.named]);
  await page.waitForFunction("window.perfdata && window.perfdata.ready");
  await idle();
  said.unnamed = await look("unnamed");
  await drop([given.named, given.bundle]);
  await idle();
  said.named = [await look("unnamed"), await look("message")];
  said.flame = await (await framed("#flame")).evaluate(name => [perfdata.total, perfdata.find(name).length], given.heaviest);
  said.times = await page.evaluate(() => perfdata.state().times.shown - perfdata.state().times.given);
  await page.click("#tab-start");
  said.start = await look("start");
  await page.click("#tab-report");
  await page.waitForFunction(() => document.querySelectorAll("#rows tbody tr").length);
  said.rows = await page.evaluate(() => Array.from(document.querySelectorAll("#rows tbody tr"), row => Array.from(row.cells, cell => cell.textContent)));
  await page.type("#search", said.rows[0][4]);
  said.found = await page.evaluate(() => Array.from(document.querySelectorAll("#rows tbody tr"), row => row.cells[4].textContent));
  await page.evaluate(() => { document.getElementById("search").value = ""; });
  said.by = {};
  for (const by of await page.evaluate(() => Array.from(document.getElementById("by").options, option => option.value))) {
    await page.select("#by", by);
    await idle();
    said.by[by] = await page.evaluate(() => document.querySelectorAll("#rows tbody tr").length);
    if (by === "line")
      said.lines = await page.evaluate(() => Array.from(document.querySelectorAll("#rows tbody tr"), row => Array.from(row.cells, cell => cell.textContent).slice(-2)));
  }
  await page.click("#tab-threads");
  await page.waitForFunction(() => document.querySelectorAll("#thread-rows tbody tr").length);
  said.lanes = await (await framed("#lanes")).evaluate(() => perfdata.lanes().length);
  await page.click("#tab-findings");
  said.findings = await look("findings");

  await page.click("#tab-convert");
  const save = async (format) => {
    await page.select("#format", format);
    const done = new Promise(resolve => session.on("Browser.downloadProgress", e => { if (e.state === "completed") resolve(); }));
    await page.click("#conversion button");
    await done;
    return page.evaluate(() => document.querySelector("#outputs a").download);
  };
  said.saved = {};
  for (const format of given.formats) {
    const name = await save(format);
    said.saved[format] = fs.readFileSync(path.join(given.folder, name)).toString("base64");
  }
  await page.select("#format", "parquet");
  await page.click("#conversion button");
  await page.waitForFunction(() => document.querySelectorAll("#outputs a").length > 1);
  said.tables = await page.evaluate(() => Array.from(document.querySelectorAll("#outputs a"), a => a.download));
  await page.select("#format", "ndjson");
  await page.evaluate(() => { document.querySelector('[data-option="fields"]').value = "no-such-field"; });
  await page.click("#conversion button");
  await page.waitForFunction(() => !document.getElementById("message").hidden);
  said.refused = await look("message");

  /* cancelling, while the recording is read */
  await drop([given.stream], 4000);
  await page.waitForFunction(() => document.getElementById("progress").value > 0 && !document.getElementById("work").hidden);
  await page.click("#cancel");
  await idle();
  said.cancelled = await look("message");
  await drop([given.named]);
  await idle();
  said.after = [await look("message"), (await framed("#flame")).url().startsWith("blob:")];

  await drop([given.waits]);
  await idle();
  await page.click("#tab-start");
  said.waits = await look("start");
  await page.click("#tab-threads");
  await page.waitForFunction(() => document.querySelectorAll("#thread-rows table").length > 1);
  said.threads = await page.evaluate(() => Array.from(document.querySelectorAll("#thread-rows table")[0].rows, row => Array.from(row.cells, cell => cell.textContent)));

  said.ends = {};
  for (const file of given.bad.concat(given.more)) {
    const start = Date.now();
    await drop([file]);
    try {
      await idle();
      await page.waitForFunction(() => perfdata.state().times.shown || !document.getElementById("message").hidden, { timeout: 5000 });
    } catch (e) {
      await page.click("#tab-start");
    }
    await page.click("#tab-findings");
    said.ends[file] = { message: await look("message"), findings: await page.evaluate(() => perfdata.state().findings.size), alive: await page.evaluate(() => !!document.getElementById("given").textContent),
      picture: await page.evaluate(() => perfdata.state().times.shown ? Math.round(perfdata.state().times.shown - perfdata.state().times.given) : null), ms: Date.now() - start };
  }
  const unnamed = [];
  const walk = node => {
    if (/button|combobox|searchbox|slider|listbox|tab$|textbox|checkbox/i.test(node.role) && !node.name)
      unnamed.push(node.role);
    (node.children || []).forEach(walk);
  };
  await page.click("#tab-convert");
  walk(await page.accessibility.snapshot({ interestingOnly: true }));
  said.controls = unnamed;
  await page.setViewport({ width: 400, height: 800 });
  said.wide = await page.evaluate(() => document.documentElement.scrollWidth);
  await browser.close();
  console.log(JSON.stringify({ wrong, said }));
})().catch(e => { console.log(JSON.stringify({ wrong: wrong.concat(String(e.stack)), said })); process.exit(1); });
"""
tap = program.Tap()
FORMATS = ("folded", "pprof", "script")


def save_inputs(folder):
    testdata = program.TESTDATA
    given = {"page": PAGE, "folder": folder, "formats": FORMATS, "named": os.path.join(testdata, "branches-hot.data"), "bundle": os.path.join(folder, "symbols.tar.zst"),
             "waits": os.path.join(testdata, "spans", "process.data"), "stream": os.path.join(testdata, "stream-73.pipe"), "more": [os.path.abspath(path) for path in sys.argv[1:]]}
    program.run("bundle", "-q", "--symfs", os.path.join(testdata, "compilers"), "-o", given["bundle"], given["named"])
    given["report"] = json.loads(program.run("report", "-q", "--json", "--symbols-from", given["bundle"], given["named"]).out)["events"][0]
    given["heaviest"] = given["report"]["rows"][0]["symbol"]
    contents = {"empty.data": b"", "text.data": b"no recording\n" * 100, "magic.data": b"PERFILE2" + b"\xff" * 5000, "page.data": b"<!DOCTYPE html><script>alert(1)</script>",
                "<img src=x onerror=alert(1)>.data": b"PERFILE2" + bytes(96)}
    for name, content in contents.items():
        with open(os.path.join(folder, name), "wb") as f:
            f.write(content)
    given["bad"] = [os.path.join(folder, name) for name in contents] + sorted(os.path.join(testdata, name) for name in os.listdir(testdata) if name.startswith("bad-"))
    return given


def check(folder):
    given = save_inputs(folder)
    with open(os.path.join(folder, "driver.js"), "w") as f:
        f.write(DRIVER)
    done = subprocess.run(["node", f.name, json.dumps(given)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=dict(os.environ, NODE_PATH=MODULES, CHROMIUM=CHROMIUM))
    if not done.stdout:
        tap.report("the page can be driven", [done.stderr.decode()])
        return
    answer = json.loads(done.stdout.decode().splitlines()[-1])
    said = answer["said"]
    tap.report("no error, dialog or request", answer["wrong"])
    if answer["wrong"]:
        return
    unnamed = said["unnamed"] or ""
    tap.report("without names it says how to get them, with the command", [] if "perfdata bundle branches-hot.data -o symbols.tar.zst" in unnamed else [unnamed])
    report = given["report"]
    tap.report("with the bundle there are names", [] if said["named"] == [None, None] and said["flame"] == [report["weight"], 1] else [said["named"], said["flame"]])
    tap.report("the start page says what was recorded", [word for word in ("%s: %d samples" % (report["event"], report["samples"]), "little-endian", "nothing") if word not in said["start"]])
    row = said["rows"][0]
    tap.report("the report has the program's rows", [] if (row[-2], len(said["rows"])) == (report["rows"][0]["symbol"], len(report["rows"])) else [row, report["rows"][0]])
    tap.report("rows are searched", [name for name in said["found"] if row[-2] not in name] + ([] if said["found"] else ["nothing"]))
    tap.report("each kind of rows", [by for by, rows in said["by"].items() if not rows])
    by_line = program.run("report", "-q", "--json", "--by", "line", "--symbols-from", given["bundle"], given["named"]).out
    lines = [["%s:%d" % (row["source"], row["line"]), row["symbol"]] for row in json.loads(by_line)["events"][0]["rows"] if "line" in row]
    tap.report("source lines with their files", [line for line in lines if line not in said["lines"]] + ([] if lines else ["the program names no line"]))
    tap.report("threads over time", [] if said["lanes"] else [said["lanes"]])
    for form in FORMATS:
        native = subprocess.run([program.PERFDATA, form, "-q", "--symbols-from", given["bundle"], *(["-o", os.path.join(folder, "native")] if form == "pprof" else []), given["named"]],
                                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
        if form == "pprof":
            with open(os.path.join(folder, "native"), "rb") as f:
                native = f.read()
        saved = base64.b64decode(said["saved"][form])
        tap.report("%s is saved as the program writes it" % form, [] if saved == native else ["%d bytes, the program %d" % (len(saved), len(native))])
    tap.report("formats of several outputs", [] if any("samples" in name for name in said["tables"]) else [said["tables"]])
    tap.report("an option that cannot be is refused with its reason", [] if "no-such-field" in (said["refused"] or "") else [said["refused"]])
    tap.report("cancelling ends the work at once", [] if "stopped" in (said["cancelled"] or "") else [said["cancelled"]])
    tap.report("and the next recording is read", [] if said["after"] == [None, True] else [said["after"]])
    overview = next(line for line in program.run(given["waits"]).out.decode().splitlines() if line.startswith("off-CPU:"))
    waits, unknown = re.search(r"(\d+) waits, .* (\d+) unknown", overview).groups()
    tap.report("waits are those of the program", [] if "%s waits, " % waits in said["waits"] and "%s times unknown" % unknown in said["waits"] else [overview, said["waits"]])
    tap.report("time of threads", [] if said["threads"][0][:3] == ["on the CPU", "off the CPU", "ready to run"] and len(said["threads"]) == 9 else said["threads"])
    tap.report("what is damaged or no recording has a message, and the page lives",
               [(path, end) for path, end in said["ends"].items() if not end["alive"] or not (end["message"] or end["picture"] is not None) or (path in given["bad"] and not (end["message"] or end["findings"]))])
    tap.report("each control has a name", said["controls"])
    tap.report("400 pixels are enough", [] if said["wide"] <= 400 else [said["wide"]])
    for path in given["more"]:
        print("# %s: %s" % (path, said["ends"][path]))


if program.SANITIZED:
    print("1..0 # SKIP the module is not built with sanitizers, and Chromium is not ours")
    sys.exit(0)
missing = [what for what, there in (("perfdata.html: make page", os.path.exists(PAGE)), ("chromium", CHROMIUM), ("node", shutil.which("node")),
                                    ("npm package puppeteer-core", os.path.isdir(os.path.join(MODULES, "puppeteer-core")))) if not there]
if missing:
    print("1..0 # SKIP there is no " + ", no ".join(missing))
    sys.exit(0)
with tempfile.TemporaryDirectory() as place:
    check(place)
sys.exit(tap.end())
