/* SPDX-License-Identifier: MIT */
/* Secrets in each part of tracing data, and in raw data of tracepoints, probes, SDT and user events: none is in the
 * anonymous recording, whether it is a file or a stream. */
#include "perfdata/reader.h"
#include "schema/schema.h"
#include "schema/trace.h"
#include "write/writing.h"
#include "schema_records.h"
#include "planted.h"

#define BIG (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)
#define FIRST_ID 1234u

/* The last character of a system that gets a secret after it is '_'. Without a name, the name is a secret. */
static const struct {
	const char *system, *name, *first_field;
} kinds[] = {
	{ "sched", "sched_switch", "int prev_pid" },
	{ "probe_", NULL, "unsigned long __probe_ip" },
	{ "probe", NULL, "unsigned long __probe_func" },
	{ "sdt_", NULL, "unsigned long __probe_ip" },
	{ "own_", "sched_switch", "unsigned long value" },
	{ "user_events", NULL, "u32 value" },
	{ "synthetic", NULL, "u64 lat" },
};
#define NR_KINDS (sizeof kinds / sizeof *kinds)
static char event_names[NR_KINDS][64];

static void put_sized(struct build *b, unsigned width, const char *text)
{
	put_uint(b, strlen(text), width);
	put_bytes(b, text, strlen(text));
}
static void put_string(struct build *b, const char *text) { put_bytes(b, text, strlen(text) + 1); }

static void put_format(struct build *b, unsigned id, const char *name, const char *first_field)
{
	char text[1024];

	snprintf(text, sizeof text,
		 "name: %s\nID: %u\nformat:\n"
		 "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
		 "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
		 "\tfield:%s;\toffset:8;\tsize:8;\tsigned:0;\n"
		 "\tfield:char %s[32];\toffset:16;\tsize:32;\tsigned:0;\n"
		 "\tfield:__data_loc %s[] %s;\toffset:48;\tsize:4;\tsigned:0;\n\n"
		 "print fmt: \"(%%lx) %s %%s\", REC->%s, __print_symbolic(REC->common_pid, { 0, \"%s\" })\n",
		 name, id, first_field, secret_text("format", "field"), secret_text("format", "type"),
		 secret_text("format", "data_loc"), secret_text("format", "print"), secret_text("format", "argument"),
		 secret_text("format", "symbol"));
	put_sized(b, 8, text);
}

static void put_event(struct build *b, unsigned kind)
{
	const char *system = kinds[kind].system, *name = kinds[kind].name;
	const bool is_open = system[strlen(system) - 1] == '_';
	char text[32];

	snprintf(text, sizeof text, "%s%s", system, is_open ? secret_text("format", "system") : "");
	if (!name)
		name = secret_text("format", "name");
	snprintf(event_names[kind], sizeof event_names[kind], "%s:%s", text, name);
	put_string(b, text);
	put_u32(b, 1);
	put_format(b, FIRST_ID + kind, name, kinds[kind].first_field);
}

static void put_tracing_data(struct build *b)
{
	char text[256];

	put_bytes(b, "\x17\x08\x44tracing", 10);
	put_string(b, secret_text("tracing_data", "version"));
	put_u8(b, BIG);
	put_u8(b, 8);
	put_u32(b, 4096);
	put_string(b, "header_page");
	put_sized(b, 8, secret_text("tracing_data", "header_page"));
	put_string(b, "header_event");
	put_sized(b, 8, secret_text("tracing_data", "header_event"));
	put_u32(b, 1);
	put_format(b, 7, secret_text("ftrace", "name"), "unsigned long ip");
	put_u32(b, NR_KINDS);
	for (unsigned kind = 0; kind < NR_KINDS; kind++)
		put_event(b, kind);
	snprintf(text, sizeof text, "%016llx t %s\t[%s]\n",
		 (unsigned long long)secret_number("tracing_data", "kallsyms address"),
		 secret_text("tracing_data", "kallsyms"), secret_text("tracing_data", "kallsyms module"));
	put_sized(b, 4, text);
	snprintf(text, sizeof text, "0x%llx : \"%s\"\n",
		 (unsigned long long)secret_number("tracing_data", "printk address"),
		 secret_text("tracing_data", "printk"));
	put_sized(b, 4, text);
	snprintf(text, sizeof text, "77 %s\n", secret_text("tracing_data", "saved_cmdlines"));
	put_sized(b, 8, text);
	put_string(b, secret_text("tracing_data", "after the end"));
}

