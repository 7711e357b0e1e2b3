/* SPDX-License-Identifier: MIT */
/* `otlp`: OpenTelemetry profiles, a ProfilesData message for collectors. It has a profile for each event, and one
 * dictionary. Samples with equal stack and thread are added up. */
#include "config.h"
#include <stdlib.h>
#include <string.h>
#include "base/account.h"
#include "base/memory.h"
#include "emit/emitters.h"
#include "session/session.h"
#include "emit/profiles/otlp_tables.h"
#include "emit/profiles/pprof_maps.h"
#include "emit/stacks/stack_gather.h"
#include "emit/stacks/stack_head.h"
#include "emit/stacks/stack_labels.h"
#include "emit/stacks/stack_route.h"
#include "emit/stacks/stack_spool.h"
#include "emit/stacks/stack_text.h"
#include "emit/stacks/stack_tree.h"

static const struct perfdata_emitter_option options[] = {
	STACK_OPTION_WEIGHT("weight of a sample"),
	STACK_OPTIONS_STATE,
	STACK_OPTION_INLINE,
	{ .name = "labels", .kind = PERFDATA_OPTION_FLAG,
	  .help = "keep pid, tid and comm of samples as attributes (default; --no-labels adds the samples up)" },
	STACK_OPTIONS_CHOICE,
	{ 0 },
};

/* Field numbers of the messages. */
enum { DATA_RESOURCES = 1, DATA_DICTIONARY };
enum { RESOURCES_RESOURCE = 1, RESOURCES_SCOPES };
enum { RESOURCE_ATTRIBUTES = 1 };
enum { SCOPES_SCOPE = 1, SCOPES_PROFILES };
enum { SCOPE_NAME = 1, SCOPE_VERSION, SCOPE_ATTRIBUTES };
enum { KEY_VALUE_KEY = 1, KEY_VALUE_VALUE };
enum { ARRAY_VALUES = 1 };
enum {
	PROFILE_SAMPLE_TYPE = 1,
	PROFILE_SAMPLES,
	PROFILE_TIME,
	PROFILE_DURATION,
	PROFILE_PERIOD_TYPE,
	PROFILE_PERIOD
};
enum { VALUE_TYPE = 1, VALUE_UNIT };
enum { SAMPLE_STACK = 1, SAMPLE_ATTRIBUTES, SAMPLE_VALUES = 4 };
enum { MAPPING_START = 1, MAPPING_LIMIT, MAPPING_OFFSET, MAPPING_FILE, MAPPING_ATTRIBUTES };
enum { STACK_LOCATIONS = 1 };
enum { LOCATION_MAPPING = 1, LOCATION_ADDRESS, LOCATION_LINES, LOCATION_ATTRIBUTES };
enum { LINE_FUNCTION = 1, LINE_LINE, LINE_COLUMN };
enum { FUNCTION_NAME = 1, FUNCTION_SYSTEM_NAME, FUNCTION_FILE, FUNCTION_START };

struct state {
	struct pprof_gather gather;
	bool by_samples, inlines, labels;
};

static enum perfdata_status set_up(void *pointer, const struct perfdata_emit_context *context,
				   struct perfdata_text *out)
{
	struct state *state = pointer;
	(void)out;
	state->by_samples = pd_stack_option_is(context->options, context->nr_options, "weight", "samples");
	state->inlines = perfdata_option_flag(context->options, context->nr_options, "inline", true);
	state->labels = perfdata_option_flag(context->options, context->nr_options, "labels", true);
	const struct pd_profile_options wanted = { .parts = state->labels ? PD_BY_THREAD | PD_BY_COMM : 0,
						   .by_period = true,
						   .names = PD_NAMES_LINES };
	return pd_pprof_gather_begin(&state->gather, context, &wanted);
}

STACK_BEGIN(set_up, pd_pprof_release)

/* A sample before equal samples are added up. */
struct row {
	uint32_t event, attributes;  /* attributes: index of a set, see struct writing */
	uint32_t stack;              /* index */
	uint64_t weight;
};

