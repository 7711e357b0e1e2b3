/* SPDX-License-Identifier: MIT */
/* `parquet`: all tables of a recording, one Parquet file for each, in one pass.
 *
 * format makes parts of the tables; merge joins them to row groups, and passes the columns of a full group to encode,
 * which makes pages in any thread; placed receives their offsets; end writes the remaining groups and the footers. A
 * group ends at the end of a batch, by counts of rows and bytes alone. So neither the number of threads nor the limit
 * of memory affects the output; rows beyond this limit wait in a temporary file. */
#include "config.h"
#include <stdatomic.h>
#include <string.h>
#include "base/cursor.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/sha256.h"
#include "base/threads.h"
#include "emit/emitters.h"
#include "emit/parquet/parquet_footer.h"
#include "emit/parquet/row_group.h"
#include "emit/table/table_set.h"
#include "run/run.h"
#include "text/spelling.h"

#define GROUP_ROWS 524288u
#define GROUP_BYTES (32u << 20)
/* Memory for encoding that no thread uses at the moment, so that the end of the run finds what earlier row groups made
 * large. */
struct pooled_scratch {
	struct pooled_scratch *next;
	struct column_scratch scratch;
};
struct scratch_pool {
	struct pd_monitor *lock;
	struct pooled_scratch *unused;
};
/* A table's file. */
struct file {
	unsigned output;
	struct row_group open;         /* the row group that still grows */
	struct parquet_group *groups;
	size_t nr_groups, room_groups;
	bool begun;                   /* the file's magic was written */
};

struct parquet_state {
	struct table_set set;
	struct perfdata_outputs *outputs;
	struct perfdata_error *reterr;
	perfdata_finding_fn *on_finding;
	void *user;
	unsigned jobs;
	enum pd_codec_kind packing;
	bool drop_empty;
	struct file *files[MOST_TABLES];   /* begin and scan make the array; merge owns the contents of files */
	uint64_t *rows;               /* number of rows in all tables: merge's */
	unsigned nr_known;            /* merge's: number of tables in the batches so far */
	struct pd_spool parts;        /* merge's; temporary file for waiting rows of all tables */
	struct scratch_pool *pool;    /* of all threads */
};

static const struct perfdata_emitter_option options[] = {
	TABLE_OPTIONS,
	{ "drop-empty", PERFDATA_OPTION_FLAG, 0, NULL,
	  "leave out columns without any value; files of several recordings may then have different columns" },
	{ "pages", PERFDATA_OPTION_CHOICE, 0, "zstd|gzip|plain", "compression of pages; default zstd" },
	{ 0 },
};

static void file_free(struct file *file)
{
	if (!file)
		return;
	pd_row_group_release(&file->open);
	for (size_t i = 0; i < file->nr_groups; i++)
		pd_free(file->groups[i].columns);
	pd_free(file->groups);
	pd_free(file);
}

static void pool_free(struct scratch_pool *pool)
{
	struct pooled_scratch *item;
	while (pool && (item = pool->unused)) {
		pool->unused = item->next;
		pd_column_scratch_release(&item->scratch);
		pd_free(item);
	}
	if (pool)
		pd_monitor_free(pool->lock);
	pd_free(pool);
}

static struct scratch_pool *pool_new(void)
{
	struct scratch_pool *pool = pd_calloc(1, sizeof *pool);
	if (pool && (pool->lock = pd_monitor_new()))
		return pool;
	pd_free(pool);
	return NULL;
}

/* NULL without memory. */
static struct pooled_scratch *take_scratch(struct scratch_pool *pool)
{
	pd_monitor_enter(pool->lock);
	struct pooled_scratch *item = pool->unused;
	if (item)
		pool->unused = item->next;
	pd_monitor_leave(pool->lock);
	return item ? item : pd_calloc(1, sizeof *item);
}

