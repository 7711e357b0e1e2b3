/* SPDX-License-Identifier: MIT */
/* Emitters format batches; a run moves the batches of a session through one or more emitters to their outputs, with any
 * number of threads and the same bytes for each.
 *
 *   configure  once, before the session is opened: what these options need        → needs, order, joins, names
 *   begin      once, when the recording's meta data is known                      → bytes
 *   scan       optional: every batch, in order, one thread: state across batches  → a small value for format
 *   format     every batch, any thread, a pure function of batch and value        → bytes (and a part for merge)
 *   merge      optional: every batch, in order: reductions                        → bytes
 *   end        once, with the summary                                             → bytes
 *
 * scan, format and merge run at the same time for different batches: scan and merge each own a part of the state,
 * format reads what neither changes. Findings may be reported in begin, scan, merge and end; they reach the program in
 * the calling thread, findings of merge in the order of the batches.
 *
 * Bytes leave in blocks. What format appends to `out` may leave at each perfdata_text_cut(out), which an emitter calls
 * at the end of each record or line, once it will not read or change the appended bytes again. Without such calls the
 * text of a whole batch stays in memory. After the call out->size may be less than before; nothing else changes. When
 * the output is slow, or batches before this one are not written yet, the call waits.
 *
 * An emitter is a table of functions, which the library copies; a loaded emitter exports it as `perfdata_emitter`. */
#ifndef PERFDATA_EMIT_H
#define PERFDATA_EMIT_H

#include "perfdata/base.h"
#include "perfdata/output.h"
#include "perfdata/session.h"
#include "perfdata/text.h"

