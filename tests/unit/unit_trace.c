/* SPDX-License-Identifier: MIT */
/* Tracing data: the blob, format texts, typed values. Every text is made up here. */
#include <stdlib.h>

#include "perfdata/trace.h"
#include "schema/trace.h"
#include "trace_format.h"
#include "trace_part.h"
#include "unit.h"

#define COMMON \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

static const char all_kinds[] =
	"name: kinds\nID: 77\nformat:\n" COMMON
	"\tfield:u8 a;\toffset:8;\tsize:1;\tsigned:0;\n"
	"\tfield:short b;\toffset:10;\tsize:2;\tsigned:1;\n"
	"\tfield:bool c;\toffset:12;\tsize:1;\tsigned:0;\n"
	"\tfield:const char * d;\toffset:16;\tsize:8;\tsigned:0;\n"
	"\tfield:char e[4];\toffset:24;\tsize:4;\tsigned:0;\n"
	"\tfield:s16 f[2];\toffset:28;\tsize:4;\tsigned:1;\n"
	"\tfield:__data_loc char[] g;\toffset:32;\tsize:4;\tsigned:0;\n"
	"\tfield:__rel_loc u32[] h;\toffset:36;\tsize:4;\tsigned:0;\n"
	"\tfield:__data_loc cpumask_t i;\toffset:40;\tsize:4;\tsigned:0;\n"
	"\tfield:struct pair j;\toffset:44;\tsize:8;\tsigned:0;\n"
	"\tfield:void * k[2];\toffset:56;\tsize:16;\tsigned:0;\n"
	"\tfield:unsigned long long l;\toffset:72;\tsize:8;\tsigned:0;\n"
	"\tfield:unsigned char m[NAME_MAX];\toffset:80;\tsize:3;\tsigned:0;\n"
	"\tfield:u8 n[];\toffset:84;\tsize:0;\tsigned:0;\n"
	"\nprint fmt: \"a=%u\", REC->a\n";

/* --- a blob builder in either byte order ------------------------------------------------------------------------- */

struct blob {
	uint8_t bytes[8192];
	size_t size;
	bool big;
};

static void put(struct blob *b, const void *bytes, size_t size)
{
	memcpy(b->bytes + b->size, bytes, size);
	b->size += size;
}

static void put_number(struct blob *b, uint64_t value, unsigned size)
{
	for (unsigned i = 0; i < size; i++)
		b->bytes[b->size++] = (uint8_t)(value >> 8 * (b->big ? size - 1 - i : i));
}

static void put_text(struct blob *b, const char *text, unsigned width)
{
	put_number(b, strlen(text), width);
	put(b, text, strlen(text));
}

static void make_blob(struct blob *b, bool big, const char *version, uint8_t long_size)
{
	*b = (struct blob){ .big = big };
	put(b, "\x17\x08\x44tracing", 10);
	put(b, version, strlen(version) + 1);
	put_number(b, big, 1);
	put_number(b, long_size, 1);
	put_number(b, 4096, 4);
	put(b, "header_page", 12);
	put_text(b, "page text", 8);
	put(b, "header_event", 13);
	put_text(b, "event text", 8);
	put_number(b, 1, 4);
	put_text(b, "name: tick\nID: 5\nformat:\n" COMMON "\nprint fmt: \"x\"\n", 8);
	put_number(b, 1, 4);
	put(b, "toy", 4);
	put_number(b, 2, 4);
	put_text(b, all_kinds, 8);
	put_text(b, "name: nameless\nformat:\n", 8);
	put_number(b, 0, 4);
	put_text(b, "0xffff0010 : \"second\\n\"\n0xffff0000 : \"first\"\nnonsense\n", 4);
	if (strcmp(version, "0.5") != 0)
		put_text(b, "42 the comm\n7 init\n", 8);
}

struct seen {
	int count;
	enum perfdata_finding_code code;
	uint64_t offset;
	bool has_message;
};

static void note(void *user, const struct perfdata_finding *finding)
{
	struct seen *seen = user;

	seen->count++;
	seen->code = finding->code;
	seen->offset = finding->offset;
	seen->has_message = finding->message && *finding->message;
}

