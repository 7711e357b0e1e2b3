/* SPDX-License-Identifier: MIT */
/* `perf-json`: the document that `perf data convert --to-json` writes. Where perf writes a key of an object twice, it
 * is written once, with the last value. */
#include "config.h"
#include <inttypes.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <time.h>
#include "base/memory.h"
#include "emit/emitters.h"
#include "emit/values/text_cache.h"
#include "emit/perf/cpu_numbers.h"
#include "text/lines.h"
#include "schema/schema.h"
#include "schema/trace.h"
#include "reader/reader.h"
#include "profile/profile.h"
#include "text/json_quoted.h"
#include "text/spelling.h"

/* Keys of every sample. A field of a tracepoint may have the same name. */
enum standard_key { KEY_TIMESTAMP, KEY_PID, KEY_TID, KEY_CPU, KEY_COMM, KEY_CALLCHAIN, NR_KEYS };
static const char *const key_names[NR_KEYS] = { "timestamp", "pid", "tid", "cpu", "comm", "callchain" };

/* A field of a tracepoint. */
struct field {
	const struct perfdata_trace_field *field;
	bool maybe_text;
	bool is_number;                        /* needs no escaping */
	/* From the first sample whose text is not printable on, perf writes the field as numbers. This is the number of
	 * that sample among all deliveries; UINT64_MAX: none so far. scan may set it while other threads format earlier
	 * samples, which it does not affect. */
	_Atomic uint64_t bytes_from;
};

/* A sample is formatted as constant bytes and numbers (from struct numbers and the raw data). At a STOP a function
 * writes a value. */
enum { BASE_NUMBERS, BASE_RAW, NR_BASES };
enum { STOP_END, STOP_COMM, STOP_CALLCHAIN, STOP_FIELD };   /* STOP_FIELD + n: field n */

struct numbers {
	int64_t time;
	int32_t pid, tid, cpu;
};

/* A plan for the samples of one event. */
struct event_plan {
	const struct perfdata_trace_event *event;
	struct field *fields;                  /* in the order of the format, each name once */
	size_t nr_fields;
	bool maybe_texts;                      /* a field may be text */
	uint32_t hidden;                       /* standard keys that are replaced by fields */
	/* for raw data in this machine's byte order that contains all numbers */
	struct perfdata_line whole;
	struct perfdata_line any;                       /* for other raw data: a function writes each field */
	struct event_plan *next;
};

/* A thread's plans by version of the event: the list of all plans is long. */
struct plan_table {
	struct event_plan **plans;
	size_t nr;
};

struct perf_json {
	const struct perfdata_reader *reader;
	bool cpu;                              /* some event records CPUs */
	uint32_t nr_cpus;
	_Atomic(struct event_plan *) plans;    /* newest first; only scan adds plans, and none is removed */
	struct plan_table scanned;             /* scan's */
	struct perfdata_line without_fields;
	struct text_pool *texts;               /* for all threads */
	uint64_t nr_deliveries;                /* scan's */
	bool any;                              /* scan's: there was a sample */
};

struct value {
	uint64_t first;                        /* number of the batch's first delivery */
	bool comma;                            /* the batch's first sample needs a comma */
};

/* --- begin -------------------------------------------------------------------------------------------------------- */

static const struct perfdata_node *feature_root(const struct perfdata_reader *reader, uint32_t id)
{
	const struct perfdata_feature_section *section = perfdata_reader_feature(reader, id);
	return section && section->feature ? perfdata_feature_root(section->feature) : NULL;
}

static uint64_t feature_number(const struct perfdata_reader *reader, uint32_t id, const char *name)
{
	const struct perfdata_node *node = perfdata_node_get(feature_root(reader, id), name);
	return node ? node->v.u : 0;
}

static void head_key(struct perfdata_text *out, const char *name)
{
	perfdata_text_printf(out, ",\n\t\t\"%s\": ", name);
}

static void head_number(struct perfdata_text *out, const char *name, uint64_t value)
{
	head_key(out, name);
	perfdata_text_u64(out, value);
}

static void head_text(struct perfdata_text *out, const char *name, const char *text)
{
	head_key(out, name);
	pd_json_text(out, text ? text : "");
}

