/* SPDX-License-Identifier: MIT */
/* The rules of tools/perf/builtin-script.c: default fields, changes by -F, refused combinations. */
#include "config.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "emit/perf/cpu_numbers.h"
#include "emit/perf/script/script_setup.h"
#include "reader/reader.h"
#include "session/session.h"

#define BASE (SCRIPT_COMM | SCRIPT_TID | SCRIPT_CPU | SCRIPT_TIME | SCRIPT_EVENT)
#define IP_FIELDS (SCRIPT_IP | SCRIPT_SYM | SCRIPT_SYMOFF | SCRIPT_DSO)
#define USUAL (BASE | IP_FIELDS | SCRIPT_PERIOD)
#define MEMORY                                                                                                   \
	(SCRIPT_ADDR | SCRIPT_DATA_SRC | SCRIPT_WEIGHT | SCRIPT_INS_LAT | SCRIPT_RETIRE_LAT | SCRIPT_PHYS_ADDR | \
	 SCRIPT_DATA_PAGE_SIZE | SCRIPT_CODE_PAGE_SIZE)
/* Fields that samples from instruction traces may have although the attr lacks them. */
#define OF_TRACES (SCRIPT_ADDR | SCRIPT_DATA_SRC | SCRIPT_WEIGHT | SCRIPT_PHYS_ADDR | SCRIPT_CPU | SCRIPT_IREGS)

#define PERF_STACK 127u      /* addresses of a chain that perf prints without --max-stack */

static const struct {
	/* name: in messages; prefix: before the ':' of -F, NULL: the user cannot choose this type */
	const char *name, *prefix;
	uint32_t defaults, invalid;
} types[SCRIPT_TYPES] = {
	[SCRIPT_HARDWARE] = { "hardware", "hw", USUAL, SCRIPT_TRACE | SCRIPT_BPF_OUTPUT },
	[SCRIPT_SOFTWARE] = { "software", "sw", USUAL | SCRIPT_BPF_OUTPUT, SCRIPT_TRACE },
	[SCRIPT_TRACEPOINT] = { "tracepoint", "trace", BASE | SCRIPT_TRACE, 0 },
	[SCRIPT_HW_CACHE] = { "hw-cache", NULL, USUAL, SCRIPT_TRACE | SCRIPT_BPF_OUTPUT },
	[SCRIPT_RAW] = { "raw", "raw", USUAL | MEMORY, SCRIPT_TRACE | SCRIPT_BPF_OUTPUT },
	[SCRIPT_BREAKPOINT] = { "breakpoint", "break", USUAL, SCRIPT_TRACE | SCRIPT_BPF_OUTPUT },
	[SCRIPT_SYNTH] = { "synth", "synth", BASE | IP_FIELDS | SCRIPT_SYNTHESIZED, SCRIPT_TRACE | SCRIPT_BPF_OUTPUT },
	[SCRIPT_OTHER] = { "other", NULL, USUAL, SCRIPT_TRACE | SCRIPT_BPF_OUTPUT },
};

static const char needs_disassembler[] = "it needs a disassembler";
static const char needs_source[] = "it needs source text";
static const char needs_itrace[] = "it comes from decoded instruction traces";

