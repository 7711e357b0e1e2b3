/* SPDX-License-Identifier: MIT */
/* perfdata_convert and what emitters may do with their outputs, over a real recording: blocks, encoding, several
 * outputs, several emitters; inputs and outputs by functions; the registry; cancelling. */
#define _GNU_SOURCE
#include "config.h"
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "perfdata/convert.h"
#include "emit/emitters.h"
#include "reader/reader.h"
#include "run/run.h"
#include "unit.h"

static char recording[4096];
static char folder[] = "/tmp/unit_convert.XXXXXX";

/* --- an emitter that does everything ------------------------------------------------------------------------------ */

#define HEAD 16
#define MOST_WORK 4096

static struct {
	int destroyed, works;
	size_t nr_placed;
	uint64_t placed[MOST_WORK][2];   /* offset, size */
} seen;

struct maker {
	bool cuts, encodes;
	unsigned odd, even;              /* outputs; 0: none */
	uint64_t batches;
};

static const struct perfdata_emitter_option maker_options[] = {
	{ "cut", PERFDATA_OPTION_FLAG, 0, NULL, "" }, { "encode", PERFDATA_OPTION_FLAG, 0, NULL, "" },
	{ "split", PERFDATA_OPTION_FLAG, 0, NULL, "" },
	{ "level", PERFDATA_OPTION_NUMBER, 0, "N", "" }, { "size", PERFDATA_OPTION_NUMBER, 0, "SIZE", "" },
	{ "way", PERFDATA_OPTION_CHOICE, 0, "up|down", "" }, { 0 },
};

/* 40 lines of 500 bytes for each record: far more than a block for each batch. */
static enum perfdata_status maker_format(const void *state, const struct perfdata_batch *batch, void *value,
					 struct perfdata_scratch *scratch, struct perfdata_text *out, void **ret_part)
{
	const struct maker *maker = state;
	(void)value;
	(void)scratch;
	for (size_t i = 0; i < batch->nr_records; i++) {
		const uint64_t number = perfdata_batch_record(batch, i)->number;
		struct perfdata_text *to = maker->odd ? pd_emit_text(out, number % 2 ? maker->odd : maker->even)
						      : out;
		for (unsigned line = 0; to && line < 40; line++) {
			perfdata_text_u64(to, number);
			perfdata_text_fill(to, (char)('a' + line % 26), 500);
			perfdata_text_char(to, '\n');
			if (maker->cuts)
				perfdata_text_cut(to);
		}
		if (!to)
			return PERFDATA_ENOMEM;
	}
	*ret_part = calloc(1, 1);
	return PERFDATA_OK;
}

static enum perfdata_status maker_merge(void *state, void *part, struct perfdata_text *out)
{
	struct maker *maker = state;
	free(part);
	maker->batches++;
	if (!maker->encodes)
		return PERFDATA_OK;
	uint64_t *work = malloc(sizeof *work);
	*work = maker->batches;
	perfdata_text_literal(out, "<");
	const enum perfdata_status status = pd_emit_encode(out, work);
	perfdata_text_literal(out, ">\n");
	return status;
}

static enum perfdata_status maker_encode(const void *state, void *work, struct perfdata_scratch *scratch,
					 struct perfdata_text *out)
{
	(void)state;
	perfdata_text_clear(&scratch->text);
	perfdata_text_literal(&scratch->text, "work ");
	perfdata_text_u64(&scratch->text, *(const uint64_t *)work);
	perfdata_text_append(out, scratch->text.data, scratch->text.size);
	return PERFDATA_OK;
}

static enum perfdata_status maker_placed(void *state, void *work, unsigned output, uint64_t offset, uint64_t size)
{
	(void)state;
	CHECK_EQ(*(const uint64_t *)work, seen.nr_placed + 1);
	CHECK_EQ(output, 0);
	if (seen.nr_placed < MOST_WORK) {
		seen.placed[seen.nr_placed][0] = offset;
		seen.placed[seen.nr_placed][1] = size;
	}
	seen.nr_placed++;
	return PERFDATA_OK;
}

static void maker_free_work(void *work)
{
	seen.works++;
	free(work);
}

