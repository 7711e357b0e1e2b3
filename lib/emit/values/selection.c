/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "emit/values/selection.h"
#include "schema/schema.h"
#include "text/spelling.h"

/* --- resolving a name for a layout -------------------------------------------------------------------------------- */

struct resolved {
	enum select_what what;
	enum pd_record_head head;
	enum location_part part;
	const struct perfdata_field *field;
	uint32_t index;
	const struct perfdata_field *through[SELECT_DEPTH];
	uint32_t through_index[SELECT_DEPTH];
	unsigned depth;
	const char *trace_name;
};

/* Finds `flags_raw` and `filename_hex`, companions of `flags` and `filename`. */
static int resolve_companion(const struct perfdata_layout *layout, const char *name, size_t size,
			     enum select_what *ret_what)
{
	const char *suffix = size > 4 ? name + size - 4 : "";
	const int row = size > 4 ? pd_plan_field(layout, name, size - 4) : -1;
	if (row < 0)
		return -1;
	const struct perfdata_field *field = &layout->fields[row];
	if (!strcmp(suffix, "_raw") && (field->show == PERFDATA_SHOW_ENUM || field->show == PERFDATA_SHOW_FLAGS)) {
		*ret_what = SELECT_RAW_NUMBER;
		return row;
	}
	if (!strcmp(suffix, "_hex") && field->show == PERFDATA_SHOW_TEXT) {
		*ret_what = SELECT_EXACT_BYTES;
		return row;
	}
	return -1;
}

static bool resolve_rows(const struct perfdata_layout *layout, const char *name, struct resolved *ret)
{
	for (;;) {
		const char *dot = strchr(name, '.');
		const size_t size = dot ? (size_t)(dot - name) : strlen(name);
		int row = pd_plan_field(layout, name, size);
		ret->what = SELECT_ROW;
		if (row < 0 && !dot)
			row = resolve_companion(layout, name, size, &ret->what);
		if (row < 0)
			return false;
		const struct perfdata_field *field = &layout->fields[row];
		ret->field = field;
		ret->index = (uint32_t)row;
		if (!dot)
			return true;
		const bool enters = field->kind == PERFDATA_KIND_STRUCT || field->kind == PERFDATA_KIND_ATTR;
		if (!enters || ret->depth == SELECT_DEPTH)
			return false;
		ret->through[ret->depth] = field;
		ret->through_index[ret->depth++] = (uint32_t)row;
		layout = field->element ? field->element : perfdata_attr_layout();
		name = dot + 1;
	}
}

static bool has_raw_data(const struct perfdata_layout *layout)
{
	for (uint32_t i = 0; i < layout->nr_fields; i++)
		if (layout->fields[i].show == PERFDATA_SHOW_RAW)
			return true;
	return false;
}

static bool resolve_head(enum pd_record_head head, const char *name, struct resolved *ret)
{
	const struct head_info *info = pd_record_head_info(head);
	const size_t size = strlen(info->name);
	if (strncmp(info->name, name, size))
		return false;
	ret->head = head;
	ret->what = SELECT_HEAD;
	if (!name[size])
		return true;
	if (info->kind != HEAD_IS_LOCATION || name[size] != '.')
		return false;
	ret->what = SELECT_PLACE;
	ret->part = pd_location_part_named(name + size + 1);
	return ret->part < LOCATION_COUNT;
}

static bool resolve_name(const struct perfdata_layout *layout, const char *name, struct resolved *ret)
{
	memset(ret, 0, sizeof *ret);
	for (unsigned i = 0; i < HEAD_COUNT; i++) {
		if (record_head_of_samples(i) && (!layout || layout->id != PERFDATA_RECORD_SAMPLE))
			continue;
		if (resolve_head(i, name, ret))
			return true;
	}
	if (!strncmp(name, "sample_id.", 10) && resolve_rows(pd_trailer_layout(), name + 10, ret)) {
		ret->what = SELECT_TRAILER;
		return true;
	}
	if (!layout)
		return false;
	if (!strcmp(name, "fields") || !strncmp(name, "fields.", 7)) {
		if (!has_raw_data(layout))
			return false;
		ret->what = name[6] ? SELECT_FIELD : SELECT_FIELDS;
		ret->trace_name = name[6] ? name + 7 : NULL;
		return true;
	}
	if (resolve_rows(layout, name, ret))
		return true;
	/* "mmap2.addr" selects addr of MMAP2 records only */
	const char *record = pd_plan_record_name(layout);
	const size_t size = strlen(record);
	if (strncmp(name, record, size) || name[size] != '.')
		return false;
	memset(ret, 0, sizeof *ret);
	return resolve_rows(layout, name + size + 1, ret);
}

