/* SPDX-License-Identifier: MIT */
/* Packets of the Arm Statistical Profiling Extension, by number. */
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

/* Functions for struct pd_tracer: next, take_info. */
bool pd_spe_next(const struct pd_aux_trace *trace, struct pd_aux_state *state, const uint8_t *bytes, size_t size,
		 struct pd_packet *ret);
enum perfdata_status pd_spe_take_info(struct pd_aux_setup *setup, const struct perfdata_list *words,
				      const struct pd_aux_header *header);

#define PD_SPE_EVENT_BITS 32u
#define PD_SPE_LATE_PREFETCH 12u         /* event bit that only Neoverse N1 has */
bool pd_spe_is_n1(uint64_t midr);        /* whether the processor is a Neoverse N1 */
/* Whether perf has no description of this operation. It then repeats the description of the previous packet. */
bool pd_spe_is_undescribed(const struct pd_packet *packet);

#endif
