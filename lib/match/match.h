/* SPDX-License-Identifier: MIT */
/* What the files of lib/match share: facts about files, and the places where files may be. */
#ifndef PD_MATCH_H
#define PD_MATCH_H

#include "perfdata/bundle.h"
#include "base/arena.h"
#include "base/hash.h"
#include "base/rooted.h"
#include "perfdata/match.h"
#include "symbols/symbols.h"

/* --- elf_facts.c: headers and notes of an ELF file, read with a few bounded reads --------------------------------- */

#define PD_LINK_NAME 256

struct pd_elf_facts {
	struct pd_build_id id;             /* size 0: it has none */
	uint32_t parts;                    /* bits of enum perfdata_match_part */
	uint16_t machine;
	char debug_link[PD_LINK_NAME];     /* .gnu_debuglink, or "" */
	char alt_link[PD_ROOTED_PATH];     /* .gnu_debugaltlink, or "" */
	struct pd_build_id alt_id;
};

/* The bytes of a file, or of a part of it, or of memory if `fd` is -1. */
struct pd_elf_bytes {
	int fd;
	uint64_t start, length;            /* of the part; length 0: the whole file */
	const char *image;
	size_t image_size;
};

/* Finds only the build-id, with as few reads as possible. PERFDATA_ABSENT: it has none. PERFDATA_EFORMAT: not an ELF
 * file, or a damaged one. PERFDATA_ENOMEM, PERFDATA_EREAD: failed, with errno. */
enum perfdata_status pd_elf_find_id(const struct pd_elf_bytes *bytes, struct pd_build_id *ret);
/* Reads all facts; decompresses compressed files (modules). PERFDATA_EFORMAT: see pd_elf_find_id. PERFDATA_ENOMEM,
 * PERFDATA_EREAD: failed, with errno. */
enum perfdata_status pd_elf_facts_read(int fd, struct pd_elf_facts *ret);
/* Reads the facts of the library that an archive stores as `entry`. PERFDATA_ABSENT: the archive stores none of this
 * name. entry NULL, and other results: as pd_elf_facts_read. */
enum perfdata_status pd_elf_facts_stored(int fd, const char *entry, const struct perfdata_cancel *cancel,
					 struct pd_elf_facts *ret);
/* As pd_elf_facts_read, for bytes that are not compressed. */
enum perfdata_status pd_elf_facts_of(const struct pd_elf_bytes *bytes, struct pd_elf_facts *ret);

/* --- id_list.c: lists of build-ids -------------------------------------------------------------------------------- */

struct pd_listed {
	struct pd_build_id id;             /* size 0: none */
	const char *path;                  /* NULL: none */
};
struct pd_id_list {
	struct pd_listed *items;
	size_t count, capacity;
};
/* Copies strings to `arena`. PERFDATA_EFORMAT: no line has a build-id. */
enum perfdata_status pd_id_list_parse(struct pd_id_list *list, struct pd_arena *arena, const char *text, size_t size);
int pd_id_list_add(struct pd_id_list *list, struct pd_arena *arena, const struct pd_build_id *id, const char *path,
		   size_t size);

/* --- id_search.c: every file below a directory -------------------------------------------------------------------- */

struct pd_search_hit {
	uint32_t wanted;                   /* index of the build-id */
	const char *path;                  /* path below the directory, begins with '/' */
};
struct pd_id_search {
	const struct pd_build_id *ids;     /* build-ids to find */
	size_t nr_ids;
	unsigned threads;
	const struct perfdata_cancel *cancel;
	void (*on_progress)(void *user, uint64_t nr_files);
	void *user;
	uint64_t nr_files;                 /* out: files read so far in all searches */
	enum perfdata_status failure;      /* out: PERFDATA_OK, or why files may be missing */
	struct pd_search_hit *hits;        /* out: sorted by index and path; paths are in `arena` */
	size_t nr_hits, hits_room;
	struct pd_arena arena;
};
enum perfdata_status pd_id_search(struct pd_id_search *search, int root);
void pd_id_search_release(struct pd_id_search *search);

/* --- match.c ------------------------------------------------------------------------------------------------------ */