static void return_scratch(struct scratch_pool *pool, struct pooled_scratch *item)
{
	pd_monitor_enter(pool->lock);
	item->next = pool->unused;
	pool->unused = item;
	pd_monitor_leave(pool->lock);
}

static void release_state(void *pointer)
{
	struct parquet_state *state = pointer;
	if (!state)
		return;
	for (unsigned i = 0; i < state->set.nr_tables; i++)
		file_free(state->files[i]);
	pd_spool_release(&state->parts);
	pd_table_set_release(&state->set);
	pool_free(state->pool);
	pd_free(state);
}

/* --- outputs ------------------------------------------------------------------------------------------------------ */

/* The folder name of a table. Names of events contain colons and slashes, and may exceed the limit of file systems;
 * then a digest makes the shortened name unique. */
static enum perfdata_status folder_name(const char *table, char **ret)
{
	enum { LONGEST = 200, KEPT = 180 };
	const size_t size = strlen(table);
	uint8_t digest[PD_SHA256_SIZE];
	*ret = pd_malloc((size < LONGEST ? size : LONGEST) + 1);
	if (!*ret)
		return PERFDATA_ENOMEM;
	if (size < LONGEST) {
		memcpy(*ret, table, size + 1);
	} else {
		pd_sha256(table, size, digest);
		memcpy(*ret, table, KEPT);
		(*ret)[KEPT] = '-';
		*pd_hex_width_to(*ret + KEPT + 1, pd_load64(digest, true), 16) = '\0';
	}
	for (char *at = *ret; *at; at++)
		if (*at == ':' || *at == '/' || (unsigned char)*at < ' ')
			*at = '.';
	return PERFDATA_OK;
}

/* Opens the file of the next table. */
static enum perfdata_status open_file(void *user, const struct table *table)
{
	struct parquet_state *state = user;
	struct file *file = pd_calloc(1, sizeof *file);
	char *name;
	unsigned number = 0;
	while (state->set.tables[number] != table)
		number++;
	if (!file || folder_name(table->name, &name) != PERFDATA_OK) {
		pd_free(file);
		return PERFDATA_ENOMEM;
	}
	pd_row_group_init(&file->open, state->set.account);
	const enum perfdata_status status = pd_outputs_open(state->outputs, name, &file->output, state->reterr);
	pd_free(name);
	if (status)
		pd_free(file);
	else
		state->files[number] = file;
	return status;
}

/* gzip takes the place of zstd, and plain pages that of gzip, where the codec is missing. */
static enum perfdata_status choose_packing(const struct perfdata_emit_context *context, enum pd_codec_kind *ret)
{
	const char *asked = perfdata_option_text(context->options, context->nr_options, "pages");
	struct pd_codec_reason reason;

	*ret = asked && !strcmp(asked, "plain")  ? PD_CODEC_NONE
	       : asked && !strcmp(asked, "gzip") ? PD_CODEC_GZIP
						 : PD_CODEC_ZSTD;
	enum perfdata_status status = pd_codec_load(*ret, &reason);
	if (status == PERFDATA_EUNSUP && *ret == PD_CODEC_ZSTD) {
		*ret = PD_CODEC_GZIP;
		status = pd_codec_load(*ret, &reason);
	}
	if (status == PERFDATA_EUNSUP) {
		*ret = PD_CODEC_NONE;
		status = PERFDATA_OK;
	}
	return status ? pd_error(context->reterr, status, PERFDATA_NO_OFFSET, "pages cannot be compressed: %s",
				 reason.text)
		      : status;
}

static bool has_column(const struct table *table, const char *name, size_t size)
{
	for (size_t i = 0; i < table->nr_columns; i++)
		if (strlen(table->columns[i].name) == size && !memcmp(table->columns[i].name, name, size))
			return true;
	return false;
}

/* Refuses a column that no table has: its name is misspelled. A table may lack it. Not for streams, whose later formats
 * add tables. */
