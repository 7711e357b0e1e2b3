/* SPDX-License-Identifier: MIT */
/* Where a recording comes from: a path, a descriptor, memory, functions of the caller, or bytes that the caller feeds.
 *
 * The functions that make an input open nothing: perfdata_reader_open opens it (perfdata_convert calls this) and
 * returns all errors. Free an input after its readers are closed. */
#ifndef PERFDATA_INPUT_H
#define PERFDATA_INPUT_H

#include "perfdata/reader.h"

#ifdef __cplusplus
extern "C" {
#endif

struct perfdata_input;

/* Functions of the caller, called by the reading thread. A result other than 0 is an errno value. If the first bytes,
 * tables or feature sections of a file cannot be read, opening fails with PERFDATA_EREAD and this os_error (with the
 * finding READ_FAILED except for the first bytes). If records cannot be read, the input ends there: after the last
 * record before the failure, the reader returns PERFDATA_EREAD with this os_error and reports the finding READ_FAILED.
 * Wrong members make opening fail with PERFDATA_EUSAGE. */
struct perfdata_input_callbacks {
	size_t size;
	/* Reads the next bytes, at most `room`; a smaller *ret_got is fine, 0 means the end. */
	int (*read)(void *user, void *buffer, size_t room, size_t *ret_got);
	/* Optional, but needed both for an input that can seek: reads bytes at an offset (*ret_got is 0 only at the
	 * end), and returns the size of the input in bytes. */
	int (*read_at)(void *user, uint64_t offset, void *buffer, size_t room, size_t *ret_got);
	int (*length)(void *user, uint64_t *ret_bytes);
	/* Optional: called once, by perfdata_input_free. */
	void (*close)(void *user);
};

/* Each returns NULL only without memory. Paths and names are copied. name: the name in findings; NULL: "-", or
 * "memory". */
PERFDATA_API struct perfdata_input *perfdata_input_path(const char *path);
PERFDATA_API struct perfdata_input *perfdata_input_fd(int fd, const char *name);   /* not closed */
/* borrowed */
PERFDATA_API struct perfdata_input *perfdata_input_memory(const void *bytes, size_t size, const char *name);
PERFDATA_API struct perfdata_input *perfdata_input_callbacks(const struct perfdata_input_callbacks *callbacks,
							     void *user, const char *name);
PERFDATA_API void perfdata_input_free(struct perfdata_input *input);

/* --- bytes as they arrive ----------------------------------------------------------------------------------------- */

/* An input for bytes that arrive from a socket or an event loop. The program feeds each piece. Reading never waits and
 * needs no thread: a function that lacks bytes returns PERFDATA_AGAIN; call it again after feeding more bytes:
 *
 * 	status = perfdata_feed(input, bytes, size, &error);
 * 	if (status == PERFDATA_OK && !reader)
 * 		status = perfdata_reader_open(input, &options, &reader, &error);
 * 	if (status == PERFDATA_OK)
 * 		while ((status = perfdata_reader_next(reader, &raw)) == PERFDATA_OK)
 * 			…;
 *
 * At the end of the input, do this once more with perfdata_feed_end in the first line.
 *
 * - A stream (what `perf record -o -` writes) opens after its first 24 bytes. The reader returns a record as soon as it
 *   is whole; in time order, as soon as the round that releases it is whole. Three cases take longer: a record that
 *   contains bytes like a header, or whose size is no multiple of 8, waits for the header of the next record; after
 *   damage, records wait until the 1 MiB piece in which the reader searches for the next record is whole; and a
 *   compressed stream (gzip, zstd, xz) is decompressed in pieces of 256 KiB.
 * - A file, compressed or not, has its feature sections after its records: perfdata_reader_open returns PERFDATA_AGAIN
 *   until perfdata_feed_end was called. Directory recordings cannot be fed.
 *
 * Records, findings and errors do not depend on how the bytes were cut into pieces.
 *
 * After PERFDATA_AGAIN, every call that is allowed between two records is allowed: header, events, features, counts and
 * summaries hold the facts known so far, and names are looked up as in other recordings. A session must be opened
 * before the first record is read; perfdata_session_next returns the available records as a batch, and PERFDATA_AGAIN
 * if there are none. Tables work likewise (perfdata_table_stream: EAGAIN). Functions that read a whole recording in one
 * call, such as perfdata_convert, return PERFDATA_EUSAGE until perfdata_feed_end was called.
 *
 * The input copies the bytes, and keeps up to max_memory of them in memory and the rest in an unlinked temporary file.
 * It keeps bytes of a stream until the reader returns their records, bytes of a file until the input is freed. A stream
 * can have one reader, a file any number. One thread at a time uses the input and its readers. */
struct perfdata_feed_options {
	size_t size;               /* sizeof(struct perfdata_feed_options) */
	const char *tmpdir;        /* for the temporary file; copied; NULL: /tmp */
	uint64_t max_memory;       /* limit of the bytes in memory; 0: 8 MiB; the smallest limit is 1 MiB */
	uint64_t max_spool;        /* limit of all kept bytes; 0: no limit */
};

/* Returns NULL only without memory. The name is copied. `options` may be NULL; the first call that uses the input
 * reports a wrong option. */
PERFDATA_API struct perfdata_input *perfdata_input_fed(const struct perfdata_feed_options *options, const char *name);
/* Feeds the next bytes; size may be 0. PERFDATA_ELIMIT: more than max_spool; PERFDATA_EWRITE: the temporary file cannot
 * be written; PERFDATA_ENOMEM. After these errors the bytes are lost: this function and perfdata_feed_end keep
 * returning the error, and so do readers after the last record that was fed before. PERFDATA_EUSAGE: the input is of
 * another kind, or its end was fed. */
PERFDATA_API enum perfdata_status perfdata_feed(struct perfdata_input *input, const void *bytes, size_t size,
						struct perfdata_error *reterr);
/* Ends the input. A second call has no effect. */
PERFDATA_API enum perfdata_status perfdata_feed_end(struct perfdata_input *input, struct perfdata_error *reterr);

/* --- opening ------------------------------------------------------------------------------------------------------ */

/* As perfdata_reader_open_path, for any input. PERFDATA_AGAIN: feed more bytes first. */
PERFDATA_API enum perfdata_status perfdata_reader_open(const struct perfdata_input *input,
						       const struct perfdata_reader_options *options,
						       struct perfdata_reader **ret, struct perfdata_error *reterr);

#ifdef __cplusplus
}
#endif

#endif
