/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <stdio.h>
#include <perfdata/reader.h>

/* Prints time and address of each sample. */
int main(int argc, char **argv)
{
	struct perfdata_reader *reader;
	struct perfdata_error error = { .message = "out of memory" };
	const struct perfdata_raw *raw;
	struct perfdata_record *record = perfdata_record_new();

	if (argc != 2 || !record || perfdata_reader_open_path(argv[1], NULL, &reader, &error) != PERFDATA_OK) {
		fprintf(stderr, "%s\n", argc == 2 ? error.message : "usage: samples FILE");
		perfdata_record_free(record);
		return 1;
	}
	while (perfdata_reader_next(reader, &raw) == PERFDATA_OK) {
		if (perfdata_raw_type(raw) != PERFDATA_RECORD_SAMPLE ||
		    perfdata_raw_decode(reader, raw, record) != PERFDATA_OK)
			continue;
		printf("%" PRIu64 " 0x%" PRIx64 "\n", record->u.sample.time, record->u.sample.ip);
	}
	const int complete = perfdata_reader_complete(reader);
	perfdata_record_free(record);
	perfdata_reader_close(reader);
	return complete ? 0 : 4;
}
