/* SPDX-License-Identifier: MIT */
/* Reads answers: the text that answers_draft.c writes, for machines without the file itself, and looks addresses up in
 * it. The text is not trusted: numbers refer only to earlier lines, addresses ascend, and the memory is proportional to
 * the text. */
#include "config.h"
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/digit.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/search.h"
#include "symbols/answers/symbol_answers.h"

#define MAX_FILE ((size_t)1 << 30)
#define MOST_CALLS 4096u              /* limit of calls in progress at one address */

struct text {
	const char *raw;
	_Atomic(const char *) shown;      /* demangled name; NULL until first use */
};

struct pd_answers {
	struct pd_answers_head head;
	uint64_t base;
	char *bytes;                      /* bytes of the text, to which `texts` point */
	size_t size;
	struct text *texts;
	struct pd_answer_symbol *symbols;
	struct pd_answer_call *calls;
	uint32_t *depths;                 /* number of calls up to the function, for each call */
	struct pd_answer *answers;
	struct pd_answer_rule *rules;
	struct pd_answer_word *words;
	struct pd_archive *archive;       /* NULL after it was passed to the dso */
	size_t libraries_room;
	size_t nr_texts, nr_symbols, nr_calls, nr_answers, nr_rules, nr_words, nr_codes;
	size_t texts_room, symbols_room, calls_room, depths_room, answers_room, rules_room, words_room;
	struct pd_arena names;            /* demangled names; protected by the lock of names */
	struct pd_hash_map lacking;       /* looked-up addresses without an answer; protected by the lock of names */
	size_t accounted;
	bool is_reported;
};

/* --- words of a line ---------------------------------------------------------------------------------------------- */

/* Ends the word at *at with a NUL and moves *at to the next; returns NULL after the last. */
static char *next_word(char **at)
{
	char *word = *at;
	if (!word)
		return NULL;
	char *tab = strchr(word, '\t');
	if (tab)
		*tab = '\0';
	*at = tab ? tab + 1 : NULL;
	return word;
}

static bool take_number(char **at, uint64_t *ret)
{
	const char *word = next_word(at);
	uint64_t value = 0;
	size_t nr = 0;
	for (; word && word[nr]; nr++) {
		const unsigned digit = pd_digit_of(word[nr]);
		if (nr == 16 || digit > 15)
			return false;
		value = value << 4 | digit;
	}
	*ret = value;
	return nr > 0;
}

static bool take_u32(char **at, uint64_t most, uint32_t *ret)
{
	uint64_t value;
	if (!take_number(at, &value) || value > most)
		return false;
	*ret = (uint32_t)value;
	return true;
}

/* Takes '-' or the number of an earlier line. */
static bool take_reference(char **at, size_t nr, uint32_t *ret)
{
	if (*at && (*at)[0] == '-' && ((*at)[1] == '\t' || !(*at)[1])) {
		(void)next_word(at);
		*ret = PD_NO_ANSWER;
		return true;
	}
	return nr && take_u32(at, nr - 1, ret);
}

static bool take_name(char **at, const char *const *names, size_t nr, unsigned *ret)
{
	const char *word = next_word(at);
	for (size_t i = 0; word && i < nr; i++)
		if (!strcmp(word, names[i])) {
			*ret = (unsigned)i;
			return true;
		}
	return false;
}

static bool take_id(char **at, struct pd_build_id *ret)
{
	const char *word = next_word(at);
	const size_t size = word ? strlen(word) : 0;
	ret->size = 0;
	if (size == 1 && *word == '-')
		return true;
	if (!size || size % 2 || size / 2 > sizeof ret->bytes)
		return false;
	for (size_t i = 0; i < size; i += 2) {
		const unsigned high = pd_digit_of(word[i]), low = pd_digit_of(word[i + 1]);
		if (high > 15 || low > 15)
			return false;
		ret->bytes[ret->size++] = (uint8_t)(high << 4 | low);
	}
	return true;
}

