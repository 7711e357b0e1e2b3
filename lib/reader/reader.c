/* SPDX-License-Identifier: MIT */
/* Opening, closing, and the next record in file order. */
#include "config.h"
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include "base/option_struct.h"
#include "base/checked.h"
#include "base/error.h"
#include "base/memory.h"
#include "reader/passed_samples.h"
#include "reader/reader_impl.h"
#include "reader/reader.h"

#define DEFAULT_MAX_FINDINGS 1000
#define LARGE_STACK 2048u            /* bytes */
#define MANY_BYTES (8u << 20)        /* reading them takes longer than starting a thread */
#ifndef AHEAD_FROM                   /* fuzzing sets a smaller number */
#define AHEAD_FROM 4096              /* records */
#endif
#define PROGRESS_STEP (64u << 10)    /* bytes */
#define MAX_STREAMS 65535            /* perfdata_raw.file has 16 bits */

/* Allocates a reader; *ret is NULL after a failure. */
static enum perfdata_status reader_new(const struct perfdata_reader_options *options, const char *name,
				       struct perfdata_reader **ret, struct perfdata_error *reterr)
{
	struct perfdata_reader *reader = *ret = pd_calloc(1, sizeof *reader);

	if (!reader)
		return pd_error(reterr, PERFDATA_ENOMEM, PERFDATA_NO_OFFSET, "out of memory");
	const enum perfdata_status status = PD_OPTIONS_COPY(&reader->options, progress_user, options, reterr);
	if (status != PERFDATA_OK) {
		pd_free(reader);
		*ret = NULL;
		return status;
	}
	if (!reader->options.max_findings)
		reader->options.max_findings = DEFAULT_MAX_FINDINGS;
	reader->error.offset = PERFDATA_NO_OFFSET;
	reader->header.name = pd_arena_copy(&reader->arena, name, strlen(name));
	const bool has_tmpdir = reader->options.tmpdir;
	if (has_tmpdir)
		reader->options.tmpdir = pd_arena_copy(&reader->arena, reader->options.tmpdir,
						       strlen(reader->options.tmpdir));
	pd_account_init(&reader->account, pd_account_limit(reader->options.max_memory), reader->options.tmpdir);
	reader->options.max_memory = reader->account.limit;
	reader->pool = pd_chunk_pool_new();
	if (!reader->header.name || (has_tmpdir && !reader->options.tmpdir) || !reader->pool) {
		perfdata_reader_close(reader);
		*ret = NULL;
		return pd_error(reterr, PERFDATA_ENOMEM, PERFDATA_NO_OFFSET, "out of memory");
	}
	pd_chunk_pool_account(reader->pool, pd_reader_account(reader));
	return PERFDATA_OK;
}

struct pd_account *pd_reader_account(struct perfdata_reader *reader)
{
	return reader->options.memory ? pd_memory_account(reader->options.memory) : &reader->account;
}

struct pd_input_options pd_reader_input_options(const struct perfdata_reader *reader)
{
	return (struct pd_input_options){ .tmpdir = reader->options.tmpdir, .max_spool = reader->options.max_spool,
					  .max_ratio = reader->options.max_ratio, .cancel = reader->options.cancel };
}

static void stream_free(struct pd_stream *stream)
{
	pd_unpack_release(stream);
	pd_split_release(stream);
	pd_free(stream->collected.bytes);
	pd_window_release(&stream->raw);
	pd_window_release(&stream->inner);
	pd_input_close(stream->input);
	pd_free(stream);
}

