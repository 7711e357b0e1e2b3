/* SPDX-License-Identifier: MIT */
/* perfdata_table_stream: reads a recording and returns the rows of one table as Arrow arrays. */
#include "config.h"
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include "base/error.h"
#include "base/memory.h"
#include "base/option_struct.h"
#include "emit/values/findings.h"
#include "emit/arrow/arrow_export.h"
#include "emit/table/table_set.h"

#define BATCH_ROWS 65536u
#define BATCH_BYTES (64u << 20)        /* size of a batch, in which equal texts count once */

static const struct perfdata_emitter_option option_rows[] = { TABLE_OPTIONS };
enum { OPTION_TABLE, OPTION_COLUMNS, OPTION_RECORDING, OPTION_LINES, NR_OPTIONS };

struct table_stream {
	struct perfdata_table_options options;
	struct perfdata_emitter_option_value values[NR_OPTIONS];   /* values for option_rows; the first ones are set */
	size_t nr_values;
	struct pd_arena strings;
	struct perfdata_reader *reader;
	struct perfdata_session *session;
	struct table_set set;              /* has one table */
	struct table_scratch *scratch;
	struct perfdata_text room;
	struct open_rows *gathered;        /* rows of the next array */
	size_t bulk;                       /* size of the gathered rows, bytes */
	bool damaged, ended, failed;       /* failed: the end of the input could not be read */
	struct perfdata_error error;       /* why the stream ended early */
};

static void stream_free(struct table_stream *stream)
{
	pd_open_rows_free(stream->gathered);
	pd_table_scratch_free(stream->scratch);
	pd_table_set_release(&stream->set);
	perfdata_text_release(&stream->room);
	perfdata_session_close(stream->session);
	if (stream->options.close_reader)
		perfdata_reader_close(stream->reader);
	pd_arena_release(&stream->strings);
	pd_free(stream);
}

/* --- rows --------------------------------------------------------------------------------------------------------- */

static void take_finding(void *user, const struct perfdata_finding *finding)
{
	struct table_stream *stream = user;
	stream->damaged |= finding->severity == PERFDATA_SEVERITY_ERROR;
	if (stream->options.on_finding)
		stream->options.on_finding(stream->options.user, finding);
}

/* Takes ownership of the part, which may be NULL. */
static enum perfdata_status gather_part(struct table_stream *stream, struct table_part *part)
{
	if (!part)
		return PERFDATA_OK;
	if (!stream->gathered)
		stream->gathered = pd_open_rows_new(stream->set.tables[0]);
	const bool ok = stream->gathered && pd_open_rows_append(stream->gathered, part);
	stream->bulk += part->bulk;
	pd_table_part_free(part);
	return ok ? PERFDATA_OK : PERFDATA_ENOMEM;
}

static enum perfdata_status take_batch(struct table_stream *stream, const struct perfdata_batch *batch)
{
	struct table_value *value = NULL;
	struct found_batch *found = NULL;
	struct table_part *part = NULL;
	enum perfdata_status status = pd_table_set_scan(&stream->set, batch, &value, NULL, NULL);
	if (!status)
		status = pd_table_set_rows(&stream->set, batch, value, &stream->scratch, &stream->room, &part, &found);
	pd_found_report(found, take_finding, stream);
	pd_table_value_free(value);
	if (!status)
		return gather_part(stream, part);
	pd_table_part_free(part);
	return status;
}

/* Adds the rows that can be made only after the last record. */
static enum perfdata_status take_end(struct table_stream *stream)
{
	struct perfdata_emit_end end = { .summary = perfdata_session_summary(stream->session) };
	struct table_part *part;
	end.complete = end.summary->complete && !stream->damaged;
	end.findings = perfdata_finding_list_get(stream->options.findings, &end.nr_findings, &end.findings_total);
	stream->ended = true;
	const enum perfdata_status status = pd_table_set_end(&stream->set, 0, &end, &part);
	return status ? status : gather_part(stream, part);
}

