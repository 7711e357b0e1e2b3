/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <stdlib.h>
#include "emit/spell/json_style.h"
#include "emit/spell/line.h"
#include "text/lines.h"
#include "schema/schema.h"
#include "reader/reader.h"

struct line_call {
	line_spell_fn *spell;
	const void *what;
};

/* Records with an equal key share a line. */
struct line_key {
	const struct record_plan *plan;
	const struct perfdata_event *event;
	uint64_t present;
	uint16_t misc;
	uint16_t traits;
};
enum { ORDINARY = 1, SOUND = 2, FIELDS = 4, DELIVERED = 8, NOT_DECODED = 16 };

struct line {
	struct line_key key;
	bool of_view;                      /* a part needs the decoded view */
	struct perfdata_line line;         /* has a STOP for each of `others` and one at the end */
	struct perfdata_text others;       /* struct line_call */
};

/* Limit of a thread's lines: a file may have any number of kinds of records. At the limit the thread drops all
 * lines. */
#define SLOTS 512u
#define MAX_LINES (SLOTS / 2)
struct line_table {
	unsigned nr;
	struct line *slots[SLOTS];
};

static void free_line(struct line *line)
{
	pd_line_release(&line->line);
	perfdata_text_release(&line->others);
	free(line);
}

static void free_lines(struct line_table *table)
{
	for (unsigned i = 0; i < SLOTS; i++) {
		if (table->slots[i])
			free_line(table->slots[i]);
		table->slots[i] = NULL;
	}
	table->nr = 0;
}

static void table_free(struct line_table *table)
{
	free_lines(table);
	free(table);
}

/* --- making ------------------------------------------------------------------------------------------------------- */

void pd_line_number(struct line_maker *maker, enum perfdata_part_form form, enum line_base base, uint32_t offset)
{
	pd_line_part(&maker->line->line,
			   (struct perfdata_part){ .form = (uint8_t)form, .base = (uint8_t)base, .offset = offset });
}

static uint32_t nr_others(const struct line *line)
{
	return (uint32_t)(line->others.size / sizeof(struct line_call));
}

/* Adds a STOP for a function: its offset is the index in `others`. The final STOP has the number of functions. */
static void stop_line(struct line *line)
{
	pd_line_part(&line->line,
			   (struct perfdata_part){ .form = PERFDATA_PART_STOP, .offset = nr_others(line) });
}

void pd_line_member(struct line_maker *maker, enum perfdata_part_form form, uint32_t member)
{
	if (!maker->words) {
		pd_line_number(maker, form, LINE_BODY, member);
		return;
	}
	const struct perfdata_config_step *step = maker->words->sample_steps,
					  *end = step + maker->words->nr_sample_steps;
	while (step < end && step->member != member)
		step++;
	if (step == end)
		maker->of_view = true;
	else
		pd_line_number(maker, form, LINE_BODY, RECORD_HEADER + step->at);
}

enum perfdata_part_form pd_line_form(const struct row *row)
{
	switch (row->type) {
	case VALUE_U64: return PERFDATA_PART_U64;
	case VALUE_U32: return PERFDATA_PART_U32;
	case VALUE_S32: return PERFDATA_PART_S32;
	case VALUE_HEX64: return PERFDATA_PART_X64;
	default: return PERFDATA_PART_STOP;
	}
}

void pd_line_other(struct line_maker *maker, line_spell_fn *spell, const void *what)
{
	const struct line_call other = { spell, what };
	stop_line(maker->line);
	perfdata_text_append(&maker->line->others, &other, sizeof other);
}

void pd_line_other_of_view(struct line_maker *maker, line_spell_fn *spell, const void *what)
{
	maker->of_view = true;
	pd_line_other(maker, spell, what);
}

void pd_line_head(struct line_maker *maker, const struct record *r, enum pd_record_head head, line_spell_fn *spell,
		  const void *what)
{
	switch (head) {
	case HEAD_TYPE_RAW:
		if (!r->plan->plan)
			pd_line_other(maker, spell, what);
		return;
	case HEAD_INNER: case HEAD_FILE: case HEAD_EVENT_UNKNOWN: case HEAD_LATE: case HEAD_AFTER_GAP:
		if (!maker->ordinary)
			pd_line_other(maker, spell, what);
		return;
	case HEAD_REST: case HEAD_PROBLEM:
		if (!maker->sound)
			pd_line_other_of_view(maker, spell, what);
		return;
	case HEAD_TIME: case HEAD_PID: case HEAD_TID: case HEAD_CPU: case HEAD_SAMPLE_ID: case HEAD_BRANCH_STACK_AT:
		/* from the trailer or branches, which samples in lines without decoding do not have */
		if (!maker->words)
			pd_line_other_of_view(maker, spell, what);
		return;
	default: pd_line_other(maker, spell, what); return;
	}
}

