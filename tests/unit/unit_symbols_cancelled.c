/* SPDX-License-Identifier: MIT */
/* Files of names while the work is cancelled. */
#include "config.h"
#include <unistd.h>
#include "perfdata/symbols.h"
#include "unit.h"

/* Whoever cancels a conversion does not wait until its files are read. */
static void test_cancelled(void)
{
	static const struct { enum perfdata_dso_kind kind; const char *name; } files[] = {
		{ PERFDATA_DSO_JITDUMP, "jit-3.dump" }, { PERFDATA_DSO_PERF_MAP, "perf-3.map" },
		{ PERFDATA_DSO_KERNEL, "kallsyms-3" },
	};
	struct perfdata_cancel *cancel = perfdata_cancel_new();
	perfdata_cancel_now(cancel);
	for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
		struct perfdata_symbols_options options;
		perfdata_options_init(&options, sizeof options);
		char path[64];
		snprintf(path, sizeof path, "/tmp/perfdata-%ld-%s", (long)getpid(), files[i].name);
		FILE *file = fopen(path, "w");
		CHECK(file && fputs("1000 10 name\n", file) >= 0);
		if (file)
			fclose(file);
		options.cancel = cancel;
		options.symfs = "/";
		options.kallsyms = files[i].kind == PERFDATA_DSO_KERNEL ? path : NULL;
		const struct perfdata_symbols_request request = { .size = sizeof request, .kind = files[i].kind,
								  .path = path };
		struct perfdata_symbols *symbols = NULL;
		struct perfdata_symbols_dso *dso = NULL;
		struct perfdata_symbol s;
		CHECK_EQ(perfdata_symbols_new(&options, &symbols), PERFDATA_OK);
		CHECK_EQ(perfdata_symbols_dso(symbols, &request, &dso), PERFDATA_OK);
		CHECK_EQ(perfdata_symbols_lookup(dso, 0x1000, 0, &s), PERFDATA_EINTR);
		perfdata_symbols_free(symbols);
		unlink(path);
	}
	perfdata_cancel_free(cancel);
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "jitdumps, perf maps and kallsyms are not read", test_cancelled },
	};
	return unit_main(cases, sizeof cases / sizeof *cases);
}
