/* SPDX-License-Identifier: MIT */
/* Structs that in-tree emitters use for speed, outside the promise of the ABI: their layouts change with any release. A
 * program that includes this header works with exactly the version of the library that it was built with. */
#ifndef PERFDATA_UNSTABLE_H
#define PERFDATA_UNSTABLE_H

#include "perfdata/schema.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The decoder's plan for the records of an event. */
struct perfdata_config {
	struct perfdata_attr attr;     /* attr.rest is empty here */
	bool has_attr;
	bool swap;
	enum perfdata_byte_order order;
	bool branch_counters;          /* branch entries are followed by counter words */
	uint8_t trailer_size;          /* bytes of the sample_id trailer; 0 without sample_id_all */
	int8_t sample_id_at, sample_time_at, sample_tid_at, sample_cpu_at;    /* u64 index in a sample's body, or -1 */
	int8_t sample_ip_at, sample_addr_at, sample_period_at;
	/* behind the fixed words only a chain and raw data, or one of them, or nothing */
	bool sample_is_plain;
	/* u64 index counted from the record's end, or -1 */
	int8_t trailer_id_at, trailer_time_at, trailer_tid_at, trailer_cpu_at;
	uint8_t sample_fixed;          /* u64 words before the first variable field */
	uint8_t nr_sample_steps, nr_trailer_steps;
	/* Where the words at fixed places stand, counted from the body or the trailer, and where they go in the
	 * view. */
	struct perfdata_config_step {
		uint16_t member;
		uint8_t at;            /* bytes */
		uint8_t size;          /* 4 or 8 */
	} sample_steps[12], trailer_steps[8];
	uint64_t sample_rows;          /* rows of the sample behind the fixed words */
	uint64_t sample_fixed_present; /* what `present` holds for the fixed words */
	uint64_t trailer_present;
	uint64_t sample_period;        /* what a sample without PERIOD is worth */
};

/* As perfdata_config_new, in the caller's memory. */
PERFDATA_API void perfdata_config_init(struct perfdata_config *config, const struct perfdata_attr *attr,
				       enum perfdata_byte_order order);

/* True if the sample is plain (`sample_is_plain`) and its fields reach exactly to its end; *ret_raw is its raw data, or
 * no bytes. False proves nothing: perfdata_decode finds out. */
PERFDATA_API bool perfdata_sample_is_whole(const struct perfdata_config *config, const void *bytes, size_t size,
					   struct perfdata_bytes *ret_raw);

#ifdef __cplusplus
}
#endif

#endif
