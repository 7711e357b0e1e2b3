/* SPDX-License-Identifier: MIT */
/* The keys of the meta and summary objects, for schema and columns. */
#ifndef EMIT_META_KEYS_H
#define EMIT_META_KEYS_H

#include "emit/json/json_type.h"

struct meta_key {
	const char *name, *doc;
	enum json_type type;
	bool optional, nullable;
};
/* Both arrays end with name NULL. */
extern const struct meta_key pd_meta_keys[], pd_summary_keys[];

#endif
