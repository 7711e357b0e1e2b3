/* SPDX-License-Identifier: MIT */
/* Code that JIT compilers announced in jitdump files: names, bytes and lines by address and time. */
#ifndef PD_JITDUMP_H
#define PD_JITDUMP_H

#include "perfdata/symbols.h"

struct pd_work;

struct pd_jit_code {
	uint64_t start, end;
	uint64_t reach;              /* the largest end of this code and those below it in the tree */
	uint64_t time, until;        /* valid in [time, until) */
	const char *name;
	const uint8_t *bytes;        /* the code, in the file; NULL: the file does not contain it whole */
	size_t first_line, nr_lines; /* in pd_jit.lines */
	const uint8_t *frames;       /* its .eh_frame, in the file, which may be empty; NULL: none */
	uint32_t frames_size;
};
/* From this offset in the code on, up to the next line. */
struct pd_jit_line {
	uint64_t offset;
	const char *file;
	uint32_t line;
	uint32_t number;             /* of the entry in its record */
};
struct pd_jit {
	struct pd_jit_code *items;
	size_t count, capacity;
	struct pd_jit_line *lines;   /* of a code in the order of offsets */
	size_t nr_lines, lines_room;
	char *file;                  /* the whole file, including the names */
	uint32_t machine;            /* e_machine */
	bool swap;                   /* the file is of the other byte order than this machine */
	bool is_damaged;             /* reading ended at a record of an impossible size */
	bool is_cut;                 /* the file ends inside a record */
	size_t file_size;
};
enum perfdata_status pd_jitdump_load(struct pd_jit *jit, struct pd_work *work, int fd);
size_t pd_jit_memory(const struct pd_jit *jit);
/* Puts codes in the order that pd_jit_find needs. */
void pd_jit_sort(struct pd_jit *jit);
struct perfdata_symbol pd_jit_symbol(const struct pd_jit_code *code, uint64_t address);
const struct pd_jit_code *pd_jit_find(const struct pd_jit *jit, uint64_t address, uint64_t time);
/* The source position of an address of a code. False: the compiler wrote none. */
bool pd_jit_find_line(const struct pd_jit *jit, const struct pd_jit_code *code, uint64_t address,
		      struct perfdata_source_line *ret);
void pd_jit_release(struct pd_jit *jit);

#endif
