/* SPDX-License-Identifier: MIT */
/* Adds symbols for PLT entries, which have none of their own. perf names them NAME@plt after the relocation of the slot
 * through which each jumps: entries by address correspond to relocations by slot. A slot that a resolver function fills
 * (IRELATIVE) has the name of this function. */
#include "config.h"
#include "symbols/symbols.h"

#include <stdlib.h>
#include <string.h>
#include "base/checked.h"
#include "base/cursor.h"
#include "base/memory.h"
#include "symbols/elf/symbol_elf.h"

#define MAX_RESOLVER 4088
#define SLOTS_OF_STEP 8u   /* slots that are read in one step */

struct slot {
	uint64_t address;   /* address of the slot */
	uint64_t addend;
	uint32_t symbol;    /* symbol of the relocation; 0: none */
	uint32_t name;      /* offset of the symbol's name in PD_STRINGS_PLT; 0: no name */
};

struct slots {
	struct slot *items;
	size_t count, capacity;
	uint64_t low, high;  /* other slots are ignored */
	struct pd_work *work;         /* NULL: no limit */
	enum perfdata_status status;  /* why no more slots are read */
};

/* New entries are collected separately, since making them requires searches in the sorted table. */
struct plt {
	struct pd_symbol_table *table, added;
	struct pd_elf *elf;
	struct slots slots;
};

static int compare_slots(const void *left, const void *right)
{
	const struct slot *a = left, *b = right;
	return (a->address > b->address) - (a->address < b->address);
}

struct entries {
	size_t size;
	bool wide, with_addend, swap;
};

static struct slot slot_of(const struct entries *form, const uint8_t *at)
{
	struct slot slot = { 0 };
	if (form->wide) {
		slot.address = pd_load64(at, form->swap);
		slot.symbol = (uint32_t)(pd_load64(at + 8, form->swap) >> 32);
		slot.addend = form->with_addend ? pd_load64(at + 16, form->swap) : 0;
	} else {
		slot.address = pd_load32(at, form->swap);
		slot.symbol = pd_load32(at + 4, form->swap) >> 8;
		slot.addend = form->with_addend ? (uint64_t)(int64_t)(int32_t)pd_load32(at + 8, form->swap) : 0;
	}
	return slot;
}

/* Relocations are read in pieces, since a large library has many, and few belong to the PLT. */
struct relocations {
	struct entries form;
	struct slots *slots;
};

static int take_piece(void *user, const uint8_t *entries, size_t count, uint64_t first)
{
	const struct relocations *relocations = user;
	struct slots *slots = relocations->slots;
	(void)first;
	slots->status = slots->work ? pd_work_do(slots->work, 1 + count / SLOTS_OF_STEP) : PERFDATA_OK;
	for (size_t i = 0; i < count && !slots->status; i++) {
		const struct slot slot = slot_of(&relocations->form, entries + i * relocations->form.size);
		if (slot.address < slots->low || slot.address > slots->high)
			continue;
		if (slots->work && slots->count == slots->capacity)
			slots->status = pd_work_room(slots->work, 3 * slots->count * sizeof *slots->items);
		if (slots->status ||
		    pd_vector_grow(&slots->items, &slots->capacity, slots->count, sizeof *slots->items))
			return -1;
		slots->items[slots->count++] = slot;
	}
	return slots->status ? -1 : 0;
}

/* --- names of slots ----------------------------------------------------------------------------------------------- */

/* Part of a symbol table, as bytes of the file. */
struct window {
	uint64_t first, count;   /* index of the first symbol, number of symbols */
	uint8_t bytes[8 << 10];
};

/* Returns an entry of the symbol table, valid until the next call; NULL: it cannot be read. */
static const uint8_t *symbol_at(const struct pd_elf *elf, const Elf64_Shdr *header, struct window *window,
				uint32_t number)
{
	const size_t size = pd_elf_symbol_size(elf), room = sizeof window->bytes / size;
	const uint64_t whole = pd_elf_size(elf), left = header->sh_offset < whole ? whole - header->sh_offset : 0;
	const uint64_t all = (header->sh_size < left ? header->sh_size : left) / size;
	if (number >= all)
		return NULL;
	if (number - window->first >= window->count) {
		window->first = number;
		window->count = all - number < room ? all - number : room;
		if (!pd_elf_read(elf, header->sh_offset + window->first * size, window->bytes,
				 (size_t)window->count * size))
			window->count = 0;
	}
	return window->count ? window->bytes + (number - window->first) * size : NULL;
}

