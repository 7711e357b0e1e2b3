/* SPDX-License-Identifier: MIT */
/* Macros for tables of packet kinds (struct pd_packet_kind). */
#ifndef PD_PACKET_ROWS_H
#define PD_PACKET_ROWS_H

#include "auxtrace/auxtrace.h"

/* A field: `n` bits of word `w`, from bit `from` on. */
#define FIELD(key, about, w, from, n, how)                                                            \
	{                                                                                             \
		.name = key, .doc = about, .word = w, .shift = from, .bits = n, .show = PD_SHOW_##how \
	}
/* Kinds: with the fields `list`; without fields; with ticks in the first word. */
#define KIND_OF(text, about, list) \
	{ .name = text, .doc = about, .fields = list, .nr_fields = sizeof(list) / sizeof *(list) }
#define KIND_BARE(text, about) { .name = text, .doc = about }
#define KIND_TIME(text, about, list) \
	{ .name = text, .doc = about, .fields = list, .nr_fields = sizeof(list) / sizeof *(list), .has_time = true }

#endif
