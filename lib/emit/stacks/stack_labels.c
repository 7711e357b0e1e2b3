/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <stdio.h>
#include <string.h>
#include "base/hash.h"
#include "base/memory.h"
#include "emit/stacks/stack_labels.h"
#include "profile/key_name.h"
#include "session/session.h"

enum { MAX_CALLS = 64 };

struct calls {
	size_t first;
	uint32_t nr;
};

struct stack_labels {
	const struct perfdata_session *session;
	bool is_base;                       /* the session is a base: its names are older names */
	const struct stack_match *match;    /* how labels match across builds; NULL: by name */
	struct pd_intern *matched;          /* with `match`: names and files that are equal across builds */
	uint32_t *file_keys;                /* by label, with `match`: string of `matched` */
	size_t file_keys_room;
	enum stack_by by;
	bool inlines, sources, failed;
	struct pd_intern *strings, *keys;   /* id of a key = number of its label */
	struct stack_label *labels;
	size_t nr_labels, labels_room;
	uint32_t *known;                    /* by pd_frame_slot: index in `lists` + 1; 0: not resolved yet */
	size_t nr_known;
	struct calls *lists;
	size_t nr_lists, lists_room;
	struct stack_call *calls;
	size_t nr_calls, calls_room;
};

/* Labels are equal if all members are equal. */
struct label_key {
	uint32_t name, file, source, line, kind;
};

void pd_stack_labels_free(struct stack_labels *labels)
{
	if (!labels)
		return;
	pd_intern_free(labels->strings);
	pd_intern_free(labels->keys);
	pd_intern_free(labels->matched);
	pd_free(labels->file_keys);
	pd_free(labels->known);
	pd_free(labels->labels);
	pd_free(labels->lists);
	pd_free(labels->calls);
	pd_free(labels);
}

static bool shows_inlines(enum stack_by by, bool inlines)
{
	return inlines && (by == STACK_BY_FUNCTION || by == STACK_BY_LINE);
}

static bool needs_sources(enum stack_by by, bool inlines, bool sources)
{
	return shows_inlines(by, inlines) || sources || by == STACK_BY_LINE;
}

bool pd_stack_labels_are(const struct stack_labels *labels, enum stack_by by, bool inlines, bool sources)
{
	return !labels->failed && labels->by == by && labels->inlines == shows_inlines(by, inlines) &&
	       labels->sources == needs_sources(by, inlines, sources);
}

struct stack_labels *pd_stack_labels_new(const struct perfdata_session *session, enum stack_by by, bool inlines,
					 bool sources)
{
	struct stack_labels *labels = pd_calloc(1, sizeof *labels);
	if (!labels)
		return NULL;
	labels->session = session;
	labels->by = by;
	labels->inlines = shows_inlines(by, inlines);
	labels->sources = needs_sources(by, inlines, sources);
	labels->strings = pd_intern_new();
	labels->keys = pd_intern_new();
	if (labels->strings && labels->keys && pd_intern_put(labels->strings, "", 0) == 0)
		return labels;
	pd_stack_labels_free(labels);
	return NULL;
}

bool pd_stack_labels_are_functions(const struct stack_labels *labels)
{
	return labels->by == STACK_BY_FUNCTION || labels->by == STACK_BY_LINE;
}

void pd_stack_labels_use(struct stack_labels *labels, const struct perfdata_session *session, bool is_base)
{
	labels->is_base = is_base;
	if (labels->session == session)
		return;
	if (labels->known)
		memset(labels->known, 0, labels->nr_known * sizeof *labels->known);
	labels->nr_lists = labels->nr_calls = 0;
	labels->session = session;
}

uint32_t pd_stack_labels_intern(struct stack_labels *labels, const char *text)
{
	const uint32_t string = pd_intern_put(labels->strings, text, strlen(text));
	labels->failed |= string == UINT32_MAX;
	return string;
}

uint32_t pd_stack_labels_nr_strings(const struct stack_labels *labels) { return pd_intern_count(labels->strings); }

