/* SPDX-License-Identifier: MIT */
/* Decides what samples weigh. With simpleperf's --trace-offcpu, the first event counts time on the CPU, and the second
 * is the scheduler's switch, sampled where a thread leaves the CPU. Spans give the time off the CPU. */
#include "config.h"
#include <string.h>
#include "base/error.h"
#include "reader/reader.h"
#include "schema/feature.h"
#include "session/session.h"

/* Whether META_INFO has this value for the key. META_INFO: key NUL value NUL, repeated. */
static bool meta_is(const struct perfdata_reader *reader, const char *key, const char *value)
{
	const struct perfdata_feature_section *section = perfdata_reader_feature(reader, PERFDATA_FEATURE_META_INFO);
	if (!section || !section->feature)
		return false;
	const struct perfdata_bytes bytes = pd_feature_bytes(section->feature);
	const char *at = (const char *)bytes.data, *end = at + bytes.size;
	while (at < end) {
		const size_t name = strnlen(at, (size_t)(end - at));
		const char *text = at + name + 1;
		if (text >= end)
			return false;
		const size_t size = strnlen(text, (size_t)(end - text));
		if (name == strlen(key) && !memcmp(at, key, name))
			return size == strlen(value) && !memcmp(text, value, size);
		at = text + size + 1;
	}
	return false;
}

bool pd_traces_off_cpu(const struct perfdata_reader *reader)
{
	return perfdata_reader_event(reader, 1) && meta_is(reader, "trace_offcpu", "true");
}

enum perfdata_status pd_off_cpu_begin(struct perfdata_session *session, struct perfdata_error *reterr)
{
	const enum perfdata_off_cpu wanted = session->options.off_cpu;
	const bool traced = pd_traces_off_cpu(session->reader), beside = wanted == PERFDATA_OFF_CPU_BESIDE;
	const bool usual = wanted == PERFDATA_OFF_CPU_USUAL;
	enum perfdata_off_cpu weights = wanted;
	/* a wait is in no file or function: a filter of files or functions leaves only time on the CPU */
	if (usual && traced)
		weights = session->filter.places ? PERFDATA_OFF_CPU_ON : PERFDATA_OFF_CPU_WALL;
	else if ((!traced && wanted <= PERFDATA_OFF_CPU_ON) ||
		 (beside && (session->filter.places || !pd_session_spans_can_weigh(session))))
		weights = PERFDATA_OFF_CPU_RECORDED;
	session->off_cpu = weights;
	if (weights == PERFDATA_OFF_CPU_ON)
		session->on_event = perfdata_reader_event(session->reader, 0);
	if (usual && weights == PERFDATA_OFF_CPU_WALL)
		pd_reader_tell_off_cpu(session->reader);
	return weights > PERFDATA_OFF_CPU_ON || session->options.spans ? pd_session_spans_begin(session, reterr)
								       : PERFDATA_OK;
}

enum perfdata_off_cpu pd_session_off_cpu(const struct perfdata_session *session) { return session->off_cpu; }
