/* SPDX-License-Identifier: MIT */
/* Formats numbers and texts as printf does, and nodes for %s. */
#include "base/checked.h"
#include "base/cursor.h"
#include "base/search.h"
#include "schema/trace_program.h"
#include "schema/trace.h"
#include "text/decimal.h"
#include "text/spelling.h"

/* --- numbers -------------------------------------------------------------------------------------------------- */

static char *octal_to(char *at, uint64_t value)
{
	char digits[24];
	size_t n = 0;

	do
		digits[n++] = (char)('0' + (value & 7));
	while (value >>= 3);
	while (n)
		*at++ = digits[--n];
	return at;
}

static void make_upper(char *at, const char *end)
{
	for (; at < end; at++)
		if (*at >= 'a' && *at <= 'z')
			*at = (char)(*at - 'a' + 'A');
}

static uint64_t narrowed_value(uint64_t value, int bytes)
{
	return bytes == 8 ? value : value & ((1ull << (bytes * 8)) - 1);
}

/* Appends `body`, padded with zeros or blanks to the width and precision. */
static void write_padded(struct perfdata_text *out, const struct pd_trace_spec *spec, const char *prefix,
			 size_t prefix_size, const char *body, size_t size)
{
	const size_t precision = spec->has_precision && spec->precision > 0 ? (size_t)spec->precision : 0;
	const size_t width = spec->width > 0 ? (size_t)spec->width : 0;
	size_t zeros = precision > size ? precision - size : 0;
	const size_t used = prefix_size + zeros + size;
	size_t blanks = width > used ? width - used : 0;

	if (spec->zero && !spec->left && !spec->has_precision) {
		zeros += blanks;
		blanks = 0;
	}
	char *at = perfdata_text_reserve(out, blanks + prefix_size + zeros + size);
	if (!at)
		return;
	if (!spec->left) {
		memset(at, ' ', blanks);
		at += blanks;
	}
	memcpy(at, prefix, prefix_size);
	at += prefix_size;
	memset(at, '0', zeros);
	at += zeros;
	if (size)
		memcpy(at, body, size);
	at += size;
	if (spec->left) {
		memset(at, ' ', blanks);
		at += blanks;
	}
	perfdata_text_commit(out, at);
}

void pd_trace_spell_quick(struct perfdata_text *out, const struct pd_trace_spec *spec, uint64_t value)
{
	char *at = perfdata_text_reserve(out, 32);

	if (!at)
		return;
	if (spec->form == PD_FORM_SIGNED)
		at = pd_s64_to(at, (int64_t)pd_trace_extended(value, (uint32_t)spec->bytes));
	else if (spec->form == PD_FORM_UNSIGNED)
		at = pd_u64_to(at, narrowed_value(value, spec->bytes));
	else
		at = pd_hex_width_to(at, narrowed_value(value, spec->bytes), (unsigned)spec->width);
	perfdata_text_commit(out, at);
}

void pd_trace_spell_number(struct perfdata_text *out, const struct pd_trace_spec *spec, uint64_t value)
{
	char body[32];
	char *end = body;
	const char *prefix = "";
	size_t prefix_size = 0;

	if (spec->form) {
		pd_trace_spell_quick(out, spec, value);
		return;
	}
	if (spec->conversion == 'c') {
		const char c = (char)value;
		struct pd_trace_spec blanks = *spec;
		blanks.has_precision = blanks.zero = false;
		write_padded(out, &blanks, "", 0, &c, 1);
		return;
	}
	if (spec->conversion == 'd') {
		const int64_t number = (int64_t)pd_trace_extended(value, (uint32_t)spec->bytes);
		end = pd_u64_to(body, number < 0 ? 0 - (uint64_t)number : (uint64_t)number);
		prefix = number < 0 ? "-" : "+";
		prefix_size = number < 0 || spec->plus;
	} else {
		value = narrowed_value(value, spec->bytes);
		if (spec->conversion == 'u') {
			end = pd_u64_to(body, value);
		} else if (spec->conversion == 'o') {
			end = octal_to(body, value);
			prefix = "0";
			prefix_size = spec->alternative && value &&
				      !(spec->has_precision && spec->precision > end - body);
		} else {
			end = pd_hex_to(body, value);
			if (spec->conversion == 'X')
				make_upper(body, end);
			prefix = spec->conversion == 'X' ? "0X" : "0x";
			prefix_size = spec->alternative && value ? 2 : 0;
		}
	}
	if (spec->has_precision && !spec->precision && narrowed_value(value, spec->bytes) == 0)
		end = body;
	write_padded(out, spec, prefix, prefix_size, body, (size_t)(end - body));
}

/* --- texts ---------------------------------------------------------------------------------------------------- */

/* Formats a text with the width and precision of the spec. */
static void trace_spell_text(struct perfdata_text *out, const struct pd_trace_spec *spec, const void *text, size_t size)
{
	if (spec->wide)
		return;
	if (!spec->width && !spec->has_precision) {
		perfdata_text_append(out, text, size);
		return;
	}
	if (spec->has_precision && spec->precision >= 0 && (size_t)spec->precision < size)
		size = (size_t)spec->precision;
	struct pd_trace_spec blanks = *spec;
	blanks.has_precision = blanks.zero = false;
	write_padded(out, &blanks, "", 0, text, size);
}

