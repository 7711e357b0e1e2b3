/* SPDX-License-Identifier: MIT */
/* What a recording can answer about waiting: off-CPU time, system calls, locks, disks, interrupts. */
#ifndef PERFDATA_SPAN_FACTS_H
#define PERFDATA_SPAN_FACTS_H

#include "perfdata.h"

/* A kind of spans, the command that reports it, and what that answers. */
struct span_answer {
	enum perfdata_span_kind kind;
	const char *name, *one, *report, *what;
	const char *begins[2];   /* beginnings of names of the events that begin such spans; the second may be NULL */
};
enum { NR_SPAN_ANSWERS = 7 };
extern const struct span_answer span_answers[NR_SPAN_ANSWERS];

/* Bits of these kinds, for perfdata_session_options.spans. */
uint32_t span_facts_kinds(void);
/* How many there are, how long all of them took, and how many are not known; of a session that looked for them. Without
 * waits, and if time on the CPU was sampled, how to record them. */
void span_facts_show(struct perfdata_text *out, const struct perfdata_session *session, bool has_samples);
/* The same by the events alone, without numbers. */
void span_facts_show_events(struct perfdata_text *out, const struct perfdata_reader *reader, const char *file,
			    bool has_samples);

#endif
