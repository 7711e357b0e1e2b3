/* SPDX-License-Identifier: MIT */
/* Makes the input of libdwfl for a file with code in user stacks: an ELF image in memory with only the tables for
 * unwinding (.eh_frame with its index, .debug_frame). libdw does not limit its work: it evaluates expressions that loop
 * forever, allocates room for any register number, and copies its state at each DW_CFA_remember_state. So this file
 * checks each entry, and overwrites an entry that would cause such work. */
#include "config.h"
#include "symbols/symbols.h"

#ifdef HAVE_ELFUTILS

#include <errno.h>
#include <string.h>
#include "base/cursor.h"
#include "base/memory.h"
#include "symbols/dwarf/dwarf.h"
#include "symbols/dwarf/elfutils.h"
#include "symbols/unwind/unwind_entries.h"

#define BYTES_OF_STEP 4u
/* Estimate of libdw's memory for each byte of a table without an index: there, libdw keeps all entries. */
#define BYTES_KEPT 8u

struct table {
	const struct pd_elf *elf;
	struct pd_frame_table facts;
	uint8_t *bytes;
	size_t size;
	uint8_t *starts;     /* a bit for each byte; set where a usable entry begins */
	bool has_excess;
};

static bool is_start(const struct table *t, uint64_t at)
{
	return at < t->size && t->starts[at / 8] >> at % 8 & 1;
}

static bool take_entry(const struct table *t, uint64_t at, struct pd_frame_entry *ret)
{
	return pd_frame_take_entry(&t->facts, t->bytes + at, t->size - (size_t)at, at, ret);
}

static bool read_cie(const struct table *t, const struct pd_frame_entry *entry, struct pd_frame_cie *ret)
{
	if (pd_frame_read_cie(&t->facts, entry, ret) &&
	    pd_frame_are_bounded(&t->facts, &ret->instructions, ret->address_size))
		return true;
	ret->address_size = 0;
	return false;
}

static bool read_fde(const struct table *t, struct pd_frame_entry *entry, const struct pd_frame_cie *cie)
{
	return pd_frame_pass_head(cie, entry) && pd_frame_are_bounded(&t->facts, &entry->rest, cie->address_size);
}

/* Reads the CIE at offset `at` unless *cie is this CIE; returns the number of bytes that were read. */
static size_t find_cie(const struct table *t, uint64_t at, struct pd_frame_cie *cie)
{
	struct pd_frame_entry entry;
	if (cie->at == at)
		return 0;
	*cie = (struct pd_frame_cie){ .at = at };
	if (!is_start(t, at) || !take_entry(t, at, &entry) || !entry.is_cie)
		return 0;
	read_cie(t, &entry, cie);
	return pd_left(&entry.rest);
}

/* Makes libdw ignore an entry by zeroing it after its id: a CIE has no version 0, an FDE of size 0 has no code. */
static void spoil_entry(struct table *t, const struct pd_frame_entry *entry)
{
	t->has_excess = true;
	memset(t->bytes + entry->next - pd_left(&entry->rest), 0, pd_left(&entry->rest));
}

/* Checks all CIEs in a first pass, and all FDEs in a second one: a CIE may be after its FDEs. */
static enum perfdata_status read_entries(struct table *t, bool cies, struct pd_meter *meter)
{
	struct pd_frame_cie last = { .at = UINT64_MAX };
	enum perfdata_status status = PERFDATA_OK;
	struct pd_frame_entry entry;
	uint64_t at = 0;
	for (; at < t->size && take_entry(t, at, &entry) && !status; at = entry.next) {
		struct pd_frame_entry read = entry;
		struct pd_frame_cie own;
		size_t bytes = pd_left(&entry.rest);
		if (entry.is_cie != cies)
			continue;
		bool fine = bytes <= PD_FRAME_MOST_ENTRY;
		if (cies) {
			fine = fine && read_cie(t, &read, &own);
		} else {
			bytes += find_cie(t, entry.cie, &last);
			fine = fine && last.address_size && read_fde(t, &read, &last);
		}
		if (fine)
			t->starts[at / 8] |= (uint8_t)(1u << at % 8);
		else
			spoil_entry(t, &entry);
		status = pd_meter_count(meter, 1 + (uint32_t)(bytes / BYTES_OF_STEP));
	}
	if (!status)
		t->size = (size_t)at;
	return status;
}

static enum perfdata_status check_table(struct table *t, struct pd_work *work)
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

/* Whether each entry of the index leads to a usable entry of the table. */
static bool index_fits(const struct table *t, const uint8_t *index, size_t size, uint64_t address)
{
	const uint64_t count = pd_load32(index + 8, t->facts.swap);
	if (count > (size - PD_FRAME_INDEX_HEAD) / 8)
		return false;
	for (uint64_t i = 0; i < count; i++) {
		const int32_t offset = (int32_t)pd_load32(index + PD_FRAME_INDEX_HEAD + 8 * i + 4, t->facts.swap);
		if (!is_start(t, address + (uint64_t)(int64_t)offset - t->facts.address))
			return false;
	}
	return true;
}

