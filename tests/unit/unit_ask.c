/* SPDX-License-Identifier: MIT */
/* perfdata_result_ask: from what one conversion kept come the bytes of a conversion that reads the recording, for all
 * threads and for one. Arguments: recordings instead of those of the tests. */
#define _GNU_SOURCE
#include "config.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "alloc_fail.h"
#include "perfdata/convert.h"
#include "unit.h"

enum { MOST_TIDS = 3 };

struct question {
	const char *format;
	struct perfdata_setting settings[4];
	bool has_counts;             /* of records and times of the whole recording */
};

/* Rows of CSV say what JSON says, without the head. */
static const struct question questions[] = {
	{ "report", { { "json", NULL } }, true },
	{ "report", { { "csv", NULL }, { "by", "symbol" } }, false },
	{ "report", { { "csv", NULL }, { "by", "symbol" }, { "sort", "total" } }, false },
	{ "report", { { "top", "0" } }, false },
	{ "report", { { "csv", NULL }, { "by", "dso" } }, false },
	{ "report", { { "csv", NULL }, { "by", "line" } }, false },
	{ "report", { { "csv", NULL }, { "by", "thread" } }, false },
	{ "report", { { "csv", NULL }, { "by", "process,dso" } }, false },
	{ "report", { { "csv", NULL }, { "by", "comm,symbol" } }, false },
	{ "report", { { "csv", NULL }, { "by", "comm" }, { "comm-names", "last" } }, false },
	{ "report", { { "csv", NULL }, { "by", "event" } }, false },
	{ "report", { { "tree", NULL } }, false },
	{ "report", { { "callers", "w*" }, { "min-percent", "0" } }, false },
	{ "report", { { "callees", "m*" }, { "inline", "no" } }, false },
	{ "report", { { "tree", NULL }, { "through", "m*" } }, false },
	{ "report", { { "csv", NULL }, { "not-through", "m*" } }, false },
	{ "report", { { "tree", NULL }, { "root", "w*" } }, false },
	{ "annotate", { { "top", "0" } }, false },
	{ "annotate", { { "top", "0" }, { "json", NULL } }, true },
	{ "annotate", { { "symbol", "w*" }, { "through", "m*" } }, false },
};
#define NR_QUESTIONS (sizeof questions / sizeof *questions)

static const struct question unanswered[] = {
	{ "report", { { "by", "cpu" } }, false },
	{ "report", { { "weight", "samples" } }, false },
	{ "report", { { "by", "state" }, { "weight", "off-cpu" } }, false },
	{ "report", { { "spans", "syscall" } }, false },
	{ "folded", { { NULL, NULL } }, false },
};

static const char *const of_tests[] = { "callgraph-73.data", "kinds-73.data", "trace-73.data",
					"stream-73.pipe", "dwarf-73.data", "branches-hot.data", "bad-record-size.data",
					"spans/wide.data", "simpleperf/stacks.data" };

static int nr_given;
static char **given;

static size_t nr_settings(const struct question *question)
{
	size_t nr = 0;
	while (nr < 4 && question->settings[nr].name)
		nr++;
	return nr;
}

static char *text_of(struct perfdata_output *output)
{
	const struct perfdata_bytes bytes = perfdata_output_bytes(output);
	char *text = strndup(bytes.size ? (const char *)bytes.data : "", bytes.size);
	perfdata_output_close(output, false, NULL);
	return text;
}

