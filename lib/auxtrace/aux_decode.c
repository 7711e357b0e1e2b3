/* SPDX-License-Identifier: MIT */
/* Calls the decoder of each type of trace, and walks over payloads piece by piece. */
#include "config.h"
#include <inttypes.h>
#include "auxtrace/etm_packet.h"
#include "auxtrace/packet_line.h"
#include "auxtrace/pt_packet.h"
#include "auxtrace/rare_packet.h"
#include "auxtrace/spe_packet.h"

const char *pd_aux_name(uint32_t type)
{
	static const char *const names[] = { NULL,      "intel_pt",    "intel_bts", "cs_etm",
					     "arm_spe", "s390_cpumsf", "hisi_ptt",  "vpa_dtl" };
	return type < sizeof names / sizeof *names ? names[type] : NULL;
}

const struct pd_packet_kind *pd_aux_kinds(uint32_t type, unsigned *ret_nr)
{
	static const struct { const struct pd_packet_kind *kinds; unsigned nr; } tracers[] = {
		[PD_AUX_INTEL_PT] = { pd_pt_kinds, PD_PT_KINDS }, [PD_AUX_INTEL_BTS] = { pd_bts_kinds, PD_BTS_KINDS },
		[PD_AUX_CORESIGHT] = { pd_etm_kinds, PD_ETM_KINDS },
		[PD_AUX_ARM_SPE] = { pd_spe_kinds, PD_SPE_KINDS }, [PD_AUX_S390] = { pd_s390_kinds, PD_S390_KINDS },
		[PD_AUX_HISI_PTT] = { pd_ptt_kinds, PD_PTT_KINDS }, [PD_AUX_VPA_DTL] = { pd_dtl_kinds, PD_DTL_KINDS },
	};
	*ret_nr = type < sizeof tracers / sizeof *tracers ? tracers[type].nr : 0;
	return *ret_nr ? tracers[type].kinds : NULL;
}

void pd_aux_begin(const struct pd_aux_trace *trace, struct pd_aux_state *state, const uint8_t *bytes, size_t size)
{
	if (trace->type == PD_AUX_HISI_PTT)
		pd_ptt_begin(state, bytes, size);
	else if (trace->type == PD_AUX_S390)
		pd_s390_begin(trace, state, bytes, size);
}

static bool next(const struct pd_aux_trace *trace, struct pd_aux_state *state, const uint8_t *bytes, size_t size,
		 struct pd_packet *ret)
{
	switch (trace->type) {
	case PD_AUX_INTEL_PT:
		pd_pt_next(state, bytes, size, ret);
		return true;
	case PD_AUX_INTEL_BTS:
		pd_bts_next(bytes, size, ret);
		return true;
	case PD_AUX_ARM_SPE:
		pd_spe_next(trace, state, bytes, size, ret);
		return true;
	case PD_AUX_S390:
		return pd_s390_next(trace, state, bytes, size, ret);
	case PD_AUX_HISI_PTT:
		return pd_ptt_next(state, bytes, size, ret);
	case PD_AUX_VPA_DTL:
		return pd_dtl_next(bytes, size, ret);
	default:
		return false;
	}
}

bool pd_aux_next(const struct pd_aux_trace *trace, struct pd_aux_state *state, const uint8_t *bytes, size_t size,
		 struct pd_packet *ret)
{
	if (!next(trace, state, bytes, size, ret))
		return false;
	state->at += ret->line;
	return true;
}

