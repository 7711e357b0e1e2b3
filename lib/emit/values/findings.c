/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "base/finding_queue.h"
#include "base/memory.h"
#include "emit/values/findings.h"
#include "schema/schema.h"
#include "reader/reader.h"

struct found_batch {
	struct pd_finding_queue queue;
};

bool pd_found_add(struct found_batch **found, enum perfdata_finding_code code, const char *file,
		  const struct perfdata_raw *raw, const char *message)
{
	const struct perfdata_finding_info *info = perfdata_finding_lookup(code);
	const struct perfdata_finding finding = {
		.severity = info ? info->severity : PERFDATA_SEVERITY_ERROR,
		.code = code,
		.file = file,
		.offset = raw->offset,
		.record = raw->number,
		.message = message,
	};
	if (!*found)
		*found = pd_calloc(1, sizeof **found);
	struct pd_queued_finding *copy = *found ? pd_finding_copy(&finding) : NULL;
	if (copy)
		pd_finding_queue_put(&(*found)->queue, copy);
	return copy;
}

void pd_found_report(struct found_batch *found, perfdata_finding_fn *on_finding, void *user)
{
	if (!found)
		return;
	for (const struct pd_queued_finding *at = found->queue.first; on_finding && at; at = at->next)
		on_finding(user, &at->finding);
	pd_finding_queue_drop(&found->queue);
	pd_free(found);
}
