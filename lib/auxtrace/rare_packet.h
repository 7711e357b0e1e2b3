/* SPDX-License-Identifier: MIT */
/* Tracers whose packets have few forms. The function _next of each tracer does what pd_aux_next says. */
#ifndef PD_RARE_PACKET_H
#define PD_RARE_PACKET_H

#include "auxtrace/auxtrace.h"

/* --- bts_packet.c --- */
enum { PD_BTS_BAD, PD_BTS_BRANCH, PD_BTS_KINDS };
extern const struct pd_packet_kind pd_bts_kinds[PD_BTS_KINDS];
#define PD_BTS_SIZE 24u
void pd_bts_next(const uint8_t *bytes, size_t size, struct pd_packet *ret);
void pd_bts_line(const struct pd_packet *packet, const uint8_t *bytes, uint64_t at, struct perfdata_text *out);
void pd_bts_text(const struct pd_packet *packet, struct perfdata_text *out);

/* --- ptt_packet.c --- */
enum { PD_PTT_BAD, PD_PTT_LONG, PD_PTT_SHORT, PD_PTT_KINDS };
extern const struct pd_packet_kind pd_ptt_kinds[PD_PTT_KINDS];
void pd_ptt_begin(struct pd_aux_state *state, const uint8_t *bytes, size_t size);
bool pd_ptt_next(const struct pd_aux_state *state, const uint8_t *bytes, size_t size, struct pd_packet *ret);
void pd_ptt_lines(const struct pd_packet *packet, const uint8_t *bytes, uint64_t at, struct perfdata_text *out);

/* --- dtl_packet.c --- */
enum { PD_DTL_BAD, PD_DTL_HEADER, PD_DTL_ENTRY, PD_DTL_KINDS };
extern const struct pd_packet_kind pd_dtl_kinds[PD_DTL_KINDS];
#define PD_DTL_SIZE 48u
bool pd_dtl_next(const uint8_t *bytes, size_t size, struct pd_packet *ret);
void pd_dtl_line(const struct pd_packet *packet, uint64_t at, struct perfdata_text *out);

/* --- s390_packet.c --- */
enum { PD_S390_BAD, PD_S390_BASIC, PD_S390_DIAGNOSTIC, PD_S390_TRAILER, PD_S390_KINDS };
extern const struct pd_packet_kind pd_s390_kinds[PD_S390_KINDS];
void pd_s390_begin(const struct pd_aux_trace *trace, struct pd_aux_state *state, const uint8_t *bytes, size_t size);
/* `bytes` reach to the end of the block. */
bool pd_s390_next(const struct pd_aux_trace *trace, struct pd_aux_state *state, const uint8_t *bytes, size_t size,
		  struct pd_packet *ret);
void pd_s390_line(const struct pd_packet *packet, uint64_t at, struct perfdata_text *out);

#endif
