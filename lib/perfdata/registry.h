/* SPDX-License-Identifier: MIT */
/* Emitters by name: the library's, and those that a program adds or loads. */
#ifndef PERFDATA_REGISTRY_H
#define PERFDATA_REGISTRY_H

#include "perfdata/emit.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The version of OpenTelemetry profiles that `otlp` writes. It is not stable yet: messages may still change. */
#define PERFDATA_OTLP_PROFILES "v1development, alpha"

struct perfdata_registry;
PERFDATA_API struct perfdata_registry *perfdata_registry_new(void);   /* NULL without memory */
/* Calls `destroy` of the emitters that were added, and unloads shared objects. */
PERFDATA_API void perfdata_registry_free(struct perfdata_registry *registry);
/* Loads a shared object that exports `perfdata_emitter`. ret may be NULL. */
PERFDATA_API enum perfdata_status perfdata_registry_load(struct perfdata_registry *registry, const char *path,
							 const struct perfdata_emitter **ret,
							 struct perfdata_error *reterr);
/* By name, and by index from 0; NULL: no such emitter. A registry of NULL is the library's emitters. Borrowed until the
 * registry is freed. */
PERFDATA_API const struct perfdata_emitter *perfdata_registry_find(const struct perfdata_registry *registry,
								   const char *name);
PERFDATA_API const struct perfdata_emitter *perfdata_registry_at(const struct perfdata_registry *registry,
								 size_t index);

/* --- options of an emitter as texts ------------------------------------------------------------------------------- */

/* A name and a value as on the command line: "table", "samples". The value of a flag is NULL or "no". */
struct perfdata_setting {
	const char *name;
	const char *text;
};
/* Option number `index`, NULL if there are fewer; the option with this name, or NULL. */
PERFDATA_API const struct perfdata_emitter_option *perfdata_emitter_option_at(const struct perfdata_emitter *emitter,
									      size_t index);
PERFDATA_API const struct perfdata_emitter_option *perfdata_emitter_option_named(const struct perfdata_emitter *emitter,
										 const char *name);
/* Parses the value of an option. *ret borrows the text. PERFDATA_EUSAGE with the message that the program prints:
 * "--weight is one of samples|period, not 'x'". */
PERFDATA_API enum perfdata_status perfdata_option_parse(const struct perfdata_emitter_option *option, const char *text,
							struct perfdata_emitter_option_value *ret,
							struct perfdata_error *reterr);
/* Checks the values of options against rules (NULL: no rules). The options may belong to several tables.
 * PERFDATA_EUSAGE with the message that the program prints: "--map-dso changes nothing without --base". */
PERFDATA_API enum perfdata_status perfdata_option_rules_check(const struct perfdata_option_rule *rules,
							      const struct perfdata_emitter_option_value *values,
							      size_t nr_values, struct perfdata_error *reterr);

/* Finds the name most like `wanted`: start with { .wanted = … }, offer every name, then read `name`; NULL: no name is
 * similar. */
struct perfdata_nearest {
	const char *wanted;
	const char *name;
	size_t distance;
};
PERFDATA_API void perfdata_nearest_offer(struct perfdata_nearest *nearest, const char *name);
/* Returns "; did you mean NAME?", or "" if no name is similar, in the caller's buffer. prefix: written before the name,
 * such as "--". */
#define PERFDATA_NEAREST_SIZE 160
PERFDATA_API const char *perfdata_nearest_hint(const struct perfdata_nearest *nearest, const char *prefix,
					       char ret[PERFDATA_NEAREST_SIZE]);

#ifdef __cplusplus
}
#endif

#endif
