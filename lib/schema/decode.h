/* SPDX-License-Identifier: MIT */
/* The walk over rows that decodes records, shared by the files of this folder. */
#ifndef PD_DECODE_H
#define PD_DECODE_H

#include "base/cursor.h"
#include "schema/layout.h"

struct pd_walk {
	const uint8_t *start;      /* start of the record or attr */
	const uint8_t *at, *end;   /* bytes of the body that are not yet decoded */
	bool swap;
	uint16_t misc;
	uint8_t *native;   /* NULL, or an image of the record in which the walk swaps each integer that it decodes */
	const struct perfdata_config *config;
	uint64_t ahead;            /* rows of the sample after the row that is decoded */
	const char *problem;       /* the first problem, or NULL */
	enum perfdata_finding_code code;
};

static inline size_t pd_walk_left(const struct pd_walk *w) { return (size_t)(w->end - w->at); }

/* Notes a problem; decoding continues. */
static inline void pd_walk_note(struct pd_walk *w, enum perfdata_finding_code code, const char *problem)
{
	if (!w->problem) {
		w->problem = problem;
		w->code = code;
	}
}
/* Notes a problem after which the offsets of all further fields are unknown; returns false. */
static inline bool pd_walk_fail(struct pd_walk *w, enum perfdata_finding_code code, const char *problem)
{
	pd_walk_note(w, code, problem);
	return false;
}

/* Decodes those rows of `layout` that are in the set `rows` into the view and its `present`. False: the walk stopped at
 * damage, and w->at is where the undecoded bytes begin. */
bool pd_walk_rows(struct pd_walk *w, const struct perfdata_layout *layout, uint64_t rows, void *view);
/* Decodes a u64 in the byte order of the file. */
bool pd_walk_u64(struct pd_walk *w, uint64_t *ret);
/* Decodes `count` elements of `stride` bytes. False: fewer bytes are left, and the list is clipped to them. */
bool pd_walk_list(struct pd_walk *w, uint64_t count, uint32_t stride, struct perfdata_list *list);
/* Decodes a STRUCT row whose bytes are not in the order of its rows. */
bool pd_walk_struct(struct pd_walk *w, const struct perfdata_field *field, void *view);
/* Decodes an attr of attr.size bytes; false if that size is impossible. */
bool pd_walk_attr(struct pd_walk *w, struct perfdata_attr *attr);
/* Decodes the fixed words, then the further rows. */
bool pd_walk_sample(struct pd_walk *w, struct perfdata_sample *sample);

/* Whether a callchain, or raw data, at `at` fits into `left` bytes; *ret_size is its size in bytes. */
static inline bool pd_chain_fits(const uint8_t *at, size_t left, bool swap, size_t *ret_size)
{
	const uint64_t count = left < 8 ? UINT64_MAX : pd_load64(at, swap);
	*ret_size = 8 + 8 * (size_t)count;
	return left >= 8 && count <= (left - 8) / 8;
}
/* The list of a callchain that fits; size: what pd_chain_fits returned. */
static inline struct perfdata_list pd_chain_list(const uint8_t *at, size_t size, bool swap)
{
	return (struct perfdata_list){ .data = at + 8, .count = size / 8 - 1, .present = UINT64_MAX, .stride = 8,
				       .swap = swap };
}
static inline bool pd_raw_fits(const uint8_t *at, size_t left, bool swap, size_t *ret_size)
{
	const uint32_t count = left < 4 ? UINT32_MAX : pd_load32(at, swap);
	*ret_size = 4 + (size_t)count;
	return left >= 4 && count <= left - 4;
}

/* Offset of the union in an MMAP2 record, its size, and the largest build-id. The union holds a byte for the size,
 * three zeros and 20 bytes of a build-id; or device (two u32), inode and generation (u64 each). */
enum { PD_MMAP2_ID_AT = 40, PD_MMAP2_ID_SIZE = 24, PD_MMAP2_ID_MAX = 20 };

/* True if a record claims a build-id but holds device and inode. After a real build-id, the bytes up to 20 are zeros. A
 * short build-id could be a device number by chance: the decoder takes it as a build-id if the event asked for
 * build-ids. */
static inline bool pd_mmap2_id_is_false(const struct perfdata_config *config, const uint8_t *bytes, size_t size,
					uint16_t misc)
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

/* Returns the bytes of an integer kind, 0 for other kinds. */
unsigned pd_kind_width(enum perfdata_kind kind);
/* Returns the value of an integer member without sign; 0 for other kinds. */
uint64_t pd_member_value(const struct perfdata_field *field, const void *view);
/* Limit of the view of a list element; a test checks the rows. */
enum { PD_MAX_ELEMENT = 512 };
/* Returns the bytes up to the first NUL. */
struct perfdata_bytes pd_text_of(const uint8_t *data, size_t size);

/* Returns the trailer of a record other than SAMPLE; NULL: it has none. */
const uint8_t *pd_trailer_of(const struct perfdata_config *config, uint32_t type, const uint8_t *bytes, size_t size);

/* Decodes a record; `native` is described in struct pd_walk. */
enum perfdata_status pd_decode_record(const struct perfdata_config *config, const uint8_t *bytes, size_t size,
				      uint8_t *native, struct perfdata_record *ret);

/* Copies the words of the steps, at fixed offsets from `at`, into the view. */
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
