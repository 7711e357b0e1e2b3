/* SPDX-License-Identifier: MIT */
/* `folded`: a line for each distinct stack with its weight, root first, for flame graph tools: COMM;FRAME;FRAME WEIGHT.
 * With several events, lines begin with the event's name, so that weights of different events are not added up. Stacks
 * with equal text, such as stacks that differ by an offset in a function, are one line. Lines are sorted by their
 * bytes. */
#include "config.h"
#include "emit/stacks/stack_gather.h"
#include <stdlib.h>
#include "base/hash.h"
#include "base/memory.h"
#include "base/threads.h"
#include "emit/emitters.h"
#include "emit/profiles/folded_lines.h"
#include "profile/fold.h"
#include "session/session.h"
#include "text/spelling.h"

struct state {
	struct stack_gather gather;
	bool with_addresses, with_inlines;
	struct pd_monitor *lock;       /* protects names and text while threads ask for labels */
	struct pd_intern *names;       /* texts between semicolons; a node's label is the id of its text */
	struct perfdata_text text;     /* of one frame */
	/* by thread, then by address of the name of a symbol or file, which lives as long as the session: its label */
	struct pd_hash_map known[PD_FOLD_MAX_THREADS];
	/* by label: rank of the text in the order of lines, before a semicolon and as the last text of a line */
	uint32_t *ranks;
	uint8_t *seen;                 /* by label: bits of enum stack_seen, and KNOWN; 0: not computed yet */
	size_t seen_room;
	bool failed;                   /* memory for `seen` ran out */
};

enum { KNOWN = 128 };

static const struct perfdata_emitter_option options[] = {
	{ .name = "weight", .kind = PERFDATA_OPTION_CHOICE, .argument = "samples|period|wall|off-cpu|both",
	  .help = "weight of a sample; default samples, or wall if time off the CPU was recorded" },
	STACK_OPTIONS_STATE,
	{ .name = "inline", .kind = PERFDATA_OPTION_FLAG,
	  .help = "show inlined functions (default; --no-inline leaves them out)" },
	{ .name = "addresses", .kind = PERFDATA_OPTION_FLAG,
	  .help = "write frames without a name as PATH+0xADDRESS, for perfdata symbolize" },
	STACK_OPTIONS_CHOICE,
	STACK_OPTION_TRUNCATED,
	{ 0 },
};

static void release_state(void *state)
{
	struct state *folded = state;
	if (!folded)
		return;
	pd_stack_gather_release(&folded->gather);
	pd_monitor_free(folded->lock);
	pd_intern_free(folded->names);
	for (unsigned i = 0; i < PD_FOLD_MAX_THREADS; i++)
		pd_hash_map_release(&folded->known[i]);
	pd_free(folded->ranks);
	pd_free(folded->seen);
	perfdata_text_release(&folded->text);
	pd_free(folded);
}

/* Inlined calls are added to chains only, so most recordings of tracepoints need no debug information. */
static bool may_have_chains(const struct perfdata_reader *reader)
{
	const uint64_t chains = PERFDATA_SAMPLE_CALLCHAIN | PERFDATA_SAMPLE_BRANCH_STACK | PERFDATA_SAMPLE_STACK_USER;
	const size_t nr = perfdata_reader_nr_events(reader);
	bool found = !nr;   /* events of a stream are not known yet */
	for (size_t i = 0; i < nr && !found; i++)
		found = perfdata_reader_event(reader, i)->attr->sample_type & chains;
	return found;
}

static enum perfdata_status set_up(void *pointer, const struct perfdata_emit_context *context,
				   struct perfdata_text *out)
{
	struct state *folded = pointer;
	(void)out;
	folded->with_addresses = perfdata_option_flag(context->options, context->nr_options, "addresses", false);
	folded->with_inlines = perfdata_option_flag(context->options, context->nr_options, "inline", true);
	const bool lines = folded->with_inlines && may_have_chains(context->reader);
	const struct pd_profile_options of_profile = {
		.parts = PD_BY_COMM,
		.by_period = pd_session_off_cpu(context->session) ||
			     pd_stack_option_is(context->options, context->nr_options, "weight", "period"),
		.names = lines ? PD_NAMES_LINES : PD_NAMES_SYMBOLS,
	};
	perfdata_text_init(&folded->text);
	folded->lock = pd_monitor_new();
	folded->names = pd_intern_new();
	if (!folded->lock || !folded->names)
		return PERFDATA_ENOMEM;
	return pd_stack_gather_begin(&folded->gather, context, &of_profile);
}

STACK_BEGIN(set_up, release_state)

