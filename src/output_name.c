/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "output_name.h"
#include "perfdata/text.h"

#define DEFAULT_NAME "{dir}/{base}.{format}"
#define DEFAULT_TABLE_NAME "{dir}/{base}.{table}.{format}"
#define DEFAULT_FOLDERS_NAME "{table}/{dir}/{base}.{format}"

static const char *const known[] = { "dir", "base", "stem", "recording", "format", "table" };
enum { DIR_PART, BASE_PART, STEM_PART, RECORDING_PART, FORMAT_PART, TABLE_PART, NR_PARTS };

/* The part of a pattern at a "{", and the length of its text; NR_PARTS if it is unknown. */
static size_t part_at(const char *at, size_t *ret_size)
{
	const size_t size = strcspn(at, "}");
	*ret_size = at[size] ? size + 1 : size;
	for (size_t i = 0; i < NR_PARTS; i++)
		if (at[size] && strlen(known[i]) == size - 1 && !memcmp(at + 1, known[i], size - 1))
			return i;
	return NR_PARTS;
}

static bool leads_up(const char *name)
{
	for (const char *at = name; at; at = strchr(at, '/') ? strchr(at, '/') + 1 : NULL)
		if (!strncmp(at, "..", 2) && (at[2] == '/' || !at[2]))
			return true;
	return false;
}

bool output_name_check(const struct options *options)
{
	size_t size;
	if (!options->name)
		return true;
	for (const char *at = options->name; (at = strchr(at, '{')); at += size) {
		if (part_at(at, &size) != NR_PARTS)
			continue;
		usage_error(
			&options->style,
			"--name: there is no %.*s; there are {dir}, {base}, {stem}, {recording}, {format} and {table}",
			(int)size, at);
		return false;
	}
	size = strlen(options->name);
	if (!size || options->name[size - 1] == '/' || leads_up(options->name)) {
		usage_error(&options->style, "--name '%s' is no name of a file below DIR", options->name);
		return false;
	}
	return true;
}

/* Appends text without a slash at the start or after another slash, which an empty {dir} would leave. */
static void append_safe(struct perfdata_text *out, const char *text, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (text[i] != '/' || (out->size && out->data[out->size - 1] != '/'))
			perfdata_text_char(out, text[i]);
}

/* Appends the name of a table. Event names may contain slashes or be too long for a file name: then the name is
 * shortened and ends with a hash of the whole name. */
static void append_table(struct perfdata_text *out, const char *table)
{
	enum { MOST = 160, KEPT = 150 };
	const size_t size = strlen(table), kept = size > MOST ? KEPT : size;
	uint32_t number = 2166136261u;
	for (size_t i = 0; i < kept; i++)
		perfdata_text_char(out, table[i] == '/' ? '_' : table[i]);
	if (kept == size)
		return;
	for (size_t i = 0; i < size; i++)
		number = (number ^ (unsigned char)table[i]) * 16777619u;
	perfdata_text_printf(out, "~%08" PRIx32, number);
}

static void append_part(struct perfdata_text *out, size_t part, const struct name_parts *parts)
{
	const char *slash = strrchr(parts->recording, '/');
	const char *base = slash ? slash + 1 : parts->recording;
	const char *dot = strrchr(base, '.');
	switch (part) {
	case DIR_PART:
		append_safe(out, parts->recording, slash ? (size_t)(slash - parts->recording) : 0);
		break;
	case BASE_PART:
		append_safe(out, base, strlen(base));
		break;
	case STEM_PART:
		append_safe(out, base, dot && dot > base ? (size_t)(dot - base) : strlen(base));
		break;
	case RECORDING_PART:
		append_safe(out, parts->recording, strlen(parts->recording));
		break;
	case FORMAT_PART:
		append_safe(out, parts->format, strlen(parts->format));
		break;
	default:
		append_table(out, parts->table ? parts->table : "");
	}
}

static void expand_name(struct perfdata_text *out, const char *name, const struct name_parts *parts)
{
	for (size_t size; *name; name += size) {
		size = strcspn(name, "{");
		append_safe(out, name, size);
		if (size)
			continue;
		append_part(out, part_at(name, &size), parts);
	}
}

static const char *name_pattern(const struct options *options, const struct name_parts *parts)
{
	if (options->name)
		return options->name;
	return parts->folders ? DEFAULT_FOLDERS_NAME : parts->table ? DEFAULT_TABLE_NAME : DEFAULT_NAME;
}

/* The path for the parts; NULL without memory. */
static char *path_of(const struct options *options, const struct name_parts *parts)
{
	static const char *const suffixes[] = {
		[PERFDATA_PACKING_NONE] = "", [PERFDATA_PACKING_GZIP] = ".gz", [PERFDATA_PACKING_ZSTD] = ".zst"
	};
	struct perfdata_text out;
	perfdata_text_init(&out);
	perfdata_text_string(&out, options->output);
	perfdata_text_string(&out, out.size && out.data[out.size - 1] != '/' ? "/" : "");
	expand_name(&out, name_pattern(options, parts), parts);
	perfdata_text_string(&out, suffixes[options_packing(options)]);
	perfdata_text_char(&out, '\0');
	char *path = perfdata_text_failed(&out) ? NULL : strdup(out.data);
	perfdata_text_release(&out);
	return path;
}

/* Placeholder for {table}, at which the path is split; no path contains it. */
#define ANY_TABLE "\1"

char *output_name(const struct options *options, const struct name_parts *parts, char **ret_head, char **ret_tail)
{
	struct name_parts any = *parts;
	*ret_head = *ret_tail = NULL;
	if (!parts->table && strstr(name_pattern(options, parts), "{table}")) {
		any.table = ANY_TABLE;
		char *path = path_of(options, &any);
		char *at = path ? strrchr(path, *ANY_TABLE) : NULL;
		*ret_tail = at ? strdup(at + 1) : NULL;
		if (at)
			*at = '\0';
		*ret_head = path;
		if (!*ret_tail)
			return NULL;
	}
	return path_of(options, parts);
}

char *output_folder(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? strndup(path, (size_t)(slash - path) + 1) : strdup("./");
}
