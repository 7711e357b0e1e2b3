/* SPDX-License-Identifier: MIT */
/* Code that JIT compilers announced in jitdump files: names, bytes and lines, by address and time. */
#ifndef PD_JITDUMP_H
#define PD_JITDUMP_H

#include "perfdata/symbols.h"

struct pd_work;

struct pd_jit_code {
	uint64_t start, end;
	uint64_t reach;              /* the largest end of the codes in its subtree */
	uint64_t time, until;        /* the code existed in [time, until) */
	const char *name;
	const uint8_t *bytes;        /* bytes of the code in pd_jit.file; NULL: not completely in the file */
	size_t first_line, nr_lines; /* range of pd_jit.lines */
	const uint8_t *frames;       /* .eh_frame of the code in pd_jit.file, maybe empty; NULL: none */
	uint32_t frames_size;
};
/* The source line of the code from this offset up to the next line. */
struct pd_jit_line {
	uint64_t offset;
	const char *file;
	uint32_t line;
	uint32_t number;             /* index of the entry in its record */
};
struct pd_jit {
	struct pd_jit_code *items;
	size_t count, capacity;
	struct pd_jit_line *lines;   /* lines of each code are sorted by offset */
	size_t nr_lines, lines_room;
	char *file;                  /* the whole file, which contains the names */
	uint32_t machine;            /* e_machine */
	bool swap;                   /* the file has the other byte order than this machine */
	bool is_damaged;             /* a record has an impossible size; reading ended there */
	bool is_cut;                 /* the file ends inside a record */
	size_t file_size;
};
enum perfdata_status pd_jitdump_load(struct pd_jit *jit, struct pd_work *work, int fd);
size_t pd_jit_memory(const struct pd_jit *jit);
/* Sorts the codes for pd_jit_find. */
void pd_jit_sort(struct pd_jit *jit);
struct perfdata_symbol pd_jit_symbol(const struct pd_jit_code *code, uint64_t address);
const struct pd_jit_code *pd_jit_find(const struct pd_jit *jit, uint64_t address, uint64_t time);
/* Finds the source position of an address in a code. False: the compiler wrote none. */
bool pd_jit_find_line(const struct pd_jit *jit, const struct pd_jit_code *code, uint64_t address,
		      struct perfdata_source_line *ret);
void pd_jit_release(struct pd_jit *jit);

#endif
