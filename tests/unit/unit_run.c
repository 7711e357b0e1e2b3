/* SPDX-License-Identifier: MIT */
/* The run and its sinks, over a session made up here: order, errors in each function, stopping, the same bytes for any
 * number of threads. */
#include "config.h"
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "codec/codec.h"
#include "run/run.h"
#include "fake_session.h"
#include "unit.h"

/* --- helpers ------------------------------------------------------------------------------------------------------ */

static char folder[] = "/tmp/unit_run.XXXXXX";
static char path[4096];
static struct perfdata_session session;

static void reset(uint64_t nr_batches)
{
	memset(&plan, 0, sizeof plan);
	plan.scan_at = plan.format_at = plan.merge_at = NEVER;
	plan.line_bytes = 100;
	memset(&session, 0, sizeof session);
	session.nr_batches = nr_batches;
	session.ends_with = PERFDATA_END;
	session.summary.complete = true;
	fake = &session;
	memset(&seen, 0, sizeof seen);
}
static const char *in_folder(const char *name)
{
	snprintf(path, sizeof path, "%s/%s", folder, name);
	return path;
}
static uint8_t *slurp(const char *name, size_t *ret_size)
{
	*ret_size = 0;
	const int fd = open(name, O_RDONLY);
	struct stat st;
	if (fd < 0 || fstat(fd, &st)) {
		if (fd >= 0)
			close(fd);
		return NULL;
	}
	uint8_t *bytes = malloc((size_t)st.st_size + 1);
	size_t at = 0;
	for (ssize_t n; (n = read(fd, bytes + at, (size_t)st.st_size - at)) > 0; at += (size_t)n)
		;
	bytes[at] = '\0';
	*ret_size = at;
	close(fd);
	return bytes;
}
static bool folder_is_empty(void)
{
	return rmdir(folder) == 0 && mkdir(folder, 0700) == 0;
}

static enum perfdata_status open_it(struct perfdata_output *output, struct perfdata_output **ret,
				    struct perfdata_error *error)
{
	const enum perfdata_status status = perfdata_output_open(output, error);
	*ret = output;
	if (status)
		perfdata_output_close(output, false, NULL);
	return status;
}
static enum perfdata_status open_path(const char *name, unsigned flags, struct perfdata_output **ret,
				      struct perfdata_error *error)
{
	return open_it(perfdata_output_path(name, flags), ret, error);
}
static enum perfdata_status open_fd(int fd, struct perfdata_output **ret, struct perfdata_error *error)
{
	return open_it(perfdata_output_fd(fd), ret, error);
}
static enum perfdata_status run_into(const struct perfdata_emitter *by, struct perfdata_output *output,
				     const struct perfdata_run_options *options, struct perfdata_error *error)
{
	const struct perfdata_target target = { .size = sizeof target, .emitter = by, .output = output };
	return pd_run_emitters(&session, &(const struct perfdata_target *){ &target }, 1, options, NULL, error);
}

static enum perfdata_status last_close;
/* Runs into a new file; *ret_bytes is freed by the caller, NULL if nothing was kept. */
static enum perfdata_status run(unsigned jobs, const char *name, struct perfdata_run_options options,
				uint8_t **ret_bytes, size_t *ret_size, struct perfdata_error *error)
{
	struct perfdata_output *output = NULL;
	memset(error, 0, sizeof *error);
	CHECK_EQ(open_path(in_folder(name), 0, &output, error), PERFDATA_OK);
	options.size = sizeof options;
	options.jobs = jobs;
	const enum perfdata_status status = run_into(&emitter, output, &options, error);
	last_close = perfdata_output_close(output, status != PERFDATA_EWRITE, NULL);
	*ret_bytes = slurp(path, ret_size);
	unlink(path);
	CHECK(folder_is_empty());
	CHECK_EQ(session.alive, 0);
	CHECK_EQ(seen.values, 0);
	CHECK_EQ(seen.parts, 0);
	CHECK(!seen.out_of_order);
	return status;
}
static const struct perfdata_run_options none;

/* --- cases -------------------------------------------------------------------------------------------------------- */