const char *pd_stack_labels_string(const struct stack_labels *labels, uint32_t string)
{
	return pd_intern_get(labels->strings, string, NULL);
}

uint32_t pd_stack_labels_nr(const struct stack_labels *labels) { return (uint32_t)labels->nr_labels; }

const struct stack_label *pd_stack_labels_get(const struct stack_labels *labels, uint32_t label)
{
	return &labels->labels[label];
}

/* --- labels across builds ----------------------------------------------------------------------------------------- */

bool pd_stack_labels_match(struct stack_labels *labels, const struct stack_match *match)
{
	labels->match = match;
	labels->matched = pd_intern_new();
	return labels->matched && pd_intern_put(labels->matched, "", 0) == 0;
}

const char *pd_stack_labels_file_key(const struct stack_labels *labels, uint32_t label)
{
	return pd_intern_get(labels->matched, labels->file_keys[label], NULL);
}

static uint32_t keep_matched(struct stack_labels *labels, const char *text)
{
	const uint32_t string = pd_intern_put(labels->matched, text, strlen(text));
	labels->failed |= string == UINT32_MAX;
	return string;
}

static enum stack_kind without_inlining(enum stack_kind kind)
{
	return kind == STACK_INLINED ? STACK_USER : kind == STACK_INLINED_KERNEL ? STACK_KERNEL : kind;
}

/* The index of the rule for a name of a base; nr: none. */
static size_t rule_about(const char *const *rules, size_t nr, enum perfdata_dso_kind kind, bool is_file,
			 const char *name, char *now)
{
	for (size_t i = 0; i < nr; i++)
		if ((is_file ? pd_key_file_renamed(kind, name, &rules[i], 1, now)
			     : pd_key_renamed(name, &rules[i], 1)) != name)
			return i;
	return nr;
}

/* Marks the rules that apply to a file or name of a base. */
static void mark_used(const struct stack_match *match, const struct perfdata_dso *dso, const char *file,
		      const char *name)
{
	char now[PD_KEY_NAME_MAX];
	if (!match->used)
		return;
	const size_t of_file = dso ? rule_about(match->same_files, match->nr_same_files, dso->kind, true, file, now)
				   : match->nr_same_files;
	const size_t of_symbol = rule_about(match->same_symbols, match->nr_same_symbols, 0, false, name, now);
	if (of_file < match->nr_same_files)
		match->used[of_file] = true;
	if (of_symbol < match->nr_same_symbols)
		match->used[match->nr_same_files + of_symbol] = true;
}

struct ruled_file {
	char key[PD_KEY_NAME_MAX];               /* after the user's rules */
	char build_id[PD_BUILD_ID_TEXT];         /* "" if a rule identifies the file */
};

static void find_ruled_file(const struct stack_match *match, const struct perfdata_session *session,
			    const struct perfdata_dso *dso, bool is_base, struct ruled_file *ret)
{
	char file[PD_KEY_NAME_MAX], now[PD_KEY_NAME_MAX];
	pd_key_file(dso->kind, dso->name, file, sizeof file);
	const char *ruled = is_base ? pd_key_file_renamed(dso->kind, file, match->same_files, match->nr_same_files, now)
				    : file;
	memcpy(ret->key, ruled, strlen(ruled) + 1);
	*ret->build_id = '\0';
	if (ruled == file)
		pd_session_build_id_text(session, dso->id, ret->build_id);
}

bool pd_stack_match_files(struct stack_match *match, const struct perfdata_session *session, bool is_base)
{
	const uint32_t nr = perfdata_session_nr_dsos(session), nr_frames = pd_session_nr_frames(session);
	bool *has_frames = pd_calloc(nr + (size_t)1, sizeof *has_frames), fine = has_frames;
	for (uint32_t i = 0; i < nr_frames && fine; i++) {
		const uint32_t dso = perfdata_session_frame(session, i)->dso;
		if (dso < nr)
			has_frames[dso] = true;
	}
	for (uint32_t i = 0; i < nr && fine; i++) {
		const struct perfdata_dso *dso = perfdata_session_dso(session, i);
		struct ruled_file file;
		if (!has_frames[i])
			continue;
		find_ruled_file(match, session, dso, is_base, &file);
		fine = pd_file_pairs_add(match->pairs, is_base ? 0 : 1, dso->kind, file.key, file.build_id);
	}
	pd_free(has_frames);
	return fine;
}

