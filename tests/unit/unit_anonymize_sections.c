/* SPDX-License-Identifier: MIT */
/* Secrets in every row of every feature section, in its padding and after its end, in each byte of sections that go
 * whole, and in sections of unknown kinds: none is in the anonymous recording, whether it is a file or a stream. */
#include "rewrite/anonymize.h"
#include "rewrite/rewriter.h"
#include "schema/feature.h"
#include "write/writing.h"
#include "feature_cases.h"
#include "planted.h"

/* Numbers that no text and no address is in. */
static const char *const numbers[] = {
	"nrcpus.available", "nrcpus.online", "build_id_entry.misc", "pmu.type", "group_desc_entry.leader",
	"group_desc_entry.nr_members", "clockid.clockid", "e_machine.e_machine", "e_machine.e_flags",
	"cln_size.cln_size", NULL
};
/* How the section goes on: it goes as a whole. */
static const char *const structure[] = { "mem_topology.version", "hybrid_topology.version", "dir_format.dir_format",
					 "compressed.version", "compressed.type", "auxtrace_entry.size", NULL };

static bool plant(void *user, const struct perfdata_layout *section, struct perfdata_node *value)
{
	static uint8_t room[4096];
	const struct perfdata_field *field = value->field;
	const char *name = field->name ? field->name : section->name;
	char row[128];

	(void)user;
	cover(field);
	/* parts have no layout in a node: the row is looked for by the names of all parts */
	snprintf(row, sizeof row, ".%s", name);
	bool stays = false;
	for (const char *const *list = numbers; *list; list++)
		stays = stays || (strlen(*list) > strlen(row) && !strcmp(*list + strlen(*list) - strlen(row), row) &&
				  (value->kind == PERFDATA_KIND_U32 || value->kind == PERFDATA_KIND_U64 ||
				   value->kind == PERFDATA_KIND_U16));
	for (const char *const *list = structure; *list; list++)
		stays = stays || !strcmp(strchr(*list, '.'), row);
	switch (value->kind) {
	case PERFDATA_KIND_STRING: {
		const char *text = secret_text(section->name, name);
		value->v.bytes = (struct perfdata_bytes){ (const uint8_t *)text, strlen(text) };
		break;
	}
	case PERFDATA_KIND_BYTES:
		if (value->v.bytes.size < 4 || value->v.bytes.size > sizeof room)
			break;
		fill_secret(room, value->v.bytes.size, secret_text(section->name, name));
		value->v.bytes.data = room;
		break;
	case PERFDATA_KIND_U64:
	case PERFDATA_KIND_S64:
		if (!stays)
			value->v.u = secret_number(section->name, name);
		break;
	case PERFDATA_KIND_U32:
	case PERFDATA_KIND_S32:
		if (!stays)
			value->v.u = (uint32_t)secret_number(section->name, name);
		break;
	default:
		break;
	}
	return true;
}

static enum pd_write_form form;

/* Sections that are dropped whole, which every_free_byte shows. */
static bool is_dropped(uint32_t id)
{
	const struct perfdata_layout *layout = perfdata_feature_layout(id);
	const enum pd_decision decision = layout->nr_fields ? pd_decision_of(layout, &layout->fields[0]) : PD_DROP;
	return decision == PD_UNDECIDED || decision == PD_DROP;
}

/* Sections of the writer's own, and those that the container has no place for. */
static bool is_writers_own(uint32_t id)
{
	const struct pd_section_row *row = pd_section_row(id);

	if (form == PD_WRITE_STREAM && id != PERFDATA_FEATURE_BUILD_ID && row &&
	    row->flags & PD_SECTION_HAS_NO_RECORD)
		return true;
	return id == PERFDATA_FEATURE_COMPRESSED || id == PERFDATA_FEATURE_AUXTRACE ||
	       id == PERFDATA_FEATURE_EVENT_DESC;
}

static struct pd_writer *start(struct perfdata_text *recording)
{
	const struct pd_writer_options options = { .form = form,
							 .order = PERFDATA_BYTE_ORDER_LITTLE,
							 .write = take_bytes,
							 .user = recording };
	const struct perfdata_attr attr = { .size = 136, .type = 1, .sample_type = PERFDATA_SAMPLE_IP };
	struct pd_writer *writer;

