/* SPDX-License-Identifier: MIT */
/* A temporary file for symbols that do not fit into memory; each file with symbols has a part of it. */
#include "config.h"
#include <errno.h>
#include "base/error.h"
#include "base/fdio.h"
#include "symbols/symbols.h"

/* A missing directory for the file is a lack of memory, since the file is used as memory. */
static enum perfdata_status fail_spool(struct perfdata_symbols *symbols, int error)
{
	struct pd_symbols_spool *spool = &symbols->spool;
	const enum perfdata_status of_errno = pd_status_of_errno(error);
	const enum perfdata_status status = of_errno == PERFDATA_ABSENT ? PERFDATA_ENOMEM : of_errno;
	const struct pd_account *account = pd_symbols_account(symbols);
	const char *folder = account && account->tmpdir ? account->tmpdir : "/tmp";
	if (!atomic_exchange(&spool->is_reported, true))
		pd_symbols_tell(symbols, folder, error);
	return pd_symbols_note(symbols, status);
}

/* Returns 0, or errno. */
static int make_file(struct perfdata_symbols *symbols)
{
	const struct pd_account *account = pd_symbols_account(symbols);
	struct pd_spool *file = &symbols->spool.file;
	file->directory = account ? account->tmpdir : NULL;
	if (!pd_spool_make(file))
		return 0;
	if ((errno == EMFILE || errno == ENFILE) && pd_kept_close_idle(symbols) && !pd_spool_make(file))
		return 0;
	return errno;
}

enum perfdata_status pd_symbols_spool_take(struct perfdata_symbols *symbols, uint64_t size, uint64_t *ret_at)
{
	struct pd_symbols_spool *spool = &symbols->spool;
	int error = 0;
	pd_monitor_enter(spool->lock);
	if (spool->file.fd < 0)
		error = make_file(symbols);
	if (!error && size > INT64_MAX - spool->file.size)
		error = EFBIG;
	if (!error) {
		*ret_at = spool->file.size;
		spool->file.size += size;
		spool->nr_parts++;
	}
	pd_monitor_leave(spool->lock);
	return error ? fail_spool(symbols, error) : PERFDATA_OK;
}

void pd_symbols_spool_give(struct perfdata_symbols *symbols, uint64_t at, uint64_t size)
{
	struct pd_symbols_spool *spool = &symbols->spool;
	pd_monitor_enter(spool->lock);
	/* the disk space is free at once, or at the latest when the last part is */
	pd_spool_forget(&spool->file, at, size);
	if (at + size == spool->file.size)
		spool->file.size = at;
	if (!--spool->nr_parts)
		pd_spool_release(&spool->file);
	pd_monitor_leave(spool->lock);
}

enum perfdata_status pd_symbols_spool_write(struct perfdata_symbols *symbols, uint64_t at, const void *bytes,
					    size_t size)
{
	return pd_pwrite_full(symbols->spool.file.fd, bytes, size, at) ? fail_spool(symbols, errno) : PERFDATA_OK;
}

bool pd_symbols_spool_read(struct perfdata_symbols *symbols, uint64_t at, void *out, size_t size)
{
	if (!pd_spool_read(&symbols->spool.file, at, out, size))
		return true;
	(void)fail_spool(symbols, errno);
	return false;
}
