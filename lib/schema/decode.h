/* SPDX-License-Identifier: MIT */
/* The walk over rows that decodes records, shared by the files of this folder. */
#ifndef PD_DECODE_H
#define PD_DECODE_H

#include "base/cursor.h"
#include "schema/layout.h"

struct pd_walk {
	const uint8_t *start;      /* of the record or attr */
	const uint8_t *at, *end;   /* what is left of the body */
	bool swap;
	uint16_t misc;
	uint8_t *native;           /* NULL, or an image of the record in which integers that were read are swapped */
	const struct perfdata_config *config;
	uint64_t ahead;            /* rows of the sample behind the one being decoded */
	const char *problem;       /* the first one, or NULL */
	enum perfdata_finding_code code;
};

static inline size_t pd_walk_left(const struct pd_walk *w) { return (size_t)(w->end - w->at); }

/* Notes a problem and goes on. */
static inline void pd_walk_note(struct pd_walk *w, enum perfdata_finding_code code, const char *problem)
{
	if (!w->problem) {
		w->problem = problem;
		w->code = code;
	}
}
/* Notes a problem behind which nothing can be placed; false. */
static inline bool pd_walk_fail(struct pd_walk *w, enum perfdata_finding_code code, const char *problem)
{
	pd_walk_note(w, code, problem);
	return false;
}

/* Decodes the rows of `layout` in the set `rows` into the view and its `present`. False if it stopped at damage: w->at is then
 * where the bytes begin that it could not place. */
bool pd_walk_rows(struct pd_walk *w, const struct perfdata_layout *layout, uint64_t rows, void *view);
/* A u64 in the byte order of the file. */
bool pd_walk_u64(struct pd_walk *w, uint64_t *ret);
/* `count` elements of `stride` bytes, clipped to what is left (false). */
bool pd_walk_list(struct pd_walk *w, uint64_t count, uint32_t stride, struct perfdata_list *list);
/* The STRUCT rows whose bytes do not follow each other as rows do. */
bool pd_walk_struct(struct pd_walk *w, const struct perfdata_field *field, void *view);
/* An attr of attr.size bytes; false if that size is impossible. */
bool pd_walk_attr(struct pd_walk *w, struct perfdata_attr *attr);
/* The fixed words and the rows behind them. */
bool pd_walk_sample(struct pd_walk *w, struct perfdata_sample *sample);

/* Whether a callchain, or raw data, that begins at `at` fits into the `left` bytes there are; how much of them it takes. */
static inline bool pd_chain_fits(const uint8_t *at, size_t left, bool swap, size_t *ret_size)
{
	const uint64_t count = left < 8 ? UINT64_MAX : pd_load64(at, swap);
	*ret_size = 8 + 8 * (size_t)count;
	return left >= 8 && count <= (left - 8) / 8;
}
static inline bool pd_raw_fits(const uint8_t *at, size_t left, bool swap, size_t *ret_size)
{
	const uint32_t count = left < 4 ? UINT32_MAX : pd_load32(at, swap);
	*ret_size = 4 + (size_t)count;
	return left >= 4 && count <= left - 4;
}

/* True if what a sample has behind its words and its chain, from `at` on, reaches exactly to its end, as far as that can be said at a
 * glance: nothing, or raw data. */
static inline bool pd_sample_ends_with(const struct perfdata_config *config, const uint8_t *bytes, size_t at, size_t size)
{
	const uint64_t chain = 1u << PD_SAMPLE_CALLCHAIN_ROW, raw = 1u << PD_SAMPLE_RAW_ROW;
	size_t taken = 0;

	if (config->sample_rows & ~(chain | raw))
		return false;
	if (config->sample_rows & raw && !pd_raw_fits(bytes + at, size - at, config->swap, &taken))
		return false;
	return at + taken == size;
}

/* True if the fields of a sample reach exactly to its end, as far as that can be said at a glance; false says nothing. */
static inline bool pd_sample_is_whole(const struct perfdata_config *config, const uint8_t *bytes, size_t size)
{
	const size_t fixed = 8 + 8u * (size_t)config->sample_fixed;
	size_t taken = 0;

	if (!config->has_attr || size < fixed || pd_load16(bytes + 6, config->swap) != size)
		return false;
	if (config->sample_rows & 1u << PD_SAMPLE_CALLCHAIN_ROW && !pd_chain_fits(bytes + fixed, size - fixed, config->swap, &taken))
		return false;
	return pd_sample_ends_with(config, bytes, fixed + taken, size);
}

