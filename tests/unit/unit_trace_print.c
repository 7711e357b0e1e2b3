/* SPDX-License-Identifier: MIT */
/* Print formats: the text of an event. What is expected here is what perf 7.3 printed for the same format and bytes,
 * with its oddities. */
#include <stdlib.h>

#include "perfdata/trace.h"
#include "schema/trace.h"
#include "trace_format.h"
#include "trace_part.h"
#include "alloc_fail_pieces.h"
#include "unit.h"

#define HEAD \
	"name: ev\nID: 7\nformat:\n" \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n" \
	"\tfield:u8 a;\toffset:8;\tsize:1;\tsigned:0;\n" \
	"\tfield:s8 b;\toffset:9;\tsize:1;\tsigned:1;\n" \
	"\tfield:u16 c;\toffset:10;\tsize:2;\tsigned:0;\n" \
	"\tfield:u32 e;\toffset:12;\tsize:4;\tsigned:0;\n" \
	"\tfield:int f;\toffset:16;\tsize:4;\tsigned:1;\n" \
	"\tfield:__rel_loc char[] dyn;\toffset:20;\tsize:4;\tsigned:0;\n" \
	"\tfield:s64 h;\toffset:24;\tsize:8;\tsigned:1;\n" \
	"\tfield:void * p;\toffset:32;\tsize:8;\tsigned:0;\n" \
	"\tfield:char str[8];\toffset:40;\tsize:8;\tsigned:0;\n" \
	"\tfield:u8 mac[6];\toffset:48;\tsize:6;\tsigned:0;\n" \
	"\tfield:bool bo;\toffset:54;\tsize:1;\tsigned:0;\n" \
	"\tfield:u8 ip6[16];\toffset:56;\tsize:16;\tsigned:0;\n" \
	"\tfield:u32 arr[4];\toffset:72;\tsize:16;\tsigned:0;\n" \
	"\tfield:__data_loc u32[] da;\toffset:88;\tsize:4;\tsigned:0;\n" \
	"\tfield:__data_loc cpumask_t mask;\toffset:92;\tsize:4;\tsigned:0;\n" \
	"\tfield:__data_loc u8[] sa;\toffset:96;\tsize:4;\tsigned:0;\n" \
	"\nprint fmt: "

static const uint8_t raw_bytes[] = {
	7, 0, 0, 0, 0xd2, 4, 0, 0,
	200, 0xc8, 0x60, 0xea, 0, 0x28, 0x6b, 0xee, 0xfa, 0xff, 0xff, 0xff,
	76, 0, 8, 0,                                                    /* dyn: 8 bytes at 24 + 76 = 100 */
	0xf9, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
	0x34, 0x12, 0, 0x81, 0xff, 0xff, 0xff, 0xff,
	'h', 'e', 'l', 'l', 'o', 0, 'z', 'z',
	0, 0x1b, 0xaa, 3, 4, 0xff, 1, 0,
	0x20, 1, 0xd, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1,
	1, 0, 0, 0, 2, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 4, 0, 0, 0,
	108, 0, 12, 0,                                                  /* da: 12 bytes at 108 */
	120, 0, 8, 0,                                                   /* mask: 8 bytes at 120 */
	128, 0, 16, 0,                                                  /* sa: 16 bytes at 128 */
	'd', 'y', 'n', 'a', 'm', 'i', 'c', 0,
	10, 0, 0, 0, 0xf0, 0xff, 0xff, 0xff, 12, 0, 0, 0,
	0xf1, 0xf0, 0, 0, 0, 0, 0, 0,
	2, 0, 0, 80, 127, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0,
};

static bool symbol(void *user, uint64_t address, struct perfdata_trace_symbol *ret_symbol)
{
	(void)user;
	if (address < 0xffffffff81001000)
		return false;
	*ret_symbol = (struct perfdata_trace_symbol){ "the_function_", 12, 0xffffffff81001200 };
	return true;
}

static struct perfdata_trace *compile(const char *print, const struct perfdata_trace_event **ret_event)
{
	struct perfdata_trace *trace = NULL;
	const size_t size = sizeof HEAD + strlen(print);
	char *text = malloc(size);

