/* SPDX-License-Identifier: MIT */
/* What the files of lib/reader share. Who does what:
 *
 *   reader.c           open, close, the next record in file order, small getters
 *   reader_finding.c   findings
 *   container.c        the form of an input; the file header and the tables that it points to
 *   directory.c        the files of a directory recording
 *   reader_events.c    attrs, ids, names, versions; which event a record belongs to
 *   reader_features.c  feature sections, of files and of streams
 *   reader_arch.c      the architecture, which gives registers their names
 *   user_record.c      the facts that the reader takes from records that perf itself writes
 *   window.c           contiguous bytes out of chunks
 *   left_out.c         copies of user stacks that nobody needs
 *   framing.c          records out of a window
 *   salvage.c          the next plausible record after damage
 *   unpack.c           COMPRESSED records
 *   frames_unpack.c    payloads of traces that simpleperf compressed
 *   meta_info.c        names of events and losses in simpleperf's META_INFO
 *   symbol_records.c   symbols of the first recordings of simpleperf
 *   split.c            records of simpleperf that were split
 *   trace_samples.c    samples made of traces
 *   ahead.c            the reading thread, which reads records before the caller asks for them
 *   order.c            time order; order_runs.c merges, order_rest.c looks ahead
 *   spill.c            waiting records that do not fit into memory; order_spilled.c merges their runs
 */
#ifndef PD_READER_IMPL_H
#define PD_READER_IMPL_H

#include "schema/schema.h"
#include "base/arena.h"
#include "base/cursor.h"
#include "base/hash.h"
#include "base/prefetch.h"
#include "codec/codec.h"
#include "reader/reader.h"
#include "schema/sample_scan.h"

#define PD_NR_FEATURES 256
#define PD_MAX_BLOB (256u << 20)     /* bytes of a feature section or of tracing data that are read */
#define PD_MAX_LAYOUTS 8             /* most places at which ids are looked for */
#define PD_TRACING_DATA_ALONE 16u    /* largest TRACING_DATA record with data after it; larger ones contain it */
#define PD_MAX_JOINED (64u << 20)    /* largest size of a record joined from its parts */
#define PD_TURN_BYTES (2u << 20)     /* bytes of each file of a directory in turn, as perf reads them */

/* Contiguous bytes of a stream of records, all in one chunk. When more bytes are needed, the unused ones move to the
 * headroom of the next chunk. */
struct pd_window {
	struct pd_stream *stream;
	struct pd_chunk *chunk;      /* held; NULL before the first */
	const uint8_t *at, *end;
	uint64_t offset;             /* offset of *at in the stream */
	uint64_t limit;              /* offset of the end of the records, if known, else UINT64_MAX */
	uint64_t skip;               /* bytes of a payload that are still to be passed over */
	struct {
		bool active;         /* return the pieces of a payload before the next record */
		uint64_t left;       /* bytes not yet returned */
		unsigned overlap;    /* bytes at the position that an earlier piece has returned already */
		/* held: the decompressed payload, if it was compressed; or NULL */
		struct pd_chunk *unpacked;
		size_t unpacked_at;  /* offset of the next piece in `unpacked` */
		uint64_t offset;     /* offset of the compressed payload */
		size_t charged;      /* bytes drawn from the account for the decompressed payload */
	} payload;
	bool is_inner;               /* the window is over decompressed data of COMPRESSED records */
	bool ended;                  /* no bytes follow `end` */
	bool waits;                  /* the next step needs bytes that are not fed yet */
	bool unaligned;              /* a record had a size that is no multiple of 8 */
	bool after_gap;              /* the next record follows a gap */
	/* held: the chunk after a break of the compressed input, in which a record may begin anywhere; or NULL */
	struct pd_chunk *after_break;
	bool searching;              /* no record can begin before *at; see salvage.c */
	struct {
		enum perfdata_finding_code code;
		uint64_t start;
		const char *reason;
		bool is_cut;         /* the gap began as a record that reaches beyond the end */
		bool is_text, is_zero;   /* the gap has only text so far; only zeros */
		bool starts_anew;    /* a record may begin at the first byte of the gap */
	} gap;
	/* see left_out.c */
	bool strays;                 /* the chunk was not read as a whole, and the input does not go on at `end` */
	uint64_t first_chunk;        /* offset of the first of the whole chunks, which follow each other */
	uint8_t whole_chunks;        /* chunks to read before bytes are left out again */
	uint8_t next_whole_chunks;   /* its value after the next failure */
	uint16_t left_out_at, left_out;   /* the part of the record at *at that was not read; left_out 0: none */
	uint32_t next_size;          /* bytes to read next, if none are left out; 0: a chunk */
};

