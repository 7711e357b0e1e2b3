/* SPDX-License-Identifier: MIT */
/* The rules of a file for unwinding; a rule takes 24 bytes. If .eh_frame has the index that linkers write
 * (.eh_frame_hdr), a look-up reads the entry of the address and the bytes around it, so the tables of a large file need
 * not fit into memory. Without an index the table is listed. libdwfl unwinds through files whose index is not sorted.
 * As in libdwfl, .debug_frame is for addresses without an entry in .eh_frame. 32-bit ARM's exception index is
 * for addresses without either, since it is not exact in prologues and epilogues; so are rules for the procedure
 * linkage tables of linkers that write none. */
#include "config.h"
#include "symbols/unwind/unwind_rules.h"
#include <string.h>
#include "base/cancel.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/search.h"
#include "symbols/answers/symbol_answers.h"
#include "symbols/unwind/unwind_frame_list.h"
#include "symbols/unwind/unwind_entries.h"
#include "symbols/unwind/unwind_exidx.h"
#include "symbols/unwind/unwind_linkage.h"

static bool fits_in(int64_t value, unsigned bits)
{
	return value >= -((int64_t)1 << (bits - 1)) && value < (int64_t)1 << (bits - 1);
}

/* --- the table of rules ------------------------------------------------------------------------------------------- */

#define FIRST_SLOTS 256u
/* The part of the account's limit up to which a table grows even while the account is tight: a recording that is sorted
 * in memory may keep it tight to the end, and making the rules of each stack anew takes ten times as long. */
#define PART_IF_TIGHT 256u

#define BLOCK 32u                  /* `starts` has the first of this many entries of the index */
#define WINDOW 512u                /* bytes of an entry that are read first; nearly all entries are shorter */
#define MOST_CIES 8u
#define BYTES_OF_STEP 64u          /* bytes of an entry that count as a step of work */
#define PIECE_SIZE 8192u           /* bytes of the tables that are read at once and kept in memory */
#define MOST_PIECES 512u

struct piece {
	uint64_t at;                       /* offset in the file */
	uint8_t *bytes;                    /* NULL: none was read */
};

struct cie {
	struct pd_frame_cie facts;
	bool is_fine;
	struct pd_frame_row row;
};

/* The CIEs of a table that were read last. */
struct cies {
	struct cie items[MOST_CIES];
	unsigned nr, next;
};

/* .debug_frame, or .eh_frame without an index. */
struct listed_table {
	enum perfdata_status status;       /* result of opening it */
	struct pd_frame_list list;
	struct cies cies;
};

struct pd_rules {
	struct pd_known_rules known;       /* read without the lock */
	struct pd_monitor *lock;           /* protects all other members, and changes of `known` */
	size_t used;
	size_t accounted;
	bool is_opened, is_fine;
	struct pd_work work;               /* limits reading and running entries */
	struct pd_linkage linkage;
	bool has_debug_frame, has_listed_eh;
	struct listed_table *debug_frame, *listed_eh;   /* NULL: not yet needed */
	bool has_eh;                       /* .eh_frame has entries and an index: */
	struct pd_frame_table eh;
	uint64_t eh_offset, eh_size;
	uint64_t index_offset, index_address, nr_entries;
	int32_t *starts;                   /* start of each BLOCK-th entry of the index */
	size_t nr_starts;
	struct cies cies;
	uint8_t *bytes;                    /* buffer for an entry */
	size_t room;
	uint8_t cie_bytes[WINDOW];
	struct piece pieces[MOST_PIECES];  /* indexed by the place in the file, modulo MOST_PIECES */
	uint64_t nr_pieces_read;           /* each may have taken the place of an older one */
};

static void put_slot(struct pd_rule_slots *slots, uint64_t key, const uint64_t words[2])
{
	size_t i = pd_rule_place(slots, key);
	while (atomic_load_explicit(&slots->items[i].key, memory_order_relaxed))
		i = (i + 1) & (slots->size - 1);
	atomic_store_explicit(&slots->items[i].first, words[0], memory_order_relaxed);
	atomic_store_explicit(&slots->items[i].second, words[1], memory_order_relaxed);
	atomic_store_explicit(&slots->items[i].key, key, memory_order_release);
}

