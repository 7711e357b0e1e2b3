/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <stdlib.h>
#include <string.h>
#include "base/memory.h"
#include "auxtrace/aux_pieces.h"
#include "perfdata/unstable.h"

void pd_aux_carry_release(struct pd_aux_carry *carry)
{
	free(carry->tracer.cpus);
	carry->tracer.cpus = NULL;
	carry->tracer.nr_cpus = 0;
	pd_free(carry->cs);
	carry->cs = NULL;
}

bool pd_aux_carry_is_decoded(const struct pd_aux_carry *carry)
{
	unsigned nr_kinds;
	(void)pd_aux_kinds(carry->tracer.type, &nr_kinds);
	return nr_kinds && (!carry->cs || pd_cs_stream_is_decoded(carry->cs));
}

void pd_aux_pieces_release(struct pd_aux_pieces *pieces)
{
	for (size_t i = 0; i < pieces->nr; i++)
		pd_free(pieces->list[i].cs);
	free(pieces->list);
	*pieces = (struct pd_aux_pieces){ 0 };
}

/* --- what a trace is --- */

uint32_t pd_aux_type_of(const struct perfdata_raw *raw, const struct perfdata_config *config)
{
	struct perfdata_record record;
	(void)perfdata_decode(config, raw->bytes, raw->size, &record);
	return record.u.auxtrace_info.type;
}

static uint64_t number_in(const char *text, size_t size, unsigned base)
{
	uint64_t value = 0;
	for (size_t i = 0; i < size; i++) {
		const char c = text[i];
		const unsigned digit = c >= '0' && c <= '9'   ? (unsigned)(c - '0')
				       : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10
				       : c >= 'A' && c <= 'F' ? (unsigned)(c - 'A') + 10
							      : 99;
		if (digit >= base)
			break;
		value = value * base + digit;
	}
	return value;
}

/* The MIDR of an SPE trace by an older recorder: the section CPUID tells it, in hexadecimal. */
static uint64_t midr_of_header(const struct perfdata_reader *reader)
{
	const char *text = perfdata_reader_feature_text(reader, PERFDATA_FEATURE_CPUID);
	if (!text)
		return 0;
	if (!strncmp(text, "0x", 2))
		text += 2;
	return number_in(text, strlen(text), 16);
}

/* The machine number of s390, from the section CPUID: "IBM,3906,…" */
static uint64_t machine_of_header(const struct perfdata_reader *reader)
{
	const char *text = perfdata_reader_feature_text(reader, PERFDATA_FEATURE_CPUID),
		   *comma = text ? strchr(text, ',') : NULL;
	return comma ? number_in(comma + 1, strlen(comma + 1), 10) : 0;
}

/* The words of AUXTRACE_INFO: header version, size of this header, PMU, number of CPUs; then for each CPU: magic, CPU,
 * number of words, MIDR, … */
static enum perfdata_status take_spe_cpus(struct pd_aux_tracer *tracer, const struct perfdata_list *priv)
{
	const uint64_t head = perfdata_list_u64(priv, 1);
	uint64_t at = head < 4 ? 4 : head;
	while (at <= priv->count && priv->count - at >= 4) {
		const uint64_t params = perfdata_list_u64(priv, at + 2);
		if (pd_vector_grow(&tracer->cpus, &tracer->room_cpus, tracer->nr_cpus, sizeof *tracer->cpus) < 0)
			return PERFDATA_ENOMEM;
		tracer->cpus[tracer->nr_cpus++] = (struct pd_aux_cpu){ (uint32_t)perfdata_list_u64(priv, at + 1),
								       perfdata_list_u64(priv, at + 3) };
		if (params > priv->count)
			break;
		at += 3 + params;
	}
	tracer->midr = tracer->nr_cpus ? tracer->cpus[0].midr : 0;
	for (size_t i = 1; i < tracer->nr_cpus; i++)
		if (tracer->cpus[i].midr != tracer->midr)
			tracer->midr = 0;
	return PERFDATA_OK;
}

