/* SPDX-License-Identifier: MIT */
/* Where bytes come from. An input is a file, pipe, descriptor or memory, compressed (gzip, zstd, xz) or not; it gives
 * the decompressed bytes in read-only chunks of about 1 MiB, and, if it can seek, ranges at any offset.
 *
 * Chunks are reference-counted; a chunk stays valid and unmoved while somebody holds it. Each chunk has
 * PD_CHUNK_HEADROOM writable bytes before its data: the reader copies the unfinished record of the previous chunk into
 * them, so that each record is contiguous. The content of an input decides how it is read, never its name. */
#ifndef PD_INPUT_H
#define PD_INPUT_H

#include <stdatomic.h>
#include "perfdata/base.h"

/* Fuzzing sets a smaller size: more borders between chunks, and less time for memory that is not used. */
#ifndef PD_CHUNK_SIZE
#define PD_CHUNK_SIZE (1u << 20)
#endif
#define PD_CHUNK_HEADROOM (1u << 16)   /* the largest record */

struct pd_chunk_pool;
struct pd_chunk {
	atomic_int holders;
	uint32_t mark;           /* free for the single thread that fills batches */
	uint32_t ahead_mark;     /* the same for the thread that reads ahead */
	uint32_t queued;         /* free for the reader: records of the chunk that wait for their turn; 0 at first */
	uint64_t offset;         /* of data[0] in the decompressed stream it was filled from */
	uint8_t *data;           /* PD_CHUNK_HEADROOM bytes in front may be used by the reader */
	size_t size;             /* bytes filled, at most PD_CHUNK_SIZE */
	struct pd_chunk_pool *pool;
	struct pd_chunk *next_free;
	uint8_t *owned;          /* `data` of pd_chunk_wrap, else NULL */
};

struct pd_chunk_pool *pd_chunk_pool_new(void);
/* From now on, until pd_chunk_pool_free, the pool's memory draws from this account. While the account is over its
 * limit, the pool frees unused chunks. Call it before the first chunk is taken. */
struct pd_account;
void pd_chunk_pool_account(struct pd_chunk_pool *pool, struct pd_account *account);
/* Frees the chunks that nobody holds. */
void pd_chunk_pool_trim(struct pd_chunk_pool *pool);
/* Frees the pool once every chunk has come back (chunks may outlive the call). */
void pd_chunk_pool_free(struct pd_chunk_pool *pool);
/* A chunk with one holder, empty; recycled if one is free. Thread-safe. NULL without memory. */
struct pd_chunk *pd_chunk_get(struct pd_chunk_pool *pool);
/* A chunk with one holder around `size` bytes of pd_malloc, which it takes over; it has no headroom. NULL without
 * memory: the bytes stay the caller's. */
struct pd_chunk *pd_chunk_wrap(struct pd_chunk_pool *pool, uint8_t *bytes, size_t size);
static inline void pd_chunk_hold(struct pd_chunk *chunk)
{
	atomic_fetch_add_explicit(&chunk->holders, 1, memory_order_relaxed);
}
void pd_chunk_drop(struct pd_chunk *chunk);   /* thread-safe; NULL is fine */
/* The chunks that hold an object's bytes, with one reference to each. */
struct pd_chunks {
	struct pd_chunk **list;
	size_t nr, room;
	uint32_t mark;           /* of chunks that are in the set already; never 0, the mark of a fresh chunk */
};
void pd_chunks_begin(struct pd_chunks *set, uint32_t *last_mark);   /* an empty set with a new mark */
/* `its_mark`: the member of the chunk that belongs to the thread that makes the set. 0, or -1 without memory. */
int pd_chunks_hold(struct pd_chunks *set, struct pd_chunk *chunk, uint32_t *its_mark);
void pd_chunks_drop(struct pd_chunks *set);      /* all; thread-safe as far as the chunks go */
void pd_chunks_release(struct pd_chunks *set);   /* drops all, and frees the list */
/* Bytes now allocated by the pool, for limits. */
size_t pd_chunk_pool_bytes(const struct pd_chunk_pool *pool);