static void put_sample(struct pd_writer *writer, unsigned kind)
{
	const char *text = secret_text("sample", "raw");
	struct build b;

	build_begin(&b, BIG, PERFDATA_RECORD_SAMPLE, PERFDATA_CPUMODE_USER);
	put_u64(&b, secret_number("sample", "ip"));
	put_u64(&b, 0);
	put_u64(&b, 1000 + kind);
	put_u32(&b, 68);
	put_u16(&b, (uint16_t)(FIRST_ID + kind));
	put_u16(&b, 0);
	put_u32(&b, 77);
	put_u64(&b, secret_number("sample", "__probe_ip"));
	put_chars(&b, text, 32);
	put_u32(&b, 16 << 16 | 52);
	put_chars(&b, secret_text("sample", "data_loc"), 16);
	build_end(&b);
	CHECK_EQ(pd_writer_record(writer, b.data, b.size), PERFDATA_OK);
}

/* named: names of events are in EVENT_DESC or EVENT_UPDATE; else they are only in the tracing data. */
static void try_recording(enum pd_write_form form, bool named)
{
	static struct build b;
	struct perfdata_text recording;
	const struct pd_writer_options options = { .form = form,
							 .order = order_of(BIG),
							 .write = take_bytes,
							 .user = &recording };
	struct pd_writer *writer;

	nr_secrets = 0;
	perfdata_text_init(&recording);
	b = (struct build){ .big = BIG };
	put_tracing_data(&b);
	CHECK_EQ(pd_writer_new(&options, &writer, NULL), PERFDATA_OK);
	for (unsigned kind = 0; kind < NR_KINDS; kind++) {
		const struct perfdata_attr attr = { .size = 136,
						    .type = PERFDATA_TYPE_TRACEPOINT,
						    .config = FIRST_ID + kind,
						    .sample_type = PERFDATA_SAMPLE_IP | PERFDATA_SAMPLE_TID |
								   PERFDATA_SAMPLE_TIME | PERFDATA_SAMPLE_RAW };
		CHECK_EQ(pd_writer_event(writer, &attr, 0, named ? event_names[kind] : NULL, NULL, 0), PERFDATA_OK);
	}
	CHECK_EQ(pd_writer_feature(writer, PERFDATA_FEATURE_TRACING_DATA, b.data, b.size), PERFDATA_OK);
	for (unsigned kind = 0; kind < NR_KINDS; kind++)
		put_sample(writer, kind);
	CHECK_EQ(pd_writer_finish(writer), PERFDATA_OK);
	pd_writer_free(writer);
	check_secrets(&recording);
	perfdata_text_release(&recording);
}

static void try_all(enum pd_write_form form)
{
	for (size_t i = 0; i < NR_RANGES; i++) {
		range = address_ranges[i];
		try_recording(form, true);
		try_recording(form, false);
	}
}
static void of_files(void) { try_all(PD_WRITE_FILE); }
static void of_streams(void) { try_all(PD_WRITE_STREAM); }

/* The test reads what it wrote: a reader understands the formats. */
static void names_are_read(void)
{
	static struct build b = { .big = BIG };
	struct perfdata_trace *trace = NULL;

	nr_secrets = 0;
	range = address_ranges[0];
	put_tracing_data(&b);
	CHECK_EQ(pd_trace_load(b.data, b.size, NULL, NULL, &trace, NULL), PERFDATA_OK);
	CHECK(pd_trace_event(trace, FIRST_ID + 1) != NULL);
	pd_trace_free(trace);
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "the parts of tracing data are read", names_are_read },
		{ "nothing of the tracing data of files", of_files },
		{ "nothing of the tracing data of streams", of_streams },
	};
	return unit_main(cases, sizeof cases / sizeof *cases);
}