enum perfdata_status pd_reader_add_stream(struct perfdata_reader *reader, struct pd_input *input, const char *name,
					  uint64_t offset, uint64_t limit)
{
	struct pd_stream *stream = NULL;
	enum perfdata_status status = PERFDATA_OK;

	if (reader->nr_streams == MAX_STREAMS) {
		pd_reader_finding_once(reader, PERFDATA_FINDING_LIMIT, 0, PERFDATA_NO_OFFSET,
				       "%s and further files were not read", name);
		pd_input_close(input);
		return PERFDATA_OK;
	}
	if (pd_vector_grow(&reader->streams, &reader->streams_room, reader->nr_streams, sizeof(struct pd_stream *)) ==
	    0)
		stream = pd_calloc(1, sizeof *stream);
	if (!stream)
		status = PERFDATA_ENOMEM;
	else if (limit != UINT64_MAX)
		status = pd_input_seek(input, offset, limit);
	if (status != PERFDATA_OK) {
		pd_free(stream);
		pd_input_close(input);
		return status;
	}
	stream->reader = reader;
	stream->input = input;
	stream->name = name;
	stream->file = (uint16_t)reader->nr_streams;
	stream->is_fed = pd_input_is_fed(input);
	stream->is_live = pd_input_is_pipe(input) && !pd_input_seekable(input) && !stream->is_fed;
	pd_window_init(&stream->raw, stream, limit == UINT64_MAX ? 0 : offset, limit, false);
	pd_window_init(&stream->inner, stream, 0, UINT64_MAX, true);
	if (limit == UINT64_MAX)
		stream->raw.skip = offset;
	if (limit == UINT64_MAX || !pd_add(reader->total_bytes, limit - offset, &reader->total_bytes))
		reader->total_bytes = UINT64_MAX;
	reader->streams[reader->nr_streams++] = stream;
	reader->header.nr_files = (unsigned)reader->nr_streams;
	return PERFDATA_OK;
}

/* Whether perf could sort the records: all carry times, in files also the records that are no samples. */
static bool can_sort(const struct perfdata_reader *reader)
{
	if (reader->header.container == PERFDATA_CONTAINER_PIPE)
		return true;
	return reader->nr_events && perfdata_attr_has(reader->events[0]->attr, PERFDATA_ATTR_SAMPLE_ID_ALL);
}

static enum perfdata_status open_input(struct perfdata_reader *reader, struct pd_input *input, const char *data_name,
				       const char *directory)
{
	enum perfdata_status status = pd_container_open(reader, input, data_name);

	if (status == PERFDATA_OK && directory)
		status = pd_directory_add(reader, directory);
	if (status == PERFDATA_OK && reader->options.order == PERFDATA_ORDER_TIME && can_sort(reader))
		status = pd_order_new(reader);
	return status;
}

enum perfdata_status pd_reader_attach(struct perfdata_reader *reader, bool in_time, struct perfdata_error *reterr)
{
	if (reader->is_attached)
		return pd_error(reterr, PERFDATA_EUSAGE, PERFDATA_NO_OFFSET, "the reader has a session already");
	if (reader->was_asked)
		return pd_error(reterr, PERFDATA_EUSAGE, PERFDATA_NO_OFFSET,
				"records were read already: a session needs all of them");
	if (reader->options.order == PERFDATA_ORDER_DEFAULT && in_time && !reader->order && can_sort(reader) &&
	    pd_order_new(reader) != PERFDATA_OK)
		return pd_error(reterr, PERFDATA_ENOMEM, PERFDATA_NO_OFFSET, "out of memory");
	reader->is_attached = true;
	return PERFDATA_OK;
}

void pd_reader_detach(struct perfdata_reader *reader)
{
	reader->is_attached = false;
	if (reader->was_asked)
		return;                  /* no other session will be attached */
	/* the next session makes its own choices */
	pd_passed_free(reader->passed);
	reader->passed = NULL;
	pd_trace_samples_free(reader);
	for (size_t i = 0; i < reader->nr_events; i++)
		reader->events[i]->is_time_off = false;
	reader->leaves_out_stacks = false;
	if (reader->payloads_of_session)
		reader->options.payloads = reader->payloads_of_session = false;
	if (reader->options.order == PERFDATA_ORDER_DEFAULT)
		pd_order_free(reader);
}

static enum perfdata_status finish_open(struct perfdata_reader *reader, enum perfdata_status status,
					struct perfdata_reader **ret, struct perfdata_error *reterr)
{
	if (status == PERFDATA_OK) {
		*ret = reader;
		return PERFDATA_OK;
	}
	if (reterr && status < 0) {
		if (reader->error.status == status)
			*reterr = reader->error;
		else
			(void)pd_error_of_status(reterr, status, PERFDATA_NO_OFFSET);
	}
	perfdata_reader_close(reader);
	return status;
}

