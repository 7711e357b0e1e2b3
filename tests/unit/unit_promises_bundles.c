/* SPDX-License-Identifier: MIT */
/* What perfdata/bundle.h and perfdata/match.h promise: names, sizes and bytes of archives, what may not be planned,
 * what is left out of an archive of strangers, lifetimes, and results that are set in any case. */
#include "config.h"
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "perfdata.h"
#include "unit.h"

static char folder[] = "/tmp/perfdata-unit-promises-XXXXXX";
static char program[4096];   /* an ELF file: this one */

static const char *in_folder(const char *name)
{
	static char paths[8][4200];
	static unsigned next;
	char *path = paths[next++ % 8];
	snprintf(path, sizeof paths[0], "%s/%s", folder, name);
	return path;
}

static const char *put(const char *name, const void *bytes, size_t size)
{
	const char *path = in_folder(name);
	FILE *file = fopen(path, "wb");
	CHECK(file && fwrite(bytes, 1, size, file) == size && !fclose(file));
	return path;
}

static const char *put_text(const char *name, const char *text) { return put(name, text, strlen(text)); }

/* --- planning and writing ----------------------------------------------------------------------------------------- */

struct archive { char bytes[1 << 16]; size_t size; enum perfdata_status fails; };

static enum perfdata_status keep(void *user, const void *bytes, size_t size)
{
	struct archive *archive = user;
	if (archive->fails || archive->size + size > sizeof archive->bytes)
		return archive->fails ? archive->fails : PERFDATA_ELIMIT;
	memcpy(archive->bytes + archive->size, bytes, size);
	archive->size += size;
	return PERFDATA_OK;
}

static struct perfdata_bundle *new_bundle(const struct perfdata_bundle_limits *limits)
{
	struct perfdata_bundle *bundle = NULL;
	CHECK_EQ(perfdata_bundle_new(PERFDATA_BUNDLE_FULL, limits, &bundle), PERFDATA_OK);
	return bundle;
}

static enum perfdata_status plan(struct perfdata_bundle *bundle, enum perfdata_bundle_role role, const char *path,
				 const char *file, struct perfdata_bundle_planned *ret)
{
	const struct perfdata_bundle_file of = { .role = role, .path = path, .file = file };
	return perfdata_bundle_add(bundle, &of, ret);
}

static struct archive *write_of(struct perfdata_bundle *bundle)
{
	struct archive *archive = calloc(1, sizeof *archive);
	CHECK_EQ(perfdata_bundle_write(bundle, "{}", 2, keep, archive, NULL), PERFDATA_OK);
	perfdata_bundle_free(bundle);
	return archive;
}

static void test_planned(void)
{
	struct perfdata_bundle *bundle = new_bundle(NULL);
	struct perfdata_bundle_planned first = { 0 }, again = { 0 }, other = { 0 };
	uint8_t sum[PERFDATA_SHA256_SIZE];
	uint64_t size = 0;
	const char *one = put_text("one", "first\n"), *two = put_text("two", "second text\n");
	CHECK_EQ(plan(bundle, PERFDATA_BUNDLE_OTHER, "/tmp/perf-7.map", one, &first), PERFDATA_OK);
	CHECK_STR(first.name, "root/tmp/perf-7.map");
	CHECK_EQ(perfdata_file_sha256(one, NULL, sum, &size), PERFDATA_OK);
	CHECK(first.size == 6 && size == 6 && !memcmp(first.sha256, sum, sizeof sum));
	CHECK_EQ(plan(bundle, PERFDATA_BUNDLE_OTHER, "/tmp/perf-7.map", one, &again), PERFDATA_OK);
	CHECK_STR(again.name, first.name);
	for (unsigned i = 0; i < 300; i++) {
		char path[32];
		snprintf(path, sizeof path, "/more/%u", i);
		CHECK_EQ(plan(bundle, PERFDATA_BUNDLE_OTHER, path, two, &other), PERFDATA_OK);
	}
	CHECK_STR(first.name, "root/tmp/perf-7.map");   /* lives as long as the bundle */
	perfdata_bundle_free(bundle);
}

