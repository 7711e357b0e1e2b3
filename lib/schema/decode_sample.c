/* SPDX-License-Identifier: MIT */
/* Decodes samples: the fixed words by the configuration's steps, the rows after them by the walk, and here the parts
 * whose bytes are not in the order of their rows. */
#include "config.h"
#include "schema/sample_scan.h"
#include "schema/schema.h"

enum { READ_TIME_ENABLED, READ_TIME_RUNNING, READ_VALUES };                      /* rows of pd_read_layout */
enum { BRANCH_HW_IDX, BRANCH_ENTRIES, BRANCH_COUNTERS };                         /* rows of pd_branch_stack_layout */
enum { REGS_ABI, REGS_MASK, REGS_VALUES };                                       /* rows of pd_regs_layout */
enum { STACK_SIZE, STACK_DATA, STACK_DYN_SIZE };                                 /* rows of pd_user_stack_layout */
enum { VALUE_ROW = 1 << 0, ID_ROW = 1 << 1, LOST_ROW = 1 << 2 };                  /* rows of pd_read_value_layout */
enum { CALLCHAIN_ROW = 1 << PD_SAMPLE_CALLCHAIN_ROW, RAW_ROW = 1 << PD_SAMPLE_RAW_ROW }; /* rows of pd_sample_layout */
#define BRANCH_HW_INDEX (1u << 17)                                               /* bit of branch_sample_type */

/* A group: number, times, then a value, id and loss for each member. A single counter: value, times, id and loss; its
 * list has one element with a gap after the value, which perfdata_list_get recognizes by the stride. */
static bool walk_read(struct pd_walk *w, struct perfdata_read *read)
{
	uint64_t format = w->config->attr.read_format;
	uint64_t value_rows = VALUE_ROW | (format & PERFDATA_READ_FORMAT_ID ? ID_ROW : 0) |
			      (format & PERFDATA_READ_FORMAT_LOST ? LOST_ROW : 0);
	uint32_t stride = 8u * (unsigned)__builtin_popcountll(value_rows);
	const uint8_t *start = w->at;
	uint64_t first, word;

	read->present = 0;
	read->values = (struct perfdata_list){ .data = start, .present = value_rows, .element = &pd_read_value_layout,
					       .stride = stride, .swap = w->swap };
	if (!pd_walk_u64(w, &first))
		return false;
	if (format & PERFDATA_READ_FORMAT_TIME_ENABLED) {
		if (!pd_walk_u64(w, &read->time_enabled))
			return false;
		read->present |= 1u << READ_TIME_ENABLED;
	}
	if (format & PERFDATA_READ_FORMAT_TIME_RUNNING) {
		if (!pd_walk_u64(w, &read->time_running))
			return false;
		read->present |= 1u << READ_TIME_RUNNING;
	}
	if (format & PERFDATA_READ_FORMAT_GROUP) {
		read->present |= 1u << READ_VALUES;
		return pd_walk_list(w, first, stride, &read->values);
	}
	for (uint32_t i = 8; i < stride; i += 8)
		if (!pd_walk_u64(w, &word))
			return false;
	read->present |= 1u << READ_VALUES;
	read->values.stride = (uint32_t)(w->at - start);
	read->values.count = 1;
	return true;
}

/* Whether the remaining rows end exactly at the end of the sample if they begin at `at`. */
static bool rest_fits(const struct pd_walk *w, const uint8_t *at)
{
	struct perfdata_sample scratch;
	struct pd_walk trial = *w;

	if (at > w->end)
		return false;
	trial.at = at;
	trial.native = NULL;
	trial.problem = NULL;
	return pd_walk_rows(&trial, &pd_sample_layout, w->ahead, &scratch) && trial.at == trial.end;
}

