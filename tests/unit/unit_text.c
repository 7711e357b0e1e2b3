/* SPDX-License-Identifier: MIT */
/* lib/text: numbers against printf, escapes against simple forms, vector forms against plain ones. */
#include "config.h"
#include <inttypes.h>
#include <locale.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <time.h>
#include "unit.h"
#include "alloc_fail.h"
#include "base/hash.h"
#include "perfdata/text.h"
#include "text/lines.h"
#include "schema/schema.h"
#include "text/digits.h"
#include "text/shown.h"
#include "text/utf8.h"
#include "text/decimal.h"
#include "text/spelling.h"

static uint64_t random_state;

static uint64_t random64(void)
{
	random_state += 0x9e3779b97f4a7c15ull;
	return pd_hash_u64(random_state, 0x5851f42d4c957f2dull);
}

/* A number of any length: all digit counts are as likely. */
static uint64_t random_number(void) { return random64() >> random64() % 64; }

static const char *terminated(struct perfdata_text *text)
{
	perfdata_text_char(text, '\0');
	text->size--;
	return text->data;
}

#define CHECK_TEXT(text, expected) \
	do { \
		CHECK_STR(terminated(&(text)), expected); \
		perfdata_text_clear(&(text)); \
	} while (0)

/* --- buffers --- */

static void test_buffer(void)
{
	struct perfdata_text text;
	perfdata_text_init(&text);
	perfdata_text_append(&text, NULL, 0);
	perfdata_text_string(&text, "");
	CHECK(text.size == 0 && text.data == NULL);
	perfdata_text_literal(&text, "ab");
	perfdata_text_char(&text, 'c');
	perfdata_text_fill(&text, '.', 0);
	perfdata_text_fill(&text, '.', 3);
	perfdata_text_string(&text, "de");
	CHECK_TEXT(text, "abc...de");

	perfdata_text_printf(&text, "%s %d", "x", 7);
	CHECK_TEXT(text, "x 7");
	for (int width = 250; width < 260; width++) {
		perfdata_text_printf(&text, "%*d", width, 1);
		CHECK_EQ(text.size, (size_t)width);
		CHECK(text.data[width - 1] == '1');
		perfdata_text_clear(&text);
	}
	char *at = perfdata_text_reserve(&text, 100000);
	CHECK(at != NULL && text.size == 0 && text.capacity >= 100000);
	memset(at, 'z', 100000);
	perfdata_text_commit(&text, at + 100000);
	CHECK(text.size == 100000 && text.data[99999] == 'z');
	CHECK(!perfdata_text_failed(&text));
	CHECK(!perfdata_text_grow(&text, SIZE_MAX));
	CHECK(perfdata_text_failed(&text) && text.size == 100000);
	perfdata_text_release(&text);
	CHECK(text.data == NULL && !text.failed);
	perfdata_text_release(&text);
}

static void append_everything(struct perfdata_text *text)
{
	char piece[300];
	memset(piece, 'p', sizeof piece);
	for (unsigned i = 0; i < 40; i++) {
		perfdata_text_u64(text, i);
		perfdata_text_s64(text, -1);
		pd_text_hex(text, i);
		pd_text_hex_alt(text, i);
		perfdata_text_bytes(text, (struct perfdata_bytes){ (const uint8_t *)"bytes", 5 });
		pd_text_u64_pad(text, i, 30);
		pd_text_s64_pad(text, i, 30);
		pd_text_hex_pad(text, i, 30);
		perfdata_text_double(text, 0.25);
		perfdata_text_fill(text, '#', 50);
		perfdata_text_printf(text, "%300d", 5);
		perfdata_text_json_string(text, "a\"\xff", 3);
		pd_text_csv_cell(text, "a\"\xff", 3);
		perfdata_text_printable(text, "\n\xff", 2);
		pd_text_hex_dump(text, (const uint8_t *)"0123456789abcdefg", 17);
		perfdata_text_bytes_hex(text, "0123456789", 10);
		perfdata_text_append(text, piece, i);
	}
}

static struct perfdata_text everything;

