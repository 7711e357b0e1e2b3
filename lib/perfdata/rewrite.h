/* SPDX-License-Identifier: MIT */
/* Recordings out of recordings: cut, converted from one form to another, merged, repaired.
 *
 * A rewriter is made, told what to keep (perfdata_rewriter_choose, perfdata_rewriter_look_back; or nothing: all is
 * kept), given the recording to copy, and finished. Each of these reads a recording from its beginning, through a
 * reader of its own.
 *
 * Of several recordings each is added (perfdata_rewriter_choose before it says what to keep of it; look_back is not
 * needed), then all are merged. */
#ifndef PERFDATA_REWRITE_H
#define PERFDATA_REWRITE_H

#include "perfdata/write.h"
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

/* What an anonymized recording may keep as it is. */
enum perfdata_anonymize_keep {
	PERFDATA_ANONYMIZE_KEEP_COMMS = 1,
	PERFDATA_ANONYMIZE_KEEP_PATHS = 2,
	PERFDATA_ANONYMIZE_KEEP_BUILD_IDS = 4,
	PERFDATA_ANONYMIZE_KEEP_PIDS = 8,
	PERFDATA_ANONYMIZE_KEEP_TIMES = 16,
	PERFDATA_ANONYMIZE_KEEP_ADDRESSES = 32,
	PERFDATA_ANONYMIZE_KEEP_EVENTS = 64,    /* their names */
};

/* Replaces whatever tells of persons, machines and programs, and drops what nobody has said to be harmless: every field
 * of every record and feature section has a decision of its own, and one without it is dropped. */
struct perfdata_anonymize_options {
	size_t size;                     /* sizeof(struct perfdata_anonymize_options) */
	uint8_t key[16];                 /* the same key gives the same pseudonyms */
	uint32_t keep;                   /* enum perfdata_anonymize_keep */
	/* Told of each pseudonym once: kind ("comm", "path", …), what it stands for, and itself. May be NULL. */
	void (*on_pair)(void *user, const char *kind, struct perfdata_bytes from, struct perfdata_bytes to);
	void *user;
};

/* A key out of any bytes, such as those of a file. */
PERFDATA_API void perfdata_anonymize_key(const void *bytes, size_t size, uint8_t ret_key[16]);

struct perfdata_anonymize_counts {
	uint64_t comms, paths, names, build_ids, pids, numbers;   /* distinct ones that were replaced */
	uint64_t addresses;              /* moved */
	uint64_t unmapped;               /* addresses that no mapping covers: only their last 12 bits stay */
	uint64_t fields_cleared;         /* that held something */
	uint64_t records_dropped;
	/* samples that had a call chain and a copy of a stack; chains that were completed by it, see copy_unwound */
	uint64_t stacks, unwound;
};

/* What becomes of a field: "keep", "clear", "pid", …; NULL where nobody has decided. For records and sections alike;
 * the layout is that of the record, of the section, or of a part of it. */
PERFDATA_API const char *perfdata_anonymize_decision(const struct perfdata_layout *layout,
						     const struct perfdata_field *field);

struct perfdata_rewrite_rename { const char *from, *to; };   /* names of events */

/* What is known of a file since the recording was made. */
struct perfdata_rewrite_build_id {
	const char *path;                /* as recorded */
	struct perfdata_bytes build_id;
	uint64_t inode;                  /* only maps with this one; 0: all */
	bool in_kernel;                  /* the kernel or a module */
};

