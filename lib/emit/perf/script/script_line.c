/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "emit/perf/cpu_numbers.h"
#include "emit/perf/script/script_line.h"
#include "emit/perf/script/script_parts.h"
#include "schema/schema.h"
#include "schema/trace.h"
#include "reader/reader.h"
#include "profile/profile.h"
#include "session/session.h"
#include "text/decimal.h"
#include "text/spelling.h"

#define NS_PER_S 1000000000ull

/* The path of a cgroup. Newer paths come first in the list; entries never change. */
struct script_cgroup {
	struct script_cgroup *next;
	uint64_t id;
	size_t size;
	char path[];
};

enum perfdata_status pd_script_setup_new(const struct perfdata_emit_context *context, struct script_setup **ret)
{
	struct script_setup *setup = calloc(1, sizeof *setup);
	if (!setup)
		return PERFDATA_ENOMEM;
	enum perfdata_status status = pd_script_setup_init(setup, context);
	if (!status && !(setup->frame_texts = pd_text_pool_new(pd_profile_account_of(context->session))))
		status = PERFDATA_ENOMEM;
	if (status) {
		pd_script_setup_free(setup);
		return status;
	}
	*ret = setup;
	return PERFDATA_OK;
}

void pd_script_setup_free(struct script_setup *setup)
{
	if (!setup)
		return;
	for (struct script_cgroup *cgroup = setup->cgroups, *next; cgroup; cgroup = next) {
		next = cgroup->next;
		free(cgroup);
	}
	pd_text_pool_free(setup->frame_texts);
	free(setup);
}

/* --- the values of a line ----------------------------------------------------------------------------------------- */

/* Values of a sample, or of another record's trailer. */
struct values {
	int32_t pid, tid;
	uint32_t cpu;
	uint64_t time;
};

static uint64_t sample_time(const struct perfdata_event *event, const struct perfdata_sample *sample)
{
	return event->attr->sample_type & PERFDATA_SAMPLE_TIME ? sample->time : UINT64_MAX;
}

/* Values of a sample, with perf's defaults for those that were not recorded. */
static struct values sample_values(const struct script_setup *setup, const struct script_plan *plan,
				   const struct perfdata_delivery *delivery)
{
	const struct perfdata_raw *raw = delivery->record;
	/* a traced operation has a tid but no pid */
	const bool has_pid = !plan->is_offcpu && !(raw->flags & PERFDATA_RAW_SYNTHESIZED);
	return (struct values){
		.pid = has_pid ? raw->pid : delivery->pid,
		.tid = plan->is_offcpu ? delivery->tid : raw->tid,
		.cpu = pd_shown_cpu(raw->cpu, setup->nr_cpus),
		.time = raw->time,
	};
}

/* Without a trailer (sample_id_all), perf takes these values from fields of the record. */
static struct values own_values(const struct perfdata_record *record)
{
	struct values values = { .pid = -1, .tid = -1 };
	switch (record->type) {
	case PERFDATA_RECORD_COMM:
		values.pid = record->u.comm.pid;
		values.tid = record->u.comm.tid;
		break;
	case PERFDATA_RECORD_FORK:
	case PERFDATA_RECORD_EXIT:
		values = (struct values){ record->u.task.pid, record->u.task.tid, 0, record->u.task.time };
		break;
	case PERFDATA_RECORD_MMAP:
		values.pid = record->u.mmap.pid;
		values.tid = record->u.mmap.tid;
		break;
	case PERFDATA_RECORD_MMAP2:
		values.pid = record->u.mmap2.pid;
		values.tid = record->u.mmap2.tid;
		break;
	case PERFDATA_RECORD_NAMESPACES:
		values.pid = record->u.namespaces.pid;
		values.tid = record->u.namespaces.tid;
		break;
	}
	return values;
}

