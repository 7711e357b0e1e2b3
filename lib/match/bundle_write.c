/* SPDX-License-Identifier: MIT */
/* Collects the files of a bundle, chooses their names, and writes the archive. */
#include "config.h"
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/cancel.h"
#include "base/digit.h"
#include "base/error.h"
#include "base/fdio.h"
#include "base/memory.h"
#include "base/port.h"
#include "base/sha256.h"
#include "match/bundle_impl.h"
#include "match/match.h"
#include "symbols/answers/symbol_answers.h"
#include "symbols/draft/answers_draft.h"

#define MAX_VDSO ((size_t)1 << 16)
/* limit of a file in bytes: files are read into memory, and 32-bit machines have less memory */
#define MAX_FILE ((size_t)(SIZE_MAX > UINT32_MAX ? (uint64_t)8 << 30 : SIZE_MAX / 2))
#define BLOCK ((size_t)1 << 18)

struct entry {
	enum pd_tar_type type;
	const char *name, *target;
	enum perfdata_bundle_role role;
	const char *file;                  /* path on this machine */
	const struct pd_answers_draft *draft;   /* draft of an answers file */
	uint64_t size;
	uint8_t sha256[PD_SHA256_SIZE];
	uint32_t parts;                    /* bits of enum perfdata_match_part */
};

struct perfdata_bundle {
	enum perfdata_bundle_level level;
	struct perfdata_bundle_limits limits;
	struct entry *entries;
	size_t nr, room;
	uint64_t total;
	struct pd_arena arena;
	struct pd_answers_draft **drafts;
	size_t nr_drafts, drafts_room;
	bool with_tables;                  /* stacks were unwound by libdwfl, so keep the tables for unwinding */
};

enum perfdata_status perfdata_bundle_new(enum perfdata_bundle_level level, const struct perfdata_bundle_limits *limits,
					 struct perfdata_bundle **ret)
{
	if (level > PERFDATA_BUNDLE_ANSWERS)
		return PERFDATA_EUSAGE;
	struct perfdata_bundle *bundle = pd_calloc(1, sizeof *bundle);
	if (!bundle)
		return PERFDATA_ENOMEM;
	bundle->level = level;
	if (limits)
		bundle->limits = *limits;
	*ret = bundle;
	return PERFDATA_OK;
}

void perfdata_bundle_free(struct perfdata_bundle *bundle)
{
	if (!bundle)
		return;
	for (size_t i = 0; i < bundle->nr_drafts; i++)
		pd_answers_draft_free(bundle->drafts[i]);
	pd_free(bundle->drafts);
	pd_free(bundle->entries);
	pd_arena_release(&bundle->arena);
	pd_free(bundle);
}

/* --- names -------------------------------------------------------------------------------------------------------- */

bool pd_is_safe_name(const char *name)
{
	if (!*name || *name == '/' || strlen(name) >= PD_ROOTED_PATH)
		return false;
	for (const char *at = name; at;) {
		const size_t size = strcspn(at, "/");
		if (!size || (size == 1 && at[0] == '.') || (size == 2 && at[0] == '.' && at[1] == '.'))
			return false;
		at = at[size] ? at + size + 1 : NULL;
	}
	for (; *name; name++)
		if ((unsigned char)*name < ' ' || *name == 0x7f)
			return false;
	return true;
}

static const char *PERFDATA_PRINTF(2, 3) format_name(struct perfdata_bundle *bundle, const char *format, ...)
{
	char text[2 * PD_ROOTED_PATH];
	va_list args;
	va_start(args, format);
	const int size = vsnprintf(text, sizeof text, format, args);
	va_end(args);
	return size > 0 && (size_t)size < sizeof text ? pd_arena_copy(&bundle->arena, text, (size_t)size) : NULL;
}

