/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "grow.h"
#include "interrupt.h"
#include "symbol_options.h"

static void print_log(void *user, const struct perfdata_symbols_log *entry)
{
	static const char *const events[] = { "taken", "not there", "not used" };
	messages_detail(user, entry->dso, "%s: %s%s%s", entry->file ? entry->file : "no file", events[entry->event],
			entry->reason ? ": " : "", entry->reason ? entry->reason : "");
}

bool symbols_wanted(const struct options *options)
{
	const bool by_default = (options->emitter && options->emitter->flags & PERFDATA_EMITTER_SYMBOLS) ||
				options->symbol_names.nr;
	return options->symbols ? !strcmp(options->symbols, "yes") : by_default;
}

/* Keeps a text until the options are released. NULL without memory. */
static const char *keep_text(struct options *options, char *text)
{
	struct text_list *made = &options->made;
	if (text && grow_list(&made->values, &made->room, made->nr, sizeof *made->values))
		return made->values[made->nr++] = text;
	free(text);
	return NULL;
}

/* Splits "DIR,flat" and "DIR,hierarchy" at the last comma, as perf does; other text after a comma belongs to the
 * folder. NULL without memory. */
static const char *folder_of(struct options *options, const char *given, bool *ret_flat)
{
	const char *comma = strrchr(given, ',');
	*ret_flat = comma && !strcmp(comma, ",flat");
	if (!comma || (!*ret_flat && strcmp(comma, ",hierarchy") != 0))
		return given;
	return keep_text(options, strndup(given, (size_t)(comma - given)));
}

/* Whether the file or folder of an option exists and is readable. False after a message. */
static bool is_there(const struct options *options, const char *name, const char *path, bool is_folder,
		     enum exit_code *ret_code)
{
	struct stat status;
	const int code = !path                                        ? 0
			 : stat(path, &status)                        ? errno
			 : is_folder && !S_ISDIR(status.st_mode)      ? ENOTDIR
			 : !is_folder && S_ISDIR(status.st_mode)      ? EISDIR
			 : access(path, is_folder ? R_OK | X_OK : R_OK) ? errno
								      : 0;
	/* the library opens regular files only */
	const bool is_special = path && !code && !is_folder && !S_ISREG(status.st_mode);
	if (!code && !is_special)
		return true;
	usage_error(&options->style, "--%s %s: %s", name, path, is_special ? "no regular file" : error_text(code));
	*ret_code = exit_code_of_errno(code);
	return false;
}

/* Whether a file begins as an ELF file or a compressed file. */
static bool may_be_elf(const unsigned char *head, size_t size)
{
	static const struct { const char *bytes; size_t size; } magics[] = {
		{ "\177ELF", 4 }, { "\037\213", 2 }, { "\050\265\057\375", 4 }, { "\3757zXZ", 5 },
	};
	for (size_t i = 0; i < sizeof magics / sizeof *magics; i++)
		if (size >= magics[i].size && !memcmp(head, magics[i].bytes, magics[i].size))
			return true;
	return false;
}

/* Whether a file begins with an address, as kallsyms does. */
static bool may_be_kallsyms(const unsigned char *head, size_t size)
{
	size_t digits = 0;
	while (digits < size && isxdigit(head[digits]))
		digits++;
	return digits && digits <= 16 && digits < size && head[digits] == ' ';
}

/* Whether a file of an option has the right kind of content. False after a message: other content would give no names,
 * without an error. */
static bool is_fit(const struct options *options, const char *name, const char *path,
		   bool (*may_be)(const unsigned char *head, size_t size), enum exit_code *ret_code)
{
	unsigned char head[32];
	FILE *file = path ? fopen(path, "re") : NULL;
	const size_t size = file ? fread(head, 1, sizeof head, file) : 0;
	const int code = path && (!file || ferror(file)) ? errno : 0;
	if (file)
		fclose(file);
	if (!path || (!code && may_be(head, size)))
		return true;
	usage_error(&options->style, "--%s %s: %s", name, path,
		    code ? error_text(code) : "not in the expected format");
	*ret_code = exit_code_of_errno(code);
	return false;
}

/* Moves roots with flat layout to another list. False without memory. */
static bool split_roots(struct options *options)
{
	struct text_list *roots = &options->roots, *flats = &options->flats;
	size_t kept = 0;
	for (size_t i = 0; i < roots->nr; i++) {
		bool is_flat;
		const char *folder = folder_of(options, roots->values[i], &is_flat);
		if (!folder || (is_flat && !grow_list(&flats->values, &flats->room, flats->nr, sizeof *flats->values)))
			return false;
		if (is_flat)
			flats->values[flats->nr++] = folder;
		else
			roots->values[kept++] = folder;
	}
	roots->nr = kept;
	return true;
}

