/* SPDX-License-Identifier: MIT */
#include "emit/perf/sample_text.h"
#include "emit/values/plan.h"
#include "schema/schema.h"
#include "reader/reader.h"
#include "text/decimal.h"
#include "text/spelling.h"

#include <inttypes.h>
#include <string.h>

static bool event_has(const struct perfdata_event *event, uint64_t bit)
{
	return event && event->attr->sample_type & bit;
}

static const struct perfdata_node *section_root(const struct perfdata_reader *reader, uint32_t id)
{
	const struct perfdata_feature_section *section = perfdata_reader_feature(reader, id);
	return section && section->feature ? perfdata_feature_root(section->feature) : NULL;
}

/* The value of a PMU's capability, which is a text, as a number; 0 if there is none. */
static uint32_t cap_number(const struct perfdata_node *caps, const char *name)
{
	const size_t size = strlen(name);
	for (const struct perfdata_node *cap = caps ? caps->child : NULL; cap; cap = cap->next) {
		const struct perfdata_node *key = perfdata_node_get(cap, "name"),
					   *value = perfdata_node_get(cap, "value");
		if (!key || !value || key->v.bytes.size != size || memcmp(key->v.bytes.data, name, size) != 0)
			continue;
		uint32_t number = 0;
		for (size_t i = 0; i < value->v.bytes.size && i < 9; i++) {
			const uint8_t digit = value->v.bytes.data[i];
			if (digit < '0' || digit > '9')
				break;
			number = number * 10 + (digit - '0');
		}
		return number;
	}
	return 0;
}

void pd_sample_text_setup(struct pd_sample_text_setup *setup, const struct perfdata_reader *reader)
{
	*setup = (struct pd_sample_text_setup){ .arch = pd_reader_arch(reader) };
	const struct perfdata_node *caps = section_root(reader, PERFDATA_FEATURE_CPU_PMU_CAPS);
	const struct perfdata_node *pmus = section_root(reader, PERFDATA_FEATURE_PMU_CAPS);
	const struct perfdata_node *pmu = caps ? NULL : perfdata_node_get(pmus, "pmu_caps");
	if (caps)
		caps = perfdata_node_get(caps, "cpu_pmu_caps");
	else if (pmu && pmu->child)
		caps = perfdata_node_get(pmu->child, "caps");
	setup->counters = cap_number(caps, "branch_counter_nr");
	setup->counter_width = cap_number(caps, "branch_counter_width");
}

/* "..... %2u: " */
static char *index_to(char *at, uint64_t index)
{
	memcpy(at, ".....  0: ", 10);
	if (index < 100) {
		if (index >= 10)
			at[6] = (char)('0' + index / 10);
		at[7] = (char)('0' + index % 10);
		return at + 10;
	}
	at = pd_u64_to(at + 6, index);
	*at++ = ':';
	*at++ = ' ';
	return at;
}

void pd_sample_text_callchain(const struct perfdata_list *chain, struct perfdata_text *out)
{
	char *at = perfdata_text_reserve(out, 64 + (size_t)chain->count * 80);
	if (!at)
		return;
	memcpy(at, "... FP chain: nr:", 17);
	at = pd_u64_to(at + 17, chain->count);
	*at++ = '\n';
	for (uint64_t i = 0; i < chain->count; i++) {
		uint64_t ip = perfdata_list_u64(chain, i);
		at = pd_hex_width_to(index_to(at, i), ip, 16);
		const char *context = ip >= PERFDATA_CONTEXT_MAX ? pd_callchain_marker_name(ip) : NULL;
		if (context) {
			size_t size = strlen(context);
			memcpy(at, " (", 2);
			memcpy(at + 2, context, size);
			at[2 + size] = ')';
			at += size + 3;
		}
		*at++ = '\n';
	}
	if (chain->count >= 2 && perfdata_list_u64(chain, chain->count - 2) == PERFDATA_CONTEXT_USER_DEFERRED) {
		memcpy(at, "...... (deferred)\n", 18);
		at += 18;
	}
	perfdata_text_commit(out, at);
}

static void from_line(struct perfdata_text *out, uint64_t index, uint64_t address)
{
	char *at = perfdata_text_reserve(out, 80);
	if (!at)
		return;
	at = pd_hex_width_to(index_to(at, index), address, 16);
	*at++ = '\n';
	perfdata_text_commit(out, at);
}

