/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "annotate/annotate.h"
#include "base/error.h"
#include "base/fdio.h"
#include "base/memory.h"
#include "base/port.h"
#include "base/regular.h"
#include "base/rooted.h"
#include "session/session.h"
#include "symbols/symbols.h"

#define MOST_SOURCE ((size_t)16 << 20)

struct path_rule {
	const char *old, *now;
	size_t old_size;
};

struct pd_sources {
	const struct perfdata_session *session;   /* the session, whose names fail if a file cannot be read */
	int root;
	char path[PD_ROOTED_PATH];   /* path of the file that was requested last */
	char *bytes;                 /* contents of the file; NULL: no such file */
	size_t size;
	size_t *lines;               /* offset of each line */
	size_t nr_lines, lines_room;
	struct path_rule *rules;
	size_t nr_rules, rules_room;
};

enum perfdata_status pd_sources_new(const struct perfdata_session *session, const char *folder, struct pd_sources **ret)
{
	struct pd_sources *sources = pd_calloc(1, sizeof *sources);
	if (!sources) {
		errno = ENOMEM;
		return PERFDATA_ENOMEM;
	}
	sources->session = session;
	sources->root = pd_open_folder(folder);
	if (sources->root < 0) {
		const int code = errno;
		pd_free(sources);
		errno = code;
		return pd_status_of_errno(code);
	}
	*ret = sources;
	return PERFDATA_OK;
}

static void forget_oldest(struct pd_sources *sources)
{
	pd_free(sources->bytes);
	sources->bytes = NULL;
	sources->size = sources->nr_lines = 0;
}

void pd_sources_free(struct pd_sources *sources)
{
	if (!sources)
		return;
	forget_oldest(sources);
	pd_free(sources->lines);
	pd_free(sources->rules);
	close(sources->root);
	pd_free(sources);
}

enum perfdata_status pd_sources_map(struct pd_sources *sources, const char *old, size_t old_size, const char *now)
{
	while (old_size > 1 && old[old_size - 1] == '/')
		old_size--;
	if (pd_vector_grow(&sources->rules, &sources->rules_room, sources->nr_rules, sizeof *sources->rules) < 0)
		return PERFDATA_ENOMEM;
	sources->rules[sources->nr_rules++] = (struct path_rule){ old, now, old_size };
	return PERFDATA_OK;
}

/* Returns the path after the rules; NULL: it is too long. */
static const char *mapped_path(const struct pd_sources *sources, const char *path, char *room, size_t size)
{
	for (size_t i = 0; i < sources->nr_rules; i++) {
		const struct path_rule *rule = &sources->rules[i];
		const char *rest = path + rule->old_size;
		if (strncmp(path, rule->old, rule->old_size) != 0 ||
		    (*rest && *rest != '/' && rule->old[rule->old_size - 1] != '/'))
			continue;
		const int used = snprintf(room, size, "%s/%s", rule->now, rest);
		return used >= 0 && (size_t)used < size ? room : NULL;
	}
	return path;
}

/* Opens the file in the directory whose path is the longest possible end of `path`. The beginning of `path` belongs to
 * the machine that compiled the program. */
static int open_below(const struct pd_sources *sources, const char *path)
{
	char real[PD_ROOTED_PATH], room[PD_ROOTED_PATH];
	for (const char *at = mapped_path(sources, path, room, sizeof room); at && *at;) {
		const int fd = pd_rooted_open(sources->root, at, PD_REGULAR_STORED, real);
		if (fd >= 0 || pd_status_of_errno(errno) != PERFDATA_ABSENT)
			return fd;
		at = strchr(at + 1, '/');
	}
	errno = ENOENT;
	return -1;
}

/* Reports a failure to the session, whose names then fail: the line must not seem absent, since its file exists. */
static void record_failure(const struct pd_sources *sources, const char *path, int code)
{
	const struct pd_state *state = sources->session->state;
	if (state && state->symbols)
		(void)pd_symbols_fail(state->symbols, path, code);
}

static void read_bytes(struct pd_sources *sources, const char *path, int fd)
{
	struct stat st;
	if (pd_fstat(fd, &st) != 0)
		record_failure(sources, path, errno);
	else if (st.st_size > 0 && (uint64_t)st.st_size <= MOST_SOURCE &&
		 !(sources->bytes = pd_malloc((size_t)st.st_size)))
		record_failure(sources, path, ENOMEM);
	if (!sources->bytes)
		return;
	const int64_t got = pd_pread_full(fd, sources->bytes, (size_t)st.st_size, 0);
	if (got < 0) {
		record_failure(sources, path, errno);
		forget_oldest(sources);
	} else {
		sources->size = (size_t)got;
	}
}

static void read_file(struct pd_sources *sources, const char *path)
{
	const int fd = open_below(sources, path);
	if (fd < 0) {
		record_failure(sources, path, errno);
		return;
	}
	read_bytes(sources, path, fd);
	close(fd);
	for (size_t at = 0; sources->bytes && at < sources->size;) {
		if (pd_vector_grow(&sources->lines, &sources->lines_room, sources->nr_lines,
				   sizeof *sources->lines) < 0) {
			record_failure(sources, path, ENOMEM);
			return;
		}
		sources->lines[sources->nr_lines++] = at;
		const char *end = memchr(sources->bytes + at, '\n', sources->size - at);
		at = end ? (size_t)(end - sources->bytes) + 1 : sources->size;
	}
}

const char *pd_sources_line(struct pd_sources *sources, const char *path, uint32_t line, size_t *ret_size)
{
	if (strlen(path) >= sizeof sources->path)
		return NULL;
	if (strcmp(sources->path, path) != 0) {
		forget_oldest(sources);
		memcpy(sources->path, path, strlen(path) + 1);
		read_file(sources, path);
	}
	if (!line || line > sources->nr_lines)
		return NULL;
	const size_t first = sources->lines[line - 1];
	const size_t end = line < sources->nr_lines ? sources->lines[line] : sources->size;
	*ret_size = end - first;
	while (*ret_size && strchr("\r\n", sources->bytes[first + *ret_size - 1]))
		--*ret_size;
	return sources->bytes + first;
}