static struct values record_values(const struct script_setup *setup, const struct perfdata_event *event,
				   const struct perfdata_record *record)
{
	if (!perfdata_attr_has(event->attr, PERFDATA_ATTR_SAMPLE_ID_ALL))
		return own_values(record);
	const struct perfdata_sample_id *id = &record->sample_id;
	const uint64_t type = event->attr->sample_type;
	return (struct values){
		.pid = type & PERFDATA_SAMPLE_TID ? id->pid : -1,
		.tid = type & PERFDATA_SAMPLE_TID ? id->tid : -1,
		.cpu = type & PERFDATA_SAMPLE_CPU ? pd_shown_cpu(id->cpu, setup->nr_cpus) : UINT32_MAX,
		.time = type & PERFDATA_SAMPLE_TIME ? id->time : UINT64_MAX,
	};
}

/* --- its start ---------------------------------------------------------------------------------------------------- */

static char *fill_to(char *at, size_t size)
{
	memset(at, ' ', size);
	return at + size;
}

/* %<width>d */
static char *number_to(char *at, int64_t value, unsigned width)
{
	char digits[32];
	const size_t size = (size_t)(pd_s64_to(digits, value) - digits);
	if (size < width)
		at = fill_to(at, width - size);
	memcpy(at, digits, size);
	return at + size;
}

/* %-7d */
static char *left_number_to(char *at, int64_t value)
{
	char *end = pd_s64_to(at, value);
	const size_t size = (size_t)(end - at);
	return size < 7 ? fill_to(end, 7 - size) : end;
}

/* %03d */
static char *cpu_to(char *at, uint32_t cpu)
{
	const int32_t value = (int32_t)cpu;
	if (value < 0) {
		*at++ = '-';
		if (value > -10)
			*at++ = '0';
		return pd_u64_to(at, -(uint64_t)value);
	}
	if (value < 100)
		*at++ = '0';
	if (value < 10)
		*at++ = '0';
	return pd_u64_to(at, cpu);
}

/* Fraction of a second: 9 digits, or 6 without --ns. */
static char *fraction_to(char *at, const struct script_setup *setup, uint64_t ns)
{
	char text[32];
	if (setup->ns) {
		pd_u64_to(text, NS_PER_S + ns);
		memcpy(at, text + 1, 9);
		return at + 9;
	}
	pd_u64_to(text, (NS_PER_S + ns) / 1000);
	memcpy(at, text + 1, 6);
	return at + 6;
}

static char *time_to(char *at, const struct script_setup *setup, uint64_t time)
{
	const uint64_t seconds = time / NS_PER_S;
	for (uint64_t blank = 10000; blank > seconds && blank >= 10; blank /= 10)
		*at++ = ' ';
	at = pd_u64_to(at, seconds);
	*at++ = '.';
	at = fraction_to(at, setup, time % NS_PER_S);
	memcpy(at, ": ", 2);
	return at + 2;
}

static uint64_t shown_time(const struct script_setup *setup, struct script_carry *carry, uint64_t time)
{
	if (setup->reltime) {
		if (!carry->first_time)
			carry->first_time = time;
		return time - carry->first_time;
	}
	if (setup->deltatime) {
		const uint64_t previous = carry->previous_time;
		carry->previous_time = time;
		return previous ? time - previous : 0;
	}
	return time;
}

static char *comm_to(char *at, const struct script_setup *setup, const struct script_plan *plan, const char *comm,
		     size_t size)
{
	if (setup->latency) {
		size = size < 8 ? size : 8;
		at = fill_to(at, 8 - size);
	} else if (!plan->bare_comm && size < 16) {
		at = fill_to(at, 16 - size);
	}
	memcpy(at, comm, size);
	at[size] = ' ';
	return at + size + 1;
}

