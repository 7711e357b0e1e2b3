/* SPDX-License-Identifier: MIT */
/* Facts about device, system and app in the META_INFO of Android's simpleperf, as an object of meta. */
#include "config.h"
#include <string.h>
#include "emit/json/meta.h"
#include "emit/spell/members.h"
#include "reader/reader.h"

enum fact_kind { FACT_TEXT, FACT_NUMBER, FACT_FLAG };

/* A key of META_INFO and the member for it; for values like A:B:C, which part is used. */
static const struct fact {
	const char *key, *member;
	enum fact_kind kind;
	bool has_parts;
	unsigned part;
} facts[] = {
	{ "product_props", "manufacturer", FACT_TEXT, true, 0 },
	{ "product_props", "model", FACT_TEXT, true, 1 },
	{ "product_props", "name", FACT_TEXT, true, 2 },
	{ "android_version", "android_version", FACT_TEXT, false, 0 },
	{ "android_sdk_version", "android_sdk_version", FACT_NUMBER, false, 0 },
	{ "android_build_type", "android_build_type", FACT_TEXT, false, 0 },
	{ "android_build_fingerprint", "android_build_fingerprint", FACT_TEXT, false, 0 },
	{ "kernel_version", "kernel_version", FACT_TEXT, false, 0 },
	{ "app_package_name", "app", FACT_TEXT, false, 0 },
	{ "app_type", "app_type", FACT_TEXT, false, 0 },
	{ "simpleperf_version", "simpleperf_version", FACT_TEXT, false, 0 },
	{ "clockid", "clock", FACT_TEXT, false, 0 },
	{ "timestamp", "recorded", FACT_NUMBER, false, 0 },
	{ "system_wide_collection", "system_wide", FACT_FLAG, false, 0 },
	{ "kernel_symbols_available", "kernel_symbols_available", FACT_FLAG, false, 0 },
	{ "trace_offcpu", "trace_offcpu", FACT_FLAG, false, 0 },
};

static struct perfdata_bytes part_of(struct perfdata_bytes value, unsigned part)
{
	for (;; part--) {
		const uint8_t *colon = value.size ? memchr(value.data, ':', value.size) : NULL;
		const size_t size = colon ? (size_t)(colon - value.data) : value.size;
		if (!part)
			return (struct perfdata_bytes){ value.data, size };
		if (!colon)
			return (struct perfdata_bytes){ NULL, 0 };
		value = (struct perfdata_bytes){ colon + 1, value.size - size - 1 };
	}
}

static void spell_text(struct perfdata_text *out, const char *member, struct perfdata_bytes value)
{
	pd_member_key(out, member, "");
	if (perfdata_text_json_string(out, (const char *)value.data, value.size))
		return;
	pd_member_key(out, member, "_hex");
	pd_spell_bytes_string(out, value);
}

static bool number_of(struct perfdata_bytes value, uint64_t *ret)
{
	*ret = 0;
	for (size_t i = 0; i < value.size; i++)
		if (value.data[i] < '0' || value.data[i] > '9' || i > 17)
			return false;
		else
			*ret = *ret * 10 + (uint64_t)(value.data[i] - '0');
	return value.size > 0;
}

/* Omits a value of another kind than the row's: it is in the section itself. */
static void spell_fact(struct speller *s, const struct fact *fact, struct perfdata_bytes value)
{
	uint64_t number;

	if (fact->kind == FACT_TEXT)
		spell_text(s->out, fact->member, value);
	else if (fact->kind == FACT_FLAG && value.size == 4 && !memcmp(value.data, "true", 4))
		pd_member_flag(s->out, fact->member, true);
	else if (fact->kind == FACT_FLAG && value.size == 5 && !memcmp(value.data, "false", 5))
		pd_member_flag(s->out, fact->member, false);
	else if (fact->kind == FACT_NUMBER && number_of(value, &number)) {
		pd_member_key(s->out, fact->member, "");
		pd_spell_wide(s, number);
	}
}

void pd_meta_spell_device(struct speller *s)
{
	const struct perfdata_reader *reader = s->scope->world->reader;

	if (!perfdata_reader_feature(reader, PERFDATA_FEATURE_META_INFO))
		return;
	pd_member_key(s->out, "device", "");
	const size_t start = s->out->size;
	for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
		struct perfdata_bytes value = pd_reader_meta(reader, facts[i].key);
		if (facts[i].has_parts)
			value = part_of(value, facts[i].part);
		if (value.size)
			spell_fact(s, &facts[i], value);
	}
	pd_spell_close(s->out, start, '{', '}');
}
