/* SPDX-License-Identifier: MIT */
/* The rules of a file for unwinding. An address takes 8 bytes, and a distinct rule 16. If .eh_frame has the index that
 * linkers write (.eh_frame_hdr), a look-up reads the entry of the address and the bytes around it, so the tables of a
 * large file need not fit into memory. Without an index the table is listed. libdwfl unwinds through files whose index
 * is not sorted. As in libdwfl, .debug_frame is for addresses without an entry in .eh_frame. 32-bit ARM's exception
 * index is for addresses without either, since it is not exact in prologues and epilogues; so are rules for the
 * procedure linkage tables of linkers that write none. */
#include "config.h"
#include "symbols/unwind/unwind_rules.h"
#include <string.h>
#include "base/cancel.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/table.h"
#include "symbols/answers/symbol_answers.h"
#include "symbols/unwind/unwind_frame_list.h"
#include "symbols/unwind/unwind_entries.h"
#include "symbols/unwind/unwind_exidx.h"
#include "symbols/unwind/unwind_indexed.h"
#include "symbols/unwind/unwind_linkage.h"

static bool fits_in(int64_t value, unsigned bits)
{
	return value >= -((int64_t)1 << (bits - 1)) && value < (int64_t)1 << (bits - 1);
}

/* --- the table of rules ------------------------------------------------------------------------------------------- */

#define FIRST_SLOTS 256u
#define FIRST_RULES 64u
/* The part of the account's limit up to which a table grows even while the account is tight: a recording that is sorted
 * in memory may keep it tight to the end, and making the rules of each stack anew takes ten times as long. */
#define PART_IF_TIGHT 256u

_Static_assert(PD_INDEXED_ROW_USER == PD_RULE_NUMBER_BITS, "a row is kept with the number of its rule");

#define MOST_CIES 8u
#define BYTES_OF_STEP 64u          /* bytes of an entry that count as a step of work */

/* .debug_frame, or .eh_frame without an index. */
struct listed_table {
	enum perfdata_status status;       /* result of opening it */
	struct pd_frame_list list;
	struct pd_frame_known_cie cies[MOST_CIES];   /* those that were read last */
	unsigned nr_cies, next_cie;
};

struct pd_rules {
	struct pd_known_rules known;       /* read without the lock */
	struct pd_monitor *lock;           /* held to open tables, to read listed ones, and to change `known` */
	size_t used;                       /* slots */
	struct pd_index numbers;           /* of the distinct rules */
	uint32_t nr_rules;
	uint64_t seed;                     /* of `numbers` */
	size_t accounted;
	_Atomic(enum { NOT_OPENED, IS_FINE, IS_BROKEN }) state;   /* set after the next four */
	struct pd_work work;               /* limits reading and running entries */
	struct pd_linkage linkage;
	bool has_indexed, has_listed_eh, has_debug_frame;
	struct pd_indexed_frames indexed;
	struct listed_table *debug_frame, *listed_eh;   /* NULL: not yet needed */
};

static void put_slot(struct pd_rule_slots *slots, uint64_t item)
{
	size_t i = pd_rule_place(slots, item >> PD_RULE_NUMBER_BITS);
	while (atomic_load_explicit(&slots->items[i], memory_order_relaxed))
		i = (i + 1) & (slots->size - 1);
	atomic_store_explicit(&slots->items[i], item, memory_order_release);
}

static void account_for(struct perfdata_symbols_dso *dso, struct pd_rules *rules, size_t bytes)
{
	rules->accounted += bytes;
	pd_account_take(pd_symbols_account(dso->symbols), PD_USE_SYMBOLS, bytes);
}

/* Makes room for an address. false: no memory; its rule is not kept, and is made again when needed. */
static bool make_room(struct perfdata_symbols_dso *dso, struct pd_rules *rules)
{
	struct pd_rule_slots *old = atomic_load_explicit(&rules->known.slots, memory_order_relaxed);
	if (old && rules->used < old->size / 4 * 3)
		return true;
	const size_t size = old ? 2 * old->size : FIRST_SLOTS,
		     bytes = sizeof *old + size * sizeof *old->items;
	const struct pd_account *account = pd_symbols_account(dso->symbols);
	if (old && pd_account_is_tight(account) && bytes > account->limit / PART_IF_TIGHT)
		return rules->used < old->size / 8 * 7;   /* look-ups in a full table would read all of it */
	struct pd_rule_slots *slots = pd_calloc_slots(1, bytes);
	if (!slots)
		return false;
	slots->former = old;
	slots->size = size;
	slots->shift = 64 - (unsigned)__builtin_ctzll(size);
	slots->factor = old ? old->factor : pd_hash_seed(slots) | 1;
	for (size_t i = 0; old && i < old->size; i++) {
		const uint64_t item = atomic_load_explicit(&old->items[i], memory_order_relaxed);
		if (item)
			put_slot(slots, item);
	}
	atomic_store_explicit(&rules->known.slots, slots, memory_order_release);
	account_for(dso, rules, bytes);
	return true;
}

