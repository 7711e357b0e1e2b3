/* SPDX-License-Identifier: MIT */
/* Writes views as JSON, by their rows. */
#ifndef EMIT_SPELL_H
#define EMIT_SPELL_H

#include "emit/spell/json_style.h"

/* Appends `,"key":value`, and `,"key_raw":…` or `,"key_hex":…` if the value needs it. */
void pd_spell_member(struct speller *s, const struct row *row, const void *view);
/* Appends only the value. False: the text is not valid UTF-8. */
bool pd_spell_value(struct speller *s, const struct row *row, const void *view);
/* Appends an object with all present rows. */
void pd_spell_object(struct speller *s, const struct plan *plan, uint64_t present, const void *view);
/* Appends the value of a head with parts: trailer, location, branches, stack. */
void pd_spell_nested_head(struct record *r, const struct head_value *value, struct perfdata_text *out);

#endif
