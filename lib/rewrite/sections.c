/* SPDX-License-Identifier: MIT */
/* Events and feature sections of the output. */
#include "config.h"
#include "base/error.h"
#include "schema/schema.h"
#include "schema/feature.h"
#include "reader/reader.h"
#include "rewrite/anonymize.h"
#include "rewrite/tracepoints.h"
#include "write/writing.h"

void pd_append_int(struct perfdata_text *out, bool swap, unsigned width, uint64_t value)
{
	uint8_t bytes[8];
	const bool big = swap != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);

	for (unsigned i = 0; i < width; i++)
		bytes[big ? width - 1 - i : i] = (uint8_t)(value >> 8 * i);
	perfdata_text_append(out, bytes, width);
}

const char *pd_new_name(const struct perfdata_rewriter *rewriter, const char *name)
{
	for (size_t i = 0; i < rewriter->options.nr_renames; i++)
		if (!strcmp(rewriter->options.renames[i].from, name))
			return rewriter->options.renames[i].to;
	return name;
}

/* Whether to write names of events: not if perf would derive all of them from the attrs and the recording has none. */
static bool has_names(const struct perfdata_rewriter *rewriter)
{
	if (rewriter->options.repair || rewriter->options.nr_renames || rewriter->from_stream || rewriter->anonymizer ||
	    perfdata_reader_feature(rewriter->reader, PERFDATA_FEATURE_EVENT_DESC))
		return true;
	for (size_t i = 0; i < perfdata_reader_nr_events(rewriter->reader); i++) {
		const enum perfdata_name_source source = perfdata_reader_event(rewriter->reader, i)->name_source;
		/* the names are in simpleperf's section META_INFO, copied only into files of the same byte order */
		const bool is_copied = source == PERFDATA_NAME_META_INFO && !rewriter->to_stream &&
				       !pd_rewrite_changes_order(rewriter);
		if (source != PERFDATA_NAME_GENERATED && source != PERFDATA_NAME_TRACE && !is_copied)
			return true;
	}
	return false;
}

static enum perfdata_status put_anonymous_event(struct perfdata_rewriter *rewriter, const struct perfdata_event *event,
						struct perfdata_attr *attr)
{
	struct pd_anonymizer *a = rewriter->anonymizer;
	uint64_t *ids = pd_arena_alloc(&rewriter->arena, (event->nr_ids + 1) * sizeof *ids);

	pd_anonymize_attr(a, attr);
	for (size_t i = 0; ids && i < event->nr_ids; i++)
		ids[i] = pd_anonymize_event_id(a, event->ids[i]);
	const char *name = pd_anonymize_event_name(a, event);
	if (!ids || !name || a->names.no_memory)
		return pd_rewrite_failed(rewriter, PERFDATA_ENOMEM, NULL);
	return pd_rewrite_written(rewriter, pd_writer_event(rewriter->writer, attr, 0,
								  pd_new_name(rewriter, name), ids, event->nr_ids));
}

enum perfdata_status pd_sections_events(struct perfdata_rewriter *rewriter)
{
	const bool named = has_names(rewriter);
	enum perfdata_status status = PERFDATA_OK;

	if (rewriter->merge)
		return pd_merge_put_events(rewriter);
	for (size_t i = 0; i < perfdata_reader_nr_events(rewriter->reader) && status == PERFDATA_OK; i++) {
		const struct perfdata_event *event = perfdata_reader_event(rewriter->reader, i);
		struct perfdata_attr attr;
		uint32_t size;
		pd_mend_attr(rewriter, event, &attr, &size);
		if (rewriter->anonymizer) {
			status = put_anonymous_event(rewriter, event, &attr);
			continue;
		}
		const uint64_t id = pd_identify_first(event);
		const bool needs_id = rewriter->identifies && !event->nr_ids;
		status = pd_rewrite_written(rewriter,
					    pd_writer_event(rewriter->writer, &attr, size,
								  named ? pd_new_name(rewriter, event->name) : NULL,
								  needs_id ? &id : event->ids,
								  needs_id ? 1 : event->nr_ids));
	}
	return status;
}

