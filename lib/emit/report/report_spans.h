/* SPDX-License-Identifier: MIT */
/* `report --spans KIND`: number and durations of system calls, waits, locks, interrupts. */
#ifndef PD_REPORT_SPANS_H
#define PD_REPORT_SPANS_H

#include "emit/report/report.h"

#define REPORT_SPAN_KINDS "run|off|runq|syscall|lock|block|irq|softirq|guest"

struct report_spans;
/* Whether the options select spans. */
bool pd_report_spans_asked(const struct perfdata_emitter_option_value *values, size_t nr);
/* PERFDATA_EUSAGE with a message. */
enum perfdata_status pd_report_spans_configure(struct perfdata_configuration *configuration);
enum perfdata_status pd_report_spans_new(const struct perfdata_emit_context *context, struct report_spans **ret,
					 struct perfdata_text *out);
void pd_report_spans_free(struct report_spans *spans);
/* As the emitter's functions. */
enum perfdata_status pd_report_spans_format(const struct report_spans *spans, const struct perfdata_batch *batch,
					    void **ret_part);
enum perfdata_status pd_report_spans_merge(struct report_spans *spans, void *part);
enum perfdata_status pd_report_spans_end(struct report_spans *spans, const struct report_options *options,
					 const struct perfdata_emit_end *end, struct perfdata_text *out);

#endif
