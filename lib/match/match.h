/* SPDX-License-Identifier: MIT */
/* Inside the match stage: what a file at hand is, and where files may be. */
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
	uint32_t parts;                    /* enum perfdata_match_part */
	uint16_t machine;
	char debug_link[PD_LINK_NAME];     /* .gnu_debuglink, or "" */
	char alt_link[PD_ROOTED_PATH];     /* .gnu_debugaltlink, or "" */
	struct pd_build_id alt_id;
};

/* Where bytes come from: a file, or memory where `fd` is -1. */
struct pd_elf_bytes {
	int fd;
	const char *image;
	size_t image_size;
};

/* The build-id alone, from as few bytes as will do. PERFDATA_ABSENT: none. PERFDATA_EFORMAT: no ELF file, or one that
 * lies. PERFDATA_ENOMEM, PERFDATA_EREAD: something failed, with errno. */
enum perfdata_status pd_elf_find_id(const struct pd_elf_bytes *bytes, struct pd_build_id *ret);
/* All facts. Packed files (modules) are decompressed. PERFDATA_EFORMAT; PERFDATA_ENOMEM, PERFDATA_EREAD: something
 * failed, with errno. */
enum perfdata_status pd_elf_facts_read(int fd, struct pd_elf_facts *ret);
/* As above, for bytes that are not compressed. */
enum perfdata_status pd_elf_facts_of(const struct pd_elf_bytes *bytes, struct pd_elf_facts *ret);

/* --- id_list.c: lists of build-ids -------------------------------------------------------------------------------- */

struct pd_listed {
	struct pd_build_id id;             /* size 0: none */
	const char *path;                  /* or NULL */
};
struct pd_id_list {
	struct pd_listed *items;
	size_t count, capacity;
};
/* Strings go to `arena`. PERFDATA_EFORMAT: not one line has a build-id. */
enum perfdata_status pd_id_list_parse(struct pd_id_list *list, struct pd_arena *arena, const char *text, size_t size);
int pd_id_list_add(struct pd_id_list *list, struct pd_arena *arena, const struct pd_build_id *id, const char *path,
		   size_t size);

/* --- id_search.c: every file below a directory -------------------------------------------------------------------- */

struct pd_search_hit {
	uint32_t wanted;                   /* number of the build-id */
	const char *path;                  /* below the directory, begins with '/' */
};
struct pd_id_search {
	const struct pd_build_id *ids;     /* sought */
	size_t nr_ids;
	unsigned threads;
	const struct perfdata_cancel *cancel;
	void (*on_progress)(void *user, uint64_t nr_files);
	void *user;
	uint64_t nr_files;                 /* out: looked at so far, of all searches */
	enum perfdata_status failure;      /* out: PERFDATA_OK, or why files may be missing */
	struct pd_search_hit *hits;        /* out: sorted by number and path; paths in `arena` */
	size_t nr_hits, hits_room;
	struct pd_arena arena;
};
enum perfdata_status pd_id_search(struct pd_id_search *search, int root);
void pd_id_search_release(struct pd_id_search *search);

/* --- match.c ------------------------------------------------------------------------------------------------------ */

struct pd_source {
	enum perfdata_match_source_kind kind;
	const char *path;                  /* as given; "" for the host */
	int root;                          /* of directories; else -1 */
	const struct perfdata_bundle_files *bundle;   /* or NULL */
	struct pd_id_list list;            /* LIST, OTHER */
	struct pd_elf_facts *facts;        /* FILE */
	struct pd_id_search search;
	uint64_t nr_found;
};

/* Keeps the worst of the failures: what was not found then may be there. Other statuses are none. */
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

/* Whether a directory has an entry of another name. */
bool pd_has_entry_but(int root, const char *name);
/* Whether the source has files that are opened by path. */
bool pd_source_has_files(const struct pd_source *source);
/* Opens the regular file at `path` of such a source for reading; `real` is where it ends when links are followed. -1
 * with errno. */
int pd_source_open(const struct pd_source *source, const char *path, enum pd_regular kind, char real[PD_ROOTED_PATH]);

/* --- bundle_read.c: `path` as above ------------------------------------------------------------------------------- */

int pd_bundle_open(const struct perfdata_bundle_files *files, const char *path, char real[PD_ROOTED_PATH]);
/* Whether the bundle has files beside its manifest. */
bool pd_bundle_has_files(const struct perfdata_bundle_files *files);

/* --- candidates.c: one wanted file, and what may be it ------------------------------------------------------------ */

/* What was found so far for a wanted file. */
struct pd_lookup {
	struct perfdata_match *match;
	const struct perfdata_match_wanted *wanted;
	struct pd_build_id id;             /* wanted; size 0: unknown */
	struct perfdata_match_result *result;
	unsigned rank;                     /* of result->state; 0: nothing was found yet */
	uint32_t found_parts;              /* of result->found alone */
	char text_path[PD_ROOTED_PATH];    /* of the file at the recorded path, below its source, or "" */
	char debug_link[PD_LINK_NAME];
	/* .gnu_debugaltlink, and the file that has this link, below its source */
	char alt_link[PD_ROOTED_PATH], alt_from[PD_ROOTED_PATH];
	struct pd_build_id alt_id;
};

/* Judges a file of a source, at `path` below its root. `at_path`: the file is where the recorded one was. True: it is
 * the wanted file. */
bool pd_consider(struct pd_lookup *lookup, struct pd_source *source, const char *path, bool at_path);
/* The same for a file whose facts are known. `shown`: the path for people. */
bool pd_consider_facts(struct pd_lookup *lookup, struct pd_source *source, const char *shown,
		       const struct pd_elf_facts *facts, bool at_path);
/* Takes a result of this state, with `shown` as the path found. False: what was found before is as good or better. */
bool pd_take_result(struct pd_lookup *lookup, struct pd_source *source, enum perfdata_match_state state,
		    const char *shown, const struct pd_build_id *id, uint32_t parts, const char *reason);
/* The path of a file below a source as people write it, in the match's arena; "" without memory. */
const char *pd_shown_path(struct perfdata_match *match, const struct pd_source *source, const char *real);
/* The build-id to look for: the recorded one, or the build-id of the file that replaces the recorded file. */
const struct pd_build_id *pd_lookup_id(const struct pd_lookup *lookup, struct pd_build_id *room);

/* --- places.c: where the files of a source are; kernel_places.c --------------------------------------------------- */

void pd_look_in_source(struct pd_lookup *lookup, struct pd_source *source);
/* Looks for separate debug information to which the files found so far link. */
void pd_look_for_links(struct pd_lookup *lookup);
void pd_look_for_kernel(struct pd_lookup *lookup, struct pd_source *source);
void pd_look_for_module(struct pd_lookup *lookup, struct pd_source *source);
void pd_look_for_vdso(struct pd_lookup *lookup, struct pd_source *source);
/* "PREFIX/.build-id/ab/cdef…SUFFIX" */
bool pd_build_id_path(char out[PD_ROOTED_PATH], const char *prefix, const struct pd_build_id *id, const char *suffix);

/* --- for other rooms --- */

#endif
