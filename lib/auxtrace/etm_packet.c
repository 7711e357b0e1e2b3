/* SPDX-License-Identifier: MIT */
/* Decodes packets: Arm, "Embedded Trace Macrocell Architecture Specification, ETMv4", and Arm Architecture Reference
 * Manual, "Embedded Trace Extension". For bytes that violate these rules, the packets are those of OpenCSD. */
#include "config.h"
#include <string.h>
#include "auxtrace/etm_packet.h"

/* --- headers ------------------------------------------------------------------------------------------------------ */

#define R PD_ETM_RESERVED
#define F1 PD_ETM_ATOM_F1
#define F2 PD_ETM_ATOM_F2
#define F3 PD_ETM_ATOM_F3
#define F4 PD_ETM_ATOM_F4
#define F5 PD_ETM_ATOM_F5
#define F6 PD_ETM_ATOM_F6
#define C3 PD_ETM_CCNT_F3
#define ND PD_ETM_NUM_DS_MKR
#define UD PD_ETM_UNNUM_DS_MKR
#define MP PD_ETM_MISPREDICT
#define L2 PD_ETM_CANCEL_F2
#define L3 PD_ETM_CANCEL_F3
#define I2 PD_ETM_COND_I_F2
#define R1 PD_ETM_COND_RES_F1
#define R2 PD_ETM_COND_RES_F2
#define R3 PD_ETM_COND_RES_F3
#define R4 PD_ETM_COND_RES_F4
#define EV PD_ETM_EVENT
#define AM PD_ETM_ADDR_MATCH
#define SM PD_ETM_SRC_ADDR_MATCH
#define QQ PD_ETM_Q

/* The kind of a packet by its header byte. */
static const uint8_t headers[256] = {
	/* 00 */ PD_ETM_EXTENSION, PD_ETM_TRACE_INFO, PD_ETM_TIMESTAMP, PD_ETM_TIMESTAMP,
	/* 04 */ PD_ETM_TRACE_ON, R, PD_ETM_EXCEPT, PD_ETM_EXCEPT_RTN,
	/* 08 */ R, PD_ETM_ITE, PD_ETM_TRANS_ST, PD_ETM_TRANS_COMMIT,
	/* 0c */ PD_ETM_CCNT_F2, PD_ETM_CCNT_F2, PD_ETM_CCNT_F1, PD_ETM_CCNT_F1,
	/* 10 */ C3, C3, C3, C3, C3, C3, C3, C3, C3, C3, C3, C3, C3, C3, C3, C3,
	/* 20 */ ND, ND, ND, ND, ND, ND, ND, ND, UD, UD, UD, UD, UD,
	/* 2d */ PD_ETM_COMMIT, PD_ETM_CANCEL_F1, PD_ETM_CANCEL_F1_MISPRED,
	/* 30 */ MP, MP, MP, MP, L2, L2, L2, L2, L3, L3, L3, L3, L3, L3, L3, L3,
	/* 40 */ I2, I2, I2, PD_ETM_COND_FLUSH, R4, R4, R4, R, R2, R2, R2, R, R2, R2, R2, R,
	/* 50 */ R3, R3, R3, R3, R3, R3, R3, R3, R3, R3, R3, R3, R3, R3, R3, R3,
	/* 60 */ R, R, R, R, R, R, R, R, R1, R1, R1, R1, PD_ETM_COND_I_F1, PD_ETM_COND_I_F3, R1, R1,
	/* 70 */ PD_ETM_IGNORE, EV, EV, EV, EV, EV, EV, EV, EV, EV, EV, EV, EV, EV, EV, EV,
	/* 80 */ PD_ETM_CTXT, PD_ETM_CTXT, PD_ETM_ADDR_CTXT_L_32IS0, PD_ETM_ADDR_CTXT_L_32IS1,
	/* 84 */ R, PD_ETM_ADDR_CTXT_L_64IS0, PD_ETM_ADDR_CTXT_L_64IS1, R,
	/* 88 */ PD_ETM_TS_MARKER, R, R, R, R, R, R, R,
	/* 90 */ AM, AM, AM, R, R, PD_ETM_ADDR_S_IS0, PD_ETM_ADDR_S_IS1, R,
	/* 98 */ R, R, PD_ETM_ADDR_L_32IS0, PD_ETM_ADDR_L_32IS1, R, PD_ETM_ADDR_L_64IS0, PD_ETM_ADDR_L_64IS1, R,
	/* a0 */ QQ, QQ, QQ, R, R, QQ, QQ, R, R, R, QQ, QQ, QQ, R, R, QQ,
	/* b0 */ SM, SM, SM, R, PD_ETM_SRC_ADDR_S_IS0, PD_ETM_SRC_ADDR_S_IS1,
	/* b6 */ PD_ETM_SRC_ADDR_L_32IS0, PD_ETM_SRC_ADDR_L_32IS1, PD_ETM_SRC_ADDR_L_64IS0, PD_ETM_SRC_ADDR_L_64IS1,
	/* ba */ R, R, R, R, R, R,
	/* c0 */ F6, F6, F6, F6, F6, F6, F6, F6, F6, F6, F6, F6, F6, F6, F6, F6,
	/* d0 */ F6, F6, F6, F6, F6, F5, F5, F5, F2, F2, F2, F2, F4, F4, F4, F4,
	/* e0 */ F6, F6, F6, F6, F6, F6, F6, F6, F6, F6, F6, F6, F6, F6, F6, F6,
	/* f0 */ F6, F6, F6, F6, F6, F5, F1, F1, F3, F3, F3, F3, F3, F3, F3, F3,
};

