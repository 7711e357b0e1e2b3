/* SPDX-License-Identifier: MIT */
/* The packets of the Arm Statistical Profiling Extension, by number. */
#ifndef PD_SPE_PACKET_H
#define PD_SPE_PACKET_H

#include "auxtrace/auxtrace.h"

enum pd_spe_kind {
	PD_SPE_BAD,
	PD_SPE_PAD,
	PD_SPE_END,
	PD_SPE_TS,
	PD_SPE_EV,
	PD_SPE_DATA_SOURCE,
	PD_SPE_CTX,
	PD_SPE_OP,
	PD_SPE_ADDR_PC,
	PD_SPE_ADDR_TGT,
	PD_SPE_ADDR_VA,
	PD_SPE_ADDR_PA,
	PD_SPE_ADDR_PBT,
	PD_SPE_ADDR_OTHER,
	PD_SPE_LAT,
	PD_SPE_KINDS,
};
extern const struct pd_packet_kind pd_spe_kinds[PD_SPE_KINDS];

/* The packet at `bytes`, which stand at `address`; state->at is left alone. */
void pd_spe_next(const struct pd_aux_trace *trace, struct pd_aux_state *state, const uint8_t *bytes, size_t size,
		 struct pd_packet *ret);

#define PD_SPE_EVENT_BITS 32u
#define PD_SPE_LATE_PREFETCH 12u         /* an event bit of one processor */
bool pd_spe_is_n1(uint64_t midr);        /* Neoverse N1 */
/* Whether perf has no description of this operation: then it prints that of the packet before again. */
bool pd_spe_is_undescribed(const struct pd_packet *packet);

/* --- spe_text.c --- */
void pd_spe_text(const struct pd_aux_trace *trace, const struct pd_packet *packet, struct perfdata_text *out);

#endif
