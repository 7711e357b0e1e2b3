/* SPDX-License-Identifier: MIT */
/* Makes new recordings from recordings: cuts, merges, repairs, anonymizes them, and converts between file and stream.
 *
 * A rewriter makes one recording. Make a rewriter, choose what to keep (perfdata_rewriter_choose,
 * perfdata_rewriter_look_back; default: everything), copy the recording, and finish. Each step reads the recording from
 * its beginning and needs a new reader. A reader or session with wrong options is refused with PERFDATA_EUSAGE and the
 * reason. After a failure, all further steps fail with the first error.
 *
 * If a read fails after the first bytes, the records before the failure are copied: perfdata_reader_complete says
 * whether data is missing.
 *
 * To merge recordings, call perfdata_rewriter_add for each, then perfdata_rewriter_merge. To merge a part of a
 * recording, call perfdata_rewriter_choose before its perfdata_rewriter_add; look_back is not needed. */
#ifndef PERFDATA_REWRITE_H
#define PERFDATA_REWRITE_H

#include "perfdata/reader.h"
#include "perfdata/session.h"

#ifdef __cplusplus
extern "C" {
#endif

enum perfdata_rewrite_form { PERFDATA_REWRITE_AS_INPUT, PERFDATA_REWRITE_TO_FILE, PERFDATA_REWRITE_TO_STREAM };
enum perfdata_rewrite_order {
	PERFDATA_REWRITE_SAME_ORDER,
	PERFDATA_REWRITE_LITTLE_ENDIAN,
	PERFDATA_REWRITE_BIG_ENDIAN
};
enum perfdata_rewrite_packing {
	PERFDATA_REWRITE_SAME_PACKING,
	PERFDATA_REWRITE_UNPACKED,
	PERFDATA_REWRITE_COMPRESSED,     /* zstd, in records that perf 5.2 and later read */
};

/* --- pseudonyms -------------------------------------------------------------------------------------------------- */

/* Kinds of data that an anonymized recording keeps unchanged. */
enum perfdata_anonymize_keep {
	PERFDATA_ANONYMIZE_KEEP_COMMS = 1,
	PERFDATA_ANONYMIZE_KEEP_PATHS = 2,
	PERFDATA_ANONYMIZE_KEEP_BUILD_IDS = 4,
	PERFDATA_ANONYMIZE_KEEP_PIDS = 8,
	PERFDATA_ANONYMIZE_KEEP_TIMES = 16,
	PERFDATA_ANONYMIZE_KEEP_ADDRESSES = 32,
	PERFDATA_ANONYMIZE_KEEP_EVENTS = 64,    /* names of events */
};

/* Replaces all data about persons, machines and programs. The library has a rule for every field of every record and
 * feature section. A field without a rule is cleared in records; in a feature section it drops the section. */
struct perfdata_anonymize_options {
	size_t size;                     /* sizeof(struct perfdata_anonymize_options) */
	uint8_t key[16];                 /* equal keys give equal pseudonyms; zeros: a random key */
	uint32_t keep;                   /* enum perfdata_anonymize_keep */
	/* Called once for each pseudonym: kind ("comm", "path", …), original, pseudonym. May be NULL. */
	void (*on_pair)(void *user, const char *kind, struct perfdata_bytes from, struct perfdata_bytes to);
	void *user;
};

/* Makes a key from any bytes, such as the content of a file. */
PERFDATA_API void perfdata_anonymize_key(const void *bytes, size_t size, uint8_t ret_key[16]);

struct perfdata_anonymize_counts {
	uint64_t comms, paths, names, build_ids, pids, numbers;   /* number of distinct values that were replaced */
	uint64_t addresses;              /* moved */
	uint64_t unmapped;               /* addresses outside of all mappings: only their last 12 bits are kept */
	uint64_t fields_cleared;         /* cleared fields that had a value */
	uint64_t records_dropped;
	/* samples with a call chain and a copied stack; samples whose chain was completed from the stack: see
	 * perfdata_rewriter_copy_unwound */
	uint64_t stacks, unwound;
};

struct perfdata_rewrite_rename { const char *from, *to; };   /* names of events */

/* A build-id that was found after the recording was made. */
struct perfdata_rewrite_build_id {
	const char *path;                /* as recorded */
	struct perfdata_bytes build_id;
	uint64_t inode;                  /* the build-id applies to maps of this inode; 0: to all maps of the path */
	bool in_kernel;                  /* the file is the kernel or a module */
};

struct perfdata_rewrite_options {
	size_t size;                     /* sizeof(struct perfdata_rewrite_options) */
	/* A directory always becomes a file, and so does what is repaired or anonymized. */
	enum perfdata_rewrite_form form;
	enum perfdata_rewrite_order order;
	enum perfdata_rewrite_packing packing;
	/* Repair what readers cannot handle, and describe the repairs in the section PERFDATA_FEATURE_NOTE. If attrs
	 * are records, call perfdata_rewriter_survey first. */
	bool repair;
	bool for_old;                    /* write only what perf 6.1 can read */
	const struct perfdata_rewrite_rename *renames;
	size_t nr_renames;
	const char *tmpdir;
	uint64_t max_spool;
	/* Receives the bytes of the recording in order. A negative status ends the step with this status, a positive
	 * one with PERFDATA_EWRITE. */
	enum perfdata_status (*write)(void *user, const void *bytes, size_t size);
	void *write_user;
	/* Receives messages for the user, one line each. May be NULL. */
	void (*on_message)(void *user, const char *text);
	void *message_user;              /* for on_message */
	/* NULL: nothing is anonymized. Otherwise call perfdata_rewriter_survey first */
	const struct perfdata_anonymize_options *anonymize;
	const struct perfdata_cancel *cancel;   /* ends copying with PERFDATA_EINTR; may be NULL */
	/* Build-ids for MMAP2 records that have none and for the table of build-ids. Pass all known build-ids: if the
	 * table exists, perf uses no other source. */
	const struct perfdata_rewrite_build_id *build_ids;
	size_t nr_build_ids;
};

struct perfdata_rewrite_counts {
	uint64_t records, samples;       /* written */
	uint64_t samples_left_out;       /* samples that perfdata_rewriter_choose excluded */
	uint64_t damaged, unknown;       /* records that no reader could use: damaged, or of unknown type */
	uint64_t sections_left_out;
};

struct perfdata_rewriter;
/* The options are copied with everything that they point to. */
PERFDATA_API enum perfdata_status perfdata_rewriter_new(const struct perfdata_rewrite_options *options,
							struct perfdata_rewriter **ret, struct perfdata_error *reterr);
PERFDATA_API void perfdata_rewriter_free(struct perfdata_rewriter *rewriter);
/* Keeps only the samples that pass the session's filter and limit. first, last: the filter's times; last 0: no end.
 * Kernel records outside of these times are dropped, except for the state that look_back keeps. So are records about
 * one thread or CPU that do not pass the filter, such as switches and losses, whatever types it names. Counters that
 * samples read count only what the kept samples have counted. The session needs PERFDATA_NEED_RECORDS. */
PERFDATA_API enum perfdata_status perfdata_rewriter_choose(struct perfdata_rewriter *rewriter,
							   struct perfdata_session *session, uint64_t first,
							   uint64_t last);
/* Keeps the state of threads, maps and the kernel at `first`: writes it before all other records, without times. The
 * reader must use the order of time. */
PERFDATA_API enum perfdata_status perfdata_rewriter_look_back(struct perfdata_rewriter *rewriter,
							      struct perfdata_reader *reader);
/* Reads facts that the copy needs in advance. Required to anonymize (when the recording began), and to repair a
 * recording whose attrs are records (which events it has). */
PERFDATA_API enum perfdata_status perfdata_rewriter_survey(struct perfdata_rewriter *rewriter,
							   struct perfdata_reader *reader);
/* Copies a recording. The reader needs the option `payloads`, and the order of the file, or of time to anonymize. */
PERFDATA_API enum perfdata_status perfdata_rewriter_copy(struct perfdata_rewriter *rewriter,
							 struct perfdata_reader *reader);
/* Reads a recording to its end for its events and host, before a merge. The reader must use the order of time and stay
 * open until perfdata_rewriter_finish. */
PERFDATA_API enum perfdata_status perfdata_rewriter_add(struct perfdata_rewriter *rewriter,
							struct perfdata_reader *reader);
/* Merges the added recordings in the order of time. `readers` has a new reader for each recording, in the same order,
 * which must use the order of time. Event ids are made distinct, and sections are joined. PERFDATA_EUNSUP with the
 * reason: the recordings cannot be merged (other hosts, boots or clocks, samples without times). */
PERFDATA_API enum perfdata_status perfdata_rewriter_merge(struct perfdata_rewriter *rewriter,
							  struct perfdata_reader *const *readers, size_t nr);
/* As perfdata_rewriter_copy, for anonymizing a recording with copies of stacks (PERFDATA_SAMPLE_STACK_USER): the
 * session of this reader unwinds the stacks, and the addresses that it finds are written into the call chains. The
 * session needs PERFDATA_NEED_RECORDS and PERFDATA_NEED_STACKS, symbols, and no filter. */
PERFDATA_API enum perfdata_status perfdata_rewriter_copy_unwound(struct perfdata_rewriter *rewriter,
								 struct perfdata_reader *reader,
								 struct perfdata_session *session);
/* Writes the rest of the recording. The copied reader must still be open. */
PERFDATA_API enum perfdata_status perfdata_rewriter_finish(struct perfdata_rewriter *rewriter);
PERFDATA_API const struct perfdata_rewrite_counts *perfdata_rewriter_counts(const struct perfdata_rewriter *rewriter);
/* NULL if nothing was anonymized. */
PERFDATA_API const struct perfdata_anonymize_counts *perfdata_rewriter_anonymized(
	const struct perfdata_rewriter *rewriter);
/* The error of the last call. */
PERFDATA_API const struct perfdata_error *perfdata_rewriter_error(const struct perfdata_rewriter *rewriter);

#ifdef __cplusplus
}
#endif

#endif