static enum perfdata_status maker_end(void *state, const struct perfdata_emit_end *end, struct perfdata_text *out)
{
	(void)state;
	(void)end;
	for (unsigned i = 0; i < 3000; i++) {
		perfdata_text_fill(out, 'z', 300);
		perfdata_text_char(out, '\n');
		perfdata_text_cut(out);
	}
	return PERFDATA_OK;
}

static const struct pd_encoding maker_encoding = {
	.encode = maker_encode,
	.placed = maker_placed,
	.free_work = maker_free_work,
};
static enum perfdata_status maker_begin(const struct perfdata_emit_context *context, void **ret_state,
					struct perfdata_text *out)
{
	struct maker *maker = calloc(1, sizeof *maker);
	maker->cuts = perfdata_option_flag(context->options, context->nr_options, "cut", false);
	maker->encodes = perfdata_option_flag(context->options, context->nr_options, "encode", false);
	enum perfdata_status status = PERFDATA_OK;
	if (perfdata_option_flag(context->options, context->nr_options, "split", false)) {
		status = pd_outputs_open(context->outputs, "odd", &maker->odd, context->reterr);
		if (!status)
			status = pd_outputs_open(context->outputs, "even", &maker->even, context->reterr);
	}
	pd_outputs_encode_by(context->outputs, &maker_encoding);
	perfdata_text_fill(out, '-', HEAD);
	*ret_state = maker;
	if (status)
		free(maker);
	return status;
}

static void maker_destroy(void *user) { ++*(int *)user; }

static const struct perfdata_emitter maker = {
	.abi = PERFDATA_EMITTER_ABI,
	.size = sizeof(struct perfdata_emitter),
	.name = "maker",
	.help = "",
	.suffix = "tab",
	.needs = PERFDATA_NEED_RECORDS,
	.options = maker_options,
	.option_size = sizeof *maker_options,
	.user = &seen.destroyed,
	.destroy = maker_destroy,
	.begin = maker_begin,
	.format = maker_format,
	.merge = maker_merge,
	.end = maker_end,
	.free_part = free,
	.release = free,
};

static struct perfdata_registry *registry;

/* --- helpers ------------------------------------------------------------------------------------------------------ */

struct made {
	enum perfdata_status status;
	struct perfdata_error error;
	struct perfdata_output *output;
	struct perfdata_bytes bytes;
};

/* Into memory; close made.output. `options` are names of flags, NULL at the end. */
static struct made make(const char *format, unsigned jobs, const char *const *flags)
{
	struct perfdata_setting settings[8];
	struct perfdata_convert_options options = {
		.size = sizeof options, .registry = registry, .jobs = jobs, .names = PERFDATA_NO
	};
	for (; flags && flags[options.nr_settings]; options.nr_settings++)
		settings[options.nr_settings] = (struct perfdata_setting){ flags[options.nr_settings], NULL };
	options.settings = settings;
	struct perfdata_input *input = perfdata_input_path(recording);
	struct made made = { .output = perfdata_output_memory() };
	made.status = perfdata_convert(input, made.output, format, &options, NULL, &made.error);
	made.bytes = perfdata_output_bytes(made.output);
	perfdata_input_free(input);
	return made;
}

static bool same(struct perfdata_bytes a, struct perfdata_bytes b)
{
	return a.size == b.size && a.size && !memcmp(a.data, b.data, a.size);
}

/* --- cases -------------------------------------------------------------------------------------------------------- */

static void blocks(void)
{
	const struct made whole = make("maker", 1, NULL);
	CHECK_EQ(whole.status, PERFDATA_OK);
	CHECK(whole.bytes.size > 4 << 20);
	for (unsigned jobs = 1; jobs <= 5; jobs++) {
		const struct made cut = make("maker", jobs, (const char *const[]){ "cut", NULL });
		CHECK_EQ(cut.status, PERFDATA_OK);
		CHECK(same(whole.bytes, cut.bytes));
		perfdata_output_close(cut.output, true, NULL);
	}
	perfdata_output_close(whole.output, true, NULL);
}