/* --- the image ---------------------------------------------------------------------------------------------------- */

struct image {
	uint8_t *bytes;
	size_t size, memory;          /* memory: of the image and, estimated, of libdw's copies */
	bool has_index, has_excess;   /* has_excess: entries were overwritten */
};
struct parts { const struct table *eh, *frame; const uint8_t *index; size_t index_size; };

static void store_word(uint8_t *at, size_t size, uint64_t value, bool swap)
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
		store_word(at + (t->facts.wide ? wide : narrow)[i], t->facts.wide && i ? 8 : 4, fields[i],
			   t->facts.swap);
}

static void put_section(const struct table *t, uint8_t *at, uint32_t name, uint32_t type, uint64_t address,
			uint64_t offset, uint64_t size)
{
	const size_t word = t->facts.wide ? 8 : 4;
	store_word(at, 4, name, t->facts.swap);
	store_word(at + 4, 4, type, t->facts.swap);
	store_word(at + 8 + word, word, address, t->facts.swap);
	store_word(at + 8 + 2 * word, word, offset, t->facts.swap);
	store_word(at + 8 + 3 * word, word, size, t->facts.swap);
	store_word(at + 16 + 4 * word, word, 1, t->facts.swap);
}

static const char section_names[] = "\0.eh_frame\0.debug_frame\0.shstrtab\0.eh_frame_hdr";
enum { NAME_EH_FRAME = 1, NAME_DEBUG_FRAME = 11, NAME_NAMES = 24, NAME_INDEX = 34, SECTIONS = 5 };

/* Writes header, segments, sections and tables. libdw uses an index only if its section is before that of .eh_frame;
 * else it reads the whole table at the first address. */
static enum perfdata_status join_parts(const struct pd_elf *elf, const struct parts *parts, struct image *ret)
{
	const struct table *t = parts->eh, *frame = parts->frame;
	const size_t head = t->facts.wide ? sizeof(Elf64_Ehdr) : sizeof(Elf32_Ehdr),
		     segment = t->facts.wide ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr),
		     section = t->facts.wide ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr), word = t->facts.wide ? 8 : 4,
		     flags_at = 24 + 3 * word;   /* e_flags */
	const size_t count = elf->segment_count, sections = head + count * segment,
		     names = sections + SECTIONS * section, frame_at = names + sizeof section_names,
		     index_size = parts->index ? parts->index_size : 0, index_at = frame_at + frame->size,
		     eh_at = index_at + index_size;
	ret->size = eh_at + t->size;
	uint8_t *image = ret->bytes = pd_calloc(1, ret->size);
	if (!image)
		return PERFDATA_ENOMEM;
	ret->has_index = index_size != 0;
	memcpy(image, elf->header.e_ident, EI_NIDENT);
	store_word(image + 16, 2, elf->header.e_type, t->facts.swap);
	store_word(image + 18, 2, elf->header.e_machine, t->facts.swap);
	store_word(image + 20, 4, EV_CURRENT, t->facts.swap);
	store_word(image + 24 + word, word, head, t->facts.swap);
	store_word(image + 24 + 2 * word, word, sections, t->facts.swap);
	store_word(image + flags_at, 4, elf->header.e_flags, t->facts.swap);
	store_word(image + flags_at + 4, 2, head, t->facts.swap);
	store_word(image + flags_at + 6, 2, segment, t->facts.swap);
	store_word(image + flags_at + 8, 2, count, t->facts.swap);
	store_word(image + flags_at + 10, 2, section, t->facts.swap);
	store_word(image + flags_at + 12, 2, SECTIONS, t->facts.swap);
	store_word(image + flags_at + 14, 2, SECTIONS - 1, t->facts.swap);
	for (size_t i = 0; i < elf->segment_count; i++) {
		const struct pd_segment *s = &elf->segments[i];
		put_segment(t, image + head + i * segment,
			    (uint64_t[]){ PT_LOAD, 0, s->vaddr, 0, s->memsz, s->align });
	}
	if (index_size)
		put_section(t, image + sections + section, NAME_INDEX, SHT_PROGBITS, elf->frame_index.vaddr, index_at,
			    index_size);
	put_section(t, image + sections + 2 * section, NAME_EH_FRAME, t->size ? SHT_PROGBITS : SHT_NULL,
		    t->facts.address, eh_at, t->size);
	put_section(t, image + sections + 3 * section, NAME_DEBUG_FRAME, frame->size ? SHT_PROGBITS : SHT_NULL, 0,
		    frame_at, frame->size);
	put_section(t, image + sections + 4 * section, NAME_NAMES, SHT_STRTAB, 0, names, sizeof section_names);
	memcpy(image + names, section_names, sizeof section_names);
	if (frame->size)
		memcpy(image + frame_at, frame->bytes, frame->size);
	if (index_size)
		memcpy(image + index_at, parts->index, index_size);
	if (t->size)
		memcpy(image + eh_at, t->bytes, t->size);
	return PERFDATA_OK;
}