static bool walk_branch_stack(struct pd_walk *w, struct perfdata_branch_stack *stack)
{
	uint64_t nr;

	stack->present = 0;
	if (!pd_walk_u64(w, &nr))
		return false;
	/* Without branches the kernel writes only the count, and no hw_idx even if the attr asks for it. */
	bool hw_idx = w->config->attr.branch_sample_type & BRANCH_HW_INDEX;
	if (hw_idx && !nr && !rest_fits(w, w->at + 8) && rest_fits(w, w->at))
		hw_idx = false;
	if (hw_idx) {
		if (!pd_walk_u64(w, &stack->hw_idx))
			return false;
		stack->present |= 1u << BRANCH_HW_IDX;
	}
	stack->present |= 1u << BRANCH_ENTRIES;
	stack->entries.element = &pd_branch_layout;
	stack->entries.present = UINT64_MAX;
	if (!pd_walk_list(w, nr, 24, &stack->entries))
		return false;
	if (!w->config->branch_counters)
		return true;
	stack->present |= 1u << BRANCH_COUNTERS;
	stack->counters.element = NULL;
	stack->counters.present = UINT64_MAX;
	return pd_walk_list(w, nr, 8, &stack->counters);
}

static bool walk_regs(struct pd_walk *w, struct perfdata_regs *regs, uint64_t mask)
{
	regs->present = 0;
	if (!pd_walk_u64(w, &regs->abi))
		return false;
	regs->mask = mask;
	regs->values.element = NULL;
	regs->values.present = UINT64_MAX;
	regs->present = 1u << REGS_ABI | 1u << REGS_MASK | 1u << REGS_VALUES;
	return pd_walk_list(w, regs->abi ? (uint64_t)__builtin_popcountll(mask) : 0, 8, &regs->values);
}

/* Decodes a u64, swapped as a whole: in both byte orders, each part is in the same bits of the word. */
static bool walk_weight(struct pd_walk *w, struct perfdata_weight *weight)
{
	uint64_t word;

	weight->present = 0;
	if (!pd_walk_u64(w, &word))
		return false;
	weight->present = 7;
	weight->var1 = (uint32_t)word;
	weight->var2 = (uint16_t)(word >> 32);
	weight->var3 = (uint16_t)(word >> 48);
	return true;
}

/* Decodes abi, mask and values; simpleperf writes the values for any abi. */
static bool walk_masked_regs(struct pd_walk *w, struct perfdata_regs *regs)
{
	regs->present = 0;
	if (!pd_walk_u64(w, &regs->abi))
		return false;
	regs->present |= 1u << REGS_ABI;
	if (!pd_walk_u64(w, &regs->mask))
		return false;
	regs->values.element = NULL;
	regs->values.present = UINT64_MAX;
	regs->present |= 1u << REGS_MASK | 1u << REGS_VALUES;
	struct pd_walk again = *w;
	const bool ok = pd_walk_list(w, (uint64_t)__builtin_popcountll(regs->mask), 8, &regs->values);
	for (uint64_t word; w->native && again.at < w->at;)
		pd_walk_u64(&again, &word);
	return ok;
}

/* Takes a stack that is there as a whole, without walking its rows. false: the walk finds out what is there. */
static bool take_stack(struct pd_walk *w, struct perfdata_user_stack *stack)
{
	const size_t left = pd_walk_left(w);
	const uint64_t size = left < 16 ? 0 : pd_load64(w->at, w->swap);
	if (w->native || !size || size > left - 16)
		return false;
	stack->present = 1u << STACK_SIZE | 1u << STACK_DATA | 1u << STACK_DYN_SIZE;
	stack->size = size;
	stack->data = (struct perfdata_bytes){ w->at + 8, (size_t)size };
	stack->dyn_size = pd_load64(w->at + 8 + size, w->swap);
	w->at += 16 + size;
	return true;
}

/* Takes a chain that is there as a whole; false: the walk finds out what is there. */
static bool take_chain(struct pd_walk *w, struct perfdata_list *chain)
{
	size_t size;
	if (w->native || !pd_chain_fits(w->at, pd_walk_left(w), w->swap, &size))
		return false;
	*chain = pd_chain_list(w->at, size, w->swap);
	w->at += size;
	return true;
}

static bool has_own_mask(const struct perfdata_field *field)
{
	return field->element == &pd_regs_layout && field->when == PERFDATA_IF_LEFT;
}

