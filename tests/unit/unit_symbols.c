/* SPDX-License-Identifier: MIT */
/* Names of addresses: text files, this program, compressed and hostile files, build-ids. */
#define _GNU_SOURCE
#include "config.h"
#include <ftw.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>
#include "base/memory.h"
#include "perfdata/symbols.h"
#include "symbols/dwarf/dwarf.h"
#include "symbols/symbols.h"
#include "symbol_dso.h"
#include "unit.h"

static char dir[] = "/tmp/perfdata-symbols-XXXXXX";
static char self[PATH_MAX];

static const char *path_of(const char *name)
{
	static char paths[4][PATH_MAX];
	static unsigned next;
	char *path = paths[next++ % 4];
	snprintf(path, PATH_MAX, "%s/%s", dir, name);
	return path;
}

static const char *write_file(const char *name, const void *bytes, size_t size)
{
	const char *path = path_of(name);
	FILE *file = fopen(path, "w");
	CHECK(file && fwrite(bytes, 1, size, file) == size);
	if (file)
		fclose(file);
	return path;
}

static const char *write_text(const char *name, const char *text) { return write_file(name, text, strlen(text)); }

static const char *name_at(struct perfdata_symbols_dso *dso, uint64_t address)
{
	struct perfdata_symbol s;
	return perfdata_symbols_lookup(dso, address, UINT64_MAX, &s) == PERFDATA_OK ? s.name : "-";
}

/* --- kallsyms ----------------------------------------------------------------------------------------------------- */

/* kernels have several names at the start of their text */
static const char kallsyms[] =
	"ffffffff81000000 T srso_alias_untrain_ret\n"
	"ffffffff81000000 T _stext\n"
	"ffffffff81000000 T _text\n"
	"ffffffff81000000 T __pi__text\n"
	"ffffffff81000100 t first\n"
	"ffffffff81000200 W weak\n"
	"ffffffff81000300 R constant\n"
	"ffffffff81000400 T $d\n"
	"ffffffff81000500 D data\n"
	"ffffffff81001180 t _ZN3foo3barEv\n"
	"bad line\n"
	"ffffffff81001200 T _etext\n"
	"ffffffffa0000000 t in_one\t[one]\n"
	"ffffffffa0005000 t in_two\t[two]\n";

static void test_kallsyms(void)
{
	struct perfdata_symbols *symbols = new_symbols(NULL);
	struct perfdata_symbols_dso *dso = NULL;
	struct perfdata_symbol s;
	CHECK_EQ(perfdata_symbols_open_kallsyms(symbols, write_text("kallsyms", kallsyms), &dso), PERFDATA_OK);
	CHECK_STR(name_at(dso, 0xffffffff81000000), "__pi__text");  /* the last of those without a size */
	CHECK_STR(name_at(dso, 0xffffffff810001ff), "first");
	CHECK_STR(name_at(dso, 0xffffffff81000350), "weak");   /* constants and marks are left out */
	CHECK_STR(name_at(dso, 0xffffffff81000600), "data");
	CHECK_STR(name_at(dso, 0xffffffff81001181), "_ZN3foo3barEv");
	CHECK_STR(name_at(dso, 0xffffffff81002fff), "_etext"); /* up to the page after the next border */
	CHECK_STR(name_at(dso, 0xffffffff81003000), "-");
	CHECK_STR(name_at(dso, 0xffffffff80ffffff), "-");
	CHECK_EQ(perfdata_symbols_lookup(dso, 0xffffffffa0000010, 0, &s), PERFDATA_OK);
	CHECK_STR(s.module, "one");
	CHECK_STR(s.name, "in_one");
	CHECK_EQ(s.offset, 0x10);
	CHECK_STR(name_at(dso, 0xffffffffa0002000), "-");
	CHECK_EQ(perfdata_symbols_lookup(dso, 0xffffffff81000200, 0, &s), PERFDATA_OK);
	CHECK_EQ(s.binding, PERFDATA_BIND_WEAK);
	CHECK_EQ(s.size, 0x300);
	perfdata_symbols_free(symbols);
}