struct pd_input;
struct pd_input_options {
	const char *tmpdir;       /* for spools: unlinked temporary files; NULL: "/tmp"; copied */
	uint64_t max_spool;       /* bytes; 0: no limit */
	uint32_t max_ratio;       /* decompressed : compressed; 0: no limit */
	const struct perfdata_cancel *cancel;   /* ends waiting for a pipe with PERFDATA_EINTR; may be NULL */
};

/* An input owns nothing but the memory that it allocates: pd_input_close closes a descriptor only if `own_fd`, and no
 * failure closes it; memory must outlive the input. An input begins at its descriptor's file position. `options` may be
 * NULL, and so may `reterr`, which is set on failure. Waits for the first four bytes of a pipe. Directories are
 * PERFDATA_EUSAGE here; the reader opens their parts. */
enum perfdata_status pd_input_open_path(const char *path, const struct pd_input_options *options,
					struct pd_input **ret, struct perfdata_error *reterr);
/* The same for a path that the user did not give, such as a file of a directory recording: nothing but a regular file
 * is opened. */
enum perfdata_status pd_input_open_regular(const char *path, const struct pd_input_options *options,
					   struct pd_input **ret, struct perfdata_error *reterr);
enum perfdata_status pd_input_open_fd(int fd, bool own_fd, const struct pd_input_options *options,
				      struct pd_input **ret, struct perfdata_error *reterr);
enum perfdata_status pd_input_open_memory(const void *bytes, size_t size, const struct pd_input_options *options,
					  struct pd_input **ret, struct perfdata_error *reterr);
/* Functions of the caller as the source: each returns 0 or an errno value. read_at and length, both or none, make the
 * input seekable. The struct is copied. */
struct pd_input_calls {
	int (*read)(void *user, void *buffer, size_t room, size_t *ret_got);
	int (*read_at)(void *user, uint64_t offset, void *buffer, size_t room, size_t *ret_got);
	int (*length)(void *user, uint64_t *ret_bytes);
	void *user;
};
enum perfdata_status pd_input_open_calls(const struct pd_input_calls *calls, const struct pd_input_options *options,
					 struct pd_input **ret, struct perfdata_error *reterr);
/* Bytes that the caller hands over, piece by piece: see perfdata_feed. tmpdir is borrowed; `memory` (0: 8 MiB)
 * and `max` as in spool.h. NULL without memory. */
struct pd_feed;
struct pd_feed *pd_feed_new(const char *tmpdir, uint64_t memory, uint64_t max);
void pd_feed_free(struct pd_feed *feed);   /* after the inputs that read it */
/* Copies the bytes. PERFDATA_ENOMEM, PERFDATA_EWRITE, PERFDATA_ELIMIT: these and all later bytes are lost, and inputs
 * give the same error in their place. */
enum perfdata_status pd_feed_add(struct pd_feed *feed, const void *bytes, size_t size, struct perfdata_error *reterr);
/* Fails as pd_feed_add did. */
enum perfdata_status pd_feed_end(struct pd_feed *feed, struct perfdata_error *reterr);
bool pd_feed_has_ended(const struct pd_feed *feed);
/* What the bytes hold can be read only once all are there: opening an input gives PERFDATA_AGAIN until then. */
void pd_feed_needs_all(struct pd_feed *feed);
/* PERFDATA_AGAIN: too few bytes to recognize the form. Several inputs may read a feed once it has ended, unless one of
 * these inputs took chunks of a stream. */
enum perfdata_status pd_input_open_feed(struct pd_feed *feed, const struct pd_input_options *options,
					struct pd_input **ret, struct perfdata_error *reterr);
/* The input reads a feed in order. */
bool pd_input_is_fed(const struct pd_input *input);
/* … that has not ended: pd_input_peek and pd_input_next_chunk give PERFDATA_AGAIN where they need more bytes. */
bool pd_input_waits(const struct pd_input *input);
/* Appends the bytes that were fed since to the last returned chunk, so that chunks end at the same offsets as in an
 * input that has all bytes at once. PERFDATA_OK: the chunk grew; PERFDATA_AGAIN: not yet; PERFDATA_END: the chunk is
 * complete, and the next chunk has the bytes that follow; PERFDATA_ENOMEM. */
