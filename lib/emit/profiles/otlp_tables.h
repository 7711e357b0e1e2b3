/* SPDX-License-Identifier: MIT */
/* The dictionary of OpenTelemetry's profiles: tables of messages that other messages name by their index. Entry 0 of
 * each table is the message without fields. Equal messages are one entry, and a table has no entry that nothing
 * names: so an entry is added where its index is written. */
#ifndef PD_OTLP_TABLES_H
#define PD_OTLP_TABLES_H

#include "base/account.h"
#include "emit/stacks/protobuf.h"

/* Field numbers of ProfilesDictionary, and how many there are. */
enum otlp_table {
	OTLP_MAPPINGS = 1,
	OTLP_LOCATIONS,
	OTLP_FUNCTIONS,
	OTLP_LINKS,
	OTLP_STRINGS,
	OTLP_ATTRIBUTES,
	OTLP_STACKS,
	OTLP_TABLES
};

/* Fields of AnyValue. */
enum { OTLP_VALUE_STRING = 1, OTLP_VALUE_INT = 3, OTLP_VALUE_ARRAY = 5 };

struct otlp_tables;
/* Draws from the account. NULL without memory. */
struct otlp_tables *pd_otlp_tables_new(struct pd_account *account);
void pd_otlp_tables_free(struct otlp_tables *tables);
/* The index of a message, which is added if it is new. 0 also where memory failed: see pd_otlp_tables_failed. */
uint32_t pd_otlp_tables_put(struct otlp_tables *tables, enum otlp_table table, const void *message, size_t size);
/* The same of a text, which becomes UTF-8. */
uint32_t pd_otlp_tables_text(struct otlp_tables *tables, const char *text);
/* The same of an attribute with a text or a number. */
uint32_t pd_otlp_tables_attribute(struct otlp_tables *tables, const char *key, const char *text);
uint32_t pd_otlp_tables_number(struct otlp_tables *tables, const char *key, int64_t number);
bool pd_otlp_tables_failed(const struct otlp_tables *tables);
/* How many bytes the entries take as fields of a ProfilesDictionary. */
uint64_t pd_otlp_tables_size(const struct otlp_tables *tables);
void pd_otlp_tables_write(const struct otlp_tables *tables, struct perfdata_text *out);

/* How many bytes a field with so many bytes of content takes. Field numbers are below 16. */
static inline uint64_t pd_otlp_field_size(uint64_t content)
{
	uint64_t size = 2 + content;
	for (uint64_t rest = content >> 7; rest; rest >>= 7)
		size++;
	return size;
}

#endif