enum perfdata_status perfdata_reader_open_path(const char *path, const struct perfdata_reader_options *options,
					       struct perfdata_reader **ret, struct perfdata_error *reterr)
{
	struct perfdata_reader *reader;
	enum perfdata_status status = reader_new(options, path, &reader, reterr);
	const char *data_name = path;
	struct pd_input *input;
	struct stat st;

	if (!reader)
		return status;
	const bool is_directory = stat(path, &st) == 0 && S_ISDIR(st.st_mode);
	if (is_directory) {
		struct perfdata_text name;
		perfdata_text_init(&name);
		perfdata_text_printf(&name, "%s/data", path);
		data_name = perfdata_text_failed(&name) ? NULL : pd_arena_copy(&reader->arena, name.data, name.size);
		perfdata_text_release(&name);
		if (!data_name)
			return finish_open(reader, PERFDATA_ENOMEM, ret, reterr);
	} else {
		data_name = reader->header.name;
	}
	const struct pd_input_options input_options = pd_reader_input_options(reader);
	status = is_directory ? pd_input_open_regular(data_name, &input_options, &input, &reader->error)
			      : pd_input_open_path(data_name, &input_options, &input, &reader->error);
	if (status == PERFDATA_OK)
		status = open_input(reader, input, data_name, is_directory ? path : NULL);
	else if (is_directory && status == PERFDATA_EREAD)
		status = pd_error(&reader->error, PERFDATA_EFORMAT, PERFDATA_NO_OFFSET,
				  "the directory is no recording: it has no readable file `data`");
	return finish_open(reader, status, ret, reterr);
}

enum perfdata_status pd_reader_open_source(const struct pd_reader_source *source, const char *name,
					   const struct perfdata_reader_options *options, struct perfdata_reader **ret,
					   struct perfdata_error *reterr)
{
	struct perfdata_reader *reader;
	enum perfdata_status status = reader_new(options, name, &reader, reterr);
	struct pd_input *input;
	bool needs_all = false;

	if (!reader)
		return status;
	const struct pd_input_options input_options = pd_reader_input_options(reader);
	if (source->calls || source->feed)
		reader->options.read_ahead = 0;   /* a thread would run the caller's functions, or wait for its bytes */
	status = source->calls   ? pd_input_open_calls(source->calls, &input_options, &input, &reader->error)
		 : source->feed  ? pd_input_open_feed(source->feed, &input_options, &input, &reader->error)
		 : source->is_memory
			 ? pd_input_open_memory(source->bytes, source->size, &input_options, &input, &reader->error)
			 : pd_input_open_fd(source->fd, false, &input_options, &input, &reader->error);
	if (status == PERFDATA_OK && source->feed) {
		status = pd_container_is_there(input, &needs_all);
		if (needs_all)
			pd_feed_needs_all(source->feed);
		if (status == PERFDATA_AGAIN)
			pd_input_close(input);
	}
	if (status == PERFDATA_OK)
		status = open_input(reader, input, reader->header.name, NULL);
	return finish_open(reader, status, ret, reterr);
}

void pd_reader_trim(struct perfdata_reader *reader)
{
	pd_ahead_stop(reader);
	pd_order_trim(reader);
	pd_chunk_pool_trim(reader->pool);
}

void perfdata_reader_close(struct perfdata_reader *reader)
{
	if (!reader)
		return;
	pd_ahead_stop(reader);
	pd_order_free(reader);
	pd_trace_samples_free(reader);
	pd_trace_parts_free(reader);
	pd_chunk_drop(reader->current);
	for (size_t i = 0; i < reader->nr_streams; i++)
		stream_free(reader->streams[i]);
	pd_free(reader->streams);
	pd_passed_free(reader->passed);
	pd_features_release(reader);
	pd_hash_map_release(&reader->ids);
	pd_free(reader->near_ids);
	pd_hash_map_release(&reader->counts);
	pd_hash_map_release(&reader->types_reported);
	pd_free(reader->events);
	pd_arena_release(&reader->arena);
	pd_chunk_pool_free(reader->pool);
	pd_free(reader);
}

const struct perfdata_header *perfdata_reader_header(const struct perfdata_reader *reader) { return &reader->header; }

const char *pd_reader_file_name(const struct perfdata_reader *reader, unsigned index)
{
	if (index < reader->nr_streams)
		return reader->streams[index]->name;
	return index ? NULL : reader->header.name;
}

