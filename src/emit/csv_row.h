/* A record as a row of a CSV table. */
#ifndef EMIT_CSV_ROW_H
#define EMIT_CSV_ROW_H

#include "selection.h"

/* Appends the cells of all columns and their commas. without_chains: not the callchain where the stack's id says it. False without memory. */
bool csv_row(struct record *r, const struct selection *columns, bool without_chains, struct perfdata_text *room);

#endif
