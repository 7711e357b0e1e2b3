/* `folded`: one line for each distinct stack and its weight, root first, as flame graph tools read it: COMM;FRAME;FRAME WEIGHT. Samples of
 * several events are never added up: with more than one event, lines begin with the event's name. */
#include "config.h"
#include <stdlib.h>
#include "emit/emitters.h"
#include "emit/model/text_cache.h"

#define NO_CHAIN PERFDATA_NONE
#define EMPTY_CHAIN (PERFDATA_NONE - 1)

/* What samples that count as one have in common. */
struct key {
	uint32_t event;        /* index */
	uint32_t comm;
	uint32_t stack;        /* NO_CHAIN: then `frame` is all there is; EMPTY_CHAIN: there is nothing */
	uint32_t frame;
};

struct weighted {
	struct key key;
	uint64_t weight;
};

/* Keys in the order of their first appearance. */
struct table {
	struct weighted *entries;
	size_t nr, room;
	uint32_t *slots;       /* index + 1; 0: free */
	size_t nr_slots;       /* a power of two, more than the entries */
};

struct folded {
	const struct perfdata_session *session;
	const struct perfdata_reader *reader;
	bool by_period, with_inlines;
	struct table table;    /* merge's */
};

/* --- the table ------------------------------------------------------------------------------------------------------------- */

static void table_release(struct table *table)
{
	free(table->entries);
	free(table->slots);
}

static size_t key_hash(const struct key *key)
{
	uint64_t hash = ((uint64_t)key->stack << 32 | key->frame) * 0x9e3779b97f4a7c15ull;
	hash = (hash ^ hash >> 29 ^ ((uint64_t)key->event << 32 | key->comm)) * 0xbf58476d1ce4e5b9ull;
	return (size_t)(hash ^ hash >> 32);
}

static bool grow_slots(struct table *table)
{
	const size_t nr = table->nr_slots ? table->nr_slots * 2 : 256;
	uint32_t *slots = calloc(nr, sizeof *slots);
	if (!slots)
		return false;
	for (size_t i = 0; i < table->nr; i++) {
		size_t at = key_hash(&table->entries[i].key) & (nr - 1);
		while (slots[at])
			at = (at + 1) & (nr - 1);
		slots[at] = (uint32_t)i + 1;
	}
	free(table->slots);
	table->slots = slots;
	table->nr_slots = nr;
	return true;
}

static bool table_add(struct table *table, const struct key *key, uint64_t weight)
{
	if (table->nr * 2 >= table->nr_slots && !grow_slots(table))
		return false;
	size_t at = key_hash(key) & (table->nr_slots - 1);
	for (; table->slots[at]; at = (at + 1) & (table->nr_slots - 1)) {
		struct weighted *entry = &table->entries[table->slots[at] - 1];
		if (memcmp(&entry->key, key, sizeof *key) != 0)
			continue;
		entry->weight += weight;
		return true;
	}
	if (table->nr == table->room) {
		const size_t room = table->room ? table->room * 2 : 128;
		struct weighted *entries = realloc(table->entries, room * sizeof *entries);
		if (!entries)
			return false;
		table->entries = entries;
		table->room = room;
	}
	table->entries[table->nr++] = (struct weighted){ *key, weight };
	table->slots[at] = (uint32_t)table->nr;
	return true;
}

/* --- begin, format, merge ---------------------------------------------------------------------------------------------------- */

static const struct perfdata_emitter_option options[] = {
	{ .name = "weight", .kind = PERFDATA_OPTION_CHOICE, .argument = "samples|period", .help = "what a sample counts; default samples" },
	{ .name = "inline", .kind = PERFDATA_OPTION_FLAG, .help = "show inlined functions (default; --no-inline leaves them out)" },
	{ 0 },
};

static void release(void *state)
{
	struct folded *folded = state;
	if (folded)
		table_release(&folded->table);
	free(folded);
}

static enum perfdata_status begin(const struct perfdata_emit_context *context, void **ret_state, struct perfdata_text *out)
{
	(void)out;
	struct folded *folded = calloc(1, sizeof *folded);
	if (!folded)
		return PERFDATA_ENOMEM;
	folded->session = context->session;
	folded->reader = context->reader;
	const char *weight = perfdata_option_text(context->options, context->nr_options, "weight");
	folded->by_period = weight && !strcmp(weight, "period");
	folded->with_inlines = perfdata_option_flag(context->options, context->nr_options, "inline", true);
	*ret_state = folded;
	return PERFDATA_OK;
}