/* After a failure the text is a prefix of the text without the failure. */
static void work_text(void)
{
	struct perfdata_text text;
	perfdata_text_init(&text);
	append_everything(&text);
	CHECK(perfdata_text_failed(&text) || text.size == everything.size);
	CHECK(text.size <= everything.size && (!text.size || !memcmp(text.data, everything.data, text.size)));
	perfdata_text_release(&text);
}

static void test_no_memory(void)
{
	perfdata_text_init(&everything);
	append_everything(&everything);
	CHECK(!perfdata_text_failed(&everything));
	int n = 0;
	while (alloc_fail_run(n, work_text))
		n++;
	CHECK(n > 3);
	perfdata_text_release(&everything);
}

/* --- numbers --- */

static void check_number(uint64_t value)
{
	char got[64], expected[64];
	struct perfdata_text text;
	perfdata_text_init(&text);

	*pd_u64_to(got, value) = '\0';
	snprintf(expected, sizeof expected, "%" PRIu64, value);
	CHECK_STR(got, expected);
	perfdata_text_u64(&text, value);
	CHECK_TEXT(text, expected);

	*pd_s64_to(got, (int64_t)value) = '\0';
	snprintf(expected, sizeof expected, "%" PRId64, (int64_t)value);
	CHECK_STR(got, expected);
	perfdata_text_s64(&text, (int64_t)value);
	CHECK_TEXT(text, expected);

	*pd_hex_to(got, value) = '\0';
	snprintf(expected, sizeof expected, "%" PRIx64, value);
	CHECK_STR(got, expected);
	pd_text_hex(&text, value);
	CHECK_TEXT(text, expected);

	*pd_hex_alt_to(got, value) = '\0';
	snprintf(expected, sizeof expected, "%#" PRIx64, value);
	CHECK_STR(got, expected);
	pd_text_hex_alt(&text, value);
	CHECK_TEXT(text, expected);

	for (int width = 0; width <= 16; width++) {
		*pd_hex_width_to(got, value, (unsigned)width) = '\0';
		snprintf(expected, sizeof expected, "%0*" PRIx64, width, value);
		CHECK_STR(got, expected);
	}
	for (int width = 0; width <= 40; width += 5) {
		snprintf(expected, sizeof expected, "%*" PRIu64, width, value);
		pd_text_u64_pad(&text, value, (unsigned)width);
		CHECK_TEXT(text, expected);
		snprintf(expected, sizeof expected, "%*" PRId64, width, (int64_t)value);
		pd_text_s64_pad(&text, (int64_t)value, (unsigned)width);
		CHECK_TEXT(text, expected);
		snprintf(expected, sizeof expected, "%*" PRIx64, width, value);
		pd_text_hex_pad(&text, value, (unsigned)width);
		CHECK_TEXT(text, expected);
	}
	perfdata_text_release(&text);
}

static void test_numbers(void)
{
	/* Around every power of 10 and of 2: 1 to 20 digits, 1 to 16 hex digits, both ends. */
	uint64_t power = 1;
	for (int digits = 1; digits <= 20; digits++, power *= 10)
		for (uint64_t d = 0; d < 5; d++) {
			check_number(power - 2 + d);
			check_number(0 - power + d);
		}
	for (int bit = 0; bit < 64; bit++)
		for (uint64_t d = 0; d < 3; d++)
			check_number((1ull << bit) - 1 + d);
	check_number(0);
	check_number(UINT64_MAX);
	for (int i = 0; i < 3000; i++)
		check_number(random_number());
}

static void test_small_numbers(void)
{
	/* Every value of each group of digits once, in each place. */
	char got[32], expected[32];
	unsigned wrong = 0;
	for (uint64_t v = 0; v < 10000; v++) {
		const uint64_t places[] = { 1, 10000, 100000000, 1000000000000ull, 10000000000000000ull };
		for (size_t i = 0; i < 5 - (v > 1844); i++) {
			uint64_t value = v * places[i];
			*pd_u64_to(got, value) = '\0';
			snprintf(expected, sizeof expected, "%" PRIu64, value);
			wrong += strcmp(got, expected) != 0;
		}
	}
	CHECK_EQ(wrong, 0);
}

