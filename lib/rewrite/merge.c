/* SPDX-License-Identifier: MIT */
/* Merges several recordings: their records in the order of time, under distinct ids.
 *
 * Each input is read twice: first to know all of its events before anything is written, then to copy its records. If an
 * input has the same events as an earlier one, both share them, so that the parts of a recording become that recording
 * again. The events of any other input follow those of the inputs before it, so that groups stay together. An id that
 * another event already has is replaced by a new one. */
#include "config.h"
#include "base/cancel.h"
#include "base/error.h"
#include "base/memory.h"
#include "schema/schema.h"
#include "reader/reader.h"
#include "rewrite/merge.h"
#include "write/writing.h"

#define ROUND 4096u                        /* records in a round */

void pd_merge_free(struct pd_merge *merge)
{
	for (size_t i = 0; merge && i < merge->nr_inputs; i++) {
		pd_choice_release(&merge->inputs[i].choice);
		pd_hash_map_release(&merge->inputs[i].ids);
		pd_hash_map_release(&merge->inputs[i].last);
	}
	for (size_t i = 0; merge && i < merge->nr_events; i++)
		pd_free(merge->events[i].ids);
	if (merge) {
		pd_free(merge->inputs);
		pd_free(merge->events);
		pd_hash_map_release(&merge->owners);
		pd_hash_map_release(&merge->last);
		pd_hash_map_release(&merge->sums);
		pd_merge_device_release(&merge->device);
		pd_intern_free(merge->kernel_maps);
	}
	pd_free(merge);
}

/* --- the first reading ------------------------------------------------------------------------------------------- */

static enum perfdata_status survey_record(struct perfdata_rewriter *rewriter, struct perfdata_reader *reader,
					  const struct perfdata_raw *raw)
{
	struct pd_merge_input *input = rewriter->merge->current;

	/* a cut keeps all records of a tracer, and has the state of its own begin without times: it does not hold from
	 * the tracer's first record on */
	if (pd_has_time(raw) && raw->time < input->first_time && !pd_belongs_to_aux(raw->type))
		input->first_time = raw->time;
	pd_merge_note_kernel(&input->kernel, reader, raw);
	return PERFDATA_OK;
}

enum perfdata_status perfdata_rewriter_add(struct perfdata_rewriter *rewriter, struct perfdata_reader *reader)
{
	if (pd_rewrite_accept(rewriter, reader, PD_DEMAND_TIME) != PERFDATA_OK)
		return rewriter->error.status;
	if (rewriter->options.anonymize || rewriter->options.repair)
		return pd_rewrite_failed(rewriter, PERFDATA_EUSAGE, "recordings are merged as they are");
	if (!rewriter->merge && !(rewriter->merge = pd_calloc(1, sizeof *rewriter->merge)))
		return pd_rewrite_failed(rewriter, PERFDATA_ENOMEM, NULL);
	struct pd_merge *merge = rewriter->merge;
	if (!merge->kernel_maps && !(merge->kernel_maps = pd_intern_new()))
		return pd_rewrite_failed(rewriter, PERFDATA_ENOMEM, NULL);
	if (pd_vector_grow(&merge->inputs, &merge->inputs_room, merge->nr_inputs, sizeof *merge->inputs) < 0)
		return pd_rewrite_failed(rewriter, PERFDATA_ENOMEM, NULL);
	merge->current = &merge->inputs[merge->nr_inputs++];
	*merge->current =
		(struct pd_merge_input){ .known = reader, .choice = rewriter->choice, .first_time = UINT64_MAX };
	rewriter->choice = (struct pd_choice){ .last = UINT64_MAX };
	const enum perfdata_status status = pd_rewrite_each(rewriter, reader, survey_record);
	merge->current->restarts = merge->current->choice.nr_counted || pd_counters_restart(reader);
	rewriter->restarts |= merge->current->restarts;
	return status;
}

/* --- events ------------------------------------------------------------------------------------------------------ */

