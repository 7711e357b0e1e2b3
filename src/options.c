/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "perfdata/registry.h"
#include "grow.h"
#include "input_list.h"
#include "kept_inputs.h"
#include "option_table.h"
#include "perf_habits.h"
#ifdef __GLIBC__
#include <malloc.h>
#endif

#define MEMBER(name) .member = offsetof(struct options, name)

/* --- finding an option ------------------------------------------------------------------------------------------- */

/* The option for a name on the command line. */
struct found {
	const struct perfdata_emitter_option *option;
	const struct general_option *general;   /* NULL: an option of an emitter */
	bool no;                                /* --no-NAME */
};

static bool name_is(const struct perfdata_emitter_option *option, const char *name, size_t size)
{
	return strlen(option->name) == size && !memcmp(option->name, name, size);
}

/* Option `index` of all chosen emitters together; NULL after the last. */
static const struct perfdata_emitter_option *emitter_option_at(const struct options *options, size_t index)
{
	const struct perfdata_emitter_option *option;
	for (size_t i = 0; options->emitter && i <= options->nr_more_emitters; i++) {
		const struct perfdata_emitter *emitter = i ? options->more_emitters[i - 1] : options->emitter;
		for (size_t k = 0; (option = perfdata_emitter_option_at(emitter, k)); k++)
			if (!index--)
				return option;
	}
	return NULL;
}

/* Finds a long option. Options of emitters win over general options with the same name: `script` has perf's. */
static bool find_long(const struct options *options, unsigned groups, const char *name, size_t size, struct found *ret)
{
	const struct perfdata_emitter_option *own;
	for (size_t i = 0; (own = emitter_option_at(options, i)); i++) {
		if (name_is(own, name, size)) {
			*ret = (struct found){ .option = own };
			return true;
		}
	}
	for (size_t i = 0; i < option_table_nr; i++) {
		if ((option_table[i].groups & groups) && name_is(&option_table[i].option, name, size)) {
			*ret = (struct found){ .option = &option_table[i].option, .general = &option_table[i] };
			return true;
		}
	}
	if (size > 3 && !memcmp(name, "no-", 3) && find_long(options, groups, name + 3, size - 3, ret) &&
	    ret->option->kind == PERFDATA_OPTION_FLAG && !ret->no) {
		ret->no = true;
		return true;
	}
	return false;
}

static bool find_short(const struct options *options, unsigned groups, char name, struct found *ret)
{
	const struct perfdata_emitter_option *own;
	for (size_t i = 0; (own = emitter_option_at(options, i)); i++) {
		if (own->short_name == name) {
			*ret = (struct found){ .option = own };
			return true;
		}
	}
	for (size_t i = 0; i < option_table_nr; i++) {
		if ((option_table[i].groups & groups) && option_table[i].option.short_name == name) {
			*ret = (struct found){ .option = &option_table[i].option, .general = &option_table[i] };
			return true;
		}
	}
	return false;
}

static void report_unknown_option(const struct options *options, unsigned groups, const char *name)
{
	char hint[PERFDATA_NEAREST_SIZE];
	struct perfdata_nearest nearest = { .wanted = name };
	const struct perfdata_emitter_option *own;
	for (size_t i = 0; (own = emitter_option_at(options, i)); i++)
		perfdata_nearest_offer(&nearest, own->name);
	for (size_t i = 0; i < option_table_nr; i++)
		if (option_table[i].groups & groups)
			perfdata_nearest_offer(&nearest, option_table[i].option.name);
	const char *ours = perf_habit(options, name, NULL);
	if (ours)
		usage_error(&options->style, "unknown option --%s: %s", name, ours);
	else
		usage_error(&options->style, "unknown option --%s%s", name,
			    perfdata_nearest_hint(&nearest, "--", hint));
}

/* --- setting it --------------------------------------------------------------------------------------------------- */

static bool set_emitter_option(struct options *options, const struct perfdata_emitter_option_value *value)
{
	if (!grow_list(&options->values, &options->values_room, options->nr_values, sizeof *options->values))
		return options_no_memory(options);
	options->values[options->nr_values++] = *value;
	return true;
}