struct writing {
	struct state *state;
	const struct perfdata_emit_end *end;
	struct pd_account *account;
	struct otlp_tables *tables;
	struct stack_labels *labels;
	struct stack_route *route;
	struct stack_tree stacks;    /* tree of locations, root first */
	uint32_t *path;              /* nodes of `stacks` for the steps of the current stack */
	size_t path_room, path_steps;
	uint32_t *stack_indexes;     /* by node of `stacks`; 0: not in the table yet */
	size_t stack_indexes_room;
	uint32_t *mappings;          /* by gathered mapping: its index in the table; 0: not used yet */
	size_t mappings_room;
	struct pd_intern *sets;      /* sets of attributes, as lists of indexes */
	struct row *rows;
	size_t nr_rows, rows_room;
	struct stack_spool samples;
	struct perfdata_text message, part, line;
	bool failed;
};

static void account_for(struct writing *writing, size_t before, size_t after, size_t size)
{
	pd_account_change(writing->account, PD_USE_PROFILE, before * size, after * size);
	writing->failed |= pd_account_is_exhausted(writing->account);
}

static bool is_cancelled(const struct writing *writing)
{
	return pd_profile_is_cancelled(writing->state->gather.stacks.profile);
}

/* Writes a field of packed numbers; nothing if there are none. */
static void put_packed(struct perfdata_text *out, unsigned field, const struct perfdata_text *packed)
{
	if (packed->size)
		pd_protobuf_message(out, field, packed);
}

static uint32_t put_message(struct writing *writing, enum otlp_table table, const struct perfdata_text *message)
{
	writing->failed |= perfdata_text_failed(message);
	return writing->failed ? 0
			       : pd_otlp_tables_put(writing->tables, table, message->size ? message->data : "",
						    message->size);
}

/* --- locations ---------------------------------------------------------------------------------------------------- */

static uint32_t function_of(struct writing *writing, uint32_t number)
{
	const struct stack_label *label = pd_stack_labels_get(writing->labels, number);
	struct perfdata_text *out = &writing->line;
	perfdata_text_clear(out);
	pd_protobuf_number(out, FUNCTION_NAME,
			   pd_otlp_tables_text(writing->tables, pd_stack_labels_string(writing->labels, label->name)));
	pd_protobuf_number(out, FUNCTION_SYSTEM_NAME,
			   pd_otlp_tables_text(writing->tables,
					       pd_stack_labels_string(writing->labels, label->raw_name)));
	pd_protobuf_number(out, FUNCTION_FILE,
			   pd_otlp_tables_text(writing->tables,
					       pd_stack_labels_string(writing->labels, label->source)));
	pd_protobuf_number(out, FUNCTION_START, label->line);
	return put_message(writing, OTLP_FUNCTIONS, out);
}

/* Innermost first. */
static void put_lines(struct writing *writing, const struct stack_call *calls, size_t nr)
{
	for (size_t i = nr; i-- > 0;) {
		const uint32_t function = function_of(writing, calls[i].label);
		perfdata_text_clear(&writing->line);
		pd_protobuf_number(&writing->line, LINE_FUNCTION, function);
		pd_protobuf_number(&writing->line, LINE_LINE, calls[i].line);
		pd_protobuf_number(&writing->line, LINE_COLUMN, calls[i].column);
		pd_protobuf_message(&writing->message, LOCATION_LINES, &writing->line);
	}
}

/* Assigns an index to a mapping. Its message is written at the end, since a mapping that was not recorded grows with
 * its addresses. */
static uint32_t mapping_index(struct writing *writing, uint32_t map_id)
{
	if (pd_vector_reach(&writing->mappings, &writing->mappings_room, map_id, sizeof *writing->mappings) < 0) {
		writing->failed = true;
		return 0;
	}
	if (!writing->mappings[map_id])
		writing->mappings[map_id] = ++writing->mappings[0];
	return writing->mappings[map_id];
}

static void put_frame_type(struct writing *writing, enum stack_kind kind, bool is_kernel)
{
	/* JIT code may be of any language */
	if (kind == STACK_JIT)
		return;
	const char *type = is_kernel ? "kernel" : "native";
	perfdata_text_clear(&writing->line);
	pd_text_varint(&writing->line, pd_otlp_tables_attribute(writing->tables, "profile.frame.type", type));
	put_packed(&writing->message, LOCATION_ATTRIBUTES, &writing->line);
}

