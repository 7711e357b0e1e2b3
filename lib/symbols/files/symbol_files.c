/* SPDX-License-Identifier: MIT */
/* Finds symbol files at the paths where they may be, in perf's order, so that perfdata and perf find the same file. */
#include "config.h"
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/cancel.h"
#include "base/digit.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/port.h"
#include "base/rooted.h"
#include "symbols/symbols.h"

#define MAX_PATH 4096
#define HOST_DEBUG_DIR "/usr/lib/debug"

/* Opens a file below a directory that replaces the root: links are resolved relative to this directory. */
static int open_below(const char *root, const char *rest, enum pd_regular kind)
{
	char real[PD_ROOTED_PATH];
	const int dir = pd_open_folder(root);
	if (dir < 0)
		return -1;
	const int fd = pd_rooted_open(dir, rest, kind, real);
	const int error = errno;
	close(dir);
	errno = error;
	return fd;
}

static int open_path(const struct perfdata_symbols *symbols, const char *path, enum pd_regular kind)
{
	const struct perfdata_symbols_options *o = &symbols->options;
	const char *const roots[] = { o->symfs, o->sysroot };
	if (o->open)
		return o->open(o->open_user, path);
	for (size_t i = 0; i < 2; i++) {
		const size_t size = roots[i] ? strlen(roots[i]) : 0;
		/* "/" and similar mean this machine's own root */
		if (size && roots[i][strspn(roots[i], "/")] && !strncmp(path, roots[i], size) && path[size] == '/')
			return open_below(roots[i], path + size, kind);
	}
	return pd_open_regular(path, kind);
}

/* Opens the archive, if the path is that of an entry in it. */
int pd_symbols_open_once(const struct perfdata_symbols *symbols, const char *path, enum pd_regular kind)
{
	const char *entry = pd_archive_entry_name(path);
	const int fd = open_path(symbols, path, kind);
	char archive[MAX_PATH];
	if (fd >= 0 || !entry || (errno != ENOENT && errno != ENOTDIR))
		return fd;
	const size_t size = (size_t)(entry - path) - strlen("!/");
	if (size >= sizeof archive) {
		errno = ENAMETOOLONG;
		return -1;
	}
	memcpy(archive, path, size);
	archive[size] = '\0';
	return open_path(symbols, archive, kind);
}

#define PIECE ((size_t)1 << 20)   /* bytes read at once */

static ssize_t read_some(int fd, char *out, size_t size)
{
	ssize_t n;
	do
		n = read(fd, out, size);
	while (n < 0 && errno == EINTR);
	return n;
}

/* Returns the status for errno after a failed read of an open file. */
static enum perfdata_status failed_read(void)
{
	const enum perfdata_status status = pd_status_of_errno(errno);
	return status == PERFDATA_ABSENT ? PERFDATA_EREAD : status;
}

enum perfdata_status pd_read_whole(int fd, size_t limit, char **ret, size_t *ret_size)
{
	return pd_read_within(NULL, fd, limit, ret, ret_size);
}

/* The stated size is only a hint, since it is 0 in /proc; the number of bytes read counts. */
enum perfdata_status pd_read_within(struct pd_work *work, int fd, size_t limit, char **ret, size_t *ret_size)
{
	struct stat st;
	if (pd_fstat(fd, &st))
		return failed_read();
	if (st.st_size > 0 && ((uint64_t)st.st_size > limit || (work && pd_work_room(work, (uint64_t)st.st_size))))
		return PERFDATA_ELIMIT;
	size_t room = st.st_size > 0 ? pd_large_size((size_t)st.st_size + 2) : (size_t)1 << 20, used = 0;
	char *data = pd_malloc_large(room);
	enum perfdata_status status = PERFDATA_OK;
	for (;;) {
		/* one more byte, for the NUL */
		if (!data || pd_vector_grow(&data, &room, used + 1, 1) < 0) {
			status = PERFDATA_ENOMEM;
			break;
		}
		status = work ? pd_work_do(work, 1) : PERFDATA_OK;
		/* the buffer grows next only if the stated size was wrong */
		if (!status && work && used + PIECE >= room)
			status = pd_work_room(work, 2 * used);
		if (status)
			break;
		/* Memory that is first used within read(2) is made under a lock of the whole process, which would stop
		 * threads that allocate. */
		data[used] = '\0';
		ssize_t n = read_some(fd, data + used, room - used - 1 < PIECE ? room - used - 1 : PIECE);
		if (n <= 0) {
			status = n ? failed_read() : PERFDATA_OK;
			break;
		}
		used += (size_t)n;
		if (used > limit) {
			status = PERFDATA_ELIMIT;
			break;
		}
	}
	if (status) {
		const int error = errno;
		pd_free(data);
		errno = error;
		return status;
	}
	data[used] = '\0';
	*ret = data;
	*ret_size = used;
	return PERFDATA_OK;
}