static void test_hex_forms(void)
{
	for (int i = 0; i < 2000; i++) {
		uint64_t value = random_number();
		char fast[16], plain[16], expected[17];
		pd_hex_width_to(fast, value, 16);
		pd_hex16_plain(plain, value);
		snprintf(expected, sizeof expected, "%016" PRIx64, value);
		CHECK(!memcmp(fast, expected, 16));
		CHECK(!memcmp(plain, expected, 16));
	}
}

static void test_bytes_hex(void)
{
	struct perfdata_text text;
	perfdata_text_init(&text);
	uint8_t bytes[256];
	char expected[513] = "";
	for (unsigned i = 0; i < 256; i++) {
		bytes[i] = (uint8_t)i;
		snprintf(expected + 2 * i, 3, "%02x", i);
	}
	for (size_t size = 0; size <= 256; size++) {
		perfdata_text_bytes_hex(&text, bytes, size);
		CHECK(text.size == 2 * size && (!size || !memcmp(text.data, expected, 2 * size)));
		perfdata_text_clear(&text);
	}
	perfdata_text_release(&text);
}

static void check_double(double value)
{
	struct perfdata_text text;
	perfdata_text_init(&text);
	perfdata_text_double(&text, value);
	double back = strtod(terminated(&text), NULL);
	CHECK(back == value && !signbit(back) == !signbit(value));
	char fifteen[64];
	snprintf(fifteen, sizeof fifteen, "%.15g", value);
	if (fabs(value) >= DBL_MIN && strtod(fifteen, NULL) == value)
		CHECK_STR(terminated(&text), fifteen);
	/* No shorter spelling reads back. */
	int digits = 0, leading = 1;
	for (const char *p = text.data; *p && *p != 'e'; p++) {
		leading = leading && (*p == '0' || *p == '.' || *p == '-');
		digits += !leading && *p != '.';
	}
	if (digits > 1 && fabs(value) >= 1e15) {
		char shorter[64];
		snprintf(shorter, sizeof shorter, "%.*e", digits - 2, value);
		CHECK(strtod(shorter, NULL) != value);
	}
	perfdata_text_release(&text);
}

static void test_doubles(void)
{
	struct perfdata_text text;
	perfdata_text_init(&text);
	const struct {
		double value;
		const char *expected;
	} rows[] = {
		{ 0, "0" },
		{ -0.0, "-0" },
		{ 1, "1" },
		{ -1, "-1" },
		{ 0.1, "0.1" },
		{ 0.1 + 0.2, "0.30000000000000004" },
		{ 1e14, "100000000000000" },
		{ 1e15, "1e+15" },
		{ 1e100, "1e+100" },
		{ 123.456, "123.456" },
		{ 5e-324, "5e-324" },
		{ 1.7976931348623157e308, "1.7976931348623157e+308" },
		{ 2.2250738585072014e-308, "2.2250738585072014e-308" },
		{ NAN, "null" },
		{ INFINITY, "null" },
		{ -INFINITY, "null" },
		{ 9007199254740993.0, "9007199254740992" },
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		perfdata_text_double(&text, rows[i].value);
		CHECK_TEXT(text, rows[i].expected);
	}
	for (int i = 0; i < 3000; i++) {
		uint64_t bits = random64();
		double value;
		memcpy(&value, &bits, sizeof value);
		if (isfinite(value))
			check_double(value);
		check_double((double)(int64_t)random_number() / 1000);
		check_double((double)(random64() % 100000000000000) / 1e6);
		check_double(-(double)(random64() % 100000) / 1e7);
	}
	/* A locale with a decimal comma changes nothing. */
	if (setlocale(LC_NUMERIC, "de_DE.UTF-8")) {
		perfdata_text_double(&text, 0.5);
		CHECK_TEXT(text, "0.5");
		setlocale(LC_NUMERIC, "C");
	}
	perfdata_text_release(&text);
}

/* --- UTF-8 --- */

/* By the definition: decode, then look at the value and its shortest length. */
static size_t utf8_by_definition(const uint8_t *p, size_t left)
{
	size_t length = p[0] < 0x80             ? 1
			: (p[0] & 0xe0) == 0xc0 ? 2
			: (p[0] & 0xf0) == 0xe0 ? 3
			: (p[0] & 0xf8) == 0xf0 ? 4
						: 0;
	if (!length || length > left)
		return 0;
	uint32_t value = length == 1 ? p[0] : p[0] & (0xffu >> (length + 1));
	for (size_t i = 1; i < length; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
		value = value << 6 | (p[i] & 0x3f);
	}
	size_t shortest = value < 0x80 ? 1 : value < 0x800 ? 2 : value < 0x10000 ? 3 : 4;
	bool surrogate = value >= 0xd800 && value < 0xe000;
	return shortest == length && !surrogate && value <= 0x10ffff ? length : 0;
}

