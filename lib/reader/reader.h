/* SPDX-License-Identifier: MIT */
/* What other folders, mainly the session, need of the reader beyond the public header. */
#ifndef PD_READER_H
#define PD_READER_H

#include "perfdata/input.h"
#include "base/account.h"
#include "perfdata/reader.h"
#include "input/input.h"

/* raw.chunk is never NULL for a record that perfdata_reader_next gave: pd_chunk_hold(raw.chunk) keeps raw.bytes valid
 * until pd_chunk_drop. */

/* The next records, as many as are at hand but at most PD_MAX_RECORDS; all stay valid until the next call of this
 * function or of perfdata_reader_next. In all else it is perfdata_reader_next. The reader may put the records into
 * `room`, which is for PD_MAX_RECORDS, or elsewhere. */
#define PD_MAX_RECORDS 16u
struct pd_record_run {
	const struct perfdata_raw *records;
	unsigned nr;
};
enum perfdata_status pd_reader_next_run(struct perfdata_reader *reader, struct perfdata_raw *room,
					 struct pd_record_run *ret);

/* What counting needs of a sample. */
struct pd_sample_summary {
	const struct perfdata_event *event;
	uint64_t time;                         /* UINT64_MAX if it has none */
	uint32_t size;
};
/* Passes over the records that come next, as far as they are whole samples (pd_sample_is_whole) of known events,
 * at hand, and in the order of the file, and gives a summary of each. 0: the next record is something else, or must be
 * read: pd_reader_next_run gives it. */
unsigned pd_reader_next_summaries(struct perfdata_reader *reader, struct pd_sample_summary *ret, unsigned max);

/* As perfdata_reader_feature_text, also for what `no_meta` hides: for callers that infer something from the text and
 * show it to nobody. */
const char *pd_reader_text(const struct perfdata_reader *reader, uint32_t id);

/* A session begins. in_time: it reads in the order of time where the options leave that open. PERFDATA_EUSAGE: the
 * reader has a session, or was asked for a record already. PERFDATA_ENOMEM. */
enum perfdata_status pd_reader_attach(struct perfdata_reader *reader, bool in_time, struct perfdata_error *reterr);
/* The session is closed. */
void pd_reader_detach(struct perfdata_reader *reader);

/* What the reader was opened for: records in the order of time (perhaps by its session), payloads. */
bool pd_reader_is_in_time(const struct perfdata_reader *reader);
bool pd_reader_gives_payloads(const struct perfdata_reader *reader);
/* Whether it was asked for a record: further records are not all. */
bool pd_reader_was_asked(const struct perfdata_reader *reader);

/* Asks for payloads. To be called before the first record is asked for. */
void pd_reader_give_payloads(struct perfdata_reader *reader);

/* Asks for samples made of traces (enum perfdata_trace_samples). To be called before the first record is asked for.
 * PERFDATA_ENOMEM. */
enum perfdata_status pd_reader_make_samples(struct perfdata_reader *reader, uint32_t wanted);

/* The listener that receives the reader's findings. */
struct pd_listener {
	perfdata_finding_fn *on_finding;       /* or NULL: nobody */
	void *user;
};
/* Sets the listener from now on; returns the former listener. */
struct pd_listener pd_reader_listen(struct perfdata_reader *reader, struct pd_listener listener);

/* False if the next record of a pipe would have to be waited for: the session closes its batch then, so that lines
 * leave early. True for all other inputs. */
bool pd_reader_ready(const struct perfdata_reader *reader);

/* When the recording was last written, by the times of its files: ns since 1970; 0: no file has a time. */
int64_t pd_reader_written(const struct perfdata_reader *reader);

/* Samples of the event weigh the time that threads were off the CPU. To be called before the first record is asked
 * for. */
void pd_reader_weigh_off_cpu(struct perfdata_reader *reader, uint32_t event);
/* The finding that samples weigh time on and off the CPU. */
void pd_reader_tell_off_cpu(struct perfdata_reader *reader);
/* Reports why spans are incomplete: SPANS_SAMPLED, SPANS_UNKNOWN, SPANS_PART. */
void pd_reader_tell_spans(struct perfdata_reader *reader, enum perfdata_finding_code code, const char *message);

/* The account of memory that the reader's session draws from. */
struct pd_account *pd_reader_account(struct perfdata_reader *reader);
/* Frees the memory that is kept for further reading. Call it when nothing more is read. */
void pd_reader_trim(struct perfdata_reader *reader);

/* Symbols in records of simpleperf, as a section FILE has them; no data: there are none. */
struct perfdata_bytes pd_reader_symbol_records(const struct perfdata_reader *reader);
/* Whether the recorded command line, if there is one, runs simpleperf. */
bool pd_reader_cmdline_is_simpleperf(const struct perfdata_reader *reader);

/* What frames of zstd unpack to; its room is taken from the account. */
struct pd_unpacked {
	uint8_t *bytes;
	size_t size, room;
};
/* The records of simpleperf's section INIT_MAP, decompressed: the maps that existed before the first record. *ret is
 * empty if the recording has no INIT_MAP. The caller frees *ret, after a failure too. */
enum perfdata_status pd_reader_init_map(struct perfdata_reader *reader, struct pd_unpacked *ret);
void pd_reader_unpacked_free(struct perfdata_reader *reader, struct pd_unpacked *unpacked);

/* The value of a key of simpleperf's META_INFO, also where `no_meta` hides that section; no data: it has no such
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
	/* the record, header first, contiguous; borrowed as the struct */
	const uint8_t *bytes;
	const struct perfdata_event *event;    /* or NULL */
	/* bytes from the start of the file's decompressed stream; if inner is set, to the carrier */
	uint64_t offset;
	/* for records inside COMPRESSED ones: bytes from the start of all that the file's carriers decompress to; else
	 * PERFDATA_NO_OFFSET */
	uint64_t inner;
	uint64_t number;                       /* of the record in file order, from 0 */
	uint64_t time;                         /* ns; UINT64_MAX if it has none */
	/* bytes that follow the record in the file (AUXTRACE, TRACING_DATA of a pipe) */
	uint64_t payload;
	uint32_t size;                         /* bytes of the record */
	uint32_t type;
	uint32_t cpu;                          /* UINT32_MAX if it has none */
	int32_t pid, tid;                      /* of the sample or the trailer; -1 if it has none */
	uint16_t misc;
	uint16_t file;                         /* see pd_reader_file_name */
	uint16_t flags;                        /* enum perfdata_raw_flag */
	/* for the library: the fields reach exactly to the record's end; 0: not checked */
	uint16_t known_whole;
	struct pd_chunk *chunk;                /* for the library */
};

/* The name of file `index` (the record's `file`): the path itself, "DIR/data", "DIR/data.0", … */
const char *pd_reader_file_name(const struct perfdata_reader *reader, unsigned index);

/* False for an input whose end was not fed yet: what needs the whole recording at once must not begin. */
bool pd_input_is_whole(const struct perfdata_input *input);

/* The architecture of the recorded machine: from E_MACHINE, else ARCH, else inferred from the processor, the release or
 * the mask of user registers. */
enum perfdata_arch pd_reader_arch(const struct perfdata_reader *reader);

/* Tracepoint formats of the recording, or NULL. Immutable; borrowed until close. */
const struct perfdata_trace *pd_reader_trace(const struct perfdata_reader *reader);

#endif
