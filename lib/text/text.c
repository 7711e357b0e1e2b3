/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <stdarg.h>
#include <stdio.h>
#include "base/memory.h"
#include "perfdata/text.h"
#include "text/outlet.h"

#define FIRST_CAPACITY ((size_t)256)

void perfdata_text_release(struct perfdata_text *text)
{
	pd_free(text->data);
	perfdata_text_init(text);
}

void perfdata_text_leave(struct perfdata_text *text)
{
	if (text->outlet)
		text->outlet->leave(text->outlet, text);
}

/* Removes the room, so that even shorter appends are refused later: contents stay a prefix of what was appended. */
static bool fail_text(struct perfdata_text *text)
{
	text->failed = true;
	text->capacity = text->size;
	return false;
}

bool perfdata_text_grow(struct perfdata_text *text, size_t more)
{
	if (text->failed || more >= PTRDIFF_MAX - text->size)
		return fail_text(text);
	size_t needed = text->size + more + 1;
	if (needed <= text->capacity)
		return true;
	size_t capacity = text->capacity ? text->capacity : FIRST_CAPACITY;
	while (capacity < needed)
		capacity = capacity > PTRDIFF_MAX / 2 ? needed : capacity * 2;
	if (!text->size) {
		/* realloc would copy what was cleared */
		pd_free(text->data);
		text->data = NULL;
		text->capacity = 0;
	}
	char *data = pd_realloc(text->data, capacity);
	if (!data)
		return fail_text(text);
	text->data = data;
	text->capacity = capacity;
	return true;
}

void perfdata_text_printf(struct perfdata_text *text, const char *format, ...)
{
	char buffer[256];
	va_list args;
	va_start(args, format);
	int size = vsnprintf(buffer, sizeof buffer, format, args);
	va_end(args);
	if (size < 0) {
		fail_text(text);
		return;
	}
	if ((size_t)size < sizeof buffer) {
		perfdata_text_append(text, buffer, (size_t)size);
		return;
	}
	char *at = perfdata_text_reserve(text, (size_t)size + 1);
	if (!at)
		return;
	va_start(args, format);
	vsnprintf(at, (size_t)size + 1, format, args);
	va_end(args);
	text->size += (size_t)size;
}

void perfdata_text_fill(struct perfdata_text *text, char c, size_t width)
{
	char *at = width ? perfdata_text_reserve(text, width) : NULL;
	if (!at)
		return;
	memset(at, c, width);
	text->size += width;
}
