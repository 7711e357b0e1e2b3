/* SPDX-License-Identifier: MIT */
/* The distinct values of a column, in the order of their first use: what a dictionary page holds. How a table is hashed
 * changes no byte. */
#ifndef EMIT_DICTIONARY_H
#define EMIT_DICTIONARY_H

#include "perfdata/base.h"

struct dictionary {
	uint32_t *slots;              /* entry + 1; 0: free */
	size_t nr_slots, room_slots;  /* in use: a power of two, twice as many as entries at least */
	uint64_t seed;
	uint64_t *numbers;            /* of entries: of numbers … */
	struct perfdata_bytes *texts; /* … or of texts, borrowed */
	size_t nr;
	uint64_t bytes;               /* of all texts */
};

/* Empties the dictionary ({0} is an empty one, too), and keeps its memory for the next values. */
void pd_dictionary_clear(struct dictionary *dictionary);
void pd_dictionary_release(struct dictionary *dictionary);
/* The index of the entry, added if it is new; UINT32_MAX without memory. A dictionary holds numbers or texts, never
 * both. */
uint32_t pd_dictionary_number(struct dictionary *dictionary, uint64_t number);
uint32_t pd_dictionary_text(struct dictionary *dictionary, struct perfdata_bytes text);

#endif
