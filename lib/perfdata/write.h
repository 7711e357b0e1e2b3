/* SPDX-License-Identifier: MIT */
/* In which form recordings are written: container, byte order, compression. perfdata/rewrite.h writes them.
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

/* Changes the values of a feature section while it is encoded. */
struct perfdata_feature_edit {
	/* `value` is a copy of a leaf of the tree whose integer or bytes the function may change; new bytes must stay
	 * valid until the next call. `section` is the layout of the whole section. Returning false leaves out the entry
	 * of the list that has the leaf, or makes a leaf outside of lists empty. */
	bool (*value)(void *user, const struct perfdata_layout *section, struct perfdata_node *value);
	void *user;
};

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
	/* Receives the container's bytes, from the first to the last. A negative status ends the writing with that
	 * status, a positive one with PERFDATA_EWRITE. */
	enum perfdata_status (*write)(void *user, const void *bytes, size_t size);
	void *user;
};

struct perfdata_writer;

/* HOSTNAME in files for which none was set: by this section perf (in files of the other byte order) and other readers
 * recognize how features are numbered. */
#define PERFDATA_HOSTNAME_UNKNOWN "unknown"

#ifdef __cplusplus
}
#endif

#endif