static void encoding(void)
{
	struct made first = { 0 };
	for (unsigned jobs = 1; jobs <= 5; jobs++) {
		memset(&seen, 0, sizeof seen);
		const struct made made = make("maker", jobs, (const char *const[]){ "encode", "cut", NULL });
		CHECK_EQ(made.status, PERFDATA_OK);
		CHECK(seen.nr_placed > 0 && (size_t)seen.works == seen.nr_placed);
		for (size_t i = 0; i < seen.nr_placed && i < MOST_WORK; i++) {
			char text[32];
			const size_t size = (size_t)snprintf(text, sizeof text, "work %zu", i + 1);
			CHECK_EQ(seen.placed[i][1], size);
			CHECK(seen.placed[i][0] + size < made.bytes.size &&
			      !memcmp(made.bytes.data + seen.placed[i][0], text, size) &&
			      made.bytes.data[seen.placed[i][0] - 1] == '<' &&
			      made.bytes.data[seen.placed[i][0] + size] == '>');
		}
		if (jobs == 1) {
			first = made;
			continue;
		}
		CHECK(same(first.bytes, made.bytes));
		perfdata_output_close(made.output, true, NULL);
	}
	perfdata_output_close(first.output, true, NULL);
}

static int refuse(void *user, const void *bytes, size_t size)
{
	(void)user;
	(void)bytes;
	(void)size;
	return ENOSPC;
}

/* --- several outputs --- */

#define MOST_PARTS 4
struct parts {
	struct part { struct parts *all; char name[16]; struct perfdata_text text; int closed; } part[MOST_PARTS];
	unsigned nr;
};
static int part_write(void *user, const void *bytes, size_t size)
{
	perfdata_text_append(&((struct part *)user)->text, bytes, size);
	return 0;
}
static int part_open(void *user, const char *name, void **ret_user)
{
	struct parts *parts = ((struct part *)user)->all;
	if (parts->nr == MOST_PARTS)
		return EMFILE;
	struct part *part = &parts->part[parts->nr++];
	part->all = parts;
	snprintf(part->name, sizeof part->name, "%s", name);
	*ret_user = part;
	return 0;
}
static int part_close(void *user, bool keep)
{
	((struct part *)user)->closed += keep ? 1 : 100;
	return 0;
}
static const struct perfdata_output_callbacks part_calls = {
	.size = sizeof part_calls, .write = part_write, .open = part_open, .close = part_close,
};

static enum perfdata_status split(struct perfdata_output *output, unsigned jobs, struct perfdata_error *error)
{
	const struct perfdata_setting settings[] = { { "split", NULL }, { "cut", NULL } };
	const struct perfdata_convert_options options = {
		.size = sizeof options, .registry = registry, .settings = settings, .nr_settings = 2, .jobs = jobs
	};
	struct perfdata_input *input = perfdata_input_path(recording);
	const enum perfdata_status status = perfdata_convert(input, output, "maker", &options, NULL, error);
	perfdata_input_free(input);
	return status;
}

static void several_outputs(void)
{
	struct parts first = { 0 };
	struct perfdata_error error;
	for (unsigned jobs = 1; jobs <= 4; jobs++) {
		struct parts parts = { .nr = 1 };
		parts.part[0].all = &parts;
		struct perfdata_output *output = perfdata_output_callbacks(&part_calls, &parts.part[0]);
		CHECK_EQ(split(output, jobs, &error), PERFDATA_OK);
		CHECK_EQ(perfdata_output_close(output, true, NULL), PERFDATA_OK);
		CHECK_EQ(parts.nr, 3);
		CHECK_STR(parts.part[1].name, "odd");
		CHECK_STR(parts.part[2].name, "even");
		for (unsigned i = 0; i < 3; i++) {
			CHECK_EQ(parts.part[i].closed, 1);
			CHECK(parts.part[i].text.size > 0);
			if (jobs > 1)
				CHECK(parts.part[i].text.size == first.part[i].text.size &&
				      !memcmp(parts.part[i].text.data, first.part[i].text.data,
					      parts.part[i].text.size));
		}
		if (jobs == 1)
			first = parts;
		for (unsigned i = 0; jobs > 1 && i < 3; i++)
			perfdata_text_release(&parts.part[i].text);
	}
	for (unsigned i = 0; i < 3; i++)
		perfdata_text_release(&first.part[i].text);
	/* one stream cannot hold them */
	struct perfdata_output *memory = perfdata_output_memory();
	CHECK_EQ(split(memory, 1, &error), PERFDATA_EUSAGE);
	CHECK(strstr(error.message, "several outputs") != NULL);
	perfdata_output_close(memory, false, NULL);
}