static void test_utf8(void)
{
	/* All pairs of first bytes, with tails of each class, at each length. */
	const uint8_t tails[] = { 0x00, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xff };
	unsigned wrong = 0;
	for (unsigned first = 0; first < 256; first++)
		for (unsigned second = 0; second < 256; second++)
			for (size_t k = 0; k < sizeof tails * sizeof tails; k++) {
				uint8_t p[4] = { (uint8_t)first, (uint8_t)second, tails[k / sizeof tails],
						 tails[k % sizeof tails] };
				for (size_t left = 1; left <= 4; left++)
					wrong += pd_utf8_length(p, left) != utf8_by_definition(p, left);
			}
	CHECK_EQ(wrong, 0);

	CHECK(pd_utf8_valid(NULL, 0));
	CHECK(pd_utf8_valid("plain text that is longer than eight bytes", 42));
	CHECK(pd_utf8_valid("\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80 and more \xc3\xa4", 21));
	CHECK(!pd_utf8_valid("\xc0\x80", 2));              /* overlong NUL */
	CHECK(!pd_utf8_valid("\xe0\x9f\xbf", 3));          /* overlong */
	CHECK(!pd_utf8_valid("\xf0\x8f\xbf\xbf", 4));      /* overlong */
	CHECK(!pd_utf8_valid("\xed\xa0\x80", 3));          /* surrogate */
	CHECK(!pd_utf8_valid("\xf4\x90\x80\x80", 4));      /* above U+10FFFF */
	CHECK(!pd_utf8_valid("12345678\xe2\x82", 10));     /* ends early */
	CHECK(!pd_utf8_valid("\x80", 1));
}

/* --- JSON --- */

/* The slow and obvious form. */
static bool json_simple(struct perfdata_text *text, const uint8_t *p, size_t size)
{
	bool valid = true;
	perfdata_text_char(text, '"');
	for (size_t i = 0; i < size;) {
		size_t length = utf8_by_definition(p + i, size - i);
		const char *names = "btnvfr";
		if (!length) {
			perfdata_text_string(text, "\xef\xbf\xbd");
			valid = false;
		} else if (p[i] == '"' || p[i] == '\\') {
			perfdata_text_printf(text, "\\%c", p[i]);
		} else if (p[i] >= 8 && p[i] <= 13 && p[i] != 11) {
			perfdata_text_printf(text, "\\%c", names[p[i] - 8]);
		} else if (p[i] < 0x20) {
			perfdata_text_printf(text, "\\u%04x", p[i]);
		} else {
			perfdata_text_append(text, p + i, length);
		}
		i += length ? length : 1;
	}
	perfdata_text_char(text, '"');
	return valid;
}

static bool json_runs(const uint8_t *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (bytes[i] < 0x20 || bytes[i] >= 0x80 || bytes[i] == '"' || bytes[i] == '\\')
			return false;
	return true;
}

static void check_json(const uint8_t *bytes, size_t size)
{
	struct perfdata_text fast, simple;
	perfdata_text_init(&fast);
	perfdata_text_init(&simple);
	/* A copy of exactly this size, so that memory checkers see a read beyond the end. */
	uint8_t *copy = malloc(size ? size : 1);
	if (size)
		memcpy(copy, bytes, size);
	bool valid = perfdata_text_json_string(&fast, copy, size);
	CHECK_EQ(valid, json_simple(&simple, copy, size));
	CHECK_EQ(valid, pd_utf8_valid(copy, size));
	CHECK_EQ(pd_json_plain(copy, size), json_runs(copy, size));
	CHECK(fast.size == simple.size && !memcmp(fast.data, simple.data, fast.size));
	CHECK(pd_utf8_valid(fast.data, fast.size));

	char room[600];
	if (size <= 512) {
		size_t run = pd_json_plain_run(room, copy, size), expected = 0;
		while (expected < size && json_runs(copy + expected, 1))
			expected++;
		CHECK_EQ(run, expected);
		CHECK(!memcmp(room, copy, run));
	}
	free(copy);
	perfdata_text_release(&fast);
	perfdata_text_release(&simple);
}

