/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif
#include "emit/table/packed_cells.h"

/* Rounds up to words, so that each array is aligned. */
static size_t whole_words(size_t size) { return (size + 7) & ~(size_t)7; }

static uint8_t width_of(uint64_t range)
{
	return !range ? 0 : range <= UINT8_MAX ? 1 : range <= UINT16_MAX ? 2 : range <= UINT32_MAX ? 4 : 8;
}

/* Loops over blocks of eight values, which compilers vectorize. */
#define FOR_ALL(nr, statement) \
	do { \
		uint32_t i = 0; \
		for (; i + 8 <= (nr); i += 8) \
			for (uint32_t k = i; k < i + 8; k++) \
				statement; \
		for (uint32_t k = i; k < (nr); k++) \
			statement; \
	} while (0)

/* The bits in which some values differ from others. */
static uint64_t differing_bits(const struct cells *cells)
{
	const uint64_t *value = cells->values, *end = value + cells->nr;
	uint64_t in_some = 0, in_all = UINT64_MAX;
	for (; end - value >= 4; value += 4) {
		in_some |= value[0] | value[1] | value[2] | value[3];
		in_all &= value[0] & value[1] & value[2] & value[3];
	}
	for (; value < end; value++) {
		in_some |= *value;
		in_all &= *value;
	}
	return in_some & ~in_all;
}

/* Sets `least` and `width` so that the width covers each value's difference to `least`. The bits that differ are found
 * faster than the least and the greatest value, which decide only where the upper halves differ: as signed numbers, so
 * that small negative and positive values are close. */
static void measure_values(const struct cells *cells, struct packed_cells *packed)
{
	const uint64_t differ = differing_bits(cells);
	if (differ <= UINT32_MAX) {
		packed->width = width_of(differ);
		packed->least = cells->values[0] & ~(packed->width ? (UINT64_C(1) << 8 * packed->width) - 1 : 0);
		return;
	}
	int64_t least = INT64_MAX, greatest = INT64_MIN;
	for (uint32_t i = 0; i < cells->nr; i++) {
		const int64_t value = (int64_t)cells->values[i];
		least = value < least ? value : least;
		greatest = value > greatest ? value : greatest;
	}
	packed->least = (uint64_t)least;
	packed->width = width_of((uint64_t)greatest - (uint64_t)least);
}

struct packed_cells pd_cells_measure(const struct cells *cells, size_t at)
{
	struct packed_cells packed = { .at = at,
				       .spent = cells->spent,
				       .nr = cells->nr,
				       .rows = cells->rows,
				       .nr_runs = cells->nr_runs,
				       .nr_lengths = cells->nr_lengths,
				       .nr_texts = cells->nr_texts,
				       .nr_bytes = (uint32_t)cells->size };
	if (cells->nr)
		measure_values(cells, &packed);
	return packed;
}

/* Offsets of the arrays from packed->at. */
struct places {
	size_t runs, lengths, values, bytes, end;
};

static struct places places_of(const struct packed_cells *packed)
{
	struct places places;
	places.runs = packed->nr_texts * sizeof(struct cell_text);
	places.lengths = places.runs + packed->nr_runs * sizeof(uint32_t);
	places.values = whole_words(places.lengths + packed->nr_lengths * sizeof(uint32_t));
	places.bytes = places.values + (size_t)packed->nr * packed->width;
	places.end = whole_words(places.bytes + packed->nr_bytes);
	return places;
}

size_t pd_packed_cells_size(const struct packed_cells *packed) { return places_of(packed).end; }

struct packed_arrays pd_packed_cells_arrays(const struct packed_cells *packed, const char *block)
{
	const struct places places = places_of(packed);
	const char *at = block + packed->at;
	return (struct packed_arrays){ (const void *)at, (const void *)(at + places.runs),
				       (const void *)(at + places.lengths), at + places.values, at + places.bytes };
}

#define NARROW(type, values, nr, least, ret) \
	do { \
		type *narrow = (type *)(void *)(ret); \
		FOR_ALL(nr, narrow[k] = (type)((values)[k] - (least))); \
	} while (0)
#define WIDEN(type, from, nr, least, ret) \
	do { \
		const type *narrow = (const type *)(const void *)(from); \
		FOR_ALL(nr, (ret)[k] = narrow[k] + (least)); \
	} while (0)

#ifdef __SSE2__
/* The low words of four values less `least`. */
static inline __m128i low_words(const uint64_t *values, __m128i least)
{
	const __m128i first = _mm_sub_epi64(_mm_loadu_si128((const void *)values), least);
	const __m128i second = _mm_sub_epi64(_mm_loadu_si128((const void *)(values + 2)), least);
	return _mm_castps_si128(_mm_shuffle_ps(_mm_castsi128_ps(first), _mm_castsi128_ps(second), 0x88));
}
#endif