static bool same_event(const struct perfdata_event *a, const struct perfdata_event *b)
{
	return a->attr_bytes.size == b->attr_bytes.size &&
	       !memcmp(a->attr_bytes.data, b->attr_bytes.data, a->attr_bytes.size) && !strcmp(a->name, b->name);
}

static bool same_events(const struct perfdata_reader *a, const struct perfdata_reader *b)
{
	const size_t nr = perfdata_reader_nr_events(a);

	for (size_t i = 0; i < nr && nr == perfdata_reader_nr_events(b); i++)
		if (!same_event(perfdata_reader_event(a, i), perfdata_reader_event(b, i)))
			return false;
	return nr == perfdata_reader_nr_events(b);
}

static bool own_id(struct pd_merge *merge, size_t index, uint64_t id)
{
	struct pd_merge_event *event = &merge->events[index];

	if (pd_vector_grow(&event->ids, &event->ids_room, event->nr_ids, sizeof *event->ids) < 0 ||
	    pd_hash_map_put(&merge->owners, id, index) < 0)
		return false;
	event->ids[event->nr_ids++] = id;
	return true;
}

static bool join_ids(struct pd_merge *merge, struct pd_merge_input *input, size_t index,
		     const struct perfdata_event *event)
{
	for (size_t i = 0; i < event->nr_ids; i++) {
		uint64_t id = event->ids[i], owner;
		const bool is_taken = pd_hash_map_get(&merge->owners, id, &owner);
		if (is_taken && owner != index)
			id = PD_FIRST_NEW_ID + merge->nr_new_ids++;
		if ((!is_taken || owner != index) && !own_id(merge, index, id))
			return false;
		if (pd_hash_map_put(&input->ids, event->ids[i], id) < 0)
			return false;
	}
	return true;
}

static bool join_input(struct perfdata_rewriter *rewriter, struct pd_merge_input *input)
{
	struct pd_merge *merge = rewriter->merge;
	const size_t nr = perfdata_reader_nr_events(input->known);

	input->first_event = merge->nr_events;
	for (const struct pd_merge_input *earlier = merge->inputs; earlier < input && !input->shares_events;
	     earlier++) {
		input->shares_events = same_events(earlier->known, input->known);
		if (input->shares_events)
			input->first_event = earlier->first_event;
	}
	rewriter->reader = input->known;
	for (size_t i = 0; i < nr; i++) {
		const struct perfdata_event *event = perfdata_reader_event(input->known, i);
		if (!input->shares_events) {
			if (pd_vector_grow(&merge->events, &merge->events_room, merge->nr_events,
					   sizeof *merge->events) < 0)
				return false;
			struct pd_merge_event *own = &merge->events[merge->nr_events++];
			memset(own, 0, sizeof *own);
			own->name = pd_new_name(rewriter, event->name);
			own->config.branch_counters = event->config->branch_counters;
			pd_mend_attr(rewriter, event, &own->attr, &own->attr_size);
		}
		if (!join_ids(merge, input, input->first_event + i, event))
			return false;
	}
	return true;
}

/* Whether readers find the event of each record without a new IDENTIFIER, since all records have their id at one
 * place. */
static bool are_identified(const struct pd_merge *merge)
{
	const uint64_t first = merge->nr_events ? merge->events[0].attr.sample_type : 0;
	bool identified = true, same = true;

	for (size_t i = 0; i < merge->nr_events; i++) {
		const uint64_t type = merge->events[i].attr.sample_type;
		identified &= (type & PERFDATA_SAMPLE_IDENTIFIER) != 0;
		same &= type == first && type & PERFDATA_SAMPLE_ID;
	}
	return merge->nr_events < 2 || identified || same;
}

