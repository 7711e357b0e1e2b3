/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "emit/spell/members.h"
#include "emit/values/aux_values.h"
#include "text/json_quoted.h"
#include "text/spelling.h"

void pd_member_key(struct perfdata_text *out, const char *name, const char *suffix)
{
	perfdata_text_literal(out, ",\"");
	perfdata_text_string(out, name);
	perfdata_text_string(out, suffix);
	perfdata_text_literal(out, "\":");
}

void pd_member_number(struct perfdata_text *out, const char *name, uint64_t value, bool is_signed, bool as_string)
{
	pd_member_key(out, name, "");
	if (as_string)
		perfdata_text_char(out, '"');
	if (is_signed)
		perfdata_text_s64(out, (int64_t)value);
	else
		perfdata_text_u64(out, value);
	if (as_string)
		perfdata_text_char(out, '"');
}

void pd_member_hex(struct perfdata_text *out, const char *name, uint64_t value)
{
	pd_member_key(out, name, "");
	perfdata_text_literal(out, "\"0x");
	pd_text_hex(out, value);
	perfdata_text_char(out, '"');
}

void pd_member_flag(struct perfdata_text *out, const char *name, bool value)
{
	pd_member_key(out, name, "");
	perfdata_text_string(out, value ? "true" : "false");
}

void pd_member_text(struct perfdata_text *out, const char *name, const char *text)
{
	pd_member_key(out, name, "");
	pd_json_text(out, text);
}

void pd_member_bits(struct perfdata_text *out, const char *name, uint64_t bits, const char *const *names, unsigned nr)
{
	pd_member_key(out, name, "");
	perfdata_text_char(out, '[');
	for (const char *before = ""; bits; bits &= bits - 1, before = ",") {
		char room[AUX_BIT_NAME];
		perfdata_text_string(out, before);
		perfdata_text_char(out, '"');
		perfdata_text_string(out, pd_aux_bit_name(names, nr, (unsigned)__builtin_ctzll(bits), room));
		perfdata_text_char(out, '"');
	}
	perfdata_text_char(out, ']');
}

/* Writes branches newest first, and atoms in order of execution, as Arm's manuals do. */
static void write_letters(struct perfdata_text *out, const char *name, const struct pd_packet *packet, bool atoms)
{
	const uint64_t nr = packet->words[1];
	pd_member_key(out, name, "");
	perfdata_text_char(out, '"');
	for (uint64_t i = 0; i < nr; i++)
		perfdata_text_char(out, atoms ? (packet->words[0] >> i & 1 ? 'E' : 'N')
					      : packet->words[0] >> (nr - 1 - i) & 1 ? 'T' : 'N');
	perfdata_text_char(out, '"');
}

static void packet_field(struct perfdata_text *out, const struct pd_packet_field *row, const struct pd_packet *packet,
			 bool int64_string)
{
	const uint64_t value = pd_packet_value(packet, row);
	const bool wide = row->bits > 32;
	switch (row->show) {
	case PD_SHOW_DEC: pd_member_number(out, row->name, value, !wide, wide && int64_string); break;
	case PD_SHOW_SIGNED: pd_member_number(out, row->name, value, true, int64_string); break;
	case PD_SHOW_HEX: pd_member_hex(out, row->name, value); break;
	case PD_SHOW_FLAG: pd_member_flag(out, row->name, value); break;
	case PD_SHOW_BRANCHES: write_letters(out, row->name, packet, false); break;
	case PD_SHOW_ATOMS: write_letters(out, row->name, packet, true); break;
	case PD_SHOW_NAMES: pd_member_bits(out, row->name, value, row->names, row->nr_names); break;
	case PD_SHOW_ENUM:
		if (value < row->nr_names && row->names[value])
			pd_member_text(out, row->name, row->names[value]);
		break;
	}
}

void pd_member_packet_fields(struct perfdata_text *out, const struct pd_packet_kind *kind,
			     const struct pd_packet *packet, bool int64_string)
{
	for (unsigned i = 0; i < kind->nr_fields; i++)
		if (pd_packet_has(packet, &kind->fields[i]))
			packet_field(out, &kind->fields[i], packet, int64_string);
}
