/* SPDX-License-Identifier: MIT */
/* When a record was made, in time of this host. A recording's clock began at a boot of its host, and the recording does
 * not say when that was. So this file computes bounds; where the later bound is uncertain, it is too late rather than
 * too early. */
#include "config.h"
#include <time.h>
#include "base/fdio.h"
#include "base/port.h"
#include "reader/reader.h"
#include "session/state.h"

#define SECOND INT64_C(1000000000)

/* perf's clock is not disciplined as other clocks are: the most, in ns, by which a time may be wrong. */
static int64_t clock_uncertainty(clockid_t clock, uint64_t time)
{
	return SECOND + (clock == CLOCK_REALTIME ? 0 : (int64_t)(time / 10000));
}

static int64_t now_of(clockid_t clock)
{
	struct timespec now = { 0 };
	(void)clock_gettime(clock, &now);
	return pd_nanoseconds(&now);
}

int64_t pd_host_boot_time(void) { return now_of(CLOCK_REALTIME) - now_of(PD_CLOCK_BOOTTIME); }

/* The clock of the samples. perf's own clock stops while the host sleeps, as CLOCK_MONOTONIC does. */
static clockid_t clock_of(const struct pd_state *state)
{
	const struct perfdata_event *event = perfdata_reader_event(state->reader, 0);
	if (!event || !perfdata_attr_has(event->attr, PERFDATA_ATTR_USE_CLOCKID))
		return CLOCK_MONOTONIC;
	switch (event->attr->clockid) {
	case PD_LINUX_CLOCK_REALTIME:
	case PD_LINUX_CLOCK_TAI: return CLOCK_REALTIME;
	case PD_LINUX_CLOCK_BOOTTIME: return PD_CLOCK_BOOTTIME;
	default: return CLOCK_MONOTONIC;
	}
}

struct pd_host_time pd_host_time(const struct pd_state *state, uint64_t time)
{
	const int64_t written = pd_reader_written(state->reader);
	struct pd_host_time when = {
		.first = INT64_MIN, .last = written ? written : INT64_MAX, .likely = INT64_MAX,
	};
	if (!time || time > INT64_MAX / 2)
		return when;
	const clockid_t clock = clock_of(state);
	const int64_t slack = clock_uncertainty(clock, time), boot = pd_host_boot_time();
	int64_t made = now_of(CLOCK_REALTIME) - now_of(clock) + (int64_t)time;
	const bool another_boot = made > now_of(CLOCK_REALTIME) + slack || (written && written < boot);
	if (another_boot) {
		made = boot;
	} else {
		when.first = made - slack;
		when.likely = made;
	}
	if (made + slack < when.last)
		when.last = made + slack;
	return when;
}
