/* SPDX-License-Identifier: MIT */
/* Sorts symbols by address. Keys are sorted instead of symbols: they are smaller, so more of them fit into the
 * caches. */
#include "config.h"
#include "symbols/table/symbol_table.h"

#define DIGIT 11   /* bits of an address that one pass of sorting uses */

/* Sorts by one digit, stably. */
static void sort_by_digit(const struct pd_address_key *from, struct pd_address_key *to, size_t count, unsigned shift)
{
	const uint64_t mask = (1u << DIGIT) - 1;
	size_t places[1u << DIGIT] = { 0 };
	for (size_t i = 0; i < count; i++)
		places[pd_key_address(&from[i]) >> shift & mask]++;
	size_t place = 0;
	for (size_t digit = 0; digit <= mask; digit++) {
		const size_t nr = places[digit];
		places[digit] = place;
		place += nr;
	}
	for (size_t i = 0; i < count; i++)
		to[places[pd_key_address(&from[i]) >> shift & mask]++] = from[i];
}

/* Returns the bits in which addresses differ. */
static uint64_t find_differences(const struct pd_address_key *keys, size_t count)
{
	uint64_t differ = 0;
	for (size_t i = 1; i < count; i++)
		differ |= pd_key_address(&keys[i]) ^ pd_key_address(&keys[0]);
	return differ;
}

enum perfdata_status pd_sort_keys(struct pd_address_key *keys, size_t count, struct pd_work *work,
				  struct pd_address_key **ret)
{
	const uint64_t differ = find_differences(keys, count);
	struct pd_address_key *from = keys, *to = keys + count;
	for (unsigned shift = 0; shift < 64 && differ >> shift; shift += DIGIT) {
		if (!(differ >> shift & ((1u << DIGIT) - 1)))
			continue;
		const enum perfdata_status status = pd_symbol_work(work, count);
		if (status)
			return status;
		sort_by_digit(from, to, count, shift);
		struct pd_address_key *sorted = to;
		to = from;
		from = sorted;
	}
	*ret = from;
	return PERFDATA_OK;
}
