/* SPDX-License-Identifier: MIT */
/* The lock of stderr (flockfile) also guards the counts, since any thread may read symbol files and report findings. */
#include "config.h"
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include "messages.h"
#include "print.h"
#include "progress.h"

#define SHOWN_OF_A_KIND 5

/* A message before it is formatted as text or JSON. */
struct line {
	enum perfdata_severity severity;
	unsigned code;            /* 0: none */
	const char *file;         /* or NULL */
	uint64_t offset, record;
	const char *message;
};

const char *message_code(enum perfdata_severity severity, unsigned code, char *ret)
{
	static const char letters[] = { 'N', 'W', 'E' };
	snprintf(ret, 8, "%c%03u", letters[severity], code % 1000);
	return ret;
}

static void write_printable(struct perfdata_text *out, const char *s) { perfdata_text_printable(out, s, strlen(s)); }

static void spell_text(struct perfdata_text *out, const struct line *line)
{
	char code[8];
	perfdata_text_literal(out, "perfdata: ");
	if (line->file) {
		write_printable(out, line->file);
		if (line->offset != PERFDATA_NO_OFFSET)
			perfdata_text_printf(out, ":0x%" PRIx64, line->offset);
		perfdata_text_literal(out, ": ");
	}
	perfdata_text_string(out, perfdata_severity_name(line->severity));
	perfdata_text_literal(out, ": ");
	write_printable(out, line->message);
	if (line->code)
		perfdata_text_printf(out, " [%s]", message_code(line->severity, line->code, code));
	perfdata_text_char(out, '\n');
}

static void spell_json(struct perfdata_text *out, const struct line *line)
{
	const struct perfdata_finding finding = {
		.severity = line->severity,
		.code = line->code,
		.file = line->file,
		.offset = line->offset,
		.record = line->record,
		.message = line->message,
	};
	perfdata_text_printf(out, "{\"level\":\"%s\",", perfdata_severity_name(line->severity));
	const size_t start = out->size;
	perfdata_text_finding(out, &finding, false);
	if (!perfdata_text_failed(out))
		memmove(out->data + start, out->data + start + 1, --out->size - start);   /* removes the brace */
	perfdata_text_char(out, '\n');
}

static void let_go(struct perfdata_text *text)
{
	if (text->size) {
		progress_hide();
		print_words(text->data, text->size);
	}
	perfdata_text_clear(text);
}

static void pass_to_perf(struct perf_voice *voice, const struct line *line)
{
	voice->flow_left_out |= line->code == PERFDATA_FINDING_TRACE_FLOW;
	if (line->severity == PERFDATA_SEVERITY_ERROR && line->code && !voice->damage[0])
		snprintf(voice->damage, sizeof voice->damage, "%s", line->message);
}

static void spell_as_perf(struct perfdata_text *out, const struct line *line)
{
	write_printable(out, line->message);
	perfdata_text_char(out, '\n');
}

static void print_message(struct messages *messages, const struct line *line)
{
	struct perf_voice *voice = messages->style.perf;
	if (voice)
		pass_to_perf(voice, line);
	if (voice && line->code)
		return;
	if ((messages->style.quiet && line->severity != PERFDATA_SEVERITY_ERROR) ||
	    (messages->style.no_findings && line->code))
		return;
	(voice ? spell_as_perf : messages->style.json ? spell_json : spell_text)(&messages->held, line);
	if (!messages->hold)
		let_go(&messages->held);
}

static void say_args(struct messages *messages, enum perfdata_severity severity, const char *file, uint64_t offset,
		     const char *format, va_list args)
{
	char message[1024];
	vsnprintf(message, sizeof message, format, args);
	const struct line line = {
		.severity = severity, .file = file, .offset = offset, .record = UINT64_MAX, .message = message,
	};
	flockfile(stderr);
	print_message(messages, &line);
	funlockfile(stderr);
}

void messages_init(struct messages *messages, const struct message_style *style, bool hold)
{
	memset(messages, 0, sizeof *messages);
	messages->style = *style;
	messages->hold = hold;
	perfdata_text_init(&messages->held);
}

void messages_release(struct messages *messages)
{
	perfdata_finding_list_free(messages->kept);
	perfdata_finding_list_free(messages->of_files);
	perfdata_text_release(&messages->held);
}

/* Keeps the finding if it is among the first ones of the input. */
static void keep_finding(struct messages *messages, struct perfdata_finding_list **list,
			 const struct perfdata_finding *finding)
{
	if (!*list)
		*list = perfdata_finding_list_new();
	if (!*list || perfdata_finding_list_add(*list, finding) != PERFDATA_OK)
		messages->finding_lost = true;
}

static uint64_t *count_of(struct code_counts *counts, unsigned code)
{
	return &counts->of[code % (sizeof counts->of / sizeof *counts->of)];
}

uint64_t messages_counted(const struct messages *messages, enum perfdata_finding_code code)
{
	return messages->counts.of[code % (sizeof messages->counts.of / sizeof *messages->counts.of)];
}

