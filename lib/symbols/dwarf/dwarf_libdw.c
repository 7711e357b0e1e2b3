/* SPDX-License-Identifier: MIT */
/* Finds inlined functions with libdw, in files that dwarf_lookup.c leaves to libdw. Our own reader reads line tables
 * here too: libdw would join the names of all files with their directories, without a limit of memory. One thread at a
 * time. */
#include "config.h"
#include "symbols/symbols.h"

#ifdef HAVE_ELFUTILS

#include <errno.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include "base/hash.h"
#include "base/memory.h"
#include "base/search.h"
#include "symbols/dwarf/dwarf.h"
#include "symbols/dwarf/dwarf_format.h"
#include "symbols/dwarf/elfutils.h"

#define MAX_SCOPES 256  /* limit of lexical blocks and inlined calls at one address */
#define BYTES_OF_STEP 4u        /* bytes of entries that libdw walks over in one step */
#define SANE_DEPTH 8            /* limit of nested namespaces and classes in files of compilers */

/* Limit of memory for line tables (half of it if memory is short); beyond it, tables are freed, and read again when
 * needed. */
#define ROOM ((size_t)32 << 20)

/* A range of code and its function. */
struct function_range {
	uint64_t start, end;
	Dwarf_Off die, die_end;  /* die_end: after its last descendant; 0: unknown */
};

/* The functions of a unit, sorted by address: a unit may have a million entries, and callers look up many addresses. */
struct unit_index {
	Dwarf_Off unit;
	struct function_range *items;
	size_t count, capacity;
	Dwarf_Off unit_end;           /* offset after its last entry */
	struct pd_dwarf_unit lines;   /* has only the members about line tables */
	uint64_t table;               /* offset of its line table; UINT64_MAX: none */
};

struct image {
	struct pd_dwarf_image image;
	Elf *elf;
	Dwarf *dwarf;
};

struct pd_libdw {
	struct image own, alt;   /* alt: supplementary file of dwz, or empty */
	struct pd_arena names;   /* demangled names of the last look-up */
	bool has_excess;         /* a name exceeded the limit, and stays mangled */
	bool name_failed;        /* a name, which may be mangled, could not be demangled */
	struct pd_hash_map by_unit;   /* offset of a unit → its index in `units` */
	struct unit_index *units;
	size_t unit_count, unit_capacity;
	/* ranges of the units themselves; made when .debug_aranges lacks an address */
	struct unit_index all;
	bool all_made;
	struct pd_meter meter;
	struct pd_dwarf reader;        /* reader of line tables, on sections of the image */
	_Atomic(size_t) held;          /* bytes of the tables */
	size_t indexes;                /* bytes of the ranges of functions and units */
	enum perfdata_status status;   /* why the current look-up failed */
	bool lacks_memory;             /* an allocation in libdw failed; libdw then treats unread data as absent */
};

/* Where to continue if libdw has no memory: its handler has no argument, and must not return (the default one ends the
 * process). libdw calls it only when it allocates a block of memory for the whole handle: then it holds no lock that
 * another handle uses, new objects are not yet linked, and the handle is only closed afterwards (lacks_memory). The
 * pointer belongs to the thread in pd_libdw_lookup, and is valid only during that call. */
static _Thread_local jmp_buf *way_out;

static __attribute__((noreturn)) void leave_libdw(void) { longjmp(*way_out, 1); }

/* Counts steps of the current look-up; false: the look-up ends. */
static bool count_steps(struct pd_libdw *libdw, uint64_t steps)
{
	if (!libdw->status && steps >= PD_METER_MOST)
		libdw->status = pd_work_do(libdw->meter.work, steps);
	else if (!libdw->status)
		libdw->status = pd_meter_count(&libdw->meter, (uint32_t)steps);
	return !libdw->status;
}