/* Returns the kind that a header byte begins in this trace. *ret_would_be: its kind in a trace with all features. */
static uint8_t kind_of(const struct pd_etm_setup *setup, uint8_t header, uint8_t *ret_would_be)
{
	const uint8_t kind = *ret_would_be = headers[header];
	switch (kind) {
	case PD_ETM_EXCEPT_RTN:
		return setup->version < 0x50 ? kind : PD_ETM_RESERVED_CFG;
	case PD_ETM_NUM_DS_MKR: case PD_ETM_UNNUM_DS_MKR:
		return setup->data_trace ? kind : PD_ETM_RESERVED_CFG;
	case PD_ETM_COND_I_F1: case PD_ETM_COND_I_F2: case PD_ETM_COND_I_F3: case PD_ETM_COND_FLUSH:
	case PD_ETM_COND_RES_F1: case PD_ETM_COND_RES_F2: case PD_ETM_COND_RES_F3: case PD_ETM_COND_RES_F4:
		return setup->conditionals ? kind : PD_ETM_RESERVED_CFG;
	case PD_ETM_IGNORE:
		return setup->version >= 0x43 ? kind : PD_ETM_RESERVED;
	case PD_ETM_TS_MARKER:
		return setup->version >= 0x46 ? kind : PD_ETM_RESERVED;
	case PD_ETM_ITE:
		return setup->version >= 0x53 ? kind : PD_ETM_RESERVED;
	case PD_ETM_Q:
		return setup->q_elements ? kind : PD_ETM_RESERVED;
	case PD_ETM_TRANS_ST: case PD_ETM_TRANS_COMMIT: case PD_ETM_SRC_ADDR_MATCH:
	case PD_ETM_SRC_ADDR_S_IS0: case PD_ETM_SRC_ADDR_S_IS1: case PD_ETM_SRC_ADDR_L_32IS0:
	case PD_ETM_SRC_ADDR_L_32IS1: case PD_ETM_SRC_ADDR_L_64IS0: case PD_ETM_SRC_ADDR_L_64IS1:
		return setup->version >= 0x50 ? kind : PD_ETM_RESERVED;
	default:
		return kind;
	}
}

/* --- the bytes of a packet ---------------------------------------------------------------------------------------- */

/* The expected rest of a packet is a list of items: a number of bytes, or bytes up to one with a clear top bit, or a
 * byte that says what follows. */
enum { MANY = 0x40, ALL_OF = 0x80, INFO_BYTE = 0xc0 };   /* ALL_OF | most bytes */

static void expect_bytes(struct pd_etm *etm, unsigned what)
{
	if (what && etm->nr_fields < PD_ETM_FIELDS)
		etm->fields[etm->nr_fields++] = (uint8_t)what;
}

static void expect_q(struct pd_etm *etm, unsigned form)
{
	if (form == 0x5 || form == 0x6)
		expect_bytes(etm, ALL_OF | 2);
	else if (form == 0xa || form == 0xb)
		expect_bytes(etm, 4);
	if (form != 0xf)
		expect_bytes(etm, MANY);
}