static void same_bytes(void)
{
	uint8_t *first = NULL, *bytes;
	size_t first_size = 0, size;
	struct perfdata_error error;
	for (unsigned jobs = 1; jobs <= 8; jobs++) {
		reset(500);
		CHECK_EQ(run(jobs, "out", none, &bytes, &size, &error), PERFDATA_OK);
		CHECK_EQ(seen.begins, 1);
		CHECK_EQ(seen.ends, 1);
		CHECK_EQ(seen.releases, 1);
		CHECK_EQ(seen.merged, 500);
		CHECK(seen.end_complete && seen.end_trimmed);
		if (jobs == 1) {
			first = bytes;
			first_size = size;
			CHECK(!memcmp(bytes, "begin\n0 0 ", 10));
			CHECK(!memcmp(bytes + size - 13, "merged\nend 1\n", 13));
			continue;
		}
		CHECK(size == first_size && !memcmp(bytes, first, size));
		free(bytes);
	}
	free(first);
}

static void empty_session(void)
{
	uint8_t *bytes;
	size_t size;
	struct perfdata_error error;
	for (unsigned jobs = 1; jobs <= 3; jobs++) {
		reset(0);
		CHECK_EQ(run(jobs, "out", none, &bytes, &size, &error), PERFDATA_OK);
		CHECK_STR((const char *)bytes, "begin\nend 1\n");
		free(bytes);
	}
}

/* Fails at batch 40 in one function: what came before is written, and the document ends; nothing else is written. */
static void check_failure(enum perfdata_status expected)
{
	uint8_t *first = NULL, *bytes;
	size_t first_size = 0, size;
	struct perfdata_error error;
	const typeof(plan) kept = plan;
	for (unsigned jobs = 1; jobs <= 5; jobs += 2) {
		reset(200);
		plan = kept;
		CHECK_EQ(run(jobs, "out", none, &bytes, &size, &error), expected);
		CHECK_EQ(error.status, expected);
		CHECK(error.message[0]);
		CHECK_EQ(seen.ends, 1);
		CHECK_EQ(seen.end_status, expected);
		CHECK(!seen.end_complete);
		CHECK(strstr((const char *)bytes, "\n39 117 ") != NULL);
		CHECK(strstr((const char *)bytes, "\n40 ") == NULL);
		CHECK(size > 6 && !memcmp(bytes + size - 6, "end 0\n", 6));
		if (!first) {
			first = bytes;
			first_size = size;
			continue;
		}
		CHECK(size == first_size && !memcmp(bytes, first, size));
		free(bytes);
	}
	free(first);
}
static void scan_fails(void)
{
	reset(0);
	plan.scan_at = 40;
	check_failure(PERFDATA_ENOMEM);
}
static void format_fails(void)
{
	reset(0);
	plan.format_at = 40;
	plan.scan_at = 90;
	check_failure(PERFDATA_ELIMIT);
}
static void merge_fails(void)
{
	reset(0);
	plan.merge_at = 40;
	plan.format_at = 41;
	check_failure(PERFDATA_ENOMEM);
}
static void begin_fails(void)
{
	uint8_t *bytes;
	size_t size;
	struct perfdata_error error;
	reset(20);
	plan.begin = PERFDATA_EUSAGE;
	CHECK_EQ(run(2, "out", none, &bytes, &size, &error), PERFDATA_EUSAGE);
	CHECK_EQ(seen.ends, 0);
	CHECK_EQ(seen.releases, 0);
	CHECK_EQ(size, 0);
	free(bytes);
}
static void end_fails(void)
{
	uint8_t *bytes;
	size_t size;
	struct perfdata_error error;
	reset(20);
	plan.end = PERFDATA_ENOMEM;
	CHECK_EQ(run(2, "out", none, &bytes, &size, &error), PERFDATA_ENOMEM);
	CHECK_EQ(error.status, PERFDATA_ENOMEM);
	CHECK_EQ(seen.releases, 1);
	free(bytes);
}
static void reading_fails(void)
{
	uint8_t *bytes;
	size_t size;
	struct perfdata_error error;
	for (unsigned jobs = 1; jobs <= 4; jobs++) {
		reset(30);
		session.ends_with = PERFDATA_EREAD;
		session.error.status = PERFDATA_EREAD;
		strcpy(session.error.message, "bad disk");
		CHECK_EQ(run(jobs, "out", none, &bytes, &size, &error), PERFDATA_EREAD);
		CHECK_STR(error.message, "bad disk");
		CHECK_EQ(seen.merged, 30);
		CHECK_EQ(seen.end_status, PERFDATA_EREAD);
		free(bytes);
	}
}

