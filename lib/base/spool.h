/* SPDX-License-Identifier: MIT */
/* A temporary file for what does not fit into memory. It is made with the first bytes, has no name, and goes away with
 * its descriptor. Where a function fails, errno says why. */
#ifndef PD_SPOOL_H
#define PD_SPOOL_H

#include <stddef.h>
#include <stdint.h>
#include "perfdata/base.h"

struct pd_spool {
	const char *directory;       /* borrowed; NULL: "/tmp" */
	uint64_t size;               /* bytes that were appended */
	int fd;                      /* -1: no bytes came yet */
};

void pd_spool_init(struct pd_spool *spool, const char *directory);
/* Says in *reterr what could not be done with the file (`action`: "make", "write", "read"), in which directory, and by
 * errno why. Returns PERFDATA_EWRITE. */
enum perfdata_status pd_spool_error(const struct pd_spool *spool, const char *action, struct perfdata_error *reterr);
void pd_spool_release(struct pd_spool *spool);
/* Makes the file where there is none yet. PERFDATA_EWRITE. */
enum perfdata_status pd_spool_make(struct pd_spool *spool);
/* PERFDATA_EWRITE; the size is as before then. */
enum perfdata_status pd_spool_append(struct pd_spool *spool, const void *bytes, size_t size);
/* Bytes that were appended; from any thread. PERFDATA_EREAD, also where the file ends before them. */
enum perfdata_status pd_spool_read(const struct pd_spool *spool, uint64_t at, void *out, size_t size);
/* Gives the room of bytes on the disk back, where the file system can. From any thread. */
void pd_spool_forget(const struct pd_spool *spool, uint64_t at, uint64_t size);
/* Begins again at 0; the file keeps its room. */
static inline void pd_spool_clear(struct pd_spool *spool) { spool->size = 0; }

#endif
