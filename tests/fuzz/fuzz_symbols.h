/* SPDX-License-Identifier: MIT */
/* Symbol files: the input is a file below a temporary folder, which is all of the host that the target sees. */
#ifndef TESTS_FUZZ_SYMBOLS_H
#define TESTS_FUZZ_SYMBOLS_H

#include <fcntl.h>
#include <sys/stat.h>
#include "fuzz.h"
#include "perfdata/symbols.h"
#include "symbols/symbols.h"

/* Compressed parts of a file may grow this much, and to a mebibyte in any case; what they hold is indexed. */
#define FUZZ_MEMORY_FREE ((uint64_t)32 << 20)
#define FUZZ_MEMORY_OF_BYTE 2048u

static char fuzz_folder[64];

static inline void fuzz_folder_remove(void)
{
	char path[128];
	snprintf(path, sizeof path, "%s/input", fuzz_folder);
	unlink(path);
	rmdir(fuzz_folder);
}

/* Path of a file that holds the input. */
static inline const char *fuzz_file(const uint8_t *data, size_t size)
{
	static char path[128];
	if (!*fuzz_folder) {
		snprintf(fuzz_folder, sizeof fuzz_folder, "%s/perfdata-fuzz-XXXXXX",
			 access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm");
		fuzz_require(mkdtemp(fuzz_folder) != NULL, "no temporary folder");
		atexit(fuzz_folder_remove);
	}
	snprintf(path, sizeof path, "%s/input", fuzz_folder);
	const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	fuzz_require(fd >= 0 && write(fd, data, size) == (ssize_t)size, "cannot write the input");
	close(fd);
	return path;
}

/* Of an empty folder: no symbols, but all that looks for them. NULL without memory. */
static inline struct perfdata_symbols *fuzz_no_symbols(void)
{
	struct perfdata_symbols_options options;
	struct perfdata_symbols *symbols;

	unlink(fuzz_file((const uint8_t *)"", 0));
	perfdata_options_init(&options, sizeof options);
	options.symfs = fuzz_folder;
	options.no_host = true;
	return perfdata_symbols_new(&options, &symbols) == PERFDATA_OK ? symbols : NULL;
}

static inline void fuzz_look_up(struct perfdata_symbols_dso *dso, uint64_t address, uint64_t time)
{
	struct perfdata_source_line sources[8];
	struct perfdata_symbol symbol;
	const char *object = NULL;
	uint64_t shown;
	size_t count = 0;

	if (pd_symbols_object(dso, address, &shown, &object) == PERFDATA_OK)
		fuzz_touch_text(object);
	if (perfdata_symbols_lookup(dso, address, time, &symbol) == PERFDATA_OK) {
		fuzz_touch_text(symbol.name);
		fuzz_touch_text(symbol.raw_name);
		fuzz_touch_text(symbol.module);
	}
	if (pd_symbols_source(dso, address, sources, 8, &count) == PERFDATA_OK)
		for (size_t i = 0; i < count && i < 8; i++) {
			fuzz_touch_text(sources[i].function);
			fuzz_touch_text(sources[i].file);
		}
}

static inline void fuzz_require_account(const struct perfdata_memory *memory, size_t size)
{
	fuzz_require(memory->account.peak < FUZZ_MEMORY_FREE + FUZZ_MEMORY_OF_BYTE * size && !memory->account.used,
		     "the input takes more memory than its size explains, or not all was given back");
}

/* A dso of that kind whose file is the input, asked for addresses near those that the input spells. */
static inline void fuzz_dso(enum perfdata_dso_kind kind, const uint8_t *data, size_t size)
{
	const struct perfdata_symbols_request request = { .size = sizeof request, .kind = kind, .path = "/input" };
	struct perfdata_symbols_options options;
	struct perfdata_symbols_dso *dso;
	struct perfdata_symbols *symbols;

	const char *path = fuzz_file(data, size);
	perfdata_options_init(&options, sizeof options);
	options.symfs = fuzz_folder;
	options.vmlinux = kind == PERFDATA_DSO_KERNEL ? path : NULL;
	options.no_host = true;
	if (perfdata_memory_new(0, NULL, &options.memory) != PERFDATA_OK)
		return;
	if (perfdata_symbols_new(&options, &symbols) != PERFDATA_OK) {
		perfdata_memory_free(options.memory);
		return;
	}
	if (perfdata_symbols_dso(symbols, &request, &dso) == PERFDATA_OK) {
		static const uint64_t addresses[] = { 0,         1,        0x10,       0x100,
						      0x1000,    0x1010,   0x1100,     0x2000,
						      0x400000,  0x401000, 1ull << 47, 0xffffffff81000000,
						      UINT64_MAX };
		struct perfdata_symbols_origin origin;
		for (size_t i = 0; i < sizeof addresses / sizeof *addresses; i++)
			fuzz_look_up(dso, addresses[i], UINT64_MAX);
		for (size_t i = 0; i + 8 <= size && i < 4096; i += 64) {
			uint64_t address;
			memcpy(&address, data + i, 8);
			fuzz_look_up(dso, address, i);
		}
		pd_symbols_origin(dso, &origin);
		pd_symbols_vaddr(dso, 0x1000, &(uint64_t){ 0 });
	}
	perfdata_symbols_free(symbols);
	fuzz_require_account(options.memory, size);
	perfdata_memory_free(options.memory);
}

#endif