struct pd_unpack {
	struct pd_decoder *decoder;
	struct pd_chunk *in_chunk;   /* held while its payload is read */
	const uint8_t *in;
	size_t in_size, in_used;
	uint64_t carrier;            /* offset of the record that is being decompressed */
	uint64_t compressed, decompressed;   /* bytes so far */
	uint64_t decompressed_before;    /* value at the start of this carrier */
	bool active;                 /* `inner` may give records */
	bool may_have_more;          /* the decoder filled all the room it had */
	bool broken;                 /* skip carriers until one begins a frame */
	bool finished;               /* skip all carriers: ratio exceeded, or no zstd */
};

/* Parts of a record, and the record that they are joined to. */
struct pd_split {
	uint8_t *bytes;              /* the parts so far */
	size_t size, room;
	size_t charged;              /* bytes drawn from the account, for this or the last record */
	uint64_t offset, inner;      /* offsets of the first part */
	bool is_open;                /* parts came, but no end so far */
	bool is_broken;              /* damage was reported: the parts up to the next end are not joined */
	struct pd_window *ready;     /* the window of the parts; NULL: `record` is not ready */
	struct perfdata_raw record;
};

/* One file with records. */
struct pd_stream {
	struct perfdata_reader *reader;
	struct pd_input *input;
	const char *name;
	uint16_t file;
	bool is_live;                /* a pipe: never wait for more bytes than the record at hand needs */
	bool is_fed;                 /* decisions must not depend on how many bytes were fed at once */
	/* a record whose payload is not yet fed to its end: only this record can be read */
	bool is_pending;
	struct perfdata_raw pending;
	struct {
		uint8_t *bytes;      /* the payload's bytes so far; NULL: none */
		size_t used, room;
		uint64_t offset;
	} collected;
	bool done;
	enum perfdata_status status; /* why the stream ended: PERFDATA_END or an error */
	struct pd_window raw, inner;
	struct pd_unpack unpack;
	struct pd_split split;
};

struct pd_section {
	struct perfdata_feature_section public;
	struct perfdata_feature *feature;
	const char *text;            /* the text of a section that is one string */
	bool is_present;
};

/* A section that comes in parts; decoded when a caller asks for it. */
struct pd_late_section {
	struct pd_section section;
	uint8_t *bytes;
	size_t size, room;
	bool changed;
};

struct pd_order;
struct pd_ahead;
struct pd_trace_samples;

struct pd_passed_samples;
struct perfdata_reader {
	struct perfdata_reader_options options;
	struct pd_account account;             /* used if the caller gave no account */
	struct perfdata_header header;
	struct perfdata_config config;         /* layout of records that belong to no event */
	struct perfdata_error error;
	struct perfdata_error read_error;      /* the first failed read; other files are still read */
	struct pd_arena arena;                 /* names, events, ids: until close */
	struct pd_chunk_pool *pool;
	struct pd_chunk *current;              /* held: the chunk of the last returned record */
	struct perfdata_raw records[PD_MAX_RECORDS];
	/* the records that perfdata_reader_next returns one by one: those in `records`, or in a block read ahead */
	struct pd_record_run few;

