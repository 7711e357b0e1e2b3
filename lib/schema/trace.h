/* SPDX-License-Identifier: MIT */
/* Formats of tracepoints, for other folders of the library; programs include perfdata/trace.h. */
#ifndef PD_ROOM_TRACE_H
#define PD_ROOM_TRACE_H

#include "perfdata/trace.h"

/* Reads the tracing data of a recording (the body of feature 1, or what follows record 66) into a new set. The bytes
 * are copied. The data states its byte order and sizeof(long).
 *   PERFDATA_OK        *ret_trace is set. Damage, if any, was reported to `finding`: codes TRACING_DATA and
 *                      TRACE_FORMAT with `offset` counted from `bytes`; everything before the damage is there.
 *                      *ret_complete (may be NULL) says whether the whole was read.
 *   PERFDATA_EFORMAT   this is no tracing data
 *   PERFDATA_ENOMEM
 * `finding` may be NULL. Its `file` is NULL and its `record` UINT64_MAX. */
enum perfdata_status pd_trace_load(const void *bytes, size_t size, perfdata_finding_fn *finding,
				   void *user, struct perfdata_trace **ret_trace,
				   bool *ret_complete);

void pd_trace_free(struct perfdata_trace *trace);

void pd_trace_info(const struct perfdata_trace *trace, struct perfdata_trace_info *ret_info);

/* Returns the event with the id, and compiles it at its first use. NULL: no such event, or no memory. Thread-safe. */
const struct perfdata_trace_event *pd_trace_event(const struct perfdata_trace *trace, uint64_t id);

/* Returns event number `index` in the order of the file; NULL: there are fewer. */
const struct perfdata_trace_event *pd_trace_event_at(const struct perfdata_trace *trace,
						     size_t index);

/* Returns the field with the name, or NULL. */
const struct perfdata_trace_field *pd_trace_field_named(const struct perfdata_trace_event *event,
							const char *name);

/* Returns the text of the printk format at the address, or NULL. */
const char *pd_trace_printk(const struct perfdata_trace *trace, uint64_t address);

/* Reads the value of a field from the raw data of a sample (without its 4-byte size). *ret borrows from `raw`.
 * PERFDATA_DAMAGED: the raw data is too short for the field. */
enum perfdata_status pd_trace_value(const struct perfdata_trace_field *field,
				    struct perfdata_bytes raw, enum perfdata_byte_order order,
				    struct perfdata_trace_value *ret_value);

/* Returns element `index` of an ARRAY or BITMASK, sign-extended if signed; 0 if there are fewer. */
uint64_t pd_trace_element(const struct perfdata_trace_value *value, size_t index);

/* Appends what `perf script` prints for the field `trace`: the event's print format run over the raw data, or "[FAILED
 * TO PARSE]" and the fields. No locks; only `out` allocates. PERFDATA_OK, or PERFDATA_DAMAGED if the raw data was too
 * short for something (the rest is printed). */
enum perfdata_status pd_trace_print(const struct perfdata_trace_event *event,
				    struct perfdata_bytes raw,
				    const struct perfdata_trace_context *context,
				    struct perfdata_text *out);

/* Appends what `perf data convert --to-json` writes for a field of the event, before JSON escaping (and the text after
 * "[FAILED TO PARSE]"): a number as the print format prints it, including a literal "0x", if the print format prints
 * the field itself. An array of char, u8 or s8 is text while its bytes are printable, else "ARRAY[61, 0a]". perf keeps
 * a state here: once a field was not printable, it is an ARRAY[] in every later sample of that run. A program that
 * needs the same bytes calls pd_trace_field_printable in the order of the samples, keeps the result per field and
 * passes it as `as_bytes`. PERFDATA_OK, or PERFDATA_DAMAGED if the raw data is too short (nothing is appended). */
enum perfdata_status pd_trace_print_field(const struct perfdata_trace_event *event,
					  const struct perfdata_trace_field *field,
					  struct perfdata_bytes raw, enum perfdata_byte_order order,
					  bool as_bytes, struct perfdata_text *out);

/* Whether pd_trace_print_field always writes a number for the field, so that the text needs no escapes. */
bool pd_trace_prints_number(const struct perfdata_trace_field *field);

/* False: perf prints the field as text, but these bytes are not printable. */
bool pd_trace_field_printable(const struct perfdata_trace_field *field, struct perfdata_bytes raw,
			      enum perfdata_byte_order order);

/* Describes how pd_trace_print_field prints a field that is one number, if recorder and machine have the same byte
 * order. The part's text precedes the number; its offset counts in the raw data, which must have min_size bytes. form
 * STOP: the field is not just a number. */
struct perfdata_part pd_trace_field_part(const struct perfdata_trace_field *field);

#endif