static void blob_whole(void)
{
	for (int big = 0; big < 2; big++) {
		struct blob b;
		struct seen seen = { 0 };
		struct perfdata_trace *trace = NULL;
		struct perfdata_trace_info info;
		bool complete = true;

		make_blob(&b, big, "0.6", big ? 4 : 8);
		CHECK_EQ(pd_trace_load(b.bytes, b.size, note, &seen, &trace, &complete), PERFDATA_OK);
		/* the event without an ID is reported, and left out */
		CHECK_EQ(seen.count, 1);
		CHECK_EQ(seen.code, PERFDATA_FINDING_TRACE_FORMAT);
		CHECK(!complete);
		pd_trace_info(trace, &info);
		CHECK_STR(info.version, "0.6");
		CHECK_EQ(info.order, big ? PERFDATA_BYTE_ORDER_BIG : PERFDATA_BYTE_ORDER_LITTLE);
		CHECK_EQ(info.long_size, big ? 4 : 8);
		CHECK_EQ(info.page_size, 4096);
		CHECK_EQ(info.nr_events, 2);
		CHECK(info.header_page.size == 9 && memcmp(info.header_page.data, "page text", 9) == 0);
		CHECK_STR(pd_trace_printk(trace, 0xffff0000), "first");
		CHECK_STR(pd_trace_printk(trace, 0xffff0010), "second");
		CHECK(!pd_trace_printk(trace, 1));
		CHECK(info.saved_cmdlines.size > 8 && memcmp(info.saved_cmdlines.data, "42 the comm", 11) == 0);
		const struct perfdata_trace_event *event = pd_trace_event(trace, 77);
		CHECK(event && strcmp(event->system, "toy") == 0 && strcmp(event->name, "kinds") == 0);
		CHECK(event == pd_trace_event_at(trace, 1));
		CHECK(!pd_trace_event(trace, 78) && !pd_trace_event_at(trace, 2));
		CHECK_STR(pd_trace_event(trace, 5)->system, "ftrace");
		pd_trace_free(trace);
	}
}

#define FIELD(name) "\tfield:u8 " name ";\toffset:8;\tsize:1;\tsigned:0;\n"
#define PRINT "\nprint fmt: \"%u\", REC->a\n"

/* Events with the same fields and print format have them in common, and names of their own. */
static void same_formats(void)
{
	static const char *const formats[] = {
		"name: one\nID: 1\nformat:\n" COMMON FIELD("a") PRINT,
		"name: other\nID: 22\nformat:\n" COMMON FIELD("a") PRINT,
		"name: differs\nID: 3\nformat:\n" COMMON FIELD("b") PRINT,
		"ID: 4\nname: unusual head\nformat:\n" COMMON FIELD("a") PRINT,
		"name: third\nID: 5\nformat:\n" COMMON FIELD("a") PRINT,
		"name: no format\nID: 6\n",
		"name: no format either\nID: 7\n",
		"name: differs too\nID: 8\nformat:\n" COMMON FIELD("b") PRINT,
	};
	enum { NR = sizeof formats / sizeof *formats };
	const struct perfdata_trace_event *events[NR];
	struct perfdata_trace *trace = NULL;
	struct blob b = { .big = false };
	put(&b, "\x17\x08\x44tracing" "0.6", 14);
	put_number(&b, 0, 1);
	put_number(&b, 8, 1);
	put_number(&b, 4096, 4);
	put(&b, "header_page", 12);
	put_text(&b, "", 8);
	put(&b, "header_event", 13);
	put_text(&b, "", 8);
	put_number(&b, 0, 4);
	put_number(&b, 1, 4);
	put(&b, "toy", 4);
	put_number(&b, NR, 4);
	for (size_t i = 0; i < NR; i++)
		put_text(&b, formats[i], 8);
	put_number(&b, 0, 4);
	put_number(&b, 0, 4);
	put_text(&b, "", 8);
	CHECK_EQ(pd_trace_load(b.bytes, b.size, NULL, NULL, &trace, NULL), PERFDATA_OK);
	for (size_t i = NR; trace && i-- > 0;) {   /* the first of them is compiled last */
		events[i] = pd_trace_event_at(trace, i);
		CHECK(events[i] && events[i]->format.size == strlen(formats[i]) &&
		      !memcmp(events[i]->format.data, formats[i], events[i]->format.size));
		CHECK(events[i] == pd_trace_event(trace, events[i]->id));
	}
	CHECK_STR(events[0]->name, "one");
	CHECK_STR(events[1]->name, "other");
	CHECK_EQ(events[1]->id, 22);
	CHECK_STR(events[4]->name, "third");
	CHECK(events[0]->fields == events[1]->fields && events[0]->fields == events[4]->fields);
	CHECK(events[0]->program && events[0]->program == events[1]->program);
	CHECK(events[1]->print.size == events[0]->print.size &&
	      !memcmp(events[1]->print.data, events[0]->print.data, events[0]->print.size));
	CHECK(events[2]->fields != events[0]->fields && events[2]->fields == events[7]->fields);
	CHECK(events[3]->fields != events[0]->fields && events[3]->nr_fields == events[0]->nr_fields);
	for (size_t i = 0; i < NR; i++) {
		const bool has_a = i < 2 || i == 3 || i == 4;
		CHECK_EQ(!pd_trace_field_named(events[i], "a"), !has_a);
		CHECK_EQ(!events[i]->format_problem, i != 5 && i != 6);
	}
	pd_trace_free(trace);
}

