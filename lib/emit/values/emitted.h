/* SPDX-License-Identifier: MIT */
/* What crosses batches where addresses are named: which build-ids were known when a batch was made, and which stacks
 * and frames were emitted before. scan keeps this state, in order, and attaches to each batch the part that format
 * needs, so that the bytes are the same for any number of threads. */
#ifndef EMIT_EMITTED_H
#define EMIT_EMITTED_H

#include "perfdata/emit.h"

/* Ids that were seen. */
struct id_set {
	uint64_t *words;
	size_t nr_words;
};
/* 1: the id is new, 0: it was there, -1: no memory. */
int pd_id_set_add(struct id_set *set, uint32_t id);

/* Which dsos had a known build-id at some time. Once known, a build-id stays. */
struct known_ids {
	struct known_ids *older;
	/* greater than that of `older` where a dso that `older` lists without a build-id has one here */
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
	bool any;                      /* scan saw a batch with records, or other lines */
	struct known_ids *known;       /* the newest */
	struct id_set stacks, frames;
};
void pd_emitted_release(struct emitted *emitted);

/* The part of that state for one batch; not valid longer than the struct emitted that made it. */
struct emitted_batch {
	const struct known_ids *known;
	bool first;                    /* the first batch with records, or other lines */
	/* new in this batch, in the order of first use: frames; for EMITTED_STACKS, indexes of the batch's deliveries
	 * with new stacks */
	uint32_t *ids;
	size_t nr_ids;
};
enum perfdata_status pd_emitted_scan(struct emitted *emitted, const struct perfdata_batch *batch,
				     struct emitted_batch **ret);
void pd_emitted_batch_free(void *batch);

/* What a look-up of names needs, for one batch. */
struct emitted_names {
	const struct perfdata_session *session;
	const struct known_ids *known;
};
bool pd_emitted_build_id(const struct emitted_names *world, uint32_t dso, struct perfdata_bytes *ret);

/* The first delivery of a record, or NULL. The caller asks for records in order; *at, 0 at first, is the place in the
 * batch's deliveries. */
const struct perfdata_delivery *pd_emitted_delivery(const struct perfdata_batch *batch, size_t *at,
						    const struct perfdata_raw *record);

#endif
