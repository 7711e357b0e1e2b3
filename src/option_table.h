/* SPDX-License-Identifier: MIT */
/* The table of general options, and what its setters share with the parser. */
#ifndef OPTION_TABLE_H
#define OPTION_TABLE_H

#include "options.h"

extern const struct general_option option_table[];
extern const size_t option_table_nr;

/* Prints a message, once for the command line; returns false. */
bool options_no_memory(struct options *options);
bool options_add_text(struct options *options, struct text_list *list, const char *text);

#endif
