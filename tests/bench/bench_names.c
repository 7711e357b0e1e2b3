/* SPDX-License-Identifier: MIT */
/* Names addresses of a program, and nothing else: bench_names PROGRAM FIRST LAST COUNT
 *
 * COUNT places in the file, spread evenly from FIRST to LAST: for each the virtual address, and what is called there,
 * innermost first, with its source positions. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include "perfdata/symbols.h"
#include "symbols/symbols.h"

enum { MAX_CALLS = 64 };

static void print_place(struct perfdata_symbols_dso *dso, uint64_t offset)
{
	struct perfdata_source_line calls[MAX_CALLS];
	struct perfdata_symbol symbol;
	uint64_t address;
	size_t nr = 0;
	if (pd_symbols_vaddr(dso, offset, &address) != PERFDATA_OK)
		return;
	const bool known = perfdata_symbols_lookup(dso, offset, 0, &symbol) == PERFDATA_OK;
	printf("0x%" PRIx64 "\t%s", address, known ? symbol.name : "??");
	if (pd_symbols_source(dso, offset, calls, MAX_CALLS, &nr) != PERFDATA_OK)
		nr = 0;
	for (size_t i = 0; i < nr && i < MAX_CALLS; i++)
		printf("\t%s %s:%" PRIu32, calls[i].function ? calls[i].function : "??",
		       calls[i].file ? calls[i].file : "??", calls[i].line);
	putchar('\n');
}

int main(int argc, char **argv)
{
	struct perfdata_symbols *symbols;
	struct perfdata_symbols_dso *dso;
	if (argc != 5) {
		fprintf(stderr, "usage: bench_names PROGRAM FIRST LAST COUNT\n");
		return 2;
	}
	const uint64_t first = strtoull(argv[2], NULL, 0), last = strtoull(argv[3], NULL, 0),
		       count = strtoull(argv[4], NULL, 0);
	const struct perfdata_symbols_request request = { .size = sizeof request,
							  .kind = PERFDATA_DSO_USER,
							  .path = argv[1] };
	if (perfdata_symbols_new(NULL, &symbols) != PERFDATA_OK ||
	    perfdata_symbols_dso(symbols, &request, &dso) != PERFDATA_OK)
		return 1;
	for (uint64_t i = 0; i < count; i++)
		print_place(dso, first + (last - first) / count * i);
	perfdata_symbols_free(symbols);
	return ferror(stdout) || fflush(stdout) ? 1 : 0;
}