struct perfdata_rewrite_options {
	size_t size;                     /* sizeof(struct perfdata_rewrite_options) */
	enum perfdata_rewrite_form form; /* a directory becomes a file */
	enum perfdata_rewrite_order order;
	enum perfdata_rewrite_packing packing;
	/* mend what readers stumble over, and leave a note (the section PERFDATA_FEATURE_NOTE) */
	bool repair;
	bool for_old;                    /* only what perf 6.1 knows */
	const struct perfdata_rewrite_rename *renames;
	size_t nr_renames;
	const char *tmpdir;
	uint64_t max_spool;
	enum perfdata_status (*write)(void *user, const void *bytes, size_t size);
	void *write_user;
	/* What there is to say: one line. May be NULL. */
	void (*tell)(void *user, const char *text);
	void *tell_user;
	/* NULL: nothing is replaced. perfdata_rewriter_survey comes first then */
	const struct perfdata_anonymize_options *anonymize;
	const struct perfdata_cancel *cancel;   /* ends copying with PERFDATA_EINTR; may be NULL */
	/* Written into MMAP2 records that have none, and into the table of build-ids: give all that are known, since
	 * perf looks at a table only where there is one. */
	const struct perfdata_rewrite_build_id *build_ids;
	size_t nr_build_ids;
};

struct perfdata_rewrite_counts {
	uint64_t records, samples;       /* written */
	uint64_t samples_left_out;       /* by what was chosen */
	uint64_t damaged, unknown;       /* records left out because no reader could use them */
	uint64_t sections_left_out;
};

struct perfdata_rewriter;
/* All of options is copied. */
PERFDATA_API enum perfdata_status perfdata_rewriter_new(const struct perfdata_rewrite_options *options,
							struct perfdata_rewriter **ret, struct perfdata_error *reterr);
PERFDATA_API void perfdata_rewriter_free(struct perfdata_rewriter *rewriter);
/* Keeps only the samples that the session's filter and limit let through. first, last: the filter's times; records of
 * the kernel outside go too, but for the state that look_back keeps. last 0: no end. The session needs
 * PERFDATA_NEED_RECORDS. */
PERFDATA_API enum perfdata_status perfdata_rewriter_choose(struct perfdata_rewriter *rewriter,
							   struct perfdata_session *session, uint64_t first,
							   uint64_t last);
/* Keeps what records before `first` say about threads, maps and the kernel, in the order of the reader, which has to be
 * that of time: it is written in front of everything else, without times. */
PERFDATA_API enum perfdata_status perfdata_rewriter_look_back(struct perfdata_rewriter *rewriter,
							      struct perfdata_reader *reader);
/* Learns what anonymizing needs to know before it begins: when the recording began. */
PERFDATA_API enum perfdata_status perfdata_rewriter_survey(struct perfdata_rewriter *rewriter,
							   struct perfdata_reader *reader);
/* Copies a recording: in the order of the file, or of time if it is made anonymous. The reader gives payloads
 * (perfdata_reader_options). */
PERFDATA_API enum perfdata_status perfdata_rewriter_copy(struct perfdata_rewriter *rewriter,
							 struct perfdata_reader *reader);
/* Learns what a recording to be merged says of its events and its host: reads it to its end. The reader gives records
 * in the order of time, and stays open until the rewriter is finished. */
PERFDATA_API enum perfdata_status perfdata_rewriter_add(struct perfdata_rewriter *rewriter,
							struct perfdata_reader *reader);
/* Copies the recordings that were added, in the order of time: `readers` has one for each, in the order of adding,
 * which gives its records once more in the order of time. Ids of events are told apart, sections joined.
 * PERFDATA_EUNSUP with the reason where they cannot be one recording: other hosts, boots or clocks, samples without
 * times. */
PERFDATA_API enum perfdata_status perfdata_rewriter_merge(struct perfdata_rewriter *rewriter,
							  struct perfdata_reader *const *readers, size_t nr);
/* The same through a session that is open on that reader, for recordings with copies of stacks
 * (PERFDATA_SAMPLE_STACK_USER) that are made anonymous: what the session unwinds stays, in the call chains. The session
 * needs PERFDATA_NEED_RECORDS and PERFDATA_NEED_STACKS, no filter, and symbols. */
PERFDATA_API enum perfdata_status perfdata_rewriter_copy_unwound(struct perfdata_rewriter *rewriter,
								 struct perfdata_reader *reader,
								 struct perfdata_session *session);
/* Writes what is left. The reader that was copied must still be open. */
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
