/* SPDX-License-Identifier: MIT */
/* How much weight lies where: samples added up by event, by stack, and by further keys that the options request. All
 * sums of samples use this aggregation: folded stacks, reports, flame graphs, profiles for other tools, comparisons.
 *
 * A stack is a node of the session's tree of stacks (PERFDATA_NEED_NODES): a node is (node of the caller, frame). Node
 * 0 is the root, which has no frame; a caller's id is always lower than the ids of its callees. Samples that share
 * callers share nodes.
 *
 * An emitter uses a profile in this way:
 *
 *     needs:   PERFDATA_NEED_DELIVERIES | _THREADS | _FRAMES | _NODES
 *     begin    pd_profile_new
 *     format   pd_profile_collect  any thread; the samples of one batch, handed on as the emitter's `part`
 *     merge    pd_profile_add      one batch at a time, in order
 *     end      pd_profile_finish; then the tables and walks below, in one thread
 *
 * The result depends on the recording alone, not on the number of threads. Memory grows with the number of distinct
 * keys. Beyond the session's limit of memory, sums go in sorted runs to temporary files, and the walk merges the runs:
 * no sum is dropped. */
#ifndef PD_PROFILE_H
#define PD_PROFILE_H

#include "perfdata/compare.h"
#include "perfdata/session.h"

/* What distinguishes samples in addition to event and stack. */
enum pd_profile_parts {
	PD_BY_THREAD = 1,    /* the thread: pid, tid and, if threads reused the tid, which of them */
	PD_BY_COMM = 2,      /* the name of the thread when the sample was taken */
	PD_BY_CPU = 4,
	PD_BY_SLICE = 8,     /* the slice of time */
};

/* The names that the caller will request from the session at the end; they are loaded while samples are read. */
enum pd_profile_names { PD_NAMES_NONE, PD_NAMES_SYMBOLS, PD_NAMES_LINES };

struct pd_profile_options {
	uint32_t parts;      /* enum pd_profile_parts */
	/* further parts for events whose samples are occurrences: PD_BY_COMM, PD_BY_CPU */
	uint32_t parts_of_occurrences;
	uint64_t slice;      /* length of a slice in ns, with PD_BY_SLICE; not 0 */
	bool by_period;      /* the weight of a sample is its period; else 1 */
	enum pd_profile_names names;
	unsigned threads;    /* how many threads may load names: see pd_session_want_names */
	/* cancels work on the finished profile (PERFDATA_EINTR); borrowed, may be NULL */
	const struct perfdata_cancel *cancel;
};

/* Returns the weight of a sample: its period. If the event neither records periods nor has a fixed one, all periods
 * would be 0 and shares undefined: then the weight is 1. */
uint64_t pd_sample_weight(const struct perfdata_delivery *delivery);

/* Whether samples of the event are occurrences, and show where something happened: a tracepoint, a probe, a page fault.
 * Samples of clocks and counters show where time and work went. */
bool pd_samples_are_occurrences(const struct perfdata_event *event);

struct pd_profile_key {
	uint32_t event;      /* index: perfdata_reader_event */
	uint32_t thread;     /* pd_profile_thread; 0 if not requested */
	uint32_t comm;       /* perfdata_session_comm; PERFDATA_NONE if not requested or unknown */
	uint32_t cpu;        /* PERFDATA_NONE if not requested or unknown */
	uint64_t slice;      /* time / length, so slice n begins at n * length ns; 0 if not requested */
	/* the executing code, which is the last frame of the stack. 0: an empty or broken chain. A sample without a
	 * callchain has a node whose caller is the root and whose origin is PD_ORIGIN_ALONE */
	uint32_t node;
};

/* Sums of weights saturate, which sets `overflow`. */
struct pd_profile_sums {
	uint64_t samples, weight;
	uint64_t squares[2];         /* sum of squared weights: low half, high half */
	bool overflow;
};
void pd_profile_sums_add(struct pd_profile_sums *sums, const struct pd_profile_sums *more);

struct pd_profile;
struct pd_profile_part;              /* the samples of one batch */

/* Borrows the session, and charges the session's account. PERFDATA_ENOMEM, PERFDATA_EUSAGE. */
enum perfdata_status pd_profile_new(const struct perfdata_session *session, const struct pd_profile_options *options,
				    struct pd_profile **ret);
void pd_profile_free(struct pd_profile *profile);

