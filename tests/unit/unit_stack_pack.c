/* SPDX-License-Identifier: MIT */
/* lib/emit/stacks/stack_pack: the same bytes with any number of threads and in any parts; failures without memory. */
#include "config.h"
#include <stdlib.h>
#include "unit.h"
#include "alloc_fail.h"
#include "base/hash.h"
#include "base/memory.h"
#include "emit/stacks/stack_pack.h"

#define SIZE ((size_t)1 << 20)

static uint8_t plain[SIZE + 1], unpacked[SIZE + 1];

/* Half noise, half repetition. */
static void fill_plain(void)
{
	for (size_t i = 0; i < sizeof plain; i++)
		plain[i] = (uint8_t)(i % 2000 < 1000 ? pd_hash_u64(i, 7) : i / 100);
}

/* Packs in parts of up to `most` bytes. False after a failure. */
static bool pack_plain(struct perfdata_text *out, size_t size, size_t most, bool base64, unsigned threads)
{
	struct stack_pack pack;
	perfdata_text_init(out);
	if (!pd_stack_pack_begin(&pack, out, base64, threads))
		return false;
	for (size_t at = 0, more; at < size; at += more) {
		more = 1 + (size_t)pd_hash_u64(at, 5) % most;
		more = more < size - at ? more : size - at;
		pd_stack_pack_write(&pack, plain + at, more);
	}
	return pd_stack_pack_end(&pack);
}

static void check_unpacked(const struct perfdata_text *packed, size_t size)
{
	struct pd_decoder *decoder = pd_decoder_new(PD_CODEC_GZIP);
	size_t used = 0, out = 0;
	enum perfdata_status status = PERFDATA_OK;
	CHECK(decoder != NULL);
	for (size_t before = SIZE; status == PERFDATA_OK && used != before;) {
		before = used;
		status = pd_decoder_run(decoder, (const uint8_t *)packed->data, packed->size, &used, unpacked,
					sizeof unpacked, &out);
	}
	CHECK_EQ(status, PERFDATA_END);
	CHECK_EQ(used, packed->size);
	CHECK(out == size && !memcmp(unpacked, plain, size));
	pd_decoder_free(decoder);
}

static void test_threads(void)
{
	static const size_t sizes[] = { 0, 1, 1000, (size_t)128 << 10, ((size_t)128 << 10) + 1, 700000, SIZE };
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		struct perfdata_text one, other;
		CHECK(pack_plain(&one, sizes[i], SIZE, false, 1));
		check_unpacked(&one, sizes[i]);
		for (unsigned threads = 0; threads < 10; threads += 3) {
			CHECK(pack_plain(&other, sizes[i], threads ? 50000 : 3000, false, threads));
			CHECK(one.size == other.size && !memcmp(one.data, other.data, one.size));
			perfdata_text_release(&other);
		}
		perfdata_text_release(&one);
	}
}

/* An output of one piece is what a gzip encoder makes of all bytes. */
static void test_one_piece(void)
{
	enum { SMALL = 5000 };
	struct perfdata_text packed;
	uint8_t wanted[2 * SMALL];
	struct pd_encoder *encoder = pd_encoder_new(PD_CODEC_GZIP, 1);
	size_t used = 0, made = 0;
	CHECK(encoder != NULL);
	CHECK_EQ(pd_encoder_run(encoder, plain, SMALL, &used, wanted, sizeof wanted, &made, true), PERFDATA_END);
	pd_encoder_free(encoder);
	CHECK(pack_plain(&packed, SMALL, 100, false, 2));
	CHECK(packed.size == made && !memcmp(packed.data, wanted, made));
	perfdata_text_release(&packed);
}

static void test_base64(void)
{
	for (size_t size = 1000; size < 1003; size++) {
		struct perfdata_text bytes, text, wanted;
		perfdata_text_init(&wanted);
		CHECK(pack_plain(&bytes, size, 7, false, 1));
		CHECK(pack_plain(&text, size, 100, true, 3));
		pd_stack_text_base64(&wanted, (const uint8_t *)bytes.data, bytes.size);
		CHECK(text.size == wanted.size && !memcmp(text.data, wanted.data, text.size));
		perfdata_text_release(&bytes);
		perfdata_text_release(&text);
		perfdata_text_release(&wanted);
	}
}

static unsigned threads_of_work;

static void work_pack(void)
{
	struct perfdata_text packed;
	if (pack_plain(&packed, 600000, SIZE, false, threads_of_work)) {
		const long countdown = alloc_fail_countdown;
		alloc_fail_countdown = -1;
		check_unpacked(&packed, 600000);
		alloc_fail_countdown = countdown;
	}
	perfdata_text_release(&packed);
}

static void test_no_memory(void)
{
	for (threads_of_work = 1; threads_of_work < 4; threads_of_work++) {
		int n = 0;
		while (alloc_fail_run(n, work_pack))
			n++;
		CHECK(n > 5);
	}
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "the same bytes with any number of threads", test_threads },
		{ "one piece", test_one_piece },
		{ "base64", test_base64 },
		{ "without memory", test_no_memory },
	};
	fill_plain();
	if (pd_codec_load(PD_CODEC_GZIP, NULL)) {
		printf("1..0 # SKIP this build or system has no zlib\n");
		return 0;
	}
	return unit_main(cases, sizeof cases / sizeof *cases);
}