static bool grow_index(struct pd_libdw *libdw, struct unit_index *index)
{
	const size_t before = index->capacity, size = sizeof *index->items;
	if (!count_steps(libdw, PD_WORK_KEPT) || index->count < before)
		return !libdw->status;
	/* the old and the larger block exist at once while items are moved */
	libdw->status = pd_work_room(libdw->meter.work, 3 * index->count * size);
	if (!libdw->status && pd_vector_grow(&index->items, &index->capacity, index->count, size))
		libdw->status = PERFDATA_ENOMEM;
	pd_account_take(libdw->reader.account, PD_USE_SYMBOLS, (index->capacity - before) * size);
	libdw->indexes += (index->capacity - before) * size;
	return !libdw->status;
}

static enum perfdata_status open_image(const struct pd_elf *file, struct pd_work *work, struct image *image)
{
	const enum perfdata_status status = pd_dwarf_image_make(file, work, &image->image);
	if (status)
		return status;
	pd_elfutils.elf_version(EV_CURRENT);
	errno = 0;
	image->elf = pd_elfutils.elf_memory((char *)image->image.bytes, image->image.size);
	image->dwarf = image->elf ? pd_elfutils.dwarf_begin_elf(image->elf, DWARF_C_READ, NULL) : NULL;
	if (!image->dwarf)
		return errno == ENOMEM ? PERFDATA_ENOMEM : PERFDATA_EUNSUP;
	(void)pd_elfutils.dwarf_new_oom_handler(image->dwarf, leave_libdw);
	return PERFDATA_OK;
}

static void close_image(struct image *image)
{
	if (image->dwarf)
		pd_elfutils.dwarf_end(image->dwarf);
	if (image->elf)
		pd_elfutils.elf_end(image->elf);
	pd_free(image->image.bytes);
}

static void drop_lines(struct pd_libdw *libdw)
{
	for (size_t i = 0; i < libdw->unit_count; i++) {
		pd_dwarf_give_lines(&libdw->reader, libdw->units[i].lines.lines);
		libdw->units[i].lines.lines = NULL;
	}
	pd_dwarf_drop_tables(&libdw->reader);
}

static void make_room(struct pd_libdw *libdw)
{
	if (libdw->held > ROOM || (libdw->held > ROOM / 2 && pd_account_is_over(libdw->reader.account)))
		drop_lines(libdw);
}

/* Opens our reader of line tables on the sections of the image. */
static enum perfdata_status open_reader(struct pd_libdw *libdw)
{
	const struct pd_dwarf_image *image = &libdw->own.image;
	struct pd_dwarf *reader = &libdw->reader;
	reader->swap = image->swap;
	reader->work = libdw->meter.work;
	reader->account = libdw->meter.work->account;
	reader->units_memory = &libdw->held;
	reader->tables_lock = pd_monitor_new();
	for (enum pd_dwarf_section_number i = 0; i < PD_DWARF_SECTIONS; i++) {
		reader->sections[i].bytes = image->bytes + image->sections[i].at;
		reader->sections[i].size = image->sections[i].size;
	}
	return reader->tables_lock ? PERFDATA_OK : PERFDATA_ENOMEM;
}

enum perfdata_status pd_libdw_open(const struct pd_elf *elf, const struct pd_elf *alt, struct pd_work *work,
				   struct pd_libdw **ret)
{
	/* entries that refer to a supplementary file cannot be read without it */
	if (!alt && pd_elf_section(elf, ".gnu_debugaltlink"))
		return PERFDATA_ABSENT;
	const enum perfdata_status loaded = pd_libdw_load(NULL);
	if (loaded)
		return loaded;
	struct pd_libdw *libdw = pd_calloc(1, sizeof *libdw);
	if (!libdw)
		return PERFDATA_ENOMEM;
	libdw->meter = pd_meter(work);
	enum perfdata_status status = open_image(elf, work, &libdw->own);
	if (!status && alt)
		status = open_image(alt, work, &libdw->alt);
	if (!status)
		status = open_reader(libdw);
	if (status) {
		pd_libdw_close(libdw);
		return status;
	}
	if (libdw->alt.dwarf)
		pd_elfutils.dwarf_setalt(libdw->own.dwarf, libdw->alt.dwarf);
	*ret = libdw;
	return PERFDATA_OK;
}

