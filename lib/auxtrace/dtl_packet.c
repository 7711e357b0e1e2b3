/* SPDX-License-Identifier: MIT */
/* The Dispatch Trace Log of powerpc's virtual processors: packets of 48 bytes (PAPR; Linux,
 * arch/powerpc/include/asm/dtl.h). */
#include "config.h"
#include <inttypes.h>
#include "base/cursor.h"
#include "auxtrace/packet_rows.h"

enum { BAD, HEADER, ENTRY, KINDS };
#define ENTRY_SIZE 48u

static const char *const dispatch_reasons[] = {
	"external_interrupt",
	"firmware_internal_event",
	"H_PROD",
	"decrementer_interrupt",
	"system_reset",
	"firmware_internal_event",
	"conferred_cycles",
	"time_slice",
	"virtual_memory_page_fault",
	"expropriated_adjunct",
	"priv_doorbell",
};
static const char *const preempt_reasons[] = {
	"unused", "firmware_internal_event", "H_CEDE", "H_CONFER", "time_slice", "migration_hibernation_page_fault",
	"virtual_memory_page_fault", "H_CONFER_ADJUNCT", "hcall_adjunct", "HDEC_adjunct",
};
#define NR(list) (uint8_t)(sizeof(list) / sizeof *(list))
#define DTL_FIELD(key, about, w, n, how) { .name = key, .doc = about, .word = w, .bits = n, .show = PD_SHOW_##how }

static const struct pd_packet_field header_fields[] = {
	DTL_FIELD("boot_tb", "The time base when the system was started.", 0, 64, DEC),
	DTL_FIELD("tb_freq", "Ticks of the time base in a second.", 1, 64, DEC),
};
static const struct pd_packet_field entry_fields[] = {
	{ .name = "dispatch_reason",
	  .doc = "Why it was dispatched.",
	  .word = 0,
	  .bits = 8,
	  .show = PD_SHOW_ENUM,
	  .names = dispatch_reasons,
	  .nr_names = NR(dispatch_reasons) },
	{ .name = "preempt_reason",
	  .doc = "Why it was preempted.",
	  .word = 1,
	  .bits = 8,
	  .show = PD_SHOW_ENUM,
	  .names = preempt_reasons,
	  .nr_names = NR(preempt_reasons) },
	DTL_FIELD("processor", "Physical processor.", 2, 16, DEC),
	DTL_FIELD("enqueue_to_dispatch_time", "Ticks from being ready to run to running.", 3, 32, DEC),
	DTL_FIELD("ready_to_enqueue_time", "Ticks from being ready to being queued.", 4, 32, DEC),
	DTL_FIELD("waiting_to_ready_time", "Ticks of waiting.", 5, 32, DEC),
	DTL_FIELD("timebase", "The time base when it was dispatched.", 6, 64, DEC),
	DTL_FIELD("fault_address", "Address of a fault.", 7, 64, HEX),
	DTL_FIELD("srr0", "SRR0.", 8, 64, HEX),
	DTL_FIELD("srr1", "SRR1.", 9, 64, HEX),
};
static const struct pd_packet_kind kinds[KINDS] = {
	[BAD] = KIND_BARE("bad", "Less than an entry, at the end."),
	[HEADER] = KIND_OF("clock", "How times of this processor are counted.", header_fields),
	[ENTRY] = KIND_OF("dispatch", "A virtual processor was dispatched.", entry_fields),
};

static bool next_dtl_packet(const struct pd_aux_trace *trace, struct pd_aux_state *state, const uint8_t *bytes,
			    size_t size, struct pd_packet *ret)
{
	(void)trace;
	(void)state;
	const bool swap = pd_order_is_foreign(PERFDATA_BYTE_ORDER_BIG);
	if (size < ENTRY_SIZE)
		return false;
	ret->size = ret->line = ENTRY_SIZE;
	if (!pd_load64(bytes + 16, false)) {
		/* the recorder wrote this entry, on a little-endian system */
		ret->kind = HEADER;
		ret->words[0] = pd_load64(bytes, !swap);
		ret->words[1] = pd_load64(bytes + 8, !swap);
		return true;
	}
	ret->kind = ENTRY;
	ret->words[0] = bytes[0];
	ret->words[1] = bytes[1];
	ret->words[2] = pd_load16(bytes + 2, swap);
	for (unsigned i = 0; i < 3; i++)
		ret->words[3 + i] = pd_load32(bytes + 4 + 4 * i, swap);
	for (unsigned i = 0; i < 4; i++)
		ret->words[6 + i] = pd_load64(bytes + 16 + 8 * i, swap);
	return true;
}

static const char *reason_name(const char *const *names, size_t nr, uint64_t number)
{
	return number < nr ? names[number] : "unknown";
}

static void write_dtl_line(const struct pd_aux_trace *trace, const struct pd_aux_state *state,
			   const struct pd_packet *packet, const uint8_t *bytes, uint64_t at, struct perfdata_text *out)
{
	(void)trace;
	(void)state;
	(void)bytes;
	const uint64_t *words = packet->words;
	if (packet->kind == HEADER) {
		perfdata_text_printf(out, ".  %08" PRIx64 ": boot_tb: %" PRIu64 ", tb_freq: %" PRIu64 "\n", at,
				     words[0], words[1]);
		return;
	}
	perfdata_text_printf(out,
			     ".  %08" PRIx64 ": dispatch_reason:%s, preempt_reason:%s, enqueue_to_dispatch_time:%d, "
			     "ready_to_enqueue_time:%d, waiting_to_ready_time:%d\n",
			     at, reason_name(dispatch_reasons, NR(dispatch_reasons), words[0]),
			     reason_name(preempt_reasons, NR(preempt_reasons), words[1]), (int32_t)words[3],
			     (int32_t)words[4], (int32_t)words[5]);
}

static void write_dtl_header(const struct pd_aux_trace *trace, const struct pd_aux_state *state,
			     struct perfdata_text *out)
{
	(void)state;
	perfdata_text_printf(out, ". ... VPA DTL PMU data: size %" PRIu64 " bytes, entries is %" PRIu64 "\n",
			     trace->size, trace->size / ENTRY_SIZE);
}

const struct pd_tracer pd_dtl_tracer = {
	.type = PD_AUX_VPA_DTL,
	.name = "vpa_dtl",
	.kinds = kinds,
	.nr_kinds = KINDS,
	.next = next_dtl_packet,
	.header = write_dtl_header,
	.line = write_dtl_line,
};