	struct pd_stream **streams;
	size_t nr_streams, streams_room;
	size_t turn;                           /* index of the stream being read */
	uint64_t turn_bytes;                   /* bytes read from it in this turn */

	struct perfdata_event **events;        /* newest versions */
	size_t nr_events, events_room;
	uint32_t nr_versions;
	struct pd_hash_map ids;                     /* id -> index of the event */
	/* The kernel numbers ids in sequence: near_ids[id - first_id] is the index of the event plus 1, or 0 where the
	 * id is none or only `ids` knows it. */
	uint32_t *near_ids;
	size_t nr_near_ids, near_ids_room;
	uint64_t first_id;
	struct perfdata_config layouts[PD_MAX_LAYOUTS]; /* one for each place where an id can be */
	size_t nr_layouts;
	/* layouts of the events with the smallest fixed part of a sample, and with the smallest trailer */
	const struct perfdata_config *least_sample, *least_trailer;
	bool layouts_differ;                   /* records of different events are laid out differently */
	bool formats_come;                     /* formats in a record, as simpleperf writes them: until the end, missing
					        * formats are no finding */
	bool has_attr_table;                   /* the file has a table of attrs: ATTR records add nothing */

	struct pd_section sections[PD_NR_FEATURES];
	uint32_t nr_cpus;
	bool arch_noted;                       /* pd_arch_note was called, for a stream */
	struct pd_late_section *build_ids;     /* BUILD_ID records of a stream */
	struct perfdata_trace *trace;
	bool trace_is_damaged;                 /* some tracing data could not be read */
	struct perfdata_bytes symbol_records;  /* DSO and SYMBOL records, in the layout of FILE; in the arena */

	struct pd_hash_map counts;                  /* code -> number of findings */
	struct pd_hash_map types_reported;              /* record types named by findings */
	bool is_attached;                      /* a session is open on the reader */
	bool was_asked;                        /* a record was asked for */
	bool drops_cut_payloads;               /* pd_reader_drop_cut_payloads was called */
	bool payloads_of_session;              /* payloads are returned for the session alone */
	bool has_helpers;                      /* threads of the caller read ahead */
	bool leaves_out_stacks;                /* large samples may lack parts of their copies of user stacks */
	bool has_errors;
	uint64_t nr_records;                   /* number of records framed so far */
	uint64_t at_record;                    /* number of the record to which findings refer */
	uint64_t total_bytes;                  /* bytes of all streams' records; UINT64_MAX: unknown */
	uint64_t given_bytes, reported_bytes;      /* bytes of the records returned so far; at the last on_progress */
	struct pd_order *order;                /* NULL: file order */
	struct pd_ahead *ahead;                /* NULL: nothing is read before it is asked for */
	struct pd_trace_samples *traces;       /* NULL: no samples are made of traces */
	struct pd_trace_parts *parts;          /* NULL: no trace of CoreSight, or payloads are not wanted */
	struct pd_passed_samples *passed;      /* NULL: all samples are returned */
	enum perfdata_status end;              /* PERFDATA_OK while records come */
};

/* --- reader_finding.c --- */
struct pd_finding {
	enum perfdata_finding_code code;
	bool once;                   /* reported only the first time */
	unsigned file;
	uint64_t offset, record;
	char message[320];
};
/* Counts the finding, and reports it to the user of the reader unless there were too many. */
void pd_reader_report(struct perfdata_reader *reader, const struct pd_finding *finding);
/* Counts a finding, and reports it unless there were too many. offset may be PERFDATA_NO_OFFSET. */
void pd_reader_finding(struct perfdata_reader *reader, enum perfdata_finding_code code, unsigned file, uint64_t offset,
		       const char *format, ...) PERFDATA_PRINTF(5, 6);
/* As pd_reader_finding, reported only the first time. */
void pd_reader_finding_once(struct perfdata_reader *reader, enum perfdata_finding_code code, unsigned file,
			    uint64_t offset, const char *format, ...) PERFDATA_PRINTF(5, 6);
