/* SPDX-License-Identifier: MIT */
/* A note about samples without names: their share, and advice. */
#ifndef UNNAMED_NOTE_H
#define UNNAMED_NOTE_H

#include "inputs.h"

/* Prints the note if more than a few samples have no name. To be called after the last batch of a session with
 * symbols. */
void unnamed_note(struct input *input, const struct perfdata_session *session);

#endif