static void head_cmdline(struct perfdata_text *out, const struct perfdata_reader *reader)
{
	head_key(out, "cmdline");
	perfdata_text_char(out, '[');
	const struct perfdata_node *list =
		reader ? perfdata_node_get(feature_root(reader, PERFDATA_FEATURE_CMDLINE), "cmdline") : NULL;
	for (const struct perfdata_node *node = list ? list->child : NULL; node; node = node->next) {
		perfdata_text_string(out, "\n\t\t\t");
		perfdata_text_json_string(out, node->v.bytes.data, node->v.bytes.size);
		if (node->next)
			perfdata_text_char(out, ',');
	}
	perfdata_text_literal(out, "\n\t\t]");
}

/* perf writes the head of a pipe's document before it reads records, so the head lacks facts from records. */
static void spell_head(struct perfdata_text *out, const struct perfdata_reader *reader)
{
	const struct perfdata_header *header = perfdata_reader_header(reader);
	const bool pipe = header->container == PERFDATA_CONTAINER_PIPE;
	char captured[64];
	struct tm day;
	const time_t mtime = (time_t)header->mtime;
	if (!gmtime_r(&mtime, &day) || !strftime(captured, sizeof captured, "%Y-%m-%dT%H:%M:%SZ", &day))
		captured[0] = '\0';
	perfdata_text_literal(out, "{\n\t\"linux-perf-json-version\": 1,\n\t\"headers\": {\n\t\t\"header-version\": ");
	perfdata_text_u64(out, header->version - 1);
	head_text(out, "captured-on", captured);
	head_number(out, "data-offset", pipe ? 0 : header->data.offset);
	head_number(out, "data-size", pipe ? 0 : header->data.size);
	head_number(out, "feat-offset", pipe ? 0 : header->data.offset + header->data.size);
	static const struct { const char *key; uint32_t feature;
	} texts[] = {
		{ "hostname", PERFDATA_FEATURE_HOSTNAME }, { "os-release", PERFDATA_FEATURE_OSRELEASE },
		{ "arch", PERFDATA_FEATURE_ARCH },         { "cpu-desc", PERFDATA_FEATURE_CPUDESC },
		{ "cpuid", PERFDATA_FEATURE_CPUID },
	};
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		const char *text = pipe ? NULL : perfdata_reader_feature_text(reader, texts[i].feature);
		if (text || texts[i].feature != PERFDATA_FEATURE_CPUDESC)
			head_text(out, texts[i].key, text);
	}
	head_number(out, "nrcpus-online", pipe ? 0 : feature_number(reader, PERFDATA_FEATURE_NRCPUS, "online"));
	head_number(out, "nrcpus-avail", pipe ? 0 : pd_nr_cpus_of(reader));
	if (!pipe && feature_root(reader, PERFDATA_FEATURE_CLOCK_DATA)) {
		head_number(out, "clockid", feature_number(reader, PERFDATA_FEATURE_CLOCK_DATA, "clockid"));
		head_number(out, "clock-time", feature_number(reader, PERFDATA_FEATURE_CLOCK_DATA, "clockid_time"));
		head_number(out, "real-time", feature_number(reader, PERFDATA_FEATURE_CLOCK_DATA, "wall_clock"));
	}
	head_text(out, "perf-version", pipe ? NULL : perfdata_reader_feature_text(reader, PERFDATA_FEATURE_VERSION));
	head_cmdline(out, pipe ? NULL : reader);
	perfdata_text_literal(out, "\n\t},\n\t\"samples\": [");
}

static void free_plans(struct event_plan *plan)
{
	while (plan) {
		struct event_plan *next = plan->next;
		pd_line_release(&plan->whole);
		pd_line_release(&plan->any);
		free(plan->fields);
		free(plan);
		plan = next;
	}
}

static void release_state(void *state)
{
	struct perf_json *json = state;
	if (!json)
		return;
	free_plans(atomic_load(&json->plans));
	pd_line_release(&json->without_fields);
	pd_text_pool_free(json->texts);
	free(json->scanned.plans);
	free(json);
}

/* --- lines -------------------------------------------------------------------------------------------------------- */