/* Names of fields. */
static const struct row {
	const char *name;
	uint64_t field;
	uint64_t sample_type;        /* one of these bits must be recorded */
	const char *attribute;       /* name of these bits in messages */
	const char *refused;         /* why the field cannot be printed, or NULL */
} rows[] = {
	{ "comm", SCRIPT_COMM, 0, NULL, NULL },
	{ "tid", SCRIPT_TID, PERFDATA_SAMPLE_TID, "TID", NULL },
	{ "pid", SCRIPT_PID, PERFDATA_SAMPLE_TID, "TID", NULL },
	{ "time", SCRIPT_TIME, PERFDATA_SAMPLE_TIME, "TIME", NULL },
	{ "cpu", SCRIPT_CPU, PERFDATA_SAMPLE_CPU, "CPU", NULL },
	{ "event", SCRIPT_EVENT, 0, NULL, NULL },
	{ "trace", SCRIPT_TRACE, 0, NULL, NULL },
	{ "ip", SCRIPT_IP, PERFDATA_SAMPLE_IP, "IP", NULL },
	{ "sym", SCRIPT_SYM, 0, NULL, NULL },
	{ "dso", SCRIPT_DSO, 0, NULL, NULL },
	{ "dsoff", SCRIPT_DSOFF, 0, NULL, NULL },
	{ "addr", SCRIPT_ADDR, PERFDATA_SAMPLE_ADDR, "ADDR", NULL },
	{ "symoff", SCRIPT_SYMOFF, 0, NULL, NULL },
	{ "srcline", SCRIPT_SRCLINE, 0, NULL, NULL },
	{ "period", SCRIPT_PERIOD, 0, NULL, NULL },
	{ "iregs", SCRIPT_IREGS, PERFDATA_SAMPLE_REGS_INTR, "IREGS", NULL },
	{ "uregs", SCRIPT_UREGS, PERFDATA_SAMPLE_REGS_USER, "UREGS", NULL },
	{ "brstack", SCRIPT_BRSTACK, 0, NULL, NULL },
	{ "brstacksym", SCRIPT_BRSTACKSYM, 0, NULL, NULL },
	{ "data_src", SCRIPT_DATA_SRC, PERFDATA_SAMPLE_DATA_SRC, "DATA_SRC", NULL },
	{ "weight", SCRIPT_WEIGHT, PERFDATA_SAMPLE_WEIGHT | PERFDATA_SAMPLE_WEIGHT_STRUCT, "WEIGHT", NULL },
	{ "bpf-output", SCRIPT_BPF_OUTPUT, 0, NULL, NULL },
	{ "callindent", SCRIPT_NOTHING, 0, NULL, needs_itrace },
	{ "insn", SCRIPT_NOTHING, 0, NULL, needs_itrace },
	{ "disasm", SCRIPT_NOTHING, 0, NULL, needs_disassembler },
	{ "insnlen", SCRIPT_NOTHING, 0, NULL, needs_itrace },
	{ "brstackinsn", SCRIPT_NOTHING, 0, NULL, needs_disassembler },
	{ "brstackoff", SCRIPT_BRSTACKOFF, 0, NULL, NULL },
	{ "synth", SCRIPT_SYNTHESIZED, 0, NULL, NULL },
	{ "phys_addr", SCRIPT_PHYS_ADDR, PERFDATA_SAMPLE_PHYS_ADDR, "PHYS_ADDR", NULL },
	{ "metric", SCRIPT_NOTHING, 0, NULL, "metrics are not computed" },
	{ "misc", SCRIPT_MISC, 0, NULL, NULL },
	{ "srccode", SCRIPT_NOTHING, 0, NULL, needs_source },
	{ "ipc", SCRIPT_NOTHING, 0, NULL, needs_itrace },
	{ "tod", SCRIPT_TOD, 0, NULL, NULL },
	{ "data_page_size", SCRIPT_DATA_PAGE_SIZE, PERFDATA_SAMPLE_DATA_PAGE_SIZE, "DATA_PAGE_SIZE", NULL },
	{ "code_page_size", SCRIPT_CODE_PAGE_SIZE, PERFDATA_SAMPLE_CODE_PAGE_SIZE, "CODE_PAGE_SIZE", NULL },
	{ "ins_lat", SCRIPT_INS_LAT, PERFDATA_SAMPLE_WEIGHT_STRUCT, "WEIGHT_STRUCT", NULL },
	{ "brstackinsnlen", SCRIPT_NOTHING, 0, NULL, needs_disassembler },
	{ "machine_pid", SCRIPT_MACHINE_PID, 0, NULL, NULL },
	{ "vcpu", SCRIPT_VCPU, 0, NULL, NULL },
	{ "cgroup", SCRIPT_CGROUP, PERFDATA_SAMPLE_CGROUP, "CGROUP", NULL },
	{ "retire_lat", SCRIPT_RETIRE_LAT, PERFDATA_SAMPLE_WEIGHT_STRUCT, "WEIGHT_STRUCT", NULL },
	{ "brstackdisasm", SCRIPT_NOTHING, 0, NULL, needs_disassembler },
	{ "brcntr", SCRIPT_NOTHING, 0, NULL, needs_disassembler },
};