/* Most columns need one byte a value. Compilers need three times as many instructions for it. */
static void narrow_to_bytes(const uint64_t *values, uint32_t nr, uint64_t least, uint8_t *ret)
{
	uint32_t i = 0;
#ifdef __SSE2__
	const __m128i base = _mm_set1_epi64x((long long)least);
	for (; i + 16 <= nr; i += 16) {
		const __m128i low = _mm_packs_epi32(low_words(values + i, base), low_words(values + i + 4, base));
		const __m128i high = _mm_packs_epi32(low_words(values + i + 8, base), low_words(values + i + 12, base));
		_mm_storeu_si128((void *)(ret + i), _mm_packus_epi16(low, high));
	}
#endif
	for (; i < nr; i++)
		ret[i] = (uint8_t)(values[i] - least);
}

static void narrow_values(const struct cells *cells, const struct packed_cells *packed, char *ret)
{
	switch (packed->width) {
	case 1: narrow_to_bytes(cells->values, cells->nr, packed->least, (uint8_t *)ret); return;
	case 2: NARROW(uint16_t, cells->values, cells->nr, packed->least, ret); return;
	case 4: NARROW(uint32_t, cells->values, cells->nr, packed->least, ret); return;
	case 8: NARROW(uint64_t, cells->values, cells->nr, packed->least, ret); return;
	default: return;
	}
}

void pd_packed_cells_values(const struct packed_cells *packed, const struct packed_arrays *arrays, uint64_t more,
			    uint64_t *ret)
{
	const uint64_t least = packed->least + more;
	switch (packed->width) {
	case 1: WIDEN(uint8_t, arrays->values, packed->nr, least, ret); return;
	case 2: WIDEN(uint16_t, arrays->values, packed->nr, least, ret); return;
	case 4: WIDEN(uint32_t, arrays->values, packed->nr, least, ret); return;
	case 8: WIDEN(uint64_t, arrays->values, packed->nr, least, ret); return;
	default: break;
	}
	for (uint32_t i = 0; i < packed->nr; i++)
		ret[i] = least;
}

static void copy_cells(void *to, const void *from, size_t size)
{
	if (size)
		memcpy(to, from, size);
}

void pd_cells_pack(const struct cells *cells, const struct packed_cells *packed, char *block)
{
	const struct places places = places_of(packed);
	char *at = block + packed->at;
	copy_cells(at, cells->texts, packed->nr_texts * sizeof *cells->texts);
	copy_cells(at + places.runs, cells->runs, packed->nr_runs * sizeof *cells->runs);
	copy_cells(at + places.lengths, cells->lengths, packed->nr_lengths * sizeof *cells->lengths);
	narrow_values(cells, packed, at + places.values);
	copy_cells(at + places.bytes, cells->bytes, packed->nr_bytes);
}

static void append_runs(struct cells *cells, uint32_t row, const uint32_t *runs, uint32_t nr)
{
	for (uint32_t i = 0; i < nr; row += runs[i++])
		if (runs[i] && !(i & 1))
			pd_cells_extend(cells, row, runs[i]);
}

void pd_cells_append(struct cells *cells, uint32_t row, const struct packed_cells *packed, const char *block)
{
	if (!packed->nr_runs ||
	    !pd_cells_reserve(cells, packed->nr, packed->nr_lengths, packed->nr_texts, packed->nr_bytes))
		return;
	const struct packed_arrays arrays = pd_packed_cells_arrays(packed, block);
	/* pointers to empty arrays may be NULL */
	if (packed->nr)
		pd_packed_cells_values(packed, &arrays, packed->nr_texts ? cells->nr_texts : 0,
				       cells->values + cells->nr);
	if (packed->nr_lengths)
		memcpy(cells->lengths + cells->nr_lengths, arrays.lengths, packed->nr_lengths * sizeof *arrays.lengths);
	for (uint32_t i = 0; i < packed->nr_texts; i++)
		cells->texts[cells->nr_texts + i] = (struct cell_text){ arrays.texts[i].at + (uint32_t)cells->size,
									arrays.texts[i].size };
	if (packed->nr_bytes)
		memcpy(cells->bytes + cells->size, arrays.bytes, packed->nr_bytes);
	cells->nr += packed->nr;
	cells->nr_lengths += packed->nr_lengths;
	cells->nr_texts += packed->nr_texts;
	cells->size += packed->nr_bytes;
	cells->spent += packed->spent;
	append_runs(cells, row, arrays.runs, packed->nr_runs);
}
