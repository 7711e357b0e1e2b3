/* SPDX-License-Identifier: MIT */
/* A table of a recording in memory, by the Arrow C stream interface: for Python, R, DuckDB, polars and all other
 * programs that take such streams, without intermediate files. `perfdata schema --columns --table NAME` lists tables,
 * columns and types. */
#ifndef PERFDATA_TABLE_H
#define PERFDATA_TABLE_H

#include "perfdata/reader.h"
#include "perfdata/session.h"
#include "perfdata/symbols.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The published structs, which every header that has them guards in this way:
 * https://arrow.apache.org/docs/format/CStreamInterface.html */
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

/* Zero is the default of each. Strings are copied; what other pointers point to must live until the stream is
 * released. */
struct perfdata_table_options {
	size_t size;
	/* a comma-separated list: only these columns, in this order. NULL: those that Parquet has by default */
	const char *columns;
	const char *recording;             /* value of the column `recording`; NULL: the name of the file */
	const struct perfdata_filter *filter;
	struct perfdata_symbols *symbols;  /* names of frames; NULL: none are looked up */
	bool no_host;                      /* as in perfdata_session_options */
	bool lines;                        /* source lines and inlined functions of frames */
	bool close_reader;                 /* releasing the stream closes the reader */
	uint32_t batch_rows;               /* rows of an array, about; 0: 65536. An array with large texts has fewer */
	/* the rows of the table `findings`: the list to which the reader's on_finding adds them */
	const struct perfdata_finding_list *findings;
	perfdata_finding_fn *on_finding;   /* reports damage inside records; may be NULL */
	void *user;                        /* for on_finding */
};

/* A stream of the table `name` ("samples", "stacks", "event:sched:sched_switch", …), of a reader from which nothing was
 * read yet. The reader is borrowed, and can have only this one stream. get_next reads the recording, in the thread that
 * calls get_next; one thread at a time.
 *
 * Arrays are structs, a child for each column. Arrays and schemas belong to their receiver; they outlive stream and
 * reader, and any thread may release them. Columns that every row has are not nullable; lists (callchains) have
 * elements without nulls. A damaged recording ends as an undamaged one does. get_next and get_schema answer 0 or an
 * errno value: EIO (reading failed; all rows before the failure were returned), ENOMEM, EINTR (cancelled), EOVERFLOW
 * (an array would be too large: ask for fewer rows); get_last_error gives the message. EAGAIN is no failure: the array
 * is not full; feed more (perfdata_feed), then call get_next again.
 *
 * PERFDATA_EUSAGE: there is no such table or column. PERFDATA_ABSENT: the recording has no such tracepoint, or its pipe
 * has not announced it yet. PERFDATA_ENOMEM. *ret is set on PERFDATA_OK only. */
PERFDATA_API enum perfdata_status perfdata_table_stream(struct perfdata_reader *reader, const char *name,
							const struct perfdata_table_options *options,
							struct ArrowArrayStream *ret, struct perfdata_error *reterr);

#ifdef __cplusplus
}
#endif

#endif