/* skip: number of outermost functions to leave out. */
static uint32_t location_of(struct writing *writing, const struct stack_step *step, size_t skip)
{
	struct pprof_place place;
	if (!pd_pprof_place_of(&writing->state->gather, writing->labels, step, &place)) {
		writing->failed = true;
		return 0;
	}
	const enum stack_kind kind = pd_stack_labels_get(writing->labels, place.calls[0].label)->kind;
	perfdata_text_clear(&writing->message);
	pd_protobuf_number(&writing->message, LOCATION_MAPPING, place.map ? mapping_index(writing, place.map) : 0);
	pd_protobuf_number(&writing->message, LOCATION_ADDRESS, place.address);
	if (!pd_stack_kind_is_nameless(kind))
		put_lines(writing, place.calls + skip, place.nr_calls - skip);
	if (place.dso)
		put_frame_type(writing, kind,
			       pd_session_frame_is_kernel(writing->state->gather.stacks.session, step->frame));
	return put_message(writing, OTLP_LOCATIONS, &writing->message);
}

/* --- stacks ------------------------------------------------------------------------------------------------------- */

/* Adds the stack of a tree node to the table: leaf first. */
static uint32_t put_stack(struct writing *writing, uint32_t node)
{
	perfdata_text_clear(&writing->part);
	for (uint32_t at = node; at != STACK_NO_NODE; at = pd_stack_tree_parent(&writing->stacks, at))
		pd_text_varint(&writing->part, pd_stack_tree_label(&writing->stacks, at));
	perfdata_text_clear(&writing->message);
	put_packed(&writing->message, STACK_LOCATIONS, &writing->part);
	return put_message(writing, OTLP_STACKS, &writing->message);
}

/* Finds the stack of a sample. Paths with equal locations are one stack even if they differ otherwise (such as by
 * origin of a step), so a tree of locations identifies stacks. Nodes of the steps that the path shares with the path
 * before are kept. */
static enum perfdata_status stack_of(struct writing *writing, uint32_t node, uint32_t *ret)
{
	struct stack_path path;
	const enum perfdata_status status = pd_stack_route_to(writing->route, node, &path);
	*ret = 0;
	if (status != PERFDATA_OK || !path.nr_steps) {
		writing->path_steps = 0;
		return status;
	}
	if (pd_vector_grow(&writing->path, &writing->path_room, path.nr_steps, sizeof *writing->path) < 0)
		return PERFDATA_ENOMEM;
	size_t step = path.same_steps < writing->path_steps ? path.same_steps : writing->path_steps;
	uint32_t at = step ? writing->path[step - 1] : STACK_NO_NODE;
	for (; step < path.nr_steps && !writing->failed; step++) {
		const size_t skip = step ? 0 : path.cut_of_step;
		at = pd_stack_tree_child(&writing->stacks, at, location_of(writing, &path.steps[step], skip));
		if (at == STACK_NO_NODE)
			return pd_stack_tree_failed(&writing->stacks);
		writing->path[step] = at;
	}
	writing->path_steps = step;
	if (writing->failed)
		return PERFDATA_ENOMEM;
	const size_t before = writing->stack_indexes_room;
	if (pd_vector_reach(&writing->stack_indexes, &writing->stack_indexes_room, at,
			    sizeof *writing->stack_indexes) < 0)
		return PERFDATA_ENOMEM;
	account_for(writing, before, writing->stack_indexes_room, sizeof *writing->stack_indexes);
	if (!writing->stack_indexes[at])
		writing->stack_indexes[at] = put_stack(writing, at);
	*ret = writing->stack_indexes[at];
	return pd_stack_tree_failed(&writing->stacks);
}

/* --- samples ------------------------------------------------------------------------------------------------------ */

