/* Entries of the procedure linkage table have no symbols of their own. perf names them NAME@plt after the relocation
 * of the slot that each jumps through: the relocations in the order of their slots are the entries in order of address.
 * A slot that is filled by a resolver function (IRELATIVE) gives the name of that function. */
#include "config.h"
#include "symbols/symbols.h"

#ifdef HAVE_ELFUTILS

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/cursor.h"
#include "base/memory.h"
#include "symbols/symbol_elf.h"

#define MAX_NAME 4096

struct slot {
	uint64_t address;   /* of the slot */
	uint64_t addend;
	uint32_t symbol;    /* 0: none */
};

struct slots {
	struct slot *items;
	size_t count, capacity;
	size_t symbols;      /* section of the symbol table; 0: none */
};

/* Entries are collected apart: a search in the table needs it sorted. */
struct plt {
	struct pd_symbol_table *table, added;
	const struct pd_elf *elf;
	struct slots slots;
};

static int compare_slots(const void *left, const void *right)
{
	const struct slot *a = left, *b = right;
	return (a->address > b->address) - (a->address < b->address);
}

static int read_slots(const struct pd_elf *elf, const struct pd_elf_section *section, struct slots *slots)
{
	Elf_Data *data = section ? elf_getdata(section->scn, NULL) : NULL;
	bool rela = section && section->header.sh_type == SHT_RELA;
	if (!data || !data->d_buf || (!rela && section->header.sh_type != SHT_REL))
		return 0;
	size_t size = gelf_fsize(elf->elf, rela ? ELF_T_RELA : ELF_T_REL, 1, EV_CURRENT);
	size_t count = size ? data->d_size / size : 0;
	slots->symbols = section->header.sh_link;
	for (size_t i = 0; i < count && i <= INT32_MAX; i++) {
		GElf_Rela r = { 0 };
		GElf_Rel plain;
		if (rela ? !gelf_getrela(data, (int)i, &r) : !gelf_getrel(data, (int)i, &plain))
			continue;
		if (!rela)
			r = (GElf_Rela){ plain.r_offset, plain.r_info, 0 };
		if (pd_vector_grow(&slots->items, &slots->capacity, slots->count, sizeof *slots->items))
			return -1;
		slots->items[slots->count++] = (struct slot){ r.r_offset, (uint64_t)r.r_addend, (uint32_t)GELF_R_SYM(r.r_info) };
	}
	if (slots->count)
		qsort(slots->items, slots->count, sizeof *slots->items, compare_slots);
	return 0;
}

static const char *symbol_name(const struct pd_elf *elf, size_t table, uint32_t number)
{
	GElf_Sym sym;
	if (!table || table >= elf->section_count || !elf->sections[table].scn || !number || number > INT32_MAX)
		return NULL;
	const struct pd_elf_section *s = &elf->sections[table];
	Elf_Data *data = elf_getdata(s->scn, NULL);
	if (!data || data->d_type != ELF_T_SYM || !gelf_getsym(data, (int)number, &sym))
		return NULL;
	const char *name = elf_strptr(elf->elf, s->header.sh_link, sym.st_name);
	return name && *name ? name : NULL;
}

/* The name of an entry at file offset `at`, in the table's memory; NULL without memory. */
static const char *entry_name(const struct plt *plt, const struct slot *slot, uint64_t at)
{
	struct pd_symbol_table *table = plt->table;
	char text[MAX_NAME];
	uint64_t offset;
	int length;
	const char *name = symbol_name(plt->elf, plt->slots.symbols, slot->symbol);
	if (name) {
		name = table->mangled ? pd_demangle(&table->bytes, name) : name;
	} else if (slot->addend && pd_elf_offset(plt->elf, slot->addend, &offset)) {
		struct pd_symbol *resolver = pd_symtab_find(table, offset);
		name = resolver && resolver->start == offset ? pd_symtab_shown(table, resolver) : NULL;
	}
	if (name)
		length = snprintf(text, sizeof text, "%.*s@plt", MAX_NAME - 8, name);
	else
		length = snprintf(text, sizeof text, "offset_%#" PRIx64 "@plt", at);
	return pd_arena_copy(&table->bytes, text, (size_t)length);
}

static int add_entry(struct plt *plt, uint64_t at, uint64_t size, const char *name)
{
	return name ? pd_symtab_add(&plt->added, at, size, name, PERFDATA_BIND_GLOBAL) : -1;
}

static bool is_x86(const struct pd_elf *elf)
{
	return elf->header.e_machine == EM_X86_64 || elf->header.e_machine == EM_386;
}

