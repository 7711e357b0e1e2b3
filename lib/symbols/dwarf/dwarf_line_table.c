/* SPDX-License-Identifier: MIT */
/* Reads the line table of a unit (DWARF 5, section 6.2): the source position of each address. */
#include "config.h"
#include "symbols/symbols.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/cursor.h"
#include "base/memory.h"
#include "base/search.h"
#include "symbols/dwarf/dwarf.h"
#include "symbols/dwarf/dwarf_format.h"

#define BYTES_OF_STEP 16u   /* bytes of a table, read into new memory in one step */

struct row {
	uint64_t address;
	uint32_t file;
	int32_t line;
	uint16_t column;
	bool is_end;
	uint32_t discriminator;
};
struct rows {
	struct row *items;
	size_t count, capacity;
};

struct machine {
	struct pd_cursor cursor;
	struct pd_meter meter;
	const uint8_t *bytes;     /* bytes of the table after its length */
	uint64_t place;           /* section offset of `bytes` */
	size_t taken;             /* bytes charged to the account while the table is read */
	struct rows rows;
	uint8_t version, offset_size, address_size, min_length, max_ops, line_base_raw, line_range, opcode_base;
	const uint8_t *lengths;   /* lengths of standard opcodes, from opcode 1 */
	/* registers of the line program */
	uint64_t address;
	unsigned op_index;
	uint32_t file;
	int64_t line;
	uint32_t column, discriminator;
};

/* Charges memory to the account while the table is read. */
static enum perfdata_status take_budget(struct machine *m, size_t bytes)
{
	const enum perfdata_status status = pd_work_room(m->meter.work, bytes);
	if (status)
		return status;
	pd_account_take(m->meter.work->account, PD_USE_SYMBOLS, bytes);
	m->taken += bytes;
	return PERFDATA_OK;
}

/* Makes room for one more item. The old and the larger block exist at once while items are moved. */
static enum perfdata_status grow_items(struct machine *m, void *items, size_t *capacity, size_t count, size_t size)
{
	const size_t before = *capacity;
	if (count < before)
		return PERFDATA_OK;
	enum perfdata_status status = pd_work_room(m->meter.work, 3 * count * size);
	if (!status && pd_vector_grow(items, capacity, count, size))
		status = PERFDATA_ENOMEM;
	return status ? status : take_budget(m, (*capacity - before) * size);
}

static void reset_registers(struct machine *m)
{
	m->address = 0;
	m->op_index = 0;
	m->file = 1;
	m->line = 1;
	m->column = 0;
	m->discriminator = 0;
}

/* --- the header --------------------------------------------------------------------------------------------------- */

static enum perfdata_status add_folder(struct machine *m, struct pd_dwarf_lines *lines, struct pd_dwarf_value folder)
{
	enum perfdata_status status = pd_meter_count(&m->meter, PD_WORK_KEPT);
	if (!status)
		status = grow_items(m, &lines->folders, &lines->folder_capacity, lines->folder_count,
				    sizeof *lines->folders);
	if (status)
		return status;
	lines->folders[lines->folder_count++] = folder;
	return PERFDATA_OK;
}

static enum perfdata_status add_file(struct machine *m, struct pd_dwarf_lines *lines, struct pd_dwarf_value name,
				     uint64_t folder)
{
	if (folder >= lines->folder_count)
		return PERFDATA_EUNSUP;
	enum perfdata_status status = pd_meter_count(&m->meter, PD_WORK_KEPT);
	if (!status)
		status = grow_items(m, &lines->files, &lines->file_capacity, lines->file_count, sizeof *lines->files);
	if (status)
		return status;
	lines->files[lines->file_count++] = (struct pd_dwarf_file){ name, lines->folders[folder] };
	return PERFDATA_OK;
}

/* Returns the section offset of the next byte. */
static uint64_t place_of(const struct machine *m) { return m->place + (uint64_t)(m->cursor.at - m->bytes); }

/* Names stay in the file, since programs have many and few are requested. */
static struct pd_dwarf_value take_text(struct machine *m)
{
	struct pd_cursor *c = &m->cursor;
	const struct pd_dwarf_value value = { PD_DWARF_TABLE_STRING, place_of(m) };
	const uint8_t *end = memchr(c->at, 0, pd_left(c));
	pd_take(c, end ? (uint64_t)(end - c->at) + 1 : UINT64_MAX);
	return value;
}

/* Reads names in the form up to DWARF 4: strings up to an empty one. Folder 0 is that of the compilation, and files are
 * numbered from 1. */
