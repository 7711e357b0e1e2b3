/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "base/cursor.h"
#include "emit/parquet/encode_runs.h"
#include "emit/values/varint.h"

#define MOST_GROUPS 63u    /* the header of a bit-packed run is one byte */

void pd_run_encoder_init(struct run_encoder *encoder, struct perfdata_text *out, unsigned width)
{
	memset(encoder, 0, sizeof *encoder);
	encoder->out = out;
	encoder->width = width;
}

static void write_run(struct run_encoder *encoder)
{
	uint32_t value = encoder->value;
	pd_text_varint(encoder->out, encoder->repeated << 1);
	for (unsigned bits = 0; bits < encoder->width; bits += 8, value >>= 8)
		perfdata_text_char(encoder->out, (char)(value & 0xff));
	encoder->groups = 0;
	encoder->repeated = 0;
	encoder->in_group = 0;
}

static char *put_wide(char *at, const uint32_t *values, unsigned width)
{
	uint64_t bits = 0;
	unsigned filled = 0;
	for (unsigned i = 0; i < 8; i++) {
		bits |= (uint64_t)values[i] << filled;
		filled += width;
		for (; filled >= 8; filled -= 8, bits >>= 8)
			*at++ = (char)(bits & 0xff);
	}
	return at;
}

/* Packs eight values whose bits fit into one word, and writes the whole word. */
static char *put_narrow(char *at, const uint32_t *values, unsigned width)
{
	uint64_t bits = 0;
	for (unsigned i = 8; i-- > 0;)
		bits = bits << width | values[i];
	bits = pd_little64(bits);
	memcpy(at, &bits, sizeof bits);
	return at + width;
}

static bool are_one(const uint32_t *values)
{
	uint64_t pairs[4];
	memcpy(pairs, values, sizeof pairs);
	return !((pairs[0] ^ pairs[1]) | (pairs[0] ^ pairs[2]) | (pairs[0] ^ pairs[3]) | (values[0] ^ values[1]));
}

/* Packs groups of eight values up to the first group of equal ones; returns the number of groups. At least the first
 * group is packed. */
static size_t write_groups(struct run_encoder *encoder, const uint32_t *values, size_t nr)
{
	size_t i = 0;
	encoder->in_group = 0;
	encoder->repeated = 0;
	do {
		if (encoder->groups == MOST_GROUPS)
			encoder->groups = 0;
		if (!encoder->groups) {
			encoder->header = encoder->out->size;
			perfdata_text_char(encoder->out, 0);
		}
		char *at = perfdata_text_reserve(encoder->out, MOST_GROUPS * encoder->width + sizeof(uint64_t));
		if (!at)
			return nr;
		do {
			at = encoder->width <= 8 ? put_narrow(at, values + 8 * i, encoder->width)
						 : put_wide(at, values + 8 * i, encoder->width);
			encoder->groups++;
			i++;
		} while (encoder->groups < MOST_GROUPS && i < nr && !are_one(values + 8 * i));
		perfdata_text_commit(encoder->out, at);
		encoder->out->data[encoder->header] = (char)(encoder->groups << 1 | 1);
	} while (i < nr && !are_one(values + 8 * i));
	return i;
}

void pd_run_encoder_put(struct run_encoder *encoder, uint32_t value)
{
	if (value == encoder->value && encoder->repeated) {
		encoder->repeated++;
		if (encoder->repeated > 8)
			return;
	} else {
		if (encoder->repeated >= 8)
			write_run(encoder);
		encoder->repeated = 1;
		encoder->value = value;
	}
	encoder->group[encoder->in_group++] = value;
	if (encoder->in_group < 8)
		return;
	/* eight equal values become a run, which may grow */
	if (encoder->repeated >= 8)
		encoder->groups = encoder->in_group = 0;
	else
		write_groups(encoder, encoder->group, 1);
}

void pd_run_encoder_values(struct run_encoder *encoder, const uint32_t *values, size_t nr)
{
	for (size_t i = 0; i < nr;) {
		if (encoder->repeated >= 8) {
			const size_t first = i;
			while (i < nr && values[i] == encoder->value)
				i++;
			encoder->repeated += i - first;
			if (i == nr)
				return;
			write_run(encoder);
		}
		if (encoder->in_group || encoder->repeated || nr - i < 8) {
			pd_run_encoder_put(encoder, values[i++]);
		} else if (are_one(values + i)) {
			encoder->value = values[i];
			encoder->repeated = 8;
			encoder->groups = 0;
			i += 8;
		} else {
			i += 8 * write_groups(encoder, values + i, (nr - i) / 8);
		}
	}
}

void pd_run_encoder_repeat(struct run_encoder *encoder, uint32_t value, uint64_t count)
{
	while (count && (value != encoder->value || encoder->repeated < 8)) {
		pd_run_encoder_put(encoder, value);
		count--;
	}
	encoder->repeated += count;
}

void pd_run_encoder_end(struct run_encoder *encoder)
{
	if (encoder->repeated >= 8) {
		write_run(encoder);
		return;
	}
	if (!encoder->in_group)
		return;
	/* pads the last group */
	while (encoder->in_group < 8)
		encoder->group[encoder->in_group++] = 0;
	write_groups(encoder, encoder->group, 1);
}
