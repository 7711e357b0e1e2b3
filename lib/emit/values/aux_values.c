/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <stdio.h>
#include <string.h>
#include "emit/values/aux_values.h"
#include "text/spelling.h"

/* --- columns ------------------------------------------------------------------------------------------------------ */

#define NS PERFDATA_UNIT_NS
#define SIZE PERFDATA_UNIT_BYTES
#define PLAIN PERFDATA_UNIT_NONE
#define PLACE_COLUMNS \
	[AUX_OFFSET] = COLUMN("offset", INT64, SIZE, "Offset in the input; null inside COMPRESSED records."), \
	[AUX_TRACE] = COLUMN("trace", TEXT, PLAIN, "Tracer: intel_pt, arm_spe, …"), \
	[AUX_CPU] = COLUMN("cpu", INT32, PLAIN, "CPU of the buffer."), \
	[AUX_BUFFER_TID] = COLUMN("buffer_tid", INT32, PLAIN, "Thread of the buffer."), \
	[AUX_AUX_OFFSET] = COLUMN("aux_offset", INT64, SIZE, "Offset in the AUX area."), \
	[AUX_SIZE] = COLUMN("size", INT64, SIZE, "Size in bytes, without padding.")
const struct table_column pd_packet_columns[] = {
	PLACE_COLUMNS,
	[PACKETS_PADDING] = COLUMN("padding", INT32, SIZE, "Bytes of padding after it."),
	[PACKETS_PACKET] = COLUMN("packet", TEXT, PLAIN, "Kind of packet; bad: no packet begins with this byte."),
	[PACKETS_TIME] = COLUMN("time", INT64, NS, "Time in the packet, if the relation of the clocks is known."),
	[PACKETS_PAYLOAD] = COLUMN("payload", UINT64, PLAIN, "First word of the packet."),
	[PACKETS_TEXT] = COLUMN("text", TEXT, PLAIN, "Text of the packet in perf script -D."),
	[PACKETS_FIELDS] = COLUMN("fields", JSON, PLAIN, "Fields of the packet, as in ndjson."),
	{ 0 },
};
const struct table_column pd_spe_columns[] = {
	PLACE_COLUMNS,
	[SPE_TIME] = COLUMN("time", INT64, NS, "Time of the sample, if the relation of the clocks is known."),
	[SPE_TIMER] = COLUMN("timer", INT64, PLAIN, "Time in ticks of the generic timer."),
	[SPE_CONTEXT] = COLUMN("context", INT64, PLAIN, "CONTEXTIDR: the kernel stores the tid there."),
	[SPE_PC] = COLUMN("pc", UINT64, PLAIN, "Address of the instruction."),
	[SPE_LEVEL] = COLUMN("level", INT32, PLAIN, "Exception level."),
	[SPE_OPERATION] = COLUMN("operation", TEXT, PLAIN, "load, store, branch, other or unknown."),
	[SPE_OPERATION_RAW] = COLUMN("operation_raw", UINT64, PLAIN, "The payload of the operation's packet."),
	[SPE_EVENTS] = COLUMN("events", LIST_TEXT, PLAIN, "Names of the events of the operation."),
	[SPE_TARGET] = COLUMN("target", UINT64, PLAIN, "Target of a branch."),
	[SPE_PREVIOUS] = COLUMN("previous_target", UINT64, PLAIN, "Target of the branch before."),
	[SPE_VIRTUAL] = COLUMN("virtual_address", UINT64, PLAIN, "Virtual address of the data."),
	[SPE_PHYSICAL] = COLUMN("physical_address", UINT64, PLAIN, "Physical address of the data."),
	[SPE_SOURCE] = COLUMN("data_source", UINT64, PLAIN, "Source of the data: a number of the processor."),
	[SPE_TOTAL] = COLUMN("total_cycles", INT32, PLAIN, "Latency from dispatch to completion."),
	[SPE_ISSUE] = COLUMN("issue_cycles", INT32, PLAIN, "Latency from dispatch to issue."),
	[SPE_TRANSLATION] = COLUMN("translation_cycles", INT32, PLAIN, "Latency of the address translation."),
	[SPE_PID] = COLUMN("pid", INT32, PLAIN, "The process (--names)."),
	[SPE_TID] = COLUMN("tid", INT32, PLAIN, "The thread in the operation, or in the operation before (--names)."),
	[SPE_COMM] = COLUMN("comm", TEXT, PLAIN, "Name of the thread at that time (--names)."),
	[SPE_PC_DSO] = COLUMN("pc_dso", TEXT, PLAIN, "File that contains `pc` (--names)."),
	[SPE_PC_DSO + 1] = COLUMN("pc_symbol", TEXT, PLAIN, "The symbol there (--symbols yes)."),
	[SPE_PC_DSO + 2] = COLUMN("pc_symbol_offset", INT64, SIZE, "Distance from its start."),
	[SPE_TARGET_DSO] = COLUMN("target_dso", TEXT, PLAIN, "File that contains `target` (--names)."),
	[SPE_TARGET_DSO + 1] = COLUMN("target_symbol", TEXT, PLAIN, "The symbol there (--symbols yes)."),
	[SPE_TARGET_DSO + 2] = COLUMN("target_symbol_offset", INT64, SIZE, "Distance from its start."),
	{ 0 },
};

