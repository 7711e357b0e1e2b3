/* SPDX-License-Identifier: MIT */
/* A temporary file for data that does not fit into memory. It is made with the first bytes, has no name, and is deleted
 * with its descriptor. A function that fails sets errno. */
#ifndef PD_SPOOL_H
#define PD_SPOOL_H

#include <stddef.h>
#include <stdint.h>
#include "perfdata/base.h"

struct pd_spool {
	const char *directory;       /* borrowed; NULL: "/tmp" */
	uint64_t size;               /* bytes appended */
	int fd;                      /* -1: nothing was appended */
};

void pd_spool_init(struct pd_spool *spool, const char *directory);
/* Sets *reterr for a failure of `action` ("make", "write", "read") on the file, with its directory and the text of
 * errno. Returns PERFDATA_EWRITE. */
enum perfdata_status pd_spool_error(const struct pd_spool *spool, const char *action, struct perfdata_error *reterr);
void pd_spool_release(struct pd_spool *spool);
/* Makes the file unless it exists. PERFDATA_EWRITE. */
enum perfdata_status pd_spool_make(struct pd_spool *spool);
/* Appends bytes. PERFDATA_EWRITE: the size is unchanged. */
enum perfdata_status pd_spool_append(struct pd_spool *spool, const void *bytes, size_t size);
/* Writes bytes at any place; bytes appended later come after them. PERFDATA_EWRITE. */
enum perfdata_status pd_spool_write(struct pd_spool *spool, uint64_t at, const void *bytes, size_t size);
/* Reads written bytes, from any thread. PERFDATA_EREAD, also if the file is shorter. */
enum perfdata_status pd_spool_read(const struct pd_spool *spool, uint64_t at, void *out, size_t size);
/* Frees the disk space of bytes, if the file system can. From any thread. */
void pd_spool_forget(const struct pd_spool *spool, uint64_t at, uint64_t size);
/* Sets the size to 0, but keeps the disk space. */
static inline void pd_spool_clear(struct pd_spool *spool) { spool->size = 0; }

#endif
