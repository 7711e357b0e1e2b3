/* SPDX-License-Identifier: MIT */
/* How decoders spell their tables of kinds of packets (struct pd_packet_kind). */
#ifndef PD_PACKET_ROWS_H
#define PD_PACKET_ROWS_H

#include "auxtrace/auxtrace.h"

/* A field: `n` bits of word `w`, from bit `from` on. */
#define FIELD(key, about, w, from, n, how)                                                            \
	{                                                                                             \
		.name = key, .doc = about, .word = w, .shift = from, .bits = n, .show = PD_SHOW_##how \
	}
/* A kind whose fields are `list`. */
#define KIND_OF(text, about, list) { text, about, list, sizeof(list) / sizeof *(list) }

#endif
