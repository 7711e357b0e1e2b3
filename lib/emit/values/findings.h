/* SPDX-License-Identifier: MIT */
/* Findings of formatting: format collects them in the batch's part, merge reports them in order. */
#ifndef EMIT_FINDINGS_H
#define EMIT_FINDINGS_H

#include "perfdata/emit.h"

struct found_batch;
/* `file` must live as long as the reader, like names of pd_reader_file_name. False without memory. */
bool pd_found_add(struct found_batch **found, enum perfdata_finding_code code, const char *file,
		  const struct perfdata_raw *raw, const char *message);
/* Calls on_finding (may be NULL) for each finding, then frees them. */
void pd_found_report(struct found_batch *found, perfdata_finding_fn *on_finding, void *user);

#endif
