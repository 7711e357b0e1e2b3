/* SPDX-License-Identifier: MIT */
/* Walks paths name by name, since open(2) resolves absolute links from this process's root. */
#include "config.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>
#include "base/rooted.h"

#define MAX_LINKS 40

struct walk {
	int root;
	char *real;                       /* the walked part of the path, without a final '/' */
	size_t used;
	char rest[2 * PD_ROOTED_PATH];    /* the rest of the path */
	unsigned links;
	struct stat st;
};

static bool fail_walk(int error)
{
	errno = error;
	return false;
}

static void go_up(struct walk *walk)
{
	while (walk->used && walk->real[--walk->used] != '/')
		;
	walk->real[walk->used] = '\0';
}

/* Follows the link at the end of the walked path: puts its target before the rest of the path. */
static bool follow_link(struct walk *walk)
{
	char target[PD_ROOTED_PATH];
	const ssize_t size = readlinkat(walk->root, walk->real + 1, target, sizeof target - 1);
	if (size < 0)
		return false;
	const size_t left = strlen(walk->rest);
	if (++walk->links > MAX_LINKS)
		return fail_walk(ELOOP);
	if ((size_t)size == sizeof target - 1 || (size_t)size + 1 + left >= sizeof walk->rest)
		return fail_walk(ENAMETOOLONG);
	memmove(walk->rest + size + 1, walk->rest, left + 1);
	memcpy(walk->rest, target, (size_t)size);
	walk->rest[size] = '/';
	if (target[0] == '/') {
		walk->used = 0;
		walk->real[0] = '\0';
	} else {
		go_up(walk);
	}
	return true;
}

static bool enter_name(struct walk *walk, const char *name, size_t size)
{
	if (size == 2 && name[0] == '.' && name[1] == '.') {
		go_up(walk);
		return true;
	}
	if (walk->used + 1 + size >= PD_ROOTED_PATH)
		return fail_walk(ENAMETOOLONG);
	walk->real[walk->used] = '/';
	memcpy(walk->real + walk->used + 1, name, size);
	walk->used += 1 + size;
	walk->real[walk->used] = '\0';
	if (fstatat(walk->root, walk->real + 1, &walk->st, AT_SYMLINK_NOFOLLOW))
		return false;
	return !S_ISLNK(walk->st.st_mode) || follow_link(walk);
}

bool pd_rooted_resolve(int root, const char *path, char real[PD_ROOTED_PATH], struct stat *ret_stat)
{
	struct walk walk = { .root = root, .real = real };
	if (strlen(path) >= PD_ROOTED_PATH)
		return fail_walk(ENAMETOOLONG);
	strcpy(walk.rest, path);
	real[0] = '\0';
	for (;;) {
		const size_t slashes = strspn(walk.rest, "/"), size = strcspn(walk.rest + slashes, "/");
		char name[PD_ROOTED_PATH];
		if (!size)
			break;
		if (size >= sizeof name)
			return fail_walk(ENAMETOOLONG);
		memcpy(name, walk.rest + slashes, size);
		memmove(walk.rest, walk.rest + slashes + size, strlen(walk.rest + slashes + size) + 1);
		if ((size > 1 || name[0] != '.') && !enter_name(&walk, name, size))
			return false;
	}
	/* stat of the directory to which `..` led back */
	if (fstatat(root, walk.used ? real + 1 : ".", &walk.st, AT_SYMLINK_NOFOLLOW))
		return false;
	if (!walk.used)
		strcpy(real, "/");
	if (ret_stat)
		*ret_stat = walk.st;
	return true;
}

int pd_rooted_open(int root, const char *path, enum pd_regular kind, char real[PD_ROOTED_PATH])
{
	struct stat st;
	if (!pd_rooted_resolve(root, path, real, &st))
		return -1;
	if (!S_ISREG(st.st_mode)) {
		errno = EINVAL;
		return -1;
	}
	return pd_open_regular_at(root, real + 1, kind);
}
