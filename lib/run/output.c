/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/error.h"
#include "base/memory.h"
#include "base/option_struct.h"
#include "base/port.h"
#include "run/output_impl.h"
#include "run/run.h"
#include "text/shown.h"

/* --- making one --------------------------------------------------------------------------------------------------- */

static struct perfdata_output *output_new(enum pd_output_kind kind)
{
	struct perfdata_output *output = pd_calloc(1, sizeof *output);
	if (!output)
		return NULL;
	output->kind = kind;
	output->fd = -1;
	return output;
}

struct perfdata_output *perfdata_output_path(const char *path, unsigned flags)
{
	struct perfdata_output *output = output_new(PD_OUTPUT_PATH);
	if (!output)
		return NULL;
	output->force = flags & PERFDATA_OUTPUT_FORCE;
	output->folders = flags & PERFDATA_OUTPUT_FOLDERS;
	output->withheld = flags >> 8 & 077;
	output->asked = pd_strndup(path, strlen(path));
	if (!output->asked) {
		pd_free(output);
		return NULL;
	}
	return output;
}

struct perfdata_output *perfdata_output_fd(int fd)
{
	struct perfdata_output *output = output_new(PD_OUTPUT_FD);
	if (output)
		output->fd = fd;
	return output;
}

struct perfdata_output *perfdata_output_memory(void) { return output_new(PD_OUTPUT_MEMORY); }

struct perfdata_output *perfdata_output_callbacks(const struct perfdata_output_callbacks *callbacks, void *user)
{
	struct perfdata_output *output = output_new(PD_OUTPUT_CALLBACKS);
	if (!output)
		return NULL;
	(void)PD_OPTIONS_COPY(&output->callbacks, close, callbacks, &output->error);   /* opening returns the error */
	output->user = user;
	return output;
}

void perfdata_output_pack(struct perfdata_output *output, enum perfdata_packing packing)
{
	static const enum pd_codec_kind kinds[] = {
		[PERFDATA_PACKING_NONE] = PD_CODEC_NONE,
		[PERFDATA_PACKING_GZIP] = PD_CODEC_GZIP,
		[PERFDATA_PACKING_ZSTD] = PD_CODEC_ZSTD,
	};
	output->packing_chosen = true;
	output->packing = (size_t)packing < sizeof kinds / sizeof *kinds ? kinds[packing] : PD_CODEC_XZ;
}

enum perfdata_status perfdata_output_beside(struct perfdata_output *output, const char *head, const char *tail)
{
	pd_free(output->head);
	pd_free(output->tail);
	output->head = pd_strndup(head, strlen(head));
	output->tail = pd_strndup(tail, strlen(tail));
	return output->head && output->tail ? PERFDATA_OK : PERFDATA_ENOMEM;
}

void perfdata_output_each_path(const struct perfdata_output *output, void (*each)(void *user, const char *path),
			       void *user)
{
	if (output->open && output->path)
		each(user, output->asked);
	for (const struct perfdata_output *other = output->others; other; other = other->next_other)
		perfdata_output_each_path(other, each, user);
}

/* --- opening ------------------------------------------------------------------------------------------------------ */

static enum perfdata_status check_packing(enum pd_codec_kind packing, struct perfdata_error *reterr)
{
	struct pd_codec_reason reason;
	if (packing == PD_CODEC_XZ)
		return pd_error(reterr, PERFDATA_EUNSUP, PERFDATA_NO_OFFSET,
				"outputs are packed with gzip (.gz) or zstd (.zst), not with xz");
	const enum perfdata_status status = pd_codec_load(packing, &reason);
	return status ? pd_error(reterr, status, PERFDATA_NO_OFFSET, "cannot be packed: %s", reason.text) : status;
}

enum perfdata_status perfdata_output_check_path(const char *path, struct perfdata_error *reterr)
{
	return check_packing(pd_codec_by_suffix(path), reterr);
}

/* A pipe that holds several blocks saves the reader and the writer many context switches. A refusal does no harm. */
static void enlarge_pipe(int fd)
{
	struct stat st;
	if (!fstat(fd, &st) && S_ISFIFO(st.st_mode))
		pd_enlarge_pipe(fd, 1 << 20);
}

static enum perfdata_status open_fd(struct perfdata_output *output, struct perfdata_error *reterr)
{
	if (fcntl(output->fd, F_GETFL) < 0)
		return pd_error_errno(reterr, PERFDATA_EWRITE, PERFDATA_NO_OFFSET, errno, "cannot write");
	enlarge_pipe(output->fd);
	return PERFDATA_OK;
}

