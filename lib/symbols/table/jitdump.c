/* SPDX-License-Identifier: MIT */
/* jitdump files (tools/perf/Documentation/jitdump-specification.txt): code that a JIT compiler announced, with
 * times. */
#include "config.h"
#include <stdlib.h>
#include <string.h>
#include "base/cursor.h"
#include "base/hash.h"
#include "base/memory.h"
#include "symbols/symbols.h"

#define MAX_FILE ((size_t)1 << 30)
#define MOST_COMPARED 4096   /* codes at one address that a look-up compares */
#define MAGIC 0x4a695444u
#define MAGIC_SWAPPED 0x4454694au

enum { JIT_LOAD = 0, JIT_MOVE = 1, JIT_CLOSE = 3 };

/* Codes as they are read. */
struct reading {
	struct pd_jit *jit;
	struct pd_work *work;        /* or NULL */
	enum perfdata_status status;
	struct pd_hash_map newest;   /* address → number of the code that was put there last */
};

static int add_entry(struct reading *reading, uint64_t start, uint64_t size, uint64_t time, const char *name,
		     const uint8_t *bytes)
{
	struct pd_jit *jit = reading->jit;
	uint64_t end;
	if (__builtin_add_overflow(start, size, &end) || end == start)
		return 0;
	if (reading->work && jit->count == jit->capacity)
		reading->status = pd_work_room(reading->work, 3 * jit->count * sizeof *jit->items);
	if (reading->status || pd_vector_grow(&jit->items, &jit->capacity, jit->count, sizeof *jit->items))
		return -1;
	jit->items[jit->count++] =
		(struct pd_jit_code){ .start = start, .end = end, .time = time, .until = UINT64_MAX, .name = name,
				      .bytes = bytes };
	return pd_hash_map_put(&reading->newest, start, jit->count - 1);
}

/* pid, tid, vma, address, size, index, name with NUL, code */
static int read_load(struct reading *reading, struct pd_cursor *c, uint64_t time)
{
	pd_take(c, 16);
	uint64_t address = pd_u64(c), size = pd_u64(c);
	pd_take(c, 8);
	if (c->failed || !memchr(c->at, 0, pd_left(c) < PD_SYMBOL_NAME_LIMIT ? pd_left(c) : PD_SYMBOL_NAME_LIMIT))
		return 0;
	const size_t name = strlen((const char *)c->at) + 1;
	const uint8_t *bytes = pd_left(c) - name >= size ? c->at + name : NULL;
	return add_entry(reading, address, size, time, (const char *)c->at, bytes);
}

/* pid, tid, vma, old address, new address, size, index: the name comes from the newest code at the old address. */
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
	/* adding may move the list */
	const char *name = code->name;
	const uint8_t *bytes = size <= code->end - code->start ? code->bytes : NULL;
	return add_entry(reading, to, size, time, name, bytes);
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
		/* the process may have made room ahead, which is zeros; but no record is shorter than its header, or
		 * larger than a file may be */
		if ((size < 16 && (id || size || time)) || size > MAX_FILE) {
			reading->jit->is_damaged = true;
			return 0;
		}
		if (!size)
			return 0;
		/* the process was killed while it wrote the last record, or the size is wrong: perf reads no further
		 * either, and says nothing */
		if (size - 16 > pd_left(file)) {
			reading->jit->is_cut = true;
			return 0;
		}
		struct pd_cursor body = pd_cursor(pd_take(file, size - 16), size - 16, file->swap);
		if (id == JIT_CLOSE)
			return 0;
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

/* The sorted codes are a tree: the code in the middle of a range is the parent of both halves. */
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
	return jit->capacity * sizeof *jit->items + jit->file_size;
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
	file.swap = magic == MAGIC_SWAPPED;
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

/* Skips subtrees that begin after the address or end before it. */
static void look_at(struct search *search, size_t first, size_t end)
{
	while (first < end && search->nr < MOST_COMPARED) {
		const size_t middle = first + (end - first) / 2;
		const struct pd_jit_code *code = &search->jit->items[middle];
		if (code->reach <= search->address)
			return;
		if (code->start <= search->address) {
			look_at(search, middle + 1, end);
			compare_code(search, code);
		}
		end = middle;
	}
}

/* Of the codes that hold the address and existed at the time, the newest. */
const struct pd_jit_code *pd_jit_find(const struct pd_jit *jit, uint64_t address, uint64_t time)
{
	struct search search = { .jit = jit, .address = address, .time = time };
	look_at(&search, 0, jit->count);
	return search.best;
}

void pd_jit_release(struct pd_jit *jit)
{
	pd_free(jit->items);
	pd_free(jit->file);
	*jit = (struct pd_jit){ 0 };
}