static bool join_events(struct perfdata_rewriter *rewriter)
{
	struct pd_merge *merge = rewriter->merge;
	uint64_t trailers = 0;

	for (size_t i = 0; i < merge->nr_inputs; i++)
		if (!join_input(rewriter, &merge->inputs[i]))
			return false;
	const bool identify = !are_identified(merge);
	for (size_t i = 0; i < merge->nr_events; i++)
		trailers |= merge->events[i].attr.flags & UINT64_C(1) << PERFDATA_ATTR_SAMPLE_ID_ALL;
	for (size_t i = 0; i < merge->nr_events; i++) {
		struct pd_merge_event *event = &merge->events[i];
		const bool branch_counters = event->config.branch_counters;
		if (identify && !event->nr_ids && !own_id(merge, i, PD_FIRST_NEW_ID + merge->nr_new_ids++))
			return false;
		event->attr.sample_type |= identify ? PERFDATA_SAMPLE_IDENTIFIER : 0;
		event->attr.flags |= trailers;
		pd_config_init(&event->config, &event->attr, rewriter->order);
		event->config.branch_counters = branch_counters;
	}
	return true;
}

enum perfdata_status pd_merge_put_events(struct perfdata_rewriter *rewriter)
{
	const struct pd_merge *merge = rewriter->merge;
	enum perfdata_status status = PERFDATA_OK;

	for (size_t i = 0; i < merge->nr_events && status == PERFDATA_OK; i++) {
		const struct pd_merge_event *event = &merge->events[i];
		status = pd_rewrite_written(rewriter,
					    pd_writer_event(rewriter->writer, &event->attr, event->attr_size,
								  event->name, event->ids, event->nr_ids));
	}
	return status;
}

/* --- records ----------------------------------------------------------------------------------------------------- */

static void report_left_out(struct perfdata_rewriter *rewriter, const struct perfdata_raw *raw)
{
	struct pd_merge *merge = rewriter->merge;
	const uint64_t bit = UINT64_C(1) << raw->type % 64;

	if (!(merge->left_out[raw->type / 64] & bit))
		pd_rewrite_tell(rewriter, "%s records of %s are left out: a recording holds those of one recorder",
				perfdata_record_layout(raw->type)->perf_name, pd_merge_name(merge->current));
	merge->left_out[raw->type / 64] |= bit;
}

/* Whether the record is the first of its type. Readers use only the first, so a note warns if a later one differs. */
static enum perfdata_status is_first_map(struct perfdata_rewriter *rewriter, const struct perfdata_raw *raw,
					 bool *ret_is_first)
{
	struct perfdata_bytes *first = &rewriter->merge->maps[raw->type - PERFDATA_RECORD_THREAD_MAP];

	*ret_is_first = !first->data;
	if (!first->data) {
		const char *copy = pd_arena_copy(&rewriter->arena, raw->bytes, raw->size);
		if (!copy)
			return pd_rewrite_failed(rewriter, PERFDATA_ENOMEM, NULL);
		*first = (struct perfdata_bytes){ (const uint8_t *)copy, raw->size };
	} else if (first->size != raw->size || memcmp(first->data, raw->bytes, raw->size) != 0) {
		report_left_out(rewriter, raw);
	}
	return PERFDATA_OK;
}

/* Whether the record is a kernel map that the output already has. Each recording begins with these maps; perf does not
 * accept them twice. */
static enum perfdata_status is_known_kernel_map(struct perfdata_rewriter *rewriter, const struct perfdata_raw *raw,
						bool *ret_is_known)
{
	struct pd_intern *maps = rewriter->merge->kernel_maps;
	struct perfdata_record record;

	*ret_is_known = false;
	if (pd_has_time(raw) || (raw->misc & PERFDATA_CPUMODE_MASK) != PERFDATA_CPUMODE_KERNEL ||
	    perfdata_raw_decode(rewriter->reader, raw, &record) != PERFDATA_OK)
		return PERFDATA_OK;
	const struct perfdata_bytes name = raw->type == PERFDATA_RECORD_MMAP2 ? record.u.mmap2.filename
									      : record.u.mmap.filename;
	const uint32_t known = pd_intern_count(maps);
	const uint32_t id = pd_intern_put(maps, raw->bytes, (size_t)(name.data + name.size - raw->bytes));
	if (id == UINT32_MAX)
		return pd_rewrite_failed(rewriter, PERFDATA_ENOMEM, NULL);
	*ret_is_known = id < known;
	return PERFDATA_OK;
}