static void line_stop(struct perfdata_line *line, size_t stop)
{
	pd_line_part(line, (struct perfdata_part){ .form = PERFDATA_PART_STOP, .offset = (uint32_t)stop });
}

/* Adds a number of the sample with its key, unless a field replaces the key. */
static void pd_line_number(struct perfdata_line *line, uint32_t hidden, enum standard_key key,
			   enum perfdata_part_form form, size_t offset)
{
	if (hidden >> key & 1)
		return;
	perfdata_text_literal(&line->text, ",\n\t\t\t\"");
	perfdata_text_string(&line->text, key_names[key]);
	perfdata_text_literal(&line->text, "\": ");
	pd_line_part(line, (struct perfdata_part){
					 .form = (uint8_t)form, .base = BASE_NUMBERS, .offset = (uint32_t)offset });
}

static void line_field(struct perfdata_line *line, const struct field *field, size_t index, bool numbers)
{
	const char *name = field->field->name;
	perfdata_text_literal(&line->text, ",\n\t\t\t");
	pd_json_text(&line->text, name);
	perfdata_text_literal(&line->text, ": \"");
	struct perfdata_part part = pd_trace_field_part(field->field);
	if (!numbers || part.form == PERFDATA_PART_STOP) {
		line_stop(line, STOP_FIELD + index);
		return;
	}
	perfdata_text_append(&line->text, part.text, part.size);
	part.base = BASE_RAW;
	pd_line_part(line, part);
	perfdata_text_char(&line->text, '"');
}

/* plan NULL: no fields. numbers: for raw data that contains all numbers (event_plan.whole). False without memory. */
static bool make_line(const struct perf_json *json, const struct event_plan *plan, bool numbers,
		      struct perfdata_line *ret)
{
	const uint32_t hidden = plan ? plan->hidden : 0;
	*ret = (struct perfdata_line){ 0 };
	pd_line_number(ret, hidden, KEY_TIMESTAMP, PERFDATA_PART_S64, offsetof(struct numbers, time));
	pd_line_number(ret, hidden, KEY_PID, PERFDATA_PART_S32, offsetof(struct numbers, pid));
	pd_line_number(ret, hidden, KEY_TID, PERFDATA_PART_S32, offsetof(struct numbers, tid));
	if (json->cpu)
		pd_line_number(ret, hidden, KEY_CPU, PERFDATA_PART_S32, offsetof(struct numbers, cpu));
	if (!(hidden >> KEY_COMM & 1))
		line_stop(ret, STOP_COMM);
	if (!(hidden >> KEY_CALLCHAIN & 1))
		line_stop(ret, STOP_CALLCHAIN);
	for (size_t i = 0; plan && i < plan->nr_fields; i++)
		line_field(ret, &plan->fields[i], i, numbers);
	perfdata_text_literal(&ret->text, "\n\t\t}");
	line_stop(ret, STOP_END);
	return pd_line_finish(ret);
}

static enum perfdata_status begin_output(const struct perfdata_emit_context *context, void **ret_state,
					 struct perfdata_text *out)
{
	struct perf_json *json = calloc(1, sizeof *json);
	if (!json)
		return PERFDATA_ENOMEM;
	json->reader = context->reader;
	const struct perfdata_event *event;
	for (size_t i = 0; (event = perfdata_reader_event(context->reader, i)); i++)
		json->cpu |= (event->attr->sample_type & PERFDATA_SAMPLE_CPU) != 0;
	json->nr_cpus = pd_nr_cpus_of(context->reader);
	json->texts = pd_text_pool_new(pd_profile_account_of(context->session));
	if (!json->texts || !make_line(json, NULL, false, &json->without_fields)) {
		release_state(json);
		return PERFDATA_ENOMEM;
	}
	spell_head(out, context->reader);
	*ret_state = json;
	return PERFDATA_OK;
}

/* --- scan: commas, and texts that are written as numbers ----------------------------------------------- */

static struct event_plan *find_plan(const struct perf_json *json, const struct perfdata_trace_event *event)
{
	struct event_plan *plan = atomic_load_explicit(&json->plans, memory_order_acquire);
	while (plan && plan->event != event)
		plan = plan->next;
	return plan;
}