/* The bundle stays usable after each, and what is returned through pointers stays as it was. */
static void test_refused(void)
{
	const struct perfdata_bundle_limits limits = { .file = 100, .total = 150 };
	static const uint8_t id[20] = { 1 };
	const char *text = put_text("text", "no ELF file"), *large = put("large", folder, sizeof folder);
	char many[101] = { 0 };
	struct perfdata_bundle *bundle = NULL;
	CHECK_EQ(perfdata_bundle_new((enum perfdata_bundle_level)7, NULL, &bundle), PERFDATA_EUSAGE);
	CHECK(!bundle);
	bundle = new_bundle(&limits);
	struct perfdata_bundle_planned mark = { .size = 77 };
	CHECK_EQ(plan(bundle, PERFDATA_BUNDLE_OTHER, "/a", in_folder("nosuch"), &mark), PERFDATA_ABSENT);
	for (unsigned i = 0; i < 2; i++) {
		const struct perfdata_bundle_file wrong = { .role = PERFDATA_BUNDLE_ELF, .path = "/bin/x",
							    .build_id = { id, sizeof id }, .file = i ? program : text };
		CHECK_EQ(perfdata_bundle_add(bundle, &wrong, &mark), PERFDATA_EFORMAT);
	}
	CHECK_EQ(plan(bundle, PERFDATA_BUNDLE_OTHER, "/../up", text, &mark), PERFDATA_EUSAGE);
	CHECK_EQ(plan(bundle, PERFDATA_BUNDLE_OTHER, "", text, &mark), PERFDATA_EUSAGE);
	CHECK_EQ(plan(bundle, PERFDATA_BUNDLE_OTHER, "/a", put("many", many, sizeof many), &mark), PERFDATA_ELIMIT);
	CHECK(mark.size == 77 && !mark.name);
	for (unsigned i = 0; i < 4; i++) {   /* 35 bytes each */
		char path[8];
		snprintf(path, sizeof path, "/%u", i);
		CHECK_EQ(plan(bundle, PERFDATA_BUNDLE_OTHER, path, large, &mark), PERFDATA_OK);
	}
	CHECK_EQ(plan(bundle, PERFDATA_BUNDLE_OTHER, "/last", large, &mark), PERFDATA_ELIMIT);
	CHECK_STR(mark.name, "root/3");
	free(write_of(bundle));
}

/* The same files give the same bytes in whichever order; the manifest comes first; no times and owners. */
static void test_bytes(void)
{
	static const char *const names[] = { "/b/two", "/a/one", "/c" };
	struct archive *archives[2];
	const char *file = put_text("one", "first\n");
	for (unsigned backwards = 0; backwards < 2; backwards++) {
		struct perfdata_bundle_planned planned;
		struct perfdata_bundle *bundle = new_bundle(NULL);
		for (unsigned i = 0; i < 3; i++)
			CHECK_EQ(plan(bundle, PERFDATA_BUNDLE_OTHER, names[backwards ? 2 - i : i], file, &planned),
				 PERFDATA_OK);
		archives[backwards] = write_of(bundle);
	}
	CHECK(archives[0]->size == archives[1]->size && archives[0]->size % 512 == 0 &&
	      !memcmp(archives[0]->bytes, archives[1]->bytes, archives[0]->size));
	CHECK_STR(archives[0]->bytes, "perfdata-bundle.json");
	CHECK(!memcmp(archives[0]->bytes + 512, "{}", 3));
	unsigned entries = 0;
	for (size_t at = 0; at < archives[0]->size && archives[0]->bytes[at]; entries++) {
		const char *header = archives[0]->bytes + at;
		CHECK_EQ(strtoul(header + 108, NULL, 8) + strtoul(header + 116, NULL, 8), 0);   /* owners */
		CHECK_EQ(strtoul(header + 136, NULL, 8), 0);                                   /* time */
		at += 512 + (strtoul(header + 124, NULL, 8) + 511) / 512 * 512;
	}
	CHECK(entries >= 4);
	free(archives[0]);
	free(archives[1]);
}

