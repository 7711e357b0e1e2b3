/* SPDX-License-Identifier: MIT */
/* Feature sections: decoded when the reader meets them, kept until the reader is closed. A bad section hurts no
 * other. */
#include "config.h"
#include "base/memory.h"
#include "reader/reader_impl.h"
#include "reader/reader.h"
#include "schema/feature.h"
#include "schema/trace.h"

static const char *section_name(uint32_t id)
{
	const struct perfdata_layout *layout = perfdata_feature_layout(id);
	return layout ? layout->perf_name : "unknown";
}

bool pd_reader_is_simpleperf(const struct perfdata_reader *reader)
{
	return reader->header.feature_bits[PERFDATA_FEATURE_FILE / 64] & 0x7f;
}

/* Keeps the text of a section that is one string. */
static enum perfdata_status take_text(struct perfdata_reader *reader, struct pd_section *section)
{
	const struct perfdata_node *child = section->feature ? perfdata_feature_root(section->feature)->child : NULL;
	section->text = NULL;
	if (!child || child->next || child->kind != PERFDATA_KIND_STRING)
		return PERFDATA_OK;
	section->text = pd_arena_copy(&reader->arena, child->v.bytes.data, child->v.bytes.size);
	return section->text ? PERFDATA_OK : PERFDATA_ENOMEM;
}

static bool is_all_zero(const uint8_t *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (bytes[i])
			return false;
	return true;
}

/* Whether the section may be empty: simpleperf also writes empty lists. */
static bool may_be_empty(const struct perfdata_reader *reader, uint32_t id)
{
	return pd_reader_is_simpleperf(reader) &&
	       (id == PERFDATA_FEATURE_BUILD_ID ||
		(id >= PERFDATA_FEATURE_FILE && id < PERFDATA_FEATURE_SIMPLEPERF_LAST));
}

static void note_section(struct perfdata_reader *reader, uint32_t id, const uint8_t *bytes, size_t size,
			 uint64_t offset, enum perfdata_status status, const struct perfdata_error *error)
{
	const struct perfdata_layout *layout = perfdata_feature_layout(id);

	if (!layout)
		pd_reader_finding(reader, PERFDATA_FINDING_FEATURE_UNKNOWN, 0, offset,
				  "feature section %u (%zu bytes) is not known", id, size);
	else if (status == PERFDATA_DAMAGED)
		pd_reader_finding(reader, PERFDATA_FINDING_FEATURE_DAMAGED, 0,
				  error->offset == PERFDATA_NO_OFFSET ? offset : offset + error->offset, "%s",
				  error->message);
	else if (!size && may_be_empty(reader, id))
		;   /* without entries */
	else if (layout->nr_fields && is_all_zero(bytes, size) && (!size || id == PERFDATA_FEATURE_COMPRESSED))
		pd_reader_finding(reader, PERFDATA_FINDING_FEATURE_EMPTY, 0, offset, "feature section %s %s",
				  section_name(id), size ? "holds only zeros" : "is empty");
}

enum perfdata_status pd_feature_take(struct perfdata_reader *reader, uint32_t id, const void *bytes, size_t size,
				     uint64_t offset)
{
	struct perfdata_error error = { .status = PERFDATA_OK, .offset = PERFDATA_NO_OFFSET };
	struct perfdata_feature *feature = NULL;

	if (id >= PD_NR_FEATURES) {
		pd_reader_finding(reader, PERFDATA_FINDING_FEATURE_UNKNOWN, 0, offset,
				  "feature section %u is not known", id);
		return PERFDATA_OK;
	}
	struct pd_section *section = &reader->sections[id];
	if (section->feature)
		return PERFDATA_OK;   /* a stream may repeat a section: the first one counts */
	const enum perfdata_status status = pd_feature_decode_within(pd_reader_account(reader), id, bytes, size,
								     reader->header.order, reader->nr_cpus, &feature,
								     &error);
	if (status < 0)
		return status;
	note_section(reader, id, bytes, size, offset, status, &error);
	section->feature = feature;
	section->is_present = true;
	section->public = (struct perfdata_feature_section){ .id = id, .offset = offset, .size = size, .status = status,
							     .feature = feature };
	reader->header.feature_bits[id / 64] |= 1ull << id % 64;
	if (id == PERFDATA_FEATURE_NRCPUS && feature) {
		const struct perfdata_node *available = perfdata_node_get(perfdata_feature_root(feature), "available");
		reader->nr_cpus = available ? (uint32_t)available->v.u : 0;
	}
	return take_text(reader, section);
}

void pd_feature_take_lost(struct perfdata_reader *reader, uint32_t id, uint64_t offset, uint64_t size)
{
	struct pd_section *section = &reader->sections[id];
	section->is_present = true;
	section->public = (struct perfdata_feature_section){ .id = id, .offset = offset, .size = size,
							     .status = PERFDATA_DAMAGED };
}

/* --- tracing data ------------------------------------------------------------------------------------------------ */

struct trace_place {
	struct perfdata_reader *reader;
	uint64_t offset;
};