/* Expects what the header requires. */
static void expect_first(const struct pd_etm_setup *setup, struct pd_etm *etm, uint8_t header)
{
	switch (etm->kind) {
	case PD_ETM_TRACE_INFO: case PD_ETM_EXCEPT:
		expect_bytes(etm, INFO_BYTE);
		break;
	case PD_ETM_TIMESTAMP:
		expect_bytes(etm, ALL_OF | 9);
		expect_bytes(etm, header & 1 ? MANY : 0);
		break;
	case PD_ETM_ITE:
		expect_bytes(etm, 9);
		break;
	case PD_ETM_CCNT_F1:
		expect_bytes(etm, setup->commits_implied ? 0 : MANY);
		expect_bytes(etm, header & 1 ? 0 : MANY);
		break;
	case PD_ETM_CCNT_F2: case PD_ETM_COND_I_F3: case PD_ETM_COND_RES_F3:
		expect_bytes(etm, 1);
		break;
	case PD_ETM_COMMIT: case PD_ETM_CANCEL_F1: case PD_ETM_CANCEL_F1_MISPRED: case PD_ETM_COND_I_F1:
		expect_bytes(etm, MANY);
		break;
	case PD_ETM_COND_RES_F1:
		expect_bytes(etm, MANY);
		expect_bytes(etm, (header & 0xfc) == 0x6c ? 0 : MANY);
		break;
	case PD_ETM_CTXT:
		expect_bytes(etm, header & 1 ? INFO_BYTE : 0);
		break;
	case PD_ETM_ADDR_CTXT_L_32IS0: case PD_ETM_ADDR_CTXT_L_32IS1:
		expect_bytes(etm, 4);
		expect_bytes(etm, INFO_BYTE);
		break;
	case PD_ETM_ADDR_CTXT_L_64IS0: case PD_ETM_ADDR_CTXT_L_64IS1:
		expect_bytes(etm, 8);
		expect_bytes(etm, INFO_BYTE);
		break;
	case PD_ETM_ADDR_S_IS0: case PD_ETM_ADDR_S_IS1: case PD_ETM_SRC_ADDR_S_IS0: case PD_ETM_SRC_ADDR_S_IS1:
		expect_bytes(etm, ALL_OF | 2);
		break;
	case PD_ETM_ADDR_L_32IS0: case PD_ETM_ADDR_L_32IS1: case PD_ETM_SRC_ADDR_L_32IS0: case PD_ETM_SRC_ADDR_L_32IS1:
		expect_bytes(etm, 4);
		break;
	case PD_ETM_ADDR_L_64IS0: case PD_ETM_ADDR_L_64IS1: case PD_ETM_SRC_ADDR_L_64IS0: case PD_ETM_SRC_ADDR_L_64IS1:
		expect_bytes(etm, 8);
		break;
	case PD_ETM_Q:
		expect_q(etm, header & 15);
		break;
	default:
		break;
	}
}

/* Expects what the byte requires. */
static void expect_rest(const struct pd_etm_setup *setup, struct pd_etm *etm, uint8_t byte)
{
	unsigned ids;
	switch (etm->kind) {
	case PD_ETM_TRACE_INFO:
		expect_bytes(etm, byte & 0x80 ? MANY : 0);
		for (unsigned section = 0; section < 5; section++)
			expect_bytes(etm, byte >> section & 1 ? MANY : 0);
		break;
	case PD_ETM_EXCEPT:
		if (byte & 0x80 || (setup->version >= 0x50 && ((byte >> 1 & 31) == 0 || (byte >> 1 & 31) == 0x18)))
			expect_bytes(etm, 1);
		break;
	default:
		ids = (byte & 0x40 ? setup->vmid_bytes : 0u) + (byte & 0x80 ? setup->context_id_bytes : 0u);
		/* OpenCSD reads a byte of ids even if their size is 0 */
		expect_bytes(etm, !ids && byte & 0xc0 && etm->kind == PD_ETM_CTXT ? 1 : ids);
	}
}

/* Takes a byte. True: the packet is complete. */
static bool take_field(const struct pd_etm_setup *setup, struct pd_etm *etm, uint8_t byte)
{
	uint8_t *field = &etm->fields[etm->field];
	bool done;
	if (*field == INFO_BYTE) {
		etm->field++;
		expect_rest(setup, etm, byte);
		return etm->field == etm->nr_fields;
	}
	if (*field == MANY)
		done = !(byte & 0x80);
	else if (*field & ALL_OF)
		done = !(byte & 0x80) || !(--*field & ~ALL_OF & 0xff);
	else
		done = !--*field;
	etm->field += done;
	return etm->field == etm->nr_fields;
}

/* --- the fields of a packet --------------------------------------------------------------------------------------- */

static uint64_t little_of(const uint8_t *at, unsigned size)
{
	uint64_t value = 0;
	for (unsigned i = 0; i < size; i++)
		value |= (uint64_t)at[i] << (8 * i);
	return value;
}

