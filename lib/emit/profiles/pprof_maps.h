/* SPDX-License-Identifier: MIT */
/* The mappings of a profile as recorded, so that pprof can look up addresses in the file. */
#ifndef PD_PPROF_MAPS_H
#define PD_PPROF_MAPS_H

#include "perfdata/session.h"
#include "emit/stacks/stack_gather.h"
#include "emit/stacks/stack_labels.h"
#include "emit/stacks/stack_route.h"

/* An executable mapping of the recording. */
struct pprof_seen {
	uint64_t start, end, offset;
	int32_t pid;
	uint32_t name;               /* index of the name in pprof_maps */
};
/* The executable mappings of one batch. */
struct pprof_seen_list {
	struct pprof_seen *maps;     /* their `name` is an offset in `names` */
	size_t nr, room;
	char *names;
	size_t names_size, names_room;
};

/* A mapping of the profile. */
struct pprof_map {
	uint64_t start, end, offset;
	uint32_t dso;                /* the first of the dsos that share it */
	uint32_t file;               /* number of their name, build-id and kind */
	const char *name;            /* path, or recorded name of the kernel's mapping */
	bool recorded;               /* false: made of the pages of frames' addresses */
	/* nameless: a location has no name; lineless, … likewise */
	bool used, nameless, lineless, sourceless, inlined;
};

struct pprof_maps;
/* The first file that a process mapped executable, or NULL. */
const char *pd_pprof_maps_main(const struct pprof_maps *maps, int32_t pid);
/* Makes the dso's first recorded mapping, if there is one, the profile's first mapping. False without memory. */
bool pd_pprof_maps_first(struct pprof_maps *maps, const struct perfdata_dso *dso);
size_t pd_pprof_maps_nr(const struct pprof_maps *maps);
struct pprof_map *pd_pprof_maps_get(struct pprof_maps *maps, uint32_t id);
/* Makes any two mappings differ in range, offset, name or build-id. Call it after the last pd_pprof_place_of. False
 * without memory. */
bool pd_pprof_maps_settle(struct pprof_maps *maps);

/* --- emitters whose profiles have mappings -------------------------------------------------------------------- */

/* First member of the state of an emitter that adds up samples and writes mappings. */
struct pprof_gather {
	struct stack_gather stacks;
	struct pprof_maps *maps;
};
enum perfdata_status pd_pprof_gather_begin(struct pprof_gather *gather, const struct perfdata_emit_context *context,
					   const struct pd_profile_options *options);
/* A step's address in its mapping, and its calls: see pd_stack_labels_of. */
struct pprof_place {
	const struct perfdata_dso *dso;    /* NULL: the address is in no known file */
	uint64_t address;
	uint32_t map;                      /* number of the mapping; 0 without a dso */
	const struct stack_call *calls;
	size_t nr_calls;
};
/* False without memory. */
bool pd_pprof_place_of(struct pprof_gather *gather, struct stack_labels *labels, const struct stack_step *step,
		       struct pprof_place *ret);
/* Functions for the emitter's table. */
void pd_pprof_release(void *state);
enum perfdata_status pd_pprof_gather_format(const void *state, const struct perfdata_batch *batch, void *value,
					    struct perfdata_scratch *scratch, struct perfdata_text *out,
					    void **ret_part);
enum perfdata_status pd_pprof_gather_merge(void *state, void *part, struct perfdata_text *out);
#define PPROF_SUMS .format = pd_pprof_gather_format, .merge = pd_pprof_gather_merge, .free_part = pd_stack_pair_free

#endif
