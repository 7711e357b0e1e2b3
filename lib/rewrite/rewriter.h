/* SPDX-License-Identifier: MIT */
/* What the files of lib/rewrite share.
 *
 *   rewriter.c      the public functions
 *   choice.c        decides which records are kept; writes the state from before a cut
 *   counters.c      values of counters in samples that are kept when others are not
 *   copy_record.c   copies a record from the reader to the writer
 *   sections.c      writes events and feature sections
 *   build_ids.c     adds build-ids that the user found after the recording
 *   anonymize.c, anonymize_rows.c, pseudonym.c, moved_maps.c   replace names and addresses
 *   merge.c, merge_check.c, merge_sections.c   join several recordings
 *   tracepoints.c   writes formats of tracepoints; converts raw data to the other byte order
 *   unwound.c       adds steps to call chains, before the stacks are dropped
 *   identify.c      gives all records an id at the same place
 *   mend.c          repairs recordings for readers that tolerate less than the library's own
 */
#ifndef PD_REWRITER_H
#define PD_REWRITER_H

#include "base/arena.h"
#include "base/cursor.h"
#include "base/hash.h"
#include "perfdata/rewrite.h"
#include "schema/schema.h"
#include "reader/reader.h"

#define PD_FIRST_NEW_ID (UINT64_C(1) << 32)   /* first id that the rewriter assigns; the kernel's count from 1 */

struct pd_anonymizer;
struct perfdata_step;
struct pd_merge;

/* A kept sample that reads counters. */
struct pd_counted {
	uint64_t key;
	size_t first;                    /* index of its first new value */
};

/* The samples of an input that are kept, and other records that are not. */
struct pd_choice {
	bool chosen;
	uint64_t first, last;            /* times, ns */
	uint64_t *kept;                  /* keys of the kept samples, ascending */
	size_t nr_kept, kept_room;
	uint64_t *left_out;              /* keys of other records that do not pass the filter, ascending */
	size_t nr_left_out, left_out_room;
	struct pd_counted *counted;      /* ascending */
	size_t nr_counted, counted_room;
	uint64_t *values;                /* values of counters in the output */
	size_t nr_values, values_room;
	struct pd_hash_map read, sums;   /* by counter: its last value in the input, in the output */
	struct pd_hash_map deferring;    /* threads with kept samples whose chains may come later */
};

/* The steps that a session unwound from a sample's stack. */
struct pd_unwound {
	const struct perfdata_step *steps;   /* steps of the current record, borrowed from the session */
	unsigned nr;
	uint64_t *words;                 /* the record's new call chain, steps included */
	size_t room;
	bool no_memory;
	uint64_t stacks, joined;         /* samples with a stack; samples whose chain got steps */
};

struct perfdata_rewriter {
	struct perfdata_rewrite_options options;
	struct perfdata_error error;
	struct pd_arena arena;
	struct perfdata_rewrite_counts counts;

	struct pd_choice choice;
	struct perfdata_bytes *state;    /* encoded records of the state before a cut */
	size_t nr_state, state_room;
	bool state_written;
	uint64_t records_at_round;       /* counts.records after the last FINISHED_ROUND */
	unsigned rounds_in_row;          /* FINISHED_ROUND records without other records between them */

	/* fields of the copy */
	struct perfdata_reader *reader;  /* borrowed */
	struct pd_writer *writer;
	enum perfdata_byte_order order;       /* of the output */
	bool from_stream, to_stream, from_directory;
	bool keeps_carriers;             /* the copy keeps COMPRESSED records as they are */
	bool restarts;                   /* counters in samples start at 0: see PD_COUNTERS_RESTART */
	bool keeps_aux;                  /* records that AUX data need are kept, whatever their time */
	struct perfdata_config *configs; /* layouts of the output: [0] without an event, [i + 1] of event version i */
	size_t nr_configs;
	uint64_t first_sample, last_sample;
	uint64_t lost_samples, gaps;     /* losses since the last good record, not yet written */
	uint64_t all_lost_samples, all_gaps;
	uint64_t trace_left;             /* bytes of the last AUXTRACE record's payload that are not yet written */
	bool in_trace;                   /* some of the payload was written */
	bool identifies;                 /* all records get an IDENTIFIER: identify.c */
	uint64_t identified_flags;       /* SAMPLE_ID_ALL if all attrs get this flag, else 0 */
	bool build_ids_written;             /* a table of build-ids was written */
	struct pd_anonymizer *anonymizer;   /* NULL: not anonymous */
	struct pd_merge *merge;          /* NULL: one input */
	bool surveyed;                   /* perfdata_rewriter_survey has read the input */
	bool copied;                     /* all records of the output were written */
	struct pd_unwound unwound;
	uint8_t *values;                 /* counters of a sample, with new values; NULL until needed */
	size_t values_room;
	uint8_t *turned;                 /* raw data of a record in the other byte order; NULL until needed */
};