/* Reads seven bits of each byte, up to one with a clear top bit, at most `most` bytes. */
static uint32_t number_at(const struct pd_etm *etm, unsigned *at, unsigned most)
{
	uint32_t value = 0;
	for (unsigned i = 0; i < most && *at < PD_ETM_ROOM; i++) {
		const uint8_t byte = etm->bytes[(*at)++];
		value |= (uint32_t)(byte & 0x7f) << (7 * i);
		if (!(byte & 0x80))
			break;
	}
	return value;
}

static void trace_info(struct pd_etm *etm, struct pd_packet *packet)
{
	const uint8_t sections = etm->bytes[1];
	unsigned at = 2;
	for (unsigned more = sections; more & 0x80 && at < PD_ETM_ROOM; at++)
		more = etm->bytes[at];
	packet->words[PD_ETM_VALUE] = sections & 1 ? number_at(etm, &at, 5) : 0;
	packet->words[PD_ETM_VMID] = sections & 2 ? number_at(etm, &at, 5) : 0;
	packet->words[PD_ETM_COUNT] = sections & 4 ? number_at(etm, &at, 5) : 0;
	etm->threshold_known = sections & 8;
	if (etm->threshold_known)
		etm->threshold = number_at(etm, &at, 5);
	packet->words[PD_ETM_CYCLES] = etm->threshold;
	if (packet->words[PD_ETM_VALUE] & 1)
		packet->words[PD_ETM_HAS] |= PD_ETM_HAS_CYCLES;
	etm->info_seen = true;
	etm->timestamp_known = false;
	for (unsigned i = 0; i < 3; i++)
		etm->last[i] = (struct pd_etm_address){ .known = 64, .wide = 1 };
	etm->now = etm->last[0];
}

static void decode_timestamp(const struct pd_etm_setup *setup, struct pd_etm *etm, struct pd_packet *packet)
{
	uint64_t value = 0;
	unsigned bytes = 0, bits;
	bool more = true;
	for (; more; bytes++) {
		const uint8_t byte = etm->bytes[1 + bytes];
		more = bytes < 8 && byte & 0x80;
		value |= (uint64_t)(bytes < 8 ? byte & 0x7f : byte) << (7 * bytes);
	}
	bits = bytes < 9 ? 7 * bytes : 64;
	/* after trace information, missing bytes are zero */
	if (!etm->timestamp_known && etm->info_seen)
		bits = 64;
	const uint64_t mask = bits < 64 ? (1ull << bits) - 1 : UINT64_MAX;
	etm->timestamp = (etm->timestamp & ~mask) | (value & mask);
	etm->timestamp_known = true;
	packet->words[PD_ETM_VALUE] = etm->timestamp;
	if (etm->bytes[0] & 1) {
		unsigned at = 1 + bytes;
		packet->words[PD_ETM_CYCLES] = number_at(etm, &at, 3) & ((1u << setup->cycle_bits) - 1);
		packet->words[PD_ETM_HAS] |= PD_ETM_HAS_CYCLES;
	}
}

static void cycle_count(const struct pd_etm_setup *setup, struct pd_etm *etm, struct pd_packet *packet)
{
	const uint32_t threshold = etm->threshold_known ? etm->threshold : 0;
	uint32_t cycles = 0;
	unsigned at = 1;
	if (etm->kind == PD_ETM_CCNT_F3)
		cycles = (etm->bytes[0] & 3u) + threshold;
	else if (etm->kind == PD_ETM_CCNT_F2)
		cycles = (etm->bytes[1] & 15u) + threshold;
	if (etm->kind == PD_ETM_CCNT_F1) {
		if (!setup->commits_implied) {
			packet->words[PD_ETM_COUNT] = number_at(etm, &at, 5);
			packet->words[PD_ETM_HAS] |= PD_ETM_HAS_COUNT;
		}
		cycles = etm->bytes[0] & 1 ? 0 : number_at(etm, &at, 3) + threshold;
	} else if (etm->kind == PD_ETM_CCNT_F3 && !setup->commits_implied) {
		packet->words[PD_ETM_COUNT] = (etm->bytes[0] >> 2 & 3u) + 1;
		packet->words[PD_ETM_HAS] |= PD_ETM_HAS_COUNT;
	}
	packet->words[PD_ETM_CYCLES] = cycles;
}

