/* SPDX-License-Identifier: MIT */
/* Files that were replaced while they were recorded. perf reads the build-ids of a table when the recording ends, by
 * path: it reads that of the new file, also for the samples of the old one. */
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

/* Whether the file is another one on the recorded device. Where stat reports other devices than the kernel records,
 * inode numbers say nothing. */
static bool is_another(const struct pd_dso *dso, int fd, const struct stat *st)
{
	/* perf inject writes 1 for each file that it makes of JIT code */
	const uint32_t made_up = 1, recorded = (uint32_t)dso->id_words[2];
	if (major(st->st_dev) != dso->public.device_major || minor(st->st_dev) != dso->public.device_minor)
		return false;
	if (st->st_ino != dso->id_words[1])
		return true;
	const uint32_t generation = recorded > made_up ? pd_file_generation(fd) : 0;
	return generation && generation != recorded;
}

bool pd_dso_was_replaced(const struct pd_state *state, const struct pd_dso *dso)
{
	struct stat st;
	const uint64_t begin = dso->first_time ? dso->first_time : sample_time(state, "first");
	const uint64_t end = sample_time(state, "last");
	if (!dso->id_words[1] || dso->public.filename[0] != '/')
		return false;
	const int fd = pd_open_regular(dso->public.filename, PD_REGULAR_STORED);
	if (fd < 0) {
		(void)pd_symbols_fail(state->symbols, dso->public.filename, errno);
		return false;
	}
	if (pd_fstat(fd, &st)) {
		(void)pd_symbols_fail(state->symbols, dso->public.filename, errno);
		close(fd);
		return false;
	}
	const bool another = is_another(dso, fd, &st);
	close(fd);
	/* a file that was there before has another path for the process that mapped the dso, and one that came after
	 * the recording does not concern the table */
	const int64_t came = pd_nanoseconds(pd_changed(&st));
	return another && came > pd_host_time(state, begin).likely &&
	       came <= pd_host_time(state, end ? end : state->now).last &&
	       !pd_host_process(state, dso->first_pid).other_files;
}
