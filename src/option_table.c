/* SPDX-License-Identifier: MIT */
/* The table of general options: name, help, groups of commands that take the option, and the member for its value. */
#include "config.h"
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "perfdata/compare.h"
#include "perfdata/registry.h"
#include "grow.h"
#include "option_table.h"

#define MEMBER(name) .member = offsetof(struct options, name)

bool options_no_memory(struct options *options)
{
	options->no_memory = true;
	usage_error(&options->style, "%s", perfdata_status_text(PERFDATA_ENOMEM));
	return false;
}

static bool add_number(struct options *options, struct number_list *list, uint64_t value)
{
	if (!grow_list(&list->values, &list->room, list->nr, sizeof *list->values))
		return options_no_memory(options);
	list->values[list->nr++] = value;
	return true;
}

bool options_add_text(struct options *options, struct text_list *list, const char *text)
{
	if (!grow_list(&list->values, &list->room, list->nr, sizeof *list->values))
		return options_no_memory(options);
	list->values[list->nr++] = text;
	return true;
}

/* Parses a number at *at and moves *at past it. False if there is none, or it is too large. */
static bool take_number(const char **at, uint64_t *ret)
{
	char *end;
	if (!isdigit((unsigned char)**at))
		return false;
	errno = 0;
	const unsigned long long value = strtoull(*at, &end, 0);
	if (errno)
		return false;
	*ret = value;
	*at = end;
	return true;
}

/* Parses a list such as "1,4-7" of numbers up to `max`. False after a message. */
static bool parse_list(struct options *options, const struct perfdata_emitter_option *option, const char *text,
		       struct number_list *list, uint64_t max)
{
	const char *at = text;
	for (;;) {
		uint64_t first, last;
		if (!take_number(&at, &first))
			break;
		last = first;
		if (*at == '-' && (at++, !take_number(&at, &last)))
			break;
		if (last < first || last > max || last - first > 65535)
			break;
		for (uint64_t value = first; value <= last; value++)
			if (!add_number(options, list, value))
				return false;
		if (!*at)
			return true;
		if (*at++ != ',')
			break;
	}
	usage_error(&options->style, "--%s takes numbers and ranges such as 1,4-7, not '%s'", option->name, text);
	return false;
}

static bool set_pids(struct options *options, const struct perfdata_emitter_option *option, const char *text)
{
	return parse_list(options, option, text, &options->pids, INT32_MAX);
}

static bool set_tids(struct options *options, const struct perfdata_emitter_option *option, const char *text)
{
	return parse_list(options, option, text, &options->tids, INT32_MAX);
}

static bool set_cpus(struct options *options, const struct perfdata_emitter_option *option, const char *text)
{
	return parse_list(options, option, text, &options->cpus, UINT32_MAX);
}

static bool set_log_format(struct options *options, const struct perfdata_emitter_option *option, const char *text)
{
	(void)option;
	options->style.json = !strcmp(text, "json");
	return true;
}

bool options_add_file(struct options *options, const char *file)
{
	return options_add_text(options, options->next_files ? options->next_files : &options->files, file);
}

/* --before takes the FILE arguments up to --after, and the other way round. */
static bool set_before(struct options *options, const struct perfdata_emitter_option *option, const char *text)
{
	(void)option;
	options->next_files = &options->befores;
	return options_add_file(options, text);
}

static bool set_after(struct options *options, const struct perfdata_emitter_option *option, const char *text)
{
	(void)option;
	options->next_files = &options->afters;
	return options_add_file(options, text);
}

/* Parses "mmap2,sample"; a number selects a record type that this version does not know. */
static bool set_types(struct options *options, const struct perfdata_emitter_option *option, const char *text)
{
	char name[64], hint[PERFDATA_NEAREST_SIZE];
	for (const char *at = text; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
		const size_t size = strcspn(at, ",");
		const char *number = at;
		uint64_t value;
		if (take_number(&number, &value) && number == at + size && value <= UINT32_MAX) {
			if (!add_number(options, &options->types, value))
				return false;
			continue;
		}
		snprintf(name, sizeof name, "%.*s", (int)(size < sizeof name ? size : sizeof name - 1), at);
		const struct perfdata_layout *layout, *found = NULL;
		struct perfdata_nearest nearest = { .wanted = name };
		for (size_t i = 0; (layout = perfdata_record_layout_at(i)); i++) {
			if (!strcasecmp(perfdata_layout_name(layout), name))
				found = layout;
			perfdata_nearest_offer(&nearest, perfdata_layout_name(layout));
		}
		if (!found) {
			usage_error(&options->style, "--%s: there is no record type '%s'%s", option->name, name,
				    perfdata_nearest_hint(&nearest, "", hint));
			return false;
		}
		if (!add_number(options, &options->types, perfdata_layout_id(found)))
			return false;
	}
	return true;
}