static void test_kallsyms_refused(void)
{
	struct perfdata_symbols *symbols = new_symbols(NULL);
	struct perfdata_symbols_dso *dso = NULL;
	const char *hidden = write_text("hidden", "0000000000000000 T _text\n0000000000000000 t x\n");
	CHECK_EQ(perfdata_symbols_open_kallsyms(symbols, hidden, &dso), PERFDATA_ABSENT);
	CHECK_EQ(perfdata_symbols_open_kallsyms(symbols, write_text("empty", ""), &dso), PERFDATA_EFORMAT);
	CHECK_EQ(perfdata_symbols_open_kallsyms(symbols, path_of("none"), &dso), PERFDATA_EREAD);
	CHECK_EQ(perfdata_symbols_open_kallsyms(symbols, dir, &dso), PERFDATA_EREAD);
	CHECK(!mkfifo(path_of("fifo"), 0600));
	CHECK_EQ(perfdata_symbols_open_kallsyms(symbols, path_of("fifo"), &dso), PERFDATA_EREAD);
	CHECK(!dso);
	perfdata_symbols_free(symbols);
}

/* Whether a running kernel is the recorded one: its text starts after many other symbols, or nowhere. */
static void test_kallsyms_text_start(void)
{
	struct perfdata_symbols *symbols = new_symbols(NULL);
	static char text[80000];
	size_t size = 0;
	for (unsigned i = 0; i < 1000; i++)
		size += (size_t)snprintf(text + size, sizeof text - size, "%016x A symbol_number_%u\n", i + 1, i);
	(void)snprintf(text + size, sizeof text - size, "bad\nffffffff81000000 T _stext\nffffffff81000040 T _text\n"
		       "ffffffff81000080 T _text\n");
	const char *path = write_text("kallsyms", text), *hidden = write_text("hidden", "0000000000000000 T _text\n");
	CHECK(pd_kallsyms_has_text_at(symbols, path, 0xffffffff81000000));
	CHECK(pd_kallsyms_has_text_at(symbols, path, 0xffffffff81000040));
	CHECK(!pd_kallsyms_has_text_at(symbols, path, 0xffffffff81000080));   /* the first one counts */
	CHECK(!pd_kallsyms_has_text_at(symbols, path, 1));
	CHECK(!pd_kallsyms_has_text_at(symbols, hidden, 0));
	CHECK(!pd_kallsyms_has_text_at(symbols, dir, 0xffffffff81000000));
	CHECK_EQ(pd_symbols_failed(symbols), 0);
	perfdata_symbols_free(symbols);
}

/* The same kernel, loaded 0x1000000 higher. */
static struct perfdata_symbols_dso *new_higher_kernel(struct perfdata_symbols **ret_symbols)
{
	struct perfdata_symbols_options options;
	perfdata_options_init(&options, sizeof options);
	options.kallsyms = write_text("kallsyms", kallsyms);
	*ret_symbols = new_symbols(&options);
	const struct perfdata_symbols_request request = {
		.size = sizeof request, .kind = PERFDATA_DSO_KERNEL, .path = "[kernel.kallsyms]",
		.reference = "_stext", .reference_address = 0xffffffff82000000,
	};
	struct perfdata_symbols_dso *dso = NULL;
	CHECK_EQ(perfdata_symbols_dso(*ret_symbols, &request, &dso), PERFDATA_OK);
	return dso;
}

static void test_kernel_relocated(void)
{
	struct perfdata_symbols *symbols;
	struct perfdata_symbols_dso *dso = new_higher_kernel(&symbols);
	struct perfdata_symbol s;
	CHECK_EQ(perfdata_symbols_lookup(dso, 0xffffffff82000180, 0, &s), PERFDATA_OK);
	CHECK_STR(s.name, "first");
	CHECK_EQ(s.offset, 0x80);
	CHECK_EQ(s.start, 0xffffffff82000100);
	perfdata_symbols_free(symbols);
}

/* One text names that kernel and a module, which was not loaded higher: it is read once. */
static void test_kallsyms_shared(void)
{
	struct perfdata_symbols *symbols;
	struct perfdata_symbols_dso *dsos[2] = { new_higher_kernel(&symbols) };
	struct perfdata_symbol found[2];
	dsos[1] = new_dso(symbols, PERFDATA_DSO_MODULE, "[one]");
	CHECK_EQ(perfdata_symbols_lookup(dsos[0], 0xffffffffa1000010, 0, &found[0]), PERFDATA_OK);
	CHECK_EQ(perfdata_symbols_lookup(dsos[1], 0xffffffffa0000010, 0, &found[1]), PERFDATA_OK);
	CHECK_STR(found[1].name, "in_one");
	CHECK_STR(found[1].module, "one");
	CHECK_EQ(found[0].start, 0xffffffffa1000000);
	CHECK_EQ(found[1].start, 0xffffffffa0000000);
	CHECK(found[0].name == found[1].name);
	CHECK_STR(name_at(dsos[1], 0xffffffff81000180), "first");
	perfdata_symbols_free(symbols);
}

