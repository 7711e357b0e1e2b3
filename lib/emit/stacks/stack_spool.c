/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "base/memory.h"
#include "emit/stacks/stack_spool.h"

#define PIECE ((size_t)256 << 10)
#define MOST_IN_MEMORY ((size_t)2 << 20)

static void write_out(struct stack_spool *spool)
{
	struct perfdata_text *text = &spool->text;
	spool->status = pd_spool_append(&spool->file, text->data, text->size);
	perfdata_text_clear(text);
}

static void leave(struct pd_outlet *outlet, struct perfdata_text *text)
{
	struct stack_spool *spool = (struct stack_spool *)(void *)outlet;
	if (spool->status != PERFDATA_OK)
		perfdata_text_clear(text);
	else if (spool->file.fd < 0 && text->full < MOST_IN_MEMORY && !pd_account_is_tight(spool->account))
		text->full *= 2;
	else if (!perfdata_text_failed(text))
		write_out(spool);
}

void pd_stack_spool_init(struct stack_spool *spool, struct pd_account *account)
{
	*spool = (struct stack_spool){ .outlet.leave = leave, .account = account };
	pd_spool_init(&spool->file, account ? account->tmpdir : NULL);
	perfdata_text_init(&spool->text);
	spool->text.outlet = &spool->outlet;
	spool->text.full = PIECE;
}

void pd_stack_spool_release(struct stack_spool *spool)
{
	pd_spool_release(&spool->file);
	perfdata_text_release(&spool->text);
}

void pd_stack_spool_clear(struct stack_spool *spool)
{
	pd_spool_clear(&spool->file);
	perfdata_text_clear(&spool->text);
}

enum perfdata_status pd_stack_spool_take(struct stack_spool *spool, uint64_t from, uint64_t to, pd_stack_spool_fn *take,
					 void *user)
{
	const uint64_t in_file = spool->file.size;
	char *piece = from < in_file ? pd_malloc(PIECE) : NULL;
	if ((from < in_file && !piece) || perfdata_text_failed(&spool->text))
		spool->status = PERFDATA_ENOMEM;
	while (from < to && from < in_file && spool->status == PERFDATA_OK) {
		const uint64_t end = to < in_file ? to : in_file;
		const size_t size = end - from < PIECE ? (size_t)(end - from) : PIECE;
		spool->status = pd_spool_read(&spool->file, from, piece, size);
		if (spool->status == PERFDATA_OK)
			take(user, piece, size);
		from += size;
	}
	if (from < to && spool->status == PERFDATA_OK)
		take(user, spool->text.data + (from - in_file), (size_t)(to - from));
	pd_free(piece);
	return spool->status;
}

static void append_bytes(void *user, const char *bytes, size_t size)
{
	perfdata_text_append(user, bytes, size);
	perfdata_text_cut(user);
}

enum perfdata_status pd_stack_spool_copy(struct stack_spool *spool, uint64_t from, uint64_t to,
					 struct perfdata_text *out)
{
	return pd_stack_spool_take(spool, from, to, append_bytes, out);
}