#ifdef __cplusplus
extern "C" {
#endif

#define PERFDATA_EMITTER_ABI 3u

/* --- options of an emitter ---------------------------------------------------------------------------------------- */

enum perfdata_option_kind {
	PERFDATA_OPTION_FLAG,
	PERFDATA_OPTION_TEXT,
	PERFDATA_OPTION_NUMBER,
	PERFDATA_OPTION_CHOICE
};

/* An option of an emitter. Tables end with name NULL, and are walked by the emitter's option_size. */
struct perfdata_emitter_option {
	const char *name;               /* without dashes */
	enum perfdata_option_kind kind;
	char short_name;                /* 0 if none */
	const char *argument;           /* for help: "LIST", "N", "SIZE" (takes 64K, 1G); for CHOICE: "file|time" */
	const char *help;               /* one line */
};
/* A value that the user gave for an option. */
struct perfdata_emitter_option_value {
	const struct perfdata_emitter_option *option;
	const char *text;               /* NULL for a FLAG; "no" for --no-FLAG */
	uint64_t number;
};
/* When an option makes sense. Lists of options are "a|b"; "a=x" means option a with the value x. --no-FLAG is never
 * refused, and counts as an absent option. Tables end with name NULL. */
struct perfdata_option_rule {
	const char *name;
	const char *needs;              /* the option has an effect only with one of these; or NULL */
	const char *excludes;           /* with one of these it would change nothing, or contradict; or NULL */
	uint64_t least, most;           /* of a NUMBER; most 0: no limit */
};

/* --- configure ---------------------------------------------------------------------------------------------------- */

enum perfdata_tristate { PERFDATA_DEFAULT = 0, PERFDATA_YES = 1, PERFDATA_NO = 2 };

#define PERFDATA_CONFIGURE_TYPES 8
/* What an emitter needs from the session with these options. A library-owned view; before configure, its members are
 * set as the emitter's table says. */
struct perfdata_configuration {
	size_t size;
	const struct perfdata_emitter_option_value *options;
	size_t nr_options;
	enum perfdata_tristate names;       /* whether the user wants names of addresses looked up */
	struct perfdata_error *reterr;  /* for PERFDATA_EUSAGE */
	/* configure may change these. Where the user chose something (order, filters), the user's choice counts. */
	uint32_t needs;                 /* enum perfdata_needs */
	enum perfdata_record_order order;
	bool symbols;                   /* look up names, unless the user chose otherwise */
	bool merge_deferred;            /* join deferred callchains; set where the table's needs have DELIVERIES */
	bool keep_exited;               /* threads keep their names and maps after EXIT (perf report) */
	uint32_t types[PERFDATA_CONFIGURE_TYPES];   /* only records of these types */
	size_t nr_types;                /* 0: all */
	const char *event;              /* only records of this event; NULL: all */
	uint32_t trace_samples;         /* enum perfdata_trace_samples: made of traces */
	uint32_t off_cpu;               /* enum perfdata_off_cpu: what samples weigh */
	uint32_t spans;                 /* the next four as in perfdata_session_options */
	const char *span_states;
	bool no_state_frames;
	uint32_t wait_frame;            /* enum perfdata_wait_frame */
};
struct perfdata_emitter;

/* --- what the functions get --------------------------------------------------------------------------------------- */

/* The outputs of one emitter: number 0 is the output of its target. */
struct perfdata_outputs;

/* The arguments of begin. Borrowed during the call; reader, session and outputs live until after end. */
struct perfdata_emit_context {
	size_t size;
	const struct perfdata_reader *reader;
	const struct perfdata_session *session;
	const struct perfdata_emitter_option_value *options;
	size_t nr_options;
	enum perfdata_tristate names;       /* as in perfdata_configuration */
	bool shared_output;             /* several recordings share one output: name the file in each line */
	perfdata_finding_fn *on_finding;
	void *user;                     /* for on_finding */
	struct perfdata_error *reterr;  /* for PERFDATA_EUSAGE */
	void *emitter_user;             /* the emitter's `user` */
	struct perfdata_outputs *outputs;
	unsigned jobs;                  /* threads that format and encode; for perfdata_parallel in end */
	const char *recording;          /* what the recording is called in tables and shared outputs: never NULL */
	/* never NULL. With PERFDATA_EMITTER_ROWS: to be raised in merge and end by the rows that were written */
	uint64_t *rows;
	struct pd_profile_read *const *others;   /* for emitters of the library */
	size_t nr_others;
	struct pd_profile_kept *kept;            /* the same */
};

/* Memory of a worker thread that format and encode may use, kept from batch to batch, for caches that do not change the
 * bytes. */
struct perfdata_scratch {
	void *cache;                    /* for the emitter; NULL at first */
	void (*free_cache)(void *cache);
	struct perfdata_text text;      /* for intermediate spelling */
};

struct perfdata_emit_end {
	const struct perfdata_summary *summary;
	enum perfdata_status status;    /* PERFDATA_OK, or why the run stops early (PERFDATA_EINTR, …) */
	bool complete;
	const struct perfdata_finding *findings;   /* the first ones, as reported; strings borrowed during the call */
	size_t nr_findings;
	uint64_t findings_total;
	struct perfdata_error *reterr;  /* why end fails, where the status alone does not say it */
};

/* --- the emitter -------------------------------------------------------------------------------------------------- */

enum perfdata_emitter_flag {
	PERFDATA_EMITTER_SYMBOLS = 1,        /* looks up names by default */
	PERFDATA_EMITTER_ONE_DOCUMENT = 2,   /* an output can hold only one recording (json) */
	/* formatting costs less than reading: with few processors, the run leaves one to reading */
	PERFDATA_EMITTER_LIGHT = 4,
	/* the emitter itself reports damage inside records, as perfdata_batch_check would */
	PERFDATA_EMITTER_CHECKS = 8,
	/* writes nothing to output 0, only to named outputs. Output 0 is not made then */
	PERFDATA_EMITTER_ONLY_NAMED = 16,
	/* its bytes are compressed already: a suffix such as .gz compresses nothing again */
	PERFDATA_EMITTER_PACKED = 64,
	PERFDATA_EMITTER_MEMORY = 256,       /* writes recorded memory of processes (user_stack) */
	/* below a folder, each named output is a folder, with a file in it for each recording */
	PERFDATA_EMITTER_FOLDERS = 128,
	PERFDATA_EMITTER_ROWS = 512,         /* writes tables, and counts their rows */
	PERFDATA_EMITTER_AGAIN = 1024,       /* of the library; answers perfdata_result_ask */
};

/* What users have in mind when they choose an emitter: lists and help of a program group emitters by it. */
enum perfdata_emitter_task {
	PERFDATA_TASK_CONVERT,          /* data for other programs */
	PERFDATA_TASK_LOOK,             /* an answer to read */
	PERFDATA_TASK_VIEW,             /* a file for a viewer */
};

/* Members are only ever appended: `size` says which ones there are, and the others count as NULL. Strings and tables
 * must live as long as the emitter. */
struct perfdata_emitter {
	uint32_t abi;                   /* PERFDATA_EMITTER_ABI */
	uint32_t flags;                 /* enum perfdata_emitter_flag */
	size_t size;                    /* sizeof(struct perfdata_emitter) */
	const char *name;               /* also the command */
	const char *help;               /* one line */
	const char *mime;               /* "application/json"; NULL: text/plain */
	const char *suffix;             /* of named outputs (tables), without the dot; NULL: the name */
	uint32_t needs;                 /* enum perfdata_needs, before configure */
	uint32_t option_size;           /* sizeof(struct perfdata_emitter_option) */
	const struct perfdata_emitter_option *options;   /* or NULL */
	void *user;                     /* for the emitter, in all of its runs */
	void (*destroy)(void *user);    /* once, when the registry that holds it is freed */
	/* Optional. PERFDATA_EUSAGE with a message for a wrong option. */
	enum perfdata_status (*configure)(void *user, struct perfdata_configuration *configuration);
	/* *ret_state is freed by `release`. PERFDATA_EUSAGE with a message for a wrong option. */
	enum perfdata_status (*begin)(const struct perfdata_emit_context *context, void **ret_state,
				      struct perfdata_text *out);
	/* *ret_value goes to format; free_value frees it. */
	enum perfdata_status (*scan)(void *state, const struct perfdata_batch *batch, void **ret_value);
	/* state is shared by threads: read only. *ret_part goes to merge. */
	enum perfdata_status (*format)(const void *state, const struct perfdata_batch *batch, void *value,
				       struct perfdata_scratch *scratch, struct perfdata_text *out, void **ret_part);
	/* Takes over `part`. */
	enum perfdata_status (*merge)(void *state, void *part, struct perfdata_text *out);
	enum perfdata_status (*end)(void *state, const struct perfdata_emit_end *end, struct perfdata_text *out);
	void (*free_value)(void *value);
	void (*free_part)(void *part);  /* called for a part that merge will not see, since something failed before */
	void (*release)(void *state);
	enum perfdata_emitter_task task;
	/* of its options; conversions and programs refuse values against them before any work; or NULL */
	const struct perfdata_option_rule *option_rules;
	const struct pd_profile_others *others;   /* of emitters of the library; else NULL */
};

/* The option's value (the last one, if there are several), or NULL if the option is absent. */
PERFDATA_API const char *perfdata_option_text(const struct perfdata_emitter_option_value *options, size_t nr_options,
					      const char *name);
PERFDATA_API bool perfdata_option_flag(const struct perfdata_emitter_option_value *options, size_t nr_options,
				       const char *name, bool otherwise);
PERFDATA_API uint64_t perfdata_option_number(const struct perfdata_emitter_option_value *options, size_t nr_options,
					     const char *name, uint64_t otherwise);

/* --- the run ------------------------------------------------------------------------------------------------------ */

/* An emitter and where it writes. */
struct perfdata_target {
	size_t size;
	const struct perfdata_emitter *emitter;
	const struct perfdata_emitter_option_value *options;   /* options of the emitter */
	size_t nr_options;
	enum perfdata_tristate names;               /* for perfdata_emit_context */
	struct perfdata_output *output;         /* borrowed; opened by the run if it is not open */
	uint64_t *rows;                         /* of this emitter alone, instead of the run's; or NULL */
	struct pd_profile_read *const *others;      /* for emitters of the library; or NULL */
	size_t nr_others;
	struct pd_profile_kept *kept;               /* the same */
};
struct perfdata_run_options {
	size_t size;
	unsigned jobs;                          /* formatting threads; 0: as many as there are processors */
	bool shared_output;
	const struct perfdata_cancel *cancel;   /* stops early with PERFDATA_EINTR; may be NULL */
	perfdata_finding_fn *on_finding;        /* findings of formatting, in order of the records */
	void *user;                             /* for on_finding */
	/* returns the findings reported so far, for end; may be NULL */
	const struct perfdata_finding *(*findings)(void *findings_user, size_t *ret_nr, uint64_t *ret_total);
	void *findings_user;
	const char *recording;                  /* for perfdata_emit_context; NULL: the name of its file */
	/* for perfdata_emit_context; raised by all emitters that count rows, but those whose target has a number */
	uint64_t *rows;
};

/* Calls work(user, index) for each index below `count` in up to `jobs` threads (0: processors) and waits. */
PERFDATA_API enum perfdata_status perfdata_parallel(size_t count, unsigned jobs, void (*work)(void *user, size_t index),
						    void *user);
/* Number of processors that this process may use. */
PERFDATA_API unsigned perfdata_processors(void);

#ifdef __cplusplus
}
#endif

#endif
