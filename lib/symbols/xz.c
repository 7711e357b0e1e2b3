/* Unpacks .xz (https://tukaani.org/xz/xz-file-format.txt): blocks with the LZMA2 filter, as kernel modules and
 * .gnu_debugdata have them. The result grows with what was really unpacked, up to a limit; checksums are not looked
 * at, since what comes out is read as untrusted anyway. Match and literal coding: see the LZMA SDK's lzma-specification. */
#include "config.h"
#include <string.h>
#include "base/cursor.h"
#include "base/memory.h"
#include "symbols/symbols.h"

#define PROB_INIT 1024
#define STATES 12
#define MAX_POS 16

typedef uint16_t prob;

struct length_coder {
	prob choice, choice2, low[MAX_POS][8], mid[MAX_POS][8], high[256];
};

struct xz {
	struct pd_cursor in;
	uint8_t *out;
	size_t used, room, limit;
	size_t dictionary_start;  /* matches do not reach before it */
	enum perfdata_status status;
	/* the range decoder */
	uint32_t range, code;
	/* LZMA */
	unsigned lc, lp, pb, state;
	uint32_t rep[4];
	bool has_properties, has_state;
	prob is_match[STATES][MAX_POS], is_rep[STATES], is_rep0[STATES], is_rep1[STATES], is_rep2[STATES];
	prob is_rep0_long[STATES][MAX_POS], slot[4][64], special[128], align[16];
	struct length_coder length, rep_length;
	prob literal[0x300 << 4];  /* lc + lp <= 4 in LZMA2 */
};

static void fail(struct xz *x, enum perfdata_status status)
{
	if (!x->status)
		x->status = status;
}

static bool make_room(struct xz *x, size_t size)
{
	if (size > x->limit - x->used) {
		fail(x, PERFDATA_ELIMIT);
		return false;
	}
	while (x->room - x->used < size) {
		size_t room = x->room ? 2 * x->room : (size_t)1 << 16;
		uint8_t *out = pd_realloc(x->out, room);
		if (!out) {
			fail(x, PERFDATA_ENOMEM);
			return false;
		}
		x->out = out;
		x->room = room;
	}
	return true;
}

/* --- range decoder ------------------------------------------------------------------------------------------------- */

static void normalize(struct xz *x)
{
	if (x->range < 1u << 24) {
		x->range <<= 8;
		x->code = x->code << 8 | pd_u8(&x->in);
	}
}

static unsigned bit(struct xz *x, prob *p)
{
	normalize(x);
	uint32_t bound = (x->range >> 11) * *p;
	if (x->code < bound) {
		x->range = bound;
		*p = (prob)(*p + ((2048 - *p) >> 5));
		return 0;
	}
	x->range -= bound;
	x->code -= bound;
	*p = (prob)(*p - (*p >> 5));
	return 1;
}

static uint32_t direct_bits(struct xz *x, unsigned count)
{
	uint32_t value = 0;
	while (count--) {
		normalize(x);
		x->range >>= 1;
		uint32_t one = x->code >= x->range;
		x->code -= one ? x->range : 0;
		value = value << 1 | one;
	}
	return value;
}

static uint32_t tree(struct xz *x, prob *probs, unsigned bits)
{
	uint32_t at = 1;
	for (unsigned i = 0; i < bits; i++)
		at = at << 1 | bit(x, &probs[at]);
	return at - (1u << bits);
}

static uint32_t reverse_tree(struct xz *x, prob *probs, unsigned bits)
{
	uint32_t at = 1, value = 0;
	for (unsigned i = 0; i < bits; i++) {
		unsigned b = bit(x, &probs[at]);
		at = at << 1 | b;
		value |= b << i;
	}
	return value;
}

/* --- LZMA ---------------------------------------------------------------------------------------------------------- */

static void fill(prob *probs, size_t count)
{
	for (size_t i = 0; i < count; i++)
		probs[i] = PROB_INIT;
}

static void reset_length(struct length_coder *l)
{
	l->choice = l->choice2 = PROB_INIT;
	fill(&l->low[0][0], sizeof l->low / sizeof(prob));
	fill(&l->mid[0][0], sizeof l->mid / sizeof(prob));
	fill(l->high, 256);
}

static void reset_state(struct xz *x)
{
	x->state = 0;
	memset(x->rep, 0, sizeof x->rep);
	fill(&x->is_match[0][0], sizeof x->is_match / sizeof(prob));
	fill(x->is_rep, STATES);
	fill(x->is_rep0, STATES);
	fill(x->is_rep1, STATES);
	fill(x->is_rep2, STATES);
	fill(&x->is_rep0_long[0][0], sizeof x->is_rep0_long / sizeof(prob));
	fill(&x->slot[0][0], sizeof x->slot / sizeof(prob));
	fill(x->special, 128);
	fill(x->align, 16);
	fill(x->literal, (size_t)0x300 << (x->lc + x->lp));
	reset_length(&x->length);
	reset_length(&x->rep_length);
	x->has_state = true;
}

