/* SPDX-License-Identifier: MIT */
/* Tracing data: the formats, and what their fields and print formats make of raw data. Input that is no tracing data
 * is a format text; raw data follow its first NUL. */
#include "fuzz.h"
#include "perfdata/trace.h"
#include "schema/trace.h"
#include "text/spelling.h"
#include "trace_format.h"
#include "trace_part.h"

#define MAX_EVENTS 200

static bool symbol(void *user, uint64_t address, struct perfdata_trace_symbol *ret)
{
	(void)user;
	if (address % 3)
		return false;
	*ret = (struct perfdata_trace_symbol){ .name = "name", .name_size = 4, .start = address - address % 64 };
	return true;
}

static void print_event(const struct perfdata_trace *trace, const struct perfdata_trace_event *event,
			struct perfdata_bytes raw, enum perfdata_byte_order order)
{
	const struct perfdata_trace_context context = { .trace = trace, .order = order, .symbol = symbol };
	struct perfdata_trace_value value;
	struct perfdata_text text;

	perfdata_text_init(&text);
	pd_trace_print(event, raw, &context, &text);
	perfdata_text_clear(&text);
	for (size_t i = 0; i < event->nr_fields; i++) {
		const struct perfdata_trace_field *field = &event->fields[i];
		fuzz_touch_text(field->name);
		fuzz_touch_text(field->type);
		if (pd_trace_value(field, raw, order, &value) == PERFDATA_OK) {
			fuzz_touch_bytes(value.bytes);
			for (size_t n = 0; n <= value.count && n < 1000; n++)
				(void)pd_trace_element(&value, n);
		}
		const bool as_bytes = !pd_trace_field_printable(field, raw, order);
		pd_trace_print_field(event, field, raw, order, as_bytes, &text);
		/* numbers are written into JSON as they are */
		if (pd_trace_prints_number(field) && !pd_json_plain(text.data, text.size))
			abort();
		bool is_part;
		if (raw.size >= event->min_size && !trace_part_says(field, raw, order, text.data, text.size, &is_part))
			abort();
		perfdata_text_clear(&text);
	}
	perfdata_text_release(&text);
}

static void walk_events(const struct perfdata_trace *trace, enum perfdata_byte_order order, struct perfdata_bytes raw)
{
	const struct perfdata_trace_event *event;

	for (size_t i = 0; i < MAX_EVENTS && (event = pd_trace_event_at(trace, i)) != NULL; i++) {
		print_event(trace, event, raw, order);
		print_event(
			trace, event,
			(struct perfdata_bytes){ raw.data, raw.size < event->min_size ? raw.size : event->min_size },
			order);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct perfdata_trace_info info;
	struct perfdata_trace *trace;
	bool complete;

	if (pd_trace_load(data, size, NULL, NULL, &trace, &complete) == PERFDATA_OK) {
		pd_trace_info(trace, &info);
		fuzz_touch_bytes(info.header_page);
		fuzz_touch_bytes(info.kallsyms);
		fuzz_touch_bytes(info.printk_formats);
		fuzz_touch_bytes(info.saved_cmdlines);
		fuzz_touch_text(pd_trace_printk(trace, 0xffffffff81000000));
		walk_events(trace, info.order, (struct perfdata_bytes){ data, size < 256 ? size : 256 });
		pd_trace_free(trace);
		return 0;
	}
	const uint64_t how = fuzz_take(&data, &size, 1);
	const enum perfdata_byte_order order = how & 1 ? PERFDATA_BYTE_ORDER_BIG : PERFDATA_BYTE_ORDER_LITTLE;
	if (!size)
		return 0;
	const uint8_t *nul = memchr(data, 0, size);
	const size_t text_size = nul ? (size_t)(nul - data) : size;
	const size_t raw_at = nul ? text_size + 1 : text_size;
	if (load_trace_format(how & 1, how & 2 ? 4 : 8, (const char *)data, text_size, &trace, NULL) != PERFDATA_OK)
		return 0;
	walk_events(trace, order, (struct perfdata_bytes){ data + raw_at, size - raw_at });
	pd_trace_free(trace);
	return 0;
}
