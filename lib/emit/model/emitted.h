/* SPDX-License-Identifier: MIT */
/* What crosses batches where addresses are named: which build-ids were known when a batch was made, and which stacks
 * and frames were emitted before. scan keeps it, in order; format gets what it needs of it with the batch, so that the
 * bytes are the same for any number of threads. */
#ifndef EMIT_TOLD_H
#define EMIT_TOLD_H

#include "perfdata/emit.h"

/* Ids that were seen. */
struct id_set {
	uint64_t *words;
	size_t nr_words;
};
/* 1: the id is new, 0: it was there, -1: no memory. */
int pd_id_set_add(struct id_set *set, uint32_t id);

/* Which dsos have a build-id, at some time. A build-id that is known stays. */
struct known_ids {
	struct known_ids *older;
	/* greater than the older one's where a dso that was there already got its build-id */
	uint32_t generation;
	uint32_t nr_dsos;
	uint64_t words[];
};

enum emitted_what {
	EMITTED_NO_IDS, EMITTED_STACKS,
	EMITTED_FRAMES,                /* of stacks, and of the samples' own addresses */
};
struct emitted {
	const struct perfdata_session *session;
	enum emitted_what what;           /* which new ids a batch gets */
	bool any;                      /* a batch with records was seen */
	struct known_ids *known;       /* the newest */
	struct id_set stacks, frames;
};
void pd_emitted_release(struct emitted *emitted);

/* Of one batch. Lives no longer than the state it was made from. */
struct emitted_batch {
	const struct known_ids *known;
	bool first;                    /* the first one with records */
	/* what no batch before had, in the order of first use: frames; or deliveries of the batch, whose stacks are
	 * new */
	uint32_t *ids;
	size_t nr_ids;
};
enum perfdata_status pd_emitted_scan(struct emitted *emitted, const struct perfdata_batch *batch,
				     struct emitted_batch **ret);
void pd_emitted_batch_free(void *batch);

/* What looking up needs, for one batch. */
struct emitted_names {
	const struct perfdata_session *session;
	const struct known_ids *known;
};
bool pd_emitted_build_id(const struct emitted_names *world, uint32_t dso, struct perfdata_bytes *ret);

/* The first delivery of a record, or NULL. *at goes through the batch's deliveries; records are asked for in order. */
const struct perfdata_delivery *pd_emitted_delivery(const struct perfdata_batch *batch, size_t *at,
						    const struct perfdata_raw *record);

#endif