/* The set of attributes of a sample. Threads with equal pid, tid and name share a set. */
static uint32_t attributes_of(struct writing *writing, const struct pd_profile_key *key)
{
	const struct stack_gather *gather = &writing->state->gather.stacks;
	perfdata_text_clear(&writing->part);
	if (writing->state->labels) {
		const struct pd_profile_thread *thread = pd_profile_thread(gather->profile, key->thread);
		if (thread->pid >= 0)
			pd_text_varint(&writing->part,
				       pd_otlp_tables_number(writing->tables, "process.pid", thread->pid));
		if (thread->tid >= 0)
			pd_text_varint(&writing->part,
				       pd_otlp_tables_number(writing->tables, "thread.id", thread->tid));
		if (key->comm != PERFDATA_NONE)
			pd_text_varint(&writing->part,
				       pd_otlp_tables_attribute(writing->tables, "thread.name",
								perfdata_session_comm(gather->session, key->comm)));
	}
	const uint32_t set = pd_intern_put(writing->sets, writing->part.size ? writing->part.data : "",
					   writing->part.size);
	writing->failed |= set == UINT32_MAX || perfdata_text_failed(&writing->part);
	return set;
}

static enum perfdata_status gather_rows(struct writing *writing)
{
	const struct pd_profile_entry *entry;
	struct pd_profile_walk *walk;
	enum perfdata_status status = pd_profile_walk_paths(writing->state->gather.stacks.profile, &walk);
	if (status != PERFDATA_OK)
		return status;
	while ((status = pd_profile_walk_next(walk, &entry)) == PERFDATA_OK) {
		struct row row = { .event = entry->key.event,
				   .weight = writing->state->by_samples ? entry->sums.samples : entry->sums.weight };
		const size_t before = writing->rows_room;
		status = stack_of(writing, entry->key.node, &row.stack);
		row.attributes = attributes_of(writing, &entry->key);
		if (status == PERFDATA_OK &&
		    pd_vector_grow(&writing->rows, &writing->rows_room, writing->nr_rows, sizeof row) < 0)
			status = PERFDATA_ENOMEM;
		account_for(writing, before, writing->rows_room, sizeof row);
		if (status == PERFDATA_OK && writing->failed)
			status = PERFDATA_ENOMEM;
		if (status != PERFDATA_OK)
			break;
		writing->rows[writing->nr_rows++] = row;
	}
	pd_profile_walk_free(walk);
	return status == PERFDATA_END ? PERFDATA_OK : status;
}

static int compare_numbers(uint32_t a, uint32_t b) { return (a > b) - (a < b); }

static int compare_rows(const void *left, const void *right)
{
	const struct row *a = left, *b = right;
	int order = compare_numbers(a->event, b->event);
	order = order ? order : compare_numbers(a->attributes, b->attributes);
	return order ? order : compare_numbers(a->stack, b->stack);
}

static void put_sample(struct writing *writing, const struct row *row, uint64_t weight)
{
	size_t size;
	const char *attributes = pd_intern_get(writing->sets, row->attributes, &size);
	perfdata_text_clear(&writing->message);
	perfdata_text_clear(&writing->part);
	pd_protobuf_number(&writing->message, SAMPLE_STACK, row->stack);
	if (size)
		pd_protobuf_bytes(&writing->message, SAMPLE_ATTRIBUTES, attributes, size);
	pd_text_varint(&writing->part, weight > INT64_MAX ? INT64_MAX : weight);
	put_packed(&writing->message, SAMPLE_VALUES, &writing->part);
	pd_protobuf_message(&writing->samples.text, PROFILE_SAMPLES, &writing->message);
	perfdata_text_cut(&writing->samples.text);
}

/* Writes the samples of an event, from row `at` on. Returns the first row of the next event. */
static size_t put_samples(struct writing *writing, size_t at)
{
	const uint32_t event = writing->rows[at].event;
	while (at < writing->nr_rows && writing->rows[at].event == event &&
	       !is_cancelled(writing)) {
		const struct row *first = &writing->rows[at];
		uint64_t weight = 0;
		for (; at < writing->nr_rows && !compare_rows(first, &writing->rows[at]); at++)
			weight = weight > UINT64_MAX - writing->rows[at].weight ? UINT64_MAX
										 : weight + writing->rows[at].weight;
		put_sample(writing, first, weight);
	}
	return at;
}

/* --- profiles ----------------------------------------------------------------------------------------------------- */

