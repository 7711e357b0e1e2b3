/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <string.h>
#include "base/hash.h"
#include "base/memory.h"
#include "emit/profiles/otlp_tables.h"
#include "emit/stacks/stack_text.h"

/* Fields of KeyValueAndUnit. */
enum { ATTRIBUTE_KEY = 1, ATTRIBUTE_VALUE };

struct otlp_tables {
	struct pd_account *account;
	struct pd_intern *tables[OTLP_TABLES];   /* by field number; element 0 is unused */
	uint64_t size;
	size_t taken;
	struct perfdata_text message, value, text;
	bool failed;
};

void pd_otlp_tables_free(struct otlp_tables *tables)
{
	if (!tables)
		return;
	for (unsigned i = 1; i < OTLP_TABLES; i++)
		pd_intern_free(tables->tables[i]);
	perfdata_text_release(&tables->message);
	perfdata_text_release(&tables->value);
	perfdata_text_release(&tables->text);
	pd_account_give(tables->account, PD_USE_PROFILE, tables->taken);
	pd_free(tables);
}

struct otlp_tables *pd_otlp_tables_new(struct pd_account *account)
{
	struct otlp_tables *tables = pd_calloc(1, sizeof *tables);
	if (!tables)
		return NULL;
	tables->account = account;
	perfdata_text_init(&tables->message);
	perfdata_text_init(&tables->value);
	perfdata_text_init(&tables->text);
	for (unsigned i = 1; i < OTLP_TABLES; i++) {
		tables->tables[i] = pd_intern_new();
		if (!tables->tables[i]) {
			tables->failed = true;
			break;
		}
		pd_otlp_tables_put(tables, i, "", 0);
	}
	if (!tables->failed)
		return tables;
	pd_otlp_tables_free(tables);
	return NULL;
}

uint32_t pd_otlp_tables_put(struct otlp_tables *tables, enum otlp_table table, const void *message, size_t size)
{
	enum { OVERHEAD = 32 };   /* of an entry: its place in the table and its hash */
	struct pd_intern *entries = tables->tables[table];
	const uint32_t nr = pd_intern_count(entries), index = pd_intern_put(entries, message, size);
	if (index == nr) {
		tables->size += pd_otlp_field_size(size);
		tables->taken += size + OVERHEAD;
		pd_account_take(tables->account, PD_USE_PROFILE, size + OVERHEAD);
	}
	/* indexes are signed 32-bit numbers */
	tables->failed |= index > INT32_MAX || pd_account_is_exhausted(tables->account);
	return tables->failed ? 0 : index;
}

uint32_t pd_otlp_tables_text(struct otlp_tables *tables, const char *text)
{
	perfdata_text_clear(&tables->text);
	pd_stack_text_utf8(&tables->text, text);
	tables->failed |= perfdata_text_failed(&tables->text);
	return tables->failed ? 0
			      : pd_otlp_tables_put(tables, OTLP_STRINGS, tables->text.size ? tables->text.data : "",
						   tables->text.size);
}

static uint32_t put_attribute(struct otlp_tables *tables, const char *key)
{
	perfdata_text_clear(&tables->message);
	pd_protobuf_number(&tables->message, ATTRIBUTE_KEY, pd_otlp_tables_text(tables, key));
	pd_protobuf_message(&tables->message, ATTRIBUTE_VALUE, &tables->value);
	tables->failed |= perfdata_text_failed(&tables->message);
	return tables->failed ? 0
			      : pd_otlp_tables_put(tables, OTLP_ATTRIBUTES, tables->message.data, tables->message.size);
}

uint32_t pd_otlp_tables_attribute(struct otlp_tables *tables, const char *key, const char *text)
{
	perfdata_text_clear(&tables->value);
	perfdata_text_clear(&tables->text);
	pd_stack_text_utf8(&tables->text, text);
	pd_protobuf_message(&tables->value, OTLP_VALUE_STRING, &tables->text);
	return put_attribute(tables, key);
}

uint32_t pd_otlp_tables_number(struct otlp_tables *tables, const char *key, int64_t number)
{
	perfdata_text_clear(&tables->value);
	pd_protobuf_present(&tables->value, OTLP_VALUE_INT, (uint64_t)number);
	return put_attribute(tables, key);
}

bool pd_otlp_tables_failed(const struct otlp_tables *tables) { return tables->failed; }
uint64_t pd_otlp_tables_size(const struct otlp_tables *tables) { return tables->size; }

void pd_otlp_tables_write(const struct otlp_tables *tables, struct perfdata_text *out)
{
	for (unsigned table = 1; table < OTLP_TABLES; table++)
		for (uint32_t i = 0; i < pd_intern_count(tables->tables[table]); i++) {
			size_t size;
			const char *message = pd_intern_get(tables->tables[table], i, &size);
			pd_protobuf_bytes(out, table, message, size);
			perfdata_text_cut(out);
		}
}