enum perfdata_status perfdata_output_open(struct perfdata_output *output, struct perfdata_error *reterr)
{
	if (output->open)
		return PERFDATA_OK;
	if (output->kind == PD_OUTPUT_PATH && !output->packing_chosen)
		output->packing = pd_codec_by_suffix(output->asked);
	enum perfdata_status status = check_packing(output->packing, reterr);
	if (status)
		return status;
	switch (output->kind) {
	case PD_OUTPUT_PATH:
		status = pd_output_file_open(output, reterr);
		if (!status && !output->path)
			enlarge_pipe(output->fd);
		break;
	case PD_OUTPUT_FD:
		status = open_fd(output, reterr);
		break;
	case PD_OUTPUT_CALLBACKS:
		if (output->error.status)
			status = pd_error(reterr, output->error.status, PERFDATA_NO_OFFSET, "%s",
					  output->error.message);
		else if (!output->callbacks.write)
			status = pd_error(reterr, PERFDATA_EUSAGE, PERFDATA_NO_OFFSET,
					  "the output has no function that writes");
		break;
	case PD_OUTPUT_MEMORY:
		break;
	}
	output->open = !status;
	output->terminal = !status && output->fd >= 0 && isatty(output->fd);
	return status;
}

void pd_output_allow_colors(struct perfdata_output *output) { output->colors = true; }

/* Replaces slashes, which names of events may contain. */
static void copy_name(char *to, const char *name)
{
	for (; *name; name++)
		*to++ = *name == '/' ? '_' : *name;
}

/* NULL without memory. */
static char *path_between(const char *head, const char *name, const char *tail)
{
	const size_t head_size = strlen(head), name_size = strlen(name), tail_size = strlen(tail);
	char *path = pd_malloc(head_size + name_size + tail_size + 1);
	if (!path)
		return NULL;
	memcpy(path, head, head_size);
	copy_name(path + head_size, name);
	memcpy(path + head_size + name_size, tail, tail_size + 1);
	return path;
}

/* "DIR/x.csv", "stacks" → "DIR/x.stacks.csv"; a suffix of compression stays at the end. NULL without memory. */
static char *path_beside(const char *path, const char *name, const char *suffix)
{
	size_t size = strlen(path);
	const size_t suffix_size = strlen(suffix), name_size = strlen(name);
	if (pd_codec_by_suffix(path) != PD_CODEC_NONE)
		size = (size_t)(strrchr(path, '.') - path);
	const bool ends = size > suffix_size && !memcmp(path + size - suffix_size, suffix, suffix_size) &&
			  path[size - suffix_size - 1] == '.';
	const size_t at = ends ? size - suffix_size - 1 : size;
	char *other = pd_malloc(strlen(path) + name_size + 2);
	if (!other)
		return NULL;
	memcpy(other, path, at);
	other[at] = '.';
	copy_name(other + at + 1, name);
	strcpy(other + at + 1 + name_size, path + at);
	return other;
}

static struct perfdata_output *make_other(const struct perfdata_output *output, const char *name, const char *suffix)
{
	struct perfdata_output *other = NULL;
	if (output->kind == PD_OUTPUT_PATH) {
		char *path = output->head ? path_between(output->head, name, output->tail)
					  : path_beside(output->asked, name, suffix);
		other = path ? perfdata_output_path(path, 0) : NULL;
		pd_free(path);
	} else {
		other = perfdata_output_callbacks(&output->callbacks, NULL);
	}
	if (other) {
		other->force = output->force;
		other->folders = output->folders;
		other->withheld = output->withheld;
		other->packing_chosen = output->packing_chosen;
		other->packing = output->packing;
	}
	return other;
}

enum perfdata_status pd_output_open_other(struct perfdata_output *output, const char *name, const char *suffix,
					  struct perfdata_output **ret, struct perfdata_error *reterr)
{
	if (output->kind != PD_OUTPUT_PATH && (output->kind != PD_OUTPUT_CALLBACKS || !output->callbacks.open))
		return pd_error(reterr, PERFDATA_EUSAGE, PERFDATA_NO_OFFSET,
				"several outputs are written: one stream cannot hold them");
	struct perfdata_output *other = make_other(output, name, suffix);
	if (!other)
		return pd_error(reterr, PERFDATA_ENOMEM, PERFDATA_NO_OFFSET, "out of memory");
	other->next_other = output->others;
	output->others = other;
	const int code = output->kind == PD_OUTPUT_CALLBACKS ? output->callbacks.open(output->user, name, &other->user)
							     : 0;
	if (code) {
		other->callbacks.close = NULL;   /* nothing was opened */
		return pd_error_errno(reterr, PERFDATA_EWRITE, PERFDATA_NO_OFFSET, code, "%s: cannot create", name);
	}
	struct perfdata_error error = { .offset = PERFDATA_NO_OFFSET };
	const enum perfdata_status status = perfdata_output_open(other, &error);
	if (status) {
		(void)pd_error(reterr, status, PERFDATA_NO_OFFSET, "%s: %s", other->asked ? other->asked : name,
			       error.message);
		if (reterr)
			reterr->os_error = error.os_error;
		return status;
	}
	*ret = other;
	return PERFDATA_OK;
}

