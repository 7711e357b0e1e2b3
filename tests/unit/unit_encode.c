/* SPDX-License-Identifier: MIT */
/* Decode, then encode: every record and feature section of testdata/, and of the corpus where PERFDATA_CORPUS names
 * one, has its own bytes again; and has them again by way of the other byte order. */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "perfdata/reader.h"
#include "unit.h"
#include "schema/schema.h"
#include "schema/feature.h"
#include "reader/reader.h"
#include "write/writing.h"

static struct {
	uint64_t records, damaged, wrong, fields_wrong, twin_wrong, attrs_wrong, sections, sections_wrong,
		sections_twin_wrong, unsupported, files;
} seen;

static void tell(const char *file, const char *what, uint64_t offset, unsigned type)
{
	printf("# %s: %s %u at %#llx\n", file, what, type, (unsigned long long)offset);
}

/* The event's configuration in the other byte order. */
static void twin_config(const struct perfdata_config *config, struct perfdata_config *ret)
{
	const enum perfdata_byte_order other = config->order == PERFDATA_BYTE_ORDER_LITTLE ? PERFDATA_BYTE_ORDER_BIG
											   : PERFDATA_BYTE_ORDER_LITTLE;
	pd_config_init(ret, config->has_attr ? &config->attr : NULL, other);
	ret->branch_counters = config->branch_counters;
}

/* Bytes that no row explains cannot be turned. */
static bool can_turn(const struct perfdata_record *record)
{
	return record->layout && !record->rest.size && record->type != PERFDATA_RECORD_FEATURE;
}

static void check_record(const struct perfdata_reader *reader, const struct perfdata_raw *raw, const char *file)
{
	static uint8_t out[PD_RECORD_ROOM], turned[PD_RECORD_ROOM];
	const struct perfdata_config *config = raw->event ? raw->event->config : perfdata_reader_config(reader);
	struct perfdata_record record, again;
	struct perfdata_config twin;
	size_t size = 0;

	const enum perfdata_status status = perfdata_decode(config, raw->bytes, raw->size, &record);
	if (status != PERFDATA_OK && record.problem_code != PERFDATA_FINDING_TEXT_UNTERMINATED) {
		seen.damaged++;
		return;
	}
	seen.records++;
	if (pd_encode_record(config, config, &record, out, &size) != PERFDATA_OK || size != raw->size ||
	    memcmp(out, raw->bytes, size)) {
		if (seen.wrong++ < 20)
			tell(file, "other bytes: record type", raw->offset, raw->type);
		return;
	}
	if (!can_turn(&record))
		return;
	/* what a record consists of does not come from its old bytes alone: no field of a later version is added */
	if (pd_encode_record(config, NULL, &record, out, &size) != PERFDATA_OK ||
	    perfdata_decode(config, out, size, &again) != PERFDATA_OK || again.u.present != record.u.present) {
		if (seen.fields_wrong++ < 20)
			tell(file, "other fields without the source: record type", raw->offset, raw->type);
	}
	twin_config(config, &twin);
	size_t turned_size = 0;
	if (pd_encode_record(&twin, config, &record, turned, &turned_size) != PERFDATA_OK || turned_size != raw->size ||
	    perfdata_decode(&twin, turned, turned_size, &again) != status ||
	    pd_encode_record(config, &twin, &again, out, &size) != PERFDATA_OK || size != raw->size ||
	    memcmp(out, raw->bytes, size)) {
		if (seen.twin_wrong++ < 20)
			tell(file, "other bytes by way of the other byte order: record type", raw->offset, raw->type);
	}
}

