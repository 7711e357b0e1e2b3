/* SPDX-License-Identifier: MIT */
#include "emit/perf/record_text.h"
#include "emit/values/plan.h"
#include "reader/reader.h"
#include "schema/schema.h"
#include "text/spelling.h"

#include <inttypes.h>
#include <string.h>

static void write_pair(struct perfdata_text *out, char before, int32_t a, char between, int32_t b)
{
	perfdata_text_char(out, before);
	perfdata_text_s64(out, a);
	perfdata_text_char(out, between);
	perfdata_text_s64(out, b);
}

static void task_pair(struct perfdata_text *out, int32_t pid, int32_t tid) { write_pair(out, ' ', pid, '/', tid); }

/* %02x */
static void hex_2(struct perfdata_text *out, uint32_t value)
{
	if (value < 16)
		perfdata_text_char(out, '0');
	pd_text_hex(out, value);
}

static void write_range(struct perfdata_text *out, uint64_t start, uint64_t len, uint64_t pgoff)
{
	perfdata_text_literal(out, ": [");
	pd_text_hex_alt(out, start);
	perfdata_text_char(out, '(');
	pd_text_hex_alt(out, len);
	perfdata_text_literal(out, ") @ ");
	pd_text_hex_alt(out, pgoff);
}

static void mmap_tail(const struct perfdata_record *record, struct perfdata_text *out)
{
	const struct perfdata_mmap *mmap = &record->u.mmap;
	task_pair(out, mmap->pid, mmap->tid);
	write_range(out, mmap->addr, mmap->len, mmap->pgoff);
	perfdata_text_string(out, record->misc & PERFDATA_MISC_MMAP_DATA ? "]: r " : "]: x ");
	perfdata_text_bytes(out, mmap->filename);
	perfdata_text_char(out, '\n');
}

static void mmap2_tail(const struct perfdata_record *record, struct perfdata_text *out)
{
	const struct perfdata_mmap2 *mmap2 = &record->u.mmap2;
	struct perfdata_bytes build_id;
	task_pair(out, mmap2->pid, mmap2->tid);
	write_range(out, mmap2->addr, mmap2->len, mmap2->pgoff);
	if (perfdata_mmap2_build_id(record, &build_id) || pd_mmap2_false_build_id(record, &build_id)) {
		perfdata_text_literal(out, " <");
		perfdata_text_bytes_hex(out, build_id.data, build_id.size);
		perfdata_text_char(out, '>');
	} else {
		/* perf prints inode and generation as signed numbers */
		perfdata_text_char(out, ' ');
		hex_2(out, mmap2->maj);
		perfdata_text_char(out, ':');
		hex_2(out, mmap2->min);
		perfdata_text_char(out, ' ');
		perfdata_text_u64(out, mmap2->ino);
		perfdata_text_char(out, ' ');
		perfdata_text_u64(out, mmap2->ino_generation);
	}
	const char letters[] = { mmap2->prot & 1 ? 'r' : '-', mmap2->prot & 2 ? 'w' : '-', mmap2->prot & 4 ? 'x' : '-',
				 mmap2->flags & 1 ? 's' : 'p', ' ' };
	perfdata_text_literal(out, "]: ");
	perfdata_text_append(out, letters, sizeof letters);
	perfdata_text_bytes(out, mmap2->filename);
	perfdata_text_char(out, '\n');
}

static void comm_tail(const struct perfdata_record *record, struct perfdata_text *out)
{
	const struct perfdata_comm *comm = &record->u.comm;
	perfdata_text_string(out, record->misc & PERFDATA_MISC_COMM_EXEC ? " exec: " : ": ");
	perfdata_text_bytes(out, comm->comm);
	write_pair(out, ':', comm->pid, '/', comm->tid);
	perfdata_text_char(out, '\n');
}

static void task_tail(const struct perfdata_record *record, struct perfdata_text *out)
{
	const struct perfdata_task *task = &record->u.task;
	write_pair(out, '(', task->pid, ':', task->tid);
	perfdata_text_literal(out, "):");
	write_pair(out, '(', task->ppid, ':', task->ptid);
	perfdata_text_literal(out, ")\n");
}

static void lost_samples_tail(const struct perfdata_record *record, struct perfdata_text *out)
{
	const struct perfdata_sample_id *trailer = &record->sample_id;
	const struct perfdata_layout *layout = pd_trailer_layout();
	uint64_t id = UINT64_MAX;
	if (pd_plan_has_field(layout, trailer->present, "identifier"))
		id = trailer->identifier;
	else if (pd_plan_has_field(layout, trailer->present, "id"))
		id = trailer->id;
	perfdata_text_printf(out, ": id:%" PRIu64 ": lost samples :%" PRIu64 "%s\n", id, record->u.lost_samples.lost,
			     record->misc & PERFDATA_MISC_LOST_SAMPLES_BPF ? " (BPF)" : "");
}