/* Whether this is the first finding of this code about this record type. */
bool pd_reader_type_is_new(struct perfdata_reader *reader, enum perfdata_finding_code code, uint32_t type);

/* --- container.c --- */
/* Recognizes the form, reads header, tables and feature sections, and adds the stream of the records. Takes over the
 * input, also on failure. */
enum perfdata_status pd_container_open(struct perfdata_reader *reader, struct pd_input *input, const char *name);

/* --- directory.c --- */
/* Adds a stream for each file data.N of the directory at `path`. */
enum perfdata_status pd_directory_add(struct perfdata_reader *reader, const char *path);

/* --- reader.c --- */
/* Adds a stream over `input` (taken over, also on failure) whose records are from `offset` to `limit`. */
enum perfdata_status pd_reader_add_stream(struct perfdata_reader *reader, struct pd_input *input, const char *name,
					  uint64_t offset, uint64_t limit);
struct pd_input_options pd_reader_input_options(const struct perfdata_reader *reader);
/* Keeps a record's chunk until the next record is returned. */
void pd_reader_hold(struct perfdata_reader *reader, struct pd_chunk *chunk);
/* Makes sure that reader->error describes `status`, and returns it. */
enum perfdata_status pd_reader_failed(struct perfdata_reader *reader, enum perfdata_status status);
/* As pd_reader_next_run, called by the thread that reads; `ret` has room for PD_MAX_RECORDS. */
enum perfdata_status pd_reader_next_now(struct perfdata_reader *reader, struct perfdata_raw *ret, unsigned *ret_nr);
/* The next record in the order of the input. If the kernel wrote it, also the samples that follow it in the same chunk:
 * at most PD_MAX_RECORDS. */
enum perfdata_status pd_reader_read(struct perfdata_reader *reader, struct perfdata_raw *ret, unsigned *ret_nr);
/* The next records in the order of the input as long as they are samples of known events, at hand and in one chunk, at
 * most `most`; returns how many. 0: the next record is something else; pd_reader_read returns it. Reports no
 * findings. */
unsigned pd_reader_samples(struct perfdata_reader *reader, struct perfdata_raw *ret, unsigned most);
/* As pd_reader_samples, but also returns a FINISHED_ROUND, and reads more bytes of a file if needed, unless it is near
 * its end. */
unsigned pd_reader_read_plain(struct perfdata_reader *reader, struct perfdata_raw *ret, unsigned most);

/* --- reader_events.c --- */
/* Adds an event. ids are u64 in the file's order. */
enum perfdata_status pd_event_add(struct perfdata_reader *reader, struct perfdata_bytes attr, struct perfdata_bytes ids,
				  uint64_t offset);
/* Adds an id to event number `index`, if the event exists and no event has the id. */
enum perfdata_status pd_event_add_id(struct perfdata_reader *reader, uint64_t index, uint64_t id);
/* Makes a new version of an event; the caller may change it before it is used. NULL without memory. */
struct perfdata_event *pd_event_revise(struct perfdata_reader *reader, size_t index);
/* False when a stream has changed its events too often: further changes are ignored. */
bool pd_event_may_revise(struct perfdata_reader *reader);
/* Adds the events that EVENT_DESC lists: for files whose attr table is lost. */
enum perfdata_status pd_events_take_description(struct perfdata_reader *reader);
/* Names an event, unless it has a name from a better source. */
enum perfdata_status pd_event_set_name(struct perfdata_reader *reader, size_t index, const void *name, size_t size,
				       enum perfdata_name_source source);
/* Takes the names of events from feature sections and tracing data, and their groups from GROUP_DESC. */
enum perfdata_status pd_events_take_names(struct perfdata_reader *reader);
enum perfdata_status pd_events_take_groups(struct perfdata_reader *reader);
enum perfdata_status pd_events_take_trace(struct perfdata_reader *reader);
/* Names the events that have this `config`, by an EVENT_TYPE record or the table of old files. */
enum perfdata_status pd_events_take_type(struct perfdata_reader *reader, uint64_t config, const void *name,
					 size_t size);
