/* SPDX-License-Identifier: MIT */
/* Finds the calls in progress at an address: the function with the code, the functions inlined there, and source
 * positions. The first look-up in a unit indexes its functions and reads its line table; each look-up reads the entries
 * of one function. */
#include "config.h"
#include "symbols/symbols.h"

#include <string.h>
#include "base/memory.h"
#include "symbols/dwarf/dwarf.h"
#include "symbols/dwarf/dwarf_format.h"

#define MAX_SCOPES 256  /* limit of lexical blocks and inlined calls at one address */
#define MAX_DEPTH 256   /* limit of nested namespaces and classes */
#define MAX_ORIGINS 17  /* limit of references from an entry to the entry with its name */
#define NAME_BYTES_OF_STEP 2u   /* bytes of names that one step keeps */
#define MOST_OPEN ((size_t)16 << 20)   /* limit of open units in bytes while all units are walked over */

/* --- functions of a unit ------------------------------------------------------------------------------------------ */

struct indexing {
	const struct pd_dwarf *dwarf;
	struct pd_dwarf_unit *unit;
	struct pd_dwarf_window window;
	struct pd_dwarf_ranges ranges;
	uint64_t at;
};

/* Indexes the functions from the entry at `at` to the end of its siblings. */
static enum perfdata_status index_list(struct indexing *in, unsigned depth)
{
	struct pd_dwarf_die die;
	while (in->at < in->window.limit) {
		enum perfdata_status status = pd_dwarf_read_die(in->dwarf, in->unit, &in->window, in->at, &die);
		if (status)
			return status;
		if (!die.tag) {
			in->at = die.next;
			return PERFDATA_OK;
		}
		if (pd_dwarf_holds_functions(die.tag) && die.has_children && depth < MAX_DEPTH) {
			in->at = die.next;
			status = index_list(in, depth + 1);
		} else {
			status = pd_dwarf_skip_die(in->dwarf, in->unit, &in->window, &die, &in->at);
			if (!status && die.tag == DW_TAG_subprogram)
				status = pd_dwarf_add_ranges(in->dwarf, in->unit, &die, die.offset,
							     (uint32_t)(in->at - die.offset), &in->window.meter,
							     &in->ranges);
		}
		if (status)
			return status;
	}
	return PERFDATA_OK;
}

static enum perfdata_status index_functions(const struct pd_dwarf *dwarf, struct pd_dwarf_unit *unit)
{
	struct indexing in = {
		.dwarf = dwarf, .unit = unit, .window = pd_dwarf_window(dwarf, unit->end), .at = unit->root.next
	};
	enum perfdata_status status = PERFDATA_OK;
	if (unit->has_functions)
		return PERFDATA_OK;
	if (unit->end - unit->offset > UINT32_MAX)
		return PERFDATA_EUNSUP;
	if (unit->root.has_children)
		status = index_list(&in, 0);
	pd_dwarf_close_window(&in.window);
	if (status) {
		pd_free(in.ranges.items);
		return status;
	}
	pd_dwarf_sort_ranges(&in.ranges);
	unit->functions = in.ranges;
	unit->has_functions = true;
	return PERFDATA_OK;
}

/* --- scopes ------------------------------------------------------------------------------------------------------- */

/* A function that contains an address. */
struct scope {
	uint64_t name;      /* offset of the entry with its name, or of an entry that refers to it */
	bool inlined;
	uint32_t call_file, call_line, call_column, call_discriminator;
	uint32_t first_line;   /* line of the declaration; 0: the entry with the name has it */
};

struct scopes {
	struct scope items[MAX_SCOPES];   /* outermost first */
	size_t count, met;
};

static bool has_code(unsigned tag)
{
	return tag == DW_TAG_inlined_subroutine || tag == DW_TAG_lexical_block || tag == DW_TAG_subprogram ||
	       tag == DW_TAG_try_block || tag == DW_TAG_catch_block;
}

static uint32_t slot_number(const struct pd_dwarf_die *die, enum pd_dwarf_slot slot)
{
	if (!pd_dwarf_has(die, slot) || die->values[slot].class != PD_DWARF_CONSTANT ||
	    die->values[slot].number > UINT32_MAX)
		return 0;
	return (uint32_t)die->values[slot].number;
}