#define NR_ROWS (sizeof rows / sizeof *rows)

static enum perfdata_status refuse_option(const struct perfdata_emit_context *context, enum perfdata_status status,
					  const char *format, const char *first, const char *second)
{
	struct perfdata_error *error = context->reterr;
	if (error) {
		error->status = status;
		/* all format strings are in this file; they have at most two %s */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
		snprintf(error->message, sizeof error->message, format, first, second);
#pragma GCC diagnostic pop
	}
	return status;
}

/* Refuses a wrong list of fields. Messages begin with perf's words, for programs that look for them. */
static enum perfdata_status refuse_usage(const struct perfdata_emit_context *context, const char *format,
					 const char *first, const char *second)
{
	return refuse_option(context, PERFDATA_EUSAGE, format, first, second);
}

/* Refuses fields that the recording lacks, or that are never printed. */
static enum perfdata_status refuse_unrecorded(const struct perfdata_emit_context *context, const char *format,
					      const char *first, const char *second)
{
	return refuse_option(context, PERFDATA_EUNSUP, format, first, second);
}

enum script_type pd_script_type_of(const struct perfdata_attr *attr)
{
	static const uint32_t synthesized = 2147483647u + 1u;
	if (attr->type == synthesized)
		return SCRIPT_SYNTH;
	return attr->type <= SCRIPT_BREAKPOINT ? (enum script_type)attr->type : SCRIPT_OTHER;
}

/* --- -F ----------------------------------------------------------------------------------------------------------- */

static const struct row *find_row(const char *name, size_t size)
{
	for (size_t i = 0; i < NR_ROWS; i++)
		if (strlen(rows[i].name) == size && memcmp(rows[i].name, name, size) == 0)
			return &rows[i];
	return NULL;
}

static enum script_type find_prefix(const char *text, size_t size)
{
	for (unsigned i = 0; i < SCRIPT_TYPES; i++)
		if (types[i].prefix && strlen(types[i].prefix) == size && memcmp(types[i].prefix, text, size) == 0)
			return (enum script_type)i;
	return SCRIPT_TYPES;
}

static void set_or_clear(uint64_t *fields, uint64_t field, bool clear)
{
	*fields = clear ? *fields & ~field : *fields | field;
}

static void change_type_field(struct script_type_setup *type, uint64_t field, bool for_all, bool remove)
{
	set_or_clear(&type->fields, field, remove);
	if (for_all) {
		set_or_clear(&type->set_fields, field, remove);
		set_or_clear(&type->unset_fields, field, !remove);
	} else {
		set_or_clear(&type->typed_fields, field, remove);
	}
	type->set = true;
	type->asked = false;
}

/* only == SCRIPT_TYPES: for every type that can have the field. */
static enum perfdata_status change_field(struct script_setup *setup, const struct perfdata_emit_context *context,
					 enum script_type only, const struct row *row, bool remove)
{
	if (row->refused && !remove)
		return refuse_unrecorded(context, "Field '%s' cannot be printed: %s", row->name, row->refused);
	if (only != SCRIPT_TYPES && types[only].invalid & row->field)
		return refuse_usage(context, "'%s' not valid for %s events.", row->name, types[only].name);
	for (unsigned i = 0; i < SCRIPT_TYPES; i++)
		if ((only == SCRIPT_TYPES || only == i) && !(types[i].invalid & row->field))
			change_type_field(&setup->types[i], row->field, only == SCRIPT_TYPES, remove);
	return PERFDATA_OK;
}

static void start_empty(struct script_setup *setup, enum script_type only)
{
	for (unsigned i = 0; i < SCRIPT_TYPES; i++) {
		if (only != SCRIPT_TYPES && only != i)
			continue;
		setup->types[i].fields = 0;
		setup->types[i].set = true;
		setup->types[i].asked = only == i;
	}
}

