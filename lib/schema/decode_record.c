/* SPDX-License-Identifier: MIT */
/* Decodes a record: header, trailer, the rows of its layout, and the remaining bytes. */
#include "config.h"
#include <string.h>
#include "base/memory.h"
#include "schema/decode.h"
#include "schema/schema.h"

/* Cuts a build-id, whose field has 20 bytes, to the length that the record states. */
static void cut_build_id(struct perfdata_bytes *build_id, uint8_t size)
{
	if (size < build_id->size)
		build_id->size = size;
}

static void finish_record(struct perfdata_record *ret)
{
	/* build_id is NULL if the record ends before it */
	if (ret->type == PERFDATA_RECORD_MMAP2) {
		if (ret->u.mmap2.build_id.data)
			cut_build_id(&ret->u.mmap2.build_id, ret->u.mmap2.build_id_size);
	} else if (ret->type == PERFDATA_RECORD_BUILD_ID && ret->u.build_id.present >> 2 & 1) {
		cut_build_id(&ret->u.build_id.build_id, ret->u.build_id.build_id_size);
	}
}

bool pd_mmap2_false_build_id(const struct perfdata_record *record, struct perfdata_bytes *ret)
{
	*ret = (struct perfdata_bytes){ NULL, 0 };
	if (record->type != PERFDATA_RECORD_MMAP2 || !(record->misc & PERFDATA_MISC_MMAP_BUILD_ID) ||
	    record->u.mmap2.build_id.data || record->size < PD_MMAP2_ID_AT + PD_MMAP2_ID_SIZE)
		return false;
	const uint8_t *size = record->bytes + PD_MMAP2_ID_AT;
	*ret = (struct perfdata_bytes){ size + 4, *size < PD_MMAP2_ID_MAX ? *size : PD_MMAP2_ID_MAX };
	return true;
}

/* Returns the misc bits on which the rows depend. perf's dump decides by the recorded bits when it swaps a foreign
 * record. */
static uint16_t misc_of_rows(const struct perfdata_config *config, const struct perfdata_record *record, size_t size,
			     const uint8_t *native)
{
	if (record->type == PERFDATA_RECORD_MMAP2 && !native &&
	    pd_mmap2_id_is_false(config, record->bytes, size, record->misc))
		return (uint16_t)(record->misc & ~PERFDATA_MISC_MMAP_BUILD_ID);
	return record->misc;
}

static const struct perfdata_layout *layout_of(const struct perfdata_record *record)
{
	if ((record->type == PERFDATA_RECORD_SCHEDSTAT_CPU || record->type == PERFDATA_RECORD_SCHEDSTAT_DOMAIN) &&
	    record->size >= 24)
		return pd_schedstat_layout(record->type, pd_load16(record->bytes + 20, record->swap));
	return perfdata_record_layout(record->type);
}

/* noinline hides the size from the compiler: for a known size it emits rep stos, which takes longer than all other
 * decoding of a sample. */
__attribute__((noinline)) static void clear_bytes(void *memory, size_t size) { memset(memory, 0, size); }

enum perfdata_status pd_decode_record(const struct perfdata_config *config, const uint8_t *bytes, size_t size,
				      uint8_t *native, struct perfdata_record *ret)
{
	bool swap = config->swap;

	ret->bytes = bytes;
	ret->swap = swap;
	ret->type = size >= 4 ? pd_load32(bytes, swap) : 0;
	ret->misc = size >= 6 ? pd_load16(bytes + 4, swap) : 0;
	size_t stated = size >= 8 ? pd_load16(bytes + 6, swap) : 8;
	if (perfdata_record_is_simpleperf(ret->type)) {
		stated |= size >= 8 ? (size_t)ret->misc << 16 : 0;
		ret->misc = 0;
	}
	/* zeroes the members of absent fields, so that no caller reads values of an earlier record */
	memset(&ret->sample_id, 0, sizeof ret->sample_id);
	ret->u.present = 0;
	ret->layout = NULL;
	if (stated >= 8 && stated < size)
		size = stated;
	ret->size = (uint32_t)size;

	struct pd_walk w = { .start = bytes, .at = bytes + (size < 8 ? size : 8), .end = bytes + size, .swap = swap,
			     .misc = misc_of_rows(config, ret, size, native), .native = native, .config = config };
	if (size < 8)
		pd_walk_note(&w, PERFDATA_FINDING_RECORD_SHORT, "the record is shorter than its header");
	else if (ret->type == PERFDATA_RECORD_SAMPLE) {
		ret->layout = &pd_sample_layout;
		clear_bytes(&ret->u.sample, sizeof ret->u.sample);
		if (config->has_attr)
			pd_walk_sample(&w, &ret->u.sample);
	} else {
		const uint8_t *trailer = stated <= size ? pd_trailer_of(config, ret->type, bytes, size) : NULL;
		if (trailer) {
			w.end = trailer;
			pd_run_steps(config->trailer_steps, config->nr_trailer_steps, trailer, swap, &ret->sample_id);
			ret->sample_id.present = config->trailer_present;
		}
		ret->layout = layout_of(ret);
		if (ret->layout) {
			clear_bytes(&ret->u, ret->layout->view_size);
			pd_walk_rows(&w, ret->layout, UINT64_MAX, &ret->u);
			finish_record(ret);
		}
	}
	if (stated > size) {
		w.problem = NULL;
		pd_walk_note(&w, PERFDATA_FINDING_TRUNCATED, "the recording breaks off in the record");
	}
	ret->rest = (struct perfdata_bytes){ w.at, pd_walk_left(&w) };
	ret->rest_offset = (uint64_t)(w.at - bytes);
	ret->problem = w.problem;
	ret->problem_code = w.code;
	return w.problem ? PERFDATA_DAMAGED : PERFDATA_OK;
}

enum perfdata_status perfdata_decode(const struct perfdata_config *config, const void *bytes, size_t size,
				     struct perfdata_record *ret)
{
	return pd_decode_record(config, bytes, size, NULL, ret);
}

struct perfdata_record *perfdata_record_new(void) { return pd_calloc(1, sizeof(struct perfdata_record)); }

void perfdata_record_free(struct perfdata_record *record) { pd_free(record); }