static void count_finding(struct messages *messages, enum perfdata_severity severity, uint64_t more)
{
	messages->total += more;
	messages->errors += severity == PERFDATA_SEVERITY_ERROR ? more : 0;
	messages->warnings += severity == PERFDATA_SEVERITY_WARNING ? more : 0;
}

static void say_finding(struct messages *messages, const struct perfdata_finding *finding)
{
	const struct line line = {
		.severity = finding->severity, .code = finding->code, .file = finding->file, .offset = finding->offset,
		.record = finding->record, .message = finding->message,
	};
	const uint64_t reported = *count_of(&messages->counts, finding->code) -
				  *count_of(&messages->unreported, finding->code);
	if (reported <= SHOWN_OF_A_KIND || messages->style.verbose)
		print_message(messages, &line);
}

void messages_finding(void *user, const struct perfdata_finding *finding)
{
	struct messages *messages = user;
	flockfile(stderr);
	++*count_of(&messages->counts, finding->code);
	count_finding(messages, finding->severity, 1);
	keep_finding(messages, &messages->kept, finding);
	say_finding(messages, finding);
	funlockfile(stderr);
}

void messages_file_finding(void *user, const struct perfdata_finding *finding)
{
	struct messages *messages = user;
	flockfile(stderr);
	++*count_of(&messages->counts, finding->code);
	++*count_of(&messages->unreported, finding->code);
	count_finding(messages, finding->severity, 1);
	keep_finding(messages, &messages->kept, finding);
	keep_finding(messages, &messages->of_files, finding);
	funlockfile(stderr);
}

void messages_print_files(struct messages *messages)
{
	size_t nr;
	flockfile(stderr);
	const struct perfdata_finding *list = perfdata_finding_list_get(messages->of_files, &nr, NULL);
	for (size_t i = 0; i < nr; i++) {
		--*count_of(&messages->unreported, list[i].code);
		say_finding(messages, &list[i]);
	}
	perfdata_finding_list_free(messages->of_files);
	messages->of_files = NULL;
	funlockfile(stderr);
}

const struct perfdata_finding *messages_kept(void *user, size_t *ret_nr, uint64_t *ret_total)
{
	struct messages *messages = user;
	messages_print_files(messages);
	*ret_total = messages->total;
	return perfdata_finding_list_get(messages->kept, ret_nr, NULL);
}

void messages_count(struct messages *messages, const struct perfdata_reader *reader)
{
	const struct perfdata_finding_info *info;
	for (size_t i = 0; (info = perfdata_finding_at(i)); i++) {
		uint64_t *seen = count_of(&messages->counts, info->code);
		const uint64_t counted = perfdata_reader_finding_count(reader, info->code);
		if (counted <= *seen)
			continue;
		count_finding(messages, info->severity, counted - *seen);
		*count_of(&messages->unreported, info->code) += counted - *seen;
		*seen = counted;
	}
}

void messages_end(struct messages *messages, const char *file)
{
	const uint64_t shown = messages->style.verbose ? UINT64_MAX : SHOWN_OF_A_KIND;
	messages_print_files(messages);
	const struct perfdata_finding_info *info;
	for (size_t i = 0; (info = perfdata_finding_at(i)); i++) {
		const uint64_t seen = *count_of(&messages->counts, info->code);
		const uint64_t reported = seen - *count_of(&messages->unreported, info->code);
		const uint64_t said = reported < shown ? reported : shown;
		if (seen == said)
			continue;
		char text[400];
		snprintf(text, sizeof text, "%" PRIu64 " more of this kind: %s", seen - said, info->meaning);
		const struct line line = {
			.severity = info->severity, .code = info->code, .file = file, .offset = PERFDATA_NO_OFFSET,
			.record = UINT64_MAX, .message = text,
		};
		print_message(messages, &line);
	}
	let_go(&messages->held);
}

void messages_error(struct messages *messages, const char *file, uint64_t offset, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	say_args(messages, PERFDATA_SEVERITY_ERROR, file, offset, format, args);
	va_end(args);
}

void messages_note(struct messages *messages, const char *file, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	say_args(messages, PERFDATA_SEVERITY_NOTE, file, PERFDATA_NO_OFFSET, format, args);
	va_end(args);
}

void messages_detail(struct messages *messages, const char *file, const char *format, ...)
{
	if (!messages->style.verbose)
		return;
	va_list args;
	va_start(args, format);
	say_args(messages, PERFDATA_SEVERITY_NOTE, file, PERFDATA_NO_OFFSET, format, args);
	va_end(args);
}

void usage_error(const struct message_style *style, const char *format, ...)
{
	struct messages messages;
	va_list args;
	messages_init(&messages, style, false);
	va_start(args, format);
	say_args(&messages, PERFDATA_SEVERITY_ERROR, NULL, PERFDATA_NO_OFFSET, format, args);
	va_end(args);
	messages_release(&messages);
}