static enum perfdata_status parse_fields(struct script_setup *setup, const struct perfdata_emit_context *context,
					 const char *text)
{
	enum script_type only = SCRIPT_TYPES;
	const char *colon = strchr(text, ':'), *list = text;
	if (colon) {
		only = find_prefix(text, (size_t)(colon - text));
		if (only == SCRIPT_TYPES)
			return refuse_usage(context,
				     "Invalid event type in field string. '%s' needs hw, sw, trace, raw, break or "
				     "synth%s",
				     text, "");
		list = colon + 1;
	} else if (!*text) {
		return refuse_usage(context, "Cannot set fields to 'none' for all event types.%s%s", "", "");
	}
	/* perf looks for + and - anywhere in the text, so bpf-output changes the set too */
	if (!strpbrk(list, "+-"))
		start_empty(setup, only);
	const char *first = NULL;
	while (*list) {
		size_t size = strcspn(list, ",");
		if (size) {
			const char sign = *list == '+' || *list == '-' ? *list : 0;
			first = first ? first : list;
			if ((*first == '+' || *first == '-') != (sign != 0))
				return refuse_usage(context, "Cannot mix +-field with overridden fields%s%s", "", "");
			list += sign != 0;
			size -= sign != 0;
			const struct row *row = find_row(list, size);
			if (size == 5 && memcmp(list, "flags", 5) == 0) {
				setup->flags = sign != '-';
			} else if (!row) {
				char name[64];
				snprintf(name, sizeof name, "%.*s", (int)size, list);
				return refuse_usage(context, "Invalid field requested. There is no field '%s' in '%s'",
						    name, text);
			} else {
				const enum perfdata_status status = change_field(setup, context, only, row,
										 sign == '-');
				if (status != PERFDATA_OK)
					return status;
			}
		}
		list += size;
		list += *list == ',';
	}
	return PERFDATA_OK;
}

/* --- what the recording allows ------------------------------------------------------------------------------------ */

static enum perfdata_status not_set(const struct perfdata_emit_context *context, const struct perfdata_event *event,
				    const struct row *row)
{
	char field[96];
	snprintf(field, sizeof field, "%s attribute set. Cannot print '%s' field.", row->attribute, row->name);
	return refuse_unrecorded(context, "Samples for '%s' event do not have %s", event->name, field);
}

/* Drops fields that the type's first event lacks. If the user selected such a field for all types, it is an error; in a
 * list for one type, perf drops it like a default field. */
static enum perfdata_status check_event(struct script_setup *setup, const struct perfdata_emit_context *context,
					const struct perfdata_event *event)
{
	const struct perfdata_attr *attr = event->attr;
	struct script_type_setup *type = &setup->types[pd_script_type_of(attr)];
	if (!type->fields || perfdata_reader_feature(setup->reader, PERFDATA_FEATURE_STAT))
		return PERFDATA_OK;
	const bool traced = perfdata_reader_feature(setup->reader, PERFDATA_FEATURE_AUXTRACE);
	for (size_t i = 0; i < NR_ROWS; i++) {
		const struct row *row = &rows[i];
		if (!(type->fields & row->field) || !row->sample_type || attr->sample_type & row->sample_type)
			continue;
		if (!(type->set_fields & row->field))
			type->fields &= ~row->field;
		else if (!traced || !(row->field & OF_TRACES))
			return not_set(context, event, row);
	}
	/* here perf fails; perfdata drops fields that the user did not select, and prints the others */
	if (!(attr->sample_type & (PERFDATA_SAMPLE_IP | PERFDATA_SAMPLE_ADDR)))
		type->fields &= ~(uint64_t)(SCRIPT_SYM | SCRIPT_SYMOFF | SCRIPT_DSO) | type->set_fields |
				type->typed_fields;
	if (type->fields & SCRIPT_SYM && !(attr->sample_type & (PERFDATA_SAMPLE_IP | PERFDATA_SAMPLE_ADDR)))
		return refuse_unrecorded(context,
				  "Display of symbols requested but neither sample IP nor sample address is available: "
				  "samples of '%s' have nothing to name%s",
				  event->name, "");
	if (type->fields & SCRIPT_SYMOFF && !(type->fields & SCRIPT_SYM))
		return refuse_unrecorded(context,
				  "Display of offsets requested but symbol is not selected: symoff needs sym%s%s", "",
				  "");
	if (type->fields & SCRIPT_DSO && !(attr->sample_type & (PERFDATA_SAMPLE_IP | PERFDATA_SAMPLE_ADDR)))
		return refuse_unrecorded(context,
				  "Display of DSO requested but neither sample IP nor sample address is available: "
				  "samples of '%s' lie in no file%s",
				  event->name, "");
	if (type->fields & SCRIPT_SRCLINE && !(type->fields & SCRIPT_IP))
		return refuse_unrecorded(context,
				  "Display of source line number requested but sample IP is not selected: srcline "
				  "needs ip, which samples of '%s' do not show%s",
				  event->name, "");
	return PERFDATA_OK;
}

