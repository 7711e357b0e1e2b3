/* SPDX-License-Identifier: MIT */
/* Build-ids of files, and of the running kernel. */
#include "config.h"
#include <errno.h>
#include <string.h>
#include <unistd.h>
#include "base/error.h"
#include "base/memory.h"
#include "symbols/symbols.h"

#define MAX_NOTES ((size_t)1 << 20)

static enum perfdata_status failed_open(void)
{
	return pd_status_of_read(errno);
}

enum perfdata_status perfdata_file_build_id(const char *path, uint8_t ret_id[PERFDATA_BUILD_ID_MAX], size_t *ret_size)
{
	struct pd_build_id id;
	struct pd_elf *elf;
	const int fd = pd_archive_open(path, PD_REGULAR_STORED);
	if (fd < 0)
		return failed_open();
	/* opens the part of an archive that the path names */
	enum perfdata_status status = pd_elf_open(NULL, fd, path, &elf);
	if (status)
		return status;
	status = pd_elf_build_id(elf, &id);
	pd_elf_close(elf);
	if (status)
		return status;
	memcpy(ret_id, id.bytes, id.size);
	*ret_size = id.size;
	return PERFDATA_OK;
}

enum perfdata_status pd_running_kernel_build_id(uint8_t ret_id[PERFDATA_BUILD_ID_MAX], size_t *ret_size)
{
	const bool big = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
	char *notes;
	size_t size;
	int fd = pd_open_regular(PD_KERNEL_NOTES, PD_REGULAR_ANY);
	if (fd < 0)
		return failed_open();
	enum perfdata_status status = pd_read_whole(fd, MAX_NOTES, &notes, &size);
	close(fd);
	if (status)
		return status == PERFDATA_ENOMEM ? status : PERFDATA_EREAD;
	status = pd_notes_build_id(notes, size, big ? PERFDATA_BYTE_ORDER_BIG : PERFDATA_BYTE_ORDER_LITTLE,
					 ret_id, ret_size);
	pd_free(notes);
	return status;
}