const struct perfdata_error *perfdata_reader_error(const struct perfdata_reader *reader) { return &reader->error; }

/* --- records in file order --------------------------------------------------------------------------------------- */

/* In time order perf reads a piece of each file in turn; in file order each file is read to its end. */
static void take_turn(struct perfdata_reader *reader, bool done)
{
	const struct pd_stream *stream = reader->streams[reader->turn];
	if (!done && (stream->raw.payload.active || stream->inner.payload.active))
		return;
	if (!done && (!reader->order || reader->turn_bytes < PD_TURN_BYTES))
		return;
	reader->turn_bytes = 0;
	for (size_t n = 0; n < reader->nr_streams; n++) {
		reader->turn = (reader->turn + 1) % reader->nr_streams;
		if (!reader->streams[reader->turn]->done)
			return;
	}
}

/* The number of bytes that the turn may still take after `size` bytes more: fewer than PD_TURN_BYTES in all. */
static uint64_t left_of_turn(const struct perfdata_reader *reader, const struct pd_window *window, uint32_t size)
{
	if (!reader->order || reader->nr_streams == 1 || window->is_inner)
		return UINT64_MAX;
	const uint64_t taken = reader->turn_bytes + size;
	return taken < PD_TURN_BYTES ? PD_TURN_BYTES - taken : 0;
}

/* Whether no_meta hides the record. */
static bool is_hidden(const struct perfdata_reader *reader, const struct perfdata_raw *raw)
{
	if (raw->type != PERFDATA_RECORD_FEATURE || raw->size < 16)
		return false;
	const uint64_t id = pd_load64(raw->bytes + 8, reader->config.swap);
	return id < PD_NR_FEATURES && pd_feature_is_hidden(reader, (uint32_t)id);
}

/* Passes a record or a piece of a payload to the decoders of traces. *ret_give: whether the caller gets it, too. */
static enum perfdata_status see_trace(struct perfdata_reader *reader, const struct perfdata_raw *raw, bool *ret_give)
{
	*ret_give = !(raw->flags & PERFDATA_RAW_PAYLOAD) || reader->options.payloads;
	if (reader->options.payloads && pd_trace_parts_see(reader, raw) != PERFDATA_OK)
		return PERFDATA_ENOMEM;
	return reader->traces ? pd_trace_samples_see(reader, raw) : PERFDATA_OK;
}

/* The next record of a stream, or the record whose payload was not fed to its end. */
static enum perfdata_status next_of(struct pd_stream *stream, struct perfdata_raw *ret, struct pd_window **ret_window)
{
	if (!stream->is_pending && pd_split_next(stream, ret, ret_window))
		return PERFDATA_OK;
	if (!stream->is_pending)
		return pd_stream_next(stream, ret, ret_window);
	*ret = stream->pending;
	*ret_window = &stream->raw;
	return PERFDATA_OK;
}

