/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/search.h"
#include "emit/values/value_world.h"
#include "reader/reader.h"
#include "schema/schema.h"

static int compare_ids(const void *a, const void *b)
{
	const struct id_name *x = a, *y = b;
	return x->id < y->id ? -1 : x->id > y->id;
}

void pd_value_register_name(enum perfdata_arch arch, unsigned bit, char *room)
{
	const char *name = pd_register_name(arch, bit),
		   *before = bit ? pd_register_name(arch, bit - 1) : NULL;
	const bool second = name && before && !strcmp(name, before);
	if (name)
		snprintf(room, REGISTER_NAME, "%s%s", name, second ? "_high" : "");
	else
		snprintf(room, REGISTER_NAME, "r%u", bit);
}

bool pd_value_world_init(struct value_world *world, const struct perfdata_reader *reader)
{
	world->reader = reader;
	const struct perfdata_feature_section *nrcpus = perfdata_reader_feature(reader, PERFDATA_FEATURE_NRCPUS);
	if (nrcpus && nrcpus->feature) {
		const struct perfdata_node *node = perfdata_feature_root(nrcpus->feature)->child;
		/* the section has the number of available CPUs, then of online CPUs */
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

void pd_value_world_release(struct value_world *world) { free(world->ids); }

const struct perfdata_event *pd_value_event(const struct value_world *world, uint64_t id)
{
	size_t low;
	PD_COUNT_BEFORE(low, world->nr_ids, at, world->ids[at].id < id);
	return low < world->nr_ids && world->ids[low].id == id ? world->ids[low].event : NULL;
}
