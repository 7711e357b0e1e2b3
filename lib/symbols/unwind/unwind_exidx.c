/* SPDX-License-Identifier: MIT */
/* Reads the exception index of 32-bit ARM ("Exception Handling ABI for the Arm Architecture", sections 6 and 10). An
 * entry has two words: where a function begins, and either its instructions for unwinding or their place in
 * .ARM.extab. Instructions move the virtual stack pointer and pop registers. */
#include "config.h"
#include "symbols/unwind/unwind_exidx.h"

#include "base/cursor.h"

#define ENTRY_SIZE 8u
#define CANNOT_UNWIND 1u
#define IS_COMPACT 0x80000000u      /* the word has the number of a personality routine, and instructions */
#define MOST_WORDS 256u             /* the first word of a table counts the others in 8 bits */

enum { FIRST_CALLEE_SAVED = 4, KEPT = 7, FP = 11, SP = 13, LR = 14, PC = 15, REGISTERS = 16 };

/* --- words of the file -------------------------------------------------------------------------------------------- */

/* Reads words at a virtual address; *ret_failed: a read failed. false: also if the file has no such words. */
static bool read_words(const struct pd_elf *elf, uint64_t vaddr, uint32_t *ret, size_t nr, bool *ret_failed)
{
	uint8_t bytes[4 * MOST_WORDS];
	for (size_t i = 0; i < elf->segment_count; i++) {
		const struct pd_segment *s = &elf->segments[i];
		if (vaddr < s->vaddr || vaddr - s->vaddr >= s->filesz || s->filesz - (vaddr - s->vaddr) < 4 * nr)
			continue;
		if (!pd_elf_read(elf, s->offset + (vaddr - s->vaddr), bytes, 4 * nr)) {
			*ret_failed |= pd_elf_failure(elf) != PERFDATA_OK;
			return false;
		}
		for (size_t k = 0; k < nr; k++)
			ret[k] = pd_load32(bytes + 4 * k, pd_elf_swaps(elf));
		return true;
	}
	return false;
}

/* Returns the address to which a word at `place` leads, by the distance in its lower 31 bits. */
static uint64_t follow_word(uint32_t word, uint64_t place)
{
	return (uint32_t)(place + ((word & 0x7fffffffu) | (word & 0x40000000u) << 1));
}

struct entry {
	uint64_t start;      /* where its function begins */
	uint64_t place;      /* address of the second word */
	uint32_t word;       /* the second word */
};

/* Finds the last entry that begins at or before an address. */
static bool find_entry(const struct pd_elf *elf, uint64_t vaddr, struct entry *ret, bool *ret_failed)
{
	const struct pd_segment *index = &elf->exception_index;
	uint64_t low = 0, high = index->filesz / ENTRY_SIZE;
	bool is_found = false;
	while (low < high) {
		const uint64_t middle = low + (high - low) / 2, place = index->vaddr + middle * ENTRY_SIZE;
		uint32_t words[2];
		if (!read_words(elf, place, words, 2, ret_failed))
			return false;
		const uint64_t start = follow_word(words[0], place);
		if (start > vaddr) {
			high = middle;
			continue;
		}
		low = middle + 1;
		is_found = true;
		*ret = (struct entry){ start, place + 4, words[1] };
	}
	return is_found;
}

/* --- instructions ------------------------------------------------------------------------------------------------- */

struct code {
	uint8_t bytes[4 * MOST_WORDS];
	size_t nr, at;
};

static void append_bytes(struct code *code, uint32_t word, unsigned nr)
{
	while (nr--)
		code->bytes[code->nr++] = (uint8_t)(word >> 8 * nr);
}

/* Collects the instructions of an entry; false: their form is unknown, or the file lacks them. */
static bool collect_code(const struct pd_elf *elf, const struct entry *entry, struct code *code, bool *ret_failed)
{
	uint32_t word = entry->word, words[MOST_WORDS];
	uint64_t at = 0;
	unsigned nr_bytes = 3, nr_words = 0;
	code->nr = code->at = 0;
	if (!(word & IS_COMPACT)) {
		at = follow_word(word, entry->place);
		if (!read_words(elf, at, &word, 1, ret_failed))
			return false;
		at += 4;
		if (!(word & IS_COMPACT)) {
			/* the place of a language's own routine, whose data begin as those of routine 1 */
			if (!read_words(elf, at, &word, 1, ret_failed))
				return false;
			at += 4;
			nr_words = word >> 24;
		} else if (word >> 24 & 0xf) {
			nr_bytes = 2;
			nr_words = word >> 16 & 0xff;
		}
	}
	append_bytes(code, word, nr_bytes);
	if (nr_words && !read_words(elf, at, words, nr_words, ret_failed))
		return false;
	for (unsigned i = 0; i < nr_words; i++)
		append_bytes(code, words[i], 4);
	return true;
}

/* The state of the virtual machine. */
struct machine {
	enum pd_rule_base base;    /* the register from which the virtual stack pointer is computed */
	int64_t offset;            /* virtual stack pointer minus that register */
	uint32_t popped;           /* a bit for each register that was popped */
	int64_t at[REGISTERS];     /* where it was, from `base` on */
};

