/* SPDX-License-Identifier: MIT */
/* Do the files here fit a recording? For each file that a recording maps: which file at hand is the recorded one, and
 * which information does it hold (symbols, lines, unwind tables)?
 *
 * Only headers, notes and section tables of files are read. Every file and directory is hostile input: only regular
 * files are read, reads are bounded, and links are followed below their root only. Only the source
 * PERFDATA_SOURCE_DEBUGINFOD uses the network.
 *
 * A perfdata_match belongs to one thread; searching directories uses threads of its own. */
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
	PERFDATA_SOURCE_ROOT,        /* a directory in which recorded paths are looked up, as if it were the root */
	PERFDATA_SOURCE_DEBUG_DIR,   /* a directory by build-id: /usr/lib/debug, perf's cache, an unpacked bundle */
	PERFDATA_SOURCE_FILE,        /* an ELF file */
	/* a text of build-ids and paths: perf buildid-list, eu-unstrip -n, perfdata buildids --tsv */
	PERFDATA_SOURCE_LIST,
	/* another recording: perfdata_match_add adds its files; `path` is its name */
	PERFDATA_SOURCE_OTHER,
	PERFDATA_SOURCE_DEBUGINFOD,  /* debuginfod servers; no path */
	PERFDATA_SOURCE_BUNDLE,      /* the files of perfdata_match_options.bundle; `path` is the path of the bundle */
	PERFDATA_SOURCE_FLAT,        /* a directory with files under the last part of their recorded paths */
};

enum perfdata_match_state {
	PERFDATA_MATCH_SAME,         /* the recorded file, at the recorded path */
	PERFDATA_MATCH_MOVED,        /* the recorded file, elsewhere */
	PERFDATA_MATCH_DIFFERS,      /* the file at the recorded path has another build-id */
	PERFDATA_MATCH_NO_NOTE,      /* the file at the recorded path has no build-id */
	PERFDATA_MATCH_ABSENT,       /* nothing found */
	PERFDATA_MATCH_UNVERIFIED,   /* no build-id was recorded, and a file is at the path */
	PERFDATA_MATCH_UNKNOWN,      /* no build-id was recorded; the path has no file, or another one */
	/* the file at the path cannot be read: permission, no regular file, no or damaged ELF */
	PERFDATA_MATCH_UNREADABLE,
	PERFDATA_MATCH_MEMORY,       /* code that has no file */
};

/* The information that a file holds, together with the files that belong to it. */
enum perfdata_match_part {
	PERFDATA_PART_TEXT = 1,        /* code, and what unwinding needs */
	PERFDATA_PART_SYMTAB = 2,
	PERFDATA_PART_DYNSYM = 4,      /* exported names only */
	PERFDATA_PART_MINIDEBUG = 8,   /* .gnu_debugdata */
	PERFDATA_PART_DWARF = 16,
	PERFDATA_PART_ALTLINK = 32,    /* debug information in a further file, and that file is found */
	PERFDATA_PART_ALT_MISSING = 64,   /* … and is not found */
	PERFDATA_PART_ANSWERS = 256,   /* names, inlined functions and lines of some addresses: see bundle.h */
	PERFDATA_PART_UNSEEN = 128,    /* from a list or a recording: no file was looked at */
};

struct perfdata_match_source {
	enum perfdata_match_source_kind kind;
	const char *path;
	bool is_optional;              /* if the source does not exist, that is no error */
};

struct perfdata_match_options {
	size_t size;                   /* sizeof(struct perfdata_match_options) of the caller */
	const struct perfdata_match_source *sources;   /* none: this host */
	size_t nr_sources;
	bool search;                   /* compare the build-id of every file below roots and debug directories */
	unsigned threads;              /* for searching; 0 is taken as 1 */
	const struct perfdata_cancel *cancel;   /* ends searching with PERFDATA_EINTR; may be NULL */
	/* called while searching, from any thread, one at a time; may be NULL */
	void (*on_progress)(void *user, uint64_t nr_files);
	void *user;
	struct perfdata_bundle_files *bundle;   /* borrowed until perfdata_match_close; may be NULL */
};

/* Opens the sources. PERFDATA_EREAD: a source cannot be opened, or is empty. PERFDATA_EFORMAT: no ELF file, or
 * no list. PERFDATA_EUSAGE, PERFDATA_ENOMEM. Strings are copied. */
PERFDATA_API enum perfdata_status perfdata_match_open(const struct perfdata_match_options *options,
						      struct perfdata_match **ret, struct perfdata_error *reterr);
PERFDATA_API void perfdata_match_close(struct perfdata_match *match);
/* Adds a file of another recording; `source` is the number of a PERFDATA_SOURCE_OTHER. build_id may be empty.
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
	/* ns since 1970: a file whose ctime is later is not the recorded one; INT64_MAX: unknown */
	int64_t unchanged_since;
	uint32_t device_major, device_minor;   /* of the inode; 0, 0: unknown */
};

struct perfdata_match_result {
	enum perfdata_match_state state;
	uint32_t parts;                /* enum perfdata_match_part */
	size_t source;                 /* where `found` is; SIZE_MAX: nowhere */
	const char *found;             /* path of the file that the state is about; NULL: none */
	/* the file with symbols or debug information, if it is another file; or NULL */
	const char *debug;
	const char *alt;               /* the supplementary file (dwz) of the debug information; or NULL */
	const char *kallsyms;          /* of the kernel; or NULL */
	struct perfdata_bytes build_id;   /* of `found`; may be empty */
	const char *reason;            /* one phrase, or NULL */
	bool identified;               /* no build-id was recorded, but inode and time agree */
};

/* Finds each of `wanted`. Paths and ids in `results` live as long as `match`. PERFDATA_EINTR; PERFDATA_EREAD, or
 * PERFDATA_ENOMEM where memory or descriptors ran out: files may be missing in the results, which are set in any
 * case. */
PERFDATA_API enum perfdata_status perfdata_match_find(struct perfdata_match *match,
						      const struct perfdata_match_wanted *wanted, size_t nr,
						      struct perfdata_match_result *results);

/* How many files (for a list: lines) of a source were found, or looked at while searching. */
PERFDATA_API uint64_t perfdata_match_nr_found(const struct perfdata_match *match, size_t source);
PERFDATA_API uint64_t perfdata_match_nr_searched(const struct perfdata_match *match);

/* The spelling of a state ("match", "moved", …); never NULL. Static storage. */
PERFDATA_API const char *perfdata_match_state_name(enum perfdata_match_state state);
/* Row `index` of the parts and their names; NULL if there are fewer. Static storage. */
PERFDATA_API const char *perfdata_match_part_name(size_t index, enum perfdata_match_part *ret_part);

#ifdef __cplusplus
}
#endif

#endif