enum perfdata_status pd_reader_read(struct perfdata_reader *reader, struct perfdata_raw *ret, unsigned *ret_nr)
{
	bool give;
	if (reader->traces) {
		const enum perfdata_status made = pd_trace_samples_next(reader, ret, ret_nr);
		if (made != PERFDATA_END)
			return made;
	}
	while (reader->nr_streams && !reader->streams[reader->turn]->done) {
		struct pd_stream *stream = reader->streams[reader->turn];
		struct pd_window *window;
		reader->at_record = reader->nr_records;
		enum perfdata_status status = next_of(stream, ret, &window);
		if (status == PERFDATA_AGAIN)
			return status;
		if (status != PERFDATA_OK) {
			pd_split_end(stream);
			if (status >= 0 && reader->formats_come) {
				reader->formats_come = false;
				status = pd_events_take_trace(reader) == PERFDATA_OK ? status : PERFDATA_ENOMEM;
			}
			stream->done = true;
			if (status < 0)
				return status;
			take_turn(reader, true);
			continue;
		}
		unsigned nr = 1;
		if (ret->flags & PERFDATA_RAW_PAYLOAD) {
			ret->number = reader->nr_records - 1;
			*ret_nr = 1;
			status = see_trace(reader, ret, &give);
			if (status == PERFDATA_OK && !give)
				status = pd_trace_samples_next(reader, ret, ret_nr);
			if (status == PERFDATA_END)
				continue;
			return status;
		}
		ret->number = reader->nr_records;
		uint64_t next = ret->number + 1, bytes = ret->size;
		if (ret->type >= PERFDATA_RECORD_USER_FIRST) {
			status = pd_split_see(stream, window, ret);
			if (status == PERFDATA_OK)
				status = pd_user_record(reader, window, ret);
			stream->is_pending = status == PERFDATA_AGAIN;
			if (stream->is_pending)
				stream->pending = *ret;
			if (status == PERFDATA_OK)
				status = see_trace(reader, ret, &give);
			if (status != PERFDATA_OK)
				return status;
		} else {
			if (stream->split.is_open)
				(void)pd_split_see(stream, window, ret);
			pd_event_match(reader, ret);
			if (ret->type == PERFDATA_RECORD_EXIT || ret->type == PERFDATA_RECORD_FORK)
				pd_passed_forget_threads(reader->passed);
			if (reader->parts && pd_trace_parts_see(reader, ret) != PERFDATA_OK)
				return PERFDATA_ENOMEM;
			const uint64_t before = window->offset;
			nr += pd_window_samples(window, left_of_turn(reader, window, ret->size), &next, ret + 1,
						PD_MAX_RECORDS - 1);
			bytes += window->offset - before;
		}
		reader->nr_records = next;
		reader->turn_bytes += window->is_inner ? 0 : bytes;
		take_turn(reader, false);
		if (is_hidden(reader, ret))
			continue;
		pd_passed_gather(reader, ret, nr);
		*ret_nr = nr;
		return PERFDATA_OK;
	}
	if (reader->read_error.status == PERFDATA_OK)
		return PERFDATA_END;
	reader->error = reader->read_error;
	return PERFDATA_EREAD;
}

/* Whether the next records can be read from the stream's windows alone. */
static bool may_read_plain(const struct perfdata_reader *reader, const struct pd_stream *stream)
{
	return !stream->done && !stream->is_pending && !stream->split.is_open && !stream->split.ready &&
	       !reader->traces && !reader->parts;
}

unsigned pd_reader_samples(struct perfdata_reader *reader, struct perfdata_raw *ret, unsigned most)
{
	struct pd_stream *stream = reader->nr_streams ? reader->streams[reader->turn] : NULL;
	if (!stream || !may_read_plain(reader, stream))
		return 0;
	struct pd_window *window = stream->unpack.active ? &stream->inner : &stream->raw;
	if (window->after_gap)
		return 0;
	const uint64_t before = window->offset;
	const unsigned nr = pd_window_samples(window, left_of_turn(reader, window, 0), &reader->nr_records, ret, most);
	reader->turn_bytes += window->is_inner ? 0 : window->offset - before;
	if (window->offset != before)
		take_turn(reader, false);
	pd_passed_gather(reader, ret, nr);
	return nr;
}

/* Whether a FINISHED_ROUND is at hand, followed by a possible record: reading it reports nothing. */
static bool is_round(const struct pd_window *window)
{
	const bool swap = window->stream->reader->config.swap;
	if (pd_window_left(window) < 16)
		return false;
	const struct pd_record_header header = pd_record_header(window->at, swap);
	return header.type == PERFDATA_RECORD_FINISHED_ROUND && header.size == 8 &&
	       pd_header_is_possible(pd_record_header(window->at + 8, swap));
}

/* Whether the record at the window's position and the header after it are at hand; early, so that a thread reads the
 * next chunk meanwhile, unless that could read a copy of a stack that is left out. */
static bool has_next_header(const struct pd_window *window)
{
	const size_t left = pd_window_left(window);
	if (!window->stream->reader->leaves_out_stacks)
		return left >= UINT16_MAX + 8u;
	return left >= 8 && left >= 8u + pd_record_header(window->at, window->stream->reader->config.swap).size;
}

