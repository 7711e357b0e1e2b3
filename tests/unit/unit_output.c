/* SPDX-License-Identifier: MIT */
/* Files of outputs: names that they get when they are whole, folders that are made and taken back, temporary names and
 * their locks; on file systems that know files without names, and on others. */
#include "config.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include "run/output_impl.h"
#include "refuse_nameless.h"
#include "unit.h"

static char folder[] = "/tmp/unit_output.XXXXXX";
/* --- helpers ------------------------------------------------------------------------------------------------------ */

static const char *in_folder(const char *name)
{
	static char paths[4][4200];
	static unsigned next;
	char *path = paths[next++ % 4];
	snprintf(path, sizeof paths[0], "%s/%s", folder, name);
	return path;
}

static bool exists(const char *name)
{
	struct stat status;
	return !lstat(in_folder(name), &status);
}

static unsigned entries(const char *name)
{
	unsigned nr = 0;
	DIR *directory = opendir(in_folder(name));
	while (directory && readdir(directory))
		nr++;
	if (directory)
		closedir(directory);
	return nr < 2 ? 0 : nr - 2;
}

static struct perfdata_output *opened(const char *name, unsigned flags)
{
	struct perfdata_error error = { 0 };
	struct perfdata_output *output = perfdata_output_path(in_folder(name), flags);
	CHECK_EQ(perfdata_output_open(output, &error), PERFDATA_OK);
	CHECK_EQ(perfdata_output_write(output, "x", 1), PERFDATA_OK);
	return output;
}

static void ended(struct perfdata_output *output, bool keep)
{
	CHECK_EQ(perfdata_output_close(output, keep, NULL), PERFDATA_OK);
}

/* --- tests -------------------------------------------------------------------------------------------------------- */

static void folders(void)
{
	struct perfdata_error error = { 0 };
	struct perfdata_output *output = perfdata_output_path(in_folder("a/b/c"), 0);
	CHECK_EQ(perfdata_output_open(output, &error), PERFDATA_EWRITE);
	ended(output, false);
	CHECK(!exists("a"));

	/* with the first that is kept; those of one that is not go, as far as nobody else uses them */
	output = opened("a/b/c", PERFDATA_OUTPUT_FOLDERS);
	struct perfdata_output *other = opened("a/d", PERFDATA_OUTPUT_FOLDERS);
	ended(output, false);
	CHECK(!exists("a/b"));
	ended(other, true);
	CHECK(exists("a/d"));

	/* they went while another one was written */
	output = opened("e/f/g", PERFDATA_OUTPUT_FOLDERS);
	other = opened("e/f/h", PERFDATA_OUTPUT_FOLDERS);
	ended(output, false);
	ended(other, true);
	CHECK(exists("e/f/h"));
	CHECK_EQ(entries("e/f"), 1);

	/* a file where a folder should be */
	output = perfdata_output_path(in_folder("a/d/x"), PERFDATA_OUTPUT_FOLDERS);
	CHECK_EQ(perfdata_output_open(output, &error), PERFDATA_EWRITE);
	ended(output, false);
	unlink(in_folder("a/d"));
	unlink(in_folder("e/f/h"));
	rmdir(in_folder("a"));
	rmdir(in_folder("e/f"));
	rmdir(in_folder("e"));
	CHECK_EQ(entries("."), 0);
}

static void collect(void *user, const char *path)
{
	char *all = user;
	strcat(all, path + strlen(folder));
	strcat(all, " ");
}

static void beside(void)
{
	struct perfdata_output *output = perfdata_output_path(in_folder("x.csv"), PERFDATA_OUTPUT_FOLDERS),
			       *other = NULL;
	struct perfdata_error error = { 0 };
	char all[1000] = "";
	char head[4200];
	snprintf(head, sizeof head, "%s/", folder);
	CHECK_EQ(perfdata_output_beside(output, head, "/x.csv"), PERFDATA_OK);
	perfdata_output_each_path(output, collect, all);
	CHECK_STR(all, "");
	CHECK_EQ(perfdata_output_open(output, &error), PERFDATA_OK);
	CHECK_EQ(pd_output_open_other(output, "stacks", "csv", &other, &error), PERFDATA_OK);
	CHECK_EQ(perfdata_output_write(other, "y", 1), PERFDATA_OK);
	CHECK_EQ(pd_output_open_other(output, "sched:a/b", "csv", &other, &error), PERFDATA_OK);
	perfdata_output_each_path(output, collect, all);
	CHECK_STR(all, "/x.csv /sched:a_b/x.csv /stacks/x.csv ");
	ended(output, true);
	CHECK(exists("x.csv") && exists("stacks/x.csv") && exists("sched:a_b/x.csv"));
	unlink(in_folder("x.csv"));
	unlink(in_folder("stacks/x.csv"));
	unlink(in_folder("sched:a_b/x.csv"));
	rmdir(in_folder("stacks"));
	rmdir(in_folder("sched:a_b"));
	CHECK_EQ(entries("."), 0);
}