/* Decodes atoms: the first one is the lowest bit; 1 means executed. */
static void decode_atoms(const struct pd_etm *etm, struct pd_packet *packet)
{
	static const uint8_t four[4] = { 0xe, 0x0, 0xa, 0x5 }, five[4] = { 0x1e, 0x00, 0x0a, 0x15 };
	const uint8_t byte = etm->bytes[0];
	uint64_t bits = 0;
	unsigned count = 0;
	switch (etm->kind) {
	case PD_ETM_ATOM_F1:
		bits = byte & 1;
		count = 1;
		break;
	case PD_ETM_ATOM_F2:
		bits = byte & 3;
		count = 2;
		break;
	case PD_ETM_ATOM_F3:
		bits = byte & 7;
		count = 3;
		break;
	case PD_ETM_ATOM_F4:
		bits = four[byte & 3];
		count = 4;
		break;
	case PD_ETM_ATOM_F5:
		bits = five[byte & 0x20 ? 0 : byte & 3];
		count = 5;
		break;
	default:
		count = (byte & 31u) + 4;
		bits = (1ull << (byte & 0x20 ? count - 1 : count)) - 1;
	}
	packet->words[PD_ETM_VALUE] = bits;
	packet->words[PD_ETM_COUNT] = count;
}

/* Decodes the atoms of packets that resolve speculation: none, E, EE or N. */
static void decode_resolved(const struct pd_etm *etm, struct pd_packet *packet)
{
	static const uint8_t bits[4] = { 0, 1, 3, 0 }, counts[4] = { 0, 1, 2, 1 };
	const uint8_t byte = etm->bytes[0];
	unsigned at = 1;
	switch (etm->kind) {
	case PD_ETM_MISPREDICT: case PD_ETM_CANCEL_F2:
		packet->words[PD_ETM_VALUE] = bits[byte & 3];
		packet->words[PD_ETM_COUNT] = counts[byte & 3];
		packet->words[PD_ETM_FORM] = etm->kind == PD_ETM_CANCEL_F2;
		break;
	case PD_ETM_CANCEL_F3:
		packet->words[PD_ETM_VALUE] = packet->words[PD_ETM_COUNT] = byte & 1;
		packet->words[PD_ETM_FORM] = (byte >> 1 & 3u) + 2;
		break;
	default:
		packet->words[PD_ETM_FORM] = number_at(etm, &at, 5);
	}
}

static void decode_context(const struct pd_etm_setup *setup, struct pd_etm *etm, unsigned at, struct pd_packet *packet)
{
	const uint8_t info = etm->bytes[at++];
	packet->words[PD_ETM_HAS] |= PD_ETM_HAS_CONTEXT;
	/* bit 0: non-secure; bit 1: selects realm or root */
	packet->words[PD_ETM_CONTEXT] = info | (uint64_t)((info >> 5 & 1) | (info >> 3 & 1) << 1) << 8;
	etm->context_64 = info >> 4 & 1;
	if (info & 0x40 && setup->vmid_bytes) {
		packet->words[PD_ETM_VMID] = little_of(&etm->bytes[at], setup->vmid_bytes);
		packet->words[PD_ETM_HAS] |= PD_ETM_HAS_VMID;
		at += setup->vmid_bytes;
	}
	if (info & 0x80 && setup->context_id_bytes) {
		packet->words[PD_ETM_CONTEXT_ID] = little_of(&etm->bytes[at], setup->context_id_bytes);
		packet->words[PD_ETM_HAS] |= PD_ETM_HAS_CONTEXT_ID;
	}
}

/* --- addresses --- */

static void remember_address(struct pd_etm *etm)
{
	etm->last[2] = etm->last[1];
	etm->last[1] = etm->last[0];
	etm->last[0] = etm->now;
}

static void long_address(struct pd_etm *etm, unsigned at, unsigned size, bool two_byte)
{
	const uint8_t *bytes = &etm->bytes[at];
	struct pd_etm_address *now = &etm->now;
	uint64_t value = little_of(bytes + 2, size - 2) << 16;
	value |= two_byte ? (bytes[0] & 0x7fu) << 1 | (unsigned)bytes[1] << 8
			  : (bytes[0] & 0x7fu) << 2 | (bytes[1] & 0x7fu) << 9;
	now->bits = (uint8_t)(8 * size);
	if (size == 8) {
		now->known = 64;
		now->wide = 1;
	} else {
		/* a 64-bit address without its upper half keeps the previous one */
		now->wide = etm->context_known && etm->context_64;
		if (now->wide)
			value |= now->value & ~(uint64_t)UINT32_MAX;
		if (now->known < 32)
			now->known = 32;
	}
	now->value = value;
	remember_address(etm);
}

static unsigned short_address(struct pd_etm *etm, unsigned at, bool two_byte)
{
	const uint8_t *bytes = &etm->bytes[at];
	const unsigned shift = two_byte ? 1 : 2, size = bytes[0] & 0x80 ? 2 : 1, bits = (size == 2 ? 15 : 7) + shift;
	const uint64_t mask = (1ull << bits) - 1;
	uint64_t value = (bytes[0] & 0x7full) << shift;
	if (size == 2)
		value |= (uint64_t)bytes[1] << (7 + shift);
	etm->now.bits = (uint8_t)bits;
	if (etm->now.known < bits)
		etm->now.known = (uint8_t)bits;
	etm->now.value = (etm->now.value & ~mask) | value;
	remember_address(etm);
	return size;
}

