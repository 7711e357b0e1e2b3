/* SPDX-License-Identifier: MIT */
/* Packets of Intel Processor Trace, by number. */
#ifndef PD_PT_PACKET_H
#define PD_PT_PACKET_H

#include "auxtrace/auxtrace.h"

enum pd_pt_kind {
	PD_PT_BAD,
	PD_PT_PAD,
	PD_PT_TNT,
	PD_PT_TIP,
	PD_PT_TIP_PGE,
	PD_PT_TIP_PGD,
	PD_PT_FUP,
	PD_PT_CYC,
	PD_PT_MODE_EXEC,
	PD_PT_MODE_TSX,
	PD_PT_TSC,
	PD_PT_MTC,
	PD_PT_CBR,
	PD_PT_PTWRITE,
	PD_PT_CFE,
	PD_PT_PWRE,
	PD_PT_PSBEND,
	PD_PT_BEP,
	PD_PT_PIP,
	PD_PT_EVD,
	PD_PT_EXSTOP,
	PD_PT_BBP,
	PD_PT_TMA,
	PD_PT_PSB,
	PD_PT_TRACESTOP,
	PD_PT_PWRX,
	PD_PT_MWAIT,
	PD_PT_MNT,
	PD_PT_VMCS,
	PD_PT_OVF,
	PD_PT_BIP,
	PD_PT_KINDS,
};
extern const struct pd_packet_kind pd_pt_kinds[PD_PT_KINDS];

/* Takes the clock from AUXTRACE_INFO of Intel's tracers. */
enum perfdata_status pd_intel_take_info(struct pd_aux_setup *setup, const struct perfdata_list *words,
					const struct pd_aux_header *header);
/* Decodes the packet at `bytes` without changing state->at. */
void pd_pt_next(struct pd_aux_state *state, const uint8_t *bytes, size_t size, struct pd_packet *ret);

#endif
