/* SPDX-License-Identifier: MIT */
/* Feature sections as JSON: their trees, by the names of the rows. */
#ifndef EMIT_FEATURE_JSON_H
#define EMIT_FEATURE_JSON_H

#include "emit/spell/spell.h"

/* Appends `,"name":value`: the content itself where the section is one value, else an object. */
void pd_feature_json_member(struct speller *s, uint32_t id, const struct perfdata_feature *feature);
/* An object that holds the decoded payload. */
void pd_feature_json_payload(struct speller *s, uint32_t id, struct perfdata_bytes payload);

#endif
