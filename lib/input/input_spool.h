/* SPDX-License-Identifier: MIT */
/* Keeps bytes until they are read: a few in memory, more in a temporary file; then the memory holds the newest
 * bytes. */
#ifndef PD_INPUT_SPOOL_H
#define PD_INPUT_SPOOL_H

#include "base/spool.h"
#include "perfdata/base.h"

#define PD_INPUT_SPOOL_MEMORY ((size_t)8 << 20)

struct pd_input_spool {
	struct pd_spool file;
	uint64_t max;          /* limit in bytes; 0: none */
	uint64_t memory;       /* bytes kept in memory */
	uint8_t *buffer;
	size_t capacity, used; /* size and used bytes of the buffer, whose bytes follow those in the file */
};

/* tmpdir is borrowed; NULL: "/tmp". */
void pd_input_spool_init(struct pd_input_spool *spool, const char *tmpdir, uint64_t memory, uint64_t max);
void pd_input_spool_release(struct pd_input_spool *spool);
/* Makes room for at least one byte in the buffer: capacity - used. PERFDATA_ENOMEM, PERFDATA_EWRITE. */
enum perfdata_status pd_input_spool_make_room(struct pd_input_spool *spool, struct perfdata_error *reterr);
/* Adds `size` bytes that the caller wrote into that room. PERFDATA_ELIMIT: more than max. */
enum perfdata_status pd_input_spool_filled(struct pd_input_spool *spool, size_t size, struct perfdata_error *reterr);
/* Copies bytes into the spool; copies none if they exceed the limit. */
enum perfdata_status pd_input_spool_add(struct pd_input_spool *spool, const void *bytes, size_t size,
					struct perfdata_error *reterr);
/* Writes the buffer to the file if there is one. */
enum perfdata_status pd_input_spool_flush(struct pd_input_spool *spool, struct perfdata_error *reterr);
/* Bytes in the spool. */
uint64_t pd_input_spool_size(const struct pd_input_spool *spool);
/* Reads `size` bytes at `offset`, fewer only at the end; returns -1 with errno on failure. */
int64_t pd_input_spool_read(const struct pd_input_spool *spool, uint64_t offset, void *buffer, size_t size);
/* Removes all bytes. */
void pd_input_spool_empty(struct pd_input_spool *spool);

#endif
