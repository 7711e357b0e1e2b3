/* SPDX-License-Identifier: MIT */
/* The general options: one table, from which parsing, help and the man page come. */
#ifndef OPTIONS_H
#define OPTIONS_H

#include "exit_codes.h"
#include "messages.h"
#include "perfdata/bundle.h"
#include "perfdata/emit.h"

/* Which options a command takes. */
enum option_group {
	OPTIONS_GENERAL = 1,     /* every command */
	OPTIONS_UNPACK = 1 << 19,   /* of INPUT, what diff calls by another name */
	OPTIONS_INPUT = 2 | OPTIONS_UNPACK,   /* commands that read recordings */
	OPTIONS_JSON = 4,        /* questions that can be answered as JSON */
	OPTIONS_OUTPUT = 8,      /* conversions */
	OPTIONS_FILTER = 16,
	OPTIONS_SYMBOLS = 32,
	OPTIONS_TO = 64,         /* convert: which format */
	OPTIONS_PERF = 128,      /* questions that perf answers too */
	OPTIONS_STATS = 256,     /* info */
	OPTIONS_HITS = 512,      /* buildids */
	OPTIONS_COLUMNS = 1024,  /* schema */
	OPTIONS_RECORDING = 4096,   /* recordings as output: rewrite, repair */
	OPTIONS_REWRITE = 8192,
	OPTIONS_ANONYMIZE = 16384,
	OPTIONS_JUNIT = 2048,    /* check, match */
	OPTIONS_BUNDLE = 1 << 22,   /* bundle */
	OPTIONS_TSV = 1 << 20,      /* questions that can be answered as a table */
	OPTIONS_MATCH = 1 << 21,    /* match: where to look, and what is asked for */
	OPTIONS_DIFF = 1 << 23,     /* diff */
	OPTIONS_LIST = 1 << 24,     /* commands that take any number of recordings */
	OPTIONS_BATCH = 1 << 25,    /* conversions of many */
	OPTIONS_REPORT = 1 << 26,   /* commands that tell about each input how it ended */
	OPTIONS_CHECK = 1 << 28,    /* check */
	/* no command's: what an output holds depends on it, as on those of FILTER and SYMBOLS */
	OPTIONS_SHAPE = 1 << 27,
};

struct number_list { uint64_t *values; size_t nr, room; };
struct text_list { const char **values; size_t nr, room; };

/* No recording packs so well; what does fills disks. */
#define DEFAULT_MAX_RATIO 1000

#define MOST_OTHER_FORMATS 15
#define DEFAULT_MAX_MEMORY ((uint64_t)256 << 20)   /* the library's */

struct input_list;
struct given_option { size_t row; const char *text; bool no; };

/* What the user asked for. Texts are borrowed from argv. */
struct options {
	struct message_style style;
	bool help, version;
	bool no_memory;          /* ran out of it: no fault of the command line */
	/* input */
	struct text_list files;                      /* behind inputs_find: borrowed from `inputs` */
	struct input_list *inputs;                   /* the recordings with their names */
	struct text_list lists_of_files;
	bool null, recursive;
	const char *relative_to, *shard;
	bool strict;
	struct perfdata_memory *memory;              /* with the limit max_memory */
	uint64_t max_memory, max_ratio, max_spool;   /* 0: the library's default; max_ratio: no limit */
	const char *tmpdir, *progress;
	/* questions */
	bool sarif;
	const char *annotate;
	const char *table;           /* of schema */
	bool json, junit, tsv, perf, perf_stats, with_hits, columns, manual;
	/* match */
	struct text_list roots, files_at_hand, debug_dirs, lists, others, required;
	const char *min_matched, *min_named, *min_weight, *kernel;
	bool search, trust_paths, require_same;
	/* bundle */
	const char *level;
	uint64_t max_file, max_total;
	bool all;
	const char *sort;        /* buildids */
	/* diff */
	struct text_list befores, afters, *more;   /* more: where files behind --before and --after go */
	struct text_list same_symbols, same_files, same_comms, despite;
	const char *save, *by, *weight, *normalize, *units, *min_share, *max_increase, *max_rise, *max_growth, *alpha,
		*dispersion, *adjust;
	const char *quantities, *inlines, *allow;
	bool exact_symbols, markdown, no_gate;
	uint64_t top;
	/* output */
	const char *to, *emitter_file, *output, *order;
	bool force, no_meta;
	const char *name, *pack, *summary;
	bool resume, damaged_ok, fail_fast;
	uint64_t jobs, limit;
	const struct perfdata_emitter *emitter;
	const struct perfdata_emitter *more_emitters[MOST_OTHER_FORMATS];   /* of --to A,B,…: all but the first */
	size_t nr_more_emitters;
	struct perfdata_registry *registry;     /* with what --emitter loaded; NULL: the emitters of the library */
	struct perfdata_emitter_option_value *values;   /* of the emitter's own options */
	size_t nr_values, values_room;
	struct given_option *given;             /* the general ones, as they came */
	size_t nr_given, given_room;
	/* recordings as output */
	const char *form, *compress, *byte_order, *for_perf;
	const char *key, *keep, *mapping;
	struct text_list renames;
	bool add_build_ids;
	/* filters */
	const char *time;
	struct number_list pids, tids, cpus, types;
	struct text_list comms, events, dsos, symbol_names;
	/* symbols */
	const char *symbols_from;
	struct perfdata_bundle_files *bundle;   /* of symbols_from; opened by symbols_open_bundle */
	const char *symbols, *symfs, *sysroot, *kallsyms, *vmlinux;
	bool debuginfod;
};

/* A row of the table. */
struct general_option {
	struct perfdata_emitter_option option;
	unsigned groups;
	/* offsetof in struct options of a bool (FLAG), const char * (TEXT, CHOICE) or uint64_t (NUMBER) */
	size_t member;
	bool is_list;            /* the member is a struct text_list, and the option may be given several times */
	/* Instead of `member`: takes the text; false after a message. */
	bool (*set)(struct options *options, const struct perfdata_emitter_option *option, const char *text);
};
/* Row number `index`, or NULL behind the last. */
const struct general_option *general_option_at(size_t index);

/* Parses argv (behind the command's name) by the groups and the options of options->emitter, which may be NULL. False
 * after a message. */
bool options_parse(struct options *options, unsigned groups, int argc, char **argv);
/* As if it stood on the command line. False after a message. */
bool options_add_file(struct options *options, const char *file);
/* An option of the emitter, where it has one of that name that was not given; the text is borrowed. False after a
 * message. */
bool options_default(struct options *options, const char *name, const char *text);
/* All that was said about what an output holds: formats, their options, filters, symbols, in one order and spelling.
 * For free(); NULL without memory. */
char *options_made_with(const struct options *options);
/* What --pack asks for. */
enum perfdata_packing options_packing(const struct options *options);
void options_release(struct options *options);

/* Finds the values of --to and --emitter, since the emitter's options must be known to parse the rest. */
void options_find_emitter(struct options *options, int argc, char **argv);

#endif
