/* SPDX-License-Identifier: MIT */
/* Labels: the names of the steps of stacks. An output has one label for each function of a file, or for each file,
 * source line, build-id or thread state. One step has several labels where functions are inlined.
 *
 * Addresses of a file that have no name share one label, so that a file without symbols is one thing and not
 * thousands; those that a bundle has no answers for share another. */
#ifndef PD_STACK_LABELS_H
#define PD_STACK_LABELS_H

#include "perfdata/session.h"
#include "profile/file_pairs.h"

enum stack_by { STACK_BY_FUNCTION, STACK_BY_FILE, STACK_BY_LINE, STACK_BY_BUILD_ID, STACK_BY_STATE };

enum stack_kind {
	STACK_USER,
	STACK_KERNEL,
	STACK_INLINED,
	STACK_INLINED_KERNEL,
	STACK_JIT,
	STACK_NO_NAME,
	STACK_GUEST,
	STACK_THREAD,
	STACK_WAITING,           /* no code: what a thread did off the CPU */
	STACK_LEFT_OUT,
	STACK_NOT_IN_BUNDLE,     /* a bundle has answers for other addresses of the file */
	STACK_KINDS
};

/* Whether code of that kind has no name. */
static inline bool pd_stack_kind_is_nameless(enum stack_kind kind)
{
	return kind == STACK_NO_NAME || kind == STACK_NOT_IN_BUNDLE;
}

/* Strings are ids of pd_stack_labels_string; 0 is the empty one. */
struct stack_label {
	uint32_t name;
	uint32_t raw_name;       /* as in the symbol table; of inlined functions, the name */
	uint32_t file;           /* path of the dso as recorded */
	uint32_t source;         /* source file of the first address with this label; 0: unknown */
	uint32_t line;           /* the source line (STACK_BY_LINE), else where the function is declared; 0: unknown */
	uint32_t dso;            /* perfdata_session_dso, or PERFDATA_NONE */
	enum stack_kind kind;
};

/* One function of a step. */
struct stack_call {
	uint32_t label;
	uint32_t source, line, column;   /* position inside the function; 0: unknown */
};

struct stack_labels;
/* Borrows the session. sources: positions in the source are wanted although neither inlined calls nor lines are: they
 * take reading the debug information. NULL without memory. */
struct stack_labels *pd_stack_labels_new(const struct perfdata_session *session, enum stack_by by, bool inlines,
					 bool sources);
/* Rules "OLD=NEW" for names of other sessions than the first. */
struct stack_match {
	const char *const *same_files, *const *same_symbols;
	size_t nr_same_files, nr_same_symbols;
	struct pd_file_pairs *pairs; /* or NULL; files with other names that are the same, see pd_stack_match_files */
	bool *used;                  /* or NULL; by rule, file rules first: it applied to a name of a base */
};
/* Adds the files that stacks of the session have to the match's pairs. False without memory. */
bool pd_stack_match_files(struct stack_match *match, const struct perfdata_session *session, bool is_base);
/* Makes labels equal to the keys of a comparison: functions across builds, inlined or not. Borrows `match`. Call it
 * before the first label. False without memory. */
bool pd_stack_labels_match(struct stack_labels *labels, const struct stack_match *match);
/* The file of a label across builds; "" if it has none. Only after pd_stack_labels_match. */
const char *pd_stack_labels_file_key(const struct stack_labels *labels, uint32_t label);
void pd_stack_labels_free(struct stack_labels *labels);
/* Whether pd_stack_labels_new with these arguments makes labels like these. False after a failure. */
bool pd_stack_labels_are(const struct stack_labels *labels, enum stack_by by, bool inlines, bool sources);
/* Whether labels are functions, or lines of functions: both have names of functions. */
bool pd_stack_labels_are_functions(const struct stack_labels *labels);
/* Frame ids belong to this session from now on; labels stay, so that several recordings share them. is_base: the
 * session's names are the older names of the match. */
void pd_stack_labels_use(struct stack_labels *labels, const struct perfdata_session *session, bool is_base);
/* The calls at a frame, outermost first; lives until the next call. is_caller: the frame's address is where a call
 * returns to. NULL without memory. */
const struct stack_call *pd_stack_labels_of(struct stack_labels *labels, uint32_t frame, bool is_caller,
					    size_t *ret_nr);
/* A frame's index in arrays by frame and is_caller. Frames are numbered from 0 on without gaps; PERFDATA_NONE, the
 * highest number, comes before frame 0. */
static inline size_t pd_frame_slot(uint32_t frame, bool is_caller)
{
	return (size_t)(uint32_t)(frame + 1) << 1 | is_caller;
}
/* Adds a label that is of no frame, such as "[no stack]". UINT32_MAX without memory. */
uint32_t pd_stack_labels_add(struct stack_labels *labels, const struct stack_label *label);
uint32_t pd_stack_labels_nr(const struct stack_labels *labels);
const struct stack_label *pd_stack_labels_get(const struct stack_labels *labels, uint32_t label);

/* The id of a string; UINT32_MAX without memory. */
uint32_t pd_stack_labels_intern(struct stack_labels *labels, const char *text);
uint32_t pd_stack_labels_nr_strings(const struct stack_labels *labels);
const char *pd_stack_labels_string(const struct stack_labels *labels, uint32_t string);

/* The address of a step's code: if a call returns to the step's address, the address of the byte before, which is
 * inside the call (0 stays 0). */
static inline uint64_t pd_stack_code_address(uint64_t address, bool is_caller)
{
	return address - (is_caller && address);
}

#endif