const struct general_option option_table[] = {
	{ { "help", PERFDATA_OPTION_FLAG, 'h', NULL, "show what the command does and its options" },
	  OPTIONS_GENERAL,
	  MEMBER(help) },
	{ { "quiet", PERFDATA_OPTION_FLAG, 'q', NULL, "print only errors" }, OPTIONS_GENERAL, MEMBER(style.quiet) },
	{ { "verbose", PERFDATA_OPTION_FLAG, 'v', NULL,
	    "print every finding instead of five of each kind, the files that names come from, and the memory used" },
	  OPTIONS_GENERAL,
	  MEMBER(style.verbose) },
	{ { "log-format", PERFDATA_OPTION_CHOICE, 0, "text|json", "format of the messages on stderr" },
	  OPTIONS_GENERAL,
	  .set = set_log_format },

	{ { "input", PERFDATA_OPTION_TEXT, 'i', "FILE", "read FILE, the same as without -i; - is stdin" },
	  OPTIONS_INPUT,
	  .is_list = true,
	  MEMBER(files) },
	{ { "files-from", PERFDATA_OPTION_TEXT, 0, "FILE",
	    "also read the recordings listed in FILE, one path in each line; - is stdin" },
	  OPTIONS_LIST,
	  .is_list = true,
	  MEMBER(lists_of_files) },
	{ { "null", PERFDATA_OPTION_FLAG, '0', NULL, "paths in --files-from end with a NUL byte instead of a newline" },
	  OPTIONS_LIST,
	  MEMBER(null),
	  .rule = { .needs = "files-from" } },
	{ { "recursive", PERFDATA_OPTION_FLAG, 0, NULL,
	    "if a FILE is a folder, read every recording below it, except hidden names and DIR of -o" },
	  OPTIONS_LIST,
	  MEMBER(recursive) },
	{ { "shard", PERFDATA_OPTION_TEXT, 0, "K/N",
	    "read every Nth of the sorted recordings, from number K on (first: 0)" },
	  OPTIONS_LIST,
	  MEMBER(shard) },
	{ { "relative-to", PERFDATA_OPTION_TEXT, 0, "DIR",
	    "name recordings by their paths below DIR; default: the deepest folder that contains all of them" },
	  OPTIONS_LIST,
	  MEMBER(relative_to) },
	{ { "strict", PERFDATA_OPTION_FLAG, 0, NULL,
	    "exit with 4 after warnings too; diff: exit with 1 also if there is no verdict" },
	  OPTIONS_INPUT | OPTIONS_CHANGES_CONTENT,
	  MEMBER(strict) },
	{ { "max-memory", PERFDATA_OPTION_NUMBER, 0, "SIZE",
	    "use at most SIZE of memory for data that grows with the recording, then temporary files; tables that "
	    "cannot be in files may reach twice SIZE, files of symbols add 48M; default 256M" },
	  OPTIONS_INPUT,
	  MEMBER(max_memory),
	  .rule = { .least = 1 } },
	{ { "max-spool", PERFDATA_OPTION_NUMBER, 0, "SIZE", "write at most SIZE to temporary files; default no limit" },
	  OPTIONS_INPUT | OPTIONS_CHANGES_CONTENT,
	  MEMBER(max_spool),
	  .rule = { .least = 1 } },
	{ { "max-ratio", PERFDATA_OPTION_NUMBER, 0, "N",
	    "decompress each byte to at most N bytes; default 1000, 0 is no limit" },
	  OPTIONS_UNPACK | OPTIONS_CHANGES_CONTENT,
	  MEMBER(max_ratio) },
	{ { "progress", PERFDATA_OPTION_CHOICE, 0, "auto|always|never",
	    "show how much of the input was read; default auto: on a terminal, after one second" },
	  OPTIONS_INPUT,
	  MEMBER(progress) },
	{ { "tmpdir", PERFDATA_OPTION_TEXT, 0, "DIR", "folder for temporary files; default /tmp" },
	  OPTIONS_INPUT,
	  MEMBER(tmpdir) },

	{ { "json", PERFDATA_OPTION_FLAG, 0, NULL, "answer as one JSON document; for several FILEs one in each line" },
	  OPTIONS_JSON,
	  MEMBER(json),
	  .rule = { .excludes = "junit|tsv|markdown|sarif|annotate|perf|perf-stats" } },
	{ { "junit", PERFDATA_OPTION_FLAG, 0, NULL,
	    "answer as one JUnit document (XML) with a test case for each FILE" },
	  OPTIONS_JUNIT,
	  MEMBER(junit),
	  .rule = { .excludes = "tsv|markdown|sarif|annotate" } },
	{ { "sarif", PERFDATA_OPTION_FLAG, 0, NULL,
	    "answer as one SARIF 2.1.0 document with a result for each finding" },
	  OPTIONS_CHECK,
	  MEMBER(sarif),
	  .rule = { .excludes = "annotate" } },
	{ { "annotate", PERFDATA_OPTION_CHOICE, 0, "github",
	    "also print workflow commands of GitHub, which show findings beside files; ten of each kind" },
	  OPTIONS_CHECK,
	  MEMBER(annotate) },
	{ { "tsv", PERFDATA_OPTION_FLAG, 0, NULL,
	    "answer as a table: tab-separated, with a header line, without totals" },
	  OPTIONS_TSV,
	  MEMBER(tsv),
	  .rule = { .excludes = "markdown|perf" } },
	{ { "perf", PERFDATA_OPTION_FLAG, 0, NULL, "answer as perf prints it" },
	  OPTIONS_PERF,
	  MEMBER(perf),
	  .rule = { .excludes = "perf-stats|sort" } },
	{ { "perf-stats", PERFDATA_OPTION_FLAG, 0, NULL, "print counts of records as perf report --stats does" },
	  OPTIONS_STATS,
	  MEMBER(perf_stats) },
	{ { "sort", PERFDATA_OPTION_CHOICE, 0, "path|samples", "order of the files; default path" },
	  OPTIONS_HITS,
	  MEMBER(sort) },
	{ { "with-hits", PERFDATA_OPTION_FLAG, 0, NULL, "list only files with samples" },
	  OPTIONS_HITS,
	  MEMBER(with_hits) },
	{ { "manual", PERFDATA_OPTION_FLAG, 0, NULL,
	    "print instead: the lists of records and feature sections in perf-data.5" },
	  OPTIONS_COLUMNS,
	  MEMBER(manual),
	  .rule = { .excludes = "columns|table" } },
	{ { "columns", PERFDATA_OPTION_FLAG, 0, NULL, "print instead: the column types for DuckDB" },
	  OPTIONS_COLUMNS,
	  MEMBER(columns) },
	{ { "table", PERFDATA_OPTION_TEXT, 0, "NAME",
	    "print instead: the columns of a table of parquet, with units and meanings; `all` lists the tables" },
	  OPTIONS_COLUMNS,
	  MEMBER(table) },

	{ { "to", PERFDATA_OPTION_TEXT, 't', "NAME",
	    "the format to write; with -o DIR/ several formats in one pass: NAME,NAME" },
	  OPTIONS_TO,
	  MEMBER(to) },
	{ { "emitter", PERFDATA_OPTION_TEXT, 0, "FILE.so", "load a format from a shared object" },
	  OPTIONS_TO,
	  MEMBER(emitter_file) },
	{ { "output", PERFDATA_OPTION_TEXT, 'o', "FILE",
	    "write to FILE, compressed if its name ends in .gz or .zst; DIR/: one file for each input, in the same "
	    "folders as the inputs" },
	  OPTIONS_OUTPUT | OPTIONS_BUNDLE,
	  MEMBER(output) },
	{ { "force", PERFDATA_OPTION_FLAG, 0, NULL, "replace files that exist" },
	  OPTIONS_OUTPUT | OPTIONS_BUNDLE | OPTIONS_DIFF,
	  MEMBER(force) },
	{ { "name", PERFDATA_OPTION_TEXT, 0, "NAME",
	    "pattern for file names in DIR, with {dir}, {base}, {stem}, {recording}, {format}, {table}; default "
	    "{dir}/{base}.{format}" },
	  OPTIONS_BATCH,
	  MEMBER(name) },
	{ { "pack", PERFDATA_OPTION_CHOICE, 0, "zst|gz", "compress each file in DIR" },
	  OPTIONS_BATCH | OPTIONS_CHANGES_CONTENT,
	  MEMBER(pack) },
	{ { "resume", PERFDATA_OPTION_FLAG, 0, NULL,
	    "skip inputs whose output in DIR is complete, newer than the input, and made with these options by this "
	    "version" },
	  OPTIONS_BATCH,
	  MEMBER(resume) },
	{ { "summary", PERFDATA_OPTION_TEXT, 0, "FILE",
	    "write to FILE a JSON line after each input, and one with totals; --log-format json prints them to stderr "
	    "too" },
	  OPTIONS_REPORT,
	  MEMBER(summary) },
	{ { "damaged-ok", PERFDATA_OPTION_FLAG, 0, NULL, "exit with 0 even if inputs are damaged" },
	  OPTIONS_BATCH,
	  MEMBER(damaged_ok) },
	{ { "fail-fast", PERFDATA_OPTION_FLAG, 0, NULL, "start no further input after one whose exit code is not 0" },
	  OPTIONS_REPORT,
	  MEMBER(fail_fast) },
	{ { "jobs", PERFDATA_OPTION_NUMBER, 'j', "N", "use N threads; default one for each processor" },
	  OPTIONS_OUTPUT | OPTIONS_MATCH | OPTIONS_DIFF,
	  MEMBER(jobs),
	  .rule = { .least = 1, .most = 4096 } },
	{ { "no-meta", PERFDATA_OPTION_FLAG, 0, NULL,
	    "leave out the header's facts about the machine and perf's command line; `perfdata anonymize` hides the "
	    "rest" },
	  OPTIONS_OUTPUT | OPTIONS_CHANGES_CONTENT,
	  MEMBER(no_meta) },
	{ { "order", PERFDATA_OPTION_CHOICE, 0, "time|file", "order of the records; default time" },
	  OPTIONS_OUTPUT | OPTIONS_CHANGES_CONTENT,
	  MEMBER(order) },

	{ { "output", PERFDATA_OPTION_TEXT, 'o', "FILE", "write the recording to FILE; - is stdout" },
	  OPTIONS_RECORDING,
	  MEMBER(output) },
	{ { "force", PERFDATA_OPTION_FLAG, 0, NULL, "replace a file that exists" }, OPTIONS_RECORDING, MEMBER(force) },
	{ { "compress", PERFDATA_OPTION_CHOICE, 0, "zstd|none", "compression of the records; default: of the input" },
	  OPTIONS_RECORDING,
	  MEMBER(compress) },
	{ { "for", PERFDATA_OPTION_CHOICE, 0, "perf-6.1", "write only data that this version of perf can read" },
	  OPTIONS_RECORDING,
	  MEMBER(for_perf) },
	{ { "form", PERFDATA_OPTION_CHOICE, 0, "file|stream",
	    "container to write; default: that of the input, a file for a directory" },
	  OPTIONS_REWRITE,
	  MEMBER(form) },
	{ { "byte-order", PERFDATA_OPTION_CHOICE, 0, "little|big", "byte order to write; default: that of the input" },
	  OPTIONS_REWRITE,
	  MEMBER(byte_order) },
	{ { "key", PERFDATA_OPTION_TEXT, 0, "FILE",
	    "file with a key: the same key gives the same pseudonyms; default: a new key each time" },
	  OPTIONS_ANONYMIZE,
	  MEMBER(key) },
	{ { "keep", PERFDATA_OPTION_TEXT, 0, "LIST",
	    "keep these unchanged: comms, paths, build-ids, pids, times, addresses, events" },
	  OPTIONS_ANONYMIZE,
	  MEMBER(keep) },
	{ { "mapping", PERFDATA_OPTION_TEXT, 0, "FILE",
	    "write each pseudonym with its original to FILE; do not share FILE" },
	  OPTIONS_ANONYMIZE,
	  MEMBER(mapping) },
	{ { "rename", PERFDATA_OPTION_TEXT, 0, "OLD=NEW", "rename an event; may be given several times" },
	  OPTIONS_REWRITE,
	  .is_list = true,
	  MEMBER(renames) },
	{ { "events", PERFDATA_OPTION_TEXT, 0, "OLD=NEW", "as --rename" },
	  OPTIONS_REWRITE,
	  .is_list = true,
	  MEMBER(renames) },
	{ { "build-ids", PERFDATA_OPTION_FLAG, 0, NULL,
	    "add build-ids of files on this host (or below --symfs) that are the recorded ones" },
	  OPTIONS_REWRITE,
	  MEMBER(add_build_ids) },
	{ { "limit", PERFDATA_OPTION_NUMBER, 'n', "N", "stop after N records" },
	  OPTIONS_FILTER,
	  MEMBER(limit),
	  .rule = { .least = 1 } },
	{ { "time", PERFDATA_OPTION_TEXT, 0, "A,B", "from A to B, in seconds as recorded, or in percent: 10%-20%" },
	  OPTIONS_FILTER,
	  MEMBER(time) },
	{ { "pid", PERFDATA_OPTION_TEXT, 0, "LIST", "only these processes" }, OPTIONS_FILTER, .set = set_pids },
	{ { "tid", PERFDATA_OPTION_TEXT, 0, "LIST", "only these threads" }, OPTIONS_FILTER, .set = set_tids },
	{ { "cpu", PERFDATA_OPTION_TEXT, 0, "LIST", "only these CPUs, such as 0-3,8" },
	  OPTIONS_FILTER,
	  .set = set_cpus },
	{ { "comm", PERFDATA_OPTION_TEXT, 0, "GLOB", "only threads with this name; * and ? match any text and letter; "
						     "may be given several times" },
	  OPTIONS_FILTER,
	  .is_list = true,
	  MEMBER(comms) },
	{ { "dso", PERFDATA_OPTION_TEXT, 0, "GLOB",
	    "only samples in this file, by path or file name; may be given several times" },
	  OPTIONS_FILTER,
	  .is_list = true,
	  MEMBER(dsos) },
	{ { "symbol", PERFDATA_OPTION_TEXT, 0, "GLOB", "only samples in this function; may be given several times" },
	  OPTIONS_FILTER,
	  .is_list = true,
	  MEMBER(symbol_names) },
	{ { "event", PERFDATA_OPTION_TEXT, 0, "NAME",
	    "only records of this event, and samples of a group in which it counted; may be given several times" },
	  OPTIONS_FILTER,
	  .is_list = true,
	  MEMBER(events) },
	{ { "type", PERFDATA_OPTION_TEXT, 0, "LIST", "only records of these types, such as mmap2,sample" },
	  OPTIONS_FILTER,
	  .set = set_types },

	{ { "symbols", PERFDATA_OPTION_CHOICE, 0, "yes|no",
	    "whether to look up names of addresses; no: open no file of this host" },
	  OPTIONS_SYMBOLS,
	  MEMBER(symbols) },
	{ { "symfs", PERFDATA_OPTION_TEXT, 0, "DIR",
	    "look for recorded files only below DIR, and trust files without a recorded build-id; / is this host; "
	    "DIR,flat: all files are in DIR itself" },
	  OPTIONS_SYMBOLS | OPTIONS_OF_NAMES,
	  MEMBER(symfs) },
	{ { "sysroot", PERFDATA_OPTION_TEXT, 0, "DIR", "look for recorded files below DIR first" },
	  OPTIONS_SYMBOLS | OPTIONS_OF_NAMES,
	  MEMBER(sysroot) },
	{ { "kallsyms", PERFDATA_OPTION_TEXT, 0, "FILE", "kernel symbols from FILE" },
	  OPTIONS_SYMBOLS | OPTIONS_OF_NAMES,
	  MEMBER(kallsyms) },
	{ { "vmlinux", PERFDATA_OPTION_TEXT, 0, "FILE", "kernel symbols from this ELF file" },
	  OPTIONS_SYMBOLS | OPTIONS_OF_NAMES,
	  MEMBER(vmlinux) },
	{ { "symbols-from", PERFDATA_OPTION_TEXT, 0, "FILE|DIR",
	    "take names only from this bundle of perfdata bundle (a file, or the folder with its content)" },
	  OPTIONS_SYMBOLS | OPTIONS_MATCH | OPTIONS_OF_NAMES,
	  MEMBER(symbols_from),
	  .rule = { .excludes = "symfs|sysroot|kallsyms|vmlinux|debuginfod" } },
	{ { "recorded-names", PERFDATA_OPTION_CHOICE, 0, "auto|yes|no",
	    "use names and stacks recorded by Android's simpleperf; auto (default): in its recordings; yes: its rules "
	    "for any recording; no: perf's rules" },
	  OPTIONS_SYMBOLS,
	  MEMBER(recorded_names) },
	{ { "show-art-frames", PERFDATA_OPTION_FLAG, 0, NULL,
	    "show the interpreter's frames around Java code, which simpleperf hides" },
	  OPTIONS_SYMBOLS,
	  MEMBER(show_art_frames),
	  .rule = { .excludes = "recorded-names=no" } },
	{ { "debuginfod", PERFDATA_OPTION_FLAG, 0, NULL, "ask debuginfod servers for missing files" },
	  OPTIONS_SYMBOLS | OPTIONS_MATCH | OPTIONS_OF_NAMES,
	  MEMBER(debuginfod) },

	{ { "symfs", PERFDATA_OPTION_TEXT, 0, "DIR",
	    "look for recorded paths below DIR; DIR,flat: all files are in DIR itself; may be given several times" },
	  OPTIONS_MATCH,
	  .is_list = true,
	  MEMBER(roots) },
	{ { "sysroot", PERFDATA_OPTION_TEXT, 0, "DIR",
	    "as --symfs: a root file system, or unpacked layers of a container" },
	  OPTIONS_MATCH,
	  .is_list = true,
	  MEMBER(roots) },
	{ { "file", PERFDATA_OPTION_TEXT, 0, "ELF", "look at this file; may be given several times" },
	  OPTIONS_MATCH,
	  .is_list = true,
	  MEMBER(files_at_hand) },
	{ { "debug-dir", PERFDATA_OPTION_TEXT, 0, "DIR",
	    "look below DIR by build-id, as in /usr/lib/debug or perf's cache" },
	  OPTIONS_MATCH,
	  .is_list = true,
	  MEMBER(debug_dirs) },
	{ { "list", PERFDATA_OPTION_TEXT, 0, "FILE",
	    "compare with a list of build-ids and paths: output of perf buildid-list, eu-unstrip -n or buildids --tsv; "
	    "- is stdin" },
	  OPTIONS_MATCH,
	  .is_list = true,
	  MEMBER(lists) },
	{ { "other", PERFDATA_OPTION_TEXT, 0, "FILE", "compare with the files of another recording" },
	  OPTIONS_MATCH,
	  .is_list = true,
	  MEMBER(others) },
	{ { "before", PERFDATA_OPTION_TEXT, 0, "FILE…", "recordings of the program before, or a stored baseline" },
	  OPTIONS_DIFF,
	  .set = set_before },
	{ { "after", PERFDATA_OPTION_TEXT, 0, "FILE…", "recordings of the program after" },
	  OPTIONS_DIFF,
	  .set = set_after },
	{ { "save", PERFDATA_OPTION_TEXT, 0, "FILE",
	    "store the side after (or the only side) as a baseline, compressed if the name ends in .gz or .zst" },
	  OPTIONS_DIFF,
	  MEMBER(save) },
	{ { "by", PERFDATA_OPTION_CHOICE, 0, "symbol|dso|comm|thread|event|line|stack",
	    "what a row is; default symbol: a function of a file" },
	  OPTIONS_DIFF,
	  MEMBER(by) },
	{ { "quantity", PERFDATA_OPTION_CHOICE, 0, "both|self|inclusive",
	    "compare self costs, inclusive costs (with callees), or both (default)" },
	  OPTIONS_DIFF | OPTIONS_COMPARES,
	  MEMBER(quantities) },
	{ { "weight", PERFDATA_OPTION_CHOICE, 0, "period|samples|wall|off-cpu|both",
	    "the quantity that shares are of; default period, or wall if time off the CPU was recorded" },
	  OPTIONS_DIFF,
	  MEMBER(weight) },
	{ { "normalize", PERFDATA_OPTION_CHOICE, 0, "scaled|share|unit",
	    "scaled (default): relative to functions that did not change; share: plain shares; unit: weight per unit "
	    "of work" },
	  OPTIONS_DIFF | OPTIONS_COMPARES,
	  MEMBER(normalize) },
	{ { "units", PERFDATA_OPTION_TEXT, 0, "A=N,B=N",
	    "units of work of each recording before (A) and after (B); N+N+N: one number for each" },
	  OPTIONS_DIFF | OPTIONS_COMPARES,
	  MEMBER(units),
	  .rule = { .excludes = "normalize=share" } },
	{ { "max-increase", PERFDATA_OPTION_TEXT, 0, "POINTS",
	    "ignore smaller increases of a share, in percentage points; default 1.0" },
	  OPTIONS_DIFF | OPTIONS_COMPARES,
	  MEMBER(max_increase) },
	{ { "max-ratio", PERFDATA_OPTION_TEXT, 0, "RATIO", "ignore increases of a share by a smaller ratio; default "
							   "1.10" },
	  OPTIONS_DIFF | OPTIONS_COMPARES,
	  MEMBER(max_rise) },
	{ { "max-total", PERFDATA_OPTION_TEXT, 0, "PERCENT",
	    "fail if the weight per unit of work grew by more; needs --units and several recordings of each side" },
	  OPTIONS_DIFF | OPTIONS_COMPARES,
	  MEMBER(max_growth),
	  .rule = { .needs = "units" } },
	{ { "min-share", PERFDATA_OPTION_TEXT, 0, "PERCENT",
	    "ignore rows below this share on both sides; default 1" },
	  OPTIONS_DIFF | OPTIONS_COMPARES,
	  MEMBER(min_share) },
	{ { "alpha", PERFDATA_OPTION_TEXT, 0, "P",
	    "significance level: a change counts if its adjusted p value is below P; default 0.01" },
	  OPTIONS_DIFF | OPTIONS_COMPARES,
	  MEMBER(alpha) },
	{ { "adjust", PERFDATA_OPTION_CHOICE, 0, "holm|bh|none",
	    "how p values are adjusted for multiple comparisons; default holm" },
	  OPTIONS_DIFF | OPTIONS_COMPARES,
	  MEMBER(adjust) },
	{ { "dispersion", PERFDATA_OPTION_TEXT, 0, "X",
	    "variance between runs as a multiple of the variance of counting, if too few runs show it; default 5" },
	  OPTIONS_DIFF | OPTIONS_COMPARES,
	  MEMBER(dispersion) },
	{ { "inlines", PERFDATA_OPTION_CHOICE, 0, "auto|yes|no",
	    "whether inlined functions are rows; default auto: if both sides have them" },
	  OPTIONS_DIFF,
	  MEMBER(inlines),
	  .rule = { .excludes = "by=dso|by=comm|by=thread|by=event" } },
	{ { "exact-symbols", PERFDATA_OPTION_FLAG, 0, NULL,
	    "compare whole names, including suffixes and hashes that compilers add" },
	  OPTIONS_DIFF,
	  MEMBER(exact_symbols),
	  .rule = { .excludes = "by=dso|by=comm|by=thread|by=event" } },
	{ { "map-symbol", PERFDATA_OPTION_TEXT, 0, "OLD=NEW",
	    "the function OLD was renamed to NEW; may be given several times" },
	  OPTIONS_DIFF | OPTIONS_COMPARES,
	  .is_list = true,
	  MEMBER(same_symbols),
	  .rule = { .excludes = "by=dso|by=comm|by=thread|by=event" } },
	{ { "map-dso", PERFDATA_OPTION_TEXT, 0, "OLD=NEW", "as --map-symbol, for files" },
	  OPTIONS_DIFF | OPTIONS_COMPARES,
	  .is_list = true,
	  MEMBER(same_files),
	  .rule = { .excludes = "by=comm|by=thread|by=event" } },
	{ { "map-comm", PERFDATA_OPTION_TEXT, 0, "OLD=NEW", "as --map-symbol, for comms and threads" },
	  OPTIONS_DIFF | OPTIONS_COMPARES,
	  .is_list = true,
	  MEMBER(same_comms),
	  .rule = { .excludes = "by=symbol|by=dso|by=event|by=line|by=stack" } },
	{ { "allow", PERFDATA_OPTION_TEXT, 0, "FILE",
	    "file of accepted regressions, one in each line, with tabs between: EVENT-GLOB, KEY-GLOB, +2.5pp or x1.3 "
	    "or any, REASON" },
	  OPTIONS_DIFF | OPTIONS_COMPARES,
	  MEMBER(allow) },
	{ { "despite", PERFDATA_OPTION_CHOICE, 0, PERFDATA_COMPARISON_REASONS "|all",
	    "give a verdict in spite of a note with this code" },
	  OPTIONS_DIFF | OPTIONS_COMPARES,
	  .is_list = true,
	  MEMBER(despite) },
	{ { "top", PERFDATA_OPTION_NUMBER, 0, "N", "print at most N rows of an event in text and Markdown; default "
						   "20" },
	  OPTIONS_DIFF | OPTIONS_COMPARES,
	  MEMBER(top),
	  .rule = { .excludes = "json|junit|tsv" } },
	{ { "markdown", PERFDATA_OPTION_FLAG, 0, NULL, "answer in Markdown, for a comment on a pull request: verdict, "
						       "table, notes" },
	  OPTIONS_DIFF | OPTIONS_COMPARES,
	  MEMBER(markdown) },
	{ { "wide", PERFDATA_OPTION_FLAG, 0, NULL,
	    "do not shorten names to the width of the terminal, or to lines of 100 columns" },
	  OPTIONS_DIFF | OPTIONS_COMPARES,
	  MEMBER(wide),
	  .rule = { .excludes = "json|junit|tsv|markdown" } },
	{ { "no-gate", PERFDATA_OPTION_FLAG, 0, NULL, "exit with 0 whatever the verdict" },
	  OPTIONS_DIFF | OPTIONS_COMPARES,
	  MEMBER(no_gate) },
	{ { "level", PERFDATA_OPTION_CHOICE, 0, "full|unwind|names|answers",
	    "parts of each file to store: full (default); unwind: no debug information; names: symbols only; answers: "
	    "names, inlined functions and lines of the recorded addresses, without the files" },
	  OPTIONS_BUNDLE,
	  MEMBER(level) },
	{ { "all", PERFDATA_OPTION_FLAG, 0, NULL, "also add files without samples" },
	  OPTIONS_BUNDLE,
	  MEMBER(all) },
	{ { "max-file", PERFDATA_OPTION_NUMBER, 0, "SIZE", "leave larger files out; default no limit" },
	  OPTIONS_BUNDLE,
	  MEMBER(max_file),
	  .rule = { .least = 1 } },
	{ { "max-total", PERFDATA_OPTION_NUMBER, 0, "SIZE",
	    "leave out files that would make the bundle larger; default no limit" },
	  OPTIONS_BUNDLE,
	  MEMBER(max_total),
	  .rule = { .least = 1 } },
	{ { "search", PERFDATA_OPTION_FLAG, 0, NULL, "read the build-id of every file below the directories" },
	  OPTIONS_MATCH,
	  MEMBER(search) },
	{ { "min-matched", PERFDATA_OPTION_TEXT, 0, "PERCENT",
	    "exit with 1 if matching files have less of the weight" },
	  OPTIONS_MATCH,
	  MEMBER(min_matched) },
	{ { "min-named", PERFDATA_OPTION_TEXT, 0, "PERCENT", "exit with 1 if fewer of the samples have a name" },
	  OPTIONS_MATCH,
	  MEMBER(min_named) },
	{ { "min-weight", PERFDATA_OPTION_TEXT, 0, "PERCENT",
	    "ignore files with less of the weight; default: files without a sample" },
	  OPTIONS_MATCH,
	  MEMBER(min_weight) },
	{ { "require", PERFDATA_OPTION_TEXT, 0, "PATH",
	    "exit with 1 unless this file matches; may be given several times" },
	  OPTIONS_MATCH,
	  .is_list = true,
	  MEMBER(required) },
	{ { "require-same", PERFDATA_OPTION_FLAG, 0, NULL,
	    "exit with 1 if a file with samples differs from the file in a recording of --other" },
	  OPTIONS_MATCH,
	  MEMBER(require_same),
	  .rule = { .needs = "other" } },
	{ { "trust-paths", PERFDATA_OPTION_FLAG, 0, NULL,
	    "accept a file by its path if no build-id was recorded" },
	  OPTIONS_MATCH,
	  MEMBER(trust_paths) },
	{ { "kernel", PERFDATA_OPTION_CHOICE, 0, "yes|no", "whether the kernel and its modules count for the answer; "
							   "default yes" },
	  OPTIONS_MATCH,
	  MEMBER(kernel) },
};

const size_t option_table_nr = sizeof option_table / sizeof *option_table;

const struct general_option *general_option_at(size_t index)
{
	return index < option_table_nr ? &option_table[index] : NULL;
}