/* Returns the reference to the entry with the rest of this one (abstract origin or specification). */
static const struct pd_dwarf_value *origin_of(const struct pd_dwarf_die *die)
{
	if (pd_dwarf_has(die, PD_DWARF_ORIGIN))
		return &die->values[PD_DWARF_ORIGIN];
	return pd_dwarf_has(die, PD_DWARF_SPECIFICATION) ? &die->values[PD_DWARF_SPECIFICATION] : NULL;
}

static void add_scope(struct scopes *scopes, const struct pd_dwarf_die *die)
{
	const uint32_t names = 1u << PD_DWARF_NAME | 1u << PD_DWARF_LINKAGE_NAME | 1u << PD_DWARF_MIPS_NAME;
	const struct pd_dwarf_value *origin = die->present & names ? NULL : origin_of(die);
	scopes->met++;
	if (die->tag != DW_TAG_subprogram && die->tag != DW_TAG_inlined_subroutine)
		return;
	scopes->items[scopes->count++] = (struct scope){
		.name = origin && origin->class == PD_DWARF_REFERENCE ? origin->number : die->offset,
		.inlined = die->tag == DW_TAG_inlined_subroutine,
		.call_file = slot_number(die, PD_DWARF_CALL_FILE),
		.call_line = slot_number(die, PD_DWARF_CALL_LINE),
		.call_column = slot_number(die, PD_DWARF_CALL_COLUMN),
		.call_discriminator = slot_number(die, PD_DWARF_DISCRIMINATOR),
		.first_line = slot_number(die, PD_DWARF_DECL_LINE),
	};
}

/* Finds the first child that contains the address; *ret_found: whether there is one. */
static enum perfdata_status find_child(const struct pd_dwarf *dwarf, const struct pd_dwarf_unit *unit,
				       struct pd_dwarf_window *window, uint64_t vaddr, struct pd_dwarf_die *die,
				       bool *ret_found)
{
	uint64_t at = die->next;
	*ret_found = false;
	while (die->has_children && at < window->limit) {
		struct pd_dwarf_die child;
		bool inside = false;
		enum perfdata_status status = pd_dwarf_read_die(dwarf, unit, window, at, &child);
		if (status || !child.tag)
			return status;
		if (has_code(child.tag))
			status = pd_dwarf_holds(dwarf, unit, &child, vaddr, &window->meter, &inside);
		if (!status && inside) {
			*die = child;
			*ret_found = true;
			return PERFDATA_OK;
		}
		if (!status)
			status = pd_dwarf_skip_die(dwarf, unit, window, &child, &at);
		if (status)
			return status;
	}
	return PERFDATA_OK;
}

static enum perfdata_status find_scopes(const struct pd_dwarf *dwarf, const struct pd_dwarf_unit *unit, uint64_t vaddr,
					struct scopes *scopes)
{
	const struct pd_dwarf_range *range = pd_dwarf_find_range(&unit->functions, vaddr);
	struct pd_dwarf_die die;
	bool deeper = true;
	if (!range)
		return PERFDATA_OK;
	struct pd_dwarf_window window = pd_dwarf_window(dwarf, range->owner + range->extent);
	enum perfdata_status status = pd_dwarf_read_die(dwarf, unit, &window, range->owner, &die);
	while (!status && deeper) {
		add_scope(scopes, &die);
		deeper = false;
		if (scopes->met < MAX_SCOPES)
			status = find_child(dwarf, unit, &window, vaddr, &die, &deeper);
	}
	pd_dwarf_close_window(&window);
	return status;
}

/* --- names -------------------------------------------------------------------------------------------------------- */

static bool find_text(struct pd_dwarf *dwarf, const struct pd_hash_map *texts, uint64_t key, const char **ret)
{
	uint64_t value;
	pd_monitor_enter(dwarf->lock);
	const bool known = pd_hash_map_get(texts, key, &value);
	pd_monitor_leave(dwarf->lock);
	if (known)
		*ret = (const char *)(uintptr_t)value;
	return known;
}

