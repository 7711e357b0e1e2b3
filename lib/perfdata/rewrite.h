/* SPDX-License-Identifier: MIT */
/* Recordings out of recordings: cut, converted from one form to another, merged, repaired.
 *
 * Make a rewriter, choose what to keep (perfdata_rewriter_choose, perfdata_rewriter_look_back; without either, all is
 * kept), copy the recording, and finish. A rewriter makes one recording. Each of these steps reads a recording from its
 * beginning, through a reader of its own; a reader (or session) that does not give what the step asks for is refused:
 * PERFDATA_EUSAGE with the reason. After a failure, all further steps fail with the first error.
 *
 * If reading a recording fails after its first bytes, the records before the failure are copied:
 * perfdata_reader_complete says whether something is missing.
 *
 * To merge several recordings, add each (perfdata_rewriter_choose, called before, chooses what to keep of it; look_back
 * is not needed), then merge all. */
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

/* Kinds of data that an anonymized recording may keep as they are. */
enum perfdata_anonymize_keep {
	PERFDATA_ANONYMIZE_KEEP_COMMS = 1,
	PERFDATA_ANONYMIZE_KEEP_PATHS = 2,
	PERFDATA_ANONYMIZE_KEEP_BUILD_IDS = 4,
	PERFDATA_ANONYMIZE_KEEP_PIDS = 8,
	PERFDATA_ANONYMIZE_KEEP_TIMES = 16,
	PERFDATA_ANONYMIZE_KEEP_ADDRESSES = 32,
	PERFDATA_ANONYMIZE_KEEP_EVENTS = 64,    /* names of events */
};

/* Replaces all data about persons, machines and programs, and drops all that nobody has declared harmless: every field
 * of every record and feature section has a decision of its own. A field of a record without a decision is cleared, a
 * section that has such a field is dropped. */
struct perfdata_anonymize_options {
	size_t size;                     /* sizeof(struct perfdata_anonymize_options) */
	uint8_t key[16];                 /* the same key gives the same pseudonyms; zeros: a key made at random */
	uint32_t keep;                   /* enum perfdata_anonymize_keep */
	/* Called once for each pseudonym: kind ("comm", "path", …), the original, and the pseudonym. May be NULL. */
	void (*on_pair)(void *user, const char *kind, struct perfdata_bytes from, struct perfdata_bytes to);
	void *user;
};

/* Makes a key from any bytes, such as the content of a file. */
PERFDATA_API void perfdata_anonymize_key(const void *bytes, size_t size, uint8_t ret_key[16]);

struct perfdata_anonymize_counts {
	uint64_t comms, paths, names, build_ids, pids, numbers;   /* distinct ones that were replaced */
	uint64_t addresses;              /* moved */
	uint64_t unmapped;               /* addresses that no mapping covers: only their last 12 bits stay */
	uint64_t fields_cleared;         /* fields that held something */
	uint64_t records_dropped;
	/* samples that had a call chain and a copy of a stack; chains that were completed from it, see copy_unwound */
	uint64_t stacks, unwound;
};

struct perfdata_rewrite_rename { const char *from, *to; };   /* names of events */

/* Facts about a file that are known only since the recording was made. */
struct perfdata_rewrite_build_id {
	const char *path;                /* as recorded */
	struct perfdata_bytes build_id;
	uint64_t inode;                  /* only maps of this inode; 0: all */
	bool in_kernel;                  /* the file is the kernel or a module */
};

struct perfdata_rewrite_options {
	size_t size;                     /* sizeof(struct perfdata_rewrite_options) */
	enum perfdata_rewrite_form form; /* a directory always becomes a file */
	enum perfdata_rewrite_order order;
	enum perfdata_rewrite_packing packing;
	/* repair what readers cannot handle, and leave a note (the section PERFDATA_FEATURE_NOTE); call
	 * perfdata_rewriter_survey first where attrs are records */
	bool repair;
	bool for_old;                    /* write only what perf 6.1 knows */
	const struct perfdata_rewrite_rename *renames;
	size_t nr_renames;
	const char *tmpdir;
	uint64_t max_spool;
	/* Receives the recording's bytes, from the first to the last. A negative status ends the step with that status,
	 * a positive one with PERFDATA_EWRITE. */
	enum perfdata_status (*write)(void *user, const void *bytes, size_t size);
	void *write_user;
	/* Called with each message for the user: one line. May be NULL. */
	void (*tell)(void *user, const char *text);
	void *tell_user;
	/* NULL: nothing is replaced. Otherwise call perfdata_rewriter_survey first */
	const struct perfdata_anonymize_options *anonymize;
	const struct perfdata_cancel *cancel;   /* ends copying with PERFDATA_EINTR; may be NULL */
	/* Written into MMAP2 records that have no build-id, and into the table of build-ids. Pass all known build-ids:
	 * if there is a table, perf uses only the table. */
	const struct perfdata_rewrite_build_id *build_ids;
	size_t nr_build_ids;
};

