/* SPDX-License-Identifier: MIT */
/* Finds the formats in the tracing data, and reads the small tables after the formats. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/checked.h"
#include "base/cursor.h"
#include "base/digit.h"
#include "base/memory.h"
#include "base/search.h"
#include "schema/trace_types.h"
#include "schema/trace.h"

static const char magic[] = "\x17\x08\x44tracing";

/* The state of one load. */
struct load {
	struct perfdata_trace *trace;
	struct pd_cursor in;
	const uint8_t *start;
	perfdata_finding_fn *finding;
	void *user;
	bool complete;
	bool no_memory;
	struct pd_hash_map by_format;    /* hash of fields and print format → index of the first event that has them */
	uint64_t seed;
};

static void report_finding(struct load *load, enum perfdata_finding_code code, const uint8_t *at, const char *message)
{
	const struct perfdata_finding_info *info = perfdata_finding_lookup(code);
	const struct perfdata_finding finding = {
		.severity = info ? info->severity : PERFDATA_SEVERITY_ERROR,
		.code = code,
		.offset = (uint64_t)(at - load->start),
		.record = UINT64_MAX,
		.message = message,
	};

	load->complete = false;
	if (load->finding)
		load->finding(load->user, &finding);
}

static void report_damage(struct load *load, const char *what)
{
	char message[160];

	snprintf(message, sizeof message, "tracing data is damaged: %s; everything before it was read", what);
	report_finding(load, PERFDATA_FINDING_TRACING_DATA, load->in.at, message);
}

static bool out_of_memory(struct load *load)
{
	load->no_memory = true;
	return false;
}

/* --- text lines ----------------------------------------------------------------------------------------------- */

bool pd_trace_line(struct pd_trace_span *text, struct pd_trace_span *ret_line)
{
	if (text->at == text->end)
		return false;
	const char *newline = memchr(text->at, '\n', (size_t)(text->end - text->at));
	*ret_line = (struct pd_trace_span){ text->at, newline ? newline : text->end };
	text->at = newline ? newline + 1 : text->end;
	return true;
}

static bool number_in_base(struct pd_trace_span *span, unsigned base, uint64_t *ret_value)
{
	uint64_t value = 0;
	const char *start;

	pd_trace_skip_blanks(span);
	for (start = span->at; span->at < span->end; span->at++) {
		const unsigned digit = pd_digit_of(*span->at);
		if (digit >= base)
			break;
		if (!pd_mul(value, base, &value) || !pd_add(value, digit, &value))
			return false;
	}
	if (span->at == start)
		return false;
	*ret_value = value;
	return true;
}

bool pd_trace_number(struct pd_trace_span *span, uint64_t *ret_value)
{
	return number_in_base(span, 10, ret_value);
}

/* --- events --------------------------------------------------------------------------------------------------- */

/* Finds name and id in the two lines before "format:". */
static bool find_name_and_id(const char *text, size_t size, struct pd_trace_span *ret_name, uint64_t *ret_id)
{
	struct pd_trace_span rest = { text, text + size }, line;
	bool has_name = false, has_id = false;

	while (!(has_name && has_id) && pd_trace_line(&rest, &line)) {
		if (pd_trace_skip_word(&line, "name:")) {
			pd_trace_skip_blanks(&line);
			*ret_name = line;
			has_name = line.at < line.end;
		} else if (pd_trace_skip_word(&line, "ID:")) {
			has_id = pd_trace_number(&line, ret_id);
		} else if (pd_trace_skip_word(&line, "format:")) {
			return false;
		}
	}
	return has_name && has_id;
}

/* Adds an event; `text` must live as long as the trace. */
static enum perfdata_status add_event(struct perfdata_trace *trace, const char *system, const char *text, size_t size)
{
	struct pd_trace_span name = { NULL, NULL };
	uint64_t id = 0;

	if (!find_name_and_id(text, size, &name, &id))
		return PERFDATA_DAMAGED;
	if (pd_vector_grow(&trace->entries, &trace->capacity, trace->count, sizeof *trace->entries) != 0)
		return PERFDATA_ENOMEM;
	struct pd_trace_entry *entry = pd_arena_calloc(&trace->arena, 1, sizeof *entry);
	if (!entry)
		return PERFDATA_ENOMEM;
	entry->id = id;
	entry->system = system;
	entry->name = pd_arena_copy(&trace->arena, name.at, (size_t)(name.end - name.at));
	entry->text = text;
	entry->size = size;
	if (!entry->name || pd_hash_map_put(&trace->by_id, id, trace->count) != 0)
		return PERFDATA_ENOMEM;
	trace->entries[trace->count++] = entry;
	return PERFDATA_OK;
}

