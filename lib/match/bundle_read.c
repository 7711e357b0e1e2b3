/* SPDX-License-Identifier: MIT */
/* Bundles as sources of symbols. An archive is decompressed once into a file without a name, from which entries are
 * copied on demand. From a directory, only files inside it are opened. */
#include "config.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/error.h"
#include "base/fdio.h"
#include "base/memory.h"
#include "base/option_struct.h"
#include "base/port.h"
#include "base/threads.h"
#include "codec/codec.h"
#include "match/bundle_impl.h"
#include "match/match.h"

#define MAX_BYTES ((uint64_t)16 << 30)
#define MAX_ENTRIES ((size_t)1 << 20)
#define MAX_NAMES ((size_t)64 << 20)   /* limit of all names in bytes, since they are kept in memory */
#define MAX_PAX ((uint64_t)64 << 10)
#define MAX_LINKS 40u
#define BUFFER ((size_t)1 << 18)

struct member {
	const char *name, *target;         /* target: of a link */
	uint64_t offset, size;             /* offset and bytes of the content in the archive */
};

struct perfdata_bundle_files {
	char *path;                        /* path from the caller */
	int root;                          /* descriptor of a directory, else -1 */
	int spool;                         /* descriptor of the archive or of its decompressed copy, else -1 */
	const char *tmpdir;
	bool lacks_spool;                  /* a temporary file failed, not the bundle */
	const char *limit;                 /* limit that the archive exceeds, for PERFDATA_ELIMIT; NULL: none */
	struct pd_codec_reason codec;      /* why its codec cannot be used; empty: it can, or none is needed */
	struct member *members;            /* sorted by name */
	size_t nr, room;
	uint64_t refused;
	size_t name_bytes;
	struct pd_arena arena;
};

/* --- unpacking ---------------------------------------------------------------------------------------------------- */

static const char too_large[] = "it holds more bytes than the limit allows";

struct unpacking {
	int in, out;
	uint64_t compressed, decompressed, max_bytes;
	uint32_t max_ratio;
	bool lacks_out;                    /* writing failed, not reading */
	const char *limit;                 /* limit that the archive exceeds: see struct perfdata_bundle_files */
};

/* Returns the status for errno after a failed access to a bundle or a temporary file. */
static enum perfdata_status status_of_errno(void)
{
	return pd_status_of_read(errno);
}

static enum perfdata_status write_out(struct unpacking *u, const uint8_t *bytes, size_t size)
{
	u->decompressed += size;
	const bool exceeds_ratio = u->max_ratio && u->decompressed > ((uint64_t)64 << 20) &&
				   u->decompressed / u->max_ratio > u->compressed;
	if (u->decompressed > u->max_bytes || exceeds_ratio) {
		u->limit = exceeds_ratio ? "it decompresses to more than the ratio allows" : too_large;
		return PERFDATA_ELIMIT;
	}
	u->lacks_out = pd_write_full(u->out, bytes, size);
	return u->lacks_out ? status_of_errno() : PERFDATA_OK;
}

static enum perfdata_status unpack_stream(struct unpacking *u, struct pd_decoder *decoder, uint8_t *in, uint8_t *out)
{
	enum perfdata_status last = PERFDATA_OK;
	for (;;) {
		const int64_t got = pd_read_some(u->in, in, BUFFER, NULL);
		if (got <= 0)
			return got < 0 ? status_of_errno() : last == PERFDATA_END ? PERFDATA_OK : PERFDATA_EFORMAT;
		u->compressed += (uint64_t)got;
		size_t at = 0, used = 0;
		do {
			used = 0;
			last = pd_decoder_run(decoder, in, (size_t)got, &at, out, BUFFER, &used);
			if (last < 0 || last == PERFDATA_DAMAGED)
				return last < 0 ? last : PERFDATA_EFORMAT;
			const enum perfdata_status status = used ? write_out(u, out, used) : PERFDATA_OK;
			if (status)
				return status;
		} while (at < (size_t)got || used == BUFFER);
	}
}

