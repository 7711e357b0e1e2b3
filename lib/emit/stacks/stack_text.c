/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <stdio.h>
#include <string.h>
#include "emit/stacks/stack_text.h"
#include "text/shown.h"
#include "text/utf8.h"

bool pd_stack_event_is_clock(const struct perfdata_event *event)
{
	return event->attr->type == PERFDATA_TYPE_SOFTWARE && pd_stack_event_is_time(event);
}

bool pd_stack_event_is_time(const struct perfdata_event *event)
{
	return perfdata_event_measure(event) == PERFDATA_MEASURE_TIME;
}

void pd_stack_text_weight(struct perfdata_text *out, uint64_t weight, bool is_time)
{
	static const char *const times[] = { "ns", "us", "ms", "s" }, *const counts[] = { "",  "k", "M", "G",
											  "T", "P", "E" };
	const size_t last = is_time ? sizeof times / sizeof *times - 1 : sizeof counts / sizeof *counts - 1;
	double shown = (double)weight;
	size_t step = 0;
	while (shown >= 999.5 && step < last) {
		shown /= 1000;
		step++;
	}
	const char *unit = is_time ? times[step] : counts[step];
	perfdata_text_printf(out, "%.*f%s%s",
			     !step || shown >= 99.95 ? 0
			     : shown >= 9.995        ? 1
						     : 2,
			     shown, *unit ? " " : "", unit);
}

double pd_stack_percent(uint64_t part, uint64_t all) { return all ? (double)part / (double)all * 100 : 0; }

const char *pd_stack_last_part(const char *path)
{
	const char *slash = strrchr(path, '/');
	return *path != '[' && slash && slash[1] ? slash + 1 : path;
}

/* --- names -------------------------------------------------------------------------------------------------------- */

/* A character of a name as it is shown. */
struct glyph {
	char text[12];
	size_t size;     /* bytes */
	size_t width;    /* columns */
};

/* The next character of a text that is not empty. */
static struct glyph next_glyph(const char **at)
{
	const uint8_t *s = (const uint8_t *)*at;
	const size_t size = pd_utf8_length(s, strnlen(*at, 4));
	struct glyph glyph = { "\xef\xbf\xbd", 3, 1 };
	*at += size ? size : 1;
	if (!size)
		return glyph;
	uint32_t c = size == 1 ? s[0] : s[0] & (0x7fu >> size);
	for (size_t i = 1; i < size; i++)
		c = c << 6 | (s[i] & 0x3fu);
	if (pd_text_hides(c)) {
		glyph.size = glyph.width = (size_t)snprintf(glyph.text, sizeof glyph.text,
							    c > 0xffff ? "\\U%08x" : "\\u%04x", (unsigned)c);
	} else {
		memcpy(glyph.text, s, size);
		glyph.size = size;
	}
	return glyph;
}

size_t pd_stack_text_width(const char *name)
{
	size_t width = 0;
	while (*name)
		width += next_glyph(&name).width;
	return width;
}

size_t pd_stack_text_name(struct perfdata_text *out, const char *name, size_t width)
{
	const size_t whole = pd_stack_text_width(name);
	size_t seen = 0, shown = 0;
	/* a name that is cut keeps its head and a shorter tail, which tells overloads apart */
	const bool cut = width && whole > width;
	const size_t tail = cut && width > 8 ? (width - 2) / 3 : 0, head = !cut        ? whole
									   : width > 2 ? width - 2 - tail
										       : 0;
	bool marked = !cut;
	for (const char *at = name; *at;) {
		const struct glyph glyph = next_glyph(&at);
		const bool in_tail = seen >= whole - tail, in_head = seen + glyph.width <= head;
		seen += glyph.width;
		if (!in_head && !marked) {
			perfdata_text_literal(out, "..");
			shown += 2;
			marked = true;
		}
		if (!in_head && !in_tail)
			continue;
		perfdata_text_append(out, glyph.text, glyph.size);
		shown += glyph.width;
	}
	return shown;
}

void pd_stack_text_utf8(struct perfdata_text *out, const char *name)
{
	while (*name) {
		const size_t size = pd_utf8_length((const uint8_t *)name, strnlen(name, 4));
		if (size)
			perfdata_text_append(out, name, size);
		else
			perfdata_text_literal(out, "\xef\xbf\xbd");
		name += size ? size : 1;
	}
}