	nr_secrets = 0;
	perfdata_text_init(recording);
	CHECK_EQ(pd_writer_new(&options, &writer, NULL), PERFDATA_OK);
	CHECK_EQ(pd_writer_event(writer, &attr, 0, secret_text("event", "name"), NULL, 0), PERFDATA_OK);
	return writer;
}

static void finish(struct pd_writer *writer, struct perfdata_text *recording)
{
	CHECK_EQ(pd_writer_finish(writer), PERFDATA_OK);
	pd_writer_free(writer);
	check_secrets(recording);
	perfdata_text_release(recording);
}

/* A recording with one section, whose values `with` changes, and `after` bytes of a secret after its end. */
static void try_section(const struct section *section, bool plants, size_t after)
{
	static struct build b;
	const struct pd_feature_edit edit = { plant, NULL };
	struct perfdata_feature *feature;
	struct perfdata_text out, recording;
	struct pd_writer *writer = start(&recording);

	memset(&b, 0, sizeof b);
	b.order = PERFDATA_BYTE_ORDER_LITTLE;
	section->build(&b);
	perfdata_text_init(&out);
	CHECK_EQ(pd_feature_decode(section->id, b.bytes, b.size, b.order, NR_CPUS, &feature, NULL), PERFDATA_OK);
	const size_t before = nr_secrets;
	const enum perfdata_status status = pd_feature_encode(feature, b.order, b.order, plants ? &edit : NULL,
								    &out);
	if (status != PERFDATA_OK) {      /* BPF programs: their bytes cannot be edited; see every_free_byte */
		nr_secrets = before;
		perfdata_text_clear(&out);
		perfdata_text_append(&out, b.bytes, b.size);
	}
	if (after) {
		uint8_t bytes[64];
		fill_secret(bytes, sizeof bytes, secret_text(perfdata_feature_layout(section->id)->name, "after"));
		perfdata_text_append(&out, bytes, after);
	}
	pd_feature_free(feature);
	CHECK_EQ(pd_writer_feature(writer, section->id, out.data, out.size), PERFDATA_OK);
	perfdata_text_release(&out);
	finish(writer, &recording);
}

/* Sections that are one text have no case of their own. */
static void try_texts(void)
{
	for (uint32_t id = 1; id < 256; id++) {
		const struct perfdata_layout *layout = perfdata_feature_layout(id);
		const struct section section = { id, build_hostname, check_hostname };
		if (layout && layout->nr_fields == 1 && layout->fields[0].kind == PERFDATA_KIND_STRING &&
		    !is_writers_own(id))
			try_section(&section, true, 0);
	}
}

static void every_value(void)
{
	for (size_t r = 0; r < NR_RANGES; r++) {
		range = address_ranges[r];
		try_texts();
		for (size_t i = 0; i < NR_SECTIONS; i++)
			if (!is_writers_own(sections[i].id))
				try_section(&sections[i], true, 0);
	}
}

static void after_the_end(void)
{
	for (size_t i = 0; i < NR_SECTIONS; i++)
		if (!is_writers_own(sections[i].id))
			try_section(&sections[i], false, 64);
}

/* Each section is full of a text, also those that are damaged by that, and those of unknown kinds. */
static void every_byte(void)
{
	for (uint32_t id = 1; id < 256; id++) {
		struct perfdata_text recording;
		struct pd_writer *writer = start(&recording);
		uint8_t bytes[256];
		const char *kind = perfdata_feature_layout(id) ? "known" : "unknown";
		fill_secret(bytes, sizeof bytes, secret_text("section", kind));
		if (pd_writer_feature(writer, id, bytes, sizeof bytes) == PERFDATA_OK &&
		    id != PERFDATA_FEATURE_COMPRESSED && id != PERFDATA_FEATURE_AUXTRACE)
			finish(writer, &recording);
		else
			pd_writer_free(writer);
	}
}

static size_t count_nodes(const struct perfdata_node *node)
{
	size_t count = 1;
	for (const struct perfdata_node *child = node->child; child; child = child->next)
		count += count_nodes(child);
	return count;
}

