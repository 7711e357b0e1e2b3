/* SPDX-License-Identifier: MIT */
/* struct perf_event_attr; see include/uapi/linux/perf_event.h. It grew by whole words: each row after the first 64
 * bytes is present if the stated size contains it. */
#include "config.h"
#include "schema/layout.h"

#define REACHED(bytes) PD_WHEN(IF_LEFT, bytes)

static const struct perfdata_field attr_fields[] = {
	PD_ROW(attr, type, U32, ENUM, "Kind of event; numbers from 6 on are PMUs of the recorded machine.",
	       .names = pd_names_attr_type),
	PD_ROW(attr, size, U32, DEC, "Size of the attr as recorded; 0 means 64.", PD_UNIT(BYTES)),
	PD_ROW(attr, config, U64, HEX, "Which event of its kind."),
	PD_ROW(attr, sample_period, U64, DEC, "Events between samples; samples per second with flag freq."),
	PD_ROW(attr, sample_type, U64, FLAGS, "What samples hold.", .names = pd_names_sample_type),
	PD_ROW(attr, read_format, U64, FLAGS, "What counter values hold.", .names = pd_names_read_format),
	PD_ROW_AS("attr_flags", attr, flags, U64, BITS, "The flags; numbered as on little-endian machines.",
		  .bits = pd_bits_attr_flags),
	PD_ROW(attr, wakeup_events, U32, DEC, "Wake the recorder after so many samples; bytes with flag watermark."),
	PD_ROW(attr, bp_type, U32, FLAGS, "Accesses a breakpoint stops at.", .names = pd_names_bp_type),
	PD_ROW(attr, config1, U64, HEX, "More of config; a breakpoint's address.", REACHED(8)),
	PD_ROW(attr, config2, U64, HEX, "More of config; a breakpoint's length.", REACHED(8)),
	PD_ROW(attr, branch_sample_type, U64, FLAGS, "Which branches, and what of them.",
	       .names = pd_names_branch_sample_type, REACHED(8)),
	PD_ROW(attr, sample_regs_user, U64, HEX, "Mask of user registers.", REACHED(8)),
	PD_ROW(attr, sample_stack_user, U32, DEC, "User stack to copy.", PD_UNIT(BYTES), REACHED(4)),
	PD_ROW(attr, clockid, S32, DEC, "Clock of times, with flag use_clockid.", REACHED(4)),
	PD_ROW(attr, sample_regs_intr, U64, HEX, "Mask of registers when the sample was taken.", REACHED(8)),
	PD_ROW(attr, aux_watermark, U32, DEC, "Wake the recorder after so much AUX data.", PD_UNIT(BYTES), REACHED(4)),
	PD_ROW(attr, sample_max_stack, U16, DEC, "Most entries of a callchain; 0: the kernel's limit.", REACHED(2)),
	PD_PAD(2, REACHED(2)),
	PD_ROW(attr, aux_sample_size, U32, DEC, "AUX data to take with a sample.", PD_UNIT(BYTES), REACHED(4)),
	PD_ROW(attr, aux_action, U32, FLAGS, "What the event does to AUX recording.", .names = pd_names_aux_action,
	       REACHED(4)),
	PD_ROW(attr, sig_data, U64, HEX, "Given to the signal of flag sigtrap.", REACHED(8)),
	PD_ROW(attr, config3, U64, HEX, "More of config.", REACHED(8)),
	PD_ROW(attr, config4, U64, HEX, "More of config.", REACHED(8)),
	PD_ROW_AS("attr_rest", attr, rest, BYTES, BYTES_HEX, "What a newer attr holds beyond the above.", PD_COUNT_REST,
		  REACHED(1)),
};
const struct perfdata_layout pd_attr_layout = {
	.name = "attr", .doc = "How an event was configured: struct perf_event_attr.", .min_size = 64,
	.view_size = sizeof(struct perfdata_attr), PD_FIELDS(attr_fields),
};
const struct perfdata_layout *perfdata_attr_layout(void) { return &pd_attr_layout; }