static const char *role_name(enum perfdata_bundle_role role)
{
	switch (role) {
	case PERFDATA_BUNDLE_ELF: return "elf";
	case PERFDATA_BUNDLE_DEBUG: return "debug";
	case PERFDATA_BUNDLE_KALLSYMS: return "kallsyms";
	case PERFDATA_BUNDLE_VDSO: return "vdso";
	case PERFDATA_BUNDLE_ANSWERED: return "answers";
	case PERFDATA_BUNDLE_OTHER: break;
	}
	return "file";
}

/* Returns the directory for a build-id: the recorded path, if it is a safe name for a directory. */
static const char *folder_of(struct perfdata_bundle *bundle, const struct perfdata_bundle_file *file,
			     const char *digits)
{
	const char *path = file->path + strspn(file->path, "/");
	return pd_is_safe_name(path) ? format_name(bundle, "%s/%s", path, digits)
				     : format_name(bundle, "unnamed/%s", digits);
}

static struct entry *find_entry(const struct perfdata_bundle *bundle, const char *name)
{
	for (size_t i = 0; i < bundle->nr; i++)
		if (!strcmp(bundle->entries[i].name, name))
			return &bundle->entries[i];
	return NULL;
}

static enum perfdata_status add_entry(struct perfdata_bundle *bundle, const struct entry *entry)
{
	if (!entry->name)
		return PERFDATA_ENOMEM;
	if (find_entry(bundle, entry->name))
		return PERFDATA_OK;
	if (pd_vector_grow(&bundle->entries, &bundle->room, bundle->nr, sizeof *bundle->entries))
		return PERFDATA_ENOMEM;
	bundle->entries[bundle->nr++] = *entry;
	return PERFDATA_OK;
}

static enum perfdata_status add_link(struct perfdata_bundle *bundle, const char *name, const char *target)
{
	return target ? add_entry(bundle, &(struct entry){ .type = PD_TAR_LINK, .name = name, .target = target })
		      : PERFDATA_ENOMEM;
}

/* Adds links at the paths where perf, gdb and elfutils look. The file with the most symbols is the debug file. */
static enum perfdata_status add_links(struct perfdata_bundle *bundle, const char *folder, const char *digits,
				      enum perfdata_bundle_role role)
{
	const char *name = format_name(bundle, ".build-id/%.2s/%s.debug", digits, digits + 2),
		   *target = format_name(bundle, "../../%s/%s", folder, role_name(role));
	enum perfdata_status status = add_link(bundle, format_name(bundle, ".build-id/%.2s/%s", digits, digits + 2),
					       format_name(bundle, "../../%s", folder));
	if (status || (role != PERFDATA_BUNDLE_ELF && role != PERFDATA_BUNDLE_DEBUG))
		return status;
	struct entry *known = name ? find_entry(bundle, name) : NULL;
	if (!known)
		return add_link(bundle, name, target);
	if (role == PERFDATA_BUNDLE_DEBUG && target)
		known->target = target;
	return target ? PERFDATA_OK : PERFDATA_ENOMEM;
}

/* --- content ------------------------------------------------------------------------------------------------------ */

static enum perfdata_status read_vdso(char **ret, size_t *ret_size)
{
	const void *image = pd_own_vdso();
	const size_t size = image ? pd_elf_image_size(image, MAX_VDSO) : 0;
	char *copy = size ? pd_malloc(size) : NULL;
	if (!copy)
		return size ? PERFDATA_ENOMEM : PERFDATA_EREAD;
	memcpy(copy, image, size);
	*ret = copy;
	*ret_size = size;
	return PERFDATA_OK;
}


static enum perfdata_status read_part(int fd, uint64_t offset, uint64_t size, size_t most, char **ret, size_t *ret_size)
{
	char *bytes = size <= most ? pd_malloc((size_t)size) : NULL;
	if (!bytes)
		return size <= most ? PERFDATA_ENOMEM : PERFDATA_ELIMIT;
	const int64_t got = pd_pread_full(fd, bytes, (size_t)size, offset);
	if (got != (int64_t)size) {
		const int error = errno;
		pd_free(bytes);
		errno = error;
		return got < 0 ? pd_status_of_read(error) : PERFDATA_EFORMAT;
	}
	*ret = bytes;
	*ret_size = (size_t)size;
	return PERFDATA_OK;
}

