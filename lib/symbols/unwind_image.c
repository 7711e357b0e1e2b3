/* SPDX-License-Identifier: MIT */
/* What libdwfl is given of a file whose code is in user stacks: an image in memory with nothing but the tables that say
 * how to unwind (.eh_frame with its index, or .debug_frame). libdw counts no work, evaluates expressions that branch
 * backwards for ever, makes room for any register that is named and copies its state whenever it is told to remember
 * it; so each entry is read here first, and what asks for that is made an entry of no code. */
#include "config.h"
#include "symbols/symbols.h"

#ifdef HAVE_ELFUTILS

#include <dwarf.h>
#include <errno.h>
#include <string.h>
#include "base/cursor.h"
#include "base/memory.h"
#include "symbols/dwarf.h"
#include "symbols/symbol_elf.h"

/* Each step of unwinding runs the instructions of one entry and of its CIE. Compilers write a few hundred bytes, for
 * the longest function of cc1plus 20,000. */
#define MOST_ENTRY 65536u
#define MOST_REMEMBERED 64u
#define MOST_EXPRESSIONS 64u
#define MOST_EXPRESSION 256u
#define MOST_REGISTERS 1024u
#define BYTES_OF_STEP 4u
/* Without an index libdw keeps every entry; with one, those that were looked for. */
#define BYTES_KEPT 8u
#define MOST_GAP ((uint64_t)1 << 20)   /* between the index and .eh_frame, which linkers write side by side */

struct table {
	const struct pd_elf *elf;
	uint8_t *bytes;
	size_t size;
	uint64_t address;
	bool is_debug;       /* .debug_frame */
	bool wide, swap;     /* of the file */
	uint8_t *starts;     /* a bit for each byte at which an entry that may be used begins */
	bool has_excess;
};

static bool is_start(const struct table *t, uint64_t at)
{
	return at < t->size && t->starts[at / 8] >> at % 8 & 1;
}

/* --- instructions ------------------------------------------------------------------------------------------------- */

/* Whether an expression is one that ends: without branches, calls and what no frame needs. */
static bool is_plain(const struct table *t, const uint8_t *bytes, size_t size)
{
	struct pd_cursor c = pd_cursor(bytes, size, t->swap);
	while (pd_left(&c) && !c.failed) {
		const unsigned op = pd_u8(&c);
		if (op == DW_OP_addr)
			pd_take(&c, t->wide ? 8 : 4);
		else if (op >= DW_OP_const1u && op <= DW_OP_const8s)
			pd_take(&c, (uint64_t)1 << (op - DW_OP_const1u) / 2);
		else if (op == DW_OP_pick || op == DW_OP_deref_size || op == DW_OP_xderef_size)
			pd_take(&c, 1);
		else if (op == DW_OP_bregx)
			pd_dwarf_uleb(&c), pd_dwarf_uleb(&c);
		else if (op == DW_OP_constu || op == DW_OP_consts || op == DW_OP_plus_uconst || op == DW_OP_regx ||
			 op == DW_OP_fbreg || op == DW_OP_piece || (op >= DW_OP_breg0 && op <= DW_OP_breg31))
			pd_dwarf_uleb(&c);
		else if (op == DW_OP_bra || op == DW_OP_skip || op > DW_OP_nop)
			return false;
	}
	return !c.failed;
}

struct counts { unsigned remembered, expressions; };

static bool take_expression(const struct table *t, struct pd_cursor *c, struct counts *counts)
{
	const uint64_t size = pd_dwarf_uleb(c);
	const uint8_t *bytes = size <= MOST_EXPRESSION ? pd_take(c, size) : NULL;
	return bytes && counts->expressions++ < MOST_EXPRESSIONS && is_plain(t, bytes, (size_t)size);
}

static bool take_register(struct pd_cursor *c) { return pd_dwarf_uleb(c) < MOST_REGISTERS; }

