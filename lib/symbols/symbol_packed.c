/* Kernel modules come packed. They are unpacked into memory, up to a limit. */
#include "config.h"
#include <string.h>
#include <unistd.h>
#include "base/memory.h"
#include "codec/codec.h"
#include "symbols/symbols.h"

#define MAX_PACKED ((size_t)256 << 20)
#define MAX_UNPACKED ((size_t)1 << 30)

enum perfdata_status pd_unpack(int fd, char **ret, size_t *ret_size)
{
	static const uint8_t xz_magic[] = { 0xfd, '7', 'z', 'X', 'Z', 0 };
	uint8_t magic[sizeof xz_magic];
	char *packed;
	size_t size;
	if (pread(fd, magic, sizeof magic, 0) != (ssize_t)sizeof magic || memcmp(magic, xz_magic, sizeof magic))
		return PERFDATA_ABSENT;
	enum perfdata_status status = pd_read_whole(fd, MAX_PACKED, &packed, &size);
	if (status)
		return status == PERFDATA_ENOMEM ? status : PERFDATA_EFORMAT;
	status = pd_xz_unpack(packed, size, MAX_UNPACKED, ret, ret_size);
	pd_free(packed);
	return status;
}
