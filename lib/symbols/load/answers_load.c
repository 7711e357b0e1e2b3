/* SPDX-License-Identifier: MIT */
/* Finds the answers of a bundle for a dso, and reports the addresses that they lack. */
#include "config.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "symbols/answers/symbol_answers.h"
#include "symbols/load/symbol_search.h"

static bool take_answers(void *user, const char *path, const char *what)
{
	struct perfdata_symbols_dso *dso = user;
	const char *reason;
	struct stat st;
	(void)what;
	const int fd = pd_dso_open_logged(dso, path, PD_REGULAR_STORED, &st);
	if (fd < 0)
		return false;
	const enum perfdata_status status = pd_answers_read(dso, fd, &reason);
	close(fd);
	if (dso->answers)
		pd_dso_set_origin(dso, &dso->origin.file, path, "answers for the addresses of recordings");
	else if (reason)
		pd_symbols_log(dso, PERFDATA_SYMBOLS_REFUSED, path, reason);
	else
		(void)pd_dso_refuse(dso, path, status);
	return dso->answers;
}

/* A bundle has answers by build-id, or by recorded path. */
enum perfdata_status pd_answers_load(struct perfdata_symbols_dso *dso)
{
	const struct perfdata_symbols_options *o = &dso->symbols->options;
	const struct perfdata_symbols_request *r = &dso->request;
	const struct pd_build_id id = pd_build_id_of(r->build_id, r->build_id_size);
	char path[PD_ROOTED_PATH];
	if (!o->debug_first)
		return PERFDATA_ABSENT;
	if (id.size) {
		(void)pd_cache_places(dso->symbols, &id, "answers", take_answers, dso);
	} else if (o->symfs && snprintf(path, sizeof path, "%s/%s.answers", o->symfs, r->path + strspn(r->path, "/")) <
				       (int)sizeof path) {
		(void)take_answers(dso, path, "answers");
	}
	return dso->answers && pd_answers_have_names(dso->answers) ? PERFDATA_OK : PERFDATA_ABSENT;
}

void pd_answers_report(struct perfdata_symbols_dso *dso)
{
	char what[160];
	uint64_t nr;
	for (size_t i = 0; dso->archive && i < dso->archive->nr; i++) {
		struct perfdata_symbols_dso *library =
			atomic_load_explicit(&dso->archive->entries[i].dso, memory_order_acquire);
		if (library)
			pd_answers_report(library);
	}
	if (!pd_answers_lack(dso, &nr))
		return;
	snprintf(what, sizeof what, "%" PRIu64 " of the addresses %s not in this bundle, which has answers for "
		 "other recordings", nr, nr == 1 ? "is" : "are");
	pd_dso_report(dso, PERFDATA_FINDING_NOT_IN_BUNDLE, dso->origin.file, what);
}
