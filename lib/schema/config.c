/* SPDX-License-Identifier: MIT */
/* The layout of all records of an event, and what readers learn from a record without decoding it. */
#include "config.h"
#include "base/memory.h"
#include "schema/sample_scan.h"
#include "schema/schema.h"

enum { TRAILER_TYPES = PERFDATA_SAMPLE_TID | PERFDATA_SAMPLE_TIME | PERFDATA_SAMPLE_ID | PERFDATA_SAMPLE_STREAM_ID |
		       PERFDATA_SAMPLE_CPU | PERFDATA_SAMPLE_IDENTIFIER };

/* Turns the integer rows at the start of a layout into steps. Returns the number of these rows; *ret_bytes is their
 * size. */
static uint32_t plan_steps(const struct perfdata_layout *layout, uint64_t sample_type,
			   struct perfdata_config_step *steps, uint8_t *ret_nr, uint8_t *ret_bytes,
			   uint64_t *ret_present)
{
	uint32_t i;
	uint8_t at = 0, nr = 0;

	*ret_present = 0;
	for (i = 0; i < layout->nr_fields; i++) {
		const struct perfdata_field *field = &layout->fields[i];
		unsigned width = pd_kind_width(field->kind);
		if (!width && field->kind != PERFDATA_KIND_PAD)
			break;
		if (!(sample_type & field->when_value))
			continue;
		if (width) {
			steps[nr++] = (struct perfdata_config_step){ (uint16_t)field->member, at, (uint8_t)width };
			*ret_present |= UINT64_C(1) << i;
		}
		at = (uint8_t)(at + (width ? width : field->count));
	}
	*ret_nr = nr;
	*ret_bytes = at;
	return i;
}

/* Returns the index of the word that holds the member, or -1. */
static int8_t word_of(const struct perfdata_config_step *steps, unsigned nr, size_t member)
{
	for (unsigned i = 0; i < nr; i++)
		if (steps[i].member == member)
			return (int8_t)(steps[i].at / 8);
	return -1;
}

static int8_t word_from_end(const struct perfdata_config *config, size_t member)
{
	int8_t word = word_of(config->trailer_steps, config->nr_trailer_steps, member);

	return word < 0 ? word : (int8_t)(config->trailer_size / 8 - word);
}

static uint64_t rows_behind(uint32_t first, uint64_t sample_type)
{
	uint64_t rows = 0;

	for (uint32_t i = first; i < pd_sample_layout.nr_fields; i++)
		if (sample_type & pd_sample_layout.fields[i].when_value)
			rows |= UINT64_C(1) << i;
	return rows;
}

void pd_config_init(struct perfdata_config *config, const struct perfdata_attr *attr,
		    enum perfdata_byte_order order)
{
	memset(config, 0, sizeof *config);
	config->order = order;
	config->swap = pd_order_is_foreign(order);
	config->sample_id_at = config->sample_time_at = config->sample_tid_at = config->sample_cpu_at = -1;
	config->sample_ip_at = config->sample_addr_at = config->sample_period_at = -1;
	config->trailer_id_at = config->trailer_time_at = config->trailer_tid_at = config->trailer_cpu_at = -1;
	if (!attr)
		return;

	config->attr = *attr;
	config->attr.rest = (struct perfdata_bytes){ NULL, 0 };
	config->has_attr = true;
	config->branch_counters = attr->branch_sample_type >> 19 & 1;
	config->sample_period = attr->sample_period;

	uint64_t type = attr->sample_type;
	uint8_t bytes;
	uint32_t rows = plan_steps(&pd_sample_layout, type, config->sample_steps, &config->nr_sample_steps, &bytes,
				   &config->sample_fixed_present);
	config->sample_fixed = bytes / 8;
	/* WEIGHT and WEIGHT_STRUCT share one word */
	uint64_t placed = type & PERFDATA_SAMPLE_WEIGHT_STRUCT ? type & ~(uint64_t)PERFDATA_SAMPLE_WEIGHT : type;
	/* fields of later kernels precede AUX, which is always last */
	if (type & ~(uint64_t)PERFDATA_SAMPLE_KNOWN)
		placed &= ~(uint64_t)PERFDATA_SAMPLE_AUX;
	config->sample_rows = rows_behind(rows, placed);

#define SAMPLE_WORD(name) word_of(config->sample_steps, config->nr_sample_steps, offsetof(struct perfdata_sample, name))
	config->sample_id_at = SAMPLE_WORD(identifier) < 0 ? SAMPLE_WORD(id) : SAMPLE_WORD(identifier);
	config->sample_time_at = SAMPLE_WORD(time);
	config->sample_tid_at = SAMPLE_WORD(pid);
	config->sample_cpu_at = SAMPLE_WORD(cpu);
	config->sample_ip_at = SAMPLE_WORD(ip);
	config->sample_addr_at = SAMPLE_WORD(addr);
	config->sample_period_at = SAMPLE_WORD(period);
	config->sample_is_plain = !(config->sample_rows &
				    ~(UINT64_C(1) << PD_SAMPLE_CALLCHAIN_ROW | UINT64_C(1) << PD_SAMPLE_RAW_ROW));

