/* SPDX-License-Identifier: MIT */
/* Libraries in archives. Android maps the libraries of an app from its APK, a ZIP file that stores them uncompressed.
 * Recorders of Android name such a library "ARCHIVE!/ENTRY"; others record the archive and the offset in it. */
#include "config.h"
#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/cursor.h"
#include "base/fdio.h"
#include "base/memory.h"
#include "base/port.h"
#include "base/search.h"
#include "symbols/symbols.h"

#define MAX_DIRECTORY ((size_t)16 << 20)
#define END_SIZE 22u              /* record at the end of an archive, without its comment */
#define MAX_COMMENT 65535u
#define ENTRY_SIZE 46u            /* entry of the directory, without its name */
#define LOCAL_SIZE 30u            /* header before the bytes of an entry, without its name */
#define END_MAGIC 0x06054b50u
#define ENTRY_MAGIC 0x02014b50u
#define LOCAL_MAGIC 0x04034b50u
#define STORED 0u

const char *pd_archive_entry_name(const char *path)
{
	const char *found = NULL;
	for (const char *at = strstr(path, "!/"); at; at = strstr(at + 1, "!/"))
		found = at[2] ? at : found;
	return found ? found + 2 : NULL;
}

static struct pd_cursor little_cursor(const uint8_t *bytes, size_t size)
{
	return pd_cursor(bytes, size, pd_order_is_foreign(PERFDATA_BYTE_ORDER_LITTLE));
}

/* PERFDATA_ABSENT: the file ends before all bytes are read. */
static enum perfdata_status read_all(int fd, void *out, size_t size, uint64_t offset)
{
	const int64_t got = pd_pread_full(fd, out, size, offset);
	return got < 0 ? PERFDATA_EREAD : got == (int64_t)size ? PERFDATA_OK : PERFDATA_ABSENT;
}

static void free_keeping_errno(void *bytes)
{
	const int error = errno;
	pd_free(bytes);
	errno = error;
}

bool pd_is_archive(int fd)
{
	uint8_t magic[4];
	return read_all(fd, magic, sizeof magic, 0) == PERFDATA_OK &&
	       pd_load32(magic, pd_order_is_foreign(PERFDATA_BYTE_ORDER_LITTLE)) == LOCAL_MAGIC;
}

/* Finds the directory, which precedes the record at the end of the file; only a comment follows this record. */
static enum perfdata_status find_directory(int fd, uint64_t *ret_offset, size_t *ret_size)
{
	struct stat st;
	*ret_offset = 0;
	*ret_size = 0;
	if (pd_fstat(fd, &st))
		return PERFDATA_EREAD;
	const uint64_t file = st.st_size > 0 ? (uint64_t)st.st_size : 0;
	if (file < END_SIZE)
		return PERFDATA_ABSENT;
	const size_t size = file < END_SIZE + MAX_COMMENT ? (size_t)file : END_SIZE + MAX_COMMENT;
	uint8_t *tail = pd_malloc(size);
	if (!tail)
		return PERFDATA_ENOMEM;
	enum perfdata_status status = read_all(fd, tail, size, file - size);
	size_t at = size - END_SIZE + 1;
	bool found = false;
	while (!status && at && !found) {
		struct pd_cursor c = little_cursor(tail + --at, END_SIZE);
		found = pd_u32(&c) == END_MAGIC;
		(void)pd_take(&c, 8);
		*ret_size = pd_u32(&c);
		*ret_offset = pd_u32(&c);
	}
	free_keeping_errno(tail);
	if (status)
		return status;
	return found && *ret_size <= MAX_DIRECTORY ? PERFDATA_OK : PERFDATA_ABSENT;
}

/* Finds the bytes of an entry after its local header, whose extra bytes align them. PERFDATA_ABSENT: they are not an
 * uncompressed ELF file. */
static enum perfdata_status find_bytes(int fd, uint64_t header, uint64_t *ret)
{
	uint8_t local[LOCAL_SIZE], magic[SELFMAG];
	enum perfdata_status status = read_all(fd, local, sizeof local, header);
	if (status)
		return status;
	struct pd_cursor c = little_cursor(local, sizeof local);
	const bool is_local = pd_u32(&c) == LOCAL_MAGIC;
	(void)pd_take(&c, 22);
	const uint64_t name = pd_u16(&c), extra = pd_u16(&c);
	*ret = header + LOCAL_SIZE + name + extra;
	status = read_all(fd, magic, sizeof magic, *ret);
	return status ? status : is_local && !memcmp(magic, ELFMAG, SELFMAG) ? PERFDATA_OK : PERFDATA_ABSENT;
}

typedef enum perfdata_status take_entry(void *user, const struct pd_archive_entry *entry, size_t name_size);

