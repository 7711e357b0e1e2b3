/* SPDX-License-Identifier: MIT */
/* Inputs that can be read only once (pipes, sockets), for commands that read them more than once. */
#ifndef KEPT_INPUTS_H
#define KEPT_INPUTS_H

#include "options.h"

/* Whether what was read of the input once is gone: stdin, a named pipe, a socket, the pipe of <(command). */
bool input_is_stream(const char *file);
/* Copies those of the files to temporary files without names, of at most --max-spool bytes together, from which
 * input_open and input_source then read. Reports failures. */
enum exit_code inputs_keep(struct options *options, const struct text_list *files);
/* Returns the descriptor of the copy, whose offset is 0; -1: the file was not copied. */
int input_kept(const struct options *options, const char *file);
void inputs_forget(struct options *options);

#endif
