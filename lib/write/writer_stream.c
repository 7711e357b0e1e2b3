/* SPDX-License-Identifier: MIT */
/* A stream: a short header, then events and sections as records. */
#include "config.h"
#include "base/checked.h"
#include "base/memory.h"
#include "schema/feature.h"
#include "write/writer.h"
#include "write/writing.h"

#define STREAM_HEADER_SIZE 16u
#define UPDATE_HEAD 24u              /* bytes of an EVENT_UPDATE before its name */
#define UPDATE_SIZE 40u              /* bytes that perf reserves for an EVENT_UPDATE besides its name */

static void put_head(const struct pd_writer *writer, struct perfdata_text *out, uint32_t type, size_t size)
{
	pd_text_int(writer, out, 4, type);
	pd_text_int(writer, out, 2, 0);
	pd_text_int(writer, out, 2, size);
}

static enum perfdata_status put_attr_record(struct pd_writer *writer, const struct pd_written_event *event,
					    struct perfdata_text *out)
{
	uint8_t attr[PD_ATTR_ROOM];
	const size_t room = (UINT16_MAX - 8u - writer->attr_size) / 8;
	const size_t nr = event->nr_ids < room ? event->nr_ids : room;
	const enum perfdata_status status = pd_writer_attr(writer, event, attr);

	if (status != PERFDATA_OK)
		return status;
	put_head(writer, out, PERFDATA_RECORD_ATTR, 8 + writer->attr_size + nr * 8);
	perfdata_text_append(out, attr, writer->attr_size);
	for (size_t i = 0; i < nr; i++)
		pd_text_int(writer, out, 8, event->ids[i]);
	return nr == event->nr_ids
		       ? PERFDATA_OK
		       : pd_writer_failed(writer, PERFDATA_ELIMIT, "an event has more ids than a stream can hold");
}

/* perf takes names of a stream's events from these records, and not from the section EVENT_DESC. */
static void put_name_record(const struct pd_writer *writer, const struct pd_written_event *event,
			    struct perfdata_text *out)
{
	const size_t length = event->name ? strlen(event->name) : 0;
	const size_t size = (size_t)pd_align8(UPDATE_SIZE + length + 1);

	if (!length || !event->nr_ids || size > UINT16_MAX)
		return;
	put_head(writer, out, PERFDATA_RECORD_EVENT_UPDATE, size);
	pd_text_int(writer, out, 8, PERFDATA_EVENT_UPDATE_NAME);
	pd_text_int(writer, out, 8, event->ids[0]);
	perfdata_text_string(out, event->name);
	perfdata_text_fill(out, '\0', size - UPDATE_HEAD - length);
}

/* Whether a stream holds the section as a FEATURE record. It holds other sections in another form, or not at all. */
static bool has_record(uint32_t id)
{
	const struct pd_section_row *row = pd_section_row(id);
	return !row || !(row->flags & PD_SECTION_HAS_NO_RECORD);
}

static void put_feature(const struct pd_writer *writer, uint64_t id, struct perfdata_bytes bytes,
			struct perfdata_text *out)
{
	/* perf takes any bytes after the older form of CPU_TOPOLOGY for the newer form, even padding */
	const size_t size = id == PERFDATA_FEATURE_CPU_TOPOLOGY ? 16 + bytes.size : (size_t)pd_align8(16 + bytes.size);

	if (size > UINT16_MAX)
		return;   /* a record cannot hold it */
	put_head(writer, out, PERFDATA_RECORD_FEATURE, size);
	pd_text_int(writer, out, 8, id);
	perfdata_text_bytes(out, bytes);
	perfdata_text_fill(out, '\0', size - 16 - bytes.size);
}

static void put_tracing_data(const struct pd_writer *writer, struct perfdata_bytes bytes,
			     struct perfdata_text *out)
{
	const size_t padded = (size_t)pd_align8(bytes.size);

	put_head(writer, out, PERFDATA_RECORD_TRACING_DATA, 16);
	pd_text_int(writer, out, 4, padded);
	pd_text_int(writer, out, 4, 0);
	perfdata_text_bytes(out, bytes);
	perfdata_text_fill(out, '\0', padded - bytes.size);
}

