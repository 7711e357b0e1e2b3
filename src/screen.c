/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <dlfcn.h>
#include <locale.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>
#include "screen.h"

#define REVERSE (1ul << 18)

/* Functions of curses, declared as documented; windows and screens are opaque. */
struct screen {
	void *library, *window, *of;
	void *(*newterm)(const char *, FILE *, FILE *);
	int (*endwin)(void);
	void (*delscreen)(void *);
	int (*raw)(void);
	int (*noecho)(void);
	int (*keypad)(void *, bool);
	int (*set_escdelay)(int);
	int (*curs_set)(int);
	char *(*tigetstr)(const char *);
	int (*getmaxx)(const void *);
	int (*getmaxy)(const void *);
	int (*wmove)(void *, int, int);
	int (*waddnstr)(void *, const char *, int);
	int (*wclrtoeol)(void *);
	int (*werase)(void *);
	int (*wrefresh)(void *);
	int (*wgetch)(void *);
	int (*wattrset)(void *, int);
};

static const char *const libraries[] = { "libncursesw.so.6", "libncurses.so.6" };

static void *load_curses(const char **ret_name)
{
	for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++) {
		void *library = dlopen(libraries[i], RTLD_NOW | RTLD_LOCAL);
		*ret_name = libraries[i];
		if (library)
			return library;
	}
	return NULL;
}

const char *screen_library(void)
{
	const char *name;
	void *library = load_curses(&name);
	if (library)
		dlclose(library);
	return library ? name : NULL;
}

static bool find_functions(struct screen *screen)
{
	const struct {
		const char *name;
		size_t at;
	} functions[] = {
#define FUNCTION(name) { #name, offsetof(struct screen, name) }
		FUNCTION(newterm),  FUNCTION(endwin),   FUNCTION(delscreen), FUNCTION(raw),     FUNCTION(noecho),
		FUNCTION(keypad),   FUNCTION(set_escdelay), FUNCTION(curs_set), FUNCTION(tigetstr),
		FUNCTION(getmaxx),  FUNCTION(getmaxy),  FUNCTION(wmove),     FUNCTION(waddnstr), FUNCTION(wclrtoeol),
		FUNCTION(werase),   FUNCTION(wrefresh), FUNCTION(wgetch),    FUNCTION(wattrset),
#undef FUNCTION
	};
	for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
		void *address = dlsym(screen->library, functions[i].name);
		if (!address)
			return false;
		memcpy((char *)screen + functions[i].at, &address, sizeof address);
	}
	return true;
}

static const char *begin_screen(struct screen *screen)
{
	if (!find_functions(screen))
		return "the curses library lacks a required function";
	setlocale(LC_CTYPE, "");
	screen->of = screen->newterm(NULL, stdout, stdin);
	if (!screen->of)
		return "this kind of terminal (TERM) is unknown";
	const char *moves = screen->tigetstr("cup");
	void **standard = (void **)dlsym(screen->library, "stdscr");
	if (!moves || moves == (const char *)-1 || !standard)
		return "this kind of terminal (TERM) cannot place its cursor";
	screen->window = *standard;
	screen->raw();
	screen->noecho();
	screen->keypad(screen->window, true);
	screen->set_escdelay(50);
	screen->curs_set(0);
	return NULL;
}

struct screen *screen_open(const char **ret_reason)
{
	const char *name;
	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO)) {
		*ret_reason = "stdin and stdout have to be a terminal; report and annotate need none";
		return NULL;
	}
	struct screen *screen = calloc(1, sizeof *screen);
	if (!screen) {
		*ret_reason = "out of memory";
		return NULL;
	}
	screen->library = load_curses(&name);
	*ret_reason = screen->library ? begin_screen(screen) : "no curses library is installed (libncursesw.so.6)";
	if (!*ret_reason)
		return screen;
	screen_close(screen);
	return NULL;
}

void screen_close(struct screen *screen)
{
	if (!screen)
		return;
	if (screen->of) {
		screen->endwin();
		screen->delscreen(screen->of);
	}
	if (screen->library)
		dlclose(screen->library);
	free(screen);
}

void screen_size(const struct screen *screen, size_t *ret_lines, size_t *ret_columns)
{
	const int lines = screen->getmaxy(screen->window), columns = screen->getmaxx(screen->window);
	*ret_lines = lines > 0 ? (size_t)lines : 1;
	*ret_columns = columns > 0 ? (size_t)columns : 1;
}

/* Number of bytes that fit into `columns`; 0 if the locale cannot show the text. */
static size_t fitting_size(const char *text, size_t size, size_t columns)
{
	mbstate_t state = { 0 };
	size_t at = 0, used = 0;
	while (at < size) {
		wchar_t character;
		const size_t bytes = mbrtowc(&character, text + at, size - at, &state);
		if (!bytes || bytes > size - at)
			break;
		const int width = wcwidth(character);
		if (width < 0 || used + (size_t)width > columns)
			break;
		used += (size_t)width;
		at += bytes;
	}
	return at;
}

void screen_line(struct screen *screen, size_t line, const char *text, size_t size, bool is_marked)
{
	size_t lines, columns;
	screen_size(screen, &lines, &columns);
	if (line >= lines || screen->wmove(screen->window, (int)line, 0) < 0)
		return;
	/* the last column stays empty: a character there would wrap on some terminals */
	const size_t fits = fitting_size(text, size, columns - 1);
	screen->wattrset(screen->window, is_marked ? (int)REVERSE : 0);
	screen->waddnstr(screen->window, text, (int)fits);
	screen->wattrset(screen->window, 0);
	screen->wclrtoeol(screen->window);
}

void screen_clear(struct screen *screen) { screen->werase(screen->window); }

int screen_key(struct screen *screen)
{
	screen->wrefresh(screen->window);
	return screen->wgetch(screen->window);
}
