/* SPDX-License-Identifier: MIT */
/* Chooses the allocations that a test makes fail. A conversion makes thousands of allocations from some hundreds of
 * stacks of calls. When one fails, each call of its stack has to handle the failure. So a test makes an allocation fail
 * if it is
 *
 *   the first with a call among the outermost calls of its stack, which begin and end a command,
 *   the first with four consecutive calls in its stack,
 *   or the second or last with the same four innermost calls.
 *
 * Include this file after alloc_fail.h.
 *
 *	alloc_sites_begin(); work(); count = alloc_sites_end(&sites);
 *
 * runs work() without failures, and returns the chosen allocations with their keys. A key is the same in every process
 * of one program, so a test can skip keys of earlier inputs. */
#ifndef TESTS_ALLOC_FAIL_SITES_H
#define TESTS_ALLOC_FAIL_SITES_H

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <unwind.h>

/* Why an allocation was chosen: the lowest two bits of its key. */
enum alloc_site_kind { ALLOC_OUTER_CALL, ALLOC_FOUR_CALLS, ALLOC_SECOND, ALLOC_LAST };
struct alloc_site { uint64_t key; long number; };

#define ALLOC_SITES_DEPTH 64u
#ifndef ALLOC_SITES_OUTER
#define ALLOC_SITES_OUTER 6u
#endif

static struct {
	struct alloc_site *all;
	size_t count, capacity;
	long number;
	atomic_flag busy;
} alloc_sites = { .busy = ATOMIC_FLAG_INIT };

/* The range of the program's code. Calls in shared libraries are ignored: their addresses differ between processes. */
extern const char __executable_start[], etext[];

struct alloc_stack { uint64_t calls[ALLOC_SITES_DEPTH]; unsigned depth; };

static _Unwind_Reason_Code alloc_sites_add_call(struct _Unwind_Context *context, void *user)
{
	struct alloc_stack *stack = user;
	const uintptr_t ip = (uintptr_t)_Unwind_GetIP(context);
	if (ip >= (uintptr_t)__executable_start && ip < (uintptr_t)etext)
		stack->calls[stack->depth++] = ip - (uintptr_t)__executable_start;
	return stack->depth < ALLOC_SITES_DEPTH ? _URC_NO_REASON : _URC_END_OF_STACK;
}

static void alloc_sites_add(uint64_t key, enum alloc_site_kind kind)
{
	if (alloc_sites.count == alloc_sites.capacity) {
		alloc_sites.capacity = 2 * alloc_sites.capacity + 1024;
		alloc_sites.all = __real_realloc(alloc_sites.all, alloc_sites.capacity * sizeof *alloc_sites.all);
		if (!alloc_sites.all)
			abort();
	}
	alloc_sites.all[alloc_sites.count++] = (struct alloc_site){ (key & ~(uint64_t)3) | kind, alloc_sites.number };
}

static uint64_t alloc_sites_hash(const uint64_t *calls, unsigned nr_calls)
{
	uint64_t hash = nr_calls;
	for (unsigned i = 0; i < nr_calls; i++) {
		hash = (hash ^ calls[i]) * UINT64_C(0x9e3779b97f4a7c15);
		hash ^= hash >> 29;
	}
	return hash;
}

static void alloc_sites_note(void)
{
	struct alloc_stack stack = { .depth = 0 };
	_Unwind_Backtrace(alloc_sites_add_call, &stack);
	while (atomic_flag_test_and_set(&alloc_sites.busy))
		;
	/* calls[0] is in the wrapper, so begin with calls[1] */
	for (unsigned i = 1; i < stack.depth; i++) {
		const unsigned nr_calls = stack.depth - i < 4 ? stack.depth - i : 4;
		if (stack.depth - i <= ALLOC_SITES_OUTER)
			alloc_sites_add(alloc_sites_hash(stack.calls + i, 1), ALLOC_OUTER_CALL);
		alloc_sites_add(alloc_sites_hash(stack.calls + i, nr_calls), ALLOC_FOUR_CALLS);
		if (i == 1)
			alloc_sites_add(alloc_sites_hash(stack.calls + i, nr_calls), ALLOC_SECOND);
	}
	alloc_sites.number++;
	atomic_flag_clear(&alloc_sites.busy);
}

static void alloc_sites_begin(void)
{
	alloc_sites.count = 0;
	alloc_sites.number = 0;
	alloc_fail_note = alloc_sites_note;
}

static int alloc_sites_compare(const void *one, const void *other)
{
	const struct alloc_site *a = one, *b = other;
	return a->key != b->key ? (a->key < b->key ? -1 : 1) : (a->number > b->number) - (a->number < b->number);
}

static int alloc_sites_compare_numbers(const void *one, const void *other)
{
	const struct alloc_site *a = one, *b = other;
	return (a->number > b->number) - (a->number < b->number);
}

/* Returns the chosen allocations in the order of their numbers; valid until the next alloc_sites_begin. */
static size_t alloc_sites_end(const struct alloc_site **ret_sites)
{
	struct alloc_site *all = alloc_sites.all;
	size_t kept = 0;

	alloc_fail_note = NULL;
	*ret_sites = all;
	if (!all)
		return 0;
	qsort(all, alloc_sites.count, sizeof *all, alloc_sites_compare);
	/* The chosen sites replace the list in place, since they are never more than the sites read so far. */
	for (size_t i = 0, next; i < alloc_sites.count; i = next) {
		const uint64_t key = all[i].key;
		for (next = i; next < alloc_sites.count && all[next].key == key; next++)
			;
		if ((key & 3) != ALLOC_SECOND) {
			all[kept++] = all[i];
		} else if (next - i > 1) {
			const struct alloc_site last = { key | ALLOC_LAST, all[next - 1].number };
			all[kept++] = all[i + 1];
			all[kept++] = last;
		}
	}
	qsort(all, kept, sizeof *all, alloc_sites_compare_numbers);
	return kept;
}

#endif
