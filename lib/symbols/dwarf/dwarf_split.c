/* SPDX-License-Identifier: MIT */
/* Split debug information. A program built with -gsplit-dwarf has skeleton units, each of which names a .dwo file with
 * the unit that describes its code; dwp joins such files in PROGRAM.dwp. The names and ids come from the program, so
 * they are not trusted: only regular files are opened, each is read once even if many units name it, and reading them
 * counts for the work of the program's file. Without these files, source positions are known but no inlined
 * functions. */
#include "config.h"
#include "base/port.h"
#include "symbols/symbols.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/cursor.h"
#include "base/memory.h"
#include "symbols/dwarf/dwarf.h"

#define MAX_PATH 4096
#define MAX_COLUMNS 16u    /* limit of columns in the table of a .dwp, which has eight kinds of sections */

/* --- units and their parts ---------------------------------------------------------------------------------------- */

static enum perfdata_status add_id(struct pd_dwarf *split, uint64_t id, const struct pd_dwarf_unit *unit)
{
	uint64_t known;
	if (pd_hash_map_get(&split->by_id, id, &known))
		return PERFDATA_OK;
	return pd_hash_map_put(&split->by_id, id, (uint64_t)(unit - split->units)) ? PERFDATA_ENOMEM : PERFDATA_OK;
}

/* Adds the id of each unit of a .dwo. */
static enum perfdata_status index_units(struct pd_dwarf *split)
{
	enum perfdata_status status = PERFDATA_OK;
	for (size_t i = 0; i < split->unit_count && !status; i++) {
		struct pd_dwarf_unit *unit = &split->units[i];
		uint64_t id = unit->dwo_id;
		if (unit->version < 5) {
			struct pd_dwarf_die root;
			status = pd_dwarf_read_root(split, unit, &root);
			id = !status && pd_dwarf_has(&root, PD_DWARF_DWO_ID) ? root.values[PD_DWARF_DWO_ID].number : 0;
		}
		if (!status && id)
			status = add_id(split, id, unit);
	}
	return status;
}

/* Columns of the table of a .dwp that this reader uses. Section kinds above 4 have other numbers in DWARF 5. */
struct columns {
	unsigned info, abbrevs, lines, str_offsets, rnglists;   /* indexes of columns; MAX_COLUMNS: none */
};

static struct columns find_columns(const uint8_t *ids, unsigned count, unsigned version, bool swap)
{
	struct columns found = { MAX_COLUMNS, MAX_COLUMNS, MAX_COLUMNS, MAX_COLUMNS, MAX_COLUMNS };
	for (unsigned i = 0; i < count; i++) {
		switch (pd_load32(ids + (size_t)4 * i, swap)) {
		case 1: found.info = i; break;
		case 3: found.abbrevs = i; break;
		case 4: found.lines = i; break;
		case 6: found.str_offsets = i; break;
		case 8: found.rnglists = version < 5 ? MAX_COLUMNS : i; break;
		default: break;
		}
	}
	return found;
}

static uint64_t in_column(const uint8_t *row, unsigned column, bool swap)
{
	return column == MAX_COLUMNS ? 0 : pd_load32(row + (size_t)4 * column, swap);
}

