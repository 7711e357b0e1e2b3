/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <unistd.h>
#include "base/fdio.h"
#include "base/memory.h"
#include "emit/stacks/stack_spool.h"

#define PIECE ((size_t)256 << 10)
#define MOST_IN_MEMORY ((size_t)2 << 20)

static void write_out(struct stack_spool *spool)
{
	struct perfdata_text *text = &spool->text;
	if (spool->fd < 0)
		spool->fd = pd_tempfile(spool->account ? spool->account->tmpdir : NULL);
	if (spool->fd < 0 || lseek(spool->fd, (off_t)spool->size, SEEK_SET) < 0 ||
	    pd_write_full(spool->fd, text->data, text->size) < 0)
		spool->status = PERFDATA_EWRITE;
	spool->size += text->size;
	perfdata_text_clear(text);
}

static void leave(struct pd_outlet *outlet, struct perfdata_text *text)
{
	struct stack_spool *spool = (struct stack_spool *)(void *)outlet;
	if (spool->status != PERFDATA_OK)
		perfdata_text_clear(text);
	else if (spool->fd < 0 && text->full < MOST_IN_MEMORY && !pd_account_is_tight(spool->account))
		text->full *= 2;
	else if (!perfdata_text_failed(text))
		write_out(spool);
}

void pd_stack_spool_init(struct stack_spool *spool, struct pd_account *account)
{
	*spool = (struct stack_spool){ .outlet.leave = leave, .account = account, .fd = -1 };
	perfdata_text_init(&spool->text);
	spool->text.outlet = &spool->outlet;
	spool->text.full = PIECE;
}

void pd_stack_spool_release(struct stack_spool *spool)
{
	if (spool->fd >= 0)
		close(spool->fd);
	spool->fd = -1;
	perfdata_text_release(&spool->text);
}

void pd_stack_spool_clear(struct stack_spool *spool)
{
	spool->size = 0;
	perfdata_text_clear(&spool->text);
}

enum perfdata_status pd_stack_spool_take(struct stack_spool *spool, uint64_t from, uint64_t to, pd_stack_spool_fn *take,
					 void *user)
{
	char *piece = from < spool->size ? pd_malloc(PIECE) : NULL;
	if ((from < spool->size && !piece) || perfdata_text_failed(&spool->text))
		spool->status = PERFDATA_ENOMEM;
	while (from < to && from < spool->size && spool->status == PERFDATA_OK) {
		const uint64_t end = to < spool->size ? to : spool->size;
		const size_t size = end - from < PIECE ? (size_t)(end - from) : PIECE;
		if (pd_pread_full(spool->fd, piece, size, from) != (int64_t)size) {
			spool->status = PERFDATA_EREAD;
			break;
		}
		take(user, piece, size);
		from += size;
	}
	if (from < to && spool->status == PERFDATA_OK)
		take(user, spool->text.data + (from - spool->size), (size_t)(to - from));
	pd_free(piece);
	return spool->status;
}

static void append(void *user, const char *bytes, size_t size)
{
	perfdata_text_append(user, bytes, size);
	perfdata_text_cut(user);
}

enum perfdata_status pd_stack_spool_copy(struct stack_spool *spool, uint64_t from, uint64_t to,
					 struct perfdata_text *out)
{
	return pd_stack_spool_take(spool, from, to, append, out);
}