/* Returns the size of a text without its NUL, at most `limit`. */
static size_t text_size(const uint8_t *text, size_t limit)
{
	const uint8_t *nul = limit ? memchr(text, 0, limit) : NULL;

	return nul ? (size_t)(nul - text) : limit;
}

static void spell_hex_value(struct perfdata_text *out, uint64_t value)
{
	perfdata_text_literal(out, "0x");
	pd_text_hex(out, value);
}

/* Formats REC->name for %s: an array is text; a field as large as a pointer is the address of a kernel text. */
static void spell_field(struct pd_trace_run *run, const struct pd_trace_spec *spec,
			const struct perfdata_trace_field *field)
{
	if (!field)
		return;
	if (!pd_range_ok(field->offset, field->size, run->raw.size)) {
		run->damaged = true;
		return;
	}
	const uint8_t *at = run->raw.data + field->offset;
	if (!(field->text_flags & PD_TRACE_IS_ARRAY) && field->size == run->long_size) {
		const uint64_t address = pd_trace_integer(at, field->size, run->swap);
		const char *text = run->context->trace ? pd_trace_printk(run->context->trace, address) : NULL;
		if (text)
			perfdata_text_string(run->out, text);
		else
			pd_text_hex(run->out, address);
		return;
	}
	const size_t limit = field->size ? field->size : run->raw.size - field->offset;
	trace_spell_text(run->out, spec, at, text_size(at, limit));
}

static void spell_flags(struct pd_trace_run *run, const struct pd_trace_spec *spec, const struct pd_trace_node *node)
{
	uint64_t value = pd_trace_eval(run, node->a);
	bool any = false;

	for (uint32_t i = 0; i < node->nr_entries; i++) {
		const struct pd_trace_entry_text *entry = &node->entries[i];
		if (!value && entry->value < 0) {
			trace_spell_text(run->out, spec, entry->text, entry->size);
			break;
		}
		if (entry->value <= 0 || (value & (uint64_t)entry->value) != (uint64_t)entry->value)
			continue;
		if (any)
			perfdata_text_append(run->out, node->text, node->text_size);
		trace_spell_text(run->out, spec, entry->text, entry->size);
		any = true;
		value &= ~(uint64_t)entry->value;
	}
	if (!value)
		return;
	if (any)
		perfdata_text_append(run->out, node->text, node->text_size);
	spell_hex_value(run->out, value);
}

static void spell_symbol(struct pd_trace_run *run, const struct pd_trace_spec *spec, const struct pd_trace_node *node)
{
	const int64_t value = (int64_t)pd_trace_eval(run, node->a);
	size_t low;

	PD_COUNT_BEFORE(low, node->nr_entries, at, node->entries[at].value < value);
	if (low < node->nr_entries && node->entries[low].value == value)
		trace_spell_text(run->out, spec, node->entries[low].text, node->entries[low].size);
	else
		spell_hex_value(run->out, (uint64_t)value);
}

/* Finds the bytes from the start of an array to the end of the raw data. False: there is no array. */
static bool array_start(struct pd_trace_run *run, const struct pd_trace_node *node, struct perfdata_bytes *ret)
{
	if (node->type == PD_NODE_DYNAMIC) {
		if (!pd_trace_dynamic(run, node->field, ret))
			return false;
		ret->size = (size_t)(run->raw.data + run->raw.size - ret->data);
		return true;
	}
	size_t offset = 0;  /* libtraceevent uses the start of the data for a cast */
	if (node->type == PD_NODE_FIELD) {
		if (!node->field)
			return false;
		offset = node->field->offset;
	} else if (node->type != PD_NODE_CAST) {
		return false;
	}
	if (offset > run->raw.size) {
		run->damaged = true;
		return false;
	}
	*ret = (struct perfdata_bytes){ run->raw.data + offset, run->raw.size - offset };
	return true;
}

/* Returns a count, read as an int, cut to the size of the raw data. */
static size_t bounded_size(struct pd_trace_run *run, uint64_t stated, size_t there)
{
	const int32_t count = (int32_t)stated;

	if (count <= 0)
		return 0;
	if ((size_t)count <= there)
		return (size_t)count;
	run->damaged = true;
	return there;
}

static void spell_hex(struct pd_trace_run *run, const struct pd_trace_node *node)
{
	static const char digits[] = "0123456789abcdef";
	struct perfdata_bytes bytes;

	if (!array_start(run, node->a, &bytes))
		return;
	const size_t size = bounded_size(run, pd_trace_eval(run, node->b), bytes.size);
	for (size_t i = 0; i < size; i++) {
		const char two[2] = { digits[bytes.data[i] >> 4], digits[bytes.data[i] & 15] };
		if (i && node->type == PD_NODE_HEX)
			perfdata_text_char(run->out, ' ');
		perfdata_text_append(run->out, two, 2);
	}
}