static enum perfdata_status unpack_bundle(struct unpacking *u, enum pd_codec_kind kind)
{
	struct pd_decoder *decoder = pd_decoder_new(kind);
	uint8_t *buffers = pd_malloc(2 * BUFFER);
	enum perfdata_status status = PERFDATA_ENOMEM;
	if (decoder && buffers)
		status = unpack_stream(u, decoder, buffers, buffers + BUFFER);
	pd_decoder_free(decoder);
	pd_free(buffers);
	return status;
}

/* --- the index ---------------------------------------------------------------------------------------------------- */

/* What pax headers say about the next entry. */
struct pax {
	char name[PD_ROOTED_PATH], target[PD_ROOTED_PATH];
	uint64_t size;
	bool has_size;
};

static void take_pax_record(struct pax *pax, const char *record, size_t size)
{
	static const char path[] = "path=", linkpath[] = "linkpath=", length[] = "size=";
	if (size > sizeof path - 1 && !memcmp(record, path, sizeof path - 1))
		snprintf(pax->name, sizeof pax->name, "%.*s", (int)(size - (sizeof path - 1)),
			 record + sizeof path - 1);
	else if (size > sizeof linkpath - 1 && !memcmp(record, linkpath, sizeof linkpath - 1))
		snprintf(pax->target, sizeof pax->target, "%.*s", (int)(size - (sizeof linkpath - 1)),
			 record + sizeof linkpath - 1);
	else if (size > sizeof length - 1 && !memcmp(record, length, sizeof length - 1)) {
		char digits[24];
		snprintf(digits, sizeof digits, "%.*s", (int)(size - (sizeof length - 1)), record + sizeof length - 1);
		pax->size = strtoull(digits, NULL, 10);
		pax->has_size = true;
	}
}

/* Takes "LENGTH KEY=VALUE\n". */
static void take_pax(struct pax *pax, const char *text, size_t size)
{
	for (size_t at = 0; at < size;) {
		char *end;
		const unsigned long long length = strtoull(text + at, &end, 10);
		const size_t head = (size_t)(end - (text + at)) + 1;
		if (*end != ' ' || length > size - at || length <= head)
			return;
		take_pax_record(pax, text + at + head, (size_t)length - head - 1);
		at += (size_t)length;
	}
}

static enum perfdata_status read_pax(struct perfdata_bundle_files *files, struct pax *pax, uint64_t offset,
				     uint64_t size)
{
	if (size > MAX_PAX)
		return PERFDATA_EFORMAT;
	char *text = pd_calloc(1, (size_t)size + 1);
	if (!text)
		return PERFDATA_ENOMEM;
	const int64_t got = pd_pread_full(files->spool, text, (size_t)size, offset);
	const enum perfdata_status status = got < 0                ? status_of_errno()
					    : got == (int64_t)size ? PERFDATA_OK
								   : PERFDATA_EFORMAT;
	if (!status)
		take_pax(pax, text, (size_t)size);
	pd_free(text);
	return status;
}

/* Sets `out` to the name in the archive to which a link leads; false: the link leads out of the archive. */
static bool resolve_link(const char *name, const char *target, char out[PD_ROOTED_PATH])
{
	const char *slash = strrchr(name, '/');
	size_t used = slash ? (size_t)(slash - name) : 0;
	if (*target == '/')
		return false;
	memcpy(out, name, used);
	for (const char *at = target; *at;) {
		const size_t size = strcspn(at, "/");
		if (size == 2 && at[0] == '.' && at[1] == '.') {
			if (!used)
				return false;
			while (used && out[--used] != '/')
				;
		} else if (size && (size > 1 || at[0] != '.')) {
			if (used + size + 2 > PD_ROOTED_PATH)
				return false;
			if (used)
				out[used++] = '/';
			memcpy(out + used, at, size);
			used += size;
		}
		at += size + (at[size] == '/');
	}
	out[used] = '\0';
	return used > 0;
}