static void make_field(struct field *ret, const struct perfdata_trace_field *field)
{
	ret->field = field;
	ret->maybe_text = field->kind == PERFDATA_TRACE_STRING || field->element_size == 1;
	ret->is_number = pd_trace_prints_number(field);
	atomic_init(&ret->bytes_from, UINT64_MAX);
}

/* Whether a later field with the same name replaces this field. */
static bool is_repeated(const struct perfdata_trace_event *event, size_t index)
{
	for (size_t i = index + 1; i < event->nr_fields; i++)
		if (strcmp(event->fields[i].name, event->fields[index].name) == 0)
			return true;
	return false;
}

static struct event_plan *make_plan(struct perf_json *json, const struct perfdata_trace_event *event)
{
	struct event_plan *plan = calloc(1, sizeof *plan);
	if (!plan)
		return NULL;
	plan->event = event;
	plan->fields = calloc(event->nr_fields + 1, sizeof *plan->fields);
	for (size_t i = event->nr_common; plan->fields && i < event->nr_fields; i++) {
		for (unsigned key = 0; key < NR_KEYS; key++)
			if (strcmp(event->fields[i].name, key_names[key]) == 0)
				plan->hidden |= 1u << key;
		if (is_repeated(event, i))
			continue;
		make_field(&plan->fields[plan->nr_fields], &event->fields[i]);
		plan->maybe_texts |= plan->fields[plan->nr_fields].maybe_text;
		plan->nr_fields++;
	}
	if (!plan->fields || !make_line(json, plan, true, &plan->whole) || !make_line(json, plan, false, &plan->any)) {
		free_plans(plan);
		return NULL;
	}
	plan->next = atomic_load(&json->plans);
	atomic_store_explicit(&json->plans, plan, memory_order_release);
	return plan;
}

static bool is_sample(const struct perfdata_delivery *delivery)
{
	return delivery->record->type == PERFDATA_RECORD_SAMPLE && !(delivery->flags & PERFDATA_DELIVERY_SILENT);
}

static bool has_raw(const struct perfdata_delivery *delivery)
{
	return delivery->record->event->attr->sample_type & PERFDATA_SAMPLE_RAW;
}

/* The event's plan; NULL if there is none, or without memory. */
static struct event_plan *table_plan(struct plan_table *table, const struct perf_json *json,
				     const struct perfdata_event *event)
{
	if (pd_vector_reach(&table->plans, &table->nr, event->version, sizeof *table->plans) < 0)
		return NULL;
	struct event_plan **plan = &table->plans[event->version];
	if (!*plan)
		*plan = find_plan(json, event->trace);
	return *plan;
}

static struct perfdata_bytes raw_of(const struct perfdata_delivery *delivery)
{
	const struct perfdata_raw *raw = delivery->record;
	return pd_sample_raw(raw->event->config, raw->bytes, raw->size);
}

static enum perfdata_status scan_raw(struct perf_json *json, const struct perfdata_delivery *delivery, uint64_t number)
{
	const struct perfdata_event *event = delivery->event;
	struct event_plan *plan = table_plan(&json->scanned, json, event);
	if (!plan && !make_plan(json, event->trace))
		return PERFDATA_ENOMEM;
	if (!plan)
		plan = table_plan(&json->scanned, json, event);
	if (!plan)
		return PERFDATA_ENOMEM;
	if (!plan->maybe_texts)
		return PERFDATA_OK;
	const struct perfdata_bytes bytes = raw_of(delivery);
	for (size_t i = 0; i < plan->nr_fields; i++) {
		struct field *field = &plan->fields[i];
		if (!field->maybe_text || atomic_load_explicit(&field->bytes_from, memory_order_relaxed) != UINT64_MAX)
			continue;
		if (!pd_trace_field_printable(field->field, bytes, event->config->order))
			atomic_store_explicit(&field->bytes_from, number, memory_order_relaxed);
	}
	return PERFDATA_OK;
}

