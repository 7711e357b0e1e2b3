/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <string.h>
#include "emit/parquet/column_bounds.h"

static void set_number(struct column_bound *bound, uint64_t number)
{
	*bound = (struct column_bound){ .known = true, .exact = true, .number = number };
}

void pd_column_bounds_of_numbers(enum column_type type, const uint64_t *values, size_t nr,
				 struct column_bound *ret_least, struct column_bound *ret_greatest)
{
	/* no bounds for doubles: a value might be NaN */
	if (!nr || type == COLUMN_DOUBLE)
		return;
	/* maps signed numbers to unsigned ones in the same order */
	const uint64_t flip = type == COLUMN_UINT64 || type == COLUMN_BOOLEAN ? 0 : UINT64_C(1) << 63;
	/* two of each, since each step of a minimum waits for the step before it */
	uint64_t least[2], greatest[2];
	least[0] = least[1] = greatest[0] = greatest[1] = values[0] ^ flip;
	for (size_t i = 0; i < nr; i += 2) {
		for (size_t k = 0; k < 2; k++) {
			const uint64_t value = values[i + k < nr ? i + k : i] ^ flip;
			least[k] = value < least[k] ? value : least[k];
			greatest[k] = value > greatest[k] ? value : greatest[k];
		}
	}
	set_number(ret_least, (least[0] < least[1] ? least[0] : least[1]) ^ flip);
	set_number(ret_greatest, (greatest[0] > greatest[1] ? greatest[0] : greatest[1]) ^ flip);
}

static int compare_bytes(const struct perfdata_bytes *a, const struct perfdata_bytes *b)
{
	const size_t size = a->size < b->size ? a->size : b->size;
	const int order = size ? memcmp(a->data, b->data, size) : 0;
	return order ? order : (a->size > b->size) - (a->size < b->size);
}

/* Cuts at the border of a character. */
static size_t cut_text(const struct perfdata_bytes *text)
{
	size_t size = text->size < COLUMN_MOST_BOUND ? text->size : COLUMN_MOST_BOUND;
	while (size < text->size && size && (text->data[size] & 0xc0) == 0x80)
		size--;
	return size;
}

static void set_text(struct column_bound *bound, const struct perfdata_bytes *text)
{
	bound->size = (uint8_t)cut_text(text);
	if (bound->size)
		memcpy(bound->text, text->data, bound->size);
	bound->exact = bound->size == text->size;
	bound->known = true;
}

/* Makes the beginning of a text an upper bound of it: increments the last letter that can be incremented, and drops the
 * letters after it. */
static void round_up(struct column_bound *bound)
{
	while (bound->size && ((unsigned char)bound->text[bound->size - 1] >= 0x7e))
		bound->size--;
	if (bound->size)
		bound->text[bound->size - 1]++;
	else
		bound->known = false;
}

void pd_column_bounds_of_texts(enum column_type type, const struct perfdata_bytes *texts, size_t nr,
			       struct column_bound *ret_least, struct column_bound *ret_greatest)
{
	const struct perfdata_bytes *least = texts, *greatest = texts;
	/* readers use no bounds of bytes */
	if (!nr || type == COLUMN_BYTES || type == COLUMN_JSON)
		return;
	for (size_t i = 1; i < nr; i++) {
		if (compare_bytes(&texts[i], least) < 0)
			least = &texts[i];
		if (compare_bytes(&texts[i], greatest) > 0)
			greatest = &texts[i];
	}
	set_text(ret_least, least);
	set_text(ret_greatest, greatest);
	if (!ret_greatest->exact)
		round_up(ret_greatest);
}
