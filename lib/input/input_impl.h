/* SPDX-License-Identifier: MIT */
/* The members of an input: a raw source (file, pipe, memory), a decoder if it is compressed, and the first decompressed
 * bytes for peeking. A spool replaces the raw source and the decoder. */
#ifndef PD_INPUT_IMPL_H
#define PD_INPUT_IMPL_H

#include "codec/codec.h"
#include "input/input.h"
#include "input/input_spool.h"

#define PD_INPUT_PEEK 4096u
#define PD_INPUT_COMPRESSED (256u << 10)

enum pd_source { PD_SOURCE_FILE, PD_SOURCE_PIPE, PD_SOURCE_MEMORY, PD_SOURCE_FED };

/* The result of reading the next chunk, with the state of the input after it. */
struct pd_input_step {
	enum perfdata_status status;
	struct pd_chunk *chunk;    /* set if status is PERFDATA_OK */
	struct perfdata_error error;
	enum perfdata_status damage;
	uint64_t damage_offset;
	bool went_on;
	uint64_t break_offset, found_offset;   /* offsets in the raw source */
};

/* fed.c */
struct pd_feed {
	struct pd_input_spool spool;     /* bytes not yet read, or kept so that another input may read them */
	uint64_t nr_consumed;      /* bytes that were read and left the spool */
	bool ended;
	bool needs_all;            /* set by pd_feed_needs_all */
	struct perfdata_error error;   /* why bytes were lost: the input ends before them */
};

struct pd_chunks_ahead;
struct pd_input {
	enum pd_source source;
	int fd;                    /* -1 for memory and calls */
	bool called;               /* FILE, PIPE: uses `calls` instead of fd */
	struct pd_input_calls calls;
	struct pd_feed *feed;      /* FED, and FILE when all bytes were fed; else NULL */
	bool own_fd;
	bool was_pipe;
	uint64_t base;             /* FILE: file offset at which the input begins */
	uint64_t size;             /* FILE, MEMORY: bytes of the raw source */
	const uint8_t *memory;
	uint8_t *own_memory;       /* memory of a spool */
	int64_t mtime;             /* modification time, ns since 1970; 0: none */

	char *tmpdir;
	uint64_t max_spool;
	uint32_t max_ratio;

	/* the raw source, read in order */
	uint64_t raw_at;           /* bytes taken from the raw source */
	bool raw_ended;            /* no more bytes can be read */
	bool raw_failed;           /* a read failed, which set raw_ended */
	const struct perfdata_cancel *cancel;   /* NULL: cannot be cancelled */
	uint8_t first_raw[PD_CODEC_MAGIC];  /* unused bytes of a pipe, read to detect its compression */
	size_t first_raw_at, first_raw_size;

	/* compressed inputs */
	enum pd_codec_kind packing;
	struct pd_decoder *decoder; /* NULL: not compressed, or spooled */
	uint8_t *compressed;           /* PD_INPUT_COMPRESSED bytes */
	size_t compressed_at, compressed_size;
	uint64_t compressed_offset;    /* raw offset of compressed[0] */
	uint64_t decompressed;         /* bytes that were decompressed so far */
	bool goes_on;              /* continues at the next frame after a break */
	bool lost;                 /* a break was found, but not yet the next frame */
	bool found;                /* the next frame is found, but not yet reported */
	uint64_t break_offset, found_offset;   /* offsets in the raw source */

	/* decompressed bytes, read in order */
	bool ended;
	uint8_t *peek;             /* first bytes of the input, PD_INPUT_PEEK; NULL until needed */
	size_t peek_size;
	uint64_t at, stop;         /* offset of the next chunk; offset at which chunks stop (seekable inputs) */

	enum perfdata_status damage;
	uint64_t damage_offset;
	int damage_errno;

	struct pd_input_step last_step;
	bool may_read_ahead;
	bool has_helpers;          /* threads of the caller read ahead, instead of one of the input */
	unsigned in_a_row;         /* chunks since opening or seeking */
	struct pd_chunks_ahead *ahead;   /* NULL: nothing is read ahead */
	_Atomic(struct pd_chunks_ahead *) helped;   /* what helpers use, until the input is closed; NULL: not begun */
};

/* Reads the next chunk (input.c). */
void pd_input_step(struct pd_input *input, struct pd_chunk_pool *pool, struct pd_input_step *ret);

/* Reads the next chunk, or takes it from a thread that reads ahead; lets one begin if it is worthwhile
 * (chunks_ahead.c). */
void pd_chunks_ahead_step(struct pd_input *input, struct pd_chunk_pool *pool, struct pd_input_step *ret);
/* Stops reading ahead, so that the caller may use the input again. Drops the chunks that it read ahead. */
void pd_chunks_ahead_stop(struct pd_input *input);
void pd_chunks_ahead_free(struct pd_input *input);

/* Reads raw bytes as pd_pread_full does (source.c). */
int64_t pd_source_pread(struct pd_input *input, void *buffer, size_t size, uint64_t offset);
/* Appends decompressed bytes to the *filled bytes in the buffer, as many as fit (source.c). With `wait` it appends at
 * least one byte, except at the end, whose reason may be in input->damage; without `wait` it appends the bytes that are
 * available. One call does not append bytes from both sides of a break. Returns PERFDATA_OK or PERFDATA_ENOMEM. Set
 * `wait` for a feed only if it has ended. */
enum perfdata_status pd_source_read(struct pd_input *input, uint8_t *buffer, size_t size, bool wait, size_t *filled);
/* Detects the compression by the first raw bytes and makes the decoder. */
enum perfdata_status pd_source_start(struct pd_input *input, struct perfdata_error *reterr);
/* Frees what is only needed to read in order. */
void pd_source_finish(struct pd_input *input);

/* Opens an input whose source has no descriptor (input.c). */
enum perfdata_status pd_input_open_source(enum pd_source source, struct pd_feed *feed,
					  const struct pd_input_options *options, struct pd_input **ret,
					  struct perfdata_error *reterr);

/* Whether `wanted` bytes are available, or no more will come (fed.c). */
bool pd_fed_is_ready(const struct pd_input *input, size_t wanted);
/* Returns PERFDATA_AGAIN, or why no more bytes can be fed. */
enum perfdata_status pd_fed_nothing_yet(const struct pd_input *input, struct perfdata_error *reterr);
/* Reads in order as read(2) does; 0: no bytes left. */
int64_t pd_fed_read(struct pd_input *input, void *buffer, size_t size);
/* Reads as pd_pread_full does. */
int64_t pd_fed_pread(const struct pd_input *input, void *buffer, size_t size, uint64_t offset);
/* Frees the memory and the file of the feed if all bytes were read. */
void pd_fed_forget(struct pd_input *input);
/* Makes the input seekable; all bytes must have been fed, and they must not be compressed. */
void pd_fed_become_file(struct pd_input *input);

#endif
