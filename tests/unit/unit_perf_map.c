/* SPDX-License-Identifier: MIT */
/* Perf maps: which lines are entries, which of several entries names an address, and what is said about both. Names at
 * an address are those of perf 7.3, where nothing else is said; tests/perf/perf_maps.py compares with perf itself. */
#include "config.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "perfdata/symbols.h"
#include "symbols/symbols.h"
#include "symbol_dso.h"
#include "unit.h"

static char dir[] = "/tmp/perfdata-unit-perf-map-XXXXXX";
static char path[sizeof dir + 32];
static char said[1024];
static unsigned nr_said;

static void on_finding(void *user, const struct perfdata_finding *finding)
{
	(void)user;
	nr_said++;
	snprintf(said, sizeof said, "%u %s", finding->code, finding->message);
}

/* The dso of a map with this text; its names come from there, and the findings go to `said`. */
static struct perfdata_symbols_dso *open_map(struct perfdata_symbols **ret, const char *text, size_t size)
{
	struct perfdata_symbols_options options;
	FILE *file = fopen(path, "w");
	CHECK(file && fwrite(text, 1, size, file) == size && !fclose(file));
	perfdata_options_init(&options, sizeof options);
	options.symfs = dir;
	options.finding = on_finding;
	nr_said = 0;
	said[0] = '\0';
	*ret = new_symbols(&options);
	return new_dso(*ret, PERFDATA_DSO_PERF_MAP, "/tmp/perf-7.map");
}

static const char *name_at(struct perfdata_symbols_dso *dso, uint64_t address)
{
	struct perfdata_symbol s;
	return perfdata_symbols_lookup(dso, address, UINT64_MAX, &s) == PERFDATA_OK ? s.name : "";
}

/* --- lines -------------------------------------------------------------------------------------------------------- */

struct form {
	const char *text;
	const char *first, *last, *behind;   /* names at 1000, 100f and 1010 */
	unsigned odd;                        /* the number of the first line that is no entry */
};

static void test_forms(void)
{
	static const struct form forms[] = {
		{ "1000 10 name\n", "name", "name", "", 0 },
		{ "0x1000 0x10 name\n", "name", "name", "", 0 },
		{ "0X1000 0X10 NAME\n", "NAME", "NAME", "", 0 },
		{ "0x0000000000001000 0x10 of OpenJDK 17\n", "of OpenJDK 17", "of OpenJDK 17", "", 0 },
		{ "00000000000000000000001000 00000000000000000010 zeros\n", "zeros", "zeros", "", 0 },
		{ "  1000\t \t10\tblanks\n", "blanks", "blanks", "", 0 },
		{ "\v1000 +10 name\n", "name", "name", "", 0 },
		{ "+1000:10:name\n", "name", "name", "", 0 },
		{ "1000,10,name\n", "name", "name", "", 0 },
		{ "1000 10  begins with a blank\n", " begins with a blank", " begins with a blank", "", 0 },
		{ "1000 10 tab\tand 'quotes'\n", "tab\tand 'quotes'", "tab\tand 'quotes'", "", 0 },
		{ "1000 F name\n", "name", "", "", 0 },
		{ "1000 add hexadecimal words are numbers\n", "hexadecimal words are numbers",
		  "hexadecimal words are numbers", "hexadecimal words are numbers", 0 },
		{ "\n \n\t\r\n1000 10 empty lines\n\n", "empty lines", "empty lines", "", 0 },
		{ "1000 0 point\n", "point", "", "", 0 },
		{ "1000  nosize\n", "nosize", "", "", 0 },
		/* perf shows "osize" */
		{ "1000 nosize at all\n", "nosize at all", "", "", 0 },
		/* any character that is no digit ends a number */
		{ "1000h 10h name\n", " name", " name", "", 0 },
		{ "1000h 10 name\n", "name", "name", "", 0 },
		{ "0x1000h nosize\n", "nosize", "", "", 0 },
		{ "1000 10x name\n", " name", " name", "", 0 },
		{ "1000 0x name\n", " name", "", "", 0 },
		{ "1000-10-name\n", "name", "name", "", 0 },
		{ "1000|10|name\n", "name", "name", "", 0 },
		{ "1000. 10)name\n", "name", "name", "", 0 },
		/* perf shows "ame" */
		{ "1000 10name\n", "10name", "", "", 0 },
		/* perf shows the carriage return */
		{ "1000 10 name\r\n", "name", "name", "", 0 },
		/* perf shows "nam" */
		{ "1000 10 name", "name", "name", "", 0 },
		/* perf has no names of one or two characters */
		{ "1000 10 a\n1010 10 ab\n", "a", "a", "ab", 0 },
		{ "zz\n1000 10 name\n", "name", "name", "", 1 },
		{ "\n1000 10 name\n# text\n1000\nzz\n", "name", "name", "", 3 },
		{ "1000 10\n1000 10 name\n", "name", "name", "", 1 },
		{ "1000 10 \n1000 10 name\n", "name", "name", "", 1 },
		{ "1000\n1000 10 name\n", "name", "name", "", 1 },
		{ "10000000000001000 10 name\n", "", "", "", 1 },
		{ "1000 10000000000000010 name\n", "", "", "", 1 },
		{ "-1000 10 name\n", "", "", "", 1 },
		{ "1000 -10 name\n", "", "", "", 1 },
		{ "0x 10 name\n", "", "", "", 0 },
		{ "1000name 10\n", "", "", "", 1 },
		{ "\xef\xbb\xbf" "1000 10 byte order mark\n1000 10 name\n", "name", "name", "", 1 },
	};
	for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
		const struct form *f = &forms[i];
		struct perfdata_symbols *symbols;
		struct perfdata_symbols_dso *dso = open_map(&symbols, f->text, strlen(f->text));
		char line[32];
		snprintf(line, sizeof line, ": line %u", f->odd);
		if (strcmp(name_at(dso, 0x1000), f->first) || strcmp(name_at(dso, 0x100f), f->last) ||
		    strcmp(name_at(dso, 0x1010), f->behind) || nr_said != (f->odd ? 1 : 0) ||
		    (f->odd && !strstr(said, line)))
			printf("# form %zu: %s, %s, %s, %u: %s\n", i, name_at(dso, 0x1000), name_at(dso, 0x100f),
			       name_at(dso, 0x1010), nr_said, said);
		CHECK_STR(name_at(dso, 0x1000), f->first);
		CHECK_STR(name_at(dso, 0x100f), f->last);
		CHECK_STR(name_at(dso, 0x1010), f->behind);
		CHECK_EQ(nr_said, f->odd ? 1 : 0);
		CHECK(!f->odd || strstr(said, line));
		perfdata_symbols_free(symbols);
	}
}