static bool grow_list(struct perfdata_symbols_dso *dso, struct pd_rules *rules)
{
	struct pd_rule_list *old = atomic_load_explicit(&rules->known.list, memory_order_relaxed);
	const size_t room = old ? 2 * old->room : FIRST_RULES, bytes = sizeof *old + room * sizeof *old->items;
	struct pd_rule_list *list = pd_malloc(bytes);
	if (!list)
		return false;
	list->former = old;
	list->room = room;
	if (old)
		memcpy(list->items, old->items, old->room * sizeof *old->items);
	atomic_store_explicit(&rules->known.list, list, memory_order_release);
	account_for(dso, rules, bytes);
	return true;
}

static int is_same_rule(const void *list, uint32_t number, const void *wanted)
{
	return memcmp(&((const struct pd_rule_list *)list)->items[number], wanted, sizeof(struct pd_rule)) == 0;
}

/* Finds the number of a rule; a new rule is added. false: there is no room for it. */
static bool number_rule(struct perfdata_symbols_dso *dso, struct pd_rules *rules, const struct pd_rule *rule,
			uint32_t *ret)
{
	struct pd_rule_list *list = atomic_load_explicit(&rules->known.list, memory_order_relaxed);
	uint64_t words[2];
	memcpy(words, rule, sizeof words);
	const uint64_t hash = pd_hash_two(words[0], words[1], rules->seed);
	*ret = pd_index_find(&rules->numbers, hash, is_same_rule, list, rule);
	if (*ret != UINT32_MAX)
		return true;
	*ret = rules->nr_rules;
	const size_t before = rules->numbers.capacity;
	if (*ret == PD_RULE_MOST_NUMBERS || ((!list || *ret == list->room) && !grow_list(dso, rules)) ||
	    pd_index_add(&rules->numbers, hash, *ret) < 0)
		return false;
	account_for(dso, rules, (rules->numbers.capacity - before) * sizeof *rules->numbers.slots);
	atomic_load_explicit(&rules->known.list, memory_order_relaxed)->items[rules->nr_rules++] = *rule;
	return true;
}

/* A rule that was made for an address. */
struct made_rule {
	struct pd_rule rule;
	uint64_t steps;            /* of work */
	pd_indexed_row *row;       /* keeps the row of the rule; NULL: nothing does */
	uint64_t row_word;
};

static void store_rule(struct perfdata_symbols_dso *dso, struct pd_rules *rules, uint64_t vaddr,
		       const struct made_rule *made)
{
	uint32_t number;
	if (!number_rule(dso, rules, &made->rule, &number))
		return;
	if (made->row && made->row_word)
		atomic_store_explicit(made->row, made->row_word | number, memory_order_release);
	if (vaddr > PD_RULE_MOST_ADDRESS || !make_room(dso, rules))
		return;
	put_slot(atomic_load_explicit(&rules->known.slots, memory_order_relaxed),
		 pd_rule_key(vaddr) << PD_RULE_NUMBER_BITS | number);
	rules->used++;
}

/* --- tables of the file ------------------------------------------------------------------------------------------- */

static bool open_tables(struct perfdata_symbols_dso *dso, struct pd_rules *rules)
{
	const struct pd_elf *elf = dso->text;
	uint8_t head[PD_FRAME_INDEX_HEAD];
	struct pd_frame_place place;
	const struct pd_elf *file;
	if (!pd_linkage_find(elf, &rules->linkage))
		return false;
	rules->has_debug_frame = pd_frame_find_debug(elf, dso->debug, &file) != NULL;
	const bool has_entries = pd_frame_find_eh(elf, head, &place);
	rules->has_indexed = has_entries && place.is_indexed;
	rules->has_listed_eh = has_entries && !place.is_indexed;
	pd_work_init(&rules->work, rules->has_indexed ? place.size : pd_elf_size(elf),
		     pd_symbols_account(dso->symbols), dso->symbols->options.cancel);
	return !rules->has_indexed || pd_indexed_open(dso, &place, head, &rules->indexed);
}

