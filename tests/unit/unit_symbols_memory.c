/* SPDX-License-Identifier: MIT */
/* Handles of libdw, which take memory: they are closed where memory is short and nobody asks for them, which no answer
 * shows. */
#define _GNU_SOURCE
#include "config.h"
#include <elf.h>
#include <limits.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>
#include "base/memory.h"
#include "perfdata/symbols.h"
#include "symbols/symbols.h"
#include "unit.h"

static char self[PATH_MAX];
static char paths[2][32] = { "/tmp/perfdata-idle-XXXXXX", "/tmp/perfdata-busy-XXXXXX" };

int perfdata_test_function(int x);
__attribute__((noinline)) int perfdata_test_function(int x) { return x * 3 + (int)getpid(); }

/* The offset in the file of an address of this process. */
static uint64_t file_offset(uintptr_t address)
{
	char line[PATH_MAX + 128];
	FILE *maps = fopen("/proc/self/maps", "r");
	uint64_t offset = 0;
	while (maps && fgets(line, sizeof line, maps)) {
		unsigned long start, end, at;
		if (sscanf(line, "%lx-%lx %*s %lx", &start, &end, &at) == 3 && address >= start && address < end)
			offset = address - start + at;
	}
	if (maps)
		fclose(maps);
	return offset;
}

/* libdw is asked about relocatable files: writes this program as if it was one. */
static bool write_copies(void)
{
	const uint16_t type = ET_REL;
	char *bytes = NULL;
	size_t size = 0;
	const int fd = pd_open_regular(self, PD_REGULAR_STORED);
	bool written = fd >= 0 && !pd_read_whole(fd, (size_t)1 << 30, &bytes, &size) && size > sizeof(Elf64_Ehdr);
	if (written)
		memcpy(bytes + offsetof(Elf64_Ehdr, e_type), &type, sizeof type);
	for (size_t i = 0; written && i < sizeof paths / sizeof *paths; i++) {
		const int out = mkstemp(paths[i]);
		written = out >= 0 && write(out, bytes, size) == (ssize_t)size;
		if (out >= 0)
			close(out);
	}
	if (fd >= 0)
		close(fd);
	pd_free(bytes);
	return written;
}

struct answer {
	enum perfdata_status status;
	size_t count;
	struct perfdata_source_line frames[4];
};

static struct answer ask(struct perfdata_symbols_dso *dso)
{
	struct answer answer = { .count = 0 };
	answer.status = pd_symbols_source(dso, file_offset((uintptr_t)perfdata_test_function), answer.frames, 4,
						&answer.count);
	return answer;
}

static void check_answer(const struct answer *answer)
{
	CHECK_EQ(answer->status, PERFDATA_OK);
	CHECK_EQ(answer->count, 1);
	if (answer->status || answer->count != 1)
		return;
	CHECK_STR(answer->frames[0].function, "perfdata_test_function");
	CHECK(answer->frames[0].file && strstr(answer->frames[0].file, "unit_symbols_memory.c"));
	CHECK(answer->frames[0].line);
}

static struct perfdata_symbols *new_symbols(struct perfdata_memory *memory, struct perfdata_symbols_dso *ret_dsos[2])
{
	struct perfdata_symbols_options options;
	struct perfdata_symbols *symbols = NULL;
	perfdata_options_init(&options, sizeof options);
	options.memory = memory;
	CHECK_EQ(perfdata_symbols_new(&options, &symbols), PERFDATA_OK);
	for (size_t i = 0; i < 2; i++) {
		const struct perfdata_symbols_request request = {
			.size = sizeof request, .kind = PERFDATA_DSO_USER, .path = paths[i]
		};
		CHECK_EQ(perfdata_symbols_dso(symbols, &request, &ret_dsos[i]), PERFDATA_OK);
	}
	return symbols;
}

static uint64_t held(const struct perfdata_memory *memory) { return memory->account.by_use[PD_USE_SYMBOLS]; }

static void ask_often(struct perfdata_symbols_dso *dso, unsigned times)
{
	struct perfdata_source_line frames[4];
	const uint64_t offset = file_offset((uintptr_t)perfdata_test_function);
	size_t count;
	unsigned answered = 0;
	for (unsigned i = 0; i < times; i++)
		answered += pd_symbols_source(dso, offset, frames, 4, &count) == PERFDATA_OK;
	CHECK_EQ(answered, times);
}

/* Asks about one file, then about the other one so often that the handle of the first is idle, then about the first
 * again. */
static void ask_in_turn(uint64_t limit, bool is_short)
{
	struct perfdata_memory *memory = NULL;
	struct perfdata_symbols_dso *dsos[2] = { NULL };
	CHECK_EQ(perfdata_memory_new(limit, NULL, &memory), PERFDATA_OK);
	struct perfdata_symbols *symbols = new_symbols(memory, dsos);

	ask_often(dsos[1], 1);
	const uint64_t one = held(memory);
	const struct answer before = ask(dsos[0]);
	const uint64_t both = held(memory);
	check_answer(&before);
	CHECK(both > one);
	ask_often(dsos[1], 1000);
	CHECK_EQ(held(memory), both);
	ask_often(dsos[1], 6000);
	CHECK(is_short ? held(memory) < both : held(memory) == both);
	/* texts outlive the handle that they came from, and another handle gives the same ones */
	check_answer(&before);
	const struct answer after = ask(dsos[0]);
	check_answer(&after);
	CHECK_EQ(held(memory), both);
	CHECK(after.frames[0].function == before.frames[0].function && after.frames[0].file == before.frames[0].file);
	CHECK_EQ(after.frames[0].line, before.frames[0].line);
	perfdata_symbols_free(symbols);
	CHECK_EQ(held(memory), 0);
	perfdata_memory_free(memory);
}

static void test_short(void) { ask_in_turn(1, true); }

static void test_ample(void) { ask_in_turn((uint64_t)1 << 40, false); }

static bool has_debug_information(void)
{
	struct perfdata_symbols_dso *dsos[2] = { NULL };
	struct perfdata_symbols *symbols = new_symbols(NULL, dsos);
	const struct answer answer = ask(dsos[0]);
	perfdata_symbols_free(symbols);
	return answer.status == PERFDATA_OK;
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "a handle that is not asked for is closed where memory is short", test_short },
		{ "… and stays where there is enough", test_ample },
	};
	int bad = 0;
	if (readlink("/proc/self/exe", self, sizeof self - 1) <= 0 || !write_copies()) {
		printf("Bail out! no place for files\n");
		bad = 1;
	} else if (!has_debug_information()) {
		printf("1..0 # SKIP built without debug information, or without libdw\n");
	} else {
		bad = unit_main(cases, sizeof cases / sizeof *cases);
	}
	for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
		unlink(paths[i]);
	return bad;
}