/* Whether to leave the record out, since the output has one for all inputs, or none. */
enum perfdata_status pd_merge_leaves_out(struct perfdata_rewriter *rewriter, const struct perfdata_raw *raw,
					 bool *ret_leaves_out)
{
	const struct pd_merge *merge = rewriter->merge;
	enum perfdata_status status;

	*ret_leaves_out = true;
	switch (raw->type) {
	case PERFDATA_RECORD_ATTR:
	case PERFDATA_RECORD_EVENT_TYPE:
	case PERFDATA_RECORD_TRACING_DATA:
	case PERFDATA_RECORD_SIMPLEPERF_TRACING_DATA:
	case PERFDATA_RECORD_BUILD_ID:
	case PERFDATA_RECORD_FEATURE:
	case PERFDATA_RECORD_FINISHED_ROUND:
		return PERFDATA_OK;
	case PERFDATA_RECORD_MMAP:
	case PERFDATA_RECORD_MMAP2:
		return is_known_kernel_map(rewriter, raw, ret_leaves_out);
	case PERFDATA_RECORD_EVENT_UPDATE:
		*ret_leaves_out = merge->current->shares_events;
		return PERFDATA_OK;
	case PERFDATA_RECORD_FINISHED_INIT:
	case PERFDATA_RECORD_TIME_CONV:
		*ret_leaves_out = merge->current != merge->inputs;
		return PERFDATA_OK;
	case PERFDATA_RECORD_THREAD_MAP:
	case PERFDATA_RECORD_CPU_MAP:
	case PERFDATA_RECORD_STAT_CONFIG:
		status = is_first_map(rewriter, raw, ret_leaves_out);
		*ret_leaves_out = !*ret_leaves_out;
		return status;
	case PERFDATA_RECORD_AUXTRACE_INFO:
	case PERFDATA_RECORD_AUXTRACE:
	case PERFDATA_RECORD_AUXTRACE_ERROR:
	case PERFDATA_RECORD_AUX:
	case PERFDATA_RECORD_ITRACE_START:
	case PERFDATA_RECORD_AUX_OUTPUT_HW_ID:
		report_left_out(rewriter, raw);
		return PERFDATA_OK;
	default:
		*ret_leaves_out = false;
		return PERFDATA_OK;
	}
}

static uint64_t new_id(const struct pd_merge_input *input, uint64_t id)
{
	uint64_t other;
	return pd_hash_map_get(&input->ids, id, &other) ? other : id;
}

/* Replaces the ids in a list whose elements have their id at offset `at`. */
static void renumber_list(struct pd_merge *merge, struct perfdata_list *list, size_t at)
{
	const size_t size = (size_t)list->count * list->stride;

	if (!list->count || size > sizeof merge->list || at + 8 > list->stride)
		return;
	memcpy(merge->list, list->data, size);
	for (uint64_t i = 0; i < list->count; i++) {
		uint8_t *place = merge->list + i * list->stride + at;
		uint64_t id = new_id(merge->current, pd_load64(place, list->swap));
		id = list->swap ? __builtin_bswap64(id) : id;
		memcpy(place, &id, sizeof id);
	}
	list->data = merge->list;
}

static void renumber_values(struct pd_merge *merge, struct perfdata_read *read)
{
	const struct perfdata_layout *value = read->values.element;

	/* the id is the last word or that before the losses: times may lie between the value and the id */
	const uint64_t losses = value ? perfdata_layout_bits(value, offsetof(struct perfdata_read_value, lost)) : 0;
	if (value && read->values.present & perfdata_layout_bits(value, offsetof(struct perfdata_read_value, id)))
		renumber_list(merge, &read->values, read->values.stride - (read->values.present & losses ? 16 : 8));
}