/* Opens the tables unless a thread has opened them. false: there are none that can be used. */
static bool are_open(struct perfdata_symbols_dso *dso, struct pd_rules *rules)
{
	if (atomic_load_explicit(&rules->state, memory_order_acquire) == NOT_OPENED) {
		pd_monitor_enter_soon(rules->lock);
		if (atomic_load_explicit(&rules->state, memory_order_relaxed) == NOT_OPENED)
			atomic_store_explicit(&rules->state, open_tables(dso, rules) ? IS_FINE : IS_BROKEN,
					      memory_order_release);
		pd_monitor_leave(rules->lock);
	}
	return atomic_load_explicit(&rules->state, memory_order_relaxed) == IS_FINE;
}

/* --- from rows to rules ------------------------------------------------------------------------------------------- */

#define MOST_REGISTERS 34u      /* x86-64 needs 17, aarch64 33 */

/* Whether a call leaves the return address in a register. */
static bool has_link_register(unsigned machine) { return machine == EM_AARCH64 || machine == EM_ARM; }

/* Whether a rule can say where a register is saved. */
static bool has_common_place(const struct pd_frame_register *saved)
{
	return (saved->how == PD_FRAME_DEFAULT || saved->how == PD_FRAME_SAME || saved->how == PD_FRAME_AT_CFA) &&
	       fits_in(saved->offset, 32);
}
static enum pd_rule_place place_of(const struct pd_frame_register *saved)
{
	return saved->how == PD_FRAME_AT_CFA ? PD_RULE_AT_CFA : PD_RULE_SAME;
}

/* Converts the CFA; false: it is computed from another register, or the offset is too large. */
static bool take_base(const struct pd_frame_row *row, const struct pd_rule_registers *registers, struct pd_rule *rule)
{
	if (row->cfa_is_other || !fits_in(row->cfa_offset, 32))
		return false;
	rule->cfa = (int32_t)row->cfa_offset;
	if (row->cfa_register == registers->sp)
		rule->base = PD_RULE_FROM_SP;
	else if (row->cfa_register == registers->fp)
		rule->base = PD_RULE_FROM_FP;
	else
		rule->base = PD_RULE_FROM_KEPT;
	return rule->base != PD_RULE_FROM_KEPT || row->cfa_register == registers->kept;
}

/* Completes the rule of a function that keeps the CFA in its frame, with the registers that it saves. */
static void take_saved_base(const struct pd_frame_row *row, const struct pd_frame_register *fp,
			    const struct pd_frame_register *kept, struct pd_rule *rule)
{
	const bool is_kept_saved = kept->how == PD_FRAME_AT_FP && fits_in(kept->offset, 32);
	if (!row->cfa_is_at_fp || fp->how != PD_FRAME_AT_FP || !fits_in(row->cfa_offset, 32) ||
	    !fits_in(fp->offset, 32) || rule->return_address == PD_RULE_IN_REGISTER)
		return;
	rule->kind = PD_RULE_FRAME;
	rule->base = PD_RULE_SAVED_AT_FP;
	rule->cfa = (int32_t)row->cfa_offset;
	rule->fp = PD_RULE_AT_CFA;
	rule->fp_at = (int32_t)fp->offset;
	rule->kept = is_kept_saved ? PD_RULE_AT_CFA :
		     kept->how == PD_FRAME_DEFAULT || kept->how == PD_FRAME_SAME ? PD_RULE_SAME : PD_RULE_UNKNOWN;
	rule->kept_at = is_kept_saved ? (int32_t)kept->offset : 0;
}

