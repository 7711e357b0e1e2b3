/* SPDX-License-Identifier: MIT */
/* Findings of formatting: collected with a batch, reported by merge in order. */
#ifndef EMIT_FINDINGS_H
#define EMIT_FINDINGS_H

#include "perfdata/emit.h"

struct found_batch;
/* The file must live as long as the reader, which has its name. False without memory. */
bool pd_found_add(struct found_batch **found, enum perfdata_finding_code code, const char *file,
		  const struct perfdata_raw *raw, const char *message);
/* Calls on_finding for each (NULL: for none) and frees. */
void pd_found_report(struct found_batch *found, perfdata_finding_fn *on_finding, void *user);

#endif
