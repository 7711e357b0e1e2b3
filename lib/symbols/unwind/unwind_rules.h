/* SPDX-License-Identifier: MIT */
/* Rules of a file: how to go from a frame to its caller, for each address of code. A rule is made once; from then on,
 * any number of threads read it without a lock. */
#ifndef PD_UNWIND_RULES_H
#define PD_UNWIND_RULES_H

#include "symbols/symbols.h"
#include "symbols/unwind/unwind_entries.h"

struct pd_frame_row;
struct pd_frame_cie;
/* Converts a row to a rule; PD_RULE_LIBDWFL: the row has an uncommon form. */
struct pd_rule pd_rule_of_row(const struct pd_frame_row *row, const struct pd_frame_cie *cie, unsigned machine);

/* The rules that are known, which threads read without a lock. Many addresses share a rule, so the table by address has
 * only the numbers of rules: it is looked up for each frame, and has to fit into the processor's caches. */
struct pd_rule_list {
	struct pd_rule_list *former;    /* the smaller list before, which other threads may still read */
	size_t room;
	struct pd_rule items[];
};
struct pd_rule_slots {
	struct pd_rule_slots *former;   /* as in pd_rule_list */
	size_t size;                    /* a power of two */
	unsigned shift;                 /* 64 minus the number of bits of an index */
	uint64_t factor;                /* odd and random, so that no file can make its addresses collide */
	_Atomic uint64_t items[];       /* key, and below it the number of the rule; set after the rule. 0: free */
};
#define PD_RULE_NUMBER_BITS 16u
#define PD_RULE_MOST_NUMBERS (1u << PD_RULE_NUMBER_BITS)
struct pd_known_rules {
	_Atomic(struct pd_rule_slots *) slots;   /* NULL: there are no rules yet */
	_Atomic(struct pd_rule_list *) list;
	atomic_bool is_beyond;                   /* the limit of work was reached: stacks end in this file */
};

struct pd_rules;   /* begins with its struct pd_known_rules */

/* The key of an address: never 0. Rules of addresses above PD_RULE_MOST_ADDRESS are not kept. */
#define PD_RULE_MOST_ADDRESS ((UINT64_C(1) << (64 - PD_RULE_NUMBER_BITS)) - 2)
static inline uint64_t pd_rule_key(uint64_t vaddr) { return vaddr + 1; }

static inline size_t pd_rule_place(const struct pd_rule_slots *slots, uint64_t key)
{
	return (size_t)(key * slots->factor >> slots->shift);
}

/* Returns a rule that was made before; it stays until the rules are closed. NULL: there is none: ask pd_rule_find. */
static inline const struct pd_rule *pd_rule_known(const struct pd_known_rules *known, uint64_t vaddr)
{
	static const struct pd_rule end = { .kind = PD_RULE_END };
	const struct pd_rule_slots *slots = atomic_load_explicit(&known->slots, memory_order_acquire);
	const uint64_t key = pd_rule_key(vaddr);
	if (atomic_load_explicit(&known->is_beyond, memory_order_relaxed))
		return &end;
	if (!slots || vaddr > PD_RULE_MOST_ADDRESS)
		return NULL;
	for (size_t i = pd_rule_place(slots, key);; i = (i + 1) & (slots->size - 1)) {
		const uint64_t item = atomic_load_explicit(&slots->items[i], memory_order_acquire);
		/* the list is read after the number, so it has the rule */
		if (item >> PD_RULE_NUMBER_BITS == key)
			return &atomic_load_explicit(&known->list, memory_order_acquire)
					->items[item & (PD_RULE_MOST_NUMBERS - 1)];
		if (!item)
			return NULL;
	}
}

/* Finds the rule of a virtual address of the file, in any thread. The dso must be loaded and have code. in_turn: stacks
 * are unwound in the order of the recording, so work counts against the file's limit. A look-up ahead of its turn
 * counts no work, and returns false if it would have to. */
bool pd_rule_find(struct perfdata_symbols_dso *dso, uint64_t vaddr, bool in_turn, struct pd_rule *ret);
/* The known rules of a dso; NULL: there are none yet, or look-ups also need or note answers. */
static inline const struct pd_known_rules *pd_rules_plain(const struct perfdata_symbols_dso *dso)
{
	const void *rules = atomic_load_explicit(&dso->rules, memory_order_acquire);
	return !dso->answers && !dso->asked ? rules : NULL;
}
/* As pd_rule_find, for the many addresses that come again: without a call if the rule is known. Returns that rule, or
 * `made` with the rule; NULL where pd_rule_find returns false. */
static inline const struct pd_rule *pd_rule_find_again(struct perfdata_symbols_dso *dso, uint64_t vaddr, bool in_turn,
						       struct pd_rule *made)
{
	const struct pd_known_rules *rules = pd_rules_plain(dso);
	const struct pd_rule *known = rules ? pd_rule_known(rules, vaddr) : NULL;
	return known ? known : pd_rule_find(dso, vaddr, in_turn, made) ? made : NULL;
}
void pd_rules_close(struct perfdata_symbols_dso *dso);

/* Finds the rule that a JIT compiler wrote for an address at a time, in any thread (unwind_jit.c). The dso must be
 * loaded. false: there is none. */
bool pd_jit_rule_find(const struct perfdata_symbols_dso *dso, uint64_t address, uint64_t time, struct pd_rule *ret);
/* Finds the rule for a code and an offset in it, as pd_asked_rule notes them; *ret_key: its key in answers. */
bool pd_jit_rule_of_place(const struct perfdata_symbols_dso *dso, uint64_t place, uint64_t *ret_key,
			  struct pd_rule *ret);

#endif
