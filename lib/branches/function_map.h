/* SPDX-License-Identifier: MIT */
/* The functions of a program, by its debug information: which code belongs to one, and where it is entered. */
#ifndef PD_FUNCTION_MAP_H
#define PD_FUNCTION_MAP_H

#include "base/account.h"
#include "symbols/code/code_file.h"

struct pd_function_map;
/* PERFDATA_ABSENT: no debug information; PERFDATA_EUNSUP: in a form that our reader leaves to libdw. */
enum perfdata_status pd_function_map_new(const struct pd_code_file *file, struct pd_account *account,
					 struct pd_function_map **ret);
void pd_function_map_free(struct pd_function_map *map);   /* NULL is fine */

/* Marks all code of the functions that have the name of the one at an address. */
void pd_function_map_hit(struct pd_function_map *map, uint64_t address);

struct pd_function_extent {
	uint64_t start, end;
	bool is_hit;
};
/* Pieces of code in order of their start, each start once; false after the last. */
bool pd_function_map_at(const struct pd_function_map *map, size_t index, struct pd_function_extent *ret);
/* What linkers call the function that is entered at an address; NULL: none is, or the code there is the part of a
 * function that was moved away from the rest. */
const char *pd_function_map_entry(const struct pd_function_map *map, uint64_t address);

#endif
