/* SPDX-License-Identifier: MIT */
/* Tables that the threads of a Firefox profile share: strings, stacks, frames, functions, libraries. */
#ifndef PD_FIREFOX_H
#define PD_FIREFOX_H

#include "emit/stacks/stack_route.h"
#include "emit/timelines/timeline.h"

struct firefox_tables;
/* NULL without memory. */
struct firefox_tables *pd_firefox_tables_new(struct pd_profile *profile, const struct perfdata_session *session,
					     bool inlines, const struct stack_choice *choice);
void pd_firefox_tables_free(struct firefox_tables *tables);
/* The row of the stack of a node; UINT32_MAX for an empty chain. */
enum perfdata_status pd_firefox_stack(struct firefox_tables *tables, uint32_t node, uint32_t *ret);
uint32_t pd_firefox_string(struct firefox_tables *tables, const char *text);
/* Appends "libs" and "shared". To be called after the last pd_firefox_stack. */
enum perfdata_status pd_firefox_tables_put(struct firefox_tables *tables, struct perfdata_text *out);
void pd_firefox_categories(const struct perfdata_session *session, struct perfdata_text *out);

#endif
