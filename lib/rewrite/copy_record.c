/* SPDX-License-Identifier: MIT */
/* Copies a record from the reader to the writer: as bytes if nothing in it changes, else decoded and encoded again. */
#include "config.h"
#include "base/checked.h"
#include "base/memory.h"
#include "schema/schema.h"
#include "schema/feature.h"
#include "reader/reader.h"
#include "rewrite/anonymize.h"
#include "rewrite/tracepoints.h"
#include "write/writing.h"

#define LAST_OF_61 PERFDATA_RECORD_FINISHED_INIT    /* the last record type that perf 6.1 knows */

static enum perfdata_status put_record(struct perfdata_rewriter *rewriter, const void *bytes, size_t size)
{
	rewriter->counts.records++;
	return pd_rewrite_written(rewriter, pd_writer_record(rewriter->writer, bytes, size));
}

/* Some old records have sizes that perf refuses: pads them with zeros to a multiple of 8 bytes. */
static enum perfdata_status put_aligned(struct perfdata_rewriter *rewriter, const struct perfdata_raw *raw)
{
	uint8_t out[PD_RECORD_ROOM];
	const size_t size = (size_t)pd_align8(raw->size);
	const bool may_be_odd = raw->type == PERFDATA_RECORD_COMPRESSED || raw->type == PERFDATA_RECORD_FEATURE ||
				raw->type == PERFDATA_RECORD_TRACING_DATA || perfdata_record_is_simpleperf(raw->type);

	if (raw->size % 8 == 0 || may_be_odd || size > UINT16_MAX)
		return put_record(rewriter, raw->bytes, raw->size);
	memcpy(out, raw->bytes, raw->size);
	memset(out + raw->size, 0, size - raw->size);
	const uint16_t stated = (uint16_t)size;
	const uint16_t word = pd_order_is_foreign(rewriter->order) ? __builtin_bswap16(stated) : stated;
	memcpy(out + 6, &word, sizeof word);
	return put_record(rewriter, out, size);
}

static enum perfdata_status put_encoded(struct perfdata_rewriter *rewriter, const struct perfdata_raw *raw,
					struct perfdata_record *record, const struct perfdata_config *source);

/* --- payloads ---------------------------------------------------------------------------------------------------- */

static enum perfdata_status put_payload(struct perfdata_rewriter *rewriter, const void *bytes, size_t size)
{
	return pd_rewrite_written(rewriter, pd_writer_payload(rewriter->writer, bytes, size));
}

static enum perfdata_status put_tracing_data(struct perfdata_rewriter *rewriter, const struct perfdata_raw *raw,
					     struct perfdata_bytes bytes)
{
	static const uint8_t zeros[8];
	uint8_t out[16] = { 0 };
	const bool swap = pd_order_is_foreign(rewriter->order);
	const uint32_t words[4] = { PERFDATA_RECORD_TRACING_DATA, 0, (uint32_t)pd_align8(bytes.size), 0 };

	if (!pd_rewrite_changes_order(rewriter) && raw->payload == pd_align8(bytes.size)) {
		const enum perfdata_status status = put_record(rewriter, raw->bytes, raw->size);
		if (status != PERFDATA_OK)
			return status;
		return put_payload(rewriter, bytes.data, bytes.size)
			       ?: put_payload(rewriter, zeros, (size_t)pd_align8(bytes.size) - bytes.size);
	}
	for (unsigned i = 0; i < 4; i++) {
		const uint32_t word = swap ? __builtin_bswap32(words[i]) : words[i];
		memcpy(out + 4 * i, &word, sizeof word);
	}
	const uint16_t size = swap ? __builtin_bswap16(sizeof out) : (uint16_t)sizeof out;
	memcpy(out + 6, &size, sizeof size);
	enum perfdata_status status = put_record(rewriter, out, sizeof out);
	if (status == PERFDATA_OK)
		status = put_payload(rewriter, bytes.data, bytes.size);
	return status == PERFDATA_OK ? put_payload(rewriter, zeros, (size_t)pd_align8(bytes.size) - bytes.size)
				     : status;
}

/* In a stream, the formats of tracepoints follow this record. The reader keeps them as a section. */
static enum perfdata_status copy_tracing_data(struct perfdata_rewriter *rewriter, const struct perfdata_raw *raw)
{
	const struct perfdata_feature_section *section = perfdata_reader_feature(rewriter->reader,
										 PERFDATA_FEATURE_TRACING_DATA);
	struct perfdata_bytes bytes = section && section->feature ? pd_feature_bytes(section->feature)
								  : (struct perfdata_bytes){ NULL, 0 };
	struct perfdata_text turned;

