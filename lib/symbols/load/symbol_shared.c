/* SPDX-License-Identifier: MIT */
/* A kallsyms text has the symbols of the kernel and all of its modules, so all their dsos share one. */
#include "config.h"
#include <errno.h>
#include <string.h>
#include <unistd.h>
#include "base/memory.h"
#include "symbols/symbols.h"

static struct pd_kallsyms *find_kallsyms(const struct perfdata_symbols *symbols, const char *path)
{
	struct pd_kallsyms *known = symbols->kallsyms;
	while (known && strcmp(known->path, path) != 0)
		known = known->next;
	return known;
}

static void free_kallsyms(struct pd_kallsyms *kallsyms)
{
	pd_kallsyms_release(&kallsyms->table);
	pd_free(kallsyms);
}

static struct pd_kallsyms *read_text(struct perfdata_symbols *symbols, const char *path, int fd)
{
	const size_t size = strlen(path) + 1;
	struct pd_kallsyms *made = pd_calloc(1, sizeof *made + size);
	if (!made)
		return NULL;
	memcpy(made->path, path, size);
	pd_work_init(&made->work, 0, pd_symbols_account(symbols), symbols->options.cancel);
	made->table.work = &made->work;
	made->status = pd_kallsyms_load(&made->table, fd, &made->odd);
	if (made->status == PERFDATA_EREAD)
		(void)pd_symbols_fail(symbols, path, errno);
	if (made->status == PERFDATA_ENOMEM) {
		free_kallsyms(made);
		return NULL;
	}
	made->accounted = pd_kallsyms_memory(&made->table);
	pd_account_take(pd_symbols_account(symbols), PD_USE_SYMBOLS, made->accounted);
	made->next = symbols->kallsyms;
	symbols->kallsyms = made;
	return made;
}

struct pd_kallsyms *pd_kallsyms_get(struct perfdata_symbols *symbols, const char *path, int fd)
{
	pd_monitor_enter(symbols->kallsyms_lock);
	struct pd_kallsyms *kallsyms = find_kallsyms(symbols, path);
	if (!kallsyms)
		kallsyms = read_text(symbols, path, fd);
	pd_monitor_leave(symbols->kallsyms_lock);
	close(fd);
	return kallsyms;
}

void pd_kallsyms_free(struct perfdata_symbols *symbols)
{
	for (struct pd_kallsyms *next; symbols->kallsyms; symbols->kallsyms = next) {
		next = symbols->kallsyms->next;
		pd_account_give(pd_symbols_account(symbols), PD_USE_SYMBOLS, symbols->kallsyms->accounted);
		free_kallsyms(symbols->kallsyms);
	}
}
