/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <stdio.h>
#include "schema/feature_walk.h"

const struct perfdata_field pd_feature_rest_field = {
	.name = "rest",
	.doc = "bytes after the last known field",
	.kind = PERFDATA_KIND_BYTES,
	.show = PERFDATA_SHOW_BYTES_HEX,
	.count_field = PERFDATA_COUNT_REST,
};

enum perfdata_status pd_feature_damaged(struct walk *walk, const uint8_t *at, const char *field, const char *what)
{
	walk->error->status = PERFDATA_DAMAGED;
	walk->error->offset = (uint64_t)(at - walk->start);
	snprintf(walk->error->message, sizeof walk->error->message, "feature section %s: %s%s%s", walk->section,
		 field ? field : "", field ? " " : "", what);
	return PERFDATA_DAMAGED;
}

enum perfdata_status pd_feature_no_memory(struct walk *walk)
{
	walk->error->status = PERFDATA_ENOMEM;
	walk->error->offset = PERFDATA_NO_OFFSET;
	snprintf(walk->error->message, sizeof walk->error->message, "feature section %s: out of memory", walk->section);
	return PERFDATA_ENOMEM;
}

/* Charges the account for a node, since the tree of a section may be many times as large as the section. */
static bool charge_node(struct walk *walk)
{
	const size_t total = walk->arena->total;
	if (total == *walk->charged)
		return true;
	pd_account_change(walk->account, PD_USE_FRAMES, *walk->charged, total);
	*walk->charged = total;
	return !pd_account_is_exhausted(walk->account);
}

struct perfdata_node *pd_feature_append(struct walk *walk, struct children *children,
					const struct perfdata_field *field, enum perfdata_kind kind)
{
	struct perfdata_node *node = pd_arena_calloc(walk->arena, 1, sizeof *node);
	if (!node || !charge_node(walk))
		return NULL;
	node->field = field;
	node->kind = kind;
	if (children->last)
		children->last->next = node;
	else
		children->parent->child = node;
	children->last = node;
	return node;
}