	snprintf(text, size, HEAD "%s", print);
	CHECK_EQ(load_trace_format(false, 8, text, size - 1, &trace, NULL), PERFDATA_OK);
	free(text);
	*ret_event = pd_trace_event(trace, 7);
	CHECK(*ret_event != NULL);
	return trace;
}

/* The text of the event, NUL-terminated; free it. */
static char *printed(const char *print, size_t raw_size, bool symbols, enum perfdata_status *ret_status)
{
	const struct perfdata_trace_event *event;
	struct perfdata_trace *trace = compile(print, &event);
	const struct perfdata_trace_context context = { .trace = trace, .symbol = symbols ? symbol : NULL };
	uint8_t *exact = malloc(raw_size ? raw_size : 1);
	struct perfdata_text text;

	memcpy(exact, raw_bytes, raw_size);
	perfdata_text_init(&text);
	const enum perfdata_status status =
		pd_trace_print(event, (struct perfdata_bytes){ exact, raw_size }, &context, &text);
	if (ret_status)
		*ret_status = status;
	perfdata_text_char(&text, 0);
	pd_trace_free(trace);
	free(exact);
	return text.data;
}

struct want {
	const char *print, *text;
};

static void check_all(const struct want *want, size_t count, bool symbols)
{
	for (size_t i = 0; i < count; i++) {
		enum perfdata_status status = PERFDATA_EUSAGE;
		char *text = printed(want[i].print, sizeof raw_bytes, symbols, &status);
		CHECK_STR(text, want[i].text);
		CHECK_EQ(status, PERFDATA_OK);
		free(text);
	}
}
#define CHECK_ALL(want, symbols) check_all(want, sizeof(want) / sizeof *(want), symbols)

static void numbers(void)
{
	static const struct want want[] = {
		{ "\"%d %u %x %#x %o %X\", REC->a, REC->a, REC->a, REC->a, REC->a, REC->a", "200 200 c8 0xc8 310 C8" },
		{ "\"%d %d %lld\", REC->b, REC->f, REC->f", "200 -6 4294967290" },
		{ "\"%hhd %hd %hx %lu %zd %lld\", REC->a, REC->c, REC->c, REC->h, REC->h, REC->h",
		  "-56 -5536 ea60 18446744073709551609 -7 -7" },
		{ "\"%5d|%-5d|%05d|%+d|%.3d|%5.3d|%-8.3x|\", REC->f, REC->f, REC->f, REC->a, 7, 7, 7",
		  "   -6|-6   |-0006|+200|007|  007|007     |" },
		{ "\"%08lx %#010x %*d|%-*d|%.*d\", REC->a, REC->e, 8, REC->f, 4, 5, 3, 5",
		  "000000c8 0xee6b2800       -6|5   |005" },
		{ "\"%c|%3c|%-3c|%c\", 65, 66, 67, 'D'", "A|  B|C  |D" },
		{ "\"100% sure %d %y %5%\", REC->a", "100> <sure 200 >y< >%<" },
		{ "\"%d%% \\\"q\\\" \\\\ \\x41\\t|\\n\", 5", "5% \"q\" \\ x41\t|\n" },
		{ "\"a\" \"b\"  \"%d\", REC->a", "ab200" },
		{ "\"%d", "[FAILED TO PARSE]" },
		{ "\"plain\"", "plain" },
		{ "\"cut %5\"", "cut " },
		{ "\"%.0d|%5.0u|\", 0, 0", "|     |" },
	};

	for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
		char *text = printed(want[i].print, sizeof raw_bytes, false, NULL);
		if (want[i].text[0] == '[')
			CHECK(strncmp(text, want[i].text, strlen(want[i].text)) == 0);
		else
			CHECK_STR(text, want[i].text);
		free(text);
	}
}

