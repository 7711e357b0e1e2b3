/* SPDX-License-Identifier: MIT */
/* Formats of tracepoints, for other folders of the library; programs include perfdata/trace.h. */
#ifndef PD_ROOM_TRACE_H
#define PD_ROOM_TRACE_H

#include "perfdata/trace.h"

/* Reads the tracing data of a recording: the body of feature 1, or the payload of record 66. Copies the bytes, which
 * state their byte order and sizeof(long).
 *   PERFDATA_OK        *ret_trace is set. Damage was reported to `finding`, with the code TRACING_DATA or TRACE_FORMAT
 *                      and an `offset` from `bytes`; *ret_trace has everything before it. *ret_complete (may be NULL)
 *                      says whether all bytes were read.
 *   PERFDATA_EFORMAT   the bytes are no tracing data
 *   PERFDATA_ENOMEM
 * `finding` may be NULL. The `file` of findings is NULL and their `record` UINT64_MAX. */
enum perfdata_status pd_trace_load(const void *bytes, size_t size, perfdata_finding_fn *finding,
				   void *user, struct perfdata_trace **ret_trace,
				   bool *ret_complete);

void pd_trace_free(struct perfdata_trace *trace);

/* Whether tracing data of this version ends with the saved comms. */
bool pd_trace_has_comms(const char *version);

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

/* Appends what `perf script` prints for the field `trace`: the raw data in the event's print format, or "[FAILED TO
 * PARSE]" and the fields. Takes no lock; only `out` allocates. PERFDATA_DAMAGED: the raw data was too short for a field
 * (the others are printed). */
enum perfdata_status pd_trace_print(const struct perfdata_trace_event *event,
				    struct perfdata_bytes raw,
				    const struct perfdata_trace_context *context,
				    struct perfdata_text *out);

/* Appends what `perf data convert --to-json` writes for a field of the event, before JSON escaping; perf script prints
 * the same text after "[FAILED TO PARSE]". If the print format prints the field itself, a number has this form, with
 * a literal "0x" before it. An array of char, u8 or s8 is a text if its bytes are printable, else "ARRAY[61, 0a]". perf
 * keeps a state: after a sample whose field is not printable, this field is an ARRAY[] in all later samples of the run.
 * A caller that needs perf's bytes calls pd_trace_field_printable in the order of the samples, and passes the result
 * for the field as `as_bytes`. PERFDATA_DAMAGED: the raw data is too short, and nothing is appended. */
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