static uint8_t byte_back(const struct xz *x, uint32_t distance) { return x->out[x->used - distance - 1]; }

static void literal(struct xz *x)
{
	size_t position = x->used - x->dictionary_start;
	uint8_t before = position ? byte_back(x, 0) : 0;
	size_t context = ((position & ((1u << x->lp) - 1)) << x->lc) + (size_t)(before >> (8 - x->lc));
	prob *probs = x->literal + 0x300 * context;
	uint32_t symbol = 1;
	if (x->state >= 7) {
		unsigned match = byte_back(x, x->rep[0]);
		while (symbol < 0x100) {
			unsigned match_bit = match >> 7 & 1, b = bit(x, &probs[((1 + match_bit) << 8) + symbol]);
			match <<= 1;
			symbol = symbol << 1 | b;
			if (match_bit != b)
				break;
		}
	}
	while (symbol < 0x100)
		symbol = symbol << 1 | bit(x, &probs[symbol]);
	x->out[x->used++] = (uint8_t)symbol;
	x->state = x->state < 4 ? 0 : x->state < 10 ? x->state - 3 : x->state - 6;
}

static uint32_t match_length(struct xz *x, struct length_coder *l, size_t position)
{
	if (!bit(x, &l->choice))
		return 2 + tree(x, l->low[position], 3);
	if (!bit(x, &l->choice2))
		return 10 + tree(x, l->mid[position], 3);
	return 18 + tree(x, l->high, 8);
}

static uint32_t match_distance(struct xz *x, uint32_t length)
{
	uint32_t state = length < 6 ? length - 2 : 3, slot = tree(x, x->slot[state], 6);
	if (slot < 4)
		return slot;
	unsigned bits = (slot >> 1) - 1;
	uint32_t distance = (2 | (slot & 1)) << bits;
	if (slot < 14)
		return distance + reverse_tree(x, x->special + distance - slot, bits);
	distance += direct_bits(x, bits - 4) << 4;
	return distance + reverse_tree(x, x->align, 4);
}

/* Takes a distance used before to the front; false: a single byte was meant. */
static bool repeated(struct xz *x, size_t position)
{
	unsigned which = 0;
	if (!bit(x, &x->is_rep0[x->state]))
		return bit(x, &x->is_rep0_long[x->state][position]);
	which = !bit(x, &x->is_rep1[x->state]) ? 1 : !bit(x, &x->is_rep2[x->state]) ? 2 : 3;
	uint32_t distance = x->rep[which];
	for (; which; which--)
		x->rep[which] = x->rep[which - 1];
	x->rep[0] = distance;
	return true;
}

static void match(struct xz *x, size_t position, size_t end)
{
	uint32_t length = 1;
	if (!bit(x, &x->is_rep[x->state])) {
		memmove(x->rep + 1, x->rep, 3 * sizeof *x->rep);
		length = match_length(x, &x->length, position);
		x->rep[0] = match_distance(x, length);
		x->state = x->state < 7 ? 7 : 10;
	} else if (repeated(x, position)) {
		length = match_length(x, &x->rep_length, position);
		x->state = x->state < 7 ? 8 : 11;
	} else {
		x->state = x->state < 7 ? 9 : 11;
	}
	if (x->rep[0] >= x->used - x->dictionary_start || length > end - x->used) {
		fail(x, PERFDATA_EFORMAT);
		return;
	}
	for (uint8_t b; length; length--) {
		b = byte_back(x, x->rep[0]);
		x->out[x->used++] = b;
	}
}

/* A chunk of LZMA2: `unpacked` bytes come out of `packed` bytes. */
static void lzma_chunk(struct xz *x, size_t unpacked, size_t packed)
{
	const uint8_t *bytes = pd_take(&x->in, packed);
	struct pd_cursor after = x->in;
	if (!bytes || packed < 5 || !make_room(x, unpacked)) {
		fail(x, PERFDATA_EFORMAT);
		return;
	}
	x->in = pd_cursor(bytes, packed, false);
	pd_u8(&x->in);
	x->range = UINT32_MAX;
	x->code = 0;
	for (int i = 0; i < 4; i++)
		x->code = x->code << 8 | pd_u8(&x->in);
	size_t end = x->used + unpacked;
	while (x->used < end && !x->status && !x->in.failed) {
		size_t position = (x->used - x->dictionary_start) & ((1u << x->pb) - 1);
		if (!bit(x, &x->is_match[x->state][position]))
			literal(x);
		else
			match(x, position, end);
	}
	if (x->in.failed)
		fail(x, PERFDATA_EFORMAT);
	x->in = after;
}

