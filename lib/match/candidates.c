/* SPDX-License-Identifier: MIT */
/* Decides whether a file is the wanted one, and whether it is better than the files found before. */
#include "config.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "base/error.h"
#include "base/fdio.h"
#include "base/port.h"
#include "match/match.h"

#define NAMES ((uint32_t)(PERFDATA_PART_SYMTAB | PERFDATA_PART_DWARF | PERFDATA_PART_MINIDEBUG))

/* Ranks results: the recorded file is better than any other, a known identity better than an unknown one. */
static unsigned rank_of(enum perfdata_match_state state)
{
	static const unsigned ranks[] = {
		[PERFDATA_MATCH_SAME] = 9,    [PERFDATA_MATCH_MOVED] = 8,   [PERFDATA_MATCH_UNVERIFIED] = 7,
		[PERFDATA_MATCH_DIFFERS] = 6, [PERFDATA_MATCH_NO_NOTE] = 5, [PERFDATA_MATCH_UNREADABLE] = 4,
		[PERFDATA_MATCH_UNKNOWN] = 3, [PERFDATA_MATCH_ABSENT] = 2,  [PERFDATA_MATCH_MEMORY] = 1,
	};
	return ranks[state];
}

const char *pd_shown_path(struct perfdata_match *match, const struct pd_source *source, const char *real)
{
	const size_t size = strlen(source->path), real_size = strlen(real);
	const size_t kept = size && source->path[size - 1] == '/' ? size - 1 : size;
	char *shown = pd_arena_alloc(&match->arena, kept + real_size + 1);
	if (!shown) {
		match->failure = PERFDATA_ENOMEM;
		return "";
	}
	memcpy(shown, source->path, kept);
	memcpy(shown + kept, real, real_size + 1);
	return shown;
}

const struct pd_build_id *pd_lookup_id(const struct pd_lookup *lookup, struct pd_build_id *room)
{
	const struct perfdata_match_result *result = lookup->result;
	if (lookup->id.size || result->state != PERFDATA_MATCH_UNVERIFIED)
		return &lookup->id;
	room->size = result->build_id.size;
	if (room->size)
		memcpy(room->bytes, result->build_id.data, room->size);
	return room;
}

static struct perfdata_bytes copy_id(struct perfdata_match *match, const struct pd_build_id *id)
{
	if (!id || !id->size)
		return (struct perfdata_bytes){ NULL, 0 };
	const char *copy = pd_arena_copy(&match->arena, id->bytes, id->size);
	if (!copy)
		match->failure = PERFDATA_ENOMEM;
	return (struct perfdata_bytes){ (const uint8_t *)copy, copy ? id->size : 0 };
}

bool pd_take_result(struct pd_lookup *lookup, struct pd_source *source, enum perfdata_match_state state,
		    const char *shown, const struct pd_build_id *id, uint32_t parts, const char *reason)
{
	struct perfdata_match_result *result = lookup->result;
	const unsigned rank = rank_of(state);
	if (rank <= lookup->rank)
		return false;
	lookup->rank = rank;
	lookup->found_parts = parts;
	result->state = state;
	result->found = shown;
	result->build_id = copy_id(lookup->match, id);
	result->reason = reason;
	result->source = (size_t)(source - lookup->match->sources);
	return true;
}

/* Takes a file with the right build-id: the recorded file or its separate debug file. Each may have parts of its
 * own. */
static void take_right_file(struct pd_lookup *lookup, struct pd_source *source, const char *shown,
			    const struct pd_elf_facts *facts, enum perfdata_match_state state)
{
	struct perfdata_match_result *result = lookup->result;
	const char *before = lookup->rank >= rank_of(PERFDATA_MATCH_MOVED) ? result->found : NULL;
	const uint32_t parts_before = lookup->found_parts;
	if (before && !strcmp(before, shown))
		return;
	source->nr_found++;
	/* a file replaces a list or recording, which only repeats the build-id */
	if (before && (parts_before & PERFDATA_PART_UNSEEN ||
		       (facts->parts & PERFDATA_PART_TEXT && !(parts_before & PERFDATA_PART_TEXT)))) {
		const enum perfdata_match_state better = rank_of(state) > lookup->rank ? state : result->state;
		lookup->rank = 0;
		(void)pd_take_result(lookup, source, better, shown, &facts->id, facts->parts, NULL);
		if (parts_before & NAMES & ~facts->parts)
			result->debug = before;
	} else if (!pd_take_result(lookup, source, state, shown, &facts->id, facts->parts, NULL)) {
		if (!result->debug && facts->parts & NAMES & ~result->parts)
			result->debug = shown;
	} else if (before && parts_before & NAMES && !(facts->parts & NAMES)) {
		result->debug = before;
	}
	result->parts = (result->parts | facts->parts) & ~(uint32_t)PERFDATA_PART_UNSEEN;
}

