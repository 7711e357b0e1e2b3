/* SPDX-License-Identifier: MIT */
/* The list of -e: fields in their order, by the names in `perfdata fields`. */
#ifndef EMIT_SELECTION_H
#define EMIT_SELECTION_H

#include "emit/values/locations.h"
#include "emit/values/record.h"

#define SELECT_DEPTH 3

enum select_what {
	SELECT_NOTHING,          /* records of this layout lack the field */
	SELECT_HEAD,
	SELECT_ROW,
	SELECT_RAW_NUMBER,       /* the `_raw` of an ENUM or FLAGS row */
	SELECT_EXACT_BYTES,      /* the `_hex` of a text, present if the text is not valid UTF-8 */
	SELECT_TRAILER,          /* a row of sample_id */
	SELECT_PLACE,            /* a part of a location, such as ip_at.dso */
	SELECT_FIELDS,           /* all fields of the tracepoint */
	SELECT_FIELD,            /* one field of the tracepoint */
};

/* A selected field, prepared for one layout. */
struct select_step {
	enum select_what what;
	enum pd_record_head head;
	enum location_part part;
	struct row row;                          /* with the selected name */
	const struct row *through[SELECT_DEPTH]; /* STRUCT rows on the way from the record's view to the row */
	unsigned depth;
	uint64_t gate;                           /* the view must have a row of these bits; 0: no condition */
	const char *trace_name;                  /* name of the tracepoint's field, as in struct trace_row */
	const char *name;
};

struct selection {
	const char **names;
	size_t nr;
};

/* Parses a comma-separated list; repeated names count once. PERFDATA_EUSAGE with the unknown name and the nearest known
 * name. */
enum perfdata_status pd_selection_parse(struct pd_arena *pool, const char *list, struct selection *ret,
					struct perfdata_error *reterr);
/* Whether records of the layout may have the field. */
bool pd_selection_is_of(const struct perfdata_layout *layout, const char *name);
/* Makes a step for each name. layout NULL: an unknown type. False without memory. */
bool pd_selection_resolve(struct pd_arena *pool, const struct selection *selection,
			  const struct perfdata_layout *layout, struct select_step **ret);
/* The view with the step's row; NULL if the row is not present. */
const void *pd_selection_view(const struct record *r, const struct select_step *step);

#endif