static enum perfdata_status read_bytes(const struct pd_elf *elf, struct pd_work *work, uint64_t offset, uint64_t size,
				       uint8_t **ret)
{
	if (!pd_elf_holds(elf, offset, size))
		return PERFDATA_ABSENT;
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

static enum perfdata_status make_image(const struct pd_elf *elf, const struct pd_elf *debug, struct pd_work *work,
				       struct image *ret)
{
	struct table eh = { .elf = elf, .facts.wide = elf->header.e_ident[EI_CLASS] != ELFCLASS32,
			    .facts.swap = pd_elf_swaps(elf) };
	struct table frame = eh;
	struct pd_frame_place place;
	uint8_t index_head[PD_FRAME_INDEX_HEAD], *index = NULL;
	frame.facts.is_debug = true;
	enum perfdata_status status = PERFDATA_OK;
	if (pd_frame_find_eh(elf, index_head, &place)) {
		eh.facts.address = place.address;
		status = read_bytes(elf, work, place.offset, place.size, &eh.bytes);
		eh.size = status ? 0 : (size_t)place.size;
	}
	if (!status && eh.size)
		status = check_table(&eh, work);
	const size_t index_size = place.is_indexed ? (size_t)elf->frame_index.filesz : 0;
	if (!status && eh.size && index_size)
		status = read_bytes(elf, work, elf->frame_index.offset, index_size, &index);
	if (index && !index_fits(&eh, index, index_size, elf->frame_index.vaddr)) {
		pd_free(index);
		index = NULL;
	}
	const struct pd_elf *file;
	const struct pd_elf_section *section = pd_frame_find_debug(elf, debug, &file);
	if (!status && section) {
		uint64_t whole;
		status = pd_dwarf_whole_section(file, section, work, &frame.bytes, &whole);
		frame.size = status ? 0 : (size_t)whole;
		if (!status)
			status = check_table(&frame, work);
		status = status == PERFDATA_EUNSUP ? PERFDATA_OK : status;
	}
	const size_t kept = (index ? 0 : BYTES_KEPT * eh.size) + BYTES_KEPT * frame.size;
	if (!status)
		status = pd_work_room(work, eh.size + frame.size + index_size + kept);
	if (!status)
		status = join_parts(elf, &(struct parts){ &eh, &frame, index, index_size }, ret);
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

static enum perfdata_status open_image(struct perfdata_symbols_dso *dso)
{
	struct image image = { .bytes = NULL };
	struct pd_work work;
	const enum perfdata_status loaded = pd_libdw_load(dso->symbols);
	if (loaded)
		return loaded;
	pd_work_init(&work, pd_elf_size(dso->text), pd_symbols_account(dso->symbols), dso->symbols->options.cancel);
	if (dso->debug && dso->debug != dso->text)
		pd_work_add_bytes(&work, pd_elf_size(dso->debug));
	const enum perfdata_status status = make_image(dso->text, dso->debug, &work, &image);
	if (status == PERFDATA_ELIMIT || image.has_excess)
		pd_symbols_find_excess(dso, dso->origin.text_file,
				       "its tables for unwinding ask for more than their size explains");
	if (status)
		return status == PERFDATA_ELIMIT ? PERFDATA_ABSENT : status;
	pd_elfutils.elf_version(EV_CURRENT);
	dso->unwind_bytes = image.bytes;
	dso->accounted += image.memory;
	pd_account_take(work.account, PD_USE_SYMBOLS, image.memory);
	errno = 0;
	dso->unwind = pd_elfutils.elf_memory((char *)image.bytes, image.size);
	return dso->unwind ? PERFDATA_OK : errno == ENOMEM ? PERFDATA_ENOMEM : PERFDATA_ABSENT;
}

bool pd_dso_open_unwind(struct perfdata_symbols_dso *dso)
{
	if (!dso->unwind_tried && pd_dso_has_text(dso)) {
		dso->unwind_tried = true;
		pd_monitor_enter(dso->lock);
		(void)pd_symbols_note(dso->symbols, open_image(dso));
		pd_monitor_leave(dso->lock);
	}
	return dso->unwind != NULL;
}

void pd_unwind_close(struct perfdata_symbols_dso *dso)
{
	if (dso->unwind)
		pd_elfutils.elf_end(dso->unwind);
	pd_free(dso->unwind_bytes);
}

#endif
