#include "config.h"
#include <stdarg.h>
#include <stdio.h>
#include "reader/reader_impl.h"

static uint64_t count_of(const struct perfdata_reader *reader, enum perfdata_code code)
{
	uint64_t count = 0;
	(void)pd_map_get(&reader->counts, code, &count);
	return count;
}

/* Counts; returns how many there were before. */
static uint64_t count_up(struct perfdata_reader *reader, enum perfdata_code code)
{
	const struct perfdata_code_info *info = perfdata_code_lookup(code);
	uint64_t before = count_of(reader, code);
	/* without memory the count stays behind; the finding itself is still reported */
	(void)pd_map_put(&reader->counts, code, before + 1);
	if (info && info->severity == PERFDATA_ERROR)
		reader->has_errors = true;
	return before;
}

PERFDATA_PRINTF(5, 0)
static void report(struct perfdata_reader *reader, enum perfdata_code code, unsigned file, uint64_t offset,
		   const char *format, va_list args)
{
	const struct perfdata_code_info *info = perfdata_code_lookup(code);
	char message[320];

	if (!reader->options.on_finding || !info)
		return;
	vsnprintf(message, sizeof message, format, args);
	const struct perfdata_finding finding = {
		.severity = info->severity, .code = code, .file = perfdata_reader_file_name(reader, file),
		.offset = offset, .record = reader->at_record, .message = message,
	};
	reader->options.on_finding(reader->options.user, &finding);
}

void pd_reader_finding(struct perfdata_reader *reader, enum perfdata_code code, unsigned file, uint64_t offset,
		       const char *format, ...)
{
	va_list args;

	if (count_up(reader, code) >= reader->options.max_findings)
		return;
	va_start(args, format);
	report(reader, code, file, offset, format, args);
	va_end(args);
}

void pd_reader_finding_once(struct perfdata_reader *reader, enum perfdata_code code, unsigned file, uint64_t offset,
			    const char *format, ...)
{
	va_list args;

	if (count_up(reader, code))
		return;
	va_start(args, format);
	report(reader, code, file, offset, format, args);
	va_end(args);
}

bool pd_reader_type_is_new(struct perfdata_reader *reader, enum perfdata_code code, uint32_t type)
{
	const uint64_t key = (uint64_t)code << 32 | type;
	uint64_t value;

	/* a hostile file can name four thousand million types */
	if (reader->types_told.count >= 4096 || pd_map_get(&reader->types_told, key, &value))
		return false;
	return pd_map_put(&reader->types_told, key, 1) == 0;
}

uint64_t perfdata_reader_finding_count(const struct perfdata_reader *reader, enum perfdata_code code)
{
	return count_of(reader, code);
}

bool perfdata_reader_complete(const struct perfdata_reader *reader) { return !reader->has_errors; }
