/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <stdarg.h>
#include <stdio.h>
#include "reader/reader_impl.h"
#include "reader/reader.h"

static uint64_t count_of(const struct perfdata_reader *reader, enum perfdata_finding_code code)
{
	uint64_t count = 0;
	(void)pd_hash_map_get(&reader->counts, code, &count);
	return count;
}

/* Counts a finding of this code; returns how many there were before. */
static uint64_t count_up(struct perfdata_reader *reader, enum perfdata_finding_code code)
{
	const struct perfdata_finding_info *info = perfdata_finding_lookup(code);
	uint64_t before = count_of(reader, code);
	/* without memory the count is too low; the finding itself is still reported */
	(void)pd_hash_map_put(&reader->counts, code, before + 1);
	if (info && info->severity == PERFDATA_SEVERITY_ERROR)
		reader->has_errors = true;
	return before;
}

void pd_reader_report(struct perfdata_reader *reader, const struct pd_finding *finding)
{
	const struct perfdata_finding_info *info = perfdata_finding_lookup(finding->code);
	const uint64_t before = count_up(reader, finding->code);

	if (before >= (finding->once ? 1 : reader->options.max_findings) || !reader->options.on_finding || !info)
		return;
	const struct perfdata_finding reported = {
		.severity = info->severity,
		.code = finding->code,
		.file = pd_reader_file_name(reader, finding->file),
		.offset = finding->offset,
		.record = finding->record,
		.message = finding->message,
	};
	reader->options.on_finding(reader->options.user, &reported);
}

struct pd_listener pd_reader_listen(struct perfdata_reader *reader, struct pd_listener listener)
{
	const struct pd_listener before = { reader->options.on_finding, reader->options.user };

	reader->options.on_finding = listener.on_finding;
	reader->options.user = listener.user;
	return before;
}

static void note_finding(struct perfdata_reader *reader, const struct pd_finding *finding)
{
	if (reader->ahead)
		pd_ahead_note(reader->ahead, finding);
	else
		pd_reader_report(reader, finding);
}

void pd_reader_finding(struct perfdata_reader *reader, enum perfdata_finding_code code, unsigned file, uint64_t offset,
		       const char *format, ...)
{
	struct pd_finding finding = { .code = code, .file = file, .offset = offset, .record = reader->at_record };
	va_list args;

	va_start(args, format);
	vsnprintf(finding.message, sizeof finding.message, format, args);
	va_end(args);
	note_finding(reader, &finding);
}

void pd_reader_finding_once(struct perfdata_reader *reader, enum perfdata_finding_code code, unsigned file,
			    uint64_t offset, const char *format, ...)
{
	struct pd_finding finding = {
		.code = code, .once = true, .file = file, .offset = offset, .record = reader->at_record
	};
	const uint64_t key = (uint64_t)code << 32 | UINT32_MAX;
	uint64_t value;
	va_list args;

	/* there may be millions of findings for a type: report the first, count the others */
	if (!pd_hash_map_get(&reader->types_reported, key, &value)) {
		(void)pd_hash_map_put(&reader->types_reported, key, 1);
		va_start(args, format);
		vsnprintf(finding.message, sizeof finding.message, format, args);
		va_end(args);
	}
	note_finding(reader, &finding);
}

void pd_reader_tell(struct perfdata_reader *reader, enum perfdata_finding_code code, const char *message)
{
	struct pd_finding finding = { .code = code, .offset = PERFDATA_NO_OFFSET, .record = UINT64_MAX };
	/* reported without pd_ahead_note: this is the session's thread, and the reading thread may have ended */
	snprintf(finding.message, sizeof finding.message, "%s", message);
	pd_reader_report(reader, &finding);
}

bool pd_reader_type_is_new(struct perfdata_reader *reader, enum perfdata_finding_code code, uint32_t type)
{
	const uint64_t key = (uint64_t)code << 32 | type;
	uint64_t value;

	/* limited, since a hostile file can have 2^32 types */
	if (reader->types_reported.count >= 4096 || pd_hash_map_get(&reader->types_reported, key, &value))
		return false;
	return pd_hash_map_put(&reader->types_reported, key, 1) == 0;
}

uint64_t perfdata_reader_finding_count(const struct perfdata_reader *reader, enum perfdata_finding_code code)
{
	return count_of(reader, code);
}

bool perfdata_reader_complete(const struct perfdata_reader *reader) { return !reader->has_errors; }