void pd_aux_head(const struct pd_aux_trace *trace, const struct pd_aux_state *state, struct perfdata_text *out)
{
	switch (trace->type) {
	case PD_AUX_INTEL_PT:
		perfdata_text_printf(out, ". ... Intel Processor Trace data: size %" PRIu64 " bytes\n", trace->size);
		break;
	case PD_AUX_INTEL_BTS:
		perfdata_text_printf(out, ". ... Intel BTS data: size %" PRIu64 " bytes\n", trace->size);
		break;
	case PD_AUX_ARM_SPE:
		perfdata_text_printf(out, ". ... ARM SPE data: size %#" PRIx64 " bytes\n", trace->size);
		break;
	case PD_AUX_S390:
		perfdata_text_printf(out, ". ... s390 AUX data: size %" PRIu64 " bytes\n", trace->size);
		break;
	case PD_AUX_HISI_PTT:
		perfdata_text_printf(out, ". ... HISI PTT data: size %" PRIu64 " bytes\n",
				     trace->size - trace->size % state->form);
		break;
	case PD_AUX_VPA_DTL:
		perfdata_text_printf(out, ". ... VPA DTL PMU data: size %" PRIu64 " bytes, entries is %" PRIu64 "\n",
				     trace->size, trace->size / PD_DTL_SIZE);
		break;
	default:
		break;
	}
}

static void line(const struct pd_aux_trace *trace, const struct pd_aux_state *state, const struct pd_packet *packet,
		 const uint8_t *bytes, uint64_t at, struct perfdata_text *out)
{
	switch (trace->type) {
	case PD_AUX_INTEL_BTS:
		pd_bts_line(packet, bytes, at, out);
		break;
	case PD_AUX_ARM_SPE: {
		char *to = perfdata_text_reserve(out, PD_LINE_HEAD);
		if (!to)
			return;
		perfdata_text_commit(out, pd_line_head_to(to, at, bytes, packet->line, 16));
		if (pd_spe_is_undescribed(packet) && state->described.kind)
			packet = &state->described;
		pd_packet_text(trace, packet, out);
		perfdata_text_char(out, '\n');
		break;
	}
	case PD_AUX_S390:
		pd_s390_line(packet, at, out);
		break;
	case PD_AUX_HISI_PTT:
		pd_ptt_lines(packet, bytes, at, out);
		break;
	case PD_AUX_VPA_DTL:
		pd_dtl_line(packet, at, out);
		break;
	default:
		break;
	}
}

void pd_aux_lines(const struct pd_aux_trace *trace, struct pd_aux_state *state, const uint8_t *bytes, size_t size,
		  uint64_t from, uint64_t stop, struct perfdata_text *out)
{
	struct pd_packet packet;
	if (trace->type == PD_AUX_INTEL_PT) {
		pd_pt_lines(state, bytes, size, from, stop, out);
		return;
	}
	/* a decoder that stopped in front of `from` gives no more packets */
	while (state->at >= from && state->at < stop) {
		const uint64_t at = state->at;
		const size_t inside = (size_t)(at - from);
		if (!pd_aux_next(trace, state, bytes + inside, size - inside, &packet))
			break;
		line(trace, state, &packet, bytes + inside, at, out);
		perfdata_text_cut(out);
	}
}

void pd_aux_skip(const struct pd_aux_trace *trace, struct pd_aux_state *state, const uint8_t *bytes, size_t size,
		 uint64_t from, uint64_t stop)
{
	struct pd_packet packet;
	/* a decoder that stopped in front of `from` gives no more packets */
	while (state->at >= from && state->at < stop) {
		const size_t inside = (size_t)(state->at - from);
		if (!pd_aux_next(trace, state, bytes + inside, size - inside, &packet))
			break;
	}
}

void pd_packet_text(const struct pd_aux_trace *trace, const struct pd_packet *packet, struct perfdata_text *out)
{
	char *at;
	switch (trace->type) {
	case PD_AUX_INTEL_PT:
		at = perfdata_text_reserve(out, PD_PT_TEXT);
		if (at)
			perfdata_text_commit(out, pd_pt_text_to(at, packet));
		break;
	case PD_AUX_INTEL_BTS:
		pd_bts_text(packet, out);
		break;
	case PD_AUX_CORESIGHT:
		pd_etm_text(packet, out);
		break;
	case PD_AUX_ARM_SPE:
		if (!pd_spe_is_undescribed(packet))
			pd_spe_text(trace, packet, out);
		else
			perfdata_text_printf(out, "OP-TYPE 0x%" PRIx64 " (0)", packet->words[0]);
		break;
	default:
		break;
	}
}