static enum perfdata_status read_old_names(struct machine *m, struct pd_dwarf_lines *lines)
{
	struct pd_cursor *c = &m->cursor;
	struct pd_dwarf_value none = { 0 };
	/* folder 0 means that of the unit: units that share the table may have different ones */
	enum perfdata_status status = add_folder(m, lines, (struct pd_dwarf_value){ PD_DWARF_OTHER, 1 });
	while (!status && pd_left(c) && *c->at)
		status = add_folder(m, lines, take_text(m));
	pd_u8(c);
	if (!status)
		status = add_file(m, lines, none, 0);
	while (!status && !c->failed && pd_left(c) && *c->at) {
		const struct pd_dwarf_value name = take_text(m);
		const uint64_t folder = pd_dwarf_uleb(c);
		pd_dwarf_uleb(c), pd_dwarf_uleb(c);
		status = c->failed ? PERFDATA_EUNSUP : add_file(m, lines, name, folder);
	}
	pd_u8(c);
	return status;
}

struct entry_format {
	unsigned count;
	uint16_t content[256], form[256];
};

static bool read_format(struct pd_cursor *c, struct entry_format *format)
{
	format->count = pd_u8(c);
	for (unsigned i = 0; i < format->count; i++) {
		format->content[i] = (uint16_t)pd_dwarf_uleb(c);
		format->form[i] = (uint16_t)pd_dwarf_uleb(c);
	}
	return !c->failed;
}

static bool read_entry(struct machine *m, const struct pd_dwarf_unit *unit, const struct entry_format *format,
		       struct pd_dwarf_value *ret_path, uint64_t *ret_folder)
{
	bool has_path = false;
	*ret_folder = 0;
	for (unsigned i = 0; i < format->count; i++) {
		struct pd_dwarf_value value;
		if (!pd_dwarf_form(&m->cursor, unit, format->form[i], 0, place_of(m), &value))
			return false;
		if (value.class == PD_DWARF_INLINE_STRING)
			value.class = PD_DWARF_TABLE_STRING;
		if (format->content[i] == DW_LNCT_path) {
			*ret_path = value;
			has_path = true;
		} else if (format->content[i] == DW_LNCT_directory_index) {
			*ret_folder = value.number;
		}
	}
	return has_path;
}

static enum perfdata_status read_new_names(const struct pd_dwarf_unit *unit, struct machine *m,
					   struct pd_dwarf_lines *lines)
{
	struct pd_cursor *c = &m->cursor;
	for (unsigned files = 0; files < 2; files++) {
		struct entry_format format;
		const bool known = read_format(c, &format);
		const uint64_t count = pd_dwarf_uleb(c);
		if (!known || c->failed || (count && !format.count) || count > pd_left(c))
			return PERFDATA_EUNSUP;
		for (uint64_t i = 0; i < count; i++) {
			struct pd_dwarf_value path;
			uint64_t folder;
			if (!read_entry(m, unit, &format, &path, &folder))
				return PERFDATA_EUNSUP;
			enum perfdata_status status = files ? add_file(m, lines, path, folder)
							    : add_folder(m, lines, path);
			if (status)
				return status;
		}
	}
	return lines->file_count ? PERFDATA_OK : PERFDATA_EUNSUP;
}

static enum perfdata_status read_header(const struct pd_dwarf_unit *unit, struct machine *m,
					struct pd_dwarf_lines *lines)
{
	struct pd_cursor *c = &m->cursor;
	m->version = (uint8_t)pd_u16(c);
	m->address_size = m->version >= 5 ? pd_u8(c) : unit->address_size;
	const unsigned segment_size = m->version >= 5 ? pd_u8(c) : 0;
	const uint64_t header_length = m->offset_size == 8 ? pd_u64(c) : pd_u32(c);
	const uint8_t *const start = c->at;
	m->min_length = pd_u8(c);
	m->max_ops = m->version >= 4 ? pd_u8(c) : 1;
	pd_u8(c);
	m->line_base_raw = pd_u8(c);
	m->line_range = pd_u8(c);
	m->opcode_base = pd_u8(c);
	m->lengths = pd_take(c, m->opcode_base ? m->opcode_base - 1u : UINT64_MAX);
	if (c->failed || m->version < 2 || m->version > 5 || segment_size || !m->max_ops || !m->line_range ||
	    (m->address_size != 4 && m->address_size != 8))
		return PERFDATA_EUNSUP;
	enum perfdata_status status = m->version < 5 ? read_old_names(m, lines) : read_new_names(unit, m, lines);
	if (!status && (c->failed || (uint64_t)(c->at - start) != header_length))
		status = PERFDATA_EUNSUP;
	return status;
}

/* --- the program -------------------------------------------------------------------------------------------------- */