/* Reads a file of this machine, or the library that ARCHIVE!/ENTRY names. */
static enum perfdata_status read_file(const struct perfdata_bundle *bundle, const char *file, enum pd_regular kind,
				      size_t most, char **ret, size_t *ret_size)
{
	const char *entry = pd_archive_entry_name(file);
	struct pd_work work;
	pd_work_init(&work, 0, NULL, bundle->limits.cancel);
	const int fd = pd_archive_open(file, kind);
	if (fd < 0)
		return pd_status_of_errno(errno);
	uint64_t offset, part = 0;
	enum perfdata_status status = PERFDATA_OK;
	if (entry && pd_is_archive(fd))
		status = pd_archive_find(fd, &work, entry, &offset, &part);
	if (!status)
		status = part ? read_part(fd, offset, part, most, ret, ret_size)
			      : pd_read_within(&work, fd, most, ret, ret_size);
	close(fd);
	return status;
}

/* Reads the bytes of a file in the form that the archive gets. */
static enum perfdata_status read_content(const struct perfdata_bundle *bundle, const struct entry *entry, char **ret,
					 size_t *ret_size)
{
	char *image;
	size_t size;
	if (entry->role == PERFDATA_BUNDLE_VDSO && !entry->file)
		return read_vdso(ret, ret_size);
	if (entry->role == PERFDATA_BUNDLE_ANSWERED)
		return pd_answers_draft_spell(entry->draft, ret, ret_size);
	const bool is_kallsyms = entry->role == PERFDATA_BUNDLE_KALLSYMS;
	const size_t limit = bundle->limits.file && bundle->limits.file < MAX_FILE ? (size_t)bundle->limits.file
										   : MAX_FILE;
	const size_t most = bundle->level == PERFDATA_BUNDLE_FULL ? limit : MAX_FILE;
	enum perfdata_status status = read_file(bundle, entry->file, is_kallsyms ? PD_REGULAR_ANY : PD_REGULAR_STORED,
						most, &image, &size);
	if (status)
		return status;
	if (entry->role == PERFDATA_BUNDLE_ELF || entry->role == PERFDATA_BUNDLE_DEBUG)
		return pd_elf_cut(image, size,
				  &(struct pd_elf_wish){ .level = bundle->level, .tables = bundle->with_tables }, ret,
				  ret_size);
	*ret = image;
	*ret_size = size;
	return PERFDATA_OK;
}

static enum perfdata_status facts_of_file(const struct perfdata_bundle *bundle, const char *path,
					  struct pd_elf_facts *ret)
{
	const int fd = pd_archive_open(path, PD_REGULAR_STORED);
	if (fd < 0)
		return pd_status_of_errno(errno);
	const char *entry = pd_is_archive(fd) ? pd_archive_entry_name(path) : NULL;
	const enum perfdata_status status = pd_elf_facts_stored(fd, entry, bundle->limits.cancel, ret);
	close(fd);
	return status;
}

/* Checks that an ELF file has the build-id under which the bundle will store it. */
static enum perfdata_status check_id(const struct perfdata_bundle *bundle, const struct perfdata_bundle_file *file)
{
	struct pd_elf_facts facts;
	const struct pd_build_id id = pd_build_id_of(file->build_id.data, file->build_id.size);
	const bool is_vdso = file->role == PERFDATA_BUNDLE_VDSO && file->file;
	if (!id.size || (!is_vdso && file->role != PERFDATA_BUNDLE_ELF && file->role != PERFDATA_BUNDLE_DEBUG))
		return PERFDATA_OK;
	const enum perfdata_status status = facts_of_file(bundle, file->file, &facts);
	return status ? status : pd_same_build_id(&facts.id, &id) ? PERFDATA_OK : PERFDATA_EFORMAT;
}