static void test_json(void)
{
	struct perfdata_text text;
	perfdata_text_init(&text);
	CHECK(perfdata_text_json_string(&text, NULL, 0));
	CHECK_TEXT(text, "\"\"");
	CHECK(perfdata_text_json_string(&text, "a\"b\\c\n\t\r\b\f\x07\x00\x1f\x7f/", 15));
	CHECK_TEXT(text, "\"a\\\"b\\\\c\\n\\t\\r\\b\\f\\u0007\\u0000\\u001f\x7f/\"");
	CHECK(!perfdata_text_json_string(&text, "x\xff\xc3y", 4));
	CHECK_TEXT(text, "\"x\xef\xbf\xbd\xef\xbf\xbdy\"");
	CHECK(!perfdata_text_json_string(&text, "\xed\xa0\x80", 3));
	CHECK_TEXT(text, "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"");
	perfdata_text_release(&text);

	/* Each byte value at each place of a block and after it. */
	uint8_t bytes[512];
	for (unsigned value = 0; value < 256; value++)
		for (size_t size = 1; size < 40; size += 3)
			for (size_t at = 0; at < size; at++) {
				memset(bytes, 'a', size);
				bytes[at] = (uint8_t)value;
				check_json(bytes, size);
			}
	/* Random mixtures: plain, special, sequences whole and broken. */
	const char *const parts[] = { "a",
				      "bc",
				      "\"",
				      "\\",
				      "\n",
				      "\x01",
				      "\xc3\xa4",
				      "\xe2\x82\xac",
				      "\xf0\x9f\x98\x80",
				      "\xff",
				      "\xe2\x82",
				      "0123456789",
				      "\xed\xa0\x80",
				      "\xc0\x80" };
	for (int i = 0; i < 3000; i++) {
		size_t size = 0, wanted = (size_t)(random64() % 120);
		while (size < wanted) {
			const char *part = parts[random64() % (sizeof parts / sizeof *parts)];
			memcpy(bytes + size, part, strlen(part));
			size += strlen(part);
		}
		check_json(bytes, size);
	}
}

static void test_json_long(void)
{
	/* Sequences and escapes across the ends of the pieces in which long strings are worked. */
	static uint8_t bytes[20000];
	for (size_t shift = 0; shift < 8; shift++) {
		memset(bytes, 'q', sizeof bytes);
		for (size_t end = 4096; end + 8 < sizeof bytes; end += 4096)
			memcpy(bytes + end - 6 + shift, "\xf0\x9f\x98\x80", 4);
		check_json(bytes, sizeof bytes);
		check_json(bytes, 4096 + shift);
		memset(bytes, 1, sizeof bytes);
		check_json(bytes, sizeof bytes - shift);
	}
	for (size_t i = 0; i < sizeof bytes; i++)
		bytes[i] = (uint8_t)random64();
	check_json(bytes, sizeof bytes);
}

/* --- lines that are alike --- */

#define PART(text_, form_, base_, offset_)                                                                       \
	{                                                                                                        \
		.text = text_ SLACK, .size = sizeof text_ - 1, .offset = offset_, .form = PERFDATA_PART_##form_, \
		.base = base_                                                                                    \
	}
#define SLACK "################################"
#define LONG_TEXT "0123456789abcdefghijklmnopqrstuvwxyz0123456789abcdefghijklmnopqrstuvwxyz"

static void check_parts(const struct perfdata_part *parts, size_t stop, const void *const *bases, const char *expected)
{
	char line[1024];
	memset(line, '#', sizeof line);
	const struct perfdata_part *part = parts;
	char *end = pd_parts_to(line, &part, bases);
	CHECK(part == parts + stop);
	CHECK_EQ((size_t)(end - line), strlen(expected));
	CHECK(memcmp(line, expected, strlen(expected)) == 0);
}

static void test_parts(void)
{
	const struct {
		uint64_t u64;
		uint32_t u32, none;
		uint16_t u16;
		uint8_t u8;
	} small = { 12345678901234567890u, 4000000000u, UINT32_MAX, 65535, 255 }, zero = { 0 };
	const void *const bases[] = { &small, &zero };
#define AT(name) ((uint32_t)((const char *)&small.name - (const char *)&small))
	const struct perfdata_part unsigned_parts[] = {
		PART("a", U8, 0, AT(u8)), PART(",", U16, 0, AT(u16)), PART("", STOP, 0, 7), PART(",", U32, 0, AT(u32)),
		PART(LONG_TEXT, U64, 0, AT(u64)), PART(",", U64, 1, AT(u64)), PART(";", STOP, 0, 0),
	};
	check_parts(unsigned_parts, 2, bases, "a255,65535");
	check_parts(unsigned_parts + 3, 3, bases, ",4000000000" LONG_TEXT "12345678901234567890,0;");
	const struct perfdata_part signed_parts[] = {
		PART("", S8, 0, AT(u8)),    PART(",", S16, 0, AT(u16)), PART(",", S32, 0, AT(u32)),
		PART(",", S64, 0, AT(u64)), PART(",", S8, 1, AT(u8)),   PART("", STOP, 0, 0),
	};
	check_parts(signed_parts, 5, bases, "-1,-1,-294967296,-6101065172474983726,0");
	struct perfdata_part wide = PART("", X16, 0, AT(u16));
	wide.width = 8;
	const struct perfdata_part wide_parts[] = { wide, PART("", STOP, 0, 0) };
	check_parts(wide_parts, 1, bases, "0000ffff");
	const struct perfdata_part hex_parts[] = {
		PART("0x", X8, 0, AT(u8)),  PART(",", X16, 0, AT(u16)), PART(",", X32, 0, AT(u32)),
		PART(",", X64, 0, AT(u64)), PART(",", X64, 1, AT(u64)), PART("", STOP, 0, 0),
	};
	check_parts(hex_parts, 5, bases, "0xff,ffff,ee6b2800,ab54a98ceb1f0ad2,0");
	const struct perfdata_part none_parts[] = {
		PART("[", U32_OR_NONE, 0, AT(none)),
		PART(",", U32_OR_NULL, 0, AT(none)),
		PART(",", U32_OR_NONE, 1, AT(none)),
		PART(",", U32_OR_NULL, 0, AT(u32)),
		PART("]", STOP, 0, 0),
	};
	check_parts(none_parts, 4, bases, "[,null,0,4000000000]");
#undef AT
}

static void make_line(struct perfdata_line *line, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		perfdata_text_literal(&line->text, LONG_TEXT);
		pd_line_part(line, (struct perfdata_part){ .form = PERFDATA_PART_U8, .offset = (uint32_t)i });
		if (i & 1)
			pd_line_part(line,
					   (struct perfdata_part){ .form = PERFDATA_PART_STOP, .offset = (uint32_t)i });
	}
	pd_line_part(line, (struct perfdata_part){ .form = PERFDATA_PART_STOP, .offset = 100 });
}

