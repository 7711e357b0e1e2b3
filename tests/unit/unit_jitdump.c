/* SPDX-License-Identifier: MIT */
/* jitdump files: names by time, moved and overlapping code, files that end in the middle or are damaged. */
#include "config.h"
#include <stdlib.h>
#include <unistd.h>
#include "base/memory.h"
#include "perfdata/symbols.h"
#include "symbols/symbols.h"
#include "symbol_dso.h"
#include "unit.h"

static char dump[] = "/tmp/perfdata-unit-jitdump-XXXXXX";

/* The name of the file is one for all: each is read before the next one is written. */
static const char *write_file(const void *bytes, size_t size)
{
	FILE *file = fopen(dump, "w");
	CHECK(file && fwrite(bytes, 1, size, file) == size);
	if (file)
		fclose(file);
	return dump;
}

struct bytes {
	uint8_t data[4096];
	size_t size;
};

static void add(struct bytes *b, const void *data, size_t size)
{
	memcpy(b->data + b->size, data, size);
	b->size += size;
}
static void add32(struct bytes *b, uint32_t v) { add(b, &v, sizeof v); }
static void add64(struct bytes *b, uint64_t v) { add(b, &v, sizeof v); }

static void add_load(struct bytes *b, uint64_t time, uint64_t address, uint64_t size, const char *name)
{
	size_t length = strlen(name) + 1;
	add32(b, 0), add32(b, (uint32_t)(56 + length + 4)), add64(b, time);
	add32(b, 1), add32(b, 1), add64(b, address), add64(b, address), add64(b, size), add64(b, 0);
	add(b, name, length);
	add32(b, 0xcccccccc);
}

static void add_move(struct bytes *b, uint64_t time, uint64_t from, uint64_t to, uint64_t size)
{
	add32(b, 1), add32(b, 64), add64(b, time);
	add32(b, 1), add32(b, 1), add64(b, to), add64(b, from), add64(b, to), add64(b, size), add64(b, 0);
}

static const char *jit_name(struct perfdata_symbols_dso *dso, uint64_t address, uint64_t time)
{
	struct perfdata_symbol s;
	return perfdata_symbols_lookup(dso, address, time, &s) == PERFDATA_OK ? s.name : "-";
}

static void test_jitdump(void)
{
	struct bytes b = { .size = 0 };
	add32(&b, 0x4a695444), add32(&b, 1), add32(&b, 40), add32(&b, 62), add32(&b, 0), add32(&b, 1), add64(&b, 0),
		add64(&b, 0);
	add_load(&b, 100, 0x1000, 0x100, "old");
	add_load(&b, 200, 0x1080, 0x100, "new");
	add_load(&b, 100, 0x5000, 0x10, "moved");
	add_move(&b, 300, 0x5000, 0x6000, 0x10);
	struct perfdata_symbols *symbols = new_symbols(NULL);
	struct perfdata_symbols_dso *dso = new_dso(symbols, PERFDATA_DSO_JITDUMP,
						   write_file(b.data, b.size));
	CHECK_STR(jit_name(dso, 0x1000, 99), "-");
	CHECK_STR(jit_name(dso, 0x1090, 150), "old");
	CHECK_STR(jit_name(dso, 0x1090, 200), "new");
	CHECK_STR(jit_name(dso, 0x1010, UINT64_MAX), "old");
	CHECK_STR(jit_name(dso, 0x117f, UINT64_MAX), "new");
	CHECK_STR(jit_name(dso, 0x1180, UINT64_MAX), "-");
	CHECK_STR(jit_name(dso, 0x5008, 299), "moved");
	CHECK_STR(jit_name(dso, 0x5008, 300), "-");
	CHECK_STR(jit_name(dso, 0x6008, 300), "moved");
	CHECK_STR(jit_name(dso, 0x6008, 299), "-");
	for (size_t cut = 0; cut < b.size; cut++) {
		dso = new_dso(symbols, PERFDATA_DSO_JITDUMP, write_file(b.data, cut));
		const char *name = jit_name(dso, 0x1010, UINT64_MAX);
		CHECK(!strcmp(name, "old") || !strcmp(name, "-"));
	}
	perfdata_symbols_free(symbols);
}

/* --- lines -------------------------------------------------------------------------------------------------------- */

