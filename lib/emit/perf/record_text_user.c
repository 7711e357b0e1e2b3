/* SPDX-License-Identifier: MIT */
#include "emit/perf/record_text.h"

#include <inttypes.h>
#include <string.h>

#include "emit/perf/header_text.h"
#include "schema/schema.h"
#include "schema/feature.h"
#include "reader/reader.h"

#define UNHANDLED(out) perfdata_text_literal(out, ": unhandled!\n")

/* "0-3,8" */
static void cpu_list(struct perfdata_text *out, const struct perfdata_cpus *cpus)
{
	uint64_t position = 0;
	int32_t cpu, first = 0, last = 0;
	bool open = false, any = false;
	for (;;) {
		bool more = pd_cpus_next(cpus, &position, &cpu);
		if (open && more && cpu == last + 1) {
			last = cpu;
			continue;
		}
		if (open) {
			if (any)
				perfdata_text_char(out, ',');
			perfdata_text_s64(out, first);
			if (last > first) {
				perfdata_text_char(out, '-');
				perfdata_text_s64(out, last);
			}
			any = true;
		}
		if (!more)
			break;
		first = last = cpu;
		open = true;
	}
}

static void id_index_tail(const struct perfdata_record *record, struct perfdata_text *out)
{
	const struct perfdata_id_index *index = &record->u.id_index;
	perfdata_text_printf(out, " nr: %" PRIu64 "\n", index->nr);
	for (uint64_t i = 0; i < index->entries.count; i++) {
		struct perfdata_id_index_entry entry;
		perfdata_list_get(&index->entries, i, &entry, sizeof entry);
		perfdata_text_printf(out, " ... id: %" PRIu64 "  idx: %" PRIu64 "  cpu: %" PRId64 "  tid: %" PRId64,
				     entry.id, entry.idx, entry.cpu, entry.tid);
		if (i < index->guests.count) {
			struct perfdata_id_index_guest guest;
			perfdata_list_get(&index->guests, i, &guest, sizeof guest);
			perfdata_text_printf(out, "  machine_pid: %" PRId64 "  vcpu: %" PRId64, guest.machine_pid,
					     guest.vcpu);
		}
		perfdata_text_char(out, '\n');
	}
}

/* --- AUXTRACE_INFO: the words of each tracer --- */

struct info_row {
	const char *text;       /* padded */
	enum { SIGNED_32, UNSIGNED, HEX, HEX_WITH_0 } form;   /* zero is "0", or "0x0" */
};

static void info_word(struct perfdata_text *out, const struct info_row *row, uint64_t value)
{
	perfdata_text_string(out, row->text);
	if (row->form == SIGNED_32)
		perfdata_text_s64(out, (int32_t)value);
	else if (row->form == UNSIGNED)
		perfdata_text_u64(out, value);
	else
		perfdata_text_printf(out, row->form == HEX ? "%#" PRIx64 : "0x%" PRIx64, value);
	perfdata_text_char(out, '\n');
}

/* The words in tools/perf/util/intel-pt.c, with perf's labels. */
static void intel_pt_info(const struct perfdata_list *priv, struct perfdata_text *out)
{
	static const struct info_row rows[] = {
		{ "  PMU Type            ", SIGNED_32 }, { "  Time Shift          ", UNSIGNED },
		{ "  Time Multiplier     ", UNSIGNED }, { "  Time Zero           ", UNSIGNED },
		{ "  Cap Time Zero       ", SIGNED_32 }, { "  TSC bit             ", HEX },
		{ "  NoRETComp bit       ", HEX }, { "  Have sched_switch   ", SIGNED_32 },
		{ "  Snapshot mode       ", SIGNED_32 }, { "  Per-cpu maps        ", SIGNED_32 },
		{ "  MTC bit             ", HEX }, { "  MTC freq bits       ", HEX },
		{ "  TSC:CTC numerator   ", UNSIGNED }, { "  TSC:CTC denominator ", UNSIGNED },
		{ "  CYC bit             ", HEX }, { "  Max non-turbo ratio ", UNSIGNED },
		{ "  Filter string len.  ", UNSIGNED },
	};
	const uint64_t nr_rows = sizeof rows / sizeof *rows;
	for (uint64_t i = 0; i < nr_rows && i < priv->count; i++) {
		info_word(out, &rows[i], perfdata_list_u64(priv, i));
	}
	if (priv->count < nr_rows)
		return;
	/* the words hold the filter and a NUL */
	const uint64_t length = perfdata_list_u64(priv, nr_rows - 1), words = length ? length / 8 + 1 : 0;
	if (words > priv->count - nr_rows)
		return;
	perfdata_text_literal(out, "  Filter string       ");
	const uint8_t *text = priv->data + nr_rows * priv->stride;
	if (length)
		perfdata_text_append(out, text, strnlen((const char *)text, (size_t)length));
	perfdata_text_char(out, '\n');
	if (nr_rows + words < priv->count)
		info_word(out, &(struct info_row){ "  Cap Event Trace     ", SIGNED_32 },
			  perfdata_list_u64(priv, nr_rows + words));
}

