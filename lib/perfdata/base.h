/* SPDX-License-Identifier: MIT */
/* libperfdata: read any Linux perf.data recording.
 *
 * This header holds what all parts share: version, status, errors and findings. The parts:
 *
 *   perfdata/schema.h   what records, samples, attrs and feature sections mean (no I/O)
 *   perfdata/feature.h  feature sections of the header as trees (no I/O)
 *   perfdata/trace.h    tracepoint formats: fields by name, and the text of `print fmt`
 *   perfdata/reader.h   open a recording and iterate over its records
 *   perfdata/session.h  events, order, process state, batches
 *   perfdata/symbols.h  names of addresses
 *   perfdata/text.h     append buffers; numbers, hex, JSON and CSV spelling
 *   perfdata/emit.h     emitters, and the run that moves batches through them
 *   perfdata/input.h    where a recording comes from: paths, descriptors, memory, functions of the caller
 *   perfdata/output.h   where bytes go: paths, descriptors, memory, functions of the caller
 *   perfdata/registry.h emitters by name, and their options as texts
 *   perfdata/convert.h  a recording in another format, in one call
 *   perfdata/top.h      the functions that take most of a recording's time, in one call
 *   perfdata/perf.h     what perf prints about a recording as a whole
 *   perfdata/describe.h what outputs can hold: fields, JSON Schema, columns
 *   perfdata/table.h    a table of a recording in memory, as an Arrow stream
 *   perfdata/rewrite.h  a recording cut, converted, merged, repaired or made anonymous
 *   perfdata/match.h    whether the files at hand are the recorded ones
 *   perfdata/bundle.h   the files that name a recording, in one archive
 *   perfdata/compare.h  recordings compared: what costs more than before
 *
 * Rules that hold everywhere:
 *   - The library never prints, exits or reads the environment and has no mutable globals. Handles are independent;
 *     one handle is used by one thread at a time unless a function says otherwise.
 *   - A function sets its `ret` and `ret_…` parameters only if it returns PERFDATA_OK, unless its comment says more;
 *     it sets `reterr`, which may be NULL, only if it fails.
 *   - Functions that free accept NULL.
 *   - "Borrowed" memory is valid until the event that the comment names; copy what must live longer. */
#ifndef PERFDATA_BASE_H
#define PERFDATA_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined __GNUC__ || defined __clang__
#define PERFDATA_API __attribute__((visibility("default")))
#define PERFDATA_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#else
#define PERFDATA_API
#define PERFDATA_PRINTF(fmt, args)
#endif

/* The version of these headers; perfdata_version() is the version of the library that the program runs with. */
#define PERFDATA_VERSION_MAJOR 0
#define PERFDATA_VERSION_MINOR 2
#define PERFDATA_VERSION_PATCH 0
#define PERFDATA_VERSION_NUMBER \
	(PERFDATA_VERSION_MAJOR * 1000000 + PERFDATA_VERSION_MINOR * 1000 + PERFDATA_VERSION_PATCH)

/* The status that a function returns. Zero is success; after a positive status the handle stays usable, and the status
 * says something about the input; a negative status ends the operation. */
enum perfdata_status {
	PERFDATA_OK = 0,
	PERFDATA_END = 1,       /* nothing more to read */
	PERFDATA_DAMAGED = 2,   /* this record or section is damaged; the next one can be tried */
	PERFDATA_ABSENT = 3,    /* the recording lacks the requested data */
	PERFDATA_AGAIN = 4,     /* the caller has to feed more bytes first: see perfdata_feed */
	PERFDATA_ENOMEM = -1,   /* out of memory */
	PERFDATA_EREAD = -2,    /* the input cannot be opened or read */
	PERFDATA_EFORMAT = -3,  /* the input is not a perf.data recording */
	PERFDATA_EUSAGE = -4,   /* a parameter or option is wrong */
	PERFDATA_ELIMIT = -5,   /* a limit (memory, temporary space, …) was hit */
	PERFDATA_EWRITE = -6,   /* the output cannot be written */
	PERFDATA_EUNSUP = -7,   /* not supported, or built without the required library (zstd, elfutils, …) */
	PERFDATA_EINTR = -8,    /* cancelled */
};

/* A short lower-case phrase for a status, such as "out of memory". Never NULL; static storage. */
PERFDATA_API const char *perfdata_status_text(enum perfdata_status status);

/* The version of the library that the program runs with, such as "0.2.0". Static storage. */
PERFDATA_API const char *perfdata_version(void);

/* What the library was built with, such as "zlib zstd lzma elfutils debuginfod". Static storage. */
PERFDATA_API const char *perfdata_build_info(void);

/* Borrowed bytes, which may lack a terminating NUL. data may be NULL when size is 0. */
struct perfdata_bytes {
	const uint8_t *data;
	size_t size;
};

/* Byte order of a recording. */
enum perfdata_byte_order {
	PERFDATA_BYTE_ORDER_LITTLE = 0,
	PERFDATA_BYTE_ORDER_BIG = 1,
};

/* Stops conversions and runs, and readers that wait for a pipe or sort many records, from any thread or signal handler.
 * It cannot be reset. One object may stop any number of them. */
struct perfdata_cancel;
PERFDATA_API struct perfdata_cancel *perfdata_cancel_new(void);   /* NULL without memory or descriptors */
PERFDATA_API void perfdata_cancel_free(struct perfdata_cancel *cancel);   /* after all readers and runs that use it */
PERFDATA_API void perfdata_cancel_now(struct perfdata_cancel *cancel);   /* wakes threads that wait for input */

#define PERFDATA_NO_OFFSET UINT64_MAX