static enum perfdata_status check_columns(const struct parquet_state *state,
					  const struct perfdata_emit_context *context)
{
	const char *name = perfdata_option_text(context->options, context->nr_options, "columns");
	if (perfdata_reader_header(context->reader)->container == PERFDATA_CONTAINER_PIPE)
		return PERFDATA_OK;
	for (size_t size; name && *name; name += size + (name[size] == ',')) {
		bool found = false;
		size = strcspn(name, ",");
		for (unsigned i = 0; i < state->set.nr_tables && !found; i++)
			found = has_column(state->set.tables[i], name, size);
		if (!found)
			return pd_error(context->reterr, PERFDATA_EUSAGE, PERFDATA_NO_OFFSET,
					"no table has a column \"%.*s\" (perfdata schema --columns --table NAME)",
					(int)(size < 60 ? size : 60), name);
	}
	return PERFDATA_OK;
}

static enum perfdata_status configure_session(void *user, struct perfdata_configuration *configuration)
{
	(void)user;
	configuration->needs = pd_table_set_needs(configuration->options, configuration->nr_options);
	configuration->trace_samples = pd_table_set_trace_samples(configuration->options, configuration->nr_options);
	configuration->spans = pd_table_set_spans(configuration->options, configuration->nr_options);
	if (configuration->trace_samples)
		configuration->order = PERFDATA_ORDER_TIME;
	return PERFDATA_OK;
}

static enum perfdata_status scan_batch(void *pointer, const struct perfdata_batch *batch, void **ret_value)
{
	struct parquet_state *state = pointer;
	struct table_value *value = NULL;
	const enum perfdata_status status = pd_table_set_scan(&state->set, batch, &value, open_file, state);
	*ret_value = value;
	return status;
}

/* --- parts -------------------------------------------------------------------------------------------------------- */

/* format's part of a batch. */
struct parquet_part {
	struct table_part *parts;
	unsigned nr_tables;
	struct found_batch *found;
};

static void free_part(void *pointer)
{
	struct parquet_part *part = pointer;
	if (!part)
		return;
	pd_table_part_free(part->parts);
	pd_found_report(part->found, NULL, NULL);
	pd_free(part);
}

static enum perfdata_status format_batch(const void *pointer, const struct perfdata_batch *batch, void *value,
					 struct perfdata_scratch *scratch, struct perfdata_text *out, void **ret_part)
{
	const struct parquet_state *state = pointer;
	struct parquet_part *part = pd_calloc(1, sizeof *part);
	struct table_scratch *own = scratch->cache;
	(void)out;
	if (!part)
		return PERFDATA_ENOMEM;
	part->nr_tables = ((const struct table_value *)value)->nr_tables;
	const enum perfdata_status status = pd_table_set_rows(&state->set, batch, value, &own, &scratch->text,
							      &part->parts, &part->found);
	scratch->cache = own;
	scratch->free_cache = pd_table_scratch_free;
	*ret_part = part;
	return status;
}

/* --- columns of groups -------------------------------------------------------------------------------------------- */

/* A row group that encode works on: freed with its last column. */
struct closed_group {
	const struct pd_spool *file; /* temporary file of its parts */
	struct table_part *parts;
	size_t nr_parts;
	atomic_size_t nr_left;
};
/* One column of a group, encoded by one thread. */
struct column_work {
	struct closed_group *group;
	struct file *file;
	size_t number_of_group;
	unsigned table, column;
	struct column_facts facts;
};

static void leave_group(struct column_work *work)
{
	struct closed_group *group = work->group;
	work->group = NULL;
	if (!group || atomic_fetch_sub(&group->nr_left, 1) != 1)
		return;
	pd_part_file_forget(group->file, group->parts);
	pd_table_part_free(group->parts);
	pd_free(group);
}

static void free_work(void *pointer)
{
	struct column_work *work = pointer;
	if (work)
		leave_group(work);
	pd_free(work);
}

