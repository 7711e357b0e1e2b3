/* SPDX-License-Identifier: MIT */
/* The public functions of the writer of recordings. */
#include "config.h"
#include "base/checked.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/option_struct.h"
#include "write/writer.h"
#include "write/writing.h"

enum perfdata_status pd_writer_failed(struct pd_writer *writer, enum perfdata_status status, const char *what)
{
	if (writer->error.status == PERFDATA_OK)
		(void)pd_error(&writer->error, status, PERFDATA_NO_OFFSET, "%s",
			       what ? what : perfdata_status_text(status));
	return writer->error.status;
}

enum perfdata_status pd_writer_out(struct pd_writer *writer, const void *bytes, size_t size)
{
	if (!size)
		return PERFDATA_OK;
	enum perfdata_status status = writer->options.write(writer->options.user, bytes, size);

	if (status > PERFDATA_OK)
		status = PERFDATA_EWRITE;   /* positive statuses are about inputs, so an output cannot have one */
	return status == PERFDATA_OK ? status : pd_writer_failed(writer, status, NULL);
}

enum perfdata_status pd_writer_put(struct pd_writer *writer, const void *bytes, size_t size)
{
	return writer->options.form == PD_WRITE_FILE ? pd_write_spool_put(writer, bytes, size)
							  : pd_writer_out(writer, bytes, size);
}

enum perfdata_status pd_writer_new(const struct pd_writer_options *options, struct pd_writer **ret,
				   struct perfdata_error *reterr)
{
	struct pd_codec_reason reason;
	const enum perfdata_status status =
		options->carrier == PD_CARRIER_NONE ? PERFDATA_OK : pd_codec_load(PD_CODEC_ZSTD, &reason);
	if (status)
		return pd_error(reterr, status, PERFDATA_NO_OFFSET, "records cannot be compressed: %s", reason.text);
	struct pd_writer *writer = pd_calloc(1, sizeof *writer);
	if (!writer)
		return pd_error(reterr, PERFDATA_ENOMEM, PERFDATA_NO_OFFSET, "out of memory");
	writer->error.offset = PERFDATA_NO_OFFSET;
	writer->options = *options;
	writer->swap = pd_order_is_foreign(options->order);
	if (!options->level)
		writer->options.level = 1;
	if (options->tmpdir)
		writer->options.tmpdir = pd_arena_copy(&writer->arena, options->tmpdir, strlen(options->tmpdir));
	pd_spool_init(&writer->spool.file, writer->options.tmpdir);
	if (options->tmpdir && !writer->options.tmpdir) {
		pd_writer_free(writer);
		return pd_error(reterr, PERFDATA_ENOMEM, PERFDATA_NO_OFFSET, "out of memory");
	}
	*ret = writer;
	return PERFDATA_OK;
}

void pd_writer_free(struct pd_writer *writer)
{
	if (!writer)
		return;
	pd_write_spool_release(&writer->spool);
	pd_encoder_free(writer->encoder);
	pd_free(writer->pending);
	pd_free(writer->events);
	pd_free(writer->auxtrace);
	for (uint32_t id = 0; id < PD_WRITER_FEATURES; id++)
		pd_free((void *)(uintptr_t)writer->sections[id].bytes.data);
	pd_arena_release(&writer->arena);
	pd_free(writer);
}

const struct perfdata_error *pd_writer_error(const struct pd_writer *writer) { return &writer->error; }

/* --- events and sections ----------------------------------------------------------------------------------------- */

enum perfdata_status pd_writer_event(struct pd_writer *writer, const struct perfdata_attr *attr,
				     uint32_t size, const char *name, const uint64_t *ids, size_t nr_ids)
{
	const uint32_t own = size ? size : attr->size ? attr->size : 64;

	if (writer->error.status != PERFDATA_OK)
		return writer->error.status;
	if (own < 64 || own > PD_ATTR_ROOM || own % 8)
		return pd_writer_failed(writer, PERFDATA_EUSAGE, "the size of an attr is impossible");
	if (pd_vector_grow(&writer->events, &writer->events_room, writer->nr_events, sizeof *writer->events) < 0)
		return pd_writer_failed(writer, PERFDATA_ENOMEM, NULL);
	struct pd_written_event *event = &writer->events[writer->nr_events];
	*event = (struct pd_written_event){ .attr = *attr, .nr_ids = nr_ids };
	event->ids = (const uint64_t *)(const void *)pd_arena_copy(&writer->arena, ids, nr_ids * sizeof *ids);
	event->attr.rest.data = (const uint8_t *)pd_arena_copy(&writer->arena, attr->rest.data, attr->rest.size);
	event->name = name ? pd_arena_copy(&writer->arena, name, strlen(name)) : NULL;
	if (!event->ids || !event->attr.rest.data || (name && !event->name))
		return pd_writer_failed(writer, PERFDATA_ENOMEM, NULL);
	writer->nr_events++;
	if (own > writer->attr_size)
		writer->attr_size = own;
	return PERFDATA_OK;
}

