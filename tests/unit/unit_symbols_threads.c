/* SPDX-License-Identifier: MIT */
/* Threads that look up addresses of one file at the same time, each from another end of it: they get the answers that
 * one thread alone gets. The thread sanitizer runs it too. */
#define _GNU_SOURCE
#include "config.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/library.h"
#include "base/threads.h"
#include "perfdata/symbols.h"
#include "symbols/symbols.h"
#include "symbols/dwarf/dwarf.h"
#include "symbol_dso.h"
#include "unit.h"

#define ADDRESSES 8000u
#define THREADS 4u
#define FRAMES 16u
#define MEMORY (UINT64_C(256) << 10)

static char self[PATH_MAX];

struct answers {
	struct perfdata_symbols_dso *dso;
	uint64_t size;                    /* of the file */
	uint64_t of[THREADS][ADDRESSES];  /* a hash of what an address is called */
};

static uint64_t mix(uint64_t hash, uint64_t value) { return (hash ^ value) * UINT64_C(0x100000001b3); }

static uint64_t mix_text(uint64_t hash, const char *text)
{
	for (; text && *text; text++)
		hash = mix(hash, (uint8_t)*text);
	return mix(hash, text != NULL);
}

static uint64_t mix_lines(uint64_t hash, const struct perfdata_source_line *lines, size_t nr)
{
	for (size_t i = 0; i < nr && i < FRAMES; i++) {
		hash = mix_text(mix_text(hash, lines[i].function), lines[i].file);
		hash = mix(mix(mix(hash, lines[i].line), lines[i].column), lines[i].inlined);
	}
	return mix(hash, nr);
}

static uint64_t ask(struct perfdata_symbols_dso *dso, uint64_t address)
{
	struct perfdata_symbol symbol;
	struct perfdata_source_line lines[FRAMES];
	size_t nr = 0;
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	if (perfdata_symbols_lookup(dso, address, UINT64_MAX, &symbol) == PERFDATA_OK)
		hash = mix(mix_text(hash, symbol.name), symbol.start);
	if (perfdata_symbols_calls(dso, address, lines, FRAMES, &nr) == PERFDATA_OK)
		hash = mix_lines(hash, lines, nr);
	if (pd_symbols_source(dso, address, lines, FRAMES, &nr) == PERFDATA_OK)
		hash = mix_lines(hash, lines, nr);
	return hash;
}

static void ask_all(void *user, unsigned index)
{
	struct answers *answers = user;
	for (unsigned i = 0; i < ADDRESSES; i++) {
		const unsigned at = (i + index * (ADDRESSES / THREADS)) % ADDRESSES;
		answers->of[index][at] = ask(answers->dso, answers->size / ADDRESSES * at);
	}
}

/* Within `memory`; NULL: no limit. */
static void open_self(struct perfdata_symbols **ret, struct answers *answers, struct perfdata_memory *memory)
{
	struct perfdata_symbols_options options;
	struct stat st;
	CHECK(!stat(self, &st));
	answers->size = (uint64_t)st.st_size;
	perfdata_options_init(&options, sizeof options);
	options.memory = memory;
	*ret = new_symbols(&options);
	answers->dso = new_dso(*ret, PERFDATA_DSO_USER, self);
}

/* Threads that share `memory` against one that has no limit. */
static void compare(struct perfdata_memory *memory)
{
	static struct answers alone, together;
	struct perfdata_symbols *symbols;
	unsigned differ = 0, named = 0;

	open_self(&symbols, &alone, NULL);
	ask_all(&alone, 0);
	perfdata_symbols_free(symbols);
	open_self(&symbols, &together, memory);
	struct pd_team *team = pd_team_start(THREADS - 1, ask_all, &together);
	ask_all(&together, THREADS - 1);
	pd_team_join(team);
	perfdata_symbols_free(symbols);
	for (unsigned i = 0; i < ADDRESSES; i++) {
		named += alone.of[0][i] != alone.of[0][0];
		for (unsigned k = 0; k < THREADS; k++)
			differ += together.of[k][i] && together.of[k][i] != alone.of[0][i];
	}
	CHECK_EQ(differ, 0);
	CHECK(named > ADDRESSES / 20);
}

static void test_threads(void) { compare(NULL); }

/* Where memory is short, the data of a unit are freed and read again all the time. */
static void test_short_memory(void)
{
	struct perfdata_memory *memory = NULL;
	CHECK_EQ(perfdata_memory_new(MEMORY, NULL, &memory), PERFDATA_OK);
	compare(memory);
	perfdata_memory_free(memory);
}

