/* SPDX-License-Identifier: MIT */
/* Demangles names of OCaml's compiler (camlList__map_12), and of Java methods in the files that perf inject makes from
 * jitdump files (Ljava/lang/String;indexOf(I)I). */
#include "config.h"
#include <string.h>
#include "symbols/symbols.h"

struct shown {
	char *out;
	size_t used, room;
	bool is_full;
};

static void put_char(struct shown *shown, char c)
{
	if (shown->used + 1 >= shown->room)
		shown->is_full = true;
	else
		shown->out[shown->used++] = c;
}

static void put_text(struct shown *shown, const char *text)
{
	while (*text)
		put_char(shown, *text++);
}

static bool end_text(struct shown *shown)
{
	if (shown->room)
		shown->out[shown->used] = '\0';
	return shown->room && !shown->is_full;
}

static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/* --- OCaml -------------------------------------------------------------------------------------------------------- */

#define OCAML_PREFIX "caml"

static unsigned hex_digit(char c)
{
	static const char digits[] = "0123456789abcdef0123456789ABCDEF";
	const char *at = c ? strchr(digits, c) : NULL;
	return at ? (unsigned)(at - digits) % 16 : 16;
}

bool pd_demangle_ocaml(const char *name, char *out, size_t room)
{
	struct shown shown = { .out = out, .room = room };
	const char *at = name + strlen(OCAML_PREFIX);
	/* names of modules begin with a capital letter, those of the runtime (caml_alloc) do not */
	if (strncmp(name, OCAML_PREFIX, strlen(OCAML_PREFIX)) != 0 || *at < 'A' || *at > 'Z')
		return false;
	while (*at) {
		const unsigned high = *at == '$' ? hex_digit(at[1]) : 16, low = high < 16 ? hex_digit(at[2]) : 16;
		if (at[0] == '_' && at[1] == '_') {
			put_char(&shown, '.');
			at += 2;
		} else if (low < 16 && high + low) {
			put_char(&shown, (char)(16 * high + low));
			at += 3;
		} else {
			put_char(&shown, *at++);
		}
	}
	return end_text(&shown);
}

/* --- Java --------------------------------------------------------------------------------------------------------- */

/* Writes the class of L…; NULL: none is here. Returns what follows it. */
static const char *put_class(struct shown *shown, const char *at)
{
	if (*at++ != 'L')
		return NULL;
	for (; *at && !strchr(";()[", *at); at++)
		put_char(shown, *at == '/' ? '.' : *at);
	return *at == ';' ? at + 1 : NULL;
}

/* As put_class, for a type of an argument. */
static const char *put_type(struct shown *shown, const char *at)
{
	static const struct { char letter; const char *name; } types[] = {
		{ 'B', "byte" }, { 'C', "char" }, { 'D', "double" }, { 'F', "float" },
		{ 'I', "int" }, { 'J', "long" }, { 'S', "short" }, { 'Z', "boolean" },
	};
	const size_t nr = strspn(at, "[");
	const char *end = NULL;
	at += nr;
	for (size_t i = 0; i < sizeof types / sizeof *types && !end; i++)
		if (*at == types[i].letter) {
			put_text(shown, types[i].name);
			end = at + 1;
		}
	end = end ? end : put_class(shown, at);
	for (size_t i = 0; i < nr && !shown->is_full; i++)
		put_text(shown, "[]");
	return end;
}

bool pd_demangle_java(const char *name, char *out, size_t room)
{
	struct shown shown = { .out = out, .room = room };
	const char *at = put_class(&shown, name);
	if (!at)
		return false;
	/* constructors are written Class<init>(), as in perf */
	if (is_letter(*at))
		put_char(&shown, '.');
	for (; *at && !strchr(";/()[", *at); at++)
		put_char(&shown, *at);
	if (*at != '(')
		return false;
	put_char(&shown, *at++);
	for (const char *first = at; *at != ')';) {
		if (at != first)
			put_text(&shown, ", ");
		at = put_type(&shown, at);
		if (!at || shown.is_full)
			return false;
	}
	put_char(&shown, ')');
	return end_text(&shown);
}
