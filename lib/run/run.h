/* SPDX-License-Identifier: MIT */
/* Emitters and runs, for the rooms of the library; programs include perfdata/emit.h. */
#ifndef PD_ROOM_RUN_H
#define PD_ROOM_RUN_H

#include "perfdata/emit.h"
#include "perfdata/output.h"
#include "perfdata/registry.h"

/* Checks options against the rules of the emitter. PERFDATA_EUSAGE with a message. */
enum perfdata_status pd_emitter_check_options(const struct perfdata_emitter *emitter,
					      const struct perfdata_emitter_option_value *options, size_t nr_options,
					      struct perfdata_error *reterr);
/* Fills *ret as the emitter's table says, then calls its configure. */
enum perfdata_status pd_emitter_configure(const struct perfdata_emitter *emitter,
							     const struct perfdata_emitter_option_value *options,
							     size_t nr_options, enum perfdata_tristate names,
							     struct perfdata_configuration *ret,
							     struct perfdata_error *reterr);

/* Opens another output beside the first; call it in begin and scan. For DIR/x.csv, the name "stacks" opens
 * DIR/x.stacks.csv. PERFDATA_EUSAGE with a message: the first output cannot have others. */
enum perfdata_status pd_outputs_open(struct perfdata_outputs *outputs, const char *name,
							unsigned *ret_output, struct perfdata_error *reterr);

/* Returns the cancel object that also ends the work of `end`; call it from begin on. NULL: `end` completes the document
 * even if the run is cancelled, since bytes in a stream or in memory cannot be taken back, as files can. */
const struct perfdata_cancel *pd_outputs_cancel(const struct perfdata_outputs *outputs);

/* Returns the text of another output; call it in begin, format, merge and end. out: the text of output 0. The output
 * must be open, for format since before the batch was scanned. NULL: there is no memory, or no output of this
 * number. */
struct perfdata_text *pd_emit_text(struct perfdata_text *out, unsigned output);

/* Does the work that merge and end hand over. `encode` runs in any thread, at the same time as scan, format and merge;
 * `placed` never runs at the same time as merge. */
struct pd_encoding {
	/* Must not change the state. */
	enum perfdata_status (*encode)(const void *state, void *work, struct perfdata_scratch *scratch,
				       struct perfdata_text *out);
	/* Optional: receives the place of the work's bytes in an output. Called in order, as merge is. */
	enum perfdata_status (*placed)(void *state, void *work, unsigned output, uint64_t offset, uint64_t size);
	void (*free_work)(void *work);
};
/* Sets what does the work of pd_emit_encode; call it in begin. */
void pd_outputs_encode_by(struct perfdata_outputs *outputs, const struct pd_encoding *encoding);
/* Hands over work, whose encoded bytes will follow the text that was appended so far; call it in merge and end. The run
 * calls encode in any thread, then `placed` in order, then free_work. `out` is empty after the call. */
enum perfdata_status pd_emit_encode(struct perfdata_text *out, void *work);

/* Returns the size of the output so far, before compression; call it in begin, merge and end. The size includes `out`,
 * but no work that is not written yet. */
uint64_t pd_emit_offset(const struct perfdata_text *out);

/* What a run learned of its recording, for later runs that do not read the recording. */
struct pd_run_past {
	bool is_read;                /* the emitters get no batch: `begin` is followed by `end` */
	bool is_damaged;             /* formatting found damage */
};
/* Runs the whole session through the emitters into their outputs, in one pass. `past` (may be NULL) is read, and set
 * once the session was read to its end. PERFDATA_OK also when the input was damaged (see the summary); PERFDATA_EWRITE,
 * PERFDATA_EUSAGE, PERFDATA_EINTR, PERFDATA_ENOMEM, PERFDATA_ELIMIT, PERFDATA_EREAD with reterr. Outputs stay open:
 * the caller closes them. */
enum perfdata_status pd_run_emitters(struct perfdata_session *session, const struct perfdata_target *const *targets,
				     size_t nr_targets, const struct perfdata_run_options *options,
				     struct pd_run_past *past, struct perfdata_error *reterr);

/* Returns the bytes written so far, before compression. */
uint64_t pd_output_written(const struct perfdata_output *output);

#endif
