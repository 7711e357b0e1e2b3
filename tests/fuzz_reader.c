/* The whole reader: a recording in memory, in both orders, and the same bytes out of a pipe. */
#include "fuzz.h"
#include "perfdata_reader.h"

#define MAX_PIPE 65536

static void take_finding(void *user, const struct perfdata_finding *finding)
{
	(void)user;
	fuzz_touch_text(finding->message);
	fuzz_touch_text(finding->file);
}

static void touch_container(const struct perfdata_reader *reader)
{
	const struct perfdata_feature_section *section;

	for (size_t i = 0; (section = perfdata_reader_feature_at(reader, i)) != NULL; i++)
		if (section->feature)
			fuzz_touch_bytes(perfdata_feature_bytes(section->feature));
	for (size_t i = 0; i < perfdata_reader_nr_events(reader); i++) {
		const struct perfdata_event *event = perfdata_reader_event(reader, i);
		fuzz_touch_text(event->name);
		fuzz_touch_bytes(event->attr_bytes);
		fuzz_touch(event->ids, event->nr_ids * sizeof *event->ids);
	}
	fuzz_touch_text(perfdata_reader_feature_text(reader, PERFDATA_FEATURE_HOSTNAME));
}

static void read_all(struct perfdata_reader *reader)
{
	struct perfdata_record record;
	struct perfdata_raw raw;

	touch_container(reader);
	while (perfdata_reader_next(reader, &raw) == PERFDATA_OK) {
		fuzz_touch(raw.bytes, raw.size);
		perfdata_raw_decode(reader, &raw, &record);
		fuzz_touch_bytes(record.rest);
	}
	touch_container(reader);
	perfdata_reader_close(reader);
}

static void read_pipe(const uint8_t *data, size_t size, const struct perfdata_reader_options *options)
{
	struct perfdata_reader *reader;
	int fds[2];

	if (size > MAX_PIPE || pipe(fds) < 0)
		return;
	const bool written = write(fds[1], data, size) == (ssize_t)size;
	close(fds[1]);
	if (written && perfdata_reader_open_fd(fds[0], "-", options, &reader, NULL) == PERFDATA_OK)
		read_all(reader);
	close(fds[0]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct perfdata_reader_options options = { .size = sizeof options, .on_finding = take_finding, .max_ratio = 1000, .max_spool = 64 << 20,
						   .max_memory = 16 << 20 };
	struct perfdata_reader *reader;

	if (perfdata_reader_open_memory(data, size, NULL, &options, &reader, NULL) == PERFDATA_OK)
		read_all(reader);
	options.order = PERFDATA_ORDER_TIME;
	options.max_memory = 1;      /* orders through temporary files */
	if (perfdata_reader_open_memory(data, size, NULL, &options, &reader, NULL) == PERFDATA_OK)
		read_all(reader);
	read_pipe(data, size, &options);
	return 0;
}