/* One instruction that is not of the three with an operand in the opcode. */
static bool take_extended(const struct table *t, struct pd_cursor *c, unsigned op, unsigned address_size,
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

static bool are_bounded(const struct table *t, struct pd_cursor *c, unsigned address_size)
{
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

/* Bytes of a pointer; 0: another form. */
static unsigned size_of_pointer(const struct table *t, unsigned encoding)
{
	switch (encoding & 0x0f) {
	case DW_EH_PE_absptr: return t->wide ? 8 : 4;
	case DW_EH_PE_udata2: case DW_EH_PE_sdata2: return 2;
	case DW_EH_PE_udata4: case DW_EH_PE_sdata4: return 4;
	case DW_EH_PE_udata8: case DW_EH_PE_sdata8: return 8;
	default: return 0;
	}
}

struct cie {
	uint64_t at;              /* UINT64_MAX: none was read */
	bool is_sized;            /* its entries have augmentation data, with a size */
	unsigned address_size;    /* 0: it may not be used */
};

/* The letters of an augmentation: 'z' first, then what libdw knows. Other ones end what libdw can read. */
static bool read_augmentation(const struct table *t, struct pd_cursor *c, const char *letters, struct cie *cie)
{
	struct pd_cursor data = *c;
	cie->is_sized = *letters == 'z';
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
			cie->address_size = size_of_pointer(t, pd_u8(&data));
		else if (*letters == 'L')
			pd_u8(&data);
		else if (*letters == 'P')
			pd_take(&data, size_of_pointer(t, pd_u8(&data)));
		else if (*letters != 'S' && *letters != 'B')
			return false;
	}
	return !data.failed;
}

static bool read_cie(const struct table *t, struct pd_cursor *c, struct cie *cie)
{
	const unsigned version = pd_u8(c);
	const uint8_t *end = c->failed ? NULL : memchr(c->at, 0, pd_left(c));
	const char *letters = (const char *)c->at;
	if (!end || (version != 1 && version != 3 && version != 4))
		return false;
	pd_take(c, (uint64_t)(end - c->at) + 1);
	if (version == 4 && (pd_u8(c) != (t->wide ? 8 : 4) || pd_u8(c)))
		return false;
	pd_dwarf_uleb(c);
	pd_dwarf_uleb(c);
	const uint64_t return_address = version == 1 ? pd_u8(c) : pd_dwarf_uleb(c);
	return return_address < MOST_REGISTERS && read_augmentation(t, c, letters, cie) && cie->address_size &&
	       are_bounded(t, c, cie->address_size);
}

static bool read_fde(const struct table *t, struct pd_cursor *c, const struct cie *cie)
{
	pd_take(c, 2 * (uint64_t)cie->address_size);
	if (cie->is_sized)
		pd_take(c, pd_dwarf_uleb(c));
	return !c->failed && are_bounded(t, c, cie->address_size);
}

struct entry {
	struct pd_cursor rest;    /* after the id */
	uint64_t next;            /* offset of the entry after it */
	uint64_t cie;             /* offset of its CIE */
	bool is_cie;
};

/* false: the table ends here. */
static bool take_entry(const struct table *t, uint64_t at, struct entry *ret)
{
	struct pd_cursor c = pd_cursor(t->bytes + at, t->size - (size_t)at, t->swap);
	uint64_t length = pd_u32(&c);
	const bool wide = length == UINT32_MAX;
	if (wide)
		length = pd_u64(&c);
	const uint64_t id_at = at + (wide ? 12 : 4);
	if (c.failed || length < (wide ? 8 : 4) || length > pd_left(&c))
		return false;
	ret->rest = pd_cursor(c.at, (size_t)length, t->swap);
	const uint64_t id = wide ? pd_u64(&ret->rest) : pd_u32(&ret->rest);
	ret->next = id_at + length;
	ret->is_cie = t->is_debug ? id == (wide ? UINT64_MAX : UINT32_MAX) : !id;
	ret->cie = t->is_debug ? id : id_at - id;
	return true;
}

/* Reads the CIE at `at`, unless it is the one that was read last; returns how many bytes were read. */
static size_t find_cie(const struct table *t, uint64_t at, struct cie *cie)
{
	struct entry entry;
	if (cie->at == at)
		return 0;
	*cie = (struct cie){ .at = at };
	if (!is_start(t, at) || !take_entry(t, at, &entry) || !entry.is_cie)
		return 0;
	const size_t size = pd_left(&entry.rest);
	if (!read_cie(t, &entry.rest, cie))
		cie->address_size = 0;
	return size;
}

/* Makes an entry useless: no CIE has version 0, and no code lies in a range of 0 bytes. */
static void spoil(struct table *t, const struct entry *entry)
{
	t->has_excess = true;
	memset(t->bytes + entry->next - pd_left(&entry->rest), 0, pd_left(&entry->rest));
}

/* All CIEs in the first pass, all others in the second one: their CIE may be after them. */
static enum perfdata_status read_entries(struct table *t, bool cies, struct pd_meter *meter)
{
	struct cie last = { .at = UINT64_MAX };
	enum perfdata_status status = PERFDATA_OK;
	struct entry entry;
	uint64_t at = 0;
	for (; at < t->size && take_entry(t, at, &entry) && !status; at = entry.next) {
		struct pd_cursor rest = entry.rest;
		struct cie own = { .at = at };
		size_t bytes = pd_left(&rest);
		if (entry.is_cie != cies)
			continue;
		bool fine = bytes <= MOST_ENTRY;
		if (cies) {
			fine = fine && read_cie(t, &rest, &own);
		} else {
			bytes += find_cie(t, entry.cie, &last);
			fine = fine && last.address_size && read_fde(t, &rest, &last);
		}
		if (fine)
			t->starts[at / 8] |= (uint8_t)(1u << at % 8);
		else
			spoil(t, &entry);
		status = pd_meter_count(meter, 1 + (uint32_t)(bytes / BYTES_OF_STEP));
	}
	if (!status)
		t->size = (size_t)at;
	return status;
}

static enum perfdata_status check(struct table *t, struct pd_work *work)
{
	struct pd_meter meter = pd_meter(work);
	t->starts = pd_calloc(1, t->size / 8 + 1);
	if (!t->starts)
		return PERFDATA_ENOMEM;
	enum perfdata_status status = read_entries(t, true, &meter);
	if (!status)
		status = read_entries(t, false, &meter);
	return status ? status : pd_meter_settle(&meter);
}

/* --- the index of .eh_frame --------------------------------------------------------------------------------------- */

#define INDEX_HEAD 12u   /* version, encodings, where .eh_frame is, the number of entries */

/* In the one form that linkers write; else libdw does without it. */
static bool is_known_index(const uint8_t *head)
{
	return head[0] == 1 && head[1] == (DW_EH_PE_pcrel | DW_EH_PE_sdata4) && head[2] == DW_EH_PE_udata4 &&
	       head[3] == (DW_EH_PE_datarel | DW_EH_PE_sdata4);
}

/* Whether each entry of the index leads to one that was read. */
static bool fits(const struct table *t, const uint8_t *index, size_t size, uint64_t address)
{
	const uint64_t count = pd_load32(index + 8, t->swap);
	if (count > (size - INDEX_HEAD) / 8)
		return false;
	for (uint64_t i = 0; i < count; i++) {
		const int32_t offset = (int32_t)pd_load32(index + INDEX_HEAD + 8 * i + 4, t->swap);
		if (!is_start(t, address + (uint64_t)(int64_t)offset - t->address))
			return false;
	}
	return true;
}

/* --- the image ---------------------------------------------------------------------------------------------------- */

/* The bytes of .eh_frame: by its index, or by its section. false: there are none. */
static bool place_eh_frame(const struct pd_elf *elf, uint8_t *index_head, uint64_t *ret_offset, uint64_t *ret_size,
			   uint64_t *ret_address)
{
	const struct pd_elf_section *section = pd_elf_section(elf, ".eh_frame");
	const struct pd_segment *index = &elf->frame_index;
	const bool in_file = section && pd_elf_in_file(elf, &section->header);
	if (in_file) {
		*ret_offset = section->header.sh_offset;
		*ret_size = section->header.sh_size;
		*ret_address = section->header.sh_addr;
	}
	if (index->filesz < INDEX_HEAD || !pd_elf_read(elf, index->offset, index_head, INDEX_HEAD) ||
	    !is_known_index(index_head)) {
		index_head[0] = 0;
		return in_file;
	}
	const int32_t distance = (int32_t)pd_load32(index_head + 4, pd_elf_swaps(elf));
	const uint64_t address = index->vaddr + 4 + (uint64_t)(int64_t)distance;
	if (in_file && *ret_address == address)
		return true;
	/* without sections: up to the end of what is loaded */
	for (size_t i = 0; i < elf->segment_count; i++) {
		const struct pd_segment *s = &elf->segments[i];
		if (address < s->vaddr || address - s->vaddr >= s->filesz)
			continue;
		*ret_address = address;
		*ret_offset = s->offset + (address - s->vaddr);
		*ret_size = s->filesz - (address - s->vaddr);
		return pd_elf_holds(elf, *ret_offset, *ret_size);
	}
	index_head[0] = 0;
	return in_file;
}

struct image {
	uint8_t *bytes;
	size_t size, memory;          /* memory: of the image, and about what libdw keeps of it */
	bool has_index, has_excess;   /* has_excess: entries were left out */
};
struct parts { const struct table *eh, *frame; const uint8_t *index; size_t index_size; };

static void put(uint8_t *at, size_t size, uint64_t value, bool swap)
{
	const bool big = swap == (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);
	for (size_t i = 0; i < size; i++)
		at[big ? size - 1 - i : i] = (uint8_t)(value >> 8 * i);
}

enum { SEGMENT_TYPE, SEGMENT_OFFSET, SEGMENT_ADDRESS, SEGMENT_SIZE, SEGMENT_MEMORY, SEGMENT_ALIGN, SEGMENT_FIELDS };
static void put_segment(const struct table *t, uint8_t *at, const uint64_t *fields)
{
	static const uint8_t wide[] = { 0, 8, 16, 32, 40, 48 }, narrow[] = { 0, 4, 8, 16, 20, 28 };
	for (unsigned i = 0; i < SEGMENT_FIELDS; i++)
		put(at + (t->wide ? wide : narrow)[i], t->wide && i ? 8 : 4, fields[i], t->swap);
}

static void put_section(const struct table *t, uint8_t *at, uint32_t name, uint32_t type, uint64_t address,
			uint64_t offset, uint64_t size)
{
	const size_t word = t->wide ? 8 : 4;
	put(at, 4, name, t->swap);
	put(at + 4, 4, type, t->swap);
	put(at + 8 + word, word, address, t->swap);
	put(at + 8 + 2 * word, word, offset, t->swap);
	put(at + 8 + 3 * word, word, size, t->swap);
	put(at + 16 + 4 * word, word, 1, t->swap);
}

static const char section_names[] = "\0.eh_frame\0.debug_frame\0.shstrtab";
enum { NAME_EH_FRAME = 1, NAME_DEBUG_FRAME = 11, NAME_NAMES = 24, SECTIONS = 4 };

/* Header, segments, sections; then the index where it keeps its distance from .eh_frame, which is the last: libdw takes
 * all up to the end of the file for it. */
static enum perfdata_status join(const struct pd_elf *elf, const struct parts *parts, struct image *ret)
{
	const struct table *t = parts->eh, *frame = parts->frame;
	const size_t head = t->wide ? sizeof(Elf64_Ehdr) : sizeof(Elf32_Ehdr),
		     segment = t->wide ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr),
		     section = t->wide ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr), word = t->wide ? 8 : 4,
		     behind = 24 + 3 * word;   /* e_flags */
	const bool has_index = parts->index && elf->frame_index.vaddr < t->address &&
			       t->address - elf->frame_index.vaddr >= parts->index_size &&
			       t->address - elf->frame_index.vaddr - parts->index_size <= MOST_GAP;
	const size_t count = elf->segment_count + has_index, sections = head + count * segment,
		     names = sections + SECTIONS * section, frame_at = names + sizeof section_names,
		     index_at = frame_at + frame->size,
		     eh_at = index_at + (has_index ? (size_t)(t->address - elf->frame_index.vaddr) : 0);
	ret->size = eh_at + t->size;
	uint8_t *image = ret->bytes = pd_calloc(1, ret->size);
	if (!image)
		return PERFDATA_ENOMEM;
	ret->has_index = has_index;
	memcpy(image, elf->header.e_ident, EI_NIDENT);
	put(image + 16, 2, elf->header.e_type, t->swap);
	put(image + 18, 2, elf->header.e_machine, t->swap);
	put(image + 20, 4, EV_CURRENT, t->swap);
	put(image + 24 + word, word, head, t->swap);
	put(image + 24 + 2 * word, word, sections, t->swap);
	put(image + behind, 4, elf->header.e_flags, t->swap);
	put(image + behind + 4, 2, head, t->swap);
	put(image + behind + 6, 2, segment, t->swap);
	put(image + behind + 8, 2, count, t->swap);
	put(image + behind + 10, 2, section, t->swap);
	put(image + behind + 12, 2, SECTIONS, t->swap);
	put(image + behind + 14, 2, SECTIONS - 1, t->swap);
	for (size_t i = 0; i < elf->segment_count; i++) {
		const struct pd_segment *s = &elf->segments[i];
		put_segment(t, image + head + i * segment,
			    (uint64_t[]){ PT_LOAD, 0, s->vaddr, 0, s->memsz, s->align });
	}
	if (has_index)
		put_segment(t, image + head + elf->segment_count * segment,
			    (uint64_t[]){ PT_GNU_EH_FRAME, index_at, elf->frame_index.vaddr, parts->index_size,
					  parts->index_size, 4 });
	put_section(t, image + sections + section, NAME_EH_FRAME, t->size ? SHT_PROGBITS : SHT_NULL, t->address, eh_at,
		    t->size);
	put_section(t, image + sections + 2 * section, NAME_DEBUG_FRAME, frame->size ? SHT_PROGBITS : SHT_NULL, 0,
		    frame_at, frame->size);
	put_section(t, image + sections + 3 * section, NAME_NAMES, SHT_STRTAB, 0, names, sizeof section_names);
	memcpy(image + names, section_names, sizeof section_names);
	if (frame->size)
		memcpy(image + frame_at, frame->bytes, frame->size);
	if (has_index)
		memcpy(image + index_at, parts->index, parts->index_size);
	if (t->size)
		memcpy(image + eh_at, t->bytes, t->size);
	return PERFDATA_OK;
}