static void temporary_names(void)
{
	static const char *const names[] = { ".perfdata-1-0.tmp", ".perfdata-22-333.tmp", ".perfdata-.tmp",
					     ".perfdata-1-0x.tmp", "perfdata-1-0.tmp" };
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		close(open(in_folder(names[i]), O_WRONLY | O_CREAT, 0600));
	CHECK_EQ(symlink("/etc/passwd", in_folder(".perfdata-5-5.tmp")), 0);
	CHECK_EQ(mkdir(in_folder(".perfdata-6-6.tmp"), 0700), 0);
	const int living = open(in_folder(names[1]), O_RDWR);
	CHECK_EQ(flock(living, LOCK_EX), 0);
	struct perfdata_output *output = opened("x", 0);
	const unsigned before = entries(".");
	CHECK_EQ(before, refuse_nameless ? 8 : 7);
	/* ".perfdata-.tmp" is of ours too, by its form */
	CHECK_EQ(perfdata_output_clean(folder), 2);
	CHECK_EQ(entries("."), before - 2);
	CHECK(!exists(names[0]) && exists(names[1]) && exists(".perfdata-5-5.tmp"));
	ended(output, true);
	CHECK(exists("x"));
	close(living);
	CHECK_EQ(perfdata_output_clean(folder), 1);
	CHECK_EQ(perfdata_output_clean("/nowhere/at/all"), 0);
	unlink(in_folder(names[3]));
	unlink(in_folder(names[4]));
	unlink(in_folder("x"));
	unlink(in_folder(".perfdata-5-5.tmp"));
	rmdir(in_folder(".perfdata-6-6.tmp"));
	CHECK_EQ(entries("."), 0);
}

/* Somebody took the file for one that was left before it was locked: another number is tried. */
static void taken_names(void)
{
	char name[64];
	pd_output_temporary_name(name, sizeof name, 0);
	const int fd = open(in_folder(name), O_RDWR | O_CREAT, 0600);
	CHECK(pd_output_temporary_own(fd, in_folder(name)));
	const int other = open(in_folder(name), O_RDWR);
	CHECK(!pd_output_temporary_own(other, in_folder(name)));
	unlink(in_folder(name));
	CHECK(!pd_output_temporary_own(fd, in_folder(name)));
	close(other);
	close(fd);
}

static void replaced(void)
{
	ended(opened("x", 0), true);
	struct perfdata_output *output = opened("x", PERFDATA_OUTPUT_FORCE);
	CHECK_EQ(perfdata_output_write(output, "yz", 2), PERFDATA_OK);
	ended(output, true);
	struct stat status;
	CHECK(!stat(in_folder("x"), &status) && status.st_size == 3);
	CHECK_EQ(entries("."), 1);
	struct perfdata_error error = { 0 };
	output = perfdata_output_path(in_folder("x"), 0);
	CHECK_EQ(perfdata_output_open(output, &error), PERFDATA_EUSAGE);
	CHECK_EQ(error.os_error, EEXIST);
	ended(output, false);
	unlink(in_folder("x"));
}

static struct perfdata_output *opened_two(unsigned flags)
{
	struct perfdata_error error = { 0 };
	struct perfdata_output *output = perfdata_output_path(in_folder("x.csv"), flags | PERFDATA_OUTPUT_FOLDERS),
			       *other = NULL;
	char head[4200];
	snprintf(head, sizeof head, "%s/", folder);
	CHECK_EQ(perfdata_output_beside(output, head, "/x.csv"), PERFDATA_OK);
	CHECK_EQ(perfdata_output_open(output, &error), PERFDATA_OK);
	CHECK_EQ(perfdata_output_write(output, "new", 3), PERFDATA_OK);
	CHECK_EQ(pd_output_open_other(output, "stacks", "csv", &other, &error), PERFDATA_OK);
	CHECK_EQ(perfdata_output_write(other, "new", 3), PERFDATA_OK);
	return output;
}

static void failed(struct perfdata_output *output)
{
	struct perfdata_error error = { 0 };
	CHECK_EQ(perfdata_output_close(output, true, &error), PERFDATA_EWRITE);
	CHECK_EQ(error.status, PERFDATA_EWRITE);
}

/* One file cannot have its name: no other gets one, and what stood there stays. */
static void together(void)
{
	struct perfdata_output *output = opened_two(0);
	close(open(in_folder("stacks/x.csv"), O_WRONLY | O_CREAT, 0600));
	failed(output);
	CHECK(!exists("x.csv") && exists("stacks/x.csv") && entries("stacks") == 1);
	unlink(in_folder("stacks/x.csv"));
	rmdir(in_folder("stacks"));

	ended(opened("x.csv", 0), true);
	output = opened_two(PERFDATA_OUTPUT_FORCE);
	CHECK_EQ(rename(in_folder("stacks"), in_folder("moved")), 0);
	close(open(in_folder("stacks"), O_WRONLY | O_CREAT, 0600));
	failed(output);
	struct stat status;
	CHECK(!stat(in_folder("x.csv"), &status) && status.st_size == 1);
	perfdata_output_clean(in_folder("moved"));
	unlink(in_folder("x.csv"));
	unlink(in_folder("stacks"));
	rmdir(in_folder("moved"));
	CHECK_EQ(entries("."), 0);
}

static void without_names(void)
{
	refuse_nameless = true;
	together();
	folders();
	beside();
	temporary_names();
	replaced();
	refuse_nameless = false;
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "folders are made and taken back", folders },
		{ "outputs beside an output", beside },
		{ "temporary files that were left", temporary_names },
		{ "temporary names that somebody took", taken_names },
		{ "files are replaced", replaced },
		{ "several files are kept together or not at all", together },
		{ "the same where each file has a name", without_names },
	};
	if (!mkdtemp(folder))
		return 1;
	const int result = unit_main(cases, sizeof cases / sizeof *cases);
	rmdir(folder);
	return result;
}
