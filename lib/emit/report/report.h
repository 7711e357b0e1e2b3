/* SPDX-License-Identifier: MIT */
/* A report: for each event, the weight of each thing (a function, a file, a thread, …) by itself and with its
 * callees. */
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
	/* the frame that stacks of time off the CPU end with */
	REPORT_STATE,            /* what threads did, on and off the CPU */
	REPORT_WAKER,            /* who ended the wait */
	REPORT_WAKEE,            /* whose wait somebody ended */
	REPORT_SYSCALL,          /* in which system call the thread waited */
	REPORT_BYS
};
enum report_view { REPORT_LIST, REPORT_TREE, REPORT_CALLERS, REPORT_CALLEES };
enum report_form { REPORT_TEXT, REPORT_JSON, REPORT_CSV };
enum report_sort { REPORT_SORT_SELF, REPORT_SORT_TOTAL, REPORT_SORT_SAMPLES, REPORT_SORT_NAME };

enum { REPORT_BY_TEXT = 96 };

struct report_options {
	/* the keys of rows, in the order of their columns; without keys that another key implies */
	enum report_by keys[REPORT_BYS];
	unsigned nr_keys;
	enum report_by by;       /* the key that is one of stacks, else the first one */
	char by_text[REPORT_BY_TEXT];   /* all keys that were asked for: "comm,dso" */
	enum report_view view;
	enum report_form form;
	enum report_sort sort;
	const char *function;    /* whose callers or callees are shown: a glob, or a part of the name */
	uint64_t top;            /* rows of an event; 0: all */
	double min_percent;
	uint64_t width;          /* of lines; 0: no limit */
	bool inlines, by_samples, color;
	bool last_names;         /* comms are the last names of threads */
	/* nobody asked for rows of a kind: where functions say nothing of occurrences, rows are comms */
	bool by_default;
};

/* [0]: samples, [1]: weight. */
struct report_sum {
	uint64_t self[2], total[2];
};

struct report_row {
	const char *name, *file, *source;    /* "": none */
	uint32_t line;
	const char *kind;                    /* "user", "kernel", …; "" for rows that are no code */
	/* with several keys: the name of the thread when the sample was taken, the name of the thread or process, the
	 * number of the CPU; "": not a key of this report */
	const char *comm, *who, *cpu;
	int32_t pid, tid;                    /* -1 where they are of no account */
	uint32_t dso;                        /* perfdata_session_dso, or PERFDATA_NONE */
	struct report_sum sum;
};

/* One event of the report, or all that match of a tree. */
struct report_event {
	const char *name;
	enum perfdata_measure measure;       /* what the weight is an amount of */
	const char *weighs;                  /* what its samples weigh in words; NULL: their period */
	enum report_by by;                   /* what its rows are */
	/* where rows are comms since functions say nothing: that with most samples, or NULL where it has no name */
	const char *function;
	uint64_t of_function[2];
	bool has_callers;                    /* functions have callers */
	bool is_asked_for;                   /* set by pd_report_text_tree: it has the function of the options */
	uint64_t all[2];                     /* samples and weight */
	uint64_t whole[2];                   /* the same with the stacks that were not chosen */
	bool is_part;                        /* stacks were chosen */
	uint64_t nameless[2];                /* of samples whose executing function is unknown */
	uint64_t not_in_bundle[2];           /* of others, whose function the bundle has no answer for */
	bool has_totals;                     /* rows have totals: their own weight and their callees' */
	struct report_row *rows;             /* sorted */
	size_t nr_rows;
	size_t nr_small;                     /* rows that are not shown, since they are below the requested limit */
	uint64_t of_small[2];                /* by themselves */
	const struct pd_broken_stacks *broken;   /* NULL: chains were cut, or rows are not of stacks */
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
	bool first_document;                 /* the first of an output that several recordings share */
	const struct stack_choice *choice;   /* which stacks; NULL: all */
};

/* Who takes the rows as they are, in place of their text: the `user` of a copy of pd_emitter_report. Called for each
 * event that has samples, in the order of events; all is borrowed. Anything but PERFDATA_OK ends the run. */
struct report_taker {
	enum perfdata_status (*take)(void *user, const struct perfdata_session *session,
				     const struct report_event *event);
	void *user;
};

/* --- options (report_options.c) --- */
extern const struct perfdata_emitter_option pd_report_options[];
extern const struct perfdata_option_rule pd_report_rules[];
/* False: see the context's error. */
bool pd_report_read_options(const struct perfdata_emit_context *context, struct report_options *ret);
/* Whether the key is about the code that executes, not about thread, CPU or time. */
bool pd_report_is_by_stack(enum report_by by);
bool pd_report_is_by_wait(enum report_by by);      /* REPORT_STATE and its brothers */
/* An emitter's `configure`, where no spans are asked for. */
enum perfdata_status pd_report_configure(void *user, struct perfdata_configuration *configuration);

/* --- rows (report_rows.c) --- */
const char *pd_report_kind_name(enum stack_kind kind);
/* Sets the total of each node: its self and the selves below it. */
void pd_report_add_up(struct stack_tree *tree, struct report_sum *sums);
/* Of a tree, that of what calls (or what is called by) functions that match; all of it on the new tree's roots. */
bool pd_report_turn(struct report_event *event, const struct report_options *options, struct stack_tree *ret_tree,
		 struct report_sum **ret_sums);
void pd_report_sort_rows(const struct report_options *options, struct report_row *rows, size_t nr);
/* Makes rows of the same thing one. */
void pd_report_join_rows(struct report_event *event, const struct report_options *options);
/* Takes away the rows that have less than the options ask for. */
void pd_report_drop_small(const struct report_options *options, struct report_event *event);
/* How many of the rows are shown. */
size_t pd_report_rows_shown(const struct report_options *options, const struct report_event *event);
/* The name that a row has by one of its keys. */
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
/* Which of two sums shares are of: samples or weight. */
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
