/* SPDX-License-Identifier: MIT */
/* Loads the symbols of a session's files in a thread of its own, while workers read samples and add them up. A worker
 * that loaded symbols would delay its batch, and with it all later batches. */
#ifndef PD_NAME_LOADER_H
#define PD_NAME_LOADER_H

#include <stdbool.h>

struct perfdata_session;
struct pd_name_loader;

void pd_name_loader_free(struct pd_name_loader *loader);   /* NULL is fine */

#endif
