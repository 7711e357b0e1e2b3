/* SPDX-License-Identifier: MIT */
/* Decides whether a file of this machine is on the recorded device. The kernel writes the device number of the file
 * system into MMAP2 records; stat(2) reports the same number, except on file systems with several numbers. */
#include "config.h"
#include <sys/stat.h>
#include "base/port.h"
#include "symbols/symbols.h"

/* The device number that MMAP2 may record where stat reports another one. */
enum recorded {
	ANY_DEVICE,      /* number of any other file system */
	NO_BLOCK_DEVICE, /* any number without a device (major 0) */
};

static const struct {
	uint32_t type;            /* f_type of statfs */
	enum recorded recorded;
} others[] = {
	/* stat reports a number for each subvolume */
	{ 0x9123683e /* btrfs */, NO_BLOCK_DEVICE },
	/* the kernel maps the file of a layer, on the layer's device; stat reports the union file system */
	{ 0x794c7630 /* overlay */, ANY_DEVICE },
	{ 0x61756673 /* aufs */, ANY_DEVICE },
	/* stat reports a number for each snapshot */
	{ 0x00c36400 /* ceph */, NO_BLOCK_DEVICE },
};

/* nfs, bcachefs, fuse, 9p, tmpfs and file systems on block devices report one number. */
static bool may_differ(uint32_t type, uint32_t dev_major)
{
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		if (others[i].type == type)
			return others[i].recorded == ANY_DEVICE || !dev_major;
	return false;
}

bool pd_is_other_device(const char *path, const struct stat *st, uint32_t dev_major, uint32_t dev_minor)
{
	uint32_t type;
	if ((!dev_major && !dev_minor) || (major(st->st_dev) == dev_major && minor(st->st_dev) == dev_minor))
		return false;
	return !pd_file_system_type(path, &type) || !may_differ(type, dev_major);
}