static enum perfdata_status add_member(struct perfdata_bundle_files *files, const char *name, const char *target,
				       uint64_t offset, uint64_t size)
{
	char inside[PD_ROOTED_PATH];
	while (!strncmp(name, "./", 2))
		name += 2;
	if (!pd_is_safe_name(name) || (target && !resolve_link(name, target, inside))) {
		files->refused++;
		return PERFDATA_OK;
	}
	files->name_bytes += strlen(name) + (target ? strlen(inside) : 0);
	if (files->nr == MAX_ENTRIES || files->name_bytes > MAX_NAMES) {
		files->limit = "it has too many files";
		return PERFDATA_ELIMIT;
	}
	if (pd_vector_grow(&files->members, &files->room, files->nr, sizeof *files->members))
		return PERFDATA_ENOMEM;
	const struct member member = {
		.name = pd_arena_copy(&files->arena, name, strlen(name)),
		.target = target ? pd_arena_copy(&files->arena, inside, strlen(inside)) : NULL,
		.offset = offset,
		.size = size,
	};
	if (!member.name || (target && !member.target))
		return PERFDATA_ENOMEM;
	files->members[files->nr++] = member;
	return PERFDATA_OK;
}

static int compare_entries(const void *left, const void *right)
{
	const struct member *a = left, *b = right;
	const int names = strcmp(a->name, b->name);
	return names ? names : (a->offset > b->offset) - (a->offset < b->offset);
}

static bool is_end(const uint8_t block[PD_TAR_BLOCK])
{
	for (size_t i = 0; i < PD_TAR_BLOCK; i++)
		if (block[i])
			return false;
	return true;
}

static enum perfdata_status read_index(struct perfdata_bundle_files *files, uint64_t total)
{
	struct pax pax = { .has_size = false };
	struct pd_tar_header header;
	enum perfdata_status status = PERFDATA_OK;
	uint64_t at = 0;
	bool any = false;
	while (!status) {
		uint8_t block[PD_TAR_BLOCK];
		const int64_t got = pd_pread_full(files->spool, block, sizeof block, at);
		if (got < 0)
			return status_of_errno();
		if (got != sizeof block || is_end(block))
			break;
		if (!pd_tar_parse(block, &header))
			return PERFDATA_EFORMAT;
		any = true;
		at += PD_TAR_BLOCK;
		const bool is_pax = header.type == 'x' || header.type == 'g';
		const bool has_content = header.type == PD_TAR_FILE || header.type == '7' || is_pax ||
					 header.type == 'L' || header.type == 'K';
		const uint64_t size = !is_pax && pax.has_size ? pax.size : header.size,
			       content = has_content ? size : 0;
		if (content > total - at)
			return PERFDATA_EFORMAT;
		const char *name = pax.name[0] ? pax.name : header.name,
			   *target = pax.target[0] ? pax.target : header.target;
		if (header.type == 'x')
			status = read_pax(files, &pax, at, size);
		else if (header.type == PD_TAR_FILE || header.type == '7')
			status = add_member(files, name, NULL, at, size);
		else if (header.type == PD_TAR_LINK)
			status = add_member(files, name, target, 0, 0);
		else if (header.type != PD_TAR_DIRECTORY && !is_pax)
			files->refused++;
		if (header.type != 'x')
			memset(&pax, 0, sizeof pax);
		at += (content + PD_TAR_BLOCK - 1) / PD_TAR_BLOCK * PD_TAR_BLOCK;
	}
	if (files->nr)
		qsort(files->members, files->nr, sizeof *files->members, compare_entries);
	return status ? status : any ? PERFDATA_OK : PERFDATA_EFORMAT;
}

/* --- opening ------------------------------------------------------------------------------------------------------ */

/* Opens an archive that is not compressed, without a copy. */
static enum perfdata_status open_in_place(struct perfdata_bundle_files *files, int fd, uint64_t most)
{
	struct stat st;
	files->spool = pd_fd_copy(fd);
	if (files->spool < 0 || pd_fstat(fd, &st))
		return status_of_errno();
	files->limit = (uint64_t)st.st_size > most ? too_large : NULL;
	return files->limit ? PERFDATA_ELIMIT : read_index(files, (uint64_t)st.st_size);
}