struct pd_build_id pd_build_id_of(const uint8_t *bytes, size_t size)
{
	struct pd_build_id id = { .size = size <= sizeof id.bytes ? size : 0 };
	if (id.size)
		memcpy(id.bytes, bytes, id.size);
	return id;
}

bool pd_same_build_id(const struct pd_build_id *a, const struct pd_build_id *b)
{
	const struct pd_build_id *longer = a->size > b->size ? a : b;
	size_t common = a->size < b->size ? a->size : b->size;
	if (memcmp(a->bytes, b->bytes, common))
		return false;
	for (size_t i = common; i < longer->size; i++)
		if (longer->bytes[i])
			return false;
	return common > 0;
}

/* --- places ------------------------------------------------------------------------------------------------------ */

struct places {
	const struct perfdata_symbols *symbols;
	pd_location_fn *take;
	void *user;
};

static bool PERFDATA_PRINTF(3, 4) offer_path(const struct places *places, const char *what, const char *format, ...)
{
	char path[MAX_PATH];
	va_list args;
	va_start(args, format);
	int length = vsnprintf(path, sizeof path, format, args);
	va_end(args);
	return length > 0 && (size_t)length < sizeof path && places->take(places->user, path, what);
}

static bool places_of(const struct places *places, const char *path, const char *what)
{
	const struct perfdata_symbols_options *o = &places->symbols->options;
	if (path[0] != '/' || path[1] == '/')
		return false;
	if (o->symfs)
		return offer_path(places, what, "%s%s", o->symfs, o->symfs_flat ? strrchr(path, '/') : path);
	if (o->sysroot && offer_path(places, what, "%s%s", o->sysroot, path))
		return true;
	return !o->no_host && places->take(places->user, path, what);
}

bool pd_places_of(const struct perfdata_symbols *symbols, const char *path, const char *what, pd_location_fn *take,
		  void *user)
{
	const struct places places = { symbols, take, user };
	return places_of(&places, path, what);
}

/* Offers "DIR" + rest for each debug directory. Directories that the user named are used unchanged. */
static bool PERFDATA_PRINTF(3, 4) in_debug_dirs(const struct places *places, const char *what, const char *format, ...)
{
	const struct perfdata_symbols_options *o = &places->symbols->options;
	char rest[MAX_PATH], path[MAX_PATH + sizeof HOST_DEBUG_DIR];
	va_list args;
	va_start(args, format);
	int length = vsnprintf(rest, sizeof rest, format, args);
	va_end(args);
	if (length < 0 || (size_t)length >= sizeof rest)
		return false;
	for (size_t i = 0; i < o->debug_dir_count; i++)
		if (offer_path(places, what, "%s%s", o->debug_dirs[i], rest))
			return true;
	if (o->debug_dir_count)
		return false;
	snprintf(path, sizeof path, "%s%s", HOST_DEBUG_DIR, rest);
	return places_of(places, path, what);
}

/* Whether the name of a debug link is one path component; others would leave the directory. */
static bool is_plain_name(const char *name) { return name && *name && !strchr(name, '/') && strcmp(name, ".."); }

static bool debug_link_places(const struct places *places, const char *path, const char *link)
{
	const char *what = "debug link", *slash = strrchr(path, '/');
	char place[MAX_PATH];
	if (!is_plain_name(link) || path[0] != '/')
		return false;
	int dir = (int)(slash - path);
	if (snprintf(place, sizeof place, "%.*s/%s", dir, path, link) < (int)sizeof place && strcmp(place, path) &&
	    places_of(places, place, what))
		return true;
	if (snprintf(place, sizeof place, "%.*s/.debug/%s", dir, path, link) < (int)sizeof place &&
	    places_of(places, place, what))
		return true;
	return in_debug_dirs(places, what, "%.*s/%s", dir, path, link);
}

bool pd_cache_places(const struct perfdata_symbols *symbols, const struct pd_build_id *id, const char *name,
		     pd_location_fn *take, void *user)
{
	const struct places places = { symbols, take, user };
	const char *dir = symbols->options.build_id_dir;
	char digits[2 * PERFDATA_BUILD_ID_MAX + 1];
	if (!dir || id->size < 2)
		return false;
	pd_hex_digits(digits, id->bytes, id->size);
	return offer_path(&places, "build-id cache", "%s/.build-id/%.2s/%s/%s", dir, digits, digits + 2, name);
}

