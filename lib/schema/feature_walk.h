/* SPDX-License-Identifier: MIT */
/* How the tree of a feature section is made: for the files that read its bytes. */
#ifndef SCHEMA_FEATURE_WALK_H
#define SCHEMA_FEATURE_WALK_H

#include "base/account.h"
#include "base/arena.h"
#include "schema/feature.h"
#include "schema/layout.h"

#define PD_FEATURE_FIELDS 64

/* The structure whose fields are being read. */
struct frame {
	uint64_t values[PD_FEATURE_FIELDS];      /* of integer fields that were read; 0 for absent ones */
	struct perfdata_bytes extent;     /* of the last STRUCT or ATTR among its fields */
};

/* The children of a node while they are being added. */
struct children {
	struct perfdata_node *parent, *last;
};

struct walk {
	struct pd_account *account;       /* the tree draws from it; NULL: from none */
	size_t *charged;                  /* how much of the arena the account knows of */
	struct pd_arena *arena;           /* the tree and the bytes */
	const uint8_t *start;             /* of the section */
	enum perfdata_byte_order order;
	uint32_t nr_cpus_avail;
	struct frame root;                /* of the whole section */
	uint32_t id;                      /* of the section */
	const char *section;              /* its name, for messages */
	struct perfdata_error *error;     /* never NULL */
};

extern const struct perfdata_field pd_feature_rest_field;   /* "rest": bytes after the last known field */

/* Sets the error. `at`: of the section; field may be NULL. Returns PERFDATA_DAMAGED. */
enum perfdata_status pd_feature_damaged(struct walk *walk, const uint8_t *at, const char *field, const char *what);
/* Sets the error. Returns PERFDATA_ENOMEM. */
enum perfdata_status pd_feature_no_memory(struct walk *walk);
/* NULL without memory. */
struct perfdata_node *pd_feature_append(struct walk *walk, struct children *children,
					const struct perfdata_field *field, enum perfdata_kind kind);

/* A message of protocol buffers: its fields may come in any order, nodes come in the order of the rows. If the message
 * ends too early or has a malformed field, the fields before the damage are read. */
enum perfdata_status pd_feature_message(struct walk *walk, struct perfdata_bytes bytes,
					const struct perfdata_layout *layout, struct perfdata_node *parent);

#endif
