#include "config.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/error.h"
#include "base/memory.h"
#include "run/sink.h"

struct perfdata_sink {
	int fd;
	bool own_fd;
	bool force;
	enum pd_codec_kind packing;
	char *path;                    /* where the file goes at the end, or NULL */
	char *temporary;               /* its name until then */
	struct perfdata_text piece;    /* not compressed yet */
	struct perfdata_text compressed;
	struct pd_encoder *encoder;
	uint64_t written;
	struct perfdata_error error;   /* status is not 0 after the first failure, which stays */
};

static void sink_free(struct perfdata_sink *sink)
{
	if (!sink)
		return;
	perfdata_text_release(&sink->piece);
	perfdata_text_release(&sink->compressed);
	pd_encoder_free(sink->encoder);
	pd_free(sink->path);
	pd_free(sink->temporary);
	pd_free(sink);
}

static struct perfdata_sink *sink_new(int fd)
{
	struct perfdata_sink *sink = pd_calloc(1, sizeof *sink);
	if (!sink)
		return NULL;
	sink->fd = fd;
	perfdata_text_init(&sink->piece);
	perfdata_text_init(&sink->compressed);
	return sink;
}

/* A pipe that holds a whole batch saves the reader and us many switches. Refusal is harmless. */
static void enlarge_pipe(int fd)
{
	struct stat st;
	if (!fstat(fd, &st) && S_ISFIFO(st.st_mode))
		fcntl(fd, F_SETPIPE_SZ, 1 << 20);
}

enum perfdata_status perfdata_sink_open_fd(int fd, struct perfdata_sink **ret, struct perfdata_error *reterr)
{
	if (fcntl(fd, F_GETFD) < 0)
		return pd_error_errno(reterr, PERFDATA_EWRITE, PERFDATA_NO_OFFSET, errno, "cannot write");
	struct perfdata_sink *sink = sink_new(fd);
	if (!sink)
		return pd_error(reterr, PERFDATA_ENOMEM, PERFDATA_NO_OFFSET, "out of memory");
	enlarge_pipe(fd);
	*ret = sink;
	return PERFDATA_OK;
}

/* A new file beside the target, so that the rename stays inside one file system. Its name does not contain the target's,
 * which may be as long as names can be. */
static int open_temporary(struct perfdata_sink *sink)
{
	const char *slash = strrchr(sink->path, '/');
	const size_t folder = slash ? (size_t)(slash - sink->path) + 1 : 0;
	const size_t room = folder + 64;
	sink->temporary = pd_malloc(room);
	if (!sink->temporary)
		return -ENOMEM;
	memcpy(sink->temporary, sink->path, folder);
	for (unsigned i = 0; i < 10000; i++) {
		snprintf(sink->temporary + folder, room - folder, ".perfdata-%ld-%u.tmp", (long)getpid(), i);
		const int fd = open(sink->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOCTTY, 0666);
		if (fd >= 0 || errno != EEXIST)
			return fd >= 0 ? fd : -errno;
	}
	return -EEXIST;
}

/* Decides how the path is written; *ret_mode is that of the file to be replaced, or 0. */
static enum perfdata_status plan_path(struct perfdata_sink *sink, const char *path, bool *ret_direct, mode_t *ret_mode,
				      struct perfdata_error *reterr)
{
	struct stat st;
	*ret_direct = false;
	*ret_mode = 0;
	if (stat(path, &st)) {
		if (errno != ENOENT)
			return pd_error_errno(reterr, PERFDATA_EWRITE, PERFDATA_NO_OFFSET, errno, "cannot write");
		sink->path = pd_strndup(path, strlen(path));
		return sink->path ? PERFDATA_OK : pd_error(reterr, PERFDATA_ENOMEM, PERFDATA_NO_OFFSET, "out of memory");
	}
	if (S_ISDIR(st.st_mode))
		return pd_error(reterr, PERFDATA_EWRITE, PERFDATA_NO_OFFSET, "cannot write: it is a directory");
	if (!S_ISREG(st.st_mode)) {
		*ret_direct = true;
		return PERFDATA_OK;
	}
	if (!sink->force)
		return pd_error(reterr, PERFDATA_EUSAGE, PERFDATA_NO_OFFSET, "the file exists; --force replaces it");
	/* Replace what a link points to, not the link. */
	char *real = realpath(path, NULL);
	if (!real)
		return pd_error_errno(reterr, PERFDATA_EWRITE, PERFDATA_NO_OFFSET, errno, "cannot write");
	sink->path = pd_strndup(real, strlen(real));
	free(real);
	*ret_mode = st.st_mode & 07777;
	return sink->path ? PERFDATA_OK : pd_error(reterr, PERFDATA_ENOMEM, PERFDATA_NO_OFFSET, "out of memory");
}