static void outputs_beside_a_path(void)
{
	static const char *const names[] = { "x.tab", "x.odd.tab", "x.even.tab" };
	char path[256];
	struct perfdata_error error;
	struct stat st;
	for (int keep = 0; keep < 2; keep++) {
		snprintf(path, sizeof path, "%s/x.tab", folder);
		struct perfdata_output *output = perfdata_output_path(path, 0);
		CHECK_EQ(split(output, 2, &error), PERFDATA_OK);
		CHECK_EQ(perfdata_output_close(output, keep, &error), PERFDATA_OK);
		for (size_t i = 0; i < 3; i++) {
			snprintf(path, sizeof path, "%s/%s", folder, names[i]);
			CHECK_EQ(stat(path, &st) == 0 && st.st_size > 0, keep);
			unlink(path);
		}
	}
}

/* --- several emitters --- */

static void several_emitters(void)
{
	static const char *const formats[] = { "ndjson", "folded", "csv", "script", "maker" };
	enum { NR = 5 };
	for (unsigned jobs = 1; jobs <= 4; jobs++) {
		struct perfdata_conversion conversions[NR];
		const struct perfdata_conversion *pointers[NR];
		struct perfdata_error error = { 0 };
		for (size_t i = 0; i < NR; i++) {
			conversions[i] = (struct perfdata_conversion){ .size = sizeof conversions[i],
								       .format = formats[i],
								       .output = perfdata_output_memory() };
			pointers[i] = &conversions[i];
		}
		struct perfdata_input *input = perfdata_input_path(recording);
		const struct perfdata_convert_options options = {
			.size = sizeof options, .registry = registry, .jobs = jobs, .names = PERFDATA_NO
		};
		CHECK_EQ(perfdata_convert_several(input, pointers, NR, &options, NULL, &error), PERFDATA_OK);
		for (size_t i = 0; i < NR; i++) {
			const struct made alone = make(formats[i], 1, NULL);
			if (!same(alone.bytes, perfdata_output_bytes(conversions[i].output)))
				printf("# %s, %u jobs\n", formats[i], jobs);
			CHECK(same(alone.bytes, perfdata_output_bytes(conversions[i].output)));
			perfdata_output_close(alone.output, true, NULL);
			perfdata_output_close(conversions[i].output, true, NULL);
		}
		perfdata_input_free(input);
	}
}

/* --- damage inside records --- */

/* Damage that formatting finds counts in the summary of the result as in the document, also after a further answer. */
static void damaged_records(void)
{
	static const char *const formats[] = { "ndjson", "folded", "report" };
	char path[sizeof recording];
	snprintf(path, sizeof path, "%.*s/bad-callchain-count.data", (int)(strrchr(recording, '/') - recording),
		 recording);
	for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
		struct perfdata_input *input = perfdata_input_path(path);
		struct perfdata_output *output = perfdata_output_memory(), *further = perfdata_output_memory();
		const struct perfdata_convert_options options = {
			.size = sizeof options, .names = PERFDATA_NO, .keep = true
		};
		const struct perfdata_conversion question = {
			.size = sizeof question, .format = "report", .output = further
		};
		struct perfdata_result *result = NULL;
		struct perfdata_error error = { 0 };
		CHECK_EQ(perfdata_convert(input, output, formats[i], &options, &result, &error), PERFDATA_OK);
		CHECK(!perfdata_result_summary(result)->complete);
		CHECK_EQ(perfdata_result_summary(result)->records, 57);
		CHECK_EQ(perfdata_result_ask(result, &question, NULL, &error),
			 strcmp(formats[i], "report") ? PERFDATA_ABSENT : PERFDATA_OK);
		CHECK(!perfdata_result_summary(result)->complete);
		CHECK(perfdata_result_summary(result)->nr_types > 5);
		perfdata_result_free(result);
		perfdata_output_close(further, true, NULL);
		perfdata_output_close(output, true, NULL);
		perfdata_input_free(input);
	}
}