bool pd_walk_struct(struct pd_walk *w, const struct perfdata_field *field, void *view)
{
	const struct perfdata_layout *layout = field->element;

	/* The size of this part depends on the attr, which records of an unknown event lack. */
	if (!w->config->has_attr && layout != &pd_user_stack_layout && !has_own_mask(field)) {
		memset(view, 0, sizeof(uint64_t));
		return true;
	}
	if (layout == &pd_read_layout)
		return walk_read(w, view);
	if (layout == &pd_branch_stack_layout)
		return walk_branch_stack(w, view);
	if (layout == &pd_weight_layout)
		return walk_weight(w, view);
	if (has_own_mask(field))
		return walk_masked_regs(w, view);
	if (layout == &pd_regs_layout)
		return walk_regs(w, view,
				 field->when_value == PERFDATA_SAMPLE_REGS_INTR ? w->config->attr.sample_regs_intr
										: w->config->attr.sample_regs_user);
	if (layout == &pd_user_stack_layout) {
		((struct perfdata_user_stack *)view)->offset = (uint64_t)(w->at - w->start);
		if (take_stack(w, view))
			return true;
	}
	return pd_walk_rows(w, layout, UINT64_MAX, view);
}

struct perfdata_bytes pd_sample_raw(const struct perfdata_config *config, const void *bytes, size_t size)
{
	const struct perfdata_bytes none = { NULL, 0 };
	struct pd_sample_scan scan;

	if (!config->has_attr || !(config->sample_rows & RAW_ROW) || size < 8)
		return none;
	if (pd_sample_scan(config, bytes, size, PD_SCAN_RAW, &scan) && scan.raw.data)
		return scan.raw;
	struct perfdata_record record;
	(void)perfdata_decode(config, bytes, size, &record);
	return record.type == PERFDATA_RECORD_SAMPLE ? record.u.sample.raw : none;
}

bool pd_sample_is_whole(const struct perfdata_config *config, const void *bytes, size_t size,
			      struct perfdata_bytes *ret_raw)
{
	struct pd_sample_scan scan;
	if (!pd_sample_scan(config, bytes, size, PD_SCAN_RAW | PD_SCAN_WHOLE, &scan) || !scan.is_whole)
		return false;
	*ret_raw = scan.raw;
	return true;
}

bool pd_walk_sample(struct pd_walk *w, struct perfdata_sample *sample)
{
	const struct perfdata_config *config = w->config;
	const struct perfdata_config_step *steps = config->sample_steps;
	unsigned nr = config->nr_sample_steps;
	size_t left = pd_walk_left(w);

	if (left >= 8u * config->sample_fixed) {
		pd_run_steps(steps, nr, w->at, w->swap, sample);
		w->at += 8u * config->sample_fixed;
		const uint64_t rows = config->sample_rows;
		struct pd_sample_scan scan;
		if (!w->native &&
		    pd_sample_scan(config, w->start, (size_t)(w->end - w->start),
				   PD_SCAN_CHAIN | PD_SCAN_RAW | PD_SCAN_WHOLE, &scan) &&
		    scan.is_whole) {
			if (rows & CALLCHAIN_ROW)
				sample->callchain = scan.callchain;
			if (rows & RAW_ROW)
				sample->raw = scan.raw;
			sample->present = rows | config->sample_fixed_present;
			w->at = w->end;
			return true;
		}
		const bool has_chain = rows & CALLCHAIN_ROW && !(rows & (CALLCHAIN_ROW - 1)) &&
				       take_chain(w, &sample->callchain);
		const uint64_t taken = has_chain ? CALLCHAIN_ROW : 0, others = rows & ~taken;
		const bool ok = !others || pd_walk_rows(w, &pd_sample_layout, others, sample);
		sample->present = (others ? sample->present : 0) | taken | config->sample_fixed_present;
		return ok;
	}
	unsigned fit = 0;
	while (fit < nr && steps[fit].at + steps[fit].size <= left)
		fit++;
	pd_run_steps(steps, fit, w->at, w->swap, sample);
	sample->present = 0;
	uint64_t present = config->sample_fixed_present;
	for (unsigned i = 0; i < fit; i++, present &= present - 1)
		sample->present |= present & -present;
	w->at += fit ? (size_t)steps[fit - 1].at + steps[fit - 1].size : 0;
	return pd_walk_fail(w, PERFDATA_FINDING_RECORD_SHORT, "the sample ends before its fields do");
}
