/* SPDX-License-Identifier: MIT */
/* How much of the weight lies in keys of both sides? If it is little, the sides were built or named differently, so old
 * keys seem removed and new keys expensive. This file proposes to the user which files may be the same, by the names of
 * their functions, but never treats them as the same. */
#include "config.h"
#include <math.h>
#include <string.h>
#include "base/memory.h"
#include "profile/compare_impl.h"

enum { FEW = 10 };                         /* samples; a key with fewer may be missing by chance */
static const double some = 0.1, most = 0.5, file_floor = 0.05, row_floor = 0.001;

/* A file that has samples on one side only. */
struct lone_file {
	const char *name;
	double share;
	bool on[2];
};

struct lone_files {
	struct lone_file *files;
	size_t nr, room;
};

static double share_on(const struct pd_compare_event *event, size_t row, unsigned side)
{
	return pd_compare_share(event, &event->rows[row], PD_SELF, side);
}

/* Returns the share of a side's weight in keys without samples on the other side. */
static double unmatched_share(const struct pd_compare_event *event, unsigned side)
{
	double sum = 0;
	for (size_t i = 0; i < event->nr_rows; i++)
		if (event->rows[i].sums[PD_SELF][side].n >= FEW && !event->rows[i].sums[PD_INCLUSIVE][!side].n)
			sum += share_on(event, i, side);
	return sum;
}

/* Finds files with samples on one side only. A comparison keeps each name once, so equal names have one address. */
static bool find_files(struct pd_compare_work *work, struct lone_files *files, const struct pd_compare_event *event)
{
	for (size_t i = 0; i < event->nr_rows; i++) {
		const struct pd_compare_row *row = &event->rows[i];
		size_t at = 0;
		if (!*row->reported.file || (share_on(event, i, 0) < row_floor && share_on(event, i, 1) < row_floor))
			continue;
		if (!pd_compare_spend(work, files->nr + 1))
			return false;
		while (at < files->nr && files->files[at].name != row->reported.file)
			at++;
		if (at == files->nr) {
			if (pd_vector_grow(&files->files, &files->room, files->nr, sizeof *files->files) < 0)
				return false;
			files->files[files->nr++] = (struct lone_file){ .name = row->reported.file };
		}
		for (unsigned side = 0; side < 2; side++) {
			files->files[at].on[side] |= row->sums[PD_INCLUSIVE][side].n != 0;
			files->files[at].share += share_on(event, i, side);
		}
	}
	return true;
}

/* Returns the share of the weight that two files have in functions of the same names. */
static double common_share(struct pd_compare_work *work, const struct pd_compare_event *event, const char *before,
			   const char *after)
{
	double sum = 0;
	for (size_t i = 0; i < event->nr_rows && pd_compare_spend(work, 1); i++) {
		if (event->rows[i].reported.file != before || share_on(event, i, PD_BEFORE) < row_floor)
			continue;
		if (!pd_compare_spend(work, event->nr_rows))
			break;
		for (size_t o = 0; o < event->nr_rows; o++)
			if (event->rows[o].reported.file == after &&
			    event->rows[o].reported.key == event->rows[i].reported.key)
				sum += fmin(share_on(event, i, PD_BEFORE), share_on(event, o, PD_AFTER));
	}
	return sum;
}

static bool is_lone(const struct lone_file *file, unsigned side)
{
	return file->on[side] && !file->on[!side] && file->share >= file_floor;
}