static void match_address(struct pd_etm *etm, unsigned which)
{
	if (which < 3)
		etm->now = etm->last[which];
	remember_address(etm);
}

static void put_address(const struct pd_etm *etm, unsigned match, struct pd_packet *packet)
{
	packet->words[PD_ETM_VALUE] = etm->now.value;
	packet->words[PD_ETM_FORM] = etm->now.bits | (unsigned)etm->now.known << 8 | (unsigned)etm->now.wide << 16 |
				     match << 24;
}

static void q_packet(struct pd_etm *etm, struct pd_packet *packet)
{
	const unsigned form = etm->bytes[0] & 15;
	unsigned at = 1, match = 0;
	if (form < 3) {
		match = form;
		match_address(etm, form);
		packet->words[PD_ETM_HAS] |= PD_ETM_HAS_ADDRESS | PD_ETM_HAS_MATCH;
	} else if (form == 0x5 || form == 0x6) {
		at += short_address(etm, at, form == 0x6);
		packet->words[PD_ETM_HAS] |= PD_ETM_HAS_ADDRESS;
	} else if (form == 0xa || form == 0xb) {
		long_address(etm, at, 4, form == 0xb);
		at += 4;
		packet->words[PD_ETM_HAS] |= PD_ETM_HAS_ADDRESS;
	}
	if (form != 0xf) {
		packet->words[PD_ETM_COUNT] = number_at(etm, &at, 5);
		packet->words[PD_ETM_HAS] |= PD_ETM_HAS_COUNT;
	}
	put_address(etm, match, packet);
}

static void decode_exception(const struct pd_etm_setup *setup, struct pd_etm *etm, struct pd_packet *packet)
{
	const uint8_t byte = etm->bytes[1];
	unsigned type = byte >> 1 & 31;
	if (byte & 0x80)
		type |= (etm->bytes[2] & 31u) << 5;
	packet->words[PD_ETM_VALUE] = type;
	/* FORM is the meaning of the address after this packet */
	packet->words[PD_ETM_FORM] = (byte & 0x40) >> 5 | (byte & 1);
	if (setup->version < 0x50 || (type && type != 0x18))
		return;
	packet->kind = type ? PD_ETM_TRANS_FAIL : PD_ETM_PE_RESET;
	etm->now = (struct pd_etm_address){ .bits = 64, .known = 64, .wide = 1 };
	remember_address(etm);
}