static void expressions(void)
{
	static const struct want want[] = {
		{ "\"%lld\", 1+2*3", "7" },
		{ "\"%lld\", 10-2-3", "11" },
		{ "\"%lld\", 3 * (1 + 2)", "5" },
		{ "\"%lld\", (1 + 2) * 3", "9" },
		{ "\"%lld\", 1 ? 0 : 2 ? 3 : 4", "4" },
		{ "\"%lld\", REC->a == 200 ? 7 : 8", "7" },
		{ "\"%lld\", REC->a == 200 && REC->b == 200 ? 7 : 8", "1" },
		{ "\"%lld\", REC->h < 0", "0" },
		{ "\"%lld\", REC->h >> 1", "9223372036854775804" },
		{ "\"%lld\", REC->a ^ 1", "0" },
		{ "\"%lld\", 5 ^ 3", "6" },
		{ "\"%lld\", !REC->a + ~0 - -5", "4" },
		{ "\"%lld\", (int)REC->h", "4294967289" },
		{ "\"%lld\", (u8)(300)", "44" },
		{ "\"%lld\", ((u64)(REC)->a) << 32", "858993459200" },
		{ "\"%lld\", sizeof(unsigned long) + sizeof(REC->e)", "12" },
		{ "\"%lld\", REC->arr[REC->bo] + REC->mac[1]", "29" },
		{ "\"%lld\", ((u8 *)REC->arr)[2]", "255" },
		{ "\"%lld\", __get_dynamic_array_len(da) / 4", "3" },
		{ "\"%lld\", ((u32 *)__get_dynamic_array(da))[4]", "4294967280" },
		{ "\"%lld\", __builtin_expect(!!(REC->a), 1)", "1" },
		{ "\"%lld\", REC->nope + FOO + 010 + 0x10", "24" },
		{ "\"%lld\", REC->a / 0 + 5 % 0", "0" },
		{ "\"%d,%d\", ((unsigned int) ((REC->e) >> 20)), ((unsigned int) ((REC->e) & ((1U << 20) - 1)))",
		  "3814,731136" },
	};

	CHECK_ALL(want, false);
}

static void texts(void)
{
	static const struct want want[] = {
		{ "\"%s|%7s|%-7s|%.3s|%.*s\", REC->str, REC->str, REC->str, REC->str, 2, REC->str",
		  "hello|  hello|hello  |hel|he" },
		{ "\"%s %s\", __get_rel_str(dyn), REC->a ? \"yes\" : \"no\"", "dynamic yes" },
		{ "\"%s|%s|%s|%s\", REC->p, REC->a == 1, 'A', foo bar", "ffffffff81001234||65|foo bar" },
		{ "\"%s\", __print_symbolic(REC->a, { 1, \"one\" }, { 0xc8, \"a \" \"lot\" })", "a lot" },
		{ "\"%s\", __print_symbolic(REC->a, { 1, \"one\" })", "0xc8" },
		{ "\"%s %s\", __print_symbolic(1, { TIMER_SOFTIRQ, \"timer\" }), __print_symbolic(-1, { NAME, \"name\" "
		  "})",
		  "timer name" },
		{ "\"%s\", __print_flags(REC->a, \"|\", { 0x40, \"x\" }, { (1 << 3), \"y\" }, { 1UL, \"z\" })",
		  "x|y|0x80" },
		{ "\"%s|%s\", __print_flags(0, \"\", { 1, \"a\" }, { -1, \"none\" }), __print_flags(3, \"\", { 1, "
		  "\"a\" }, { 2, \"b\" })",
		  "none|ab" },
		{ "\"%4s|\", __print_flags(3, \"+\", { 1, \"a\" }, { 2, \"b\" })", "   a+   b|" },
		{ "\"%s|%s\", __print_hex(REC->ip6, 2 + 2), __print_hex_str(REC->ip6, 4)", "20 01 0d b8|20010db8" },
		{ "\"%s|%s\", __print_array(REC->arr, 4, 4), __print_array(REC->arr, 2, 3)",
		  "{0x1,0x2,0xffffffff,0x4}|{BAD SIZE:3 0x1,0x0}" },
		{ "\"%s\", __print_array(__get_dynamic_array(da), __get_dynamic_array_len(da) / sizeof(u32), 4)",
		  "{0xa,0xfffffff0,0xc}" },
		{ "\"%s|%s|%20s\", __get_cpumask(mask), __get_bitmask(mask), __get_cpumask(mask)",
		  "0,4-7,12-15|00000000,0000f0f1|         0,4-7,12-15" },
		{ "\"%s\", (char *)REC->str", "" },
	};

	CHECK_ALL(want, false);
}

