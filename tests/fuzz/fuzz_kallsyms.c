/* SPDX-License-Identifier: MIT */
/* kallsyms texts, and names to demangle. */
#include "fuzz_memory.h"
#include "fuzz_symbols.h"
#include "symbols/symbols.h"

static void demangle(const uint8_t *data, size_t size)
{
	struct pd_arena bytes = { 0 };
	bool is_excess = false;
	char name[512];
	const size_t n = size < sizeof name - 1 ? size : sizeof name - 1;
	memcpy(name, data, n);
	name[n] = '\0';
	const char *shown = pd_demangle(&bytes, name, NULL, &is_excess);
	const bool is_cxx = name[0] == '_' && name[1] == 'Z' && !strstr(name, "17h");   /* and not of Rust */
	const uint64_t bound = is_cxx ? pd_demangle_bound_bytes(name) : 0;
	fuzz_touch_text(shown);
	fuzz_require(!bound || !shown || shown == name || strlen(shown) <= bound,
		     "a demangled name is longer than its bound");
	pd_arena_release(&bytes);
}

static void run(const uint8_t *data, size_t size)
{
	struct perfdata_symbols_options options;
	struct perfdata_symbols_dso *dso;
	struct perfdata_symbols *symbols;

	demangle(data, size);
	perfdata_options_init(&options, sizeof options);
	options.no_host = true;
	if (perfdata_memory_new(0, NULL, &options.memory) != PERFDATA_OK)
		return;
	if (perfdata_symbols_new(&options, &symbols) != PERFDATA_OK) {
		perfdata_memory_free(options.memory);
		return;
	}
	if (perfdata_symbols_open_kallsyms(symbols, fuzz_file(data, size), &dso) == PERFDATA_OK) {
		fuzz_look_up(dso, 0xffffffff81000010, 0);
		fuzz_look_up(dso, 0xffffffffc0000000, 0);
		for (size_t i = 0; i + 16 <= size && i < 8192; i += 16) {
			char digits[17] = "";
			memcpy(digits, data + i, 16);
			fuzz_look_up(dso, strtoull(digits, NULL, 16), 0);
		}
	}
	perfdata_symbols_free(symbols);
	fuzz_require_account(options.memory, size);
	perfdata_memory_free(options.memory);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const clock_t begin = clock();
	fuzz_memory_begin();
	run(data, size);
	fuzz_require_memory(size);
	fuzz_require_time(begin, size);
	return 0;
}
