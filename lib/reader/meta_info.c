/* SPDX-License-Identifier: MIT */
/* The section META_INFO of simpleperf: names of events, and losses. */
#include "config.h"
#include <string.h>
#include "reader/reader_impl.h"

static bool is_text(struct perfdata_bytes bytes, const char *text, size_t size)
{
	return bytes.size == size && !memcmp(bytes.data, text, size);
}

struct perfdata_bytes pd_reader_meta(const struct perfdata_reader *reader, const char *key)
{
	const struct perfdata_feature *feature = reader->sections[PERFDATA_FEATURE_META_INFO].feature;
	const struct perfdata_node *list = feature ? perfdata_node_get(perfdata_feature_root(feature), "meta_info")
						   : NULL;

	for (const struct perfdata_node *fact = list ? list->child : NULL; fact; fact = fact->next) {
		const struct perfdata_node *name = perfdata_node_get(fact, "key");
		const struct perfdata_node *value = perfdata_node_get(fact, "value");
		if (name && value && is_text(name->v.bytes, key, strlen(key)))
			return value->v.bytes;
	}
	return (struct perfdata_bytes){ NULL, 0 };
}

/* Takes a decimal number from the start of the text; false: there is none, or it is too large. */
static bool take_number(struct perfdata_bytes *text, uint64_t *ret)
{
	uint64_t value = 0;
	size_t i = 0;

	for (; i < text->size && text->data[i] >= '0' && text->data[i] <= '9'; i++) {
		const unsigned digit = text->data[i] - '0';
		if (value > (UINT64_MAX - digit) / 10)
			return false;
		value = value * 10 + digit;
	}
	*text = (struct perfdata_bytes){ text->data + i, text->size - i };
	*ret = value;
	return i > 0;
}

/* Removes the text before the first `end`, and `end` itself; returns that text. */
static struct perfdata_bytes take_until(struct perfdata_bytes *text, char end)
{
	const uint8_t *found = text->size ? memchr(text->data, end, text->size) : NULL;
	const struct perfdata_bytes part = { text->data, found ? (size_t)(found - text->data) : text->size };
	const size_t used = part.size + (found ? 1 : 0);

	*text = (struct perfdata_bytes){ text->data + used, text->size - used };
	return part;
}

/* The name of an event in the lines "name,type,config": the first line with its type and config. */
static struct perfdata_bytes name_in(struct perfdata_bytes lines, const struct perfdata_attr *attr)
{
	while (lines.size) {
		struct perfdata_bytes line = take_until(&lines, '\n');
		const struct perfdata_bytes name = take_until(&line, ',');
		uint64_t type, config;
		if (!name.size || !take_number(&line, &type) || type != attr->type || !line.size || line.data[0] != ',')
			continue;
		(void)take_until(&line, ',');
		if (is_text(name, "cs-etm", 6) || (take_number(&line, &config) && config == attr->config))
			return name;
	}
	return (struct perfdata_bytes){ NULL, 0 };
}

/* The modifier that simpleperf appends to an event's name. */
static const char *modifier_of(const struct perfdata_attr *attr)
{
	const bool no_user = perfdata_attr_has(attr, PERFDATA_ATTR_EXCLUDE_USER);
	const bool no_kernel = perfdata_attr_has(attr, PERFDATA_ATTR_EXCLUDE_KERNEL);

	return no_user == no_kernel ? "" : no_kernel ? ":u" : ":k";
}

enum perfdata_status pd_events_take_meta_names(struct perfdata_reader *reader)
{
	const struct perfdata_bytes lines = pd_reader_meta(reader, "event_type_info");
	enum perfdata_status status = PERFDATA_OK;

	for (size_t i = 0; lines.size && i < reader->nr_events && status == PERFDATA_OK; i++) {
		const struct perfdata_attr *attr = reader->events[i]->attr;
		const struct perfdata_bytes name = name_in(lines, attr);
		struct perfdata_text text;
		if (!name.size)
			continue;
		perfdata_text_init(&text);
		perfdata_text_append(&text, (const char *)name.data, name.size);
		perfdata_text_string(&text, modifier_of(attr));
		status = perfdata_text_failed(&text) ? PERFDATA_ENOMEM
						     : pd_event_set_name(reader, i, text.data, text.size,
									 PERFDATA_NAME_META_INFO);
		perfdata_text_release(&text);
	}
	return status;
}

void pd_reader_meta_losses(const struct perfdata_reader *reader, struct pd_meta_losses *ret)
{
	struct perfdata_bytes facts = pd_reader_meta(reader, "record_stat");

	*ret = (struct pd_meta_losses){ 0 };
	while (facts.size) {
		struct perfdata_bytes fact = take_until(&facts, ',');
		const struct perfdata_bytes key = take_until(&fact, '=');
		uint64_t value;
		if (!take_number(&fact, &value))
			continue;
		if (is_text(key, "kernelspace_lost_records", 24))
			ret->kernel_records = value;
		else if (is_text(key, "userspace_lost_samples", 22))
			ret->user_samples = value;
		else if (is_text(key, "userspace_lost_non_samples", 26))
			ret->user_records = value;
	}
}
