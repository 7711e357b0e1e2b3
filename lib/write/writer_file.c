/* SPDX-License-Identifier: MIT */
/* A file container: header, ids, attr table, data, feature table, sections, in this order. */
#include "config.h"
#include "base/checked.h"
#include "base/memory.h"
#include "schema/feature.h"
#include "write/writer.h"
#include "write/writing.h"

#define HEADER_SIZE 104u
#define AUXTRACE_SIZE 48u            /* size of an AUXTRACE record, which the index states */

void pd_text_int(const struct pd_writer *writer, struct perfdata_text *out, unsigned width, uint64_t value)
{
	uint8_t bytes[8];
	struct pd_encode e = { .start = bytes, .at = bytes, .end = bytes + sizeof bytes, .swap = writer->swap };
	pd_put_int(&e, width, value);
	perfdata_text_append(out, bytes, width);
}

static enum perfdata_status out_and_clear(struct pd_writer *writer, struct perfdata_text *text)
{
	if (perfdata_text_failed(text))
		return pd_writer_failed(writer, PERFDATA_ENOMEM, NULL);
	const enum perfdata_status status = pd_writer_out(writer, text->data, text->size);
	perfdata_text_clear(text);
	return status;
}

/* --- sections that the writer makes ------------------------------------------------------------------------------ */

enum perfdata_status pd_writer_event_desc(struct pd_writer *writer, struct perfdata_text *out)
{
	uint8_t attr[PD_ATTR_ROOM];

	pd_text_int(writer, out, 4, writer->nr_events);
	pd_text_int(writer, out, 4, writer->attr_size);
	for (size_t i = 0; i < writer->nr_events; i++) {
		const struct pd_written_event *event = &writer->events[i];
		const char *name = event->name ? event->name : "";
		const size_t room = (strlen(name) + 64) / 64 * 64;
		const enum perfdata_status status = pd_writer_attr(writer, event, attr);
		if (status != PERFDATA_OK)
			return status;
		perfdata_text_append(out, attr, writer->attr_size);
		pd_text_int(writer, out, 4, event->nr_ids);
		pd_text_int(writer, out, 4, room);
		perfdata_text_string(out, name);
		perfdata_text_fill(out, '\0', room - strlen(name));
		for (size_t k = 0; k < event->nr_ids; k++)
			pd_text_int(writer, out, 8, event->ids[k]);
	}
	return perfdata_text_failed(out) ? pd_writer_failed(writer, PERFDATA_ENOMEM, NULL) : PERFDATA_OK;
}

bool pd_writer_has_names(const struct pd_writer *writer)
{
	for (size_t i = 0; i < writer->nr_events; i++)
		if (writer->events[i].name)
			return true;
	return false;
}

/* Adds HOSTNAME to a file that lacks it: readers infer the word size of the feature bitmap from its bit: perf in
 * big-endian files, perfparser in all. */
static enum perfdata_status put_hostname(struct pd_writer *writer)
{
	static const char unknown[] = PD_HOSTNAME_UNKNOWN;
	struct perfdata_text text;

	if (writer->sections[PERFDATA_FEATURE_HOSTNAME].is_present)
		return PERFDATA_OK;
	perfdata_text_init(&text);
	pd_text_int(writer, &text, 4, sizeof unknown);
	perfdata_text_append(&text, unknown, sizeof unknown);
	const enum perfdata_status status = perfdata_text_failed(&text)
						    ? pd_writer_failed(writer, PERFDATA_ENOMEM, NULL)
						    : pd_writer_feature(writer, PERFDATA_FEATURE_HOSTNAME,
									      text.data, text.size);
	perfdata_text_release(&text);
	return status;
}

static enum perfdata_status make_sections(struct pd_writer *writer, uint64_t data_offset)
{
	enum perfdata_status status = put_hostname(writer);
	struct perfdata_text text;

	perfdata_text_init(&text);
	if (status == PERFDATA_OK && !writer->sections[PERFDATA_FEATURE_EVENT_DESC].is_present &&
	    pd_writer_has_names(writer)) {
		status = pd_writer_event_desc(writer, &text);
		if (status == PERFDATA_OK)
			status = pd_writer_feature(writer, PERFDATA_FEATURE_EVENT_DESC, text.data, text.size);
	}
	if (status == PERFDATA_OK && writer->compressed) {
		perfdata_text_clear(&text);
		pd_carrier_section(writer, &text);
		status = perfdata_text_failed(&text) ? pd_writer_failed(writer, PERFDATA_ENOMEM, NULL) :
			 pd_writer_feature(writer, PERFDATA_FEATURE_COMPRESSED, text.data, text.size);
	}
	if (status == PERFDATA_OK && writer->nr_auxtrace) {
		perfdata_text_clear(&text);
		pd_text_int(writer, &text, 8, writer->nr_auxtrace);
		for (size_t i = 0; i < writer->nr_auxtrace; i++) {
			pd_text_int(writer, &text, 8, data_offset + writer->auxtrace[i]);
			pd_text_int(writer, &text, 8, AUXTRACE_SIZE);
		}
		status = perfdata_text_failed(&text) ? pd_writer_failed(writer, PERFDATA_ENOMEM, NULL) :
			 pd_writer_feature(writer, PERFDATA_FEATURE_AUXTRACE, text.data, text.size);
	}
	perfdata_text_release(&text);
	return status;
}