static char *misc_to(char *at, const struct perfdata_raw *raw)
{
	const uint16_t misc = raw->misc;
	char *const start = at;
	static const struct { uint16_t mode; char letter; } modes[] = {
		{ PERFDATA_CPUMODE_KERNEL, 'K' }, { PERFDATA_CPUMODE_USER, 'U' }, { PERFDATA_CPUMODE_HYPERVISOR, 'H' },
		{ PERFDATA_CPUMODE_GUEST_KERNEL, 'G' }, { PERFDATA_CPUMODE_GUEST_USER, 'g' },
	};
	/* perf tests these numbers as bits */
	for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
		if ((misc & modes[i].mode) == modes[i].mode)
			*at++ = modes[i].letter;
	switch (raw->type) {
	case PERFDATA_RECORD_MMAP:
	case PERFDATA_RECORD_MMAP2:
		if (misc & PERFDATA_MISC_MMAP_DATA)
			*at++ = 'M';
		break;
	case PERFDATA_RECORD_COMM:
		if (misc & PERFDATA_MISC_COMM_EXEC)
			*at++ = 'E';
		break;
	case PERFDATA_RECORD_SWITCH:
	case PERFDATA_RECORD_SWITCH_CPU_WIDE:
		if (misc & PERFDATA_MISC_SWITCH_OUT) {
			*at++ = 'S';
			if (misc & PERFDATA_MISC_SWITCH_OUT_PREEMPT)
				*at++ = 'p';
		}
		break;
	}
	return fill_to(at, at - start < 5 ? 6 - (size_t)(at - start) : 1);
}

/* Date and time of day. */
static char *day_to(char *at, const struct script_setup *setup, uint64_t time)
{
	if (!setup->has_clock) {
		memcpy(at, "disabled ", 9);
		return at + 9;
	}
	const uint64_t wall = setup->wall_time + (time - setup->clock_time);
	const time_t seconds = (time_t)(wall / NS_PER_S);
	struct tm day;
	if (!localtime_r(&seconds, &day))
		return at;
	at += strftime(at, 64, "%F %H:%M:%S", &day);
	*at++ = '.';
	at = fraction_to(at, setup, wall % NS_PER_S);
	*at++ = ' ';
	return at;
}

/* Comm, pid and tid. */
static char *who_to(char *at, const struct script_setup *setup, const struct script_plan *plan, const char *comm,
		    const struct values *values)
{
	const uint64_t fields = plan->fields;
	if (fields & SCRIPT_COMM)
		at = comm_to(at, setup, plan, comm, strlen(comm));
	if (fields & SCRIPT_PID) {
		at = number_to(at, values->pid, 7);
		if (fields & SCRIPT_TID) {
			*at++ = '/';
			at = left_number_to(at, values->tid);
		}
		*at++ = ' ';
	} else if (fields & SCRIPT_TID) {
		at = number_to(at, values->tid, 7);
		*at++ = ' ';
	}
	return at;
}

/* As who_to, but copies the text from the cache if it is there. */
static void spell_who(const struct script_where *where, const struct script_plan *plan, uint32_t comm,
		      const struct values *values, struct perfdata_text *out)
{
	struct script_who *known = &where->cache->whos[(comm ^ (uint32_t)values->tid) % SCRIPT_WHOS];
	char *at = perfdata_text_reserve(out, SCRIPT_WHO_ROOM);
	if (!at)
		return;
	if (known->style != plan->who_style || known->comm != comm || known->pid != values->pid ||
	    known->tid != values->tid) {
		const char *name = perfdata_session_comm(where->setup->session, comm);
		const size_t room = strlen(name) + 100;
		at = perfdata_text_reserve(out, room);
		if (!at)
			return;
		const size_t size = (size_t)(who_to(at, where->setup, plan, name, values) - at);
		if (size > SCRIPT_WHO_ROOM) {
			perfdata_text_commit(out, at + size);
			return;
		}
		*known = (struct script_who){ .style = plan->who_style,
					      .comm = comm,
					      .pid = values->pid,
					      .tid = values->tid,
					      .size = (uint32_t)size };
		memcpy(known->text, at, size);
	}
	memcpy(at, known->text, SCRIPT_WHO_ROOM);
	perfdata_text_commit(out, at + known->size);
}

/* Writes the part from comm to time. */
/* The virtual machine and its CPU. */
static void spell_machine(uint64_t fields, const struct perfdata_delivery *delivery, struct perfdata_text *out)
{
	if (!delivery->machine_pid || !(fields & (SCRIPT_MACHINE_PID | SCRIPT_VCPU)))
		return;
	if (fields & SCRIPT_MACHINE_PID)
		perfdata_text_printf(out, "VM:%5d ", delivery->machine_pid);
	if (fields & SCRIPT_VCPU)
		perfdata_text_printf(out, "VCPU:%03d ", delivery->vcpu);
}

