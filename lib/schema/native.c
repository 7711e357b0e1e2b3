/* A foreign record as perf holds it after swapping it in place. */
#include "config.h"
#include "schema/decode.h"

static void swap_words(uint8_t *at, const uint8_t *end)
{
	for (; end - at >= 8; at += 8) {
		uint64_t v = pd_load64(at, true);
		memcpy(at, &v, sizeof v);
	}
}

/* All of a sample is words to perf, stack and AUX bytes too; raw data is a u32 size and bytes that stay as recorded. */
static void swap_sample(const struct perfdata_record *record, uint8_t *out)
{
	const struct perfdata_bytes *raw = &record->u.sample.raw;

	swap_words(out + 8, out + record->size);
	if (!(record->u.sample.present >> PD_SAMPLE_RAW_ROW & 1))
		return;
	size_t at = (size_t)(raw->data - record->bytes);
	uint32_t size = (uint32_t)raw->size;
	memcpy(out + at - 4, &size, sizeof size);
	memcpy(out + at, raw->data, raw->size);
	/* The last word of an odd size: what is behind the raw data in it. */
	size_t left = (size_t)(-(at + raw->size) & 7);
	if (left <= record->size - at - raw->size)
		memcpy(out + at + raw->size, raw->data + raw->size, left);
}

void perfdata_record_native(const struct perfdata_config *config, const struct perfdata_record *record, uint8_t *out)
{
	struct perfdata_record again;

	memcpy(out, record->bytes, record->size);
	if (!record->swap || record->size < 8)
		return;
	uint16_t size = pd_load16(record->bytes + 6, true);
	memcpy(out, &record->type, 4);
	memcpy(out + 4, &record->misc, 2);
	memcpy(out + 6, &size, 2);
	if (record->type == PERFDATA_RECORD_SAMPLE) {
		swap_sample(record, out);
		return;
	}
	pd_decode_record(config, record->bytes, record->size, out, &again);
	if (record->type == PERFDATA_RECORD_ATTR && record->size >= 8 + 48)
		/* bit-fields: their order is turned, not their bytes */
		memcpy(out + 8 + 40, &again.u.attr.attr.flags, sizeof again.u.attr.attr.flags);
	if (!again.sample_id.present)
		return;
	const uint8_t *trailer = pd_trailer_of(config, record->type, record->bytes, record->size);
	swap_words(out + (trailer - record->bytes), out + record->size);
}
