/* SPDX-License-Identifier: MIT */
/* How annotated functions are written. */
#ifndef PD_EMIT_ANNOTATE_H
#define PD_EMIT_ANNOTATE_H

#include "annotate/annotate.h"
#include "perfdata/emit.h"

struct annotate_options {
	const char *symbol;          /* functions with this name; NULL: the heaviest ones */
	uint64_t top;                /* at most so many functions; 0: all */
	uint64_t width;              /* of lines; 0: no limit */
	bool json, by_samples, color;
};

/* An event that has samples; sums have a pair for each. */
struct annotate_event {
	const char *name;
	bool is_time;
	bool is_precise;             /* addresses are of the instructions that caused the samples */
	uint64_t all[2];             /* samples, weight */
};

struct annotate_head {
	const struct annotate_options *options;
	const struct annotate_event *events;
	size_t nr_events;
	const char *file;            /* of the recording, where several share an output; or NULL */
	const struct perfdata_emit_end *end;
	struct pd_sources *sources;  /* or NULL: no texts of sources */
};

void pd_annotate_text_head(const struct annotate_head *head, struct perfdata_text *out);
/* False without memory. */
bool pd_annotate_text(const struct annotate_head *head, const struct pd_annotation *annotation,
		      struct perfdata_text *out);
void pd_annotate_json_head(const struct annotate_head *head, struct perfdata_text *out);
void pd_annotate_json(const struct annotate_head *head, const struct pd_annotation *annotation, bool first,
		      struct perfdata_text *out);
void pd_annotate_json_end(const struct annotate_head *head, struct perfdata_text *out);

#endif