/* Sets event, flags, time, pid, tid and cpu of a record of the kernel. */
void pd_event_match(struct perfdata_reader *reader, struct perfdata_raw *raw);
/* The event of an id; NULL: none has the id. */
static inline const struct perfdata_event *pd_event_of_id(const struct perfdata_reader *reader, uint64_t id)
{
	const uint64_t near = id - reader->first_id;
	uint64_t index;

	if (near < reader->nr_near_ids && reader->near_ids[near])
		return reader->events[reader->near_ids[near] - 1];
	return pd_hash_map_get(&reader->ids, id, &index) ? reader->events[index] : NULL;
}
/* Sets event, time, pid, tid and cpu of a sample of this event, and whether it is known to be whole. `swap`: as in
 * pd_sample_scan_in. */
static inline __attribute__((always_inline)) void pd_event_set_words(const struct perfdata_event *event, bool swap,
								      struct perfdata_raw *raw)
{
	const struct perfdata_config *config = event->config;
	struct pd_sample_scan scan;

	if (!pd_sample_scan_in(config, swap, raw->bytes, raw->size, PD_SCAN_TIME | PD_SCAN_TID | PD_SCAN_CPU, &scan)) {
		scan.time = UINT64_MAX;
		scan.pid = scan.tid = -1;
		scan.cpu = UINT32_MAX;
	}
	raw->event = event;
	raw->time = scan.time;
	raw->pid = scan.pid;
	raw->tid = scan.tid;
	raw->cpu = scan.cpu;
	raw->known_whole = pd_sample_scan_in(config, swap, raw->bytes, raw->size, PD_SCAN_WHOLE, &scan) &&
			   scan.is_whole;
}

/* --- reader_features.c --- */
/* Whether the recording has feature sections of simpleperf; the first recorders wrote none. */
bool pd_reader_is_simpleperf(const struct perfdata_reader *reader);
/* Decodes and keeps a section. Damage is a finding, not a failure. */
enum perfdata_status pd_feature_take(struct perfdata_reader *reader, uint32_t id, const void *bytes, size_t size,
				     uint64_t offset);
/* Notes that a section exists but could not be read. */
void pd_feature_take_lost(struct perfdata_reader *reader, uint32_t id, uint64_t offset, uint64_t size);
enum perfdata_status pd_features_take_trace(struct perfdata_reader *reader, const void *bytes, size_t size,
					    uint64_t offset);
/* Keeps a BUILD_ID record. */
enum perfdata_status pd_build_id_take(struct perfdata_reader *reader, const struct perfdata_raw *raw);
void pd_features_release(struct perfdata_reader *reader);
bool pd_feature_is_hidden(const struct perfdata_reader *reader, uint32_t id);

/* --- reader_arch.c --- */
/* Reports a finding if the architecture had to be inferred and registers are recorded. */
void pd_arch_note(struct perfdata_reader *reader);

/* --- symbol_records.c --- */
/* Gathers the symbols of the records from `offset` to `end`, where simpleperf wrote them. */
enum perfdata_status pd_symbol_records_gather(struct perfdata_reader *reader, struct pd_input *input, uint64_t offset,
					      uint64_t end);

/* --- frames_unpack.c --- */
/* Decompresses the payload of a record, to be returned after the record piece by piece; sets raw->payload. */
enum perfdata_status pd_trace_unpack(struct pd_window *window, struct perfdata_raw *raw, struct perfdata_bytes in);
void pd_trace_unpacked_piece(struct pd_window *window, size_t fresh, struct perfdata_raw *ret);
void pd_trace_unpacked_release(struct pd_window *window);

/* --- user_record.c --- */
/* Takes facts from a record that perf wrote; sets raw->payload and passes over the payload. PERFDATA_AGAIN: the payload
 * was not fed to its end; call again with the same record. */