struct pd_rule pd_rule_of_row(const struct pd_frame_row *row, const struct pd_frame_cie *cie, unsigned machine)
{
	struct pd_rule rule = { .kind = PD_RULE_LIBDWFL };
	struct pd_rule_registers numbers;
	if (cie->is_signal || !pd_rule_registers_of(machine, &numbers) || cie->return_address != numbers.return_address)
		return rule;
	const struct pd_frame_register *sp = &row->registers[PD_FRAME_OF_SP], *fp = &row->registers[PD_FRAME_OF_FP];
	const struct pd_frame_register *kept = &row->registers[PD_FRAME_OF_KEPT];
	const struct pd_frame_register *return_address = &row->registers[PD_FRAME_OF_RETURN];
	if (sp->how != PD_FRAME_DEFAULT && (sp->how != PD_FRAME_IS_CFA || sp->offset))
		return rule;
	if (return_address->how == PD_FRAME_UNDEFINED) {
		rule.kind = PD_RULE_END;
		return rule;
	}
	const bool is_moved = return_address->how == PD_FRAME_IN_REGISTER &&
			      (uint64_t)return_address->offset < MOST_REGISTERS;
	if (is_moved) {
		rule.return_address = PD_RULE_IN_REGISTER;
	} else {
		rule.return_address = place_of(return_address);
		if ((rule.return_address != PD_RULE_AT_CFA && !has_link_register(machine)) ||
		    !fits_in(return_address->offset, 16) || !has_common_place(return_address))
			return rule;
	}
	rule.return_address_at = (int16_t)return_address->offset;
	if (!has_common_place(fp)) {
		take_saved_base(row, fp, kept, &rule);
		return rule;
	}
	rule.fp = place_of(fp);
	rule.fp_at = (int32_t)fp->offset;
	rule.kept = PD_RULE_UNKNOWN;
	if (has_common_place(kept))
		rule.kept = place_of(kept);
	rule.kept_at = (int32_t)kept->offset;
	rule.is_signed = row->is_signed;
	if (row->plt_offset) {
		rule.cfa = row->plt_offset;
		rule.kind = PD_RULE_FRAME_OF_LEAF;
	} else if (take_base(row, &numbers, &rule)) {
		/* only the innermost frame's registers are all known */
		rule.kind = is_moved ? PD_RULE_FRAME_OF_LEAF : PD_RULE_FRAME;
	}
	return rule;
}

/* Counts the steps of a look-up beyond PD_WORK_OF_LOOKUP. Cheap look-ups count nothing, so the sum does not depend on
 * which thread makes them first. false: cancelled. */
static bool count_work(const struct perfdata_symbols_dso *dso, struct pd_rules *rules, uint64_t steps,
		       struct pd_rule *rule)
{
	const enum perfdata_status status = pd_work_do(&rules->work, steps - PD_WORK_OF_LOOKUP);
	if (status == PERFDATA_ELIMIT) {
		atomic_store_explicit(&rules->known.is_beyond, true, memory_order_relaxed);
		atomic_store_explicit(&dso->symbols->some_rules_are_beyond, true, memory_order_relaxed);
		rule->kind = PD_RULE_END;
		pd_symbols_find_excess(dso, dso->origin.text_file,
				       "its tables for unwinding ask for more than their size explains");
	}
	return status != PERFDATA_EINTR;
}

/* Makes the rule of an address in the code of an FDE. true: it is the rule of all addresses of *row. */
static bool make_rule_of_entry(const struct pd_frame_table *table, const struct pd_frame_known_cie *cie,
			       struct pd_frame_entry *entry, uint64_t vaddr, unsigned machine, struct made_rule *made,
			       struct pd_frame_row *row)
{
	uint64_t start, end;
	bool is_of_row = false;
	made->rule.kind = PD_RULE_LIBDWFL;
	if (!cie || !cie->is_fine || !pd_frame_read_head(table, &cie->facts, entry, &start, &end))
		return false;
	if (vaddr < start || vaddr >= end) {
		made->rule.kind = PD_RULE_NONE;
	} else if (pd_frame_run(&cie->facts, entry->rest, &cie->row, start, vaddr, machine, row, &made->steps)) {
		made->rule = pd_rule_of_row(row, &cie->facts, machine);
		row->end = row->end < end ? row->end : end;
		is_of_row = !row->plt_offset;
	}
	made->steps += (entry->next - entry->at) / BYTES_OF_STEP;
	return is_of_row;
}

/* Makes the rule of an address by the indexed .eh_frame. false: a read failed. */
static bool make_indexed_rule(struct perfdata_symbols_dso *dso, struct pd_rules *rules, uint64_t vaddr,
			      struct made_rule *made)
{
	struct pd_indexed_entry found;
	struct pd_frame_row row;
	uint32_t number;
	const enum perfdata_status status = pd_indexed_find(dso, &rules->indexed, vaddr, &found);
	if (status != PERFDATA_OK)
		return status != PERFDATA_EREAD;
	if (pd_indexed_has_row(&found, vaddr, &number)) {
		made->rule = atomic_load_explicit(&rules->known.list, memory_order_acquire)->items[number];
		return true;
	}
	if (!pd_indexed_read(dso, &rules->indexed, &found)) {
		made->rule.kind = PD_RULE_LIBDWFL;
	} else if (make_rule_of_entry(&rules->indexed.facts, found.cie, &found.entry, vaddr,
				      dso->text->header.e_machine, made, &row)) {
		made->row = found.row;
		made->row_word = pd_indexed_row_word(&found, row.start, row.end);
	}
	pd_indexed_drop(&found);
	return true;
}

