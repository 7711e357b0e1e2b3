/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "base/memory.h"
#include "emit/parquet/row_group.h"

/* parts with fewer rows and at most so many bytes are joined */
#define SMALL_PART 256u
#define SMALL_BLOCK 65536u
#define GATHERED 1024u         /* joined parts are finished from this many rows on */
#define ALIGNMENT 4096u        /* of parts in the file, so that the file system can free their blocks */

/* --- the file ----------------------------------------------------------------------------------------------------- */

static enum perfdata_status write_part(struct pd_spool *file, struct table_part *part)
{
	const uint64_t at = file->size;
	const enum perfdata_status status = pd_spool_append(file, part->block, part->size);
	if (status)
		return status;
	part->in_file = at;
	file->size = (file->size + ALIGNMENT - 1) & ~(uint64_t)(ALIGNMENT - 1);
	pd_table_part_drop_block(part);
	return PERFDATA_OK;
}

enum perfdata_status pd_part_file_read(const struct pd_spool *file, const struct table_part *part, size_t column,
				       struct packed_cells *ret, char **ret_block)
{
	*ret = part->columns[column];
	const size_t size = pd_packed_cells_size(ret);
	char *block = pd_malloc(size);
	if (!block)
		return PERFDATA_ENOMEM;
	const enum perfdata_status status = pd_spool_read(file, part->in_file + ret->at, block, size);
	if (status) {
		pd_free(block);
		return status;
	}
	ret->at = 0;
	*ret_block = block;
	return PERFDATA_OK;
}

void pd_part_file_forget(const struct pd_spool *file, const struct table_part *parts)
{
	for (; parts; parts = parts->next)
		if (!parts->block)
			pd_spool_forget(file, parts->in_file, parts->size);
}

/* --- groups ------------------------------------------------------------------------------------------------------- */

void pd_row_group_init(struct row_group *group, struct pd_account *account)
{
	*group = (struct row_group){ .account = account };
	group->last = &group->parts;
}

/* Charges the account after the joined rows grew or were freed. */
static void account_gathered(struct row_group *group)
{
	const size_t memory = group->gathered ? pd_open_rows_memory(group->gathered) : 0;
	pd_account_change(group->account, PD_USE_ROWS, group->of_gathered, memory);
	group->in_memory = group->in_memory - group->of_gathered + memory;
	group->of_gathered = memory;
}

static void drop_gathered(struct row_group *group)
{
	pd_open_rows_free(group->gathered);
	group->gathered = NULL;
	account_gathered(group);
}

void pd_row_group_release(struct row_group *group)
{
	pd_table_part_free(group->parts);
	drop_gathered(group);
}

static void append_part(struct row_group *group, struct table_part *part)
{
	*group->last = part;
	group->last = &part->next;
	group->nr_parts++;
	group->in_memory += part->size;
}

enum perfdata_status pd_row_group_finish(struct row_group *group, unsigned table)
{
	if (!group->gathered || !group->gathered->rows)
		return PERFDATA_OK;
	struct table_part *part = pd_open_rows_pack(group->gathered, table, group->account);
	if (!part)
		return PERFDATA_ENOMEM;
	append_part(group, part);
	return PERFDATA_OK;
}

static enum perfdata_status gather_part(struct row_group *group, const struct table *table,
					const struct table_part *part)
{
	if (!group->gathered)
		group->gathered = pd_open_rows_new(table);
	if (!group->gathered || !pd_open_rows_append(group->gathered, part))
		return PERFDATA_ENOMEM;
	account_gathered(group);
	return group->gathered->rows >= GATHERED ? pd_row_group_finish(group, part->table) : PERFDATA_OK;
}

enum perfdata_status pd_row_group_add(struct row_group *group, const struct table *table, struct table_part *part)
{
	group->rows += part->rows;
	group->bulk += part->bulk;
	if (part->rows < SMALL_PART && part->size <= SMALL_BLOCK) {
		const enum perfdata_status status = gather_part(group, table, part);
		pd_table_part_free(part);
		return status;
	}
	const enum perfdata_status status = pd_row_group_finish(group, part->table);
	if (status)
		pd_table_part_free(part);
	else
		append_part(group, part);
	return status;
}

enum perfdata_status pd_row_group_spill(struct row_group *group, unsigned table, struct pd_spool *file)
{
	enum perfdata_status status = pd_row_group_finish(group, table);
	for (struct table_part *part = group->parts; part && !status; part = part->next) {
		if (!part->block)
			continue;
		status = write_part(file, part);
		group->in_memory -= status ? 0 : part->size;
	}
	drop_gathered(group);
	return status;
}

struct table_part *pd_row_group_take(struct row_group *group)
{
	struct table_part *parts = group->parts;
	drop_gathered(group);
	pd_row_group_init(group, group->account);
	return parts;
}
