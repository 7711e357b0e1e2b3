/* SPDX-License-Identifier: MIT */
/* What perfdata/output.h, perfdata/describe.h and perfdata/top.h promise: when outputs are opened, what fails and how
 * often it says so, rights and names of files; columns of what is described; order, counts and limits of functions. */
#include "config.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "perfdata.h"
#include "unit.h"

static char folder[] = "/tmp/perfdata-unit-outputs-XXXXXX", testdata[4000];

static const char *in_folder(const char *name)
{
	static char paths[16][4200];
	static unsigned next;
	char *path = paths[next++ % 16];
	snprintf(path, sizeof paths[0], "%s/%s", folder, name);
	return path;
}

static const char *recording(const char *name)
{
	static char path[4200];
	snprintf(path, sizeof path, "%s/%s", testdata, name);
	return path;
}

static size_t size_of(const char *path)
{
	struct stat status;
	return stat(path, &status) ? SIZE_MAX : (size_t)status.st_size;
}

/* --- outputs ------------------------------------------------------------------------------------------------------ */

/* Making one opens nothing, so all errors come from opening. A file has its name when it is kept, and only then. */
static void test_opening(void)
{
	struct perfdata_error error = { 0 };
	const char *path = in_folder("file");
	struct perfdata_output *output = perfdata_output_path(path, 0);
	CHECK_EQ(size_of(path), SIZE_MAX);
	CHECK_EQ(perfdata_output_open(output, NULL), PERFDATA_OK);
	CHECK_EQ(perfdata_output_open(output, NULL), PERFDATA_OK);   /* unless it is open */
	CHECK_EQ(perfdata_output_write(output, "bytes", 5), PERFDATA_OK);
	CHECK_EQ(size_of(path), SIZE_MAX);
	CHECK_EQ(perfdata_output_close(output, true, NULL), PERFDATA_OK);
	CHECK_EQ(size_of(path), 5);
	/* a file that exists, with and without force; one that is not kept */
	output = perfdata_output_path(path, 0);
	CHECK_EQ(perfdata_output_open(output, &error), PERFDATA_EUSAGE);
	CHECK(error.os_error == EEXIST && error.status == PERFDATA_EUSAGE && error.message[0]);
	perfdata_output_close(output, true, NULL);
	for (unsigned keep = 0; keep < 2; keep++) {
		output = perfdata_output_path(path, PERFDATA_OUTPUT_FORCE);
		CHECK_EQ(perfdata_output_open(output, &error), PERFDATA_OK);
		CHECK_EQ(perfdata_output_write(output, "other", 4), PERFDATA_OK);
		CHECK_EQ(perfdata_output_close(output, keep, NULL), PERFDATA_OK);
		CHECK_EQ(size_of(path), keep ? 4 : 5);
	}
	output = perfdata_output_path(in_folder("no/such/folder/file"), 0);
	CHECK_EQ(perfdata_output_open(output, &error), PERFDATA_EWRITE);
	CHECK_EQ(error.os_error, ENOENT);
	perfdata_output_close(output, true, NULL);
	CHECK(!unlink(path));
}

