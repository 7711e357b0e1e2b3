/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include "base/error.h"
#include "perfdata/registry.h"
#include "run/run.h"

static const struct perfdata_emitter_option_value *find_option(const struct perfdata_emitter_option_value *options,
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
	const struct perfdata_emitter_option_value *value = find_option(options, nr_options, name);
	return value ? value->text : NULL;
}

bool perfdata_option_flag(const struct perfdata_emitter_option_value *options, size_t nr_options, const char *name,
			  bool otherwise)
{
	const struct perfdata_emitter_option_value *value = find_option(options, nr_options, name);
	if (!value)
		return otherwise;
	return !value->text || strcmp(value->text, "no");
}

uint64_t perfdata_option_number(const struct perfdata_emitter_option_value *options, size_t nr_options,
				const char *name, uint64_t otherwise)
{
	const struct perfdata_emitter_option_value *value = find_option(options, nr_options, name);
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

/* Parses a number of an option: "64", "0x40"; with `size` also "64K", "1G". */
static bool option_parse_number(const char *text, bool size, uint64_t *ret)
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
	if (!flag && !*text)
		return pd_error(reterr, PERFDATA_EUSAGE, PERFDATA_NO_OFFSET,
				"--%s needs an argument that is not empty: %s", option->name, option->argument);
	const bool size = option->argument && !strcmp(option->argument, "SIZE");
	if (option->kind == PERFDATA_OPTION_NUMBER && !option_parse_number(text, size, &number))
		return pd_error(reterr, PERFDATA_EUSAGE, PERFDATA_NO_OFFSET, "--%s takes a number%s, not '%s'",
				option->name, size ? " such as 64K, 100M or 1G" : "", text);
	*ret = (struct perfdata_emitter_option_value){ .option = option, .text = text, .number = number };
	return PERFDATA_OK;
}

/* --- options together --------------------------------------------------------------------------------------------- */

static bool is_given(const struct perfdata_emitter_option_value *value, const char *name, size_t size)
{
	const char *equals = memchr(name, '=', size);
	const size_t name_size = equals ? (size_t)(equals - name) : size;
	const char *text = value->text;
	if (strlen(value->option->name) != name_size || memcmp(value->option->name, name, name_size) != 0)
		return false;
	if (value->option->kind == PERFDATA_OPTION_FLAG && text && !strcmp(text, "no"))
		return false;
	const size_t text_size = equals ? size - name_size - 1 : 0;
	return !equals || (text && strlen(text) == text_size && !memcmp(text, equals + 1, text_size));
}

/* Returns the first entry of a list "a|b=x" that matches an option of the caller, and its size; NULL: none does. */
static const char *first_given(const char *list, const struct perfdata_emitter_option_value *values, size_t nr_values,
			       size_t *ret_size)
{
	while (list && *list) {
		*ret_size = strcspn(list, "|");
		for (size_t i = 0; i < nr_values; i++)
			if (is_given(&values[i], list, *ret_size))
				return list;
		list += *ret_size + (list[*ret_size] == '|');
	}
	return NULL;
}

/* Writes "a=x|b" as "--a x or --b", cut where the room ends. */
static void spell_list(char *out, size_t room, const char *list, size_t size)
{
	size_t used = 0;
	for (size_t i = 0; i < size && used + 8 < room; i++) {
		const bool is_start = i == 0 || list[i - 1] == '|';
		if (is_start) {
			memcpy(out + used, i ? " or --" : "--", i ? 6 : 2);
			used += i ? 6 : 2;
		}
		if (list[i] != '|')
			out[used++] = list[i] == '=' ? ' ' : list[i];
	}
	out[used] = '\0';
}

static enum perfdata_status check_rule(const struct perfdata_option_rule *rule,
				       const struct perfdata_emitter_option_value *value,
				       const struct perfdata_emitter_option_value *values, size_t nr_values,
				       struct perfdata_error *reterr)
{
	size_t size;
	char spelled[160];
	if (value->option->kind == PERFDATA_OPTION_NUMBER && rule->most &&
	    (value->number < rule->least || value->number > rule->most))
		return pd_error(reterr, PERFDATA_EUSAGE, PERFDATA_NO_OFFSET,
				"--%s is from %" PRIu64 " to %" PRIu64 ", not %s", rule->name, rule->least, rule->most,
				value->text);
	if (value->option->kind == PERFDATA_OPTION_NUMBER && value->number < rule->least)
		return pd_error(reterr, PERFDATA_EUSAGE, PERFDATA_NO_OFFSET, "--%s is at least %" PRIu64 ", not %s",
				rule->name, rule->least, value->text);
	if (rule->needs && !first_given(rule->needs, values, nr_values, &size)) {
		spell_list(spelled, sizeof spelled, rule->needs, strlen(rule->needs));
		return pd_error(reterr, PERFDATA_EUSAGE, PERFDATA_NO_OFFSET, "--%s changes nothing without %s",
				rule->name, spelled);
	}
	const char *other = first_given(rule->excludes, values, nr_values, &size);
	if (!other)
		return PERFDATA_OK;
	spell_list(spelled, sizeof spelled, other, size);
	return pd_error(reterr, PERFDATA_EUSAGE, PERFDATA_NO_OFFSET, "--%s and %s do not go together: choose one",
			rule->name, spelled);
}

enum perfdata_status perfdata_option_rules_check(const struct perfdata_option_rule *rules,
						 const struct perfdata_emitter_option_value *values, size_t nr_values,
						 struct perfdata_error *reterr)
{
	for (; rules && rules->name; rules++) {
		for (size_t i = 0; i < nr_values; i++) {
			if (!is_given(&values[i], rules->name, strlen(rules->name)))
				continue;
			const enum perfdata_status status = check_rule(rules, &values[i], values, nr_values, reterr);
			if (status)
				return status;
		}
	}
	return PERFDATA_OK;
}
