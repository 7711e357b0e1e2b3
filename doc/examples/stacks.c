/* SPDX-License-Identifier: MIT */
/* stacks [-k KALLSYMS] FILE [ID…]: the call stacks of a recording, each once, callee first; without ids all of them.
 * Kernel functions are named from a kallsyms text, such as /proc/kallsyms of the machine that was recorded.
 *
 *	cc -o stacks stacks.c $(pkg-config --cflags --libs libperfdata) */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <perfdata/session.h>

#define MOST_STEPS 1024

/* Reads all of the recording: the session then knows every stack that a sample had. */
static enum perfdata_status read_all(struct perfdata_session *session)
{
	struct perfdata_batch *batch;
	enum perfdata_status status;
	while ((status = perfdata_session_next(session, &batch)) == PERFDATA_OK)
		perfdata_batch_release(batch);
	return status;
}

static int show(const struct perfdata_session *session, uint32_t id, struct perfdata_symbols_dso *kernel)
{
	static struct perfdata_step steps[MOST_STEPS];
	size_t nr;
	const enum perfdata_status status = perfdata_session_stack(session, id, steps, MOST_STEPS, &nr);
	if (status != PERFDATA_OK) {
		fprintf(stderr, "stack %" PRIu32 ": %s\n", id,
			status == PERFDATA_ABSENT ? "there is no such stack" : perfdata_status_text(status));
		return 1;
	}
	printf("stack %" PRIu32 "\n", id);
	for (size_t i = 0; i < nr && i < MOST_STEPS; i++) {
		const struct perfdata_frame *frame = NULL;
		const struct perfdata_dso *dso = NULL;
		struct perfdata_symbol symbol;
		if (steps[i].frame != PERFDATA_NONE)
			frame = perfdata_session_frame(session, steps[i].frame);
		if (frame && frame->dso != PERFDATA_NONE)
			dso = perfdata_session_dso(session, frame->dso);
		printf("  0x%" PRIx64, steps[i].ip);
		if (kernel && perfdata_symbols_lookup(kernel, steps[i].ip, UINT64_MAX, &symbol) == PERFDATA_OK)
			printf(" %s+0x%" PRIx64, symbol.name, symbol.offset);
		else if (dso)
			printf(" 0x%" PRIx64, frame->address);
		printf(" (%s)\n", dso ? dso->name : "?");
	}
	return 0;
}

static int show_chosen(const struct perfdata_session *session, char **ids, struct perfdata_symbols_dso *kernel)
{
	int failed = 0;
	if (!*ids)
		for (uint32_t id = 0; id < perfdata_session_nr_stacks(session); id++)
			failed |= show(session, id, kernel);
	for (; *ids; ids++) {
		char *end;
		const unsigned long id = strtoul(*ids, &end, 10);
		if (!**ids || *end || id >= PERFDATA_NONE) {
			fprintf(stderr, "'%s' is no id\n", *ids);
			failed = 1;
		} else {
			failed |= show(session, (uint32_t)id, kernel);
		}
	}
	return failed;
}

int main(int argc, char **argv)
{
	const char *kallsyms = NULL;
	if (argc > 3 && !strcmp(argv[1], "-k")) {
		kallsyms = argv[2];
		argv += 2;
		argc -= 2;
	}
	if (argc < 2) {
		fprintf(stderr, "usage: stacks [-k KALLSYMS] FILE [ID...]\n");
		return 2;
	}
	const struct perfdata_reader_options reading = { .size = sizeof reading, .order = PERFDATA_ORDER_TIME };
	const struct perfdata_session_options options = {
		.size = sizeof options,
		.needs = PERFDATA_NEED_DELIVERIES | PERFDATA_NEED_THREADS | PERFDATA_NEED_FRAMES |
			 PERFDATA_NEED_STACKS | PERFDATA_NEED_STACK_IDS,
		.merge_deferred = true,
	};
	struct perfdata_reader *reader = NULL;
	struct perfdata_session *session = NULL;
	struct perfdata_symbols *symbols = NULL;
	struct perfdata_symbols_dso *kernel = NULL;
	struct perfdata_error error = { .offset = PERFDATA_NO_OFFSET };
	int code = 1;
	enum perfdata_status status = PERFDATA_OK;
	if (kallsyms && (status = perfdata_symbols_new(NULL, &symbols)) == PERFDATA_OK)
		status = perfdata_symbols_open_kallsyms(symbols, kallsyms, &kernel);
	if (status != PERFDATA_OK) {
		fprintf(stderr, "%s: %s\n", kallsyms,
			status == PERFDATA_ABSENT ? "its addresses are hidden" : perfdata_status_text(status));
	} else if (perfdata_reader_open_path(argv[1], &reading, &reader, &error) != PERFDATA_OK ||
		   perfdata_session_open(reader, &options, &session, &error) != PERFDATA_OK) {
		fprintf(stderr, "%s: %s\n", argv[1], error.message);
	} else if (read_all(session) != PERFDATA_END) {
		fprintf(stderr, "%s: %s\n", argv[1], perfdata_session_error(session)->message);
	} else {
		code = show_chosen(session, argv + 2, kernel);
	}
	perfdata_session_close(session);
	perfdata_reader_close(reader);
	perfdata_symbols_free(symbols);
	return code;
}