static void spell_start(const struct script_where *where, const struct script_plan *plan, uint32_t comm,
			const struct values *values, const struct perfdata_raw *raw, struct script_carry *carry,
			struct perfdata_text *out)
{
	const struct script_setup *setup = where->setup;
	const uint64_t fields = plan->fields;
	spell_who(where, plan, comm, values, out);
	char *at = perfdata_text_reserve(out, 200);
	if (!at)
		return;
	if (fields & SCRIPT_CPU) {
		if (setup->latency) {
			at = number_to(at, (int32_t)values->cpu, 3);
		} else {
			*at++ = '[';
			at = cpu_to(at, values->cpu);
			*at++ = ']';
		}
		*at++ = ' ';
	}
	if (fields & SCRIPT_MISC)
		at = misc_to(at, raw);
	if (fields & SCRIPT_TOD)
		at = day_to(at, setup, values->time);
	if (fields & SCRIPT_TIME)
		at = time_to(at, setup, shown_time(setup, carry, values->time));
	perfdata_text_commit(out, at);
}

void pd_script_line_start(const struct script_setup *setup, const struct perfdata_delivery *delivery,
			  const struct perfdata_record *record, struct script_carry *carry,
			  struct perfdata_scratch *scratch, struct perfdata_text *out)
{
	/* without an event, such as before the attrs of a stream, perf takes the values from the record itself */
	const struct script_plan eventless = {
		.fields = setup->eventless,
		.who_style = UINT32_MAX,
	};
	const struct perfdata_event *event = delivery->record->event;
	struct script_cache *cache = pd_script_cache_get(scratch, setup);
	const struct script_plan *plan = event && cache ? pd_script_plan_get(cache, setup, event) : NULL;
	if (cache && !event && !(delivery->record->flags & PERFDATA_RAW_UNKNOWN_ID))
		plan = &eventless;
	if (!plan)
		return;
	const struct values values = event ? record_values(setup, event, record) : own_values(record);
	const struct script_where where = { setup, cache, plan->ip_fields };
	spell_machine(plan->fields, delivery, out);
	spell_start(&where, plan, delivery->script_comm, &values, delivery->record, carry, out);
}

/* --- a sample ----------------------------------------------------------------------------------------------------- */

struct line {
	const struct script_setup *setup;
	const struct script_plan *plan;
	const struct perfdata_batch *batch;
	const struct perfdata_delivery *delivery;
	const struct perfdata_sample *sample;   /* NULL: the plan needs none */
	uint64_t recorded;                      /* sample_type of the record */
	struct script_where where;
	struct perfdata_text *out;
};

/* The symbol of a kernel address, for a tracepoint's print format. */
static bool trace_symbol(void *user, uint64_t address, struct perfdata_trace_symbol *ret)
{
	struct perfdata_symbol symbol;
	if (pd_session_kernel_symbol(user, address, &symbol) != PERFDATA_OK)
		return false;
	*ret = (struct perfdata_trace_symbol){ .name = symbol.name,
					       .name_size = strlen(symbol.name),
					       .start = symbol.start };
	return true;
}

static void spell_trace(const struct line *line)
{
	const struct perfdata_event *event = line->plan->event;
	if (!event->trace || !(line->recorded & PERFDATA_SAMPLE_RAW))
		return;
	const struct perfdata_trace_context context = {
		.trace = pd_reader_trace(line->setup->reader),
		.order = event->config->order,
		.symbol = trace_symbol,
		.user = (void *)(uintptr_t)line->setup->session,
	};
	const struct perfdata_raw *raw = line->delivery->record;
	const struct perfdata_bytes bytes = line->sample ? line->sample->raw :
					    pd_sample_raw(raw->event->config, raw->bytes, raw->size);
	(void)pd_trace_print(event->trace, bytes, &context, line->out);
}

static void spell_addr(const struct line *line)
{
	struct perfdata_text *out = line->out;
	const uint64_t fields = line->plan->fields;
	const uint32_t frame = line->delivery->addr;
	pd_text_hex_pad(out, line->recorded & PERFDATA_SAMPLE_ADDR ? line->sample->addr : 0, 16);
	if (!line->plan->addr_has_symbol)
		return;
	const struct script_where where = { line->setup, line->where.cache,
					    fields & (SCRIPT_SYM | SCRIPT_SYMOFF | SCRIPT_DSO | SCRIPT_DSOFF) };
	pd_script_frame_text(&where, frame, out);
}

