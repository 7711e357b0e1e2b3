/* SPDX-License-Identifier: MIT */
/* The functions of a program from its debug information: their code and their entries. */
#ifndef PD_FUNCTION_MAP_H
#define PD_FUNCTION_MAP_H

#include "base/account.h"
#include "symbols/code/code_file.h"

struct pd_function_map;
/* PERFDATA_ABSENT: no debug information. PERFDATA_EUNSUP: only libdw reads its form. */
enum perfdata_status pd_function_map_new(const struct pd_code_file *file, struct pd_account *account,
					 struct pd_function_map **ret);
void pd_function_map_free(struct pd_function_map *map);   /* ignores NULL */

/* Marks all code of the functions with the name of the function at the address. */
void pd_function_map_hit(struct pd_function_map *map, uint64_t address);

struct pd_function_extent {
	uint64_t start, end;
	bool is_hit;
};
/* Returns extent number `index`, in the order of their starts, each start once; false: there are fewer. */
bool pd_function_map_at(const struct pd_function_map *map, size_t index, struct pd_function_extent *ret);
/* Returns the linkage name of the function that is entered at the address. NULL: none is, or the code there is a part
 * that was moved away from the rest of its function. */
const char *pd_function_map_entry(const struct pd_function_map *map, uint64_t address);

#endif