static void blob_old(void)
{
	struct blob b;
	struct perfdata_trace *trace = NULL;
	struct perfdata_trace_info info;

	make_blob(&b, false, "0.5", 8);
	CHECK_EQ(pd_trace_load(b.bytes, b.size, NULL, NULL, &trace, NULL), PERFDATA_OK);
	CHECK_STR(pd_trace_printk(trace, 0xffff0000), "first");
	pd_trace_info(trace, &info);
	CHECK_EQ(info.saved_cmdlines.size, 0);
	pd_trace_free(trace);
}

/* Every prefix is either no tracing data, or read as far as it reaches. */
static void blob_prefixes(void)
{
	struct blob b;
	size_t most = 0;

	make_blob(&b, false, "0.6", 8);
	for (size_t size = 0; size < b.size; size++) {
		uint8_t *exact = malloc(size ? size : 1);
		struct perfdata_trace *trace = NULL;
		struct perfdata_trace_info info;
		struct seen seen = { 0 };
		bool complete = true;

		memcpy(exact, b.bytes, size);
		const enum perfdata_status status = pd_trace_load(exact, size, note, &seen, &trace, &complete);
		if (status == PERFDATA_OK) {
			CHECK(!complete && seen.count > 0 && seen.has_message && seen.offset <= size);
			pd_trace_info(trace, &info);
			CHECK(info.nr_events >= most);
			most = info.nr_events;
			pd_trace_free(trace);
		} else {
			CHECK_EQ(status, PERFDATA_EFORMAT);
			CHECK(size < 20 && !trace);
		}
		free(exact);
	}
	CHECK_EQ(most, 2);
}

/* Counts and sizes that the bytes cannot hold. */
static void blob_hostile(void)
{
	static const uint64_t numbers[] = { UINT64_MAX, INT64_MAX, UINT32_MAX, 1ull << 40, 65536 };

	for (size_t n = 0; n < sizeof numbers / sizeof *numbers; n++) {
		struct blob b, whole;
		make_blob(&whole, false, "0.6", 8);
		for (size_t at = 20; at + 8 <= whole.size; at++) {
			struct perfdata_trace *trace = NULL;
			b = whole;
			b.size = at;
			put_number(&b, numbers[n], 8);
			b.size = whole.size;
			CHECK_EQ(pd_trace_load(b.bytes, b.size, NULL, NULL, &trace, NULL), PERFDATA_OK);
			for (size_t i = 0; pd_trace_event_at(trace, i); i++)
				;
			pd_trace_free(trace);
		}
	}
}

static void not_a_blob(void)
{
	struct perfdata_trace *trace = NULL;

	CHECK_EQ(pd_trace_load("", 0, NULL, NULL, &trace, NULL), PERFDATA_EFORMAT);
	CHECK_EQ(pd_trace_load("\x17\x08\x44tracinx0.6\0\0\x8\0\x10\0\0", 20, NULL, NULL, &trace, NULL),
		 PERFDATA_EFORMAT);
	CHECK(!trace);
}

/* --- formats --------------------------------------------------------------------------------------------------- */

static struct perfdata_trace *with_format(const char *text, const struct perfdata_trace_event **ret_event)
{
	struct perfdata_trace *trace = NULL;

	CHECK_EQ(load_trace_format(false, 8, text, strlen(text), &trace, NULL), PERFDATA_OK);
	*ret_event = pd_trace_event_at(trace, 0);
	CHECK(*ret_event != NULL);
	return trace;
}