static void read_tail(const struct record_text_context *context, const struct perfdata_record *record,
		      struct perfdata_text *out)
{
	const struct perfdata_read_record *read = &record->u.read;
	struct perfdata_read_value value = { 0 };
	uint64_t present = 0;
	if (read->read.values.count) {
		perfdata_list_get(&read->read.values, 0, &value, sizeof value);
		present = read->read.values.present;
	}
	const bool has_id = pd_plan_has_field(read->read.values.element, present, "id");
	const bool has_lost = pd_plan_has_field(read->read.values.element, present, "lost");
	perfdata_text_printf(out, ": %d %d ", read->pid, read->tid);
	if (context->event)
		pd_event_names_append(context->names, context->event, out);
	else
		perfdata_text_literal(out, "unknown");
	perfdata_text_printf(out, " %" PRIu64 "\n", value.value);
	if (read->read.present & 1)
		perfdata_text_printf(out, "... time enabled : %" PRIu64 "\n", read->read.time_enabled);
	if (read->read.present & 2)
		perfdata_text_printf(out, "... time running : %" PRIu64 "\n", read->read.time_running);
	if (has_id)
		perfdata_text_printf(out, "... id           : %" PRIu64 "\n", value.id);
	if (has_lost)
		perfdata_text_printf(out, "... lost         : %" PRIu64 "\n", value.lost);
	if (context->dump && !context->report)
		perfdata_text_literal(out, ": unhandled!\n");
}

static void aux_tail(const struct perfdata_record *record, struct perfdata_text *out)
{
	const struct perfdata_aux *aux = &record->u.aux;
	static const char letters[] = "TOPC";
	perfdata_text_literal(out, " offset: ");
	pd_text_hex_alt(out, aux->aux_offset);
	perfdata_text_literal(out, " size: ");
	pd_text_hex_alt(out, aux->aux_size);
	perfdata_text_literal(out, " flags: ");
	pd_text_hex_alt(out, aux->flags);
	perfdata_text_literal(out, " [");
	for (unsigned i = 0; i < 4; i++)
		if (aux->flags >> i & 1)
			perfdata_text_char(out, letters[i]);
	perfdata_text_literal(out, "]\n");
}

static const char *switch_direction(const struct perfdata_record *record)
{
	if (!(record->misc & PERFDATA_MISC_SWITCH_OUT))
		return " IN         ";
	return record->misc & PERFDATA_MISC_SWITCH_OUT_PREEMPT ? " OUT preempt" : " OUT        ";
}

static void switch_tail(const struct perfdata_record *record, struct perfdata_text *out)
{
	perfdata_text_string(out, switch_direction(record));
	if (record->type == PERFDATA_RECORD_SWITCH) {
		perfdata_text_char(out, '\n');
		return;
	}
	const struct perfdata_switch *wide = &record->u.context_switch;
	perfdata_text_string(out, record->misc & PERFDATA_MISC_SWITCH_OUT ? "  next pid/tid: " : "  prev pid/tid: ");
	pd_text_s64_pad(out, wide->next_prev_pid, 5);
	perfdata_text_char(out, '/');
	const size_t before = out->size;
	perfdata_text_s64(out, wide->next_prev_tid);
	perfdata_text_fill(out, ' ', out->size - before < 5 ? 5 - (out->size - before) : 0);
	perfdata_text_char(out, '\n');
}

static void namespaces_tail(const struct perfdata_record *record, struct perfdata_text *out)
{
	static const char *const names[] = { "net", "uts", "ipc", "pid", "user", "mnt", "cgroup" };
	const struct perfdata_namespaces *namespaces = &record->u.namespaces;
	task_pair(out, namespaces->pid, namespaces->tid);
	perfdata_text_printf(out, " - nr_namespaces: %" PRIu64 "\n\t\t[", namespaces->nr);
	for (uint64_t i = 0; i < namespaces->namespaces.count; i++) {
		struct perfdata_namespace link;
		perfdata_list_get(&namespaces->namespaces, i, &link, sizeof link);
		if (i && i % 4 == 0)
			perfdata_text_literal(out, "\n\t\t ");
		perfdata_text_printf(out, "%" PRIu64 "/%s: %" PRIu64 "/", i, i < 7 ? names[i] : "UNKNOWN", link.dev);
		pd_text_hex_alt(out, link.ino);
		perfdata_text_string(out, i + 1 < namespaces->namespaces.count ? ", " : "]\n");
	}
}

