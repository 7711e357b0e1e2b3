/* SPDX-License-Identifier: MIT */
/* Which emitter a conversion uses: one of the library's, or one from a shared object. */
#ifndef CHOSEN_EMITTER_H
#define CHOSEN_EMITTER_H

#include "options.h"

/* Sets options->emitter from --to and --emitter. With --help and neither it stays NULL. False after a message. */
bool emitters_choose(struct options *options, int argc, char **argv);

#endif
