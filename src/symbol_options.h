/* --symbols and its companions: where names of addresses come from. */
#ifndef SYMBOL_OPTIONS_H
#define SYMBOL_OPTIONS_H

#include "options.h"
#include "perfdata/symbols.h"

bool symbols_wanted(const struct options *options);
/* *ret is NULL if no names are wanted. messages must live as long as *ret. */
enum perfdata_status symbols_for(const struct options *options, struct messages *messages, struct perfdata_symbols **ret);

/* Opens --symbols-from, if it was given, for all recordings; false after a message. */
bool symbols_open_bundle(struct options *options, enum exit_code *ret_code);
void symbols_close_bundle(struct options *options);

#endif