/* --- writing ------------------------------------------------------------------------------------------------------ */

static enum perfdata_status write_failed(struct perfdata_output *output, int code)
{
	/* ENOMEM of the caller's function is a failed write, not a lack of the library's memory */
	if (code == ENOMEM && output->kind != PD_OUTPUT_CALLBACKS)
		return pd_error(&output->error, PERFDATA_ENOMEM, output->written, "out of memory");
	return pd_error_errno(&output->error, PERFDATA_EWRITE, output->written, code, "cannot write");
}

static enum perfdata_status write_fd(struct perfdata_output *output, const void *bytes, size_t size)
{
	const char *at = bytes;
	while (size) {
		const ssize_t n = write(output->fd, at, size > SSIZE_MAX ? SSIZE_MAX : size);
		if (n > 0) {
			at += n;
			size -= (size_t)n;
			continue;
		}
		if (n == 0)
			return write_failed(output, ENOSPC);
		if (errno == EAGAIN || errno == EWOULDBLOCK) {
			struct pollfd wait = { .fd = output->fd, .events = POLLOUT };
			(void)poll(&wait, 1, -1);
		} else if (errno != EINTR) {
			return write_failed(output, errno);
		}
	}
	return PERFDATA_OK;
}

/* Escapes all that a terminal does not show as a character, since strings of a recording may contain control sequences.
 * last: no bytes follow that could complete a character. */
static enum perfdata_status write_terminal(struct perfdata_output *output, const void *bytes, size_t size, bool last)
{
	perfdata_text_append(&output->unshown, bytes, size);
	perfdata_text_clear(&output->shown);
	const size_t used = pd_text_terminal(&output->shown, output->unshown.data, output->unshown.size, output->colors,
					     last);
	if (perfdata_text_failed(&output->unshown) || perfdata_text_failed(&output->shown))
		return write_failed(output, ENOMEM);
	output->unshown.size -= used;
	if (used)
		memmove(output->unshown.data, output->unshown.data + used, output->unshown.size);
	return write_fd(output, output->shown.data, output->shown.size);
}

static enum perfdata_status write_all(struct perfdata_output *output, const void *bytes, size_t size)
{
	if (!size)
		return PERFDATA_OK;
	if (output->terminal)
		return write_terminal(output, bytes, size, false);
	if (output->kind == PD_OUTPUT_CALLBACKS) {
		const int code = output->callbacks.write(output->user, bytes, size);
		return code ? write_failed(output, code) : PERFDATA_OK;
	}
	if (output->kind != PD_OUTPUT_MEMORY)
		return write_fd(output, bytes, size);
	perfdata_text_append(&output->memory, bytes, size);
	if (perfdata_text_failed(&output->memory))
		return pd_error(&output->error, PERFDATA_ENOMEM, output->written, "out of memory");
	return PERFDATA_OK;
}

uint64_t pd_output_taken(const struct perfdata_output *output) { return output->written + output->piece.size; }
enum pd_codec_kind pd_output_packing(const struct perfdata_output *output) { return output->packing; }
uint64_t pd_output_written(const struct perfdata_output *output) { return output->written; }

struct perfdata_bytes perfdata_output_bytes(const struct perfdata_output *output)
{
	return (struct perfdata_bytes){ (const uint8_t *)output->memory.data, output->memory.size };
}