void pd_libdw_close(struct pd_libdw *libdw)
{
	if (!libdw)
		return;
	drop_lines(libdw);
	pd_account_give(libdw->reader.account, PD_USE_SYMBOLS, libdw->indexes);
	for (size_t i = 0; i < libdw->unit_count; i++)
		pd_free(libdw->units[i].items);
	pd_monitor_free(libdw->reader.tables_lock);
	pd_free(libdw->units);
	pd_free(libdw->all.items);
	pd_hash_map_release(&libdw->by_unit);
	close_image(&libdw->own);
	close_image(&libdw->alt);
	pd_arena_release(&libdw->names);
	pd_free(libdw);
}

/* pd_libdw_size is an estimate: libdw does not say how much its units, abbreviations and lines hold; together they are
 * about as large as the sections. */
bool pd_libdw_has_excess(const struct pd_libdw *libdw) { return libdw->has_excess; }
size_t pd_libdw_size(const struct pd_libdw *libdw) { return 2 * (libdw->own.image.size + libdw->alt.image.size); }

/* --- functions of a unit ------------------------------------------------------------------------------------------ */

/* Finds the range list of an entry; false: it has none, or our reader does not find it. */
static bool list_of(Dwarf_Die *die, struct pd_dwarf_unit *unit, struct pd_dwarf_value *ret)
{
	Dwarf_Attribute attribute, base;
	Dwarf_Half version;
	Dwarf_Die unit_die;
	Dwarf_Word at;
	if (!pd_elfutils.dwarf_attr(die, DW_AT_ranges, &attribute) ||
	    pd_elfutils.dwarf_cu_info(die->cu, &version, NULL, &unit_die, NULL, NULL, &unit->address_size,
				      &unit->offset_size))
		return false;
	unit->version = (uint8_t)version;
	if (pd_elfutils.dwarf_whatform(&attribute) != DW_FORM_rnglistx) {
		*ret = (struct pd_dwarf_value){ PD_DWARF_OFFSET, 0 };
		return !pd_elfutils.dwarf_formudata(&attribute, &ret->number);
	}
	if (!pd_elfutils.dwarf_attr(&unit_die, DW_AT_rnglists_base, &base) || pd_elfutils.dwarf_formudata(&base, &at))
		return false;
	unit->root.values[PD_DWARF_RNGLISTS_BASE] = (struct pd_dwarf_value){ PD_DWARF_OFFSET, at };
	unit->root.present |= 1u << PD_DWARF_RNGLISTS_BASE;
	/* libdw has read the entry, so the number ends */
	struct pd_cursor index = pd_cursor(attribute.valp, 10, false);
	*ret = (struct pd_dwarf_value){ PD_DWARF_RANGES_INDEX, pd_dwarf_uleb(&index) };
	return !index.failed;
}

/* Whether libdw may read the ranges of an entry. libdw skips invalid and empty ranges without reporting their number,
 * so this function counts them first. */
static bool may_read_ranges(struct pd_libdw *lines, Dwarf_Die *die)
{
	struct pd_dwarf_unit unit = { 0 };
	struct pd_dwarf_value list;
	if (!count_steps(lines, 1) || !pd_elfutils.dwarf_hasattr(die, DW_AT_ranges))
		return !lines->status;
	if (!list_of(die, &unit, &list))
		return false;
	const enum perfdata_status status = pd_dwarf_pass_ranges(&lines->reader, &unit, &list, &lines->meter);
	if (status != PERFDATA_EUNSUP && !lines->status)
		lines->status = status;
	return !status;
}

static void add_ranges(struct pd_libdw *lines, struct unit_index *index, Dwarf_Die *die)
{
	Dwarf_Addr base, start, end;
	ptrdiff_t at = 0;
	if (!may_read_ranges(lines, die))
		return;
	while (count_steps(lines, 1) && (at = pd_elfutils.dwarf_ranges(die, at, &base, &start, &end)) > 0 &&
	       grow_index(lines, index))
		index->items[index->count++] =
			(struct function_range){ start, end, pd_elfutils.dwarf_dieoffset(die), 0 };
}