/* NULL: the conversion failed. */
static char *read_again(const char *path, const struct question *question, const int32_t *tid,
			struct perfdata_result **ret_kept)
{
	const struct perfdata_filter filter = { .size = sizeof filter, .tids = tid, .nr_tids = tid != NULL };
	/* unpacking debug information of the C library takes longer than all else; given recordings may have it */
	static const char *const nowhere[] = { "/nonexistent" };
	const struct perfdata_symbols_options symbols = { .size = sizeof symbols, .debug_dirs = nowhere,
							  .debug_dir_count = nr_given == 0 };
	const struct perfdata_convert_options how = { .size = sizeof how, .symbols = &symbols,
						      .settings = question->settings,
						      .nr_settings = nr_settings(question), .filter = &filter,
						      .jobs = 1, .keep = ret_kept };
	struct perfdata_input *input = perfdata_input_path(path);
	struct perfdata_output *output = perfdata_output_memory();
	const enum perfdata_status status = perfdata_convert(input, output, question->format, &how, ret_kept, NULL);
	char *text = text_of(output);
	perfdata_input_free(input);
	if (status == PERFDATA_OK)
		return text;
	free(text);
	return NULL;
}

static enum perfdata_status ask_kept(struct perfdata_result *kept, const struct question *question, const int32_t *tid,
				     char **ret)
{
	struct perfdata_output *output = perfdata_output_memory();
	*ret = NULL;
	if (!output)
		return PERFDATA_ENOMEM;
	const struct perfdata_conversion conversion = { .size = sizeof conversion, .format = question->format,
							.settings = question->settings,
							.nr_settings = nr_settings(question), .output = output };
	const struct perfdata_ask_options how = { .size = sizeof how, .tids = tid, .nr_tids = tid != NULL, .jobs = 1 };
	const enum perfdata_status status = perfdata_result_ask(kept, &conversion, &how, NULL);
	*ret = text_of(output);
	return status;
}

/* Takes the tids of a list of threads. */
static size_t take_tids(const char *csv, int32_t tids[MOST_TIDS])
{
	size_t nr = 0;
	for (const char *line = strchr(csv, '\n'); line && nr < MOST_TIDS; line = strchr(line + 1, '\n')) {
		int32_t pid, tid;
		const char *comma = strchr(line, ',');
		comma = comma ? strchr(comma + 1, ',') : NULL;
		if (comma && sscanf(comma + 1, "%" SCNd32 ",%" SCNd32, &pid, &tid) == 2)
			tids[nr++] = tid;
	}
	return nr;
}

static void print_question(const char *path, const struct question *question, const int32_t *tid)
{
	printf("# %s: %s", path, question->format);
	for (size_t i = 0; i < nr_settings(question); i++)
		printf(" --%s %s", question->settings[i].name,
		       question->settings[i].text ? question->settings[i].text : "");
	printf(", tid %" PRId32 "\n", tid ? *tid : -1);
}

static void compare_answers(const char *path, struct perfdata_result *kept, const struct question *question,
			    const int32_t *tid)
{
	char *wanted = read_again(path, question, tid, NULL), *found = NULL;
	const enum perfdata_status status = ask_kept(kept, question, tid, &found);
	if (status != PERFDATA_ABSENT) {
		const bool is_same = wanted && found && !strcmp(wanted, found);
		CHECK_EQ(status, PERFDATA_OK);
		if (!is_same)
			print_question(path, question, tid);
		CHECK(is_same);
	} else {
		/* counts of branches are not kept */
		const bool may = !strcmp(question->format, "annotate") && strstr(path, "branch");
		if (!may)
			print_question(path, question, tid);
		CHECK(may);
	}
	free(wanted);
	free(found);
}

static void check_recording(const char *path)
{
	static const struct question threads = { "report", { { "csv", NULL }, { "by", "thread" } }, false };
	struct perfdata_result *kept = NULL;
	int32_t tids[MOST_TIDS];
	char *text = read_again(path, &questions[1], NULL, &kept), *list = NULL;
	if (!text || !kept) {
		printf("# %s cannot be read\n", path);
		CHECK(strstr(path, "bad-") != NULL);
		perfdata_result_free(kept);
		free(text);
		return;
	}
	CHECK_EQ(ask_kept(kept, &threads, NULL, &list), PERFDATA_OK);
	const size_t nr = take_tids(list, tids);
	for (size_t i = 0; i < NR_QUESTIONS; i++) {
		compare_answers(path, kept, &questions[i], NULL);
		/* each question of one of the threads, in turn */
		if (nr && !questions[i].has_counts)
			compare_answers(path, kept, &questions[i], &tids[i % nr]);
	}
	free(list);
	free(text);
	perfdata_result_free(kept);
}