enum perfdata_status pd_user_record(struct perfdata_reader *reader, struct pd_window *window, struct perfdata_raw *raw);

/* --- window.c --- */
void pd_window_init(struct pd_window *window, struct pd_stream *stream, uint64_t offset, uint64_t limit, bool is_inner);
void pd_window_release(struct pd_window *window);
static inline size_t pd_window_left(const struct pd_window *window) { return (size_t)(window->end - window->at); }
static inline void pd_window_move(struct pd_window *window, size_t size)
{
	if (size)      /* in an empty window, `at` may be NULL */
		window->at += size;
	window->offset += size;
}
/* Appends bytes to the window; false: none are at hand. */
bool pd_window_fill(struct pd_window *window);
/* Makes `size` (at most PD_CHUNK_HEADROOM) contiguous bytes available; false: they are not at hand. */
static inline bool pd_window_need(struct pd_window *window, size_t size)
{
	while (pd_window_left(window) < size)
		if (!pd_window_fill(window))
			return false;
	return true;
}
/* True if the window has all bytes of its chunk; else the window waits for them. Call it before a decision that depends
 * on how far the window reaches, so that the decision does not depend on how the bytes were fed. */
bool pd_window_settle(struct pd_window *window);
/* After a break of the compressed input: drops the bytes before the break, and begins to search. False if there is no
 * break. */
bool pd_window_go_on(struct pd_window *window);
/* Takes over the reference to a new chunk, and moves the rest of the old chunk into its headroom. */
void pd_window_set_chunk(struct pd_window *window, struct pd_chunk *chunk);
/* --- left_out.c --- */
/* As pd_window_fill, but leaves out what the reader's session does not need. False: nothing was read, and the window
 * has to read all. */
bool pd_window_fill_partly(struct pd_window *window);
/* Makes the window as large as it would be if nothing were left out and pd_window_need had made `size` (at least 1)
 * bytes available. Call it before a decision that depends on other bytes than those of the record and of the next
 * header, or on how far the window reaches. */
void pd_window_read_whole(struct pd_window *window, size_t size);

/* --- window.c --- */
/* Passes over window->skip bytes; false if the stream ended before. */
bool pd_window_pass(struct pd_window *window);
/* Counts `fresh` bytes of the payload as returned. Returns the record of a piece with these bytes and the overlap; the
 * caller says where they are. */
struct perfdata_raw pd_window_begin_piece(struct pd_window *window, size_t fresh);
/* Takes the next piece of a payload. PERFDATA_END: none is at hand. */
enum perfdata_status pd_window_piece(struct pd_window *window, struct perfdata_raw *ret);
/* Whether the next piece is at hand. */
bool pd_window_has_piece(const struct pd_window *window);

/* --- framing.c --- */
struct pd_record_header {
	uint32_t type;
	uint16_t misc, size;
};
static inline struct pd_record_header pd_record_header(const uint8_t *at, bool swap)
{
	return (struct pd_record_header){ pd_load32(at, swap), pd_load16(at + 4, swap), pd_load16(at + 6, swap) };
}
/* The event of the sample at the window's position, if its header is at hand, and the sample is not and has more than
 * `least` bytes; else NULL. */
const struct perfdata_event *pd_window_large_sample(const struct pd_window *window, size_t least,
						    struct pd_record_header *ret);
/* Returns plain consecutive samples, as long as the sample and the header of the next record are at hand: most of a
 * recording. Together they have fewer than `room` bytes. Their events are looked up too. *number: the number of the
 * next record, before and after the call. */
unsigned pd_window_samples(struct pd_window *window, uint64_t room, uint64_t *number, struct perfdata_raw *ret,
			   unsigned max);
/* As pd_window_samples, but returns only what counting needs, and only of complete samples. */
unsigned pd_window_summaries(struct pd_window *window, struct pd_sample_summary *ret, unsigned max);
enum perfdata_status pd_stream_next(struct pd_stream *stream, struct perfdata_raw *ret, struct pd_window **ret_window);
/* Whether a whole record is at hand. */
bool pd_stream_is_ready(const struct pd_stream *stream);