static void spell_int_array(struct pd_trace_run *run, const struct pd_trace_node *node)
{
	struct perfdata_bytes bytes;

	if (!array_start(run, node->a, &bytes))
		return;
	const uint64_t stated = pd_trace_eval(run, node->c);
	const bool known = stated == 1 || stated == 2 || stated == 4 || stated == 8;
	uint32_t size = known ? (uint32_t)stated : 1;
	const size_t count = bounded_size(run, pd_trace_eval(run, node->b), bytes.size / size);

	perfdata_text_char(run->out, '{');
	for (size_t i = 0; i < count; i++) {
		if (i)
			perfdata_text_char(run->out, ',');
		if (!i && !known) {
			perfdata_text_literal(run->out, "BAD SIZE:");
			perfdata_text_s64(run->out, (int32_t)stated);
			perfdata_text_char(run->out, ' ');
		}
		spell_hex_value(run->out, pd_trace_integer(bytes.data + i * size, size, run->swap));
	}
	perfdata_text_char(run->out, '}');
}

/* Formats groups of eight hex digits, the highest first: "00000000,0000f0f1". */
static void spell_bitmask(struct pd_trace_run *run, const struct pd_trace_spec *spec, const struct pd_trace_node *node)
{
	struct perfdata_bytes bytes;
	char text[1024];
	char *at = text;

	if (!pd_trace_dynamic(run, node->field, &bytes))
		return;
	size_t size = bytes.size;
	if (size > 256) {
		run->damaged = true;
		size = 256;
	}
	for (size_t i = size; i > 0; i--) {
		/* byte number i - 1 by significance; words have the recorder's byte order */
		const size_t byte = i - 1, word = byte / run->long_size * run->long_size;
		const bool big = run->context->order == PERFDATA_BYTE_ORDER_BIG;
		const size_t place = big ? word + run->long_size - 1 - (byte - word) : byte;
		at = pd_hex_width_to(at, place < bytes.size ? bytes.data[place] : 0, 2);
		if (byte && byte % 4 == 0)
			*at++ = ',';
	}
	trace_spell_text(run->out, spec, text, (size_t)(at - text));
}

static bool bit_is_set(const struct pd_trace_run *run, struct perfdata_bytes bytes, size_t bit)
{
	const size_t byte = bit / 8, word = byte / run->long_size * run->long_size;
	const bool big = run->context->order == PERFDATA_BYTE_ORDER_BIG;
	const size_t place = big ? word + run->long_size - 1 - (byte - word) : byte;

	return place < bytes.size && (bytes.data[place] >> (bit & 7) & 1);
}

/* Formats ranges of CPUs: "0,4-7". */
static void spell_cpumask(struct pd_trace_run *run, const struct pd_trace_spec *spec, const struct pd_trace_node *node)
{
	struct perfdata_bytes bytes;
	char text[4096];
	char *at = text;

	if (!pd_trace_dynamic(run, node->field, &bytes))
		return;
	const size_t bits = bytes.size * 8;
	for (size_t bit = 0; bit < bits && at < text + sizeof text - 64; bit++) {
		if (!bit_is_set(run, bytes, bit))
			continue;
		if (at > text)
			*at++ = ',';
		at = pd_u64_to(at, bit);
		const size_t first = bit;
		while (bit + 1 < bits && bit_is_set(run, bytes, bit + 1))
			bit++;
		if (bit > first) {
			*at++ = '-';
			at = pd_u64_to(at, bit);
		}
	}
	trace_spell_text(run->out, spec, text, (size_t)(at - text));
}

static void spell_dynamic_string(struct pd_trace_run *run, const struct pd_trace_spec *spec,
				 const struct pd_trace_node *node)
{
	struct perfdata_bytes bytes;

	if (!pd_trace_dynamic(run, node->field, &bytes))
		return;
	trace_spell_text(run->out, spec, bytes.data, text_size(bytes.data, bytes.size));
}

void pd_trace_spell_string(struct pd_trace_run *run, const struct pd_trace_spec *spec, const struct pd_trace_node *node)
{
	while (node->type == PD_NODE_OP && node->op == PD_OP_CONDITION)
		node = pd_trace_eval(run, node->a) ? node->b->a : node->b->b;
	switch (node->type) {
	case PD_NODE_ATOM:
		trace_spell_text(run->out, spec, node->text, node->text_size);
		break;
	case PD_NODE_FIELD:
		spell_field(run, spec, node->field);
		break;
	case PD_NODE_FLAGS:
		spell_flags(run, spec, node);
		break;
	case PD_NODE_SYMBOL:
		spell_symbol(run, spec, node);
		break;
	case PD_NODE_HEX:
	case PD_NODE_HEX_STR:
		spell_hex(run, node);
		break;
	case PD_NODE_INT_ARRAY:
		spell_int_array(run, node);
		break;
	case PD_NODE_STRING:
		spell_dynamic_string(run, spec, node);
		break;
	case PD_NODE_BITMASK:
		spell_bitmask(run, spec, node);
		break;
	case PD_NODE_CPUMASK:
		spell_cpumask(run, spec, node);
		break;
	default:
		break;  /* perf prints nothing if the format prints a number as text */
	}
}
