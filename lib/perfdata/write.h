/* SPDX-License-Identifier: MIT */
/* Records, attrs and feature sections back into bytes, and the containers that hold them: for programs that record
 * themselves, or change recordings.
 *
 * Encoding walks the same layouts as decoding (perfdata/schema.h), so that decoding and encoding again gives the same
 * bytes. Layouts of the containers: tools/perf/Documentation/perf.data-file-format.txt of Linux, and
 * doc/perf-data.5. */
#ifndef PERFDATA_WRITE_H
#define PERFDATA_WRITE_H

#include "perfdata/feature.h"
#include "perfdata/text.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- pieces ------------------------------------------------------------------------------------------------------ */

#define PERFDATA_RECORD_ROOM 65536u    /* bytes that hold any record */
#define PERFDATA_ATTR_ROOM 4096u       /* bytes that hold any attr */

/* Encodes the record's view, type and misc as a record of the event and byte order of `config`, into `out`, which has
 * PERFDATA_RECORD_ROOM bytes. Rows that the view's `present` names are written; of a sample only those that the
 * sample_type of `config` has too. Counts that have members of their own (`nr`) are written as they stand there. Lists
 * may point anywhere and have any byte order.
 *
 * source: the layout of record->bytes, from which the encoder then takes the bytes that no member holds: padding, bytes
 * behind the NUL of a text, bytes in `rest`. NULL: such bytes are zeros or left out, and record->bytes is not read.
 *
 * A record of the kernel gets a trailer if its sample_id has one, or if there is no source and the event asks for
 * trailers (the missing members are zeros then, as perf writes them). PERFDATA_ELIMIT where the record would be too
 * large for its size field. */
PERFDATA_API enum perfdata_status perfdata_encode(const struct perfdata_config *config,
						  const struct perfdata_config *source,
						  const struct perfdata_record *record, void *out, size_t *ret_size);

/* The smallest size that an attr of this version can have without losing a member: 64, 72, 80, 96, 104, … */
PERFDATA_API uint32_t perfdata_attr_size(const struct perfdata_attr *attr);
/* Encodes an attr in `size` bytes (at least 64, at most PERFDATA_ATTR_ROOM; 0: as many as it was recorded with), which
 * it states as its size. */
PERFDATA_API enum perfdata_status perfdata_attr_encode(const struct perfdata_attr *attr, uint32_t size,
						       enum perfdata_byte_order order, void *out, size_t *ret_size);

/* Changes the values of a feature section while it is encoded. */
struct perfdata_feature_edit {
	/* `value` is a copy of a leaf of the tree whose integer or bytes the function may change; new bytes must stay
	 * valid until the next call. `section` is the layout of the whole section. Returning false leaves out the entry
	 * of the list that has the leaf, or makes a leaf outside of lists empty. */
	bool (*value)(void *user, const struct perfdata_layout *section, struct perfdata_node *value);
	void *user;
};
/* Appends a decoded section. edit: NULL, or the changes to make. PERFDATA_EUNSUP: an edit, or another byte order, for a
 * section that this version does not know, or that holds a machine's own structs (BPF_PROG_INFO). */
PERFDATA_API enum perfdata_status perfdata_feature_encode(const struct perfdata_feature *feature,
							  enum perfdata_byte_order source_order,
							  enum perfdata_byte_order order,
							  const struct perfdata_feature_edit *edit,
							  struct perfdata_text *out);

/* --- containers -------------------------------------------------------------------------------------------------- */

enum perfdata_form {
	PERFDATA_FORM_FILE,      /* header, tables, data, feature sections */
	PERFDATA_FORM_STREAM,    /* everything is a record */
};
enum perfdata_carrier {      /* how records are compressed */
	PERFDATA_CARRIER_NONE,
	PERFDATA_CARRIER_COMPRESSED,    /* what perf 5.2 and later read */
	PERFDATA_CARRIER_COMPRESSED2,   /* perf 6.15 and later */
};

struct perfdata_writer_options {
	size_t size;                     /* sizeof(struct perfdata_writer_options) */
	enum perfdata_form form;
	enum perfdata_byte_order order;
	enum perfdata_carrier carrier;
	int level;                       /* of zstd; 0: 1, as perf */
	const char *tmpdir;              /* the records of a file wait in an unlinked temporary file; NULL: /tmp */
	uint64_t max_spool;              /* limit of its size in bytes; 0: no limit */
	/* Receives the container's bytes, from the first to the last. A status other than PERFDATA_OK ends the
	 * writing. */
	enum perfdata_status (*write)(void *user, const void *bytes, size_t size);
	void *user;
};

struct perfdata_writer;
/* PERFDATA_EUNSUP: a carrier in a build without zstd. */
PERFDATA_API enum perfdata_status perfdata_writer_new(const struct perfdata_writer_options *options,
						      struct perfdata_writer **ret, struct perfdata_error *reterr);
PERFDATA_API void perfdata_writer_free(struct perfdata_writer *writer);

/* Adds an event. All arguments are copied; attrs are written with one size, that of the largest `attr->size` (members
 * beyond an attr's size are zero), or `size` if that is not 0. name may be NULL. For a stream, events and sections must
 * be added before the first record. */
PERFDATA_API enum perfdata_status perfdata_writer_event(struct perfdata_writer *writer,
							const struct perfdata_attr *attr, uint32_t size,
							const char *name, const uint64_t *ids, size_t nr_ids);
/* Sets the section `id`, in the writer's byte order; replaces an earlier one with this id. The writer adds COMPRESSED
 * and AUXTRACE itself, and EVENT_DESC if none was set and events have names. Streams have no place for some sections,
 * which are left out. */
PERFDATA_API enum perfdata_status perfdata_writer_feature(struct perfdata_writer *writer, uint32_t id,
							  const void *bytes, size_t size);
/* A record in the writer's byte order, whole. */
PERFDATA_API enum perfdata_status perfdata_writer_record(struct perfdata_writer *writer, const void *bytes,
							 size_t size);
/* Bytes behind the record that was written last: in all, as many as the AUXTRACE or TRACING_DATA record states, rounded
 * up to 8. */
PERFDATA_API enum perfdata_status perfdata_writer_payload(struct perfdata_writer *writer, const void *bytes,
							  size_t size);
/* HOSTNAME in files for which none was set: perf in files of the other byte order, and other readers, tell by that
 * section how features are numbered. */
#define PERFDATA_HOSTNAME_UNKNOWN "unknown"
/* Writes the rest of the container. */
PERFDATA_API enum perfdata_status perfdata_writer_finish(struct perfdata_writer *writer);
/* Why the last call failed. Borrowed until the next call. */
PERFDATA_API const struct perfdata_error *perfdata_writer_error(const struct perfdata_writer *writer);

#ifdef __cplusplus
}
#endif

#endif
