/* SPDX-License-Identifier: MIT */
/* What the encoders of this folder share: a place to write to that knows its end. */
#ifndef PD_ENCODE_H
#define PD_ENCODE_H

#include "base/cursor.h"
#include "write/writing.h"
#include "schema/schema.h"

struct pd_encode {
	uint8_t *start, *at, *end;
	bool swap;                               /* the output has the other byte order than this machine */
	bool full;                               /* something did not fit */
	uint16_t misc;                           /* says which rows there are */
	bool in_step;                            /* everything written so far is at the same offset in the source */
	const struct perfdata_config *config;
	const struct perfdata_record *record;
	const uint8_t *source, *source_end;      /* the source's record and the end of its body, or NULL */
};

static inline size_t pd_encode_size(const struct pd_encode *e) { return (size_t)(e->at - e->start); }

/* Room for `size` bytes, or NULL. */
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
/* An integer of 1, 2, 4 or 8 bytes. */
void pd_put_int(struct pd_encode *e, unsigned width, uint64_t value);

/* True if the bytes are part of the source's body. */
static inline bool pd_is_of_source(const struct pd_encode *e, const void *data)
{
	const uint8_t *at = data;
	return e->source && at >= e->source && at <= e->source_end;
}

/* The elements of a list. */
void pd_put_list(struct pd_encode *e, const struct perfdata_list *list);
/* Writes the count of a list. In the source it is `before` bytes before the elements, and larger than list->count if
 * the source's record was cut. */
void pd_put_count(struct pd_encode *e, const struct perfdata_list *list, size_t before);

/* Rows of a layout, as far as `present` has them. */
void pd_put_rows(struct pd_encode *e, const struct perfdata_layout *layout, uint64_t present, const void *view);
/* STRUCT rows. */
void pd_put_struct(struct pd_encode *e, const struct perfdata_field *field, const void *view);
/* An attr in `size` bytes. */
void pd_put_attr(struct pd_encode *e, const struct perfdata_attr *attr, uint32_t size);

/* The flags of a branch, as the bit-fields of a big-endian machine hold them. */
uint64_t pd_branch_flags_to_big(uint64_t flags);

#endif