enum perfdata_status pd_writer_attr(struct pd_writer *writer, const struct pd_written_event *event, uint8_t *out)
{
	size_t size;
	/* a stated size of 0 means 64 */
	const uint32_t stated = event->attr.size == 0 && writer->attr_size == 64 ? 0 : writer->attr_size;
	const enum perfdata_status status = pd_attr_encode(&event->attr, stated, writer->options.order, out,
								 &size);
	return status == PERFDATA_OK ? status : pd_writer_failed(writer, status, NULL);
}

enum perfdata_status pd_writer_feature(struct pd_writer *writer, uint32_t id, const void *bytes,
				       size_t size)
{
	if (writer->error.status != PERFDATA_OK)
		return writer->error.status;
	if (id == 0 || id >= PD_WRITER_FEATURES)
		return pd_writer_failed(writer, PERFDATA_EUSAGE, "a feature section has an impossible number");
	char *copy = pd_strndup(bytes ? bytes : "", size);
	if (!copy)
		return pd_writer_failed(writer, PERFDATA_ENOMEM, NULL);
	pd_free((void *)(uintptr_t)writer->sections[id].bytes.data);
	writer->sections[id].is_present = true;
	writer->sections[id].bytes = (struct perfdata_bytes){ (const uint8_t *)copy, size };
	return PERFDATA_OK;
}

struct perfdata_bytes pd_writer_section(const struct pd_writer *writer, uint32_t id, bool *ret_present)
{
	*ret_present = writer->sections[id].is_present;
	return writer->sections[id].bytes;
}

/* --- records ----------------------------------------------------------------------------------------------------- */

static enum perfdata_status begin_output(struct pd_writer *writer)
{
	if (writer->begun)
		return PERFDATA_OK;
	writer->begun = true;
	return writer->options.form == PD_WRITE_STREAM ? pd_stream_begin(writer) : PERFDATA_OK;
}

/* In a stream, formats of tracepoints follow their record. */
static enum perfdata_status put_tracing_data(struct pd_writer *writer, const uint8_t *bytes, size_t size)
{
	const enum perfdata_status status = pd_carrier_flush(writer);

	/* longer TRACING_DATA records contain their data; the data of shorter ones follow the record */
	writer->payload_left = size >= 12 && size <= 16 ? pd_align8(pd_load32(bytes + 8, writer->swap)) : 0;
	return status == PERFDATA_OK ? pd_writer_put(writer, bytes, size) : status;
}

static enum perfdata_status put_auxtrace(struct pd_writer *writer, const uint8_t *bytes, size_t size)
{
	enum perfdata_status status = pd_carrier_flush(writer);

	if (status != PERFDATA_OK)
		return status;
	if (pd_vector_grow(&writer->auxtrace, &writer->auxtrace_room, writer->nr_auxtrace, sizeof *writer->auxtrace) <
	    0)
		return pd_writer_failed(writer, PERFDATA_ENOMEM, NULL);
	writer->auxtrace[writer->nr_auxtrace++] = pd_write_spool_size(&writer->spool);
	writer->payload_left = size >= 16 ? pd_load64(bytes + 8, writer->swap) : 0;
	return pd_writer_put(writer, bytes, size);
}

/* Whether a carrier may hold this record. It may not hold records with a payload, nor records that a reader of a stream
 * must see first. */
static bool can_be_carried(uint32_t type)
{
	return type != PERFDATA_RECORD_COMPRESSED && type != PERFDATA_RECORD_COMPRESSED2 &&
	       type != PERFDATA_RECORD_ATTR && type != PERFDATA_RECORD_FEATURE &&
	       type != PERFDATA_RECORD_TRACING_DATA && type != PERFDATA_RECORD_EVENT_TYPE &&
	       type != PERFDATA_RECORD_BUILD_ID;
}

