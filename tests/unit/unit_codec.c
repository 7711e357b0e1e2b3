/* SPDX-License-Identifier: MIT */
/* lib/codec: there and back with every size of step, frames in a row, broken and cut data. */
#include "config.h"
#include <stdlib.h>
#include "unit.h"
#include "alloc_fail.h"
#include "base/hash.h"
#include "codec/codec.h"

#define SIZE 200000

static uint8_t plain[SIZE], compressed[SIZE * 2], decompressed[SIZE * 3];

static const enum pd_codec_kind kinds[] = { PD_CODEC_GZIP, PD_CODEC_ZSTD };

/* Half noise, half repetition. */
static void fill_plain(void)
{
	for (size_t i = 0; i < SIZE; i++)
		plain[i] = (uint8_t)(i % 2000 < 1000 ? pd_hash_u64(i, 7) : i / 100);
}

/* Packs in steps of `step` bytes each way; appends to the output. */
static size_t pack(enum pd_codec_kind kind, const uint8_t *bytes, size_t size, size_t used, size_t step, int level)
{
	struct pd_encoder *encoder = pd_encoder_new(kind, level);
	CHECK(encoder != NULL);
	size_t in_used = 0;
	enum perfdata_status status = PERFDATA_OK;
	while (status == PERFDATA_OK) {
		size_t in_size = size - in_used < step ? size : in_used + step;
		size_t out_size = sizeof compressed - used < step ? sizeof compressed : used + step;
		status = pd_encoder_run(encoder, bytes, in_size, &in_used, compressed, out_size, &used,
					in_size == size);
		if (used == sizeof compressed)
			break;
	}
	CHECK_EQ(status, PERFDATA_END);
	CHECK_EQ(in_used, size);
	CHECK_EQ(pd_encoder_run(encoder, bytes, size, &in_used, compressed, sizeof compressed, &used, true),
		 PERFDATA_END);
	pd_encoder_free(encoder);
	return used;
}

/* Unpacks until nothing moves; the last status. */
static enum perfdata_status unpack(enum pd_codec_kind kind, size_t size, size_t step, size_t *ret_used, size_t *ret_out)
{
	struct pd_decoder *decoder = pd_decoder_new(kind);
	CHECK(decoder != NULL);
	size_t used = 0, out = 0;
	enum perfdata_status status;
	for (;;) {
		size_t before_in = used, before_out = out;
		size_t in_size = size - used < step ? size : used + step;
		size_t out_size = sizeof decompressed - out < step ? sizeof decompressed : out + step;
		status = pd_decoder_run(decoder, compressed, in_size, &used, decompressed, out_size, &out);
		if (used > in_size || out > out_size)
			FAIL("a position beyond its end");
		if (status != PERFDATA_OK && status != PERFDATA_END)
			break;
		if (used == before_in && out == before_out && in_size == size)
			break;
	}
	*ret_used = used;
	*ret_out = out;
	pd_decoder_free(decoder);
	return status;
}

/* Without the package a test checks that there is nothing to test. */
static bool is_there(enum pd_codec_kind kind)
{
	if (!pd_codec_load(kind, NULL))
		return true;
	CHECK(pd_decoder_new(kind) == NULL && pd_encoder_new(kind, 0) == NULL);
	return false;
}

static void test_probe(void)
{
	CHECK_EQ(pd_codec_probe((const uint8_t *)"\x1f\x8b\x08\x00", 4), PD_CODEC_GZIP);
	CHECK_EQ(pd_codec_probe((const uint8_t *)"\x1f\x8b\x08", 3), PD_CODEC_GZIP);
	CHECK_EQ(pd_codec_probe((const uint8_t *)"\x1f\x8b", 2), PD_CODEC_NONE);
	CHECK_EQ(pd_codec_probe((const uint8_t *)"\x28\xb5\x2f\xfd", 4), PD_CODEC_ZSTD);
	CHECK_EQ(pd_codec_probe((const uint8_t *)"\x28\xb5\x2f", 3), PD_CODEC_NONE);
	CHECK_EQ(pd_codec_probe((const uint8_t *)"\x50\x2a\x4d\x18", 4), PD_CODEC_ZSTD);
	CHECK_EQ(pd_codec_probe((const uint8_t *)"\x5f\x2a\x4d\x18", 4), PD_CODEC_ZSTD);
	CHECK_EQ(pd_codec_probe((const uint8_t *)"\x60\x2a\x4d\x18", 4), PD_CODEC_NONE);
	CHECK_EQ(pd_codec_probe((const uint8_t *)"PERFILE2", 8), PD_CODEC_NONE);
	CHECK_EQ(pd_codec_probe(NULL, 0), PD_CODEC_NONE);
}