static enum perfdata_status read_more(struct table_stream *stream)
{
	struct perfdata_batch *batch;
	enum perfdata_status status = perfdata_session_next(stream->session, &batch);
	if (status == PERFDATA_END || status == PERFDATA_EREAD) {
		stream->failed = status == PERFDATA_EREAD;
		return take_end(stream);
	}
	if (status == PERFDATA_AGAIN)
		return status;
	if (status) {
		stream->error = *perfdata_session_error(stream->session);
		return status;
	}
	status = take_batch(stream, batch);
	perfdata_batch_release(batch);
	return status;
}

static bool is_full(const struct table_stream *stream)
{
	const uint32_t rows = stream->options.batch_rows ? stream->options.batch_rows : BATCH_ROWS;
	return stream->gathered && (stream->gathered->rows >= rows || stream->bulk >= BATCH_BYTES);
}

static enum perfdata_status next_array(struct table_stream *stream, struct ArrowArray *out)
{
	enum perfdata_status status = PERFDATA_OK;
	while (!stream->ended && !is_full(stream) && !status)
		status = read_more(stream);
	if (!status && stream->failed && (!stream->gathered || !stream->gathered->rows)) {
		stream->error = *perfdata_session_error(stream->session);
		return PERFDATA_EREAD;
	}
	if (status || !stream->gathered || !stream->gathered->rows)
		return status;
	status = pd_arrow_array(stream->set.tables[0], stream->gathered->columns, stream->gathered->rows, out);
	if (status == PERFDATA_ELIMIT)
		pd_error(&stream->error, status, PERFDATA_NO_OFFSET,
			 "the texts of %u rows are more than an array takes", stream->gathered->rows);
	pd_open_rows_free(stream->gathered);
	stream->gathered = NULL;
	stream->bulk = 0;
	return status;
}

/* --- the interface ------------------------------------------------------------------------------------------------ */

static int errno_of(enum perfdata_status status)
{
	switch (status) {
	case PERFDATA_OK: return 0;
	case PERFDATA_ENOMEM: return ENOMEM;
	case PERFDATA_EINTR: return EINTR;
	case PERFDATA_ELIMIT: return EOVERFLOW;
	case PERFDATA_AGAIN: return EAGAIN;
	default: return EIO;
	}
}

/* Ends the stream with this status and keeps the reason. */
static int fail_stream(struct table_stream *stream, enum perfdata_status status)
{
	if (status < 0 && !stream->error.status)
		pd_error(&stream->error, status, PERFDATA_NO_OFFSET, "%s", pd_failure_text(status));
	return errno_of(status);
}

static int get_schema(struct ArrowArrayStream *arrow, struct ArrowSchema *out)
{
	struct table_stream *stream = arrow->private_data;
	return fail_stream(stream, pd_arrow_schema(stream->set.tables[0], out) ? PERFDATA_OK : PERFDATA_ENOMEM);
}

/* After a failure it returns no more rows, since rows would be missing. */
static int get_next(struct ArrowArrayStream *arrow, struct ArrowArray *out)
{
	struct table_stream *stream = arrow->private_data;
	memset(out, 0, sizeof *out);
	if (stream->error.status)
		return errno_of(stream->error.status);
	return fail_stream(stream, next_array(stream, out));
}

static const char *get_last_error(struct ArrowArrayStream *arrow)
{
	const struct table_stream *stream = arrow->private_data;
	return stream->error.status ? stream->error.message : NULL;
}

static void release_stream(struct ArrowArrayStream *arrow)
{
	stream_free(arrow->private_data);
	arrow->release = NULL;
}

/* --- opening ------------------------------------------------------------------------------------------------------ */

/* Sets an option as the command line does. False without memory. */
static bool give_option(struct table_stream *stream, unsigned option, const char *text)
{
	if (!text)
		return true;
	const char *copy = pd_arena_copy(&stream->strings, text, strlen(text));
	stream->values[stream->nr_values++] = (struct perfdata_emitter_option_value){ .option = &option_rows[option],
										      .text = copy };
	return copy;
}

