/* SIGINT and SIGTERM ask for an orderly end; a second one ends the program at once. */
#ifndef INTERRUPT_H
#define INTERRUPT_H

/* Catches the signals from now on. */
void interrupt_catch(void);
/* Non-zero once one came. */
const volatile int *interrupt_flag(void);

#endif
