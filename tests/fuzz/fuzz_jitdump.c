/* SPDX-License-Identifier: MIT */
/* jitdump files. */
#include "fuzz_symbols.h"

static void run(const uint8_t *data, size_t size)
{
	fuzz_dso(PERFDATA_DSO_JITDUMP, data, size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const clock_t begin = clock();
	run(data, size);
	fuzz_require_time(begin, size);
	return 0;
}