/* What a sample is about; what its event does not record is zero. */
struct pd_sample_head {
	uint64_t id, ip, addr, period;
	struct perfdata_list callchain;
	size_t end;            /* of the words and the chain, from the start of the record */
};
static inline uint64_t pd_sample_word(const struct perfdata_config *config, const uint8_t *bytes, int8_t word)
{
	return word < 0 ? 0 : pd_load64(bytes + 8 + 8 * word, config->swap);
}
/* Reads it off a sample that is as whole as that needs, and whose event records nothing harder; false says nothing. */
static inline bool pd_sample_head(const struct perfdata_config *config, const uint8_t *bytes, size_t size, struct pd_sample_head *ret)
{
	const size_t fixed = 8 + 8u * (size_t)config->sample_fixed;

	if (!config->sample_is_plain || size < fixed || pd_load16(bytes + 6, config->swap) != size)
		return false;
	ret->callchain.count = 0;
	ret->end = fixed;
	if (config->sample_rows & 1u << PD_SAMPLE_CALLCHAIN_ROW) {
		/* the first row behind the words */
		size_t taken;
		if (!pd_chain_fits(bytes + fixed, size - fixed, config->swap, &taken))
			return false;
		ret->callchain = (struct perfdata_list){ .data = bytes + fixed + 8, .count = taken / 8 - 1, .present = UINT64_MAX, .stride = 8,
							 .swap = config->swap };
		ret->end += taken;
	}
	ret->id = pd_sample_word(config, bytes, config->sample_id_at);
	ret->ip = pd_sample_word(config, bytes, config->sample_ip_at);
	ret->addr = pd_sample_word(config, bytes, config->sample_addr_at);
	ret->period = pd_sample_word(config, bytes, config->sample_period_at);
	return true;
}

/* Where the union of an MMAP2 record begins: a byte for the size, three zeros and 20 bytes of a build-id; or device (two u32), inode and
 * generation (u64 each). */
enum { PD_MMAP2_ID_AT = 40, PD_MMAP2_ID_SIZE = 24, PD_MMAP2_ID_MAX = 20 };

/* True if a record claims a build-id and has device and inode. Of a build-id the bytes that its size leaves out are zeros. Short ones
 * could be a device by chance: they are believed where the event asked for build-ids. */
static inline bool pd_mmap2_id_is_false(const struct perfdata_config *config, const uint8_t *bytes, size_t size, uint16_t misc)
{
	enum { SHORTEST_SURE = 16 };

	if (!(misc & PERFDATA_MISC_MMAP_BUILD_ID) || size < PD_MMAP2_ID_AT + PD_MMAP2_ID_SIZE)
		return false;
	const uint8_t *id = bytes + PD_MMAP2_ID_AT, stated = *id;
	if (!stated || stated > PD_MMAP2_ID_MAX || id[1] || id[2] || id[3])
		return true;
	for (unsigned i = 4u + stated; i < PD_MMAP2_ID_SIZE; i++)
		if (id[i])
			return true;
	return stated < SHORTEST_SURE && config->has_attr && !perfdata_attr_has(&config->attr, PERFDATA_ATTR_BUILD_ID);
}

/* Bytes of an integer kind, else 0. */
unsigned pd_kind_width(enum perfdata_kind kind);
/* Bytes of an element all of whose rows have a fixed size; `present` says which rows it has. */
uint32_t pd_element_size(const struct perfdata_layout *layout, uint64_t present);
/* Bytes up to the first NUL. */
struct perfdata_bytes pd_text_of(const uint8_t *data, size_t size);

/* The trailer of a record other than SAMPLE, or NULL where the record has none. */
const uint8_t *pd_trailer_of(const struct perfdata_config *config, uint32_t type, const uint8_t *bytes, size_t size);

/* Decodes a record; `native` as in struct pd_walk. */
enum perfdata_status pd_decode_record(const struct perfdata_config *config, const uint8_t *bytes, size_t size, uint8_t *native,
				      struct perfdata_record *ret);

/* perfdata_peek for a sample. */
static inline struct perfdata_peek pd_peek_sample(const struct perfdata_config *config, const uint8_t *bytes, size_t size)
{
	const uint8_t *body = bytes + 8;
	const bool swap = config->swap;
	struct perfdata_peek peek = { .time = UINT64_MAX, .pid = -1, .tid = -1, .cpu = UINT32_MAX };

	if (!config->has_attr || size < 8 + 8u * (size_t)config->sample_fixed)
		return peek;
	if (config->sample_id_at >= 0) {
		peek.id = pd_load64(body + 8 * config->sample_id_at, swap);
		peek.has_id = true;
	}
	if (config->sample_time_at >= 0)
		peek.time = pd_load64(body + 8 * config->sample_time_at, swap);
	if (config->sample_tid_at >= 0) {
		peek.pid = (int32_t)pd_load32(body + 8 * config->sample_tid_at, swap);
		peek.tid = (int32_t)pd_load32(body + 8 * config->sample_tid_at + 4, swap);
	}
	if (config->sample_cpu_at >= 0)
		peek.cpu = pd_load32(body + 8 * config->sample_cpu_at, swap);
	return peek;
}

/* Copies words from fixed places at `at` into the view. */
static inline void pd_run_steps(const struct perfdata_config_step *steps, unsigned count, const uint8_t *at, bool swap,
				void *view)
{
	char *base = view;

	for (unsigned i = 0; i < count; i++) {
		const uint8_t *p = at + steps[i].at;
		if (steps[i].size == 8) {
			uint64_t v = pd_load64(p, swap);
			memcpy(base + steps[i].member, &v, sizeof v);
		} else {
			uint32_t v = pd_load32(p, swap);
			memcpy(base + steps[i].member, &v, sizeof v);
		}
	}
}

#endif