static enum perfdata_status scan_batch(void *state, const struct perfdata_batch *batch, void **ret_value)
{
	struct perf_json *json = state;
	struct value *value = calloc(1, sizeof *value);
	if (!value)
		return PERFDATA_ENOMEM;
	*value = (struct value){ .first = json->nr_deliveries, .comma = json->any };
	enum perfdata_status status = PERFDATA_OK;
	for (size_t i = 0; i < batch->nr_deliveries && status == PERFDATA_OK; i++) {
		const struct perfdata_delivery *delivery = &batch->deliveries[i];
		if (!is_sample(delivery))
			continue;
		json->any = true;
		if (delivery->event->trace && has_raw(delivery))
			status = scan_raw(json, delivery, value->first + i);
	}
	json->nr_deliveries += batch->nr_deliveries;
	if (status != PERFDATA_OK) {
		free(value);
		return status;
	}
	*ret_value = value;
	return PERFDATA_OK;
}

/* --- format ------------------------------------------------------------------------------------------------------- */

struct cache {
	/* by frame: text after an address; by comm: members of a thread */
	struct text_cache texts;
	struct plan_table plans;
};

static void cache_free(void *pointer)
{
	struct cache *cache = pointer;
	pd_text_cache_release(&cache->texts);
	free(cache->plans.plans);
	free(cache);
}

static struct cache *cache_get(const struct perf_json *json, struct perfdata_scratch *scratch,
			       const struct perfdata_batch *batch)
{
	if (scratch->cache)
		return scratch->cache;
	struct cache *cache = calloc(1, sizeof *cache);
	if (!cache)
		return NULL;
	pd_text_cache_init(&cache->texts, json->texts, pd_profile_account_of(batch->session));
	scratch->cache = cache;
	scratch->free_cache = cache_free;
	return cache;
}

struct formatter {
	const struct perf_json *json;
	const struct perfdata_batch *batch;
	const struct perfdata_session *session;
	struct cache *cache;
	struct perfdata_text *text, *out;
};

/* perf's short name of a dso: the last path component, or the process of a perf map. */
static void spell_dso(struct perfdata_text *out, const struct perfdata_dso *dso)
{
	const char *name = dso->name;
	if (dso->kind == PERFDATA_DSO_PERF_MAP) {
		perfdata_text_printf(out, "\"[JIT] tid %" PRId32 "\"", dso->pid);
		return;
	}
	const char *slash = strrchr(name, '/');
	name = slash ? slash + 1 : name;
	pd_json_text(out, name);
}

/* The text after an address: the end of its string, symbol and dso if known, the end of the object. */
static void spell_symbol(const struct formatter *f, uint32_t frame, struct perfdata_text *out)
{
	struct perfdata_symbol symbol;
	perfdata_text_char(out, '"');
	if (frame != PERFDATA_NONE && perfdata_session_symbol(f->session, frame, UINT64_MAX, &symbol) == PERFDATA_OK &&
	    *symbol.name) {
		const struct perfdata_dso *dso = perfdata_session_dso(f->session,
								      perfdata_session_frame(f->session, frame)->dso);
		perfdata_text_literal(out, ",\n\t\t\t\t\t\"symbol\": ");
		pd_json_text(out, symbol.name);
		if (dso && *dso->name) {
			perfdata_text_literal(out, ",\n\t\t\t\t\t\"dso\": ");
			spell_dso(out, dso);
		}
	}
	perfdata_text_literal(out, "\n\t\t\t\t}");
}

static void spell_thread(const struct formatter *f, uint32_t comm, struct perfdata_text *out)
{
	const char *name = perfdata_session_comm(f->session, comm);
	perfdata_text_literal(out, ",\n\t\t\t\"comm\": ");
	pd_json_text(out, name);
}

/* The text of a frame or, with OF_COMM, of a comm: formatted once, then cached. Valid until the next call; NULL without
 * memory. */
#define OF_COMM (UINT64_C(1) << 32)
static const char *known_text(const struct formatter *f, uint64_t id, size_t *ret_size)
{
	const char *known = text_cache_find(&f->cache->texts, id + 1, ret_size);
	if (known)
		return known;
	perfdata_text_clear(f->text);
	if (id & OF_COMM)
		spell_thread(f, (uint32_t)id, f->text);
	else
		spell_symbol(f, (uint32_t)id, f->text);
	*ret_size = f->text->size;
	const char *text = perfdata_text_reserve(f->text, TEXT_CACHE_SLACK) ? f->text->data : NULL;
	const char *kept = text ? pd_text_cache_put(&f->cache->texts, id + 1, text, *ret_size) : NULL;
	return kept ? kept : text;
}

