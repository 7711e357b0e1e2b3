/* SPDX-License-Identifier: MIT */
/* State from batch to batch for names of addresses: known build-ids, and stacks and frames that were already written.
 * scan updates it in order, and gives each batch the part that format needs, so that the number of threads does not
 * affect the output. */
#ifndef EMIT_EMITTED_H
#define EMIT_EMITTED_H

#include "perfdata/emit.h"

/* A set of ids. */
struct id_set {
	uint64_t *words;
	size_t nr_words;
};
/* 1: added, 0: was in the set, -1: no memory. */
int pd_id_set_add(struct id_set *set, uint32_t id);

/* The dsos with a known build-id at some time. A build-id never changes. */
struct known_ids {
	struct known_ids *older;
	/* greater than `older`'s if a dso without a build-id there has one here */
	uint32_t generation;
	uint32_t nr_dsos;
	uint64_t words[];
};

enum emitted_what {
	EMITTED_NO_IDS, EMITTED_STACKS,
	EMITTED_FRAMES,                /* frames of stacks and of samples' addresses */
};
struct emitted {
	const struct perfdata_session *session;
	enum emitted_what what;           /* which new ids batches get */
	bool any;                      /* there was a batch with records or other lines */
	struct known_ids *known;       /* the newest */
	struct id_set stacks, frames;
};
void pd_emitted_release(struct emitted *emitted);

/* The part of the state for one batch. Valid as long as the struct emitted. */
struct emitted_batch {
	const struct known_ids *known;
	bool first;                    /* the first batch with records or other lines */
	/* new in this batch, in order of first use: frames; for EMITTED_STACKS, indexes of the deliveries with new
	 * stacks */
	uint32_t *ids;
	size_t nr_ids;
};
enum perfdata_status pd_emitted_scan(struct emitted *emitted, const struct perfdata_batch *batch,
				     struct emitted_batch **ret);
void pd_emitted_batch_free(void *batch);

/* What looking up names needs, for one batch. */
struct emitted_names {
	const struct perfdata_session *session;
	const struct known_ids *known;
};
bool pd_emitted_build_id(const struct emitted_names *world, uint32_t dso, struct perfdata_bytes *ret);

/* The first delivery of a record, or NULL. To be called for records in order; *at, initially 0, is the position in the
 * deliveries. */
const struct perfdata_delivery *pd_emitted_delivery(const struct perfdata_batch *batch, size_t *at,
						    const struct perfdata_raw *record);

#endif
