/* SPDX-License-Identifier: MIT */
/* Tracepoints for which Perfetto has a message. */
#ifndef PD_PERFETTO_EVENTS_H
#define PD_PERFETTO_EVENTS_H

#include "perfdata/trace.h"

enum perfetto_type { PERFETTO_NUMBER, PERFETTO_TEXT, PERFETTO_NUMBERS };

/* A text instead of a pointer: the loader relocates no field at the start of a program. */
struct perfetto_field {
	char name[32];                 /* the kernel's name */
	unsigned number;               /* of the field in the message */
	enum perfetto_type type;
};
struct perfetto_event {
	const char *system, *name;
	unsigned number;               /* of the field in FtraceEvent */
	const struct perfetto_field *fields;   /* ends with name "" */
};
/* NULL: Perfetto has no message for the event. */
const struct perfetto_event *pd_perfetto_event(const struct perfdata_trace_event *event);
/* For an event of one system call (syscalls:sys_enter_NAME, sys_exit_NAME): the event of all system calls, from which
 * Perfetto makes slices; else NULL. */
const struct perfetto_event *pd_perfetto_syscall(const struct perfdata_trace_event *event);

#endif
