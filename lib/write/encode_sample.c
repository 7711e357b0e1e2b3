/* SPDX-License-Identifier: MIT */
/* Encodes the parts of samples whose bytes are not in the order of their rows: the counterpart of
 * lib/schema/decode_sample.c. */
#include "config.h"
#include "schema/decode.h"
#include "write/encode.h"

enum { HW_IDX_ROW = 1 << 0, ENTRIES_ROW = 1 << 1, COUNTERS_ROW = 1 << 2 };       /* rows of pd_branch_stack_layout */
enum { TIME_ENABLED_ROW = 1 << 0, TIME_RUNNING_ROW = 1 << 1, VALUES_ROW = 1 << 2 };   /* rows of pd_read_layout */

uint64_t pd_branch_flags_to_big(uint64_t flags)
{
	return (flags & 1) << 63 | (flags >> 1 & 1) << 62 | (flags >> 2 & 1) << 61 | (flags >> 3 & 1) << 60 |
	       (flags >> 4 & 0xffff) << 44 | (flags >> 20 & 15) << 40 | (flags >> 24 & 3) << 38 |
	       (flags >> 26 & 15) << 34 | (flags >> 30 & 7) << 31 | flags >> 33;
}

static void put_times(struct pd_encode *e, const struct perfdata_read *read)
{
	if (read->present & TIME_ENABLED_ROW)
		pd_put_int(e, 8, read->time_enabled);
	if (read->present & TIME_RUNNING_ROW)
		pd_put_int(e, 8, read->time_running);
}

static void put_values(struct pd_encode *e, const struct perfdata_read *read, uint64_t format)
{
	for (uint64_t i = 0; i < read->values.count; i++) {
		struct perfdata_read_value value;
		perfdata_list_get(&read->values, i, &value, sizeof value);
		pd_put_int(e, 8, value.value);
		if (!(format & PERFDATA_READ_FORMAT_GROUP))
			put_times(e, read);
		if (format & PERFDATA_READ_FORMAT_ID)
			pd_put_int(e, 8, value.id);
		if (format & PERFDATA_READ_FORMAT_LOST)
			pd_put_int(e, 8, value.lost);
	}
}

static void put_read(struct pd_encode *e, const struct perfdata_read *read)
{
	const uint64_t format = e->config->attr.read_format;
	const size_t times = 8u * (size_t)(!!(read->present & TIME_ENABLED_ROW) + !!(read->present & TIME_RUNNING_ROW));

	if (format & PERFDATA_READ_FORMAT_GROUP) {
		pd_put_count(e, &read->values, 8 + times);
		put_times(e, read);
	}
	if (read->present & VALUES_ROW)
		put_values(e, read, format);
}

static void put_branch_stack(struct pd_encode *e, const struct perfdata_branch_stack *stack)
{
	const bool has_index = stack->present & HW_IDX_ROW;

	pd_put_count(e, &stack->entries, has_index ? 16 : 8);
	if (has_index)
		pd_put_int(e, 8, stack->hw_idx);
	if (stack->present & ENTRIES_ROW)
		pd_put_list(e, &stack->entries);
	if (stack->present & COUNTERS_ROW)
		pd_put_list(e, &stack->counters);
}

void pd_put_struct(struct pd_encode *e, const struct perfdata_field *field, const void *view)
{
	const struct perfdata_layout *layout = field->element;

	const bool has_own_mask = layout == &pd_regs_layout && field->when == PERFDATA_IF_LEFT;

	if (!e->config->has_attr && layout != &pd_user_stack_layout && !has_own_mask)
		return;
	if (layout == &pd_read_layout) {
		put_read(e, view);
	} else if (layout == &pd_branch_stack_layout) {
		put_branch_stack(e, view);
	} else if (layout == &pd_weight_layout) {
		const struct perfdata_weight *weight = view;
		pd_put_int(e, 8, weight->var1 | (uint64_t)weight->var2 << 32 | (uint64_t)weight->var3 << 48);
	} else if (layout == &pd_regs_layout) {
		const struct perfdata_regs *regs = view;
		pd_put_int(e, 8, regs->abi);
		if (has_own_mask)
			pd_put_int(e, 8, regs->mask);
		pd_put_list(e, &regs->values);
	} else {
		uint64_t present;
		memcpy(&present, view, sizeof present);
		pd_put_rows(e, layout, present, view);
	}
}
