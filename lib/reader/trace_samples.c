/* SPDX-License-Identifier: MIT */
/* Samples made of the traces of Arm SPE: each operation in a payload becomes samples of events that are added for this
 * purpose; these samples then go the way of all records. The samples are older than the payload by an unknown time.
 * Where they may come, FINISHED_ROUND therefore releases no record. */
#include "config.h"
#include "base/cursor.h"
#include "base/memory.h"
#include "reader/trace_pieces.h"
#include "auxtrace/spe_sample.h"
#include "reader/reader_impl.h"

#define ID_STEP 1000000000ull           /* first id of these events: that of the tracer's event plus this, as in perf */
#define SAMPLE_ROOM 256u                /* more bytes than any sample needs */

/* What the decoder learned from earlier operations of a buffer, kept from one payload to the next. */
struct learned {
	uint64_t buffer;                   /* the buffer's processor, or 1 << 32 | its index */
	int32_t tid;
	uint64_t timer;                    /* the largest one: perf orders operations without a time by it */
	bool begun;                        /* a whole operation came already */
};

struct pd_trace_samples {
	uint32_t wanted;                   /* enum perfdata_trace_samples */
	const struct perfdata_event *events[PD_SPE_EVENTS_MADE];   /* the events made; NULL: not wanted */
	uint64_t sample_type;              /* common sample type of the events made; 0: no trace of SPE so far */
	struct pd_aux_carry carry;
	struct pd_aux_pieces pieces;       /* the piece that is worked on, or none */
	struct pd_aux_walk walk;
	struct perfdata_raw raw;           /* the record of the piece */
	struct learned *learned;
	size_t nr_learned, room_learned, buffer; /* buffer: index for the piece */
	bool empty_first;                  /* a sample of an empty operation comes next */
	struct pd_chunk *chunk;            /* held: samples are written into it */
};

enum perfdata_status pd_reader_make_samples(struct perfdata_reader *reader, uint32_t wanted)
{
	if (!wanted || reader->traces)
		return PERFDATA_OK;
	reader->traces = pd_calloc(1, sizeof *reader->traces);
	if (!reader->traces)
		return PERFDATA_ENOMEM;
	reader->traces->wanted = wanted;
	reader->traces->carry.records = reader->traces->carry.only_records = true;
	return PERFDATA_OK;
}

void pd_trace_samples_free(struct perfdata_reader *reader)
{
	struct pd_trace_samples *traces = reader->traces;
	if (!traces)
		return;
	pd_aux_carry_release(&traces->carry);
	pd_aux_pieces_release(&traces->pieces);
	pd_chunk_drop(traces->chunk);
	pd_free(traces->learned);
	pd_free(traces);
	reader->traces = NULL;
}

bool pd_trace_samples_come(const struct perfdata_reader *reader)
{
	return reader->traces && reader->traces->sample_type;
}

/* --- their events --- */

static void store32(const struct perfdata_reader *reader, uint8_t *at, uint32_t value)
{
	value = reader->config.swap ? __builtin_bswap32(value) : value;
	memcpy(at, &value, sizeof value);
}

static void store64(const struct perfdata_reader *reader, uint8_t *at, uint64_t value)
{
	value = reader->config.swap ? __builtin_bswap64(value) : value;
	memcpy(at, &value, sizeof value);
}

/* The event that recorded the trace. */
static const struct perfdata_event *tracer_event(const struct perfdata_reader *reader, const struct perfdata_list *priv)
{
	const uint64_t pmu = priv->count ? perfdata_list_u64(priv, priv->count > 2 ? 2 : 0) : 0;
	for (size_t i = 0; priv->count && i < reader->nr_events; i++)
		if (reader->events[i]->attr->type == pmu)
			return reader->events[i];
	return reader->nr_events ? reader->events[0] : NULL;
}

/* The sample type of an event. Samples of whole operations have few fields: the rest is in their raw data. */
static uint64_t type_of(const struct pd_trace_samples *traces, enum pd_spe_event event)
{
	const uint64_t kept = PERFDATA_SAMPLE_IDENTIFIER | PERFDATA_SAMPLE_ID | PERFDATA_SAMPLE_TIME |
			      PERFDATA_SAMPLE_CPU | PERFDATA_SAMPLE_IP | PERFDATA_SAMPLE_TID | PERFDATA_SAMPLE_ADDR;
	return event == PD_SPE_OPERATIONS ? (traces->sample_type & kept) | PERFDATA_SAMPLE_RAW : traces->sample_type;
}

