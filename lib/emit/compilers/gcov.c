/* SPDX-License-Identifier: MIT */
/* `gcov`: AutoFDO's profile in the gcov format, version 2, for gcc -fauto-profile. It consists of 4-byte words, little
 * endian: header, names, functions with their lines, call targets and inlined calls, an empty list of modules, and the
 * working set. Lists begin with their length, so the profile is walked twice: to count and to write. */
#include "config.h"
#include <stdlib.h>
#include <string.h>
#include "base/account.h"
#include "base/cursor.h"
#include "base/hash.h"
#include "base/memory.h"
#include "emit/compilers/line_gather.h"
#include "emit/emitters.h"
#include "session/session.h"

enum {
	GCOV_MAGIC = 0x67636461,    /* "gcda" */
	GCOV_VERSION = 2,
	INDIRECT_CALL = 7,          /* kind of histogram for targets of calls */
	WORKING_SETS = 128,
	MOST_DEPTH = 64,            /* of inlined calls; line_profile.c has the same limit */
};
#define TAG_NAMES       0xaa000000u
#define TAG_FUNCTIONS   0xac000000u
#define TAG_MODULES     0xae000000u
#define TAG_WORKING_SET 0xaf000000u

/* A function or an inlined call. */
struct body {
	uint32_t lines, calls;
};
struct line {
	uint64_t count;
	uint32_t targets;
};
struct name {
	const char *text;
	uint32_t id;
};

struct state {
	struct line_gather lines;
	struct pd_intern *names;
	struct name *sorted;
	uint32_t *ranks;            /* by id of the name */
	struct body *bodies;        /* in the order of the profile, like `counts` */
	size_t nr_bodies, bodies_room;
	struct line *counts;
	size_t nr_lines, lines_room;
	size_t around[MOST_DEPTH];  /* index of the enclosing body at each depth */
	uint32_t nr_functions;
	uint64_t words;             /* size of all functions */
	size_t accounted;
	bool failed;
	struct perfdata_text *out;
};

static const struct perfdata_emitter_option options[] = {
	BRANCH_OPTION_PROGRAM,
	{ 0 },
};

BRANCH_BEGIN(state, PD_BRANCHES_SECTIONS, PD_BRANCHES_STACKS)

static enum perfdata_status charge(struct state *state)
{
	struct pd_account *account = state->lines.gather.session->account;
	const size_t names = state->sorted ? pd_intern_count(state->names) : 0;
	const size_t memory = state->bodies_room * sizeof *state->bodies + state->lines_room * sizeof *state->counts +
			      names * (sizeof *state->sorted + sizeof *state->ranks);
	pd_account_change(account, PD_USE_PROFILE, state->accounted, memory);
	state->accounted = memory;
	return pd_account_is_exhausted(account) ? PERFDATA_ENOMEM : PERFDATA_OK;
}

/* --- counting ----------------------------------------------------------------------------------------------------- */

static void count_name(struct state *state, const char *name)
{
	if (pd_intern_put(state->names, name, strlen(name)) == UINT32_MAX)
		state->failed = true;
}

static void count_function(void *user, unsigned depth, uint32_t line, uint32_t discriminator, const char *name,
			   uint64_t total, uint64_t head)
{
	struct state *state = user;
	(void)line, (void)discriminator, (void)total, (void)head;
	count_name(state, name);
	if (depth >= MOST_DEPTH ||
	    pd_vector_grow(&state->bodies, &state->bodies_room, state->nr_bodies, sizeof *state->bodies) < 0)
		state->failed = true;
	if (!state->failed && state->nr_bodies % 4096 == 0 && charge(state))
		state->failed = true;
	if (state->failed)
		return;
	if (depth)
		state->bodies[state->around[depth - 1]].calls++;
	else
		state->nr_functions++;
	state->words += depth ? 4 : 5;
	state->around[depth] = state->nr_bodies;
	state->bodies[state->nr_bodies++] = (struct body){ 0 };
}

static void count_line(void *user, unsigned depth, uint32_t line, uint32_t discriminator, uint64_t count)
{
	struct state *state = user;
	(void)line, (void)discriminator;
	if (pd_vector_grow(&state->counts, &state->lines_room, state->nr_lines, sizeof *state->counts) < 0)
		state->failed = true;
	if (state->failed)
		return;
	state->words += 4;
	state->bodies[state->around[depth]].lines++;
	state->counts[state->nr_lines++] = (struct line){ .count = count };
}

static void count_target(void *user, const char *name, uint64_t count)
{
	struct state *state = user;
	(void)count;
	count_name(state, name);
	if (state->failed)
		return;
	state->words += 5;
	state->counts[state->nr_lines - 1].targets++;
}

static void end_line(void *user) { (void)user; }

static int compare_names(const void *left, const void *right)
{
	const struct name *a = left, *b = right;
	return strcmp(a->text, b->text);
}

static enum perfdata_status sort_names(struct state *state)
{
	const uint32_t nr = pd_intern_count(state->names);
	state->sorted = pd_calloc(nr, sizeof *state->sorted);
	state->ranks = pd_calloc(nr, sizeof *state->ranks);
	if (!state->sorted || !state->ranks)
		return PERFDATA_ENOMEM;
	for (uint32_t i = 0; i < nr; i++)
		state->sorted[i] = (struct name){ pd_intern_get(state->names, i, NULL), i };
	qsort(state->sorted, nr, sizeof *state->sorted, compare_names);
	for (uint32_t i = 0; i < nr; i++)
		state->ranks[state->sorted[i].id] = i;
	return charge(state);
}

/* --- writing ------------------------------------------------------------------------------------------------------ */

static void put_word(struct perfdata_text *out, uint32_t word)
{
	word = pd_little32(word);
	perfdata_text_append(out, &word, sizeof word);
}