unsigned pd_reader_read_plain(struct perfdata_reader *reader, struct perfdata_raw *ret, unsigned most)
{
	unsigned nr = pd_reader_samples(reader, ret, most);
	struct pd_stream *stream = reader->nr_streams ? reader->streams[reader->turn] : NULL;
	if (nr || !stream || !may_read_plain(reader, stream) || stream->unpack.active)
		return nr;
	struct pd_window *window = &stream->raw;
	if (window->ended || window->after_gap || window->searching || window->skip || window->payload.active ||
	    window->limit == UINT64_MAX || window->limit - window->offset < 2 * (uint64_t)PD_CHUNK_SIZE ||
	    !pd_input_seekable(stream->input))
		return 0;
	if (!has_next_header(window) && !pd_window_fill(window))
		return 0;
	if (is_round(window))
		return pd_reader_read(reader, ret, &nr) == PERFDATA_OK ? nr : 0;
	return pd_reader_samples(reader, ret, most);
}

void pd_reader_hold(struct perfdata_reader *reader, struct pd_chunk *chunk)
{
	if (chunk == reader->current)
		return;
	pd_chunk_hold(chunk);
	pd_chunk_drop(reader->current);
	reader->current = chunk;
}

enum perfdata_status pd_reader_next_now(struct perfdata_reader *reader, struct perfdata_raw *ret, unsigned *ret_nr)
{
	if (reader->order) {
		const enum perfdata_status status = pd_order_next(reader, ret, ret_nr);
		if (reader->traces && status == PERFDATA_OK)
			pd_trace_samples_given(reader, ret, *ret_nr);
		return status;
	}
	if (reader->end != PERFDATA_OK)
		return reader->end;
	const enum perfdata_status status = pd_reader_read(reader, ret, ret_nr);
	if (status == PERFDATA_OK) {
		pd_reader_hold(reader, ret->chunk);
		if (reader->traces)
			pd_trace_samples_given(reader, ret, *ret_nr);
		return PERFDATA_OK;
	}
	if (status == PERFDATA_AGAIN)
		return status;
	return reader->end = pd_reader_failed(reader, status);
}

/* Whether to start the reading thread: it pays off for many records, except where each has to be waited for (pipes). */
static bool should_read_ahead(const struct perfdata_reader *reader)
{
	if (!(reader->options.read_ahead & PERFDATA_AHEAD_RECORDS) || reader->nr_records < AHEAD_FROM ||
	    reader->end != PERFDATA_OK)
		return false;
	if (reader->options.payloads || reader->traces)
		return false;   /* a block would hold too many bytes of payloads or samples */
	for (size_t i = 0; i < reader->nr_streams; i++)
		if (reader->streams[i]->is_live)
			return false;
	return true;
}

bool pd_reader_copies_stacks(const struct perfdata_reader *reader)
{
	for (size_t i = 0; i < reader->nr_events; i++) {
		const struct perfdata_attr *attr = reader->events[i]->attr;
		if (attr->sample_type & PERFDATA_SAMPLE_STACK_USER && attr->sample_stack_user >= LARGE_STACK)
			return true;
	}
	return false;
}

/* Helpers only read bytes. So records that have to be unpacked, or come from several files, keep the thread that frames
 * them. */
bool pd_reader_let_help(struct perfdata_reader *reader)
{
	const unsigned packed = PERFDATA_FEATURE_COMPRESSED;
	if (reader->nr_streams != 1 || reader->header.feature_bits[packed / 64] >> packed % 64 & 1 ||
	    !reader->options.read_ahead)
		return false;
	reader->options.read_ahead = 0;
	reader->has_helpers = true;
	pd_input_let_help(reader->streams[0]->input);
	return reader->total_bytes >= MANY_BYTES;
}

bool pd_reader_needs_help(struct perfdata_reader *reader)
{
	return reader->has_helpers && pd_input_needs_help(reader->streams[0]->input);
}

bool pd_reader_help(struct perfdata_reader *reader)
{
	return reader->has_helpers && pd_input_help(reader->streams[0]->input);
}

static void report_progress(struct perfdata_reader *reader, bool ended)
{
	if (!ended && reader->given_bytes - reader->reported_bytes < PROGRESS_STEP)
		return;
	reader->reported_bytes = reader->given_bytes;
	const uint64_t passed =
		reader->passed ? atomic_load_explicit(&reader->passed->file_bytes, memory_order_relaxed) : 0;
	reader->options.on_progress(reader->options.progress_user, reader->given_bytes + passed, reader->total_bytes);
}