static void intel_bts_info(const struct perfdata_list *priv, struct perfdata_text *out)
{
	static const struct info_row rows[] = {
		{ "  PMU Type           ", SIGNED_32 }, { "  Time Shift         ", UNSIGNED },
		{ "  Time Multiplier    ", UNSIGNED }, { "  Time Zero          ", UNSIGNED },
		{ "  Cap Time Zero      ", SIGNED_32 }, { "  Snapshot mode      ", SIGNED_32 },
	};
	for (uint64_t i = 0; i < sizeof rows / sizeof *rows && i < priv->count; i++)
		info_word(out, &rows[i], perfdata_list_u64(priv, i));
}

static void arm_spe_info(const struct perfdata_list *priv, struct perfdata_text *out)
{
	static const struct info_row v1[] = { { "  PMU Type           :", SIGNED_32 },
					      { "  Per CPU mmaps      :", SIGNED_32 } };
	static const struct info_row v2[] = {
		{ "  Header version     :", SIGNED_32 }, { "  Header size        :", SIGNED_32 },
		{ "  PMU type v2        :", SIGNED_32 }, { "  CPU number         :", SIGNED_32 },
	};
	static const struct info_row per_cpu[] = {
		{ "    Magic            :", HEX_WITH_0 }, { "    CPU #            :", SIGNED_32 },
		{ "    Num of params    :", SIGNED_32 }, { "    MIDR             :", HEX_WITH_0 },
		{ "    PMU Type         :", SIGNED_32 }, { "    Min Interval     :", SIGNED_32 },
		{ "    Event Filter     :", HEX_WITH_0 },
	};
	if (priv->count <= 2) {
		for (uint64_t i = 0; i < priv->count; i++)
			info_word(out, &v1[i], perfdata_list_u64(priv, i));
		return;
	}
	uint64_t at = 0;
	for (; at < 4 && at < priv->count; at++)
		info_word(out, &v2[at], perfdata_list_u64(priv, at));
	while (at + 3 <= priv->count) {
		uint64_t params = perfdata_list_u64(priv, at + 2), words = params < 4 ? 3 + params : 7;
		for (uint64_t i = 0; i < words && at + i < priv->count; i++)
			info_word(out, &per_cpu[i], perfdata_list_u64(priv, at + i));
		if (params > priv->count)
			break;
		at += 3 + params;
	}
}