/* The values of the section; 0: the bytes are no whole section. */
static size_t count_values(uint32_t id, const uint8_t *bytes, size_t size)
{
	struct perfdata_feature *feature = NULL;    /* set for damaged sections, too */
	const enum perfdata_status status = pd_feature_decode(id, bytes, size, PERFDATA_BYTE_ORDER_LITTLE, NR_CPUS,
							      &feature, NULL);
	const size_t count = status == PERFDATA_OK ? count_nodes(perfdata_feature_root(feature)) : 0;

	pd_feature_free(feature);
	return count;
}

/* Puts secrets into all runs of bytes that no count and no size of the section is in. */
static void plant_free_bytes(uint32_t id, uint8_t *bytes, size_t size)
{
	const size_t count = count_values(id, bytes, size);
	uint8_t before[4096];
	size_t first = 0;

	CHECK(count > 0 && size <= sizeof before);
	memcpy(before, bytes, size);
	for (size_t i = 0; i <= size; i++) {
		if (i < size) {
			bytes[i] ^= 0x55;
			const bool is_free = count_values(id, bytes, size) == count;
			bytes[i] ^= 0x55;
			if (is_free)
				continue;
		}
		/* each run is short: what breaks the section together stays */
		for (size_t at = first; at + 4 <= i; at += 11) {
			const size_t length = i - at < 11 ? i - at : 11;
			fill_secret(bytes + at, length, secret_text(perfdata_feature_layout(id)->name, "byte"));
			if (count_values(id, bytes, size) != count) {
				memcpy(bytes + at, before + at, length);
				nr_secrets--;
			}
		}
		first = i + 1;
	}
}

/* Whole sections whose texts, addresses, instructions and type data are secrets: BPF programs are such. */
static void every_free_byte(void)
{
	static struct build b;

	for (size_t i = 0; i < NR_SECTIONS; i++) {
		struct perfdata_text recording;
		if (!is_dropped(sections[i].id) || is_writers_own(sections[i].id))
			continue;
		struct pd_writer *writer = start(&recording);
		memset(&b, 0, sizeof b);
		b.order = PERFDATA_BYTE_ORDER_LITTLE;
		sections[i].build(&b);
		const size_t before = nr_secrets;
		plant_free_bytes(sections[i].id, b.bytes, b.size);
		CHECK(nr_secrets > before || b.size < 64);
		CHECK_EQ(pd_writer_feature(writer, sections[i].id, b.bytes, b.size), PERFDATA_OK);
		finish(writer, &recording);
	}
}

/* --- sections of simpleperf: their encoder is the anonymizer's ---------------------------------------------------- */

static void put_text_nul(struct perfdata_text *out, const char *text)
{
	perfdata_text_append(out, text, strlen(text) + 1);
}

/* A field of a message: small numbers only. */
static void put_part(struct perfdata_text *out, unsigned number, const char *bytes, size_t size)
{
	CHECK(size < 128);
	perfdata_text_char(out, (char)(number << 3 | 2));
	perfdata_text_char(out, (char)size);
	perfdata_text_append(out, bytes, size);
}

static void build_facts(struct perfdata_text *out)
{
	static const char *const keys[] = { "app_package_name", "product_props", "android_version", "clockid",
					    "app_type", "record_stat", "trace_offcpu", "arm64_pac_mask",
					    "event_type_info" };
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
		put_text_nul(out, keys[i]);
		put_text_nul(out, secret_text("meta_info", keys[i]));
	}
	put_text_nul(out, secret_text("meta_info", "key"));
	put_text_nul(out, "true");
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
		char address[32];
		snprintf(address, sizeof address, "0x%llx", (unsigned long long)secret_number("meta_info", keys[i]));
		put_text_nul(out, keys[i]);
		put_text_nul(out, address);
	}
}

static void build_file(struct perfdata_text *out)
{
	static const char zeros[64];
	const char *path = secret_text("file", "path"), *name = secret_text("file", "name");
	const uint32_t type = 2, nr = 1;
	const uint32_t size = (uint32_t)(strlen(path) + 1 + 4 + 8 + 4 + 12 + strlen(name) + 1 + 8);

	perfdata_text_append(out, (const char *)&size, 4);
	put_text_nul(out, path);
	perfdata_text_append(out, (const char *)&type, 4);
	perfdata_text_append(out, zeros, 8);
	perfdata_text_append(out, (const char *)&nr, 4);
	perfdata_text_append(out, zeros, 12);
	put_text_nul(out, name);
	perfdata_text_append(out, zeros, 8);
}