/* Moves to the next sibling. libdw walks over all entries between, but does not report how far it went if there is no
 * sibling: then all entries up to `limit` are counted. */
static bool next_sibling(struct pd_libdw *lines, Dwarf_Die *die, Dwarf_Off limit)
{
	const Dwarf_Off before = pd_elfutils.dwarf_dieoffset(die);
	if (pd_elfutils.dwarf_siblingof(die, die)) {
		count_steps(lines, 1 + (limit > before ? (limit - before) / BYTES_OF_STEP : 0));
		return false;
	}
	const Dwarf_Off after = pd_elfutils.dwarf_dieoffset(die);
	return after > before && count_steps(lines, 1 + (after - before) / BYTES_OF_STEP);
}

static void add_functions(struct pd_libdw *lines, struct unit_index *index, Dwarf_Die *parent, int depth)
{
	Dwarf_Die die;
	if (depth > MAX_SCOPES || pd_elfutils.dwarf_child(parent, &die))
		return;
	for (bool more = true; more && !lines->status;) {
		const size_t first = index->count;
		const int tag = pd_elfutils.dwarf_tag(&die);
		if (tag == DW_TAG_subprogram)
			add_ranges(lines, index, &die);
		else if (pd_dwarf_holds_functions((unsigned)tag))
			add_functions(lines, index, &die, depth + 1);
		if (lines->status)
			break;
		more = next_sibling(lines, &die, depth > SANE_DEPTH ? index->unit_end : 0);
		for (size_t i = first; i < index->count && more; i++)
			if (!index->items[i].die_end)
				index->items[i].die_end = pd_elfutils.dwarf_dieoffset(&die);
	}
}

static int compare_ranges(const void *left, const void *right)
{
	const struct function_range *a = left, *b = right;
	return (a->start > b->start) - (a->start < b->start);
}

/* Sets the end of a unit, and the members for our reader of line tables. */
static void describe_unit(const struct pd_libdw *lines, struct unit_index *index, Dwarf_Die *die)
{
	Dwarf_Attribute attribute;
	Dwarf_Half version;
	Dwarf_Word at;
	uint8_t address_size, offset_size;
	index->table = UINT64_MAX;
	if (pd_elfutils.dwarf_nextcu(lines->own.dwarf, index->unit - pd_elfutils.dwarf_cuoffset(die),
				     &index->unit_end, NULL, NULL, NULL, NULL))
		index->unit_end = 0;
	if (pd_elfutils.dwarf_cu_info(die->cu, &version, NULL, NULL, NULL, NULL, &address_size, &offset_size))
		return;
	index->lines.version = (uint8_t)version;
	index->lines.address_size = address_size;
	index->lines.offset_size = offset_size;
	if (pd_elfutils.dwarf_attr(die, DW_AT_stmt_list, &attribute) && !pd_elfutils.dwarf_formudata(&attribute, &at))
		index->table = at;
	if (pd_elfutils.dwarf_attr(die, DW_AT_comp_dir, &attribute))
		index->lines.folder = pd_elfutils.dwarf_formstring(&attribute);
}

/* Returns the index of a unit, made at the first use; NULL: see status. */
static struct unit_index *index_of(struct pd_libdw *lines, Dwarf_Die *unit)
{
	const Dwarf_Off offset = pd_elfutils.dwarf_dieoffset(unit);
	uint64_t number;
	if (pd_hash_map_get(&lines->by_unit, offset, &number))
		return &lines->units[number];
	if (pd_vector_grow(&lines->units, &lines->unit_capacity, lines->unit_count, sizeof *lines->units)) {
		lines->status = PERFDATA_ENOMEM;
		return NULL;
	}
	struct unit_index *index = &lines->units[lines->unit_count];
	*index = (struct unit_index){ .unit = offset };
	describe_unit(lines, index, unit);
	add_functions(lines, index, unit, 0);
	if (!lines->status && pd_hash_map_put(&lines->by_unit, offset, lines->unit_count))
		lines->status = PERFDATA_ENOMEM;
	if (lines->status) {
		pd_account_give(lines->reader.account, PD_USE_SYMBOLS, index->capacity * sizeof *index->items);
		lines->indexes -= index->capacity * sizeof *index->items;
		pd_free(index->items);
		return NULL;
	}
	lines->unit_count++;
	if (index->count)
		qsort(index->items, index->count, sizeof *index->items, compare_ranges);
	return index;
}

