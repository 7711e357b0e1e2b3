/* SPDX-License-Identifier: MIT */
/* The dictionary of OpenTelemetry profiles: tables of messages, which other messages refer to by index. Entry 0 of each
 * table is the empty message. Equal messages are one entry. A table has no unused entries, so add an entry only when
 * its index is written. */
#ifndef PD_OTLP_TABLES_H
#define PD_OTLP_TABLES_H

#include "base/account.h"
#include "emit/stacks/protobuf.h"

/* Field numbers of ProfilesDictionary, and their number. */
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
/* Charges the account. NULL without memory. */
struct otlp_tables *pd_otlp_tables_new(struct pd_account *account);
void pd_otlp_tables_free(struct otlp_tables *tables);
/* The index of a message, which is added if it is new. 0 without memory: see pd_otlp_tables_failed. */
uint32_t pd_otlp_tables_put(struct otlp_tables *tables, enum otlp_table table, const void *message, size_t size);
/* The index of a text, which is converted to UTF-8. */
uint32_t pd_otlp_tables_text(struct otlp_tables *tables, const char *text);
/* The index of an attribute with a text or a number. */
uint32_t pd_otlp_tables_attribute(struct otlp_tables *tables, const char *key, const char *text);
uint32_t pd_otlp_tables_number(struct otlp_tables *tables, const char *key, int64_t number);
bool pd_otlp_tables_failed(const struct otlp_tables *tables);
/* Size of the entries as fields of a ProfilesDictionary. */
uint64_t pd_otlp_tables_size(const struct otlp_tables *tables);
void pd_otlp_tables_write(const struct otlp_tables *tables, struct perfdata_text *out);

/* Size of a field with `content` bytes of content. Field numbers are below 16. */
static inline uint64_t pd_otlp_field_size(uint64_t content)
{
	uint64_t size = 2 + content;
	for (uint64_t rest = content >> 7; rest; rest >>= 7)
		size++;
	return size;
}

#endif