/* Collects the samples of a batch, in any thread: deliveries of samples that have an event and are not silent. */
enum perfdata_status pd_profile_collect(const struct pd_profile *profile, const struct perfdata_batch *batch,
					struct pd_profile_part **ret);
void pd_profile_part_free(void *part);   /* the emitter's free_part */
/* Takes the part over, also on failure. PERFDATA_ENOMEM, PERFDATA_EWRITE (a temporary file). */
enum perfdata_status pd_profile_add(struct pd_profile *profile, struct pd_profile_part *part);
/* Returns the session from which the profile was made, and which has the names. */
const struct perfdata_session *pd_profile_session(const struct pd_profile *profile);
/* Returns the account that the profile charges; results computed from a profile charge this account, too. NULL: no
 * limit. */
struct pd_account *pd_profile_account(const struct pd_profile *profile);
/* Returns the account of a session, for emitters without a profile. */
struct pd_account *pd_profile_account_of(const struct perfdata_session *session);
/* As pd_session_object, for emitters. */
enum perfdata_status pd_profile_object_of(const struct perfdata_session *session, uint32_t frame,
					  uint64_t *ret_address, const char **ret);
/* Whether work on the profile must end with PERFDATA_EINTR; call it for each entry and each stack. */
bool pd_profile_is_cancelled(const struct pd_profile *profile);
/* Sorts the sums; call it after the last part. */
enum perfdata_status pd_profile_finish(struct pd_profile *profile);

/* --- a profile that outlives its run ------------------------------------------------------------------------------ */

/* What a conversion keeps, so that emitters can answer further questions without the recording. */
struct pd_profile_kept {
	struct pd_profile *profile;  /* finished; NULL: the current run makes it */
	struct pd_profile *whole;    /* derived from `profile` for an answer about all threads; or NULL */
	const int32_t *tids;         /* the answer is about these threads; nr_tids 0: all threads */
	size_t nr_tids;
	void *labels;                /* names of the frames of all stacks, made by an emitter; or NULL */
	void (*free_labels)(void *labels);
};
/* What a kept profile distinguishes in addition to the parts that its emitter requests. */
#define PD_KEPT_PARTS (PD_BY_THREAD | PD_BY_COMM)
/* Makes the profile that these options would have given for samples of threads with these tids (nr_tids 0: all). `from`
 * must be finished and outlive *ret; its options decide which names are loaded. PERFDATA_ABSENT: `from` does not
 * distinguish the requested parts. PERFDATA_ENOMEM, PERFDATA_EREAD, PERFDATA_EWRITE, PERFDATA_EINTR. */
enum perfdata_status pd_profile_derive(struct pd_profile *from, const struct pd_profile_options *options,
				       const int32_t *tids, size_t nr_tids, struct pd_profile **ret);
void pd_profile_kept_release(struct pd_profile_kept *kept);
/* As pd_profile_derive, from the kept profile for kept->tids; returns the profile of an earlier answer if it fits. */
enum perfdata_status pd_profile_kept_derive(struct pd_profile_kept *kept, const struct pd_profile_options *options,
					    struct pd_profile **ret);
/* Takes over a derived profile. Keeps it for further answers if it contains all threads and stacks, as long as memory
 * suffices. */
void pd_profile_kept_leave(struct pd_profile_kept *kept, struct pd_profile *profile);
/* Replaces the object that cancels work on the profile; NULL: none. */
void pd_profile_cancel_by(struct pd_profile *profile, const struct perfdata_cancel *cancel);

/* --- a part of the stacks ----------------------------------------------------------------------------------------- */

/* Excludes keys if `takes` sets *ret to false for their node: from then on, totals and walks cover only the other keys.
 * Calls `takes` once for each node. Call it after pd_profile_finish; a second call excludes further keys. */
typedef enum perfdata_status pd_profile_takes_fn(void *user, uint32_t node, bool *ret);
enum perfdata_status pd_profile_choose(struct pd_profile *profile, pd_profile_takes_fn *takes, void *user);
/* Whether pd_profile_choose kept the keys of a node; for nodes where samples end. */
bool pd_profile_has_node(const struct pd_profile *profile, uint32_t node);

/* --- totals ------------------------------------------------------------------------------------------------------- */

