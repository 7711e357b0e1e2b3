/* SPDX-License-Identifier: MIT */
/* Spelling views as JSON by their rows. */
#ifndef EMIT_SPELL_H
#define EMIT_SPELL_H

#include "emit/spell/json_style.h"

/* Appends `,"key":value`, with `,"key_raw":…` or `,"key_hex":…` where the value needs it. */
void pd_spell_member(struct speller *s, const struct row *row, const void *view);
/* The value alone. False: text that was not valid UTF-8. */
bool pd_spell_value(struct speller *s, const struct row *row, const void *view);
/* An object with all rows that are present. */
void pd_spell_object(struct speller *s, const struct plan *plan, uint64_t present, const void *view);
/* The values of a head that have parts: the trailer, a location, branches, a stack. */
void pd_spell_nested_head(struct record *r, const struct head_value *value, struct perfdata_text *out);

#endif
