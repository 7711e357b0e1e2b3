/* SPDX-License-Identifier: MIT */
/* Formats fields one by one as perf does, for JSON and for events whose print format perf cannot parse. */
#include "base/checked.h"
#include "base/cursor.h"
#include "text/lines.h"
#include "text/spelling.h"
#include "schema/trace_program.h"
#include "schema/trace.h"

static bool is_printable(uint8_t c) { return (c >= 0x20 && c < 0x7f) || (c >= '\t' && c <= '\r'); }

/* Looks at the bytes up to the first NUL. */
static bool all_printable(struct perfdata_bytes bytes)
{
	for (size_t i = 0; i < bytes.size && bytes.data[i]; i++)
		if (!is_printable(bytes.data[i]))
			return false;
	return true;
}

/* Finds the bytes that libtraceevent takes for the field: none if its size is 0. */
static bool array_bytes(const struct perfdata_trace_field *field, struct perfdata_bytes raw,
			enum perfdata_byte_order order, struct perfdata_bytes *ret_bytes)
{
	if (!pd_trace_locate(field, raw, pd_order_is_foreign(order), ret_bytes, NULL))
		return false;
	if (field->place == PERFDATA_TRACE_REST)
		ret_bytes->size = 0;
	return true;
}

bool pd_trace_field_printable(const struct perfdata_trace_field *field, struct perfdata_bytes raw,
				    enum perfdata_byte_order order)
{
	struct perfdata_bytes bytes;

	return !(field->text_flags & PD_TRACE_IS_STRING) || !array_bytes(field, raw, order, &bytes) ||
	       all_printable(bytes);
}

/* Appends a text. If it fills its array, there is no NUL, and perf prints on up to the next NUL; this function does so
 * too, inside the raw data. */
static void append_text(struct perfdata_text *out, const uint8_t *start, const uint8_t *end)
{
	const uint8_t *nul = start < end ? memchr(start, 0, (size_t)(end - start)) : NULL;

	perfdata_text_append(out, start, (size_t)((nul ? nul : end) - start));
}

static void append_array(struct perfdata_text *out, struct perfdata_bytes bytes)
{
	static const char digits[] = "0123456789abcdef";

	perfdata_text_literal(out, "ARRAY[");
	for (size_t i = 0; i < bytes.size; i++) {
		const char item[4] = { ',', ' ', digits[bytes.data[i] >> 4], digits[bytes.data[i] & 15] };
		perfdata_text_append(out, i ? item : item + 2, i ? 4 : 2);
	}
	perfdata_text_char(out, ']');
}

static void append_signed(struct perfdata_text *out, const struct perfdata_trace_field *field, uint64_t value)
{
	const int64_t number = (int64_t)pd_trace_extended(value, field->size);

	if (field->size == 4 && (field->text_flags & PD_TRACE_IS_LONG)) {
		perfdata_text_literal(out, "0x");
		pd_text_hex(out, value);
	} else {
		if (field->size == 2 && number >= 0 && number < 10)
			perfdata_text_char(out, ' ');
		perfdata_text_s64(out, number);
	}
}

static void append_number(struct perfdata_text *out, const struct perfdata_trace_field *field, uint64_t value)
{
	if (!(field->text_flags & PD_TRACE_IS_POINTER) && field->is_signed) {
		append_signed(out, field, value);
	} else if (field->text_flags & (PD_TRACE_IS_POINTER | PD_TRACE_IS_LONG)) {
		perfdata_text_literal(out, "0x");
		pd_text_hex(out, value);
	} else {
		perfdata_text_u64(out, value);
	}
}

static bool is_quick(const struct pd_trace_piece *piece)
{
	return piece->kind == PD_PIECE_NUMBER && piece->spec.form && piece->word.size;
}

bool pd_trace_prints_number(const struct perfdata_trace_field *field)
{
	return !(field->text_flags & PD_TRACE_IS_ARRAY) && (!field->text_piece || is_quick(field->text_piece));
}

/* Returns the form of a number of 1, 2, 4 or 8 bytes: these are four consecutive forms, and `narrow` is the first. */
static uint8_t form_of(enum perfdata_part_form narrow, uint32_t size)
{
	return (uint8_t)(narrow + (unsigned)__builtin_ctz(size));
}

