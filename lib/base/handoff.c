/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "base/handoff.h"
#include "base/threads.h"

bool pd_handoff_start(struct pd_handoff *handoff, unsigned nr, unsigned least,
		      void (*work)(void *user, unsigned thread), void *user)
{
	*handoff = (struct pd_handoff){ .nr = nr, .least = least, .monitor = pd_monitor_new() };
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

bool pd_handoff_open(struct pd_handoff *handoff, unsigned nr)
{
	*handoff = (struct pd_handoff){ .nr = nr, .least = 1, .monitor = pd_monitor_new() };
	return handoff->monitor;
}

void pd_handoff_close(struct pd_handoff *handoff) { pd_monitor_free(handoff->monitor); }

void pd_handoff_pause(struct pd_handoff *handoff)
{
	pd_monitor_enter(handoff->monitor);
	handoff->stop = true;
	while (handoff->is_working)
		pd_monitor_wait(handoff->monitor);
	pd_monitor_leave(handoff->monitor);
}

void pd_handoff_restart(struct pd_handoff *handoff)
{
	pd_monitor_enter(handoff->monitor);
	handoff->filled = handoff->taken = 0;
	handoff->is_due = handoff->is_taken_over = handoff->stop = false;
	pd_monitor_leave(handoff->monitor);
}

static unsigned nr_filled(const struct pd_handoff *handoff) { return (unsigned)(handoff->filled - handoff->taken); }

bool pd_handoff_has_room(struct pd_handoff *handoff)
{
	pd_monitor_enter(handoff->monitor);
	const bool has_room = nr_filled(handoff) < handoff->nr || handoff->stop;
	pd_monitor_leave(handoff->monitor);
	return has_room;
}

bool pd_handoff_wait_for_room(struct pd_handoff *handoff, unsigned *ret_place)
{
	pd_monitor_enter(handoff->monitor);
	if (nr_filled(handoff) == handoff->nr)
		while (nr_filled(handoff) + handoff->least > handoff->nr && !handoff->stop)
			pd_monitor_wait(handoff->monitor);
	while (handoff->is_taken_over && !handoff->stop)
		pd_monitor_wait(handoff->monitor);
	const bool fine = !handoff->stop;
	handoff->is_working = fine;
	*ret_place = (unsigned)(handoff->filled % handoff->nr);
	pd_monitor_leave(handoff->monitor);
	return fine;
}

static bool has_work(const struct pd_handoff *handoff, unsigned most)
{
	return !handoff->stop && !handoff->is_due && !handoff->is_working && !handoff->is_taken_over &&
	       nr_filled(handoff) < (most < handoff->nr ? most : handoff->nr);
}

bool pd_handoff_has_work(struct pd_handoff *handoff, unsigned most)
{
	pd_monitor_enter(handoff->monitor);
	const bool ret = has_work(handoff, most);
	pd_monitor_leave(handoff->monitor);
	return ret;
}

bool pd_handoff_begin_slot(struct pd_handoff *handoff, unsigned most, unsigned *ret_place)
{
	pd_monitor_enter(handoff->monitor);
	const bool begins = has_work(handoff, most);
	handoff->is_working |= begins;
	*ret_place = (unsigned)(handoff->filled % handoff->nr);
	pd_monitor_leave(handoff->monitor);
	return begins;
}

/* Adds a filled slot, and wakes the consumer if it waits for no more. */
static void fill_slot(struct pd_handoff *handoff, bool is_last)
{
	pd_monitor_enter(handoff->monitor);
	handoff->filled++;
	handoff->is_working = false;
	handoff->is_due |= is_last;
	if (handoff->is_due || nr_filled(handoff) >= handoff->least)
		pd_monitor_wake(handoff->monitor);
	pd_monitor_leave(handoff->monitor);
}

void pd_handoff_pass_slot(struct pd_handoff *handoff) { fill_slot(handoff, false); }
void pd_handoff_pass_last_slot(struct pd_handoff *handoff) { fill_slot(handoff, true); }

void pd_handoff_settle(struct pd_handoff *handoff)
{
	pd_monitor_enter(handoff->monitor);
	handoff->is_due = true;
	pd_monitor_wake(handoff->monitor);
	while (!handoff->stop && !(handoff->asking && handoff->taken == handoff->filled))
		pd_monitor_wait(handoff->monitor);
	handoff->is_due = false;
	pd_monitor_leave(handoff->monitor);
}

unsigned pd_handoff_wait_for_slot(struct pd_handoff *handoff)
{
	pd_monitor_enter(handoff->monitor);
	if (handoff->taken == handoff->filled) {
		handoff->asking = true;
		pd_monitor_wake(handoff->monitor);
		while (!nr_filled(handoff) || (nr_filled(handoff) < handoff->least && !handoff->is_due))
			pd_monitor_wait(handoff->monitor);
		handoff->asking = false;
	}
	const unsigned place = (unsigned)(handoff->taken % handoff->nr);
	pd_monitor_leave(handoff->monitor);
	return place;
}

void pd_handoff_give_back_slot(struct pd_handoff *handoff)
{
	pd_monitor_enter(handoff->monitor);
	handoff->taken++;
	if (nr_filled(handoff) + handoff->least <= handoff->nr)
		pd_monitor_wake(handoff->monitor);
	pd_monitor_leave(handoff->monitor);
}

bool pd_handoff_take_over(struct pd_handoff *handoff)
{
	pd_monitor_enter(handoff->monitor);
	handoff->is_taken_over = !nr_filled(handoff) && !handoff->is_working && !handoff->is_due;
	const bool ret = handoff->is_taken_over;
	pd_monitor_leave(handoff->monitor);
	return ret;
}

void pd_handoff_resume(struct pd_handoff *handoff)
{
	pd_monitor_enter(handoff->monitor);
	handoff->is_taken_over = false;
	pd_monitor_wake(handoff->monitor);
	pd_monitor_leave(handoff->monitor);
}
