/* SPDX-License-Identifier: MIT */
/* The inside of an input: a raw source (file, pipe, memory), perhaps a decoder over it, and the first decompressed
 * bytes kept for a look. A spool replaces the raw source and removes the decoder. */
#ifndef PD_INPUT_IMPL_H
#define PD_INPUT_IMPL_H

#include "codec/codec.h"
#include "input/input.h"
#include "input/input_spool.h"

#define PD_INPUT_PEEK 4096u
#define PD_INPUT_COMPRESSED (256u << 10)

enum pd_source { PD_SOURCE_FILE, PD_SOURCE_PIPE, PD_SOURCE_MEMORY, PD_SOURCE_FED };

/* The result of reading the next chunk, and the state of the input after it. */
struct pd_input_step {
	enum perfdata_status status;
	struct pd_chunk *chunk;    /* PERFDATA_OK */
	struct perfdata_error error;
	enum perfdata_status damage;
	uint64_t damage_offset;
	bool went_on;
	uint64_t break_offset, found_offset;   /* in the raw source */
};

/* fed.c */
struct pd_feed {
	struct pd_input_spool spool;     /* bytes that no reader has taken yet, or that one may read again */
	uint64_t given;            /* bytes before the first byte in the spool */
	bool ended;
	bool needs_all;            /* see pd_feed_needs_all */
	struct perfdata_error error;   /* why bytes could not be kept: the input ends before the lost bytes */
};

struct pd_chunks_ahead;
struct pd_input {
	enum pd_source source;
	int fd;                    /* -1 for memory and calls */
	bool called;               /* FILE, PIPE: `calls` instead of fd */
	struct pd_input_calls calls;
	struct pd_feed *feed;      /* FED, and FILE once all bytes were fed; else NULL */
	bool own_fd;
	bool was_pipe;
	uint64_t base;             /* FILE: where in the file the input begins */
	uint64_t size;             /* FILE, MEMORY: bytes of the raw source */
	const uint8_t *memory;
	uint8_t *own_memory;       /* of a spool */
	int64_t mtime;             /* ns since 1970; 0: none */

	char *tmpdir;
	uint64_t max_spool;
	uint32_t max_ratio;

	/* Raw, read in order. */
	uint64_t raw_at;           /* bytes taken from the raw source */
	bool raw_ended;            /* nothing more to read … */
	bool raw_failed;           /* … because a read failed */
	const struct perfdata_cancel *cancel;   /* or NULL */
	uint8_t first_raw[PD_CODEC_MAGIC];  /* read from a pipe to find out its compression, not yet used */
	size_t first_raw_at, first_raw_size;

	/* Packed. */
	enum pd_codec_kind packing;
	struct pd_decoder *decoder; /* NULL: not compressed, or spooled */
	uint8_t *compressed;           /* PD_INPUT_COMPRESSED bytes */
	size_t compressed_at, compressed_size;
	uint64_t compressed_offset;    /* of compressed[0] in the raw source */
	uint64_t decompressed;         /* bytes that came out so far */
	bool goes_on;              /* after a break, reading continues at the next frame */
	bool lost;                 /* after a break; the next frame was not found yet */
	bool found;                /* the next frame was found; not reported yet */
	uint64_t break_offset, found_offset;   /* in the raw source */

	/* Decompressed, read in order. */
	bool ended;
	uint8_t *peek;             /* the first bytes of the input, PD_INPUT_PEEK; NULL until asked for */
	size_t peek_size;
	uint64_t at, stop;         /* position of the next chunk; where chunks stop (seekable inputs) */

	enum perfdata_status damage;
	uint64_t damage_offset;
	int damage_errno;

	struct pd_input_step given; /* last */
	bool may_read_ahead;
	unsigned in_a_row;         /* chunks since it was opened or placed */
	struct pd_chunks_ahead *ahead;   /* NULL: no thread */
};

/* input.c: reads the next chunk. */
void pd_input_step(struct pd_input *input, struct pd_chunk_pool *pool, struct pd_input_step *ret);

/* chunks_ahead.c: the same; a thread reads the chunk if one runs, or is worth starting. */
void pd_chunks_ahead_step(struct pd_input *input, struct pd_chunk_pool *pool, struct pd_input_step *ret);
/* Stops the thread, so that the caller may use the input again; drops chunks that were read and not taken. */
void pd_chunks_ahead_stop(struct pd_input *input);

/* source.c: as pd_pread_full. */
int64_t pd_source_pread(struct pd_input *input, void *buffer, size_t size, uint64_t offset);
/* source.c: appends the next decompressed bytes to the *filled bytes in the buffer, as many as fit. With `wait` it
 * appends at least one byte, unless the end is reached; without `wait` only the bytes at hand. Nothing new with `wait`
 * means the end; input->damage may say why. One call does not append bytes from both sides of a break. Only PERFDATA_OK
 * and PERFDATA_ENOMEM. A source that is fed must not be waited for before its end. */
enum perfdata_status pd_source_read(struct pd_input *input, uint8_t *buffer, size_t size, bool wait, size_t *filled);
/* Looks at the first raw bytes and sets up the decoder. */
enum perfdata_status pd_source_start(struct pd_input *input, struct perfdata_error *reterr);
/* Frees what only reading in order needs. */
void pd_source_finish(struct pd_input *input);

/* input.c: an input over a source without a descriptor. */
enum perfdata_status pd_input_open_source(enum pd_source source, struct pd_feed *feed,
					  const struct pd_input_options *options, struct pd_input **ret,
					  struct perfdata_error *reterr);

/* fed.c: as many bytes as `wanted` are there, or no more come. */
bool pd_fed_is_ready(const struct pd_input *input, size_t wanted);
/* PERFDATA_AGAIN, or why nothing more can be fed. */
enum perfdata_status pd_fed_nothing_yet(const struct pd_input *input, struct perfdata_error *reterr);
/* As read(2), in order; 0 where nothing is left. */
int64_t pd_fed_read(struct pd_input *input, void *buffer, size_t size);
/* As pd_pread_full. */
int64_t pd_fed_pread(const struct pd_input *input, void *buffer, size_t size, uint64_t offset);
/* Where all bytes were read: gives up the memory and the file that hold them. */
void pd_fed_forget(struct pd_input *input);
/* All bytes were fed and are not compressed: from now on they can be read at any offset. */
void pd_fed_become_file(struct pd_input *input);

#endif
