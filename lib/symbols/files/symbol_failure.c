/* SPDX-License-Identifier: MIT */
/* Reports and counts failures of name look-ups, which make the work that needed the names fail. */
#include "config.h"
#include <errno.h>
#include "base/cancel.h"
#include "base/error.h"
#include "symbols/symbols.h"

static void report_failure(const struct perfdata_symbols *symbols, const char *file, const char *reason)
{
	const struct perfdata_symbols_options *o = &symbols->options;
	const struct perfdata_finding_info *info = perfdata_finding_lookup(PERFDATA_FINDING_SYMBOL_FILE);
	const struct perfdata_finding finding = {
		.severity = info->severity, .code = PERFDATA_FINDING_SYMBOL_FILE, .file = file,
		.offset = PERFDATA_NO_OFFSET, .record = UINT64_MAX, .message = reason,
	};
	if (o->finding)
		o->finding(o->user, &finding);
}

enum perfdata_status pd_symbols_note(struct perfdata_symbols *symbols, enum perfdata_status status)
{
	struct pd_failures *failures = &symbols->failures;
	if (status != PERFDATA_ENOMEM && status != PERFDATA_EREAD)
		return status;
	int worst = PERFDATA_OK;
	if (status == PERFDATA_ENOMEM)
		atomic_store(&failures->worst, PERFDATA_ENOMEM);
	else
		(void)atomic_compare_exchange_strong(&failures->worst, &worst, PERFDATA_EREAD);
	atomic_fetch_add(&failures->nr, 1);
	const int runtime = pd_demangle_failure_code();
	if (runtime)
		pd_symbols_tell_library(symbols, "the C++ runtime", runtime);
	return status;
}

size_t pd_symbols_failed(const struct perfdata_symbols *symbols) { return atomic_load(&symbols->failures.nr); }

enum perfdata_status pd_symbols_failure(const struct perfdata_symbols *symbols)
{
	return (enum perfdata_status)atomic_load(&symbols->failures.worst);
}

bool pd_symbols_are_cancelled(const struct perfdata_symbols *symbols)
{
	return pd_cancelled(symbols->options.cancel);
}

enum perfdata_status pd_symbols_fail(struct perfdata_symbols *symbols, const char *file, int code)
{
	const enum perfdata_status status = pd_status_of_errno(code);
	if (!symbols || status == PERFDATA_ABSENT)
		return status;
	pd_symbols_tell(symbols, file, code);
	return pd_symbols_note(symbols, status);
}

const char *pd_symbols_failure_text(const struct perfdata_symbols *symbols, char *room, size_t size)
{
	const struct pd_failures *failures = &symbols->failures;
	const bool lacks_room = pd_symbols_failure(symbols) == PERFDATA_ENOMEM;
	const int code = atomic_load(lacks_room ? &failures->room_errno : &failures->read_errno);

	if (code && code != ENOMEM)
		return pd_errno_text(code, room, size);
	return lacks_room ? perfdata_status_text(PERFDATA_ENOMEM) : "a file with symbols cannot be read";
}

void pd_symbols_tell(struct perfdata_symbols *symbols, const char *file, int code)
{
	struct pd_failures *failures = &symbols->failures;
	char reason[128];
	int none = 0;

	(void)atomic_compare_exchange_strong(pd_status_of_errno(code) == PERFDATA_ENOMEM ? &failures->room_errno
											 : &failures->read_errno,
					     &none, code);
	report_failure(symbols, file, code == ESTALE ? "it was replaced while it was read"
					     : pd_errno_text(code, reason, sizeof reason));
}

enum perfdata_status pd_dso_fail(struct perfdata_symbols_dso *dso, enum perfdata_status status)
{
	if (status == PERFDATA_ENOMEM || !dso->failure)
		dso->failure = status;
	return pd_symbols_note(dso->symbols, status);
}

/* A process loads a library once, so its failures belong to no file. */
void pd_symbols_tell_library(struct perfdata_symbols *symbols, const char *name, int code)
{
	if (!atomic_exchange(&symbols->failures.library_is_reported, true))
		pd_symbols_tell(symbols, name, code);
}