/* Prefetches the bytes of a record that is used soon: as many as most records have. */
static inline void pd_record_fetch(const uint8_t *bytes)
{
	for (unsigned line = 0; line < 3; line++)
		pd_prefetch(bytes + 64 * line);
}

/* --- salvage.c --- */
/* Whether the type is known, and can have the size. */
bool pd_header_is_plausible(struct pd_record_header header, bool unaligned);
/* Whether the size, and the range of the type, are possible. */
static inline bool pd_header_is_possible(struct pd_record_header header)
{
	return header.size >= 8 && (header.type <= 0xffff || perfdata_record_layout(header.type));
}
bool pd_is_magic(const uint8_t *at);
/* Whether the bytes at `at` are plausible records, one after the other, as far as the window reaches. */
bool pd_chain_is_plausible(const struct pd_window *window, const uint8_t *at);
/* Begins a search: the bytes at the window's position are no record. */
void pd_search_begin(struct pd_window *window, enum perfdata_finding_code code, bool is_cut, const char *reason);
/* Continues the search; true when it found a record, which is then the window's position. */
bool pd_search(struct pd_window *window);

/* --- unpack.c --- */
/* As pd_codec_load for zstd; a failure becomes the reader's error, at `offset`. */
enum perfdata_status pd_reader_load_zstd(struct perfdata_reader *reader, uint64_t offset);
/* Whether a zstd frame begins at `bytes`. */
bool pd_frame_begins(const uint8_t *bytes, size_t size);
enum perfdata_status pd_unpack_begin(struct pd_stream *stream, struct perfdata_raw *carrier);
bool pd_unpack_fill(struct pd_window *window);
/* Releases the carrier. */
void pd_unpack_end(struct pd_stream *stream);
void pd_unpack_release(struct pd_stream *stream);

/* --- meta_info.c --- */
/* Names events as simpleperf does. */
enum perfdata_status pd_events_take_meta_names(struct perfdata_reader *reader);

/* --- split.c --- */
/* Call it for each record of the stream: collects parts; SPLIT_END makes the joined record ready. */
enum perfdata_status pd_split_see(struct pd_stream *stream, struct pd_window *window, const struct perfdata_raw *raw);
/* The joined record, held until the next record is returned; false if there is none. */
bool pd_split_next(struct pd_stream *stream, struct perfdata_raw *ret, struct pd_window **ret_window);
/* Call it at the end of the stream: reports parts without SPLIT_END. */
void pd_split_end(struct pd_stream *stream);
void pd_split_release(struct pd_stream *stream);

/* --- trace_parts.c, where reader->parts is --- */
void pd_trace_parts_free(struct perfdata_reader *reader);
/* Call it for each record, in the order of the file. */
enum perfdata_status pd_trace_parts_see(struct perfdata_reader *reader, const struct perfdata_raw *raw);

/* --- trace_samples.c, where reader->traces is --- */
void pd_trace_samples_free(struct perfdata_reader *reader);
/* Whether samples made of traces may come: they are older than their trace by an unknown time. */
bool pd_trace_samples_come(const struct perfdata_reader *reader);
/* Call it for each record: takes facts about traces, and starts to decode a piece of a payload. */
enum perfdata_status pd_trace_samples_see(struct perfdata_reader *reader, const struct perfdata_raw *raw);
/* Returns samples of one operation in the current piece: fewer than PD_MAX_RECORDS, in one chunk. PERFDATA_END: the
 * piece has no more. */
enum perfdata_status pd_trace_samples_next(struct perfdata_reader *reader, struct perfdata_raw *ret, unsigned *ret_nr);
/* Call it for records in their final order: sets the time of samples made of traces to that of their operation. */
void pd_trace_samples_given(const struct perfdata_reader *reader, struct perfdata_raw *raws, unsigned nr);