static enum perfdata_status add_event(struct perfdata_reader *reader, const struct perfdata_event *tracer,
				      enum pd_spe_event number)
{
	enum { TYPE = 0, CONFIG = 8, PERIOD = 16, SAMPLE_TYPE = 24, HEAD = 32 };
	struct pd_trace_samples *traces = reader->traces;
	uint8_t id[8];
	uint8_t *attr = (uint8_t *)pd_arena_copy(&reader->arena, tracer->attr_bytes.data, tracer->attr_bytes.size);
	if (!attr)
		return PERFDATA_ENOMEM;
	store32(reader, attr + TYPE, 0);
	store64(reader, attr + CONFIG, number == PD_SPE_INSTRUCTIONS);
	store64(reader, attr + PERIOD, 1);
	store64(reader, attr + SAMPLE_TYPE, type_of(traces, number));
	store64(reader, id, (tracer->nr_ids ? tracer->ids[0] : 0) + ID_STEP + number);
	const struct perfdata_bytes attr_bytes = { attr, tracer->attr_bytes.size }, ids = { id, sizeof id };
	const size_t index = reader->nr_events;
	const char *name = pd_spe_event_name(number);
	enum perfdata_status status = pd_event_add(reader, attr_bytes, ids, PERFDATA_NO_OFFSET);
	if (status == PERFDATA_OK)
		status = pd_event_set_name(reader, index, name, strlen(name), PERFDATA_NAME_EVENT_UPDATE);
	traces->events[number] = status == PERFDATA_OK ? reader->events[index] : NULL;
	return status;
}

/* Whether the reader makes samples of the trace that is being read. */
static bool makes_samples(const struct pd_trace_samples *traces)
{
	return traces->carry.setup.tracer && traces->carry.setup.tracer->has_operations;
}

static enum perfdata_status add_events(struct perfdata_reader *reader, const struct perfdata_raw *info)
{
	struct pd_trace_samples *traces = reader->traces;
	struct perfdata_record record;
	(void)perfdata_decode(&reader->config, info->bytes, info->size, &record);
	const struct perfdata_event *tracer = tracer_event(reader, &record.u.auxtrace_info.priv);
	if (!makes_samples(traces) || traces->sample_type || !tracer ||
	    tracer->attr_bytes.size < 64)
		return PERFDATA_OK;
	const uint64_t kept = PERFDATA_SAMPLE_IDENTIFIER | PERFDATA_SAMPLE_ID | PERFDATA_SAMPLE_TIME |
			      PERFDATA_SAMPLE_CPU;
	traces->sample_type = (tracer->attr->sample_type & kept) | PERFDATA_SAMPLE_IP | PERFDATA_SAMPLE_TID |
			      PERFDATA_SAMPLE_ADDR | PERFDATA_SAMPLE_PERIOD | PERFDATA_SAMPLE_WEIGHT |
			      PERFDATA_SAMPLE_DATA_SRC | PERFDATA_SAMPLE_PHYS_ADDR;
	if (traces->wanted & PERFDATA_TRACE_BRANCH_STACKS)
		traces->sample_type |= PERFDATA_SAMPLE_BRANCH_STACK;
	enum perfdata_status status = PERFDATA_OK;
	for (unsigned i = 0; i < PD_SPE_EVENTS_MADE && status == PERFDATA_OK; i++)
		if (pd_spe_event_wish(i) & traces->wanted)
			status = add_event(reader, tracer, i);
	return status;
}

static enum perfdata_status find_buffer(struct pd_trace_samples *traces)
{
	const struct pd_aux_piece *piece = &traces->pieces.list[0];
	const uint64_t buffer = piece->cpu >= 0 ? (uint32_t)piece->cpu : 1ull << 32 | piece->idx;
	for (traces->buffer = 0; traces->buffer < traces->nr_learned; traces->buffer++)
		if (traces->learned[traces->buffer].buffer == buffer)
			return PERFDATA_OK;
	if (pd_vector_grow(&traces->learned, &traces->room_learned, traces->nr_learned, sizeof *traces->learned) < 0)
		return PERFDATA_ENOMEM;
	traces->learned[traces->nr_learned++] = (struct learned){ .buffer = buffer, .tid = piece->tid };
	/* without times, perf makes a sample before it has read any operation */
	traces->empty_first = traces->carry.setup.timeless;
	return PERFDATA_OK;
}

enum perfdata_status pd_trace_samples_see(struct perfdata_reader *reader, const struct perfdata_raw *raw)
{
	struct pd_trace_samples *traces = reader->traces;
	traces->pieces.nr = 0;
	traces->raw = *raw;   /* the piece points to this copy: the caller may reuse its record */
	enum perfdata_status status = pd_aux_scan(&traces->carry, reader, &traces->raw, &traces->pieces);
	if (status == PERFDATA_OK && raw->type == PERFDATA_RECORD_AUXTRACE_INFO)
		status = add_events(reader, raw);
	if (status != PERFDATA_OK || !traces->pieces.nr || !makes_samples(traces) ||
	    !traces->sample_type) {
		traces->pieces.nr = 0;
		return status;
	}
	pd_aux_walk_begin(&traces->walk, &traces->pieces.list[0]);
	return find_buffer(traces);
}

