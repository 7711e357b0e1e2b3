/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "base/memory.h"
#include "schema/decode.h"
#include "schema/schema.h"

/* Header and bytes in one block: one allocation, one free. */
struct copy {
	struct perfdata_record record;
	uint8_t bytes[];
};

struct perfdata_record *pd_record_copy(const struct perfdata_config *config, const struct perfdata_record *record)
{
	struct copy *copy = pd_malloc(sizeof *copy + record->size);

	if (!copy)
		return NULL;
	memcpy(copy->bytes, record->bytes, record->size);
	/* Decoded again, so that every borrowed part points into the copy. */
	perfdata_decode(config, copy->bytes, record->size, &copy->record);
	return &copy->record;
}

struct perfdata_record *perfdata_record_new(void) { return pd_calloc(1, sizeof(struct perfdata_record)); }

void perfdata_record_free(struct perfdata_record *record)
{
	pd_free(record);
}
