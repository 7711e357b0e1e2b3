/* SPDX-License-Identifier: MIT */
/* Chooses the emitters of a conversion: emitters of the library, or an emitter from a shared object. */
#ifndef CHOSEN_EMITTER_H
#define CHOSEN_EMITTER_H

#include "options.h"

/* Sets options->emitter and options->more_emitters from --to and --emitter. options->emitter stays NULL if --help is
 * given without --to and --emitter. False after a message. */
bool emitters_choose(struct options *options, int argc, char **argv);

#endif
