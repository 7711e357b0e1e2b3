/* SPDX-License-Identifier: MIT */
/* Indexes every file below a directory by its build-id. All threads take directories from one stack. Links are not
 * followed, so that the walk ends and stays below its root. The result does not depend on which thread was faster. */
#include "config.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/cancel.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/port.h"
#include "base/threads.h"
#include "match/match.h"

#define MAX_DEPTH 128u
#define FILES_PER_REPORT 1024u

struct directory {
	struct directory *next;
	unsigned depth;
	size_t size;
	char path[];                       /* "" for the root; others begin with '/' */
};

struct walk {
	struct pd_id_search *search;
	int root;
	struct pd_monitor *lock;           /* protects all members after it, and the hits of the search */
	struct directory *waiting;
	unsigned working;
	enum perfdata_status failure;
	struct pd_hash_map by_hash;             /* hash of a build-id's first bytes → its number */
};

/* Hashes only the first bytes, since some recorders pad build-ids. */
static uint64_t id_key(const struct pd_build_id *id)
{
	uint64_t key = 0;
	memcpy(&key, id->bytes, id->size < sizeof key ? id->size : sizeof key);
	return key;
}

static void add_hits(struct walk *walk, const struct pd_build_id *id, const char *dir, const char *name)
{
	struct pd_id_search *search = walk->search;
	uint64_t ignored;
	if (!pd_hash_map_get(&walk->by_hash, id_key(id), &ignored))
		return;
	for (size_t i = 0; i < search->nr_ids; i++) {
		if (!pd_same_build_id(&search->ids[i], id))
			continue;
		const size_t dir_size = strlen(dir), name_size = strlen(name);
		char *path = pd_arena_alloc(&search->arena, dir_size + name_size + 2);
		if (!path || pd_vector_grow(&search->hits, &search->hits_room, search->nr_hits, sizeof *search->hits)) {
			walk->failure = PERFDATA_ENOMEM;
			return;
		}
		memcpy(path, dir, dir_size);
		path[dir_size] = '/';
		memcpy(path + dir_size + 1, name, name_size + 1);
		search->hits[search->nr_hits++] = (struct pd_search_hit){ (uint32_t)i, path };
	}
}

static void push_directory(struct walk *walk, const struct directory *parent, const char *name)
{
	const size_t name_size = strlen(name), size = parent->size + 1 + name_size;
	if (parent->depth == MAX_DEPTH || size >= PD_ROOTED_PATH)
		return;
	struct directory *dir = pd_malloc(sizeof *dir + size + 1);
	pd_monitor_enter(walk->lock);
	if (dir) {
		memcpy(dir->path, parent->path, parent->size);
		dir->path[parent->size] = '/';
		memcpy(dir->path + parent->size + 1, name, name_size + 1);
		dir->size = size;
		dir->depth = parent->depth + 1;
		dir->next = walk->waiting;
		walk->waiting = dir;
		pd_monitor_wake(walk->lock);
	} else {
		walk->failure = PERFDATA_ENOMEM;
	}
	pd_monitor_leave(walk->lock);
}

static void look_at(struct walk *walk, int dir_fd, const char *dir, const char *name)
{
	struct stat st;
	struct pd_build_id id;
	const int fd = pd_open_regular_at(dir_fd, name, PD_REGULAR_STORED);
	const struct pd_elf_bytes bytes = { .fd = fd };
	enum perfdata_status status = PERFDATA_ABSENT;
	if (fd < 0 || pd_fstat(fd, &st))
		status = pd_status_of_errno(errno);
	else if (st.st_size > 0)
		status = pd_elf_find_id(&bytes, &id);
	if (fd >= 0)
		close(fd);
	pd_monitor_enter(walk->lock);
	if (status == PERFDATA_OK)
		add_hits(walk, &id, dir, name);
	pd_keep_failure(&walk->failure, status);
	pd_monitor_leave(walk->lock);
}

static void note_errno(struct walk *walk, int error)
{
	pd_monitor_enter(walk->lock);
	pd_keep_failure(&walk->failure, pd_status_of_errno(error));
	pd_monitor_leave(walk->lock);
}

static void report_progress(struct walk *walk, uint64_t nr)
{
	struct pd_id_search *search = walk->search;
	pd_monitor_enter(walk->lock);
	search->nr_files += nr;
	if (search->on_progress)
		search->on_progress(search->user, search->nr_files);
	pd_monitor_leave(walk->lock);
}