/* Reads .debug_cu_index (DWARF 5, section 7.3.5): a hash table of ids, and the parts of sections of each unit. */
static enum perfdata_status read_index(struct pd_dwarf *split, const uint8_t *bytes, uint64_t size)
{
	const bool swap = split->swap;
	struct pd_cursor c = pd_cursor(bytes, (size_t)size, swap);
	const uint32_t word = pd_u32(&c);   /* two bytes in DWARF 5 */
	const unsigned version = word == 2 ? 2 : pd_load16(bytes, swap);
	const uint32_t column_count = pd_u32(&c), row_count = pd_u32(&c), slot_count = pd_u32(&c);
	const uint8_t *ids = pd_take(&c, 8 * (uint64_t)slot_count), *rows = pd_take(&c, 4 * (uint64_t)slot_count),
		      *kinds = pd_take(&c, 4 * (uint64_t)column_count);
	if (c.failed || (version != 2 && version != 5) || !column_count || column_count > MAX_COLUMNS)
		return PERFDATA_EUNSUP;
	const struct columns columns = find_columns(kinds, column_count, version, swap);
	const uint64_t row_size = 4 * (uint64_t)column_count;
	const uint8_t *table = pd_take(&c, row_size * row_count);
	struct pd_meter meter = pd_meter(split->work);
	if (c.failed || columns.info == MAX_COLUMNS || columns.abbrevs == MAX_COLUMNS)
		return PERFDATA_EUNSUP;
	for (uint32_t i = 0; i < slot_count; i++) {
		enum perfdata_status status = pd_meter_count(&meter, PD_WORK_KEPT);
		if (status)
			return status;
		const uint32_t number = pd_load32(rows + (size_t)4 * i, swap);
		if (!number || number > row_count)
			continue;
		const uint8_t *row = table + (number - 1) * row_size;
		const uint64_t at = in_column(row, columns.info, swap);
		struct pd_dwarf_unit *unit = pd_dwarf_unit_of(split, at);
		uint64_t known;
		const uint64_t id = pd_load64(ids + (size_t)8 * i, swap);
		if (!unit || unit->offset != at || pd_hash_map_get(&split->by_id, id, &known))
			continue;
		unit->abbrevs_at += in_column(row, columns.abbrevs, swap);
		struct pd_dwarf_split_part *part = &split->parts[unit - split->units];
		part->lines = in_column(row, columns.lines, swap);
		part->str_offsets = in_column(row, columns.str_offsets, swap);
		part->rnglists = in_column(row, columns.rnglists, swap);
		status = add_id(split, id, unit);
		if (status)
			return status;
	}
	return pd_meter_settle(&meter);
}

static enum perfdata_status read_index_section(struct pd_dwarf *split, const struct pd_elf_section *section)
{
	uint8_t *bytes;
	uint64_t size;
	enum perfdata_status status = pd_dwarf_whole_section(split->elf, section, split->work, &bytes, &size);
	if (status)
		return status;
	status = size < 4 ? PERFDATA_EUNSUP : read_index(split, bytes, size);
	pd_free(bytes);
	return status;
}

/* Finds the parts and ids of all units. Call it when the units are known. */
static enum perfdata_status index_parts(struct pd_dwarf *split)
{
	const struct pd_elf_section *index = pd_elf_section(split->elf, ".debug_cu_index");
	const uint64_t memory = split->unit_count * (sizeof *split->parts + 2 * sizeof *split->by_id.slots);
	enum perfdata_status status = pd_work_room(split->work, memory);
	if (status)
		return status;
	split->parts = pd_calloc(split->unit_count + 1, sizeof *split->parts);
	if (!split->parts)
		return PERFDATA_ENOMEM;
	pd_account_take(split->account, PD_USE_SYMBOLS, (size_t)memory);
	split->indexes += (size_t)memory;
	status = index ? read_index_section(split, index) : index_units(split);
	for (size_t i = 0; i < split->unit_count; i++)
		split->units[i].part = &split->parts[i];
	return status;
}

/* --- files -------------------------------------------------------------------------------------------------------- */

struct search {
	struct pd_dwarf *dwarf;            /* file with the skeleton units */
	uint64_t id;
	bool is_package;
	enum perfdata_status status;       /* status of the files tried so far */
	struct pd_dwarf *split;            /* the result */
};

static void log_file(const struct search *search, enum perfdata_symbols_event event, const char *path,
		     const char *reason)
{
	pd_symbols_log(search->dwarf->dso, event, path, reason);
}

static struct pd_dwarf *find_known(const struct pd_dwarf *dwarf, const struct stat *st)
{
	struct pd_dwarf *split = dwarf->splits;
	while (split && (split->device != (uint64_t)st->st_dev || split->inode != (uint64_t)st->st_ino))
		split = split->next;
	return split;
}

static enum perfdata_status open_new(struct search *search, int fd, const char *path, const struct stat *st)
{
	struct pd_dwarf *dwarf = search->dwarf, *split;
	struct pd_elf *elf;
	enum perfdata_status status = pd_elf_open(dwarf->symbols, fd, path, &elf);
	if (status)
		return status;
	/* the bytes of each file add to the work once */
	pd_work_add_bytes(dwarf->work, pd_elf_size(elf));
	status = pd_dwarf_open_split(dwarf, elf, &split);
	if (status)
		return status;
	status = index_parts(split);
	if (status) {
		pd_dwarf_close(split);
		return status;
	}
	split->device = st->st_dev;
	split->inode = st->st_ino;
	split->path = pd_arena_copy(&split->strings, path, strlen(path));
	split->next = dwarf->splits;
	dwarf->splits = split;
	search->split = split;
	return PERFDATA_OK;
}