static void addresses(void)
{
	static const struct want plain[] = {
		{ "\"%p %p %pS %ps %pK\", REC->p, 0, REC->p, 0, REC->p",
		  "0xffffffff81001234 (nil) 0xffffffff81001234 0x0 0xffffffff81001234K" },
		{ "\"%pM %pMF %pm %pMR %pM\", REC->mac, REC->mac, REC->mac, REC->mac, REC->a",
		  "00:1b:aa:03:04:ff 00-1b-aa-03-04-ff 001baa0304ff ff:04:03:aa:1b:00 INVALIDMAC" },
		{ "\"%pI4 %pi4 %pI4h %pI4\", REC->e, REC->e, REC->e, REC->h",
		  "0.40.107.238 000.040.107.238 238.107.40.0 INVALIDIPv4" },
		{ "\"%pI6 %pI6c %pi6\", REC->ip6, REC->ip6, REC->ip6",
		  "2001:0db8:0000:0000:0000:0000:0000:0001 2001:db8::1 20010db8000000000000000000000001" },
		{ "\"%pIS %pISpc %pIS|\", __get_dynamic_array(sa), __get_sockaddr(sa), REC->mac",
		  "127.0.0.1 127.0.0.1:80 |" },
		{ "\"%pU %pUL\", REC->ip6, REC->ip6",
		  "20010db8-0000-0000-0000-000000000001 B80D0120-0000-0000-0000-000000000001" },
		{ "\"%*ph %*phC %*phN %ph\", 3, __get_dynamic_array(da), 2, __get_dynamic_array(da), -1, "
		  "__get_dynamic_array(da), REC->mac",
		  "0a 00 00 0a:00 0a000000f0ffffff0c000000 ARG TYPE NOT FIELD BUT 2" },
	};
	static const struct want named[] = {
		{ "\"%pS %ps %pF %pf %p\", REC->p, REC->p, REC->p, REC->p, REC->p",
		  "the_function+0x34 the_function the_function+0x34 the_function 0xffffffff81001234" },
		{ "\"%pS\", REC->a", "0xc8" },
	};

	CHECK_ALL(plain, false);
	CHECK_ALL(named, true);
}

/* A field by itself is spelled as the first conversion that prints it. */
static void single_fields(void)
{
	static const struct {
		const char *print, *field, *text;
	} want[] = {
		{ "\"none\"", "e", "4000000000" },
		{ "\"e=0x%x f=%x\", REC->e, REC->f", "e", "0xee6b2800" },
		{ "\"e=0x%x f=%x\", REC->e, REC->f", "f", "fffffffa" },
		{ "\"0x%x%x\", REC->e, REC->f", "f", "fffffffa" },
		{ "\"%d %x\", REC->e, REC->e", "e", "-294967296" },
		{ "\"%10x|\", (unsigned int)(REC->e)", "e", "  ee6b2800" },
		{ "\"%pI4\", REC->e", "e", "0.40.107.238" },
		{ "\"%u\", REC->b", "b", "200" },
		{ "\"%u\", REC->b + 1", "b", "-56" },
		{ "\"%s\", __print_symbolic(REC->a, { 200, \"x\" })", "a", "200" },
		{ "\"%10s %pM\", REC->str, REC->mac", "str", "hello" },
		{ "\"0x%x %d\", REC->e", "e", "4000000000" },
	};

	for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
		const struct perfdata_trace_event *event;
		struct perfdata_trace *trace = compile(want[i].print, &event);
		struct perfdata_text text;
		perfdata_text_init(&text);
		CHECK_EQ(pd_trace_print_field(event, pd_trace_field_named(event, want[i].field),
						    (struct perfdata_bytes){ raw_bytes, sizeof raw_bytes },
						    PERFDATA_BYTE_ORDER_LITTLE, false, &text), PERFDATA_OK);
		bool is_part;
		CHECK(trace_part_says(pd_trace_field_named(event, want[i].field),
				      (struct perfdata_bytes){ raw_bytes, sizeof raw_bytes },
				      PERFDATA_BYTE_ORDER_LITTLE, text.data, text.size, &is_part));
		perfdata_text_char(&text, 0);
		CHECK_STR(text.data, want[i].text);
		perfdata_text_release(&text);
		pd_trace_free(trace);
	}
}

