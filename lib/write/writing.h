/* SPDX-License-Identifier: MIT */
/* Encodes records, attrs and feature sections, and writes them into containers.
 *
 * Encoders walk the same layouts as decoders (perfdata/schema.h), so that decoding and encoding again gives the same
 * bytes. Layouts of the containers: tools/perf/Documentation/perf.data-file-format.txt of Linux, and
 * doc/perf-data.5. */
#ifndef PD_WRITING_H
#define PD_WRITING_H

#include "perfdata/feature.h"
#include "perfdata/text.h"

#define PD_RECORD_ROOM 65536u    /* size limit of a record in bytes */
#define PD_ATTR_ROOM 4096u       /* size limit of an attr in bytes */

/* Changes the values of a feature section while it is encoded. */
struct pd_feature_edit {
	/* value: a copy of a leaf of the tree, whose integer or bytes the function may change. New bytes must be valid
	 * until the next call. section: layout of the whole section. False: leaves out the list entry with the leaf, or
	 * makes a leaf outside of lists empty. */
	bool (*value)(void *user, const struct perfdata_layout *section, struct perfdata_node *value);
	void *user;
};

enum pd_write_form {
	PD_WRITE_FILE,      /* header, tables, data, feature sections */
	PD_WRITE_STREAM,    /* consists of records */
};
enum pd_carrier {                  /* how to compress records */
	PD_CARRIER_NONE,
	PD_CARRIER_COMPRESSED,     /* perf 5.2 and later read it */
	PD_CARRIER_COMPRESSED2,    /* perf 6.15 and later read it */
};

struct pd_writer_options {
	enum pd_write_form form;
	enum perfdata_byte_order order;
	enum pd_carrier carrier;
	int level;                 /* level of zstd; 0: perf's, 1 */
	const char *tmpdir;        /* directory of the unlinked temporary file with a file's records; NULL: /tmp */
	uint64_t max_spool;        /* limit of this file in bytes; 0: none */
	/* Receives the container's bytes in order. A negative status ends the writing with this status, a positive one
	 * with PERFDATA_EWRITE. */
	enum perfdata_status (*write)(void *user, const void *bytes, size_t size);
	void *user;
};

struct pd_writer;

/* Encodes the record's view, type and misc into `out`, which has PD_RECORD_ROOM bytes, with layout and byte order of
 * `config`. Writes the rows that are in the view's `present`; for a sample only those that the sample_type of `config`
 * has too. A count with its own member (`nr`) comes from this member. Lists may point anywhere and have any byte
 * order.
 *
 * source: layout of record->bytes, from which the encoder copies bytes that no member holds: padding, bytes after the
 * NUL of a text, bytes in `rest`. NULL: these bytes are zeros or omitted, and record->bytes is not read.
 *
 * A record of the kernel gets a trailer if its sample_id has one, or if there is no source and the event has trailers
 * (then missing members are zeros, as perf writes them). PERFDATA_ELIMIT: the record is too large for its size
 * field. */
enum perfdata_status pd_encode_record(const struct perfdata_config *config, const struct perfdata_config *source,
				      const struct perfdata_record *record, void *out, size_t *ret_size);
/* As pd_encode_record, into `room` bytes. Records of simpleperf may be up to 4 GiB long; the writer splits them. */
enum perfdata_status pd_encode_record_in(const struct perfdata_config *config, const struct perfdata_config *source,
					 const struct perfdata_record *record, void *out, size_t room,
					 size_t *ret_size);

/* Returns the smallest size with which an attr of this version loses no member: 64, 72, 80, 96, 104, … */
uint32_t pd_attr_size(const struct perfdata_attr *attr);

/* Encodes an attr in `size` bytes (at least 64, at most PD_ATTR_ROOM; 0: the recorded size), which becomes the
 * attr's `size`. */
enum perfdata_status pd_attr_encode(const struct perfdata_attr *attr, uint32_t size, enum perfdata_byte_order order,
				    void *out, size_t *ret_size);

/* Appends a decoded section. edit: NULL, or the changes to make. PERFDATA_EUNSUP: an edit, or another byte order, for a
 * section that this version does not know, or that holds a machine's own structs (BPF_PROG_INFO). */
enum perfdata_status pd_feature_encode(const struct perfdata_feature *feature, enum perfdata_byte_order source_order,
				       enum perfdata_byte_order order, const struct pd_feature_edit *edit,
				       struct perfdata_text *out);

/* Returns PERFDATA_EUNSUP for compressed output in a build without zstd. */
enum perfdata_status pd_writer_new(const struct pd_writer_options *options, struct pd_writer **ret,
				   struct perfdata_error *reterr);
void pd_writer_free(struct pd_writer *writer);

/* Adds an event. All arguments are copied; all attrs are written with one size, the largest `attr->size` (members
 * beyond an attr's size are zero), or `size` if that is not 0. name may be NULL. For a stream, events and sections must
 * be added before the first record. */
enum perfdata_status pd_writer_event(struct pd_writer *writer, const struct perfdata_attr *attr, uint32_t size,
				     const char *name, const uint64_t *ids, size_t nr_ids);

/* Sections have numbers from 1 to this - 1. */
#define PD_WRITER_FEATURES 256

/* Sets the section `id`, in the writer's byte order; replaces an earlier one with this id. The writer adds COMPRESSED
 * and AUXTRACE itself, and EVENT_DESC if none was set and events have names. It drops sections that a
 * stream cannot hold. */
enum perfdata_status pd_writer_feature(struct pd_writer *writer, uint32_t id, const void *bytes, size_t size);

/* Writes a whole record, in the writer's byte order. */
enum perfdata_status pd_writer_record(struct pd_writer *writer, const void *bytes, size_t size);

/* Writes payload after the last record: in all, as many bytes as the AUXTRACE or TRACING_DATA record states, rounded up
 * to 8. */
enum perfdata_status pd_writer_payload(struct pd_writer *writer, const void *bytes, size_t size);

/* Writes the rest of the container. */
enum perfdata_status pd_writer_finish(struct pd_writer *writer);

/* Why the last call failed. Borrowed until the next call. */
const struct perfdata_error *pd_writer_error(const struct pd_writer *writer);

#endif