static bool is_failure(enum perfdata_status status)
{
	return status == PERFDATA_ENOMEM || status == PERFDATA_EREAD || status == PERFDATA_ELIMIT ||
	       status == PERFDATA_EINTR;
}

/* Takes the file at `path` if it has the unit. */
static bool take_split(void *user, const char *path, const char *what)
{
	struct search *search = user;
	struct perfdata_symbols *symbols = search->dwarf->symbols;
	struct stat st;
	uint64_t unit;
	const int fd = pd_symbols_open(symbols, path, PD_REGULAR_STORED);
	if (fd < 0 || pd_fstat(fd, &st)) {
		const int error = errno;
		if (fd >= 0)
			close(fd);
		search->status = pd_symbols_fail(symbols, path, error);
		if (!search->is_package)
			log_file(search, PERFDATA_SYMBOLS_ABSENT, path,
				 error == EINVAL ? "no regular file" : "no such file: no inlined functions");
		return is_failure(search->status);
	}
	search->split = find_known(search->dwarf, &st);
	const bool is_known = search->split != NULL;
	search->status = PERFDATA_OK;
	if (is_known)
		close(fd);
	else
		search->status = open_new(search, fd, path, &st);
	if (search->status == PERFDATA_ELIMIT)
		atomic_store_explicit(&search->dwarf->beyond,
				      pd_arena_copy(&search->dwarf->strings, path, strlen(path)), memory_order_relaxed);
	if (search->status)
		log_file(search, PERFDATA_SYMBOLS_REFUSED, path, "not in the expected format");
	else if (!search->is_package && !pd_hash_map_get(&search->split->by_id, search->id, &unit))
		log_file(search, PERFDATA_SYMBOLS_REFUSED, path, "it is of another build (its DWO id differs)");
	else {
		if (!is_known)
			log_file(search, PERFDATA_SYMBOLS_TAKEN, path, what);
		return true;
	}
	search->split = NULL;
	return is_failure(search->status);
}

void pd_dwarf_refuse_split(struct pd_dwarf *split)
{
	if (!atomic_exchange(&split->failure_is_reported, true))
		pd_symbols_log(split->dso, PERFDATA_SYMBOLS_REFUSED, split->path,
			       "it is damaged, or of a kind that is not known");
}

/* Finds PROGRAM.dwp beside the program, and beside its separate debug file. */
static enum perfdata_status find_package(struct pd_dwarf *dwarf)
{
	const char *const files[] = { pd_symbols_debug_path(dwarf->dso), dwarf->dso->origin.text_file };
	struct search search = { .dwarf = dwarf, .is_package = true };
	for (size_t i = 0; i < 2 && !dwarf->package_tried; i++) {
		char path[MAX_PATH];
		if (!files[i] || (i && files[0] && !strcmp(files[0], files[1])) ||
		    snprintf(path, sizeof path, "%s.dwp", files[i]) >= (int)sizeof path)
			continue;
		dwarf->package_tried = take_split(&search, path, "split debug information");
		if (is_failure(search.status))
			return search.status;
	}
	dwarf->package = search.split;
	dwarf->package_tried = true;
	return PERFDATA_OK;
}

/* Finds the .dwo file: beside the program, or where the compiler wrote it. */
static enum perfdata_status find_dwo(struct pd_dwarf *dwarf, const char *folder, const char *name, uint64_t id,
				     struct pd_dwarf **ret)
{
	const char *what = "split debug information", *from = pd_symbols_debug_path(dwarf->dso);
	const char *slash = from ? strrchr(from, '/') : NULL;
	struct search search = { .dwarf = dwarf, .id = id };
	char path[MAX_PATH];
	if (*name == '/') {
		(void)pd_places_of(dwarf->symbols, name, what, take_split, &search);
	} else {
		const bool fits = slash && snprintf(path, sizeof path, "%.*s/%s", (int)(slash - from), from, name) <
						   (int)sizeof path;
		if ((!fits || !take_split(&search, path, what)) && folder && *folder == '/' &&
		    snprintf(path, sizeof path, "%s/%s", folder, name) < (int)sizeof path)
			(void)pd_places_of(dwarf->symbols, path, what, take_split, &search);
	}
	*ret = search.split;
	return is_failure(search.status) ? search.status : PERFDATA_OK;
}