/* Computes the SHA-256 of the content. Large files take seconds. */
static enum perfdata_status sum_up(const struct perfdata_bundle *bundle, const char *content, size_t size,
				   uint8_t ret[PD_SHA256_SIZE])
{
	struct pd_sha256 hash;
	pd_sha256_init(&hash);
	for (size_t at = 0; at < size; at += BLOCK) {
		if (pd_cancelled(bundle->limits.cancel))
			return PERFDATA_EINTR;
		pd_sha256_add(&hash, content + at, size - at < BLOCK ? size - at : BLOCK);
	}
	pd_sha256_end(&hash, ret);
	return PERFDATA_OK;
}

/* Returns the parts of the content: kallsyms, and files with names of generated code, have symbols. */
static uint32_t parts_of(const struct perfdata_bundle *bundle, const struct entry *entry, const char *content,
			 size_t size)
{
	const struct pd_elf_bytes bytes = { .fd = -1, .image = content, .image_size = size };
	struct pd_elf_facts facts;
	if (entry->role == PERFDATA_BUNDLE_KALLSYMS)
		return PERFDATA_PART_SYMTAB;
	if (entry->role == PERFDATA_BUNDLE_ANSWERED)
		return PERFDATA_PART_ANSWERS;
	if (pd_elf_facts_of(&bytes, &facts) == PERFDATA_OK)
		return facts.parts;
	if (entry->role == PERFDATA_BUNDLE_OTHER)
		return PERFDATA_PART_SYMTAB;
	/* a compressed module */
	return facts_of_file(bundle, entry->file, &facts) == PERFDATA_OK ? facts.parts : 0;
}

static enum perfdata_status measure_entry(struct perfdata_bundle *bundle, struct entry *entry)
{
	char *content;
	size_t size;
	enum perfdata_status status = read_content(bundle, entry, &content, &size);
	if (status)
		return status;
	status = sum_up(bundle, content, size, entry->sha256);
	entry->parts = status ? 0 : parts_of(bundle, entry, content, size);
	pd_free(content);
	if (status)
		return status;
	entry->size = size;
	if ((bundle->limits.file && size > bundle->limits.file) ||
	    (bundle->limits.total && size > bundle->limits.total - bundle->total))
		return PERFDATA_ELIMIT;
	return PERFDATA_OK;
}

/* --- answers ------------------------------------------------------------------------------------------------------ */

static const struct pd_answers_draft *find_draft(const struct perfdata_bundle *bundle,
						 const struct perfdata_bundle_file *file)
{
	for (size_t i = 0; i < bundle->nr_drafts; i++)
		if (pd_answers_draft_is_of(bundle->drafts[i], file->build_id, file->path))
			return bundle->drafts[i];
	return NULL;
}

/* Returns the draft for a dso, which another recording may have begun. NULL: no memory. */
static struct pd_answers_draft *draft_for(struct perfdata_bundle *bundle, const struct perfdata_symbols_dso *dso)
{
	for (size_t i = 0; i < bundle->nr_drafts; i++)
		if (pd_answers_draft_is_of_dso(bundle->drafts[i], dso))
			return bundle->drafts[i];
	struct pd_answers_draft *draft = pd_answers_draft_new(dso);
	if (draft && pd_vector_grow(&bundle->drafts, &bundle->drafts_room, bundle->nr_drafts, sizeof draft) < 0) {
		pd_answers_draft_free(draft);
		return NULL;
	}
	if (draft)
		bundle->drafts[bundle->nr_drafts++] = draft;
	return draft;
}

