/* SPDX-License-Identifier: MIT */
/* Functions of the reader for other folders, mainly the session, beyond the public header. */
#ifndef PD_READER_H
#define PD_READER_H

#include "perfdata/input.h"
#include "base/account.h"
#include "perfdata/reader.h"
#include "input/input.h"

/* Records from perfdata_reader_next have a raw.chunk: pd_chunk_hold(raw.chunk) keeps raw.bytes valid until
 * pd_chunk_drop. */

#define PD_MAX_RECORDS 16u
struct pd_record_run {
	const struct perfdata_raw *records;
	unsigned nr;
};
/* As perfdata_reader_next, but returns all records at hand, at most PD_MAX_RECORDS. They stay valid until the next call
 * of this function or of perfdata_reader_next. The reader puts the records into `room`, which is for PD_MAX_RECORDS, or
 * elsewhere. */
enum perfdata_status pd_reader_next_run(struct perfdata_reader *reader, struct perfdata_raw *room,
					 struct pd_record_run *ret);

/* The members of a sample that counting needs. */
struct pd_sample_summary {
	const struct perfdata_event *event;
	uint64_t time;                         /* UINT64_MAX if it has none */
	uint32_t size;
};
/* Takes the next records as long as they are at hand, whole samples (pd_sample_is_whole) of known events, and in the
 * order of the file; returns a summary of each. 0: the next record is none of these; pd_reader_next_run returns it. */
unsigned pd_reader_next_summaries(struct perfdata_reader *reader, struct pd_sample_summary *ret, unsigned max);

/* False if records are still to bring events, or formats that decide who needs the samples of an event. */
bool pd_reader_may_pass_over(const struct perfdata_reader *reader);
/* Lets the reader pass over complete samples of the event, which nobody needs, if it has returned an earlier sample of
 * their thread: they show nothing new. after: only if it has also returned an earlier sample of this event; or NULL.
 * The reader counts samples that it passes over. Call it before the first record is asked for, and only if
 * pd_reader_may_pass_over. PERFDATA_ENOMEM. */
enum perfdata_status pd_reader_pass_over(struct perfdata_reader *reader, const struct perfdata_event *event,
					 const struct perfdata_event *after);
/* How many samples of the event with this index were passed over since the last call. */
uint64_t pd_reader_take_passed(struct perfdata_reader *reader, size_t event);
struct pd_passed_sum {
	uint64_t bytes;                        /* of the samples passed over since the last call */
	uint64_t first_time, last_time;        /* of all passed samples, in ns; UINT64_MAX: there are none */
};
struct pd_passed_sum pd_reader_take_passed_sum(struct perfdata_reader *reader);

/* As perfdata_reader_feature_text, but ignores `no_meta`: for callers that draw conclusions from the text without
 * showing it. */
const char *pd_reader_text(const struct perfdata_reader *reader, uint32_t id);

/* Attaches a session. in_time: the session reads in the order of time if the reader's options name no order.
 * PERFDATA_EUSAGE: the reader has a session, or was asked for a record already. PERFDATA_ENOMEM. */
enum perfdata_status pd_reader_attach(struct perfdata_reader *reader, bool in_time, struct perfdata_error *reterr);
/* Detaches the session: another one may be attached. */
void pd_reader_detach(struct perfdata_reader *reader);

/* Whether the reader returns records in order of time, by its options or for its session; whether it returns
 * payloads. */
bool pd_reader_is_in_time(const struct perfdata_reader *reader);
bool pd_reader_gives_payloads(const struct perfdata_reader *reader);
/* From now on the reader searches a payload for records if its size reaches beyond the end of the input, instead of
 * returning it: the size may be wrong. */
void pd_reader_drop_cut_payloads(struct perfdata_reader *reader);
/* Whether the reader was asked for a record already: a caller that starts now would miss records. */
bool pd_reader_was_asked(const struct perfdata_reader *reader);

/* Makes the reader return payloads. Call it before the first record is asked for. */
void pd_reader_give_payloads(struct perfdata_reader *reader);

/* Lets the reader leave out parts of the copies of user stacks in large samples. Call it before the first record is
 * asked for. */
void pd_reader_leave_out_stacks(struct perfdata_reader *reader);
/* Whether events copy user stacks into samples, so that samples are large. */
bool pd_reader_copies_stacks(const struct perfdata_reader *reader);
/* Other threads will call pd_reader_help, instead of a thread of the reader. Call it before the first record. True:
 * there are many bytes to read. */
bool pd_reader_let_help(struct perfdata_reader *reader);
/* For any thread, until the reader is closed. pd_reader_help reads bytes ahead; false: none are to be read. */
bool pd_reader_needs_help(struct perfdata_reader *reader);
bool pd_reader_help(struct perfdata_reader *reader);
/* Reads the part that was left out, up to byte `end` of the record, in place. Any thread, but one at a time for a
 * record; nobody else may read these bytes meanwhile. PERFDATA_EREAD; reterr may be NULL. */
enum perfdata_status pd_raw_read_stack(const struct perfdata_raw *raw, size_t end, struct perfdata_error *reterr);

/* Makes the reader return samples made of traces (enum perfdata_trace_samples). Call it before the first record is
 * asked for. PERFDATA_ENOMEM. */
enum perfdata_status pd_reader_make_samples(struct perfdata_reader *reader, uint32_t wanted);