/* The labels in tools/perf/util/cs-etm-base.c. */
static void cs_etm_info(const struct perfdata_list *priv, struct perfdata_text *out)
{
	static const char *const global[] = {
		"\tHeader version\t\t       ", "\tPMU type/num cpus\t       ", "\tSnapshot\t\t       ",
	};
	static const char *const v3[] = { "\tETMCR\t\t\t       ", "\tETMTRACEIDR\t\t       ", "\tETMCCER\t\t\t       ",
					  "\tETMIDR\t\t\t       " };
	static const char *const v4[] = {
		"\tTRCCONFIGR\t\t       ",    "\tTRCTRACEIDR\t\t       ", "\tTRCIDR0\t\t\t       ",
		"\tTRCIDR1\t\t\t       ",     "\tTRCIDR2\t\t\t       ",   "\tTRCIDR8\t\t\t       ",
		"\tTRCAUTHSTATUS\t\t       ", "\tTS_SOURCE\t\t       ",
	};
	static const char *const ete[] = {
		"\tTRCCONFIGR\t\t       ",
		"\tTRCTRACEIDR\t\t       ",
		"\tTRCIDR0\t\t\t       ",
		"\tTRCIDR1\t\t\t       ",
		"\tTRCIDR2\t\t\t       ",
		"\tTRCIDR8\t\t\t       ",
		"\tTRCAUTHSTATUS\t\t       ",
		/* perf pads these with spaces */
		"\tTRCDEVARCH                     ",
		"\tTS_SOURCE                      ",
	};
	if (priv->count < 3)
		return;
	for (uint64_t i = 0; i < 3; i++)
		perfdata_text_printf(out, "%s%" PRIx64 "\n", global[i], perfdata_list_u64(priv, i));
	bool counted = perfdata_list_u64(priv, 0) >= 1;
	uint64_t at = 3;
	while (at + 2 + counted <= priv->count) {
		uint64_t magic = perfdata_list_u64(priv, at), params = counted ? perfdata_list_u64(priv, at + 2) : 0;
		const char *const *labels = v4;
		uint64_t nr_labels = sizeof v4 / sizeof *v4, words = 7;
		if (magic == 0x3030303030303030ull) {
			labels = v3;
			nr_labels = words = sizeof v3 / sizeof *v3;
		} else if (magic == 0x5050505050505050ull) {
			labels = ete;
			nr_labels = words = sizeof ete / sizeof *ete;
		} else if (magic != 0x4040404040404040ull) {
			return;
		}
		if (counted)
			words = params;
		perfdata_text_printf(out, "\tMagic number\t\t       %" PRIx64 "\n", magic);
		perfdata_text_printf(out, "\tCPU\t\t\t       %" PRId64 "\n", (int64_t)perfdata_list_u64(priv, at + 1));
		if (counted)
			perfdata_text_printf(out, "\tNR_TRC_PARAMS\t\t       %" PRIx64 "\n", params);
		at += 2 + counted;
		if (words > priv->count - at)
			return;
		for (uint64_t i = 0; i < words; i++) {
			if (i < nr_labels)
				perfdata_text_string(out, labels[i]);
			else
				perfdata_text_printf(out, "\tUnknown parameter [%" PRIu64 "]\t       ", i);
			const uint64_t value = perfdata_list_u64(priv, at + i);
			/* the last known word, the source of timestamps, may be -1 */
			if (i + 1 == nr_labels && labels != v3)
				perfdata_text_printf(out, "%" PRId64 "\n", (int64_t)value);
			else
				perfdata_text_printf(out, "%" PRIx64 "\n", value);
		}
		at += words;
	}
}

static void auxtrace_info_tail(const struct perfdata_record *record, struct perfdata_text *out)
{
	const struct perfdata_auxtrace_info *info = &record->u.auxtrace_info;
	perfdata_text_printf(out, " type: %u\n", info->type);
	switch (info->type) {
	case 1:
		intel_pt_info(&info->priv, out);
		break;
	case 2:
		intel_bts_info(&info->priv, out);
		break;
	case 3:
		cs_etm_info(&info->priv, out);
		break;
	case 4:
		arm_spe_info(&info->priv, out);
		break;
	case 6:
	case 7:
		if (info->priv.count)
			info_word(out, &(struct info_row){ "  PMU Type           ", SIGNED_32 },
				  perfdata_list_u64(&info->priv, 0));
		break;
	}
}

