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

/* Bytes that are no integers stay as they are recorded. */
static void keep(const struct perfdata_record *record, struct perfdata_bytes bytes, uint8_t *out)
{
	if (bytes.size)
		memcpy(out + (bytes.data - record->bytes), bytes.data, bytes.size);
}

void perfdata_record_native(const struct perfdata_config *config, const struct perfdata_record *record, uint8_t *out)
{
	struct perfdata_record again;

	memcpy(out, record->bytes, record->size);
	if (!record->swap || record->size < 8)
		return;
	memcpy(out, &record->type, 4);
	memcpy(out + 4, &record->misc, 2);
	uint16_t size = pd_load16(record->bytes + 6, true);
	memcpy(out + 6, &size, 2);
	if (record->type == PERFDATA_RECORD_SAMPLE) {
		swap_words(out + 8, out + record->size);
		uint64_t present = record->u.sample.present;
		if (present >> 13 & 1)
			keep(record, record->u.sample.raw, out);
		return;
	}
	pd_decode_record(config, record->bytes, record->size, out, &again);
	const uint8_t *trailer = again.sample_id.present ? pd_trailer_of(config, record->type, record->bytes, record->size) : NULL;
	if (trailer)
		swap_words(out + (trailer - record->bytes), out + record->size);
}
