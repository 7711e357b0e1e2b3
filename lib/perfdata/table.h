/* SPDX-License-Identifier: MIT */
/* A table of a recording as an Arrow C stream, for Python, R, DuckDB, polars and other programs that read such streams,
 * without intermediate files. `perfdata schema --columns --table NAME` lists tables, columns and types. */
#ifndef PERFDATA_TABLE_H
#define PERFDATA_TABLE_H

#include "perfdata/reader.h"
#include "perfdata/session.h"
#include "perfdata/symbols.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The structs of https://arrow.apache.org/docs/format/CStreamInterface.html, with the guard that this page
 * prescribes. */
#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE

#define ARROW_FLAG_DICTIONARY_ORDERED 1
#define ARROW_FLAG_NULLABLE 2
#define ARROW_FLAG_MAP_KEYS_SORTED 4

struct ArrowSchema {
	const char *format;
	const char *name;
	const char *metadata;
	int64_t flags;
	int64_t n_children;
	struct ArrowSchema **children;
	struct ArrowSchema *dictionary;
	void (*release)(struct ArrowSchema *schema);
	void *private_data;
};

struct ArrowArray {
	int64_t length;
	int64_t null_count;
	int64_t offset;
	int64_t n_buffers;
	int64_t n_children;
	const void **buffers;
	struct ArrowArray **children;
	struct ArrowArray *dictionary;
	void (*release)(struct ArrowArray *array);
	void *private_data;
};

#endif
#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE

struct ArrowArrayStream {
	int (*get_schema)(struct ArrowArrayStream *stream, struct ArrowSchema *out);
	int (*get_next)(struct ArrowArrayStream *stream, struct ArrowArray *out);
	const char *(*get_last_error)(struct ArrowArrayStream *stream);
	void (*release)(struct ArrowArrayStream *stream);
	void *private_data;
};

#endif

/* 0 in a member means its default. Strings are copied; other pointers are borrowed until the stream is released. */
struct perfdata_table_options {
	size_t size;
	/* comma-separated: only these columns, in this order; NULL: Parquet's default columns */
	const char *columns;
	const char *recording;             /* value of the column `recording`; NULL: name of the file */
	const struct perfdata_filter *filter;
	struct perfdata_symbols *symbols;  /* for names of frames; NULL: none are looked up */
	bool no_host;                      /* as in perfdata_session_options */
	bool lines;                        /* add source lines and inlined functions of frames */
	bool close_reader;                 /* releasing the stream also closes the reader */
	/* approximate number of rows of an array; 0: 65536. Arrays with long texts have fewer */
	uint32_t batch_rows;
	/* rows of the table `findings`: the list that the reader's on_finding fills */
	const struct perfdata_finding_list *findings;
	perfdata_finding_fn *on_finding;   /* reports damage inside records; may be NULL */
	void *user;                        /* for on_finding */
};

/* Makes a stream of the table `name` ("samples", "stacks", "event:sched:sched_switch", …). The reader is borrowed, must
 * not have returned records, and can have only one stream. get_next reads the recording, in the calling thread; one
 * thread at a time may call it.
 *
 * An array is a struct with a child for each column. Arrays and schemas belong to their receiver; they outlive stream
 * and reader, and any thread may release them. Columns that every row has are not nullable; lists (callchains) have no
 * null elements. Damage does not end the stream. get_next and get_schema return 0 or an errno value: EIO (a read
 * failed; all rows before the failure were returned), ENOMEM, EINTR (cancelled), EOVERFLOW (an array is too large:
 * lower batch_rows); get_last_error returns the message. EAGAIN is no failure: feed more bytes (perfdata_feed), then
 * call get_next again.
 *
 * PERFDATA_EUSAGE: no such table or column. PERFDATA_ABSENT: the recording has no such tracepoint, or the pipe has not
 * described it yet. PERFDATA_ENOMEM. *ret is set on PERFDATA_OK only. */
PERFDATA_API enum perfdata_status perfdata_table_stream(struct perfdata_reader *reader, const char *name,
							const struct perfdata_table_options *options,
							struct ArrowArrayStream *ret, struct perfdata_error *reterr);

#ifdef __cplusplus
}
#endif

#endif
