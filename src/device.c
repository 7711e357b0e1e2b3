/* SPDX-License-Identifier: MIT */
/* Facts about device, system and app in recordings of Android's simpleperf. */
#include "config.h"
#include <stdlib.h>
#include <string.h>
#include "device.h"

/* The value of a recorded fact; data NULL: absent or empty. */
static struct perfdata_bytes device_fact(const struct perfdata_reader *reader, const char *key)
{
	const struct perfdata_feature_section *section = perfdata_reader_feature(reader, PERFDATA_FEATURE_META_INFO);
	const struct perfdata_node *list = section && section->feature
						   ? perfdata_node_get(perfdata_feature_root(section->feature),
								       "meta_info")
						   : NULL;
	for (const struct perfdata_node *fact = list ? list->child : NULL; fact; fact = fact->next) {
		const struct perfdata_node *name = perfdata_node_get(fact, "key");
		const struct perfdata_node *value = perfdata_node_get(fact, "value");
		if (name && value && value->v.bytes.size && name->v.bytes.size == strlen(key) &&
		    !memcmp(name->v.bytes.data, key, name->v.bytes.size))
			return value->v.bytes;
	}
	return (struct perfdata_bytes){ NULL, 0 };
}

static bool is_fact(struct perfdata_bytes fact, const char *text)
{
	return fact.size == strlen(text) && !memcmp(fact.data, text, fact.size);
}

/* Appends `before`, the fact and `after`; nothing if the fact is absent. */
static bool put_fact(struct perfdata_text *out, const char *before, struct perfdata_bytes fact, const char *after)
{
	if (!fact.size)
		return false;
	perfdata_text_string(out, before);
	perfdata_text_printable(out, fact.data, fact.size);
	perfdata_text_string(out, after);
	return true;
}

void device_show(struct perfdata_text *out, const struct perfdata_reader *reader)
{
	const struct perfdata_bytes props = device_fact(reader, "product_props");
	const struct perfdata_bytes off_cpu = device_fact(reader, "trace_offcpu");
	const size_t start = out->size;

	if (props.size != 2 && put_fact(out, "device: ", props, "\n"))
		for (size_t i = start; i < out->size; i++)      /* replaces ':' in manufacturer:model:name */
			if (out->data[i] == ':' && i > start + sizeof "device:" - 2)
				out->data[i] = ' ';
	if (put_fact(out, "android: ", device_fact(reader, "android_version"), "")) {
		put_fact(out, ", SDK ", device_fact(reader, "android_sdk_version"), "");
		put_fact(out, ", ", device_fact(reader, "android_build_type"), " build");
		put_fact(out, ", ", device_fact(reader, "android_build_fingerprint"), "");
		perfdata_text_char(out, '\n');
	}
	if (put_fact(out, "app: ", device_fact(reader, "app_package_name"), "")) {
		put_fact(out, ", ", device_fact(reader, "app_type"), "");
		perfdata_text_char(out, '\n');
	}
	put_fact(out, "simpleperf: ", device_fact(reader, "simpleperf_version"), "\n");
	put_fact(out, "clock: ", device_fact(reader, "clockid"), "\n");
	if (off_cpu.size)
		perfdata_text_printf(out, "time off the CPU: %s\n", is_fact(off_cpu, "true") ? "traced" : "not traced");
}

time_t device_seconds(const struct perfdata_reader *reader)
{
	const struct perfdata_bytes stamp = device_fact(reader, "timestamp");
	char text[24] = "";

	if (stamp.size && stamp.size < sizeof text)
		memcpy(text, stamp.data, stamp.size);
	return (time_t)strtoll(text, NULL, 10);
}