/* The listener that receives the reader's findings. */
struct pd_listener {
	perfdata_finding_fn *on_finding;       /* NULL: no function */
	void *user;
};
/* Sets the listener from now on; returns the former listener. */
struct pd_listener pd_reader_listen(struct perfdata_reader *reader, struct pd_listener listener);

/* False if the writer of a pipe has not written the next record yet: the session then closes its batch, so that output
 * is not delayed. True for all other inputs. */
bool pd_reader_ready(const struct perfdata_reader *reader);

/* When the recording was last written, by the times of its files: ns since 1970; 0: no file has a time. */
int64_t pd_reader_written(const struct perfdata_reader *reader);

/* From now on samples of the event weigh the time that threads were off the CPU. Call it before the first record is
 * asked for. */
void pd_reader_weigh_off_cpu(struct perfdata_reader *reader, uint32_t event);
/* Reports the finding that samples weigh time on and off the CPU. */
void pd_reader_tell_off_cpu(struct perfdata_reader *reader);
/* Reports a finding of the session about the whole recording. */
void pd_reader_tell(struct perfdata_reader *reader, enum perfdata_finding_code code, const char *message);

/* The account of memory that the reader's session draws from. */
struct pd_account *pd_reader_account(struct perfdata_reader *reader);
/* Frees memory that only further reading needs. Call it when nothing more is read. */
void pd_reader_trim(struct perfdata_reader *reader);

/* The symbols of simpleperf's DSO and SYMBOL records, in the layout of the section FILE; no data: there are none. */
struct perfdata_bytes pd_reader_symbol_records(const struct perfdata_reader *reader);
/* Whether the recorded command line, if there is one, runs simpleperf. */
bool pd_reader_cmdline_is_simpleperf(const struct perfdata_reader *reader);

/* Bytes decompressed from zstd frames; the account counts their memory. */
struct pd_unpacked {
	uint8_t *bytes;
	size_t size, room;
};
/* The records of simpleperf's section INIT_MAP, decompressed: the maps that existed before the first record. *ret is
 * empty if the recording has no INIT_MAP. The caller frees *ret, after a failure too. */
enum perfdata_status pd_reader_init_map(struct perfdata_reader *reader, struct pd_unpacked *ret);
void pd_reader_unpacked_free(struct perfdata_reader *reader, struct pd_unpacked *unpacked);

/* The value of a key in simpleperf's META_INFO, even if `no_meta` hides that section; no data: META_INFO lacks the
 * key. */
struct perfdata_bytes pd_reader_meta(const struct perfdata_reader *reader, const char *key);

/* The losses that simpleperf's META_INFO states; 0 if it states none. LOST records also report the kernel's losses. */
struct pd_meta_losses {
	uint64_t kernel_records, user_records, user_samples;
};
void pd_reader_meta_losses(const struct perfdata_reader *reader, struct pd_meta_losses *ret);

/* --- for other rooms --- */

/* The records of a batch are an array: &batch->records[i] is perfdata_batch_record(batch, i). */
struct perfdata_raw {
	/* the whole record, header first; borrowed, as long as the struct itself */
	const uint8_t *bytes;
	const struct perfdata_event *event;    /* or NULL */
	/* bytes from the start of the file's decompressed stream to the record or, if `inner` is set, to its carrier */
	uint64_t offset;
	/* of a record inside COMPRESSED ones: bytes from the start of the decompressed data of all the file's carriers;
	 * else PERFDATA_NO_OFFSET */
	uint64_t inner;
	uint64_t number;                       /* the record's number in file order, from 0 */
	uint64_t time;                         /* ns; UINT64_MAX if it has none */
	/* bytes that follow the record in the file (AUXTRACE, TRACING_DATA of a pipe) */
	uint64_t payload;
	uint32_t size;                         /* bytes of the record */
	uint32_t type;
	uint32_t cpu;                          /* UINT32_MAX if it has none */
	int32_t pid, tid;                      /* from the sample or the trailer; -1: none */
	uint16_t misc;
	uint16_t file;                         /* see pd_reader_file_name */
	uint16_t flags;                        /* enum perfdata_raw_flag */
	/* for the library: the record's fields end exactly at its end; 0: not checked */
	uint16_t known_whole;
	/* for the library: the part of a user stack's copy that was not read, from the start of the record on; left_out
	 * 0: all bytes are there. See pd_raw_read_stack */
	uint16_t left_out_at, left_out;
	struct pd_chunk *chunk;                /* for the library */
};

/* The name of file `index` (the record's `file`): the path itself, "DIR/data", "DIR/data.0", … */
const char *pd_reader_file_name(const struct perfdata_reader *reader, unsigned index);

/* False until an input that is fed has all its bytes: work that needs the whole recording must not begin. */
bool pd_input_is_whole(const struct perfdata_input *input);

/* The architecture of the recorded machine: from E_MACHINE, else ARCH, else inferred from the processor, the release or
 * the mask of user registers. */
enum perfdata_arch pd_reader_arch(const struct perfdata_reader *reader);

/* Tracepoint formats of the recording, or NULL. Immutable; borrowed until close. */
const struct perfdata_trace *pd_reader_trace(const struct perfdata_reader *reader);
/* Whether some bytes of the tracing data could not be read. */
bool pd_reader_trace_is_damaged(const struct perfdata_reader *reader);
/* The tracing data inside a record of simpleperf; empty: none. */
struct perfdata_bytes pd_reader_inner_trace(const struct perfdata_reader *reader, const struct perfdata_raw *raw);

#endif
