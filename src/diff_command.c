/* SPDX-License-Identifier: MIT */
/* perfdata diff: reports what costs more than before. Turns the command line into options of perfdata_compare, and the
 * verdict into the exit code. */
#include "config.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "commands.h"
#include "diff_show.h"
#include "diff_sides.h"
#include "filters.h"
#include "grow.h"
#include "interrupt.h"
#include "junit.h"
#include "kept_inputs.h"
#include "print.h"

struct units { double *values; size_t nr, room; };

/* The options of the library, and the arrays that they borrow. */
struct wanted {
	struct perfdata_comparison_options options;
	struct units units[2];
	char *allow;
	enum exit_code code;   /* exit code if an option is wrong */
};

/* --- options ------------------------------------------------------------------------------------------------------ */

struct range {
	double least, most;
	bool open; /* the ends are excluded */
};

/* Parses a number, with or without %. 0 becomes PERFDATA_ZERO, since 0 means the default. If `text` is NULL, *ret is
 * unchanged. False after a message. */
static bool read_number(const struct options *options, const char *name, const char *text, struct range range,
			double *ret)
{
	char *end;
	if (!text)
		return true;
	*ret = strtod(text, &end);
	const bool fine = end != text && (!*end || (*end == '%' && !end[1])) && *ret >= range.least &&
			  *ret <= range.most && !(range.open && (*ret == range.least || *ret == range.most));
	if (!fine)
		usage_error(&options->style, "--%s takes a number %s %g %s %g, not '%s'", name,
			    range.open ? "between" : "from", range.least, range.open ? "and" : "to", range.most, text);
	if (*ret == 0)
		*ret = PERFDATA_ZERO;
	return fine;
}

static bool add_unit(struct units *units, double value)
{
	if (!grow_list(&units->values, &units->room, units->nr, sizeof *units->values))
		return false;
	units->values[units->nr++] = value;
	return true;
}

/* Parses --units: "A=1000,B=990+1010", the work units of each recording by side. False after a message. */
static bool read_units(const struct options *options, struct units *units)
{
	const char *at = options->units;
	while (at && *at) {
		const unsigned side = *at == 'B';
		bool fine = (*at == 'A' || side) && at[1] == '=' && !units[side].nr;
		at += fine ? 1 : 0;
		while (fine && (*at == '=' || *at == '+')) {
			char *end;
			const double value = strtod(++at, &end);
			fine = end != at && isfinite(value) && value > 0 && add_unit(&units[side], value);
			at = end;
		}
		if (!fine || (*at && *at != ',')) {
			usage_error(&options->style,
				    "--units takes the units of work of both sides, such as A=1000,B=990+1010, not "
				    "'%s'",
				    options->units);
			return false;
		}
		at += *at == ',';
	}
	return true;
}

static bool read_allow_list(const struct options *options, struct wanted *wanted)
{
	enum { MOST = 1 << 20 };
	if (!options->allow)
		return true;
	FILE *file = fopen(options->allow, "r");
	wanted->allow = calloc(MOST + 1, 1);
	const size_t size = file && wanted->allow ? fread(wanted->allow, 1, MOST, file) : 0;
	const bool fine = file && wanted->allow && !ferror(file) && size < MOST && !memchr(wanted->allow, 0, size);
	if (file)
		fclose(file);
	if (!fine) {
		usage_error(&options->style, "--allow: %s cannot be read as a text of at most 1 MiB", options->allow);
		wanted->code = EXIT_INPUT;
	}
	wanted->options.allow = wanted->allow;
	return fine;
}

/* Returns the index of a word in the choices of its option, as in "holm|bh|none"; 0 without the option. The parser has
 * refused other words. */
static unsigned choose_word(const char *text, const char *const *words)
{
	unsigned i = 0;
	while (text && words[i] && strcmp(words[i], text) != 0)
		i++;
	return text && words[i] ? i : 0;
}

/* Whether each text is OLD=NEW. */
static bool are_pairs(const struct options *options, const char *name, const char *const *texts, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		const char *equals = *texts[i] ? strchr(texts[i] + 1, '=') : NULL;
		if (!equals || !equals[1]) {
			usage_error(&options->style, "--%s takes OLD=NEW, not '%s'", name, texts[i]);
			return false;
		}
	}
	return true;
}