/* With LBR call stacks, the user part of the chain is in the branch stack. */
static void lbr_chain(const struct perfdata_sample *sample, struct perfdata_text *out)
{
	const struct perfdata_list *chain = &sample->callchain, *entries = &sample->branch_stack.entries;
	uint64_t kernel = 0;
	while (kernel < chain->count && perfdata_list_u64(chain, kernel) != PERFDATA_CONTEXT_USER)
		kernel++;
	if (kernel == chain->count || !entries->count)
		return;
	perfdata_text_printf(out, "... LBR call chain: nr:%" PRIu64 "\n", kernel + 1 + entries->count + 1);
	for (uint64_t i = 0; i <= kernel; i++)
		from_line(out, i, perfdata_list_u64(chain, i));
	struct perfdata_branch branch;
	perfdata_list_get(entries, 0, &branch, sizeof branch);
	from_line(out, kernel + 1, branch.to);
	for (uint64_t i = 0; i < entries->count; i++) {
		perfdata_list_get(entries, i, &branch, sizeof branch);
		from_line(out, kernel + 2 + i, branch.from);
	}
}

const char *pd_sample_text_branch_type(uint64_t flags)
{
	static const char *const types[] = {
		"",       "COND",      "UNCOND",   "IND",  "CALL", "IND_CALL", "RET",   "SYSCALL",
		"SYSRET", "COND_CALL", "COND_RET", "ERET", "IRQ",  "SERROR",   "NO_TX", "",
	};
	static const char *const new_types[] = { "FAULT_ALGN", "FAULT_DATA", "FAULT_INST", "ARCH_1",
						 "ARCH_2",     "ARCH_3",     "ARCH_4",     "ARCH_5" };
	unsigned type = flags >> 20 & 15, new_type = flags >> 26 & 15;
	if (type != 15)
		return types[type];
	/* perf's table has no further names, and its printf prints NULL so */
	return new_type < 8 ? new_types[new_type] : "(null)";
}

const char *pd_sample_text_branch_spec(uint64_t flags)
{
	static const char *const specs[] = { "", "SPEC_WRONG_PATH", "NON_SPEC_CORRECT_PATH", "SPEC_CORRECT_PATH" };
	return specs[flags >> 24 & 3];
}

static char *text_to(char *at, const char *text)
{
	size_t size = strlen(text);
	memcpy(at, text, size);
	return at + size;
}

static void branch_line(struct perfdata_text *out, uint64_t index, const struct perfdata_branch *branch)
{
	char *at = perfdata_text_reserve(out, 240);
	if (!at)
		return;
	at = pd_hex_width_to(index_to(at, index), branch->from, 16);
	at = pd_hex_width_to(text_to(at, " -> "), branch->to, 16);
	*at++ = ' ';
	at = pd_u64_to(at, branch->flags >> 4 & 0xffff);
	at = text_to(at, " cycles ");
	*at++ = branch->flags & 1 ? 'M' : ' ';
	*at++ = branch->flags & 2 ? 'P' : ' ';
	*at++ = branch->flags & 8 ? 'A' : ' ';
	*at++ = branch->flags & 4 ? 'T' : ' ';
	*at++ = ' ';
	at = pd_hex_to(at, branch->flags >> 34);   /* bit 33 is perf's own "not taken" */
	*at++ = ' ';
	at = text_to(at, pd_sample_text_branch_type(branch->flags));
	*at++ = ' ';
	at = text_to(at, pd_sample_text_branch_spec(branch->flags));
	*at++ = '\n';
	perfdata_text_commit(out, at);
}

static void branch_stack(const struct pd_sample_text_setup *setup, const struct perfdata_branch_stack *stack,
			 bool call_stack, bool has_counters, struct perfdata_text *out)
{
	const struct perfdata_list *entries = &stack->entries;
	perfdata_text_string(out, call_stack ? "... branch callstack: nr:" : "... branch stack: nr:");
	perfdata_text_u64(out, entries->count + (call_stack ? 1 : 0));
	perfdata_text_char(out, '\n');
	for (uint64_t i = 0; i < entries->count; i++) {
		struct perfdata_branch branch;
		perfdata_list_get(entries, i, &branch, sizeof branch);
		if (!call_stack) {
			branch_line(out, i, &branch);
			continue;
		}
		if (i == 0)
			from_line(out, 0, branch.to);
		from_line(out, i + 1, branch.from);
	}
	if (!has_counters)
		return;
	perfdata_text_printf(out, "... branch stack counters: nr:%" PRIu64 " (counter width: %u max counter nr:%u)\n",
			     stack->counters.count, setup->counter_width, setup->counters);
	for (uint64_t i = 0; i < stack->counters.count; i++)
		from_line(out, i, perfdata_list_u64(&stack->counters, i));
}