/* Returns a table; opens it at first need. NULL: no memory, which was reported. */
static struct listed_table *open_listed(struct perfdata_symbols_dso *dso, bool is_debug, struct listed_table **table)
{
	if (*table)
		return *table;
	struct listed_table *made = pd_calloc(1, sizeof *made);
	if (made)
		made->status = pd_frame_list_open(dso, is_debug, &made->list);
	const enum perfdata_status status = made ? made->status : PERFDATA_ENOMEM;
	if (status != PERFDATA_ELIMIT && status != PERFDATA_EUNSUP)
		(void)pd_symbols_note(dso->symbols, status);
	return *table = made;
}

static const struct pd_frame_known_cie *find_listed_cie(struct listed_table *table, uint64_t at, unsigned machine)
{
	struct pd_frame_entry entry;
	for (unsigned i = 0; i < table->nr_cies; i++)
		if (table->cies[i].facts.at == at)
			return &table->cies[i];
	if (!pd_frame_list_entry(&table->list, at, &entry) || !entry.is_cie)
		return NULL;
	struct pd_frame_known_cie *cie = &table->cies[table->next_cie];
	table->next_cie = (table->next_cie + 1) % MOST_CIES;
	table->nr_cies += table->nr_cies < MOST_CIES;
	pd_frame_know_cie(&table->list.facts, &entry, machine, cie);
	return cie;
}

/* Makes the rule of an address by a table without an index. false: memory or a read failed, or cancelled. */
static bool make_listed_rule(struct perfdata_symbols_dso *dso, struct listed_table *table, uint64_t vaddr,
			     struct made_rule *made)
{
	struct pd_frame_entry entry;
	struct pd_frame_row row;
	uint64_t at;
	made->rule.kind = PD_RULE_LIBDWFL;
	if (!table || table->status)
		return table && (table->status == PERFDATA_ELIMIT || table->status == PERFDATA_EUNSUP);
	const enum perfdata_status found = pd_frame_list_find(&table->list, vaddr, &at);
	if (found == PERFDATA_ABSENT)
		made->rule.kind = PD_RULE_NONE;
	if (found || !pd_frame_list_entry(&table->list, at, &entry))
		return true;
	const unsigned machine = dso->text->header.e_machine;
	const struct pd_frame_known_cie *cie = find_listed_cie(table, entry.cie, machine);
	(void)make_rule_of_entry(&table->list.facts, cie, &entry, vaddr, machine, made, &row);
	return true;
}

/* As make_listed_rule, with the lock; opens the table at first need. */
static bool make_rule_of_list(struct perfdata_symbols_dso *dso, struct pd_rules *rules, bool is_debug, uint64_t vaddr,
			      struct made_rule *made)
{
	pd_monitor_enter(rules->lock);
	struct listed_table *table = open_listed(dso, is_debug, is_debug ? &rules->debug_frame : &rules->listed_eh);
	const bool ok = make_listed_rule(dso, table, vaddr, made);
	pd_monitor_leave(rules->lock);
	return ok;
}

/* Makes the rule of an address. false: a failure, which was reported, or the look-up has to wait for its turn. */
static bool make_rule(struct perfdata_symbols_dso *dso, struct pd_rules *rules, uint64_t vaddr, bool in_turn,
		      struct made_rule *made)
{
	struct pd_rule *rule = &made->rule;
	*made = (struct made_rule){ .rule.kind = PD_RULE_NONE };
	if (rules->has_indexed && !make_indexed_rule(dso, rules, vaddr, made))
		return false;
	if (rules->has_listed_eh && !make_rule_of_list(dso, rules, false, vaddr, made))
		return false;
	if (rule->kind == PD_RULE_NONE && rules->has_debug_frame && !make_rule_of_list(dso, rules, true, vaddr, made))
		return false;
	if (rule->kind == PD_RULE_NONE && dso->text->exception_index.filesz && !pd_exidx_rule(dso->text, vaddr, rule))
		return false;
	if (rule->kind == PD_RULE_NONE)
		pd_linkage_rule(&rules->linkage, dso->text, vaddr, rule);
	if (made->steps <= PD_WORK_OF_LOOKUP)
		return !pd_cancelled(rules->work.cancel);
	made->row = NULL;   /* else the work that is counted would depend on which address of the row comes first */
	return in_turn && count_work(dso, rules, made->steps, rule);
}

