/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <stdio.h>
#include <string.h>
#include "emit/table/aux_values.h"
#include "text/spelling.h"

static bool number(struct aux_value *ret, bool present, uint64_t value)
{
	ret->number = value;
	return present;
}

static bool text(struct aux_value *ret, const char *value)
{
	if (value)
		ret->text = (struct perfdata_bytes){ (const uint8_t *)value, strlen(value) };
	return value;
}

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

bool pd_aux_place_value(const struct aux_place *place, unsigned column, struct aux_value *ret)
{
	switch (column) {
	case AUX_OFFSET: return number(ret, place->payload_offset != PERFDATA_NO_OFFSET,
				       place->payload_offset + place->at);
	case AUX_TRACE: return text(ret, place->trace ? place->trace : "unknown");
	case AUX_CPU: return number(ret, place->cpu >= 0, (uint64_t)place->cpu);
	case AUX_BUFFER_TID: return number(ret, place->tid >= 0, (uint64_t)place->tid);
	case AUX_AUX_OFFSET: return number(ret, true, place->aux_offset + place->at);
	case AUX_SIZE: return number(ret, true, place->size);
	default: return false;
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

static bool location_value(const struct location *place, unsigned column, struct aux_value *ret)
{
	static const enum location_part parts[3] = { LOCATION_DSO, LOCATION_SYMBOL, LOCATION_SYMBOL_OFFSET };
	const enum location_part part = parts[column];
	ret->text = place->text[part];
	ret->number = place->number[part];
	return place->present & LOCATION_BIT(part);
}

static bool name_value(const struct spe_names *names, unsigned column, struct aux_value *ret)
{
	switch (column) {
	case SPE_PID: return number(ret, names->pid >= 0, (uint64_t)names->pid);
	case SPE_TID: return number(ret, names->tid >= 0, (uint64_t)names->tid);
	case SPE_COMM: return text(ret, names->comm);
	default: break;
	}
	return column < SPE_TARGET_DSO ? location_value(&names->pc, column - SPE_PC_DSO, ret)
				       : location_value(&names->target, column - SPE_TARGET_DSO, ret);
}

bool pd_spe_value(const struct pd_spe_row *row, const struct spe_names *names, unsigned column, struct aux_value *ret)
{
	const struct pd_spe_record *record = &row->record;
	const uint32_t present = record->present;
	const struct aux_place place = pd_aux_place_of_sample(row);
	switch (column) {
	case SPE_TIME: return number(ret, row->time != UINT64_MAX, row->time);
	case SPE_TIMER: return number(ret, present & PD_SPE_TIME, record->timer);
	case SPE_CONTEXT: return number(ret, present & PD_SPE_CONTEXT, record->context);
	case SPE_PC: return number(ret, present & PD_SPE_PC, record->pc);
	case SPE_LEVEL: return number(ret, present & PD_SPE_PC, record->pc_level);
	case SPE_OPERATION: return text(ret, present & PD_SPE_OPERATION ? pd_spe_operation(record) : NULL);
	case SPE_OPERATION_RAW: return number(ret, present & PD_SPE_OPERATION, record->operation);
	case SPE_TARGET: return number(ret, present & PD_SPE_TARGET, record->target);
	case SPE_PREVIOUS: return number(ret, present & PD_SPE_PREVIOUS, record->previous);
	case SPE_VIRTUAL: return number(ret, present & PD_SPE_VIRTUAL, record->virtual_address);
	case SPE_PHYSICAL: return number(ret, present & PD_SPE_PHYSICAL, record->physical_address);
	case SPE_SOURCE: return number(ret, present & PD_SPE_SOURCE, record->source);
	case SPE_TOTAL: return number(ret, present & PD_SPE_TOTAL, record->total);
	case SPE_ISSUE: return number(ret, present & PD_SPE_ISSUE, record->issue);
	case SPE_TRANSLATION: return number(ret, present & PD_SPE_TRANSLATION, record->translation);
	case SPE_EVENTS: return false;
	default: break;
	}
	return column < AUX_PLACE_COLUMNS ? pd_aux_place_value(&place, column, ret)
					  : names && name_value(names, column, ret);
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
