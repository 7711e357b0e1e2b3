/* SPDX-License-Identifier: MIT */
/* Tables of kallsyms texts: which lines are symbols, which of several is shown, and where each ends. */
#include "config.h"
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>
#include "symbols/table/symbol_table.h"
#include "unit.h"

static enum perfdata_status load_text(struct pd_kallsyms_table *table, struct pd_odd_lines *odd, const char *text,
				      size_t size)
{
	char path[] = "/tmp/perfdata-unit-kallsyms-XXXXXX";
	const int fd = mkstemp(path);
	*table = (struct pd_kallsyms_table){ .text = NULL };
	CHECK(fd >= 0 && !unlink(path) && write(fd, text, size) == (ssize_t)size && !lseek(fd, 0, SEEK_SET));
	const enum perfdata_status status = pd_kallsyms_load(table, fd, odd);
	close(fd);
	return status;
}

/* Returns "NAME[MODULE] START+SIZE" of the symbol at an address; "-": there is none. */
static const char *symbol_at(const struct pd_kallsyms_table *table, uint64_t address)
{
	static char shown[256];
	struct perfdata_symbol s;
	if (!pd_kallsyms_find(table, address, &s))
		return "-";
	CHECK_EQ(s.offset, address - s.start);
	snprintf(shown, sizeof shown, "%s%s%s%s %" PRIx64 "+%" PRIx64, s.name, s.module ? "[" : "",
		 s.module ? s.module : "", s.module ? "]" : "", s.start, s.size);
	return shown;
}

#define ONE "ffffffff81000000 "
#define TWO "ffffffff81000040 "

/* Each text has a symbol at ONE, and most have `two` at TWO. */
static void test_lines(void)
{
	static const struct {
		const char *text, *at_one;
	} cases[] = {
		{ ONE "T one\n" TWO "t two\n", "one ffffffff81000000+40" },
		{ ONE "T one\r\n" TWO "t two\n", "one\r ffffffff81000000+40" },
		{ "FFFFFFFF81000000 T one\n" TWO "t two\n", "one ffffffff81000000+40" },
		{ ONE "T one\t[mod]\n" TWO "t two\t[mod]", "one[mod] ffffffff81000000+40" },
		{ ONE "T one [mod\n" TWO "t two\t \t[mod]x", "one[mod] ffffffff81000000+40" },
		{ ONE "T one[mod]\n" TWO "t two\n", "one[mod] ffffffff81000000+40" },   /* a name with a bracket */
		{ ONE "T [mod]\n" TWO "t two\n", "[mod] ffffffff81000000+40" },
		{ ONE "T \t[mod]\n" TWO "t two\t[mod]\n", "[mod] ffffffff81000000+40" },   /* an empty name */
		{ ONE "T one\t[]\n" TWO "t two\t[]\n", "one[] ffffffff81000000+40" },
		/* what the table leaves out */
		{ ONE "T one\n" TWO "R constant\n" TWO "T $x\n" TWO "T \n", "one ffffffff81000000+1000" },
		{ ONE "T one\n0000000000000000 T hidden\n" TWO "T two\n", "one ffffffff81000000+40" },
		/* the last one of the kernel, and of a module */
		{ ONE "T one\n", "one ffffffff81000000+1000" },
		{ ONE "T one\n" TWO "t two\t[mod]\n", "one ffffffff81000000+1000" },
		{ ONE "T one\t[mod]\n" TWO "t two\t[mode]\n", "one[mod] ffffffff81000000+1000" },
		/* several at one address */
		{ ONE "T one\n" ONE "t other\n" TWO "t two\n", "other ffffffff81000000+40" },
		{ ONE "T longer_name\n" ONE "W weak\n" TWO "t two\n", "weak ffffffff81000000+40" },
		{ ONE "T one\t[mod]\n" ONE "T other\n" TWO "t two\n", "other ffffffff81000000+40" },
		{ ONE "T another\t[mod]\n" ONE "T one\n" TWO "t two\n", "another[mod] ffffffff81000000+1000" },
		{ ONE "T one\t[mod]\n" ONE "W other\n" TWO "t two\n", "one[mod] ffffffff81000000+1000" },
		{ ONE "t a\n" TWO "t two\n" ONE "t b\n" "ffffffff80000000 t low\n", "b ffffffff81000000+40" },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct pd_kallsyms_table table;
		struct pd_odd_lines odd;
		CHECK_EQ(load_text(&table, &odd, cases[i].text, strlen(cases[i].text)), PERFDATA_OK);
		CHECK_STR(symbol_at(&table, 0xffffffff81000000), cases[i].at_one);
		CHECK_STR(symbol_at(&table, 0xffffffff7fffffff), "-");
		CHECK_EQ(odd.count, 0);
		pd_kallsyms_release(&table);
	}
}

