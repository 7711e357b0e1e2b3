/* SPDX-License-Identifier: MIT */
/* count FILE: how many samples each program has, by the program's name (comm); most samples first.
 *
 *	cc -o count count.c $(pkg-config --cflags --libs libperfdata) */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <perfdata/session.h>

struct count {
	uint32_t comm;       /* see perfdata_session_comm */
	uint64_t samples;
};
struct counts {
	struct count *list;  /* by comm, whose numbers have no gaps */
	size_t nr;
};

static int add(struct counts *counts, uint32_t comm)
{
	if (comm >= counts->nr) {
		const size_t nr = 2 * (size_t)comm + 16;
		struct count *list = (struct count *)realloc(counts->list, nr * sizeof *list);
		if (!list)
			return -1;
		for (size_t i = counts->nr; i < nr; i++)
			list[i].comm = (uint32_t)i, list[i].samples = 0;
		counts->list = list;
		counts->nr = nr;
	}
	counts->list[comm].samples++;
	return 0;
}

static int compare(const void *left, const void *right)
{
	const struct count *a = (const struct count *)left, *b = (const struct count *)right;
	if (a->samples != b->samples)
		return a->samples < b->samples ? 1 : -1;
	return (a->comm > b->comm) - (a->comm < b->comm);
}

/* The deliveries of one batch that are samples. */
static int count_batch(struct counts *counts, const struct perfdata_batch *batch)
{
	for (size_t i = 0; i < batch->nr_deliveries; i++) {
		const struct perfdata_delivery *delivery = perfdata_batch_delivery(batch, i);
		if (perfdata_raw_type(delivery->record) != PERFDATA_RECORD_SAMPLE ||
		    delivery->flags & PERFDATA_DELIVERY_SILENT)
			continue;
		if (delivery->comm != PERFDATA_NONE && add(counts, delivery->comm) < 0)
			return -1;
	}
	return 0;
}

int main(int argc, char **argv)
{
	const struct perfdata_reader_options reading = { .size = sizeof reading, .order = PERFDATA_ORDER_TIME };
	const struct perfdata_session_options options = {
		.size = sizeof options,
		.needs = PERFDATA_NEED_DELIVERIES | PERFDATA_NEED_THREADS,
		.merge_deferred = true,
	};
	struct perfdata_reader *reader = NULL;
	struct perfdata_session *session = NULL;
	struct perfdata_error error = { .offset = PERFDATA_NO_OFFSET };
	struct perfdata_batch *batch;
	struct counts counts = { NULL, 0 };
	if (argc != 2 || perfdata_reader_open_path(argv[1], &reading, &reader, &error) != PERFDATA_OK ||
	    perfdata_session_open(reader, &options, &session, &error) != PERFDATA_OK) {
		fprintf(stderr, "%s\n", argc == 2 ? error.message : "usage: count FILE");
		perfdata_reader_close(reader);
		return 1;
	}
	enum perfdata_status status;
	int failed = 0;
	while (!failed && (status = perfdata_session_next(session, &batch)) == PERFDATA_OK) {
		failed = count_batch(&counts, batch);
		perfdata_batch_release(batch);
	}
	qsort(counts.list, counts.nr, sizeof *counts.list, compare);
	for (size_t i = 0; i < counts.nr && counts.list[i].samples; i++)
		printf("%" PRIu64 " %s\n", counts.list[i].samples, perfdata_session_comm(session, counts.list[i].comm));
	const bool complete = !failed && status == PERFDATA_END && perfdata_session_summary(session)->complete;
	perfdata_session_close(session);
	perfdata_reader_close(reader);
	free(counts.list);
	return complete ? 0 : 4;
}