static void cannot_be_compiled(void)
{
	static const char *const formats[] = {
		"",
		"x",
		"\"%d\"",
		"\"%d %d\", REC->a",
		"\"%d\", ",
		"\"%d\", (5",
		"\"%d\", REC",
		"\"%d\", REC->",
		"\"%d\", 1 ?",
		"\"%d\", &REC->a",
		"\"%d\", *REC->a",
		"\"%d\", REC->a ?: 5",
		"\"%d\", 3.5",
		"\"%d\", unknown(5)",
		"\"%d\", sizeof(struct x)",
		"\"%d\", ({ int x = 5; x; })",
		"\"%s\", __print_symbolic(1)",
		"\"%s\", __print_symbolic(1, { 2 })",
		"\"%s\", __print_symbolic(1, { })",
		"\"%s\", __print_symbolic(1, { 2 * 3, \"x\" })",
		"\"%s\", __get_dynamic_array(nope)",
		"\"%s\", __get_str()",
		"\"a\tb\"",
		"\"\xc3\xa4\"",
		"\"%*.*d\", 1, 2, 3",
		"\"%d\", REC->arr[1+1]",
		"\"%d\" 5",
		"\"%d\", 1 ++ 2",
		"\"%d\", REC->arr[0][0]",
		"\"%d\", __builtin_expect(1)",
		"\"%d\", )",
		"\"%d\", 'a",
	};

	for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
		const struct perfdata_trace_event *event;
		struct perfdata_trace *trace = compile(formats[i], &event);
		CHECK(event->print_problem != NULL);
		pd_trace_free(trace);
		char *text = printed(formats[i], sizeof raw_bytes, false, NULL);
		CHECK(strncmp(text, "[FAILED TO PARSE] a=200 b=-56 c=60000 e=4000000000 f=-6 dyn=dynamic h=-7 "
				    "p=0xffffffff81001234 str=hello mac= bo=1 ip6=ARRAY[20, 01, ", 130) == 0);
		free(text);
	}
}

/* `open` and `close` around a 1, many times. */
static void check_nested(const char *open, const char *close, size_t depth, bool fits)
{
	const size_t size = depth * (strlen(open) + strlen(close)) + 32;
	char *print = malloc(size), *at = print;
	const struct perfdata_trace_event *event;

	at += sprintf(at, "\"%%d\", ");
	for (size_t i = 0; i < depth; i++)
		at += sprintf(at, "%s", open);
	*at++ = '1';
	for (size_t i = 0; i < depth; i++)
		at += sprintf(at, "%s", close);
	*at = 0;
	struct perfdata_trace *trace = compile(print, &event);
	CHECK_EQ(event->print_problem == NULL, fits);
	pd_trace_free(trace);
	char *text = printed(print, sizeof raw_bytes, false, NULL);
	CHECK_EQ(strncmp(text, "[FAILED", 7) != 0, fits);
	free(text);
	free(print);
}

static void nesting(void)
{
	static const struct {
		const char *open, *close;
	} nests[] = {
		{ "(", ")" },
		{ "!", "" },
		{ "1 + ", "" },
		{ "1 - 1 * ", "" },
		{ "0 ? 2 : ", "" },
		{ "1 ? ", " : 2" },
		{ "(u8)(", ")" },
		{ "__builtin_expect(", ", 1)" },
		{ "((u8 *)REC->arr)[(", ")]" },
		{ "__print_symbolic(", ", { 1, \"x\" })" },
	};

	for (size_t i = 0; i < sizeof nests / sizeof *nests; i++) {
		check_nested(nests[i].open, nests[i].close, 20, true);
		check_nested(nests[i].open, nests[i].close, 20000, false);
	}
}