static bool is_writers_own(const struct perfdata_rewriter *rewriter, uint32_t id)
{
	if (rewriter->anonymizer && !pd_anonymize_keeps_section(id))
		return true;
	switch (id) {
	case PERFDATA_FEATURE_COMPRESSED:
		return !rewriter->keeps_carriers;
	case PERFDATA_FEATURE_AUXTRACE:
	case PERFDATA_FEATURE_DIR_FORMAT:
		return true;
	case PERFDATA_FEATURE_NOTE:
		return rewriter->choice.nr_counted;
	case PERFDATA_FEATURE_EVENT_DESC:
		return rewriter->options.repair || rewriter->options.nr_renames || rewriter->options.for_old;
	case PERFDATA_FEATURE_SAMPLE_TIME:
		return rewriter->choice.chosen || rewriter->merge || rewriter->options.repair || rewriter->anonymizer;
	default:
		return false;
	}
}

/* Whether to leave a section out because it is damaged, or because perf would stop at it. */
static bool is_useless(const struct perfdata_rewriter *rewriter, const struct perfdata_feature_section *section)
{
	const struct perfdata_layout *layout = perfdata_feature_layout(section->id);

	/* the section holds records, which may be compressed */
	if (section->id == PERFDATA_FEATURE_INIT_MAP && pd_rewrite_changes_order(rewriter))
		return true;
	/* a record of a stream may state any number */
	if (!section->id || section->id >= PD_WRITER_FEATURES)
		return true;
	if (!section->feature || (section->status != PERFDATA_OK && (rewriter->options.repair || rewriter->anonymizer ||
								     pd_rewrite_changes_order(rewriter))))
		return true;
	if (layout && layout->nr_fields && !pd_feature_bytes(section->feature).size)
		return rewriter->options.repair;
	return rewriter->options.repair && pd_mend_refuses(rewriter, section);
}

enum perfdata_status pd_sections_times(struct perfdata_rewriter *rewriter)
{
	const struct perfdata_feature_section *section = perfdata_reader_feature(rewriter->reader,
										 PERFDATA_FEATURE_SAMPLE_TIME);
	const bool swap = pd_order_is_foreign(rewriter->order);
	uint64_t times[2] = { rewriter->first_sample, rewriter->last_sample };

	if ((!section && !rewriter->options.repair && !rewriter->merge) || rewriter->first_sample == UINT64_MAX ||
	    !is_writers_own(rewriter, PERFDATA_FEATURE_SAMPLE_TIME))
		return PERFDATA_OK;
	for (unsigned i = 0; i < 2 && swap; i++)
		times[i] = __builtin_bswap64(times[i]);
	return pd_rewrite_written(
		rewriter, pd_writer_feature(rewriter->writer, PERFDATA_FEATURE_SAMPLE_TIME, times, sizeof times));
}

enum perfdata_status pd_sections_put(struct perfdata_rewriter *rewriter, const struct perfdata_feature_section *section)
{
	const enum perfdata_byte_order order = perfdata_reader_header(rewriter->reader)->order;
	const struct pd_feature_edit edit = { pd_anonymize_value, rewriter->anonymizer };
	const bool lacks_formats = section->id == PERFDATA_FEATURE_TRACING_DATA && pd_mend_trace_is_damaged(rewriter);
	enum perfdata_status status = PERFDATA_OK;
	struct perfdata_text out;

