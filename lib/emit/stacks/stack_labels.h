/* SPDX-License-Identifier: MIT */
/* Labels name the steps of stacks. There is one label for each function of a file, or for each file, source line,
 * build-id or thread state. A step with inlined functions has several labels.
 *
 * All unnamed addresses of a file share one label, so that a file without symbols has one label, not thousands.
 * Addresses for which a bundle has no answers share another. */
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
	STACK_WAITING,           /* a thread's state off the CPU */
	STACK_LEFT_OUT,
	STACK_NOT_IN_BUNDLE,     /* a bundle has answers for other addresses of the file only */
	STACK_KINDS
};

/* Whether code of this kind has no name. */
static inline bool pd_stack_kind_is_nameless(enum stack_kind kind)
{
	return kind == STACK_NO_NAME || kind == STACK_NOT_IN_BUNDLE;
}

/* A function, file, line, …. Strings are ids of pd_stack_labels_string; 0 is "". */
struct stack_label {
	uint32_t name;
	uint32_t raw_name;       /* as in the symbol table; `name` for inlined functions */
	uint32_t file;           /* path of the dso as recorded */
	uint32_t source;         /* source file at the first address with this label; 0: unknown */
	uint32_t line;           /* STACK_BY_LINE: source line; else line of the function's declaration; 0: unknown */
	uint32_t dso;            /* perfdata_session_dso, or PERFDATA_NONE */
	enum stack_kind kind;
};

/* One function of a step, inlined or not. */
struct stack_call {
	uint32_t label;
	uint32_t source, line, column;   /* position in the function; 0: unknown */
};

struct stack_labels;
/* Borrows the session. sources: look up source positions, which takes reading debug information, even if neither
 * inlined functions nor lines need them. NULL without memory. */
struct stack_labels *pd_stack_labels_new(const struct perfdata_session *session, enum stack_by by, bool inlines,
					 bool sources);
/* Rules "OLD=NEW" for names in the sessions of bases. */
struct stack_match {
	const char *const *same_files, *const *same_symbols;
	size_t nr_same_files, nr_same_symbols;
	struct pd_file_pairs *pairs; /* pairs of equal files with different names: see pd_stack_match_files; or NULL */
	bool *used;                  /* by rule, file rules first: the rule applied to a name of a base; or NULL */
};
/* Adds the files in the session's stacks to the match's pairs. False without memory. */
bool pd_stack_match_files(struct stack_match *match, const struct perfdata_session *session, bool is_base);
/* Makes labels equal across builds, like keys of a comparison. Borrows `match`. To be called before the first label.
 * False without memory. */
bool pd_stack_labels_match(struct stack_labels *labels, const struct stack_match *match);
/* The file of a label, equal across builds; "" if it has none. Only after pd_stack_labels_match. */
const char *pd_stack_labels_file_key(const struct stack_labels *labels, uint32_t label);
void pd_stack_labels_free(struct stack_labels *labels);
/* Whether pd_stack_labels_new with these arguments would make the same labels. False after a failure. */
bool pd_stack_labels_are(const struct stack_labels *labels, enum stack_by by, bool inlines, bool sources);
/* Whether labels have names of functions: STACK_BY_FUNCTION, STACK_BY_LINE. */
bool pd_stack_labels_are_functions(const struct stack_labels *labels);
/* Changes the session to which frame ids belong. Labels are kept, so that several recordings share them. is_base: names
 * of the session are older names of the match. */
void pd_stack_labels_use(struct stack_labels *labels, const struct perfdata_session *session, bool is_base);
/* The functions at a frame, outermost first; valid until the next call. is_caller: the frame's address is a return
 * address. NULL without memory. */
const struct stack_call *pd_stack_labels_of(struct stack_labels *labels, uint32_t frame, bool is_caller,
					    size_t *ret_nr);
/* The index of a frame in arrays by frame and is_caller. PERFDATA_NONE has the first index. */
static inline size_t pd_frame_slot(uint32_t frame, bool is_caller)
{
	return (size_t)(uint32_t)(frame + 1) << 1 | is_caller;
}
/* Adds a label without a frame, such as "[no stack]". UINT32_MAX without memory. */
uint32_t pd_stack_labels_add(struct stack_labels *labels, const struct stack_label *label);
uint32_t pd_stack_labels_nr(const struct stack_labels *labels);
const struct stack_label *pd_stack_labels_get(const struct stack_labels *labels, uint32_t label);

/* The id of a string; UINT32_MAX without memory. */
uint32_t pd_stack_labels_intern(struct stack_labels *labels, const char *text);
uint32_t pd_stack_labels_nr_strings(const struct stack_labels *labels);
const char *pd_stack_labels_string(const struct stack_labels *labels, uint32_t string);

/* The address of a step's code: for a return address the address before it, which is inside the call; 0 stays 0. */
static inline uint64_t pd_stack_code_address(uint64_t address, bool is_caller)
{
	return address - (is_caller && address);
}

#endif
