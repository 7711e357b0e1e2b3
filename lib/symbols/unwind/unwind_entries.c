/* SPDX-License-Identifier: MIT */
/* Finds the entries of .eh_frame and .debug_frame, reads their heads, and checks that their instructions need only
 * bounded work. */
#include "config.h"
#include "symbols/symbols.h"

#include <string.h>
#include "symbols/dwarf/dwarf.h"
#include "symbols/dwarf/dwarf_format.h"
#include "symbols/unwind/unwind_entries.h"

#define MOST_REMEMBERED 64u
#define MOST_EXPRESSIONS 64u
#define MOST_EXPRESSION 256u
#define MOST_REGISTERS 1024u

/* --- instructions ------------------------------------------------------------------------------------------------- */

/* Whether an expression ends, and is safe for libdw: it has no branches, no calls and no operation that frames do not
 * need. libdw 0.188 follows a null pointer at DW_OP_deref_size in the expression of a CFA. */
static bool is_plain(const struct pd_frame_table *t, const uint8_t *bytes, size_t size)
{
	struct pd_cursor c = pd_cursor(bytes, size, t->swap);
	while (pd_left(&c) && !c.failed) {
		const unsigned op = pd_u8(&c);
		if (op == DW_OP_addr)
			pd_take(&c, t->wide ? 8 : 4);
		else if (op >= DW_OP_const1u && op <= DW_OP_const8s)
			pd_take(&c, (uint64_t)1 << (op - DW_OP_const1u) / 2);
		else if (op == DW_OP_pick)
			pd_take(&c, 1);
		else if (op == DW_OP_bregx)
			pd_dwarf_uleb(&c), pd_dwarf_uleb(&c);
		else if (op == DW_OP_constu || op == DW_OP_consts || op == DW_OP_plus_uconst || op == DW_OP_regx ||
			 op == DW_OP_fbreg || op == DW_OP_piece || (op >= DW_OP_breg0 && op <= DW_OP_breg31))
			pd_dwarf_uleb(&c);
		else if (op == DW_OP_bra || op == DW_OP_skip || op == DW_OP_deref_size || op == DW_OP_xderef_size ||
			 op > DW_OP_nop)
			return false;
	}
	return !c.failed;
}

struct counts { unsigned remembered, expressions; };

static bool take_expression(const struct pd_frame_table *t, struct pd_cursor *c, struct counts *counts)
{
	const uint64_t size = pd_dwarf_uleb(c);
	const uint8_t *bytes = size <= MOST_EXPRESSION ? pd_take(c, size) : NULL;
	return bytes && counts->expressions++ < MOST_EXPRESSIONS && is_plain(t, bytes, (size_t)size);
}

static bool take_register(struct pd_cursor *c) { return pd_dwarf_uleb(c) < MOST_REGISTERS; }

/* Passes an instruction whose opcode contains no operand; false: it is not allowed. */
static bool take_extended(const struct pd_frame_table *t, struct pd_cursor *c, unsigned op, unsigned address_size,
			  struct counts *counts)
{
	switch (op) {
	case DW_CFA_nop: case DW_CFA_GNU_window_save: return true;
	case DW_CFA_set_loc: pd_take(c, address_size); return address_size != 0;
	case DW_CFA_advance_loc1: pd_take(c, 1); return true;
	case DW_CFA_advance_loc2: pd_take(c, 2); return true;
	case DW_CFA_advance_loc4: pd_take(c, 4); return true;
	case DW_CFA_MIPS_advance_loc8: pd_take(c, 8); return true;
	case DW_CFA_register: return take_register(c) && take_register(c);
	case DW_CFA_offset_extended: case DW_CFA_offset_extended_sf: case DW_CFA_def_cfa: case DW_CFA_def_cfa_sf:
	case DW_CFA_val_offset: case DW_CFA_val_offset_sf: case DW_CFA_GNU_negative_offset_extended: {
		const bool fine = take_register(c);
		pd_dwarf_uleb(c);
		return fine;
	}
	case DW_CFA_restore_extended: case DW_CFA_undefined: case DW_CFA_same_value: case DW_CFA_def_cfa_register:
		return take_register(c);
	case DW_CFA_remember_state: return ++counts->remembered <= MOST_REMEMBERED;
	case DW_CFA_restore_state: counts->remembered -= counts->remembered > 0; return true;
	case DW_CFA_def_cfa_offset: case DW_CFA_def_cfa_offset_sf: case DW_CFA_GNU_args_size:
		pd_dwarf_uleb(c);
		return true;
	case DW_CFA_def_cfa_expression: return take_expression(t, c, counts);
	case DW_CFA_expression: case DW_CFA_val_expression: return take_register(c) && take_expression(t, c, counts);
	default: return false;
	}
}

