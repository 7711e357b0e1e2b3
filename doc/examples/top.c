/* SPDX-License-Identifier: MIT */
/* top FILE: the ten functions that take most time.
 *
 *	cc -o top top.c $(pkg-config --cflags --libs libperfdata) */
#include <stdio.h>
#include <perfdata/top.h>

int main(int argc, char **argv)
{
	const struct perfdata_top_options options = { .size = sizeof options, .most = 10 };
	struct perfdata_error error = { .message = "usage: top FILE" };
	struct perfdata_top *top;
	if (argc != 2 || perfdata_top(argv[1], &options, &top, &error) != PERFDATA_OK) {
		fprintf(stderr, "%s\n", error.message);
		return 1;
	}
	for (size_t i = 0; i < top->nr_functions; i++)
		printf("%6.2f%% %6.2f%%  %s  %s\n", 100. * (double)top->functions[i]->self / (double)top->weight,
		       100. * (double)top->functions[i]->total / (double)top->weight, top->functions[i]->name,
		       top->functions[i]->file);
	perfdata_top_free(top);
	return 0;
}