static void set_properties(struct xz *x, unsigned byte)
{
	x->lc = byte % 9;
	x->lp = byte / 9 % 5;
	x->pb = byte / 45;
	x->has_properties = x->pb <= 4 && x->lc + x->lp <= 4;
	if (!x->has_properties)
		fail(x, PERFDATA_EFORMAT);
}

/* One chunk; false behind the last. */
static bool lzma2_chunk(struct xz *x, bool *dictionary)
{
	unsigned control = pd_u8(&x->in);
	if (!control || x->in.failed)
		return false;
	if (control == 1 || control >= 0xe0) {
		x->dictionary_start = x->used;
		*dictionary = true;
	} else if (!*dictionary) {
		fail(x, PERFDATA_EFORMAT);
		return false;
	}
	size_t unpacked = (size_t)pd_u8(&x->in) << 8;
	unpacked = (unpacked | pd_u8(&x->in)) + 1;
	if (control < 0x80) {
		const uint8_t *plain = control <= 2 ? pd_take(&x->in, unpacked) : NULL;
		if (!plain)
			fail(x, PERFDATA_EFORMAT);
		else if (make_room(x, unpacked)) {
			memcpy(x->out + x->used, plain, unpacked);
			x->used += unpacked;
		}
		return !x->status;
	}
	unpacked += (size_t)(control & 0x1f) << 16;
	size_t packed = (size_t)pd_u8(&x->in) << 8;
	packed = (packed | pd_u8(&x->in)) + 1;
	if (control >= 0xc0)
		set_properties(x, pd_u8(&x->in));
	if (control >= 0xa0 && x->has_properties)
		reset_state(x);
	if (!x->has_properties || !x->has_state)
		fail(x, PERFDATA_EFORMAT);
	if (!x->status)
		lzma_chunk(x, unpacked, packed);
	return !x->status;
}

/* --- container ------------------------------------------------------------------------------------------------------ */

static uint64_t variable_length(struct pd_cursor *c)
{
	uint64_t value = 0;
	for (unsigned shift = 0; shift < 63; shift += 7) {
		uint8_t b = pd_u8(c);
		value |= (uint64_t)(b & 0x7f) << shift;
		if (!(b & 0x80))
			return value;
	}
	c->failed = true;
	return 0;
}

/* Only the one filter LZMA2 (id 0x21) without another before it. */
static bool is_lzma2_block(struct pd_cursor header)
{
	uint8_t flags = pd_u8(&header);
	if (flags & 0x40)
		variable_length(&header);
	if (flags & 0x80)
		variable_length(&header);
	return !(flags & 3) && variable_length(&header) == 0x21 && !header.failed;
}

static void stream(struct xz *x)
{
	static const uint8_t magic[] = { 0xfd, '7', 'z', 'X', 'Z', 0 };
	static const uint8_t check_sizes[] = { 0, 4, 8, 16, 32, 64 };
	const uint8_t *start = pd_take(&x->in, 12);
	if (!start || memcmp(start, magic, sizeof magic)) {
		fail(x, PERFDATA_EFORMAT);
		return;
	}
	unsigned check = start[7] & 15, check_size = check ? check_sizes[(check + 2) / 3] : 0;
	while (!x->status && pd_left(&x->in) && *x->in.at) {
		size_t header_size = ((size_t)*x->in.at + 1) * 4;
		const uint8_t *header = pd_take(&x->in, header_size);
		if (!header || !is_lzma2_block(pd_cursor(header + 1, header_size - 1, false))) {
			fail(x, PERFDATA_EFORMAT);
			return;
		}
		const uint8_t *block = x->in.at;
		bool dictionary = false;
		while (lzma2_chunk(x, &dictionary))
			;
		size_t size = (size_t)(x->in.at - block);
		pd_take(&x->in, (-size & 3) + check_size);
		if (x->in.failed)
			fail(x, PERFDATA_EFORMAT);
	}
}

enum perfdata_status pd_xz_unpack(const void *packed, size_t size, size_t limit, char **ret, size_t *ret_size)
{
	struct xz *x = pd_calloc(1, sizeof *x);
	if (!x)
		return PERFDATA_ENOMEM;
	x->in = pd_cursor(packed, size, false);
	x->limit = limit;
	stream(x);
	enum perfdata_status status = x->status;
	if (!status && !x->out)
		status = PERFDATA_EFORMAT;
	if (status) {
		pd_free(x->out);
	} else {
		*ret = (char *)x->out;
		*ret_size = x->used;
	}
	pd_free(x);
	return status;
}