	if (raw->payload == 0 || !bytes.size)
		return PERFDATA_OK;
	if (!pd_rewrite_can_byteswap(rewriter))
		return rewriter->error.status;
	perfdata_text_init(&turned);
	enum perfdata_status status = PERFDATA_OK;
	if (pd_rewrite_changes_order(rewriter)) {
		status = pd_formats_anew(rewriter, &turned);
		bytes = (struct perfdata_bytes){ (const uint8_t *)turned.data, turned.size };
	}
	if (status == PERFDATA_OK)
		status = perfdata_text_failed(&turned) ? pd_rewrite_failed(rewriter, PERFDATA_ENOMEM, NULL)
						       : put_tracing_data(rewriter, raw, bytes);
	perfdata_text_release(&turned);
	return status;
}

/* Copies a piece of a hardware trace, without the first bytes if they repeat the end of the previous piece. */
static enum perfdata_status copy_piece(struct perfdata_rewriter *rewriter, const struct perfdata_raw *raw)
{
	static const uint8_t zeros[4096];
	const size_t known = rewriter->in_trace && raw->size > PERFDATA_PAYLOAD_OVERLAP ? PERFDATA_PAYLOAD_OVERLAP : 0;
	const size_t fresh = raw->size - known;
	enum perfdata_status status = PERFDATA_OK;

	if (!rewriter->trace_left)
		return status;   /* copy_auxtrace left the AUXTRACE record out */
	rewriter->in_trace = true;
	const size_t size = fresh < rewriter->trace_left ? fresh : (size_t)rewriter->trace_left;
	status = put_payload(rewriter, raw->bytes + known, size);
	rewriter->trace_left -= size;
	/* the record states more bytes than its pieces have: zeros replace the lost bytes */
	while (status == PERFDATA_OK && !raw->payload && rewriter->trace_left) {
		const size_t step = rewriter->trace_left < sizeof zeros ? (size_t)rewriter->trace_left : sizeof zeros;
		status = put_payload(rewriter, zeros, step);
		rewriter->trace_left -= step;
	}
	return status;
}

static enum perfdata_status copy_auxtrace(struct perfdata_rewriter *rewriter, const struct perfdata_raw *raw)
{
	const struct perfdata_config *source = perfdata_reader_config(rewriter->reader);
	struct perfdata_record record;

	rewriter->trace_left = 0;
	/* readers cannot use a record whose payload is cut off */
	if (rewriter->anonymizer || perfdata_decode(source, raw->bytes, raw->size, &record) != PERFDATA_OK ||
	    (record.u.auxtrace.size > raw->payload && !(raw->flags & PERFDATA_RAW_UNPACKED))) {
		rewriter->counts.damaged += !rewriter->anonymizer;
		return PERFDATA_OK;
	}
	const bool unpacked = raw->flags & PERFDATA_RAW_UNPACKED;
	if (unpacked)
		record.u.auxtrace.size = raw->payload;
	rewriter->trace_left = record.u.auxtrace.size;
	rewriter->in_trace = false;
	return unpacked || pd_rewrite_changes_order(rewriter) ? put_encoded(rewriter, raw, &record, source)
							      : put_record(rewriter, raw->bytes, raw->size);
}

/* --- records ----------------------------------------------------------------------------------------------------- */

/* Whether a FINISHED_ROUND of a cut changes nothing. The first one after a record sets the time up to which the second
 * one flushes the reader's queue; further ones flush nothing. A cut of a long recording may have a million of them. */
static bool is_empty_round(struct perfdata_rewriter *rewriter)
{
	const bool follows_round = rewriter->rounds_in_row && rewriter->counts.records == rewriter->records_at_round;

	if (!rewriter->choice.chosen || rewriter->keeps_carriers)
		return false;
	if (follows_round && rewriter->rounds_in_row == 2)
		return true;
	rewriter->rounds_in_row = follows_round ? 2 : 1;
	rewriter->records_at_round = rewriter->counts.records + 1;
	return false;
}

