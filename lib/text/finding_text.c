/* SPDX-License-Identifier: MIT */
/* Writes a finding as JSON, for documents, summaries and logs. */
#include "config.h"
#include <string.h>
#include "perfdata/text.h"
#include "text/json_quoted.h"

const char *perfdata_severity_name(enum perfdata_severity severity)
{
	switch (severity) {
	case PERFDATA_SEVERITY_WARNING: return "warning";
	case PERFDATA_SEVERITY_ERROR: return "error";
	case PERFDATA_SEVERITY_NOTE: break;
	}
	return "note";
}

static void text_member(struct perfdata_text *out, const char *key, const char *value)
{
	perfdata_text_printf(out, ",\"%s\":", key);
	pd_json_text(out, value);
}

static void wide_member(struct perfdata_text *out, const char *key, uint64_t value, const char *quote)
{
	perfdata_text_printf(out, ",\"%s\":%s", key, quote);
	perfdata_text_u64(out, value);
	perfdata_text_string(out, quote);
}

void perfdata_text_finding(struct perfdata_text *out, const struct perfdata_finding *finding, bool wide_as_text)
{
	const struct perfdata_finding_info *info = perfdata_finding_lookup(finding->code);
	const char *quote = wide_as_text ? "\"" : "";
	perfdata_text_printf(out, "{\"severity\":\"%s\"", perfdata_severity_name(finding->severity));
	if (finding->code)
		perfdata_text_printf(out, ",\"code\":%u", (unsigned)finding->code);
	if (info)
		text_member(out, "name", info->name);
	if (finding->file)
		text_member(out, "file", finding->file);
	if (finding->offset != PERFDATA_NO_OFFSET)
		wide_member(out, "offset", finding->offset, quote);
	if (finding->record != UINT64_MAX)
		wide_member(out, "record", finding->record, quote);
	text_member(out, "message", finding->message);
	perfdata_text_char(out, '}');
}
