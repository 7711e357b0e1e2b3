/* SPDX-License-Identifier: MIT */
/* Reads jitdump files (tools/perf/Documentation/jitdump-specification.txt): the code that a JIT compiler announced,
 * with times. */
#include "config.h"
#include <stdlib.h>
#include <string.h>
#include "base/cursor.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/search.h"
#include "symbols/symbols.h"

#define MAX_FILE ((size_t)1 << 30)
#define MOST_COMPARED 4096   /* limit of codes at one address that a look-up compares */
#define ELF_HEADER 0x40      /* bytes of an ELF header */
#define MAGIC 0x4a695444u
#define MAGIC_SWAPPED 0x4454694au

enum { JIT_LOAD = 0, JIT_MOVE = 1, JIT_LINES = 2, JIT_CLOSE = 3, JIT_UNWINDING = 4 };

/* The name that addr2line prints for an unreadable file name. */
static const char unknown_file[] = "??";

/* The state of reading a file. */
struct reading {
	struct pd_jit *jit;
	struct pd_work *work;        /* NULL: no limit */
	enum perfdata_status status;
	struct pd_hash_map newest;   /* address → number of the newest code at it */
	/* entries of the last line record, which describes a later code; at NULL: none */
	struct pd_cursor lines;
	uint64_t lines_start;        /* address of that code */
	struct perfdata_bytes frames;   /* .eh_frame of the next code; at NULL: none */
};

/* Adds a code of `size` bytes; *ret_number is its number. 1: the code is impossible; -1: failed. */
static int add_code(struct reading *reading, const struct pd_jit_code *code, uint64_t size, size_t *ret_number)
{
	struct pd_jit *jit = reading->jit;
	uint64_t end;
	if (__builtin_add_overflow(code->start, size, &end) || end == code->start)
		return 1;
	if (reading->work && jit->count == jit->capacity)
		reading->status = pd_work_room(reading->work, 3 * jit->count * sizeof *jit->items);
	if (reading->status || pd_vector_grow(&jit->items, &jit->capacity, jit->count, sizeof *jit->items))
		return -1;
	*ret_number = jit->count;
	jit->items[jit->count] = *code;
	jit->items[jit->count].end = end;
	jit->items[jit->count].until = UINT64_MAX;
	return pd_hash_map_put(&reading->newest, code->start, jit->count++);
}

/* --- lines -------------------------------------------------------------------------------------------------------- */

/* Whether an entry of this code may begin at the cursor. */
static bool is_line(const struct reading *reading, const struct pd_jit_code *code, struct pd_cursor c)
{
	const uint64_t offset = pd_u64(&c) - reading->lines_start;
	return !c.failed && offset <= code->end - code->start + ELF_HEADER;
}

/* Reads an entry: address, line, discriminator, and a file name with NUL, where 0xff means the previous name. False:
 * not an entry. node 20 overwrites the first bytes of names, even with zeros, so an entry ends where the next one
 * begins. */
static bool take_line(const struct reading *reading, const struct pd_jit_code *code, struct pd_cursor *c,
		      struct pd_jit_line *line)
{
	if (!is_line(reading, code, *c))
		return false;
	line->offset = pd_u64(c) - reading->lines_start;
	line->line = pd_u32(c);
	line->number++;
	pd_take(c, 4);
	const uint8_t *name = c->at, *end = c->failed ? NULL : memchr(name, 0, pd_left(c));
	if (!end)
		return false;
	const size_t size = (size_t)(end - name);
	pd_take(c, size + 1);
	if (size == 1 && *name == 0xff)
		return true;
	bool is_text = size && size < PD_SYMBOL_NAME_LIMIT;
	while (pd_left(c) && !is_line(reading, code, *c)) {
		is_text = false;
		pd_take(c, 1);
	}
	for (size_t i = 0; is_text && i < size; i++)
		is_text = name[i] >= ' ';
	line->file = is_text ? (const char *)name : unknown_file;
	return true;
}

static int compare_lines(const void *left, const void *right)
{
	const struct pd_jit_line *a = left, *b = right;
	if (a->offset != b->offset)
		return a->offset < b->offset ? -1 : 1;
	return (a->number > b->number) - (a->number < b->number);
}

/* Takes the entries of the last line record. V8 and LLVM write addresses in the ELF file that perf inject makes, where
 * a header precedes the code; others write addresses of the code. */
static int add_lines(struct reading *reading, struct pd_jit_code *code)
{
	struct pd_jit *jit = reading->jit;
	struct pd_cursor c = reading->lines;
	struct pd_jit_line line = { .file = unknown_file };
	uint64_t shift = 0;
	code->first_line = jit->nr_lines;
	while (take_line(reading, code, &c, &line)) {
		if (line.number == 1 && line.offset == ELF_HEADER)
			shift = ELF_HEADER;
		if (line.offset < shift)
			continue;
		if (reading->work && jit->nr_lines == jit->lines_room)
			reading->status = pd_work_room(reading->work, 3 * jit->nr_lines * sizeof *jit->lines);
		if (reading->status ||
		    pd_vector_grow(&jit->lines, &jit->lines_room, jit->nr_lines, sizeof *jit->lines) < 0)
			return -1;
		jit->lines[jit->nr_lines] = line;
		jit->lines[jit->nr_lines++].offset -= shift;
	}
	code->nr_lines = jit->nr_lines - code->first_line;
	if (code->nr_lines)
		qsort(&jit->lines[code->first_line], code->nr_lines, sizeof *jit->lines, compare_lines);
	return 0;
}