/* Whether the output has the contents of this synthesized record in another form, or not at all. */
static bool has_other_form(struct perfdata_rewriter *rewriter, const struct perfdata_raw *raw)
{
	switch (raw->type) {
	case PERFDATA_RECORD_ATTR:
		/* a file with a table of attrs has no event of such a record, but a stream has */
		if (!pd_mend_has_late_events(rewriter->reader))
			return true;
		/* fallthrough */
	case PERFDATA_RECORD_EVENT_TYPE:
	case PERFDATA_RECORD_TRACING_DATA:
	case PERFDATA_RECORD_BUILD_ID:
	case PERFDATA_RECORD_FEATURE:
		return rewriter->anonymizer ||
		       ((rewriter->from_stream || rewriter->options.repair) && !rewriter->to_stream);
	case PERFDATA_RECORD_FINISHED_ROUND:
		/* each file of a directory has its own rounds; an input that is read in the order of time needs none */
		return rewriter->anonymizer || rewriter->from_directory || is_empty_round(rewriter);
	default:
		return false;
	}
}

/* Whether no reader can use the record: perf stops at unknown record types and unknown events. */
static bool is_unknown(const struct perfdata_rewriter *rewriter, const struct perfdata_raw *raw)
{
	const bool has_layout = perfdata_record_layout(raw->type) != NULL;

	if (!has_layout && (raw->type < PERFDATA_RECORD_USER_FIRST || rewriter->options.repair || rewriter->anonymizer))
		return true;
	if (rewriter->options.for_old && raw->type > LAST_OF_61 && !perfdata_record_is_simpleperf(raw->type))
		return true;
	if (raw->type == PERFDATA_RECORD_SAMPLE && !raw->event)
		return true;   /* no attr describes its layout */
	/* events of perf stat have no samples; in a file, their attrs describe a field (see pd_mend_attr) that a
	 * sample in a damaged stream does not have */
	if (raw->type == PERFDATA_RECORD_SAMPLE && !raw->event->attr->sample_type &&
	    pd_mend_is_stat(rewriter->reader))
		return true;
	if (!(raw->flags & PERFDATA_RAW_UNKNOWN_ID) || perfdata_reader_nr_events(rewriter->reader) < 2)
		return false;
	return rewriter->options.repair || raw->type == PERFDATA_RECORD_SAMPLE;
}

/* Whether the record lacks its trailer. perf refuses such a record unless it is long enough to seem to have one. */
static bool lacks_trailer(const struct perfdata_config *config, const struct perfdata_record *record)
{
	return record->type < PERFDATA_RECORD_USER_FIRST && record->type != PERFDATA_RECORD_SAMPLE && record->layout &&
	       !record->sample_id.present && config->trailer_size &&
	       record->size < record->layout->min_size + config->trailer_size;
}

/* Writes a record that may be larger than 64 KiB: the writer splits it. */
static enum perfdata_status put_large(struct perfdata_rewriter *rewriter, const struct perfdata_config *target,
				      const struct perfdata_config *source, const struct perfdata_record *record)
{
	const size_t symbols = record->type == PERFDATA_RECORD_SIMPLEPERF_KERNEL_SYMBOL
				       ? record->u.kernel_symbol.kallsyms.size
				       : 0;
	const size_t room = record->size + symbols + (size_t)PD_RECORD_ROOM;
	uint8_t *out = pd_malloc(room);
	size_t size;

	if (!out)
		return pd_rewrite_failed(rewriter, PERFDATA_ENOMEM, NULL);
	enum perfdata_status status = pd_encode_record_in(target, source, record, out, room, &size);
	status = status == PERFDATA_OK ? put_record(rewriter, out, size)
				       : pd_rewrite_failed(rewriter, status, "a record does not fit");
	pd_free(out);
	return status;
}

static enum perfdata_status put_encoded(struct perfdata_rewriter *rewriter, const struct perfdata_raw *raw,
					struct perfdata_record *record, const struct perfdata_config *source)
{
	uint8_t out[PD_RECORD_ROOM];
	const struct perfdata_config *target = rewriter->merge ? pd_merge_record(rewriter, raw, record)
							       : pd_rewrite_target(rewriter, raw);
	size_t size;

	if (!target)
		return rewriter->error.status;
	if (perfdata_record_is_simpleperf(record->type))
		return put_large(rewriter, target, source, record);
	const enum perfdata_status status = pd_encode_record(target, source, record, out, &size);
	if (status != PERFDATA_OK)
		return pd_rewrite_failed(rewriter, status, "a record does not fit");
	return put_record(rewriter, out, size);
}

static void count_damaged(struct perfdata_rewriter *rewriter, const struct perfdata_raw *raw)
{
	rewriter->counts.damaged++;
	if (raw->type == PERFDATA_RECORD_SAMPLE) {
		rewriter->lost_samples++;
		rewriter->all_lost_samples++;
	} else {
		rewriter->gaps++;
		rewriter->all_gaps++;
	}
}

