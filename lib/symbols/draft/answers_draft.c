/* SPDX-License-Identifier: MIT */
/* Collects the answers for the looked-up addresses of a file, in one recording or several, and writes them as text. */
#include "config.h"
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/cancel.h"
#include "base/digit.h"
#include "base/memory.h"
#include "symbols/answers/symbol_answers.h"
#include "symbols/draft/answers_draft.h"
#include "symbols/unwind/unwind_rules.h"

#define FEWEST_CALLS 64u

struct pd_answers_draft {
	struct pd_answers_head head;
	char *path;                       /* key of a file without a build-id */
	struct pd_intern *texts, *symbols, *calls, *codes;
	struct draft_list {
		void *items;              /* each item begins with its key, a uint64_t */
		size_t nr, room, item_size;
		struct pd_hash_map known; /* keys of the items */
	} answers, rules, words, libraries;   /* items: struct pd_answer, pd_answer_rule, … */
	bool needs_tables;
};

/* --- a draft and its key ------------------------------------------------------------------------------------------ */

struct pd_answers_draft *pd_answers_draft_new(const struct perfdata_symbols_dso *dso)
{
	struct pd_answers_draft *draft = pd_calloc(1, sizeof *draft);
	uint64_t base;
	if (!draft)
		return NULL;
	draft->head.kind = dso->request.kind;
	draft->head.id = pd_build_id_of(dso->request.build_id, dso->request.build_id_size);
	draft->head.base = pd_answers_base_of(dso, &base);
	draft->answers.item_size = sizeof(struct pd_answer);
	draft->rules.item_size = sizeof(struct pd_answer_rule);
	draft->words.item_size = sizeof(struct pd_answer_word);
	draft->libraries.item_size = sizeof(struct pd_answer_library);
	draft->path = pd_strndup(dso->request.path, strlen(dso->request.path));
	draft->texts = pd_intern_new();
	draft->symbols = pd_intern_new();
	draft->calls = pd_intern_new();
	draft->codes = pd_intern_new();
	if (draft->path && draft->texts && draft->symbols && draft->calls && draft->codes)
		return draft;
	pd_answers_draft_free(draft);
	return NULL;
}

static void release_list(struct draft_list *list)
{
	pd_hash_map_release(&list->known);
	pd_free(list->items);
}

void pd_answers_draft_free(struct pd_answers_draft *draft)
{
	if (!draft)
		return;
	pd_intern_free(draft->texts);
	pd_intern_free(draft->symbols);
	pd_intern_free(draft->calls);
	pd_intern_free(draft->codes);
	release_list(&draft->answers);
	release_list(&draft->rules);
	release_list(&draft->words);
	release_list(&draft->libraries);
	pd_free(draft->path);
	pd_free(draft);
}

bool pd_answers_draft_is_of(const struct pd_answers_draft *draft, struct perfdata_bytes id, const char *path)
{
	const struct pd_build_id wanted = pd_build_id_of(id.data, id.size);
	if (!draft->head.id.size || !wanted.size)
		return !draft->head.id.size && !wanted.size && !strcmp(draft->path, path);
	return pd_same_build_id(&draft->head.id, &wanted);
}

bool pd_answers_draft_is_of_dso(const struct pd_answers_draft *draft, const struct perfdata_symbols_dso *dso)
{
	const struct perfdata_symbols_request *r = &dso->request;
	return draft->head.kind == r->kind &&
	       pd_answers_draft_is_of(draft, (struct perfdata_bytes){ r->build_id, r->build_id_size }, r->path);
}

bool pd_answers_draft_needs_tables(const struct pd_answers_draft *draft) { return draft->needs_tables; }

const char *pd_answers_draft_library(const struct pd_answers_draft *draft, size_t index)
{
	const struct pd_answer_library *libraries = draft->libraries.items;
	return index < draft->libraries.nr ? pd_intern_get(draft->texts, libraries[index].name, NULL) : NULL;
}

/* --- collecting --------------------------------------------------------------------------------------------------- */

struct collecting {
	struct pd_answers_draft *draft;
	struct perfdata_symbols_dso *dso;
	uint64_t base;
	struct pd_arena scratch;                /* memory for demangling */
	struct perfdata_source_line *raw, *shown;
	size_t room;
	enum perfdata_status status;            /* status of the first failure */
};