enum perfdata_status perfdata_sink_check_path(const char *path, struct perfdata_error *reterr)
{
	const enum pd_codec_kind packing = pd_codec_by_suffix(path);
	if (pd_codec_can_pack(packing))
		return PERFDATA_OK;
	return pd_error(reterr, PERFDATA_EUNSUP, PERFDATA_NO_OFFSET, "%s", packing == PD_CODEC_XZ ?
			"outputs are packed with gzip (.gz) or zstd (.zst), not with xz" : "this build cannot pack outputs of this kind");
}

enum perfdata_status perfdata_sink_open_path(const char *path, unsigned flags, struct perfdata_sink **ret,
					     struct perfdata_error *reterr)
{
	struct perfdata_sink *sink = sink_new(-1);
	if (!sink)
		return pd_error(reterr, PERFDATA_ENOMEM, PERFDATA_NO_OFFSET, "out of memory");
	sink->own_fd = true;
	sink->force = flags & PERFDATA_SINK_FORCE;
	sink->packing = pd_codec_by_suffix(path);
	enum perfdata_status status = perfdata_sink_check_path(path, reterr);
	if (status)
		goto failed;
	bool direct;
	mode_t mode;
	status = plan_path(sink, path, &direct, &mode, reterr);
	if (status)
		goto failed;
	sink->fd = direct ? open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY) : open_temporary(sink);
	if (sink->fd < 0) {
		const int code = direct ? errno : -sink->fd;
		status = code == ENOMEM ? pd_error(reterr, PERFDATA_ENOMEM, PERFDATA_NO_OFFSET, "out of memory") :
					  pd_error_errno(reterr, PERFDATA_EWRITE, PERFDATA_NO_OFFSET, code, "cannot create");
		goto failed;
	}
	if (direct)
		enlarge_pipe(sink->fd);
	else if (mode)
		(void)!fchmod(sink->fd, mode);
	*ret = sink;
	return PERFDATA_OK;
failed:
	sink_free(sink);
	return status;
}

static enum perfdata_status write_failed(struct perfdata_sink *sink, int code)
{
	return pd_error_errno(&sink->error, PERFDATA_EWRITE, sink->written, code, "cannot write");
}

static enum perfdata_status write_all(struct perfdata_sink *sink, const void *bytes, size_t size)
{
	const char *at = bytes;
	while (size) {
		const ssize_t n = write(sink->fd, at, size > SSIZE_MAX ? SSIZE_MAX : size);
		if (n > 0) {
			at += n;
			size -= (size_t)n;
			continue;
		}
		if (n == 0)
			return write_failed(sink, ENOSPC);
		if (errno == EAGAIN || errno == EWOULDBLOCK) {
			struct pollfd wait = { .fd = sink->fd, .events = POLLOUT };
			(void)poll(&wait, 1, -1);
		} else if (errno != EINTR) {
			return write_failed(sink, errno);
		}
	}
	return PERFDATA_OK;
}

enum pd_codec_kind pd_sink_packing(const struct perfdata_sink *sink) { return sink->packing; }
struct perfdata_text *pd_sink_piece(struct perfdata_sink *sink) { return &sink->piece; }
const struct perfdata_error *pd_sink_error(const struct perfdata_sink *sink) { return &sink->error; }
uint64_t perfdata_sink_written(const struct perfdata_sink *sink) { return sink->written; }

