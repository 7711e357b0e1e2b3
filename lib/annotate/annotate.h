/* SPDX-License-Identifier: MIT */
/* The code of a function by address: instructions, lines, inlined functions, and the weight of each. */
#ifndef PD_ANNOTATE_H
#define PD_ANNOTATE_H

#include "perfdata/session.h"

/* An address inside a function with its sums. */
struct pd_annotate_hit {
	uint64_t address;            /* as perfdata_frame has it */
	const uint64_t *sums;        /* by event: samples, weight */
};

enum pd_annotate_flow {
	PD_ANNOTATE_NEXT,
	PD_ANNOTATE_JUMP,
	PD_ANNOTATE_CONDITION,
	PD_ANNOTATE_CALL,
	PD_ANNOTATE_RETURN
};

struct pd_annotate_row {
	uint64_t address;            /* as objdump has it: the file's own, or where the code was */
	uint64_t offset;             /* in the function */
	const char *source;          /* NULL: unknown */
	uint32_t line;               /* 0: unknown */
	const char *line_text;       /* that the recording has of a BPF program; NULL: none */
	uint32_t nr_inlined;         /* functions that are inlined here, innermost first */
	const char *const *inlined;
	const char *text;            /* the instruction; NULL: unknown, the row is an address with samples */
	uint32_t size;               /* bytes of the instruction */
	enum pd_annotate_flow flow;
	bool is_target;              /* a jump of the function comes here */
	uint32_t target;             /* row to which it jumps inside the function; PERFDATA_NONE: none */
	const char *callee;          /* the other function to which it goes; NULL: unknown, or none */
	uint64_t callee_offset;      /* of the place in that function */
	uint32_t block;              /* number of its basic block; PERFDATA_NONE where instructions are not known */
	const uint64_t *sums;        /* by event: samples, weight; never NULL */
};

struct pd_annotation {
	const char *name, *file;     /* of the function, and of what it is in */
	const char *inlined;         /* rows are only those of this function, which is inlined there; NULL: all rows */
	uint64_t start, size;        /* in the numbering of the rows' addresses; size 0: unknown */
	const char *no_code;         /* why there are no instructions; NULL: there are */
	const char *decoder;         /* the library that decoded them; NULL: none */
	const struct pd_annotate_row *rows;
	size_t nr_rows;
	uint32_t nr_blocks;
	const uint64_t *sums;        /* by event: samples, weight of all */
};

struct pd_annotator;
/* Borrows the session. nr_events: how many pairs sums have. PERFDATA_ENOMEM. */
enum perfdata_status pd_annotator_new(const struct perfdata_session *session, size_t nr_events,
				      struct pd_annotator **ret);
void pd_annotator_free(struct pd_annotator *annotator);
/* The function that holds a frame. Hits are sorted by address, all in this function. *ret lives until the next call.
 * PERFDATA_ENOMEM, PERFDATA_EREAD: a file that is there could not be read. */
enum perfdata_status pd_annotate(struct pd_annotator *annotator, uint32_t frame, const struct pd_annotate_hit *hits,
				 size_t nr_hits, struct pd_annotation *ret);

typedef bool pd_matches_name(void *user, const char *name);
/* Whether a hit lies in an inlined function of such a name. The other arguments are those of pd_annotate. */
bool pd_annotate_has_inlined(const struct pd_annotator *annotator, uint32_t frame, const struct pd_annotate_hit *hits,
			     size_t nr_hits, pd_matches_name *matches, void *user);
/* Keeps only rows of inlined functions whose name matches, and recomputes the sums. PERFDATA_ENOMEM. */
enum perfdata_status pd_annotate_keep_inlined(struct pd_annotator *annotator, struct pd_annotation *annotation,
					      pd_matches_name *matches, void *user);

/* --- annotate_source.c: texts of source files --- */

/* Below a folder that the user named: the paths come from debug information. */
struct pd_sources;
/* PERFDATA_ABSENT, PERFDATA_ENOMEM, PERFDATA_EREAD, with errno: the folder cannot be opened. A file that is there and
 * cannot be read makes the names of the session fail. */
enum perfdata_status pd_sources_new(const struct perfdata_session *session, const char *folder,
				    struct pd_sources **ret);
void pd_sources_free(struct pd_sources *sources);
/* Paths that are `old`, or below it, are looked for with `now` in its place; the first rule that fits counts. Borrows
 * both texts. PERFDATA_ENOMEM. */
enum perfdata_status pd_sources_map(struct pd_sources *sources, const char *old, size_t old_size, const char *now);
/* A line (from 1 on) of a file, without its end; NULL: the folder has no such file or line. Valid until another file is
 * asked for. */
const char *pd_sources_line(struct pd_sources *sources, const char *path, uint32_t line, size_t *ret_size);

#endif