static void renumber_record(struct pd_merge *merge, struct perfdata_record *record)
{
	const struct pd_merge_input *input = merge->current;

	switch (record->type) {
	case PERFDATA_RECORD_SAMPLE:
		record->u.sample.identifier = new_id(input, record->u.sample.identifier);
		record->u.sample.id = new_id(input, record->u.sample.id);
		record->u.sample.stream_id = new_id(input, record->u.sample.stream_id);
		renumber_values(merge, &record->u.sample.read);
		break;
	case PERFDATA_RECORD_READ:
		renumber_values(merge, &record->u.read.read);
		break;
	case PERFDATA_RECORD_LOST:
		record->u.lost.id = new_id(input, record->u.lost.id);
		break;
	case PERFDATA_RECORD_THROTTLE:
	case PERFDATA_RECORD_UNTHROTTLE:
		record->u.throttle.id = new_id(input, record->u.throttle.id);
		record->u.throttle.stream_id = new_id(input, record->u.throttle.stream_id);
		break;
	case PERFDATA_RECORD_ID_INDEX:
		renumber_list(merge, &record->u.id_index.entries, 0);
		break;
	case PERFDATA_RECORD_EVENT_UPDATE:
		record->u.event_update.id = new_id(input, record->u.event_update.id);
		break;
	default:
		break;
	}
}

/* Readers find the event of a record by the id in its trailer, where 0 means the first event: the attr of that event
 * defines the layout of the trailer. */
static const struct pd_merge_event *renumber_trailer(const struct pd_merge *merge, struct perfdata_sample_id *trailer)
{
	const uint64_t recorded = trailer->identifier ? trailer->identifier : trailer->id;
	uint64_t id = 0, owner = 0;

	if (!recorded || !pd_hash_map_get(&merge->current->ids, recorded, &id) ||
	    !pd_hash_map_get(&merge->owners, id, &owner))
		id = owner = 0;
	trailer->id = trailer->identifier = id;
	trailer->stream_id = new_id(merge->current, trailer->stream_id);
	trailer->present = merge->events[owner].config.trailer_present;
	return &merge->events[owner];
}

static const struct pd_merge_event *identify_sample(const struct pd_merge *merge, const struct perfdata_event *recorded,
						    struct perfdata_record *record)
{
	const struct pd_merge_event *event = &merge->events[merge->current->first_event + recorded->index];
	const struct perfdata_layout *layout = record->layout;
	const uint64_t first = event->nr_ids ? event->ids[0] : 0;
	uint64_t owner;

	if (!PERFDATA_HAS(record, sample, identifier))
		record->u.sample.identifier = PERFDATA_HAS(record, sample, id) ? record->u.sample.id : first;
	if (!pd_hash_map_get(&merge->owners, record->u.sample.identifier, &owner))
		record->u.sample.identifier = first;   /* perf stops at an id that it does not know */
	record->u.present |= perfdata_layout_bits(layout, offsetof(struct perfdata_sample, identifier));
	return event;
}

const struct perfdata_config *pd_merge_record(struct perfdata_rewriter *rewriter, const struct perfdata_raw *raw,
					      struct perfdata_record *record)
{
	struct pd_merge *merge = rewriter->merge;

	renumber_record(merge, record);
	if (raw->type >= PERFDATA_RECORD_USER_FIRST)
		return &merge->events[0].config;
	if (raw->type == PERFDATA_RECORD_SAMPLE)
		return pd_counters_join(rewriter, raw, record) ? &identify_sample(merge, raw->event, record)->config
							       : NULL;
	if (pd_choice_is_past(rewriter, raw))
		pd_forget_time(record);
	return &renumber_trailer(merge, &record->sample_id)->config;
}

/* Readers apply a record without a time as soon as they read it: all older records must leave their queues first, which
 * takes two rounds. */
enum perfdata_status pd_merge_round(struct perfdata_rewriter *rewriter, const struct perfdata_raw *raw)
{
	struct pd_merge *merge = rewriter->merge;
	const bool has_time = pd_has_time(raw) && !pd_choice_is_past(rewriter, raw);
	enum perfdata_status status = PERFDATA_OK;
	unsigned rounds = 0;

	if (raw->type >= PERFDATA_RECORD_USER_FIRST)
		return status;
	if (has_time)
		rounds = ++merge->since_round > ROUND;
	else if (merge->since_round)
		rounds = 2;
	if (rounds)
		merge->since_round = has_time;
	while (rounds-- && status == PERFDATA_OK)
		status = pd_rewrite_put_round(rewriter);
	return status;
}