static void poke_bytes(struct perfdata_text *out, const char *title, struct perfdata_bytes bytes)
{
	for (size_t i = 0; i < bytes.size; i++) {
		if (i % 16 == 0)
			perfdata_text_string(out, title);
		perfdata_text_char(out, ' ');
		hex_2(out, bytes.data[i]);
		if (i % 16 == 15 || i + 1 == bytes.size)
			perfdata_text_char(out, '\n');
	}
}

static void text_poke_tail(const struct record_text_context *context, const struct perfdata_record *record,
			   struct perfdata_text *out)
{
	const struct perfdata_text_poke *poke = &record->u.text_poke;
	perfdata_text_char(out, ' ');
	pd_text_hex(out, poke->addr);
	perfdata_text_char(out, ' ');
	if (context->symbol)
		context->symbol(context->user, poke->addr, out);
	perfdata_text_printf(out, " old len %u new len %u\n", poke->old_len, poke->new_len);
	poke_bytes(out, "            Old bytes:", poke->old_bytes);
	poke_bytes(out, "            New bytes:", poke->new_bytes);
}

static void deferred_tail(const struct perfdata_record *record, struct perfdata_text *out)
{
	const struct perfdata_callchain_deferred *deferred = &record->u.callchain_deferred;
	perfdata_text_printf(out, "(IP, 0x%x): %d/%d: ", record->misc, record->sample_id.pid, record->sample_id.tid);
	pd_text_hex_alt(out, deferred->cookie);
	perfdata_text_char(out, '\n');
}

void pd_record_text_kernel(const struct record_text_context *context, const struct perfdata_record *record,
			   struct perfdata_text *out)
{
	switch (record->type) {
	case PERFDATA_RECORD_MMAP:
		mmap_tail(record, out);
		break;
	case PERFDATA_RECORD_MMAP2:
		mmap2_tail(record, out);
		break;
	case PERFDATA_RECORD_COMM:
		comm_tail(record, out);
		break;
	case PERFDATA_RECORD_FORK:
	case PERFDATA_RECORD_EXIT:
		task_tail(record, out);
		break;
	case PERFDATA_RECORD_LOST:
		if (context->dump)
			perfdata_text_printf(out, ": id:%" PRIu64 ": lost:%" PRIu64 "\n", record->u.lost.id,
					     record->u.lost.lost);
		else
			perfdata_text_printf(out, " lost %" PRIu64 "\n", record->u.lost.lost);
		break;
	case PERFDATA_RECORD_LOST_SAMPLES:
		lost_samples_tail(record, out);
		break;
	case PERFDATA_RECORD_THROTTLE:
	case PERFDATA_RECORD_UNTHROTTLE:
		if (context->report)
			perfdata_text_literal(out, ": unhandled!\n");
		break;
	case PERFDATA_RECORD_READ:
		read_tail(context, record, out);
		break;
	case PERFDATA_RECORD_AUX:
		aux_tail(record, out);
		break;
	case PERFDATA_RECORD_ITRACE_START:
		perfdata_text_printf(out, " pid: %u tid: %u\n", (uint32_t)record->u.itrace_start.pid,
				     (uint32_t)record->u.itrace_start.tid);
		break;
	case PERFDATA_RECORD_SWITCH:
	case PERFDATA_RECORD_SWITCH_CPU_WIDE:
		switch_tail(record, out);
		break;
	case PERFDATA_RECORD_NAMESPACES:
		namespaces_tail(record, out);
		break;
	case PERFDATA_RECORD_KSYMBOL:
		perfdata_text_printf(out, " addr %" PRIx64 " len %u type %u flags 0x%x name ", record->u.ksymbol.addr,
				     record->u.ksymbol.len, record->u.ksymbol.type, record->u.ksymbol.flags);
		perfdata_text_bytes(out, record->u.ksymbol.name);
		perfdata_text_char(out, '\n');
		break;
	case PERFDATA_RECORD_BPF_EVENT:
		perfdata_text_printf(out, " type %u, flags %u, id %u\n", record->u.bpf_event.type,
				     record->u.bpf_event.flags, record->u.bpf_event.id);
		break;
	case PERFDATA_RECORD_CGROUP:
		perfdata_text_printf(out, " cgroup: %" PRIu64 " ", record->u.cgroup.id);
		perfdata_text_bytes(out, record->u.cgroup.path);
		perfdata_text_char(out, '\n');
		break;
	case PERFDATA_RECORD_TEXT_POKE:
		text_poke_tail(context, record, out);
		break;
	case PERFDATA_RECORD_AUX_OUTPUT_HW_ID:
		perfdata_text_literal(out, " hw_id: ");
		pd_text_hex_alt(out, record->u.aux_output_hw_id.hw_id);
		perfdata_text_char(out, '\n');
		break;
	case PERFDATA_RECORD_CALLCHAIN_DEFERRED:
		deferred_tail(record, out);
		break;
	}
}
