/* SPDX-License-Identifier: MIT */
/* Writes the program's text to stdout and stderr. On a terminal, text from recordings and other files cannot contain
 * control sequences, as in outputs of the library (perfdata/output.h). */
#ifndef PRINT_H
#define PRINT_H

#include <stdbool.h>
#include <stddef.h>

/* Writes part of an answer to stdout. */
void print_answer(const void *bytes, size_t size);
/* Writes text and a newline to stdout. */
void print_line(const char *text);
/* Writes lines to stderr. */
void print_words(const void *bytes, size_t size);
/* Flushes stdout. False: something could not be written. */
bool print_finish(void);

#endif
