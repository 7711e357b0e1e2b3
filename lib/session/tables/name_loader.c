/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "base/memory.h"
#include "base/threads.h"
#include "session/tables/name_loader.h"
#include "session/session.h"
#include "session/state.h"
#include "symbols/symbols.h"

struct pd_name_loader {
	const struct perfdata_session *session;
	bool lines, soon;
	unsigned threads;
	struct pd_monitor *monitor;  /* guards the members below */
	struct pd_team *team;        /* one thread, from the first wake on; NULL: threads that help the session load */
	bool woken, stopping;
	bool helper_loads;           /* a thread that helps the session loads a file */
};

/* Allocates a loader. NULL without memory. */
static struct pd_name_loader *name_loader_new(const struct perfdata_session *session)
{
	struct pd_name_loader *loader = pd_calloc(1, sizeof *loader);
	if (!loader)
		return NULL;
	loader->session = session;
	loader->monitor = pd_monitor_new();
	if (loader->monitor)
		return loader;
	pd_free(loader);
	return NULL;
}

/* Sets what to load. Call it before the first wake. lines: also debug information. soon: for formatting, too. threads:
 * how many may load at the end; with 1, the calling thread loads. After several calls the largest values count. */
static void name_loader_ask(struct pd_name_loader *loader, bool lines, bool soon, unsigned threads)
{
	loader->lines |= lines;
	loader->soon |= soon;
	loader->threads = threads > loader->threads ? threads : loader->threads;
}

/* Stops the thread after the file that it is loading. */
static void stop_loader(struct pd_name_loader *loader)
{
	pd_monitor_enter(loader->monitor);
	loader->stopping = true;
	pd_monitor_wake(loader->monitor);
	pd_monitor_leave(loader->monitor);
	pd_team_join(loader->team);
	loader->team = NULL;
}

void pd_name_loader_free(struct pd_name_loader *loader)
{
	if (!loader)
		return;
	stop_loader(loader);
	pd_monitor_free(loader->monitor);
	pd_free(loader);
}

static void load_whenever_woken(void *user, unsigned thread)
{
	struct pd_name_loader *loader = user;
	(void)thread;
	pd_monitor_enter(loader->monitor);
	while (!loader->stopping) {
		if (!loader->woken) {
			pd_monitor_wait(loader->monitor);
			continue;
		}
		loader->woken = false;
		pd_monitor_leave(loader->monitor);
		const bool more = pd_session_load_next(loader->session, loader->lines);
		pd_monitor_enter(loader->monitor);
		loader->woken |= more;
	}
	pd_monitor_leave(loader->monitor);
}

/* Wakes the thread, or those that help the session: one more thread would take the processor of one of them. Any
 * thread. */
static void name_loader_wake(struct pd_name_loader *loader)
{
	const struct pd_upcoming *helped = &loader->session->upcoming;
	if (loader->threads < 2)
		return;
	pd_monitor_enter(loader->monitor);
	loader->woken = true;
	if (!helped->wake && !loader->team && !loader->stopping)
		loader->team = pd_team_start(1, load_whenever_woken, loader);
	const bool wakes_helpers = !loader->team && helped->wake;
	pd_monitor_wake(loader->monitor);
	pd_monitor_leave(loader->monitor);
	if (wakes_helpers)
		helped->wake(helped->wake_user);
}

static bool waits_for_help(const struct pd_name_loader *loader)
{
	return loader->woken && !loader->helper_loads && !loader->team && !loader->stopping;
}

static void load_rest(void *user, unsigned thread)
{
	const struct pd_name_loader *loader = user;
	(void)thread;
	while (pd_session_load_next(loader->session, loader->lines))
		;
}

/* Loads the remaining files with all threads, and returns when all are loaded. */
static void name_loader_finish(struct pd_name_loader *loader)
{
	stop_loader(loader);
	struct perfdata_symbols *symbols = loader->session->state->symbols;
	if (!loader->lines && (!symbols || pd_symbols_are_loaded(symbols)))
		return;
	struct pd_team *team = pd_team_start(loader->threads ? loader->threads - 1 : 0, load_rest, loader);
	load_rest(loader, 0);
	pd_team_join(team);
}

/* --- of a session ------------------------------------------------------------------------------------------------- */

enum perfdata_status pd_session_want_names(const struct perfdata_session *session, bool lines, bool soon,
					   unsigned threads)
{
	struct pd_state *state = session->state;
	if (!state)
		return PERFDATA_OK;
	if (!state->loader && !(state->loader = name_loader_new(session)))
		return PERFDATA_ENOMEM;
	name_loader_ask(state->loader, lines, soon, threads);
	return PERFDATA_OK;
}

void pd_session_load_names(struct perfdata_session *session)
{
	struct pd_state *state = session->state;
	if (!state || !state->loader || !atomic_load_explicit(&state->has_new_symbols, memory_order_relaxed))
		return;
	atomic_store_explicit(&state->has_new_symbols, false, memory_order_relaxed);
	name_loader_wake(state->loader);
}

void pd_session_load_lines(const struct perfdata_session *session)
{
	if (session->state && session->state->loader && session->state->loader->lines)
		name_loader_wake(session->state->loader);
}

bool pd_session_needs_names(const struct perfdata_session *session)
{
	const struct pd_name_loader *loader = session->state ? session->state->loader : NULL;
	if (!loader)
		return false;
	pd_monitor_enter(loader->monitor);
	const bool ret = waits_for_help(loader);
	pd_monitor_leave(loader->monitor);
	return ret;
}

bool pd_session_help_names(const struct perfdata_session *session)
{
	struct pd_name_loader *loader = session->state ? session->state->loader : NULL;
	if (!loader)
		return false;
	pd_monitor_enter(loader->monitor);
	const bool ret = waits_for_help(loader);
	loader->woken &= !ret;
	loader->helper_loads |= ret;
	pd_monitor_leave(loader->monitor);
	if (!ret)
		return false;
	const bool may_be_more = pd_session_load_next(session, loader->lines);
	pd_monitor_enter(loader->monitor);
	loader->woken |= may_be_more;
	loader->helper_loads = false;
	pd_monitor_leave(loader->monitor);
	return true;
}

bool pd_session_awaits_names(const struct perfdata_session *session)
{
	const struct pd_name_loader *loader = session->state ? session->state->loader : NULL;
	if (!loader || !loader->soon)
		return false;
	pd_monitor_enter(loader->monitor);
	const bool ret = loader->helper_loads || waits_for_help(loader);
	pd_monitor_leave(loader->monitor);
	return ret;
}

void pd_session_finish_names(const struct perfdata_session *session)
{
	if (session->state && session->state->loader)
		name_loader_finish(session->state->loader);
	if (session->state)
		pd_jit_report_overlaps(session->state);
}