/* Returns the sums of the event with this index; NULL: the profile has no sample of the event. */
const struct pd_profile_sums *pd_profile_event(const struct pd_profile *profile, uint32_t event);
uint32_t pd_profile_nr_events(const struct pd_profile *profile);   /* the highest index of a sample's event, plus 1 */
/* As pd_profile_event, including the keys that pd_profile_choose excluded. */
const struct pd_profile_sums *pd_profile_event_whole(const struct pd_profile *profile, uint32_t event);
/* For lost_records and lost_samples, see the session's summary. */

/* --- keys --------------------------------------------------------------------------------------------------------- */

struct pd_profile_entry {
	struct pd_profile_key key;
	struct pd_profile_sums sums;
};
/* A walk over all keys, in the numeric order of event, thread, comm, cpu, slice and node. Several walks may be open at
 * the same time. */
struct pd_profile_walk;
enum perfdata_status pd_profile_walk_new(struct pd_profile *profile, struct pd_profile_walk **ret);
/* As pd_profile_walk_new, for callers that read the path of each key's node: the walk prefetches the next paths. */
enum perfdata_status pd_profile_walk_paths(struct pd_profile *profile, struct pd_profile_walk **ret);
/* As pd_profile_walk_new, for callers that compare steps only: the walk reads the stack of each key. */
enum perfdata_status pd_profile_walk_labels(struct pd_profile *profile, struct pd_profile_walk **ret);
/* *ret is valid until the next call. PERFDATA_END: no more keys; PERFDATA_EREAD: a temporary file cannot be read. */
enum perfdata_status pd_profile_walk_next(struct pd_profile_walk *walk, const struct pd_profile_entry **ret);
/* The labels of the last key's stack, callee first, of a walk that pd_profile_walk_labels began. Steps have the same
 * label if their frames (without a frame: addresses) and origins are equal. Valid until the next key. */
const uint32_t *pd_profile_walk_stack(const struct pd_profile_walk *walk, size_t *ret_nr);
void pd_profile_walk_free(struct pd_profile_walk *walk);

/* Returns all keys in the order of a walk, for several threads at once; NULL: some are in a temporary file, or
 * pd_profile_choose excluded keys. */
const struct pd_profile_entry *pd_profile_entries(const struct pd_profile *profile, size_t *ret_nr);

struct pd_profile_thread {
	int32_t pid, tid;            /* -1: unknown */
	uint32_t generation;         /* 0 for the first thread with this pid and tid, 1 for the next one */
	uint32_t comm;               /* the thread's name in its last sample */
};
uint32_t pd_profile_nr_threads(const struct pd_profile *profile);
/* Returns the profile's number of a thread of the session (perfdata_delivery.thread); UINT32_MAX: it has no sample. */
uint32_t pd_profile_thread_number(const struct pd_profile *profile, uint32_t thread);
const struct pd_profile_thread *pd_profile_thread(const struct pd_profile *profile, uint32_t thread);

/* --- the tree of stacks ------------------------------------------------------------------------------------------- */

/* Values of pd_profile_node.origin in addition to enum perfdata_step_origin. */
#define PD_ORIGIN_ALONE 3u           /* the address of a sample that has no callchain */
#define PD_ORIGIN_CUT 4u             /* the last step that unwinding found in the recorded stack memory */

struct pd_profile_node {
	uint32_t caller;             /* node; 0: the root */
	uint32_t frame;              /* perfdata_session_frame, or PERFDATA_NONE: the address is in no mapping */
	uint64_t ip;                 /* the address if frame is PERFDATA_NONE; else 0 */
	uint16_t cpumode;            /* enum perfdata_cpumode if frame is PERFDATA_NONE */
	uint16_t origin;             /* enum perfdata_step_origin, or PD_ORIGIN_ALONE */
};
/* Reads a node, which is not the root. PERFDATA_EREAD: a temporary file could not be read. */
enum perfdata_status pd_profile_node(struct pd_profile *profile, uint32_t node, struct pd_profile_node *ret);
/* Reads a node and its callers as far as their numbers follow each other: ret[i] is node - i; *ret_nr: not 0. */
#define PD_NODES_OF_RUN 32u
enum perfdata_status pd_profile_nodes(struct pd_profile *profile, uint32_t node,
				      struct pd_profile_node ret[PD_NODES_OF_RUN], size_t *ret_nr);

/* --- for other rooms --- */

/* Whether bytes are the beginning of a baseline. */
bool pd_baseline_is(const void *bytes, size_t size);

#endif