/* --- the place of a row ------------------------------------------------------------------------------------------- */

struct aux_place pd_aux_place_of_packet(const struct pd_aux_piece *piece, uint64_t at, uint64_t size)
{
	return (struct aux_place){ piece->trace.tracer->name, piece->payload_offset, piece->aux_offset, at, size,
				   piece->cpu, piece->tid };
}

struct aux_place pd_aux_place_of_sample(const struct pd_spe_row *row)
{
	return (struct aux_place){ pd_spe_tracer.name, row->payload_offset, row->aux_offset, row->record.from,
				   row->record.end - row->record.from, row->cpu, row->tid };
}

struct value pd_aux_place_value(const struct aux_place *place, unsigned column)
{
	switch (column) {
	case AUX_OFFSET:
		return value_number(place->payload_offset != PERFDATA_NO_OFFSET, place->payload_offset + place->at);
	case AUX_TRACE: return value_text(place->trace ? place->trace : "unknown");
	case AUX_CPU: return value_number(place->cpu >= 0, (uint64_t)place->cpu);
	case AUX_BUFFER_TID: return value_number(place->tid >= 0, (uint64_t)place->tid);
	case AUX_AUX_OFFSET: return value_number(true, place->aux_offset + place->at);
	case AUX_SIZE: return value_number(true, place->size);
	default: return (struct value){ .kind = IS_ABSENT };
	}
}

/* --- packets ------------------------------------------------------------------------------------------------------ */

struct value pd_packet_row_value(const struct pd_aux_piece *piece, const struct pd_aux_walk *walk, unsigned column)
{
	const struct pd_packet *packet = &walk->packet;
	const struct aux_place place = pd_aux_place_of_packet(piece, walk->at, packet->size);
	const uint64_t time = pd_aux_packet_time(walk);
	switch (column) {
	case PACKETS_PADDING: return value_number(true, packet->line - packet->size);
	case PACKETS_PACKET: return value_text(walk->kind->name);
	case PACKETS_TIME: return value_number(time != UINT64_MAX, time);
	case PACKETS_PAYLOAD: return value_word(walk->kind->nr_fields, packet->words[0]);
	default: return pd_aux_place_value(&place, column);
	}
}

/* --- operations --------------------------------------------------------------------------------------------------- */

void pd_spe_names_load(const struct emitted_names *world, const struct pd_spe_row *row,
		       const struct perfdata_delivery *delivery, struct spe_names *ret)
{
	const uint32_t present = row->record.present;
	ret->pid = delivery->pid;
	ret->tid = delivery->tid;
	ret->comm = delivery->comm == PERFDATA_NONE ? NULL : perfdata_session_comm(world->session, delivery->comm);
	pd_location_load(world, present & PD_SPE_PC ? delivery->ip : PERFDATA_NONE, LOCATION_NAMES, &ret->pc);
	pd_location_load(world, present & PD_SPE_TARGET ? delivery->addr : PERFDATA_NONE, LOCATION_NAMES,
			 &ret->target);
}