static uint32_t put_entry(struct collecting *c, struct pd_intern *in, const void *bytes, size_t size)
{
	const uint32_t id = pd_intern_put(in, bytes, size);
	if (id == UINT32_MAX && !c->status)
		c->status = PERFDATA_ENOMEM;
	return id;
}

static uint32_t put_text(struct collecting *c, const char *text)
{
	return text ? put_entry(c, c->draft->texts, text, strlen(text)) : PD_NO_ANSWER;
}

/* Adds the shown name, unless a reader of the answers can derive it from the raw name. */
static uint32_t put_shown(struct collecting *c, const char *raw, const char *shown, bool is_mangled)
{
	bool is_excess = false;
	if (!raw || !shown)
		return put_text(c, raw ? NULL : shown);
	const char *found = is_mangled ? pd_demangle(&c->scratch, raw, NULL, &is_excess) : raw;
	const bool is_same = found && !is_excess && !strcmp(found, shown);
	pd_arena_reset(&c->scratch);
	return is_same ? PD_NO_ANSWER : put_text(c, shown);
}

/* Whether the list has no item with this key. */
static bool is_lacking(const struct draft_list *list, uint64_t key) { return !pd_hash_map_find(&list->known, key); }

static void append_item(struct collecting *c, struct draft_list *list, const void *item)
{
	uint64_t key;
	memcpy(&key, item, sizeof key);
	if (pd_vector_grow(&list->items, &list->room, list->nr, list->item_size) < 0 ||
	    pd_hash_map_put(&list->known, key, 0) < 0) {
		c->status = PERFDATA_ENOMEM;
		return;
	}
	memcpy((char *)list->items + list->nr++ * list->item_size, item, list->item_size);
}

/* Whether the look-up gave an answer; keeps the status of a failed one. */
static bool is_answer(struct collecting *c, enum perfdata_status status)
{
	if (status != PERFDATA_OK && status != PERFDATA_ABSENT && status != PERFDATA_EUNSUP && !c->status)
		c->status = status;
	return status == PERFDATA_OK;
}

static uint32_t collect_symbol(struct collecting *c, uint64_t address)
{
	struct perfdata_symbol found;
	if (!is_answer(c, perfdata_symbols_lookup(c->dso, address, UINT64_MAX, &found)))
		return PD_NO_ANSWER;
	struct pd_answer_symbol symbol;
	memset(&symbol, 0, sizeof symbol);
	symbol.start = found.start - c->base;
	symbol.size = found.size;
	symbol.name = put_text(c, found.raw_name);
	symbol.shown = put_shown(c, found.raw_name, found.name, c->dso->table.mangled);
	symbol.module = put_text(c, found.module);
	symbol.binding = (uint32_t)found.binding;
	return put_entry(c, c->draft->symbols, &symbol, sizeof symbol);
}

/* Finds the calls at an address twice, with linkage names and with shown names. */
static enum perfdata_status find_both(struct collecting *c, uint64_t address, size_t *ret_nr)
{
	const struct pd_lines_wish raw = { .positions = true, .raw_names = true }, shown = { .positions = true };
	size_t nr = 0, nr_shown = 0;
	enum perfdata_status status;
	for (;;) {
		status = pd_symbols_find_calls(c->dso, address, &raw, c->raw, c->room, &nr);
		if (!status)
			status = pd_symbols_find_calls(c->dso, address, &shown, c->shown, c->room, &nr_shown);
		if (status || nr <= c->room)
			break;
		struct perfdata_source_line *more = pd_calloc(2 * nr, sizeof *more);
		if (!more)
			return PERFDATA_ENOMEM;
		pd_free(c->raw < c->shown ? c->raw : c->shown);
		c->raw = more;
		c->shown = more + nr;
		c->room = nr;
	}
	*ret_nr = nr == nr_shown ? nr : 0;
	return status;
}

