/* SPDX-License-Identifier: MIT */
/* What the files of lib/recording share.
 *
 *   rewriter.c   the calls
 *   choice.c     which samples stay, and what the records before a cut said
 *   copy_record.c a record from the reader to the writer
 *   sections.c   events and feature sections
 *   build_ids.c  build-ids that were found since
 *   anonymize.c, anonymize_rows.c, pseudonym.c, moved_maps.c   names and addresses that tell nobody anything
 *   merge.c, merge_check.c, merge_sections.c   several recordings as one
 *   tracepoints.c   formats of tracepoints, raw data in the other byte order
 *   unwound.c    call chains out of stacks, before those are dropped
 *   mend.c       what is made good for readers that are less patient than ours
 */
#ifndef PD_REWRITER_H
#define PD_REWRITER_H

#include "base/arena.h"
#include "base/cursor.h"
#include "perfdata/rewrite.h"

struct pd_anonymizer;
struct perfdata_step;
struct pd_merge;

/* Which samples of an input stay. */
struct pd_choice {
	bool chosen;
	uint64_t first, last;            /* times */
	uint64_t *kept;                  /* keys of samples, ascending */
	size_t nr_kept, kept_room;
};

/* What a session found of a sample's stack. */
struct pd_unwound {
	const struct perfdata_step *steps;   /* of the record that is copied */
	unsigned nr;
	uint64_t *words;                 /* its call chain, with those */
	size_t room;
	bool no_memory;
	uint64_t stacks, joined;         /* samples that had a stack; chains that were completed by it */
};

struct perfdata_rewriter {
	struct perfdata_rewrite_options options;
	struct perfdata_error error;
	struct pd_arena arena;
	struct perfdata_rewrite_counts counts;

	struct pd_choice choice;
	struct perfdata_bytes *state;    /* records to be written in front, as they are written */
	size_t nr_state, state_room;
	bool state_written;

	/* the copy */
	struct perfdata_reader *reader;  /* borrowed */
	struct perfdata_writer *writer;
	enum perfdata_byte_order order;       /* of the output */
	bool from_stream, to_stream, from_directory;
	bool keeps_carriers;             /* compressed records go as they are */
	bool keeps_aux;                  /* records that AUX data need stay, whenever they were */
	struct perfdata_config *configs; /* of the output, by version of the event */
	size_t nr_configs;
	uint64_t first_sample, last_sample;
	uint64_t lost_samples, gaps;     /* since the last good record: not told in the output yet */
	uint64_t all_lost_samples, all_gaps;
	uint64_t trace_left;             /* bytes that the AUXTRACE record before still wants */
	bool in_trace;                   /* some were written */
	bool build_ids_told;             /* in a table */
	struct pd_anonymizer *anonymizer;   /* or NULL */
	struct pd_merge *merge;          /* of several inputs; or NULL */
	struct pd_unwound unwound;
	uint8_t *turned;                 /* raw data in the other byte order: room for those of a record; or NULL */
};

typedef enum perfdata_status pd_rewrite_record_fn(struct perfdata_rewriter *rewriter, struct perfdata_reader *reader,
						  const struct perfdata_raw *raw);
/* Before the first record of a copy. */
enum perfdata_status pd_rewrite_begin(struct perfdata_rewriter *rewriter, struct perfdata_reader *reader);
/* Hands over each record that the reader still has, until one fails or the rewriting is cancelled. */
enum perfdata_status pd_rewrite_each(struct perfdata_rewriter *rewriter, struct perfdata_reader *reader,
				     pd_rewrite_record_fn *use);
enum perfdata_status pd_rewrite_failed(struct perfdata_rewriter *rewriter, enum perfdata_status status,
				       const char *what);
/* of a call of the writer */
enum perfdata_status pd_rewrite_written(struct perfdata_rewriter *rewriter, enum perfdata_status status);
void pd_rewrite_tell(struct perfdata_rewriter *rewriter, const char *format, ...) PERFDATA_PRINTF(2, 3);
/* False after a failure: the recording holds what cannot have another byte order. */
bool pd_rewrite_may_turn(struct perfdata_rewriter *rewriter);
bool pd_rewrite_changes_order(const struct perfdata_rewriter *rewriter);
enum perfdata_byte_order pd_rewrite_order_of(const struct perfdata_rewrite_options *options,
					     const struct perfdata_reader *reader);
enum perfdata_status pd_rewrite_make_writer(struct perfdata_rewriter *rewriter);
enum perfdata_status pd_rewrite_put_round(struct perfdata_rewriter *rewriter);
/* How the record's event is laid out in the input, and in the output (NULL without memory). */
const struct perfdata_config *pd_rewrite_source(const struct perfdata_reader *reader, const struct perfdata_raw *raw);
const struct perfdata_config *pd_rewrite_target(struct perfdata_rewriter *rewriter, const struct perfdata_raw *raw);