static void spell_address(const struct formatter *f, uint64_t ip, uint32_t frame, bool comma, struct perfdata_text *out)
{
	static const char start[] = ",\n\t\t\t\t{\n\t\t\t\t\t\"ip\": \"0x";
	size_t size;
	const char *text = known_text(f, frame, &size);
	char *at = text ? perfdata_text_reserve(out, sizeof start + 32 + size + TEXT_CACHE_SLACK) : NULL;
	if (!at) {
		out->failed = true;
		return;
	}
	memcpy(at, start + !comma, sizeof start - 1);
	at = pd_hex_to(at + sizeof start - 1 - !comma, ip);
	perfdata_text_commit(out, text_cache_copy(at, text, size));
}

/* Writes all recorded addresses; `steps` has the frames of those that the session keeps. */
static void spell_list(const struct formatter *f, const struct perfdata_list *chain, const struct perfdata_step *steps,
		       size_t nr)
{
	size_t step = 0;
	for (uint64_t i = 0; i < chain->count; i++) {
		const uint64_t ip = perfdata_list_u64(chain, i);
		if (ip >= PERFDATA_CONTEXT_MAX)
			continue;
		step += step < nr && steps[step].origin != PERFDATA_STEP_RECORDED;
		spell_address(f, ip, step < nr ? steps[step].frame : PERFDATA_NONE, step > 0, f->out);
		step++;
	}
}

static void spell_stack(const struct formatter *f, const struct perfdata_delivery *delivery)
{
	enum { SESSION_KEEPS = 127 };          /* limit of recorded steps; longer chains are cut */
	size_t nr;
	const struct perfdata_step *steps = perfdata_batch_stack(f->batch, delivery, &nr);
	bool known = steps != NULL;
	/* perf writes the recorded callchain only */
	for (; nr && steps[nr - 1].origin != PERFDATA_STEP_RECORDED; nr--)
		known &= steps[nr - 1].origin == PERFDATA_STEP_UNWOUND;
	if (!known || nr >= SESSION_KEEPS) {
		struct perfdata_record record;
		(void)perfdata_raw_decode(f->json->reader, delivery->record, &record);
		spell_list(f, &record.u.sample.callchain, steps, nr);
		return;
	}
	for (size_t i = 0; i < nr; i++)
		if (steps[i].origin == PERFDATA_STEP_RECORDED)
			spell_address(f, steps[i].ip, steps[i].frame, i > 0, f->out);
}

static void spell_chain(const struct formatter *f, const struct perfdata_delivery *delivery)
{
	perfdata_text_literal(f->out, ",\n\t\t\t\"callchain\": [");
	if (delivery->record->event->attr->sample_type & PERFDATA_SAMPLE_CALLCHAIN)
		spell_stack(f, delivery);
	else
		spell_address(f, delivery->address, delivery->ip, false, f->out);
	perfdata_text_literal(f->out, "\n\t\t\t]");
}

/* Writes the value of a field. */
static void spell_field(const struct formatter *f, const struct event_plan *plan, const struct field *field,
			struct perfdata_bytes raw, enum perfdata_byte_order order, uint64_t number)
{
	struct perfdata_text *out = f->out;
	const bool as_bytes = field->maybe_text &&
			      atomic_load_explicit(&field->bytes_from, memory_order_relaxed) <= number;
	const size_t start = out->size;
	(void)pd_trace_print_field(plan->event, field->field, raw, order, as_bytes, out);
	if (perfdata_text_failed(out))
		return;
	if (field->is_number || pd_json_plain(out->data + start, out->size - start)) {
		perfdata_text_char(out, '"');
		return;
	}
	perfdata_text_clear(f->text);
	perfdata_text_json_string(f->text, out->data + start, out->size - start);
	out->failed |= perfdata_text_failed(f->text);
	out->size = start - 1;
	perfdata_text_append(out, f->text->data, f->text->size);
}

static void spell_comm(const struct formatter *f, uint32_t comm)
{
	size_t size = 0;
	const char *text = known_text(f, OF_COMM | comm, &size);
	f->out->failed |= !text;
	perfdata_text_append(f->out, text, size);
}

