/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <string.h>
#include "base/memory.h"
#include "emit/arrow/arrow_export.h"

/* Memory of a schema, freed by its release. */
struct owned {
	struct ArrowSchema *children, **pointers;
	char name[];
};

static void release_schema(struct ArrowSchema *schema)
{
	struct owned *owned = schema->private_data;
	for (int64_t i = 0; i < schema->n_children; i++)
		if (schema->children[i]->release)
			schema->children[i]->release(schema->children[i]);
	pd_free(owned->children);
	pd_free(owned->pointers);
	pd_free(owned);
	schema->release = NULL;
}

/* Makes a schema with empty children, which the caller fills. Releasing the schema releases the children. */
static bool make_schema(struct ArrowSchema *ret, const char *format, const char *name, bool nullable,
			size_t nr_children)
{
	struct owned *owned = pd_calloc(1, sizeof *owned + strlen(name) + 1);
	memset(ret, 0, sizeof *ret);
	if (!owned)
		return false;
	strcpy(owned->name, name);
	*ret = (struct ArrowSchema){
		.format = format,
		.name = owned->name,
		.flags = nullable ? ARROW_FLAG_NULLABLE : 0,
		.release = release_schema,
		.private_data = owned,
	};
	if (!nr_children)
		return true;
	owned->children = pd_calloc(nr_children, sizeof *owned->children);
	owned->pointers = pd_calloc(nr_children, sizeof *owned->pointers);
	if (!owned->children || !owned->pointers) {
		release_schema(ret);
		return false;
	}
	for (size_t i = 0; i < nr_children; i++)
		owned->pointers[i] = &owned->children[i];
	ret->children = owned->pointers;
	ret->n_children = (int64_t)nr_children;
	return true;
}

static bool make_column(struct ArrowSchema *ret, const struct table_column *column)
{
	const struct column_type_info *type = pd_column_type_info(column->type);
	if (!type->list)
		return make_schema(ret, type->arrow, column->name, !column->required, 0);
	if (!make_schema(ret, "+l", column->name, !column->required, 1))
		return false;
	if (make_schema(ret->children[0], type->arrow, "item", false, 0))
		return true;
	release_schema(ret);
	return false;
}

bool pd_arrow_schema(const struct table *table, struct ArrowSchema *ret)
{
	if (!make_schema(ret, "+s", "", false, table->nr_columns))
		return false;
	for (size_t i = 0; i < table->nr_columns; i++) {
		if (!make_column(ret->children[i], &table->columns[i])) {
			release_schema(ret);
			return false;
		}
	}
	return true;
}
