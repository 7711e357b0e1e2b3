/* SPDX-License-Identifier: MIT */
/* Makes dsos. Their files are loaded at the first look-up. */
#include "config.h"
#include <string.h>
#include "base/memory.h"
#include "symbols/answers/symbol_answers.h"
#include "symbols/symbols.h"

int pd_copy_text(struct pd_arena *arena, const char **text)
{
	if (!*text)
		return 0;
	*text = pd_arena_copy(arena, *text, strlen(*text));
	return *text ? 0 : -1;
}

/* Other paths are only of use with a build-id, which proves that the file there is the recorded one. */
static int copy_other_paths(struct perfdata_symbols_dso *dso)
{
	struct perfdata_symbols_request *r = &dso->request;
	const size_t nr = r->build_id_size && r->other_paths ? r->nr_other_paths : 0;
	const char **copies = nr ? pd_arena_calloc(&dso->bytes, nr, sizeof *copies) : NULL;
	if (nr && !copies)
		return -1;
	for (size_t i = 0; i < nr; i++) {
		copies[i] = r->other_paths[i];
		if (pd_copy_text(&dso->bytes, &copies[i]))
			return -1;
	}
	r->other_paths = copies;
	r->nr_other_paths = nr;
	return 0;
}

static int copy_request(struct perfdata_symbols_dso *dso, const struct perfdata_symbols_request *request)
{
	struct perfdata_symbols_request *r = &dso->request;
	*r = *request;
	r->unchanged_since = r->unchanged_since ? r->unchanged_since : INT64_MAX;
	r->not_before = r->not_before ? r->not_before : INT64_MIN;
	if (r->build_id_size > PERFDATA_BUILD_ID_MAX || !r->build_id)
		r->build_id_size = 0;
	/* the recorder pads a short build-id with zeros; a build-id of zeros is absent */
	size_t zeros = 0;
	while (zeros < r->build_id_size && !r->build_id[zeros])
		zeros++;
	if (zeros == r->build_id_size)
		r->build_id_size = 0;
	r->build_id = r->build_id_size ? (const uint8_t *)pd_arena_copy(&dso->bytes, r->build_id, r->build_id_size)
				       : NULL;
	if (r->build_id_size && !r->build_id)
		return -1;
	return copy_other_paths(dso) || pd_copy_text(&dso->bytes, &r->path) || pd_copy_text(&dso->bytes, &r->release) ||
	       pd_copy_text(&dso->bytes, &r->reference);
}

/* Undoes pd_dso_new. */
static void drop_new(struct perfdata_symbols_dso *dso)
{
	pd_asked_free(dso->asked);
	pd_arena_release(&dso->bytes);
	pd_monitor_free(dso->lock);
	pd_monitor_free(dso->names_lock);
	pd_free(dso);
}

enum perfdata_status pd_dso_new(struct perfdata_symbols *symbols, const struct perfdata_symbols_request *request,
				struct perfdata_symbols_dso **ret)
{
	struct perfdata_symbols_dso *dso = pd_calloc(1, sizeof *dso);
	if (!dso)
		return PERFDATA_ENOMEM;
	dso->symbols = symbols;
	dso->lock = pd_monitor_new();
	dso->names_lock = pd_monitor_new();
	dso->asked = symbols->options.note_addresses ? pd_asked_new() : NULL;
	if (!dso->lock || !dso->names_lock || (symbols->options.note_addresses && !dso->asked) ||
	    copy_request(dso, request)) {
		drop_new(dso);
		return PERFDATA_ENOMEM;
	}
	const bool is_elf = request->kind == PERFDATA_DSO_USER || request->kind == PERFDATA_DSO_VDSO;
	dso->table.mangled = is_elf && !symbols->options.raw_names;
	pd_work_init(&dso->work, 0, pd_symbols_account(symbols), symbols->options.cancel);
	dso->table.work = &dso->work;
	pd_monitor_enter(symbols->lock);
	dso->next = symbols->dsos;
	symbols->dsos = dso;
	pd_monitor_leave(symbols->lock);
	*ret = dso;
	return PERFDATA_OK;
}
