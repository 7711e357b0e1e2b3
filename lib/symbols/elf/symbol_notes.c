/* SPDX-License-Identifier: MIT */
/* The build-id in ELF notes. */
#include "config.h"
#include <string.h>
#include "base/cursor.h"
#include "perfdata/symbols.h"
#include "symbols/symbols.h"

#define NOTE_GNU_BUILD_ID 3

/* A note is a u32 name size, u32 content size and u32 type; name and content are padded to 4 bytes. */
enum perfdata_status pd_notes_build_id(const void *notes, size_t size, enum perfdata_byte_order order,
				       uint8_t ret_id[PERFDATA_BUILD_ID_MAX], size_t *ret_size)
{
	struct pd_cursor c = pd_cursor(notes, size, pd_order_is_foreign(order));
	while (pd_left(&c) && !c.failed) {
		const uint64_t name_size = pd_u32(&c);   /* wider than u32, for the padding */
		const uint32_t content_size = pd_u32(&c), type = pd_u32(&c);
		const uint8_t *name = pd_take(&c, (name_size + 3) & ~(uint64_t)3);
		const uint8_t *content = pd_take(&c, content_size);
		pd_take(&c, -content_size & 3);
		if (!content)
			break;
		c.failed = false;  /* the last note may lack its padding */
		if (type != NOTE_GNU_BUILD_ID || name_size != 4 || memcmp(name, "GNU", 4))
			continue;
		if (!content_size || content_size > PERFDATA_BUILD_ID_MAX)
			return PERFDATA_ABSENT;
		memcpy(ret_id, content, content_size);
		*ret_size = content_size;
		return PERFDATA_OK;
	}
	return PERFDATA_ABSENT;
}
