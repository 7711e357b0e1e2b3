/* SPDX-License-Identifier: MIT */
/* What kallsyms.c and perf_map.c share: texts with a symbol in each line. */
#ifndef PD_SYMBOL_TEXT_H
#define PD_SYMBOL_TEXT_H

#include <string.h>
#include "base/memory.h"
#include "symbols/table/symbol_table.h"

/* Reads a text, which the caller frees with pd_free; a NUL follows it. Raises the limit of `work` (may be NULL) by its
 * size. */
enum perfdata_status pd_symbol_text_read(struct pd_work *work, int fd, char **ret, size_t *ret_size);

/* Returns the memory of a text of this size. */
static inline size_t pd_symbol_text_room(size_t size) { return pd_large_size(size + 1); }

/* Call it for each line: checks for cancellation from time to time. */
static inline enum perfdata_status pd_symbol_text_step(struct pd_meter *meter)
{
	return meter->work ? pd_meter_count(meter, 1) : PERFDATA_OK;
}

/* Ends a line with a NUL, in place of its newline if it has one. Returns the NUL. */
static inline char *pd_end_line(char *line, char *end)
{
	char *newline = memchr(line, '\n', (size_t)(end - line)), *stop = newline ? newline : end;
	*stop = '\0';
	return stop;
}

/* Takes a hexadecimal number at *at; false: there is none, or it has more than 64 bits. */
bool pd_take_hex(char **at, uint64_t *ret);

/* Whether a line has more than blanks. */
bool pd_has_text(const char *line);
void pd_note_odd_line(struct pd_odd_lines *odd, uint64_t number, const char *line);
/* Cuts a name that is too long. */
void pd_limit_name(char *name);

#endif
