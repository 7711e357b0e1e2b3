/* SPDX-License-Identifier: MIT */
/* What a recording says about waiting: off-CPU time, system calls, locks, disks, interrupts. */
#ifndef PERFDATA_SPAN_FACTS_H
#define PERFDATA_SPAN_FACTS_H

#include "perfdata.h"

/* A kind of spans, the command that reports it, and what the command answers. */
struct span_answer {
	enum perfdata_span_kind kind;
	const char *name, *one, *report, *what;
	const char *begins[2];   /* prefixes of names of the events at which such spans begin; the second may be NULL */
};
enum { NR_SPAN_ANSWERS = 7 };
extern const struct span_answer span_answers[NR_SPAN_ANSWERS];

/* The bits of these kinds for perfdata_session_options.spans. */
uint32_t span_facts_kinds(void);
/* Appends number and total duration of the spans, and how many are unknown; the session needs these spans. If there are
 * no waits but time on the CPU was sampled, appends how to record waits. */
void span_facts_show(struct perfdata_text *out, const struct perfdata_session *session, bool has_samples);
/* As span_facts_show, without numbers, from the events alone. */
void span_facts_show_events(struct perfdata_text *out, const struct perfdata_reader *reader, const char *file,
			    bool has_samples);

#endif