/* Keeps a text. Two threads may add the same one; the first copy stays. */
static enum perfdata_status keep_text(struct pd_dwarf *dwarf, struct pd_hash_map *texts, uint64_t key, const char *text,
				      const char **ret)
{
	uint64_t value = 0;
	pd_monitor_enter(dwarf->lock);
	bool kept = pd_hash_map_get(texts, key, &value);
	enum perfdata_status status = PERFDATA_OK;
	if (!kept) {
		const size_t size = text ? strlen(text) : 0;
		status = pd_work_do(dwarf->work, 1 + size / NAME_BYTES_OF_STEP);
		if (!status)
			status = pd_work_room(dwarf->work, size);
		const char *copy = text && !status ? pd_arena_copy(&dwarf->strings, text, size) : NULL;
		value = (uint64_t)(uintptr_t)copy;
		kept = !status && (copy || !text) && !pd_hash_map_put(texts, key, value);
		const size_t memory = dwarf->strings.total + sizeof *texts->slots * (dwarf->names.capacity +
					dwarf->paths.capacity + dwarf->first_lines.capacity);
		pd_account_change(dwarf->account, PD_USE_SYMBOLS, dwarf->strings_memory, memory);
		dwarf->strings_memory = memory;
	}
	pd_monitor_leave(dwarf->lock);
	*ret = (const char *)(uintptr_t)value;
	return status || kept ? status : PERFDATA_ENOMEM;
}

struct names {
	const char *linkage, *old_linkage, *name;   /* old_linkage: an attribute that compilers for MIPS introduced */
	uint32_t first_line;
};

static enum perfdata_status take_name(const struct pd_dwarf *dwarf, const struct pd_dwarf_unit *unit,
				      const struct pd_dwarf_die *die, enum pd_dwarf_slot slot, struct pd_arena *bytes,
				      const char **name)
{
	if (*name || !pd_dwarf_has(die, slot))
		return PERFDATA_OK;
	return pd_dwarf_string(dwarf, unit, &die->values[slot], bytes, name);
}

/* Takes names from one entry of the chain; *offset becomes the next entry, or UINT64_MAX. */
static enum perfdata_status take_names(struct pd_dwarf *dwarf, uint64_t *offset, struct pd_arena *bytes,
				       struct names *names)
{
	struct pd_dwarf_unit *unit = pd_dwarf_unit_of(dwarf, *offset);
	struct pd_dwarf_die die;
	if (!unit)
		return PERFDATA_EUNSUP;
	enum perfdata_status status = pd_dwarf_enter(dwarf, unit);
	if (!status)
		status = pd_dwarf_fetch_die(dwarf, unit, *offset, &die);
	if (!status)
		status = take_name(dwarf, unit, &die, PD_DWARF_LINKAGE_NAME, bytes, &names->linkage);
	if (!status)
		status = take_name(dwarf, unit, &die, PD_DWARF_MIPS_NAME, bytes, &names->old_linkage);
	if (!status)
		status = take_name(dwarf, unit, &die, PD_DWARF_NAME, bytes, &names->name);
	if (!status && !names->first_line)
		names->first_line = slot_number(&die, PD_DWARF_DECL_LINE);
	pd_dwarf_leave(dwarf, unit);
	if (status)
		return status;
	const struct pd_dwarf_value *origin = origin_of(&die);
	if (origin && origin->class != PD_DWARF_REFERENCE)
		return PERFDATA_EUNSUP;
	*offset = origin ? origin->number : UINT64_MAX;
	return PERFDATA_OK;
}

static uint32_t find_first_line(struct pd_dwarf *dwarf, uint64_t key)
{
	uint64_t line = 0;
	pd_monitor_enter(dwarf->lock);
	pd_hash_map_get(&dwarf->first_lines, key, &line);
	pd_monitor_leave(dwarf->lock);
	return (uint32_t)line;
}

static enum perfdata_status keep_first_line(struct pd_dwarf *dwarf, uint64_t key, uint32_t line)
{
	pd_monitor_enter(dwarf->lock);
	const bool kept = pd_hash_map_put(&dwarf->first_lines, key, line) == 0;
	pd_monitor_leave(dwarf->lock);
	return kept ? PERFDATA_OK : PERFDATA_ENOMEM;
}

/* Look-ups may request a name in both forms. */
static uint64_t key_of_name(uint64_t entry, bool raw_names) { return entry | (uint64_t)raw_names << 63; }

