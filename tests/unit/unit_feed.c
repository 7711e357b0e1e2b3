/* SPDX-License-Identifier: MIT */
/* Inputs that are fed: whatever the pieces, records, findings and errors are those of a pipe with the same bytes. Every
 * recording of testdata/ (and of the corpus where PERFDATA_CORPUS names one) is fed whole, byte by byte, in pieces of
 * prime sizes and in random ones, cut short, damaged and packed. */
#define _GNU_SOURCE
#include "config.h"
#include "feeding.h"

/* --- comparing ---------------------------------------------------------------------------------------------------- */

static void compare(const char *name, const uint8_t *bytes, size_t size, enum perfdata_record_order order,
		    uint32_t piece, const char *wanted)
{
	char *got = read_fed(bytes, size, order, piece);
	unit_checks++;
	if (strcmp(wanted, got)) {
		printf("# %s, %zu bytes, order %d, pieces of %u: %s\n", name, size, order, piece,
		       first_difference(wanted, got));
		unit_failures++;
	}
	free(got);
}

typedef char *read_fn(const uint8_t *bytes, size_t size, enum perfdata_record_order order);

static void compare_pieces(const char *name, read_fn *read, const uint8_t *bytes, size_t size, const uint32_t *pieces,
			   size_t nr_pieces)
{
	static const enum perfdata_record_order orders[] = { PERFDATA_ORDER_FILE, PERFDATA_ORDER_TIME };
	for (size_t i = 0; i < 2; i++) {
		char *wanted = read(bytes, size, orders[i]);
		for (size_t k = 0; k < nr_pieces; k++)
			compare(name, bytes, size, orders[i], pieces[k], wanted);
		free(wanted);
	}
}

/* --- recordings of testdata --------------------------------------------------------------------------------------- */

static void test_all(void)
{
	static const uint32_t pieces[] = { WHOLE, 1, 7, 61, 997, 4099, RANDOM };
	for (size_t i = 0; i < nr_recordings; i++)
		compare_pieces(recordings[i].name, read_piped, recordings[i].bytes, recordings[i].size, pieces, 7);
	CHECK(nr_recordings > 50);
}

static void test_cut(void)
{
	static const uint32_t pieces[] = { 13, RANDOM };
	for (size_t i = 0; i < nr_recordings; i++) {
		const struct recorded *recorded = &recordings[i];
		const unsigned cuts = !is_stream(recorded) ? 1 + 3 * all : all ? 60 : 12;
		for (unsigned k = 0; k < cuts; k++)
			compare_pieces(recorded->name, read_piped, recorded->bytes,
				       random_below((uint32_t)recorded->size), pieces, 2);
	}
}

static void test_damaged(void)
{
	static const uint32_t pieces[] = { 5, RANDOM };
	for (size_t i = 0; i < nr_recordings; i++) {
		const struct recorded *recorded = &recordings[i];
		uint8_t *copy = malloc(recorded->size + 1);
		const unsigned tries = !is_stream(recorded) ? 1 + all : all ? 50 : 10;
		for (unsigned k = 0; k < tries && recorded->size; k++) {
			memcpy(copy, recorded->bytes, recorded->size);
			for (unsigned n = 0; n <= k % 3; n++)
				damage(copy, recorded->size);
			compare_pieces(recorded->name, read_piped, copy, recorded->size, pieces, 2);
		}
		free(copy);
	}
}

static void test_packed(void)
{
	static const enum pd_codec_kind kinds[] = { PD_CODEC_GZIP, PD_CODEC_ZSTD, PD_CODEC_XZ };
	static const uint32_t pieces[] = { WHOLE, 1, 509, RANDOM };
	static uint8_t packed[2 * MOST_FED];
	for (size_t i = 0; i < nr_recordings; i += all ? 1 : 5)
		for (size_t k = 0; k < 3; k++) {
			if (kinds[k] == PD_CODEC_XZ || pd_codec_load(kinds[k], NULL))
				continue;
			const struct recorded *recorded = &recordings[i];
			const size_t size = pack(kinds[k], recorded->bytes, recorded->size, packed, sizeof packed);
			compare_pieces(recorded->name, read_kept, packed, size, pieces, 4);
			compare_pieces(recorded->name, read_kept, packed, random_below((uint32_t)size), pieces, 4);
			damage(packed, size);
			compare_pieces(recorded->name, read_kept, packed, size, pieces, 4);
		}
	CHECK(nr_recordings);
}

/* --- streams larger than the pieces in which the reader reads ----------------------------------------------------- */

static void compare_large(const char *name, const uint8_t *bytes, size_t size)
{
	static const uint32_t pieces[] = { 65537, RANDOM, 1021, 262144, 1048575, 1048577 };
	char *wanted = read_fed(bytes, size, PERFDATA_ORDER_FILE, WHOLE);
	for (size_t i = 0; i < (all ? 6 : 3); i++)
		compare(name, bytes, size, PERFDATA_ORDER_FILE, pieces[i], wanted);
	free(wanted);
}

static void test_large(void)
{
	static const enum pd_codec_kind kinds[] = { PD_CODEC_GZIP, PD_CODEC_ZSTD };
	uint8_t *packed = malloc(RECORDING_ROOM);
	struct recording stream;
	for (unsigned round = 0; round < 2 + 2 * all; round++) {
		large_stream(&stream, round);
		char *wanted = read_piped(stream.data, stream.size, PERFDATA_ORDER_TIME);
		if (!round)
			compare("a large stream", stream.data, stream.size, PERFDATA_ORDER_TIME, RANDOM, wanted);
		free(wanted);
		compare_large("a large stream", stream.data, stream.size);
		for (size_t k = 0; k < 2 && round < 2; k++) {
			if (pd_codec_load(kinds[k], NULL))
				continue;
			const size_t size = pack(kinds[k], stream.data, stream.size, packed, RECORDING_ROOM);
			compare_large("a large packed stream", packed, size);
			for (unsigned n = 0; n < 1 + 2 * all; n++) {
				damage(packed + 100, size - 100);
				compare_large("a large packed stream that is damaged", packed, size);
			}
		}
		recording_release(&stream);
	}
	free(packed);
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "every recording, in pieces of all kinds", test_all },
		{ "recordings that end too early", test_cut },
		{ "damaged recordings", test_damaged },
		{ "packed recordings", test_packed },
		{ "large streams, packed and damaged", test_large },
	};
	take_recordings();
	const int failed = unit_main(cases, sizeof cases / sizeof *cases);
	release_recordings();
	return failed;
}
