/* SPDX-License-Identifier: MIT */
/* Inlined functions and source lines of a dso: from our own DWARF reader, or from libdw for files that it cannot
 * read. */
#include "config.h"
#include "symbols/symbols.h"

#include <string.h>
#include "base/hash.h"
#include "base/memory.h"
#include "symbols/dwarf/dwarf.h"

/* Limit of the memory for open units of all files; above it, the least recently used units are closed, and read again
 * when needed. If memory is short, fewer units stay open, but enough that not every address needs to read its unit
 * again. */
#define ROOM ((size_t)48 << 20)
#define LEAST_ROOM ((size_t)16 << 20)
/* If memory is short, closes handles of libdw that were not used for this many look-ups. The search for such handles
 * takes as long as a look-up, so it is rare. */
#define IDLE_LOOKUPS 4096u

struct pd_lines {
	struct pd_elf *elf;        /* a separate handle, with which libdw keeps what it reads */
	struct pd_dwarf *dwarf;    /* NULL: only libdw can read the file */
	struct pd_work work;       /* work of both readers */
	atomic_bool is_beyond;     /* the file exceeded a limit, and is no longer read */
	/* members protected by the lock of the dso: */
	struct pd_libdw *libdw;    /* opened when needed, closed when memory is short */
	size_t libdw_size;         /* bytes charged to the account for it */
	uint64_t libdw_used;       /* libdw_clock of its last look-up */
	bool excess_is_reported;   /* it was reported that a name stays mangled */
	bool libdw_refused, libdw_work;   /* libdw_work: the supplementary file's size is included in `work` */
	struct pd_intern *texts;   /* texts of libdw's answers, which outlive the handle */
};

/* Reports once that the file exceeds a limit; from then on it has no inlined functions and lines. */
static enum perfdata_status give_up(const struct perfdata_symbols_dso *dso, struct pd_lines *lines)
{
	const char *split = lines->dwarf ? pd_dwarf_beyond(lines->dwarf) : NULL;
	if (!atomic_exchange(&lines->is_beyond, true))
		pd_symbols_find_excess(dso, split ? split : pd_symbols_debug_path(dso),
				       "its debug information asks for more work or memory than its size explains");
	return PERFDATA_ABSENT;
}

/* Call it with the lock of the dso. */
static enum perfdata_status open_lines(struct perfdata_symbols_dso *dso, struct pd_lines **ret)
{
	struct pd_elf *elf = pd_dso_debug_info(dso);
	*ret = NULL;
	if (!elf)
		return PERFDATA_OK;
	struct pd_lines *lines = pd_calloc(1, sizeof *lines);
	if (!lines)
		return PERFDATA_ENOMEM;
	lines->elf = elf;
	pd_work_init(&lines->work, pd_elf_size(elf), pd_symbols_account(dso->symbols), dso->symbols->options.cancel);
	enum perfdata_status status = pd_dwarf_open(elf, dso, &lines->work, &lines->dwarf);
	if (status == PERFDATA_ELIMIT) {
		(void)give_up(dso, lines);
	} else if (status && status != PERFDATA_EUNSUP && status != PERFDATA_ABSENT) {
		pd_free(lines);
		return status;
	}
	*ret = lines;
	return PERFDATA_OK;
}

static void close_libdw(struct pd_lines *lines, struct pd_account *account)
{
	pd_libdw_close(lines->libdw);
	lines->libdw = NULL;
	pd_account_give(account, PD_USE_SYMBOLS, lines->libdw_size);
	lines->libdw_size = 0;
}

void pd_lines_close(struct perfdata_symbols_dso *dso)
{
	struct pd_lines *lines = dso->lines;
	if (!lines)
		return;
	close_libdw(lines, pd_symbols_account(dso->symbols));
	pd_intern_free(lines->texts);
	pd_dwarf_close(lines->dwarf);
	pd_free(lines);
}

static bool were_tried(const struct perfdata_symbols_dso *dso)
{
	return atomic_load_explicit(&dso->lines_tried, memory_order_acquire);
}