/* Suffixes, and what is set whatever the suffix is; asking opens nothing. */
static void test_packing(void)
{
	struct perfdata_error error = { 0 };
	const char *path = in_folder("text.gz");
	CHECK_EQ(perfdata_output_check_path(in_folder("x.xz"), NULL), PERFDATA_EUNSUP);
	CHECK_EQ(perfdata_output_check_path(in_folder("x.gz"), &error), PERFDATA_OK);
	CHECK_EQ(size_of(in_folder("x.gz")), SIZE_MAX);
	struct perfdata_output *output = perfdata_output_path(in_folder("x.xz"), 0);
	CHECK_EQ(perfdata_output_open(output, &error), PERFDATA_EUNSUP);
	CHECK(error.message[0]);
	perfdata_output_close(output, true, NULL);
	for (unsigned plain = 0; plain < 2; plain++) {
		unsigned char head[2] = { 0 };
		output = perfdata_output_path(path, PERFDATA_OUTPUT_FORCE);
		if (plain)
			perfdata_output_pack(output, PERFDATA_PACKING_NONE);
		CHECK_EQ(perfdata_output_open(output, NULL), PERFDATA_OK);
		CHECK_EQ(perfdata_output_write(output, "text", 4), PERFDATA_OK);
		CHECK_EQ(perfdata_output_close(output, true, NULL), PERFDATA_OK);
		FILE *file = fopen(path, "rb");
		CHECK(file && fread(head, 1, 2, file) == 2);
		fclose(file);
		CHECK(plain ? !memcmp(head, "te", 2) : head[0] == 0x1f && head[1] == 0x8b);
	}
	CHECK(!unlink(path));
	/* bytes that are held back come out */
	output = perfdata_output_memory();
	perfdata_output_pack(output, PERFDATA_PACKING_GZIP);
	CHECK_EQ(perfdata_output_open(output, NULL), PERFDATA_OK);
	CHECK_EQ(perfdata_output_write(output, "text", 4), PERFDATA_OK);
	const size_t before = perfdata_output_bytes(output).size;
	CHECK_EQ(perfdata_output_flush(output), PERFDATA_OK);
	CHECK(perfdata_output_bytes(output).size > before);
	perfdata_output_close(output, false, NULL);
}

/* The first error stays. A descriptor is not closed. */
static void test_failures(void)
{
	struct perfdata_error error = { 0 };
	static const char block[1 << 20];
	const int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
	struct perfdata_output *output = perfdata_output_fd(full);
	enum perfdata_status status = perfdata_output_open(output, &error);
	for (unsigned i = 0; i < 40 && status == PERFDATA_OK; i++)
		status = perfdata_output_write(output, block, sizeof block);
	CHECK_EQ(status, PERFDATA_EWRITE);
	CHECK_EQ(perfdata_output_write(output, "x", 1), PERFDATA_EWRITE);
	CHECK_EQ(perfdata_output_flush(output), PERFDATA_EWRITE);
	CHECK_EQ(perfdata_output_close(output, true, &error), PERFDATA_EWRITE);
	CHECK(error.os_error == ENOSPC && error.message[0]);
	CHECK(fcntl(full, F_GETFD) >= 0);
	close(full);
	output = perfdata_output_fd(-1);
	CHECK_EQ(perfdata_output_open(output, &error), PERFDATA_EWRITE);
	CHECK_EQ(error.os_error, EBADF);
	perfdata_output_close(output, true, NULL);
}

static void test_memory(void)
{
	struct perfdata_output *output = perfdata_output_memory();
	CHECK_EQ(perfdata_output_bytes(output).size, 0);
	CHECK_EQ(perfdata_output_open(output, NULL), PERFDATA_OK);
	for (unsigned i = 0; i < 10000; i++)
		CHECK_EQ(perfdata_output_write(output, "0123456789", 10), PERFDATA_OK);
	const struct perfdata_bytes bytes = perfdata_output_bytes(output);
	CHECK(bytes.size == 100000 && !memcmp(bytes.data, "01234567890123", 14) &&
	      !memcmp(bytes.data + bytes.size - 4, "6789", 4));
	perfdata_output_close(output, false, NULL);
}

struct seen { unsigned nr_writes, nr_closes; bool kept; int fails; };

static int on_write(void *user, const void *bytes, size_t size)
{
	struct seen *seen = user;
	CHECK(bytes && size);
	seen->nr_writes++;
	return seen->fails;
}

static int on_close(void *user, bool keep)
{
	struct seen *seen = user;
	seen->nr_closes++;
	seen->kept = keep;
	return 0;
}

