/* SPDX-License-Identifier: MIT */
/* Perf maps: START SIZE NAME. */
#include "fuzz_symbols.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_dso(PERFDATA_DSO_PERF_MAP, data, size);
	return 0;
}