static inline bool pd_has_time(const struct perfdata_raw *raw) { return raw->time != UINT64_MAX && raw->time != 0; }

/* --- choice.c --- */
bool pd_is_state(uint32_t type);
/* Whether a record of the kernel goes into the output. */
bool pd_choice_keeps(struct perfdata_rewriter *rewriter, const struct perfdata_raw *raw);
/* Whether it tells of threads, maps or code before the chosen times. */
bool pd_choice_is_past(const struct perfdata_rewriter *rewriter, const struct perfdata_raw *raw);
/* As perf writes what it found when it began: without a time. */
void pd_forget_time(struct perfdata_record *record);
enum perfdata_status pd_choice_write_state(struct perfdata_rewriter *rewriter);

/* --- copy_record.c --- */
enum perfdata_status pd_copy_record(struct perfdata_rewriter *rewriter, const struct perfdata_raw *raw);

/* --- unwound.c --- */
/* Completes the record's call chain, where it is a sample with a stack. */
void pd_unwound_join(struct perfdata_rewriter *rewriter, const struct perfdata_raw *raw,
		     struct perfdata_record *record);

/* --- sections.c --- */
enum perfdata_status pd_sections_events(struct perfdata_rewriter *rewriter);
enum perfdata_status pd_sections_features(struct perfdata_rewriter *rewriter);
const char *pd_new_name(const struct perfdata_rewriter *rewriter, const char *name);
/* A FEATURE record with its section in the output's order and names; PERFDATA_ABSENT: it is left out. */
enum perfdata_status pd_sections_record(struct perfdata_rewriter *rewriter, const struct perfdata_raw *raw, void *out,
					size_t *ret_size);

/* Copies a section, or tells why it is left out. */
enum perfdata_status pd_sections_put(struct perfdata_rewriter *rewriter,
				     const struct perfdata_feature_section *section);
/* An integer of `width` bytes, in the other byte order than this machine's if `swap` is set. */
void pd_append_int(struct perfdata_text *out, bool swap, unsigned width, uint64_t value);
enum perfdata_status pd_sections_times(struct perfdata_rewriter *rewriter);

/* --- build_ids.c --- */
bool pd_build_ids_copy(struct perfdata_rewriter *rewriter);   /* of the options; false without memory */
/* Whether the record is a map that got a build-id. */
bool pd_build_ids_fill(const struct perfdata_rewriter *rewriter, struct perfdata_record *record);
/* To a table in the output's byte order; false without memory. */
bool pd_build_ids_append(struct perfdata_rewriter *rewriter, struct perfdata_text *table);
/* A table, if no section was one. */
enum perfdata_status pd_build_ids_finish(struct perfdata_rewriter *rewriter);

/* --- merge.c, merge_sections.c --- */
void pd_merge_free(struct pd_merge *merge);
/* Whether the record is told in another way, or only of one input. */
bool pd_merge_leaves_out(struct perfdata_rewriter *rewriter, const struct perfdata_raw *raw);
/* Rounds in front of a record that is written. */
enum perfdata_status pd_merge_round(struct perfdata_rewriter *rewriter, const struct perfdata_raw *raw);
/* The record with the ids of the output; how it is laid out there. */
const struct perfdata_config *pd_merge_record(struct perfdata_rewriter *rewriter, const struct perfdata_raw *raw,
					      struct perfdata_record *record);
enum perfdata_status pd_merge_put_events(struct perfdata_rewriter *rewriter);
enum perfdata_status pd_merge_put_sections(struct perfdata_rewriter *rewriter);

/* --- mend.c --- */
/* The attr as readers can use it; *ret_size is how many bytes it is written with. */
void pd_mend_attr(struct perfdata_rewriter *rewriter, const struct perfdata_event *event, struct perfdata_attr *ret,
		  uint32_t *ret_size);
/* Whether perf would refuse the whole file for this section. */
bool pd_mend_refuses(const struct perfdata_rewriter *rewriter, const struct perfdata_feature_section *section);
/* Whether it holds counts of perf stat: its events take no samples. */
bool pd_mend_is_stat(const struct perfdata_rewriter *rewriter);
/* An event for a recording that has none. */
enum perfdata_status pd_mend_no_events(struct perfdata_rewriter *rewriter);
/* Whether perf would stop at this record, whole as it is. */
bool pd_mend_stops_at(const struct perfdata_rewriter *rewriter, const struct perfdata_record *record);
/* Tells, in a record, what was left out in front of this one. */
enum perfdata_status pd_mend_tell_loss(struct perfdata_rewriter *rewriter, const struct perfdata_raw *raw);
/* A note in the section PERFDATA_FEATURE_NOTE. */
enum perfdata_status pd_mend_put_note(struct perfdata_rewriter *rewriter, const char *note);
/* The note of a repaired recording, and sections that can be known. */
enum perfdata_status pd_mend_sections(struct perfdata_rewriter *rewriter);

#endif