static const struct perfdata_line *line_of(const struct perf_json *json, const struct event_plan *plan,
					   const struct perfdata_event *event, struct perfdata_bytes raw)
{
	if (!plan)
		return &json->without_fields;
	const bool native = (event->config->order == PERFDATA_BYTE_ORDER_BIG) ==
			    (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	return native && raw.size >= plan->event->min_size ? &plan->whole : &plan->any;
}

static void spell_sample(const struct formatter *f, const struct perfdata_delivery *delivery, uint64_t number,
			 bool comma)
{
	const struct perfdata_event *event = delivery->event;
	const struct perfdata_raw *raw = delivery->record;
	const bool fields = event->trace && has_raw(delivery);
	const struct event_plan *plan = fields ? table_plan(&f->cache->plans, f->json, event) : NULL;
	const struct perfdata_bytes bytes = fields ? raw_of(delivery) : (struct perfdata_bytes){ 0 };
	const struct numbers numbers = {
		.time = (int64_t)raw->time, .pid = delivery->pid, .tid = delivery->tid,
		.cpu = (int32_t)pd_shown_cpu(raw->cpu, f->json->nr_cpus),
	};
	const void *const bases[NR_BASES] = { [BASE_NUMBERS] = &numbers, [BASE_RAW] = bytes.data };
	const struct perfdata_line *line = line_of(f->json, plan, event, bytes);
	struct perfdata_text *out = f->out;
	out->failed |= fields && !plan;
	perfdata_text_string(out, comma ? ",\n\t\t" : "\n\t\t");
	const size_t first = out->size;
	for (const struct perfdata_part *part = perfdata_line_parts(line);; part++) {
		if (!perfdata_text_parts(out, line, &part, bases))
			return;
		if (part->offset == STOP_END)
			break;
		if (part->offset == STOP_COMM)
			spell_comm(f, delivery->script_comm);
		else if (part->offset == STOP_CALLCHAIN)
			spell_chain(f, delivery);
		else
			spell_field(f, plan, &plan->fields[part->offset - STOP_FIELD], bytes, event->config->order,
				    number);
	}
	/* the brace replaces the comma before the first key */
	out->data[first] = '{';
}

static enum perfdata_status format_batch(const void *state, const struct perfdata_batch *batch, void *value,
					 struct perfdata_scratch *scratch, struct perfdata_text *out, void **ret_part)
{
	(void)ret_part;
	const struct value *v = value;
	struct formatter f = {
		.json = state,
		.batch = batch,
		.session = batch->session,
		.cache = cache_get(state, scratch, batch),
		.text = &scratch->text,
		.out = out,
	};
	if (!f.cache)
		return PERFDATA_ENOMEM;
	bool comma = v->comma;
	for (size_t i = 0; i < batch->nr_deliveries; i++) {
		const struct perfdata_delivery *delivery = &batch->deliveries[i];
		if (!is_sample(delivery))
			continue;
		spell_sample(&f, delivery, v->first + i, comma);
		perfdata_text_cut(out);
		comma = true;
	}
	return perfdata_text_failed(out) ? PERFDATA_ENOMEM : PERFDATA_OK;
}

static enum perfdata_status end_output(void *state, const struct perfdata_emit_end *end, struct perfdata_text *out)
{
	(void)state;
	(void)end;
	perfdata_text_literal(out, "\n\t]\n}\n");
	return perfdata_text_failed(out) ? PERFDATA_ENOMEM : PERFDATA_OK;
}

const struct perfdata_emitter pd_emitter_perf_json = {
	.abi = PERFDATA_EMITTER_ABI,
	.name = "perf-json",
	.help = "the document of `perf data convert --to-json`",
	.needs = PERFDATA_NEED_DELIVERIES | PERFDATA_NEED_THREADS | PERFDATA_NEED_FRAMES | PERFDATA_NEED_STACKS,
	.flags = PERFDATA_EMITTER_SYMBOLS | PERFDATA_EMITTER_ONE_DOCUMENT,
	.size = sizeof(struct perfdata_emitter),
	.mime = "application/json",
	.begin = begin_output,
	.scan = scan_batch,
	.format = format_batch,
	.end = end_output,
	.free_value = free,
	.release = release_state,
};