enum perfdata_status pd_input_extend_chunk(struct pd_input *input, struct pd_chunk *chunk);
void pd_input_close(struct pd_input *input);

/* The first bytes of the input without moving the position: up to `size` (at most 4096), fewer only at the end of the
 * input (or once chunks of a stream were taken). Waits for a pipe that is still being written. Borrowed until the next
 * call. */
enum perfdata_status pd_input_peek(struct pd_input *input, const uint8_t **ret_bytes, size_t *ret_size, size_t size);

/* True for regular files and memory that are not compressed: pd_input_read_at works without a spool. */
bool pd_input_seekable(const struct pd_input *input);
/* After this a compressed or piped input can seek too: the function first writes the whole input to an unlinked
 * temporary file (to memory, up to 8 MiB). PERFDATA_ELIMIT beyond max_spool, PERFDATA_EUSAGE once a chunk was taken;
 * the input is of no more use after a failure. A compressed stream that breaks keeps what came out (see _damage). */
enum perfdata_status pd_input_make_seekable(struct pd_input *input, struct perfdata_error *reterr);
/* Size in bytes of a seekable input when it was opened (a file may have shrunk since); UINT64_MAX if unknown. */
uint64_t pd_input_size(const struct pd_input *input);
/* Up to `size` bytes at `offset` of a seekable input; fewer only at the end (*ret_size). */
enum perfdata_status pd_input_read_at(struct pd_input *input, uint64_t offset, void *buffer, size_t size,
				      size_t *ret_size);

/* From now on, the reading of a compressed stream that breaks continues at the next frame or member, if there is one.
 * Offsets do not count the bytes that are lost between, so this is only for recordings without stored offsets:
 * streams. */
void pd_input_go_on(struct pd_input *input);
/* True once for each break: the last returned chunk is the first one after the break. Offsets in the compressed
 * input. */
bool pd_input_went_on(struct pd_input *input, uint64_t *ret_break_offset, uint64_t *ret_found_offset);

/* From now on chunks may be read before they are asked for, by a thread of the input's own; not for a pipe, where
 * nobody knows when more comes. */
void pd_input_read_ahead(struct pd_input *input);

/* Sets where the next pd_input_next_chunk reads (seekable inputs), and where it stops (UINT64_MAX: the end). */
enum perfdata_status pd_input_seek(struct pd_input *input, uint64_t offset, uint64_t end);
/* The next chunk, held once for the caller. For a pipe: as soon as some bytes are there. PERFDATA_END at the end, and
 * also where compressed data breaks, or a read fails, after good bytes: pd_input_damage distinguishes the three. */
enum perfdata_status pd_input_next_chunk(struct pd_input *input, struct pd_chunk_pool *pool, struct pd_chunk **ret,
					 struct perfdata_error *reterr);

/* What went wrong with decompression or reading so far: PERFDATA_OK, PERFDATA_DAMAGED (broken compressed data),
 * PERFDATA_END (compressed data ends early), PERFDATA_ELIMIT (ratio, or a zstd window above 128 MiB), PERFDATA_EREAD
 * (I/O error in the middle). The offset (may be NULL) counts bytes of the file, compressed or not. */
enum perfdata_status pd_input_damage(const struct pd_input *input, uint64_t *ret_compressed_offset);
/* Sets reterr to why reading failed. PERFDATA_EREAD. */
enum perfdata_status pd_input_read_error(const struct pd_input *input, struct perfdata_error *reterr);
/* How the input is compressed: "none", "gzip", "zstd", "xz". */
const char *pd_input_packing(const struct pd_input *input);
/* The bytes came through a pipe or something else that cannot seek, whether they were spooled since or not. */
bool pd_input_is_pipe(const struct pd_input *input);
/* Modification time in seconds since 1970 of a path or descriptor that has one, else 0. */
int64_t pd_input_mtime(const struct pd_input *input);
/* The same in nanoseconds. */
int64_t pd_input_written(const struct pd_input *input);

#endif
