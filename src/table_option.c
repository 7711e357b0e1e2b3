#include "config.h"
#include <stdlib.h>
#include <string.h>
#include "perfdata/emit.h"
#include "inputs.h"
#include "table_option.h"

/* The table asked for, or NULL if the emitter has none. */
static const char *table_of(const struct options *options)
{
	if (options->emitter != perfdata_builtin_emitter_named("csv"))
		return NULL;
	const char *name = perfdata_option_text(options->values, options->nr_values, "table");
	return name ? name : "samples";
}

static uint32_t type_named(const char *name)
{
	const struct perfdata_layout *layout;
	for (size_t i = 0; (layout = perfdata_record_layout_at(i)); i++)
		if (!strcmp(layout->name, name))
			return layout->id;
	return 0;
}

size_t table_types(const struct options *options, uint32_t ret_types[TABLE_TYPES])
{
	static const char *const of_samples[] = { "samples", "branches", "callchain", "regs", "stacks", "frames" };
	const char *name = table_of(options);
	if (!name)
		return 0;
	ret_types[0] = strncmp(name, "event:", 6) ? type_named(name) : PERFDATA_RECORD_SAMPLE;
	ret_types[1] = PERFDATA_RECORD_READ;
	for (size_t i = 0; i < sizeof of_samples / sizeof *of_samples; i++)
		if (!strcmp(name, of_samples[i]))
			ret_types[0] = PERFDATA_RECORD_SAMPLE;
	if (strcmp(name, "read_values") != 0)
		return ret_types[0] ? 1 : 0;
	ret_types[0] = PERFDATA_RECORD_SAMPLE;
	return 2;
}

const char *table_event(const struct options *options)
{
	const char *name = table_of(options);
	return name && !strncmp(name, "event:", 6) ? name + 6 : NULL;
}

bool tables_are_all(const struct options *options)
{
	const char *name = table_of(options);
	return name && !strcmp(name, "all");
}

/* --- what a recording has ------------------------------------------------------------------------------------------- */

struct names {
	char **list;
	size_t nr, room;
	bool failed;
};

static void add(struct names *names, const char *prefix, const char *name)
{
	if (names->nr == names->room) {
		const size_t room = names->room ? 2 * names->room : 16;
		char **grown = realloc(names->list, room * sizeof *grown);
		if (!grown) {
			names->failed = true;
			return;
		}
		names->list = grown;
		names->room = room;
	}
	char *text = malloc(strlen(prefix) + strlen(name) + 1);
	if (!text) {
		names->failed = true;
		return;
	}
	strcpy(stpcpy(text, prefix), name);
	names->list[names->nr++] = text;
}

static void add_types(struct names *names, const struct perfdata_summary *summary)
{
	bool unknown = false;
	for (size_t i = 0; i < summary->nr_types; i++) {
		const struct perfdata_layout *layout = perfdata_record_layout(summary->types[i].type);
		if (layout)
			add(names, "", layout->id == PERFDATA_RECORD_SAMPLE ? "samples" : layout->name);
		unknown |= !layout;
	}
	if (unknown)
		add(names, "", "unknown");
}

/* Tables of tracepoints, and of what samples hold several of. */
static void add_events(struct names *names, const struct perfdata_summary *summary)
{
	static const struct { uint64_t bits; const char *table; } parts[] = {
		{ PERFDATA_SAMPLE_BRANCH_STACK, "branches" }, { PERFDATA_SAMPLE_CALLCHAIN, "callchain" },
		{ PERFDATA_SAMPLE_CALLCHAIN, "stacks" }, { PERFDATA_SAMPLE_CALLCHAIN, "frames" },
		{ PERFDATA_SAMPLE_REGS_USER | PERFDATA_SAMPLE_REGS_INTR, "regs" }, { PERFDATA_SAMPLE_READ, "read_values" },
	};
	uint64_t bits = 0;
	for (size_t i = 0; i < summary->nr_events; i++) {
		const struct perfdata_event *event = summary->events[i].event;
		if (!event || !summary->events[i].samples)
			continue;
		bits |= event->config.attr.sample_type;
		if (event->trace)
			add(names, "event:", event->name);
	}
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		if (bits & parts[i].bits)
			add(names, "", parts[i].table);
}

char **tables_of(const struct options *options, const char *file, size_t *ret_nr, enum exit_code *ret_code)
{
	struct options quiet = *options;
	struct names names = { 0 };
	struct input input;
	/* what is wrong with the recording, the conversions say */
	quiet.style.no_findings = true;
	if (input_open(&input, &quiet, file, PERFDATA_ORDER_FILE, 0)) {
		const struct perfdata_session_options walk = { .size = sizeof walk };
		struct perfdata_session *session = input_walk(&input, &walk, NULL, NULL);
		if (session) {
			const struct perfdata_summary *summary = perfdata_session_summary(session);
			add_types(&names, summary);
			add_events(&names, summary);
			if (names.failed)
				input_ended(&input, PERFDATA_ENOMEM, NULL);
		}
		perfdata_session_close(session);
	}
	*ret_code = input_close(&input, &quiet);
	*ret_nr = names.nr;
	return names.list;
}