bool pd_jit_find_line(const struct pd_jit *jit, const struct pd_jit_code *code, uint64_t address,
		      struct perfdata_source_line *ret)
{
	const struct pd_jit_line *lines = jit->lines + code->first_line;
	size_t low;
	PD_COUNT_BEFORE(low, code->nr_lines, at, lines[at].offset <= address - code->start);
	if (low)
		*ret = (struct perfdata_source_line){
			.function = code->name, .file = lines[low - 1].file, .line = lines[low - 1].line
		};
	return low;
}

/* --- codes -------------------------------------------------------------------------------------------------------- */

/* Reads three sizes (of the data after these words, of .eh_frame_hdr, of what a profiler has to map), then .eh_frame
 * and .eh_frame_hdr. */
static void read_unwinding(struct reading *reading, struct pd_cursor *c)
{
	const uint64_t size = pd_u64(c), index_size = pd_u64(c);
	pd_take(c, 8);
	if (!c->failed && size <= pd_left(c) && index_size <= size && size <= UINT32_MAX)
		reading->frames = (struct perfdata_bytes){ c->at, (size_t)(size - index_size) };
}

/* Reads pid, tid, vma, address, size, index, name with NUL, code. */
static int read_load(struct reading *reading, struct pd_cursor *c, uint64_t time)
{
	pd_take(c, 16);
	uint64_t address = pd_u64(c), size = pd_u64(c);
	pd_take(c, 8);
	if (c->failed || !memchr(c->at, 0, pd_left(c) < PD_SYMBOL_NAME_LIMIT ? pd_left(c) : PD_SYMBOL_NAME_LIMIT))
		return 0;
	const size_t name = strlen((const char *)c->at) + 1;
	const struct pd_jit_code code = {
		.start = address, .time = time, .name = (const char *)c->at,
		.bytes = pd_left(c) - name >= size ? c->at + name : NULL,
		.frames = reading->frames.data, .frames_size = (uint32_t)reading->frames.size,
	};
	size_t number;
	int failed = add_code(reading, &code, size, &number);
	if (!failed && reading->lines.at && reading->lines_start == address)
		failed = add_lines(reading, &reading->jit->items[number]);
	reading->lines = (struct pd_cursor){ 0 };
	reading->frames = (struct perfdata_bytes){ 0 };
	return failed < 0 ? -1 : 0;
}

/* Reads address of the code, number of entries, entries. */
static void read_lines(struct reading *reading, const struct pd_cursor *record)
{
	struct pd_cursor c = *record;
	reading->lines_start = pd_u64(&c);
	pd_take(&c, 8);
	reading->lines = c.failed ? (struct pd_cursor){ 0 } : c;
}

/* Reads pid, tid, vma, old address, new address, size, index. The code gets the name of the newest code at the old
 * address. */
static int read_move(struct reading *reading, struct pd_cursor *c, uint64_t time)
{
	pd_take(c, 16);
	uint64_t from = pd_u64(c), to = pd_u64(c), size = pd_u64(c);
	if (c->failed)
		return 0;
	uint64_t number;
	if (!pd_hash_map_get(&reading->newest, from, &number))
		return 0;
	struct pd_jit_code *code = &reading->jit->items[number];
	code->until = time;
	(void)pd_hash_map_remove(&reading->newest, from);
	struct pd_jit_code moved = *code;   /* a copy, since adding may move the list */
	const uint64_t old_size = moved.end - moved.start;
	moved.start = to;
	moved.time = time;
	if (size > old_size)
		moved.bytes = NULL;
	if (size != old_size)
		moved.frames = NULL;
	return add_code(reading, &moved, size, &(size_t){ 0 }) < 0 ? -1 : 0;
}

static int compare_entries(const void *left, const void *right)
{
	const struct pd_jit_code *a = left, *b = right;
	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return (a->time > b->time) - (a->time < b->time);
}