enum perfdata_status perfdata_bundle_take_answers(struct perfdata_bundle *bundle, struct perfdata_symbols *symbols)
{
	enum perfdata_status status = PERFDATA_OK;
	for (struct perfdata_symbols_dso *dso = pd_symbols_first(symbols); dso && !status; dso = dso->next) {
		/* the bundle has the whole image of the vdso, which is small */
		if (!pd_symbols_were_asked(dso) || dso->request.kind == PERFDATA_DSO_VDSO)
			continue;
		struct pd_answers_draft *draft = draft_for(bundle, dso);
		status = draft ? pd_answers_draft_add(draft, dso) : PERFDATA_ENOMEM;
		bundle->with_tables |= draft && pd_answers_draft_needs_tables(draft);
	}
	return status;
}

const char *perfdata_bundle_library(const struct perfdata_bundle *bundle, const char *path, size_t index)
{
	const struct perfdata_bundle_file archive = { .path = path };
	const struct pd_answers_draft *draft = find_draft(bundle, &archive);
	return draft ? pd_answers_draft_library(draft, index) : NULL;
}

enum perfdata_status perfdata_bundle_add(struct perfdata_bundle *bundle, const struct perfdata_bundle_file *file,
					 struct perfdata_bundle_planned *ret)
{
	char digits[2 * PERFDATA_BUILD_ID_MAX + 1];
	const char *path = file->path + strspn(file->path, "/"), *folder = NULL;
	const bool has_id = file->build_id.size >= 2;
	pd_hex_digits(digits, file->build_id.data,
		      file->build_id.size < PERFDATA_BUILD_ID_MAX ? file->build_id.size : PERFDATA_BUILD_ID_MAX);
	if (!has_id && !pd_is_safe_name(path))
		return PERFDATA_EUSAGE;
	if (has_id && !(folder = folder_of(bundle, file, digits)))
		return PERFDATA_ENOMEM;
	struct entry entry = {
		.type = PD_TAR_FILE,
		.role = file->role,
		.name = has_id ? format_name(bundle, "%s/%s", folder, role_name(file->role))
			       : format_name(bundle, "root/%s", path),
		.file = file->file ? pd_arena_copy(&bundle->arena, file->file, strlen(file->file)) : NULL,
	};
	if (file->role == PERFDATA_BUNDLE_ANSWERED) {
		entry.draft = find_draft(bundle, file);
		entry.name = entry.name && !has_id ? format_name(bundle, "%s.answers", entry.name) : entry.name;
		if (!entry.draft)
			return PERFDATA_ABSENT;
	}
	/* debug information of a program without a build-id: at its path below debug directories */
	if (!has_id && file->role == PERFDATA_BUNDLE_DEBUG && entry.name && find_entry(bundle, entry.name))
		entry.name = format_name(bundle, "%s.debug", path);
	if (!entry.name || (file->file && !entry.file))
		return PERFDATA_ENOMEM;
	const struct entry *known = find_entry(bundle, entry.name);
	enum perfdata_status status = PERFDATA_OK;
	if (known) {
		entry = *known;
	} else {
		status = check_id(bundle, file);
		if (!status)
			status = measure_entry(bundle, &entry);
		if (!status)
			status = add_entry(bundle, &entry);
		if (!status)
			bundle->total += entry.size;
	}
	if (!status && has_id)
		status = add_links(bundle, folder, digits, file->role);
	if (status)
		return status;
	*ret = (struct perfdata_bundle_planned){
		.name = entry.name, .size = entry.size, .parts = entry.parts,
	};
	memcpy(ret->sha256, entry.sha256, sizeof ret->sha256);
	return PERFDATA_OK;
}