/* Call it with the lock of the dso. */
static enum perfdata_status try_lines(struct perfdata_symbols_dso *dso)
{
	const enum perfdata_status status = were_tried(dso) ? PERFDATA_OK : open_lines(dso, &dso->lines);
	atomic_store_explicit(&dso->lines_tried, !status, memory_order_release);
	return status;
}

static enum perfdata_status get_lines(struct perfdata_symbols_dso *dso, struct pd_lines **ret)
{
	enum perfdata_status status = PERFDATA_OK;
	if (!were_tried(dso)) {
		pd_symbols_lock(dso);
		status = try_lines(dso);
		pd_monitor_leave(dso->lock);
	}
	*ret = dso->lines;
	return status;
}

bool pd_lines_load_ahead(struct perfdata_symbols_dso *dso)
{
	if (were_tried(dso) || !pd_monitor_try(dso->lock))
		return false;
	const bool done = !try_lines(dso);
	pd_monitor_leave(dso->lock);
	return done;
}

/* Gives each file an equal part of the memory. */
static void shrink_caches(struct perfdata_symbols *symbols, size_t room)
{
	size_t open = 0;
	struct perfdata_symbols_dso *const first = pd_symbols_first(symbols);
	for (unsigned turn = 0; turn < 2; turn++) {
		for (struct perfdata_symbols_dso *dso = first; dso; dso = dso->next) {
			if (!were_tried(dso) || !dso->lines || !dso->lines->dwarf)
				continue;
			if (turn)
				pd_dwarf_shrink(dso->lines->dwarf, room / open);
			else
				open++;
		}
	}
}

static void make_room(struct perfdata_symbols *symbols)
{
	const size_t held = symbols->units_memory;
	if (held > ROOM)
		shrink_caches(symbols, ROOM / 2);
	else if (held > LEAST_ROOM && pd_account_is_over(pd_symbols_account(symbols)))
		shrink_caches(symbols, LEAST_ROOM / 2);
}

/* Skips a dso that another thread has locked, since the thread may use the handle. */
static void close_idle(struct perfdata_symbols *symbols, uint64_t now)
{
	for (struct perfdata_symbols_dso *dso = pd_symbols_first(symbols); dso; dso = dso->next) {
		if (!were_tried(dso) || !dso->lines || !pd_monitor_try(dso->lock))
			continue;
		if (dso->lines->libdw && now - dso->lines->libdw_used >= IDLE_LOOKUPS)
			close_libdw(dso->lines, pd_symbols_account(symbols));
		pd_monitor_leave(dso->lock);
	}
}

/* Returns a permanent copy of the text; NULL: no memory. */
static const char *keep_text(struct pd_intern *texts, const char *text)
{
	const uint32_t id = pd_intern_put(texts, text, strlen(text));
	return id == UINT32_MAX ? NULL : pd_intern_get(texts, id, NULL);
}

static enum perfdata_status keep_texts(struct pd_lines *lines, struct perfdata_source_line *frames, size_t count)
{
	if (!lines->texts && !(lines->texts = pd_intern_new()))
		return PERFDATA_ENOMEM;
	for (size_t i = 0; i < count; i++) {
		struct perfdata_source_line *frame = &frames[i];
		if ((frame->function && !(frame->function = keep_text(lines->texts, frame->function))) ||
		    (frame->file && !(frame->file = keep_text(lines->texts, frame->file))))
			return PERFDATA_ENOMEM;
	}
	return PERFDATA_OK;
}

