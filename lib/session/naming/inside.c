/* SPDX-License-Identifier: MIT */
/* Files and symbols that a recording holds itself. The session makes tables of symbols only for files with frames. The
 * tables point to the names in the section, and a name is demangled at its first look-up. */
#include "config.h"
#include <stdlib.h>
#include <string.h>
#include "base/checked.h"
#include "base/memory.h"
#include "base/port.h"
#include "base/search.h"
#include "reader/reader.h"
#include "schema/feature.h"
#include "schema/protobuf_read.h"
#include "session/naming/inside.h"
#include "symbols/symbols.h"

#define NO_OFFSET UINT64_MAX        /* recorded value: the offset is unknown */

static struct perfdata_bytes section_of(const struct perfdata_reader *reader, uint32_t id)
{
	const struct perfdata_feature_section *section = perfdata_reader_feature(reader, id);
	return section && section->feature ? pd_feature_bytes(section->feature) : (struct perfdata_bytes){ NULL, 0 };
}

bool pd_inside_is_simpleperf(const struct perfdata_reader *reader)
{
	for (uint32_t id = PERFDATA_FEATURE_FILE; id < PERFDATA_FEATURE_SIMPLEPERF_LAST; id++)
		if (perfdata_reader_feature(reader, id))
			return true;
	return pd_reader_cmdline_is_simpleperf(reader);
}

/* --- entries ------------------------------------------------------------------------------------------------------ */

static struct perfdata_bytes take_text(struct pd_cursor *c)
{
	const size_t size = strnlen((const char *)c->at, pd_left(c));
	const uint8_t *at = pd_take(c, (uint64_t)size + 1);
	return (struct perfdata_bytes){ at, at ? size : 0 };
}

static void take_offset(struct pd_inside_file *file, uint64_t offset)
{
	file->offset = offset;
	file->has_offset = offset != NO_OFFSET;
}

/* Reads an entry of FILE; of an entry that was cut, the symbols that are left. */
static bool read_entry(struct pd_cursor c, struct pd_inside_file *file)
{
	file->path = take_text(&c);
	file->type = (enum pd_inside_type)pd_u32(&c);
	file->min_vaddr = pd_u64(&c);
	const uint32_t nr = pd_u32(&c);
	if (c.failed || file->type > PD_INSIDE_UNKNOWN)
		return false;
	file->symbols.data = c.at;
	for (; file->nr_recorded < nr; file->nr_recorded++) {
		struct pd_cursor before = c;
		pd_take(&c, 12);
		if (c.failed || !take_text(&c).data) {
			c = before;
			c.failed = true;
			break;
		}
	}
	file->symbols.size = (size_t)(c.at - file->symbols.data);
	if ((file->type == PD_INSIDE_ELF || file->type == PD_INSIDE_MODULE) && !c.failed && pd_left(&c) >= 8)
		take_offset(file, pd_u64(&c));
	return true;
}

/* Reads the offset from a message of FILE2; protobuf omits an offset of 0. */
static uint64_t message_offset(struct perfdata_bytes bytes)
{
	struct pd_cursor c = pd_cursor(bytes.data, bytes.size, false);
	struct pd_protobuf_field field;
	uint64_t offset = 0;

	while (pd_protobuf_next(&c, &field))
		if (field.number == 1 && field.wire == PD_WIRE_VARINT)
			offset = field.value;
	return offset;
}

enum { FILE_PATH = 1, FILE_TYPE, FILE_MIN_VADDR, FILE_SYMBOL, FILE_DEX, FILE_ELF, FILE_MODULE };

/* Reads an entry of FILE2. */
static bool read_message(struct pd_cursor c, struct pd_inside_file *file)
{
	struct pd_protobuf_field field;
	uint64_t type = PD_INSIDE_KERNEL;

	file->is_message = true;
	file->symbols.data = c.at;
	while (pd_protobuf_next(&c, &field)) {
		const bool is_number = field.wire == PD_WIRE_VARINT, is_bytes = field.wire == PD_WIRE_BYTES;
		file->symbols.size = (size_t)(c.at - file->symbols.data);
		if (field.number == FILE_PATH && is_bytes)
			file->path = field.bytes;
		else if (field.number == FILE_TYPE && is_number)
			type = field.value;
		else if (field.number == FILE_MIN_VADDR && is_number)
			file->min_vaddr = field.value;
		else if (field.number == FILE_SYMBOL && is_bytes)
			file->nr_recorded++;
		else if ((field.number == FILE_ELF || field.number == FILE_MODULE) && is_bytes)
			take_offset(file, message_offset(field.bytes));
	}
	file->type = (enum pd_inside_type)type;
	return file->path.data && type <= PD_INSIDE_UNKNOWN;
}