static bool read_options(const struct options *options, struct wanted *wanted)
{
	static const char *const normalize[] = { "scaled", "share", "unit", NULL }, *const adjust[] = { "holm", "bh",
													"none", NULL };
	static const char *const quantities[] = { "both", "self", "inclusive", NULL };
	struct perfdata_comparison_options *to = &wanted->options;
	*to = (struct perfdata_comparison_options){
		.size = sizeof *to,
		.normalize = choose_word(options->normalize, normalize),
		.adjust = choose_word(options->adjust, adjust),
		.quantities = choose_word(options->quantities, quantities),
		.same_symbols = options->same_symbols.values,
		.nr_same_symbols = options->same_symbols.nr,
		.same_files = options->same_files.values,
		.nr_same_files = options->same_files.nr,
		.same_comms = options->same_comms.values,
		.nr_same_comms = options->same_comms.nr,
		.despite = options->despite.values,
		.nr_despite = options->despite.nr,
	};
	const struct range percent = { 0, 100, false }, any = { 0, 1e9, false };
	if (!read_number(options, "max-increase", options->max_increase, percent, &to->max_increase) ||
	    !read_number(options, "max-ratio", options->max_rise, (struct range){ 1, 1e9, false }, &to->max_ratio) ||
	    !read_number(options, "alpha", options->alpha, (struct range){ 0, 1, true }, &to->alpha) ||
	    !read_number(options, "min-share", options->min_share, percent, &to->min_share) ||
	    !read_number(options, "max-total", options->max_growth, any, &to->max_total) ||
	    !read_number(options, "dispersion", options->dispersion, (struct range){ 0, 1e9, true }, &to->dispersion) ||
	    !are_pairs(options, "map-symbol", to->same_symbols, to->nr_same_symbols) ||
	    !are_pairs(options, "map-dso", to->same_files, to->nr_same_files) ||
	    !are_pairs(options, "map-comm", to->same_comms, to->nr_same_comms) || !read_units(options, wanted->units) ||
	    !read_allow_list(options, wanted))
		return false;
	for (unsigned side = 0; side < 2; side++) {
		to->units[side] = wanted->units[side].values;
		to->nr_units[side] = wanted->units[side].nr;
	}
	const bool of_units = options->units || to->normalize == PERFDATA_NORMALIZE_UNIT;
	if (of_units && (!to->nr_units[0] || !to->nr_units[1])) {
		usage_error(&options->style, "units of work are needed for both sides: --units A=1000,B=1000");
		return false;
	}
	return true;
}

static void wanted_release(struct wanted *wanted)
{
	free(wanted->units[0].values);
	free(wanted->units[1].values);
	free(wanted->allow);
}

/* Returns the name of a given option that only comparing uses; NULL: none. */
static const char *comparing_option(const struct options *options)
{
	for (size_t i = 0; i < options->nr_given; i++) {
		const struct general_option *row = general_option_at(options->given[i].row);
		if (row->groups & (OPTIONS_COMPARES | OPTIONS_JSON | OPTIONS_JUNIT | OPTIONS_TSV) &&
		    !options->given[i].no)
			return row->option.name;
	}
	return NULL;
}

/* Assigns FILE arguments to sides: two FILEs are the two sides; with --save all are one side. False after a message. */
static bool find_sides(struct options *options)
{
	const bool named = options->befores.nr || options->afters.nr;
	const char *wrong = NULL;
	if (named && options->files.nr)
		wrong = "name both sides as BEFORE AFTER, or both with --before and --after";
	else if (named && (!options->befores.nr || !options->afters.nr) && !(options->save && options->afters.nr))
		wrong = "both sides are needed: --before and --after";
	else if (!named && !(options->save ? options->files.nr : options->files.nr == 2))
		wrong = options->save ? "--save needs the recordings of one side"
				      : "diff takes two FILEs, or --before FILE… --after FILE…";
	if (wrong) {
		usage_error(&options->style, "%s", wrong);
		return false;
	}
	for (size_t i = 0; i < options->files.nr; i++) {
		options->next_files = i || options->save ? &options->afters : &options->befores;
		if (!options_add_file(options, options->files.values[i]))
			return false;
	}
	options->next_files = NULL;
	unsigned stdins = 0;
	for (size_t i = 0; i < options->befores.nr; i++)
		stdins += !strcmp(options->befores.values[i], "-");
	for (size_t i = 0; i < options->afters.nr; i++)
		stdins += !strcmp(options->afters.values[i], "-");
	if (stdins > 1) {
		usage_error(&options->style, "- (stdin) can be named only once");
		return false;
	}
	const char *comparing = options->befores.nr ? NULL : comparing_option(options);
	if (comparing) {
		usage_error(&options->style, "--%s changes nothing with --save alone, which compares nothing",
			    comparing);
		return false;
	}
	return filters_check(options);
}

/* --- the answer --------------------------------------------------------------------------------------------------- */