/* Why an operation failed. `message` is one line, without a newline and without the file name. The layout never
 * changes. */
struct perfdata_error {
	enum perfdata_status status;
	int os_error;         /* errno of the call that failed, or 0 */
	uint64_t offset;      /* bytes from the start of the (decompressed) file, or PERFDATA_NO_OFFSET */
	uint64_t spare[6];    /* zeros */
	char message[240];
};

/* --- options ------------------------------------------------------------------------------------------------------ */

/* Structs of options, and other structs that callers fill (targets, conversions, callbacks), begin with `size`: sizeof
 * the struct in the header that the caller was compiled with. 0 in a member means its default. These structs only grow
 * at the end. The library accepts a shorter struct, from an older header, and a longer one if all members that the
 * library does not know are 0. Otherwise it returns PERFDATA_EUSAGE, so that it never ignores an option that the caller
 * set. A NULL pointer means all defaults. */

/* For C: `PERFDATA_OPTIONS(perfdata_reader_options, options, .order = PERFDATA_ORDER_TIME);` declares a struct whose
 * other members are 0. */
#define PERFDATA_OPTIONS(type, name, ...) struct type name = { .size = sizeof(struct type), __VA_ARGS__ }
/* For other languages: clears the struct and sets its size. */
PERFDATA_API void perfdata_options_init(void *options, size_t size);

/* --- findings -------------------------------------------------------------------------------------------------
 * A finding is something about the input that its user should know: damage, lost records, or data unknown to this
 * version. Codes are stable. perfdata/findings.def lists each once: PERFDATA_FINDING_ROW(code, severity, NAME, meaning,
 * advice). */
enum perfdata_severity {
	PERFDATA_SEVERITY_NOTE = 0,     /* nothing is wrong; exit code 0 */
	/* the data is odd or incomplete, but all of it was read; exit code 0, 4 with --strict */
	PERFDATA_SEVERITY_WARNING = 1,
	PERFDATA_SEVERITY_ERROR = 2,    /* damaged or unfinished input: some of it could not be read; exit code 4 */
};

enum perfdata_finding_code {
#define PERFDATA_FINDING_ROW(code, severity, name, meaning, advice) PERFDATA_FINDING_##name = code,
#include "perfdata/findings.def"
#undef PERFDATA_FINDING_ROW
};

struct perfdata_finding {
	enum perfdata_severity severity;
	enum perfdata_finding_code code;
	const char *file;     /* path as opened, or "DIR/data.N", or "-"; borrowed from the reader */
	uint64_t offset;      /* in the decompressed stream, or PERFDATA_NO_OFFSET */
	uint64_t record;      /* number of the record, from 0, or UINT64_MAX */
	const char *message;  /* one line: what was found, and what the library did */
	uint64_t spare[4];    /* 0 */
};

/* Receives findings in the order of the input. The finding and its strings are borrowed during the call. */
typedef void perfdata_finding_fn(void *user, const struct perfdata_finding *finding);

/* Copies of the findings that come first in the input, for the end of a document. Used by one thread at a time. */
struct perfdata_finding_list;
PERFDATA_API struct perfdata_finding_list *perfdata_finding_list_new(void);   /* NULL without memory */
PERFDATA_API void perfdata_finding_list_free(struct perfdata_finding_list *list);
/* PERFDATA_ENOMEM: the finding is counted but not kept. */
PERFDATA_API enum perfdata_status perfdata_finding_list_add(struct perfdata_finding_list *list,
							    const struct perfdata_finding *finding);
/* The kept findings; *ret_total (may be NULL): how many were added. Borrowed until the next call of
 * perfdata_finding_list_add. NULL is an empty list. */
PERFDATA_API const struct perfdata_finding *perfdata_finding_list_get(const struct perfdata_finding_list *list,
								      size_t *ret_nr, uint64_t *ret_total);

struct perfdata_finding_info {
	enum perfdata_finding_code code;
	enum perfdata_severity severity;
	const char *name;     /* such as "RECORD_SIZE" */
	const char *meaning;  /* one sentence */
	const char *advice;   /* one or two sentences */
};

/* The row of a code, or NULL. Static storage. */
PERFDATA_API const struct perfdata_finding_info *perfdata_finding_lookup(unsigned code);

/* Row `index` of the findings in ascending order of codes; NULL if there are fewer rows. Static storage. */
PERFDATA_API const struct perfdata_finding_info *perfdata_finding_at(size_t index);

/* --- memory ------------------------------------------------------------------------------------------------------- */

/* An account of the memory that grows with a recording: stacks, frames, symbols, batches, sums. Several readers and
 * symbol sources may share one account. Above its limit caches shrink, then tables move to temporary files. Memory that
 * can neither shrink nor move may grow to twice the limit (at least to 128 MiB); then the operation fails with
 * PERFDATA_ENOMEM. */
struct perfdata_memory;
#define PERFDATA_LEAST_MEMORY (1u << 20)
/* limit: bytes; 0: 256 MiB; the smallest limit is PERFDATA_LEAST_MEMORY (one piece of input). tmpdir: folder of the
 * unlinked temporary files; NULL: /tmp. PERFDATA_ENOMEM. */
PERFDATA_API enum perfdata_status perfdata_memory_new(uint64_t limit, const char *tmpdir, struct perfdata_memory **ret);
/* Call it after all objects that use the account were freed. */
PERFDATA_API void perfdata_memory_free(struct perfdata_memory *memory);
/* Bytes in use; *ret_peak (may be NULL): the maximum so far. Any thread. */
PERFDATA_API uint64_t perfdata_memory_used(const struct perfdata_memory *memory, uint64_t *ret_peak);

#ifdef __cplusplus
}
#endif

#endif
