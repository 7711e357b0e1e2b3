/* SPDX-License-Identifier: MIT */
/* Copies inputs that can be read only once (pipes, sockets), for commands that read twice. */
#ifndef KEPT_INPUTS_H
#define KEPT_INPUTS_H

#include "options.h"

/* Whether the file can be read only once: stdin, a named pipe, a socket, the pipe of <(command). */
bool input_is_stream(const char *file);
/* Copies such files to unlinked temporary files of at most --max-spool bytes in all; input_open and input_source read
 * these copies. Reports failures. */
enum exit_code inputs_keep(struct options *options, const struct text_list *files);
/* Returns the descriptor of the copy, whose offset is 0; -1: the file was not copied. */
int input_kept(const struct options *options, const char *file);
void inputs_forget(struct options *options);

#endif
