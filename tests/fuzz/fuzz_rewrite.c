/* SPDX-License-Identifier: MIT */
/* Recordings out of recordings: whatever is read, what is written again can be read without a finding of damage, and
 * what was repaired is not changed by being repaired again. The last byte says what becomes of it. */
#include "fuzz.h"
#include "perfdata/rewrite.h"
#include "reader/reader.h"
#include "opening.h"

#define MOST (4u << 20)

static enum perfdata_status take_bytes(void *user, const void *bytes, size_t size)
{
	struct perfdata_text *text = user;

	if (text->size + size > MOST)
		return PERFDATA_ELIMIT;
	perfdata_text_append(text, bytes, size);
	return perfdata_text_failed(text) ? PERFDATA_ENOMEM : PERFDATA_OK;
}

static void read_message(void *user, const char *text)
{
	(void)user;
	fuzz_touch_text(text);
}

static bool write_again(const uint8_t *data, size_t size, const struct perfdata_rewrite_options *how,
			enum perfdata_record_order order, struct perfdata_text *out)
{
	const struct perfdata_reader_options options = {
		.size = sizeof options, .order = order, .max_ratio = 1000, .max_spool = 64 << 20, .payloads = true
	};
	struct perfdata_rewrite_options own = *how;
	struct perfdata_rewriter *rewriter;
	struct perfdata_reader *reader;
	bool ok = false;

	own.write = take_bytes;
	own.write_user = out;
	own.on_message = read_message;
	own.max_spool = 64 << 20;
	if (perfdata_rewriter_new(&own, &rewriter, NULL) != PERFDATA_OK)
		return false;
	if ((own.anonymize || own.repair) &&
	    open_memory(data, size, NULL, &options, &reader, NULL) == PERFDATA_OK) {
		(void)perfdata_rewriter_survey(rewriter, reader);
		perfdata_reader_close(reader);
	}
	if (open_memory(data, size, NULL, &options, &reader, NULL) == PERFDATA_OK) {
		ok = perfdata_rewriter_copy(rewriter, reader) == PERFDATA_OK &&
		     perfdata_rewriter_finish(rewriter) == PERFDATA_OK;
		perfdata_reader_close(reader);
	}
	perfdata_rewriter_free(rewriter);
	return ok;
}

/* With itself and with a part of itself. */
static bool merge(const uint8_t *data, size_t size, const struct perfdata_rewrite_options *how,
		  struct perfdata_text *out)
{
	enum { INPUTS = 3 };
	const struct perfdata_reader_options options = {
		.size = sizeof options, .order = PERFDATA_ORDER_TIME, .max_ratio = 1000, .max_spool = 64 << 20
	};
	struct perfdata_rewrite_options own = *how;
	struct perfdata_reader *readers[2 * INPUTS] = { NULL };
	struct perfdata_rewriter *rewriter;
	bool ok = true;

	own.write = take_bytes;
	own.write_user = out;
	own.on_message = read_message;
	own.max_spool = 64 << 20;
	if (perfdata_rewriter_new(&own, &rewriter, NULL) != PERFDATA_OK)
		return false;
	for (unsigned i = 0; i < 2 * INPUTS && ok; i++)
		ok = open_memory(data, i % INPUTS == 2 ? size - size / 3 : size, NULL, &options,
						 &readers[i], NULL) == PERFDATA_OK &&
		     (i >= INPUTS || perfdata_rewriter_add(rewriter, readers[i]) == PERFDATA_OK);
	ok = ok && perfdata_rewriter_merge(rewriter, readers + INPUTS, INPUTS) == PERFDATA_OK &&
	     perfdata_rewriter_finish(rewriter) == PERFDATA_OK;
	perfdata_rewriter_free(rewriter);
	for (unsigned i = 0; i < 2 * INPUTS; i++)
		perfdata_reader_close(readers[i]);
	return ok;
}