/* Returns the column's cells in each part. `read`: blocks that were read from the file, which the caller frees. */
static enum perfdata_status cells_of(const struct closed_group *group, unsigned column, struct column_part *parts,
				     char **read)
{
	enum perfdata_status status = PERFDATA_OK;
	for (const struct table_part *part = group->parts; part && !status; part = part->next, parts++, read++) {
		*parts = (struct column_part){ part->columns[column], part->block, part->rows };
		if (part->block)
			continue;
		status = pd_part_file_read(group->file, part, column, &parts->cells, read);
		parts->block = *read;
	}
	return status;
}

static enum perfdata_status encode_column(const struct parquet_state *state, struct column_work *work,
					  struct column_scratch *scratch, struct perfdata_text *out)
{
	const struct table_column *column = &state->set.tables[work->table]->columns[work->column];
	const struct column_how how = { .type = column->type, .required = column->required, .rising = column->rising,
				       .sequences = column->sequences, .packing = state->packing };
	const size_t nr = work->group->nr_parts;
	struct column_part *parts = pd_calloc(nr, sizeof *parts);
	char **read = pd_calloc(nr, sizeof *read);
	enum perfdata_status status = parts && read ? cells_of(work->group, work->column, parts, read)
						    : PERFDATA_ENOMEM;
	if (!status)
		status = pd_column_encode(&how, parts, nr, scratch, out, &work->facts);
	for (size_t i = 0; read && i < nr; i++)
		pd_free(read[i]);
	pd_free(read);
	pd_free(parts);
	return status;
}

static enum perfdata_status encode_row_group(const void *pointer, void *work, struct perfdata_scratch *scratch,
					     struct perfdata_text *out)
{
	const struct parquet_state *state = pointer;
	struct pooled_scratch *item = take_scratch(state->pool);
	(void)scratch;
	if (!item)
		return PERFDATA_ENOMEM;
	const enum perfdata_status status = encode_column(state, work, &item->scratch, out);
	return_scratch(state->pool, item);
	return status;
}

static void keep_facts(struct column_work *work, uint64_t offset)
{
	struct column_facts *facts = &work->file->groups[work->number_of_group].columns[work->column];
	*facts = work->facts;
	facts->offset = offset;
}

static enum perfdata_status note_placed(void *pointer, void *work, unsigned output, uint64_t offset, uint64_t size)
{
	(void)pointer;
	(void)output;
	(void)size;
	keep_facts(work, offset);
	return PERFDATA_OK;
}

/* Text for the next bytes of a file; NULL without memory. */
static struct perfdata_text *text_of(struct file *file, struct perfdata_text *out)
{
	struct perfdata_text *text = pd_emit_text(out, file->output);
	if (text && !file->begun)
		perfdata_text_literal(text, PARQUET_MAGIC);
	file->begun |= text != NULL;
	return text;
}

/* Closes the growing group of a table. *ret: one work for each of its columns. */
static enum perfdata_status close_group(struct parquet_state *state, unsigned table, struct column_work ***ret)
{
	struct file *file = state->files[table];
	const size_t nr = state->set.tables[table]->nr_columns;
	struct column_work **works = pd_calloc(nr, sizeof *works);
	struct closed_group *group = pd_calloc(1, sizeof *group);
	const enum perfdata_status status = pd_row_group_finish(&file->open, table);
	struct column_facts *facts = pd_calloc(nr, sizeof *facts);
	bool ok = !status && works && group && facts &&
		  !pd_vector_grow(&file->groups, &file->room_groups, file->nr_groups, sizeof *file->groups);
	for (size_t i = 0; i < nr && ok; i++) {
		works[i] = pd_calloc(1, sizeof **works);
		if (works[i])
			*works[i] = (struct column_work){ group, file, file->nr_groups, table, (unsigned)i, { 0 } };
		ok = works[i];
	}
	if (!ok) {
		for (size_t i = 0; works && i < nr; i++)
			pd_free(works[i]);
		pd_free(works);
		pd_free(group);
		pd_free(facts);
		return PERFDATA_ENOMEM;
	}
	file->groups[file->nr_groups++] = (struct parquet_group){ file->open.rows, facts };
	group->file = &state->parts;
	group->nr_parts = file->open.nr_parts;
	group->parts = pd_row_group_take(&file->open);
	atomic_init(&group->nr_left, nr);
	*ret = works;
	return PERFDATA_OK;
}