static void test_suffix(void)
{
	CHECK_EQ(pd_codec_by_suffix("a.json.gz"), PD_CODEC_GZIP);
	CHECK_EQ(pd_codec_by_suffix("dir.gz/a.zst"), PD_CODEC_ZSTD);
	CHECK_EQ(pd_codec_by_suffix("a.xz"), PD_CODEC_XZ);
	CHECK_EQ(pd_codec_by_suffix("dir.gz/a"), PD_CODEC_NONE);
	CHECK_EQ(pd_codec_by_suffix("a.json"), PD_CODEC_NONE);
	CHECK_EQ(pd_codec_by_suffix(".gz"), PD_CODEC_NONE);
	CHECK_EQ(pd_codec_by_suffix("dir/.gz"), PD_CODEC_NONE);
	CHECK_EQ(pd_codec_by_suffix("gz"), PD_CODEC_NONE);
	CHECK_EQ(pd_codec_by_suffix(""), PD_CODEC_NONE);
}

static void test_available(void)
{
	CHECK(!pd_codec_load(PD_CODEC_NONE, NULL));
	CHECK(pd_decoder_new(PD_CODEC_NONE) == NULL);
	CHECK(pd_encoder_new(PD_CODEC_NONE, 0) == NULL);
	for (size_t k = 0; k < 2; k++) {
		struct pd_decoder *decoder = pd_decoder_new(kinds[k]);
		struct pd_encoder *encoder = pd_encoder_new(kinds[k], 0);
		CHECK((decoder != NULL) == !pd_codec_load(kinds[k], NULL));
		CHECK((encoder != NULL) == !pd_codec_load(kinds[k], NULL));
		pd_decoder_free(decoder);
		pd_encoder_free(encoder);
	}
}

static void check_round_trip(enum pd_codec_kind kind, size_t size, size_t step, int level)
{
	size_t compressed_size = pack(kind, plain, size, 0, step, level), used, out;
	CHECK_EQ(pd_codec_probe(compressed, compressed_size), kind);
	CHECK_EQ(unpack(kind, compressed_size, step, &used, &out), PERFDATA_END);
	CHECK_EQ(used, compressed_size);
	CHECK(out == size && !memcmp(decompressed, plain, size));
}

static void test_xz(void)
{
	/* printf 'hello hello hello hello\n' | xz --check=crc32 */
	static const uint8_t hello[] = {
		0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00, 0x00, 0x01, 0x69, 0x22, 0xde, 0x36, 0x02, 0x00, 0x21, 0x01, 0x16,
		0x00, 0x00, 0x00, 0x74, 0x2f, 0xe5, 0xa3, 0xe0, 0x00, 0x17, 0x00, 0x0c, 0x5d, 0x00, 0x34, 0x19, 0x49,
		0xee, 0x8d, 0xe9, 0x56, 0x0a, 0xc1, 0x21, 0xb0, 0x00, 0x00, 0x00, 0x88, 0x59, 0x0b, 0x00, 0x01, 0x24,
		0x18, 0xdb, 0xcc, 0x02, 0xc2, 0x90, 0x42, 0x99, 0x0d, 0x01, 0x00, 0x00, 0x00, 0x00, 0x01, 0x59, 0x5a,

	};
	/* the same with a dictionary of 256 MiB */
	static const uint8_t large[] = {
		0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00, 0x00, 0x01, 0x69, 0x22, 0xde, 0x36, 0x02, 0x00, 0x21, 0x01, 0x20,
		0x00, 0x00, 0x00, 0x09, 0x88, 0xa5, 0x76, 0xe0, 0x00, 0x17, 0x00, 0x0d, 0x5d, 0x00, 0x34, 0x19, 0x49,
		0xdb, 0x85, 0x5c, 0x67, 0xde, 0x76, 0x15, 0x7d, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x88, 0x59,
		0x0b, 0x00, 0x01, 0x25, 0x18, 0x9a, 0xfd, 0x19, 0xdb, 0x90, 0x42, 0x99, 0x0d, 0x01, 0x00, 0x00, 0x00,
		0x00, 0x01, 0x59, 0x5a,
	};
	static const char text[] = "hello hello hello hello\n";
	const size_t length = sizeof text - 1;
	size_t used, out;
	if (!is_there(PD_CODEC_XZ))
		return;
	CHECK(pd_encoder_new(PD_CODEC_XZ, 0) == NULL);
	CHECK_EQ(pd_codec_probe(hello, 6), PD_CODEC_XZ);
	CHECK_EQ(pd_codec_probe(hello, 5), PD_CODEC_NONE);
	/* two streams with padding between and after them */
	memset(compressed, 0, sizeof compressed);
	memcpy(compressed, hello, sizeof hello);
	memcpy(compressed + sizeof hello + 8, hello, sizeof hello);
	const size_t size = 2 * sizeof hello + 12;
	for (size_t step = 1; step <= size; step += 7) {
		CHECK_EQ(unpack(PD_CODEC_XZ, size, step, &used, &out), PERFDATA_END);
		CHECK_EQ(used, size);
		CHECK(out == 2 * length && !memcmp(decompressed, text, length) &&
		      !memcmp(decompressed + length, text, length));
	}
	for (size_t cut = 1; cut < sizeof hello; cut++) {
		CHECK_EQ(unpack(PD_CODEC_XZ, cut, SIZE, &used, &out), PERFDATA_OK);
		CHECK_EQ(used, cut);
	}
	for (size_t at = 0; at < 8 * sizeof hello; at++) {
		memcpy(compressed, hello, sizeof hello);
		compressed[at / 8] ^= (uint8_t)(1u << at % 8);
		/* not every bit matters, but the text has a checksum */
		bool whole = unpack(PD_CODEC_XZ, sizeof hello, SIZE, &used, &out) == PERFDATA_END;
		if (whole && (out != length || memcmp(decompressed, text, length)))
			FAIL("a flipped bit was not noticed");
	}
	memcpy(compressed, large, sizeof large);
	CHECK_EQ(unpack(PD_CODEC_XZ, sizeof large, SIZE, &used, &out), PERFDATA_ELIMIT);
}

