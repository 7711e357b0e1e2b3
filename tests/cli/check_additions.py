#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What is added is added in few places: a feature section, a tracer, an emitter and an option are made up, in a copy of the tree, in the
places that doc/CONTRIBUTING.md names and nowhere else; every list, help, document and output must know them then. (A record type:
check_new_record.py.)

usage: check_additions.py        in the build folder. Prints TAP; skips where the build has no compiler."""
import concurrent.futures
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
TOP = os.path.abspath(os.environ.get("top_srcdir", os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")))
BUILD = os.path.abspath(os.environ.get("top_builddir", "."))
sys.path.insert(0, os.path.join(TOP, "tests", "support"))
from builder import IP, TID, TIME, Recording  # noqa: E402
from check_new_record import make, variables  # noqa: E402

SECTION_ID, TRACER_TYPE = 35, 9

# What a developer writes: for each file, what is put in front of which text. A new file of sources is put at the end of another here.
SECTION = {
    "lib/perfdata/feature.h": [("PERFDATA_FEATURE_LAST,", "PERFDATA_FEATURE_LIGHTING, ")],
    "lib/schema/feature_rows.c": [
        ("/* --- all sections", """static const struct perfdata_field lighting_fields[] = {
	PD_FIELD("lamps", U32, DEC, "How many lamps were on."),
	PD_FIELD("shade", STRING, TEXT, "Their shade."),
};

"""),
        ("};\n_Static_assert(sizeof sections", '\tSECTION(35, "lighting", "LIGHTING", "Made up.", lighting_fields, FIRST, 0),\n')],
    "lib/rewrite/anonymize_rows.c": [('	{ "note", "", PD_DROP },', '	{ "lighting", "lamps", PD_KEEP },\n	{ "lighting", "shade", PD_NAME },\n')],
}
TRACER = {
    "lib/auxtrace/auxtrace.h": [("	PD_AUX_VPA_DTL = 7,", "	PD_AUX_CHALK = 9,\n"), ("pd_dtl_tracer;", "pd_chalk_tracer, ")],
    "lib/auxtrace/tracers.c": [("&pd_dtl_tracer };", "&pd_chalk_tracer, ")],
    "lib/schema/names.c": [('{ 7, "VPA_DTL" },', '{ 9, "CHALK" }, ')],
    "lib/auxtrace/dtl_packet.c": [(None, """
enum { CHALK_BAD, CHALK_MARK, CHALK_KINDS };
static const struct pd_packet_field mark_fields[] = { DTL_FIELD("colour", "Its colour.", 0, 8, DEC) };
static const struct pd_packet_kind chalk_kinds[CHALK_KINDS] = {
	[CHALK_BAD] = KIND_BARE("bad", "No mark."), [CHALK_MARK] = KIND_OF("mark", "A mark.", mark_fields),
};
static bool next_mark(const struct pd_aux_trace *trace, struct pd_aux_state *state, const uint8_t *bytes, size_t size,
		      struct pd_packet *ret)
{
	(void)trace;
	(void)state;
	if (size < 2)
		return false;
	ret->size = ret->line = 2;
	ret->kind = bytes[0] == 'm' ? CHALK_MARK : CHALK_BAD;
	ret->words[0] = bytes[1];
	return true;
}
static void chalk_line(const struct pd_aux_trace *trace, const struct pd_aux_state *state, const struct pd_packet *packet,
		       const uint8_t *bytes, uint64_t at, struct perfdata_text *out)
{
	(void)trace;
	(void)state;
	(void)bytes;
	perfdata_text_printf(out, ".  %08" PRIx64 ": chalk %u\\n", at, (unsigned)packet->words[0]);
}
const struct pd_tracer pd_chalk_tracer = {
	.type = PD_AUX_CHALK, .name = "chalk", .kinds = chalk_kinds, .nr_kinds = CHALK_KINDS, .next = next_mark, .line = chalk_line,
};
""")],
}
EMITTER = {
    "lib/emit/emitters.h": [("pd_emitter_baseline;", "pd_emitter_tally, ")],
    "lib/emit/registry.c": [
        ("	&pd_emitter_baseline,", "	&pd_emitter_tally,\n"),
        (None, """
