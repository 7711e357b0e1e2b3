/* SPDX-License-Identifier: MIT */
/* Emitters and runs, for the rooms of the library; programs have perfdata/emit.h. */
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

/* In begin and scan: opens another output beside the first, called `name` ("stacks": for an output DIR/x.csv that is
 * DIR/x.stacks.csv). PERFDATA_EUSAGE with a message where the first output cannot have others. */
enum perfdata_status pd_outputs_open(struct perfdata_outputs *outputs, const char *name,
							unsigned *ret_output, struct perfdata_error *reterr);

/* From begin on: the cancel object that ends the work of `end`, too; NULL: the document is completed in any case, since
 * bytes that went to a stream, to memory or to functions cannot be taken back. A file is given up instead. */
const struct perfdata_cancel *pd_outputs_cancel(const struct perfdata_outputs *outputs);

/* Where bytes go in begin, format, merge and end: `out` is the text of output 0; this returns the text of another
 * output that was opened before (for format: before the batch was scanned). NULL without memory, and for a number
 * without an output. */
struct perfdata_text *pd_emit_text(struct perfdata_text *out, unsigned output);

/* Work that merge and end hand over, so that any thread can do it (encode); runs at the same time as scan, format and
 * merge, `placed` never at the same time as merge. */
struct pd_encoding {
	/* state is read only */
	enum perfdata_status (*encode)(const void *state, void *work, struct perfdata_scratch *scratch,
				       struct perfdata_text *out);
	/* Optional: the bytes of the work are at `offset` of output `output`. In order, as merge. */
	enum perfdata_status (*placed)(void *state, void *work, unsigned output, uint64_t offset, uint64_t size);
	void (*free_work)(void *work);
};
/* In begin: who encodes the work that pd_emit_encode takes. */
void pd_outputs_encode_by(struct perfdata_outputs *outputs, const struct pd_encoding *encoding);
/* In merge and end: the bytes of the work will come here, after the text that was appended so far. Takes over `work`.
 * The run calls encode for it in any thread, then `placed` in order, then free_work. `out` is empty after the call. */
enum perfdata_status pd_emit_encode(struct perfdata_text *out, void *work);

/* In begin, merge and end: bytes of this output so far, before compression, including those in the text, but not work
 * whose bytes are not known yet. */
uint64_t pd_emit_offset(const struct perfdata_text *out);

/* What a run learned of its recording, for runs that answer without reading it. */
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

/* Bytes written so far, before compression. */
uint64_t pd_output_written(const struct perfdata_output *output);

#endif