/* Closed once, also where nothing was written. What fails is a failure, with the errno value. */
static void test_functions(void)
{
	const struct perfdata_output_callbacks functions = { .size = sizeof functions, .write = on_write,
							     .close = on_close },
					       only_write = { .size = sizeof only_write, .write = on_write },
					       odd = { .size = 3, .write = on_write };
	struct perfdata_error error = { 0 };
	for (unsigned keep = 0; keep < 2; keep++) {
		struct seen seen = { 0 };
		struct perfdata_output *output = perfdata_output_callbacks(&functions, &seen);
		CHECK_EQ(perfdata_output_open(output, NULL), PERFDATA_OK);
		CHECK_EQ(perfdata_output_close(output, keep, NULL), PERFDATA_OK);
		CHECK(seen.nr_closes == 1 && seen.kept == keep && !seen.nr_writes);
	}
	struct seen seen = { .fails = EDQUOT };
	struct perfdata_output *output = perfdata_output_callbacks(&functions, &seen);
	CHECK_EQ(perfdata_output_open(output, NULL), PERFDATA_OK);
	enum perfdata_status status = perfdata_output_write(output, "x", 1);
	status = status ? status : perfdata_output_flush(output);
	CHECK_EQ(status, PERFDATA_EWRITE);
	CHECK_EQ(perfdata_output_close(output, true, &error), PERFDATA_EWRITE);
	CHECK(error.os_error == EDQUOT && seen.nr_writes == 1 && seen.nr_closes == 1 && !seen.kept);
	output = perfdata_output_callbacks(&only_write, &seen);
	seen.fails = 0;
	CHECK_EQ(perfdata_output_open(output, NULL), PERFDATA_OK);
	CHECK_EQ(perfdata_output_write(output, "x", 1), PERFDATA_OK);
	CHECK_EQ(perfdata_output_close(output, true, NULL), PERFDATA_OK);
	output = perfdata_output_callbacks(&odd, &seen);
	CHECK_EQ(perfdata_output_open(output, &error), PERFDATA_EUSAGE);
	perfdata_output_close(output, false, NULL);
}

/* No more rights than asked for, whatever the umask is and whatever is replaced. */
static void test_rights(void)
{
	static const struct { mode_t umask, like, want; } cases[] = {
		{ 0, 0600, 0600 }, { 022, 0644, 0644 }, { 077, 0644, 0600 }, { 0, 0640, 0640 }, { 0, 0666, 0666 },
	};
	for (size_t i = 0; i < 2 * (sizeof cases / sizeof *cases); i++) {
		const mode_t before = umask(cases[i / 2].umask);
		const char *path = in_folder("rights");
		struct stat status = { 0 };
		if (i & 1)
			close(open(path, O_WRONLY | O_CREAT, 0666));
		struct perfdata_output *output =
			perfdata_output_path(path, PERFDATA_OUTPUT_FORCE | PERFDATA_OUTPUT_LIKE(cases[i / 2].like));
		CHECK_EQ(perfdata_output_open(output, NULL), PERFDATA_OK);
		CHECK_EQ(perfdata_output_close(output, true, NULL), PERFDATA_OK);
		CHECK(!stat(path, &status));
		CHECK_EQ(status.st_mode & 0777 & ~cases[i / 2].want, 0);
		umask(before);
		CHECK(!unlink(path));
	}
}

/* --- describing --------------------------------------------------------------------------------------------------- */

/* Lines of the text, each with so many columns; 0: not. */
static unsigned lines_of(const struct perfdata_text *text, size_t from, unsigned columns)
{
	unsigned nr = 0, tabs = 0;
	for (size_t i = from; i < text->size; i++) {
		tabs += text->data[i] == '\t';
		if (text->data[i] != '\n')
			continue;
		if (tabs + 1 != columns)
			return 0;
		tabs = 0;
		nr++;
	}
	return text->size && text->data[text->size - 1] == '\n' ? nr : 0;
}

