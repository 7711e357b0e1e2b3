/* SPDX-License-Identifier: MIT */
/* Loads the symbols of a session's files in a thread of its own, while others read samples and add them up: a thread
 * that loaded them in between would hold up its batch, and with it all batches behind. */
#ifndef PD_NAME_LOADER_H
#define PD_NAME_LOADER_H

#include <stdbool.h>

struct perfdata_session;
struct pd_name_loader;

/* NULL without memory. */
struct pd_name_loader *pd_name_loader_new(const struct perfdata_session *session);
/* Before the first wake. lines: debug information is opened, too. threads: how many may load at the end; with one
 * thread, that one loads. The most of what was asked for counts. */
void pd_name_loader_ask(struct pd_name_loader *loader, bool lines, unsigned threads);
void pd_name_loader_free(struct pd_name_loader *loader);   /* NULL is fine */
/* Frames may have been found in more files. Any thread. */
void pd_name_loader_wake(struct pd_name_loader *loader);
/* Loads with all threads what is left, and returns when all is loaded. */
void pd_name_loader_finish(struct pd_name_loader *loader);

#endif
