/* SPDX-License-Identifier: MIT */
/* One temporary file for what does not fit into memory, of all files with symbols: each has a part of it. */
#include "config.h"
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>
#include "base/error.h"
#include "base/fdio.h"
#include "symbols/symbols.h"

/* Temporary space serves as memory: without a folder for it there is not enough. */
static enum perfdata_status fail(struct perfdata_symbols *symbols, int error)
{
	struct pd_symbols_spool *spool = &symbols->spool;
	const enum perfdata_status of_errno = pd_status_of_errno(error);
	const enum perfdata_status status = of_errno == PERFDATA_ABSENT ? PERFDATA_ENOMEM : of_errno;
	const struct pd_account *account = pd_symbols_account(symbols);
	const char *folder = account && account->tmpdir ? account->tmpdir : "/tmp";
	if (!atomic_exchange(&spool->told, true))
		pd_symbols_tell(symbols, folder, error);
	return pd_symbols_note(symbols, status);
}

static int make_file(struct perfdata_symbols *symbols)
{
	const struct pd_account *account = pd_symbols_account(symbols);
	const char *folder = account ? account->tmpdir : NULL;
	const int fd = pd_tempfile(folder);
	if (fd < 0 && (errno == EMFILE || errno == ENFILE) && pd_kept_close_idle(symbols))
		return pd_tempfile(folder);
	return fd;
}

enum perfdata_status pd_symbols_spool_take(struct perfdata_symbols *symbols, uint64_t size, uint64_t *ret_at)
{
	struct pd_symbols_spool *spool = &symbols->spool;
	int error = 0;
	pd_monitor_enter(spool->lock);
	if (!spool->is_open) {
		spool->fd = make_file(symbols);
		spool->is_open = spool->fd >= 0;
		error = spool->is_open ? 0 : errno;
	}
	if (!error && size > INT64_MAX - spool->end)
		error = EFBIG;
	if (!error) {
		*ret_at = spool->end;
		spool->end += size;
		spool->nr_parts++;
	}
	pd_monitor_leave(spool->lock);
	return error ? fail(symbols, error) : PERFDATA_OK;
}

void pd_symbols_spool_give(struct perfdata_symbols *symbols, uint64_t at, uint64_t size)
{
	struct pd_symbols_spool *spool = &symbols->spool;
	pd_monitor_enter(spool->lock);
	/* its space on the disk is free again: at once, or at the latest with the last part */
#ifdef FALLOC_FL_PUNCH_HOLE
	(void)!fallocate(spool->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)at, (off_t)size);
#endif
	if (at + size == spool->end)
		spool->end = at;
	if (!--spool->nr_parts) {
		close(spool->fd);
		spool->is_open = false;
		spool->end = 0;
	}
	pd_monitor_leave(spool->lock);
}

enum perfdata_status pd_symbols_spool_write(struct perfdata_symbols *symbols, uint64_t at, const void *bytes,
					    size_t size)
{
	return pd_pwrite_full(symbols->spool.fd, bytes, size, at) ? fail(symbols, errno) : PERFDATA_OK;
}

bool pd_symbols_spool_read(struct perfdata_symbols *symbols, uint64_t at, void *out, size_t size)
{
	const int64_t got = pd_pread_full(symbols->spool.fd, out, size, at);
	if (got == (int64_t)size)
		return true;
	/* all of these bytes were written: that the file ends before is a failure, too */
	(void)fail(symbols, got < 0 ? errno : EIO);
	return false;
}