/* Makes room for a rule. false: no memory; the rule is not kept, and is made again when needed. */
static bool make_room(struct perfdata_symbols_dso *dso, struct pd_rules *rules)
{
	struct pd_rule_slots *old = atomic_load_explicit(&rules->known.slots, memory_order_relaxed);
	if (old && rules->used < old->size / 4 * 3)
		return true;
	const size_t size = old ? 2 * old->size : FIRST_SLOTS,
		     bytes = sizeof *old + size * sizeof *old->items;
	struct pd_account *account = pd_symbols_account(dso->symbols);
	if (old && pd_account_is_tight(account) && bytes > account->limit / PART_IF_TIGHT)
		return rules->used < old->size / 8 * 7;   /* look-ups in a full table would read all of it */
	struct pd_rule_slots *slots = pd_malloc(bytes);
	if (!slots)
		return false;
	memset(slots, 0, bytes);   /* reading new memory of pd_calloc before writing it would cause two page faults */
	slots->former = old;
	slots->size = size;
	for (size_t i = 0; old && i < old->size; i++) {
		const struct pd_rule_slot *slot = &old->items[i];
		const uint64_t key = atomic_load_explicit(&slot->key, memory_order_relaxed);
		const uint64_t words[2] = { atomic_load_explicit(&slot->first, memory_order_relaxed),
					    atomic_load_explicit(&slot->second, memory_order_relaxed) };
		if (key)
			put_slot(slots, key, words);
	}
	atomic_store_explicit(&rules->known.slots, slots, memory_order_release);
	rules->accounted += bytes;
	pd_account_take(account, PD_USE_SYMBOLS, bytes);
	return true;
}

static void store_rule(struct perfdata_symbols_dso *dso, struct pd_rules *rules, uint64_t key,
		       const struct pd_rule *rule)
{
	uint64_t words[2];
	if (!make_room(dso, rules))
		return;
	memcpy(words, rule, sizeof words);
	put_slot(atomic_load_explicit(&rules->known.slots, memory_order_relaxed), key, words);
	rules->used++;
}

/* --- pieces of the tables ----------------------------------------------------------------------------------------- */

/* Returns the piece at an offset; the file must contain all of it. NULL: no memory, or it cannot be read. */
static const uint8_t *take_piece(struct perfdata_symbols_dso *dso, struct pd_rules *rules, uint64_t at)
{
	struct pd_account *account = pd_symbols_account(dso->symbols);
	struct piece *piece = &rules->pieces[at / PIECE_SIZE % MOST_PIECES];
	if (piece->bytes && piece->at == at)
		return piece->bytes;
	if (!piece->bytes && !pd_account_is_tight(account) && (piece->bytes = pd_malloc(PIECE_SIZE))) {
		rules->accounted += PIECE_SIZE;
		pd_account_take(account, PD_USE_SYMBOLS, PIECE_SIZE);
	}
	if (!piece->bytes)
		return NULL;
	piece->at = UINT64_MAX;
	rules->nr_pieces_read++;
	if (!pd_elf_read(dso->text, at, piece->bytes, PIECE_SIZE))
		return NULL;
	piece->at = at;
	return piece->bytes;
}

/* Returns the table from an offset to the end of the piece, which has *ret_size bytes more. The bytes stay until
 * another piece is read. NULL: as for take_piece, or the file ends within the piece. */
static const uint8_t *view_table(struct perfdata_symbols_dso *dso, struct pd_rules *rules, uint64_t offset,
				 size_t *ret_size)
{
	const size_t within = offset % PIECE_SIZE;
	const uint8_t *piece = pd_elf_holds(dso->text, offset - within, PIECE_SIZE)
				       ? take_piece(dso, rules, offset - within)
				       : NULL;
	*ret_size = PIECE_SIZE - within;
	return piece ? piece + within : NULL;
}

