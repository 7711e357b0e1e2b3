/* SPDX-License-Identifier: MIT */
/* Stored baselines: what is read is written again as the same, and a side compared with itself never fails the gate. */
#include "fuzz_memory.h"
#include <stdlib.h>
#include <string.h>
#include "perfdata/compare.h"

static void look_through(const struct perfdata_comparison *comparison)
{
	const struct perfdata_comparison_note *note;
	const struct perfdata_comparison_row *row;
	for (size_t i = 0; (note = perfdata_comparison_note(comparison, i)); i++)
		fuzz_touch(note->message, strlen(note->message));
	for (size_t e = 0; perfdata_comparison_event(comparison, e); e++)
		for (size_t i = 0; (row = perfdata_comparison_row(comparison, e, i)); i++)
			fuzz_touch(row->key, strlen(row->key));
}

static void compare_with_itself(const struct perfdata_baseline *side)
{
	struct perfdata_comparison *comparison;
	if (perfdata_compare(side, side, NULL, &comparison, NULL) != PERFDATA_OK)
		return;
	if (perfdata_comparison_verdict(comparison) == PERFDATA_VERDICT_FAIL)
		abort();
	look_through(comparison);
	perfdata_comparison_free(comparison);
}

static void read_again(const struct perfdata_text *text)
{
	struct perfdata_baseline *side = perfdata_baseline_new();
	struct perfdata_text again;
	perfdata_text_init(&again);
	if (perfdata_baseline_add(side, text->data, text->size, NULL) != PERFDATA_OK)
		abort();
	perfdata_baseline_write(side, &again);
	if (again.size != text->size || memcmp(again.data, text->data, text->size) != 0)
		abort();
	perfdata_text_release(&again);
	perfdata_baseline_free(side);
}

static void run(const uint8_t *data, size_t size)
{
	struct perfdata_baseline *side = perfdata_baseline_new();
	struct perfdata_text text;
	perfdata_text_init(&text);
	if (perfdata_baseline_add(side, data, size, NULL) == PERFDATA_OK && perfdata_baseline_recording(side, 0)) {
		perfdata_baseline_write(side, &text);
		read_again(&text);
		compare_with_itself(side);
	}
	perfdata_text_release(&text);
	perfdata_baseline_free(side);
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