static bool give_all(struct table_stream *stream, const char *name)
{
	const struct perfdata_table_options *options = &stream->options;
	if (options->lines)
		stream->values[stream->nr_values++] =
			(struct perfdata_emitter_option_value){ .option = &option_rows[OPTION_LINES] };
	return give_option(stream, OPTION_TABLE, name) && give_option(stream, OPTION_COLUMNS, options->columns) &&
	       give_option(stream, OPTION_RECORDING, options->recording);
}

static enum perfdata_status open_session(struct table_stream *stream, struct perfdata_error *reterr)
{
	struct perfdata_session_options options = {
		.size = sizeof options,
		.needs = pd_table_set_needs(stream->values, stream->nr_values),
		.trace_samples = pd_table_set_trace_samples(stream->values, stream->nr_values),
		.spans = pd_table_set_spans(stream->values, stream->nr_values),
		.symbols = stream->options.symbols,
		.no_host = stream->options.no_host,
		.filter = stream->options.filter,
	};
	return perfdata_session_open(stream->reader, &options, &stream->session, reterr);
}

static enum perfdata_status open_table(struct table_stream *stream, const char *name, struct perfdata_error *reterr)
{
	bool reads_no_stacks;
	const struct perfdata_emit_context context = {
		.size = sizeof context,
		.reads_no_stacks = &reads_no_stacks,
		.reader = stream->reader,
		.session = stream->session,
		.options = stream->values,
		.nr_options = stream->nr_values,
		.reterr = reterr,
		.jobs = 1,
		.recording = perfdata_reader_header(stream->reader)->name,
	};
	enum perfdata_status status = pd_table_set_init(&stream->set, &context);
	if (!status && !stream->set.nr_tables)
		status = pd_table_set_predeclare(&stream->set);
	if (!status && !stream->set.nr_tables)
		status = pd_error(reterr, PERFDATA_ABSENT, PERFDATA_NO_OFFSET,
				  "the recording has no tracepoint for the table \"%s\"", name);
	return status;
}

static enum perfdata_status open_all(struct table_stream *stream, const char *name, struct perfdata_error *reterr)
{
	if (!*name || strchr(name, ','))
		return pd_error(reterr, PERFDATA_EUSAGE, PERFDATA_NO_OFFSET, "a stream has one table");
	if (!give_all(stream, name))
		return PERFDATA_ENOMEM;
	const enum perfdata_status status = open_session(stream, reterr);
	return status ? status : open_table(stream, name, reterr);
}

enum perfdata_status perfdata_table_stream(struct perfdata_reader *reader, const char *name,
					   const struct perfdata_table_options *options, struct ArrowArrayStream *ret,
					   struct perfdata_error *reterr)
{
	struct perfdata_error own_error = { .status = PERFDATA_OK };
	struct perfdata_error *error = reterr ? reterr : &own_error;
	struct table_stream *stream = pd_calloc(1, sizeof *stream);
	if (!stream)
		return pd_error(error, PERFDATA_ENOMEM, PERFDATA_NO_OFFSET, "out of memory");
	stream->reader = reader;
	error->status = PERFDATA_OK;
	perfdata_text_init(&stream->room);
	stream->options.size = sizeof stream->options;
	enum perfdata_status status = PD_OPTIONS_COPY(&stream->options, user, options, error);
	if (!status)
		status = open_all(stream, name, error);
	if (status) {
		/* the caller still owns the reader */
		stream->options.close_reader = false;
		stream_free(stream);
		return error->status ? status
				     : pd_error(error, status, PERFDATA_NO_OFFSET, "%s", pd_failure_text(status));
	}
	*ret = (struct ArrowArrayStream){ get_schema, get_next, get_last_error, release_stream, stream };
	return PERFDATA_OK;
}