struct pd_source {
	enum perfdata_match_source_kind kind;
	const char *path;                  /* path from the caller; "" for the host */
	int root;                          /* descriptor of a directory; else -1 */
	const struct perfdata_bundle_files *bundle;   /* NULL: not a bundle */
	struct pd_id_list list;            /* contents of LIST and OTHER */
	struct pd_elf_facts *facts;        /* facts of FILE */
	struct pd_id_search search;
	uint64_t nr_found;
};

/* Keeps the worse failure, after which a missing file may exist all the same. Ignores other statuses. */
static inline void pd_keep_failure(enum perfdata_status *failure, enum perfdata_status status)
{
	if (status == PERFDATA_ENOMEM || (status == PERFDATA_EREAD && !*failure))
		*failure = status;
}

struct perfdata_match {
	struct perfdata_match_options options;
	struct pd_source *sources;
	size_t nr_sources;
	struct pd_arena arena;
	enum perfdata_status failure;      /* PERFDATA_OK, PERFDATA_EREAD, PERFDATA_ENOMEM */
};

/* Whether a directory has an entry other than `name`. */
bool pd_has_entry_but(int root, const char *name);
/* Whether the source has files with paths. */
bool pd_source_has_files(const struct pd_source *source);
/* Opens the regular file at `path` of a source for reading; `real` is its path without links. -1 with errno. */
int pd_source_open(const struct pd_source *source, const char *path, enum pd_regular kind, char real[PD_ROOTED_PATH]);

/* --- bundle_read.c: `path` as for pd_source_open ------------------------------------------------------------------ */

int pd_bundle_open(const struct perfdata_bundle_files *files, const char *path, char real[PD_ROOTED_PATH]);
/* Whether the bundle has other files than its manifest. */
bool pd_bundle_has_files(const struct perfdata_bundle_files *files);

/* --- candidates.c: a wanted file and its candidates --------------------------------------------------------------- */

/* The state of the search for a wanted file. */
struct pd_lookup {
	struct perfdata_match *match;
	const struct perfdata_match_wanted *wanted;
	struct pd_build_id id;             /* wanted build-id; size 0: unknown */
	struct perfdata_match_result *result;
	unsigned rank;                     /* rank of result->state; 0: nothing found so far */
	uint32_t found_parts;              /* parts of result->found, without its debug file */
	char text_path[PD_ROOTED_PATH];    /* path, in its source, of the file at the recorded path; "": none */
	char debug_link[PD_LINK_NAME];
	/* .gnu_debugaltlink, and the path, in its source, of the file with this link */
	char alt_link[PD_ROOTED_PATH], alt_from[PD_ROOTED_PATH];
	struct pd_build_id alt_id;
};

/* Judges the file at `path` of a source. at_path: this is the recorded path. True: it is the wanted file. */
bool pd_consider(struct pd_lookup *lookup, struct pd_source *source, const char *path, bool at_path);
/* As pd_consider, for a file with known facts. shown: its path for people. */
bool pd_consider_facts(struct pd_lookup *lookup, struct pd_source *source, const char *shown,
		       const struct pd_elf_facts *facts, bool at_path);
/* Takes a result with this state and the path `shown`. False: the result before it is as good or better. */
bool pd_take_result(struct pd_lookup *lookup, struct pd_source *source, enum perfdata_match_state state,
		    const char *shown, const struct pd_build_id *id, uint32_t parts, const char *reason);
/* Returns the path for people of a file in a source, in the match's arena; "": no memory. */
const char *pd_shown_path(struct perfdata_match *match, const struct pd_source *source, const char *real);
/* Returns the build-id to look for: the recorded one, or that of the file which replaces the recorded file. */
const struct pd_build_id *pd_lookup_id(const struct pd_lookup *lookup, struct pd_build_id *room);

/* --- places.c: paths of the files in a source; kernel_places.c ---------------------------------------------------- */

void pd_look_in_source(struct pd_lookup *lookup, struct pd_source *source);
/* Follows links of the files found so far to separate debug information. */
void pd_look_for_links(struct pd_lookup *lookup);
void pd_look_for_kernel(struct pd_lookup *lookup, struct pd_source *source);
void pd_look_for_module(struct pd_lookup *lookup, struct pd_source *source);
void pd_look_for_vdso(struct pd_lookup *lookup, struct pd_source *source);
/* Writes "PREFIX/.build-id/ab/cdef…SUFFIX"; false: it is too long. */
bool pd_build_id_path(char out[PD_ROOTED_PATH], const char *prefix, const struct pd_build_id *id, const char *suffix);

#endif