/* --- inputs by functions --- */

struct source {
	FILE *file;
	size_t most;         /* bytes that a call gives */
	long fails_at;       /* number of the call that fails, from 0; -1: none */
	long calls;
	int closed;
};
static int source_read(void *user, void *buffer, size_t room, size_t *ret_got)
{
	struct source *source = user;
	if (source->calls++ == source->fails_at)
		return EIO;
	*ret_got = fread(buffer, 1, room < source->most ? room : source->most, source->file);
	return 0;
}
static int source_read_at(void *user, uint64_t offset, void *buffer, size_t room, size_t *ret_got)
{
	struct source *source = user;
	return fseek(source->file, (long)offset, SEEK_SET) ? errno : source_read(user, buffer, room, ret_got);
}
static int source_length(void *user, uint64_t *ret_bytes)
{
	struct source *source = user;
	struct stat st;
	*ret_bytes = fstat(fileno(source->file), &st) ? 0 : (uint64_t)st.st_size;
	return 0;
}
static void source_close(void *user) { ((struct source *)user)->closed++; }

static enum perfdata_status read_source(struct source *source, bool seeks, struct perfdata_output *output,
					struct perfdata_error *error)
{
	struct perfdata_input_callbacks calls = { .size = sizeof calls, .read = source_read, .close = source_close };
	if (seeks) {
		calls.read_at = source_read_at;
		calls.length = source_length;
	}
	source->file = fopen(recording, "rb");
	struct perfdata_input *input = perfdata_input_callbacks(&calls, source, recording);
	const struct perfdata_convert_options options = { .size = sizeof options, .names = PERFDATA_NO };
	const enum perfdata_status status = perfdata_convert(input, output, "dump", &options, NULL, error);
	perfdata_input_free(input);
	fclose(source->file);
	return status;
}

static void inputs(void)
{
	struct perfdata_error error;
	const struct made expected = make("dump", 1, NULL);
	for (unsigned way = 0; way < 6; way++) {
		struct source source = { .most = way < 2 ? 1 : way < 4 ? 1000 : SIZE_MAX, .fails_at = -1 };
		struct perfdata_output *output = perfdata_output_memory();
		CHECK_EQ(read_source(&source, way % 2, output, &error), PERFDATA_OK);
		CHECK_EQ(source.closed, 1);
		if (way % 2)
			CHECK(same(expected.bytes, perfdata_output_bytes(output)));
		perfdata_output_close(output, true, NULL);
	}
	for (long at = 0; at < 3; at++) {
		struct source source = { .most = 1000, .fails_at = at };
		struct perfdata_output *output = perfdata_output_memory();
		const enum perfdata_status status = read_source(&source, false, output, &error);
		/* the first two reads give the magic; of the rest, the output has what could be read */
		CHECK_EQ(status, PERFDATA_EREAD);
		CHECK_EQ(error.os_error, EIO);
		CHECK((perfdata_output_bytes(output).size > 0) == (at >= 2));
		perfdata_output_close(output, false, NULL);
	}
	for (unsigned way = 0; way < 2; way++) {   /* both or none */
		struct source source = { .most = 1000, .fails_at = -1 };
		const struct perfdata_input_callbacks calls = {
			.size = sizeof calls, .read = source_read,
			.read_at = way ? source_read_at : NULL, .length = way ? NULL : source_length,
		};
		struct perfdata_input *input = perfdata_input_callbacks(&calls, &source, NULL);
		struct perfdata_reader *reader;
		CHECK_EQ(perfdata_reader_open(input, NULL, &reader, &error), PERFDATA_EUSAGE);
		perfdata_input_free(input);
	}
	perfdata_output_close(expected.output, true, NULL);
}

static void count_findings(void *user, const struct perfdata_finding *finding)
{
	unsigned *counts = user;
	counts[finding->code != PERFDATA_FINDING_READ_FAILED]++;
	if (finding->code != PERFDATA_FINDING_READ_FAILED)
		printf("# %s\n", finding->message);
}