/* Reads the names of slots. `keys`: slots with a symbol, sorted by it, so that the table is read from start to end. */
static void read_names(struct slots *slots, const struct pd_elf *elf, const Elf64_Shdr *header, size_t strings_size,
		       const struct pd_address_key *keys, size_t nr_keys)
{
	struct window window = { .count = 0 };
	for (size_t i = 0; i < nr_keys; i++) {
		const uint8_t *entry = symbol_at(elf, header, &window, keys[i].low);
		const uint32_t name = entry ? pd_elf_symbol(elf, entry).st_name : 0;
		slots->items[keys[i].index].name = name < strings_size ? name : 0;
	}
}

/* Finds the names of all slots. `table`: section index of the symbol table. */
static int name_slots(struct plt *plt, size_t table)
{
	struct slots *slots = &plt->slots;
	struct pd_strings *strings = &plt->table->strings[PD_STRINGS_PLT];
	const Elf64_Shdr *header = table < plt->elf->section_count ? &plt->elf->sections[table].header : NULL;
	const size_t memory = 2 * slots->count * sizeof(struct pd_address_key);
	size_t nr_keys = 0;
	if (!header || (header->sh_type != SHT_SYMTAB && header->sh_type != SHT_DYNSYM))
		return 0;
	slots->status = slots->work ? pd_work_room(slots->work, memory) : PERFDATA_OK;
	struct pd_address_key *keys = slots->status ? NULL : pd_malloc(memory), *sorted;
	if (!keys)
		return -1;
	for (uint32_t i = 0; i < slots->count; i++)
		if (slots->items[i].symbol)
			keys[nr_keys++] = (struct pd_address_key){ .low = slots->items[i].symbol, .index = i };
	if (nr_keys && (strings->elf || pd_elf_place_strings(strings, plt->elf, table))) {
		slots->status = pd_sort_keys(keys, nr_keys, slots->work, &sorted);
		if (!slots->status)
			read_names(slots, plt->elf, header, strings->size, sorted, nr_keys);
	}
	pd_free(keys);
	return slots->status ? -1 : 0;
}

static bool are_sorted(const struct slots *slots)
{
	for (size_t i = 1; i < slots->count; i++)
		if (slots->items[i - 1].address > slots->items[i].address)
			return false;
	return true;
}

static int read_slots(struct plt *plt, const struct pd_elf_section *section)
{
	const struct pd_elf *elf = plt->elf;
	struct slots *slots = &plt->slots;
	const bool wide = elf->header.e_ident[EI_CLASS] != ELFCLASS32,
		   rela = section && section->header.sh_type == SHT_RELA;
	struct relocations all = {
		{ (rela ? 3u : 2u) * (wide ? 8u : 4u), wide, rela, pd_elf_swaps(elf) }, slots
	};
	if (!section || (!rela && section->header.sh_type != SHT_REL) ||
	    !pd_elf_holds(elf, section->header.sh_offset, section->header.sh_size))
		return 0;
	if (pd_elf_read_table(elf, &section->header, all.form.size, take_piece, &all) == PERFDATA_ENOMEM)
		return -1;
	if (!are_sorted(slots))
		qsort(slots->items, slots->count, sizeof *slots->items, compare_slots);
	return name_slots(plt, section->header.sh_link);
}

/* --- entries ------------------------------------------------------------------------------------------------------ */

/* Adds an entry with the name of a resolver function, in the table's own memory. */
static int add_resolved(struct plt *plt, const struct pd_symbol *resolver, uint64_t at, uint64_t size)
{
	struct pd_arena scratch = { 0 };
	uint32_t name = 0;
	const char *shown = pd_symtab_spell(plt->table, resolver, &scratch);
	const size_t length = shown ? strnlen(shown, MAX_RESOLVER) : 0;
	char text[MAX_RESOLVER + sizeof "@plt"];
	if (length)
		memcpy(text, shown, length);
	memcpy(text + length, "@plt", sizeof "@plt");
	const int failed = !shown || pd_symtab_keep_name(plt->table, text, length + 4, &name);
	pd_arena_release(&scratch);
	return failed ? -1 : pd_symtab_add(&plt->added, at, size, PD_STRINGS_POOL, name, PERFDATA_BIND_GLOBAL);
}