/* Without the caller's word that it is the recorded kernel, this machine's symbols are not used. */
static void test_kernel_unknown(void)
{
	struct perfdata_symbols *symbols = new_symbols(NULL);
	struct perfdata_symbols_dso *dso = new_dso(symbols, PERFDATA_DSO_KERNEL, "[kernel.kallsyms]");
	struct perfdata_symbol s;
	CHECK_EQ(perfdata_symbols_lookup(dso, 0xffffffff81000000, 0, &s), PERFDATA_ABSENT);
	perfdata_symbols_free(symbols);
}

/* Another boot, and nothing says where the kernel was then. */
static void test_kernel_of_unknown_place(void)
{
	const uint8_t id[2] = { 0xab, 0xcd };
	struct perfdata_symbols_options options;
	perfdata_options_init(&options, sizeof options);
	options.build_id_dir = dir;
	CHECK(!mkdir(path_of(".build-id"), 0700) && !mkdir(path_of(".build-id/ab"), 0700) &&
	      !mkdir(path_of(".build-id/ab/cd"), 0700));
	write_text(".build-id/ab/cd/kallsyms", kallsyms);
	for (int known = 0; known < 2; known++) {
		struct perfdata_symbols *symbols = new_symbols(&options);
		const struct perfdata_symbols_request request = {
			.size = sizeof request,
			.kind = PERFDATA_DSO_KERNEL,
			.path = "[kernel.kallsyms]",
			.build_id = id,
			.build_id_size = sizeof id,
			.reference = "_stext",
			.reference_address = known ? 0xffffffff82000000 : 0,
		};
		struct perfdata_symbols_dso *dso = NULL;
		CHECK_EQ(perfdata_symbols_dso(symbols, &request, &dso), PERFDATA_OK);
		CHECK_STR(name_at(dso, 0xffffffff82000180), known ? "first" : "-");
		CHECK_STR(name_at(dso, 0xffffffff81000180), "-");
		perfdata_symbols_free(symbols);
	}
}

/* --- perf maps ---------------------------------------------------------------------------------------------------- */

static void test_perf_map(void)
{
	struct perfdata_symbols_options options;
	struct perfdata_symbols_origin origin;
	perfdata_options_init(&options, sizeof options);
	options.symfs = dir;
	CHECK(!mkdir(path_of("tmp"), 0700));
	write_text("tmp/perf-7.map",
		   "1000 100 one\n2000 10 LazyCompile:~two file.js:1\r\nzz\n3000\n4000 0 point\n");
	struct perfdata_symbols *symbols = new_symbols(&options);
	struct perfdata_symbols_request request = {
		.size = sizeof request, .kind = PERFDATA_DSO_PERF_MAP, .path = "/tmp/perf-1234.map", .namespace_pid = 7,
	};
	struct perfdata_symbols_dso *dso = NULL;
	CHECK_EQ(perfdata_symbols_dso(symbols, &request, &dso), PERFDATA_OK);
	CHECK_STR(name_at(dso, 0x1000), "one");
	CHECK_STR(name_at(dso, 0x10ff), "one");
	CHECK_STR(name_at(dso, 0x1100), "-");
	CHECK_STR(name_at(dso, 0x200f), "LazyCompile:~two file.js:1");
	CHECK_STR(name_at(dso, 0x2010), "-");
	CHECK_STR(name_at(dso, 0x4000), "point");
	CHECK_STR(name_at(dso, 0x4001), "-");
	CHECK_EQ(pd_symbols_origin(dso, &origin), PERFDATA_OK);
	CHECK_STR(origin.file, path_of("tmp/perf-7.map"));
	CHECK_EQ(origin.symbol_count, 3);
	perfdata_symbols_free(symbols);
}

/* --- this program ------------------------------------------------------------------------------------------------- */

/* Some linkers make functions local that only this program can see. */
int perfdata_test_function(int x);
__attribute__((noinline, visibility("default"))) int perfdata_test_function(int x) { return x * 3 + (int)getpid(); }

