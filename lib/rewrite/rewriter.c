/* SPDX-License-Identifier: MIT */
/* The public functions of the rewriter of recordings. */
#include "config.h"
#include <stdarg.h>
#include <stdio.h>
#include "base/cancel.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/option_struct.h"
#include "schema/schema.h"
#include "reader/reader.h"
#include "rewrite/anonymize.h"
#include "rewrite/tracepoints.h"
#include "write/writing.h"

enum perfdata_status pd_rewrite_failed(struct perfdata_rewriter *rewriter, enum perfdata_status status,
				       const char *what)
{
	if (rewriter->error.status == PERFDATA_OK)
		(void)pd_error(&rewriter->error, status, PERFDATA_NO_OFFSET, "%s",
			       what ? what : perfdata_status_text(status));
	return rewriter->error.status;
}

enum perfdata_status pd_rewrite_written(struct perfdata_rewriter *rewriter, enum perfdata_status status)
{
	if (status != PERFDATA_OK && rewriter->error.status == PERFDATA_OK)
		rewriter->error = *pd_writer_error(rewriter->writer);
	return status;
}

void pd_rewrite_tell(struct perfdata_rewriter *rewriter, const char *format, ...)
{
	char line[256];
	va_list arguments;

	if (!rewriter->options.on_message)
		return;
	va_start(arguments, format);
	vsnprintf(line, sizeof line, format, arguments);
	va_end(arguments);
	rewriter->options.on_message(rewriter->options.message_user, line);
}

static bool copy_options(struct perfdata_rewriter *rewriter)
{
	struct perfdata_rewrite_options *options = &rewriter->options;
	struct perfdata_rewrite_rename *renames = pd_arena_calloc(&rewriter->arena, options->nr_renames,
								  sizeof *renames);

	for (size_t i = 0; renames && i < options->nr_renames; i++) {
		renames[i].from = pd_arena_copy(&rewriter->arena, options->renames[i].from,
						strlen(options->renames[i].from));
		renames[i].to = pd_arena_copy(&rewriter->arena, options->renames[i].to, strlen(options->renames[i].to));
		if (!renames[i].from || !renames[i].to)
			return false;
	}
	options->renames = renames;
	if (options->tmpdir &&
	    !(options->tmpdir = pd_arena_copy(&rewriter->arena, options->tmpdir, strlen(options->tmpdir))))
		return false;
	return renames && pd_build_ids_copy(rewriter);
}

enum perfdata_status perfdata_rewriter_new(const struct perfdata_rewrite_options *options,
					   struct perfdata_rewriter **ret, struct perfdata_error *reterr)
{
	struct perfdata_rewriter *rewriter = pd_calloc(1, sizeof *rewriter);
	struct perfdata_anonymize_options pseudonyms;
	uint8_t key[sizeof pseudonyms.key];
	enum perfdata_status status = PERFDATA_OK;

	if (rewriter) {
		status = PD_OPTIONS_COPY(&rewriter->options, nr_build_ids, options, reterr);
		rewriter->error.offset = PERFDATA_NO_OFFSET;
		rewriter->choice.last = UINT64_MAX;
		rewriter->first_sample = UINT64_MAX;
	}
	const struct perfdata_anonymize_options *anonymize = rewriter ? rewriter->options.anonymize : NULL;
	if (anonymize && status == PERFDATA_OK)
		status = PD_OPTIONS_COPY(&pseudonyms, user, anonymize, reterr);
	if (anonymize && status == PERFDATA_OK)
		status = pd_anonymize_key_of(&pseudonyms, key, reterr);
	if (rewriter && status == PERFDATA_OK && !rewriter->options.write)
		status = pd_error(reterr, PERFDATA_EUSAGE, PERFDATA_NO_OFFSET,
				  "the rewriter has no function to write with");
	if (status != PERFDATA_OK) {
		perfdata_rewriter_free(rewriter);
		return status;
	}
	if (anonymize)
		rewriter->anonymizer = pd_anonymizer_new(&pseudonyms, key);
	if (!rewriter || !copy_options(rewriter) || (anonymize && !rewriter->anonymizer)) {
		perfdata_rewriter_free(rewriter);
		return pd_error(reterr, PERFDATA_ENOMEM, PERFDATA_NO_OFFSET, "out of memory");
	}
	*ret = rewriter;
	return PERFDATA_OK;
}

