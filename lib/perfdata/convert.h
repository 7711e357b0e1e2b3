/* SPDX-License-Identifier: MIT */
/* A recording in another format, in one call: the library puts reader, symbols, session, emitter and output together as
 * the emitter and its options need it, so that no program can put them together wrongly. */
#ifndef PERFDATA_CONVERT_H
#define PERFDATA_CONVERT_H

#include "perfdata/input.h"
#include "perfdata/output.h"
#include "perfdata/registry.h"
#include "perfdata/symbols.h"

#ifdef __cplusplus
extern "C" {
#endif

enum perfdata_order_wish { PERFDATA_ORDER_UNSAID = 0, PERFDATA_ORDER_WISH_TIME = 1, PERFDATA_ORDER_WISH_FILE = 2 };

struct perfdata_result;

/* One format to convert a recording to. */
struct perfdata_conversion {
	size_t size;
	const char *format;                        /* an emitter's name */
	const struct perfdata_setting *settings;   /* its options; if two have the same name, the last value counts */
	size_t nr_settings;
	struct perfdata_output *output;            /* borrowed: the caller closes it */
	uint64_t *ret_rows;                        /* of formats of tables: how many rows were written; may be NULL */
};

/* Zero is the default of each. */
struct perfdata_convert_options {
	size_t size;
	const struct perfdata_registry *registry;  /* NULL: the emitters of the library */
	const struct perfdata_setting *settings;   /* of the emitter, for perfdata_convert */
	size_t nr_settings;
	const struct perfdata_filter *filter;      /* NULL: everything is kept */
	/* how names are looked up; NULL: defaults */
	const struct perfdata_symbols_options *symbols;
	/* whether names are looked up; unsaid: if an emitter does by default */
	enum perfdata_tristate names;
	enum perfdata_order_wish order;            /* of the records; unsaid: the order that the emitter asks for */
	/* stop after this many records (deliveries, where no records are needed); 0: all */
	uint64_t limit;
	unsigned jobs;                             /* threads that format; 0: as many as there are processors */
	bool shared_output;                        /* several recordings go to one output: lines name their file */
	/* limits, findings, progress, cancel; `order` is ignored. NULL: defaults */
	const struct perfdata_reader_options *reader;
	/* Findings of formatting, in the order of the records and in the calling thread; and a function that returns
	 * those found so far, for the end of documents: as in perfdata_run_options. */
	perfdata_finding_fn *on_finding;
	void *user;                                /* for on_finding */
	const struct perfdata_finding *(*findings)(void *findings_user, size_t *ret_nr, uint64_t *ret_total);
	void *findings_user;
	/* Optional: called when the recording was opened. The function may change *filter, which is `filter` at first;
	 * what it points to must live until the result is freed. A status other than PERFDATA_OK ends the conversion
	 * with that status. */
	enum perfdata_status (*on_open)(void *open_user, struct perfdata_reader *reader, struct perfdata_filter *filter,
					struct perfdata_error *reterr);
	void *open_user;
	/* the recording's name in tables and shared outputs; NULL: the name of its file */
	const char *recording;
	/* the result keeps what the format adds up, where it is one that perfdata_result_ask answers from; of several
	 * formats, the first */
	bool keep;
};

/* The result of a conversion. Its reader and session stay open until it is freed. */
PERFDATA_API void perfdata_result_free(struct perfdata_result *result);
PERFDATA_API const struct perfdata_reader *perfdata_result_reader(const struct perfdata_result *result);
/* Both are NULL if the conversion failed before they were opened. */
PERFDATA_API const struct perfdata_session *perfdata_result_session(const struct perfdata_result *result);
PERFDATA_API const struct perfdata_summary *perfdata_result_summary(const struct perfdata_result *result);
/* What named the addresses; NULL: nothing did. For perfdata_bundle_take_answers. */
PERFDATA_API struct perfdata_symbols *perfdata_result_symbols(const struct perfdata_result *result);
/* Number of records written, or of deliveries if the format needs no records; for a format of tables
 * (PERFDATA_EMITTER_ROWS) the number of rows in all tables. A conversion to several formats counts for the first
 * one. */
PERFDATA_API uint64_t perfdata_result_written(const struct perfdata_result *result);

/* PERFDATA_OK for damaged recordings too: see the findings, and the summary. PERFDATA_EREAD with a result whose reader
 * has the finding READ_FAILED: reading failed in the middle, and the output has what came before, as a whole document.
 * PERFDATA_EUSAGE: there is no such format, option or value; the message is the one that the program shows. Else as
 * what opens the reader and the session, and as the run. *ret (may be NULL) is set whenever the recording could
 * be opened, else to NULL. */
PERFDATA_API enum perfdata_status perfdata_convert(const struct perfdata_input *input, struct perfdata_output *output,
						   const char *format, const struct perfdata_convert_options *options,
						   struct perfdata_result **ret, struct perfdata_error *reterr);
/* Several formats in one pass over the recording. PERFDATA_EUSAGE where the formats need the recording read in
 * different ways. */
PERFDATA_API enum perfdata_status perfdata_convert_several(const struct perfdata_input *input,
							   const struct perfdata_conversion *const *conversions,
							   size_t nr_conversions,
							   const struct perfdata_convert_options *options,
							   struct perfdata_result **ret, struct perfdata_error *reterr);

/* Zero is the default of each. */
struct perfdata_ask_options {
	size_t size;
	const int32_t *tids;                       /* only samples of these threads; nr_tids 0: of all */
	size_t nr_tids;
	unsigned jobs;                             /* as in perfdata_convert_options */
	perfdata_finding_fn *on_finding;           /* findings of this answer */
	void *user;                                /* for on_finding */
	const struct perfdata_cancel *cancel;      /* ends an answer that goes to a file with PERFDATA_EINTR */
};
/* Converts again without reading the recording: what a conversion with `keep` added up gives the bytes that
 * perfdata_convert would give (with its filter, and `tids`). Counts of records and times in documents are those of the
 * whole recording. "report" and "annotate" answer. The registry of the first conversion must live. PERFDATA_ABSENT:
 * what was kept does not suffice for these settings, or nothing was kept; perfdata_convert answers. Else as
 * perfdata_convert. */
PERFDATA_API enum perfdata_status perfdata_result_ask(struct perfdata_result *result,
						      const struct perfdata_conversion *conversion,
						      const struct perfdata_ask_options *options,
						      struct perfdata_error *reterr);

#ifdef __cplusplus
}
#endif

#endif