/* A pointer to a Thumb function has bit 0 set, which is no part of the address. */
static uintptr_t test_address(void)
{
#ifdef __thumb__
	return (uintptr_t)perfdata_test_function & ~(uintptr_t)1;
#else
	return (uintptr_t)perfdata_test_function;
#endif
}

/* The offset in the file of an address of this process. */
static uint64_t file_offset(uintptr_t address)
{
	char line[PATH_MAX + 128];
	FILE *maps = fopen("/proc/self/maps", "r");
	uint64_t offset = 0;
	while (maps && fgets(line, sizeof line, maps)) {
		unsigned long start, end, at;
		if (sscanf(line, "%lx-%lx %*s %lx", &start, &end, &at) == 3 && address >= start && address < end)
			offset = address - start + at;
	}
	if (maps)
		fclose(maps);
	return offset;
}

static void test_self(void)
{
	struct perfdata_symbols *symbols = new_symbols(NULL);
	struct perfdata_symbols_dso *dso = new_dso(symbols, PERFDATA_DSO_USER, self);
	struct perfdata_symbol s, t;
	uint64_t offset = file_offset(test_address());
	enum perfdata_status status = perfdata_symbols_lookup(dso, offset, 0, &s);
	CHECK_EQ(status, PERFDATA_OK);
	CHECK_STR(s.name, "perfdata_test_function");
	CHECK_EQ(s.offset, 0);
	CHECK_EQ(s.binding, PERFDATA_BIND_GLOBAL);
	CHECK_EQ(perfdata_symbols_lookup(dso, offset + 1, 0, &t), PERFDATA_OK);
	CHECK(t.raw_name == s.raw_name);
	CHECK_EQ(t.offset, 1);
	CHECK(!t.other_build_id);
	perfdata_symbols_free(symbols);
}

struct refusals {
	int refused, found;
};
static void count_refusal(void *user, const struct perfdata_symbols_log *entry)
{
	struct refusals *r = user;
	r->refused += entry->event == PERFDATA_SYMBOLS_REFUSED;
}
static void count_finding(void *user, const struct perfdata_finding *finding)
{
	struct refusals *r = user;
	r->found += finding->code == PERFDATA_FINDING_SYMBOL_BUILDID;
}

static void test_build_id(void)
{
	uint8_t id[PERFDATA_BUILD_ID_MAX];
	size_t size = 0;
	enum perfdata_status status = perfdata_file_build_id(self, id, &size);
	struct refusals refusals = { 0 };
	struct perfdata_symbols_options options;
	CHECK(status == PERFDATA_OK || status == PERFDATA_ABSENT);
	uint8_t wanted[20] = { 1, 2, 3 };
	perfdata_options_init(&options, sizeof options);
	options.log = count_refusal;
	options.log_user = &refusals;
	options.finding = count_finding;
	options.user = &refusals;
	struct perfdata_symbols_request request = {
		.size = sizeof request,
		.kind = PERFDATA_DSO_USER,
		.path = self,
		.build_id = wanted,
		.build_id_size = sizeof wanted,
	};
	uint64_t offset = file_offset(test_address());
	for (int other = 0; other < 2; other++) {
		options.use_other_build_id = other;
		struct perfdata_symbols *symbols = new_symbols(&options);
		struct perfdata_symbols_dso *dso = NULL;
		struct perfdata_symbol s;
		CHECK_EQ(perfdata_symbols_dso(symbols, &request, &dso), PERFDATA_OK);
		CHECK_EQ(perfdata_symbols_lookup(dso, offset, 0, &s), other ? PERFDATA_OK : PERFDATA_ABSENT);
		if (other)
			CHECK(s.other_build_id);
		else
			CHECK(refusals.refused > 0 && refusals.found == 1);
		perfdata_symbols_free(symbols);
	}
	if (status == PERFDATA_OK) {
		struct perfdata_symbols *symbols = new_symbols(NULL);
		struct perfdata_symbols_dso *dso = NULL;
		request.build_id = id;
		request.build_id_size = size;
		CHECK_EQ(perfdata_symbols_dso(symbols, &request, &dso), PERFDATA_OK);
		CHECK_STR(name_at(dso, offset), "perfdata_test_function");
		perfdata_symbols_free(symbols);
	}
}