static void spell_weights(const struct line *line)
{
	const struct perfdata_sample *sample = line->sample;
	const uint64_t fields = line->plan->fields;
	const bool parts = line->recorded & PERFDATA_SAMPLE_WEIGHT_STRUCT;
	if (fields & SCRIPT_WEIGHT)
		pd_text_u64_pad(line->out, parts ? sample->weight_struct.var1 : sample->weight, 16);
	if (fields & SCRIPT_INS_LAT)
		pd_text_u64_pad(line->out, parts ? sample->weight_struct.var2 : 0, 16);
	if (fields & SCRIPT_RETIRE_LAT)
		pd_text_u64_pad(line->out, parts ? sample->weight_struct.var3 : 0, 16);
}

static uint64_t data_src_of(uint64_t recorded, const struct perfdata_sample *sample)
{
	return recorded & PERFDATA_SAMPLE_DATA_SRC ? sample->data_src : SCRIPT_DATA_SRC_NONE;
}

static void spell_data_src(const struct line *line, struct script_carry *carry)
{
	const size_t before = line->out->size;
	pd_script_data_src(data_src_of(line->recorded, line->sample), line->out);
	const size_t size = line->out->size - before;
	if (size > carry->data_src_width)
		carry->data_src_width = size;
	perfdata_text_fill(line->out, ' ', carry->data_src_width - size);
}

static void spell_cgroup(const struct line *line, const struct script_cgroup *cgroups)
{
	const struct script_cgroup *found = NULL;
	/* of several records with one id, perf uses the first */
	for (const struct script_cgroup *cgroup = cgroups; cgroup; cgroup = cgroup->next)
		if (cgroup->id == line->sample->cgroup)
			found = cgroup;
	perfdata_text_char(line->out, ' ');
	if (found)
		perfdata_text_append(line->out, found->path, found->size);
	else
		perfdata_text_literal(line->out, "unknown");
}

/* The cookie of a missing deferred chain, or 0. */
static uint64_t cookie_of(const struct line *line)
{
	if (!line->sample || line->delivery->deferred || line->delivery->flags & PERFDATA_DELIVERY_CHAIN_LOST ||
	    line->plan->is_offcpu)
		return 0;
	const struct perfdata_list *chain = &line->sample->callchain;
	if (chain->count < 2 || perfdata_list_u64(chain, chain->count - 2) != PERFDATA_CONTEXT_USER_DEFERRED)
		return 0;
	return perfdata_list_u64(chain, chain->count - 1);
}

static void spell_ip(const struct line *line)
{
	struct perfdata_text *out = line->out;
	if (line->plan->has_chain) {
		perfdata_text_char(out, '\n');
		size_t nr;
		const struct perfdata_step *steps = perfdata_batch_stack(line->batch, line->delivery, &nr);
		if (nr)
			pd_script_stack_text(&line->where, steps, nr, cookie_of(line), out);
		return;
	}
	pd_script_fetch_frames(&line->where, line->delivery, line->batch->deliveries + line->batch->nr_deliveries);
	perfdata_text_char(out, ' ');
	if (line->where.ip_fields & SCRIPT_IP)
		pd_text_hex_pad(out, line->delivery->address, 16);
	pd_script_frame_text(&line->where, line->delivery->ip, out);
}

/* "FROM => TO" */
static void spell_branch(const struct line *line)
{
	const uint64_t fields = line->plan->fields;
	if (fields & SCRIPT_IP)
		spell_ip(line);
	const bool user_set = line->setup->types[pd_script_type_of(line->plan->event->attr)].set;
	if (fields & SCRIPT_ADDR || (line->recorded & PERFDATA_SAMPLE_ADDR && !user_set)) {
		perfdata_text_literal(line->out, " => ");
		spell_addr(line);
	}
	perfdata_text_char(line->out, '\n');
}

