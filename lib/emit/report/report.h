/* SPDX-License-Identifier: MIT */
/* A report: for each event, the self and total weight of each key (a function, a file, a thread, …). */
#ifndef PD_REPORT_H
#define PD_REPORT_H

#include "perfdata/emit.h"
#include "emit/stacks/stack_broken.h"
#include "emit/stacks/stack_choice.h"
#include "emit/stacks/stack_labels.h"
#include "emit/stacks/stack_tree.h"

enum report_by {
	REPORT_SYMBOL,
	REPORT_DSO,
	REPORT_COMM,
	REPORT_THREAD,
	REPORT_PROCESS,
	REPORT_CPU,
	REPORT_EVENT,
	REPORT_LINE,
	REPORT_BUILD_ID,
	/* by the innermost frame of time off the CPU */
	REPORT_STATE,            /* states of threads, on and off the CPU */
	REPORT_WAKER,            /* the thread that ended the wait */
	REPORT_WAKEE,            /* the thread whose wait ended */
	REPORT_SYSCALL,          /* the system call in which the thread waited */
	REPORT_BYS
};
enum report_view { REPORT_LIST, REPORT_TREE, REPORT_CALLERS, REPORT_CALLEES };
enum report_form { REPORT_TEXT, REPORT_JSON, REPORT_CSV };
enum report_sort { REPORT_SORT_SELF, REPORT_SORT_TOTAL, REPORT_SORT_SAMPLES, REPORT_SORT_NAME };

enum { REPORT_BY_TEXT = 96 };

struct report_options {
	/* keys of rows in the order of columns, without keys that another key implies */
	enum report_by keys[REPORT_BYS];
	unsigned nr_keys;
	enum report_by by;       /* the key about stacks, or the first key */
	char by_text[REPORT_BY_TEXT];   /* all requested keys: "comm,dso" */
	enum report_view view;
	enum report_form form;
	enum report_sort sort;
	const char *function;    /* show callers or callees of this function: a glob, or a part of the name */
	uint64_t top;            /* maximum number of rows of an event; 0: all */
	double min_percent;
	uint64_t width;          /* limit of the width of lines; 0: none */
	bool inlines, by_samples, color;
	bool last_names;         /* threads have their last names */
	/* no keys were requested: rows are comms if functions say nothing about the event */
	bool by_default;
};

/* [0] samples, [1] weight. */
struct report_sum {
	uint64_t self[2], total[2];
};

struct report_row {
	const char *name, *file, *source;    /* "": none */
	uint32_t line;
	const char *kind;                    /* "user", "kernel", …; "" for rows that are not code */
	/* with several keys: thread name at the time of the sample; last name of thread or process; number of the CPU.
	 * "": not a key of this report */
	const char *comm, *who, *cpu;
	int32_t pid, tid;                    /* -1: not a key of this report */
	uint32_t dso;                        /* perfdata_session_dso, or PERFDATA_NONE */
	struct report_sum sum;
};

/* The report of one event; for trees, of the stacks that match. */
struct report_event {
	const char *name;
	enum perfdata_measure measure;       /* what the weight measures */
	const char *weighs;                  /* words for the weight of its samples; NULL: their period */
	enum report_by by;                   /* what its rows are */
	/* if rows are comms because functions say nothing: the function with most samples, NULL if it has no name */
	const char *function;
	uint64_t of_function[2];
	bool has_callers;                    /* functions have callers */
	bool is_asked_for;                   /* set by pd_report_text_tree: the event has the requested function */
	uint64_t all[2];                     /* samples and weight */
	uint64_t whole[2];                   /* as `all`, with the stacks that options exclude */
	bool is_part;                        /* options exclude some stacks */
	uint64_t nameless[2];                /* samples and weight without a known executing function */
	uint64_t not_in_bundle[2];           /* samples and weight of functions without an answer in the bundle */
	bool has_totals;                     /* rows have total weights, which include callees */
	struct report_row *rows;             /* sorted */
	size_t nr_rows;
	size_t nr_small;                     /* rows below the requested limit, which are not shown */
	uint64_t of_small[2];                /* self weights of these rows */
	/* NULL: options begin stacks at a function, or rows are not of stacks */
	const struct pd_broken_stacks *broken;
	const struct perfdata_event *of;     /* for `broken` */
	const struct perfdata_session *session;
	/* for trees: */
	const struct stack_labels *labels;
	struct stack_tree tree;
	struct report_sum *sums;             /* by node of the tree */
};