/* As pd_elf_read, but keeps the pieces: addresses in stacks are often close together, and so are their entries. */
static bool read_table(struct perfdata_symbols_dso *dso, struct pd_rules *rules, uint64_t offset, uint8_t *out,
		       size_t size)
{
	while (size) {
		size_t nr;
		const uint8_t *bytes = view_table(dso, rules, offset, &nr);
		if (!bytes)
			return pd_elf_read(dso->text, offset, out, size);
		nr = size < nr ? size : nr;
		memcpy(out, bytes, nr);
		offset += nr;
		out += nr;
		size -= nr;
	}
	return true;
}

/* --- the index ---------------------------------------------------------------------------------------------------- */

static int32_t start_of(const uint8_t *entry, bool swap) { return (int32_t)pd_load32(entry, swap); }

/* Reads every BLOCK-th entry of the index. false: it is not sorted, or cannot be read. */
static bool read_starts(const struct pd_elf *elf, struct pd_rules *rules)
{
	enum { PIECE = 512 };
	uint8_t piece[8 * PIECE];
	int32_t last = INT32_MIN;
	for (uint64_t i = 0; i < rules->nr_entries; i += PIECE) {
		const size_t nr = rules->nr_entries - i < PIECE ? (size_t)(rules->nr_entries - i) : PIECE;
		if (!pd_elf_read(elf, rules->index_offset + 8 * i, piece, 8 * nr))
			return false;
		for (size_t k = 0; k < nr; k++) {
			const int32_t start = start_of(&piece[8 * k], rules->eh.swap);
			if (start < last)
				return false;
			last = start;
			if ((i + k) % BLOCK == 0)
				rules->starts[rules->nr_starts++] = start;
		}
	}
	return true;
}

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
	rules->has_eh = has_entries && place.is_indexed;
	rules->has_listed_eh = has_entries && !place.is_indexed;
	if (!rules->has_eh) {
		pd_work_init(&rules->work, pd_elf_size(elf), pd_symbols_account(dso->symbols),
			     dso->symbols->options.cancel);
		return true;
	}
	rules->eh = (struct pd_frame_table){ .address = place.address,
					     .wide = elf->header.e_ident[EI_CLASS] != ELFCLASS32,
					     .swap = pd_elf_swaps(elf) };
	rules->eh_offset = place.offset;
	rules->eh_size = place.size;
	pd_work_init(&rules->work, place.size, pd_symbols_account(dso->symbols), dso->symbols->options.cancel);
	rules->index_offset = elf->frame_index.offset + PD_FRAME_INDEX_HEAD;
	rules->index_address = elf->frame_index.vaddr;
	rules->nr_entries = pd_load32(head + 8, rules->eh.swap);
	if (!rules->nr_entries || rules->nr_entries > (elf->frame_index.filesz - PD_FRAME_INDEX_HEAD) / 8 ||
	    !pd_elf_holds(elf, rules->index_offset, 8 * rules->nr_entries))
		return false;
	const size_t bytes = (size_t)(rules->nr_entries / BLOCK + 1) * sizeof *rules->starts + WINDOW;
	rules->starts = pd_malloc(bytes - WINDOW);
	rules->bytes = pd_malloc(WINDOW);
	rules->room = WINDOW;
	if (!rules->starts || !rules->bytes) {
		(void)pd_symbols_note(dso->symbols, PERFDATA_ENOMEM);
		return false;
	}
	rules->accounted += bytes;
	pd_account_take(pd_symbols_account(dso->symbols), PD_USE_SYMBOLS, bytes);
	return read_starts(elf, rules);
}

