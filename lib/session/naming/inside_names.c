/* SPDX-License-Identifier: MIT */
/* Names addresses by the recording's own symbols, by the rules of simpleperf. */
#include "config.h"
#include <string.h>
#include "session/state.h"

static bool ends_with(const char *text, const char *end)
{
	const size_t size = strlen(text), n = strlen(end);
	return size >= n && !strcmp(text + size - n, end);
}

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

static enum pd_code code_of(const struct pd_dso *dso)
{
	const char *path = dso->public.filename, *base = base_of(path);

	if (dso->inside && dso->inside->type == PD_INSIDE_DEX)
		return PD_CODE_DEX;
	if (strstr(path, "_jit_app_cache:") || strstr(path, "_jit_zygote_cache:") ||
	    !strncmp(base, "TemporaryFile-", strlen("TemporaryFile-")))
		return PD_CODE_JIT;
	if (ends_with(path, "/libart.so") || ends_with(path, "/libartd.so"))
		return PD_CODE_ART;
	return strcmp(base, "libc.so") ? PD_CODE_NATIVE : PD_CODE_LIBC;
}

int pd_inside_join(struct pd_state *state, struct pd_dso *dso)
{
	const char *path = dso->public.kind == PERFDATA_DSO_KERNEL ? "[kernel.kallsyms]" : dso->public.filename;

	dso->inside = pd_inside_find(state->inside, path, strlen(path));
	if (!dso->inside && dso->public.kind == PERFDATA_DSO_KERNEL)
		dso->inside = state->inside->kernel;
	dso->code = code_of(dso);
	/* simpleperf shows a module's path as its name */
	if (dso->public.kind == PERFDATA_DSO_MODULE)
		dso->public.name = dso->public.filename;
	if (strstr(path, "_jit_app_cache:"))
		dso->public.name = dso->public.long_name = "[JIT app cache]";
	else if (strstr(path, "_jit_zygote_cache:"))
		dso->public.name = dso->public.long_name = "[JIT zygote cache]";
	return 0;
}

void pd_inside_join_kernel(struct pd_state *state, struct pd_dso *kernel)
{
	if (!kernel->inside)
		__atomic_store_n(&kernel->inside, state->inside->kernel, __ATOMIC_RELEASE);
}

/* Converts a frame's address to the addresses of the recording's symbols; false: not possible. */
static bool inside_address(const struct pd_dso *dso, uint64_t address, uint64_t *ret)
{
	const struct pd_inside_file *file = dso->inside;

	*ret = address;
	if (file->type == PD_INSIDE_ELF && file->has_offset)
		*ret = address - file->offset + file->min_vaddr;
	if (file->type == PD_INSIDE_MODULE)
		*ret = address - dso->start - file->offset + file->min_vaddr;
	/* the address of a module is unknown without its offset */
	return file->type != PD_INSIDE_MODULE || file->has_offset;
}

uint64_t pd_inside_file_address(const struct pd_dso *dso, uint64_t address)
{
	const struct pd_inside_file *file = dso->inside;
	return file && file->type == PD_INSIDE_ELF && !file->has_offset
		       ? address - file->min_vaddr + dso->inside_pgoff : address;
}

const struct pd_inside_symbol *pd_inside_symbol_of(const struct pd_dso *dso, uint64_t address)
{
	const struct pd_inside_file *file = __atomic_load_n(&dso->inside, __ATOMIC_ACQUIRE);
	uint64_t inside;
	return file && file->is_made && inside_address(dso, address, &inside) ? pd_inside_symbol_at(file, inside)
									       : NULL;
}

enum perfdata_status pd_inside_look_up(const struct pd_state *state, const struct pd_dso *dso, uint64_t address,
				       struct perfdata_symbol *ret)
{
	const struct pd_inside_symbol *symbol = pd_inside_symbol_of(dso, address);
	uint64_t inside;

	if (!symbol || !inside_address(dso, address, &inside))
		return PERFDATA_ABSENT;
	const struct pd_inside_name *name = pd_inside_name(state->inside, dso->inside, symbol);
	if (!name)
		return PERFDATA_ENOMEM;
	*ret = (struct perfdata_symbol){
		.name = name->shown, .raw_name = name->raw, .start = address - (inside - symbol->address),
		.size = symbol->length, .offset = inside - symbol->address, .binding = PERFDATA_BIND_GLOBAL,
	};
	return PERFDATA_OK;
}
