/* SPDX-License-Identifier: MIT */
/* The files that recordings map, each once: by build-id where one is known, else by path and inode. */
#ifndef FILE_ROWS_H
#define FILE_ROWS_H

#include "inputs.h"
#include "perfdata/match.h"

struct file_row {
	char **paths;                      /* as recorded, in byte order */
	size_t nr_paths;
	uint8_t build_id[PERFDATA_BUILD_ID_MAX];
	size_t build_id_size;              /* 0: unknown */
	unsigned sources;                  /* of it: enum perfdata_build_id_source */
	enum perfdata_dso_kind kind;
	char *release, *host;              /* of the recorded kernel; may be NULL */
	uint64_t inode;                    /* 0: unknown */
	int64_t unchanged_since;           /* ns since 1970 by which the recording was written; INT64_MAX: unknown */
	uint64_t maps;
	uint64_t samples;                  /* that lie in the file */
	/* of those: their periods, or again the samples where several events were recorded */
	uint64_t weight;
	uint64_t in_chain;                 /* samples whose stack passes through it, or that lie in it */
	uint64_t periods;
	/* where a session with symbols takes names and code of a row that was hit; NULL: nowhere */
	char *text_file, *symbol_file;
	uint8_t found_id[PERFDATA_BUILD_ID_MAX];   /* of these */
	size_t found_id_size;
	char *alt_file;                    /* that debug information refers to; or NULL */
	uint8_t alt_id[PERFDATA_BUILD_ID_MAX];
	size_t alt_id_size;
	char *jitdump, *jitdump_file;      /* that names generated code: as recorded, and here; or NULL */
	int32_t pid;                       /* of the process whose code a perf map or jitdump names; -1: none */
	uint64_t start_time;               /* of that process, ns of the recording's clock; UINT64_MAX: unknown */
	bool has_conflict;                 /* the header's table has another build-id for its path */
};

struct file_rows {
	struct file_row *items;            /* most samples first, then by path and build-id */
	size_t nr, room;
	uint64_t samples, outside;         /* of all recordings; those that lie in nothing */
	bool weighs_periods;
	bool all_origins;                  /* … also of files that were not hit */
	/* to be set by whoever gives symbols and wants to know what they come from */
	bool with_origins;
	const struct perfdata_event *event;   /* while reading: the only one so far that had samples */
	char *event_name;
	bool failed;                       /* no memory */
};

/* Reads one recording and adds its files. `symbols` (may be NULL) is for unwinding stacks that were recorded as memory.
 * False after a failure that was said. */
bool file_rows_read(struct file_rows *rows, struct input *input, struct perfdata_symbols *symbols);
/* After the last recording. */
void file_rows_finish(struct file_rows *rows);
void file_rows_release(struct file_rows *rows);
/* Whether samples lie in a row, or pass through it. */
bool file_row_is_hit(const struct file_row *row);
struct perfdata_bytes file_row_id(const struct file_row *row);
struct perfdata_match_wanted file_row_wanted(const struct file_row *row);

/* The words for kinds and sources, as every answer spells them. */
const char *file_kind_name(enum perfdata_dso_kind kind);
/* Name and bit of source number `index`; NULL behind the last. */
const char *file_source_name(size_t index, unsigned *ret_bit);

#endif