bool pd_frame_are_bounded(const struct pd_frame_table *t, const struct pd_cursor *instructions, unsigned address_size)
{
	struct pd_cursor own = *instructions, *c = &own;
	struct counts counts = { 0, 0 };
	bool fine = true;
	while (pd_left(c) && !c->failed && fine) {
		const unsigned op = pd_u8(c);
		if (op >> 6 == DW_CFA_offset >> 6)
			pd_dwarf_uleb(c);
		else if (!(op >> 6))
			fine = take_extended(t, c, op, address_size, &counts);
	}
	return fine && !c->failed;
}

/* --- entries ------------------------------------------------------------------------------------------------------ */

/* Returns the size of an encoded pointer in bytes; 0: unknown encoding. */
static unsigned size_of_pointer(const struct pd_frame_table *t, unsigned encoding)
{
	switch (encoding & 0x0f) {
	case DW_EH_PE_absptr: return t->wide ? 8 : 4;
	case DW_EH_PE_udata2: case DW_EH_PE_sdata2: return 2;
	case DW_EH_PE_udata4: case DW_EH_PE_sdata4: return 4;
	case DW_EH_PE_udata8: case DW_EH_PE_sdata8: return 8;
	default: return 0;
	}
}

/* Reads the data of an augmentation: the letter 'z', then letters that libdw knows. false: libdw cannot read it. */
static bool read_augmentation(const struct pd_frame_table *t, struct pd_cursor *c, const char *letters,
			      struct pd_frame_cie *cie)
{
	struct pd_cursor data = *c;
	cie->is_sized = *letters == 'z';
	cie->encoding = DW_EH_PE_absptr;
	cie->address_size = t->wide ? 8 : 4;
	if (!cie->is_sized)
		return !*letters;
	const uint64_t size = pd_dwarf_uleb(c);
	const uint8_t *bytes = pd_take(c, size);
	if (!bytes)
		return false;
	data = pd_cursor(bytes, (size_t)size, t->swap);
	while (*++letters) {
		if (*letters == 'R')
			cie->address_size = size_of_pointer(t, cie->encoding = pd_u8(&data));
		else if (*letters == 'L')
			pd_u8(&data);
		else if (*letters == 'P')
			pd_take(&data, size_of_pointer(t, pd_u8(&data)));
		else if (*letters == 'S')
			cie->is_signal = true;
		else if (*letters != 'B')
			return false;
	}
	return !data.failed;
}

bool pd_frame_read_cie(const struct pd_frame_table *table, const struct pd_frame_entry *entry,
		       struct pd_frame_cie *ret)
{
	struct pd_cursor c = entry->rest;
	const unsigned version = pd_u8(&c);
	const uint8_t *end = c.failed ? NULL : memchr(c.at, 0, pd_left(&c));
	const char *letters = (const char *)c.at;
	*ret = (struct pd_frame_cie){ .at = entry->at };
	if (!end || (version != 1 && version != 3 && version != 4))
		return false;
	pd_take(&c, (uint64_t)(end - c.at) + 1);
	if (version == 4 && (pd_u8(&c) != (table->wide ? 8 : 4) || pd_u8(&c)))
		return false;
	ret->code_factor = pd_dwarf_uleb(&c);
	ret->data_factor = pd_dwarf_sleb(&c);
	const uint64_t return_address = version == 1 ? pd_u8(&c) : pd_dwarf_uleb(&c);
	if (return_address >= MOST_REGISTERS || !read_augmentation(table, &c, letters, ret) || c.failed)
		ret->address_size = 0;
	ret->return_address = (unsigned)return_address;
	ret->instructions = c;
	return ret->address_size != 0;
}

bool pd_frame_pass_head(const struct pd_frame_cie *cie, struct pd_frame_entry *entry)
{
	pd_take(&entry->rest, 2 * (uint64_t)cie->address_size);
	if (cie->is_sized)
		pd_take(&entry->rest, pd_dwarf_uleb(&entry->rest));
	return !entry->rest.failed;
}

static uint64_t read_pointer(struct pd_cursor *c, unsigned size, bool is_signed)
{
	const uint64_t value = size == 8 ? pd_u64(c) : size == 4 ? pd_u32(c) : pd_u16(c);
	const unsigned shift = 64 - 8 * size;
	return is_signed ? (uint64_t)((int64_t)(value << shift) >> shift) : value;
}

bool pd_frame_read_head(const struct pd_frame_table *table, const struct pd_frame_cie *cie,
			struct pd_frame_entry *entry, uint64_t *ret_start, uint64_t *ret_end)
{
	const unsigned how = cie->encoding & ~0x0fu;
	const bool is_signed = cie->encoding & DW_EH_PE_signed;
	struct pd_cursor c = entry->rest;
	if (how != DW_EH_PE_absptr && how != DW_EH_PE_pcrel)
		return false;
	const uint64_t place = table->address + entry->at + (uint64_t)(c.at - entry->bytes);
	uint64_t start = read_pointer(&c, cie->address_size, is_signed);
	const uint64_t size = read_pointer(&c, cie->address_size, false);
	start += how == DW_EH_PE_pcrel ? place : 0;
	if (!table->wide)
		start &= UINT32_MAX;
	*ret_start = start;
	*ret_end = start + size;
	return !c.failed && *ret_end >= start && pd_frame_pass_head(cie, entry);
}

