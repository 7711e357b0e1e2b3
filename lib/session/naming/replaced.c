/* SPDX-License-Identifier: MIT */
/* Paths under which this host has another file than the mapped one. perf reads the build-ids of a table when the
 * recording ends, by path. So it reads that of the new file if a file was replaced meanwhile, and that of the host's
 * file if the process that mapped the file ran in a chroot, or in a container that has ended. */
#include "config.h"
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/fdio.h"
#include "base/port.h"
#include "base/regular.h"
#include "session/state.h"
#include "symbols/symbols.h"

/* A time of the section SAMPLE_TIME; 0: unknown, as in streams. */
static uint64_t sample_time(const struct pd_state *state, const char *name)
{
	const struct perfdata_feature_section *section = perfdata_reader_feature(state->reader,
										 PERFDATA_FEATURE_SAMPLE_TIME);
	const struct perfdata_node *root = section && section->feature ? perfdata_feature_root(section->feature) : NULL;
	const struct perfdata_node *time = perfdata_node_get(root, name);
	return time ? time->v.u : 0;
}

/* File systems that number an inode anew after they have forgotten it. */
static bool renumbers_inodes(const char *path)
{
	uint32_t type;
	return !pd_file_system_type(path, &type) || type == 0x4d44 /* vfat */ || type == 0x2011bab0 /* exfat */ ||
	       type == 0x65735546 /* fuse */;
}

static bool is_on_recorded_device(const struct pd_dso *dso, const struct stat *st)
{
	return major(st->st_dev) == dso->public.device_major && minor(st->st_dev) == dso->public.device_minor;
}

/* Whether the file is another one on the recorded device. Where stat reports other devices than the kernel records,
 * inode numbers say nothing. */
static bool is_another(const struct pd_dso *dso, int fd, const struct stat *st)
{
	const uint64_t recorded = pd_recorded_generation(dso->id_words);
	if (!is_on_recorded_device(dso, st))
		return false;
	if (st->st_ino != dso->id_words[1])
		return true;
	const uint32_t generation = recorded ? pd_file_generation(fd) : 0;
	return generation && generation != recorded;
}

static bool has_table_id(const struct pd_dso *dso)
{
	const struct pd_build_id recorded = pd_build_id_of(dso->build_id, dso->build_id_size);
	struct pd_build_id id;
	return !perfdata_file_build_id(dso->public.filename, id.bytes, &id.size) && pd_same_build_id(&id, &recorded);
}

/* Whether the file is on another device than the recorded one, and was there before the recording began. A file system
 * keeps its inode numbers when it is mounted again as another device, but not always the device's number at a boot. */
static bool is_elsewhere(const struct pd_dso *dso, const struct stat *st, const struct pd_host_time *mapped)
{
	return (pd_nanoseconds(pd_changed(st)) <= mapped->first || (mapped->first != INT64_MIN && st->st_nlink > 1)) &&
	       st->st_ino != dso->id_words[1] &&
	       pd_is_other_device(dso->public.filename, st, dso->public.device_major, dso->public.device_minor);
}

/* Why the table's build-id is not of the mapped file, or NULL. */
static const char *compare(const struct pd_state *state, const struct pd_dso *dso, int fd, const struct stat *st)
{
	const uint64_t begin = dso->first_time ? dso->first_time : sample_time(state, "first");
	const uint64_t end = sample_time(state, "last");
	const struct pd_host_time mapped = pd_host_time(state, begin);
	const int64_t came = pd_nanoseconds(pd_changed(st));
	const bool another = is_another(dso, fd, st);
	/* a file that came after the recording does not concern the table */
	if (came > pd_host_time(state, end ? end : state->now).last || !(another || is_elsewhere(dso, st, &mapped)))
		return NULL;
	const struct pd_host_process process = pd_host_process(state, dso->first_pid);
	const char *const of_host =
		"another file was mapped (inode number), and the recorded build-id is that of the file here";
	/* a hard link, as perf makes for its cache, changes the ctime of a file that was there before */
	if (another && came > mapped.likely && !process.other_files)
		return st->st_nlink > 1 ? of_host : "it replaced the recorded file during the recording, and the "
						    "recorded build-id is that of the new file";
	/* perf enters the mount namespace of a process that still runs, and reads the file that was mapped */
	if ((process.runs && process.other_files) || !major(st->st_dev) || renumbers_inodes(dso->public.filename) ||
	    !has_table_id(dso))
		return NULL;
	return of_host;
}

const char *pd_dso_table_is_wrong(const struct pd_state *state, const struct pd_dso *dso)
{
	struct stat st;
	const char *why = NULL;
	if (!dso->id_words[1] || dso->public.filename[0] != '/')
		return NULL;
	const int fd = pd_open_regular(dso->public.filename, PD_REGULAR_STORED);
	if (fd < 0 || pd_fstat(fd, &st))
		(void)pd_symbols_fail(state->symbols, dso->public.filename, errno);
	else
		why = compare(state, dso, fd, &st);
	if (fd >= 0)
		close(fd);
	return why;
}
