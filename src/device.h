/* SPDX-License-Identifier: MIT */
#ifndef DEVICE_H
#define DEVICE_H

#include <time.h>
#include "perfdata.h"

/* Appends a line for each fact about device, system and app that simpleperf recorded. */
void device_show(struct perfdata_text *out, const struct perfdata_reader *reader);
/* Seconds since 1970 at the end of the recording; 0: simpleperf did not record it. */
time_t device_seconds(const struct perfdata_reader *reader);

#endif