bool options_default(struct options *options, const char *name, const char *text)
{
	struct perfdata_emitter_option_value value;
	struct perfdata_error error;
	const struct perfdata_emitter_option *own = options->emitter
							    ? perfdata_emitter_option_named(options->emitter, name)
							    : NULL;
	for (size_t i = 0; i < options->nr_values; i++)
		if (options->values[i].option == own)
			return true;
	if (!own)
		return true;
	if (perfdata_option_parse(own, text, &value, &error) == PERFDATA_OK)
		return set_emitter_option(options, &value);
	usage_error(&options->style, "%s", error.message);
	return false;
}

static bool add_given(struct options *options, const struct found *found, const char *text)
{
	if (!grow_list(&options->given, &options->given_room, options->nr_given, sizeof *options->given))
		return options_no_memory(options);
	options->given[options->nr_given++] = (struct given_option){ (size_t)(found->general - option_table), text,
								     found->no };
	return true;
}

/* Sets an option; text is NULL for flags. False after a message. */
static bool set_option(struct options *options, const struct found *found, const char *text)
{
	const struct perfdata_emitter_option *option = found->option;
	const struct general_option *general = found->general;
	struct perfdata_emitter_option_value value;
	struct perfdata_error error;
	if (perfdata_option_parse(option, found->no ? "no" : text, &value, &error) != PERFDATA_OK) {
		const char *ours = perf_habit(options, option->name, text);
		usage_error(&options->style, "%s%s%s", error.message, ours ? "; " : "", ours ? ours : "");
		return false;
	}
	if (!general)
		return set_emitter_option(options, &value);
	if (!add_given(options, found, text))
		return false;
	if (general->set)
		return general->set(options, option, text);
	char *member = (char *)options + general->member;
	if (general->is_list)
		return options_add_text(options, (struct text_list *)(void *)member, text);
	if (option->kind == PERFDATA_OPTION_FLAG)
		*(bool *)member = !found->no;
	else if (option->kind == PERFDATA_OPTION_NUMBER)
		*(uint64_t *)(void *)member = value.number;
	else
		*(const char **)(void *)member = text;
	return true;
}

/* --- the command line --------------------------------------------------------------------------------------------- */

/* Reports a word that begins with an unknown option if a file has this name; else returns false. */
static bool report_file_as_option(const struct options *options, const char *word)
{
	if (access(word, F_OK) != 0)
		return false;
	usage_error(&options->style, "unknown option %s; to read the file of this name, write ./%s", word, word);
	return true;
}

static bool parse_long(struct options *options, unsigned groups, const char *name, char **argv, int *at)
{
	const size_t size = strcspn(name, "=");
	const char *text = name[size] == '=' ? name + size + 1 : NULL;
	struct found found;
	char word[64];
	snprintf(word, sizeof word, "%.*s", (int)(size < sizeof word ? size : sizeof word - 1), name);
	if (!find_long(options, groups, name, size, &found)) {
		if (!report_file_as_option(options, argv[*at]))
			report_unknown_option(options, groups, word);
		return false;
	}
	if (found.option->kind == PERFDATA_OPTION_FLAG) {
		if (!text)
			return set_option(options, &found, NULL);
		usage_error(&options->style, "--%s takes no argument", word);
		return false;
	}
	if (!text)
		text = argv[++*at];
	if (text)
		return set_option(options, &found, text);
	usage_error(&options->style, "--%s needs an argument: %s", word, found.option->argument);
	return false;
}

/* Parses -q, -qv, -n5 or -n 5; moves *at to the argument that was used. False after a message. */
static bool parse_short(struct options *options, unsigned groups, const char *letters, char **argv, int *at)
{
	for (; *letters; letters++) {
		struct found found;
		if (!find_short(options, groups, *letters, &found)) {
			const char name[] = { *letters, 0 }, *ours = perf_habit(options, name, NULL);
			if (report_file_as_option(options, argv[*at]))
				return false;
			usage_error(&options->style, "unknown option -%c%s%s", *letters, ours ? ": " : "",
				    ours ? ours : "");
			return false;
		}
		if (found.option->kind == PERFDATA_OPTION_FLAG) {
			if (!set_option(options, &found, NULL))
				return false;
			continue;
		}
		const char *text = letters[1] ? letters + 1 : argv[++*at];
		if (text)
			return set_option(options, &found, text);
		const char *ours = perf_habit(options, found.option->name, "");
		usage_error(&options->style, "-%c needs an argument: %s%s%s", *letters, found.option->argument,
			    ours ? "; " : "", ours ? ours : "");
		return false;
	}
	return true;
}

