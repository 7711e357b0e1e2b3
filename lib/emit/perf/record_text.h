/* SPDX-License-Identifier: MIT */
/* The text that perf prints after "PERF_RECORD_NAME" for records other than samples, for the dump and for the --show-…
 * lines of script. */
#ifndef RECORD_TEXT_H
#define RECORD_TEXT_H

#include "perfdata/emit.h"
#include "emit/perf/event_names.h"

struct record_text_context {
	const struct perfdata_reader *reader;   /* features and events as in begin */
	bool dump;                              /* for a dump: with ": unhandled!" as perf */
	bool aux;                               /* for a dump with traces, and so with decoding errors */
	bool report;                            /* for `perf report -D`, which handles other types of records */
	/* for a dump in the order of the file, in which rounds have no effect */
	bool unsorted;
	const struct event_names *names;        /* names of events */
	const struct perfdata_event *event;     /* of the record, or NULL */
	/* Appends the symbol of a kernel address as "name+0x1f", if there is one; may be NULL. */
	void (*symbol)(const void *user, uint64_t address, struct perfdata_text *out);
	const void *user;
};

/* perf's name of a record type: "MMAP2"; "UNKNOWN" for unknown types. */
const char *pd_record_text_name(uint32_t type);

/* The tail of a kernel record (not SAMPLE), with its newline if perf prints one. */
void pd_record_text_kernel(const struct record_text_context *context, const struct perfdata_record *record,
			   struct perfdata_text *out);
/* The tail of any record. */
void pd_record_text(const struct record_text_context *context, const struct perfdata_record *record,
		    struct perfdata_text *out);

#endif
