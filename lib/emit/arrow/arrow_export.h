/* SPDX-License-Identifier: MIT */
/* Tables as structs of the Arrow C data interface. Each exported struct and each child owns its memory, since receivers
 * may take children out of their parent. */
#ifndef EMIT_ARROW_EXPORT_H
#define EMIT_ARROW_EXPORT_H

#include "emit/table/cells.h"
#include "emit/table/describe_table.h"
#include "perfdata/table.h"

/* False without memory: then *ret needs no release. */
bool pd_arrow_schema(const struct table *table, struct ArrowSchema *ret);
/* `columns` has the cells of each column of the table. PERFDATA_ENOMEM; PERFDATA_ELIMIT: the texts of a column do not
 * fit into an array. */
enum perfdata_status pd_arrow_array(const struct table *table, const struct cells *columns, uint32_t rows,
				    struct ArrowArray *ret);

#endif
