/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "emit/values/column_type.h"

static const struct column_type_info types[COLUMN_TYPES] = {
	[COLUMN_BOOLEAN] = { "BOOLEAN", "b", false, false, COLUMN_BOOLEAN },
	[COLUMN_INT32] = { "INTEGER", "i", false, false, COLUMN_INT32 },
	[COLUMN_INT64] = { "BIGINT", "l", false, false, COLUMN_INT64 },
	[COLUMN_UINT64] = { "UBIGINT", "L", false, false, COLUMN_UINT64 },
	[COLUMN_DOUBLE] = { "DOUBLE", "g", false, false, COLUMN_DOUBLE },
	[COLUMN_TEXT] = { "VARCHAR", "u", false, true, COLUMN_TEXT },
	[COLUMN_JSON] = { "JSON", "u", false, true, COLUMN_JSON },
	[COLUMN_BYTES] = { "BLOB", "z", false, true, COLUMN_BYTES },
	[COLUMN_LIST_INT64] = { "BIGINT[]", "l", true, false, COLUMN_INT64 },
	[COLUMN_LIST_UINT64] = { "UBIGINT[]", "L", true, false, COLUMN_UINT64 },
	[COLUMN_LIST_TEXT] = { "VARCHAR[]", "u", true, true, COLUMN_TEXT },
};

const struct column_type_info *pd_column_type_info(enum column_type type) { return &types[type]; }