/* --- the samples --- */

/* An operation that names no thread belongs to the thread of the operation before: the kernel writes a CONTEXT packet
 * with the tid where the thread changes. */
static void take_thread(struct pd_trace_samples *traces, const struct pd_spe_record *record)
{
	struct learned *learned = &traces->learned[traces->buffer];
	if (record->timer > learned->timer)
		learned->timer = record->timer;
	if (record->present & PD_SPE_CONTEXT && !traces->carry.setup.timeless)
		learned->tid = (int32_t)record->context;
}

/* What samples of one operation have in common. */
struct operation {
	const struct pd_spe_record *record;
	uint64_t time;                     /* the time that the operation states; perf uses 0 for an operation without
					    * one */
	uint64_t place;                    /* the time that decides when the sample is released */
	uint64_t data_src;
	int32_t tid;
};

/* Writes raw data: a count of bytes that makes the record end at a word, and the row at its end. */
static uint8_t *spell_row(const struct perfdata_reader *reader, uint8_t *at, const struct pd_spe_record *record)
{
	struct pd_spe_row row;
	_Static_assert(sizeof row % 8 == 0 && sizeof row + 80 <= SAMPLE_ROOM, "a row fits into a sample");
	pd_spe_row_of_piece(reader->traces->walk.piece, record, &row);
	store32(reader, at, 4 + sizeof row);
	store32(reader, at + 4, 0);
	memcpy(at + 8, &row, sizeof row);
	return at + 8 + sizeof row;
}

/* Writes fields of the sample in the kernel's order; returns where the bytes end. */
static uint8_t *encode_sample(const struct perfdata_reader *reader, uint8_t *at, enum pd_spe_event event,
			      const struct operation *operation)
{
	const struct pd_trace_samples *traces = reader->traces;
	const struct pd_spe_record *record = operation->record;
	const uint64_t type = traces->sample_type, id = traces->events[event]->ids[0];
	const bool flows = event >= PD_SPE_INSTRUCTIONS || event == PD_SPE_BRANCH;
	uint64_t branches[3 * PD_SPE_BRANCHES];
#define WORD(value) (store64(reader, at, value), at += 8)
	if (type & PERFDATA_SAMPLE_IDENTIFIER)
		WORD(id);
	WORD(record->pc);
	store32(reader, at, UINT32_MAX);   /* no pid: the thread identifies the process */
	store32(reader, at + 4, (uint32_t)operation->tid);
	at += 8;
	if (type & PERFDATA_SAMPLE_TIME)
		WORD(operation->time);
	WORD(flows ? record->target : record->virtual_address);
	if (type & PERFDATA_SAMPLE_ID)
		WORD(id);
	if (type & PERFDATA_SAMPLE_CPU) {
		store32(reader, at, (uint32_t)traces->walk.piece->cpu);
		store32(reader, at + 4, 0);
		at += 8;
	}
	if (event == PD_SPE_OPERATIONS)
		return spell_row(reader, at, record);
	WORD(traces->wanted & PERFDATA_TRACE_INSTRUCTIONS ? 1 : 0);
	if (type & PERFDATA_SAMPLE_BRANCH_STACK) {
		const unsigned nr = flows ? pd_spe_branches(record, branches) : 0;
		WORD(nr);
		for (unsigned i = 0; i < 3 * nr; i++)
			WORD(branches[i]);
	}
	WORD(record->total);
	WORD(event == PD_SPE_BRANCH ? 0 : operation->data_src);
	WORD(record->physical_address);
#undef WORD
	return at;
}

static void add_sample(struct perfdata_reader *reader, enum pd_spe_event event, const struct operation *operation,
		       struct perfdata_raw *ret)
{
	struct pd_trace_samples *traces = reader->traces;
	struct pd_chunk *chunk = traces->chunk;
	const struct pd_aux_piece *piece = traces->walk.piece;
	uint8_t *start = chunk->data + chunk->size;
	const size_t size = (size_t)(encode_sample(reader, start + 8, event, operation) - start);
	const uint16_t misc = operation->record->pc >> 63 ? PERFDATA_CPUMODE_KERNEL : PERFDATA_CPUMODE_USER;

	store32(reader, start, PERFDATA_RECORD_SAMPLE);
	const uint16_t head[2] = { misc, (uint16_t)size };
	for (unsigned i = 0; i < 2; i++) {
		const uint16_t word = reader->config.swap ? __builtin_bswap16(head[i]) : head[i];
		memcpy(start + 4 + 2 * i, &word, sizeof word);
	}
	chunk->size += size;
	*ret = (struct perfdata_raw){
		.bytes = start,
		.event = traces->events[event],
		.offset = traces->raw.offset,
		.inner = traces->raw.inner,
		.number = traces->raw.number,
		.time = operation->place,
		.size = (uint32_t)size,
		.type = PERFDATA_RECORD_SAMPLE,
		.cpu = (uint32_t)piece->cpu,
		.pid = -1,
		.tid = operation->tid,
		.misc = misc,
		.file = traces->raw.file,
		.flags = PERFDATA_RAW_SYNTHESIZED,
		.chunk = chunk,
	};
}