static void test_failing_writes(void)
{
	const char *file = put_text("changes", "planned");
	struct archive archive = { .fails = PERFDATA_EWRITE };
	struct perfdata_bundle_planned planned;
	struct perfdata_error error = { 0 };
	struct perfdata_bundle *bundle = new_bundle(NULL);
	CHECK_EQ(plan(bundle, PERFDATA_BUNDLE_OTHER, "/changes", file, &planned), PERFDATA_OK);
	CHECK_EQ(perfdata_bundle_write(bundle, "{}", 2, keep, &archive, &error), PERFDATA_EWRITE);
	archive.fails = PERFDATA_OK;
	put_text("changes", "changed");
	CHECK_EQ(perfdata_bundle_write(bundle, "{}", 2, keep, &archive, &error), PERFDATA_EREAD);
	CHECK(error.message[0] && error.status == PERFDATA_EREAD);
	perfdata_bundle_free(bundle);
}

/* A cancel object ends planning and writing. */
static void test_cancelled(void)
{
	const struct perfdata_bundle_limits limits = { .cancel = perfdata_cancel_new() };
	struct perfdata_cancel *cancel = (struct perfdata_cancel *)limits.cancel;
	struct archive archive = { .size = 0 };
	struct perfdata_bundle_planned planned;
	struct perfdata_bundle *bundle = new_bundle(&limits);
	uint8_t sum[PERFDATA_SHA256_SIZE];
	uint64_t size;
	CHECK_EQ(plan(bundle, PERFDATA_BUNDLE_OTHER, "/a", put_text("one", "first\n"), &planned), PERFDATA_OK);
	perfdata_cancel_now(cancel);
	CHECK_EQ(plan(bundle, PERFDATA_BUNDLE_OTHER, "/b", put_text("two", "second\n"), &planned), PERFDATA_EINTR);
	CHECK_EQ(perfdata_bundle_write(bundle, "{}", 2, keep, &archive, NULL), PERFDATA_EINTR);
	CHECK_EQ(perfdata_file_sha256(in_folder("one"), cancel, sum, &size), PERFDATA_EINTR);
	perfdata_bundle_free(bundle);
	perfdata_cancel_free(cancel);
}

static void test_sums(void)
{
	static const uint8_t abc[] = { 0xba, 0x78, 0x16, 0xbf, 0x8f, 0x01, 0xcf, 0xea };
	uint8_t sum[PERFDATA_SHA256_SIZE];
	uint64_t size = 5;
	CHECK_EQ(perfdata_file_sha256(put_text("abc", "abc"), NULL, sum, &size), PERFDATA_OK);
	CHECK(size == 3 && !memcmp(sum, abc, sizeof abc));
	size = 5;
	errno = 0;
	CHECK_EQ(perfdata_file_sha256(in_folder("nosuch"), NULL, sum, &size), PERFDATA_EREAD);
	CHECK_EQ(errno, ENOENT);
	errno = 0;
	CHECK_EQ(perfdata_file_sha256(folder, NULL, sum, &size), PERFDATA_EREAD);
	CHECK(errno && size == 5);
	CHECK(!mkfifo(in_folder("fifo"), 0600));
	CHECK_EQ(perfdata_file_sha256(in_folder("fifo"), NULL, sum, &size), PERFDATA_EREAD);
}

/* --- reading ------------------------------------------------------------------------------------------------------ */

static void add_entry(struct archive *archive, const char *name, char type, const char *target, const char *bytes)
{
	char *header = archive->bytes + archive->size;
	unsigned sum = 8 * ' ';
	snprintf(header, 100, "%s", name);
	snprintf(header + 100, 8, "%07o", 0644u);
	snprintf(header + 124, 12, "%011o", (unsigned)strlen(bytes));
	header[156] = type;
	snprintf(header + 157, 100, "%s", target);
	memcpy(header + 257, "ustar\00000", 8);
	for (unsigned i = 0; i < 512; i++)
		sum += (unsigned char)header[i];
	snprintf(header + 148, 8, "%06o", sum);
	memcpy(header + 512, bytes, strlen(bytes));
	archive->size += 512 + (strlen(bytes) + 511) / 512 * 512;
}