/* A file of this host without a build-id to meet. */
static void test_identity(void)
{
	static const struct {
		uint64_t inode_off;
		int64_t since;
		const char *unidentified;
		bool good, elsewhere;
		unsigned major_off;
	} cases[] = {
		{ 0, INT64_MAX, NULL, true, false, 0 },
		{ 0, INT64_MAX, NULL, false, false, 1 },
		{ 0, INT64_MAX, NULL, true, true, 1 },
		{ 1, INT64_MAX, NULL, false, false, 0 },
		{ 0, 1, NULL, false, false, 0 }, { 0, 0, NULL, true, false, 0 },   /* zero: any time */
		{ 0, INT64_MAX, "told so", false, false, 0 },
		{ 1, 1, "told so", true, true, 0 },
	};
	struct stat st;
	CHECK(!stat(self, &st));
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct perfdata_symbols_options options;
		perfdata_options_init(&options, sizeof options);
		options.symfs = cases[i].elsewhere ? "/" : NULL;
		struct perfdata_symbols *symbols = new_symbols(&options);
		const struct perfdata_symbols_request request = {
			.size = sizeof request,
			.kind = PERFDATA_DSO_USER,
			.path = self,
			.check_identity = true,
			.inode = st.st_ino + cases[i].inode_off,
			.unchanged_since = cases[i].since,
			.unidentified = cases[i].unidentified,
			.device_major = (uint32_t)major(st.st_dev) + cases[i].major_off,
			.device_minor = minor(st.st_dev),
		};
		struct perfdata_symbols_dso *dso = NULL;
		struct perfdata_symbol s;
		CHECK_EQ(perfdata_symbols_dso(symbols, &request, &dso), PERFDATA_OK);
		CHECK_EQ(perfdata_symbols_lookup(dso, file_offset(test_address()), 0, &s),
			 cases[i].good ? PERFDATA_OK : PERFDATA_ABSENT);
		perfdata_symbols_free(symbols);
	}
}

static void test_no_host(void)
{
	struct perfdata_symbols_options options;
	struct perfdata_symbol s;
	perfdata_options_init(&options, sizeof options);
	options.no_host = true;
	struct perfdata_symbols *symbols = new_symbols(&options);
	struct perfdata_symbols_dso *dso = new_dso(symbols, PERFDATA_DSO_USER, self);
	enum perfdata_status status = perfdata_symbols_lookup(dso, file_offset(test_address()), 0,
							      &s);
	CHECK_EQ(status, PERFDATA_ABSENT);
	perfdata_symbols_free(symbols);
}

static void test_notes(void)
{
	static const uint8_t note[] = { 4, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 'X', 'e', 'n', 0, 9, 9, 0, 0,
					4, 0, 0, 0, 3, 0, 0, 0, 3, 0, 0, 0, 'G', 'N', 'U', 0, 0xab, 0xcd, 0xef };
	uint8_t id[PERFDATA_BUILD_ID_MAX];
	size_t size = 0;
	CHECK_EQ(pd_notes_build_id(note, sizeof note, PERFDATA_BYTE_ORDER_LITTLE, id, &size), PERFDATA_OK);
	CHECK_EQ(size, 3);
	CHECK(!memcmp(id, note + sizeof note - 3, 3));
	for (size_t cut = 0; cut < sizeof note; cut++)
		CHECK_EQ(pd_notes_build_id(note, cut, PERFDATA_BYTE_ORDER_LITTLE, id, &size), PERFDATA_ABSENT);
	CHECK_EQ(pd_notes_build_id(note, sizeof note, PERFDATA_BYTE_ORDER_BIG, id, &size), PERFDATA_ABSENT);
}

/* --- hostile files ------------------------------------------------------------------------------------------------ */

static char *read_self(size_t *ret_size)
{
	char *bytes = NULL;
	int fd = pd_open_regular(self, PD_REGULAR_STORED);
	CHECK(fd >= 0 && !pd_read_whole(fd, (size_t)1 << 30, &bytes, ret_size));
	close(fd);
	return bytes;
}

static void look_at(struct perfdata_symbols *symbols, const char *path)
{
	struct perfdata_symbols_dso *dso = new_dso(symbols, PERFDATA_DSO_USER, path);
	struct perfdata_source_line frames[4];
	struct perfdata_symbol s;
	size_t count;
	for (uint64_t offset = 0; offset < 0x8000; offset += 0x731) {
		enum perfdata_status status = perfdata_symbols_lookup(dso, offset, 0, &s);
		CHECK(status == PERFDATA_OK || status == PERFDATA_ABSENT || status == PERFDATA_EUNSUP);
		status = pd_symbols_source(dso, offset, frames, 4, &count);
		CHECK(status == PERFDATA_OK || status == PERFDATA_ABSENT || status == PERFDATA_EUNSUP);
	}
}