static enum perfdata_status hand_over(struct parquet_state *state, unsigned table, struct perfdata_text *out)
{
	struct column_work **works;
	enum perfdata_status status = close_group(state, table, &works);
	if (status)
		return status;
	struct perfdata_text *text = text_of(state->files[table], out);
	for (size_t i = 0; i < state->set.tables[table]->nr_columns; i++) {
		if (text && !status)
			status = pd_emit_encode(text, works[i]);
		else
			free_work(works[i]);
	}
	pd_free(works);
	return text ? status : PERFDATA_ENOMEM;
}

/* Limits the memory of waiting rows to an eighth of the account's limit, less if the account is nearly full: moves the
 * largest groups to the file. */
static enum perfdata_status keep_to_limit(struct parquet_state *state)
{
	const struct pd_account *account = state->set.account;
	enum perfdata_status status = PERFDATA_OK;
	while (account && !status) {
		size_t all = 0;
		unsigned most = 0;
		for (unsigned i = 0; i < state->nr_known; i++) {
			all += state->files[i]->open.in_memory;
			if (state->files[i]->open.in_memory > state->files[most]->open.in_memory)
				most = i;
		}
		if (!all || (all <= account->limit / 8 && !pd_account_is_tight(account)))
			break;
		status = pd_row_group_spill(&state->files[most]->open, most, &state->parts);
	}
	return status;
}

static enum perfdata_status merge_part(void *pointer, void *merged, struct perfdata_text *out)
{
	struct parquet_state *state = pointer;
	struct parquet_part *part = merged;
	enum perfdata_status status = PERFDATA_OK;
	state->nr_known = part->nr_tables;
	for (struct table_part *rows; !status && (rows = part->parts);) {
		const unsigned table = rows->table;
		struct row_group *open = &state->files[table]->open;
		part->parts = rows->next;
		rows->next = NULL;
		*state->rows += rows->rows;
		status = pd_row_group_add(open, state->set.tables[table], rows);
		if (!status && (open->rows >= GROUP_ROWS || open->bulk >= GROUP_BYTES))
			status = hand_over(state, table, out);
	}
	if (!status)
		status = keep_to_limit(state);
	pd_found_report(part->found, state->on_finding, state->user);
	part->found = NULL;
	free_part(part);
	return status;
}

/* --- the end ------------------------------------------------------------------------------------------------------ */

/* At the end all threads encode so many columns at once, or fewer, of rows with about GROUP_BYTES. */
#define LAST_COLUMNS 2048u

struct last_column {
	struct column_work *work;
	struct perfdata_text text;
	enum perfdata_status status;
};
struct last_columns {
	struct parquet_state *state;
	const struct perfdata_emit_end *end; /* not NULL: one thread also makes the rows that describe the recording */
	enum perfdata_status summary;
	struct last_column list[LAST_COLUMNS];
	size_t nr;
	uint64_t bulk;                       /* bytes of their rows */
	atomic_size_t next;                  /* the next column that a thread takes */
	unsigned threads;
	struct perfdata_text *out;
};

/* Adds the rows that describe the whole recording. */
static enum perfdata_status add_summary(struct parquet_state *state, const struct perfdata_emit_end *end)
{
	enum perfdata_status status = PERFDATA_OK;
	for (unsigned i = 0; i < state->set.nr_tables && !status; i++) {
		struct table_part *part;
		status = pd_table_set_end(&state->set, i, end, &part);
		if (status || !part)
			continue;
		*state->rows += part->rows;
		status = pd_row_group_add(&state->files[i]->open, state->set.tables[i], part);
	}
	return status;
}

