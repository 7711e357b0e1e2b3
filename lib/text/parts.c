/* SPDX-License-Identifier: MIT */
/* Writes lines that differ only in their numbers: constant text, each part followed by a value. */
#include "config.h"
#include "base/cursor.h"
#include "text/lines.h"
#include "text/decimal.h"
#include "text/spelling.h"

static inline char *text_to(char *at, const char *text, uint32_t size)
{
	/* copies a constant size, since most texts are shorter */
	memcpy(at, text, PERFDATA_PART_SLACK);
	for (uint32_t done = PERFDATA_PART_SLACK; done < size; done += PERFDATA_PART_SLACK)
		memcpy(at + done, text + done, PERFDATA_PART_SLACK);
	return at + size;
}

static char *or_null_to(char *at, uint32_t value)
{
	if (value != UINT32_MAX)
		return pd_u64_to(at, value);
	memcpy(at, "null", 4);
	return at + 4;
}

/* Most parts have no width. A branch is faster than the maximum of two lengths: the processor predicts a branch, but
 * waits for the maximum. */
static char *hex_to(char *at, uint64_t value, unsigned width)
{
	return width ? pd_hex_width_to(at, value, width) : pd_hex_to(at, value);
}

char *pd_parts_to(char *at, const struct perfdata_part **first, const void *const *bases)
{
	for (const struct perfdata_part *part = *first;; part++) {
		at = text_to(at, part->text, part->size);
		if (part->form >= PERFDATA_PART_STOP) {
			*first = part;
			return at;
		}
		const uint8_t *from = (const uint8_t *)bases[part->base] + part->offset;
		switch ((enum perfdata_part_form)part->form) {
		case PERFDATA_PART_U8: at = pd_u64_to(at, *from); break;
		case PERFDATA_PART_U16: at = pd_u64_to(at, pd_load16(from, false)); break;
		case PERFDATA_PART_U32: at = pd_u64_to(at, pd_load32(from, false)); break;
		case PERFDATA_PART_U64: at = pd_u64_to(at, pd_load64(from, false)); break;
		case PERFDATA_PART_S8: at = pd_s64_to(at, (int8_t)*from); break;
		case PERFDATA_PART_S16: at = pd_s64_to(at, (int16_t)pd_load16(from, false)); break;
		case PERFDATA_PART_S32: at = pd_s64_to(at, (int32_t)pd_load32(from, false)); break;
		case PERFDATA_PART_S64: at = pd_s64_to(at, (int64_t)pd_load64(from, false)); break;
		case PERFDATA_PART_X8: at = hex_to(at, *from, part->width); break;
		case PERFDATA_PART_X16: at = hex_to(at, pd_load16(from, false), part->width); break;
		case PERFDATA_PART_X32: at = hex_to(at, pd_load32(from, false), part->width); break;
		case PERFDATA_PART_X64: at = hex_to(at, pd_load64(from, false), part->width); break;
		case PERFDATA_PART_U32_OR_NONE:
			if (pd_load32(from, false) != UINT32_MAX)
				at = pd_u64_to(at, pd_load32(from, false));
			break;
		case PERFDATA_PART_U32_OR_NULL: at = or_null_to(at, pd_load32(from, false)); break;
		case PERFDATA_PART_STOP: break;
		}
	}
}

void pd_line_part(struct perfdata_line *line, struct perfdata_part part)
{
	part.text = NULL;
	part.size = (uint32_t)(line->text.size - line->done);
	line->done = line->text.size;
	perfdata_text_append(&line->parts, &part, sizeof part);
}

bool pd_line_finish(struct perfdata_line *line)
{
	char *slack = perfdata_text_reserve(&line->text, PERFDATA_PART_SLACK);
	if (!slack || perfdata_text_failed(&line->text) || perfdata_text_failed(&line->parts))
		return false;
	memset(slack, 0, PERFDATA_PART_SLACK);
	struct perfdata_part *parts = (struct perfdata_part *)(void *)line->parts.data;
	const size_t nr = line->parts.size / sizeof *parts;
	const char *text = line->text.data;
	for (size_t i = 0; i < nr; text += parts[i++].size)
		parts[i].text = text;
	line->room = line->text.size + nr * PERFDATA_PART_NUMBER + PERFDATA_PART_SLACK;
	return true;
}

void pd_line_release(struct perfdata_line *line)
{
	perfdata_text_release(&line->text);
	perfdata_text_release(&line->parts);
	line->done = line->room = 0;
}