/* The key of a file, equal on both sides: a string of `matched`. */
static uint32_t file_across_builds(struct stack_labels *labels, const struct perfdata_dso *dso)
{
	const struct stack_match *match = labels->match;
	struct ruled_file file;
	find_ruled_file(match, labels->session, dso, labels->is_base, &file);
	const char *key = file.key;
	if (match->pairs)
		key = pd_file_pairs_key(match->pairs, dso->kind, key, file.build_id);
	return keep_matched(labels, key);
}

/* Makes the key of a label equal across builds. */
static void match_key(struct stack_labels *labels, const struct stack_label *label, struct label_key *key)
{
	const struct stack_match *match = labels->match;
	const struct perfdata_dso *dso = label->dso == PERFDATA_NONE
						 ? NULL
						 : perfdata_session_dso(labels->session, label->dso);
	char text[PD_KEY_NAME_MAX], file[PD_KEY_NAME_MAX] = "";
	if (dso)
		pd_key_file(dso->kind, dso->name, file, sizeof file);
	key->file = dso ? file_across_builds(labels, dso) : 0;
	if (pd_stack_kind_is_nameless(label->kind) && dso)
		snprintf(text, sizeof text, "(unnamed)");
	else
		pd_key_symbol(pd_stack_labels_string(labels, label->name), text, sizeof text);
	if (labels->is_base)
		mark_used(match, dso, file, text);
	key->name = keep_matched(
		labels, labels->is_base ? pd_key_renamed(text, match->same_symbols, match->nr_same_symbols) : text);
	key->kind = without_inlining(label->kind);
}

uint32_t pd_stack_labels_add(struct stack_labels *labels, const struct stack_label *label)
{
	const bool by_line = labels->by == STACK_BY_LINE;
	struct label_key key = { label->name, label->file, by_line ? label->source : 0, by_line ? label->line : 0,
				 label->kind };
	if (labels->match && !labels->failed)
		match_key(labels, label, &key);
	/* after a failure keys and labels may have different numbers */
	const uint32_t id = labels->failed ? UINT32_MAX : pd_intern_put(labels->keys, &key, sizeof key);
	if (id == UINT32_MAX ||
	    pd_vector_grow(&labels->labels, &labels->labels_room, labels->nr_labels, sizeof *labels->labels) < 0) {
		labels->failed = true;
		return UINT32_MAX;
	}
	if (labels->match &&
	    pd_vector_grow(&labels->file_keys, &labels->file_keys_room, id, sizeof *labels->file_keys) < 0) {
		labels->failed = true;
		return UINT32_MAX;
	}
	if (id == labels->nr_labels) {
		labels->labels[labels->nr_labels++] = *label;
		if (labels->match)
			labels->file_keys[id] = key.file;
	}
	struct stack_label *known = &labels->labels[id];
	/* a label with several names (clones, tiers of a JIT compiler) gets the name that they share */
	if (labels->match && !pd_stack_kind_is_nameless(label->kind) && label->name != known->name)
		known->name = pd_stack_labels_intern(labels, pd_intern_get(labels->matched, key.name, NULL));
	/* a later address may have debug information */
	if (!known->source && label->source) {
		known->source = label->source;
		known->line = label->line;
	}
	return id;
}

/* --- what a frame is ---------------------------------------------------------------------------------------------- */

static const struct perfdata_dso *dso_of(const struct perfdata_session *session, uint32_t frame)
{
	const struct perfdata_frame *at = frame == PERFDATA_NONE ? NULL : perfdata_session_frame(session, frame);
	return at && at->dso != PERFDATA_NONE ? perfdata_session_dso(session, at->dso) : NULL;
}

