/* SPDX-License-Identifier: MIT */
/* Writes cuts of CoreSight buffers as `perf script -D` does, with the texts of perf and of the library OpenCSD. */
#include "config.h"
#include <inttypes.h>
#include "auxtrace/cs_stream.h"

static void error_line(const struct pd_packet *packet, bool raw, struct perfdata_text *out)
{
	const unsigned id = (unsigned)packet->words[PD_ETM_SOURCE] & 0xff;
	perfdata_text_literal(out, "\tPKTP_ETMV4I");
	if (!raw)
		perfdata_text_printf(out, "_%04u", id);
	perfdata_text_printf(out, " : 0x0014 (OCSD_ERR_INVALID_PCKT_HDR) [Invalid packet header]; TrcIdx=%" PRIu64
				  "; CS ID=%02x; \n",
			     packet->words[PD_ETM_INDEX], id);
}

static void packet_line(const struct pd_packet *packet, bool raw, struct perfdata_text *out)
{
	if (pd_etm_is_error(packet))
		error_line(packet, raw, out);
	perfdata_text_printf(out, "\tIdx:%" PRIu64 "; ID:%x;\t", packet->words[PD_ETM_INDEX],
			     (unsigned)packet->words[PD_ETM_SOURCE] & 0xff);
	pd_etm_text(packet, out);
	perfdata_text_char(out, '\n');
}

static void reset_lines(const struct pd_cs_stream *stream, struct perfdata_text *out)
{
	for (uint8_t id = 0; (id = pd_cs_source_from(stream, id)) < PD_CS_NO_ID; id++)
		perfdata_text_printf(out, "\tID:%x\tRESET operation on trace decode path\n", id);
}

void pd_cs_lines(struct pd_cs_stream *stream, const uint8_t *bytes, size_t size, uint64_t from, uint64_t stop,
		 struct perfdata_text *out)
{
	struct pd_packet packet;
	struct pd_cs_head head;
	enum pd_cs_step step;
	uint64_t at;
	while ((step = pd_cs_next(stream, bytes, size, from, stop, &packet, &at)) != PD_CS_END) {
		head = pd_cs_head(stream);
		switch (step) {
		case PD_CS_CUT:
			perfdata_text_printf(out, "\n. ... CoreSight %s Trace data: size %#" PRIx64 " bytes\n",
					     head.name, head.size);
			break;
		case PD_CS_PACKET:
			packet_line(&packet, head.raw, out);
			break;
		case PD_CS_RESET:
			reset_lines(stream, out);
			break;
		case PD_CS_BAD_SIZE:
			perfdata_text_literal(out,
					      "\tDFMT_CSFRAMES : 0x0006 (OCSD_ERR_INVALID_PARAM_VAL) [Invalid value "
					      "parameter passed to component.]; Input block incorrect size, must be 16 "
					      "byte multiple\n");
			break;
		default:
			perfdata_text_printf(out,
					     "\tDFMT_CSFRAMES : 0x0012 (OCSD_ERR_DFMTR_BAD_FHSYNC) [Bad frame or half "
					     "frame sync in trace deformatter]; TrcIdx=%" PRIu64
					     "; Incorrect FSYNC frame reset pattern\n",
					     head.aux_offset + at);
		}
		perfdata_text_cut(out);
	}
}
