/* SPDX-License-Identifier: MIT */
/* The emitters that a program can use by name: the library's, and emitters that the program adds or loads. */
#ifndef PERFDATA_REGISTRY_H
#define PERFDATA_REGISTRY_H

#include "perfdata/emit.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The version of OpenTelemetry's profiles that `otlp` writes. It is not stable yet: messages may still change. */
#define PERFDATA_OTLP_PROFILES "v1development, alpha"

struct perfdata_registry;
PERFDATA_API struct perfdata_registry *perfdata_registry_new(void);   /* NULL without memory */
/* Destroys the emitters that were added, and unloads those that were loaded. */
PERFDATA_API void perfdata_registry_free(struct perfdata_registry *registry);
/* Loads a shared object that exports `perfdata_emitter`. ret may be NULL. */
PERFDATA_API enum perfdata_status perfdata_registry_load(struct perfdata_registry *registry, const char *path,
							 const struct perfdata_emitter **ret,
							 struct perfdata_error *reterr);
/* By name, and by index from 0; NULL: there is no such emitter. A registry of NULL has the library's emitters. Borrowed
 * until the registry is freed. */
PERFDATA_API const struct perfdata_emitter *perfdata_registry_find(const struct perfdata_registry *registry,
								   const char *name);
PERFDATA_API const struct perfdata_emitter *perfdata_registry_at(const struct perfdata_registry *registry,
								 size_t index);

/* --- options of an emitter as texts ------------------------------------------------------------------------------- */

/* A name and a value as on the command line: "table", "samples". Value of a flag: NULL, or "no". */
struct perfdata_setting {
	const char *name;
	const char *text;
};
/* Option number `index`, or NULL if there are fewer; the option of that name, or NULL. */
PERFDATA_API const struct perfdata_emitter_option *perfdata_emitter_option_at(const struct perfdata_emitter *emitter,
									      size_t index);
PERFDATA_API const struct perfdata_emitter_option *perfdata_emitter_option_named(const struct perfdata_emitter *emitter,
										 const char *name);
/* PERFDATA_EUSAGE with the message that the program shows: "--weight is one of samples|period, not 'x'". *ret borrows
 * the text. */
PERFDATA_API enum perfdata_status perfdata_option_parse(const struct perfdata_emitter_option *option, const char *text,
							struct perfdata_emitter_option_value *ret,
							struct perfdata_error *reterr);
/* Checks all option values against the rules (NULL: no rules). PERFDATA_EUSAGE with the message that the program shows:
 * "--map-dso changes nothing without --base". The values may be of several tables of options. */
PERFDATA_API enum perfdata_status perfdata_option_rules_check(const struct perfdata_option_rule *rules,
							      const struct perfdata_emitter_option_value *values,
							      size_t nr_values, struct perfdata_error *reterr);

/* Finds the nearest of several names: start with { .wanted = … }, offer every name, then read `name`: NULL if none is
 * near. */
struct perfdata_nearest {
	const char *wanted;
	const char *name;
	size_t distance;
};
PERFDATA_API void perfdata_nearest_offer(struct perfdata_nearest *nearest, const char *name);
/* "; did you mean NAME?" or nothing, in a buffer of the caller. prefix is written before the name ("--"). */
#define PERFDATA_NEAREST_SIZE 160
PERFDATA_API const char *perfdata_nearest_hint(const struct perfdata_nearest *nearest, const char *prefix,
					       char ret[PERFDATA_NEAREST_SIZE]);

#ifdef __cplusplus
}
#endif

#endif