static bool is_guest(const struct perfdata_dso *dso) { return dso && !strncmp(dso->name, "[guest", strlen("[guest")); }

static enum stack_kind kind_of(const struct perfdata_dso *dso, bool inlined)
{
	if (is_guest(dso))
		return STACK_GUEST;
	switch (dso->kind) {
	case PERFDATA_DSO_KERNEL:
	case PERFDATA_DSO_MODULE:
	case PERFDATA_DSO_BPF:
		return inlined ? STACK_INLINED_KERNEL : STACK_KERNEL;
	case PERFDATA_DSO_PERF_MAP:
	case PERFDATA_DSO_JITDUMP:
		return STACK_JIT;
	case PERFDATA_DSO_STATE:
		return STACK_WAITING;
	case PERFDATA_DSO_USER:
	case PERFDATA_DSO_VDSO:
	case PERFDATA_DSO_NONE:
		break;
	}
	return inlined ? STACK_INLINED : STACK_USER;
}

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');
	return *path != '[' && slash && slash[1] ? slash + 1 : path;
}

/* --- the calls at a frame ----------------------------------------------------------------------------------------- */

static void add_call(struct stack_labels *labels, const struct stack_label *label, uint32_t source, uint32_t line,
		     uint32_t column)
{
	const uint32_t id = pd_stack_labels_add(labels, label);
	if (id == UINT32_MAX ||
	    pd_vector_grow(&labels->calls, &labels->calls_room, labels->nr_calls, sizeof *labels->calls) < 0) {
		labels->failed = true;
		return;
	}
	labels->calls[labels->nr_calls++] = (struct stack_call){ id, source, line, column };
}

static void add_nameless(struct stack_labels *labels, const struct perfdata_dso *dso, uint32_t frame)
{
	const bool lacks_answer = pd_session_lacks_answer(labels->session, frame);
	const char *text = pd_session_nameless_text(labels->session, frame);
	char name[512];
	snprintf(name, sizeof name, "%s (%s)", text, dso ? last_part(dso->name) : "");
	struct stack_label label = { .name = pd_stack_labels_intern(labels, dso ? name : text),
				     .dso = dso ? dso->id : PERFDATA_NONE,
				     .file = dso ? pd_stack_labels_intern(labels, dso->name) : 0,
				     .kind = is_guest(dso)  ? STACK_GUEST
					     : lacks_answer ? STACK_NOT_IN_BUNDLE
							    : STACK_NO_NAME };
	label.raw_name = label.name;
	add_call(labels, &label, 0, 0, 0);
}

static void add_file(struct stack_labels *labels, const struct perfdata_dso *dso)
{
	char name[PD_BUILD_ID_TEXT];
	struct stack_label label = { .dso = dso->id,
				     .kind = kind_of(dso, false),
				     .file = pd_stack_labels_intern(labels, dso->name) };
	if (labels->by == STACK_BY_BUILD_ID) {
		pd_session_build_id_text(labels->session, dso->id, name);
		label.name = pd_stack_labels_intern(labels, *name ? name : "[no build-id]");
	} else {
		label.name = label.file;
	}
	label.raw_name = label.name;
	add_call(labels, &label, 0, 0, 0);
}

/* Adds the state of a thread as innermost label; no label for a caller, such as the address at which the program
 * entered the kernel. */
static void add_state(struct stack_labels *labels, const struct perfdata_dso *dso, bool is_caller)
{
	struct stack_label label = { .dso = PERFDATA_NONE, .kind = STACK_WAITING };
	char name[96] = "running";
	/* a list of calls may be empty, but has an address */
	if (pd_vector_grow(&labels->calls, &labels->calls_room, labels->nr_calls, sizeof *labels->calls) < 0)
		labels->failed = true;
	if (is_caller)
		return;
	if (dso && dso->kind == PERFDATA_DSO_STATE)
		snprintf(name, sizeof name, "%.*s", (int)strlen(dso->name + 1) - 1, dso->name + 1);
	label.name = label.raw_name = pd_stack_labels_intern(labels, name);
	add_call(labels, &label, 0, 0, 0);
}

