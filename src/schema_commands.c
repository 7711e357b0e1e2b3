/* SPDX-License-Identifier: MIT */
/* perfdata fields, perfdata schema: describe the outputs. */
#include "config.h"
#include <stdio.h>
#include <string.h>
#include "commands.h"
#include "perfdata/describe.h"
#include "print.h"

/* Prints the text on stdout and releases it. */
static enum exit_code show_text(struct perfdata_text *text)
{
	enum exit_code code = EXIT_FINE;
	if (perfdata_text_failed(text))
		code = EXIT_LIMIT;
	else
		print_answer(text->data, text->size);
	perfdata_text_release(text);
	return code;
}

static enum exit_code print_spelled(void (*spell)(struct perfdata_text *out))
{
	struct perfdata_text text;
	perfdata_text_init(&text);
	spell(&text);
	return show_text(&text);
}

static enum exit_code print_table(const struct options *options)
{
	struct perfdata_text text;
	perfdata_text_init(&text);
	const enum perfdata_status status = perfdata_describe_table(
		&text, strcmp(options->table, "all") ? options->table : NULL);
	if (status == PERFDATA_OK)
		return show_text(&text);
	perfdata_text_release(&text);
	if (status == PERFDATA_EUSAGE)
		usage_error(&options->style, "there is no table '%s': perfdata schema --columns --table all lists them",
			    options->table);
	return status == PERFDATA_EUSAGE ? EXIT_USAGE : EXIT_LIMIT;
}

enum exit_code command_fields(struct options *options)
{
	(void)options;
	return print_spelled(perfdata_describe_fields);
}

enum exit_code command_schema(struct options *options)
{
	if (options->table)
		return print_table(options);
	return print_spelled(options->manual    ? perfdata_describe_records_manual
			     : options->columns ? perfdata_describe_columns
						: perfdata_describe_schema);
}