static void answers_are_those_of_reading(void)
{
	const char *top = getenv("top_srcdir");
	for (int i = 0; i < nr_given; i++)
		check_recording(given[i]);
	for (size_t i = 0; !nr_given && i < sizeof of_tests / sizeof *of_tests; i++) {
		char path[4096];
		snprintf(path, sizeof path, "%s/testdata/%s", top ? top : "..", of_tests[i]);
		check_recording(path);
	}
}

static void what_was_not_kept(void)
{
	const char *top = getenv("top_srcdir");
	struct perfdata_result *kept = NULL;
	char path[4096], *text;
	snprintf(path, sizeof path, "%s/testdata/callgraph-73.data", top ? top : "..");
	free(read_again(path, &questions[1], NULL, &kept));
	for (size_t i = 0; kept && i < sizeof unanswered / sizeof *unanswered; i++) {
		const enum perfdata_status status = ask_kept(kept, &unanswered[i], NULL, &text);
		CHECK_EQ(status, PERFDATA_ABSENT);
		CHECK_STR(text, "");
		free(text);
	}
	perfdata_result_free(kept);
	/* a conversion that kept nothing */
	struct perfdata_input *input = perfdata_input_path(path);
	struct perfdata_output *output = perfdata_output_memory();
	kept = NULL;
	CHECK_EQ(perfdata_convert(input, output, "report", NULL, &kept, NULL), PERFDATA_OK);
	perfdata_output_close(output, false, NULL);
	perfdata_input_free(input);
	if (kept) {
		CHECK_EQ(ask_kept(kept, &questions[1], NULL, &text), PERFDATA_ABSENT);
		free(text);
	}
	perfdata_result_free(kept);
}

/* --- memory ------------------------------------------------------------------------------------------------------- */

static struct {
	struct perfdata_result *kept;
	const struct question *question;
	char *wanted;
} failing;

/* An answer is whole, or it fails and says why; the next one is whole again, unless names are missing for good. */
static void ask_without_memory(void)
{
	char *text = NULL;
	const enum perfdata_status status = ask_kept(failing.kept, failing.question, NULL, &text);
	/* the copy of the text may be what fails */
	if (status == PERFDATA_OK)
		CHECK(!text || !strcmp(text, failing.wanted));
	else
		CHECK_EQ(status, PERFDATA_ENOMEM);
	free(text);
}

static void allocations_that_fail(void)
{
	static const size_t asked[] = { 1, 12, 14, 17 };
	const char *top = getenv("top_srcdir");
	char path[4096];
	snprintf(path, sizeof path, "%s/testdata/callgraph-73.data", top ? top : "..");
	for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
		failing.question = &questions[asked[i]];
		failing.wanted = read_again(path, failing.question, NULL, NULL);
		free(read_again(path, &questions[1], NULL, &failing.kept));
		int nr = 0;
		while (failing.wanted && failing.kept && alloc_fail_run(nr, ask_without_memory))
			nr++;
		CHECK(nr > 20);
		ask_without_memory();
		free(failing.wanted);
		perfdata_result_free(failing.kept);
	}
}

int main(int argc, char **argv)
{
	static const struct unit_case cases[] = {
		{ "answers are those of reading again", answers_are_those_of_reading },
		{ "what was not kept is not answered", what_was_not_kept },
		{ "allocations that fail", allocations_that_fail },
	};
	nr_given = argc - 1;
	given = argv + 1;
	return unit_main(cases, sizeof cases / sizeof *cases);
}