static void write_registers(const struct pd_sample_text_setup *setup, const char *title,
			    const struct perfdata_regs *regs, struct perfdata_text *out)
{
	static const char *const abis[] = { "none", "32-bit", "64-bit" };
	if (!regs->abi)
		return;
	perfdata_text_string(out, title);
	pd_text_hex(out, regs->mask);
	perfdata_text_literal(out, " ABI ");
	perfdata_text_string(out, regs->abi < 3 ? abis[regs->abi] : "unknown");
	perfdata_text_char(out, '\n');
	uint64_t mask = regs->mask;
	for (uint64_t i = 0; i < regs->values.count && mask; i++, mask &= mask - 1) {
		const char *name = pd_register_name(setup->arch, (unsigned)__builtin_ctzll(mask));
		if (!name)
			name = "unknown";
		size_t size = strlen(name);
		char *at = perfdata_text_reserve(out, 64 + size);
		if (!at)
			return;
		at = text_to(text_to(at, ".... "), name);
		for (; size < 5; size++)
			*at++ = ' ';
		at = pd_hex_width_to(text_to(at, " 0x"), perfdata_list_u64(&regs->values, i), 16);
		*at++ = '\n';
		perfdata_text_commit(out, at);
	}
}

/* "4K", "1024B": divides by 1024 while the result is above 1, as perf does. */
void pd_sample_text_page_size(uint64_t size, struct perfdata_text *out)
{
	if (!size) {
		perfdata_text_literal(out, "N/A");
		return;
	}
	static const char units[] = "BKMG";
	unsigned unit = 0;
	while (size / 1024 > 1 && unit < 3) {
		size /= 1024;
		unit++;
	}
	perfdata_text_u64(out, size);
	perfdata_text_char(out, units[unit]);
}

static void page_size(struct perfdata_text *out, const char *title, uint64_t size)
{
	perfdata_text_string(out, title);
	pd_sample_text_page_size(size, out);
	perfdata_text_char(out, '\n');
}

static void number_line(struct perfdata_text *out, const char *title, uint64_t value)
{
	perfdata_text_string(out, title);
	perfdata_text_u64(out, value);
	perfdata_text_char(out, '\n');
}

static void hex_line(struct perfdata_text *out, const char *title, uint64_t value)
{
	perfdata_text_string(out, title);
	pd_text_hex(out, value);
	perfdata_text_char(out, '\n');
}

static void time_line(struct perfdata_text *out, const char *title, uint64_t value)
{
	char *at = perfdata_text_reserve(out, 64);
	if (!at)
		return;
	at = pd_hex_width_to(text_to(at, title), value, 16);
	*at++ = '\n';
	perfdata_text_commit(out, at);
}

static void weight_line(struct perfdata_text *out, const struct perfdata_sample *sample)
{
	perfdata_text_literal(out, "... weight: ");
	perfdata_text_u64(out, sample->weight_struct.var1);
	perfdata_text_literal(out, ",0x");
	pd_text_hex(out, sample->weight_struct.var2);
	perfdata_text_literal(out, ",0x");
	pd_text_hex(out, sample->weight_struct.var3);
	perfdata_text_char(out, '\n');
}

static void stack_line(struct perfdata_text *out, const struct perfdata_sample *sample)
{
	perfdata_text_literal(out, "... ustack: size ");
	perfdata_text_u64(out, sample->user_stack.size ? sample->user_stack.dyn_size : 0);
	perfdata_text_literal(out, ", offset 0x");
	pd_text_hex(out, sample->user_stack.offset);
	perfdata_text_char(out, '\n');
}

static void read_values(const struct perfdata_event *event, const struct perfdata_read *read, struct perfdata_text *out)
{
	uint64_t format = event->attr->read_format;
	const bool lost = pd_plan_has_field(read->values.element, read->values.present, "lost");
	perfdata_text_literal(out, "... sample_read:\n");
	if (format & PERFDATA_READ_FORMAT_TIME_ENABLED)
		time_line(out, "...... time enabled ", read->time_enabled);
	if (format & PERFDATA_READ_FORMAT_TIME_RUNNING)
		time_line(out, "...... time running ", read->time_running);
	if (format & PERFDATA_READ_FORMAT_GROUP)
		number_line(out, ".... group nr ", read->values.count);
	for (uint64_t i = 0; i < read->values.count; i++) {
		struct perfdata_read_value value = { 0 };
		perfdata_list_get(&read->values, i, &value, sizeof value);
		char *at = perfdata_text_reserve(out, 128);
		if (!at)
			return;
		at = pd_hex_width_to(text_to(at, "..... id "), value.id, 16);
		at = pd_hex_width_to(text_to(at, ", value "), value.value, 16);
		if (lost)
			at = pd_u64_to(text_to(at, ", lost "), value.lost);
		*at++ = '\n';
		perfdata_text_commit(out, at);
	}
}