static void encode_last(void *user, size_t index)
{
	struct last_columns *columns = user;
	if (columns->end && index == 0)
		columns->summary = add_summary(columns->state, columns->end);
	struct pooled_scratch *item = take_scratch(columns->state->pool);
	for (size_t i; (i = atomic_fetch_add_explicit(&columns->next, 1, memory_order_relaxed)) < columns->nr;) {
		struct last_column *column = &columns->list[i];
		column->status = item ? encode_column(columns->state, column->work, &item->scratch, &column->text)
				      : PERFDATA_ENOMEM;
		leave_group(column->work);
	}
	if (item)
		return_scratch(columns->state->pool, item);
}

/* Encodes and writes the gathered columns. */
static enum perfdata_status write_last(struct last_columns *columns, enum perfdata_status status)
{
	atomic_store_explicit(&columns->next, 0, memory_order_relaxed);
	if (!status && (columns->nr || columns->end))
		status = perfdata_parallel(columns->threads, columns->threads, encode_last, columns);
	columns->end = NULL;
	if (!status)
		status = columns->summary;
	for (size_t i = 0; i < columns->nr; i++) {
		struct last_column *column = &columns->list[i];
		struct perfdata_text *text = status ? NULL : text_of(column->work->file, columns->out);
		if (!status)
			status = text ? column->status : PERFDATA_ENOMEM;
		if (!status) {
			keep_facts(column->work, pd_emit_offset(text));
			perfdata_text_append(text, column->text.data, column->text.size);
			perfdata_text_cut(text);
		}
		perfdata_text_release(&column->text);
		free_work(column->work);
	}
	columns->nr = 0;
	columns->bulk = 0;
	return status;
}

static enum perfdata_status add_last(struct parquet_state *state, unsigned table, struct last_columns *columns)
{
	struct column_work **works;
	columns->bulk += state->files[table]->open.bulk;
	enum perfdata_status status = close_group(state, table, &works);
	if (status)
		return status;
	for (size_t i = 0; i < state->set.tables[table]->nr_columns; i++) {
		columns->list[columns->nr++] = (struct last_column){ .work = works[i] };
		if (columns->nr == LAST_COLUMNS)
			status = write_last(columns, status);
	}
	pd_free(works);
	return columns->bulk >= GROUP_BYTES ? write_last(columns, status) : status;
}

/* Encodes and writes all rows that wait. */
static enum perfdata_status write_waiting(struct parquet_state *state, struct last_columns *columns)
{
	enum perfdata_status status = PERFDATA_OK;
	for (unsigned i = 0; i < state->set.nr_tables && !status; i++)
		if (state->files[i]->open.rows)
			status = add_last(state, i, columns);
	return write_last(columns, status);
}

static enum perfdata_status write_all_last(struct parquet_state *state, const struct perfdata_emit_end *end,
					   struct perfdata_text *out)
{
	struct last_columns *columns = pd_calloc(1, sizeof *columns);
	if (!columns)
		return PERFDATA_ENOMEM;
	columns->state = state;
	columns->threads = state->jobs ? state->jobs : 1;
	columns->out = out;
	columns->end = end;
	/* the first time adds the rows that describe the recording, which then wait */
	enum perfdata_status status = write_waiting(state, columns);
	if (!status)
		status = write_waiting(state, columns);
	pd_free(columns);
	return status;
}

/* Drops columns without any value from the footer. Their pages remain: a few bytes that nobody reads. */
static void drop_empty(struct table *table, struct file *file)
{
	size_t kept = 0;
	for (size_t i = 0; i < table->nr_columns; i++) {
		uint64_t values = 0;
		for (size_t k = 0; k < file->nr_groups; k++)
			values += file->groups[k].columns[i].values - file->groups[k].columns[i].nulls;
		if (!values && !table->columns[i].required)
			continue;
		for (size_t k = 0; k < file->nr_groups; k++)
			file->groups[k].columns[kept] = file->groups[k].columns[i];
		table->columns[kept++] = table->columns[i];
	}
	table->nr_columns = kept;
}