/* Returns the type that the directory states for an entry; on some file systems it states none. */
static unsigned char type_of(int dir_fd, const struct dirent *entry)
{
	struct stat st;
	if (entry->d_type != DT_UNKNOWN)
		return entry->d_type;
	if (fstatat(dir_fd, entry->d_name, &st, AT_SYMLINK_NOFOLLOW))
		return DT_UNKNOWN;
	return S_ISDIR(st.st_mode) ? DT_DIR : S_ISREG(st.st_mode) ? DT_REG : DT_UNKNOWN;
}

static bool is_stopped(const struct walk *walk)
{
	const struct pd_id_search *search = walk->search;
	return pd_cancelled(search->cancel);
}

static void list_directory(struct walk *walk, const struct directory *dir)
{
	const int fd = pd_open_folder_at(walk->root, dir->size ? dir->path + 1 : ".");
	DIR *stream = fd >= 0 ? fdopendir(fd) : NULL;
	const struct dirent *entry = NULL;
	uint64_t nr = 0;
	if (!stream) {
		note_errno(walk, errno);
		if (fd >= 0)
			close(fd);
		return;
	}
	while (!is_stopped(walk) && (errno = 0, entry = readdir(stream))) {
		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		const unsigned char type = type_of(fd, entry);
		if (type == DT_DIR)
			push_directory(walk, dir, entry->d_name);
		if (type != DT_REG)
			continue;
		look_at(walk, fd, dir->path, entry->d_name);
		if (++nr % FILES_PER_REPORT == 0) {
			report_progress(walk, nr);
			nr = 0;
		}
	}
	if (!entry && errno)
		note_errno(walk, errno);
	report_progress(walk, nr);
	closedir(stream);
}

/* Waits for a directory as long as another thread may find one; NULL: the walk has ended. */
static struct directory *take_directory(struct walk *walk)
{
	pd_monitor_enter(walk->lock);
	while (!walk->waiting && walk->working)
		pd_monitor_wait(walk->lock);
	struct directory *dir = walk->waiting;
	if (dir) {
		walk->waiting = dir->next;
		walk->working++;
	}
	pd_monitor_leave(walk->lock);
	return dir;
}

static void walk_directories(void *user, unsigned index)
{
	struct walk *walk = user;
	struct directory *dir;
	(void)index;
	while ((dir = take_directory(walk))) {
		if (!is_stopped(walk))
			list_directory(walk, dir);
		pd_free(dir);
		pd_monitor_enter(walk->lock);
		walk->working--;
		pd_monitor_wake(walk->lock);
		pd_monitor_leave(walk->lock);
	}
}

static int compare_paths(const void *left, const void *right)
{
	const struct pd_search_hit *a = left, *b = right;
	return a->wanted != b->wanted ? (a->wanted > b->wanted) - (a->wanted < b->wanted) : strcmp(a->path, b->path);
}

static bool begin_walk(struct walk *walk)
{
	const struct pd_id_search *search = walk->search;
	walk->lock = pd_monitor_new();
	walk->waiting = pd_calloc(1, sizeof *walk->waiting + 1);
	for (size_t i = 0; i < search->nr_ids; i++)
		if (pd_hash_map_put(&walk->by_hash, id_key(&search->ids[i]), i))
			return false;
	return walk->lock && walk->waiting;
}

enum perfdata_status pd_id_search(struct pd_id_search *search, int root)
{
	struct walk walk = { .search = search, .root = root };
	enum perfdata_status status = PERFDATA_ENOMEM;
	if (begin_walk(&walk)) {
		struct pd_team *team = search->threads > 1 ? pd_team_start(search->threads - 1, walk_directories, &walk)
							   : NULL;
		walk_directories(&walk, search->threads);
		pd_team_join(team);
		if (search->nr_hits)
			qsort(search->hits, search->nr_hits, sizeof *search->hits, compare_paths);
		status = is_stopped(&walk) ? PERFDATA_EINTR : PERFDATA_OK;
		search->failure = walk.failure;
	}
	while (walk.waiting) {
		struct directory *next = walk.waiting->next;
		pd_free(walk.waiting);
		walk.waiting = next;
	}
	pd_hash_map_release(&walk.by_hash);
	pd_monitor_free(walk.lock);
	return status;
}

void pd_id_search_release(struct pd_id_search *search)
{
	pd_free(search->hits);
	pd_arena_release(&search->arena);
}