static enum perfdata_status open_archive(struct perfdata_bundle_files *files, int fd,
					 const struct perfdata_bundle_files_options *options)
{
	struct unpacking u = {
		.in = fd,
		.max_bytes = options->max_bytes ? options->max_bytes : MAX_BYTES,
		.max_ratio = options->max_ratio,
	};
	uint8_t magic[PD_CODEC_MAGIC];
	const int64_t got = pd_pread_full(fd, magic, sizeof magic, 0);
	if (got < 0)
		return status_of_errno();
	const enum pd_codec_kind kind = got > 0 ? pd_codec_probe(magic, (size_t)got) : PD_CODEC_NONE;
	if (kind == PD_CODEC_NONE)
		return open_in_place(files, fd, u.max_bytes);
	enum perfdata_status status = pd_codec_load(kind, &files->codec);
	if (status)
		return status;
	u.out = files->spool = pd_tempfile(files->tmpdir);
	files->lacks_spool = files->spool < 0;
	if (files->lacks_spool)
		return status_of_errno();
	status = unpack_bundle(&u, kind);
	files->lacks_spool = u.lacks_out;
	files->limit = u.limit;
	return status ? status : read_index(files, u.decompressed);
}

static enum perfdata_status open_files(struct perfdata_bundle_files *files,
				       const struct perfdata_bundle_files_options *options)
{
	struct stat st;
	if (stat(files->path, &st))
		return status_of_errno();
	if (S_ISDIR(st.st_mode)) {
		files->root = pd_open_folder(files->path);
		return files->root < 0 ? status_of_errno() : PERFDATA_OK;
	}
	const int fd = pd_open_regular(files->path, PD_REGULAR_STORED);
	if (fd < 0)
		return status_of_errno();
	const enum perfdata_status status = open_archive(files, fd, options);
	close(fd);
	return status;
}

enum perfdata_status perfdata_bundle_files_open(const char *path, const struct perfdata_bundle_files_options *options,
						struct perfdata_bundle_files **ret, struct perfdata_error *reterr)
{
	struct perfdata_bundle_files_options own;
	enum perfdata_status status = PD_OPTIONS_COPY(&own, max_ratio, options, reterr);
	if (status)
		return status;
	struct perfdata_bundle_files *files = pd_calloc(1, sizeof *files);
	status = PERFDATA_ENOMEM;
	if (files) {
		files->root = files->spool = -1;
		files->path = pd_strndup(path, strlen(path));
		files->tmpdir = own.tmpdir ? pd_arena_copy(&files->arena, own.tmpdir, strlen(own.tmpdir)) : NULL;
		errno = 0;
		status = files->path && (files->tmpdir || !own.tmpdir) ? open_files(files, &own) : PERFDATA_ENOMEM;
	}
	if (!status) {
		*ret = files;
		return status;
	}
	const int error = errno;
	const bool lacks_spool = files && files->lacks_spool;
	const char *limit = files && status == PERFDATA_ELIMIT ? files->limit : NULL;
	const struct pd_codec_reason codec = files ? files->codec : (struct pd_codec_reason){ "" };
	perfdata_bundle_files_close(files);
	const bool of_system = (status == PERFDATA_EREAD || status == PERFDATA_ENOMEM) && error;
	/* EINVAL: pd_open_regular refused it */
	const char *reason = error == EINVAL && !lacks_spool ? "no regular file" : strerror(error);
	(void)pd_error(reterr, status, PERFDATA_NO_OFFSET, "%s: %s%s", path,
		       lacks_spool && error ? "a temporary file: " : "",
		       *codec.text                ? codec.text
		       : status == PERFDATA_EFORMAT ? "no bundle of symbols"
		       : limit                    ? limit
		       : of_system                ? reason
						  : perfdata_status_text(status));
	if (reterr && of_system)
		reterr->os_error = error;
	return status;
}

