/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "info_names.h"

static int by_samples(const void *left, const void *right)
{
	const struct unnamed *a = left, *b = right;
	if (a->samples != b->samples)
		return a->samples < b->samples ? 1 : -1;
	return strcmp(a->filename ? a->filename : "", b->filename ? b->filename : "");
}

enum perfdata_status name_counts_make(struct name_counts *counts, const struct perfdata_session *session,
				      const struct frame_hits *hits)
{
	const uint32_t nr_dsos = perfdata_session_nr_dsos(session);
	struct name_hits *names;
	*counts = (struct name_counts){ .samples = hits->samples };
	const enum perfdata_status status = frame_hits_names(hits, session, &names);
	if (status)
		return status;
	counts->list = calloc((size_t)nr_dsos + 1, sizeof *counts->list);
	for (uint32_t dso = 0; counts->list && dso <= nr_dsos; dso++) {
		counts->named += names[dso].named;
		if (names[dso].unnamed)
			counts->list[counts->nr++] = (struct unnamed){
				.filename = dso < nr_dsos ? perfdata_session_dso(session, dso)->long_name : NULL,
				.samples = names[dso].unnamed,
			};
	}
	free(names);
	if (!counts->list)
		return PERFDATA_ENOMEM;
	qsort(counts->list, counts->nr, sizeof *counts->list, by_samples);
	return PERFDATA_OK;
}

void name_counts_release(struct name_counts *counts)
{
	free(counts->list);
	*counts = (struct name_counts){ 0 };
}

void name_counts_text(struct perfdata_text *out, const struct name_counts *counts)
{
	perfdata_text_printf(out, "names: %" PRIu64 " of %" PRIu64 " samples have a name\n", counts->named,
			     counts->samples);
	for (size_t i = 0; i < counts->nr; i++) {
		perfdata_text_printf(out, "  %12" PRIu64 " without a name in ", counts->list[i].samples);
		answer_text(out, counts->list[i].filename ? counts->list[i].filename : "(no file)");
		perfdata_text_char(out, '\n');
	}
}

json_object *name_counts_json(struct input *input, const struct name_counts *counts)
{
	json_object *object = json_new_object(), *list = json_new_array();
	json_add(object, "samples", json_new_number(counts->samples));
	json_add(object, "named", json_new_number(counts->named));
	json_add(object, "unnamed", list);
	for (size_t i = 0; i < counts->nr; i++) {
		json_object *entry = json_new_object();
		json_add(entry, "dso",
				       counts->list[i].filename ? answer_json_text(input, counts->list[i].filename)
								: NULL);
		json_add(entry, "samples", json_new_number(counts->list[i].samples));
		json_append(list, entry);
	}
	return object;
}
