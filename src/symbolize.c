/* SPDX-License-Identifier: MIT */
/* perfdata symbolize: copies text from stdin to stdout, and replaces addresses by names. An address is
 * "PATH+0xADDRESS", after the start of a line or ';', and before ';', a blank or the end of the line, as `folded
 * --addresses` writes frames. Other text is unchanged. */
#include "config.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "commands.h"
#include "grow.h"
#include "interrupt.h"
#include "text_lines.h"
#include "print.h"
#include "symbol_options.h"

#define MAX_CALLS 64

struct known_file {
	char *path;
	struct perfdata_symbols_dso *dso;  /* NULL: the file cannot be used */
};

struct naming {
	struct perfdata_symbols *symbols;
	struct known_file *files;
	size_t nr, room, last;
	struct perfdata_text out;
	uint64_t too_long;                 /* number of a line that is too long; 0: none */
	bool failed;
	enum perfdata_status failure;      /* why looking up names failed; PERFDATA_OK: it did not */
};

static enum perfdata_dso_kind kind_of(const char *path)
{
	if (*path == '/')
		return PERFDATA_DSO_USER;
	if (!strcmp(path, "[vdso]"))
		return PERFDATA_DSO_VDSO;
	return !strncmp(path, "[kernel", 7) ? PERFDATA_DSO_KERNEL : PERFDATA_DSO_NONE;
}

/* The symbols of the file at a path, opened once. Without check of a build-id, since the text has none. */
static struct perfdata_symbols_dso *file_of(struct naming *naming, const char *path, size_t size)
{
	for (size_t i = 0; i < naming->nr; i++) {
		const size_t at = (naming->last + i) % naming->nr;
		const struct known_file *file = &naming->files[at];
		if (!strncmp(file->path, path, size) && !file->path[size]) {
			naming->last = at;
			return file->dso;
		}
	}
	if (!grow_list(&naming->files, &naming->room, naming->nr, sizeof *naming->files)) {
		naming->failed = true;
		return NULL;
	}
	struct known_file file = { .path = strndup(path, size) };
	naming->failed |= !file.path;
	if (!file.path)
		return NULL;
	const struct perfdata_symbols_request request = {
		.size = sizeof request, .kind = kind_of(file.path), .path = file.path, .running = true
	};
	if (request.kind != PERFDATA_DSO_NONE &&
	    perfdata_symbols_dso(naming->symbols, &request, &file.dso) != PERFDATA_OK) {
		naming->failed = true;
		file.dso = NULL;
	}
	naming->last = naming->nr;
	naming->files[naming->nr++] = file;
	return file.dso;
}

static void append_name(struct perfdata_text *out, const char *name)
{
	for (; *name; name++)
		perfdata_text_char(out, *name == ';' ? ':' : (unsigned char)*name < ' ' || *name == 0x7f ? '_' : *name);
}

/* Notes that a look-up failed, so that a name may be missing. */
static void note_failure(struct naming *naming, enum perfdata_status status)
{
	if (status == PERFDATA_ENOMEM || (status == PERFDATA_EREAD && !naming->failure))
		naming->failure = status;
}

static bool append_symbol(struct naming *naming, struct perfdata_symbols_dso *dso, uint64_t address)
{
	struct perfdata_source_line calls[MAX_CALLS];
	struct perfdata_symbol symbol;
	size_t nr;
	const enum perfdata_status found = dso ? perfdata_symbols_lookup(dso, address, UINT64_MAX, &symbol)
					       : PERFDATA_ABSENT;
	note_failure(naming, found);
	if (found)
		return false;
	append_name(&naming->out, symbol.name);
	const enum perfdata_status called = perfdata_symbols_calls(dso, address, calls, MAX_CALLS, &nr);
	note_failure(naming, called);
	if (called)
		return true;
	for (size_t i = nr < MAX_CALLS ? nr : MAX_CALLS; i-- > 0;) {
		if (!calls[i].inlined)
			continue;
		perfdata_text_char(&naming->out, ';');
		append_name(&naming->out, calls[i].function ? calls[i].function : "[unknown]");
	}
	return true;
}