static void auxtrace_error_tail(const struct perfdata_record *record, struct perfdata_text *out)
{
	const struct perfdata_auxtrace_error *error = &record->u.auxtrace_error;
	perfdata_text_printf(out, error->type == 1 ? " instruction trace error type %u" : " unknown AUX error type %u",
			     error->type);
	if (error->fmt && error->time)
		perfdata_text_printf(out, " time %" PRIu64 ".%09" PRIu64, error->time / 1000000000,
				     error->time % 1000000000);
	else
		perfdata_text_literal(out, " time 0");
	if (error->fmt >= 2 && error->machine_pid)
		perfdata_text_printf(out, " machine_pid %d vcpu %d", (int)error->machine_pid, (int)error->vcpu);
	perfdata_text_printf(out, " cpu %d pid %d tid %d ip %#" PRIx64 " code %u: ", (int)error->cpu, error->pid,
			     error->tid, error->ip, error->code);
	perfdata_text_bytes(out, error->msg);
	perfdata_text_char(out, '\n');
}

static void thread_map_tail(const struct perfdata_record *record, struct perfdata_text *out)
{
	const struct perfdata_list *threads = &record->u.thread_map.threads;
	perfdata_text_printf(out, " nr: %" PRIu64 " thread%s: ", threads->count, threads->count > 1 ? "s" : "");
	for (uint64_t i = 0; i < threads->count; i++) {
		struct perfdata_thread_map_entry entry;
		perfdata_list_get(threads, i, &entry, sizeof entry);
		if (i)
			perfdata_text_literal(out, ", ");
		perfdata_text_s64(out, (int32_t)entry.pid);
	}
	perfdata_text_char(out, '\n');
}

/* perf script prints nothing here: it prints sums at a STAT_ROUND. */
static void stat_tail(const struct perfdata_record *record, struct perfdata_text *out)
{
	const struct perfdata_stat *stat = &record->u.stat;
	perfdata_text_printf(out,
			     "\n... id %" PRIu64 ", cpu %d, thread %d\n... value %" PRIu64 ", enabled %" PRIu64
			     ", running %" PRIu64 "\n",
			     stat->id, stat->cpu, (int)stat->thread, stat->val, stat->ena, stat->run);
	UNHANDLED(out);
}

static void stat_round_tail(const struct perfdata_record *record, struct perfdata_text *out)
{
	const uint64_t final = 1;
	perfdata_text_printf(out, "\n... time %" PRIu64 ", type %s\n", record->u.stat_round.time,
			     record->u.stat_round.type == final ? "FINAL" : "INTERVAL");
	UNHANDLED(out);
}

static void stat_config_tail(const struct perfdata_record *record, struct perfdata_text *out)
{
	const struct perfdata_list *entries = &record->u.stat_config.entries;
	uint64_t values[3] = { 0 };    /* by tag: aggr_mode, interval, scale */
	for (uint64_t i = 0; i < entries->count; i++) {
		struct perfdata_stat_config_entry entry;
		perfdata_list_get(entries, i, &entry, sizeof entry);
		if (entry.tag < sizeof values / sizeof *values)
			values[entry.tag] = entry.val;
	}
	perfdata_text_printf(out, "\n... aggr_mode %d\n... scale     %d\n... interval  %u\n", (int)values[0],
			     (int)values[2], (unsigned)values[1]);
	UNHANDLED(out);
}

static void event_update_tail(const struct perfdata_record *record, struct perfdata_text *out)
{
	const struct perfdata_event_update *update = &record->u.event_update;
	perfdata_text_printf(out, "\n... id:    %" PRIu64 "\n", update->id);
	switch (update->type) {
	case 0:
	case 2:
		perfdata_text_string(out, update->type ? "... name:  " : "... unit:  ");
		perfdata_text_bytes(out, update->type ? update->name : update->unit);
		perfdata_text_char(out, '\n');
		break;
	case 1:
		perfdata_text_printf(out, "... scale: %f\n", update->scale);
		break;
	case 3:
		perfdata_text_literal(out, "... ");
		cpu_list(out, &update->cpus);
		perfdata_text_char(out, '\n');
		break;
	default:
		perfdata_text_literal(out, "... unknown type\n");
	}
}

