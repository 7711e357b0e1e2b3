/* SPDX-License-Identifier: MIT */
/* Finds the files of a recording: for each file that the recording maps, which file on this host is the recorded one,
 * and which information it holds (symbols, lines, unwind tables).
 *
 * It reads only headers, notes and section tables. Files and directories are hostile input: it reads regular files
 * only, limits reads, and follows links only below their root. Only the source PERFDATA_SOURCE_DEBUGINFOD uses the
 * network.
 *
 * One thread at a time uses a perfdata_match, which has threads of its own to search directories. */
#ifndef PERFDATA_MATCH_H
#define PERFDATA_MATCH_H

#include "perfdata/base.h"
#include "perfdata/bundle.h"
#include "perfdata/symbols.h"

#ifdef __cplusplus
extern "C" {
#endif

struct perfdata_match;

enum perfdata_match_source_kind {
	PERFDATA_SOURCE_HOST,        /* the files of this host, its kernel and its debug directories; no path */
	PERFDATA_SOURCE_ROOT,        /* a directory that holds recorded paths, like a root directory */
	/* a directory that holds files by build-id: /usr/lib/debug, perf's cache, an unpacked bundle */
	PERFDATA_SOURCE_DEBUG_DIR,
	PERFDATA_SOURCE_FILE,        /* an ELF file */
	/* a list of build-ids and paths: output of perf buildid-list, eu-unstrip -n, perfdata buildids --tsv */
	PERFDATA_SOURCE_LIST,
	/* another recording, whose files perfdata_match_add adds; `path` is its name */
	PERFDATA_SOURCE_OTHER,
	PERFDATA_SOURCE_DEBUGINFOD,  /* debuginfod servers; no path */
	PERFDATA_SOURCE_BUNDLE,      /* the files of perfdata_match_options.bundle; `path` is the path of the bundle */
	PERFDATA_SOURCE_FLAT,        /* a directory with files named by the last component of their recorded paths */
};

enum perfdata_match_state {
	PERFDATA_MATCH_SAME,         /* the recorded file, at the recorded path */
	PERFDATA_MATCH_MOVED,        /* the recorded file, elsewhere */
	PERFDATA_MATCH_DIFFERS,      /* the file at the recorded path has another build-id */
	PERFDATA_MATCH_NO_NOTE,      /* the file at the recorded path has no build-id */
	PERFDATA_MATCH_ABSENT,       /* nothing found */
	PERFDATA_MATCH_UNVERIFIED,   /* no build-id was recorded, and a file is at the path */
	/* no build-id was recorded; the path has no file, or a file with another inode or a later ctime */
	PERFDATA_MATCH_UNKNOWN,
	/* the file at the path is unreadable: permission denied, not regular, not ELF, or damaged */
	PERFDATA_MATCH_UNREADABLE,
	PERFDATA_MATCH_MEMORY,       /* code without a file */
};

/* Parts that a file and its separate debug files may have. */
enum perfdata_match_part {
	PERFDATA_PART_TEXT = 1,        /* code and unwind tables */
	PERFDATA_PART_SYMTAB = 2,
	PERFDATA_PART_DYNSYM = 4,      /* .dynsym: exported names only */
	PERFDATA_PART_MINIDEBUG = 8,   /* .gnu_debugdata */
	PERFDATA_PART_DWARF = 16,
	PERFDATA_PART_ALTLINK = 32,    /* a supplementary file (dwz) is needed, and was found */
	PERFDATA_PART_ALT_MISSING = 64,   /* a supplementary file (dwz) is needed, but was not found */
	PERFDATA_PART_ANSWERS = 256,   /* names, inlined functions and lines of some addresses: see bundle.h */
	PERFDATA_PART_UNSEEN = 128,    /* the entry is from a list or a recording: no file was read */
};

struct perfdata_match_source {
	enum perfdata_match_source_kind kind;
	const char *path;
	bool is_optional;              /* a source that does not exist is no error */
};

struct perfdata_match_options {
	size_t size;                   /* sizeof(struct perfdata_match_options) of the caller */
	const struct perfdata_match_source *sources;   /* none: this host */
	size_t nr_sources;
	bool search;                   /* compare the build-id of every file below roots and debug directories */
	unsigned threads;              /* threads that search; 0: 1 */
	const struct perfdata_cancel *cancel;   /* ends searching with PERFDATA_EINTR; may be NULL */
	/* Called during a search by any thread, one call at a time; may be NULL */
	void (*on_progress)(void *user, uint64_t nr_files);
	void *user;
	struct perfdata_bundle_files *bundle;   /* borrowed until perfdata_match_close; may be NULL */
};

/* Opens the sources. PERFDATA_EREAD: a source cannot be opened, or is empty. PERFDATA_EFORMAT: a file is not ELF, or a
 * list is no list. PERFDATA_EUSAGE, PERFDATA_ENOMEM. Strings are copied. */
PERFDATA_API enum perfdata_status perfdata_match_open(const struct perfdata_match_options *options,
						      struct perfdata_match **ret, struct perfdata_error *reterr);
PERFDATA_API void perfdata_match_close(struct perfdata_match *match);
/* Adds a file of another recording; `source` is the index of its PERFDATA_SOURCE_OTHER. build_id may be empty.
 * PERFDATA_ENOMEM. */
PERFDATA_API enum perfdata_status perfdata_match_add(struct perfdata_match *match, size_t source, const char *path,
						     struct perfdata_bytes build_id);

/* A file that a recording maps. */
struct perfdata_match_wanted {
	enum perfdata_dso_kind kind;
	const char *const *paths;      /* as recorded, at least one */
	size_t nr_paths;
	struct perfdata_bytes build_id;   /* may be empty */
	const char *release;           /* of the recorded kernel; may be NULL */
	const char *host;              /* name of the recorded host; may be NULL */
	uint64_t inode;                /* 0: unknown */
	/* ns since 1970: a file with a later ctime is not the recorded one; INT64_MAX: unknown */
	int64_t unchanged_since;
	uint32_t device_major, device_minor;   /* of the inode; 0, 0: unknown */
};

struct perfdata_match_result {
	enum perfdata_match_state state;
	uint32_t parts;                /* enum perfdata_match_part */
	size_t source;                 /* where `found` is; SIZE_MAX: nowhere */
	const char *found;             /* path of the file that `state` describes; NULL: none */
	/* the file with symbols or debug information if it is a separate file; or NULL */
	const char *debug;
	const char *alt;               /* the supplementary file (dwz) of the debug information; or NULL */
	const char *kallsyms;          /* the kallsyms file of the kernel; or NULL */
	struct perfdata_bytes build_id;   /* of `found`; may be empty */
	const char *reason;            /* one phrase, or NULL */
	bool identified;               /* no build-id was recorded, but inode and time agree */
};

/* Finds each file of `wanted`. Paths and build-ids in `results` are borrowed until perfdata_match_close.
 * PERFDATA_EINTR; PERFDATA_EREAD and PERFDATA_ENOMEM: descriptors or memory ran out. After an error, results are set
 * but files may be missing in them. */
PERFDATA_API enum perfdata_status perfdata_match_find(struct perfdata_match *match,
						      const struct perfdata_match_wanted *wanted, size_t nr,
						      struct perfdata_match_result *results);

/* Number of files (of a list: lines) that a source contributed; number of files that the search read. */
PERFDATA_API uint64_t perfdata_match_nr_found(const struct perfdata_match *match, size_t source);
PERFDATA_API uint64_t perfdata_match_nr_searched(const struct perfdata_match *match);

/* Name of a state ("match", "moved", …); never NULL. Static storage. */
PERFDATA_API const char *perfdata_match_state_name(enum perfdata_match_state state);
/* Name and value of part number `index`; NULL if there are fewer. Static storage. */
PERFDATA_API const char *perfdata_match_part_name(size_t index, enum perfdata_match_part *ret_part);

#ifdef __cplusplus
}
#endif

#endif