/* --- parts of the file -------------------------------------------------------------------------------------------- */

static void put_header(struct pd_writer *writer, struct perfdata_text *out, uint64_t attrs, uint64_t data)
{
	perfdata_text_append(out, writer->options.order == PERFDATA_BYTE_ORDER_LITTLE ? "PERFILE2" : "2ELIFREP", 8);
	pd_text_int(writer, out, 8, HEADER_SIZE);
	pd_text_int(writer, out, 8, (writer->attr_size ? writer->attr_size : 64) + 16);
	pd_text_int(writer, out, 8, attrs);
	pd_text_int(writer, out, 8, writer->nr_events * (writer->attr_size + 16ull));
	pd_text_int(writer, out, 8, data);
	pd_text_int(writer, out, 8, pd_write_spool_size(&writer->spool));
	pd_text_int(writer, out, 8, 0);
	pd_text_int(writer, out, 8, 0);
	for (unsigned word = 0; word < 4; word++) {
		uint64_t bits = 0;
		for (unsigned bit = 0; bit < 64; bit++)
			bits |= (uint64_t)writer->sections[word * 64 + bit].is_present << bit;
		pd_text_int(writer, out, 8, bits);
	}
}

static enum perfdata_status put_tables(struct pd_writer *writer, struct perfdata_text *out)
{
	uint8_t attr[PD_ATTR_ROOM];
	uint64_t ids = HEADER_SIZE;

	for (size_t i = 0; i < writer->nr_events; i++)
		for (size_t k = 0; k < writer->events[i].nr_ids; k++)
			pd_text_int(writer, out, 8, writer->events[i].ids[k]);
	for (size_t i = 0; i < writer->nr_events; i++) {
		const enum perfdata_status status = pd_writer_attr(writer, &writer->events[i], attr);
		if (status != PERFDATA_OK)
			return status;
		perfdata_text_append(out, attr, writer->attr_size);
		pd_text_int(writer, out, 8, ids);
		pd_text_int(writer, out, 8, writer->events[i].nr_ids * 8);
		ids += writer->events[i].nr_ids * 8;
	}
	return PERFDATA_OK;
}

static enum perfdata_status put_sections(struct pd_writer *writer, struct perfdata_text *out, uint64_t at)
{
	enum perfdata_status status = PERFDATA_OK;

	for (uint32_t id = 0; id < PD_WRITER_FEATURES; id++)
		at += writer->sections[id].is_present ? 16 : 0;
	for (uint32_t id = 0; id < PD_WRITER_FEATURES; id++) {
		const struct pd_written_section *section = &writer->sections[id];
		if (!section->is_present)
			continue;
		pd_text_int(writer, out, 8, at);
		pd_text_int(writer, out, 8, section->bytes.size);
		at += section->bytes.size;
	}
	status = out_and_clear(writer, out);
	for (uint32_t id = 0; id < PD_WRITER_FEATURES && status == PERFDATA_OK; id++)
		status = pd_writer_out(writer, writer->sections[id].bytes.data, writer->sections[id].bytes.size);
	return status;
}

enum perfdata_status pd_file_finish(struct pd_writer *writer)
{
	struct perfdata_text out;
	uint64_t nr_ids = 0;

	for (size_t i = 0; i < writer->nr_events; i++)
		nr_ids += writer->events[i].nr_ids;
	const uint64_t attrs = HEADER_SIZE + nr_ids * 8, data = attrs + writer->nr_events * (writer->attr_size + 16ull);
	enum perfdata_status status = make_sections(writer, data);
	perfdata_text_init(&out);
	if (status == PERFDATA_OK) {
		put_header(writer, &out, attrs, data);
		status = put_tables(writer, &out);
	}
	if (status == PERFDATA_OK)
		status = out_and_clear(writer, &out);
	if (status == PERFDATA_OK)
		status = pd_write_spool_copy(writer);
	if (status == PERFDATA_OK)
		status = put_sections(writer, &out, data + pd_write_spool_size(&writer->spool));
	perfdata_text_release(&out);
	return status;
}
