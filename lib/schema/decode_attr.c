/* SPDX-License-Identifier: MIT */
/* Decodes attrs: the rows that the stated size contains, then the words with bit-fields, whose flags are numbered as on
 * little-endian machines. */
#include "config.h"
#include "schema/decode.h"

enum { FLAGS_AT = 40, ACTION_AT = 116 };   /* offsets of the words with bit-fields */

/* Compilers for big-endian machines allocate bit-fields from the most significant bit down: flag n is bit 63 - n there,
 * and the bits inside precise_ip keep their order. */
static uint64_t flags_from_big(uint64_t word)
{
	uint64_t flags = 0;

	for (unsigned n = 0; n < 64; n++)
		flags |= (word >> (63 - n) & 1) << n;
	uint64_t precise = word >> 47 & 3;
	return (flags & ~(UINT64_C(3) << PERFDATA_ATTR_PRECISE_IP)) | precise << PERFDATA_ATTR_PRECISE_IP;
}

static uint32_t bits_from_big(uint32_t word)
{
	uint32_t bits = 0;

	for (unsigned n = 0; n < 32; n++)
		bits |= (word >> (31 - n) & 1) << n;
	return bits;
}

bool pd_walk_attr(struct pd_walk *w, struct perfdata_attr *attr)
{
	size_t left = pd_walk_left(w);
	const uint8_t *attr_at = w->at;
	struct pd_walk in = *w;

	memset(attr, 0, sizeof *attr);
	uint64_t size = left >= 8 ? pd_load32(w->at + 4, w->swap) : left;
	if (size == 0)
		size = 64;
	bool possible = size >= 64 && size % 8 == 0 && size <= left;
	if (!possible) {
		/* the longest attr of this version */
		size = left < 144 ? left : 144;
	}
	in.end = w->at + size;
	bool ok = pd_walk_rows(&in, &pd_attr_layout, UINT64_MAX, attr);
	w->at = in.at;
	if (w->swap != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)) {
		attr->flags = flags_from_big(attr->flags);
		attr->aux_action = bits_from_big(attr->aux_action);
		if (w->native && w->swap && size >= FLAGS_AT + 8)
			memcpy(w->native + (attr_at - w->start) + FLAGS_AT, &attr->flags, 8);
		if (w->native && w->swap && size >= ACTION_AT + 4)
			memcpy(w->native + (attr_at - w->start) + ACTION_AT, &attr->aux_action, 4);
	}
	if (!ok || !possible)
		return pd_walk_fail(w, PERFDATA_FINDING_ATTR_SIZE, "the size of the attr is impossible");
	return true;
}

enum perfdata_status perfdata_attr_decode(const void *bytes, size_t size, enum perfdata_byte_order order,
					  struct perfdata_attr *ret, size_t *ret_size)
{
	const uint8_t *p = bytes;
	struct pd_walk w = { .start = p, .at = p, .end = size ? p + size : p, .swap = pd_order_is_foreign(order) };
	bool ok = pd_walk_attr(&w, ret);

	*ret_size = (size_t)(w.at - p);
	return ok ? PERFDATA_OK : PERFDATA_DAMAGED;
}

/* Some recorders of big-endian files reverse the flag word bit by bit, precise_ip included, and so does perf's reader.
 * The number of p in a recorded name ("cycles:pp") is the intended precise_ip. */
void pd_attr_trust_name(struct perfdata_attr *attr, const char *name, size_t size)
{
	size_t at = size;
	unsigned precise = perfdata_attr_precise_ip(attr), named = 0;

	while (at > 0 && strchr("ukhpPGHSDIeb", name[at - 1]))
		named += name[--at] == 'p';
	if (at == 0 || name[at - 1] != ':' || precise + named != 3 || precise == 0 || named == 0)
		return;
	attr->flags ^= UINT64_C(3) << PERFDATA_ATTR_PRECISE_IP;
}