/* The number of its samples that are whole: others may be in compressed records that were copied unchanged. */
static uint64_t read_whole(const struct perfdata_text *text, bool *ret_complete)
{
	struct perfdata_reader *reader;
	struct perfdata_record record;
	const struct perfdata_raw *raw;
	uint64_t samples = 0;

	fuzz_require(open_memory(text->data, text->size, NULL, NULL, &reader, NULL) == PERFDATA_OK,
		     "what was written is no recording");
	while (perfdata_reader_next(reader, &raw) == PERFDATA_OK)
		samples += raw->type == PERFDATA_RECORD_SAMPLE &&
			   perfdata_raw_decode(reader, raw, &record) == PERFDATA_OK;
	*ret_complete = perfdata_reader_complete(reader);
	perfdata_reader_close(reader);
	return samples;
}

/* Where events have their ids at different places in samples, the event of a sample may depend on earlier records: an
 * attr that comes late in a stream is the first one of a file. perf refuses such recordings. */
static bool have_ids_alike(const struct perfdata_text *text)
{
	struct perfdata_reader *reader;
	bool alike = true;

	if (open_memory(text->data, text->size, NULL, NULL, &reader, NULL) != PERFDATA_OK)
		return false;
	for (size_t i = 0; i < perfdata_reader_nr_events(reader); i++) {
		const uint64_t first = perfdata_reader_event(reader, 0)->attr->sample_type;
		const uint64_t other = perfdata_reader_event(reader, i)->attr->sample_type;
		alike = alike && (first == other || first & other & PERFDATA_SAMPLE_IDENTIFIER);
	}
	perfdata_reader_close(reader);
	return alike;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct perfdata_anonymize_options anonymize = { .size = sizeof anonymize, .key = "0123456789abcdef" };
	struct perfdata_rewrite_options how = { .size = sizeof how };
	struct perfdata_text out, again;
	bool complete;

	if (size < 16)
		return 0;
	const uint8_t choice = data[--size];
	perfdata_text_init(&out);
	perfdata_text_init(&again);
	how.form = choice & 1   ? PERFDATA_REWRITE_TO_FILE
		   : choice & 2 ? PERFDATA_REWRITE_TO_STREAM
				: PERFDATA_REWRITE_AS_INPUT;
	how.order = !(choice & 4)  ? PERFDATA_REWRITE_SAME_ORDER
		    : choice & 32 ? PERFDATA_REWRITE_LITTLE_ENDIAN
				  : PERFDATA_REWRITE_BIG_ENDIAN;
	how.packing = choice & 8 ? PERFDATA_REWRITE_COMPRESSED : PERFDATA_REWRITE_SAME_PACKING;
	how.for_old = choice & 16;
	if (write_again(data, size, &how, PERFDATA_ORDER_FILE, &out)) {
		const uint64_t samples = read_whole(&out, &complete);
		how.order = choice & 32 ? PERFDATA_REWRITE_BIG_ENDIAN : PERFDATA_REWRITE_LITTLE_ENDIAN;
		if (complete && have_ids_alike(&out) &&
		    write_again((const uint8_t *)out.data, out.size, &how, PERFDATA_ORDER_FILE, &again))
			fuzz_require(read_whole(&again, &complete) == samples && complete,
				     "turning the byte order loses samples");
	}
	perfdata_text_clear(&out);
	perfdata_text_clear(&again);
	if (merge(data, size, &how, &out))
		(void)read_whole(&out, &complete);
	perfdata_text_clear(&out);

	how = (struct perfdata_rewrite_options){ .size = sizeof how, .form = PERFDATA_REWRITE_TO_FILE, .repair = true };
	if (write_again(data, size, &how, PERFDATA_ORDER_FILE, &out)) {
		const uint64_t samples = read_whole(&out, &complete);
		bool still;
		fuzz_require(complete, "what was repaired is damaged");
		fuzz_require(write_again((const uint8_t *)out.data, out.size, &how, PERFDATA_ORDER_FILE, &again),
			     "what was repaired cannot be read again");
		fuzz_require((read_whole(&again, &still) == samples || !have_ids_alike(&out)) && still,
			     "repairing twice loses samples");
	}
	perfdata_text_clear(&out);

	how = (struct perfdata_rewrite_options){ .size = sizeof how,
						 .form = PERFDATA_REWRITE_TO_FILE,
						 .anonymize = &anonymize };
	if (write_again(data, size, &how, PERFDATA_ORDER_TIME, &out))
		(void)read_whole(&out, &complete);
	perfdata_text_release(&out);
	perfdata_text_release(&again);
	return 0;
}
