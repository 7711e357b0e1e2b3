/* SPDX-License-Identifier: MIT */
/* What all parts of a comparison use: its texts, notes and recordings. */
#include "config.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "base/memory.h"
#include "profile/compare_impl.h"

const char *pd_compare_keep(struct perfdata_comparison *comparison, const char *text)
{
	const uint32_t id = pd_intern_put(comparison->strings, text, strlen(text));
	if (id != UINT32_MAX)
		return pd_intern_get(comparison->strings, id, NULL);
	comparison->status = PERFDATA_ENOMEM;
	return "";
}

static bool is_despised(const struct perfdata_comparison_options *options, const char *code)
{
	for (size_t i = 0; i < options->nr_despite; i++)
		if (!strcmp(options->despite[i], code) || !strcmp(options->despite[i], "all"))
			return true;
	return false;
}

void pd_compare_note(struct perfdata_comparison *comparison, const char *code, bool is_reason, const char *format, ...)
{
	char line[512];
	va_list args;
	va_start(args, format);
	vsnprintf(line, sizeof line, format, args);
	va_end(args);
	const struct perfdata_comparison_note note = { .code = pd_compare_keep(comparison, code),
						       .message = pd_compare_keep(comparison, line),
						       .is_reason = is_reason &&
								    !is_despised(comparison->options, code) };
	if (pd_vector_grow(&comparison->notes, &comparison->notes_room, comparison->nr_notes, sizeof note) < 0)
		comparison->status = PERFDATA_ENOMEM;
	else
		comparison->notes[comparison->nr_notes++] = note;
}

const struct pd_side_recording *pd_compare_recording(const struct perfdata_comparison *comparison, size_t index)
{
	const size_t before = comparison->nr_recordings[0];
	return index < before ? &comparison->sides[0]->recordings[index]
			      : &comparison->sides[1]->recordings[index - before];
}

size_t pd_compare_nr(const struct perfdata_comparison *comparison)
{
	return comparison->nr_recordings[0] + comparison->nr_recordings[1];
}