/* Finds the offset in .eh_frame of an address's entry, if it has one. false: none; *ret_failed: a read failed. */
static bool find_entry(struct perfdata_symbols_dso *dso, struct pd_rules *rules, uint64_t vaddr, bool *ret_failed,
		       uint64_t *ret)
{
	uint8_t copy[8 * BLOCK];
	const int64_t wanted = (int64_t)(vaddr - rules->index_address);
	size_t low;
	PD_COUNT_BEFORE(low, rules->nr_starts, at, rules->starts[at] <= wanted);
	if (!low)
		return false;
	const uint64_t first = (uint64_t)(low - 1) * BLOCK;
	const size_t all = rules->nr_entries - first < BLOCK ? (size_t)(rules->nr_entries - first) : BLOCK;
	size_t at_hand, nr;
	const uint8_t *block = view_table(dso, rules, rules->index_offset + 8 * first, &at_hand);
	if (!block || at_hand < 8 * all) {
		block = copy;
		*ret_failed = !read_table(dso, rules, rules->index_offset + 8 * first, copy, 8 * all);
		if (*ret_failed)
			return false;
	}
	PD_COUNT_BEFORE(nr, all, at, start_of(&block[8 * at], rules->eh.swap) <= wanted);
	if (!nr)
		return false;
	const int32_t offset = (int32_t)pd_load32(&block[8 * (nr - 1) + 4], rules->eh.swap);
	*ret = rules->index_address + (uint64_t)(int64_t)offset - rules->eh.address;
	return true;
}

/* --- entries ------------------------------------------------------------------------------------------------------ */

/* Reads the entry at an offset. If it crosses pieces, it is copied into *bytes, a buffer of *room bytes, which grows if
 * needed and if `grows`; else it stays until another piece is read. */
static bool read_entry(struct perfdata_symbols_dso *dso, struct pd_rules *rules, uint64_t at, uint8_t **bytes,
		       size_t *room, bool grows, struct pd_frame_entry *ret)
{
	if (at >= rules->eh_size)
		return false;
	const uint64_t left = rules->eh_size - at;
	size_t at_hand;
	const uint8_t *view = view_table(dso, rules, rules->eh_offset + at, &at_hand);
	at_hand = left < at_hand ? (size_t)left : at_hand;
	const uint64_t whole = view ? pd_frame_entry_size(&rules->eh, view, at_hand) : 0;
	if (whole && whole <= at_hand && whole <= *room)
		return pd_frame_take_entry(&rules->eh, view, (size_t)whole, at, ret);
	size_t nr = left < WINDOW ? (size_t)left : WINDOW;
	if (!read_table(dso, rules, rules->eh_offset + at, *bytes, nr))
		return false;
	const uint64_t size = pd_frame_entry_size(&rules->eh, *bytes, nr);
	if (!size || size > left || size > PD_FRAME_MOST_ENTRY || (size > *room && !grows))
		return false;
	if (size > *room) {
		uint8_t *more = pd_realloc(*bytes, (size_t)size);
		if (!more)
			return false;
		*bytes = more;
		*room = (size_t)size;
	}
	if (size > nr && !pd_elf_read(dso->text, rules->eh_offset + at + nr, *bytes + nr, (size_t)size - nr))
		return false;
	return pd_frame_take_entry(&rules->eh, *bytes, (size_t)size, at, ret);
}

static const struct cie *find_kept_cie(const struct cies *cies, uint64_t at)
{
	for (unsigned i = 0; i < cies->nr; i++)
		if (cies->items[i].facts.at == at)
			return &cies->items[i];
	return NULL;
}

static const struct cie *keep_cie(struct cies *cies, const struct pd_frame_table *table,
				  const struct pd_frame_entry *entry, unsigned machine)
{
	uint64_t steps;   /* not counted: a CIE is short */
	struct cie *cie = &cies->items[cies->next];
	cies->next = (cies->next + 1) % MOST_CIES;
	cies->nr += cies->nr < MOST_CIES;
	cie->is_fine = pd_frame_read_cie(table, entry, &cie->facts) &&
		       pd_frame_run(&cie->facts, cie->facts.instructions, NULL, 0, 0, machine, &cie->row, &steps);
	cie->facts.at = entry->at;
	return cie;
}

