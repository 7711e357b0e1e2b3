/* SPDX-License-Identifier: MIT */
/* Sources of bytes. An input is a file, pipe, descriptor or memory, compressed (gzip, zstd, xz) or not. It returns the
 * decompressed bytes in read-only chunks of about 1 MiB; a seekable input also returns ranges at any offset.
 *
 * Chunks are reference-counted; a chunk stays valid and unmoved while somebody holds it. Each chunk has
 * PD_CHUNK_HEADROOM writable bytes before its data: the reader copies the unfinished record of the previous chunk into
 * them, so that each record is contiguous. The content of an input decides how it is read, never its name. */
#ifndef PD_INPUT_H
#define PD_INPUT_H

#include <stdatomic.h>
#include "perfdata/base.h"

#define PD_CHUNK_HEADROOM (1u << 16)   /* the largest record */
#define PD_CHUNK_HEAD 128u             /* bytes for struct pd_chunk: whole cache lines, so that the data is aligned */
/* With head and headroom, two chunks fill a large page. Fuzzers set a smaller size, to get more chunk borders and to
 * clear less memory. */
#ifndef PD_CHUNK_SIZE
#define PD_CHUNK_SIZE ((1u << 20) - PD_CHUNK_HEADROOM - PD_CHUNK_HEAD)
#endif

struct pd_chunk_pool;
struct pd_large_page;
struct pd_chunk {
	atomic_int holders;
	uint32_t mark;           /* mark of the thread that fills batches: see struct pd_chunks */
	uint32_t ahead_mark;     /* mark of the thread that reads ahead: see struct pd_chunks */
	uint32_t queued;         /* number of its records in the reader's queue; 0 at first */
	uint64_t offset;         /* offset of data[0] in the decompressed stream */
	uint8_t *data;           /* the reader may write PD_CHUNK_HEADROOM bytes before it */
	size_t size;             /* bytes of data, at most PD_CHUNK_SIZE */
	struct pd_chunk_pool *pool;
	struct pd_chunk *next_free;
	uint8_t *owned;          /* `data` of pd_chunk_wrap, else NULL */
	struct pd_large_page *page;   /* the memory that it shares with other chunks; NULL: it has its own */
	const struct pd_input *input;   /* has the bytes that the reader left out of its records; borrowed */
};

struct pd_chunk_pool *pd_chunk_pool_new(void);
/* Charges the pool's memory to the account until pd_chunk_pool_free. While the account is over its limit, the pool
 * frees unused chunks. Call this before the first chunk is taken. */
struct pd_account;
void pd_chunk_pool_account(struct pd_chunk_pool *pool, struct pd_account *account);
bool pd_chunk_pool_is_tight(const struct pd_chunk_pool *pool);   /* whether its account is nearly used up */
/* Announces that many chunks will be taken: all of them share large pages. Thread-safe. */
void pd_chunk_pool_expect_many(struct pd_chunk_pool *pool);
/* Frees the chunks that nobody uses. */
void pd_chunk_pool_trim(struct pd_chunk_pool *pool);
/* Frees the pool when its last chunk is dropped, which may be later. */
void pd_chunk_pool_free(struct pd_chunk_pool *pool);
/* Returns an empty chunk with one reference, if possible a recycled one. Thread-safe. NULL: no memory. */
struct pd_chunk *pd_chunk_get(struct pd_chunk_pool *pool);
/* Wraps `size` bytes of pd_malloc into a chunk with one reference and no headroom, and takes them over. NULL: no
 * memory, and the bytes stay the caller's. */
struct pd_chunk *pd_chunk_wrap(struct pd_chunk_pool *pool, uint8_t *bytes, size_t size);
static inline void pd_chunk_hold(struct pd_chunk *chunk)
{
	atomic_fetch_add_explicit(&chunk->holders, 1, memory_order_relaxed);
}
void pd_chunk_drop(struct pd_chunk *chunk);   /* thread-safe; ignores NULL */
/* The set of chunks that hold an object's bytes, with one reference to each. */
struct pd_chunks {
	struct pd_chunk **list;
	size_t nr, room;
	uint32_t mark;           /* marks the chunks that are in the set; never 0, the mark of a new chunk */
};
void pd_chunks_begin(struct pd_chunks *set, uint32_t *last_mark);   /* makes the set empty, with a new mark */
/* Adds the chunk unless its mark says that it is in the set. its_mark: the chunk's member for the calling thread.
 * Returns 0, or -1 without memory. */
int pd_chunks_hold(struct pd_chunks *set, struct pd_chunk *chunk, uint32_t *its_mark);
void pd_chunks_drop(struct pd_chunks *set);      /* drops all chunks; any thread may call it */
void pd_chunks_release(struct pd_chunks *set);   /* drops all, and frees the list */
/* Bytes that the pool has allocated. */
size_t pd_chunk_pool_bytes(const struct pd_chunk_pool *pool);

