/* SPDX-License-Identifier: MIT */
/* Members of JSON objects whose keys are not prepared. Each begins with its comma. */
#ifndef EMIT_MEMBERS_H
#define EMIT_MEMBERS_H

#include "auxtrace/auxtrace.h"
#include "perfdata/text.h"

/* `,"<name><suffix>":` */
void pd_member_key(struct perfdata_text *out, const char *name, const char *suffix);
void pd_member_number(struct perfdata_text *out, const char *name, uint64_t value, bool is_signed, bool as_string);
void pd_member_hex(struct perfdata_text *out, const char *name, uint64_t value);
void pd_member_flag(struct perfdata_text *out, const char *name, bool value);
void pd_member_text(struct perfdata_text *out, const char *name, const char *text);
/* An array of the names of the set bits. */
void pd_member_bits(struct perfdata_text *out, const char *name, uint64_t bits, const char *const *names, unsigned nr);
/* The fields of a packet. */
void pd_member_packet_fields(struct perfdata_text *out, const struct pd_packet_kind *kind,
			     const struct pd_packet *packet, bool int64_string);

#endif