/* Adds an entry at file offset `at`. */
static int add_entry(struct plt *plt, const struct slot *slot, uint64_t at, uint64_t size)
{
	uint64_t offset;
	if (!slot->name && slot->addend && pd_elf_offset(plt->elf, slot->addend, &offset)) {
		const struct pd_symbol *resolver = pd_symtab_find(plt->table, offset);
		if (resolver && resolver->start == offset)
			return add_resolved(plt, resolver, at, size);
	}
	return pd_symtab_add(&plt->added, at, size, PD_STRINGS_PLT, slot->name, PERFDATA_BIND_GLOBAL);
}

static int add_header(struct plt *plt, uint64_t at, uint64_t size)
{
	uint32_t name;
	return pd_symtab_keep_name(plt->table, ".plt", 4, &name) ||
	       pd_symtab_add(&plt->added, at, size, PD_STRINGS_POOL, name, PERFDATA_BIND_GLOBAL);
}

static bool is_x86(const struct pd_elf *elf)
{
	return elf->header.e_machine == EM_X86_64 || elf->header.e_machine == EM_386;
}

/* Returns the size of the first entry, which differs from the others, and of the others. */
static bool entry_sizes(const struct pd_elf *elf, const struct pd_elf_section *plt, uint64_t *ret_header,
			uint64_t *ret_entry)
{
	uint64_t entry = plt->header.sh_entsize, header = entry;
	switch (elf->header.e_machine) {
	case EM_ARM: header = 20, entry = 12; break;
	case EM_AARCH64: header = 32, entry = 16; break;
	case EM_LOONGARCH: header = 32, entry = 16; break;
	case EM_SPARC: header = 48, entry = 12; break;
	case EM_SPARCV9: header = 128, entry = 32; break;
	case EM_386:
	case EM_X86_64:
		if (entry != 8 && entry != 16)
			entry = plt->header.sh_addralign == 8 ? 8 : 16;
		header = entry;
		break;
	default: break;
	}
	*ret_header = header;
	*ret_entry = entry;
	return entry >= 4 && entry <= 4096;
}

/* The code of .plt.got. */
struct got_code {
	const uint8_t *bytes;
	size_t size, entry;     /* entry: bytes of each */
	uint64_t address;
	bool is_x86_64;
	uint64_t base;          /* i386: the address in ebx */
};

/* Finds the slot through which the entry at an offset jumps: optional endbr and bnd, then jmp *disp32(%rip); on i386
 * jmp *disp32 or jmp *disp32(%ebx). */
static bool jump_slot(const struct got_code *got, size_t offset, uint64_t *ret)
{
	static const uint8_t endbr[] = { 0xf3, 0x0f, 0x1e };
	const uint8_t *code = got->bytes + offset;
	const size_t size = got->entry;
	size_t at = size >= 4 && !memcmp(code, endbr, 3) && (code[3] & 0xfe) == 0xfa ? 4 : 0;
	at += at < size && code[at] == 0xf2;
	if (at + 6 > size || code[at] != 0xff || (code[at + 1] != 0x25 && (got->is_x86_64 || code[at + 1] != 0xa3)))
		return false;
	const uint64_t next = got->address + offset + at + 6,
		       base = got->is_x86_64 ? next : code[at + 1] == 0xa3 ? got->base : 0;
	*ret = base +
	       (uint64_t)(int64_t)(int32_t)pd_load32(code + at + 2, pd_order_is_foreign(PERFDATA_BYTE_ORDER_LITTLE));
	if (!got->is_x86_64)
		*ret &= UINT32_MAX;
	return true;
}

/* Finds the range of slots through which the entries of .plt.got jump: only relocations in this range are read. */
static void find_range(struct slots *slots, const struct got_code *got)
{
	slots->low = UINT64_MAX;
	slots->high = 0;
	for (size_t at = 0; got->entry <= got->size - at; at += got->entry) {
		uint64_t address;
		if (!jump_slot(got, at, &address))
			continue;
		slots->low = address < slots->low ? address : slots->low;
		slots->high = address > slots->high ? address : slots->high;
	}
}

static int add_got_slots(struct plt *plt, uint64_t file_offset, const struct got_code *got)
{
	plt->slots.count = 0;
	find_range(&plt->slots, got);
	if (read_slots(plt, pd_elf_section(plt->elf, got->is_x86_64 ? ".rela.dyn" : ".rel.dyn")))
		return -1;
	for (size_t at = 0; got->entry <= got->size - at; at += got->entry) {
		struct slot wanted = { 0 }, none = { 0 };
		const struct slot *slot = NULL;
		if (plt->slots.count && jump_slot(got, at, &wanted.address))
			slot = bsearch(&wanted, plt->slots.items, plt->slots.count, sizeof *slot, compare_slots);
		if (add_entry(plt, slot ? slot : &none, file_offset + at, got->entry))
			return -1;
	}
	return 0;
}