static void build_file2(struct perfdata_text *out)
{
	const char *path = secret_text("file2", "path"), *name = secret_text("file2", "name"),
		   *more = secret_text("file2", "rest");
	struct perfdata_text symbol, file;

	perfdata_text_init(&symbol);
	perfdata_text_init(&file);
	put_part(&symbol, 3, name, strlen(name));
	put_part(&symbol, 9, more, strlen(more));
	put_part(&file, 1, path, strlen(path));
	put_part(&file, 4, symbol.data, symbol.size);
	put_part(&file, 6, "", 0);
	put_part(&file, 12, more, strlen(more));
	const uint32_t size = (uint32_t)file.size;
	perfdata_text_append(out, (const char *)&size, 4);
	perfdata_text_append(out, file.data, file.size);
	perfdata_text_release(&file);
	perfdata_text_release(&symbol);
}

static void build_branches(struct perfdata_text *out)
{
	const char *path = secret_text("etm", "path"), *other = secret_text("lbr", "path"),
		   *magic = secret_text("etm", "magic");
	struct perfdata_text binary;

	perfdata_text_init(&binary);
	put_part(&binary, 1, path, strlen(path));
	put_part(&binary, 2, "00112233445566778899aabbccddeeff", 32);
	put_part(out, 1, magic, strlen(magic));
	put_part(out, 2, binary.data, binary.size);
	perfdata_text_clear(&binary);
	put_part(&binary, 1, other, strlen(other));
	put_part(out, 3, "", 0);
	put_part(out, 9, other, strlen(other));
	perfdata_text_release(&binary);
}

static void device_sections(void)
{
	static const struct { uint32_t id; void (*build)(struct perfdata_text *out); } cases[] = {
		{ PERFDATA_FEATURE_META_INFO, build_facts }, { PERFDATA_FEATURE_FILE, build_file },
		{ PERFDATA_FEATURE_FILE2, build_file2 }, { PERFDATA_FEATURE_ETM_BRANCH_LIST, build_branches },
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct perfdata_text recording, bytes;
		if (is_writers_own(cases[i].id))
			continue;
		struct pd_writer *writer = start(&recording);
		perfdata_text_init(&bytes);
		cases[i].build(&bytes);
		CHECK_EQ(pd_writer_feature(writer, cases[i].id, bytes.data, bytes.size), PERFDATA_OK);
		perfdata_text_release(&bytes);
		finish(writer, &recording);
	}
}

static void check_covered(const struct perfdata_layout *layout, unsigned depth)
{
	for (uint32_t i = 0; i < layout->nr_fields; i++) {
		const struct perfdata_field *field = &layout->fields[i];
		if (field->element && depth < 8) {
			check_covered(field->element, depth + 1);
			continue;
		}
		/* counts that the encoder makes; and what its section never shows as a value */
		const bool is_value = field->kind != PERFDATA_KIND_PAD && field->kind != PERFDATA_KIND_BITMAP &&
				      field->kind != PERFDATA_KIND_LIST && field->show != PERFDATA_SHOW_HIDDEN;
		CHECK(!is_value || is_covered(field));
		if (is_value && !is_covered(field))
			printf("# no section here has a secret in %s.%s\n", layout->name,
			       field->name ? field->name : "");
	}
}

static void every_row(void)
{
	for (uint32_t id = 1; id < 256; id++)
		if (perfdata_feature_layout(id) && !is_dropped(id) && !pd_anonymize_is_device_section(id))
			check_covered(perfdata_feature_layout(id), 0);
}

static void of_streams(void)
{
	form = PD_WRITE_STREAM;
	every_value();
	every_free_byte();
	device_sections();
	form = PD_WRITE_FILE;
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "nothing of the values of sections", every_value },
		{ "nothing of what is after their end", after_the_end },
		{ "nothing of damaged and unknown ones", every_byte },
		{ "nothing of sections of simpleperf", device_sections },
		{ "nothing of whole sections that go", every_free_byte },
		{ "nothing of sections of streams", of_streams },
		{ "each row of each section that stays was tried", every_row },
	};
	return unit_main(cases, sizeof cases / sizeof *cases);
}