/* Proposes pairs of files; returns the share of the weight that the pairs have in common. */
static double propose_files(struct perfdata_comparison *comparison, const struct pd_compare_event *event,
			    const struct lone_files *files)
{
	size_t nr[2] = { 0, 0 };
	double common = 0;
	for (size_t i = 0; i < files->nr; i++) {
		nr[PD_BEFORE] += is_lone(&files->files[i], PD_BEFORE);
		nr[PD_AFTER] += is_lone(&files->files[i], PD_AFTER);
	}
	for (size_t i = 0; i < files->nr; i++) {
		const struct lone_file *old = &files->files[i], *found = NULL;
		double best = 0;
		if (!pd_compare_spend(comparison->work, files->nr))
			break;
		for (size_t o = 0; is_lone(old, PD_BEFORE) && o < files->nr; o++) {
			const struct lone_file *new = &files->files[o];
			if (!is_lone(new, PD_AFTER))
				continue;
			const double share = common_share(comparison->work, event, old->name, new->name);
			const bool only = nr[PD_BEFORE] == 1 && nr[PD_AFTER] == 1;
			if (!only && (share <= best || share < most * fmin(old->share, new->share)))
				continue;
			best = share;
			found = new;
		}
		if (!found)
			continue;
		pd_compare_note(comparison, "renamed-file", false,
				"%s: if %.80s was renamed to %.80s, pass --map-dso '%.80s=%.80s'",
				event->reported.name, old->name, found->name, old->name, found->name);
		common += best;
	}
	return common;
}

/* Excludes keys of one side: they are neither compared nor used to measure others. */
static void leave_out(struct pd_compare_event *event)
{
	event->little_matches = true;
	for (size_t i = 0; i < event->nr_rows; i++) {
		const struct pd_share_sums *sums = event->rows[i].sums[PD_INCLUSIVE];
		event->rows[i].unmatched = (sums[0].n >= FEW || sums[1].n >= FEW) && (!sums[0].n || !sums[1].n);
	}
}

static bool is_on_one_side(const struct pd_compare_row *row, unsigned side)
{
	return row->sums[PD_INCLUSIVE][side].n && !row->sums[PD_INCLUSIVE][!side].n;
}

/* Excludes the functions of a file that has names on one side only: they are the same code as "(unnamed)" on the other
 * side, so they are neither new nor gone. */
static void leave_out_unnamed(struct perfdata_comparison *comparison, struct pd_compare_event *event)
{
	for (size_t i = 0; i < event->nr_rows; i++) {
		const struct pd_compare_row *unnamed = &event->rows[i];
		const unsigned side = unnamed->sums[PD_INCLUSIVE][PD_AFTER].n ? PD_AFTER : PD_BEFORE;
		bool is_named = false;
		if (strcmp(unnamed->reported.key, "(unnamed)") != 0 || !*unnamed->reported.file ||
		    !is_on_one_side(unnamed, side))
			continue;
		if (!pd_compare_spend(comparison->work, event->nr_rows))
			return;
		for (size_t o = 0; o < event->nr_rows; o++) {
			struct pd_compare_row *named = &event->rows[o];
			if (o == i || named->reported.file != unnamed->reported.file || !is_on_one_side(named, !side))
				continue;
			is_named = named->unmatched = true;
		}
		if (!is_named)
			continue;
		event->rows[i].unmatched = true;
		pd_compare_note(comparison, "named-on-one-side", false,
				"%s: only the recordings %s have names for %.80s: its functions are not compared",
				event->reported.name, side == PD_AFTER ? "before" : "after", unnamed->reported.file);
	}
}

bool pd_compare_check_match(struct perfdata_comparison *comparison, struct pd_compare_event *event)
{
	leave_out_unnamed(comparison, event);
	const double before = unmatched_share(event, PD_BEFORE), after = unmatched_share(event, PD_AFTER);
	struct lone_files files = { 0 };
	if (fmin(before, after) < some)
		return comparison->work->status == PERFDATA_OK;
	const bool fine = find_files(comparison->work, &files, event);
	const double common = fine ? propose_files(comparison, event, &files) : 0;
	event->shares_little = fmin(before, after) >= most || common >= some;
	pd_compare_note(comparison, "matched", event->shares_little,
			"%s: little matches: common functions have %.1f %% of the weight before and %.1f %% after",
			event->reported.name, fmax(0, 1 - before) * 100, fmax(0, 1 - after) * 100);
	if (comparison->nr_notes && comparison->notes[comparison->nr_notes - 1].is_reason)
		leave_out(event);
	pd_free(files.files);
	return fine && comparison->work->status == PERFDATA_OK;
}
