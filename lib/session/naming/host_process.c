/* SPDX-License-Identifier: MIT */
/* Processes of the recording that still run on this host. A process in a container has its own files under its paths,
 * and its own pid in the name of its perf map; /proc shows both while the process runs. */
#include "config.h"
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/fdio.h"
#include "base/port.h"
#include "base/regular.h"
#include "session/state.h"
#include "symbols/symbols.h"

enum { NAMESPACE_PID = 3, NAMESPACE_MNT = 5 };   /* index in NAMESPACES records */

int pd_namespaces_take(struct pd_state *state, const struct perfdata_namespaces *record)
{
	struct perfdata_namespace mnt;
	if (!state->symbols || state->no_host || record->namespaces.count <= NAMESPACE_MNT)
		return 0;
	perfdata_list_get(&record->namespaces, NAMESPACE_MNT, &mnt, sizeof mnt);
	return mnt.ino ? pd_hash_map_put(&state->mount_namespaces, (uint32_t)record->pid, mnt.ino) : 0;
}

/* The inode of a process's mount namespace; 0: unknown. */
static uint64_t mount_namespace(const struct pd_state *state, const char *process)
{
	char path[64];
	struct stat st;
	snprintf(path, sizeof path, "/proc/%s/ns/mnt", process);
	if (!stat(path, &st))
		return (uint64_t)st.st_ino;
	(void)pd_symbols_fail(state->symbols, path, errno);
	return 0;
}

/* False without an error if the process has ended; reports any other failure. */
static bool read_text(const struct pd_state *state, const char *process, const char *name, char *text, size_t room)
{
	char path[64];
	snprintf(path, sizeof path, "/proc/%s/%s", process, name);
	int fd = pd_open_regular(path, PD_REGULAR_ANY);
	if (fd < 0) {
		(void)pd_symbols_fail(state->symbols, path, errno);
		return false;
	}
	const int64_t size = pd_read_some(fd, text, room - 1, NULL);
	if (size < 0)
		(void)pd_symbols_fail(state->symbols, path, errno);
	close(fd);
	text[size > 0 ? size : 0] = '\0';
	return size > 0;
}

/* When a process began, in ns since the boot of the host. */
static bool start_time(const struct pd_state *state, const char *process, uint64_t *ret)
{
	char text[1024];
	const unsigned start_field = 22;
	const long ticks = sysconf(_SC_CLK_TCK);
	if (ticks <= 0 || !read_text(state, process, "stat", text, sizeof text))
		return false;
	/* the name may hold blanks and parentheses; field 3 begins after its end */
	const char *at = strrchr(text, ')');
	for (unsigned field = 2; at && field < start_field; field++)
		at = strchr(at + 1, ' ');
	if (!at)
		return false;
	*ret = strtoull(at, NULL, 10) * (1000000000u / (uint64_t)ticks);
	return true;
}

/* The last number of a line like "NSpid: 1234 7": the pid of the process in its own namespace. */
static uint32_t inner_pid(const struct pd_state *state, const char *process)
{
	char text[4096];
	if (!read_text(state, process, "status", text, sizeof text))
		return 0;
	const char *line = strstr(text, "\nNStgid:");
	const char *end = line ? strchr(line + 1, '\n') : NULL;
	const char *tab = end ? memrchr(line, '\t', (size_t)(end - line)) : NULL;
	return tab ? (uint32_t)strtoul(tab + 1, NULL, 10) : 0;
}

/* Whether the process of this pid can be the recorded one: it must have begun before its first record. */
static bool is_recorded(const struct pd_state *state, const char *process)
{
	uint64_t start;
	return state->now != UINT64_MAX && start_time(state, process, &start) &&
	       pd_host_boot_time() + (int64_t)start <= pd_host_time(state, state->now).last;
}

struct pd_host_process pd_host_process(const struct pd_state *state, int32_t pid)
{
	struct pd_host_process found = { 0 };
	char process[16];
	uint64_t recorded = 0;
	if (pid <= 0)
		return found;
	snprintf(process, sizeof process, "%" PRId32, pid);
	const uint64_t ours = mount_namespace(state, "self"), now = mount_namespace(state, process);
	const bool is_known = pd_hash_map_get(&state->mount_namespaces, (uint32_t)pid, &recorded);
	found.other_files = is_known && ours && recorded != ours;
	if (!now || (is_known && recorded != now) || !is_recorded(state, process))
		return found;
	found.runs = true;
	found.other_files = now != ours;
	found.inner_pid = inner_pid(state, process);
	return found;
}
