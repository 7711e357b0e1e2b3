/* Replays files through a fuzz target: those of the command line, or the recordings of testdata/ and the past crashes of testdata/crash/,
 * each whole, cut short, and with some bytes changed. Prints TAP. */
#include <dirent.h>
#include <libgen.h>
#include "fuzz.h"

#define MAX_FILE ((size_t)1 << 20)
#define CHANGES 24

static unsigned replayed;

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
	uint32_t state = 2463534242u;
	for (unsigned i = 0; i < CHANGES && size; i++) {
		uint32_t word[3];
		for (unsigned n = 0; n < 3; n++) {
			state ^= state << 13;
			state ^= state >> 17;
			state ^= state << 5;
			word[n] = state;
		}
		const size_t at = i % 2 ? word[0] % size : word[0] % (size < 512 ? size : 512);
		const uint8_t old = data[at];
		data[at] = (uint8_t)(i % 3 ? old ^ 1u << word[1] % 8 : word[1]);
		run_copy(data, i % 4 == 3 ? word[2] % size : size);
		data[at] = old;
	}
}

static void run_file(const char *path)
{
	size_t size;
	uint8_t *data = read_whole(path, &size);
	run_copy(data, size);
	run_copy(data, size / 2);
	run_changed(data, size);
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
		if (entries[i]->d_type == DT_REG && !strstr(entries[i]->d_name, ".py") && strcmp(entries[i]->d_name, "README") != 0) {
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
		const char *const folders[] = { "testdata", "testdata/threads-73.dir", "testdata/crash" };
		for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
			snprintf(folder, sizeof folder, "%s/%s", top ? top : ".", folders[i]);
			files += run_folder(folder);
		}
	}
	printf("%s 1 - %s: %u files, %u inputs\n1..1\n", files ? "ok" : "not ok", basename(argv[0]), files, replayed);
	return files ? 0 : 1;
}
