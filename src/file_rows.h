/* SPDX-License-Identifier: MIT */
/* A row for each file that recordings map. The build-id distinguishes files; without a build-id, path and inode do. */
#ifndef FILE_ROWS_H
#define FILE_ROWS_H

#include "inputs.h"
#include "json_build.h"
#include "perfdata/match.h"

struct file_row {
	char **paths;                      /* as recorded, sorted by bytes */
	size_t nr_paths, room_paths;
	uint8_t build_id[PERFDATA_BUILD_ID_MAX];
	size_t build_id_size;              /* 0: unknown */
	unsigned sources;                  /* of the build-id: bits of enum perfdata_build_id_source */
	enum perfdata_dso_kind kind;
	char *release, *host;              /* of the recorded kernel; may be NULL */
	uint64_t inode;                    /* 0: unknown */
	uint32_t device_major, device_minor;   /* of the inode */
	/* earliest mtime of the recordings, ns since 1970; later changed files are not the recorded ones. INT64_MAX:
	 * unknown */
	int64_t unchanged_since;
	uint64_t maps;
	uint64_t samples;                  /* samples whose address is in the file */
	/* sum of the periods of these samples; the number of samples if several events were recorded */
	uint64_t weight;
	uint64_t hits;                     /* samples whose address or call chain has a frame in the file */
	uint64_t named;                    /* `samples` that have a name here, if names are counted */
	uint64_t sum_of_periods;           /* sum over `samples` */
	/* files of this host that the session reads code and names from, if the row was hit; or NULL */
	char *text_file, *symbol_file;
	uint8_t found_id[PERFDATA_BUILD_ID_MAX];   /* build-id of text_file, symbol_file */
	size_t found_id_size;
	char *alt_file;                    /* supplementary file (dwz) of the debug information; or NULL */
	uint8_t alt_id[PERFDATA_BUILD_ID_MAX];
	size_t alt_id_size;
	char *jitdump, *jitdump_file;      /* path of the jitdump as recorded, and its path here; or NULL */
	int32_t pid;                       /* pid of the process of a perf map or jitdump; -1: none */
	uint64_t start_time;               /* start of this process, ns of the recording's clock; UINT64_MAX: unknown */
	/* why the session does not know a file of this host to be the recorded one (N804); NULL: it does, or has no
	 * file */
	const char *unidentified;
	bool has_namesake;                 /* other files were mapped under one of the paths */
	bool has_conflict;                 /* the header's table has another build-id for one of the paths */
};

struct file_rows {
	struct file_row *items;            /* most samples first, then by path and build-id */
	size_t nr, room;
	uint64_t samples, samples_outside; /* of all recordings; those whose address is in no map */
	bool weighs_periods;
	bool all_origins;                  /* fill in `text_file` … also for files without hits */
	bool counts_names;                 /* set by callers that pass symbols to file_rows_read */
	/* set by callers that pass symbols to file_rows_read: fill in text_file … jitdump_file */
	bool with_origins;
	const struct perfdata_event *event;   /* while reading: event of the last sample */
	char *event_name;
	/* set by callers that pass symbols: count stacks that end too early, as lines and as JSON */
	bool counts_broken;
	struct perfdata_text broken;
	json_object *broken_list;
	bool failed;                       /* memory ran out */
	enum perfdata_status failure;      /* why looking for files with names failed; PERFDATA_OK: it did not */
};

/* Reads one recording and adds its files. The session unwinds recorded user stacks with `symbols` (may be NULL). False
 * after a failure, which is already reported. */
bool file_rows_read(struct file_rows *rows, struct input *input, struct perfdata_symbols *symbols);
/* Sets the weights and sorts the rows; to be called after the last recording. */
void file_rows_finish(struct file_rows *rows);
void file_rows_release(struct file_rows *rows);
/* Whether the address or the call chain of a sample is in the file. */
bool file_row_is_hit(const struct file_row *row);
/* The recorded build-id. */
struct perfdata_bytes file_row_id(const struct file_row *row);
/* What to search: without the build-id if it is unidentified, since the build-id may be that of another file. */
struct perfdata_match_wanted file_row_wanted(const struct file_row *row);

/* The name of a kind of dso in outputs. */
const char *file_kind_name(enum perfdata_dso_kind kind);
/* Returns the name of build-id source `index` and sets *ret_bit to its bit; NULL after the last source. */
const char *file_source_name(size_t index, unsigned *ret_bit);

#endif