enum perfdata_status pd_output_pack(const struct perfdata_output *output, struct pd_encoder **encoder,
				    const void *bytes, size_t size, struct perfdata_text *out)
{
	if (*encoder)
		pd_encoder_reset(*encoder);
	else
		*encoder = pd_encoder_new(output->packing, 0);
	if (!*encoder)
		return PERFDATA_ENOMEM;
	size_t used = 0;
	for (;;) {
		/* Nearly all input fits into this room; other input takes another round. */
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

enum perfdata_status pd_output_write_compressed(struct perfdata_output *output, const void *bytes, size_t size,
						size_t size_before)
{
	if (output->error.status)
		return output->error.status;
	const enum perfdata_status status = write_all(output, bytes, size);
	if (!status)
		output->written += size_before;
	return status;
}

static enum perfdata_status finish_piece(struct perfdata_output *output)
{
	if (!output->piece.size)
		return PERFDATA_OK;
	perfdata_text_clear(&output->compressed);
	enum perfdata_status status = pd_output_pack(output, &output->encoder, output->piece.data, output->piece.size,
						     &output->compressed);
	if (status)
		return pd_error(&output->error, status, output->written, "cannot pack the output: %s",
				perfdata_status_text(status));
	status = pd_output_write_compressed(output, output->compressed.data, output->compressed.size,
					    output->piece.size);
	perfdata_text_clear(&output->piece);
	return status;
}

static enum perfdata_status not_open(struct perfdata_output *output)
{
	return pd_error(&output->error, PERFDATA_EUSAGE, PERFDATA_NO_OFFSET, "the output is not open");
}

void pd_output_give_up(struct perfdata_output *output, enum perfdata_status why)
{
	if (!output->error.status)
		(void)pd_error_of_status(&output->error, why, output->written);
}

enum perfdata_status perfdata_output_write(struct perfdata_output *output, const void *bytes, size_t size)
{
	if (output->error.status)
		return output->error.status;
	if (!output->open)
		return not_open(output);
	if (output->packing == PD_CODEC_NONE)
		return pd_output_write_compressed(output, bytes, size, size);
	const char *at = bytes;
	while (size) {
		const size_t room = PD_OUTPUT_PIECE - output->piece.size;
		const size_t part = size < room ? size : room;
		perfdata_text_append(&output->piece, at, part);
		if (perfdata_text_failed(&output->piece))
			return pd_error(&output->error, PERFDATA_ENOMEM, output->written, "out of memory");
		at += part;
		size -= part;
		if (output->piece.size == PD_OUTPUT_PIECE) {
			const enum perfdata_status status = finish_piece(output);
			if (status)
				return status;
		}
	}
	return PERFDATA_OK;
}

enum perfdata_status perfdata_output_flush(struct perfdata_output *output)
{
	if (output->error.status)
		return output->error.status;
	const enum perfdata_status status = output->packing == PD_CODEC_NONE ? PERFDATA_OK : finish_piece(output);
	return !status && output->unshown.size ? write_terminal(output, "", 0, true) : status;
}

/* --- the end ------------------------------------------------------------------------------------------------------ */

static void output_free(struct perfdata_output *output)
{
	perfdata_text_release(&output->piece);
	perfdata_text_release(&output->compressed);
	perfdata_text_release(&output->memory);
	perfdata_text_release(&output->unshown);
	perfdata_text_release(&output->shown);
	pd_encoder_free(output->encoder);
	pd_free(output->asked);
	pd_free(output->head);
	pd_free(output->tail);
	pd_free(output->path);
	pd_free(output->temporary);
	pd_free(output);
}

/* Steps from `output` through the outputs beside it; NULL after the last. */
static struct perfdata_output *next_of(const struct perfdata_output *output, const struct perfdata_output *at)
{
	return at == output ? output->others : at->next_other;
}

static struct perfdata_output *failed_one(struct perfdata_output *output)
{
	struct perfdata_output *at = output;
	while (at && !at->error.status)
		at = next_of(output, at);
	return at;
}

static bool is_file(const struct perfdata_output *output) { return output->kind == PD_OUTPUT_PATH && output->open; }

static void close_one(struct perfdata_output *output, bool keep)
{
	int code = 0;
	if (is_file(output) && close(output->fd) && errno != EINTR)
		code = errno;
	else if (output->kind == PD_OUTPUT_CALLBACKS && output->callbacks.close)
		code = output->callbacks.close(output->user, keep && !output->error.status);
	if (code && !output->error.status)
		write_failed(output, code);
}

/* Files are kept together or not at all: all files are complete before the first gets its name, and if a later one
 * cannot get its name, the earlier ones lose theirs. */
enum perfdata_status perfdata_output_close(struct perfdata_output *output, bool keep, struct perfdata_error *reterr)
{
	if (!output)
		return PERFDATA_OK;
	/* A stream cannot be taken back: it is completed even if it is not kept. */
	for (struct perfdata_output *at = output; at; at = next_of(output, at))
		if (at->open && !at->error.status && (keep || !at->path))
			perfdata_output_flush(at);
	/* a file without a name can get one only while it is open */
	for (struct perfdata_output *at = output; at && keep && !failed_one(output); at = next_of(output, at))
		if (is_file(at) && at->path && pd_output_file_keep(at))
			write_failed(at, errno);
	for (struct perfdata_output *at = output; at; at = next_of(output, at))
		close_one(at, keep);
	const struct perfdata_output *failed = failed_one(output);
	for (struct perfdata_output *at = output; at; at = next_of(output, at)) {
		if (is_file(at) && keep && !failed)
			pd_output_file_settle(at);
		else if (is_file(at))
			pd_output_file_drop(at);
	}
	const enum perfdata_status status = failed ? failed->error.status : PERFDATA_OK;
	if (failed && reterr)
		*reterr = failed->error;
	for (struct perfdata_output *other = output->others, *next; other; other = next) {
		next = other->next_other;
		output_free(other);
	}
	output_free(output);
	return status;
}