static uint64_t hash_path(const void *path, size_t size) { return pd_hash_bytes(path, size, 11); }

/* Takes the pid from a path that ends with "perf-PID.map". */
static bool pid_of_map(struct perfdata_bytes path, int32_t *ret)
{
	const char *text = (const char *)path.data, *slash = memrchr(text, '/', path.size);
	const char *at = slash ? slash + 1 : text, *end = text + path.size;
	uint64_t pid = 0;

	if (end - at < 10 || memcmp(at, "perf-", 5) != 0 || memcmp(end - 4, ".map", 4) != 0)
		return false;
	for (at += 5; at < end - 4; at++) {
		if (*at < '0' || *at > '9' || pid > INT32_MAX)
			return false;
		pid = 10 * pid + (uint64_t)(*at - '0');
	}
	*ret = (int32_t)pid;
	return pid <= INT32_MAX;
}

static int add_file(struct pd_inside *inside, const struct pd_inside_file *file)
{
	const uint64_t hash = hash_path(file->path.data, file->path.size);
	uint64_t known;
	int32_t pid;

	if (pd_hash_map_get(&inside->by_path, hash, &known))
		return 0;
	const size_t before = inside->room;
	if (pd_vector_grow(&inside->files, &inside->room, inside->nr_files, sizeof *inside->files) < 0)
		return -1;
	pd_inside_take(inside, (inside->room - before) * sizeof *inside->files);
	if (pd_hash_map_put(&inside->by_path, hash, inside->nr_files) < 0)
		return -1;
	if (file->type == PD_INSIDE_SYMBOL_MAP && pid_of_map(file->path, &pid) &&
	    pd_hash_map_put(&inside->by_pid, (uint32_t)pid, inside->nr_files) < 0)
		return -1;
	inside->files[inside->nr_files++] = *file;
	return 0;
}

static int add_files(struct pd_inside *inside, struct perfdata_bytes section, bool swap,
		     bool (*read)(struct pd_cursor, struct pd_inside_file *))
{
	struct pd_cursor c = pd_cursor(section.data, section.size, swap);

	while (pd_left(&c)) {
		const uint32_t stated = pd_u32(&c);
		const size_t size = stated < pd_left(&c) ? stated : pd_left(&c);
		struct pd_inside_file file = { .section = section.data, .swap = swap };
		if (c.failed)
			break;
		if (read(pd_cursor(c.at, size, swap), &file) && add_file(inside, &file) < 0)
			return -1;
		pd_take(&c, size);
	}
	return 0;
}

struct pd_inside *pd_inside_new(const struct perfdata_reader *reader, struct pd_account *account)
{
	const bool swap = pd_order_is_foreign(perfdata_reader_header(reader)->order);
	struct pd_inside *inside = pd_calloc(1, sizeof *inside);
	const struct perfdata_bytes file = section_of(reader, PERFDATA_FEATURE_FILE);
	const struct perfdata_bytes file2 = section_of(reader, PERFDATA_FEATURE_FILE2);
	/* FILE has precedence over FILE2; the first recordings have records instead */
	const struct perfdata_bytes files = file.size || file2.size ? file : pd_reader_symbol_records(reader);

	if (!inside)
		return NULL;
	inside->account = account;
	inside->lock = pd_monitor_new();
	if (!inside->lock || (files.size ? add_files(inside, files, swap, read_entry)
					 : add_files(inside, file2, swap, read_message)) < 0) {
		pd_inside_free(inside);
		return NULL;
	}
	return inside;
}

void pd_inside_free(struct pd_inside *inside)
{
	if (!inside)
		return;
	for (uint32_t i = 0; i < inside->nr_files; i++) {
		pd_free(inside->files[i].items);
		pd_free(inside->files[i].names);
	}
	pd_account_give(inside->account, PD_USE_SYMBOLS, inside->accounted);
	if (inside->kernel) {
		pd_free(inside->kernel->items);
		pd_free(inside->kernel->names);
	}
	pd_free(inside->kernel);
	pd_free(inside->kernel_text);
	pd_free(inside->files);
	pd_hash_map_release(&inside->by_path);
	pd_hash_map_release(&inside->by_pid);
	pd_hash_map_release(&inside->dex_names);
	pd_arena_release(&inside->bytes);
	pd_monitor_free(inside->lock);
	pd_free(inside);
}

struct pd_inside_file *pd_inside_find(const struct pd_inside *inside, const char *path, size_t size)
{
	uint64_t index;