struct pd_input;
struct pd_input_options {
	const char *tmpdir;       /* directory of unlinked temporary files; NULL: "/tmp"; copied */
	uint64_t max_spool;       /* limit of temporary files in bytes; 0: none */
	uint32_t max_ratio;       /* limit of decompressed bytes for each compressed byte; 0: none */
	const struct perfdata_cancel *cancel;   /* cancels waiting for a pipe: PERFDATA_EINTR; may be NULL */
};

/* An input owns only the memory that it allocates. pd_input_close closes a descriptor only if `own_fd`, and no failure
 * closes it; memory must outlive the input. An input begins at its descriptor's file position. `options` may be NULL,
 * and so may `reterr`, which is set on failure. Opening waits for the first four bytes of a pipe. Directories are
 * PERFDATA_EUSAGE here; the reader opens their files. */
enum perfdata_status pd_input_open_path(const char *path, const struct pd_input_options *options,
					struct pd_input **ret, struct perfdata_error *reterr);
/* As pd_input_open_path, for a path that is not the user's, such as one in a directory recording: only regular
 * files. */
enum perfdata_status pd_input_open_regular(const char *path, const struct pd_input_options *options,
					   struct pd_input **ret, struct perfdata_error *reterr);
enum perfdata_status pd_input_open_fd(int fd, bool own_fd, const struct pd_input_options *options,
				      struct pd_input **ret, struct perfdata_error *reterr);
enum perfdata_status pd_input_open_memory(const void *bytes, size_t size, const struct pd_input_options *options,
					  struct pd_input **ret, struct perfdata_error *reterr);
/* Functions of the caller that read the source. Each returns 0 or an errno value. An input is seekable if it has
 * read_at and length, which come together. The struct is copied. */
struct pd_input_calls {
	int (*read)(void *user, void *buffer, size_t room, size_t *ret_got);
	int (*read_at)(void *user, uint64_t offset, void *buffer, size_t room, size_t *ret_got);
	int (*length)(void *user, uint64_t *ret_bytes);
	void *user;
};
enum perfdata_status pd_input_open_calls(const struct pd_input_calls *calls, const struct pd_input_options *options,
					 struct pd_input **ret, struct perfdata_error *reterr);
/* Bytes that the caller feeds piece by piece: see perfdata_feed. tmpdir is borrowed; `memory` (0: 8 MiB) and `max` as
 * in input_spool.h. NULL without memory. */
struct pd_feed;
struct pd_feed *pd_feed_new(const char *tmpdir, uint64_t memory, uint64_t max);
void pd_feed_free(struct pd_feed *feed);   /* free it after the inputs that read it */
/* Copies the bytes. PERFDATA_ENOMEM, PERFDATA_EWRITE, PERFDATA_ELIMIT: these and all later bytes are lost, and inputs
 * fail with the same error when they reach them. */
enum perfdata_status pd_feed_add(struct pd_feed *feed, const void *bytes, size_t size, struct perfdata_error *reterr);
/* Ends the feed. Fails as pd_feed_add did. */
enum perfdata_status pd_feed_end(struct pd_feed *feed, struct perfdata_error *reterr);
bool pd_feed_has_ended(const struct pd_feed *feed);
/* Makes opening an input return PERFDATA_AGAIN until the feed has ended, for formats that need all bytes. */
void pd_feed_needs_all(struct pd_feed *feed);
/* Opens an input that reads the feed. PERFDATA_AGAIN: too few bytes to recognize the format. Several inputs may read a
 * feed that has ended, unless one of them took chunks of a stream. */
enum perfdata_status pd_input_open_feed(struct pd_feed *feed, const struct pd_input_options *options,
					struct pd_input **ret, struct perfdata_error *reterr);
/* Whether the input reads a feed in order. */
bool pd_input_is_fed(const struct pd_input *input);
/* Whether that feed has not ended: pd_input_peek and pd_input_next_chunk return PERFDATA_AGAIN if bytes are missing. */
bool pd_input_waits(const struct pd_input *input);
/* Appends newly fed bytes to the last returned chunk, so that chunks end at the same offsets as in an input that has
 * all bytes at once. PERFDATA_OK: the chunk grew; PERFDATA_AGAIN: no new bytes; PERFDATA_END: the chunk is complete,
 * and later bytes are in the next chunk; PERFDATA_ENOMEM. */
enum perfdata_status pd_input_extend_chunk(struct pd_input *input, struct pd_chunk *chunk);
void pd_input_close(struct pd_input *input);