/* Finds the part of a format that does not name its event: from "format:" on. False: the text has an unusual head, or
 * it is too long to be compiled. */
static bool find_shared_part(const struct pd_trace_entry *entry, struct pd_trace_span *ret)
{
	struct pd_trace_span rest = { entry->text, entry->text + entry->size }, line;

	if (entry->size > PD_TRACE_FORMAT_LIMIT || !pd_trace_line(&rest, &line) ||
	    !pd_trace_skip_word(&line, "name:") ||
	    !pd_trace_line(&rest, &line) || !pd_trace_skip_word(&line, "ID:"))
		return false;
	*ret = line = rest;
	return pd_trace_skip_word(&line, "format:");
}

static bool has_same_part(const struct pd_trace_entry *entry, struct pd_trace_span part)
{
	struct pd_trace_span own;
	const size_t size = (size_t)(part.end - part.at);

	return find_shared_part(entry, &own) && (size_t)(own.end - own.at) == size &&
	       memcmp(own.at, part.at, size) == 0;
}

/* Links the newest event to an earlier one with the same fields and print format, as about half of the kernel's events
 * have one (sys_exit_...): such a format is compiled once. */
static bool link_same(struct load *load)
{
	struct pd_trace_entry *entry = load->trace->entries[load->trace->count - 1];
	struct pd_trace_span part;
	uint64_t index;

	if (!find_shared_part(entry, &part))
		return true;
	const uint64_t hash = pd_hash_bytes(part.at, (size_t)(part.end - part.at), load->seed);
	if (!pd_hash_map_get(&load->by_format, hash, &index))
		return pd_hash_map_put(&load->by_format, hash, load->trace->count - 1) == 0;
	if (load->trace->entries[index] != entry && has_same_part(load->trace->entries[index], part))
		entry->same = load->trace->entries[index];
	return true;
}

/* Loads a u64 size and a text. */
static bool load_event(struct load *load, const char *system)
{
	const uint8_t *start = load->in.at;
	const uint64_t size = pd_u64(&load->in);
	const uint8_t *text = pd_take(&load->in, size);

	if (!text) {
		load->in.at = start;
		report_damage(load, "the format of an event reaches beyond its end");
		return false;
	}
	switch (add_event(load->trace, system, (const char *)text, (size_t)size)) {
	case PERFDATA_OK:
		return link_same(load) || out_of_memory(load);
	case PERFDATA_ENOMEM:
		return out_of_memory(load);
	default:
		report_finding(load, PERFDATA_FINDING_TRACE_FORMAT, start,
			       "a tracepoint format has no name or ID; it was left out");
	}
	return true;
}

static bool load_events(struct load *load, const char *system, const char *what)
{
	const uint8_t *start = load->in.at;
	const uint32_t count = pd_u32(&load->in);

	if (load->in.failed) {
		load->in.at = start;
		report_damage(load, what);
		return false;
	}
	for (uint32_t i = 0; i < count; i++)
		if (!load_event(load, system))
			return false;
	return true;
}

/* Loads a NUL-terminated text; NULL: there is no NUL. */
static const char *load_string(struct load *load)
{
	const uint8_t *nul = memchr(load->in.at, 0, pd_left(&load->in));

	return nul ? (const char *)pd_take(&load->in, (uint64_t)(nul - load->in.at) + 1) : NULL;
}

static bool load_systems(struct load *load)
{
	const uint8_t *start = load->in.at;
	const uint32_t count = pd_u32(&load->in);

	if (load->in.failed) {
		load->in.at = start;
		report_damage(load, "it ends before the event systems");
		return false;
	}
	for (uint32_t i = 0; i < count; i++) {
		const char *system = load_string(load);
		if (!system) {
			report_damage(load, "the name of an event system has no end");
			return false;
		}
		if (!load_events(load, system, "it ends before the events of a system"))
			return false;
	}
	return true;
}

/* --- head and the items after the events -------------------------------------------------------------------------- */

