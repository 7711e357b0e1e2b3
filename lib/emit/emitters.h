/* SPDX-License-Identifier: MIT */
/* The emitters that come with the library: perfdata_registry_at and _find have them by index and name. */
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

/* The members that all tables of emitters have. */
#define PD_EMITTER_OF(its_options) \
	.abi = PERFDATA_EMITTER_ABI, .size = sizeof(struct perfdata_emitter), .options = its_options, \
	.option_size = sizeof(struct perfdata_emitter_option)
/* Of those whose functions of these names do all the steps; `.begin` and `.free_value` are the emitter's own. */
#define PD_EMITTER_STEPS \
	.scan = scan_batch, .format = format_batch, .merge = merge_part, .end = end_output, \
	.free_part = free_part, .release = release_state

/* --- for other rooms --- */

/* Copies the table; the pointers in it stay borrowed. `destroy` is called also if this fails, unless the table is for
 * another version or too short to have it. The new emitter hides an emitter of the same name. PERFDATA_EUSAGE: the
 * table is for another version, or lacks a function. */
enum perfdata_status pd_registry_add(struct perfdata_registry *registry,
							const struct perfdata_emitter *emitter,
							struct perfdata_error *reterr);

#endif