/* Makes glibc return large freed blocks to the system: with fixed thresholds it maps each large block separately. By
 * default glibc raises its threshold after the first such free, and keeps the memory. Mapping takes time, so this is
 * only for small memory limits. */
static void return_large_blocks(void)
{
#if defined(__GLIBC__) && defined(M_MMAP_THRESHOLD)
	mallopt(M_MMAP_THRESHOLD, 1 << 20);
	mallopt(M_TRIM_THRESHOLD, 1 << 20);
#endif
}

/* --- options together --------------------------------------------------------------------------------------------- */

static bool names_are_used(const struct options *options, unsigned groups)
{
	bool used = groups & OPTIONS_NAMES || options->symbol_names.nr;
	for (size_t i = 0; options->emitter && i <= options->nr_more_emitters; i++) {
		const struct perfdata_emitter *emitter = i ? options->more_emitters[i - 1] : options->emitter;
		used |= (emitter->flags & PERFDATA_EMITTER_SYMBOLS) != 0;
	}
	/* --build-ids looks for files like a look-up of names */
	return options->add_build_ids || (options->symbols ? !strcmp(options->symbols, "yes") : used);
}

/* Refuses options for names if no names are looked up. False after a message. */
static bool check_names(const struct options *options, unsigned groups,
			const struct perfdata_emitter_option_value *values, size_t nr_values)
{
	if (names_are_used(options, groups))
		return true;
	const char *useless = perfdata_option_flag(values, nr_values, "lines", false) ? "lines" : NULL;
	for (size_t i = 0; i < options->nr_given; i++)
		if (option_table[options->given[i].row].groups & OPTIONS_OF_NAMES && !options->given[i].no)
			useless = option_table[options->given[i].row].option.name;
	if (!useless)
		return true;
	if (options->symbols)
		usage_error(&options->style, "--%s and --symbols no contradict each other: choose one", useless);
	else
		usage_error(&options->style, "--%s changes nothing without names: add --symbols yes", useless);
	return false;
}

/* Checks the given options against the rules of the tables. False after a message. */
static bool check_rules(const struct options *options, const struct perfdata_emitter_option_value *values,
			size_t nr_values)
{
	struct perfdata_error error = { .offset = PERFDATA_NO_OFFSET };
	enum perfdata_status status = PERFDATA_OK;
	if (options->debuginfod && !strstr(perfdata_build_info(), "debuginfod")) {
		usage_error(&options->style, "--debuginfod: this program was built without debuginfod");
		return false;
	}
	for (size_t i = 0; status == PERFDATA_OK && i < options->nr_given; i++) {
		const struct general_option *row = &option_table[options->given[i].row];
		struct perfdata_option_rule rules[2] = { row->rule, { 0 } };
		rules[0].name = row->option.name;
		status = perfdata_option_rules_check(rules, values, nr_values, &error);
	}
	for (size_t i = 0; status == PERFDATA_OK && options->emitter && i <= options->nr_more_emitters; i++) {
		const struct perfdata_emitter *emitter = i ? options->more_emitters[i - 1] : options->emitter;
		status = perfdata_option_rules_check(emitter->option_rules, values, nr_values, &error);
	}
	if (status != PERFDATA_OK)
		usage_error(&options->style, "%s", error.message);
	return status == PERFDATA_OK;
}

static bool check_together(struct options *options, unsigned groups)
{
	struct perfdata_emitter_option_value *values = calloc(options->nr_given + options->nr_values + 1,
							      sizeof *values);
	struct perfdata_error error;
	if (!values)
		return options_no_memory(options);
	for (size_t i = 0; i < options->nr_given; i++)
		(void)perfdata_option_parse(&option_table[options->given[i].row].option,
					    options->given[i].no ? "no" : options->given[i].text, &values[i], &error);
	if (options->nr_values)
		memcpy(values + options->nr_given, options->values, options->nr_values * sizeof *values);
	const size_t nr = options->nr_given + options->nr_values;
	const bool fine = check_rules(options, values, nr) && check_names(options, groups, values, nr);
	free(values);
	return fine;
}

