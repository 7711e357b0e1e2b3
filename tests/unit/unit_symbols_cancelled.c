/* SPDX-License-Identifier: MIT */
/* Files of names while the work is cancelled. */
#include "config.h"
#include <unistd.h>
#include "perfdata/symbols.h"
#include "symbols/symbols.h"
#include "symbols/work/symbol_work.h"
#include "unit.h"

/* Whoever cancels a conversion does not wait until its files are read. */
static void test_cancelled(void)
{
	static const struct { enum perfdata_dso_kind kind; const char *name; } files[] = {
		{ PERFDATA_DSO_JITDUMP, "jit-3.dump" }, { PERFDATA_DSO_PERF_MAP, "perf-3.map" },
		{ PERFDATA_DSO_KERNEL, "kallsyms-3" },
	};
	struct perfdata_cancel *cancel = perfdata_cancel_new();
	perfdata_cancel_now(cancel);
	for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
		struct perfdata_symbols_options options;
		perfdata_options_init(&options, sizeof options);
		char path[64];
		snprintf(path, sizeof path, "/tmp/perfdata-%ld-%s", (long)getpid(), files[i].name);
		FILE *file = fopen(path, "w");
		CHECK(file && fputs("1000 10 name\n", file) >= 0);
		if (file)
			fclose(file);
		options.cancel = cancel;
		options.symfs = "/";
		options.kallsyms = files[i].kind == PERFDATA_DSO_KERNEL ? path : NULL;
		const struct perfdata_symbols_request request = { .size = sizeof request, .kind = files[i].kind,
								  .path = path };
		struct perfdata_symbols *symbols = NULL;
		struct perfdata_symbols_dso *dso = NULL;
		struct perfdata_symbol s;
		CHECK_EQ(perfdata_symbols_new(&options, &symbols), PERFDATA_OK);
		CHECK_EQ(perfdata_symbols_dso(symbols, &request, &dso), PERFDATA_OK);
		CHECK_EQ(perfdata_symbols_lookup(dso, 0x1000, 0, &s), PERFDATA_EINTR);
		perfdata_symbols_free(symbols);
		unlink(path);
	}
	perfdata_cancel_free(cancel);
}

#define SYMBOLS 600000u
#define MOST_STEPS (SYMBOLS / 32)   /* of work between two looks at cancel, while symbols are moved */

/* Sorts symbols in no order with that limit of work; returns whether it could, *ret_done: the work. */
static bool sort_symbols(uint64_t limit, uint64_t *ret_done)
{
	struct pd_symbol_table table = { .items = NULL };
	struct pd_work work;

	pd_work_init(&work, 0, NULL, NULL);
	atomic_store(&work.limit, limit);
	table.work = &work;
	for (uint64_t i = 0; i < SYMBOLS; i++)
		CHECK(!pd_symtab_add(&table, i * 7919 % SYMBOLS * 16, 16, PD_STRINGS_TEXT, 0, PERFDATA_BIND_GLOBAL));
	atomic_store(&work.done, 0);
	const bool sorted = !pd_symtab_sort(&table);
	CHECK(sorted || pd_symtab_status(&table) == PERFDATA_ELIMIT);
	for (uint64_t i = 1; sorted && i < SYMBOLS; i++)
		if (table.items[i - 1].start >= table.items[i].start) {
			FAIL("not sorted");
			break;
		}
	*ret_done = atomic_load(&work.done);
	pd_symtab_release(&table);
	return sorted;
}

/* Millions of symbols take seconds to be sorted: the work looks at cancel, and at its limit, all the time. */
static void test_moves(void)
{
	uint64_t all, done;

	CHECK(sort_symbols(UINT64_MAX, &all));
	for (unsigned i = 1; i <= 8; i++) {
		const uint64_t limit = all - i * MOST_STEPS / 4;
		CHECK(!sort_symbols(limit, &done));
		CHECK(done <= limit + MOST_STEPS);
	}
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "jitdumps, perf maps and kallsyms are not read", test_cancelled },
		{ "sorting symbols ends in the middle", test_moves },
	};
	return unit_main(cases, sizeof cases / sizeof *cases);
}
