/* SPDX-License-Identifier: MIT */
/* The text that perf prints after "PERF_RECORD_NAME" for records other than samples: shared by the dump and by the
 * --show-… lines of script. */
#ifndef RECORD_TEXT_H
#define RECORD_TEXT_H

#include "perfdata/emit.h"
#include "emit/perf/event_names.h"

struct record_text_context {
	const struct perfdata_reader *reader;   /* features and events that were known in begin */
	bool dump;                              /* for a dump: with ": unhandled!" where perf prints that */
	bool aux;                               /* for a dump that shows traces, and so errors of their decoding */
	bool report;                            /* for `perf report -D`, which handles other records than perf script */
	bool unsorted;                          /* for a dump in the order of the file, where rounds end nothing */
	const struct event_names *names;        /* what to call events */
	const struct perfdata_event *event;     /* the record's, or NULL */
	/* The symbol of a kernel address as "name+0x1f", or nothing; may be NULL. */
	void (*symbol)(const void *user, uint64_t address, struct perfdata_text *out);
	const void *user;
};

/* The name perf gives a record type: "MMAP2"; "UNKNOWN" for numbers without a record. */
const char *pd_record_text_name(uint32_t type);

/* The tail of a kernel record (not SAMPLE), with its newline where perf prints one. */
void pd_record_text_kernel(const struct record_text_context *context, const struct perfdata_record *record,
			   struct perfdata_text *out);
/* The tail of any record. */
void pd_record_text(const struct record_text_context *context, const struct perfdata_record *record,
		    struct perfdata_text *out);

#endif
