/* SPDX-License-Identifier: MIT */
/* A library that is mapped from an archive is a dso of its own, made when its code is first looked up. */
#include "config.h"
#include <string.h>
#include "base/memory.h"
#include "symbols/symbols.h"

/* Call it with the lock of the archive. NULL: no memory, which was noted. */
static struct perfdata_symbols_dso *make_dso(struct perfdata_symbols_dso *dso, const struct pd_archive_entry *entry)
{
	struct perfdata_symbols_request request = dso->request;
	struct perfdata_symbols_dso *made = NULL;
	const size_t size = strlen(request.path), name_size = strlen(entry->name);
	char *path = pd_malloc(size + strlen("!/") + name_size + 1);
	if (!path) {
		(void)pd_symbols_note(dso->symbols, PERFDATA_ENOMEM);
		return NULL;
	}
	memcpy(path, request.path, size);
	memcpy(path + size, "!/", 2);
	memcpy(path + size + 2, entry->name, name_size + 1);
	request.path = path;
	request.build_id_size = 0;
	(void)pd_symbols_note(dso->symbols, pd_dso_new(dso->symbols, &request, &made));
	pd_free(path);
	return made;
}

struct perfdata_symbols_dso *pd_dso_of_entry(struct perfdata_symbols_dso *dso, uint64_t *offset)
{
	pd_dso_wait_files(dso);
	if (!dso->archive)
		return dso;
	struct pd_archive_entry *entry = pd_archive_entry_at(dso->archive, *offset);
	if (!entry)
		return NULL;
	struct perfdata_symbols_dso *found = atomic_load_explicit(&entry->dso, memory_order_acquire);
	if (!found) {
		pd_symbols_lock(dso);
		found = atomic_load_explicit(&entry->dso, memory_order_relaxed);
		if (!found)
			found = make_dso(dso, entry);
		atomic_store_explicit(&entry->dso, found, memory_order_release);
		pd_monitor_leave(dso->lock);
	}
	*offset -= entry->offset;
	return found;
}