/* Decodes a complete packet. */
static void decode_packet(const struct pd_etm_setup *setup, struct pd_etm *etm, struct pd_packet *packet)
{
	switch (etm->kind) {
	case PD_ETM_TRACE_INFO:
		trace_info(etm, packet);
		break;
	case PD_ETM_TIMESTAMP:
		decode_timestamp(setup, etm, packet);
		break;
	case PD_ETM_EXCEPT:
		decode_exception(setup, etm, packet);
		break;
	case PD_ETM_ITE:
		packet->words[PD_ETM_COUNT] = etm->bytes[1];
		packet->words[PD_ETM_VALUE] = little_of(&etm->bytes[2], 8);
		break;
	case PD_ETM_CCNT_F1: case PD_ETM_CCNT_F2: case PD_ETM_CCNT_F3:
		cycle_count(setup, etm, packet);
		break;
	case PD_ETM_COMMIT: case PD_ETM_CANCEL_F1: case PD_ETM_CANCEL_F1_MISPRED: case PD_ETM_MISPREDICT:
	case PD_ETM_CANCEL_F2: case PD_ETM_CANCEL_F3:
		decode_resolved(etm, packet);
		break;
	case PD_ETM_CTXT:
		if (etm->bytes[0] & 1)
			decode_context(setup, etm, 1, packet);
		etm->context_known = true;
		break;
	case PD_ETM_ADDR_CTXT_L_32IS0: case PD_ETM_ADDR_CTXT_L_32IS1: case PD_ETM_ADDR_CTXT_L_64IS0:
	case PD_ETM_ADDR_CTXT_L_64IS1: {
		const unsigned size = etm->kind < PD_ETM_ADDR_CTXT_L_64IS0 ? 4 : 8;
		long_address(etm, 1, size,
			     etm->kind == PD_ETM_ADDR_CTXT_L_32IS1 || etm->kind == PD_ETM_ADDR_CTXT_L_64IS1);
		put_address(etm, 0, packet);
		decode_context(setup, etm, 1 + size, packet);
		etm->context_known = true;
		break;
	}
	case PD_ETM_ADDR_MATCH: case PD_ETM_SRC_ADDR_MATCH:
		match_address(etm, etm->bytes[0] & 3);
		put_address(etm, etm->bytes[0] & 3, packet);
		break;
	case PD_ETM_ADDR_S_IS0: case PD_ETM_ADDR_S_IS1: case PD_ETM_SRC_ADDR_S_IS0: case PD_ETM_SRC_ADDR_S_IS1:
		(void)short_address(etm, 1, etm->kind == PD_ETM_ADDR_S_IS1 || etm->kind == PD_ETM_SRC_ADDR_S_IS1);
		put_address(etm, 0, packet);
		break;
	case PD_ETM_ADDR_L_32IS0: case PD_ETM_ADDR_L_32IS1: case PD_ETM_SRC_ADDR_L_32IS0: case PD_ETM_SRC_ADDR_L_32IS1:
		long_address(etm, 1, 4, etm->kind == PD_ETM_ADDR_L_32IS1 || etm->kind == PD_ETM_SRC_ADDR_L_32IS1);
		put_address(etm, 0, packet);
		break;
	case PD_ETM_ADDR_L_64IS0: case PD_ETM_ADDR_L_64IS1: case PD_ETM_SRC_ADDR_L_64IS0: case PD_ETM_SRC_ADDR_L_64IS1:
		long_address(etm, 1, 8, etm->kind == PD_ETM_ADDR_L_64IS1 || etm->kind == PD_ETM_SRC_ADDR_L_64IS1);
		put_address(etm, 0, packet);
		break;
	case PD_ETM_Q:
		q_packet(etm, packet);
		break;
	case PD_ETM_ATOM_F1: case PD_ETM_ATOM_F2: case PD_ETM_ATOM_F3: case PD_ETM_ATOM_F4: case PD_ETM_ATOM_F5:
	case PD_ETM_ATOM_F6:
		decode_atoms(etm, packet);
		break;
	case PD_ETM_EVENT:
		packet->words[PD_ETM_VALUE] = etm->bytes[0] & 15;
		break;
	case PD_ETM_NUM_DS_MKR: case PD_ETM_UNNUM_DS_MKR:
		packet->words[PD_ETM_VALUE] = etm->bytes[0] & 7;
		break;
	default:
		packet->words[PD_ETM_VALUE] = etm->bytes[0];
	}
}

/* --- bytes one by one --------------------------------------------------------------------------------------------- */

/* The meaning of the next byte. */
enum { HEADER, UNSYNCED, EXTENDED, ASYNC, FIELDS };

void pd_etm_reset(struct pd_etm *etm)
{
	/* the addresses stay, as in OpenCSD, but are marked as unknown */
	const struct pd_etm_address now = { .value = etm->now.value, .wide = etm->now.wide };
	struct pd_etm_address last[3];
	memcpy(last, etm->last, sizeof last);
	for (unsigned i = 0; i < 3; i++)
		if (!last[i].known)
			last[i] = (struct pd_etm_address){ .known = 64, .wide = 1 };
	*etm = (struct pd_etm){ .now = now, .context_64 = etm->context_64, .threshold = etm->threshold };
	memcpy(etm->last, last, sizeof last);
}

static bool end_packet(struct pd_etm *etm, uint8_t kind, uint64_t began_as, struct pd_packet *packet)
{
	*packet = (struct pd_packet){ .kind = kind, .size = etm->size, .line = etm->size };
	etm->ended = etm->place;
	packet->words[PD_ETM_INDEX] = etm->index;
	packet->words[PD_ETM_COUNT] = began_as;
	packet->words[PD_ETM_VALUE] = etm->bytes[0];
	etm->search = HEADER;
	etm->size = 0;
	return true;
}

/* Skips bytes without a packet: the bytes before the current one, or all. */
static void skip_bytes(struct pd_etm *etm, unsigned bytes, uint64_t index, uint64_t place)
{
	etm->passed = (uint8_t)bytes;
	etm->unsynced_pending = true;
	etm->next_index = index;
	etm->next_place = place;
}

static void search_sync(struct pd_etm *etm, uint8_t byte, uint64_t index, uint64_t place)
{
	etm->search = UNSYNCED;
	if (!byte) {
		if (etm->size > 1) {
			skip_bytes(etm, etm->size - 1, index, place);
		} else {
			etm->index = index;
			etm->place = place;
		}
		etm->search = EXTENDED;
	} else if (etm->size >= 8) {
		skip_bytes(etm, etm->size, index + 1, place + 1);
	}
}