void perfdata_rewriter_free(struct perfdata_rewriter *rewriter)
{
	if (!rewriter)
		return;
	pd_writer_free(rewriter->writer);
	pd_anonymizer_free(rewriter->anonymizer);
	pd_free(rewriter->unwound.words);
	pd_merge_free(rewriter->merge);
	pd_choice_release(&rewriter->choice);
	pd_free(rewriter->values);
	pd_free(rewriter->state);
	pd_free(rewriter->configs);
	pd_arena_release(&rewriter->arena);
	pd_free(rewriter);
}

const struct perfdata_rewrite_counts *perfdata_rewriter_counts(const struct perfdata_rewriter *rewriter)
{
	return &rewriter->counts;
}
const struct perfdata_error *perfdata_rewriter_error(const struct perfdata_rewriter *rewriter)
{
	return &rewriter->error;
}

enum perfdata_byte_order pd_rewrite_order_of(const struct perfdata_rewrite_options *options,
					     const struct perfdata_reader *reader)
{
	switch (options->order) {
	case PERFDATA_REWRITE_LITTLE_ENDIAN: return PERFDATA_BYTE_ORDER_LITTLE;
	case PERFDATA_REWRITE_BIG_ENDIAN: return PERFDATA_BYTE_ORDER_BIG;
	default: return perfdata_reader_header(reader)->order;
	}
}

bool pd_rewrite_changes_order(const struct perfdata_rewriter *rewriter)
{
	return rewriter->order != perfdata_reader_header(rewriter->reader)->order;
}

const struct perfdata_config *pd_rewrite_source(const struct perfdata_reader *reader, const struct perfdata_raw *raw)
{
	return raw->event ? raw->event->config : perfdata_reader_config(reader);
}

/* configs[0] is the layout of records that have no event. */
const struct perfdata_config *pd_rewrite_target(struct perfdata_rewriter *rewriter, const struct perfdata_raw *raw)
{
	const uint32_t version = raw->event ? raw->event->version + 1 : 0;

	if (version >= rewriter->nr_configs) {
		if (pd_vector_reach(&rewriter->configs, &rewriter->nr_configs, version, sizeof *rewriter->configs) <
		    0) {
			(void)pd_rewrite_failed(rewriter, PERFDATA_ENOMEM, NULL);
			return NULL;
		}
		pd_config_init(&rewriter->configs[0], NULL, rewriter->order);
	}
	struct perfdata_config *config = &rewriter->configs[version];
	if (version && !config->has_attr) {
		struct perfdata_attr attr = *raw->event->attr;
		if (rewriter->anonymizer)
			pd_anonymize_attr(rewriter->anonymizer, &attr);
		pd_identify_attr(rewriter, &attr);
		pd_config_init(config, &attr, rewriter->order);
		config->branch_counters = raw->event->config->branch_counters;
	}
	return config;
}

enum perfdata_status pd_rewrite_accept(struct perfdata_rewriter *rewriter, const struct perfdata_reader *reader,
				       unsigned demands)
{
	const bool in_time = pd_reader_is_in_time(reader);
	const char *what = NULL;

	if (rewriter->error.status != PERFDATA_OK)
		return rewriter->error.status;
	if (pd_reader_was_asked(reader))
		what = "records were read already: a rewriter needs all of them";
	else if (demands & PD_DEMAND_TIME && !in_time)
		what = "the reader gives records in the order of the file: that of time is needed";
	else if (demands & PD_DEMAND_FILE && in_time)
		what = "the reader gives records in the order of time: that of the file is needed";
	else if (demands & PD_DEMAND_PAYLOADS && !pd_reader_gives_payloads(reader))
		what = "the reader gives no payloads: a copy would lack them";
	return what ? pd_rewrite_failed(rewriter, PERFDATA_EUSAGE, what) : PERFDATA_OK;
}