	perfdata_text_init(&out);
	if (is_useless(rewriter, section))
		status = PERFDATA_EUNSUP;
	else if (section->id == PERFDATA_FEATURE_TRACING_DATA && (lacks_formats || pd_rewrite_changes_order(rewriter)))
		status = pd_formats_anew(rewriter, &out);
	else if (rewriter->anonymizer && pd_anonymize_is_device_section(section->id))
		status = pd_anonymize_device_section(rewriter->anonymizer, section->id, section->feature, &out);
	else if (section->status != PERFDATA_OK)
		perfdata_text_bytes(&out, pd_feature_bytes(section->feature));
	else
		status = pd_feature_encode(section->feature, order, rewriter->order,
						 rewriter->anonymizer ? &edit : NULL, &out);
	if (status == PERFDATA_OK && rewriter->anonymizer && rewriter->anonymizer->names.no_memory)
		status = PERFDATA_ENOMEM;
	if (status == PERFDATA_OK && section->id == PERFDATA_FEATURE_BUILD_ID && !pd_build_ids_append(rewriter, &out))
		status = PERFDATA_ENOMEM;
	if (status == PERFDATA_OK && perfdata_text_failed(&out)) {
		status = pd_rewrite_failed(rewriter, PERFDATA_ENOMEM, NULL);
	} else if (status == PERFDATA_OK) {
		status = pd_rewrite_written(rewriter,
					    pd_writer_feature(rewriter->writer, section->id, out.data, out.size));
		if (lacks_formats)
			pd_rewrite_tell(rewriter, "the tracing data is damaged: the formats that can be read are kept");
	} else if (status == PERFDATA_EUNSUP) {
		const struct perfdata_layout *layout = perfdata_feature_layout(section->id);
		status = PERFDATA_OK;
		rewriter->counts.sections_left_out++;
		pd_rewrite_tell(rewriter, "the feature section %s is left out: %s",
				layout ? layout->perf_name : "of an unknown kind",
				section->feature && section->status == PERFDATA_OK && !lacks_formats
					? "perf cannot use it as it is"
					: "it is damaged");
	} else {
		status = pd_rewrite_failed(rewriter, status, NULL);
	}
	perfdata_text_release(&out);
	return status;
}

/* Writes the symbol records of simpleperf as a section if the output is compressed: readers gather these records before
 * they read any other, and would not find them in carriers. */
static enum perfdata_status put_symbol_records(struct perfdata_rewriter *rewriter)
{
	const struct perfdata_bytes records = pd_reader_symbol_records(rewriter->reader);
	struct perfdata_feature *feature = NULL;

	if (!records.size || rewriter->options.packing != PERFDATA_REWRITE_COMPRESSED)
		return PERFDATA_OK;
	enum perfdata_status status = pd_feature_decode(PERFDATA_FEATURE_FILE, records.data, records.size,
							perfdata_reader_header(rewriter->reader)->order, 0, &feature,
							NULL);
	status = status == PERFDATA_ENOMEM
			 ? pd_rewrite_failed(rewriter, status, NULL)
			 : pd_sections_put(rewriter, &(struct perfdata_feature_section){ .id = PERFDATA_FEATURE_FILE,
											  .status = status,
											  .feature = feature });
	pd_feature_free(feature);
	return status;
}

enum perfdata_status pd_sections_features(struct perfdata_rewriter *rewriter)
{
	const struct perfdata_feature_section *section;
	enum perfdata_status status = PERFDATA_OK;

	if (rewriter->merge)
		return pd_merge_put_sections(rewriter);
	for (size_t i = 0; status == PERFDATA_OK && (section = perfdata_reader_feature_at(rewriter->reader, i)); i++)
		if (!is_writers_own(rewriter, section->id))
			status = pd_sections_put(rewriter, section);
	if (status == PERFDATA_OK)
		status = put_symbol_records(rewriter);
	if (status == PERFDATA_OK)
		status = pd_build_ids_finish(rewriter);
	/* the presence of this empty section means that perf stat recorded the file */
	if (status == PERFDATA_OK && rewriter->from_stream && !rewriter->to_stream && pd_mend_is_stat(rewriter->reader))
		status = pd_rewrite_written(rewriter, pd_writer_feature(rewriter->writer, PERFDATA_FEATURE_STAT,
									      NULL, 0));
	return status == PERFDATA_OK ? pd_sections_times(rewriter) : status;
}