static bool is_same_text(const char *a, const char *b) { return a == b || (a && b && !strcmp(a, b)); }

/* Functions alone are those that come with their positions. Which are inlined depends on how this program was built;
 * without -g there are none. */
static void test_calls(void)
{
	struct perfdata_symbols *with = new_symbols(NULL), *without = new_symbols(NULL);
	struct perfdata_symbols_dso *sourced = new_dso(with, PERFDATA_DSO_USER, self),
				    *plain = new_dso(without, PERFDATA_DSO_USER, self);
	struct perfdata_source_line a[8], b[8];
	size_t nr_a, nr_b;
	for (uint64_t offset = 0; offset < 0x80000; offset += 0x31) {
		const enum perfdata_status sources = pd_symbols_source(sourced, offset, a, 8, &nr_a),
					   calls = perfdata_symbols_calls(plain, offset, b, 8, &nr_b);
		if (sources || !a[0].function) {
			CHECK_EQ(calls, sources ? sources : PERFDATA_ABSENT);
			continue;
		}
		CHECK_EQ(calls, PERFDATA_OK);
		CHECK_EQ(nr_b, nr_a);
		for (size_t i = 0; i < nr_b && i < 8; i++) {
			CHECK(is_same_text(b[i].function, a[i].function));
			CHECK_EQ(b[i].inlined, a[i].inlined);
			CHECK_EQ(b[i].first_line, a[i].first_line);
			CHECK(!b[i].file && !b[i].line && !b[i].column);
		}
	}
	perfdata_symbols_free(with);
	perfdata_symbols_free(without);
}

static void test_truncated(void)
{
	size_t size = 0;
	char *bytes = read_self(&size);
	for (size_t cut = 0; cut < size; cut += cut < 1024 ? 37 : size / 40 + 1) {
		struct perfdata_symbols *symbols = new_symbols(NULL);
		look_at(symbols, write_file("cut.elf", bytes, cut));
		perfdata_symbols_free(symbols);
	}
	pd_free(bytes);
}

/* Bytes of the header, the section table and everything else, changed by a fixed sequence. */
static void test_garbage(void)
{
	size_t size = 0;
	char *bytes = read_self(&size);
	char *copy = malloc(size);
	uint64_t random = 88172645463325252u;
	CHECK(copy != NULL);
	for (int round = 0; copy && round < 60; round++) {
		memcpy(copy, bytes, size);
		size_t low = round % 3 == 1 && size > 8192 ? size - 8192 : 0;
		size_t room = round % 3 == 0 ? 1024 : round % 3 == 1 ? size - low : size;
		for (int i = 0; i < 64; i++) {
			random ^= random << 13, random ^= random >> 7, random ^= random << 17;
			copy[low + random % room] = (char)(random >> 32);
		}
		memcpy(copy, bytes, 16);
		struct perfdata_symbols *symbols = new_symbols(NULL);
		look_at(symbols, write_file("garbage.elf", copy, size));
		perfdata_symbols_free(symbols);
	}
	free(copy);
	pd_free(bytes);
}

