/* SPDX-License-Identifier: MIT */
/* Unwinds this process's own stack from copied registers and memory, and asks for lines of its own code. Built once
 * with a table .eh_frame for its code, once with .debug_frame (HAS_DEBUG_FRAME), and once with .eh_frame without an
 * index (HAS_NO_INDEX). */
#define _GNU_SOURCE
#include "config.h"
#include <alloca.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>
#include "base/account.h"
#include "perfdata/symbols.h"
#include "symbols/unwind/unwinder.h"
#include "symbols/unwind/unwind.h"
#include "symbols/unwind/unwind_linkage.h"
#include "symbols/unwind/unwind_rules.h"
#include "symbols/unwind/unwind_frame_list.h"
#include "symbol_dso.h"
#include "unit.h"

#define STACK_COPY 16384

/* 32-bit ARM has no .eh_frame. */
#if defined(HAS_DEBUG_FRAME) || (defined(HAS_NO_INDEX) && !defined(__arm__))
#define HAS_LISTED_TABLE
#endif

#ifdef __x86_64__
/* As compilers do, it does not say that rbp was restored before it returns: memory keeps the value below the stack
 * pointer. */
__asm__(".text\n"
	".type perfdata_test_frame, @function\n"
	"perfdata_test_frame:\n"
	"	.cfi_startproc\n"
	"	push %rbp\n"
	"	.cfi_def_cfa_offset 16\n"
	"	.cfi_offset 6, -16\n"
	"	mov %rsp, %rbp\n"
	"	.cfi_def_cfa_register 6\n"
	"	pop %rbp\n"
	"	.cfi_def_cfa 7, 8\n"
	"perfdata_test_popped:\n"
	"	ret\n"
	"	.cfi_endproc\n"
	".size perfdata_test_frame, . - perfdata_test_frame\n");
extern const char perfdata_test_popped[];
/* A table of linkage without a rule, as lld makes it; this name is free. */
__asm__(".pushsection .plt.bnd, \"ax\", @progbits\n"
	"perfdata_test_linkage:\n"
	"	.fill 32, 1, 0xc3\n"
	".popsection\n");
extern const char perfdata_test_linkage[];
#endif

static char self[PATH_MAX];

struct copied {
	uint64_t mask, regs[64], sp;
	uint8_t stack[STACK_COPY];
	size_t size;
	bool supported;
};

static uint64_t stack_end;  /* nothing above main's frame is copied */

/* The registers of `context` in the order of perf's numbers. */
static void copy_registers(struct copied *to, const ucontext_t *context)
{
#if defined(__x86_64__)
	static const int order[24] = {
		REG_RAX, REG_RBX, REG_RCX, REG_RDX, REG_RSI, REG_RDI, REG_RBP, REG_RSP, REG_RIP, REG_EFL, -1, -1,
		-1, -1, -1, -1, REG_R8, REG_R9, REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15,
	};
	size_t count = 0;
	to->mask = 0xff0fff;
	for (size_t i = 0; i < 24; i++)
		if (to->mask >> i & 1)
			to->regs[count++] = order[i] < 0 ? 0 : (uint64_t)context->uc_mcontext.gregs[order[i]];
	to->sp = (uint64_t)context->uc_mcontext.gregs[REG_RSP];
	to->supported = true;
#elif defined(__aarch64__)
	to->mask = 0x1ffffffff;
	for (size_t i = 0; i < 31; i++)
		to->regs[i] = context->uc_mcontext.regs[i];
	to->regs[31] = to->sp = context->uc_mcontext.sp;
	to->regs[32] = context->uc_mcontext.pc ? context->uc_mcontext.pc : context->uc_mcontext.regs[30];
	to->supported = true;
#else
	(void)to, (void)context;
#endif
}

/* A function of its own, which keeps its name: no copy for some arguments. */
#ifdef __clang__
#define OWN_FUNCTION __attribute__((noinline))
#else
#define OWN_FUNCTION __attribute__((noipa))
#endif

int perfdata_test_leaf(struct copied *to);
int perfdata_test_middle(struct copied *to, int depth);

enum { LEAF_LINE = __LINE__ + 1 };
OWN_FUNCTION int perfdata_test_leaf(struct copied *to)
{
	ucontext_t context;
	/* room of unknown size: the caller of this function is found by the frame pointer */
	*(volatile char *)alloca(1 + (size_t)to->size) = 0;
	getcontext(&context);
	copy_registers(to, &context);
	if (to->supported) {
		uint64_t left = stack_end - to->sp;
		to->size = left < STACK_COPY ? (size_t)left : STACK_COPY;
		/* By way of the kernel: a sanitizer sees no sense in reading the frames of others. */
		int memory = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
		CHECK(pread(memory, to->stack, to->size, (off_t)to->sp) == (ssize_t)to->size);
		close(memory);
	}
	return (int)to->size;
}

