/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <errno.h>
#include <stdatomic.h>
#include <stdint.h>
#include <unistd.h>
#include "base/cancel.h"
#include "base/memory.h"
#include "base/port.h"

struct perfdata_cancel {
	atomic_bool now;
	int fd, wake;   /* one descriptor if the system has eventfd, else both ends of a pipe */
};

struct perfdata_cancel *perfdata_cancel_new(void)
{
	struct perfdata_cancel *cancel = pd_calloc(1, sizeof *cancel);
	if (!cancel)
		return NULL;
	if (!pd_open_wakeup(&cancel->fd, &cancel->wake))
		return cancel;
	pd_free(cancel);
	return NULL;
}

void perfdata_cancel_free(struct perfdata_cancel *cancel)
{
	if (!cancel)
		return;
	if (cancel->wake != cancel->fd)
		close(cancel->wake);
	close(cancel->fd);
	pd_free(cancel);
}

/* Wakes every thread that waits for the descriptor. It stays readable, since nobody reads from it. */
void perfdata_cancel_now(struct perfdata_cancel *cancel)
{
	const int code = errno;
	const uint64_t one = 1;
	atomic_store(&cancel->now, true);
	if (write(cancel->wake, &one, sizeof one) < 0)
		errno = code;   /* the pipe is full, so the descriptor is readable already */
	errno = code;
}

bool pd_cancelled(const struct perfdata_cancel *cancel) { return cancel && atomic_load(&cancel->now); }

int pd_cancel_fd(const struct perfdata_cancel *cancel) { return cancel ? cancel->fd : -1; }