static void test_xz(void)
{
	/* printf 'hello hello hello hello\n' | xz --check=crc32 */
	static const uint8_t compressed[] = {
		0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00, 0x00, 0x01, 0x69, 0x22, 0xde, 0x36, 0x02, 0x00, 0x21, 0x01, 0x16,
		0x00, 0x00, 0x00, 0x74, 0x2f, 0xe5, 0xa3, 0xe0, 0x00, 0x17, 0x00, 0x0c, 0x5d, 0x00, 0x34, 0x19, 0x49,
		0xee, 0x8d, 0xe9, 0x56, 0x0a, 0xc1, 0x21, 0xb0, 0x00, 0x00, 0x00, 0x88, 0x59, 0x0b, 0x00, 0x01, 0x24,
		0x18, 0xdb, 0xcc, 0x02, 0xc2, 0x90, 0x42, 0x99, 0x0d, 0x01, 0x00, 0x00, 0x00, 0x00, 0x01, 0x59, 0x5a,
	};
	static const char plain[] = "hello hello hello hello\n";
	char *out = NULL;
	size_t size = 0;
	if (!strstr(perfdata_build_info(), "lzma")) {
		CHECK_EQ(pd_unpack_bytes(NULL, compressed, sizeof compressed, 1 << 20, &out, &size), PERFDATA_EUNSUP);
		return;
	}
	CHECK_EQ(pd_unpack_bytes(NULL, compressed, sizeof compressed, 1 << 20, &out, &size), PERFDATA_OK);
	CHECK_EQ(size, sizeof plain - 1);
	CHECK(out && !memcmp(out, plain, size));
	pd_free(out);
	CHECK_EQ(pd_unpack_bytes(NULL, compressed, sizeof compressed, 10, &out, &size), PERFDATA_ELIMIT);
	CHECK_EQ(pd_unpack_bytes(NULL, compressed, sizeof compressed, sizeof plain - 1, &out, &size), PERFDATA_OK);
	pd_free(out);
	CHECK_EQ(pd_unpack_bytes(NULL, compressed, sizeof compressed, sizeof plain - 2, &out, &size), PERFDATA_ELIMIT);
	for (size_t cut = 0; cut < sizeof compressed; cut++)
		CHECK_EQ(pd_unpack_bytes(NULL, compressed, cut, 1 << 20, &out, &size),
			 cut < 6 ? PERFDATA_ABSENT : PERFDATA_EFORMAT);
	for (size_t at = 0; at < 8 * sizeof compressed; at++) {
		uint8_t copy[sizeof compressed];
		memcpy(copy, compressed, sizeof copy);
		copy[at / 8] ^= (uint8_t)(1 << at % 8);
		if (pd_unpack_bytes(NULL, copy, sizeof copy, 1 << 20, &out, &size) == PERFDATA_OK) {
			CHECK(size <= 1 << 20);
			pd_free(out);
		}
	}
}

/* An address belongs to the range that begins at or before it and ends after it. */
static void test_range_bounds(void)
{
	struct pd_dwarf_range items[] = { { 10, 20, 0, 0, 0 }, { 20, 24, 0, 0, 0 }, { 40, 41, 0, 0, 0 } };
	struct pd_archive_entry entries[3] = { 0 };
	const struct pd_dwarf_ranges ranges = { .items = items, .count = 3 };
	const struct pd_archive archive = { .entries = entries, .nr = 3 };
	for (size_t i = 0; i < 3; i++) {
		entries[i].offset = items[i].start;
		entries[i].size = items[i].end - items[i].start;
	}
	for (uint64_t address = 0; address < 50; address++) {
		size_t i = 0;
		while (i < 3 && !(items[i].start <= address && address < items[i].end))
			i++;
		CHECK(pd_dwarf_find_range(&ranges, address) == (i < 3 ? &items[i] : NULL));
		CHECK(pd_archive_entry_at(&archive, address) == (i < 3 ? &entries[i] : NULL));
	}
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *place)
{
	(void)st, (void)type, (void)place;
	return remove(path);
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "kallsyms: which symbol, how far, which module", test_kallsyms },
		{ "kallsyms: one text for the kernel and its modules", test_kallsyms_shared },
		{ "kallsyms: hidden, empty, missing and odd files", test_kallsyms_refused },
		{ "kallsyms: where the text starts", test_kallsyms_text_start },
		{ "kernel: another load address", test_kernel_relocated },
		{ "kernel: not used without the caller's word", test_kernel_unknown },
		{ "kernel: nothing says where it was", test_kernel_of_unknown_place },
		{ "perf map: namespaces", test_perf_map },
		{ "ELF: this program", test_self },
		{ "ELF: functions without positions", test_calls },
		{ "ELF: another build-id", test_build_id },
		{ "ELF: without a build-id, by inode and time", test_identity },
		{ "ELF: nothing of this host", test_no_host },
		{ "notes: build-id", test_notes },
		{ "ELF: cut off anywhere", test_truncated },
		{ "ELF: changed anywhere", test_garbage },
		{ "xz: unpack", test_xz },
		{ "ranges: where they begin and end", test_range_bounds },
	};
	ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
	if (length <= 0 || !mkdtemp(dir)) {
		printf("Bail out! no place for files\n");
		return 1;
	}
	int failed = unit_main(cases, sizeof cases / sizeof *cases);
	return nftw(dir, remove_one, 8, FTW_DEPTH | FTW_PHYS) || failed;
}
