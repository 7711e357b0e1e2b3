/* SPDX-License-Identifier: MIT */
/* Samples with stacks for Perfetto. The packet that first uses a string, mapping, frame or stack defines it. Each event
 * is a separate sequence of packets, with its own ids. */
#ifndef PD_PERFETTO_STACKS_H
#define PD_PERFETTO_STACKS_H

#include "emit/timelines/perfetto_parts.h"
#include "emit/stacks/stack_choice.h"

struct perfetto_stacks;
/* Borrows its arguments. choice: which stacks to write, NULL: all. NULL without memory. */
struct perfetto_stacks *pd_perfetto_stacks_new(const struct perfdata_reader *reader,
					       const struct perfdata_session *session,
					       const struct stack_choice *choice, bool inlines);
void pd_perfetto_stacks_free(struct perfetto_stacks *stacks);
/* Appends the packets of a sample, if its stack is chosen: missing definitions, then the sample. False without
 * memory. */
bool pd_perfetto_stacks_sample(struct perfetto_stacks *stacks, const struct perfetto_part *part,
			       const struct perfetto_row *row, struct perfdata_text *out);

#endif
