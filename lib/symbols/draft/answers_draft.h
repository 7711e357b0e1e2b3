/* SPDX-License-Identifier: MIT */
#ifndef PD_ANSWERS_DRAFT_H
#define PD_ANSWERS_DRAFT_H

#include "symbols/symbols.h"

struct pd_answers_draft;
struct pd_answers_draft *pd_answers_draft_new(const struct perfdata_symbols_dso *dso);
void pd_answers_draft_free(struct pd_answers_draft *draft);
/* Whether the draft is for this file: by kind and build-id; without a build-id, by kind and path. */
bool pd_answers_draft_is_of(const struct pd_answers_draft *draft, struct perfdata_bytes id, const char *path);
bool pd_answers_draft_is_of_dso(const struct pd_answers_draft *draft, const struct perfdata_symbols_dso *dso);
/* Adds answers for the looked-up addresses; keeps the answers that the draft has. PERFDATA_EUSAGE: addresses of this
 * recording have another base. Other results as for look-ups. */
enum perfdata_status pd_answers_draft_add(struct pd_answers_draft *draft, struct perfdata_symbols_dso *dso);
/* Whether the answers lack the rule of a frame, so that libdwfl needs the tables of the file. */
bool pd_answers_draft_needs_tables(const struct pd_answers_draft *draft);
/* Returns the name of library number `index` of an archive; NULL: there are fewer. Valid as long as the draft. */
const char *pd_answers_draft_library(const struct pd_answers_draft *draft, size_t index);
/* Writes the text, the same bytes for the same answers. Free *ret with pd_free. */
enum perfdata_status pd_answers_draft_spell(const struct pd_answers_draft *draft, char **ret, size_t *ret_size);

#endif