struct profile {
	uint64_t samples, samples_end;   /* offsets in the spool */
	struct perfdata_text before, after;   /* the other fields of the profile */
};

static void put_value_type(struct writing *writing, struct perfdata_text *out, unsigned field, const char *type,
			   const char *unit)
{
	perfdata_text_clear(&writing->message);
	pd_protobuf_number(&writing->message, VALUE_TYPE, pd_otlp_tables_text(writing->tables, type));
	pd_protobuf_number(&writing->message, VALUE_UNIT, pd_otlp_tables_text(writing->tables, unit));
	pd_protobuf_message(out, field, &writing->message);
}

static void put_sample_type(struct writing *writing, const struct perfdata_event *event, struct perfdata_text *out)
{
	const char *weighs = pd_stack_weight_name(writing->state->gather.stacks.session);
	const bool is_time = pd_stack_event_is_time(event);
	const char *name = event->is_time_off               ? "off_cpu"
			   : !pd_stack_event_is_clock(event) ? event->name
			   : !strcmp(weighs, "wall")         ? "wall"
							     : "cpu";
	if (writing->state->by_samples)
		put_value_type(writing, out, PROFILE_SAMPLE_TYPE, "samples", "count");
	else
		put_value_type(writing, out, PROFILE_SAMPLE_TYPE, name, is_time ? "nanoseconds" : "count");
}

static void put_fixed64(struct perfdata_text *out, unsigned field, uint64_t value)
{
	pd_text_varint(out, (uint64_t)field << 3 | 1);
	for (unsigned i = 0; i < 8; i++)
		perfdata_text_char(out, (char)(value >> (8 * i)));
}

/* The time of day is known only if the recorder compared it with the clock of the samples. */
static void put_times(struct writing *writing, struct perfdata_text *out)
{
	const struct perfdata_summary *summary = writing->end->summary;
	const struct perfdata_feature_section *section =
		perfdata_reader_feature(writing->state->gather.stacks.reader, PERFDATA_FEATURE_CLOCK_DATA);
	const struct perfdata_node *root = section && section->feature ? perfdata_feature_root(section->feature) : NULL,
				   *wall = perfdata_node_get(root, "wall_clock"),
				   *own = perfdata_node_get(root, "clockid_time");
	if (summary->first_time == UINT64_MAX)
		return;
	if (wall && own)
		put_fixed64(out, PROFILE_TIME, summary->first_time + (wall->v.u - own->v.u));
	pd_protobuf_number(out, PROFILE_DURATION, summary->last_time - summary->first_time);
}

static void put_profile(struct writing *writing, uint32_t index, struct profile *profile)
{
	const struct perfdata_event *event = perfdata_reader_event(writing->state->gather.stacks.reader, index);
	put_sample_type(writing, event, &profile->before);
	put_times(writing, &profile->after);
	if (!perfdata_attr_has(event->attr, PERFDATA_ATTR_FREQ) && event->attr->sample_period) {
		put_value_type(writing, &profile->after, PROFILE_PERIOD_TYPE, event->name,
			       pd_stack_event_is_time(event) ? "nanoseconds" : "count");
		pd_protobuf_number(&profile->after, PROFILE_PERIOD,
				   event->attr->sample_period > INT64_MAX ? INT64_MAX : event->attr->sample_period);
	}
	writing->failed |= perfdata_text_failed(&profile->before) || perfdata_text_failed(&profile->after);
}

static uint64_t profile_size(const struct profile *profile)
{
	return profile->before.size + (profile->samples_end - profile->samples) + profile->after.size;
}

/* --- resource and scope ------------------------------------------------------------------------------------------- */

/* Keys and values of these attributes are inside the message, not in the dictionary. */
static void put_text_attribute(struct writing *writing, struct perfdata_text *out, unsigned field, const char *key,
			       const char *text)
{
	perfdata_text_clear(&writing->line);
	perfdata_text_clear(&writing->part);
	perfdata_text_clear(&writing->message);
	pd_stack_text_utf8(&writing->line, text);
	pd_protobuf_message(&writing->part, OTLP_VALUE_STRING, &writing->line);
	pd_protobuf_bytes(&writing->message, KEY_VALUE_KEY, key, strlen(key));
	pd_protobuf_message(&writing->message, KEY_VALUE_VALUE, &writing->part);
	pd_protobuf_message(out, field, &writing->message);
}

