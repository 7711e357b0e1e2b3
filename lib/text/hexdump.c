/* SPDX-License-Identifier: MIT */
#include "config.h"
#if defined(__x86_64__) || defined(__i386__)
#define WITH_SSSE3 1
#include <cpuid.h>
#include <stdatomic.h>
#include <tmmintrin.h>
#endif
#include "perfdata/text.h"
#include "text/digits.h"
#include "text/spelling.h"

/* A line: `.  0010:  70 72 … 00  prog....d...e...` and a newline. */
#define OFFSET_AT 3
#define HEX_AT 9
#define TEXT_AT (HEX_AT + 3 * 16 + 2)

static void frame_to(char *at, uint32_t offset)
{
	memcpy(at, ".  0000: ", HEX_AT);
	memcpy(at + OFFSET_AT, pd_hex_pairs + 2 * (offset >> 8), 2);
	memcpy(at + OFFSET_AT + 2, pd_hex_pairs + 2 * (offset & 0xff), 2);
	memcpy(at + TEXT_AT - 2, "  ", 2);
	at[PD_DUMP_LINE - 1] = '\n';
}

void pd_dump_lines_plain(char *at, const uint8_t *bytes, size_t count, uint32_t offset)
{
	for (; count; count--, at += PD_DUMP_LINE, bytes += 16, offset += 16) {
		frame_to(at, offset);
		for (unsigned i = 0; i < 16; i++) {
			at[HEX_AT + 3 * i] = ' ';
			memcpy(at + HEX_AT + 3 * i + 1, pd_hex_pairs + 2 * bytes[i], 2);
			at[TEXT_AT + i] = (char)(bytes[i] >= 0x20 && bytes[i] < 0x7f ? bytes[i] : '.');
		}
	}
}

#ifdef WITH_SSSE3
__attribute__((target("ssse3")))
static void dump_lines_ssse3(char *at, const uint8_t *bytes, size_t count, uint32_t offset)
{
	/* three shuffles spread the 32 digits of 16 bytes over 48 columns; -1 gives a zero, which becomes a blank; the
	 * second shuffle takes the middle 16 digits */
	const __m128i spread0 = _mm_setr_epi8(-1, 0, 1, -1, 2, 3, -1, 4, 5, -1, 6, 7, -1, 8, 9, -1);
	const __m128i spread1 = _mm_setr_epi8(2, 3, -1, 4, 5, -1, 6, 7, -1, 8, 9, -1, 10, 11, -1, 12);
	const __m128i spread2 = _mm_setr_epi8(5, -1, 6, 7, -1, 8, 9, -1, 10, 11, -1, 12, 13, -1, 14, 15);
	const __m128i blank = _mm_set1_epi8(' ');
	const __m128i blanks0 = _mm_and_si128(blank, _mm_cmpgt_epi8(_mm_setzero_si128(), spread0));
	const __m128i blanks1 = _mm_and_si128(blank, _mm_cmpgt_epi8(_mm_setzero_si128(), spread1));
	const __m128i blanks2 = _mm_and_si128(blank, _mm_cmpgt_epi8(_mm_setzero_si128(), spread2));
	const __m128i digits = _mm_setr_epi8('0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'a', 'b', 'c', 'd', 'e',
					     'f');
	const __m128i nibble = _mm_set1_epi8(0x0f), dot = _mm_set1_epi8('.');

	for (; count; count--, at += PD_DUMP_LINE, bytes += 16, offset += 16) {
		__m128i in = _mm_loadu_si128((const __m128i *)bytes);
		__m128i high = _mm_shuffle_epi8(digits, _mm_and_si128(_mm_srli_epi16(in, 4), nibble));
		__m128i low = _mm_shuffle_epi8(digits, _mm_and_si128(in, nibble));
		__m128i first = _mm_unpacklo_epi8(high, low), last = _mm_unpackhi_epi8(high, low);
		__m128i middle = _mm_alignr_epi8(last, first, 8);
		/* signed: bytes from 0x80 on are below 0x20 too */
		__m128i shown = _mm_andnot_si128(_mm_cmpeq_epi8(in, _mm_set1_epi8(0x7f)),
						 _mm_cmpgt_epi8(in, _mm_set1_epi8(0x1f)));
		__m128i text = _mm_or_si128(_mm_and_si128(shown, in), _mm_andnot_si128(shown, dot));

		frame_to(at, offset);
		_mm_storeu_si128((__m128i *)(at + HEX_AT), _mm_or_si128(_mm_shuffle_epi8(first, spread0), blanks0));
		_mm_storeu_si128((__m128i *)(at + HEX_AT + 16),
				 _mm_or_si128(_mm_shuffle_epi8(middle, spread1), blanks1));
		_mm_storeu_si128((__m128i *)(at + HEX_AT + 32), _mm_or_si128(_mm_shuffle_epi8(last, spread2), blanks2));
		_mm_storeu_si128((__m128i *)(at + TEXT_AT), text);
	}
}