/* --- the second reading ------------------------------------------------------------------------------------------ */

static enum perfdata_status advance_input(struct perfdata_rewriter *rewriter, struct pd_merge_input *input)
{
	enum perfdata_status status = perfdata_reader_next(input->reader, &input->next);

	if (pd_rewrite_is_end(input->reader, status))
		status = PERFDATA_END;
	input->is_due = status == PERFDATA_OK;
	if (status == PERFDATA_OK && pd_has_time(input->next))
		input->at = input->next->time;
	if (status < 0 && rewriter->error.status == PERFDATA_OK)
		rewriter->error = *perfdata_reader_error(input->reader);
	return status < 0 ? status : PERFDATA_OK;
}

static struct pd_merge_input *first_due(const struct pd_merge *merge)
{
	struct pd_merge_input *found = NULL;

	for (size_t i = 0; i < merge->nr_inputs; i++) {
		struct pd_merge_input *input = &merge->inputs[i];
		if (input->is_due && (!found || input->at < found->at))
			found = input;
	}
	return found;
}

static enum perfdata_status copy_all(struct perfdata_rewriter *rewriter)
{
	struct pd_merge *merge = rewriter->merge;
	enum perfdata_status status = PERFDATA_OK;

	for (size_t i = 0; i < merge->nr_inputs && status == PERFDATA_OK; i++) {
		/* records without a time are copied first: they describe the system at the start of the recording */
		merge->inputs[i].at = merge->inputs[i].first_time;
		status = advance_input(rewriter, &merge->inputs[i]);
	}
	while (status == PERFDATA_OK && (merge->current = first_due(merge))) {
		rewriter->reader = merge->current->reader;
		rewriter->choice = merge->current->choice;
		status = pd_copy_record(rewriter, merge->current->next);
		if (status == PERFDATA_OK)
			status = advance_input(rewriter, merge->current);
		if (pd_cancelled(rewriter->options.cancel))
			status = pd_rewrite_failed(rewriter, PERFDATA_EINTR, NULL);
	}
	/* each input has its own list of kept samples */
	rewriter->choice = (struct pd_choice){ .chosen = rewriter->choice.chosen };
	rewriter->reader = merge->inputs[0].known;
	return status;
}

enum perfdata_status perfdata_rewriter_merge(struct perfdata_rewriter *rewriter, struct perfdata_reader *const *readers,
					     size_t nr)
{
	struct pd_merge *merge = rewriter->merge;

	if (rewriter->error.status != PERFDATA_OK)
		return rewriter->error.status;
	if (rewriter->writer)
		return pd_rewrite_failed(rewriter, PERFDATA_EUSAGE, "a rewriter makes one recording");
	if (!merge || nr != merge->nr_inputs)
		return pd_rewrite_failed(rewriter, PERFDATA_EUSAGE, "other recordings are merged than were added");
	for (size_t i = 0; i < nr; i++) {
		if (pd_rewrite_accept(rewriter, readers[i], PD_DEMAND_TIME) != PERFDATA_OK)
			return rewriter->error.status;
		merge->inputs[i].reader = readers[i];
		rewriter->reader = merge->inputs[i].known;
		rewriter->order = pd_rewrite_order_of(&rewriter->options, rewriter->reader);
		if (!pd_rewrite_can_byteswap(rewriter))
			return rewriter->error.status;
	}
	rewriter->to_stream = rewriter->options.form == PERFDATA_REWRITE_TO_STREAM;
	enum perfdata_status status = pd_merge_check(rewriter);
	if (status == PERFDATA_OK && !join_events(rewriter))
		status = pd_rewrite_failed(rewriter, PERFDATA_ENOMEM, NULL);
	rewriter->reader = merge->inputs[0].known;
	if (status == PERFDATA_OK)
		status = pd_merge_join_device(rewriter);
	if (status == PERFDATA_OK)
		status = pd_rewrite_make_writer(rewriter);
	if (status == PERFDATA_OK)
		status = copy_all(rewriter);
	rewriter->copied = status == PERFDATA_OK;
	return status;
}
