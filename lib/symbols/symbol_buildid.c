/* SPDX-License-Identifier: MIT */
/* Build-ids of files and of notes in memory. */
#include "config.h"
#include <string.h>
#include "base/cursor.h"
#include "base/memory.h"
#include "symbols/symbols.h"

#define KERNEL_NOTES "/sys/kernel/notes"
#define MAX_NOTES ((size_t)1 << 20)
#define NOTE_GNU_BUILD_ID 3

enum perfdata_status perfdata_file_build_id(const char *path, uint8_t ret_id[PERFDATA_BUILD_ID_MAX], size_t *ret_size)
{
	struct pd_build_id id;
	struct pd_elf *elf;
	int fd = pd_open_regular(path, PD_REGULAR_STORED);
	if (fd < 0)
		return PERFDATA_EREAD;
	enum perfdata_status status = pd_elf_open(fd, &elf);
	if (status)
		return status;
	bool found = pd_elf_build_id(elf, &id);
	pd_elf_close(elf);
	if (!found)
		return PERFDATA_ABSENT;
	memcpy(ret_id, id.bytes, id.size);
	*ret_size = id.size;
	return PERFDATA_OK;
}

/* u32 name size, u32 content size, u32 type; name and content are padded to 4 bytes. */
enum perfdata_status perfdata_notes_build_id(const void *notes, size_t size, enum perfdata_byte_order order,
					     uint8_t ret_id[PERFDATA_BUILD_ID_MAX], size_t *ret_size)
{
	struct pd_cursor c = pd_cursor(notes, size, pd_order_is_foreign(order));
	while (pd_left(&c) && !c.failed) {
		uint64_t name_size = pd_u32(&c), content_size = pd_u32(&c);
		uint32_t type = pd_u32(&c);
		const uint8_t *name = pd_take(&c, (name_size + 3) & ~(uint64_t)3);
		const uint8_t *content = pd_take(&c, content_size);
		pd_take(&c, -content_size & 3);
		if (!content)
			break;
		c.failed = false;  /* the padding of the last note may be missing */
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

enum perfdata_status perfdata_running_kernel_build_id(uint8_t ret_id[PERFDATA_BUILD_ID_MAX], size_t *ret_size)
{
	const bool big = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
	char *notes;
	size_t size;
	int fd = pd_open_regular(KERNEL_NOTES, PD_REGULAR_ANY);
	if (fd < 0)
		return PERFDATA_EREAD;
	enum perfdata_status status = pd_read_whole(fd, MAX_NOTES, &notes, &size);
	pd_close(fd);
	if (status)
		return status == PERFDATA_ENOMEM ? status : PERFDATA_EREAD;
	status = perfdata_notes_build_id(notes, size, big ? PERFDATA_BYTE_ORDER_BIG : PERFDATA_BYTE_ORDER_LITTLE,
					 ret_id, ret_size);
	pd_free(notes);
	return status;
}