static void add_line(struct bytes *b, uint64_t address, uint32_t line, const char *file, size_t size)
{
	add64(b, address), add32(b, line), add32(b, 0), add(b, file, size);
}

/* Begins a record of lines; its size is set by end_lines. */
static size_t begin_lines(struct bytes *b, uint64_t address, uint64_t nr)
{
	const size_t at = b->size;
	add32(b, 2), add32(b, 0), add64(b, 100), add64(b, address), add64(b, nr);
	return at;
}
static void end_lines(struct bytes *b, size_t at)
{
	const uint32_t size = (uint32_t)(b->size - at);
	memcpy(b->data + at + 4, &size, sizeof size);
}

static const char *jit_line(struct perfdata_symbols_dso *dso, uint64_t address, uint64_t time)
{
	static char text[64];
	struct perfdata_source_line line;
	size_t nr = 0;
	if (pd_symbols_source_at(dso, address, time, &line, 1, &nr) != PERFDATA_OK)
		return "-";
	snprintf(text, sizeof text, "%s:%u %s", line.file, (unsigned)line.line, line.function);
	return text;
}

static void test_jitdump_lines(void)
{
	struct bytes b = { .size = 0 };
	add32(&b, 0x4a695444), add32(&b, 1), add32(&b, 40), add32(&b, 62), add32(&b, 0), add32(&b, 1), add64(&b, 0),
		add64(&b, 0);
	/* addresses of the code, in any order; a name that is repeated */
	size_t at = begin_lines(&b, 0x1000, 3);
	add_line(&b, 0x1008, 3, "a.src", 6);
	add_line(&b, 0x1020, 4, "\xff", 2);
	add_line(&b, 0x1004, 2, "b.src", 6);
	end_lines(&b, at);
	add_load(&b, 100, 0x1000, 0x100, "plain");
	/* addresses in an ELF file, whose header comes before the code */
	at = begin_lines(&b, 0x2000, 2);
	add_line(&b, 0x2040, 10, "c.src", 6);
	add_line(&b, 0x2050, 11, "c.src", 6);
	end_lines(&b, at);
	add_load(&b, 100, 0x2000, 0x20, "shifted");
	add_move(&b, 300, 0x2000, 0x3000, 0x20);
	/* names with zeros, and an entry that is not there */
	at = begin_lines(&b, 0x4000, 9);
	add_line(&b, 0x4000, 20, "\x0f\x8c\0\0src", 8);
	add_line(&b, 0x4004, 21, "\1\0c", 4);
	end_lines(&b, at);
	add_load(&b, 100, 0x4000, 0x20, "garbled");
	/* lines of another code, and a code without any */
	at = begin_lines(&b, 0x9000, 1);
	add_line(&b, 0x9000, 30, "d.src", 6);
	end_lines(&b, at);
	add_load(&b, 100, 0x5000, 0x20, "alone");
	add_load(&b, 100, 0x9000, 0x20, "late");
	struct perfdata_symbols *symbols = new_symbols(NULL);
	struct perfdata_symbols_dso *dso = new_dso(symbols, PERFDATA_DSO_JITDUMP, write_file(b.data, b.size));
	CHECK_STR(jit_line(dso, 0x1003, 200), "-");
	CHECK_STR(jit_line(dso, 0x1004, 200), "b.src:2 plain");
	CHECK_STR(jit_line(dso, 0x1008, 200), "a.src:3 plain");
	CHECK_STR(jit_line(dso, 0x10ff, 200), "a.src:4 plain");
	CHECK_STR(jit_line(dso, 0x1100, 200), "-");
	CHECK_STR(jit_line(dso, 0x1008, 99), "-");
	CHECK_STR(jit_line(dso, 0x2000, 200), "c.src:10 shifted");
	CHECK_STR(jit_line(dso, 0x2010, 200), "c.src:11 shifted");
	CHECK_STR(jit_line(dso, 0x2010, 300), "-");
	CHECK_STR(jit_line(dso, 0x3010, 300), "c.src:11 shifted");
	CHECK_STR(jit_line(dso, 0x4003, 200), "??:20 garbled");
	CHECK_STR(jit_line(dso, 0x4004, 200), "??:21 garbled");
	CHECK_STR(jit_line(dso, 0x5000, 200), "-");
	CHECK_STR(jit_line(dso, 0x9000, 200), "-");
	for (size_t cut = 0; cut < b.size; cut++) {
		dso = new_dso(symbols, PERFDATA_DSO_JITDUMP, write_file(b.data, cut));
		const char *line = jit_line(dso, 0x1008, 200);
		CHECK(!strcmp(line, "a.src:3 plain") || !strcmp(line, "-"));
	}
	perfdata_symbols_free(symbols);
}

