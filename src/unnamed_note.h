/* SPDX-License-Identifier: MIT */
/* Never silent about missing names: what share of the samples has none, and what would help. */
#ifndef UNNAMED_NOTE_H
#define UNNAMED_NOTE_H

#include "inputs.h"

/* After the last batch of a session with symbols: one note, unless all have names. */
void unnamed_note(struct input *input, const struct perfdata_session *session);

#endif
