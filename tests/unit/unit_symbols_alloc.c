/* SPDX-License-Identifier: MIT */
/* Each allocation fails once: a look-up ends in a status, and nothing is lost or used twice. */
#define _GNU_SOURCE
#include "config.h"
#include <limits.h>
#include <link.h>
#include <stdlib.h>
#include <unistd.h>
#include "alloc_fail_pieces.h"
#include "perfdata/symbols.h"
#include "symbols/symbols.h"
#include "symbols/unwind/unwind.h"
#include "unit.h"

#define MAX_FAILURES 50000

int main(void);

static uint64_t own_code;
static char self[PATH_MAX], text[] = "/tmp/perfdata-kallsyms-XXXXXX";
static int finished;

/* What a run said, as a hash: the same as without a failure, unless a status reported the failure. */
static uint64_t answers;
static bool is_reported, named_main, unwound;

#ifdef __aarch64__
static const enum perfdata_unwind_arch own_arch = PERFDATA_UNWIND_AARCH64;
#elif defined __i386__
static const enum perfdata_unwind_arch own_arch = PERFDATA_UNWIND_I386;
#else
static const enum perfdata_unwind_arch own_arch = PERFDATA_UNWIND_X86_64;
#endif

static void note(const void *bytes, size_t size) { answers = pd_hash_bytes(bytes, size, answers | 1); }

static void note_text(const char *name) { note(name ? name : "", name ? strlen(name) : 0); }

static bool is_known(enum perfdata_status status)
{
	is_reported |= status == PERFDATA_ENOMEM;
	note(&status, sizeof status);
	return status == PERFDATA_OK || status == PERFDATA_ENOMEM || status == PERFDATA_ABSENT ||
	       status == PERFDATA_EUNSUP;
}

/* Where the code of main is in the file of this program: that address has a name, and, by and large, a line. */
static int find_main(struct dl_phdr_info *info, size_t size, void *ret)
{
	(void)size;
	const uint64_t vaddr = (uint64_t)(uintptr_t)main - info->dlpi_addr;
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
		if (ph->p_type == PT_LOAD && vaddr >= ph->p_vaddr && vaddr - ph->p_vaddr < ph->p_filesz)
			*(uint64_t *)ret = vaddr - ph->p_vaddr + ph->p_offset;
	}
	return 1;
}

static void look_up(struct perfdata_symbols *symbols, enum perfdata_dso_kind kind, const char *path, uint64_t first)
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
	for (uint64_t offset = first; offset < first + 0x1000; offset += 0x351) {
		status = perfdata_symbols_lookup(dso, offset, 0, &s);
		CHECK(is_known(status));
		CHECK(status || (s.name && s.raw_name));
		if (!status)
			note_text(s.name);
		named_main |= !status && !strcmp(s.name, "main");
		status = perfdata_symbols_calls(dso, offset, frames, 4, &count);
		CHECK(is_known(status));
		for (size_t i = 0; !status && i < count && i < 4; i++)
			note_text(frames[i].function);
		status = pd_symbols_source(dso, offset, frames, 4, &count);
		CHECK(is_known(status));
		for (size_t i = 0; !status && i < count && i < 4; i++) {
			note_text(frames[i].function);
			note_text(frames[i].file);
			note(&frames[i].line, sizeof frames[i].line);
		}
	}
}

static bool find_map(void *user, uint64_t address, struct perfdata_unwind_map *ret)
{
	const uint64_t end = UINT64_C(1) << 32;
	*ret = (struct perfdata_unwind_map){ .end = end, .dso = user };
	return address < end;
}

/* The stack of a thread that has just come to main. */
static void unwind(struct perfdata_symbols *symbols)
{
	static const uint8_t stack[64];
	const struct perfdata_symbols_request request = { .size = sizeof request,
							  .kind = PERFDATA_DSO_USER,
							  .path = self };
	enum { BP = 6, SP = 7, IP = 8, LR = 30, AARCH64_SP = 31, PC = 32 };
	const bool is_x86 = own_arch != PERFDATA_UNWIND_AARCH64;
	const uint64_t regs[] = { 0, UINT64_C(1) << 30, own_code };
	const struct perfdata_unwind_sample sample = {
		.reg_mask = is_x86 ? 1 << BP | 1 << SP | 1 << IP
				   : UINT64_C(1) << LR | UINT64_C(1) << AARCH64_SP | UINT64_C(1) << PC,
		.regs = regs,
		.stack = { stack, sizeof stack },
	};
	struct perfdata_symbols_dso *dso;
	struct perfdata_unwinder *unwinder;
	uint64_t pcs[8];
	size_t count = 0;
	enum perfdata_status status = perfdata_symbols_dso(symbols, &request, &dso);
	CHECK(is_known(status));
	if (!status)
		status = pd_unwinder_new(symbols, own_arch, find_map, dso, &unwinder);
	CHECK(is_known(status));
	if (status)
		return;
	status = pd_unwind_stack(unwinder, &sample, pcs, 8, &count);
	CHECK(is_known(status));
	note(pcs, count * sizeof *pcs);
	unwound |= count > 0;
	is_reported |= pd_symbols_failed(symbols) > 0;   /* a stack that is cut short is reported */
	pd_unwinder_free(unwinder);
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
	look_up(symbols, PERFDATA_DSO_USER, self, own_code);
	look_up(symbols, PERFDATA_DSO_VDSO, "[vdso]", 0xa00);
	unwind(symbols);
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
	int failed = 0, silent = 0;
	bool more = true;
	work();
	const uint64_t whole = answers;
	CHECK(named_main);
	CHECK(unwound);
	for (; more && failed < MAX_FAILURES; failed += more) {
		answers = 0;
		is_reported = false;
		more = alloc_fail_run(failed, work);
		if (!is_reported && answers != whole && silent++ < 5)
			printf("# number %d fails, and something is not found\n", failed);
	}
	CHECK_EQ(silent, 0);
	CHECK(failed > 10 && failed < MAX_FAILURES);
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
	dl_iterate_phdr(find_main, &own_code);
	int bad = unit_main(cases, sizeof cases / sizeof *cases);
	unlink(text);
	return bad;
}
