/* SPDX-License-Identifier: MIT */
/* Turns --symbols, --symfs, --vmlinux, … into perfdata_symbols_options. */
#ifndef SYMBOL_OPTIONS_H
#define SYMBOL_OPTIONS_H

#include "options.h"
#include "perfdata/symbols.h"

/* The options, and buffers for their paths. */
struct symbol_options {
	struct perfdata_symbols_options options;
	char cache[4096], root[4096 + 8];
};
/* Sets *ret from the options. Symbols made with *ret report to `messages`, which must outlive them. */
void symbol_options_make(const struct options *options, struct messages *messages, struct symbol_options *ret);

/* The value of --symbols for perfdata_convert_options.names. */
enum perfdata_tristate symbol_options_names(const struct options *options);
bool symbols_wanted(const struct options *options);
/* Makes the symbols; *ret is NULL if no names are looked up. `messages` must outlive *ret. */
enum perfdata_status symbols_for(const struct options *options, struct messages *messages,
				 struct perfdata_symbols **ret);

/* Opens the bundle of --symbols-from, if given, once for all recordings. False after a message, with *ret_code set. */
bool symbols_open(struct options *options, enum exit_code *ret_code);
void symbols_close(struct options *options);

#endif