/* --- names -------------------------------------------------------------------------------------------------------- */

/* Appends a name without the characters that separate frames or lines. */
static void append_clean(struct perfdata_text *out, const char *text)
{
	const size_t before = out->size;
	perfdata_text_string(out, text);
	if (perfdata_text_failed(out))
		return;
	for (char *at = out->data + before, *end = out->data + out->size; at < end; at++) {
		if (*at == ';')
			*at = ':';
		else if ((unsigned char)*at < ' ' || *at == 0x7f)
			*at = '_';
	}
}

/* Called with the lock: takes the label of the text in folded->text, which it empties. */
static enum perfdata_status take_label(struct state *folded, uint32_t *ret)
{
	struct perfdata_text *text = &folded->text;
	*ret = perfdata_text_failed(text) ? UINT32_MAX
					  : pd_intern_put(folded->names, text->size ? text->data : "", text->size);
	perfdata_text_clear(text);
	return *ret == UINT32_MAX ? PERFDATA_ENOMEM : PERFDATA_OK;
}

static enum perfdata_status label_of(struct state *folded, const char *text, uint32_t *ret)
{
	pd_monitor_enter_soon(folded->lock);
	append_clean(&folded->text, text);
	const enum perfdata_status status = take_label(folded, ret);
	pd_monitor_leave(folded->lock);
	return status;
}

/* As label_of, for the name of a symbol: most addresses share one with others. */
static enum perfdata_status label_of_symbol(struct state *folded, unsigned thread, const char *name, uint32_t *ret)
{
	uint64_t label;
	if (pd_hash_map_get(&folded->known[thread], (uintptr_t)name, &label)) {
		*ret = (uint32_t)label;
		return PERFDATA_OK;
	}
	const enum perfdata_status status = label_of(folded, name, ret);
	if (status != PERFDATA_OK)
		return status;
	return pd_hash_map_put(&folded->known[thread], (uintptr_t)name, *ret) == 0 ? PERFDATA_OK : PERFDATA_ENOMEM;
}

/* Called with the lock: writes all facts that another tool needs to find the name of a frame without a symbol. */
static void spell_address(struct state *folded, const struct perfdata_frame *at, const struct perfdata_dso *dso)
{
	append_clean(&folded->text, dso ? dso->long_name : "[unknown]");
	perfdata_text_literal(&folded->text, "+0x");
	pd_text_hex(&folded->text, at->address);
}

/* Called with the lock: writes the name of the file of a frame without a symbol, marked if only the bundle lacks the
 * symbol. */
static void spell_file(struct state *folded, uint32_t frame, const struct perfdata_dso *dso)
{
	struct perfdata_text *text = &folded->text;
	if (pd_session_lacks_answer(folded->gather.session, frame))
		perfdata_text_printf(text, "%s ", pd_session_nameless_text(folded->gather.session, frame));
	const char *name = dso ? dso->name : "[unknown]", *slash = strrchr(name, '/');
	name = slash ? slash + 1 : name;
	perfdata_text_string(text, *name == '[' ? "" : "[");
	append_clean(text, name);
	perfdata_text_string(text, *name == '[' ? "" : "]");
}

static enum perfdata_status label_of_nameless(struct state *folded, unsigned thread, uint32_t frame, uint32_t *ret)
{
	const struct perfdata_session *session = folded->gather.session;
	const struct perfdata_frame *at = perfdata_session_frame(session, frame);
	const struct perfdata_dso *dso = at ? perfdata_session_dso(session, at->dso) : NULL;
	const bool with_address = folded->with_addresses && at;
	/* all frames of the file have its label, except those that the bundle lacks */
	const bool is_common = dso && !with_address && !pd_session_lacks_answer(session, frame);
	uint64_t label;
	if (is_common && pd_hash_map_get(&folded->known[thread], (uintptr_t)dso, &label)) {
		*ret = (uint32_t)label;
		return PERFDATA_OK;
	}
	pd_monitor_enter_soon(folded->lock);
	if (with_address)
		spell_address(folded, at, dso);
	else
		spell_file(folded, frame, dso);
	const enum perfdata_status status = take_label(folded, ret);
	pd_monitor_leave(folded->lock);
	if (status != PERFDATA_OK || !is_common)
		return status;
	return pd_hash_map_put(&folded->known[thread], (uintptr_t)dso, *ret) == 0 ? PERFDATA_OK : PERFDATA_ENOMEM;
}

