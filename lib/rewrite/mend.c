/* SPDX-License-Identifier: MIT */
/* Mends recordings for perf, which tolerates less than this library's reader. */
#include "config.h"
#include <stdio.h>
#include "rewrite/rewriter.h"
#include "schema/schema.h"
#include "schema/trace.h"
#include "reader/reader.h"
#include "write/writing.h"

#define ATTR_OF_61 128u              /* bytes of the largest attr that perf 6.1 takes; the next line is for perf 7.3 */
#define ATTR_OF_73 144u
#define CONFIG_BPF_OUTPUT 10u
#define CONFIG_DUMMY 9u
#define ATTR_OF_DUMMY 112u

static const struct perfdata_node *value_of(const struct perfdata_reader *reader, uint32_t id, const char *name)
{
	const struct perfdata_feature_section *section = perfdata_reader_feature(reader, id);
	return section && section->feature ? perfdata_node_get(perfdata_feature_root(section->feature), name) : NULL;
}

/* --- events ------------------------------------------------------------------------------------------------------ */

static bool lacks_format(const struct perfdata_event *event)
{
	return event->attr->type == PERFDATA_TYPE_TRACEPOINT && !event->trace;
}

/* perf opens no event that lacks addresses, nor events whose read formats differ. A recording without samples
 * contradicts no attr, so the attr may state what perf demands. */
static void mend_sampleless(const struct perfdata_rewriter *rewriter, struct perfdata_attr *attr)
{
	const struct perfdata_attr *first = perfdata_reader_event(rewriter->reader, 0)->attr;

	if (!(attr->sample_type & (PERFDATA_SAMPLE_IP | PERFDATA_SAMPLE_ADDR)))
		attr->sample_type |= PERFDATA_SAMPLE_IP;
	attr->sample_type &= ~(uint64_t)PERFDATA_SAMPLE_READ;
	attr->read_format = first->read_format;
}

bool pd_mend_is_stat(const struct perfdata_reader *reader)
{
	const bool is_stream = perfdata_reader_header(reader)->container == PERFDATA_CONTAINER_PIPE;
	const uint64_t type = is_stream ? 0 : PERFDATA_SAMPLE_IDENTIFIER;
	const size_t nr = perfdata_reader_nr_events(reader);

	for (size_t i = 0; i < nr; i++) {
		const struct perfdata_attr *attr = perfdata_reader_event(reader, i)->attr;
		if (attr->sample_type != type || perfdata_attr_has(attr, PERFDATA_ATTR_SAMPLE_ID_ALL))
			return false;
	}
	return nr && (is_stream || perfdata_reader_feature(reader, PERFDATA_FEATURE_STAT));
}

enum perfdata_status pd_mend_no_events(struct perfdata_rewriter *rewriter)
{
	const struct perfdata_attr attr = { .type = PERFDATA_TYPE_SOFTWARE,
					    .size = ATTR_OF_DUMMY,
					    .config = CONFIG_DUMMY,
					    .sample_type = PERFDATA_SAMPLE_IP | PERFDATA_SAMPLE_TID |
							   PERFDATA_SAMPLE_TIME };

	if (perfdata_reader_nr_events(rewriter->reader))
		return PERFDATA_OK;
	pd_rewrite_tell(rewriter, "the recording says of no event what it is: its samples are lost");
	return pd_rewrite_written(rewriter, pd_writer_event(rewriter->writer, &attr, 0, "dummy", NULL, 0));
}