/* Reads both sides. Inlined functions are separate keys on both sides or on neither. */
static bool read_sides(const struct options *options, struct perfdata_baseline *sides[2], enum exit_code *code)
{
	const struct text_list *const files[] = { &options->befores, &options->afters };
	const bool inlines = !options->inlines || strcmp(options->inlines, "no") != 0;
	for (unsigned side = 0; side < 2; side++)
		if (files[side]->nr && !(sides[side] = diff_side_read(options, files[side], inlines, code)))
			return false;
	const bool is_auto = !options->inlines || !strcmp(options->inlines, "auto");
	if (!is_auto || !sides[0] || !sides[1])
		return true;
	for (unsigned side = 0; side < 2; side++) {
		if (!diff_side_has_inlines(sides[side]) || diff_side_has_inlines(sides[!side]))
			continue;
		perfdata_baseline_free(sides[side]);
		sides[side] = diff_side_read(options, files[side], false, code);
		return sides[side];
	}
	return true;
}

static bool show_answer(const struct diff_answer *answer)
{
	const struct options *o = answer->options;
	struct perfdata_text out;
	perfdata_text_init(&out);
	if (o->json)
		out.failed = !diff_show_json(answer);
	else if (o->junit)
		diff_show_junit(answer, &out);
	else if (o->tsv)
		diff_show_tsv(answer, &out);
	else if (o->markdown)
		diff_show_markdown(answer, &out);
	else
		diff_show_text(answer, &out);
	const bool fine = !perfdata_text_failed(&out);
	if (fine && out.size)
		print_answer(out.data, out.size);
	perfdata_text_release(&out);
	if (!fine)
		usage_error(&o->style, "%s", perfdata_status_text(PERFDATA_ENOMEM));
	return fine;
}

/* Returns the exit code: a failing verdict wins over EXIT_DAMAGED, since the verdict takes the damaged inputs into
 * account. */
static enum exit_code verdict_code(const struct options *options, enum perfdata_verdict verdict, enum exit_code code)
{
	const bool is_no = verdict == PERFDATA_VERDICT_FAIL || (options->strict && verdict != PERFDATA_VERDICT_PASS);
	if (is_no && !options->no_gate && (code == EXIT_FINE || code == EXIT_DAMAGED))
		return EXIT_ANSWER_NO;
	return code;
}

static enum exit_code without_answer(const struct options *options, enum exit_code code)
{
	return options->junit ? junit_without_answer("perfdata.diff", code) : code;
}

static enum exit_code compare_sides(const struct options *options, const struct wanted *wanted,
				    struct perfdata_baseline *const sides[2], enum exit_code code)
{
	struct perfdata_comparison *comparison;
	struct perfdata_error error = { .offset = PERFDATA_NO_OFFSET };
	const enum perfdata_status status = perfdata_compare(sides[0], sides[1], &wanted->options, &comparison, &error);
	if (status != PERFDATA_OK) {
		usage_error(&options->style, "%s", error.message);
		return without_answer(options, exit_code_join(code, exit_code_of_status(status)));
	}
	const struct diff_answer answer = { .options = options,
					    .comparison = comparison,
					    .sides = { sides[0], sides[1] },
					    .inputs = code };
	const enum perfdata_verdict verdict = perfdata_comparison_verdict(comparison);
	const bool fine = show_answer(&answer);
	perfdata_comparison_free(comparison);
	return fine ? verdict_code(options, verdict, code) : EXIT_LIMIT;
}

enum exit_code command_diff(struct options *options)
{
	struct wanted wanted = { 0 };
	struct perfdata_baseline *sides[2] = { NULL, NULL };
	enum exit_code code = EXIT_FINE;
	if (!read_options(options, &wanted) || !find_sides(options)) {
		wanted_release(&wanted);
		return wanted.code ? wanted.code : EXIT_USAGE;
	}
	interrupt_catch();
	wanted.options.cancel = interrupt_cancel();
	code = inputs_keep(options, &options->befores);
	if (code == EXIT_FINE)
		code = inputs_keep(options, &options->afters);
	if (code == EXIT_FINE && read_sides(options, sides, &code)) {
		if (options->save)
			code = exit_code_join(code, diff_side_save(options, sides[1]));
		if (sides[0] && code != EXIT_OUTPUT && code != EXIT_USAGE)
			code = compare_sides(options, &wanted, sides, code);
	} else {
		code = without_answer(options, code);
	}
	perfdata_baseline_free(sides[0]);
	perfdata_baseline_free(sides[1]);
	wanted_release(&wanted);
	return code;
}
