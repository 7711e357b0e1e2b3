/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "base/error.h"
#include "base/port.h"

static void flatten_message(char *message)
{
	for (; *message; message++)
		if ((unsigned char)*message < 0x20 || *message == 0x7f)
			*message = ' ';
}

static void fill_error(struct perfdata_error *reterr, enum perfdata_status status, uint64_t offset, const char *format,
		       va_list args) PERFDATA_PRINTF(4, 0);

static void fill_error(struct perfdata_error *reterr, enum perfdata_status status, uint64_t offset, const char *format,
		       va_list args)
{
	memset(reterr, 0, offsetof(struct perfdata_error, message));
	reterr->status = status;
	reterr->offset = offset;
	if (vsnprintf(reterr->message, sizeof reterr->message, format, args) < 0)
		reterr->message[0] = '\0';
}

enum perfdata_status pd_error(struct perfdata_error *reterr, enum perfdata_status status, uint64_t offset,
			      const char *format, ...)
{
	if (!reterr)
		return status;
	va_list args;
	va_start(args, format);
	fill_error(reterr, status, offset, format, args);
	va_end(args);
	flatten_message(reterr->message);
	return status;
}

const char *pd_errno_text(int code, char *room, size_t size)
{
	/* strerrordesc_np is thread-safe and never translates, but only newer C libraries have it. strerror_r has two
	 * incompatible signatures (POSIX and GNU). */
#if defined __GLIBC__
	return strerror_r(code, room, size);
#else
	if (strerror_r(code, room, size))
		snprintf(room, size, "error %d", code);
	return room;
#endif
}

enum perfdata_status pd_status_of_errno(int code)
{
	switch (code) {
	case ENOENT:
	case ENOTDIR:
	case EACCES:
	case EPERM:
	case ELOOP:
	case ENAMETOOLONG:
	case EINVAL:
	case EISDIR:
	case ENXIO:
	case ENODEV:
	case ESRCH:
	case ENOKEY: return PERFDATA_ABSENT;
	case ENOMEM:
	case EMFILE:
	case ENFILE:
	case ENOSPC:
	case EDQUOT: return PERFDATA_ENOMEM;
	case EINTR: return PERFDATA_EINTR;
	default: return PERFDATA_EREAD;
	}
}

enum perfdata_status pd_status_of_read(int code)
{
	return pd_status_of_errno(code) == PERFDATA_ENOMEM ? PERFDATA_ENOMEM : PERFDATA_EREAD;
}

enum perfdata_status pd_error_errno(struct perfdata_error *reterr, enum perfdata_status status, uint64_t offset,
				    int code, const char *format, ...)
{
	if (!reterr)
		return status;
	va_list args;
	va_start(args, format);
	fill_error(reterr, status, offset, format, args);
	va_end(args);

	reterr->os_error = code;
	char buffer[128];
	size_t used = strlen(reterr->message);
	int added = snprintf(reterr->message + used, sizeof reterr->message - used, ": %s",
			     pd_errno_text(code, buffer, sizeof buffer));
	if (added < 0)
		reterr->message[used] = '\0';
	flatten_message(reterr->message);
	return status;
}

const char *pd_failure_text(enum perfdata_status status)
{
	return status == PERFDATA_EWRITE ? "a temporary file cannot be made or written" : perfdata_status_text(status);
}

enum perfdata_status pd_error_of_status(struct perfdata_error *reterr, enum perfdata_status status, uint64_t offset)
{
	return pd_error(reterr, status, offset, "%s", perfdata_status_text(status));
}

enum perfdata_status pd_error_from(struct perfdata_error *reterr, enum perfdata_status status,
				   const struct perfdata_error *why)
{
	if (!status || !reterr)
		return status;
	if (why->status != status || !why->message[0])
		return pd_error_of_status(reterr, status, PERFDATA_NO_OFFSET);
	*reterr = *why;
	return status;
}
