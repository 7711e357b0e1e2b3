/* SPDX-License-Identifier: MIT */
/* perfdata fields, perfdata schema: what the outputs hold. */
#include "config.h"
#include <stdio.h>
#include "commands.h"
#include "perfdata/describe.h"

static enum exit_code print(void (*spell)(struct perfdata_text *out))
{
	struct perfdata_text text;
	perfdata_text_init(&text);
	spell(&text);
	enum exit_code code = EXIT_FINE;
	if (perfdata_text_failed(&text))
		code = EXIT_LIMIT;
	else if (fwrite(text.data, 1, text.size, stdout) != text.size || fflush(stdout))
		code = EXIT_OUTPUT;
	perfdata_text_release(&text);
	return code;
}

enum exit_code command_fields(struct options *options)
{
	(void)options;
	return print(perfdata_describe_fields);
}

enum exit_code command_schema(struct options *options)
{
	return print(options->manual ? perfdata_describe_records_manual : options->columns ? perfdata_describe_columns : perfdata_describe_schema);
}