static void test_odd_lines(void)
{
	static const char text[] = "\n \t\n" ONE "T one\nffffffff8100004 \nffffffff8100004g T x\n" ONE "Tx\n" ONE "\n"
				   "01234567890123456 T x\nffffffff8100004\0 T x\n" TWO "t two";
	struct pd_kallsyms_table table;
	struct pd_odd_lines odd;
	CHECK_EQ(load_text(&table, &odd, text, sizeof text - 1), PERFDATA_OK);
	CHECK_EQ(table.count, 2);
	CHECK_EQ(odd.count, 6);
	CHECK_EQ(odd.first, 4);
	CHECK_STR(odd.text, "ffffffff8100004 ");
	CHECK_STR(symbol_at(&table, 0xffffffff81000040), "two ffffffff81000040+1fc0");
	pd_kallsyms_release(&table);
	CHECK_EQ(load_text(&table, &odd, text, 5), PERFDATA_EFORMAT);
	CHECK_EQ(load_text(&table, &odd, "0000000000000000 T x", 20), PERFDATA_ABSENT);
}

/* No address follows the highest one, so no symbol there has a size. */
static void test_highest_address(void)
{
	static const char text[] = "ffffffffffffffff t longer\nffffffffffffffff T a\nffffffffffffffff T bc\n"
				   "ffffffffffffffff W weaker\nfffffffffffffffe t before\n";
	struct pd_kallsyms_table table;
	struct pd_odd_lines odd;
	CHECK_EQ(load_text(&table, &odd, text, sizeof text - 1), PERFDATA_OK);
	CHECK_STR(symbol_at(&table, UINT64_MAX), "bc ffffffffffffffff+0");
	CHECK_STR(symbol_at(&table, UINT64_MAX - 1), "before fffffffffffffffe+1");
	pd_kallsyms_release(&table);
}

static void test_long_names(void)
{
	enum { LENGTH = 20000 };
	static char text[LENGTH + 128];
	struct pd_kallsyms_table table;
	struct pd_odd_lines odd;
	struct perfdata_symbol s;
	int size = snprintf(text, sizeof text, ONE "T %0*d\t[mod]\n" TWO "T two\n", LENGTH, 0);
	CHECK_EQ(load_text(&table, &odd, text, (size_t)size), PERFDATA_OK);
	CHECK(pd_kallsyms_find(&table, 0xffffffff81000000, &s));
	CHECK_EQ(strlen(s.name), PD_SYMBOL_NAME_LIMIT - 1);
	CHECK_STR(s.module, "mod");
	pd_kallsyms_release(&table);
}

/* Symbols of modules follow those of the kernel, in no order, and may be among them. */
static void test_order(void)
{
	enum { NR = 4000, STEP = 0x20 };
	static char text[NR * 64];
	struct pd_kallsyms_table table;
	struct pd_odd_lines odd;
	size_t size = 0;
	for (unsigned i = 0; i < NR; i++) {
		/* each number once: the first half of the lines has the even ones in order */
		const unsigned number = i < NR / 2 ? 2 * i : 2 * ((i - NR / 2) * 1031 % (NR / 2)) + 1;
		size += (size_t)snprintf(text + size, sizeof text - size, "%016x t n%u\n", (number + 1) * STEP, number);
	}
	CHECK_EQ(load_text(&table, &odd, text, size), PERFDATA_OK);
	CHECK_EQ(table.count, NR);
	for (unsigned i = 0; i + 1 < NR; i++) {
		char wanted[64];
		snprintf(wanted, sizeof wanted, "n%u %x+%x", i, (i + 1) * STEP, STEP);
		if (strcmp(symbol_at(&table, (i + 1) * STEP + i % STEP), wanted)) {
			FAIL(wanted);
			break;
		}
	}
	pd_kallsyms_release(&table);
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "lines", test_lines },
		{ "lines that are no symbols", test_odd_lines },
		{ "the highest address", test_highest_address },
		{ "long names", test_long_names },
		{ "symbols in no order", test_order },
	};
	return unit_main(cases, sizeof cases / sizeof *cases);
}
