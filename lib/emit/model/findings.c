/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <stdlib.h>
#include "emit/model/findings.h"

struct found_batch {
	size_t nr, room;
	struct perfdata_finding items[];
};

bool pd_found_add(struct found_batch **found, enum perfdata_finding_code code, const char *file, const struct perfdata_raw *raw,
	       const char *message)
{
	struct found_batch *batch = *found;
	if (!batch || batch->nr == batch->room) {
		const size_t room = batch ? 2 * batch->room : 8;
		struct found_batch *larger = realloc(batch, sizeof *batch + room * sizeof *batch->items);
		if (!larger)
			return false;
		if (!batch)
			larger->nr = 0;
		larger->room = room;
		*found = batch = larger;
	}
	const struct perfdata_finding_info *info = perfdata_finding_lookup(code);
	batch->items[batch->nr++] = (struct perfdata_finding){
		.severity = info ? info->severity : PERFDATA_SEVERITY_ERROR,
		.code = code,
		.file = file,
		.offset = raw->offset,
		.record = raw->number,
		.message = message,
	};
	return true;
}

void pd_found_report(struct found_batch *found, perfdata_finding_fn *on_finding, void *user)
{
	if (!found)
		return;
	for (size_t i = 0; on_finding && i < found->nr; i++)
		on_finding(user, &found->items[i]);
	free(found);
}