static enum perfdata_status take_info(struct pd_aux_carry *carry, const struct perfdata_reader *reader,
				      const struct perfdata_record *record)
{
	const struct perfdata_auxtrace_info *info = &record->u.auxtrace_info;
	const struct perfdata_list *priv = &info->priv;
	struct pd_aux_tracer *tracer = &carry->tracer;
	const struct pd_aux_clock clock = tracer->clock;   /* a TIME_CONV in front may have set it */

	pd_aux_carry_release(carry);
	*tracer = (struct pd_aux_tracer){ .type = info->type, .clock = clock };
	if ((info->type == PD_AUX_INTEL_PT || info->type == PD_AUX_INTEL_BTS) && priv->count >= 5 &&
	    perfdata_list_u64(priv, 4))
		tracer->clock = (struct pd_aux_clock){ .shift = perfdata_list_u64(priv, 1),
						       .mult = perfdata_list_u64(priv, 2),
						       .zero = perfdata_list_u64(priv, 3) };
	if (info->type == PD_AUX_S390)
		tracer->machine = machine_of_header(reader);
	if (info->type != PD_AUX_ARM_SPE)
		return PERFDATA_OK;
	tracer->timeless = perfdata_reader_nr_events(reader) &&
			   !(perfdata_config_attr(perfdata_reader_event(reader, 0)->config)->sample_type &
			     PERFDATA_SAMPLE_TIME);
	if (priv->count > 2)
		return take_spe_cpus(tracer, priv);
	tracer->midr = midr_of_header(reader);
	return PERFDATA_OK;
}

static void take_clock(struct pd_aux_tracer *tracer, const struct perfdata_time_conv *conv)
{
	/* words that are not in the record are zero */
	tracer->clock = (struct pd_aux_clock){ .zero = conv->time_zero,
					       .mult = conv->time_mult,
					       .shift = conv->time_shift,
					       .short_time = conv->cap_user_time_short,
					       .cycles = conv->time_cycles,
					       .mask = conv->time_mask };
}

uint64_t pd_aux_time(const struct pd_aux_clock *clock, uint64_t ticks)
{
	if (!clock->mult || clock->shift > 63)
		return UINT64_MAX;
	if (clock->short_time)
		ticks = clock->cycles + ((ticks - clock->cycles) & clock->mask);
	const uint64_t whole = ticks >> clock->shift, part = ticks & ((1ull << clock->shift) - 1);
	return clock->zero + whole * clock->mult + (part * clock->mult >> clock->shift);
}

/* --- pieces --- */

static uint64_t midr_of(const struct pd_aux_tracer *tracer, int32_t cpu)
{
	for (size_t i = 0; cpu >= 0 && i < tracer->nr_cpus; i++)
		if (tracer->cpus[i].cpu == (uint32_t)cpu)
			return tracer->cpus[i].midr;
	return tracer->nr_cpus && cpu >= 0 ? 0 : tracer->midr;
}

static void begin_payload(struct pd_aux_carry *carry, const struct perfdata_reader *reader,
			  const struct perfdata_raw *raw, const struct perfdata_auxtrace *auxtrace)
{
	const bool pipe = perfdata_reader_header(reader)->container == PERFDATA_CONTAINER_PIPE;
	const bool inner = raw->inner != PERFDATA_NO_OFFSET;
	const struct pd_aux_tracer *tracer = &carry->tracer;
	const struct pd_packet described = carry->next.state.described;
	carry->next = (struct pd_aux_piece){
		.trace = { .type = tracer->type,
			   .size = auxtrace->size,
			   .midr = midr_of(tracer, auxtrace->cpu),
			   .machine = tracer->machine,
			   .address = pipe || inner ? 0 : raw->offset + raw->size,
			   .stops_at_bad = carry->dump },
		.clock = tracer->clock,
		.payload_offset = inner ? PERFDATA_NO_OFFSET : raw->offset + raw->size,
		.aux_offset = auxtrace->offset,
		.tid = auxtrace->tid,
		.cpu = auxtrace->cpu,
		.idx = auxtrace->idx,
		.first = true,
	};
	carry->next.state.described = described;
	if (tracer->timeless)
		carry->next.clock.mult = 0;
}