uint64_t pd_frame_entry_size(const struct pd_frame_table *table, const uint8_t *bytes, size_t size)
{
	struct pd_cursor c = pd_cursor(bytes, size, table->swap);
	const uint64_t length = pd_u32(&c);
	if (length != UINT32_MAX)
		return c.failed || length < 4 ? 0 : length + 4;
	const uint64_t wide = pd_u64(&c);
	return c.failed || wide < 8 || wide > UINT64_MAX - 12 ? 0 : wide + 12;
}

bool pd_frame_take_entry(const struct pd_frame_table *table, const uint8_t *bytes, size_t size, uint64_t at,
			 struct pd_frame_entry *ret)
{
	struct pd_cursor c = pd_cursor(bytes, size, table->swap);
	uint64_t length = pd_u32(&c);
	const bool wide = length == UINT32_MAX;
	if (wide)
		length = pd_u64(&c);
	const uint64_t id_at = at + (wide ? 12 : 4);
	if (c.failed || length < (wide ? 8 : 4) || length > pd_left(&c))
		return false;
	*ret = (struct pd_frame_entry){ .at = at, .bytes = bytes };
	ret->rest = pd_cursor(c.at, (size_t)length, table->swap);
	const uint64_t id = wide ? pd_u64(&ret->rest) : pd_u32(&ret->rest);
	ret->next = id_at + length;
	ret->is_cie = table->is_debug ? id == (wide ? UINT64_MAX : UINT32_MAX) : !id;
	ret->cie = table->is_debug ? id : id_at - id;
	return true;
}

/* --- where they are ----------------------------------------------------------------------------------------------- */

/* Whether the index has the one form that linkers write; libdw ignores an index of another form. */
static bool is_known_index(const uint8_t *head)
{
	return head[0] == 1 && head[1] == (DW_EH_PE_pcrel | DW_EH_PE_sdata4) && head[2] == DW_EH_PE_udata4 &&
	       head[3] == (DW_EH_PE_datarel | DW_EH_PE_sdata4);
}

bool pd_frame_find_eh(const struct pd_elf *elf, uint8_t index_head[PD_FRAME_INDEX_HEAD], struct pd_frame_place *ret)
{
	const struct pd_elf_section *section = pd_elf_section(elf, ".eh_frame");
	const struct pd_segment *index = &elf->frame_index;
	/* a program that has no entries of its own has a section with only the last word, which is 0 */
	const bool in_file = section && section->header.sh_size > 4 && pd_elf_in_file(elf, &section->header);
	*ret = (struct pd_frame_place){ .is_indexed = false };
	if (in_file)
		*ret = (struct pd_frame_place){ section->header.sh_offset, section->header.sh_size,
						section->header.sh_addr, false };
	if (index->filesz < PD_FRAME_INDEX_HEAD ||
	    !pd_elf_read(elf, index->offset, index_head, PD_FRAME_INDEX_HEAD) || !is_known_index(index_head))
		return in_file;
	const int32_t distance = (int32_t)pd_load32(index_head + 4, pd_elf_swaps(elf));
	const uint64_t address = index->vaddr + 4 + (uint64_t)(int64_t)distance;
	if (in_file && ret->address == address) {
		ret->is_indexed = true;
		return true;
	}
	/* Without sections, .eh_frame may extend to the end of the loaded segment. */
	for (size_t i = 0; i < elf->segment_count; i++) {
		const struct pd_segment *s = &elf->segments[i];
		if (address < s->vaddr || address - s->vaddr >= s->filesz)
			continue;
		*ret = (struct pd_frame_place){ s->offset + (address - s->vaddr), s->filesz - (address - s->vaddr),
						address, true };
		return pd_elf_holds(elf, ret->offset, ret->size);
	}
	return in_file;
}

const struct pd_elf_section *pd_frame_find_debug(const struct pd_elf *code, const struct pd_elf *debug,
						 const struct pd_elf **ret_file)
{
	const struct pd_elf *const files[] = { code, debug };
	for (unsigned i = 0; i < 2; i++) {
		const struct pd_elf *file = files[i];
		if (!file || file->header.e_ident[EI_CLASS] != code->header.e_ident[EI_CLASS])
			continue;
		const struct pd_elf_section *section = pd_elf_section(file, ".debug_frame");
		section = section ? section : pd_elf_section(file, ".zdebug_frame");
		*ret_file = file;
		if (section && section->header.sh_type != SHT_NOBITS)
			return section;
	}
	return NULL;
}
