/* SPDX-License-Identifier: MIT */
/* Emitters format batches. A run passes the batches of a session to one or more emitters and writes their outputs. The
 * number of threads does not change the output.
 *
 *   configure  once, before the session is opened: what the options require      → needs, order, joins, names
 *   begin      once, when the recording's meta data is known                      → bytes
 *   scan       optional: every batch, in order, one thread: state across batches  → a small value for format
 *   format     every batch, any thread, a pure function of batch and value        → bytes (and a part for merge)
 *   merge      optional: every batch, in order: reductions                        → bytes
 *   end        once, with the summary                                             → bytes
 *
 * scan, format and merge run concurrently for different batches: scan and merge each own a part of the state, and
 * format reads only the rest. begin, scan, merge and end may report findings; the program receives them in the thread
 * that called it, findings of merge in the order of the batches.
 *
 * Text is written in blocks. format calls perfdata_text_cut(out) at the end of each record or line to say that it will
 * not read or change the text before; the run may then write this text, which lowers out->size. The call may wait for a
 * slow output or for earlier batches. Without such calls the text of a whole batch stays in memory.
 *
 * An emitter is a table of functions, which the library copies. A shared object exports its table as
 * `perfdata_emitter`. */
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

/* An option of an emitter. Tables end with name NULL; the emitter's option_size is the distance of two entries. */
struct perfdata_emitter_option {
	const char *name;               /* without dashes */
	enum perfdata_option_kind kind;
	char short_name;                /* 0 if none */
	/* shown in help: "LIST", "N", "SIZE" (takes 64K, 1G); for CHOICE: "file|time" */
	const char *argument;
	const char *help;               /* one line */
};
/* The value of an option. */
struct perfdata_emitter_option_value {
	const struct perfdata_emitter_option *option;
	const char *text;               /* NULL for a FLAG; "no" for --no-FLAG */
	uint64_t number;
};
/* With which other options an option can be used. Lists of options are "a|b"; "a=x" means option a with the value x.
 * --no-FLAG is always accepted and counts as an absent option. Tables end with name NULL. */
struct perfdata_option_rule {
	const char *name;
	const char *needs;              /* the option needs one of these to have an effect; or NULL */
	const char *excludes;           /* the option has no effect with, or contradicts, each of these; or NULL */
	uint64_t least, most;           /* of a NUMBER; most 0: no limit */
};

/* --- configure ---------------------------------------------------------------------------------------------------- */

enum perfdata_tristate { PERFDATA_DEFAULT = 0, PERFDATA_YES = 1, PERFDATA_NO = 2 };

#define PERFDATA_CONFIGURE_TYPES 8
/* What an emitter with these options needs from the session. The library owns the struct, and sets its members from the
 * emitter's table before it calls configure. */
struct perfdata_configuration {
	size_t size;
	const struct perfdata_emitter_option_value *options;
	size_t nr_options;
	enum perfdata_tristate names;       /* whether the user wants names of addresses looked up */
	struct perfdata_error *reterr;  /* for PERFDATA_EUSAGE */
	/* Members that configure may change. Where the user chose something (order, filters), the user's choice
	 * counts. */
	uint32_t needs;                 /* enum perfdata_needs */
	enum perfdata_record_order order;
	bool symbols;                   /* look up names, unless the user chose otherwise */
	/* join deferred callchains; default: true if the table's needs have DELIVERIES */
	bool merge_deferred;
	bool keep_exited;               /* threads keep their names and maps after EXIT (perf report) */
	uint32_t types[PERFDATA_CONFIGURE_TYPES];   /* only records of these types */
	size_t nr_types;                /* 0: all */
	const char *event;              /* only records of this event; NULL: all */
	uint32_t trace_samples;         /* enum perfdata_trace_samples: which samples are made from traces */
	uint32_t off_cpu;               /* enum perfdata_off_cpu: the weight of samples */
	uint32_t spans;                 /* this member and the next three are those of perfdata_session_options */
	const char *span_states;
	bool no_state_frames;
	uint32_t wait_frame;            /* enum perfdata_wait_frame */
	bool no_stack_copies;           /* as in perfdata_session_options; default: false */
};
struct perfdata_emitter;

/* --- what the functions get --------------------------------------------------------------------------------------- */

/* The outputs of one emitter. Output 0 is the output of its target. */
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
	const char *recording;          /* name of the recording in tables and shared outputs; never NULL */
	/* never NULL. With PERFDATA_EMITTER_ROWS, merge and end add the number of rows that they wrote */
	uint64_t *rows;
	struct pd_profile_read *const *others;   /* emitters of the library only */
	size_t nr_others;
	struct pd_profile_kept *kept;            /* the same */
	/* never NULL. begin may set it if format will read no steps of callchains (perfdata_batch_stack), although the
	 * emitter's needs have STACKS: with such emitters alone, the session gathers no stacks of files */
	bool *reads_no_stacks;
};

/* Memory of a worker thread for format and encode, kept from batch to batch, such as caches. It must not affect the
 * output. */
struct perfdata_scratch {
	void *cache;                    /* for the emitter; NULL at first */
	void (*free_cache)(void *cache);
	struct perfdata_text text;      /* for intermediate text */
};

struct perfdata_emit_end {
	const struct perfdata_summary *summary;
	enum perfdata_status status;    /* PERFDATA_OK, or why the run ends early (PERFDATA_EINTR, …) */
	bool complete;
	const struct perfdata_finding *findings;   /* the first findings; strings are borrowed during the call */
	size_t nr_findings;
	uint64_t findings_total;
	struct perfdata_error *reterr;  /* details if end fails; may be NULL */
};