static void test_descriptions(void)
{
	static void (*const functions[])(struct perfdata_text *) = { perfdata_describe_fields, perfdata_describe_schema,
								     perfdata_describe_columns,
								     perfdata_describe_records_manual };
	struct perfdata_text text;
	for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
		perfdata_text_init(&text);
		perfdata_text_literal(&text, "before");
		functions[i](&text);   /* appends */
		CHECK(!perfdata_text_failed(&text) && text.size > 1000 && !memcmp(text.data, "before", 6));
		CHECK(i != 0 || (lines_of(&text, 6, 5) > 100 && !memcmp(text.data + 6, "field\t", 6)));
		CHECK((i != 1 && i != 2) || text.data[6] == '{');
		perfdata_text_release(&text);
		/* fails as every text does */
		perfdata_text_init(&text);
		text.failed = true;
		functions[i](&text);
		CHECK(perfdata_text_failed(&text) && !text.size);
		perfdata_text_release(&text);
	}
}

/* Each table of the list has a description, and nothing else has. */
static void test_tables(void)
{
	struct perfdata_text list, table;
	unsigned nr = 0;
	perfdata_text_init(&list);
	CHECK_EQ(perfdata_describe_table(&list, NULL), PERFDATA_OK);
	for (size_t at = 0; at < list.size; nr++) {
		char name[64];
		const char *line = list.data + at, *end = memchr(line, '\n', list.size - at);
		CHECK(end && strcspn(line, "\t") < sizeof name);
		snprintf(name, sizeof name, "%.*s", (int)strcspn(line, "\t"), line);
		at += (size_t)(end - line) + 1;
		if (!nr || strchr(name, ':'))   /* the header line; event:NAME */
			continue;
		perfdata_text_init(&table);
		CHECK_EQ(perfdata_describe_table(&table, name), PERFDATA_OK);
		if (lines_of(&table, 0, 5) < 2)
			printf("# %s: %.*s\n", name, (int)(table.size < 200 ? table.size : 200), table.data);
		CHECK(lines_of(&table, 0, 5) >= 2);
		perfdata_text_release(&table);
	}
	CHECK(nr > 12);
	perfdata_text_release(&list);
	perfdata_text_init(&table);
	CHECK_EQ(perfdata_describe_table(&table, "nosuch"), PERFDATA_EUSAGE);
	CHECK_EQ(table.size, 0);
	CHECK_EQ(perfdata_describe_table(&table, ""), PERFDATA_EUSAGE);
	perfdata_text_release(&table);
}

/* --- functions that take most ------------------------------------------------------------------------------------- */

/* functions[0] has most self weight; of equal ones, those with more in total come first, then names decide. */
static bool is_in_order(const struct perfdata_top_function *a, const struct perfdata_top_function *b)
{
	if (a->self != b->self)
		return a->self > b->self;
	return a->total != b->total ? a->total > b->total : strcmp(a->name, b->name) <= 0;
}

static void test_order(void)
{
	static const char *const names[] = { "callgraph-73.data", "trace-73.data", "stream-73.pipe", "zstd-73.data",
					     "group-73.data" };
	static const struct perfdata_top_options zeros = { .size = sizeof zeros };
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		struct perfdata_top *top = NULL, *same = NULL;
		CHECK_EQ(perfdata_top(recording(names[i]), NULL, &top, NULL), PERFDATA_OK);
		CHECK_EQ(perfdata_top(recording(names[i]), &zeros, &same, NULL), PERFDATA_OK);
		CHECK(top->nr_functions && top->nr_functions == same->nr_functions && top->weight == same->weight);
		CHECK(*top->event && top->complete && !top->nr_left_out);
		uint64_t self = 0, samples = 0;
		for (size_t k = 0; k < top->nr_functions; k++) {
			const struct perfdata_top_function *f = top->functions[k];
			CHECK(f->name && f->file && f->kind);
			CHECK(f->self <= f->total && f->self_samples <= f->total_samples);
			CHECK(f->total <= top->weight && f->total_samples <= top->samples);
			CHECK(!k || is_in_order(top->functions[k - 1], f));
			CHECK_STR(same->functions[k]->name, f->name);
			self += f->self;
			samples += f->self_samples;
		}
		CHECK(self == top->weight && samples == top->samples);
		const struct perfdata_top_options two = { .size = sizeof two, .most = 2 };
		const size_t nr = top->nr_functions;
		perfdata_top_free(same);
		CHECK_EQ(perfdata_top(recording(names[i]), &two, &same, NULL), PERFDATA_OK);
		CHECK_EQ(same->nr_functions, nr < 2 ? nr : 2);
		CHECK_EQ(same->nr_functions + same->nr_left_out, nr);
		CHECK(same->weight == top->weight && same->samples == top->samples);
		perfdata_top_free(same);
		perfdata_top_free(top);
	}
	perfdata_top_free(NULL);
}