/* Returns the last range that starts at or before the address: functions of compilers do not overlap. */
static const struct function_range *find_range(const struct unit_index *index, uint64_t vaddr)
{
	size_t low;
	PD_COUNT_BEFORE(low, index->count, at, index->items[at].start <= vaddr);
	return low && vaddr < index->items[low - 1].end ? &index->items[low - 1] : NULL;
}

static bool make_all(struct pd_libdw *lines)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Die die;
	uint8_t type;
	lines->all.count = 0;
	while (count_steps(lines, 1) &&
	       pd_elfutils.dwarf_get_units(lines->own.dwarf, cu, &cu, NULL, &type, &die, NULL) == 0)
		add_ranges(lines, &lines->all, &die);
	lines->all_made = !lines->status;
	if (lines->all.count)
		qsort(lines->all.items, lines->all.count, sizeof *lines->all.items, compare_ranges);
	return lines->all_made;
}

/* Finds the unit with the address: in .debug_aranges, which some compilers omit, or in the ranges of all units. */
static bool find_unit(struct pd_libdw *lines, uint64_t vaddr, Dwarf_Die *ret)
{
	Dwarf_Aranges *aranges;
	Dwarf_Off offset;
	size_t count;
	if (!pd_elfutils.dwarf_getaranges(lines->own.dwarf, &aranges, &count) &&
	    !pd_elfutils.dwarf_getarangeinfo(pd_elfutils.dwarf_getarange_addr(aranges, vaddr), NULL, NULL, &offset) &&
	    pd_elfutils.dwarf_offdie(lines->own.dwarf, offset, ret))
		return true;
	if (!lines->all_made && !make_all(lines))
		return false;
	const struct function_range *range = find_range(&lines->all, vaddr);
	return range && pd_elfutils.dwarf_offdie(lines->own.dwarf, range->die, ret);
}

static bool has_code(int tag)
{
	return tag == DW_TAG_inlined_subroutine || tag == DW_TAG_lexical_block || tag == DW_TAG_subprogram ||
	       tag == DW_TAG_try_block || tag == DW_TAG_catch_block;
}

static bool die_holds(struct pd_libdw *lines, Dwarf_Die *die, uint64_t vaddr)
{
	Dwarf_Addr base, start, end;
	ptrdiff_t at = 0;
	if (!may_read_ranges(lines, die))
		return false;
	while (count_steps(lines, 1) && (at = pd_elfutils.dwarf_ranges(die, at, &base, &start, &end)) > 0)
		if (vaddr >= start && vaddr < end)
			return true;
	return false;
}

/* Finds the function at an address and the scopes in it, outermost first. */
static size_t get_scopes(struct pd_libdw *lines, const struct unit_index *index, uint64_t vaddr,
			 Dwarf_Die scopes[MAX_SCOPES])
{
	const struct function_range *range = find_range(index, vaddr);
	size_t count = 1;
	if (!range || !pd_elfutils.dwarf_offdie(lines->own.dwarf, range->die, &scopes[0]))
		return 0;
	const Dwarf_Off limit = range->die_end ? range->die_end : index->unit_end;
	for (bool deeper = true; deeper && count < MAX_SCOPES && !lines->status;) {
		Dwarf_Die die;
		bool more = !pd_elfutils.dwarf_child(&scopes[count - 1], &die);
		deeper = false;
		while (more && !lines->status) {
			deeper = has_code(pd_elfutils.dwarf_tag(&die)) && die_holds(lines, &die, vaddr);
			if (deeper)
				break;
			more = next_sibling(lines, &die, limit);
		}
		if (deeper)
			scopes[count++] = die;
	}
	return count;
}