/* --- sections of streams ----------------------------------------------------------------------------------------- */

struct renaming {
	struct perfdata_rewriter *rewriter;
	char name[256];
};

static bool rename_value(void *user, const struct perfdata_layout *section, struct perfdata_node *value)
{
	struct renaming *renaming = user;

	if (section->id != PERFDATA_FEATURE_EVENT_DESC || value->kind != PERFDATA_KIND_STRING ||
	    value->v.bytes.size >= sizeof renaming->name)
		return true;
	memcpy(renaming->name, value->v.bytes.data, value->v.bytes.size);
	renaming->name[value->v.bytes.size] = '\0';
	const char *name = pd_new_name(renaming->rewriter, renaming->name);
	if (name != renaming->name)
		value->v.bytes = (struct perfdata_bytes){ (const uint8_t *)name, strlen(name) };
	return true;
}

static uint32_t nr_cpus(const struct perfdata_reader *reader)
{
	const struct perfdata_feature_section *section = perfdata_reader_feature(reader, PERFDATA_FEATURE_NRCPUS);
	const struct perfdata_node *available = section && section->feature ?
		perfdata_node_get(perfdata_feature_root(section->feature), "available") : NULL;
	return available ? (uint32_t)available->v.u : 0;
}

enum perfdata_status pd_sections_record(struct perfdata_rewriter *rewriter, const struct perfdata_raw *raw, void *out,
					size_t *ret_size)
{
	const struct perfdata_config *source = perfdata_reader_config(rewriter->reader);
	struct renaming renaming = { .rewriter = rewriter };
	const struct pd_feature_edit edit = { rename_value, &renaming };
	struct perfdata_record record;
	struct perfdata_config target;
	struct perfdata_feature *feature = NULL;
	struct perfdata_text text;

	if (perfdata_decode(source, raw->bytes, raw->size, &record) != PERFDATA_OK)
		return PERFDATA_ABSENT;
	struct perfdata_feature_record *section = &record.u.feature;
	const uint32_t id = section->feat_id < PERFDATA_FEATURE_LAST ? (uint32_t)section->feat_id : 0;
	if (id == PERFDATA_FEATURE_COMPRESSED && !rewriter->keeps_carriers)
		return PERFDATA_ABSENT;
	if (!pd_rewrite_changes_order(rewriter) &&
	    (id != PERFDATA_FEATURE_EVENT_DESC || !rewriter->options.nr_renames)) {
		memcpy(out, raw->bytes, raw->size);
		*ret_size = raw->size;
		return PERFDATA_OK;
	}
	perfdata_text_init(&text);
	enum perfdata_status status = PERFDATA_OK;
	if (section->payload.size) {
		status = pd_feature_decode(id, section->payload.data, section->payload.size, source->order,
						 nr_cpus(rewriter->reader), &feature, NULL);
		if (status == PERFDATA_OK)
			status = pd_feature_encode(feature, source->order, rewriter->order,
							 rewriter->options.nr_renames ? &edit : NULL, &text);
	}
	if (status == PERFDATA_OK) {
		perfdata_text_fill(&text, '\0', -text.size & 7);
		section->payload = (struct perfdata_bytes){ (const uint8_t *)text.data, text.size };
		pd_config_init(&target, NULL, rewriter->order);
		status = perfdata_text_failed(&text) ? PERFDATA_ENOMEM
						     : pd_encode_record(&target, NULL, &record, out, ret_size);
	} else if (status == PERFDATA_EUNSUP || status == PERFDATA_DAMAGED) {
		rewriter->counts.sections_left_out++;
		status = PERFDATA_ABSENT;
	}
	pd_feature_free(feature);
	perfdata_text_release(&text);
	return status < 0 ? pd_rewrite_failed(rewriter, status, NULL) : status;
}
