/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "base/handoff.h"
#include "base/threads.h"

bool pd_handoff_start(struct pd_handoff *handoff, unsigned nr, void (*work)(void *user, unsigned thread), void *user)
{
	*handoff = (struct pd_handoff){ .nr = nr, .monitor = pd_monitor_new() };
	if (handoff->monitor)
		handoff->team = pd_team_start(1, work, user);
	if (handoff->team)
		return true;
	pd_monitor_free(handoff->monitor);
	return false;
}

void pd_handoff_stop(struct pd_handoff *handoff)
{
	pd_monitor_enter(handoff->monitor);
	handoff->stop = true;
	pd_monitor_wake(handoff->monitor);
	pd_monitor_leave(handoff->monitor);
	pd_team_join(handoff->team);
	pd_monitor_free(handoff->monitor);
}

bool pd_handoff_room(struct pd_handoff *handoff, unsigned *ret_place)
{
	pd_monitor_enter(handoff->monitor);
	while (handoff->filled - handoff->taken >= handoff->nr && !handoff->stop)
		pd_monitor_wait(handoff->monitor);
	const bool fine = !handoff->stop;
	*ret_place = (unsigned)(handoff->filled % handoff->nr);
	pd_monitor_leave(handoff->monitor);
	return fine;
}

void pd_handoff_filled(struct pd_handoff *handoff)
{
	pd_monitor_enter(handoff->monitor);
	handoff->filled++;
	pd_monitor_wake(handoff->monitor);
	pd_monitor_leave(handoff->monitor);
}

void pd_handoff_settle(struct pd_handoff *handoff)
{
	pd_monitor_enter(handoff->monitor);
	while (!handoff->stop && !(handoff->asking && handoff->taken == handoff->filled))
		pd_monitor_wait(handoff->monitor);
	pd_monitor_leave(handoff->monitor);
}

unsigned pd_handoff_next(struct pd_handoff *handoff)
{
	pd_monitor_enter(handoff->monitor);
	if (handoff->taken == handoff->filled) {
		handoff->asking = true;
		pd_monitor_wake(handoff->monitor);
		while (handoff->taken == handoff->filled)
			pd_monitor_wait(handoff->monitor);
		handoff->asking = false;
	}
	const unsigned place = (unsigned)(handoff->taken % handoff->nr);
	pd_monitor_leave(handoff->monitor);
	return place;
}

void pd_handoff_taken(struct pd_handoff *handoff)
{
	pd_monitor_enter(handoff->monitor);
	handoff->taken++;
	pd_monitor_wake(handoff->monitor);
	pd_monitor_leave(handoff->monitor);
}