static enum perfdata_status add_row(struct machine *m, bool is_end)
{
	struct rows *rows = &m->rows;
	const enum perfdata_status status = grow_items(m, &rows->items, &rows->capacity, rows->count,
						       sizeof *rows->items);
	if (status)
		return status;
	if (m->line < INT32_MIN || m->line > INT32_MAX || m->column > UINT16_MAX)
		return PERFDATA_EUNSUP;
	rows->items[rows->count++] = (struct row){
		.address = m->address, .file = m->file, .line = (int32_t)m->line, .column = (uint16_t)m->column,
		.is_end = is_end, .discriminator = m->discriminator,
	};
	m->discriminator = 0;   /* a discriminator applies to one row */
	return PERFDATA_OK;
}

static void advance_address(struct machine *m, uint32_t steps)
{
	m->address += m->min_length * ((m->op_index + steps) / m->max_ops);
	m->op_index = (m->op_index + steps) % m->max_ops;
}

static enum perfdata_status run_extended(struct machine *m)
{
	struct pd_cursor *c = &m->cursor;
	const uint64_t length = pd_u8(c);
	const unsigned opcode = pd_u8(c);
	enum perfdata_status status = PERFDATA_OK;
	switch (opcode) {
	case DW_LNE_end_sequence:
		status = add_row(m, true);
		reset_registers(m);
		return status;
	case DW_LNE_set_address:
		m->op_index = 0;
		m->address = m->address_size == 8 ? pd_u64(c) : pd_u32(c);
		return PERFDATA_OK;
	case DW_LNE_set_discriminator:
		m->discriminator = (uint32_t)pd_dwarf_uleb(c);
		return PERFDATA_OK;
	case DW_LNE_define_file:
		return PERFDATA_EUNSUP;
	default:
		pd_take(c, length ? length - 1 : UINT64_MAX);
		return PERFDATA_OK;
	}
}

static enum perfdata_status run_standard(struct machine *m, unsigned opcode)
{
	static const uint8_t operands[] = { 0, 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1 };
	struct pd_cursor *c = &m->cursor;
	if (opcode < sizeof operands && m->lengths[opcode - 1] != operands[opcode])
		return PERFDATA_EUNSUP;
	switch (opcode) {
	case DW_LNS_copy: return add_row(m, false);
	case DW_LNS_advance_pc: advance_address(m, (uint32_t)pd_dwarf_uleb(c)); break;
	case DW_LNS_advance_line: m->line += (int32_t)pd_dwarf_sleb(c); break;
	case DW_LNS_set_file: m->file = (uint32_t)pd_dwarf_uleb(c); break;
	case DW_LNS_set_column: m->column = (uint32_t)pd_dwarf_uleb(c); break;
	case DW_LNS_negate_stmt:
	case DW_LNS_set_basic_block:
	case DW_LNS_set_prologue_end:
	case DW_LNS_set_epilogue_begin: break;
	case DW_LNS_const_add_pc: advance_address(m, (255u - m->opcode_base) / m->line_range); break;
	case DW_LNS_fixed_advance_pc:
		m->address += pd_u16(c);
		m->op_index = 0;
		break;
	default:
		for (unsigned i = 0; i < m->lengths[opcode - 1]; i++)
			pd_dwarf_uleb(c);
	}
	return PERFDATA_OK;
}

static enum perfdata_status run_program(struct machine *m)
{
	enum perfdata_status status = PERFDATA_OK;
	reset_registers(m);
	while (pd_left(&m->cursor) && !status) {
		const unsigned opcode = pd_u8(&m->cursor);
		if (opcode >= m->opcode_base) {
			const unsigned special = opcode - m->opcode_base;
			m->line += (int8_t)m->line_base_raw + (int)(special % m->line_range);
			advance_address(m, special / m->line_range);
			status = add_row(m, false);
		} else {
			status = opcode ? run_standard(m, opcode) : run_extended(m);
		}
		if (!status)
			status = pd_meter_count(&m->meter, 1);
		if (m->cursor.failed)
			status = PERFDATA_EUNSUP;
	}
	return status;
}

/* --- rows in order ------------------------------------------------------------------------------------------------ */

/* Orders rows by address; at one address, ends of sequences before starts; else as in the program. */
static bool is_after(const struct row *a, const struct row *b)
{
	return a->address > b->address || (a->address == b->address && !a->is_end && b->is_end);
}

static void merge_ranges(const struct row *from, struct row *to, size_t left, size_t middle, size_t right)
{
	size_t a = left, b = middle;
	for (size_t i = left; i < right; i++)
		to[i] = b == right || (a < middle && !is_after(&from[a], &from[b])) ? from[a++] : from[b++];
}

