/* SPDX-License-Identifier: MIT */
/* The parts of CoreSight payloads: AUX records delimit them; AUXTRACE_INFO and AUX_OUTPUT_HW_ID records say which trace
 * units wrote them. This file reads these records in the order of the file; in the order of time, a payload comes
 * earlier than the AUX records that precede it in the file. */
#include "config.h"
#include <string.h>
#include "base/memory.h"
#include "base/search.h"
#include "reader/reader_impl.h"
#include "reader/trace_pieces.h"

/* The parts of a payload are kept for this many further records: batches and outputs ask for them earlier. */
#define KEPT_RECORDS 65536u
/* Limits the sets of sources. They change where the recorder assigns ids, which it does at the beginning. */
#define MOST_VERSIONS 64u

struct payload {
	uint64_t number;                   /* number of its AUXTRACE record */
	unsigned version;                  /* index of the sources in `versions` */
	struct pd_cs_cuts cuts;
};

struct pd_trace_parts {
	struct pd_cs_trace now;
	struct version { struct pd_cs_source *sources; size_t nr; } versions[MOST_VERSIONS];
	unsigned nr_versions;
	bool changed;                      /* `now` differs from the last version */
	struct payload *payloads;
	size_t nr_payloads, room_payloads;
};

void pd_trace_parts_free(struct perfdata_reader *reader)
{
	struct pd_trace_parts *parts = reader->parts;
	if (!parts)
		return;
	pd_cs_trace_release(&parts->now);
	for (unsigned i = 0; i < parts->nr_versions; i++)
		pd_free(parts->versions[i].sources);
	for (size_t i = 0; i < parts->nr_payloads; i++)
		pd_free(parts->payloads[i].cuts.list);
	pd_free(parts->payloads);
	pd_free(parts);
	reader->parts = NULL;
}

static enum perfdata_status keep_version(struct pd_trace_parts *parts)
{
	if (!parts->changed || parts->nr_versions == MOST_VERSIONS)
		return PERFDATA_OK;
	const size_t nr = parts->now.nr_sources;
	struct version *version = &parts->versions[parts->nr_versions];
	version->sources = pd_calloc(nr ? nr : 1, sizeof *version->sources);
	if (!version->sources)
		return PERFDATA_ENOMEM;
	if (nr)
		memcpy(version->sources, parts->now.sources, nr * sizeof *version->sources);
	version->nr = nr;
	parts->nr_versions++;
	parts->changed = false;
	return PERFDATA_OK;
}

static enum perfdata_status keep_payload(struct pd_trace_parts *parts, uint64_t number,
					 const struct perfdata_auxtrace *auxtrace)
{
	if (keep_version(parts) != PERFDATA_OK ||
	    pd_vector_grow(&parts->payloads, &parts->room_payloads, parts->nr_payloads, sizeof *parts->payloads) < 0)
		return PERFDATA_ENOMEM;
	struct payload *payload = &parts->payloads[parts->nr_payloads];
	*payload = (struct payload){ .number = number, .version = parts->nr_versions - 1 };
	if (pd_cs_trace_cuts(&parts->now, auxtrace, &payload->cuts) != PERFDATA_OK)
		return PERFDATA_ENOMEM;
	parts->nr_payloads++;
	return PERFDATA_OK;
}

static bool record_concerns_parts(const struct perfdata_reader *reader, const struct perfdata_raw *raw)
{
	const uint32_t type = raw->type;
	if (raw->flags & PERFDATA_RAW_PAYLOAD)
		return false;
	return type == PERFDATA_RECORD_AUXTRACE_INFO ||
	       (reader->parts && (type == PERFDATA_RECORD_AUXTRACE || type == PERFDATA_RECORD_AUX ||
				  type == PERFDATA_RECORD_AUX_OUTPUT_HW_ID));
}

static enum perfdata_status see_info(struct perfdata_reader *reader, const struct perfdata_auxtrace_info *info)
{
	const struct pd_tracer *tracer = pd_tracer_of(info->type);
	const bool has_sources = tracer && tracer->has_sources;
	if (has_sources && !reader->parts)
		reader->parts = pd_calloc(1, sizeof *reader->parts);
	if (!reader->parts)
		return has_sources ? PERFDATA_ENOMEM : PERFDATA_OK;
	reader->parts->changed = true;
	if (has_sources)
		return pd_cs_trace_info(&reader->parts->now, &info->priv);
	pd_cs_trace_release(&reader->parts->now);
	return PERFDATA_OK;
}

enum perfdata_status pd_trace_parts_see(struct perfdata_reader *reader, const struct perfdata_raw *raw)
{
	struct perfdata_record record;
	if (!record_concerns_parts(reader, raw))
		return PERFDATA_OK;
	(void)perfdata_decode(&reader->config, raw->bytes, raw->size, &record);
	struct pd_trace_parts *parts = reader->parts;
	switch (raw->type) {
	case PERFDATA_RECORD_AUXTRACE_INFO:
		return see_info(reader, &record.u.auxtrace_info);
	case PERFDATA_RECORD_AUX_OUTPUT_HW_ID:
		parts->changed |= pd_cs_trace_hw_id(&parts->now, raw->cpu, record.u.aux_output_hw_id.hw_id);
		return PERFDATA_OK;
	case PERFDATA_RECORD_AUX:
		return pd_cs_trace_area(&parts->now, &record.u.aux, (int32_t)raw->cpu, raw->tid);
	default:
		if (raw->flags & PERFDATA_RAW_UNPACKED)
			record.u.auxtrace.size = raw->payload;
		return keep_payload(parts, raw->number, &record.u.auxtrace);
	}
}

static void forget_before(struct pd_trace_parts *parts, uint64_t number)
{
	size_t over = 0;
	while (over < parts->nr_payloads && parts->payloads[over].number + KEPT_RECORDS < number)
		pd_free(parts->payloads[over++].cuts.list);
	/* the caller limits how often this runs: the move costs time */
	if (!over)
		return;
	parts->nr_payloads -= over;
	memmove(parts->payloads, parts->payloads + over, parts->nr_payloads * sizeof *parts->payloads);
}

enum perfdata_status pd_cs_payload_stream(const struct perfdata_reader *reader, uint64_t number,
					  const struct perfdata_auxtrace *auxtrace, struct pd_cs_stream **ret)
{
	struct pd_trace_parts *parts = reader->parts;
	size_t low;
	*ret = NULL;
	PD_COUNT_BEFORE(low, parts ? parts->nr_payloads : 0, at, parts->payloads[at].number < number);
	if (!parts || low == parts->nr_payloads || parts->payloads[low].number != number)
		return PERFDATA_OK;
	const struct payload *payload = &parts->payloads[low];
	const struct version *version = &parts->versions[payload->version];
	*ret = pd_cs_stream_new(version->sources, version->nr, auxtrace->cpu, auxtrace->offset, payload->cuts.list,
				payload->cuts.nr);
	if (low > KEPT_RECORDS / 2)
		forget_before(parts, number);
	return *ret ? PERFDATA_OK : PERFDATA_ENOMEM;
}