struct perfdata_rewrite_counts {
	uint64_t records, samples;       /* written */
	uint64_t samples_left_out;       /* samples that the choice left out */
	uint64_t damaged, unknown;       /* records left out because no reader could use them */
	uint64_t sections_left_out;
};

struct perfdata_rewriter;
/* The options are copied, with all that they point to. */
PERFDATA_API enum perfdata_status perfdata_rewriter_new(const struct perfdata_rewrite_options *options,
							struct perfdata_rewriter **ret, struct perfdata_error *reterr);
PERFDATA_API void perfdata_rewriter_free(struct perfdata_rewriter *rewriter);
/* Keeps only the samples that the session's filter and limit let through. first, last: the filter's times; the rewriter
 * also drops kernel records outside of these times, except for the state that look_back keeps. last 0: no end. The
 * session needs PERFDATA_NEED_RECORDS. */
PERFDATA_API enum perfdata_status perfdata_rewriter_choose(struct perfdata_rewriter *rewriter,
							   struct perfdata_session *session, uint64_t first,
							   uint64_t last);
/* Keeps what records before `first` state about threads, maps and the kernel; the reader must give records in the order
 * of time. The rewriter writes this state before everything else, without times. */
PERFDATA_API enum perfdata_status perfdata_rewriter_look_back(struct perfdata_rewriter *rewriter,
							      struct perfdata_reader *reader);
/* Learns what has to be known in advance: to anonymize, when the recording began; to repair, which events it has. The
 * copy fails without it where it is needed: to anonymize, and to repair a recording whose attrs are records. */
PERFDATA_API enum perfdata_status perfdata_rewriter_survey(struct perfdata_rewriter *rewriter,
							   struct perfdata_reader *reader);
/* Copies a recording. The reader must give its records in the order of the file, or of time if it is made anonymous,
 * and payloads (perfdata_reader_options). */
PERFDATA_API enum perfdata_status perfdata_rewriter_copy(struct perfdata_rewriter *rewriter,
							 struct perfdata_reader *reader);
/* Learns the events and the host of a recording to be merged: reads it to its end. The reader must give records in the
 * order of time, and stay open until the rewriter is finished. */
PERFDATA_API enum perfdata_status perfdata_rewriter_add(struct perfdata_rewriter *rewriter,
							struct perfdata_reader *reader);
/* Copies the recordings that were added, in the order of time. `readers` has one reader for each, in the order of
 * adding, which gives its records once more in the order of time. Ids of events are made distinct, sections joined.
 * PERFDATA_EUNSUP with the reason where they cannot be one recording: other hosts, boots or clocks, samples without
 * times. */
PERFDATA_API enum perfdata_status perfdata_rewriter_merge(struct perfdata_rewriter *rewriter,
							  struct perfdata_reader *const *readers, size_t nr);
/* As perfdata_rewriter_copy, through a session that is open on that reader, for recordings with copies of stacks
 * (PERFDATA_SAMPLE_STACK_USER) that are made anonymous: the addresses that the session unwinds stay, in the call
 * chains. The session needs PERFDATA_NEED_RECORDS and PERFDATA_NEED_STACKS, no filter, and symbols. */
PERFDATA_API enum perfdata_status perfdata_rewriter_copy_unwound(struct perfdata_rewriter *rewriter,
								 struct perfdata_reader *reader,
								 struct perfdata_session *session);
/* Writes the rest of the recording. The reader that was copied must still be open. */
PERFDATA_API enum perfdata_status perfdata_rewriter_finish(struct perfdata_rewriter *rewriter);
PERFDATA_API const struct perfdata_rewrite_counts *perfdata_rewriter_counts(const struct perfdata_rewriter *rewriter);
/* NULL where nothing was made anonymous. */
PERFDATA_API const struct perfdata_anonymize_counts *perfdata_rewriter_anonymized(
	const struct perfdata_rewriter *rewriter);
/* Why the last call failed. */
PERFDATA_API const struct perfdata_error *perfdata_rewriter_error(const struct perfdata_rewriter *rewriter);

#ifdef __cplusplus
}
#endif

#endif
