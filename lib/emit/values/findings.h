/* SPDX-License-Identifier: MIT */
/* Findings of formatting: format collects them with a batch, merge reports them in order. */
#ifndef EMIT_FINDINGS_H
#define EMIT_FINDINGS_H

#include "perfdata/emit.h"

struct found_batch;
/* `file` must live as long as the reader, as names from pd_reader_file_name do. False without memory. */
bool pd_found_add(struct found_batch **found, enum perfdata_finding_code code, const char *file,
		  const struct perfdata_raw *raw, const char *message);
/* Calls on_finding for each finding (NULL: for none), then frees them. */
void pd_found_report(struct found_batch *found, perfdata_finding_fn *on_finding, void *user);

#endif
