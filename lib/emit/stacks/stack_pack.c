/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <string.h>
#include "base/error.h"
#include "base/memory.h"
#include "base/threads.h"
#include "emit/stacks/stack_pack.h"

#define PIECES 4u
#define PIECE_BYTES ((size_t)128 << 10)

/* The thread that compresses. The caller fills pieces of a ring, the thread packs them in order, and the caller appends
 * them to the output. Numbers of pieces only grow: written <= packed <= filled. */
struct stack_packing {
	struct pd_monitor *monitor;
	struct pd_team *team;
	struct pd_encoder *encoder;
	struct stack_piece {
		struct perfdata_text bytes, packed;
	} pieces[PIECES];
	uint64_t written;            /* the caller's; the monitor guards the others */
	uint64_t packed, filled;
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
	while (size && pack->nr_rest) {
		pack->rest[pack->nr_rest++] = *bytes++;
		size--;
		if (pack->nr_rest == 3) {
			pd_stack_text_base64(pack->out, pack->rest, 3);
			pack->nr_rest = 0;
		}
	}
	const size_t whole = size / 3 * 3;
	pd_stack_text_base64(pack->out, bytes, whole);
	for (size_t i = whole; i < size; i++)
		pack->rest[pack->nr_rest++] = bytes[i];
}

static void append_bytes(void *user, const uint8_t *bytes, size_t size)
{
	struct stack_pack *pack = user;
	put_bytes(pack, bytes, size);
	perfdata_text_cut(pack->out);
}

/* Compresses bytes, and passes the result to `put`. False after a failure. */
static bool run_codec(struct pd_encoder *encoder, const void *bytes, size_t size, bool finish,
		      void (*put)(void *user, const uint8_t *bytes, size_t size), void *user)
{
	uint8_t packed[16384];
	size_t used = 0;
	enum perfdata_status status = PERFDATA_OK;
	while (finish ? status != PERFDATA_END : used < size) {
		size_t made = 0;
		status = pd_encoder_run(encoder, bytes, size, &used, packed, sizeof packed, &made, finish);
		if (status != PERFDATA_OK && status != PERFDATA_END)
			return false;
		put(user, packed, made);
	}
	return true;
}

/* --- the other thread --------------------------------------------------------------------------------------------- */

static void append_packed(void *text, const uint8_t *bytes, size_t size) { perfdata_text_append(text, bytes, size); }

static bool pack_piece(const struct stack_packing *packing, struct stack_piece *piece)
{
	return !perfdata_text_failed(&piece->bytes) &&
	       run_codec(packing->encoder, piece->bytes.data, piece->bytes.size, false, append_packed,
			 &piece->packed) &&
	       !perfdata_text_failed(&piece->packed);
}

static void pack_pieces(void *user, unsigned thread)
{
	struct stack_packing *packing = user;
	(void)thread;
	pd_monitor_enter(packing->monitor);
	for (;;) {
		while (packing->packed == packing->filled && !packing->ended)
			pd_monitor_wait(packing->monitor);
		if (packing->packed == packing->filled)
			break;
		const bool failed = packing->failed;
		struct stack_piece *piece = &packing->pieces[packing->packed % PIECES];
		pd_monitor_leave(packing->monitor);
		const bool ok = !failed && pack_piece(packing, piece);
		pd_monitor_enter(packing->monitor);
		packing->failed |= !ok;
		packing->packed++;
		pd_monitor_wake(packing->monitor);
	}
	pd_monitor_leave(packing->monitor);
}

/* Appends the next piece to the output, once it is packed. */
static void write_piece(struct stack_pack *pack)
{
	struct stack_packing *packing = pack->packing;
	struct stack_piece *piece = &packing->pieces[packing->written % PIECES];
	pd_monitor_enter(packing->monitor);
	while (packing->packed == packing->written)
		pd_monitor_wait(packing->monitor);
	pack->failed |= packing->failed;
	pd_monitor_leave(packing->monitor);
	if (!pack->failed)
		append_bytes(pack, (const uint8_t *)piece->packed.data, piece->packed.size);
	perfdata_text_clear(&piece->bytes);
	perfdata_text_clear(&piece->packed);
	packing->written++;
}