enum perfdata_status pd_sink_pack(const struct perfdata_sink *sink, struct pd_encoder **encoder, const void *bytes, size_t size,
				  struct perfdata_text *out)
{
	if (*encoder)
		pd_encoder_reset(*encoder);
	else
		*encoder = pd_encoder_new(sink->packing, 0);
	if (!*encoder)
		return PERFDATA_ENOMEM;
	size_t used = 0;
	for (;;) {
		/* The first guess holds nearly everything; what is left needs another round. */
		char *at = perfdata_text_reserve(out, size / 4 + 4096);
		if (!at)
			return PERFDATA_ENOMEM;
		size_t made = 0;
		const enum perfdata_status status = pd_encoder_run(*encoder, bytes, size, &used, (uint8_t *)at,
								   out->capacity - out->size, &made, true);
		perfdata_text_commit(out, at + made);
		if (status == PERFDATA_END)
			return PERFDATA_OK;
		if (status)
			return status;
	}
}

enum perfdata_status pd_sink_write_compressed(struct perfdata_sink *sink, const void *bytes, size_t size, size_t size_before)
{
	if (sink->error.status)
		return sink->error.status;
	const enum perfdata_status status = write_all(sink, bytes, size);
	if (!status)
		sink->written += size_before;
	return status;
}

static enum perfdata_status finish_piece(struct perfdata_sink *sink)
{
	if (!sink->piece.size)
		return PERFDATA_OK;
	perfdata_text_clear(&sink->compressed);
	enum perfdata_status status = pd_sink_pack(sink, &sink->encoder, sink->piece.data, sink->piece.size, &sink->compressed);
	if (status)
		return pd_error(&sink->error, status, sink->written, "cannot pack the output: %s", perfdata_status_text(status));
	status = pd_sink_write_compressed(sink, sink->compressed.data, sink->compressed.size, sink->piece.size);
	perfdata_text_clear(&sink->piece);
	return status;
}

enum perfdata_status perfdata_sink_write(struct perfdata_sink *sink, const void *bytes, size_t size)
{
	if (sink->error.status)
		return sink->error.status;
	if (sink->packing == PD_CODEC_NONE) {
		const enum perfdata_status status = write_all(sink, bytes, size);
		if (!status)
			sink->written += size;
		return status;
	}
	const char *at = bytes;
	while (size) {
		const size_t room = PD_SINK_PIECE - sink->piece.size;
		const size_t part = size < room ? size : room;
		perfdata_text_append(&sink->piece, at, part);
		if (perfdata_text_failed(&sink->piece))
			return pd_error(&sink->error, PERFDATA_ENOMEM, sink->written, "out of memory");
		at += part;
		size -= part;
		if (sink->piece.size == PD_SINK_PIECE) {
			const enum perfdata_status status = finish_piece(sink);
			if (status)
				return status;
		}
	}
	return PERFDATA_OK;
}

enum perfdata_status perfdata_sink_flush(struct perfdata_sink *sink)
{
	if (sink->error.status)
		return sink->error.status;
	return sink->packing == PD_CODEC_NONE ? PERFDATA_OK : finish_piece(sink);
}

/* Without --force the target must still not exist, however long the work took. */
static int put_in_place(const struct perfdata_sink *sink)
{
	if (sink->force)
		return rename(sink->temporary, sink->path);
	if (!renameat2(AT_FDCWD, sink->temporary, AT_FDCWD, sink->path, RENAME_NOREPLACE))
		return 0;
	if (errno != EINVAL && errno != ENOSYS)
		return -1;
	/* File systems that cannot do that can often link. */
	if (!link(sink->temporary, sink->path))
		return unlink(sink->temporary);
	if (errno == EEXIST)
		return -1;
	return rename(sink->temporary, sink->path);
}

enum perfdata_status perfdata_sink_close(struct perfdata_sink *sink, bool keep, struct perfdata_error *reterr)
{
	if (!sink)
		return PERFDATA_OK;
	/* A stream that cannot be taken back is ended properly in any case. */
	if (!sink->error.status && sink->packing != PD_CODEC_NONE && (keep || !sink->temporary))
		finish_piece(sink);
	if (sink->own_fd && close(sink->fd) && errno != EINTR && !sink->error.status)
		write_failed(sink, errno);
	if (sink->temporary) {
		const bool in_place = keep && !sink->error.status;
		if (in_place && put_in_place(sink))
			write_failed(sink, errno);
		if (!in_place || sink->error.status)
			unlink(sink->temporary);
	}
	const enum perfdata_status status = sink->error.status;
	if (status && reterr)
		*reterr = sink->error;
	sink_free(sink);
	return status;
}