/* OpenTelemetry's name of an architecture. */
static const char *arch_name(const char *machine)
{
	static const struct {
		const char *machine, *name;
	} names[] = {
		{ "x86_64", "amd64" }, { "aarch64", "arm64" }, { "i386", "x86" },      { "i686", "x86" },
		{ "armv7l", "arm32" }, { "armv8l", "arm32" },  { "ppc64le", "ppc64" }, { "ppc", "ppc32" },
	};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (!strcmp(machine, names[i].machine))
			return names[i].name;
	return machine;
}

static void put_resource(struct writing *writing, struct perfdata_text *out)
{
	const struct perfdata_reader *reader = writing->state->gather.stacks.reader;
	const char *host = perfdata_reader_feature_text(reader, PERFDATA_FEATURE_HOSTNAME),
		   *arch = perfdata_reader_feature_text(reader, PERFDATA_FEATURE_ARCH),
		   *release = perfdata_reader_feature_text(reader, PERFDATA_FEATURE_OSRELEASE);
	put_text_attribute(writing, out, RESOURCE_ATTRIBUTES, "os.type", "linux");
	if (release)
		put_text_attribute(writing, out, RESOURCE_ATTRIBUTES, "os.version", release);
	if (host)
		put_text_attribute(writing, out, RESOURCE_ATTRIBUTES, "host.name", host);
	if (arch)
		put_text_attribute(writing, out, RESOURCE_ATTRIBUTES, "host.arch", arch_name(arch));
}

struct warnings {
	struct perfdata_text values, value, text;
};

static void add_warning(void *user, const char *line)
{
	struct warnings *warnings = user;
	perfdata_text_clear(&warnings->text);
	perfdata_text_clear(&warnings->value);
	pd_stack_text_utf8(&warnings->text, line);
	pd_protobuf_message(&warnings->value, OTLP_VALUE_STRING, &warnings->text);
	pd_protobuf_message(&warnings->values, ARRAY_VALUES, &warnings->value);
}

/* Attributes of the scope say that the recording is incomplete: profiles have no field for it. */
static void put_scope(struct writing *writing, struct perfdata_text *out)
{
	struct warnings warnings;
	const char *version = perfdata_version(), *key = "perfdata.warnings";
	perfdata_text_init(&warnings.values);
	perfdata_text_init(&warnings.value);
	perfdata_text_init(&warnings.text);
	pd_protobuf_bytes(out, SCOPE_NAME, "perfdata", strlen("perfdata"));
	pd_protobuf_bytes(out, SCOPE_VERSION, version, strlen(version));
	pd_stack_head_warnings(writing->end, add_warning, &warnings);
	if (warnings.values.size || perfdata_text_failed(&warnings.values)) {
		perfdata_text_clear(&writing->part);
		perfdata_text_clear(&writing->message);
		pd_protobuf_message(&writing->part, OTLP_VALUE_ARRAY, &warnings.values);
		pd_protobuf_bytes(&writing->message, KEY_VALUE_KEY, key, strlen(key));
		pd_protobuf_message(&writing->message, KEY_VALUE_VALUE, &writing->part);
		pd_protobuf_message(out, SCOPE_ATTRIBUTES, &writing->message);
	}
	perfdata_text_release(&warnings.values);
	perfdata_text_release(&warnings.value);
	perfdata_text_release(&warnings.text);
}

/* --- the whole file ----------------------------------------------------------------------------------------------- */