/* --- names and places --------------------------------------------------------------------------------------------- */

/* Returns NULL for a long text, since one text may be in the output many times. */
static const char *short_text(const char *text)
{
	return text && strnlen(text, PD_SYMBOL_NAME_LIMIT) < PD_SYMBOL_NAME_LIMIT ? text : NULL;
}

/* Returns the linkage name, which names the function in full; functions of local classes have only a plain name. */
static const char *function_name(struct pd_libdw *lines, bool raw_names, Dwarf_Die *die)
{
	Dwarf_Attribute attribute;
	const char *name = NULL;
	if (pd_elfutils.dwarf_attr_integrate(die, DW_AT_linkage_name, &attribute) ||
	    pd_elfutils.dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &attribute))
		name = short_text(pd_elfutils.dwarf_formstring(&attribute));
	if (!name || raw_names)
		return name ? name : short_text(pd_elfutils.dwarf_diename(die));
	const char *shown = pd_demangle(&lines->names, name, lines->meter.work, &lines->has_excess);
	lines->name_failed |= !shown;
	return shown;
}

static bool is_function(Dwarf_Die *die)
{
	int tag = pd_elfutils.dwarf_tag(die);
	return tag == DW_TAG_inlined_subroutine || tag == DW_TAG_subprogram;
}

static uint32_t attribute_number(Dwarf_Attribute *attribute)
{
	Dwarf_Word value;
	const bool found = attribute && !pd_elfutils.dwarf_formudata(attribute, &value) && value <= UINT32_MAX;
	return found ? (uint32_t)value : 0;
}

static uint32_t number_of(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attribute;
	return attribute_number(pd_elfutils.dwarf_attr(die, name, &attribute));
}

/* Returns the line of a function's declaration, which may be in the abstract entry of an instance
 * (DW_AT_abstract_origin). */
static uint32_t first_line(Dwarf_Die *die)
{
	Dwarf_Attribute attribute;
	return attribute_number(pd_elfutils.dwarf_attr_integrate(die, DW_AT_decl_line, &attribute));
}

/* Whether the unit has a readable line table; reads it. */
static bool has_table(struct pd_libdw *lines, struct unit_index *index, bool discriminators)
{
	if (index->lines.lines && index->lines.lines->has_discriminators < discriminators) {
		pd_dwarf_give_lines(&lines->reader, index->lines.lines);
		index->lines.lines = NULL;
	}
	if (!index->lines.lines && index->table != UINT64_MAX && !lines->status) {
		const enum perfdata_status status = pd_dwarf_take_lines(&lines->reader, &index->lines, index->table,
									discriminators, &index->lines.lines);
		lines->status = status == PERFDATA_EUNSUP ? PERFDATA_OK : status;
		index->table = status == PERFDATA_EUNSUP ? UINT64_MAX : index->table;
	}
	return index->lines.lines != NULL;
}

static const char *file_of(struct pd_libdw *lines, struct unit_index *index, uint32_t file)
{
	const char *path = NULL;
	const enum perfdata_status status =
		has_table(lines, index, false) ?
			pd_dwarf_path(&lines->reader, &index->lines, file, &lines->names, &path) : PERFDATA_OK;
	if (status && status != PERFDATA_EUNSUP && !lines->status)
		lines->status = status;
	return status ? NULL : short_text(path);
}

/* Sets the source position of the innermost code. */
static void set_line(struct pd_libdw *lines, struct unit_index *index, uint64_t vaddr,
		     bool discriminators, struct perfdata_source_line *ret, uint32_t *ret_discriminator)
{
	const struct pd_dwarf_row *row =
		has_table(lines, index, discriminators) ? pd_dwarf_find_row(index->lines.lines, vaddr) : NULL;
	if (!row)
		return;
	ret->file = file_of(lines, index, row->file);
	ret->line = row->line < 0 ? 0 : (uint32_t)row->line;
	ret->column = row->column;
	*ret_discriminator = pd_dwarf_discriminator_of(index->lines.lines, row);
}

