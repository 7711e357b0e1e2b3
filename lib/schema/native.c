/* SPDX-License-Identifier: MIT */
/* Converts a foreign record to the bytes that a machine of the other byte order would have written, which perf intends
 * with its swaps. */
#include "config.h"
#include "schema/decode.h"
#include "schema/schema.h"

static void swap_words(uint8_t *at, const uint8_t *end)
{
	for (; end - at >= 8; at += 8) {
		uint64_t v = pd_load64(at, true);
		memcpy(at, &v, sizeof v);
	}
}

/* Swaps the bytes of each u32 of a word, but not the two u32. index -1: the record lacks the word. */
static void swap_pair(uint8_t *words, int index)
{
	uint32_t pair[2];

	if (index < 0)
		return;
	memcpy(pair, words + 8 * index, sizeof pair);
	const uint32_t turned[2] = { pair[1], pair[0] };
	memcpy(words + 8 * index, turned, sizeof turned);
}

static void keep_bytes(const struct perfdata_record *record, struct perfdata_bytes bytes, uint8_t *out)
{
	if (bytes.size)
		memcpy(out + (bytes.data - record->bytes), bytes.data, bytes.size);
}

/* Keeps the bytes of raw data as recorded; its u32 size is swapped. */
static void keep_raw(const struct perfdata_record *record, uint8_t *out)
{
	const struct perfdata_bytes *raw = &record->u.sample.raw;
	if (!(record->u.sample.present >> PD_SAMPLE_RAW_ROW & 1))
		return;
	size_t at = (size_t)(raw->data - record->bytes);
	uint32_t size = (uint32_t)raw->size;
	memcpy(out + at - 4, &size, sizeof size);
	memcpy(out + at, raw->data, raw->size);
	/* bytes that pad raw data to a multiple of 8 stay as recorded */
	size_t left = (size_t)(-(at + raw->size) & 7);
	if (left <= record->size - at - raw->size)
		memcpy(out + at + raw->size, raw->data + raw->size, left);
}

/* Swaps a sample: words, and the parts here that are no words. perf forgets to swap pids and CPUs (it corrects them
 * when it reads them) and the bytes of the stack; this image has them as a machine of the other byte order would have
 * written them. */
static void swap_sample(const struct perfdata_config *config, const struct perfdata_record *record, uint8_t *out)
{
	const struct perfdata_sample *sample = &record->u.sample;
	const struct perfdata_list *branches = &sample->branch_stack.entries;

	swap_words(out + 8, out + record->size);
	if (!config->has_attr || record->size < 8 + 8u * config->sample_fixed)
		return;
	swap_pair(out + 8, config->sample_tid_at);
	swap_pair(out + 8, config->sample_cpu_at);
	for (uint64_t i = 0; i < branches->count; i++) {
		struct perfdata_branch branch;
		perfdata_list_get(branches, i, &branch, sizeof branch);
		memcpy(out + (branches->data - record->bytes) + i * branches->stride + 16, &branch.flags,
		       sizeof branch.flags);
	}
	keep_raw(record, out);
	keep_bytes(record, sample->user_stack.data, out);
	keep_bytes(record, sample->aux, out);
}

void pd_record_native(const struct perfdata_config *config, const struct perfdata_record *record, uint8_t *out)
{
	struct perfdata_record again;

	memcpy(out, record->bytes, record->size);
	if (!record->swap || record->size < 8)
		return;
	uint16_t size = pd_load16(record->bytes + 6, true);
	memcpy(out, &record->type, 4);
	const uint16_t misc = pd_load16(record->bytes + 4, true);
	memcpy(out + 4, &misc, 2);
	memcpy(out + 6, &size, 2);
	if (record->type == PERFDATA_RECORD_SAMPLE) {
		swap_sample(config, record, out);
		return;
	}
	pd_decode_record(config, record->bytes, record->size, out, &again);
	if (record->type == PERFDATA_RECORD_ATTR && record->size >= 8 + 48)
		/* swapping bit-fields reverses the order of their bits, not of their bytes */
		memcpy(out + 8 + 40, &again.u.attr.attr.flags, sizeof again.u.attr.attr.flags);
	if (!again.sample_id.present)
		return;
	const uint8_t *trailer = pd_trailer_of(config, record->type, record->bytes, record->size);
	uint8_t *words = out + (trailer - record->bytes);
	const int nr_words = (int)((size_t)(out + record->size - words) / 8);
	swap_words(words, out + record->size);
	swap_pair(words, config->trailer_tid_at < 0 ? -1 : nr_words - config->trailer_tid_at);
	swap_pair(words, config->trailer_cpu_at < 0 ? -1 : nr_words - config->trailer_cpu_at);
}