const char *const pd_answers_kinds[PD_ANSWERS_KINDS] = { "user", "kernel", "module", "vdso", "perf-map", "jitdump" };
const char *const pd_answers_bases[PD_ANSWERS_BASES] = { "file", "_text", "_stext", "start" };

static bool take_head(char *line, struct pd_answers_head *ret)
{
	const size_t magic = sizeof PD_ANSWERS_MAGIC - 1;
	unsigned kind, base;
	uint32_t has_names;
	char *at = line + magic;
	if (strncmp(line, PD_ANSWERS_MAGIC, magic) != 0 ||
	    !take_name(&at, pd_answers_kinds, PD_ANSWERS_KINDS, &kind) || !take_id(&at, &ret->id) ||
	    !take_name(&at, pd_answers_bases, PD_ANSWERS_BASES, &base) || !take_u32(&at, 1, &has_names) ||
	    !take_number(&at, &ret->shift))
		return false;
	ret->kind = (enum perfdata_dso_kind)kind;
	ret->base = (enum pd_answers_base)base;
	ret->has_names = has_names;
	return true;
}

bool pd_answers_read_head(const char *text, size_t size, struct pd_answers_head *ret)
{
	char line[512];
	const char *end = memchr(text, '\n', size);
	const size_t used = end ? (size_t)(end - text) : 0;
	if (!used || used >= sizeof line)
		return false;
	memcpy(line, text, used);
	line[used] = '\0';
	return take_head(line, ret);
}

/* --- lines -------------------------------------------------------------------------------------------------------- */

/* Replaces escape sequences in place. */
static bool unescape_text(char *text)
{
	char *to = text;
	for (const char *from = text; *from; from++) {
		if (*from != '\\') {
			*to++ = *from;
			continue;
		}
		switch (*++from) {
		case 'n': *to++ = '\n'; break;
		case 't': *to++ = '\t'; break;
		case 'r': *to++ = '\r'; break;
		case '\\': *to++ = '\\'; break;
		default: return false;
		}
	}
	*to = '\0';
	return strlen(text) < PD_SYMBOL_NAME_LIMIT;
}

