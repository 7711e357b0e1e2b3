/* SPDX-License-Identifier: MIT */
/* What samples weigh. In recordings of Android's simpleperf with --trace-offcpu the first event counts time on the CPU,
 * the second one is the scheduler's switch, taken where a thread leaves the CPU. In others spans weigh. */
#include "config.h"
#include <string.h>
#include "base/error.h"
#include "reader/reader.h"
#include "schema/feature.h"
#include "session/session.h"

/* The value of a key in META_INFO: key NUL value NUL, one after the other. */
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

enum perfdata_status pd_off_cpu_begin(struct perfdata_session *session, struct perfdata_error *reterr)
{
	const enum perfdata_off_cpu wanted = session->options.off_cpu;
	const bool has = perfdata_reader_event(session->reader, 1) &&
			 meta_is(session->reader, "trace_offcpu", "true");

	const bool by_spans = !has && wanted > PERFDATA_OFF_CPU_ON;
	if (by_spans || session->options.spans)
		return pd_session_spans_begin(session, by_spans ? wanted : PERFDATA_OFF_CPU_RECORDED, reterr);
	if (!wanted)
		return PERFDATA_OK;
	session->off_cpu = !has ? PERFDATA_OFF_CPU_RECORDED
			   : wanted == PERFDATA_OFF_CPU_USUAL ? PERFDATA_OFF_CPU_WALL : wanted;
	if (session->off_cpu == PERFDATA_OFF_CPU_OFF || session->off_cpu == PERFDATA_OFF_CPU_BOTH)
		pd_reader_weigh_off_cpu(session->reader, 1);
	if (session->off_cpu == PERFDATA_OFF_CPU_WALL && wanted == PERFDATA_OFF_CPU_USUAL)
		pd_reader_tell_off_cpu(session->reader);
	return PERFDATA_OK;
}

enum perfdata_off_cpu pd_session_off_cpu(const struct perfdata_session *session) { return session->off_cpu; }

bool pd_ends_off_cpu(const struct perfdata_raw *raw)
{
	return raw->type == PERFDATA_RECORD_SAMPLE ||
	       ((raw->type == PERFDATA_RECORD_SWITCH || raw->type == PERFDATA_RECORD_SWITCH_CPU_WIDE) &&
		!(raw->misc & PERFDATA_MISC_SWITCH_OUT));
}
