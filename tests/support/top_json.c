/* SPDX-License-Identifier: MIT */
/* top_json FILE [OPTION…]: what perfdata_top gives, in the shape of `report --json`. Options: event=NAME,
 * most=N, no-inlines, no-names, fed (in small pieces). */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "perfdata/text.h"
#include "perfdata/top.h"

static void put(struct perfdata_text *out, const char *key, const char *text)
{
	perfdata_text_printf(out, "\"%s\":", key);
	perfdata_text_json_string(out, text, strlen(text));
}

static void put_function(struct perfdata_text *out, const struct perfdata_top_function *function)
{
	perfdata_text_string(out, "{");
	put(out, "symbol", function->name);
	perfdata_text_string(out, ",");
	put(out, "dso", function->file);
	perfdata_text_string(out, ",");
	put(out, "kind", function->kind);
	perfdata_text_string(out, ",\"build_id\":\"");
	perfdata_text_bytes_hex(out, function->build_id.data, function->build_id.size);
	perfdata_text_printf(out,
			     "\",\"self_samples\":%" PRIu64 ",\"self_weight\":%" PRIu64 ",\"total_samples\":%" PRIu64
			     ",\"total_weight\":%" PRIu64 "}",
			     function->self_samples, function->self, function->total_samples, function->total);
}

static struct perfdata_input *fed(const char *path)
{
	struct perfdata_input *input = perfdata_input_fed(NULL, path);
	FILE *file = fopen(path, "rb");
	char bytes[777];
	for (size_t size; input && file && (size = fread(bytes, 1, sizeof bytes, file));)
		perfdata_feed(input, bytes, size, NULL);
	if (file)
		fclose(file);
	perfdata_feed_end(input, NULL);
	return input;
}

int main(int argc, char **argv)
{
	struct perfdata_top_options options = { .size = sizeof options };
	struct perfdata_error error = { .message = "" };
	struct perfdata_input *input = NULL;
	struct perfdata_text out;
	struct perfdata_top *top;
	for (int i = 2; i < argc; i++) {
		if (!strncmp(argv[i], "event=", 6))
			options.event = argv[i] + 6;
		else if (!strncmp(argv[i], "most=", 5))
			options.most = strtoull(argv[i] + 5, NULL, 10);
		else if (!strcmp(argv[i], "no-inlines"))
			options.no_inlines = true;
		else if (!strcmp(argv[i], "no-names"))
			options.no_names = true;
		else if (!strcmp(argv[i], "fed"))
			options.input = input = fed(argv[1]);
	}
	const enum perfdata_status status = perfdata_top(input ? NULL : argv[1], &options, &top, &error);
	perfdata_input_free(input);
	if (status != PERFDATA_OK) {
		fprintf(stderr, "%d %s\n", status, error.message);
		return 3;
	}
	perfdata_text_init(&out);
	perfdata_text_string(&out, "{");
	put(&out, "event", top->event);
	perfdata_text_printf(&out, ",\"measure\":%d,\"samples\":%" PRIu64 ",\"weight\":%" PRIu64, (int)top->measure,
			     top->samples, top->weight);
	perfdata_text_printf(&out, ",\"rows_left_out\":%zu,\"complete\":%s,\"rows\":[", top->nr_left_out,
			     top->complete ? "true" : "false");
	for (size_t i = 0; i < top->nr_functions; i++) {
		perfdata_text_string(&out, i ? ",\n" : "\n");
		put_function(&out, top->functions[i]);
	}
	perfdata_text_string(&out, "]}\n");
	fwrite(out.data, 1, out.size, stdout);
	perfdata_text_release(&out);
	perfdata_top_free(top);
	return 0;
}