#define GROW(answers, list) \
	pd_vector_grow(&(answers)->list, &(answers)->list##_room, (answers)->nr_##list, sizeof *(answers)->list)

enum { BAD = 0, GOOD = 1, NO_MEMORY = -1 };

static int take_text(struct pd_answers *a, char *at)
{
	if (!at || !unescape_text(at))
		return BAD;
	if (a->nr_texts == UINT32_MAX || GROW(a, texts) < 0)
		return NO_MEMORY;
	a->texts[a->nr_texts].raw = at;
	atomic_init(&a->texts[a->nr_texts].shown, NULL);
	a->nr_texts++;
	return GOOD;
}

static int take_symbol(struct pd_answers *a, char *at)
{
	struct pd_answer_symbol s;
	if (!take_number(&at, &s.start) || !take_number(&at, &s.size) ||
	    !take_u32(&at, PERFDATA_BIND_WEAK, &s.binding) || !take_reference(&at, a->nr_texts, &s.name) ||
	    s.name == PD_NO_ANSWER || !take_reference(&at, a->nr_texts, &s.shown) ||
	    !take_reference(&at, a->nr_texts, &s.module))
		return BAD;
	if (a->nr_symbols == UINT32_MAX || GROW(a, symbols) < 0)
		return NO_MEMORY;
	a->symbols[a->nr_symbols++] = s;
	return GOOD;
}

static int take_call(struct pd_answers *a, char *at)
{
	struct pd_answer_call c;
	if (!take_reference(&at, a->nr_texts, &c.function) || !take_reference(&at, a->nr_texts, &c.shown) ||
	    !take_reference(&at, a->nr_texts, &c.file) || !take_u32(&at, UINT32_MAX, &c.line) ||
	    !take_u32(&at, UINT32_MAX, &c.column) || !take_u32(&at, UINT32_MAX, &c.first_line) ||
	    !take_u32(&at, 1, &c.is_inlined) || !take_reference(&at, a->nr_calls, &c.next))
		return BAD;
	const uint32_t depth = c.next == PD_NO_ANSWER ? 1 : a->depths[c.next] + 1;
	if (depth > MOST_CALLS)
		return BAD;
	if (a->nr_calls == UINT32_MAX || GROW(a, calls) < 0 ||
	    pd_vector_grow(&a->depths, &a->depths_room, a->nr_calls, sizeof *a->depths) < 0)
		return NO_MEMORY;
	a->depths[a->nr_calls] = depth;
	a->calls[a->nr_calls++] = c;
	return GOOD;
}

static int take_answer(struct pd_answers *a, char *at)
{
	struct pd_answer answer;
	if (!take_number(&at, &answer.address) || !take_reference(&at, a->nr_symbols, &answer.symbol) ||
	    !take_reference(&at, a->nr_calls, &answer.calls) || !take_u32(&at, PD_ANSWER_MASK, &answer.flags) ||
	    !take_reference(&at, a->nr_texts, &answer.object) ||
	    (a->nr_answers && answer.address <= a->answers[a->nr_answers - 1].address))
		return BAD;
	if (GROW(a, answers) < 0)
		return NO_MEMORY;
	a->answers[a->nr_answers++] = answer;
	return GOOD;
}

static int take_code(struct pd_answers *a, struct pd_jit *jit, char *at)
{
	struct pd_jit_code code = { .start = 0 };
	uint32_t name;
	if (!take_number(&at, &code.start) || !take_number(&at, &code.end) || !take_number(&at, &code.time) ||
	    !take_number(&at, &code.until) || !take_reference(&at, a->nr_texts, &name) || name == PD_NO_ANSWER ||
	    code.end <= code.start)
		return BAD;
	code.name = a->texts[name].raw;
	if (pd_vector_grow(&jit->items, &jit->capacity, jit->count, sizeof code) < 0)
		return NO_MEMORY;
	jit->items[jit->count++] = code;
	return GOOD;
}

static int take_rule(struct pd_answers *a, char *at)
{
	struct pd_answer_rule r = { .address = 0 };
	uint32_t kind, base, is_signed, places, cfa, return_address_at, fp_at, kept_at;
	if (!take_number(&at, &r.address) || !take_u32(&at, PD_RULE_FRAME_OF_EXIDX, &kind) ||
	    !take_u32(&at, PD_RULE_SAVED_AT_FP, &base) || !take_u32(&at, 1, &is_signed) ||
	    !take_u32(&at, 63, &places) || !take_u32(&at, UINT32_MAX, &cfa) ||
	    !take_u32(&at, UINT32_MAX, &return_address_at) || !take_u32(&at, UINT32_MAX, &fp_at) ||
	    !take_u32(&at, UINT32_MAX, &kept_at) || (places & 3) == 3 || (places >> 2 & 3) == 3 || places >> 4 == 3 ||
	    (int32_t)return_address_at != (int16_t)return_address_at ||
	    (a->nr_rules && r.address <= a->rules[a->nr_rules - 1].address))
		return BAD;
	r.rule = (struct pd_rule){
		.kind = kind & 7, .base = base & 3, .is_signed = is_signed,
		.return_address = places & 3, .fp = places >> 2 & 3, .kept = places >> 4 & 3,
		.cfa = (int32_t)cfa, .return_address_at = (int16_t)return_address_at, .fp_at = (int32_t)fp_at,
		.kept_at = (int32_t)kept_at,
	};
	if (GROW(a, rules) < 0)
		return NO_MEMORY;
	a->rules[a->nr_rules++] = r;
	return GOOD;
}

static int take_file_word(struct pd_answers *a, char *at)
{
	struct pd_answer_word w;
	if (!take_number(&at, &w.offset) || !take_number(&at, &w.value) ||
	    (a->nr_words && w.offset <= a->words[a->nr_words - 1].offset))
		return BAD;
	if (GROW(a, words) < 0)
		return NO_MEMORY;
	a->words[a->nr_words++] = w;
	return GOOD;
}

static int take_library(struct pd_answers *a, char *at)
{
	struct pd_archive_entry library = { .offset = 0 };
	uint32_t name;
	if (!a->archive && !(a->archive = pd_calloc(1, sizeof *a->archive)))
		return NO_MEMORY;
	struct pd_archive *archive = a->archive;
	if (!take_number(&at, &library.offset) || !take_number(&at, &library.size) ||
	    !take_reference(&at, a->nr_texts, &name) || name == PD_NO_ANSWER ||
	    (archive->nr && library.offset <= archive->entries[archive->nr - 1].offset))
		return BAD;
	library.name = a->texts[name].raw;
	if (pd_vector_grow(&archive->entries, &a->libraries_room, archive->nr, sizeof library) < 0)
		return NO_MEMORY;
	archive->entries[archive->nr++] = library;
	return GOOD;
}

static int take_line(struct pd_answers *a, struct pd_jit *jit, char *line)
{
	if (!line[0] || line[1] != '\t')
		return BAD;
	switch (line[0]) {
	case 't': return take_text(a, line + 2);
	case 's': return take_symbol(a, line + 2);
	case 'c': return take_call(a, line + 2);
	case 'a': return take_answer(a, line + 2);
	case 'j': return take_code(a, jit, line + 2);
	case 'r': return take_rule(a, line + 2);
	case 'w': return take_file_word(a, line + 2);
	case 'z': return take_library(a, line + 2);
	default: return BAD;
	}
}

/* Parses the lines between newlines. A line with a NUL ends there, and is invalid. */
static enum perfdata_status parse_answers(struct pd_answers *a, struct pd_jit *jit, struct pd_work *work)
{
	struct pd_meter meter = pd_meter(work);
	char *at = a->bytes, *end = a->bytes + a->size;
	for (bool is_head = true; at < end; is_head = false) {
		char *line = at, *stop = memchr(line, '\n', (size_t)(end - line));
		if (!stop || memchr(line, '\0', (size_t)(stop - line)))
			return PERFDATA_EFORMAT;
		*stop = '\0';
		at = stop + 1;
		const int taken = is_head ? take_head(line, &a->head) : take_line(a, jit, line);
		if (taken != GOOD)
			return taken == NO_MEMORY ? PERFDATA_ENOMEM : PERFDATA_EFORMAT;
		const enum perfdata_status status = pd_meter_count(&meter, 1);
		if (status)
			return status;
	}
	return a->size ? PERFDATA_OK : PERFDATA_EFORMAT;
}

/* --- loading ------------------------------------------------------------------------------------------------------ */

enum pd_answers_base pd_answers_base_of(const struct perfdata_symbols_dso *dso, uint64_t *ret_address)
{
	const struct perfdata_symbols_request *r = &dso->request;
	const bool is_placed = r->kind == PERFDATA_DSO_KERNEL && r->reference && r->reference_address;
	*ret_address = r->kind == PERFDATA_DSO_MODULE ? r->start : is_placed ? r->reference_address : 0;
	if (r->kind == PERFDATA_DSO_MODULE)
		return PD_BASE_START;
	if (is_placed)
		return !strcmp(r->reference, "_stext") ? PD_BASE_STEXT : PD_BASE_TEXT;
	return PD_BASE_FILE;
}

static size_t memory_of(const struct pd_answers *a, const struct pd_jit *jit)
{
	return sizeof *a + a->size + a->texts_room * sizeof *a->texts + a->symbols_room * sizeof *a->symbols +
	       a->calls_room * sizeof *a->calls + a->depths_room * sizeof *a->depths +
	       a->answers_room * sizeof *a->answers + a->rules_room * sizeof *a->rules +
	       a->words_room * sizeof *a->words + a->libraries_room * sizeof *a->archive->entries +
	       jit->capacity * sizeof *jit->items;
}

static void free_answers(struct pd_answers *a)
{
	pd_free(a->bytes);
	pd_free(a->texts);
	pd_free(a->symbols);
	pd_free(a->calls);
	pd_free(a->depths);
	pd_free(a->answers);
	pd_free(a->rules);
	pd_free(a->words);
	pd_archive_free(a->archive);
	pd_arena_release(&a->names);
	pd_hash_map_release(&a->lacking);
	pd_free(a);
}

static const char *reason_against(const struct perfdata_symbols_dso *dso, struct pd_answers *a)
{
	const struct pd_build_id wanted = pd_build_id_of(dso->request.build_id, dso->request.build_id_size);
	if (a->head.kind != dso->request.kind)
		return "its answers are of another kind of file";
	if (wanted.size != 0 ? !pd_same_build_id(&wanted, &a->head.id) : a->head.id.size != 0)
		return "its build-id differs";
	if (pd_answers_base_of(dso, &a->base) != a->head.base)
		return "nothing says where the recorded kernel had been loaded";
	/* a library cannot have libraries, which could nest endlessly */
	if (a->archive && (a->head.kind != PERFDATA_DSO_USER || pd_archive_entry_name(dso->request.path)))
		return "it has libraries as only an archive has them";
	return NULL;
}

static enum perfdata_status read_answers(struct perfdata_symbols_dso *dso, int fd, struct pd_answers *a)
{
	enum perfdata_status status = pd_read_within(&dso->work, fd, MAX_FILE, &a->bytes, &a->size);
	if (status)
		return status;
	pd_work_add_bytes(&dso->work, a->size);
	/* a line takes at most as much memory for each of its bytes as the shortest line does */
	status = pd_work_room(&dso->work, 8 * (uint64_t)a->size);
	if (!status)
		status = parse_answers(a, &dso->jit, &dso->work);
	if (!status)
		pd_jit_sort(&dso->jit);
	return status;
}

enum perfdata_status pd_answers_read(struct perfdata_symbols_dso *dso, int fd, const char **ret_reason)
{
	struct pd_answers *a = pd_calloc(1, sizeof *a);
	const enum perfdata_status status = a ? read_answers(dso, fd, a) : PERFDATA_ENOMEM;
	*ret_reason = status ? NULL : reason_against(dso, a);
	if (status || *ret_reason) {
		if (a)
			free_answers(a);
		pd_jit_release(&dso->jit);
		return status;
	}
	a->accounted = memory_of(a, &dso->jit);
	pd_account_take(pd_symbols_account(dso->symbols), PD_USE_SYMBOLS, a->accounted);
	dso->answers = a;
	dso->archive = a->archive;
	a->archive = NULL;
	return PERFDATA_OK;
}

void pd_answers_close(struct perfdata_symbols_dso *dso)
{
	struct pd_answers *a = dso->answers;
	if (!a)
		return;
	pd_account_give(pd_symbols_account(dso->symbols), PD_USE_SYMBOLS, a->accounted);
	free_answers(a);
	dso->answers = NULL;
}

/* --- looking up --------------------------------------------------------------------------------------------------- */

/* Finds an address in an ascending array whose items begin with their address; NULL: not found. */
static const void *find_entry(const void *items, size_t nr, size_t size, uint64_t address)
{
	const char *bytes = items;
	size_t before;
	PD_COUNT_BEFORE(before, nr, at, *(const uint64_t *)(bytes + at * size) < address);
	const uint64_t *found = before < nr ? (const uint64_t *)(bytes + before * size) : NULL;
	return found && *found == address ? found : NULL;
}

static void note_lacking(struct perfdata_symbols_dso *dso, uint64_t address)
{
	struct pd_answers *a = dso->answers;
	pd_monitor_enter(dso->names_lock);
	if (!pd_hash_map_find(&a->lacking, address)) {
		const size_t before = a->lacking.capacity;
		if (pd_hash_map_put(&a->lacking, address, 0) < 0)
			(void)pd_symbols_note(dso->symbols, PERFDATA_ENOMEM);
		const size_t more = (a->lacking.capacity - before) * sizeof *a->lacking.slots;
		a->accounted += more;
		pd_account_take(pd_symbols_account(dso->symbols), PD_USE_SYMBOLS, more);
	}
	pd_monitor_leave(dso->names_lock);
}

static const struct pd_answer *find_answer(const struct pd_answers *a, uint64_t address)
{
	return find_entry(a->answers, a->nr_answers, sizeof *a->answers, address - a->base);
}

bool pd_answers_have(const struct pd_answers *answers, uint64_t address) { return find_answer(answers, address); }

static const struct pd_answer *answer_at(struct perfdata_symbols_dso *dso, uint64_t address)
{
	const struct pd_answer *found = find_answer(dso->answers, address);
	if (!found)
		note_lacking(dso, address);
	return found;
}

/* Returns the shown text for a raw one: from the answers, or demangled. NULL: no memory, or the limit of names is
 * reached. */
static const char *shown_text(struct perfdata_symbols_dso *dso, uint32_t raw, uint32_t shown, bool is_mangled)
{
	struct pd_answers *a = dso->answers;
	struct text *text = &a->texts[raw];
	if (!is_mangled || dso->symbols->options.raw_names)
		return shown == PD_NO_ANSWER || dso->symbols->options.raw_names ? text->raw : a->texts[shown].raw;
	if (shown != PD_NO_ANSWER)
		return a->texts[shown].raw;
	const char *name = atomic_load_explicit(&text->shown, memory_order_acquire);
	if (name)
		return name;
	pd_monitor_enter(dso->names_lock);
	name = atomic_load_explicit(&text->shown, memory_order_relaxed);
	if (!name) {
		bool is_excess = false;
		const size_t before = a->names.total;
		pd_work_add_lookup(&dso->work);
		name = pd_demangle(&a->names, text->raw, &dso->work, &is_excess);
		a->accounted += a->names.total - before;
		pd_account_change(pd_symbols_account(dso->symbols), PD_USE_SYMBOLS, before, a->names.total);
		if (name)
			atomic_store_explicit(&text->shown, name, memory_order_release);
		else
			(void)pd_symbols_note(dso->symbols,
					      pd_demangle_failure() ? pd_demangle_failure() : PERFDATA_ENOMEM);
	}
	pd_monitor_leave(dso->names_lock);
	return name;
}

static enum perfdata_status find_code(struct perfdata_symbols_dso *dso, uint64_t address, uint64_t time,
				      struct perfdata_symbol *ret)
{
	const struct pd_jit_code *code = answer_at(dso, address) ? pd_jit_find(&dso->jit, address, time) : NULL;
	if (!code)
		return PERFDATA_ABSENT;
	*ret = pd_jit_symbol(code, address);
	return PERFDATA_OK;
}

enum perfdata_status pd_answers_symbol(struct perfdata_symbols_dso *dso, uint64_t address, uint64_t time,
				       struct perfdata_symbol *ret)
{
	const struct pd_answers *a = dso->answers;
	if (dso->request.kind == PERFDATA_DSO_JITDUMP)
		return find_code(dso, address, time, ret);
	const struct pd_answer *answer = answer_at(dso, address);
	if (!answer || answer->symbol == PD_NO_ANSWER)
		return PERFDATA_ABSENT;
	const struct pd_answer_symbol *s = &a->symbols[answer->symbol];
	const bool is_mangled = dso->request.kind == PERFDATA_DSO_USER;
	const char *shown = shown_text(dso, s->name, s->shown, is_mangled);
	if (!shown)
		return pd_symbols_failure(dso->symbols);
	*ret = (struct perfdata_symbol){
		.name = shown,
		.raw_name = a->texts[s->name].raw,
		.module = s->module == PD_NO_ANSWER ? NULL : a->texts[s->module].raw,
		.start = s->start + a->base,
		.size = s->size,
		.offset = answer->address - s->start,
		.binding = (enum perfdata_symbol_binding)s->binding,
	};
	return PERFDATA_OK;
}

enum perfdata_status pd_answers_calls(struct perfdata_symbols_dso *dso, uint64_t address,
				      const struct pd_lines_wish *wish, struct perfdata_source_line *frames,
				      size_t room, size_t *ret_count)
{
	const struct pd_answers *a = dso->answers;
	const struct pd_answer *answer = answer_at(dso, address);
	*ret_count = 0;
	if (!answer || answer->calls == PD_NO_ANSWER ||
	    (!wish->positions && answer->flags & PD_ANSWER_POSITION_ONLY))
		return PERFDATA_ABSENT;
	for (uint32_t at = answer->calls; at != PD_NO_ANSWER; at = a->calls[at].next) {
		const struct pd_answer_call *call = &a->calls[at];
		if (*ret_count < room) {
			struct perfdata_source_line *frame = &frames[*ret_count];
			*frame = (struct perfdata_source_line){ .inlined = call->is_inlined,
								.first_line = call->first_line };
			if (wish->positions) {
				frame->file = call->file == PD_NO_ANSWER ? NULL : a->texts[call->file].raw;
				frame->line = call->line;
				frame->column = call->column;
			}
			if (call->function != PD_NO_ANSWER)
				frame->function = wish->raw_names ? a->texts[call->function].raw
								  : shown_text(dso, call->function, call->shown, true);
			else if (call->shown != PD_NO_ANSWER)
				frame->function = a->texts[call->shown].raw;
			if (call->function != PD_NO_ANSWER && !frame->function)
				return pd_symbols_failure(dso->symbols);
		}
		++*ret_count;
	}
	return PERFDATA_OK;
}

enum perfdata_status pd_answers_object(struct perfdata_symbols_dso *dso, uint64_t address, uint64_t *ret_address,
				       const char **ret)
{
	const struct pd_answers *a = dso->answers;
	const struct pd_answer *answer = answer_at(dso, address);
	if (!answer || !(answer->flags & PD_ANSWER_IN_SEGMENT) || dso->request.kind != PERFDATA_DSO_USER)
		return PERFDATA_ABSENT;
	*ret_address = address + a->head.shift;
	if (answer->object == PD_NO_ANSWER && !(answer->flags & PD_ANSWER_NAMELESS_OBJECT))
		return PERFDATA_ABSENT;
	*ret = answer->object == PD_NO_ANSWER ? NULL : a->texts[answer->object].raw;
	return PERFDATA_OK;
}

bool pd_answers_differ(struct perfdata_symbols_dso *dso, uint64_t address)
{
	const struct pd_answer *answer = answer_at(dso, address);
	return answer && answer->flags & PD_ANSWER_DIFFERS;
}

struct pd_rule pd_answers_rule(struct perfdata_symbols_dso *dso, uint64_t vaddr)
{
	const struct pd_answers *a = dso->answers;
	const struct pd_answer_rule *found = find_entry(a->rules, a->nr_rules, sizeof *a->rules, vaddr);
	if (found)
		return found->rule;
	note_lacking(dso, vaddr);
	return (struct pd_rule){ .kind = PD_RULE_END };
}

bool pd_answers_jit_rule(const struct perfdata_symbols_dso *dso, uint64_t key, struct pd_rule *ret)
{
	const struct pd_answers *a = dso->answers;
	const struct pd_answer_rule *found = find_entry(a->rules, a->nr_rules, sizeof *a->rules, key);
	if (found)
		*ret = found->rule;
	return found;
}

bool pd_answers_word(struct perfdata_symbols_dso *dso, uint64_t offset, uint64_t *ret)
{
	const struct pd_answers *a = dso->answers;
	const struct pd_answer_word *found = find_entry(a->words, a->nr_words, sizeof *a->words, offset);
	if (found)
		*ret = found->value;
	return found;
}

uint64_t pd_answers_nr_symbols(const struct pd_answers *answers) { return answers->nr_symbols; }

bool pd_answers_have_names(const struct pd_answers *answers) { return answers->head.has_names; }

bool pd_answers_lack(struct perfdata_symbols_dso *dso, uint64_t *ret_nr)
{
	struct pd_answers *a = dso->answers;
	*ret_nr = a && !a->is_reported ? a->lacking.count : 0;
	if (*ret_nr)
		a->is_reported = true;
	return *ret_nr > 0;
}
