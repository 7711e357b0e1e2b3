/* SPDX-License-Identifier: MIT */
/* The calling thread takes lines from the fold, puts their labels into pieces of a ring, and appends texts of pieces to
 * the output; all threads format pieces. Numbers of pieces only grow: written <= claimed <= filled. */
#include "config.h"
#include <string.h>
#include "base/memory.h"
#include "base/threads.h"
#include "emit/profiles/folded_lines.h"

/* A piece has at least so much text. The pieces of a thread fit into a second-level cache, and take few new pages. */
#define PIECE_BYTES ((size_t)64 << 10)
#define PIECES_OF_THREAD 3u
#define MOST_OF_WEIGHT 24u           /* a space, 20 digits and the end of the line */

enum piece_state { FREE, FILLED, FORMATTING, FORMATTED };
struct piece {
	enum piece_state state;
	uint32_t *words;                /* for each line: number of labels, weight (low, high), labels */
	size_t nr_words, room;
	size_t most_text;               /* most bytes of the text */
	struct perfdata_text text;
};
struct lines {
	struct pd_fold *fold;
	const struct pd_profile *profile;
	const struct folded_name *names;
	struct perfdata_text *out;
	enum perfdata_status status;    /* of the fold; PERFDATA_END: it has no more lines */
	struct pd_monitor *monitor;
	/* guarded by the monitor; the contents of a piece belong to the thread that fills, formats or writes it */
	struct piece *pieces;
	unsigned nr_pieces;
	uint64_t filled, claimed, written;
	bool ended;                     /* threads leave */
};

static struct piece *piece_of(const struct lines *lines, uint64_t number)
{
	return &lines->pieces[number % lines->nr_pieces];
}

/* --- a piece ------------------------------------------------------------------------------------------------------ */

/* Appends a line to the words of a piece. */
static bool put_line(const struct lines *lines, struct piece *piece, const struct pd_line *line)
{
	const size_t size = 3 + line->nr;
	if (pd_vector_grow(&piece->words, &piece->room, piece->nr_words + size, sizeof *piece->words) < 0)
		return false;
	uint32_t *words = &piece->words[piece->nr_words];
	words[0] = (uint32_t)line->nr;
	words[1] = (uint32_t)line->weight;
	words[2] = (uint32_t)(line->weight >> 32);
	memcpy(words + 3, line->labels, line->nr * sizeof *words);
	piece->nr_words += size;
	piece->most_text += MOST_OF_WEIGHT + line->nr;
	for (size_t i = 0; i < line->nr; i++)
		piece->most_text += lines->names[line->labels[i]].size;
	return true;
}

static void fill_piece(struct lines *lines, struct piece *piece)
{
	struct pd_line line;
	piece->nr_words = piece->most_text = 0;
	while (piece->most_text < PIECE_BYTES && lines->status == PERFDATA_OK) {
		if (pd_profile_is_cancelled(lines->profile))
			lines->status = PERFDATA_EINTR;
		else
			lines->status = pd_fold_next(lines->fold, &line);
		if (lines->status == PERFDATA_OK && !put_line(lines, piece, &line))
			lines->status = PERFDATA_ENOMEM;
	}
}

static void format_piece(const struct folded_name *names, const struct piece *piece, struct perfdata_text *out)
{
	char *at = perfdata_text_reserve(out, piece->most_text);
	if (!at)
		return;
	for (const uint32_t *words = piece->words, *end = words + piece->nr_words; words < end;) {
		const size_t nr = words[0];
		const uint64_t weight = (uint64_t)words[2] << 32 | words[1];
		words += 3;
		for (size_t i = 0; i < nr; i++) {
			const struct folded_name *name = &names[*words++];
			memcpy(at, name->text, name->size);
			at += name->size;
			*at++ = ';';
		}
		at[-1] = ' ';
		perfdata_text_commit(out, at);
		perfdata_text_u64(out, weight);
		perfdata_text_char(out, '\n');
		at = out->data + out->size;
	}
}

/* Moves the text of a piece to the output: the output gets its buffer if possible. */
static void append_text(struct perfdata_text *out, struct perfdata_text *text)
{
	if (out->size)
		perfdata_text_leave(out);
	if (out->outlet && !out->size && !perfdata_text_failed(out)) {
		const struct perfdata_text before = *out;
		out->data = text->data;
		out->size = text->size;
		out->capacity = text->capacity;
		text->data = before.data;
		text->capacity = before.capacity;
	} else {
		perfdata_text_append(out, text->data, text->size);
	}
	perfdata_text_clear(text);
	perfdata_text_cut(out);
}

