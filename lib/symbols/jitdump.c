/* SPDX-License-Identifier: MIT */
/* jitdump files (tools/perf/Documentation/jitdump-specification.txt): code that a JIT compiler announced, with
 * times. */
#include "config.h"
#include <stdlib.h>
#include <string.h>
#include "base/cursor.h"
#include "base/memory.h"
#include "symbols/symbols.h"

#define MAX_FILE ((size_t)1 << 30)
#define MAX_CANDIDATES 4096  /* codes that one look-up looks at */
#define MAGIC 0x4a695444u
#define MAGIC_SWAPPED 0x4454694au

enum { JIT_LOAD = 0, JIT_MOVE = 1, JIT_CLOSE = 3 };

static int add(struct pd_jit *jit, uint64_t start, uint64_t size, uint64_t time, const char *name)
{
	uint64_t end;
	if (__builtin_add_overflow(start, size, &end) || end == start)
		return 0;
	if (pd_vector_grow(&jit->items, &jit->capacity, jit->count, sizeof *jit->items))
		return -1;
	jit->items[jit->count++] =
		(struct pd_jit_code){ .start = start, .end = end, .time = time, .until = UINT64_MAX, .name = name };
	return 0;
}

/* pid, tid, vma, address, size, index, name with NUL, code */
static int read_load(struct pd_jit *jit, struct pd_cursor *c, uint64_t time)
{
	pd_take(c, 16);
	uint64_t address = pd_u64(c), size = pd_u64(c);
	pd_take(c, 8);
	if (c->failed || !memchr(c->at, 0, pd_left(c) < PD_SYMBOL_NAME_LIMIT ? pd_left(c) : PD_SYMBOL_NAME_LIMIT))
		return 0;
	return add(jit, address, size, time, (const char *)c->at);
}

/* pid, tid, vma, old address, new address, size, index: the name is that of the newest code at the old address. The
 * search goes back over few codes only: a file that consists of moves must not take quadratic time. */
static int read_move(struct pd_jit *jit, struct pd_cursor *c, uint64_t time)
{
	pd_take(c, 16);
	uint64_t from = pd_u64(c), to = pd_u64(c), size = pd_u64(c);
	if (c->failed)
		return 0;
	size_t stop = jit->count > MAX_CANDIDATES ? jit->count - MAX_CANDIDATES : 0;
	for (size_t i = jit->count; i-- > stop;) {
		struct pd_jit_code *code = &jit->items[i];
		if (code->start != from || code->until != UINT64_MAX)
			continue;
		code->until = time;
		return add(jit, to, size, time, code->name);
	}
	return 0;
}

static int compare(const void *left, const void *right)
{
	const struct pd_jit_code *a = left, *b = right;
	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return (a->time > b->time) - (a->time < b->time);
}

static int read_records(struct pd_jit *jit, struct pd_cursor *file)
{
	while (pd_left(file) >= 16) {
		uint32_t id = pd_u32(file), size = pd_u32(file);
		uint64_t time = pd_u64(file);
		if (size < 16 || size - 16 > pd_left(file))
			break;
		struct pd_cursor body = pd_cursor(pd_take(file, size - 16), size - 16, file->swap);
		if (id == JIT_CLOSE)
			break;
		if ((id == JIT_LOAD && read_load(jit, &body, time)) || (id == JIT_MOVE && read_move(jit, &body, time)))
			return -1;
	}
	return 0;
}

enum perfdata_status pd_jitdump_load(struct pd_jit *jit, int fd)
{
	size_t size;
	enum perfdata_status status = pd_read_whole(fd, MAX_FILE, &jit->file, &size);
	if (status)
		return status;
	struct pd_cursor file = pd_cursor(jit->file, size, false);
	uint32_t magic = pd_u32(&file);
	if (magic != MAGIC && magic != MAGIC_SWAPPED)
		return PERFDATA_EFORMAT;
	file.swap = magic == MAGIC_SWAPPED;
	pd_take(&file, 4);
	uint32_t header = pd_u32(&file);
	if (header < 40 || !pd_take(&file, header - 12))
		return PERFDATA_EFORMAT;
	if (read_records(jit, &file))
		return PERFDATA_ENOMEM;
	if (!jit->count)
		return PERFDATA_EFORMAT;
	qsort(jit->items, jit->count, sizeof *jit->items, compare);
	uint64_t max_end = 0;
	for (size_t i = 0; i < jit->count; i++) {
		max_end = jit->items[i].end > max_end ? jit->items[i].end : max_end;
		jit->items[i].max_end = max_end;
	}
	return PERFDATA_OK;
}

/* Of the codes that hold the address and existed at the time, the newest. */
const struct pd_jit_code *pd_jit_find(const struct pd_jit *jit, uint64_t address, uint64_t time)
{
	size_t low = 0, high = jit->count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (jit->items[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	const struct pd_jit_code *best = NULL;
	for (size_t i = low, looked = 0; i-- > 0 && jit->items[i].max_end > address && looked < MAX_CANDIDATES;
	     looked++) {
		const struct pd_jit_code *code = &jit->items[i];
		if (address < code->end && code->time <= time && (time < code->until || code->until == UINT64_MAX) &&
		    (!best || code->time > best->time))
			best = code;
	}
	return best;
}

void pd_jit_release(struct pd_jit *jit)
{
	pd_free(jit->items);
	pd_free(jit->file);
	*jit = (struct pd_jit){ 0 };
}