static void work_line(void)
{
	static const uint8_t numbers[] = { 1, 20, 255, 0 };
	const void *const bases[] = { numbers };
	struct perfdata_line line = { 0 };
	struct perfdata_text out;
	perfdata_text_init(&out);
	make_line(&line, sizeof numbers);
	if (pd_line_finish(&line)) {
		const struct perfdata_part *part = perfdata_line_parts(&line);
		for (bool more = true; more; part++) {
			more = perfdata_text_parts(&out, &line, &part, bases) && part->offset != 100;
			perfdata_text_char(&out, '/');
		}
		if (!perfdata_text_failed(&out))
			CHECK_TEXT(out, LONG_TEXT "1" LONG_TEXT "20/" LONG_TEXT "255" LONG_TEXT "0//");
	}
	pd_line_release(&line);
	perfdata_text_release(&out);
}

static void test_line(void)
{
	int n = 0;
	work_line();
	while (alloc_fail_run(n, work_line))
		n++;
	CHECK(n > 2);
}

/* --- CSV, terminal --- */

static void check_csv(const char *in, size_t size, const char *expected, bool valid)
{
	struct perfdata_text text;
	perfdata_text_init(&text);
	CHECK_EQ(pd_text_csv_cell(&text, in, size), valid);
	CHECK_TEXT(text, expected);
	perfdata_text_release(&text);
}