/* A read that fails, of whatever part, is never taken for bytes that are not there. */
static void failed_reads(void)
{
	static const struct perfdata_input_callbacks calls = { .size = sizeof calls, .read = source_read,
							       .read_at = source_read_at, .length = source_length };
	bool failed = true;
	long at = 0;
	for (; failed && at < 1000; at++) {
		struct source source = { .file = fopen(recording, "rb"), .most = SIZE_MAX, .fails_at = at };
		unsigned counts[2] = { 0 };
		const struct perfdata_reader_options options = { .size = sizeof options, .on_finding = count_findings,
								 .user = counts };
		struct perfdata_input *input = perfdata_input_callbacks(&calls, &source, recording);
		struct perfdata_reader *reader = NULL;
		struct perfdata_error error = { 0 };
		const struct perfdata_raw *raw;
		enum perfdata_status status = perfdata_reader_open(input, &options, &reader, &error);
		const bool opened = status == PERFDATA_OK;
		while (status == PERFDATA_OK)
			status = perfdata_reader_next(reader, &raw);
		if (opened)
			error = *perfdata_reader_error(reader);
		failed = source.calls > at;
		CHECK_EQ(status, failed ? PERFDATA_EREAD : PERFDATA_END);
		CHECK_EQ(error.os_error, failed ? EIO : 0);
		CHECK_EQ(counts[0], failed && at > 1 ? 1 : 0);   /* the first two reads give the magic */
		CHECK_EQ(counts[1], 0);
		perfdata_reader_close(reader);
		perfdata_input_free(input);
		fclose(source.file);
	}
	CHECK(at > 10 && !failed);
}

/* --- outputs that fail --- */

static void outputs_that_fail(void)
{
	const struct perfdata_output_callbacks calls = { .size = sizeof calls, .write = refuse };
	for (unsigned jobs = 1; jobs <= 3; jobs++) {
		const struct perfdata_convert_options options = { .size = sizeof options, .jobs = jobs };
		struct perfdata_error error = { 0 };
		struct perfdata_input *input = perfdata_input_path(recording);
		struct perfdata_output *output = perfdata_output_callbacks(&calls, NULL);
		CHECK_EQ(perfdata_convert(input, output, "ndjson", &options, NULL, &error), PERFDATA_EWRITE);
		CHECK(strstr(error.message, "No space") != NULL);
		CHECK_EQ(perfdata_output_close(output, false, NULL), PERFDATA_EWRITE);
		perfdata_input_free(input);
	}
	struct perfdata_output *output = perfdata_output_memory();
	CHECK_EQ(perfdata_output_write(output, "x", 1), PERFDATA_EUSAGE);
	perfdata_output_close(output, false, NULL);
}

/* --- what is said of wrong use --- */

static void check_message(const char *format, const char *name, const char *text, const char *expected)
{
	const struct perfdata_setting setting = { name, text };
	const struct perfdata_convert_options options = {
		.size = sizeof options, .registry = registry, .settings = &setting, .nr_settings = name ? 1 : 0
	};
	struct perfdata_error error = { 0 };
	struct perfdata_input *input = perfdata_input_path(recording);
	struct perfdata_output *output = perfdata_output_memory();
	CHECK_EQ(perfdata_convert(input, output, format, &options, NULL, &error), PERFDATA_EUSAGE);
	CHECK_STR(error.message, expected);
	perfdata_output_close(output, false, NULL);
	perfdata_input_free(input);
}

/* The library reads nothing beyond the size that the caller states, and says what is missing. */
static void incomplete_arguments(void)
{
	struct perfdata_input *input = perfdata_input_path(recording);
	struct perfdata_output *output = perfdata_output_memory();
	const struct perfdata_setting nameless = { NULL, "1" };
	const struct perfdata_convert_options wrong = { .size = sizeof wrong, .settings = &nameless, .nr_settings = 1 };
	struct perfdata_error error = { 0 };
	size_t *size = malloc(sizeof *size);   /* so that memory checkers see a read beyond it */
	for (*size = 0; *size <= sizeof *size; *size += sizeof *size)
		CHECK_EQ(perfdata_convert(input, output, "ndjson", (const void *)size, NULL, &error), PERFDATA_EUSAGE);
	free(size);
	CHECK_EQ(perfdata_convert(input, output, "ndjson", &wrong, NULL, &error), PERFDATA_EUSAGE);
	CHECK_STR(error.message, "option number 0 has no name");
	CHECK_EQ(perfdata_convert(input, output, NULL, NULL, NULL, &error), PERFDATA_EUSAGE);
	CHECK_EQ(perfdata_convert(input, NULL, "ndjson", NULL, NULL, &error), PERFDATA_EUSAGE);
	perfdata_output_close(output, false, NULL);
	perfdata_input_free(input);
}