static void field_kinds(void)
{
	static const struct {
		const char *name, *type;
		enum perfdata_trace_kind kind;
		enum perfdata_trace_place place;
		uint32_t element;
		bool is_signed;
	} want[] = {
		{ "a", "u8", PERFDATA_TRACE_UNSIGNED, PERFDATA_TRACE_FIXED, 0, false },
		{ "b", "short", PERFDATA_TRACE_SIGNED, PERFDATA_TRACE_FIXED, 0, true },
		{ "c", "bool", PERFDATA_TRACE_BOOL, PERFDATA_TRACE_FIXED, 0, false },
		{ "d", "const char *", PERFDATA_TRACE_POINTER, PERFDATA_TRACE_FIXED, 0, false },
		{ "e", "char[4]", PERFDATA_TRACE_STRING, PERFDATA_TRACE_FIXED, 1, false },
		{ "f", "s16[2]", PERFDATA_TRACE_ARRAY, PERFDATA_TRACE_FIXED, 2, true },
		{ "g", "__data_loc char[]", PERFDATA_TRACE_STRING, PERFDATA_TRACE_DATA_LOC, 1, false },
		{ "h", "__rel_loc u32[]", PERFDATA_TRACE_ARRAY, PERFDATA_TRACE_REL_LOC, 4, false },
		{ "i", "__data_loc cpumask_t", PERFDATA_TRACE_BITMASK, PERFDATA_TRACE_DATA_LOC, 8, false },
		{ "j", "struct pair", PERFDATA_TRACE_BYTES, PERFDATA_TRACE_FIXED, 0, false },
		{ "k", "void *[2]", PERFDATA_TRACE_ARRAY, PERFDATA_TRACE_FIXED, 8, false },
		{ "l", "unsigned long long", PERFDATA_TRACE_UNSIGNED, PERFDATA_TRACE_FIXED, 0, false },
		{ "m", "unsigned char[NAME_MAX]", PERFDATA_TRACE_ARRAY, PERFDATA_TRACE_FIXED, 1, false },
		{ "n", "u8[]", PERFDATA_TRACE_ARRAY, PERFDATA_TRACE_REST, 1, false },
	};
	const struct perfdata_trace_event *event;
	struct perfdata_trace *trace = with_format(all_kinds, &event);

	CHECK_EQ(event->nr_common, 2);
	CHECK_EQ(event->nr_fields, 2 + sizeof want / sizeof *want);
	CHECK_EQ(event->min_size, 84);
	CHECK(!event->format_problem && !event->print_problem);
	for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
		const struct perfdata_trace_field *field = pd_trace_field_named(event, want[i].name);
		CHECK(field == &event->fields[2 + i] && !field->is_common);
		CHECK_STR(field->type, want[i].type);
		CHECK_EQ(field->kind, want[i].kind);
		CHECK_EQ(field->place, want[i].place);
		CHECK_EQ(field->element_size, want[i].element);
		CHECK_EQ(field->is_signed, want[i].is_signed);
	}
	CHECK_STR(event->fields[6].declaration, "char e[4]");
	CHECK(pd_trace_field_named(event, "k")->elements_are_pointers);
	CHECK(event->fields[0].is_common && !pd_trace_field_named(event, "nope"));
	pd_trace_free(trace);
}

static void damaged_formats(void)
{
	const struct perfdata_trace_event *event;
	struct perfdata_trace *trace;

	trace = with_format("name: x\nID: 1\nformat:\n\tfield:int a;\toffset:8;\tsize:4;\tsigned:1;\n"
			    "\tfield:int b;\toffset:eight;\n\tfield:int;\n\tgarbage\n"
			    "\tfield:int c;\toffset:99999999999999999999;\tsize:4;\tsigned:1;\n"
			    "\tfield:int d;\toffset:12;\tsize:4;\n", &event);
	CHECK(event->format_problem != NULL);
	CHECK(pd_trace_field_named(event, "a") && pd_trace_field_named(event, "d"));
	CHECK(!pd_trace_field_named(event, "b") && !pd_trace_field_named(event, "c"));
	CHECK_EQ(event->print.size, 0);
	pd_trace_free(trace);

	trace = with_format("name: x\nID: 1\n", &event);
	CHECK(event->format_problem && event->print_problem && event->nr_fields == 0);
	pd_trace_free(trace);
	static const char *const nameless[] = { "", "name: \nID: 3\n", "name: y\nID: x\n" };
	for (size_t i = 0; i < sizeof nameless / sizeof *nameless; i++) {
		bool complete = true;
		CHECK_EQ(load_trace_format(false, 8, nameless[i], strlen(nameless[i]), &trace, &complete),
			 PERFDATA_OK);
		CHECK(!complete && !pd_trace_event_at(trace, 0));
		pd_trace_free(trace);
	}
}