static enum perfdata_status add_inlined(struct state *folded, uint32_t frame, uint32_t *labels, size_t *nr)
{
	enum { MAX_INLINED = 64 };
	struct perfdata_source_line calls[MAX_INLINED];
	size_t count;
	if (pd_session_calls(folded->gather.session, frame, calls, MAX_INLINED, &count) != PERFDATA_OK)
		return PERFDATA_OK;
	enum perfdata_status status = PERFDATA_OK;
	for (size_t i = count < MAX_INLINED ? count : MAX_INLINED; i-- > 0 && status == PERFDATA_OK;)
		if (calls[i].inlined)
			status = label_of(folded, calls[i].function ? calls[i].function : "[unknown]",
					  &labels[(*nr)++]);
	return status;
}

static enum perfdata_status labels_of_frame(struct state *folded, unsigned thread, const struct pd_profile_node *node,
					    uint32_t *labels, size_t *ret_nr)
{
	struct perfdata_symbol symbol;
	*ret_nr = 1;
	if (node->frame == PERFDATA_NONE)
		return label_of(folded, "[unknown]", labels);
	if (perfdata_session_symbol(folded->gather.session, node->frame, UINT64_MAX, &symbol) != PERFDATA_OK)
		return label_of_nameless(folded, thread, node->frame, labels);
	const enum perfdata_status status = label_of_symbol(folded, thread, symbol.name, labels);
	/* no inlined calls at the source of a branch, or without a recorded chain */
	if (status != PERFDATA_OK || !folded->with_inlines || node->origin == PERFDATA_STEP_BRANCH ||
	    node->origin == PD_ORIGIN_ALONE)
		return status;
	return add_inlined(folded, node->frame, labels, ret_nr);
}

static enum perfdata_status labels_of(void *user, unsigned thread, const struct pd_profile_node *node, uint32_t *labels,
				      size_t *ret_nr)
{
	struct state *folded = user;
	const bool tells_cut = node->origin == PD_ORIGIN_CUT && folded->gather.tells_cut;
	enum perfdata_status status = tells_cut ? label_of(folded, STACK_TRUNCATED, labels) : PERFDATA_OK;
	if (status == PERFDATA_OK)
		status = labels_of_frame(folded, thread, node, labels + tells_cut, ret_nr);
	*ret_nr += tells_cut;
	return status;
}

/* --- which stacks ------------------------------------------------------------------------------------------------- */

static unsigned see_label(void *user, uint32_t label)
{
	struct state *folded = user;
	if (pd_vector_reach(&folded->seen, &folded->seen_room, label, sizeof *folded->seen) < 0) {
		folded->failed = true;
		return 0;
	}
	if (!folded->seen[label])
		folded->seen[label] = (uint8_t)(KNOWN | pd_stack_choice_sees(folded->gather.choice,
									     pd_intern_get(folded->names, label,
											   NULL)));
	return folded->seen[label] & ~(unsigned)KNOWN;
}

static bool take_stack(void *user, unsigned seen)
{
	const struct state *folded = user;
	return pd_stack_choice_takes(folded->gather.choice, seen);
}

/* --- the order of lines ------------------------------------------------------------------------------------------- */

struct name {
	uint64_t first_bytes;          /* of the text, in the order of their comparison */
	const char *text;
	size_t size;
	uint32_t label;
};

static struct name name_of(const struct pd_intern *names, uint32_t label)
{
	struct name name = { .label = label };
	name.text = pd_intern_get(names, label, &name.size);
	for (size_t i = 0; i < sizeof name.first_bytes; i++)
		name.first_bytes = name.first_bytes << 8 | (i < name.size ? (unsigned char)name.text[i] : 0);
	return name;
}

/* Most names differ in their first bytes. A shorter name is filled up with zeros: it comes before those that continue
 * it. */
static int compare_names(const void *left, const void *right)
{
	const struct name *a = left, *b = right;
	if (a->first_bytes != b->first_bytes)
		return a->first_bytes < b->first_bytes ? -1 : 1;
	const int order = memcmp(a->text, b->text, a->size < b->size ? a->size : b->size);
	return order ? order : a->size < b->size ? -1 : a->size > b->size;
}

/* Whether name a with a semicolon, which no name contains, comes before the later name b. */
static bool ends_before(const struct name *a, const struct name *b)
{
	return a->size >= b->size || memcmp(a->text, b->text, a->size) || (unsigned char)b->text[a->size] > ';';
}

/* Ranks sorted names, whose order is that of the last names of lines. A name before a semicolon is later: it waits
 * until no name that continues it comes before. `names` keeps those that wait. */
