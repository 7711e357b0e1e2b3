/* SPDX-License-Identifier: MIT */
/* Threads that look up addresses of one file at the same time, each from another end of it: they get the answers that
 * one thread alone gets. The thread sanitizer runs it too. */
#define _GNU_SOURCE
#include "config.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/threads.h"
#include "perfdata/symbols.h"
#include "symbols/symbols.h"
#include "unit.h"

#define ADDRESSES 8000u
#define THREADS 4u
#define FRAMES 16u
#define MEMORY (UINT64_C(256) << 10)

static char self[PATH_MAX];

struct answers {
	struct perfdata_symbols_dso *dso;
	uint64_t size;                    /* of the file */
	uint64_t of[THREADS][ADDRESSES];  /* a hash of what an address is called */
};

static uint64_t mix(uint64_t hash, uint64_t value) { return (hash ^ value) * UINT64_C(0x100000001b3); }

static uint64_t mix_text(uint64_t hash, const char *text)
{
	for (; text && *text; text++)
		hash = mix(hash, (uint8_t)*text);
	return mix(hash, text != NULL);
}

static uint64_t mix_lines(uint64_t hash, const struct perfdata_source_line *lines, size_t nr)
{
	for (size_t i = 0; i < nr && i < FRAMES; i++) {
		hash = mix_text(mix_text(hash, lines[i].function), lines[i].file);
		hash = mix(mix(mix(hash, lines[i].line), lines[i].column), lines[i].inlined);
	}
	return mix(hash, nr);
}

static uint64_t ask(struct perfdata_symbols_dso *dso, uint64_t address)
{
	struct perfdata_symbol symbol;
	struct perfdata_source_line lines[FRAMES];
	size_t nr = 0;
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	if (perfdata_symbols_lookup(dso, address, UINT64_MAX, &symbol) == PERFDATA_OK)
		hash = mix(mix_text(hash, symbol.name), symbol.start);
	if (perfdata_symbols_calls(dso, address, lines, FRAMES, &nr) == PERFDATA_OK)
		hash = mix_lines(hash, lines, nr);
	if (pd_symbols_source(dso, address, lines, FRAMES, &nr) == PERFDATA_OK)
		hash = mix_lines(hash, lines, nr);
	return hash;
}

static void ask_all(void *user, unsigned index)
{
	struct answers *answers = user;
	for (unsigned i = 0; i < ADDRESSES; i++) {
		const unsigned at = (i + index * (ADDRESSES / THREADS)) % ADDRESSES;
		answers->of[index][at] = ask(answers->dso, answers->size / ADDRESSES * at);
	}
}

/* Within `memory`; NULL: no limit. */
static void open_self(struct perfdata_symbols **ret, struct answers *answers, struct perfdata_memory *memory)
{
	struct perfdata_symbols_options options;
	const struct perfdata_symbols_request request = { .size = sizeof request, .kind = PERFDATA_DSO_USER,
							  .path = self };
	struct stat st;
	CHECK(!stat(self, &st));
	answers->size = (uint64_t)st.st_size;
	perfdata_options_init(&options, sizeof options);
	options.memory = memory;
	CHECK_EQ(perfdata_symbols_new(&options, ret), PERFDATA_OK);
	CHECK_EQ(perfdata_symbols_dso(*ret, &request, &answers->dso), PERFDATA_OK);
}

/* Threads that share `memory` against one that has no limit. */
static void compare(struct perfdata_memory *memory)
{
	static struct answers alone, together;
	struct perfdata_symbols *symbols;
	unsigned differ = 0, named = 0;

	open_self(&symbols, &alone, NULL);
	ask_all(&alone, 0);
	perfdata_symbols_free(symbols);
	open_self(&symbols, &together, memory);
	struct pd_team *team = pd_team_start(THREADS - 1, ask_all, &together);
	ask_all(&together, THREADS - 1);
	pd_team_join(team);
	perfdata_symbols_free(symbols);
	for (unsigned i = 0; i < ADDRESSES; i++) {
		named += alone.of[0][i] != alone.of[0][0];
		for (unsigned k = 0; k < THREADS; k++)
			differ += together.of[k][i] && together.of[k][i] != alone.of[0][i];
	}
	CHECK_EQ(differ, 0);
	CHECK(named > ADDRESSES / 20);
}

static void test_threads(void) { compare(NULL); }

/* Where memory is short, what is read of a unit is given back and read again all the time. */
static void test_short_memory(void)
{
	struct perfdata_memory *memory = NULL;
	CHECK_EQ(perfdata_memory_new(MEMORY, NULL, &memory), PERFDATA_OK);
	compare(memory);
	perfdata_memory_free(memory);
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "threads: the same answers as one thread alone", test_threads },
		{ "threads with little memory: the same answers, too", test_short_memory },
	};
	const ssize_t size = readlink("/proc/self/exe", self, sizeof self - 1);
	if (size <= 0) {
		printf("Bail out! who am I?\n");
		return 1;
	}
	return unit_main(cases, sizeof cases / sizeof *cases);
}