static int get(struct perfdata_bundle_files *files, const char *archive, const char *name)
{
	char path[8300];
	snprintf(path, sizeof path, "%s/%s", archive, name);
	errno = 0;
	return perfdata_bundle_files_get(files, path);
}

struct getter { struct perfdata_bundle_files *files; const char *archive; atomic_uint nr; };

static void *get_often(void *user)
{
	struct getter *getter = user;
	for (unsigned i = 0; i < 200; i++) {
		char text[8] = "";
		const int fd = get(getter->files, getter->archive, "good");
		getter->nr += fd >= 0 && read(fd, text, sizeof text) == 4 && !memcmp(text, "text", 4);
		if (fd >= 0)
			close(fd);
	}
	return NULL;
}

/* Only plain relative names of files, and links that stay inside. */
static void test_strangers(void)
{
	static const char *const left_out[] = { "../up", "/etc/passwd", "a/../../b", "out", "far", "device", "pipe",
						"nosuch" };
	struct archive *archive = calloc(1, sizeof *archive);
	add_entry(archive, "good", '0', "", "text");
	add_entry(archive, "folder/inside", '2', "../good", "");
	add_entry(archive, "../up", '0', "", "secret");
	add_entry(archive, "/etc/passwd", '0', "", "secret");
	add_entry(archive, "a/../../b", '0', "", "secret");
	add_entry(archive, "out", '2', "../../../../../../../etc/passwd", "");
	add_entry(archive, "far", '2', "/etc/passwd", "");
	add_entry(archive, "device", '3', "", "");
	add_entry(archive, "pipe", '6', "", "");
	archive->size += 1024;
	const char *path = put("strangers.tar", archive->bytes, archive->size);
	char name[4300];
	snprintf(name, sizeof name, "%s", path);
	free(archive);
	struct perfdata_bundle_files *files = NULL;
	CHECK_EQ(perfdata_bundle_files_open(name, NULL, &files, NULL), PERFDATA_OK);
	for (size_t i = 0; i < sizeof left_out / sizeof *left_out; i++)
		CHECK(get(files, name, left_out[i]) == -1 && errno != 0);
	char text[8] = "";
	const int fd = get(files, name, "folder/inside");
	CHECK(fd >= 0 && read(fd, text, sizeof text) == 4 && !memcmp(text, "text", 4));
	close(fd);
	/* any thread */
	struct getter getter = { .files = files, .archive = name };
	pthread_t threads[4];
	for (unsigned i = 0; i < 4; i++)
		CHECK_EQ(pthread_create(&threads[i], NULL, get_often, &getter), 0);
	for (unsigned i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	CHECK_EQ(getter.nr, 4 * 200);
	perfdata_bundle_files_close(files);
}

static void test_no_archives(void)
{
	struct perfdata_bundle_files *const mark = (struct perfdata_bundle_files *)(void *)folder, *files = mark;
	struct perfdata_error error = { 0 };
	CHECK_EQ(perfdata_bundle_files_open(in_folder("nosuch"), NULL, &files, &error), PERFDATA_EREAD);
	CHECK(error.os_error == ENOENT && error.message[0]);
	CHECK_EQ(perfdata_bundle_files_open(put_text("text", "no archive"), NULL, &files, &error), PERFDATA_EFORMAT);
	CHECK(files == mark);
	CHECK_EQ(perfdata_bundle_files_open(folder, NULL, &files, &error), PERFDATA_OK);   /* a directory */
	const int fd = get(files, folder, "text");
	CHECK(fd >= 0 && get(files, folder, "../etc/passwd") == -1 && get(files, folder, "fifo") == -1);
	close(fd);
	perfdata_bundle_files_close(files);
}

/* --- match -------------------------------------------------------------------------------------------------------- */

static enum perfdata_status open_match(enum perfdata_match_source_kind kind, const char *path, bool is_optional,
				       struct perfdata_match **ret, struct perfdata_error *reterr)
{
	const struct perfdata_match_source source = { kind, path, is_optional };
	const struct perfdata_match_options options = { .size = sizeof options, .sources = &source, .nr_sources = 1 };
	return perfdata_match_open(&options, ret, reterr);
}

static void test_sources(void)
{
	struct perfdata_match *const mark = (struct perfdata_match *)(void *)folder, *match = mark;
	struct perfdata_error error = { 0 };
	static const enum perfdata_match_source_kind with_path[] = { PERFDATA_SOURCE_ROOT, PERFDATA_SOURCE_DEBUG_DIR,
								     PERFDATA_SOURCE_FILE, PERFDATA_SOURCE_LIST,
								     PERFDATA_SOURCE_FLAT };
	for (size_t i = 0; i < sizeof with_path / sizeof *with_path; i++) {
		CHECK_EQ(open_match(with_path[i], in_folder("nosuch"), false, &match, &error), PERFDATA_EREAD);
		CHECK(match == mark && error.message[0]);
		CHECK_EQ(open_match(with_path[i], in_folder("nosuch"), true, &match, &error), PERFDATA_OK);
		perfdata_match_close(match);
		match = mark;
	}
	CHECK_EQ(open_match(PERFDATA_SOURCE_FILE, put_text("text", "no ELF"), false, &match, &error), PERFDATA_EFORMAT);
	CHECK_EQ(open_match(PERFDATA_SOURCE_LIST, in_folder("text"), false, &match, &error), PERFDATA_EFORMAT);
	CHECK_EQ(open_match((enum perfdata_match_source_kind)99, folder, false, &match, &error), PERFDATA_EUSAGE);
	CHECK(match == mark);
}

/* Strings are copied, and what results point to lives as long as the match. */
static void test_lifetimes(void)
{
	static const uint8_t id[4] = { 0x12, 0x34, 0x56, 0x78 };
	char path[4300], wanted_path[] = "/usr/bin/work";
	const char *paths[] = { wanted_path };
	snprintf(path, sizeof path, "%s", put_text("list", "12345678 /usr/bin/work\n9abcdef0 /usr/lib/other.so\n"));
	struct perfdata_match *match = NULL;
	CHECK_EQ(open_match(PERFDATA_SOURCE_LIST, path, false, &match, NULL), PERFDATA_OK);
	memset(path, 'x', strlen(path));
	CHECK(!unlink(in_folder("list")));
	CHECK_EQ(perfdata_match_nr_found(match, 7), 0);
	struct perfdata_match_result results[2];
	for (unsigned i = 0; i < 2; i++) {
		const struct perfdata_match_wanted wanted = { .kind = PERFDATA_DSO_USER, .paths = paths, .nr_paths = 1,
							      .build_id = { id, sizeof id },
							      .unchanged_since = INT64_MAX };
		memset(&results[i], 0xff, sizeof results[i]);
		CHECK_EQ(perfdata_match_find(match, &wanted, 1, &results[i]), PERFDATA_OK);
	}
	memset(wanted_path, 'x', strlen(wanted_path));
	CHECK_EQ(perfdata_match_nr_found(match, 0), 2);   /* lines of the list, once for each search */
	for (unsigned i = 0; i < 2; i++) {
		CHECK_EQ(results[i].state, PERFDATA_MATCH_SAME);
		CHECK(results[i].found && !strcmp(results[i].found, "/usr/bin/work") && results[i].source == 0);
		CHECK(results[i].parts & PERFDATA_PART_UNSEEN && results[i].build_id.size == sizeof id &&
		      !memcmp(results[i].build_id.data, id, sizeof id));
	}
	perfdata_match_close(match);
}

static atomic_uint inside, most_inside, nr_progress;

static void on_progress(void *user, uint64_t nr_files)
{
	(void)user, (void)nr_files;
	const unsigned now = atomic_fetch_add(&inside, 1) + 1;
	if (now > most_inside)
		most_inside = now;
	nr_progress++;
	atomic_fetch_sub(&inside, 1);
}

/* Results are set in any case: also where searching was ended. on_progress runs once at a time. */
static void test_search(void)
{
	static const uint8_t id[20] = { 9 };
	static const char *const paths[] = { "/nowhere/to/be/found" };
	const struct perfdata_match_source source = { PERFDATA_SOURCE_ROOT, folder, false };
	const struct perfdata_match_wanted wanted = { .kind = PERFDATA_DSO_USER, .paths = paths, .nr_paths = 1,
						      .build_id = { id, sizeof id }, .unchanged_since = INT64_MAX };
	struct perfdata_cancel *cancel = perfdata_cancel_new();
	for (unsigned cancelled = 0; cancelled < 2; cancelled++) {
		const struct perfdata_match_options options = {
			.size = sizeof options, .sources = &source, .nr_sources = 1, .search = true, .threads = 4,
			.cancel = cancel, .on_progress = on_progress,
		};
		struct perfdata_match *match = NULL;
		struct perfdata_match_result result;
		memset(&result, 0xff, sizeof result);
		if (cancelled)
			perfdata_cancel_now(cancel);
		CHECK_EQ(perfdata_match_open(&options, &match, NULL), PERFDATA_OK);
		CHECK_EQ(perfdata_match_find(match, &wanted, 1, &result), cancelled ? PERFDATA_EINTR : PERFDATA_OK);
		CHECK(result.state == PERFDATA_MATCH_ABSENT || (cancelled && result.state == PERFDATA_MATCH_UNKNOWN));
		CHECK(result.source == SIZE_MAX && !result.found && !result.debug && !result.kallsyms);
		CHECK(cancelled || perfdata_match_nr_searched(match) > 0);
		perfdata_match_close(match);
	}
	CHECK(most_inside <= 1);
	perfdata_cancel_free(cancel);
}

static void test_names(void)
{
	enum perfdata_match_part part;
	uint32_t seen = 0;
	size_t nr = 0;
	for (int state = -1; state < 40; state++) {
		const char *name = perfdata_match_state_name((enum perfdata_match_state)state);
		CHECK(name && (*name || state < 0 || state > PERFDATA_MATCH_MEMORY));
		for (int other = 0; other < state && state <= PERFDATA_MATCH_MEMORY; other++)
			CHECK(strcmp(name, perfdata_match_state_name((enum perfdata_match_state)other)) != 0);
	}
	for (const char *name; (name = perfdata_match_part_name(nr, &part)); nr++) {
		CHECK(*name && part && !(part & (part - 1)) && !(seen & part));
		seen |= part;
	}
	CHECK(nr >= 6 && !perfdata_match_part_name(nr + 1, &part) && !perfdata_match_part_name(SIZE_MAX, &part));
}

static void remove_all(void)
{
	static const char *const names[] = { "one", "two", "text", "large", "many", "changes", "abc", "fifo",
					     "strangers.tar", "list" };
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		(void)unlink(in_folder(names[i]));
	(void)rmdir(folder);
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "what is planned", test_planned },
		{ "what is refused, and leaves the bundle usable", test_refused },
		{ "the same files give the same bytes", test_bytes },
		{ "writing that fails, and files that change", test_failing_writes },
		{ "what is cancelled", test_cancelled },
		{ "sums of files", test_sums },
		{ "archives of strangers", test_strangers },
		{ "no archives", test_no_archives },
		{ "sources of a match", test_sources },
		{ "strings of a match", test_lifetimes },
		{ "searching", test_search },
		{ "names of states and parts", test_names },
	};
	const ssize_t size = readlink("/proc/self/exe", program, sizeof program - 1);
	if (size <= 0 || !mkdtemp(folder)) {
		printf("Bail out! no place for files\n");
		return 1;
	}
	const int failed = unit_main(cases, sizeof cases / sizeof *cases);
	remove_all();
	return failed;
}