void pd_mend_attr(struct perfdata_rewriter *rewriter, const struct perfdata_event *event, struct perfdata_attr *ret,
		  uint32_t *ret_size)
{
	struct perfdata_attr recorded;
	size_t used;

	*ret = event->config->attr;
	*ret_size = 0;
	/* some big-endian recorders swap bits of the attr; perf swaps them back, so it must get the recorded bits */
	if (!pd_rewrite_changes_order(rewriter) &&
	    perfdata_attr_decode(event->attr_bytes.data, event->attr_bytes.size, rewriter->order, &recorded, &used) ==
		    PERFDATA_OK)
		ret->flags = recorded.flags;
	if (rewriter->options.repair && lacks_format(event)) {
		/* perf opens no tracepoint without its format; it shows name and raw bytes of a BPF output event */
		ret->type = PERFDATA_TYPE_SOFTWARE;
		ret->config = CONFIG_BPF_OUTPUT;
		pd_rewrite_tell(rewriter, "the format of %s is not in the recording: its raw data stay, without fields",
				event->name);
	}
	/* perf stat writes these bits: perf refuses files of several events without IDENTIFIER, and streams with it */
	if (!rewriter->merge && pd_mend_is_stat(rewriter->reader))
		ret->sample_type = rewriter->to_stream ? 0 : PERFDATA_SAMPLE_IDENTIFIER;
	if (rewriter->options.repair && !rewriter->counts.samples)
		mend_sampleless(rewriter, ret);
	pd_identify_attr(rewriter, ret);
	const uint32_t size = ret->size ? ret->size : 64;
	const uint32_t need = pd_attr_size(ret), most = rewriter->options.for_old ? ATTR_OF_61 : ATTR_OF_73;
	if (rewriter->options.for_old || size > most || size % 8 || size < 64)
		*ret_size = need;
	/* in a stream, perf 6.1 looks for ids right after an attr of the size that it knows */
	if (rewriter->options.for_old && rewriter->to_stream && need < ATTR_OF_61)
		*ret_size = ATTR_OF_61;
	if (need > most)
		pd_rewrite_tell(rewriter, "the attr of %s needs %u bytes; %s takes %u at most", event->name, need,
				rewriter->options.for_old ? "perf 6.1" : "perf 7.3", most);
}

/* --- sections ---------------------------------------------------------------------------------------------------- */

static bool has_version(const struct perfdata_feature_section *section, uint64_t version)
{
	const struct perfdata_node *node = perfdata_node_get(perfdata_feature_root(section->feature), "version");
	return node && node->v.u == version;
}

static bool groups_fit(const struct perfdata_rewriter *rewriter, const struct perfdata_feature_section *section)
{
	const struct perfdata_node *list = perfdata_node_get(perfdata_feature_root(section->feature), "group_desc");
	const size_t nr = perfdata_reader_nr_events(rewriter->reader);

	for (const struct perfdata_node *group = list ? list->child : NULL; group; group = group->next) {
		const struct perfdata_node *leader = perfdata_node_get(group, "leader"),
					   *members = perfdata_node_get(group, "nr_members");
		if (!leader || !members || leader->v.u >= nr || members->v.u > nr - leader->v.u)
			return false;
	}
	return list != NULL;
}

static bool has_tracepoint(const struct perfdata_reader *reader)
{
	for (size_t i = 0; i < perfdata_reader_nr_events(reader); i++)
		if (perfdata_reader_event(reader, i)->trace)
			return true;
	return false;
}

bool pd_mend_trace_is_damaged(const struct perfdata_rewriter *rewriter)
{
	return rewriter->options.repair && pd_reader_trace_is_damaged(rewriter->reader);
}

enum perfdata_status pd_mend_trace_record(struct perfdata_rewriter *rewriter, const struct perfdata_raw *raw,
					  bool *ret_damaged)
{
	const struct perfdata_bytes bytes = pd_reader_inner_trace(rewriter->reader, raw);
	struct perfdata_trace *trace = NULL;
	bool is_whole = false;

	*ret_damaged = false;
	if (!rewriter->options.repair || !bytes.size)
		return PERFDATA_OK;
	const enum perfdata_status status = pd_trace_load(bytes.data, bytes.size, NULL, NULL, &trace, &is_whole);
	pd_trace_free(trace);
	if (status != PERFDATA_OK && status != PERFDATA_EFORMAT)
		return pd_rewrite_failed(rewriter, status, NULL);
	*ret_damaged = !is_whole;
	return PERFDATA_OK;
}

