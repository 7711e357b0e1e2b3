/* SPDX-License-Identifier: MIT */
/* A terminal's screen, by a curses library that is loaded on first use. */
#ifndef SCREEN_H
#define SCREEN_H

#include <stdbool.h>
#include <stddef.h>

enum screen_key {
	KEY_NONE = -1,               /* input ended */
	KEY_INTERRUPT = 3, KEY_ESCAPE = 27, KEY_DELETE = 127,
	KEY_DOWN = 0402, KEY_UP, KEY_LEFT, KEY_RIGHT, KEY_HOME, KEY_BACKSPACE,
	KEY_NEXT_PAGE = 0522, KEY_PREVIOUS_PAGE, KEY_ENTER = 0527, KEY_END = 0550, KEY_RESIZE = 0632
};

struct screen;
/* NULL and *ret_reason: no library, no terminal, or a terminal that cannot move its cursor. */
struct screen *screen_open(const char **ret_reason);
/* Restores the terminal. */
void screen_close(struct screen *screen);
void screen_size(const struct screen *screen, size_t *ret_lines, size_t *ret_columns);
/* Writes a line of printable text, as far as it fits. */
void screen_line(struct screen *screen, size_t line, const char *text, size_t size, bool is_marked);
void screen_clear(struct screen *screen);
/* Updates the screen and waits for a key: enum screen_key, or a byte. */
int screen_key(struct screen *screen);
/* The name of the curses library that can be loaded; NULL: none. */
const char *screen_library(void);

#endif
