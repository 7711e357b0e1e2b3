/* SPDX-License-Identifier: MIT */
/* The search for the files of a dso (symbol_search.c), for files of this folder. Call all functions with the lock of
 * the dso. */
#ifndef PD_SYMBOL_SEARCH_H
#define PD_SYMBOL_SEARCH_H

#include <sys/stat.h>
#include "symbols/symbols.h"

#define PD_MAX_PATH 4096

struct pd_search {
	struct perfdata_symbols_dso *dso;
	struct pd_build_id id;    /* required build-id; size 0: any */
	bool strict;              /* never use another build-id */
	bool identify;            /* compare the inode if no build-id is known */
	bool in_process;          /* the path is below the root of the recorded process */
	bool at_other_path;       /* the path is of another dso, which reports what is wrong with the file */
	bool may_store;           /* the file may be an archive, whose libraries have their own dsos */
	uint32_t crc;             /* CRC of the debug link */
	struct pd_elf *elf;       /* out */
	struct pd_build_id found; /* out */
	bool differs;             /* out */
};

/* Whether something failed that says nothing about the file. */
static inline bool pd_is_failure(enum perfdata_status status)
{
	return status == PERFDATA_ENOMEM || status == PERFDATA_EREAD;
}

/* Returns why a file with this status is not used, for the log. */
const char *pd_refusal_reason(enum perfdata_status status);
/* Opens a file that may have symbols, or logs why that failed. */
int pd_dso_open_logged(struct perfdata_symbols_dso *dso, const char *path, enum pd_regular kind,
		       struct stat *ret_stat);
/* Logs that a file is used. Sets *where, a member of dso->origin, to its path. */
void pd_dso_set_origin(struct perfdata_symbols_dso *dso, const char **where, const char *path, const char *reason);
/* Whether the options say that the recorded files are in another file tree. */
bool pd_is_elsewhere(const struct perfdata_symbols_dso *dso);

/* pd_location_fn for a struct pd_search: opens the file, or the archive, if it is the recorded one. */
bool pd_take_file(void *user, const char *path, const char *what);
/* pd_location_fn for a struct pd_search: opens a file with separate debug information. It must have a symbol table, and
 * the right build-id; without a build-id, the right CRC of the debug link. */
bool pd_take_debug(void *user, const char *path, const char *what);

/* Finds the file with the code: at the recorded path, in the build-id cache, or on a server. NULL with dso->archive: it
 * is an archive. */
struct pd_elf *pd_dso_find_text(struct perfdata_symbols_dso *dso, const struct pd_build_id *id);
/* Finds the file with a symbol table: first separate debug files, as perf does. NULL: none, or dso->text has it. */
struct pd_elf *pd_dso_find_debug(struct perfdata_symbols_dso *dso, const struct pd_build_id *id);

#endif
