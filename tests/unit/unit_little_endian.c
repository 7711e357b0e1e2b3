/* SPDX-License-Identifier: MIT */
/* Parquet's words have their lowest byte first on hosts of either order: each value that words make up is compared
 * with bytes that are spelled here. */
#include <string.h>
#include "base/cursor.h"
#include "emit/parquet/encode_delta.h"
#include "emit/parquet/encode_runs.h"
#include "unit.h"

static bool has_bytes(const void *at, const uint8_t *expected, size_t size) { return !memcmp(at, expected, size); }

static void check_words(void)
{
	const uint32_t narrow = pd_little32(0x01020304);
	const uint64_t wide = pd_little64(UINT64_C(0x0102030405060708));
	CHECK((has_bytes(&narrow, (const uint8_t[]){ 4, 3, 2, 1 }, 4)));
	CHECK((has_bytes(&wide, (const uint8_t[]){ 8, 7, 6, 5, 4, 3, 2, 1 }, 8)));
}

/* Differences 0, 1, 2 … 31, and of the second 32 values: 0 … 31 again, which is 5 bits each. */
static void check_delta(void)
{
	enum { NR = 65 };
	uint64_t values[NR] = { 0 };
	uint8_t expected[64] = { 0x80, 0x01, 4, NR, 0, 0, 5, 5, 0, 0 };
	size_t at = 10;
	struct perfdata_text out;
	for (size_t i = 1; i < NR; i++)
		values[i] = values[i - 1] + (i - 1) % 32;
	/* bit k of the packed numbers is bit k % 8 of byte k / 8 */
	for (unsigned i = 0; i < 64; i++)
		for (unsigned bit = 0; bit < 5; bit++)
			if (i % 32 >> bit & 1)
				expected[at + (5 * i + bit) / 8] |= (uint8_t)(1u << (5 * i + bit) % 8);
	at += 64 * 5 / 8;
	perfdata_text_init(&out);
	pd_encode_delta(&out, values, NR, 64);
	CHECK((out.size == at && has_bytes(out.data, expected, at)));
	perfdata_text_release(&out);
}

static void check_runs(void)
{
	const uint32_t values[8] = { 0, 1, 2, 3, 4, 5, 6, 7 }, wide[8] = { 0x201, 0, 0, 0, 0, 0, 0, 0x3ff };
	struct run_encoder runs;
	struct perfdata_text out;
	perfdata_text_init(&out);
	pd_run_encoder_init(&runs, &out, 3);
	pd_run_encoder_values(&runs, values, 8);
	pd_run_encoder_end(&runs);
	CHECK((out.size == 4 && has_bytes(out.data, (const uint8_t[]){ 3, 0x88, 0xc6, 0xfa }, 4)));
	perfdata_text_clear(&out);
	pd_run_encoder_init(&runs, &out, 10);
	pd_run_encoder_values(&runs, wide, 8);
	pd_run_encoder_end(&runs);
	CHECK((out.size == 11 && has_bytes(out.data, (const uint8_t[]){ 3, 1, 2, 0, 0, 0, 0, 0, 0, 0xc0, 0xff }, 11)));
	perfdata_text_release(&out);
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "words", check_words },
		{ "packed differences", check_delta },
		{ "groups", check_runs },
	};
	return unit_main(cases, sizeof cases / sizeof *cases);
}
