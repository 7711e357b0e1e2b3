/* SPDX-License-Identifier: MIT */
/* Code of the kernel and its modules from memory: `kcore`, an ELF file of memory, with `kallsyms` and `modules` in the
 * same directory. perf writes these three files into a recording's directory (perf record --kcore) and into its
 * build-id cache (perf buildid-cache --kcore). kcore has no build-id. It fits the kernel if the directory belongs to
 * the recording or has the build-id as its name, and if kallsyms has the kernel at the recorded address. */
#include "config.h"
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/digit.h"
#include "base/memory.h"
#include "symbols/symbols.h"
#include "symbols/elf/symbol_elf.h"

#define MOST_COPIES 64       /* limit of copies of a kernel in the cache, which has one for each boot */

static int open_part(struct perfdata_symbols *symbols, const char *folder, const char *name, char path[PD_ROOTED_PATH])
{
	if (snprintf(path, PD_ROOTED_PATH, "%s/%s", folder, name) >= PD_ROOTED_PATH)
		return -1;
	const int fd = pd_symbols_open(symbols, path, PD_REGULAR_STORED);
	if (fd < 0)
		(void)pd_symbols_fail(symbols, path, errno);
	return fd;
}

/* Whether kallsyms in the directory has the kernel's reference symbol at the recorded address: KASLR loads a kernel
 * elsewhere at each boot. */
static bool is_of_boot(struct perfdata_symbols_dso *kernel, const char *folder)
{
	char path[PD_ROOTED_PATH];
	const uint64_t recorded = kernel->request.reference_address;
	const int fd = recorded ? open_part(kernel->symbols, folder, "kallsyms", path) : -1;
	if (fd < 0)
		return false;
	const struct pd_kallsyms *text = pd_kallsyms_get(kernel->symbols, path, fd);
	if (!text) {
		(void)pd_symbols_note(kernel->symbols, PERFDATA_ENOMEM);
		return false;
	}
	const bool is_same = text->status == PERFDATA_OK &&
			     (text->table.text_start[0] == recorded || text->table.text_start[1] == recorded);
	if (!is_same)
		pd_symbols_log(kernel, PERFDATA_SYMBOLS_REFUSED, path, "the kernel is elsewhere than recorded");
	return is_same;
}

static bool take_folder(struct perfdata_symbols_dso *kernel, const char *folder)
{
	char path[PD_ROOTED_PATH];
	struct pd_elf *elf;
	if (!is_of_boot(kernel, folder))
		return false;
	const int fd = open_part(kernel->symbols, folder, "kcore", path);
	if (fd < 0)
		return false;
	const enum perfdata_status status = pd_elf_open(kernel->symbols, fd, path, &elf);
	if (status != PERFDATA_OK) {
		(void)pd_symbols_note(kernel->symbols, status);
		pd_symbols_log(kernel, PERFDATA_SYMBOLS_REFUSED, path, "not in the expected format");
		return false;
	}
	kernel->core = elf;
	kernel->core_folder = pd_arena_copy(&kernel->bytes, folder, strlen(folder));
	if (!kernel->core_folder)
		(void)pd_symbols_note(kernel->symbols, PERFDATA_ENOMEM);
	pd_symbols_log(kernel, PERFDATA_SYMBOLS_TAKEN, path, "code");
	return true;
}

static int compare_names(const void *left, const void *right)
{
	return strcmp(*(const char *const *)right, *(const char *const *)left);
}