enum perfdata_status perfdata_file_sha256(const char *path, const struct perfdata_cancel *cancel,
					  uint8_t ret[PERFDATA_SHA256_SIZE], uint64_t *ret_size)
{
	struct pd_sha256 hash;
	char *block = pd_malloc(BLOCK);
	if (!block)
		return PERFDATA_ENOMEM;
	const int fd = pd_open_regular(path, PD_REGULAR_STORED);
	int64_t size = fd < 0 ? -1 : 1;
	pd_sha256_init(&hash);
	bool ends = false;
	while (size > 0 && !(ends = pd_cancelled(cancel)) &&
	       (size = pd_read_some(fd, block, BLOCK, NULL)) > 0)
		pd_sha256_add(&hash, block, (size_t)size);
	const int error = errno;
	if (fd >= 0)
		close(fd);
	pd_free(block);
	errno = error;
	if (ends)
		return PERFDATA_EINTR;
	if (size < 0)
		return pd_status_of_read(errno);
	*ret_size = hash.size;
	pd_sha256_end(&hash, ret);
	return PERFDATA_OK;
}

/* --- the archive -------------------------------------------------------------------------------------------------- */

static int compare_entries(const void *left, const void *right)
{
	const struct entry *a = left, *b = right;
	return strcmp(a->name, b->name);
}

static enum perfdata_status write_bytes(const struct perfdata_bundle *bundle, const void *bytes, size_t size,
					perfdata_bundle_write_fn *write, void *user)
{
	const char *at = bytes;
	enum perfdata_status status = PERFDATA_OK;
	for (size_t left = size; left && !status;) {
		const size_t part = left < BLOCK ? left : BLOCK;
		const bool ends = pd_cancelled(bundle->limits.cancel);
		status = ends ? PERFDATA_EINTR : write(user, at, part);
		at += part;
		left -= part;
	}
	return status ? status : pd_tar_write_padding(size, write, user);
}

static enum perfdata_status write_file(const struct perfdata_bundle *bundle, const struct entry *entry,
				       perfdata_bundle_write_fn *write, void *user, struct perfdata_error *reterr)
{
	char *content;
	size_t size;
	enum perfdata_status status = read_content(bundle, entry, &content, &size);
	status = status == PERFDATA_ABSENT ? PERFDATA_EREAD : status;
	if (status)
		return pd_error(reterr, status, PERFDATA_NO_OFFSET, "%s: %s", entry->file ? entry->file : entry->name,
				perfdata_status_text(status));
	/* /proc/kallsyms is the same each time, unless a module was loaded or removed */
	uint8_t sha256[PD_SHA256_SIZE];
	status = sum_up(bundle, content, size, sha256);
	if (!status && (size != entry->size || memcmp(sha256, entry->sha256, sizeof sha256) != 0))
		status = pd_error(reterr, PERFDATA_EREAD, PERFDATA_NO_OFFSET, "%s: it changed while it was read",
				  entry->file ? entry->file : entry->name);
	const struct pd_tar_entry header = { .type = PD_TAR_FILE, .name = entry->name, .size = size };
	if (!status)
		status = pd_tar_write_header(&header, write, user);
	if (!status)
		status = write_bytes(bundle, content, size, write, user);
	pd_free(content);
	return status;
}

enum perfdata_status perfdata_bundle_write(struct perfdata_bundle *bundle, const void *manifest, size_t size,
					   perfdata_bundle_write_fn *write, void *user, struct perfdata_error *reterr)
{
	struct perfdata_error why = { .status = PERFDATA_OK };
	const struct pd_tar_entry first = { .type = PD_TAR_FILE, .name = PD_BUNDLE_MANIFEST, .size = size };
	if (bundle->nr)
		qsort(bundle->entries, bundle->nr, sizeof *bundle->entries, compare_entries);
	enum perfdata_status status = pd_tar_write_header(&first, write, user);
	if (!status)
		status = write_bytes(bundle, manifest, size, write, user);
	for (size_t i = 0; i < bundle->nr && !status; i++) {
		const struct entry *entry = &bundle->entries[i];
		const struct pd_tar_entry link = { .type = PD_TAR_LINK, .name = entry->name, .target = entry->target };
		status = entry->type == PD_TAR_LINK ? pd_tar_write_header(&link, write, user)
						    : write_file(bundle, entry, write, user, &why);
	}
	if (!status)
		status = pd_tar_write_end(write, user);
	return pd_error_from(reterr, status, &why);
}
