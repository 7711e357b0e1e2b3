/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "emit/csv/csv_cell.h"
#include "emit/spell/json_style.h"
#include "auxtrace/auxtrace.h"
#include "schema/schema.h"
#include "text/decimal.h"
#include "text/spelling.h"

void pd_csv_drop_joint(struct perfdata_text *out, size_t start)
{
	if (out->size == start || perfdata_text_failed(out))
		return;
	memmove(out->data + start, out->data + start + 1, out->size - start - 1);
	out->size--;
}

#define WORD_ROOM 40

/* A decimal number, or "0x…" */
static char *word_to(char *at, uint64_t value, enum value_kind kind)
{
	if (kind == IS_NUMBER)
		return pd_u64_to(at, value);
	memcpy(at, "0x", 2);
	return pd_hex_to(at + 2, value);
}

static void csv_word_cell(struct perfdata_text *out, uint64_t value)
{
	char *at = perfdata_text_reserve(out, WORD_ROOM);
	if (at)
		perfdata_text_commit(out, word_to(at, value, IS_WORD));
}

static void address_cell(struct perfdata_text *out, uint64_t value)
{
	const char *name = value >= PERFDATA_CONTEXT_MAX ? pd_callchain_marker_name(value) : NULL;
	if (name)
		perfdata_text_string(out, name);
	else
		csv_word_cell(out, value);
}

/* Names of the events of an Arm SPE packet. */
static void bits_cell(struct perfdata_text *out, uint64_t bits)
{
	unsigned nr_names;
	const char *const *names = pd_spe_event_names(&nr_names), *before = "";
	for (; bits; bits &= bits - 1, before = " ") {
		const unsigned bit = (unsigned)__builtin_ctzll(bits);
		const bool named = bit < nr_names && names[bit];
		perfdata_text_string(out, before);
		perfdata_text_string(out, named ? names[bit] : "bit");
		if (!named)
			perfdata_text_u64(out, bit);
	}
}

/* number of elements for which one call makes room */
#define GROUP 64

static void write_words(struct perfdata_text *out, const struct perfdata_list *list, enum value_kind kind)
{
	for (uint64_t i = 0; i < list->count;) {
		char *at = perfdata_text_reserve(out, (size_t)GROUP * WORD_ROOM);
		if (!at)
			return;
		const uint64_t end = list->count - i > GROUP ? i + GROUP : list->count;
		for (; i < end; i++) {
			const uint64_t value = perfdata_list_u64(list, i);
			if (i)
				*at++ = CSV_JOINT;
			const char *name = kind == IS_ADDRESS && value >= PERFDATA_CONTEXT_MAX
						   ? pd_callchain_marker_name(value)
						   : NULL;
			const size_t size = name ? strlen(name) : 0;
			if (!name || size >= WORD_ROOM) {
				at = word_to(at, value, kind);
				continue;
			}
			memcpy(at, name, size);
			at += size;
		}
		perfdata_text_commit(out, at);
	}
}

void pd_csv_value_cell(struct perfdata_text *out, const struct value *value)
{
	double number;
	switch (value->kind) {
	case IS_ABSENT: break;
	case IS_NUMBER: perfdata_text_u64(out, value->number); break;
	case IS_SIGNED: perfdata_text_s64(out, (int64_t)value->number); break;
	case IS_BOOLEAN: perfdata_text_string(out, value->number ? "true" : "false"); break;
	case IS_DOUBLE:
		memcpy(&number, &value->number, sizeof number);
		perfdata_text_double(out, number);
		break;
	case IS_WORD: csv_word_cell(out, value->number); break;
	case IS_ADDRESS: address_cell(out, value->number); break;
	case IS_BITS: bits_cell(out, value->number); break;
	case IS_TEXT: pd_text_csv_cell(out, value->text.data, value->text.size); break;
	case IS_BYTES: perfdata_text_bytes_hex(out, value->text.data, value->text.size); break;
	case IS_LIST: write_words(out, value->list, value->element); break;
	case IS_NAMES: case IS_MISC_NAMES: case IS_ELEMENTS: break;
	}
}

void pd_csv_add_name(void *out_text, const char *name)
{
	struct perfdata_text *out = out_text;
	perfdata_text_char(out, CSV_JOINT);
	perfdata_text_string(out, name);
}

/* Appends the name unquoted, since the quotes belong to the whole cell. */
static void add_element(void *user, const struct value *element)
{
	struct perfdata_text *out = user;
	perfdata_text_char(out, CSV_JOINT);
	if (element->kind == IS_TEXT)
		perfdata_text_append(out, element->text.data, element->text.size);
	else
		pd_csv_value_cell(out, element);
}

void pd_csv_cell(struct record *r, const struct select_step *step, struct perfdata_text *room)
{
	struct perfdata_text *out = record_out(r);
	const bool of_row = step->what == SELECT_ROW || step->what == SELECT_TRAILER;
	/* the column `fields` has raw data whose format is known */
	if (of_row && step->row.type == VALUE_RAW && r->scope.trace)
		return;
	const struct trace_row *field = step->what == SELECT_FIELD && r->scope.trace
						? pd_trace_plan_row(r->scope.trace, step->trace_name) : NULL;
	const struct value value = pd_cell_value(r, step, field, room);
	const size_t start = out->size;
	pd_csv_value_cell(out, &value);
	if (value.kind < IS_NAMES)
		return;
	pd_cell_elements(r, &value, add_element, out);
	pd_csv_drop_joint(out, start);
}