bool pd_mend_refuses(const struct perfdata_rewriter *rewriter, const struct perfdata_feature_section *section)
{
	const struct perfdata_reader *reader = rewriter->reader;
	const struct perfdata_node *available, *online;

	switch (section->id) {
	case PERFDATA_FEATURE_TRACING_DATA:
		return !has_tracepoint(reader);
	case PERFDATA_FEATURE_NRCPUS:
		available = value_of(reader, PERFDATA_FEATURE_NRCPUS, "available");
		online = value_of(reader, PERFDATA_FEATURE_NRCPUS, "online");
		return !available || !online || available->v.u > 1u << 20 || online->v.u > available->v.u;
	case PERFDATA_FEATURE_CPU_TOPOLOGY:
	case PERFDATA_FEATURE_CPU_DOMAIN_INFO:
		return !value_of(reader, PERFDATA_FEATURE_NRCPUS, "online");
	case PERFDATA_FEATURE_CACHE:
	case PERFDATA_FEATURE_MEM_TOPOLOGY:
	case PERFDATA_FEATURE_CLOCK_DATA:
		return !has_version(section, 1);
	case PERFDATA_FEATURE_GROUP_DESC:
		return !groups_fit(rewriter, section);
	default:
		return false;
	}
}

/* --- ids ---------------------------------------------------------------------------------------------------------- */

static bool mend_id(const struct perfdata_rewriter *rewriter, const struct perfdata_event *event, uint64_t *id)
{
	if (!*id || perfdata_reader_event_by_id(rewriter->reader, *id))
		return false;
	*id = event->ids[0];
	return true;
}

bool pd_mend_has_late_events(const struct perfdata_reader *reader)
{
	const struct perfdata_header *header = perfdata_reader_header(reader);

	return header->container == PERFDATA_CONTAINER_PIPE || !header->attrs.size ||
	       perfdata_reader_finding_count(reader, PERFDATA_FINDING_NO_ATTRS);
}

bool pd_mend_ids(const struct perfdata_rewriter *rewriter, const struct perfdata_raw *raw,
		 struct perfdata_record *record)
{
	bool changed;

	if (!pd_mend_has_late_events(rewriter->reader) || raw->type >= PERFDATA_RECORD_USER_FIRST || !raw->event ||
	    !raw->event->nr_ids)
		return false;
	if (raw->type == PERFDATA_RECORD_SAMPLE) {
		changed = mend_id(rewriter, raw->event, &record->u.sample.id);
		return mend_id(rewriter, raw->event, &record->u.sample.identifier) || changed;
	}
	changed = mend_id(rewriter, raw->event, &record->sample_id.id);
	return mend_id(rewriter, raw->event, &record->sample_id.identifier) || changed;
}

/* --- lost records and samples ------------------------------------------------------------------------------------ */

/* Whether the record is an ID_INDEX with an id that no event has: perf stops there. */
bool pd_mend_stops_at(const struct perfdata_rewriter *rewriter, const struct perfdata_record *record)
{
	if (record->type != PERFDATA_RECORD_ID_INDEX)
		return false;
	for (uint64_t i = 0; i < record->u.id_index.entries.count; i++) {
		struct perfdata_id_index_entry entry;
		perfdata_list_get(&record->u.id_index.entries, i, &entry, sizeof entry);
		if (!perfdata_reader_event_by_id(rewriter->reader, entry.id))
			return true;
	}
	return false;
}

/* Reports the loss in the record that pd_mend_tell_loss declares: LOST_SAMPLES if the number of samples is known, else
 * LOST. The record gets the time of the next record. */
enum perfdata_status pd_mend_tell_loss(struct perfdata_rewriter *rewriter, const struct perfdata_raw *raw)
{
	const bool samples = rewriter->lost_samples != 0;
	const struct perfdata_event *event = raw->event;
	struct perfdata_record record = { .type = samples ? PERFDATA_RECORD_LOST_SAMPLES : PERFDATA_RECORD_LOST };
	uint8_t out[PD_RECORD_ROOM];
	size_t size;

