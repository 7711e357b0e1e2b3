/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <stdlib.h>
#include <string.h>
#include "base/memory.h"
#include "reader/trace_pieces.h"
#include "schema/schema.h"
#include "reader/reader.h"

void pd_aux_carry_release(struct pd_aux_carry *carry)
{
	pd_aux_setup_release(&carry->setup);
	pd_free(carry->cs);
	carry->cs = NULL;
}

bool pd_aux_carry_is_decoded(const struct pd_aux_carry *carry)
{
	const struct pd_tracer *tracer = carry->setup.tracer;
	return tracer && tracer->nr_kinds && (!carry->cs || pd_cs_stream_is_decoded(carry->cs));
}

void pd_aux_pieces_release(struct pd_aux_pieces *pieces)
{
	for (size_t i = 0; i < pieces->nr; i++)
		pd_free(pieces->list[i].cs);
	free(pieces->list);
	*pieces = (struct pd_aux_pieces){ 0 };
}

/* --- what a trace is --- */

static enum perfdata_status take_info(struct pd_aux_carry *carry, const struct perfdata_reader *reader,
				      const struct perfdata_auxtrace_info *info)
{
	const struct pd_aux_header header = {
		.cpuid = perfdata_reader_feature_text(reader, PERFDATA_FEATURE_CPUID),
		.samples_lack_time = perfdata_reader_nr_events(reader) &&
				     !(pd_config_attr(perfdata_reader_event(reader, 0)->config)->sample_type &
				       PERFDATA_SAMPLE_TIME),
	};
	pd_free(carry->cs);
	carry->cs = NULL;
	return pd_aux_setup_take_info(&carry->setup, pd_tracer_of(info->type), &info->priv, &header);
}

static void take_clock(struct pd_aux_setup *setup, const struct perfdata_time_conv *conv)
{
	/* words that the record lacks are zero */
	setup->clock = (struct pd_aux_clock){ .zero = conv->time_zero,
					       .mult = conv->time_mult,
					       .shift = conv->time_shift,
					       .short_time = conv->cap_user_time_short,
					       .cycles = conv->time_cycles,
					       .mask = conv->time_mask };
}

/* --- pieces --- */

static void begin_payload(struct pd_aux_carry *carry, const struct perfdata_reader *reader,
			  const struct perfdata_raw *raw, const struct perfdata_auxtrace *auxtrace)
{
	const bool pipe = perfdata_reader_header(reader)->container == PERFDATA_CONTAINER_PIPE;
	/* the bytes of the payload are not in the file */
	const bool inner = raw->inner != PERFDATA_NO_OFFSET || raw->flags & PERFDATA_RAW_UNPACKED;
	const struct pd_aux_setup *setup = &carry->setup;
	const struct pd_packet described = carry->next.state.described;
	carry->next = (struct pd_aux_piece){
		.trace = { .tracer = setup->tracer,
			   .size = raw->flags & PERFDATA_RAW_UNPACKED ? raw->payload : auxtrace->size,
			   .midr = pd_aux_setup_midr(setup, auxtrace->cpu),
			   .machine = setup->machine,
			   .address = pipe || inner ? 0 : raw->offset + raw->size,
			   .stops_at_bad = carry->dump },
		.clock = setup->clock,
		.payload_offset = inner ? PERFDATA_NO_OFFSET : raw->offset + raw->size,
		.aux_offset = auxtrace->offset,
		.tid = auxtrace->tid,
		.cpu = auxtrace->cpu,
		.idx = auxtrace->idx,
		.first = true,
	};
	carry->next.state.described = described;
	if (setup->timeless)
		carry->next.clock.mult = 0;
}

void pd_aux_walk_begin(struct pd_aux_walk *walk, const struct pd_aux_piece *piece)
{
	*walk = (struct pd_aux_walk){ .piece = piece, .state = piece->state, .record = piece->open };
	walk->kinds = piece->trace.tracer ? piece->trace.tracer->kinds : NULL;
	if (piece->cs)
		pd_cs_stream_rewind(piece->cs);
}