	if (!pd_hash_map_get(&inside->by_path, hash_path(path, size), &index))
		return NULL;
	struct pd_inside_file *file = &inside->files[index];
	return file->path.size == size && !memcmp(file->path.data, path, size) ? file : NULL;
}

struct pd_inside_file *pd_inside_map_of(const struct pd_inside *inside, int32_t pid)
{
	uint64_t index;
	return pd_hash_map_get(&inside->by_pid, (uint32_t)pid, &index) ? &inside->files[index] : NULL;
}

/* --- symbols ------------------------------------------------------------------------------------------------------ */

static void read_symbol(struct perfdata_bytes bytes, const uint8_t *section, struct pd_inside_symbol *ret)
{
	struct pd_cursor c = pd_cursor(bytes.data, bytes.size, false);
	struct pd_protobuf_field field;

	*ret = (struct pd_inside_symbol){ .name = (uint32_t)(bytes.data - section) };
	while (pd_protobuf_next(&c, &field)) {
		if (field.number == 1 && field.wire == PD_WIRE_VARINT) {
			ret->address = field.value;
		} else if (field.number == 2 && field.wire == PD_WIRE_VARINT) {
			ret->length = (uint32_t)field.value;
		} else if (field.number == 3 && field.wire == PD_WIRE_BYTES) {
			ret->name = (uint32_t)(field.bytes.data - section);
			ret->name_size = (uint32_t)strnlen((const char *)field.bytes.data, field.bytes.size);
		}
	}
}

static void read_symbols(struct pd_inside_file *file)
{
	struct pd_cursor c = pd_cursor(file->symbols.data, file->symbols.size, file->swap && !file->is_message);
	struct pd_protobuf_field field;

	if (file->is_message) {
		while (pd_protobuf_next(&c, &field) && file->count < file->nr_recorded)
			if (field.number == FILE_SYMBOL && field.wire == PD_WIRE_BYTES)
				read_symbol(field.bytes, file->section, &file->items[file->count++]);
		return;
	}
	while (file->count < file->nr_recorded) {
		struct pd_inside_symbol *symbol = &file->items[file->count++];
		symbol->address = pd_u64(&c);
		symbol->length = pd_u32(&c);
		const struct perfdata_bytes name = take_text(&c);
		symbol->name = (uint32_t)(name.data - file->section);
		symbol->name_size = (uint32_t)name.size;
	}
}

/* Symbols of the same address keep the order of the file. */
static int by_address(const void *a, const void *b)
{
	const struct pd_inside_symbol *x = a, *y = b;
	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return x->name < y->name ? -1 : x->name > y->name;
}

static void sort_symbols(struct pd_inside_file *file)
{
	bool sorted = true;
	uint32_t kept = 0;

	for (uint32_t i = 1; i < file->count && sorted; i++)
		sorted = by_address(&file->items[i - 1], &file->items[i]) <= 0;
	if (!sorted)
		qsort(file->items, file->count, sizeof *file->items, by_address);
	for (uint32_t i = 0; i < file->count; i++) {
		if (kept && file->items[kept - 1].address == file->items[i].address)
			kept--;
		file->items[kept++] = file->items[i];
	}
	file->count = kept;
}

int pd_inside_open(struct pd_inside *inside, struct pd_inside_file *file)
{
	const size_t size = (size_t)file->nr_recorded * (sizeof *file->items + sizeof *file->names);

	if (file->is_made || !file->nr_recorded)
		return 0;
	file->items = pd_calloc(file->nr_recorded, sizeof *file->items);
	file->names = pd_calloc(file->nr_recorded, sizeof *file->names);
	if (!file->items || !file->names)
		return -1;
	pd_inside_take(inside, size);
	read_symbols(file);
	sort_symbols(file);
	file->is_made = true;
	return pd_account_is_exhausted(inside->account) ? -1 : 0;
}

const struct pd_inside_symbol *pd_inside_symbol_at(const struct pd_inside_file *file, uint64_t address)
{
	size_t low;

	PD_COUNT_BEFORE(low, file->count, at, file->items[at].address <= address);
	if (!low)
		return NULL;
	const struct pd_inside_symbol *symbol = &file->items[low - 1];
	return address - symbol->address < symbol->length ? symbol : NULL;
}

/* --- names -------------------------------------------------------------------------------------------------------- */

#define LINKER_PREFIX "__dl_"
#define LINKER_SHOWN "[linker]"

