/* SPDX-License-Identifier: MIT */
/* What the files that decode feature sections into trees share. */
#ifndef SCHEMA_FEATURE_WALK_H
#define SCHEMA_FEATURE_WALK_H

#include "base/account.h"
#include "base/arena.h"
#include "schema/feature.h"
#include "schema/layout.h"

#define PD_FEATURE_FIELDS 64

/* The structure that is decoded. */
struct frame {
	uint64_t values[PD_FEATURE_FIELDS];      /* values of the integer fields so far; 0 for absent ones */
	struct perfdata_bytes extent;     /* bytes of the last STRUCT or ATTR field */
};

/* The children of a node while the decoder adds them. */
struct children {
	struct perfdata_node *parent, *last;
};

struct walk {
	struct pd_account *account;       /* the account that is charged for the tree; NULL: none */
	size_t *charged;                  /* bytes of the arena that the account was charged for */
	struct pd_arena *arena;           /* memory of the tree and the bytes */
	const uint8_t *start;             /* first byte of the section */
	enum perfdata_byte_order order;
	uint32_t nr_cpus_avail;
	struct frame root;                /* frame of the whole section */
	uint32_t id;                      /* id of the section */
	const char *section;              /* name of the section, for messages */
	struct perfdata_error *error;     /* never NULL */
};

extern const struct perfdata_field pd_feature_rest_field;   /* "rest": bytes after the last known field */

/* Sets the error at the byte `at` of the section; field may be NULL. Returns PERFDATA_DAMAGED. */
enum perfdata_status pd_feature_damaged(struct walk *walk, const uint8_t *at, const char *field, const char *what);
/* Sets the error. Returns PERFDATA_ENOMEM. */
enum perfdata_status pd_feature_no_memory(struct walk *walk);
/* Returns NULL without memory. */
struct perfdata_node *pd_feature_append(struct walk *walk, struct children *children,
					const struct perfdata_field *field, enum perfdata_kind kind);

/* Decodes a message of protocol buffers. Its fields may come in any order; nodes are in the order of the rows. If the
 * message ends too early or has a malformed field, the fields before the damage are decoded. */
enum perfdata_status pd_feature_message(struct walk *walk, struct perfdata_bytes bytes,
					const struct perfdata_layout *layout, struct perfdata_node *parent);

#endif
