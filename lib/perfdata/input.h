/* SPDX-License-Identifier: MIT */
/* Where a recording comes from: a path, a descriptor, memory, functions of the caller, or bytes that the caller feeds.
 *
 * Making an input opens nothing: perfdata_reader_open does, which perfdata_convert calls, so all errors come from
 * there. An input lives until the readers that were opened from it are closed. */
#ifndef PERFDATA_INPUT_H
#define PERFDATA_INPUT_H

#include "perfdata/reader.h"

#ifdef __cplusplus
extern "C" {
#endif

struct perfdata_input;

/* Functions of the caller, which the reading thread calls. A result other than 0 is an errno value: opening fails with
 * PERFDATA_EREAD and that os_error if the first bytes, or tables and feature sections of a file, cannot be read (the
 * latter with the finding READ_FAILED). If records cannot be read, the input ends there, like a file whose reading
 * fails: with the finding READ_FAILED, and with PERFDATA_EREAD and that os_error after the last record before the
 * failure. A struct of options: opening fails with PERFDATA_EUSAGE if members are wrong. */
struct perfdata_input_callbacks {
	size_t size;
	/* The next bytes, at most `room`; *ret_got 0 means the end. Short counts are fine. */
	int (*read)(void *user, void *buffer, size_t room, size_t *ret_got);
	/* Optional, both or neither: reads bytes at an offset (0 bytes only at the end); returns the size of the input.
	 * With both the input can seek. */
	int (*read_at)(void *user, uint64_t offset, void *buffer, size_t room, size_t *ret_got);
	int (*length)(void *user, uint64_t *ret_bytes);
	/* Optional: called once, by perfdata_input_free. */
	void (*close)(void *user);
};

/* Each is NULL only without memory. Paths and names are copied. name: what findings call it; NULL: "-", "memory". */
PERFDATA_API struct perfdata_input *perfdata_input_path(const char *path);
PERFDATA_API struct perfdata_input *perfdata_input_fd(int fd, const char *name);   /* not closed */
/* borrowed */
PERFDATA_API struct perfdata_input *perfdata_input_memory(const void *bytes, size_t size, const char *name);
PERFDATA_API struct perfdata_input *perfdata_input_callbacks(const struct perfdata_input_callbacks *callbacks,
							     void *user, const char *name);
PERFDATA_API void perfdata_input_free(struct perfdata_input *input);

/* --- bytes as they arrive ----------------------------------------------------------------------------------------- */

/* An input whose bytes the program hands over as it gets them, from a socket or an event loop. Reading never waits, and
 * needs no thread: where bytes are missing, a function returns PERFDATA_AGAIN, and is called again once more was fed:
 *
 *	status = perfdata_feed(input, bytes, size, &error);
 *	if (status == PERFDATA_OK && !reader)
 *		status = perfdata_reader_open(input, &options, &reader, &error);
 *	if (status == PERFDATA_OK)
 *		while ((status = perfdata_reader_next(reader, &raw)) == PERFDATA_OK)
 *			…;
 *
 * and the same once more with perfdata_feed_end in the first line.
 *
 * - A stream (what `perf record -o -` writes) opens after its first 24 bytes. It gives each record as soon as the
 *   record is whole; in time order, as soon as the round is whole that releases the record. Three things take longer: a
 *   record in which something looks like a header, or whose size is no multiple of 8, comes with the header of the next
 *   record; after damage, records come once the 1 MiB piece is whole in which the reader searches for the next record;
 *   and a compressed stream (gzip, zstd, xz) is decompressed in pieces of 256 KiB.
 * - Everything else (a file, compressed or not) has its feature sections after its records: perfdata_reader_open
 *   returns PERFDATA_AGAIN until perfdata_feed_end was called. Directory recordings cannot be fed.
 *
 * Records, findings and errors do not depend on how the bytes were cut into pieces.
 *
 * After PERFDATA_AGAIN, every call may be used that may be used between two records; header, events, features, counts
 * and summaries hold the facts known so far, and names of addresses are found as in other recordings. A session is
 * opened before the first record is read, as always; perfdata_session_next returns the records that it has as a batch,
 * and PERFDATA_AGAIN if it has none. Tables work likewise (perfdata_table_stream: EAGAIN). Functions that read a whole
 * recording in one call, such as perfdata_convert, and so all emitters, take such an input once its end was fed, and
 * return PERFDATA_EUSAGE before.
 *
 * The input copies the bytes. It keeps the bytes that no reader has taken yet: in memory up to max_memory, the rest in
 * a temporary file without a name. It keeps bytes of a stream until the reader is asked for their records, other bytes
 * until the input is freed. One reader may be opened from a stream, any number from other recordings. One thread at a
 * time uses the input and its readers. */
struct perfdata_feed_options {
	size_t size;               /* sizeof(struct perfdata_feed_options) */
	const char *tmpdir;        /* for the temporary file; copied; NULL: /tmp */
	uint64_t max_memory;       /* bytes that are kept in memory; 0: 8 MiB; less than 1 MiB counts as that */
	uint64_t max_spool;        /* bytes that are kept in all; 0: no limit */
};

/* As the functions above. `options` may be NULL; a wrong option is reported by the first call that uses the input. */
PERFDATA_API struct perfdata_input *perfdata_input_fed(const struct perfdata_feed_options *options, const char *name);
/* The next bytes, which may be none. PERFDATA_ELIMIT: beyond max_spool; PERFDATA_EWRITE: of the temporary file;
 * PERFDATA_ENOMEM. After one of these the bytes are lost: from then on this function and perfdata_feed_end return that
 * error, and so do readers after the last record that was fed before. PERFDATA_EUSAGE: another kind of input, or its
 * end was fed. */
PERFDATA_API enum perfdata_status perfdata_feed(struct perfdata_input *input, const void *bytes, size_t size,
						struct perfdata_error *reterr);
/* No more bytes come. Once is enough; again does no harm. */
PERFDATA_API enum perfdata_status perfdata_feed_end(struct perfdata_input *input, struct perfdata_error *reterr);

/* --- opening ------------------------------------------------------------------------------------------------------ */

/* As perfdata_reader_open_path, for an input of any kind. PERFDATA_AGAIN: too little was fed. */
PERFDATA_API enum perfdata_status perfdata_reader_open(const struct perfdata_input *input,
						       const struct perfdata_reader_options *options,
						       struct perfdata_reader **ret, struct perfdata_error *reterr);

#ifdef __cplusplus
}
#endif

#endif
