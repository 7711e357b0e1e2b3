/* SPDX-License-Identifier: MIT */
/* What the files of lib/rewrite share.
 *
 *   rewriter.c   the public functions
 *   choice.c     which records stay, and the state from before a cut
 *   copy_record.c a record from the reader to the writer
 *   sections.c   events and feature sections
 *   build_ids.c  build-ids that were found since
 *   anonymize.c, anonymize_rows.c, pseudonym.c, moved_maps.c   other names and addresses in place of the recorded
 *   merge.c, merge_check.c, merge_sections.c   several recordings as one
 *   tracepoints.c   formats of tracepoints, raw data in the other byte order
 *   unwound.c    call chains out of stacks, before those are dropped
 *   identify.c   an id at one place for all events
 *   mend.c       repairs for readers that tolerate less than the library's own
 */
#ifndef PD_REWRITER_H
#define PD_REWRITER_H

#include "base/arena.h"
#include "base/cursor.h"
#include "perfdata/rewrite.h"
#include "schema/schema.h"
#include "reader/reader.h"

#define PD_FIRST_NEW_ID (UINT64_C(1) << 32)   /* of ids that are made up: far above the kernel's, which count from 1 */

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

/* The steps that a session unwound from a sample's stack. */
struct pd_unwound {
	const struct perfdata_step *steps;   /* of the record that is copied */
	unsigned nr;
	uint64_t *words;                 /* its call chain, with the steps */
	size_t room;
	bool no_memory;
	uint64_t stacks, joined;         /* samples that had a stack; chains that the stack completed */
};

struct perfdata_rewriter {
	struct perfdata_rewrite_options options;
	struct perfdata_error error;
	struct pd_arena arena;
	struct perfdata_rewrite_counts counts;

	struct pd_choice choice;
	struct perfdata_bytes *state;    /* records of the state from before a cut, encoded */
	size_t nr_state, state_room;
	bool state_written;
	uint64_t records_at_round;       /* counts.records after the last FINISHED_ROUND */
	unsigned rounds_in_row;          /* with nothing between them */

	/* the copy */
	struct perfdata_reader *reader;  /* borrowed */
	struct pd_writer *writer;
	enum perfdata_byte_order order;       /* of the output */
	bool from_stream, to_stream, from_directory;
	bool keeps_carriers;             /* the copy takes carriers as they are */
	bool keeps_aux;                  /* records that AUX data need stay, whatever their time */
	struct perfdata_config *configs; /* of the output, by version of the event + 1 */
	size_t nr_configs;
	uint64_t first_sample, last_sample;
	uint64_t lost_samples, gaps;     /* since the last good record: the output does not have them yet */
	uint64_t all_lost_samples, all_gaps;
	uint64_t trace_left;             /* bytes that the payload of the last AUXTRACE record still lacks */
	bool in_trace;                   /* some of its bytes were written */
	bool identifies;                 /* all records get an IDENTIFIER: identify.c */
	uint64_t identified_flags;       /* the flag that all attrs then have: SAMPLE_ID_ALL, or none */
	bool build_ids_written;             /* a table of build-ids was written */
	struct pd_anonymizer *anonymizer;   /* or NULL */
	struct pd_merge *merge;          /* of several inputs; or NULL */
	bool surveyed;                   /* the facts needed in advance are known (perfdata_rewriter_survey) */
	bool copied;                     /* all records of the output were written */
	struct pd_unwound unwound;
	uint8_t *turned;                 /* room for a record's raw data in the other byte order; or NULL */
};

typedef enum perfdata_status pd_rewrite_record_fn(struct perfdata_rewriter *rewriter, struct perfdata_reader *reader,
						  const struct perfdata_raw *raw);
/* What a step demands of its reader, which gives the recording from its beginning. */
enum pd_rewrite_demand { PD_DEMAND_TIME = 1, PD_DEMAND_FILE = 2, PD_DEMAND_PAYLOADS = 4 };
/* PERFDATA_EUSAGE: the reader does not meet the demands. */
enum perfdata_status pd_rewrite_accept(struct perfdata_rewriter *rewriter, const struct perfdata_reader *reader,
				       unsigned demands);
/* To be called before the first record of a copy. */
enum perfdata_status pd_rewrite_begin(struct perfdata_rewriter *rewriter, struct perfdata_reader *reader);
/* Whether all that can be read was read: the reader ended, if only because reading its input failed. */
bool pd_rewrite_is_end(const struct perfdata_reader *reader, enum perfdata_status status);
/* Hands over each record that the reader still has, until one fails or the rewriting is cancelled. */
enum perfdata_status pd_rewrite_each(struct perfdata_rewriter *rewriter, struct perfdata_reader *reader,
				     pd_rewrite_record_fn *use);
enum perfdata_status pd_rewrite_failed(struct perfdata_rewriter *rewriter, enum perfdata_status status,
				       const char *what);
/* Takes the status of a call of the writer, and the writer's error if the call failed. */
enum perfdata_status pd_rewrite_written(struct perfdata_rewriter *rewriter, enum perfdata_status status);
void pd_rewrite_tell(struct perfdata_rewriter *rewriter, const char *format, ...) PERFDATA_PRINTF(2, 3);
/* Whether all raw data of the recording can have the output's byte order; if not, the rewriter has failed. */
bool pd_rewrite_can_byteswap(struct perfdata_rewriter *rewriter);
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
/* Whether a record of the kernel goes into the output. */
bool pd_choice_keeps(struct perfdata_rewriter *rewriter, const struct perfdata_raw *raw);
/* Whether the record is about threads, maps or code before the chosen times. */
bool pd_choice_is_past(const struct perfdata_rewriter *rewriter, const struct perfdata_raw *raw);
/* Takes the time out of a record, as records that perf synthesizes at its start have none. */
void pd_forget_time(struct perfdata_record *record);
enum perfdata_status pd_choice_write_state(struct perfdata_rewriter *rewriter);

