/* SPDX-License-Identifier: MIT */
/* Decides which characters a terminal may get. */
#ifndef PD_SHOWN_H
#define PD_SHOWN_H

#include "perfdata/text.h"

/* Whether a terminal interprets the character instead of showing it, or the character changes how others look: control
 * characters (C0, DEL, C1), line and paragraph separators, characters that change the direction of text, and invisible
 * characters (Default_Ignorable_Code_Point, and annotation marks). */
bool pd_text_hides(uint32_t character);

/* Appends the bytes in a form that is safe on a terminal: newlines, tabs and well-formed UTF-8 for which pd_text_hides
 * is false stay; each other byte becomes \xNN. colors: SGR sequences (ESC [ numbers m), which color text, stay too.
 * Returns the number of bytes used: fewer than `size` if the end may be the start of a character or sequence, except if
 * `last` says that no bytes follow. */
size_t pd_text_terminal(struct perfdata_text *text, const void *bytes, size_t size, bool colors, bool last);

/* Number of columns that perfdata_text_shortened writes for the whole name. */
size_t pd_text_columns(const char *name);

#endif