static void stopping(void)
{
	uint8_t *bytes;
	size_t size;
	struct perfdata_error error;
	for (unsigned jobs = 1; jobs <= 4; jobs++) {
		struct perfdata_cancel *cancel = perfdata_cancel_new();
		reset(1000);
		session.cancel = cancel;
		session.stop_at = 50;
		CHECK_EQ(run(jobs, "out", (struct perfdata_run_options){ .cancel = cancel }, &bytes, &size, &error),
			 PERFDATA_EINTR);
		CHECK_EQ(seen.merged, 51);
		CHECK_EQ(seen.ends, 0);
		/* … and cannot be kept */
		CHECK_EQ(last_close, PERFDATA_EINTR);
		CHECK(!bytes);
		perfdata_cancel_free(cancel);
	}
}

/* What went elsewhere cannot be taken back: its document is completed. */
static void stopping_without_a_file(void)
{
	struct perfdata_error error = { 0 };
	for (unsigned jobs = 1; jobs <= 4; jobs++) {
		struct perfdata_cancel *cancel = perfdata_cancel_new();
		struct perfdata_output *output = perfdata_output_memory();
		const struct perfdata_run_options options = { .size = sizeof options, .jobs = jobs, .cancel = cancel };
		reset(1000);
		session.cancel = cancel;
		session.stop_at = 50;
		CHECK_EQ(run_into(&emitter, output, &options, &error), PERFDATA_EINTR);
		CHECK_EQ(seen.merged, 51);
		CHECK_EQ(seen.ends, 1);
		CHECK_EQ(seen.end_status, PERFDATA_EINTR);
		CHECK(!seen.end_complete);
		CHECK(perfdata_output_bytes(output).size > 0);
		CHECK_EQ(perfdata_output_close(output, true, NULL), PERFDATA_OK);
		perfdata_cancel_free(cancel);
	}
}

/* Meta waits for the first kernel record of a pipe, but not for ever, and not at all for files. */
static void begin_waits(void)
{
	static const struct { enum perfdata_container container; uint64_t batches, first_kernel, expected; } cases[] = {
		{ PERFDATA_CONTAINER_FILE, 30, 20, 0 },
		{ PERFDATA_CONTAINER_PIPE, 30, 0, 1 },
		{ PERFDATA_CONTAINER_PIPE, 30, 20, 21 },
		{ PERFDATA_CONTAINER_PIPE, 30, 30, 30 },
		{ PERFDATA_CONTAINER_PIPE, 0, 0, 0 },
		{ PERFDATA_CONTAINER_PIPE, 300, 300, 64 },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		uint8_t *first = NULL, *bytes;
		size_t first_size = 0, size;
		struct perfdata_error error;
		for (unsigned jobs = 1; jobs <= 3; jobs++) {
			reset(cases[i].batches);
			session.header.container = cases[i].container;
			session.first_kernel = cases[i].first_kernel;
			CHECK_EQ(run(jobs, "out", none, &bytes, &size, &error), PERFDATA_OK);
			CHECK_EQ(seen.begun_after, cases[i].expected);
			CHECK_EQ(seen.merged, cases[i].batches);
			if (!first) {
				first = bytes;
				first_size = size;
				continue;
			}
			CHECK(size == first_size && !memcmp(bytes, first, size));
			free(bytes);
		}
		free(first);
	}
}

static uint64_t nr_findings;
static bool findings_in_order;
static pid_t findings_thread;
static void count_finding(void *user, const struct perfdata_finding *finding)
{
	(void)user;
	char expected[32];
	snprintf(expected, sizeof expected, "%llu", (unsigned long long)nr_findings);
	if (finding->record != nr_findings || strcmp(finding->message, expected) || gettid() != findings_thread)
		findings_in_order = false;
	nr_findings++;
}
static void run_with(unsigned jobs, perfdata_finding_fn *on_finding_of_run)
{
	uint8_t *bytes;
	size_t size;
	struct perfdata_error error;
	const struct perfdata_run_options options = { .on_finding = on_finding_of_run };
	CHECK_EQ(run(jobs, "out", options, &bytes, &size, &error), PERFDATA_OK);
	free(bytes);
}
/* One for each batch, in order, in this thread. */
static void check_findings(unsigned jobs)
{
	nr_findings = 0;
	findings_in_order = true;
	findings_thread = gettid();
	run_with(jobs, count_finding);
	CHECK_EQ(nr_findings, session.nr_batches);
	CHECK(findings_in_order);
}
static void findings_travel(void)
{
	for (unsigned jobs = 1; jobs <= 4; jobs++) {
		reset(100);
		plan.findings = true;
		check_findings(jobs);
		CHECK(!seen.end_complete);
	}
}