OWN_FUNCTION int perfdata_test_middle(struct copied *to, int depth)
{
	volatile int kept = depth;
	return (depth ? perfdata_test_middle(to, depth - 1) : perfdata_test_leaf(to)) + kept;
}

struct mappings {
	struct perfdata_symbols *symbols;
	struct perfdata_symbols_dso *dso;   /* NULL: every file is its own */
	bool hidden;                /* find_mapping finds nothing */
	uint64_t replaced;          /* another file was mapped at this address */
	struct perfdata_symbols_dso *other;
};

/* The mapping of an address, or the first one above it if there is none. */
static bool find_from(const struct mappings *mappings, uint64_t address, struct perfdata_unwind_map *ret,
		      bool *ret_is_file)
{
	char line[PATH_MAX + 128], path[PATH_MAX];
	FILE *maps = fopen("/proc/self/maps", "r");
	bool found = false;
	while (!found && maps && fgets(line, sizeof line, maps)) {
		unsigned long start, end, at;
		path[0] = '\0';
		if (sscanf(line, "%lx-%lx %*s %lx %*s %*s %4095s", &start, &end, &at, path) < 3 || address >= end)
			continue;
		*ret = (struct perfdata_unwind_map){ .start = start, .end = end, .pgoff = at,
						      .dso = strcmp(path, self) ? NULL : mappings->dso };
		if (!mappings->dso && path[0] == '/')
			ret->dso = new_dso(mappings->symbols, PERFDATA_DSO_USER, path);
		if (start <= mappings->replaced && mappings->replaced < end)
			ret->dso = mappings->other;
		*ret_is_file = path[0] == '/';
		found = true;
	}
	if (maps)
		fclose(maps);
	return found;
}

static bool find_mapping(void *user, uint64_t address, struct perfdata_unwind_map *ret)
{
	const struct mappings *mappings = user;
	bool is_file;
	return !mappings->hidden && find_from(mappings, address, ret, &is_file) && ret->start <= address;
}

static bool next_mapping(void *user, uint64_t address, struct perfdata_unwind_map *ret, bool *ret_is_file)
{
	return find_from(user, address, ret, ret_is_file);
}

/* As after an exec: pd_unwinder_check makes the unwinder forget its files. */
static bool find_no_mapping(void *user, uint64_t address, struct perfdata_unwind_map *ret, bool *ret_is_file)
{
	(void)user, (void)address, (void)ret, (void)ret_is_file;
	return false;
}

static void open_self(struct mappings *mappings)
{
	mappings->symbols = new_symbols(NULL);
	mappings->dso = new_dso(mappings->symbols, PERFDATA_DSO_USER, self);
}

static const char *name_of(struct mappings *mappings, uint64_t pc)
{
	struct perfdata_unwind_map map = { 0 };
	struct perfdata_symbol s;
	if (!find_mapping(mappings, pc, &map) || !map.dso ||
	    perfdata_symbols_lookup(map.dso, pc - map.start + map.pgoff, 0, &s))
		return "-";
	return s.name;
}

static enum perfdata_unwind_arch own_arch(void)
{
#ifdef __aarch64__
	return PERFDATA_UNWIND_AARCH64;
#else
	return PERFDATA_UNWIND_X86_64;
#endif
}

static void test_unwind(void)
{
	static struct copied copied;
	struct mappings mappings = { 0 };
	struct perfdata_unwinder *unwinder = NULL;
	uint64_t pcs[32];
	size_t count = 0;
	open_self(&mappings);
	perfdata_test_middle(&copied, 2);
	enum perfdata_status status =
		pd_unwinder_new(mappings.symbols, own_arch(), find_mapping, &mappings, &unwinder);
	CHECK(status == PERFDATA_OK || status == PERFDATA_EUNSUP);
	const struct perfdata_unwind_sample sample = { .reg_mask = copied.mask, .regs = copied.regs,
						       .stack = { copied.stack, copied.size } };
	for (int round = 0; !status && copied.supported && round < 2; round++) {
		CHECK_EQ(pd_unwind_stack(unwinder, &sample, pcs, 32, &count), PERFDATA_OK);
		CHECK(count >= 6);
		CHECK_STR(name_of(&mappings, pcs[0]), "perfdata_test_leaf");
		for (size_t i = 1; i <= 3 && i < count; i++)
			CHECK_STR(name_of(&mappings, pcs[i]), "perfdata_test_middle");
		CHECK_STR(count > 4 ? name_of(&mappings, pcs[4]) : "-", "test_unwind");
		pd_unwinder_check(unwinder, 0, UINT64_MAX, find_no_mapping);
	}
	if (!status && copied.supported) {
		CHECK_EQ(pd_unwind_stack(unwinder, &sample, pcs, 3, &count), PERFDATA_OK);
		CHECK_EQ(count, 3);
		for (size_t cut = 0; cut < copied.size; cut += 101) {
			const struct perfdata_unwind_sample part = { .reg_mask = copied.mask, .regs = copied.regs,
								     .stack = { copied.stack, cut } };
			status = pd_unwind_stack(unwinder, &part, pcs, 32, &count);
			CHECK(status == PERFDATA_OK && count >= 1);
		}
		const struct perfdata_unwind_sample no_ip = { .reg_mask = 1, .regs = copied.regs,
							      .stack = { copied.stack, copied.size } };
		CHECK_EQ(pd_unwind_stack(unwinder, &no_ip, pcs, 32, &count), PERFDATA_ABSENT);
		memset(copied.stack, 0x41, copied.size);
		CHECK_EQ(pd_unwind_stack(unwinder, &sample, pcs, 32, &count), PERFDATA_OK);
		CHECK(count >= 1 && count < 32);
	}
	pd_unwinder_free(unwinder);
	perfdata_symbols_free(mappings.symbols);
}