static void first_line(const struct perfdata_raw *raw, const struct perfdata_sample *sample, struct perfdata_text *out)
{
	const struct perfdata_event *event = raw->event;
	uint64_t period = event_has(event, PERFDATA_SAMPLE_PERIOD) ? sample->period
			  : event                            ? event->config->sample_period
							     : 0;
	perfdata_text_literal(out, "(IP, 0x");
	pd_text_hex(out, raw->misc);
	perfdata_text_literal(out, "): ");
	perfdata_text_s64(out, raw->pid);
	perfdata_text_char(out, '/');
	perfdata_text_s64(out, raw->tid);
	perfdata_text_literal(out, ": ");
	pd_text_hex_alt(out, event_has(event, PERFDATA_SAMPLE_IP) ? sample->ip : 0);
	perfdata_text_literal(out, " period: ");
	perfdata_text_u64(out, period);
	perfdata_text_literal(out, " addr: ");
	pd_text_hex_alt(out, event_has(event, PERFDATA_SAMPLE_ADDR) ? sample->addr : 0);
	perfdata_text_char(out, '\n');
}

static void plain_pieces(const struct perfdata_event *event, const struct perfdata_sample *sample,
			 struct perfdata_text *out)
{
	if (event_has(event, PERFDATA_SAMPLE_STACK_USER))
		stack_line(out, sample);
	if (event_has(event, PERFDATA_SAMPLE_WEIGHT_STRUCT))
		weight_line(out, sample);
	else if (event_has(event, PERFDATA_SAMPLE_WEIGHT))
		number_line(out, "... weight: ", sample->weight);
	if (event_has(event, PERFDATA_SAMPLE_DATA_SRC))
		hex_line(out, " . data_src: 0x", sample->data_src);
	if (event_has(event, PERFDATA_SAMPLE_PHYS_ADDR))
		hex_line(out, " .. phys_addr: 0x", sample->phys_addr);
	if (event_has(event, PERFDATA_SAMPLE_DATA_PAGE_SIZE))
		page_size(out, " .. data page size: ", sample->data_page_size);
	if (event_has(event, PERFDATA_SAMPLE_CODE_PAGE_SIZE))
		page_size(out, " .. code page size: ", sample->code_page_size);
	if (event_has(event, PERFDATA_SAMPLE_TRANSACTION))
		hex_line(out, "... transaction: ", sample->transaction);
}

void pd_sample_text(const struct pd_sample_text_setup *setup, const struct perfdata_raw *raw,
		    const struct perfdata_record *record, struct perfdata_text *out)
{
	const struct perfdata_event *event = raw->event;
	const struct perfdata_sample *sample = &record->u.sample;
	const uint64_t call_stack_bit = 1 << 11, counters_bit = 1 << 19;
	bool branches = event_has(event, PERFDATA_SAMPLE_BRANCH_STACK);
	bool call_stack = branches && event->attr->branch_sample_type & call_stack_bit;
	first_line(raw, sample, out);
	if (!event)
		return;
	if (event_has(event, PERFDATA_SAMPLE_CALLCHAIN)) {
		if (call_stack)
			lbr_chain(sample, out);
		pd_sample_text_callchain(&sample->callchain, out);
	}
	if (branches)
		branch_stack(setup, &sample->branch_stack, call_stack, event->attr->branch_sample_type & counters_bit,
			     out);
	if (event_has(event, PERFDATA_SAMPLE_REGS_USER))
		write_registers(setup, "... user regs: mask 0x", &sample->user_regs, out);
	if (event_has(event, PERFDATA_SAMPLE_REGS_INTR))
		write_registers(setup, "... intr regs: mask 0x", &sample->intr_regs, out);
	plain_pieces(event, sample, out);
	if (event_has(event, PERFDATA_SAMPLE_READ))
		read_values(event, &sample->read, out);
}