/* Writes the entries of the section as records, whose sizes are multiples of 8. */
static void put_build_ids(const struct pd_writer *writer, struct perfdata_bytes bytes, struct perfdata_text *out)
{
	struct pd_cursor cursor = pd_cursor(bytes.data, bytes.size, writer->swap);

	while (pd_left(&cursor) >= 8) {
		const uint16_t misc = pd_load16(cursor.at + 4, writer->swap),
			       size = pd_load16(cursor.at + 6, writer->swap);
		const uint8_t *entry = pd_take(&cursor, size);
		const size_t padded = (size_t)pd_align8(size);
		if (!entry || size < 8 || padded > UINT16_MAX)
			return;
		pd_text_int(writer, out, 4, PERFDATA_RECORD_BUILD_ID);
		pd_text_int(writer, out, 2, misc);
		pd_text_int(writer, out, 2, padded);
		perfdata_text_append(out, entry + 8, size - 8u);
		perfdata_text_fill(out, '\0', padded - size);
	}
}

enum perfdata_status pd_stream_begin(struct pd_writer *writer)
{
	struct perfdata_text out;
	enum perfdata_status status = PERFDATA_OK;
	bool any = false, is_present;

	perfdata_text_init(&out);
	perfdata_text_append(&out, writer->options.order == PERFDATA_BYTE_ORDER_LITTLE ? "PERFILE2" : "2ELIFREP", 8);
	pd_text_int(writer, &out, 8, STREAM_HEADER_SIZE);
	for (size_t i = 0; i < writer->nr_events && status == PERFDATA_OK; i++)
		status = put_attr_record(writer, &writer->events[i], &out);
	for (size_t i = 0; i < writer->nr_events && status == PERFDATA_OK; i++)
		put_name_record(writer, &writer->events[i], &out);
	/* without names there is no EVENT_DESC, since perf uses even an empty name */
	if (status == PERFDATA_OK && !writer->sections[PERFDATA_FEATURE_EVENT_DESC].is_present &&
	    pd_writer_has_names(writer)) {
		struct perfdata_text desc;
		perfdata_text_init(&desc);
		status = pd_writer_event_desc(writer, &desc);
		if (status == PERFDATA_OK)
			status = pd_writer_feature(writer, PERFDATA_FEATURE_EVENT_DESC, desc.data, desc.size);
		perfdata_text_release(&desc);
	}
	if (status == PERFDATA_OK && writer->options.carrier != PD_CARRIER_NONE && writer->nr_events) {
		/* the carriers are still to come: the section states the most that one can decompress to */
		struct perfdata_text section;
		perfdata_text_init(&section);
		pd_carrier_section(writer, &section);
		if (perfdata_text_failed(&section))
			status = pd_writer_failed(writer, PERFDATA_ENOMEM, NULL);
		put_feature(writer, PERFDATA_FEATURE_COMPRESSED,
			    (struct perfdata_bytes){ (const uint8_t *)section.data, section.size }, &out);
		perfdata_text_release(&section);
		any = true;
	}
	for (uint32_t id = 0; id < PD_WRITER_FEATURES; id++) {
		const struct perfdata_bytes bytes = pd_writer_section(writer, id, &is_present);
		if (!is_present || !has_record(id))
			continue;
		put_feature(writer, id, bytes, &out);
		any = true;
	}
	if (any)
		put_feature(writer, PERFDATA_FEATURE_LAST, (struct perfdata_bytes){ NULL, 0 }, &out);
	const struct perfdata_bytes trace = pd_writer_section(writer, PERFDATA_FEATURE_TRACING_DATA, &is_present);
	if (is_present && trace.size)
		put_tracing_data(writer, trace, &out);
	put_build_ids(writer, pd_writer_section(writer, PERFDATA_FEATURE_BUILD_ID, &is_present), &out);
	if (status == PERFDATA_OK)
		status = perfdata_text_failed(&out) ? pd_writer_failed(writer, PERFDATA_ENOMEM, NULL)
						    : pd_writer_out(writer, out.data, out.size);
	perfdata_text_release(&out);
	return status;
}