/* --- the emitter -------------------------------------------------------------------------------------------------- */

enum perfdata_emitter_flag {
	PERFDATA_EMITTER_SYMBOLS = 1,        /* looks up names unless the user says otherwise */
	PERFDATA_EMITTER_ONE_DOCUMENT = 2,   /* an output holds only one recording (json) */
	/* formatting takes less time than reading: on a machine with few processors, one is left to the reader */
	PERFDATA_EMITTER_LIGHT = 4,
	/* calls perfdata_batch_check itself, or reports the same damage */
	PERFDATA_EMITTER_CHECKS = 8,
	/* writes named outputs only; output 0 is not created */
	PERFDATA_EMITTER_ONLY_NAMED = 16,
	/* output is compressed data: a suffix such as .gz does not compress it again */
	PERFDATA_EMITTER_PACKED = 64,
	PERFDATA_EMITTER_MEMORY = 256,       /* writes memory of recorded processes (user_stack) */
	/* each named output is a folder with one file for each recording */
	PERFDATA_EMITTER_FOLDERS = 128,
	PERFDATA_EMITTER_ROWS = 512,         /* writes tables and counts their rows */
	PERFDATA_EMITTER_AGAIN = 1024,       /* supports perfdata_result_ask; emitters of the library only */
};

/* What users want when they choose an emitter. The program groups emitters by task in lists and help. */
enum perfdata_emitter_task {
	PERFDATA_TASK_CONVERT,          /* data for other programs */
	PERFDATA_TASK_LOOK,             /* an answer to read */
	PERFDATA_TASK_VIEW,             /* a file for a viewer */
};

/* New members are appended only: `size` says which members exist, missing ones count as NULL. Strings and tables must
 * live as long as the emitter. */
struct perfdata_emitter {
	uint32_t abi;                   /* PERFDATA_EMITTER_ABI */
	uint32_t flags;                 /* enum perfdata_emitter_flag */
	size_t size;                    /* sizeof(struct perfdata_emitter) */
	const char *name;               /* also the name of the command */
	const char *help;               /* one line */
	const char *mime;               /* "application/json"; NULL: text/plain */
	const char *suffix;             /* of named outputs (tables), without the dot; NULL: `name` */
	uint32_t needs;                 /* enum perfdata_needs; configure may change them */
	uint32_t option_size;           /* sizeof(struct perfdata_emitter_option) */
	const struct perfdata_emitter_option *options;   /* or NULL */
	void *user;                     /* passed to `configure` and `destroy`; begin finds it in its context */
	void (*destroy)(void *user);    /* called once, when the registry with the emitter is freed */
	/* Optional. PERFDATA_EUSAGE with a message for a wrong option. */
	enum perfdata_status (*configure)(void *user, struct perfdata_configuration *configuration);
	/* `release` frees *ret_state. PERFDATA_EUSAGE with a message for a wrong option. */
	enum perfdata_status (*begin)(const struct perfdata_emit_context *context, void **ret_state,
				      struct perfdata_text *out);
	/* *ret_value is passed to format; free_value frees it. */
	enum perfdata_status (*scan)(void *state, const struct perfdata_batch *batch, void **ret_value);
	/* `state` is shared by threads: read only. *ret_part is passed to merge, or to free_part. */
	enum perfdata_status (*format)(const void *state, const struct perfdata_batch *batch, void *value,
				       struct perfdata_scratch *scratch, struct perfdata_text *out, void **ret_part);
	/* Takes ownership of `part`. */
	enum perfdata_status (*merge)(void *state, void *part, struct perfdata_text *out);
	enum perfdata_status (*end)(void *state, const struct perfdata_emit_end *end, struct perfdata_text *out);
	void (*free_value)(void *value);
	void (*free_part)(void *part);  /* called instead of merge after a failure */
	void (*release)(void *state);
	enum perfdata_emitter_task task;
	/* rules of the emitter's options; conversions and programs check them before any work; or NULL */
	const struct perfdata_option_rule *option_rules;
	const struct pd_profile_others *others;   /* emitters of the library only; else NULL */
};

/* The option's value, the last one if there are several; NULL if the option is absent. */
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
	/* counts the rows of this emitter, instead of the run's counter; or NULL */
	uint64_t *rows;
	struct pd_profile_read *const *others;      /* emitters of the library only; or NULL */
	size_t nr_others;
	struct pd_profile_kept *kept;               /* the same */
};
struct perfdata_run_options {
	size_t size;
	unsigned jobs;                          /* formatting threads; 0: as many as there are processors */
	bool shared_output;
	const struct perfdata_cancel *cancel;   /* ends the run with PERFDATA_EINTR; may be NULL */
	perfdata_finding_fn *on_finding;        /* receives findings of formatting, in the order of the records */
	void *user;                             /* for on_finding */
	/* returns all findings so far, for `end`; may be NULL */
	const struct perfdata_finding *(*findings)(void *findings_user, size_t *ret_nr, uint64_t *ret_total);
	void *findings_user;
	const char *recording;                  /* for perfdata_emit_context; NULL: name of the file */
	/* for perfdata_emit_context: all emitters with tables add their rows, except those whose target has a
	 * counter */
	uint64_t *rows;
};

/* Calls work(user, index) for each index below `count` in up to `jobs` threads (0: as many as there are processors),
 * and returns when all calls have returned. */
PERFDATA_API enum perfdata_status perfdata_parallel(size_t count, unsigned jobs, void (*work)(void *user, size_t index),
						    void *user);
/* Number of processors that this process may use. */
PERFDATA_API unsigned perfdata_processors(void);

#ifdef __cplusplus
}
#endif

#endif
