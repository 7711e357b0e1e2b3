/* SPDX-License-Identifier: MIT */
/* What `match` reads: headers and notes of ELF files, lists of build-ids; and what bundles leave of an ELF file, which
 * has to be an ELF file of the same build-id; archives of such files. */
#include "fuzz_memory.h"
#include "fuzz_symbols.h"
#include "base/memory.h"
#include "codec/codec.h"
#include "match/bundle_impl.h"
#include "match/match.h"

static void read_file(const uint8_t *data, size_t size)
{
	struct pd_elf_facts facts;
	const int fd = pd_open_regular(fuzz_file(data, size), PD_REGULAR_STORED);
	if (fd < 0)
		return;
	if (pd_elf_facts_read(fd, &facts) == PERFDATA_OK) {
		fuzz_touch(&facts, sizeof facts);
		if (strchr(facts.debug_link, '/'))
			abort();
	}
	close(fd);
}

static void read_list(const uint8_t *data, size_t size)
{
	struct pd_id_list list = { 0 };
	struct pd_arena arena = { 0 };
	(void)pd_id_list_parse(&list, &arena, (const char *)data, size);
	for (size_t i = 0; i < list.count; i++)
		if (list.items[i].path)
			fuzz_touch(list.items[i].path, strlen(list.items[i].path));
	pd_free(list.items);
	pd_arena_release(&arena);
}

static void cut(const uint8_t *data, size_t size, enum perfdata_bundle_level level)
{
	char *copy = pd_malloc(size), *less;
	size_t less_size;
	if (!copy)
		return;
	memcpy(copy, data, size);
	if (pd_elf_cut(copy, size, level, &less, &less_size) != PERFDATA_OK)
		return;
	if (less_size > size)
		abort();
	fuzz_touch(less, less_size);
	pd_free(less);
}

/* An archive: whatever it holds, what is taken out of it are its own bytes. */
static void read_bundle(const uint8_t *data, size_t size)
{
	static const char *const names[] = { "/.build-id/ab/cd/elf", "/.build-id/ab/cd", "/root/usr/bin/program", "/a",
					     "/../input" };
	const char *file = fuzz_file(data, size);
	const struct perfdata_bundle_files_options options = { .size = sizeof options,
							       .max_bytes = 1 << 20,
							       .max_ratio = 1000 };
	struct perfdata_bundle_files *files;
	char path[256];
	if (perfdata_bundle_files_open(file, &options, &files, NULL) != PERFDATA_OK)
		return;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		uint8_t bytes[64];
		snprintf(path, sizeof path, "%s%s", file, names[i]);
		const int fd = perfdata_bundle_files_get(files, path);
		const ssize_t got = fd < 0 ? 0 : read(fd, bytes, sizeof bytes);
		if (got > 0)
			fuzz_touch(bytes, (size_t)got);
		if (fd >= 0)
			close(fd);
	}
	perfdata_bundle_files_close(files);
}

static void run(const uint8_t *data, size_t size)
{
	const struct pd_elf_bytes bytes = { .fd = -1, .image = (const char *)data, .image_size = size };
	struct pd_build_id id;
	if (pd_elf_find_id(&bytes, &id) == PERFDATA_OK)
		fuzz_touch(id.bytes, id.size);
	read_file(data, size);
	read_list(data, size);
	read_bundle(data, size);
	cut(data, size, PERFDATA_BUNDLE_NAMES);
	cut(data, size, PERFDATA_BUNDLE_UNWIND);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const clock_t begin = clock();
	fuzz_memory_begin();
	run(data, size);
	/* the decoder allocates the window that a frame states, and writes only as far as data come out */
	const enum pd_codec_kind kind = pd_codec_probe(data, size);
	if (kind != PD_CODEC_ZSTD && kind != PD_CODEC_XZ)
		fuzz_require_memory(size);
	fuzz_require_time(begin, size);
	return 0;
}