static void test_odd_lines(void)
{
	struct perfdata_symbols *symbols;
	char text[600] = "1000 10 name\n\n\x1b]0;title\a\xff'\n";
	struct perfdata_symbols_dso *dso = open_map(&symbols, text, strlen(text));
	CHECK_STR(name_at(dso, 0x1000), "name");
	CHECK(strstr(said, "802 ") == said);
	CHECK(strstr(said, ": 1 of its lines is no entry (START SIZE NAME): line 3 is "));
	CHECK(strstr(said, "'\\x1b]0;title\\x07\\xff''"));
	perfdata_symbols_free(symbols);
	memset(text, 'z', sizeof text - 1);
	dso = open_map(&symbols, text, sizeof text - 1);
	CHECK_STR(name_at(dso, 0x1000), "");
	CHECK_EQ(nr_said, 1);
	CHECK(strstr(said, "zzz...'") && strlen(said) < 400);
	perfdata_symbols_free(symbols);
	dso = open_map(&symbols, "1000\0 10 name\n2000 10 other\nxx\nyy\n", 34);
	CHECK_STR(name_at(dso, 0x2000), "other");
	CHECK(strstr(said, ": 3 of its lines are no entry (START SIZE NAME): line 1, the first of them, is '1000'"));
	perfdata_symbols_free(symbols);
}

/* --- overlapping entries ------------------------------------------------------------------------------------------ */

static void check_at(const char *text, uint64_t address, const char *want, bool ambiguous)
{
	struct perfdata_symbols *symbols;
	struct perfdata_symbols_dso *dso = open_map(&symbols, text, strlen(text));
	CHECK_STR(name_at(dso, address), want);
	CHECK_EQ(pd_symbols_differ(dso, address), ambiguous);
	perfdata_symbols_free(symbols);
}