struct report_head {
	const char *file;
	const struct perfdata_emit_end *end;
	bool first_document;                 /* first of several recordings that share the output */
	const struct stack_choice *choice;   /* which stacks to keep; NULL: all */
};

/* Receives the rows instead of their text, for a copy of pd_emitter_report whose `user` it is. `take` is called for
 * each event with samples, in the order of events; its arguments are borrowed. A status other than PERFDATA_OK ends the
 * run. */
struct report_taker {
	enum perfdata_status (*take)(void *user, const struct perfdata_session *session,
				     const struct report_event *event);
	void *user;
};

/* --- options (report_options.c) --- */
extern const struct perfdata_emitter_option pd_report_options[];
extern const struct perfdata_option_rule pd_report_rules[];
/* False: the context has the error. */
bool pd_report_read_options(const struct perfdata_emit_context *context, struct report_options *ret);
/* Whether the key is about executing code, not about thread, CPU or time. */
bool pd_report_is_by_stack(enum report_by by);
bool pd_report_is_by_wait(enum report_by by);      /* REPORT_STATE, WAKER, WAKEE, SYSCALL */
/* An emitter's `configure` for reports without spans. */
enum perfdata_status pd_report_configure(void *user, struct perfdata_configuration *configuration);

/* --- rows (report_rows.c) --- */
const char *pd_report_kind_name(enum stack_kind kind);
/* Computes the total of each node from self sums: its own and those of the nodes below. */
void pd_report_add_up(struct stack_tree *tree, struct report_sum *sums);
/* Makes a tree of the callers (or callees) of functions that match; their totals are on its roots. */
bool pd_report_turn(struct report_event *event, const struct report_options *options, struct stack_tree *ret_tree,
		 struct report_sum **ret_sums);
void pd_report_sort_rows(const struct report_options *options, struct report_row *rows, size_t nr);
/* Joins rows with equal keys. */
void pd_report_join_rows(struct report_event *event, const struct report_options *options);
/* Removes the rows below the limits in the options. */
void pd_report_drop_small(const struct report_options *options, struct report_event *event);
/* Number of rows to show. */
size_t pd_report_rows_shown(const struct report_options *options, const struct report_event *event);
/* The name of a row by one of its keys. */
const char *pd_report_key_name(const struct report_options *options, const struct report_row *row, enum report_by key);
/* The text in a row's column for this key. */
void pd_report_spell_key(const struct report_options *options, const struct report_row *row, enum report_by key,
			 struct perfdata_text *out);

/* --- spelling --- */
#define REPORT_BOLD "\033[1m"
#define REPORT_DIM "\033[2m"
#define REPORT_RED "\033[31m"
#define REPORT_PLAIN "\033[0m"
enum { REPORT_NAME_MIN = 16, REPORT_FILE_WIDTH = 24 };
static inline void pd_report_style(const struct report_options *options, const char *escape, struct perfdata_text *out)
{
	if (options->color)
		perfdata_text_string(out, escape);
}
/* Index of the sum that shares refer to: samples or weight. */
static inline unsigned pd_report_unit_of(const struct report_options *options) { return options->by_samples ? 0 : 1; }
void pd_report_event_line(const struct report_options *options, const struct report_event *event,
			  struct perfdata_text *out);
void pd_report_text_head(const struct report_options *options, const struct report_head *head,
			 struct perfdata_text *out);
void pd_report_text_nothing(const struct pd_profile *profile, const struct report_head *head,
			    struct perfdata_text *out);
void pd_report_text_event(const struct report_options *options, const struct report_event *event,
			  struct perfdata_text *out);
bool pd_report_text_tree(const struct report_options *options, struct report_event *event, struct perfdata_text *out);
void pd_report_json_head(const struct report_options *options, const struct report_head *head,
			 struct perfdata_text *out);
void pd_report_json_event(const struct report_options *options, const struct report_event *event, bool first,
			  struct perfdata_text *out);
void pd_report_json_end(const struct report_head *head, struct perfdata_text *out);
void pd_report_csv_head(const struct report_options *options, struct perfdata_text *out);
void pd_report_csv_event(const struct report_options *options, const struct report_head *head,
			 const struct report_event *event, struct perfdata_text *out);
const char *pd_report_by_name(enum report_by by);

#endif