static void test_csv(void)
{
	check_csv(NULL, 0, "", true);
	check_csv("plain", 5, "plain", true);
	check_csv("a,b", 3, "\"a,b\"", true);
	check_csv("a\"b", 3, "\"a\"\"b\"", true);
	check_csv("\"", 1, "\"\"\"\"", true);
	check_csv("a\nb", 3, "\"a\nb\"", true);
	check_csv("a\rb", 3, "\"a\rb\"", true);
	check_csv(" blank ", 7, " blank ", true);
	check_csv("\xc3\xa4", 2, "\xc3\xa4", true);
	check_csv("\xc3\xa4,", 3, "\"\xc3\xa4,\"", true);
	check_csv("\xff", 1, "\xef\xbf\xbd", false);
	check_csv("\xff,\xe2\x82", 4, "\"\xef\xbf\xbd,\xef\xbf\xbd\xef\xbf\xbd\"", false);

	/* Each byte at each place: it is quoted exactly when it must be. */
	struct perfdata_text text;
	perfdata_text_init(&text);
	for (unsigned value = 0; value < 256; value++)
		for (size_t at = 0; at < 35; at++) {
			char bytes[35];
			memset(bytes, 'a', sizeof bytes);
			bytes[at] = (char)value;
			CHECK_EQ(pd_text_csv_cell(&text, bytes, sizeof bytes), value < 0x80);
			bool quote = value == ',' || value == '"' || value == '\r' || value == '\n';
			CHECK((text.data[0] == '"') == quote);
			size_t size = sizeof bytes + (quote ? 2 : 0) + (value == '"') + (value >= 0x80 ? 2 : 0);
			CHECK_EQ(text.size, size);
			perfdata_text_clear(&text);
		}
	perfdata_text_release(&text);
}

static void test_printable(void)
{
	struct perfdata_text text;
	perfdata_text_init(&text);
	perfdata_text_printable(&text, NULL, 0);
	CHECK_EQ(text.size, 0);
	perfdata_text_printable(&text, "a\x1b[31m\n\x7f\xc3\xa4\xff\xc2\x9b\0z", 15);
	CHECK_TEXT(text, "a\\x1b[31m\\x0a\\x7f\xc3\xa4\\xff\\xc2\\x9b\\x00z");
	perfdata_text_clear(&text);
	perfdata_text_printable(&text, "a\xe2\x80\xae" "b\xf3\xa0\x81\x81" "c\xef\xbb\xbf\xe2\x82\xac", 16);
	CHECK_TEXT(text, "a\\xe2\\x80\\xaeb\\xf3\\xa0\\x81\\x81c\\xef\\xbb\\xbf\xe2\x82\xac");
	perfdata_text_release(&text);
}

/* What a terminal gets is the same however the bytes are cut, and the pieces that are held back are short. */
static void test_terminal(void)
{
	static const char bytes[] = "a\tb\r\nc\rd\x1b[31mred\x1b[0m\x1b]0;t\x07\xc3\xa4"
				    "\xe2\x80\xae\xf0\x9f\x98\x80\xff\xe2\x80z"
				    "\x1b[1;2Kx\xe2\x82\x1b[";
	static const char plain[] = "a\tb\r\nc\\x0dd\\x1b[31mred\\x1b[0m\\x1b]0;t\\x07\xc3\xa4"
				    "\\xe2\\x80\\xae\xf0\x9f\x98\x80\\xff\\xe2"
				    "\\x80z\\x1b[1;2Kx\\xe2\\x82\\x1b[";
	static const char colored[] = "a\tb\r\nc\\x0dd\x1b[31mred\x1b[0m\\x1b]0;t\\x07\xc3\xa4"
				      "\\xe2\\x80\\xae\xf0\x9f\x98\x80\\xff\\xe2"
				      "\\x80z\\x1b[1;2Kx\\xe2\\x82\\x1b[";
	const size_t size = sizeof bytes - 1;
	for (unsigned colors = 0; colors < 2; colors++)
		for (size_t step = 1; step <= size; step++) {
			struct perfdata_text text;
			perfdata_text_init(&text);
			for (size_t at = 0, end = 0; at < size;) {
				end = end + step < size ? end + step : size;
				at += pd_text_terminal(&text, bytes + at, end - at, colors, end == size);
				CHECK(end - at < 32);
			}
			perfdata_text_char(&text, '\0');
			CHECK(!strcmp(text.data, colors ? colored : plain));
			perfdata_text_release(&text);
		}
}