static void put_mappings(struct writing *writing)
{
	const struct perfdata_session *session = writing->state->gather.stacks.session;
	const uint32_t nr = writing->mappings_room ? writing->mappings[0] : 0;
	uint32_t *ids = pd_calloc(nr + 1u, sizeof *ids);
	writing->failed |= !ids || !pd_pprof_maps_settle(writing->state->gather.maps);
	for (size_t i = 1; ids && i < writing->mappings_room; i++)
		ids[writing->mappings[i]] = writing->mappings[i] ? (uint32_t)i : 0;
	for (uint32_t i = 1; ids && i <= nr; i++) {
		const struct pprof_map *map = pd_pprof_maps_get(writing->state->gather.maps, ids[i]);
		const struct perfdata_bytes build_id = perfdata_session_build_id(session, map->dso, NULL);
		struct perfdata_text *out = &writing->message;
		perfdata_text_clear(out);
		pd_protobuf_number(out, MAPPING_START, map->start);
		pd_protobuf_number(out, MAPPING_LIMIT, map->end);
		pd_protobuf_number(out, MAPPING_OFFSET, map->offset);
		pd_protobuf_number(out, MAPPING_FILE, pd_otlp_tables_text(writing->tables, map->name));
		if (build_id.size) {
			perfdata_text_clear(&writing->part);
			perfdata_text_bytes_hex(&writing->part, build_id.data, build_id.size);
			perfdata_text_char(&writing->part, '\0');
			writing->failed |= perfdata_text_failed(&writing->part);
			const uint32_t attribute =
				writing->failed ? 0
						: pd_otlp_tables_attribute(writing->tables,
									   "process.executable.build_id.gnu",
									   writing->part.data);
			perfdata_text_clear(&writing->part);
			pd_text_varint(&writing->part, attribute);
			put_packed(out, MAPPING_ATTRIBUTES, &writing->part);
		}
		/* mappings differ, so each is an entry of its own, and the order matches their indexes */
		writing->failed |= put_message(writing, OTLP_MAPPINGS, out) != i;
	}
	pd_free(ids);
}

static void put_head(struct perfdata_text *out, unsigned field, uint64_t size)
{
	pd_text_varint(out, (uint64_t)field << 3 | 2);
	pd_text_varint(out, size);
}

/* Sizes of messages precede them, so they are computed first. */
static enum perfdata_status put_document(struct writing *writing, const struct profile *profiles, size_t nr,
					 struct perfdata_text *out)
{
	struct perfdata_text resource, scope;
	perfdata_text_init(&resource);
	perfdata_text_init(&scope);
	put_resource(writing, &resource);
	put_scope(writing, &scope);
	writing->failed |= perfdata_text_failed(&resource) || perfdata_text_failed(&scope);
	uint64_t scopes = pd_otlp_field_size(scope.size);
	for (size_t i = 0; i < nr; i++)
		scopes += pd_otlp_field_size(profile_size(&profiles[i]));
	put_head(out, DATA_RESOURCES, pd_otlp_field_size(resource.size) + pd_otlp_field_size(scopes));
	pd_protobuf_message(out, RESOURCES_RESOURCE, &resource);
	put_head(out, RESOURCES_SCOPES, scopes);
	pd_protobuf_message(out, SCOPES_SCOPE, &scope);
	enum perfdata_status status = PERFDATA_OK;
	for (size_t i = 0; i < nr && status == PERFDATA_OK; i++) {
		put_head(out, SCOPES_PROFILES, profile_size(&profiles[i]));
		perfdata_text_append(out, profiles[i].before.data, profiles[i].before.size);
		status = pd_stack_spool_copy(&writing->samples, profiles[i].samples, profiles[i].samples_end, out);
		if (profiles[i].after.size)
			perfdata_text_append(out, profiles[i].after.data, profiles[i].after.size);
	}
	put_head(out, DATA_DICTIONARY, pd_otlp_tables_size(writing->tables));
	pd_otlp_tables_write(writing->tables, out);
	perfdata_text_release(&resource);
	perfdata_text_release(&scope);
	return status;
}

