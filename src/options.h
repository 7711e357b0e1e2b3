/* SPDX-License-Identifier: MIT */
/* The general options: one table for parsing, help, shell completion and the man page. */
#ifndef OPTIONS_H
#define OPTIONS_H

#include "exit_codes.h"
#include "messages.h"
#include "perfdata/bundle.h"
#include "perfdata/emit.h"

/* Groups of options: struct command.groups says which groups a command takes. */
enum option_group {
	OPTIONS_GENERAL = 1 << 0,     /* every command */
	/* options of INPUT except those of `diff`, whose --max-ratio means something else */
	OPTIONS_UNPACK = 1 << 1,
	OPTIONS_INPUT = 1 << 2 | OPTIONS_UNPACK,   /* commands that read recordings */
	OPTIONS_LIST = 1 << 3,        /* commands that take any number of recordings */
	OPTIONS_FILTER = 1 << 4,
	OPTIONS_SYMBOLS = 1 << 5,
	OPTIONS_OUTPUT = 1 << 6,      /* conversions */
	OPTIONS_BATCH = 1 << 7,       /* conversions with -o DIR/ */
	OPTIONS_TO = 1 << 8,          /* convert */
	OPTIONS_JSON = 1 << 9,        /* commands with --json */
	OPTIONS_TSV = 1 << 10,        /* commands with --tsv */
	OPTIONS_JUNIT = 1 << 11,      /* check, match, diff */
	OPTIONS_REPORT = 1 << 12,     /* commands with --summary */
	OPTIONS_PERF = 1 << 13,       /* commands with --perf: the answer as perf prints it */
	OPTIONS_STATS = 1 << 14,      /* info, overview */
	OPTIONS_HITS = 1 << 15,       /* buildids */
	OPTIONS_COLUMNS = 1 << 16,    /* schema */
	OPTIONS_RECORDING = 1 << 17,  /* commands that write a recording: rewrite, repair, anonymize */
	OPTIONS_REWRITE = 1 << 18,
	OPTIONS_ANONYMIZE = 1 << 19,
	OPTIONS_CHECK = 1 << 20,      /* check */
	OPTIONS_MATCH = 1 << 21,      /* match */
	OPTIONS_BUNDLE = 1 << 22,     /* bundle */
	OPTIONS_DIFF = 1 << 23,       /* diff */
	/* in no command's groups: options that change the content of outputs, besides all of FILTER and SYMBOLS;
	 * options_made_with lists them */
	OPTIONS_CHANGES_CONTENT = 1 << 24,
	/* in no command's groups: options of `diff` that need a comparison to have an effect */
	OPTIONS_COMPARES = 1 << 25,
	/* in no row: the command looks up names by default, like emitters with PERFDATA_EMITTER_SYMBOLS */
	OPTIONS_NAMES = 1 << 26,
	/* in no row: the command takes arguments that are not recordings */
	OPTIONS_WORDS = 1 << 28,
	/* in no command's groups: options that have no effect if no names are looked up, besides all of SYMBOLS except
	 * `symbols` */
	OPTIONS_OF_NAMES = 1 << 27,
};

struct number_list { uint64_t *values; size_t nr, room; };
struct text_list { const char **values; size_t nr, room; };

/* Recordings compress less than this: higher ratios are attempts to fill memory or disk. */
#define DEFAULT_MAX_RATIO 1000

#define MOST_OTHER_FORMATS 15
#define DEFAULT_MAX_MEMORY ((uint64_t)256 << 20)   /* the library's default */

struct input_list;
struct kept_input { const char *file; int fd; };   /* kept_inputs.h; the name is borrowed */
struct given_option { size_t row; const char *text; bool no; };

