/* SPDX-License-Identifier: MIT */
/* Formats %p and its variants: symbols, MAC, IP and socket addresses, UUIDs, bytes in hex. */
#include "base/checked.h"
#include "base/cursor.h"
#include "schema/trace_program.h"
#include "text/decimal.h"
#include "text/spelling.h"

static const char hex_digits[2][17] = { "0123456789abcdef", "0123456789ABCDEF" };

static char *byte_to(char *at, uint8_t byte, bool upper)
{
	*at++ = hex_digits[upper][byte >> 4];
	*at++ = hex_digits[upper][byte & 15];
	return at;
}

static void spell_pointer(struct pd_trace_run *run, const struct pd_trace_node *node)
{
	const uint64_t address = pd_trace_eval(run, node);

	if (!address) {
		perfdata_text_literal(run->out, "(nil)");
		return;
	}
	perfdata_text_literal(run->out, "0x");
	pd_text_hex(run->out, address);
}

static void spell_symbol(struct pd_trace_run *run, const struct pd_trace_piece *piece)
{
	const struct perfdata_trace_context *context = run->context;
	const uint64_t address = pd_trace_eval(run, piece->arg);
	struct perfdata_trace_symbol symbol;

	if (!context->symbol || !context->symbol(context->user, address, &symbol)) {
		perfdata_text_literal(run->out, "0x");
		pd_text_hex(run->out, address);
		return;
	}
	perfdata_text_append(run->out, symbol.name, symbol.name_size);
	if (piece->with_offset) {
		perfdata_text_literal(run->out, "+0x");
		pd_text_hex(run->out, address - symbol.start);
	}
}

/* --- addresses of a fixed size in a field ---------------------------------------------------------------------- */

/* Returns the field's bytes if there are `size`; else prints the message that perf prints instead. */
static const uint8_t *sized_field(struct pd_trace_run *run, const struct pd_trace_node *node, uint32_t size,
				  const char *complaint)
{
	while (node->type == PD_NODE_CAST)
		node = node->a;
	if (node->type != PD_NODE_FIELD) {
		perfdata_text_literal(run->out, "ARG TYPE NOT FIELD BUT ");
		perfdata_text_u64(run->out, (uint64_t)node->type);
		return NULL;
	}
	if (!node->field)
		return NULL;
	if (node->field->size != size) {
		perfdata_text_string(run->out, complaint);
		return NULL;
	}
	if (!pd_range_ok(node->field->offset, size, run->raw.size)) {
		run->damaged = true;
		return NULL;
	}
	return run->raw.data + node->field->offset;
}

static void spell_mac(struct pd_trace_run *run, const struct pd_trace_piece *piece)
{
	const uint8_t *bytes = sized_field(run, piece->arg, 6, "INVALIDMAC");
	char text[24];
	char *at = text;

	if (!bytes)
		return;
	for (int i = 0; i < 6; i++) {
		if (i && piece->separator)
			*at++ = piece->separator;
		at = byte_to(at, bytes[piece->reversed ? 5 - i : i], false);
	}
	perfdata_text_append(run->out, text, (size_t)(at - text));
}

/* Formats %pU: the digits in their order, with dashes between groups. */
static void spell_uuid(struct pd_trace_run *run, const struct pd_trace_piece *piece)
{
	static const uint8_t little[16] = { 3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15 };
	const uint8_t *bytes = sized_field(run, piece->arg, 16, "INVALIDUUID");
	char text[40];
	char *at = text;

	if (!bytes)
		return;
	for (int i = 0; i < 16; i++) {
		if (i == 4 || i == 6 || i == 8 || i == 10)
			*at++ = '-';
		at = byte_to(at, bytes[piece->reversed ? little[i] : i], piece->upper);
	}
	perfdata_text_append(run->out, text, (size_t)(at - text));
}

static char *ip4_to(char *at, const uint8_t *bytes, bool padded, bool reversed)
{
	for (int i = 0; i < 4; i++) {
		const uint8_t byte = bytes[reversed ? 3 - i : i];
		if (i)
			*at++ = '.';
		if (padded && byte < 100)
			*at++ = '0';
		if (padded && byte < 10)
			*at++ = '0';
		at = pd_u64_to(at, byte);
	}
	return at;
}

static char *ip6_full_to(char *at, const uint8_t *bytes, bool colons)
{
	for (int i = 0; i < 16; i++) {
		if (i && colons && i % 2 == 0)
			*at++ = ':';
		at = byte_to(at, bytes[i], false);
	}
	return at;
}

/* Finds the longest run of two or more zero groups; of equally long runs the first. */
static void longest_zeros(const uint16_t *groups, int count, int *ret_start, int *ret_size)
{
	int best = -1, best_size = 1;

	for (int i = 0; i < count; i++) {
		int size = 0;
		while (i + size < count && groups[i + size] == 0)
			size++;
		if (size > best_size) {
			best = i;
			best_size = size;
		}
	}
	*ret_start = best;
	*ret_size = best < 0 ? 0 : best_size;
}

/* Formats an address by RFC 5952, with the last four bytes as IPv4 for mapped and ISATAP addresses. */
static char *ip6_short_to(char *at, const uint8_t *bytes)
{
	static const uint8_t mapped[12] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff };
	const bool isatap = (bytes[8] | 2) == 2 && bytes[9] == 0 && bytes[10] == 0x5e && bytes[11] == 0xfe;
	const bool with_ip4 = memcmp(bytes, mapped, sizeof mapped) == 0 || isatap;
	const int count = with_ip4 ? 6 : 8;
	uint16_t groups[8];
	int zeros, zeros_size;

	for (int i = 0; i < 8; i++)
		groups[i] = (uint16_t)(bytes[2 * i] << 8 | bytes[2 * i + 1]);
	longest_zeros(groups, count, &zeros, &zeros_size);
	bool colon = false;
	for (int i = 0; i < count; i++) {
		if (colon || (i == 0 && zeros == 0))
			*at++ = ':';
		if (i == zeros) {
			*at++ = ':';
			i += zeros_size - 1;
			colon = false;
		} else {
			at = pd_hex_to(at, groups[i]);
			colon = true;
		}
	}
	if (with_ip4) {
		if (colon)
			*at++ = ':';
		at = ip4_to(at, bytes + 12, false, false);
	}
	return at;
}