static void put_counter(struct perfdata_text *out, uint64_t count)
{
	put_word(out, (uint32_t)count);
	put_word(out, (uint32_t)(count >> 32));
}

static uint32_t rank_of(struct state *state, const char *name)
{
	return state->ranks[pd_intern_put(state->names, name, strlen(name))];
}

static void put_function(void *user, unsigned depth, uint32_t line, uint32_t discriminator, const char *name,
			 uint64_t total, uint64_t head)
{
	struct state *state = user;
	const struct body *body = &state->bodies[state->nr_bodies++];
	(void)total;
	perfdata_text_cut(state->out);
	if (depth)
		put_word(state->out, line << 16 | discriminator);
	else
		put_counter(state->out, head);
	put_word(state->out, rank_of(state, name));
	put_word(state->out, body->lines);
	put_word(state->out, body->calls);
}

static void put_line(void *user, unsigned depth, uint32_t line, uint32_t discriminator, uint64_t count)
{
	struct state *state = user;
	(void)depth;
	put_word(state->out, line << 16 | discriminator);
	put_word(state->out, state->counts[state->nr_lines++].targets);
	put_counter(state->out, count);
}

static void put_target(void *user, const char *name, uint64_t count)
{
	struct state *state = user;
	put_word(state->out, INDIRECT_CALL);
	put_counter(state->out, rank_of(state, name));
	put_counter(state->out, count);
}

/* A string has its length, including the NUL, and no padding. */
static void put_names(struct state *state)
{
	const uint32_t nr = pd_intern_count(state->names);
	uint64_t size = 4;
	for (uint32_t i = 0; i < nr; i++)
		size += 4 + strlen(state->sorted[i].text) + 1;
	put_word(state->out, TAG_NAMES);
	put_word(state->out, (uint32_t)((size + 3) / 4));
	put_word(state->out, nr);
	for (uint32_t i = 0; i < nr; i++) {
		const size_t length = strlen(state->sorted[i].text) + 1;
		put_word(state->out, (uint32_t)length);
		perfdata_text_append(state->out, state->sorted[i].text, length);
		perfdata_text_cut(state->out);
	}
}

static int compare_lines(const void *left, const void *right)
{
	const struct line *a = left, *b = right;
	return a->count > b->count ? -1 : a->count < b->count;
}

/* Writes, for each multiple of 1/128 of all counts, how many of the hottest lines reach it, and the count of the last
 * of these lines. Sorts the lines. */
static void put_working_set(struct state *state)
{
	uint64_t all = 0, sum = 0;
	size_t nr = 0;
	qsort(state->counts, state->nr_lines, sizeof *state->counts, compare_lines);
	for (size_t i = 0; i < state->nr_lines; i++)
		all += state->counts[i].count;
	put_word(state->out, TAG_WORKING_SET);
	put_word(state->out, 3 * WORKING_SETS);
	for (unsigned i = 1; i <= WORKING_SETS; i++) {
		const uint64_t wanted = all / WORKING_SETS * i + all % WORKING_SETS * i / WORKING_SETS;
		while (nr < state->nr_lines && sum < wanted)
			sum += state->counts[nr++].count;
		put_word(state->out, (uint32_t)nr);
		put_counter(state->out, nr ? state->counts[nr - 1].count : 0);
	}
}

static void put_profile(struct state *state)
{
	static const struct pd_line_writer writer = { put_function, put_line, put_target, end_line };
	put_word(state->out, GCOV_MAGIC);
	put_word(state->out, GCOV_VERSION);
	put_word(state->out, 0);
	put_names(state);
	put_word(state->out, TAG_FUNCTIONS);
	put_word(state->out, (uint32_t)(1 + state->words));
	put_word(state->out, state->nr_functions);
	state->nr_bodies = state->nr_lines = 0;
	pd_line_profile_write(state->lines.profile, &writer, state);
	put_word(state->out, TAG_MODULES);
	put_word(state->out, 0);
	put_word(state->out, 0);
	put_working_set(state);
}

static enum perfdata_status end_output(void *pointer, const struct perfdata_emit_end *end, struct perfdata_text *out)
{
	static const struct pd_line_writer counter = { count_function, count_line, count_target, end_line };
	struct state *state = pointer;
	enum perfdata_status status = pd_line_gather_finish(&state->lines, PD_LINES_GCC, out, end->reterr);
	if (status)
		return status;
	state->out = out;
	state->names = pd_intern_new();
	if (!state->names)
		return PERFDATA_ENOMEM;
	count_name(state, "");   /* every gcov file begins with an empty name */
	pd_line_profile_write(state->lines.profile, &counter, state);
	status = state->failed ? PERFDATA_ENOMEM : charge(state);
	if (!status)
		status = sort_names(state);
	if (status)
		return status;
	put_profile(state);
	return perfdata_text_failed(out) ? PERFDATA_ENOMEM : PERFDATA_OK;
}

static void release_state(void *pointer)
{
	struct state *state = pointer;
	if (state) {
		if (state->accounted)
			pd_account_give(state->lines.gather.session->account, PD_USE_PROFILE, state->accounted);
		pd_intern_free(state->names);
		pd_free(state->sorted);
		pd_free(state->ranks);
		pd_free(state->bodies);
		pd_free(state->counts);
	}
	pd_line_gather_release(state);
}

const struct perfdata_emitter pd_emitter_gcov = {
	.name = "gcov",
	.help = "AutoFDO's profile of a program as gcov file of version 2, for gcc -fauto-profile",
	.flags = PERFDATA_EMITTER_SYMBOLS | PERFDATA_EMITTER_ONE_DOCUMENT,
	BRANCH_EMITTER_BUT_RELEASE,
	.release = release_state,
};
