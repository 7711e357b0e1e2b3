/* SPDX-License-Identifier: MIT */
/* The distinct values of a column in the order of their first use, for a dictionary page. Hashing does not affect the
 * output. */
#ifndef EMIT_DICTIONARY_H
#define EMIT_DICTIONARY_H

#include "perfdata/base.h"

struct dictionary {
	uint32_t *slots;              /* index of an entry + 1; 0: free */
	/* used and allocated slots; nr_slots is a power of two, at least twice the number of entries */
	size_t nr_slots, room_slots;
	uint64_t seed;
	uint64_t *numbers;            /* entries of a dictionary of numbers */
	struct perfdata_bytes *texts; /* entries of a dictionary of texts, borrowed */
	size_t nr;
	uint64_t bytes;               /* of all texts */
};

/* Empties the dictionary but keeps its memory. {0} is an empty dictionary. */
void pd_dictionary_clear(struct dictionary *dictionary);
void pd_dictionary_release(struct dictionary *dictionary);
/* The index of an entry, added if it is new; UINT32_MAX without memory. A dictionary has either numbers or texts. */
uint32_t pd_dictionary_number(struct dictionary *dictionary, uint64_t number);
uint32_t pd_dictionary_text(struct dictionary *dictionary, struct perfdata_bytes text);

#endif