static void test_round_trip(void)
{
	for (size_t k = 0; k < 2; k++) {
		if (!is_there(kinds[k]))
			continue;
		check_round_trip(kinds[k], 0, SIZE, 0);
		check_round_trip(kinds[k], 1, 1, 0);
		check_round_trip(kinds[k], 5000, 1, 0);
		check_round_trip(kinds[k], SIZE, 333, 1);
		check_round_trip(kinds[k], SIZE, SIZE, 0);
		check_round_trip(kinds[k], SIZE, 4096, 9);
		check_round_trip(kinds[k], 3000, 4096, 1000);
		check_round_trip(kinds[k], 3000, 4096, -1000000);
	}
}

static void test_frames_in_a_row(void)
{
	for (size_t k = 0; k < 2; k++) {
		if (!is_there(kinds[k]))
			continue;
		size_t size = 0, used, out;
		const size_t cuts[] = { 0, 100, 100, 50000, 50001, SIZE };
		for (size_t i = 0; i + 1 < sizeof cuts / sizeof *cuts; i++) {
			size = pack(kinds[k], plain + cuts[i], cuts[i + 1] - cuts[i], size, SIZE, 0);
			if (kinds[k] == PD_CODEC_ZSTD) {
				memcpy(compressed + size, "\x51\x2a\x4d\x18\x03\x00\x00\x00xyz", 11);
				size += 11;
			}
		}
		const size_t steps[] = { 1, 7, 4096, SIZE * 3 };
		for (size_t i = 0; i < 4; i++) {
			CHECK_EQ(unpack(kinds[k], size, steps[i], &used, &out), PERFDATA_END);
			CHECK_EQ(used, size);
			CHECK(out == SIZE && !memcmp(decompressed, plain, SIZE));
		}
		/* Other bytes after the stream: everything before them comes out, and their place is reported. */
		memcpy(compressed + size, "something else", 14);
		CHECK_EQ(unpack(kinds[k], size + 14, 4096, &used, &out), PERFDATA_DAMAGED);
		CHECK(out == SIZE && !memcmp(decompressed, plain, SIZE));
		CHECK(used >= size && used <= size + 14);
	}
}

static void test_cut(void)
{
	for (size_t k = 0; k < 2; k++) {
		if (!is_there(kinds[k]))
			continue;
		size_t size = pack(kinds[k], plain, SIZE, 0, SIZE, 0), used, out, last = 0;
		for (size_t cut = 1; cut < size; cut += 1 + cut / 20) {
			enum perfdata_status status = unpack(kinds[k], cut, 1000, &used, &out);
			CHECK_EQ(status, PERFDATA_OK);
			CHECK_EQ(used, cut);
			CHECK(out >= last && out <= SIZE && !memcmp(decompressed, plain, out));
			last = out;
		}
		CHECK(last > 1000);
	}
}