static uint32_t collect_calls(struct collecting *c, uint64_t address, uint32_t *flags)
{
	size_t nr = 0, nr_calls = 0;
	struct perfdata_source_line first;
	uint32_t next = PD_NO_ANSWER;
	if (!is_answer(c, find_both(c, address, &nr)))
		return PD_NO_ANSWER;
	for (size_t i = nr; i-- > 0;) {
		struct pd_answer_call call;
		memset(&call, 0, sizeof call);
		call.function = put_text(c, c->raw[i].function);
		call.shown = put_shown(c, c->raw[i].function, c->shown[i].function, true);
		call.file = put_text(c, c->raw[i].file);
		call.line = c->raw[i].line;
		call.column = c->raw[i].column;
		call.first_line = c->raw[i].first_line;
		call.is_inlined = c->raw[i].inlined;
		call.next = next;
		next = put_entry(c, c->draft->calls, &call, sizeof call);
	}
	if (!is_answer(c, perfdata_symbols_calls(c->dso, address, &first, 1, &nr_calls)))
		*flags |= PD_ANSWER_POSITION_ONLY;
	return next;
}

static void collect_answer(struct collecting *c, uint64_t address)
{
	struct pd_answer answer = { .address = address - c->base, .symbol = PD_NO_ANSWER, .calls = PD_NO_ANSWER,
				    .object = PD_NO_ANSWER };
	if (!is_lacking(&c->draft->answers, answer.address))
		return;
	if (c->dso->request.kind != PERFDATA_DSO_JITDUMP) {
		const char *object = NULL;
		uint64_t shifted, vaddr;
		answer.symbol = collect_symbol(c, address);
		answer.calls = collect_calls(c, address, &answer.flags);
		if (is_answer(c, pd_symbols_object(c->dso, address, &shifted, &object))) {
			answer.object = put_text(c, object);
			answer.flags |= object ? 0 : PD_ANSWER_NAMELESS_OBJECT;
		}
		if (pd_symbols_vaddr(c->dso, address, &vaddr) == PERFDATA_OK)
			answer.flags |= PD_ANSWER_IN_SEGMENT;
		if (pd_symbols_differ(c->dso, address))
			answer.flags |= PD_ANSWER_DIFFERS;
	}
	append_item(c, &c->draft->answers, &answer);
}

static void collect_code(struct collecting *c, uint64_t number)
{
	const struct pd_jit_code *found = &c->dso->jit.items[number];
	struct pd_answer_code code;
	memset(&code, 0, sizeof code);
	code.start = found->start;
	code.end = found->end;
	code.time = found->time;
	code.until = found->until;
	code.name = put_text(c, found->name);
	(void)put_entry(c, c->draft->codes, &code, sizeof code);
}

static void collect_rule(struct collecting *c, uint64_t vaddr)
{
	struct pd_answers_draft *draft = c->draft;
	struct pd_answer_rule rule = { .address = vaddr };
	const bool is_jit = c->dso->jit.count;
	if (is_jit && !pd_jit_rule_of_place(c->dso, vaddr, &rule.address, &rule.rule))
		return;
	if (!is_lacking(&draft->rules, rule.address))
		return;
	if (!is_jit)
		(void)pd_rule_find(c->dso, vaddr, true, &rule.rule);
	/* the text of answers has no word for it */
	if (rule.rule.return_address == PD_RULE_IN_REGISTER)
		rule.rule = (struct pd_rule){ .kind = PD_RULE_LIBDWFL };
	draft->needs_tables |= rule.rule.kind == PD_RULE_LIBDWFL;
	append_item(c, &draft->rules, &rule);
}

static void collect_word(struct collecting *c, uint64_t offset, uint64_t value)
{
	const struct pd_answer_word word = { offset, value };
	if (is_lacking(&c->draft->words, offset))
		append_item(c, &c->draft->words, &word);
}

/* Collects the libraries of an archive in which addresses were looked up. */
static void collect_libraries(struct collecting *c)
{
	const struct pd_archive *archive = c->dso->archive;
	for (size_t i = 0; archive && i < archive->nr && !c->status; i++) {
		const struct pd_archive_entry *entry = &archive->entries[i];
		if (!atomic_load_explicit(&entry->dso, memory_order_acquire) ||
		    !is_lacking(&c->draft->libraries, entry->offset))
			continue;
		struct pd_answer_library library = { .offset = entry->offset, .size = entry->size };
		library.name = put_text(c, entry->name);
		append_item(c, &c->draft->libraries, &library);
	}
}