static const struct cie *find_cie(struct perfdata_symbols_dso *dso, struct pd_rules *rules, uint64_t at)
{
	const struct cie *kept = find_kept_cie(&rules->cies, at);
	if (kept)
		return kept;
	struct pd_frame_entry entry;
	uint8_t *bytes = rules->cie_bytes;
	size_t room = sizeof rules->cie_bytes;
	if (!read_entry(dso, rules, at, &bytes, &room, false, &entry) || !entry.is_cie)
		return NULL;
	return keep_cie(&rules->cies, &rules->eh, &entry, dso->text->header.e_machine);
}

/* --- from rows to rules ------------------------------------------------------------------------------------------- */

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
	const struct pd_frame_register *places = row->registers, *return_address = &places[numbers.return_address];
	const struct pd_frame_register *fp = &places[numbers.fp], *kept = &places[numbers.kept];
	if (places[numbers.sp].how != PD_FRAME_DEFAULT &&
	    (places[numbers.sp].how != PD_FRAME_IS_CFA || places[numbers.sp].offset))
		return rule;
	if (return_address->how == PD_FRAME_UNDEFINED) {
		rule.kind = PD_RULE_END;
		return rule;
	}
	const bool is_moved = return_address->how == PD_FRAME_IN_REGISTER &&
			      (uint64_t)return_address->offset < PD_FRAME_REGISTERS;
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

/* Makes the rule of an address in the code of an FDE. */
static void make_rule_of_entry(const struct pd_frame_table *table, const struct cie *cie, struct pd_frame_entry *entry,
			       uint64_t vaddr, unsigned machine, struct pd_rule *ret, uint64_t *ret_steps)
{
	struct pd_frame_row row;
	uint64_t start, end;
	ret->kind = PD_RULE_LIBDWFL;
	if (!cie || !cie->is_fine || !pd_frame_read_head(table, &cie->facts, entry, &start, &end))
		return;
	if (vaddr < start || vaddr >= end)
		ret->kind = PD_RULE_NONE;
	else if (pd_frame_run(&cie->facts, entry->rest, &cie->row, start, vaddr, machine, &row, ret_steps))
		*ret = pd_rule_of_row(&row, &cie->facts, machine);
	*ret_steps += (entry->next - entry->at) / BYTES_OF_STEP;
}