static const struct perfdata_emitter_option tally_options[] = {
	{ "chalk", PERFDATA_OPTION_FLAG, 0, NULL, "with chalk" }, { 0 },
};
static enum perfdata_status begin_tally(const struct perfdata_emit_context *context, void **ret_state, struct perfdata_text *out)
{
	(void)context;
	(void)out;
	*ret_state = NULL;
	return PERFDATA_OK;
}
static enum perfdata_status format_tally(const void *state, const struct perfdata_batch *batch, void *value,
					 struct perfdata_scratch *scratch, struct perfdata_text *out, void **ret_part)
{
	(void)state;
	(void)value;
	(void)scratch;
	(void)ret_part;
	for (size_t i = 0; i < batch->nr_records; i++)
		perfdata_text_char(out, '|');
	return PERFDATA_OK;
}
const struct perfdata_emitter pd_emitter_tally = {
	.abi = PERFDATA_EMITTER_ABI, .size = sizeof(struct perfdata_emitter), .name = "tally", .task = PERFDATA_TASK_VIEW,
	.help = "a stroke for each record", .needs = PERFDATA_NEED_RECORDS, .option_size = sizeof(struct perfdata_emitter_option),
	.options = tally_options, .begin = begin_tally, .format = format_tally,
};
""")],
}
OPTION = {
    "src/options.h": [("	bool help, version;", "	bool lamp;\n")],
    "src/option_table.c": [('	{ { "quiet", PERFDATA_OPTION_FLAG',
                            '	{ { "lamp", PERFDATA_OPTION_FLAG, 0, NULL, "by the light of a lamp" }, OPTIONS_GENERAL, MEMBER(lamp) },\n')],
}
ADDITIONS = {"a feature section": SECTION, "a tracer": TRACER, "an emitter": EMITTER, "an option": OPTION}


def patch(copy):
    for additions in ADDITIONS.values():
        for name, texts in additions.items():
            with open(os.path.join(copy, name), encoding="utf-8") as source:
                text = source.read()
            for before, added in texts:
                if before is None:
                    text += added
                    continue
                head, found, rest = text.partition(before)
                if not found:
                    raise OSError(f"{name} has no {before.strip()!r}")
                text = head + added + found + rest
            with open(os.path.join(copy, name), "w", encoding="utf-8") as out:
                out.write(text)


def build(folder):
    """The program with all additions."""
    copy = os.path.join(folder, "tree")
    for name in ("lib", "src"):
        shutil.copytree(os.path.join(TOP, name), os.path.join(copy, name))
    patch(copy)
    values = variables()
    flags = [f"-I{BUILD}", f"-I{copy}/lib", f"-I{copy}/src", f"-I{BUILD}/src", "-DHAVE_CONFIG_H", "-D_GNU_SOURCE", "-std=gnu11", "-O0", "-w"]
    flags += " ".join(value for name, value in values.items() if name.endswith("_CFLAGS") and "FUZZ" not in name and "SAN" not in name
                      and "$" not in value and "-W" not in value).split()
    named = re.findall(r"(?:lib|src)/[\w/.-]+\.c\b", open(f"{BUILD}/Makefile", encoding="utf-8").read())
    wanted = {name for name in named if not name.startswith("src/web/")}    # those are of a module for browsers
    jobs = []
    for number, name in enumerate(sorted(wanted)):
        source = os.path.join(copy, name) if os.path.exists(os.path.join(copy, name)) else os.path.join(BUILD, name)
        if os.path.exists(source):
            jobs.append((source, os.path.join(folder, f"{number}.o")))
    compiler = values["CC"].split()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(lambda job: make([*compiler, *flags, "-c", job[0], "-o", job[1]]), jobs))
    libraries = " ".join(value for name, value in values.items() if name.endswith("_LIBS") or name == "LIBS").split()
    libraries = [name for name in dict.fromkeys(libraries) if name.startswith("-l") or name.startswith("-L")]
    program = os.path.join(folder, "perfdata")
    make([*compiler, "-o", program, *(made for _, made in jobs), *libraries, "-lpthread", "-ldl", "-lm"])
    return program


def recording(path, big, pipe):
    r = Recording(big=big, pipe=pipe)
    event = r.event("cycles", [11], sample_type=IP | TID | TIME, sample_id_all=1)
    r.comm(100, 100, "prog", time=1)
    r.sample(event, ip=0x1000, pid=100, tid=100, time=2)
    r.record(70, r.pack("II", TRACER_TYPE, 0))
    r.record(71, r.pack("QQQIiII", 4, 0, 0, 0, 100, 0, 0))
    r.raw(b"m\x07?\x01")
    if not pipe:
        r.feature(3, r.string("demo"))
        r.feature(SECTION_ID, r.pack("I", 4) + r.string("green"))
    r.save(path)


def check_outputs(run, folder, check):
    for name, big in (("little", False), ("big", True)):
        path = os.path.join(folder, f"{name}.data")
        recording(path, big, False)
        lines = [json.loads(line) for line in run("ndjson", path).splitlines()]
        check(f"section, {name}: ndjson", lines[0]["meta"]["features"].get("lighting") == {"lamps": 4, "shade": "green"}
              if "meta" in lines[0] else '"lighting":{"lamps":4,"shade":"green"}' in json.dumps(lines).replace(" ", ""), json.dumps(lines[0])[:900])
        check(f"section, {name}: check", "0 errors, 0 warnings" in run("check", path), run("check", path))
        check(f"section, {name}: table", "green" in run("csv", "--table", "features", path), run("csv", "--table", "features", path))
        for words, wanted in ((("rewrite",), '"shade":"green"'), (("rewrite", "--to", "stream"), '"shade":"green"'), (("anonymize",), '"lamps":4')):
            out = os.path.join(folder, "out.data")
            said = run(*words, "--force", "-o", out, path)
            got = run("json", out)
            check(f"section, {name}: {' '.join(words)}", wanted in got and (words[0] != "anonymize" or "green" not in got), said, got[:600])
        dump = run("dump", "--aux", "--symbols", "no", path)
        check(f"tracer, {name}: dump", "chalk 7" in dump and "CHALK" in run("ndjson", path), dump[-900:])
        check(f"tracer, {name}: info", "CHALK" in run("info", path), run("info", path))
        packets = run("csv", "--table", "aux_packets", path)
        check(f"tracer, {name}: packets", "chalk" in packets and "mark" in packets, packets)
        check(f"emitter, {name}", run("tally", path).startswith("||||"), run("tally", path))
    check("section: manual page", "How many lamps were on." in run("schema", "--manual"))
    task = run("help", "commands").partition("Open it in a viewer")[2].partition("\n\n")[0]
    check("emitter: help", "tally" in task and "a stroke for each record" in task, task)
    check("emitter: its options", "--chalk" in run("tally", "--help") and "with chalk" in run("tally", "--help"))
    check("emitter: formats", "tally" in run("help", "formats"))
    check("option: help", "--lamp" in run("info", "--help"))
    check("option: taken", "exit" not in run("info", "--lamp", os.path.join(folder, "little.data"))[:5])
    completion = run("completion", "bash")
    check("completion: emitter, its option, option", all(word in completion for word in ("tally", "--chalk", "--lamp")), completion[:300])


def main():
    results = []

    def check(title, good, *details):
        results.append(bool(good))
        print(f"{'ok' if good else 'not ok'} {len(results)} - {title}", flush=True)
        for detail in () if good else details:
            print("# " + str(detail)[:1200].replace("\n", "\n# "))

    with open(os.path.join(TOP, "doc", "CONTRIBUTING.md"), encoding="utf-8") as page:
        guide = page.read()
    for title, places in ADDITIONS.items():
        row = next((line for line in guide.splitlines() if line.strip().startswith(f"| {title} |")), "")
        missing = [name for name in places if name not in row and name != "lib/auxtrace/dtl_packet.c"]
        check(f"{title}: the guide names its places", row and not missing, missing, row)
    with tempfile.TemporaryDirectory() as folder:
        try:
            program = build(folder)
        except OSError as error:
            check("the program is built with all additions", False, error)
            print(f"1..{len(results)}")
            return 1

        def run(*words):
            done = subprocess.run([program, *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120)
            return done.stdout.decode("utf-8", "replace") if done.returncode == 0 else f"exit {done.returncode}: {done.stderr.decode()}"

        check_outputs(run, folder, check)
    print(f"1..{len(results)}")
    return 0 if all(results) else 1


sys.exit(main())