enum perfdata_status perfdata_rewriter_survey(struct perfdata_rewriter *rewriter, struct perfdata_reader *reader)
{
	const struct perfdata_raw *raw;
	enum perfdata_status status = pd_rewrite_accept(rewriter, reader, 0);

	rewriter->surveyed = true;
	if (!rewriter->anonymizer && !pd_mend_has_late_events(reader))
		return status;   /* events are complete before the first record */
	while (status == PERFDATA_OK && (status = perfdata_reader_next(reader, &raw)) == PERFDATA_OK) {
		if (rewriter->anonymizer && raw->time && raw->time < rewriter->anonymizer->first_time)
			rewriter->anonymizer->first_time = raw->time;
		if (pd_cancelled(rewriter->options.cancel))
			status = pd_rewrite_failed(rewriter, PERFDATA_EINTR, NULL);
	}
	if (pd_rewrite_is_end(reader, status)) {
		if (rewriter->anonymizer)
			pd_anonymize_note_events(rewriter->anonymizer, reader);
		pd_identify_decide(rewriter, reader);
		return PERFDATA_OK;
	}
	if (rewriter->error.status == PERFDATA_OK)
		rewriter->error = *perfdata_reader_error(reader);
	return status;
}

const struct perfdata_anonymize_counts *perfdata_rewriter_anonymized(const struct perfdata_rewriter *rewriter)
{
	struct pd_anonymizer *a = rewriter->anonymizer;

	if (!a)
		return NULL;
	a->counts.comms = a->names.counts[PD_PSEUDONYM_COMM];
	a->counts.paths = a->names.counts[PD_PSEUDONYM_PATH];
	a->counts.names = a->names.counts[PD_PSEUDONYM_NAME];
	a->counts.build_ids = a->names.counts[PD_PSEUDONYM_BUILD_ID];
	a->counts.pids = a->names.counts[PD_PSEUDONYM_PID];
	a->counts.numbers = a->names.counts[PD_PSEUDONYM_NUMBER];
	a->counts.stacks = rewriter->unwound.stacks;
	a->counts.unwound = rewriter->unwound.joined;
	return &a->counts;
}

/* --- the copy ---------------------------------------------------------------------------------------------------- */

static bool is_set(const struct perfdata_header *header, unsigned id)
{
	return header->feature_bits[id / 64] >> id % 64 & 1;
}

/* Whether carriers may be copied as they are, since nothing inside them changes. */
static bool may_keep_carriers(const struct perfdata_rewriter *rewriter)
{
	const struct perfdata_rewrite_options *options = &rewriter->options;
	return options->packing == PERFDATA_REWRITE_SAME_PACKING && !rewriter->choice.chosen && !rewriter->anonymizer &&
	       !options->repair && !pd_rewrite_changes_order(rewriter) && !options->for_old && !options->nr_build_ids &&
	       !rewriter->merge && !rewriter->from_directory && rewriter->from_stream == rewriter->to_stream &&
	       (rewriter->to_stream || !pd_mend_has_late_events(rewriter->reader));
}

enum perfdata_status pd_rewrite_make_writer(struct perfdata_rewriter *rewriter)
{
	const struct perfdata_header *header = perfdata_reader_header(rewriter->reader);
	const bool was_compressed = is_set(header, PERFDATA_FEATURE_COMPRESSED);
	const bool pack = rewriter->options.packing == PERFDATA_REWRITE_COMPRESSED ||
			  (rewriter->options.packing == PERFDATA_REWRITE_SAME_PACKING && was_compressed &&
			   !rewriter->keeps_carriers);
	const struct pd_writer_options options = {
		.form = rewriter->to_stream ? PD_WRITE_STREAM : PD_WRITE_FILE,
		.order = rewriter->order,
		.carrier = pack ? PD_CARRIER_COMPRESSED : PD_CARRIER_NONE,
		.tmpdir = rewriter->options.tmpdir,
		.max_spool = rewriter->options.max_spool,
		.write = rewriter->options.write,
		.user = rewriter->options.write_user,
	};
	enum perfdata_status status = pd_writer_new(&options, &rewriter->writer, &rewriter->error);