static uint64_t all_bits(uint32_t size) { return UINT64_MAX >> (64 - 8 * size); }

/* Returns the form in which append_number prints the field. */
static uint8_t form_without_format(const struct perfdata_trace_field *field)
{
	const bool is_pointer = field->text_flags & PD_TRACE_IS_POINTER, is_long = field->text_flags & PD_TRACE_IS_LONG;

	if (field->is_signed && !is_pointer) {
		if (field->size == 2)
			return PERFDATA_PART_STOP;
		return form_of(field->size == 4 && is_long ? PERFDATA_PART_X8 : PERFDATA_PART_S8, field->size);
	}
	return form_of(is_pointer || is_long ? PERFDATA_PART_X8 : PERFDATA_PART_U8, field->size);
}

/* Returns the form in which pd_trace_spell_quick prints, except if it narrows the number. */
static uint8_t form_of_spec(const struct pd_trace_spec *spec, uint32_t size)
{
	if ((uint32_t)spec->bytes < size)
		return PERFDATA_PART_STOP;
	if (spec->form == PD_FORM_SIGNED)
		return form_of((uint32_t)spec->bytes == size ? PERFDATA_PART_S8 : PERFDATA_PART_U8, size);
	return form_of(spec->form == PD_FORM_UNSIGNED ? PERFDATA_PART_U8 : PERFDATA_PART_X8, size);
}

struct perfdata_part pd_trace_field_part(const struct perfdata_trace_field *field)
{
	const struct pd_trace_piece *piece = field->text_piece;
	struct perfdata_part part = { .text = "", .offset = field->offset, .form = PERFDATA_PART_STOP };

	if (!pd_trace_prints_number(field) ||
	    (field->size != 1 && field->size != 2 && field->size != 4 && field->size != 8))
		return part;
	if (!piece) {
		part.form = form_without_format(field);
	} else if (!(all_bits(field->size) & ~piece->word.mask) && piece->spec.width <= 16) {
		part.form = form_of_spec(&piece->spec, field->size);
		part.width = (uint8_t)piece->spec.width;
	}
	const bool hex = part.form >= PERFDATA_PART_X8 && part.form <= PERFDATA_PART_X64;
	if (piece ? field->text_flags & PD_TRACE_HAS_PREFIX : hex) {
		part.text = "0x";
		part.size = 2;
	}
	return part;
}

static enum perfdata_status print_number(const struct perfdata_trace_event *event,
					 const struct perfdata_trace_field *field, struct perfdata_bytes raw,
					 enum perfdata_byte_order order, struct perfdata_text *out)
{
	const struct pd_trace_piece *piece = field->text_piece;
	const bool swap = pd_order_is_foreign(order);

	if (!pd_range_ok(field->offset, field->size, raw.size))
		return PERFDATA_DAMAGED;
	const uint64_t value = pd_trace_integer(raw.data + field->offset, field->size, swap);
	if (!piece) {
		append_number(out, field, value);
		return PERFDATA_OK;
	}
	if (field->text_flags & PD_TRACE_HAS_PREFIX)
		perfdata_text_literal(out, "0x");
	if (is_quick(piece)) {
		pd_trace_spell_quick(out, &piece->spec, value & piece->word.mask);
		return PERFDATA_OK;
	}
	const struct perfdata_trace_context context = { .order = order };
	struct pd_trace_run run = {
		.raw = raw, .context = &context, .out = out, .swap = swap, .long_size = event->long_size
	};
	pd_trace_run_piece(&run, piece);
	return run.damaged ? PERFDATA_DAMAGED : PERFDATA_OK;
}

enum perfdata_status pd_trace_print_field(const struct perfdata_trace_event *event,
						const struct perfdata_trace_field *field, struct perfdata_bytes raw,
						enum perfdata_byte_order order, bool as_bytes,
						struct perfdata_text *out)
{
	struct perfdata_bytes bytes;

	if (!(field->text_flags & PD_TRACE_IS_ARRAY))
		return print_number(event, field, raw, order, out);
	if (!array_bytes(field, raw, order, &bytes))
		return PERFDATA_DAMAGED;
	if ((field->text_flags & PD_TRACE_IS_STRING) && !as_bytes && all_printable(bytes))
		append_text(out, bytes.data, raw.data + raw.size);
	else
		append_array(out, bytes);
	return PERFDATA_OK;
}