static void time_conv_tail(const struct perfdata_record *record, struct perfdata_text *out)
{
	const struct perfdata_time_conv *conv = &record->u.time_conv;
	perfdata_text_printf(out,
			     "\n... Time Shift      %" PRIu64 "\n... Time Multiplier %" PRIu64
			     "\n... Time Zero       %" PRIu64 "\n",
			     conv->time_shift, conv->time_mult, conv->time_zero);
	if (record->size >= 56)
		perfdata_text_printf(out,
				     "... Time Cycles     %" PRIu64 "\n... Time Mask       %#" PRIx64
				     "\n... Cap Time Zero   %d\n... Cap Time Short  %d\n",
				     conv->time_cycles, conv->time_mask, conv->cap_user_time_zero,
				     conv->cap_user_time_short);
	UNHANDLED(out);
}

static void bpf_metadata_tail(const struct record_text_context *context, const struct perfdata_record *record,
			      struct perfdata_text *out)
{
	const struct perfdata_bpf_metadata *metadata = &record->u.bpf_metadata;
	perfdata_text_literal(out, " prog ");
	perfdata_text_bytes(out, metadata->prog_name);
	perfdata_text_char(out, '\n');
	for (uint64_t i = 0; i < metadata->entries.count; i++) {
		struct perfdata_bpf_metadata_entry entry;
		perfdata_list_get(&metadata->entries, i, &entry, sizeof entry);
		perfdata_text_printf(out, "  entry %" PRIu64 ": %20.*s = %.*s\n", i, (int)entry.key.size,
				     (const char *)entry.key.data, (int)entry.value.size,
				     (const char *)entry.value.data);
	}
	if (context->dump)
		UNHANDLED(out);
}

static uint64_t scalar_field(const struct perfdata_record *record, const struct perfdata_field *field)
{
	const char *at = (const char *)&record->u + field->member;
	if (field->kind == PERFDATA_KIND_U64) {
		uint64_t value;
		memcpy(&value, at, sizeof value);
		return value;
	}
	uint32_t value = 0;
	memcpy(&value, at, field->kind == PERFDATA_KIND_U16 ? 2 : 4);
	return value;
}

/* All counters in the order of the fields, after the number of the CPU or domain. */
static void schedstat_tail(const struct perfdata_record *record, struct perfdata_text *out)
{
	const struct perfdata_schedstat *stat = &record->u.schedstat;
	bool domain = record->type == PERFDATA_RECORD_SCHEDSTAT_DOMAIN;
	perfdata_text_printf(out, domain ? "\ndomain%u " : "\ncpu%u ", domain ? (unsigned)stat->domain : stat->cpu);
	if (stat->version < 15 || stat->version > 17) {
		perfdata_text_printf(out, "Unsupported /proc/schedstat version %d.\n", stat->version);
		UNHANDLED(out);
		return;
	}
	for (uint32_t i = 0; i < record->layout->nr_fields; i++) {
		const struct perfdata_field *field = &record->layout->fields[i];
		if (!(stat->present >> i & 1) ||
		    (field->kind != PERFDATA_KIND_U32 && field->kind != PERFDATA_KIND_U64) ||
		    strcmp(field->name, "timestamp") == 0 || strcmp(field->name, "cpu") == 0)
			continue;
		perfdata_text_u64(out, scalar_field(record, field));
		perfdata_text_char(out, ' ');
	}
	UNHANDLED(out);
}

static void feature_tail(const struct record_text_context *context, const struct perfdata_record *record,
			 struct perfdata_text *out)
{
	const struct perfdata_feature_record *feature = &record->u.feature;
	if (!feature->payload.size || feature->feat_id > UINT32_MAX)
		return;   /* the end of the features */
	if (feature->feat_id == PERFDATA_FEATURE_EVENT_DESC &&
	    perfdata_reader_header(context->reader)->container != PERFDATA_CONTAINER_PIPE) {
		/* perf keeps a read section for streams only */
		perfdata_text_literal(out, ", # event desc: not available or unable to read\n");
		return;
	}
	struct perfdata_feature *decoded = NULL;
	struct header_text_source source = pd_header_text_of_names(context->names, context->report);
	const struct perfdata_feature_section *nrcpus = perfdata_reader_feature(context->reader,
										PERFDATA_FEATURE_NRCPUS);
	const struct perfdata_node *available = nrcpus && nrcpus->feature ?
		perfdata_node_get(perfdata_feature_root(nrcpus->feature), "available") : NULL;
	enum perfdata_byte_order order = perfdata_reader_header(context->reader)->order;
	enum perfdata_status status = pd_feature_decode((uint32_t)feature->feat_id, feature->payload.data,
							      feature->payload.size, order,
							      available ? (uint32_t)available->v.u : 0, &decoded, NULL);
	if (status < 0) {
		out->failed = true;
		return;
	}
	perfdata_text_literal(out, ", ");
	pd_header_text_feature(out, decoded, true, &source);
	pd_feature_free(decoded);
}