static bool next_of_coresight(struct pd_aux_walk *walk)
{
	const struct pd_aux_piece *piece = walk->piece;
	enum pd_cs_step step;
	do
		step = pd_cs_next(piece->cs, piece->raw->bytes, piece->raw->size, piece->from, piece->stop,
				  &walk->packet, &walk->at);
	while (step != PD_CS_PACKET && step != PD_CS_END);
	if (step == PD_CS_END)
		return false;
	walk->kind = &walk->kinds[walk->packet.kind];
	return true;
}

bool pd_aux_walk_next(struct pd_aux_walk *walk)
{
	const struct pd_aux_piece *piece = walk->piece;
	if (piece->cs)
		return next_of_coresight(walk);
	if (!walk->kinds || walk->state.at < piece->from || walk->state.at >= piece->stop)
		return false;
	walk->at = walk->state.at;
	const size_t inside = (size_t)(walk->at - piece->from);
	if (!pd_aux_next(&piece->trace, &walk->state, piece->raw->bytes + inside, piece->raw->size - inside,
			 &walk->packet))
		return false;
	walk->kind = &walk->kinds[walk->packet.kind];
	if (walk->record_is_whole || walk->record_is_cut)
		walk->record = (struct pd_spe_record){ 0 };
	walk->record_is_cut = piece->trace.tracer->has_operations && !walk->packet.kind;
	walk->record_is_whole = piece->trace.tracer->has_operations && !walk->record_is_cut &&
				pd_spe_take(&walk->record, &walk->packet, walk->at);
	return true;
}

uint64_t pd_aux_packet_time(const struct pd_aux_walk *walk)
{
	return walk->kind->has_time ? pd_aux_time(&walk->piece->clock, walk->packet.words[0]) : UINT64_MAX;
}

void pd_spe_row_of_piece(const struct pd_aux_piece *piece, const struct pd_spe_record *record, struct pd_spe_row *ret)
{
	memset(ret, 0, sizeof *ret);   /* the padding too, since samples hold the row's bytes */
	ret->record = *record;
	ret->payload_offset = piece->payload_offset;
	ret->aux_offset = piece->aux_offset;
	ret->time = record->present & PD_SPE_TIME ? pd_aux_time(&piece->clock, record->timer) : UINT64_MAX;
	ret->cpu = piece->cpu;
	ret->tid = piece->tid;
}

bool pd_spe_row_of_sample(const struct perfdata_raw *raw, struct pd_spe_row *ret)
{
	if (!(raw->flags & PERFDATA_RAW_SYNTHESIZED) || raw->size < sizeof *ret ||
	    !(raw->event->attr->sample_type & PERFDATA_SAMPLE_RAW))
		return false;
	memcpy(ret, raw->bytes + raw->size - sizeof *ret, sizeof *ret);
	return true;
}

/* Goes over the records of an SPE piece, to find the record that continues in the next piece. */
static void skip_records(struct pd_aux_piece *next)
{
	struct pd_aux_walk walk;
	pd_aux_walk_begin(&walk, next);
	while (pd_aux_walk_next(&walk))
		;
	next->state = walk.state;
	next->open = walk.record_is_whole || walk.record_is_cut ? (struct pd_spe_record){ 0 } : walk.record;
}

/* Gives the piece a copy of the stream in its state before the piece; moves the stream itself to the next piece. */
static enum perfdata_status add_coresight(struct pd_aux_carry *carry, const struct perfdata_raw *raw,
					  struct pd_aux_piece *piece)
{
	struct pd_packet packet;
	uint64_t at;
	piece->cs = pd_cs_stream_copy(carry->cs, piece->stop);
	if (!piece->cs)
		return PERFDATA_ENOMEM;
	while (raw->payload && pd_cs_next(carry->cs, raw->bytes, raw->size, piece->from, piece->stop, &packet,
					  &at) != PD_CS_END)
		;
	return PERFDATA_OK;
}

