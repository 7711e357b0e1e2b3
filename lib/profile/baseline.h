/* SPDX-License-Identifier: MIT */
/* A side of a comparison, in memory and as a text:
 *
 *   perfdata-baseline/1                                           one text, or several texts one after the other,
 *                                                                 each with its own ids
 *   by         symbol                                             or "symbol, exact names"
 *   file       ID KIND BUILD-ID PATH
 *   key        ID FILE NAME SHOWN RAW-NAME CLONES                 FILE may be empty; an empty SHOWN or RAW-NAME is the
 *                                                                 same as the field before it
 *   address    ID FILE HEX                                        a key without a name
 *   recording  NAME DURATION LOST-RECORDS LOST-SAMPLES COMPLETE ARCH CPU CPUS RELEASE
 *   event      NAME CONFIG EXCLUDE RATE PRECISE WEIGHT CHAINS IS-TIME SAMPLES WEIGHT SQUARES NAMED KERNEL INLINED
 *   sum        KEY SAMPLES WEIGHT SQUARES SAMPLES WEIGHT SQUARES    of the last event: self, then inclusive
 *   edge       CALLER CALLEE SAMPLES WEIGHT
 *
 * Fields are separated by tabs; \t, \n and \\ inside a field are escapes. Squares are hexadecimal, all else is
 * decimal. */
#ifndef PD_BASELINE_H
#define PD_BASELINE_H

#include "base/hash.h"
#include "perfdata/compare.h"
#include "perfdata/symbols.h"
#include "profile/statistics.h"

#define PD_BASELINE_MAGIC "perfdata-baseline/1"
#define PD_NO_FILE UINT32_MAX

struct pd_side_file {
	enum perfdata_dso_kind kind;
	const char *build_id;            /* hexadecimal; "" unknown */
	const char *path;
};
struct pd_side_key {
	uint32_t file;                   /* PD_NO_FILE: none */
	const char *name;                /* normalized (key_name.h) */
	const char *shown,
		*raw_name; /* one of the key's names, demangled and mangled; "": same as the member before */
	uint64_t clones;                 /* how many names the key has */
	bool has_address;                /* the key has an address instead of a name */
	uint64_t address;
};
struct pd_side_sum {
	uint32_t key;
	struct pd_share_sums self, inclusive;
};
struct pd_side_edge {
	uint32_t caller, callee;         /* indexes of keys */
	uint64_t n, w;
};
/* How an event was set up, as texts, which a comparison tests for equality. */
struct pd_side_setup {
	const char *config;              /* type and config, as "0/3/0/0" */
	const char *exclude;             /* "user", "kernel,hv" … */
	const char *rate;                /* "freq 999", "period 1000000" */
	const char *precise;
	const char *weight;              /* "period" or "samples" */
	const char *chains;              /* "none", "recorded", "unwound", "branch" */
};
struct pd_side_event {
	const char *name;
	struct pd_side_setup setup;
	bool is_time;
	struct pd_share_sums all;
	uint64_t named, kernel, inlined; /* weight with a name; kernel samples; weight of stacks with inlining */
	struct pd_side_sum *sums;
	size_t nr_sums, sums_room;
	struct pd_side_edge *edges;
	size_t nr_edges, edges_room;
};
struct pd_side_recording {
	struct perfdata_baseline_recording reported;
	const char *arch, *cpu, *cpus, *release;
	struct pd_side_event *events;
	size_t nr_events, events_room;
};
struct perfdata_baseline {
	struct pd_intern *strings, *files_known, *keys_known;
	const char *by;
	struct pd_side_file *files;
	size_t nr_files, files_room;
	struct pd_side_key *keys;
	size_t nr_keys, keys_room;
	struct pd_side_recording *recordings;
	size_t nr_recordings, recordings_room;
};

/* Write lines of the text (baseline_write.c). */
void pd_baseline_head(struct perfdata_text *out, const char *by);
void pd_baseline_file(struct perfdata_text *out, uint32_t id, const struct pd_side_file *file);
void pd_baseline_key(struct perfdata_text *out, uint32_t id, const struct pd_side_key *key);
void pd_baseline_recording(struct perfdata_text *out, const struct pd_side_recording *recording);
void pd_baseline_event(struct perfdata_text *out, const struct pd_side_event *event);
void pd_baseline_sum(struct perfdata_text *out, const struct pd_side_sum *sum);
void pd_baseline_edge(struct perfdata_text *out, const struct pd_side_edge *edge);

#endif
