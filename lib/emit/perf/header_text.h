/* SPDX-License-Identifier: MIT */
/* Header sections and attrs as perf prints them: `info --perf`, `events --perf`, and the tails of records in a dump. */
#ifndef EMIT_HEADER_TEXT_H
#define EMIT_HEADER_TEXT_H

#include "perfdata/perf.h"
#include "perfdata/reader.h"
#include "perfdata/schema.h"
#include "perfdata/text.h"

struct event_names;

/* What the text of a section takes from other sections and from events. Functions may be NULL. */
struct header_text_source {
	const void *user;
	/* The section `id`, or NULL. */
	const struct perfdata_feature *(*feature)(const void *user, uint32_t id);
	/* Appends the name of the event at this index of the attr table; false if there are fewer. */
	bool (*event_name)(const void *user, size_t index, struct perfdata_text *out);
};

/* Sources that ask a reader: event names as recorded, or as perf calls events. They borrow their argument. */
struct header_text_source pd_header_text_of_reader(const struct perfdata_reader *reader);
struct header_text_source pd_header_text_of_names(const struct event_names *names, bool report);

/* The lines of a section, each with its newline; nothing for sections that have none. full: what perf prints with -I,
 * else long sections have one line that says so. */
void pd_header_text_feature(struct perfdata_text *out, const struct perfdata_feature *feature, bool full,
			 const struct header_text_source *source);

/* "# captured on …" up to "# feat offset …", and the lines around the sections: "# ========" and the list of missing
 * sections. */
void pd_header_text_begin(struct perfdata_text *out, const struct perfdata_header *header);
void pd_header_text_end(struct perfdata_text *out, const struct perfdata_reader *reader);

/* ", type = 1 (PERF_TYPE_SOFTWARE), size = 144, …": begins with a comma. */
void pd_header_text_attr(struct perfdata_text *out, const struct perfdata_attr *attr);

#endif
