/* SPDX-License-Identifier: MIT */
/* The meta and summary objects. */
#ifndef EMIT_META_H
#define EMIT_META_H

#include "emit/spell/spell.h"

#define EMIT_SCHEMA "perfdata/1"

/* What the meta object contained; the summary of a pipe adds what came later. */
struct meta_emitted {
	uint64_t features[4];          /* bit n: feature n */
	uint32_t nr_versions;          /* events with a lower version were in meta */
	bool pipe;
};

/* Appends `{"type":"meta",…}`. */
void pd_meta_spell(struct speller *s, const struct perfdata_emit_context *context, struct meta_emitted *ret_emitted);
/* Appends the member `device` if simpleperf recorded it. */
void pd_meta_spell_device(struct speller *s);
/* Appends `{"type":"summary",…}`. */
void pd_summary_spell(struct speller *s, const struct perfdata_emit_end *end, const struct meta_emitted *emitted);

#endif