/* Takes the byte after a zero byte. */
static bool begin_extended(struct pd_etm *etm, uint8_t byte, struct pd_packet *packet)
{
	if (!etm->synced && byte) {
		etm->search = UNSYNCED;
		return false;
	}
	switch (byte) {
	case 0:
		etm->search = ASYNC;
		return false;
	case 3:
		return end_packet(etm, PD_ETM_DISCARD, 0, packet);
	case 5:
		return end_packet(etm, PD_ETM_OVERFLOW, 0, packet);
	default:
		return end_packet(etm, PD_ETM_BAD_SEQUENCE, PD_ETM_EXTENSION, packet);
	}
}

/* Takes a byte after two zero bytes. An A-Sync packet has eleven, then 0x80. */
static bool begin_async(struct pd_etm *etm, uint8_t byte, struct pd_packet *packet)
{
	if (byte && !etm->synced && etm->size != 12) {
		etm->search = UNSYNCED;
		return false;
	}
	if (byte && etm->size == 12 && byte == 0x80) {
		etm->synced = true;
		return end_packet(etm, PD_ETM_ASYNC, 0, packet);
	}
	if (byte || (etm->size == 12 && etm->synced))
		return end_packet(etm, PD_ETM_BAD_SEQUENCE, PD_ETM_ASYNC, packet);
	if (etm->size == 12)
		skip_bytes(etm, 1, 0, 0);
	return false;
}

/* Takes the first byte of a packet. */
static bool begin_packet(const struct pd_etm_setup *setup, struct pd_etm *etm, uint8_t byte, struct pd_packet *packet)
{
	uint8_t would_be;
	etm->kind = kind_of(setup, byte, &would_be);
	etm->nr_fields = etm->field = 0;
	if (etm->kind <= PD_ETM_RESERVED_CFG)
		return end_packet(etm, etm->kind, would_be, packet);
	if (etm->kind == PD_ETM_EXTENSION) {
		etm->search = EXTENDED;
		return false;
	}
	expect_first(setup, etm, byte);
	etm->search = FIELDS;
	return !etm->nr_fields;
}

/* Reports the first run of skipped bytes as a packet. */
static bool report_unsynced(struct pd_etm *etm, struct pd_packet *packet)
{
	const bool first = !etm->unsynced_reported;
	const uint32_t size = etm->size, passed = etm->passed;
	etm->unsynced_pending = false;
	if (first) {
		const uint8_t searched = etm->search;
		etm->size = passed;
		end_packet(etm, PD_ETM_NOT_SYNC, 0, packet);
		etm->search = searched;
		etm->unsynced_reported = true;
	}
	etm->size = size > passed ? size - passed : 0;
	if (etm->next_index) {
		etm->index = etm->next_index;
		etm->place = etm->next_place;
	}
	etm->next_index = 0;
	return first;
}

bool pd_etm_feed(const struct pd_etm_setup *setup, struct pd_etm *etm, uint8_t byte, uint64_t index, uint64_t place,
		 bool *ret_taken, struct pd_packet *ret)
{
	bool whole;
	*ret_taken = false;
	if (etm->unsynced_pending && report_unsynced(etm, ret))
		return true;
	*ret_taken = true;
	if (etm->search == HEADER) {
		etm->index = index;
		etm->place = place;
	}
	if (etm->size < PD_ETM_ROOM)
		etm->bytes[etm->size] = byte;
	etm->size += etm->size < UINT32_MAX;
	switch (etm->search) {
	case HEADER:
		if (etm->synced) {
			whole = begin_packet(setup, etm, byte, ret);
			if (!whole || etm->search != FIELDS)
				return whole;
			break;
		}
		search_sync(etm, byte, index, place);
		return false;
	case UNSYNCED:
		search_sync(etm, byte, index, place);
		return false;
	case EXTENDED:
		return begin_extended(etm, byte, ret);
	case ASYNC:
		return begin_async(etm, byte, ret);
	default:
		if (!take_field(setup, etm, byte))
			return false;
	}
	const uint8_t kind = etm->kind;
	(void)end_packet(etm, kind, 0, ret);
	ret->words[PD_ETM_VALUE] = 0;
	ret->words[PD_ETM_HAS] = (setup->version >= 0x50 ? PD_ETM_IS_ETE : 0);
	decode_packet(setup, etm, ret);
	if (etm->context_known)
		ret->words[PD_ETM_HAS] |= PD_ETM_HAS_CONTEXT_BEFORE;
	return true;
}
