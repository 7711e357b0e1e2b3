/* SPDX-License-Identifier: MIT */
/* jitdump files. */
#include "fuzz_symbols.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_dso(PERFDATA_DSO_JITDUMP, data, size);
	return 0;
}