static enum perfdata_status put_profiles(struct writing *writing, struct perfdata_text *out)
{
	const uint32_t nr_events = pd_profile_nr_events(writing->state->gather.stacks.profile);
	struct profile *profiles = pd_calloc(nr_events + 1u, sizeof *profiles);
	size_t nr = 0;
	if (!profiles)
		return PERFDATA_ENOMEM;
	for (size_t at = 0; at < writing->nr_rows && !is_cancelled(writing); nr++) {
		struct profile *profile = &profiles[nr];
		perfdata_text_init(&profile->before);
		perfdata_text_init(&profile->after);
		put_profile(writing, writing->rows[at].event, profile);
		profile->samples = pd_stack_spool_size(&writing->samples);
		at = put_samples(writing, at);
		profile->samples_end = pd_stack_spool_size(&writing->samples);
	}
	put_mappings(writing);
	enum perfdata_status status = writing->failed || pd_otlp_tables_failed(writing->tables) ? PERFDATA_ENOMEM
												 : PERFDATA_OK;
	if (status == PERFDATA_OK && is_cancelled(writing))
		status = PERFDATA_EINTR;
	if (status == PERFDATA_OK)
		status = put_document(writing, profiles, nr, out);
	for (size_t i = 0; i < nr; i++) {
		perfdata_text_release(&profiles[i].before);
		perfdata_text_release(&profiles[i].after);
	}
	pd_free(profiles);
	return status == PERFDATA_OK && writing->failed ? PERFDATA_ENOMEM : status;
}

static enum perfdata_status set_up_writing(struct writing *writing)
{
	const struct stack_gather *gather = &writing->state->gather.stacks;
	writing->account = writing->stacks.account = pd_profile_account(gather->profile);
	pd_stack_spool_init(&writing->samples, writing->account);
	perfdata_text_init(&writing->message);
	perfdata_text_init(&writing->part);
	perfdata_text_init(&writing->line);
	writing->tables = pd_otlp_tables_new(writing->account);
	writing->sets = pd_intern_new();
	writing->labels = pd_stack_labels_new(gather->session, STACK_BY_FUNCTION, writing->state->inlines, true);
	writing->route = writing->labels ? pd_stack_route_new(gather->profile, gather->session, writing->labels,
							      gather->choice)
					 : NULL;
	return writing->tables && writing->sets && writing->route ? PERFDATA_OK : PERFDATA_ENOMEM;
}

static void release_writing(struct writing *writing)
{
	account_for(writing, writing->rows_room, 0, sizeof *writing->rows);
	account_for(writing, writing->stack_indexes_room, 0, sizeof *writing->stack_indexes);
	perfdata_text_release(&writing->message);
	perfdata_text_release(&writing->part);
	perfdata_text_release(&writing->line);
	pd_stack_spool_release(&writing->samples);
	pd_stack_route_free(writing->route);
	pd_stack_labels_free(writing->labels);
	pd_stack_tree_release(&writing->stacks);
	pd_otlp_tables_free(writing->tables);
	pd_intern_free(writing->sets);
	pd_free(writing->path);
	pd_free(writing->stack_indexes);
	pd_free(writing->mappings);
	pd_free(writing->rows);
}

static enum perfdata_status end_output(void *pointer, const struct perfdata_emit_end *end, struct perfdata_text *out)
{
	struct state *state = pointer;
	struct writing writing = { .state = state, .end = end };
	enum perfdata_status status = pd_stack_gather_finish(&state->gather.stacks);
	if (status != PERFDATA_OK)
		return status;
	status = set_up_writing(&writing);
	if (status == PERFDATA_OK)
		status = gather_rows(&writing);
	if (status == PERFDATA_OK && writing.nr_rows)
		qsort(writing.rows, writing.nr_rows, sizeof *writing.rows, compare_rows);
	if (status == PERFDATA_OK)
		status = put_profiles(&writing, out);
	release_writing(&writing);
	return pd_stack_ended(status, out);
}

const struct perfdata_emitter pd_emitter_otlp = {
	.name = "otlp",
	.task = PERFDATA_TASK_VIEW,
	.help = "OpenTelemetry profiles (" PERFDATA_OTLP_PROFILES "), for collectors",
	.needs = STACK_GATHER_NEEDS,
	.configure = pd_stack_configure,
	.option_rules = pd_stack_rules_state,
	.flags = PERFDATA_EMITTER_SYMBOLS | PERFDATA_EMITTER_ONE_DOCUMENT | PERFDATA_EMITTER_LIGHT,
	.mime = "application/x-protobuf",
	.suffix = "otlp.pb",
	STACK_EMITTER(pd_pprof_release),
	PPROF_SUMS,
};
