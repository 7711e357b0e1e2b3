/* SPDX-License-Identifier: MIT */
/* The emitters of the library: perfdata_registry_at and _find return them by index and name. */
#ifndef EMIT_EMITTERS_H
#define EMIT_EMITTERS_H

#include "perfdata/registry.h"
#include "perfdata/perf.h"
#include "perfdata/emit.h"

extern const struct perfdata_emitter pd_emitter_ndjson, pd_emitter_json, pd_emitter_csv, pd_emitter_dump,
	pd_emitter_script, pd_emitter_perf_json, pd_emitter_folded, pd_emitter_report, pd_emitter_annotate,
	pd_emitter_flamegraph,
	pd_emitter_pprof, pd_emitter_speedscope, pd_emitter_firefox, pd_emitter_perfetto, pd_emitter_parquet,
	pd_emitter_callgrind, pd_emitter_otlp, pd_emitter_bolt, pd_emitter_profgen, pd_emitter_autofdo,
	pd_emitter_sampleprof, pd_emitter_gcov, pd_emitter_counts, pd_emitter_baseline;

/* Members that all tables of emitters set alike. */
#define PD_EMITTER_OF(its_options) \
	.abi = PERFDATA_EMITTER_ABI, .size = sizeof(struct perfdata_emitter), .options = its_options, \
	.option_size = sizeof(struct perfdata_emitter_option)
/* For emitters whose functions for these steps have these names; the emitter sets `.begin` and `.free_value` itself. */
#define PD_EMITTER_STEPS \
	.scan = scan_batch, .format = format_batch, .merge = merge_part, .end = end_output, \
	.free_part = free_part, .release = release_state

/* --- for other rooms --- */

/* Copies the table, whose pointers stay borrowed. The new emitter hides an older one with the same name.
 * PERFDATA_EUSAGE: the table is for another version, or lacks a function. After a failure `destroy` is called all the
 * same, if the table is for this version and long enough to have it. */
enum perfdata_status pd_registry_add(struct perfdata_registry *registry,
							const struct perfdata_emitter *emitter,
							struct perfdata_error *reterr);

#endif
