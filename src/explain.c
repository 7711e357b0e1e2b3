/* SPDX-License-Identifier: MIT */
/* perfdata explain CODE: prints the meaning of a message's code, and advice. */
#include "config.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "commands.h"

static void show_finding(const struct perfdata_finding_info *info)
{
	char code[8];
	printf("%s %s (%s)\n  %s\n  %s\n", message_code(info->severity, info->code, code), info->name,
	       perfdata_severity_name(info->severity), info->meaning, info->advice);
}

/* Finds a code by "E103", "103" or "RECORD_SIZE"; NULL for an unknown code. */
static const struct perfdata_finding_info *find_code(const char *text)
{
	const char *digits = strchr("EWNewn", text[0]) && isdigit((unsigned char)text[1]) ? text + 1 : text;
	char *end;
	const unsigned long code = strtoul(digits, &end, 10);
	if (end != digits && !*end)
		return code < 1000 ? perfdata_finding_lookup((unsigned)code) : NULL;
	const struct perfdata_finding_info *info;
	for (size_t i = 0; (info = perfdata_finding_at(i)); i++)
		if (!strcasecmp(info->name, text))
			return info;
	return NULL;
}

enum exit_code command_explain(struct options *options)
{
	const struct perfdata_finding_info *info;
	if (!options->files.nr) {
		for (size_t i = 0; (info = perfdata_finding_at(i)); i++)
			show_finding(info);
		return EXIT_FINE;
	}
	for (size_t i = 0; i < options->files.nr; i++) {
		info = *options->files.values[i] ? find_code(options->files.values[i]) : NULL;
		if (!info) {
			usage_error(&options->style, "there is no code '%s' (perfdata explain lists them)",
				    options->files.values[i]);
			return EXIT_USAGE;
		}
		show_finding(info);
	}
	return EXIT_FINE;
}