static int read_records(struct reading *reading, struct pd_cursor *file)
{
	struct pd_meter meter = pd_meter(reading->work);
	while (pd_left(file) >= 16) {
		reading->status = reading->work ? pd_meter_count(&meter, 1) : PERFDATA_OK;
		if (reading->status)
			return -1;
		uint32_t id = pd_u32(file), size = pd_u32(file);
		uint64_t time = pd_u64(file);
		/* the process may have reserved room, which is zeros; but no record is smaller than its header, or
		 * larger than a file may be */
		if ((size < 16 && (id || size || time)) || size > MAX_FILE) {
			reading->jit->is_damaged = true;
			return 0;
		}
		if (!size)
			return 0;
		/* the process was killed while it wrote the last record, or the size is wrong; perf stops here too,
		 * silently */
		if (size - 16 > pd_left(file)) {
			reading->jit->is_cut = true;
			return 0;
		}
		struct pd_cursor body = pd_cursor(pd_take(file, size - 16), size - 16, file->swap);
		if (id == JIT_CLOSE)
			return 0;
		if (id == JIT_UNWINDING)
			read_unwinding(reading, &body);
		if (id == JIT_LINES)
			read_lines(reading, &body);
		if ((id == JIT_LOAD && read_load(reading, &body, time)) ||
		    (id == JIT_MOVE && read_move(reading, &body, time)))
			return -1;
	}
	for (const uint8_t *at = file->at; pd_left(file); at = file->at) {
		reading->jit->is_cut |= *at != 0;
		pd_take(file, 1);
	}
	return 0;
}

/* Sets `reach`. The sorted codes are a tree: the code in the middle of a range is the parent of both halves. */
static uint64_t set_reach(struct pd_jit_code *items, size_t first, size_t end)
{
	if (first >= end)
		return 0;
	const size_t middle = first + (end - first) / 2;
	const uint64_t left = set_reach(items, first, middle), right = set_reach(items, middle + 1, end);
	uint64_t reach = items[middle].end > left ? items[middle].end : left;
	reach = reach > right ? reach : right;
	return items[middle].reach = reach;
}

size_t pd_jit_memory(const struct pd_jit *jit)
{
	return jit->capacity * sizeof *jit->items + jit->lines_room * sizeof *jit->lines + jit->file_size;
}

enum perfdata_status pd_jitdump_load(struct pd_jit *jit, struct pd_work *work, int fd)
{
	size_t size;
	enum perfdata_status status = pd_read_within(work, fd, MAX_FILE, &jit->file, &size);
	if (status)
		return status;
	jit->file_size = size;
	if (work)
		pd_work_add_bytes(work, size);
	struct pd_cursor file = pd_cursor(jit->file, size, false);
	uint32_t magic = pd_u32(&file);
	if (magic != MAGIC && magic != MAGIC_SWAPPED)
		return PERFDATA_EFORMAT;
	file.swap = jit->swap = magic == MAGIC_SWAPPED;
	pd_take(&file, 4);
	uint32_t header = pd_u32(&file);
	jit->machine = pd_u32(&file);
	if (header < 40 || !pd_take(&file, header - 16))
		return PERFDATA_EFORMAT;
	struct reading reading = { .jit = jit, .work = work };
	const int failed = read_records(&reading, &file);
	pd_hash_map_release(&reading.newest);
	if (failed)
		return reading.status ? reading.status : PERFDATA_ENOMEM;
	if (!jit->count)
		return PERFDATA_EFORMAT;
	pd_jit_sort(jit);
	return PERFDATA_OK;
}

void pd_jit_sort(struct pd_jit *jit)
{
	if (jit->count)
		qsort(jit->items, jit->count, sizeof *jit->items, compare_entries);
	(void)set_reach(jit->items, 0, jit->count);
}

struct perfdata_symbol pd_jit_symbol(const struct pd_jit_code *code, uint64_t address)
{
	return (struct perfdata_symbol){
		.name = code->name,
		.raw_name = code->name,
		.start = code->start,
		.size = code->end - code->start,
		.offset = address - code->start,
		.binding = PERFDATA_BIND_GLOBAL,
		.time = code->time,
	};
}

struct search {
	const struct pd_jit *jit;
	uint64_t address, time;
	unsigned nr;
	const struct pd_jit_code *best;
};

static void compare_code(struct search *search, const struct pd_jit_code *code)
{
	if (search->address >= code->end)
		return;
	search->nr++;
	if (code->time <= search->time && (search->time < code->until || code->until == UINT64_MAX) &&
	    (!search->best || code->time > search->best->time))
		search->best = code;
}

/* Searches a subtree, unless it begins after the address or ends before it. */
static void search_subtree(struct search *search, size_t first, size_t end)
{
	while (first < end && search->nr < MOST_COMPARED) {
		const size_t middle = first + (end - first) / 2;
		const struct pd_jit_code *code = &search->jit->items[middle];
		if (code->reach <= search->address)
			return;
		if (code->start <= search->address) {
			search_subtree(search, middle + 1, end);
			compare_code(search, code);
		}
		end = middle;
	}
}

/* Returns the newest code that contained the address at the time. */
const struct pd_jit_code *pd_jit_find(const struct pd_jit *jit, uint64_t address, uint64_t time)
{
	struct search search = { .jit = jit, .address = address, .time = time };
	search_subtree(&search, 0, jit->count);
	return search.best;
}

void pd_jit_release(struct pd_jit *jit)
{
	pd_free(jit->items);
	pd_free(jit->lines);
	pd_free(jit->file);
	*jit = (struct pd_jit){ 0 };
}