/* Calls `take` for each uncompressed ELF file, or only for those with the name `only`. */
static enum perfdata_status list_entries(int fd, struct pd_work *work, const char *only, take_entry *take, void *user)
{
	uint64_t offset;
	size_t size;
	enum perfdata_status status = find_directory(fd, &offset, &size);
	if (status)
		return status;
	status = pd_work_room(work, size);
	uint8_t *directory = status ? NULL : pd_malloc(size + 1);
	if (!status)
		status = directory ? read_all(fd, directory, size, offset) : PERFDATA_ENOMEM;
	struct pd_cursor c = little_cursor(directory, status ? 0 : size);
	while (!status && pd_left(&c) >= ENTRY_SIZE) {
		const bool is_entry = pd_u32(&c) == ENTRY_MAGIC;
		(void)pd_take(&c, 6);
		const unsigned method = pd_u16(&c);
		(void)pd_take(&c, 8);
		struct pd_archive_entry entry = { .size = pd_u32(&c) };
		(void)pd_u32(&c);
		const size_t name_size = pd_u16(&c), extra_size = pd_u16(&c), comment_size = pd_u16(&c);
		(void)pd_take(&c, 8);
		const uint64_t header = pd_u32(&c);
		entry.name = (const char *)pd_take(&c, name_size);
		(void)pd_take(&c, extra_size + comment_size);
		if (!is_entry || c.failed)
			break;
		status = pd_work_do(work, 1);
		if (status || method != STORED || entry.size < SELFMAG ||
		    (only && (strlen(only) != name_size || memcmp(only, entry.name, name_size))))
			continue;
		status = find_bytes(fd, header, &entry.offset);
		status = status == PERFDATA_ABSENT ? PERFDATA_OK : status ? status : take(user, &entry, name_size);
	}
	free_keeping_errno(directory);
	return status;
}

static enum perfdata_status keep_last(void *user, const struct pd_archive_entry *entry, size_t name_size)
{
	struct pd_archive_entry *found = user;
	(void)name_size;
	*found = *entry;
	return PERFDATA_OK;
}

enum perfdata_status pd_archive_find(int fd, struct pd_work *work, const char *name, uint64_t *ret_offset,
				     uint64_t *ret_size)
{
	struct pd_archive_entry found = { .size = 0 };
	const enum perfdata_status status = list_entries(fd, work, name, keep_last, &found);
	*ret_offset = found.offset;
	*ret_size = found.size;
	return status ? status : found.size ? PERFDATA_OK : PERFDATA_ABSENT;
}

int pd_archive_open(const char *path, enum pd_regular kind)
{
	const char *entry = pd_archive_entry_name(path);
	const int fd = pd_open_regular(path, kind);
	if (fd >= 0 || !entry || (errno != ENOENT && errno != ENOTDIR))
		return fd;
	char *archive = pd_strndup(path, (size_t)(entry - path) - strlen("!/"));
	const int opened = archive ? pd_open_regular(archive, kind) : -1;
	if (!archive)
		errno = ENOMEM;
	free_keeping_errno(archive);
	return opened;
}

struct reading {
	struct pd_archive *archive;
	struct pd_arena *bytes;
	size_t room;
};

static enum perfdata_status add_entry(void *user, const struct pd_archive_entry *entry, size_t name_size)
{
	struct reading *reading = user;
	struct pd_archive *archive = reading->archive;
	if (pd_vector_grow(&archive->entries, &reading->room, archive->nr, sizeof *archive->entries) < 0)
		return PERFDATA_ENOMEM;
	struct pd_archive_entry *kept = &archive->entries[archive->nr];
	*kept = *entry;
	kept->name = pd_arena_copy(reading->bytes, entry->name, name_size);
	if (!kept->name)
		return PERFDATA_ENOMEM;
	archive->nr++;
	return PERFDATA_OK;
}

static int compare_offsets(const void *left, const void *right)
{
	const struct pd_archive_entry *a = left, *b = right;
	return a->offset < b->offset ? -1 : a->offset > b->offset;
}

enum perfdata_status pd_archive_read(int fd, struct pd_work *work, struct pd_arena *bytes, struct pd_archive **ret)
{
	struct pd_archive *archive = pd_calloc(1, sizeof *archive);
	struct reading reading = { archive, bytes, 0 };
	if (!archive)
		return PERFDATA_ENOMEM;
	enum perfdata_status status = list_entries(fd, work, NULL, add_entry, &reading);
	if (!status && !archive->nr)
		status = PERFDATA_ABSENT;
	if (status) {
		const int error = errno;
		pd_archive_free(archive);
		errno = error;
		return status;
	}
	qsort(archive->entries, archive->nr, sizeof *archive->entries, compare_offsets);
	*ret = archive;
	return PERFDATA_OK;
}

struct pd_archive_entry *pd_archive_entry_at(const struct pd_archive *archive, uint64_t offset)
{
	size_t nr;
	PD_COUNT_BEFORE(nr, archive->nr, at, archive->entries[at].offset <= offset);
	struct pd_archive_entry *entry = nr ? &archive->entries[nr - 1] : NULL;
	return entry && offset - entry->offset < entry->size ? entry : NULL;
}

void pd_archive_free(struct pd_archive *archive)
{
	if (archive)
		pd_free(archive->entries);
	pd_free(archive);
}