static void wrong_use(void)
{
	check_message("ndjsn", NULL, NULL, "there is no format 'ndjsn'; did you mean ndjson?");
	check_message("maker", "levl", "1", "unknown option --levl; did you mean --level?");
	check_message("maker", "level", "much", "--level takes a number, not 'much'");
	check_message("maker", "size", "1X", "--size takes a number such as 64K, 100M or 1G, not '1X'");
	check_message("maker", "way", "left", "--way is one of up|down, not 'left'");
	check_message("maker", "way", NULL, "--way needs an argument: up|down");
	check_message("maker", "cut", "yes", "--cut takes no argument");
	check_message("folded", "weight", "x", "--weight is one of samples|period|wall|off-cpu|both, not 'x'");
}

static void registries(void)
{
	struct perfdata_registry *own = perfdata_registry_new();
	struct perfdata_error error;
	struct perfdata_emitter other = maker;
	static const struct perfdata_option_rule rule = { .name = "level" };
	int destroyed = 0;
	other.user = &destroyed;
	/* of an older version: what it does not know is not there */
	other.option_rules = &rule;
	other.size = offsetof(struct perfdata_emitter, option_rules);
	CHECK_EQ(pd_registry_add(own, &other, &error), PERFDATA_OK);
	CHECK(perfdata_registry_find(own, "maker") && !perfdata_registry_find(own, "maker")->option_rules);
	CHECK(perfdata_registry_find(NULL, "maker") == NULL);
	CHECK(perfdata_registry_find(own, "ndjson") == perfdata_registry_find(NULL, "ndjson"));
	size_t nr = 0;
	while (perfdata_registry_at(own, nr))
		nr++;
	CHECK_STR(perfdata_registry_at(own, nr - 1)->name, "maker");
	CHECK(perfdata_registry_at(NULL, nr - 1) == NULL);
	/* a table that is refused is destroyed as far as it is known */
	other.format = NULL;
	CHECK_EQ(pd_registry_add(own, &other, &error), PERFDATA_EUSAGE);
	CHECK_EQ(destroyed, 1);
	other.size = 16;
	CHECK_EQ(pd_registry_add(own, &other, &error), PERFDATA_EUSAGE);
	other.abi++;
	CHECK_EQ(pd_registry_add(own, &other, &error), PERFDATA_EUSAGE);
	CHECK_EQ(destroyed, 1);
	CHECK_EQ(perfdata_registry_load(own, "/nowhere/at/all.so", NULL, &error), PERFDATA_EUSAGE);
	perfdata_registry_free(own);
	CHECK_EQ(destroyed, 2);
}

/* --- cancelling --- */

static void *cancel_later(void *cancel)
{
	usleep(50000);
	perfdata_cancel_now(cancel);
	return NULL;
}

/* A pipe whose writer says nothing more: only cancelling ends the wait. */
static void cancelling(void)
{
	struct perfdata_cancel *cancel = perfdata_cancel_new();
	const struct perfdata_reader_options reader = { .size = sizeof reader, .cancel = cancel };
	const struct perfdata_convert_options options = { .size = sizeof options, .reader = &reader };
	struct perfdata_error error = { 0 };
	pthread_t thread;
	int fds[2];
	CHECK_EQ(pipe(fds), 0);
	CHECK_EQ(write(fds[1], "PERFILE2\x10\0\0\0\0\0\0\0", 16), 16);
	CHECK_EQ(pthread_create(&thread, NULL, cancel_later, cancel), 0);
	struct perfdata_input *input = perfdata_input_fd(fds[0], "a pipe");
	struct perfdata_output *output = perfdata_output_memory();
	CHECK_EQ(perfdata_convert(input, output, "ndjson", &options, NULL, &error), PERFDATA_EINTR);
	perfdata_output_close(output, false, NULL);
	perfdata_input_free(input);
	pthread_join(thread, NULL);
	perfdata_cancel_free(cancel);
	close(fds[0]);
	close(fds[1]);
}

