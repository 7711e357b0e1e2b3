/* SPDX-License-Identifier: MIT */
/* What `match` reads: headers and notes of ELF files, lists of build-ids; and what bundles leave of an ELF file, which
 * has to be an ELF file of the same build-id; archives of such files; answers in place of them. */
#include <errno.h>
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
	const struct pd_elf_wish wish = { .level = level, .tables = size % 2 };
	char *copy = pd_malloc(size), *less;
	size_t less_size;
	if (!copy)
		return;
	memcpy(copy, data, size);
	if (pd_elf_cut(copy, size, &wish, &less, &less_size) != PERFDATA_OK)
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

/* Everything but the answers of a bundle is missing. */
static int open_answers(void *user, const char *path)
{
	const size_t size = strlen(path), tail = sizeof ".answers" - 1;
	if (size > tail && !strcmp(path + size - tail, ".answers"))
		return open(user, O_RDONLY | O_CLOEXEC);
	errno = ENOENT;
	return -1;
}

/* Answers: an address that the text begins a line with is one of them. */
static void read_answers(const uint8_t *data, size_t size, enum perfdata_dso_kind kind)
{
	char *file = strdup(fuzz_file(data, size));
	struct perfdata_symbols_options options;
	const struct perfdata_symbols_request request = { .size = sizeof request, .kind = kind, .path = "/x" };
	struct perfdata_symbols *symbols = NULL;
	struct perfdata_symbols_dso *dso;
	perfdata_options_init(&options, sizeof options);
	options.symfs = "/away";
	options.no_host = options.debug_first = true;
	options.open = open_answers;
	options.open_user = file;
	if (file && perfdata_symbols_new(&options, &symbols) == PERFDATA_OK &&
	    perfdata_symbols_dso(symbols, &request, &dso) == PERFDATA_OK) {
		const uint8_t *end = data + size;
		for (const uint8_t *at = data; at && end - at > 4; at = memchr(at + 1, '\n', (size_t)(end - at - 1))) {
			char digits[20] = "";
			if (at[1] != 'a' || at[2] != '\t')
				continue;
			memcpy(digits, at + 3, (size_t)(end - at - 3) < 17 ? (size_t)(end - at - 3) : 17);
			fuzz_look_up(dso, strtoull(digits, NULL, 16), UINT64_MAX);
		}
		fuzz_look_up(dso, 0, 0);
	}
	perfdata_symbols_free(symbols);
	free(file);
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
	read_answers(data, size, PERFDATA_DSO_USER);
	read_answers(data, size, PERFDATA_DSO_JITDUMP);
	cut(data, size, PERFDATA_BUNDLE_NAMES);
	cut(data, size, PERFDATA_BUNDLE_UNWIND);
	cut(data, size, PERFDATA_BUNDLE_ANSWERS);
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
