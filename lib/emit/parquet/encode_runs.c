/* SPDX-License-Identifier: MIT */
#include "config.h"
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

static char *put_wide(char *at, const struct run_encoder *encoder)
{
	uint64_t bits = 0;
	unsigned filled = 0;
	for (unsigned i = 0; i < 8; i++) {
		bits |= (uint64_t)encoder->group[i] << filled;
		filled += encoder->width;
		for (; filled >= 8; filled -= 8, bits >>= 8)
			*at++ = (char)(bits & 0xff);
	}
	return at;
}

/* Packs eight values whose bits fit into one word. */
static char *put_narrow(char *at, const struct run_encoder *encoder)
{
	uint64_t bits = 0;
	for (unsigned i = 8; i-- > 0;)
		bits = bits << encoder->width | encoder->group[i];
	for (unsigned i = 0; i < encoder->width; i++, bits >>= 8)
		*at++ = (char)(bits & 0xff);
	return at;
}

static void write_group(struct run_encoder *encoder)
{
	if (encoder->groups == MOST_GROUPS)
		encoder->groups = 0;
	if (!encoder->groups) {
		encoder->header = encoder->out->size;
		perfdata_text_char(encoder->out, 0);
	}
	char *at = perfdata_text_reserve(encoder->out, 8 * sizeof(uint64_t));
	encoder->in_group = 0;
	encoder->repeated = 0;
	if (!at)
		return;
	at = encoder->width <= 8 ? put_narrow(at, encoder) : put_wide(at, encoder);
	perfdata_text_commit(encoder->out, at);
	encoder->groups++;
	encoder->out->data[encoder->header] = (char)(encoder->groups << 1 | 1);
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
		write_group(encoder);
}

static bool are_one(const uint32_t *values)
{
	uint32_t differ = 0;
	for (unsigned i = 1; i < 8; i++)
		differ |= values[i] ^ values[0];
	return !differ;
}

void pd_run_encoder_values(struct run_encoder *encoder, const uint32_t *values, size_t nr)
{
	for (size_t i = 0; i < nr;) {
		if (encoder->repeated >= 8 && values[i] == encoder->value) {
			encoder->repeated++;
			i++;
			continue;
		}
		if (encoder->repeated >= 8)
			write_run(encoder);
		if (encoder->in_group || encoder->repeated || nr - i < 8) {
			pd_run_encoder_put(encoder, values[i++]);
			continue;
		}
		/* whole groups of eight values */
		if (are_one(values + i)) {
			encoder->value = values[i];
			encoder->repeated = 8;
			encoder->groups = 0;
		} else {
			memcpy(encoder->group, values + i, sizeof encoder->group);
			write_group(encoder);
		}
		i += 8;
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
	write_group(encoder);
}