static void spell_ip4(struct pd_trace_run *run, const struct pd_trace_piece *piece)
{
	const uint8_t *bytes = sized_field(run, piece->arg, 4, "INVALIDIPv4");
	char text[64];

	if (bytes)
		perfdata_text_append(run->out, text,
				     (size_t)(ip4_to(text, bytes, piece->padded, piece->reversed) - text));
}

static char *ip6_to(char *at, const struct pd_trace_piece *piece, const uint8_t *bytes)
{
	return piece->compressed ? ip6_short_to(at, bytes) : ip6_full_to(at, bytes, !piece->padded);
}

static void spell_ip6(struct pd_trace_run *run, const struct pd_trace_piece *piece)
{
	const uint8_t *bytes = sized_field(run, piece->arg, 16, "INVALIDIPv6");
	char text[96];

	if (bytes)
		perfdata_text_append(run->out, text, (size_t)(ip6_to(text, piece, bytes) - text));
}

/* --- dynamic arrays ------------------------------------------------------------------------------------------- */

static char *port_to(char *at, const uint8_t *bytes)
{
	*at++ = ':';
	return pd_u64_to(at, (uint64_t)(bytes[0] << 8 | bytes[1]));
}

static bool sockaddr_bytes(struct pd_trace_run *run, const struct pd_trace_node *node, struct perfdata_bytes *ret)
{
	while (node->type == PD_NODE_CAST)
		node = node->a;
	if (node->type == PD_NODE_DYNAMIC)
		return pd_trace_dynamic(run, node->field, ret);
	if (node->type != PD_NODE_FIELD || !node->field)
		return false;
	if (!pd_range_ok(node->field->offset, node->field->size, run->raw.size)) {
		run->damaged = true;
		return false;
	}
	*ret = (struct perfdata_bytes){ run->raw.data + node->field->offset, node->field->size };
	return true;
}

/* struct sockaddr_in: family, port, address at 4; struct sockaddr_in6: family, port, flow, address at 8. */
static void spell_sockaddr(struct pd_trace_run *run, const struct pd_trace_piece *piece)
{
	enum { FAMILY_IP4 = 2, FAMILY_IP6 = 10 };
	struct perfdata_bytes bytes;
	char text[128];
	char *at = text;

	if (!sockaddr_bytes(run, piece->arg, &bytes) || bytes.size < 2)
		return;
	const uint16_t family = pd_load16(bytes.data, run->swap);
	if (family == FAMILY_IP4) {
		if (bytes.size < 16) {
			perfdata_text_literal(run->out, "INVALIDIPv4");
			return;
		}
		at = ip4_to(at, bytes.data + 4, piece->padded, false);
		if (piece->with_port)
			at = port_to(at, bytes.data + 2);
	} else if (family == FAMILY_IP6) {
		if (bytes.size < 28) {
			perfdata_text_literal(run->out, "INVALIDIPv6");
			return;
		}
		if (piece->with_port)
			*at++ = '[';
		at = ip6_to(at, piece, bytes.data + 8);
		if (piece->with_port) {
			*at++ = ']';
			at = port_to(at, bytes.data + 2);
		}
	}
	perfdata_text_append(run->out, text, (size_t)(at - text));
}

/* Formats %*ph: `star` bytes; all bytes if it is negative; one byte without a star. */
static void spell_bytes(struct pd_trace_run *run, const struct pd_trace_piece *piece, int64_t star)
{
	struct perfdata_bytes bytes;

	if (piece->arg->type != PD_NODE_DYNAMIC) {
		perfdata_text_literal(run->out, "ARG TYPE NOT FIELD BUT ");
		perfdata_text_u64(run->out, (uint64_t)piece->arg->type);
		return;
	}
	if (!pd_trace_dynamic(run, piece->arg->field, &bytes))
		return;
	const int64_t wanted = piece->star ? star : 1;
	const size_t size = wanted < 0 || (size_t)wanted > bytes.size ? bytes.size : (size_t)wanted;
	for (size_t i = 0; i < size; i++) {
		char two[2];
		if (i && piece->separator)
			perfdata_text_char(run->out, piece->separator);
		byte_to(two, bytes.data[i], false);
		perfdata_text_append(run->out, two, 2);
	}
}

void pd_trace_spell_address(struct pd_trace_run *run, const struct pd_trace_piece *piece, int64_t star)
{
	switch (piece->kind) {
	case PD_PIECE_POINTER:
		spell_pointer(run, piece->arg);
		break;
	case PD_PIECE_SYMBOL:
		spell_symbol(run, piece);
		break;
	case PD_PIECE_MAC:
		spell_mac(run, piece);
		break;
	case PD_PIECE_IP4:
		spell_ip4(run, piece);
		break;
	case PD_PIECE_IP6:
		spell_ip6(run, piece);
		break;
	case PD_PIECE_SOCKADDR:
		spell_sockaddr(run, piece);
		break;
	case PD_PIECE_UUID:
		spell_uuid(run, piece);
		break;
	case PD_PIECE_HEX:
		spell_bytes(run, piece, star);
		break;
	default:
		break;
	}
}
