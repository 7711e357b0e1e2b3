/* SPDX-License-Identifier: MIT */
/* Replays files through a fuzz target: those of the command line, or the recordings of testdata/ and the past crashes
 * of testdata/crash/, each whole, cut short, with some bytes changed, and, where the target has a mutator, changed by
 * that. Prints TAP. */
#include <dirent.h>
#include <libgen.h>
#include "fuzz.h"
#include "fuzz_mutate.h"

#pragma weak LLVMFuzzerCustomMutator
#pragma weak LLVMFuzzerCustomCrossOver

#define MAX_FILE ((size_t)1 << 20)
#define CHANGES 24
#define MUTANTS 12

static unsigned replayed;
static uint32_t state = 2463534242u;

static uint32_t next_word(void)
{
	state ^= state << 13;
	state ^= state >> 17;
	state ^= state << 5;
	return state;
}

/* Some bytes at one place. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size)
{
	(void)max_size;
	for (size_t at = size ? next_word() % size : 0, n = next_word() % 8; n && at < size; n--, at++)
		data[at] = (uint8_t)next_word();
	return size;
}

static uint8_t *read_whole(const char *path, size_t *ret_size)
{
	FILE *file = fopen(path, "rb");
	uint8_t *data = malloc(MAX_FILE);
	if (!file || !data) {
		printf("Bail out! cannot read %s\n", path);
		exit(99);
	}
	*ret_size = fread(data, 1, MAX_FILE, file);
	fclose(file);
	return data;
}

/* A copy of exactly its size: a byte too far is seen. */
static void run_copy(const uint8_t *data, size_t size)
{
	uint8_t *copy = malloc(size ? size : 1);
	if (!copy)
		exit(99);
	memcpy(copy, data, size);
	LLVMFuzzerTestOneInput(copy, size);
	free(copy);
	replayed++;
}

static void run_changed(uint8_t *data, size_t size)
{
	state = 2463534242u;
	for (unsigned i = 0; i < CHANGES && size; i++) {
		const uint32_t word[3] = { next_word(), next_word(), next_word() };
		const size_t at = i % 2 ? word[0] % size : word[0] % (size < 512 ? size : 512);
		const uint8_t old = data[at];
		data[at] = (uint8_t)(i % 3 ? old ^ 1u << word[1] % 8 : word[1]);
		run_copy(data, i % 4 == 3 ? word[2] % size : size);
		data[at] = old;
	}
}

/* Each the child of the one before, or that with records of its own beginning. */
static void run_mutants(const uint8_t *data, size_t size)
{
	uint8_t *mutant = LLVMFuzzerCustomMutator && size <= MAX_FILE / 2 ? malloc(2 * MAX_FILE) : NULL;
	uint8_t *other = mutant ? mutant + MAX_FILE : NULL;
	if (!mutant)
		return;
	memcpy(mutant, data, size);
	size_t now = size;
	for (unsigned i = 0; i < MUTANTS; i++) {
		now = LLVMFuzzerCustomMutator(mutant, now, 2 * size + 64, next_word());
		run_copy(mutant, now);
		if (i % 4 == 3) {
			const size_t crossed = LLVMFuzzerCustomCrossOver(data, size, mutant, now, other, 2 * size + 64,
									 next_word());
			run_copy(other, crossed);
		}
	}
	free(mutant);
}

static void run_file(const char *path)
{
	size_t size;
	uint8_t *data = read_whole(path, &size);
	run_copy(data, size);
	run_copy(data, size / 2);
	run_changed(data, size);
	run_mutants(data, size);
	free(data);
}

static unsigned run_folder(const char *folder)
{
	struct dirent **entries;
	const int count = scandir(folder, &entries, NULL, alphasort);
	unsigned files = 0;
	for (int i = 0; i < count; i++) {
		char path[4096 + 256 + 2];
		snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
		if (entries[i]->d_type == DT_REG && !strstr(entries[i]->d_name, ".py") &&
		    strcmp(entries[i]->d_name, "README") != 0) {
			run_file(path);
			files++;
		}
		free(entries[i]);
	}
	if (count >= 0)
		free(entries);
	return files;
}

int main(int argc, char **argv)
{
	const char *top = getenv("top_srcdir");
	char folder[4096];
	unsigned files = 0;

	for (int i = 1; i < argc; i++, files++)
		run_file(argv[i]);
	if (argc < 2) {
		const char *const folders[] = { "testdata", "testdata/threads-73.dir", "testdata/crash",
						"testdata/match" };
		for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
			snprintf(folder, sizeof folder, "%s/%s", top ? top : ".", folders[i]);
			files += run_folder(folder);
		}
	}
	printf("%s 1 - %s: %u files, %u inputs\n1..1\n", files ? "ok" : "not ok", basename(argv[0]), files, replayed);
	return files ? 0 : 1;
}