/* What the samples of a batch count: adding them up is left to merge, which has to do it for those of all batches anyway. */
struct part {
	size_t nr;
	struct weighted samples[];
};

static enum perfdata_status format(const void *state, const struct perfdata_batch *batch, void *value, struct perfdata_scratch *scratch,
				   struct perfdata_text *out, void **ret_part)
{
	(void)value;
	(void)scratch;
	(void)out;
	const struct folded *folded = state;
	struct part *part = malloc(sizeof *part + batch->nr_deliveries * sizeof *part->samples);
	if (!part)
		return PERFDATA_ENOMEM;
	part->nr = 0;
	for (size_t i = 0; i < batch->nr_deliveries; i++) {
		const struct perfdata_delivery *delivery = &batch->deliveries[i];
		if (delivery->record->type != PERFDATA_RECORD_SAMPLE || delivery->flags & PERFDATA_DELIVERY_SILENT || !delivery->event)
			continue;
		struct key key = { delivery->event->index, delivery->comm, delivery->stack, PERFDATA_NONE };
		if (delivery->stack == PERFDATA_NONE) {
			const bool recorded = delivery->record->event->config.attr.sample_type & PERFDATA_SAMPLE_CALLCHAIN;
			key.stack = recorded ? EMPTY_CHAIN : NO_CHAIN;
			key.frame = recorded ? PERFDATA_NONE : delivery->ip;
		}
		part->samples[part->nr++] = (struct weighted){ key, folded->by_period ? delivery->period : 1 };
	}
	*ret_part = part;
	return PERFDATA_OK;
}

static enum perfdata_status merge(void *state, void *pointer, struct perfdata_text *out)
{
	(void)out;
	struct folded *folded = state;
	struct part *part = pointer;
	enum perfdata_status status = PERFDATA_OK;
	for (size_t i = 0; i < part->nr && status == PERFDATA_OK; i++)
		if (!table_add(&folded->table, &part->samples[i].key, part->samples[i].weight))
			status = PERFDATA_ENOMEM;
	free(part);
	return status;
}

/* --- lines ------------------------------------------------------------------------------------------------------------------------ */

/* What separates frames and lines must not stand inside them. */
static void append_clean(struct perfdata_text *out, const char *text)
{
	const size_t before = out->size;
	perfdata_text_string(out, text);
	if (perfdata_text_failed(out))
		return;
	for (size_t i = before; i < out->size; i++) {
		if (out->data[i] == ';')
			out->data[i] = ':';
		else if ((unsigned char)out->data[i] < ' ' || out->data[i] == 0x7f)
			out->data[i] = '_';
	}
}

static void spell_frame(const struct folded *folded, uint32_t frame, bool inlines, struct perfdata_text *out)
{
	enum { MAX_INLINED = 64 };
	struct perfdata_source_line calls[MAX_INLINED];
	struct perfdata_symbol symbol;
	size_t nr;
	perfdata_text_char(out, ';');
	if (frame == PERFDATA_NONE) {
		perfdata_text_literal(out, "[unknown]");
		return;
	}
	if (perfdata_session_symbol(folded->session, frame, UINT64_MAX, &symbol) != PERFDATA_OK) {
		const struct perfdata_frame *at = perfdata_session_frame(folded->session, frame);
		const struct perfdata_dso *dso = perfdata_session_dso(folded->session, at->dso);
		const char *name = dso ? dso->name : "[unknown]", *slash = strrchr(name, '/');
		name = slash ? slash + 1 : name;
		perfdata_text_string(out, *name == '[' ? "" : "[");
		append_clean(out, name);
		perfdata_text_string(out, *name == '[' ? "" : "]");
		return;
	}
	append_clean(out, symbol.name);
	if (!inlines || perfdata_session_source(folded->session, frame, calls, MAX_INLINED, &nr) != PERFDATA_OK)
		return;
	for (size_t i = nr < MAX_INLINED ? nr : MAX_INLINED; i-- > 0;) {
		if (!calls[i].inlined)
			continue;
		perfdata_text_char(out, ';');
		append_clean(out, calls[i].function ? calls[i].function : "[unknown]");
	}
}