static enum perfdata_status add_piece(struct pd_aux_carry *carry, const struct perfdata_raw *raw,
				      struct pd_aux_pieces *pieces)
{
	struct pd_aux_piece *next = &carry->next;
	if (pd_vector_grow(&pieces->list, &pieces->room, pieces->nr, sizeof *pieces->list) < 0)
		return PERFDATA_ENOMEM;
	next->raw = raw;
	/* a packet cut by the end of this piece is whole at the beginning of the next one */
	next->stop = next->from + raw->size - (raw->payload ? PERFDATA_PAYLOAD_OVERLAP : 0);
	if (next->first)
		pd_aux_begin(&next->trace, &next->state, raw->bytes, raw->size);
	pieces->list[pieces->nr++] = *next;
	if (carry->cs && add_coresight(carry, raw, &pieces->list[pieces->nr - 1]) != PERFDATA_OK)
		return PERFDATA_ENOMEM;
	const bool has_operations = next->trace.tracer && next->trace.tracer->has_operations;
	if (carry->records && has_operations)
		skip_records(next);
	else if (raw->payload || has_operations)
		pd_aux_skip(&next->trace, &next->state, raw->bytes, raw->size, next->from, next->stop);
	next->from = next->stop;
	next->first = false;
	return PERFDATA_OK;
}

enum perfdata_status pd_aux_scan(struct pd_aux_carry *carry, const struct perfdata_reader *reader,
				 const struct perfdata_raw *raw, struct pd_aux_pieces *pieces)
{
	struct perfdata_record record;
	if (raw->flags & PERFDATA_RAW_PAYLOAD)
		return add_piece(carry, raw, pieces);
	if (raw->type != PERFDATA_RECORD_AUXTRACE_INFO && raw->type != PERFDATA_RECORD_AUXTRACE &&
	    raw->type != PERFDATA_RECORD_TIME_CONV)
		return PERFDATA_OK;
	(void)perfdata_decode(perfdata_reader_config(reader), raw->bytes, raw->size, &record);
	if (raw->type == PERFDATA_RECORD_AUXTRACE_INFO)
		return take_info(carry, reader, &record.u.auxtrace_info);
	if (raw->type == PERFDATA_RECORD_TIME_CONV) {
		take_clock(&carry->setup, &record.u.time_conv);
		return PERFDATA_OK;
	}
	begin_payload(carry, reader, raw, &record.u.auxtrace);
	pd_free(carry->cs);
	carry->cs = NULL;
	if (carry->only_records || !carry->setup.tracer || !carry->setup.tracer->has_sources)
		return PERFDATA_OK;
	return pd_cs_payload_stream(reader, raw->number, &record.u.auxtrace, &carry->cs);
}

const struct pd_aux_piece *pd_aux_piece_of(const struct pd_aux_pieces *pieces, const struct perfdata_raw *raw,
					   size_t *at)
{
	while (*at < pieces->nr && pieces->list[*at].raw != raw)
		++*at;
	return *at < pieces->nr ? &pieces->list[(*at)++] : NULL;
}

void pd_aux_piece_lines(const struct pd_aux_piece *piece, struct perfdata_text *out)
{
	const struct perfdata_raw *raw = piece->raw;
	struct pd_aux_state state = piece->state;
	if (piece->cs) {
		pd_cs_stream_rewind(piece->cs);
		pd_cs_lines(piece->cs, raw->bytes, raw->size, piece->from, piece->stop, out);
		return;
	}
	if (!piece->trace.tracer || !piece->trace.tracer->nr_kinds)
		return;
	if (piece->first) {
		perfdata_text_literal(out, ".\n");
		pd_aux_head(&piece->trace, &state, out);
	}
	pd_aux_lines(&piece->trace, &state, raw->bytes, raw->size, piece->from, piece->stop, out);
}