static void check_section(const struct perfdata_reader *reader, const struct perfdata_feature_section *section,
			  const char *file)
{
	const enum perfdata_byte_order order = perfdata_reader_header(reader)->order;
	const enum perfdata_byte_order other = order == PERFDATA_BYTE_ORDER_LITTLE ? PERFDATA_BYTE_ORDER_BIG
										   : PERFDATA_BYTE_ORDER_LITTLE;
	struct perfdata_text out, back;

	if (section->status != PERFDATA_OK || !section->feature)
		return;
	const struct perfdata_bytes bytes = pd_feature_bytes(section->feature);
	seen.sections++;
	perfdata_text_init(&out);
	perfdata_text_init(&back);
	const enum perfdata_status status = pd_feature_encode(section->feature, order, order, NULL, &out);
	if (status != PERFDATA_OK || out.size != bytes.size || (out.size && memcmp(out.data, bytes.data, out.size))) {
		if (seen.sections_wrong++ < 20)
			tell(file, "other bytes: feature", section->offset, section->id);
	}
	perfdata_text_clear(&out);
	const enum perfdata_status turned = pd_feature_encode(section->feature, order, other, NULL, &out);
	/* the attrs of some big-endian writers are put right on the way */
	const bool may_differ = section->id == PERFDATA_FEATURE_EVENT_DESC && order == PERFDATA_BYTE_ORDER_BIG;
	struct perfdata_feature *feature = NULL;
	const struct perfdata_feature_section *cpus = perfdata_reader_feature(reader, PERFDATA_FEATURE_NRCPUS);
	const struct perfdata_node *available =
		cpus && cpus->feature ? perfdata_node_get(perfdata_feature_root(cpus->feature), "available") : NULL;
	const uint32_t nr_cpus = available ? (uint32_t)available->v.u : 0;
	if (turned == PERFDATA_EUNSUP) {
		seen.unsupported++;
	} else if (turned != PERFDATA_OK ||
		   pd_feature_decode(section->id, out.data, out.size, other, nr_cpus, &feature, NULL) !=
			   PERFDATA_OK ||
		   pd_feature_encode(feature, other, order, NULL, &back) != PERFDATA_OK ||
		   back.size != bytes.size || (back.size && !may_differ && memcmp(back.data, bytes.data, back.size))) {
		if (seen.sections_twin_wrong++ < 20)
			tell(file, "other bytes by way of the other byte order: feature", section->offset, section->id);
	}
	pd_feature_free(feature);
	perfdata_text_release(&out);
	perfdata_text_release(&back);
}

static void check_event(const struct perfdata_event *event, const char *file)
{
	uint8_t out[PD_ATTR_ROOM];
	size_t size, used;
	struct perfdata_attr attr;

	if (perfdata_attr_decode(event->attr_bytes.data, event->attr_bytes.size, event->config->order, &attr, &used) !=
	    PERFDATA_OK)
		return;
	if (pd_attr_encode(&attr, 0, event->config->order, out, &size) != PERFDATA_OK || size != used ||
	    memcmp(out, event->attr_bytes.data, size)) {
		if (seen.attrs_wrong++ < 20)
			tell(file, "other bytes: attr", 0, event->index);
	}
}

static void check_file(const char *path)
{
	struct perfdata_reader *reader;
	const struct perfdata_raw *raw;

	if (perfdata_reader_open_path(path, NULL, &reader, NULL) != PERFDATA_OK)
		return;
	seen.files++;
	while (perfdata_reader_next(reader, &raw) == PERFDATA_OK)
		check_record(reader, raw, path);
	const struct perfdata_feature_section *section;
	for (size_t i = 0; (section = perfdata_reader_feature_at(reader, i)); i++)
		check_section(reader, section, path);
	for (size_t i = 0; i < perfdata_reader_nr_events(reader); i++)
		check_event(perfdata_reader_event(reader, i), path);
	perfdata_reader_close(reader);
}

static void check_folder(const char *folder)
{
	DIR *dir = opendir(folder);
	struct dirent *entry;

	CHECK(dir != NULL);
	while (dir && (entry = readdir(dir))) {
		char path[4096];
		struct stat st;
		snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
		const size_t length = strlen(path);
		const bool is_directory = stat(path, &st) == 0 && S_ISDIR(st.st_mode);
		if (entry->d_name[0] != '.' && (!is_directory || (length > 4 && !strcmp(path + length - 4, ".dir"))))
			check_file(path);
	}
	if (dir)
		closedir(dir);
}

static void check_seen(void)
{
	printf("# %llu files, %llu records (%llu damaged ones aside), %llu feature sections (%llu of which only in "
	       "their own byte order)\n",
	       (unsigned long long)seen.files, (unsigned long long)seen.records, (unsigned long long)seen.damaged,
	       (unsigned long long)seen.sections, (unsigned long long)seen.unsupported);
	CHECK(seen.records > 0);
	CHECK(seen.sections > 0);
	CHECK_EQ(seen.wrong, 0);
	CHECK_EQ(seen.fields_wrong, 0);
	CHECK_EQ(seen.twin_wrong, 0);
	CHECK_EQ(seen.attrs_wrong, 0);
	CHECK_EQ(seen.sections_wrong, 0);
	CHECK_EQ(seen.sections_twin_wrong, 0);
}

static void testdata(void)
{
	const char *top = getenv("top_srcdir");
	char path[4096];

	snprintf(path, sizeof path, "%s/testdata", top ? top : ".");
	check_folder(path);
	snprintf(path, sizeof path, "%s/testdata/perf", top ? top : ".");
	check_folder(path);
	check_seen();
}

static void corpus(void)
{
	memset(&seen, 0, sizeof seen);
	check_folder(getenv("PERFDATA_CORPUS"));
	check_seen();
}

int main(void)
{
	static const struct unit_case cases[] = { { "testdata", testdata }, { "corpus", corpus } };
	return unit_main(cases, getenv("PERFDATA_CORPUS") ? 2 : 1);
}