/* --- dump --- */

static void dump_simple(struct perfdata_text *text, const uint8_t *bytes, size_t size)
{
	for (size_t at = 0; at < size; at += 16) {
		perfdata_text_printf(text, ".  %04x: ", (unsigned)at);
		for (size_t i = at; i < at + 16; i++)
			if (i < size)
				perfdata_text_printf(text, " %02x", bytes[i]);
			else
				perfdata_text_literal(text, "   ");
		perfdata_text_literal(text, "  ");
		for (size_t i = at; i < at + 16; i++)
			perfdata_text_char(text, i >= size                             ? ' '
						 : bytes[i] >= 0x20 && bytes[i] < 0x7f ? (char)bytes[i]
										       : '.');
		perfdata_text_char(text, '\n');
	}
}

static void check_dump(const uint8_t *bytes, size_t size)
{
	struct perfdata_text fast, simple;
	perfdata_text_init(&fast);
	perfdata_text_init(&simple);
	pd_text_hex_dump(&fast, bytes, size);
	dump_simple(&simple, bytes, size);
	CHECK(fast.size == simple.size && (!size || !memcmp(fast.data, simple.data, fast.size)));
	perfdata_text_release(&fast);
	perfdata_text_release(&simple);
}

static void test_dump(void)
{
	static const uint8_t comm[] = {
		3, 0, 0, 0, 0, 0x20, 0x38, 0, 0x64, 0, 0, 0, 0x64, 0, 0, 0, 0x70, 0x72, 0x6f, 0x67, 0, 0, 0, 0
	};
	struct perfdata_text text;
	perfdata_text_init(&text);
	pd_text_hex_dump(&text, comm, sizeof comm);
	CHECK_TEXT(text, ".  0000:  03 00 00 00 00 20 38 00 64 00 00 00 64 00 00 00  ..... 8.d...d...\n"
			 ".  0010:  70 72 6f 67 00 00 00 00                          prog....        \n");
	perfdata_text_release(&text);

	static uint8_t bytes[0x10000 + 100];
	for (size_t i = 0; i < sizeof bytes; i++)
		bytes[i] = (uint8_t)(i < 256 ? i : random64());
	for (size_t size = 0; size < 600; size++)
		check_dump(bytes, size);
	check_dump(bytes, 0xffff);
	check_dump(bytes, 0x10000);
	check_dump(bytes, 0x10001);
	check_dump(bytes, sizeof bytes);

	static char fast[100 * PD_DUMP_LINE], plain[100 * PD_DUMP_LINE];
	for (uint32_t offset = 0; offset + 1600 <= 0x10000; offset += 4080) {
		pd_dump_lines(fast, bytes + offset, 100, offset);
		pd_dump_lines_plain(plain, bytes + offset, 100, offset);
		CHECK(!memcmp(fast, plain, sizeof fast));
	}
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "buffer", test_buffer },
		{ "buffer without memory", test_no_memory },
		{ "numbers against printf", test_numbers },
		{ "every group of digits", test_small_numbers },
		{ "hex: vector and plain form", test_hex_forms },
		{ "bytes as hex", test_bytes_hex },
		{ "floating point", test_doubles },
		{ "UTF-8", test_utf8 },
		{ "JSON strings", test_json },
		{ "long JSON strings", test_json_long },
		{ "parts of lines", test_parts },
		{ "lines that are alike", test_line },
		{ "CSV cells", test_csv },
		{ "printable", test_printable },
		{ "terminal", test_terminal },
		{ "hex dump", test_dump },
	};
	const char *given = getenv("UNIT_SEED");
	random_state = given ? strtoull(given, NULL, 0) : (uint64_t)time(NULL);
	printf("# UNIT_SEED=%" PRIu64 "\n", random_state);
	return unit_main(cases, sizeof cases / sizeof *cases);
}
