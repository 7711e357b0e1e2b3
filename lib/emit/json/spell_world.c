/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <stdio.h>
#include <stdlib.h>
#include "emit/json/spell_world.h"
#include "reader/reader.h"
#include "schema/schema.h"

/* --- the world ---------------------------------------------------------------------------------------------------- */

static int compare_ids(const void *a, const void *b)
{
	const struct id_name *x = a, *y = b;
	return x->id < y->id ? -1 : x->id > y->id;
}

void pd_spell_register_name(enum perfdata_arch arch, unsigned bit, char *room)
{
	const char *name = pd_register_name(arch, bit),
		   *before = bit ? pd_register_name(arch, bit - 1) : NULL;
	const bool second = name && before && !strcmp(name, before);
	if (name)
		snprintf(room, SPELL_REGISTER_NAME, "%s%s", name, second ? "_high" : "");
	else
		snprintf(room, SPELL_REGISTER_NAME, "r%u", bit);
}

bool pd_world_init(struct spell_world *world, struct pd_arena *pool, const struct perfdata_reader *reader,
		   void (*feature)(struct speller *s, uint32_t id, struct perfdata_bytes payload))
{
	world->feature = feature;
	world->reader = reader;
	const enum perfdata_arch arch = pd_reader_arch(reader);
	for (unsigned i = 0; i < EMIT_MAX_REGISTERS; i++) {
		char name[SPELL_REGISTER_NAME];
		pd_spell_register_name(arch, i, name);
		struct key key = pd_key_make(pool, ",\"", name, "\":\"0x");
		if (!key.text)
			return false;
		key.size -= 2;   /* pd_key_make ends with `":`, which stands inside here */
		world->registers[i] = key;
	}
	const struct perfdata_feature_section *nrcpus = perfdata_reader_feature(reader, PERFDATA_FEATURE_NRCPUS);
	if (nrcpus && nrcpus->feature) {
		const struct perfdata_node *node = perfdata_feature_root(nrcpus->feature)->child;
		/* the section tells the available CPUs, then those online */
		for (; node && node->kind == PERFDATA_KIND_U32; node = node->next)
			if (node->v.u > world->nr_cpus_avail)
				world->nr_cpus_avail = (uint32_t)node->v.u;
	}
	size_t nr = 0;
	for (size_t i = 0; i < perfdata_reader_nr_events(reader); i++)
		nr += perfdata_reader_event(reader, i)->nr_ids;
	world->ids = malloc((nr + 1) * sizeof *world->ids);
	if (!world->ids)
		return false;
	for (size_t i = 0; i < perfdata_reader_nr_events(reader); i++) {
		const struct perfdata_event *event = perfdata_reader_event(reader, i);
		for (size_t k = 0; k < event->nr_ids; k++)
			world->ids[world->nr_ids++] = (struct id_name){ event->ids[k], event };
	}
	qsort(world->ids, world->nr_ids, sizeof *world->ids, compare_ids);
	return true;
}

void pd_world_release(struct spell_world *world) { free(world->ids); }

const struct perfdata_event *pd_world_event(const struct spell_world *world, uint64_t id)
{
	size_t low = 0, high = world->nr_ids;
	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		if (world->ids[middle].id < id)
			low = middle + 1;
		else
			high = middle;
	}
	return low < world->nr_ids && world->ids[low].id == id ? world->ids[low].event : NULL;
}

/* --- small values ------------------------------------------------------------------------------------------------- */

uint64_t pd_spell_integer(enum perfdata_kind kind, const void *member)
{
	switch (kind) {
	case PERFDATA_KIND_U8: return *(const uint8_t *)member;
	case PERFDATA_KIND_U16: return *(const uint16_t *)member;
	case PERFDATA_KIND_U32: return *(const uint32_t *)member;
	case PERFDATA_KIND_S32: return (uint64_t)(int64_t)*(const int32_t *)member;
	default: return *(const uint64_t *)member;
	}
}

void pd_spell_close(struct perfdata_text *out, size_t start, char open, char close)
{
	if (perfdata_text_failed(out))
		return;
	if (out->size == start)
		perfdata_text_char(out, open);
	else
		out->data[start] = open;
	perfdata_text_char(out, close);
}

void pd_spell_hex_string(struct perfdata_text *out, uint64_t value)
{
	char *at = perfdata_text_reserve(out, 40);
	if (at)
		perfdata_text_commit(out, pd_hex_string_to(at, value));
}

void pd_spell_bytes_string(struct perfdata_text *out, struct perfdata_bytes bytes)
{
	perfdata_text_char(out, '"');
	perfdata_text_bytes_hex(out, bytes.data, bytes.size);
	perfdata_text_char(out, '"');
}

void pd_spell_wide(struct speller *s, uint64_t value)
{
	char *at = perfdata_text_reserve(s->out, 40);
	if (at)
		perfdata_text_commit(s->out, pd_wide_to(at, value, s->world->int64_string, false));
}