/* Demangles a name. Names of the dynamic linker's own functions have a prefix before the mangled name. */
static const char *spell_name(struct pd_inside *inside, const char *raw)
{
	bool excess = false;

	if (inside->raw_names)
		return raw;
	if (strncmp(raw, LINKER_PREFIX, strlen(LINKER_PREFIX)) != 0)
		return pd_demangle(&inside->bytes, raw, NULL, &excess);
	const char *name = pd_demangle(&inside->bytes, raw + strlen(LINKER_PREFIX), NULL, &excess);
	const size_t size = name ? strlen(name) : 0;
	char *shown = name ? pd_arena_alloc(&inside->bytes, sizeof LINKER_SHOWN + size) : NULL;
	if (!shown)
		return NULL;
	memcpy(shown, LINKER_SHOWN, sizeof LINKER_SHOWN - 1);
	memcpy(shown + sizeof LINKER_SHOWN - 1, name, size + 1);
	return shown;
}

static const struct pd_inside_name *make_name(struct pd_inside *inside, const struct pd_inside_file *file,
					      const struct pd_inside_symbol *symbol)
{
	struct pd_inside_name *name = pd_arena_alloc(&inside->bytes, sizeof *name);
	const struct perfdata_bytes raw = pd_inside_raw(file, symbol);
	const size_t size = raw.size < PD_SYMBOL_NAME_LIMIT ? raw.size : PD_SYMBOL_NAME_LIMIT;

	if (!name || !(name->raw = pd_arena_copy(&inside->bytes, raw.data, size)))
		return NULL;
	name->shown = spell_name(inside, name->raw);
	if (!name->shown)
		return NULL;
	const size_t taken = sizeof *name + size + strlen(name->shown);
	pd_account_take(inside->account, PD_USE_SYMBOLS, taken);
	inside->accounted += taken;
	return name;
}

const struct pd_inside_name *pd_inside_name(struct pd_inside *inside, struct pd_inside_file *file,
					    const struct pd_inside_symbol *symbol)
{
	_Atomic(const struct pd_inside_name *) *place = &file->names[symbol - file->items];
	const struct pd_inside_name *name = atomic_load_explicit(place, memory_order_acquire);

	if (name)
		return name;
	pd_monitor_enter(inside->lock);
	name = atomic_load_explicit(place, memory_order_relaxed);
	if (!name) {
		name = make_name(inside, file, symbol);
		if (name)
			atomic_store_explicit(place, name, memory_order_release);
		else
			inside->failure = PERFDATA_ENOMEM;
	}
	pd_monitor_leave(inside->lock);
	return name;
}

static bool comes_first(const struct pd_inside_file *a, const struct pd_inside_file *b)
{
	const size_t size = a->path.size < b->path.size ? a->path.size : b->path.size;
	const int order = memcmp(a->path.data, b->path.data, size);
	return order ? order < 0 : a->path.size < b->path.size;
}

static int add_dex_name(struct pd_inside *inside, uint32_t file, uint32_t symbol)
{
	const struct perfdata_bytes name = pd_inside_raw(&inside->files[file], &inside->files[file].items[symbol]);
	const uint64_t hash = pd_hash_bytes(name.data, name.size, 13);
	uint64_t known;

	if (pd_hash_map_get(&inside->dex_names, hash, &known) &&
	    !comes_first(&inside->files[file], &inside->files[known >> 32]))
		return 0;
	return pd_hash_map_put(&inside->dex_names, hash, (uint64_t)file << 32 | symbol);
}

static int make_dex_names(struct pd_inside *inside)
{
	for (uint32_t i = 0; i < inside->nr_files; i++) {
		struct pd_inside_file *file = &inside->files[i];
		if (file->type != PD_INSIDE_DEX)
			continue;
		if (pd_inside_open(inside, file) < 0)
			return -1;
		for (uint32_t k = 0; k < file->count; k++)
			if (add_dex_name(inside, i, k) < 0)
				return -1;
	}
	inside->dex_names_made = true;
	return 0;
}

bool pd_inside_dex_symbol(struct pd_inside *inside, struct perfdata_bytes name, struct pd_inside_file **ret_file,
			  const struct pd_inside_symbol **ret, enum perfdata_status *ret_status)
{
	uint64_t place;

	if (!inside->dex_names_made && make_dex_names(inside) < 0) {
		*ret_status = PERFDATA_ENOMEM;
		return false;
	}
	if (!pd_hash_map_get(&inside->dex_names, pd_hash_bytes(name.data, name.size, 13), &place))
		return false;
	*ret_file = &inside->files[place >> 32];
	*ret = &(*ret_file)->items[place & UINT32_MAX];
	const struct perfdata_bytes found = pd_inside_raw(*ret_file, *ret);
	return found.size == name.size && !memcmp(found.data, name.data, name.size);
}
