/* SPDX-License-Identifier: MIT */
/* Shortens names for columns. */
#include "config.h"
#include <stdio.h>
#include <string.h>
#include "text/shown.h"
#include "text/utf8.h"

/* A character of a name as people see it. */
struct glyph {
	char text[12];
	size_t size;     /* bytes */
	size_t width;    /* columns */
};

/* Returns the next character of a text that is not empty. */
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

size_t pd_text_columns(const char *name)
{
	size_t width = 0;
	while (*name)
		width += next_glyph(&name).width;
	return width;
}

size_t perfdata_text_shortened(struct perfdata_text *out, const char *name, size_t columns)
{
	const size_t whole = pd_text_columns(name);
	size_t seen = 0, shown = 0;
	/* a cut name keeps its beginning and a shorter end, which distinguishes overloads */
	const bool cut = columns && whole > columns;
	const size_t tail = cut && columns > 8 ? (columns - 2) / 3 : 0, head = !cut	      ? whole
									       : columns > 2 ? columns - 2 - tail
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