static struct value location_value(const struct location *place, unsigned column)
{
	static const enum location_part parts[3] = { LOCATION_DSO, LOCATION_SYMBOL, LOCATION_SYMBOL_OFFSET };
	const enum location_part part = parts[column];
	return (struct value){ .kind = !(place->present & LOCATION_BIT(part)) ? IS_ABSENT
				       : part == LOCATION_SYMBOL_OFFSET       ? IS_NUMBER
									      : IS_TEXT,
			       .number = place->number[part],
			       .text = place->text[part] };
}

static struct value name_value(const struct spe_names *names, unsigned column)
{
	switch (column) {
	case SPE_PID: return value_number(names->pid >= 0, (uint64_t)names->pid);
	case SPE_TID: return value_number(names->tid >= 0, (uint64_t)names->tid);
	case SPE_COMM: return value_text(names->comm);
	default: break;
	}
	return column < SPE_TARGET_DSO ? location_value(&names->pc, column - SPE_PC_DSO)
				       : location_value(&names->target, column - SPE_TARGET_DSO);
}

struct value pd_spe_value(const struct pd_spe_row *row, const struct spe_names *names, unsigned column)
{
	const struct pd_spe_record *record = &row->record;
	const uint32_t present = record->present;
	const struct aux_place place = pd_aux_place_of_sample(row);
	switch (column) {
	case SPE_TIME: return value_number(row->time != UINT64_MAX, row->time);
	case SPE_TIMER: return value_number(present & PD_SPE_TIME, record->timer);
	case SPE_CONTEXT: return value_number(present & PD_SPE_CONTEXT, record->context);
	case SPE_PC: return value_word(present & PD_SPE_PC, record->pc);
	case SPE_LEVEL: return value_number(present & PD_SPE_PC, record->pc_level);
	case SPE_OPERATION: return value_text(present & PD_SPE_OPERATION ? pd_spe_operation(record) : NULL);
	case SPE_OPERATION_RAW: return value_word(present & PD_SPE_OPERATION, record->operation);
	case SPE_EVENTS:
		return (struct value){ .kind = present & PD_SPE_EVENTS ? IS_BITS : IS_ABSENT,
				       .number = record->events };
	case SPE_TARGET: return value_word(present & PD_SPE_TARGET, record->target);
	case SPE_PREVIOUS: return value_word(present & PD_SPE_PREVIOUS, record->previous);
	case SPE_VIRTUAL: return value_word(present & PD_SPE_VIRTUAL, record->virtual_address);
	case SPE_PHYSICAL: return value_word(present & PD_SPE_PHYSICAL, record->physical_address);
	case SPE_SOURCE: return value_word(present & PD_SPE_SOURCE, record->source);
	case SPE_TOTAL: return value_number(present & PD_SPE_TOTAL, record->total);
	case SPE_ISSUE: return value_number(present & PD_SPE_ISSUE, record->issue);
	case SPE_TRANSLATION: return value_number(present & PD_SPE_TRANSLATION, record->translation);
	default: break;
	}
	if (column < AUX_PLACE_COLUMNS)
		return pd_aux_place_value(&place, column);
	return names ? name_value(names, column) : (struct value){ .kind = IS_ABSENT };
}

const char *pd_aux_bit_name(const char *const *list, unsigned nr, unsigned bit, char room[AUX_BIT_NAME])
{
	if (bit < nr && list[bit])
		return list[bit];
	snprintf(room, AUX_BIT_NAME, "bit %u", bit);
	return room;
}

void pd_aux_describe(const struct pd_aux_trace *trace, const struct pd_packet_kind *kind,
		     const struct pd_packet *packet, struct perfdata_text *out)
{
	const size_t before = out->size;
	pd_packet_text(trace, packet, out);
	if (out->size > before)
		return;
	for (unsigned i = 0; i < kind->nr_fields; i++) {
		const struct pd_packet_field *field = &kind->fields[i];
		const uint64_t value = pd_packet_value(packet, field);
		if (i)
			perfdata_text_char(out, ' ');
		perfdata_text_string(out, field->name);
		perfdata_text_char(out, '=');
		if (field->show == PD_SHOW_ENUM && value < field->nr_names && field->names[value])
			perfdata_text_string(out, field->names[value]);
		else if (field->show == PD_SHOW_HEX)
			pd_text_hex_alt(out, value);
		else
			perfdata_text_u64(out, value);
	}
}
