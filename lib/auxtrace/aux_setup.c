/* SPDX-License-Identifier: MIT */
/* Takes the facts about traces that records state before the traces' bytes: tracer, clock, processors. */
#include "config.h"
#include <stdlib.h>
#include "auxtrace/auxtrace.h"
#include "base/digit.h"

enum perfdata_status pd_aux_setup_take_info(struct pd_aux_setup *setup, const struct pd_tracer *tracer,
					    const struct perfdata_list *words, const struct pd_aux_header *header)
{
	const struct pd_aux_clock clock = setup->clock;   /* a TIME_CONV record before it may have set the clock */
	pd_aux_setup_release(setup);
	*setup = (struct pd_aux_setup){ .tracer = tracer, .clock = clock };
	if (!tracer || !tracer->take_info)
		return PERFDATA_OK;
	return tracer->take_info(setup, words, header);
}

void pd_aux_setup_release(struct pd_aux_setup *setup)
{
	free(setup->cpus);
	setup->cpus = NULL;
	setup->nr_cpus = setup->room_cpus = 0;
}

uint64_t pd_aux_setup_midr(const struct pd_aux_setup *setup, int32_t cpu)
{
	for (size_t i = 0; cpu >= 0 && i < setup->nr_cpus; i++)
		if (setup->cpus[i].cpu == (uint32_t)cpu)
			return setup->cpus[i].midr;
	return setup->nr_cpus && cpu >= 0 ? 0 : setup->midr;
}

uint64_t pd_aux_time(const struct pd_aux_clock *clock, uint64_t ticks)
{
	if (!clock->mult || clock->shift > 63)
		return UINT64_MAX;
	if (clock->short_time)
		ticks = clock->cycles + ((ticks - clock->cycles) & clock->mask);
	const uint64_t whole = ticks >> clock->shift, part = ticks & ((1ull << clock->shift) - 1);
	return clock->zero + whole * clock->mult + (part * clock->mult >> clock->shift);
}

uint64_t pd_number_in(const char *text, unsigned base)
{
	uint64_t value = 0;
	for (;; text++) {
		const unsigned digit = pd_digit_of(*text);
		if (digit >= base)
			return value;
		value = value * base + digit;
	}
}