/* Checks the files and folders of options before any work: a missing one would give no names, without an error. */
static bool check_places(struct options *options, enum exit_code *ret_code)
{
	options->symfs_folder = options->symfs ? folder_of(options, options->symfs, &options->symfs_flat) : NULL;
	if ((options->symfs && !options->symfs_folder) || !split_roots(options)) {
		usage_error(&options->style, "%s", perfdata_status_text(PERFDATA_ENOMEM));
		*ret_code = EXIT_LIMIT;
		return false;
	}
	return is_there(options, "symfs", options->symfs_folder, true, ret_code) &&
	       is_there(options, "sysroot", options->sysroot, true, ret_code) &&
	       is_there(options, "kallsyms", options->kallsyms, false, ret_code) &&
	       is_there(options, "vmlinux", options->vmlinux, false, ret_code) &&
	       is_fit(options, "kallsyms", options->kallsyms, may_be_kallsyms, ret_code) &&
	       is_fit(options, "vmlinux", options->vmlinux, may_be_elf, ret_code) &&
	       is_there(options, "tmpdir", options->tmpdir, true, ret_code);
}

bool symbols_open(struct options *options, enum exit_code *ret_code)
{
	const struct perfdata_bundle_files_options files = {
		.size = sizeof files, .tmpdir = options->tmpdir, .max_bytes = options->max_spool,
		.max_ratio = options->max_ratio > UINT32_MAX ? UINT32_MAX : (uint32_t)options->max_ratio,
	};
	struct perfdata_error error = { .offset = PERFDATA_NO_OFFSET };
	if (!check_places(options, ret_code))
		return false;
	if (!options->symbols_from)
		return true;
	const bool mixed = options->symfs || options->sysroot || options->kallsyms || options->vmlinux ||
			   options->debuginfod;
	if (mixed) {
		usage_error(&options->style, "--symbols-from is the only source of names: leave out --symfs, "
					     "--sysroot, --kallsyms, --vmlinux and --debuginfod");
		*ret_code = EXIT_USAGE;
		return false;
	}
	const enum perfdata_status status = perfdata_bundle_files_open(options->symbols_from, &files, &options->bundle,
								       &error);
	if (status == PERFDATA_OK)
		return true;
	usage_error(&options->style, "%s", error.message);
	*ret_code = exit_code_of_open(status);
	return false;
}

void symbols_close(struct options *options)
{
	perfdata_bundle_files_close(options->bundle);
	options->bundle = NULL;
}

/* Sets the paths of a bundle: it is a build-id cache of perf, a debug directory and, in root/, a tree of files without
 * build-ids. */
static void take_bundle(const struct options *options, struct perfdata_symbols_options *symbols, char *root,
			size_t size)
{
	snprintf(root, size, "%s/root", options->symbols_from);
	symbols->symfs = root;
	symbols->build_id_dir = options->symbols_from;
	symbols->debug_dirs = &options->symbols_from;
	symbols->debug_dir_count = 1;
	symbols->no_host = true;
	symbols->debug_first = true;
	symbols->open = perfdata_bundle_files_get;
	symbols->open_user = options->bundle;
}

void symbol_options_make(const struct options *options, struct messages *messages, struct symbol_options *ret)
{
	struct perfdata_symbols_options *symbols = &ret->options;
	const char *home = getenv("HOME");
	perfdata_options_init(symbols, sizeof *symbols);
	symbols->symfs = options->symfs_folder;
	symbols->symfs_flat = options->symfs_flat;
	symbols->sysroot = options->sysroot;
	symbols->kallsyms = options->kallsyms;
	symbols->vmlinux = options->vmlinux;
	symbols->debuginfod = options->debuginfod;
	symbols->show_art_frames = options->show_art_frames;
	symbols->recorded_names = !options->recorded_names               ? PERFDATA_RECORDED_NAMES_FOUND
				  : !strcmp(options->recorded_names, "yes") ? PERFDATA_RECORDED_NAMES_ALWAYS
				  : !strcmp(options->recorded_names, "no")  ? PERFDATA_RECORDED_NAMES_UNUSED
									    : PERFDATA_RECORDED_NAMES_FOUND;
	symbols->raw_names = options->raw_names;
	/* with --symfs perf looks nowhere else, and for its cache there too */
	if (options->style.perf && options->symfs_folder) {
		symbols->no_host = true;
		home = options->symfs_folder;
	}
	if (home && snprintf(ret->cache, sizeof ret->cache, "%s/.debug", home) < (int)sizeof ret->cache)
		symbols->build_id_dir = ret->cache;
	if (options->bundle)
		take_bundle(options, symbols, ret->root, sizeof ret->root);
	symbols->log = print_log;
	symbols->log_user = messages;
	symbols->finding = messages_file_finding;
	symbols->user = messages;
	symbols->memory = options->memory;
	symbols->cancel = interrupt_cancel();
}

enum perfdata_status symbols_for(const struct options *options, struct messages *messages,
				 struct perfdata_symbols **ret)
{
	*ret = NULL;
	if (!symbols_wanted(options))
		return PERFDATA_OK;
	struct symbol_options symbols;
	symbol_options_make(options, messages, &symbols);
	return perfdata_symbols_new(&symbols.options, ret);
}

enum perfdata_tristate symbol_options_names(const struct options *options)
{
	if (!options->symbols)
		return PERFDATA_DEFAULT;
	return strcmp(options->symbols, "yes") ? PERFDATA_NO : PERFDATA_YES;
}