enum perfdata_status pd_reader_next_run(struct perfdata_reader *reader, struct perfdata_raw *room,
					struct pd_record_run *ret)
{
	reader->was_asked = true;
	if (!reader->ahead && should_read_ahead(reader)) {
		/* one attempt is enough, even if it fails; before the start, since the thread reads the options */
		reader->options.read_ahead &= ~(uint32_t)PERFDATA_AHEAD_RECORDS;
		pd_ahead_start(reader);
	}
	enum perfdata_status status;
	if (reader->ahead) {
		status = pd_ahead_next(reader->ahead, ret);
	} else {
		ret->records = room;
		status = pd_reader_next_now(reader, room, &ret->nr);
	}
	if (!reader->options.on_progress || status == PERFDATA_AGAIN)
		return status;
	for (unsigned i = 0; i < ret->nr; i++)
		if (ret->records[i].inner == PERFDATA_NO_OFFSET &&
		    !(ret->records[i].flags & (PERFDATA_RAW_PAYLOAD | PERFDATA_RAW_SYNTHESIZED)))
			reader->given_bytes += ret->records[i].size + ret->records[i].payload;
	report_progress(reader, status != PERFDATA_OK);
	return status;
}

unsigned pd_reader_next_summaries(struct perfdata_reader *reader, struct pd_sample_summary *ret, unsigned max)
{
	if (reader->order || reader->ahead || reader->traces || reader->few.nr || reader->end != PERFDATA_OK ||
	    !reader->nr_streams)
		return 0;
	struct pd_stream *stream = reader->streams[reader->turn];
	struct pd_window *window = stream->unpack.active ? &stream->inner : &stream->raw;
	const unsigned nr = stream->done || stream->is_pending ? 0 : pd_window_summaries(window, ret, max);
	reader->was_asked |= nr != 0;
	reader->nr_records += nr;
	if (!nr || !reader->options.on_progress)
		return nr;
	for (unsigned i = 0; i < nr && !window->is_inner; i++)
		reader->given_bytes += ret[i].size;
	report_progress(reader, false);
	return nr;
}

enum perfdata_status perfdata_reader_next(struct perfdata_reader *reader, const struct perfdata_raw **ret)
{
	const enum perfdata_status status = reader->few.nr ? PERFDATA_OK
							   : pd_reader_next_run(reader, reader->records, &reader->few);
	if (status != PERFDATA_OK)
		return status;
	*ret = reader->few.records++;
	reader->few.nr--;
	return PERFDATA_OK;
}

enum perfdata_status pd_reader_failed(struct perfdata_reader *reader, enum perfdata_status status)
{
	if (status < 0 && reader->error.status != status)
		(void)pd_error_of_status(&reader->error, status, PERFDATA_NO_OFFSET);
	return status;
}

bool pd_reader_is_in_time(const struct perfdata_reader *reader)
{
	/* where can_sort is false, the order of the file counts as the order of time */
	return reader->options.order == PERFDATA_ORDER_TIME || reader->order ||
	       (reader->options.order == PERFDATA_ORDER_DEFAULT && reader->is_attached);
}

bool pd_reader_gives_payloads(const struct perfdata_reader *reader) { return reader->options.payloads; }
void pd_reader_drop_cut_payloads(struct perfdata_reader *reader) { reader->drops_cut_payloads = true; }
bool pd_reader_was_asked(const struct perfdata_reader *reader) { return reader->was_asked; }
void pd_reader_give_payloads(struct perfdata_reader *reader)
{
	reader->payloads_of_session = !reader->options.payloads;
	reader->options.payloads = true;
}

int64_t pd_reader_written(const struct perfdata_reader *reader)
{
	int64_t newest = 0;
	for (size_t i = 0; i < reader->nr_streams; i++) {
		const int64_t written = pd_input_written(reader->streams[i]->input);
		newest = written > newest ? written : newest;
	}
	return newest;
}

bool pd_reader_ready(const struct perfdata_reader *reader)
{
	if (reader->ahead)
		return true;
	if (reader->order && pd_order_is_ready(reader))
		return true;
	return !reader->nr_streams || reader->end != PERFDATA_OK || pd_stream_is_ready(reader->streams[reader->turn]);
}
