/* SPDX-License-Identifier: MIT */
/* Which characters a terminal may get. */
#ifndef PD_SHOWN_H
#define PD_SHOWN_H

#include "perfdata/text.h"

/* Whether a terminal interprets the character instead of showing it, or the character changes how its neighbours look:
 * control characters (C0, DEL, C1), separators of lines and paragraphs, characters that change the direction of text,
 * and invisible characters (Default_Ignorable_Code_Point, and the marks of annotations). */
bool pd_text_hides(uint32_t character);

/* Appends what a terminal gets of the bytes: lines and tabs as they are, well-formed UTF-8 that hides nothing, and \xNN
 * for each byte of everything else. `colors`: SGR sequences (ESC [ numbers m), which color text, are left too. Returns
 * how many bytes were used: fewer than `size` where the last ones may be the start of a character or sequence, unless
 * these bytes are the `last` ones. */
size_t pd_text_terminal(struct perfdata_text *text, const void *bytes, size_t size, bool colors, bool last);

/* How many columns perfdata_text_shortened writes for the whole name. */
size_t pd_text_columns(const char *name);

#endif