static void spell_branches(const struct line *line)
{
	if (!(line->recorded & PERFDATA_SAMPLE_BRANCH_STACK))
		return;
	const struct perfdata_delivery *delivery = line->delivery;
	const uint32_t *frames = delivery->branches == PERFDATA_NONE ? NULL : line->batch->frames + delivery->branches;
	pd_script_branches(&line->where, line->plan->fields, &line->sample->branch_stack.entries, frames, line->out);
}

/* The part of a line after the ip. */
static void spell_rest(const struct line *line)
{
	const uint64_t fields = line->plan->fields;
	const struct perfdata_sample *sample = line->sample;
	if (fields & SCRIPT_IREGS && line->recorded & PERFDATA_SAMPLE_REGS_INTR)
		pd_script_registers(&sample->intr_regs, line->setup->arch, line->out);
	if (fields & SCRIPT_UREGS && line->recorded & PERFDATA_SAMPLE_REGS_USER)
		pd_script_registers(&sample->user_regs, line->setup->arch, line->out);
	if (fields & (SCRIPT_BRSTACK | SCRIPT_BRSTACKSYM | SCRIPT_BRSTACKOFF))
		spell_branches(line);
	if (fields & SCRIPT_BPF_OUTPUT && line->plan->is_bpf_output && line->recorded & PERFDATA_SAMPLE_RAW)
		pd_script_bpf_output(sample->raw, line->out);
	if (fields & SCRIPT_PHYS_ADDR)
		pd_text_hex_pad(line->out, sample->phys_addr, 16);
	if (fields & SCRIPT_DATA_PAGE_SIZE)
		pd_script_page_size(sample->data_page_size, line->out);
	if (fields & SCRIPT_CODE_PAGE_SIZE)
		pd_script_page_size(sample->code_page_size, line->out);
	perfdata_text_char(line->out, '\n');
}

static void spell_sample(const struct line *line, struct script_carry *carry)
{
	struct perfdata_text *out = line->out;
	const struct script_plan *plan = line->plan;
	const uint64_t fields = plan->fields;
	if (fields & SCRIPT_PERIOD) {
		pd_text_u64_pad(out, line->delivery->period, 10);
		perfdata_text_char(out, ' ');
	}
	if (fields & SCRIPT_EVENT)
		perfdata_text_append(out, plan->name, plan->name_size);
	if (line->setup->flags)
		perfdata_text_fill(out, ' ', 24);
	if (plan->is_branch) {
		spell_branch(line);
		return;
	}
	if (fields & SCRIPT_TRACE)
		spell_trace(line);
	if (fields & SCRIPT_SYNTHESIZED && plan->is_synthesized)
		pd_script_synthesized(plan->event->attr->config, line->sample->raw, plan->event->config->order, out);
	if (fields & SCRIPT_ADDR)
		spell_addr(line);
	if (fields & SCRIPT_DATA_SRC)
		spell_data_src(line, carry);
	if (fields & (SCRIPT_WEIGHT | SCRIPT_INS_LAT | SCRIPT_RETIRE_LAT))
		spell_weights(line);
	if (fields & SCRIPT_CGROUP)
		spell_cgroup(line, carry->cgroups);
	if (fields & SCRIPT_IP)
		spell_ip(line);
	spell_rest(line);
}

void pd_script_line(const struct script_setup *setup, const struct perfdata_batch *batch,
		    const struct perfdata_delivery *delivery, const struct perfdata_record *record,
		    struct script_carry *carry, struct perfdata_scratch *scratch, struct perfdata_text *out)
{
	struct script_cache *cache = pd_script_cache_get(scratch, setup);
	const struct script_plan *plan = cache && delivery->event ? pd_script_plan_get(cache, setup, delivery->event)
								  : NULL;
	if (!plan) {
		out->failed |= delivery->event != NULL;
		return;
	}
	if (!plan->fields)
		return;
	const struct perfdata_raw *raw = delivery->record;
	struct perfdata_record decoded;
	if (!record && !plan->from_raw) {
		(void)perfdata_decode(raw->event->config, raw->bytes, raw->size, &decoded);
		record = &decoded;
	}
	const struct line line = {
		.setup = setup,
		.plan = plan,
		.batch = batch,
		.delivery = delivery,
		.sample = record ? &record->u.sample : NULL,
		.recorded = raw->event->attr->sample_type,
		.where = { setup, cache, plan->ip_fields },
		.out = out,
	};
	const struct values values = sample_values(setup, plan, delivery);
	spell_machine(plan->fields, delivery, out);
	spell_start(&line.where, plan, delivery->script_comm, &values, raw, carry, out);
	spell_sample(&line, carry);
}