/* Call it with the lock of the dso. PERFDATA_ABSENT: libdw cannot read the file. */
static enum perfdata_status open_libdw(struct perfdata_symbols_dso *dso, struct pd_lines *lines)
{
	if (lines->libdw || lines->libdw_refused)
		return lines->libdw ? PERFDATA_OK : PERFDATA_ABSENT;
	const struct pd_elf *alt = pd_dso_find_alt(dso);
	if (alt && !lines->libdw_work)
		pd_work_add_bytes(&lines->work, pd_elf_size(alt));
	lines->libdw_work = true;
	(void)pd_libdw_load(dso->symbols);
	const enum perfdata_status status = pd_libdw_open(lines->elf, alt, &lines->work, &lines->libdw);
	lines->libdw_refused = status == PERFDATA_EUNSUP || status == PERFDATA_ABSENT;
	if (status == PERFDATA_EUNSUP)
		pd_symbols_log(dso, PERFDATA_SYMBOLS_REFUSED, dso->request.path,
			       "its debug information is damaged");
	if (status == PERFDATA_ABSENT && pd_libdw_load(dso->symbols) == PERFDATA_ABSENT)
		pd_symbols_log(dso, PERFDATA_SYMBOLS_REFUSED, dso->request.path,
			       "libdw, which reads debug information of this form, is not installed");
	if (status)
		return status == PERFDATA_EUNSUP ? PERFDATA_ABSENT : status;
	lines->libdw_size = pd_libdw_size(lines->libdw);
	pd_account_take(pd_symbols_account(dso->symbols), PD_USE_SYMBOLS, lines->libdw_size);
	return PERFDATA_OK;
}

static enum perfdata_status ask_libdw(struct perfdata_symbols_dso *dso, struct pd_lines *lines, uint64_t vaddr,
				      const struct pd_lines_wish *wish, struct perfdata_source_line *frames,
				      size_t room, size_t *ret_count)
{
	struct perfdata_symbols *symbols = dso->symbols;
	const uint64_t now = atomic_fetch_add_explicit(&symbols->libdw_clock, 1, memory_order_relaxed);
	if (!(now % (IDLE_LOOKUPS / 4)) && pd_account_is_over(pd_symbols_account(symbols)))
		close_idle(symbols, now);
	pd_monitor_enter(dso->lock);
	enum perfdata_status status = open_libdw(dso, lines);
	if (!status) {
		lines->libdw_used = now;
		status = pd_libdw_lookup(lines->libdw, vaddr, wish, frames, room, ret_count);
	}
	if (!status && pd_libdw_has_excess(lines->libdw) && !lines->excess_is_reported) {
		lines->excess_is_reported = true;
		pd_symbols_find_excess(dso, pd_symbols_debug_path(dso),
				       "a name in its debug information asks for more than its size explains, and "
				       "stays mangled");
	}
	if (!status)
		status = keep_texts(lines, frames, *ret_count < room ? *ret_count : room);
	pd_monitor_leave(dso->lock);
	return status;
}

enum perfdata_status pd_lines_find(struct perfdata_symbols_dso *dso, uint64_t vaddr, const struct pd_lines_wish *wish,
				   struct perfdata_source_line *frames, size_t room, size_t *ret_count)
{
	struct pd_lines *lines;
	enum perfdata_status status = get_lines(dso, &lines);
	if (status || !lines || atomic_load_explicit(&lines->is_beyond, memory_order_relaxed))
		return status ? status : PERFDATA_ABSENT;
	status = PERFDATA_EUNSUP;
	if (lines->dwarf) {
		make_room(dso->symbols);
		status = pd_dwarf_lookup(lines->dwarf, vaddr, wish, frames, room, ret_count);
	}
	if (status == PERFDATA_EUNSUP)
		status = ask_libdw(dso, lines, vaddr, wish, frames, room, ret_count);
	return status == PERFDATA_ELIMIT ? give_up(dso, lines) : status;
}

enum perfdata_status pd_lines_walk_functions(struct perfdata_symbols_dso *dso, pd_take_function *take, void *user)
{
	struct pd_lines *lines;
	enum perfdata_status status = get_lines(dso, &lines);
	if (status || !lines || atomic_load_explicit(&lines->is_beyond, memory_order_relaxed))
		return status ? status : PERFDATA_ABSENT;
	status = lines->dwarf ? pd_dwarf_walk_functions(lines->dwarf, take, user) : PERFDATA_EUNSUP;
	return status == PERFDATA_ELIMIT ? give_up(dso, lines) : status;
}