void pd_aux_walk_begin(struct pd_aux_walk *walk, const struct pd_aux_piece *piece)
{
	unsigned nr_kinds;
	*walk = (struct pd_aux_walk){ .piece = piece, .state = piece->state, .record = piece->open };
	walk->kinds = pd_aux_kinds(piece->trace.type, &nr_kinds);
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
	walk->record_is_cut = piece->trace.type == PD_AUX_ARM_SPE && !walk->packet.kind;
	walk->record_is_whole = piece->trace.type == PD_AUX_ARM_SPE && !walk->record_is_cut &&
				pd_spe_take(&walk->record, &walk->packet, walk->at);
	return true;
}

uint64_t pd_aux_packet_time(const struct pd_aux_walk *walk)
{
	const struct pd_aux_piece *piece = walk->piece;
	const bool ticks = (piece->trace.type == PD_AUX_INTEL_PT && !strcmp(walk->kind->name, "TSC")) ||
			   (piece->trace.type == PD_AUX_ARM_SPE && !strcmp(walk->kind->name, "TS"));
	return ticks ? pd_aux_time(&piece->clock, walk->packet.words[0]) : UINT64_MAX;
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
	if (!(raw->flags & PERFDATA_RAW_MADE) || raw->size < sizeof *ret ||
	    !(raw->event->attr->sample_type & PERFDATA_SAMPLE_RAW))
		return false;
	memcpy(ret, raw->bytes + raw->size - sizeof *ret, sizeof *ret);
	return true;
}

/* Records of SPE go on over the border of a piece. */
static void skip_records(struct pd_aux_piece *next)
{
	struct pd_aux_walk walk;
	pd_aux_walk_begin(&walk, next);
	while (pd_aux_walk_next(&walk))
		;
	next->state = walk.state;
	next->open = walk.record_is_whole || walk.record_is_cut ? (struct pd_spe_record){ 0 } : walk.record;
}

/* The piece gets a copy of what is known in front of it; the stream goes on to the next one. */
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
	/* a packet that is not whole at the end of the piece stands whole at the beginning of the next one */
	next->stop = next->from + raw->size - (raw->payload ? PERFDATA_PAYLOAD_OVERLAP : 0);
	if (next->first)
		pd_aux_begin(&next->trace, &next->state, raw->bytes, raw->size);
	pieces->list[pieces->nr++] = *next;
	if (carry->cs && add_coresight(carry, raw, &pieces->list[pieces->nr - 1]) != PERFDATA_OK)
		return PERFDATA_ENOMEM;
	if (carry->records && next->trace.type == PD_AUX_ARM_SPE)
		skip_records(next);
	else if (raw->payload || next->trace.type == PD_AUX_ARM_SPE)
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
		return take_info(carry, reader, &record);
	if (raw->type == PERFDATA_RECORD_TIME_CONV) {
		take_clock(&carry->tracer, &record.u.time_conv);
		return PERFDATA_OK;
	}
	begin_payload(carry, reader, raw, &record.u.auxtrace);
	pd_free(carry->cs);
	carry->cs = NULL;
	if (carry->only_records || carry->tracer.type != PD_AUX_CORESIGHT)
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
	unsigned nr_kinds;
	if (piece->cs) {
		pd_cs_stream_rewind(piece->cs);
		pd_cs_lines(piece->cs, raw->bytes, raw->size, piece->from, piece->stop, out);
		return;
	}
	(void)pd_aux_kinds(piece->trace.type, &nr_kinds);
	if (!nr_kinds)
		return;
	if (piece->first) {
		perfdata_text_literal(out, ".\n");
		pd_aux_head(&piece->trace, &state, out);
	}
	pd_aux_lines(&piece->trace, &state, raw->bytes, raw->size, piece->from, piece->stop, out);
}