/* --- copy_record.c --- */
enum perfdata_status pd_copy_record(struct perfdata_rewriter *rewriter, const struct perfdata_raw *raw);

/* --- unwound.c --- */
/* Completes the record's call chain, if the record is a sample with a stack. */
void pd_unwound_join(struct perfdata_rewriter *rewriter, const struct perfdata_raw *raw,
		     struct perfdata_record *record);

/* --- sections.c --- */
enum perfdata_status pd_sections_events(struct perfdata_rewriter *rewriter);
enum perfdata_status pd_sections_features(struct perfdata_rewriter *rewriter);
const char *pd_new_name(const struct perfdata_rewriter *rewriter, const char *name);
/* A FEATURE record with the output's byte order and names of events; PERFDATA_ABSENT: it is left out. */
enum perfdata_status pd_sections_record(struct perfdata_rewriter *rewriter, const struct perfdata_raw *raw, void *out,
					size_t *ret_size);

/* Copies a section, or reports to the user why it is left out. */
enum perfdata_status pd_sections_put(struct perfdata_rewriter *rewriter,
				     const struct perfdata_feature_section *section);
/* An integer of `width` bytes, in the other byte order than this machine's if `swap` is set. */
void pd_append_int(struct perfdata_text *out, bool swap, unsigned width, uint64_t value);
enum perfdata_status pd_sections_times(struct perfdata_rewriter *rewriter);

/* --- build_ids.c --- */
bool pd_build_ids_copy(struct perfdata_rewriter *rewriter);   /* those of the options; false without memory */
/* Sets the build-id of a map if one was found for it; whether it did. */
bool pd_build_ids_fill(const struct perfdata_rewriter *rewriter, struct perfdata_record *record);
/* Appends build-ids that were found to a table in the output's byte order; false without memory. */
bool pd_build_ids_append(struct perfdata_rewriter *rewriter, struct perfdata_text *table);
/* Writes a table of build-ids, if no section was one. */
enum perfdata_status pd_build_ids_finish(struct perfdata_rewriter *rewriter);

/* --- merge.c, merge_sections.c --- */
void pd_merge_free(struct pd_merge *merge);
/* Whether the output has the record's contents in another form, or takes them from another input. */
enum perfdata_status pd_merge_leaves_out(struct perfdata_rewriter *rewriter, const struct perfdata_raw *raw,
					 bool *ret_leaves_out);
/* Writes the rounds that readers need before the record. */
enum perfdata_status pd_merge_round(struct perfdata_rewriter *rewriter, const struct perfdata_raw *raw);
/* Gives the record the ids of the output; returns its layout there. */
const struct perfdata_config *pd_merge_record(struct perfdata_rewriter *rewriter, const struct perfdata_raw *raw,
					      struct perfdata_record *record);
enum perfdata_status pd_merge_put_events(struct perfdata_rewriter *rewriter);
enum perfdata_status pd_merge_put_sections(struct perfdata_rewriter *rewriter);

/* --- identify.c --- */
/* Notes whether the events that the reader knows need an IDENTIFIER to be distinguished. */
void pd_identify_decide(struct perfdata_rewriter *rewriter, const struct perfdata_reader *reader);
/* Where they do: */
void pd_identify_attr(const struct perfdata_rewriter *rewriter, struct perfdata_attr *attr);
/* Sets a record's IDENTIFIER; whether it has one now. */
bool pd_identify_record(const struct perfdata_rewriter *rewriter, const struct perfdata_raw *raw,
			struct perfdata_record *record);
bool pd_identify_has_room(const struct perfdata_rewriter *rewriter, const struct perfdata_raw *raw);
/* The event's first id, or one that is made up for it. */
uint64_t pd_identify_first(const struct perfdata_event *event);

/* --- mend.c --- */
/* The attr as readers can use it; *ret_size is how many bytes it is written with. */
void pd_mend_attr(struct perfdata_rewriter *rewriter, const struct perfdata_event *event, struct perfdata_attr *ret,
		  uint32_t *ret_size);
/* Whether perf would refuse the whole file for this section. */
bool pd_mend_refuses(const struct perfdata_rewriter *rewriter, const struct perfdata_feature_section *section);
/* Whether the recording holds counts of perf stat, whose events take no samples. */
bool pd_mend_is_stat(const struct perfdata_reader *reader);
/* Writes an event for a recording that has none. */
enum perfdata_status pd_mend_no_events(struct perfdata_rewriter *rewriter);
/* Whether perf would stop at this record, though it is whole. */
bool pd_mend_stops_at(const struct perfdata_rewriter *rewriter, const struct perfdata_record *record);
/* Whether attrs are records, which may follow other records. */
bool pd_mend_has_late_events(const struct perfdata_reader *reader);
/* Where attrs are records: gives a record an id of its event, if its own belongs to none. The record belongs to that
 * event since there was no other one before it; readers stop at such an id once there are several events. Returns
 * whether the record changed. */
bool pd_mend_ids(const struct perfdata_rewriter *rewriter, const struct perfdata_raw *raw,
		 struct perfdata_record *record);
/* Writes a record that says what was left out before this one. */
enum perfdata_status pd_mend_tell_loss(struct perfdata_rewriter *rewriter, const struct perfdata_raw *raw);
/* Writes a note as the section PERFDATA_FEATURE_NOTE. */
enum perfdata_status pd_mend_put_note(struct perfdata_rewriter *rewriter, const char *note);
/* Writes the note of a repaired recording, and sections that follow from its events. */
enum perfdata_status pd_mend_sections(struct perfdata_rewriter *rewriter);

#endif
