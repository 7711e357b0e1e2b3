/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include "base/error.h"
#include "perfdata/registry.h"
#include "run/run.h"

static const struct perfdata_emitter_option_value *find(const struct perfdata_emitter_option_value *options,
							size_t nr_options, const char *name)
{
	while (nr_options)
		if (!strcmp(options[--nr_options].option->name, name))
			return &options[nr_options];
	return NULL;
}

const char *perfdata_option_text(const struct perfdata_emitter_option_value *options, size_t nr_options,
				 const char *name)
{
	const struct perfdata_emitter_option_value *value = find(options, nr_options, name);
	return value ? value->text : NULL;
}

bool perfdata_option_flag(const struct perfdata_emitter_option_value *options, size_t nr_options, const char *name,
			  bool otherwise)
{
	const struct perfdata_emitter_option_value *value = find(options, nr_options, name);
	if (!value)
		return otherwise;
	return !value->text || strcmp(value->text, "no");
}

uint64_t perfdata_option_number(const struct perfdata_emitter_option_value *options, size_t nr_options,
				const char *name, uint64_t otherwise)
{
	const struct perfdata_emitter_option_value *value = find(options, nr_options, name);
	return value ? value->number : otherwise;
}

/* --- options as texts --------------------------------------------------------------------------------------------- */

const struct perfdata_emitter_option *perfdata_emitter_option_at(const struct perfdata_emitter *emitter, size_t index)
{
	const size_t stride = emitter->option_size ? emitter->option_size : sizeof(struct perfdata_emitter_option);
	const char *at = (const char *)emitter->options;
	for (size_t i = 0; at; i++, at += stride) {
		const struct perfdata_emitter_option *option = (const void *)at;
		if (!option->name || i == index)
			return option->name ? option : NULL;
	}
	return NULL;
}

const struct perfdata_emitter_option *perfdata_emitter_option_named(const struct perfdata_emitter *emitter,
								    const char *name)
{
	const struct perfdata_emitter_option *option;
	for (size_t i = 0; (option = perfdata_emitter_option_at(emitter, i)); i++)
		if (!strcmp(option->name, name))
			return option;
	return NULL;
}

static bool is_choice(const struct perfdata_emitter_option *option, const char *text)
{
	const size_t size = strlen(text);
	for (const char *at = option->argument; at && *at;) {
		const size_t word = strcspn(at, "|");
		if (word == size && !memcmp(at, text, size))
			return true;
		at += word + (at[word] == '|');
	}
	return false;
}

bool pd_option_parse_number(const char *text, bool size, uint64_t *ret)
{
	static const char suffixes[] = "KMGT";
	char *end;
	if (!isdigit((unsigned char)*text))
		return false;
	errno = 0;
	const unsigned long long value = strtoull(text, &end, 0);
	if (errno)
		return false;
	const char *suffix = *end && size ? strchr(suffixes, toupper((unsigned char)*end)) : NULL;
	const unsigned shift = suffix ? 10 * (unsigned)(suffix - suffixes + 1) : 0;
	end += suffix ? 1 : 0;
	if (*end || value > UINT64_MAX >> shift)
		return false;
	*ret = (uint64_t)value << shift;
	return true;
}

enum perfdata_status perfdata_option_parse(const struct perfdata_emitter_option *option, const char *text,
					   struct perfdata_emitter_option_value *ret, struct perfdata_error *reterr)
{
	uint64_t number = 0;
	const bool flag = option->kind == PERFDATA_OPTION_FLAG;
	if (flag && text && strcmp(text, "no") != 0)
		return pd_error(reterr, PERFDATA_EUSAGE, PERFDATA_NO_OFFSET, "--%s takes no argument", option->name);
	if (!flag && !text)
		return pd_error(reterr, PERFDATA_EUSAGE, PERFDATA_NO_OFFSET, "--%s needs an argument: %s", option->name,
				option->argument);
	if (option->kind == PERFDATA_OPTION_CHOICE && !is_choice(option, text))
		return pd_error(reterr, PERFDATA_EUSAGE, PERFDATA_NO_OFFSET, "--%s is one of %s, not '%s'",
				option->name, option->argument, text);
	const bool size = option->argument && !strcmp(option->argument, "SIZE");
	if (option->kind == PERFDATA_OPTION_NUMBER && !pd_option_parse_number(text, size, &number))
		return pd_error(reterr, PERFDATA_EUSAGE, PERFDATA_NO_OFFSET, "--%s takes a number%s, not '%s'",
				option->name, size ? " such as 64K, 100M or 1G" : "", text);
	*ret = (struct perfdata_emitter_option_value){ .option = option, .text = text, .number = number };
	return PERFDATA_OK;
}