typedef enum perfdata_status pd_rewrite_record_fn(struct perfdata_rewriter *rewriter, struct perfdata_reader *reader,
						  const struct perfdata_raw *raw);
/* Demands of a step on its reader. The reader must be at the beginning of the recording. */
enum pd_rewrite_demand { PD_DEMAND_TIME = 1, PD_DEMAND_FILE = 2, PD_DEMAND_PAYLOADS = 4 };
/* Returns PERFDATA_EUSAGE if the reader does not meet the demands. */
enum perfdata_status pd_rewrite_accept(struct perfdata_rewriter *rewriter, const struct perfdata_reader *reader,
				       unsigned demands);
/* Starts a copy. Call this before the first record. */
enum perfdata_status pd_rewrite_begin(struct perfdata_rewriter *rewriter, struct perfdata_reader *reader);
/* Whether the reader has ended. A reader whose input cannot be read any more has ended too. */
bool pd_rewrite_is_end(const struct perfdata_reader *reader, enum perfdata_status status);
/* Calls `use` for each further record of the reader, until a call fails or the user cancels. */
enum perfdata_status pd_rewrite_each(struct perfdata_rewriter *rewriter, struct perfdata_reader *reader,
				     pd_rewrite_record_fn *use);
enum perfdata_status pd_rewrite_failed(struct perfdata_rewriter *rewriter, enum perfdata_status status,
				       const char *what);
/* Returns the status of a call of the writer; copies the writer's error if the call failed. */
enum perfdata_status pd_rewrite_written(struct perfdata_rewriter *rewriter, enum perfdata_status status);
void pd_rewrite_tell(struct perfdata_rewriter *rewriter, const char *format, ...) PERFDATA_PRINTF(2, 3);
/* Whether all raw data can be converted to the output's byte order. Sets the rewriter's error if not. */
bool pd_rewrite_can_byteswap(struct perfdata_rewriter *rewriter);
bool pd_rewrite_changes_order(const struct perfdata_rewriter *rewriter);
enum perfdata_byte_order pd_rewrite_order_of(const struct perfdata_rewrite_options *options,
					     const struct perfdata_reader *reader);
enum perfdata_status pd_rewrite_make_writer(struct perfdata_rewriter *rewriter);
enum perfdata_status pd_rewrite_put_round(struct perfdata_rewriter *rewriter);
/* Layout of the record in the input, and in the output (NULL without memory). */
const struct perfdata_config *pd_rewrite_source(const struct perfdata_reader *reader, const struct perfdata_raw *raw);
const struct perfdata_config *pd_rewrite_target(struct perfdata_rewriter *rewriter, const struct perfdata_raw *raw);

static inline bool pd_has_time(const struct perfdata_raw *raw) { return raw->time != UINT64_MAX && raw->time != 0; }
static inline bool pd_reads_counters(const struct perfdata_raw *raw)
{
	return raw->type == PERFDATA_RECORD_SAMPLE && raw->event &&
	       raw->event->attr->sample_type & PERFDATA_SAMPLE_READ;
}