/* NULL without memory. */
static struct line *make_line(struct record *r, const struct line_kind *kind, const struct line_key *key)
{
	struct line *line = calloc(1, sizeof *line);
	if (!line)
		return NULL;
	struct line_maker maker = {
		.line = line, .text = &line->line.text, .present = key->present, .ordinary = key->traits & ORDINARY,
		.sound = key->traits & SOUND, .fields = key->traits & FIELDS ? r->scope.trace : NULL,
		.words = key->traits & NOT_DECODED ? r->raw->event->config : NULL,
	};
	/* functions that write values also write the constant bytes of the line */
	struct writing *writing = r->writing;
	struct perfdata_text *out = writing->out;
	writing->out = maker.text;
	const bool made = kind->make(&maker, r, kind->user);
	writing->out = out;
	stop_line(line);
	line->key = *key;
	line->of_view = maker.of_view;
	if (made && pd_line_finish(&line->line) && !perfdata_text_failed(&line->others))
		return line;
	free_line(line);
	return NULL;
}

/* --- finding ------------------------------------------------------------------------------------------------------ */

static bool is_ordinary(const struct record *r)
{
	return r->raw->inner == PERFDATA_NO_OFFSET && !r->world->name_files && !r->raw->flags;
}

static uint16_t traits_of(const struct record *r, bool decoded)
{
	const bool sound = !decoded || (!r->view.rest.size && !r->damaged);
	return (uint16_t)((is_ordinary(r) ? ORDINARY : 0) | (sound ? SOUND : 0) |
			  (pd_record_fields_are_whole(r) ? FIELDS : 0) | (r->delivery ? DELIVERED : 0) |
			  (decoded ? 0 : NOT_DECODED));
}

static bool same_key(const struct line_key *a, const struct line_key *b)
{
	return a->plan == b->plan && a->event == b->event && a->present == b->present && a->misc == b->misc &&
	       a->traits == b->traits;
}

static unsigned slot_of(const struct line_key *key)
{
	uint64_t hash = (uintptr_t)key->plan ^ (uintptr_t)key->event << 20 ^ (uint64_t)key->misc << 44 ^ key->traits;
	hash = (hash ^ key->present * 0x9e3779b97f4a7c15u) * 0xff51afd7ed558ccdu;
	return (unsigned)(hash >> 32) % SLOTS;
}

static void forget_lines(struct line_table *table, struct record_cache *cache)
{
	free_lines(table);
	for (size_t i = 0; i < cache->nr_events; i++)
		cache->events[i].recent = NULL;
}

/* NULL without memory. */
static const struct line *line_of(struct record *r, const struct line_kind *kind, uint64_t present, uint16_t traits)
{
	const struct line_key key = {
		.plan = r->plan,
		.event = r->event ? r->event->event : NULL,
		.present = present,
		.misc = r->raw->misc,
		.traits = traits,
	};
	struct line_table *table = r->cache->lines;
	if (!table) {
		table = r->cache->lines = calloc(1, sizeof *table);
		r->cache->free_lines = table_free;
	}
	if (!table)
		return NULL;
	unsigned slot = slot_of(&key);
	for (; table->slots[slot]; slot = (slot + 1) % SLOTS)
		if (same_key(&table->slots[slot]->key, &key))
			return table->slots[slot];
	if (table->nr == MAX_LINES) {
		forget_lines(table, r->cache);
		slot = slot_of(&key);
	}
	struct line *line = make_line(r, kind, &key);
	if (line) {
		table->slots[slot] = line;
		table->nr++;
	}
	return line;
}

/* The line of a sample that is not decoded: usually the line of the event's last sample. */
static const struct line *plain_line_of(struct record *r, const struct line_kind *kind)
{
	const struct line *recent = r->event->recent;
	const uint16_t traits = traits_of(r, false);
	if (recent && recent->key.misc == r->raw->misc && recent->key.traits == traits)
		return recent;
	const struct perfdata_config *config = r->raw->event->config;
	return r->event->recent = line_of(r, kind, config->sample_fixed_present | config->sample_rows, traits);
}

/* --- writing ------------------------------------------------------------------------------------------------------ */

static void write_line(struct record *r, const struct line *line, const void *body, struct perfdata_text *room)
{
	const void *const bases[NR_LINE_BASES] = {
		[LINE_RAW] = r->raw, [LINE_BODY] = body, [LINE_FIELDS] = r->fields.data
	};
	const struct line_call *others = (const struct line_call *)(const void *)line->others.data;
	const uint32_t end = nr_others(line);
	for (const struct perfdata_part *part = perfdata_line_parts(&line->line);; part++) {
		if (!perfdata_text_parts(record_out(r), &line->line, &part, bases) || part->offset == end)
			return;
		others[part->offset].spell(r, others[part->offset].what, room);
	}
}

bool pd_line_write(struct record *r, const struct line_kind *kind, const struct perfdata_raw *raw,
		   struct found_batch **found, struct perfdata_text *room)
{
	if (pd_record_load_alike(r, raw)) {
		const struct line *line = plain_line_of(r, kind);
		if (!line)
			return false;
		if (!line->of_view) {
			write_line(r, line, raw->bytes, room);
			return true;
		}
	}
	if (!pd_record_load(r, raw, found))
		return false;
	const uint64_t present = r->view.u.present & ~(kind->without_chains ? pd_record_row_said_by_stack(r) : 0);
	const struct line *line = line_of(r, kind, present, traits_of(r, true));
	if (line)
		write_line(r, line, &r->view.u, room);
	return line;
}