/* --- values ---------------------------------------------------------------------------------------------------- */

static void fill_raw(struct blob *b, bool big)
{
	*b = (struct blob){ .big = big };
	put_number(b, 77, 2);
	put_number(b, 0, 2);
	put_number(b, 1234, 4);
	put_number(b, 200, 1);
	put_number(b, 0, 1);
	put_number(b, (uint16_t)-2, 2);
	put_number(b, 9, 1);
	put_number(b, 0, 3);
	put_number(b, 0xffffffff81000000, 8);
	put(b, "abcd", 4);
	put_number(b, (uint16_t)-5, 2);
	put_number(b, 6, 2);
	put_number(b, 3u << 16 | 88, 4);       /* g: 3 bytes at 88 */
	put_number(b, 8u << 16 | 52, 4);       /* h: 8 bytes at 40 + 52 = 92 */
	put_number(b, 8u << 16 | 100, 4);      /* i: 8 bytes at 100 */
	put(b, "pairpair\0\0\0\0", 12);
	put_number(b, 1, 8);
	put_number(b, 2, 8);
	put_number(b, UINT64_MAX, 8);
	put(b, "xyz\0rest", 8);
	put(b, "hi\0\0", 4);
	put_number(b, 7, 4);
	put_number(b, 0xfffffff0, 4);
	put_number(b, 0x8000000000000011, 8);
}

static struct perfdata_trace_value get(const struct perfdata_trace_event *event, const char *name, const struct blob *b)
{
	struct perfdata_trace_value value = { 0 };
	const enum perfdata_byte_order order = b->big ? PERFDATA_BYTE_ORDER_BIG : PERFDATA_BYTE_ORDER_LITTLE;

	CHECK_EQ(pd_trace_value(pd_trace_field_named(event, name),
				      (struct perfdata_bytes){ b->bytes, b->size }, order, &value), PERFDATA_OK);
	return value;
}

static bool bytes_are(struct perfdata_bytes bytes, const char *text)
{
	return bytes.size == strlen(text) && memcmp(bytes.data, text, bytes.size) == 0;
}

static void values(void)
{
	const struct perfdata_trace_event *event;
	struct perfdata_trace *trace = with_format(all_kinds, &event);

	for (int big = 0; big < 2; big++) {
		struct blob b;
		fill_raw(&b, big);
		CHECK_EQ(get(event, "common_pid", &b).s64, 1234);
		CHECK_EQ(get(event, "a", &b).u64, 200);
		CHECK_EQ(get(event, "b", &b).s64, -2);
		CHECK_EQ(get(event, "c", &b).u64, 1);
		CHECK_EQ(get(event, "d", &b).u64, 0xffffffff81000000);
		CHECK(bytes_are(get(event, "e", &b).bytes, "abcd"));
		struct perfdata_trace_value value = get(event, "f", &b);
		CHECK_EQ(value.count, 2);
		CHECK_EQ(pd_trace_element(&value, 0), (uint64_t)-5);
		CHECK_EQ(pd_trace_element(&value, 1), 6);
		CHECK_EQ(pd_trace_element(&value, 2), 0);
		CHECK(bytes_are(get(event, "g", &b).bytes, "hi"));
		value = get(event, "h", &b);
		CHECK_EQ(value.count, 2);
		CHECK_EQ(pd_trace_element(&value, 1), 0xfffffff0);
		value = get(event, "i", &b);
		CHECK_EQ(value.count, 1);
		CHECK_EQ(pd_trace_element(&value, 0), 0x8000000000000011);
		CHECK_EQ(get(event, "j", &b).bytes.size, 8);
		CHECK_EQ(get(event, "l", &b).u64, UINT64_MAX);
		CHECK_EQ(get(event, "n", &b).bytes.size, b.size - 84);
	}
	pd_trace_free(trace);
}