/* Takes a file without proof, since no build-id was recorded: compares inode number, device and times of the file at
 * the recorded path. */
static void take_unproven(struct pd_lookup *lookup, struct pd_source *source, const char *shown,
			  const struct pd_elf_facts *facts, const struct stat *st)
{
	const struct perfdata_match_wanted *wanted = lookup->wanted;
	struct perfdata_match_result *result = lookup->result;
	const bool here = source->kind == PERFDATA_SOURCE_HOST && st;
	const char *reason = "no build-id was recorded, and nothing else to check a copy by";
	bool identified = false, other = false;
	if (here && wanted->inode && st->st_ino != wanted->inode) {
		other = true;
		reason = "no build-id was recorded, and another file is there now (inode number)";
	} else if (here && wanted->inode &&
		   pd_is_other_device(shown, st, wanted->device_major, wanted->device_minor)) {
		other = true;
		reason = "no build-id was recorded, and another file is there now (device)";
	} else if (here && wanted->inode && wanted->unchanged_since == INT64_MAX) {
		reason = "no build-id was recorded; the inode number agrees, the time of the recording is unknown";
	} else if (here && wanted->inode && pd_nanoseconds(pd_changed(st)) > wanted->unchanged_since) {
		other = true;
		reason = "no build-id was recorded, and the file was changed since";
	} else if (here && wanted->inode) {
		identified = true;
		reason = "no build-id was recorded; inode number and time agree";
	}
	if (!pd_take_result(lookup, source, other ? PERFDATA_MATCH_UNKNOWN : PERFDATA_MATCH_UNVERIFIED, shown,
			    &facts->id, facts->parts, reason))
		return;
	source->nr_found++;
	result->identified = identified;
	result->parts = other ? 0 : facts->parts;
}

static void note_links(struct pd_lookup *lookup, const char *real, const struct pd_elf_facts *facts)
{
	if (facts->debug_link[0] && !lookup->debug_link[0]) {
		strcpy(lookup->debug_link, facts->debug_link);
		strcpy(lookup->text_path, real);
	}
	if (facts->alt_link[0] && !lookup->alt_link[0]) {
		strcpy(lookup->alt_link, facts->alt_link);
		strcpy(lookup->alt_from, real);
		lookup->alt_id = facts->alt_id;
	}
}

static bool judge_candidate(struct pd_lookup *lookup, struct pd_source *source, const char *shown,
			    const struct pd_elf_facts *facts, bool at_path, const struct stat *st)
{
	struct pd_build_id room;
	const struct pd_build_id *id = pd_lookup_id(lookup, &room);
	if (id->size && pd_same_build_id(id, &facts->id)) {
		if (lookup->id.size) {
			take_right_file(lookup, source, shown, facts,
					at_path ? PERFDATA_MATCH_SAME : PERFDATA_MATCH_MOVED);
		} else if (strcmp(shown, lookup->result->found) != 0) {
			/* the debug file of a file that may not be the recorded one */
			if (facts->parts & NAMES & ~lookup->result->parts && !lookup->result->debug)
				lookup->result->debug = shown;
			lookup->result->parts |= facts->parts;
		}
		return true;
	}
	if (!at_path)
		return false;
	if (!lookup->id.size)
		take_unproven(lookup, source, shown, facts, st);
	else if (facts->id.size)
		source->nr_found += pd_take_result(lookup, source, PERFDATA_MATCH_DIFFERS, shown, &facts->id,
						   facts->parts, "another build-id");
	else
		source->nr_found += pd_take_result(lookup, source, PERFDATA_MATCH_NO_NOTE, shown, NULL, facts->parts,
						   "the file there has no build-id");
	return !lookup->id.size;
}