/* Rows of a sequence are in order, so there are few runs to merge. The sort must be stable. */
static enum perfdata_status sort_rows(struct machine *m)
{
	struct rows *rows = &m->rows;
	const size_t nr = rows->count;
	bool sorted = true;
	for (size_t i = 1; i < nr; i++)
		sorted &= !is_after(&rows->items[i - 1], &rows->items[i]);
	if (sorted)
		return PERFDATA_OK;
	const enum perfdata_status status = take_budget(m, nr * sizeof *rows->items);
	struct row *other = status ? NULL : pd_malloc(nr * sizeof *other);
	if (!other)
		return status ? status : PERFDATA_ENOMEM;
	for (size_t width = 1; width < nr; width *= 2) {
		for (size_t left = 0; left < nr; left += 2 * width) {
			const size_t middle = left + width < nr ? left + width : nr,
				     right = middle + width < nr ? middle + width : nr;
			merge_ranges(rows->items, other, left, middle, right);
		}
		struct row *merged = other;
		other = rows->items;
		rows->items = merged;
	}
	pd_free(other);
	rows->capacity = nr;
	return PERFDATA_OK;
}

static enum perfdata_status keep_discriminator(struct machine *m, struct pd_dwarf_lines *lines, uint32_t value)
{
	const enum perfdata_status status = grow_items(m, &lines->discriminators, &lines->discriminator_capacity,
						       lines->discriminator_count, sizeof *lines->discriminators);
	if (!status)
		lines->discriminators[lines->discriminator_count++] =
			(struct pd_dwarf_discriminator){ (uint32_t)lines->row_count, value };
	return status;
}

/* Removes rows of code that the linker discarded: they begin at address 0, far from the rest. */
static enum perfdata_status keep_rows(struct machine *m, struct pd_dwarf_lines *lines)
{
	const struct rows *rows = &m->rows;
	const uint64_t highest = rows->count ? rows->items[rows->count - 1].address : 0;
	size_t first = 0;
	while (first < rows->count && highest - rows->items[first].address > UINT32_MAX)
		first++;
	if (first == rows->count)
		return PERFDATA_OK;
	lines->lowest = rows->items[first].address;
	const enum perfdata_status status = take_budget(m, (rows->count - first) * sizeof *lines->rows);
	lines->rows = status ? NULL : pd_malloc((rows->count - first) * sizeof *lines->rows);
	if (!lines->rows)
		return status ? status : PERFDATA_ENOMEM;
	for (size_t i = first; i < rows->count; i++) {
		const struct row *row = &rows->items[i];
		if (row->file >= 1u << 15)
			return PERFDATA_EUNSUP;
		const enum perfdata_status kept = lines->has_discriminators && row->discriminator ?
							  keep_discriminator(m, lines, row->discriminator) :
							  PERFDATA_OK;
		if (kept)
			return kept;
		lines->rows[lines->row_count++] = (struct pd_dwarf_row){
			.address = (uint32_t)(row->address - lines->lowest),
			.line = row->line,
			.column = row->column,
			.is_end = row->is_end || i + 1 == rows->count,
			.file = row->file & 0x7fff,
		};
	}
	return PERFDATA_OK;
}

void pd_dwarf_lines_release(struct pd_dwarf_lines *lines)
{
	pd_free(lines->files);
	pd_free(lines->folders);
	pd_free(lines->rows);
	pd_free(lines->discriminators);
	*lines = (struct pd_dwarf_lines){ 0 };
}

/* Reads the bytes of the table, and their number. */
static enum perfdata_status read_bytes(const struct pd_dwarf *dwarf, uint64_t offset, struct machine *m, uint8_t **ret,
				       size_t *ret_size)
{
	const struct pd_dwarf_section *section = &dwarf->sections[PD_DWARF_LINE];
	uint8_t head[12] = { 0 };
	if (offset >= section->size || section->size - offset < sizeof head ||
	    !pd_dwarf_copy(dwarf, PD_DWARF_LINE, offset, head, sizeof head))
		return PERFDATA_EUNSUP;
	uint64_t length = pd_load32(head, dwarf->swap), before = 4;
	m->offset_size = 4;
	if (length == UINT32_MAX) {
		length = pd_load64(head + 4, dwarf->swap);
		before = 12;
		m->offset_size = 8;
	}
	if (length > section->size - offset - before)
		return PERFDATA_EUNSUP;
	*ret_size = (size_t)length;
	m->place = offset + before;
	enum perfdata_status status = take_budget(m, (size_t)length);
	/* even a table without rows and files costs work, since it is read again when memory is short */
	if (!status)
		status = pd_work_do(m->meter.work, length / BYTES_OF_STEP);
	return status ? status : pd_dwarf_read(dwarf, PD_DWARF_LINE, m->place, length, ret);
}