static void test_overlaps(void)
{
	static const char contained[] = "1000 100 parse\n1040 20 addCleanup\n";
	static const char reversed[] = "1040 20 addCleanup\n1000 100 parse\n";
	static const char partial[] = "1000 100 one\n1080 100 two\n";
	static const char by_one[] = "1000 10 one\n100f 10 two\n";
	static const char again[] = "1000 100 one\n1000 80 two\n1000 100 one\n";
	static const char same[] = "1000 100 one\n1000 100 one\n";
	/* the tree of perf has "three" on top, and "one" below to the left: it turns right at "three" */
	static const char missed[] = "1000 1000 one\n1100 10 two\n1200 10 three\n";
	/* perf's tree has no names of one or two characters, which would turn it */
	static const char between[] = "1000 100 one\n1010 100 ab\n1020 100 two\n";
	static const char shorts[] = "1000 100 a\n1010 80 ab\n1010 10 name\n";
	static const char apart[] = "1000 10 one\n1010 10 two\n";
	check_at(contained, 0x103f, "parse", false);
	check_at(contained, 0x1040, "parse", true);
	check_at(contained, 0x1060, "parse", false);
	check_at(reversed, 0x1040, "addCleanup", true);
	check_at(reversed, 0x1020, "parse", false);
	check_at(reversed, 0x1060, "parse", false);
	check_at(by_one, 0x100e, "one", false);
	check_at(by_one, 0x100f, "one", true);
	check_at(by_one, 0x1010, "two", false);
	check_at(partial, 0x107f, "one", false);
	check_at(partial, 0x1080, "one", true);
	check_at(partial, 0x1100, "two", false);
	check_at(partial, 0x1180, "", false);
	check_at(again, 0x1000, "two", true);
	check_at(again, 0x1080, "one", false);
	check_at(same, 0x1000, "one", false);
	check_at(missed, 0x1300, "one", false);
	check_at(missed, 0x1105, "two", true);
	check_at(between, 0x1025, "one", true);
	check_at(between, 0x1105, "two", true);
	check_at(between, 0x1115, "two", false);
	check_at(shorts, 0x1000, "a", false);
	check_at(shorts, 0x1010, "name", true);
	check_at(shorts, 0x1020, "ab", true);
	check_at(shorts, 0x10a0, "a", false);
	check_at("1000 10 ab\n1000 10 name\n1000 20 cd\n", 0x1000, "name", true);
	check_at("1000 10 ab\n1000 10 name\n1000 20 cd\n", 0x1010, "cd", false);
	check_at(apart, 0x100f, "one", false);
	check_at(apart, 0x1010, "two", false);
	check_at("1000 0 point\n1000 10 name\n", 0x1000, "point", true);
	check_at("1000 0 point\n1000 10 name\n", 0x1001, "name", false);
	check_at("fffffffffffffff0 ff last\nfffffffffffffff8 1 inner\n", UINT64_MAX - 1, "last", false);
}

/* One entry around very many, some of them around others: each address has a name, and finding it takes steps that grow
 * with the height of the tree alone. */
static void test_covered(void)
{
	enum { NR = 50000 };
	const size_t room = (size_t)NR * 48 + 64;
	char *text = malloc(room);
	CHECK(text);
	size_t used = (size_t)snprintf(text, room, "100000 10000000 around\n");
	for (unsigned i = 0; i < NR; i++)
		used += (size_t)snprintf(text + used, room - used, "%x 8 f%u\n%x %x nested%u\n", 0x100000 + i * 16, i,
					 0x100004 + i * 16, 2 * (NR - i) + 1, i);
	struct perfdata_symbols *symbols;
	struct perfdata_symbols_dso *dso = open_map(&symbols, text, used);
	unsigned named = 0;
	for (unsigned i = 0; i < NR; i++)
		named += *name_at(dso, 0x10000c + i * 16) != '\0' && *name_at(dso, 0xf00000 + i) == 'a';
	CHECK_EQ(named, NR);
	CHECK_STR(name_at(dso, 0x10100000), "");
	perfdata_symbols_free(symbols);
	free(text);
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "lines: every form that perf takes", test_forms },
		{ "lines: which one is no entry", test_odd_lines },
		{ "overlaps: which of several entries", test_overlaps },
		{ "overlaps: an entry around many", test_covered },
	};
	char tmp[sizeof dir + 4];
	if (!mkdtemp(dir)) {
		printf("Bail out! no place for files\n");
		return 1;
	}
	snprintf(tmp, sizeof tmp, "%s/tmp", dir);
	snprintf(path, sizeof path, "%s/tmp/perf-7.map", dir);
	CHECK(!mkdir(tmp, 0700));
	const int failed = unit_main(cases, sizeof cases / sizeof *cases);
	(void)unlink(path);
	(void)rmdir(tmp);
	(void)rmdir(dir);
	return failed;
}