static void test_corrupted(void)
{
	for (size_t k = 0; k < 2; k++) {
		if (!is_there(kinds[k]))
			continue;
		size_t size = pack(kinds[k], plain, 20000, 0, SIZE, 0), used, out, noticed = 0, tried = 0;
		for (size_t at = 0; at < size; at += 1 + size / 300) {
			uint8_t before = compressed[at];
			compressed[at] ^= (uint8_t)(1u << at % 8);
			enum perfdata_status status = unpack(kinds[k], size, 999, &used, &out);
			tried++;
			/* What goes unnoticed must not matter (the time stamp in a gzip header, for one). */
			if (status == PERFDATA_END)
				CHECK(out == 20000 && !memcmp(decompressed, plain, out));
			else
				noticed++;
			compressed[at] = before;
		}
		CHECK(noticed * 10 >= tried * 9);
	}
}

/* Frames of early versions of zstd, which libzstd may know, and which are damaged here: what is said to be decompressed
 * was written. */
static void test_early_frames(void)
{
	static uint8_t out[2][4096];
	for (unsigned version = 0x21; version <= 0x2f && is_there(PD_CODEC_ZSTD); version++) {
		const uint8_t frame[] = {
			(uint8_t)version, 0xb5, 0x2f, 0xfd, 0x64, 0xb8, 0x00, 0x55, 0x03, 0x00, 0xb4, 0x03
		};
		size_t used[2] = { 0 }, size[2] = { 0 };
		for (unsigned i = 0; i < 2; i++) {
			struct pd_decoder *decoder = pd_decoder_new(PD_CODEC_ZSTD);
			memset(out[i], i ? 0xaa : 0x55, sizeof out[i]);
			(void)pd_decoder_run(decoder, frame, sizeof frame, &used[i], out[i], sizeof out[i], &size[i]);
			pd_decoder_free(decoder);
		}
		CHECK_EQ(size[0], size[1]);
		CHECK(!memcmp(out[0], out[1], size[0]));
	}
}

static void test_reset(void)
{
	for (size_t k = 0; k < 2; k++) {
		if (!is_there(kinds[k]))
			continue;
		size_t size = pack(kinds[k], plain, 20000, 0, SIZE, 0);
		struct pd_decoder *decoder = pd_decoder_new(kinds[k]);
		for (size_t half = 0; half < size; half += size / 3) {
			size_t used = 0, out = 0;
			enum perfdata_status status = pd_decoder_run(decoder, compressed, half, &used, decompressed,
								     sizeof decompressed, &out);
			CHECK_EQ(status, half ? PERFDATA_OK : kinds[k] == PD_CODEC_GZIP ? PERFDATA_OK : PERFDATA_END);
			pd_decoder_reset(decoder);
			used = out = 0;
			do
				status = pd_decoder_run(decoder, compressed, size, &used, decompressed,
							sizeof decompressed, &out);
			while (status == PERFDATA_OK && used < size);
			CHECK_EQ(status, PERFDATA_END);
			CHECK(out == 20000 && !memcmp(decompressed, plain, out));
			pd_decoder_reset(decoder);
			/* After damage too. */
			used = out = 0;
			CHECK_EQ(pd_decoder_run(decoder, (const uint8_t *)"no such format", 14, &used, decompressed, 10,
						&out),
				 PERFDATA_DAMAGED);
			pd_decoder_reset(decoder);
		}
		pd_decoder_free(decoder);
	}
}

static void test_large_window(void)
{
	if (!is_there(PD_CODEC_ZSTD))
		return;
	/* Magic number, frame header descriptor 0, window descriptor (log - 10) << 3, and an empty last block. */
	uint8_t frame[] = { 0x28, 0xb5, 0x2f, 0xfd, 0, 0, 1, 0, 0 };
	for (unsigned log = 10; log <= 41; log++) {
		frame[5] = (uint8_t)((log - 10) << 3);
		struct pd_decoder *decoder = pd_decoder_new(PD_CODEC_ZSTD);
		size_t used = 0, out = 0;
		enum perfdata_status status = pd_decoder_run(decoder, frame, sizeof frame, &used, decompressed, 100,
							     &out);
		CHECK_EQ(status, log <= 27 ? PERFDATA_END : PERFDATA_ELIMIT);
		CHECK_EQ(out, 0);
		pd_decoder_free(decoder);
	}
}

