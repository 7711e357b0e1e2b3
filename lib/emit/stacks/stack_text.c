/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <stdio.h>
#include <string.h>
#include "emit/stacks/stack_text.h"
#include "text/utf8.h"

bool pd_stack_event_is_clock(const struct perfdata_event *event)
{
	return event->attr->type == PERFDATA_TYPE_SOFTWARE && pd_stack_event_is_time(event);
}

bool pd_stack_event_is_time(const struct perfdata_event *event)
{
	return perfdata_event_measure(event) == PERFDATA_MEASURE_TIME;
}

void pd_stack_text_weight(struct perfdata_text *out, uint64_t weight, bool is_time)
{
	static const char *const times[] = { "ns", "us", "ms", "s" }, *const counts[] = { "",  "k", "M", "G",
											  "T", "P", "E" };
	const size_t last = is_time ? sizeof times / sizeof *times - 1 : sizeof counts / sizeof *counts - 1;
	double shown = (double)weight;
	size_t step = 0;
	while (shown >= 999.5 && step < last) {
		shown /= 1000;
		step++;
	}
	const char *unit = is_time ? times[step] : counts[step];
	perfdata_text_printf(out, "%.*f%s%s",
			     !step || shown >= 99.95 ? 0
			     : shown >= 9.995        ? 1
						     : 2,
			     shown, *unit ? " " : "", unit);
}

double pd_stack_percent(uint64_t part, uint64_t all) { return all ? (double)part / (double)all * 100 : 0; }

const char *pd_stack_last_part(const char *path)
{
	const char *slash = strrchr(path, '/');
	return *path != '[' && slash && slash[1] ? slash + 1 : path;
}

/* --- names -------------------------------------------------------------------------------------------------------- */

void pd_stack_text_utf8(struct perfdata_text *out, const char *name)
{
	while (*name) {
		const size_t size = pd_utf8_length((const uint8_t *)name, strnlen(name, 4));
		if (size)
			perfdata_text_append(out, name, size);
		else
			perfdata_text_literal(out, "\xef\xbf\xbd");
		name += size ? size : 1;
	}
}