/* --- threads ------------------------------------------------------------------------------------------------------ */

/* Called inside the monitor: formats the next piece that no thread has claimed. */
static void format_next(struct lines *lines)
{
	struct piece *piece = piece_of(lines, lines->claimed++);
	piece->state = FORMATTING;
	pd_monitor_leave(lines->monitor);
	format_piece(lines->names, piece, &piece->text);
	pd_monitor_enter(lines->monitor);
	piece->state = FORMATTED;
	pd_monitor_wake(lines->monitor);
}

static void format_pieces(void *user, unsigned thread)
{
	struct lines *lines = user;
	(void)thread;
	pd_monitor_enter(lines->monitor);
	while (!lines->ended)
		if (lines->claimed < lines->filled)
			format_next(lines);
		else
			pd_monitor_wait(lines->monitor);
	pd_monitor_leave(lines->monitor);
}

/* Called inside the monitor, by the calling thread. */
static void write_piece(struct lines *lines)
{
	struct piece *piece = piece_of(lines, lines->written);
	pd_monitor_leave(lines->monitor);
	if (perfdata_text_failed(&piece->text))
		lines->status = PERFDATA_ENOMEM;
	else
		append_text(lines->out, &piece->text);
	pd_monitor_enter(lines->monitor);
	piece->state = FREE;
	lines->written++;
}

static void fill_next(struct lines *lines)
{
	struct piece *piece = piece_of(lines, lines->filled);
	pd_monitor_leave(lines->monitor);
	fill_piece(lines, piece);
	pd_monitor_enter(lines->monitor);
	piece->state = FILLED;
	lines->filled++;
	pd_monitor_wake(lines->monitor);
}

/* What the calling thread does until all lines are written. */
static void pass_lines(struct lines *lines)
{
	pd_monitor_enter(lines->monitor);
	while (lines->status == PERFDATA_OK || (lines->status == PERFDATA_END && lines->written < lines->filled)) {
		if (lines->written < lines->claimed && piece_of(lines, lines->written)->state == FORMATTED)
			write_piece(lines);
		else if (lines->status == PERFDATA_OK && lines->filled - lines->written < lines->nr_pieces)
			fill_next(lines);
		else if (lines->claimed < lines->filled)
			format_next(lines);
		else
			pd_monitor_wait(lines->monitor);
	}
	lines->ended = true;
	pd_monitor_wake(lines->monitor);
	pd_monitor_leave(lines->monitor);
}

static void format_in_threads(struct lines *lines, unsigned jobs)
{
	lines->nr_pieces = PIECES_OF_THREAD * jobs;
	lines->pieces = pd_calloc(lines->nr_pieces, sizeof *lines->pieces);
	lines->monitor = pd_monitor_new();
	if (lines->pieces && lines->monitor) {
		struct pd_team *team = pd_team_start(jobs - 1, format_pieces, lines);
		pass_lines(lines);
		pd_team_join(team);
	} else {
		lines->status = PERFDATA_ENOMEM;
	}
	pd_monitor_free(lines->monitor);
	for (unsigned i = 0; lines->pieces && i < lines->nr_pieces; i++) {
		pd_free(lines->pieces[i].words);
		perfdata_text_release(&lines->pieces[i].text);
	}
	pd_free(lines->pieces);
}

static void format_alone(struct lines *lines)
{
	struct piece piece = { 0 };
	while (lines->status == PERFDATA_OK) {
		fill_piece(lines, &piece);
		format_piece(lines->names, &piece, lines->out);
		perfdata_text_cut(lines->out);
	}
	pd_free(piece.words);
}

enum perfdata_status pd_folded_lines(struct pd_fold *fold, const struct pd_profile *profile,
				     const struct folded_name *names, unsigned jobs, struct perfdata_text *out)
{
	struct lines lines = { .fold = fold, .profile = profile, .names = names, .out = out };
	if (jobs > 1)
		format_in_threads(&lines, jobs);
	else
		format_alone(&lines);
	if (lines.status != PERFDATA_END)
		return lines.status;
	return perfdata_text_failed(out) ? PERFDATA_ENOMEM : PERFDATA_OK;
}
