/* SPDX-License-Identifier: MIT */
/* Opens a recording in any of its forms and gives its records one after the other.
 *
 * The reader recognizes the form by its content: file container (both byte orders, versions 1 and 2), pipe stream,
 * directory recording, gzip, zstd or xz around any of them, COMPRESSED records inside. The reader skips damage: it
 * reports a finding and continues at the next plausible record, until the input ends. */
#ifndef PERFDATA_READER_H
#define PERFDATA_READER_H

#include <string.h>
#include "perfdata/base.h"
#include "perfdata/feature.h"
#include "perfdata/schema.h"
#include "perfdata/trace.h"

#ifdef __cplusplus
extern "C" {
#endif

struct perfdata_reader;

enum perfdata_record_order {
	/* FILE; for a session that returns more than counts TIME, since the session follows processes */
	PERFDATA_ORDER_DEFAULT = 0,
	PERFDATA_ORDER_FILE = 1,   /* the order in the file; a stream is read without delay */
	/* perf's delivery order: rounds are sorted by time; user records and records without a time are not delayed */
	PERFDATA_ORDER_TIME = 2,
};

/* Threads of the reader that read ahead. They change only how long reading takes: the thread that asks for records
 * still reports all findings. Pipes and small files are not read ahead. */
enum perfdata_read_ahead {
	PERFDATA_AHEAD_BYTES = 1,     /* a thread reads (and decompresses) bytes */
	PERFDATA_AHEAD_RECORDS = 2,   /* a thread frames and orders records */
};

struct perfdata_reader_options {
	size_t size;                       /* sizeof(struct perfdata_reader_options) */
	enum perfdata_record_order order;
	const char *tmpdir;                /* for unlinked temporary files; NULL: /tmp */
	/* limit of the bytes that wait for ordering in memory; also, if `memory` is NULL, limit of the session's
	 * memory. 0: 256 MiB; the smallest limit is PERFDATA_LEAST_MEMORY */
	uint64_t max_memory;
	uint64_t max_spool;                /* bytes in temporary files; 0: no limit */
	/* limit of decompressed : compressed bytes; 0: no limit. It applies after the first 8 MiB of decompressed data,
	 * inside COMPRESSED records after the first 64 MiB */
	uint32_t max_ratio;
	uint32_t read_ahead;               /* enum perfdata_read_ahead */
	/* number of findings of one code that are reported; further ones are only counted. 0: 1000 */
	uint32_t max_findings;
	/* Called with each finding; by a conversion in the order of the batches. May be NULL */
	perfdata_finding_fn *on_finding;
	void *user;                        /* for on_finding */
	/* ends a conversion, a run, waiting for a pipe, and sorting of many records with PERFDATA_EINTR. It does not
	 * stop perfdata_reader_next and perfdata_session_next of a file: the caller ends its loop itself. May be
	 * NULL */
	const struct perfdata_cancel *cancel;
	/* Called about every 64 KiB and at the end by the thread that asks for records. bytes: size of the records
	 * returned so far, after decompression of the file (content of COMPRESSED records does not count). total: size
	 * of all records, UINT64_MAX if unknown. Damage makes both inexact. May be NULL. */
	void (*on_progress)(void *user, uint64_t bytes, uint64_t total);
	void *progress_user;               /* for on_progress */
	/* account of the reader's session, which also names the folder of temporary files; borrowed. NULL: the session
	 * makes its own account */
	struct perfdata_memory *memory;
	bool payloads;                     /* return payloads of AUXTRACE records: see PERFDATA_RAW_PAYLOAD */
	/* hide the feature sections and FEATURE records that describe the machine, its processor or the recorder's
	 * command line. The library itself still uses them to look up names. */
	bool no_meta;
};

/* Opens a path; perfdata_reader_open opens any input. `options` may be NULL. PERFDATA_EUSAGE: a wrong option;
 * PERFDATA_EREAD; PERFDATA_EFORMAT: the file is no recording, reterr says why; PERFDATA_ENOMEM, PERFDATA_ELIMIT. A
 * damaged recording opens, with findings, if its magic is recognizable. */
PERFDATA_API enum perfdata_status perfdata_reader_open_path(const char *path,
							    const struct perfdata_reader_options *options,
							    struct perfdata_reader **ret,
							    struct perfdata_error *reterr);
PERFDATA_API void perfdata_reader_close(struct perfdata_reader *reader);

/* --- the container ---------------------------------------------------------------------------------------------- */

enum perfdata_container { PERFDATA_CONTAINER_FILE, PERFDATA_CONTAINER_PIPE, PERFDATA_CONTAINER_DIRECTORY };

struct perfdata_section { uint64_t offset, size; };

struct perfdata_header {
	enum perfdata_container container;
	enum perfdata_byte_order order;
	unsigned version;                   /* 1 (PERFFILE) or 2 (PERFILE2) */
	uint64_t header_size;               /* 104, 72, or 16 for a pipe */
	uint64_t attr_size;                 /* bytes of an attr table entry; 0 for a pipe */
	struct perfdata_section attrs, data, event_types;   /* as the header says; zero for a pipe */
	uint64_t feature_bits[4];           /* bit n: feature n is present; a pipe sets bits while it is read */
	const char *packing;                /* "none", "gzip", "zstd", "xz" */
	const char *name;                   /* path as opened, or the caller's name */
	int64_t mtime;                      /* seconds since 1970, 0 if unknown */
	uint64_t file_size;                 /* decompressed bytes; UINT64_MAX: not known yet */
	unsigned nr_files;                  /* 1, plus the number of files data.N of a directory */
};
/* Borrowed until close. */
PERFDATA_API const struct perfdata_header *perfdata_reader_header(const struct perfdata_reader *reader);

/* --- features ---------------------------------------------------------------------------------------------------- */

struct perfdata_feature_section {
	uint32_t id;
	uint64_t offset, size;                     /* in the file; for a pipe: of the record's payload */
	enum perfdata_status status;               /* PERFDATA_OK, PERFDATA_DAMAGED */
	const struct perfdata_feature *feature;    /* NULL if nothing could be read */
	/* A pipe has TRACING_DATA and BUILD_ID as records; they are among these sections too. */
};
/* Sections in ascending order of id: index 0… until NULL. Reading a pipe adds sections. Borrowed until the next record
 * is read. */
PERFDATA_API const struct perfdata_feature_section *perfdata_reader_feature_at(const struct perfdata_reader *reader,
									       size_t index);
PERFDATA_API const struct perfdata_feature_section *perfdata_reader_feature(const struct perfdata_reader *reader,
									    uint32_t id);
/* The text of a feature that is one string (HOSTNAME, ARCH, …), with a terminating NUL; NULL: there is none. */
PERFDATA_API const char *perfdata_reader_feature_text(const struct perfdata_reader *reader, uint32_t id);

/* --- events ------------------------------------------------------------------------------------------------------ */

enum perfdata_name_source {
	PERFDATA_NAME_GENERATED,      /* from the attr: perfdata_event_fallback_name */
	PERFDATA_NAME_EVENT_DESC, PERFDATA_NAME_EVENT_UPDATE, PERFDATA_NAME_EVENT_TYPE, PERFDATA_NAME_TRACE,
	PERFDATA_NAME_META_INFO,      /* simpleperf's */
};

/* One version of an event. A version never changes: if a pipe renames or extends an event, the reader makes a new
 * version for later records. Borrowed until the reader is closed; any thread may read it. */
struct perfdata_event {
	uint32_t index;                          /* index in the attr table, from 0 */
	uint32_t version;                        /* number of this version among the versions of all events, from 0 */
	const char *name;                        /* bytes as recorded, NUL-terminated */
	enum perfdata_name_source name_source;
	const struct perfdata_attr *attr;        /* setup of the event */
	const struct perfdata_config *config;    /* how its records are laid out */
	struct perfdata_bytes attr_bytes;        /* as recorded */
	const uint64_t *ids;
	size_t nr_ids;
	const struct perfdata_trace_event *trace;/* format of a TRACEPOINT event, or NULL */
	uint32_t group_leader;                   /* index of the leader (GROUP_DESC); itself if alone */
	const char *unit;                        /* of EVENT_UPDATE, "" if none */
	double scale;                            /* 1 if none */
	bool has_own_cpus;
	struct perfdata_cpus own_cpus;           /* of EVENT_UPDATE */
	/* the weight of a sample is the time that its thread was off the CPU */
	bool is_time_off;
};
/* What the periods of an event's samples measure. */
enum perfdata_measure {
	PERFDATA_MEASURE_COUNT,       /* what a counter counts: cycles, instructions, cache misses, … */
	PERFDATA_MEASURE_TIME,        /* ns: clocks, and tracepoints whose period is a time */
	PERFDATA_MEASURE_OCCURRENCES, /* number of occurrences: tracepoints, probes, page faults, … */
};
/* If periods are recorded, the period of sched_stat_runtime and of the other sched_stat events is the time that they
 * report. */
static inline enum perfdata_measure perfdata_event_measure(const struct perfdata_event *event)
{
	enum { CPU_CLOCK = 0, TASK_CLOCK = 1 };
	static const char timed[] = "sched:sched_stat_";
	const struct perfdata_attr *attr = event->attr;
	if (event->is_time_off)
		return PERFDATA_MEASURE_TIME;
	switch (attr->type) {
	case PERFDATA_TYPE_SOFTWARE:
		return attr->config == CPU_CLOCK || attr->config == TASK_CLOCK ? PERFDATA_MEASURE_TIME
									       : PERFDATA_MEASURE_OCCURRENCES;
	case PERFDATA_TYPE_TRACEPOINT:
		return !strncmp(event->name, timed, sizeof timed - 1) && attr->sample_type & PERFDATA_SAMPLE_PERIOD &&
				       !perfdata_attr_has(attr, PERFDATA_ATTR_FREQ)
			       ? PERFDATA_MEASURE_TIME
			       : PERFDATA_MEASURE_OCCURRENCES;
	case PERFDATA_TYPE_BREAKPOINT: return PERFDATA_MEASURE_OCCURRENCES;
	default: return PERFDATA_MEASURE_COUNT;
	}
}
/* Number of attrs, and the newest version of each. */
PERFDATA_API size_t perfdata_reader_nr_events(const struct perfdata_reader *reader);
PERFDATA_API const struct perfdata_event *perfdata_reader_event(const struct perfdata_reader *reader, size_t index);
/* The event with this id, or NULL. */
PERFDATA_API const struct perfdata_event *perfdata_reader_event_by_id(const struct perfdata_reader *reader,
								      uint64_t id);
/* The configuration for records without an event: byte order only. */
PERFDATA_API const struct perfdata_config *perfdata_reader_config(const struct perfdata_reader *reader);

/* --- records ----------------------------------------------------------------------------------------------------- */

enum perfdata_raw_flag {
	PERFDATA_RAW_UNKNOWN_ID = 1,   /* its id belongs to no event */
	PERFDATA_RAW_LATE = 2,         /* older than a record that was delivered before (time order) */
	PERFDATA_RAW_AFTER_GAP = 4,    /* follows damaged bytes that were skipped */
	/* a COMPRESSED record whose content cannot be decompressed: no records follow from it */
	PERFDATA_RAW_NOT_DECOMPRESSED = 8,
	PERFDATA_RAW_PAYLOAD = 16,     /* no record, but a piece of the payload of the last AUXTRACE record */
	/* a sample made from a trace (perfdata_session_options.trace_samples); `offset` is that of the payload piece */
	PERFDATA_RAW_SYNTHESIZED = 32,
	/* a record of simpleperf, joined from SPLIT records. `offset` is that of the first SPLIT record. The record may
	 * have more than 65535 bytes. */
	PERFDATA_RAW_JOINED = 64,
	/* an AUXTRACE record of simpleperf with a compressed payload: `payload` is the decompressed size, and pieces
	 * are decompressed */
	PERFDATA_RAW_UNPACKED = 128,
};

/* With the option `payloads`, one or more pieces of payload follow an AUXTRACE record. Each piece has
 * PERFDATA_PAYLOAD_PIECE bytes of the payload, the last one may have fewer, so that pieces do not depend on how the
 * bytes were read. All pieces except the first begin with a copy of the last PERFDATA_PAYLOAD_OVERLAP bytes of the
 * piece before, so that a short sequence of bytes is whole in some piece. `type`, `number` and `file` are the record's;
 * `offset` is that of the first byte; `payload` is the number of bytes after the piece. */
#define PERFDATA_PAYLOAD_OVERLAP 64u
#define PERFDATA_PAYLOAD_PIECE 32768u

/* A framed record: its bytes, and facts that need no decoding. The library owns it; the function that returned it says
 * how long it lives. The functions below return its parts. */
struct perfdata_raw;
/* The bytes of the record, contiguous, with its header. */
PERFDATA_API struct perfdata_bytes perfdata_raw_bytes(const struct perfdata_raw *raw);
PERFDATA_API uint32_t perfdata_raw_type(const struct perfdata_raw *raw);
/* The event of the record, or NULL. */
PERFDATA_API const struct perfdata_event *perfdata_raw_event(const struct perfdata_raw *raw);
/* ns; UINT64_MAX: the record has no time. */
PERFDATA_API uint64_t perfdata_raw_time(const struct perfdata_raw *raw);
/* UINT32_MAX: the record has no CPU. */
PERFDATA_API uint32_t perfdata_raw_cpu(const struct perfdata_raw *raw);

/* The next record in the requested order. A COMPRESSED record is returned too, before the records in it. *ret is
 * borrowed until the next call. PERFDATA_END after the last record; PERFDATA_ENOMEM, PERFDATA_ELIMIT, PERFDATA_EREAD
 * and PERFDATA_EWRITE (a temporary file) also end the reading. If a read fails after the first bytes, the records
 * before the failure are returned, then PERFDATA_EREAD instead of PERFDATA_END, with the finding READ_FAILED.
 * PERFDATA_AGAIN: the next record is not fully fed (perfdata_feed). */
PERFDATA_API enum perfdata_status perfdata_reader_next(struct perfdata_reader *reader,
						       const struct perfdata_raw **ret);
/* Decodes a record with its event's configuration. */
PERFDATA_API enum perfdata_status perfdata_raw_decode(const struct perfdata_reader *reader,
						      const struct perfdata_raw *raw, struct perfdata_record *ret);

/* Why the last call failed. Borrowed until the next call. */
PERFDATA_API const struct perfdata_error *perfdata_reader_error(const struct perfdata_reader *reader);
/* False after a finding of severity ERROR: a part of the input was lost. */
PERFDATA_API bool perfdata_reader_complete(const struct perfdata_reader *reader);
/* Number of findings of a code, including those that were not reported. */
PERFDATA_API uint64_t perfdata_reader_finding_count(const struct perfdata_reader *reader,
						    enum perfdata_finding_code code);

#ifdef __cplusplus
}
#endif

#endif