/* Appends a piece of a gzip member. */
static size_t pack_piece(struct pd_encoder *encoder, size_t from, size_t to, size_t used)
{
	size_t in_used = 0;
	pd_gzip_piece_begin(encoder, plain, from, to == SIZE);
	CHECK_EQ(pd_encoder_run(encoder, plain + from, to - from, &in_used, compressed,
				used + PD_GZIP_PIECE_ROOM(to - from), &used, true),
		 PERFDATA_END);
	CHECK_EQ(in_used, to - from);
	CHECK_EQ(pd_encoder_run(encoder, plain + from, to - from, &in_used, compressed, used, &used, true),
		 PERFDATA_END);
	return used;
}

/* Pieces that know only what is before them are one member together; a single piece is what an ordinary encoder
 * makes. */
static void test_pieces(void)
{
	static const size_t cuts[][6] = { { SIZE }, { 0, SIZE }, { 1, 5000, 70000, 70001, SIZE }, { SIZE - 1, SIZE } };
	static uint8_t whole[sizeof compressed];
	if (!is_there(PD_CODEC_GZIP))
		return;
	const size_t whole_size = pack(PD_CODEC_GZIP, plain, SIZE, 0, sizeof compressed, 1);
	memcpy(whole, compressed, whole_size);
	for (size_t c = 0; c < sizeof cuts / sizeof *cuts; c++) {
		struct pd_encoder *encoder = pd_gzip_piece_encoder_new(1);
		size_t used = PD_GZIP_HEAD, from = 0, read, out;
		uint32_t checksum = 0;
		CHECK(encoder != NULL);
		pd_gzip_head(compressed, 1);
		for (size_t i = 0; from < SIZE; from = cuts[c][i++]) {
			used = pack_piece(encoder, from, cuts[c][i], used);
			checksum = pd_gzip_checksum(checksum, plain + from, cuts[c][i] - from);
		}
		pd_encoder_free(encoder);
		pd_gzip_tail(compressed + used, checksum, SIZE);
		used += PD_GZIP_TAIL;
		CHECK_EQ(unpack(PD_CODEC_GZIP, used, SIZE, &read, &out), PERFDATA_END);
		CHECK_EQ(read, used);
		CHECK(out == SIZE && !memcmp(decompressed, plain, SIZE));
		CHECK(used < whole_size + whole_size / 50);
		CHECK(c || (used == whole_size && !memcmp(compressed, whole, used)));
	}
}

static void work_codec(void)
{
	pd_encoder_free(pd_gzip_piece_encoder_new(0));
	for (size_t k = 0; k < 2; k++) {
		struct pd_encoder *encoder = pd_encoder_new(kinds[k], 0);
		size_t in = 0, size = 0, used = 0, out = 0;
		if (encoder)
			CHECK_EQ(pd_encoder_run(encoder, plain, 1000, &in, compressed, sizeof compressed, &size, true),
				 PERFDATA_END);
		pd_encoder_free(encoder);
		struct pd_decoder *decoder = pd_decoder_new(kinds[k]);
		if (decoder) {
			enum perfdata_status status = pd_decoder_run(decoder, compressed, size, &used, decompressed,
								     sizeof decompressed, &out);
			CHECK(status == PERFDATA_ENOMEM ||
			      (out == (size ? 1000 : 0) && !memcmp(plain, decompressed, out)));
		}
		pd_decoder_free(decoder);
	}
}

static void test_no_memory(void)
{
	int n = 0;
	while (alloc_fail_run(n, work_codec))
		n++;
	CHECK(n >= 2 || pd_codec_load(PD_CODEC_GZIP, NULL));
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "probe", test_probe },
		{ "suffix", test_suffix },
		{ "available", test_available },
		{ "round trip", test_round_trip },
		{ "xz", test_xz },
		{ "frames in a row", test_frames_in_a_row },
		{ "cut short", test_cut },
		{ "corrupted", test_corrupted },
		{ "frames of early versions", test_early_frames },
		{ "reset", test_reset },
		{ "a gzip member in pieces", test_pieces },
		{ "large windows", test_large_window },
		{ "without memory", test_no_memory },
	};
	fill_plain();
	return unit_main(cases, sizeof cases / sizeof *cases);
}
