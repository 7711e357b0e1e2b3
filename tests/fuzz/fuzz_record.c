/* SPDX-License-Identifier: MIT */
/* The record decoder, with no file around it: an attr, then records. */
#include "fuzz.h"
#include "schema/schema.h"
#include "write/writing.h"

#define MAX_ELEMENTS 4096

static void touch_cpus(const struct perfdata_cpus *cpus)
{
	uint64_t position = 0;
	int32_t cpu;
	fuzz_touch_bytes(cpus->data);
	for (unsigned i = 0; i < MAX_ELEMENTS && pd_cpus_next(cpus, &position, &cpu); i++)
		fuzz_touch(&cpu, sizeof cpu);
}

static void touch_view(const struct perfdata_layout *layout, const void *view, uint64_t present);

static void touch_list(const struct perfdata_list *list)
{
	_Alignas(16) uint8_t view[1024];
	for (uint64_t i = 0; i < list->count && i < MAX_ELEMENTS; i++) {
		if (list->element) {
			fuzz_require(list->element->view_size <= sizeof view, "an element has a large view");
			perfdata_list_get(list, i, view, sizeof view);
			touch_view(list->element, view, list->present);
		} else {
			const uint64_t value = perfdata_list_u64(list, i);
			fuzz_touch(&value, sizeof value);
		}
	}
	if (list->count)
		fuzz_touch(list->data + (list->count - 1) * list->stride, 1);
}

static void touch_view(const struct perfdata_layout *layout, const void *view, uint64_t present)
{
	for (uint32_t i = 0; i < layout->nr_fields; i++) {
		const struct perfdata_field *field = &layout->fields[i];
		const void *member = (const uint8_t *)view + field->member;
		if (!(present >> i & 1))
			continue;
		switch (field->kind) {
		case PERFDATA_KIND_TEXT:
		case PERFDATA_KIND_CHARS:
		case PERFDATA_KIND_BYTES:
			fuzz_touch_bytes(*(const struct perfdata_bytes *)member);
			break;
		case PERFDATA_KIND_LIST:
			touch_list(member);
			break;
		case PERFDATA_KIND_STRUCT:
			touch_view(field->element, member, *(const uint64_t *)member);
			break;
		case PERFDATA_KIND_CPUS:
			touch_cpus(member);
			break;
		default:
			break;
		}
	}
}

/* What was decoded whole is encoded to the same bytes. */
static void encode(const struct perfdata_config *config, const struct perfdata_record *record, const uint8_t *data,
		   size_t size)
{
	static uint8_t out[PD_RECORD_ROOM];
	size_t made = 0;

	const enum perfdata_status status = pd_encode_record(config, config, record, out, &made);
	fuzz_require(status == PERFDATA_OK, "a record that was decoded cannot be encoded");
	fuzz_require(made == size && !memcmp(out + 8, data + 8, size - 8),
		     "a record that was decoded is encoded to other bytes");
	fuzz_require(pd_encode_record(config, NULL, record, out, &made) == PERFDATA_OK ||
			     size > PD_RECORD_ROOM - 64,
		     "a record cannot be encoded by its members alone");
}

static void decode(const struct perfdata_config *config, const uint8_t *data, size_t size)
{
	struct perfdata_record record;
	struct perfdata_peek peek;

	const enum perfdata_status status = perfdata_decode(config, data, size, &record);
	fuzz_require(status == PERFDATA_OK || status == PERFDATA_DAMAGED, "decoding has a third result");
	pd_peek(config, data, size, &peek);
	fuzz_touch_bytes(record.rest);
	if (record.layout)
		touch_view(record.layout, &record.u, *(const uint64_t *)&record.u);
	if (status == PERFDATA_OK && size >= 8)
		encode(config, &record, data, record.size);
	uint8_t *native = malloc(size);
	if (native) {
		pd_record_native(config, &record, native);
		fuzz_touch(native, size);
	}
	free(native);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const enum perfdata_byte_order order = fuzz_take(&data, &size, 1) & 1 ? PERFDATA_BYTE_ORDER_BIG
									      : PERFDATA_BYTE_ORDER_LITTLE;
	struct perfdata_config config;
	struct perfdata_attr attr;
	size_t used;

	if (size < 64)
		return 0;
	const size_t attr_size = size < 144 ? size : 144;
	perfdata_attr_decode(data, attr_size, order, &attr, &used);
	fuzz_require(used <= attr_size, "an attr is larger than its bytes");
	pd_config_init(&config, attr.sample_type || attr.flags ? &attr : NULL, order);
	struct perfdata_text name;
	perfdata_text_init(&name);
	perfdata_event_fallback_name(&attr, &name);
	perfdata_text_release(&name);
	data += attr_size;
	size -= attr_size;
	while (size >= 8) {
		const size_t stated = order == PERFDATA_BYTE_ORDER_BIG ? (size_t)(data[6] << 8 | data[7])
								       : (size_t)(data[7] << 8 | data[6]);
		const size_t here = stated >= 8 && stated <= size ? stated : size;
		/* of its own, so that a byte too far is seen */
		uint8_t *own = malloc(here);
		if (!own)
			break;
		memcpy(own, data, here);
		decode(&config, own, here);
		free(own);
		data += here;
		size -= here;
	}
	return 0;
}
