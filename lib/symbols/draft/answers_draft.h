/* SPDX-License-Identifier: MIT */
#ifndef PD_ANSWERS_DRAFT_H
#define PD_ANSWERS_DRAFT_H

#include "symbols/symbols.h"

struct pd_answers_draft;
struct pd_answers_draft *pd_answers_draft_new(const struct perfdata_symbols_dso *dso);
void pd_answers_draft_free(struct pd_answers_draft *draft);
/* The key of a draft: kind and build-id or, without one, kind and path. */
bool pd_answers_draft_is_of(const struct pd_answers_draft *draft, struct perfdata_bytes id, const char *path);
bool pd_answers_draft_is_of_dso(const struct pd_answers_draft *draft, const struct perfdata_symbols_dso *dso);
/* Adds what is found at the addresses that were asked; an address that the draft has stays as it is.
 * PERFDATA_EUSAGE: the recording gives addresses from another base. Else as look-ups. */
enum perfdata_status pd_answers_draft_add(struct pd_answers_draft *draft, struct perfdata_symbols_dso *dso);
/* Whether a frame has no rule of our form, so that libdwfl needs the tables of the files. */
bool pd_answers_draft_needs_tables(const struct pd_answers_draft *draft);
/* The name of the index-th library, if the file is an archive; NULL after the last. Lives as long as the draft. */
const char *pd_answers_draft_library(const struct pd_answers_draft *draft, size_t index);
/* *ret to be freed with pd_free. The same answers give the same bytes. */
enum perfdata_status pd_answers_draft_spell(const struct pd_answers_draft *draft, char **ret, size_t *ret_size);

#endif
