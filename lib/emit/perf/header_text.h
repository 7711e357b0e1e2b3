/* SPDX-License-Identifier: MIT */
/* Header sections and attrs as perf prints them, for `info --perf`, `events --perf`, and tails of records in a dump. */
#ifndef EMIT_HEADER_TEXT_H
#define EMIT_HEADER_TEXT_H

#include "perfdata/perf.h"
#include "perfdata/reader.h"
#include "perfdata/schema.h"
#include "perfdata/text.h"

struct event_names;

/* Other sections and event names, for the text of a section. Functions may be NULL. */
struct header_text_source {
	const void *user;
	/* The section `id`, or NULL. */
	const struct perfdata_feature *(*feature)(const void *user, uint32_t id);
	/* Appends the name of an event by its index in the attr table; false if there are fewer. */
	bool (*event_name)(const void *user, size_t index, struct perfdata_text *out);
};

/* Sources from a reader: with recorded event names, or with perf's. They borrow the argument. */
struct header_text_source pd_header_text_of_reader(const struct perfdata_reader *reader);
struct header_text_source pd_header_text_of_names(const struct event_names *names, bool report);

/* The lines of a section, each with its newline; none for some sections. full: as perf with -I; otherwise one line
 * replaces each long section. */
void pd_header_text_feature(struct perfdata_text *out, const struct perfdata_feature *feature, bool full,
			 const struct header_text_source *source);

/* The lines before and after the sections: "# captured on …" to "# feat offset …", "# ========" and the list of missing
 * sections. */
void pd_header_text_begin(struct perfdata_text *out, const struct perfdata_header *header);
void pd_header_text_end(struct perfdata_text *out, const struct perfdata_reader *reader);

/* ", type = 1 (PERF_TYPE_SOFTWARE), size = 144, …": begins with a comma. */
void pd_header_text_attr(struct perfdata_text *out, const struct perfdata_attr *attr);

#endif