static void note_sample(struct perfdata_rewriter *rewriter, const struct perfdata_raw *raw)
{
	const uint64_t time = rewriter->anonymizer ? pd_anonymize_time(rewriter->anonymizer, raw->time) : raw->time;

	rewriter->counts.samples++;
	if (time == UINT64_MAX || time == 0)
		return;
	if (time < rewriter->first_sample)
		rewriter->first_sample = time;
	if (time > rewriter->last_sample)
		rewriter->last_sample = time;
}

static bool is_name(const struct perfdata_record *record)
{
	return record->type == PERFDATA_RECORD_EVENT_UPDATE &&
	       record->u.event_update.type == PERFDATA_EVENT_UPDATE_NAME;
}

/* Renames the event in an EVENT_UPDATE if the user renames that event. Returns whether it did. */
static bool record_renames(struct perfdata_rewriter *rewriter, struct perfdata_record *record)
{
	char name[256];

	if (!is_name(record) || !rewriter->options.nr_renames || record->u.event_update.name.size >= sizeof name)
		return false;
	memcpy(name, record->u.event_update.name.data, record->u.event_update.name.size);
	name[record->u.event_update.name.size] = '\0';
	const char *other = pd_new_name(rewriter, name);
	if (other == name)
		return false;
	record->u.event_update.name = (struct perfdata_bytes){ (const uint8_t *)other, strlen(other) };
	return true;
}

static const char *anonymizing_failed(enum perfdata_status status)
{
	return status == PERFDATA_ELIMIT ? "a process has more mappings at one time than fit into an address space"
					 : NULL;
}

static enum perfdata_status copy_whole(struct perfdata_rewriter *rewriter, const struct perfdata_raw *raw)
{
	const struct perfdata_config *source = pd_rewrite_source(rewriter->reader, raw);
	struct perfdata_record record;

	const bool is_whole = perfdata_decode(source, raw->bytes, raw->size, &record) == PERFDATA_OK ||
			      record.problem_code == PERFDATA_FINDING_TEXT_UNTERMINATED;
	if (!is_whole || !pd_identify_has_room(rewriter, raw)) {
		count_damaged(rewriter, raw);
		return PERFDATA_OK;
	}
	/* a file, and a merge, has the names in its EVENT_DESC section */
	if (is_name(&record) && (rewriter->merge || (rewriter->from_stream && !rewriter->to_stream)))
		return PERFDATA_OK;
	if (rewriter->options.repair && pd_mend_stops_at(rewriter, &record)) {
		rewriter->counts.unknown++;
		return PERFDATA_OK;
	}
	if (raw->flags & PERFDATA_RAW_AFTER_GAP) {
		rewriter->gaps++;
		rewriter->all_gaps++;
	}
	if (rewriter->options.repair && (rewriter->gaps || rewriter->lost_samples)) {
		const enum perfdata_status status = pd_mend_tell_loss(rewriter, raw);
		if (status != PERFDATA_OK)
			return status;
	}
	const bool counted = pd_counters_set(rewriter, raw, &record);
	if (rewriter->error.status != PERFDATA_OK)
		return rewriter->error.status;
	if (rewriter->anonymizer) {
		pd_unwound_join(rewriter, raw, &record);
		const enum perfdata_status status = pd_anonymize_record(rewriter->anonymizer, raw, &record);
		if (status != PERFDATA_OK)
			return status == PERFDATA_ABSENT
				       ? PERFDATA_OK
				       : pd_rewrite_failed(rewriter, status, anonymizing_failed(status));
	}
	if (raw->type == PERFDATA_RECORD_SAMPLE)
		note_sample(rewriter, raw);
	if (rewriter->anonymizer)
		return put_encoded(rewriter, raw, &record, NULL);
	const bool filled = pd_build_ids_fill(rewriter, &record);
	if (pd_rewrite_changes_order(rewriter)) {
		const enum perfdata_status status = pd_tracepoint_turn(rewriter, raw, &record);
		if (status != PERFDATA_OK)
			return status;
	}
	if (rewriter->merge) {
		const enum perfdata_status status = pd_merge_round(rewriter, raw);
		return status == PERFDATA_OK ? put_encoded(rewriter, raw, &record, source) : status;
	}
	const bool mended = (rewriter->options.repair || !rewriter->to_stream) && pd_mend_ids(rewriter, raw, &record);
	const bool identified = pd_identify_record(rewriter, raw, &record);
	if (record.problem && rewriter->options.repair)
		return put_encoded(rewriter, raw, &record, NULL);
	if (lacks_trailer(source, &record)) {
		record.sample_id.present = source->trailer_present;
		return put_encoded(rewriter, raw, &record, source);
	}
	if (counted || filled || mended || identified || record_renames(rewriter, &record) ||
	    pd_rewrite_changes_order(rewriter))
		return put_encoded(rewriter, raw, &record, source);
	return put_aligned(rewriter, raw);
}