	if (!perfdata_attr_has(attr, PERFDATA_ATTR_SAMPLE_ID_ALL))
		return;
	plan_steps(&pd_sample_id_layout, type & TRAILER_TYPES, config->trailer_steps, &config->nr_trailer_steps,
		   &config->trailer_size, &config->trailer_present);
#define TRAILER_WORD(name) word_from_end(config, offsetof(struct perfdata_sample_id, name))
	config->trailer_id_at = TRAILER_WORD(identifier) < 0 ? TRAILER_WORD(id) : TRAILER_WORD(identifier);
	config->trailer_time_at = TRAILER_WORD(time);
	config->trailer_tid_at = TRAILER_WORD(pid);
	config->trailer_cpu_at = TRAILER_WORD(cpu);
}

/* Returns the offset of the text at the end of a record; 0: the record has no such text. */
static uint32_t text_at(const struct perfdata_layout *layout)
{
	const struct perfdata_field *last = layout && layout->nr_fields ? &layout->fields[layout->nr_fields - 1] : NULL;

	return last && last->kind == PERFDATA_KIND_TEXT ? layout->min_size - 1 : 0;
}

static bool any_byte(const uint8_t *p, const uint8_t *end)
{
	while (p < end && !*p)
		p++;
	return p < end;
}

/* Returns the trailer of a sample that perf inject writes after the padded file name. In other BUILD_ID records there
 * are zeros or nothing. */
static const uint8_t *trailer_of_build_id(const struct perfdata_config *config, const uint8_t *bytes, size_t size)
{
	enum { NAME_AT = 36 };

	if (size < NAME_AT + (size_t)config->trailer_size)
		return NULL;
	const uint8_t *at = bytes + (size - config->trailer_size);
	const uint8_t *nul = memchr(bytes + NAME_AT, 0, size - NAME_AT);
	if (!nul || bytes + (((size_t)(nul - bytes) + 8) & ~(size_t)7) != at)
		return NULL;
	return any_byte(at, bytes + size) ? at : NULL;
}

const uint8_t *pd_trailer_of(const struct perfdata_config *config, uint32_t type, const uint8_t *bytes, size_t size)
{
	size_t trailer = config->trailer_size;

	if (!trailer || type == PERFDATA_RECORD_SAMPLE)
		return NULL;
	if (type >= PERFDATA_RECORD_USER_FIRST)
		return type == PERFDATA_RECORD_BUILD_ID ? trailer_of_build_id(config, bytes, size) : NULL;
	const struct perfdata_layout *layout = perfdata_record_layout(type);
	const uint32_t text = text_at(layout);
	size_t fixed = text ? text : layout ? layout->min_size : 8;
	if (size < fixed + trailer)
		return NULL;
	const uint8_t *at = bytes + (size - trailer);
	if (!text)
		return at;
	/* if the padding of the text reaches to the end of the record, the recorder wrote no trailer */
	const uint8_t *nul = memchr(bytes + text, 0, size - text);
	if (!nul || nul < at)
		return at;
	bool ends = (((size_t)(nul - bytes) + 8) & ~(size_t)7) == size;
	return ends && !any_byte(nul, bytes + size) ? NULL : at;
}

static void peek_trailer(const struct perfdata_config *config, const uint8_t *end, struct perfdata_peek *ret)
{
	const bool swap = config->swap;

	if (config->trailer_id_at >= 0) {
		ret->id = pd_load64(end - 8 * config->trailer_id_at, swap);
		ret->has_id = true;
	}
	if (config->trailer_time_at >= 0)
		ret->time = pd_load64(end - 8 * config->trailer_time_at, swap);
	if (config->trailer_tid_at >= 0) {
		ret->pid = (int32_t)pd_load32(end - 8 * config->trailer_tid_at, swap);
		ret->tid = (int32_t)pd_load32(end - 8 * config->trailer_tid_at + 4, swap);
	}
	if (config->trailer_cpu_at >= 0)
		ret->cpu = pd_load32(end - 8 * config->trailer_cpu_at, swap);
}

void pd_peek(const struct perfdata_config *config, const void *bytes, size_t size, struct perfdata_peek *ret)
{
	const uint8_t *p = bytes;

	*ret = (struct perfdata_peek){ .time = UINT64_MAX, .pid = -1, .tid = -1, .cpu = UINT32_MAX };
	if (size < 8 || !config->has_attr)
		return;
	const uint32_t type = pd_load32(p, config->swap);
	/* A truncated record has lost its trailer. Records that perf itself wrote get no time: they keep their place in
	 * the file. */
	struct pd_sample_scan scan;
	if (type == PERFDATA_RECORD_SAMPLE) {
		if (pd_sample_scan(config, p, size, PD_SCAN_ID | PD_SCAN_TIME | PD_SCAN_TID | PD_SCAN_CPU, &scan))
			*ret = (struct perfdata_peek){ scan.id, scan.time, scan.pid, scan.tid, scan.cpu, scan.has_id };
	} else if (type < PERFDATA_RECORD_USER_FIRST && pd_load16(p + 6, config->swap) <= size &&
		   pd_trailer_of(config, type, p, size))
		peek_trailer(config, p + size, ret);
}

struct perfdata_config *perfdata_config_new(const struct perfdata_attr *attr, enum perfdata_byte_order order)
{
	struct perfdata_config *config = pd_malloc(sizeof *config);
	if (config)
		pd_config_init(config, attr, order);
	return config;
}

void perfdata_config_free(struct perfdata_config *config) { pd_free(config); }

const struct perfdata_attr *pd_config_attr(const struct perfdata_config *config) { return &config->attr; }

enum perfdata_byte_order pd_config_order(const struct perfdata_config *config) { return config->order; }