bool pd_cache_places_of(const struct perfdata_symbols *symbols, const char *path, const struct pd_build_id *id,
			const char *name, pd_location_fn *take, void *user)
{
	const struct places places = { symbols, take, user };
	const char *dir = symbols->options.build_id_dir;
	char digits[2 * PERFDATA_BUILD_ID_MAX + 1];
	if (!dir || !id->size || path[0] != '/')
		return false;
	pd_hex_digits(digits, id->bytes, id->size);
	return offer_path(&places, "build-id cache", "%s%s/%s/%s", dir, path, digits, name);
}

/* perf's cache may have two files for a build-id: one with a symbol table, and its separate debug information. */
static bool cached_debug_places(const struct perfdata_symbols *symbols, const struct pd_build_id *id,
				pd_location_fn *take, void *user)
{
	const bool debug_first = symbols->options.debug_first;
	return pd_cache_places(symbols, id, debug_first ? "debug" : "elf", take, user) ||
	       pd_cache_places(symbols, id, debug_first ? "elf" : "debug", take, user);
}

bool pd_debug_places(const struct perfdata_symbols *symbols, const char *path, const char *debug_link,
		     const struct pd_build_id *id, pd_location_fn *take, void *user)
{
	const struct places places = { symbols, take, user };
	char digits[2 * PERFDATA_BUILD_ID_MAX + 1];
	pd_hex_digits(digits, id->bytes, id->size);
	if (debug_link_places(&places, path, debug_link))
		return true;
	if (id->size >= 2 && cached_debug_places(symbols, id, take, user))
		return true;
	if (path[0] == '/' && (in_debug_dirs(&places, "debug directory", "%s.debug", path) ||
			       in_debug_dirs(&places, "debug directory", "%s", path)))
		return true;
	return id->size >= 2 &&
	       in_debug_dirs(&places, "build-id directory", "/.build-id/%.2s/%s.debug", digits, digits + 2);
}

bool pd_alt_places(const struct perfdata_symbols *symbols, const char *from, const char *link,
		   const struct pd_build_id *id, pd_location_fn *take, void *user)
{
	const struct places places = { symbols, take, user };
	const char *what = "supplementary file", *slash = strrchr(from, '/');
	char digits[2 * PERFDATA_BUILD_ID_MAX + 1];
	pd_hex_digits(digits, id->bytes, id->size);
	if (id->size >= 2 &&
	    (cached_debug_places(symbols, id, take, user) ||
	     in_debug_dirs(&places, what, "/.build-id/%.2s/%s.debug", digits, digits + 2)))
		return true;
	return *link == '/' ? places_of(&places, link, what)
			    : slash && offer_path(&places, what, "%.*s/%s", (int)(slash - from), from, link);
}

bool pd_vmlinux_places(const struct perfdata_symbols *symbols, const char *release, pd_location_fn *take, void *user)
{
	static const char *const patterns[] = {
		"/boot/vmlinux-%s", "/usr/lib/debug/boot/vmlinux-%s", "/lib/modules/%s/build/vmlinux",
		"/usr/lib/debug/lib/modules/%s/vmlinux", "/usr/lib/debug/boot/vmlinux-%s.debug",
	};
	const struct places places = { symbols, take, user };
	char path[MAX_PATH];
	if (!release || !is_plain_name(release) || strlen(release) > 256)
		return false;
	for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
		const char *gap = strstr(patterns[i], "%s");
		snprintf(path, sizeof path, "%.*s%s%s", (int)(gap - patterns[i]), patterns[i], release, gap + 2);
		if (places_of(&places, path, "vmlinux"))
			return true;
	}
	return false;
}

/* CRC-32 as in gzip and .gnu_debuglink. */
static uint32_t crc32_of(uint32_t crc, const uint8_t *bytes, size_t size)
{
	crc = ~crc;
	for (size_t i = 0; i < size; i++) {
		static const uint32_t nibbles[16] = {
			0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4, 0x4db26158, 0x5005713c,
			0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c, 0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c,
		};
		crc ^= bytes[i];
		crc = crc >> 4 ^ nibbles[crc & 15];
		crc = crc >> 4 ^ nibbles[crc & 15];
	}
	return ~crc;
}

bool pd_debuglink_crc(int fd, const struct perfdata_cancel *cancel, uint32_t *ret)
{
	uint8_t buffer[16384];
	uint32_t crc = 0;
	off_t at = 0;
	for (;;) {
		if (pd_cancelled(cancel)) {
			errno = EINTR;
			return false;
		}
		ssize_t n = pread(fd, buffer, sizeof buffer, at);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return false;
		if (!n)
			break;
		crc = crc32_of(crc, buffer, (size_t)n);
		at += n;
	}
	*ret = crc;
	return true;
}
