/* SPDX-License-Identifier: MIT */
/* The list of tracers, and the walk over the packets of a payload, which all tracers share. */
#include "config.h"
#include "auxtrace/auxtrace.h"

const struct pd_tracer *pd_tracer_of(uint32_t type)
{
	static const struct pd_tracer *const tracers[] = { &pd_pt_tracer,   &pd_bts_tracer, &pd_coresight_tracer,
							   &pd_spe_tracer,  &pd_s390_tracer, &pd_ptt_tracer,
							   &pd_dtl_tracer };
	for (size_t i = 0; i < sizeof tracers / sizeof *tracers; i++)
		if (tracers[i]->type == type)
			return tracers[i];
	return NULL;
}

/* --- packets --- */

void pd_aux_begin(const struct pd_aux_trace *trace, struct pd_aux_state *state, const uint8_t *bytes, size_t size)
{
	if (trace->tracer && trace->tracer->begin)
		trace->tracer->begin(trace, state, bytes, size);
}

bool pd_aux_next(const struct pd_aux_trace *trace, struct pd_aux_state *state, const uint8_t *bytes, size_t size,
		 struct pd_packet *ret)
{
	if (!trace->tracer || !trace->tracer->next || !trace->tracer->next(trace, state, bytes, size, ret))
		return false;
	state->at += ret->line;
	return true;
}

void pd_aux_head(const struct pd_aux_trace *trace, const struct pd_aux_state *state, struct perfdata_text *out)
{
	if (trace->tracer && trace->tracer->header)
		trace->tracer->header(trace, state, out);
}

void pd_aux_lines(const struct pd_aux_trace *trace, struct pd_aux_state *state, const uint8_t *bytes, size_t size,
		  uint64_t from, uint64_t stop, struct perfdata_text *out)
{
	struct pd_packet packet;
	if (trace->tracer && trace->tracer->lines) {
		trace->tracer->lines(state, bytes, size, from, stop, out);
		return;
	}
	/* a decoder that stopped before `from` finds no more packets */
	while (state->at >= from && state->at < stop) {
		const uint64_t at = state->at;
		const size_t inside = (size_t)(at - from);
		if (!pd_aux_next(trace, state, bytes + inside, size - inside, &packet))
			break;
		if (trace->tracer->line)
			trace->tracer->line(trace, state, &packet, bytes + inside, at, out);
		perfdata_text_cut(out);
	}
}

void pd_aux_skip(const struct pd_aux_trace *trace, struct pd_aux_state *state, const uint8_t *bytes, size_t size,
		 uint64_t from, uint64_t stop)
{
	struct pd_packet packet;
	/* a decoder that stopped before `from` finds no more packets */
	while (state->at >= from && state->at < stop) {
		const size_t inside = (size_t)(state->at - from);
		if (!pd_aux_next(trace, state, bytes + inside, size - inside, &packet))
			break;
	}
}

void pd_packet_text(const struct pd_aux_trace *trace, const struct pd_packet *packet, struct perfdata_text *out)
{
	if (trace->tracer && trace->tracer->text)
		trace->tracer->text(trace, packet, out);
}