static enum perfdata_status copy_carrier(struct perfdata_rewriter *rewriter, const struct perfdata_raw *raw)
{
	if (raw->flags & PERFDATA_RAW_NOT_DECOMPRESSED) {
		count_damaged(rewriter, raw);
		return PERFDATA_OK;
	}
	/* a record inside another one is copied with it */
	return rewriter->keeps_carriers && raw->inner == PERFDATA_NO_OFFSET
		       ? put_record(rewriter, raw->bytes, raw->size)
		       : PERFDATA_OK;
}

/* Copies one part of a split record. The joined record replaces the parts. Where carriers are kept, parts outside of
 * carriers are copied as they are. */
static enum perfdata_status copy_part(struct perfdata_rewriter *rewriter, const struct perfdata_raw *raw)
{
	return rewriter->keeps_carriers && raw->inner == PERFDATA_NO_OFFSET
		       ? put_record(rewriter, raw->bytes, raw->size)
		       : PERFDATA_OK;
}

static enum perfdata_status copy_feature(struct perfdata_rewriter *rewriter, const struct perfdata_raw *raw)
{
	uint8_t out[PD_RECORD_ROOM];
	size_t size;
	const enum perfdata_status status = pd_sections_record(rewriter, raw, out, &size);

	return status == PERFDATA_OK       ? put_record(rewriter, out, size)
	       : status == PERFDATA_ABSENT ? PERFDATA_OK
					   : status;
}

enum perfdata_status pd_copy_record(struct perfdata_rewriter *rewriter, const struct perfdata_raw *raw)
{
	enum perfdata_status status;
	bool is_damaged;

	if (raw->flags & PERFDATA_RAW_PAYLOAD)
		return copy_piece(rewriter, raw);
	bool left_out = !rewriter->merge && has_other_form(rewriter, raw);
	if (rewriter->merge) {
		status = pd_merge_leaves_out(rewriter, raw, &left_out);
		if (status != PERFDATA_OK)
			return status;
	}
	if (left_out)
		return PERFDATA_OK;
	/* the state from before a cut follows synthesized records, and precedes all records with a time */
	if (!rewriter->state_written && raw->time != UINT64_MAX && raw->time != 0) {
		status = pd_choice_write_state(rewriter);
		if (status != PERFDATA_OK)
			return status;
	}
	switch (raw->type) {
	case PERFDATA_RECORD_COMPRESSED:
	case PERFDATA_RECORD_COMPRESSED2:
		return copy_carrier(rewriter, raw);
	case PERFDATA_RECORD_SIMPLEPERF_SPLIT:
	case PERFDATA_RECORD_SIMPLEPERF_SPLIT_END:
		return copy_part(rewriter, raw);
	case PERFDATA_RECORD_TRACING_DATA:
		if (raw->size > 16)
			break;   /* a record of simpleperf, which contains its data */
		return copy_tracing_data(rewriter, raw);
	case PERFDATA_RECORD_SIMPLEPERF_TRACING_DATA:
		status = pd_mend_trace_record(rewriter, raw, &is_damaged);
		rewriter->counts.damaged += is_damaged;
		if (status != PERFDATA_OK || is_damaged)
			return status;
		break;
	case PERFDATA_RECORD_AUXTRACE:
		return copy_auxtrace(rewriter, raw);
	case PERFDATA_RECORD_FEATURE:
		return copy_feature(rewriter, raw);
	default:
		break;
	}
	if (raw->inner != PERFDATA_NO_OFFSET && rewriter->keeps_carriers) {
		if (raw->type == PERFDATA_RECORD_SAMPLE)
			note_sample(rewriter, raw);
		return PERFDATA_OK;
	}
	if (is_unknown(rewriter, raw)) {
		rewriter->counts.unknown++;
		return PERFDATA_OK;
	}
	if (!pd_choice_keeps(rewriter, raw))
		return PERFDATA_OK;
	return copy_whole(rewriter, raw);
}