static struct {
	uint64_t records[300];
	bool of_reader[300];
	size_t nr;
} heard;
static void note_reported(bool of_reader, const struct perfdata_finding *finding)
{
	if (heard.nr == 300)
		return;
	heard.records[heard.nr] = finding->record;
	heard.of_reader[heard.nr++] = of_reader;
}
static void reported_by_reader(void *user, const struct perfdata_finding *finding)
{
	CHECK(user == &heard);
	note_reported(true, finding);
}
static void reported_by_run(void *user, const struct perfdata_finding *finding)
{
	(void)user;
	note_reported(false, finding);
}

/* The front runs ahead of formatting, as far as it likes. */
static void findings_of_reading(void)
{
	for (unsigned jobs = 1; jobs <= 8; jobs++) {
		reset(100);
		plan.findings = true;
		session.reports_findings = true;
		session.listener = (struct pd_listener){ reported_by_reader, &heard };
		heard.nr = 0;
		run_with(jobs, reported_by_run);
		CHECK_EQ(heard.nr, 201);
		for (size_t i = 0; i < heard.nr; i++) {
			CHECK_EQ(heard.records[i], i / 2);
			CHECK_EQ(heard.of_reader[i], i % 2 == 0);
		}
		CHECK(session.listener.on_finding == reported_by_reader);
	}
}

/* The caller leaves the monitor to report, and must look again before it waits. */
static void findings_at_the_end(void)
{
	for (int round = 0; round < 300; round++) {
		reset((uint64_t)(2 + round % 5));
		plan.findings = true;
		check_findings(8);
	}
}

/* The threads that format check records; their findings still come in order. */
static void damaged_records(void)
{
	records_are_damaged = true;
	for (unsigned jobs = 1; jobs <= 8; jobs++) {
		reset(100);
		check_findings(jobs);
		CHECK(!seen.end_complete);
	}
	records_are_damaged = false;
}

static void unpack(enum pd_codec_kind kind, const uint8_t *bytes, size_t size, struct perfdata_text *out)
{
	struct pd_decoder *decoder = pd_decoder_new(kind);
	size_t used = 0;
	while (used < size) {
		char *at = perfdata_text_reserve(out, 1 << 20);
		size_t made = 0;
		const enum perfdata_status status = pd_decoder_run(decoder, bytes, size, &used, (uint8_t *)at, 1 << 20,
								   &made);
		CHECK(status == PERFDATA_OK || status == PERFDATA_END);
		if (status != PERFDATA_OK && status != PERFDATA_END)
			break;
		perfdata_text_commit(out, at + made);
	}
	pd_decoder_free(decoder);
}

static void check_compressed(enum pd_codec_kind kind, const char *name)
{
	if (pd_codec_load(kind, NULL)) {
		CHECK(kind != PD_CODEC_NONE);
		return;
	}
	uint8_t *plain, *first = NULL, *bytes;
	size_t plain_size, first_size = 0, size;
	struct perfdata_error error;
	reset(60);
	plan.line_bytes = 300000;
	CHECK_EQ(run(1, "out", none, &plain, &plain_size, &error), PERFDATA_OK);
	for (unsigned jobs = 1; jobs <= 5; jobs++) {
		reset(60);
		plan.line_bytes = 300000;
		CHECK_EQ(run(jobs, name, none, &bytes, &size, &error), PERFDATA_OK);
		CHECK(size > 100 && size < plain_size);
		if (!first) {
			first = bytes;
			first_size = size;
			struct perfdata_text text;
			perfdata_text_init(&text);
			unpack(kind, bytes, size, &text);
			CHECK(text.size == plain_size && !memcmp(text.data, plain, plain_size));
			perfdata_text_release(&text);
			continue;
		}
		CHECK(size == first_size && !memcmp(bytes, first, size));
		free(bytes);
	}
	/* A failure in the middle keeps the output before it. */
	for (unsigned jobs = 1; jobs <= 3; jobs += 2) {
		reset(60);
		plan.line_bytes = 300000;
		plan.format_at = 40;
		CHECK_EQ(run(jobs, name, none, &bytes, &size, &error), PERFDATA_ELIMIT);
		struct perfdata_text text;
		perfdata_text_init(&text);
		unpack(kind, bytes, size, &text);
		CHECK(text.size > 40 * 300000 && text.size < 41 * 300000 + 1000);
		CHECK(text.size > 6 && !memcmp(text.data, plain, text.size - 6));
		perfdata_text_release(&text);
		free(bytes);
	}
	free(first);
	free(plain);
}
static void compressed_gzip(void) { check_compressed(PD_CODEC_GZIP, "out.gz"); }
static void compressed_zstd(void) { check_compressed(PD_CODEC_ZSTD, "out.zst"); }