/* Widths, counts and repetitions that would fill the memory. */
static void sizes(void)
{
	char *text = printed("\"%999999999d|%.999999999d|%*d|%999999999s\", 1, 2, 2000000000, 3, \"x\"",
			     sizeof raw_bytes, false, NULL);
	CHECK(strlen(text) < 20000);
	free(text);

	const size_t pieces = 20000;
	char *print = malloc(pieces * 8 + 64), *at = print;
	*at++ = '"';
	for (size_t i = 0; i < pieces; i++)
		at += sprintf(at, "%%4000d");
	at += sprintf(at, "\"");
	for (size_t i = 0; i < 100; i++)
		at += sprintf(at, ", 1");
	text = printed(print, sizeof raw_bytes, false, NULL);
	CHECK(strncmp(text, "[FAILED", 7) == 0);
	free(text);

	at = print + sprintf(print, "\"%%d");
	for (size_t i = 0; i < 300; i++)
		at += sprintf(at, "%%4096d");
	at += sprintf(at, "\", 1");
	for (size_t i = 0; i < 300; i++)
		at += sprintf(at, ", 1");
	enum perfdata_status status = PERFDATA_OK;
	text = printed(print, sizeof raw_bytes, false, &status);
	CHECK_EQ(status, PERFDATA_DAMAGED);
	CHECK_EQ(strlen(text), (1u << 14) + 16 * sizeof raw_bytes);
	free(text);
	free(print);
}

/* Every length of raw data: no read beyond its end, and a status. */
static void short_raw(void)
{
	static const char *const formats[] = {
		"\"%d %s %s %s\", REC->e, REC->str, __get_str(dyn), __print_hex(REC->ip6, 16)",
		"\"%s %s %pISpc\", __print_array(__get_dynamic_array(da), 3, 4), __get_cpumask(mask), "
		"__get_sockaddr(sa)",
		"\"%pM %pI6c %pI4 %pU %s %*ph\", REC->mac, REC->ip6, REC->e, REC->ip6, __get_bitmask(mask), 99, "
		"__get_dynamic_array(sa)",
		"\"%lld %lld\", ((u32 *)__get_dynamic_array(da))[99999], REC->arr[REC->e]",
		"x",
	};

	for (size_t f = 0; f < sizeof formats / sizeof *formats; f++)
		for (size_t size = 0; size < 100; size++) {
			enum perfdata_status status = PERFDATA_OK;
			char *text = printed(formats[f], size, false, &status);
			CHECK_EQ(status, PERFDATA_DAMAGED);
			free(text);
		}
}

/* Each allocation fails once: a status or no event, and no memory is lost. */
static void work_without_memory(void)
{
	static const char text[] = HEAD
		"\"%d a %s %s %s 'x'\", REC->a, __print_symbolic(REC->a, { 1 + 1, \"a\" \"b\" }, { 2, (3) }), "
		"__get_rel_str(dyn), (unsigned long)REC->e + sizeof(int) ? foo bar : 'c'";
	struct perfdata_trace *trace = NULL;

	const enum perfdata_status status = load_trace_format(false, 8, text, sizeof text - 1, &trace, NULL);
	if (status == PERFDATA_OK) {
		const struct perfdata_trace_event *event = pd_trace_event_at(trace, 0);
		if (!event)
			event = pd_trace_event_at(trace, 0);
		CHECK(event && !event->print_problem && event->nr_fields == 18);
	} else {
		CHECK_EQ(status, PERFDATA_ENOMEM);
	}
	pd_trace_free(trace);
}

static void no_memory(void)
{
	int n = 0;

	while (alloc_fail_run(n, work_without_memory))
		n++;
	CHECK(n > 10);
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "numbers", numbers },
		{ "expressions", expressions },
		{ "texts", texts },
		{ "addresses", addresses },
		{ "single fields", single_fields },
		{ "formats that perf cannot parse", cannot_be_compiled },
		{ "deep nesting", nesting },
		{ "hostile sizes", sizes },
		{ "raw data of every length", short_raw },
		{ "every allocation fails once", no_memory },
	};

	return unit_main(cases, sizeof cases / sizeof *cases);
}
