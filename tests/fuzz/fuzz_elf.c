/* SPDX-License-Identifier: MIT */
/* ELF files: symbols, PLT, debug information, build-ids, compressed ones; also as the image of a kernel and of a
 * module, and as the code of a process whose stack is unwound. */
#include "fuzz_symbols.h"
#include "symbols/symbols.h"
#include "symbols/unwind/unwind.h"

struct process { struct perfdata_symbols_dso *dso; };

static bool find_map(void *user, uint64_t address, struct perfdata_unwind_map *ret)
{
	const struct process *process = user;
	if (address >= 1 << 24)
		return false;
	*ret = (struct perfdata_unwind_map){ .start = 0, .end = 1 << 24, .dso = process->dso };
	return true;
}

static bool find_no_mapping(void *user, uint64_t address, struct perfdata_unwind_map *ret, bool *ret_is_file)
{
	(void)user, (void)address, (void)ret, (void)ret_is_file;
	return false;
}

/* The registers are small numbers, which may lie in the file; the stack is a piece of it. */
static void unwind(const uint8_t *data, size_t size, enum perfdata_unwind_arch arch)
{
	const struct perfdata_symbols_request request = { .size = sizeof request,
							  .kind = PERFDATA_DSO_USER,
							  .path = "/input" };
	struct perfdata_symbols *symbols = fuzz_no_symbols();
	struct perfdata_unwinder *unwinder;
	struct process process;
	uint64_t regs[33], pcs[64];
	size_t count;

	fuzz_file(data, size);
	if (symbols && perfdata_symbols_dso(symbols, &request, &process.dso) == PERFDATA_OK &&
	    pd_unwinder_new(symbols, arch, find_map, &process, &unwinder) == PERFDATA_OK) {
		const size_t part = size < 512 ? size : 512;
		for (unsigned n = 0; n < 3; n++) {
			for (size_t i = 0; i < 33; i++)
				regs[i] = 0x1000 + 8 * n + data[(i + 40 * n) % size];
			const struct perfdata_unwind_sample sample = {
				.reg_mask = arch == PERFDATA_UNWIND_X86_64 ? 0xff0fff : (1ull << 33) - 1, .regs = regs,
				.stack = { data + size - part, part },
			};
			if (pd_unwind_stack(unwinder, &sample, pcs, sizeof pcs / sizeof *pcs, &count) == PERFDATA_OK)
				fuzz_touch(pcs, count * sizeof *pcs);
			if (n == 1)
				pd_unwinder_check(unwinder, 0, UINT64_MAX, find_no_mapping);
		}
		pd_unwinder_free(unwinder);
	}
	perfdata_symbols_free(symbols);
}

static void run(const uint8_t *data, size_t size)
{
	uint8_t id[PERFDATA_BUILD_ID_MAX];
	size_t id_size;

	fuzz_dso(PERFDATA_DSO_USER, data, size);
	if (size % 4 == 0)
		fuzz_dso(PERFDATA_DSO_MODULE, data, size);
	if (size % 4 == 1)
		fuzz_dso(PERFDATA_DSO_KERNEL, data, size);
	if (size % 4 == 2 && size > 2)
		unwind(data, size, (enum perfdata_unwind_arch)(size / 4 % 4));
	if (perfdata_file_build_id(fuzz_file(data, size), id, &id_size) == PERFDATA_OK)
		fuzz_touch(id, id_size);
	if (pd_notes_build_id(data, size, size % 2 ? PERFDATA_BYTE_ORDER_BIG : PERFDATA_BYTE_ORDER_LITTLE, id,
				    &id_size) == PERFDATA_OK)
		fuzz_touch(id, id_size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const clock_t begin = clock();
	run(data, size);
	fuzz_require_time(begin, size);
	return 0;
}