/* Whether pass_common_frames understands a rule. */
static bool is_common(const struct pd_rule *rule)
{
	return rule->kind == PD_RULE_FRAME && (rule->base == PD_RULE_FROM_SP || rule->base == PD_RULE_FROM_FP) &&
	       !rule->is_signed && rule->return_address == PD_RULE_AT_CFA;
}

/* --- look-up ------------------------------------------------------------------------------------------------------ */

/* As pd_rule_find, for a rule that was not known. Threads make rules at the same time, maybe the same rule. */
static bool find_anew(struct perfdata_symbols_dso *dso, struct pd_rules *rules, uint64_t vaddr, bool in_turn,
		      struct pd_rule *ret)
{
	const size_t failed = pd_symbols_failed(dso->symbols);
	struct made_rule made;
	if (!are_open(dso, rules))
		return true;
	const bool is_made = make_rule(dso, rules, vaddr, in_turn, &made);
	made.rule.is_common = is_common(&made.rule);
	*ret = made.rule;
	if (!is_made || pd_symbols_failed(dso->symbols) != failed)
		return in_turn;
	pd_monitor_enter_soon(rules->lock);
	if (!pd_rule_known(&rules->known, vaddr))
		store_rule(dso, rules, vaddr, &made);
	pd_monitor_leave(rules->lock);
	return true;
}

/* Returns the rules of a dso; makes an empty table at first. NULL: no memory, which was reported. */
static struct pd_rules *rules_of(struct perfdata_symbols_dso *dso)
{
	struct pd_rules *rules = atomic_load_explicit(&dso->rules, memory_order_acquire);
	if (rules)
		return rules;
	struct pd_rules *made = pd_calloc(1, sizeof *made);
	if (!made || !(made->lock = pd_monitor_new())) {
		pd_free(made);
		(void)pd_symbols_note(dso->symbols, PERFDATA_ENOMEM);
		return NULL;
	}
	made->seed = pd_hash_seed(made);
	if (atomic_compare_exchange_strong(&dso->rules, &rules, made))
		return made;
	/* another thread was faster */
	pd_monitor_free(made->lock);
	pd_free(made);
	return rules;
}

bool pd_rule_find(struct perfdata_symbols_dso *dso, uint64_t vaddr, bool in_turn, struct pd_rule *ret)
{
	/* Only stacks in their turn count missing answers and note addresses for a bundle: else both would depend on
	 * the number of threads. */
	if (!in_turn && (dso->answers || dso->asked))
		return false;
	if (dso->answers) {
		*ret = pd_answers_rule(dso, vaddr);
		return true;
	}
	pd_asked_rule(dso, vaddr);
	struct pd_rules *rules = rules_of(dso);
	*ret = (struct pd_rule){ .kind = PD_RULE_LIBDWFL };
	if (!rules || vaddr == UINT64_MAX)
		return true;
	const struct pd_rule *known = pd_rule_known(&rules->known, vaddr);
	if (!known)
		return find_anew(dso, rules, vaddr, in_turn, ret);
	*ret = *known;
	return true;
}

static void close_listed(struct perfdata_symbols_dso *dso, struct listed_table *table)
{
	if (table)
		pd_frame_list_close(dso, &table->list);
	pd_free(table);
}

void pd_rules_close(struct perfdata_symbols_dso *dso)
{
	struct pd_rules *rules = atomic_load_explicit(&dso->rules, memory_order_relaxed);
	if (!rules)
		return;
	struct pd_rule_slots *slots = atomic_load_explicit(&rules->known.slots, memory_order_relaxed);
	for (struct pd_rule_slots *former; slots; slots = former) {
		former = slots->former;
		pd_free(slots);
	}
	struct pd_rule_list *list = atomic_load_explicit(&rules->known.list, memory_order_relaxed);
	for (struct pd_rule_list *former; list; list = former) {
		former = list->former;
		pd_free(list);
	}
	pd_index_release(&rules->numbers);
	pd_account_give(pd_symbols_account(dso->symbols), PD_USE_SYMBOLS, rules->accounted);
	pd_monitor_free(rules->lock);
	pd_indexed_close(dso, &rules->indexed);
	close_listed(dso, rules->debug_frame);
	close_listed(dso, rules->listed_eh);
	pd_free(rules);
}