/* --- spill.c: sorted records that wait in a temporary file --- */
struct pd_spill;
struct pd_run;
/* Sets up spilling to one unlinked file. NULL without memory. */
struct pd_spill *pd_spill_new(struct perfdata_reader *reader);
void pd_spill_free(struct pd_spill *spill);   /* call it after the runs are freed */
/* Most bytes of memory of a run that is being read; a run that is not needs next to nothing. */
size_t pd_spill_run_memory(const struct pd_spill *spill);
/* Appends a record to the run being written. PERFDATA_EWRITE, PERFDATA_ELIMIT, PERFDATA_ENOMEM: the run has the records
 * before, and pd_spill_stop must follow, or pd_spill_free. */
enum perfdata_status pd_spill_add(struct pd_spill *spill, const struct perfdata_raw *raw);
/* Ends the run being written. After a failure as of pd_spill_add. */
enum perfdata_status pd_spill_finish(struct pd_spill *spill, struct pd_run **ret);
/* Ends the run being written without writing: it keeps its last bytes in memory. NULL: it has no records. Only
 * pd_spill_free and functions of runs may follow. */
struct pd_run *pd_spill_stop(struct pd_spill *spill);
/* The current record of a run; NULL: before the first record, and at the end. Its bytes stay valid until the next
 * pd_run_move; its chunk is none. */
const struct perfdata_raw *pd_run_record(const struct pd_run *run);
/* Moves to the next record, at first to the first one. PERFDATA_EREAD, PERFDATA_ENOMEM: the run is at its end. */
enum perfdata_status pd_run_move(struct pd_run *run);
void pd_run_free(struct pd_run *run);

/* --- order.c --- */
enum perfdata_status pd_order_new(struct perfdata_reader *reader);
void pd_order_free(struct perfdata_reader *reader);
/* Frees the memory for waiting records, if none wait. */
void pd_order_trim(struct perfdata_reader *reader);
enum perfdata_status pd_order_next(struct perfdata_reader *reader, struct perfdata_raw *ret, unsigned *ret_nr);
bool pd_order_is_ready(const struct perfdata_reader *reader);
/* Between two calls of pd_order_next: reads records that come after those that are being released, if they are samples
 * or end a round. False: they are not, or enough wait. Reports no findings. */
bool pd_order_read_more(struct perfdata_reader *reader);

/* --- ahead.c --- */
/* Starts the reading thread; if it cannot start, the reader works without it. While it runs, other threads may only use
 * pd_ahead_next, pd_reader_report and data that does not change. */
void pd_ahead_start(struct perfdata_reader *reader);
void pd_ahead_stop(struct perfdata_reader *reader);
/* As pd_reader_next_run. */
enum perfdata_status pd_ahead_next(struct pd_ahead *ahead, struct pd_record_run *ret);
/* Reports a finding of the reading thread. */
void pd_ahead_note(struct pd_ahead *ahead, const struct pd_finding *finding);
/* Called by the reading thread before it changes events or features: waits until the asking thread has taken all
 * earlier records. NULL: returns at once. */
void pd_ahead_settle(struct pd_ahead *ahead);

/* container.c: whether a reader can be opened from an input that is fed: PERFDATA_AGAIN if not yet. *ret_needs_all: the
 * input is no stream, so it can be opened only once all bytes were fed. */
enum perfdata_status pd_container_is_there(struct pd_input *input, bool *ret_needs_all);
/* reader.c: opens a source without a path: the first member that is set, else the descriptor, which stays open. */
struct pd_reader_source {
	const struct pd_input_calls *calls;
	struct pd_feed *feed;
	bool is_memory;
	const void *bytes;          /* borrowed until the reader is closed */
	size_t size;
	int fd;
};
enum perfdata_status pd_reader_open_source(const struct pd_reader_source *source, const char *name,
					   const struct perfdata_reader_options *options, struct perfdata_reader **ret,
					   struct perfdata_error *reterr);

#endif