/* Reserves memory between the segments of this program: it is linked with pages of 64 KiB (tests/Makefile.inc), which
 * leaves room there. qemu-user reserves it for every program. Returns in how many places. */
static unsigned reserve_between_segments(void)
{
	struct mappings mappings = { 0 };
	struct perfdata_unwind_map map;
	uint64_t end = UINT64_MAX;   /* of this program's last mapping */
	unsigned ret = 0;
	bool is_file;
	open_self(&mappings);
	for (uint64_t at = 0; find_from(&mappings, at, &map, &is_file); at = map.end) {
		if (map.dso != mappings.dso)
			continue;
		if (end < map.start) {
			/* goes elsewhere if the room is reserved */
			(void)mmap((void *)(uintptr_t)end, (size_t)(map.start - end), PROT_NONE,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
			ret++;
		}
		end = map.end;
	}
	perfdata_symbols_free(mappings.symbols);
	return ret;
}

/* Files that were met stay known while their mappings stay what they were. Mappings are hidden after the first stack,
 * so that later stacks come from what is known. */
static void test_check(void)
{
	static struct copied copied;
	struct mappings mappings = { 0 };
	struct perfdata_unwinder *unwinder = NULL;
	uint64_t pcs[32];
	size_t count = 0, all = 0;
	open_self(&mappings);
	perfdata_test_middle(&copied, 2);
	CHECK(!copied.supported || reserve_between_segments());
	mappings.other = new_dso(mappings.symbols, PERFDATA_DSO_USER, "/other");
	enum perfdata_status status =
		pd_unwinder_new(mappings.symbols, own_arch(), find_mapping, &mappings, &unwinder);
	if (!status && copied.supported) {
		const struct perfdata_unwind_sample sample = { .reg_mask = copied.mask, .regs = copied.regs,
							       .stack = { copied.stack, copied.size } };
		CHECK_EQ(pd_unwind_stack(unwinder, &sample, pcs, 32, &all), PERFDATA_OK);
		CHECK(all >= 6);
		mappings.hidden = true;
		pd_unwinder_check(unwinder, 0, UINT64_MAX, next_mapping);
		CHECK_EQ(pd_unwind_stack(unwinder, &sample, pcs, 32, &count), PERFDATA_OK);
		CHECK(count >= all);
		mappings.replaced = (uintptr_t)perfdata_test_leaf;
		pd_unwinder_check(unwinder, 0, UINT64_MAX, next_mapping);
		const uint64_t caller = pcs[1];
		CHECK_EQ(pd_unwind_stack(unwinder, &sample, pcs, 32, &count), PERFDATA_OK);
		/* without files, the frame pointer still leads to the caller, on the machine where libdwfl uses it */
		if (own_arch() == PERFDATA_UNWIND_X86_64)
			CHECK(count >= 2 && pcs[1] == caller);
		else
			CHECK_EQ(count, 1);
	}
	pd_unwinder_free(unwinder);
	perfdata_symbols_free(mappings.symbols);
}

static uint64_t random_number(uint64_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	return *seed ^= *seed << 17;
}

#ifdef __x86_64__
/* Aligns its stack, as gcc does for a function with vectors and alloca, and calls perfdata_test_middle: the CFA is in
 * its frame. */
__asm__(".text\n"
	".type perfdata_test_aligned, @function\n"
	"perfdata_test_aligned:\n"
	"	.cfi_startproc\n"
	"	lea 8(%rsp), %r10\n"
	"	.cfi_def_cfa 10, 0\n"
	"	and $-32, %rsp\n"
	"	pushq -8(%r10)\n"
	"	push %rbp\n"
	"	mov %rsp, %rbp\n"
	"	.cfi_escape 0x10, 6, 2, 0x76, 0\n"           /* rbp: at rbp + 0 */
	"	push %r10\n"
	"	.cfi_escape 0x0f, 3, 0x76, 0x78, 6\n"        /* CFA: at rbp - 8 */
	"	push %rbx\n"
	"	.cfi_escape 0x10, 3, 2, 0x76, 0x70\n"        /* rbx: at rbp - 16 */
	"	call perfdata_test_middle\n"
	"	pop %rbx\n"
	"	pop %r10\n"
	"	.cfi_def_cfa 10, 0\n"
	"	pop %rbp\n"
	"	lea -8(%r10), %rsp\n"
	"	.cfi_def_cfa 7, 8\n"
	"	ret\n"
	"	.cfi_endproc\n"
	".size perfdata_test_aligned, . - perfdata_test_aligned\n");
int perfdata_test_aligned(struct copied *to, int depth);
#else
static int perfdata_test_aligned(struct copied *to, int depth) { return perfdata_test_middle(to, depth); }
#endif

static struct copied within_qsort;
static int compare_and_copy(const void *left, const void *right)
{
	if (!within_qsort.size)
		perfdata_test_aligned(&within_qsort, 2);
	return *(const int *)left - *(const int *)right;
}

/* Makes some registers and words of the stack others: 0, neighbours, words from elsewhere in the stack, nonsense. */
static void damage(struct copied *copied, uint64_t *seed)
{
	const size_t words = copied->size / 8;
	for (uint64_t left = random_number(seed) % 5; left; left--) {
		const uint64_t how = random_number(seed) % 5;
		uint64_t word, other;
		uint8_t *at = copied->stack + 8 * (random_number(seed) % words);
		if (random_number(seed) % 4 == 0)
			at = (uint8_t *)&copied->regs[random_number(seed) % 20];
		memcpy(&word, at, 8);
		memcpy(&other, copied->stack + 8 * (random_number(seed) % words), 8);
		word = how == 0 ? 0 : how == 1 ? word + 8 : how == 2 ? word - 1 : how == 3 ? other : *seed >> 17;
		memcpy(at, &word, 8);
	}
}

/* Lets an x86-64 stack begin in vfork, which keeps its return address in rdi for a while. */
static void begin_in_vfork(struct copied *copied, uint64_t offset)
{
	enum { DI = 5, IP = 8 };   /* perf's numbers */
	uint64_t *di = &copied->regs[__builtin_popcountll(copied->mask & ((1u << DI) - 1))],
		 *ip = &copied->regs[__builtin_popcountll(copied->mask & ((1u << IP) - 1))];
	*di = *ip;
	*ip = (uintptr_t)vfork + offset;
}

/* Lets an x86-64 stack begin at an address without a rule, from which only the frame pointer leads to the caller. It
 * points to the stack, or to the word before it, which is not recorded. */
static void begin_without_rule(struct copied *copied, uint64_t word)
{
	enum { BP = 6, IP = 8 };   /* perf's numbers */
	static const char no_code[] = "no code";
	copied->regs[__builtin_popcountll(copied->mask & ((1u << IP) - 1))] = (uintptr_t)no_code;
	copied->regs[__builtin_popcountll(copied->mask & ((1u << BP) - 1))] = copied->sp + 8 * word - 8;
}

#ifdef __x86_64__
enum { BP = 6, SP = 7, IP = 8 };   /* perf's numbers */
static uint64_t *register_of(struct copied *copied, unsigned number)
{
	return &copied->regs[__builtin_popcountll(copied->mask & ((1u << number) - 1))];
}

/* Lets a stack begin in a function that was called from where the stack began, and has nothing else on the stack. */
static void begin_at(struct copied *copied, const char *address)
{
	uint64_t *ip = register_of(copied, IP);
	memmove(copied->stack + 8, copied->stack, STACK_COPY - 8);
	memcpy(copied->stack, ip, 8);
	copied->size = copied->size + 8 < STACK_COPY ? copied->size + 8 : STACK_COPY;
	*ip = (uintptr_t)address;
	*register_of(copied, SP) = copied->sp -= 8;
}

/* Where a function is about to return, its caller's frame pointer is in the register and below the recorded stack. An
 * entry of a table of linkage has not touched it. */
static void test_popped(void)
{
	struct mappings mappings = { 0 };
	struct perfdata_unwinder *unwinder = NULL;
	uint64_t pcs[3][32];
	size_t counts[3] = { 0, 0, 0 };
	static struct copied copied;
	perfdata_test_middle(&copied, 2);
	open_self(&mappings);
	CHECK_EQ(pd_unwinder_new(mappings.symbols, own_arch(), find_mapping, &mappings, &unwinder), PERFDATA_OK);
	const struct perfdata_unwind_sample begun = { .reg_mask = copied.mask, .regs = copied.regs,
						      .stack = { copied.stack, copied.size } };
	CHECK_EQ(pd_unwind_stack(unwinder, &begun, pcs[0], 32, &counts[0]), PERFDATA_OK);
	begin_at(&copied, perfdata_test_popped);
	const struct perfdata_unwind_sample sample = { .reg_mask = copied.mask, .regs = copied.regs,
						       .stack = { copied.stack, copied.size } };
	for (int i = 1; i < 3; i++) {
		unwinder->only_libdwfl = i == 2 && !pd_libdw_load(NULL);
		CHECK_EQ(pd_unwind_stack(unwinder, &sample, pcs[i], 32, &counts[i]), PERFDATA_OK);
		CHECK(counts[0] > 4);
		CHECK_EQ(counts[i], counts[0] + 1);
		CHECK_EQ(pcs[i][0], (uintptr_t)perfdata_test_popped);
		CHECK_EQ(pcs[i][1], pcs[0][0] - 1);
		CHECK(!memcmp(&pcs[i][2], &pcs[0][1], (counts[0] - 1) * sizeof **pcs));
	}
	/* A value below the frame is none of its caller's: the function uses the register. */
	const uint64_t frame = *register_of(&copied, BP);
	*register_of(&copied, BP) = copied.sp;
	for (int i = 1; i < 3; i++) {
		unwinder->only_libdwfl = i == 2 && !pd_libdw_load(NULL);
		CHECK_EQ(pd_unwind_stack(unwinder, &sample, pcs[i], 32, &counts[i]), PERFDATA_OK);
		CHECK_EQ(counts[i], 2);
	}
	*register_of(&copied, BP) = frame;
	*register_of(&copied, IP) = (uintptr_t)perfdata_test_linkage + 16;
	unwinder->only_libdwfl = false;
	CHECK_EQ(pd_unwind_stack(unwinder, &sample, pcs[1], 32, &counts[1]), PERFDATA_OK);
	CHECK_EQ(counts[1], counts[0] + 1);
	CHECK_EQ(pcs[1][1], pcs[0][0] - 1);
	pd_unwinder_free(unwinder);
	perfdata_symbols_free(mappings.symbols);
}
#endif

/* Where the caller's frame is, seen from entries of a table of linkage and from its head. */
static void test_linkage(void)
{
	static const struct { uint64_t vaddr; int words; } wants[] = {
		{ 0x1000, 2 }, { 0x1006, 3 }, { 0x1010, 1 }, { 0x1016, 1 }, { 0x101b, 2 }, { 0x1020, 1 }, { 0x102b, 2 },
		{ 0x2000, 1 }, { 0x200b, 1 }, { 0xfff, 0 }, { 0x1030, 0 }, { 0x2010, 0 },
	};
	const struct pd_linkage linkage = { .tables = { { 0x1000, 0x1030, 11 }, { 0x2000, 0x2010, 16 } }, .nr = 2 };
	for (int is_narrow = 0; is_narrow < 2; is_narrow++) {
		const struct pd_elf elf = { .header.e_machine = is_narrow ? EM_386 : EM_X86_64 };
		const int word = is_narrow ? 4 : 8;
		for (size_t i = 0; i < sizeof wants / sizeof *wants; i++) {
			struct pd_rule rule = { .kind = PD_RULE_NONE };
			pd_linkage_rule(&linkage, &elf, wants[i].vaddr, &rule);
			CHECK_EQ(rule.kind, wants[i].words ? PD_RULE_FRAME_OF_LEAF : PD_RULE_NONE);
			CHECK_EQ(rule.cfa, wants[i].words * word);
			CHECK_EQ(rule.return_address_at, wants[i].words ? -word : 0);
		}
	}
}

/* With the files that an unwinder has met, other threads find the same steps as the unwinder, or leave the stack to
 * it. */
static bool is_found_ahead(struct perfdata_unwinder *unwinder, struct mappings *mappings,
			   const struct perfdata_unwind_sample *sample)
{
	struct pd_unwind_modules *modules = pd_unwinder_modules(unwinder);
	uint64_t pcs[2][32];
	size_t counts[2] = { 0, 0 };
	bool is_cut = false;
	if (!modules)
		return false;
	const bool found = pd_unwind_ahead(modules, find_mapping, mappings, sample, pcs[1], 32, &counts[1], &is_cut);
	const enum perfdata_status status = pd_unwind_stack(unwinder, sample, pcs[0], 32, &counts[0]);
	if (found && pd_unwinder_agrees(unwinder, modules)) {
		CHECK_EQ(status, counts[1] ? PERFDATA_OK : PERFDATA_ABSENT);
		CHECK_EQ(counts[0], counts[1]);
		CHECK(!memcmp(pcs[0], pcs[1], counts[0] * sizeof **pcs));
		CHECK_EQ(is_cut, !status && pd_unwinder_was_cut(unwinder));
	}
	pd_unwind_modules_drop(modules);
	return found;
}

#ifdef HAS_LISTED_TABLE
/* Whether this program has the table for which it was built. */
static void test_table(void)
{
	struct mappings mappings = { 0 };
	struct perfdata_unwind_map map = { 0 };
	struct pd_frame_list table;
	uint64_t vaddr, at;
	open_self(&mappings);
	const uint64_t address = (uintptr_t)perfdata_test_middle;
	CHECK(find_mapping(&mappings, address, &map));
	CHECK_EQ(pd_symbols_vaddr(mappings.dso, address - map.start + map.pgoff, &vaddr), PERFDATA_OK);
#ifdef HAS_DEBUG_FRAME
	const struct pd_elf *file;
	CHECK(pd_frame_find_debug(mappings.dso->text, mappings.dso->debug, &file) != NULL);
	CHECK_EQ(pd_frame_list_open(mappings.dso, true, &table), PERFDATA_OK);
#else
	CHECK_EQ(mappings.dso->text->frame_index.filesz, 0);
	CHECK_EQ(pd_frame_list_open(mappings.dso, false, &table), PERFDATA_OK);
#endif
	CHECK_EQ(pd_frame_list_find(&table, vaddr, &at), PERFDATA_OK);
	CHECK_EQ(pd_frame_list_find(&table, 0, &at), PERFDATA_ABSENT);
	pd_frame_list_close(mappings.dso, &table);
	perfdata_symbols_free(mappings.symbols);
}
#endif

/* Rules of files and libdwfl find the same steps, also where registers and stacks are damaged. */
static void test_rules(void)
{
	struct mappings mappings[2] = { { 0 }, { 0 } };
	struct perfdata_unwinder *unwinders[2] = { NULL, NULL };
	if (pd_libdw_load(NULL))
		return;
	int numbers[] = { 3, 1, 2 };
	uint64_t seed = 88172645463325252u;
	enum perfdata_status status = PERFDATA_OK;
	unsigned found_ahead = 0;
	qsort(numbers, 3, sizeof *numbers, compare_and_copy);
	for (int i = 0; i < 2 && !status; i++) {
		CHECK_EQ(perfdata_symbols_new(NULL, &mappings[i].symbols), PERFDATA_OK);
		status = pd_unwinder_new(mappings[i].symbols, own_arch(), find_mapping, &mappings[i], &unwinders[i]);
	}
	if (!status)
		unwinders[1]->only_libdwfl = true;
	for (int round = 0; round < 300 && !status && within_qsort.supported; round++) {
		static struct copied copied;
		uint64_t pcs[2][32];
		size_t counts[2] = { 0, 0 };
		enum perfdata_status ends[2];
		copied = within_qsort;
		if (round > 1)
			damage(&copied, &seed);
		if (round % 4 == 1 && own_arch() == PERFDATA_UNWIND_X86_64)
			begin_in_vfork(&copied, round == 1 ? 4 : random_number(&seed) % 24);
#ifdef __x86_64__
		if (round % 4 == 3)
			begin_at(&copied, perfdata_test_popped);
#endif
		if (round % 4 == 2 && own_arch() == PERFDATA_UNWIND_X86_64)
			begin_without_rule(&copied, random_number(&seed) % 3 * 2);
		const struct perfdata_unwind_sample sample = { .reg_mask = copied.mask, .regs = copied.regs,
							       .stack = { copied.stack, copied.size } };
		found_ahead += is_found_ahead(unwinders[0], &mappings[0], &sample);
		for (int i = 0; i < 2; i++)
			ends[i] = pd_unwind_stack(unwinders[i], &sample, pcs[i], 32, &counts[i]);
		CHECK_EQ(ends[0], ends[1]);
		CHECK_EQ(counts[0], counts[1]);
		CHECK(!memcmp(pcs[0], pcs[1], counts[0] * sizeof **pcs));
		if (round < 2 && own_arch() == PERFDATA_UNWIND_X86_64)
			CHECK(!unwinders[0]->dwfl);
	}
	if (!status && within_qsort.supported && own_arch() == PERFDATA_UNWIND_X86_64)
		CHECK(found_ahead > 100);
	for (int i = 0; i < 2; i++) {
		pd_unwinder_free(unwinders[i]);
		perfdata_symbols_free(mappings[i].symbols);
	}
}

/* While other memory keeps the account tight, rules stay known: a stack needs as many as it has frames. */
static void test_tight_account(void)
{
	enum { RULES = 2000 };
	struct perfdata_memory *memory = NULL;
	struct pd_rule rule;
	CHECK_EQ(perfdata_memory_new(0, NULL, &memory), PERFDATA_OK);
	if (!memory)
		return;
	const struct perfdata_symbols_options options = { .size = sizeof options, .memory = memory };
	struct perfdata_symbols *symbols = new_symbols(&options);
	struct perfdata_symbols_dso *dso = new_dso(symbols, PERFDATA_DSO_USER, self);
	const size_t others = (size_t)(memory->account.limit / 8 * 7);
	pd_account_take(&memory->account, PD_USE_ORDER, others);
	CHECK(pd_account_is_tight(&memory->account) && pd_dso_has_text(dso));
	const struct pd_segment *code = dso->text->segments;
	while (!code->is_code)
		code++;
	for (uint64_t i = 0; i < RULES; i++)
		CHECK(pd_rule_find(dso, code->vaddr + i, true, &rule));
	const void *rules = atomic_load(&dso->rules);
	unsigned nr_known = 0;
	for (uint64_t i = 0; i < RULES && rules; i++)
		nr_known += pd_rule_known(rules, code->vaddr + i) != NULL;
	CHECK_EQ(nr_known, RULES);
	pd_account_give(&memory->account, PD_USE_ORDER, others);
	perfdata_symbols_free(symbols);
	perfdata_memory_free(memory);
}

/* Rules of a row are taken over from the address of the row that came first: the order of look-ups changes nothing. */
static void test_order_of_look_ups(void)
{
	enum { RULES = 60000 };
	struct perfdata_symbols *both[] = { new_symbols(NULL), new_symbols(NULL) };
	struct perfdata_symbols_dso *up = new_dso(both[0], PERFDATA_DSO_USER, self),
				    *down = new_dso(both[1], PERFDATA_DSO_USER, self);
	unsigned nr_kinds[8] = { 0 }, nr_different = 0;
	CHECK(pd_dso_has_text(up) && pd_dso_has_text(down));
	const struct pd_segment *code = up->text->segments;
	while (!code->is_code)
		code++;
	for (uint64_t i = 0; i < RULES; i++) {
		struct pd_rule rule;
		CHECK(pd_rule_find(up, code->vaddr + i, true, &rule));
		CHECK(pd_rule_find(down, code->vaddr + RULES - 1 - i, true, &rule));
	}
	for (uint64_t i = 0; i < RULES; i++) {
		struct pd_rule rule, other;
		CHECK(pd_rule_find(up, code->vaddr + i, true, &rule));
		CHECK(pd_rule_find(down, code->vaddr + i, true, &other));
		nr_kinds[rule.kind]++;
		nr_different += memcmp(&rule, &other, sizeof rule) != 0;
	}
	CHECK_EQ(nr_different, 0);
	struct pd_rule_registers numbers;
	if (pd_rule_registers_of(up->text->header.e_machine, &numbers))
		CHECK(nr_kinds[PD_RULE_FRAME] + nr_kinds[PD_RULE_FRAME_OF_EXIDX] > RULES / 10);
	else   /* only libdwfl unwinds stacks of this machine */
		CHECK_EQ(nr_kinds[PD_RULE_LIBDWFL] + nr_kinds[PD_RULE_NONE], RULES);
	perfdata_symbols_free(both[0]);
	perfdata_symbols_free(both[1]);
}

#if defined(HAVE_ELFUTILS) && !defined(HAS_DEBUG_FRAME) && !defined(HAS_NO_INDEX) && !defined(__arm__)
/* The section at an index of the image that libdw gets. */
static ElfW(Shdr) section_at(const uint8_t *image, const ElfW(Ehdr) *header, unsigned index)
{
	ElfW(Shdr) section;
	memcpy(&section, image + header->e_shoff + index * sizeof section, sizeof section);
	return section;
}

/* libdw gets the index of .eh_frame, in a section before it: else it reads the whole table at the first address. */
static void test_image(void)
{
	struct mappings mappings = { 0 };
	ElfW(Ehdr) header;
	if (pd_libdw_load(NULL))
		return;
	open_self(&mappings);
	CHECK(pd_dso_has_text(mappings.dso) && pd_dso_open_unwind(mappings.dso));
	const uint8_t *image = mappings.dso->unwind_bytes;
	memcpy(&header, image, sizeof header);
	const ElfW(Shdr) names = section_at(image, &header, header.e_shstrndx);
	unsigned index = 0, table = 0;
	for (unsigned i = 1; i < header.e_shnum; i++) {
		const char *name = (const char *)image + names.sh_offset + section_at(image, &header, i).sh_name;
		index = strcmp(name, ".eh_frame_hdr") ? index : i;
		table = strcmp(name, ".eh_frame") ? table : i;
	}
	CHECK(index && index < table);
	const struct pd_segment *wants = &mappings.dso->text->frame_index;
	const ElfW(Shdr) section = section_at(image, &header, index);
	CHECK_EQ(section.sh_addr, wants->vaddr);
	CHECK_EQ(section.sh_size, wants->filesz);
	CHECK_EQ(image[section.sh_offset], 1);   /* its version */
	perfdata_symbols_free(mappings.symbols);
}
#endif

/* Overwrites a word wherever the stack has it. */
static void replace_word(struct copied *copied, uint64_t from, uint64_t to)
{
	for (size_t at = 0; at + 8 <= copied->size; at += 8) {
		uint64_t word;
		memcpy(&word, copied->stack + at, 8);
		if (word == from)
			memcpy(copied->stack + at, &to, 8);
	}
}

/* A stack ends before a return address that is in the data of a file: there is no call. */
static void test_data(void)
{
	static struct copied copied;
	struct mappings mappings = { 0 };
	struct perfdata_unwinder *unwinder = NULL;
	uint64_t pcs[32];
	size_t count = 0;
	open_self(&mappings);
	perfdata_test_middle(&copied, 2);
	const struct perfdata_unwind_sample sample = { .reg_mask = copied.mask, .regs = copied.regs,
						       .stack = { copied.stack, copied.size } };
	CHECK_EQ(pd_unwinder_new(mappings.symbols, own_arch(), find_mapping, &mappings, &unwinder), PERFDATA_OK);
	if (copied.supported) {
		CHECK_EQ(pd_unwind_stack(unwinder, &sample, pcs, 32, &count), PERFDATA_OK);
		CHECK(count > 4);
		/* far enough into zeroed data that no page of the file is mapped there */
		replace_word(&copied, pcs[1] + 1, (uintptr_t)&within_qsort.stack[STACK_COPY / 2]);
	}
	for (int i = 0; i < 2 && copied.supported; i++) {
		unwinder->only_libdwfl = i && !pd_libdw_load(NULL);
		CHECK_EQ(pd_unwind_stack(unwinder, &sample, pcs, 32, &count), PERFDATA_OK);
		CHECK_EQ(count, 1);
	}
	pd_unwinder_free(unwinder);
	perfdata_symbols_free(mappings.symbols);
}

static void test_source(void)
{
	struct mappings mappings = { 0 };
	struct perfdata_unwind_map map = { 0 };
	struct perfdata_source_line frames[4];
	size_t count = 0;
	open_self(&mappings);
	uint64_t address = (uintptr_t)perfdata_test_leaf;
	CHECK(find_mapping(&mappings, address, &map));
	enum perfdata_status status =
		pd_symbols_source(mappings.dso, address - map.start + map.pgoff, frames, 4, &count);
	/* Without -g there are none. */
	CHECK(status == PERFDATA_OK || status == PERFDATA_ABSENT || status == PERFDATA_EUNSUP);
	if (!status) {
		CHECK(count >= 1);
		CHECK_STR(frames[count - 1].function, "perfdata_test_leaf");
		CHECK(frames[0].file && strstr(frames[0].file, "unit_symbols_unwind.c"));
		CHECK(frames[0].line >= LEAF_LINE && frames[0].line < LEAF_LINE + 30);
		CHECK(!frames[count - 1].inlined);
		CHECK_EQ(frames[count - 1].first_line, LEAF_LINE);
		CHECK_EQ(pd_symbols_source(mappings.dso, 0, frames, 4, &count), PERFDATA_ABSENT);
	}
	perfdata_symbols_free(mappings.symbols);
}

/* The instructions of a CIE run without being counted, so only short CIEs may have rows. */
static void test_long_cie(void)
{
	static const uint8_t head[] = { 0, 0, 0, 0, 1, 0, 1, 0x78, 16 };   /* id, version, factors, register */
	static const struct pd_frame_table table = { .wide = true };
	for (uint32_t size = PD_FRAME_MOST_CIE - 8; size <= PD_FRAME_MOST_CIE + 8; size += 8) {
		uint8_t bytes[PD_FRAME_MOST_CIE + 8] = { 0 };   /* its instructions: DW_CFA_nop */
		struct pd_frame_entry entry;
		struct pd_frame_known_cie cie;
		const uint32_t rest = size - 4;
		memcpy(bytes, &rest, sizeof rest);
		memcpy(bytes + 4, head, sizeof head);
		CHECK(pd_frame_take_entry(&table, bytes, size, 0, &entry));
		CHECK(entry.is_cie);
		pd_frame_know_cie(&table, &entry, EM_X86_64, &cie);
		CHECK_EQ(cie.is_fine, size <= PD_FRAME_MOST_CIE);
	}
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "unwind: this process, cut off, overwritten", test_unwind },
		{ "unwind: files stay known", test_check },
#ifdef HAS_LISTED_TABLE
		{ "unwind: the table of this program", test_table },
#endif
#ifdef __x86_64__
		{ "unwind: a register that was popped, an entry of linkage", test_popped },
#endif
		{ "unwind: tables of linkage", test_linkage },
		{ "unwind: a CIE that is too long", test_long_cie },
		{ "unwind: rules find the steps of libdwfl", test_rules },
		{ "unwind: rules while memory is tight", test_tight_account },
		{ "unwind: rules in any order of look-ups", test_order_of_look_ups },
#if defined(HAVE_ELFUTILS) && !defined(HAS_DEBUG_FRAME) && !defined(HAS_NO_INDEX) && !defined(__arm__)
		{ "unwind: libdw gets an index", test_image },
#endif
		{ "unwind: a return address in data", test_data },
		{ "source: a line of this program", test_source },
	};
	ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
	stack_end = (uintptr_t)__builtin_frame_address(0) + 16;
	if (length <= 0) {
		printf("Bail out! /proc/self/exe is not to be read\n");
		return 1;
	}
	return unit_main(cases, sizeof cases / sizeof *cases);
}