bool options_parse(struct options *options, unsigned groups, int argc, char **argv)
{
	bool only_files = false;
	for (int at = 0; at < argc; at++) {
		const char *word = argv[at];
		bool fine;
		if (only_files || word[0] != '-' || !word[1])
			fine = options_add_file(options, word);
		else if (!strcmp(word, "--"))
			fine = only_files = true;
		else if (word[1] == '-')
			fine = parse_long(options, groups, word + 2, argv, &at);
		else
			fine = parse_short(options, groups, word + 1, argv, &at);
		if (!fine)
			return false;
	}
	if (!options->help && !check_together(options, groups))
		return false;
	if (max_memory_of(options) < DEFAULT_MAX_MEMORY)
		return_large_blocks();
	if (perfdata_memory_new(options->max_memory, options->tmpdir, &options->memory) == PERFDATA_OK)
		return true;
	return options_no_memory(options);
}

void options_find_emitter(struct options *options, int argc, char **argv)
{
	static const struct {
		const char *long_name, *short_name;
	} names[] = { { "--to", "-t" }, { "--emitter", NULL } };
	const char **const members[] = { &options->to, &options->emitter_file };
	for (int at = 0; at < argc && strcmp(argv[at], "--") != 0; at++) {
		for (size_t i = 0; i < 2; i++) {
			const char *word = argv[at];
			const size_t size = strlen(names[i].long_name);
			if (!strncmp(word, names[i].long_name, size) && (!word[size] || word[size] == '='))
				*members[i] = word[size] ? word + size + 1 : argv[at + 1];
			else if (names[i].short_name && !strncmp(word, names[i].short_name, 2))
				*members[i] = word[2] ? word + 2 : argv[at + 1];
		}
	}
}

static void spell_option(struct perfdata_text *out, const char *name, const char *text, bool no)
{
	perfdata_text_printf(out, " --%s%s%s%s", no ? "no-" : "", name, text ? "=" : "", text ? text : "");
}

/* Walks the tables instead of the command line, so that the order of options does not matter. */
char *options_made_with(const struct options *options)
{
	const struct perfdata_emitter_option *own;
	struct perfdata_text out;
	perfdata_text_init(&out);
	perfdata_text_string(&out, options->emitter->name);
	for (size_t i = 0; i < options->nr_more_emitters; i++)
		perfdata_text_printf(&out, ",%s", options->more_emitters[i]->name);
	for (size_t i = 0; (own = emitter_option_at(options, i)); i++)
		for (size_t k = 0; k < options->nr_values; k++)
			if (options->values[k].option == own)
				spell_option(&out, own->name, options->values[k].text, false);
	const unsigned changes_content = OPTIONS_FILTER | OPTIONS_SYMBOLS | OPTIONS_CHANGES_CONTENT;
	for (size_t i = 0; i < option_table_nr; i++)
		for (size_t k = 0; (option_table[i].groups & changes_content) && k < options->nr_given; k++)
			if (options->given[k].row == i)
				spell_option(&out, option_table[i].option.name, options->given[k].text,
					     options->given[k].no);
	perfdata_text_char(&out, '\0');
	char *made_with = perfdata_text_failed(&out) ? NULL : strdup(out.data);
	perfdata_text_release(&out);
	return made_with;
}

enum perfdata_packing options_packing(const struct options *options)
{
	if (!options->pack)
		return PERFDATA_PACKING_NONE;
	return strcmp(options->pack, "gz") ? PERFDATA_PACKING_ZSTD : PERFDATA_PACKING_GZIP;
}

void options_release(struct options *options)
{
	input_list_release(options->inputs);
	inputs_forget(options);
	free(options->lists_of_files.values);
	perfdata_memory_free(options->memory);
	free(options->files.values);
	free(options->values);
	free(options->given);
	free(options->pids.values);
	free(options->tids.values);
	free(options->cpus.values);
	free(options->types.values);
	free(options->comms.values);
	free(options->events.values);
	free(options->dsos.values);
	free(options->symbol_names.values);
	free(options->renames.values);
	free(options->roots.values);
	free(options->flats.values);
	for (size_t i = 0; i < options->made.nr; i++)
		free((char *)(uintptr_t)options->made.values[i]);
	free(options->made.values);
	free(options->files_at_hand.values);
	free(options->debug_dirs.values);
	free(options->lists.values);
	free(options->others.values);
	free(options->required.values);
	free(options->befores.values);
	free(options->afters.values);
	free(options->same_symbols.values);
	free(options->same_files.values);
	free(options->same_comms.values);
	free(options->despite.values);
}
