/* SPDX-License-Identifier: MIT */
/* The fields that `perf script` prints for each kind of event, and other settings for all lines. */
#ifndef SCRIPT_SETUP_H
#define SCRIPT_SETUP_H

#include "perfdata/emit.h"
#include "emit/perf/event_names.h"

/* Fields of -F; the order of bits has no meaning. */
enum script_field {
	SCRIPT_COMM = 1 << 0,
	SCRIPT_TID = 1 << 1,
	SCRIPT_PID = 1 << 2,
	SCRIPT_TIME = 1 << 3,
	SCRIPT_CPU = 1 << 4,
	SCRIPT_EVENT = 1 << 5,
	SCRIPT_TRACE = 1 << 6,
	SCRIPT_IP = 1 << 7,
	SCRIPT_SYM = 1 << 8,
	SCRIPT_DSO = 1 << 9,
	SCRIPT_ADDR = 1 << 10,
	SCRIPT_SYMOFF = 1 << 11,
	SCRIPT_DSOFF = 1 << 12,
	SCRIPT_PERIOD = 1 << 13,
	SCRIPT_IREGS = 1 << 14,
	SCRIPT_UREGS = 1 << 15,
	SCRIPT_BRSTACK = 1 << 16,
	SCRIPT_BRSTACKSYM = 1 << 17,
	SCRIPT_BRSTACKOFF = 1 << 18,
	SCRIPT_DATA_SRC = 1 << 19,
	SCRIPT_WEIGHT = 1 << 20,
	SCRIPT_BPF_OUTPUT = 1 << 21,
	SCRIPT_PHYS_ADDR = 1 << 22,
	SCRIPT_MISC = 1 << 23,
	SCRIPT_TOD = 1 << 24,
	SCRIPT_DATA_PAGE_SIZE = 1 << 25,
	SCRIPT_CODE_PAGE_SIZE = 1 << 26,
	SCRIPT_INS_LAT = 1 << 27,
	SCRIPT_RETIRE_LAT = 1 << 28,
	SCRIPT_CGROUP = 1 << 29,
	SCRIPT_SYNTHESIZED = 1 << 30,
	SCRIPT_NOTHING = 0,
};
#define SCRIPT_MACHINE_PID (UINT64_C(1) << 31)
#define SCRIPT_VCPU (UINT64_C(1) << 32)
#define SCRIPT_SRCLINE (UINT64_C(1) << 33)

/* SRCLINE in ip_fields: reuses the bit of a field that is never in ip_fields. */
#define SCRIPT_IP_SRCLINE ((uint32_t)SCRIPT_COMM)

/* Kinds of events, which have separate sets of fields. */
enum script_type {
	SCRIPT_HARDWARE,
	SCRIPT_SOFTWARE,
	SCRIPT_TRACEPOINT,
	SCRIPT_HW_CACHE,
	SCRIPT_RAW,
	SCRIPT_BREAKPOINT,
	SCRIPT_SYNTH,
	SCRIPT_OTHER,
	SCRIPT_TYPES,
};

struct script_type_setup {
	uint64_t fields;
	/* parts of an address to print: bits of IP, SYM, SYMOFF, DSO, DSOFF; or SCRIPT_IP_SRCLINE */
	uint32_t ip_fields;
	uint64_t set_fields;         /* fields that the user selected for all types */
	uint64_t unset_fields;       /* fields excluded by the user */
	uint64_t typed_fields;       /* fields that the user selected for this type */
	bool set;                    /* the user changed the fields */
	bool asked;                  /* the user selected an empty list for this type */
};

struct script_setup {
	const struct perfdata_session *session;
	const struct perfdata_reader *reader;
	struct event_names names;
	struct script_type_setup types[SCRIPT_TYPES];
	/* bit n: print lines for records of type n (below 64); see script_setup_shows */
	uint64_t shown;
	uint64_t shown_user;         /* as `shown`, for types from 64 on */
	bool use_callchain, latency, ns, reltime, deltatime, flags, kernel_path, inlines;
	unsigned name_width;         /* width of the longest event name */
	uint64_t eventless;          /* fields of records without an event */
	uint32_t nr_cpus;            /* CPU numbers from this one on are printed as 0 */
	uint32_t max_stack;
	enum perfdata_arch arch;
	const char *stop;            /* comma-separated symbols that end a chain, or NULL */
	bool has_clock;
	uint64_t clock_time, wall_time;  /* one moment on both clocks, for SCRIPT_TOD */
	struct script_cgroup *cgroups;   /* script_line.c's */
	struct text_pool *frame_texts;   /* texts of frames, for all threads */
};

/* Fills *setup from the recording and the options of `script`; ignores other options. PERFDATA_EUSAGE with a message
 * for a wrong list of fields, PERFDATA_EUNSUP for fields that the recording lacks or that are never printed. Borrows
 * reader and session. */
enum perfdata_status pd_script_setup_init(struct script_setup *setup, const struct perfdata_emit_context *context);

static inline bool script_setup_shows(const struct script_setup *setup, uint32_t type)
{
	return type < 64 ? setup->shown >> type & 1 : type < 128 && (setup->shown_user >> (type - 64) & 1);
}

enum script_type pd_script_type_of(const struct perfdata_attr *attr);

/* Options for sample lines of `script` and `dump`, which pd_script_setup_init reads. */
#define SCRIPT_LINE_OPTIONS \
	{ .name = "fields", .kind = PERFDATA_OPTION_TEXT, .short_name = 'F', .argument = "[TYPE:]LIST", \
	  .help = "fields to print, or changes to the default fields: +FIELD, -FIELD; TYPE: hw, sw, trace, raw, " \
		  "break, synth" }, \
	{ .name = "hide-call-graph", .kind = PERFDATA_OPTION_FLAG, .short_name = 'G', \
	  .help = "print no call chains" }, \
	{ .name = "ns", .kind = PERFDATA_OPTION_FLAG, .help = "print times in nanoseconds" }, \
	{ .name = "reltime", .kind = PERFDATA_OPTION_FLAG, .help = "print times since the first line" }, \
	{ .name = "deltatime", .kind = PERFDATA_OPTION_FLAG, .help = "print times since the line before" }, \
	{ .name = "Latency", .kind = PERFDATA_OPTION_FLAG, .short_name = 'L', \
	  .help = "print comm and cpu without padding" }, \
	{ .name = "inline", .kind = PERFDATA_OPTION_FLAG, \
	  .help = "show inlined functions (default; --no-inline leaves them out)" }, \
	{ .name = "max-stack", .kind = PERFDATA_OPTION_NUMBER, .argument = "N", \
	  .help = "print at most N addresses of a call chain; default 127 as in perf (other outputs have all)" }, \
	{ .name = "stop-bt", .kind = PERFDATA_OPTION_TEXT, .argument = "LIST", \
	  .help = "end call chains at these symbols" }, \
	{ .name = "show-kernel-path", .kind = PERFDATA_OPTION_FLAG, \
	  .help = "print the kernel's file instead of [kernel.kallsyms]" }

#endif
