/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <string.h>
#include "base/error.h"
#include "base/memory.h"
#include "base/threads.h"
#include "emit/stacks/stack_pack.h"

/* At zlib's default level, compression takes a third of a profile's time; at this level a twelfth, for 10 % more
 * bytes. */
enum { PACK_LEVEL = 1 };

/* The output is compressed in pieces of this size, by all threads. Each piece may refer to the end of the piece before
 * it, so the output does not grow. */
#define PIECE_BYTES ((size_t)128 << 10)
/* Emitters make bytes at about a third of the speed at which one thread compresses them. */
#define MOST_THREADS 4u

struct stack_piece {
	struct perfdata_text bytes;  /* the end of the piece before, then this piece */
	size_t nr_before;            /* number of bytes of the piece before */
	struct perfdata_text packed;
	bool is_last, is_packed;
};

/* The caller fills pieces of a ring. Threads pack them, also the caller once the ring is full, which then appends them
 * to the output in order. Numbers of pieces only grow: written <= taken <= filled. */
struct stack_packing {
	struct pd_monitor *monitor;
	struct pd_team *team;
	struct pd_encoder *encoders[MOST_THREADS];   /* the caller's, then those of the team's threads */
	unsigned nr_encoders;
	struct stack_piece pieces[2 * MOST_THREADS];
	unsigned nr_pieces;
	uint64_t written;            /* the caller's; the monitor guards the others, and is_packed of pieces */
	uint64_t taken, filled;
	bool ended;                  /* no more pieces will be filled */
	bool failed;
};

static void pack_group(char *at, const uint8_t *bytes, size_t size)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const uint32_t bits = (uint32_t)bytes[0] << 16 | (uint32_t)(size > 1 ? bytes[1] : 0) << 8 |
			      (size > 2 ? bytes[2] : 0);
	at[0] = digits[bits >> 18];
	at[1] = digits[bits >> 12 & 63];
	at[2] = size > 1 ? digits[bits >> 6 & 63] : '=';
	at[3] = size > 2 ? digits[bits & 63] : '=';
}

void pd_stack_text_base64(struct perfdata_text *out, const uint8_t *bytes, size_t size)
{
	char *at = perfdata_text_reserve(out, (size + 2) / 3 * 4);
	if (!at)
		return;
	for (size_t i = 0; i < size; i += 3, at += 4)
		pack_group(at, bytes + i, size - i < 3 ? size - i : 3);
	perfdata_text_commit(out, at);
}

static void put_bytes(struct stack_pack *pack, const uint8_t *bytes, size_t size)
{
	if (!pack->base64) {
		perfdata_text_append(pack->out, bytes, size);
		return;
	}
	for (; size && pack->nr_rest && pack->nr_rest < sizeof pack->rest; size--)
		pack->rest[pack->nr_rest++] = *bytes++;
	if (pack->nr_rest == sizeof pack->rest) {
		pd_stack_text_base64(pack->out, pack->rest, sizeof pack->rest);
		pack->nr_rest = 0;
	}
	if (!size)
		return;
	const size_t rest = size % 3, whole = size - rest;
	pd_stack_text_base64(pack->out, bytes, whole);
	memcpy(pack->rest, bytes + whole, rest);
	pack->nr_rest = rest;
}

/* --- pieces ------------------------------------------------------------------------------------------------------- */

/* Compresses a piece. False after a failure. */
static bool pack_piece(struct pd_encoder *encoder, struct stack_piece *piece)
{
	const uint8_t *bytes = (const uint8_t *)piece->bytes.data;
	size_t used = piece->nr_before, made = 0;
	perfdata_text_clear(&piece->packed);
	char *at = perfdata_text_reserve(&piece->packed, PD_GZIP_PIECE_ROOM(PIECE_BYTES));
	if (!at)
		return false;
	pd_gzip_piece_begin(encoder, bytes, piece->nr_before, piece->is_last);
	const enum perfdata_status status = pd_encoder_run(encoder, bytes, piece->bytes.size, &used, (uint8_t *)at,
							   PD_GZIP_PIECE_ROOM(PIECE_BYTES), &made, true);
	perfdata_text_commit(&piece->packed, at + made);
	return status == PERFDATA_END;
}

/* Packs the next piece that was filled. To be called, and returns, inside the monitor. */
static void pack_next(struct stack_packing *packing, struct pd_encoder *encoder)
{
	const bool failed = packing->failed;
	struct stack_piece *piece = &packing->pieces[packing->taken++ % packing->nr_pieces];
	pd_monitor_leave(packing->monitor);
	const bool ok = !failed && pack_piece(encoder, piece);
	pd_monitor_enter(packing->monitor);
	packing->failed |= !ok;
	piece->is_packed = true;
	pd_monitor_wake(packing->monitor);
}

static void pack_pieces(void *user, unsigned thread)
{
	struct stack_packing *packing = user;
	pd_monitor_enter(packing->monitor);
	while (packing->taken < packing->filled || !packing->ended)
		if (packing->taken < packing->filled)
			pack_next(packing, packing->encoders[1 + thread]);
		else
			pd_monitor_wait(packing->monitor);
	pd_monitor_leave(packing->monitor);
}

