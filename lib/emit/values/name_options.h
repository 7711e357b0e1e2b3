/* SPDX-License-Identifier: MIT */
/* Options of json, ndjson and csv that add names (comm, parts of locations) and stacks to samples. */
#ifndef EMIT_NAME_OPTIONS_H
#define EMIT_NAME_OPTIONS_H

#include "emit/values/record.h"

#define NAME_OPTIONS \
	{ "names", PERFDATA_OPTION_FLAG, 0, NULL, \
	  "add to samples comm, and file, build-id and symbol (--symbols yes) of each address" }, \
	{ "lines", PERFDATA_OPTION_FLAG, 0, NULL, \
	  "as --names, and add source file and line of each address (--symbols yes)" }, \
	{ "stacks", PERFDATA_OPTION_CHOICE, 0, "inline|ref", \
	  "add to samples the stack with named frames (inline), or its id, each stack being written once (ref)" }

/* Sets heads, stacks_by_id and locations of *world from the options. */
void pd_name_options_read(struct record_world *world, const struct perfdata_emitter_option_value *options,
			  size_t nr_options, enum perfdata_tristate names);
/* The list of -e, or of --columns for formats with tables; NULL: all fields. */
const char *pd_name_options_fields(const struct perfdata_emitter_option_value *options, size_t nr_options);
/* PERFDATA_NEED_… bits of these options and of the selected fields. */
uint32_t pd_name_options_needs(const struct perfdata_emitter_option_value *options, size_t nr_options,
			       enum perfdata_tristate names);
/* Needs of stacks with files, build-ids and symbols. */
#define NEEDS_OF_STACKS (PERFDATA_NEED_DELIVERIES | PERFDATA_NEED_THREADS | PERFDATA_NEED_FRAMES | PERFDATA_NEED_STACKS)

#endif
