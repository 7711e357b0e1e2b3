/* Emitters spell batches; a run moves batches through an emitter to a sink with any number of threads and the same bytes for each.
 *
 *   begin    once, when the recording's meta data is known                    → bytes
 *   scan     optional: every batch, in order, one thread: state across batches → a small value for format
 *   format   every batch, any thread, a pure function of batch and value       → bytes (and a part for merge)
 *   merge    optional: every batch, in order: reductions                       → bytes
 *   end      once, with the summary                                            → bytes
 *
 * scan, format and merge run at the same time for different batches: scan and merge each own a part of the state, format reads
 * what neither changes. Findings may be reported in begin, scan, merge and end; they reach the program in the thread that
 * called perfdata_run, those of merge in the order of the batches.
 *
 * An emitter lives in a table of functions; `perfdata --emitter FILE.so` loads one that exports `perfdata_emitter`. */
#ifndef PERFDATA_EMIT_H
#define PERFDATA_EMIT_H

#include "perfdata/base.h"
#include "perfdata/session.h"
#include "perfdata/text.h"

#ifdef __cplusplus
extern "C" {
#endif

#define PERFDATA_EMITTER_ABI 1u

enum perfdata_option_kind { PERFDATA_OPTION_FLAG, PERFDATA_OPTION_TEXT, PERFDATA_OPTION_NUMBER, PERFDATA_OPTION_CHOICE };

/* An option of an emitter. Tables end with name NULL. */
struct perfdata_emitter_option {
	const char *name;               /* without dashes */
	enum perfdata_option_kind kind;
	char short_name;                /* 0 if none */
	const char *argument;           /* for help: "LIST", "N"; for CHOICE: "file|time" */
	const char *help;               /* one line */
};
/* A value that the user gave for an option. */
struct perfdata_emitter_option_value {
	const struct perfdata_emitter_option *option;
	const char *text;               /* NULL for a FLAG; "no" for --no-FLAG */
	uint64_t number;
};

/* What begin gets. Borrowed during the call; reader and session live until after end. */
struct perfdata_emit_context {
	size_t size;
	const struct perfdata_reader *reader;
	const struct perfdata_session *session;
	const struct perfdata_emitter_option_value *options;
	size_t nr_options;
	bool shared_output;             /* several recordings share one output: name the file in each line */
	perfdata_finding_fn *on_finding;
	void *user;
	struct perfdata_error *reterr;  /* for PERFDATA_EUSAGE */
};

/* What format may use besides the batch: memory of the worker thread, kept from batch to batch, for caches that do not change the bytes. */
struct perfdata_scratch {
	void *cache;                    /* the emitter's, NULL at first */
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
};

struct perfdata_emitter {
	uint32_t abi;                   /* PERFDATA_EMITTER_ABI */
	const char *name;               /* also the command */
	const char *help;               /* one line */
	uint32_t needs;                 /* enum perfdata_needs; begin may not change it, see needs_for */
	bool symbols;                   /* looks up names by default */
	bool one_document;              /* an output holds one recording (json, csv) */
	bool light;                     /* formatting costs less than reading: with few processors, one is better spent there */
	bool checks;                    /* reports what is damaged inside records itself, as perfdata_batch_check would */
	const struct perfdata_emitter_option *options;   /* or NULL */
	/* Optional: the needs for these options, or 0 for the default. */
	uint32_t (*needs_for)(const struct perfdata_emitter_option_value *options, size_t nr_options);
	/* Optional: the order of records for these options, where the user does not say; without it, time. */
	enum perfdata_record_order (*order_for)(const struct perfdata_emitter_option_value *options, size_t nr_options);
	/* *ret_state is freed by `release`. PERFDATA_EUSAGE with a message for a wrong option. */
	enum perfdata_status (*begin)(const struct perfdata_emit_context *context, void **ret_state, struct perfdata_text *out);
	/* *ret_value goes to format; free_value frees it. */
	enum perfdata_status (*scan)(void *state, const struct perfdata_batch *batch, void **ret_value);
	/* state is shared by threads: read only. *ret_part goes to merge. */
	enum perfdata_status (*format)(const void *state, const struct perfdata_batch *batch, void *value,
				       struct perfdata_scratch *scratch, struct perfdata_text *out, void **ret_part);
	/* Takes over `part`. */
	enum perfdata_status (*merge)(void *state, void *part, struct perfdata_text *out);
	enum perfdata_status (*end)(void *state, const struct perfdata_emit_end *end, struct perfdata_text *out);
	void (*free_value)(void *value);
	void (*free_part)(void *part);  /* of a part that merge will not see, since something failed before */
	void (*release)(void *state);
};

/* The option's value, or NULL if it was not given (the last one wins). */
PERFDATA_API const char *perfdata_option_text(const struct perfdata_emitter_option_value *options, size_t nr_options, const char *name);
PERFDATA_API bool perfdata_option_flag(const struct perfdata_emitter_option_value *options, size_t nr_options, const char *name, bool otherwise);
PERFDATA_API uint64_t perfdata_option_number(const struct perfdata_emitter_option_value *options, size_t nr_options, const char *name, uint64_t otherwise);

/* The emitters that come with the library, by index from 0 until NULL, and by name (NULL: there is none). */
PERFDATA_API const struct perfdata_emitter *perfdata_builtin_emitter(size_t index);
PERFDATA_API const struct perfdata_emitter *perfdata_builtin_emitter_named(const char *name);

/* --- sinks --------------------------------------------------------------------------------------------------------- */

/* Where bytes go: a descriptor, or a path that is written under a temporary name and renamed at the end. Packed by the suffix .gz or .zst;
 * what ends in .xz is PERFDATA_EUNSUP, since it would be written decompressed. */
struct perfdata_sink;
/* Whether the suffix asks for nothing that cannot be done. Opens nothing; reterr may be NULL. */
PERFDATA_API enum perfdata_status perfdata_sink_check_path(const char *path, struct perfdata_error *reterr);
enum perfdata_sink_flag { PERFDATA_SINK_FORCE = 1 /* replace an existing file */ };
PERFDATA_API enum perfdata_status perfdata_sink_open_path(const char *path, unsigned flags, struct perfdata_sink **ret, struct perfdata_error *reterr);
/* The descriptor is not closed. */
PERFDATA_API enum perfdata_status perfdata_sink_open_fd(int fd, struct perfdata_sink **ret, struct perfdata_error *reterr);
PERFDATA_API enum perfdata_status perfdata_sink_write(struct perfdata_sink *sink, const void *bytes, size_t size);
/* Writes what is buffered (for streams: so that lines leave early). */
PERFDATA_API enum perfdata_status perfdata_sink_flush(struct perfdata_sink *sink);
/* Ends packing, renames with `keep`, removes the temporary file without; frees the sink. PERFDATA_EWRITE sets reterr. */
PERFDATA_API enum perfdata_status perfdata_sink_close(struct perfdata_sink *sink, bool keep, struct perfdata_error *reterr);
PERFDATA_API uint64_t perfdata_sink_written(const struct perfdata_sink *sink);   /* bytes before packing */

/* --- the run ------------------------------------------------------------------------------------------------------- */

struct perfdata_run_options {
	size_t size;
	unsigned jobs;                          /* formatting threads; 0: as many as there are processors */
	const struct perfdata_emitter_option_value *options;   /* for the emitter */
	size_t nr_options;
	bool shared_output;
	const volatile int *stop;               /* set to non-zero (by a signal handler) to stop early, may be NULL */
	perfdata_finding_fn *on_finding;        /* findings of formatting, in order of the records */
	void *user;
	const struct perfdata_finding *(*findings)(void *user, size_t *ret_nr, uint64_t *ret_total); /* what was reported so far, for end; may be NULL */
};
/* Runs the whole session through the emitter into the sink. PERFDATA_OK also when the input was damaged (see the summary);
 * PERFDATA_EWRITE, PERFDATA_EUSAGE, PERFDATA_EINTR, PERFDATA_ENOMEM, PERFDATA_ELIMIT, PERFDATA_EREAD with reterr. */
PERFDATA_API enum perfdata_status perfdata_run(struct perfdata_session *session, const struct perfdata_emitter *emitter,
					       struct perfdata_sink *sink, const struct perfdata_run_options *options,
					       struct perfdata_error *reterr);

/* Calls work(user, index) for each index below `count` in up to `jobs` threads (0: processors) and waits. */
PERFDATA_API enum perfdata_status perfdata_parallel(size_t count, unsigned jobs, void (*work)(void *user, size_t index), void *user);
/* Processors this process may use. */
PERFDATA_API unsigned perfdata_processors(void);

#ifdef __cplusplus
}
#endif

#endif