/* The size that a record's header states; simpleperf's records have 32 bits for it. */
static size_t stated_size(const struct pd_writer *writer, const uint8_t *record)
{
	const size_t low = pd_load16(record + 6, writer->swap);
	if (!perfdata_record_is_simpleperf(pd_load32(record, writer->swap)))
		return low;
	return low | (size_t)pd_load16(record + 4, writer->swap) << 16;
}

/* A record of simpleperf that is too large for one, in parts. */
static enum perfdata_status put_split(struct pd_writer *writer, const uint8_t *record, size_t size)
{
	uint8_t *part = pd_malloc(UINT16_MAX);
	enum perfdata_status status = part ? PERFDATA_OK : pd_writer_failed(writer, PERFDATA_ENOMEM, NULL);

	for (size_t at = 0; at <= size && status == PERFDATA_OK;) {
		const bool is_end = at == size;
		const size_t bytes = size - at < UINT16_MAX - 8 ? size - at : UINT16_MAX - 8;
		const uint32_t type = is_end ? PERFDATA_RECORD_SIMPLEPERF_SPLIT_END : PERFDATA_RECORD_SIMPLEPERF_SPLIT;
		const uint32_t type_word = writer->swap ? __builtin_bswap32(type) : type;
		const uint16_t stated = (uint16_t)(8 + bytes);
		const uint16_t size_word = writer->swap ? __builtin_bswap16(stated) : stated;
		memcpy(part, &type_word, 4);
		memset(part + 4, 0, 2);
		memcpy(part + 6, &size_word, 2);
		memcpy(part + 8, record + at, bytes);
		status = pd_writer_record(writer, part, 8 + bytes);
		at += is_end ? 1 : bytes;
	}
	pd_free(part);
	return status;
}

enum perfdata_status pd_writer_record(struct pd_writer *writer, const void *bytes, size_t size)
{
	if (writer->error.status != PERFDATA_OK)
		return writer->error.status;
	const uint8_t *record = bytes;
	if (size > UINT16_MAX && !writer->payload_left && stated_size(writer, record) == size)
		return put_split(writer, record, size);
	if (size < 8 || size > UINT16_MAX || pd_load16(record + 6, writer->swap) != size || writer->payload_left)
		return pd_writer_failed(writer, PERFDATA_EUSAGE,
					writer->payload_left ? "the payload of a record is not whole"
							     : "a record does not have the size that it states");
	const uint32_t type = pd_load32(record, writer->swap);
	enum perfdata_status status = begin_output(writer);
	if (status != PERFDATA_OK)
		return status;
	if (type == PERFDATA_RECORD_AUXTRACE)
		return put_auxtrace(writer, bytes, size);
	if (type == PERFDATA_RECORD_TRACING_DATA)
		return put_tracing_data(writer, bytes, size);
	if (writer->options.carrier != PD_CARRIER_NONE && can_be_carried(type))
		return pd_carrier_put(writer, bytes, size);
	status = pd_carrier_flush(writer);
	return status == PERFDATA_OK ? pd_writer_put(writer, bytes, size) : status;
}

enum perfdata_status pd_writer_payload(struct pd_writer *writer, const void *bytes, size_t size)
{
	if (writer->error.status != PERFDATA_OK)
		return writer->error.status;
	if (size > writer->payload_left)
		return pd_writer_failed(writer, PERFDATA_EUSAGE, "a payload is larger than its record states");
	writer->payload_left -= size;
	return pd_writer_put(writer, bytes, size);
}

enum perfdata_status pd_writer_finish(struct pd_writer *writer)
{
	enum perfdata_status status = writer->error.status;

	if (status == PERFDATA_OK && writer->payload_left)
		status = pd_writer_failed(writer, PERFDATA_EUSAGE, "the payload of a record is not whole");
	if (status == PERFDATA_OK)
		status = begin_output(writer);
	if (status == PERFDATA_OK)
		status = pd_carrier_flush(writer);
	return status == PERFDATA_OK && writer->options.form == PD_WRITE_FILE ? pd_file_finish(writer) : status;
}