/* --- choice.c --- */
/* Whether the output gets this record, if it is one of the kernel or a count of perf stat. */
bool pd_choice_keeps(struct perfdata_rewriter *rewriter, const struct perfdata_raw *raw);
/* Whether AUX data cannot be decoded without records of this type. AUX data are copied whole. */
bool pd_belongs_to_aux(uint32_t type);
/* Whether the record belongs to the state: it is about threads, maps or code, before the chosen times. */
bool pd_choice_is_past(const struct perfdata_rewriter *rewriter, const struct perfdata_raw *raw);
/* Removes the time from a record. Records that perf synthesizes at its start have none. */
void pd_forget_time(struct perfdata_record *record);
enum perfdata_status pd_choice_write_state(struct perfdata_rewriter *rewriter);

/* Returns a number that no other record of the input has. */
uint64_t pd_choice_key(const struct perfdata_raw *raw);

/* --- counters.c --- */
/* Decides about a sample, in the order of time. wanted: it meets all conditions but that on its event. */
enum perfdata_status pd_counters_choose(struct perfdata_rewriter *rewriter, struct perfdata_session *session,
					const struct perfdata_raw *raw, bool wanted, bool *ret_kept);
/* Call it after the last sample. */
void pd_counters_chosen(struct perfdata_rewriter *rewriter);
/* Sets the counters of a kept sample to their values in the output. Returns whether it did. */
bool pd_counters_set(struct perfdata_rewriter *rewriter, const struct perfdata_raw *raw,
		     struct perfdata_record *record);
/* The end of the section PERFDATA_FEATURE_NOTE of a recording whose counters do not continue those of recordings before
 * it. */
#define PD_COUNTERS_RESTART "; counters in samples start at 0"
bool pd_counters_restart(const struct perfdata_reader *reader);
/* In a merge: sets the counters of a sample, after its ids, to what all inputs together have counted. Returns false
 * after an error. */
bool pd_counters_join(struct perfdata_rewriter *rewriter, const struct perfdata_raw *raw,
		      struct perfdata_record *record);
void pd_choice_release(struct pd_choice *choice);

/* --- copy_record.c --- */
enum perfdata_status pd_copy_record(struct perfdata_rewriter *rewriter, const struct perfdata_raw *raw);

/* --- unwound.c --- */
/* Adds the unwound steps to the call chain if the record is a sample with a stack. */
void pd_unwound_join(struct perfdata_rewriter *rewriter, const struct perfdata_raw *raw,
		     struct perfdata_record *record);

/* --- sections.c --- */
enum perfdata_status pd_sections_events(struct perfdata_rewriter *rewriter);
enum perfdata_status pd_sections_features(struct perfdata_rewriter *rewriter);
const char *pd_new_name(const struct perfdata_rewriter *rewriter, const char *name);
/* Makes a FEATURE record with the output's byte order and event names. PERFDATA_ABSENT: leave the record out. */
enum perfdata_status pd_sections_record(struct perfdata_rewriter *rewriter, const struct perfdata_raw *raw, void *out,
					size_t *ret_size);

/* Copies a section, or reports to the user why it is left out. */
enum perfdata_status pd_sections_put(struct perfdata_rewriter *rewriter,
				     const struct perfdata_feature_section *section);
/* Appends an integer of `width` bytes. swap: the output has the other byte order than this machine. */
void pd_append_int(struct perfdata_text *out, bool swap, unsigned width, uint64_t value);
enum perfdata_status pd_sections_times(struct perfdata_rewriter *rewriter);

/* --- build_ids.c --- */
bool pd_build_ids_copy(struct perfdata_rewriter *rewriter); /* copies the build-ids of the options; false: no memory */
/* Sets the build-id of a map if the user found one for it. Returns whether it did. */
bool pd_build_ids_fill(const struct perfdata_rewriter *rewriter, struct perfdata_record *record);
/* Appends the build-ids that the user found to a table in the output's byte order. False: no memory. */
bool pd_build_ids_append(struct perfdata_rewriter *rewriter, struct perfdata_text *table);
/* Writes a table of build-ids unless a section was one. */
enum perfdata_status pd_build_ids_finish(struct perfdata_rewriter *rewriter);

/* --- merge.c, merge_sections.c --- */
void pd_merge_free(struct pd_merge *merge);
/* Sets *ret_leaves_out if the output gets the contents of the record in another form or from another input. */
enum perfdata_status pd_merge_leaves_out(struct perfdata_rewriter *rewriter, const struct perfdata_raw *raw,
					 bool *ret_leaves_out);