/* Finds the linkage name, which has most details, or else the plain name, as for local classes. Also finds the line of
 * the declaration. */
static enum perfdata_status find_name(struct pd_dwarf *dwarf, bool raw_names, uint64_t entry, const char **ret)
{
	const uint64_t key = key_of_name(entry, raw_names);
	if (find_text(dwarf, &dwarf->names, key, ret))
		return PERFDATA_OK;
	struct pd_arena scratch = { 0 };
	struct names names = { 0 };
	enum perfdata_status status = PERFDATA_OK;
	uint64_t offset = entry;
	bool is_excess = false;
	for (unsigned i = 0; i < MAX_ORIGINS && offset != UINT64_MAX && !(names.linkage && names.first_line) && !status;
	     i++)
		status = take_names(dwarf, &offset, &scratch, &names);
	const char *linker = names.linkage ? names.linkage : names.old_linkage;
	if (linker)
		names.name = raw_names ? linker : pd_demangle(&scratch, linker, dwarf->work, &is_excess);
	if (is_excess && !atomic_exchange(&dwarf->excess_is_reported, true))
		pd_symbols_find_excess(dwarf->dso, dwarf->path ? dwarf->path : pd_symbols_debug_path(dwarf->dso),
				       "a name in its debug information asks for more than its size explains, and "
				       "stays mangled");
	if (linker && !names.name && !status)
		status = pd_demangle_failure() ? pd_demangle_failure() : PERFDATA_ENOMEM;
	if (!status)
		status = keep_first_line(dwarf, key, names.first_line);
	if (!status)
		status = keep_text(dwarf, &dwarf->names, key, names.name, ret);
	pd_arena_release(&scratch);
	return status;
}

static enum perfdata_status find_path(struct pd_dwarf *dwarf, const struct pd_dwarf_unit *unit, uint32_t file,
				      const char **ret)
{
	const uint64_t key = (uint64_t)(unit - dwarf->units) << 32 | file;
	if (find_text(dwarf, &dwarf->paths, key, ret))
		return PERFDATA_OK;
	struct pd_arena scratch = { 0 };
	const char *path = NULL;
	enum perfdata_status status = pd_dwarf_path(dwarf, unit, file, &scratch, &path);
	if (!status)
		status = keep_text(dwarf, &dwarf->paths, key, path, ret);
	pd_arena_release(&scratch);
	return status;
}

/* --- look-up ------------------------------------------------------------------------------------------------------ */

/* The unit whose line table has the files of calls, and that unit's file. */
struct file_table {
	struct pd_dwarf *dwarf;
	struct pd_dwarf_unit *unit;
};

struct found {
	struct scopes scopes;
	struct perfdata_source_line at;   /* source position of the innermost code */
	uint32_t discriminator;           /* discriminator of `at` */
};

/* Finds the source position of the code. */
static enum perfdata_status find_position(struct pd_dwarf *dwarf, struct pd_dwarf_unit *unit, uint64_t vaddr,
					  bool discriminators, struct found *ret)
{
	const struct pd_dwarf_value *at = &unit->root.values[PD_DWARF_STMT_LIST];
	enum perfdata_status status = PERFDATA_OK;
	if (unit->lines && unit->lines->has_discriminators < discriminators) {
		pd_dwarf_give_lines(dwarf, unit->lines);
		unit->lines = NULL;
	}
	if (!unit->lines && pd_dwarf_has(&unit->root, PD_DWARF_STMT_LIST))
		status = at->class == PD_DWARF_OFFSET || at->class == PD_DWARF_CONSTANT
				 ? pd_dwarf_take_lines(dwarf, unit, at->number, discriminators, &unit->lines)
				 : PERFDATA_EUNSUP;
	const struct pd_dwarf_row *row = unit->lines ? pd_dwarf_find_row(unit->lines, vaddr) : NULL;
	if (!row)
		return status;
	ret->at.line = row->line < 0 ? 0 : (uint32_t)row->line;
	ret->at.column = row->column;
	ret->discriminator = pd_dwarf_discriminator_of(unit->lines, row);
	return find_path(dwarf, unit, row->file, &ret->at.file);
}

