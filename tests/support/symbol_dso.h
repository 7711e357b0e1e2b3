/* SPDX-License-Identifier: MIT */
/* Makes symbols and dsos for tests in one call. */
#ifndef TEST_SYMBOL_DSO_H
#define TEST_SYMBOL_DSO_H

#include "perfdata/symbols.h"
#include "symbols/symbols.h"
#include "unit.h"

static inline struct perfdata_symbols *new_symbols(const struct perfdata_symbols_options *options)
{
	struct perfdata_symbols *symbols = NULL;
	CHECK_EQ(perfdata_symbols_new(options, &symbols), PERFDATA_OK);
	return symbols;
}

static inline struct perfdata_symbols_dso *new_dso(struct perfdata_symbols *symbols, enum perfdata_dso_kind kind,
						   const char *path)
{
	const struct perfdata_symbols_request request = { .size = sizeof request, .kind = kind, .path = path };
	struct perfdata_symbols_dso *dso = NULL;
	CHECK_EQ(perfdata_symbols_dso(symbols, &request, &dso), PERFDATA_OK);
	return dso;
}

#endif