/* Searches the copies in the cache, newest first: their names are the times of copying. */
static void take_from_cache(struct perfdata_symbols_dso *kernel)
{
	const struct perfdata_symbols_request *r = &kernel->request;
	const char *cache = kernel->symbols->options.build_id_dir;
	char folder[PD_ROOTED_PATH], copy[PD_ROOTED_PATH];
	char *names[MOST_COPIES];
	size_t nr = 0;
	if (!cache || !r->build_id_size)
		return;
	char digits[2 * PERFDATA_BUILD_ID_MAX + 1];
	pd_hex_digits(digits, r->build_id, r->build_id_size);
	const int size = snprintf(folder, sizeof folder, "%s/[kernel.kcore]/%s", cache, digits);
	DIR *listed = size < (int)sizeof folder ? opendir(folder) : NULL;
	if (!listed) {
		(void)pd_symbols_fail(kernel->symbols, folder, errno);
		return;
	}
	for (const struct dirent *entry; nr < MOST_COPIES && (entry = readdir(listed));)
		if (entry->d_name[0] != '.' && !(names[nr++] = pd_strndup(entry->d_name, strlen(entry->d_name)))) {
			nr--;
			(void)pd_symbols_note(kernel->symbols, PERFDATA_ENOMEM);
			break;
		}
	closedir(listed);
	if (nr)
		qsort(names, nr, sizeof *names, compare_names);
	for (size_t i = 0; i < nr; i++) {
		if (!kernel->core && snprintf(copy, sizeof copy, "%s/%s", folder, names[i]) < (int)sizeof copy)
			(void)take_folder(kernel, copy);
		pd_free(names[i]);
	}
}

static void find_core(struct perfdata_symbols_dso *kernel)
{
	if (kernel->core_tried)
		return;
	kernel->core_tried = true;
	if (!kernel->recorded_folder || !take_folder(kernel, kernel->recorded_folder))
		take_from_cache(kernel);
}

/* Whether `modules` in the directory, a copy of /proc/modules, has the module at the recorded address. */
static bool has_module(struct perfdata_symbols_dso *kernel, const struct perfdata_symbols_dso *module)
{
	char path[PD_ROOTED_PATH], *text;
	size_t size;
	const int fd = kernel->core_folder ? open_part(kernel->symbols, kernel->core_folder, "modules", path) : -1;
	if (fd < 0)
		return false;
	const enum perfdata_status status = pd_read_whole(fd, PD_MAX_MODULE_LIST, &text, &size);
	if (status != PERFDATA_OK && status != PERFDATA_ELIMIT)
		(void)pd_symbols_fail(kernel->symbols, path, errno);
	close(fd);
	if (status != PERFDATA_OK)
		return false;
	const bool found = pd_modules_have(text, module);
	pd_free(text);
	return found;
}

static enum perfdata_status read_core(const struct pd_elf *elf, uint64_t address, size_t size,
				      struct pd_code_bytes *code)
{
	uint64_t offset, last;
	if (!pd_elf_offset(elf, address, &offset) || !pd_elf_offset(elf, address + (size - 1), &last) ||
	    last - offset != size - 1)
		return PERFDATA_ABSENT;
	code->bytes = pd_malloc(size);
	if (!code->bytes)
		return PERFDATA_ENOMEM;
	if (!pd_elf_read(elf, offset, code->bytes, size)) {
		pd_code_release(code);
		return pd_elf_failure(elf) ? pd_elf_failure(elf) : PERFDATA_ABSENT;
	}
	code->size = size;
	code->machine = elf->header.e_machine;
	return PERFDATA_OK;
}

enum perfdata_status pd_symbols_core_code(struct perfdata_symbols_dso *kernel,
					  const struct perfdata_symbols_dso *module, uint64_t address, uint64_t size,
					  struct pd_code_bytes *ret)
{
	*ret = (struct pd_code_bytes){ .address = address, .reason = "no copy of the kernel's memory is at hand" };
	if (!size || size > PD_MOST_CODE || address + (size - 1) < address)
		return PERFDATA_ABSENT;
	pd_symbols_lock(kernel);
	find_core(kernel);
	enum perfdata_status status = PERFDATA_ABSENT;
	if (kernel->core && (!module || has_module(kernel, module)))
		status = read_core(kernel->core, address, (size_t)size, ret);
	pd_monitor_leave(kernel->lock);
	return status;
}

void pd_symbols_set_folder(struct perfdata_symbols_dso *dso, const char *folder)
{
	pd_monitor_enter(dso->symbols->lock);
	dso->recorded_folder = pd_arena_copy(&dso->symbols->strings, folder, strlen(folder));
	if (!dso->recorded_folder)
		(void)pd_symbols_note(dso->symbols, PERFDATA_ENOMEM);
	pd_monitor_leave(dso->symbols->lock);
}
