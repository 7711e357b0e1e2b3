/* SPDX-License-Identifier: MIT */
/* The table of general options, and functions that its setters share with the parser. */
#ifndef OPTION_TABLE_H
#define OPTION_TABLE_H

#include "options.h"

extern const struct general_option option_table[];
extern const size_t option_table_nr;

/* Sets options->no_memory and prints a message; returns false, for callers that return it. */
bool options_no_memory(struct options *options);
bool options_add_text(struct options *options, struct text_list *list, const char *text);

#endif
