/* SPDX-License-Identifier: MIT */
/* Feature sections as JSON: their trees, with names of rows as keys. */
#ifndef EMIT_FEATURE_JSON_H
#define EMIT_FEATURE_JSON_H

#include "emit/spell/spell.h"

/* Appends `,"name":value`: an object, or a plain value for a section with one value. */
void pd_feature_json_member(struct speller *s, uint32_t id, const struct perfdata_feature *feature);
/* Appends an object with the decoded payload. */
void pd_feature_json_payload(struct speller *s, uint32_t id, struct perfdata_bytes payload);

#endif
