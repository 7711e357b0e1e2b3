/* SPDX-License-Identifier: MIT */
/* Anonymizing decides about each field, and says so. */
#include <stdlib.h>
#include "perfdata/rewrite.h"
#include "schema/schema.h"
#include "rewrite/anonymize.h"
#include "unit.h"

static void check_layout(const struct perfdata_layout *layout, unsigned depth)
{
	for (uint32_t i = 0; i < layout->nr_fields; i++) {
		const struct perfdata_field *field = &layout->fields[i];
		const bool is_decided = pd_decision_of(layout, field) != PD_UNDECIDED;
		CHECK(is_decided);
		if (!is_decided)
			printf("# nobody has decided about %s.%s: see lib/rewrite/anonymize_rows.c\n", layout->name,
			       field->name ? field->name : "");
		if (field->element && depth < 8)
			check_layout(field->element, depth + 1);
	}
}

static void every_row(void)
{
	const struct perfdata_layout *layout;

	for (size_t i = 0; (layout = perfdata_record_layout_at(i)); i++)
		check_layout(layout, 0);
	for (uint32_t id = 1; id < 256; id++)
		if ((layout = perfdata_feature_layout(id)))
			check_layout(layout, 0);
	check_layout(pd_trailer_layout(), 0);
	check_layout(perfdata_attr_layout(), 0);
}

static void a_new_row(void)
{
	static const struct perfdata_field field = { .name = "soon", .kind = PERFDATA_KIND_U64 };
	static const struct perfdata_layout sample = { .name = "sample", .fields = &field, .nr_fields = 1 };

	CHECK_EQ(pd_decision_of(&sample, &field), PD_UNDECIDED);
}

static void keys(void)
{
	uint8_t a[16], b[16], c[16];

	perfdata_anonymize_key("sixteen bytes, or more", 22, a);
	perfdata_anonymize_key("sixteen bytes, or more", 22, b);
	perfdata_anonymize_key("sixteen bytes, or morf", 22, c);
	CHECK(!memcmp(a, b, sizeof a));
	CHECK(memcmp(a, c, sizeof a) != 0);
}

static int compare_words(const void *left, const void *right)
{
	const uint64_t *a = left, *b = right;
	return (*a > *b) - (*a < *b);
}

/* Costs seconds, not minutes, however many there are. */
static void many_mappings(void)
{
	enum { MANY = 100000, SIZE = 0x3000 };
	struct pd_pseudonyms names = { .key = { 1, 2 } };
	struct pd_moved_maps *maps = pd_moved_maps_new(&names);
	const struct perfdata_bytes name = { (const uint8_t *)"/a/name", 7 };
	uint64_t *places = calloc(MANY, sizeof *places), found;
	unsigned overlaps = 0, wrong = 0;

	for (uint32_t i = 0; i < MANY; i++)
		places[i] = pd_moved_maps_add(maps, 1, UINT64_C(0x7f0000000000) - UINT64_C(0x4000) * i, SIZE, name);
	CHECK_EQ(pd_moved_maps_status(maps), PERFDATA_OK);
	for (uint32_t i = 0; i < MANY; i++)
		wrong += !pd_moved_maps_find(maps, 1, UINT64_C(0x7f0000000000) - UINT64_C(0x4000) * i + 5, &found) ||
			 found != places[i] + 5;
	CHECK_EQ(wrong, 0);
	qsort(places, MANY, sizeof *places, compare_words);
	for (uint32_t i = 1; i < MANY; i++)
		overlaps += places[i] - places[i - 1] < SIZE;
	CHECK_EQ(overlaps, 0);
	CHECK(places[0] && places[MANY - 1] + SIZE <= PD_UNMAPPED);
	free(places);
	pd_moved_maps_free(maps);
}

/* A place is free again when its mapping is replaced, and when the process ends; also if the process mapped more in its
 * time than an address space holds. */
static void places_are_free_again(void)
{
	struct pd_pseudonyms names = { .key = { 1, 2 } };
	struct pd_moved_maps *maps = pd_moved_maps_new(&names);
	const struct perfdata_bytes name = { (const uint8_t *)"/a/name", 7 };

	for (unsigned i = 0; i < 1000; i++)
		CHECK(pd_moved_maps_add(maps, 1, UINT64_C(1) << 44, UINT64_C(1) << 44, name));
	for (unsigned i = 0; i < 20; i++) {
		CHECK(pd_moved_maps_add(maps, 2, UINT64_C(1) << 44, UINT64_C(1) << 44, name));
		CHECK(pd_moved_maps_add(maps, 2, UINT64_C(1) << 45, UINT64_C(1) << 44, name));
		pd_moved_maps_exit(maps, 2);
	}
	CHECK_EQ(pd_moved_maps_status(maps), PERFDATA_OK);
	pd_moved_maps_free(maps);
}

/* Processes fork, map more, and end: each keeps its mappings, also those that it shares with one that ended. */
static void mappings_of_families(void)
{
	enum { PROCESSES = 60, MAPS = 40, ROUNDS = 20000 };
	static uint64_t places[PROCESSES][MAPS];
	static bool lives[PROCESSES];
	struct pd_pseudonyms names = { .key = { 1, 2 } };
	struct pd_moved_maps *maps = pd_moved_maps_new(&names);
	const struct perfdata_bytes name = { (const uint8_t *)"/a/name", 7 };
	unsigned wrong = 0;
	uint64_t random = 1, found;

	for (unsigned round = 0; round < ROUNDS; round++) {
		random = random * UINT64_C(6364136223846793005) + 1442695040888963407u;
		const unsigned pid = (unsigned)(random >> 33) % PROCESSES, other = (unsigned)(random >> 40) % PROCESSES,
			       map = (unsigned)(random >> 47) % MAPS;
		switch (random >> 60) {
		case 0:
			pd_moved_maps_exit(maps, (int32_t)pid);
			memset(places[pid], 0, sizeof places[pid]);
			lives[pid] = false;
			break;
		case 1:
			pd_moved_maps_fork(maps, (int32_t)pid, (int32_t)other);
			if (lives[pid]) {   /* the fork of a process that nobody knows says nothing */
				memcpy(places[other], places[pid], sizeof places[pid]);
				lives[other] = true;
			}
			break;
		default:
			lives[pid] = true;
			places[pid][map] = pd_moved_maps_add(maps, (int32_t)pid, 0x1000 + 0x1000u * map, 0x1000, name);
		}
		for (unsigned i = 0; i < MAPS; i++) {
			const bool is_there = pd_moved_maps_find(maps, (int32_t)other, 0x1000 + 0x1000u * i, &found);
			wrong += is_there ? found != places[other][i] : places[other][i] != 0;
		}
	}
	CHECK_EQ(wrong, 0);
	CHECK_EQ(pd_moved_maps_status(maps), PERFDATA_OK);
	pd_moved_maps_free(maps);
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "each row has a decision", every_row }, { "a new row has none", a_new_row }, { "keys", keys },
		{ "many mappings", many_mappings }, { "places are free again", places_are_free_again },
		{ "mappings of families", mappings_of_families },
	};
	return unit_main(cases, sizeof cases / sizeof *cases);
}