/* Finds the calls in a unit whose entries describe the code; their files are in the line table of `table`. */
static enum perfdata_status find_calls(struct pd_dwarf *dwarf, struct pd_dwarf_unit *unit, uint64_t vaddr,
				       const struct file_table *table, const struct pd_lines_wish *wish,
				       struct perfdata_source_line *frames, size_t room, struct found *found)
{
	enum perfdata_status status = index_functions(dwarf, unit);
	if (!status)
		status = find_scopes(dwarf, unit, vaddr, &found->scopes);
	/* the call site of an inlined function is in the function around it */
	struct perfdata_source_line at = found->at;
	uint32_t discriminator = found->discriminator;
	for (size_t i = found->scopes.count, frame = 0; i-- > 0 && !status; frame++) {
		const struct scope *scope = &found->scopes.items[i];
		if (frame < room)
			frames[frame] = at;
		if (frame < room && wish->discriminators)
			wish->discriminators[frame] = discriminator;
		if (!scope->inlined)
			break;
		if (!wish->positions)
			continue;
		discriminator = scope->call_discriminator;
		at = (struct perfdata_source_line){ .line = scope->call_line, .column = scope->call_column };
		if (frame + 1 < room)
			status = find_path(table->dwarf, table->unit, scope->call_file, &at.file);
	}
	return status;
}

/* As find_calls in the split unit of a skeleton unit, which may have its own table of files. */
static enum perfdata_status find_split_calls(struct pd_dwarf *split, struct pd_dwarf_unit *unit, uint64_t vaddr,
					     const struct file_table *skeleton, const struct pd_lines_wish *wish,
					     struct perfdata_source_line *frames, size_t room, struct found *found)
{
	const struct file_table own = { split, unit };
	enum perfdata_status status = pd_dwarf_enter(split, unit);
	if (!status && wish->positions && !unit->lines && split->sections[PD_DWARF_LINE].size)
		status = pd_dwarf_take_lines(split, unit, unit->part->lines, false, &unit->lines);
	if (!status)
		status = find_calls(split, unit, vaddr, unit->lines ? &own : skeleton, wish, frames, room, found);
	pd_dwarf_leave(split, unit);
	if (status != PERFDATA_EUNSUP)
		return status;
	pd_dwarf_refuse_split(split);
	/* positions come only from the skeleton unit */
	found->scopes.count = 0;
	return PERFDATA_OK;
}

static enum perfdata_status find_in_unit(struct pd_dwarf **dwarf, struct pd_dwarf_unit *unit, uint64_t vaddr,
					 const struct pd_lines_wish *wish, struct perfdata_source_line *frames,
					 size_t room, struct found *found)
{
	const struct file_table table = { *dwarf, unit };
	struct pd_dwarf_unit *split_unit = NULL;
	struct pd_dwarf *split = NULL;
	enum perfdata_status status =
		wish->positions ? find_position(*dwarf, unit, vaddr, wish->discriminators != NULL, found) : PERFDATA_OK;
	if (!status)
		status = pd_dwarf_find_split(*dwarf, unit, &split, &split_unit);
	if (status)
		return status;
	if (!split)
		return find_calls(*dwarf, unit, vaddr, &table, wish, frames, room, found);
	*dwarf = split;
	return find_split_calls(split, split_unit, vaddr, &table, wish, frames, room, found);
}