/* Returns the first `size` bytes of the input (at most 4096) without moving its position; fewer only if the input ends
 * or chunks of a stream were taken. Waits for a pipe that is still being written. Borrowed until the next call. */
enum perfdata_status pd_input_peek(struct pd_input *input, const uint8_t **ret_bytes, size_t *ret_size, size_t size);

/* Whether pd_input_read_at works without a spool: for regular files and memory that are not compressed. */
bool pd_input_seekable(const struct pd_input *input);
/* Makes a compressed or piped input seekable: writes all of it to an unlinked temporary file (up to 8 MiB: to memory).
 * PERFDATA_ELIMIT: more than max_spool; PERFDATA_EUSAGE: a chunk was taken. After a failure the input is unusable. If
 * compressed data is damaged, the input keeps the bytes before the damage (see pd_input_damage). */
enum perfdata_status pd_input_make_seekable(struct pd_input *input, struct perfdata_error *reterr);
/* Size of a seekable input in bytes when it was opened (a file may have shrunk since); UINT64_MAX: unknown. */
uint64_t pd_input_size(const struct pd_input *input);
/* Reads `size` bytes at `offset` of a seekable input; fewer only at its end (*ret_size). */
enum perfdata_status pd_input_read_at(struct pd_input *input, uint64_t offset, void *buffer, size_t size,
				      size_t *ret_size);

/* Reads bytes that are in memory already, such as a file's in the page cache: returns how many, fewer than `size` where
 * they end or others follow; 0 also if the system cannot say. Any thread. 0 for inputs that are not seekable. */
size_t pd_input_read_cached(const struct pd_input *input, uint64_t offset, void *buffer, size_t size);
/* Reads bytes that were there already: returns 0, or an errno value (ENODATA: the file has become shorter). Any thread;
 * it changes nothing in the input. */
int pd_input_reread(const struct pd_input *input, uint64_t offset, void *buffer, size_t size);

/* After a break in compressed data, continue at the next frame or member if there is one. Offsets do not count the lost
 * bytes between, so only streams, which store no offsets, may use this. */
void pd_input_go_on(struct pd_input *input);
/* Whether the last returned chunk is the first one after a break; true once for each break. The offsets are those in
 * the compressed input. */
bool pd_input_went_on(struct pd_input *input, uint64_t *ret_break_offset, uint64_t *ret_found_offset);

/* Lets a thread of the input read chunks before the reader asks for them; not from pipes, where the writer decides. */
void pd_input_read_ahead(struct pd_input *input);
/* The same, but other threads will call pd_input_help, instead of a thread of the input. Call it before the first
 * chunk. */
void pd_input_let_help(struct pd_input *input);
/* For any thread, until the input is closed. pd_input_help reads a chunk ahead; false: none is to be read. */
bool pd_input_needs_help(struct pd_input *input);
bool pd_input_help(struct pd_input *input);

/* Sets the offsets at which the next pd_input_next_chunk reads and chunks stop (UINT64_MAX: the end). Seekable
 * inputs. */
enum perfdata_status pd_input_seek(struct pd_input *input, uint64_t offset, uint64_t end);
/* Returns the next chunk with a reference for the caller; from a pipe as soon as it has some bytes. PERFDATA_END: the
 * input ends; or compressed data is broken, or a read failed, after good bytes: see pd_input_damage. */
enum perfdata_status pd_input_next_chunk(struct pd_input *input, struct pd_chunk_pool *pool, struct pd_chunk **ret,
					 struct perfdata_error *reterr);

/* What has gone wrong so far: PERFDATA_OK (nothing), PERFDATA_DAMAGED (broken compressed data), PERFDATA_END
 * (compressed data ends early), PERFDATA_ELIMIT (ratio, or a zstd window above 128 MiB), PERFDATA_EREAD (I/O error in
 * the middle). The offset (may be NULL) is one in the file, compressed or not. */
enum perfdata_status pd_input_damage(const struct pd_input *input, uint64_t *ret_compressed_offset);
/* Sets reterr to the reason of a failed read; returns PERFDATA_EREAD. */
enum perfdata_status pd_input_read_error(const struct pd_input *input, struct perfdata_error *reterr);
/* Returns the compression: "none", "gzip", "zstd" or "xz". */
const char *pd_input_packing(const struct pd_input *input);
/* Whether the bytes came from a pipe or another source that cannot seek, even if they are spooled now. */
bool pd_input_is_pipe(const struct pd_input *input);
/* Modification time of a path or descriptor in seconds since 1970; 0: none. */
int64_t pd_input_mtime(const struct pd_input *input);
/* Modification time in nanoseconds since 1970; 0: none. */
int64_t pd_input_written(const struct pd_input *input);

#endif
