#include "config.h"
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include "interrupt.h"

/* The only thing that a signal handler may share with the program. */
static volatile int flag;

static void note(int signal)
{
	(void)signal;
	flag = 1;
}

void interrupt_catch(void)
{
	struct sigaction action;
	memset(&action, 0, sizeof action);
	sigemptyset(&action.sa_mask);
	action.sa_handler = note;
	action.sa_flags = (int)SA_RESETHAND;   /* and no SA_RESTART: a read that waits for a recorder ends */
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
}

const volatile int *interrupt_flag(void) { return &flag; }
