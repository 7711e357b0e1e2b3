/* SPDX-License-Identifier: MIT */
/* Rules that a JIT compiler wrote into its jitdump file: an .eh_frame for each piece of code. Its addresses count as if
 * .eh_frame were in memory after the code, at a multiple of 8 bytes, as in the ELF files of `perf inject -j`. */
#include "config.h"
#include "base/hash.h"
#include "symbols/answers/symbol_answers.h"
#include "symbols/unwind/unwind_entries.h"
#include "symbols/unwind/unwind_rules.h"

#define MOST_ENTRIES 8u      /* V8 writes two: a CIE and an FDE */
#define MOST_BYTES 4096u     /* V8 writes 96; limits look-ups, whose rules are not kept */

/* Makes the rule of an address if the FDE contains it. false: the FDE needs a rule of another form. */
static bool run_entry(const struct pd_frame_table *table, const struct pd_frame_cie *cie,
		      const struct pd_frame_row *first, struct pd_frame_entry *entry, uint64_t address,
		      unsigned machine, struct pd_rule *ret)
{
	struct pd_frame_row row;
	uint64_t start, end, steps;
	if (!pd_frame_read_head(table, cie, entry, &start, &end))
		return false;
	if (address < start || address >= end)
		return true;
	if (!pd_frame_run(cie, entry->rest, first, start, address, machine, &row, &steps))
		return false;
	*ret = pd_rule_of_row(&row, cie, machine);
	return ret->kind != PD_RULE_LIBDWFL;
}

/* Finds the rule of an address; PD_RULE_NONE for code without an FDE, which has a frame pointer. */
static bool find_rule(const struct pd_jit *jit, const struct pd_jit_code *code, uint64_t address, struct pd_rule *ret)
{
	const uint64_t size = code->end - code->start;
	const struct pd_frame_table table = { .address = code->start + ((size + 7) & ~(uint64_t)7),
					      .wide = jit->machine != EM_386 && jit->machine != EM_ARM,
					      .swap = jit->swap };
	struct pd_frame_entry entry;
	struct pd_frame_cie cie = { .at = UINT64_MAX };
	struct pd_frame_row first;
	uint64_t at = 0, steps;
	*ret = (struct pd_rule){ .kind = PD_RULE_NONE };
	for (unsigned i = 0; i < MOST_ENTRIES && at < code->frames_size; i++, at = entry.next) {
		const size_t left = code->frames_size - (size_t)at;
		const uint64_t length = pd_frame_entry_size(&table, code->frames + at, left);
		if (!length)
			break;
		if (length > left || length > PD_FRAME_MOST_ENTRY ||
		    !pd_frame_take_entry(&table, code->frames + at, (size_t)length, at, &entry))
			return false;
		if (entry.is_cie) {
			if (!pd_frame_read_cie(&table, &entry, &cie) ||
			    !pd_frame_run(&cie, cie.instructions, NULL, 0, 0, jit->machine, &first, &steps))
				return false;
			cie.at = at;
		} else if (entry.cie != cie.at ||
			   !run_entry(&table, &cie, &first, &entry, address, jit->machine, ret)) {
			return false;
		}
	}
	return true;
}

/* Identifies an address in a bundle of answers, where codes have other numbers than in the jitdump file. */
static uint64_t key_of(const struct pd_jit_code *code, uint64_t address) { return pd_hash_u64(address, code->time); }

bool pd_jit_rule_of_place(const struct perfdata_symbols_dso *dso, uint64_t place, uint64_t *ret_key,
			  struct pd_rule *ret)
{
	const struct pd_jit_code *code = &dso->jit.items[place >> 32];
	const uint64_t address = code->start + (uint32_t)place;
	*ret_key = key_of(code, address);
	return find_rule(&dso->jit, code, address, ret);
}

bool pd_jit_rule_find(const struct perfdata_symbols_dso *dso, uint64_t address, uint64_t time, struct pd_rule *ret)
{
	const struct pd_jit_code *code = dso->jit.count ? pd_jit_find(&dso->jit, address, time) : NULL;
	if (!code || code->end - code->start > UINT32_MAX)
		return false;
	if (dso->answers)
		return pd_answers_jit_rule(dso, key_of(code, address), ret);
	if (!code->frames || code->frames_size > MOST_BYTES || !find_rule(&dso->jit, code, address, ret))
		return false;
	pd_asked_code(dso, (size_t)(code - dso->jit.items));
	pd_asked_rule(dso, (uint64_t)(code - dso->jit.items) << 32 | (address - code->start));
	return true;
}