/* Writes the FINISHED_ROUND records that readers need before this record. */
enum perfdata_status pd_merge_round(struct perfdata_rewriter *rewriter, const struct perfdata_raw *raw);
/* Replaces the ids of the record; returns its layout in the output. */
const struct perfdata_config *pd_merge_record(struct perfdata_rewriter *rewriter, const struct perfdata_raw *raw,
					      struct perfdata_record *record);
enum perfdata_status pd_merge_put_events(struct perfdata_rewriter *rewriter);
enum perfdata_status pd_merge_put_sections(struct perfdata_rewriter *rewriter);

/* --- identify.c --- */
/* Decides whether the events of the reader need an IDENTIFIER so that readers can distinguish them. */
void pd_identify_decide(struct perfdata_rewriter *rewriter, const struct perfdata_reader *reader);
/* Sets IDENTIFIER in the attr if pd_identify_decide decided so. */
void pd_identify_attr(const struct perfdata_rewriter *rewriter, struct perfdata_attr *attr);
/* Sets the record's IDENTIFIER if its event has one. Returns whether it did. */
bool pd_identify_record(const struct perfdata_rewriter *rewriter, const struct perfdata_raw *raw,
			struct perfdata_record *record);
bool pd_identify_has_room(const struct perfdata_rewriter *rewriter, const struct perfdata_raw *raw);
/* Returns the event's first id, or an id that the rewriter assigns to it. */
uint64_t pd_identify_first(const struct perfdata_event *event);

/* --- mend.c --- */
/* Sets *ret to an attr that perf accepts, and *ret_size to its size in bytes in the output. */
void pd_mend_attr(struct perfdata_rewriter *rewriter, const struct perfdata_event *event, struct perfdata_attr *ret,
		  uint32_t *ret_size);
/* Whether perf would refuse the whole file because of this section. */
bool pd_mend_refuses(const struct perfdata_rewriter *rewriter, const struct perfdata_feature_section *section);
/* Whether some formats of tracepoints of a recording that is repaired cannot be read. perf would then read none of
 * them, so the output gets those that can be read, as a section. */
bool pd_mend_trace_is_damaged(const struct perfdata_rewriter *rewriter);
/* Sets *ret_damaged if the record is to be repaired and the formats of tracepoints inside it cannot all be read.
 * Readers take them from the first record that has any, which is another one if the output lacks this one. */
enum perfdata_status pd_mend_trace_record(struct perfdata_rewriter *rewriter, const struct perfdata_raw *raw,
					  bool *ret_damaged);
/* Whether the recording holds counts of perf stat, whose events take no samples. */
bool pd_mend_is_stat(const struct perfdata_reader *reader);
/* Writes an event if the recording has none. */
enum perfdata_status pd_mend_no_events(struct perfdata_rewriter *rewriter);
/* Whether perf would stop at this record although the record is whole. */
bool pd_mend_stops_at(const struct perfdata_rewriter *rewriter, const struct perfdata_record *record);
/* Whether attrs are records, so that an attr may follow other records. */
bool pd_mend_has_late_events(const struct perfdata_reader *reader);
/* If attrs are records: gives a record whose id belongs to no event an id of its event. When it was recorded there was
 * only one event; readers stop at an unknown id once there are several. Returns whether the record changed. */
bool pd_mend_ids(const struct perfdata_rewriter *rewriter, const struct perfdata_raw *raw,
		 struct perfdata_record *record);
/* Writes a record that states the loss before this record. */
enum perfdata_status pd_mend_tell_loss(struct perfdata_rewriter *rewriter, const struct perfdata_raw *raw);
/* Writes the note as the section PERFDATA_FEATURE_NOTE. */
enum perfdata_status pd_mend_put_note(struct perfdata_rewriter *rewriter, const char *note);
/* Writes the note of a repaired recording, and the sections that depend on its events. */
enum perfdata_status pd_mend_sections(struct perfdata_rewriter *rewriter);

#endif