static enum perfdata_status read_bytes(const struct pd_elf *elf, struct pd_work *work, uint64_t offset, uint64_t size,
				       uint8_t **ret)
{
	enum perfdata_status status = pd_work_room(work, size);
	uint8_t *bytes = status ? NULL : pd_malloc((size_t)size + 1);
	if (!bytes)
		return status ? status : PERFDATA_ENOMEM;
	if (!pd_elf_read(elf, offset, bytes, (size_t)size)) {
		pd_free(bytes);
		return pd_elf_failure(elf) ? pd_elf_failure(elf) : PERFDATA_ABSENT;
	}
	*ret = bytes;
	return PERFDATA_OK;
}

static enum perfdata_status make(const struct pd_elf *elf, const struct pd_elf *debug, struct pd_work *work,
				 struct image *ret)
{
	const struct pd_elf *const files[] = { elf, debug };
	struct table eh = {
		.elf = elf, .wide = elf->header.e_ident[EI_CLASS] != ELFCLASS32, .swap = pd_elf_swaps(elf)
	};
	struct table frame = eh;
	uint8_t index_head[INDEX_HEAD] = { 0 }, *index = NULL;
	uint64_t offset = 0, size = 0;
	frame.is_debug = true;
	enum perfdata_status status = PERFDATA_OK;
	if (place_eh_frame(elf, index_head, &offset, &size, &eh.address)) {
		status = read_bytes(elf, work, offset, size, &eh.bytes);
		eh.size = status ? 0 : (size_t)size;
	}
	if (!status && eh.size)
		status = check(&eh, work);
	const size_t index_size = index_head[0] ? (size_t)elf->frame_index.filesz : 0;
	if (!status && eh.size && index_size)
		status = read_bytes(elf, work, elf->frame_index.offset, index_size, &index);
	if (index && !fits(&eh, index, index_size, elf->frame_index.vaddr)) {
		pd_free(index);
		index = NULL;
	}
	for (size_t i = 0; i < 2 && !status && !frame.bytes; i++) {
		if (files[i] && files[i]->header.e_ident[EI_CLASS] != elf->header.e_ident[EI_CLASS])
			continue;
		const struct pd_elf_section *s = files[i] ? pd_elf_section(files[i], ".debug_frame") : NULL;
		s = s || !files[i] ? s : pd_elf_section(files[i], ".zdebug_frame");
		if (!s || s->header.sh_type == SHT_NOBITS)
			continue;
		uint64_t whole;
		status = pd_dwarf_whole_section(files[i], s, work, &frame.bytes, &whole);
		frame.size = status ? 0 : (size_t)whole;
		if (!status)
			status = check(&frame, work);
		status = status == PERFDATA_EUNSUP ? PERFDATA_OK : status;
	}
	const size_t kept = (index ? 0 : BYTES_KEPT * eh.size) + BYTES_KEPT * frame.size;
	if (!status)
		status = pd_work_room(work, eh.size + frame.size + index_size + kept);
	if (!status)
		status = join(elf, &(struct parts){ &eh, &frame, index, index_size }, ret);
	if (!status)
		ret->memory = ret->size + BYTES_KEPT * ((ret->has_index ? 0 : eh.size) + frame.size);
	ret->has_excess = eh.has_excess || frame.has_excess;
	pd_free(eh.bytes);
	pd_free(eh.starts);
	pd_free(frame.bytes);
	pd_free(frame.starts);
	pd_free(index);
	return status;
}

