/* SPDX-License-Identifier: MIT */
/* The code of a function by address: instructions, lines, inlined functions, and their weights. */
#ifndef PD_ANNOTATE_H
#define PD_ANNOTATE_H

#include "perfdata/session.h"

/* An address in a function, with its sums. */
struct pd_annotate_hit {
	uint64_t address;            /* same as in struct perfdata_frame */
	const uint64_t *sums;        /* samples and weight for each event */
};

enum pd_annotate_flow {
	PD_ANNOTATE_NEXT,
	PD_ANNOTATE_JUMP,
	PD_ANNOTATE_CONDITION,
	PD_ANNOTATE_CALL,
	PD_ANNOTATE_RETURN
};

struct pd_annotate_row {
	uint64_t address;   /* as objdump prints it: the address in the file, or where the code was in memory */
	uint64_t offset;             /* offset from the start of the function */
	const char *source;          /* NULL: unknown */
	uint32_t line;               /* 0: unknown */
	const char *line_text;       /* text of the line of a BPF program, from the recording; NULL: none */
	uint32_t nr_inlined;         /* functions that are inlined here, innermost first */
	const char *const *inlined;
	const char *text;            /* the instruction; NULL: unknown, and the row is an address with samples */
	uint32_t size;               /* bytes of the instruction */
	enum pd_annotate_flow flow;
	bool is_target;              /* a jump of the function comes here */
	uint32_t target;             /* row to which it jumps inside the function; PERFDATA_NONE: none */
	const char *callee;          /* other function that it calls or jumps into; NULL: unknown, or none */
	uint64_t callee_offset;      /* offset of the target in `callee` */
	uint32_t block;              /* number of its basic block; PERFDATA_NONE where instructions are not known */
	const uint64_t *sums;        /* by event: samples, weight; never NULL */
};

struct pd_annotation {
	const char *name, *file;     /* name of the function, and of the file that contains it */
	const char *inlined;         /* all rows are of this inlined function; NULL: all rows of the function */
	uint64_t start, size;        /* address in the form of the rows' addresses; size 0: unknown */
	const char *no_code;         /* why rows have no instructions; NULL: they have */
	const char *decoder;         /* the library that decoded the instructions; NULL: none */
	const struct pd_annotate_row *rows;
	size_t nr_rows;
	uint32_t nr_blocks;
	const uint64_t *sums;        /* samples and weight of all rows, for each event */
};

struct pd_annotator;
/* Borrows the session. nr_events: pairs in an array of sums. PERFDATA_ENOMEM. */
enum perfdata_status pd_annotator_new(const struct perfdata_session *session, size_t nr_events,
				      struct pd_annotator **ret);
void pd_annotator_free(struct pd_annotator *annotator);
/* Annotates the function that contains a frame. Hits are sorted by address, all in this function. *ret is valid until
 * the next call. PERFDATA_ENOMEM. PERFDATA_EREAD: a file exists but could not be read. */
enum perfdata_status pd_annotate(struct pd_annotator *annotator, uint32_t frame, const struct pd_annotate_hit *hits,
				 size_t nr_hits, struct pd_annotation *ret);

typedef bool pd_matches_name(void *user, const char *name);
/* Whether a hit is in an inlined function whose name matches. Other arguments as for pd_annotate. */
bool pd_annotate_has_inlined(const struct pd_annotator *annotator, uint32_t frame, const struct pd_annotate_hit *hits,
			     size_t nr_hits, pd_matches_name *matches, void *user);
/* Removes rows outside of inlined functions whose name matches, and sums up again. PERFDATA_ENOMEM. */
enum perfdata_status pd_annotate_keep_inlined(struct pd_annotator *annotator, struct pd_annotation *annotation,
					      pd_matches_name *matches, void *user);

/* --- annotate_source.c: lines of source files --- */

/* Source files below a directory that the user named; their paths come from debug information. */
struct pd_sources;
/* PERFDATA_ABSENT, PERFDATA_ENOMEM, PERFDATA_EREAD, with errno: the directory cannot be opened. If a source file exists
 * but cannot be read, the session's names fail. */
enum perfdata_status pd_sources_new(const struct perfdata_session *session, const char *folder,
				    struct pd_sources **ret);
void pd_sources_free(struct pd_sources *sources);
/* Replaces the beginning `old` of paths (the whole path, or up to a '/') by `now`; the first rule that matches a path
 * counts. Borrows both texts. PERFDATA_ENOMEM. */
enum perfdata_status pd_sources_map(struct pd_sources *sources, const char *old, size_t old_size, const char *now);
/* Returns line number `line` (from 1) of a file, without its newline. NULL: the directory has no such file or line.
 * Valid until a line of another file is requested. */
const char *pd_sources_line(struct pd_sources *sources, const char *path, uint32_t line, size_t *ret_size);

#endif