bool pd_consider_facts(struct pd_lookup *lookup, struct pd_source *source, const char *shown,
		       const struct pd_elf_facts *facts, bool at_path)
{
	return judge_candidate(lookup, source, shown, facts, at_path, NULL);
}

static const char *reason_of_errno(int error)
{
	switch (error) {
	case EINVAL: return "no regular file";
	case EACCES:
	case EPERM: return "no permission to read it";
	case ELOOP: return "links lead in circles";
	case EMFILE:
	case ENFILE: return "too many open files";
	case ENOMEM: return "out of memory";
	case EIO: return "input/output error";
	default: return "it cannot be opened";
	}
}

/* Opens the file at a path of a source. Of ARCHIVE!/ENTRY, where no such file is, opens the archive; *ret_entry is then
 * ENTRY, else NULL. */
static int open_candidate(const struct pd_source *source, const char *path, char real[PD_ROOTED_PATH],
			  const char **ret_entry)
{
	char archive[PD_ROOTED_PATH];
	const char *entry = pd_archive_entry_name(path);
	const int fd = pd_source_open(source, path, PD_REGULAR_STORED, real);
	*ret_entry = NULL;
	if (fd >= 0 || !entry || (errno != ENOENT && errno != ENOTDIR) || (size_t)(entry - path) > sizeof archive)
		return fd;
	snprintf(archive, sizeof archive, "%.*s", (int)(entry - path - 2), path);
	*ret_entry = entry;
	return pd_source_open(source, archive, PD_REGULAR_STORED, real);
}

static enum perfdata_status read_candidate(const struct pd_lookup *lookup, int fd, const char *entry,
					   struct pd_elf_facts *ret)
{
	const enum perfdata_status status = pd_elf_facts_stored(fd, entry, lookup->match->options.cancel, ret);
	if (entry || status != PERFDATA_EFORMAT || !pd_is_archive(fd))
		return status;
	/* archives contain libraries, and so code, but have no build-id */
	*ret = (struct pd_elf_facts){ .parts = PERFDATA_PART_TEXT };
	return PERFDATA_OK;
}

bool pd_consider(struct pd_lookup *lookup, struct pd_source *source, const char *path, bool at_path)
{
	char real[PD_ROOTED_PATH];
	const char *entry;
	struct pd_elf_facts facts;
	struct stat st;
	const int fd = open_candidate(source, path, real, &entry);
	if (fd < 0 || pd_fstat(fd, &st)) {
		const int error = errno;
		if (fd >= 0)
			close(fd);
		pd_keep_failure(&lookup->match->failure, pd_status_of_errno(error));
		if (at_path && error != ENOENT && error != ENOTDIR)
			(void)pd_take_result(lookup, source, PERFDATA_MATCH_UNREADABLE,
					     pd_shown_path(lookup->match, source, path), NULL, 0,
					     reason_of_errno(error));
		return false;
	}
	const enum perfdata_status status = read_candidate(lookup, fd, entry, &facts);
	const int error = errno;
	close(fd);
	/* people read of the library, not of the archive that has it */
	const size_t size = strlen(real);
	if (entry && size < sizeof real)
		snprintf(real + size, sizeof real - size, "!/%s", entry);
	pd_keep_failure(&lookup->match->failure, status);
	if (status) {
		/* an archive without that library is as a folder without that file */
		if (at_path && status != PERFDATA_ABSENT)
			(void)pd_take_result(lookup, source, PERFDATA_MATCH_UNREADABLE,
					     pd_shown_path(lookup->match, source, real), NULL, 0,
					     status == PERFDATA_EFORMAT ? "no ELF file" : reason_of_errno(error));
		return false;
	}
	if (!judge_candidate(lookup, source, pd_shown_path(lookup->match, source, real), &facts, at_path, &st))
		return false;
	note_links(lookup, real, &facts);
	return true;
}