static int compare_keys(const void *left, const void *right)
{
	const uint64_t a = ((const uint64_t *)left)[0], b = ((const uint64_t *)right)[0];
	return (a > b) - (a < b);
}

/* Calls `take` for each entry of a map in the order of keys: debug information is faster to read in the order of
 * addresses. The entries are copied first. */
static void walk_keys(struct collecting *c, const struct pd_hash_map *map,
		      void (*take)(struct collecting *c, uint64_t key),
		      void (*take_pair)(struct collecting *c, uint64_t key, uint64_t value))
{
	uint64_t *pairs = pd_calloc(map->count + 1, 2 * sizeof *pairs);
	size_t nr = 0, position = 0;
	if (!pairs)
		c->status = PERFDATA_ENOMEM;
	while (pairs && nr < map->count && pd_hash_map_each(map, &position, &pairs[2 * nr], &pairs[2 * nr + 1]))
		nr++;
	if (nr)
		qsort(pairs, nr, 2 * sizeof *pairs, compare_keys);
	for (size_t i = 0; i < nr && !c->status; i++) {
		if (pd_cancelled(c->dso->symbols->options.cancel))
			c->status = PERFDATA_EINTR;
		else if (take)
			take(c, pairs[2 * i]);
		else
			take_pair(c, pairs[2 * i], pairs[2 * i + 1]);
	}
	pd_free(pairs);
}

enum perfdata_status pd_answers_draft_add(struct pd_answers_draft *draft, struct perfdata_symbols_dso *dso)
{
	struct collecting c = { .draft = draft, .dso = dso, .room = FEWEST_CALLS };
	struct pd_asked *asked = dso->asked;
	if (asked->failed)
		return PERFDATA_ENOMEM;
	if (pd_answers_base_of(dso, &c.base) != draft->head.base)
		return PERFDATA_EUSAGE;
	c.raw = pd_calloc(2 * (size_t)FEWEST_CALLS, sizeof *c.raw);
	if (!c.raw)
		return PERFDATA_ENOMEM;
	c.shown = c.raw + FEWEST_CALLS;
	struct perfdata_symbols_origin origin;
	draft->head.has_names |= is_answer(&c, pd_symbols_origin(dso, &origin));
	if (dso->text)
		draft->head.shift = pd_elf_text_shift(dso->text);
	/* look-ups of the draft itself must not be noted */
	dso->asked = NULL;
	walk_keys(&c, &asked->addresses, collect_answer, NULL);
	walk_keys(&c, &asked->codes, collect_code, NULL);
	walk_keys(&c, &asked->rules, collect_rule, NULL);
	walk_keys(&c, &asked->words, NULL, collect_word);
	collect_libraries(&c);
	dso->asked = asked;
	pd_free(c.raw < c.shown ? c.raw : c.shown);
	pd_arena_release(&c.scratch);
	return c.status;
}

/* --- writing the text --------------------------------------------------------------------------------------------- */

struct spelling {
	const struct pd_answers_draft *draft;
	char *bytes;
	size_t size, room;
	uint32_t *texts, *symbols, *calls;      /* number in the text, by id; PD_NO_ANSWER: not yet written */
	uint32_t nr_texts, nr_symbols, nr_calls;
	bool failed;
};

static void append_bytes(struct spelling *s, const char *bytes, size_t size)
{
	if (!s->failed && s->room - s->size < size)
		s->failed = pd_vector_grow(&s->bytes, &s->room, s->size + size, 1) < 0;
	if (s->failed)
		return;
	memcpy(s->bytes + s->size, bytes, size);
	s->size += size;
}

static void PERFDATA_PRINTF(2, 3) write_line(struct spelling *s, const char *format, ...)
{
	char text[512];
	va_list args;
	va_start(args, format);
	const int size = vsnprintf(text, sizeof text, format, args);
	va_end(args);
	append_bytes(s, text, (size_t)size);
}

