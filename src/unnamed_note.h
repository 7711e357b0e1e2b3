/* SPDX-License-Identifier: MIT */
/* A note about samples without symbol names: their share, and what would help. */
#ifndef UNNAMED_NOTE_H
#define UNNAMED_NOTE_H

#include "inputs.h"

/* Prints the note, unless all samples, or all but a few, have names. Call it after the last batch of a session with
 * symbols. */
void unnamed_note(struct input *input, const struct perfdata_session *session);

#endif