static void rank_sorted(struct name *names, uint32_t nr, uint32_t *ranks)
{
	uint32_t nr_waiting = 0, rank = 0;
	for (uint32_t i = 0; i < nr; i++) {
		while (nr_waiting && ends_before(&names[nr_waiting - 1], &names[i]))
			ranks[2 * names[--nr_waiting].label] = rank++;
		ranks[2 * names[i].label + 1] = rank++;
		names[nr_waiting++] = names[i];
	}
	while (nr_waiting)
		ranks[2 * names[--nr_waiting].label] = rank++;
}

static enum perfdata_status rank_names(void *user, struct pd_label_ranks *ret)
{
	struct state *folded = user;
	const uint32_t nr = pd_intern_count(folded->names);
	pd_free(folded->ranks);
	struct name *names = pd_malloc(nr * sizeof *names);
	folded->ranks = pd_malloc(2 * (size_t)nr * sizeof *folded->ranks);
	if (names && folded->ranks) {
		for (uint32_t i = 0; i < nr; i++)
			names[i] = name_of(folded->names, i);
		qsort(names, nr, sizeof *names, compare_names);
		rank_sorted(names, nr, folded->ranks);
	}
	const bool ok = names && folded->ranks;
	pd_free(names);
	*ret = (struct pd_label_ranks){ nr, folded->ranks };
	return ok ? PERFDATA_OK : PERFDATA_ENOMEM;
}

/* --- lines -------------------------------------------------------------------------------------------------------- */

static bool has_several_events(const struct pd_profile *profile)
{
	unsigned nr = 0;
	for (uint32_t i = 0; i < pd_profile_nr_events(profile); i++)
		nr += pd_profile_event(profile, i) != NULL;
	return nr > 1;
}

/* The labels before those of stacks. */
static enum perfdata_status front_of(void *user, const struct pd_profile_key *key, uint32_t *labels, size_t *ret_nr)
{
	struct state *folded = user;
	enum perfdata_status status = PERFDATA_OK;
	*ret_nr = 0;
	if (has_several_events(folded->gather.profile))
		status = label_of(folded, perfdata_reader_event(folded->gather.reader, key->event)->name,
				  &labels[(*ret_nr)++]);
	if (status == PERFDATA_OK)
		status = label_of(folded, perfdata_session_comm(folded->gather.session, key->comm),
				  &labels[(*ret_nr)++]);
	return status;
}

static enum perfdata_status write_lines(const struct state *folded, struct pd_fold *fold, struct perfdata_text *out)
{
	const uint32_t nr = pd_intern_count(folded->names);
	struct folded_name *names = pd_malloc(nr * sizeof *names);
	if (!names)
		return PERFDATA_ENOMEM;
	for (uint32_t i = 0; i < nr; i++)
		names[i].text = pd_intern_get(folded->names, i, &names[i].size);
	const enum perfdata_status status =
		pd_folded_lines(fold, folded->gather.profile, names, folded->gather.wanted.threads, out);
	pd_free(names);
	return status;
}

static enum perfdata_status end_output(void *state, const struct perfdata_emit_end *end, struct perfdata_text *out)
{
	(void)end;
	struct state *folded = state;
	const struct pd_fold_choice choice = {
		.sees = see_label,
		.takes = take_stack,
		.root = pd_stack_choice_cuts(folded->gather.choice) ? STACK_SEEN_ROOT : 0,
	};
	const struct pd_fold_options of_fold = { .front = front_of,
						 .labels = labels_of,
						 .rank = rank_names,
						 .choice = folded->gather.choice ? &choice : NULL,
						 .user = folded,
						 .threads = folded->gather.wanted.threads };
	struct pd_fold *fold;
	enum perfdata_status status = pd_profile_finish(folded->gather.profile);
	if (status == PERFDATA_OK)
		status = pd_fold_new(folded->gather.profile, &of_fold, &fold);
	if (status != PERFDATA_OK)
		return status;
	status = pd_fold_fill(fold);
	if (status == PERFDATA_OK && folded->failed)
		status = PERFDATA_ENOMEM;
	if (status == PERFDATA_OK)
		status = write_lines(folded, fold, out);
	if (status == PERFDATA_OK)
		pd_stack_choice_report(folded->gather.choice);
	pd_fold_free(fold);
	return status;
}

const struct perfdata_emitter pd_emitter_folded = {
	.name = "folded",
	.help = "one line for each stack and its weight, for flame graphs",
	.needs = STACK_GATHER_NEEDS,
	.configure = pd_stack_configure,
	.option_rules = pd_stack_rules_state,
	.flags = PERFDATA_EMITTER_SYMBOLS | PERFDATA_EMITTER_LIGHT,
	STACK_EMITTER(release_state),
	STACK_SUMS,
};