static void spell_number(struct spelling *s, uint32_t number)
{
	if (number == PD_NO_ANSWER)
		append_bytes(s, "\t-", 2);
	else
		write_line(s, "\t%" PRIx32, number);
}

static uint32_t *new_numbers(const struct pd_intern *ids)
{
	const size_t nr = pd_intern_count(ids);
	uint32_t *numbers = pd_malloc((nr + 1) * sizeof *numbers);
	for (size_t i = 0; numbers && i < nr; i++)
		numbers[i] = PD_NO_ANSWER;
	return numbers;
}

static uint32_t number_text(struct spelling *s, uint32_t id)
{
	size_t size;
	if (id == PD_NO_ANSWER || s->texts[id] != PD_NO_ANSWER)
		return id == PD_NO_ANSWER ? id : s->texts[id];
	const char *text = pd_intern_get(s->draft->texts, id, &size);
	append_bytes(s, "t\t", 2);
	for (size_t i = 0; i < size;) {
		const size_t plain = strcspn(text + i, "\\\n\t\r");
		append_bytes(s, text + i, plain);
		i += plain;
		if (i < size) {
			const char escaped[2] = { '\\', text[i] == '\n' ? 'n' : text[i] == '\t' ? 't'
							: text[i] == '\r' ? 'r' : '\\' };
			append_bytes(s, escaped, 2);
			i++;
		}
	}
	append_bytes(s, "\n", 1);
	return s->texts[id] = s->nr_texts++;
}

static uint32_t number_symbol(struct spelling *s, uint32_t id)
{
	if (id == PD_NO_ANSWER || s->symbols[id] != PD_NO_ANSWER)
		return id == PD_NO_ANSWER ? id : s->symbols[id];
	struct pd_answer_symbol symbol;
	memcpy(&symbol, pd_intern_get(s->draft->symbols, id, NULL), sizeof symbol);
	const uint32_t name = number_text(s, symbol.name), shown = number_text(s, symbol.shown),
		       module = number_text(s, symbol.module);
	write_line(s, "s\t%" PRIx64 "\t%" PRIx64 "\t%" PRIx32, symbol.start, symbol.size, symbol.binding);
	spell_number(s, name);
	spell_number(s, shown);
	spell_number(s, module);
	append_bytes(s, "\n", 1);
	return s->symbols[id] = s->nr_symbols++;
}

/* Writes a call after the call into which it is inlined. A loop, since chains may be long. */
static uint32_t number_calls(struct spelling *s, uint32_t id)
{
	struct pd_answer_call call;
	if (id == PD_NO_ANSWER || s->calls[id] != PD_NO_ANSWER)
		return id == PD_NO_ANSWER ? id : s->calls[id];
	uint32_t *chain = NULL;
	size_t nr = 0, room = 0;
	for (uint32_t at = id; at != PD_NO_ANSWER && s->calls[at] == PD_NO_ANSWER && !s->failed; at = call.next) {
		memcpy(&call, pd_intern_get(s->draft->calls, at, NULL), sizeof call);
		s->failed = pd_vector_grow(&chain, &room, nr, sizeof *chain) < 0;
		if (!s->failed)
			chain[nr++] = at;
	}
	while (nr && !s->failed) {
		const uint32_t at = chain[--nr];
		memcpy(&call, pd_intern_get(s->draft->calls, at, NULL), sizeof call);
		const uint32_t function = number_text(s, call.function), shown = number_text(s, call.shown),
			       file = number_text(s, call.file);
		append_bytes(s, "c", 1);
		spell_number(s, function);
		spell_number(s, shown);
		spell_number(s, file);
		write_line(s, "\t%" PRIx32 "\t%" PRIx32 "\t%" PRIx32 "\t%" PRIx32, call.line, call.column,
			   call.first_line, call.is_inlined);
		spell_number(s, call.next == PD_NO_ANSWER ? call.next : s->calls[call.next]);
		append_bytes(s, "\n", 1);
		s->calls[at] = s->nr_calls++;
	}
	pd_free(chain);
	return s->failed ? PD_NO_ANSWER : s->calls[id];
}