static enum perfdata_status write_footer(struct parquet_state *state, unsigned number, bool complete,
					 struct perfdata_text *out)
{
	struct file *file = state->files[number];
	const struct parquet_note notes[] = {
		{ "perfdata.schema", TABLE_SCHEMA },
		{ "perfdata.table", state->set.tables[number]->name },
		{ "perfdata.recording", state->set.recording },
		{ "perfdata.complete", complete ? "true" : "false" },
	};
	struct perfdata_text *text = text_of(file, out);
	if (!text)
		return PERFDATA_ENOMEM;
	if (state->drop_empty)
		drop_empty(state->set.tables[number], file);
	const struct parquet_file whole = { state->set.tables[number], file->groups, file->nr_groups, notes,
					    sizeof notes / sizeof *notes };
	pd_parquet_footer(text, &whole);
	return PERFDATA_OK;
}

static enum perfdata_status end_output(void *pointer, const struct perfdata_emit_end *end, struct perfdata_text *out)
{
	struct parquet_state *state = pointer;
	enum perfdata_status status = write_all_last(state, end, out);
	for (unsigned i = 0; i < state->set.nr_tables && !status; i++)
		status = write_footer(state, i, end->complete, out);
	return status;
}

/* --- the emitter -------------------------------------------------------------------------------------------------- */

static const struct pd_encoding encoding = { .encode = encode_row_group,
					     .placed = note_placed,
					     .free_work = free_work };

static enum perfdata_status begin_output(const struct perfdata_emit_context *context, void **ret_state,
					 struct perfdata_text *out)
{
	struct parquet_state *state = pd_calloc(1, sizeof *state);
	if (!state)
		return PERFDATA_ENOMEM;
	state->outputs = context->outputs;
	state->on_finding = context->on_finding;
	state->user = context->user;
	state->jobs = context->jobs;
	state->rows = context->rows;
	state->drop_empty = perfdata_option_flag(context->options, context->nr_options, "drop-empty", false);
	state->reterr = context->reterr;
	pd_outputs_encode_by(context->outputs, &encoding);
	pd_spool_init(&state->parts, NULL);
	enum perfdata_status status = choose_packing(context, &state->packing);
	state->pool = pool_new();
	if (!status && !state->pool)
		status = PERFDATA_ENOMEM;
	if (!status)
		status = pd_table_set_init(&state->set, context);
	if (!status)
		status = check_columns(state, context);
	state->parts.directory = state->set.account ? state->set.account->tmpdir : NULL;
	for (unsigned i = 0; i < state->set.nr_tables && !status; i++)
		status = open_file(state, state->set.tables[i]);
	state->nr_known = state->set.nr_tables;
	state->reterr = NULL;
	(void)out;
	if (status)
		release_state(state);
	else
		*ret_state = state;
	return status;
}

const struct perfdata_emitter pd_emitter_parquet = {
	.name = "parquet",
	.help = "all tables for databases: a folder for each table, with a file for each recording",
	.needs = PERFDATA_NEED_RECORDS,
	.mime = "application/vnd.apache.parquet",
	.flags = PERFDATA_EMITTER_SYMBOLS | PERFDATA_EMITTER_ONE_DOCUMENT | PERFDATA_EMITTER_CHECKS |
		 PERFDATA_EMITTER_MEMORY | PERFDATA_EMITTER_ONLY_NAMED | PERFDATA_EMITTER_PACKED |
		 PERFDATA_EMITTER_FOLDERS | PERFDATA_EMITTER_ROWS,
	PD_EMITTER_OF(options),
	.configure = configure_session,
	.begin = begin_output,
	PD_EMITTER_STEPS,
	.free_value = pd_table_value_free,
};
