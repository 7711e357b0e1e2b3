/* ELF files: symbols, PLT, debug information, build-ids, packed ones; also as the image of a kernel and of a module. */
#include "fuzz_symbols.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t id[PERFDATA_BUILD_ID_MAX];
	size_t id_size;

	fuzz_dso(PERFDATA_DSO_USER, data, size);
	if (size % 4 == 0)
		fuzz_dso(PERFDATA_DSO_MODULE, data, size);
	if (perfdata_read_build_id(fuzz_file(data, size), id, &id_size) == PERFDATA_OK)
		fuzz_touch(id, id_size);
	return 0;
}
