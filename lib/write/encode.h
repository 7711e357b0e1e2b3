/* SPDX-License-Identifier: MIT */
/* The output buffer that the encoders of this folder share. */
#ifndef PD_ENCODE_H
#define PD_ENCODE_H

#include "base/cursor.h"
#include "write/writing.h"
#include "schema/schema.h"

struct pd_encode {
	uint8_t *start, *at, *end;
	bool swap;                               /* the output has the other byte order than this machine */
	bool full;                               /* the buffer is too small; later bytes are dropped */
	uint16_t misc;                           /* misc of the record, on which rows may depend */
	bool in_step;   /* source and output are equally laid out so far, so the source's bytes may be copied */
	const struct perfdata_config *config;
	const struct perfdata_record *record;
	const uint8_t *source, *source_end;      /* the source record and the end of its body; NULL: none */
};

static inline size_t pd_encode_size(const struct pd_encode *e) { return (size_t)(e->at - e->start); }

/* Reserves `size` bytes; returns NULL if they do not fit. */
static inline uint8_t *pd_encode_room(struct pd_encode *e, size_t size)
{
	if (e->full || size > (size_t)(e->end - e->at)) {
		e->full = true;
		return NULL;
	}
	e->at += size;
	return e->at - size;
}
static inline void pd_put_bytes(struct pd_encode *e, const void *bytes, size_t size)
{
	uint8_t *at = size ? pd_encode_room(e, size) : NULL;
	if (at)
		memcpy(at, bytes, size);
}
static inline void pd_put_zeros(struct pd_encode *e, size_t size)
{
	uint8_t *at = size ? pd_encode_room(e, size) : NULL;
	if (at)
		memset(at, 0, size);
}
/* Writes an integer of 1, 2, 4 or 8 bytes. */
void pd_put_int(struct pd_encode *e, unsigned width, uint64_t value);

/* Whether `data` points into the body of the source. */
static inline bool pd_is_of_source(const struct pd_encode *e, const void *data)
{
	const uint8_t *at = data;
	return e->source && at >= e->source && at <= e->source_end;
}

/* Writes the elements of a list. */
void pd_put_list(struct pd_encode *e, const struct perfdata_list *list);
/* Writes the count of a list. In the source it is `before` bytes before the elements, and larger than list->count if
 * the source's record was cut. */
void pd_put_count(struct pd_encode *e, const struct perfdata_list *list, size_t before);

/* Writes the rows of a layout that are in `present`. */
void pd_put_rows(struct pd_encode *e, const struct perfdata_layout *layout, uint64_t present, const void *view);
/* Writes a STRUCT row. */
void pd_put_struct(struct pd_encode *e, const struct perfdata_field *field, const void *view);
/* Writes an attr as `size` bytes. */
void pd_put_attr(struct pd_encode *e, const struct perfdata_attr *attr, uint32_t size);

/* Converts branch flags to the bit-fields of a big-endian machine. */
uint64_t pd_branch_flags_to_big(uint64_t flags);

#endif