	/* build-ids that the user found are in no record of the input stream */
	if (status == PERFDATA_OK && rewriter->to_stream && rewriter->from_stream)
		status = pd_build_ids_finish(rewriter);
	/* a stream has its feature sections at its beginning, a file at its end */
	if (status == PERFDATA_OK && rewriter->to_stream && !rewriter->from_stream) {
		status = pd_sections_events(rewriter);
		if (status == PERFDATA_OK)
			status = pd_sections_features(rewriter);
	}
	return status;
}

/* Marks a recording of chosen samples that read counters: see PD_COUNTERS_RESTART. */
static enum perfdata_status mark_counters(struct perfdata_rewriter *rewriter)
{
	char note[64];

	rewriter->restarts |= rewriter->choice.nr_counted ||
			      (rewriter->anonymizer && pd_counters_restart(rewriter->reader));
	if (!rewriter->restarts)
		return PERFDATA_OK;
	if (rewriter->options.for_old && rewriter->to_stream) {
		pd_rewrite_tell(rewriter, "the stream does not say that its counters start at 0, since perf 6.1 knows "
					  "no notes in streams: merge it with no other part of the recording");
		return PERFDATA_OK;
	}
	snprintf(note, sizeof note, "%s by perfdata %s", rewriter->choice.nr_counted ? "cut" : "anonymized",
		 perfdata_version());
	return pd_mend_put_note(rewriter, note);
}

enum perfdata_status pd_rewrite_put_round(struct perfdata_rewriter *rewriter)
{
	const struct perfdata_record record = { .type = PERFDATA_RECORD_FINISHED_ROUND,
						.layout = perfdata_record_layout(PERFDATA_RECORD_FINISHED_ROUND) };
	struct perfdata_config config;
	uint8_t out[PD_RECORD_ROOM];
	size_t size;

	pd_config_init(&config, NULL, rewriter->order);
	const enum perfdata_status status = pd_encode_record(&config, NULL, &record, out, &size);
	return status == PERFDATA_OK ? pd_rewrite_written(rewriter, pd_writer_record(rewriter->writer, out, size))
				     : status;
}

bool pd_rewrite_can_byteswap(struct perfdata_rewriter *rewriter)
{
	for (size_t i = 0; pd_rewrite_changes_order(rewriter) && !rewriter->anonymizer &&
			   i < perfdata_reader_nr_events(rewriter->reader);
	     i++)
		if (!pd_tracepoint_can_byteswap(rewriter, perfdata_reader_event(rewriter->reader, i)))
			return false;
	return true;
}

bool pd_rewrite_is_end(const struct perfdata_reader *reader, enum perfdata_status status)
{
	return status == PERFDATA_END ||
	       (status == PERFDATA_EREAD && perfdata_reader_error(reader)->status == PERFDATA_EREAD &&
		perfdata_reader_finding_count(reader, PERFDATA_FINDING_READ_FAILED));
}

enum perfdata_status pd_rewrite_each(struct perfdata_rewriter *rewriter, struct perfdata_reader *reader,
				     pd_rewrite_record_fn *use)
{
	const struct perfdata_raw *raw;
	enum perfdata_status status = rewriter->error.status;

	while (status == PERFDATA_OK && (status = perfdata_reader_next(reader, &raw)) == PERFDATA_OK) {
		status = use(rewriter, reader, raw);
		if (pd_cancelled(rewriter->options.cancel))
			status = pd_rewrite_failed(rewriter, PERFDATA_EINTR, NULL);
	}
	if (pd_rewrite_is_end(reader, status))
		return PERFDATA_OK;
	if (rewriter->error.status == PERFDATA_OK)
		rewriter->error = *perfdata_reader_error(reader);
	return status;
}