enum perfdata_status pd_dwarf_read_table(const struct pd_dwarf *dwarf, const struct pd_dwarf_unit *unit, uint64_t at,
					 struct pd_dwarf_lines *ret)
{
	struct machine m = { .meter = pd_meter(dwarf->work) };
	struct pd_dwarf_lines *lines = ret;
	uint8_t *bytes = NULL;
	size_t size;
	enum perfdata_status status = read_bytes(dwarf, at, &m, &bytes, &size);
	if (!status) {
		struct pd_dwarf_unit form = *unit;   /* the table's offset size may differ from the unit's */
		form.offset_size = m.offset_size;
		m.bytes = bytes;
		m.cursor = pd_cursor(bytes, size, dwarf->swap);
		status = read_header(&form, &m, lines);
	}
	if (!status)
		status = run_program(&m);
	if (!status)
		status = sort_rows(&m);
	if (!status)
		status = keep_rows(&m, lines);
	if (!status)
		status = pd_meter_settle(&m.meter);
	pd_free(bytes);
	pd_free(m.rows.items);
	pd_free(lines->folders);
	lines->folders = NULL;
	pd_account_give(dwarf->account, PD_USE_SYMBOLS, m.taken);
	if (status)
		pd_dwarf_lines_release(lines);
	return status;
}

/* Returns the last row at or before the address; NULL: its sequence ends before the address. */
const struct pd_dwarf_row *pd_dwarf_find_row(const struct pd_dwarf_lines *lines, uint64_t address)
{
	size_t low;
	PD_COUNT_BEFORE(low, address < lines->lowest ? 0 : lines->row_count, at,
			lines->rows[at].address <= address - lines->lowest);
	return low && !lines->rows[low - 1].is_end ? &lines->rows[low - 1] : NULL;
}

uint32_t pd_dwarf_discriminator_of(const struct pd_dwarf_lines *lines, const struct pd_dwarf_row *row)
{
	const size_t wanted = (size_t)(row - lines->rows);
	size_t low;
	PD_COUNT_BEFORE(low, lines->discriminator_count, at, lines->discriminators[at].row < wanted);
	return low < lines->discriminator_count && lines->discriminators[low].row == wanted ?
		       lines->discriminators[low].value : 0;
}

/* --- paths -------------------------------------------------------------------------------------------------------- */

static enum perfdata_status text_of(const struct pd_dwarf *dwarf, const struct pd_dwarf_unit *unit,
				    const struct pd_dwarf_value *value, struct pd_arena *bytes, const char **ret)
{
	*ret = value->class == PD_DWARF_OTHER ? unit->folder : NULL;
	if (*ret || (value->class == PD_DWARF_OTHER && !pd_dwarf_has(&unit->root, PD_DWARF_COMP_DIR)))
		return PERFDATA_OK;
	if (value->class == PD_DWARF_OTHER)
		return pd_dwarf_string(dwarf, unit, &unit->root.values[PD_DWARF_COMP_DIR], bytes, ret);
	return pd_dwarf_string(dwarf, unit, value, bytes, ret);
}

enum perfdata_status pd_dwarf_path(const struct pd_dwarf *dwarf, const struct pd_dwarf_unit *unit, uint32_t file,
				   struct pd_arena *bytes, const char **ret)
{
	const struct pd_dwarf_lines *lines = unit->lines;
	const char *name = NULL, *folder = NULL;
	*ret = NULL;
	if (!lines || file >= lines->file_count)
		return PERFDATA_OK;
	const struct pd_dwarf_file *entry = &lines->files[file];
	if (entry->name.class == PD_DWARF_OTHER) {
		*ret = "???";   /* file 0 of up to DWARF 4 */
		return PERFDATA_OK;
	}
	enum perfdata_status status = text_of(dwarf, unit, &entry->name, bytes, &name);
	if (!status && name && name[0] != '/')
		status = text_of(dwarf, unit, &entry->folder, bytes, &folder);
	if (status || !name)
		return status;
	const size_t folder_size = folder ? strlen(folder) : 0, name_size = strlen(name);
	char *path = pd_arena_alloc(bytes, folder_size + name_size + 2);
	if (!path)
		return PERFDATA_ENOMEM;
	sprintf(path, "%s%s%s", folder ? folder : "", folder ? "/" : "", name);
	*ret = path;
	return PERFDATA_OK;
}