/* One row for each file, without names; what is wrong, and what is damaged. */
static void test_top_options(void)
{
	struct perfdata_top *const mark = (struct perfdata_top *)(void *)folder, *top = mark;
	struct perfdata_error error = { 0 };
	struct perfdata_input *input = perfdata_input_path(recording("callgraph-73.data"));
	struct perfdata_top_options options = { .size = sizeof options, .no_names = true };
	char path[4200];
	snprintf(path, sizeof path, "%s", recording("callgraph-73.data"));
	CHECK_EQ(perfdata_top(path, &options, &top, NULL), PERFDATA_OK);
	for (size_t i = 0; i < top->nr_functions; i++)
		for (size_t k = 0; k < i; k++)
			CHECK(strcmp(top->functions[i]->file, top->functions[k]->file) != 0);
	perfdata_top_free(top);
	top = mark;
	options.event = "nosuch";
	CHECK_EQ(perfdata_top(path, &options, &top, &error), PERFDATA_ABSENT);
	options.event = NULL;
	CHECK_EQ(perfdata_top(NULL, &options, &top, &error), PERFDATA_EUSAGE);
	options.input = input;
	CHECK_EQ(perfdata_top(path, &options, &top, &error), PERFDATA_EUSAGE);
	CHECK(error.message[0] && top == mark);
	CHECK_EQ(perfdata_top(NULL, &options, &top, &error), PERFDATA_OK);
	perfdata_top_free(top);
	top = mark;
	options.input = NULL;
	options.size = 3;
	CHECK_EQ(perfdata_top(path, &options, &top, &error), PERFDATA_EUSAGE);
	CHECK_EQ(perfdata_top("no/such/file", NULL, &top, &error), PERFDATA_EREAD);
	CHECK(error.os_error == ENOENT && top == mark);
	CHECK_EQ(perfdata_top(recording("bad-record-size.data"), NULL, &top, NULL), PERFDATA_OK);
	CHECK(!top->complete && top->nr_functions);
	perfdata_top_free(top);
	perfdata_input_free(input);
}

int main(void)
{
	const char *source = getenv("top_srcdir");
	snprintf(testdata, sizeof testdata, "%s/testdata", source ? source : ".");
	static const struct unit_case cases[] = {
		{ "an output is opened, and its file named", test_opening },
		{ "compression", test_packing },
		{ "the first failure stays", test_failures },
		{ "an output in memory", test_memory },
		{ "functions of the caller", test_functions },
		{ "rights", test_rights },
		{ "descriptions are appended", test_descriptions },
		{ "tables", test_tables },
		{ "functions in order", test_order },
		{ "options of the functions that take most", test_top_options },
	};
	if (!mkdtemp(folder)) {
		printf("Bail out! no place for files\n");
		return 1;
	}
	const int failed = unit_main(cases, sizeof cases / sizeof *cases);
	(void)rmdir(folder);
	return failed;
}