/* Makes the rule of an address by .eh_frame. false: a read failed. */
static bool make_eh_rule(struct perfdata_symbols_dso *dso, struct pd_rules *rules, uint64_t vaddr, struct pd_rule *ret,
			 uint64_t *ret_steps)
{
	struct pd_frame_entry entry;
	uint64_t at;
	bool failed = false;
	if (!find_entry(dso, rules, vaddr, &failed, &at))
		return !failed;
	ret->kind = PD_RULE_LIBDWFL;
	if (!read_entry(dso, rules, at, &rules->bytes, &rules->room, true, &entry) || entry.is_cie)
		return true;
	const uint64_t nr_pieces_read = rules->nr_pieces_read;
	const struct cie *cie = find_cie(dso, rules, entry.cie);
	if (rules->nr_pieces_read != nr_pieces_read &&
	    !read_entry(dso, rules, at, &rules->bytes, &rules->room, true, &entry))
		return true;
	make_rule_of_entry(&rules->eh, cie, &entry, vaddr, dso->text->header.e_machine, ret, ret_steps);
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

/* Makes the rule of an address by a table without an index. false: memory or a read failed, or cancelled. */
static bool make_listed_rule(struct perfdata_symbols_dso *dso, struct listed_table *table, uint64_t vaddr,
			     struct pd_rule *ret, uint64_t *ret_steps)
{
	struct pd_frame_entry entry, cie_entry;
	uint64_t at;
	ret->kind = PD_RULE_LIBDWFL;
	if (!table || table->status)
		return table && (table->status == PERFDATA_ELIMIT || table->status == PERFDATA_EUNSUP);
	const enum perfdata_status found = pd_frame_list_find(&table->list, vaddr, &at);
	if (found == PERFDATA_ABSENT)
		ret->kind = PD_RULE_NONE;
	if (found || !pd_frame_list_entry(&table->list, at, &entry))
		return true;
	const unsigned machine = dso->text->header.e_machine;
	const struct cie *cie = find_kept_cie(&table->cies, entry.cie);
	if (!cie && pd_frame_list_entry(&table->list, entry.cie, &cie_entry) && cie_entry.is_cie)
		cie = keep_cie(&table->cies, &table->list.facts, &cie_entry, machine);
	make_rule_of_entry(&table->list.facts, cie, &entry, vaddr, machine, ret, ret_steps);
	return true;
}

/* Makes the rule of an address. false: a failure, which was reported, or the look-up has to wait for its turn. */
static bool make_rule(struct perfdata_symbols_dso *dso, struct pd_rules *rules, uint64_t vaddr, bool in_turn,
		      struct pd_rule *ret)
{
	uint64_t steps = 0;
	*ret = (struct pd_rule){ .kind = PD_RULE_NONE };
	if (rules->has_eh && !make_eh_rule(dso, rules, vaddr, ret, &steps))
		return false;
	if (rules->has_listed_eh &&
	    !make_listed_rule(dso, open_listed(dso, false, &rules->listed_eh), vaddr, ret, &steps))
		return false;
	if (ret->kind == PD_RULE_NONE && rules->has_debug_frame &&
	    !make_listed_rule(dso, open_listed(dso, true, &rules->debug_frame), vaddr, ret, &steps))
		return false;
	if (ret->kind == PD_RULE_NONE && dso->text->exception_index.filesz && !pd_exidx_rule(dso->text, vaddr, ret))
		return false;
	if (ret->kind == PD_RULE_NONE)
		pd_linkage_rule(&rules->linkage, dso->text, vaddr, ret);
	if (steps <= PD_WORK_OF_LOOKUP)
		return !pd_cancelled(rules->work.cancel);
	return in_turn && count_work(dso, rules, steps, ret);
}

/* --- look-up ------------------------------------------------------------------------------------------------------ */

/* As pd_rule_find, with the lock of the rules; makes the rule if no other thread has made it. */
static bool find_anew(struct perfdata_symbols_dso *dso, struct pd_rules *rules, uint64_t vaddr, bool in_turn,
		      struct pd_rule *ret)
{
	if (pd_rule_known(&rules->known, vaddr, ret))
		return true;
	if (!rules->is_opened) {
		rules->is_opened = true;
		rules->is_fine = open_tables(dso, rules);
	}
	const size_t failed = pd_symbols_failed(dso->symbols);
	if (!rules->is_fine)
		return true;
	if (!make_rule(dso, rules, vaddr, in_turn, ret) || pd_symbols_failed(dso->symbols) != failed)
		return in_turn;
	store_rule(dso, rules, vaddr + 1, ret);
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
	if (pd_rule_known(&rules->known, vaddr, ret))
		return true;
	pd_monitor_enter_soon(rules->lock);
	const bool found = find_anew(dso, rules, vaddr, in_turn, ret);
	pd_monitor_leave(rules->lock);
	return found;
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
	struct pd_rule_slots *slots = atomic_load_explicit(&rules->known.slots, memory_order_relaxed), *former;
	for (; slots; slots = former) {
		former = slots->former;
		pd_free(slots);
	}
	pd_account_give(pd_symbols_account(dso->symbols), PD_USE_SYMBOLS, rules->accounted);
	pd_monitor_free(rules->lock);
	for (unsigned i = 0; i < MOST_PIECES; i++)
		pd_free(rules->pieces[i].bytes);
	close_listed(dso, rules->debug_frame);
	close_listed(dso, rules->listed_eh);
	pd_free(rules->starts);
	pd_free(rules->bytes);
	pd_free(rules);
}
