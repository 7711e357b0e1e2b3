/* SPDX-License-Identifier: MIT */
/* Limits the number of symbols in a table by work and memory. */
#include "config.h"
#include "symbols/table/symbol_table.h"

#define SYMBOLS_OF_STEP 8u   /* symbols that are sorted by one digit in one step */

enum perfdata_status pd_symtab_status(const struct pd_symbol_table *table)
{
	return table->refused ? table->refused : PERFDATA_ENOMEM;
}

static bool is_refused(struct pd_symbol_table *table, enum perfdata_status status)
{
	table->refused = status;
	return status != PERFDATA_OK;
}

enum perfdata_status pd_symbol_work(struct pd_work *work, size_t count)
{
	return work ? pd_work_do(work, 1 + count / SYMBOLS_OF_STEP) : PERFDATA_OK;
}

bool pd_symtab_is_stopped(struct pd_symbol_table *table, size_t count)
{
	return is_refused(table, pd_symbol_work(table->work, count));
}

bool pd_symtab_is_full(struct pd_symbol_table *table, uint64_t bytes)
{
	return table->work && is_refused(table, pd_work_room(table->work, bytes));
}