static void full_device(void)
{
	for (unsigned jobs = 1; jobs <= 4; jobs++) {
		reset(100);
		struct perfdata_output *output = NULL;
		struct perfdata_error error = { 0 };
		CHECK_EQ(open_path("/dev/full", 0, &output, &error), PERFDATA_OK);
		CHECK_EQ(run_into(&emitter, output,
				  &(struct perfdata_run_options){ .size = sizeof(struct perfdata_run_options),
								  .jobs = jobs },
				  &error),
			 PERFDATA_EWRITE);
		CHECK_EQ(error.status, PERFDATA_EWRITE);
		CHECK(strstr(error.message, "No space") != NULL);
		CHECK_EQ(seen.ends, 0);
		CHECK_EQ(session.alive, 0);
		CHECK_EQ(perfdata_output_close(output, false, &error), PERFDATA_EWRITE);
	}
}

static void closed_pipe(void)
{
	signal(SIGPIPE, SIG_IGN);
	for (unsigned jobs = 1; jobs <= 4; jobs++) {
		int fds[2];
		CHECK_EQ(pipe(fds), 0);
		reset(100);
		struct perfdata_output *output = NULL;
		struct perfdata_error error = { 0 };
		CHECK_EQ(open_fd(fds[1], &output, &error), PERFDATA_OK);
		close(fds[0]);
		CHECK_EQ(run_into(&emitter, output,
				  &(struct perfdata_run_options){ .size = sizeof(struct perfdata_run_options),
								  .jobs = jobs },
				  &error),
			 PERFDATA_EWRITE);
		CHECK(strstr(error.message, "pipe") != NULL);
		CHECK_EQ(perfdata_output_close(output, false, NULL), PERFDATA_EWRITE);
		CHECK_EQ(fcntl(fds[1], F_GETFD) >= 0, 1);
		close(fds[1]);
	}
}

static void files_are_kept(void)
{
	struct perfdata_output *output = NULL;
	struct perfdata_error error = { 0 };
	const char *name = in_folder("a");
	size_t size;

	/* thrown away */
	CHECK_EQ(open_path(name, 0, &output, &error), PERFDATA_OK);
	CHECK_EQ(perfdata_output_write(output, "one", 3), PERFDATA_OK);
	CHECK(access(name, F_OK) != 0);
	CHECK_EQ(perfdata_output_close(output, false, &error), PERFDATA_OK);
	CHECK(folder_is_empty());

	/* kept */
	CHECK_EQ(open_path(name, 0, &output, &error), PERFDATA_OK);
	CHECK_EQ(perfdata_output_write(output, "one", 3), PERFDATA_OK);
	CHECK_EQ(pd_output_written(output), 3);
	CHECK_EQ(perfdata_output_close(output, true, &error), PERFDATA_OK);
	uint8_t *bytes = slurp(name, &size);
	CHECK_STR((char *)bytes, "one");
	free(bytes);

	/* not replaced without FORCE, whether it was there before or came later */
	CHECK_EQ(open_path(name, 0, &output, &error), PERFDATA_EUSAGE);
	CHECK(strstr(error.message, "--force") != NULL);
	char other[4200];
	snprintf(other, sizeof other, "%s/b", folder);
	CHECK_EQ(open_path(other, 0, &output, &error), PERFDATA_OK);
	CHECK_EQ(perfdata_output_write(output, "two", 3), PERFDATA_OK);
	close(open(other, O_WRONLY | O_CREAT, 0600));
	CHECK_EQ(perfdata_output_close(output, true, &error), PERFDATA_EWRITE);
	bytes = slurp(other, &size);
	CHECK_EQ(size, 0);
	free(bytes);
	unlink(other);

	/* replaced with FORCE, through a link, with the mode it had */
	CHECK_EQ(chmod(name, 0640), 0);
	CHECK_EQ(symlink("a", other), 0);
	CHECK_EQ(open_path(other, PERFDATA_OUTPUT_FORCE, &output, &error), PERFDATA_OK);
	CHECK_EQ(perfdata_output_write(output, "three", 5), PERFDATA_OK);
	CHECK_EQ(perfdata_output_close(output, true, &error), PERFDATA_OK);
	struct stat st;
	CHECK(!lstat(other, &st) && S_ISLNK(st.st_mode));
	CHECK(!stat(name, &st) && (st.st_mode & 07777) == 0640);
	bytes = slurp(name, &size);
	CHECK_STR((char *)bytes, "three");
	free(bytes);
	unlink(other);
	unlink(name);

	CHECK_EQ(open_path(folder, PERFDATA_OUTPUT_FORCE, &output, &error), PERFDATA_EWRITE);
	CHECK_EQ(open_path("/nowhere/at/all", 0, &output, &error), PERFDATA_EWRITE);
	CHECK(folder_is_empty());
}

