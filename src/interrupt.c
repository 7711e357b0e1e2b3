/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include "interrupt.h"

/* set before the signal handlers, which read it, are installed */
static struct perfdata_cancel *cancel;
static atomic_bool caught;

static void note_signal(int signal)
{
	(void)signal;
	atomic_store(&caught, true);
	if (cancel)
		perfdata_cancel_now(cancel);
}

void interrupt_catch(void)
{
	struct sigaction action;
	if (!cancel)
		cancel = perfdata_cancel_new();
	memset(&action, 0, sizeof action);
	sigemptyset(&action.sa_mask);
	action.sa_handler = note_signal;
	action.sa_flags = (int)SA_RESETHAND;   /* without SA_RESTART: interrupts a read() of a pipe */
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	/* keep SIGHUP ignored, as under nohup */
	struct sigaction hangup;
	if (!sigaction(SIGHUP, NULL, &hangup) && hangup.sa_handler != SIG_IGN)
		sigaction(SIGHUP, &action, NULL);
}

struct perfdata_cancel *interrupt_cancel(void) { return cancel; }

bool was_interrupted(void) { return atomic_load(&caught); }