static bool pop_registers(struct machine *m, uint32_t mask)
{
	m->popped |= mask;
	for (unsigned i = 0; i < REGISTERS; i++)
		if (mask >> i & 1) {
			m->at[i] = m->offset;
			m->offset += 4;
		}
	/* After a popped stack pointer, which a signal's frame has, the frame is at no offset from a register. */
	return mask && !(mask >> SP & 1);
}

static bool pop_bytes(struct machine *m, unsigned nr)
{
	m->offset += nr;
	return true;
}

static bool take_base(struct machine *m, unsigned number)
{
	m->base = number == FP ? PD_RULE_FROM_FP : PD_RULE_FROM_KEPT;
	m->offset = 0;
	return (number == FP || number == KEPT) && !m->popped;
}

static unsigned next_byte(struct code *code) { return code->at < code->nr ? code->bytes[code->at++] : 0; }

static uint64_t next_uleb(struct code *code)
{
	uint64_t value = 0;
	unsigned byte = 0x80;
	for (unsigned shift = 0; byte & 0x80 && shift < 28; shift += 7) {
		byte = next_byte(code);
		value |= (uint64_t)(byte & 0x7f) << shift;
	}
	return value;
}

/* Runs an instruction with a prefix of 10110 or 11; false: it is reserved, or unwinding is refused. */
static bool run_other(struct machine *m, struct code *code, unsigned op)
{
	if (op == 0xb1)
		return pop_registers(m, next_byte(code) & 0xf);
	if (op == 0xb2)
		return pop_bytes(m, 0x204 + 4 * (unsigned)next_uleb(code));
	if (op == 0xb4)          /* the code that signs the return address */
		return pop_bytes(m, 4);
	if (op == 0xb5)          /* signs with this stack pointer */
		return true;
	/* floating point and vector registers, which no rule needs: their number is in the instruction or after it */
	if (op == 0xb3)
		return pop_bytes(m, 8 * ((next_byte(code) & 0xf) + 1) + 4);
	if (op >= 0xb8 && op <= 0xbf)
		return pop_bytes(m, 8 * ((op & 7) + 1) + 4);
	if (op == 0xc6 || op == 0xc8 || op == 0xc9)
		return pop_bytes(m, 8 * ((next_byte(code) & 0xf) + 1));
	if (op == 0xc7)
		return pop_bytes(m, 4 * (unsigned)__builtin_popcount(next_byte(code) & 0xf));
	if ((op >= 0xc0 && op <= 0xc5) || (op >= 0xd0 && op <= 0xd7))
		return pop_bytes(m, 8 * ((op & 7) + 1));
	return false;
}

/* Runs instructions to their end; false: the caller cannot be found by them, or only by registers that no rule has. */
static bool run_code(struct machine *m, struct code *code)
{
	bool fine = true;
	while (fine && code->at < code->nr) {
		const unsigned op = next_byte(code);
		if (op == 0xb0)
			break;
		if (op < 0x40)
			m->offset += (op << 2) + 4;
		else if (op < 0x80)
			m->offset -= ((op & 0x3f) << 2) + 4;
		else if (op < 0x90)
			fine = pop_registers(m, ((op & 0xf) << 8 | next_byte(code)) << FIRST_CALLEE_SAVED);
		else if (op < 0xa0)
			fine = take_base(m, op & 0xf);
		else if (op < 0xb0)
			fine = pop_registers(m, ((2u << (op & 7)) - 1) << FIRST_CALLEE_SAVED |
						     (op & 8 ? 1u << LR : 0));
		else
			fine = run_other(m, code, op);
	}
	return fine;
}

/* --- the rule ----------------------------------------------------------------------------------------------------- */

static enum pd_rule_place place_of(const struct machine *m, unsigned number)
{
	return m->popped >> number & 1 ? PD_RULE_AT_CFA : PD_RULE_SAME;
}
static int64_t offset_of(const struct machine *m, unsigned number)
{
	return m->popped >> number & 1 ? m->at[number] - m->offset : 0;
}

bool pd_exidx_rule(const struct pd_elf *elf, uint64_t vaddr, struct pd_rule *ret)
{
	struct machine m = { .base = PD_RULE_FROM_SP };
	struct entry entry;
	struct code code;
	bool failed = false;
	*ret = (struct pd_rule){ .kind = PD_RULE_NONE };
	if (!find_entry(elf, vaddr, &entry, &failed))
		return !failed;
	ret->kind = PD_RULE_END;
	if (entry.word == CANNOT_UNWIND)
		return true;
	if (vaddr != entry.start && (!collect_code(elf, &entry, &code, &failed) || !run_code(&m, &code)))
		return !failed;
	const unsigned return_address = m.popped >> PC & 1 ? PC : LR;
	/* The others are saved beside the return address, if at all. */
	if (m.offset < INT16_MIN || m.offset > INT32_MAX || offset_of(&m, return_address) < INT16_MIN ||
	    offset_of(&m, return_address) > INT16_MAX)
		return true;
	*ret = (struct pd_rule){
		.kind = PD_RULE_FRAME_OF_EXIDX,
		.base = m.base,
		.return_address = place_of(&m, return_address),
		.fp = place_of(&m, FP),
		.kept = place_of(&m, KEPT),
		.return_address_at = (int16_t)offset_of(&m, return_address),
		.cfa = (int32_t)m.offset,
		.fp_at = (int32_t)offset_of(&m, FP),
		.kept_at = (int32_t)offset_of(&m, KEPT),
	};
	return true;
}
