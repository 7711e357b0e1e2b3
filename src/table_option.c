/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <stdlib.h>
#include <string.h>
#include "perfdata/emit.h"
#include "grow.h"
#include "inputs.h"
#include "table_option.h"

bool tables_are_all(const struct options *options)
{
	const char *name = options->emitter->tables ? perfdata_option_text(options->values, options->nr_values, "table")
						    : NULL;
	return name && !strcmp(name, "all");
}

/* --- what a recording has ----------------------------------------------------------------------------------------- */

struct names {
	char **list;
	size_t nr, room;
};

/* `user` is a struct names. */
static enum perfdata_status add(void *user, const char *name)
{
	struct names *names = user;
	if (!grow_list(&names->list, &names->room, names->nr, sizeof *names->list))
		return PERFDATA_ENOMEM;
	names->list[names->nr] = strdup(name);
	return names->list[names->nr] ? (names->nr++, PERFDATA_OK) : PERFDATA_ENOMEM;
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
			const enum perfdata_status status = options->emitter->tables(perfdata_session_summary(session),
										     add, &names);
			if (status != PERFDATA_OK)
				input_ended(&input, status, NULL);
		}
		perfdata_session_close(session);
	}
	*ret_code = input_close(&input, &quiet);
	*ret_nr = names.nr;
	return names.list;
}