static void set_ip_fields(struct script_type_setup *type)
{
	if (type->fields & SCRIPT_DSOFF)
		type->fields |= SCRIPT_DSO;
	type->ip_fields = (uint32_t)(type->fields & (IP_FIELDS | SCRIPT_DSOFF));
	if (type->fields & SCRIPT_SRCLINE)
		type->ip_fields |= SCRIPT_IP_SRCLINE;
}

static bool has_chain(const struct perfdata_event *event)
{
	return event->attr->sample_type & PERFDATA_SAMPLE_CALLCHAIN;
}

static bool has_branch_chain(const struct perfdata_event *event)
{
	const uint64_t call_stack = 1 << 11;
	return event->attr->branch_sample_type & call_stack;
}

static const struct perfdata_event *first_of(const struct perfdata_reader *reader, unsigned type)
{
	const struct perfdata_event *event;
	for (size_t i = 0; (event = perfdata_reader_event(reader, i)); i++)
		if (!pd_is_dummy_event(event->attr) && pd_script_type_of(event->attr) == type)
			return event;
	return NULL;
}

/* For a file: begin knows all its events. */
static enum perfdata_status check_all(struct script_setup *setup, const struct perfdata_emit_context *context)
{
	for (unsigned i = 0; i < SCRIPT_TYPES; i++) {
		const struct perfdata_event *event = first_of(setup->reader, i);
		if (!event && setup->types[i].asked)
			return refuse_unrecorded(context,
					  "%s events do not exist. Remove corresponding -F option to proceed: -F %s:",
					  types[i].name, types[i].prefix);
		if (!event)
			continue;
		const enum perfdata_status status = check_event(setup, context, event);
		if (status != PERFDATA_OK)
			return status;
		set_ip_fields(&setup->types[i]);
	}
	bool chains = false, trace_chains = false;
	const struct perfdata_event *event;
	for (size_t i = 0; (event = perfdata_reader_event(setup->reader, i)); i++) {
		chains |= has_chain(event) || has_branch_chain(event);
		trace_chains |= has_chain(event) && pd_script_type_of(event->attr) == SCRIPT_TRACEPOINT;
	}
	setup->use_callchain = setup->use_callchain && chains;
	struct script_type_setup *trace = &setup->types[SCRIPT_TRACEPOINT];
	if (setup->use_callchain && trace_chains && !trace->set) {
		trace->fields |= IP_FIELDS;
		set_ip_fields(trace);
	}
	return PERFDATA_OK;
}

/* For a pipe: perf decides at each attr, by the attrs so far, and ignores the types of other PMUs. */
static enum perfdata_status check_in_order(struct script_setup *setup, const struct perfdata_emit_context *context)
{
	const uint64_t unwindable = PERFDATA_SAMPLE_REGS_USER | PERFDATA_SAMPLE_STACK_USER;
	uint64_t all = 0;
	uint32_t seen = 0;
	const struct perfdata_event *event;
	for (unsigned i = 0; i < SCRIPT_TYPES; i++)
		if (setup->types[i].asked)
			return refuse_unrecorded(context,
					  "%s events do not exist. Remove corresponding -F option to proceed: -F %s:",
					  types[i].name, types[i].prefix);
	for (size_t i = 0; (event = perfdata_reader_event(setup->reader, i)); i++) {
		const struct perfdata_attr *attr = event->attr;
		const enum script_type number = pd_script_type_of(attr);
		struct script_type_setup *type = &setup->types[number];
		all |= attr->sample_type;
		if (number == SCRIPT_OTHER || seen >> number & 1)
			continue;
		seen |= 1u << number;
		const enum perfdata_status status = attr->sample_type && !pd_is_dummy_event(attr)
							    ? check_event(setup, context, event)
							    : PERFDATA_OK;
		if (status != PERFDATA_OK)
			return status;
		if (setup->use_callchain && (all & (PERFDATA_SAMPLE_CALLCHAIN | PERFDATA_SAMPLE_BRANCH_STACK) ||
					     (all & unwindable) == unwindable))
			type->fields |= (SCRIPT_IP | SCRIPT_SYM) & ~type->unset_fields;
		set_ip_fields(type);
	}
	return PERFDATA_OK;
}