static void spell_head(struct spelling *s)
{
	const struct pd_answers_head *head = &s->draft->head;
	char id[2 * PERFDATA_BUILD_ID_MAX + 1];
	pd_hex_digits(id, head->id.bytes, head->id.size);
	write_line(s, PD_ANSWERS_MAGIC "%s\t%s\t%s\t%d\t%" PRIx64 "\n", pd_answers_kinds[head->kind],
		   head->id.size ? id : "-", pd_answers_bases[head->base], head->has_names, head->shift);
}

static void spell_answers(struct spelling *s)
{
	const struct pd_answer *answers = s->draft->answers.items;
	for (size_t i = 0; i < s->draft->answers.nr && !s->failed; i++) {
		const struct pd_answer *answer = &answers[i];
		const uint32_t symbol = number_symbol(s, answer->symbol), calls = number_calls(s, answer->calls),
			       object = number_text(s, answer->object);
		write_line(s, "a\t%" PRIx64, answer->address);
		spell_number(s, symbol);
		spell_number(s, calls);
		write_line(s, "\t%" PRIx32, answer->flags);
		spell_number(s, object);
		append_bytes(s, "\n", 1);
	}
}

static void spell_rest(struct spelling *s)
{
	const struct pd_answers_draft *draft = s->draft;
	for (uint32_t i = 0; i < pd_intern_count(draft->codes); i++) {
		struct pd_answer_code code;
		memcpy(&code, pd_intern_get(draft->codes, i, NULL), sizeof code);
		const uint32_t name = number_text(s, code.name);
		write_line(s, "j\t%" PRIx64 "\t%" PRIx64 "\t%" PRIx64 "\t%" PRIx64, code.start, code.end, code.time,
			   code.until);
		spell_number(s, name);
		append_bytes(s, "\n", 1);
	}
	const struct pd_answer_rule *rules = draft->rules.items;
	for (size_t i = 0; i < draft->rules.nr; i++) {
		const struct pd_rule *rule = &rules[i].rule;
		write_line(s, "r\t%" PRIx64 "\t%d\t%d\t%d\t%x\t%" PRIx32 "\t%" PRIx32 "\t%" PRIx32 "\t%" PRIx32 "\n",
			   rules[i].address, rule->kind, rule->base, rule->is_signed,
			   rule->return_address | (unsigned)rule->fp << 2 | (unsigned)rule->kept << 4,
			   (uint32_t)rule->cfa, (uint32_t)rule->return_address_at, (uint32_t)rule->fp_at,
			   (uint32_t)rule->kept_at);
	}
	const struct pd_answer_word *words = draft->words.items;
	for (size_t i = 0; i < draft->words.nr; i++)
		write_line(s, "w\t%" PRIx64 "\t%" PRIx64 "\n", words[i].offset, words[i].value);
	const struct pd_answer_library *libraries = draft->libraries.items;
	for (size_t i = 0; i < draft->libraries.nr; i++) {
		const uint32_t name = number_text(s, libraries[i].name);
		write_line(s, "z\t%" PRIx64 "\t%" PRIx64, libraries[i].offset, libraries[i].size);
		spell_number(s, name);
		append_bytes(s, "\n", 1);
	}
}

static void sort_list(const struct draft_list *list)
{
	if (list->nr)
		qsort(list->items, list->nr, list->item_size, compare_keys);
}

enum perfdata_status pd_answers_draft_spell(const struct pd_answers_draft *draft, char **ret, size_t *ret_size)
{
	struct spelling s = { .draft = draft, .texts = new_numbers(draft->texts),
			      .symbols = new_numbers(draft->symbols), .calls = new_numbers(draft->calls) };
	s.failed = !s.texts || !s.symbols || !s.calls;
	sort_list(&draft->answers);
	sort_list(&draft->rules);
	sort_list(&draft->words);
	sort_list(&draft->libraries);
	if (!s.failed) {
		spell_head(&s);
		spell_answers(&s);
		spell_rest(&s);
	}
	pd_free(s.texts);
	pd_free(s.symbols);
	pd_free(s.calls);
	if (s.failed) {
		pd_free(s.bytes);
		return PERFDATA_ENOMEM;
	}
	*ret = s.bytes;
	*ret_size = s.size;
	return PERFDATA_OK;
}
