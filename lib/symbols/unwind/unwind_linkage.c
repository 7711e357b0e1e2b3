/* SPDX-License-Identifier: MIT */
/* Makes rules for procedure linkage tables without call frame information. An entry jumps to a function, so the return
 * address of its caller is on top of the stack. Where functions are bound at their first call, an entry of .plt then
 * pushes a number and jumps to the head of the table, which pushes another word. */
#include "config.h"
#include "symbols/unwind/unwind_linkage.h"
#include <string.h>
#include "symbols/symbols.h"

#define ENTRY_SIZE 16u
#define PUSHES_NOTHING ENTRY_SIZE
#define PUSHES_BEFORE 11u           /* jmp with 6 bytes, push with 5 */
#define PUSHES_BEFORE_IF_MARKED 9u  /* endbr with 4 bytes, push with 5; the jmp is in .plt.sec */
#define HEAD_PUSHES_BEFORE 6u

enum head { NO_HEAD, HAS_HEAD, IS_UNKNOWN };

/* Looks at the first entry: a head pushes a word of the table of addresses, then jumps to an address of the table.
 * Files without a dynamic linker have no head. Other code than a jump is there to prevent speculation; then entries
 * have another form, too. */
static enum head find_head(const uint8_t *code)
{
	if (code[0] != 0xff || (code[1] != 0x35 && code[1] != 0xb3))
		return NO_HEAD;
	return code[HEAD_PUSHES_BEFORE] == 0xff || code[HEAD_PUSHES_BEFORE] == 0xf2 ? HAS_HEAD : IS_UNKNOWN;
}

/* false: the first entry cannot be read. */
static bool add_table(const struct pd_elf *elf, const char *name, uint8_t pushes_before, struct pd_linkage *ret)
{
	const struct pd_elf_section *section = pd_elf_section(elf, name);
	uint8_t code[ENTRY_SIZE];
	if (!section || !pd_elf_is_code(&section->header) || !pd_elf_in_file(elf, &section->header) ||
	    section->header.sh_size < ENTRY_SIZE || section->header.sh_size > UINT64_MAX - section->header.sh_addr)
		return true;
	if (!pd_elf_read(elf, section->header.sh_offset, code, sizeof code))
		return false;
	const enum head head = find_head(code);
	if (head != IS_UNKNOWN)
		ret->tables[ret->nr++] = (struct pd_linkage_table){
			.start = section->header.sh_addr,
			.end = section->header.sh_addr + section->header.sh_size,
			.pushes_before = head == HAS_HEAD ? pushes_before : PUSHES_NOTHING,
		};
	return true;
}

bool pd_linkage_find(const struct pd_elf *elf, struct pd_linkage *ret)
{
	static const char *const others[] = { ".plt.sec", ".plt.got", ".plt.bnd", ".iplt" };
	ret->nr = 0;
	if (elf->header.e_machine != EM_X86_64 && elf->header.e_machine != EM_386)
		return true;
	bool is_read = add_table(elf, ".plt",
				 pd_elf_section(elf, ".plt.sec") ? PUSHES_BEFORE_IF_MARKED : PUSHES_BEFORE, ret);
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		is_read = add_table(elf, others[i], PUSHES_NOTHING, ret) && is_read;
	return is_read;
}

void pd_linkage_rule(const struct pd_linkage *linkage, const struct pd_elf *elf, uint64_t vaddr, struct pd_rule *ret)
{
	const int word = elf->header.e_machine == EM_386 ? 4 : 8;
	const struct pd_linkage_table *table = linkage->tables, *end = table + linkage->nr;
	while (table < end && (vaddr < table->start || vaddr >= table->end))
		table++;
	if (table == end)
		return;
	const uint64_t at = vaddr - table->start;
	const bool is_head = table->pushes_before != PUSHES_NOTHING && at < ENTRY_SIZE;
	const unsigned pushes_before = is_head ? HEAD_PUSHES_BEFORE : table->pushes_before;
	const int words = 1 + is_head + (at % ENTRY_SIZE >= pushes_before);
	*ret = (struct pd_rule){ .kind = PD_RULE_FRAME_OF_LEAF, .base = PD_RULE_FROM_SP, .cfa = words * word,
				 .return_address = PD_RULE_AT_CFA, .return_address_at = (int16_t)-word,
				 .fp = PD_RULE_SAME, .kept = PD_RULE_SAME };
}
