/* SPDX-License-Identifier: MIT */
/* Converts a recording to another format in one call. The library sets up reader, symbols, session, emitter and output
 * as the emitter and its options require. */
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
	const struct perfdata_setting *settings;   /* options of the emitter; the last value of a name counts */
	size_t nr_settings;
	struct perfdata_output *output;            /* borrowed: the caller closes it */
	/* for formats of tables, set to the number of written rows; may be NULL */
	uint64_t *ret_rows;
};

/* 0 in a member means its default. */
struct perfdata_convert_options {
	size_t size;
	const struct perfdata_registry *registry;  /* NULL: the emitters of the library */
	const struct perfdata_setting *settings;   /* options of the emitter; for perfdata_convert only */
	size_t nr_settings;
	const struct perfdata_filter *filter;      /* NULL: all records */
	/* how names are looked up; NULL: defaults */
	const struct perfdata_symbols_options *symbols;
	/* whether names are looked up; PERFDATA_DEFAULT: as the emitter's default says */
	enum perfdata_tristate names;
	/* order of the records; default: the order that the emitter asks for */
	enum perfdata_order_wish order;
	/* stop after this many records, or deliveries if no records are needed; 0: no limit */
	uint64_t limit;
	unsigned jobs;                             /* threads that format; 0: as many as there are processors */
	/* several recordings share one output, so that lines need the name of their file */
	bool shared_output;
	/* limits, findings, progress, cancel; its member `order` is ignored. NULL: defaults */
	const struct perfdata_reader_options *reader;
	/* on_finding receives the findings of formatting, in the order of the records and in the calling thread.
	 * `findings` returns all findings so far, for the end of documents. See perfdata_run_options. */
	perfdata_finding_fn *on_finding;
	void *user;                                /* for on_finding */
	const struct perfdata_finding *(*findings)(void *findings_user, size_t *ret_nr, uint64_t *ret_total);
	void *findings_user;
	/* Optional: called after the recording was opened. The function may change *filter, a copy of `filter` above;
	 * what its members point to must live until the result is freed. A status other than PERFDATA_OK ends the
	 * conversion. */
	enum perfdata_status (*on_open)(void *open_user, struct perfdata_reader *reader, struct perfdata_filter *filter,
					struct perfdata_error *reterr);
	void *open_user;
	/* the recording's name in tables and shared outputs; NULL: the name of its file */
	const char *recording;
	/* perfdata_result_ask will be called: the result keeps the sums of the first format that supports it */
	bool keep;
};

/* The result of a conversion. Its reader and session stay open until the result is freed. */
PERFDATA_API void perfdata_result_free(struct perfdata_result *result);
PERFDATA_API const struct perfdata_reader *perfdata_result_reader(const struct perfdata_result *result);
/* NULL if the conversion failed before the session was open. */
PERFDATA_API const struct perfdata_session *perfdata_result_session(const struct perfdata_result *result);
/* Counts of the recording; its member `complete` is false also after damage inside records, which only formatting
 * finds. Borrowed until the result is freed or perfdata_result_ask is called. NULL as above. */
PERFDATA_API const struct perfdata_summary *perfdata_result_summary(const struct perfdata_result *result);
/* The source of names, for perfdata_bundle_take_answers; NULL: no names were looked up. */
PERFDATA_API struct perfdata_symbols *perfdata_result_symbols(const struct perfdata_result *result);
/* Number of written records; of deliveries if the format needs no records; of rows in all tables if the format has
 * tables (PERFDATA_EMITTER_ROWS). After perfdata_convert_several, the number of the first format. */
PERFDATA_API uint64_t perfdata_result_written(const struct perfdata_result *result);

/* PERFDATA_OK also for damaged recordings: see the findings and the summary. PERFDATA_EREAD and a reader with the
 * finding READ_FAILED: a read failed in the middle; the output is a complete document of the records before the
 * failure. PERFDATA_EINTR: the reader option `cancel` was used; the output is a complete document of the records so
 * far, if the format has a form for a part of a recording. PERFDATA_EUSAGE: no such format, option or value; reterr has
 * the message that the program prints. Other errors as perfdata_reader_open and perfdata_session_open, and as the
 * emitter and output return. *ret (may be NULL) is the result if the recording could be opened, else NULL. After every
 * status the caller closes the output, and frees the result and then the input. */
PERFDATA_API enum perfdata_status perfdata_convert(const struct perfdata_input *input, struct perfdata_output *output,
						   const char *format, const struct perfdata_convert_options *options,
						   struct perfdata_result **ret, struct perfdata_error *reterr);
/* Writes several formats in one pass over the recording, each to an output of its own. Status and *ret as for
 * perfdata_convert. PERFDATA_EUSAGE also if two formats need the recording read in different ways. The members
 * `settings` and `nr_settings` of `options` are ignored: each conversion has its own. */
PERFDATA_API enum perfdata_status perfdata_convert_several(const struct perfdata_input *input,
							   const struct perfdata_conversion *const *conversions,
							   size_t nr_conversions,
							   const struct perfdata_convert_options *options,
							   struct perfdata_result **ret, struct perfdata_error *reterr);

/* 0 in a member means its default. */
struct perfdata_ask_options {
	size_t size;
	const int32_t *tids;                       /* only samples of these threads; nr_tids 0: of all threads */
	size_t nr_tids;
	unsigned jobs;                             /* as in perfdata_convert_options */
	perfdata_finding_fn *on_finding;           /* findings of this answer */
	void *user;                                /* for on_finding */
	const struct perfdata_cancel *cancel;      /* ends an answer that is written to a file with PERFDATA_EINTR */
};
/* Converts to "report" or "annotate" again without reading the recording, from the sums that the first conversion kept
 * (option `keep`). The output is that of perfdata_convert with the first conversion's filter and with `tids`; counts of
 * records and times are those of the whole recording. The registry of the first conversion must live. PERFDATA_ABSENT:
 * no sums were kept, or they do not suffice for these settings: call perfdata_convert instead. Other errors as
 * perfdata_convert. */
PERFDATA_API enum perfdata_status perfdata_result_ask(struct perfdata_result *result,
						      const struct perfdata_conversion *conversion,
						      const struct perfdata_ask_options *options,
						      struct perfdata_error *reterr);

#ifdef __cplusplus
}
#endif

#endif