static enum perfdata_status copy_one(struct perfdata_rewriter *rewriter, struct perfdata_reader *reader,
				     const struct perfdata_raw *raw)
{
	(void)reader;
	return pd_copy_record(rewriter, raw);
}

enum perfdata_status pd_rewrite_begin(struct perfdata_rewriter *rewriter, struct perfdata_reader *reader)
{
	const struct perfdata_header *header = perfdata_reader_header(reader);
	const enum perfdata_rewrite_form form = rewriter->options.form;

	if (pd_rewrite_accept(rewriter, reader,
			      PD_DEMAND_PAYLOADS | (rewriter->anonymizer ? PD_DEMAND_TIME : PD_DEMAND_FILE)) !=
	    PERFDATA_OK)
		return rewriter->error.status;
	if (rewriter->writer || rewriter->merge)
		return pd_rewrite_failed(rewriter, PERFDATA_EUSAGE, "a rewriter makes one recording");
	if (!rewriter->surveyed &&
	    (rewriter->anonymizer || (rewriter->options.repair && pd_mend_has_late_events(reader))))
		return pd_rewrite_failed(rewriter, PERFDATA_EUSAGE, "the recording was not surveyed");
	rewriter->reader = reader;
	pd_reader_drop_cut_payloads(reader);   /* copy_auxtrace would leave them out */
	rewriter->order = pd_rewrite_order_of(&rewriter->options, reader);
	rewriter->from_stream = header->container == PERFDATA_CONTAINER_PIPE;
	rewriter->from_directory = header->container == PERFDATA_CONTAINER_DIRECTORY;
	rewriter->to_stream = !rewriter->anonymizer && !rewriter->options.repair &&
			      (form == PERFDATA_REWRITE_TO_STREAM ||
			       (form == PERFDATA_REWRITE_AS_INPUT && rewriter->from_stream));
	rewriter->keeps_carriers = may_keep_carriers(rewriter);
	if (!pd_mend_has_late_events(reader))
		pd_identify_decide(rewriter, reader);
	if (!pd_rewrite_can_byteswap(rewriter))
		return rewriter->error.status;
	const enum perfdata_status status = pd_rewrite_make_writer(rewriter);
	return status == PERFDATA_OK ? mark_counters(rewriter) : status;
}

enum perfdata_status perfdata_rewriter_copy(struct perfdata_rewriter *rewriter, struct perfdata_reader *reader)
{
	enum perfdata_status status = pd_rewrite_begin(rewriter, reader);

	if (status == PERFDATA_OK)
		status = pd_rewrite_each(rewriter, reader, copy_one);
	rewriter->copied = status == PERFDATA_OK;
	return status;
}

enum perfdata_status perfdata_rewriter_finish(struct perfdata_rewriter *rewriter)
{
	enum perfdata_status status = rewriter->error.status;

	if (status == PERFDATA_OK && !rewriter->copied)
		status = pd_rewrite_failed(rewriter, PERFDATA_EUSAGE, "no recording was copied that could be finished");
	rewriter->copied = false;
	if (status == PERFDATA_OK)
		status = pd_choice_write_state(rewriter);
	if (status == PERFDATA_OK && !rewriter->to_stream) {
		status = pd_sections_events(rewriter);
		if (status == PERFDATA_OK && rewriter->options.repair)
			status = pd_mend_no_events(rewriter);
		if (status == PERFDATA_OK)
			status = pd_sections_features(rewriter);
		if (status == PERFDATA_OK && rewriter->options.repair)
			status = pd_mend_sections(rewriter);
	}
	return status == PERFDATA_OK ? pd_rewrite_written(rewriter, pd_writer_finish(rewriter->writer)) : status;
}
