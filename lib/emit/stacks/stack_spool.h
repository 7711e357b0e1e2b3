/* SPDX-License-Identifier: MIT */
/* A section of a document that is generated before its predecessor. Beyond a few megabytes it waits in a temporary
 * file. */
#ifndef PD_STACK_SPOOL_H
#define PD_STACK_SPOOL_H

#include "base/account.h"
#include "base/spool.h"
#include "text/outlet.h"

struct stack_spool {
	struct pd_outlet outlet;
	struct perfdata_text text;   /* append here; perfdata_text_cut may move the text to the file */
	struct pd_account *account;  /* NULL: none */
	struct pd_spool file;
	enum perfdata_status status;
};

/* *spool must stay at its address until pd_stack_spool_release. */
void pd_stack_spool_init(struct stack_spool *spool, struct pd_account *account);
void pd_stack_spool_release(struct stack_spool *spool);
/* Empties the spool. */
void pd_stack_spool_clear(struct stack_spool *spool);
/* Number of appended bytes. */
static inline uint64_t pd_stack_spool_size(const struct stack_spool *spool)
{
	return spool->file.size + spool->text.size;
}
/* Passes the bytes from offset `from` to `to`, in pieces. PERFDATA_ENOMEM, PERFDATA_EWRITE, PERFDATA_EREAD. */
typedef void pd_stack_spool_fn(void *user, const char *bytes, size_t size);
enum perfdata_status pd_stack_spool_take(struct stack_spool *spool, uint64_t from, uint64_t to, pd_stack_spool_fn *take,
					 void *user);
/* Appends the bytes from offset `from` to `to` to a text, and calls perfdata_text_cut. */
enum perfdata_status pd_stack_spool_copy(struct stack_spool *spool, uint64_t from, uint64_t to,
					 struct perfdata_text *out);

#endif