static int add_got_entries(struct plt *plt)
{
	const struct pd_elf_section *section = pd_elf_section(plt->elf, ".plt.got"),
				    *base = pd_elf_section(plt->elf, ".got.plt");
	uint64_t header, entry;
	if (!is_x86(plt->elf) || !section || section->header.sh_type != SHT_PROGBITS ||
	    !entry_sizes(plt->elf, section, &header, &entry) ||
	    !pd_elf_holds(plt->elf, section->header.sh_offset, section->header.sh_size))
		return 0;
	base = base ? base : pd_elf_section(plt->elf, ".got");
	struct got_code got = { .entry = (size_t)entry,   /* at most 4096 */
				.address = section->header.sh_addr,
				.is_x86_64 = plt->elf->header.e_machine == EM_X86_64,
				.base = base ? base->header.sh_addr : 0 };
	uint8_t *code = pd_size(section->header.sh_size, &got.size) ? pd_malloc(got.size) : NULL;
	int failed = code ? 0 : -1;
	got.bytes = code;
	if (code && pd_elf_read(plt->elf, section->header.sh_offset, code, got.size))
		failed = add_got_slots(plt, section->header.sh_offset, &got);
	pd_free(code);
	return failed;
}

/* Cuts the symbol before the PLT, which may have no size in the file and then extends over the PLT. */
static void cut_before(struct pd_symbol_table *table, uint64_t offset)
{
	struct pd_symbol *s = pd_symtab_find(table, offset);
	if (!s || s->start >= offset || s->end <= offset)
		return;
	do
		s++->end = offset;
	while (s < table->items + table->count && s->tied);
}

static int add_entries(struct plt *plt, const struct pd_elf_section *first)
{
	const struct slots *slots = &plt->slots;
	const struct pd_elf_section *second = is_x86(plt->elf) ? pd_elf_section(plt->elf, ".plt.sec") : NULL;
	uint64_t header, size, at = first->header.sh_offset, end = at + first->header.sh_size;
	if (!entry_sizes(plt->elf, first, &header, &size))
		return 0;
	/* the PLT of a static program has no header entry */
	bool has_header = !slots->count || first->header.sh_size / size > slots->count;
	if (has_header && add_header(plt, at, second ? first->header.sh_size : header))
		return -1;
	if (has_header)
		at += header;
	if (second) {
		if (!entry_sizes(plt->elf, second, &header, &size))
			return 0;
		at = second->header.sh_offset;
		end = at + second->header.sh_size;
	}
	for (size_t i = 0; i < slots->count && at < end; i++, at += size)
		if (add_entry(plt, &slots->items[i], at, size))
			return -1;
	return 0;
}

static int append_symbols(struct pd_symbol_table *table, const struct pd_symbol_table *added)
{
	for (size_t i = 0; i < added->count; i++) {
		const struct pd_symbol *s = &added->items[i];
		if (pd_symtab_add(table, s->start, s->end - s->start, s->strings, s->name, PERFDATA_BIND_GLOBAL))
			return -1;
	}
	return pd_symtab_sort(table);
}

enum perfdata_status pd_elf_plt(struct pd_symbol_table *table, struct pd_elf *elf)
{
	const struct pd_elf_section *first = pd_elf_section(elf, ".plt"),
				    *relocations = pd_elf_section(elf, ".rela.plt");
	struct plt plt = { .table = table, .added.work = table->work, .elf = elf, .slots.high = UINT64_MAX,
			   .slots.work = table->work };
	if (!first || first->header.sh_type != SHT_PROGBITS)
		return PERFDATA_OK;
	pd_symtab_nest(table);
	cut_before(table, first->header.sh_offset);
	int failed = read_slots(&plt, relocations ? relocations : pd_elf_section(elf, ".rel.plt"));
	failed = failed || add_entries(&plt, first) || add_got_entries(&plt) || append_symbols(table, &plt.added);
	const enum perfdata_status refused = plt.added.refused;
	pd_free(plt.slots.items);
	pd_symtab_release(&plt.added);
	if (!failed)
		return PERFDATA_OK;
	return plt.slots.status ? plt.slots.status : refused ? refused : pd_symtab_status(table);
}
