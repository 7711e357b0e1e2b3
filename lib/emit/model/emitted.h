/* What crosses batches where addresses are named: which build-ids were known when a batch was made, and which stacks and
 * frames were told before. scan keeps it, in order; format gets what it needs of it with the batch, so that the bytes are
 * the same for any number of threads. */
#ifndef EMIT_TOLD_H
#define EMIT_TOLD_H

#include "perfdata/emit.h"

/* Ids that were seen. */
struct id_set {
	uint64_t *words;
	size_t nr_words;
};

/* Which dsos have a build-id, at some time. A build-id that is known stays. */
struct known_ids {
	struct known_ids *older;
	uint32_t generation;           /* greater than the older one's where a dso that was there already got its build-id */
	uint32_t nr_dsos;
	uint64_t words[];
};

enum told_what { TOLD_NO_IDS, TOLD_STACKS, TOLD_FRAMES };
struct told {
	const struct perfdata_session *session;
	enum told_what what;           /* which new ids a batch gets */
	bool any;                      /* a batch with records was seen */
	struct known_ids *known;       /* the newest */
	struct id_set stacks, frames;
};
void pd_told_release(struct told *told);

/* Of one batch. Lives no longer than the state it was made from. */
struct told_batch {
	const struct known_ids *known;
	bool first;                    /* the first one with records */
	uint32_t *ids;                 /* that no batch before had, in the order of first use */
	size_t nr_ids;
};
enum perfdata_status pd_told_scan(struct told *told, const struct perfdata_batch *batch, struct told_batch **ret);
void pd_told_batch_free(void *batch);

/* What looking up needs, for one batch. */
struct told_world {
	const struct perfdata_session *session;
	const struct known_ids *known;
};
bool pd_told_build_id(const struct told_world *world, uint32_t dso, struct perfdata_bytes *ret);

/* The first delivery of a record, or NULL. *at goes through the batch's deliveries; records are asked for in order. */
const struct perfdata_delivery *pd_told_delivery(const struct perfdata_batch *batch, size_t *at, const struct perfdata_raw *record);

#endif
