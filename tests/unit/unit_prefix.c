/* SPDX-License-Identifier: MIT */
/* Every length of small recordings: the reader ends in a status and gives every whole record before the cut, and
 * what the emitters write is well-formed and says that it is not complete.
 *
 * unit_prefix STEP runs the emitters at every STEP-th length instead of one in 211; 1 takes minutes. */
#define _GNU_SOURCE
#include "emit_memory.h"
#include "perfdata/registry.h"
#include "reader/reader.h"
#include "emit/emitters.h"
#include "json_text.h"
#include "unit.h"
#include "opening.h"

#define MAX_RECORDS 8192
#define MAX_FILE 32768

static const char *const names[] = {
	"killed-61.data", "stat-73.data", "stream-73.pipe", "stat-61.data", "stream-61.pipe", "zstd-61.data",
	"zstd-73.data", "group-61.data", "callgraph-73.data", "group-73.data", "bad-garbage.data",
	"simpleperf/stacks.data", "simpleperf/zstd.data", "simpleperf/nounwind.data", "simpleperf/offcpu.data",
	"simpleperf/failed.data",
};

/* A record, and where the bytes end that it needs. */
struct seen { uint64_t end, hash; };

static struct seen whole[MAX_RECORDS], cut[MAX_RECORDS];
static uint8_t data[MAX_FILE];
static size_t data_size;
static unsigned step = 211;

static uint64_t hash_of(const uint8_t *bytes, size_t size)
{
	uint64_t hash = 0xcbf29ce484222325ull;
	for (size_t i = 0; i < size; i++)
		hash = (hash ^ bytes[i]) * 0x100000001b3ull;
	return hash;
}

/* What is decompressed needs the whole of its carrier; a record that two carriers share comes with the second. */
static void carriers_end(struct seen *seen, size_t count, const uint64_t *offsets, const bool *inner)
{
	for (size_t i = 0; i < count; i++) {
		size_t carriers = 0;
		for (size_t k = i; inner[i] && k < count && carriers < 2; k++) {
			if (!inner[k]) {
				seen[i].end = UINT64_MAX;
				break;
			}
			if (k == i || offsets[k] != offsets[k - 1])
				carriers++;
		}
	}
}

static enum perfdata_status read_prefix(size_t size, struct seen *seen, size_t *ret_count, bool *ret_complete,
					bool ends)
{
	static uint64_t offsets[MAX_RECORDS];
	static bool inner[MAX_RECORDS];
	struct perfdata_reader *reader;
	const struct perfdata_raw *raw;
	uint64_t carrier_end = 0;

	*ret_count = 0;
	uint8_t *own = malloc(size ? size : 1);   /* a byte too far is seen */
	memcpy(own, data, size);
	enum perfdata_status status = open_memory(own, size, NULL, NULL, &reader, NULL);
	if (status == PERFDATA_OK) {
		while ((status = perfdata_reader_next(reader, &raw)) == PERFDATA_OK && *ret_count < MAX_RECORDS) {
			inner[*ret_count] = raw->inner != PERFDATA_NO_OFFSET;
			offsets[*ret_count] = raw->offset;
			if (raw->inner == PERFDATA_NO_OFFSET)
				carrier_end = raw->offset + raw->size + raw->payload;
			seen[(*ret_count)++] = (struct seen){ carrier_end, hash_of(raw->bytes, raw->size) };
		}
		*ret_complete = perfdata_reader_complete(reader);
		perfdata_reader_close(reader);
	}
	if (ends)
		carriers_end(seen, *ret_count, offsets, inner);
	free(own);
	return status;
}

static bool read_file(const char *name)
{
	const char *top = getenv("top_srcdir");
	char path[4096];
	snprintf(path, sizeof path, "%s/testdata/%s", top ? top : ".", name);
	FILE *file = fopen(path, "rb");
	data_size = file ? fread(data, 1, sizeof data, file) : 0;
	if (file)
		fclose(file);
	return data_size > 0 && data_size < sizeof data;
}

/* All whole records come, but for the last ones before a cut in damaged data, where the reader judges a record by its
 * neighbours. */
static bool has_all(size_t size, size_t whole_count, size_t cut_count, bool damaged)
{
	size_t wanted = 0;
	while (wanted < whole_count && whole[wanted].end <= size)
		wanted++;
	if (damaged)
		wanted = wanted > 4 ? wanted - 4 : 0;
	if (cut_count < wanted)
		return false;
	for (size_t i = 0; i < wanted; i++)
		if (cut[i].hash != whole[i].hash)
			return false;
	return true;
}

static void test_reader(void)
{
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		size_t whole_count, cut_count, missing = 0, strange = 0, silent = 0;
		bool whole_complete, complete;

		CHECK(read_file(names[i]));
		CHECK_EQ(read_prefix(data_size, whole, &whole_count, &whole_complete, true), PERFDATA_END);
		CHECK(whole_count > 5 && whole_count < MAX_RECORDS);
		const bool stream = data[8] == 16;
		for (size_t size = 0; size < data_size; size++) {
			complete = false;
			const enum perfdata_status status = read_prefix(size, cut, &cut_count, &complete, false);
			const bool opened = status == PERFDATA_END;
			strange += !opened && (status != PERFDATA_EFORMAT || size >= 16);
			missing += !has_all(size, whole_count, cut_count, !whole_complete);
			silent += opened && complete && !stream;
		}
		CHECK_EQ(strange, 0);
		CHECK_EQ(missing, 0);
		CHECK_EQ(silent, 0);
		if (strange || missing || silent)
			printf("# %s\n", names[i]);
	}
}

static bool is_json(const char *name) { return !strcmp(name, "json") || !strcmp(name, "perf-json"); }

static bool well_formed(const char *name, const struct emitted *output)
{
	if (!strcmp(name, "ndjson"))
		return json_text_is_lines(output->data, output->size) && output->size;
	return !is_json(name) || json_text_is_valid(output->data, output->size);
}

/* json and ndjson say whether they are complete, and agree with the summary. */
static bool says_complete(const char *name, const struct emitted *output)
{
	if (strcmp(name, "json") != 0 && strcmp(name, "ndjson") != 0)
		return true;
	const bool said = memmem(output->data, output->size, "\"complete\":true", 15) != NULL;
	return said == output->complete;
}

static void test_emitters(void)
{
	const struct perfdata_emitter *emitter;

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		CHECK(read_file(names[i]));
		for (size_t size = 16 + i % step; size <= data_size; size += step) {
			for (size_t k = 0; (emitter = perfdata_registry_at(NULL, k)) != NULL; k++) {
				struct emitted output;
				emit_memory(emitter, data, size, 1, &output);
				/* formats for compilers want a program and branch stacks, which these lack */
				const bool refused = output.status == PERFDATA_EUSAGE &&
						     perfdata_emitter_option_named(emitter, "program");
				const bool good = output.opened == PERFDATA_OK &&
						  (output.status == PERFDATA_OK || refused) &&
						  well_formed(emitter->name, &output) &&
						  says_complete(emitter->name, &output);
				CHECK(good);
				if (!good)
					printf("# %s, the first %zu bytes: %s: opened %d, run %d\n", names[i], size,
					       emitter->name, output.opened, output.status);
				free(output.data);
			}
		}
	}
}

int main(int argc, char **argv)
{
	static const struct unit_case cases[] = {
		{ "the reader gives every whole record in front of a cut", test_reader },
		{ "emitters write well-formed output at every cut", test_emitters },
	};
	if (argc > 1 && atoi(argv[1]) > 0)
		step = (unsigned)atoi(argv[1]);
	return unit_main(cases, sizeof cases / sizeof *cases);
}