enum perfdata_status pd_dwarf_lookup(struct pd_dwarf *dwarf, uint64_t vaddr, const struct pd_lines_wish *wish,
				     struct perfdata_source_line *frames, size_t room, size_t *ret_count)
{
	/* not the items of scopes: 8 KiB of zeros for each look-up would take a fifth of its time */
	struct found found;
	struct pd_dwarf_unit *unit;
	found.scopes.count = found.scopes.met = 0;
	found.at = (struct perfdata_source_line){ 0 };
	found.discriminator = 0;
	pd_work_add_lookup(dwarf->work);
	enum perfdata_status status = pd_dwarf_unit_at(dwarf, vaddr, &unit);
	if (status || !unit)
		return status ? status : PERFDATA_ABSENT;
	status = pd_dwarf_enter(dwarf, unit);
	struct pd_dwarf *named = dwarf;   /* the file whose entries have the names */
	if (!status)
		status = find_in_unit(&named, unit, vaddr, wish, frames, room, &found);
	pd_dwarf_leave(dwarf, unit);
	size_t count = 0;
	bool inlined = true;
	for (size_t i = found.scopes.count; i-- > 0 && inlined && !status; count++) {
		inlined = found.scopes.items[i].inlined;
		if (count >= room)
			continue;
		const struct scope *scope = &found.scopes.items[i];
		frames[count].inlined = inlined;
		status = find_name(named, wish->raw_names, scope->name, &frames[count].function);
		frames[count].first_line = scope->first_line ?
						   scope->first_line :
						   find_first_line(named, key_of_name(scope->name, wish->raw_names));
	}
	if (!count && found.at.file) {
		if (room)
			frames[0] = found.at;
		if (room && wish->discriminators)
			wish->discriminators[0] = found.discriminator;
		count = 1;
	}
	if (status == PERFDATA_ELIMIT && named != dwarf)
		atomic_store_explicit(&dwarf->beyond, named->path, memory_order_relaxed);
	*ret_count = count;
	return status ? status : count ? PERFDATA_OK : PERFDATA_ABSENT;
}

/* --- all functions ------------------------------------------------------------------------------------------------ */

struct unit_functions {
	struct pd_dwarf *named;            /* the file whose entries have the names */
	struct pd_dwarf_range *ranges;
	size_t nr;
};

/* Copies the functions of a unit that was entered, or of its split unit. */
static enum perfdata_status copy_functions(struct pd_dwarf *dwarf, struct pd_dwarf_unit *unit,
					   struct unit_functions *ret)
{
	enum perfdata_status status = index_functions(dwarf, unit);
	const size_t size = unit->functions.count * sizeof *ret->ranges;
	if (status || !size)
		return status;
	status = pd_work_room(dwarf->work, size);
	ret->ranges = status ? NULL : pd_malloc(size);
	if (!ret->ranges)
		return status ? status : PERFDATA_ENOMEM;
	memcpy(ret->ranges, unit->functions.items, size);
	ret->named = dwarf;
	ret->nr = unit->functions.count;
	return PERFDATA_OK;
}

static enum perfdata_status functions_of(struct pd_dwarf *dwarf, struct pd_dwarf_unit *unit,
					 struct unit_functions *ret)
{
	struct pd_dwarf_unit *split_unit = NULL;
	struct pd_dwarf *split = NULL;
	*ret = (struct unit_functions){ .nr = 0 };
	enum perfdata_status status = pd_dwarf_enter(dwarf, unit);
	if (!status)
		status = pd_dwarf_find_split(dwarf, unit, &split, &split_unit);
	if (!status && split) {
		status = pd_dwarf_enter(split, split_unit);
		if (!status)
			status = copy_functions(split, split_unit, ret);
		pd_dwarf_leave(split, split_unit);
	} else if (!status) {
		status = copy_functions(dwarf, unit, ret);
	}
	pd_dwarf_leave(dwarf, unit);
	return status;
}

enum perfdata_status pd_dwarf_walk_functions(struct pd_dwarf *dwarf, pd_take_function *take, void *user)
{
	enum perfdata_status status = PERFDATA_OK;
	bool goes_on = true;
	for (size_t i = 0; i < dwarf->unit_count && !status && goes_on; i++) {
		struct unit_functions functions;
		pd_work_add_lookup(dwarf->work);
		if (dwarf->units_held > MOST_OPEN)
			pd_dwarf_shrink(dwarf, MOST_OPEN / 2);
		status = functions_of(dwarf, &dwarf->units[i], &functions);
		for (size_t f = 0; f < functions.nr && !status && goes_on; f++) {
			const struct pd_dwarf_range *range = &functions.ranges[f];
			const char *name = NULL;
			status = find_name(functions.named, true, range->owner, &name);
			goes_on = status || !name || take(user, name, range->start, range->end);
		}
		pd_free(functions.ranges);
	}
	return status;
}

const char *pd_dwarf_beyond(const struct pd_dwarf *dwarf)
{
	return atomic_load_explicit(&dwarf->beyond, memory_order_relaxed);
}