/* The sizes of the first entry, which is another than the rest, and of the rest. */
static bool entry_sizes(const struct pd_elf *elf, const struct pd_elf_section *plt, uint64_t *ret_header, uint64_t *ret_entry)
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

/* The address that an x86-64 entry of .plt.got jumps through: an optional endbr64 and bnd, then jmp *disp32(%rip). */
static bool jump_slot(const uint8_t *code, size_t size, uint64_t address, uint64_t *ret)
{
	static const uint8_t endbr[] = { 0xf3, 0x0f, 0x1e, 0xfa };
	size_t at = size >= 4 && !memcmp(code, endbr, 4) ? 4 : 0;
	at += at < size && code[at] == 0xf2;
	if (at + 6 > size || code[at] != 0xff || code[at + 1] != 0x25)
		return false;
	*ret = address + at + 6 + (uint64_t)(int64_t)(int32_t)pd_load32(code + at + 2, pd_order_is_foreign(PERFDATA_BYTE_ORDER_LITTLE));
	return true;
}

static int add_got_entries(struct plt *plt)
{
	const struct pd_elf_section *got = pd_elf_section(plt->elf, ".plt.got");
	Elf_Data *data = got && got->header.sh_type == SHT_PROGBITS ? elf_rawdata(got->scn, NULL) : NULL;
	uint64_t header, size;
	if (plt->elf->header.e_machine != EM_X86_64 || !data || !data->d_buf || !entry_sizes(plt->elf, got, &header, &size))
		return 0;
	plt->slots.count = 0;
	if (read_slots(plt->elf, pd_elf_section(plt->elf, ".rela.dyn"), &plt->slots))
		return -1;
	for (uint64_t at = 0; at + size <= data->d_size; at += size) {
		struct slot wanted = { 0 }, none = { 0 };
		const struct slot *slot = NULL;
		uint64_t offset = got->header.sh_offset + at, address = got->header.sh_addr + at;
		if (plt->slots.count && jump_slot((const uint8_t *)data->d_buf + at, size, address, &wanted.address))
			slot = bsearch(&wanted, plt->slots.items, plt->slots.count, sizeof *slot, compare_slots);
		if (add_entry(plt, offset, size, entry_name(plt, slot ? slot : &none, offset)))
			return -1;
	}
	return 0;
}

/* The symbol before the table may be one without a size that was made to reach over it. */
static void cut_before(struct pd_symbol_table *table, uint64_t offset)
{
	struct pd_symbol *s = pd_symtab_find(table, offset);
	if (s && s->start < offset && s->end > offset)
		s->end = offset;
}

static int add_entries(struct plt *plt, const struct pd_elf_section *first)
{
	const struct slots *slots = &plt->slots;
	const struct pd_elf_section *second = is_x86(plt->elf) ? pd_elf_section(plt->elf, ".plt.sec") : NULL;
	uint64_t header, size, at = first->header.sh_offset, end = at + first->header.sh_size;
	if (!entry_sizes(plt->elf, first, &header, &size))
		return 0;
	/* A static program has entries only. */
	bool has_header = !slots->count || first->header.sh_size / size > slots->count;
	if (has_header && add_entry(plt, at, second ? first->header.sh_size : header, ".plt"))
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
		if (add_entry(plt, at, size, entry_name(plt, &slots->items[i], at)))
			return -1;
	return 0;
}

static int append(struct pd_symbol_table *table, const struct pd_symbol_table *added)
{
	for (size_t i = 0; i < added->count; i++) {
		const struct pd_symbol *s = &added->items[i];
		if (pd_symtab_add(table, s->start, s->end - s->start, s->name, PERFDATA_BIND_GLOBAL))
			return -1;
		table->items[table->count - 1].shown = s->name;
	}
	pd_symtab_sort(table);
	return 0;
}

enum perfdata_status pd_elf_plt(struct pd_symbol_table *table, struct pd_elf *elf)
{
	const struct pd_elf_section *first = pd_elf_section(elf, ".plt"), *relocations = pd_elf_section(elf, ".rela.plt");
	struct plt plt = { .table = table, .elf = elf };
	if (!first || first->header.sh_type != SHT_PROGBITS)
		return PERFDATA_OK;
	pd_symtab_nest(table);
	cut_before(table, first->header.sh_offset);
	int failed = read_slots(elf, relocations ? relocations : pd_elf_section(elf, ".rel.plt"), &plt.slots);
	failed = failed || add_entries(&plt, first) || add_got_entries(&plt) || append(table, &plt.added);
	pd_free(plt.slots.items);
	pd_symtab_release(&plt.added);
	return failed ? PERFDATA_ENOMEM : PERFDATA_OK;
}

#endif
