/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <errno.h>
#include <unistd.h>
#include "base/error.h"
#include "base/fdio.h"
#include "base/port.h"
#include "base/spool.h"

void pd_spool_init(struct pd_spool *spool, const char *directory)
{
	*spool = (struct pd_spool){ .directory = directory, .fd = -1 };
}

enum perfdata_status pd_spool_error(const struct pd_spool *spool, const char *action, struct perfdata_error *reterr)
{
	return pd_error_errno(reterr, PERFDATA_EWRITE, PERFDATA_NO_OFFSET, errno, "cannot %s a temporary file in %s",
			      action, spool->directory ? spool->directory : "/tmp");
}

void pd_spool_release(struct pd_spool *spool)
{
	if (spool->fd >= 0)
		close(spool->fd);
	spool->fd = -1;
	spool->size = 0;
}

enum perfdata_status pd_spool_make(struct pd_spool *spool)
{
	if (spool->fd < 0)
		spool->fd = pd_tempfile(spool->directory);
	return spool->fd < 0 ? PERFDATA_EWRITE : PERFDATA_OK;
}

enum perfdata_status pd_spool_write(struct pd_spool *spool, uint64_t at, const void *bytes, size_t size)
{
	if (pd_spool_make(spool) || pd_pwrite_full(spool->fd, bytes, size, at) < 0)
		return PERFDATA_EWRITE;
	if (at + size > spool->size)
		spool->size = at + size;
	return PERFDATA_OK;
}

enum perfdata_status pd_spool_append(struct pd_spool *spool, const void *bytes, size_t size)
{
	return pd_spool_write(spool, spool->size, bytes, size);
}

enum perfdata_status pd_spool_read(const struct pd_spool *spool, uint64_t at, void *out, size_t size)
{
	const int64_t got = pd_pread_full(spool->fd, out, size, at);
	if (got == (int64_t)size)
		return PERFDATA_OK;
	if (got >= 0)
		errno = EIO;
	return PERFDATA_EREAD;
}

void pd_spool_forget(const struct pd_spool *spool, uint64_t at, uint64_t size)
{
	pd_punch_hole(spool->fd, at, size);
}