void perfdata_bundle_files_close(struct perfdata_bundle_files *files)
{
	if (!files)
		return;
	if (files->root >= 0)
		close(files->root);
	if (files->spool >= 0)
		close(files->spool);
	pd_free(files->path);
	pd_free(files->members);
	pd_arena_release(&files->arena);
	pd_free(files);
}

/* --- copying out -------------------------------------------------------------------------------------------------- */

static const struct member *member_named(const struct perfdata_bundle_files *files, const char *name, size_t size)
{
	size_t low = 0, high = files->nr;
	while (low < high) {
		const size_t middle = (low + high) / 2;
		const char *other = files->members[middle].name;
		int order = strncmp(name, other, size);
		order = order ? order : other[size] ? -1 : 0;
		if (!order)
			return &files->members[middle];
		if (order < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return NULL;
}

/* Finds an entry. Parts of the name may be links to directories: replaces the first link, until no part is one. */
static const struct member *find_member(const struct perfdata_bundle_files *files, char name[PD_ROOTED_PATH - 1])
{
	for (unsigned links = 0; links < MAX_LINKS; links++) {
		const struct member *member = NULL;
		size_t size = 0;
		do {
			size += strcspn(name + size, "/");
			member = member_named(files, name, size);
			if (member && (member->target || !name[size]))
				break;
			member = NULL;
		} while (name[size] && ++size);
		if (!member || !member->target)
			return member;
		char further[PD_ROOTED_PATH];
		if (snprintf(further, sizeof further, "%s%s", member->target, name + size) >= PD_ROOTED_PATH - 1)
			return NULL;
		strcpy(name, further);
	}
	return NULL;
}

static int copy_out(const struct perfdata_bundle_files *files, const struct member *member)
{
	char *buffer = pd_malloc(BUFFER);
	if (!buffer)
		errno = ENOMEM;
	const int out = buffer ? pd_tempfile(files->tmpdir) : -1;
	uint64_t left = member->size, at = member->offset;
	bool fine = out >= 0;
	while (fine && left) {
		const size_t part = left < BUFFER ? (size_t)left : BUFFER;
		const int64_t got = pd_pread_full(files->spool, buffer, part, at);
		if (got >= 0 && got != (int64_t)part)
			errno = EIO;
		fine = got == (int64_t)part && !pd_write_full(out, buffer, part);
		at += part;
		left -= part;
	}
	const int error = errno;
	pd_free(buffer);
	if (fine && !lseek(out, 0, SEEK_SET))
		return out;
	if (out >= 0)
		close(out);
	errno = error;
	return -1;
}

int pd_bundle_open(const struct perfdata_bundle_files *files, const char *path, char real[PD_ROOTED_PATH])
{
	if (files->root >= 0)
		return pd_rooted_open(files->root, path, PD_REGULAR_STORED, real);
	const size_t slashes = strspn(path, "/");
	const struct member *member = NULL;
	if (strlen(path + slashes) < PD_ROOTED_PATH - 1) {
		real[0] = '/';
		strcpy(real + 1, path + slashes);
		member = find_member(files, real + 1);
	}
	if (member)
		return copy_out(files, member);
	errno = ENOENT;
	return -1;
}

int perfdata_bundle_files_get(void *pointer, const char *path)
{
	const struct perfdata_bundle_files *files = pointer;
	char real[PD_ROOTED_PATH];
	const size_t size = strlen(files->path);
	if (!strncmp(path, files->path, size) && path[size] == '/')
		return pd_bundle_open(files, path + size, real);
	errno = ENOENT;
	return -1;
}

bool pd_bundle_has_files(const struct perfdata_bundle_files *files)
{
	if (files->root >= 0)
		return pd_has_entry_but(files->root, PD_BUNDLE_MANIFEST);
	return files->nr > (member_named(files, PD_BUNDLE_MANIFEST, strlen(PD_BUNDLE_MANIFEST)) != NULL);
}
