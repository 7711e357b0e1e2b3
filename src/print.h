/* SPDX-License-Identifier: MIT */
/* What the program itself writes to stdout and stderr. A terminal gets it as outputs of the library write to terminals
 * (perfdata/output.h): nothing of a recording or of another file is obeyed there. */
#ifndef PRINT_H
#define PRINT_H

#include <stdbool.h>
#include <stddef.h>

/* Writes part of an answer to stdout. */
void print_answer(const void *bytes, size_t size);
/* The same with the end of a line. */
void print_line(const char *text);
/* Writes lines to stderr. */
void print_words(const void *bytes, size_t size);
/* Ends the answers; false: something could not be written. */
bool print_finish(void);

#endif