/* --- everything else ---------------------------------------------------------------------------------------------- */

static void find_machine(struct script_setup *setup)
{
	setup->nr_cpus = pd_nr_cpus_of(setup->reader);
	setup->arch = pd_reader_arch(setup->reader);
	pd_event_names_init(&setup->names, setup->reader, EVENT_NAMES_SCRIPT);
	struct perfdata_text room;
	perfdata_text_init(&room);
	const struct perfdata_event *event;
	for (size_t i = 0; (event = perfdata_reader_event(setup->reader, i)); i++) {
		const size_t size = strlen(pd_event_names_get(&setup->names, event, &room));
		if (size > setup->name_width)
			setup->name_width = (unsigned)size;
	}
	perfdata_text_release(&room);
}

static enum perfdata_status find_clock(struct script_setup *setup, const struct perfdata_emit_context *context)
{
	const bool is_pipe = perfdata_reader_header(setup->reader)->container == PERFDATA_CONTAINER_PIPE;
	bool wanted = false;
	for (unsigned i = 0; i < SCRIPT_TYPES; i++)
		wanted |= setup->types[i].fields & SCRIPT_TOD && (is_pipe || first_of(setup->reader, i));
	if (!wanted)
		return PERFDATA_OK;
	const struct perfdata_feature_section *section = perfdata_reader_feature(setup->reader,
										 PERFDATA_FEATURE_CLOCK_DATA);
	const struct perfdata_node *root = section && section->feature ? perfdata_feature_root(section->feature) : NULL;
	const struct perfdata_node *wall = perfdata_node_get(root, "wall_clock"),
				   *clock = perfdata_node_get(root, "clockid_time");
	setup->has_clock = wall && clock;
	/* a later record of the pipe may have the clock */
	if (!setup->has_clock && is_pipe)
		return PERFDATA_OK;
	if (!setup->has_clock)
		return refuse_unrecorded(context,
				  "Can't provide 'tod' time, missing clock data: it takes a recording made with -k "
				  "CLOCK%s%s",
				  "", "");
	setup->wall_time = wall->v.u;
	setup->clock_time = clock->v.u;
	return PERFDATA_OK;
}

#define RECORD(name) (1ull << PERFDATA_RECORD_##name)
#define USER_RECORD(name) (1ull << (PERFDATA_RECORD_##name - PERFDATA_RECORD_USER_FIRST))

/* --show-…-events */
static const struct {
	const char *option;
	uint64_t shown, shown_user;
} shows[] = {
	{ "show-task-events", RECORD(COMM) | RECORD(FORK) | RECORD(EXIT), 0 },
	{ "show-mmap-events", RECORD(MMAP) | RECORD(MMAP2), 0 },
	{ "show-switch-events", RECORD(SWITCH) | RECORD(SWITCH_CPU_WIDE), 0 },
	{ "show-namespace-events", RECORD(NAMESPACES), 0 },
	{ "show-cgroup-events", RECORD(CGROUP), 0 },
	{ "show-lost-events", RECORD(LOST), 0 },
	{ "show-bpf-events", RECORD(KSYMBOL) | RECORD(BPF_EVENT), USER_RECORD(BPF_METADATA) },
	{ "show-text-poke-events", RECORD(TEXT_POKE), 0 },
	{ "show-round-events", 0, USER_RECORD(FINISHED_ROUND) },
};