#define TAKES 200000u
#define DROP_AFTER 1000u

struct tables {
	struct pd_dwarf *dwarf;
	unsigned failed[THREADS];
};

static void take_tables(void *user, unsigned index)
{
	struct tables *tables = user;
	struct pd_dwarf *dwarf = tables->dwarf;
	for (unsigned i = 0; i < TAKES; i++) {
		const struct pd_dwarf_unit *unit = &dwarf->units[i % 2 % dwarf->unit_count];
		struct pd_dwarf_abbrevs *abbrevs = NULL;
		struct pd_dwarf_lines *lines = NULL;
		tables->failed[index] += pd_dwarf_take_abbrevs(dwarf, unit, &abbrevs) != PERFDATA_OK;
		tables->failed[index] += pd_dwarf_take_lines(dwarf, dwarf->units, 0, i % 3 == 0, &lines) != PERFDATA_OK;
		pd_dwarf_give_abbrevs(dwarf, abbrevs);
		pd_dwarf_give_lines(dwarf, lines);
		if (i % DROP_AFTER == index)
			pd_dwarf_drop_tables(dwarf);
	}
}

/* Units share tables, and threads have units open: tables that threads take and give back all the time have as many
 * users as before, and none are left once they are dropped. */
static void test_tables(void)
{
	static struct answers answers;
	struct perfdata_symbols *symbols;
	struct perfdata_symbol symbol;
	struct tables tables = { 0 };
	struct pd_work work;
	open_self(&symbols, &answers, NULL);
	(void)perfdata_symbols_lookup(answers.dso, 0, UINT64_MAX, &symbol);
	const struct pd_elf *elf = pd_dso_debug_info(answers.dso);
	CHECK(elf);
	if (!elf)
		return;
	pd_work_init(&work, pd_elf_size(elf), pd_symbols_account(symbols), NULL);
	CHECK_EQ(pd_dwarf_open(elf, answers.dso, &work, &tables.dwarf), PERFDATA_OK);
	const size_t before = tables.dwarf->units_held;
	struct pd_team *team = pd_team_start(THREADS - 1, take_tables, &tables);
	take_tables(&tables, THREADS - 1);
	pd_team_join(team);
	for (unsigned i = 0; i < THREADS; i++)
		CHECK_EQ(tables.failed[i], 0);
	for (size_t i = 0; i < PD_DWARF_RECENT; i++) {
		CHECK(!tables.dwarf->recent_abbrevs[i] || tables.dwarf->recent_abbrevs[i]->users == 1);
		CHECK(!tables.dwarf->recent_lines[i] || tables.dwarf->recent_lines[i]->users == 1);
	}
	CHECK(tables.dwarf->units_held > before);
	pd_dwarf_drop_tables(tables.dwarf);
	CHECK_EQ(tables.dwarf->units_held, before);
	pd_dwarf_close(tables.dwarf);
	perfdata_symbols_free(symbols);
}

/* --- a library that several threads load -------------------------------------------------------------------------- */

struct loaded {
	void *handle;                /* written by the thread that loads, read by all: a race if two threads load */
	unsigned times;
};
static struct loaded loaded;

static bool take_library(void *handle)
{
	loaded.handle = handle;
	loaded.times++;
	return true;
}

static struct pd_library libm = { .name = "libm.so.6", .find_functions = take_library };

static void load_library(void *user, unsigned thread)
{
	bool *failed = user;
	struct pd_library_failure failure;
	failed[thread] = pd_library_load(&libm, &failure) != PERFDATA_OK || !loaded.handle || loaded.times != 1;
}

static void test_library(void)
{
	bool failed[THREADS] = { false };
	struct pd_team *team = pd_team_start(THREADS - 1, load_library, failed);
	load_library(failed, THREADS - 1);
	pd_team_join(team);
	for (unsigned i = 0; i < THREADS; i++)
		CHECK(!failed[i]);
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "threads: the same answers as one thread alone", test_threads },
		{ "threads with little memory: the same answers, too", test_short_memory },
		{ "threads that share tables of debug information", test_tables },
		{ "threads that load a library at the same time", test_library },
	};
	const ssize_t size = readlink("/proc/self/exe", self, sizeof self - 1);
	if (size <= 0) {
		printf("Bail out! who am I?\n");
		return 1;
	}
	return unit_main(cases, sizeof cases / sizeof *cases);
}
