/* SPDX-License-Identifier: MIT */
/* Reads parts of a sample without decoding it: some words, the chain, the raw data, and whether the sample is whole.
 * Framing, event matching, deliveries, the decoder and the emitters' prepared lines use it. Callers pass a constant
 * `want`, so that the compiler removes the code for other parts. */
#ifndef PD_SAMPLE_SCAN_H
#define PD_SAMPLE_SCAN_H

#include "schema/decode.h"

enum pd_scan {
	PD_SCAN_ID = 1 << 0, PD_SCAN_TIME = 1 << 1, PD_SCAN_TID = 1 << 2, PD_SCAN_CPU = 1 << 3,
	PD_SCAN_IP = 1 << 4, PD_SCAN_ADDR = 1 << 5, PD_SCAN_PERIOD = 1 << 6,
	PD_SCAN_WORDS = (1 << 7) - 1,
	PD_SCAN_CHAIN = 1 << 7,
	PD_SCAN_RAW = 1 << 8,
	PD_SCAN_WHOLE = 1 << 9,
	/* the parts that a delivery needs */
	PD_SCAN_DELIVERY = PD_SCAN_ID | PD_SCAN_IP | PD_SCAN_ADDR | PD_SCAN_PERIOD | PD_SCAN_CHAIN,
};

struct pd_sample_scan {
	/* Words that the event does not record are 0; `time` and `cpu` have all bits set then, and `pid` and `tid` are
	 * -1. */
	uint64_t id, time, ip, addr, period;
	int32_t pid, tid;
	uint32_t cpu;
	bool has_id;
	/* all fields exist and end exactly at the end of the sample; false unless the caller wants to know */
	bool is_whole;
	struct perfdata_list callchain;  /* empty if the sample has none */
	struct perfdata_bytes raw;       /* NULL if the sample has no raw data, or raw data that does not fit into it */
};

static inline uint64_t pd_scan_word(const uint8_t *bytes, int8_t word, bool swap, uint64_t without)
{
	return word < 0 ? without : pd_load64(bytes + 8 + 8 * word, swap);
}

/* False: the scan cannot read the wanted parts. For fixed words: the sample is too short. For other parts: the sample
 * is not plain (perfdata_config.sample_is_plain), states another size than `size`, or is too short for its chain. Then
 * the decoder finds what is wrong with the sample. swap: config->swap, or a constant in code that exists for each byte
 * order. */
static inline __attribute__((always_inline)) bool pd_sample_scan_in(const struct perfdata_config *config, bool swap,
								    const uint8_t *bytes, size_t size, unsigned want,
								    struct pd_sample_scan *ret)
{
	size_t at = 8 + 8u * (size_t)config->sample_fixed, taken;

	if (!config->has_attr || size < at)
		return false;
	if (want & PD_SCAN_ID) {
		ret->has_id = config->sample_id_at >= 0;
		ret->id = pd_scan_word(bytes, config->sample_id_at, swap, 0);
	}
	if (want & PD_SCAN_TIME)
		ret->time = pd_scan_word(bytes, config->sample_time_at, swap, UINT64_MAX);
	if (want & PD_SCAN_TID) {
		const uint8_t *word = bytes + 8 + 8 * config->sample_tid_at;
		ret->pid = config->sample_tid_at < 0 ? -1 : (int32_t)pd_load32(word, swap);
		ret->tid = config->sample_tid_at < 0 ? -1 : (int32_t)pd_load32(word + 4, swap);
	}
	if (want & PD_SCAN_CPU)
		ret->cpu = config->sample_cpu_at < 0 ? UINT32_MAX
						     : pd_load32(bytes + 8 + 8 * config->sample_cpu_at, swap);
	if (want & PD_SCAN_IP)
		ret->ip = pd_scan_word(bytes, config->sample_ip_at, swap, 0);
	if (want & PD_SCAN_ADDR)
		ret->addr = pd_scan_word(bytes, config->sample_addr_at, swap, 0);
	if (want & PD_SCAN_PERIOD)
		ret->period = pd_scan_word(bytes, config->sample_period_at, swap, 0);
	if (!(want & ~(unsigned)PD_SCAN_WORDS))
		return true;

	if (!config->sample_is_plain || pd_load16(bytes + 6, swap) != size)
		return false;
	if (want & PD_SCAN_CHAIN)
		ret->callchain.count = 0;
	if (want & PD_SCAN_RAW)
		ret->raw = (struct perfdata_bytes){ NULL, 0 };
	if (config->sample_rows & 1u << PD_SAMPLE_CALLCHAIN_ROW) {
		if (!pd_chain_fits(bytes + at, size - at, swap, &taken))
			return false;
		if (want & PD_SCAN_CHAIN)
			ret->callchain = pd_chain_list(bytes + at, taken, swap);
		at += taken;
	}
	if (want & (PD_SCAN_RAW | PD_SCAN_WHOLE) && config->sample_rows & 1u << PD_SAMPLE_RAW_ROW) {
		if (!pd_raw_fits(bytes + at, size - at, swap, &taken))
			taken = SIZE_MAX - at;
		else if (want & PD_SCAN_RAW)
			ret->raw = (struct perfdata_bytes){ bytes + at + 4, taken - 4 };
		at += taken;
	}
	if (want & PD_SCAN_WHOLE)
		ret->is_whole = at == size;
	return true;
}
static inline __attribute__((always_inline)) bool pd_sample_scan(const struct perfdata_config *config,
								 const uint8_t *bytes, size_t size, unsigned want,
								 struct pd_sample_scan *ret)
{
	return pd_sample_scan_in(config, config->swap, bytes, size, want, ret);
}

#endif