/* --- state carried from batch to batch ---------------------------------------------------------------------------- */

static uint64_t fields_of(const struct script_setup *setup, const struct perfdata_event *event)
{
	return setup->types[pd_script_type_of(event->attr)].fields;
}

static enum perfdata_status add_cgroup(struct script_setup *setup, const struct perfdata_cgroup *record)
{
	struct script_cgroup *cgroup = malloc(sizeof *cgroup + record->path.size);
	if (!cgroup)
		return PERFDATA_ENOMEM;
	cgroup->id = record->id;
	cgroup->size = record->path.size;
	if (cgroup->size)
		memcpy(cgroup->path, record->path.data, cgroup->size);
	cgroup->next = setup->cgroups;
	setup->cgroups = cgroup;
	return PERFDATA_OK;
}

static enum perfdata_status pass_delivery(struct script_setup *setup, struct script_carry *carry,
					  const struct perfdata_delivery *delivery, uint64_t fields,
					  struct perfdata_text *text)
{
	const struct perfdata_raw *raw = delivery->record;
	struct perfdata_record record;
	const struct perfdata_config *config = raw->event ? raw->event->config : perfdata_reader_config(setup->reader);
	(void)perfdata_decode(config, raw->bytes, raw->size, &record);
	if (raw->type == PERFDATA_RECORD_CGROUP)
		return add_cgroup(setup, &record.u.cgroup);
	if (fields & SCRIPT_TIME)
		(void)shown_time(setup, carry,
				 raw->type == PERFDATA_RECORD_SAMPLE ? sample_time(raw->event, &record.u.sample)
								     : record_values(setup, raw->event, &record).time);
	if (fields & SCRIPT_DATA_SRC) {
		perfdata_text_clear(text);
		pd_script_data_src(data_src_of(raw->event->attr->sample_type, &record.u.sample), text);
		if (text->size > carry->data_src_width)
			carry->data_src_width = text->size;
	}
	return PERFDATA_OK;
}

enum perfdata_status pd_script_carry_pass(struct script_setup *setup, struct script_carry *carry,
					  const struct perfdata_batch *batch, struct script_carry *ret)
{
	uint64_t all = 0;
	const uint64_t wanted = SCRIPT_DATA_SRC | (setup->reltime || setup->deltatime ? SCRIPT_TIME : 0);
	enum perfdata_status status = PERFDATA_OK;
	struct perfdata_text text;
	for (unsigned i = 0; i < SCRIPT_TYPES; i++)
		all |= setup->types[i].fields;
	*ret = *carry;
	if (!(all & (wanted | SCRIPT_CGROUP)))
		return PERFDATA_OK;
	perfdata_text_init(&text);
	for (size_t i = 0; i < batch->nr_deliveries && status == PERFDATA_OK; i++) {
		const struct perfdata_delivery *delivery = &batch->deliveries[i];
		const uint32_t type = delivery->record->type;
		uint64_t fields = 0;
		if (type == PERFDATA_RECORD_SAMPLE && !(delivery->flags & PERFDATA_DELIVERY_SILENT) && delivery->event)
			fields = fields_of(setup, delivery->event) & wanted;
		else if (script_setup_shows(setup, type) && delivery->record->event)
			fields = fields_of(setup, delivery->record->event) & wanted & SCRIPT_TIME;
		if (fields || type == PERFDATA_RECORD_CGROUP)
			status = pass_delivery(setup, carry, delivery, fields, &text);
	}
	if (perfdata_text_failed(&text))
		status = PERFDATA_ENOMEM;
	perfdata_text_release(&text);
	ret->cgroups = setup->cgroups;
	return status;
}