static struct {
	const struct perfdata_emitter *emitter;
	struct perfdata_cancel *cancel;   /* or NULL */
	enum perfdata_status status;
} watched;

/* The end of the watched emitter, cancelled where it begins. */
static enum perfdata_status watched_end(void *state, const struct perfdata_emit_end *end, struct perfdata_text *out)
{
	if (watched.cancel)
		perfdata_cancel_now(watched.cancel);
	return watched.status = watched.emitter->end(state, end, out);
}

/* How many bytes a file of the format takes. */
static uint64_t bytes_of_file(const char *format, bool cancelled)
{
	char path[128];
	struct perfdata_cancel *cancel = perfdata_cancel_new();
	struct perfdata_registry *own = perfdata_registry_new();
	const struct perfdata_reader_options reader = { .size = sizeof reader, .cancel = cancel };
	const struct perfdata_convert_options options = { .size = sizeof options, .reader = &reader, .registry = own };
	struct perfdata_error error = { 0 };
	watched.emitter = perfdata_registry_find(NULL, format);
	watched.cancel = cancelled ? cancel : NULL;
	struct perfdata_emitter watching = *watched.emitter;
	watching.name = "watched";
	watching.end = watched_end;
	CHECK_EQ(pd_registry_add(own, &watching, &error), PERFDATA_OK);
	snprintf(path, sizeof path, "%s/cancelled", folder);
	struct perfdata_input *input = perfdata_input_path(recording);
	struct perfdata_output *output = perfdata_output_path(path, 0);
	const enum perfdata_status expected = cancelled ? PERFDATA_EINTR : PERFDATA_OK;
	CHECK_EQ(perfdata_convert(input, output, "watched", &options, NULL, &error), expected);
	CHECK_EQ(watched.status, expected);
	const uint64_t bytes = pd_output_written(output);
	CHECK_EQ(perfdata_output_close(output, true, NULL), expected);
	CHECK_EQ(unlink(path), cancelled ? -1 : 0);
	perfdata_input_free(input);
	perfdata_registry_free(own);
	perfdata_cancel_free(cancel);
	return bytes;
}

/* Emitters that sum samples write everything at the end. If the file is not kept, they leave their loops and write
 * nothing. */
static void cancelled_at_the_end(void)
{
	static const char *const formats[] = { "folded", "report", "callgrind", "pprof", "otlp", "flamegraph",
					       "firefox", "speedscope", "annotate", "baseline" };
	for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
		CHECK(bytes_of_file(formats[i], false) > 0);
		CHECK_EQ(bytes_of_file(formats[i], true), 0);
	}
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "text that leaves in blocks is the same", blocks },
		{ "work is encoded in any thread, and written in order", encoding },
		{ "several outputs by functions", several_outputs },
		{ "several outputs beside a path", outputs_beside_a_path },
		{ "several emitters in one pass", several_emitters },
		{ "damage inside records counts in summaries", damaged_records },
		{ "inputs by functions", inputs },
		{ "reads that fail, one after the other", failed_reads },
		{ "outputs that fail", outputs_that_fail },
		{ "what is said of wrong use", wrong_use },
		{ "arguments that are incomplete", incomplete_arguments },
		{ "registries", registries },
		{ "cancelling wakes who waits for a pipe", cancelling },
		{ "a file that is given up gets nothing more", cancelled_at_the_end },
	};
	const char *top = getenv("top_srcdir");
	snprintf(recording, sizeof recording, "%s/testdata/zstd-73.data", top ? top : "..");
	registry = perfdata_registry_new();
	if (!mkdtemp(folder) || !registry || pd_registry_add(registry, &maker, NULL) != PERFDATA_OK)
		return 1;
	const int result = unit_main(cases, sizeof cases / sizeof *cases);
	perfdata_registry_free(registry);
	rmdir(folder);
	return result;
}