static void add_function(struct stack_labels *labels, const struct perfdata_dso *dso,
			 const struct perfdata_symbol *symbol, const struct perfdata_source_line *at, bool inlined)
{
	const char *name = inlined ? at->function ? at->function : "[unknown]" : symbol->name;
	const uint32_t source = at && at->file ? pd_stack_labels_intern(labels, at->file) : 0, line = at ? at->line : 0,
		       column = at ? at->column : 0;
	struct stack_label label = { .name = pd_stack_labels_intern(labels, name),
				     .file = pd_stack_labels_intern(labels, dso->name),
				     .dso = dso->id,
				     .kind = kind_of(dso, inlined),
				     .source = source };
	label.raw_name = inlined || !symbol->raw_name ? label.name : pd_stack_labels_intern(labels, symbol->raw_name);
	label.line = labels->by == STACK_BY_LINE ? line : at ? at->first_line : 0;
	add_call(labels, &label, source, line, column);
}

static void add_functions(struct stack_labels *labels, const struct perfdata_dso *dso, uint32_t frame, bool is_caller)
{
	struct perfdata_source_line calls[MAX_CALLS];
	struct perfdata_symbol symbol;
	size_t nr = 0;
	const uint32_t asked = is_caller ? PERFDATA_FRAME_CALLER | frame : frame;
	if (perfdata_session_symbol(labels->session, asked, UINT64_MAX, &symbol) != PERFDATA_OK) {
		add_nameless(labels, dso, asked);
		return;
	}
	const bool sourced = labels->sources &&
			     pd_session_source(labels->session, asked, calls, MAX_CALLS, &nr) == PERFDATA_OK;
	nr = !sourced ? 0 : nr < MAX_CALLS ? nr : MAX_CALLS;
	/* the last entry is the containing function, which the symbol names */
	const struct perfdata_source_line *outer = nr && !calls[nr - 1].inlined ? &calls[nr - 1] : NULL;
	if (!labels->inlines && nr) {
		add_function(labels, dso, &symbol, outer, false);
		return;
	}
	add_function(labels, dso, &symbol, outer, false);
	for (size_t i = nr; i-- > 0;)
		if (calls[i].inlined)
			add_function(labels, dso, &symbol, &calls[i], true);
}

static bool resolve_frame(struct stack_labels *labels, uint32_t frame, bool is_caller)
{
	const struct perfdata_dso *dso = dso_of(labels->session, frame);
	const size_t first = labels->nr_calls;
	if (labels->by == STACK_BY_STATE)
		add_state(labels, dso, is_caller);
	else if (!dso)
		add_nameless(labels, NULL, PERFDATA_NONE);
	else if (labels->by == STACK_BY_FILE || labels->by == STACK_BY_BUILD_ID)
		add_file(labels, dso);
	else
		add_functions(labels, dso, frame, is_caller);
	if (labels->failed ||
	    pd_vector_grow(&labels->lists, &labels->lists_room, labels->nr_lists, sizeof *labels->lists) < 0)
		return false;
	labels->lists[labels->nr_lists++] = (struct calls){ first, (uint32_t)(labels->nr_calls - first) };
	return true;
}

const struct stack_call *pd_stack_labels_of(struct stack_labels *labels, uint32_t frame, bool is_caller, size_t *ret_nr)
{
	const size_t slot = pd_frame_slot(frame, is_caller);
	if (labels->failed || pd_vector_reach(&labels->known, &labels->nr_known, slot, sizeof *labels->known) < 0)
		return NULL;
	if (!labels->known[slot]) {
		if (!resolve_frame(labels, frame, is_caller))
			return NULL;
		labels->known[slot] = (uint32_t)labels->nr_lists;
	}
	const struct calls *list = &labels->lists[labels->known[slot] - 1];
	*ret_nr = list->nr;
	return &labels->calls[list->first];
}