static atomic_int hits[1000];
static void hit(void *user, size_t index)
{
	(void)user;
	hits[index]++;
}
static void parallel(void)
{
	CHECK(perfdata_processors() >= 1);
	for (unsigned jobs = 0; jobs < 6; jobs++) {
		memset(hits, 0, sizeof hits);
		CHECK_EQ(perfdata_parallel(1000, jobs, hit, NULL), PERFDATA_OK);
		int wrong = 0;
		for (size_t i = 0; i < 1000; i++)
			wrong += hits[i] != 1;
		CHECK_EQ(wrong, 0);
	}
	CHECK_EQ(perfdata_parallel(0, 4, hit, NULL), PERFDATA_OK);
	CHECK_EQ(perfdata_parallel(1, 4, NULL, NULL), PERFDATA_EUSAGE);
}

static void options(void)
{
	static const struct perfdata_emitter_option table[] = {
		{ "raw", PERFDATA_OPTION_FLAG, 0, NULL, "" }, { "fields", PERFDATA_OPTION_TEXT, 'e', "LIST", "" },
		{ "n", PERFDATA_OPTION_NUMBER, 0, "N", "" },
	};
	const struct perfdata_emitter_option_value values[] = {
		{ &table[0], NULL, 0 }, { &table[1], "a", 0 },  { &table[1], "b", 0 },
		{ &table[2], "7", 7 },  { &table[0], "no", 0 },
	};
	CHECK_STR(perfdata_option_text(values, 5, "fields"), "b");
	CHECK(perfdata_option_text(values, 1, "fields") == NULL);
	CHECK(!perfdata_option_flag(values, 5, "raw", true));
	CHECK(perfdata_option_flag(values, 4, "raw", false));
	CHECK(perfdata_option_flag(values, 0, "raw", true));
	CHECK_EQ(perfdata_option_number(values, 5, "n", 3), 7);
	CHECK_EQ(perfdata_option_number(values, 3, "n", 3), 3);
}

static void wrong_abi(void)
{
	struct perfdata_emitter other = emitter;
	other.abi++;
	struct perfdata_output *output = NULL;
	struct perfdata_error error = { 0 };
	reset(1);
	CHECK_EQ(open_fd(1, &output, &error), PERFDATA_OK);
	CHECK_EQ(run_into(&other, output, NULL, &error), PERFDATA_EUSAGE);
	CHECK_EQ(seen.begins, 0);
	CHECK_EQ(perfdata_output_close(output, true, NULL), PERFDATA_OK);
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "the same bytes for 1 to 8 threads", same_bytes },
		{ "a session without batches", empty_session },
		{ "scan fails", scan_fails },
		{ "format fails", format_fails },
		{ "merge fails", merge_fails },
		{ "begin fails", begin_fails },
		{ "end fails", end_fails },
		{ "reading fails", reading_fails },
		{ "stopped early", stopping },
		{ "stopped early, without a file", stopping_without_a_file },
		{ "begin waits for the first kernel record of a pipe", begin_waits },
		{ "findings of formatting arrive in order in the calling thread", findings_travel },
		{ "findings of reading and of formatting come in the order of their records", findings_of_reading },
		{ "findings while the last threads leave", findings_at_the_end },
		{ "damaged records", damaged_records },
		{ "gzip output", compressed_gzip },
		{ "zstd output", compressed_zstd },
		{ "a full device", full_device },
		{ "a closed pipe", closed_pipe },
		{ "files are created, kept, replaced", files_are_kept },
		{ "parallel work", parallel },
		{ "options", options },
		{ "an emitter of another version", wrong_abi },
	};
	if (!mkdtemp(folder))
		return 1;
	const int result = unit_main(cases, sizeof cases / sizeof *cases);
	rmdir(folder);
	return result;
}