/* Appends the next piece to the output. If no thread has begun to pack it, the caller does. */
static void write_piece(struct stack_pack *pack)
{
	struct stack_packing *packing = pack->packing;
	struct stack_piece *piece = &packing->pieces[packing->written % packing->nr_pieces];
	pd_monitor_enter(packing->monitor);
	while (!piece->is_packed)
		if (packing->taken < packing->filled)
			pack_next(packing, packing->encoders[0]);
		else
			pd_monitor_wait(packing->monitor);
	pack->failed |= packing->failed;
	pd_monitor_leave(packing->monitor);
	if (!pack->failed)
		put_bytes(pack, (const uint8_t *)piece->packed.data, piece->packed.size);
	perfdata_text_cut(pack->out);
	packing->written++;
}

/* The piece that the caller fills. Only the caller changes `filled`. */
static struct stack_piece *open_piece(struct stack_packing *packing)
{
	return &packing->pieces[packing->filled % packing->nr_pieces];
}

/* Begins the next piece with the end of the piece before it. */
static void begin_piece(struct stack_packing *packing, const struct perfdata_text *before)
{
	struct stack_piece *piece = open_piece(packing);
	piece->is_packed = false;
	piece->nr_before = before->size < PD_GZIP_PIECE_REACH ? before->size : PD_GZIP_PIECE_REACH;
	perfdata_text_clear(&piece->bytes);
	perfdata_text_append(&piece->bytes, before->data + (before->size - piece->nr_before), piece->nr_before);
}

/* Passes the piece that was filled to the threads, and makes room for the next piece. */
static void pass_piece(struct stack_pack *pack, bool is_last)
{
	struct stack_packing *packing = pack->packing;
	struct stack_piece *piece = open_piece(packing);
	pack->failed |= perfdata_text_failed(&piece->bytes);
	piece->is_last = is_last;
	pd_monitor_enter(packing->monitor);
	packing->failed |= pack->failed;
	const uint64_t filled = ++packing->filled;
	packing->ended = is_last;
	pd_monitor_wake(packing->monitor);
	pd_monitor_leave(packing->monitor);
	if (filled - packing->written == packing->nr_pieces)
		write_piece(pack);
	if (!is_last)
		begin_piece(packing, &piece->bytes);
}

static void free_packing(struct stack_packing *packing)
{
	for (unsigned i = 0; i < packing->nr_pieces; i++) {
		perfdata_text_release(&packing->pieces[i].bytes);
		perfdata_text_release(&packing->pieces[i].packed);
	}
	for (unsigned i = 0; i < packing->nr_encoders; i++)
		pd_encoder_free(packing->encoders[i]);
	pd_monitor_free(packing->monitor);
	pd_free(packing);
}

/* Without memory for further encoders, or without threads, fewer threads pack. NULL without memory for the caller's
 * own encoder. */
static struct stack_packing *new_packing(unsigned threads)
{
	struct stack_packing *packing = pd_calloc(1, sizeof *packing);
	if (!packing)
		return NULL;
	packing->monitor = pd_monitor_new();
	while (packing->nr_encoders < threads && packing->nr_encoders < MOST_THREADS &&
	       (packing->encoders[packing->nr_encoders] = pd_gzip_piece_encoder_new(PACK_LEVEL)))
		packing->nr_encoders++;
	packing->nr_pieces = 2 * packing->nr_encoders;
	if (packing->monitor && packing->nr_encoders) {
		packing->team = pd_team_start(packing->nr_encoders - 1, pack_pieces, packing);
		return packing;
	}
	free_packing(packing);
	return NULL;
}

/* --- packs -------------------------------------------------------------------------------------------------------- */

enum perfdata_status pd_stack_pack_load(const struct perfdata_emit_context *context)
{
	struct pd_codec_reason reason;
	const enum perfdata_status status = pd_codec_load(PD_CODEC_GZIP, &reason);
	return status ? pd_error(context->reterr, status, PERFDATA_NO_OFFSET, "cannot be compressed: %s", reason.text)
		      : status;
}

bool pd_stack_pack_begin(struct stack_pack *pack, struct perfdata_text *out, bool base64, unsigned threads)
{
	uint8_t head[PD_GZIP_HEAD];
	memset(pack, 0, sizeof *pack);
	pack->out = out;
	pack->base64 = base64;
	pack->packing = new_packing(threads ? threads : 1);
	pd_gzip_head(head, PACK_LEVEL);
	put_bytes(pack, head, sizeof head);
	return pack->packing;
}

void pd_stack_pack_write(struct stack_pack *pack, const void *bytes, size_t size)
{
	const char *at = bytes;
	pack->checksum = pd_gzip_checksum(pack->checksum, bytes, size);
	pack->size += size;
	while (size && !pack->failed) {
		struct stack_piece *piece = open_piece(pack->packing);
		const size_t left = PIECE_BYTES - (piece->bytes.size - piece->nr_before);
		const size_t more = size < left ? size : left;
		perfdata_text_append(&piece->bytes, at, more);
		if (more == left || perfdata_text_failed(&piece->bytes))
			pass_piece(pack, false);
		at += more;
		size -= more;
	}
}

bool pd_stack_pack_end(struct stack_pack *pack)
{
	struct stack_packing *packing = pack->packing;
	uint8_t tail[PD_GZIP_TAIL];
	pass_piece(pack, true);
	while (packing->written < packing->filled)
		write_piece(pack);
	pd_team_join(packing->team);
	free_packing(packing);
	pd_gzip_tail(tail, pack->checksum, pack->size);
	put_bytes(pack, tail, sizeof tail);
	if (pack->nr_rest)
		pd_stack_text_base64(pack->out, pack->rest, pack->nr_rest);
	return !pack->failed && !perfdata_text_failed(pack->out);
}