/* --- the split unit of a skeleton unit ---------------------------------------------------------------------------- */

/* Copies from the skeleton unit what the split unit needs. False: another skeleton unit has the same split unit, which
 * compilers never write. */
static bool join_unit(struct pd_dwarf *split, const struct pd_dwarf_unit *skeleton, struct pd_dwarf_unit *unit)
{
	const struct pd_dwarf_value *values = skeleton->root.values;
	const struct pd_dwarf_die *root = &skeleton->root;
	struct pd_dwarf_split_part *part = &split->parts[unit - split->units];
	const uint64_t addresses = pd_dwarf_has(root, PD_DWARF_ADDR_BASE) ? values[PD_DWARF_ADDR_BASE].number : 0,
		       ranges = pd_dwarf_has(root, PD_DWARF_RANGES_BASE) ? values[PD_DWARF_RANGES_BASE].number : 0;
	if (unit->address_size != skeleton->address_size)
		return false;
	if (part->has_skeleton)
		return part->addr_base == addresses && part->ranges_base == ranges && part->base == skeleton->base;
	part->addr_base = addresses;
	part->ranges_base = ranges;
	part->base = skeleton->base;
	atomic_store_explicit(&part->has_skeleton, true, memory_order_release);
	return true;
}

static enum perfdata_status find_unit(struct pd_dwarf *dwarf, struct pd_dwarf_unit *skeleton, const char *folder,
				      const char *name, uint64_t id)
{
	uint64_t number;
	pd_monitor_enter(dwarf->lock);
	enum perfdata_status status = dwarf->package_tried ? PERFDATA_OK : find_package(dwarf);
	struct pd_dwarf *split = dwarf->package;
	if (!status && (!split || !pd_hash_map_get(&split->by_id, id, &number)))
		status = find_dwo(dwarf, folder, name, id, &split);
	if (!status && split && pd_hash_map_get(&split->by_id, id, &number) &&
	    join_unit(split, skeleton, &split->units[number])) {
		skeleton->split = split;
		skeleton->split_unit = &split->units[number];
	}
	pd_monitor_leave(dwarf->lock);
	return status;
}

enum perfdata_status pd_dwarf_find_split(struct pd_dwarf *dwarf, struct pd_dwarf_unit *unit,
					 struct pd_dwarf **ret_split, struct pd_dwarf_unit **ret_unit)
{
	const struct pd_dwarf_die *root = &unit->root;
	*ret_split = unit->split;
	*ret_unit = unit->split_unit;
	if (unit->split_tried || dwarf->skeletons || !pd_dwarf_has(root, PD_DWARF_DWO_NAME))
		return PERFDATA_OK;
	const uint64_t id = unit->version >= 5			       ? unit->dwo_id
			    : pd_dwarf_has(root, PD_DWARF_DWO_ID) ? root->values[PD_DWARF_DWO_ID].number
								      : 0;
	struct pd_arena scratch = { 0 };
	const char *folder = NULL, *name = NULL;
	enum perfdata_status status = pd_dwarf_string(dwarf, unit, &root->values[PD_DWARF_DWO_NAME], &scratch, &name);
	if (!status && pd_dwarf_has(root, PD_DWARF_COMP_DIR))
		status = pd_dwarf_string(dwarf, unit, &root->values[PD_DWARF_COMP_DIR], &scratch, &folder);
	/* opening a file takes as long as a look-up */
	if (!status)
		status = pd_work_do(dwarf->work, PD_WORK_OF_LOOKUP / 2);
	if (!status && name && id)
		status = find_unit(dwarf, unit, folder, name, id);
	pd_arena_release(&scratch);
	status = status == PERFDATA_EUNSUP || status == PERFDATA_EREAD ? PERFDATA_OK : status;
	unit->split_tried = !status;
	*ret_split = unit->split;
	*ret_unit = unit->split_unit;
	return status;
}