/* A frame, and the discriminator of its position. */
struct found {
	struct perfdata_source_line at;
	uint32_t discriminator;
};

static void put_frames(const struct pd_lines_wish *wish, struct perfdata_source_line *frames, size_t room, size_t count,
		       const struct found *found)
{
	if (count < room)
		frames[count] = found->at;
	if (count < room && wish->discriminators)
		wish->discriminators[count] = found->discriminator;
}

/* Walks from the innermost scope, the last one, outwards: the call site of an inlined function is in the scope around
 * it. */
static size_t walk_scopes(struct pd_libdw *lines, const struct pd_lines_wish *wish, struct unit_index *index,
			  Dwarf_Die *scopes, size_t scope_count, struct found found,
			  struct perfdata_source_line *frames, size_t room)
{
	struct perfdata_source_line *const at = &found.at;
	size_t count = 0;
	for (size_t i = scope_count; i-- > 0;) {
		if (!is_function(&scopes[i]))
			continue;
		at->inlined = pd_elfutils.dwarf_tag(&scopes[i]) == DW_TAG_inlined_subroutine;
		at->function = function_name(lines, wish->raw_names, &scopes[i]);
		at->first_line = first_line(&scopes[i]);
		put_frames(wish, frames, room, count++, &found);
		if (!at->inlined)
			return count;
		at->file = file_of(lines, index, number_of(&scopes[i], DW_AT_call_file));
		at->line = number_of(&scopes[i], DW_AT_call_line);
		at->column = number_of(&scopes[i], DW_AT_call_column);
		found.discriminator = number_of(&scopes[i], DW_AT_GNU_discriminator);
	}
	return count;
}

static enum perfdata_status look_up(struct pd_libdw *lines, uint64_t vaddr, const struct pd_lines_wish *wish,
				    struct perfdata_source_line *frames, size_t room, size_t *ret_count)
{
	pd_arena_reset(&lines->names);
	lines->name_failed = false;
	make_room(lines);
	Dwarf_Die unit, scopes[MAX_SCOPES];
	struct found found = { .discriminator = 0 };
	lines->status = PERFDATA_OK;
	pd_work_add_lookup(lines->meter.work);
	if (!find_unit(lines, vaddr, &unit))
		return lines->status ? lines->status : PERFDATA_ABSENT;
	struct unit_index *index = index_of(lines, &unit);
	const size_t scope_count = index ? get_scopes(lines, index, vaddr, scopes) : 0;
	if (index && wish->positions && !lines->status)
		set_line(lines, index, vaddr, wish->discriminators != NULL, &found.at, &found.discriminator);
	if (lines->status)
		return lines->status;
	size_t count = walk_scopes(lines, wish, index, scopes, scope_count, found, frames, room);
	if (lines->status)
		return lines->status;
	if (!count && found.at.file)
		put_frames(wish, frames, room, count++, &found);
	*ret_count = count;
	if (lines->name_failed)
		return pd_demangle_failure() ? pd_demangle_failure() : PERFDATA_ENOMEM;
	return count ? PERFDATA_OK : PERFDATA_ABSENT;
}

enum perfdata_status pd_libdw_lookup(struct pd_libdw *lines, uint64_t vaddr, const struct pd_lines_wish *wish,
				     struct perfdata_source_line *frames, size_t room, size_t *ret_count)
{
	jmp_buf out;
	enum perfdata_status status;
	if (lines->lacks_memory)
		return PERFDATA_ENOMEM;
	way_out = &out;
	if (setjmp(out)) {
		way_out = NULL;
		lines->lacks_memory = true;
		return PERFDATA_ENOMEM;
	}
	errno = 0;
	status = look_up(lines, vaddr, wish, frames, room, ret_count);
	way_out = NULL;
	/* most functions of libdw do not report failed allocations: their result seems absent */
	lines->lacks_memory = errno == ENOMEM;
	return lines->lacks_memory ? PERFDATA_ENOMEM : status;
}

#endif