static void take_finding(void *user, const struct perfdata_finding *finding)
{
	const struct trace_place *place = user;
	const uint64_t offset = finding->offset == PERFDATA_NO_OFFSET ? place->offset : place->offset + finding->offset;
	pd_reader_finding(place->reader, finding->code, 0, offset, "%s", finding->message);
}

enum perfdata_status pd_features_take_trace(struct perfdata_reader *reader, const void *bytes, size_t size,
					    uint64_t offset)
{
	struct trace_place place = { reader, offset };
	bool is_whole = false;

	if (reader->trace)
		return PERFDATA_OK;
	const enum perfdata_status status = pd_trace_load(bytes, size, take_finding, &place, &reader->trace,
								&is_whole);
	reader->trace_is_damaged |= size && !is_whole;
	if (status == PERFDATA_EFORMAT && size)
		pd_reader_finding(reader, PERFDATA_FINDING_TRACING_DATA, 0, offset, "this is no tracing data");
	else if (status != PERFDATA_OK && status != PERFDATA_EFORMAT)
		return status;
	return PERFDATA_OK;
}

/* --- what no_meta hides ------------------------------------------------------------------------------------------ */

bool pd_feature_is_hidden(const struct perfdata_reader *reader, uint32_t id)
{
	const struct pd_section_row *row = pd_section_row(id);
	return reader->options.no_meta && row && row->flags & PD_SECTION_IS_META;
}

/* --- getters ----------------------------------------------------------------------------------------------------- */

/* The section of a feature. The build-ids of a stream come one by one; they are decoded when a caller asks for them. */
static const struct pd_section *section_at(const struct perfdata_reader *reader, uint32_t id)
{
	struct pd_late_section *late = reader->build_ids;

	if (id != PERFDATA_FEATURE_BUILD_ID || !late)
		return &reader->sections[id];
	if (!late->changed)
		return &late->section;
	late->changed = false;
	pd_feature_free(late->section.feature);
	late->section.feature = NULL;
	const enum perfdata_status status = pd_feature_decode(id, late->bytes, late->size, reader->header.order, 0,
							        &late->section.feature, NULL);
	late->section.public.status = status < 0 ? PERFDATA_DAMAGED : status;
	late->section.public.feature = late->section.feature;
	late->section.public.size = late->size;
	return &late->section;
}

const struct perfdata_feature_section *perfdata_reader_feature(const struct perfdata_reader *reader, uint32_t id)
{
	if (id >= PD_NR_FEATURES || pd_feature_is_hidden(reader, id))
		return NULL;
	const struct pd_section *section = section_at(reader, id);
	return section->is_present ? &section->public : NULL;
}

const struct perfdata_feature_section *perfdata_reader_feature_at(const struct perfdata_reader *reader, size_t index)
{
	for (uint32_t id = 0; id < PD_NR_FEATURES; id++) {
		const struct perfdata_feature_section *section = perfdata_reader_feature(reader, id);
		if (section && !index--)
			return section;
	}
	return NULL;
}

const char *pd_reader_text(const struct perfdata_reader *reader, uint32_t id)
{
	return id < PD_NR_FEATURES && reader->sections[id].is_present ? reader->sections[id].text : NULL;
}

const char *perfdata_reader_feature_text(const struct perfdata_reader *reader, uint32_t id)
{
	return pd_feature_is_hidden(reader, id) ? NULL : pd_reader_text(reader, id);
}

const struct perfdata_trace *pd_reader_trace(const struct perfdata_reader *reader) { return reader->trace; }
bool pd_reader_trace_is_damaged(const struct perfdata_reader *reader) { return reader->trace_is_damaged; }

enum perfdata_status pd_build_id_take(struct perfdata_reader *reader, const struct perfdata_raw *raw)
{
	struct pd_late_section *late = reader->build_ids;

	if (reader->sections[PERFDATA_FEATURE_BUILD_ID].is_present)
		return PERFDATA_OK;   /* the file has a section of build-ids */
	if (!late) {
		late = reader->build_ids = pd_calloc(1, sizeof *late);
		if (!late)
			return PERFDATA_ENOMEM;
		late->section.is_present = true;
		late->section.public.id = PERFDATA_FEATURE_BUILD_ID;
		late->section.public.offset = raw->offset;
		reader->header.feature_bits[0] |= 1ull << PERFDATA_FEATURE_BUILD_ID;
	}
	if (late->size + raw->size > PD_MAX_BLOB) {
		pd_reader_finding_once(reader, PERFDATA_FINDING_LIMIT, raw->file, raw->offset, "too many build-ids");
		return PERFDATA_OK;
	}
	if (pd_vector_grow(&late->bytes, &late->room, late->size + raw->size, 1) < 0)
		return PERFDATA_ENOMEM;
	memcpy(late->bytes + late->size, raw->bytes, raw->size);
	late->size += raw->size;
	late->changed = true;
	return PERFDATA_OK;
}

void pd_features_release(struct perfdata_reader *reader)
{
	for (uint32_t id = 0; id < PD_NR_FEATURES; id++)
		pd_feature_free(reader->sections[id].feature);
	if (reader->build_ids) {
		pd_feature_free(reader->build_ids->section.feature);
		pd_free(reader->build_ids->bytes);
		pd_free(reader->build_ids);
	}
	pd_trace_free(reader->trace);
}