bool pd_selection_resolve(struct pd_arena *pool, const struct selection *selection,
			  const struct perfdata_layout *layout, struct select_step **ret)
{
	struct select_step *steps = pd_arena_calloc(pool, selection->nr + 1, sizeof *steps);
	if (!steps)
		return false;
	for (size_t i = 0; i < selection->nr; i++) {
		struct select_step *step = &steps[i];
		step->name = selection->names[i];
		struct resolved found;
		if (!resolve_name(layout, step->name, &found))
			continue;
		step->what = found.what;
		step->head = found.head;
		step->part = found.part;
		step->depth = found.depth;
		step->trace_name = found.trace_name;
		if (found.field &&
		    !pd_row_make(pool, found.field, found.index, step->name, found.depth > 0, &step->row))
			return false;
		if (found.field && found.what != SELECT_TRAILER)
			step->gate = UINT64_C(1) << (found.depth ? found.through_index[0] : found.index);
		for (unsigned k = 0; k < found.depth; k++) {
			struct row *row = pd_arena_calloc(pool, 1, sizeof *row);
			if (!row || !pd_row_make(pool, found.through[k], found.through_index[k], found.through[k]->name,
						 false, row))
				return false;
			step->through[k] = row;
		}
	}
	*ret = steps;
	return true;
}

const void *pd_selection_view(const struct record *r, const struct select_step *step)
{
	const void *view = step->what == SELECT_TRAILER ? (const void *)&r->view.sample_id : (const void *)&r->view.u;
	for (unsigned i = 0; i < step->depth; i++) {
		if (!(*(const uint64_t *)view >> step->through[i]->index & 1))
			return NULL;
		view = (const char *)view + step->through[i]->member;
	}
	return *(const uint64_t *)view >> step->row.index & 1 ? view : NULL;
}

/* --- the list ----------------------------------------------------------------------------------------------------- */

static bool known_somewhere(const char *name)
{
	struct resolved found;
	if (resolve_name(NULL, name, &found))
		return true;
	const struct perfdata_layout *layout;
	for (size_t i = 0; (layout = perfdata_record_layout_at(i)); i++)
		if (resolve_name(layout, name, &found))
			return true;
	return false;
}

bool pd_selection_is_of(const struct perfdata_layout *layout, const char *name)
{
	struct resolved found;
	return resolve_name(layout, name, &found);
}

/* The edit distance of two names, from their first 63 letters. */
static unsigned edit_distance(const char *a, const char *b)
{
	unsigned row[64];
	const size_t size = strlen(b) < 63 ? strlen(b) : 63;
	for (unsigned j = 0; j <= size; j++)
		row[j] = j;
	for (unsigned i = 0; a[i] && i < 63; i++) {
		unsigned corner = row[0];
		row[0] = i + 1;
		for (size_t j = 0; j < size; j++) {
			const unsigned above = row[j + 1], change = corner + (a[i] != b[j]);
			const unsigned shorter = (above < row[j] ? above : row[j]) + 1;
			row[j + 1] = change < shorter ? change : shorter;
			corner = above;
		}
	}
	return row[size];
}

static const char *nearest_name(const char *name)
{
	const char *best = "type";
	unsigned least = edit_distance(name, best);
	for (unsigned i = 0; i < HEAD_COUNT; i++) {
		const unsigned d = edit_distance(name, pd_record_head_info(i)->name);
		if (d < least) {
			least = d;
			best = pd_record_head_info(i)->name;
		}
	}
	const struct perfdata_layout *layout;
	for (size_t i = 0; (layout = perfdata_record_layout_at(i)); i++) {
		for (uint32_t k = 0; k < layout->nr_fields; k++) {
			if (layout->fields[k].kind == PERFDATA_KIND_PAD)
				continue;
			const unsigned d = edit_distance(name, layout->fields[k].name);
			if (d < least) {
				least = d;
				best = layout->fields[k].name;
			}
		}
	}
	return best;
}

static bool is_printable(const char *name, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if ((unsigned char)name[i] < 0x20 || name[i] == '"' || name[i] == '\\' || name[i] == 0x7f)
			return false;
	return size > 0 && pd_utf8_valid(name, size);
}

static enum perfdata_status refuse_name(struct perfdata_error *reterr, const char *name)
{
	if (reterr) {
		reterr->status = PERFDATA_EUSAGE;
		reterr->offset = PERFDATA_NO_OFFSET;
		snprintf(reterr->message, sizeof reterr->message,
			 "there is no field \"%.60s\"; the nearest is \"%s\" (perfdata fields)", name,
			 nearest_name(name));
	}
	return PERFDATA_EUSAGE;
}

enum perfdata_status pd_selection_parse(struct pd_arena *pool, const char *list, struct selection *ret,
					struct perfdata_error *reterr)
{
	size_t room = 1;
	for (const char *c = list; *c; c++)
		room += *c == ',';
	ret->names = pd_arena_calloc(pool, room, sizeof *ret->names);
	ret->nr = 0;
	if (!ret->names)
		return PERFDATA_ENOMEM;
	for (const char *at = list;;) {
		const char *comma = strchr(at, ',');
		const size_t size = comma ? (size_t)(comma - at) : strlen(at);
		char *name = pd_arena_calloc(pool, 1, size + 1);
		if (!name)
			return PERFDATA_ENOMEM;
		memcpy(name, at, size);
		if (!is_printable(name, size) || !known_somewhere(name))
			return refuse_name(reterr, is_printable(name, size) ? name : "");
		bool seen = false;
		for (size_t i = 0; i < ret->nr; i++)
			seen |= !strcmp(ret->names[i], name);
		if (!seen)
			ret->names[ret->nr++] = name;
		if (!comma)
			return PERFDATA_OK;
		at = comma + 1;
	}
}
