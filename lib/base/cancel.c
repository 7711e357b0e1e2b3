/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <errno.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include "base/cancel.h"
#include "base/memory.h"

struct perfdata_cancel {
	atomic_bool now;
	int fd;
};

struct perfdata_cancel *perfdata_cancel_new(void)
{
	struct perfdata_cancel *cancel = pd_calloc(1, sizeof *cancel);
	if (!cancel)
		return NULL;
	cancel->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (cancel->fd >= 0)
		return cancel;
	pd_free(cancel);
	return NULL;
}

void perfdata_cancel_free(struct perfdata_cancel *cancel)
{
	if (!cancel)
		return;
	close(cancel->fd);
	pd_free(cancel);
}

/* Wakes every thread that waits for the descriptor: the counter of the eventfd stays above 0, since nobody reads it. */
void perfdata_cancel_now(struct perfdata_cancel *cancel)
{
	const int code = errno;
	const uint64_t one = 1;
	atomic_store(&cancel->now, true);
	if (write(cancel->fd, &one, sizeof one) < 0)
		errno = code;   /* the counter is full: the descriptor is readable already */
	errno = code;
}

bool pd_cancelled(const struct perfdata_cancel *cancel) { return cancel && atomic_load(&cancel->now); }

int pd_cancel_fd(const struct perfdata_cancel *cancel) { return cancel ? cancel->fd : -1; }