/* The tail of a user record other than ATTR and FEATURE, which header_text.h writes. */
static void record_text_user(const struct record_text_context *context, const struct perfdata_record *record,
			     struct perfdata_text *out)
{
	switch (record->type) {
	case PERFDATA_RECORD_ATTR:
		pd_header_text_attr(out, &record->u.attr.attr);
		break;
	case PERFDATA_RECORD_FINISHED_ROUND:
		if (context->unsorted)
			UNHANDLED(out);
		else
			perfdata_text_char(out, '\n');
		break;
	case PERFDATA_RECORD_FINISHED_INIT:
		UNHANDLED(out);
		break;
	case PERFDATA_RECORD_ID_INDEX:
		id_index_tail(record, out);
		break;
	case PERFDATA_RECORD_AUXTRACE_INFO:
		auxtrace_info_tail(record, out);
		break;
	case PERFDATA_RECORD_AUXTRACE:
		perfdata_text_printf(out,
				     " size: %#" PRIx64 "  offset: %#" PRIx64 "  ref: %#" PRIx64
				     "  idx: %u  tid: %d  cpu: %d\n",
				     record->u.auxtrace.size, record->u.auxtrace.offset, record->u.auxtrace.reference,
				     record->u.auxtrace.idx, record->u.auxtrace.tid, record->u.auxtrace.cpu);
		break;
	case PERFDATA_RECORD_AUXTRACE_ERROR:
		if (context->report)
			UNHANDLED(out);
		else if (!context->dump || context->aux)
			auxtrace_error_tail(record, out);
		break;
	case PERFDATA_RECORD_THREAD_MAP:
		thread_map_tail(record, out);
		if (context->report)
			UNHANDLED(out);
		break;
	case PERFDATA_RECORD_CPU_MAP:
		perfdata_text_literal(out, ": ");
		cpu_list(out, &record->u.cpu_map.cpus);
		perfdata_text_char(out, '\n');
		if (context->report)
			UNHANDLED(out);
		break;
	case PERFDATA_RECORD_STAT:
		if (context->report)
			stat_tail(record, out);
		break;
	case PERFDATA_RECORD_STAT_ROUND:
		if (context->report)
			stat_round_tail(record, out);
		break;
	case PERFDATA_RECORD_STAT_CONFIG:
		if (context->report)
			stat_config_tail(record, out);
		break;
	case PERFDATA_RECORD_EVENT_UPDATE:
		event_update_tail(record, out);
		break;
	case PERFDATA_RECORD_TIME_CONV:
		time_conv_tail(record, out);
		break;
	case PERFDATA_RECORD_FEATURE:
		feature_tail(context, record, out);
		break;
	case PERFDATA_RECORD_BPF_METADATA:
		bpf_metadata_tail(context, record, out);
		break;
	case PERFDATA_RECORD_SCHEDSTAT_CPU:
	case PERFDATA_RECORD_SCHEDSTAT_DOMAIN:
		schedstat_tail(record, out);
		break;
	}
}

void pd_record_text(const struct record_text_context *context, const struct perfdata_record *record,
		    struct perfdata_text *out)
{
	if (record->type < PERFDATA_RECORD_USER_FIRST)
		pd_record_text_kernel(context, record, out);
	else
		record_text_user(context, record, out);
}

const char *pd_record_text_name(uint32_t type)
{
	/* perf counts all records under type 0, which no record has */
	if (!type)
		return "TOTAL";
	const struct perfdata_layout *layout = perfdata_record_layout(type);
	return layout && layout->perf_name ? layout->perf_name : "UNKNOWN";
}