void pd_trace_samples_given(const struct perfdata_reader *reader, struct perfdata_raw *raws, unsigned nr)
{
	const uint64_t type = reader->traces->sample_type;
	/* encode_sample writes the time after the id, the address and the thread */
	const size_t at = 8 + (type & PERFDATA_SAMPLE_IDENTIFIER ? 8 : 0) + 16;
	for (unsigned i = 0; i < nr; i++)
		if (raws[i].flags & PERFDATA_RAW_SYNTHESIZED)
			raws[i].time = type & PERFDATA_SAMPLE_TIME ? pd_load64(raws[i].bytes + at, reader->config.swap)
								   : UINT64_MAX;
}

/* Makes room for all samples of one operation. */
static bool make_room(struct perfdata_reader *reader)
{
	struct pd_trace_samples *traces = reader->traces;
	if (traces->chunk && PD_CHUNK_SIZE - traces->chunk->size >= PD_SPE_EVENTS_MADE * SAMPLE_ROOM)
		return true;
	pd_chunk_drop(traces->chunk);
	traces->chunk = pd_chunk_get(reader->pool);
	if (!traces->chunk)
		return false;
	traces->chunk->offset = traces->raw.offset;
	traces->chunk->size = 0;
	return true;
}

static unsigned add_samples(struct perfdata_reader *reader, const struct operation *operation, struct perfdata_raw *ret)
{
	unsigned nr = 0;
	for (unsigned event = 0; event < PD_SPE_EVENTS_MADE; event++)
		if (reader->traces->events[event] && pd_spe_event_is(event, operation->record))
			add_sample(reader, event, operation, &ret[nr++]);
	return nr;
}

/* Whether an operation gives samples: a whole operation does. An operation that ends at bytes which are no packet does
 * so too, as in perf, but only after a whole one. */
static bool gives_samples(struct pd_trace_samples *traces)
{
	struct learned *learned = &traces->learned[traces->buffer];
	learned->begun |= traces->walk.record_is_whole || traces->carry.setup.timeless;
	return traces->walk.record_is_whole || (traces->walk.record_is_cut && learned->begun);
}

/* The place of a sample in time order. perf compares other times with the timer, so samples come before records of the
 * same tick. Without times, perf takes one buffer after the other, per-CPU buffers last. */
static uint64_t place_of(const struct pd_trace_samples *traces)
{
	const struct pd_aux_piece *piece = traces->walk.piece;
	if (!(traces->sample_type & PERFDATA_SAMPLE_TIME))
		return piece->cpu < 0 ? UINT64_MAX : 1 + (uint64_t)piece->idx;
	const uint64_t next_tick = pd_aux_time(&piece->clock, traces->learned[traces->buffer].timer + 1);
	return next_tick && next_tick != UINT64_MAX ? next_tick - 1 : next_tick;
}

static enum perfdata_status make_samples(struct perfdata_reader *reader, const struct pd_spe_record *record,
					 struct perfdata_raw *ret, unsigned *ret_nr)
{
	struct pd_trace_samples *traces = reader->traces;
	const struct pd_aux_piece *piece = traces->walk.piece;
	take_thread(traces, record);
	const struct operation operation = {
		.record = record,
		.tid = traces->learned[traces->buffer].tid,
		.data_src = pd_spe_data_src(record, piece->trace.midr),
		.time = pd_aux_time(&piece->clock, record->timer),
		.place = place_of(traces),
	};
	if (!make_room(reader))
		return PERFDATA_ENOMEM;
	*ret_nr = add_samples(reader, &operation, ret);
	return PERFDATA_OK;
}

enum perfdata_status pd_trace_samples_next(struct perfdata_reader *reader, struct perfdata_raw *ret, unsigned *ret_nr)
{
	static const struct pd_spe_record empty;
	struct pd_trace_samples *traces = reader->traces;
	enum perfdata_status status = PERFDATA_OK;
	*ret_nr = 0;
	while (traces->pieces.nr && !*ret_nr && !status) {
		if (traces->empty_first) {
			traces->empty_first = false;
			status = make_samples(reader, &empty, ret, ret_nr);
		} else if (!pd_aux_walk_next(&traces->walk)) {
			traces->pieces.nr = 0;
		} else if (gives_samples(traces)) {
			status = make_samples(reader, &traces->walk.record, ret, ret_nr);
		}
	}
	return status || *ret_nr ? status : PERFDATA_END;
}