/* The processor is queried at the first dump: __builtin_cpu_supports would query it a dozen times whenever the library
 * is loaded, and in a virtual machine each query takes some microseconds. */
static atomic_int ssse3_answer;

static bool has_ssse3(void)
{
	enum { NOT_ASKED, LACKS, HAS };
	int answer = atomic_load_explicit(&ssse3_answer, memory_order_relaxed);
	if (answer == NOT_ASKED) {
		unsigned eax, ebx, ecx, edx;
		answer = __get_cpuid(1, &eax, &ebx, &ecx, &edx) && (ecx & bit_SSSE3) ? HAS : LACKS;
		atomic_store_explicit(&ssse3_answer, answer, memory_order_relaxed);
	}
	return answer == HAS;
}

void pd_dump_lines(char *at, const uint8_t *bytes, size_t count, uint32_t offset)
{
	if (has_ssse3())
		dump_lines_ssse3(at, bytes, count, offset);
	else
		pd_dump_lines_plain(at, bytes, count, offset);
}
#else
void pd_dump_lines(char *at, const uint8_t *bytes, size_t count, uint32_t offset)
{
	pd_dump_lines_plain(at, bytes, count, offset);
}
#endif

/* Formats the last, shorter line as a whole line, then overwrites its end with blanks. */
static char *short_line_to(char *at, const uint8_t *bytes, size_t size, uint32_t offset)
{
	uint8_t padded[16] = { 0 };
	memcpy(padded, bytes, size);
	pd_dump_lines(at, padded, 1, offset);
	memset(at + HEX_AT + 3 * size, ' ', 3 * (16 - size));
	memset(at + TEXT_AT + size, ' ', 16 - size);
	return at + PD_DUMP_LINE;
}

/* Formats offsets of more than four digits. No record is so large, so speed does not matter. */
static void dump_wide(struct perfdata_text *text, const uint8_t *bytes, size_t size, size_t offset)
{
	for (; size && !text->failed; offset += 16) {
		size_t part = size < 16 ? size : 16;
		char line[PD_DUMP_LINE];
		short_line_to(line, bytes, part, 0);
		char number[32];
		perfdata_text_append(text, line, OFFSET_AT);
		perfdata_text_append(text, number, (size_t)(pd_hex_to(number, offset) - number));
		perfdata_text_append(text, line + OFFSET_AT + 4, sizeof line - OFFSET_AT - 4);
		bytes += part;
		size -= part;
	}
}

void pd_text_hex_dump(struct perfdata_text *text, const uint8_t *bytes, size_t size)
{
	size_t near = size < 0x10000 ? size : 0x10000;
	size_t lines = near / 16, rest = near % 16;
	char *at = size ? perfdata_text_reserve(text, (lines + 1) * PD_DUMP_LINE) : NULL;
	if (!at)
		return;
	if (lines)
		pd_dump_lines(at, bytes, lines, 0);
	at += lines * PD_DUMP_LINE;
	if (rest)
		at = short_line_to(at, bytes + lines * 16, rest, (uint32_t)lines * 16);
	perfdata_text_commit(text, at);
	if (size > near)
		dump_wide(text, bytes + near, size - near, near);
}
