/* SPDX-License-Identifier: MIT */
/* Pseudonyms. A key gives each name one pseudonym; without the key nobody can find the name from its pseudonym. */
#ifndef PD_PSEUDONYM_H
#define PD_PSEUDONYM_H

#include "base/arena.h"
#include "base/hash.h"
#include "perfdata/base.h"


/* Kinds of names that get pseudonyms, for the report and the file that lists the pairs. */
enum pd_pseudonym_kind {
	PD_PSEUDONYM_COMM,
	PD_PSEUDONYM_PATH,
	PD_PSEUDONYM_NAME,
	PD_PSEUDONYM_BUILD_ID,
	PD_PSEUDONYM_PID,
	PD_PSEUDONYM_NUMBER,
	PD_NR_PSEUDONYM_KINDS
};

struct pd_pseudonyms {
	uint64_t key[2];
	unsigned keep;                      /* enum perfdata_anonymize_keep */
	uint64_t counts[PD_NR_PSEUDONYM_KINDS];
	/* called for each new pair; NULL: not called */
	void (*on_pair)(void *user, const char *kind, struct perfdata_bytes from, struct perfdata_bytes to);
	void *user;
	struct pd_hash_map seen;                 /* hashes of the pairs that were passed to the user */
	bool no_memory;
};

uint64_t pd_keyed_hash(const struct pd_pseudonyms *names, unsigned salt, const void *bytes, size_t size);
/* The pseudonym of a pid or tid: a permutation that keeps 0 and -1. */
int32_t pd_pseudonym_pid(struct pd_pseudonyms *names, int32_t pid);
/* The pseudonym of an inode, a device or the id of a cgroup; 0 stays 0. */
uint64_t pd_pseudonym_number(struct pd_pseudonyms *names, uint64_t number);
/* The pseudonym of a build-id of at most 24 bytes; zeros stay zeros. */
void pd_pseudonym_build_id(struct pd_pseudonyms *names, const uint8_t *from, size_t size, uint8_t *to);
/* Pseudonyms of texts, in memory of the arena; NULL without memory. */
char *pd_pseudonym_comm(struct pd_pseudonyms *names, struct pd_arena *arena, struct perfdata_bytes comm,
			size_t *ret_size);
char *pd_pseudonym_path(struct pd_pseudonyms *names, struct pd_arena *arena, struct perfdata_bytes path,
			size_t *ret_size);
char *pd_pseudonym_name(struct pd_pseudonyms *names, struct pd_arena *arena, struct perfdata_bytes name,
			size_t *ret_size);
void pd_pseudonyms_release(struct pd_pseudonyms *names);

#endif