static enum perfdata_status read_options(struct script_setup *setup, const struct perfdata_emit_context *context)
{
	const struct perfdata_emitter_option_value *options = context->options;
	const size_t nr = context->nr_options;
	setup->use_callchain = !perfdata_option_flag(options, nr, "hide-call-graph", false);
	setup->latency = perfdata_option_flag(options, nr, "Latency", false);
	setup->ns = perfdata_option_flag(options, nr, "ns", false);
	setup->reltime = perfdata_option_flag(options, nr, "reltime", false);
	setup->deltatime = perfdata_option_flag(options, nr, "deltatime", false);
	setup->kernel_path = perfdata_option_flag(options, nr, "show-kernel-path", false);
	setup->inlines = perfdata_option_flag(options, nr, "inline", true);
	setup->stop = perfdata_option_text(options, nr, "stop-bt");
	for (size_t i = 0; i < sizeof shows / sizeof *shows; i++) {
		if (!perfdata_option_flag(options, nr, shows[i].option, false))
			continue;
		setup->shown |= shows[i].shown;
		setup->shown_user |= shows[i].shown_user;
	}
	if (setup->reltime && setup->deltatime)
		return refuse_unrecorded(context,
				  "reltime and deltatime - the two don't get along well. Please limit to --reltime or "
				  "--deltatime.%s%s",
				  "", "");
	/* simpleperf prints whole chains */
	const uint64_t usual = pd_session_follows_simpleperf(context->session) ? UINT32_MAX : PERF_STACK;
	const uint64_t max_stack = perfdata_option_number(options, nr, "max-stack", usual);
	setup->max_stack = max_stack < UINT32_MAX ? (uint32_t)max_stack : UINT32_MAX;
	for (size_t i = 0; i < nr; i++) {
		if (strcmp(options[i].option->name, "fields") != 0 || !options[i].text)
			continue;
		const enum perfdata_status status = parse_fields(setup, context, options[i].text);
		if (status != PERFDATA_OK)
			return status;
	}
	return PERFDATA_OK;
}

/* Whether a line may show a callchain: the records of a pipe may add fields. */
static bool shows_chains(const struct script_setup *setup, bool is_pipe)
{
	uint64_t fields = 0;
	for (unsigned i = 0; i < SCRIPT_TYPES; i++)
		fields |= setup->types[i].fields;
	return is_pipe || (setup->use_callchain && fields & SCRIPT_IP);
}

/* Lets symbols be loaded before the first line needs them. Not for a pipe, which may end before that. */
static enum perfdata_status want_names(const struct script_setup *setup, unsigned jobs)
{
	uint32_t fields = 0;
	for (unsigned i = 0; i < SCRIPT_TYPES; i++)
		fields |= setup->types[i].ip_fields;
	return fields & SCRIPT_SYM ? pd_session_want_names(setup->session, false, true, jobs) : PERFDATA_OK;
}

enum perfdata_status pd_script_setup_init(struct script_setup *setup, const struct perfdata_emit_context *context)
{
	*setup = (struct script_setup){ .session = context->session, .reader = context->reader };
	for (unsigned i = 0; i < SCRIPT_TYPES; i++)
		setup->types[i].fields = types[i].defaults;
	enum perfdata_status status = read_options(setup, context);
	const bool is_pipe = perfdata_reader_header(setup->reader)->container == PERFDATA_CONTAINER_PIPE;
	find_machine(setup);
	/* records before a stream's first attr have no event, and no attr has dropped fields yet */
	setup->eventless = setup->types[SCRIPT_HARDWARE].fields &
			   (SCRIPT_COMM | SCRIPT_PID | SCRIPT_TID | SCRIPT_CPU | SCRIPT_TIME);
	if (status == PERFDATA_OK)
		status = is_pipe ? check_in_order(setup, context) : check_all(setup, context);
	*context->reads_no_stacks = !shows_chains(setup, is_pipe);
	if (status == PERFDATA_OK && !is_pipe)
		status = want_names(setup, context->jobs);
	return status == PERFDATA_OK ? find_clock(setup, context) : status;
}