/* Passes the piece that was filled to the thread, and makes room for the next piece. */
static void pass_piece(struct stack_pack *pack)
{
	struct stack_packing *packing = pack->packing;
	pd_monitor_enter(packing->monitor);
	const uint64_t filled = ++packing->filled;
	pd_monitor_wake(packing->monitor);
	pd_monitor_leave(packing->monitor);
	if (filled - packing->written == PIECES)
		write_piece(pack);
}

static void fill_piece(struct stack_pack *pack, const void *bytes, size_t size)
{
	struct stack_packing *packing = pack->packing;
	/* only this thread changes `filled` */
	struct perfdata_text *piece = &packing->pieces[packing->filled % PIECES].bytes;
	perfdata_text_append(piece, bytes, size);
	if (piece->size >= PIECE_BYTES || perfdata_text_failed(piece))
		pass_piece(pack);
}

static void free_packing(struct stack_packing *packing)
{
	for (unsigned i = 0; i < PIECES; i++) {
		perfdata_text_release(&packing->pieces[i].bytes);
		perfdata_text_release(&packing->pieces[i].packed);
	}
	pd_monitor_free(packing->monitor);
	pd_free(packing);
}

static void end_thread(struct stack_pack *pack)
{
	struct stack_packing *packing = pack->packing;
	pass_piece(pack);
	while (packing->written < packing->filled)
		write_piece(pack);
	pd_monitor_enter(packing->monitor);
	packing->ended = true;
	pd_monitor_wake(packing->monitor);
	pd_monitor_leave(packing->monitor);
	pd_team_join(packing->team);
	free_packing(packing);
	pack->packing = NULL;
}

/* Without memory or a thread, the caller compresses. */
static void begin_thread(struct stack_pack *pack)
{
	struct stack_packing *packing = pd_calloc(1, sizeof *packing);
	if (!packing)
		return;
	packing->encoder = pack->encoder;
	packing->monitor = pd_monitor_new();
	packing->team = packing->monitor ? pd_team_start(1, pack_pieces, packing) : NULL;
	if (packing->team)
		pack->packing = packing;
	else
		free_packing(packing);
}

/* --- packs -------------------------------------------------------------------------------------------------------- */

/* At zlib's default level, compression takes a third of a profile's time; at this level a twelfth, for 10 % more
 * bytes. */
enum { PACK_LEVEL = 1 };

enum perfdata_status pd_stack_pack_load(const struct perfdata_emit_context *context)
{
	struct pd_codec_reason reason;
	const enum perfdata_status status = pd_codec_load(PD_CODEC_GZIP, &reason);
	return status ? pd_error(context->reterr, status, PERFDATA_NO_OFFSET, "cannot be compressed: %s", reason.text)
		      : status;
}

bool pd_stack_pack_begin(struct stack_pack *pack, struct perfdata_text *out, bool base64, unsigned jobs)
{
	memset(pack, 0, sizeof *pack);
	pack->out = out;
	pack->base64 = base64;
	pack->encoder = pd_encoder_new(PD_CODEC_GZIP, PACK_LEVEL);
	if (pack->encoder && jobs > 1)
		begin_thread(pack);
	return pack->encoder;
}

void pd_stack_pack_write(struct stack_pack *pack, const void *bytes, size_t size)
{
	if (pack->packing)
		fill_piece(pack, bytes, size);
	else if (!pack->failed)
		pack->failed = !run_codec(pack->encoder, bytes, size, false, append_bytes, pack);
}

bool pd_stack_pack_end(struct stack_pack *pack)
{
	if (pack->packing)
		end_thread(pack);
	if (!pack->failed)
		pack->failed = !run_codec(pack->encoder, "", 0, true, append_bytes, pack);
	if (pack->nr_rest)
		pd_stack_text_base64(pack->out, pack->rest, pack->nr_rest);
	pd_encoder_free(pack->encoder);
	return !pack->failed && !perfdata_text_failed(pack->out);
}
