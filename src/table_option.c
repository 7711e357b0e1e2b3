/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <stdlib.h>
#include <string.h>
#include "perfdata/describe.h"
#include "perfdata/emit.h"
#include "grow.h"
#include "inputs.h"
#include "table_option.h"

static const char *asked_tables(const struct options *options)
{
	const uint32_t flags = options->emitter->flags;
	return flags & PERFDATA_EMITTER_ROWS && !(flags & PERFDATA_EMITTER_ONLY_NAMED)
		       ? perfdata_option_text(options->values, options->nr_values, "table")
		       : NULL;
}

static bool is_name(const char *at)
{
	static const char event[] = "event:";
	if (!strncmp(at, event, sizeof event - 1))
		return true;
	const size_t size = strspn(at, "abcdefghijklmnopqrstuvwxyz_0123456789");
	return size && (!at[size] || at[size] == ',');
}

/* Length of the first name in a list. */
static size_t name_size(const char *list)
{
	size_t size = strcspn(list, ",");
	while (list[size] && !is_name(list + size + 1))
		size += 1 + strcspn(list + size + 1, ",");
	return size;
}

bool tables_are_several(const struct options *options)
{
	const char *name = asked_tables(options);
	return name && (!strcmp(name, "all") || name[name_size(name)]);
}

/* --- tables of a recording
 * ----------------------------------------------------------------------------------------- */

struct names {
	char **list;
	size_t nr, room;
};

/* Adds the name of a table; `user` is a struct names. */
static enum perfdata_status add_table(void *user, const char *name)
{
	struct names *names = user;
	if (!grow_list(&names->list, &names->room, names->nr, sizeof *names->list))
		return PERFDATA_ENOMEM;
	names->list[names->nr] = strdup(name);
	return names->list[names->nr] ? (names->nr++, PERFDATA_OK) : PERFDATA_ENOMEM;
}

static bool add_listed(struct names *names, const char *list)
{
	for (size_t size; *list; list += size + (list[size] == ',')) {
		size = name_size(list);
		char *name = strndup(list, size);
		const bool added = name && add_table(names, name) == PERFDATA_OK;
		free(name);
		if (!added)
			return false;
	}
	return true;
}

char **tables_of(const struct options *options, const char *file, size_t *ret_nr, enum exit_code *ret_code)
{
	struct options quiet = *options;
	struct names names = { 0 };
	struct input input;
	if (strcmp(asked_tables(options), "all") != 0) {
		*ret_code = EXIT_FINE;
		if (!add_listed(&names, asked_tables(options))) {
			usage_error(&options->style, "%s", perfdata_status_text(PERFDATA_ENOMEM));
			*ret_code = EXIT_LIMIT;
		}
		*ret_nr = names.nr;
		return names.list;
	}
	/* the conversions report the findings */
	quiet.style.no_findings = true;
	if (input_open(&input, &quiet, file, PERFDATA_ORDER_FILE, 0)) {
		const struct perfdata_session_options walk = { .size = sizeof walk };
		struct perfdata_session *session = input_walk(&input, &walk, NULL, NULL);
		if (session) {
			const enum perfdata_status status =
				perfdata_describe_tables(perfdata_session_summary(session), add_table, &names);
			if (status != PERFDATA_OK)
				input_ended(&input, status, NULL);
		}
		perfdata_session_close(session);
	}
	*ret_code = input_close(&input, &quiet);
	*ret_nr = names.nr;
	return names.list;
}