	if (!event || raw->type >= PERFDATA_RECORD_USER_FIRST || raw->time == UINT64_MAX || raw->time == 0)
		return PERFDATA_OK;   /* writes the loss later, before a record that has a time */
	const struct perfdata_config *target = pd_rewrite_target(rewriter, raw);
	if (!target)
		return rewriter->error.status;
	const uint64_t id = event->nr_ids || rewriter->identifies ? pd_identify_first(event) : 0;
	record.layout = perfdata_record_layout(record.type);
	record.sample_id = (struct perfdata_sample_id){
		.present = target->trailer_present, .time = raw->time, .id = id, .identifier = id, .stream_id = id
	};
	if (samples) {
		record.u.lost_samples = (struct perfdata_lost_samples){ .present = 1, .lost = rewriter->lost_samples };
		rewriter->lost_samples = 0;
	} else {
		record.u.lost = (struct perfdata_lost){ .present = 3, .id = id, .lost = rewriter->gaps };
		rewriter->gaps = 0;
	}
	enum perfdata_status status = pd_encode_record(target, NULL, &record, out, &size);
	if (status != PERFDATA_OK)
		return pd_rewrite_failed(rewriter, status, NULL);
	rewriter->counts.records++;
	status = pd_rewrite_written(rewriter, pd_writer_record(rewriter->writer, out, size));
	return status == PERFDATA_OK && rewriter->gaps ? pd_mend_tell_loss(rewriter, raw) : status;
}

/* --- the note ---------------------------------------------------------------------------------------------------- */

enum perfdata_status pd_mend_put_note(struct perfdata_rewriter *rewriter, const char *note)
{
	struct perfdata_text out;
	const char *end = rewriter->restarts || pd_counters_restart(rewriter->reader) ? PD_COUNTERS_RESTART : "";
	const size_t room = (strlen(note) + strlen(end) + 64) / 64 * 64;
	const uint32_t length = pd_order_is_foreign(rewriter->order) ? __builtin_bswap32((uint32_t)room)
								     : (uint32_t)room;

	perfdata_text_init(&out);
	perfdata_text_append(&out, &length, sizeof length);
	perfdata_text_string(&out, note);
	perfdata_text_string(&out, end);
	perfdata_text_fill(&out, '\0', room - strlen(note) - strlen(end));
	const enum perfdata_status status =
		perfdata_text_failed(&out)
			? pd_rewrite_failed(rewriter, PERFDATA_ENOMEM, NULL)
			: pd_rewrite_written(rewriter, pd_writer_feature(rewriter->writer, PERFDATA_FEATURE_NOTE,
									       out.data, out.size));
	perfdata_text_release(&out);
	return status;
}

static bool any_has(const struct perfdata_reader *reader, uint64_t sample_type)
{
	for (size_t i = 0; i < perfdata_reader_nr_events(reader); i++)
		if (perfdata_reader_event(reader, i)->attr->sample_type & sample_type)
			return true;
	return false;
}

enum perfdata_status pd_mend_sections(struct perfdata_rewriter *rewriter)
{
	const char *path = perfdata_reader_header(rewriter->reader)->name, *slash = strrchr(path, '/');
	char note[512];
	enum perfdata_status status = PERFDATA_OK;

	snprintf(note, sizeof note,
		 "repaired by perfdata %s, of %.200s: %llu damaged and %llu unknown records left out, %llu gaps",
		 perfdata_version(), slash ? slash + 1 : path, (unsigned long long)rewriter->counts.damaged,
		 (unsigned long long)rewriter->counts.unknown, (unsigned long long)rewriter->all_gaps);
	if (any_has(rewriter->reader, PERFDATA_SAMPLE_BRANCH_STACK))
		status = pd_rewrite_written(
			rewriter, pd_writer_feature(rewriter->writer, PERFDATA_FEATURE_BRANCH_STACK, NULL, 0));
	/* perf takes a recording without records for an unfinished one */
	if (status == PERFDATA_OK && !rewriter->counts.records)
		status = pd_rewrite_put_round(rewriter);
	return status == PERFDATA_OK ? pd_mend_put_note(rewriter, note) : status;
}
