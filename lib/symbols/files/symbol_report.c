/* SPDX-License-Identifier: MIT */
/* Reports about the files of a dso: to the log, and as findings. */
#include "config.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "symbols/symbols.h"

void pd_symbols_log(const struct perfdata_symbols_dso *dso, enum perfdata_symbols_event event, const char *file,
		    const char *reason)
{
	const struct perfdata_symbols_options *o = &dso->symbols->options;
	const struct perfdata_symbols_log entry = { event, dso->request.path, file, reason };
	if (o->log)
		o->log(o->log_user, &entry);
}

void pd_dso_report(const struct perfdata_symbols_dso *dso, enum perfdata_finding_code code, const char *file,
		   const char *what)
{
	const struct perfdata_symbols_options *o = &dso->symbols->options;
	const struct perfdata_finding_info *info = perfdata_finding_lookup(code);
	char message[512];
	if (!o->finding || !info)
		return;
	/* `file` of the finding is not repeated */
	if (!strcmp(file, dso->request.path))
		snprintf(message, sizeof message, "%s", what);
	else
		snprintf(message, sizeof message, "for %s: %s", dso->request.path, what);
	const struct perfdata_finding finding = {
		.severity = info->severity, .code = code, .file = file, .offset = PERFDATA_NO_OFFSET,
		.record = UINT64_MAX, .message = message,
	};
	o->finding(o->user, &finding);
}

void pd_symbols_find_excess(const struct perfdata_symbols_dso *dso, const char *file, const char *what)
{
	pd_symbols_log(dso, PERFDATA_SYMBOLS_REFUSED, file, what);
	pd_dso_report(dso, PERFDATA_FINDING_SYMBOL_EXCESS, file, what);
}

void pd_symbols_report_overlap(const struct perfdata_symbols_dso *dso, uint64_t nr_addresses)
{
	char what[160];
	snprintf(what, sizeof what, "%" PRIu64 " of the recorded addresses %s in entries of several names, and "
		 "nothing says which code ran", nr_addresses, nr_addresses == 1 ? "lies" : "lie");
	pd_dso_report(dso, PERFDATA_FINDING_SYMBOL_OVERLAP, dso->origin.file, what);
}
