/* SPDX-License-Identifier: MIT */
/* Each allocation fails once: a look-up ends in a status, and nothing is lost or used twice. */
#define _GNU_SOURCE
#include "config.h"
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>
#include "alloc_fail.h"
#include "perfdata/symbols.h"
#include "unit.h"

static char self[PATH_MAX], text[] = "/tmp/perfdata-kallsyms-XXXXXX";
static int finished;

static bool is_known(enum perfdata_status status)
{
	return status == PERFDATA_OK || status == PERFDATA_ENOMEM || status == PERFDATA_ABSENT ||
	       status == PERFDATA_EUNSUP;
}

static void look_up(struct perfdata_symbols *symbols, enum perfdata_dso_kind kind, const char *path)
{
	const struct perfdata_symbols_request request = {
		.size = sizeof request, .kind = kind, .path = path, .running = true
	};
	struct perfdata_symbols_dso *dso;
	struct perfdata_source_line frames[4];
	struct perfdata_symbol s;
	size_t count;
	enum perfdata_status status = perfdata_symbols_dso(symbols, &request, &dso);
	CHECK(is_known(status));
	if (status)
		return;
	for (uint64_t offset = 0x1000; offset < 0x3000; offset += 0x351) {
		status = perfdata_symbols_lookup(dso, offset, 0, &s);
		CHECK(is_known(status));
		CHECK(status || (s.name && s.raw_name));
		CHECK(is_known(perfdata_symbols_source(dso, offset, frames, 4, &count)));
	}
}

static void work(void)
{
	struct perfdata_symbols *symbols;
	struct perfdata_symbols_dso *dso;
	struct perfdata_symbol s;
	enum perfdata_status status = perfdata_symbols_new(NULL, &symbols);
	CHECK(is_known(status));
	if (status)
		return;
	look_up(symbols, PERFDATA_DSO_USER, self);
	look_up(symbols, PERFDATA_DSO_VDSO, "[vdso]");
	status = perfdata_symbols_open_kallsyms(symbols, text, &dso);
	CHECK(is_known(status));
	if (!status)
		status = perfdata_symbols_lookup(dso, 0x1010, 0, &s);
	CHECK(status == PERFDATA_OK ? !strcmp(s.name, "one") : is_known(status));
	finished += !status;
	perfdata_symbols_free(symbols);
}

static void test_allocations(void)
{
	int failed = 0;
	while (failed < 5000 && alloc_fail_run(failed, work))
		failed++;
	CHECK(failed > 10 && failed < 5000);
	CHECK(finished > 0);
}

int main(void)
{
	static const struct unit_case cases[] = { { "each allocation fails once", test_allocations } };
	static const char kallsyms[] = "0000000000001000 T one\n0000000000002000 T two\t[module]\n";
	ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
	int fd = mkstemp(text);
	if (length <= 0 || fd < 0 || write(fd, kallsyms, sizeof kallsyms - 1) != (ssize_t)sizeof kallsyms - 1) {
		printf("Bail out! no place for a file\n");
		return 1;
	}
	close(fd);
	int bad = unit_main(cases, sizeof cases / sizeof *cases);
	unlink(text);
	return bad;
}