static unsigned nr_jit_findings;

static void count_jit_finding(void *user, const struct perfdata_finding *finding)
{
	(void)user;
	nr_jit_findings += finding->code == PERFDATA_FINDING_SYMBOL_FILE &&
			   (strstr(finding->message, "impossible size") || strstr(finding->message, "inside a record"));
}

/* A record that cannot be, or is not all there: what came before has names, and the file is named. Zeros are room that
 * was made ahead. */
static void test_jitdump_damaged(void)
{
	static const struct { uint32_t size; uint64_t time; unsigned findings; } ends[] = {
		{ 0, 200, 1 }, { 1, 200, 1 }, { 15, 0, 1 }, { UINT32_MAX, 200, 1 }, { 0, 0, 0 }, { 17, 200, 1 },
		{ 64, 200, 1 }, { 1 << 30, 200, 1 }, { 16, 200, 0 },
	};
	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
		struct perfdata_symbols_options options;
		struct bytes b = { .size = 0 };
		add32(&b, 0x4a695444), add32(&b, 1), add32(&b, 40), add32(&b, 62), add32(&b, 0), add32(&b, 1),
			add64(&b, 0), add64(&b, 0);
		add_load(&b, 100, 0x1000, 0x100, "first");
		add32(&b, 0), add32(&b, ends[i].size), add64(&b, ends[i].time);
		perfdata_options_init(&options, sizeof options);
		options.finding = count_jit_finding;
		nr_jit_findings = 0;
		struct perfdata_symbols *symbols = new_symbols(&options);
		struct perfdata_symbols_dso *dso = new_dso(symbols, PERFDATA_DSO_JITDUMP,
							   write_file(b.data, b.size));
		CHECK_STR(jit_name(dso, 0x1010, UINT64_MAX), "first");
		CHECK_EQ(nr_jit_findings, ends[i].findings);
		perfdata_symbols_free(symbols);
	}
}

/* A code around more others than one look-up compares, and one that is moved after as many were loaded. */
static void test_jitdump_many(void)
{
	enum { NR = 10000 };
	uint8_t *file = calloc(NR + 4, 80);
	struct bytes b = { .size = 0 };
	size_t size = 0;
	add32(&b, 0x4a695444), add32(&b, 1), add32(&b, 40);
	b.size = 40;
	add_load(&b, 1, 0x100000, 0x1000000, "around");
	add_load(&b, 2, 0x9000000, 0x10, "moved");
	for (unsigned i = 0; i < NR; i++) {
		add_load(&b, 3 + i, 0x100000 + 16 * i, 8, "inner");
		memcpy(file + size, b.data, b.size);
		size += b.size;
		b.size = 0;
	}
	add_move(&b, 3 + NR, 0x9000000, 0xa000000, 0x10);
	memcpy(file + size, b.data, b.size);
	struct perfdata_symbols *symbols = new_symbols(NULL);
	struct perfdata_symbols_dso *dso = new_dso(symbols, PERFDATA_DSO_JITDUMP,
						   write_file(file, size + b.size));
	CHECK_STR(jit_name(dso, 0x100008 + 16 * (NR - 1), UINT64_MAX), "around");
	CHECK_STR(jit_name(dso, 0x100000 + 16 * (NR - 1), 3), "around");
	CHECK_STR(jit_name(dso, 0xa000008, 3 + NR), "moved");
	perfdata_symbols_free(symbols);
	free(file);
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "names by time, moves, truncated", test_jitdump },
		{ "lines of codes", test_jitdump_lines },
		{ "a record of an impossible size", test_jitdump_damaged },
		{ "more codes than are compared", test_jitdump_many },
	};
	const int fd = mkstemp(dump);
	if (fd < 0 || close(fd)) {
		printf("Bail out! no place for files\n");
		return 1;
	}
	const int failed = unit_main(cases, sizeof cases / sizeof *cases);
	(void)unlink(dump);
	return failed;
}