/* Finds "PATH+0xADDRESS" at the start of a part, and its end. False: there is no address. */
static bool find_address(const char *part, size_t size, size_t *ret_path, uint64_t *ret_address, size_t *ret_end)
{
	static const char sign[] = "+0x";
	if (!size || (part[0] != '/' && part[0] != '['))
		return false;
	for (size_t at = size; at-- > 0;) {
		if (size - at < sizeof sign || memcmp(part + at, sign, sizeof sign - 1) != 0)
			continue;
		uint64_t address = 0;
		size_t end = at + sizeof sign - 1;
		for (; end < size && isxdigit((unsigned char)part[end]); end++)
			address = address << 4 |
				  (uint64_t)(isdigit((unsigned char)part[end]) ? part[end] - '0'
									       : (part[end] | 0x20) - 'a' + 10);
		const size_t digits = end - at - (sizeof sign - 1);
		if (!digits || digits > 16 || (end < size && part[end] != ' ' && part[end] != '\t'))
			return false;
		*ret_path = at;
		*ret_address = address;
		*ret_end = end;
		return true;
	}
	return false;
}

static void name_line(struct naming *naming, const char *line, size_t size)
{
	for (size_t at = 0; at < size;) {
		const char *stop = memchr(line + at, ';', size - at);
		const size_t part = stop ? (size_t)(stop - (line + at)) : size - at;
		size_t path, end = 0;
		uint64_t address;
		if (!find_address(line + at, part, &path, &address, &end) ||
		    !append_symbol(naming, file_of(naming, line + at, path), address))
			end = 0;
		perfdata_text_append(&naming->out, line + at + end, part - end);
		if (stop)
			perfdata_text_char(&naming->out, ';');
		at += part + (stop != NULL);
	}
}

static enum exit_code name_all(struct naming *naming)
{
	struct lines lines = { .file = stdin, .end = '\n', .most = MOST_LINE };
	enum perfdata_status status = PERFDATA_OK;
	while (!was_interrupted() && !naming->failed && (status = lines_next(&lines)) == PERFDATA_OK) {
		naming->out.size = 0;
		if (lines.ended)
			lines.text[lines.size++] = '\n';
		name_line(naming, lines.text, lines.size);
		naming->failed |= perfdata_text_failed(&naming->out);
		if (!naming->failed)
			print_answer(naming->out.data, naming->out.size);
	}
	free(lines.text);
	if (was_interrupted())
		return EXIT_INTERRUPTED;
	naming->failed |= status == PERFDATA_ENOMEM;
	naming->too_long = status == PERFDATA_ELIMIT ? lines.nr : 0;
	return naming->failed ? EXIT_LIMIT : naming->too_long || status == PERFDATA_EREAD ? EXIT_INPUT : EXIT_FINE;
}

enum exit_code command_symbolize(struct options *options)
{
	struct naming naming = { 0 };
	struct messages messages;
	options->symbols = "yes";
	messages_init(&messages, &options->style, false);
	perfdata_text_init(&naming.out);
	interrupt_catch();
	const enum perfdata_status status = symbols_for(options, &messages, &naming.symbols);
	const enum exit_code code = status == PERFDATA_OK ? name_all(&naming) : exit_code_of_status(status);
	if (code == EXIT_LIMIT)
		usage_error(&options->style, "%s", perfdata_status_text(PERFDATA_ENOMEM));
	else if (naming.too_long)
		usage_error(&options->style, "line %llu of stdin is longer than %u MiB: this is not text",
			    (unsigned long long)naming.too_long, MOST_LINE >> 20);
	else if (naming.failure)
		usage_error(&options->style, "names are missing: %s",
			    naming.failure == PERFDATA_ENOMEM ? "out of memory or descriptors"
							      : perfdata_status_text(naming.failure));
	for (size_t i = 0; i < naming.nr; i++)
		free(naming.files[i].path);
	free(naming.files);
	perfdata_text_release(&naming.out);
	perfdata_symbols_free(naming.symbols);
	messages_end(&messages, "-");
	messages_release(&messages);
	return exit_code_join(code, exit_code_of_status(naming.failure));
}
