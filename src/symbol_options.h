/* SPDX-License-Identifier: MIT */
/* --symbols and its companions: where names of addresses come from. */
#ifndef SYMBOL_OPTIONS_H
#define SYMBOL_OPTIONS_H

#include "options.h"
#include "perfdata/symbols.h"

/* What the options say, and memory that it borrows besides them. */
struct symbol_options {
	struct perfdata_symbols_options options;
	char cache[4096], root[4096 + 8];
};
/* messages must live as long as what is made of it. */
void symbol_options_make(const struct options *options, struct messages *messages, struct symbol_options *ret);

/* Whether names are looked up, as a conversion takes it. */
enum perfdata_wish symbol_options_wish(const struct options *options);
bool symbols_wanted(const struct options *options);
/* *ret is NULL if no names are wanted. messages must live as long as *ret. */
enum perfdata_status symbols_for(const struct options *options, struct messages *messages,
				 struct perfdata_symbols **ret);

/* Opens --symbols-from, if it was given, for all recordings; false after a message. */
bool symbols_open_bundle(struct options *options, enum exit_code *ret_code);
void symbols_close_bundle(struct options *options);

#endif