/* Raw data of every length: no read beyond its end (seen by the address sanitizer), a status for what is missing. */
static void short_raw(void)
{
	const struct perfdata_trace_event *event;
	struct perfdata_trace *trace = with_format(all_kinds, &event);
	struct perfdata_text text;
	struct blob b;
	size_t numbers = 0, parts = 0;

	fill_raw(&b, false);
	perfdata_text_init(&text);
	for (size_t size = 0; size <= b.size; size++) {
		uint8_t *exact = malloc(size ? size : 1);
		memcpy(exact, b.bytes, size);
		const struct perfdata_bytes raw = { exact, size };
		for (size_t i = 0; i < event->nr_fields; i++) {
			const struct perfdata_trace_field *field = &event->fields[i];
			struct perfdata_trace_value value = { 0 };
			const bool fits = size >= field->offset + field->size;
			const enum perfdata_status status = pd_trace_value(field, raw, PERFDATA_BYTE_ORDER_LITTLE,
										 &value);
			const size_t start = text.size;
			const enum perfdata_status printed =
				pd_trace_print_field(event, field, raw, PERFDATA_BYTE_ORDER_LITTLE, false, &text);
			const size_t written = text.size - start;
			perfdata_text_char(&text, '.');
			numbers += pd_trace_prints_number(field);
			if (pd_trace_prints_number(field))
				CHECK_EQ(strspn(text.data + start, "0123456789abcdefx- "), written);
			bool is_part = false;
			CHECK(size < event->min_size || trace_part_says(field, raw, PERFDATA_BYTE_ORDER_LITTLE,
									text.data + start, written, &is_part));
			parts += is_part;
			if (!fits)
				CHECK(status == PERFDATA_DAMAGED && printed == PERFDATA_DAMAGED);
			else if (field->place == PERFDATA_TRACE_FIXED || size == b.size)
				CHECK(status == PERFDATA_OK && printed == PERFDATA_OK && !value.clipped);
			if (status == PERFDATA_OK && value.bytes.size)
				CHECK(value.bytes.data >= exact && value.bytes.data + value.bytes.size <= exact + size);
		}
		free(exact);
	}
	CHECK(numbers > b.size && (parts > 0 || __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__));
	perfdata_text_release(&text);
	pd_trace_free(trace);
}

static void field_text(void)
{
	static const struct {
		const char *name, *text, *bytes;
	} want[] = {
		{ "a", "200", "200" }, { "b", "-2", "-2" }, { "d", "0xffffffff81000000", "0xffffffff81000000" },
		{ "l", "0xffffffffffffffff", "0xffffffffffffffff" }, { "g", "hi", "ARRAY[68, 69, 00]" },
		{ "f", "ARRAY[fb, ff, 06, 00]", "ARRAY[fb, ff, 06, 00]" }, { "m", "xyz", "ARRAY[78, 79, 7a]" },
	};
	const struct perfdata_trace_event *event;
	struct perfdata_trace *trace = with_format(all_kinds, &event);
	struct perfdata_text text;
	struct blob b;

	fill_raw(&b, false);
	perfdata_text_init(&text);
	for (size_t i = 0; i < sizeof want / sizeof *want; i++)
		for (int as_bytes = 0; as_bytes < 2; as_bytes++) {
			const struct perfdata_bytes raw = { b.bytes, b.size };
			perfdata_text_clear(&text);
			pd_trace_print_field(event, pd_trace_field_named(event, want[i].name), raw,
						   PERFDATA_BYTE_ORDER_LITTLE, as_bytes, &text);
			perfdata_text_char(&text, 0);
			CHECK_STR(text.data, as_bytes ? want[i].bytes : want[i].text);
		}
	b.bytes[24] = 1;
	CHECK(!pd_trace_field_printable(pd_trace_field_named(event, "e"),
					      (struct perfdata_bytes){ b.bytes, b.size }, PERFDATA_BYTE_ORDER_LITTLE));
	CHECK(pd_trace_field_printable(pd_trace_field_named(event, "f"),
					     (struct perfdata_bytes){ b.bytes, b.size }, PERFDATA_BYTE_ORDER_LITTLE));
	perfdata_text_release(&text);
	pd_trace_free(trace);
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "a whole blob in both byte orders", blob_whole },
		{ "events with the same format", same_formats },
		{ "version 0.5 has no comms", blob_old },
		{ "every prefix of a blob", blob_prefixes },
		{ "impossible counts and sizes", blob_hostile },
		{ "what is no tracing data", not_a_blob },
		{ "kinds of fields", field_kinds },
		{ "damaged formats keep what can be read", damaged_formats },
		{ "values in both byte orders", values },
		{ "raw data of every length", short_raw },
		{ "fields as perf spells them", field_text },
	};

	return unit_main(cases, sizeof cases / sizeof *cases);
}
