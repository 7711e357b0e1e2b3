/* SPDX-License-Identifier: MIT */
/* A section of a document that is generated before its predecessor: beyond a few megabytes it waits in a temporary
 * file. */
#ifndef PD_STACK_SPOOL_H
#define PD_STACK_SPOOL_H

#include "base/account.h"
#include "base/spool.h"
#include "text/outlet.h"

struct stack_spool {
	struct pd_outlet outlet;
	struct perfdata_text text;   /* callers append here; at each perfdata_text_cut it may go to the file */
	struct pd_account *account;  /* NULL: none */
	struct pd_spool file;
	enum perfdata_status status;
};

/* The caller does not move *spool until its release. */
void pd_stack_spool_init(struct stack_spool *spool, struct pd_account *account);
void pd_stack_spool_release(struct stack_spool *spool);
/* Drops the content. */
void pd_stack_spool_clear(struct stack_spool *spool);
/* Bytes that were appended. */
static inline uint64_t pd_stack_spool_size(const struct stack_spool *spool)
{
	return spool->file.size + spool->text.size;
}
/* Gives out the bytes from `from` to `to`, in pieces. PERFDATA_ENOMEM, PERFDATA_EWRITE, PERFDATA_EREAD. */
typedef void pd_stack_spool_fn(void *user, const char *bytes, size_t size);
enum perfdata_status pd_stack_spool_take(struct stack_spool *spool, uint64_t from, uint64_t to, pd_stack_spool_fn *take,
					 void *user);
/* Appends them to a text, which they may leave. */
enum perfdata_status pd_stack_spool_copy(struct stack_spool *spool, uint64_t from, uint64_t to,
					 struct perfdata_text *out);

#endif
