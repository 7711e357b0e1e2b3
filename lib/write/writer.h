/* SPDX-License-Identifier: MIT */
/* What the files of the writer share. writer.c: the public functions; write_spool.c: holds the data section of a file;
 * carrier.c: compresses; writer_file.c and writer_stream.c: the two containers. */
#ifndef PD_WRITER_H
#define PD_WRITER_H

#include "base/arena.h"
#include "base/spool.h"
#include "codec/codec.h"
#include "write/encode.h"
#include "write/writing.h"

#define PD_SPOOL_BUFFER (256u << 10)

struct pd_written_event {
	struct perfdata_attr attr;
	const char *name;              /* NULL: no name */
	const uint64_t *ids;
	size_t nr_ids;
};

struct pd_written_section {
	bool is_present;
	struct perfdata_bytes bytes;
};

/* Holds the data section of a file until its size is known. */
struct pd_write_spool {
	struct pd_spool file;          /* bytes that no longer fit into the buffer */
	uint8_t *buffer;
	size_t used;
};

struct pd_writer {
	struct pd_writer_options options;
	struct perfdata_error error;
	struct pd_arena arena;
	struct pd_written_event *events;
	size_t nr_events, events_room;
	uint32_t attr_size;            /* bytes of each attr in the output */
	struct pd_written_section sections[PD_WRITER_FEATURES];
	struct pd_write_spool spool;
	uint64_t *auxtrace;            /* offsets of AUXTRACE records in the data */
	size_t nr_auxtrace, auxtrace_room;
	uint64_t payload_left;         /* bytes of the last record's payload that are not yet written */
	bool begun, swap;
	/* fields of carriers */
	struct pd_encoder *encoder;
	uint8_t *pending;              /* records for the next carrier */
	size_t pending_size;
	uint64_t compressed, decompressed;
	uint32_t largest;              /* largest number of bytes to which a carrier so far decompresses */
};

/* Writes bytes of the data: of a stream to the output, of a file to the spool. */
enum perfdata_status pd_writer_put(struct pd_writer *writer, const void *bytes, size_t size);
/* Writes bytes of the container to the output. */
enum perfdata_status pd_writer_out(struct pd_writer *writer, const void *bytes, size_t size);
enum perfdata_status pd_writer_failed(struct pd_writer *writer, enum perfdata_status status, const char *what);
/* Encodes the attr of an event in writer->attr_size bytes. */
enum perfdata_status pd_writer_attr(struct pd_writer *writer, const struct pd_written_event *event, uint8_t *out);
struct perfdata_bytes pd_writer_section(const struct pd_writer *writer, uint32_t id, bool *ret_present);

/* --- write_spool.c --- */
enum perfdata_status pd_write_spool_put(struct pd_writer *writer, const void *bytes, size_t size);
enum perfdata_status pd_write_spool_copy(struct pd_writer *writer);      /* to the output */
void pd_write_spool_release(struct pd_write_spool *spool);
/* Bytes of the data section that are already written. */
static inline uint64_t pd_write_spool_size(const struct pd_write_spool *spool)
{
	return spool->file.size + spool->used;
}

/* --- carrier.c --- */
enum perfdata_status pd_carrier_put(struct pd_writer *writer, const void *bytes, size_t size);
enum perfdata_status pd_carrier_flush(struct pd_writer *writer);
/* Appends the contents of the section COMPRESSED. */
void pd_carrier_section(const struct pd_writer *writer, struct perfdata_text *out);

/* --- writer_file.c, writer_stream.c --- */
/* Whether any of the writer's events has a name. */
bool pd_writer_has_names(const struct pd_writer *writer);
/* Appends the contents of EVENT_DESC for the writer's events. */
enum perfdata_status pd_writer_event_desc(struct pd_writer *writer, struct perfdata_text *out);
void pd_text_int(const struct pd_writer *writer, struct perfdata_text *out, unsigned width, uint64_t value);
enum perfdata_status pd_file_finish(struct pd_writer *writer);
enum perfdata_status pd_stream_begin(struct pd_writer *writer);

#endif
