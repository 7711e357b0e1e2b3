/* SPDX-License-Identifier: MIT */
/* Rules of a file: how to go from a frame to its caller, for each address of code. A rule is made once; from then on,
 * any number of threads read it without a lock. */
#ifndef PD_UNWIND_RULES_H
#define PD_UNWIND_RULES_H

#include <string.h>
#include "base/hash.h"
#include "symbols/symbols.h"
#include "symbols/unwind/unwind_entries.h"

struct pd_frame_row;
struct pd_frame_cie;
/* Converts a row to a rule; PD_RULE_LIBDWFL: the row has an uncommon form. */
struct pd_rule pd_rule_of_row(const struct pd_frame_row *row, const struct pd_frame_cie *cie, unsigned machine);

/* A table of rules by address, which threads read without a lock. */
struct pd_rule_slot {
	_Atomic uint64_t key;      /* address + 1; set after the rule. 0: free */
	_Atomic uint64_t first, second;   /* words of the rule */
};
struct pd_rule_slots {
	struct pd_rule_slots *former;   /* the smaller table before, which other threads may still read */
	size_t size;                    /* a power of two */
	struct pd_rule_slot items[];
};
struct pd_known_rules {
	_Atomic(struct pd_rule_slots *) slots;   /* NULL: there are no rules yet */
	atomic_bool is_beyond;                   /* the limit of work was reached: stacks end in this file */
};

struct pd_rules;   /* begins with its struct pd_known_rules */

static inline size_t pd_rule_place(const struct pd_rule_slots *slots, uint64_t key)
{
	return (size_t)pd_hash_u64(key, 0) & (slots->size - 1);
}

/* Finds a rule that was made before; false: there is none, so ask pd_rule_find. */
static inline bool pd_rule_known(const struct pd_known_rules *known, uint64_t vaddr, struct pd_rule *ret)
{
	const struct pd_rule_slots *slots = atomic_load_explicit(&known->slots, memory_order_acquire);
	if (atomic_load_explicit(&known->is_beyond, memory_order_relaxed)) {
		*ret = (struct pd_rule){ .kind = PD_RULE_END };
		return true;
	}
	for (size_t i = slots ? pd_rule_place(slots, vaddr + 1) : 0; slots; i = (i + 1) & (slots->size - 1)) {
		const struct pd_rule_slot *slot = &slots->items[i];
		const uint64_t key = atomic_load_explicit(&slot->key, memory_order_acquire);
		if (!key)
			return false;
		if (key != vaddr + 1)
			continue;
		const uint64_t words[2] = { atomic_load_explicit(&slot->first, memory_order_relaxed),
					    atomic_load_explicit(&slot->second, memory_order_relaxed) };
		memcpy(ret, words, sizeof words);
		return true;
	}
	return false;
}

/* Finds the rule of a virtual address of the file, in any thread. The dso must be loaded and have code. in_turn: stacks
 * are unwound in the order of the recording, so work counts against the file's limit. A look-up ahead of its turn
 * counts no work, and returns false if it would have to. */
bool pd_rule_find(struct perfdata_symbols_dso *dso, uint64_t vaddr, bool in_turn, struct pd_rule *ret);
/* As pd_rule_find, for the many addresses that come again: without a call if the rule is known. */
static inline bool pd_rule_find_again(struct perfdata_symbols_dso *dso, uint64_t vaddr, bool in_turn,
				      struct pd_rule *ret)
{
	const void *rules = atomic_load_explicit(&dso->rules, memory_order_acquire);
	const bool is_plain = rules && !dso->answers && !dso->asked;
	return (is_plain && pd_rule_known(rules, vaddr, ret)) || pd_rule_find(dso, vaddr, in_turn, ret);
}
void pd_rules_close(struct perfdata_symbols_dso *dso);

/* Finds the rule that a JIT compiler wrote for an address at a time, in any thread (unwind_jit.c). The dso must be
 * loaded. false: there is none. */
bool pd_jit_rule_find(const struct perfdata_symbols_dso *dso, uint64_t address, uint64_t time, struct pd_rule *ret);
/* Finds the rule for a code and an offset in it, as pd_asked_rule notes them; *ret_key: its key in answers. */
bool pd_jit_rule_of_place(const struct perfdata_symbols_dso *dso, uint64_t place, uint64_t *ret_key,
			  struct pd_rule *ret);

#endif