static bool load_head(struct load *load)
{
	struct perfdata_trace_info *info = &load->trace->info;
	const uint8_t *head = pd_take(&load->in, sizeof magic - 1);

	if (!head || memcmp(head, magic, sizeof magic - 1) != 0)
		return false;
	const char *version = load_string(load);
	const uint8_t *fixed = pd_take(&load->in, 2);
	if (!version || !fixed)
		return false;
	info->version = version;
	info->order = fixed[0] ? PERFDATA_BYTE_ORDER_BIG : PERFDATA_BYTE_ORDER_LITTLE;
	info->long_size = fixed[1];
	load->in.swap = pd_order_is_foreign(info->order);
	info->page_size = pd_u32(&load->in);
	if (load->in.failed || fixed[0] > 1)
		return false;
	if (info->long_size != 4 && info->long_size != 8) {
		report_finding(load, PERFDATA_FINDING_TRACING_DATA, fixed + 1,
			       "tracing data states an impossible size of long; 8 was used");
		info->long_size = 8;
	}
	return true;
}

/* Loads a name, a u64 size and a text: header_page or header_event. */
static bool load_header_text(struct load *load, const char *name, struct perfdata_bytes *ret_text)
{
	const uint8_t *start = load->in.at;
	const uint8_t *found = pd_take(&load->in, strlen(name) + 1);

	if (!found || memcmp(found, name, strlen(name) + 1) != 0) {
		load->in.at = start;
		report_damage(load, name);
		return false;
	}
	const uint64_t size = pd_u64(&load->in);
	const uint8_t *text = pd_take(&load->in, size);
	if (!text) {
		load->in.at = start;
		report_damage(load, name);
		return false;
	}
	*ret_text = (struct perfdata_bytes){ text, (size_t)size };
	return true;
}

/* Loads a size and the bytes; if they do not fit, as many as are left. */
static bool load_sized(struct load *load, bool wide, const char *what, struct perfdata_bytes *ret_bytes)
{
	const uint8_t *start = load->in.at;
	const uint64_t size = wide ? pd_u64(&load->in) : pd_u32(&load->in);

	if (load->in.failed) {
		load->in.at = start;
		report_damage(load, what);
		return false;
	}
	const size_t there = size <= pd_left(&load->in) ? (size_t)size : pd_left(&load->in);
	*ret_bytes = (struct perfdata_bytes){ pd_take(&load->in, there), there };
	if (there < size) {
		load->in.at = start;
		report_damage(load, what);
		return false;
	}
	return true;
}

static int by_key(const void *a, const void *b)
{
	const struct pd_trace_text *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return x->text < y->text ? -1 : x->text > y->text;
}

static bool add_text(struct perfdata_trace *trace, struct pd_trace_texts *texts, uint64_t key,
		     struct pd_trace_span span)
{
	const char *copy = pd_arena_copy(&trace->arena, span.at, (size_t)(span.end - span.at));

	if (!copy || pd_vector_grow(&texts->items, &texts->capacity, texts->count, sizeof *texts->items) != 0)
		return false;
	texts->items[texts->count++] = (struct pd_trace_text){ key, copy };
	return true;
}

static void sort_texts(struct pd_trace_texts *texts)
{
	if (texts->count)
		qsort(texts->items, texts->count, sizeof *texts->items, by_key);
}

/* Returns the text of a printk format as libtraceevent keeps it: without quotes and without a final "\n". */
static struct pd_trace_span printk_text(struct pd_trace_span span)
{
	if (span.at < span.end && *span.at == '"')
		span.at++;
	if (span.at < span.end && span.end[-1] == '"')
		span.end--;
	if (span.end - span.at >= 2 && span.end[-2] == '\\' && span.end[-1] == 'n')
		span.end -= 2;
	return span;
}

/* Reads lines `0xADDRESS : "text"`; ignores other lines. */
static bool read_printk(struct perfdata_trace *trace)
{
	const char *text = (const char *)trace->info.printk_formats.data;
	struct pd_trace_span rest = { text, text ? text + trace->info.printk_formats.size : NULL }, line;

	while (text && pd_trace_line(&rest, &line)) {
		uint64_t address;
		if (!pd_trace_skip_word(&line, "0x"))
			continue;
		if (!number_in_base(&line, 16, &address) || !pd_trace_skip_word(&line, ":"))
			continue;
		pd_trace_skip_blanks(&line);
		if (!add_text(trace, &trace->printk, address, printk_text(line)))
			return false;
	}
	sort_texts(&trace->printk);
	return true;
}

/* The version, compared number by number, is at least 0.6. */
bool pd_trace_has_comms(const char *version)
{
	struct pd_trace_span span = { version, version + strlen(version) };
	uint64_t major, minor = 0;

	if (!pd_trace_number(&span, &major))
		return false;
	if (pd_trace_skip_word(&span, ".") && !pd_trace_number(&span, &minor))
		return false;
	return major > 0 || minor >= 6;
}