enum perfdata_status pd_unwind_open(struct perfdata_symbols_dso *dso)
{
	struct image image = { .bytes = NULL };
	struct pd_work work;
	pd_work_init(&work, pd_elf_size(dso->text), pd_symbols_account(dso->symbols), dso->symbols->options.cancel);
	if (dso->debug && dso->debug != dso->text)
		pd_work_add_bytes(&work, pd_elf_size(dso->debug));
	const enum perfdata_status status = make(dso->text, dso->debug, &work, &image);
	if (status == PERFDATA_ELIMIT || image.has_excess)
		pd_symbols_find_excess(dso, dso->origin.text_file,
				       "its tables for unwinding ask for more than their size explains");
	if (status)
		return status == PERFDATA_ELIMIT ? PERFDATA_ABSENT : status;
	elf_version(EV_CURRENT);
	dso->unwind_bytes = image.bytes;
	dso->accounted += image.memory;
	pd_account_take(work.account, PD_USE_SYMBOLS, image.memory);
	errno = 0;
	dso->unwind = elf_memory((char *)image.bytes, image.size);
	return dso->unwind ? PERFDATA_OK : errno == ENOMEM ? PERFDATA_ENOMEM : PERFDATA_ABSENT;
}

void pd_unwind_close(struct perfdata_symbols_dso *dso)
{
	elf_end(dso->unwind);
	pd_free(dso->unwind_bytes);
}

#endif