/* The values of all options. Texts are borrowed from argv. */
struct options {
	struct message_style style;
	bool help, version;
	/* a list of files is unusable: exit code of a wrong input, not of a wrong command line */
	bool list_unreadable;
	bool no_memory;          /* parsing failed because memory ran out */
	/* input */
	struct text_list files;                      /* after inputs_find: borrowed from `inputs` */
	struct input_list *inputs;                   /* made by input_list_make */
	struct kept_input *kept;
	size_t nr_kept, kept_room;
	struct text_list lists_of_files;
	bool null, recursive;
	const char *relative_to, *shard;
	bool strict;
	struct perfdata_memory *memory;              /* the account of all inputs, with limit max_memory */
	uint64_t max_memory, max_ratio, max_spool;   /* bytes; 0: the library's default; max_ratio 0: no limit */
	const char *tmpdir, *progress;
	/* questions */
	bool sarif;
	const char *annotate;
	const char *table;           /* of schema */
	bool json, junit, tsv, perf, perf_stats, with_hits, columns, manual;
	/* match */
	struct text_list roots, flats, files_at_hand, debug_dirs, lists, others, required;
	const char *min_matched, *min_named, *min_weight, *kernel;
	bool search, trust_paths, require_same;
	/* bundle */
	const char *level;
	uint64_t max_file, max_total;
	bool all;
	const char *sort;        /* buildids */
	/* diff */
	struct text_list befores, afters;
	struct text_list *next_files;   /* while parsing: list for the next FILE arguments; NULL: `files` */
	struct text_list same_symbols, same_files, same_comms, despite;
	const char *save, *by, *weight, *normalize, *units, *min_share, *max_increase, *max_rise, *max_growth, *alpha,
		*dispersion, *adjust;
	const char *quantities, *inlines, *allow;
	bool exact_symbols, markdown, no_gate, wide;
	uint64_t top;
	/* output */
	const char *to, *emitter_file, *output, *order;
	bool force, no_meta;
	const char *name, *pack, *summary;
	bool resume, damaged_ok, fail_fast;
	uint64_t jobs, limit;
	const struct perfdata_emitter *emitter;
	const struct perfdata_emitter *more_emitters[MOST_OTHER_FORMATS];   /* --to A,B,…: the emitters from B on */
	size_t nr_more_emitters;
	struct perfdata_registry *registry;     /* has the emitter of --emitter; NULL: emitters of the library */
	struct perfdata_emitter_option_value *values;   /* options of emitters */
	size_t nr_values, values_room;
	struct given_option *given;             /* general options in the order of the command line */
	size_t nr_given, given_room;
	/* options for written recordings */
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
	struct perfdata_bundle_files *bundle;   /* open bundle of symbols_from; set by symbols_open */
	const char *symbols, *symfs, *sysroot, *kallsyms, *vmlinux;
	const char *symfs_folder;               /* folder of symfs without its layout; set by symbols_open */
	bool symfs_flat;
	struct text_list made;                  /* texts to free */
	bool raw_names;                         /* under perf's name: do not demangle */
	/* under perf's name */
	bool samples_only;                      /* filters apply to samples only */
	bool short_header;                      /* of `info --perf` */
	unsigned event_lines;                   /* of `events --perf`: enum perf_event_lines; 0: the attr */
	bool debuginfod;
	const char *recorded_names;
	bool show_art_frames;
};

static inline uint64_t max_memory_of(const struct options *options)
{
	return options->max_memory ? options->max_memory : DEFAULT_MAX_MEMORY;
}

/* A row of the table of options. */
struct general_option {
	struct perfdata_emitter_option option;
	unsigned groups;
	/* offset in struct options of a bool (FLAG), const char * (TEXT, CHOICE) or uint64_t (NUMBER) */
	size_t member;
	struct perfdata_option_rule rule;   /* its name is not set */
	bool is_list;            /* the option may be repeated; the member is a struct text_list */
	/* parses the text instead of storing it in `member`; NULL: store it. False after a message */
	bool (*set)(struct options *options, const struct perfdata_emitter_option *option, const char *text);
};
/* Returns row `index` of the table; NULL after the last row. */
const struct general_option *general_option_at(size_t index);

/* Parses argv, which begins after the command's name. Accepts options of `groups` and of options->emitter (may be
 * NULL). False after a message. */
bool options_parse(struct options *options, unsigned groups, int argc, char **argv);
/* Adds a FILE as if it were on the command line. False after a message. */
bool options_add_file(struct options *options, const char *file);
/* Sets option `name` of the emitter, unless the emitter lacks it or the user set it. The text is borrowed. False after
 * a message. */
bool options_default(struct options *options, const char *name, const char *text);
/* The formats and all given options that change the content of outputs, in the order of the tables: equal if only the
 * order of options differs. For free(); NULL without memory. */
char *options_made_with(const struct options *options);
/* The value of --pack. */
enum perfdata_packing options_packing(const struct options *options);
void options_release(struct options *options);

/* Reads only --to and --emitter from argv, since options_parse needs the emitter's options. */
void options_find_emitter(struct options *options, int argc, char **argv);

#endif