static void load_body(struct load *load)
{
	struct perfdata_trace_info *info = &load->trace->info;

	if (!load_header_text(load, "header_page", &info->header_page) ||
	    !load_header_text(load, "header_event", &info->header_event))
		return;
	if (!load_events(load, "ftrace", "it ends before the ftrace formats") || !load_systems(load))
		return;
	if (!load_sized(load, false, "the kernel symbols", &info->kallsyms) ||
	    !load_sized(load, false, "the printk formats", &info->printk_formats))
		return;
	if (pd_trace_has_comms(info->version))
		load_sized(load, true, "the saved comms", &info->saved_cmdlines);
}

/* --- loading and freeing ------------------------------------------------------------------------------------------ */

enum perfdata_status pd_trace_load(const void *bytes, size_t size, perfdata_finding_fn *finding, void *user,
				   struct perfdata_trace **ret_trace, bool *ret_complete)
{
	struct load load = { .finding = finding, .user = user, .complete = true };

	load.trace = pd_calloc(1, sizeof *load.trace);
	if (!load.trace)
		return PERFDATA_ENOMEM;
	load.trace->info.version = "";
	const uint8_t *copy = (const uint8_t *)pd_arena_copy(&load.trace->arena, size ? bytes : "", size);
	if (!copy) {
		pd_trace_free(load.trace);
		return PERFDATA_ENOMEM;
	}
	load.start = copy;
	load.in = pd_cursor(copy, size, false);
	if (!load_head(&load)) {
		pd_trace_free(load.trace);
		return PERFDATA_EFORMAT;
	}
	load.seed = pd_hash_seed(load.trace);
	load_body(&load);
	pd_hash_map_release(&load.by_format);
	if (load.no_memory || !read_printk(load.trace)) {
		pd_trace_free(load.trace);
		return PERFDATA_ENOMEM;
	}
	*ret_trace = load.trace;
	if (ret_complete)
		*ret_complete = load.complete;
	return PERFDATA_OK;
}

void pd_trace_free(struct perfdata_trace *trace)
{
	if (!trace)
		return;
	for (size_t i = 0; i < trace->count; i++)
		pd_trace_compiled_free(atomic_load_explicit(&trace->entries[i]->compiled, memory_order_relaxed));
	pd_free(trace->entries);
	pd_free(trace->printk.items);
	pd_hash_map_release(&trace->by_id);
	pd_arena_release(&trace->arena);
	pd_free(trace);
}

/* --- look-ups ------------------------------------------------------------------------------------------------- */

void pd_trace_info(const struct perfdata_trace *trace, struct perfdata_trace_info *ret_info)
{
	*ret_info = trace->info;
	ret_info->nr_events = trace->count;
}

/* Compiles the event at its first use. Two threads may compile it at once: one result is published, the other freed. */
static const struct perfdata_trace_event *compiled_event(const struct perfdata_trace *trace,
							 struct pd_trace_entry *entry)
{
	struct pd_trace_compiled *found = atomic_load_explicit(&entry->compiled, memory_order_acquire);

	if (found)
		return &found->event;
	const struct perfdata_trace_event *same = entry->same ? compiled_event(trace, entry->same) : NULL;
	struct pd_trace_compiled *made = same ? pd_trace_share(entry, same)
				       : entry->same ? NULL
						     : pd_trace_compile(trace, entry);
	if (!made)
		return NULL;
	if (atomic_compare_exchange_strong_explicit(&entry->compiled, &found, made, memory_order_acq_rel,
						    memory_order_acquire))
		return &made->event;
	pd_trace_compiled_free(made);
	return &found->event;
}

const struct perfdata_trace_event *pd_trace_event(const struct perfdata_trace *trace, uint64_t id)
{
	uint64_t index;

	return pd_hash_map_get(&trace->by_id, id, &index) ? compiled_event(trace, trace->entries[index]) : NULL;
}

bool pd_trace_has_event(const struct perfdata_trace *trace, uint64_t id)
{
	uint64_t index;

	return pd_hash_map_get(&trace->by_id, id, &index);
}

const struct perfdata_trace_event *pd_trace_event_at(const struct perfdata_trace *trace, size_t index)
{
	return index < trace->count ? compiled_event(trace, trace->entries[index]) : NULL;
}

const char *pd_trace_printk(const struct perfdata_trace *trace, uint64_t address)
{
	const struct pd_trace_texts *texts = &trace->printk;
	size_t low;

	PD_COUNT_BEFORE(low, texts->count, at, texts->items[at].key < address);
	return low < texts->count && texts->items[low].key == address ? texts->items[low].text : NULL;
}