/* The same, copied where the frame came before: finding what is inlined somewhere is dear. */
static void append_frame(const struct folded *folded, struct text_cache *cache, uint32_t frame, bool inlines, struct perfdata_text *out)
{
	const uint64_t key = ((uint64_t)frame << 1 | inlines) + 1;
	if (pd_text_cache_append(cache, key, out))
		return;
	const size_t before = out->size;
	spell_frame(folded, frame, inlines, out);
	if (!perfdata_text_failed(out))
		pd_text_cache_put(cache, key, out->data + before, out->size - before);
}

/* A line without its weight. */
static void append_line(const struct folded *folded, struct text_cache *cache, const struct key *key, bool with_event,
			struct perfdata_text *out)
{
	const struct perfdata_step *steps;
	size_t nr;
	if (with_event) {
		append_clean(out, perfdata_reader_event(folded->reader, key->event)->name);
		perfdata_text_char(out, ';');
	}
	append_clean(out, perfdata_session_comm(folded->session, key->comm));
	if (key->stack == NO_CHAIN)
		append_frame(folded, cache, key->frame, false, out);
	else if (perfdata_session_stack(folded->session, key->stack, &steps, &nr) == PERFDATA_OK)
		while (nr-- > 0)
			append_frame(folded, cache, steps[nr].frame, folded->with_inlines && steps[nr].origin != PERFDATA_STEP_BRANCH, out);
}

struct line {
	const char *text;
	size_t offset, size;
	uint64_t weight;
};

static int compare_lines(const void *left, const void *right)
{
	const struct line *a = left, *b = right;
	const int order = memcmp(a->text, b->text, a->size < b->size ? a->size : b->size);
	return order ? order : (a->size > b->size) - (a->size < b->size);
}

static bool has_several_events(const struct table *table)
{
	for (size_t i = 1; i < table->nr; i++)
		if (table->entries[i].key.event != table->entries[0].key.event)
			return true;
	return false;
}

/* Sorted; stacks that read the same, such as those that differ by an offset inside a function, are one line. */
static void append_sorted(struct line *lines, size_t nr, struct perfdata_text *out)
{
	qsort(lines, nr, sizeof *lines, compare_lines);
	for (size_t i = 0; i < nr;) {
		uint64_t weight = lines[i].weight;
		size_t next = i + 1;
		for (; next < nr && compare_lines(&lines[i], &lines[next]) == 0; next++)
			weight += lines[next].weight;
		perfdata_text_append(out, lines[i].text, lines[i].size);
		perfdata_text_char(out, ' ');
		perfdata_text_u64(out, weight);
		perfdata_text_char(out, '\n');
		i = next;
	}
}

static enum perfdata_status end(void *state, const struct perfdata_emit_end *end, struct perfdata_text *out)
{
	(void)end;
	const struct folded *folded = state;
	const struct table *table = &folded->table;
	if (!table->nr)
		return PERFDATA_OK;
	struct line *lines = calloc(table->nr, sizeof *lines);
	if (!lines)
		return PERFDATA_ENOMEM;
	const bool with_event = has_several_events(table);
	struct text_cache cache;
	struct perfdata_text texts;
	perfdata_text_init(&texts);
	texts.failed = !pd_text_cache_init(&cache);
	for (size_t i = 0; i < table->nr && !perfdata_text_failed(&texts); i++) {
		lines[i].offset = texts.size;
		append_line(folded, &cache, &table->entries[i].key, with_event, &texts);
		lines[i].size = texts.size - lines[i].offset;
		lines[i].weight = table->entries[i].weight;
	}
	pd_text_cache_release(&cache);
	for (size_t i = 0; i < table->nr && !perfdata_text_failed(&texts); i++)
		lines[i].text = texts.data + lines[i].offset;
	if (!perfdata_text_failed(&texts))
		append_sorted(lines, table->nr, out);
	const bool failed = perfdata_text_failed(&texts) || perfdata_text_failed(out);
	perfdata_text_release(&texts);
	free(lines);
	return failed ? PERFDATA_ENOMEM : PERFDATA_OK;
}

const struct perfdata_emitter pd_emitter_folded = {
	.abi = PERFDATA_EMITTER_ABI, .name = "folded", .help = "one line for each stack and its weight, for flame graphs",
	.needs = PERFDATA_NEED_DELIVERIES | PERFDATA_NEED_THREADS | PERFDATA_NEED_FRAMES | PERFDATA_NEED_STACKS,
	.symbols = true, .light = true, .options = options,
	.begin = begin, .format = format, .merge = merge, .end = end, .free_part = free, .release = release,
};
